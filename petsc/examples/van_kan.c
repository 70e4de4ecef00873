/*
 * For comparison: the classical incremental projection (Chorin, Van Kan) on the flow of flow2d
 * -case exact, with the second-order formula of Adams and Bashforth:
 *
 *   u* = u_n + h (3/2 F_n - 1/2 F_{n-1} - B p_n),   C B q = (C u* - r_{n+1}) / h
 *   u_{n+1} = u* - h B q,   p_{n+1} = p_n + q
 *
 * One solve a step. The pressure is of first order in time where boundary values change.
 * -n N -re R -end T -step H
 */
#include "common/exact.h"
#include <petscksp.h>

typedef struct state {
  grid g;
  exact e;
  Mat B, C, S;
  KSP ksp;
  Vec u, p, q, r, F, F_old, Bq;
} state;

static PetscErrorCode create(state *s, PetscInt n, PetscReal re) {
  MatNullSpace constant;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(grid_create(PETSC_COMM_WORLD, n, n, 1, 1, PETSC_FALSE, &s->g));
  s->g.viscosity = 1 / re;
  PetscCall(grid_matrices(&s->g, &s->B, &s->C));
  PetscCall(exact_create(&s->e, &s->g, s->B, s->C));
  PetscCall(MatMatMult(s->C, s->B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->S));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(MatSetNullSpace(s->S, constant));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, s->S, s->S));
  PetscCall(KSPSetType(s->ksp, KSPCG));
  PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetTolerances(s->ksp, 1e-12, 1e-50, PETSC_DEFAULT, 2000));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(MatCreateVecs(s->C, &s->u, &s->p));
  PetscCall(VecDuplicate(s->p, &s->q));
  PetscCall(VecDuplicate(s->p, &s->r));
  PetscCall(VecDuplicate(s->u, &s->F));
  PetscCall(VecDuplicate(s->u, &s->F_old));
  PetscCall(VecDuplicate(s->u, &s->Bq));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(state *s) {
  PetscFunctionBeginUser;
  Vec *all[] = {&s->u, &s->p, &s->q, &s->r, &s->F, &s->F_old, &s->Bq};
  for (int i = 0; i < 7; i++) PetscCall(VecDestroy(all[i]));
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(MatDestroy(&s->S));
  PetscCall(MatDestroy(&s->B));
  PetscCall(MatDestroy(&s->C));
  PetscCall(exact_destroy(&s->e));
  PetscCall(grid_destroy(&s->g));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(state *s, PetscReal t, PetscReal h, PetscBool first) {
  PetscFunctionBeginUser;
  PetscCall(exact_force(&s->e, t, s->u, s->F));
  PetscCall(VecAXPY(s->u, first ? h : 1.5 * h, s->F));
  if (!first) PetscCall(VecAXPY(s->u, -0.5 * h, s->F_old));
  PetscCall(VecCopy(s->F, s->F_old));
  PetscCall(MatMult(s->B, s->p, s->Bq));
  PetscCall(VecAXPY(s->u, -h, s->Bq));
  PetscCall(MatMult(s->C, s->u, s->q));
  PetscCall(exact_data(&s->e, t + h, PETSC_FALSE, s->r));
  PetscCall(VecAXPY(s->q, -1, s->r));
  PetscCall(VecScale(s->q, 1 / h));
  PetscCall(KSPSolve(s->ksp, s->q, s->r));
  PetscCall(MatMult(s->B, s->r, s->Bq));
  PetscCall(VecAXPY(s->u, -h, s->Bq));
  PetscCall(VecAXPY(s->p, 1, s->r));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  state s = {0};
  PetscInt n = 8;
  PetscReal re = 10, end = 0.4, h = 0.01;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "incremental projection\n"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-re", &re, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-end", &end, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-step", &h, NULL));
  PetscCall(create(&s, n, re));
  /* the pressure of the start is the exact one, which favours the method */
  PetscCall(grid_fill(&s.g, 0, exact_value, NULL, PETSC_FALSE, s.u, s.p));
  PetscInt steps = (PetscInt)PetscFloorReal(end / h + 0.5);
  for (PetscInt i = 0; i < steps; i++)
    PetscCall(step(&s, i * h, h, i == 0 ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "steps %" PetscInt_FMT "\n", steps));
  PetscCall(exact_tell(&s.g, exact_value, NULL, steps * h, s.u, s.p));
  PetscCall(destroy(&s));
  PetscCall(PetscFinalize());
  return 0;
}
