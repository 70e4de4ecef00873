/* consistent values of 0 = F(t,x,x') for a known index */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/implicit.h"

/* what is differential is to change little where all of x may */
static const double RELUCTANT = 1e-4;

/* dense matrices for the time of a call */
typedef struct room {
  dae_pool pool;
  double *E, *Q, *S, *weight, *tau, *work, *c; /* n x n thrice, n, n, 4 n, n */
  double *unit;                                /* n: rows of E were divided by it */
  int *perm;
  int free; /* columns of Q */
} room;

static dae_status take(room *m, dae_solver *s) {
  const size_t n = (size_t)s->sys->nz;
  dae_base_pool_init(&m->pool, &s->sys->passing);
  m->E = dae_base_doubles(&m->pool, n * n);
  m->Q = dae_base_doubles(&m->pool, n * n);
  m->S = dae_base_doubles(&m->pool, n * n);
  m->weight = dae_base_doubles(&m->pool, 8 * n);
  m->perm = dae_base_ints(&m->pool, n);
  if (m->pool.failed) return DAE_E_MEMORY;
  m->tau = m->weight + n, m->work = m->tau + n, m->c = m->work + 4 * n, m->unit = m->c + n;
  return DAE_OK;
}

/* E at (z, dz) in units of the variables, rows of size 1, and its factors */
static dae_status factor_E(dae_solver *s, room *m) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  const size_t of_n = (size_t)n;
  dae_status status = dae_residual_matrices(w->r, s->t, s->z, s->dz, DAE_FOR_RANK, w->values,
                                            w->values + w->r->size);
  if (status != DAE_OK) return status;
  memset(m->E, 0, of_n * of_n * sizeof *m->E);
  for (int i = 0; i < n; i++) {
    double *row = m->E + (size_t)i * of_n, most;
    for (int k = dae_residual_row(w->r, i); k < dae_residual_row(w->r, i + 1); k++) {
      int j = dae_residual_column(w->r, i, k);
      row[j] = w->values[k] * w->X[j];
    }
    most = dae_la_norm2(n, row);
    m->unit[i] = most > 0 ? most : 1;
    for (int j = 0; j < n; j++) row[j] /= m->unit[i];
  }
  for (int i = 0; i < n; i++) m->perm[i] = i;
  if (w->found.rank > 0) dae_la_qr_rank(n, n, m->E, 0, m->perm, m->tau, m->work);
  return DAE_OK;
}

/* Q := unit columns for whatever is not held */
static void free_columns(room *m, int n, const unsigned char *held) {
  m->free = 0;
  for (int j = 0; j < n; j++) m->free += !held[j];
  for (int j = 0, c = 0; j < n; j++)
    if (!held[j]) {
      m->Q[(size_t)j * (size_t)m->free + (size_t)c] = 1;
      m->weight[c++] = 1;
    }
}

/* Q := the null space of E; all: and what is orthogonal to it, which is to change little */
static void null_columns(room *m, int n, int rank, bool all) {
  const int first = all ? 0 : rank;
  m->free = n - first;
  for (int c = first; c < n; c++) {
    memset(m->c, 0, (size_t)n * sizeof *m->c);
    m->c[c] = 1;
    dae_la_qr_apply(n, rank, m->E, m->tau, m->c);
    for (int j = 0; j < n; j++) m->Q[(size_t)j * (size_t)m->free + (size_t)(c - first)] = m->c[j];
    m->weight[c - first] = c < rank ? RELUCTANT : 1;
  }
}

/* why there are no consistent values */
static dae_status explain(dae_solver *s, const dae_solved *found, int level, bool held) {
  static const char *const order[] = {"", "the time derivative of ",
                                      "the second time derivative of ",
                                      "the third time derivative of "};
  dae_problem_equation_name(s->p, found->row, s->report.equation, DAE_NAME_MAX);
  s->report.residual = found->residual;
  return dae_drive_report(
      s, DAE_E_INCONSISTENT, "no consistent values near the initial ones%s: %s%s is off by %.3g",
      held ? " with the fixed values held" : "", order[level], s->report.equation, found->residual);
}

static bool any(const unsigned char *flags, int n) {
  for (int i = 0; flags && i < n; i++)
    if (flags[i]) return true;
  return false;
}

/* rate := d/ds F(t + s, x + s x', x') at s = 0, from values ahead; of_t: F_t alone */
static dae_status total_rate(dae_solver *s, double length, bool of_t, double *rate) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n, nodes = DAE_STAIRS_NODES;
  double weight[DAE_STAIRS_NODES * DAE_STAIRS_NODES], *x = w->x, *F = w->dx;
  dae_status status = DAE_OK;
  dae_problem_node_weights(nodes, weight);
  memset(rate, 0, (size_t)n * sizeof *rate);
  for (int k = 0; k < nodes && status == DAE_OK; k++) {
    const double ahead = length * k / (nodes - 1);
    for (int j = 0; j < n; j++) x[j] = s->z[j] + (of_t ? 0 : ahead * s->dz[j]);
    status = dae_residual_value(w->r, s->t + ahead, x, s->dz, F);
    for (int i = 0; i < n; i++) rate[i] += weight[nodes + k] / length * F[i];
  }
  return status;
}

/* row b of the equations without x', that is without what others have of E: a_b - C a_a in the
   columns of Q, and the same of the rates */
static double reduced_row(dae_solver *s, room *m, int b, const double *rate, double *to) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n, rank = w->found.rank, left = n - rank;
  const double *A = w->values + w->r->size;
  double *c = m->c, sum = 0;
  /* in the order of perm: the coefficients, then 1 for the row itself */
  memcpy(c, m->E + (size_t)b * (size_t)n, (size_t)n * sizeof *c);
  dae_la_qr_backward(n, rank, m->E, c);
  memset(to, 0, (size_t)left * sizeof *to);
  for (int k = 0; k <= rank; k++) {
    const int i = m->perm[k < rank ? k : b];
    const double factor = (k < rank ? -c[k] : 1) / m->unit[i];
    sum += factor * rate[i];
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++) {
      const int j = dae_residual_column(w->r, i, e);
      const double value = factor * A[e] * w->X[j], *Q = m->Q + (size_t)j * (size_t)left;
      for (int l = 0; l < left && value != 0; l++) to[l] += value * Q[l];
    }
  }
  return sum;
}

/* x' in the null space of E, which the equations leave open, from the derivative of those that hold
   no x': u'(A x' + F_t) = 0 for all u with u'E = 0. Index 1; where it fails x' stays */
static dae_status algebraic_slope(dae_solver *s, room *m) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n, rank = w->found.rank, left = n - rank;
  double *rate = m->work, *b = rate + n;
  if (left == 0 || w->index != 1) return DAE_OK;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  dae_status status = factor_E(s, m);
  if (status == DAE_OK) status = total_rate(s, path.length, false, rate);
  if (status != DAE_OK) return status == DAE_STOPPED ? status : DAE_OK;
  null_columns(m, n, rank, false);
  for (int k = 0; k < left; k++)
    b[k] = -reduced_row(s, m, rank + k, rate, m->S + (size_t)k * (size_t)left);
  if (dae_la_lu(left, m->S, m->perm) != 0) return DAE_OK;
  dae_la_lu_solve(left, m->S, m->perm, b);
  if (!dae_base_finite(b, left)) return DAE_OK;
  for (int j = 0; j < n; j++)
    for (int l = 0; l < left; l++)
      s->dz[j] += w->X[j] * m->Q[(size_t)j * (size_t)left + (size_t)l] * b[l];
  return DAE_OK;
}

/* values with what Q lets change; found.ok tells */
static dae_status try_columns(dae_solver *s, const room *m, int k, dae_effort effort,
                              dae_solved *found, int *level) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)w->r->n * sizeof *w->x;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  memcpy(w->x, s->z, bytes);
  memcpy(w->dx, s->dz, bytes);
  dae_array a = {.r = w->r,
                 .k = k,
                 .t = s->t,
                 .length = path.length,
                 .x = w->x,
                 .dx = w->dx,
                 .X = w->X,
                 .free = m->free,
                 .B = m->Q,
                 .weight = m->weight,
                 .effort = effort};
  dae_status status = dae_problem_array_solve(&a, found, level);
  if (status != DAE_OK) return status;
  if (!found->ok) return DAE_OK;
  memcpy(s->z, w->x, bytes);
  memcpy(s->dz, w->dx, bytes);
  return DAE_OK;
}

/* how fast x is, from F alone: a path for its derivatives */
static dae_status first_slope(dae_solver *s, room *m) {
  dae_solved found;
  int level;
  m->free = 0;
  return try_columns(s, m, 0, DAE_EFFORT_QUICK, &found, &level);
}

/* F against its terms: may the rest be rounding? */
static bool is_solved(dae_solver *s, const double *F) {
  static const double SOLVED = 1e-9;
  const struct dae_implicit_run *w = s->implicit;
  const double *E = w->values, *A = E + w->r->size;
  for (int i = 0; i < w->r->n; i++) {
    double terms = 0;
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++) {
      const int j = dae_residual_column(w->r, i, e);
      terms += fabs(A[e]) * w->X[j] + fabs(E[e] * s->dz[j]);
    }
    if (!(fabs(F[i]) <= SOLVED * terms)) return false;
  }
  return true;
}

/* x' from F(t,x,x') = 0 at x as it is, the shortest: x' := x' - E^+ F until F is rounding */
static bool slope_follows(dae_solver *s, room *m) {
  enum { ROUNDS = 6 };
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  double *F = w->dx, *d = w->x;
  if (factor_E(s, m) != DAE_OK) return false;
  for (int round = 0; round < ROUNDS; round++) {
    if (dae_residual_value(w->r, s->t, s->z, s->dz, F) != DAE_OK) return false;
    if (is_solved(s, F)) return true;
    for (int i = 0; i < n; i++) F[i] /= -m->unit[i];
    if (w->found.rank == 0) return false;
    dae_la_qr_min_norm(n, w->found.rank, m->E, m->perm, m->tau, F, d, m->work);
    for (int j = 0; j < n; j++) s->dz[j] += w->X[j] * d[j];
  }
  return false;
}

/* what is held stays; else the differential part does if it can */
static dae_status solve_dense(dae_solver *s, const unsigned char *fixed, room *m) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n, rank = w->found.rank;
  const unsigned char *held = any(fixed, n) ? fixed : NULL;
  const bool declared = !held && w->index <= 1 && s->p->implicit.differential;
  const bool all = !held && !declared && w->index > 1;
  const int k = w->index > 1 ? w->index - 1 : 0;
  dae_solved found;
  int level;
  dae_drive_implicit_path(s, s->z, s->dz); /* sizes */
  dae_status status = k > 0 ? first_slope(s, m) : DAE_OK;
  if (status != DAE_OK) return status;
  status = factor_E(s, m);
  if (status != DAE_OK) return status;
  if (held) free_columns(m, n, held);
  else if (declared) free_columns(m, n, s->p->implicit.differential);
  else null_columns(m, n, rank, false);
  status = try_columns(s, m, k, all ? DAE_EFFORT_QUICK : DAE_EFFORT_FULL, &found, &level);
  if (status == DAE_OK && !found.ok && all) {
    null_columns(m, n, rank, true);
    status = try_columns(s, m, k, DAE_EFFORT_FULL, &found, &level);
  }
  if (status != DAE_OK) return status;
  if (!found.ok) return explain(s, &found, level, held != NULL);
  /* matrices of derivatives are good to their differences, and so is what F itself is left with */
  if (k > 0) slope_follows(s, m);
  return DAE_OK;
}

/* terms of which the rate of row b of the equations without x' is made (reduced_row): of x by
   `slope`, and by `least` of its size at least */
static double rate_terms(dae_solver *s, room *m, int b, const double *slope, double least) {
  const struct dae_implicit_run *w = s->implicit;
  const int rank = w->found.rank;
  const double *A = w->values + w->r->size;
  double terms = 0;
  for (int k = 0; k <= rank; k++) {
    const int i = m->perm[k < rank ? k : b];
    const double factor = fabs((k < rank ? m->c[k] : 1) / m->unit[i]);
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++) {
      const int j = dae_residual_column(w->r, i, e);
      terms += factor * fabs(A[e]) * (fabs(slope[j]) + w->X[j] * least);
    }
  }
  return terms;
}

/*
 * The equations without x', differentiated: S y = b for the part of the highest derivative in the
 * null space of E. Where rows of S depend on each other, the same must hold for b: that are the
 * hidden constraints. False: one of them does not hold, to `tol` of its terms. E is factored
 */
static bool hidden_hold(dae_solver *s, room *m, const double *rate, const double *slope,
                        double least, double tol) {
  static const double ZERO = 1e-6;
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n, rank = w->found.rank, left = n - rank;
  double *b = m->work + n, *terms = b + n;
  null_columns(m, n, rank, false);
  for (int k = 0; k < left; k++) {
    double *row = m->S + (size_t)k * (size_t)left;
    b[k] = reduced_row(s, m, rank + k, rate, row);
    terms[k] = rate_terms(s, m, rank + k, slope, least);
    const double length = dae_la_norm2(left, row);
    for (int l = 0; l < left && length > 0; l++) row[l] /= length;
    if (length > 0) b[k] /= length, terms[k] /= length;
  }
  for (int k = 0; k < left; k++) m->perm[k] = k;
  const int found = dae_la_qr_rank(left, left, m->S, ZERO, m->perm, m->tau, m->work);
  for (int k = found; k < left; k++) {
    const int own = m->perm[k];
    double sum = b[own], size = terms[own];
    memcpy(m->c, m->S + (size_t)k * (size_t)left, (size_t)left * sizeof *m->c);
    dae_la_qr_backward(left, found, m->S, m->c);
    for (int l = 0; l < found; l++) {
      sum -= m->c[l] * b[m->perm[l]];
      size += fabs(m->c[l]) * terms[m->perm[l]];
    }
    if (!(fabs(sum) <= tol * size)) return false;
  }
  return true;
}

/* rate := A x' + F_t, E factored */
static dae_status first_rate(dae_solver *s, room *m, double time, double *rate) {
  static const double AHEAD = 1e-3;
  const struct dae_implicit_run *w = s->implicit;
  const double *A = w->values + w->r->size;
  dae_status status = factor_E(s, m);
  if (status == DAE_OK) status = total_rate(s, AHEAD * time, true, rate);
  for (int i = 0; i < w->r->n && status == DAE_OK; i++)
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++)
      rate[i] += A[e] * s->dz[dae_residual_column(w->r, i, e)];
  return status;
}

/* the time in which the equations without x' change by as much as their terms, at most `time` */
static double time_scale(dae_solver *s, const room *m, const double *second, double time) {
  const struct dae_implicit_run *w = s->implicit;
  const double *A = w->values + w->r->size;
  for (int b = w->found.rank; b < w->r->n; b++) {
    const int i = m->perm[b];
    double terms[3] = {0, 0, 0};
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++) {
      const int j = dae_residual_column(w->r, i, e);
      terms[0] += fabs(A[e]) * w->X[j];
      terms[1] += fabs(A[e] * s->dz[j]);
      terms[2] += fabs(A[e] * second[j]);
    }
    if (terms[1] * time > terms[0]) time = terms[0] / terms[1];
    if (terms[2] * time * time > terms[0]) time = sqrt(terms[0] / terms[2]);
  }
  return time;
}

/* of_F := d2/ds2 F(t + s, x + s x' + s^2 x''/2, x' + s x'') by four values, `step` apart; work:
   2 n. False: there are none */
static bool second_rate(dae_solver *s, double step, const double *second, double *work,
                        double *of_F) {
  static const double weight[] = {2, -5, 4, -1};
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  double *dx = work, *F = dx + n, *x = w->x;
  memset(of_F, 0, (size_t)n * sizeof *of_F);
  for (int k = 0; k < 4; k++) {
    const double h = k * step;
    for (int j = 0; j < n; j++) {
      x[j] = s->z[j] + h * (s->dz[j] + h / 2 * second[j]);
      dx[j] = s->dz[j] + h * second[j];
    }
    if (dae_residual_value(w->r, s->t + h, x, dx, F) != DAE_OK) return false;
    for (int i = 0; i < n; i++) of_F[i] += weight[k] / (step * step) * F[i];
  }
  return true;
}

/*
 * The second derivatives of the equations without x', on which multipliers of index 3 act through
 * x'', the shortest of E x'' + A x' + F_t = 0. Equations may bend faster than their terms tell (a
 * pendulum that hangs horizontally: x^2 + y^2 = 1 does not see y there): what does not hold is seen
 * at shorter distances too, where what the values leave out is gone
 */
static bool second_hold(dae_solver *s, room *m, double time, const double *rate) {
  enum { TRIALS = 3 };
  static const double AHEAD = 1e-3, SHORTER = 0.1, HIDDEN = 1e-3;
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  double *second = dae_base_doubles(&m->pool, 4 * (size_t)n);
  if (m->pool.failed) return false;
  double *of_F = second + n, *work = of_F + n;
  for (int i = 0; i < n; i++) work[i] = -rate[i] / m->unit[i];
  dae_la_qr_min_norm(n, w->found.rank, m->E, m->perm, m->tau, work, second, m->work);
  for (int j = 0; j < n; j++) second[j] *= w->X[j];
  const double scale = time_scale(s, m, second, fabs(time));
  double step = copysign(AHEAD * scale, time);
  for (int k = 0; k < TRIALS && fabs(step) > 0; k++, step *= SHORTER) {
    if (k > 0 && factor_E(s, m) != DAE_OK) return false;
    if (!second_rate(s, step, second, work, of_F)) return false;
    if (hidden_hold(s, m, of_F, second, 1 / (scale * scale), HIDDEN)) return true;
  }
  return false;
}

/* the constraints that F hides hold at s->z, s->dz */
static bool all_hold(dae_solver *s, room *m) {
  static const double HIDDEN = 1e-5;
  const double run = s->p->t1 - s->p->t0, time = run != 0 && isfinite(run) ? run : 1;
  double *rate = dae_base_doubles(&m->pool, (size_t)s->sys->nz);
  if (m->pool.failed || first_rate(s, m, time, rate) != DAE_OK) return false;
  if (!hidden_hold(s, m, rate, s->dz, 1 / fabs(time), HIDDEN)) return false;
  if (s->implicit->found.index < 3) return true;
  return factor_E(s, m) == DAE_OK && second_hold(s, m, time, rate);
}

dae_status dae_drive_implicit_stands(dae_solver *s, bool *yes) {
  room m = {.free = 0};
  dae_status status = take(&m, s);
  *yes = false;
  dae_drive_implicit_path(s, s->z, s->dz); /* sizes */
  if (status == DAE_OK) *yes = slope_follows(s, &m) && all_hold(s, &m);
  if (m.pool.failed) status = DAE_E_MEMORY;
  dae_base_pool_free(&m.pool);
  return status;
}

dae_status dae_drive_implicit_slope(dae_solver *s) {
  room m = {.free = 0};
  if (!s->implicit->dense) return DAE_OK;
  dae_status status = take(&m, s);
  if (status == DAE_OK) status = algebraic_slope(s, &m);
  dae_base_pool_free(&m.pool);
  return status;
}

/* M x' = f with values that are consistent as they are, to rounding: nothing is left to solve but
   x' */
static bool as_they_are(dae_solver *s, room *m) {
  static const double ROUNDING = 1e-14;
  struct dae_implicit_run *w = s->implicit;
  const double *A = w->values + w->r->size;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->dz;
  if (s->p->implicit.F || w->index > 1) return false;
  memcpy(m->c, s->dz, bytes);
  dae_drive_implicit_path(s, s->z, s->dz); /* sizes */
  bool good = slope_follows(s, m) && dae_residual_value(w->r, s->t, s->z, s->dz, w->dx) == DAE_OK;
  for (int i = 0; i < w->r->n && good; i++) {
    double terms = 0;
    for (int e = dae_residual_row(w->r, i), end = dae_residual_row(w->r, i + 1); e < end; e++) {
      const int j = dae_residual_column(w->r, i, e);
      terms += fabs(A[e]) * w->X[j] + fabs(w->values[e] * s->dz[j]);
    }
    good = fabs(w->dx[i]) <= ROUNDING * terms;
  }
  if (!good) memcpy(s->dz, m->c, bytes);
  return good;
}

dae_status dae_drive_implicit_solve(dae_solver *s, const unsigned char *fixed) {
  room m = {.free = 0};
  if (!s->implicit->dense)
    return dae_drive_implicit_large(s, any(fixed, s->sys->nz) ? fixed : NULL);
  dae_status status = take(&m, s);
  if (status == DAE_OK && !as_they_are(s, &m)) status = solve_dense(s, fixed, &m);
  dae_base_pool_free(&m.pool);
  return status;
}
