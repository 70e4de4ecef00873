/* the Newton iteration of implicit steps, and its matrix */
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/newton.h"

/* corrections at most where the method does not say: with new matrices as they are needed they
   converge in five or so to rounding, with an old one in three or four to a tolerance */
enum { TIGHT_LIMIT = 25, LOOSE_LIMIT = 10 };
/* to rounding: corrections that fall by less than ten call for a new matrix; with one they are
   rounding below 1e-9, which stiffness may make of it */
static const dae_iteration_rule TIGHT = {
    .enough = 1, .still = 0.1, .floor = 1e-9 / DBL_EPSILON, .slow = 0.1};
/* to a tolerance: the rate that a new matrix is credited with; how much of the last one is
   remembered, as one good correction may be chance; the least and the most that is believed of a
   solution that took one correction, which shows none */
static const double UNKNOWN = 0.3, MEMORY = 0.3, BELIEVED_LEAST = 1e-3, BELIEVED_MOST = 0.9;
/* corrections that grow by more have lost the solution: no matrix from here helps */
static const double LOST = 2;

dae_status dae_step_newton_new(dae_newton *w, dae_pool *pool, int n) {
  w->n = n;
  w->dx = dae_base_doubles(pool, (size_t)n);
  return w->dx ? DAE_OK : DAE_E_MEMORY;
}

static dae_status refactor(dae_newton *w, const double *x) {
  dae_status status = w->factor(w->ctx, x);
  w->factored = status == DAE_OK;
  w->factorizations++;
  return status;
}

/* one correction x := x - J^-1 r(x); size in units */
static dae_status correct(dae_newton *w, double *x, double *size) {
  dae_status status = w->residual(w->ctx, x, w->dx);
  w->residuals++;
  if (status != DAE_OK) return status;
  w->solve(w->ctx, w->dx);
  for (int i = 0; i < w->n; i++) x[i] -= w->dx[i];
  w->iterations++;
  *size = w->size(w->ctx, x, w->dx);
  return isfinite(*size) ? DAE_OK : DAE_E_NEWTON;
}

/* rounding level: the correction is negligible, or it is small and does not shrink although the
   matrix is new; with an old matrix standing still may be slow convergence */
static dae_status iterate_tight(dae_newton *w, double *x) {
  dae_iteration_rule rule = TIGHT;
  rule.limit = w->limit ? w->limit : TIGHT_LIMIT;
  dae_iteration course = dae_base_iteration();
  dae_status status = refactor(w, x);
  for (;;) {
    double size;
    if (status == DAE_OK) status = correct(w, x, &size);
    if (status != DAE_OK) return status;
    dae_progress progress = dae_base_judge(&course, &rule, size, 1);
    if (progress == DAE_CONVERGED) return DAE_OK;
    w->rate = course.rate;
    if (progress == DAE_DIVERGED) return DAE_E_NEWTON;
    rule.floor = progress == DAE_SLOW ? TIGHT.floor : 0;
    if (progress == DAE_SLOW) status = refactor(w, x);
  }
}

/* the error left after a correction of this size is about rate/(1-rate) times it. Before a second
   one the rate is that of an earlier solution: it grows as the matrix gets older, so that after a
   while a second correction has to show it again, and that of a new matrix is not known */
static dae_status iterate_loose(dae_newton *w, double *x) {
  int limit = w->limit ? w->limit : LOOSE_LIMIT;
  double before = 0, size;
  bool fresh = !w->factored;
  if (fresh) w->rate = fmax(w->rate, UNKNOWN);
  dae_status status = fresh ? refactor(w, x) : DAE_OK;
  for (int k = 0; status == DAE_OK && k < limit; k++) {
    status = correct(w, x, &size);
    if (status != DAE_OK) break;
    if (k > 0) w->rate = fmax(MEMORY * w->rate, before > 0 ? size / before : 0);
    w->unseen = k > 0 ? 0 : w->unseen + 1;
    double rate = k > 0 ? w->rate : fmin(BELIEVED_MOST, w->unseen * fmax(w->rate, BELIEVED_LEAST));
    const double left = dae_base_left(rate, 1);
    if (size == 0 || left * size <= 1) return DAE_OK;
    /* not enough progress left in the iterations that remain */
    bool hopeless = k > 0 && dae_base_hopeless(rate, left, size, limit - 2 - k, 1);
    before = size;
    if (!hopeless) continue;
    /* rounding keeps corrections from falling */
    if (fresh && size <= w->noise) return DAE_OK;
    if (rate >= LOST || fresh) return DAE_E_NEWTON;
    fresh = true;
    w->rate = UNKNOWN;
    status = refactor(w, x);
    k = -1;
  }
  return status == DAE_OK ? DAE_E_NEWTON : status;
}

dae_status dae_step_newton(dae_newton *w, double *x) {
  return w->tight ? iterate_tight(w, x) : iterate_loose(w, x);
}

/* ---- the matrix ---- */

dae_status dae_step_matrix_new(dae_step_matrix *m, dae_pool *pool, int n,
                               const dae_pattern *pattern) {
  size_t size = pattern ? (size_t)pattern->start[n] : (size_t)n * (size_t)n;
  *m = (dae_step_matrix){.n = n, .pattern = pattern};
  m->values = dae_base_doubles(pool, size);
  m->row = dae_base_doubles(pool, (size_t)n);
  m->column = dae_base_doubles(pool, (size_t)n);
  m->work = dae_base_doubles(pool, (size_t)n);
  if (pool->failed) return DAE_E_MEMORY;
  dae_status status =
      dae_la_solver_beside(&m->solver, pool, n, pattern, DAE_LA_REAL | DAE_LA_CONDITION, NULL);
  return status == DAE_OK ? dae_la_solver_reserve(m->solver, false) : status;
}

void dae_step_matrix_free(dae_step_matrix *m) { dae_la_solver_free(m->solver); }

/* the power of two next to 1/x */
static double scale_of(double x) {
  int e;
  if (!(x > 0) || !isfinite(x)) return 1;
  frexp(x, &e);
  return ldexp(1, -e);
}

/* entry k of row i: its column and value */
static int entries(const dae_step_matrix *m, int i, int *first) {
  *first = m->pattern ? m->pattern->start[i] : i * m->n;
  return m->pattern ? m->pattern->start[i + 1] - *first : m->n;
}

static void equilibrate(dae_step_matrix *m) {
  memset(m->column, 0, (size_t)m->n * sizeof *m->column);
  for (int i = 0; i < m->n; i++) {
    int first, count = entries(m, i, &first);
    double most = 0;
    for (int k = first; k < first + count; k++) most = fmax(most, fabs(m->values[k]));
    m->row[i] = scale_of(most);
    for (int k = first; k < first + count; k++) {
      int j = m->pattern ? m->pattern->column[k] : k - first;
      m->values[k] *= m->row[i];
      m->column[j] = fmax(m->column[j], fabs(m->values[k]));
    }
  }
  for (int j = 0; j < m->n; j++) m->column[j] = scale_of(m->column[j]);
  for (int i = 0; i < m->n; i++) {
    int first, count = entries(m, i, &first);
    for (int k = first; k < first + count; k++)
      m->values[k] *= m->column[m->pattern ? m->pattern->column[k] : k - first];
  }
}

/* the equation with the largest part in the left null vector, found by one inverse iteration */
static int guilty_row(dae_step_matrix *m) {
  int best = 0;
  for (int i = 0; i < m->n; i++) m->work[i] = 1 + 0.37 * (i % 5);
  dae_la_solver_solve_t(m->solver, m->work);
  for (int i = 1; i < m->n; i++)
    if (!(fabs(m->work[i]) <= fabs(m->work[best]))) best = i;
  return best;
}

dae_status dae_step_matrix_factor(dae_step_matrix *m) {
  equilibrate(m);
  dae_status status = dae_la_solver_factor(m->solver, m->values);
  if (status != DAE_OK) {
    m->culprit = dae_la_solver_culprit(m->solver);
    return status;
  }
  m->rcond = dae_la_solver_rcond(m->solver);
  if (m->rcond > 2 * DBL_EPSILON) return DAE_OK;
  m->culprit = guilty_row(m);
  return DAE_E_SINGULAR;
}

void dae_step_matrix_solve(dae_step_matrix *m, double *b) {
  for (int i = 0; i < m->n; i++) b[i] *= m->row[i];
  dae_la_solver_solve(m->solver, b);
  for (int i = 0; i < m->n; i++) b[i] *= m->column[i];
}
