/* A = L D L' with pivoting for a symmetric indefinite matrix (Bunch and Kaufman 1977, by LAPACK) */
#include "la/la.h"
#include "la/lapack.h"

/* the lower triangle by rows is the upper one by columns; any work_size >= 1 will do, 32 n is
   fast */
int dae_la_ldl(int n, double *A, int *pivot, double *work, int work_size) {
  int info = 0;
  if (n > 0) dsytrf_("U", &n, A, &n, pivot, work, &work_size, &info, 1);
  return info;
}

void dae_la_ldl_solve(int n, const double *LD, const int *pivot, double *b) {
  int one = 1, info;
  if (n > 0) dsytrs_("U", &n, &one, LD, &n, pivot, b, &n, &info, 1);
}
