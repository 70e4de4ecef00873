/* symmetric positive (semi)definite matrices with a narrow envelope: L D L' in O(rows) for
   chains */
#ifndef DAE_LA_ENVELOPE_H
#define DAE_LA_ENVELOPE_H

#include "la/kernel.h"
#include "la/la.h"

/* S in the order `order`: row i has its places from column first[i] to i - 1 at values[start[i]]
   .. */
typedef struct dae_la_envelope {
  int n;
  int *order, *place; /* order[new] = old, place[old] = new; order NULL: they are the same */
  int *first;
  size_t *start;            /* n + 1 */
  double *values;           /* S below the diagonal, then L */
  double *reciprocal;       /* 1/d_i; 0 for a dependent row */
  double *top;              /* the largest s_ii ever */
  double *x;                /* n: the vector that substitutions work on */
  double *c, *v, *w;        /* n each: work of dependent rows */
  int null_first, null_end; /* where the null vector in v is not zero, when one row is dependent */
  /* of the last elimination */
  double tol; /* d_i <= tol s_ii: dependent */
  double least,
      smallest; /* min d_i / s_ii and min d_i / top_i over the rows that count, 1 at most */
  int missing;  /* dependent rows */
  int row;      /* the first of them in old order, or -1 */
} dae_la_envelope;

/* S has a place wherever two rows of the pattern share a column. Finds the order; *work tells what
   one factorization will multiply. column_start and column_row: the pattern by columns. */
dae_status dae_la_envelope_order(dae_la_envelope *e, dae_pool *pool, const dae_pattern *pattern,
                                 const int *column_start, const int *column_row, double *work);
/* the memory for the numbers */
dae_status dae_la_envelope_take(dae_la_envelope *e, dae_pool *pool);

/*
 * Elimination goes row by row, so that whoever fills S and has a right-hand side can do both on the
 * way: begin, then for each row its places, dae_la_envelope_eliminate and dae_la_envelope_forward,
 * then end.
 */
void dae_la_envelope_begin(dae_la_envelope *e, double tol);
void dae_la_envelope_end(dae_la_envelope *e);
/* x := L^-T D^-1 x; with dependent rows the solution of minimum norm of a consistent system */
void dae_la_envelope_backward(dae_la_envelope *e);
/* b := S^-1 b in old order, with all substitutions */
void dae_la_envelope_solve(dae_la_envelope *e, double *b);

static inline int dae_la_envelope_old(const dae_la_envelope *e, int i) {
  return e->order ? e->order[i] : i;
}

/* row i: u_j = s_ij - sum_k u_k l_jk, l_ij = u_j / d_j, d_i = s_ii - sum_j u_j l_ij. A row whose
   pivot is rounding error depends on those before it: 1/d := 0 leaves it out. */
static inline void dae_la_envelope_eliminate(dae_la_envelope *e, int i, double s) {
  const int low = e->first[i];
  double *row = e->values + e->start[i], d = s;
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
  if (s > e->top[i]) e->top[i] = s;
  if (d > e->tol * s) {
    e->reciprocal[i] = 1 / d;
    if (d < e->least * s) e->least = d / s;
    if (d < e->smallest * e->top[i]) e->smallest = d / e->top[i];
  } else {
    const int old = dae_la_envelope_old(e, i);
    e->reciprocal[i] = 0;
    e->missing++;
    if (e->row < 0 || old < e->row) e->row = old;
  }
}

/* x_i := b - sum_j l_ij x_j */
static inline void dae_la_envelope_forward(dae_la_envelope *e, int i, double b) {
  const double *row = e->values + e->start[i], *x = e->x + e->first[i];
  const int width = i - e->first[i];
  if (width > 3) b -= dae_la_dot(width, row, x);
  else
    for (int j = 0; j < width; j++) b -= row[j] * x[j];
  e->x[i] = b;
}

/* x_j := x_j - l_ij x_i, rows falling from n - 1. *scaled, n at first, is where D^-1 has been
   applied: that is done just before the values are needed. */
static inline void dae_la_envelope_back_row(dae_la_envelope *e, int i, int *scaled) {
  const double *row = e->values + e->start[i];
  const int low = e->first[i];
  for (; *scaled > low; --*scaled) e->x[*scaled - 1] *= e->reciprocal[*scaled - 1];
  dae_la_subtract(i - low, e->x[i], row, e->x + low);
}

#endif
