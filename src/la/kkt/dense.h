/* the dense symmetric KKT system: one elimination of [M G'; G 0], with or without right-hand side.
   A template: compiled for any processor in dense.c and for wide registers in ../wide.c */
#ifndef DAE_LA_KKT_DENSE_H
#define DAE_LA_KKT_DENSE_H

#include <math.h>

#include "la/kkt/mass.h"

static void take_groups(dense *d, dae_pool *pool) {
  size_t n = (size_t)d->n;
  d->groups.edge = dae_base_ints(pool, n);
  d->groups.group = dae_base_data(pool, n, sizeof *d->groups.group);
  d->groups.row = dae_base_ints(pool, n);
  d->groups.witness = dae_base_ints(pool, n * TILE);
  d->groups.between = dae_base_data(pool, n * n, sizeof *d->groups.between);
  d->groups.count = -1; /* not known yet */
}

static void expect(void *self, int rank) {
  dense *d = self;
  d->expected = rank;
  d->tries_few = d->mass != DAE_LA_DENSE && d->rows > 0 && d->rows <= FEW && rank == d->rows;
}

static dae_status make(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dense *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  d->n = shape->n;
  d->rows = shape->rows;
  d->mass = shape->mass;
  expect(d, d->rows);
  int np = d->mass == DAE_LA_DENSE ? padded(d->n) : 0;
  size_t n = (size_t)d->n, stride = (size_t)(np + padded(d->rows + 1));
  size_t below = (size_t)padded(d->rows), all = n + TILE + below;
  d->u = dae_base_doubles(pool, all * stride);
  d->l = dae_base_doubles(pool, all * stride);
  d->reciprocal = dae_base_doubles(pool, n + TILE);
  d->upper = dae_base_take(pool, np > 0 ? n : 0, sizeof *d->upper);
  d->lower = dae_base_take(pool, below / TILE, sizeof *d->lower);
  d->x = dae_base_doubles(pool, n + TILE > stride ? n + TILE : stride);
  d->null = dae_base_doubles(pool, (size_t)d->rows * (size_t)padded(d->rows + 1));
  d->null_scale = dae_base_doubles(pool, (size_t)d->rows);
  d->zero = dae_base_doubles(pool, n + TILE);
  d->top = dae_base_doubles(pool, below);
  d->row = dae_base_take(pool, stride, sizeof *d->row);
  dae_base_moving(pool, d->row, stride);
  d->drop = dae_base_ints(pool, (size_t)d->rows);
  if (np > 0) take_groups(d, pool);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < d->n; i++) d->reciprocal[i] = 1; /* stays so for the identity */
  set_layout(d, np);
  return dae_la_deficient_new(&d->rank, pool, d->rows, d->n);
}

/* a tile of [0 r] from row g of S and column j of G' on */
FOUR_INLINE void start_tile(const dense *d, const double *r, long g, long j, tile *t) {
  int place = d->rows - (int)j, real = real_rows(d->rows, (int)g);
  t->a = t->b = t->c = t->d = four_all(0);
  if (place >= TILE || real < 1 || !r) return;
  t->a = four_only(place, r[g]);
  if (real > 1) t->b = four_only(place, r[g + 1]);
  if (real > 2) t->c = four_only(place, r[g + 2]);
  if (real > 3) t->d = four_only(place, r[g + 3]);
}

/* products of two that came near the ends of the number range say nothing */
static inline bool in_range(double size) { return (size > 1e-140) & (size < 1e140); }

/* what the pivots of S say: the smallest one relative to the diagonal, and to the largest that it
   ever was */
typedef struct verdict {
  four least, least_ever;
} verdict;

/*
 * Pivots of S are compared with its diagonal, which is the same as scaling S to a unit diagonal:
 * elimination does not change under that scaling. Returns the first that is too small, or -1.
 */
FOUR_INLINE int judge(verdict *v, int real, double tol, const double *found, const double *diagonal,
                      double *top) {
  const double b = real > 1 ? -found[1] : 1, c = real > 2 ? -found[2] : 1;
  const double f = real > 1 ? -diagonal[1] : 1, g = real > 2 ? -diagonal[2] : 1;
  const four pivot = four_of(-found[0], b, c, real > 3 ? -found[3] : 1);
  const four size = four_of(-diagonal[0], f, g, real > 3 ? -diagonal[3] : 1);
  if (!(four_above(pivot, four_times(size, four_all(tol))) && four_above(size, four_all(1e-140)) &&
        four_above(four_all(1e140), size)))
    for (int i = 0; i < real; i++)
      if (!(-found[i] > -tol * diagonal[i] && in_range(-diagonal[i]))) return i;
  const four most = four_larger(size, four_load(top));
  four_store(top, most);
  v->least = four_smaller(four_over(pivot, size), v->least);
  v->least_ever = four_smaller(four_over(pivot, most), v->least_ever);
  return -1;
}

FOUR_INLINE double least_of(four x) {
  double a = four_at(x, 0), b = four_at(x, 1), c = four_at(x, 2), d = four_at(x, 3);
  a = a < b ? a : b, c = c < d ? c : d;
  return a < c ? a : c;
}

/* pivots of rows that stay when others go are this many tolerances or more: nearer to them QR
   decides */
static const double margin = 1000;

/*
 * Elimination in a tile with rows that depend on those before, one pivot after the other: they are
 * left out by l = 0 and 1/u_ii = 0. False when it is not clear that they depend, or on what.
 */
static bool pivots_drop(dense *d, pivots *p, long g, const tile *t, const double *diagonal,
                        double tol, verdict *v) {
  double s[TILE][TILE], l[TILE][TILE] = {{0}}, *top = d->top + g;
  int real = real_rows(d->rows, (int)g);
  tile_store(t, &s[0][0], TILE);
  for (int i = 0; i < real; i++) {
    double pivot = -s[i][i], size = -diagonal[i];
    p->q[i] = 0;
    if (!in_range(size)) return false;
    if (size > top[i]) top[i] = size;
    if (fabs(pivot) <= tol * size) {
      d->drop[d->dropped++] = (int)g + i;
      continue;
    }
    if (!(pivot > margin * tol * size)) return false;
    v->least = four_smaller(four_all(pivot / size), v->least);
    v->least_ever = four_smaller(four_all(pivot / top[i]), v->least_ever);
    p->q[i] = 1 / s[i][i];
    for (int j = i + 1; j < TILE; j++) {
      l[i][j] = s[i][j] * p->q[i];
      for (int k = i + 1; k <= j; k++) s[k][j] -= l[i][k] * s[i][j];
    }
  }
  p->l01 = l[0][1], p->l02 = l[0][2], p->l03 = l[0][3];
  p->l12 = l[1][2], p->l13 = l[1][3], p->l23 = l[2][3];
  return true;
}

/* the pivots of the tile of S on the diagonal, from which all rows of M were taken; returns where
   elimination ends, or -1 */
FOUR_INLINE int take_schur(dense *d, long g, tile *t, verdict *v, const long stride) {
  const double diagonal[] = {four_at(t->a, 0), four_at(t->b, 1), four_at(t->c, 2),
                             four_at(t->d, 3)};
  const double tol = dae_la_kkt_tolerance(d->n);
  long at = d->n * stride + d->np + g;
  pivots *p = d->lower + g / TILE;
  int real = real_rows(d->rows, (int)g);
  double found[TILE];
  tile_eliminate(t, (int)g, d->l + at, d->u + at, stride);
  pivots_find(p, real, t, found);
  int bad = judge(v, real, tol, found, diagonal, d->top + g);
  if (bad < 0 || pivots_drop(d, p, g, t, diagonal, tol, v)) return -1;
  return d->dropped > 0 ? d->drop[0] : (int)g + bad;
}

/* more rows than there should be have a pivot: the least ones are what redundancy leaves of itself
   off the constraints, and the next one is that of the others */
static double beyond_redundant(const dense *d) {
  int extra = d->rows - d->dropped - d->expected;
  double least = 0, next = 0;
  for (int k = 0; k <= extra; k++, least = next) {
    next = INFINITY;
    for (int r = 0; r < d->rows; r++) {
      double q = d->lower[r / TILE].q[r % TILE], ratio = q != 0 ? -1 / (q * d->top[r]) : INFINITY;
      if (ratio > least && ratio < next) next = ratio;
    }
  }
  return next < 1 ? next : 1;
}

/* what is known when all rows are through; returns the row for which QR must decide, or -1 */
FOUR_INLINE int conclude(const dense *d, const verdict *v, dae_la_kkt_info *info) {
  info->rcond = least_of(v->least);
  info->smallest = sqrt(least_of(v->least_ever));
  if (d->rows - d->dropped > d->expected) info->smallest = sqrt(beyond_redundant(d));
  /* among redundant rows the first ones may depend on each other and the rest make up for it: only
     a QR with pivoting tells that from rank loss */
  if (d->expected < d->rows && info->smallest < 0.1) return d->dropped > 0 ? d->drop[0] : 0;
  if (d->dropped == 0) return -1;
  info->numbers = true;
  info->rank = d->rows - d->dropped;
  info->row = d->drop[0];
  return info->rcond > margin * dae_la_kkt_tolerance(d->n) ? -1 : info->row;
}

/*
 * -S = -G M^-1 G' = L' (-D_S) L. Rows that clearly depend on those before are left out; the first
 * pivot that is too small otherwise ends it; returns its row, or -1. The smallest pivot of the
 * scaled S bounds the square of the smallest singular value of the scaled G M^-1/2 from above and
 * is seldom far from it.
 */
FOUR_INLINE int factor_schur(dense *d, const double *r, const long stride, dae_la_kkt_info *info) {
  long n = d->n, np = d->np;
  verdict v = {four_all(1), four_all(1)};
  for (long g = 0; g < d->rows; g += TILE) {
    const double *l = d->l + np + g, *u = d->u + np;
    tile t;
    start_tile(d, r, g, g, &t);
    tile_eliminate(&t, (int)n, l, u + g, stride);
    int bad = take_schur(d, g, &t, &v, stride);
    if (bad >= 0) return bad;
    for (long j = g + TILE; j < stride - np; j += TILE) {
      long at = (n + g) * stride + np + j;
      start_tile(d, r, g, j, &t);
      tile_eliminate(&t, (int)(n + g), l, u + j, stride);
      tile_finish(&t, d->lower + g / TILE, d->u + at, d->l + at, stride);
    }
  }
  return conclude(d, &v, info);
}

/* the same for a width of two tiles and none for M: all three tiles take the rows of M together, so
   that there is work while the first pivots wait for their divisions */
FOUR_INLINE int factor_schur_two(dense *d, const double *r, dae_la_kkt_info *info) {
  const long stride = 2 * TILE, at = d->n * stride + TILE;
  verdict v = {four_all(1), four_all(1)};
  tile s, t, w;
  start_tile(d, r, 0, 0, &s);
  start_tile(d, r, 0, TILE, &t);
  start_tile(d, r, TILE, TILE, &w);
  tiles_eliminate(&s, &t, &w, d->n, d->l, d->u);
  int bad = take_schur(d, 0, &s, &v, stride);
  if (bad >= 0) return bad;
  tile_finish(&t, d->lower, d->u + at, d->l + at, stride);
  if (d->rows > TILE) bad = take_schur(d, TILE, &w, &v, stride);
  return bad >= 0 ? bad : conclude(d, &v, info);
}

/* V = D_M^-1/2 W by rows, then QR; `row` is where elimination stopped */
static dae_status factor_deficient(dense *d, int row, dae_la_kkt_info *info) {
  dae_la_deficient *q = &d->rank;
  for (int i = 0; i < d->n; i++) {
    double root = sqrt(d->reciprocal[i]);
    const double *u = d->u + (size_t)i * d->stride + d->np;
    for (int r = 0; r < d->rows; r++) q->A[(size_t)r * d->n + i] = u[r] * root;
  }
  if (!dae_base_finite(q->A, d->rows * d->n)) return DAE_E_SINGULAR;
  dae_la_deficient_factor(q, sqrt(dae_la_kkt_tolerance(d->n)));
  d->deficient = info->numbers = true;
  d->dropped = 0;
  info->rank = q->rank;
  info->row = q->rank < d->rows ? row : -1;
  int counted = q->rank < d->expected ? q->rank : d->expected;
  double last = counted > 0 ? fabs(q->A[(size_t)(counted - 1) * (size_t)(d->n + 1)]) : 0;
  info->rcond = dae_la_deficient_last(q) * dae_la_deficient_last(q);
  /* a row that vanishes as a whole is seen against its own past, also where another stood for it */
  for (int i = 0; i < d->rows; i++) {
    int r = q->perm[i];
    double length = q->scale[r], square = length * length;
    if (square > d->top[r]) d->top[r] = square;
    if (i < counted && length < last * sqrt(d->top[r])) last = length / sqrt(d->top[r]);
  }
  info->smallest = last;
  return DAE_OK;
}

/* few constraints and diagonal M: factors, and with p the solution. False when rows depend on each
   other, or near that; the general way then sees to it */
FOUR_INLINE bool few_all(dense *d, const int rows, const double *G, double *p, double *r,
                         dae_la_kkt_info *info) {
  double diagonal[FEW], pivot[FEW], tol = dae_la_kkt_tolerance(d->n), least = 1, least_ever = 1;
  few_factor(&d->few, rows, d->n, G, d->reciprocal, d->l, diagonal, pivot);
  for (int i = 0; i < rows; i++)
    if (!(pivot[i] > tol * diagonal[i] && diagonal[i] > 1e-140 && diagonal[i] < 1e140))
      return false;
  for (int i = 0; i < rows; i++) {
    if (diagonal[i] > d->top[i]) d->top[i] = diagonal[i];
    if (pivot[i] < least * diagonal[i]) least = pivot[i] / diagonal[i];
    if (pivot[i] < least_ever * d->top[i]) least_ever = pivot[i] / d->top[i];
  }
  d->mass_ready = d->by_few = true;
  d->deficient = false;
  d->dropped = 0;
  *info = (dae_la_kkt_info){.rank = rows, .row = -1, .rcond = least, .smallest = sqrt(least_ever)};
  if (p) few_solve(&d->few, rows, d->n, d->l, d->reciprocal, p, r);
  return true;
}

/* not inline, as with tiles: each saves the registers that it needs */
static DAE_NOINLINE bool eliminate_one(dense *d, const double *G, double *p, double *r,
                                       dae_la_kkt_info *info) {
  return few_all(d, 1, G, p, r, info);
}
static DAE_NOINLINE bool eliminate_two(dense *d, const double *G, double *p, double *r,
                                       dae_la_kkt_info *info) {
  return few_all(d, 2, G, p, r, info);
}
static DAE_NOINLINE bool eliminate_three(dense *d, const double *G, double *p, double *r,
                                         dae_la_kkt_info *info) {
  return few_all(d, 3, G, p, r, info);
}

FOUR_INLINE bool eliminate_few(dense *d, const double *G, double *p, double *r,
                               dae_la_kkt_info *info) {
  if (d->rows == 1) return eliminate_one(d, G, p, r, info);
  return d->rows == 2 ? eliminate_two(d, G, p, r, info) : eliminate_three(d, G, p, r, info);
}

static void solve_few(const dense *d, double *p, double *r) {
  switch (d->rows) {
    case 1: few_solve(&d->few, 1, d->n, d->l, d->reciprocal, p, r); break;
    case 2: few_solve(&d->few, 2, d->n, d->l, d->reciprocal, p, r); break;
    default: few_solve(&d->few, 3, d->n, d->l, d->reciprocal, p, r);
  }
}

static void least_few(const dense *d, double *r, double *p) {
  switch (d->rows) {
    case 1: few_least(&d->few, 1, d->n, d->l, r, p); break;
    case 2: few_least(&d->few, 2, d->n, d->l, r, p); break;
    default: few_least(&d->few, 3, d->n, d->l, r, p);
  }
}

static dae_status refuse_mass(dense *d, int row, dae_la_kkt_info *info) {
  d->mass_ready = d->by_few = false;
  info->mass_singular = true;
  info->row = row;
  return DAE_E_SINGULAR;
}

/* rows of M, then of S; M NULL: as before. `stride` is that of d, a constant where it is small */
FOUR_INLINE dae_status eliminate_all(dense *d, const double *M, const double *r, const long stride,
                                     dae_la_kkt_info *info) {
  int bad = factor_upper(d, M, stride);
  if (bad >= 0) return refuse_mass(d, bad, info);
  d->mass_ready = true;
  d->deficient = false;
  int row = FOUR_IS_ONE && stride == 2 * TILE && !d->np ? factor_schur_two(d, r, info)
                                                        : factor_schur(d, r, stride, info);
  return row >= 0 ? factor_deficient(d, row, info) : DAE_OK;
}

/* all rows by tiles, with the column p and r when they are given; not inline, lest every call saves
   the registers that only this needs */
static DAE_NOINLINE dae_status eliminate_tiles(dense *d, const double *M, const double *G,
                                               const double *p, const double *r,
                                               dae_la_kkt_info *info) {
  if (M && d->mass == DAE_LA_DENSE) look_at_mass(d, M);
  set_columns(d, G, p);
  d->by_few = d->null_known = false;
  d->dropped = 0;
  if (d->np) return eliminate_all(d, M, r, d->stride, info);
  switch (d->stride) {
    case TILE: return eliminate_all(d, M, r, TILE, info);
    case 2 * TILE: return eliminate_all(d, M, r, 2 * TILE, info);
    default: return eliminate_all(d, M, r, d->stride, info);
  }
}

/* the few are solved with what they are factored with; *done: nothing is left to do */
FOUR_INLINE dae_status eliminate(dense *d, const double *M, const double *G, bool mass_same,
                                 double *p, double *r, dae_la_kkt_info *info, bool *done) {
  if (mass_same && d->mass_ready) M = NULL;
  int bad = M && d->mass == DAE_LA_DIAGONAL ? invert_mass(d, M) : -1;
  *done = bad < 0 && d->tries_few && eliminate_few(d, G, p, r, info);
  if (*done) return DAE_OK;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  return bad >= 0 ? refuse_mass(d, bad, info) : eliminate_tiles(d, M, G, p, r, info);
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  (void)Kt;
  bool done;
  return eliminate(self, M, G, mass_same, NULL, NULL, info, &done);
}

/* x := L_S^-1 x, the way back from the tile of row `last` on; x has the columns of G' */
FOUR_INLINE void backward_schur(const dense *d, int last, double *x, const long stride) {
  long width = stride - d->np;
  for (long g = width - TILE; g >= 0; g -= TILE) {
    if (g > last) continue;
    const double *l = d->l + (d->n + g) * stride + d->np + g + TILE;
    four s = four_dots((int)(width - g - TILE), l, stride, x + g + TILE);
    int real = real_rows(d->rows, (int)g);
    four_store(x + g, backward_tile(d->lower + g / TILE, real, four_load(x + g), s));
  }
}

/* an orthogonal basis of the y that do nothing: one vector for each row that was left out, with 1
   there and L v = 0 */
static void find_null(dense *d) {
  int width = d->stride - d->np;
  for (int k = 0; k < d->dropped; k++) {
    double *v = d->null + (size_t)k * (size_t)width;
    for (int j = 0; j < width; j++) v[j] = j == d->drop[k];
    backward_schur(d, d->drop[k], v, d->stride);
    for (int j = 0; j < d->rows; j++)
      if (v[j] * v[j] * d->top[j] < DAE_LA_NO_PART * DAE_LA_NO_PART * d->top[d->drop[k]]) v[j] = 0;
    /* Gram and Schmidt, twice, as the rows may be of different sizes */
    for (int j = 0; j < 2 * k; j++) {
      const double *w = d->null + (size_t)(j % k) * (size_t)width;
      dae_la_subtract(d->rows, dae_la_dot(d->rows, w, v) * d->null_scale[j % k], w, v);
    }
    d->null_scale[k] = 1 / dae_la_dot(d->rows, v, v);
  }
}

/* y of minimum norm, also when rows were left out. After the accelerations: what is left out of y
   does nothing but for rounding, and that may be large where rows are of very different sizes */
static void shorten(void *self, double *y) {
  dense *d = self;
  if (d->deficient) {
    dae_la_deficient_shorten(&d->rank, y);
    return;
  }
  size_t width = (size_t)(d->stride - d->np);
  if (d->dropped > 0 && !d->null_known) find_null(d);
  d->null_known = true;
  for (int k = 0; k < d->dropped; k++) {
    const double *v = d->null + (size_t)k * width;
    dae_la_subtract(d->rows, dae_la_dot(d->rows, v, y) * d->null_scale[k], v, y);
  }
}

/* x := -S^-1 x from the factors of -S; x has the columns of G' */
FOUR_INLINE void middle_in(dense *d, double *x, const long stride) {
  int rows = d->rows, width = (int)stride - d->np;
  for (int j = rows; j < width; j++) x[j] = 0;
  if (d->deficient) {
    for (int r = 0; r < rows; r++) x[r] = -x[r];
    dae_la_deficient_solve_normal(&d->rank, x);
    return;
  }
  for (long g = 0; g < rows; g += TILE) {
    const pivots *p = d->lower + g / TILE;
    int real = real_rows(rows, (int)g);
    forward_tile(p, x + g);
    for (int i = real; i < TILE; i++) x[g + i] = 0;
    four_subtract(width - (int)g - TILE, x + g, d->l + (d->n + g) * stride + d->np + g + TILE,
                  stride, x + g + TILE);
    for (int i = 0; i < real; i++) x[g + i] *= p->q[i];
  }
  x[rows] = 0; /* the column of an older right-hand side */
  backward_schur(d, rows - 1, x, stride);
}

static void middle(dense *d, double *x) {
  if (!d->np && d->stride == 2 * TILE) middle_in(d, x, 2 * TILE);
  else middle_in(d, x, d->stride);
}

static void solve_parts(dense *d, double *p, double *r) {
  long stride = d->stride, n = d->n, i = 0;
  double *x = d->x;
  memcpy(x, r, (size_t)d->rows * sizeof *r);
  forward_groups(d, p);
  for (; i + TILE <= n; i += TILE) four_subtract(d->stride, p + i, d->l + i * stride, stride, x);
  /* rows beyond n hold numbers of S, and may not be touched even by zero */
  for (; i < n; i++)
    for (int j = 0; j < d->rows; j++) x[j] -= p[i] * d->l[i * stride + j];
  middle(d, x);
  backward_parts(d, true, x, p, stride);
  memcpy(r, x, (size_t)d->rows * sizeof *r);
  shorten(d, r);
}

/* forward through M and G', the middle, and back */
static void solve(void *self, double *p, double *r) {
  dense *d = self;
  if (d->by_few) {
    solve_few(d, p, r);
    return;
  }
  if (!d->np) {
    solve_parts(d, p, r);
    return;
  }
  size_t n = (size_t)d->n, np = (size_t)d->np, rows = (size_t)d->rows;
  double *x = d->x;
  memcpy(x, p, n * sizeof *p);
  memcpy(x + np, r, rows * sizeof *r);
  for (size_t i = n; i < np; i++) x[i] = 0;
  forward_mass(d, d->stride, x);
  middle(d, x + np);
  memcpy(r, x + np, rows * sizeof *r);
  backward_mass(d, d->stride, x);
  memcpy(p, x, n * sizeof *p);
  shorten(d, r);
}

/* the way back alone: with -1 in the place of the right-hand side, 0 = l_k x gives x_k */
FOUR_INLINE void finish_all(dense *d, double *p, double *r, const long stride) {
  double *x = d->x, *y = x + d->np;
  for (long j = 0; j < stride; j += TILE) four_store(x + j, four_all(0));
  y[d->rows] = -1;
  backward_schur(d, d->rows - 1, y, stride);
  for (int i = 0; i < d->rows; i++) r[i] = y[i];
  if (!d->np) {
    backward_parts(d, false, x, p, stride);
    return;
  }
  backward_mass(d, d->stride, x);
  memcpy(p, x, (size_t)d->n * sizeof *p);
}

static void finish(dense *d, double *p, double *r) {
  if (!d->np && d->stride == TILE) finish_all(d, p, r, TILE);
  else if (!d->np && d->stride == 2 * TILE) finish_all(d, p, r, 2 * TILE);
  else finish_all(d, p, r, d->stride);
}

static DAE_NOINLINE dae_status factor_solve_all(dense *d, const double *M, const double *G,
                                                bool mass_same, double *p, double *r,
                                                dae_la_kkt_info *info) {
  bool done;
  dae_status status = eliminate(d, M, G, mass_same, p, r, info, &done);
  if (done || status != DAE_OK) return status;
  if (d->deficient) solve(d, p, r);
  else finish(d, p, r);
  return DAE_OK;
}

/* the few first, with as little around them as can be */
static dae_status factor_solve(void *self, const double *M, const double *G, const double *Kt,
                               bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  dense *d = self;
  (void)Kt;
  if (d->tries_few && (d->mass != DAE_LA_DIAGONAL || (mass_same && d->mass_ready)) &&
      eliminate_few(d, G, p, r, info))
    return DAE_OK;
  return factor_solve_all(d, M, G, mass_same, p, r, info);
}

/* solve with p = 0: nothing to carry forward through M */
static void least(void *self, double *r, double *p) {
  dense *d = self;
  if (d->by_few) {
    least_few(d, r, p);
    return;
  }
  double *x = d->x, *y = x + d->np;
  memcpy(y, r, (size_t)d->rows * sizeof *r);
  middle(d, y);
  if (!d->np) {
    backward_parts(d, false, x, p, d->stride);
    return;
  }
  for (int i = 0; i < d->np; i++) x[i] = 0;
  backward_mass(d, d->stride, x);
  memcpy(p, x, (size_t)d->n * sizeof *p);
}

static void schur_solve(void *self, double *r) {
  dense *d = self;
  if (d->by_few) {
    few_schur(&d->few, d->rows, r);
    return;
  }
  double *x = d->x + d->np;
  for (int i = 0; i < d->rows; i++) x[i] = -r[i];
  middle(d, x);
  shorten(d, x);
  memcpy(r, x, (size_t)d->rows * sizeof *r);
}

static void mass_solve(void *self, double *p) {
  dense *d = self;
  if (!d->np) {
    for (int j = 0; j < d->stride; j++) d->x[j] = 0;
    forward_groups(d, p);
    backward_parts(d, true, d->x, p, d->stride);
    return;
  }
  memcpy(d->x, p, (size_t)d->n * sizeof *p);
  for (int i = d->n; i < d->np; i++) d->x[i] = 0;
  forward_mass(d, d->np, d->x);
  backward_mass(d, d->np, d->x);
  memcpy(p, d->x, (size_t)d->n * sizeof *p);
}

static double *lengths(void *self) { return ((dense *)self)->top; }

/* the members of a dae_la_kkt_backend */
#define DENSE_BACKEND                                                                            \
  .make = make, .notices = true, .factor = factor, .solve = solve, .factor_solve = factor_solve, \
  .shorten = shorten, .least = least, .schur_solve = schur_solve, .mass_solve = mass_solve,      \
  .lengths = lengths, .expect = expect

#endif
