/* the inner loops: written so that the compiler turns them into vector code at -O2/-O3 */
#ifndef DAE_LA_KERNEL_H
#define DAE_LA_KERNEL_H

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

/* y := y - a x */
static inline void dae_la_subtract(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] -= a * x[i];
}

#endif
