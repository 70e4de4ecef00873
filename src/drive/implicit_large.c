/*
 * Consistent values of 0 = F(t,x,x') of index 1 with many variables: one factorization of
 * E + delta A a step, delta a very short time. With (E + delta A) d = -F the part
 *   p = (E + delta A)^-1 E d
 * of d is the change of x', and the rest, which E does not see, is that of the algebraic part of x
 * over delta.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/implicit.h"
#include "step/newton.h"

static const double SHORT = 1e-8;   /* delta, beside the path */
static const double SOLVED = 1e-10; /* corrections, in sizes of the variables */
enum { STEPS = 60, HALVINGS = 12 };

typedef struct dae_implicit_large large;
struct dae_implicit_large {
  dae_solver *s;
  dae_step_matrix matrix;
  double delta, time;
  double *d, *p, *r, *x, *dx, *unit; /* n each */
};

/* F at (x, dx) in units of its rows; the norm of it, infinite where it has no value */
static double norm_at(large *m, const double *x, const double *dx, dae_status *status) {
  const int n = m->s->sys->nz;
  double sum = 0;
  *status = dae_residual_value(m->s->implicit->r, m->s->t, x, dx, m->r);
  if (*status != DAE_OK) return INFINITY;
  for (int i = 0; i < n; i++) sum += (m->r[i] / m->unit[i]) * (m->r[i] / m->unit[i]);
  return sqrt(sum / n);
}

static dae_status factor(large *m) {
  struct dae_implicit_run *w = m->s->implicit;
  const dae_residual *r = w->r;
  double *E = w->values, *A = E + r->size;
  dae_status status = dae_residual_matrices(w->r, m->s->t, m->s->z, m->s->dz, DAE_FOR_NEWTON, E, A);
  if (status != DAE_OK) return status;
  for (int i = 0; i < r->n; i++) {
    double most = 0;
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++) {
      m->matrix.values[k] = E[k] + m->delta * A[k];
      most = fmax(most, (fabs(E[k]) / m->time + fabs(A[k])) * w->X[dae_residual_column(r, i, k)]);
    }
    m->unit[i] = most > 0 ? most : 1;
  }
  return dae_step_matrix_factor(&m->matrix);
}

/* p and d - p from the residual in m->r */
static void split(large *m) {
  const struct dae_implicit_run *w = m->s->implicit;
  const dae_residual *r = w->r;
  for (int i = 0; i < r->n; i++) m->d[i] = -m->r[i];
  dae_step_matrix_solve(&m->matrix, m->d);
  for (int i = 0; i < r->n; i++) {
    double sum = 0;
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      sum += w->values[k] * m->d[dae_residual_column(r, i, k)];
    m->p[i] = sum;
  }
  dae_step_matrix_solve(&m->matrix, m->p);
  for (int j = 0; j < r->n; j++) m->d[j] = m->delta * (m->d[j] - m->p[j]);
}

/* along (d, p) as far as F falls; the size of the correction, negative: nowhere */
static double move(large *m, const unsigned char *fixed, double before, dae_status *status) {
  dae_solver *s = m->s;
  const int n = s->sys->nz;
  const size_t bytes = (size_t)n * sizeof *m->x;
  double lambda = 1, size = 0;
  for (int j = 0; j < n; j++) {
    if (fixed && fixed[j]) m->d[j] = 0;
    double X = s->implicit->X[j], slope = fmax(X / m->time, fabs(s->dz[j]));
    size = fmax(size, fmax(fabs(m->d[j]) / X, fabs(m->p[j]) / slope));
  }
  for (int k = 0; k < HALVINGS; k++, lambda /= 2) {
    for (int j = 0; j < n; j++) {
      m->x[j] = s->z[j] + lambda * m->d[j];
      m->dx[j] = s->dz[j] + lambda * m->p[j];
    }
    double now = norm_at(m, m->x, m->dx, status);
    if (*status == DAE_STOPPED) return -1;
    if (!(now <= (1 - 0.1 * lambda) * before) && size > SOLVED) continue;
    memcpy(s->z, m->x, bytes);
    memcpy(s->dz, m->dx, bytes);
    *status = DAE_OK;
    return size;
  }
  return -1;
}

static dae_status worst_equation(large *m, bool held) {
  dae_solver *s = m->s;
  int bad = 0;
  for (int i = 1; i < s->sys->nz; i++)
    if (fabs(m->r[i]) / m->unit[i] > fabs(m->r[bad]) / m->unit[bad]) bad = i;
  dae_problem_equation_name(s->p, bad, s->report.equation, DAE_NAME_MAX);
  s->report.residual = m->r[bad];
  return dae_drive_report(s, DAE_E_INCONSISTENT,
                          "no consistent values near the initial ones%s: %s is off by %.3g",
                          held ? " with the fixed values held" : "", s->report.equation, m->r[bad]);
}

/* an equation in which nothing stands, or where the elimination came to its end */
static int culprit(const large *m) {
  const dae_residual *r = m->s->implicit->r;
  for (int i = 0; i < r->n; i++) {
    double most = 0;
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      most = fmax(most, fabs(m->matrix.values[k]));
    if (most == 0) return i;
  }
  return m->matrix.culprit;
}

static dae_status iterate(large *m, const unsigned char *fixed) {
  dae_solver *s = m->s;
  dae_status status;
  for (int k = 0; k < STEPS; k++) {
    status = factor(m);
    if (status == DAE_E_SINGULAR) {
      dae_problem_equation_name(s->p, culprit(m), s->report.equation, DAE_NAME_MAX);
      return dae_drive_report(s, DAE_E_RANK, "the equations do not determine the variables, at %s",
                              s->report.equation);
    }
    double before = status == DAE_OK ? norm_at(m, s->z, s->dz, &status) : 0;
    if (status != DAE_OK) return status;
    split(m);
    double size = move(m, fixed, before, &status);
    if (status == DAE_STOPPED) return status;
    if (size >= 0 && size <= SOLVED) return DAE_OK;
    if (size < 0) break;
  }
  norm_at(m, s->z, s->dz, &status);
  return worst_equation(m, fixed != NULL);
}

dae_status dae_drive_implicit_large_new(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const size_t n = (size_t)s->sys->nz;
  large *m = w->large = dae_base_take(&s->pool, 1, sizeof *m);
  double *d = dae_base_doubles(&s->pool, 6 * n);
  if (s->pool.failed) return DAE_E_MEMORY;
  *m = (large){.s = s, .d = d, .p = d + n, .r = d + 2 * n};
  m->x = m->r + n, m->dx = m->x + n, m->unit = m->dx + n;
  return dae_step_matrix_new(&m->matrix, &s->pool, (int)n,
                             w->r->pattern.start ? &w->r->pattern : NULL);
}

void dae_drive_implicit_free(dae_solver *s) {
  if (s->implicit && s->implicit->large) dae_step_matrix_free(&s->implicit->large->matrix);
}

dae_status dae_drive_implicit_large(dae_solver *s, const unsigned char *fixed) {
  large *m = s->implicit->large;
  const dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  m->delta = SHORT * path.length;
  m->time = fabs(path.length);
  return iterate(m, fixed);
}
