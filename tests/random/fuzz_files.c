/* fuzzer of files that are read back, with damage: journals, entries of the cache, checkpoints,
 * fuzz: 400 20000
 * tables. A journal is continued with whole lines only, and its table comes out the same; an
 * entry of the cache and a checkpoint count only when every byte is as it was written; a table has
 * the columns and rows that it says, whatever is in it.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "../../cli/cli.h"
#include "../../cli/stored.h"
#include "fuzz.h"
#include "model/cache.h"

static char folder[200];

/* of a table that is never written here */
const char *cli_model_columns(const cli_model *m, double t, const double *z, const double *y,
                              double *out) {
  (void)m, (void)t, (void)z, (void)y, (void)out;
  abort();
}

static void require(bool truth, const char *what) {
  if (truth) return;
  fprintf(stderr, "%s\n", what);
  printf("%s\n", what);
  fflush(stdout);
  abort();
}

static char *path_of(const char *name, char *path) {
  snprintf(path, 300, "%s/%s", folder, name);
  return path;
}

static char *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = malloc(1 << 20);
  *size = file && text ? fread(text, 1, 1 << 20, file) : 0;
  if (file) fclose(file);
  return text;
}

static void spill(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  require(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "the test's own file");
}

/* bytes changed, removed, put in, moved, cut off; in f->text */
static void damage(fuzz *f, const char *bytes, size_t size) {
  f->length = 0;
  fuzz_bytes(f, bytes, size);
  do {
    size_t n = f->length;
    if (n < 4) break;
    size_t place = ((size_t)fuzz_byte(f) << 16 | (size_t)fuzz_byte(f) << 8 | fuzz_byte(f)) % n;
    size_t count = 1 + (size_t)fuzz_choose(f, 40);
    if (place + count > n) count = n - place;
    switch (fuzz_choose(f, 7)) {
      case 0: f->text[place] = (char)(f->text[place] ^ (1 << fuzz_choose(f, 8))); break;
      case 1: f->length = place; break;
      case 2:
        memmove(f->text + place, f->text + place + count, n - place - count);
        f->length -= count;
        break;
      case 3: f->text[place] = '\n'; break;
      case 4: memset(f->text + place, fuzz_choose(f, 2) ? 0 : 255, count); break;
      case 5: {
        char part[64];
        memcpy(part, f->text + place, count);
        fuzz_bytes(f, part, count); /* repeated at the end */
        break;
      }
      default: {
        char part[16];
        for (size_t i = 0; i < sizeof part; i++) part[i] = (char)fuzz_byte(f);
        fuzz_bytes(f, part, sizeof part);
      }
    }
  } while (fuzz_often(f, 120));
}

/* "3,..\n" of member i, the same every time; messages may hold anything but an end of line */
static size_t line_of(long i, char *line) {
  return (size_t)sprintf(line, "%ld,%.17g,ok,%ld\t,\"a \"\" message, %c\"\n", i, 0.1 * (double)i,
                         17 * i, (char)(33 + i));
}

static void write_journal(cli_journal *j, const char *file, const char *title,
                          const cli_part *part) {
  char line[200];
  require(cli_journal_open(j, file, title, part) == CLI_OK, "a new journal");
  for (long i = part->first; i < part->members; i += part->stride)
    require(cli_journal_add(j, i, line, line_of(i, line)) == CLI_OK, "a new line");
}

/* is this line, and the end of one before it, in the bytes? */
static bool holds(const fuzz *f, const char *line, size_t size) {
  for (size_t i = 1; i + size <= f->length; i++)
    if (f->text[i - 1] == '\n' && memcmp(f->text + i, line, size) == 0) return true;
  return false;
}

static void check_journal(fuzz *f) {
  char file[300], path[320], line[200], *good;
  const char *title = "# daedal 0 sweep pendulum --set g=1:2:9 journal 3\nmember,g\n";
  cli_part part = {.members = 1 + fuzz_choose(f, 20), .stride = 1 + fuzz_choose(f, 3)};
  part.first = fuzz_choose(f, (int)part.stride);
  size_t size, table_size;
  cli_journal j;
  path_of("t.csv", file);
  snprintf(path, sizeof path, "%s.journal", file);
  unlink(path);
  write_journal(&j, file, title, &part);
  good = slurp(path, &size);
  require(cli_journal_finish(&j, file, "header\n", NULL) == CLI_OK, "a table");
  cli_journal_close(&j);
  char *table = slurp(file, &table_size);
  damage(f, good, size);
  spill(path, f->text, f->length);
  int code = cli_journal_open(&j, file, title, &part);
  if (code == CLI_OK) {
    for (long i = part.first; i < part.members; i += part.stride) {
      size_t n = line_of(i, line) - 1;
      if (cli_journal_has(&j, i)) require(holds(f, line, n), "a line was believed that is none");
      else require(cli_journal_add(&j, i, line, n + 1) == CLI_OK, "a line again");
    }
    require(j.n_done == cli_part_count(&part), "all members");
    require(cli_journal_finish(&j, file, "header\n", NULL) == CLI_OK, "the table again");
    size_t again_size;
    char *again = slurp(file, &again_size);
    require(again_size == table_size && memcmp(again, table, table_size) == 0, "another table");
    free(again);
  } else {
    require(code == CLI_USAGE, "another code");
  }
  cli_journal_close(&j);
  free(good);
  free(table);
}

static void check_cache(fuzz *f) {
  char object[300], entry[300], text[200], *good;
  int count = fuzz_choose(f, 180);
  for (int i = 0; i < count; i++) text[i] = (char)fuzz_byte(f);
  dae_cache_key key = {.head = "/* head */", .text = text, .length = (size_t)count};
  dae_model_cache_name(&key);
  f->length = 0;
  for (int i = 1 + fuzz_choose(f, 200); i > 0; i--) {
    char byte = (char)fuzz_byte(f);
    fuzz_bytes(f, &byte, 1);
  }
  spill(path_of("object", object), f->text, f->length);
  require(!dae_model_cache_find(folder, &key, entry, sizeof entry), "an entry of nothing");
  require(dae_model_cache_put(object, &key, entry), "a new entry");
  require(dae_model_cache_find(folder, &key, entry, sizeof entry), "the entry is there");
  size_t size;
  good = slurp(entry, &size);
  damage(f, good, size);
  bool same = f->length == size && memcmp(f->text, good, size) == 0;
  spill(entry, f->text, f->length);
  require(dae_model_cache_find(folder, &key, entry, sizeof entry) == same, "a damaged entry");
  /* another text under the same name */
  spill(entry, good, size);
  if (count > 0) {
    dae_cache_key other = key;
    text[fuzz_choose(f, count)] ^= 1;
    require(!dae_model_cache_find(folder, &other, entry, sizeof entry), "another text");
  }
  unlink(entry);
  free(good);
}

/* ---- checkpoints ---- */

static int spiral(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1] - 0.1 * z[0], dz[1] = -z[0];
  return 0;
}

/* a checkpoint with damage is refused, and the solver goes on from the point that it had */
static void check_checkpoint(fuzz *f) {
  static const char *const methods[] = {"dop853", "radau3", "bdf", "auto"};
  static const double z0[] = {1, 0.3};
  const dae_problem p = {.kind = DAE_ODE, .z0 = z0, .t1 = 3, .ode = {.n = 2, .f = spiral}};
  dae_options o = dae_options_default();
  o.method = FUZZ_PICK(f, methods);
  dae_solver *s = NULL;
  require(dae_solver_new(&s, &p, &o, NULL) == DAE_OK, "a solver");
  require(dae_solver_start(s, 0, NULL, NULL) == DAE_OK, "a start");
  for (int k = fuzz_choose(f, 6); k > 0; k--) dae_solver_step(s, 3);
  size_t size = 0;
  require(dae_solver_save(s, NULL, &size) == DAE_OK, "the size of a checkpoint");
  char *good = malloc(size);
  require(good && dae_solver_save(s, good, &size) == DAE_OK, "a checkpoint");
  double t = dae_solver_time(s), z = dae_solver_z(s)[0];
  damage(f, good, size);
  bool same = f->length == size && memcmp(f->text, good, size) == 0;
  dae_status status = dae_solver_restore(s, f->text, f->length);
  require((status == DAE_OK) == same, "a damaged checkpoint");
  require(dae_solver_restore(s, good, size) == DAE_OK, "the checkpoint itself");
  require(dae_solver_time(s) == t && dae_solver_z(s)[0] == z, "another point");
  dae_solver_step(s, 3);
  dae_solver_free(s);
  free(good);
}

/* ---- tables ---- */

static void make_table(fuzz *f, bool json) {
  static const char *const names[] = {"time", "x", "\"a, b\"", "status", "", "x", "x [m]", "# y"};
  static const char *const fields[] = {"1",     "-2.5e3", "nan",   "",   "inf",
                                       "1e999", "ok",     "\"q\"", " 3 "};
  int columns = 1 + fuzz_choose(f, 5), rows = fuzz_choose(f, 6);
  const char *end = fuzz_often(f, 40) ? "\r\n" : "\n";
  if (fuzz_often(f, 60)) fuzz_add(f, "# a comment%s", end);
  if (json) {
    fuzz_add(f, "{\"problem\": \"p\", \"columns\": [\"time\", \"x\"], \"data\": [");
    for (int i = 0; i < rows; i++)
      fuzz_add(f, "%s[%d, %s]", i ? ", " : "", i, FUZZ_PICK(f, fields));
    fuzz_add(f, "]}");
    return;
  }
  for (int j = 0; j < columns; j++) fuzz_add(f, "%s%s", j ? "," : "", FUZZ_PICK(f, names));
  for (int i = 0; i < rows; i++) {
    fuzz_add(f, "%s", end);
    for (int j = 0; j < columns; j++) fuzz_add(f, "%s%s", j ? "," : "", FUZZ_PICK(f, fields));
  }
  fuzz_add(f, "%s", end);
}

static void check_table(fuzz *f) {
  char file[300];
  bool json = fuzz_often(f, 60);
  make_table(f, json);
  if (fuzz_often(f, 160)) {
    char *text = malloc(f->length + 1);
    size_t size = f->length;
    if (!text) abort();
    memcpy(text, f->text, size);
    damage(f, text, size);
    free(text);
  }
  spill(path_of(json ? "table.json" : "table.csv", file), f->text, f->length);
  cli_stored t = {0};
  if (cli_stored_open(&t, file) == CLI_OK) {
    bool *wanted = calloc((size_t)t.count + 1, sizeof *wanted);
    double sum = 0;
    for (int j = 0; j < t.count; j++) wanted[j] = fuzz_often(f, 200);
    if (cli_stored_read(&t, wanted) == CLI_OK)
      for (int j = 0; j < t.count; j++)
        for (long i = 0; i < t.rows && t.value[j]; i++) sum += t.value[j][i];
    for (int j = 0; j < t.count; j++) sum += (double)strlen(t.name[j]) + (double)strlen(t.unit[j]);
    require(sum != 1e-300, "a sum"); /* everything is read */
    require(cli_stored_find(&t, "time") < t.count, "a place");
    cli_stored_sweep(&t);
    free(wanted);
  }
  cli_stored_close(&t); /* whatever came of it */
  unlink(file);
}

static void fuzz_case(fuzz *f) {
  if (!folder[0]) {
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/daedal-fuzz-XXXXXX", temporary ? temporary : "/tmp");
    require(mkdtemp(folder) != NULL, "a folder");
    /* notes on damaged lines */
    require(freopen("/dev/null", "w", stderr) != NULL, "no notes");
  }
  switch (fuzz_choose(f, 4)) {
    case 0: check_journal(f); break;
    case 1: check_cache(f); break;
    case 2: check_checkpoint(f); break;
    default: check_table(f);
  }
}

FUZZ_MAIN("journals, cache entries, checkpoints and tables")
