/*
 * Sequential regularization with E = I (1995, (2.15) and (3.2) without the inverse): no linear
 * system is solved in a step.
 *
 *   M u_s' = f(t,u_s) - B y_s,   y_s = y_{s-1} + (C u_s - r(t)) / eps,   s = 1, 2, ..
 *
 * u_s is off by O(eps^s). Heun's method on each: y_{s-1} is then needed at both ends of a step
 * only, where it is that of the finished iterate (values of stages are wrong by O(h^2/eps)). All
 * iterates go forward side by side, which gives the same numbers as one after the other. They begin
 * at the same point, with y_0 the pressure of the start: there is no layer in u_1.
 *
 * y_S at the ends of steps is off by O(h^2/eps): the constraints of the first stage of a step are
 * met, those of the second are not by h^2/2 C u''. The mean sum b_i y_i of the stages is what acts
 * in the step, and is the pressure of its middle to O(h^2). The pressure that is given out is that
 * of the line through two of them.
 *
 * C M^-1 B / eps is explicit too: h |C M^-1 B| / eps <= 2. Where eps is not given, 1.6 of this is
 * taken; the rest is for the force, which is far from its limit at the short steps of this method.
 */
#include "flow.h"

const dae_method DaeFlowSrmMethod = {.name = "srm",
                                     .order = 2,
                                     .order_y = 2,
                                     .stage_order = 1,
                                     .stages = 2,
                                     .view = DAE_VIEW_INDEX2,
                                     .when = "no linear system: very many cores, short steps"};

/* the largest eigenvalue of C M^-1 B: not above the largest row sum where it is a matrix, which is
   the same on any number of ranks; else by powers, within a few per cent */
static PetscErrorCode spectral_radius(DaeFlow f) {
  enum { POWERS = 40 };
  const PetscReal margin = 1.05;
  PetscRandom random;
  PetscReal length = 1;
  PetscFunctionBeginUser;
  if (f->S_matrix && !f->mass_matrix) {
    PetscCall(MatNorm(f->S_matrix, NORM_INFINITY, &f->srm_radius));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscRandomCreate(f->comm, &random));
  PetscCall(VecSetRandom(f->trial, random));
  PetscCall(PetscRandomDestroy(&random));
  for (int k = 0; k < POWERS && length > 0; k++) {
    PetscCall(VecNormalize(f->trial, NULL));
    PetscCall(MatMult(f->S, f->trial, f->gap));
    PetscCall(VecCopy(f->gap, f->trial));
    PetscCall(VecNorm(f->trial, NORM_2, &length));
  }
  f->srm_radius = margin * length;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSrmSetUp(DaeFlow f) {
  PetscFunctionBeginUser;
  for (int s = 0; s + 1 < f->iterates; s++) PetscCall(VecDuplicate(f->u, &f->srm_u[s]));
  PetscCall(VecDuplicate(f->p, &f->srm_y));
  PetscCall(VecDuplicate(f->p, &f->y_old));
  PetscCall(VecDuplicate(f->p, &f->y_next));
  PetscCall(VecDuplicate(f->p, &f->mean));
  PetscCall(VecDuplicate(f->p, &f->mean_old));
  PetscCall(spectral_radius(f));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSrmStart(DaeFlow f) {
  PetscFunctionBeginUser;
  for (int s = 0; s + 1 < f->iterates; s++) PetscCall(VecCopy(f->u, f->srm_u[s]));
  PetscCall(VecCopy(f->p, f->srm_y));
  PetscCall(VecCopy(f->p, f->mean_old));
  f->mean_time = f->time;
  PetscFunctionReturn(0);
}

/* y := y + (C u - r(t)) / eps */
static PetscErrorCode add_drift(DaeFlow f, PetscReal t, Vec u, Vec y) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowGap(f, t, u, f->gap));
  PetscCall(VecAXPY(y, 1 / f->srm_used, f->gap));
  PetscFunctionReturn(0);
}

/* u, an iterate, to the end of the step, in `out`; y_old and y_next: those of the iterate before,
   then its own; mean: that of the stages. F: M^-1 f at its start, NULL: to be computed */
static PetscErrorCode heun(DaeFlow f, PetscReal h, Vec u, Vec F, Vec out) {
  const dae_tableau *m = &f->t;
  PetscScalar w[DAE_TABLEAU_STAGES];
  PetscFunctionBeginUser;
  PetscCall(VecSet(f->mean, 0));
  for (int i = 0; i < m->stages; i++) {
    PetscReal time = f->time + m->c[i] * h;
    for (int j = 0; j < i; j++) w[j] = h * m->a[i][j];
    PetscCall(VecCopy(u, f->stage));
    if (i > 0) PetscCall(VecMAXPY(f->stage, i, w, f->k));
    if (i == 0 && F) PetscCall(VecCopy(F, f->k[0]));
    else PetscCall(DaeFlowEvaluate(f, time, f->stage, f->k[i]));
    /* the first stage is the start, where this is y_s itself */
    Vec y = i > 0 ? f->trial : f->y_old;
    if (i > 0) PetscCall(VecCopy(f->y_next, f->trial));
    PetscCall(add_drift(f, time, f->stage, y));
    PetscCall(VecAXPY(f->mean, m->b[i], y));
    PetscCall(DaeFlowSubtract(f, f->k[i], 1, y));
  }
  for (int j = 0; j < m->stages; j++) w[j] = h * m->b[j];
  if (out != u) PetscCall(VecCopy(u, out));
  PetscCall(VecMAXPY(out, m->stages, w, f->k));
  PetscCall(add_drift(f, f->time + h, out, f->y_next));
  PetscFunctionReturn(0);
}

/* p_new := the line through mean_old and mean at the end of the step; mean is the next mean_old */
static PetscErrorCode extrapolate(DaeFlow f, PetscReal h) {
  PetscReal middle = f->time + h / 2, w = h / 2 / (middle - f->mean_time);
  PetscFunctionBeginUser;
  PetscCall(VecCopy(f->mean, f->p_new));
  PetscCall(VecAXPBY(f->p_new, -w, 1 + w, f->mean_old));
  Vec old = f->mean_old;
  f->mean_old = f->mean, f->mean = old;
  f->mean_time = middle;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSrmStep(DaeFlow f, PetscReal h) {
  const PetscReal share = 1.6;
  PetscReal length;
  PetscFunctionBeginUser;
  if (f->srm_used == 0)
    f->srm_used = f->srm_eps > 0 ? f->srm_eps : PetscAbsReal(h) * f->srm_radius / share;
  PetscCall(VecCopy(f->srm_y, f->y_old));
  PetscCall(VecCopy(f->srm_y, f->y_next));
  for (int s = 0; s + 1 < f->iterates; s++) PetscCall(heun(f, h, f->srm_u[s], NULL, f->srm_u[s]));
  PetscCall(heun(f, h, f->u, f->F, f->u_new));
  PetscCall(extrapolate(f, h));
  PetscCall(DaeFlowEvaluate(f, f->time + h, f->u_new, f->F_new));
  PetscCall(VecCopy(f->F_new, f->slope_new));
  PetscCall(DaeFlowSubtract(f, f->slope_new, 1, f->p_new));
  PetscCall(VecNorm(f->slope_new, NORM_2, &length));
  if (PetscIsInfOrNanReal(length))
    PetscCall(DaeFlowFail(f, DAE_E_CALLBACK,
                          "no finite number near t = %g: a function gave none, or the step is too "
                          "long for eps = %g and for the force",
                          (double)f->time, (double)f->srm_used));
  PetscFunctionReturn(0);
}
