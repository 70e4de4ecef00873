/* daedal plot: pictures of stored runs, several of them overlaid; sweeps as curves or maps */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "stored.h"
#include "sweep_map.h"

typedef struct request {
  const char **file;
  int files;
  const char *show, *plot;
  bool quiet;
} request;

static int read_request(request *q, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    bool show = strcmp(argv[i], "--show") == 0, plot = strcmp(argv[i], "--plot") == 0;
    if (show || plot) {
      if (++i == argc || !argv[i][0])
        return cli_fail(CLI_USAGE, "option %s needs a value", argv[i - 1]);
      *(show ? &q->show : &q->plot) = argv[i];
    } else if (strcmp(argv[i], "--quiet") == 0) {
      q->quiet = true;
    } else if (argv[i][0] == '-' && argv[i][1]) {
      return cli_fail(CLI_USAGE,
                      "unknown option '%.60s'; 'daedal plot' has --show, --plot and --quiet",
                      argv[i]);
    } else {
      q->file[q->files++] = argv[i];
    }
  }
  if (q->files == 0)
    return cli_fail(CLI_USAGE, "'daedal plot' needs files written by 'daedal run --output'");
  if (!q->plot) return cli_fail(CLI_USAGE, "'daedal plot' needs --plot OUT.svg, .png or .pdf");
  if (!cli_plot_name_ok(q->plot))
    return cli_fail(
        CLI_USAGE, "option --plot: '%.60s' is not a name that ends in .svg, .png or .pdf", q->plot);
  return CLI_OK;
}

/* a stored run, or a sweep over one value, on its way into the picture */
typedef struct run {
  cli_stored table;
  int time;    /* the column that the axis shows */
  int good;    /* the column that tells failed members of a sweep; 0: there is none */
  long *order; /* of the rows, by that column; NULL: as they stand */
  cli_names names;
  cli_panels panels;
  cli_record *record;
  double *column; /* of the row */
  long row;       /* where derivatives are taken */
  char name[DAE_NAME_MAX];
} run;

/* messages of the reader do not know the file */
static int read_show(run *r, const char *show) {
  char text[2 * DAE_TEXT_MAX] = "";
  cli_fail_into(text, sizeof text);
  int code = cli_panels_read(&r->panels, show, &r->names);
  cli_fail_into(NULL, 0);
  return code == CLI_OK ? CLI_OK : cli_fail(code, "%s: %s", r->table.file, text);
}

/* all columns that every file has; derivatives that stand in it are left out */
static int default_show(run *r, const run *all, int count) {
  enum { MOST = 60 };
  cli_panel *p = cli_take(1, sizeof *p);
  *p = (cli_panel){.title = cli_take(1, 1), .dimensions = 1};
  r->panels = (cli_panels){.count = 1, .panel = p};
  for (int i = 1; i < r->table.count; i++) {
    const char *name = r->table.name[i];
    bool shared = strncmp(name, "der(", 4) != 0;
    for (int k = 0; k < count && shared; k++) shared = cli_stored_find(&all[k].table, name) > 0;
    if (!shared) continue;
    if (p->count == MOST) p->left_out++;
    else cli_panel_add(p, &r->names, 1, &name);
  }
  if (p->count > 0) return CLI_OK;
  return cli_fail(CLI_USAGE,
                  "the files have no variable in common; use --show to choose what to draw");
}

static int read_values(run *r) {
  bool *used = cli_take((size_t)r->table.count, sizeof *used);
  used[r->time] = true;
  if (r->good) used[r->good] = true;
  for (int i = 0; i < r->panels.count; i++)
    for (int j = 0; j < r->panels.panel[i].count; j++)
      for (int k = 0; k < 3; k++)
        if (r->panels.panel[i].series[j].part[k])
          cli_expression_uses(r->panels.panel[i].series[j].part[k], used);
  int code = cli_stored_read(&r->table, used);
  free(used);
  for (long i = 0; code == CLI_OK && i < r->table.rows; i++)
    if (!isfinite(r->table.value[r->time][i]))
      code = cli_fail(CLI_FILE, "%s: row %ld: %s is not a number", r->table.file, i + 1,
                      r->table.name[r->time]);
  return code;
}

static long place_of(const run *r, long row) { return r->order ? r->order[row] : row; }

static double time_of(const run *r, long row) { return r->table.value[r->time][place_of(r, row)]; }

static double value_of(const run *r, int column, long row) {
  return r->table.value[column] ? r->table.value[column][place_of(r, row)] : NAN;
}

static bool failed(const run *r, long row) { return r->good && value_of(r, r->good, row) == 0; }

/* a member that failed has no values */
static void columns_of(const run *r, long row, double *column) {
  for (int i = 0; i < r->table.count; i++)
    column[i] = failed(r, row) && i != r->time ? NAN : value_of(r, i, row);
}

/* rows around a row that belong to one smooth piece: time goes on, and does not stand */
static void neighbours(const run *r, long row, long *first, long *last) {
  enum { REACH = 2 };
  double way = r->record->backward ? -1 : 1;
  *first = *last = row;
  while (*first > 0 && row - *first < 2 * REACH && !failed(r, *first - 1) &&
         way * (time_of(r, *first) - time_of(r, *first - 1)) > 0)
    --*first;
  while (*last + 1 < r->table.rows && *last - row < 2 * REACH && !failed(r, *last + 1) &&
         way * (time_of(r, *last + 1) - time_of(r, *last)) > 0)
    ++*last;
  /* five of them, the row in the middle where that can be */
  while (*last - *first > 2 * REACH) {
    if (*last - row > row - *first) --*last;
    else ++*first;
  }
}

/* between rows: the polynomial through the neighbours */
static bool columns_between(void *of, double t, double *column) {
  const run *r = of;
  long first, last;
  neighbours(r, r->row, &first, &last);
  for (int i = 0; i < r->table.count; i++) column[i] = r->table.value[i] ? 0 : NAN;
  for (long a = first; a <= last; a++) {
    double weight = 1;
    for (long b = first; b <= last; b++)
      if (b != a) weight *= (t - time_of(r, b)) / (time_of(r, a) - time_of(r, b));
    for (int i = 0; i < r->table.count; i++)
      if (r->table.value[i]) column[i] += weight * value_of(r, i, a);
  }
  return true;
}

static void record_rows(run *r) {
  long last = r->table.rows - 1;
  double low = INFINITY, high = -INFINITY;
  for (long i = 0; i <= last; i++) {
    low = fmin(low, time_of(r, i));
    high = fmax(high, time_of(r, i));
  }
  bool backward = time_of(r, last) < time_of(r, 0);
  r->record =
      cli_record_new(&r->panels, r->table.count, backward ? high : low, backward ? low : high);
  r->column = cli_take((size_t)r->table.count, sizeof(double));
  for (r->row = 0; r->row <= last; r->row++) {
    long from, to;
    neighbours(r, r->row, &from, &to);
    cli_piece piece = {columns_between, r, time_of(r, from), time_of(r, to)};
    columns_of(r, r->row, r->column);
    cli_record_point(r->record, time_of(r, r->row), r->column, from < to ? &piece : NULL);
  }
}

/* "dir/pendulum.csv" is called pendulum, unless two are */
static void name_runs(run *all, int count) {
  for (int i = 0; i < count; i++) {
    const char *slash = strrchr(all[i].table.file, '/');
    const char *base = slash ? slash + 1 : all[i].table.file;
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(all[i].name, sizeof all[i].name, "%.*s", length < 60 ? length : 60, base);
  }
  for (int i = 1; i < count; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(all[i].name, all[k].name) == 0) {
        snprintf(all[i].name, sizeof all[i].name, "%.60s", all[i].table.file);
        snprintf(all[k].name, sizeof all[k].name, "%.60s", all[k].table.file);
      }
}

static int write_picture(const run *all, int count, const char *what, const char *file) {
  char title[DAE_TEXT_MAX], subtitle[2 * DAE_TEXT_MAX];
  snprintf(title, sizeof title, "%s", what);
  cli_shown *shown = cli_take((size_t)count, sizeof *shown);
  long rows = 0;
  for (int i = 0; i < count; i++) {
    size_t n = strlen(title);
    shown[i] = (cli_shown){all[i].record, all[i].name};
    rows += all[i].table.rows;
    snprintf(title + n, sizeof title - n, "%s%s", i ? ", " : " ", all[i].name);
  }
  snprintf(subtitle, sizeof subtitle, "%s%s%d file%s   \xc2\xb7   %ld rows", all[0].table.problem,
           all[0].table.problem[0] ? "   \xc2\xb7   " : "", count, count == 1 ? "" : "s", rows);
  cli_caption caption = {.title = title, .subtitle = subtitle};
  cli_picture picture = {
      .caption = &caption, .n_run = count, .run = shown, .time = all[0].names.time};
  int code = cli_plot_write(&picture, file);
  free(shown);
  return code;
}

static int open_run(run *r, const char *file) {
  int code = cli_stored_open(&r->table, file);
  r->names = (cli_names){.count = r->table.count,
                         .name = (const char *const *)r->table.name,
                         .unit = (const char *const *)r->table.unit,
                         .time = r->table.count ? r->table.name[0] : "time"};
  return code;
}

static int plot_runs(const request *q, run *all) {
  int code = CLI_OK;
  for (int i = 0; i < q->files && code == CLI_OK; i++) {
    if (cli_stored_sweep(&all[i].table))
      code = cli_fail(CLI_USAGE,
                      "%s is the table of a sweep and cannot be drawn together with other files",
                      all[i].table.file);
    else code = q->show ? read_show(&all[i], q->show) : default_show(&all[i], all, q->files);
    if (code == CLI_OK) code = read_values(&all[i]);
    if (code == CLI_OK) record_rows(&all[i]);
  }
  name_runs(all, q->files);
  return code == CLI_OK ? write_picture(all, q->files, q->files > 1 ? "Runs" : "Run", q->plot)
                        : code;
}

/* ---- sweeps ---- */

typedef struct placed {
  double value;
  long row;
} placed;

static int by_value(const void *a, const void *b) {
  double x = ((const placed *)a)->value, y = ((const placed *)b)->value;
  return (x > y) - (x < y);
}

static void sort_rows(run *r) {
  long n = r->table.rows;
  placed *list = cli_take((size_t)n, sizeof *list);
  for (long i = 0; i < n; i++) list[i] = (placed){r->table.value[r->time][i], i};
  qsort(list, (size_t)n, sizeof *list, by_value);
  r->order = cli_take((size_t)n, sizeof *r->order);
  for (long i = 0; i < n; i++) r->order[i] = list[i].row;
  free(list);
}

/* everything between drift and message, a panel for each of the first ones */
static char *default_quantities(const cli_stored *t) {
  enum { MOST = 6 };
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  int first = cli_stored_find(t, "drift") + 1;
  for (int i = first; i < t->count - 1 && i < first + MOST; i++)
    fprintf(out, strchr(t->name[i], '\'') ? "%s%s" : "%s'%s'", i > first ? "|" : "", t->name[i]);
  fclose(out);
  return text;
}

/* one value varies: curves over it; two: maps */
static int plot_sweep(const request *q, run *r) {
  int ranges = cli_stored_find(&r->table, "status") - 1;
  char *own = q->show ? NULL : default_quantities(&r->table);
  if (ranges < 1 || ranges > 2) {
    free(own);
    return cli_fail(CLI_USAGE, "%s has %d ranges: a picture has one or two", r->table.file, ranges);
  }
  r->time = 1;
  r->names.time = r->table.name[1];
  r->good = cli_stored_find(&r->table, "status");
  int code = read_show(r, own ? own : q->show);
  free(own);
  if (code == CLI_OK && ranges == 2) return cli_sweep_map(&r->table, &r->panels, q->plot);
  if (code == CLI_OK) code = read_values(r);
  if (code != CLI_OK) return code;
  sort_rows(r);
  record_rows(r);
  name_runs(r, 1);
  return write_picture(r, 1, "Sweep", q->plot);
}

static int plot(const request *q) {
  run *all = cli_take((size_t)q->files, sizeof *all);
  int code = CLI_OK;
  for (int i = 0; i < q->files && code == CLI_OK; i++) code = open_run(&all[i], q->file[i]);
  if (code == CLI_OK) {
    bool sweep = q->files == 1 && cli_stored_sweep(&all[0].table);
    code = sweep ? plot_sweep(q, all) : plot_runs(q, all);
  }
  for (int i = 0; i < q->files; i++) {
    cli_record_free(all[i].record);
    cli_panels_free(&all[i].panels);
    free(all[i].order);
    free(all[i].column);
    cli_stored_close(&all[i].table);
  }
  free(all);
  return code;
}

int cli_plot_sweep(const char *file, const char *show, const char *out) {
  return plot(&(request){.file = &file, .files = 1, .show = show, .plot = out});
}

int cli_plot(int argc, char **argv) {
  request q = {.file = cli_take((size_t)argc, sizeof *q.file)};
  int code = read_request(&q, argc, argv);
  if (code == CLI_OK) code = plot(&q);
  if (code == CLI_OK && !q.quiet)
    printf("%s: %d file%s\n", q.plot, q.files, q.files == 1 ? "" : "s");
  free(q.file);
  return code;
}
