/* A = L L' for a symmetric positive definite matrix */
#include <math.h>

#include "la/kernel.h"
#include "la/la.h"
#include "la/lapack.h"

enum { OWN_MAX = 64 }; /* measured by bench/bench_la.c */

/* l_ij = (a_ij - sum_k l_ik l_jk) / l_jj, row by row */
static int factor_own(int n, double *A) {
  for (int i = 0; i < n; i++) {
    double *row = A + (size_t)i * n;
    for (int j = 0; j < i; j++) {
      const double *above = A + (size_t)j * n;
      row[j] = (row[j] - dae_la_dot(j, row, above)) * above[j];
    }
    double d = row[i] - dae_la_dot(i, row, row);
    if (!(d > 0)) return i + 1;
    /* 1/l_ii while factoring, l_ii at the end */
    row[i] = 1 / sqrt(d);
  }
  for (int i = 0; i < n; i++) A[(size_t)i * n + i] = 1 / A[(size_t)i * n + i];
  return 0;
}

int dae_la_chol(int n, double *A) {
  if (n <= OWN_MAX) return factor_own(n, A);
  /* the lower triangle by rows is the upper one by columns */
  int info;
  dpotrf_("U", &n, A, &n, &info, 1);
  return info;
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
