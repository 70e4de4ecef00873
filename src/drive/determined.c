/*
 * Do the equations 0 = F(t,x,x') still determine the variables? An equation that vanishes on the
 * way, or comes to say what others say, leaves a variable free, and steps with a matrix of before
 * converge to whatever they predicted. Two looks:
 *   the answer  (s E + J)^-1 (F(x + p, x' + s p) - F(x, x')) of the factors at hand to a
 *               disturbance p: p itself as far as the matrix is true; what the equations do not see
 *               is missing. It costs two evaluations.
 *   the pencil  s E + A at points that solve F = 0 to rounding, for all s: some equations depend on
 *               others on the solution and nowhere else. At two points, as one may be singular by
 *               itself.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "drive/implicit.h"

/* evaluations for each of a look: 2 % of the work for answers, but one for each of the first steps,
   which take less than the start did; where a look at the pencil found nothing 1 % for the next */
enum { PER_ANSWER = 50, FIRST = 20, PER_PENCIL = 100 };
/* of the last step: far enough from its end to tell a singular point from an interval */
static const double BEFORE = 0.97;
/* a disturbance, in sizes of the variables: far above rounding, far below what bends F */
static const double DISTURBANCE = 1e-6;
/* what an answer may lack of the disturbance: corrections that converge at such a rate are well
   off, and nothing at all of a variable that is free is left */
static const double LACKS = 0.3;
/* pivots of s E + A that are rounding, beside rows of size 1: of given matrices at points that are
   solutions to 1e-15, and of differences. What was regular at the start at this level counts */
static const double ROUNDING = 1e-12, ROUNDING_DIFFERENCES = 1e-9;

/* signs that differ from one look to the next: a bit of a product by an odd number near 2^64 times
   the golden section, which scatters neighbours */
static double sign_of(long look, int j) {
  const uint64_t mixed = ((uint64_t)look * 31 + (uint64_t)j + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return mixed >> 62 & 1 ? -1 : 1;
}

/* *lacks = false: the answer to a disturbance is the disturbance, about */
static dae_status answer_lacks(dae_solver *s, bool *lacks) {
  struct dae_implicit_run *w = s->implicit;
  const int n = w->r->n;
  double *p = w->x, *out = w->dx, most = 0;
  *lacks = true;
  if (!s->step->cls->answer) return DAE_OK;
  for (int j = 0; j < n; j++) {
    const double size = fmax(dae_residual_size(w->r, j, s->step->z), w->r->seen[j]);
    p[j] = DISTURBANCE * size * sign_of(w->looks, j);
  }
  const dae_status status = s->step->cls->answer(s->step, p, out);
  *lacks = false;
  if (status != DAE_OK) return status == DAE_STOPPED ? status : DAE_OK;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(out[j] / p[j] - 1));
  *lacks = !(most <= LACKS);
  return DAE_OK;
}

/* (x, x') in w to the nearest solution of F = 0, all of it free; false: there is none */
static dae_status polish(dae_solver *s, double t, double length, bool *on) {
  struct dae_implicit_run *w = s->implicit;
  const size_t n = (size_t)w->r->n;
  dae_pool pool;
  dae_solved found = {0};
  int level;
  dae_base_pool_init(&pool, &s->sys->passing);
  double *B = dae_base_doubles(&pool, n * n), *weight = dae_base_doubles(&pool, n);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  if (status == DAE_OK) {
    for (size_t j = 0; j < n; j++) B[j * n + j] = weight[j] = 1;
    dae_array a = {.r = w->r,
                   .t = t,
                   .length = length,
                   .x = w->x,
                   .dx = w->dx,
                   .X = w->X,
                   .free = (int)n,
                   .B = B,
                   .weight = weight,
                   .effort = DAE_EFFORT_QUICK};
    status = dae_problem_array_solve(&a, &found, &level);
  }
  dae_base_pool_free(&pool);
  *on = found.ok;
  return status;
}

/* the pencil at the solution nearest to (x, x') in w */
static dae_status look_at(dae_solver *s, double t, dae_structure *out) {
  struct dae_implicit_run *w = s->implicit;
  const bool given = s->p->implicit.jacobian || s->p->implicit.f_x;
  const double rounding = given ? ROUNDING : ROUNDING_DIFFERENCES;
  bool on;
  dae_path path = dae_drive_implicit_path(s, w->x, w->dx);
  path.t = t;
  *out = (dae_structure){0};
  dae_status status = dae_problem_regular(w->r, &path, &on);
  if (status == DAE_OK && on) return DAE_OK;
  if (status == DAE_STOPPED || status == DAE_E_MEMORY) return status;
  /* x' of a higher index is noise where steps are short: times are those of the start */
  if (w->length != 0) path.length = w->length;
  status = polish(s, t, path.length, &on);
  if (status == DAE_OK && on)
    status = dae_problem_singular(w->r, &path, w->regular ? rounding : 0, out);
  return status == DAE_E_CALLBACK ? DAE_OK : status;
}

static dae_status tell(dae_solver *s, const dae_structure *f) {
  dae_problem_equation_name(s->p, f->equation, s->report.equation, DAE_NAME_MAX);
  dae_problem_z_name(s->p, f->variable, s->report.variable, DAE_NAME_MAX);
  return dae_drive_report(
      s, DAE_E_RANK,
      "the equations do not determine the variables at t = %.15g: %s depends on "
      "the others or on nothing, and %s is free",
      s->t, s->report.equation, s->report.variable);
}

/* the present point and one before it in the last step: an interval without an answer */
static dae_status look_at_pencil(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)w->r->n * sizeof *w->x;
  const double before = s->step->t_old + BEFORE * s->step->h_old;
  dae_structure here, there = {0};
  w->looked = w->r->evaluations;
  memcpy(w->x, s->step->z, bytes);
  memcpy(w->dx, s->step->dz, bytes);
  dae_status status = look_at(s, s->step->t, &here);
  if (status != DAE_OK || !here.singular || s->step->h_old == 0) return status;
  status = s->step->cls->dense(s->step, BEFORE, w->x, NULL);
  memcpy(w->dx, s->step->dz, bytes);
  if (status == DAE_OK) status = look_at(s, before, &there);
  if (status != DAE_OK || !there.singular) return status == DAE_E_CALLBACK ? DAE_OK : status;
  return tell(s, &here);
}

dae_status dae_drive_determined_start(dae_solver *s) {
  struct dae_implicit_run *w = s->implicit;
  const size_t bytes = (size_t)w->r->n * sizeof *w->x;
  dae_structure here, ahead = {0};
  w->looks = w->answered = w->looked = w->vain = 0;
  w->regular = true, w->ended = false;
  w->length = dae_drive_implicit_path(s, s->z, s->dz).length;
  /* index 0 and 1 are found at a solution, by equations that determine x' there */
  if (!w->dense || !s->audit || (w->found.index >= 0 && w->found.index <= 1)) return DAE_OK;
  memcpy(w->x, s->z, bytes);
  memcpy(w->dx, s->dz, bytes);
  dae_status status = look_at(s, s->t, &here);
  w->regular = !here.singular;
  if (status != DAE_OK || w->regular) return status;
  /* beyond doubt, and beside the start too? */
  for (int k = 0; k < 2 && status == DAE_OK; k++) {
    for (int j = 0; j < w->r->n; j++) w->x[j] = s->z[j] + k * w->length * s->dz[j];
    memcpy(w->dx, s->dz, bytes);
    status = look_at(s, s->t + k * w->length, k ? &ahead : &here);
    if (!here.singular) return status;
  }
  return status == DAE_OK && ahead.singular ? tell(s, &here) : status;
}

/* M x' = f with a constant M that is regular: det(s M - f_x) is no zero polynomial, whatever f_x */
static bool always(const dae_solver *s) {
  const dae_implicit *m = &s->p->implicit;
  const dae_structure *f = &s->implicit->found;
  return !m->F && (!m->mass || m->mass_constant) && f->index == 0 && f->rank == m->n;
}

dae_status dae_drive_determined(dae_solver *s, bool end) {
  struct dae_implicit_run *w = s->implicit;
  if (!w || !s->audit || !w->dense || s->step->h_old == 0 || always(s)) return DAE_OK;
  const long before = w->r->evaluations, counted = s->step->evaluations;
  /* a matrix that was made where the equations depend on each other is regular by its errors, and
     so are answers: the end is looked at whatever they say */
  const bool first = end && (!w->ended || before - w->looked > w->vain * PER_PENCIL);
  if (end) w->ended = true;
  if (!end && w->looks >= FIRST && w->answered * PER_ANSWER > before) return DAE_OK;
  bool lacks = first;
  dae_status status = DAE_OK;
  if (!first) {
    w->looks++, w->answered += 2;
    status = answer_lacks(s, &lacks);
    if (status != DAE_OK) return status;
  }
  /* where pencils were looked at in vain, they are looked at less often */
  if (lacks && (end || w->vain == 0 || before - w->looked > w->vain * PER_PENCIL)) {
    const long looking = w->r->evaluations;
    status = look_at_pencil(s);
    w->vain = w->r->evaluations - looking;
  }
  s->step->evaluations = counted;
  return status;
}
