/* compiled models on disk: whatever lies in the cache, a model is compiled or says why it is not */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <daedal/daedal.h>

#include "test.h"

static char folder[200]; /* of this test */

static const char *at(const char *name) {
  static char path[8][300];
  static int next;
  char *p = path[next = (next + 1) % 8];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}

static int count_files(const char *path, char *last, size_t size) {
  DIR *list = opendir(path);
  int count = 0;
  for (struct dirent *e; list && (e = readdir(list));) {
    if (e->d_name[0] == '.') continue;
    count++;
    if (last) snprintf(last, size, "%.100s/%.100s", path, e->d_name);
  }
  if (list) closedir(list);
  return count;
}

static void script(const char *name, const char *text) {
  FILE *file = fopen(at(name), "w");
  fprintf(file, "#!/bin/sh\n%s\n", text);
  fclose(file);
  chmod(at(name), 0700);
}

/* der(x) = -x must be right however it is computed; 1 when it was compiled */
static int build_with(const char *cache, const char *compiler, double seconds, char *note) {
  static const char text[] = "model M Real x(start = 1); equation der(x) = -x; end M;";
  dae_model_options o = {.compiler = compiler, .cache = cache, .model_seconds = seconds};
  dae_model *m;
  double z = 0.75, rate = 0;
  CHECK(dae_model_read_text(&m, "m.mo", text, sizeof text - 1, &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  CHECK(p->ode.f(0, &z, &rate, p->ctx) == 0 && rate == -0.75);
  int compiled = dae_model_compiled(m);
  CHECK(compiled == (dae_model_interpreted(m) == NULL));
  if (note) snprintf(note, 400, "%s", compiled ? "" : dae_model_interpreted(m));
  dae_model_free(m);
  return compiled;
}

static int build(const char *cache) { return build_with(cache, NULL, 0, NULL); }

static char *slurp(const char *path, size_t *size) {
  struct stat s;
  FILE *file = fopen(path, "rb");
  if (!file || stat(path, &s) != 0) return NULL;
  char *text = malloc((size_t)s.st_size + 1);
  *size = fread(text, 1, (size_t)s.st_size, file);
  fclose(file);
  return text;
}

/* as a new file: C libraries whose dlclose does nothing (musl) have the old one mapped still */
static void spill(const char *path, const char *text, size_t size) {
  unlink(path);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  if (!file) return;
  fwrite(text, 1, size, file);
  fclose(file);
}

static void test_entry(void) {
  char entry[300];
  const char *cache = at("entry");
  CHECK(build(cache));
  CHECK(count_files(cache, entry, sizeof entry) == 1);
  struct stat first, second;
  CHECK(stat(entry, &first) == 0 && (first.st_mode & 077) == 0);
  CHECK(build(cache));
  CHECK(stat(entry, &second) == 0 && second.st_ino == first.st_ino); /* not made again */
}

/* cut off anywhere, a bit turned anywhere, another file in its place: made again, never loaded */
static void test_damage(void) {
  char entry[300];
  const char *cache = at("damage");
  size_t size = 0;
  CHECK(build(cache) && count_files(cache, entry, sizeof entry) == 1);
  char *good = slurp(entry, &size);
  CHECK(good && size > 1000);
  const size_t length[] = {0, 1, 100, size / 2, size - 41, size - 1};
  for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
    spill(entry, good, length[k]);
    CHECK(build(cache));
  }
  for (size_t k = 0; k < 12; k++) {
    size_t place = k * (size - 1) / 11, got;
    good[place] = (char)(good[place] ^ 16);
    spill(entry, good, size);
    good[place] = (char)(good[place] ^ 16);
    CHECK(build(cache));
    char *now = slurp(entry, &got);
    CHECK(now && got > place && (got != size || now[place] == good[place]));
    free(now);
  }
  unlink(entry);
  CHECK(symlink("/dev/zero", entry) == 0 && build(cache));
  unlink(entry);
  CHECK(mkfifo(entry, 0600) == 0 && build(cache));
  unlink(entry);
  CHECK(mkdir(entry, 0700) == 0 && build(cache)); /* cannot be replaced: loaded from its workroom */
  CHECK(count_files(cache, NULL, 0) == 1);
  free(good);
}

/* a folder that others may write, or that cannot be: no cache, but compiled */
static void test_folder(void) {
  mkdir(at("open"), 0700);
  chmod(at("open"), 0777);
  CHECK(build(at("open")));
  CHECK(count_files(at("open"), NULL, 0) == 0);
  spill(at("file"), "x", 1);
  CHECK(build(at("file/below")));
  CHECK(build(at("file")));
  CHECK(build(at("new/and/deep")) && count_files(at("new/and/deep"), NULL, 0) == 1);
}

static void test_compilers(void) {
  char note[400];
  CHECK(!build_with(at("c1"), "/nowhere/cc", 0, note));
  CHECK_STR(note, "the equations are interpreted: no C compiler was found: /nowhere/cc");
  CHECK(!build_with(at("c1"), "no-such-compiler", 0, note));
  CHECK_STR(note, "the equations are interpreted: no C compiler was found: no-such-compiler");
  script("broken", "echo 'sorry, not today' >&2; echo more >&2; exit 1");
  CHECK(!build_with(at("c1"), at("broken"), 0, note));
  CHECK_STR(note, "the equations are interpreted: the C compiler failed: sorry, not today");
  script("slow", "exec sleep 100");
  CHECK(!build_with(at("c1"), at("slow"), 0.1, note));
  CHECK(strstr(note, "the C compiler took too long (model_seconds)") != NULL);
  script("liar", "while [ \"$1\" != -o ]; do shift; done; echo nonsense >\"$2\"");
  CHECK(!build_with(at("c1"), at("liar"), 0, note));
  CHECK(strstr(note, "the compiled model could not be loaded") != NULL);
  script("empty", "exit 0");
  CHECK(!build_with(at("c1"), at("empty"), 0, note));
  CHECK(strstr(note, "the compiled model could not be loaded") != NULL);
  script("wrapper", "exec cc \"$@\"");
  CHECK(build_with(at("c2"), at("wrapper"), 0, note));
  CHECK(build_with(at("c2"), "cc", 0, note));
  CHECK(count_files(at("c2"), NULL, 0) == 2); /* another compiler, another entry */
}

static void *build_thread(void *cache) { return build(cache) ? cache : NULL; }

/* threads and processes that want the same model at the same time */
static void test_at_once(void) {
  enum { N = 6 };
  const char *cache = at("once");
  pthread_t thread[N];
  pid_t child[2];
  for (int k = 0; k < 2; k++)
    if ((child[k] = fork()) == 0) _exit(build(cache) ? 0 : 1);
  for (int k = 0; k < N; k++) pthread_create(&thread[k], NULL, build_thread, (void *)cache);
  for (int k = 0; k < N; k++) {
    void *ok;
    pthread_join(thread[k], &ok);
    CHECK(ok != NULL);
  }
  for (int k = 0; k < 2; k++) {
    int status;
    CHECK(waitpid(child[k], &status, 0) == child[k] && status == 0);
  }
  CHECK(count_files(cache, NULL, 0) == 1);
}

/* workrooms of processes that are gone go; the oldest entries of a large cache go */
static void test_tidy(void) {
  const char *cache = at("tidy");
  char room[300], mine[300];
  struct stat s;
  mkdir(cache, 0700);
  pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, NULL, 0);
  snprintf(room, sizeof room, "%s/daedal-work-%ld-abcdef", cache, (long)gone);
  snprintf(mine, sizeof mine, "%s/daedal-work-%ld-abcdef", cache, (long)getpid());
  mkdir(room, 0700);
  mkdir(mine, 0700);
  char file[320];
  snprintf(file, sizeof file, "%s/model.c", room);
  spill(file, "half", 4);
  for (int k = 0; k < 30; k++) {
    snprintf(file, sizeof file, "%s/%032x.so", cache, k);
    spill(file, "", 0);
    CHECK(truncate(file, 10 << 20) == 0); /* 300 MB of nothing */
    utime(file, &(struct utimbuf){1000 + k, 1000 + k});
  }
  CHECK(build(cache));
  CHECK(stat(room, &s) != 0);
  CHECK(stat(mine, &s) == 0);
  /* at most 192 MB: 19 of the 30, the last ones; our own room and the new entry */
  CHECK(count_files(cache, NULL, 0) == 19 + 2);
  snprintf(file, sizeof file, "%s/%032x.so", cache, 29);
  CHECK(stat(file, &s) == 0);
}

int main(void) {
  const char *temporary = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/daedal-cache-XXXXXX", temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) return 1;
  if (system("cc --version >/dev/null 2>&1") != 0) {
    printf("no compiler: nothing to test\n");
    return 0;
  }
  RUN(test_entry);
  RUN(test_damage);
  RUN(test_folder);
  RUN(test_compilers);
  RUN(test_at_once);
  RUN(test_tidy);
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) return 1;
  return TEST_END();
}
