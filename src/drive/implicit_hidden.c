/*
 * The start of 0 = F(t,x,x') of index 2 and 3 with many variables, where nothing dense is made. The
 * values of x that have a derivative are those given: they are to be consistent, hidden constraints
 * included, as other codes of the kind want them too. Backward Euler from them, with very short
 * steps,
 *   F(t + k delta, x_k, (x_k - x_(k-1))/delta) = 0,   k = 1, 2, ..,
 * gives x' and the algebraic variables, those of index 3 from the second step on. A value that is
 * off the constraints shows in the first step: it jumps by what it is off, however short the step.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/implicit.h"
#include "step/newton.h"

/* delta, beside the time in which x changes: what is off by less than this part of x is not seen;
   and for values, where rounding over delta^2 is in variables of index 3 */
static const double TO_LOOK = 1e-6, TO_SOLVE = 1e-4;
/* two steps tell a jump from a slope */
static const double SHORTER = 0.1;
/* between 1 and 1/SHORTER: changes that are so much larger in the shorter one grow as 1/step */
static const double GROWS = 3;
/* a jump: more than this part of the change in a step, and of the size of the variable */
static const double OF_CHANGE = 0.2, OF_SIZE = 1e-7;
static const double SOLVED = 1e-10; /* corrections, in sizes of the variables */
enum { STEPS = 4, ITERATIONS = 12 };

typedef struct euler {
  dae_solver *s;
  dae_pool pool;
  dae_step_matrix matrix;
  double *x, *before, *dx, *r, *change; /* n each; change: 2 n */
  bool *moves;                          /* n: x' of it is in the equations */
} euler;

static dae_status take(euler *e, dae_solver *s) {
  const dae_residual *r = s->implicit->r;
  const size_t n = (size_t)r->n;
  *e = (euler){.s = s};
  dae_base_pool_init(&e->pool, &s->sys->passing);
  e->x = dae_base_doubles(&e->pool, 6 * n);
  e->moves = dae_base_data(&e->pool, n, sizeof *e->moves);
  if (e->pool.failed) return DAE_E_MEMORY;
  e->before = e->x + n, e->dx = e->before + n, e->r = e->dx + n, e->change = e->r + n;
  return dae_step_matrix_new(&e->matrix, &e->pool, r->n, r->pattern.start ? &r->pattern : NULL);
}

static void give(euler *e) {
  dae_step_matrix_free(&e->matrix);
  dae_base_pool_free(&e->pool);
}

/* factors of E + delta A at the given values */
static dae_status factor(euler *e, double delta) {
  struct dae_implicit_run *w = e->s->implicit;
  const dae_residual *r = w->r;
  double *E = w->values, *A = E + r->size;
  w->r->h = fabs(delta);
  dae_status status = dae_residual_matrices(w->r, e->s->t, e->s->z, e->s->dz, DAE_FOR_RANK, E, A);
  if (status != DAE_OK) return status;
  memset(e->moves, 0, (size_t)r->n * sizeof *e->moves);
  for (int i = 0; i < r->n; i++)
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++) {
      e->matrix.values[k] = E[k] + delta * A[k];
      if (E[k] != 0) e->moves[dae_residual_column(r, i, k)] = true;
    }
  return dae_step_matrix_factor(&e->matrix);
}

/* one step to t from e->before; e->x is the guess */
static dae_status step(euler *e, double t, double delta) {
  struct dae_implicit_run *w = e->s->implicit;
  const int n = w->r->n;
  for (int k = 0; k < ITERATIONS; k++) {
    double size = 0;
    for (int j = 0; j < n; j++) e->dx[j] = (e->x[j] - e->before[j]) / delta;
    dae_status status = dae_residual_value(w->r, t, e->x, e->dx, e->r);
    if (status != DAE_OK) return status;
    for (int i = 0; i < n; i++) e->r[i] *= -delta;
    dae_step_matrix_solve(&e->matrix, e->r);
    for (int j = 0; j < n; j++) {
      e->x[j] += e->r[j];
      if (e->moves[j]) size = fmax(size, fabs(e->r[j]) / w->X[j]);
    }
    if (!isfinite(size)) return DAE_E_NEWTON;
    if (size <= SOLVED && k > 0) break;
  }
  for (int j = 0; j < n; j++) e->dx[j] = (e->x[j] - e->before[j]) / delta;
  return DAE_OK;
}

/* some steps from the given values: e->x at the last, e->dx its slope */
static dae_status march(euler *e, double delta, int steps) {
  const size_t bytes = (size_t)e->s->sys->nz * sizeof *e->x;
  dae_status status = factor(e, delta);
  memcpy(e->x, e->s->z, bytes);
  for (int k = 1; k <= steps && status == DAE_OK; k++) {
    memcpy(e->before, e->x, bytes);
    status = step(e, e->s->t + k * delta, delta);
  }
  return status;
}

/* the time in which the variables of index 1 that have a derivative change, by the last slopes: the
   geometric mean, as one that is just passing zero says nothing */
static double time_of(const euler *e, double most) {
  const struct dae_implicit_run *w = e->s->implicit;
  double sum = 0;
  int count = 0;
  for (int j = 0; j < w->r->n; j++) {
    const double size = fabs(e->s->z[j]), slope = fabs(e->dx[j]);
    if (!e->moves[j] || w->of_variable[j] > 1 || !(size > w->r->floor[j])) continue;
    sum += log(fmin(most, size / fmax(slope, size / most)));
    count++;
  }
  return count > 0 ? exp(sum / count) : most;
}

/* with change(delta) = jump + slope delta of two steps, which value jumps most? */
static dae_status find_jump(euler *e, double delta) {
  dae_solver *s = e->s;
  const struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  dae_status status = DAE_OK;
  for (int part = 0; part < 2 && status == DAE_OK; part++) {
    status = march(e, part ? SHORTER * delta : delta, 1);
    for (int j = 0; j < n; j++) e->change[part * n + j] = e->x[j] - s->z[j];
  }
  int bad = -1;
  bool derived = false;
  double worst = 0, off = 0;
  for (int j = 0; j < n && status == DAE_OK; j++) {
    const double all = e->change[j], part = e->change[n + j];
    const double jump = (part - SHORTER * all) / (1 - SHORTER);
    const double seen = fabs(jump) / w->X[j];
    if (!e->moves[j] || !(fabs(jump) > OF_CHANGE * fabs(all)) || !(seen > OF_SIZE)) continue;
    /* what grows as steps shrink is a derivative of one that jumps: that one is named */
    const bool grows = fabs(part) > GROWS * fabs(all);
    if (bad >= 0 && grows != derived ? grows : seen <= worst) continue;
    worst = seen, off = jump, bad = j, derived = grows;
  }
  if (bad < 0) return status;
  dae_problem_z_name(s->p, bad, s->report.variable, DAE_NAME_MAX);
  s->report.residual = off;
  return dae_drive_report(s, DAE_E_INCONSISTENT,
                          "%s is off the equations or what they hide by %.3g: with more than %d "
                          "variables of index 2 and 3 initial values must be consistent. A very "
                          "short step moves it to %.6g",
                          s->report.variable, off, DAE_STAIRS_MOST, s->z[bad] + off);
}

/* E on its rows and columns that are not zero, and 1 where a zero row meets a zero column, in their
   order; false: there is none, they are not as many */
static bool pair_zeros(euler *e, dae_pattern *out, double **values) {
  const struct dae_implicit_run *w = e->s->implicit;
  const dae_residual *r = w->r;
  const double *E = w->values;
  const int n = r->n;
  int *start = dae_base_ints(&e->pool, (size_t)n + 1), used = 0, next = 0;
  int *column = dae_base_ints(&e->pool, (size_t)r->size + (size_t)n);
  double *v = *values = dae_base_doubles(&e->pool, (size_t)r->size + (size_t)n);
  if (e->pool.failed) return false;
  for (int i = 0; i < n; start[++i] = used) {
    const int first = used;
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      if (E[k] != 0) column[used] = dae_residual_column(r, i, k), v[used++] = E[k];
    if (used > first) continue;
    while (next < n && e->moves[next]) next++;
    if (next == n) return false;
    column[used] = next++, v[used++] = 1;
  }
  while (next < n && e->moves[next]) next++;
  *out = (dae_pattern){n, n, start, column};
  return next == n;
}

/* x' from the equations that have x', the algebraic variables as they are: E d = -F */
static dae_status solve_slopes(euler *e) {
  enum { ROUNDS = 3 };
  dae_solver *s = e->s;
  const int n = s->sys->nz;
  dae_step_matrix m = {0};
  dae_pattern pattern;
  double *values;
  if (!pair_zeros(e, &pattern, &values)) return e->pool.failed ? DAE_E_MEMORY : DAE_E_SINGULAR;
  dae_status status = dae_step_matrix_new(&m, &e->pool, n, &pattern);
  if (status == DAE_OK) {
    memcpy(m.values, values, (size_t)pattern.start[n] * sizeof *values);
    status = dae_step_matrix_factor(&m);
  }
  for (int k = 0; k < ROUNDS && status == DAE_OK; k++) {
    status = dae_residual_value(s->implicit->r, s->t, s->z, s->dz, e->r);
    if (status != DAE_OK) break;
    dae_step_matrix_solve(&m, e->r);
    for (int j = 0; j < n; j++)
      if (e->moves[j]) s->dz[j] -= e->r[j];
  }
  dae_step_matrix_free(&m);
  return status;
}

/*
 * Where E is no regular matrix on a part of the variables: of (E + delta A) d = -delta F what
 * belongs to variables with a derivative is taken for x'. What is left of F is A d, about delta of
 * it, at index 2.
 */
static dae_status share_out(euler *e, double delta) {
  enum { ROUNDS = 4 };
  dae_solver *s = e->s;
  const int n = s->sys->nz;
  dae_status status = DAE_OK;
  for (int k = 0; k < ROUNDS && status == DAE_OK; k++) {
    status = dae_residual_value(s->implicit->r, s->t, s->z, s->dz, e->r);
    for (int i = 0; i < n; i++) e->r[i] *= -delta;
    dae_step_matrix_solve(&e->matrix, e->r);
    for (int j = 0; j < n && status == DAE_OK; j++) {
      if (e->moves[j]) s->dz[j] += e->r[j] / delta;
      else s->z[j] += e->r[j];
    }
  }
  return status;
}

/* x' and the algebraic variables at t from those at the last step, then so that F = 0 */
static dae_status take_over(euler *e, double delta) {
  dae_solver *s = e->s;
  for (int j = 0; j < s->sys->nz; j++) {
    s->dz[j] = e->dx[j];
    if (!e->moves[j]) s->z[j] = e->x[j] - STEPS * delta * e->dx[j];
  }
  const dae_status status = solve_slopes(e);
  return status == DAE_E_SINGULAR ? share_out(e, delta) : status;
}

dae_status dae_drive_implicit_hidden(dae_solver *s) {
  euler e;
  dae_status status = take(&e, s);
  const dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  const double run = s->p->t1 - s->p->t0, whole = run != 0 && isfinite(run) ? fabs(run) : 1;
  double time = copysign(whole, path.length);
  /* how fast x is, then by steps that fit */
  if (status == DAE_OK) status = march(&e, TO_LOOK * time, STEPS);
  if (status == DAE_OK) {
    time = copysign(time_of(&e, whole), path.length);
    status = find_jump(&e, TO_LOOK * time);
  }
  if (status == DAE_OK) status = march(&e, TO_SOLVE * time, STEPS);
  if (status == DAE_OK) status = take_over(&e, TO_SOLVE * time);
  give(&e);
  if (status == DAE_E_NEWTON || status == DAE_E_SINGULAR)
    return dae_drive_report(s, DAE_E_INCONSISTENT,
                            "x' and the algebraic variables could not be found at the start: with "
                            "more than %d variables of index %d initial values must be consistent",
                            DAE_STAIRS_MOST, s->implicit->index);
  return status;
}
