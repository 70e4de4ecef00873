/* the inner loops of the dense KKT elimination: tiles of 4 x 4 numbers that stay in registers */
#ifndef DAE_LA_KKT_KERNEL_H
#define DAE_LA_KKT_KERNEL_H

#include "la/dense/four.h"

enum { TILE = 4 };

static inline int padded(int n) { return (n + TILE - 1) & ~(TILE - 1); }

/* rows a, b, c, d */
typedef struct tile {
  four a, b, c, d;
} tile;

FOUR_INLINE void tile_load(tile *t, const double *u, long stride) {
  t->a = four_load(u), t->b = four_load(u + stride);
  t->c = four_load(u + 2 * stride), t->d = four_load(u + 3 * stride);
}

FOUR_INLINE void tile_store(const tile *t, double *u, long stride) {
  four_store(u, t->a), four_store(u + stride, t->b);
  four_store(u + 2 * stride, t->c), four_store(u + 3 * stride, t->d);
}

/* entries i .. l of four rows of a matrix become the rows of a tile */
FOUR_INLINE void tile_turn(tile *t, const double *const *row, int i, int j, int k, int l) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  t->a = four_of(a[i], b[i], c[i], d[i]), t->b = four_of(a[j], b[j], c[j], d[j]);
  t->c = four_of(a[k], b[k], c[k], d[k]), t->d = four_of(a[l], b[l], c[l], d[l]);
}

/* t := t - l' u: the four columns of l belong to the tile's rows */
FOUR_INLINE void tile_step(tile *t, const double *l, const double *u) {
  const four w = four_load(u);
  t->a = four_minus(t->a, four_all(l[0]), w), t->b = four_minus(t->b, four_all(l[1]), w);
  t->c = four_minus(t->c, four_all(l[2]), w), t->d = four_minus(t->d, four_all(l[3]), w);
}

/* t := t - sum_k l_k' u_k over count rows */
FOUR_INLINE void tile_eliminate(tile *t, int count, const double *l, const double *u, long stride) {
  tile s = *t;
  for (; count > 1; count -= 2, l += 2 * stride, u += 2 * stride) {
    tile_step(&s, l, u);
    tile_step(&s, l + stride, u + stride);
  }
  if (count > 0) tile_step(&s, l, u);
  *t = s;
}

/* the same for the tiles above and on the diagonal of a square of two by two */
FOUR_INLINE void tiles_eliminate(tile *s, tile *t, tile *w, int count, const double *l,
                                 const double *u) {
  tile a = *s, b = *t, c = *w;
  for (; count > 0; count--, l += 2 * TILE, u += 2 * TILE) {
    tile_step(&a, l, u);
    tile_step(&b, l, u + TILE);
    tile_step(&c, l + TILE, u + TILE);
  }
  *s = a, *t = b, *w = c;
}

/* the factors of a tile on the diagonal: its l above the diagonal and 1/u_ii */
typedef struct pivots {
  double l01, l02, l03, l12, l13, l23, q[TILE];
} pivots;

/*
 * Elimination inside a symmetric tile with `real` rows that count, of which the part above the
 * diagonal is read; u_ii to u. Two pivots at a time by the minor of order two, so that two
 * divisions wait for each other and not four: u_11 = (a_0 b_1 - a_1^2) / a_0.
 */
FOUR_INLINE void pivots_find(pivots *p, int real, const tile *t, double *u) {
  double a0 = four_at(t->a, 0), a1 = four_at(t->a, 1), a2 = four_at(t->a, 2), a3 = four_at(t->a, 3),
         b1 = four_at(t->b, 1);
  double minor = a0 * b1 - a1 * a1, q0 = 1 / a0, q1 = a0 / minor;
  p->l01 = a1 * q0, p->l02 = a2 * q0, p->l03 = a3 * q0;
  double b2 = four_at(t->b, 2) - p->l01 * a2, b3 = four_at(t->b, 3) - p->l01 * a3;
  p->l12 = b2 * q1, p->l13 = b3 * q1, p->l23 = 0;
  p->q[0] = q0, p->q[1] = q1, p->q[2] = p->q[3] = 0;
  u[0] = a0, u[1] = u[2] = u[3] = minor * q0;
  if (real <= 2) return;
  double c2 = four_at(t->c, 2) - p->l02 * a2 - p->l12 * b2;
  double c3 = four_at(t->c, 3) - p->l02 * a3 - p->l12 * b3;
  double d3 = four_at(t->d, 3) - p->l03 * a3 - p->l13 * b3;
  minor = c2 * d3 - c3 * c3;
  double q2 = 1 / c2;
  p->l23 = c3 * q2, p->q[2] = q2, p->q[3] = c2 / minor;
  u[2] = c2, u[3] = minor * q2;
}

/* the same elimination in a tile to the right; u and then l = u / u_ii are stored */
FOUR_INLINE void tile_finish(tile *t, const pivots *p, double *u, double *l, long stride) {
  t->b = four_minus(t->b, four_all(p->l01), t->a);
  t->c = four_minus(t->c, four_all(p->l02), t->a);
  t->d = four_minus(t->d, four_all(p->l03), t->a);
  t->c = four_minus(t->c, four_all(p->l12), t->b);
  t->d = four_minus(t->d, four_all(p->l13), t->b);
  t->d = four_minus(t->d, four_all(p->l23), t->c);
  tile_store(t, u, stride);
  t->a = four_times(t->a, four_all(p->q[0])), t->b = four_times(t->b, four_all(p->q[1]));
  t->c = four_times(t->c, four_all(p->q[2])), t->d = four_times(t->d, four_all(p->q[3]));
  tile_store(t, l, stride);
}

/* sum_j l_ij x_j for four rows; width is a multiple of TILE */
FOUR_INLINE four four_dots(int width, const double *l, long stride, const double *x) {
  const double *m = l + stride, *o = m + stride, *p = o + stride;
  four a = four_all(0), b = a, c = a, d = a;
  /* the x next to the tile were found last, so they come last */
  for (int j = width - TILE; j >= 0; j -= TILE) {
    const four v = four_load(x + j);
    a = four_plus(a, v, four_load(l + j)), b = four_plus(b, v, four_load(m + j));
    c = four_plus(c, v, four_load(o + j)), d = four_plus(d, v, four_load(p + j));
  }
  return four_sums(a, b, c, d);
}

/* x_j := x_j - sum_i z_i l_ij for four rows */
FOUR_INLINE void four_subtract(int width, const double *z, const double *l, long stride,
                               double *x) {
  const double *m = l + stride, *o = m + stride, *p = o + stride;
  const four a = four_all(z[0]), b = four_all(z[1]), c = four_all(z[2]), d = four_all(z[3]);
  for (int j = 0; j < width; j += TILE) {
    four v = four_minus(four_load(x + j), a, four_load(l + j));
    v = four_minus(v, b, four_load(m + j));
    v = four_minus(v, c, four_load(o + j));
    four_store(x + j, four_minus(v, d, four_load(p + j)));
  }
}

/* the first `real` of four numbers */
FOUR_INLINE void store_some(int real, double *x, four v) {
  if (real > 3) {
    four_store(x, v);
    return;
  }
  x[0] = four_at(v, 0);
  if (real > 1) x[1] = four_at(v, 1);
  if (real > 2) x[2] = four_at(v, 2);
}

/* x := L^-T x inside a tile */
FOUR_INLINE void forward_tile(const pivots *p, double *x) {
  x[1] -= p->l01 * x[0];
  x[2] = x[2] - p->l02 * x[0] - p->l12 * x[1];
  x[3] = x[3] - p->l03 * x[0] - p->l13 * x[1] - p->l23 * x[2];
}

/* L^-1 (x - s) inside a tile for its first `real` rows; x in the others */
FOUR_INLINE four backward_tile(const pivots *p, int real, four x, four s) {
  double a = four_at(x, 0) - four_at(s, 0), b = four_at(x, 1);
  double c = four_at(x, 2), d = four_at(x, 3);
  if (real > 3) d -= four_at(s, 3);
  if (real > 2) c = c - four_at(s, 2) - p->l23 * d;
  if (real > 1) b = b - four_at(s, 1) - p->l13 * d - p->l12 * c;
  a = a - p->l03 * d - p->l02 * c - p->l01 * b;
  return four_of(a, b, c, d);
}

/* four rows of a matrix become four columns */
FOUR_INLINE void turn(int count, const double *const *row, long stride, double *u) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  for (int i = 0; i < count; i++, u += stride) four_store(u, four_of(a[i], b[i], c[i], d[i]));
}

/* the same, and l := q_i u_i beside it */
FOUR_INLINE void turn_and_scale(int count, const double *const *row, const double *q, long stride,
                                double *u, double *l) {
  const double *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  for (int i = 0; i < count; i++, u += stride, l += stride) {
    const four v = four_of(a[i], b[i], c[i], d[i]);
    four_store(u, v);
    four_store(l, four_times(four_all(q[i]), v));
  }
}

#endif
