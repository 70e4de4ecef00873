/*
 * Sparse LU of one pattern: columns in an order with little fill, pivots by threshold, then the
 * same pivots for new numbers while they serve.
 *
 * All memory is taken beforehand (dae_la_sparse_reserve). The first order counts on pivots at
 * expected places; factors that fill much more than it promised are given up, for good, for an
 * order with which any rows may become pivots, and for which a bound is known.
 */
#include <math.h>
#include <string.h>

#include "la/dense/complex_columns.h"
#include "la/sparse/fill.h"
#include "la/sparse/order.h"
#include "la/sparse/sparse.h"

/* a diagonal entry is taken as pivot unless it is so much smaller than the largest: order of the
   columns and pivots then fit together, which saves fill; three digits may be lost to growth */
static const double DIAGONAL_WORTH = 1e-3;
/* kept pivots that lose more digits than that are chosen anew, unless chosen ones have lost nearly
   as many */
static const double LEAST_GROWTH = 1e-3, WORSE_GROWTH = 0.1;
/* half bandwidth up to which a pattern is thin, and from how many unknowns on it is taken along its
   length: neighbours in the matrix are then neighbours in memory */
enum { THIN = 12, LONG = 2000 };
/* of this many columns one with a weak diagonal: pivots will be elsewhere, unless so few operations
   a column are expected that a little fill does not matter */
enum { WEAK_SHARE = 20, FEW_OPERATIONS = 100 };
/* an order has not kept its promise when the factors have so many times the entries */
static const double PROMISE = 1.5;
/* a bound that is so many times what is expected is no guide: growth is left to the day it comes */
static const double BOUND_WORTH = 4;
/* entries that a triangle has room for at least */
enum { FIRST_ROOM = 256 };

/* one triangle, by columns */
typedef struct triangle {
  size_t *start, size; /* size: room for so many entries */
  int *index;
  void *value;
} triangle;

typedef struct factors {
  triangle lower, upper;
  void *diagonal;   /* reciprocals of the pivots */
  double *scale;    /* of the rows */
  int *place;       /* of a row among the pivots */
  const int *order; /* of the columns, when it was factored */
  double growth;    /* least ratio of a column of A to that of U where pivots were chosen */
  bool ready;
} factors;

/* an order of the columns, and the row that is expected as pivot of a column */
typedef struct ordering {
  int *column, *partner;
  dae_la_fill fill;
} ordering;

/* room that factorizations work in, one after the other */
typedef struct workroom {
  void *x;                  /* a column, real or complex */
  int *stack, *seen, stamp; /* of the search for the pattern of a column */
  int *from;                /* where the search of a row goes on */
} workroom;

struct dae_la_sparse {
  dae_pool grown; /* the factors; the owner's pool may move */
  int n, *start, *row;
  ordering expected, anywhere; /* for pivots at their places, and for any */
  const ordering *now;
  bool settled;        /* by numbers, or there is no other */
  size_t lower, upper; /* entries that factors may have in any order; 0: not asked for */
  workroom *work;
  factors real, shifted;
  int culprit;
};

/*
 * The rows that column `column` of A reaches through the columns of L: depth first, so that a row
 * stands before those that it changes. They are left at the end of `stack`; returns how many.
 */
static int reach(dae_la_sparse *s, const factors *f, int column) {
  workroom *w = s->work;
  int n = s->n, top = n;
  w->stamp++;
  for (int k = s->start[column]; k < s->start[column + 1]; k++) {
    if (w->seen[s->row[k]] == w->stamp) continue;
    int depth = 0;
    w->stack[0] = s->row[k];
    w->seen[s->row[k]] = w->stamp;
    w->from[0] = 0;
    while (depth >= 0) {
      int i = w->stack[depth], j = f->place[i], next = -1;
      size_t at = j < 0 ? 0 : f->lower.start[j] + (size_t)w->from[depth];
      for (; j >= 0 && next < 0 && at < f->lower.start[j + 1]; at++)
        if (w->seen[f->lower.index[at]] != w->stamp) next = f->lower.index[at];
      if (next < 0) {
        depth--;
        w->stack[--top] = i;
        continue;
      }
      w->from[depth] = (int)(at - f->lower.start[j]);
      w->stack[++depth] = next;
      w->seen[next] = w->stamp;
      w->from[depth] = 0;
    }
  }
  return n - top;
}

static bool grow(dae_pool *pool, triangle *t, size_t wanted, size_t bytes) {
  if (wanted <= t->size) return true;
  size_t size = wanted + wanted / 2 + FIRST_ROOM;
  t->index = dae_base_regrow(pool, t->index, t->size, size, sizeof *t->index);
  t->value = dae_base_regrow(pool, t->value, t->size, size, bytes);
  t->size = t->index && t->value ? size : 0;
  return t->size > 0;
}

/* do L and U have many more entries than this order has promised? */
static bool promise_broken(const dae_la_sparse *s, const factors *f, int k, int count) {
  double entries = (double)f->lower.start[k] + (double)f->upper.start[k] + count;
  return s->now == &s->expected && s->anywhere.column && s->expected.fill.entries > 0 &&
         entries > PROMISE * s->expected.fill.entries + FIRST_ROOM;
}

/* column k may have `count` entries in L and in U */
static bool room_for_column(dae_la_sparse *s, factors *f, int k, int count, size_t bytes) {
  return grow(&s->grown, &f->lower, f->lower.start[k] + (size_t)count, bytes) &&
         grow(&s->grown, &f->upper, f->upper.start[k] + (size_t)count, bytes);
}

/* all rows have their places now: L speaks of places too */
static void finish(const dae_la_sparse *s, factors *f) {
  for (size_t k = 0; k < f->lower.start[s->n]; k++) f->lower.index[k] = f->place[f->lower.index[k]];
  f->ready = true;
}

#define number double
#define NAME(x) real_##x
#define number_times(a, b) ((a) * (b))
#define number_reciprocal(a) (1 / (a))
#define number_size(a) fabs(a)
#include "la/sparse/eliminate.h"
#undef number
#undef NAME
#undef number_times
#undef number_reciprocal
#undef number_size

#define number pair
#define NAME(x) complex_##x
#define number_times complex_product
#define number_reciprocal complex_reciprocal
#define number_size size1
#include "la/sparse/eliminate.h"

/* the order along a thin pattern; false when it is not thin, or without memory */
static bool order_thin(dae_la_sparse *s) {
  dae_pool own;
  dae_base_pool_init(&own, &s->grown.allocator);
  int band = dae_la_order_square(&own, s->n, s->start, s->row, s->expected.column);
  for (int j = 0; j < s->n; j++) s->expected.partner[j] = j;
  dae_base_pool_free(&own);
  return band <= THIN;
}

static void take_factors(factors *f, dae_pool *pool, int n, size_t bytes) {
  f->lower.start = dae_base_data(pool, (size_t)n + 1, sizeof *f->lower.start);
  f->upper.start = dae_base_data(pool, (size_t)n + 1, sizeof *f->upper.start);
  f->diagonal = dae_base_data(pool, (size_t)n, bytes);
  f->scale = dae_base_doubles(pool, (size_t)n);
  f->place = dae_base_ints(pool, (size_t)n);
  void *moving[] = {&f->lower.index, &f->lower.value, &f->upper.index, &f->upper.value, &f->order};
  for (size_t i = 0; i < sizeof moving / sizeof *moving; i++) dae_base_moving(pool, moving[i], 1);
}

static void take_ordering(ordering *o, dae_pool *pool, int n) {
  o->column = dae_base_ints(pool, (size_t)n);
  o->partner = dae_base_ints(pool, (size_t)n);
}

/* with the factors it may have, and no order yet */
static dae_la_sparse *take_object(dae_pool *pool, int n, int *start, int *row, unsigned numbers) {
  dae_la_sparse *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return NULL;
  *s = (dae_la_sparse){.n = n, .start = start, .row = row, .culprit = -1, .now = &s->expected};
  dae_base_pool_init(&s->grown, &pool->allocator);
  dae_base_growing(pool, &s->grown);
  dae_base_moving(pool, &s->now, 1);
  if (numbers & DAE_LA_REAL) take_factors(&s->real, pool, n, sizeof(double));
  if (numbers & DAE_LA_COMPLEX) take_factors(&s->shifted, pool, n, sizeof(pair));
  return s;
}

static workroom *take_workroom(dae_pool *pool, int n) {
  workroom *w = dae_base_take(pool, 1, sizeof *w);
  if (!w) return NULL;
  w->stack = dae_base_ints(pool, (size_t)n);
  w->seen = dae_base_ints(pool, (size_t)n);
  w->from = dae_base_ints(pool, (size_t)n);
  w->x = dae_base_data(pool, (size_t)n, sizeof(pair));
  return w;
}

dae_status dae_la_sparse_new(dae_la_sparse **out, dae_pool *pool, int n, int *start, int *row,
                             unsigned numbers) {
  *out = NULL;
  dae_la_sparse *s = take_object(pool, n, start, row, numbers);
  if (!s) return DAE_E_MEMORY;
  take_ordering(&s->expected, pool, n);
  s->work = take_workroom(pool, n);
  if (pool->failed) return DAE_E_MEMORY;
  s->settled = n == 0 || (n >= LONG && order_thin(s));
  dae_status status = DAE_OK;
  if (!s->settled) {
    take_ordering(&s->anywhere, pool, n);
    if (pool->failed) return DAE_E_MEMORY;
    const dae_allocator *a = &pool->allocator;
    ordering *e = &s->expected, *other = &s->anywhere;
    status = dae_la_fill_order(a, n, start, row, false, e->column, e->partner, &e->fill);
    if (status == DAE_OK)
      status =
          dae_la_fill_order(a, n, start, row, true, other->column, other->partner, &other->fill);
  }
  if (status == DAE_OK) *out = s;
  return status;
}

dae_status dae_la_sparse_beside(dae_la_sparse **out, dae_pool *pool, const dae_la_sparse *other,
                                unsigned numbers) {
  dae_la_sparse *s = take_object(pool, other->n, other->start, other->row, numbers);
  *out = s;
  if (!s) return DAE_E_MEMORY;
  s->expected = other->expected;
  s->anywhere = other->anywhere;
  /* without another order nothing is left to numbers */
  s->settled = !other->anywhere.column;
  s->lower = other->lower;
  s->upper = other->upper;
  s->work = other->work;
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

void dae_la_sparse_free(dae_la_sparse *s) {
  if (s) dae_base_pool_free(&s->grown);
}

/* room for factors in every order that may be used */
dae_status dae_la_sparse_reserve(dae_la_sparse *s, bool imaginary) {
  factors *f = imaginary ? &s->shifted : &s->real;
  size_t bytes = imaginary ? sizeof(pair) : sizeof(double), n = (size_t)s->n;
  double promised = s->expected.fill.entries;
  if (s->n == 0) return DAE_OK;
  /* a thin band is one however rows are exchanged; each entry of L may be in any column of it */
  size_t most = promised > 0 ? (size_t)(PROMISE * promised) + FIRST_ROOM + n : 4 * THIN * n;
  size_t limit = (size_t)(BOUND_WORTH * (double)most);
  const int *order = s->anywhere.column ? s->anywhere.column : s->expected.column;
  if (s->lower == 0) {
    dae_status status = dae_la_fill_most(&s->grown.allocator, s->n, s->start, s->row, order, limit,
                                         &s->lower, &s->upper);
    if (status == DAE_E_LIMIT) s->lower = s->upper = most;
    else if (status != DAE_OK) return status;
  }
  const size_t lower = s->lower, upper = s->upper;
  /* a column has room for all that it reaches in either triangle before it is known which is
     where */
  bool done = grow(&s->grown, &f->lower, (lower > most ? lower : most) + n, bytes) &&
              grow(&s->grown, &f->upper, (upper > most ? upper : most) + n, bytes);
  return done ? DAE_OK : DAE_E_MEMORY;
}

/* how many columns have a weak entry where the pivot is expected; a complex number has 2 parts */
static int weak_columns(const dae_la_sparse *s, const double *values, int parts) {
  int weak = 0;
  for (int j = 0; j < s->n; j++) {
    double top = 0, diagonal = 0;
    for (int k = s->start[j]; k < s->start[j + 1]; k++) {
      double size = fabs(values[parts * k]) + (parts == 2 ? fabs(values[2 * k + 1]) : 0);
      top = fmax(top, size);
      if (s->row[k] == j) diagonal = size;
    }
    weak += diagonal < DIAGONAL_WORTH * top;
  }
  return weak;
}

/* the first numbers settle the order: where many diagonals are weak, as in every KKT matrix, pivots
   will be anywhere, and the order must not count on the diagonal */
static void settle_order(dae_la_sparse *s, const double *values, int parts) {
  if (s->settled) return;
  s->settled = true;
  if (s->expected.fill.flops > (double)FEW_OPERATIONS * s->n &&
      weak_columns(s, values, parts) > s->n / WEAK_SHARE)
    s->now = &s->anywhere;
}

dae_status dae_la_sparse_factor(dae_la_sparse *s, double *values) {
  settle_order(s, values, 1);
  return real_factor(s, &s->real, values);
}

dae_status dae_la_sparse_factor_complex(dae_la_sparse *s, double complex *values) {
  settle_order(s, (const double *)values, 2);
  return complex_factor(s, &s->shifted, (const pair *)values);
}

void dae_la_sparse_solve(const dae_la_sparse *s, double *b) {
  if (s->real.ready) real_solve(s, &s->real, b);
}

void dae_la_sparse_solve_complex(const dae_la_sparse *s, double complex *b) {
  if (s->shifted.ready) complex_solve(s, &s->shifted, (pair *)b);
}

/* b := R P' L^-T U^-T Q' b */
void dae_la_sparse_solve_t(const dae_la_sparse *s, double *b) {
  const factors *f = &s->real;
  const double *l = f->lower.value, *u = f->upper.value, *d = f->diagonal;
  double *x = s->work->x;
  if (!f->ready) return;
  for (int k = 0; k < s->n; k++) {
    double sum = b[f->order[k]];
    for (size_t m = f->upper.start[k]; m < f->upper.start[k + 1]; m++)
      sum -= u[m] * x[f->upper.index[m]];
    x[k] = sum * d[k];
  }
  for (int k = s->n - 1; k >= 0; k--)
    for (size_t m = f->lower.start[k]; m < f->lower.start[k + 1]; m++)
      x[k] -= l[m] * x[f->lower.index[m]];
  for (int i = 0; i < s->n; i++) b[i] = x[f->place[i]] * f->scale[i];
}

int dae_la_sparse_culprit(const dae_la_sparse *s) { return s->culprit; }

double dae_la_sparse_flops(const dae_la_sparse *s) { return s->expected.fill.flops; }
