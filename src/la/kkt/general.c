/* the dense KKT system [M K; G 0] in general: LU of S = G M^-1 K */
#include <math.h>
#include <string.h>

#include "la/dense/kernel.h"
#include "la/kkt/kkt.h"

typedef struct general {
  int n, rows;
  dae_la_mass mass;
  bool mass_symmetric, mass_ready, deficient;
  double *m; /* n x n factors of M, or 1/M when diagonal */
  int *mass_pivot;
  double *g;            /* rows x n: G */
  double *x;            /* rows x n: (M^-1 K)' */
  double *s;            /* rows x rows: the scaled S = G M^-1 K, then its factors */
  int *pivot, *order;   /* order: scratch */
  double *left, *right; /* rows: lengths of the rows of G and of the columns of M^-1 K */
  double *share;        /* rows: those of G D and D^-1 M^-1 K, as parts of them */
  double *unit;         /* n: D */
  double *top;          /* rows: the largest product of the lengths in these units ever seen */
  double *y;            /* rows */
  dae_la_deficient rank;
} general;

dae_status dae_la_kkt_general_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  general *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  size_t n = (size_t)shape->n, rows = (size_t)shape->rows;
  d->n = shape->n;
  d->rows = shape->rows;
  d->mass = shape->mass;
  d->mass_symmetric = shape->mass_symmetric;
  d->m = dae_base_doubles(pool, d->mass == DAE_LA_DENSE ? n * n : n);
  d->mass_pivot = dae_base_ints(pool, n);
  d->g = dae_base_doubles(pool, rows * n);
  d->x = dae_base_doubles(pool, rows * n);
  d->s = dae_base_doubles(pool, rows * rows);
  d->pivot = dae_base_ints(pool, rows);
  d->order = dae_base_ints(pool, rows);
  d->left = dae_base_doubles(pool, rows);
  d->right = dae_base_doubles(pool, rows);
  d->share = dae_base_doubles(pool, 2 * rows);
  d->unit = dae_base_doubles(pool, n);
  d->top = dae_base_doubles(pool, rows);
  d->y = dae_base_doubles(pool, rows);
  return dae_la_deficient_new(&d->rank, pool, d->rows, d->rows);
}

/* returns the row of M without a pivot, or -1 */
static int factor_mass(general *d, const double *M) {
  int n = d->n;
  if (d->mass == DAE_LA_IDENTITY) return -1;
  if (d->mass == DAE_LA_DIAGONAL) {
    for (int i = 0; i < n; i++) {
      if (M[i] == 0 || !isfinite(1 / M[i])) return i;
      d->m[i] = 1 / M[i];
    }
    return -1;
  }
  memcpy(d->m, M, (size_t)n * (size_t)n * sizeof *M);
  if (d->mass_symmetric) return dae_la_chol(n, d->m) - 1;
  return dae_la_lu(n, d->m, d->mass_pivot) - 1;
}

static void mass_solve(void *self, double *p) {
  const general *d = self;
  if (d->mass == DAE_LA_DIAGONAL)
    for (int i = 0; i < d->n; i++) p[i] *= d->m[i];
  else if (d->mass == DAE_LA_DENSE && d->mass_symmetric) dae_la_chol_solve(d->n, d->m, p);
  else if (d->mass == DAE_LA_DENSE) dae_la_lu_solve(d->n, d->m, d->mass_pivot, p);
}

/* |x|, or 1 for a vanishing vector, so that it can be divided by */
static double length(int n, const double *x) {
  double norm = dae_la_norm2(n, x);
  return norm > 0 ? norm : 1;
}

/* largest |a_rj| over the rows r */
static double column_size(const general *d, const double *a, int j) {
  double most = 0;
  for (int r = 0; r < d->rows; r++) most = fmax(most, fabs(a[(size_t)r * d->n + j]));
  return most;
}

/*
 * How near S is to singular does not depend on the units of x, but lengths do: with x_1 in 1e-6
 * and x_2 in 1e6 |G| falls by 1e12 where G_1 = 0. Units in which the columns of G D and the rows
 * of D^-1 M^-1 K are equally long, D_j^2 = |(M^-1 K)_j| / |G_j|, are the same whatever x was given
 * in. Rank is not judged in them: roundings in place of zeros would count.
 */
static void find_units(general *d) {
  int n = d->n, rows = d->rows;
  for (int j = 0; j < n; j++) {
    double g = column_size(d, d->g, j), x = column_size(d, d->x, j);
    d->unit[j] = g > 0 && x > 0 ? sqrt(x / g) : 0;
  }
  for (int r = 0; r < rows; r++) {
    double left = 0, right = 0;
    for (int j = 0; j < n; j++) {
      if (d->unit[j] == 0) continue;
      double g = d->g[(size_t)r * n + j] * d->unit[j] / d->left[r],
             x = d->x[(size_t)r * n + j] / d->unit[j] / d->right[r];
      left += g * g, right += x * x;
    }
    d->share[r] = sqrt(left), d->share[rows + r] = sqrt(right);
  }
}

/* S with unit rows of G and unit columns of M^-1 K: its entries are cosines */
static void fill_schur(general *d) {
  int n = d->n, rows = d->rows;
  for (int r = 0; r < rows; r++) {
    d->left[r] = length(n, d->g + (size_t)r * n);
    d->right[r] = length(n, d->x + (size_t)r * n);
  }
  for (int r = 0; r < rows; r++) {
    double *s = d->s + (size_t)r * rows, scale = 1 / d->left[r];
    for (int c = 0; c < rows; c++)
      s[c] = dae_la_dot(n, d->g + (size_t)r * n, d->x + (size_t)c * n) * scale / d->right[c];
  }
}

/* the smallest pivot of S in units of their own: each pivot of a scaled matrix has the scale of its
   row and of its column */
static double least_pivot(const general *d) {
  int rows = d->rows;
  double least = 1;
  for (int i = 0; i < rows; i++) d->order[i] = i;
  for (int i = 0; i < rows; i++) {
    int with = d->pivot[i], keep = d->order[i];
    d->order[i] = d->order[with], d->order[with] = keep;
    double scale = d->share[d->order[i]] * d->share[rows + i];
    least = fmin(least, fabs(d->s[(size_t)i * rows + i]) / scale);
  }
  return least;
}

/* LU of the scaled S; false when it is singular to working accuracy. Its smallest pivot stands for
   the smallest singular value, which is near the square of that of G when K is near G'. */
static bool factor_schur(general *d, dae_la_kkt_info *info) {
  if (dae_la_lu(d->rows, d->s, d->pivot)) return false;
  double low, high;
  dae_la_lu_pivots(d->rows, d->s, &low, &high);
  if (!(low > dae_la_kkt_tolerance(d->n))) return false;
  info->rcond = low / high;
  info->smallest = sqrt(least_pivot(d));
  return true;
}

/* y -> left^-1 S y: its columns are the vectors, so A holds the transpose */
static dae_status factor_deficient(general *d, dae_la_kkt_info *info) {
  dae_la_deficient *q = &d->rank;
  int rows = d->rows;
  fill_schur(d);
  if (!dae_base_finite(d->s, rows * rows)) return DAE_E_SINGULAR;
  const double tolerance = dae_la_kkt_tolerance(d->n);
  for (int r = 0; r < rows; r++) {
    q->left[r] = d->left[r];
    /* cosines of rounding size would count once they are scaled */
    for (int c = 0; c < rows; c++) {
      double cosine = d->s[(size_t)r * rows + c];
      q->A[(size_t)c * rows + r] = fabs(cosine) > tolerance ? cosine * d->right[c] : 0;
    }
  }
  dae_la_deficient_factor(q, tolerance);
  d->deficient = true;
  info->rank = q->rank;
  for (int i = q->rank; i < rows; i++)
    if (info->row < 0 || q->perm[i] < info->row) info->row = q->perm[i];
  info->rcond = dae_la_deficient_last(q);
  info->smallest = sqrt(info->rcond);
  return DAE_OK;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  general *d = self;
  int n = d->n, rows = d->rows;
  *info = (dae_la_kkt_info){.rank = rows, .row = -1, .rcond = 1, .smallest = 1};
  if (!(mass_same && d->mass_ready)) {
    int bad = factor_mass(d, M);
    d->mass_ready = bad < 0;
    if (bad >= 0) {
      info->mass_singular = true;
      info->row = bad;
      return DAE_E_SINGULAR;
    }
  }
  if (rows == 0) return DAE_OK;
  memcpy(d->g, G, (size_t)rows * (size_t)n * sizeof *G);
  memcpy(d->x, Kt ? Kt : G, (size_t)rows * (size_t)n * sizeof *G);
  for (int r = 0; r < rows; r++) mass_solve(d, d->x + (size_t)r * n);
  fill_schur(d);
  find_units(d);
  d->deficient = false;
  dae_status status = factor_schur(d, info) ? DAE_OK : factor_deficient(d, info);
  /* rows that vanish as a whole are seen against their own past */
  for (int r = 0; r < rows; r++) {
    double product = d->left[r] * d->share[r] * d->right[r] * d->share[rows + r];
    if (product > d->top[r]) d->top[r] = product;
    double ratio = d->top[r] > 0 ? sqrt(product / d->top[r]) : 0;
    if (ratio < info->smallest) info->smallest = ratio;
  }
  return status;
}

/* S y = r, with any y where rows depend on each other */
static void solve_schur(general *d, double *r) {
  int rows = d->rows;
  if (d->deficient) {
    dae_la_deficient_solve(&d->rank, r);
    return;
  }
  for (int i = 0; i < rows; i++) r[i] /= d->left[i];
  dae_la_lu_solve(rows, d->s, d->pivot, r);
  for (int i = 0; i < rows; i++) r[i] /= d->right[i];
}

static void shorten(void *self, double *y) {
  general *d = self;
  if (d->deficient) dae_la_deficient_shorten(&d->rank, y);
}

static void schur_solve(void *self, double *r) {
  solve_schur(self, r);
  shorten(self, r);
}

/* a0 = M^-1 p, S y = G a0 - r, a = a0 - M^-1 K y */
static void solve(void *self, double *p, double *r) {
  general *d = self;
  int n = d->n, rows = d->rows;
  mass_solve(d, p);
  dae_la_mul(rows, n, d->g, p, d->y);
  for (int i = 0; i < rows; i++) r[i] = d->y[i] - r[i];
  solve_schur(d, r);
  for (int i = 0; i < rows; i++) dae_la_subtract(n, r[i], d->x + (size_t)i * n, p);
  shorten(d, r);
}

static double *lengths(void *self) { return ((general *)self)->top; }

const dae_la_kkt_backend dae_la_kkt_general = {.factor = factor,
                                               .solve = solve,
                                               .shorten = shorten,
                                               .schur_solve = schur_solve,
                                               .mass_solve = mass_solve,
                                               .lengths = lengths};
