/* the dense symmetric KKT system: one elimination of [M G'; G 0] in padded rows */
#include <math.h>
#include <string.h>

#include "la/kkt.h"

enum { PAD = 4 }; /* rows are padded with zeros to a multiple of this, so that loops have no rest */

/*
 * [M G'; G 0] = L' D L with D = diag(D_M, -D_S). Row k of `u` is row k of the eliminated matrix, row k
 * of `l` is u / u_kk with zeros up to the diagonal. A row has the columns of M (np of them, none when
 * M is diagonal), then those of G' (rp of them).
 */
typedef struct dense {
  int n, rows, np, stride;
  dae_la_mass mass;
  double *u, *l, *reciprocal; /* n + rows */
  double *x;                  /* stride: the padded vector of a solve */
  double *top;                /* rows: the largest diagonal entry of S ever seen */
  bool mass_ready, deficient;
  dae_la_deficient rank;
} dense;

static int padded(int n) { return (n + PAD - 1) / PAD * PAD; }

dae_status dae_la_kkt_dense_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dense *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  d->n = shape->n;
  d->rows = shape->rows;
  d->mass = shape->mass;
  d->np = d->mass == DAE_LA_DENSE ? padded(d->n) : 0;
  d->stride = d->np + padded(d->rows);
  size_t all = (size_t)(d->n + d->rows);
  d->u = dae_base_doubles(pool, all * (size_t)d->stride);
  d->l = dae_base_doubles(pool, all * (size_t)d->stride);
  d->reciprocal = dae_base_doubles(pool, all);
  d->x = dae_base_doubles(pool, (size_t)d->stride);
  d->top = dae_base_doubles(pool, (size_t)d->rows);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < d->n; i++) d->reciprocal[i] = 1; /* stays so for the identity */
  return dae_la_deficient_new(&d->rank, pool, d->rows, d->n);
}

/* u := u - sum_k l_k U_k over count rows of U; width is a multiple of PAD */
static inline void eliminate(int count, int width, const double *restrict l,
                             const double *restrict U, int stride, double *restrict u) {
  int j = 0;
  for (; j + 8 <= width; j += 8) {
    double a[8];
    for (int i = 0; i < 8; i++) a[i] = u[j + i];
    for (int k = 0; k < count; k++)
      for (int i = 0; i < 8; i++) a[i] -= l[k * stride] * U[k * stride + j + i];
    for (int i = 0; i < 8; i++) u[j + i] = a[i];
  }
  for (; j < width; j += PAD) {
    double a[PAD];
    for (int i = 0; i < PAD; i++) a[i] = u[j + i];
    for (int k = 0; k < count; k++)
      for (int i = 0; i < PAD; i++) a[i] -= l[k * stride] * U[k * stride + j + i];
    for (int i = 0; i < PAD; i++) u[j + i] = a[i];
  }
}

/* l := a u */
static inline void scale(int width, double a, const double *restrict u, double *restrict l) {
  for (int j = 0; j < width; j += PAD)
    for (int i = 0; i < PAD; i++) l[j + i] = a * u[j + i];
}

/* x := x - a l */
static inline void subtract(int width, double a, const double *restrict l, double *restrict x) {
  for (int j = 0; j < width; j += PAD)
    for (int i = 0; i < PAD; i++) x[j + i] -= a * l[j + i];
}

static inline double dot(int width, const double *restrict l, const double *restrict x) {
  double s[PAD] = {0};
  for (int j = 0; j < width; j += PAD)
    for (int i = 0; i < PAD; i++) s[i] += l[j + i] * x[j + i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

/* row k of l from row k of u, from column `from` (a multiple of PAD) on; the pivot is at column `at` */
static inline void finish_row(dense *d, int k, int from, int at) {
  size_t row = (size_t)k * d->stride;
  double *l = d->l + row;
  d->reciprocal[k] = 1 / d->u[row + at];
  scale(d->stride - from, d->reciprocal[k], d->u + row + from, l + from);
  for (int j = from; j <= at; j++) l[j] = 0;
}

/* rows of M and G' together: M = L' D_M L, W = L^-T G' */
static int factor_mass(dense *d, const double *M) {
  int n = d->n, stride = d->stride;
  for (int i = 0; i < n; i++) {
    int from = i & ~(PAD - 1);
    double *u = d->u + (size_t)i * stride;
    memcpy(u + from, M + (size_t)i * n + from, (size_t)(n - from) * sizeof *u);
    eliminate(i, stride - from, d->l + i, d->u + from, stride, u + from);
    /* below this the pivot is rounding error */
    if (!(u[i] > 4e-16 * n * M[(size_t)i * n + i])) return i;
    finish_row(d, i, from, i);
  }
  return -1;
}

/* M is as before: the columns of G' only */
static void factor_again(dense *d) {
  int np = d->np, width = d->stride - np, stride = d->stride;
  for (int i = 0; i < d->n; i++) {
    double *u = d->u + (size_t)i * stride + np;
    eliminate(i, width, d->l + i, d->u + np, stride, u);
    scale(width, d->reciprocal[i], u, d->l + (size_t)i * stride + np);
  }
}

/* M diagonal: 1/M, or what it was */
static int factor_diagonal(dense *d, const double *M) {
  for (int i = 0; i < d->n; i++) {
    if (!(M[i] > 0)) return i;
    d->reciprocal[i] = 1 / M[i];
  }
  return -1;
}

static void scale_by_diagonal(dense *d) {
  for (int i = 0; i < d->n; i++)
    scale(d->stride, d->reciprocal[i], d->u + (size_t)i * d->stride, d->l + (size_t)i * d->stride);
}

/* the columns of G' */
static void load(dense *d, const double *G) {
  int n = d->n, stride = d->stride;
  for (int r = 0; r < d->rows; r++) {
    double *u = d->u + d->np + r;
    for (int i = 0; i < n; i++) u[(size_t)i * stride] = G[(size_t)r * n + i];
  }
}

/*
 * -S = -G M^-1 G' = L' (-D_S) L. The pivots are compared with the diagonal of S, which is the same as
 * scaling S to a unit diagonal: elimination does not change under that scaling. The first pivot that
 * is too small ends it; returns its row, or -1. The smallest pivot of the scaled S bounds the square of
 * the smallest singular value of the scaled G M^-1/2 from above, and for want of pivoting is near it.
 */
static int factor_schur(dense *d, dae_la_kkt_info *info) {
  int n = d->n, stride = d->stride, np = d->np;
  double tol = dae_la_kkt_tolerance(n), least = 1, least_ever = 1;
  for (int r = 0; r < d->rows; r++) {
    int from = np + (r & ~(PAD - 1)), at = np + r, row = n + r;
    double *u = d->u + (size_t)row * stride;
    memset(u + from, 0, (size_t)(stride - from) * sizeof *u);
    eliminate(n, stride - from, d->l + at, d->u + from, stride, u + from);
    double diagonal = -u[at];
    size_t first = (size_t)n * stride;
    eliminate(r, stride - from, d->l + first + at, d->u + first + from, stride, u + from);
    double pivot = -u[at];
    /* squares that came near the ends of the number range say nothing */
    if (!(pivot > tol * diagonal && diagonal > 1e-280 && diagonal < 1e280)) return r;
    finish_row(d, row, from, at);
    if (diagonal > d->top[r]) d->top[r] = diagonal;
    if (pivot < least * diagonal) least = pivot / diagonal;
    if (pivot < least_ever * d->top[r]) least_ever = pivot / d->top[r];
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

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  dense *d = self;
  (void)Kt;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  load(d, G);
  bool keep = mass_same && d->mass_ready, full = d->mass == DAE_LA_DENSE;
  int bad = -1;
  if (full && keep)
    factor_again(d);
  else if (full)
    bad = factor_mass(d, M);
  else if (!keep && d->mass == DAE_LA_DIAGONAL)
    bad = factor_diagonal(d, M);
  if (!full) scale_by_diagonal(d);
  d->mass_ready = bad < 0;
  if (bad >= 0) {
    info->mass_singular = true;
    info->row = bad;
    return DAE_E_SINGULAR;
  }
  d->deficient = false;
  int row = factor_schur(d, info);
  return row >= 0 ? factor_deficient(d, row, info) : DAE_OK;
}

/* x := -S^-1 x from the factors of -S */
static void middle(dense *d, double *x) {
  int rows = d->rows;
  if (d->deficient) {
    for (int r = 0; r < rows; r++) x[r] = -x[r];
    dae_la_deficient_solve_normal(&d->rank, x);
    return;
  }
  int width = d->stride - d->np, stride = d->stride;
  const double *l = d->l + (size_t)d->n * stride + d->np, *reciprocal = d->reciprocal + d->n;
  for (int r = 0; r < rows; r++) {
    int from = r & ~(PAD - 1);
    subtract(width - from, x[r], l + (size_t)r * stride + from, x + from);
  }
  for (int r = rows - 1; r >= 0; r--) {
    int from = r & ~(PAD - 1);
    x[r] *= reciprocal[r];
    x[r] -= dot(width - from, l + (size_t)r * stride + from, x + from);
  }
}

/* the diagonal of M: no columns of M in the rows */
static void solve_diagonal(dense *d, double *p, double *r) {
  int width = d->stride, rows = d->rows;
  double *x = d->x;
  memcpy(x, r, (size_t)rows * sizeof *r);
  for (int i = 0; i < d->n; i++) subtract(width, p[i], d->l + (size_t)i * width, x);
  middle(d, x);
  for (int i = 0; i < d->n; i++)
    p[i] = p[i] * d->reciprocal[i] - dot(width, d->l + (size_t)i * width, x);
  memcpy(r, x, (size_t)rows * sizeof *r);
}

/* forward through M and G', the middle, and back */
static void solve(void *self, double *p, double *r) {
  dense *d = self;
  if (d->mass != DAE_LA_DENSE) {
    solve_diagonal(d, p, r);
    return;
  }
  int n = d->n, stride = d->stride;
  double *x = d->x;
  memcpy(x, p, (size_t)n * sizeof *p);
  memcpy(x + d->np, r, (size_t)d->rows * sizeof *r);
  for (int i = 0; i < n; i++) {
    int from = i & ~(PAD - 1);
    subtract(stride - from, x[i], d->l + (size_t)i * stride + from, x + from);
  }
  middle(d, x + d->np);
  for (int i = n - 1; i >= 0; i--) {
    int from = i & ~(PAD - 1);
    x[i] *= d->reciprocal[i];
    x[i] -= dot(stride - from, d->l + (size_t)i * stride + from, x + from);
  }
  memcpy(p, x, (size_t)n * sizeof *p);
  memcpy(r, x + d->np, (size_t)d->rows * sizeof *r);
}

static void schur_solve(void *self, double *r) {
  dense *d = self;
  double *x = d->x + d->np;
  for (int i = 0; i < d->rows; i++) x[i] = -r[i];
  middle(d, x);
  memcpy(r, x, (size_t)d->rows * sizeof *r);
}

static void mass_solve(void *self, double *p) {
  dense *d = self;
  int n = d->n, np = d->np;
  if (d->mass != DAE_LA_DENSE) {
    for (int i = 0; i < n; i++) p[i] *= d->reciprocal[i];
    return;
  }
  double *x = d->x;
  memcpy(x, p, (size_t)n * sizeof *p);
  for (int i = 0; i < n; i++) {
    int from = i & ~(PAD - 1);
    subtract(np - from, x[i], d->l + (size_t)i * d->stride + from, x + from);
  }
  for (int i = n - 1; i >= 0; i--) {
    int from = i & ~(PAD - 1);
    x[i] *= d->reciprocal[i];
    x[i] -= dot(np - from, d->l + (size_t)i * d->stride + from, x + from);
  }
  memcpy(p, x, (size_t)n * sizeof *p);
}

const dae_la_kkt_backend dae_la_kkt_dense = {factor, solve, schur_solve, mass_solve, NULL};
