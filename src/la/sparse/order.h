/* a narrow order of the rows of a pattern that share columns */
#ifndef DAE_LA_ORDER_H
#define DAE_LA_ORDER_H

#include "la/la.h"

/* column_start and column_row: the pattern by columns. order[new] = old; work of 3 rows. */
void dae_la_order(const dae_pattern *pattern, const int *column_start, const int *column_row,
                  int *order, int *work);
/* an order of the unknowns of a square pattern, rows and columns alike, given by columns (or by
   rows): each is near to those it shares an entry with. Returns the half bandwidth, INT_MAX without
   memory. */
int dae_la_order_square(dae_pool *pool, int n, const int *start, const int *row, int *order);
/* the same order in memory of the caller: work of as many ints as room says, for so many entries */
void dae_la_order_unknowns(int n, const int *start, const int *row, int *order, int *work);
size_t dae_la_order_room(int n, int entries);
/* the pattern by columns: start of cols + 1; entry k of the columns is entry from[k] of the rows */
void dae_la_transpose(const dae_pattern *pattern, int *start, int *row, int *from);

#endif
