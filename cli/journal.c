/*
 * The journal of a sweep: what is finished outlives a kill.
 *
 *   title
 *   MEMBER,.. \t CHECKSUM
 *
 * A line counts only with its checksum. One without was being written when the sweep was killed, or
 * somebody changed it: its member is done again.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 16, ENDING = DIGITS + 1 }; /* of the checksum; with the tabulator before it */

static int fail(const cli_journal *j, const char *what) {
  return cli_fail(CLI_FILE, "cannot %s %s: %s", what, j->path, strerror(errno));
}

/* FNV-1a */
static uint64_t checksum(uint64_t sum, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)text[i]) * 1099511628211u;
  return sum;
}

/* the whole file as text; NULL on failure */
static char *load(const cli_journal *j, size_t *size) {
  struct stat info;
  if (fstat(j->handle, &info) != 0) return NULL;
  char *text = cli_take((size_t)info.st_size + 1, 1);
  *size = 0;
  while (*size < (size_t)info.st_size) {
    ssize_t got = pread(j->handle, text + *size, (size_t)info.st_size - *size, (off_t)*size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return free(text), NULL;
    if (got == 0) break;
    *size += (size_t)got;
  }
  return text;
}

static int append(const cli_journal *j, const char *line, size_t size) {
  while (size > 0) {
    ssize_t put = write(j->handle, line, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(j, "write");
    line += put;
    size -= (size_t)put;
  }
  return CLI_OK;
}

/* one line: its member, -1 when it is none of ours; *size without the checksum */
static long member_of(const cli_journal *j, const char *line, size_t *size) {
  char digits[DIGITS + 1], *end;
  if (*size <= ENDING || line[*size - ENDING] != '\t') return -1;
  *size -= ENDING;
  snprintf(digits, sizeof digits, "%016" PRIx64, checksum(j->seed, line, *size));
  if (memcmp(digits, line + *size + 1, DIGITS) != 0) return -1;
  long member = strtol(line, &end, 10);
  return end != line && *end == ',' && member >= 0 && member < j->members ? member : -1;
}

/* the lines after the title, one after the other; NULL at the end */
static const char *next_line(const char **at, const char *end, size_t *size) {
  const char *line = *at, *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  if (!stop) return NULL;
  *size = (size_t)(stop - line);
  *at = stop + 1;
  return line;
}

/* marks what is done; says which lines are damaged */
static void take_lines(cli_journal *j, const char *at, const char *end) {
  enum { SHOWN = 5 };
  size_t size;
  long bad = 0;
  const char *line;
  for (long number = 2; (line = next_line(&at, end, &size)); number++) {
    long member = member_of(j, line, &size);
    if (member >= 0 && !j->done[member]) j->done[member] = 1, j->n_done++;
    if (member >= 0 || ++bad > SHOWN) continue;
    fprintf(stderr, "daedal: note: %s:%ld: this line is damaged; its run is done again\n", j->path,
            number);
  }
  if (bad > SHOWN)
    fprintf(stderr, "daedal: note: %s: %ld more lines are damaged\n", j->path, bad - SHOWN);
}

/* why a file with another first line is not continued */
static int refuse(const cli_journal *j, const char *text) {
  size_t first = strcspn(text, "\n");
  const char *mark = strstr(text, " journal 2 ");
  if (strncmp(text, "# daedal ", 9) == 0 && (!mark || mark > text + first))
    return cli_fail(CLI_USAGE,
                    "%s was written by an earlier version, without checksums; remove it or choose "
                    "another --output",
                    j->path);
  return cli_fail(CLI_USAGE, "%s belongs to another sweep; remove it or choose another --output",
                  j->path);
}

/* a line without an end was being written when the sweep was killed */
static int resume(cli_journal *j, const char *title) {
  size_t size, length = strlen(title);
  char *text = load(j, &size);
  if (!text) return fail(j, "read");
  size_t whole = size;
  while (whole > 0 && text[whole - 1] != '\n') whole--;
  int code = CLI_OK;
  bool ours = whole >= length && memcmp(text, title, length) == 0;
  text[whole] = '\0';
  if (whole > 0 && !ours) code = refuse(j, text);
  else if (ftruncate(j->handle, (off_t)whole) != 0) code = fail(j, "write");
  else if (whole == 0) code = append(j, title, length);
  else take_lines(j, text + length, text + whole);
  free(text);
  return code;
}

int cli_journal_open(cli_journal *j, const char *file, const char *title, long members) {
  size_t size = strlen(file) + sizeof ".journal";
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  *j = (cli_journal){.path = cli_take(size, 1), .members = members};
  j->done = cli_take((size_t)members, 1);
  j->seed = checksum(14695981039346656037u, title, strlen(title));
  snprintf(j->path, size, "%s.journal", file);
  j->handle = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  struct stat info;
  if (j->handle < 0) return fail(j, "write");
  if (fstat(j->handle, &info) != 0 || !S_ISREG(info.st_mode))
    return cli_fail(CLI_FILE, "%s is no file that a journal can be kept in", j->path);
  if (fcntl(j->handle, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
    return cli_fail(CLI_USAGE, "another sweep is writing %s", j->path);
  return resume(j, title);
}

int cli_journal_add(cli_journal *j, long member, const char *line, size_t size) {
  /* its own end of line comes after the checksum */
  char *marked = cli_take(size + ENDING + 1, 1);
  memcpy(marked, line, --size);
  snprintf(marked + size, ENDING + 1, "\t%016" PRIx64, checksum(j->seed, line, size));
  marked[size + ENDING] = '\n';
  int code = append(j, marked, size + ENDING + 1);
  if (code == CLI_OK) j->done[member] = 1, j->n_done++;
  free(marked);
  return code;
}

/* the lines of all members; false when one is missing */
static bool collect(const cli_journal *j, const char *text, size_t size, const char **line,
                    size_t *length) {
  const char *at = text, *end = text + size, *one;
  size_t n;
  bool all = true;
  next_line(&at, end, &n); /* the title */
  while ((one = next_line(&at, end, &n))) {
    long member = member_of(j, one, &n);
    if (member >= 0 && !line[member]) line[member] = one, length[member] = n;
  }
  for (long i = 0; i < j->members; i++) all = all && line[i];
  return all;
}

int cli_journal_finish(cli_journal *j, const char *file, const char *header) {
  cli_file out;
  size_t size, *length = cli_take((size_t)j->members, sizeof *length);
  const char **line = cli_take((size_t)j->members, sizeof *line);
  char *text = load(j, &size);
  int code = text ? CLI_OK : fail(j, "read");
  if (code == CLI_OK && !collect(j, text, size, line, length))
    code = cli_fail(CLI_FILE, "%s was changed during the sweep; the same command goes on", j->path);
  if (code == CLI_OK) code = cli_file_open(&out, file);
  if (code == CLI_OK) {
    fputs(header, out.stream);
    for (long i = 0; i < j->members; i++) {
      fwrite(line[i], 1, length[i], out.stream);
      fputc('\n', out.stream);
    }
    code = cli_file_commit(&out);
  }
  if (code == CLI_OK) unlink(j->path);
  free(text);
  free(line);
  free(length);
  return code;
}

void cli_journal_close(cli_journal *j) {
  if (j->handle >= 0 && j->path) close(j->handle);
  free(j->path);
  free(j->done);
}
