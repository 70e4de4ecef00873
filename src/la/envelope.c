/* L D L' of a symmetric positive (semi)definite matrix inside its envelope */
#include <math.h>
#include <string.h>

#include "la/envelope.h"
#include "la/kernel.h"
#include "la/order.h"

/* first[new] for an order, and the multiplications of a factorization: sum of the squared row lengths */
static double measure(const dae_pattern *p, const int *column_start, const int *column_row,
                      const int *order, int *place, int *first) {
  double work = 0;
  for (int i = 0; i < p->rows; i++) place[order[i]] = i;
  for (int i = 0; i < p->rows; i++) {
    int r = order[i], low = i;
    for (int k = p->start[r]; k < p->start[r + 1]; k++)
      for (int m = column_start[p->column[k]]; m < column_start[p->column[k] + 1]; m++)
        if (place[column_row[m]] < low) low = place[column_row[m]];
    first[i] = low;
    work += (double)(i - low + 1) * (i - low + 1);
  }
  return work;
}

dae_status dae_la_envelope_order(dae_la_envelope *e, dae_pool *pool, const dae_pattern *p,
                                 const int *column_start, const int *column_row, double *work) {
  size_t n = (size_t)p->rows;
  e->n = p->rows;
  e->order = dae_base_ints(pool, n);
  e->place = dae_base_ints(pool, n);
  e->first = dae_base_ints(pool, n);
  int *scratch = dae_base_ints(pool, 3 * n);
  if (pool->failed) return DAE_E_MEMORY;
  /* the natural order when it is as good: memory is then read as the user wrote it */
  for (int i = 0; i < e->n; i++) e->order[i] = i;
  double natural = measure(p, column_start, column_row, e->order, e->place, e->first);
  dae_la_order(p, column_start, column_row, e->order, scratch);
  *work = measure(p, column_start, column_row, e->order, e->place, e->first);
  if (natural <= *work) {
    for (int i = 0; i < e->n; i++) e->order[i] = i;
    *work = measure(p, column_start, column_row, e->order, e->place, e->first);
  }
  dae_base_give(pool, scratch);
  return DAE_OK;
}

dae_status dae_la_envelope_take(dae_la_envelope *e, dae_pool *pool) {
  size_t n = (size_t)e->n;
  e->start = dae_base_take(pool, n + 1, sizeof *e->start);
  if (!e->start) return DAE_E_MEMORY;
  for (int i = 0; i < e->n; i++) e->start[i + 1] = e->start[i] + (size_t)(i - e->first[i]);
  e->values = dae_base_doubles(pool, e->start[n]);
  e->diagonal = dae_base_doubles(pool, n);
  e->reciprocal = dae_base_doubles(pool, n);
  e->x = dae_base_doubles(pool, n);
  e->c = dae_base_doubles(pool, n);
  e->v = dae_base_doubles(pool, n);
  e->w = dae_base_doubles(pool, n);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

/* row i: u_j = s_ij - sum_k u_k l_jk, l_ij = u_j / d_j; returns d_i = s_ii - sum_j u_j l_ij */
static double factor_row(dae_la_envelope *e, int i) {
  int low = e->first[i];
  double *row = e->values + e->start[i], d = e->diagonal[i];
  for (int j = low + 1; j < i; j++) {
    int from = e->first[j] > low ? e->first[j] : low;
    const double *other = e->values + e->start[j] + (from - e->first[j]);
    row[j - low] -= dae_la_dot(j - from, row + (from - low), other);
  }
  for (int j = low; j < i; j++) {
    double u = row[j - low], l = u * e->reciprocal[j];
    row[j - low] = l;
    d -= u * l;
  }
  return d;
}

/* a row whose pivot is rounding error depends on those before it: 1/d := 0 leaves it out */
void dae_la_envelope_factor(dae_la_envelope *e, double tol, double *top, double *least,
                            double *smallest, int *row) {
  e->missing = 0;
  *least = *smallest = 1;
  *row = -1;
  for (int i = 0; i < e->n; i++) {
    double s = e->diagonal[i], d = factor_row(e, i), *most = top + e->order[i];
    if (s > *most) *most = s;
    if (d > tol * s) {
      e->reciprocal[i] = 1 / d;
      if (d < *least * s) *least = d / s;
      if (d < *smallest * *most) *smallest = d / *most;
    } else {
      e->reciprocal[i] = 0;
      e->missing++;
      if (*row < 0 || e->order[i] < *row) *row = e->order[i];
    }
  }
}

static void forward(const dae_la_envelope *e, double *x) {
  for (int i = 0; i < e->n; i++)
    x[i] -= dae_la_dot(i - e->first[i], e->values + e->start[i], x + e->first[i]);
}

static void backward(const dae_la_envelope *e, double *x) {
  for (int i = e->n - 1; i >= 0; i--)
    dae_la_subtract(i - e->first[i], x[i], e->values + e->start[i], x + e->first[i]);
}

/* keep what belongs to dependent rows */
static void only_missing(const dae_la_envelope *e, double *x) {
  for (int i = 0; i < e->n; i++)
    if (e->reciprocal[i] != 0) x[i] = 0;
}

/*
 * The null space is spanned by N = L^-T E, E the unit vectors of the dependent rows. Subtract from x its
 * part there: x - N c with N'N c = N'x, by conjugate gradients, where N and N' are substitutions.
 */
static void least_norm(dae_la_envelope *e, double *x) {
  int n = e->n;
  double *r = e->v, *q = e->w, *direction = e->c, last = 0, begin = 0;
  size_t bytes = (size_t)n * sizeof *x;
  memset(direction, 0, bytes);
  for (int pass = 0; pass <= e->missing && pass < 50; pass++) {
    /* x is orthogonal to N when r = N'x vanishes */
    memcpy(r, x, bytes);
    forward(e, r);
    only_missing(e, r);
    double square = dae_la_dot(n, r, r);
    if (pass == 0) begin = square;
    if (!(square > 1e-30 * begin)) return;
    double beta = pass ? square / last : 0;
    last = square;
    for (int i = 0; i < n; i++) direction[i] = r[i] + beta * direction[i];
    memcpy(q, direction, bytes);
    backward(e, q);
    dae_la_subtract(n, square / dae_la_dot(n, q, q), q, x);
  }
}

void dae_la_envelope_solve(dae_la_envelope *e, double *b) {
  double *x = e->x;
  for (int i = 0; i < e->n; i++) x[i] = b[e->order[i]];
  forward(e, x);
  for (int i = 0; i < e->n; i++) x[i] *= e->reciprocal[i];
  backward(e, x);
  if (e->missing) least_norm(e, x);
  for (int i = 0; i < e->n; i++) b[e->order[i]] = x[i];
}
