/* an order of elimination with little fill, by minimum degree */
#ifndef DAE_LA_DEGREE_H
#define DAE_LA_DEGREE_H

#include "la/la.h"

/*
 * order[new] = old for a square pattern given by columns (start, row). `pivots_anywhere` false:
 * rows and columns are taken in the same order, pivots are expected on the diagonal, the graph is
 * that of A + A'. True: the order of the columns alone, whatever rows become pivots, the graph is
 * that of A'A. *flops (may be NULL) gets the multiplications of an elimination on that graph.
 * DAE_OK or DAE_E_MEMORY.
 */
dae_status dae_la_degree_order(const dae_allocator *allocator, int n, const int *start,
                               const int *row, bool pivots_anywhere, int *order, double *flops);

#endif
