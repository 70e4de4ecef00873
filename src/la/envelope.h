/* symmetric positive (semi)definite matrices with a narrow envelope: L D L' in O(rows) for chains */
#ifndef DAE_LA_ENVELOPE_H
#define DAE_LA_ENVELOPE_H

#include "la/la.h"

/* S in the order `order`: row i has its places from column first[i] to i - 1 at values[start[i]] .. */
typedef struct dae_la_envelope {
  int n;
  int *order, *place; /* order[new] = old, place[old] = new */
  int *first;
  size_t *start;      /* n + 1 */
  double *values;     /* S below the diagonal, then L */
  double *diagonal;   /* of S */
  double *reciprocal; /* 1/d_i; 0 for a dependent row */
  double *x, *c, *v, *w; /* n each: work of a solve */
  int missing;        /* dependent rows */
} dae_la_envelope;

/* S has a place wherever two rows of the pattern share a column. Finds the order; *work tells what one
   factorization will multiply. column_start and column_row: the pattern by columns. */
dae_status dae_la_envelope_order(dae_la_envelope *e, dae_pool *pool, const dae_pattern *pattern,
                                 const int *column_start, const int *column_row, double *work);
/* the memory for the numbers */
dae_status dae_la_envelope_take(dae_la_envelope *e, dae_pool *pool);
/* values and diagonal hold S; smallest gets min d_i / max(s_ii, top_i) over the rows that count, least
   min d_i / s_ii; top_i (old order) keeps the largest s_ii ever; row gets the first dependent row or -1 */
void dae_la_envelope_factor(dae_la_envelope *e, double tol, double *top, double *least,
                            double *smallest, int *row);
/* b := S^-1 b in old order; with dependent rows the minimum-norm solution of a consistent system */
void dae_la_envelope_solve(dae_la_envelope *e, double *b);

#endif
