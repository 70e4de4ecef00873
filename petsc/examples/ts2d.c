/*
 * The flow of flow2d -case exact as an ordinary PETSc program: one vector of velocities and
 * pressures, an IFunction [u'; 0], an RHSFunction, a Jacobian by coloured differences. Nothing in
 * it knows of Daedal but the line DaeFlowRegisterTS():
 *
 *   ts2d -ts_type bdf ..                   PETSc's own methods
 *   ts2d -ts_type daedal_herk3 ..          half-explicit, velocities and pressures of order 3
 *
 *   -n N   -re R   -end T   -ts_dt H   -ts_adapt_type none
 */
#include "common/exact.h"
#include <daedal/petsc.h>

typedef struct flow {
  grid g;
  Mat B, C, J;
  exact e;
  Vec u, p, F, r;
  const PetscInt *range_u, *range_p; /* of all ranks */
  PetscMPIInt ranks;
} flow;

/* the own parts of U are velocities, then pressures */
static PetscErrorCode split(flow *f, Vec U) {
  const PetscScalar *a;
  PetscScalar *u, *p;
  PetscInt n, m;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(f->u, &n));
  PetscCall(VecGetLocalSize(f->p, &m));
  PetscCall(VecGetArrayRead(U, &a));
  PetscCall(VecGetArray(f->u, &u));
  PetscCall(VecGetArray(f->p, &p));
  PetscCall(PetscArraycpy(u, a, n));
  PetscCall(PetscArraycpy(p, a + n, m));
  PetscCall(VecRestoreArray(f->u, &u));
  PetscCall(VecRestoreArray(f->p, &p));
  PetscCall(VecRestoreArrayRead(U, &a));
  PetscFunctionReturn(0);
}

static PetscErrorCode join(Vec u, Vec p, Vec U) {
  const PetscScalar *b, *c;
  PetscScalar *a;
  PetscInt n, m;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetLocalSize(p, &m));
  PetscCall(VecGetArrayRead(u, &b));
  PetscCall(VecGetArrayRead(p, &c));
  PetscCall(VecGetArray(U, &a));
  PetscCall(PetscArraycpy(a, b, n));
  PetscCall(PetscArraycpy(a + n, c, m));
  PetscCall(VecRestoreArray(U, &a));
  PetscCall(VecRestoreArrayRead(p, &c));
  PetscCall(VecRestoreArrayRead(u, &b));
  PetscFunctionReturn(0);
}

/* [F(t,u) + s(t) - B p; C u - r(t)] */
static PetscErrorCode right_side(TS ts, PetscReal t, Vec U, Vec G, void *ctx) {
  flow *f = ctx;
  PetscFunctionBeginUser;
  (void)ts;
  PetscCall(split(f, U));
  PetscCall(exact_force(&f->e, t, f->u, f->F));
  PetscCall(VecScale(f->p, -1));
  PetscCall(MatMultAdd(f->B, f->p, f->F, f->F));
  PetscCall(exact_data(&f->e, t, PETSC_FALSE, f->p));
  PetscCall(MatMult(f->C, f->u, f->r));
  PetscCall(VecAXPY(f->r, -1, f->p));
  PetscCall(join(f->F, f->r, G));
  PetscFunctionReturn(0);
}

static PetscErrorCode left_side(TS ts, PetscReal t, Vec U, Vec V, Vec G, void *ctx) {
  flow *f = ctx;
  PetscFunctionBeginUser;
  (void)ts, (void)t, (void)U;
  PetscCall(split(f, V));
  PetscCall(VecSet(f->p, 0));
  PetscCall(join(f->u, f->p, G));
  PetscFunctionReturn(0);
}

/* the number in U of an entry of u or p */
static PetscInt place(const flow *f, PetscInt k, PetscBool pressure) {
  const PetscInt *range = pressure ? f->range_p : f->range_u;
  int r = 0;
  while (k >= range[r + 1]) r++;
  return pressure ? k + f->range_u[r + 1] : k + f->range_p[r];
}

/* where the Jacobian may have entries: couplings of neighbouring faces, B, C, the diagonal */
static PetscErrorCode pattern(flow *f, Vec U) {
  Mat A[3];
  PetscInt n;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 24, NULL, 24,
                         NULL, &f->J));
  PetscCall(MatSetOption(f->J, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(DMSetMatType(f->g.faces, MATAIJ));
  PetscCall(DMCreateMatrix(f->g.faces, &A[0]));
  A[1] = f->B;
  A[2] = f->C;
  for (int b = 0; b < 3; b++) {
    PetscInt first, last;
    PetscCall(MatGetOwnershipRange(A[b], &first, &last));
    for (PetscInt i = first; i < last; i++) {
      const PetscInt *column;
      PetscInt count;
      PetscCall(MatGetRow(A[b], i, &count, &column, NULL));
      for (PetscInt k = 0; k < count; k++)
        PetscCall(
            MatSetValue(f->J, place(f, i, b == 2), place(f, column[k], b == 1), 0, INSERT_VALUES));
      PetscCall(MatRestoreRow(A[b], i, &count, &column, NULL));
    }
  }
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(f->J, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(f->J, i, i, 0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(f->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(f->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatDestroy(&A[0]));
  PetscFunctionReturn(0);
}

static PetscErrorCode errors(flow *f, TS ts, Vec U) {
  PetscReal t;
  PetscInt steps;
  PetscFunctionBeginUser;
  PetscCall(TSGetTime(ts, &t));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(split(f, U));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "t %.10g steps %" PetscInt_FMT "\n", (double)t, steps));
  PetscCall(exact_tell(&f->g, exact_value, NULL, t, f->u, f->p));
  PetscFunctionReturn(0);
}

/* pressures are unique up to a constant: the null space of everything that is solved */
static PetscErrorCode constant_pressure(flow *f, Vec U, MatNullSpace *space) {
  Vec v;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(U, &v));
  PetscCall(VecSet(f->u, 0));
  PetscCall(VecSet(f->p, 1));
  PetscCall(join(f->u, f->p, v));
  PetscCall(VecNormalize(v, NULL));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &v, space));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(flow *f, PetscInt n, PetscReal re, Vec *U) {
  PetscInt nu, np;
  PetscFunctionBeginUser;
  PetscCall(grid_create(PETSC_COMM_WORLD, n, n, 1, 1, PETSC_FALSE, &f->g));
  f->g.viscosity = 1 / re;
  PetscCall(grid_matrices(&f->g, &f->B, &f->C));
  PetscCall(exact_create(&f->e, &f->g, f->B, f->C));
  Vec *like_u[] = {&f->u, &f->F}, *like_p[] = {&f->p, &f->r};
  for (int i = 0; i < 2; i++) {
    PetscCall(DMCreateGlobalVector(f->g.faces, like_u[i]));
    PetscCall(DMCreateGlobalVector(f->g.cells, like_p[i]));
  }
  PetscCall(VecGetOwnershipRanges(f->u, &f->range_u));
  PetscCall(VecGetOwnershipRanges(f->p, &f->range_p));
  PetscCall(VecGetLocalSize(f->u, &nu));
  PetscCall(VecGetLocalSize(f->p, &np));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, nu + np, PETSC_DETERMINE, U));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(flow *f) {
  PetscFunctionBeginUser;
  Vec *all[] = {&f->u, &f->F, &f->p, &f->r};
  for (int i = 0; i < 4; i++) PetscCall(VecDestroy(all[i]));
  PetscCall(exact_destroy(&f->e));
  PetscCall(MatDestroy(&f->B));
  PetscCall(MatDestroy(&f->C));
  PetscCall(MatDestroy(&f->J));
  PetscCall(grid_destroy(&f->g));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  flow f = {0};
  TS ts;
  Vec U;
  MatNullSpace space;
  PetscInt n = 8;
  PetscReal re = 10, end = 0.4;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "a flow as any TS program has it\n"));
  PetscCall(DaeFlowRegisterTS());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-re", &re, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-end", &end, NULL));
  PetscCall(create(&f, n, re, &U));
  PetscCall(pattern(&f, U));
  PetscCall(constant_pressure(&f, U, &space));
  PetscCall(MatSetNullSpace(f.J, space));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetProblemType(ts, TS_NONLINEAR));
  PetscCall(TSSetEquationType(ts, TS_EQ_DAE_IMPLICIT_INDEX2));
  PetscCall(TSSetIFunction(ts, NULL, left_side, &f));
  PetscCall(TSSetRHSFunction(ts, NULL, right_side, &f));
  PetscCall(TSSetIJacobian(ts, f.J, f.J, TSComputeIJacobianDefaultColor, NULL));
  PetscCall(TSSetMaxTime(ts, end));
  PetscCall(TSSetTimeStep(ts, 0.01));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(grid_fill(&f.g, 0, exact_value, NULL, PETSC_FALSE, f.u, f.p));
  PetscCall(join(f.u, f.p, U));
  PetscCall(TSSolve(ts, U));
  PetscCall(errors(&f, ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&U));
  PetscCall(destroy(&f));
  PetscCall(PetscFinalize());
  return 0;
}
