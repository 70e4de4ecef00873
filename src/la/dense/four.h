/* four numbers at once: one register with AVX2, else two of what every x86-64 and arm64 has.
   Operations and their order are the same, and so are the results, to the last bit. */
#ifndef DAE_LA_FOUR_H
#define DAE_LA_FOUR_H

#include <stdbool.h>

#include "base/compiler.h"

#define FOUR_INLINE static DAE_ALWAYS_INLINE

/* from place 3 - i on: all bits in place i */
static const long long four_place[7] = {0, 0, 0, -1, 0, 0, 0};

#ifdef __AVX2__

#include <immintrin.h>

enum { FOUR_IS_ONE = 1 }; /* one register: sixteen of them are there */

typedef double four DAE_VECTOR(32);
typedef double four_in_memory DAE_VECTOR_ANYWHERE(32);

FOUR_INLINE four four_of(double a, double b, double c, double d) { return (four){a, b, c, d}; }
FOUR_INLINE four four_load(const double *x) { return *(const four_in_memory *)x; }
FOUR_INLINE void four_store(double *x, four v) { *(four_in_memory *)x = v; }
FOUR_INLINE double four_at(four v, const int i) { return v[i]; }
FOUR_INLINE four four_add(four v, four w) { return v + w; }
FOUR_INLINE four four_less(four v, four w) { return v - w; }
FOUR_INLINE four four_times(four v, four w) { return v * w; }
FOUR_INLINE four four_over(four v, four w) { return v / w; }
/* u + v w and u - v w, rounded twice */
FOUR_INLINE four four_plus(four u, four v, four w) { return u + v * w; }
FOUR_INLINE four four_minus(four u, four v, four w) { return u - v * w; }
/* each of v where it is above (below) that of w, else that of w */
FOUR_INLINE four four_larger(four v, four w) { return _mm256_max_pd(v, w); }
FOUR_INLINE four four_smaller(four v, four w) { return _mm256_min_pd(v, w); }
/* every number of v is above that of w */
FOUR_INLINE bool four_above(four v, four w) { return _mm256_movemask_pd((four)(v > w)) == 15; }
/* a in place i, zeros elsewhere */
FOUR_INLINE four four_only(int i, double a) {
  typedef long long bits DAE_VECTOR(32);
  typedef long long bits_in_memory DAE_VECTOR_ANYWHERE(32);
  return (four)((bits)(four){a, a, a, a} & *(const bits_in_memory *)(four_place + 3 - i));
}
/* the sum of the numbers in each of a, b, c, d, as (0 + 1) + (2 + 3) */
FOUR_INLINE four four_sums(four a, four b, four c, four d) {
  four e = _mm256_unpacklo_pd(a, b) + _mm256_unpackhi_pd(a, b);
  four f = _mm256_unpacklo_pd(c, d) + _mm256_unpackhi_pd(c, d);
  return _mm256_permute2f128_pd(e, f, 0x20) + _mm256_permute2f128_pd(e, f, 0x31);
}

#else

enum { FOUR_IS_ONE = 0 };

typedef double four_half DAE_VECTOR(16);
typedef double four_in_memory DAE_VECTOR_ANYWHERE(16);

typedef struct four {
  four_half low, high;
} four;

FOUR_INLINE four four_of(double a, double b, double c, double d) { return (four){{a, b}, {c, d}}; }
FOUR_INLINE four four_load(const double *x) {
  const four_in_memory *v = (const four_in_memory *)x;
  return (four){v[0], v[1]};
}
FOUR_INLINE void four_store(double *x, four v) {
  four_in_memory *to = (four_in_memory *)x;
  to[0] = v.low, to[1] = v.high;
}
FOUR_INLINE double four_at(four v, const int i) { return i < 2 ? v.low[i] : v.high[i - 2]; }
FOUR_INLINE four four_add(four v, four w) { return (four){v.low + w.low, v.high + w.high}; }
FOUR_INLINE four four_less(four v, four w) { return (four){v.low - w.low, v.high - w.high}; }
FOUR_INLINE four four_times(four v, four w) { return (four){v.low * w.low, v.high * w.high}; }
FOUR_INLINE four four_over(four v, four w) { return (four){v.low / w.low, v.high / w.high}; }
FOUR_INLINE four four_plus(four u, four v, four w) {
  return (four){u.low + v.low * w.low, u.high + v.high * w.high};
}
FOUR_INLINE four four_minus(four u, four v, four w) {
  return (four){u.low - v.low * w.low, u.high - v.high * w.high};
}
FOUR_INLINE four_half four_half_larger(four_half v, four_half w) {
  return (four_half){v[0] > w[0] ? v[0] : w[0], v[1] > w[1] ? v[1] : w[1]};
}
FOUR_INLINE four four_larger(four v, four w) {
  return (four){four_half_larger(v.low, w.low), four_half_larger(v.high, w.high)};
}
FOUR_INLINE four_half four_half_smaller(four_half v, four_half w) {
  return (four_half){v[0] < w[0] ? v[0] : w[0], v[1] < w[1] ? v[1] : w[1]};
}
FOUR_INLINE four four_smaller(four v, four w) {
  return (four){four_half_smaller(v.low, w.low), four_half_smaller(v.high, w.high)};
}
FOUR_INLINE bool four_above(four v, four w) {
  return (v.low[0] > w.low[0]) & (v.low[1] > w.low[1]) & (v.high[0] > w.high[0]) &
         (v.high[1] > w.high[1]);
}
FOUR_INLINE four four_only(int i, double a) {
  typedef long long bits DAE_VECTOR(16);
  typedef long long bits_in_memory DAE_VECTOR_ANYWHERE(16);
  const bits_in_memory *place = (const bits_in_memory *)(four_place + 3 - i);
  bits all = (bits)(four_half){a, a};
  return (four){(four_half)(all & place[0]), (four_half)(all & place[1])};
}
FOUR_INLINE four_half four_half_sums(four_half a, four_half b) {
  return (four_half){a[0], b[0]} + (four_half){a[1], b[1]};
}
FOUR_INLINE four four_sums(four a, four b, four c, four d) {
  return (four){four_half_sums(a.low, b.low) + four_half_sums(a.high, b.high),
                four_half_sums(c.low, d.low) + four_half_sums(c.high, d.high)};
}

#endif

FOUR_INLINE four four_all(double a) { return four_of(a, a, a, a); }

#endif
