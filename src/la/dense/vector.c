/* products and norms of dense matrices, sums of vectors */
#include <math.h>
#include <string.h>

#include "la/dense/combine.h"
#include "la/dense/kernel.h"
#include "la/dense/lapack.h"
#include "la/la.h"
#include "la/dense/product.h"
#include "la/wide.h"

/* y := A x */
void dae_la_mul(int rows, int cols, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++) y[i] = dae_la_dot(cols, A + (size_t)i * cols, x);
}

/* y := A' x, as a sum of rows so that memory is read in order */
void dae_la_mul_t(int rows, int cols, const double *A, const double *x, double *y) {
  memset(y, 0, (size_t)cols * sizeof *y);
  for (int i = 0; i < rows; i++) dae_la_subtract(cols, -x[i], A + (size_t)i * cols, y);
}

/* C := A B, with A n x k, B k x m: each row of C is a sum of rows of B */
void dae_la_matmul(int n, int k, int m, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++) dae_la_mul_t(k, m, B, A + (size_t)i * k, C + (size_t)i * m);
}

#ifdef DAE_LA_HAS_OPENBLAS
/* multiplications from which on OpenBLAS has the product (bench/bench_dense.c) */
static const double BLAS_MIN = 64.0 * 64 * 64;
#endif

void dae_la_subtract_product(int rows, int cols, int depth, dae_la_part A, dae_la_part B, double *C,
                             int ldc) {
#ifdef DAE_LA_HAS_OPENBLAS
  if ((double)rows * cols * depth >= BLAS_MIN) {
    /* by rows C = A B is C' = B' A' by columns */
    const double one = 1, minus = -1;
    dgemm_("N", "N", &cols, &rows, &depth, &minus, B.first, &B.apart, A.first, &A.apart, &one, C,
           &ldc, 1, 1);
    return;
  }
#endif
  if (DAE_LA_WIDE) dae_la_product_wide(rows, cols, depth, A, B, C, ldc);
  else subtract_product(rows, cols, depth, A, B, C, ldc);
}

void dae_la_transpose_dense(int rows, int cols, const double *A, double *T) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) T[(size_t)j * rows + i] = A[(size_t)i * cols + j];
}

/* not inline, lest every call saves the registers that only this needs */
static DAE_NOINLINE void combine_narrow(int n, const double *z, double h, const dae_la_sum *sum,
                                        double *out) {
  combine(n, z, h, sum, out);
}

void dae_la_combine(int n, const double *z, double h, const dae_la_sum *sum, double *out) {
  if (DAE_LA_WIDE) dae_la_combine_wide(n, z, h, sum, out);
  else combine_narrow(n, z, h, sum, out);
}

/* max |x_i|; NaN when one entry is NaN: a sum of what is not negative shows that, and nothing else
   does. Four maxima side by side, as each waits for the one before */
double dae_la_norm_max(int n, const double *x) {
  double top[4] = {0}, sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      double a = fabs(x[i + k]);
      top[k] = a > top[k] ? a : top[k];
      sum[k] += a;
    }
  for (; i < n; i++) {
    double a = fabs(x[i]);
    top[0] = a > top[0] ? a : top[0];
    sum[0] += a;
  }
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double low = top[0] > top[1] ? top[0] : top[1], high = top[2] > top[3] ? top[2] : top[3];
  return isnan(all) ? all : low > high ? low : high;
}

/* |x| without overflow or underflow */
double dae_la_norm2(int n, const double *x) {
  double square = dae_la_dot(n, x, x);
  if (square > 1e-200 && square < 1e200) return sqrt(square);
  double top = dae_la_norm_max(n, x), sum = 0;
  if (top == 0 || !isfinite(top)) return top;
  for (int i = 0; i < n; i++) sum += (x[i] / top) * (x[i] / top);
  return top * sqrt(sum);
}

/* |A|_1 = max over the columns j of sum_i |a_ij| */
double dae_la_norm1(int n, const double *A) {
  double top = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(A[(size_t)i * n + j]);
    if (!(sum <= top)) top = sum;
    if (isnan(top)) break;
  }
  return top;
}
