/* the inner loops of the dense KKT elimination: rows padded to multiples of four, two numbers at once */
#ifndef DAE_LA_KKT_KERNEL_H
#define DAE_LA_KKT_KERNEL_H

enum { PAD = 4 };

/* what every x86-64 and arm64 has in one register; rows start at multiples of PAD in aligned memory */
typedef double two __attribute__((vector_size(16), may_alias));
typedef long long two_bits __attribute__((vector_size(16)));

static inline int padded(int n) { return (n + PAD - 1) & ~(PAD - 1); }

/* the first column of the group of PAD that holds column i */
static inline int group(int i) { return i & ~(PAD - 1); }

/* u := start - sum_k l_k U_k over count rows of U, for 16, 8 and 4 columns; sums stay in registers */
static inline void eliminate16(int count, const double *l, const double *U, long stride,
                               const double *start, double *u) {
  const two *s = (const two *)start;
  two a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7], *v = (two *)u;
  for (; count > 0; count--, l += stride, U += stride) {
    const two q = {*l, *l}, *w = (const two *)U;
    a -= q * w[0], b -= q * w[1], c -= q * w[2], d -= q * w[3];
    e -= q * w[4], f -= q * w[5], g -= q * w[6], h -= q * w[7];
  }
  v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
}

static inline void eliminate8(int count, const double *l, const double *U, long stride,
                              const double *start, double *u) {
  const two *s = (const two *)start;
  two a = s[0], b = s[1], c = s[2], d = s[3], *v = (two *)u;
  for (; count > 0; count--, l += stride, U += stride) {
    const two q = {*l, *l}, *w = (const two *)U;
    a -= q * w[0], b -= q * w[1], c -= q * w[2], d -= q * w[3];
  }
  v[0] = a, v[1] = b, v[2] = c, v[3] = d;
}

static inline void eliminate4(int count, const double *l, const double *U, long stride,
                              const double *start, double *u) {
  const two *s = (const two *)start;
  two a = s[0], b = s[1], *v = (two *)u;
  for (; count > 0; count--, l += stride, U += stride) {
    const two q = {*l, *l}, *w = (const two *)U;
    a -= q * w[0], b -= q * w[1];
  }
  v[0] = a, v[1] = b;
}

static inline void eliminate(int count, int width, const double *l, const double *U, long stride,
                             const double *start, double *u) {
  int j = 0;
  for (; j + 16 <= width; j += 16) eliminate16(count, l, U + j, stride, start + j, u + j);
  if (j + 8 <= width) eliminate8(count, l, U + j, stride, start + j, u + j), j += 8;
  if (j < width) eliminate4(count, l, U + j, stride, start + j, u + j);
}

/* l := q u, with zeros in the first group up to place `at` of it */
static inline void divide_row(int width, int at, double q, const double *u, double *l) {
  static const long long after[PAD][PAD] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0}};
  const two g = {q, q}, *v = (const two *)u;
  const two_bits *keep = (const two_bits *)after[at];
  two *w = (two *)l;
  w[0] = (two)((two_bits)(g * v[0]) & keep[0]);
  w[1] = (two)((two_bits)(g * v[1]) & keep[1]);
  for (int j = 2; j < width / 2; j += 2) w[j] = g * v[j], w[j + 1] = g * v[j + 1];
}

/* sum := sum - l u, entry by entry */
static inline void collect(int width, const double *l, const double *u, double *sum) {
  const two *v = (const two *)l, *w = (const two *)u;
  two *s = (two *)sum;
  for (int j = 0; j < width / 2; j += 2) s[j] -= v[j] * w[j], s[j + 1] -= v[j + 1] * w[j + 1];
}

/* x := x - a l */
static inline void subtract(int width, double a, const double *l, double *x) {
  const two g = {a, a}, *v = (const two *)l;
  two *w = (two *)x;
  for (int j = 0; j < width / 2; j += 2) w[j] -= g * v[j], w[j + 1] -= g * v[j + 1];
}

static inline double dot(int width, const double *l, const double *x) {
  const two *v = (const two *)l, *w = (const two *)x;
  two s = v[0] * w[0], t = v[1] * w[1];
  for (int j = 2; j < width / 2; j += 2) s += v[j] * w[j], t += v[j + 1] * w[j + 1];
  s += t;
  return s[0] + s[1];
}

/* four rows of a matrix become four columns */
static inline void turn(int count, const double *const *row, long stride, double *u) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  for (int i = 0; i < count; i++, u += stride) {
    ((two *)u)[0] = (two){a[i], b[i]};
    ((two *)u)[1] = (two){c[i], d[i]};
  }
}

/* the same, and l := q_i u_i beside it */
static inline void turn_and_scale(int count, const double *const *row, const double *q, long stride,
                                  double *u, double *l) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  for (int i = 0; i < count; i++, u += stride, l += stride) {
    const two v = {a[i], b[i]}, w = {c[i], d[i]}, g = {q[i], q[i]};
    ((two *)u)[0] = v;
    ((two *)u)[1] = w;
    ((two *)l)[0] = g * v;
    ((two *)l)[1] = g * w;
  }
}

#endif
