/* A = L L' for a symmetric positive definite matrix */
#include <math.h>

#include "la/dense/kernel.h"
#include "la/la.h"
#include "la/dense/lapack.h"

/* level with OpenBLAS up to about 40, twice as fast as the reference LAPACK (bench/bench_la.c) */
#ifdef DAE_LA_HAS_LAPACK
enum { OWN_MAX = 48 };
#endif

/* l_ij = (a_ij - sum_k l_ik l_jk) / l_jj for the columns j .. j+3 of a row; `above` is row j */
static void four_columns(int n, int j, const double *above, double *row) {
  const double *b = above + n + j, *c = b + n, *d = c + n;
  double s[4], *x = row + j;
  dae_la_dot4(j, above, n, row, s);
  x[0] = (x[0] - s[0]) * above[j];
  x[1] = (x[1] - s[1] - b[0] * x[0]) * b[1];
  x[2] = (x[2] - s[2] - c[0] * x[0] - c[1] * x[1]) * c[2];
  x[3] = (x[3] - s[3] - d[0] * x[0] - d[1] * x[1] - d[2] * x[2]) * d[3];
}

/* row by row, with 1/l_ii on the diagonal until the end */
static int factor_own(int n, double *A) {
  for (int i = 0; i < n; i++) {
    double *row = A + (size_t)i * n;
    int j = 0;
    for (; j + 4 <= i; j += 4) four_columns(n, j, A + (size_t)j * n, row);
    for (; j < i; j++) {
      const double *above = A + (size_t)j * n;
      row[j] = (row[j] - dae_la_dot(j, row, above)) * above[j];
    }
    double d = row[i] - dae_la_dot(i, row, row);
    if (!(d > 0)) return i + 1;
    row[i] = 1 / sqrt(d);
  }
  for (int i = 0; i < n; i++) A[(size_t)i * n + i] = 1 / A[(size_t)i * n + i];
  return 0;
}

int dae_la_chol(int n, double *A) {
#ifdef DAE_LA_HAS_LAPACK
  if (n > OWN_MAX) {
    /* the lower triangle by rows is the upper one by columns */
    int info;
    dpotrf_("U", &n, A, &n, &info, 1);
    return info;
  }
#endif
  return factor_own(n, A);
}

/* b := L^-1 b */
void dae_la_chol_forward(int n, const double *L, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)i * n;
    b[i] = (b[i] - dae_la_dot(i, row, b)) / row[i];
  }
}

/* b := L^-T b, as a sum of rows so that memory is read in order */
void dae_la_chol_backward(int n, const double *L, double *b) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)i * n;
    b[i] /= row[i];
    dae_la_subtract(i, b[i], row, b);
  }
}

void dae_la_chol_solve(int n, const double *L, double *b) {
  dae_la_chol_forward(n, L, b);
  dae_la_chol_backward(n, L, b);
}
