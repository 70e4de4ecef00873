/*
 * backward Euler and the implicit midpoint rule on both views:
 *   z_new = z + h F(t*, z*, mu),  0 = c(t + h, z_new)
 * backward Euler: t* = t + h, z* = z_new; midpoint: t* = t + h/2, z* = (z + z_new)/2.
 * On the index-2 view the midpoint rule satisfies the constraints at the end of the step; its mu is
 * the one of the midpoint, of order 2 there.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/newton.h"

typedef struct implicit {
  double theta; /* 1: backward Euler, 1/2: midpoint */
  dae_newton newton;
  dae_step_matrix matrix;
  double *x; /* (z_new, h mu) */
  double *mid, *mu, *f;
  double *E, *J, *C, *work; /* matrices of the view; C: those at the end of a midpoint step */
  double *slope, *slope_old, *slope_older; /* (z_new - z)/h of this step and of the two before */
  double t_slope, t_old, t_older;
  double *z_start;   /* of the last accepted step, for dense output */
  double *mu_before; /* mu of the step before: midpoint values are carried to the end */
  int history;       /* accepted steps since the restart, at most 2 */
  double h_matrix;
} implicit;

/* t*, z*, mu of an iterate */
static double stage(dae_stepper *s, const double *x) {
  implicit *d = s->data;
  int nz = s->view->nz;
  for (int i = 0; i < nz; i++) d->mid[i] = s->z[i] + d->theta * (x[i] - s->z[i]);
  for (int i = 0; i < s->view->nmu; i++) d->mu[i] = x[nz + i] / s->h;
  return s->t + d->theta * s->h;
}

/* h r(t*, z*, (z_new - z)/h, mu), and the constraints at the end of the step */
static dae_status residual(void *ctx, const double *x, double *r) {
  dae_stepper *s = ctx;
  implicit *d = s->data;
  dae_view *v = s->view;
  double t = stage(s, x);
  s->evaluations++;
  for (int i = 0; i < v->nz; i++) d->f[i] = (x[i] - s->z[i]) / s->h;
  dae_status status = dae_problem_view_residual(v, t, d->mid, d->f, d->mu, r);
  if (status != DAE_OK) return status;
  for (int i = 0; i < v->nz; i++) r[i] *= s->h;
  return v->nmu && d->theta != 1 ? v->constraint(v, s->t + s->h, x, r + v->nz) : DAE_OK;
}

/* A := h (E/h + theta J) in the rows of z, with h mu for mu, and c_z below */
static void assemble(dae_stepper *s, const double *E, const double *J, const double *C, double *A) {
  implicit *d = s->data;
  const dae_view *v = s->view;
  int n = v->nz + v->nmu;
  for (int i = 0; i < n; i++) {
    int first = v->pattern ? v->pattern->start[i] : i * n;
    int count = v->pattern ? v->pattern->start[i + 1] - first : n;
    for (int k = first; k < first + count; k++) {
      int j = v->pattern ? v->pattern->column[k] : k - first;
      A[k] = i >= v->nz ? C[k] : j >= v->nz ? J[k] : E[k] + d->theta * s->h * J[k];
    }
  }
}

static dae_status factor(void *ctx, const double *x) {
  dae_stepper *s = ctx;
  implicit *d = s->data;
  dae_view *v = s->view;
  double t = stage(s, x), *C = d->J;
  for (int i = 0; i < v->nz; i++) d->f[i] = (x[i] - s->z[i]) / s->h;
  s->jacobians++;
  v->h = s->h;
  dae_status status = dae_problem_view_matrices(v, t, d->mid, d->f, d->mu, d->E, d->J, d->work);
  /* the constraints of the midpoint rule are those of the end */
  if (status == DAE_OK && d->C) {
    C = d->C;
    status =
        dae_problem_view_matrices(v, s->t + s->h, x, d->f, d->mu, d->matrix.values, C, d->work);
  }
  if (status != DAE_OK) return status;
  assemble(s, d->E, d->J, C, d->matrix.values);
  d->h_matrix = s->h;
  s->factorizations++;
  status = dae_step_matrix_factor(&d->matrix);
  if (status == DAE_E_SINGULAR)
    dae_problem_view_equation(v, d->matrix.culprit, s->culprit, (int)sizeof s->culprit);
  return status;
}

static void solve(void *ctx, double *r) {
  dae_stepper *s = ctx;
  implicit *d = s->data;
  s->solves++;
  dae_step_matrix_solve(&d->matrix, r);
}

/* fixed steps: relative to rounding of z; else in the error weights */
static double size(void *ctx, const double *x, const double *dx) {
  dae_stepper *s = ctx;
  implicit *d = s->data;
  int nz = s->view->nz;
  if (d->newton.tight || !s->weight)
    return dae_la_norm_max(nz, dx) / (4 * DBL_EPSILON * fmax(dae_la_norm_max(nz, x), DBL_MIN));
  return dae_step_norm(nz, dx, s->weight) / s->newton_tol;
}

/* ---- the stepper ---- */

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int message_size) {
  (void)message, (void)message_size;
  dae_view *v = s->view;
  dae_pool *pool = s->pool;
  implicit *d = dae_base_take(pool, 1, sizeof *d);
  if (!d) return DAE_E_MEMORY;
  s->data = d;
  size_t nz = (size_t)v->nz, nmu = (size_t)v->nmu;
  d->theta = s->method == &dae_step_backward_euler ? 1 : 0.5;
  d->x = dae_base_doubles(pool, nz + nmu);
  d->mid = dae_base_doubles(pool, nz);
  d->mu = dae_base_doubles(pool, nmu);
  d->f = dae_base_doubles(pool, nz);
  size_t n = nz + nmu, entries = v->pattern ? (size_t)v->pattern->start[n] : n * n;
  d->E = dae_base_doubles(pool, entries);
  d->J = dae_base_doubles(pool, entries);
  d->C = nmu > 0 && d->theta != 1 ? dae_base_doubles(pool, entries) : NULL;
  d->work = v->matrices ? NULL : dae_base_doubles(pool, nz * (nz + 2 * nmu));
  d->slope = dae_base_doubles(pool, nz);
  d->slope_old = dae_base_doubles(pool, nz);
  d->slope_older = dae_base_doubles(pool, nz);
  d->z_start = dae_base_doubles(pool, nz);
  d->mu_before = dae_base_doubles(pool, nmu);
  double **moving[] = {&d->slope, &d->slope_old, &d->slope_older};
  for (int i = 0; i < 3; i++) dae_base_moving(pool, moving[i], 1);
  dae_newton *w = &d->newton;
  *w = (dae_newton){.ctx = s,
                    .residual = residual,
                    .factor = factor,
                    .solve = solve,
                    .size = size,
                    .tight = o->step > 0};
  dae_status status = dae_step_newton_new(w, pool, (int)n);
  if (status == DAE_OK) status = dae_step_matrix_new(&d->matrix, pool, (int)n, v->pattern);
  if (status == DAE_OK) status = dae_la_solver_own(d->matrix.solver, v->linear, false);
  return pool->failed ? DAE_E_MEMORY : status;
}

static void destroy(dae_stepper *s) {
  implicit *d = s->data;
  if (d) dae_step_matrix_free(&d->matrix);
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  implicit *d = s->data;
  dae_view *v = s->view;
  s->t = s->t_old = t;
  s->h_old = 0;
  memmove(s->z, z, (size_t)v->nz * sizeof *z);
  if (mu) memmove(s->mu, mu, (size_t)v->nmu * sizeof *mu);
  dae_status status = mu || v->nmu == 0 ? DAE_OK : dae_problem_view_guess(v, t, s->z, s->mu);
  d->history = 0;
  d->newton.factored = false;
  d->newton.rate = d->newton.unseen = 0;
  s->evaluations++;
  return status == DAE_OK ? v->rhs(v, t, s->z, v->nmu ? s->mu : NULL, s->dz, s->y) : status;
}

/* local error: backward Euler h^2 z''/2, midpoint h^3 z'''/12 with the derivatives from slopes;
   before there are enough of them one order less */
static void estimate(dae_stepper *s, double h) {
  implicit *d = s->data;
  double t = s->t + d->theta * h;
  for (int i = 0; i < s->view->nz; i++) {
    double first = d->history > 0 ? (d->slope[i] - d->slope_old[i]) / (t - d->t_old)
                                  : (d->slope[i] - s->dz[i]) / (d->theta * h);
    s->error[i] = h * h / 2 * first;
    if (d->theta == 1) continue;
    if (d->history < 2) {
      s->error[i] /= 2;
      continue;
    }
    double before = (d->slope_old[i] - d->slope_older[i]) / (d->t_old - d->t_older);
    s->error[i] = h * h * h / 6 * (first - before) / (t - d->t_older);
  }
}

/* guess of (z_new, h mu): a line through the last slopes; quadratic when there are two and steps
   are equal */
static void predict(dae_stepper *s) {
  implicit *d = s->data;
  int nz = s->view->nz;
  bool bent = d->history >= 2 && d->newton.tight;
  const double *slope = d->history > 0 ? d->slope_old : s->dz;
  for (int i = 0; i < nz; i++) {
    double next = bent ? 2 * d->slope_old[i] - d->slope_older[i] : slope[i];
    d->x[i] = s->z[i] + s->h * next;
  }
  for (int i = 0; i < s->view->nmu; i++) d->x[nz + i] = s->h * s->mu[i];
}

/* a fixed step that is too long for Newton's method is reached from shorter ones: z_new as a
   function of h */
static dae_status lengthen(dae_stepper *s, double h) {
  implicit *d = s->data;
  int nz = s->view->nz, n = nz + s->view->nmu;
  dae_status status = DAE_OK;
  for (double part = 1.0 / 16; part <= 1 && status == DAE_OK; part *= 2) {
    s->h = part * h;
    if (part == 1.0 / 16)
      for (int i = 0; i < n; i++)
        d->x[i] = i < nz ? s->z[i] + s->h * s->dz[i] : s->h * s->mu[i - nz];
    else
      for (int i = 0; i < n; i++) d->x[i] += d->x[i] - (i < nz ? s->z[i] : 0);
    status = dae_step_newton(&d->newton, d->x);
  }
  s->h = h;
  return status;
}

static dae_status attempt(dae_stepper *s, double h) {
  implicit *d = s->data;
  int nz = s->view->nz, nmu = s->view->nmu;
  s->h = h;
  s->culprit[0] = '\0';
  if (fabs(h - d->h_matrix) > 0.2 * fabs(h)) d->newton.factored = false;
  predict(s);
  long before = d->newton.iterations;
  dae_status status = dae_step_newton(&d->newton, d->x);
  if (d->newton.tight && (status == DAE_E_NEWTON || status == DAE_E_CALLBACK))
    status = lengthen(s, h);
  s->newton += d->newton.iterations - before;
  if (status != DAE_OK) return status;
  memcpy(s->z_new, d->x, (size_t)nz * sizeof *d->x);
  for (int i = 0; i < nmu; i++) s->mu_new[i] = d->x[nz + i] / h;
  for (int i = 0; i < nz; i++) d->slope[i] = (d->x[i] - s->z[i]) / h;
  estimate(s, h);
  return DAE_OK;
}

/* slope and multipliers at the end of the step; those of the midpoint are carried there along a
   line */
static dae_status finish(dae_stepper *s) {
  implicit *d = s->data;
  dae_view *v = s->view;
  double *mu = d->mu, ahead = 0;
  if (v->equations) {
    memcpy(s->dz, d->slope_old, (size_t)v->nz * sizeof *s->dz);
    return DAE_OK;
  }
  if (d->theta != 1 && d->history >= 2) ahead = s->h_old / 2 / (d->t_old - d->t_older);
  for (int i = 0; i < v->nmu; i++) mu[i] = s->mu[i] + ahead * (s->mu[i] - d->mu_before[i]);
  s->evaluations++;
  return v->rhs(v, s->t, s->z, v->nmu ? mu : NULL, s->dz, s->y);
}

static dae_status accept(dae_stepper *s) {
  implicit *d = s->data;
  size_t nz = (size_t)s->view->nz, nmu = (size_t)s->view->nmu;
  double *free_slope = d->slope_older;
  d->slope_older = d->slope_old, d->t_older = d->t_old;
  d->slope_old = d->slope, d->t_old = s->t + d->theta * s->h;
  d->slope = free_slope;
  if (d->history < 2) d->history++;
  memcpy(d->z_start, s->z, nz * sizeof *s->z);
  memcpy(s->z, s->z_new, nz * sizeof *s->z);
  memcpy(d->mu_before, s->mu, nmu * sizeof *s->mu);
  memcpy(s->mu, s->mu_new, nmu * sizeof *s->mu);
  s->t_old = s->t, s->h_old = s->h;
  s->t += s->h;
  return finish(s);
}

/* z(theta) = (1-theta) z_old + theta z + (theta^2 - theta) h^2 z''/2, z'' from the slopes
   (midpoint) */
static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  implicit *d = s->data;
  double bend = 0;
  if (d->theta != 1 && d->history >= 2)
    bend = (theta * theta - theta) * s->h_old * s->h_old / 2 / (d->t_old - d->t_older);
  for (int i = 0; i < s->view->nz; i++)
    z[i] = (1 - theta) * d->z_start[i] + theta * s->z[i] +
           bend * (d->slope_old[i] - d->slope_older[i]);
  return y ? DAE_E_FORM : DAE_OK;
}

const dae_method dae_step_backward_euler = {
    .name = "backward-euler",
    .order = 1,
    .order_y = 1,
    .stage_order = 1,
    .stages = 1,
    .estimate = 1,
    .implicit = true,
    .r_infinity = 0,
    .view = DAE_VIEW_BOTH,
    .when = "very stiff problems, rough accuracy; the method of the published tables"};

const dae_method dae_step_implicit_midpoint = {
    .name = "implicit-midpoint",
    .order = 2,
    .order_y = 2,
    .stage_order = 1,
    .stages = 1,
    .estimate = 2,
    .implicit = true,
    .r_infinity = 1,
    .view = DAE_VIEW_BOTH,
    .when = "oscillations over long times: quadratic invariants are kept"};

const dae_stepper_class dae_step_implicit = {.init = init,
                                             .restart = restart,
                                             .attempt = attempt,
                                             .accept = accept,
                                             .dense = dense,
                                             .destroy = destroy};
