/*
 * The equations as the steps need them, and the one linear system there is: C M^-1 B q = gap.
 *
 * Constraints and forces are called through here, counted and checked.
 */
#include "flow.h"

PetscErrorCode DaeFlowDivide(DaeFlow f, Vec x) {
  KSPConvergedReason reason;
  PetscFunctionBeginUser;
  if (f->mass && !f->mass_matrix) PetscCall(VecPointwiseMult(x, x, f->mass_inverse));
  if (!f->mass_matrix) PetscFunctionReturn(0);
  PetscCall(VecCopy(x, f->divided));
  PetscCall(KSPSolve(f->ksp_mass, f->divided, x));
  PetscCall(KSPGetConvergedReason(f->ksp_mass, &reason));
  if (reason < 0 && DaeFlowOk(f))
    PetscCall(DaeFlowFail(f, DAE_E_SINGULAR, "the linear solver of M gave up at t = %g: %s",
                          (double)f->time, KSPConvergedReasons[reason]));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowWeigh(DaeFlow f, Vec x, Vec y) {
  PetscFunctionBeginUser;
  if (f->mass_matrix) PetscCall(MatMult(f->mass_matrix, x, y));
  else if (f->mass) PetscCall(VecPointwiseMult(y, x, f->mass));
  else PetscCall(VecCopy(x, y));
  PetscFunctionReturn(0);
}

/* y := C M^-1 B x, for solvers and for matrices that cannot be multiplied out */
static PetscErrorCode schur_times(Mat S, Vec x, Vec y) {
  DaeFlow f;
  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(S, &f));
  PetscCall(MatMult(f->B, x, f->Bp));
  PetscCall(DaeFlowDivide(f, f->Bp));
  PetscCall(MatMult(f->C, f->Bp, y));
  PetscFunctionReturn(0);
}

/* can the matrices be multiplied out? */
static PetscErrorCode has_entries(Mat A, PetscBool *yes) {
  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, yes, MATSEQAIJ, MATMPIAIJ, MATAIJ, ""));
  PetscFunctionReturn(0);
}

/* C (M^-1 B), or C diag(M)^-1 B, for the preconditioner */
static PetscErrorCode multiply_out(DaeFlow f) {
  Mat scaled;
  PetscFunctionBeginUser;
  if (f->mass) {
    PetscCall(MatDuplicate(f->B, MAT_COPY_VALUES, &scaled));
    PetscCall(MatDiagonalScale(scaled, f->mass_inverse, NULL));
  } else {
    PetscCall(PetscObjectReference((PetscObject)f->B));
    scaled = f->B;
  }
  PetscCall(MatDestroy(&f->S_matrix));
  PetscCall(MatMatMult(f->C, scaled, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &f->S_matrix));
  PetscCall(MatDestroy(&scaled));
  if (f->space) {
    PetscCall(MatSetNullSpace(f->S_matrix, f->space));
    PetscCall(MatSetNearNullSpace(f->S_matrix, f->space));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode set_operators(DaeFlow f) {
  PetscBool b, c;
  PetscFunctionBeginUser;
  PetscCall(has_entries(f->B, &b));
  PetscCall(has_entries(f->C, &c));
  if (b && c) PetscCall(multiply_out(f));
  /* with a matrix at hand one product is cheaper than two */
  Mat near = f->S_matrix ? f->S_matrix : f->S, same = f->mass_matrix ? f->S : near;
  PetscCall(KSPSetOperators(f->ksp, same, f->schur ? f->schur : near));
  PetscFunctionReturn(0);
}

/* sizes fit each other, and the null space is one */
static PetscErrorCode check_sizes(DaeFlow f) {
  PetscInt n, m, n2, m2;
  PetscFunctionBeginUser;
  PetscCheck(f->force, f->comm, PETSC_ERR_ORDER, "DaeFlowSetForce has not been called");
  PetscCheck(f->B && f->C, f->comm, PETSC_ERR_ORDER, "DaeFlowSetMatrices has not been called");
  PetscCall(MatGetSize(f->B, &n, &m));
  PetscCall(MatGetSize(f->C, &m2, &n2));
  PetscCheck(n == n2 && m == m2, f->comm, PETSC_ERR_ARG_SIZ,
             "B is %" PetscInt_FMT " x %" PetscInt_FMT " and C %" PetscInt_FMT " x %" PetscInt_FMT
             ": C must have the transposed size of B",
             n, m, m2, n2);
  PetscCheck(m <= n, f->comm, PETSC_ERR_ARG_SIZ,
             "there are more constraints (%" PetscInt_FMT ") than unknowns u (%" PetscInt_FMT ")",
             m, n);
  PetscFunctionReturn(0);
}

/* M fits, its diagonal is positive; the solver of a matrix */
static PetscErrorCode set_mass(DaeFlow f) {
  PetscInt n, size, columns;
  PetscReal least;
  PetscFunctionBeginUser;
  if (!f->mass && !f->mass_matrix) PetscFunctionReturn(0);
  PetscCall(VecGetSize(f->u, &n));
  if (f->mass_matrix) {
    PetscCall(MatGetSize(f->mass_matrix, &size, &columns));
    PetscCheck(size == n && columns == n, f->comm, PETSC_ERR_ARG_SIZ,
               "M is %" PetscInt_FMT " x %" PetscInt_FMT ", u has %" PetscInt_FMT " entries", size,
               columns, n);
    PetscCall(VecDuplicate(f->u, &f->mass));
    PetscCall(VecDuplicate(f->u, &f->divided));
    PetscCall(MatGetDiagonal(f->mass_matrix, f->mass));
    PetscCall(KSPSetOperators(f->ksp_mass, f->mass_matrix, f->mass_matrix));
  }
  PetscCall(VecGetSize(f->mass, &size));
  PetscCheck(size == n, f->comm, PETSC_ERR_ARG_SIZ,
             "the mass has %" PetscInt_FMT " entries, u has %" PetscInt_FMT, size, n);
  PetscCall(VecMin(f->mass, NULL, &least));
  PetscCheck(least > 0, f->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "the mass has an entry %g: all must be positive", (double)least);
  PetscCall(VecDuplicate(f->mass, &f->mass_inverse));
  PetscCall(VecCopy(f->mass, f->mass_inverse));
  PetscCall(VecReciprocal(f->mass_inverse));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_vectors(DaeFlow f) {
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(f->C, &f->u, &f->gap));
  Vec *like_u[] = {&f->F,         &f->slope, &f->u_old, &f->slope_old, &f->u_new,  &f->F_new,
                   &f->slope_new, &f->error, &f->crude, &f->stage,     &f->beyond, &f->Bp};
  Vec *like_p[] = {&f->p, &f->p_new, &f->guess, &f->data, &f->trial};
  for (size_t i = 0; i < sizeof like_u / sizeof *like_u; i++)
    PetscCall(VecDuplicate(f->u, like_u[i]));
  for (size_t i = 0; i < sizeof like_p / sizeof *like_p; i++)
    PetscCall(VecDuplicate(f->gap, like_p[i]));
  for (int i = 0; i < f->t.stages; i++) PetscCall(VecDuplicate(f->u, &f->k[i]));
  PetscFunctionReturn(0);
}

/* |C x| of a vector of length 1 in which all entries are alike, with changing signs */
static PetscErrorCode measure_constraint(DaeFlow f) {
  PetscRandom random;
  PetscReal length;
  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(f->comm, &random));
  PetscCall(PetscRandomSetInterval(random, -1, 1));
  PetscCall(PetscRandomSetSeed(random, 1));
  PetscCall(PetscRandomSeed(random));
  PetscCall(VecSetRandom(f->stage, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(VecNormalize(f->stage, &length));
  PetscCall(MatMult(f->C, f->stage, f->gap));
  PetscCall(VecNorm(f->gap, NORM_2, &f->size));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetUp(DaeFlow f) {
  PetscInt n, m;
  PetscFunctionBeginUser;
  if (f->ready) PetscFunctionReturn(0);
  PetscCall(check_sizes(f));
  PetscCall(take_vectors(f));
  PetscCall(set_mass(f));
  PetscCall(VecGetLocalSize(f->gap, &m));
  PetscCall(VecGetSize(f->gap, &n));
  PetscCall(MatCreateShell(f->comm, m, m, n, n, f, &f->S));
  PetscCall(MatShellSetOperation(f->S, MATOP_MULT, (void (*)(void))schur_times));
  if (f->space) PetscCall(MatSetNullSpace(f->S, f->space));
  PetscCall(set_operators(f));
  PetscCall(measure_constraint(f));
  if (f->kind == DAE_FLOW_IMEX) PetscCall(DaeFlowImexSetUp(f));
  if (f->kind == DAE_FLOW_IMPLICIT) PetscCall(DaeFlowImplicitSetUp(f));
  if (f->kind == DAE_FLOW_SRM) PetscCall(DaeFlowSrmSetUp(f));
  f->ready = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowEvaluate(DaeFlow f, PetscReal t, Vec u, Vec F) {
  PetscFunctionBeginUser;
  f->report.evaluations++;
  PetscCall(f->force(t, u, F, f->force_ctx));
  PetscCall(DaeFlowDivide(f, F));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowGap(DaeFlow f, PetscReal t, Vec u, Vec gap) {
  PetscFunctionBeginUser;
  if (f->g) {
    PetscCall(f->g(t, u, gap, f->g_ctx));
    PetscFunctionReturn(0);
  }
  PetscCall(MatMult(f->C, u, gap));
  if (f->r) {
    PetscCall(f->r(t, f->data, f->r_ctx));
    PetscCall(VecAXPY(gap, -1, f->data));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowRefresh(DaeFlow f, PetscReal t, Vec u) {
  PetscFunctionBeginUser;
  if (!f->matrices) PetscFunctionReturn(0);
  PetscCall(f->matrices(t, u, f->C, f->B, f->g_ctx));
  PetscCall(set_operators(f));
  PetscFunctionReturn(0);
}

/* A part of the gap that no pressure can close must be rounding: else the data contradict the null
   space (more inflow than outflow), or the null space is wrong. Removes it */
static PetscErrorCode close_null_space(DaeFlow f, Vec u, Vec gap) {
  const PetscReal relative = 1e-7, rounding = 1e-11;
  PetscReal before, length, removed, data = 0;
  PetscFunctionBeginUser;
  PetscCall(VecCopy(gap, f->trial));
  PetscCall(MatNullSpaceRemove(f->space, gap));
  PetscCall(VecAXPY(f->trial, -1, gap));
  PetscCall(VecNorm(f->trial, NORM_2, &removed));
  if (removed == 0) PetscFunctionReturn(0);
  PetscCall(VecNorm(gap, NORM_2, &before));
  PetscCall(VecNorm(u, NORM_2, &length));
  if (f->r) PetscCall(VecNorm(f->data, NORM_2, &data));
  if (removed > relative * (before + data) + rounding * f->size * length)
    PetscCall(DaeFlowFail(f, DAE_E_INCONSISTENT,
                          "the constraints contradict the null space of the pressure: a part %g of "
                          "them cannot be met at t = %g",
                          (double)removed, (double)f->time));
  PetscFunctionReturn(0);
}

/* a solver that was asked for more than rounding allows: is what is left no more than the rounding
   in C u and in C M^-1 B p? */
static PetscErrorCode at_rounding(DaeFlow f, Vec u, Vec p, PetscBool *yes) {
  PetscReal left, a, b;
  PetscFunctionBeginUser;
  PetscCall(KSPGetResidualNorm(f->ksp, &left));
  PetscCall(VecNorm(u, NORM_2, &a));
  PetscCall(VecNorm(p, NORM_2, &b));
  a = 16 * PETSC_MACHINE_EPSILON * f->size * (a + f->size * b);
  /* a preconditioner that failed leaves infinity */
  *yes = !PetscIsInfOrNanReal(a) && left <= a ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSchurSolve(DaeFlow f, Vec u, Vec gap, Vec p) {
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscReal length, rtol, atol, dtol, rounding;
  PetscInt most;
  PetscFunctionBeginUser;
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  PetscCall(VecNorm(gap, NORM_2, &length));
  if (PetscIsInfOrNanReal(length)) {
    PetscCall(DaeFlowFail(f, DAE_E_CALLBACK, "a function gave no finite number near t = %g",
                          (double)f->time));
    PetscFunctionReturn(0);
  }
  if (f->space) PetscCall(close_null_space(f, u, gap));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  /* what a gap computed from u has of rounding need not be solved for, and CG breaks down on it */
  PetscCall(VecNorm(u, NORM_2, &rounding));
  rounding *= 4 * PETSC_MACHINE_EPSILON * f->size;
  PetscCall(KSPGetTolerances(f->ksp, &rtol, &atol, &dtol, &most));
  PetscCall(
      KSPSetTolerances(f->ksp, PetscMax(rtol, f->loose), PetscMax(atol, rounding), dtol, most));
  PetscCall(KSPSolve(f->ksp, gap, p));
  PetscCall(KSPSetTolerances(f->ksp, rtol, atol, dtol, most));
  PetscCall(KSPGetConvergedReason(f->ksp, &reason));
  PetscCall(KSPGetIterationNumber(f->ksp, &iterations));
  f->report.solves++;
  f->report.iterations += iterations;
  PetscBool done = PETSC_TRUE;
  if (reason < 0) PetscCall(at_rounding(f, u, p, &done));
  if (!done)
    PetscCall(DaeFlowFail(f, DAE_E_SINGULAR,
                          "the linear solver of C M^-1 B gave up at t = %g after %" PetscInt_FMT
                          " iterations: %s",
                          (double)f->time, iterations, KSPConvergedReasons[reason]));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSubtract(DaeFlow f, Vec u, PetscReal factor, Vec q) {
  PetscFunctionBeginUser;
  PetscCall(MatMult(f->B, q, f->Bp));
  PetscCall(DaeFlowDivide(f, f->Bp));
  PetscCall(VecAXPY(u, -factor, f->Bp));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowTangent(DaeFlow f, Vec x) {
  PetscFunctionBeginUser;
  PetscCall(MatMult(f->C, x, f->gap));
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowSchurSolve(f, x, f->gap, f->guess));
  if (DaeFlowOk(f)) PetscCall(DaeFlowSubtract(f, x, 1, f->guess));
  else PetscCall(VecSet(x, NAN));
  PetscFunctionReturn(0);
}

/* data := r'(t) by differences of order 6: (r(t+d) - r(t-d)) 3/4 - .. */
static PetscErrorCode rate_by_differences(DaeFlow f, PetscReal t) {
  static const PetscReal weight[] = {3. / 4, -3. / 20, 1. / 60};
  PetscReal size = f->h != 0 ? PetscAbsReal(f->h) : 1e-3, d = 0.05 * size;
  PetscFunctionBeginUser;
  PetscCall(VecSet(f->data, 0));
  for (int k = 0; k < 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      PetscCall(f->r(t + sign * (k + 1) * d, f->trial, f->r_ctx));
      PetscCall(VecAXPY(f->data, sign * weight[k] / d, f->trial));
    }
  PetscFunctionReturn(0);
}

/* gap := C F - r'(t), or C F + g_t */
static PetscErrorCode rate_gap(DaeFlow f, PetscReal t, Vec u, Vec F) {
  PetscFunctionBeginUser;
  PetscCall(MatMult(f->C, F, f->gap));
  if (f->g && f->g_t) {
    PetscCall(f->g_t(t, u, f->data, f->g_ctx));
    PetscCall(VecAXPY(f->gap, 1, f->data));
  } else if (f->r) {
    if (f->r_t) PetscCall(f->r_t(t, f->data, f->r_ctx));
    else PetscCall(rate_by_differences(f, t));
    PetscCall(VecAXPY(f->gap, -1, f->data));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSlope(DaeFlow f, PetscReal t, Vec u, Vec F, Vec p, Vec slope) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowRefresh(f, t, u));
  PetscCall(DaeFlowEvaluate(f, t, u, F));
  PetscCall(rate_gap(f, t, u, F));
  PetscCall(DaeFlowSchurSolve(f, F, f->gap, p));
  PetscCall(VecCopy(F, slope));
  PetscCall(DaeFlowSubtract(f, slope, 1, p));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowProject(DaeFlow f, PetscReal t, Vec u, Vec phi) {
  enum { MOST = 20 };
  PetscFunctionBeginUser;
  if (!f->g) {
    PetscCall(DaeFlowGap(f, t, u, f->gap));
    PetscCall(DaeFlowSchurSolve(f, u, f->gap, phi));
    PetscCall(DaeFlowSubtract(f, u, 1, phi));
    PetscFunctionReturn(0);
  }
  /* Newton's method with the matrices of the start */
  PetscReal first = 0, size = 0, before = PETSC_MAX_REAL;
  PetscCall(DaeFlowRefresh(f, t, u));
  for (int k = 0; k < MOST && DaeFlowOk(f); k++) {
    PetscCall(DaeFlowGap(f, t, u, f->gap));
    PetscCall(VecNorm(f->gap, NORM_2, &size));
    if (k == 0) first = size;
    /* at rounding it stops shrinking */
    if (size == 0 || (size <= 1e-10 * first + 1e-14 && size > 0.1 * before)) break;
    PetscCheck(!PetscIsInfOrNanReal(size) || k > 0, f->comm, PETSC_ERR_FP,
               "the constraint is not a finite number at the start");
    before = size;
    PetscCall(VecSet(phi, 0));
    PetscCall(DaeFlowSchurSolve(f, u, f->gap, phi));
    PetscCall(DaeFlowSubtract(f, u, 1, phi));
  }
  if (DaeFlowOk(f) && !(size <= 1e-6 * first + 1e-12))
    PetscCall(DaeFlowFail(f, DAE_E_INCONSISTENT,
                          "no point near the initial values meets the "
                          "constraints: |g| = %g is left",
                          (double)size));
  PetscFunctionReturn(0);
}
