/*
 * A case that is not flow: a ladder of n capacitors and resistors in which voltage sources are
 * switched between chosen nodes, as a saddle-point system on plain AIJ matrices.
 *
 *   c_i v_i' = (v_{i-1} - 2 v_i + v_{i+1}) / R - (B y)_i      y: currents of the sources
 *   v_{k+1} - v_k = sin(t + k)                                for every k divisible by 4
 *
 * The constraints leave the sums s_k = v_{k+1} + v_k free. -n N, -end T, -dae_..; prints the
 * energy, the sum of all currents, and the largest violation of a source.
 */
#include <daedal/petsc.h>

typedef struct circuit {
  PetscInt n;
  Mat A; /* resistors */
} circuit;

static PetscErrorCode force(PetscReal t, Vec v, Vec F, void *ctx) {
  PetscFunctionBeginUser;
  (void)t;
  PetscCall(MatMult(((circuit *)ctx)->A, v, F));
  PetscFunctionReturn(0);
}

/* sources: sin(t + k), or their rates */
static PetscErrorCode sources(PetscReal t, PetscBool rate, Vec r) {
  PetscInt first, last;
  PetscScalar *a;
  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(r, &first, &last));
  PetscCall(VecGetArray(r, &a));
  for (PetscInt i = first; i < last; i++)
    a[i - first] = rate ? PetscCosReal(t + 4 * i) : PetscSinReal(t + 4 * i);
  PetscCall(VecRestoreArray(r, &a));
  PetscFunctionReturn(0);
}

static PetscErrorCode data(PetscReal t, Vec r, void *ctx) {
  (void)ctx;
  return sources(t, PETSC_FALSE, r);
}
static PetscErrorCode data_t(PetscReal t, Vec r, void *ctx) {
  (void)ctx;
  return sources(t, PETSC_TRUE, r);
}

static PetscErrorCode matrices(circuit *c, Mat *B, Mat *C, Vec *mass) {
  PetscInt first, last, m = c->n / 4;
  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, c->n, c->n, 3, NULL, 2, NULL,
                         &c->A));
  PetscCall(MatGetOwnershipRange(c->A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscCall(MatSetValue(c->A, i, i, -2, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(c->A, i, i - 1, 1, INSERT_VALUES));
    if (i + 1 < c->n) PetscCall(MatSetValue(c->A, i, i + 1, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(c->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(c->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(c->A, mass, NULL));
  for (PetscInt i = first; i < last; i++)
    PetscCall(VecSetValue(*mass, i, 1 + 0.5 * PetscSinReal(i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*mass));
  PetscCall(VecAssemblyEnd(*mass));
  PetscCall(
      MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, last - first, m, c->n, 2, NULL, 2, NULL, C));
  PetscCall(MatGetOwnershipRange(*C, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    PetscCall(MatSetValue(*C, i, 4 * i, -1, INSERT_VALUES));
    PetscCall(MatSetValue(*C, i, 4 * i + 1, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatTranspose(*C, MAT_INITIAL_MATRIX, B));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  circuit c = {.n = 1000};
  Mat B, C;
  Vec mass, v, y;
  DaeFlow flow;
  PetscReal end = 2;
  const DaeFlowReport *r;
  PetscScalar energy, total;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "a ladder with voltage sources\n"));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &c.n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-end", &end, NULL));
  PetscCall(matrices(&c, &B, &C, &mass));
  PetscCall(MatCreateVecs(C, &v, &y));
  PetscCall(DaeFlowCreate(PETSC_COMM_WORLD, &flow));
  PetscCall(DaeFlowSetForce(flow, force, &c));
  PetscCall(DaeFlowSetMatrices(flow, B, C));
  PetscCall(DaeFlowSetMass(flow, mass));
  PetscCall(DaeFlowSetData(flow, data, data_t, NULL));
  PetscCall(DaeFlowSetFromOptions(flow));
  PetscCall(DaeFlowSolve(flow, 0, end, v, y));
  PetscCall(DaeFlowGetReport(flow, &r));
  PetscCall(VecDot(v, v, &energy));
  PetscCall(VecSum(y, &total));
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD, "status %s t %.10g steps %" PetscInt_FMT " constraint %.3e moved %.3g\n",
      dae_status_name(r->status), (double)r->t, r->steps, (double)r->constraint, (double)r->moved));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "energy %.15g currents %.15g\n", (double)energy,
                        (double)total));
  PetscCall(DaeFlowDestroy(&flow));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&c.A));
  PetscCall(VecDestroy(&mass));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&y));
  PetscCall(PetscFinalize());
  return 0;
}
