/*
 * bdf: backward differentiation of order 1 to 5 on both views, as backward differences on a
 * quasi-constant step:
 *   sum_{m=1}^k (1/m) nabla^m z_{n+1} = h z'_{n+1},   0 = r(t_{n+1}, z_{n+1}, z'_{n+1}, mu_{n+1}).
 * With the prediction z0 = sum_{j=0}^k nabla^j z_n and d = z_{n+1} - z0 that is
 *   h z' = g_k d + sum_{m=1}^k g_m nabla^m z_n,   g_k = 1 + 1/2 + .. + 1/k,
 * so that the Newton matrix is (g_k/h) E + J, and d/(k+1) estimates the error. mu is treated as z
 * is.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step/newton.h"
#include "step/tableau.h"

enum { ORDER_MAX = 5, ROWS = ORDER_MAX + 3 };

/* what is left of an iteration, in tolerances, where nobody says otherwise */
static const double NEWTON_LEFT = 0.03;
/* of an iteration that stands still: a third of the error allowed, but no more than rounding can
   make, which is multiplied by 1/h and by the norm of the inverse: three digits */
static const double STILL_MOST = 0.33, STILL_ROUNDING = 1000 * DBL_EPSILON;
/* the step is shorter than the one that makes the error one tolerance by this factor. A change of
   the order must be worth it, a higher one above all: its estimate is the least certain (the
   factors of the codes that use this form of the method) */
static const double SAFETY = 1.2, SAFETY_LOWER = 1.3, SAFETY_HIGHER = 1.4;
/* no factor is beyond 1/NO_LIMIT before the bounds below */
static const double NO_LIMIT = 1e-6;
/* after a failure; after success, where a small change would cost a factorization and gain nothing
   (WORTH) */
static const double SHRINK_LEAST = 0.1, SHRINK_MOST = 0.9, WORTH = 1.1, GROW_MOST = 10;

typedef struct bdf {
  int n, nz, most; /* nz + nmu; highest order allowed */
  int order, held; /* present order; accepted steps since the last change */
  double h;        /* spacing of the differences */
  bool fixed;
  double *row[ROWS]; /* nabla^j (z, mu) at t */
  double *z0, *d, *x, *slope,
      *sum;      /* prediction, the correction that is solved for, their sum, z', see above */
  double *start; /* z at the beginning of the last accepted step */
  dae_step_pencil *pencil;
  dae_newton newton;
  double t_new;
  double factored;      /* g_k/h of the factorization */
  int age;              /* steps since E and J were evaluated; -1: never */
  dae_stepper *starter; /* fixed steps: a Runge-Kutta method for the first k-1 of them */
  int started;
} bdf;

static const double harmonic[ORDER_MAX + 1] = {0, 1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60};

#define BDF_ROW(label, k, text)                                                            \
  {                                                                                        \
    .name = label, .order = k, .order_y = k, .stage_order = k, .stages = 1, .estimate = 1, \
    .implicit = true, .r_infinity = NAN, .view = DAE_VIEW_BOTH, .when = text               \
  }
const dae_method dae_step_bdf_method[DAE_BDF_METHODS] = {
    BDF_ROW("bdf", 5, "stiff and smooth: order 1 to 5 by itself, one solve a step"),
    BDF_ROW("bdf1", 1, "backward Euler with variable steps"),
    BDF_ROW("bdf2", 2, "stiff with lightly damped oscillations, low accuracy"),
    BDF_ROW("bdf3", 3, "bdf up to order 3"),
    BDF_ROW("bdf4", 4, "bdf up to order 4"),
    BDF_ROW("bdf5", 5, "bdf up to order 5"),
};

/* ---- Newton ---- */

/* x = z0 + d, h z' = g_k d + sum g_m nabla^m. The unknown is d: in the difference of x and z0
   rounding would be divided by h */
static void point(bdf *b, const double *d) {
  for (int i = 0; i < b->n; i++) b->x[i] = b->z0[i] + d[i];
  for (int i = 0; i < b->nz; i++) b->slope[i] = (harmonic[b->order] * d[i] + b->sum[i]) / b->h;
}

static dae_status residual(void *ctx, const double *d, double *r) {
  dae_stepper *s = ctx;
  bdf *b = s->data;
  point(b, d);
  s->evaluations++;
  dae_status status = dae_problem_view_residual(s->view, b->t_new, b->x, b->slope, b->x + b->nz, r);
  return status == DAE_OK && !dae_base_finite(r, b->n) ? DAE_E_CALLBACK : status;
}

/* a change of step or order needs a factorization only, while J is young and converges */
static dae_status factor(void *ctx, const double *d) {
  dae_stepper *s = ctx;
  bdf *b = s->data;
  const double shift = harmonic[b->order] / b->h;
  bool old = b->age < 0 || b->age > 20 || b->factored == shift;
  if (old || b->fixed) {
    point(b, d);
    s->view->h = b->h;
    dae_status status = dae_step_pencil_evaluate(b->pencil, b->t_new, b->x, b->slope, b->x + b->nz);
    s->jacobians++;
    b->age = status == DAE_OK ? 0 : -1;
    if (status != DAE_OK) return status;
  }
  b->factored = shift;
  s->factorizations++;
  return dae_step_pencil_factor(b->pencil, 0, shift);
}

static void solve(void *ctx, double *r) {
  dae_stepper *s = ctx;
  bdf *b = s->data;
  s->solves++;
  dae_step_pencil_solve(b->pencil, 0, r);
}

static double size(void *ctx, const double *d, const double *dx) {
  dae_stepper *s = ctx;
  bdf *b = s->data;
  (void)d;
  if (b->fixed || !s->weight)
    return dae_la_norm_max(b->nz, dx) / (DBL_EPSILON * fmax(dae_la_norm_max(b->nz, b->x), DBL_MIN));
  return dae_step_norm(b->nz, dx, s->weight) / (s->newton_tol > 0 ? s->newton_tol : NEWTON_LEFT);
}

/* ---- history ---- */

/* the differences of the interpolating polynomial on the spacing rho h: D := D R(rho) R(1),
   R_ij = prod_{l=1}^{i} (l - 1 - rho j)/l */
static void respace(bdf *b, double rho) {
  const int k = b->order;
  double R[ORDER_MAX + 1][ORDER_MAX + 1], U[ORDER_MAX + 1][ORDER_MAX + 1],
      P[ORDER_MAX + 1][ORDER_MAX + 1];
  for (int j = 1; j <= k; j++) {
    double r = 1, u = 1;
    for (int i = 1; i <= k; i++) {
      r *= (i - 1 - rho * j) / i;
      u *= (i - 1 - (double)j) / i;
      R[i][j] = r, U[i][j] = u;
    }
  }
  for (int i = 1; i <= k; i++)
    for (int j = 1; j <= k; j++) {
      P[i][j] = 0;
      for (int l = 1; l <= k; l++) P[i][j] += R[i][l] * U[l][j];
    }
  for (int c = 0; c < b->n; c++) {
    double old[ORDER_MAX + 1];
    for (int i = 1; i <= k; i++) old[i] = b->row[i][c];
    for (int j = 1; j <= k; j++) {
      double sum = 0;
      for (int i = 1; i <= k; i++) sum += old[i] * P[i][j];
      b->row[j][c] = sum;
    }
  }
  b->h *= rho;
  b->held = 0;
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  bdf *b = s->data;
  const size_t nz = (size_t)b->nz, nmu = (size_t)(b->n - b->nz);
  s->t = s->t_old = t;
  s->h_old = 0;
  if (z != s->z) memmove(s->z, z, nz * sizeof *z);
  if (mu && mu != s->mu) memmove(s->mu, mu, nmu * sizeof *mu);
  dae_status status = mu || nmu == 0 ? DAE_OK : dae_problem_view_guess(s->view, t, s->z, s->mu);
  s->evaluations++;
  if (status == DAE_OK) status = s->view->rhs(s->view, t, s->z, nmu ? s->mu : NULL, s->dz, NULL);
  if (status != DAE_OK) return status;
  for (int j = 0; j < ROWS; j++) memset(b->row[j], 0, (size_t)b->n * sizeof *b->row[j]);
  memcpy(b->row[0], s->z, nz * sizeof *s->z);
  memcpy(b->row[0] + nz, s->mu, nmu * sizeof *s->mu);
  s->order = b->order = 1;
  b->h = 0;
  b->held = b->started = b->newton.unseen = 0;
  b->age = -1;
  b->factored = b->newton.rate = 0;
  b->newton.factored = false;
  return b->starter ? b->starter->cls->restart(b->starter, t, s->z, s->mu) : DAE_OK;
}

/* ---- the step ---- */

static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int message_size) {
  bdf *b = s->data = dae_base_take(s->pool, 1, sizeof *b);
  if (!b) return DAE_E_MEMORY;
  b->nz = s->view->nz;
  b->n = b->nz + s->view->nmu;
  b->most = s->method->order;
  b->fixed = o->step > 0;
  const size_t n = (size_t)b->n;
  for (int j = 0; j < ROWS; j++) b->row[j] = dae_base_doubles(s->pool, n);
  b->z0 = dae_base_doubles(s->pool, n);
  b->x = dae_base_doubles(s->pool, n);
  b->d = dae_base_doubles(s->pool, n);
  b->slope = dae_base_doubles(s->pool, n);
  b->sum = dae_base_doubles(s->pool, n);
  b->start = dae_base_doubles(s->pool, n);
  b->newton = (dae_newton){.ctx = s,
                           .residual = residual,
                           .factor = factor,
                           .solve = solve,
                           .size = size,
                           .tight = b->fixed,
                           .limit = b->fixed ? 0 : 5};
  dae_status status = dae_step_newton_new(&b->newton, s->pool, b->n);
  if (status == DAE_OK) status = dae_step_pencil_new(&b->pencil, s->pool, s->view, 1, 0, 0);
  if (status == DAE_OK && b->fixed && b->most > 1)
    status = dae_step_new(&b->starter, &dae_step_irk_method[DAE_IRK_RADAU3], s->view, o, s->pool,
                          message, message_size);
  return s->pool->failed ? DAE_E_MEMORY : status;
}

static void destroy(dae_stepper *s) {
  bdf *b = s->data;
  if (!b) return;
  dae_step_pencil_free(b->pencil);
  dae_step_free(b->starter);
}

/* a step of the starter; its values enter the history as they come */
static dae_status start_step(dae_stepper *s, double h) {
  bdf *b = s->data;
  dae_stepper *a = b->starter;
  dae_status status = a->cls->attempt(a, h);
  if (status != DAE_OK) return status;
  memcpy(s->z_new, a->z_new, (size_t)b->nz * sizeof *s->z_new);
  memcpy(s->mu_new, a->mu_new, (size_t)(b->n - b->nz) * sizeof *s->mu_new);
  return DAE_OK;
}

/* d, with a new J where the iteration fails with an old one: a factorization for another step is
   new to Newton's method, its J may be of any age */
static dae_status solve_step(dae_stepper *s) {
  bdf *b = s->data;
  const long before = b->newton.iterations, jacobians = s->jacobians;
  dae_status status = dae_step_newton(&b->newton, b->d);
  if (status == DAE_E_NEWTON && s->jacobians == jacobians && b->age > 0) {
    b->age = -1;
    b->newton.factored = false;
    memset(b->d, 0, (size_t)b->n * sizeof *b->d);
    status = dae_step_newton(&b->newton, b->d);
  }
  s->newton += b->newton.iterations - before;
  return status;
}

static dae_status attempt(dae_stepper *s, double h) {
  bdf *b = s->data;
  const int k = b->order;
  s->h = h;
  if (b->starter && b->started < b->most - 1) return start_step(s, h);
  if (b->h == 0) {
    /* the first difference is h z' */
    b->h = h;
    for (int i = 0; i < b->nz; i++) b->row[1][i] = h * s->dz[i];
  } else if (b->h != h) {
    respace(b, h / b->h);
  }
  b->t_new = s->t + h;
  for (int i = 0; i < b->n; i++) {
    b->z0[i] = b->row[0][i], b->sum[i] = b->d[i] = 0;
    for (int j = 1; j <= k; j++) b->z0[i] += b->row[j][i], b->sum[i] += harmonic[j] * b->row[j][i];
  }
  if (b->factored != harmonic[k] / h) b->newton.factored = false;
  double rounding = STILL_ROUNDING * dae_step_norm(b->nz, s->z, s->weight);
  b->newton.noise = s->newton_tol > 0 ? fmin(STILL_MOST, rounding) / s->newton_tol : 0;
  dae_status status = solve_step(s);
  if (status != DAE_OK) {
    b->age = -1;
    b->newton.factored = false;
    return status;
  }
  point(b, b->d);
  if (dae_step_pencil_clean(b->pencil, 0, b->x + b->nz))
    for (int i = b->nz; i < b->n; i++) b->d[i] = b->x[i] - b->z0[i];
  memcpy(s->z_new, b->x, (size_t)b->nz * sizeof *b->x);
  memcpy(s->mu_new, b->x + b->nz, (size_t)(b->n - b->nz) * sizeof *b->x);
  for (int i = 0; i < b->nz; i++) s->error[i] = b->d[i] / (k + 1);
  return DAE_OK;
}

/* nabla^(k+2) = d - nabla^(k+1), nabla^(k+1) = d, and the lower ones by addition */
static void advance(bdf *b) {
  const int k = b->order;
  for (int i = 0; i < b->n; i++) {
    double d = b->d[i];
    b->row[k + 2][i] = d - b->row[k + 1][i];
    b->row[k + 1][i] = d;
    for (int j = k; j >= 0; j--) b->row[j][i] += b->row[j + 1][i];
  }
}

/* the starter's new value: all differences that exist so far, one more of them than before */
static dae_status advance_start(dae_stepper *s) {
  bdf *b = s->data;
  dae_stepper *a = b->starter;
  memcpy(a->z_new, s->z_new, (size_t)b->nz * sizeof *s->z_new);
  dae_status status = a->cls->accept(a);
  b->started++;
  b->h = s->h;
  for (int i = 0; i < b->n; i++) {
    double up = i < b->nz ? s->z_new[i] : s->mu_new[i - b->nz];
    for (int j = 0; j <= b->started; j++) {
      double old = b->row[j][i];
      b->row[j][i] = up;
      up -= old;
    }
  }
  b->order = b->started + 1 < b->most ? b->started : b->most;
  memcpy(s->dz, a->dz, (size_t)b->nz * sizeof *s->dz);
  /* the highest difference belongs to a polynomial of degree `started`; the next one is unknown and
     zero */
  return status;
}

static dae_status accept(dae_stepper *s) {
  bdf *b = s->data;
  const size_t nz = (size_t)b->nz, nmu = (size_t)(b->n - b->nz);
  memcpy(b->start, s->z, nz * sizeof *s->z);
  dae_status status = DAE_OK;
  s->order = b->starter && b->started < b->most - 1 ? b->most : b->order;
  if (b->starter && b->started < b->most - 1) {
    status = advance_start(s);
  } else {
    for (size_t i = 0; i < nz; i++) s->dz[i] = (harmonic[b->order] * b->d[i] + b->sum[i]) / b->h;
    advance(b);
    /* what a stabilizer moved shifts the whole history: its differences stay smooth */
    memcpy(b->row[0], s->z_new, nz * sizeof *s->z_new);
    b->held++;
    if (b->age >= 0) b->age++;
  }
  memcpy(s->z, s->z_new, nz * sizeof *s->z);
  memcpy(s->mu, s->mu_new, nmu * sizeof *s->mu);
  s->t_old = s->t, s->h_old = s->h;
  s->t += s->h;
  if (status == DAE_OK && nmu > 0 && s->view->multipliers)
    status = s->view->multipliers(s->view, s->t, s->z, s->mu, s->y);
  return status;
}

/* Newton's backward formula: z(t - u h) = sum_j nabla^j prod_{l<j} (l - u)/(l + 1), u = 1 -
   theta */
static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  bdf *b = s->data;
  const double u = (1 - theta) * (b->h != 0 ? s->h_old / b->h : 1);
  const int terms = b->starter && b->started < b->most - 1 ? b->started : b->order;
  double *all = b->slope;
  for (int i = 0; i < b->n; i++) {
    double sum = b->row[0][i], c = 1;
    for (int j = 1; j <= terms; j++) {
      c *= (j - 1 - u) / j;
      sum += c * b->row[j][i];
    }
    all[i] = sum;
  }
  memcpy(z, all, (size_t)b->nz * sizeof *z);
  if (!y) return DAE_OK;
  if (!s->view->multipliers || s->view->nmu == 0) return DAE_E_FORM;
  return s->view->multipliers(s->view, s->t_old + theta * s->h_old, all, all + b->nz, y);
}

/* ---- control ---- */

/* factor of the step that order k allows when its error estimate has this norm */
static double allowed(double norm, int k, double safety) {
  return 1 / (safety * pow(fmax(norm, DAE_STEP_NORM_LEAST), 1.0 / (k + 1)) + NO_LIMIT);
}

/* order and step, after k+2 steps of the same kind (as others do with this form of the method); the
   orders are compared by the step that each of them allows */
static double next_step(dae_stepper *s, double norm, bool accepted) {
  bdf *b = s->data;
  const int k = b->order;
  /* the driver may measure in a part of the tolerance: so are the other orders */
  const double raw = dae_step_norm(b->nz, s->error, s->weight), unit = raw > 0 ? norm / raw : 1;
  if (!accepted) {
    double factor = allowed(norm, k, SAFETY);
    if (k > 1) {
      for (int i = 0; i < b->nz; i++) s->error[i] = (b->row[k][i] + b->d[i]) / k;
      double lower = allowed(unit * dae_step_norm(b->nz, s->error, s->weight), k - 1, SAFETY_LOWER);
      if (lower > factor) b->order--, factor = lower;
    }
    b->held = 0;
    return s->h * fmin(SHRINK_MOST, fmax(SHRINK_LEAST, factor));
  }
  if (b->held < k + 2) return s->h;
  double factor = allowed(norm, k, SAFETY);
  int order = k;
  if (k > 1) {
    for (int i = 0; i < b->nz; i++) s->error[i] = b->row[k][i] / k;
    double lower = allowed(unit * dae_step_norm(b->nz, s->error, s->weight), k - 1, SAFETY_LOWER);
    if (lower > factor) factor = lower, order = k - 1;
  }
  if (k < b->most) {
    for (int i = 0; i < b->nz; i++) s->error[i] = b->row[k + 2][i] / (k + 2);
    double higher = allowed(unit * dae_step_norm(b->nz, s->error, s->weight), k + 1, SAFETY_HIGHER);
    if (higher > factor) factor = higher, order = k + 1;
  }
  if (factor <= WORTH) return s->h;
  if (order != k) b->held = 0;
  b->order = order;
  return s->h * fmin(GROW_MOST, factor);
}

static dae_status answer(dae_stepper *s, const double *p, double *out) {
  bdf *b = s->data;
  if (!b->newton.factored) return DAE_E_FORM;
  return dae_step_pencil_answer(b->pencil, 0, s->t, s->z, s->dz, p, out);
}

const dae_stepper_class dae_step_bdf = {.init = init,
                                        .restart = restart,
                                        .attempt = attempt,
                                        .accept = accept,
                                        .dense = dense,
                                        .next_step = next_step,
                                        .answer = answer,
                                        .destroy = destroy};
