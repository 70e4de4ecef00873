/* numerical derivatives: accurate to about 1e-10, so that Newton and drift do not see them */
#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/problem.h"

/* J_ij = (8 (f(+e) - f(-e)) - (f(+2e) - f(-2e))) / 12 e,  error O(e^4) + eps/e */
dae_status dae_problem_difference(const dae_vector *f, double t, const double *z, double *J) {
  static const double shift[4] = {1, -1, 2, -2};
  const int n = f->n, rows = f->rows;
  double *z_work = f->z_work, *f_work = f->f_work;
  double largest = 0;
  for (int j = 0; j < n; j++) largest = fmax(largest, fabs(z[j]));
  memcpy(z_work, z, (size_t)n * sizeof *z);
  for (int j = 0; j < n; j++) {
    double size = fmax(fabs(z[j]), 1e-2 * largest);
    if (size == 0) size = 1;
    /* a step that is exactly representable next to z[j] */
    volatile double moved = z[j] + 3e-4 * size;
    double e = moved - z[j];
    for (int k = 0; k < 4; k++) {
      z_work[j] = z[j] + shift[k] * e;
      dae_status status = f->fn(f->ctx, t, z_work, f_work + k * rows);
      if (status != DAE_OK) return status;
    }
    z_work[j] = z[j];
    const double *p1 = f_work, *m1 = p1 + rows, *p2 = m1 + rows, *m2 = p2 + rows;
    for (int i = 0; i < rows; i++)
      J[(size_t)i * n + j] = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * e);
  }
  return DAE_OK;
}

/* the line (t + s dt, z + s dz) */
typedef struct line {
  double t, dt;
  const double *z, *dz;
} line;

/* out := (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3)) / 60 e along the line */
static dae_status sixth_order(const dae_vector *f, const line *l, double e, double *out,
                              double *size) {
  static const double weight[3] = {45, -9, 1};
  const int n = f->n, rows = f->rows;
  double *z_work = f->z_work, *f_work = f->f_work;
  memset(out, 0, (size_t)rows * sizeof *out);
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    for (int j = 0; j < n; j++) z_work[j] = l->z[j] + k * e * l->dz[j];
    dae_status status = f->fn(f->ctx, l->t + k * e * l->dt, z_work, f_work);
    if (status != DAE_OK) return status;
    double w = (k > 0 ? 1 : -1) * weight[(k > 0 ? k : -k) - 1] / (60 * e);
    for (int i = 0; i < rows; i++) {
      out[i] += w * f_work[i];
      *size = fmax(*size, fabs(f_work[i]));
    }
  }
  return DAE_OK;
}

/* The scale of the motion is not known (fast coefficients in t), so the step is shortened until two
   successive values agree; the best pair is kept. */
dae_status dae_problem_directional(const dae_vector *f, double t, double dt, const double *z,
                                   const double *dz, double *out) {
  const int n = f->n, rows = f->rows;
  const line along = {t, dt, z, dz};
  double speed = fabs(dt), size = 1;
  for (int j = 0; j < n; j++) {
    speed = fmax(speed, fabs(dz[j]));
    size = fmax(size, fabs(z[j]));
  }
  if (speed == 0) {
    memset(out, 0, (size_t)rows * sizeof *out);
    return DAE_OK;
  }
  double e = 2e-2 * size / speed, best = INFINITY;
  double *previous = f->f_work + rows, *value = previous + rows;
  bool have = false;
  dae_status status = DAE_OK;
  for (int trial = 0; trial < 7; trial++, e /= 8) {
    double largest = 0;
    status = sixth_order(f, &along, e, value, &largest);
    if (status == DAE_STOPPED) return status;
    if (status != DAE_OK) continue;
    /* where the derivative itself vanishes, the terms that cancel in it are the measure */
    double gap = 0, norm = 0.1 * largest / e;
    for (int i = 0; have && i < rows; i++) {
      gap = fmax(gap, fabs(value[i] - previous[i]));
      norm = fmax(norm, fabs(value[i]));
    }
    bool agree = have && gap <= 1e-9 * norm;
    /* the earlier one of a pair that agrees has less rounding, else the later one less
       truncation */
    if (!have || gap < best) memcpy(out, agree ? previous : value, (size_t)rows * sizeof *out);
    if (agree || (have && gap > 1e3 * best)) return DAE_OK;
    if (have) best = fmin(best, gap);
    have = true;
    memcpy(previous, value, (size_t)rows * sizeof *previous);
  }
  return have ? DAE_OK : status;
}
