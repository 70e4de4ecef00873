/* orders of elimination with little fill: by KLU's AMD and COLAMD (klu.c), or without them by own
   code (degree.c); and how many entries the factors may have (merge.c) */
#ifndef DAE_LA_FILL_H
#define DAE_LA_FILL_H

#include "la/la.h"

/* what an order promises while pivots stay where they are expected */
typedef struct dae_la_fill {
  double flops;   /* multiplications and additions */
  double entries; /* of L and U together, without the diagonal; 0: not known */
} dae_la_fill;

/*
 * order[new] = old for a square pattern given by columns (start, row). `pivots_anywhere` false:
 * rows and columns are taken in the same order, and partner[j] is the row that is expected as pivot
 * of column j. True: the order of the columns alone, whatever rows become pivots. DAE_OK or
 * DAE_E_MEMORY.
 */
dae_status dae_la_fill_order(const dae_allocator *allocator, int n, const int *start,
                             const int *row, bool pivots_anywhere, int *order, int *partner,
                             dae_la_fill *fill);

/* entries of L and of U at most, whatever rows become pivots, for columns in this order;
   DAE_E_LIMIT when there are more than `limit` together */
dae_status dae_la_fill_most(const dae_allocator *allocator, int n, const int *start, const int *row,
                            const int *order, size_t limit, size_t *lower, size_t *upper);

#endif
