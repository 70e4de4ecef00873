/* the sparse KKT system in general: LU of the whole matrix [M K; G -delta] */
#include <math.h>
#include <string.h>

#include "la/dense/kernel.h"
#include "la/kkt/kkt.h"
#include "la/sparse/sparse.h"
#include "la/sparse/order.h"

typedef struct whole {
  int n, rows;
  dae_la_mass mass;
  bool deficient, filled, mass_ready;
  dae_pattern m, g;                    /* patterns of M and G, by rows */
  int *start, *row;                    /* of the whole, by columns */
  int *m_at, *g_at, *k_at, *corner_at; /* where entries of M, G, K and the corner go */
  double *values;
  dae_la_sparse *lu, *mass_lu;
  int *mass_start, *mass_row, *mass_from;
  double *mass_values;
  double *weight;       /* rows: roughly the diagonal of S */
  double *top;          /* rows: the largest weight ever */
  double *z;            /* rows: the last vector of the inverse iteration */
  double *corner;       /* rows: -delta */
  double *both, *x, *b; /* n + rows each: the unknowns, and work */
} whole;

/* every column in every row, or the diagonal */
static dae_pattern full_pattern(dae_pool *pool, int rows, int cols, bool diagonal) {
  size_t each = diagonal ? 1 : (size_t)cols;
  int *start = dae_base_ints(pool, (size_t)rows + 1);
  int *column = dae_base_ints(pool, (size_t)rows * each);
  if (!start || !column) return (dae_pattern){0};
  for (int i = 0; i < rows; i++) {
    start[i + 1] = start[i] + (int)each;
    for (int j = 0; j < (int)each; j++) column[start[i] + j] = diagonal ? i : j;
  }
  return (dae_pattern){rows, cols, start, column};
}

/* column j of the whole: M's and G's column for j < n, then K's columns, each with its corner
   entry */
static dae_status make_pattern(whole *d, dae_pool *pool) {
  int n = d->n, rows = d->rows, at = 0;
  int gn = d->g.start[rows];
  int *g_start = dae_base_ints(pool, (size_t)n + 1), *g_row = dae_base_ints(pool, (size_t)gn);
  int *g_from = dae_base_ints(pool, (size_t)gn);
  if (pool->failed) return DAE_E_MEMORY;
  dae_la_transpose(&d->m, d->mass_start, d->mass_row, d->mass_from);
  dae_la_transpose(&d->g, g_start, g_row, g_from);
  for (int j = 0; j < n; j++) {
    for (int k = d->mass_start[j]; k < d->mass_start[j + 1]; k++) {
      d->m_at[d->mass_from[k]] = at;
      d->row[at++] = d->mass_row[k];
    }
    for (int k = g_start[j]; k < g_start[j + 1]; k++) {
      d->g_at[g_from[k]] = at;
      d->row[at++] = n + g_row[k];
    }
    d->start[j + 1] = at;
  }
  for (int r = 0; r < rows; r++) {
    for (int k = d->g.start[r]; k < d->g.start[r + 1]; k++) {
      d->k_at[k] = at;
      d->row[at++] = d->g.column[k];
    }
    d->corner_at[r] = at;
    d->row[at++] = n + r;
    d->start[n + r + 1] = at;
  }
  dae_base_give(pool, g_start);
  dae_base_give(pool, g_row);
  dae_base_give(pool, g_from);
  return DAE_OK;
}

static void take(whole *d, dae_pool *pool) {
  size_t n = (size_t)d->n, rows = (size_t)d->rows;
  size_t mn = (size_t)d->m.start[n], gn = (size_t)d->g.start[rows], all = mn + 2 * gn + rows;
  d->start = dae_base_ints(pool, n + rows + 1);
  d->row = dae_base_ints(pool, all);
  d->m_at = dae_base_ints(pool, mn);
  d->g_at = dae_base_ints(pool, gn);
  d->k_at = dae_base_ints(pool, gn);
  d->corner_at = dae_base_ints(pool, rows);
  d->values = dae_base_doubles(pool, all);
  d->mass_start = dae_base_ints(pool, n + 1);
  d->mass_row = dae_base_ints(pool, mn);
  d->mass_from = dae_base_ints(pool, mn);
  d->mass_values = dae_base_doubles(pool, mn);
  d->weight = dae_base_doubles(pool, rows);
  d->top = dae_base_doubles(pool, rows);
  d->z = dae_base_doubles(pool, rows);
  d->corner = dae_base_doubles(pool, rows);
  d->both = dae_base_doubles(pool, n + rows);
  d->x = dae_base_doubles(pool, n + rows);
  d->b = dae_base_doubles(pool, n + rows);
}

/* everything but the factors */
static dae_status analyse(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  whole *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  *d = (whole){.n = shape->n, .rows = shape->rows, .mass = shape->mass};
  bool diagonal = shape->mass != DAE_LA_SPARSE;
  d->m = diagonal ? full_pattern(pool, d->n, d->n, true) : *shape->mass_pattern;
  d->g = shape->pattern ? *shape->pattern : full_pattern(pool, d->rows, d->n, false);
  if (pool->failed) return DAE_E_MEMORY;
  take(d, pool);
  if (pool->failed) return DAE_E_MEMORY;
  dae_status status = make_pattern(d, pool);
  /* any start for the inverse iteration will do that no symmetry of the problem can meet */
  for (int r = 0; r < d->rows && status == DAE_OK; r++) d->z[r] = sin(1 + 1.7 * r);
  if (status == DAE_OK)
    status = dae_la_sparse_new(&d->lu, pool, d->n + d->rows, d->start, d->row, DAE_LA_REAL);
  if (status == DAE_OK && !diagonal)
    status = dae_la_sparse_new(&d->mass_lu, pool, d->n, d->mass_start, d->mass_row, DAE_LA_REAL);
  return status;
}

dae_status dae_la_kkt_whole_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  dae_status status = analyse(self, pool, shape);
  const whole *d = *self;
  if (status == DAE_OK) status = dae_la_sparse_reserve(d->lu, false);
  if (status == DAE_OK && d->mass_lu) status = dae_la_sparse_reserve(d->mass_lu, false);
  return status;
}

static void release(void *self) {
  whole *d = self;
  dae_la_sparse_free(d->lu);
  dae_la_sparse_free(d->mass_lu);
}

dae_status dae_la_kkt_whole_work(const dae_pool *pool, const dae_la_kkt_shape *shape,
                                 double *work) {
  dae_pool own;
  void *self;
  dae_base_pool_init(&own, &pool->allocator);
  dae_status status = analyse(&self, &own, shape);
  if (status == DAE_OK) *work = dae_la_sparse_flops(((whole *)self)->lu) / 2;
  if (self) release(self);
  dae_base_pool_free(&own);
  return status;
}

/* weight_r = sum_j |g_rj k_jr / m_jj|, with the largest m where the diagonal is zero */
static void weigh(whole *d, const double *G, const double *Kt) {
  double *mass = d->x, top = 0;
  for (int i = 0; i < d->n; i++) {
    mass[i] = 0;
    for (int k = d->m.start[i]; k < d->m.start[i + 1]; k++) {
      double m = fabs(d->values[d->m_at[k]]);
      if (m > top) top = m;
      if (d->m.column[k] == i) mass[i] = m;
    }
  }
  for (int r = 0; r < d->rows; r++) {
    double sum = 0;
    for (int k = d->g.start[r]; k < d->g.start[r + 1]; k++) {
      double m = mass[d->g.column[k]];
      sum += fabs(G[k] * Kt[k]) / (m > 0 ? m : top);
    }
    d->weight[r] = sum;
    if (sum > d->top[r]) d->top[r] = sum;
  }
}

static void fill(whole *d, const double *M, const double *G, const double *Kt, bool keep) {
  int mn = d->m.start[d->n], gn = d->g.start[d->rows];
  for (int k = 0; k < mn && !keep; k++)
    d->values[d->m_at[k]] = d->mass == DAE_LA_IDENTITY ? 1 : M[k];
  for (int k = 0; k < gn; k++) d->values[d->g_at[k]] = G[k];
  for (int k = 0; k < gn; k++) d->values[d->k_at[k]] = Kt[k];
  for (int r = 0; r < d->rows; r++) d->values[d->corner_at[r]] = 0;
}

/*
 * -delta in the corner makes the matrix regular when rows depend on each other; refinement with the
 * true matrix then takes delta out again and leaves y in the range of S, that is of minimum norm.
 * One delta for all rows when their sizes are alike, so that this is the plain norm.
 */
static void fill_corner(whole *d) {
  const double delta = 1e-8;
  double low = INFINITY, high = 0;
  for (int r = 0; r < d->rows; r++) {
    if (d->weight[r] > high) high = d->weight[r];
    if (d->weight[r] < low) low = d->weight[r];
  }
  if (high == 0) high = 1;
  bool alike = low > 1e-6 * high;
  for (int r = 0; r < d->rows; r++) {
    d->corner[r] = -delta * (alike || d->weight[r] == 0 ? high : d->weight[r]);
    d->values[d->corner_at[r]] = d->corner[r];
  }
}

/* b := b - A x with the corner left out */
static void residual(const whole *d, const double *x, double *b) {
  int all = d->n + d->rows;
  for (int j = 0; j < all; j++)
    for (int k = d->start[j]; k < d->start[j + 1]; k++) b[d->row[k]] -= d->values[k] * x[j];
  if (d->deficient)
    for (int r = 0; r < d->rows; r++) b[d->n + r] += d->corner[r] * x[d->n + r];
}

/* x := A^-1 x; with dependent rows by refinement: each pass gains log10(1/delta) digits or so */
static void solve_whole(whole *d, double *x) {
  if (!d->deficient) {
    dae_la_sparse_solve(d->lu, x);
    return;
  }
  int all = d->n + d->rows;
  double *b = d->b, *step = d->x;
  memcpy(b, x, (size_t)all * sizeof *x);
  memset(x, 0, (size_t)all * sizeof *x);
  for (int pass = 0; pass < 4; pass++) {
    memcpy(step, b, (size_t)all * sizeof *x);
    dae_la_sparse_solve(d->lu, step);
    for (int i = 0; i < all; i++) x[i] += step[i];
    residual(d, step, b);
  }
}

/*
 * One step of inverse iteration with the scaled S: z := S^-1 z / |S^-1 z|; 1/|S^-1 z| is near the
 * smallest eigenvalue, the square of the singular value that is asked for. z stays from call to
 * call, so that the estimate gets better while the matrix changes slowly.
 */
static double smallest_eigenvalue(whole *d) {
  int n = d->n, rows = d->rows;
  double *x = d->b, norm = sqrt(dae_la_dot(rows, d->z, d->z));
  memset(x, 0, (size_t)n * sizeof *x);
  for (int r = 0; r < rows; r++) x[n + r] = -d->z[r] / norm * sqrt(d->weight[r]);
  dae_la_sparse_solve(d->lu, x);
  for (int r = 0; r < rows; r++) d->z[r] = x[n + r] * sqrt(d->weight[r]);
  norm = sqrt(dae_la_dot(rows, d->z, d->z));
  bool good = norm > 0 && isfinite(norm);
  for (int r = 0; r < rows; r++) d->z[r] = good ? d->z[r] / norm : sin(1 + 1.7 * r);
  return good ? 1 / norm : 0;
}

/* the null vector tells which rows depend on each other; the last of them is the one too many */
static int dependent_row(const whole *d) {
  double top = dae_la_norm_max(d->rows, d->z);
  for (int r = 0; r < d->rows; r++)
    if (d->weight[r] == 0) return r;
  for (int r = d->rows - 1; r >= 0; r--)
    if (fabs(d->z[r]) > 0.1 * top) return r;
  return -1;
}

static dae_status factor_deficient(whole *d, dae_la_kkt_info *info) {
  d->deficient = true;
  fill_corner(d);
  dae_status status = dae_la_sparse_factor(d->lu, d->values);
  if (status != DAE_OK) {
    int culprit = dae_la_sparse_culprit(d->lu);
    info->mass_singular = culprit >= 0 && culprit < d->n;
    info->row = info->mass_singular ? culprit : culprit - d->n;
    return status;
  }
  /* two more steps make z the null vector */
  for (int pass = 0; pass < 3; pass++) smallest_eigenvalue(d);
  info->rank = d->rows - 1;
  info->row = dependent_row(d);
  info->rcond = info->smallest = 0;
  return DAE_OK;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  whole *d = self;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  if (!Kt) Kt = G;
  fill(d, M, G, Kt, mass_same && d->filled);
  d->filled = true;
  int all = d->start[d->n + d->rows];
  if (!dae_base_finite(d->values, all)) return DAE_E_SINGULAR;
  weigh(d, G, Kt);
  d->deficient = false;
  d->mass_ready = d->mass_ready && mass_same;
  dae_status status = dae_la_sparse_factor(d->lu, d->values);
  if (status == DAE_E_MEMORY) return status;
  if (d->rows == 0) {
    info->mass_singular = status != DAE_OK;
    if (info->mass_singular) info->row = dae_la_sparse_culprit(d->lu);
    return status;
  }
  double least = status == DAE_OK ? smallest_eigenvalue(d) : 0;
  if (!(least > dae_la_kkt_tolerance(d->n))) return factor_deficient(d, info);
  info->rcond = least < 1 ? least : 1;
  info->smallest = sqrt(info->rcond);
  for (int r = 0; r < d->rows; r++) {
    double ratio = sqrt(d->weight[r] / d->top[r]);
    if (ratio < info->smallest) info->smallest = ratio;
  }
  return DAE_OK;
}

/* [M K; G 0] [a; y] = [p; r] */
static void solve(void *self, double *p, double *r) {
  whole *d = self;
  size_t n = (size_t)d->n, rows = (size_t)d->rows;
  memcpy(d->both, p, n * sizeof *p);
  memcpy(d->both + n, r, rows * sizeof *r);
  solve_whole(d, d->both);
  memcpy(p, d->both, n * sizeof *p);
  memcpy(r, d->both + n, rows * sizeof *r);
}

/* p = 0 leaves -G M^-1 K y = r */
static void schur_solve(void *self, double *r) {
  whole *d = self;
  memset(d->both, 0, (size_t)d->n * sizeof *r);
  for (int i = 0; i < d->rows; i++) d->both[d->n + i] = -r[i];
  solve_whole(d, d->both);
  memcpy(r, d->both + d->n, (size_t)d->rows * sizeof *r);
}

/* M alone is factored only when it is asked for; a singular M leaves p as it is */
static void mass_solve(void *self, double *p) {
  whole *d = self;
  if (!d->mass_lu) {
    for (int i = 0; i < d->n; i++) p[i] /= d->values[d->m_at[i]];
    return;
  }
  if (!d->mass_ready) {
    for (int k = 0; k < d->mass_start[d->n]; k++)
      d->mass_values[k] = d->values[d->m_at[d->mass_from[k]]];
    d->mass_ready = dae_la_sparse_factor(d->mass_lu, d->mass_values) == DAE_OK;
  }
  if (d->mass_ready) dae_la_sparse_solve(d->mass_lu, p);
}

static double *lengths(void *self) { return ((whole *)self)->top; }

const dae_la_kkt_backend dae_la_kkt_whole = {.factor = factor,
                                             .solve = solve,
                                             .schur_solve = schur_solve,
                                             .mass_solve = mass_solve,
                                             .lengths = lengths,
                                             .free = release};
