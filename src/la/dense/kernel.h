/* the inner loops: written so that the compiler turns them into vector code at -O2/-O3 */
#ifndef DAE_LA_KERNEL_H
#define DAE_LA_KERNEL_H

#include "la/dense/four.h"

/* sum x_i y_i; four sums, because one alone waits for its own last addition */
static inline double dae_la_dot(int n, const double *restrict x, const double *restrict y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) s0 += x[i] * y[i];
  return (s0 + s1) + (s2 + s3);
}

/* two neighbours at once, wherever they start: what every x86-64 and arm64 has in one register */
typedef double pair DAE_VECTOR_ANYWHERE(16);
typedef long long pair_mask DAE_VECTOR(16); /* of comparisons: 0 or -1 */

/* z := z - a x - b y: two rows at once, to read and write z half as often */
static inline void dae_la_subtract2(int n, double a, const double *x, double b, const double *y,
                                    double *z) {
  const four g = four_all(a), h = four_all(b);
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const four v = four_minus(four_load(z + i), g, four_load(x + i));
    four_store(z + i, four_minus(v, h, four_load(y + i)));
  }
  for (; i < n; i++) z[i] = z[i] - a * x[i] - b * y[i];
}

/* s_k := sum_i a_ki x_i for four rows of A; n is even */
static inline void dae_la_dot4(int n, const double *a, long stride, const double *x, double *s) {
  const double *b = a + stride, *c = b + stride, *d = c + stride;
  pair e = {0}, f = {0}, g = {0}, h = {0};
  for (int i = 0; i < n; i += 2) {
    const pair v = *(const pair *)(x + i);
    e += v * *(const pair *)(a + i), f += v * *(const pair *)(b + i);
    g += v * *(const pair *)(c + i), h += v * *(const pair *)(d + i);
  }
  s[0] = e[0] + e[1], s[1] = f[0] + f[1], s[2] = g[0] + g[1], s[3] = h[0] + h[1];
}

/* y := y - a x */
static inline void dae_la_subtract(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] -= a * x[i];
}

#endif
