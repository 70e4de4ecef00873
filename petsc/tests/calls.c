
/*
 * Small systems with known solutions, and calls that are wrong: each must be an error with a
 * reason, or a status, never a hang or a wrong result.
 */
#include <daedal/petsc.h>
#include <math.h>
#include <string.h>

static int checks, failures;

#define CHECK(truth)                                     \
  do {                                                   \
    checks++;                                            \
    if (!(truth)) {                                      \
      failures++;                                        \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #truth); \
    }                                                    \
  } while (0)

/* ---- a point on the unit circle: g = (|u|^2 - 1)/2, B = C' = u; f = (-u2, u1) + u (1 + u1):
   u = (cos t, sin t), p = 1 + cos t ---- */

static PetscErrorCode circle_force(PetscReal t, Vec u, Vec F, void *ctx) {
  const PetscScalar *a;
  PetscScalar *f;
  (void)t, (void)ctx;
  VecGetArrayRead(u, &a);
  VecGetArray(F, &f);
  f[0] = -a[1] + a[0] * (1 + a[0]);
  f[1] = a[0] + a[1] * (1 + a[0]);
  VecRestoreArray(F, &f);
  VecRestoreArrayRead(u, &a);
  return 0;
}

static PetscErrorCode circle_g(PetscReal t, Vec u, Vec G, void *ctx) {
  PetscReal length;
  (void)t, (void)ctx;
  VecNorm(u, NORM_2, &length);
  VecSet(G, 0.5 * (length * length - 1));
  return 0;
}

static PetscErrorCode circle_matrices(PetscReal t, Vec u, Mat C, Mat B, void *ctx) {
  const PetscScalar *a;
  (void)t, (void)ctx;
  VecGetArrayRead(u, &a);
  for (PetscInt i = 0; i < 2; i++) {
    MatSetValue(C, 0, i, a[i], INSERT_VALUES);
    MatSetValue(B, i, 0, a[i], INSERT_VALUES);
  }
  VecRestoreArrayRead(u, &a);
  MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY);
  MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY);
  return 0;
}

static PetscErrorCode matrix(PetscInt n, PetscInt m, const double *values, Mat *A) {
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, m, m, NULL, A));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < m; j++)
      PetscCall(MatSetValue(*A, i, j, values[i * m + j], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode circle_error(const char *method, PetscReal h, PetscReal *eu, PetscReal *ep) {
  DaeFlow f;
  Mat B, C;
  Vec u, p;
  const DaeFlowReport *r;
  const PetscScalar *a;
  const double ones[] = {1, 1};
  PetscFunctionBeginUser;
  PetscCall(matrix(2, 1, ones, &B));
  PetscCall(matrix(1, 2, ones, &C));
  PetscCall(MatCreateVecs(C, &u, &p));
  PetscCall(VecSetValue(u, 0, 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(u));
  PetscCall(VecAssemblyEnd(u));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &f));
  PetscCall(DaeFlowSetMethod(f, method));
  PetscCall(DaeFlowSetForce(f, circle_force, NULL));
  PetscCall(DaeFlowSetMatrices(f, B, C));
  PetscCall(DaeFlowSetConstraint(f, circle_g, NULL, circle_matrices, NULL));
  PetscCall(DaeFlowSetStep(f, h));
  PetscCall(DaeFlowSolve(f, 0, 2, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status == DAE_OK);
  if (r->status) printf("%s h %g: %s\n", method, (double)h, r->message);
  CHECK(r->constraint < 1e-12); /* rounding, a few times over */
  PetscCall(VecGetArrayRead(u, &a));
  *eu = PetscMax(PetscAbsReal(a[0] - PetscCosReal(2)), PetscAbsReal(a[1] - PetscSinReal(2)));
  PetscCall(VecRestoreArrayRead(u, &a));
  PetscCall(VecGetArrayRead(p, &a));
  *ep = PetscAbsReal(a[0] - 1 - PetscCosReal(2));
  PetscCall(VecRestoreArrayRead(p, &a));
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

/* constraints that are not linear: orders of u and p; a third of an order is left for the step
   sizes at which they are measured */
static PetscErrorCode nonlinear(void) {
  static const char *const method[] = {"herk2", "herk3", "herk4", "herk5"};
  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++) {
    PetscReal u1, p1, u2, p2;
    PetscCall(circle_error(method[k], 0.1, &u1, &p1));
    PetscCall(circle_error(method[k], 0.05, &u2, &p2));
    PetscReal wanted = dae_method_find(method[k])->order - 0.34;
    CHECK(PetscLog2Real(u1 / u2) > wanted);
    CHECK(PetscLog2Real(p1 / p2) > wanted);
  }
  PetscFunctionReturn(0);
}

/* ---- a linear system, u1' = -u1 - p, u2' = -p, u1 + u2 = sin t: in closed form
   w = u1 - u2: w' = -u1 = -(w + sin t)/2 ---- */

static PetscReal bad_from = 1e30;

static PetscErrorCode linear_force(PetscReal t, Vec u, Vec F, void *ctx) {
  const PetscScalar *a;
  PetscScalar *f;
  (void)ctx;
  VecGetArrayRead(u, &a);
  VecGetArray(F, &f);
  f[0] = t > bad_from ? NAN : -a[0];
  f[1] = 0;
  VecRestoreArray(F, &f);
  VecRestoreArrayRead(u, &a);
  return 0;
}

static PetscErrorCode sine(PetscReal t, Vec r, void *ctx) {
  (void)ctx;
  return VecSet(r, PetscSinReal(t));
}

static PetscErrorCode height(PetscReal t, Vec u, PetscReal *e, void *ctx) {
  const PetscScalar *a;
  (void)t, (void)ctx;
  VecGetArrayRead(u, &a);
  *e = a[0] - 0.2;
  VecRestoreArrayRead(u, &a);
  return 0;
}

static PetscErrorCode linear_flow(DaeFlow *f, Vec *u, Vec *p) {
  Mat B, C;
  const double ones[] = {1, 1};
  PetscFunctionBeginUser;
  PetscCall(matrix(2, 1, ones, &B));
  PetscCall(matrix(1, 2, ones, &C));
  PetscCall(MatCreateVecs(C, u, p));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, f));
  PetscCall(DaeFlowSetForce(*f, linear_force, NULL));
  PetscCall(DaeFlowSetMatrices(*f, B, C));
  PetscCall(DaeFlowSetData(*f, sine, NULL, NULL)); /* its rate by differences */
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(0);
}

/* w = -(2 (sin t / 2 .. )): solution of w' + w/2 = -sin(t)/2, w(0) = 0 */
static PetscReal exact_w(PetscReal t) {
  return -(0.2 * PetscSinReal(t) - 0.4 * PetscCosReal(t) + 0.4 * PetscExpReal(-t / 2));
}

static PetscErrorCode linear(void) {
  static const char *const method[] = {"herk3",  "herk5",  "dopri5", "dop853", "imex4",   "sdirk2",
                                       "radau2", "radau3", "radau5", "gauss3", "lobatto4"};
  enum { METHODS = sizeof method / sizeof *method };
  const double stiff[] = {-1, 0, 0, 0};
  PetscFunctionBeginUser;
  for (int k = 0; k < METHODS; k++) {
    DaeFlow f;
    Vec u, p;
    const DaeFlowReport *r;
    const PetscScalar *a;
    PetscCall(linear_flow(&f, &u, &p));
    PetscCall(DaeFlowSetMethod(f, method[k]));
    PetscCall(DaeFlowSetTolerances(f, 1e-8, 1e-8));
    Mat L;
    PetscCall(matrix(2, 2, stiff, &L));
    PetscCall(DaeFlowSetStiff(f, L)); /* for imex and implicit methods; the others do without */
    PetscCall(MatDestroy(&L));
    PetscCall(DaeFlowSolve(f, 0, 3, u, p));
    PetscCall(DaeFlowGetReport(f, &r));
    CHECK(r->status == DAE_OK);
    PetscReal w = exact_w(3), u1 = (PetscSinReal(3) + w) / 2;
    PetscReal p_exact = (-u1 - PetscCosReal(3)) / 2;
    PetscCall(VecGetArrayRead(u, &a));
    /* within a hundred tolerances: no share of the tolerance for the length of the run here */
    CHECK(PetscAbsReal(a[0] - u1) < 1e-6);
    CHECK(PetscAbsReal(a[0] + a[1] - PetscSinReal(3)) < 1e-13);
    PetscCall(VecRestoreArrayRead(u, &a));
    PetscCall(VecGetArrayRead(p, &a));
    CHECK(PetscAbsReal(a[0] - p_exact) < 1e-6);
    PetscCall(VecRestoreArrayRead(p, &a));
    /* inside the last step, on the constraints */
    PetscCall(DaeFlowEval(f, 2.999, u, p));
    PetscCall(VecGetArrayRead(u, &a));
    CHECK(PetscAbsReal(a[0] + a[1] - PetscSinReal(2.999)) < 1e-13);
    CHECK(PetscAbsReal(a[0] - (PetscSinReal(2.999) + exact_w(2.999)) / 2) < 1e-5);
    PetscCall(VecRestoreArrayRead(u, &a));
    PetscCall(DaeFlowDestroy(&f));
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&p));
  }
  PetscFunctionReturn(0);
}

/* with masses: the same system with its rows combined by a matrix M has the same solution,
   M u' = M f - M B p */
static PetscErrorCode weighted_force(PetscReal t, Vec u, Vec F, void *ctx) {
  Vec plain;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(F, &plain));
  PetscCall(linear_force(t, u, plain, NULL));
  PetscCall(MatMult(ctx, plain, F));
  PetscCall(VecDestroy(&plain));
  PetscFunctionReturn(0);
}

static PetscErrorCode one_with_mass(const double *weights, const char *method) {
  DaeFlow f;
  Vec u, p, diagonal;
  Mat B, C, L, M;
  const double ones[] = {1, 1}, stiff[] = {-weights[0], 0, -weights[2], 0},
               B_values[] = {weights[0] + weights[1], weights[2] + weights[3]};
  const PetscScalar *a;
  const DaeFlowReport *r;
  PetscFunctionBeginUser;
  PetscCall(matrix(2, 1, B_values, &B));
  PetscCall(matrix(1, 2, ones, &C));
  PetscCall(matrix(2, 2, stiff, &L));
  PetscCall(matrix(2, 2, weights, &M));
  PetscCall(MatCreateVecs(C, &u, &p));
  PetscCall(VecDuplicate(u, &diagonal));
  PetscCall(MatGetDiagonal(M, diagonal));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &f));
  PetscCall(DaeFlowSetForce(f, weighted_force, M));
  PetscCall(DaeFlowSetMatrices(f, B, C));
  if (weights[1] == 0) PetscCall(DaeFlowSetMass(f, diagonal));
  else PetscCall(DaeFlowSetMassMatrix(f, M));
  PetscCall(DaeFlowSetStiff(f, L));
  PetscCall(DaeFlowSetData(f, sine, NULL, NULL));
  PetscCall(DaeFlowSetMethod(f, method));
  PetscCall(DaeFlowSetTolerances(f, 1e-8, 1e-8));
  PetscCall(DaeFlowSolve(f, 0, 3, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status == DAE_OK && r->constraint < 1e-12);
  PetscReal u1 = (PetscSinReal(3) + exact_w(3)) / 2;
  PetscCall(VecGetArrayRead(u, &a));
  CHECK(PetscAbsReal(a[0] - u1) < 1e-6); /* a hundred tolerances, as above */
  PetscCall(VecRestoreArrayRead(u, &a));
  PetscCall(VecGetArrayRead(p, &a));
  CHECK(PetscAbsReal(a[0] - (-u1 - PetscCosReal(3)) / 2) < 1e-6);
  PetscCall(VecRestoreArrayRead(p, &a));
  PetscCall(DaeFlowDestroy(&f));
  Mat *matrices[] = {&B, &C, &L, &M};
  Vec *vectors[] = {&u, &p, &diagonal};
  for (int i = 0; i < 4; i++) PetscCall(MatDestroy(matrices[i]));
  for (int i = 0; i < 3; i++) PetscCall(VecDestroy(vectors[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode with_mass(void) {
  static const double diagonal[] = {2, 0, 0, 5}, full[] = {2, 0.7, 0.7, 5};
  static const char *const method[] = {"herk3", "dopri5", "imex4", "radau2", "sdirk3"};
  PetscFunctionBeginUser;
  for (int k = 0; k < 5; k++) {
    PetscCall(one_with_mass(diagonal, method[k]));
    PetscCall(one_with_mass(full, method[k]));
  }
  PetscFunctionReturn(0);
}

/* regularization: no solve but those of the start; of order eps^s until the 2 of Heun's method,
   with eps = h; a third of an order is left for the step sizes */
static PetscErrorCode regularized(PetscReal h, PetscInt iterates, PetscReal *eu, PetscReal *ep) {
  DaeFlow f;
  Vec u, p;
  const DaeFlowReport *r;
  const PetscScalar *a;
  PetscReal u1 = (PetscSinReal(3) + exact_w(3)) / 2;
  PetscFunctionBeginUser;
  PetscCall(linear_flow(&f, &u, &p));
  PetscCall(DaeFlowSetMethod(f, "srm"));
  PetscCall(DaeFlowSetRegularization(f, 4 * h, iterates));
  PetscCall(DaeFlowSetStep(f, h));
  PetscCall(DaeFlowSolve(f, 0, 3, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status == DAE_OK && r->solves == 2);
  PetscCall(VecGetArrayRead(u, &a));
  *eu = PetscAbsReal(a[0] - u1);
  PetscCall(VecRestoreArrayRead(u, &a));
  PetscCall(VecGetArrayRead(p, &a));
  *ep = PetscAbsReal(a[0] - (-u1 - PetscCosReal(3)) / 2);
  PetscCall(VecRestoreArrayRead(p, &a));
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

static PetscErrorCode regularization(void) {
  PetscFunctionBeginUser;
  for (PetscInt s = 1; s <= 3; s++) {
    PetscReal u1, p1, u2, p2, wanted = PetscMin(s, 2) - 0.34;
    PetscCall(regularized(0.01, s, &u1, &p1));
    PetscCall(regularized(0.005, s, &u2, &p2));
    CHECK(PetscLog2Real(u1 / u2) > wanted);
    CHECK(PetscLog2Real(p1 / p2) > wanted);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode event(void) {
  DaeFlow f;
  Vec u, p;
  const DaeFlowReport *r;
  PetscFunctionBeginUser;
  PetscCall(linear_flow(&f, &u, &p));
  PetscCall(DaeFlowSetMethod(f, "dopri5"));
  PetscCall(DaeFlowSetTolerances(f, 1e-9, 1e-9));
  PetscCall(DaeFlowSetEvent(f, height, NULL));
  PetscCall(DaeFlowSolve(f, 0, 3, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status == DAE_EVENT);
  PetscReal t = r->t, u1 = (PetscSinReal(t) + exact_w(t)) / 2;
  CHECK(PetscAbsReal(u1 - 0.2) < 1e-5); /* as good as the dense output, of order 3 */
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

/* ---- what goes wrong in a run is a status with a reason ---- */

static PetscErrorCode statuses(void) {
  DaeFlow f;
  Vec u, p;
  const DaeFlowReport *r;
  PetscFunctionBeginUser;
  /* no number after t = 1 */
  for (int fixed = 0; fixed < 2; fixed++) {
    PetscCall(linear_flow(&f, &u, &p));
    bad_from = 1;
    if (fixed) PetscCall(DaeFlowSetStep(f, 0.1));
    PetscCall(DaeFlowSolve(f, 0, 3, u, p));
    bad_from = 1e30;
    PetscCall(DaeFlowGetReport(f, &r));
    CHECK(r->status == DAE_E_CALLBACK && strstr(r->message, "no finite number"));
    CHECK(r->t <= 1 + 1e-9 && r->t > 0.5);
    PetscCall(DaeFlowDestroy(&f));
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&p));
  }
  /* a limit on steps */
  PetscCall(linear_flow(&f, &u, &p));
  PetscCall(DaeFlowSetStep(f, 0.1));
  PetscCall(DaeFlowSetMaxSteps(f, 5));
  PetscCall(DaeFlowSolve(f, 0, 3, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status == DAE_E_LIMIT && r->steps == 5);
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  /* C B = 0: nothing determines p */
  Mat B, C;
  const double plus[] = {1, 1}, minus[] = {1, -1};
  PetscCall(matrix(2, 1, plus, &B));
  PetscCall(matrix(1, 2, minus, &C));
  PetscCall(MatCreateVecs(C, &u, &p));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &f));
  PetscCall(DaeFlowSetForce(f, linear_force, NULL));
  PetscCall(DaeFlowSetMatrices(f, B, C));
  PetscCall(DaeFlowSetData(f, sine, NULL, NULL));
  PetscCall(DaeFlowSolve(f, 0, 3, u, p));
  PetscCall(DaeFlowGetReport(f, &r));
  CHECK(r->status < 0 && r->message[0]);
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

static PetscErrorCode sine_once(PetscReal t, Vec r, void *ctx) {
  (void)ctx;
  VecSet(r, 0);
  VecSetValue(r, 0, PetscSinReal(t), INSERT_VALUES);
  VecAssemblyBegin(r);
  return VecAssemblyEnd(r);
}

static PetscErrorCode no_force(PetscReal t, Vec u, Vec F, void *ctx) {
  (void)t, (void)u, (void)ctx;
  return VecSet(F, 0);
}

/* three differences around a ring sum to 0: data that do not are told, and so is a null space that
   C does not have; data that do are met */
static PetscErrorCode null_spaces(void) {
  static const double ring[] = {1, -1, 0, 0, 1, -1, -1, 0, 1},
                      ring_t[] = {1, 0, -1, -1, 1, 0, 0, -1, 1},
                      regular[] = {2, 0, 0, 0, 3, 0, 0, 0, 4};
  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++) {
    DaeFlow f;
    Mat B, C;
    Vec u, p;
    KSP ksp;
    PC pc;
    MatNullSpace constant;
    const DaeFlowReport *r;
    PetscCall(matrix(3, 3, k == 1 ? regular : ring_t, &B));
    PetscCall(matrix(3, 3, k == 1 ? regular : ring, &C));
    PetscCall(MatCreateVecs(C, &u, &p));
    PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &f));
    PetscCall(DaeFlowSetForce(f, no_force, NULL));
    PetscCall(DaeFlowSetMatrices(f, B, C));
    if (k < 2) PetscCall(DaeFlowSetData(f, sine_once, NULL, NULL));
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constant));
    PetscCall(DaeFlowSetNullSpace(f, constant));
    PetscCall(DaeFlowGetKSP(f, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    /* a factorization, the default, fails on a singular matrix */
    if (k < 3) PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(DaeFlowSolve(f, 0, 1, u, p));
    PetscCall(DaeFlowGetReport(f, &r));
    if (k == 2) CHECK(r->status == DAE_OK);
    else if (k == 3) CHECK(r->status == DAE_E_SINGULAR && strstr(r->message, "PC_FAILED"));
    else CHECK(r->status == DAE_E_INCONSISTENT && strstr(r->message, "contradict the null space"));
    PetscCall(DaeFlowDestroy(&f));
    PetscCall(MatNullSpaceDestroy(&constant));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(VecDestroy(&u));
    PetscCall(VecDestroy(&p));
  }
  PetscFunctionReturn(0);
} /* ---- calls that are wrong are errors
   ---- */

static PetscErrorCode wrong(void) {
  DaeFlow f;
  Vec u, p;
  Mat B;
  const double ones[] = {1, 1, 1, 1, 1, 1};
  PetscFunctionBeginUser;
  PetscCall(linear_flow(&f, &u, &p));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  CHECK(DaeFlowSetMethod(f, "bdf") != 0);
  CHECK(DaeFlowSetMethod(f, "none") != 0);
  CHECK(DaeFlowSetMethod(f, NULL) != 0);
  CHECK(DaeFlowSetTolerances(f, -1, 0) != 0);
  CHECK(DaeFlowSetTolerances(f, 0, 0) != 0);
  CHECK(DaeFlowSetStep(f, -1) != 0);
  CHECK(DaeFlowSetMaxSteps(f, 0) != 0);
  CHECK(DaeFlowSetRegularization(f, -1, 2) != 0);
  CHECK(DaeFlowSetRegularization(f, 0, 0) != 0);
  CHECK(DaeFlowSetRegularization(f, 0, 99) != 0);
  CHECK(DaeFlowSetMatrices(f, NULL, NULL) != 0);
  CHECK(DaeFlowSetConstraint(f, circle_g, NULL, NULL, NULL) != 0);
  CHECK(DaeFlowStep(f, 1) != 0);            /* before the start */
  CHECK(DaeFlowEval(f, 0.5, u, NULL) != 0); /* likewise */
  CHECK(DaeFlowSave(f, "nothing") != 0);
  CHECK(DaeFlowLoad(f, "does-not-exist") != 0);
  /* rk4 has no error estimate */
  DaeFlow g;
  Vec v, q;
  PetscCall(linear_flow(&g, &v, &q));
  CHECK(DaeFlowSetMethod(g, "rk4") == 0);
  CHECK(DaeFlowSolve(g, 0, 1, v, q) != 0);
  CHECK(DaeFlowSetMethod(g, "herk3") != 0); /* too late */
  PetscCall(DaeFlowDestroy(&g));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&q));
  /* imex and implicit methods without an implicit part, and with one of another size */
  for (int k = 0; k < 4; k++) {
    PetscCall(linear_flow(&g, &v, &q));
    CHECK(DaeFlowSetMethod(g, k < 2 ? "imex4" : "radau3") == 0);
    PetscCall(matrix(3, 2, ones, &B));
    if (k % 2 == 1) CHECK(DaeFlowSetStiff(g, B) == 0);
    CHECK(DaeFlowSolve(g, 0, 1, v, q) != 0);
    PetscCall(MatDestroy(&B));
    PetscCall(DaeFlowDestroy(&g));
    PetscCall(VecDestroy(&v));
    PetscCall(VecDestroy(&q));
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(DaeFlowDestroy(&f)); /* twice is nothing */
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

static PetscErrorCode wrong_sizes(void) {
  DaeFlow f, g;
  Vec u, p, v, q, mass;
  Mat B, C;
  const double ones[] = {1, 1, 1};
  PetscFunctionBeginUser;
  PetscCall(linear_flow(&f, &u, &p));
  PetscCall(DaeFlowDestroy(&f));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  /* matrices that do not fit, a mass that is not positive */
  PetscCall(matrix(2, 1, ones, &B));
  PetscCall(matrix(1, 3, ones, &C));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &g));
  CHECK(DaeFlowStart(g, 0, u) != 0); /* no force */
  PetscCall(DaeFlowSetForce(g, linear_force, NULL));
  CHECK(DaeFlowStart(g, 0, u) != 0); /* no matrices */
  PetscCall(DaeFlowSetMatrices(g, B, C));
  CHECK(DaeFlowStart(g, 0, u) != 0);
  PetscCall(DaeFlowDestroy(&g));
  PetscCall(MatDestroy(&C));
  PetscCall(matrix(1, 2, ones, &C));
  PetscCall(DaeFlowCreate(PETSC_COMM_SELF, &g));
  PetscCall(DaeFlowSetForce(g, linear_force, NULL));
  PetscCall(DaeFlowSetMatrices(g, B, C));
  PetscCall(VecDuplicate(u, &mass));
  PetscCall(DaeFlowSetMass(g, mass));
  CHECK(DaeFlowStart(g, 0, u) != 0);
  PetscCall(DaeFlowDestroy(&g));
  /* a mass matrix of another size; vectors of another size */
  PetscCall(linear_flow(&g, &v, &q));
  PetscCall(DaeFlowSetMassMatrix(g, B));
  CHECK(DaeFlowStart(g, 0, v) != 0);
  PetscCall(DaeFlowDestroy(&g));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&q));
  PetscCall(linear_flow(&g, &v, &q));
  CHECK(DaeFlowSolve(g, 0, 1, q, v) != 0);
  PetscCall(DaeFlowDestroy(&g));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&q));
  PetscCall(PetscPopErrorHandler());
  PetscCall(VecDestroy(&mass));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(nonlinear());
  PetscCall(linear());
  PetscCall(with_mass());
  PetscCall(regularization());
  PetscCall(event());
  PetscCall(statuses());
  PetscCall(null_spaces());
  PetscCall(wrong());
  PetscCall(wrong_sizes());
  printf("%d checks, %d failures\n", checks, failures);
  PetscCall(PetscFinalize());
  return failures != 0;
}
