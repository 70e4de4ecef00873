/* elimination of a complex matrix, with pivots */
#ifndef DAE_LA_COMPLEX_COLUMNS_H
#define DAE_LA_COMPLEX_COLUMNS_H

#include <float.h>
#include <math.h>

#include "la/dense/kernel.h"
#include "la/la.h"

enum { COMPLEX_MOST = 64 }; /* larger ones are not for this */

/* re and im of a number; products are spelled out, as C's own also treat infinities, slowly */
static inline pair complex_at(const double complex *z) { return *(const pair *)z; }

static inline pair swapped(pair z) { return (pair){z[1], z[0]}; }

/* i z */
static inline pair turned(pair z) { return (pair){-z[1], z[0]}; }

/* a z = re z + im (i z) */
static inline pair complex_product(pair a, pair z) {
  return (pair){a[0], a[0]} * z + (pair){a[1], a[1]} * turned(z);
}

/* 1/z by the larger part, so that no square leaves the number range */
static inline pair complex_reciprocal(pair z) {
  bool real = fabs(z[0]) >= fabs(z[1]);
  double ratio = real ? z[1] / z[0] : z[0] / z[1];
  double d = 1 / (real ? z[0] + z[1] * ratio : z[1] + z[0] * ratio);
  return real ? (pair){d, -ratio * d} : (pair){ratio * d, -d};
}

/* |re| + |im|: as good a measure for pivoting as the modulus, without a square root */
static inline double size1(pair z) { return fabs(z[0]) + fabs(z[1]); }

static inline int find_complex_pivot(int n, int k, const double complex *A) {
  int p = k;
  double top = size1(complex_at(A + (size_t)k * n + k));
  for (int i = k + 1; i < n; i++) {
    double size = size1(complex_at(A + (size_t)i * n + k));
    if (size > top) top = size, p = i;
  }
  return p;
}

static inline void swap_complex_rows(int n, double complex *a, double complex *b) {
  for (int j = 0; j < n; j++) {
    double complex t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* the pivot of column k, with 1/u_kk on the diagonal and the multipliers below; false when there is
   none */
static inline bool take_complex_pivot(int n, int k, double complex *A, int *pivot) {
  double complex *row = A + (size_t)k * n;
  int p = find_complex_pivot(n, k, A);
  pivot[k] = p;
  if (p != k) swap_complex_rows(n, row, A + (size_t)p * n);
  if (!(size1(complex_at(row + k)) >= DBL_MIN)) return false;
  pair q = *(pair *)(row + k) = complex_reciprocal(complex_at(row + k));
  for (int i = k + 1; i < n; i++) {
    pair *l = (pair *)(A + (size_t)i * n + k);
    *l = complex_product(q, *l);
  }
  return true;
}

/* y := y - a x for count numbers; ix has i x */
static inline void complex_subtract(int count, pair a, const pair *x, const pair *ix, pair *y) {
  const pair re = {a[0], a[0]}, im = {a[1], a[1]};
  for (int j = 0; j < count; j++) y[j] -= re * x[j] + im * ix[j];
}

/* y := y - a x - b z: two rows at once, to read and write y half as often, and two numbers */
static inline void complex_subtract2(int count, pair a, const pair *x, const pair *ix, pair b,
                                     const pair *z, const pair *iz, pair *y) {
  const four re = four_all(a[0]), im = four_all(a[1]), re2 = four_all(b[0]), im2 = four_all(b[1]);
  const double *u = (const double *)x, *iu = (const double *)ix, *v = (const double *)z;
  const double *iv = (const double *)iz;
  double *to = (double *)y;
  int j = 0;
  for (; j + 2 <= count; j += 2, u += 4, iu += 4, v += 4, iv += 4, to += 4) {
    const four s = four_plus(four_times(re, four_load(u)), im, four_load(iu));
    const four t = four_plus(four_times(re2, four_load(v)), im2, four_load(iv));
    four_store(to, four_less(four_less(four_load(to), s), t));
  }
  if (j == count) return;
  complex_subtract(1, a, x + j, ix + j, y + j);
  complex_subtract(1, b, z + j, iz + j, y + j);
}

static inline void turn_row(int count, const pair *x, pair *ix) {
  for (int j = 0; j < count; j++) ix[j] = turned(x[j]);
}

/* as the real one: by rows, two columns at a time */
static inline int factor_complex(int n, double complex *A, int *pivot) {
  pair ix[COMPLEX_MOST], iz[COMPLEX_MOST];
  for (int k = 0; k < n; k += 2) {
    if (!take_complex_pivot(n, k, A, pivot)) return k + 1;
    if (k + 1 == n) break;
    double complex *row = A + (size_t)k * n, *next = row + n;
    const pair second = complex_at(row + k + 1);
    for (int i = k + 1; i < n; i++) {
      pair *y = (pair *)(A + (size_t)i * n + k);
      y[1] -= complex_product(y[0], second);
    }
    if (!take_complex_pivot(n, k + 1, A, pivot)) return k + 2;
    int rest = n - k - 2;
    const pair *x = (const pair *)(row + k + 2);
    pair *z = (pair *)(next + k + 2);
    turn_row(rest, x, ix);
    complex_subtract(rest, complex_at(next + k), x, ix, z);
    turn_row(rest, z, iz);
    for (int i = k + 2; i < n; i++) {
      pair *y = (pair *)(A + (size_t)i * n + k);
      complex_subtract2(rest, y[0], x, ix, y[1], z, iz, y + 2);
    }
  }
  return 0;
}

#endif
