/* a symmetric positive definite matrix that falls apart into small blocks: the masses of single
   bodies */
#ifndef DAE_LA_BLOCKS_H
#define DAE_LA_BLOCKS_H

#include "la/la.h"

typedef struct dae_la_blocks {
  int n, count, largest;
  int *start,
      *member; /* block b has the unknowns member[start[b]] .. member[start[b+1]-1], rising */
  int *block;  /* n: the block of an unknown */
  size_t *at;  /* count + 1: its factors */
  int entries; /* of the pattern */
  size_t *to;  /* entries: where they go */
  double *values, *x; /* factors, or 1/m for a single unknown; work of `largest` */
} dae_la_blocks;

/* pattern NULL: diagonal. Only the structure is made; the numbers take memory in
   dae_la_blocks_take. */
dae_status dae_la_blocks_new(dae_la_blocks *b, dae_pool *pool, int n, const dae_pattern *pattern);
dae_status dae_la_blocks_take(dae_la_blocks *b, dae_pool *pool, const dae_pattern *pattern);
/* M in pattern order, NULL for the identity; returns the unknown without a pivot, or -1 */
int dae_la_blocks_factor(dae_la_blocks *b, const double *M);
/* x := M_k^-1 x for the unknowns of block k, in their order */
void dae_la_blocks_solve_one(const dae_la_blocks *b, int k, double *x);
/* p := M^-1 p */
void dae_la_blocks_solve(const dae_la_blocks *b, double *p);

#endif
