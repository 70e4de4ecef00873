/* daedal sweep: every combination of given values is one run; many at once, one table */
#include "report.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sweep {
  cli_settings settings;
  cli_part part;
  int ranges; /* parameters and initial values that vary */
  char *header, *title;
  char *columns;      /* the part of the header that the model gives */
  uint64_t equations; /* checksum of those of a text, with what it takes from files */
  cli_journal journal;
  pthread_mutex_t lock; /* guards all that follows, and the journal */
  long next, failed;
  int code;
  cli_progress progress;
} sweep;

/* a run of the ensemble: its session comes first, so that one is found from the other */
typedef struct member {
  cli_session session;
  const sweep *sweep;
  FILE *line;
  bool interrupted, failed;
  cli_json *curves; /* where its curves go; NULL: nobody wants them */
  long number;
} member;

/* value number i of v */
static double value_at(const cli_value *v, long i) {
  if (v->count < 2 || i == 0) return v->value;
  if (i == v->count - 1) return v->last;
  return v->value + (v->last - v->value) * (double)i / (v->count - 1);
}

/* value k of all that are given: parameters first, then initial values */
static cli_value *value_of(const cli_settings *s, int k) {
  return k < s->n_set ? &s->set[k] : &s->init[k - s->n_set];
}

/* coordinate u of the unit interval in the range of v */
static double value_in(const cli_value *v, double u) { return v->value + (v->last - v->value) * u; }

/* the values of a member; on a grid the last range that was typed varies fastest */
static void values(const sweep *w, long number, cli_settings *out) {
  const cli_settings *s = &w->settings;
  *out = *s;
  out->quiet = true;
  out->progress = false;
  out->set = cli_take((size_t)s->n_set, sizeof *out->set);
  out->init = cli_take((size_t)s->n_init, sizeof *out->init);
  int axis = w->ranges;
  long rest = number;
  for (int k = s->n_set + s->n_init - 1; k >= 0; k--) {
    const cli_value *v = value_of(s, k);
    cli_value *mine = value_of(out, k);
    *mine = (cli_value){.name = v->name, .held = v->held, .value = v->value};
    if (v->count == 0) continue;
    axis--;
    if (v->count < 0) {
      mine->value = value_in(v, cli_design_point(&s->design, number, axis));
    } else {
      mine->value = value_at(v, rest % v->count);
      rest /= v->count;
    }
  }
}

static void values_free(cli_settings *s) {
  free(s->set);
  free(s->init);
}

/* names of measures and columns of a model as a part of the header */
static char *column_names(const cli_model *m, const cli_measures *measures) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  for (int i = 0; i < cli_measures_count(measures); i++) {
    fputc(',', out);
    cli_csv_text(out, cli_measures_name(measures, i));
  }
  for (int i = 0; i < m->n_column; i++) {
    fputc(',', out);
    cli_csv_text(out, m->column[i]);
  }
  fclose(out);
  return text;
}

/* MEMBER,values: how a line begins */
static void begin_line(FILE *out, long number, const cli_settings *all, const cli_settings *mine) {
  fprintf(out, "%ld", number);
  for (int k = 0; k < all->n_set + all->n_init; k++)
    if (value_of(all, k)->count != 0) fprintf(out, ",%.17g", value_of(mine, k)->value);
}

/* the line ends with a message, on one line whatever is in it */
static void end_line(FILE *out, char *message) {
  for (char *c = message; *c; c++)
    if (*c == '\n') *c = ' ';
  fputc(',', out);
  cli_csv_text(out, message);
  fputc('\n', out);
}

static double largest_drift(const cli_result *r) {
  double most = 0;
  for (int i = r->model->first_level; i < r->model->order; i++)
    if (!(r->stats.drift_max[i] <= most)) most = r->stats.drift_max[i];
  return most;
}

/* what `daedal run` would tell about the end of the run */
static int write_member(cli_session *s) {
  member *m = (member *)s;
  const cli_result *r = &s->result;
  char text[2 * DAE_TEXT_MAX] = "";
  double *value = cli_take((size_t)s->model.n_column, sizeof *value);
  m->interrupted = r->status == DAE_STOPPED && cli_interrupted();
  m->failed = !cli_result_ok(r);
  if (m->failed) cli_sentence(r->status, r->message, r->advice, text, sizeof text);
  fprintf(m->line, ",%s", r->status_text);
  if (r->started) {
    fprintf(m->line, ",%.17g,%ld,%.17g", r->reached, r->stats.steps, largest_drift(r));
    for (int i = 0; i < cli_measures_count(s->measures); i++) {
      double found = cli_measures_value(s->measures, i);
      if (isnan(found)) fputc(',', m->line); /* a time that never came */
      else fprintf(m->line, ",%.17g", found);
    }
    cli_model_columns(&s->model, r->reached, r->z, r->y, value);
    for (int i = 0; i < s->model.n_column; i++) fprintf(m->line, ",%.17g", value[i]);
  } else {
    fputs(",,,", m->line);
    int empty = cli_measures_count(s->measures) + s->model.n_column;
    for (int i = 0; i < empty; i++) fputc(',', m->line);
  }
  end_line(m->line, text);
  free(value);
  return CLI_OK;
}

/* a member that could not even begin: the columns stay empty */
static void write_refusal(member *m, char *message) {
  m->failed = true;
  fputs(",bad input,,,", m->line);
  bool quoted = false;
  for (const char *c = m->sweep->columns; *c; c++) {
    if (*c == '"') quoted = !quoted;
    if (*c == ',' && !quoted) fputc(',', m->line);
  }
  end_line(m->line, message);
}

/* a model whose variables depend on what is varied does not fit one table */
static int same_columns(const member *m) {
  char *names = column_names(&m->session.model, m->session.measures);
  bool same = strcmp(names, m->sweep->columns) == 0;
  free(names);
  return same ? CLI_OK : cli_fail(CLI_USAGE, "its variables differ from those of the first run");
}

static int solve(member *m) {
  cli_session *s = &m->session;
  int code = cli_model_open(&s->model, &s->settings);
  s->result = (cli_result){.model = &s->model,
                           .settings = &s->settings,
                           .error = &s->error,
                           .status_text = dae_status_name(DAE_OK),
                           .t0 = s->model.problem.t0,
                           .t1 = s->model.problem.t1};
  if (code == CLI_OK) code = cli_session_measures(s);
  if (code == CLI_OK) code = same_columns(m);
  if (code == CLI_OK && m->curves) s->report = cli_report_curves_new(s);
  if (code == CLI_OK) code = s->model.problem.boundary ? cli_bvp(s) : cli_ivp(s);
  cli_report_free(s->report);
  cli_measures_free(s->measures);
  cli_model_close(&s->model);
  return code;
}

/* the curves of a member that is run again for the page */
static int write_curves(cli_session *s) {
  member *m = (member *)s;
  cli_store *t = &s->report->solution;
  if (!s->result.started || t->points == 0) return CLI_OK;
  cli_store_end(t);
  cli_json_open(m->curves, NULL, '{');
  cli_json_count(m->curves, "member", m->number);
  cli_store_open(m->curves, "table", t);
  for (int i = 0; i < t->columns; i++) {
    cli_json_open(m->curves, NULL, '{');
    cli_json_text(m->curves, "name", s->model.column[i]);
    cli_store_column(m->curves, t, i, true);
    cli_json_close(m->curves, '}');
  }
  cli_store_close(m->curves);
  cli_json_close(m->curves, '}');
  return CLI_OK;
}

static void member_again(const void *of, long number, cli_json *j) {
  const sweep *w = of;
  member m = {.session = {.finish = write_curves}, .sweep = w, .curves = j, .number = number};
  char message[2 * DAE_TEXT_MAX] = "";
  values(w, number, &m.session.settings);
  cli_fail_into(message, sizeof message);
  solve(&m);
  cli_fail_into(NULL, 0);
  values_free(&m.session.settings);
}

/* the line of one member in *line; false when it was interrupted and has none */
static bool run_member(const sweep *w, long number, char **line, size_t *size, bool *failed) {
  member m = {.session = {.finish = write_member}, .sweep = w};
  char message[2 * DAE_TEXT_MAX] = "";
  values(w, number, &m.session.settings);
  m.line = open_memstream(line, size);
  if (!m.line) exit(cli_fail(CLI_STOPPED, "out of memory"));
  begin_line(m.line, number, &w->settings, &m.session.settings);
  cli_fail_into(message, sizeof message);
  int code = solve(&m);
  cli_fail_into(NULL, 0);
  if (code != CLI_OK) write_refusal(&m, message);
  fclose(m.line);
  values_free(&m.session.settings);
  *failed = m.failed;
  return !m.interrupted;
}

/* the next member that is not done, -1 at the end */
static long take_member(sweep *w) {
  const cli_part *p = &w->part;
  while (w->next < p->members && cli_journal_has(&w->journal, w->next)) w->next += p->stride;
  if (w->code != CLI_OK || cli_interrupted() || w->next >= p->members) return -1;
  w->next += p->stride;
  return w->next - p->stride;
}

static void *work(void *argument) {
  sweep *w = argument;
  pthread_mutex_lock(&w->lock);
  for (long number; (number = take_member(w)) >= 0;) {
    char *line = NULL;
    size_t size = 0;
    bool failed;
    pthread_mutex_unlock(&w->lock);
    bool finished = run_member(w, number, &line, &size, &failed);
    pthread_mutex_lock(&w->lock);
    if (finished && w->code == CLI_OK) {
      w->code = cli_journal_add(&w->journal, number, line, size);
      w->failed += failed;
      double fraction = (double)w->journal.n_done / (double)cli_part_count(&w->part);
      cli_progress_members(&w->progress, fraction, w->journal.n_done, w->failed);
    }
    free(line);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void run_all(sweep *w) {
  long jobs = w->settings.jobs > 0 ? w->settings.jobs : sysconf(_SC_NPROCESSORS_ONLN);
  if (jobs > cli_part_count(&w->part)) jobs = cli_part_count(&w->part);
  if (jobs < 1) jobs = 1; /* a part may be empty */
  pthread_t *thread = cli_take((size_t)jobs, sizeof *thread);
  long begun = 0;
  pthread_mutex_init(&w->lock, NULL);
  cli_progress_begin(&w->progress, w->settings.quiet, w->settings.progress);
  while (begun < jobs - 1 && pthread_create(&thread[begun], NULL, work, w) == 0) begun++;
  work(w);
  for (long i = 0; i < begun; i++) pthread_join(thread[i], NULL);
  cli_progress_end(&w->progress);
  pthread_mutex_destroy(&w->lock);
  free(thread);
}

/* the first member that can be opened tells the columns; when there is none the first says why */
static int probe(sweep *w) {
  enum { TRIES = 1000 };
  char first[2 * DAE_TEXT_MAX] = "", other[2 * DAE_TEXT_MAX];
  int code = CLI_USAGE, code_first = CLI_OK;
  for (long i = 0; code != CLI_OK && i < w->part.members && i < TRIES; i++) {
    cli_settings s;
    cli_model m;
    values(w, i, &s);
    cli_fail_into(i ? other : first, sizeof first);
    code = cli_model_open(&m, &s);
    cli_fail_into(NULL, 0);
    if (i == 0) code_first = code;
    int names = code == CLI_OK ? cli_options_names(&s, &m.problem) : CLI_OK;
    cli_measures *measures = NULL;
    if (code == CLI_OK && names == CLI_OK && s.measure)
      names = cli_measures_read(&measures, s.measure, &m);
    if (code == CLI_OK) w->columns = column_names(&m, measures);
    if (code == CLI_OK && m.text) w->equations = cli_checksum_text(dae_model_code(m.text));
    cli_measures_free(measures);
    cli_model_close(&m);
    values_free(&s);
    if (names != CLI_OK) return names;
  }
  if (code == CLI_OK) return CLI_OK;
  return first[0] ? cli_fail(code_first, "%s", first) : code_first;
}

/* of a file: what is made of it belongs to another sweep when it changes */
static uint64_t checksum(const char *file) {
  uint64_t sum = CLI_CHECKSUM_BEGIN;
  char block[4096];
  FILE *in = fopen(file, "rb");
  for (size_t n; in && (n = fread(block, 1, sizeof block, in)) > 0;)
    sum = cli_checksum(sum, block, n);
  if (in) fclose(in);
  return sum;
}

/* all that the numbers depend on, in one line */
static char *make_title(const sweep *w, int argc, char **argv) {
  static const char *const idle[] = {"--jobs", "--output", "--log",   "--shard",
                                     "--plot", "--show",   "--report"};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  fprintf(out, "daedal %s sweep", dae_version());
  for (int i = 0; i < argc; i++) {
    bool skip = strcmp(argv[i], "--progress") == 0 || strcmp(argv[i], "--quiet") == 0;
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++) {
      size_t n = strlen(idle[k]);
      if (strncmp(argv[i], idle[k], n) != 0 || (argv[i][n] && argv[i][n] != '=')) continue;
      skip = true;
      if (!argv[i][n]) i++; /* its value follows */
      break;
    }
    if (!skip) fprintf(out, " %s", argv[i]);
  }
  if (cli_is_text(w->settings.model))
    fprintf(out, " checksum %016llx %016llx", (unsigned long long)checksum(w->settings.model),
            (unsigned long long)w->equations);
  for (int i = 0; i < w->settings.n_input; i++)
    fprintf(out, " %016llx", (unsigned long long)checksum(strchr(w->settings.input[i], '=') + 1));
  for (const char *at = w->settings.external; at && *at;) {
    char path[1024];
    size_t n = strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s", (int)n, at);
    fprintf(out, " %016llx", (unsigned long long)checksum(path));
    at += n + (at[n] == ':');
  }
  if (w->settings.design.kind != CLI_GRID) fprintf(out, " seed %u", w->settings.design.seed);
  fclose(out);
  for (char *c = text; *c; c++)
    if (*c == '\n') *c = ' ';
  return text;
}

static char *make_header(const sweep *w) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  fputs("member", out);
  for (int k = 0; k < w->settings.n_set + w->settings.n_init; k++) {
    const cli_value *v = value_of(&w->settings, k);
    if (v->count == 0) continue;
    fputc(',', out);
    /* an initial value and its variable at the end are two columns */
    char name[DAE_NAME_MAX + 16];
    snprintf(name, sizeof name, k < w->settings.n_set ? "%.60s" : "initial(%.60s)", v->name);
    cli_csv_text(out, name);
  }
  fprintf(out, ",status,time,steps,drift%s,message\n", w->columns);
  fclose(out);
  return text;
}

static int count_ranges(sweep *w, double *members) {
  const cli_design *d = &w->settings.design;
  bool grid = d->kind == CLI_GRID;
  *members = grid ? 1 : (double)d->count;
  for (int k = 0; k < w->settings.n_set + w->settings.n_init; k++) {
    const cli_value *v = value_of(&w->settings, k);
    if (v->count == 0) continue;
    w->ranges++;
    if (grid) *members *= v->count;
    if (grid != (v->count > 0))
      return cli_fail(CLI_USAGE, "the range of %s: %s", v->name,
                      grid ? "a grid needs a count, NAME=FIRST:LAST:COUNT"
                           : "a design takes no count, NAME=FIRST:LAST");
  }
  if (w->ranges == 0)
    return cli_fail(CLI_USAGE, "nothing varies: give --set or --init NAME=FIRST:LAST:COUNT");
  if (d->kind == CLI_SOBOL && w->ranges > CLI_SOBOL_MOST)
    return cli_fail(CLI_USAGE, "a sobol design has at most %d ranges, not %d; lhs has no limit",
                    CLI_SOBOL_MOST, w->ranges);
  return CLI_OK;
}

static int count_members(sweep *w) {
  double members;
  const char *file = w->settings.output;
  int code = count_ranges(w, &members);
  if (code != CLI_OK) return code;
  if (members > 1e8) return cli_fail(CLI_USAGE, "%.3g runs exceed the limit of 1e8", members);
  if (!file || !cli_ends_with(file, ".csv"))
    return cli_fail(CLI_USAGE, "'daedal sweep' needs --output FILE.csv");
  w->part = (cli_part){.members = (long)members, .stride = 1};
  if (w->settings.shards == 0) return CLI_OK;
  w->part.first = w->settings.shard - 1;
  w->part.stride = w->settings.shards;
  return CLI_OK;
}

/* the journal is that of this part, and has the header of the table */
static int open_journal(sweep *w) {
  const cli_settings *s = &w->settings;
  size_t size = strlen(w->title) + strlen(w->header) + 100;
  char *text = cli_take(size, 1), shard[64] = "";
  if (s->shards) snprintf(shard, sizeof shard, " shard %d/%d", s->shard, s->shards);
  snprintf(text, size, "# %s journal 3%s\n%s", w->title, shard, w->header);
  int code = cli_journal_open(&w->journal, s->output, text, &w->part);
  w->next = w->part.first;
  free(text);
  return code;
}

static int conclude(sweep *w, long before, double seconds) {
  const cli_settings *s = &w->settings;
  long all = cli_part_count(&w->part);
  if (w->code != CLI_OK) return w->code;
  if (w->journal.n_done < all)
    return cli_fail(
        CLI_STOPPED,
        "interrupted: %ld of %ld runs are in %s; run the same command again to continue",
        w->journal.n_done, all, w->journal.path);
  char *shard = s->shards ? cli_shard_title(w->title, s->shard, s->shards, w->part.members) : NULL;
  int code = cli_journal_finish(&w->journal, s->output, w->header, shard);
  free(shard);
  if (code == CLI_OK && s->report) code = cli_sweep_report(s, w->ranges, all, member_again, w);
  if (code != CLI_OK || s->quiet) return code;
  printf("%ld runs in %s", all, s->output);
  if (s->report) printf(", page %s", s->report);
  if (before > 0) printf(", %ld of them from before", before);
  printf("; %ld failed now; %.3g s\n", w->failed, seconds);
  return CLI_OK;
}

/* a part that is there and whole need not be computed again; one that was cut off or belongs to
   another sweep is */
static bool finished_before(const sweep *w) {
  const cli_settings *s = &w->settings;
  if (!s->shards) return false;
  char *title = cli_shard_title(w->title, s->shard, s->shards, w->part.members);
  bool whole = cli_shard_whole(s->output, title, w->header);
  free(title);
  if (whole && !s->quiet)
    printf("%ld runs in %s, all of them from before\n", cli_part_count(&w->part), s->output);
  return whole;
}

/* --plot: what --show asks for, else the measures, else the first variables */
static int draw(const sweep *w) {
  const cli_settings *s = &w->settings;
  char *measures = NULL;
  if (!s->plot) return CLI_OK;
  if (!s->show && s->measure) measures = cli_measures_show(s->measure);
  int code = cli_plot_sweep(s->output, s->show ? s->show : measures, s->plot);
  free(measures);
  return code;
}

static int check_plot(const sweep *w) {
  const cli_settings *s = &w->settings;
  if (s->show && !s->plot)
    return cli_fail(CLI_USAGE, "option --show: nothing is drawn; add --plot FILE");
  if (!s->plot) return CLI_OK;
  if (s->shards)
    return cli_fail(CLI_USAGE, "a part of a sweep has no picture: 'daedal merge' the parts, then "
                               "'daedal plot' the table");
  if (w->ranges > 2)
    return cli_fail(CLI_USAGE, "option --plot: %d ranges; a picture has one or two", w->ranges);
  return CLI_OK;
}

int cli_sweep(int argc, char **argv) {
  if (cli_mpi_asked(argc, argv)) return cli_mpi(argc, argv);
  sweep w = {.journal = {.handle = -1}};
  int code = cli_options_read(&w.settings, "sweep", CLI_FOR_SWEEP, argc, argv);
  if (code == CLI_OK) code = count_members(&w);
  if (code == CLI_OK) code = check_plot(&w);
  if (code == CLI_OK) code = probe(&w);
  if (code == CLI_OK) {
    w.title = make_title(&w, argc, argv);
    w.header = make_header(&w);
  }
  bool more = code == CLI_OK && !finished_before(&w);
  if (code == CLI_OK && !more && w.settings.report)
    code = cli_sweep_report(&w.settings, w.ranges, cli_part_count(&w.part), member_again, &w);
  if (more) code = open_journal(&w);
  if (more && code == CLI_OK) {
    long before = w.journal.n_done;
    double begun = cli_clock();
    cli_signals_poll(true);
    run_all(&w);
    code = conclude(&w, before, cli_clock() - begun);
    if (code == CLI_OK) code = draw(&w);
  }
  cli_journal_close(&w.journal);
  free(w.title);
  free(w.header);
  free(w.columns);
  cli_options_free(&w.settings);
  return code;
}
