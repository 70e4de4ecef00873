/*
 * What imex and implicit methods share: systems with A = I - factor M^-1 L on the velocities
 * without divergence, C x = 0.
 *
 * With P = I - M^-1 B (C M^-1 B)^-1 C a stage asks for P A z = P x with C z = 0. It is solved by
 * flexible GMRES with the preconditioner P A^-1, which is the inverse where L and P commute (no
 * walls) and near it otherwise. Coupled stages (irk.c) have the same blocks.
 */
#include "flow.h"

PetscErrorCode DaeFlowStiffSetUp(DaeFlow f, Vec x, PetscErrorCode (*times)(Mat, Vec, Vec),
                                 PetscErrorCode (*precondition)(PC, Vec, Vec)) {
  PetscInt n, all, size, rows, columns;
  PC pc;
  PetscFunctionBeginUser;
  PetscCheck(f->L, f->comm, PETSC_ERR_ORDER,
             "%s needs the linear part of the force that is to be implicit: DaeFlowSetStiff",
             f->method->name);
  PetscCall(VecGetSize(f->u, &size));
  PetscCall(MatGetSize(f->L, &rows, &columns));
  PetscCheck(rows == size && columns == size, f->comm, PETSC_ERR_ARG_SIZ,
             "L is %" PetscInt_FMT " x %" PetscInt_FMT ", u has %" PetscInt_FMT " entries", rows,
             columns, size);
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetSize(x, &all));
  PetscCall(MatCreateShell(f->comm, n, n, all, all, f, &f->T));
  PetscCall(MatShellSetOperation(f->T, MATOP_MULT, (void (*)(void))times));
  PetscCall(KSPSetOperators(f->ksp_stage, f->T, f->T));
  PetscCall(KSPGetPC(f->ksp_stage, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, f));
  PetscCall(PCShellSetApply(pc, precondition));
  f->stiff_old = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStiffRefresh(DaeFlow f) {
  PetscFunctionBeginUser;
  if (!f->stiff_old) PetscFunctionReturn(0);
  f->stiff_old = PETSC_FALSE;
  if (!f->stiff) PetscFunctionReturn(0);
  PetscCall(f->stiff(f->time, f->u, f->L, f->stiff_ctx));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++) f->A_factor[i] = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStiffSet(DaeFlow f, int slot, PetscReal factor) {
  PetscFunctionBeginUser;
  if (f->A_factor[slot] == factor) PetscFunctionReturn(0);
  if (!f->A[slot]) PetscCall(MatDuplicate(f->L, MAT_DO_NOT_COPY_VALUES, &f->A[slot]));
  Mat A = f->A[slot];
  PetscCall(MatCopy(f->L, A, SUBSET_NONZERO_PATTERN));
  PetscCall(MatScale(A, -factor));
  if (f->mass_matrix) PetscCall(MatAXPY(A, 1, f->mass_matrix, UNKNOWN_NONZERO_PATTERN));
  else if (f->mass) PetscCall(MatDiagonalSet(A, f->mass, ADD_VALUES));
  else PetscCall(MatShift(A, 1));
  PetscCall(KSPSetOperators(f->ksp_stiff[slot], A, A));
  f->A_factor[slot] = factor;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStiffTimes(DaeFlow f, Vec x, Vec v) {
  PetscFunctionBeginUser;
  PetscCall(MatMult(f->L, x, v));
  PetscCall(DaeFlowDivide(f, v));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStiffDivide(DaeFlow f, int slot, Vec x, Vec y) {
  KSP ksp = f->ksp_stiff[slot];
  KSPConvergedReason reason;
  PetscInt iterations;
  Vec right = x;
  PetscFunctionBeginUser;
  if (f->mass) {
    right = f->beyond;
    PetscCall(DaeFlowWeigh(f, x, right));
  }
  PetscCall(KSPSolve(ksp, right, y));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  f->report.stiff_iterations += iterations;
  if (reason < 0 && DaeFlowOk(f))
    PetscCall(
        DaeFlowFail(f, DAE_E_SINGULAR,
                    "the linear solver of M - h gamma L gave up at t = %g after %" PetscInt_FMT
                    " iterations: %s",
                    (double)f->time, iterations, KSPConvergedReasons[reason]));
  PetscCall(DaeFlowTangent(f, y));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStiffSolve(DaeFlow f, PetscReal noise, Vec right, Vec x) {
  KSPConvergedReason reason;
  PetscReal rtol, atol, dtol;
  PetscInt most, iterations;
  PetscFunctionBeginUser;
  PetscCall(KSPGetTolerances(f->ksp_stage, &rtol, &atol, &dtol, &most));
  PetscCall(KSPSetTolerances(f->ksp_stage, rtol, PetscMax(atol, noise), dtol, most));
  PetscCall(KSPSolve(f->ksp_stage, right, x));
  PetscCall(KSPSetTolerances(f->ksp_stage, rtol, atol, dtol, most));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(KSPGetConvergedReason(f->ksp_stage, &reason));
  PetscCall(KSPGetIterationNumber(f->ksp_stage, &iterations));
  f->report.stage_iterations += iterations;
  if (reason < 0)
    PetscCall(DaeFlowFail(f, DAE_E_SINGULAR,
                          "the linear solver of a stage gave up at t = %g after %" PetscInt_FMT
                          " iterations: %s",
                          (double)f->time, iterations, KSPConvergedReasons[reason]));
  PetscFunctionReturn(0);
}
