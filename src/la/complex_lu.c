/* A = P L U for a general complex matrix */
#include <float.h>
#include <math.h>

#include "la/la.h"
#include "la/lapack.h"

/* beats OpenBLAS up to about 24, the reference LAPACK at any size (bench/bench_la.c): something
   between the two */
enum { OWN_MAX = 64 };

/* y := y - a x, spelled out in real numbers: C's complex product also treats infinities, slowly */
static void subtract(int n, double complex a, const double complex *x, double complex *y) {
  const double *restrict u = (const double *)x;
  double *restrict v = (double *)y;
  double re = creal(a), im = cimag(a);
  for (int i = 0; i < n; i++) {
    v[2 * i] -= re * u[2 * i] - im * u[2 * i + 1];
    v[2 * i + 1] -= re * u[2 * i + 1] + im * u[2 * i];
  }
}

static double complex product(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
               creal(a) * cimag(b) + cimag(a) * creal(b));
}

static double complex dot(int n, const double complex *x, const double complex *y) {
  const double *u = (const double *)x, *v = (const double *)y;
  double rr = 0, ii = 0, ri = 0, ir = 0;
  for (int i = 0; i < n; i++) {
    rr += u[2 * i] * v[2 * i];
    ii += u[2 * i + 1] * v[2 * i + 1];
    ri += u[2 * i] * v[2 * i + 1];
    ir += u[2 * i + 1] * v[2 * i];
  }
  return CMPLX(rr - ii, ri + ir);
}

/* |re| + |im|: as good a measure for pivoting as the modulus, without a square root */
static double size1(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

static int find_pivot(int n, int k, const double complex *A) {
  int p = k;
  for (int i = k + 1; i < n; i++)
    if (size1(A[(size_t)i * n + k]) > size1(A[(size_t)p * n + k])) p = i;
  return p;
}

static void swap_rows(int n, double complex *a, double complex *b) {
  for (int j = 0; j < n; j++) {
    double complex t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* as the real one: by rows, with 1/u_kk on the diagonal */
static int factor_own(int n, double complex *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    double complex *row = A + (size_t)k * n;
    int p = find_pivot(n, k, A);
    pivot[k] = p;
    if (p != k) swap_rows(n, row, A + (size_t)p * n);
    if (!(size1(row[k]) >= DBL_MIN)) return k + 1;
    row[k] = 1 / row[k];
    for (int i = k + 1; i < n; i++) {
      double complex *below = A + (size_t)i * n;
      below[k] = product(below[k], row[k]);
      subtract(n - k - 1, below[k], row + k + 1, below + k + 1);
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

/* b := U^-1 L^-1 P' b */
void dae_la_lu_complex_solve(int n, const double complex *LU, const int *pivot, double complex *b) {
  if (n > OWN_MAX) {
    int one = 1, info;
    zgetrs_("N", &n, &one, LU, &n, pivot, b, &n, &info, 1);
    return;
  }
  for (int i = 0; i < n; i++) {
    double complex t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t - dot(i, LU + (size_t)i * n, b);
  }
  for (int i = n - 1; i >= 0; i--) {
    const double complex *row = LU + (size_t)i * n;
    b[i] = product(b[i] - dot(n - i - 1, row + i + 1, b + i + 1), row[i]);
  }
}
