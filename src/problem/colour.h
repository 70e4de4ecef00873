/* colours of a pattern: columns of the same colour share no row, so that one difference serves all
   of them (Curtis, Powell and Reid 1974) */
#ifndef DAE_COLOUR_H
#define DAE_COLOUR_H

#include "base/base.h"
#include <daedal/pattern.h>

typedef struct dae_colours {
  int count;
  int *of;          /* colour of each column */
  int *start, *row; /* the pattern by columns: rows of column j are row[start[j]] .. */
  int *place;       /* and the place of each entry in the pattern */
} dae_colours;

/* greedy, in the order of the columns; pool->failed tells */
void dae_problem_colours(dae_colours *out, dae_pool *pool, const dae_pattern *pattern);

#endif
