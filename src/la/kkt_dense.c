/* the dense symmetric KKT system: one elimination of [M G'; G 0], with or without right-hand
   side */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/kkt.h"
#include "la/kkt_few.h"
#include "la/kkt_kernel.h"

/*
 * [M G'; G 0] = L' D L with D = diag(D_M, -D_S), by tiles. Row k of `u` is row k of the eliminated
 * matrix, row k of `l` is u / u_kk with zeros up to the diagonal of its tile. A row has the columns
 * of M (np of them with the padding, none when M is diagonal), then those of G', then one for a
 * right-hand side. Rows that only pad M to whole tiles are unit vectors; the rows of S later take
 * their place.
 */
typedef struct dense {
  int n, rows, np, stride;
  dae_la_mass mass;
  double *u, *l;              /* n + padded(rows) rows, at least padded(n) */
  double *reciprocal, *below; /* 1/u_ii of M and of S, padded */
  double *x;                  /* stride: the padded vector of a solve */
  double *zero;               /* n zeros */
  double *top;                /* rows: the largest diagonal entry of S ever seen */
  const double **row;         /* what becomes columns: the rows of M, padding, G, p, padding */
  bool mass_ready, deficient;
  bool by_few; /* `few` holds the factors, and l G M^-1 by rows */
  few few;
  dae_la_deficient rank;
} dense;

dae_status dae_la_kkt_dense_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dense *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  d->n = shape->n;
  d->rows = shape->rows;
  d->mass = shape->mass;
  d->np = d->mass == DAE_LA_DENSE ? padded(d->n) : 0;
  d->stride = d->np + padded(d->rows + 1);
  size_t stride = (size_t)d->stride, all = (size_t)(padded(d->n) + padded(d->rows));
  d->u = dae_base_doubles(pool, all * stride);
  d->l = dae_base_doubles(pool, all * stride);
  d->reciprocal = dae_base_doubles(pool, (size_t)padded(d->n));
  d->below = dae_base_doubles(pool, (size_t)padded(d->rows));
  d->x = dae_base_doubles(pool, stride);
  d->zero = dae_base_doubles(pool, (size_t)d->n);
  d->top = dae_base_doubles(pool, (size_t)d->rows);
  d->row = dae_base_take(pool, stride, sizeof *d->row);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < d->n; i++) d->reciprocal[i] = 1; /* stays so for the identity */
  for (int j = 0; j < d->stride; j++) d->row[j] = d->zero;
  return dae_la_deficient_new(&d->rank, pool, d->rows, d->n);
}

/* rows that belong to the problem in the tile that starts at row g */
static inline int real_rows(int n, int g) { return n - g < TILE ? n - g : TILE; }

/* the columns of G' and p; M diagonal: scaled by it as well */
static void load(dense *d, const double *G, const double *p) {
  long n = d->n, np = d->np, stride = d->stride;
  const double **row = d->row + np;
  for (int r = 0; r < d->rows; r++, G += n) row[r] = G;
  row[d->rows] = p ? p : d->zero;
  for (int j = 0; j < stride - np; j += TILE)
    if (np) turn((int)n, row + j, stride, d->u + np + j);
    else turn_and_scale((int)n, row + j, d->reciprocal, stride, d->u + j, d->l + j);
}

/* the columns of M above the diagonal, and unit vectors to pad it */
static void load_mass(dense *d, const double *M) {
  long n = d->n, stride = d->stride;
  for (long j = 0; j < n; j++) d->row[j] = M + j * n;
  for (long j = 0; j < n; j += TILE)
    turn((int)(j + TILE < n ? j + TILE : n), d->row + j, stride, d->u + j);
  if (d->np == n) return;
  memset(d->u + n * stride, 0, (size_t)((d->np - n) * stride) * sizeof *d->u);
  for (long i = n; i < d->np; i++) store_one(d->u + i * stride, i, 1);
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

/* rows of M and G' together: M = L' D_M L, W = L^-T G'. Returns the row without a pivot, or -1. */
static int factor_mass(dense *d, const double *M) {
  long n = d->n, stride = d->stride;
  double s[TILE * TILE] __attribute__((aligned(16))), found[TILE];
  for (long g = 0; g < n; g += TILE) {
    double *l = d->l + g * stride + g, *q = d->reciprocal + g;
    tile t;
    pivots p;
    tile_load(&t, d->u + g * stride + g, stride);
    tile_eliminate(&t, (int)g, d->l + g, d->u + g, stride);
    tile_store(&t, s, TILE);
    int real = real_rows(d->n, (int)g);
    pivots_find(real, s, l, stride, q, found);
    /* below this a pivot is rounding error */
    for (int i = 0; i < real; i++)
      if (!(found[i] > 4e-16 * (double)n * M[(g + i) * (n + 1)])) return (int)g + i;
    pivots_set(&p, l, stride, q);
    finish_rows(d, &p, g, g, g, g + TILE);
  }
  return -1;
}

/* M is as before: the columns of G' only */
static void factor_again(dense *d) {
  long stride = d->stride;
  for (long g = 0; g < d->n; g += TILE) {
    pivots p;
    pivots_set(&p, d->l + g * stride + g, stride, d->reciprocal + g);
    finish_rows(d, &p, g, g, g, d->np);
  }
}

/* M diagonal: 1/M */
static int invert_mass(dense *d, const double *M) {
  for (int i = 0; i < d->n; i++) {
    if (!(M[i] > 0 && M[i] <= DBL_MAX)) return i;
    d->reciprocal[i] = 1 / M[i];
  }
  return -1;
}

/* [0 r] in the rows of S, and minus unit vectors to pad them */
static void load_schur(dense *d, const double *r) {
  long stride = d->stride, rows = d->rows, last = padded(d->rows);
  double *u = d->u + d->n * stride;
  memset(u, 0, (size_t)(last * stride) * sizeof *u);
  for (long i = 0; r && i < rows; i++) store_one(u + i * stride, d->np + rows, r[i]);
  for (long i = rows; i < last; i++) store_one(u + i * stride, d->np + i, -1);
}

/*
 * -S = -G M^-1 G' = L' (-D_S) L. The pivots are compared with the diagonal of S, which is the same
 * as scaling S to a unit diagonal: elimination does not change under that scaling. The first pivot
 * that is too small ends it; returns its row, or -1. The smallest pivot of the scaled S bounds the
 * square of the smallest singular value of the scaled G M^-1/2 from above and is seldom far from
 * it.
 */
static int factor_schur(dense *d, dae_la_kkt_info *info) {
  long n = d->n, stride = d->stride;
  double tol = dae_la_kkt_tolerance(d->n), least = 1, least_ever = 1;
  double s[TILE * TILE] __attribute__((aligned(16))), found[TILE], diagonal[TILE];
  for (long g = 0; g < d->rows; g += TILE) {
    long at = d->np + g, first = n * stride + at;
    double *l = d->l + (n + g) * stride + at, *q = d->below + g;
    tile t;
    pivots p;
    tile_load(&t, d->u + (n + g) * stride + at, stride);
    tile_eliminate(&t, (int)n, d->l + at, d->u + at, stride);
    diagonal[0] = -t.a0[0], diagonal[1] = -t.b0[1], diagonal[2] = -t.c1[0], diagonal[3] = -t.d1[1];
    tile_eliminate(&t, (int)g, d->l + first, d->u + first, stride);
    tile_store(&t, s, TILE);
    int real = real_rows(d->rows, (int)g);
    pivots_find(real, s, l, stride, q, found);
    for (int i = 0; i < real; i++) {
      double pivot = -found[i], size = diagonal[i], *top = d->top + g + i;
      /* products of two that came near the ends of the number range say nothing */
      if (!(pivot > tol * size && size > 1e-140 && size < 1e140)) return (int)g + i;
      if (size > *top) *top = size;
      if (pivot < least * size) least = pivot / size;
      if (pivot < least_ever * *top) least_ever = pivot / *top;
    }
    pivots_set(&p, l, stride, q);
    finish_rows(d, &p, n + g, at, n + g, at + TILE);
  }
  info->rcond = least;
  info->smallest = sqrt(least_ever);
  return -1;
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
  d->deficient = true;
  info->rank = q->rank;
  info->row = q->rank < d->rows ? row : -1;
  double last = dae_la_deficient_last(q);
  info->rcond = last * last;
  /* a row that vanishes as a whole is seen against its own past */
  for (int i = 0; i < q->rank; i++) {
    int r = q->perm[i];
    double length = q->scale[r], square = length * length;
    if (square > d->top[r]) d->top[r] = square;
    if (length < last * sqrt(d->top[r])) last = length / sqrt(d->top[r]);
  }
  info->smallest = last;
  return DAE_OK;
}

/* few constraints and diagonal M: false when their rows depend on each other, or near that; the
   general way then sees to it */
static bool factor_few(dense *d, const double *G, dae_la_kkt_info *info) {
  double diagonal[FEW], pivot[FEW], tol = dae_la_kkt_tolerance(d->n), least = 1, least_ever = 1;
  switch (d->rows) {
    case 1: few_factor(&d->few, 1, d->n, G, d->reciprocal, d->l, diagonal, pivot); break;
    case 2: few_factor(&d->few, 2, d->n, G, d->reciprocal, d->l, diagonal, pivot); break;
    default: few_factor(&d->few, 3, d->n, G, d->reciprocal, d->l, diagonal, pivot);
  }
  for (int i = 0; i < d->rows; i++)
    if (!(pivot[i] > tol * diagonal[i] && diagonal[i] > 1e-140 && diagonal[i] < 1e140))
      return false;
  for (int i = 0; i < d->rows; i++) {
    if (diagonal[i] > d->top[i]) d->top[i] = diagonal[i];
    if (pivot[i] < least * diagonal[i]) least = pivot[i] / diagonal[i];
    if (pivot[i] < least_ever * d->top[i]) least_ever = pivot[i] / d->top[i];
  }
  d->mass_ready = d->by_few = true;
  d->deficient = false;
  info->rcond = least;
  info->smallest = sqrt(least_ever);
  return true;
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

/* all rows, with the column p and r when they are given */
static dae_status eliminate(dense *d, const double *M, const double *G, bool mass_same,
                            const double *p, const double *r, dae_la_kkt_info *info) {
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  bool keep = mass_same && d->mass_ready, full = d->mass == DAE_LA_DENSE;
  int bad = -1;
  if (!full && !keep && d->mass == DAE_LA_DIAGONAL) bad = invert_mass(d, M);
  d->by_few = false;
  if (!full && d->rows > 0 && d->rows <= FEW && bad < 0 && factor_few(d, G, info)) return DAE_OK;
  load(d, G, p);
  if (full && !keep) {
    load_mass(d, M);
    bad = factor_mass(d, M);
  } else if (full) {
    factor_again(d);
  }
  d->mass_ready = bad < 0;
  if (bad >= 0) {
    info->mass_singular = true;
    info->row = bad;
    return DAE_E_SINGULAR;
  }
  d->deficient = false;
  load_schur(d, r);
  int row = factor_schur(d, info);
  return row >= 0 ? factor_deficient(d, row, info) : DAE_OK;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  (void)Kt;
  return eliminate(self, M, G, mass_same, NULL, NULL, info);
}

/* x := L_S^-1 x, the way back; x has the columns of G' */
static void backward_schur(dense *d, double *x) {
  long stride = d->stride;
  int width = d->stride - d->np;
  for (long g = padded(d->rows) - TILE; g >= 0; g -= TILE) {
    const double *l = d->l + (d->n + g) * stride + d->np + g;
    double s[TILE];
    four_dots(width - (int)g - TILE, l + TILE, stride, x + g + TILE, s);
    backward_tile(real_rows(d->rows, (int)g), s, l, stride, x + g);
  }
}

/* the way back through M, in the columns up to `end` */
static void backward_mass(dense *d, int end, double *x) {
  long stride = d->stride;
  for (long g = d->np - TILE; g >= 0; g -= TILE) {
    const double *l = d->l + g * stride + g;
    double s[TILE];
    four_dots(end - (int)g - TILE, l + TILE, stride, x + g + TILE, s);
    backward_tile(real_rows(d->n, (int)g), s, l, stride, x + g);
  }
}

/* x := D_M^-1 L^-T x, with what that takes from the columns up to `end` */
static void forward_mass(dense *d, int end, double *x) {
  long stride = d->stride;
  for (long g = 0; g < d->n; g += TILE) {
    const double *l = d->l + g * stride + g;
    forward_tile(l, stride, x + g);
    four_subtract(end - (int)g - TILE, x + g, l + TILE, stride, x + g + TILE);
    for (long i = g; i < g + TILE; i++) x[i] *= d->reciprocal[i];
  }
}

/* x := -S^-1 x from the factors of -S; x has the columns of G' */
static void middle(dense *d, double *x) {
  int rows = d->rows, width = d->stride - d->np;
  for (int j = rows; j < width; j++) x[j] = 0;
  if (d->deficient) {
    for (int r = 0; r < rows; r++) x[r] = -x[r];
    dae_la_deficient_solve_normal(&d->rank, x);
    return;
  }
  long stride = d->stride;
  for (long g = 0; g < rows; g += TILE) {
    const double *l = d->l + (d->n + g) * stride + d->np + g;
    int real = real_rows(rows, (int)g);
    forward_tile(l, stride, x + g);
    for (int i = real; i < TILE; i++) x[g + i] = 0;
    four_subtract(width - (int)g - TILE, x + g, l + TILE, stride, x + g + TILE);
    for (int i = 0; i < real; i++) x[g + i] *= d->below[g + i];
  }
  x[rows] = 0; /* the column of an older right-hand side */
  backward_schur(d, x);
}

/* M diagonal: a = M^-1 p - (M^-1 G' | M^-1 p) x, the first term only when p is not in x */
static void backward_diagonal(dense *d, bool with_p, const double *x, double *p) {
  long stride = d->stride;
  double s[TILE];
  for (int i = 0; i < d->n; i += TILE) {
    four_dots(d->stride, d->l + i * stride, stride, x, s);
    int real = real_rows(d->n, i);
    for (int k = 0; k < real; k++) p[i + k] = (with_p ? p[i + k] * d->reciprocal[i + k] : 0) - s[k];
  }
}

static void solve_diagonal(dense *d, double *p, double *r) {
  long stride = d->stride, n = d->n, i = 0;
  double *x = d->x;
  memcpy(x, r, (size_t)d->rows * sizeof *r);
  for (; i + TILE <= n; i += TILE) four_subtract(d->stride, p + i, d->l + i * stride, stride, x);
  /* rows beyond n hold numbers of S, and may not be touched even by zero */
  for (; i < n; i++)
    for (int j = 0; j < d->rows; j++) x[j] -= p[i] * d->l[i * stride + j];
  middle(d, x);
  backward_diagonal(d, true, x, p);
  memcpy(r, x, (size_t)d->rows * sizeof *r);
}

/* forward through M and G', the middle, and back */
static void solve(void *self, double *p, double *r) {
  dense *d = self;
  if (d->by_few) {
    solve_few(d, p, r);
    return;
  }
  if (!d->np) {
    solve_diagonal(d, p, r);
    return;
  }
  size_t n = (size_t)d->n, np = (size_t)d->np, rows = (size_t)d->rows;
  double *x = d->x;
  memcpy(x, p, n * sizeof *p);
  memcpy(x + np, r, rows * sizeof *r);
  for (size_t i = n; i < np; i++) x[i] = 0;
  forward_mass(d, d->stride, x);
  middle(d, x + np);
  backward_mass(d, d->stride, x);
  memcpy(p, x, n * sizeof *p);
  memcpy(r, x + np, rows * sizeof *r);
}

/* the way back alone: with -1 in the place of the right-hand side, 0 = l_k x gives x_k */
static void finish(dense *d, double *p, double *r) {
  double *x = d->x, *y = x + d->np;
  memset(x, 0, (size_t)d->stride * sizeof *x);
  store_one(y, d->rows, -1);
  backward_schur(d, y);
  memcpy(r, y, (size_t)d->rows * sizeof *r);
  if (!d->np) {
    backward_diagonal(d, false, x, p);
    return;
  }
  backward_mass(d, d->stride, x);
  memcpy(p, x, (size_t)d->n * sizeof *p);
}

static dae_status factor_solve(void *self, const double *M, const double *G, const double *Kt,
                               bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  dense *d = self;
  (void)Kt;
  dae_status status = eliminate(d, M, G, mass_same, p, r, info);
  if (status != DAE_OK) return status;
  if (d->deficient || d->by_few) solve(d, p, r);
  else finish(d, p, r);
  return DAE_OK;
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
    backward_diagonal(d, false, x, p);
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
  memcpy(r, x, (size_t)d->rows * sizeof *r);
}

static void mass_solve(void *self, double *p) {
  dense *d = self;
  if (!d->np) {
    for (int i = 0; i < d->n; i++) p[i] *= d->reciprocal[i];
    return;
  }
  memcpy(d->x, p, (size_t)d->n * sizeof *p);
  for (int i = d->n; i < d->np; i++) d->x[i] = 0;
  forward_mass(d, d->np, d->x);
  backward_mass(d, d->np, d->x);
  memcpy(p, d->x, (size_t)d->n * sizeof *p);
}

static double *lengths(void *self) { return ((dense *)self)->top; }

const dae_la_kkt_backend dae_la_kkt_dense = {.factor = factor,
                                             .solve = solve,
                                             .factor_solve = factor_solve,
                                             .least = least,
                                             .schur_solve = schur_solve,
                                             .mass_solve = mass_solve,
                                             .lengths = lengths};
