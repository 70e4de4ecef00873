/* the sparse KKT system with K = G' and diagonal M: S = G M^-1 G' inside its envelope */
#include <math.h>
#include <string.h>

#include "la/envelope.h"
#include "la/kkt.h"
#include "la/order.h"

/* entry slot of S is the sum of g_a g_b / m over its pairs (a, b) of entries of G in one column */
typedef struct schur {
  int n, rows, nonzeros, slots;
  dae_la_mass mass;
  bool mass_ready;
  const dae_pattern *pattern;
  double *scaled;      /* G M^-1 */
  double *reciprocal;  /* 1/M */
  double *top;         /* rows */
  int *slot_start, *pair_a, *pair_b;
  double **slot_at;    /* into the envelope */
  dae_la_envelope s;
} schur;

/* up to this many multiplications per row nothing else is tried; beyond it, up to this many times those
   that KLU expects: it expects pivots on the diagonal, which the zero block of a KKT matrix denies it */
static const double always = 4000, handicap = 30;

/* one row of S: its pairs, sorted by the place of the other row. Returns their number. */
typedef struct pair {
  int place, a, b;
} pair;

static int collect(const schur *d, const int *column_start, const int *column_row, const int *from,
                   int i, pair *list) {
  const dae_pattern *p = d->pattern;
  int r = d->s.order[i], count = 0;
  for (int a = p->start[r]; a < p->start[r + 1]; a++) {
    int j = p->column[a];
    for (int m = column_start[j]; m < column_start[j + 1]; m++) {
      int place = d->s.place[column_row[m]];
      if (place > i) continue;
      int at = count++;
      for (; list && at > 0 && list[at - 1].place > place; at--) list[at] = list[at - 1];
      if (list) list[at] = (pair){place, a, from[m]};
    }
  }
  return count;
}

static dae_status make_pairs(schur *d, dae_pool *pool, const int *column_start,
                             const int *column_row, const int *from) {
  int longest = 0;
  size_t pairs = 0;
  for (int i = 0; i < d->rows; i++) {
    int count = collect(d, column_start, column_row, from, i, NULL);
    pairs += (size_t)count;
    if (count > longest) longest = count;
  }
  /* at most one slot a pair */
  pair *list = dae_base_take(pool, (size_t)longest, sizeof *list);
  d->slot_start = dae_base_ints(pool, pairs + 1);
  d->slot_at = dae_base_take(pool, pairs, sizeof *d->slot_at);
  d->pair_a = dae_base_ints(pool, pairs);
  d->pair_b = dae_base_ints(pool, pairs);
  if (pool->failed) return DAE_E_MEMORY;
  int at = 0;
  for (int i = 0; i < d->rows; i++) {
    int count = collect(d, column_start, column_row, from, i, list);
    for (int k = 0; k < count; k++, at++) {
      int j = list[k].place;
      if (k == 0 || j != list[k - 1].place) {
        d->slot_start[d->slots] = at;
        d->slot_at[d->slots++] =
            j == i ? d->s.diagonal + i : d->s.values + d->s.start[i] + (j - d->s.first[i]);
      }
      d->pair_a[at] = list[k].a;
      d->pair_b[at] = list[k].b;
    }
  }
  d->slot_start[d->slots] = at;
  dae_base_give(pool, list);
  return DAE_OK;
}

dae_status dae_la_kkt_schur_new(void **self, dae_pool *pool, const dae_la_kkt_shape *shape) {
  const dae_pattern *p = shape->pattern;
  size_t n = (size_t)shape->n, rows = (size_t)shape->rows, nonzeros = (size_t)p->start[p->rows];
  *self = NULL;
  schur *d = dae_base_take(pool, 1, sizeof *d);
  int *column_start = dae_base_ints(pool, n + 1), *column_row = dae_base_ints(pool, nonzeros);
  int *from = dae_base_ints(pool, nonzeros);
  if (pool->failed) return DAE_E_MEMORY;
  *d = (schur){.n = shape->n, .rows = shape->rows, .mass = shape->mass, .pattern = p};
  d->nonzeros = (int)nonzeros;
  dae_la_transpose(p, column_start, column_row, from);
  double most = always * (double)rows, expected = 0, work = 0;
  dae_status status = dae_la_envelope_order(&d->s, pool, p, column_start, column_row, &work);
  if (status == DAE_OK && work > most) {
    status = dae_la_kkt_whole_work(pool, shape, &expected);
    if (handicap * expected > most) most = handicap * expected;
  }
  if (status == DAE_OK && work <= most) status = dae_la_envelope_take(&d->s, pool);
  if (status == DAE_OK && work <= most) {
    d->scaled = dae_base_doubles(pool, nonzeros);
    d->reciprocal = dae_base_doubles(pool, n);
    d->top = dae_base_doubles(pool, rows);
    status = make_pairs(d, pool, column_start, column_row, from);
    *self = d;
  }
  dae_base_give(pool, column_start);
  dae_base_give(pool, column_row);
  dae_base_give(pool, from);
  return status;
}

static int factor_mass(schur *d, const double *M) {
  for (int i = 0; i < d->n; i++) {
    double m = d->mass == DAE_LA_DIAGONAL ? M[i] : 1;
    if (!(m > 0)) return i;
    d->reciprocal[i] = 1 / m;
  }
  return -1;
}

static void fill(schur *d, const double *G) {
  const int *column = d->pattern->column;
  for (int k = 0; k < d->nonzeros; k++) d->scaled[k] = G[k] * d->reciprocal[column[k]];
  /* places of the envelope that no pair reaches are zero, but hold the last factors */
  memset(d->s.values, 0, d->s.start[d->rows] * sizeof *d->s.values);
  for (int t = 0; t < d->slots; t++) {
    double sum = 0;
    for (int k = d->slot_start[t]; k < d->slot_start[t + 1]; k++)
      sum += d->scaled[d->pair_a[k]] * G[d->pair_b[k]];
    *d->slot_at[t] = sum;
  }
}

static dae_status factor(void *self, const double *M, const double *G, const double *Kt,
                         bool mass_same, dae_la_kkt_info *info) {
  schur *d = self;
  (void)Kt;
  *info = (dae_la_kkt_info){.rank = d->rows, .row = -1, .rcond = 1, .smallest = 1};
  int bad = mass_same && d->mass_ready ? -1 : factor_mass(d, M);
  d->mass_ready = bad < 0;
  if (bad >= 0) {
    info->mass_singular = true;
    info->row = bad;
    return DAE_E_SINGULAR;
  }
  /* empty rows have no pair, so their diagonal stays zero */
  fill(d, G);
  if (!dae_base_finite(d->s.diagonal, d->rows)) return DAE_E_SINGULAR;
  dae_la_envelope_factor(&d->s, dae_la_kkt_tolerance(d->n), d->top, &info->rcond, &info->smallest,
                         &info->row);
  info->smallest = sqrt(info->smallest);
  info->rank = d->rows - d->s.missing;
  return DAE_OK;
}

static void schur_solve(void *self, double *r) {
  schur *d = self;
  dae_la_envelope_solve(&d->s, r);
}

static void mass_solve(void *self, double *p) {
  const schur *d = self;
  for (int i = 0; i < d->n; i++) p[i] *= d->reciprocal[i];
}

/* S y = G M^-1 p - r, a = M^-1 (p - G' y) */
static void solve(void *self, double *p, double *r) {
  schur *d = self;
  const int *start = d->pattern->start, *column = d->pattern->column;
  for (int i = 0; i < d->rows; i++) {
    double sum = -r[i];
    for (int k = start[i]; k < start[i + 1]; k++) sum += d->scaled[k] * p[column[k]];
    r[i] = sum;
  }
  dae_la_envelope_solve(&d->s, r);
  for (int i = 0; i < d->n; i++) p[i] *= d->reciprocal[i];
  for (int i = 0; i < d->rows; i++)
    for (int k = start[i]; k < start[i + 1]; k++) p[column[k]] -= d->scaled[k] * r[i];
}

const dae_la_kkt_backend dae_la_kkt_schur = {factor, solve, NULL, schur_solve, mass_solve, NULL};
