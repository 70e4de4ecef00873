/*
 * The parts of a sweep, one file each, and one table again.
 *
 *   # daedal .. shard I/N of M members     which part, of which sweep
 *   header
 *   rows                                   members I-1, I-1+N, ..
 *   # end ROWS CHECKSUM                    a file without it was cut off
 *
 * The rows of all parts in turn are the table of the whole sweep, byte for byte.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = " shard ";

char *cli_shard_title(const char *sweep, int i, int n, long members) {
  size_t size = strlen(sweep) + 128;
  char *text = cli_take(size, 1);
  snprintf(text, size, "# %s%s%d/%d of %ld members\n", sweep, mark, i, n, members);
  return text;
}

void cli_shard_end(FILE *out, long rows, uint64_t checksum) {
  fprintf(out, "# end %ld %016" PRIx64 "\n", rows, checksum);
}

typedef struct shard {
  const char *file;
  cli_lines in;
  int number, of;
  long members, rows;
  char *sweep;  /* what was swept, as the title tells */
  char *header; /* of the table */
  uint64_t sum; /* of the rows so far */
} shard;

typedef struct merger {
  shard *shard; /* as they were typed, then in their order */
  int count;
} merger;

static char *copy(const char *text, size_t size) {
  char *own = cli_take(size + 1, 1);
  return memcpy(own, text, size);
}

/* a file that is not there may be one whose sweep has not ended */
static int not_there(const char *file) {
  int error = errno;
  size_t size = strlen(file) + sizeof ".journal";
  char *journal = cli_take(size, 1);
  snprintf(journal, size, "%s.journal", file);
  bool begun = access(journal, F_OK) == 0;
  free(journal);
  if (begun)
    return cli_fail(
        CLI_FILE,
        "%s is incomplete; run the command that writes it again to continue from %s.journal", file,
        file);
  return cli_fail(CLI_FILE, "cannot read %s: %s", file, strerror(error));
}

/* "# SWEEP shard I/N of M members" */
static bool read_title(shard *s, const char *line, size_t size) {
  char *text = copy(line, size), *at = NULL, rest[16];
  for (char *next = strstr(text, mark); next; next = strstr(next + 1, mark)) at = next;
  bool ours = strncmp(text, "# daedal ", 9) == 0 && at &&
              sscanf(at + sizeof mark - 1, "%d/%d of %ld %15s", &s->number, &s->of, &s->members,
                     rest) == 4 &&
              s->number >= 1 && s->number <= s->of && s->members >= 0;
  if (ours) s->sweep = copy(text, (size_t)(at - text));
  free(text);
  return ours;
}

/* two names of one file */
static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return strcmp(a, b) == 0 ||
         (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static int open_shard(shard *s, const char *file) {
  *s = (shard){.file = file, .sum = CLI_CHECKSUM_BEGIN};
  int handle = open(file, O_RDONLY);
  cli_lines_open(&s->in, handle);
  if (handle < 0) return not_there(file);
  size_t size;
  const char *line = cli_lines_next(&s->in, &size);
  if (!line || !read_title(s, line, size))
    return cli_fail(CLI_USAGE, "%s is not part of a sweep; 'daedal sweep --shard' makes such files",
                    file);
  line = cli_lines_next(&s->in, &size);
  if (!line) return cli_fail(CLI_FILE, "%s is truncated: it has no header", file);
  s->header = copy(line, size);
  return CLI_OK;
}

/* the parts that nobody gave, as text */
static int find_missing(merger *m, int of) {
  char *seen = cli_take((size_t)of, 1), text[DAE_TEXT_MAX] = "";
  int missing = 0, code = CLI_OK;
  for (int i = 0; i < m->count && code == CLI_OK; i++) {
    int k = m->shard[i].number - 1;
    if (seen[k])
      code = cli_fail(CLI_USAGE, "shard %d/%d appears twice: %s", k + 1, of, m->shard[i].file);
    seen[k] = 1;
  }
  for (int k = 0; k < of && code == CLI_OK; k++) {
    if (seen[k]) continue;
    size_t used = strlen(text);
    if (missing++ < 5) snprintf(text + used, sizeof text - used, " --shard %d/%d", k + 1, of);
  }
  free(seen);
  if (missing == 0) return code;
  return cli_fail(CLI_USAGE, "%d of %d shards are missing; run the sweep with%s%s", missing, of,
                  text, missing > 5 ? " .." : "");
}

static int agree(merger *m) {
  const shard *a = &m->shard[0];
  for (int i = 1; i < m->count; i++) {
    const shard *b = &m->shard[i];
    if (b->of != a->of || b->members != a->members || strcmp(a->sweep, b->sweep) != 0 ||
        strcmp(a->header, b->header) != 0)
      return cli_fail(CLI_USAGE, "%s and %s are not parts of the same sweep", a->file, b->file);
  }
  return find_missing(m, a->of);
}

static int in_order(const void *a, const void *b) {
  return ((const shard *)a)->number - ((const shard *)b)->number;
}

static int damaged(const shard *s) {
  return cli_fail(CLI_FILE,
                  "%s is truncated or was changed; run its sweep again with --shard %d/%d", s->file,
                  s->number, s->of);
}

/* the row of a member, which is the next of its part */
static int put_row(shard *s, long member, FILE *out) {
  size_t size;
  char *end;
  const char *line = cli_lines_next(&s->in, &size);
  if (!line || strtol(line, &end, 10) != member || *end != ',') return damaged(s);
  fwrite(line, 1, size, out);
  fputc('\n', out);
  s->sum = cli_checksum(cli_checksum(s->sum, line, size), "\n", 1);
  s->rows++;
  return CLI_OK;
}

/* nothing but the last line is left, and it is right */
static int check_end(shard *s) {
  char wanted[64];
  size_t size;
  snprintf(wanted, sizeof wanted, "# end %ld %016" PRIx64, s->rows, s->sum);
  const char *line = cli_lines_next(&s->in, &size);
  bool good = line && size == strlen(wanted) && memcmp(line, wanted, size) == 0;
  return good && !cli_lines_next(&s->in, &size) ? CLI_OK : damaged(s);
}

bool cli_shard_whole(const char *file, const char *title, const char *header) {
  shard s = {.file = file, .sum = CLI_CHECKSUM_BEGIN};
  size_t size = 0;
  const char *line = NULL;
  cli_lines_open(&s.in, open(file, O_RDONLY));
  bool same = s.in.handle >= 0;
  for (int k = 0; k < 2 && same; k++) {
    const char *wanted = k == 0 ? title : header;
    line = cli_lines_next(&s.in, &size);
    same = line && size + 1 == strlen(wanted) && memcmp(line, wanted, size) == 0;
  }
  /* all lines are rows but the last, which has their sum */
  char end[64] = "";
  while (same && (line = cli_lines_next(&s.in, &size))) {
    snprintf(end, sizeof end, "# end %ld %016" PRIx64, s.rows, s.sum);
    if (size == strlen(end) && memcmp(line, end, size) == 0) break;
    s.sum = cli_checksum(cli_checksum(s.sum, line, size), "\n", 1);
    s.rows++;
  }
  same = same && line && !cli_lines_next(&s.in, &size);
  if (s.in.handle >= 0) close(s.in.handle);
  cli_lines_close(&s.in);
  return same;
}

static int write_table(merger *m, const char *file) {
  cli_file out;
  long members = m->shard[0].members;
  int code = cli_file_open(&out, file);
  if (code != CLI_OK) return code;
  fprintf(out.stream, "%s\n", m->shard[0].header);
  for (long i = 0; i < members && code == CLI_OK; i++)
    code = put_row(&m->shard[i % m->count], i, out.stream);
  for (int i = 0; i < m->count && code == CLI_OK; i++) code = check_end(&m->shard[i]);
  if (code == CLI_OK) return cli_file_commit(&out);
  cli_file_abandon(&out);
  return code;
}

/* all parts are open at once */
static void allow_files(int count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > (rlim_t)count + 16) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit); /* else opening says so */
}

int cli_merge(int argc, char **argv) {
  if (argc < 2)
    return cli_fail(CLI_USAGE, "'daedal merge' needs the table to write and the shards: OUT.csv "
                               "SHARD.csv..");
  for (int i = 0; i < argc; i++)
    if (argv[i][0] == '-') return cli_fail(CLI_USAGE, "'daedal merge' has no option '%s'", argv[i]);
  if (!cli_ends_with(argv[0], ".csv"))
    return cli_fail(CLI_USAGE, "'%s' is not a name that ends in .csv", argv[0]);
  merger m = {.shard = cli_take((size_t)argc, sizeof(shard))};
  int code = CLI_OK;
  allow_files(argc);
  for (int i = 1; i < argc && code == CLI_OK; i++) {
    if (same_file(argv[0], argv[i]))
      code = cli_fail(CLI_USAGE, "%s is both the output table and a shard", argv[i]);
    else code = open_shard(&m.shard[m.count++], argv[i]);
  }
  if (code == CLI_OK) code = agree(&m);
  if (code == CLI_OK) {
    qsort(m.shard, (size_t)m.count, sizeof *m.shard, in_order);
    code = write_table(&m, argv[0]);
  }
  if (code == CLI_OK) printf("%ld runs of %d shards in %s\n", m.shard[0].members, m.count, argv[0]);
  for (int i = 0; i < m.count; i++) {
    if (m.shard[i].in.handle >= 0) close(m.shard[i].in.handle);
    cli_lines_close(&m.shard[i].in);
    free(m.shard[i].sweep);
    free(m.shard[i].header);
  }
  free(m.shard);
  return code;
}
