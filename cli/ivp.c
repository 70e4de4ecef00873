/* initial value problems: a consistent start, then step by step */
#include "record.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a run and its solver */
typedef struct ivp {
  cli_session *s;
  dae_solver *solver;
  dae_report report; /* of a failure before there is a solver */
  double *z, *y;     /* a point of dense output */
  double *column;    /* and the columns at the end of a step */
  cli_progress progress;
  cli_ivp_state at;
  int code; /* of a checkpoint that could not be written */
} ivp;

static dae_status output_point(ivp *v, double t, const double *z, const double *y) {
  double drift[DAE_ORDER_MAX] = {0};
  dae_status status = dae_solver_drift(v->solver, t, z, drift);
  v->at.written = t;
  return cli_session_point(v->s, t, z, y, status == DAE_OK ? drift : NULL);
}

/* a point within the last step; its multipliers satisfy the equations there */
static dae_status output_at(ivp *v, double t) {
  dae_status status = dae_solver_eval(v->solver, t, v->z, v->y);
  return status == DAE_OK ? output_point(v, t, v->z, v->y) : status;
}

/* is t at or before the time that the run has reached? */
static bool reached(const ivp *v, double t) {
  double now = dae_solver_time(v->solver);
  return v->s->result.t1 < v->s->result.t0 ? t >= now : t <= now;
}

/* all output points within the step that ends now; the stop time waits for what happens there */
static dae_status output_step(ivp *v) {
  cli_session *s = v->s;
  double now = dae_solver_time(v->solver), stop = s->result.t1;
  dae_status status = DAE_OK;
  if (!s->grid) return DAE_OK;
  if (now == stop) v->at.written = NAN;
  if (s->spacing == 0) return now == stop ? DAE_OK : output_at(v, now);
  for (; s->grid_next < s->grid_last && reached(v, cli_session_time(s, s->grid_next));
       s->grid_next++) {
    status = output_at(v, cli_session_time(s, s->grid_next));
    if (status != DAE_OK) break;
  }
  return status;
}

/* the columns at a point of dense output */
static bool columns_inside(void *of, double t, double *column) {
  ivp *v = of;
  if (dae_solver_eval(v->solver, t, v->z, v->y) != DAE_OK) return false;
  cli_model_columns(&v->s->model, t, v->z, v->y, column);
  return true;
}

/* how much roundings change the constraints: all numbers are moved a little, up or down */
static void note_rounding(ivp *v, double t) {
  const cli_model *m = &v->s->model;
  double span = v->s->result.t1 - v->s->result.t0;
  const double *z = dae_solver_z(v->solver), small = 1e-9;
  double drift[DAE_ORDER_MAX] = {0};
  unsigned sign = 1;
  if (m->first_level >= m->order || fabs(t - v->at.rounding_time) < fabs(span) / 40) return;
  v->at.rounding_time = t;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < m->nz; i++) {
      sign = sign * 1664525u + 1013904223u;
      v->z[i] = z[i] * (1 + (sign >> 31 ? small : -small));
    }
    if (dae_solver_drift(v->solver, t, v->z, drift) != DAE_OK) return;
    for (int i = m->first_level; i < m->order; i++) {
      double size = drift[i] * (2.2e-16 / small);
      if (v->s->record) v->s->record->rounding[i] = fmax(v->s->record->rounding[i], size);
      if (v->s->report) v->s->report->rounding[i] = fmax(v->s->report->rounding[i], size);
    }
  }
}

/* the plot wants a point for each bin of its axis, also within a long step; and some in every step
   while there are not too many. In large problems every point costs as much as a part of a step */
static void record_step(ivp *v, const cli_piece *piece) {
  enum { FEW = 6, MANY = 4000, LARGE = 2000, LARGE_PARTS = 6 };
  cli_record *rec = v->s->record;
  double now = piece->to, bin = rec->span / CLI_BINS, drift[DAE_ORDER_MAX] = {0};
  const double *z = dae_solver_z(v->solver), *y = dae_solver_y(v->solver);
  int parts = (int)fmin(fabs(now - piece->from) / bin, CLI_BINS) + 1;
  if (v->s->model.nz > LARGE) parts = parts < LARGE_PARTS ? parts : LARGE_PARTS;
  else if (rec->steps < MANY && parts < FEW) parts = FEW;
  cli_model_columns(&v->s->model, now, z, y, v->column);
  cli_record_piece(rec, piece, parts, v->column);
  dae_solver_drift(v->solver, now, z, drift);
  cli_record_step(rec, now, now - piece->from, drift);
}

/* points of the page's own, closer than pixels, and those at the ends of the steps */
static void report_step(ivp *v, const cli_piece *piece) {
  cli_report *page = v->s->report;
  double now = piece->to, before = piece->from, drift[DAE_ORDER_MAX] = {0};
  if (page->spacing > 0) {
    int parts = (int)fmin(fabs(now - before) / page->spacing, 2000) + 1;
    for (int i = 1; i <= parts; i++) {
      double t = i < parts ? before + (now - before) * i / parts : now;
      if (dae_solver_eval(v->solver, t, v->z, v->y) == DAE_OK)
        cli_report_point(page, t, v->z, v->y, piece);
    }
  }
  dae_solver_drift(v->solver, now, dae_solver_z(v->solver), drift);
  cli_report_step(page, now, now - before, drift);
}

static dae_status after_step(ivp *v) {
  cli_session *s = v->s;
  double now = dae_solver_time(v->solver), before = dae_solver_previous_time(v->solver);
  if (s->error.known)
    cli_error_at(&s->error, &s->model, now, dae_solver_z(v->solver), dae_solver_y(v->solver));
  cli_error_reference(&s->error, &s->model, v->solver, before, now);
  cli_piece piece = {columns_inside, v, before, now};
  if (s->record) record_step(v, &piece);
  if (s->report) report_step(v, &piece);
  if (s->record || s->report) note_rounding(v, now);
  if (s->measures) {
    cli_measures_step(s->measures, &piece);
    cli_measures_point(s->measures, now, dae_solver_z(v->solver), dae_solver_y(v->solver));
  }
  cli_progress_at(&v->progress, (now - s->result.t0) / (s->result.t1 - s->result.t0), now,
                  dae_solver_stats(v->solver)->steps);
  return output_step(v);
}

/* the end, at the stop or where the model terminates: what happens there, then the last point of
   the output */
static void finish(ivp *v) {
  cli_session *s = v->s;
  dae_status status = dae_solver_finish(v->solver);
  double now = dae_solver_time(v->solver);
  if (status != DAE_OK) cli_session_report(s, status, dae_solver_report(v->solver));
  if (s->record) {
    cli_model_columns(&s->model, now, dae_solver_z(v->solver), dae_solver_y(v->solver), v->column);
    cli_record_point(s->record, now, v->column, NULL);
  }
  if (s->report && s->report->spacing > 0)
    cli_report_point(s->report, now, dae_solver_z(v->solver), dae_solver_y(v->solver), NULL);
  if (s->grid) output_point(v, now, dae_solver_z(v->solver), dae_solver_y(v->solver));
}

/* the run goes on without checkpoints where one cannot be written, and is not ok in the end */
static void checkpoint(ivp *v) {
  if (!v->s->settings.checkpoint || v->code != CLI_OK) return;
  v->code = cli_checkpoint_write(v->s, &v->at, v->solver);
}

/* step by step, so that output and plot see every accepted point */
static void advance(ivp *v) {
  cli_session *s = v->s;
  double stop = s->result.t1;
  long limit = s->settings.options.max_steps, steps = 0;
  while (!reached(v, stop)) {
    if (cli_interrupted()) {
      checkpoint(v);
      cli_session_stop(s, DAE_STOPPED, "interrupted", "The run was interrupted.", "");
      return;
    }
    if (steps++ >= limit) {
      cli_session_stop(s, DAE_E_LIMIT, NULL, dae_status_meaning(DAE_E_LIMIT),
                       dae_status_advice(DAE_E_LIMIT));
      return;
    }
    double before = dae_solver_time(v->solver), begun = cli_clock();
    dae_status status = dae_solver_step(v->solver, stop);
    s->result.seconds += cli_clock() - begun;
    dae_status written = DAE_OK;
    /* a point that the audit or an event refuses ends a step that has output points before it */
    bool refused = status == DAE_E_CALLBACK || status == DAE_E_AUDIT || status == DAE_E_ASSERT ||
                   status == DAE_E_JUMP;
    if ((status >= 0 || refused) && dae_solver_time(v->solver) != before) written = after_step(v);
    if (status == DAE_OK) status = written;
    if (status != DAE_OK) {
      if (s->result.status == DAE_OK) cli_session_report(s, status, dae_solver_report(v->solver));
      if (cli_result_ok(&s->result)) finish(v);
      return;
    }
    if (cli_checkpoint_due(s)) checkpoint(v);
  }
  /* before what happens at the end: a run with a later stop goes on from here */
  checkpoint(v);
  finish(v);
}

/* a model in text may know better why a run ended: its equations lose rank at that point */
static void blame_model(ivp *v) {
  cli_session *s = v->s;
  if (!s->model.text || s->result.status == DAE_OK || s->result.status == DAE_STOPPED ||
      s->result.status == DAE_EVENT)
    return;
  if (s->result.status == DAE_E_CALLBACK &&
      dae_model_failed_call(s->model.text, s->text, sizeof s->text))
    cli_session_stop(s, s->result.status, NULL, s->text, "Check the C function near this value.");
  else if (dae_model_singular(s->model.text, dae_solver_time(v->solver), dae_solver_z(v->solver),
                              s->text, sizeof s->text))
    cli_session_stop(s, s->result.status, NULL, s->text,
                     "Stop before it, or write the model so that another equation takes over.");
}

/* what --init asked for and the start did not keep; the name of the worst, or NULL */
static const char *moved_variable(const ivp *v, double *asked, double *got) {
  const cli_settings *s = &v->s->settings;
  const cli_model *m = &v->s->model;
  const char *worst = NULL;
  double most = 1e-3;
  for (int k = 0; k < s->n_init; k++) {
    for (int i = 0; s->init[k].held && i < m->nz; i++) {
      if (strcmp(m->z_name[i], s->init[k].name) != 0) continue;
      double moved = fabs(v->z[i] - s->init[k].value) / (1 + fabs(s->init[k].value));
      if (!(moved > most)) continue;
      most = moved;
      worst = s->init[k].name;
      *asked = s->init[k].value;
      *got = v->z[i];
    }
  }
  return worst;
}

static dae_status start_once(ivp *v, const unsigned char *fixed) {
  cli_model *m = &v->s->model;
  m->problem.fixed = fixed;
  v->at.held = fixed == m->held;
  memcpy(v->z, m->z0, (size_t)m->nz * sizeof(double));
  memcpy(v->y, m->y0, (size_t)m->ny * sizeof(double));
  dae_solver_free(v->solver);
  dae_status status = dae_solver_new(&v->solver, &m->problem, &v->s->settings.options, &v->report);
  if (status != DAE_OK) return status;
  double begun = cli_clock();
  status = dae_solver_start(v->solver, v->s->result.t0, v->z, v->y);
  v->s->result.seconds = cli_clock() - begun;
  return status;
}

/*
 * The consistent start keeps the values of --init. When typed digits make that impossible they
 * may be rounded (moved by less than 1e-3); values that contradict the constraints are refused.
 */
static dae_status start(ivp *v) {
  cli_session *s = v->s;
  const cli_model *m = &s->model;
  double asked = 0, got = 0;
  dae_status status = start_once(v, m->held);
  if (status == DAE_OK || !v->solver || s->settings.n_init == 0) return status;
  if (memcmp(m->held, m->fixed, (size_t)m->nz) == 0) return status;
  if (start_once(v, m->fixed) != DAE_OK) return start_once(v, m->held);
  const char *name = moved_variable(v, &asked, &got);
  if (!name) return DAE_OK;
  snprintf(s->text, sizeof s->text,
           "--init %s=%g contradicts the constraints: the nearest consistent point has %s = %.6g.",
           name, asked, name, got);
  cli_session_stop(
      s, DAE_E_INCONSISTENT, NULL, s->text,
      "Give values that satisfy the constraints, or --guess for values that may move.");
  return DAE_E_INCONSISTENT;
}

static void run_on(ivp *v) {
  cli_session *s = v->s;
  s->result.started = true;
  s->result.z_start = v->at.z_start;
  cli_progress_begin(&v->progress, s->settings.quiet, s->settings.progress);
  cli_signals_poll(true);
  advance(v);
  blame_model(v);
  cli_progress_end(&v->progress);
  /* where a run stopped early is a point of its output too */
  if (s->grid && s->result.status != DAE_OK && dae_solver_time(v->solver) != v->at.written)
    output_at(v, dae_solver_time(v->solver));
}

/* what is done with the point where the run starts */
static void begin(ivp *v) {
  cli_session *s = v->s;
  const double *z = dae_solver_z(v->solver), *y = dae_solver_y(v->solver);
  s->result.started = true;
  s->result.moved = dae_solver_report(v->solver)->moved;
  s->result.rank = dae_solver_report(v->solver)->rank;
  s->result.rows = dae_solver_report(v->solver)->rows;
  memcpy(v->at.z_start, z, (size_t)s->model.nz * sizeof(double));
  cli_error_at(&s->error, &s->model, s->result.t0, z, y);
  bool moves = s->result.t1 != s->result.t0; /* else the end is the start */
  if (s->grid && moves && output_point(v, s->result.t0, z, y) != DAE_OK) return;
  s->grid_next = 1;
  if (s->measures) cli_measures_start(s->measures, s->result.t0, z, y);
  if (s->record) {
    double drift[DAE_ORDER_MAX] = {0};
    cli_model_columns(&s->model, s->result.t0, z, y, v->column);
    cli_record_point(s->record, s->result.t0, v->column, NULL);
    dae_solver_drift(v->solver, s->result.t0, z, drift);
    cli_record_step(s->record, s->result.t0, 0, drift);
  }
  if (s->report && (s->report->spacing > 0 || (!moves && !s->grid)))
    cli_report_point(s->report, s->result.t0, z, y, NULL);
}

/* from a checkpoint */
static int resume(ivp *v) {
  cli_session *s = v->s;
  cli_model *m = &s->model;
  cli_state state = {0};
  int code = cli_checkpoint_read(s, &v->at, &state);
  if (code == CLI_OK) {
    m->problem.fixed = v->at.held ? m->held : m->fixed;
    dae_status status = dae_solver_new(&v->solver, &m->problem, &s->settings.options, &v->report);
    if (status != DAE_OK) code = cli_session_refuse(status, &v->report);
  }
  if (code == CLI_OK && dae_solver_restore(v->solver, state.from, state.left) != DAE_OK)
    code = cli_fail(CLI_USAGE, "%s: %s", s->settings.resume, dae_solver_report(v->solver)->message);
  free(state.bytes);
  if (code != CLI_OK) return code;
  double now = dae_solver_time(v->solver);
  if (!reached(v, s->result.t1) || now == s->result.t1) return CLI_OK;
  return cli_fail(CLI_USAGE, "%s is at t = %.15g, beyond the stop time %.15g", s->settings.resume,
                  now, s->result.t1);
}

/* the state of the solver when the run is over */
static void take_result(const ivp *v) {
  cli_result *a = &v->s->result;
  a->method = dae_solver_method(v->solver);
  a->form = dae_solver_form(v->solver);
  a->stabilize = dae_solver_stabilize(v->solver);
  a->reached = dae_solver_time(v->solver);
  a->z = dae_solver_z(v->solver);
  a->y = dae_solver_y(v->solver);
  a->dz = dae_solver_dz(v->solver);
  a->stats = *dae_solver_stats(v->solver);
  a->passage = dae_solver_passages(v->solver, &a->n_passage);
  a->event = dae_solver_events(v->solver, &a->n_event);
  a->change = dae_solver_switches(v->solver, &a->n_change);
}

/* the run from its start or from a checkpoint; *ready: there is something to tell */
static int solve(ivp *v, bool *ready) {
  cli_session *s = v->s;
  *ready = false;
  if (s->settings.resume) {
    int code = resume(v);
    if (code != CLI_OK) return code;
  } else {
    dae_status status = start(v);
    if (!v->solver) return cli_session_refuse(status, &v->report);
    s->result.report = dae_solver_report(v->solver);
    *ready = status != DAE_OK;
    if (status != DAE_OK && s->result.status == DAE_OK)
      cli_session_report(s, status, dae_solver_report(v->solver));
    /* a model that ends the run at its start has a solution of one point */
    if (status == DAE_EVENT) begin(v);
    if (status != DAE_OK) return v->code;
    begin(v);
    /* a place that cannot be written is told before the run, not after it */
    checkpoint(v);
    if (v->code != CLI_OK) return v->code;
  }
  *ready = true;
  s->result.report = dae_solver_report(v->solver);
  if (s->result.status == DAE_OK) run_on(v);
  return v->code;
}

int cli_ivp(cli_session *s) {
  ivp v = {.s = s, .at.rounding_time = -INFINITY};
  bool ready;
  v.column = cli_take((size_t)s->model.n_column, sizeof(double));
  v.z = cli_take((size_t)s->model.nz, sizeof(double));
  v.y = cli_take((size_t)s->model.ny, sizeof(double));
  v.at.z_start = cli_take((size_t)s->model.nz, sizeof(double));
  int code = solve(&v, &ready);
  if (ready) {
    take_result(&v);
    cli_session_check(s);
    int finished = s->finish(s);
    if (code == CLI_OK) code = finished;
  }
  dae_solver_free(v.solver);
  free(v.z);
  free(v.y);
  free(v.column);
  free(v.at.z_start);
  return code;
}
