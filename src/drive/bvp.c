/* boundary value problems: collocation, or sequential regularization whose ODEs collocation
   solves */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/bvp.h"
#include "drive/drive.h"
#include "problem/separate.h"
#include "srm/srm.h"

enum { ITERATIONS = 12 };

/* waveform iteration: iterate s sees y_(s-1)(t), rebuilt from the solutions before it (1995
   (2.4)-(2.5)) */
typedef struct waveform {
  const dae_problem *p;
  dae_pool pool;
  const dae_system *sys;
  dae_point *at;
  dae_srm_equations equations;
  int count; /* iterates that are solved */
  dae_solution *iterate[ITERATIONS];
  double *z, *dz, *before[2], *y;
  dae_boundary boundary; /* of the ODE: the closure at t0 and the problem's own conditions */
} waveform;

/* out := what iterate `count` hands on at time t, from y_0 = 0 upwards */
static dae_status carried(waveform *w, double t, int count, double *out) {
  memset(out, 0, sizeof(double) * (size_t)w->equations.nc);
  dae_status status = DAE_OK;
  for (int i = 0; i < count && status == DAE_OK; i++) {
    status = dae_solution_eval(w->iterate[i], t, w->z, NULL, NULL);
    if (status == DAE_OK)
      status = dae_srm_evaluate(&w->equations, t, w->z, out, w->dz, w->before[1], w->y);
    memcpy(out, w->before[1], sizeof(double) * (size_t)w->equations.nc);
  }
  return status;
}

static int code_of(dae_status status) {
  return status == DAE_OK ? 0 : status == DAE_STOPPED ? -1 : 1;
}

static int rhs(double t, const double *z, double *dz, void *ctx) {
  waveform *w = ctx;
  dae_status status = carried(w, t, w->count, w->before[0]);
  if (status == DAE_OK)
    status = dae_srm_evaluate(&w->equations, t, z, w->before[0], dz, NULL, NULL);
  return code_of(status);
}

/* all constraints at t0 first (2.3b), then the conditions of the problem */
static int conditions(const double *z0, const double *z1, double *b, void *ctx) {
  waveform *w = ctx;
  int nh = w->sys->nh;
  dae_point_at(w->at, w->p->t0, z0);
  dae_status status = dae_point_invariants(w->at, b);
  if (status != DAE_OK) return code_of(status);
  return w->p->boundary->value(z0, z1, b + nh, w->p->ctx);
}

static int guess(double t, double *z, double *y, void *ctx) {
  waveform *w = ctx;
  return w->p->boundary->guess(t, z, y ? y : w->y, w->p->ctx);
}

static dae_status multipliers(void *ctx, double t, double *y) {
  waveform *w = ctx;
  dae_status status = carried(w, t, w->count, w->before[0]);
  memcpy(y, w->y, sizeof(double) * (size_t)w->sys->ny);
  return status;
}

/* largest difference of the last two iterates, in units of the tolerance */
static double change(const waveform *w, const dae_settings *o) {
  int n, nz = w->sys->nz;
  const dae_solution *now = w->iterate[w->count - 1],
                     *before = w->count > 1 ? w->iterate[w->count - 2] : NULL;
  const double *t = dae_solution_mesh(now, &n);
  double worst = 0;
  if (!before) return INFINITY;
  for (int i = 0; i <= n; i++) {
    dae_solution_eval(now, t[i], w->z, NULL, NULL);
    dae_solution_eval(before, t[i], w->dz, NULL, NULL);
    for (int c = 0; c < nz; c++)
      worst = fmax(worst, fabs(w->z[c] - w->dz[c]) / (o->atol + o->rtol * fabs(w->z[c])));
  }
  return worst;
}

static dae_status init(waveform *w, const dae_problem *p, const dae_settings *o,
                       dae_report *report) {
  char message[DAE_TEXT_MAX] = "", why[DAE_TEXT_MAX];
  dae_settings own = *o;
  const dae_boundary *b = p->boundary;
  dae_status status = dae_problem_valid(p, message, sizeof message);
  if (status == DAE_OK) status = dae_problem_system_new(&w->sys, &w->pool, p);
  if (status == DAE_OK) status = dae_point_new(&w->at, &w->pool, w->sys, NULL, true);
  /* with alpha_1 = 0 the iterates have layers at t0; (2.5) with alpha_1 = 1 has none */
  if (own.srm_alpha.count == 0)
    own.srm_alpha = w->sys && w->sys->order > 1 ? (dae_list){3, {1, 2, 1}} : (dae_list){2, {1, 1}};
  if (own.srm_variant == DAE_VARIANT_AUTO) own.srm_variant = DAE_VARIANT_STANDARD;
  if (own.srm_eps == 0) own.srm_eps = 1e-3;
  if (status == DAE_OK)
    status = dae_srm_equations_init(&w->equations, w->at, &own, &w->pool, message, sizeof message);
  if (status == DAE_OK && (b->n_side > 0 || b->n_parameter > 0)) {
    status = DAE_E_FORM;
    snprintf(message, sizeof message,
             "form srm supports neither inner conditions nor unknown parameters: use form index2");
  }
  int needed = dae_boundary_needed(p, why, sizeof why);
  if (status == DAE_OK && b->n != needed) {
    status = DAE_E_INPUT;
    snprintf(message, sizeof message, "%d boundary conditions given, %d needed, for %.160s", b->n,
             needed, why);
  }
  if (status != DAE_OK) {
    dae_colloc_report(report, status, p->t0, "%s",
                      message[0] ? message : dae_status_meaning(status));
    return status;
  }
  size_t nz = (size_t)w->sys->nz, most = (size_t)(w->equations.nc + w->sys->nh + w->sys->ny);
  w->z = dae_base_doubles(&w->pool, nz);
  w->dz = dae_base_doubles(&w->pool, nz);
  w->before[0] = dae_base_doubles(&w->pool, most);
  w->before[1] = dae_base_doubles(&w->pool, most);
  w->y = dae_base_doubles(&w->pool, most);
  w->boundary = (dae_boundary){.n = b->n + w->sys->nh,
                               .n_left = b->n_left < 0 ? -1 : b->n_left + w->sys->nh,
                               .value = conditions,
                               .guess = b->guess ? guess : NULL,
                               .n_table = b->n_table,
                               .table_t = b->table_t,
                               .table_z = b->table_z,
                               .z_tol = b->z_tol};
  return w->pool.failed ? DAE_E_MEMORY : DAE_OK;
}

/* iterates until they agree, or as many as were asked for */
static dae_status iterate(waveform *w, const dae_settings *o, const dae_solution *start,
                          dae_report *report) {
  dae_problem ode = {.name = w->p->name,
                     .kind = DAE_ODE,
                     .ode = {.n = w->sys->nz, .f = rhs},
                     .ctx = w,
                     .t0 = w->p->t0,
                     .t1 = w->p->t1,
                     .z0 = w->p->z0,
                     .z_name = w->p->z_name,
                     .boundary = &w->boundary};
  dae_settings own = *o;
  int most =
      o->srm_iterations > 0 && o->srm_iterations < ITERATIONS ? o->srm_iterations : ITERATIONS;
  own.form = DAE_FORM_AUTO;
  /* y_s has the error of x_s over eps: the ODEs are solved a little better than asked */
  own.rtol = 0.1 * o->rtol;
  own.atol = 0.1 * o->atol;
  for (double last = INFINITY; w->count < most;) {
    dae_solution *next = NULL;
    const dae_solution *from = w->count > 0              ? w->iterate[w->count - 1]
                               : start && start->ny == 0 ? start
                                                         : NULL;
    dae_status status = dae_colloc_bvp_solve(&ode, &own, from, &next, report);
    if (status != DAE_OK) {
      dae_solution_free(next);
      return status;
    }
    w->iterate[w->count++] = next;
    double now = change(w, o);
    dae_base_log(&o->log, DAE_LOG_INFO,
                 "sequential regularization: iterate %d moved by %.3g tolerances", w->count, now);
    if (o->srm_iterations == 0 && now <= 0.3) return DAE_OK;
    if (o->srm_iterations == 0 && w->count > 3 && now > 0.5 * last) break;
    last = now;
  }
  if (o->srm_iterations > 0) return DAE_OK;
  dae_colloc_report(
      report, DAE_E_NEWTON, w->p->t0,
      "sequential regularization does not converge within %d iterates: choose a smaller srm_eps",
      w->count);
  return DAE_E_NEWTON;
}

static dae_status solve_srm(const dae_problem *p, const dae_settings *o, const dae_solution *start,
                            dae_solution **out, dae_report *report) {
  waveform w = {.p = p};
  dae_base_pool_init(&w.pool, &o->allocator);
  dae_status status = init(&w, p, o, report);
  if (status == DAE_OK) status = iterate(&w, o, start, report);
  if (w.count > 0) {
    dae_solution *last = w.iterate[w.count - 1];
    dae_status given = dae_colloc_solution_give_y(last, w.sys->ny, multipliers, &w);
    if (status == DAE_OK) status = given;
    snprintf(last->form_name, sizeof last->form_name, "srm");
    last->stats.steps = w.count;
    *out = last;
  }
  for (int i = 0; i + 1 < w.count; i++) dae_solution_free(w.iterate[i]);
  dae_srm_equations_free(&w.equations);
  dae_point_free(w.at);
  dae_base_pool_free(&w.pool);
  return status;
}

/* ---- implicit problems ---- */

/* an implicit problem is solved as what dae_separated makes of it: *solved, in the pool */
static dae_status separate(const dae_problem *p, const dae_settings *o, dae_pool *pool,
                           dae_separated **solved, dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_status status = DAE_OK;
  if (p->implicit.nh > 0 || o->form == DAE_FORM_SRM) {
    status = DAE_E_FORM;
    dae_base_print(message, sizeof message, "%s",
                   p->implicit.nh > 0 ? "an implicit problem with boundary conditions has no "
                                        "invariants h: what they ask for, conditions do"
                                      : "form srm is not for implicit problems: use form index2");
  }
  if (status == DAE_OK) status = dae_separated_new(solved, pool, p, message, sizeof message);
  if (status == DAE_OK) {
    /* derivatives of algebraic variables are nobody's wish */
    (*solved)->conditions.y_tol = dae_base_doubles(pool, (size_t)p->implicit.n);
    if (pool->failed) status = DAE_E_MEMORY;
  }
  if (status != DAE_OK)
    dae_colloc_report(report, status, p->t0, "%s",
                      message[0] ? message : dae_status_meaning(status));
  return status;
}

/* what came of it is a solution of the problem itself */
static dae_status give_back(const dae_separated *q, dae_status status, dae_solution *s,
                            dae_report *report) {
  if (s) s->inner_y = true;
  if (!q->turned) return status;
  dae_colloc_report(report, DAE_E_FORM, q->given->t0,
                    "the equations that hold no x' are not the same everywhere: write the "
                    "algebraic equations apart from the others");
  return DAE_E_FORM;
}

/* the door of both: what cannot be meant is refused, and the options become settings */
static dae_status enter(const dae_problem *p, const dae_options *o, dae_pool *pool,
                        dae_settings *settings, char *message, int size) {
  dae_status status = message[0] ? DAE_E_INPUT : dae_colloc_bvp_input(p, o, message, size);
  dae_base_pool_init(pool, status == DAE_OK ? &o->allocator : NULL);
  if (status == DAE_OK && (o->atols || o->n_atols != 0 || *o->atol_of)) {
    dae_base_print(message, size,
                   "atols and atol_of are for initial value problems: use z_tol and y_tol of the "
                   "problem's boundary");
    status = DAE_E_INPUT;
  }
  if (status == DAE_OK) status = dae_choose_settings(settings, p, o, pool, message, size);
  return status;
}

/* why nobody was let in */
static dae_status turned_away(dae_pool *pool, dae_report *report, dae_status status,
                              const char *message) {
  dae_base_pool_free(pool);
  dae_colloc_report(report, status, 0, "%s", message[0] ? message : dae_status_meaning(status));
  return status;
}

dae_status dae_bvp_solve(const dae_problem *p, const dae_options *o, const dae_solution *start,
                         dae_solution **out, dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_settings settings;
  dae_pool pool;
  if (out) *out = NULL;
  else dae_base_print(message, sizeof message, "dae_bvp_solve: out is NULL");
  if (report) *report = (dae_report){.event = -1};
  dae_status status = enter(p, o, &pool, &settings, message, sizeof message);
  if (status != DAE_OK) return turned_away(&pool, report, status, message);
  if (p->kind == DAE_IMPLICIT) {
    dae_separated *q;
    status = separate(p, &settings, &pool, &q, report);
    if (status == DAE_OK) {
      status = dae_colloc_bvp_solve(&q->problem, &settings, start, out, report);
      status = give_back(q, status, *out, report);
    }
  } else
    status = settings.form == DAE_FORM_SRM ? solve_srm(p, &settings, start, out, report)
                                           : dae_colloc_bvp_solve(p, &settings, start, out, report);
  status = dae_drive_bvp_audit(p, &settings, *out, status, report);
  dae_base_pool_free(&pool);
  return status;
}

dae_status dae_bvp_continue(const dae_problem *p, const dae_options *o, double *parameter,
                            double from, double to, const dae_solution *guess, dae_solution **out,
                            dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  dae_settings settings;
  dae_pool pool;
  if (out) *out = NULL;
  if (report) *report = (dae_report){.event = -1};
  if (!out || !parameter || !isfinite(from) || !isfinite(to))
    dae_base_print(message, sizeof message, "dae_bvp_continue: %s",
                   !out         ? "out is NULL"
                   : !parameter ? "parameter is NULL"
                                : "from and to must be finite numbers");
  dae_status status = enter(p, o, &pool, &settings, message, sizeof message);
  if (status != DAE_OK) return turned_away(&pool, report, status, message);
  dae_separated *q = NULL;
  if (p->kind == DAE_IMPLICIT) {
    *parameter = from;
    status = separate(p, &settings, &pool, &q, report);
  }
  if (status == DAE_OK)
    status = dae_colloc_bvp_continue(q ? &q->problem : p, &settings, parameter, from, to, guess,
                                     out, report);
  if (q) status = give_back(q, status, *out, report);
  if (status == DAE_OK) status = dae_drive_bvp_audit(p, &settings, *out, status, report);
  dae_base_pool_free(&pool);
  return status;
}
