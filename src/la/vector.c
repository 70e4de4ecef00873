/* products and norms of dense matrices */
#include <math.h>
#include <string.h>

#include "la/kernel.h"
#include "la/la.h"

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

void dae_la_transpose_dense(int rows, int cols, const double *A, double *T) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) T[(size_t)j * rows + i] = A[(size_t)i * cols + j];
}

/* Compiled a second time for processors with registers of four numbers, and chosen when the program
   is loaded. The same operations in the same order: not a digit differs. */
#if defined __x86_64__ && defined __linux__ && !defined __SANITIZE_ADDRESS__
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* four neighbours at once, wherever they start */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* sixteen numbers from i on stay in registers while the vectors pass */
static inline __attribute__((always_inline)) void combine_sixteen(int i, const double *z, double h,
                                                                  int count, const double *a,
                                                                  const double *const *k,
                                                                  double *out) {
  const quad step = {h, h, h, h};
  quad s0 = {0}, s1 = s0, s2 = s0, s3 = s0, *to = (quad *)(out + i);
  for (int j = 0; j < count; j++) {
    const quad g = {a[j], a[j], a[j], a[j]}, *x = (const quad *)(k[j] + i);
    s0 += g * x[0], s1 += g * x[1], s2 += g * x[2], s3 += g * x[3];
  }
  s0 *= step, s1 *= step, s2 *= step, s3 *= step;
  if (z) {
    const quad *from = (const quad *)(z + i);
    s0 += from[0], s1 += from[1], s2 += from[2], s3 += from[3];
  }
  to[0] = s0, to[1] = s1, to[2] = s2, to[3] = s3;
}

WIDE static void combine_long(int n, const double *z, double h, int count, const double *a,
                              const double *const *k, double *out) {
  int i = 0;
  for (; i + 16 <= n; i += 16) combine_sixteen(i, z, h, count, a, k, out);
  /* what is left overlaps what is done */
  if (i < n) combine_sixteen(n - 16, z, h, count, a, k, out);
}

/* eight numbers from i on stay in registers while the vectors pass */
static inline void combine_eight(int i, const double *z, double h, int count, const double *a,
                                 const double *const *k, double *out) {
  const pair step = {h, h};
  pair s0 = {0, 0}, s1 = s0, s2 = s0, s3 = s0, *to = (pair *)(out + i);
  for (int j = 0; j < count; j++) {
    const pair g = {a[j], a[j]}, *x = (const pair *)(k[j] + i);
    s0 += g * x[0], s1 += g * x[1], s2 += g * x[2], s3 += g * x[3];
  }
  s0 *= step, s1 *= step, s2 *= step, s3 *= step;
  if (z) {
    const pair *from = (const pair *)(z + i);
    s0 += from[0], s1 += from[1], s2 += from[2], s3 += from[3];
  }
  to[0] = s0, to[1] = s1, to[2] = s2, to[3] = s3;
}

void dae_la_combine(int n, const double *z, double h, int count, const double *a,
                    const double *const *k, double *out) {
  int i = 0;
  if (n >= 64) {
    combine_long(n, z, h, count, a, k, out);
    return;
  }
  for (; i + 8 <= n; i += 8) combine_eight(i, z, h, count, a, k, out);
  if (i == n) return;
  /* what is left overlaps what is done */
  if (n >= 8) {
    combine_eight(n - 8, z, h, count, a, k, out);
    return;
  }
  for (; i + 2 <= n; i += 2) {
    pair s = {0, 0};
    for (int j = 0; j < count; j++) s += (pair){a[j], a[j]} * *(const pair *)(k[j] + i);
    s *= (pair){h, h};
    if (z) s += *(const pair *)(z + i);
    *(pair *)(out + i) = s;
  }
  if (i == n) return;
  double s = 0;
  for (int j = 0; j < count; j++) s += a[j] * k[j][i];
  out[i] = (z ? z[i] : 0) + h * s;
}

/* max |x_i|; NaN when one entry is NaN */
double dae_la_norm_max(int n, const double *x) {
  double top = 0;
  for (int i = 0; i < n; i++) {
    double a = fabs(x[i]);
    if (!(a <= top)) top = a;
    if (isnan(top)) return top;
  }
  return top;
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
