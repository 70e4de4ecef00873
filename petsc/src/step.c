/*
 * One step of a method.
 *
 * Half-explicit (herk): stage i has the slope k_i = F(U_i) - M^-1 B p_i, with p_i such that the
 * constraints hold at t + s_i h for u + h sum_{j<=i} r_ij k_j (daedal/method.h).
 *
 * Projected stages (rk4, dopri5, dop853): U_i = u + h sum a_ij F_j, then moved along M^-1 B onto
 * the constraints of t + c_i h. With constant B and C that is the method applied to the equations
 * without p, so its order stays.
 *
 * IMEX (imex4): see imex.c; implicit methods: see irk.c; sequential regularization: see srm.c.
 *
 * The pressure of a step is that of its end from the differentiated constraints, one more solve:
 * pressures of stages are of lower order.
 */
#include "flow.h"

/* out := u + h sum_{j<count} w_j k_j */
static PetscErrorCode combine(DaeFlow f, PetscReal h, const double *w, int count, Vec out) {
  PetscScalar a[DAE_TABLEAU_STAGES];
  PetscFunctionBeginUser;
  for (int j = 0; j < count; j++) a[j] = h * w[j];
  PetscCall(VecCopy(f->u, out));
  if (count > 0) PetscCall(VecMAXPY(out, count, a, f->k));
  PetscFunctionReturn(0);
}

/* slope and `beyond` with the multipliers q added to those of stage i */
static PetscErrorCode add_multipliers(DaeFlow f, int i, PetscReal part, Vec q) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowSubtract(f, f->k[i], 1, q));
  PetscCall(VecAXPY(f->beyond, -part, f->Bp));
  PetscFunctionReturn(0);
}

/* Newton's method for the multipliers of a stage, from those of the present point, with the
   matrices of the stage, until the constraints stop shrinking */
static PetscErrorCode iterate(DaeFlow f, int i, PetscReal part, PetscReal time) {
  enum { MOST = 20 };
  const PetscReal rounding = 1e-10; /* of the first: below it, what stops shrinking is rounding */
  PetscReal size, first = 0, before = PETSC_MAX_REAL;
  PetscFunctionBeginUser;
  PetscCall(add_multipliers(f, i, part, f->p));
  for (int n = 0; n < MOST && DaeFlowOk(f); n++) {
    PetscCall(DaeFlowGap(f, time, f->beyond, f->gap));
    PetscCall(VecNorm(f->gap, NORM_2, &size));
    if (n == 0) first = size;
    if (size == 0 || (size > 0.5 * before && size <= rounding * first)) PetscFunctionReturn(0);
    if (n > 2 && !(size < before)) break;
    before = size;
    PetscCall(VecScale(f->gap, 1 / part));
    PetscCall(VecSet(f->guess, 0));
    PetscCall(DaeFlowSchurSolve(f, f->beyond, f->gap, f->guess));
    PetscCall(add_multipliers(f, i, part, f->guess));
  }
  if (DaeFlowOk(f) && !(before <= 1e-6 * first))
    PetscCall(DaeFlowFail(f, DAE_E_NEWTON,
                          "the constraints of a stage were not met at t = %g: |g| = %g",
                          (double)f->time, (double)before));
  PetscFunctionReturn(0);
}

/* the multipliers of stage i and its slope; `beyond` gets the point that meets the constraints */
static PetscErrorCode half_explicit_stage(DaeFlow f, PetscReal h, int i) {
  const dae_tableau *m = &f->t;
  PetscReal part = h * m->r[i][i], time = f->time + m->s[i] * h;
  PetscFunctionBeginUser;
  PetscCall(combine(f, h, m->a[i], i, f->stage));
  /* the first stage is the present point, whose force is known */
  if (i == 0) PetscCall(VecCopy(f->F, f->k[0]));
  else PetscCall(DaeFlowEvaluate(f, f->time + m->c[i] * h, f->stage, f->k[i]));
  PetscCall(DaeFlowRefresh(f, f->time + m->c[i] * h, f->stage));
  PetscCall(combine(f, h, m->r[i], i + 1, f->beyond));
  if (f->g) {
    PetscCall(iterate(f, i, part, time));
    PetscFunctionReturn(0);
  }
  /* linear: one solve, with the pressure of the present point as a guess */
  PetscCall(DaeFlowGap(f, time, f->beyond, f->gap));
  PetscCall(VecScale(f->gap, 1 / part));
  PetscCall(VecCopy(f->p, f->guess));
  PetscCall(DaeFlowSchurSolve(f, f->beyond, f->gap, f->guess));
  PetscCall(add_multipliers(f, i, part, f->guess));
  PetscFunctionReturn(0);
}

static PetscErrorCode half_explicit(DaeFlow f, PetscReal h) {
  PetscFunctionBeginUser;
  for (int i = 0; i < f->t.stages && DaeFlowOk(f); i++) {
    if (i == 0 && f->t.known_first) PetscCall(VecCopy(f->slope, f->k[0]));
    else PetscCall(half_explicit_stage(f, h, i));
  }
  /* the last row of r is b */
  PetscCall(VecCopy(f->beyond, f->u_new));
  PetscFunctionReturn(0);
}

/* is the last stage the new point? */
static PetscBool last_is_end(const dae_tableau *m) {
  for (int j = 0; j < m->stages; j++)
    if (m->a[m->stages - 1][j] != m->b[j]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* u_new moved onto the constraints; what a pressure p does in the time c h is the guess */
static PetscErrorCode project_stage(DaeFlow f, PetscReal c, PetscReal h, Vec u) {
  PetscFunctionBeginUser;
  PetscCall(VecCopy(f->p, f->guess));
  PetscCall(VecScale(f->guess, c * h));
  PetscCall(DaeFlowProject(f, f->time + c * h, u, f->guess));
  PetscFunctionReturn(0);
}

static PetscErrorCode projected(DaeFlow f, PetscReal h) {
  const dae_tableau *m = &f->t;
  int last = m->stages - last_is_end(m);
  PetscFunctionBeginUser;
  PetscCall(VecCopy(f->F, f->k[0]));
  for (int i = 1; i < last && DaeFlowOk(f); i++) {
    PetscCall(combine(f, h, m->a[i], i, f->stage));
    PetscCall(project_stage(f, m->c[i], h, f->stage));
    PetscCall(DaeFlowEvaluate(f, f->time + m->c[i] * h, f->stage, f->k[i]));
  }
  PetscCall(combine(f, h, m->b, last, f->u_new));
  PetscCall(project_stage(f, 1, h, f->u_new));
  PetscFunctionReturn(0);
}

static PetscErrorCode additive(DaeFlow f, PetscReal h) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowImexStages(f, h));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(combine(f, h, f->t.b, f->t.stages, f->u_new));
  PetscCall(project_stage(f, 1, h, f->u_new));
  PetscFunctionReturn(0);
}

static PetscErrorCode implicit(DaeFlow f, PetscReal h) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowImplicitStages(f, h));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowProject(f, f->time + h, f->u_new, f->guess));
  PetscFunctionReturn(0);
}

/* error := h (first k_start + sum w_i k_i + last k_end), without what the constraints remove */
static PetscErrorCode estimate(DaeFlow f, PetscReal h, const double *w, Vec error) {
  const dae_tableau *m = &f->t;
  PetscScalar a[DAE_TABLEAU_STAGES];
  PetscFunctionBeginUser;
  for (int j = 0; j < m->stages; j++) a[j] = h * w[j];
  PetscCall(VecSet(error, 0));
  PetscCall(VecMAXPY(error, m->stages, a, f->k));
  if (m->half_explicit) {
    PetscCall(VecAXPY(error, h * m->first, f->slope));
    PetscCall(VecAXPY(error, h * m->last, f->slope_new));
    PetscFunctionReturn(0);
  }
  PetscCall(MatMult(f->C, error, f->gap));
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowSchurSolve(f, error, f->gap, f->guess));
  PetscCall(DaeFlowSubtract(f, error, 1, f->guess));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowWeightedNorm(DaeFlow f, Vec error, PetscReal *norm) {
  PetscInt n;
  PetscFunctionBeginUser;
  PetscCall(VecGetSize(f->u, &n));
  PetscCall(VecCopy(f->u, f->stage));
  PetscCall(VecAbs(f->stage));
  PetscCall(VecScale(f->stage, f->rtol));
  PetscCall(VecShift(f->stage, f->atol));
  PetscCall(VecPointwiseDivide(f->stage, error, f->stage));
  PetscCall(VecNorm(f->stage, NORM_2, norm));
  *norm /= PetscSqrtReal((PetscReal)n);
  PetscFunctionReturn(0);
}

static PetscErrorCode error_norm(DaeFlow f, PetscReal h, PetscReal *norm) {
  const dae_tableau *m = &f->t;
  PetscReal crude = 0;
  PetscBool guarded = PETSC_FALSE;
  PetscFunctionBeginUser;
  for (int j = 0; j < m->stages; j++) guarded = guarded || m->guard[j] != 0;
  if (f->kind == DAE_FLOW_IMPLICIT) PetscCall(DaeFlowImplicitError(f, h));
  else PetscCall(estimate(f, h, m->error, f->error));
  PetscCall(DaeFlowWeightedNorm(f, f->error, norm));
  if (!guarded || *norm == 0) PetscFunctionReturn(0);
  PetscCall(estimate(f, h, m->guard, f->crude));
  PetscCall(DaeFlowWeightedNorm(f, f->crude, &crude));
  *norm *= *norm / PetscSqrtReal(*norm * *norm + 0.01 * crude * crude);
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowAttempt(DaeFlow f, PetscReal h, PetscReal *norm) {
  PetscFunctionBeginUser;
  *norm = 0;
  switch (f->kind) {
    case DAE_FLOW_HALF_EXPLICIT: PetscCall(half_explicit(f, h)); break;
    case DAE_FLOW_PROJECTED: PetscCall(projected(f, h)); break;
    case DAE_FLOW_IMEX: PetscCall(additive(f, h)); break;
    case DAE_FLOW_IMPLICIT: PetscCall(implicit(f, h)); break;
    case DAE_FLOW_SRM: PetscCall(DaeFlowSrmStep(f, h)); PetscFunctionReturn(0);
  }
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(VecCopy(f->p, f->p_new));
  PetscCall(DaeFlowSlope(f, f->time + h, f->u_new, f->F_new, f->p_new, f->slope_new));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  if (f->kind == DAE_FLOW_PROJECTED && last_is_end(&f->t))
    PetscCall(VecCopy(f->F_new, f->k[f->t.stages - 1]));
  if (f->step == 0 && f->method->estimate > 0) PetscCall(error_norm(f, h, norm));
  PetscFunctionReturn(0);
}
