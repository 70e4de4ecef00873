/*
 * The start of 0 = F(t,x,x'): what its index is, which values of x and x' are consistent, and what
 * is said where there are none. Index 0 and 1: x changes within the null space of dF/dx' only, that
 * is in its algebraic part; a higher index has hidden constraints, which are met by solving F and
 * its time derivatives together.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/implicit.h"
#include "step/tableau.h"

/* paths on which time derivatives are taken, as a part of the time in which x changes */
static const double PATH = 0.01;
/* and of a step that was good */
static const double STEP = 0.3;
/* points beside the start, in sizes of the variables */
static const double BESIDE = 0.02;
/* .. and for those that are zero, in the least sizes that count */
static const double OFF_ZERO = 20;
/* an entry of dF/dx' that is declared zero and is not, against the size of its row */
static const double DECLARED = 1e-9;
/* rounding in a variable of a higher index, in units of its tolerance at most; more is allowed for
   it by factors, up to the last one, and for a while */
static const double NOISE = 0.01, RELAX = 10, NOISE_MOST = 100, RELAX_FADES = 0.99;
enum { HIGHEST = 3 }; /* index that is solved */

dae_status dae_drive_implicit_new(dae_solver *s) {
  if (s->p->kind != DAE_IMPLICIT) return DAE_OK;
  struct dae_implicit_run *w = s->implicit = dae_base_take(&s->pool, 1, sizeof *w);
  if (!w) return DAE_E_MEMORY;
  const size_t n = (size_t)s->sys->nz;
  w->r = s->view->equations;
  w->of_variable = dae_base_data(&s->pool, n, 1);
  w->X = dae_base_doubles(&s->pool, 3 * n);
  w->values = dae_base_doubles(&s->pool, 2 * (size_t)w->r->size);
  w->dense = n <= DAE_STAIRS_MOST;
  if (s->pool.failed) return DAE_E_MEMORY;
  w->x = w->X + n, w->dx = w->x + n;
  memset(w->of_variable, 1, n);
  return w->dense ? DAE_OK : dae_drive_implicit_large_new(s);
}

/* ---- where, and how far ahead ---- */

static double run_length(const dae_solver *s) {
  double length = s->p->t1 - s->p->t0;
  return length != 0 && isfinite(length) ? length : fmax(1, fabs(s->t));
}

/* a path from (x, x') along which nothing changes by much */
dae_path dae_drive_implicit_path(dae_solver *s, const double *x, const double *dx) {
  struct dae_implicit_run *w = s->implicit;
  double length = run_length(s), time = fabs(length);
  for (int j = 0; j < w->r->n; j++) {
    w->X[j] = dae_residual_size(w->r, j, x);
    if (dx[j] != 0) time = fmin(time, w->X[j] / fabs(dx[j]));
  }
  if (w->step > 0) time = w->step / PATH;
  time = fmax(time, 1e3 * DBL_EPSILON * fmax(fabs(s->t), fabs(length)) / PATH);
  return (dae_path){s->t, copysign(PATH * time, length), x, dx};
}

/* ---- what the equations are ---- */

static dae_status refuse_structure(dae_solver *s) {
  const dae_structure *f = &s->implicit->found;
  if (f->equation >= 0)
    dae_problem_equation_name(s->p, f->equation, s->report.equation, DAE_NAME_MAX);
  if (f->variable >= 0) dae_problem_z_name(s->p, f->variable, s->report.variable, DAE_NAME_MAX);
  s->report.rank = f->rank;
  s->report.rows = s->sys->nz;
  if (f->singular)
    return dae_drive_report(s, DAE_E_RANK,
                            "the equations do not determine the variables: %s depends on the "
                            "others, and %s is free",
                            s->report.equation, s->report.variable);
  if (f->index > HIGHEST)
    return dae_drive_report(s, DAE_E_INDEX,
                            "the index is %d: implicit problems are solved up to index %d",
                            f->index, HIGHEST);
  return dae_drive_report(s, DAE_E_INDEX,
                          "the index could not be found: after %d differentiations x' is still not "
                          "determined; dF/dx' has rank %d of %d",
                          DAE_STAIRS, f->rank, s->sys->nz);
}

/* x and x' beside those in w, where no entry of a matrix is zero by chance */
static void go_beside(dae_solver *s, const dae_path *path) {
  struct dae_implicit_run *w = s->implicit;
  double time = fabs(path->length) / PATH;
  for (int j = 0; j < w->r->n; j++) {
    w->x[j] += BESIDE * w->X[j] * sin(1 + 2.3 * j);
    w->dx[j] += BESIDE * w->X[j] / time * sin(2 + 1.7 * j);
  }
}

static bool easy(const dae_structure *f) { return f->index == 0 || f->index == 1; }

/* the index at the present point; generic: at the start, where zeros may be chance */
static dae_status find_structure(dae_solver *s, bool generic) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)w->r->n * sizeof *w->x;
  if (!w->dense) return DAE_OK;
  memcpy(w->x, s->z, bytes);
  memcpy(w->dx, s->dz, bytes);
  dae_path path = dae_drive_implicit_path(s, w->x, w->dx);
  w->doubtful = false;
  dae_status status = dae_problem_structure(w->r, &path, &w->found);
  if (status != DAE_OK || easy(&w->found) || !generic) return status;
  dae_structure near;
  go_beside(s, &path);
  status = dae_problem_structure(w->r, &path, &near);
  if (status == DAE_E_CALLBACK) return DAE_OK;
  if (status == DAE_OK && near.index >= 0 &&
      (w->found.index < 0 || near.index < w->found.index || near.rank > w->found.rank))
    w->found = near, w->doubtful = true;
  return status;
}

/* the highest index that numbers show of a variable, at most one more than is solved */
static dae_status highest_of_many(dae_solver *s, int *variable) {
  struct dae_implicit_run *w = s->implicit;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  dae_status status = dae_problem_variable_index(w->r, &path, HIGHEST + 1, w->of_variable);
  *variable = 0;
  for (int j = 1; j < w->r->n && status == DAE_OK; j++)
    if (w->of_variable[j] > w->of_variable[*variable]) *variable = j;
  return status;
}

static void back_to_given(dae_solver *s) {
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  memcpy(s->z, s->origin.own.z0, bytes);
  memset(s->dz, 0, bytes);
  if (s->p->implicit.dx0) memcpy(s->dz, s->p->implicit.dx0, bytes);
}

/* Many variables: as for index 1 where all turn out to have that; else from the values as they are
   given. What is declared tells where nothing else does: numbers show no index where x' = 0 */
static dae_status settle_many(dae_solver *s, const unsigned char *fixed) {
  struct dae_implicit_run *w = s->implicit;
  const unsigned char *declared = s->p->implicit.variable_index;
  int j = 0;
  bool high = false;
  for (int k = 0; declared && k < w->r->n; k++) high |= declared[k] > 1;
  w->index = 1;
  dae_status status = high ? DAE_OK : dae_drive_implicit_solve(s, fixed);
  if (status == DAE_STOPPED || status == DAE_E_MEMORY) return status;
  const dae_report told = s->report;
  if (status != DAE_OK) back_to_given(s);
  dae_status looked = highest_of_many(s, &j);
  if (looked == DAE_STOPPED || looked == DAE_E_MEMORY) return looked;
  if (looked != DAE_OK || w->of_variable[j] < 2) return status == DAE_OK ? looked : status;
  if (w->of_variable[j] > HIGHEST && status != DAE_OK) {
    s->report = told;
    return status;
  }
  s->report = (dae_report){.event = -1};
  dae_problem_z_name(s->p, j, s->report.variable, DAE_NAME_MAX);
  if (w->of_variable[j] > HIGHEST)
    return dae_drive_report(s, DAE_E_INDEX,
                            "variable %s has index %d or more: implicit problems are solved up to "
                            "index %d",
                            s->report.variable, w->of_variable[j], HIGHEST);
  w->index = w->found.index = w->of_variable[j];
  back_to_given(s);
  return dae_drive_implicit_hidden(s);
}

/* the index of each variable at a path, up to `most`, where it is more than is known of it */
static dae_status raise_variables(dae_solver *s, const dae_path *path, int most) {
  struct dae_implicit_run *w = s->implicit;
  const size_t n = (size_t)w->r->n;
  dae_pool pool;
  dae_base_pool_init(&pool, &s->sys->passing);
  unsigned char *here = dae_base_data(&pool, n, 1);
  dae_status status = here ? dae_problem_variable_index(w->r, path, most, here) : DAE_E_MEMORY;
  for (size_t j = 0; j < n && status == DAE_OK; j++)
    if (here[j] > w->of_variable[j]) w->of_variable[j] = here[j];
  dae_base_pool_free(&pool);
  return status == DAE_E_CALLBACK ? DAE_OK : status;
}

/* the index of each variable up to `most`, here and beside: at a point where a constraint has no
   slope in a direction, the velocity in it looks free. What is declared is not asked: an index
   above the true one would leave the errors of the variable uncontrolled */
static dae_status variables_here(dae_solver *s, int most) {
  struct dae_implicit_run *w = s->implicit;
  const size_t n = (size_t)w->r->n;
  memset(w->of_variable, 1, n);
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  dae_status status = raise_variables(s, &path, most);
  memcpy(w->x, s->z, n * sizeof *w->x);
  memcpy(w->dx, s->dz, n * sizeof *w->dx);
  go_beside(s, &path);
  for (size_t j = 0; j < n; j++) w->x[j] += OFF_ZERO * w->r->floor[j] * sin(3 + 1.3 * (double)j);
  path.x = w->x, path.dx = w->dx;
  return status == DAE_OK ? raise_variables(s, &path, most) : status;
}

static dae_status find_variables(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  if (!w->dense) return DAE_OK;
  memset(w->of_variable, 1, (size_t)w->r->n);
  w->index = w->found.index < 0 ? 1 : w->found.index;
  return w->index < 2 ? DAE_OK : variables_here(s, w->index);
}

/* is x' of a variable that is declared algebraic in the equations? */
static dae_status check_flags(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const dae_implicit *m = &s->p->implicit;
  const int n = m->n;
  if (!m->differential) return DAE_OK;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  double time = fabs(path.length) / PATH;
  dae_status status = dae_residual_value(w->r, s->t, s->z, s->dz, w->values);
  memcpy(w->dx, s->dz, (size_t)n * sizeof *w->dx);
  for (int j = 0; j < n && status == DAE_OK; j++) {
    if (m->differential[j]) continue;
    w->dx[j] += w->X[j] / time;
    status = dae_residual_value(w->r, s->t, s->z, w->dx, w->x);
    w->dx[j] = s->dz[j];
    for (int i = 0; i < n && status == DAE_OK; i++) {
      if (fabs(w->x[i] - w->values[i]) <= DECLARED * (fabs(w->x[i]) + fabs(w->values[i]))) continue;
      dae_problem_z_name(s->p, j, s->report.variable, DAE_NAME_MAX);
      dae_problem_equation_name(s->p, i, s->report.equation, DAE_NAME_MAX);
      return dae_drive_report(s, DAE_E_INPUT,
                              "implicit.differential says that %s is algebraic, but %s depends on "
                              "its derivative",
                              s->report.variable, s->report.equation);
    }
  }
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* ---- the start ---- */

/* equations by powers of two, so that their terms are of size 1; without matrices they stay */
static dae_status set_units(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const dae_residual *r = w->r;
  const double *E = w->values, *A = E + r->size;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  const double time = fabs(path.length) / PATH;
  const dae_status status = dae_residual_matrices(w->r, s->t, s->z, s->dz, DAE_FOR_NEWTON,
                                                  w->values, w->values + r->size);
  if (status != DAE_OK) return status == DAE_STOPPED ? status : DAE_OK;
  for (int i = 0; i < r->n; i++) {
    double most = 0;
    int power;
    for (int k = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); k < end; k++)
      most = fmax(most, (fabs(E[k]) / time + fabs(A[k])) * w->X[dae_residual_column(r, i, k)]);
    frexp(most, &power);
    s->view->unit[i] = most > 0 && isfinite(most) ? ldexp(1, -power) : 1;
  }
  return DAE_OK;
}

/* Variables of a higher index are derivatives: stages must have enough orders left for them, and
   the last one must be the result. Else what it leaves of the constraints, |R(inf)| of which stays
   from step to step, is differentiated by the next step */
static dae_status check_method(dae_solver *s) {
  const dae_method *m = s->step->method;
  const int index = s->implicit->index;
  dae_rk_tableau t = {.stiffly_accurate = true};
  if (index > 1 && dae_step_class(m) == &dae_step_irk) dae_step_irk_tableau(&t, m);
  if (!t.stiffly_accurate)
    return dae_drive_report(s, DAE_E_FORM,
                            "the index is %d, and steps of method %s do not end on the constraints "
                            "that it hides: use %s",
                            index, m->name, index == 2 ? "radau, lobatto3 or bdf" : "radau3 to 5");
  if (s->plan.o.step > 0 || index < 2) return DAE_OK;
  bool fits = m->stages == 1 ? index == 2 : m->stage_order >= index;
  if (fits) return DAE_OK;
  return dae_drive_report(s, DAE_E_FORM,
                          "the index is %d, for which the stages of method %s have too low an "
                          "order: use %s",
                          index, m->name, index == 2 ? "radau, lobatto3 or bdf" : "radau3 to 5");
}

/* how far x was moved, in units of 1 + |x| as for other kinds */
static double moved(const dae_solver *s, const double *from) {
  double most = 0;
  for (int i = 0; i < s->sys->nz; i++)
    most = fmax(most, fabs(s->z[i] - from[i]) / (1 + fabs(from[i])));
  return most;
}

/* is a more than b, which chance cannot make: rank, or variables determined by fewer
   differentiations? */
static bool better(const dae_structure *a, const dae_structure *b) {
  if (a->index < 0) return false;
  return b->index < 0 || a->rank > b->rank || (a->rank == b->rank && a->index < b->index);
}

/* an index above 1 may be chance where the guess is far from the equations: can they be solved with
   the differential part as it is, and is the index lower there? */
static dae_status try_lower(dae_solver *s, const unsigned char *fixed, bool *done) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  const dae_structure found = w->found;
  double *kept = dae_base_doubles(&s->pool, 2 * (size_t)s->sys->nz);
  *done = false;
  if (!kept) return DAE_E_MEMORY;
  memcpy(kept, s->z, bytes);
  memcpy(kept + s->sys->nz, s->dz, bytes);
  w->index = 1;
  dae_status status = dae_drive_implicit_solve(s, fixed);
  if (status == DAE_OK) status = find_structure(s, false);
  *done = status == DAE_OK && easy(&w->found);
  if (!*done) {
    memcpy(s->z, kept, bytes);
    memcpy(s->dz, kept + s->sys->nz, bytes);
    w->found = found;
  }
  dae_base_give(&s->pool, kept);
  return status == DAE_STOPPED || status == DAE_E_MEMORY ? status : DAE_OK;
}

/* is the index that is declared for the problem that of its variables? At the point itself none is
   higher, and some are that high there or beside it */
static dae_status looks_right(dae_solver *s, int index, bool *yes) {
  struct dae_implicit_run *w = s->implicit;
  int most = 0;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  dae_status status = dae_problem_variable_index(w->r, &path, index + 1, w->of_variable);
  for (int j = 0; j < w->r->n; j++)
    if (w->of_variable[j] > most) most = w->of_variable[j];
  *yes = most <= index;
  if (status != DAE_OK || most >= index) return status;
  status = variables_here(s, index);
  for (int j = 0; j < w->r->n; j++)
    if (w->of_variable[j] > most) most = w->of_variable[j];
  *yes = most == index;
  return status;
}

/* the index is declared, and the values are consistent as they are: nothing to look for */
static dae_status try_declared(dae_solver *s, bool *done) {
  struct dae_implicit_run *w = s->implicit;
  const dae_implicit *m = &s->p->implicit;
  const size_t bytes = (size_t)m->n * sizeof *s->z;
  int index = 0;
  *done = false;
  for (int j = 0; m->variable_index && j < m->n; j++)
    if (m->variable_index[j] > index) index = m->variable_index[j];
  if (index < 2 || index > HIGHEST || !w->dense) return DAE_OK;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  w->found = (dae_structure){.index = index, .equation = -1, .variable = -1};
  dae_status status = dae_problem_rank(w->r, &path, &w->found.rank);
  if (status == DAE_OK) status = dae_drive_implicit_stands(s, done);
  if (status == DAE_OK && *done) status = looks_right(s, index, done);
  if (status == DAE_OK && *done) {
    w->index = index;
    return DAE_OK;
  }
  memcpy(s->z, s->p->z0, bytes);
  memset(s->dz, 0, bytes);
  if (m->dx0) memcpy(s->dz, m->dx0, bytes);
  s->report = (dae_report){.event = -1};
  return status == DAE_E_CALLBACK ? DAE_OK : status;
}

/* are the values those that were given? With a constant M the matrices are then the same too */
static bool as_given(const dae_solver *s) {
  const dae_implicit *m = &s->p->implicit;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  return !m->F && (!m->mass || m->mass_constant) && memcmp(s->z, s->origin.own.z0, bytes) == 0;
}

/* index, then consistent values; where these show another structure, once more */
static dae_status settle(dae_solver *s, const unsigned char *fixed, bool first) {
  struct dae_implicit_run *w = s->implicit;
  enum { TRIALS = 3 };
  bool done = false;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  dae_status status = first && !fixed ? try_declared(s, &done) : DAE_OK;
  if (status != DAE_OK || done) return status;
  if (!w->dense && first) return settle_many(s, fixed);
  if (!w->dense && w->index > 1) return dae_drive_implicit_hidden(s);
  if (first) status = find_structure(s, true);
  if (status == DAE_OK && first && w->dense && w->found.index > 1)
    status = try_lower(s, fixed, &done);
  for (int k = 0; k < TRIALS && status == DAE_OK; k++) {
    const dae_structure before = w->found;
    if (w->dense && (before.index < 0 || before.index > HIGHEST)) return refuse_structure(s);
    w->index = before.index < 0 ? 1 : before.index;
    s->report = (dae_report){.event = -1};
    const bool given = as_given(s) && easy(&before) && !w->doubtful;
    status = dae_drive_implicit_solve(s, fixed);
    if (status == DAE_OK && (!first || (given && as_given(s)))) break;
    if (status != DAE_OK || !w->dense) return status;
    status = find_structure(s, false);
    if (status != DAE_OK) return status;
    w->doubtful = w->found.index < 0;
    /* what is less there is chance; what is more is the truth */
    if (w->found.index <= before.index && !better(&w->found, &before)) {
      w->found = before;
      break;
    }
    /* from the given values again: other parts of them may change */
    if (!done && k + 1 < TRIALS) memcpy(s->z, s->origin.own.z0, bytes);
  }
  return status == DAE_OK ? dae_drive_implicit_slope(s) : status;
}

/* dF/dx' has its rank at the start, not only beside it: else solutions may branch there */
static dae_status check_rank(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  dae_structure ahead;
  const dae_implicit *m = w->r->m;
  const bool constant = !m->F && (!m->mass || m->mass_constant);
  if (!w->dense || w->index > 1 || constant || w->found.rank == w->r->n) return DAE_OK;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  for (int j = 0; j < w->r->n; j++) w->x[j] = s->z[j] + path.length * s->dz[j];
  path.t += path.length;
  path.x = w->x;
  dae_status status = dae_problem_structure(w->r, &path, &ahead);
  if (status == DAE_E_CALLBACK) return DAE_OK; /* steps will tell */
  if (status != DAE_OK) return status;
  if (ahead.rank <= w->found.rank) return DAE_OK;
  s->report.rank = w->found.rank;
  s->report.rows = ahead.rank;
  return dae_drive_report(
      s, DAE_E_RANK, "the start is a singular point: dF/dx' has rank %d there and %d beside it",
      w->found.rank, ahead.rank);
}

static dae_status onto_invariants(dae_solver *s, const unsigned char *fixed) {
  dae_status status = dae_stabilize_project(s->nearest, s->t, s->z, fixed, NULL);
  if (status == DAE_OK || status == DAE_STOPPED || status == DAE_E_CALLBACK) return status;
  dae_drive_blame_constraint(s, s->nearest);
  return dae_drive_report(s, status == DAE_E_DRIFT ? DAE_E_INCONSISTENT : status,
                          "no point near the initial values satisfies the invariant %s",
                          s->report.equation);
}

dae_status dae_drive_implicit_start(dae_solver *s, const unsigned char *fixed) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  const bool first = !s->started;
  dae_residual_forget(w->r);
  if (first) {
    dae_residual_start(w->r);
    memset(s->dz, 0, bytes);
    if (s->p->implicit.dx0) memcpy(s->dz, s->p->implicit.dx0, bytes);
  }
  dae_status status = s->sys->nh > 0 ? onto_invariants(s, fixed) : DAE_OK;
  if (status == DAE_OK && first) status = check_flags(s);
  if (status == DAE_OK) status = settle(s, fixed, first);
  if (status == DAE_OK && first) status = check_rank(s);
  if (status == DAE_OK && first) status = dae_drive_determined_start(s);
  if (status == DAE_OK && first) status = check_method(s);
  if (status == DAE_OK && first) status = find_variables(s);
  if (status == DAE_OK) status = set_units(s);
  if (status != DAE_OK) return dae_drive_untold(s, status);
  s->report.moved = first ? moved(s, s->origin.own.z0) : s->report.moved;
  /* errors of E and A grow with the index in the inverse of s E + A */
  s->view->higher = w->index > 2;
  if (first) w->relaxed = 1;
  w->r->accuracy = w->index > 1 ? DAE_FOR_RANK : DAE_FOR_NEWTON;
  s->exact_y = true;
  return DAE_OK;
}

bool dae_drive_implicit_determined(const dae_solver *s) {
  return s->implicit->dense && s->implicit->index <= 1;
}

bool dae_drive_implicit_doubtful(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  if (!w || !w->doubtful) return false;
  dae_drive_report(s, DAE_E_INDEX,
                   "the index could not be found: beside the initial values it seemed to be %d, at "
                   "consistent ones x' is not determined after %d differentiations, and steps fail "
                   "at t = %.15g",
                   w->index, DAE_STAIRS, s->t);
  return true;
}

dae_status dae_drive_implicit_again(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  if (w->index > 1 && w->dense) {
    dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
    dae_status looked = raise_variables(s, &path, w->index);
    if (looked != DAE_OK) return looked;
  }
  if (w->index < 3 || !w->dense) return DAE_OK;
  /* the last step was short beside the changes of x */
  w->step = STEP * fabs(s->step->h_old);
  dae_status status = dae_drive_implicit_solve(s, NULL);
  w->step = 0;
  /* where that fails, everything stays as it is */
  if (status == DAE_E_INCONSISTENT || status == DAE_E_CALLBACK) {
    memcpy(s->z, s->step->z, bytes);
    memcpy(s->dz, s->step->dz, bytes);
    s->report = (dae_report){.event = -1};
    return DAE_OK;
  }
  return status == DAE_OK ? dae_drive_restart(s) : dae_drive_untold(s, status);
}

/* one-sided differences change a matrix by 1e-8 of it, central ones by 1e-10: that must be little
   beside what moving by the tolerance does */
dae_status dae_drive_implicit_branches(dae_solver *s, const double *ball, dae_branches *out) {
  static const double ONE_SIDED = 1e-5, CENTRAL = 1e-7;
  struct dae_implicit_run *w = s->implicit;
  if (!w->dense || w->index != 1) return DAE_OK;
  const double tol = s->plan.o.rtol;
  const dae_accuracy accuracy = tol >= ONE_SIDED ? DAE_FOR_NEWTON
                                : tol >= CENTRAL ? DAE_FOR_STEPS
                                                 : DAE_FOR_RANK;
  dae_path path = dae_drive_implicit_path(s, s->z, s->dz);
  return dae_problem_implicit_branches(w->r, &path, ball, accuracy, out);
}

bool dae_drive_implicit_graded(const dae_solver *s) { return s->implicit->index > 1; }

/* h against the length of the run */
static double part_of_run(const dae_solver *s, double h) {
  const double length = s->control.span > 0 ? s->control.span : fabs(run_length(s));
  return h != 0 ? fmin(1, fabs(h) / length) : 1;
}

void dae_drive_implicit_weights(const dae_solver *s, double h, double *weight) {
  const struct dae_implicit_run *w = s->implicit;
  if (w->index <= 1) return;
  const double part = part_of_run(s, h);
  for (int j = 0; j < s->sys->nz; j++)
    for (int i = 1; i < w->of_variable[j]; i++) weight[j] *= part;
  /* rounding in derivatives grows as steps shrink: where it has kept a step from converging, it is
     no error of the step */
  const double *noise = s->step->noise;
  for (int j = 0; j < s->sys->nz && w->relaxed > 1 && noise; j++)
    if (w->of_variable[j] > 1 && noise[j] * weight[j] > NOISE)
      weight[j] = fmax(NOISE / noise[j], weight[j] / w->relaxed);
}

void dae_drive_implicit_relax(dae_solver *s, bool failed) {
  struct dae_implicit_run *w = s->implicit;
  if (!failed) w->relaxed = fmax(1, RELAX_FADES * w->relaxed);
  else if (s->view->higher && s->step->stood) w->relaxed = fmin(NOISE_MOST, RELAX * w->relaxed);
}

/* Variables of a higher index are derivatives of others: rounding in them grows as steps shrink,
   and how fast they begin says nothing. The others tell the first size, or the run itself does: a
   step that is too long is found out, one that is too short is noise. False: index 0 or 1 */
bool dae_drive_implicit_first(const dae_solver *s, double span, double *h) {
  static const double PER_CENT = 0.01, OF_RUN = 1e-3;
  const struct dae_implicit_run *w = s->implicit;
  if (w->index < 2) return false;
  *h = OF_RUN * span;
  for (int j = 0; j < w->r->n; j++) {
    const double slope = fabs(s->step->dz[j]);
    if (w->of_variable[j] == 1 && slope > 0 && fabs(s->step->z[j]) > w->r->floor[j])
      *h = fmin(*h, PER_CENT * fabs(s->step->z[j]) / slope);
  }
  if (s->plan.o.max_step > 0) *h = fmin(*h, s->plan.o.max_step);
  return true;
}

void dae_drive_implicit_told(const dae_solver *s, dae_diagnosis *d) {
  const struct dae_implicit_run *w = s->implicit;
  d->index = w->dense ? w->found.index : w->index;
  d->rank = w->found.rank;
  d->rows = s->sys->nz;
}
