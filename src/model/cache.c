/* compiled models in a folder: found, verified, put in place, thrown away */
#include "model/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* the end of an entry */
typedef struct tail {
  char mark[16];
  uint64_t object, record; /* lengths */
  uint64_t sum;            /* of all bytes before the tail */
} tail;

static const char mark[16] = "daedal entry 2\n";
static const uint64_t SUM_START = 14695981039346656037u;

enum {
  MOST_BYTES = 256 << 20,   /* of all entries together; then the oldest go, until.. */
  ENOUGH_BYTES = 192 << 20, /* ..so many are left */
  STALE = 24 * 3600         /* seconds after which a workroom is nobody's, whoever made it */
};

/* FNV-1a, eight bytes at a time while there are so many: an entry is read at every start */
static uint64_t add_to_sum(uint64_t sum, const char *bytes, size_t count) {
  size_t i = 0;
  for (uint64_t word; i + 8 <= count; i += 8) {
    memcpy(&word, bytes + i, 8);
    sum = (sum ^ word) * 1099511628211u;
    sum ^= sum >> 29;
  }
  for (; i < count; i++) sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211u;
  return sum;
}

/* two sums from different starts; the record itself is compared before an entry is used */
void dae_model_cache_name(dae_cache_key *key) {
  uint64_t a = SUM_START, b = 0x9AE16A3B2F90404Fu;
  const char *part[] = {key->head, key->text};
  const size_t length[] = {strlen(key->head), key->length};
  for (int k = 0; k < 2; k++) a = add_to_sum(a, part[k], length[k]);
  for (int k = 1; k >= 0; k--) b = add_to_sum(b, part[k], length[k]);
  snprintf(key->name, sizeof key->name, "%016llx%016llx", (unsigned long long)a,
           (unsigned long long)b);
}

/* ---- folders ---- */

/* mkdir -p, for the user alone */
static bool make_folder(char *path) {
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = '\0';
    int code = mkdir(path, 0700);
    *c = '/';
    if (code != 0 && errno != EEXIST) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* ours and closed to others: what lies in it will be loaded as code */
static bool ours(const struct stat *s) {
  return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool dae_model_cache_folder(const char *wish, char *path, size_t size) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  struct stat s;
  int n;
  if (wish) n = snprintf(path, size, "%s", wish);
  else if (xdg && xdg[0] == '/') n = snprintf(path, size, "%s/daedal", xdg);
  else if (home && home[0] == '/') n = snprintf(path, size, "%s/.cache/daedal", home);
  else return false;
  return n > 0 && (size_t)n < size - 128 && make_folder(path) && stat(path, &s) == 0 &&
         S_ISDIR(s.st_mode) && ours(&s);
}

bool dae_model_cache_workroom(const char *parent, char *path, size_t size) {
  int n = snprintf(path, size, "%s/daedal-work-%ld-XXXXXX", parent, (long)getpid());
  return n > 0 && (size_t)n < size - 32 && mkdtemp(path) != NULL;
}

/* a workroom holds files only: ours, and those of the compiler */
void dae_model_cache_clear(const char *workroom) {
  DIR *list = opendir(workroom);
  char path[2 * DAE_PATH];
  for (struct dirent *e; list && (e = readdir(list));) {
    int n = snprintf(path, sizeof path, "%s/%s", workroom, e->d_name);
    if (e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof path) unlink(path);
  }
  if (list) closedir(list);
  rmdir(workroom);
}

/* ---- entries ---- */

/* exactly `count` bytes, in parts; false at an early end */
static bool read_all(int file, char *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t n = read(file, bytes + done, count - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

static bool write_all(int file, const char *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t n = write(file, bytes + done, count - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* lengths, checksum and key are right? */
static bool whole(int file, size_t size, const dae_cache_key *key) {
  size_t head = strlen(key->head), record = head + key->length;
  tail end;
  if (size < sizeof end + record) return false;
  char *all = malloc(size);
  bool ok = all && read_all(file, all, size);
  if (ok) {
    memcpy(&end, all + size - sizeof end, sizeof end);
    ok = memcmp(end.mark, mark, sizeof mark) == 0 && end.record == record &&
         end.object == size - sizeof end - record &&
         end.sum == add_to_sum(SUM_START, all, size - sizeof end);
  }
  const char *kept = ok ? all + end.object : NULL;
  ok = ok && memcmp(kept, key->head, head) == 0 && memcmp(kept + head, key->text, key->length) == 0;
  free(all);
  return ok;
}

bool dae_model_cache_find(const char *folder, const dae_cache_key *key, char *path, size_t size) {
  struct stat s;
  snprintf(path, size, "%s/%s.so", folder, key->name);
  /* a link or a pipe is none of ours */
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  bool ok = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && ours(&s) && s.st_size > 0 &&
            whole(file, (size_t)s.st_size, key);
  if (ok) futimens(file, NULL); /* the least recently used goes first */
  close(file);
  return ok;
}

/* object, record and tail in memory, as they are summed; NULL without memory or object */
static char *make_entry(int file, const dae_cache_key *key, size_t *object, size_t *size) {
  struct stat s;
  if (fstat(file, &s) != 0 || s.st_size <= 0) return NULL;
  size_t head = strlen(key->head);
  *object = (size_t)s.st_size;
  *size = *object + head + key->length + sizeof(tail);
  char *all = malloc(*size);
  if (!all || !read_all(file, all, *object)) return free(all), NULL;
  memcpy(all + *object, key->head, head);
  memcpy(all + *object + head, key->text, key->length);
  tail end = {.object = *object,
              .record = head + key->length,
              .sum = add_to_sum(SUM_START, all, *size - sizeof end)};
  memcpy(end.mark, mark, sizeof mark);
  memcpy(all + *size - sizeof end, &end, sizeof end);
  return all;
}

bool dae_model_cache_put(const char *object, const dae_cache_key *key, const char *path) {
  size_t from, size;
  int file = open(object, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  char *all = make_entry(file, key, &from, &size);
  bool ok = all && write_all(file, all + from, size - from) && fchmod(file, 0600) == 0;
  free(all);
  ok = close(file) == 0 && ok;
  return ok && rename(object, path) == 0;
}

/* ---- tidying ---- */

typedef struct item {
  char name[64];
  time_t used;
  off_t bytes;
} item;

static int by_age(const void *a, const void *b) {
  const item *x = a, *y = b;
  return (x->used > y->used) - (x->used < y->used);
}

/* a workroom whose process has ended, or one that is very old (of another machine) */
static bool abandoned(const char *name, const struct stat *s) {
  long process = 0;
  if (sscanf(name, "daedal-work-%ld-", &process) != 1 || !S_ISDIR(s->st_mode)) return false;
  return (process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH) ||
         time(NULL) - s->st_mtime > STALE;
}

/* entries, and files of entries of earlier versions: 32 digits and an ending */
static bool is_entry(const char *name, const struct stat *s) {
  size_t digits = strspn(name, "0123456789abcdef");
  const char *ending = strrchr(name, '.');
  return S_ISREG(s->st_mode) && digits == 32 && strlen(name) < sizeof((item *)0)->name && ending &&
         (strcmp(ending, ".so") == 0 || strcmp(ending, ".c") == 0);
}

void dae_model_cache_tidy(const char *folder) {
  DIR *list = opendir(folder);
  if (!list) return;
  item *entry = NULL;
  int count = 0, room = 0;
  double total = 0;
  char path[2 * DAE_PATH];
  for (struct dirent *e; (e = readdir(list));) {
    struct stat s;
    int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (n < 0 || (size_t)n >= sizeof path || lstat(path, &s) != 0) continue;
    if (abandoned(e->d_name, &s)) dae_model_cache_clear(path);
    if (!is_entry(e->d_name, &s)) continue;
    if (count == room) {
      item *more = realloc(entry, (size_t)(room = room ? 2 * room : 64) * sizeof *entry);
      if (!more) break;
      entry = more;
    }
    snprintf(entry[count].name, sizeof entry->name, "%s", e->d_name);
    entry[count].used = s.st_mtime;
    entry[count++].bytes = s.st_size;
    total += (double)s.st_size;
  }
  closedir(list);
  if (total > MOST_BYTES) {
    qsort(entry, (size_t)count, sizeof *entry, by_age);
    for (int k = 0; k < count && total > ENOUGH_BYTES; k++) {
      snprintf(path, sizeof path, "%s/%s", folder, entry[k].name);
      if (unlink(path) == 0) total -= (double)entry[k].bytes;
    }
  }
  free(entry);
}
