/* the inner loops of the dense KKT elimination: tiles of 4 x 4 numbers that stay in registers */
#ifndef DAE_LA_KKT_KERNEL_H
#define DAE_LA_KKT_KERNEL_H

enum { TILE = 4 };

/* what every x86-64 and arm64 holds in one register; tiles start at multiples of TILE in aligned
   memory */
typedef double two __attribute__((vector_size(16), may_alias));

static inline int padded(int n) { return (n + TILE - 1) & ~(TILE - 1); }

static inline two both(double a) { return (two){a, a}; }

/* rows a, b, c, d */
typedef struct tile {
  two a0, a1, b0, b1, c0, c1, d0, d1;
} tile;

static inline void tile_load(tile *t, const double *u, long stride) {
  const two *a = (const two *)u, *b = (const two *)(u + stride);
  const two *c = (const two *)(u + 2 * stride), *d = (const two *)(u + 3 * stride);
  t->a0 = a[0], t->a1 = a[1], t->b0 = b[0], t->b1 = b[1];
  t->c0 = c[0], t->c1 = c[1], t->d0 = d[0], t->d1 = d[1];
}

static inline void tile_store(const tile *t, double *u, long stride) {
  two *a = (two *)u, *b = (two *)(u + stride);
  two *c = (two *)(u + 2 * stride), *d = (two *)(u + 3 * stride);
  a[0] = t->a0, a[1] = t->a1, b[0] = t->b0, b[1] = t->b1;
  c[0] = t->c0, c[1] = t->c1, d[0] = t->d0, d[1] = t->d1;
}

/* t := t - sum_k l_k' u_k over count rows: the four columns of l belong to the tile's rows */
static inline void tile_eliminate(tile *t, int count, const double *l, const double *u,
                                  long stride) {
  tile s = *t;
  for (; count > 0; count--, l += stride, u += stride) {
    const two w0 = ((const two *)u)[0], w1 = ((const two *)u)[1];
    two q = both(l[0]);
    s.a0 -= q * w0, s.a1 -= q * w1;
    q = both(l[1]);
    s.b0 -= q * w0, s.b1 -= q * w1;
    q = both(l[2]);
    s.c0 -= q * w0, s.c1 -= q * w1;
    q = both(l[3]);
    s.d0 -= q * w0, s.d1 -= q * w1;
  }
  *t = s;
}

/* the factors of a tile on the diagonal: its l above the diagonal and 1/u_ii, each twice */
typedef struct pivots {
  two l01, l02, l03, l12, l13, l23, q0, q1, q2, q3;
} pivots;

static inline void pivots_set(pivots *p, const double *l, long stride, const double *q) {
  p->l01 = both(l[1]), p->l02 = both(l[2]), p->l03 = both(l[3]);
  p->l12 = both(l[stride + 2]), p->l13 = both(l[stride + 3]), p->l23 = both(l[2 * stride + 3]);
  p->q0 = both(q[0]), p->q1 = both(q[1]), p->q2 = both(q[2]), p->q3 = both(q[3]);
}

/*
 * Elimination inside a symmetric tile s (16 numbers) with `real` rows that count: its rows of l,
 * 1/u_ii to q, u_ii to u. Two pivots at a time by the minor of order two, so that two divisions
 * wait for each other and not four: u_11 = (s_00 s_11 - s_01^2) / s_00.
 */
static inline void pivots_find(int real, const double *s, double *l, long stride, double *q,
                               double *u) {
  double *m = l + stride, *o = m + stride, minor = s[0] * s[5] - s[1] * s[1];
  double q0 = 1 / s[0], q1 = s[0] / minor, l01 = s[1] * q0, l02 = s[2] * q0, l03 = s[3] * q0;
  double u12 = s[6] - l01 * s[2], u13 = s[7] - l01 * s[3], l12 = u12 * q1, l13 = u13 * q1;
  l[1] = l01, l[2] = l02, l[3] = l03, m[2] = l12, m[3] = l13;
  q[0] = q0, q[1] = q1, u[0] = s[0], u[1] = minor * q0;
  q[2] = q[3] = o[3] = 0;
  if (real <= 2) return;
  double u22 = s[10] - l02 * s[2] - l12 * u12, u23 = s[11] - l02 * s[3] - l12 * u13;
  double u33 = s[15] - l03 * s[3] - l13 * u13;
  minor = u22 * u33 - u23 * u23;
  double q2 = 1 / u22;
  o[3] = u23 * q2;
  q[2] = q2, q[3] = u22 / minor, u[2] = u22, u[3] = minor * q2;
}

/* the same elimination in a tile to the right; u and then l = u / u_ii are stored */
static inline void tile_finish(tile *t, const pivots *p, double *u, double *l, long stride) {
  t->b0 -= p->l01 * t->a0, t->b1 -= p->l01 * t->a1;
  t->c0 -= p->l02 * t->a0, t->c1 -= p->l02 * t->a1;
  t->d0 -= p->l03 * t->a0, t->d1 -= p->l03 * t->a1;
  t->c0 -= p->l12 * t->b0, t->c1 -= p->l12 * t->b1;
  t->d0 -= p->l13 * t->b0, t->d1 -= p->l13 * t->b1;
  t->d0 -= p->l23 * t->c0, t->d1 -= p->l23 * t->c1;
  tile_store(t, u, stride);
  t->a0 *= p->q0, t->a1 *= p->q0, t->b0 *= p->q1, t->b1 *= p->q1;
  t->c0 *= p->q2, t->c1 *= p->q2, t->d0 *= p->q3, t->d1 *= p->q3;
  tile_store(t, l, stride);
}

/* s_i := sum_j l_ij x_j for four rows; width is a multiple of TILE */
static inline void four_dots(int width, const double *l, long stride, const double *x, double *s) {
  const double *m = l + stride, *o = m + stride, *p = o + stride;
  two a = {0}, b = {0}, c = {0}, d = {0};
  /* the x next to the tile were found last, so they come last */
  for (int j = width - 2; j >= 0; j -= 2) {
    const two v = *(const two *)(x + j);
    a += v * *(const two *)(l + j), b += v * *(const two *)(m + j);
    c += v * *(const two *)(o + j), d += v * *(const two *)(p + j);
  }
  s[0] = a[0] + a[1], s[1] = b[0] + b[1], s[2] = c[0] + c[1], s[3] = d[0] + d[1];
}

/* x_j := x_j - sum_i z_i l_ij for four rows */
static inline void four_subtract(int width, const double *z, const double *l, long stride,
                                 double *x) {
  const double *m = l + stride, *o = m + stride, *p = o + stride;
  const two a = both(z[0]), b = both(z[1]), c = both(z[2]), d = both(z[3]);
  for (int j = 0; j < width; j += 2) {
    two v = *(two *)(x + j);
    v -= a * *(const two *)(l + j), v -= b * *(const two *)(m + j);
    v -= c * *(const two *)(o + j), v -= d * *(const two *)(p + j);
    *(two *)(x + j) = v;
  }
}

/* a pair with a in place `at` and zero in the other; one store, as the reader will load both at
   once */
static inline void store_one(double *x, long at, double a) {
  *(two *)(x + (at & ~1L)) = at & 1 ? (two){0, a} : (two){a, 0};
}

/* x := L^-T x inside a tile */
static inline void forward_tile(const double *l, long stride, double *x) {
  double a = x[0], b = x[1] - l[1] * a, c = x[2] - l[2] * a - l[stride + 2] * b;
  double d = x[3] - l[3] * a - l[stride + 3] * b - l[2 * stride + 3] * c;
  ((two *)x)[0] = (two){a, b};
  ((two *)x)[1] = (two){c, d};
}

/* x := L^-1 (x - s) inside a tile for its first `real` rows; the others stay */
static inline void backward_tile(int real, const double *s, const double *l, long stride,
                                 double *x) {
  double a = x[0] - s[0], b = x[1], c = x[2], d = x[3];
  if (real > 3) d -= s[3];
  if (real > 2) c = c - s[2] - l[2 * stride + 3] * d;
  if (real > 1) b = b - s[1] - l[stride + 3] * d - l[stride + 2] * c;
  a = a - l[3] * d - l[2] * c - l[1] * b;
  ((two *)x)[0] = (two){a, b};
  ((two *)x)[1] = (two){c, d};
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
    const two v = {a[i], b[i]}, w = {c[i], d[i]}, g = both(q[i]);
    ((two *)u)[0] = v;
    ((two *)u)[1] = w;
    ((two *)l)[0] = g * v;
    ((two *)l)[1] = g * w;
  }
}

#endif
