/* singular values of a small matrix, for diagnosis */
#include "la/la.h"
#include "la/dense/lapack.h"

/* what LAPACK's dgesvd needs at least when no vectors are wanted */
int dae_la_svd_work(int rows, int cols) {
  int low = rows < cols ? rows : cols, high = rows < cols ? cols : rows;
  int a = 3 * low + high, b = 5 * low;
  return (a > b ? a : b) + 1;
}

/* sigma_1 >= sigma_2 >= ... of A: those of A', which LAPACK sees, are the same */
int dae_la_svd(int rows, int cols, double *A, double *sigma, double *work) {
  if (rows == 0 || cols == 0) return 0;
  int size = dae_la_svd_work(rows, cols), one = 1, info;
  double none;
  dgesvd_("N", "N", &cols, &rows, A, &cols, sigma, &none, &one, &none, &one, work, &size, &info, 1,
          1);
  return info;
}
