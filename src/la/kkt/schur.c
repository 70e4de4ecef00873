/* the sparse KKT system with K = G' and M of small blocks: S = G M^-1 G' inside its envelope */
#include <math.h>
#include <string.h>

#include "la/kkt/kkt.h"
#include "la/sparse/order.h"
#include "la/kkt/schur.h"

/* up to this many multiplications per row nothing else is tried; beyond it, up to this many times
   those that AMD expects: it expects pivots on the diagonal, which the zero block of a KKT matrix
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
      int at = d->s.tree ? dae_la_tree_place(d->s.tree, i, place) : place - d->s.first[i];
      if (products) products[count] = (product){at, a, from[m]};
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
  d->product = dae_base_data(pool, (size_t)start[d->rows], sizeof *d->product);
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

/* the neighbours of every row in S: start of rows + 1 and column as long as start says */
static dae_status neighbours(const schur *d, dae_pool *pool, const int *column_start,
                             const int *column_row, int **start, int **column) {
  const dae_pattern *p = &d->wide;
  int *mark = dae_base_ints(pool, (size_t)d->rows);
  *start = dae_base_ints(pool, (size_t)d->rows + 1);
  *column = NULL;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) *column = dae_base_ints(pool, (size_t)(*start)[d->rows]);
    if (pool->failed) return DAE_E_MEMORY;
    int count = 0;
    for (int r = 0; r < d->rows; r++) {
      /* a mark of each row and pass */
      const int now = 2 * r + 1 + pass;
      mark[r] = now;
      for (int k = p->start[r]; k < p->start[r + 1]; k++)
        for (int m = column_start[p->column[k]]; m < column_start[p->column[k] + 1]; m++) {
          const int other = column_row[m];
          if (mark[other] == now) continue;
          mark[other] = now;
          if (pass) (*column)[count] = other;
          count++;
        }
      (*start)[r + 1] = count;
    }
    memset(mark, 0, (size_t)d->rows * sizeof *mark);
  }
  return DAE_OK;
}

/* Fronts along a tree instead of the envelope, where that is less work; *work follows. A front
   costs more than its multiplications, as it is put together from parts all over memory: nets 20
   wide are as fast either way, with a ratio of three. */
static dae_status try_tree(schur *d, dae_pool *pool, const int *column_start, const int *column_row,
                           double *work) {
  const double narrow = 300, cost = 3;
  dae_la_envelope *e = &d->s;
  if (d->rows == 0 || *work < narrow * d->rows) return DAE_OK;
  dae_pool own;
  int *start, *column;
  double tree_work = 0;
  dae_la_tree *tree = NULL;
  dae_base_pool_init(&own, &pool->allocator);
  int *found = dae_base_ints(pool, (size_t)d->rows);
  dae_status status = neighbours(d, &own, column_start, column_row, &start, &column);
  if (status == DAE_OK && !found) status = DAE_E_MEMORY;
  if (status == DAE_OK)
    status = dae_la_tree_new(&tree, pool, d->rows, start, column, found, &tree_work);
  dae_base_pool_free(&own);
  if (status != DAE_OK) return status;
  if (cost * tree_work > *work) {
    dae_la_tree_give(tree, pool);
    dae_base_give(pool, found);
    return DAE_OK;
  }
  *work = tree_work;
  dae_base_give(pool, e->order);
  e->tree = tree;
  e->twisted = false; /* this order knows no ends */
  e->order = found;
  for (int i = 0; i < d->rows; i++) e->place[found[i]] = i;
  return DAE_OK;
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
  if (status == DAE_OK) status = try_tree(d, pool, column_start, column_row, &work);
  if (status == DAE_OK && work > most) {
    status = dae_la_kkt_whole_work(pool, shape, &expected);
    if (handicap * expected > most) most = handicap * expected;
  }
  *suits = status == DAE_OK && work <= most;
  if (*suits) status = dae_la_envelope_take(&d->s, pool);
  return status;
}

/* *alike: the number of entries that rows seen so far share, with one product each; 0 before, -1
   when they do not */
static void look(const schur *d, int i, int *alike) {
  const int r = dae_la_envelope_old(&d->s, i);
  const int entries = d->wide.start[r + 1] - d->wide.start[r];
  const bool one = d->product_start[i + 1] == d->product_start[i] + 1;
  *alike = one && (*alike == 0 || *alike == entries) ? entries : -1;
}

/* Row i is of a stretch when i - 2 is its only neighbour before it, and elimination fills nothing
   in: row i - 1 has no place for i - 2, or a zero there for the same reason. */
static dae_status find_stretches(schur *d, dae_pool *pool) {
  const dae_la_envelope *e = &d->s;
  if (d->to || !e->twisted) return DAE_OK;
  int *stretch = d->stretch = dae_base_ints(pool, (size_t)d->rows);
  if (!stretch) return DAE_E_MEMORY;
  int from = 0, alike = 0;
  bool alone = false;
  for (int i = 0; i <= d->rows; i++) {
    bool fits = i >= 2 && i < d->rows && e->first[i] == i - 2 && (alone || e->first[i - 1] > i - 2);
    for (int q = d->product_start[i]; fits && q < d->product_start[i + 1]; q++)
      fits = d->product[q].at == 0;
    if (fits && !alone) from = i;
    if (!fits && alone && i - from >= 2) {
      const int end = i - (i - from) % 2;
      stretch[from] = end;
      stretch[end - 1] = from;
      for (int k = from; k < end; k++) look(d, k, &alike);
    }
    alone = fits;
  }
  d->entries = alike > 0 ? alike : 0;
  return DAE_OK;
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
    if (status == DAE_OK) status = find_stretches(d, pool);
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

/* s_rr, and X p with p, where X has been filled before */
static double known_row(const schur *d, int r, const double *G, const double *p, double *xp) {
  double sum = 0;
  for (int k = d->pattern->start[r]; k < d->pattern->start[r + 1]; k++)
    sum += d->x[d->to[k]] * G[k];
  if (p) *xp = row_times(d, r, p, 1);
  return sum;
}

/* the same along a tree: all of S first */
static SCHUR_INLINE bool eliminate_tree(schur *d, const double *G, const double *p, const double *r,
                                        const int block) {
  dae_la_envelope *e = &d->s;
  double *diagonal = e->c, *places = e->tree->entry;
  for (int i = 0; i < d->rows; i++) {
    const int old = e->order[i];
    double xp;
    diagonal[i] = d->to ? known_row(d, old, G, p, &xp) : fill_row(d, old, G, p, &xp, block, 0);
    if (!isfinite(diagonal[i])) return false;
    if (p) e->x[i] = xp - r[old];
  }
  memset(places, 0, (size_t)e->tree->entry_start[d->rows] * sizeof *places);
  for (int q = 0; q < d->product_start[d->rows]; q++)
    places[d->product[q].at] += product_of(d, &d->product[q], G, block);
  dae_la_envelope_factor_tree(e, diagonal);
  if (p) dae_la_envelope_substitute(e);
  return true;
}

/* S = L D L' row by row; with p and r also L^-1 (X p - r) on the way. False: a number that is
   none. */
static SCHUR_INLINE bool eliminate(schur *d, const double *G, const double *p, const double *r,
                                   const int block) {
  dae_la_envelope *e = &d->s;
  if (d->to) fill_wide(d, G);
  dae_la_envelope_begin(e, dae_la_kkt_tolerance(d->n));
  if (e->tree && !eliminate_tree(d, G, p, r, block)) return false;
  for (int i = 0; i < d->rows && !e->tree; i++) {
    if (d->stretch && d->stretch[i]) {
      const int end = d->stretch[i];
      if (!dae_la_schur_stretch(d, i, end, G, p, r)) return false;
      i = end - 1;
      continue;
    }
    const int old = dae_la_envelope_old(e, i);
    double xp, s = d->to ? known_row(d, old, G, p, &xp) : fill_row(d, old, G, p, &xp, block, 0);
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
  dae_la_envelope *e = &d->s;
  const bool known = e->missing > 1 || e->tree;
  if (known) dae_la_envelope_backward(e);
  for (int i = d->rows - 1; i >= 0; i--) {
    if (!known && d->stretch && d->stretch[i]) {
      const int begin = d->stretch[i];
      dae_la_schur_stretch_back(d, begin, i + 1, p, r);
      i = begin;
      continue;
    }
    const int old = dae_la_envelope_old(e, i);
    if (!known) dae_la_envelope_back_row(e, i);
    r[old] = e->y[i];
    row_subtract(d, old, e->y[i], p, block, 0);
  }
}

/* r := r - v (v'r) with the null vector v of one dependent row: the least r. X'v = 0, so that p
   does not see it. */
static void least_multipliers(const dae_la_envelope *e, double *r) {
  double sum = 0;
  for (int i = e->null_first; i < e->null_end; i++) sum += e->v[i] * r[dae_la_envelope_old(e, i)];
  for (int i = e->null_first; i < e->null_end; i++) r[dae_la_envelope_old(e, i)] -= sum * e->v[i];
}

static void finish(schur *d, double *p, double *r) {
  if (d->block == 2) subtract_all(d, p, r, 2);
  else subtract_all(d, p, r, 1);
  if (d->s.missing == 1 && !d->s.tree) least_multipliers(&d->s, r);
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

/* y := D^-1 L^-1 x, whatever the order */
static void substitute(schur *d) {
  dae_la_envelope *e = &d->s;
  if (e->tree) dae_la_envelope_substitute(e);
  for (int i = 0; i < d->rows && !e->tree; i++) {
    if (!d->stretch || !d->stretch[i]) {
      dae_la_envelope_forward(e, i, e->x[i]);
      continue;
    }
    const int end = d->stretch[i];
    dae_la_schur_stretch_forward(d, i, end);
    i = end - 1;
  }
}

/* S y = X p - r, a = M^-1 p - X' y */
static void solve(void *self, double *p, double *r) {
  schur *d = self;
  for (int i = 0; i < d->rows; i++) {
    const int old = dae_la_envelope_old(&d->s, i);
    const double xp = d->block == 2 ? row_times(d, old, p, 2) : row_times(d, old, p, 1);
    d->s.x[i] = xp - r[old];
  }
  substitute(d);
  dae_la_blocks_solve(&d->m, p);
  finish(d, p, r);
}

/* the same for p = 0 */
static void least(void *self, double *r, double *p) {
  schur *d = self;
  for (int i = 0; i < d->rows; i++) d->s.x[i] = -r[dae_la_envelope_old(&d->s, i)];
  substitute(d);
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
