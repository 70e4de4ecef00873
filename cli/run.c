/* daedal run: solve a problem, write the solution, say what happened */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* the one thing a signal may touch */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

/* everything one run holds */
typedef struct run {
  cli_settings settings;
  cli_model model;
  dae_solver *solver;
  dae_report report; /* of a failure before there is a solver */
  cli_table table;
  bool writing;   /* there is an output file */
  bool grid;      /* output points were asked for */
  double spacing; /* of the grid; 0: the accepted steps */
  long grid_next, grid_last;
  cli_record *record;
  cli_error error;
  cli_progress progress;
  cli_result result;
  double *z, *y; /* a point of dense output */
} run;

static void output_point(run *r, double t, const double *z, const double *y) {
  double drift[DAE_ORDER_MAX] = {0};
  if (r->writing) cli_table_row(&r->table, t, z, y);
  r->result.output_points++;
  if (dae_solver_drift(r->solver, t, z, drift) != DAE_OK) return;
  for (int i = r->model.first_level; i < r->model.order; i++)
    if (!(drift[i] <= r->result.output_drift[i])) r->result.output_drift[i] = drift[i];
}

static double grid_time(const run *r, long i) {
  return i >= r->grid_last ? r->result.t1 : r->result.t0 + (double)i * r->spacing;
}

/* a point within the last step; its multipliers satisfy the equations there */
static dae_status output_at(run *r, double t) {
  dae_status status = dae_solver_eval(r->solver, t, r->z, r->y);
  if (status == DAE_OK) output_point(r, t, r->z, r->y);
  return status;
}

/* all output points within the step that ends now */
static dae_status output_step(run *r) {
  double now = dae_solver_time(r->solver);
  dae_status status = DAE_OK;
  if (!r->grid) return DAE_OK;
  if (r->spacing == 0) return output_at(r, now);
  for (; r->grid_next <= r->grid_last && grid_time(r, r->grid_next) <= now; r->grid_next++) {
    status = output_at(r, grid_time(r, r->grid_next));
    if (status != DAE_OK) break;
  }
  return status;
}

/* the plot wants a point for each bin of its axis, also within a long step */
static void record_step(run *r) {
  cli_record *rec = r->record;
  double now = dae_solver_time(r->solver), before = dae_solver_previous_time(r->solver);
  double bin = rec->span / CLI_BINS, drift[DAE_ORDER_MAX] = {0};
  int parts = (int)fmin((now - before) / bin, CLI_BINS) + 1;
  for (int i = 1; i < parts; i++) {
    double t = before + (now - before) * i / parts;
    if (dae_solver_eval(r->solver, t, r->z, NULL) == DAE_OK) cli_record_point(rec, t, r->z);
  }
  cli_record_point(rec, now, dae_solver_z(r->solver));
  dae_solver_drift(r->solver, now, dae_solver_z(r->solver), drift);
  cli_record_step(rec, now, now - before, drift);
}

static dae_status after_step(run *r) {
  double now = dae_solver_time(r->solver);
  cli_error_at(&r->error, &r->model, now, dae_solver_z(r->solver), dae_solver_y(r->solver));
  cli_error_reference(&r->error, &r->model, r->solver, dae_solver_previous_time(r->solver), now);
  if (r->record) record_step(r);
  cli_progress_at(&r->progress, (now - r->result.t0) / (r->result.t1 - r->result.t0), now,
                  dae_solver_stats(r->solver)->steps);
  return output_step(r);
}

static void stop_with(run *r, dae_status status, const char *text, const char *message,
                      const char *advice) {
  r->result.status = status;
  r->result.status_text = text;
  r->result.message = message;
  r->result.advice = advice;
}

static void stop_as_reported(run *r, dae_status status) {
  const dae_report *report = r->solver ? dae_solver_report(r->solver) : &r->report;
  const char *message = report->message[0] ? report->message : dae_status_meaning(status);
  const char *advice = report->advice[0] ? report->advice : dae_status_advice(status);
  r->result.report = report;
  stop_with(r, status, dae_status_name(status), message, advice);
}

/* step by step, so that output and plot see every accepted point */
static void advance(run *r) {
  double stop = r->result.t1;
  long limit = r->settings.options.max_steps, steps = 0;
  while (dae_solver_time(r->solver) < stop) {
    if (interrupted) {
      stop_with(r, DAE_STOPPED, "interrupted", "The run was interrupted.", "");
      return;
    }
    if (steps++ >= limit) {
      stop_with(r, DAE_E_LIMIT, dae_status_name(DAE_E_LIMIT), dae_status_meaning(DAE_E_LIMIT),
                dae_status_advice(DAE_E_LIMIT));
      return;
    }
    double before = dae_solver_time(r->solver), begun = cli_clock();
    dae_status status = dae_solver_step(r->solver, stop);
    r->result.seconds += cli_clock() - begun;
    dae_status written = DAE_OK;
    if (status >= 0 && dae_solver_time(r->solver) > before) written = after_step(r);
    if (status == DAE_OK) status = written;
    if (status != DAE_OK) {
      stop_as_reported(r, status);
      return;
    }
  }
}

/* the grid of the output: as asked, else the steps of a fixed step size, else 500 intervals */
static int choose_grid(run *r) {
  const cli_settings *s = &r->settings;
  double length = r->result.t1 - r->result.t0, intervals = 500;
  double size = fmax(fabs(r->result.t0), fabs(r->result.t1));
  if (s->options.step > 0 && s->options.step < 1e-15 * size)
    return cli_fail(CLI_USAGE, "option --step: %g is below rounding at t = %g", s->options.step,
                    size);
  r->grid = s->output || s->every > 0 || s->points > 0 || s->steps;
  if (s->steps || (s->options.step > 0 && s->every == 0 && s->points == 0)) return CLI_OK;
  if (s->every > 0) intervals = ceil(length / s->every * (1 - 1e-14));
  if (s->points > 0) intervals = s->points - 1;
  if (intervals > 1e9)
    return cli_fail(CLI_USAGE, "%.3g output points are more than 1e9", intervals);
  r->grid_last = (long)intervals;
  r->spacing = s->every > 0 ? s->every : length / intervals;
  return CLI_OK;
}

/* what --init asked for and the start did not keep; the name of the worst, or NULL */
static const char *moved_variable(const run *r, double *asked, double *got) {
  const cli_settings *s = &r->settings;
  const char *worst = NULL;
  double most = 1e-3;
  for (int k = 0; k < s->n_init; k++) {
    for (int i = 0; s->init[k].held && i < r->model.nz; i++) {
      if (strcmp(r->model.z_name[i], s->init[k].name) != 0) continue;
      double moved = fabs(r->z[i] - s->init[k].value) / (1 + fabs(s->init[k].value));
      if (!(moved > most)) continue;
      most = moved;
      worst = s->init[k].name;
      *asked = s->init[k].value;
      *got = r->z[i];
    }
  }
  return worst;
}

static dae_status start_once(run *r, const unsigned char *fixed) {
  cli_model *m = &r->model;
  m->problem.fixed = fixed;
  memcpy(r->z, m->z0, (size_t)m->nz * sizeof(double));
  memcpy(r->y, m->y0, (size_t)m->ny * sizeof(double));
  dae_solver_free(r->solver);
  dae_status status = dae_solver_new(&r->solver, &m->problem, &r->settings.options, &r->report);
  if (status != DAE_OK) return status;
  double begun = cli_clock();
  status = dae_solver_start(r->solver, r->result.t0, r->z, r->y);
  r->result.seconds = cli_clock() - begun;
  return status;
}

/*
 * The consistent start keeps the values of --init. When typed digits make that impossible they
 * may be rounded (moved by less than 1e-3); values that contradict the constraints are refused.
 */
static dae_status start(run *r) {
  static char message[DAE_TEXT_MAX];
  double asked = 0, got = 0;
  dae_status status = start_once(r, r->model.held);
  if (status == DAE_OK || !r->solver || r->settings.n_init == 0) return status;
  if (memcmp(r->model.held, r->model.fixed, (size_t)r->model.nz) == 0) return status;
  if (start_once(r, r->model.fixed) != DAE_OK) return start_once(r, r->model.held);
  const char *name = moved_variable(r, &asked, &got);
  if (!name) return DAE_OK;
  stop_with(r, DAE_E_INCONSISTENT, dae_status_name(DAE_E_INCONSISTENT), message,
            "Give values that satisfy the constraints, or --guess for values that may move.");
  snprintf(message, sizeof message,
           "--init %s=%g contradicts the constraints: the nearest consistent point has %s = %.6g.",
           name, asked, name, got);
  return DAE_E_INCONSISTENT;
}

/* options that the library refuses are usage errors; everything later is a run that stopped */
static int refuse_options(const run *r, dae_status status) {
  char text[2 * DAE_TEXT_MAX];
  const char *message = r->report.message[0] ? r->report.message : dae_status_meaning(status);
  return cli_fail(status == DAE_E_MEMORY ? CLI_STOPPED : CLI_USAGE, "%s",
                  cli_sentence(status, message, r->report.advice, text, sizeof text));
}

static int solve(run *r) {
  dae_status status = start(r);
  if (!r->solver) return refuse_options(r, status);
  r->result.report = dae_solver_report(r->solver);
  if (status != DAE_OK) {
    if (!r->result.message) stop_as_reported(r, status);
    return CLI_OK;
  }
  r->result.started = true;
  r->result.moved = dae_solver_report(r->solver)->moved;
  const double *z = dae_solver_z(r->solver), *y = dae_solver_y(r->solver);
  cli_error_at(&r->error, &r->model, r->result.t0, z, y);
  if (r->grid) output_point(r, r->result.t0, z, y);
  r->grid_next = 1;
  if (r->record) {
    double drift[DAE_ORDER_MAX] = {0};
    cli_record_point(r->record, r->result.t0, z);
    dae_solver_drift(r->solver, r->result.t0, z, drift);
    cli_record_step(r->record, r->result.t0, 0, drift);
  }
  cli_progress_begin(&r->progress, &r->settings);
  advance(r);
  cli_progress_end(&r->progress);
  /* where a run stopped early is a point of its output too */
  bool between = r->grid && r->spacing > 0 && r->result.status != DAE_OK;
  if (between && dae_solver_time(r->solver) > grid_time(r, r->grid_next - 1))
    output_at(r, dae_solver_time(r->solver));
  return CLI_OK;
}

/* the state of the solver when the run is over */
static void take_result(run *r) {
  cli_result *a = &r->result;
  a->method = dae_solver_method(r->solver);
  a->form = dae_solver_form(r->solver);
  a->stabilize = dae_solver_stabilize(r->solver);
  a->reached = dae_solver_time(r->solver);
  a->z = dae_solver_z(r->solver);
  a->y = dae_solver_y(r->solver);
  a->dz = dae_solver_dz(r->solver);
  a->stats = *dae_solver_stats(r->solver);
}

/* files first, so that the summary tells what is there; a failed file never hides it */
static int finish(run *r) {
  char text[2 * DAE_TEXT_MAX];
  const cli_settings *s = &r->settings;
  int code = r->result.status == DAE_OK ? CLI_OK : CLI_STOPPED;
  take_result(r);
  bool computed = r->result.started;
  if (r->writing) {
    if (!computed)
      cli_table_abandon(&r->table);
    else if (cli_table_commit(&r->table) != CLI_OK)
      code = CLI_FILE;
    else
      r->result.output = s->output;
  }
  if (r->record && computed) {
    if (cli_caption_plot(r->record, &r->result, s->plot) != CLI_OK)
      code = CLI_FILE;
    else
      r->result.plot = s->plot;
  }
  bool data_on_stdout = s->output && strcmp(s->output, "-") == 0;
  if (s->json)
    cli_summary_json(stdout, &r->result);
  else if (!s->quiet)
    cli_summary_text(data_on_stdout ? stderr : stdout, &r->result);
  if (r->result.status != DAE_OK)
    cli_fail(
        code, "%s: %s", r->result.status_text,
        cli_sentence(r->result.status, r->result.message, r->result.advice, text, sizeof text));
  return code;
}

static int open_files(run *r) {
  int code = choose_grid(r);
  if (code != CLI_OK) return code;
  if (r->settings.output) {
    code = cli_table_open(&r->table, r->settings.output, &r->model);
    if (code != CLI_OK) return code;
    r->writing = true;
  }
  if (r->settings.plot) {
    /* a place that cannot be written is told before the run, not after it */
    cli_file probe;
    code = cli_file_open(&probe, r->settings.plot);
    if (code != CLI_OK) return code;
    cli_file_abandon(&probe);
    r->record = cli_record_new(&r->model, r->result.t0, r->result.t1);
  }
  return CLI_OK;
}

int cli_run(int argc, char **argv) {
  run r = {0};
  int code = cli_options_read(&r.settings, "run", CLI_FOR_RUN, argc, argv);
  if (code == CLI_OK) code = cli_model_open(&r.model, &r.settings);
  if (code == CLI_OK) code = cli_options_names(&r.settings, &r.model.problem);
  if (code == CLI_OK && r.model.problem.boundary)
    code = cli_fail(CLI_USAGE, "%s is a boundary value problem, which this version does not solve",
                    r.model.name);
  if (code == CLI_OK) {
    r.result = (cli_result){.model = &r.model,
                            .settings = &r.settings,
                            .error = &r.error,
                            .status_text = dae_status_name(DAE_OK),
                            .t0 = r.model.problem.t0,
                            .t1 = r.model.problem.t1};
    r.z = cli_take((size_t)r.model.nz, sizeof(double));
    r.y = cli_take((size_t)r.model.ny, sizeof(double));
    cli_error_new(&r.error, &r.model);
    code = open_files(&r);
  }
  if (code == CLI_OK) {
    signal(SIGINT, on_interrupt);
    code = solve(&r);
    if (code == CLI_OK) code = finish(&r);
  }
  cli_table_abandon(&r.table);
  dae_solver_free(r.solver);
  cli_record_free(r.record);
  cli_error_free(&r.error);
  free(r.z);
  free(r.y);
  cli_model_close(&r.model);
  cli_options_free(&r.settings);
  return code;
}
