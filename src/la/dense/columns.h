/* elimination of the columns of a real matrix, with pivots */
#ifndef DAE_LA_COLUMNS_H
#define DAE_LA_COLUMNS_H

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "la/dense/kernel.h"

static inline void swap_rows(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* row of the largest |a_ik|, i >= k */
static inline int find_pivot(int n, int k, const double *A) {
  int p = k;
  double top = fabs(A[(size_t)k * n + k]);
  for (int i = k + 1; i < n; i++) {
    double a = fabs(A[(size_t)i * n + k]);
    if (a > top) top = a, p = i;
  }
  return p;
}

/* the pivot of column k: moves its row up, puts 1/u_kk on the diagonal so that solving needs no
   division, and the multipliers below. False when there is none: a pivot without a reciprocal is as
   good as zero. */
static inline bool take_pivot(int n, int k, double *A, int *pivot) {
  double *row = A + (size_t)k * n;
  int p = find_pivot(n, k, A);
  pivot[k] = p;
  if (p != k) swap_rows(n, row, A + (size_t)p * n);
  if (!(fabs(row[k]) >= DBL_MIN)) return false;
  double q = row[k] = 1 / row[k];
  for (int i = k + 1; i < n; i++) A[(size_t)i * n + k] *= q;
  return true;
}

/* elimination of columns from .. to-1, within these columns, by rows and two columns at a time: the
   second one first gets its share of the first pivot */
static inline int factor_columns(int n, int from, int to, double *A, int *pivot) {
  for (int k = from; k < to; k += 2) {
    if (!take_pivot(n, k, A, pivot)) return k + 1;
    if (k + 1 == to) break;
    double *row = A + (size_t)k * n, *next = row + n;
    for (int i = k + 1; i < n; i++) A[(size_t)i * n + k + 1] -= A[(size_t)i * n + k] * row[k + 1];
    if (!take_pivot(n, k + 1, A, pivot)) return k + 2;
    int rest = to - k - 2;
    dae_la_subtract(rest, next[k], row + k + 2, next + k + 2);
    for (int i = k + 2; i < n; i++) {
      double *z = A + (size_t)i * n;
      dae_la_subtract2(rest, z[k], row + k + 2, z[k + 1], next + k + 2, z + k + 2);
    }
  }
  return 0;
}

#endif
