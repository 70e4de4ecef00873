/* sparse LU of one pattern, real and complex, by KLU: analyse once, factor once, then refactor */
#include "la/sparse/sparse.h"
#include "la/sparse/order.h"

#include <math.h>

#include <klu.h>

struct dae_la_sparse {
  int n, *start, *row;
  klu_common *common; /* behind a pointer: KLU writes to it even when it only solves */
  klu_symbolic *symbolic;
  klu_numeric *real, *shifted; /* of the real and of the complex matrix */
  bool ordered;                /* the order of the columns is settled */
  double rcond[2];             /* of the last real and complex factors that chose their pivots */
  int kept[2];                 /* refactorizations since their growth was looked at */
  int culprit;
};

/* refactoring keeps the old pivots; when 1/growth falls below this, 3 digits are lost and the
   pivots are chosen again. Looking costs nearly half a refactorization, so it is done when the
   diagonal of U changed by this factor, and every so often. */
static const double least_growth = 1e-3, same_rcond = 0.1;
enum { LOOK_EVERY = 8 };

/* half bandwidth up to which a pattern is thin, and from how many unknowns on that is of
   interest */
enum { THIN = 12, LONG = 2000 };

/*
 * Long and thin patterns, as of chains, are taken in the order along them: fill is as small as
 * AMD's, and neighbours in the matrix are neighbours in memory, which counts as soon as the factors
 * leave the cache. Returns NULL when the pattern is not thin, or without memory for the order.
 */
static klu_symbolic *analyze_thin(dae_la_sparse *k, const dae_pool *pool) {
  dae_pool own;
  dae_base_pool_init(&own, &pool->allocator);
  int *order = dae_base_ints(&own, (size_t)k->n);
  klu_symbolic *symbolic = NULL;
  if (order && dae_la_order_square(&own, k->n, k->start, k->row, order) <= THIN) {
    k->common->btf = 0;
    symbolic = klu_analyze_given(k->n, k->start, k->row, order, order, k->common);
  }
  dae_base_pool_free(&own);
  return symbolic;
}

dae_status dae_la_sparse_new(dae_la_sparse **out, dae_pool *pool, int n, int *start, int *row) {
  dae_la_sparse *k = dae_base_take(pool, 1, sizeof *k);
  klu_common *common = dae_base_take(pool, 1, sizeof *common);
  *out = NULL;
  if (!k || !common) return DAE_E_MEMORY;
  *k = (dae_la_sparse){.n = n, .start = start, .row = row, .common = common, .culprit = -1};
  klu_defaults(common);
  if (n > 0) {
    if (n >= LONG) k->symbolic = analyze_thin(k, pool);
    k->ordered = k->symbolic != NULL;
    if (!k->symbolic) k->symbolic = klu_analyze(n, start, row, common);
    if (!k->symbolic) return common->status == KLU_OUT_OF_MEMORY ? DAE_E_MEMORY : DAE_E_INPUT;
  }
  *out = k;
  return DAE_OK;
}

void dae_la_sparse_free(dae_la_sparse *k) {
  if (!k) return;
  klu_free_numeric(&k->real, k->common);
  klu_z_free_numeric(&k->shifted, k->common);
  klu_free_symbolic(&k->symbolic, k->common);
}

/* what a full factorization says */
static dae_status verdict(dae_la_sparse *k, const klu_numeric *numeric) {
  const klu_common *c = k->common;
  k->culprit = -1;
  if (numeric && c->status == KLU_OK) return DAE_OK;
  if (c->status == KLU_OUT_OF_MEMORY || c->status == KLU_TOO_LARGE) return DAE_E_MEMORY;
  if (c->singular_col >= 0 && c->singular_col < k->n) k->culprit = c->singular_col;
  return DAE_E_SINGULAR;
}

/* KLU takes the diagonal as pivot unless it is 1000 times smaller than its column: how often it
   cannot. A complex number has 2 parts. */
static int weak_columns(const dae_la_sparse *k, const double *values, int parts) {
  int weak = 0;
  for (int j = 0; j < k->n; j++) {
    double top = 0, diagonal = 0;
    for (int e = k->start[j]; e < k->start[j + 1]; e++) {
      double size = fabs(values[parts * e]) + (parts == 2 ? fabs(values[2 * e + 1]) : 0);
      if (size > top) top = size;
      if (k->row[e] == j) diagonal = size;
    }
    weak += diagonal < 1e-3 * top;
  }
  return weak;
}

static klu_numeric *factor_full(dae_la_sparse *k, klu_symbolic *symbolic, double *values,
                                int parts) {
  if (parts == 2) return klu_z_factor(k->start, k->row, values, symbolic, k->common);
  return klu_factor(k->start, k->row, values, symbolic, k->common);
}

/* factors with the other order, COLAMD's, and keeps the sparser result; numeric may be NULL */
static klu_numeric *try_other_order(dae_la_sparse *k, klu_numeric *numeric, double *values,
                                    int parts) {
  klu_common *c = k->common;
  c->ordering = 1;
  klu_symbolic *symbolic = klu_analyze(k->n, k->start, k->row, c);
  klu_numeric *other = symbolic ? factor_full(k, symbolic, values, parts) : NULL;
  c->ordering = 0;
  int status = numeric ? KLU_OK : c->status, column = c->singular_col;
  if (!numeric || (other && other->lnz + other->unz < numeric->lnz + numeric->unz)) {
    klu_numeric *worse = numeric;
    numeric = other, other = worse;
    klu_symbolic *old = k->symbolic;
    if (symbolic) k->symbolic = symbolic, symbolic = old;
  }
  klu_free_numeric(&other, c);
  klu_free_symbolic(&symbolic, c);
  /* giving back memory also sets the status */
  c->status = status;
  c->singular_col = column;
  return numeric;
}

/*
 * The first factorization settles the order of the columns. AMD's is the best one while pivots stay
 * on the diagonal; zeros there, as in every KKT matrix, can fill the factors a hundredfold, where
 * COLAMD, which counts on any pivot, stays calm. So: COLAMD alone when diagonals are weak and the
 * work is large, else AMD, and COLAMD too when AMD did not keep its promise.
 */
static klu_numeric *factor_first(dae_la_sparse *k, double *values, int parts) {
  const klu_symbolic *y = k->symbolic;
  k->ordered = true;
  if (weak_columns(k, values, parts) > k->n / 20 && y->est_flops > 100.0 * k->n)
    return try_other_order(k, NULL, values, parts);
  klu_numeric *numeric = factor_full(k, k->symbolic, values, parts);
  if (!numeric || numeric->lnz + numeric->unz <= 1.5 * (y->lnz + y->unz)) return numeric;
  return try_other_order(k, numeric, values, parts);
}

/* are the old pivots still good for the new numbers? */
static bool pivots_hold(dae_la_sparse *k, klu_numeric *numeric, double *values, int parts) {
  klu_common *c = k->common;
  const double *old = &k->rcond[parts - 1];
  int *kept = &k->kept[parts - 1];
  if (parts == 2) klu_z_rcond(k->symbolic, numeric, c);
  else klu_rcond(k->symbolic, numeric, c);
  bool like = c->rcond > same_rcond * *old && c->rcond * same_rcond < *old;
  if (like && ++*kept < LOOK_EVERY) return true;
  *kept = 0;
  int done = parts == 2 ? klu_z_rgrowth(k->start, k->row, values, k->symbolic, numeric, c)
                        : klu_rgrowth(k->start, k->row, values, k->symbolic, numeric, c);
  return done && c->rgrowth > least_growth;
}

static dae_status factor(dae_la_sparse *k, klu_numeric **numeric, double *values, int parts) {
  klu_common *c = k->common;
  if (k->n == 0) return DAE_OK;
  if (*numeric) {
    int done = parts == 2 ? klu_z_refactor(k->start, k->row, values, k->symbolic, *numeric, c)
                          : klu_refactor(k->start, k->row, values, k->symbolic, *numeric, c);
    if (done && c->status == KLU_OK && pivots_hold(k, *numeric, values, parts)) return DAE_OK;
    klu_free_numeric(numeric, c);
  }
  *numeric =
      k->ordered ? factor_full(k, k->symbolic, values, parts) : factor_first(k, values, parts);
  dae_status status = verdict(k, *numeric);
  if (status != DAE_OK) return status;
  if (parts == 2) klu_z_rcond(k->symbolic, *numeric, c);
  else klu_rcond(k->symbolic, *numeric, c);
  k->rcond[parts - 1] = c->rcond;
  k->kept[parts - 1] = 0;
  return DAE_OK;
}

dae_status dae_la_sparse_factor(dae_la_sparse *k, double *values) {
  return factor(k, &k->real, values, 1);
}

dae_status dae_la_sparse_factor_complex(dae_la_sparse *k, double complex *values) {
  return factor(k, &k->shifted, (double *)values, 2);
}

void dae_la_sparse_solve(const dae_la_sparse *k, double *b) {
  if (k->n > 0 && k->real) klu_solve(k->symbolic, k->real, k->n, 1, b, k->common);
}

void dae_la_sparse_solve_t(const dae_la_sparse *k, double *b) {
  if (k->n > 0 && k->real) klu_tsolve(k->symbolic, k->real, k->n, 1, b, k->common);
}

void dae_la_sparse_solve_complex(const dae_la_sparse *k, double complex *b) {
  if (k->n > 0 && k->shifted) klu_z_solve(k->symbolic, k->shifted, k->n, 1, (double *)b, k->common);
}

int dae_la_sparse_culprit(const dae_la_sparse *k) { return k->culprit; }

double dae_la_sparse_flops(const dae_la_sparse *k) {
  return k->symbolic ? k->symbolic->est_flops : 0;
}

dae_status dae_la_sparse_order(const dae_allocator *allocator, int n, int *start, int *row,
                               int *order) {
  (void)allocator; /* KLU has its own */
  klu_common common;
  klu_defaults(&common);
  common.btf = 0;
  klu_symbolic *symbolic = klu_analyze(n, start, row, &common);
  if (!symbolic) return common.status == KLU_OUT_OF_MEMORY ? DAE_E_MEMORY : DAE_E_INPUT;
  for (int i = 0; i < n; i++) order[i] = symbolic->Q[i];
  klu_free_symbolic(&symbolic, &common);
  return DAE_OK;
}
