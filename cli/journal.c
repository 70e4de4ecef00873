/*
 * The journal of a sweep: what is finished outlives a kill.
 *
 *   title, and the header of the table
 *   MEMBER,.. \t CHECKSUM
 *
 * so that it can be read as a table while it grows.
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

uint64_t cli_checksum(uint64_t sum, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)text[i]) * 1099511628211u;
  return sum;
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

uint64_t cli_checksum_text(const char *text) {
  return text ? cli_checksum(CLI_CHECKSUM_BEGIN, text, strlen(text)) : 0;
}

/* one line: its member, -1 when it is none of ours; *size without the checksum */
static long member_of(const cli_journal *j, const char *line, size_t *size) {
  char digits[DIGITS + 1], *end;
  const cli_part *p = &j->part;
  if (*size <= ENDING || line[*size - ENDING] != '\t') return -1;
  *size -= ENDING;
  snprintf(digits, sizeof digits, "%016" PRIx64, cli_checksum(j->seed, line, *size));
  if (memcmp(digits, line + *size + 1, DIGITS) != 0) return -1;
  long member = strtol(line, &end, 10);
  bool ours = end != line && *end == ',' && member >= p->first && member < p->members &&
              (member - p->first) % p->stride == 0;
  return ours ? member : -1;
}

static long index_of(const cli_journal *j, long member) {
  return (member - j->part.first) / j->part.stride;
}

bool cli_journal_has(const cli_journal *j, long member) {
  long i = index_of(j, member);
  return j->done[i / 8] >> i % 8 & 1;
}

static void mark(cli_journal *j, long member) {
  long i = index_of(j, member);
  if (cli_journal_has(j, member)) return;
  j->done[i / 8] |= (unsigned char)(1u << i % 8);
  j->n_done++;
}

/* marks what is done; says which lines are damaged. Returns where the last whole line ends */
static off_t take_lines(cli_journal *j, cli_lines *in, long number) {
  enum { SHOWN = 5 };
  size_t size;
  long bad = 0;
  const char *line;
  for (; (line = cli_lines_next(in, &size)); number++) {
    long member = member_of(j, line, &size);
    if (member >= 0) mark(j, member);
    if (member >= 0 || ++bad > SHOWN) continue;
    fprintf(stderr, "daedal: note: %s:%ld: this line is damaged; its run is repeated\n", j->path,
            number);
  }
  if (bad > SHOWN)
    fprintf(stderr, "daedal: note: %s: %ld more lines are damaged\n", j->path, bad - SHOWN);
  return in->next;
}

/* why a file with another first line is not continued */
static int refuse(const cli_journal *j, const char *line, size_t size) {
  static const char ours[] = "# daedal ", mark[] = " journal 3";
  bool now = false;
  for (size_t i = 0; i + sizeof mark <= size + 1; i++)
    now = now || memcmp(line + i, mark, sizeof mark - 1) == 0;
  if (size >= sizeof ours - 1 && memcmp(line, ours, sizeof ours - 1) == 0 && !now)
    return cli_fail(CLI_USAGE,
                    "%s was written by a different version; remove it or choose another --output",
                    j->path);
  return cli_fail(CLI_USAGE,
                  "%s belongs to a different sweep; remove it or choose another --output", j->path);
}

/* the lines of the title are there; 1: all of them, 0: the file has no whole line, -1: others */
static int has_title(cli_lines *in, const char *title, long *lines, const char **line,
                     size_t *size) {
  for (*lines = 0; *title; ++*lines) {
    size_t length = strcspn(title, "\n");
    *line = cli_lines_next(in, size);
    if (!*line) return *lines == 0 ? 0 : -1;
    if (*size != length || memcmp(*line, title, length) != 0) return -1;
    title += length + 1;
  }
  return 1;
}

/* a line without an end was being written when the sweep was killed */
static int resume(cli_journal *j, const char *title) {
  cli_lines in;
  const char *line = "";
  size_t size = 0;
  long lines;
  int code = CLI_OK;
  cli_lines_open(&in, j->handle);
  int found = has_title(&in, title, &lines, &line, &size);
  /* killed while the title was written: its first line is ours, and nothing follows */
  bool begun = found < 0 && !line;
  off_t whole = 0;
  if (found > 0) whole = take_lines(j, &in, lines + 1);
  else if (found < 0 && !begun) code = refuse(j, line, size);
  if (in.error) errno = in.error, code = fail(j, "read");
  if (code == CLI_OK && ftruncate(j->handle, whole) != 0) code = fail(j, "write");
  if (code == CLI_OK && found <= 0) code = append(j, title, strlen(title));
  cli_lines_close(&in);
  return code;
}

int cli_journal_open(cli_journal *j, const char *file, const char *title, const cli_part *part) {
  size_t size = strlen(file) + sizeof ".journal";
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  *j = (cli_journal){.path = cli_take(size, 1), .part = *part};
  j->done = cli_take((size_t)cli_part_count(part) / 8 + 1, 1);
  j->seed = cli_checksum(CLI_CHECKSUM_BEGIN, title, strlen(title));
  snprintf(j->path, size, "%s.journal", file);
  j->handle = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  struct stat info;
  if (j->handle < 0) return fail(j, "write");
  if (fstat(j->handle, &info) != 0 || !S_ISREG(info.st_mode))
    return cli_fail(CLI_FILE, "%s cannot be used as a journal file", j->path);
  if (fcntl(j->handle, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
    return cli_fail(CLI_USAGE, "another sweep is writing %s", j->path);
  return resume(j, title);
}

int cli_journal_add(cli_journal *j, long member, const char *line, size_t size) {
  /* its own end of line comes after the checksum */
  char *marked = cli_take(size + ENDING + 1, 1);
  memcpy(marked, line, --size);
  snprintf(marked + size, ENDING + 1, "\t%016" PRIx64, cli_checksum(j->seed, line, size));
  marked[size + ENDING] = '\n';
  int code = append(j, marked, size + ENDING + 1);
  if (code == CLI_OK) mark(j, member);
  free(marked);
  return code;
}

/* lines that came before their turn: a heap, the least member first */
typedef struct early {
  long member;
  off_t place;
  size_t size;
} early;

typedef struct waiting {
  early *line;
  size_t count, room;
} waiting;

static void wait_in(waiting *w, early e) {
  if (w->count == w->room) {
    w->room = 2 * w->room + 64;
    w->line = realloc(w->line, w->room * sizeof *w->line);
    if (!w->line) exit(cli_fail(CLI_STOPPED, "out of memory"));
  }
  size_t i = w->count++;
  for (; i > 0 && w->line[(i - 1) / 2].member > e.member; i = (i - 1) / 2)
    w->line[i] = w->line[(i - 1) / 2];
  w->line[i] = e;
}

static early wait_out(waiting *w) {
  early least = w->line[0], last = w->line[--w->count];
  size_t i = 0;
  for (size_t k; (k = 2 * i + 1) < w->count; i = k) {
    if (k + 1 < w->count && w->line[k + 1].member < w->line[k].member) k++;
    if (last.member <= w->line[k].member) break;
    w->line[i] = w->line[k];
  }
  w->line[i] = last;
  return least;
}

/* the table that is being put together */
typedef struct table {
  FILE *out;
  long next; /* the member whose turn it is */
  uint64_t sum;
} table;

static void put(table *t, const cli_journal *j, const char *line, size_t size) {
  fwrite(line, 1, size, t->out);
  fputc('\n', t->out);
  t->sum = cli_checksum(cli_checksum(t->sum, line, size), "\n", 1);
  t->next += j->part.stride;
}

/* the waiting lines whose turn has come */
static bool put_waiting(table *t, const cli_journal *j, waiting *w) {
  bool read = true;
  while (read && w->count > 0 && w->line[0].member <= t->next) {
    early e = wait_out(w);
    if (e.member < t->next) continue; /* it was there twice */
    char *line = cli_take(e.size + 1, 1);
    read = pread(j->handle, line, e.size, e.place) == (ssize_t)e.size;
    if (read) put(t, j, line, e.size);
    free(line);
  }
  return read;
}

/* all lines in the order of their members; false when one is missing */
static bool put_lines(table *t, const cli_journal *j) {
  cli_lines in;
  waiting w = {0};
  const char *line;
  size_t size;
  bool read = true;
  cli_lines_open(&in, j->handle);
  while (read && (line = cli_lines_next(&in, &size))) {
    long member = member_of(j, line, &size);
    if (member == t->next) put(t, j, line, size);
    else if (member > t->next) wait_in(&w, (early){member, in.place, size});
    read = put_waiting(t, j, &w);
  }
  read = read && !in.error;
  cli_lines_close(&in);
  free(w.line);
  return read && t->next >= j->part.members;
}

int cli_journal_finish(cli_journal *j, const char *file, const char *header, const char *shard) {
  cli_file out;
  int code = cli_file_open(&out, file);
  if (code != CLI_OK) return code;
  table t = {.out = out.stream, .next = j->part.first, .sum = CLI_CHECKSUM_BEGIN};
  if (shard) fputs(shard, out.stream);
  fputs(header, out.stream);
  if (!put_lines(&t, j)) {
    cli_file_abandon(&out);
    return cli_fail(CLI_FILE,
                    "%s was changed during the sweep; run the same command again to continue",
                    j->path);
  }
  if (shard) cli_shard_end(out.stream, cli_part_count(&j->part), t.sum);
  code = cli_file_commit(&out);
  if (code == CLI_OK) unlink(j->path);
  return code;
}

void cli_journal_close(cli_journal *j) {
  if (j->handle >= 0 && j->path) close(j->handle);
  free(j->path);
  free(j->done);
}
