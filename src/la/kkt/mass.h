/* the rows of M in the dense KKT elimination, with the columns of G' and of a right-hand side */
#ifndef DAE_LA_KKT_MASS_H
#define DAE_LA_KKT_MASS_H

#include <float.h>
#include <string.h>

#include "la/kkt/kkt.h"
#include "la/kkt/few.h"
#include "la/kkt/groups.h"

/*
 * [M G'; G 0] = L' D L with D = diag(D_M, -D_S), by tiles. Row k of `u` is row k of the eliminated
 * matrix, row k of `l` is u / u_kk; what lies in tiles on the diagonal is in their pivots. A row
 * has the columns of M (np of them with the padding, none when M is diagonal or in groups), then
 * those of G', then one for a right-hand side. Rows that only pad M to whole tiles are unit
 * vectors, tiles of groups reach into the rows behind them; the rows of S later take their place.
 */
typedef struct dense {
  int n, rows, np, stride;
  dae_la_mass mass;
  double *u, *l;         /* n + TILE + padded(rows) rows */
  double *reciprocal;    /* n + TILE: 1/u_ii of M */
  pivots *upper, *lower; /* of the tiles or groups of M, of the tiles of S */
  double *x;             /* the padded vector of a solve */
  double *zero;          /* n + TILE */
  double *top;           /* padded(rows): the largest diagonal entry of S ever seen */
  const double **row;    /* what becomes columns: the rows of M, padding, G, p, padding */
  groups groups;
  bool mass_ready, deficient;
  bool by_few; /* `few` holds the factors, and l G M^-1 by rows */
  few few;
  int dropped, *drop;        /* rows of S that elimination left out */
  int expected;              /* rank that the rows should have, see dae_la_kkt_expect */
  bool tries_few;            /* .. and few of them, with a diagonal M */
  bool null_known;           /* null, null_scale: a basis of the y that do nothing, 1/|v|^2 */
  double *null, *null_scale; /* rows vectors at most */
  dae_la_deficient rank;
} dense;

/* room for the columns of M, or none; what has no row of a matrix behind it is zero */
static void set_layout(dense *d, int np) {
  d->np = np;
  d->stride = np + padded(d->rows + 1);
  for (int j = 0; j < d->stride; j++) d->row[j] = d->zero;
}

/* an M with other zeros may need another layout */
static void look_at_mass(dense *d, const double *M) {
  if (groups_same(&d->groups, d->n, M)) return;
  groups_find(&d->groups, d->n, M);
  set_layout(d, d->groups.count > 0 ? 0 : padded(d->n));
}

/* rows that belong to the problem in the tile that starts at row g */
static inline int real_rows(int n, int g) { return n - g < TILE ? n - g : TILE; }

/* what is next to the columns of M: the rows of G, which seldom move, and p */
static void set_columns(dense *d, const double *G, const double *p) {
  const double **row = d->row + d->np;
  row[d->rows] = p ? p : d->zero;
  if (d->rows > 0 && row[0] == G) return;
  for (int r = 0; r < d->rows; r++, G += d->n) row[r] = G;
}

/* the columns of M above the diagonal, and unit vectors to pad it */
static void load_mass(dense *d, const double *M) {
  long n = d->n, stride = d->stride;
  for (long j = 0; j < n; j++) d->row[j] = M + j * n;
  for (long j = 0; j < n; j += TILE)
    turn((int)(j + TILE < n ? j + TILE : n), d->row + j, stride, d->u + j);
  if (d->np == n) return;
  memset(d->u + n * stride, 0, (size_t)((d->np - n) * stride) * sizeof *d->u);
  for (long i = n; i < d->np; i++) d->u[i * (stride + 1)] = 1;
}

/* tiles of the rows from g on, in the columns from j on; `above` rows are eliminated before */
static inline void finish_rows(dense *d, const pivots *p, long above, long g, long i, long j) {
  long stride = d->stride;
  double *u = d->u + i * stride, *l = d->l + i * stride;
  for (; j < stride; j += TILE) {
    tile t;
    tile_load(&t, u + j, stride);
    tile_eliminate(&t, (int)above, d->l + g, d->u + j, stride);
    tile_finish(&t, p, u + j, l + j, stride);
  }
}

/* pivots of M from `first` on, of `real` rows; returns the row without one, or -1: below this it is
   rounding error */
FOUR_INLINE int take_pivots(dense *d, pivots *p, int first, int real, const tile *t,
                            const double *M) {
  const double tol = 4e-16 * d->n;
  double found[TILE];
  pivots_find(p, real, t, found);
  for (int i = 0; i < real; i++)
    if (!(found[i] > tol * M[(size_t)(first + i) * (size_t)(d->n + 1)])) return first + i;
  four_store(d->reciprocal + first, four_load(p->q));
  return -1;
}

/* rows of M and G' together: M = L' D_M L, W = L^-T G'. Returns the row without a pivot, or -1. */
static int factor_mass(dense *d, const double *M) {
  long n = d->n, stride = d->stride;
  load_mass(d, M);
  for (long g = 0; g < n; g += TILE) {
    pivots *p = d->upper + g / TILE;
    tile t;
    tile_load(&t, d->u + g * stride + g, stride);
    tile_eliminate(&t, (int)g, d->l + g, d->u + g, stride);
    int bad = take_pivots(d, p, (int)g, real_rows(d->n, (int)g), &t, M);
    if (bad >= 0) return bad;
    finish_rows(d, p, g, g, g, g + TILE);
  }
  return -1;
}

/* M is as before: the columns of G' only */
static void factor_again(dense *d) {
  for (long g = 0; g < d->n; g += TILE) finish_rows(d, d->upper + g / TILE, g, g, g, d->np);
}

/* the tile of a group of M, from its lower triangle; what is missing is a unit vector */
static inline void load_group(tile *t, int n, group k, const double *M, const double *zero) {
  const double *a = M + (size_t)k.first * (size_t)(n + 1), *b = k.real > 1 ? a + n : zero;
  const double *c = k.real > 2 ? b + n : zero, *d = k.real > 3 ? c + n : zero;
  t->a = four_of(a[0], b[0], c[0], d[0]);
  t->b = four_of(b[0], k.real > 1 ? b[1] : 1, c[1], d[1]);
  t->c = four_of(c[0], c[1], k.real > 2 ? c[2] : 1, d[2]);
  t->d = four_of(d[0], d[1], d[2], k.real > 3 ? d[3] : 1);
}

/* the same for M in groups, straight from the rows of G; M NULL: it is as before. Rows behind a
   group get what does no harm, as they are the next ones to be made. */
FOUR_INLINE int factor_groups(dense *d, const double *M, const long stride) {
  int last = d->n - 1;
  for (int k = 0; k < d->groups.count; k++) {
    group at = d->groups.group[k];
    pivots *p = d->upper + k;
    tile t;
    int a = at.first, b = a < last ? a + 1 : last, c = b < last ? b + 1 : last;
    if (M) {
      load_group(&t, d->n, at, M, d->zero);
      int bad = take_pivots(d, p, a, at.real, &t, M);
      if (bad >= 0) return bad;
    }
    double *u = d->u + a * stride, *l = d->l + a * stride;
    for (long j = 0; j < stride; j += TILE) {
      tile_turn(&t, d->row + j, a, b, c, c < last ? c + 1 : last);
      tile_finish(&t, p, u + j, l + j, stride);
    }
  }
  return -1;
}

/* M diagonal: 1/M */
static int invert_mass(dense *d, const double *M) {
  for (int i = 0; i < d->n; i++) {
    if (!(M[i] > 0 && M[i] <= DBL_MAX)) return i;
    d->reciprocal[i] = 1 / M[i];
  }
  return -1;
}

/* all rows of M and G', whatever M is; M NULL: it is as before. Returns the row without a pivot,
   or -1. */
FOUR_INLINE int factor_upper(dense *d, const double *M, const long stride) {
  bool full = d->mass == DAE_LA_DENSE;
  long np = d->np;
  if (full && !np) return factor_groups(d, M, stride);
  for (long j = np; j < stride; j += TILE)
    if (np) turn(d->n, d->row + j, stride, d->u + j);
    else turn_and_scale(d->n, d->row + j, d->reciprocal, stride, d->u + j, d->l + j);
  if (full && M) return factor_mass(d, M);
  if (full) factor_again(d);
  return -1;
}

/* the way back through M, in the columns up to `end` */
static void backward_mass(const dense *d, int end, double *x) {
  long stride = d->stride;
  for (long g = d->np - TILE; g >= 0; g -= TILE) {
    const double *l = d->l + g * stride + g + TILE;
    four s = four_dots(end - (int)g - TILE, l, stride, x + g + TILE);
    int real = real_rows(d->n, (int)g);
    four_store(x + g, backward_tile(d->upper + g / TILE, real, four_load(x + g), s));
  }
}

/* x := D_M^-1 L^-T x, with what that takes from the columns up to `end` */
static void forward_mass(dense *d, int end, double *x) {
  long stride = d->stride;
  for (long g = 0; g < d->n; g += TILE) {
    const pivots *p = d->upper + g / TILE;
    forward_tile(p, x + g);
    four_subtract(end - (int)g - TILE, x + g, d->l + g * stride + g + TILE, stride, x + g + TILE);
    for (long i = 0; i < TILE; i++) x[g + i] *= p->q[i];
  }
}

/* M in groups: p := L^-T p, n of them */
static void forward_groups(const dense *d, double *p) {
  double x[TILE];
  for (int k = 0; k < d->groups.count; k++) {
    group at = d->groups.group[k];
    for (int i = 0; i < TILE; i++) x[i] = i < at.real ? p[at.first + i] : 0;
    forward_tile(d->upper + k, x);
    for (int i = 0; i < at.real; i++) p[at.first + i] = x[i];
  }
}

/* the first `real` numbers of D^-1 p and what does no harm, or zeros */
FOUR_INLINE four scaled(const dense *d, int first, int real, bool with_p, const double *p) {
  const double *q = d->reciprocal + first;
  p += first;
  if (!with_p) return four_all(0);
  if (real > 3) return four_times(four_load(p), four_load(q));
  int b = real > 1 ? 1 : 0, c = real > 2 ? 2 : b;
  return four_times(four_of(p[0], p[b], p[c], p[c]), four_load(q));
}

/* M diagonal or in groups: a = L^-1 (D^-1 p - (D^-1 W | D^-1 p) x), the first term only when p is
   not in x */
FOUR_INLINE void backward_parts(const dense *d, bool with_p, const double *x, double *p,
                                const long stride) {
  for (int k = 0; k < d->groups.count; k++) {
    group at = d->groups.group[k];
    four s = four_dots((int)stride, d->l + at.first * stride, stride, x);
    four v = backward_tile(d->upper + k, at.real, scaled(d, at.first, at.real, with_p, p), s);
    store_some(at.real, p + at.first, v);
  }
  if (d->mass == DAE_LA_DENSE) return;
  for (int i = 0; i < d->n; i += TILE) {
    int real = real_rows(d->n, i);
    four s = four_dots((int)stride, d->l + i * stride, stride, x);
    store_some(real, p + i, four_minus(scaled(d, i, real, with_p, p), s, four_all(1)));
  }
}

#endif
