/*
 * band: a dense matrix whose entries, in another order of its unknowns, lie along the diagonal. The
 * matrix at hand decides: all of it is looked at, nothing is assumed of the next one
 */
#ifndef DAE_LA_BAND_H
#define DAE_LA_BAND_H

#include <complex.h>

#include "la/la.h"

typedef struct dae_la_band {
  int n, most;         /* entries beyond which a matrix is full */
  int *start, *column; /* entries of the last matrix, by rows */
  int *order, *place;  /* order[new] = old, place[old] = new */
  int *next;           /* columns of the row that is looked at */
  int *work;           /* of the order */
  int lower, upper;    /* half bandwidths of the order */
  int width;           /* of a row with its fill: 2 lower + upper + 1 */
  bool known, narrow;  /* is there a last matrix, and was it narrow? */
} dae_la_band;

/* memory for matrices of n x n; NULL where n is too small for it to matter, or pool->failed */
dae_la_band *dae_la_band_new(dae_pool *pool, int n);
/* is the matrix narrow enough? If so, the following may be asked with it. parts: 2 for a complex
   one */
bool dae_la_band_fits(dae_la_band *b, const double *A, int parts);
/* P A P' = L U with rows exchanged: 0, or 1 + the row of a pivot that is zero. lu of n x n numbers;
   A may not be the same */
int dae_la_band_factor(const dae_la_band *b, const double *A, double *lu, int *pivot);
int dae_la_band_factor_complex(const dae_la_band *b, const double complex *A, double complex *lu,
                               int *pivot);
/* b := A^-1 b, A^-T b; room of n */
void dae_la_band_solve(const dae_la_band *b, const double *lu, const int *pivot, double *x,
                       double *room);
void dae_la_band_solve_t(const dae_la_band *b, const double *lu, const int *pivot, double *x,
                         double *room);
void dae_la_band_solve_complex(const dae_la_band *b, const double complex *lu, const int *pivot,
                               double complex *x, double complex *room);

#endif
