/* diagnosis along a short trial run: which of the four cases of 1993 section 4.2, and what follows
   from it */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

/* ---- numbers at the start ---- */

/* dependent constraints by name, conditioning of the others */
static dae_status constraints(dae_point *p, double t, const double *z, dae_diagnosis *d) {
  const dae_system *s = p->sys;
  int nx = s->nx, nc = s->nc;
  d->rows = nc;
  if (nc == 0 || nx > 400) return DAE_OK;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->passing);
  size_t n = (size_t)nx, rows = (size_t)nc;
  double *D = dae_base_doubles(&pool, n * rows), *C = dae_base_doubles(&pool, n * rows);
  double *Q = dae_base_doubles(&pool, n * n), *sigma = dae_base_doubles(&pool, n + rows);
  bool *keep = dae_base_take(&pool, rows, sizeof *keep);
  dae_direction_choice along_c = {.kind = DAE_DIR_CONSTRAINT};
  dae_point_at(p, t, z);
  dae_status status = pool.failed ? DAE_E_MEMORY : dae_point_direction_block(p, &along_c, D);
  if (status == DAE_OK) {
    for (size_t i = 0; i < rows; i++) {
      double most = 0;
      for (size_t j = 0; j < n; j++) most += D[j * rows + i] * D[j * rows + i];
      for (size_t j = 0; j < n; j++) C[i * n + j] = D[j * rows + i] / (most > 0 ? sqrt(most) : 1);
    }
    d->rank = dae_choose_independent(nc, nx, C, 1e-9, Q, keep);
    for (int i = 0; i < nc; i++)
      if (!keep[i] && d->n_redundant < DAE_REDUNDANT_MAX)
        dae_problem_g_name(s->p, i, 0, d->redundant[d->n_redundant++], DAE_NAME_MAX);
    if (dae_la_svd(nc, nx, C, sigma) == 0 && d->rank > 0)
      d->condition = sigma[0] / sigma[d->rank - 1];
  }
  dae_base_pool_free(&pool);
  return status;
}

/* ---- the trial run ---- */

static void larger(double *most, double value) {
  if (value > *most) *most = value;
}

/* the rate of the solution: geometric mean over time, so that a short transient does not count for
   much */
typedef struct mean {
  double log_sum, weight;
} mean;

/* keeps the largest of every other rate */
static void gather(const dae_essential *e, double weight, dae_diagnosis *d, mean *rate) {
  larger(&d->frozen, e->frozen);
  larger(&d->variable, e->variable);
  larger(&d->fc, e->fc);
  larger(&d->skew, e->skew);
  larger(&d->turn_constraint, e->turn_constraint);
  larger(&d->turn_force, e->turn_force);
  rate->log_sum += weight * log(fmax(e->solution, 1e-300));
  rate->weight += weight;
  d->points++;
}

/* one point, brought to the constraints first: beside them fast modes would hide the rate of the
   solution */
static void analyse(dae_solver *s, double horizon, dae_diagnosis *d, mean *rate) {
  dae_essential e;
  memcpy(s->work.u, s->z, (size_t)s->sys->nz * sizeof *s->z);
  if (s->implicit) return; /* there is no underlying ODE to be looked at */
  if (dae_stabilize_project(s->nearest, s->t, s->work.u, NULL, NULL) == DAE_OK &&
      dae_choose_essential(s->point, s->t, s->work.u, horizon, &e) == DAE_OK)
    gather(&e, fmax(s->t - s->t_previous, 1e-9 * horizon), d, rate);
}

/* steps until the end, the limit or a failure; analysed at the start and at every step */
static dae_status run(dae_solver *s, double t1, double horizon, dae_diagnosis *d, mean *rate) {
  enum { STEPS = 60 };
  dae_status status = dae_solver_start(s, s->p->t0, NULL, NULL);
  if (status != DAE_OK) return status;
  analyse(s, horizon, d, rate);
  constraints(s->point, s->t, s->z, d);
  for (int k = 0; k < STEPS && status == DAE_OK && s->t < t1; k++) {
    status = dae_solver_step(s, t1);
    if (status == DAE_OK) analyse(s, horizon, d, rate);
  }
  return status;
}

/* a stiff run covers much of the interval; where it does not go far an explicit one tries */
static dae_status trial(const dae_problem *p, const dae_options *o, dae_diagnosis *d) {
  static const char *const way[][2] = {
      {"radau3", "invariant"}, {"radau3", "index1"}, {"dopri5", "index1"}, {"radau3", "direct"}};
  double horizon = p->t1 > p->t0 ? p->t1 - p->t0 : 1;
  mean rate = {0, 0};
  dae_status status = DAE_E_FORM;
  /* no point of a large system is analysed: the trial only tells how far it gets, and dense
     matrices of implicit steps would make that slow */
  int first = dae_problem_nx(p) > DAE_ESSENTIAL_MAX ? 2 : dae_problem_nh(p) > 0 ? 0 : 1;
  int last = 3;
  if (p->kind == DAE_IMPLICIT) first = 3, last = 4;
  for (int k = first; k < last && d->points < 5; k++) {
    dae_options trial_options = *o;
    dae_report report;
    dae_solver *s = NULL;
    trial_options.rtol = trial_options.atol = 1e-6;
    trial_options.atols = NULL, trial_options.n_atols = 0, trial_options.atol_of = "";
    trial_options.step = 0;
    trial_options.method = way[k][0], trial_options.form = way[k][1];
    trial_options.direction = trial_options.stabilize = "auto";
    status = dae_solver_new(&s, p, &trial_options, &report);
    if (status == DAE_OK) status = run(s, p->t0 + horizon, horizon, d, &rate);
    if (s) {
      if (s->implicit) dae_drive_implicit_told(s, d);
      report = *dae_solver_report(s);
      if (s->t > d->t1)
        d->t1 = s->t, d->smallest = s->stats.smallest, d->t_smallest = s->stats.t_smallest;
    }
    d->message[0] = '\0';
    if (status != DAE_OK) snprintf(d->message, sizeof d->message, "%s", report.message);
    dae_solver_free(s);
    if (status == DAE_E_MEMORY || status == DAE_E_INPUT || status == DAE_E_INCONSISTENT) break;
  }
  d->solution = rate.weight > 0 ? exp(rate.log_sum / rate.weight) : 0;
  return status;
}

dae_status dae_diagnose(const dae_problem *p, const dae_options *o, dae_diagnosis *out) {
  if (!out) return DAE_E_INPUT;
  *out = (dae_diagnosis){.form = "", .direction = "", .method = "", .stabilize = ""};
  out->trial = DAE_E_INPUT;
  if (dae_problem_valid(p, out->message, sizeof out->message) != DAE_OK ||
      dae_base_options_valid(o, out->message, sizeof out->message) != DAE_OK)
    return DAE_E_INPUT;
  if (p->boundary) {
    snprintf(out->message, sizeof out->message,
             "this is a boundary value problem: there is no trial run from initial values");
    return DAE_E_INPUT;
  }
  dae_pool pool;
  dae_settings settings;
  dae_base_pool_init(&pool, &o->allocator);
  dae_status status =
      dae_choose_settings(&settings, p, o, &pool, out->message, sizeof out->message);
  dae_base_pool_free(&pool);
  if (status != DAE_OK) return status;
  out->index = dae_problem_index(p);
  out->t0 = out->t1 = p->t0;
  out->trial = trial(p, o, out);
  if (out->trial == DAE_E_MEMORY) return DAE_E_MEMORY;
  if (out->points > 0) {
    dae_essential e = {.solution = out->solution,
                       .frozen = out->frozen,
                       .variable = out->variable,
                       .turn_constraint = out->turn_constraint,
                       .turn_force = out->turn_force};
    double horizon = p->t1 > p->t0 ? p->t1 - p->t0 : 1;
    out->kind = dae_choose_case(&e, fmin(o->rtol, o->atol), horizon, &out->step);
  }
  dae_advice a = dae_choose_advice(p, &settings, out->kind);
  out->method = a.method->name;
  out->form = dae_form_at(a.form)->name;
  out->stabilize = dae_stabilizer_at(a.stabilize)->name;
  out->direction = dae_direction_at(a.direction)->name;
  snprintf(out->reason, sizeof out->reason, "%s", a.why);
  return DAE_OK;
}
