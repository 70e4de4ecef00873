/* the dense symmetric KKT system: one elimination of [M G'; G 0], without and with right-hand side */
#include <math.h>
#include <string.h>

#include "la/kkt.h"
#include "la/kkt_kernel.h"

/*
 * [M G'; G 0] = L' D L with D = diag(D_M, -D_S). Row k of `u` is row k of the eliminated matrix, row k
 * of `l` is u / u_kk with zeros up to the diagonal. A row has the columns of M (np of them with the
 * padding, none when M is diagonal), then those of G', then one for a right-hand side.
 */
typedef struct dense {
  int n, rows, np, stride;
  dae_la_mass mass;
  double *u, *l, *reciprocal; /* n + rows */
  double *x;                  /* stride: the padded vector of a solve */
  double *zero;               /* stride or n zeros */
  double *start;              /* stride: a row of [G 0 r] before elimination, without G */
  double *sum;                /* stride: what elimination took from the diagonal of S */
  double *top;                /* rows: the largest diagonal entry of S ever seen */
  const double **row;         /* the rows that become columns: those of M, padding, G, p, padding */
  bool mass_ready, deficient;
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
  size_t all = (size_t)(d->n + d->rows), stride = (size_t)d->stride;
  d->u = dae_base_doubles(pool, all * stride);
  d->l = dae_base_doubles(pool, all * stride);
  d->reciprocal = dae_base_doubles(pool, all);
  d->x = dae_base_doubles(pool, stride);
  d->zero = dae_base_doubles(pool, stride + (size_t)d->n);
  d->start = dae_base_doubles(pool, stride);
  d->sum = dae_base_doubles(pool, stride);
  d->top = dae_base_doubles(pool, (size_t)d->rows);
  d->row = dae_base_take(pool, stride, sizeof *d->row);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < d->n; i++) d->reciprocal[i] = 1; /* stays so for the identity */
  for (int j = 0; j < d->stride; j++) d->row[j] = d->zero;
  return dae_la_deficient_new(&d->rank, pool, d->rows, d->n);
}

/* the columns of G' and p; M diagonal: scaled by it as well */
static void load(dense *d, const double *G, const double *p) {
  long n = d->n, np = d->np, stride = d->stride;
  const double **row = d->row + np;
  for (int r = 0; r < d->rows; r++, G += n) row[r] = G;
  row[d->rows] = p ? p : d->zero;
  for (int j = 0; j < stride - np; j += PAD)
    if (d->mass == DAE_LA_DENSE)
      turn((int)n, row + j, stride, d->u + np + j);
    else
      turn_and_scale((int)n, row + j, d->reciprocal, stride, d->u + j, d->l + j);
}

/* rows of M and G' together: M = L' D_M L, W = L^-T G'. Returns the row without a pivot, or -1. */
static int factor_mass(dense *d, const double *M) {
  long n = d->n, stride = d->stride;
  for (long j = 0; j < n; j++) d->row[j] = M + j * n;
  for (long j = 0; j < n; j += PAD)
    turn((int)(j + PAD < n ? j + PAD : n), d->row + j, stride, d->u + j);
  double *u = d->u, *l = d->l, least = 4e-16 * (double)n;
  for (int i = 0; i < n; i++, u += stride, l += stride) {
    int from = group(i), width = (int)stride - from;
    double diagonal = u[i];
    eliminate(i, width, d->l + i, d->u + from, stride, u + from, u + from);
    /* below this the pivot is rounding error */
    if (!(u[i] > least * diagonal)) return i;
    d->reciprocal[i] = 1 / u[i];
    divide_row(width, i - from, d->reciprocal[i], u + from, l + from);
  }
  return -1;
}

/* M is as before: the columns of G' only */
static void factor_again(dense *d) {
  long np = d->np, stride = d->stride;
  int width = d->stride - d->np;
  double *u = d->u + np, *l = d->l + np;
  for (int i = 0; i < d->n; i++, u += stride, l += stride) {
    const two g = {d->reciprocal[i], d->reciprocal[i]};
    eliminate(i, width, d->l + i, d->u + np, stride, u, u);
    for (int j = 0; j < width / 2; j++) ((two *)l)[j] = g * ((two *)u)[j];
  }
}

/* M diagonal: 1/M */
static int invert_mass(dense *d, const double *M) {
  for (int i = 0; i < d->n; i++) {
    if (!(M[i] > 0)) return i;
    d->reciprocal[i] = 1 / M[i];
  }
  return -1;
}

/*
 * -S = -G M^-1 G' = L' (-D_S) L. The pivots are compared with the diagonal of S, which is the same as
 * scaling S to a unit diagonal: elimination does not change under that scaling. The first pivot that
 * is too small ends it; returns its row, or -1. The smallest pivot of the scaled S bounds the square of
 * the smallest singular value of the scaled G M^-1/2 from above and is seldom far from it.
 */
static int factor_schur(dense *d, const double *r, dae_la_kkt_info *info) {
  long n = d->n, stride = d->stride;
  int np = d->np, rows = d->rows;
  double tol = dae_la_kkt_tolerance(d->n), least = 1, least_ever = 1;
  double *u = d->u + n * stride, *l = d->l + n * stride, *sum = d->sum;
  for (int j = np; j < stride; j++) sum[j] = 0;
  for (int i = 0; i < rows; i++, u += stride, l += stride) {
    int at = np + i, from = group(at), width = (int)stride - from;
    if (r) d->start[np + rows] = r[i];
    eliminate((int)n + i, width, d->l + at, d->u + from, stride, d->start + from, u + from);
    double pivot = -u[at], diagonal = pivot + sum[at];
    /* squares that came near the ends of the number range say nothing */
    if (!(pivot > tol * diagonal && diagonal > 1e-280 && diagonal < 1e280)) return i;
    double q = d->reciprocal[n + i] = -1 / pivot;
    divide_row(width, at - from, q, u + from, l + from);
    collect(width, l + from, u + from, sum + from);
    if (diagonal > d->top[i]) d->top[i] = diagonal;
    if (pivot < least * diagonal) least = pivot / diagonal;
    if (pivot < least_ever * d->top[i]) least_ever = pivot / d->top[i];
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

/* all rows, with the column p and r when they are given */
static dae_status eliminate_all(dense *d, const double *M, const double *G, bool mass_same,
                                const double *p, const double *r, dae_la_kkt_info *info) {
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  bool keep = mass_same && d->mass_ready, full = d->mass == DAE_LA_DENSE;
  int bad = -1;
  if (!full && !keep && d->mass == DAE_LA_DIAGONAL) bad = invert_mass(d, M);
  load(d, G, p);
  if (full && keep)
    factor_again(d);
  else if (full)
    bad = factor_mass(d, M);
  d->mass_ready = bad < 0;
  if (bad >= 0) {
    info->mass_singular = true;
    info->row = bad;
    return DAE_E_SINGULAR;
  }
  d->deficient = false;
  int row = factor_schur(d, r, info);
  return row >= 0 ? factor_deficient(d, row, info) : DAE_OK;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  dense *d = self;
  (void)Kt;
  d->start[d->np + d->rows] = 0;
  return eliminate_all(d, M, G, mass_same, NULL, NULL, info);
}

/* x := -S^-1 x from the factors of -S; x has the columns of G' */
static void middle(dense *d, double *x) {
  int rows = d->rows, width = d->stride - d->np;
  if (d->deficient) {
    for (int r = 0; r < rows; r++) x[r] = -x[r];
    dae_la_deficient_solve_normal(&d->rank, x);
    return;
  }
  long stride = d->stride;
  const double *l = d->l + d->n * stride + d->np;
  for (int r = 0; r < rows; r++, l += stride) {
    int from = group(r);
    subtract(width - from, x[r], l + from, x + from);
  }
  x[rows] = 0; /* the column of an older right-hand side */
  for (int r = rows - 1; r >= 0; r--) {
    int from = group(r);
    l -= stride;
    x[r] *= d->reciprocal[d->n + r];
    x[r] -= dot(width - from, l + from, x + from);
  }
}

/* the way back through M: x_k = z_k / d_k - l_k x for k < n, in place */
static void backward(dense *d, int end, double *x) {
  const double *l = d->l + (long)d->n * d->stride;
  for (int i = d->n - 1; i >= 0; i--) {
    int from = group(i);
    l -= d->stride;
    x[i] *= d->reciprocal[i];
    x[i] -= dot(end - from, l + from, x + from);
  }
}

static void forward(dense *d, int end, double *x) {
  const double *l = d->l;
  for (int i = 0; i < d->n; i++, l += d->stride) {
    int from = group(i);
    subtract(end - from, x[i], l + from, x + from);
  }
}

/* M diagonal: its columns are not there */
static void solve_diagonal(dense *d, double *p, double *r) {
  int width = d->stride, rows = d->rows;
  double *x = d->x;
  memcpy(x, r, (size_t)rows * sizeof *r);
  for (int i = 0; i < d->n; i++) subtract(width, p[i], d->l + (long)i * width, x);
  middle(d, x);
  x[rows] = 0;
  for (int i = 0; i < d->n; i++)
    p[i] = p[i] * d->reciprocal[i] - dot(width, d->l + (long)i * width, x);
  memcpy(r, x, (size_t)rows * sizeof *r);
}

/* forward through M and G', the middle, and back */
static void solve(void *self, double *p, double *r) {
  dense *d = self;
  if (d->mass != DAE_LA_DENSE) {
    solve_diagonal(d, p, r);
    return;
  }
  size_t n = (size_t)d->n, np = (size_t)d->np, rows = (size_t)d->rows;
  double *x = d->x;
  memcpy(x, p, n * sizeof *p);
  memcpy(x + np, r, rows * sizeof *r);
  forward(d, d->stride, x);
  middle(d, x + np);
  x[np + rows] = 0;
  backward(d, d->stride, x);
  memcpy(p, x, n * sizeof *p);
  memcpy(r, x + np, rows * sizeof *r);
}

/* the way back alone: with -1 in the place of the right-hand side, 0 = l_k x gives x_k */
static void finish(dense *d, double *p, double *r) {
  long stride = d->stride;
  int np = d->np, n = d->n, rows = d->rows;
  double *x = d->x;
  const double *l = d->l + (n + rows) * stride;
  for (int j = np; j < stride; j++) x[j] = 0;
  x[np + rows] = -1;
  for (int i = rows - 1; i >= 0; i--) {
    int from = group(np + i);
    l -= stride;
    r[i] = x[np + i] = -dot((int)stride - from, l + from, x + from);
  }
  for (int i = n - 1; i >= 0; i--) {
    int from = np ? group(i) : 0;
    l -= stride;
    if (np) x[i] = 0;
    p[i] = -dot((int)stride - from, l + from, x + from);
    if (np) x[i] = p[i];
  }
}

static dae_status factor_solve(void *self, const double *M, const double *G, const double *Kt,
                               bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  dense *d = self;
  (void)Kt;
  dae_status status = eliminate_all(d, M, G, mass_same, p, r, info);
  if (status != DAE_OK) return status;
  if (d->deficient)
    solve(d, p, r);
  else
    finish(d, p, r);
  return DAE_OK;
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
  if (d->mass != DAE_LA_DENSE) {
    for (int i = 0; i < d->n; i++) p[i] *= d->reciprocal[i];
    return;
  }
  memcpy(d->x, p, (size_t)d->n * sizeof *p);
  forward(d, d->np, d->x);
  backward(d, d->np, d->x);
  memcpy(p, d->x, (size_t)d->n * sizeof *p);
}

const dae_la_kkt_backend dae_la_kkt_dense = {factor,      solve,      factor_solve,
                                             schur_solve, mass_solve, NULL};
