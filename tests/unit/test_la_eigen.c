/* eigenvalues of matrices that are made from them */
#include "la/la.h"
#include "la_data.h"
#include "test.h"

/* the value nearest to a + ib is taken out of the list: how far it is */
static double take_nearest(int *n, double *re, double *im, double a, double b) {
  int at = 0;
  double best = INFINITY;
  for (int i = 0; i < *n; i++)
    if (hypot(re[i] - a, im[i] - b) < best) best = hypot(re[i] - a, im[i] - b), at = i;
  --*n;
  re[at] = re[*n], im[at] = im[*n];
  return best;
}

/* A = S D S^-1 with blocks of D that are known: real values, and pairs a +- ib */
static void test_eigenvalues(void) {
  enum { N = 9 };
  for (int n = 1; n <= N; n++)
    for (int trial = 0; trial < 200; trial++) {
      double D[N * N] = {0}, S[N * N], T[N * N], A[N * N], re[N], im[N], a[N], b[N];
      int pivot[N], left = n;
      for (int i = 0; i < n; i++) {
        a[i] = 3 * random_value(), b[i] = 0;
        D[i * n + i] = a[i];
        if (i % 3 != 2 || trial % 2) continue;
        b[i] = 2 * random_value(), b[i - 1] = -b[i], a[i] = a[i - 1];
        D[i * n + i] = a[i], D[i * n + i - 1] = b[i], D[(i - 1) * n + i] = -b[i];
      }
      /* S is near to I, so that A is not far from normal: no digits are lost */
      for (int i = 0; i < n * n; i++) S[i] = (i % (n + 1) == 0) + 0.3 / n * random_value();
      memcpy(A, D, sizeof A);
      memcpy(T, S, sizeof T);
      CHECK(dae_la_lu(n, T, pivot) == 0);
      /* rows of (S D) S^-1: solved from the right by the transposed matrix */
      dae_la_matmul(n, n, n, S, D, A);
      for (int i = 0; i < n; i++) dae_la_lu_solve_t(n, T, pivot, A + i * n);
      CHECK(dae_la_eigenvalues(n, A, re, im));
      for (int i = 0; i < n; i++) CHECK(take_nearest(&left, re, im, a[i], b[i]) < 1e-12);
    }
}

/* a circular shift has the roots of unity, on which shifts taken from the matrix do not begin to
   move; a Jordan block of three has its value to the third root of rounding; zeros have zeros */
static void test_eigenvalues_odd(void) {
  enum { N = 8 };
  double A[N * N] = {0}, re[N], im[N];
  int left = N;
  for (int i = 0; i < N; i++) A[i * N + (i + 1) % N] = 1;
  CHECK(dae_la_eigenvalues(N, A, re, im));
  for (int i = 0; i < N; i++)
    CHECK(take_nearest(&left, re, im, cos(i * 0.78539816339744831), sin(i * 0.78539816339744831)) <
          1e-13);
  double J[9] = {0.7, 1, 0, 0, 0.7, 1, 0, 0, 0.7}, Z[9] = {0},
         bad[9] = {1, NAN, 2, 3, 4, 5, 6, 7, 8};
  CHECK(dae_la_eigenvalues(3, J, re, im));
  for (int i = 0; i < 3; i++) CHECK(hypot(re[i] - 0.7, im[i]) < 1e-4);
  CHECK(dae_la_eigenvalues(3, Z, re, im) && re[0] == 0 && re[1] == 0 && re[2] == 0);
  CHECK(!dae_la_eigenvalues(3, bad, re, im));
}

int main(void) {
  RUN(test_eigenvalues);
  RUN(test_eigenvalues_odd);
  return TEST_END();
}
