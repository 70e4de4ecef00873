/* A = P L U for a general complex matrix */
#include <float.h>
#include <math.h>

#include "la/kernel.h"
#include "la/la.h"
#include "la/lapack.h"

/* beats OpenBLAS up to about 24, the reference LAPACK at any size (bench/bench_la.c): something
   between the two */
enum { OWN_MAX = 64 };

/* re and im of a number; products are spelled out, as C's own also treat infinities, slowly */
static pair at(const double complex *z) { return *(const pair *)z; }

static pair swapped(pair z) { return (pair){z[1], z[0]}; }

/* i z */
static pair turned(pair z) { return (pair){-z[1], z[0]}; }

/* a z = re z + im (i z) */
static pair product(pair a, pair z) {
  return (pair){a[0], a[0]} * z + (pair){a[1], a[1]} * turned(z);
}

/* 1/z by the larger part, so that no square leaves the number range */
static pair reciprocal(pair z) {
  bool real = fabs(z[0]) >= fabs(z[1]);
  double ratio = real ? z[1] / z[0] : z[0] / z[1];
  double d = 1 / (real ? z[0] + z[1] * ratio : z[1] + z[0] * ratio);
  return real ? (pair){d, -ratio * d} : (pair){ratio * d, -d};
}

/* |re| + |im|: as good a measure for pivoting as the modulus, without a square root */
static double size1(pair z) { return fabs(z[0]) + fabs(z[1]); }

static int find_pivot(int n, int k, const double complex *A) {
  int p = k;
  double top = size1(at(A + (size_t)k * n + k));
  for (int i = k + 1; i < n; i++) {
    double size = size1(at(A + (size_t)i * n + k));
    if (size > top) top = size, p = i;
  }
  return p;
}

static void swap_rows(int n, double complex *a, double complex *b) {
  for (int j = 0; j < n; j++) {
    double complex t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* the pivot of column k, with 1/u_kk on the diagonal and the multipliers below; false when there is
   none */
static bool take_pivot(int n, int k, double complex *A, int *pivot) {
  double complex *row = A + (size_t)k * n;
  int p = find_pivot(n, k, A);
  pivot[k] = p;
  if (p != k) swap_rows(n, row, A + (size_t)p * n);
  if (!(size1(at(row + k)) >= DBL_MIN)) return false;
  pair q = *(pair *)(row + k) = reciprocal(at(row + k));
  for (int i = k + 1; i < n; i++) {
    pair *l = (pair *)(A + (size_t)i * n + k);
    *l = product(q, *l);
  }
  return true;
}

/* y := y - a x for count numbers; ix has i x */
static void subtract(int count, pair a, const pair *x, const pair *ix, pair *y) {
  const pair re = {a[0], a[0]}, im = {a[1], a[1]};
  for (int j = 0; j < count; j++) y[j] -= re * x[j] + im * ix[j];
}

/* y := y - a x - b z: two rows at once, to read and write y half as often */
static void subtract2(int count, pair a, const pair *x, const pair *ix, pair b, const pair *z,
                      const pair *iz, pair *y) {
  const pair re = {a[0], a[0]}, im = {a[1], a[1]}, re2 = {b[0], b[0]}, im2 = {b[1], b[1]};
  for (int j = 0; j < count; j++)
    y[j] = y[j] - (re * x[j] + im * ix[j]) - (re2 * z[j] + im2 * iz[j]);
}

static void turn_row(int count, const pair *x, pair *ix) {
  for (int j = 0; j < count; j++) ix[j] = turned(x[j]);
}

/* as the real one: by rows, two columns at a time */
static int factor_own(int n, double complex *A, int *pivot) {
  pair ix[OWN_MAX], iz[OWN_MAX];
  for (int k = 0; k < n; k += 2) {
    if (!take_pivot(n, k, A, pivot)) return k + 1;
    if (k + 1 == n) break;
    double complex *row = A + (size_t)k * n, *next = row + n;
    const pair second = at(row + k + 1);
    for (int i = k + 1; i < n; i++) {
      pair *y = (pair *)(A + (size_t)i * n + k);
      y[1] -= product(y[0], second);
    }
    if (!take_pivot(n, k + 1, A, pivot)) return k + 2;
    int rest = n - k - 2;
    const pair *x = (const pair *)(row + k + 2);
    pair *z = (pair *)(next + k + 2);
    turn_row(rest, x, ix);
    subtract(rest, at(next + k), x, ix, z);
    turn_row(rest, z, iz);
    for (int i = k + 2; i < n; i++) {
      pair *y = (pair *)(A + (size_t)i * n + k);
      subtract2(rest, y[0], x, ix, y[1], z, iz, y + 2);
    }
  }
  return 0;
}

int dae_la_lu_complex(int n, double complex *A, int *pivot) {
  if (n <= OWN_MAX) return factor_own(n, A, pivot);
  /* LAPACK works by columns; turning A over costs little and keeps the meaning of a zero pivot */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double complex t = A[(size_t)i * n + j];
      A[(size_t)i * n + j] = A[(size_t)j * n + i];
      A[(size_t)j * n + i] = t;
    }
  int info;
  zgetrf_(&n, &n, A, &n, pivot, &info);
  return info;
}

/* s := sums of x_j y_j and z_j y_j: two rows at once, as one alone waits for its own last sum */
static void two_dots(int count, const pair *x, const pair *z, const pair *y, pair *s) {
  pair a = {0, 0}, b = a, c = a, d = a;
  for (int j = 0; j < count; j++) {
    const pair v = y[j], w = swapped(v);
    a += x[j] * v, b += x[j] * w;
    c += z[j] * v, d += z[j] * w;
  }
  s[0] = (pair){a[0] - a[1], b[0] + b[1]};
  s[1] = (pair){c[0] - c[1], d[0] + d[1]};
}

/* b := U^-1 L^-1 P' b, two rows at a time */
void dae_la_lu_complex_solve(int n, const double complex *LU, const int *pivot, double complex *b) {
  if (n > OWN_MAX) {
    int one = 1, info;
    zgetrs_("N", &n, &one, LU, &n, pivot, b, &n, &info, 1);
    return;
  }
  for (int i = 0; i < n; i++) {
    double complex t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
  const pair *row = (const pair *)LU;
  pair *x = (pair *)b, s[2];
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    const pair *l = row + (size_t)i * n;
    two_dots(i, l, l + n, x, s);
    x[i] -= s[0];
    x[i + 1] = x[i + 1] - s[1] - product(l[n + i], x[i]);
  }
  if (i < n) {
    two_dots(i, row + (size_t)i * n, row + (size_t)i * n, x, s);
    x[i] -= s[0];
  }
  for (i = n - 2; i >= 0; i -= 2) {
    const pair *u = row + (size_t)i * n, *v = u + n;
    two_dots(n - i - 2, u + i + 2, v + i + 2, x + i + 2, s);
    x[i + 1] = product(v[i + 1], x[i + 1] - s[1]);
    x[i] = product(u[i], x[i] - s[0] - product(u[i + 1], x[i + 1]));
  }
  if (i == -1) {
    two_dots(n - 1, row + 1, row + 1, x + 1, s);
    x[0] = product(row[0], x[0] - s[0]);
  }
}
