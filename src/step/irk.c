/*
 * irk: projected implicit Runge-Kutta methods (2001, (2.5)-(2.7); Ascher and Petzold) on both
 * views: Gauss, Radau IIA, Lobatto IIIC and SDIRK. The stage equations are those of the residual
 * form 0 = r(t,z,z',mu).
 */
#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>

#include "step/irk.h"
#include "step/own.h"

const dae_method dae_step_irk_method[DAE_IRK_METHODS] = {
    {.name = "gauss1",
     .order = 2,
     .order_y = 1,
     .stage_order = 1,
     .stages = 1,
     .estimate = 1,
     .implicit = true,
     .r_infinity = 1,
     .view = DAE_VIEW_BOTH,
     .when = "implicit midpoint, projected"},
    {.name = "gauss2",
     .order = 4,
     .order_y = 2,
     .stage_order = 2,
     .stages = 2,
     .estimate = 2,
     .implicit = true,
     .r_infinity = 1,
     .view = DAE_VIEW_BOTH,
     .when = "oscillations without damping, medium accuracy"},
    {.name = "gauss3",
     .order = 6,
     .order_y = 3,
     .stage_order = 3,
     .stages = 3,
     .estimate = 3,
     .implicit = true,
     .r_infinity = 1,
     .view = DAE_VIEW_BOTH,
     .when = "oscillations without damping, high accuracy"},
    {.name = "gauss4",
     .order = 8,
     .order_y = 4,
     .stage_order = 4,
     .stages = 4,
     .estimate = 4,
     .implicit = true,
     .r_infinity = 1,
     .view = DAE_VIEW_BOTH,
     .when = "the same, higher accuracy"},
    {.name = "gauss5",
     .order = 10,
     .order_y = 5,
     .stage_order = 5,
     .stages = 5,
     .estimate = 5,
     .implicit = true,
     .r_infinity = 1,
     .view = DAE_VIEW_BOTH,
     .when = "the same, highest accuracy"},
    {.name = "radau1",
     .order = 1,
     .order_y = 1,
     .stage_order = 1,
     .stages = 1,
     .estimate = 1,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff and rough: backward Euler"},
    {.name = "radau2",
     .order = 3,
     .order_y = 2,
     .stage_order = 2,
     .stages = 2,
     .estimate = 2,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, low accuracy"},
    {.name = "radau3",
     .order = 5,
     .order_y = 3,
     .stage_order = 3,
     .stages = 3,
     .estimate = 3,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff problems of all kinds; the default there"},
    {.name = "radau4",
     .order = 7,
     .order_y = 4,
     .stage_order = 4,
     .stages = 4,
     .estimate = 4,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, high accuracy"},
    {.name = "radau5",
     .order = 9,
     .order_y = 5,
     .stage_order = 5,
     .stages = 5,
     .estimate = 5,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, very high accuracy"},
    {.name = "lobatto2",
     .order = 2,
     .order_y = 1,
     .stage_order = 1,
     .stages = 2,
     .estimate = 1,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, damps more than Radau, low accuracy"},
    {.name = "lobatto3",
     .order = 4,
     .order_y = 2,
     .stage_order = 2,
     .stages = 3,
     .estimate = 2,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, damps more than Radau"},
    {.name = "lobatto4",
     .order = 6,
     .order_y = 3,
     .stage_order = 3,
     .stages = 4,
     .estimate = 3,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, damps more than Radau, high accuracy"},
    {.name = "sdirk2",
     .order = 2,
     .order_y = 1,
     .stage_order = 1,
     .stages = 2,
     .estimate = 2,
     .implicit = true,
     .r_infinity = 0,
     .view = DAE_VIEW_BOTH,
     .when = "stiff, low accuracy, one real factorization a step"},
    {.name = "sdirk3",
     .order = 3,
     .order_y = 1,
     .stage_order = 1,
     .stages = 2,
     .estimate = 2,
     .implicit = true,
     .r_infinity = 0.73205080756887729,
     .view = DAE_VIEW_BOTH,
     .when = "as sdirk2; multipliers are forgotten slowly"},
};

/* rows of the table above */
enum { FIRST_RADAU = 5, FIRST_LOBATTO = 10, FIRST_SDIRK = 13 };

static dae_rk_family family_of(const dae_method *method) {
  ptrdiff_t row = method - dae_step_irk_method;
  return row < FIRST_RADAU     ? DAE_RK_GAUSS
         : row < FIRST_LOBATTO ? DAE_RK_RADAU
         : row < FIRST_SDIRK   ? DAE_RK_LOBATTO
                               : DAE_RK_SDIRK;
}

/* one of the user, which has its tableau along (own.c) */
static const dae_rk_tableau *own_tableau(const dae_method *method) {
  for (int i = 0; i < DAE_IRK_METHODS; i++)
    if (&dae_step_irk_method[i] == method) return NULL;
  return &((const dae_own_irk *)method)->t;
}

dae_status dae_step_irk_tableau(dae_rk_tableau *t, const dae_method *method) {
  if (own_tableau(method)) {
    *t = *own_tableau(method);
    return DAE_OK;
  }
  dae_rk_family family = family_of(method);
  const dae_rk_tableau *known = family != DAE_RK_RADAU ? NULL
                                : method->stages == 3  ? &dae_step_radau3
                                : method->stages == 5  ? &dae_step_radau5
                                                       : NULL;
  if (known) {
    *t = *known;
    return DAE_OK;
  }
  return dae_step_tableau(t, family, family == DAE_RK_SDIRK ? method->order : method->stages);
}

/* eigenvalues of A^-1 that are solved with: one for each pair, and a real one when stages are odd;
   the diagonal of sdirk */
static int eigenvalues(const dae_method *method) {
  if (own_tableau(method)) return own_tableau(method)->eigenvalues;
  return family_of(method) == DAE_RK_SDIRK ? 1 : (method->stages + 1) / 2;
}

/* the first ones are real */
static int real_eigenvalues(const dae_method *method) {
  if (own_tableau(method)) return own_tableau(method)->real;
  return family_of(method) == DAE_RK_SDIRK ? 1 : method->stages % 2;
}

/* is the last stage the result of a step? */
static bool ends_with_stage(const dae_method *method) {
  const dae_rk_tableau *own = own_tableau(method);
  return own ? own->stiffly_accurate : method->r_infinity == 0;
}

/* what an iteration may leave of a step, in tolerances: enough, and no more than that with tight
   tolerances, where rounding (relative) leaves more */
static const double NEWTON_LEFT = 0.03, NEWTON_MOST = 0.1, NEWTON_ROUNDING = 2e-13,
                    TIGHTEST = 1e-14;

/* memory only: coefficients take as long as a short run, and a method that stands by for a change
   may never be used. They are computed by the first restart */
static dae_status init(dae_stepper *s, const dae_settings *o, char *message, int size) {
  (void)message, (void)size;
  const size_t nz = (size_t)s->view->nz, n = nz + (size_t)s->view->nmu;
  dae_irk *m = s->data = dae_base_take(s->pool, 1, sizeof *m);
  if (!m) return DAE_E_MEMORY;
  dae_base_moving(s->pool, &m->stage, 1);
  dae_base_moving(s->pool, &m->last_stage, 1);
  const size_t stages = (size_t)s->method->stages;
  m->n = (int)n;
  m->fixed = o->step > 0;
  m->implicit = s->view->equations != NULL;
  if (m->implicit && real_eigenvalues(s->method) > 0) s->noise = dae_base_doubles(s->pool, nz);
  /* rounding of the residual must not look like a lack of convergence */
  double rounding = NEWTON_ROUNDING / fmax(o->rtol, TIGHTEST);
  m->tol = m->tol_most = fmin(NEWTON_MOST, fmax(rounding, fmin(NEWTON_LEFT, sqrt(o->rtol))));
  m->multiplier = o->multiplier == DAE_MULTIPLIER_RECURSION ? DAE_IRK_RECURSION
                  : o->multiplier == DAE_MULTIPLIER_INDEX1  ? DAE_IRK_INDEX1
                                                            : DAE_IRK_INTERPOLATE;
  m->stage = dae_base_doubles(s->pool, stages * n);
  m->update = dae_base_doubles(s->pool, n);
  m->residual = dae_base_doubles(s->pool, stages * n);
  m->last_stage = dae_base_doubles(s->pool, stages * n);
  m->last_z = dae_base_doubles(s->pool, nz);
  m->last_end = dae_base_doubles(s->pool, nz);
  m->point = dae_base_doubles(s->pool, nz);
  m->slope = dae_base_doubles(s->pool, nz);
  m->weight = dae_base_doubles(s->pool, nz);
  if (m->implicit && !ends_with_stage(s->method)) m->end = dae_base_doubles(s->pool, nz);
  m->x = dae_base_data(s->pool, (size_t)eigenvalues(s->method) * n, sizeof *m->x);
  if (s->pool->failed) return DAE_E_MEMORY;
  /* one more factorization for what is done at the end */
  bool projects = !ends_with_stage(s->method) && (s->view->nmu > 0 || m->implicit);
  int count = eigenvalues(s->method), real = real_eigenvalues(s->method);
  return dae_step_pencil_new(&m->pencil, s->pool, s->view, count + projects, real, count);
}

static void destroy(dae_stepper *s) {
  dae_irk *m = s->data;
  if (m) dae_step_pencil_free(m->pencil);
}

static dae_status restart(dae_stepper *s, double t, const double *z, const double *mu) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, nmu = s->view->nmu;
  if (m->t.stages == 0) {
    if (dae_step_irk_tableau(&m->t, s->method) != DAE_OK) return DAE_E_INPUT;
    dae_irk_prepare(m);
  }
  s->t = t;
  s->h_old = 0;
  memmove(s->z, z, (size_t)nz * sizeof *z);
  if (mu && nmu > 0) memmove(s->mu, mu, (size_t)nmu * sizeof *mu);
  m->have_last = m->have_matrix = m->fresh = m->rejected = false;
  m->first = true;
  m->factored_h = m->h_accepted = 0;
  m->confidence = 1;
  m->rate = 0;
  m->fine = 0, m->fine_next = 1;
  s->evaluations++;
  dae_status status = mu || nmu == 0 ? DAE_OK : dae_problem_view_guess(s->view, t, s->z, s->mu);
  return status == DAE_OK ? s->view->rhs(s->view, t, s->z, nmu > 0 ? s->mu : NULL, s->dz, NULL)
                          : status;
}

void dae_irk_extrapolate(const dae_stepper *s, double theta, double *z) {
  const dae_irk *m = s->data;
  double w[DAE_STAGES_MAX], w_end;
  dae_irk_polynomial(m, theta, w, &w_end);
  /* stages are stored as differences to the start, the end as it is */
  dae_irk_sum(m, w, m->last_stage, 0, s->view->nz, z);
  for (int k = 0; k < s->view->nz; k++)
    z[k] += m->last_z[k] + w_end * (m->last_end[k] - m->last_z[k]);
}

/* the multipliers: polynomial through the stages */
static void interpolate_mu(const dae_irk *m, const double *stage, int nz, double theta,
                           double *mu) {
  double w[DAE_STAGES_MAX];
  if (m->n == nz) return;
  dae_step_lagrange(m->t.stages, m->t.c, theta, w);
  dae_irk_sum(m, w, stage, nz, m->n, mu);
}

void dae_irk_predict(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  const int nz = s->view->nz;
  if (m->have_last) dae_irk_ahead(m, h, s->h_old, s->z, nz);
  for (int i = 0; i < m->t.stages; i++) {
    double *W = m->stage + (size_t)i * (size_t)m->n;
    if (m->have_last && m->n == nz) continue;
    if (m->have_last) {
      interpolate_mu(m, m->last_stage, nz, 1 + m->t.c[i] * h / s->h_old, W + nz);
      dae_step_pencil_clean(m->pencil, 0, W + nz);
    } else {
      for (int k = 0; k < nz; k++) W[k] = m->t.c[i] * h * s->dz[k];
      for (int k = nz; k < m->n; k++) W[k] = s->mu[k - nz];
    }
  }
}

/* z1 = z + sum (b' A^-1)_i W_i; mu1 as chosen: (2.5), or the polynomial through the stages */
static dae_status finish(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, nmu = s->view->nmu, stages = m->t.stages;
  const double *last = m->stage + (size_t)(stages - 1) * (size_t)m->n;
  if (m->t.stiffly_accurate) {
    for (int k = 0; k < nz; k++) s->z_new[k] = s->z[k] + last[k];
    memcpy(s->mu_new, last + nz, (size_t)nmu * sizeof *last);
    return DAE_OK;
  }
  dae_irk_sum(m, m->t.bA, m->stage, 0, nz, s->z_new);
  for (int k = 0; k < nz; k++) s->z_new[k] += s->z[k];
  if (m->end) return dae_irk_end(s, h);
  if (nmu == 0) return DAE_OK;
  interpolate_mu(m, m->stage, nz, 1, s->mu_new);
  dae_status status = dae_irk_project(s, h, s->mu_new);
  if (m->multiplier == DAE_IRK_RECURSION)
    for (int k = 0; k < nmu; k++) {
      s->mu_new[k] = m->t.r_infinity * s->mu[k];
      for (int i = 0; i < stages; i++)
        s->mu_new[k] += m->t.bA[i] * m->stage[(size_t)i * (size_t)m->n + (size_t)(nz + k)];
    }
  return status;
}

static dae_status attempt(dae_stepper *s, double h) {
  dae_irk *m = s->data;
  s->h = h;
  /* the matrices of the end of a step that failed are of no use */
  if (m->end && m->rejected) m->have_matrix = false;
  dae_status status = dae_irk_solve(s, h);
  if (status == DAE_OK) status = finish(s, h);
  if (status == DAE_OK && !m->fixed) status = dae_irk_estimate(s, h);
  if (status != DAE_OK) m->rejected = true;
  return status;
}

static dae_status accept(dae_stepper *s) {
  dae_irk *m = s->data;
  const int nz = s->view->nz, nmu = s->view->nmu;
  /* z' at the end: as solved for, or the derivative of the collocation polynomial there */
  double w[DAE_STAGES_MAX];
  for (int j = 0; j < m->t.stages; j++) w[j] = m->end_slope[j] / s->h;
  if (m->end) memcpy(s->dz, m->end, (size_t)nz * sizeof *s->dz);
  else dae_irk_sum(m, w, m->stage, 0, nz, s->dz);
  double *swap = m->last_stage;
  m->last_stage = m->stage, m->stage = swap;
  memcpy(m->last_z, s->z, (size_t)nz * sizeof *s->z);
  memcpy(m->last_end, s->z_new, (size_t)nz * sizeof *s->z);
  memcpy(s->z, s->z_new, (size_t)nz * sizeof *s->z);
  memcpy(s->mu, s->mu_new, (size_t)nmu * sizeof *s->mu);
  s->t_old = s->t, s->h_old = s->h;
  s->t += s->h;
  m->have_last = true;
  m->first = m->rejected = m->fresh = false;
  if (nmu == 0) return DAE_OK;
  if (m->multiplier == DAE_IRK_INDEX1) {
    dae_point_at(s->view->point, s->t, s->z);
    return dae_point_accelerate(s->view->point, m->slope, s->y);
  }
  return s->view->multipliers ? s->view->multipliers(s->view, s->t, s->z, s->mu, s->y) : DAE_OK;
}

/* SDIRK, whose inner stages are of order 1 only:
     z(theta) = z0 + sum_i (theta u_i + theta^2 (b_i - u_i)) h k_i,   h k = A^-1 W,
   of order 2 with sum u_i = 1, sum u_i c_i = 0; the shortest such u. The end is the accepted one */
static void parabola(const dae_stepper *s, double theta, double *z) {
  const dae_irk *m = s->data;
  const dae_rk_tableau *t = &m->t;
  double c1 = 0, c2 = 0, w[DAE_STAGES_MAX] = {0}, square = theta * theta;
  int n = t->stages;
  for (int i = 0; i < n; i++) c1 += t->c[i], c2 += t->c[i] * t->c[i];
  /* weights of the stages W: the rows of A^-1 are gathered */
  for (int i = 0; i < n; i++) {
    double u = (c2 - c1 * t->c[i]) / (n * c2 - c1 * c1);
    for (int j = 0; j < n; j++) w[j] += (theta - square) * u * t->inverse[i][j];
  }
  for (int k = 0; k < s->view->nz; k++) {
    double sum = m->last_z[k] + square * (m->last_end[k] - m->last_z[k]);
    for (int j = 0; j < n; j++) sum += w[j] * m->last_stage[(size_t)j * (size_t)m->n + (size_t)k];
    z[k] = sum;
  }
}

static dae_status dense(dae_stepper *s, double theta, double *z, double *y) {
  dae_irk *m = s->data;
  if (m->t.triangular && m->t.stages > 1) parabola(s, theta, m->point);
  else dae_irk_extrapolate(s, theta, m->point);
  dae_status status = DAE_OK;
  if (y && (s->view->nmu == 0 || !s->view->multipliers)) status = DAE_E_FORM;
  else if (y) {
    interpolate_mu(m, m->last_stage, s->view->nz, theta, (double *)m->x);
    status =
        s->view->multipliers(s->view, s->t_old + theta * s->h_old, m->point, (double *)m->x, y);
  }
  if (z) memcpy(z, m->point, (size_t)s->view->nz * sizeof *z);
  return status;
}

/* the step is shorter than the one that makes the error one tolerance by this factor, and by more
   where the iteration took more than one of so many corrections (Hairer and Wanner IV.8) */
static const double SAFETY = 0.9;
enum { CORRECTIONS = 7 };
/* factors of the step; a change between 1 and WORTH would cost a factorization and gain nothing */
static const double SHRINK_LEAST = 0.2, SHRINK_MOST = 0.9, GROW_MOST = 8, WORTH = 1.2;
/* what the last step is remembered by: errors far below the tolerance say nothing about a trend */
static const double NORM_REMEMBERED = 1e-2;
/* contraction of the iteration that a longer step may lead to */
static const double RATE_MOST = 0.3;

/* x^(1/k); the roots that most methods ask for cost a tenth of a power */
static double root(double x, int k) {
  return k == 4 ? sqrt(sqrt(x)) : k == 2 ? sqrt(x) : pow(x, 1.0 / k);
}

/* h_new = h safety err^(-1/(q+1)), with a look at the last step (Gustafsson) and none of the small
   changes that would cost a factorization */
static double next_step(dae_stepper *s, double norm, bool accepted) {
  dae_irk *m = s->data;
  const int order = s->method->estimate + 1;
  const double safety =
      fmin(SAFETY, SAFETY * (1 + 2 * CORRECTIONS) / (m->iterations + 2 * CORRECTIONS));
  norm = fmax(norm, DAE_STEP_NORM_LEAST);
  double factor = fmin(GROW_MOST, fmax(SHRINK_LEAST, safety / root(norm, order)));
  if (!accepted) {
    m->rejected = true;
    return s->h * fmin(factor, SHRINK_MOST);
  }
  if (m->h_accepted != 0) {
    double gustafsson =
        SAFETY * s->h / m->h_accepted * root(m->norm_accepted / (norm * norm), order);
    factor = fmin(factor, fmax(SHRINK_LEAST, gustafsson));
  }
  /* Newton's rate grows with h at least: no longer than it can converge */
  if (m->rate > 0) factor = fmin(factor, RATE_MOST / m->rate);
  m->h_accepted = s->h;
  m->norm_accepted = fmax(norm, NORM_REMEMBERED);
  return factor >= 1 && factor <= WORTH ? s->h : s->h * factor;
}

static dae_status answer(dae_stepper *s, const double *p, double *out) {
  const dae_irk *m = s->data;
  if (m->factored_h == 0) return DAE_E_FORM;
  return dae_step_pencil_answer(m->pencil, 0, s->t, s->z, s->dz, p, out);
}

const dae_stepper_class dae_step_irk = {.init = init,
                                        .restart = restart,
                                        .attempt = attempt,
                                        .accept = accept,
                                        .dense = dense,
                                        .next_step = next_step,
                                        .answer = answer,
                                        .destroy = destroy};
