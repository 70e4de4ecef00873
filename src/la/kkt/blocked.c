/*
 * the dense symmetric KKT system, large: [M G'; G 0] by blocks of columns, whose work is in
 * products of matrices. It knows the ordinary case alone: M positive and rows of G that are far
 * from depending on each other; whatever else there is makes it step aside (DAE_E_FORM)
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/dense/kernel.h"
#include "la/kkt/kernel.h"
#include "la/kkt/kkt.h"

/* columns of a block and of its parts, and rows that are turned at a time: they fit the first cache
   (bench/bench_dense.c) */
enum { BLOCK = 64, PART = 16, STRIP = 128 };
/* rows that lie a power of two apart would meet in the cache */
enum { ODD = 8, CROWD = 64 };
/* pivots of S relative to its diagonal, in units of the tolerance: nearer to dependence the other
   back end looks more closely */
static const double CLEAR = 1000;

/*
 * M = L L', X = G L^-T, S = X X' = R R': rows of L below each other, then rows of X and R side by
 * side. Only the lower triangle is used.
 */
typedef struct blocked {
  int n, rows, apart;
  bool mass_ready;
  double *a;          /* n + rows rows */
  double *reciprocal; /* n + rows: 1/l_ii, 1/r_ii */
  double *side;       /* (n + rows) x BLOCK: rows of the block as columns */
  double *diagonal;   /* rows: of S */
  double *top;        /* rows: the largest that it ever was */
  double *x;          /* n + rows */
} blocked;

static dae_status make(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  blocked *d = dae_base_take(pool, 1, sizeof *d);
  *self = d;
  if (!d) return DAE_E_MEMORY;
  d->n = shape->n;
  d->rows = shape->rows;
  size_t all = (size_t)d->n + (size_t)d->rows;
  d->apart = (int)(all + (all % CROWD == 0 ? ODD : 0));
  d->a = dae_base_doubles(pool, all * (size_t)d->apart);
  d->reciprocal = dae_base_doubles(pool, all);
  d->side = dae_base_doubles(pool, all * BLOCK);
  d->diagonal = dae_base_doubles(pool, (size_t)d->rows);
  d->top = dae_base_doubles(pool, (size_t)d->rows);
  d->x = dae_base_doubles(pool, all);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

static inline double *row_of(const blocked *d, int i) {
  return d->a + (size_t)i * (size_t)d->apart;
}

/* T := A' for rows x cols, `from` and `to` apart; four rows at a time, the last ones beyond `rows`
   are those of the one before */
static void turned(int rows, int cols, const double *A, size_t from, double *T, size_t to) {
  for (int i = 0; i < rows; i += TILE) {
    const double *row[TILE];
    for (int k = 0; k < TILE; k++) row[k] = A + (size_t)(i + k < rows ? i + k : rows - 1) * from;
    if (i + TILE <= rows) turn(cols, row, (long)to, T + i);
    else
      for (int j = 0; j < cols; j++)
        for (int k = i; k < rows; k++) T[(size_t)j * to + (size_t)k] = row[k - i][j];
  }
}

/* columns k .. end-1 of the rows from `first` on: what the columns from .. to-1 before take from
   them */
static void take(blocked *d, int first, int k, int end, int from, int to) {
  const int all = d->n + d->rows, width = end - k;
  if (to <= from) return;
  turned(width, to - from, row_of(d, k) + from, (size_t)d->apart, d->side, (size_t)width);
  dae_la_part B = {d->side, width};
  for (int i = first; i < all; i += STRIP) {
    int count = all - i < STRIP ? all - i : STRIP;
    dae_la_part A = {row_of(d, i) + from, d->apart};
    dae_la_subtract_product(count, width, to - from, A, B, row_of(d, i) + k, d->apart);
  }
}

/* the block on the diagonal: l_ij = (a_ij - sum_m l_im l_jm) / l_jj. False: a pivot is not above
   least[i] */
static bool take_pivots(blocked *d, int k, int end, const double *least) {
  for (int i = k; i < end; i++) {
    double *row = row_of(d, i);
    for (int j = k; j < i; j++)
      row[j] = (row[j] - dae_la_dot(j - k, row + k, row_of(d, j) + k)) * d->reciprocal[j];
    double pivot = row[i] - dae_la_dot(i - k, row + k, row + k);
    if (!(pivot > least[i - k]) || pivot > DBL_MAX) return false;
    row[i] = sqrt(pivot);
    d->reciprocal[i] = 1 / row[i];
  }
  return true;
}

/* rows from `first` on: x := x L^-T with the block on the diagonal, a strip of them as columns */
static void substitute(blocked *d, int first, int k, int end) {
  double strip[PART][STRIP];
  const int all = d->n + d->rows, width = end - k;
  for (int i = first; i < all; i += STRIP) {
    int count = all - i < STRIP ? all - i : STRIP;
    turned(count, width, row_of(d, i) + k, (size_t)d->apart, strip[0], STRIP);
    for (int j = 0; j < width; j++) {
      const double *l = row_of(d, k + j) + k, q = d->reciprocal[k + j];
      int m = 0;
      for (; m + 2 <= j; m += 2)
        dae_la_subtract2(count, l[m], strip[m], l[m + 1], strip[m + 1], strip[j]);
      if (m < j) dae_la_subtract(count, l[m], strip[m], strip[j]);
      for (int c = 0; c < count; c++) strip[j][c] *= q;
    }
    turned(width, count, strip[0], STRIP, row_of(d, i) + k, (size_t)d->apart);
  }
}

/* a block of columns from which those before were taken: its rows from `first` on, and those on
   the diagonal where their pivots are wanted (least not NULL). False: one is not above least[i] */
static bool factor_block(blocked *d, int first, int k, int end, const double *least) {
  for (int from = k; from < end; from += PART) {
    const int to = from + PART < end ? from + PART : end;
    take(d, least ? from : first, from, to, k, from);
    if (least && !take_pivots(d, from, to, least + from - k)) return false;
    substitute(d, least ? to : first, from, to);
  }
  return true;
}

/* columns of M: L, unless it is there, and X. False: M is not positive */
static bool factor_mass(blocked *d, const double *M) {
  double least[BLOCK];
  for (int k = 0; k < d->n; k += BLOCK) {
    int end = k + BLOCK < d->n ? k + BLOCK : d->n;
    take(d, M ? k : d->n, k, end, 0, k);
    for (int i = k; M && i < end; i++)
      least[i - k] = 4 * DBL_EPSILON * d->n * M[(size_t)i * (size_t)(d->n + 1)];
    if (!factor_block(d, d->n, k, end, M ? least : NULL)) return false;
  }
  return true;
}

/* columns of S = X X' and R. False: rows of G are near to depending on each other */
static bool factor_schur(blocked *d) {
  const int n = d->n, all = n + d->rows;
  const double tol = CLEAR * dae_la_kkt_tolerance(n);
  double least[BLOCK];
  for (int k = n; k < all; k += BLOCK) {
    int end = k + BLOCK < all ? k + BLOCK : all;
    take(d, k, k, end, 0, n);
    for (int i = k; i < all; i++)
      for (int j = k; j < end; j++) row_of(d, i)[j] = -row_of(d, i)[j];
    for (int i = k; i < end; i++) {
      double size = d->diagonal[i - n] = row_of(d, i)[i];
      if (!(size > 1e-140 && size < 1e140)) return false;
      least[i - k] = tol * size;
    }
    take(d, k, k, end, n, k);
    if (!factor_block(d, all, k, end, least)) return false;
  }
  return true;
}

/* the lower triangle of M, unless it is as before, G, and nothing for S */
static void load(blocked *d, const double *M, const double *G) {
  for (int i = 0; M && i < d->n; i++)
    memcpy(row_of(d, i), M + (size_t)i * (size_t)d->n, ((size_t)i + 1) * sizeof *M);
  for (int r = 0; r < d->rows; r++) {
    double *row = row_of(d, d->n + r);
    memcpy(row, G + (size_t)r * (size_t)d->n, (size_t)d->n * sizeof *G);
    memset(row + d->n, 0, (size_t)d->rows * sizeof *row);
  }
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  blocked *d = self;
  (void)Kt;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  if (mass_same && d->mass_ready) M = NULL;
  load(d, M, G);
  d->mass_ready = factor_mass(d, M);
  if (!d->mass_ready || !factor_schur(d)) return DAE_E_FORM;
  double least_ever = 1;
  for (int r = 0; r < d->rows; r++) {
    double root = row_of(d, d->n + r)[d->n + r], pivot = root * root;
    d->top[r] = fmax(d->top[r], d->diagonal[r]);
    info->rcond = fmin(info->rcond, pivot / d->diagonal[r]);
    least_ever = fmin(least_ever, pivot / d->top[r]);
  }
  info->smallest = sqrt(least_ever);
  return DAE_OK;
}

/* x := L^-1 x in rows from .. to-1, from the column `from` on */
static void forward(const blocked *d, int from, int to, double *x) {
  for (int i = from; i < to; i++)
    x[i] = (x[i] - dae_la_dot(i - from, row_of(d, i) + from, x + from)) * d->reciprocal[i];
}

/* x := L^-T x, as a sum of rows so that memory is read in order */
static void backward(const blocked *d, int from, int to, double *x) {
  for (int i = to - 1; i >= from; i--) {
    x[i] *= d->reciprocal[i];
    dae_la_subtract(i - from, x[i], row_of(d, i) + from, x + from);
  }
}

/* x of the rows of S is known: y := R^-T R^-1 x, a := L^-T (x - X'y) */
static void finish(blocked *d, double *p, double *r) {
  const int n = d->n, all = n + d->rows;
  double *x = d->x;
  forward(d, n, all, x);
  backward(d, n, all, x);
  for (int i = n; i < all; i++) dae_la_subtract(n, x[i], row_of(d, i), x);
  backward(d, 0, n, x);
  memcpy(p, x, (size_t)n * sizeof *p);
  memcpy(r, x + n, (size_t)d->rows * sizeof *r);
}

/* u = L^-1 p, S y = X u - r, a = L^-T (u - X'y) */
static void solve(void *self, double *p, double *r) {
  blocked *d = self;
  const int n = d->n;
  double *x = d->x;
  memcpy(x, p, (size_t)n * sizeof *p);
  forward(d, 0, n, x);
  for (int i = 0; i < d->rows; i++) x[n + i] = dae_la_dot(n, row_of(d, n + i), x) - r[i];
  finish(d, p, r);
}

static void least(void *self, double *r, double *p) {
  blocked *d = self;
  memset(d->x, 0, (size_t)d->n * sizeof *p);
  for (int i = 0; i < d->rows; i++) d->x[d->n + i] = -r[i];
  finish(d, p, r);
}

static void schur_solve(void *self, double *r) {
  blocked *d = self;
  const int n = d->n, all = n + d->rows;
  memcpy(d->x + n, r, (size_t)d->rows * sizeof *r);
  forward(d, n, all, d->x);
  backward(d, n, all, d->x);
  memcpy(r, d->x + n, (size_t)d->rows * sizeof *r);
}

static void mass_solve(void *self, double *p) {
  const blocked *d = self;
  forward(d, 0, d->n, p);
  backward(d, 0, d->n, p);
}

static double *lengths(void *self) { return ((blocked *)self)->top; }

const dae_la_kkt_backend dae_la_kkt_blocked = {.make = make,
                                               .notices = true,
                                               .factor = factor,
                                               .solve = solve,
                                               .least = least,
                                               .schur_solve = schur_solve,
                                               .mass_solve = mass_solve,
                                               .lengths = lengths};
