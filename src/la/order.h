/* a narrow order of the rows of a pattern that share columns */
#ifndef DAE_LA_ORDER_H
#define DAE_LA_ORDER_H

#include "la/la.h"

/* column_start and column_row: the pattern by columns. order[new] = old; work of 3 rows. */
void dae_la_order(const dae_pattern *pattern, const int *column_start, const int *column_row,
                  int *order, int *work);
/* the pattern by columns: start of cols + 1; entry k of the columns is entry from[k] of the rows */
void dae_la_transpose(const dae_pattern *pattern, int *start, int *row, int *from);

#endif
