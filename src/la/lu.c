/* A = P L U for a general real matrix */
#include <float.h>
#include <math.h>

#include "la/kernel.h"
#include "la/la.h"
#include "la/lapack.h"

enum { OWN_MAX = 64 }; /* up to here the own kernel is used; measured by bench/bench_la.c */

static void swap_rows(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* row of the largest |a_ik|, i >= k */
static int find_pivot(int n, int k, const double *A) {
  int p = k;
  double top = fabs(A[(size_t)k * n + k]);
  for (int i = k + 1; i < n; i++) {
    double a = fabs(A[(size_t)i * n + k]);
    if (a > top) top = a, p = i;
  }
  return p;
}

/* right-looking elimination by rows; the diagonal keeps 1/u_kk, so that solving needs no division */
static int factor_own(int n, double *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *row = A + (size_t)k * n;
    int p = find_pivot(n, k, A);
    pivot[k] = p;
    if (p != k) swap_rows(n, row, A + (size_t)p * n);
    /* a pivot without a reciprocal is as good as zero */
    if (!(fabs(row[k]) >= DBL_MIN)) return k + 1;
    row[k] = 1 / row[k];
    for (int i = k + 1; i < n; i++) {
      double *below = A + (size_t)i * n;
      double l = below[k] *= row[k];
      dae_la_subtract(n - k - 1, l, row + k + 1, below + k + 1);
    }
  }
  return 0;
}

static void transpose(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double t = A[(size_t)i * n + j];
      A[(size_t)i * n + j] = A[(size_t)j * n + i];
      A[(size_t)j * n + i] = t;
    }
}

int dae_la_lu(int n, double *A, int *pivot) {
  if (n <= OWN_MAX) return factor_own(n, A, pivot);
  /* LAPACK works by columns; turning A over costs little and keeps the meaning of a zero pivot */
  int info;
  transpose(n, A);
  dgetrf_(&n, &n, A, &n, pivot, &info);
  return info;
}

static void solve_lapack(const char *trans, int n, const double *LU, const int *pivot, double *b) {
  int one = 1, info;
  dgetrs_(trans, &n, &one, LU, &n, pivot, b, &n, &info, 1);
}

/* b := U^-1 L^-1 P' b */
void dae_la_lu_solve(int n, const double *LU, const int *pivot, double *b) {
  if (n > OWN_MAX) {
    solve_lapack("N", n, LU, pivot, b);
    return;
  }
  for (int i = 0; i < n; i++) {
    double t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t - dae_la_dot(i, LU + (size_t)i * n, b);
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = LU + (size_t)i * n;
    b[i] = (b[i] - dae_la_dot(n - i - 1, row + i + 1, b + i + 1)) * row[i];
  }
}

/* b := P L^-T U^-T b */
void dae_la_lu_solve_t(int n, const double *LU, const int *pivot, double *b) {
  if (n > OWN_MAX) {
    solve_lapack("T", n, LU, pivot, b);
    return;
  }
  for (int i = 0; i < n; i++) {
    const double *row = LU + (size_t)i * n;
    b[i] *= row[i];
    dae_la_subtract(n - i - 1, b[i], row + i + 1, b + i + 1);
  }
  for (int i = n - 1; i >= 0; i--) {
    dae_la_subtract(i, b[i], LU + (size_t)i * n, b);
    double t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
}
