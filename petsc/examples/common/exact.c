/* see exact.h */
#include "exact.h"

PetscReal exact_value(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)ctx;
  if (k == 0) return PetscSinReal(x + 2 * t) * PetscCosReal(y) + 0.5 * PetscCosReal(3 * t);
  if (k == 1) return PetscCosReal(x + t) * y * y + PetscSinReal(2 * t - y);
  return PetscSinReal(2 * t) * PetscCosReal(2 * x) * y + x * PetscCosReal(t);
}

PetscReal exact_rate(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)ctx;
  if (k == 0) return 2 * PetscCosReal(x + 2 * t) * PetscCosReal(y) - 1.5 * PetscSinReal(3 * t);
  return -PetscSinReal(x + t) * y * y + 2 * PetscCosReal(2 * t - y);
}

PetscErrorCode exact_create(exact *e, grid *g, Mat B, Mat C) {
  PetscFunctionBeginUser;
  *e = (exact){.g = g, .B = B, .C = C};
  g->boundary = exact_value;
  g->boundary_t = exact_rate;
  PetscCall(DMCreateGlobalVector(g->faces, &e->u));
  PetscCall(DMCreateGlobalVector(g->faces, &e->F));
  PetscCall(DMCreateGlobalVector(g->cells, &e->p));
  PetscFunctionReturn(0);
}

PetscErrorCode exact_destroy(exact *e) {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&e->u));
  PetscCall(VecDestroy(&e->F));
  PetscCall(VecDestroy(&e->p));
  PetscFunctionReturn(0);
}

PetscErrorCode exact_force(exact *e, PetscReal t, Vec u, Vec F) {
  PetscFunctionBeginUser;
  PetscCall(grid_force(e->g, t, u, F));
  PetscCall(grid_fill(e->g, t, exact_value, NULL, PETSC_FALSE, e->u, e->p));
  PetscCall(grid_force(e->g, t, e->u, e->F));
  PetscCall(VecAXPY(F, -1, e->F));
  PetscCall(grid_fill(e->g, t, exact_rate, NULL, PETSC_FALSE, e->F, NULL));
  PetscCall(VecAXPY(F, 1, e->F));
  PetscCall(MatMultAdd(e->B, e->p, F, F));
  PetscFunctionReturn(0);
}

PetscErrorCode exact_data(exact *e, PetscReal t, PetscBool rate, Vec r) {
  PetscFunctionBeginUser;
  PetscCall(grid_fill(e->g, t, rate ? exact_rate : exact_value, NULL, PETSC_FALSE, e->F, NULL));
  PetscCall(MatMult(e->C, e->F, r));
  PetscFunctionReturn(0);
}

PetscErrorCode exact_tell(grid *g, grid_function f, void *ctx, PetscReal t, Vec u, Vec p) {
  Vec a, b;
  PetscReal eu, ep;
  PetscScalar sum;
  PetscInt n;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(u, &a));
  PetscCall(VecDuplicate(p, &b));
  PetscCall(grid_fill(g, t, f, ctx, PETSC_FALSE, a, b));
  PetscCall(VecAXPY(a, -1, u));
  PetscCall(VecAXPY(b, -1, p));
  PetscCall(VecSum(b, &sum));
  PetscCall(VecGetSize(b, &n));
  PetscCall(VecShift(b, -sum / n));
  PetscCall(VecNorm(a, NORM_INFINITY, &eu));
  PetscCall(VecNorm(b, NORM_INFINITY, &ep));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error u %.6e p %.6e\n", (double)eu, (double)ep));
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(0);
}
