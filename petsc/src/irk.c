/*
 * Implicit Runge-Kutta methods of the core (Radau IIA, SDIRK, Gauss, Lobatto IIIC) with projected
 * stages:
 *
 *   M U_i = M u + h sum_j a_ij f(t_j, U_j) - B phi_i,   C U_i = r(t_i),   t_i = t + c_i h
 *
 * With constant B and C that is the method applied to the equations without p, so that u has its
 * full order, and so has p from the end of the step.
 *
 * Newton's method with L for df/du: corrections D_i with C D_i = 0 and
 *
 *   D_i - h sum_j a_ij P M^-1 L D_j = P (u + h sum_j a_ij F_j - U_i)
 *
 * by flexible GMRES on all stages at once. The preconditioner has L D of a = L D U in place of a
 * (Rana et al., SIAM J. Sci. Comput. 43, 2021): lower triangular with a positive diagonal, so that
 * stages are solved one after the other, each with a real matrix M - h l_ii L. For SDIRK it is a
 * itself.
 */
#include "flow.h"

/* a = L D U without pivots, lower := L D; the other factor is thrown away */
static PetscErrorCode factor(DaeFlow f) {
  const dae_tableau *m = &f->t;
  PetscReal a[DAE_FLOW_STAGES][DAE_FLOW_STAGES];
  PetscFunctionBeginUser;
  for (int i = 0; i < m->stages; i++)
    for (int j = 0; j < m->stages; j++) a[i][j] = m->a[i][j];
  for (int k = 0; k < m->stages; k++) {
    PetscCheck(a[k][k] > 0, f->comm, PETSC_ERR_SUP, "the stages of %s cannot be solved here",
               f->method->name);
    for (int i = 0; i < m->stages; i++) f->lower[i][k] = i < k ? 0 : a[i][k];
    for (int i = k + 1; i < m->stages; i++)
      for (int j = k + 1; j < m->stages; j++) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
  }
  PetscFunctionReturn(0);
}

/* end := b' a^-1: u_new = u + sum end_i (U_i - u), without forces, which are rough where they are
   stiff. Elimination on the transposed equations end' a = b' */
static void end_weights(DaeFlow f) {
  const dae_tableau *m = &f->t;
  const int s = m->stages;
  long double a[DAE_FLOW_STAGES][DAE_FLOW_STAGES + 1];
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) a[i][j] = m->a[j][i];
    a[i][s] = m->b[i];
  }
  for (int k = 0; k < s; k++)
    for (int i = 0; i < s; i++)
      for (int j = s; i != k && j >= k; j--) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
  for (int i = 0; i < s; i++) f->end[i] = (PetscReal)(a[i][s] / a[i][i]);
}

/* the slot of a stage: the first stage with the same diagonal */
static int slot_of(const DaeFlow f, int i) {
  int k = 0;
  while (f->lower[k][k] != f->lower[i][i]) k++;
  return k;
}

/* y_i := P (x_i - h sum_j a_ij M^-1 L x_j) */
static PetscErrorCode stages_times(Mat T, Vec x, Vec y) {
  DaeFlow f;
  Vec *X, *Y;
  PetscScalar w[DAE_FLOW_STAGES];
  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(T, &f));
  PetscCall(VecNestGetSubVecs(x, NULL, &X));
  PetscCall(VecNestGetSubVecs(y, NULL, &Y));
  for (int i = 0; i < f->t.stages; i++) PetscCall(DaeFlowStiffTimes(f, X[i], f->l[i]));
  for (int i = 0; i < f->t.stages; i++) {
    for (int j = 0; j < f->t.stages; j++) w[j] = -f->h_signed * f->t.a[i][j];
    PetscCall(VecCopy(X[i], Y[i]));
    PetscCall(VecMAXPY(Y[i], f->t.stages, w, f->l));
    PetscCall(DaeFlowTangent(f, Y[i]));
  }
  PetscFunctionReturn(0);
}

/* y_i := P (I - h l_ii M^-1 L)^-1 (x_i + h sum_{j<i} l_ij M^-1 L y_j) */
static PetscErrorCode stages_precondition(PC pc, Vec x, Vec y) {
  DaeFlow f;
  Vec *X, *Y;
  PetscScalar w[DAE_FLOW_STAGES];
  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &f));
  PetscCall(VecNestGetSubVecs(x, NULL, &X));
  PetscCall(VecNestGetSubVecs(y, NULL, &Y));
  for (int i = 0; i < f->t.stages; i++) {
    for (int j = 0; j < i; j++) w[j] = f->h_signed * f->lower[i][j];
    PetscCall(VecCopy(X[i], f->stage));
    if (i > 0) PetscCall(VecMAXPY(f->stage, i, w, f->l));
    PetscCall(DaeFlowStiffDivide(f, slot_of(f, i), f->stage, Y[i]));
    if (i + 1 < f->t.stages) PetscCall(DaeFlowStiffTimes(f, Y[i], f->l[i]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowImplicitSetUp(DaeFlow f) {
  PetscFunctionBeginUser;
  PetscCheck(f->t.stages <= DAE_FLOW_STAGES, f->comm, PETSC_ERR_SUP, "%s has too many stages",
             f->method->name);
  PetscCall(factor(f));
  end_weights(f);
  Vec part[DAE_FLOW_STAGES];
  for (int i = 0; i < f->t.stages; i++) {
    PetscCall(VecDuplicate(f->u, &f->U[i]));
    PetscCall(VecDuplicate(f->u, &f->l[i]));
    PetscCall(VecDuplicate(f->u, &part[i]));
  }
  PetscCall(VecCreateNest(f->comm, f->t.stages, NULL, part, &f->R_all));
  for (int i = 0; i < f->t.stages; i++) PetscCall(VecDestroy(&part[i]));
  PetscCall(VecDuplicate(f->R_all, &f->D_all));
  PetscCall(DaeFlowStiffSetUp(f, f->R_all, stages_times, stages_precondition));
  PetscFunctionReturn(0);
}

/* U_i from the slope at the start, on the constraints */
static PetscErrorCode predict(DaeFlow f, PetscReal h) {
  PetscFunctionBeginUser;
  for (int i = 0; i < f->t.stages && DaeFlowOk(f); i++) {
    PetscCall(VecWAXPY(f->U[i], f->t.c[i] * h, f->slope, f->u));
    PetscCall(VecSet(f->guess, 0));
    PetscCall(DaeFlowProject(f, f->time + f->t.c[i] * h, f->U[i], f->guess));
  }
  PetscFunctionReturn(0);
}

/* k_i := F(t_i, U_i), R_i := P (u + h sum a_ij k_j - U_i). Noise: what R has of rounding and of the
   solver of C M^-1 B, for which there is nothing to solve */
static PetscErrorCode residual(DaeFlow f, PetscReal h, PetscReal *noise) {
  Vec *R;
  PetscReal rtol, length, before;
  PetscScalar w[DAE_FLOW_STAGES];
  PetscFunctionBeginUser;
  PetscCall(VecNestGetSubVecs(f->R_all, NULL, &R));
  PetscCall(KSPGetTolerances(f->ksp, &rtol, NULL, NULL, NULL));
  PetscCall(VecNorm(f->u, NORM_2, &length));
  *noise = 16 * PETSC_MACHINE_EPSILON * length;
  for (int i = 0; i < f->t.stages; i++)
    PetscCall(DaeFlowEvaluate(f, f->time + f->t.c[i] * h, f->U[i], f->k[i]));
  for (int i = 0; i < f->t.stages && DaeFlowOk(f); i++) {
    for (int j = 0; j < f->t.stages; j++) w[j] = h * f->t.a[i][j];
    PetscCall(VecWAXPY(R[i], -1, f->U[i], f->u));
    PetscCall(VecMAXPY(R[i], f->t.stages, w, f->k));
    PetscCall(VecNorm(R[i], NORM_2, &before));
    *noise += 10 * rtol * before;
    PetscCall(DaeFlowTangent(f, R[i]));
  }
  PetscFunctionReturn(0);
}

/* largest correction of a stage, in units of the tolerance, or of |u| with fixed steps */
static PetscErrorCode measure(DaeFlow f, const Vec *D, PetscReal *size) {
  PetscReal one, length;
  PetscFunctionBeginUser;
  *size = 0;
  PetscCall(VecNorm(f->u, NORM_2, &length));
  for (int i = 0; i < f->t.stages; i++) {
    if (f->step == 0) {
      PetscCall(DaeFlowWeightedNorm(f, D[i], &one));
    } else {
      PetscCall(VecNorm(D[i], NORM_2, &one));
      one /= length > 0 ? length : 1;
    }
    *size = PetscIsInfOrNanReal(one) ? one : PetscMax(*size, one);
    if (PetscIsInfOrNanReal(one)) break;
  }
  PetscFunctionReturn(0);
}

/* Newton's method. It is done when what is left, judged by the rate, is a small part of the
   tolerance (with fixed steps: near rounding), or when corrections stop at rounding */
static PetscErrorCode iterate(DaeFlow f, PetscReal h) {
  enum { MOST = 30, SLOW = 8 };
  /* projections inside of GMRES: well below its tolerance; the correction is projected once more */
  const PetscReal inner = 1e-5;
  const PetscReal enough = f->step == 0 ? 0.01 : 1e-13, rounding = f->step == 0 ? 0.1 : 1e-9;
  PetscReal size = 0, before = 0, rate = 0.5, noise = 0;
  Vec *D;
  PetscFunctionBeginUser;
  PetscCall(VecNestGetSubVecs(f->D_all, NULL, &D));
  for (int n = 0; n < MOST && DaeFlowOk(f); n++) {
    PetscCall(residual(f, h, &noise));
    if (!DaeFlowOk(f)) break;
    PetscCall(VecSet(f->D_all, 0));
    f->loose = inner;
    PetscCall(DaeFlowStiffSolve(f, noise, f->R_all, f->D_all));
    f->loose = 0;
    for (int i = 0; i < f->t.stages && DaeFlowOk(f); i++) {
      PetscCall(DaeFlowTangent(f, D[i]));
      PetscCall(VecAXPY(f->U[i], 1, D[i]));
    }
    if (!DaeFlowOk(f)) break;
    PetscCall(measure(f, D, &size));
    if (n >= SLOW) f->stiff_old = PETSC_TRUE;
    if (n > 0) rate = PetscMin(size / before, 0.99);
    if (size * rate / (1 - rate) <= enough) PetscFunctionReturn(0);
    if (n > 0 && size > 0.5 * before && size <= rounding) PetscFunctionReturn(0);
    if (PetscIsInfOrNanReal(size) || (n > 2 && size > 2 * before)) break;
    before = size;
  }
  f->stiff_old = PETSC_TRUE;
  if (DaeFlowOk(f))
    PetscCall(
        DaeFlowFail(f, DAE_E_NEWTON,
                    "the stages of %s were not solved at t = %g: the last correction is %g. A "
                    "shorter step, or an L nearer to df/du, may help",
                    f->method->name, (double)f->time, (double)size));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowImplicitStages(DaeFlow f, PetscReal h) {
  PetscReal rest = 1;
  PetscFunctionBeginUser;
  f->h_signed = h;
  PetscCall(DaeFlowStiffRefresh(f));
  for (int i = 0; i < f->t.stages; i++)
    PetscCall(DaeFlowStiffSet(f, slot_of(f, i), h * f->lower[i][i]));
  PetscCall(predict(f, h));
  PetscCall(iterate(f, h));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  for (int i = 0; i < f->t.stages; i++) rest -= f->end[i];
  PetscCall(VecCopy(f->u, f->u_new));
  PetscCall(VecScale(f->u_new, rest));
  PetscCall(VecMAXPY(f->u_new, f->t.stages, f->end, f->U));
  PetscFunctionReturn(0);
}

/* The weights of U_i in a sum of h w_j k_j are w' a^-1; k is smooth enough here, since what follows
   damps it: (I - h first M^-1 L)^-1 */
PetscErrorCode DaeFlowImplicitError(DaeFlow f, PetscReal h) {
  const dae_tableau *m = &f->t;
  PetscScalar w[DAE_FLOW_STAGES];
  PetscFunctionBeginUser;
  for (int j = 0; j < m->stages; j++) w[j] = h * m->error[j];
  PetscCall(VecCopy(f->F, f->stage));
  PetscCall(VecScale(f->stage, h * m->first));
  PetscCall(VecMAXPY(f->stage, m->stages, w, f->k));
  PetscCall(DaeFlowTangent(f, f->stage));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(DaeFlowStiffSet(f, DAE_FLOW_STAGES, h * m->first));
  PetscCall(DaeFlowStiffDivide(f, DAE_FLOW_STAGES, f->stage, f->error));
  PetscFunctionReturn(0);
}
