/* boundary value problems of daedal run: solve, then walk over the mesh as if it were a run */
#include "record.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
  cli_session *session;
  dae_solution *solution;
  dae_problem equations; /* the problem without its conditions */
  dae_solver *levels;    /* for the residuals of all levels at a point */
  dae_report report;
  double *z, *y, *dz;
  double *column;
  double *z_start, *y_start; /* the point where the solution begins */
} walk;

static int refuse(const cli_session *s) {
  const cli_settings *a = &s->settings;
  if (a->has_start || a->has_stop)
    return cli_fail(
        CLI_USAGE,
        "the interval of %s belongs to its boundary conditions: --start and --stop do not apply",
        s->model.name);
  if (a->options.step > 0)
    return cli_fail(CLI_USAGE,
                    "%s is a boundary value problem: use --mesh N --fixed-mesh instead of --step",
                    s->model.name);
  if (a->n_init > 0)
    return cli_fail(CLI_USAGE, "%s is a boundary value problem: it has no initial values",
                    s->model.name);
  return CLI_OK;
}

static void drift_at(walk *w, double t, double *drift) {
  const cli_model *m = &w->session->model;
  for (int i = 0; i < DAE_ORDER_MAX; i++) drift[i] = 0;
  if (w->levels && m->first_level < m->order) dae_solver_drift(w->levels, t, w->z, drift);
}

/* the columns at a point of the solution */
static bool columns_inside(void *of, double t, double *column) {
  walk *w = of;
  if (dae_solution_eval(w->solution, t, w->z, w->y, NULL) != DAE_OK) return false;
  cli_model_columns(&w->session->model, t, w->z, w->y, column);
  return true;
}

/* the plot has points between those of the mesh; the first point has no interval before it */
static void record_interval(walk *w, double from, double to, const double *drift) {
  cli_record *r = w->session->record;
  if (from < to) {
    cli_record_piece(r, &(cli_piece){columns_inside, w, from, to}, 8, NULL);
  } else if (columns_inside(w, to, w->column)) {
    cli_record_point(r, to, w->column, NULL);
  }
  cli_record_step(r, to, to - from, drift);
}

static void report_interval(walk *w, double from, double to, const double *drift) {
  cli_report *page = w->session->report;
  cli_piece piece = {columns_inside, w, from, to};
  for (int k = from < to ? 1 : 8; k <= 8 && page->spacing > 0; k++) {
    double t = k < 8 ? from + (to - from) * k / 8 : to;
    if (dae_solution_eval(w->solution, t, w->z, w->y, NULL) == DAE_OK)
      cli_report_point(page, t, w->z, w->y, from < to ? &piece : NULL);
  }
  if (from < to) cli_report_step(page, to, to - from, drift);
}

static void measure_mesh(walk *w) {
  cli_measures *m = w->session->measures;
  int intervals;
  const double *t = dae_solution_mesh(w->solution, &intervals);
  dae_solution_eval(w->solution, t[0], w->z, w->y, NULL);
  cli_measures_start(m, t[0], w->z, w->y);
  for (int i = 0; i < intervals; i++)
    cli_measures_step(m, &(cli_piece){columns_inside, w, t[i], t[i + 1]});
  dae_solution_eval(w->solution, t[intervals], w->z, w->y, NULL);
  cli_measures_point(m, t[intervals], w->z, w->y);
}

/* errors, drift and the picture at the mesh points */
static void walk_mesh(walk *w) {
  cli_session *s = w->session;
  dae_stats *a = &s->result.stats;
  double drift[DAE_ORDER_MAX];
  const double *t = dae_solution_mesh(w->solution, &s->result.mesh);
  a->h_min = t[s->result.mesh] - t[0];
  for (int i = 0; i <= s->result.mesh; i++) {
    dae_solution_eval(w->solution, t[i], w->z, w->y, NULL);
    cli_error_at(&s->error, &s->model, t[i], w->z, w->y);
    drift_at(w, t[i], drift);
    for (int l = 0; l < DAE_ORDER_MAX; l++) a->drift_max[l] = fmax(a->drift_max[l], drift[l]);
    memcpy(a->drift_last, drift, sizeof drift);
    if (i > 0) {
      a->h_min = fmin(a->h_min, t[i] - t[i - 1]);
      a->h_max = fmax(a->h_max, t[i] - t[i - 1]);
    }
    if (s->record) record_interval(w, i > 0 ? t[i - 1] : t[0], t[i], drift);
    if (s->report) report_interval(w, i > 0 ? t[i - 1] : t[0], t[i], drift);
  }
}

/* the mesh points, or those of the grid */
static void write_points(walk *w) {
  cli_session *s = w->session;
  const double *mesh = dae_solution_mesh(w->solution, NULL);
  double drift[DAE_ORDER_MAX];
  long last = s->spacing > 0 ? s->grid_last : s->result.mesh;
  for (long i = 0; s->grid && i <= last; i++) {
    double t = s->spacing > 0 ? cli_session_time(s, i) : mesh[i];
    if (dae_solution_eval(w->solution, t, w->z, w->y, NULL) != DAE_OK) continue;
    drift_at(w, t, drift);
    if (cli_session_point(s, t, w->z, w->y, drift) != DAE_OK) return;
  }
}

static void take_result(walk *w) {
  cli_result *a = &w->session->result;
  const dae_bvp_stats *b = dae_solution_stats(w->solution);
  a->started = true;
  a->solution = w->solution;
  a->method = dae_solution_method(w->solution);
  a->form = dae_solution_form(w->solution);
  a->reached = a->t1;
  walk_mesh(w);
  if (w->session->measures) measure_mesh(w);
  write_points(w);
  dae_solution_eval(w->solution, a->t0, w->z_start, w->y_start, NULL);
  a->z_start = w->z_start;
  a->y_start = w->y_start;
  dae_solution_eval(w->solution, a->t1, w->z, w->y, w->dz);
  a->stats.audit = b->audit;
  a->stats.steps = a->mesh;
  a->stats.newton = b->newton;
  a->stats.factorizations = b->factorizations;
  a->stats.solves = b->solves;
  a->stats.evaluations = b->evaluations + b->jacobians;
  a->stats.jacobians = b->jacobians;
}

/* what the solver tells of its meshes is shown while it works */
static void show_progress(dae_log_level level, const char *text, void *ctx) {
  (void)level;
  cli_progress_words(ctx, -1, text);
}

static int solve(walk *w) {
  cli_session *s = w->session;
  cli_progress progress;
  dae_options options = s->settings.options;
  cli_progress_begin(&progress, s->settings.quiet, s->settings.progress);
  if (progress.on && !options.log.line)
    options.log = (dae_log){.line = show_progress, .ctx = &progress, .level = DAE_LOG_DEBUG};
  dae_options o = dae_options_default();
  w->equations = s->model.problem;
  w->equations.boundary = NULL;
  if (dae_solver_new(&w->levels, &w->equations, &o, NULL) != DAE_OK) w->levels = NULL;
  double begun = cli_clock();
  dae_status status = dae_bvp_solve(&s->model.problem, &options, NULL, &w->solution, &w->report);
  cli_progress_end(&progress);
  s->result.seconds = cli_clock() - begun;
  bool usage = status == DAE_E_INPUT || status == DAE_E_FORM;
  if (usage && !w->solution) return cli_session_refuse(status, &w->report);
  if (status != DAE_OK) cli_session_report(s, status, &w->report);
  if (w->solution) take_result(w);
  return CLI_OK;
}

int cli_bvp(cli_session *s) {
  walk w = {.session = s};
  size_t nz = (size_t)s->model.nz, ny = (size_t)s->model.ny;
  w.z = cli_take(nz, sizeof(double));
  w.y = cli_take(ny, sizeof(double));
  w.z_start = cli_take(nz, sizeof(double));
  w.y_start = cli_take(ny, sizeof(double));
  w.dz = cli_take(nz, sizeof(double));
  w.column = cli_take((size_t)s->model.n_column, sizeof(double));
  s->result.method = s->settings.options.method;
  s->result.form = s->settings.options.form;
  s->result.stabilize = "none";
  s->result.z = w.z;
  s->result.y = w.y;
  s->result.dz = w.dz;
  int code = refuse(s);
  if (code == CLI_OK) code = solve(&w);
  if (code == CLI_OK) cli_session_check(s);
  if (code == CLI_OK) code = s->finish(s);
  dae_solver_free(w.levels);
  dae_solution_free(w.solution);
  free(w.z);
  free(w.y);
  free(w.dz);
  free(w.column);
  free(w.z_start);
  free(w.y_start);
  return code;
}
