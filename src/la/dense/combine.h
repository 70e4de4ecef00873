/* sums of stages, the inner loop of explicit methods */
#ifndef DAE_LA_COMBINE_H
#define DAE_LA_COMBINE_H

#include "la/dense/four.h"
#include "la/la.h"

/* sixteen numbers from i on stay in registers while the vectors pass */
FOUR_INLINE void combine_sixteen(int i, const double *z, double h, int count, const double *a,
                                 const double *const *k, double *out) {
  four s = four_all(0), t = s, u = s, v = s;
  for (int m = 0; m < count; m++) {
    const four g = four_all(a[m]);
    const double *x = k[m] + i;
    s = four_plus(s, g, four_load(x)), t = four_plus(t, g, four_load(x + 4));
    u = four_plus(u, g, four_load(x + 8)), v = four_plus(v, g, four_load(x + 12));
  }
  const four step = four_all(h);
  s = four_times(s, step), t = four_times(t, step);
  u = four_times(u, step), v = four_times(v, step);
  if (z) {
    s = four_add(s, four_load(z + i)), t = four_add(t, four_load(z + i + 4));
    u = four_add(u, four_load(z + i + 8)), v = four_add(v, four_load(z + i + 12));
  }
  four_store(out + i, s), four_store(out + i + 4, t);
  four_store(out + i + 8, u), four_store(out + i + 12, v);
}

/* the same with four from i on and four from j on, which may overlap */
FOUR_INLINE void combine_eight(int i, int j, const double *z, double h, int count, const double *a,
                               const double *const *k, double *out) {
  four s = four_all(0), t = s;
  for (int m = 0; m < count; m++) {
    const four g = four_all(a[m]);
    s = four_plus(s, g, four_load(k[m] + i)), t = four_plus(t, g, four_load(k[m] + j));
  }
  s = four_times(s, four_all(h)), t = four_times(t, four_all(h));
  if (z) s = four_add(s, four_load(z + i)), t = four_add(t, four_load(z + j));
  four_store(out + i, s), four_store(out + j, t);
}

FOUR_INLINE void combine_four(const double *z, double h, int count, const double *a,
                              const double *const *k, double *out) {
  four s = four_all(0);
  for (int m = 0; m < count; m++) s = four_plus(s, four_all(a[m]), four_load(k[m]));
  s = four_times(s, four_all(h));
  four_store(out, z ? four_add(s, four_load(z)) : s);
}

/* not inline, so that short vectors save no registers for it */
static DAE_NOINLINE void combine_long(int n, const double *z, double h, const dae_la_sum *sum,
                                      double *out) {
  const int count = sum->count;
  const double *a = sum->a, *const *k = sum->k;
  int i = 0;
  for (; i + 16 <= n; i += 16) combine_sixteen(i, z, h, count, a, k, out);
  if (i < n) combine_sixteen(n - 16, z, h, count, a, k, out);
}

static DAE_NOINLINE void combine_middle(int n, const double *z, double h, const dae_la_sum *sum,
                                        double *out) {
  const int count = sum->count;
  const double *a = sum->a, *const *k = sum->k;
  if (n > 8) combine_eight(0, 4, z, h, count, a, k, out);
  combine_eight(n > 8 ? n - 8 : 0, n - 4, z, h, count, a, k, out);
}

static DAE_NOINLINE void combine_short(int n, const double *z, double h, const dae_la_sum *sum,
                                       double *out) {
  const int count = sum->count;
  const double *a = sum->a, *const *k = sum->k;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int m = 0; m < count; m++) s += a[m] * k[m][i];
    out[i] = (z ? z[i] : 0) + h * s;
  }
}

/* out := z + h sum_m a_m k_m; what is left at the end overlaps what is done */
static inline void combine(int n, const double *z, double h, const dae_la_sum *sum, double *out) {
  if (n == 4) combine_four(z, h, sum->count, sum->a, sum->k, out);
  else if (n >= 16) combine_long(n, z, h, sum, out);
  else if (n > 4) combine_middle(n, z, h, sum, out);
  else combine_short(n, z, h, sum, out);
}

#endif
