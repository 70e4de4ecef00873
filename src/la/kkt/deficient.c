/* dependent constraints: which ones, and multipliers of minimum norm */
#include <math.h>
#include <string.h>

#include "la/dense/kernel.h"
#include "la/kkt/kkt.h"

dae_status dae_la_deficient_new(dae_la_deficient *d, dae_pool *pool, int rows, int cols) {
  size_t m = (size_t)rows, most = rows > cols ? m : (size_t)cols;
  d->rows = rows;
  d->cols = cols;
  d->rank = rows;
  d->A = dae_base_doubles(pool, m * (size_t)cols);
  d->scale = dae_base_doubles(pool, m);
  d->left = dae_base_doubles(pool, m);
  d->null = dae_base_doubles(pool, m * m);
  d->tau = dae_base_doubles(pool, most);
  d->x = dae_base_doubles(pool, most);
  d->work = dae_base_doubles(pool, 3 * most);
  d->perm = dae_base_ints(pool, m);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* rows of A to unit length; by division, as 1/length of a tiny row would overflow */
static void scale_rows(dae_la_deficient *d) {
  for (int i = 0; i < d->rows; i++) {
    double *a = d->A + (size_t)i * d->cols, length = dae_la_norm2(d->cols, a);
    d->scale[i] = length > 0 ? length : 1;
    for (int j = 0; j < d->cols; j++) a[j] /= d->scale[i];
  }
}

/* y less its parts along the first `count` vectors of the null space. Entries where these are zero
   stay as they are to the last bit, as small as they may be beside others: units of rows differ */
static void leave_out(const dae_la_deficient *d, int count, double *y) {
  for (int i = 0; i < count; i++) {
    const double *v = d->null + (size_t)i * d->rows;
    double part = dae_la_dot(d->rows, v, y);
    for (int j = 0; j < d->rows; j++) y[j] -= part * v[j];
  }
}

/* A' P = Q [R1 R2; 0 0]: the null space of z -> A' z is P [-R1^-1 R2; I], that of y is
   z / scale */
static void null_space(dae_la_deficient *d) {
  int k = d->rank, missing = d->rows - k;
  for (int i = 0; i < missing; i++) {
    double *v = d->null + (size_t)i * d->rows, *t = d->work;
    memcpy(t, d->A + (size_t)(k + i) * d->cols, (size_t)k * sizeof *t);
    dae_la_qr_backward(d->cols, k, d->A, t);
    memset(v, 0, (size_t)d->rows * sizeof *v);
    for (int j = 0; j < k; j++)
      if (fabs(t[j]) > DAE_LA_NO_PART) v[d->perm[j]] = -t[j] / d->scale[d->perm[j]];
    v[d->perm[k + i]] = 1 / d->scale[d->perm[k + i]];
  }
  for (int i = 0; i < missing; i++) {
    double *v = d->null + (size_t)i * d->rows;
    leave_out(d, i, v);
    leave_out(d, i, v);
    double length = dae_la_norm2(d->rows, v);
    for (int j = 0; j < d->rows && length > 0; j++) v[j] /= length;
  }
}

void dae_la_deficient_factor(dae_la_deficient *d, double tol) {
  scale_rows(d);
  d->rank = dae_la_qr_rank(d->rows, d->cols, d->A, tol, d->perm, d->tau, d->work);
  if (d->rank < d->rows) null_space(d);
}

double dae_la_deficient_last(const dae_la_deficient *d) {
  int k = d->rank - 1;
  return k >= 0 ? fabs(d->A[(size_t)k * d->cols + k]) : 0;
}

/* z = P [R1^-1 c; 0], y = z / scale */
static void finish(dae_la_deficient *d, double *c, double *y) {
  int k = d->rank;
  dae_la_qr_backward(d->cols, k, d->A, c);
  memset(y, 0, (size_t)d->rows * sizeof *y);
  for (int i = 0; i < k; i++) y[d->perm[i]] = c[i] / d->scale[d->perm[i]];
}

void dae_la_deficient_shorten(const dae_la_deficient *d, double *y) {
  leave_out(d, d->rows - d->rank, y);
}

void dae_la_deficient_solve_normal(dae_la_deficient *d, double *s) {
  double *c = d->x;
  for (int i = 0; i < d->rank; i++) c[i] = s[d->perm[i]] / d->scale[d->perm[i]];
  dae_la_qr_forward(d->cols, d->rank, d->A, c);
  finish(d, c, s);
}

void dae_la_deficient_solve(dae_la_deficient *d, double *s) {
  double *c = d->x;
  for (int i = 0; i < d->rows; i++) c[i] = s[i] / d->left[i];
  dae_la_qr_apply_t(d->cols, d->rank, d->A, d->tau, c);
  finish(d, c, s);
}
