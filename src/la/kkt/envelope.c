/* L D L' of a symmetric positive (semi)definite matrix inside its envelope */
#include <math.h>
#include <string.h>

#include "la/kkt/envelope.h"
#include "la/sparse/order.h"

/* first[new] for an order, and the multiplications of a factorization: sum of the squared row
   lengths */
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

/* Where nearly every row has one neighbour before it at most, as in chains, rows are taken from
   both ends in turn: that fills in nothing, and each row waits for the last but one only. Rows with
   more neighbours get wider by this. */
static bool suits_both_ends(const dae_la_envelope *e) {
  int narrow = 0;
  for (int i = 0; i < e->n; i++) narrow += e->first[i] >= i - 1;
  return e->n >= 8 && narrow >= 0.9 * e->n;
}

static void take_both_ends(int n, int *order, int *scratch) {
  for (int i = 0; i < n; i++) scratch[i] = order[i % 2 ? n - 1 - i / 2 : i / 2];
  for (int i = 0; i < n; i++) order[i] = scratch[i];
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
  e->twisted = suits_both_ends(e);
  if (e->twisted) {
    take_both_ends(e->n, e->order, scratch);
    *work = measure(p, column_start, column_row, e->order, e->place, e->first);
  } else if (natural <= *work) {
    dae_base_give(pool, e->order);
    e->order = NULL;
  }
  dae_base_give(pool, scratch);
  return DAE_OK;
}

dae_status dae_la_envelope_take(dae_la_envelope *e, dae_pool *pool) {
  size_t n = (size_t)e->n;
  e->start = dae_base_data(pool, n + 1, sizeof *e->start);
  if (!e->start) return DAE_E_MEMORY;
  for (int i = 0; i < e->n && !e->tree; i++)
    e->start[i + 1] = e->start[i] + (size_t)(i - e->first[i]);
  if (e->tree && dae_la_tree_take(e->tree, pool) != DAE_OK) return DAE_E_MEMORY;
  e->values = dae_base_doubles(pool, e->start[n]);
  e->reciprocal = dae_base_doubles(pool, n);
  e->top = dae_base_doubles(pool, n);
  e->x = dae_base_doubles(pool, n);
  e->y = dae_base_doubles(pool, n);
  e->c = dae_base_doubles(pool, n);
  e->v = dae_base_doubles(pool, n);
  e->w = dae_base_doubles(pool, n);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

void dae_la_envelope_begin(dae_la_envelope *e, double tol) {
  e->tol = tol;
  e->missing = 0;
  e->least = e->smallest = 1;
  e->row = -1;
}

static void forward(const dae_la_envelope *e, double *x) {
  if (e->tree) dae_la_tree_forward(e->tree, x);
  for (int i = 0; i < e->n && !e->tree; i++)
    x[i] -= dae_la_dot(i - e->first[i], e->values + e->start[i], x + e->first[i]);
}

static void backward(const dae_la_envelope *e, double *x) {
  if (e->tree) dae_la_tree_backward(e->tree, x);
  for (int i = e->n - 1; i >= 0 && !e->tree; i--)
    dae_la_subtract(i - e->first[i], x[i], e->values + e->start[i], x + e->first[i]);
}

/*
 * The null vector L^-T e_k of one dependent row k, of unit length, in v. That of a row stated twice
 * ends at its twin; what rounding leaves of it further on is dropped, so that the twin costs
 * nothing.
 */
static void one_null_vector(dae_la_envelope *e) {
  double *v = e->v, square = 0;
  const int k = e->dropped;
  int reach = k;
  v[k] = 1;
  for (int i = k; i >= reach; i--) {
    if (fabs(v[i]) <= 1e-13) {
      v[i] = 0;
      continue;
    }
    while (reach > e->first[i]) v[--reach] = 0;
    dae_la_subtract(i - e->first[i], v[i], e->values + e->start[i], v + e->first[i]);
    square += v[i] * v[i];
  }
  e->null_first = reach;
  e->null_end = k + 1;
  for (int i = reach; i <= k; i++) v[i] /= sqrt(square);
}

/* the same along a tree, where neighbours may be anywhere */
static void tree_null_vector(dae_la_envelope *e) {
  double *v = e->v;
  memset(v, 0, (size_t)e->n * sizeof *v);
  v[e->dropped] = 1;
  backward(e, v);
  const double length = sqrt(dae_la_dot(e->n, v, v));
  for (int i = 0; i < e->n; i++) v[i] /= length;
  e->null_first = 0;
  e->null_end = e->n;
}

void dae_la_envelope_end(dae_la_envelope *e) {
  if (e->missing == 1 && e->tree) tree_null_vector(e);
  else if (e->missing == 1) one_null_vector(e);
}

static double pivot_of_tree(void *ctx, int i, double s, double d) {
  dae_la_envelope *e = ctx;
  dae_la_envelope_pivot(e, i, s, d);
  return e->reciprocal[i];
}

void dae_la_envelope_factor_tree(dae_la_envelope *e, const double *diagonal) {
  dae_la_tree_factor(e->tree, diagonal, e->reciprocal, pivot_of_tree, e);
}

/* keep what belongs to dependent rows */
static void only_missing(const dae_la_envelope *e, double *x) {
  for (int i = 0; i < e->n; i++)
    if (e->reciprocal[i] != 0) x[i] = 0;
}

/*
 * The null space is spanned by N = L^-T E, E the unit vectors of the dependent rows. Subtract from
 * x its part there: x - N c with N'N c = N'x, by conjugate gradients, where N and N' are
 * substitutions.
 */
static void least_norm(dae_la_envelope *e, double *x) {
  int n = e->n;
  if (e->missing == 1) {
    const int size = e->null_end - e->null_first;
    const double *v = e->v + e->null_first;
    x += e->null_first;
    dae_la_subtract(size, dae_la_dot(size, v, x), v, x);
    return;
  }
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

void dae_la_envelope_substitute(dae_la_envelope *e) {
  forward(e, e->x);
  for (int i = 0; i < e->n; i++) e->y[i] = e->x[i] * e->reciprocal[i];
}

void dae_la_envelope_backward(dae_la_envelope *e) {
  backward(e, e->y);
  if (e->missing) least_norm(e, e->y);
}

void dae_la_envelope_solve(dae_la_envelope *e, double *b) {
  for (int i = 0; i < e->n; i++) e->x[i] = b[dae_la_envelope_old(e, i)];
  dae_la_envelope_substitute(e);
  dae_la_envelope_backward(e);
  for (int i = 0; i < e->n; i++) b[dae_la_envelope_old(e, i)] = e->y[i];
}
