/* one square system, dense or sparse, factored often */
#include <math.h>
#include <string.h>

#include "la/sparse/band.h"
#include "la/sparse/sparse.h"
#include "la/la.h"
#include "la/sparse/order.h"
#include <daedal/extend.h>

struct dae_la_solver {
  int n;
  double *work;                 /* 2n, and n for solutions with a band */
  double complex *complex_work; /* n, dense */
  int culprit;
  bool condition; /* is asked for */
  double norm;    /* |A|_1 of the last real matrix, for that */

  /* dense */
  double *lu;
  double complex *complex_lu;
  int *pivot, *complex_pivot;
  dae_la_band *band; /* NULL: never */
  /* it holds the last matrix of this kind: one of the other kind is then taken for full */
  bool banded, complex_banded;

  /* sparse: the pattern by columns; entry k of the columns is entry from[k] of the rows */
  dae_la_sparse *sparse;
  int nonzeros, *start, *row, *from;
  double *values;
  double complex *complex_values;

  /* the user's */
  const dae_own_linear *own;
  const dae_pattern *pattern;
  void *self; /* real or complex */
};

static void take_dense(dae_la_solver *s, dae_pool *pool, unsigned numbers) {
  const size_t n = (size_t)s->n, square = n * n;
  if (numbers & DAE_LA_REAL) {
    s->lu = dae_base_doubles(pool, square);
    s->pivot = dae_base_ints(pool, n);
  }
  if (numbers & DAE_LA_COMPLEX) {
    s->complex_lu = dae_base_data(pool, square, sizeof(double complex));
    s->complex_pivot = dae_base_ints(pool, n);
    s->complex_work = dae_base_data(pool, n, sizeof(double complex));
  }
  s->band = dae_la_band_new(pool, s->n);
}

static dae_status take_sparse(dae_la_solver *s, dae_pool *pool, unsigned numbers,
                              const dae_la_solver *beside) {
  const dae_pattern *p = s->pattern;
  const size_t count = (size_t)p->start[s->n];
  s->nonzeros = p->start[s->n];
  s->start = beside ? beside->start : dae_base_ints(pool, (size_t)s->n + 1);
  s->row = beside ? beside->row : dae_base_ints(pool, count);
  s->from = beside ? beside->from : dae_base_ints(pool, count);
  s->values = beside ? beside->values : NULL;
  s->complex_values = beside ? beside->complex_values : NULL;
  if (numbers & DAE_LA_REAL && !s->values) s->values = dae_base_doubles(pool, count);
  if (numbers & DAE_LA_COMPLEX && !s->complex_values)
    s->complex_values = dae_base_data(pool, count, sizeof(double complex));
  if (pool->failed) return DAE_E_MEMORY;
  if (beside) return dae_la_sparse_beside(&s->sparse, pool, beside->sparse, numbers);
  dae_la_transpose(p, s->start, s->row, s->from);
  return dae_la_sparse_new(&s->sparse, pool, s->n, s->start, s->row, numbers);
}

dae_status dae_la_solver_new(dae_la_solver **out, dae_pool *pool, int n,
                             const dae_pattern *pattern) {
  const unsigned numbers = DAE_LA_REAL | DAE_LA_COMPLEX | DAE_LA_CONDITION;
  return dae_la_solver_beside(out, pool, n, pattern, numbers, NULL);
}

dae_status dae_la_solver_beside(dae_la_solver **out, dae_pool *pool, int n,
                                const dae_pattern *pattern, unsigned numbers,
                                const dae_la_solver *beside) {
  *out = NULL;
  if (n < 0 || (pattern && (pattern->rows != n || pattern->cols != n))) return DAE_E_INPUT;
  dae_la_solver *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  s->n = n;
  s->pattern = pattern;
  s->culprit = -1;
  s->condition = numbers & DAE_LA_CONDITION;
  s->work = beside ? beside->work : dae_base_doubles(pool, 3 * (size_t)n);
  dae_status status = DAE_OK;
  if (pattern) status = take_sparse(s, pool, numbers, beside);
  else take_dense(s, pool, numbers);
  if (pool->failed) status = DAE_E_MEMORY;
  if (status == DAE_OK) *out = s;
  return status;
}

dae_status dae_la_solver_reserve(dae_la_solver *s, bool imaginary) {
  return s->sparse ? dae_la_sparse_reserve(s->sparse, imaginary) : DAE_OK;
}

dae_status dae_la_solver_own(dae_la_solver *s, const dae_own_linear *own, bool imaginary) {
  if (!own) return DAE_OK;
  s->self = own->make(s->n, s->pattern, imaginary, own->ctx);
  s->own = own;
  return s->self ? DAE_OK : DAE_E_MEMORY;
}

void dae_la_solver_free(dae_la_solver *s) {
  if (!s) return;
  dae_la_sparse_free(s->sparse);
  if (s->self) s->own->drop(s->self);
}

/* keep |A|_1 for the condition, which may be asked for when A itself is gone */
static double norm1_dense(int n, const double *A, double *sum) {
  memset(sum, 0, (size_t)n * sizeof *sum);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum[j] += fabs(A[(size_t)i * n + j]);
  return dae_la_norm_max(n, sum);
}

static double norm1_sparse(const dae_la_solver *s) {
  double top = 0;
  for (int j = 0; j < s->n; j++) {
    double sum = 0;
    for (int k = s->start[j]; k < s->start[j + 1]; k++) sum += fabs(s->values[k]);
    if (!(sum <= top)) top = sum;
    if (isnan(top)) break;
  }
  return top;
}

/* a zero pivot, or numbers that are none: nothing may be solved with that */
static dae_status refuse(dae_la_solver *s, int culprit) {
  s->culprit = culprit;
  return DAE_E_SINGULAR;
}

/* parts: 2 for complex numbers */
static dae_status factor_own(dae_la_solver *s, const double *values, int parts) {
  int entries = s->pattern ? s->nonzeros : s->n * s->n;
  if (!dae_base_finite(values, parts * entries)) return refuse(s, -1);
  int bad = s->own->factor(s->self, values);
  return bad == 0 ? DAE_OK : refuse(s, bad > 0 && bad <= s->n ? bad - 1 : -1);
}

dae_status dae_la_solver_factor(dae_la_solver *s, const double *values) {
  s->culprit = -1;
  if (s->own) return factor_own(s, values, 1);
  if (s->sparse) {
    for (int k = 0; k < s->nonzeros; k++) s->values[k] = values[s->from[k]];
    s->norm = norm1_sparse(s);
    if (!isfinite(s->norm)) return refuse(s, -1);
    dae_status status = dae_la_sparse_factor(s->sparse, s->values);
    s->culprit = dae_la_sparse_culprit(s->sparse);
    return status;
  }
  if (!dae_base_finite(values, s->n * s->n)) return refuse(s, -1);
  if (s->condition) s->norm = norm1_dense(s->n, values, s->work);
  if (s->condition && !isfinite(s->norm)) return refuse(s, -1);
  int bad;
  s->banded = s->band && !s->complex_banded && dae_la_band_fits(s->band, values, 1);
  if (s->banded) bad = dae_la_band_factor(s->band, values, s->lu, s->pivot);
  else {
    memcpy(s->lu, values, (size_t)s->n * (size_t)s->n * sizeof *values);
    bad = dae_la_lu(s->n, s->lu, s->pivot);
  }
  return bad ? refuse(s, bad - 1) : DAE_OK;
}

void dae_la_solver_solve(const dae_la_solver *s, double *b) {
  if (s->own) s->own->solve(s->self, b);
  else if (s->sparse) dae_la_sparse_solve(s->sparse, b);
  else if (s->banded) dae_la_band_solve(s->band, s->lu, s->pivot, b, s->work + 2 * (size_t)s->n);
  else if (s->lu) dae_la_lu_solve(s->n, s->lu, s->pivot, b);
}

void dae_la_solver_solve_t(const dae_la_solver *s, double *b) {
  if (s->sparse) dae_la_sparse_solve_t(s->sparse, b);
  else if (s->banded) dae_la_band_solve_t(s->band, s->lu, s->pivot, b, s->work + 2 * (size_t)s->n);
  else dae_la_lu_solve_t(s->n, s->lu, s->pivot, b);
}

dae_status dae_la_solver_factor_complex(dae_la_solver *s, const double complex *values) {
  s->culprit = -1;
  if (s->own) return factor_own(s, (const double *)values, 2);
  if (s->sparse) {
    for (int k = 0; k < s->nonzeros; k++) s->complex_values[k] = values[s->from[k]];
    if (!dae_base_finite((const double *)s->complex_values, 2 * s->nonzeros)) return refuse(s, -1);
    dae_status status = dae_la_sparse_factor_complex(s->sparse, s->complex_values);
    s->culprit = dae_la_sparse_culprit(s->sparse);
    return status;
  }
  if (!dae_base_finite((const double *)values, 2 * s->n * s->n)) return refuse(s, -1);
  int bad;
  s->complex_banded = s->band && !s->banded && dae_la_band_fits(s->band, (const double *)values, 2);
  if (s->complex_banded)
    bad = dae_la_band_factor_complex(s->band, values, s->complex_lu, s->complex_pivot);
  else {
    memcpy(s->complex_lu, values, (size_t)s->n * (size_t)s->n * sizeof *values);
    bad = dae_la_lu_complex(s->n, s->complex_lu, s->complex_pivot);
  }
  return bad ? refuse(s, bad - 1) : DAE_OK;
}

void dae_la_solver_solve_complex(const dae_la_solver *s, double complex *b) {
  if (s->own) s->own->solve(s->self, (double *)b);
  else if (s->sparse) dae_la_sparse_solve_complex(s->sparse, b);
  else if (s->complex_banded)
    dae_la_band_solve_complex(s->band, s->complex_lu, s->complex_pivot, b, s->complex_work);
  else dae_la_lu_complex_solve(s->n, s->complex_lu, s->complex_pivot, b);
}

int dae_la_solver_culprit(const dae_la_solver *s) { return s->culprit; }

static void apply(const void *ctx, double *b) { dae_la_solver_solve(ctx, b); }

static void apply_t(const void *ctx, double *b) { dae_la_solver_solve_t(ctx, b); }

double dae_la_solver_rcond(dae_la_solver *s) {
  /* the user's solver is not asked for its condition */
  if (s->n == 0 || s->own) return 1;
  double product = s->norm * dae_la_inverse_norm1(s->n, apply, apply_t, s, s->work);
  return product > 0 && isfinite(product) ? 1 / product : 0;
}
