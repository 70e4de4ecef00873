/* the sparse KKT system with K = G' and M of small blocks: S = G M^-1 G' inside its envelope */
#include <math.h>
#include <string.h>

#include "la/blocks.h"
#include "la/envelope.h"
#include "la/kkt.h"
#include "la/order.h"

/* of two entries in one column: x_a g_b adds to place `at` of a row of the envelope */
typedef struct product {
  int at, a, b;
} product;

/* X = G M^-1 has more places than G: whole blocks of M. The entries of S = X G' beside the diagonal
   are sums of products. */
typedef struct schur {
  int n, rows, nonzeros;
  dae_la_mass mass;
  bool mass_ready;
  const dae_pattern *pattern;
  dae_la_blocks m;
  dae_pattern wide;   /* of X: in each row block after block; that of G when M is diagonal */
  int *to;            /* where the entries of G are in X; NULL when M is diagonal */
  int block;          /* 2: entries come as neighbours in columns 2j, 2j + 1; else 1 */
  double *x;          /* X */
  int *product_start; /* rows + 1, in the order of the envelope */
  product *product;
  dae_la_envelope s;
} schur;

/* up to this many multiplications per row nothing else is tried; beyond it, up to this many times
   those that KLU expects: it expects pivots on the diagonal, which the zero block of a KKT matrix
   denies it */
static const double always = 4000, handicap = 30;
enum { BLOCK_MAX = 24 }; /* larger parts of M make X too full */

/* the products of row i with rows before it; products NULL: their number only */
static int collect(const schur *d, const int *column_start, const int *column_row, const int *from,
                   int i, product *products) {
  const dae_pattern *p = &d->wide;
  int r = dae_la_envelope_old(&d->s, i), count = 0;
  for (int a = p->start[r]; a < p->start[r + 1]; a += d->block) {
    int j = p->column[a];
    for (int m = column_start[j]; m < column_start[j + 1]; m++) {
      int place = d->s.place[column_row[m]];
      if (place >= i) continue;
      if (products) products[count] = (product){place - d->s.first[i], a, from[m]};
      count++;
    }
  }
  return count;
}

static dae_status make_products(schur *d, dae_pool *pool, const int *column_start,
                                const int *column_row, const int *from) {
  int *start = d->product_start = dae_base_ints(pool, (size_t)d->rows + 1);
  if (!start) return DAE_E_MEMORY;
  for (int i = 0; i < d->rows; i++)
    start[i + 1] = start[i] + collect(d, column_start, column_row, from, i, NULL);
  d->product = dae_base_take(pool, (size_t)start[d->rows], sizeof *d->product);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < d->rows; i++)
    collect(d, column_start, column_row, from, i, d->product + start[i]);
  return DAE_OK;
}

/* the sum over the columns of the squared number of entries: what S costs before it is factored */
static double products_of(int n, const int *column_start) {
  double sum = 0;
  for (int j = 0; j < n; j++) {
    double count = column_start[j + 1] - column_start[j];
    sum += count * count;
  }
  return sum;
}

/* the pattern of X: every block that a row of G touches, as a whole; column NULL: count only */
static int widen_row(schur *d, int r, int *seen, int *column, int *to) {
  const dae_pattern *p = d->pattern;
  int count = 0;
  for (int k = p->start[r]; k < p->start[r + 1]; k++) {
    int j = p->column[k], b = d->m.block[j];
    const int *member = d->m.member + d->m.start[b];
    int size = d->m.start[b + 1] - d->m.start[b], place = 0;
    /* seen[b]: one more than where this row has block b */
    if (seen[b] == 0) {
      seen[b] = count + 1;
      for (int i = 0; i < size && column; i++) column[count + i] = member[i];
      count += size;
    }
    while (member[place] != j) place++;
    if (to) to[k] = seen[b] - 1 + place;
  }
  for (int k = p->start[r]; k < p->start[r + 1]; k++) seen[d->m.block[p->column[k]]] = 0;
  return count;
}

static dae_status widen(schur *d, dae_pool *pool) {
  d->wide = *d->pattern;
  if (d->m.largest <= 1) return DAE_OK;
  int *seen = dae_base_ints(pool, (size_t)d->m.count),
      *start = dae_base_ints(pool, (size_t)d->rows + 1);
  d->to = dae_base_ints(pool, (size_t)d->nonzeros);
  if (pool->failed) return DAE_E_MEMORY;
  for (int r = 0; r < d->rows; r++) start[r + 1] = start[r] + widen_row(d, r, seen, NULL, NULL);
  int *column = dae_base_ints(pool, (size_t)start[d->rows]);
  if (!column) return DAE_E_MEMORY;
  for (int r = 0; r < d->rows; r++) {
    widen_row(d, r, seen, column + start[r], d->to);
    for (int k = d->pattern->start[r]; k < d->pattern->start[r + 1]; k++) d->to[k] += start[r];
  }
  dae_base_give(pool, seen);
  d->wide = (dae_pattern){d->rows, d->n, start, column};
  return DAE_OK;
}

/* do entries come in twos, in columns 2j and 2j + 1, as those of points in a plane? */
static bool in_twos(const dae_pattern *p) {
  for (int r = 0; r < p->rows; r++) {
    if (p->start[r + 1] % 2) return false;
    for (int k = p->start[r]; k < p->start[r + 1]; k += 2)
      if (p->column[k] % 2 || p->column[k + 1] != p->column[k] + 1) return false;
  }
  return true;
}

/* orders S and takes its memory; *suits tells whether S is sparse enough */
static dae_status order(schur *d, dae_pool *pool, const dae_la_kkt_shape *shape,
                        const int *column_start, const int *column_row, bool *suits) {
  double most = always * d->rows, expected = 0, work = 0;
  *suits = false;
  dae_status status = dae_la_blocks_new(&d->m, pool, d->n, shape->mass_pattern);
  if (status != DAE_OK) return status;
  if (d->m.largest > BLOCK_MAX || products_of(d->n, column_start) * d->m.largest > most)
    return DAE_OK;
  status = widen(d, pool);
  if (status != DAE_OK) return status;
  status = dae_la_envelope_order(&d->s, pool, &d->wide, column_start, column_row, &work);
  if (status == DAE_OK && work > most) {
    status = dae_la_kkt_whole_work(pool, shape, &expected);
    if (handicap * expected > most) most = handicap * expected;
  }
  *suits = status == DAE_OK && work <= most;
  if (*suits) status = dae_la_envelope_take(&d->s, pool);
  return status;
}

dae_status dae_la_kkt_schur_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  const dae_pattern *p = shape->pattern;
  size_t nonzeros = (size_t)p->start[p->rows];
  *self = NULL;
  schur *d = dae_base_take(pool, 1, sizeof *d);
  int *column_start = dae_base_ints(pool, (size_t)shape->n + 1);
  int *column_row = dae_base_ints(pool, nonzeros), *from = dae_base_ints(pool, nonzeros);
  if (pool->failed) return DAE_E_MEMORY;
  *d = (schur){.n = shape->n, .rows = shape->rows, .mass = shape->mass, .pattern = p};
  d->nonzeros = (int)nonzeros;
  dae_la_transpose(p, column_start, column_row, from);
  bool suits;
  dae_status status = order(d, pool, shape, column_start, column_row, &suits);
  if (status == DAE_OK && suits) {
    status = dae_la_blocks_take(&d->m, pool, shape->mass_pattern);
    d->x = dae_base_doubles(pool, (size_t)d->wide.start[d->rows]);
    d->block = !d->to && in_twos(p) ? 2 : 1;
    if (status == DAE_OK) status = make_products(d, pool, column_start, column_row, from);
    *self = d;
  }
  dae_base_give(pool, column_start);
  dae_base_give(pool, column_row);
  dae_base_give(pool, from);
  return status;
}

/* X = G M^-1, row by row and block by block */
static void fill_wide(schur *d, const double *G) {
  const int *column = d->wide.column;
  int count = d->wide.start[d->rows];
  memset(d->x, 0, (size_t)count * sizeof *d->x);
  for (int k = 0; k < d->nonzeros; k++) d->x[d->to[k]] = G[k];
  for (int k = 0; k < count;) {
    int b = d->m.block[column[k]];
    dae_la_blocks_solve_one(&d->m, b, d->x + k);
    k += d->m.start[b + 1] - d->m.start[b];
  }
}

/* loops over the entries of a row are compiled twice, for single ones and for pairs */
#define SCHUR_INLINE inline __attribute__((always_inline))

/* x_a g_b */
static SCHUR_INLINE double product_of(const schur *d, const product *q, const double *G,
                                      const int block) {
  if (block == 1) return d->x[q->a] * G[q->b];
  const pair both = *(const pair *)(d->x + q->a) * *(const pair *)(G + q->b);
  return both[0] + both[1];
}

/* row i of S beside the diagonal: x_a g_b summed into its places */
static SCHUR_INLINE void fill_places(const schur *d, int i, const double *G, const int block) {
  const product *q = d->product + d->product_start[i], *end = d->product + d->product_start[i + 1];
  double *row = d->s.values + d->s.start[i];
  for (int j = d->s.first[i]; j < i; j++) row[j - d->s.first[i]] = 0;
  for (; q < end; q++) row[q->at] += product_of(d, q, G, block);
}

/* row r of X when M is diagonal; returns s_rr and, with p, X p */
static SCHUR_INLINE double fill_row(const schur *d, int r, const double *G, const double *p,
                                    double *xp, const int block) {
  const int *column = d->pattern->column, end = d->pattern->start[r + 1];
  const double *inverse = d->m.values;
  double *to = d->x;
  if (block == 2) {
    pair sum = {0, 0}, dot = sum;
    for (int k = d->pattern->start[r]; k < end; k += 2) {
      const int j = column[k];
      const pair g = *(const pair *)(G + k), x = g * *(const pair *)(inverse + j);
      *(pair *)(to + k) = x;
      sum += x * g;
      if (p) dot += x * *(const pair *)(p + j);
    }
    *xp = dot[0] + dot[1];
    return sum[0] + sum[1];
  }
  double sum = 0, dot = 0;
  for (int k = d->pattern->start[r]; k < end; k++) {
    const double g = G[k], x = g * inverse[column[k]];
    to[k] = x;
    sum += x * g;
    if (p) dot += x * p[column[k]];
  }
  *xp = dot;
  return sum;
}

/* X p of row r */
static SCHUR_INLINE double row_times(const schur *d, int r, const double *p, const int block) {
  const int *column = d->wide.column, end = d->wide.start[r + 1];
  const double *x = d->x;
  if (block == 2) {
    pair sum = {0, 0};
    for (int k = d->wide.start[r]; k < end; k += 2)
      sum += *(const pair *)(x + k) * *(const pair *)(p + column[k]);
    return sum[0] + sum[1];
  }
  double sum = 0;
  for (int k = d->wide.start[r]; k < end; k++) sum += x[k] * p[column[k]];
  return sum;
}

/* p := p - X' y of row r */
static SCHUR_INLINE void row_subtract(const schur *d, int r, double y, double *p, const int block) {
  const int *column = d->wide.column, end = d->wide.start[r + 1];
  const double *x = d->x;
  if (block == 2) {
    const pair both = {y, y};
    for (int k = d->wide.start[r]; k < end; k += 2)
      *(pair *)(p + column[k]) -= *(const pair *)(x + k) * both;
    return;
  }
  for (int k = d->wide.start[r]; k < end; k++) p[column[k]] -= x[k] * y;
}

/* s_rr, and X p with p, where X has been filled before */
static double known_row(const schur *d, int r, const double *G, const double *p, double *xp) {
  double sum = 0;
  for (int k = d->pattern->start[r]; k < d->pattern->start[r + 1]; k++)
    sum += d->x[d->to[k]] * G[k];
  if (p) *xp = row_times(d, r, p, 1);
  return sum;
}

/* Rows from..to-1 with one place each, s_i,i-1, as those of a chain: what the next row needs stays
   in registers. `matrix` is a copy because writing numbers cannot change it, as far as a compiler
   knows. Returns the row where a number is none, or `to`. */
static SCHUR_INLINE int eliminate_chain(schur *d, int from, int to, const double *G,
                                        const double *p, const double *r, const int block) {
  dae_la_envelope *e = &d->s;
  const schur matrix = *d;
  const int *order = e->order, *product_end = d->product_start + 1;
  const product *q = d->product + d->product_start[from];
  double *values = e->values + e->start[from] - from, *reciprocal = e->reciprocal, *top = e->top;
  double *x = e->x, *y = e->y, before = p ? x[from - 1] : 0, inverse = reciprocal[from - 1];
  const double tol = e->tol;
  double least = e->least, smallest = e->smallest;
  int i = from;
  for (; i < to; i++) {
    const int old = order ? order[i] : i;
    double xp, s = fill_row(&matrix, old, G, p, &xp, block), u = 0;
    for (const product *end = matrix.product + product_end[i]; q < end; q++)
      u += product_of(&matrix, q, G, block);
    if (!(s < INFINITY)) break;
    const double l = u * inverse, pivot = s - u * l;
    values[i] = l;
    if (s > top[i]) top[i] = s;
    if (!(pivot > tol * s)) {
      inverse = 0;
      dae_la_envelope_drop(e, i);
    } else {
      inverse = 1 / pivot;
      if (pivot < least * s) least = pivot / s;
      if (pivot < smallest * top[i]) smallest = pivot / top[i];
    }
    reciprocal[i] = inverse;
    if (!p) continue;
    before = xp - r[old] - l * before;
    x[i] = before;
    y[i] = before * inverse;
  }
  e->least = least, e->smallest = smallest;
  return i;
}

/* S = L D L' row by row; with p and r also L^-1 (X p - r) on the way. False: a number that is
   none. */
static SCHUR_INLINE bool eliminate(schur *d, const double *G, const double *p, const double *r,
                                   const int block) {
  dae_la_envelope *e = &d->s;
  if (d->to) fill_wide(d, G);
  dae_la_envelope_begin(e, dae_la_kkt_tolerance(d->n));
  for (int i = 0; i < d->rows; i++) {
    int end = i;
    while (!d->to && end < d->rows && e->first[end] == end - 1) end++;
    if (end > i && eliminate_chain(d, i, end, G, p, r, block) < end) return false;
    i = end;
    if (i == d->rows) break;
    const int old = dae_la_envelope_old(e, i);
    double xp, s = d->to ? known_row(d, old, G, p, &xp) : fill_row(d, old, G, p, &xp, block);
    if (!isfinite(s)) return false;
    fill_places(d, i, G, block);
    dae_la_envelope_eliminate(e, i, s);
    if (p) dae_la_envelope_forward(e, i, xp - r[old]);
  }
  dae_la_envelope_end(e);
  return true;
}

/* p := p - X' y, r := y, with y from what the forward substitution left, each row as soon as it is
   known */
static SCHUR_INLINE void subtract_all(schur *d, double *p, double *r, const int block) {
  const schur matrix = *d;
  const dae_la_envelope *e = &matrix.s;
  const bool known = e->missing > 0;
  if (known) dae_la_envelope_backward(&d->s);
  double now = d->rows > 0 ? e->y[d->rows - 1] : 0;
  for (int i = d->rows - 1; i >= 0; i--) {
    const int old = dae_la_envelope_old(e, i), low = e->first[i];
    const double *l = e->values + e->start[i], y = now;
    if (i > 0) now = e->y[i - 1];
    if (low == i - 1 && !known) now -= y * l[0];
    else if (low < i && !known) {
      dae_la_subtract(i - low, y, l, e->y + low);
      now = e->y[i - 1];
    }
    r[old] = y;
    row_subtract(&matrix, old, y, p, block);
  }
}

static void finish(schur *d, double *p, double *r) {
  if (d->block == 2) subtract_all(d, p, r, 2);
  else subtract_all(d, p, r, 1);
}

static dae_status factor_solve(void *self, const double *M, const double *G, const double *Kt,
                               bool mass_same, double *p, double *r, dae_la_kkt_info *info) {
  schur *d = self;
  (void)Kt;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  if (!(mass_same && d->mass_ready)) {
    const double *given = d->mass == DAE_LA_IDENTITY ? NULL : M;
    d->mass_ready = false;
    if (given && !dae_base_finite(given, d->m.entries)) return DAE_E_SINGULAR;
    int bad = dae_la_blocks_factor(&d->m, given);
    if (bad >= 0) {
      info->mass_singular = true;
      info->row = bad;
      return DAE_E_SINGULAR;
    }
    d->mass_ready = true;
  }
  if (!(d->block == 2 ? eliminate(d, G, p, r, 2) : eliminate(d, G, p, r, 1))) return DAE_E_SINGULAR;
  info->rcond = d->s.least;
  info->smallest = sqrt(d->s.smallest);
  info->row = d->s.row;
  info->rank = d->rows - d->s.missing;
  if (p) {
    dae_la_blocks_solve(&d->m, p);
    finish(d, p, r);
  }
  return DAE_OK;
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  return factor_solve(self, M, G, Kt, mass_same, NULL, NULL, info);
}

static void schur_solve(void *self, double *r) {
  schur *d = self;
  dae_la_envelope_solve(&d->s, r);
}

static void mass_solve(void *self, double *p) {
  const schur *d = self;
  dae_la_blocks_solve(&d->m, p);
}

/* S y = X p - r, a = M^-1 p - X' y */
static void solve(void *self, double *p, double *r) {
  schur *d = self;
  for (int i = 0; i < d->rows; i++) {
    const int old = dae_la_envelope_old(&d->s, i);
    const double xp = d->block == 2 ? row_times(d, old, p, 2) : row_times(d, old, p, 1);
    dae_la_envelope_forward(&d->s, i, xp - r[old]);
  }
  dae_la_blocks_solve(&d->m, p);
  finish(d, p, r);
}

/* the same for p = 0 */
static void least(void *self, double *r, double *p) {
  schur *d = self;
  for (int i = 0; i < d->rows; i++)
    dae_la_envelope_forward(&d->s, i, -r[dae_la_envelope_old(&d->s, i)]);
  memset(p, 0, (size_t)d->n * sizeof *p);
  finish(d, p, r);
}

static double *lengths(void *self) { return ((schur *)self)->s.top; }

const dae_la_kkt_backend dae_la_kkt_schur = {.notices = true,
                                             .factor = factor,
                                             .solve = solve,
                                             .factor_solve = factor_solve,
                                             .least = least,
                                             .schur_solve = schur_solve,
                                             .mass_solve = mass_solve,
                                             .lengths = lengths};
