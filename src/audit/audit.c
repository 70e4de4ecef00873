/* numbers, residuals and verdict of the points of a run */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"

enum { EVERY = 64 }; /* steps between two samples of sizes: below 1 % of the work of a step */

/* a projection ends near 1e-15 of the terms, or where differences stop it: 1e-10. Ten times that
   is not its rounding any more */
static const double ROUNDING = 1e-9;

dae_status dae_audit_new(dae_auditor **out, dae_point *beside, const dae_settings *o,
                         dae_pool *pool) {
  const dae_system *sys = beside->sys;
  size_t nh = (size_t)sys->nh, nz = (size_t)sys->nz, nx = (size_t)sys->nx, nc = (size_t)sys->nc;
  dae_auditor *a = *out = dae_base_take(pool, 1, sizeof *a);
  if (!a) return DAE_E_MEMORY;
  a->sys = sys;
  a->rtol = o->rtol;
  a->atol = o->atol;
  a->atols = o->atols;
  a->rounding = fmax(ROUNDING, 100 * o->ctol);
  a->promise = dae_base_data(pool, nh, 1);
  a->most = dae_base_doubles(pool, nh);
  a->when = dae_base_doubles(pool, nh);
  a->size = dae_base_doubles(pool, nh);
  a->slack = dae_base_doubles(pool, nh);
  a->least = dae_base_doubles(pool, nh);
  a->X = dae_base_doubles(pool, nz);
  a->h = dae_base_doubles(pool, nh);
  a->r = dae_base_doubles(pool, nx > nc ? nx : nc);
  a->terms = dae_base_doubles(pool, nx > nc ? nx : nc);
  a->A = dae_base_doubles(pool, nx);
  a->output = dae_base_doubles(pool, (size_t)sys->p->n_output);
  if (pool->failed) return DAE_E_MEMORY;
  memset(a->promise, DAE_PROMISE_TOLERANCE, nh);
  dae_status status = dae_point_new(&a->at, pool, sys, beside, false);
  if (status == DAE_OK && sys->p->kind == DAE_IMPLICIT) {
    status =
        dae_residual_new(&a->equations, pool, sys, &(dae_sizes_of_x){o->rtol, o->atol, o->atols});
    if (status == DAE_OK) a->E = dae_base_doubles(pool, 2 * (size_t)a->equations->size);
    if (pool->failed) status = DAE_E_MEMORY;
  }
  if (status == DAE_OK) a->at->counts = &a->at->own_counts;
  return status;
}

void dae_audit_start(dae_auditor *a) {
  size_t nh = (size_t)a->sys->nh * sizeof *a->most;
  memset(a->most, 0, nh);
  memset(a->size, 0, nh);
  memset(a->slack, 0, nh);
  memset(a->X, 0, (size_t)a->sys->nz * sizeof *a->X);
  a->steps = 0;
  if (a->equations) dae_residual_start(a->equations);
  a->worst = (dae_audit){0};
  a->at->holds = 0;
  a->equation[0] = a->variable[0] = a->message[0] = '\0';
}

dae_status dae_audit_fail(dae_auditor *a, dae_status status, double t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(a->message, sizeof a->message, format, args);
  va_end(args);
  a->t = t;
  return status;
}

void dae_audit_name(const dae_auditor *a, int i, char *name) {
  int level = 0;
  while (i >= dae_problem_level_rows(a->sys, level)) i -= dae_problem_level_rows(a->sys, level++);
  /* velocity-level rows are of no lower level: their own is the first */
  dae_problem_g_name(a->sys->p, i, i < a->sys->ng ? level : 0, name, DAE_NAME_MAX);
}

/* ---- finite numbers ---- */

/* the place of the first entry that is no finite number */
static int bad_entry(const double *x, int n) {
  int i = 0;
  while (i < n && isfinite(x[i])) i++;
  return i;
}

static dae_status not_finite(dae_auditor *a, double t, const char *what) {
  return dae_audit_fail(a, DAE_E_CALLBACK, t, "%s%s is not a finite number at t = %.15g", what,
                        a->variable, t);
}

dae_status dae_audit_numbers(dae_auditor *a, double t, const double *z, const double *y,
                             const double *dz) {
  const dae_system *s = a->sys;
  if (!dae_base_finite(z, s->nz)) {
    dae_problem_z_name(s->p, bad_entry(z, s->nz), a->variable, DAE_NAME_MAX);
    return not_finite(a, t, "");
  }
  if (!dae_base_finite(y, s->ny)) {
    dae_problem_y_name(s->p, bad_entry(y, s->ny), a->variable, DAE_NAME_MAX);
    return not_finite(a, t, "");
  }
  if (dz && !dae_base_finite(dz, s->nz)) {
    dae_problem_z_name(s->p, bad_entry(dz, s->nz), a->variable, DAE_NAME_MAX);
    return not_finite(a, t, "the derivative of ");
  }
  return DAE_OK;
}

/* the outputs of the problem: for a model text all its variables */
static dae_status outputs(dae_auditor *a, double t, const double *z, const double *y) {
  const dae_problem *p = a->sys->p;
  if (p->n_output == 0) return DAE_OK;
  int code = p->output(t, z, y, a->output, p->ctx);
  if (code < 0) return dae_audit_fail(a, DAE_STOPPED, t, "a callback requested a stop");
  if (dae_base_finite(a->output, p->n_output)) {
    if (code == 0) return DAE_OK;
    return dae_audit_fail(a, DAE_E_CALLBACK, t, "the outputs cannot be computed at t = %.15g", t);
  }
  int i = bad_entry(a->output, p->n_output);
  if (p->output_name && p->output_name[i])
    snprintf(a->variable, sizeof a->variable, "%s", p->output_name[i]);
  else snprintf(a->variable, sizeof a->variable, "output %d", i + 1);
  return not_finite(a, t, "");
}

/* ---- residuals ---- */

static void remember(dae_auditor *a, double t, const double *h) {
  for (int i = 0; i < a->sys->nh; i++)
    if (!(fabs(h[i]) <= a->most[i])) {
      a->most[i] = fabs(h[i]);
      a->when[i] = t;
    }
}

/* a function of the problem that fails at a point which the run has accepted */
static dae_status failed_at(dae_auditor *a, dae_status status, double t) {
  if (a->message[0]) return status;
  return dae_audit_fail(a, status, t, "the equations cannot be evaluated at t = %.15g", t);
}

static dae_status look(dae_auditor *a, double t, const double *z, const double *y, bool residuals) {
  const dae_system *s = a->sys;
  dae_status status = outputs(a, t, z, y);
  if (status == DAE_OK && s->nh > 0) status = dae_audit_sizes(a, t, z);
  if (status == DAE_OK && s->nh > 0 && residuals) {
    status = dae_point_invariants(a->at, a->h);
    if (status == DAE_OK) remember(a, t, a->h);
  }
  return status == DAE_OK ? DAE_OK : failed_at(a, status, t);
}

dae_status dae_audit_step(dae_auditor *a, double t, const double *z, const double *y,
                          const double *dz, const double *h) {
  dae_status status = dae_audit_numbers(a, t, z, y, dz);
  if (status != DAE_OK) return status;
  if (h) remember(a, t, h);
  /* what a residual is measured by must have been seen where it was: a run may end at rest */
  double *X = a->X;
  for (int j = 0; j < a->sys->nz; j++) X[j] = fabs(z[j]) > X[j] ? fabs(z[j]) : X[j];
  a->full = a->steps++ % EVERY == 0;
  if (!a->full) return outputs(a, t, z, y);
  status = look(a, t, z, y, false);
  /* a run that is off ends here, not at its end */
  return status == DAE_OK && h ? dae_audit_judge(a, t, z) : status;
}

dae_status dae_audit_point(dae_auditor *a, double t, const double *z, const double *y,
                           const double *dz) {
  dae_status status = dae_audit_numbers(a, t, z, y, dz);
  return status == DAE_OK ? look(a, t, z, y, true) : status;
}

/* ---- the verdict ---- */

static double relative(const dae_auditor *a, int i) {
  return a->size[i] > 0 ? a->most[i] / a->size[i] : a->most[i];
}

dae_audit dae_audit_worst(const dae_auditor *a) {
  dae_audit worst = a->worst;
  int row = -1;
  for (int i = 0; i < a->sys->nh; i++)
    if (!(relative(a, i) <= worst.worst)) {
      worst.worst = relative(a, i);
      row = i;
    }
  if (row < 0) return worst;
  worst.time = a->when[row];
  dae_audit_name(a, row, worst.equation);
  return worst;
}

static double allowed(const dae_auditor *a, int i, dae_promise promise) {
  if (promise == DAE_PROMISE_NONE) return INFINITY;
  double rounding = a->rounding * a->size[i] + a->least[i];
  if (promise == DAE_PROMISE_ROUNDING) return rounding;
  return fmax(rounding, DAE_AUDIT_TOLERANCES * a->slack[i]);
}

/* a hidden constraint also moves with the errors of lower derivatives: sum_j |dh_i/dz_j| tol_j over
   all of z at the present point. Dense, so only where the first look finds fault */
static double allowed_by_all(dae_auditor *a, int i, double t, const double *z) {
  const dae_system *s = a->sys;
  double *H = a->at->work->H;
  dae_point_at(a->at, t, z);
  if (!H || dae_point_invariants_z(a->at, H) != DAE_OK) return 0;
  const double *row = H + (size_t)i * (size_t)s->nz;
  double sum = 0;
  for (int j = 0; j < s->nz; j++) sum += fabs(row[j]) * (dae_audit_atol(a, j) + a->rtol * a->X[j]);
  return DAE_AUDIT_TOLERANCES * sum;
}

static dae_status judge(dae_auditor *a, double t, const double *z, bool start) {
  const dae_system *s = a->sys;
  int bad = -1;
  for (int i = 0; i < s->nh && bad < 0; i++) {
    dae_promise promise = start ? DAE_PROMISE_ROUNDING : (dae_promise)a->promise[i];
    if (a->most[i] <= allowed(a, i, promise)) continue;
    if (promise == DAE_PROMISE_TOLERANCE && a->most[i] <= allowed_by_all(a, i, t, z)) continue;
    bad = i;
  }
  if (bad < 0) return DAE_OK;
  a->residual = a->most[bad];
  dae_audit_name(a, bad, a->equation);
  return dae_audit_fail(a, start ? DAE_E_INCONSISTENT : DAE_E_AUDIT, a->when[bad],
                        "%s is off by %.3g at t = %.15g, %.3g of the size of its terms",
                        a->equation, a->most[bad], a->when[bad], relative(a, bad));
}

dae_status dae_audit_judge(dae_auditor *a, double t, const double *z) {
  return judge(a, t, z, false);
}

dae_status dae_audit_judge_start(dae_auditor *a, double t, const double *z) {
  return judge(a, t, z, true);
}
