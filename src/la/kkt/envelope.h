/* symmetric positive (semi)definite matrices with a narrow envelope: L D L' in O(rows) for
   chains */
#ifndef DAE_LA_ENVELOPE_H
#define DAE_LA_ENVELOPE_H

#include "la/dense/kernel.h"
#include "la/la.h"
#include "la/kkt/tree.h"

/* S in the order `order`: row i has its places from column first[i] to i - 1 at values[start[i]]
   .. */
typedef struct dae_la_envelope {
  int n;
  bool twisted;       /* rows with few neighbours are taken from both ends in turn, see order */
  int *order, *place; /* order[new] = old, place[old] = new; order NULL: they are the same */
  int *first;
  size_t *start;            /* n + 1 */
  double *values;           /* S below the diagonal, then L */
  double *reciprocal;       /* 1/d_i; 0 for a dependent row */
  double *top;              /* the largest s_ii ever */
  dae_la_tree *tree;        /* L is there, along a tree, and not in the envelope; or NULL */
  double *x, *y;            /* n each: L^-1 b, and D^-1 of it, which becomes the solution */
  double *c, *v, *w;        /* n each: work of dependent rows */
  int null_first, null_end; /* where the null vector in v is not zero, when one row is dependent */
  /* of the last elimination */
  double tol; /* d_i <= tol s_ii: dependent */
  double least,
      smallest; /* min d_i / s_ii and min d_i / top_i over the rows that count, 1 at most */
  int missing;  /* dependent rows */
  int dropped;  /* the last of them */
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
/* the places of a tree in S are filled: S = L D L' with this diagonal */
void dae_la_envelope_factor_tree(dae_la_envelope *e, const double *diagonal);
/* y := D^-1 L^-1 x, all rows at once */
void dae_la_envelope_substitute(dae_la_envelope *e);
/* y := L^-T y; with dependent rows the solution of minimum norm of a consistent system */
void dae_la_envelope_backward(dae_la_envelope *e);
/* b := S^-1 b in old order, with all substitutions */
void dae_la_envelope_solve(dae_la_envelope *e, double *b);

static inline int dae_la_envelope_old(const dae_la_envelope *e, int i) {
  return e->order ? e->order[i] : i;
}

/* d_i, and what it says of the rank: a row whose pivot is rounding error depends on those before
   it, and 1/d := 0 leaves it out */
static inline void dae_la_envelope_pivot(dae_la_envelope *e, int i, double s, double d) {
  if (s > e->top[i]) e->top[i] = s;
  if (!(d > e->tol * s)) {
    const int old = dae_la_envelope_old(e, i);
    e->reciprocal[i] = 0;
    e->missing++;
    e->dropped = i;
    if (e->row < 0 || old < e->row) e->row = old;
    return;
  }
  e->reciprocal[i] = 1 / d;
  if (d < e->least * s) e->least = d / s;
  /* where the two ends of a straight chain meet, a pivot is small with the number of rows, which
     says nothing about the rank */
  if (e->twisted && i >= e->n - 4) d *= 0.5 * e->n;
  if (d < e->smallest * e->top[i]) e->smallest = d / e->top[i];
}

/* row i: u_j = s_ij - sum_k u_k l_jk, l_ij = u_j / d_j, d_i = s_ii - sum_j u_j l_ij */
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
  dae_la_envelope_pivot(e, i, s, d);
}

/* x_i := b - sum_j l_ij x_j, y_i := x_i / d_i */
static inline void dae_la_envelope_forward(dae_la_envelope *e, int i, double b) {
  const double *row = e->values + e->start[i], *x = e->x + e->first[i];
  const int width = i - e->first[i];
  if (width == 2) b -= row[0] * x[0] + row[1] * x[1];
  else b -= dae_la_dot(width, row, x);
  e->x[i] = b;
  e->y[i] = b * e->reciprocal[i];
}

/* y_j := y_j - l_ij y_i, rows falling from n - 1: y_i is then what it stays */
static inline void dae_la_envelope_back_row(dae_la_envelope *e, int i) {
  const double *row = e->values + e->start[i];
  const int width = i - e->first[i];
  dae_la_subtract(width, e->y[i], row, e->y + e->first[i]);
}

#endif
