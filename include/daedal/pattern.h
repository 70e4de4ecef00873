/* the places where a sparse matrix may be nonzero, compressed by rows */
#ifndef DAEDAL_PATTERN_H
#define DAEDAL_PATTERN_H

/* Row i has its entries at start[i] .. start[i+1]-1, in the columns column[..] (increasing, no
   repeats). A function that fills a matrix with a pattern writes only these values, in this
   order. */
typedef struct dae_pattern {
  int rows, cols;
  const int *start;  /* rows + 1 */
  const int *column; /* start[rows] */
} dae_pattern;

#endif
