/*
 * libdaedal-petsc: Hessenberg systems of index 2 on PETSc vectors, from one core to many.
 *
 *   M u' = f(t,u) - B p        u: velocities, currents, ..; p: pressures, multipliers
 *      0 = C u - r(t)          or  0 = g(t,u) with C = dg/du
 *
 * C M^-1 B must be regular, or singular with a null space that is given (a pressure up to a
 * constant). u keeps the constraints to the tolerance of the linear solver at every step; u and p
 * have the full order of the method.
 *
 * Options database (prefix as DaeFlowSetOptionsPrefix says, then):
 *   -dae_method NAME   herk2 .. herk5, or an explicit method (rk4, dopri5, dop853) with projected
 *                      stages, or imex4 with a linear part of f implicit, or an implicit method
 *                      (radau1 .. radau5, sdirk2, sdirk3, gauss.., lobatto..) with projected
 *                      stages, or srm, which solves no linear system; default herk3
 *   -dae_rtol R -dae_atol R      tolerances of steps under error control
 *   -dae_step H        fixed steps instead
 *   -dae_srm_eps E -dae_srm_iterations S    of srm
 *   -dae_max_steps N   -dae_monitor
 *   -dae_ksp_.. -dae_pc_..       the solver of C M^-1 B
 *   -dae_stiff_ksp_.. -dae_stiff_pc_..  of M - h gamma L (imex and implicit methods)
 *   -dae_stage_ksp_..            of a stage (imex), or of all stages (implicit)
 *   -dae_mass_ksp_.. -dae_mass_pc_..    of M, where it is a matrix
 *
 * All functions return a PETSc error code: 0, or an error in how they were used. How a run ended
 * stands in its report.
 */
#ifndef DAEDAL_PETSC_H
#define DAEDAL_PETSC_H

#include <daedal/method.h>
#include <daedal/status.h>
#include <petscksp.h>
#include <petscts.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _p_DaeFlow *DaeFlow;

typedef struct DaeFlowReport {
  dae_status status;
  char message[256]; /* what happened and where; "" when all is well */
  PetscReal t;
  PetscInt steps, rejected, evaluations;
  PetscInt solves, iterations;                 /* of the linear solver of C M^-1 B */
  PetscReal constraint;                        /* largest |C u - r| over the accepted points */
  PetscReal moved;                             /* of the initial u, to satisfy the constraints */
  PetscReal h;                                 /* last step */
  PetscInt stage_iterations, stiff_iterations; /* of stages, and of M - h gamma L in them */
} DaeFlowReport;

/* ---- the problem ---- */

/* F := f(t,u) */
typedef PetscErrorCode (*DaeFlowForce)(PetscReal t, Vec u, Vec F, void *ctx);
/* r := r(t) */
typedef PetscErrorCode (*DaeFlowData)(PetscReal t, Vec r, void *ctx);
/* G := g(t,u) */
typedef PetscErrorCode (*DaeFlowConstraint)(PetscReal t, Vec u, Vec G, void *ctx);
/* new values of C = dg/du (and of B, when it changes) at a point */
typedef PetscErrorCode (*DaeFlowMatrices)(PetscReal t, Vec u, Mat C, Mat B, void *ctx);

PetscErrorCode DaeFlowCreate(MPI_Comm comm, DaeFlow *out);
PetscErrorCode DaeFlowDestroy(DaeFlow *flow);
PetscErrorCode DaeFlowSetForce(DaeFlow flow, DaeFlowForce f, void *ctx);
/* L of the part L u of f(t,u) that imex methods take implicitly: the viscous terms; for implicit
   methods an approximation of df/du. f stays the whole force; any L keeps the order, a good one
   makes imex methods stable and lets the iteration of implicit ones converge. Kept by reference;
   explicit methods do without */
PetscErrorCode DaeFlowSetStiff(DaeFlow flow, Mat L);
/* new values of L at a point: asked for at the start, and where iterations have become slow */
typedef PetscErrorCode (*DaeFlowStiff)(PetscReal t, Vec u, Mat L, void *ctx);
PetscErrorCode DaeFlowSetStiffFunction(DaeFlow flow, DaeFlowStiff stiff, void *ctx);
/* B is n x m and C m x n, matrices of any type or shells. Both are kept by reference. */
PetscErrorCode DaeFlowSetMatrices(DaeFlow flow, Mat B, Mat C);
/* r(t) and its derivative; NULL: r = 0. Without the derivative (NULL) it is found by differences of
   order 6 in steps of the step size. */
PetscErrorCode DaeFlowSetData(DaeFlow flow, DaeFlowData r, DaeFlowData r_t, void *ctx);
/* constraints that are not linear; g_t: their derivative in time, NULL: they do not depend on t */
PetscErrorCode DaeFlowSetConstraint(DaeFlow flow, DaeFlowConstraint g, DaeFlowConstraint g_t,
                                    DaeFlowMatrices matrices, void *ctx);
/* the diagonal of M; NULL: M = I */
PetscErrorCode DaeFlowSetMass(DaeFlow flow, Vec diagonal);
/* M that is not diagonal: symmetric positive definite, unless -dae_mass_ksp_type says otherwise.
   C diag(M)^-1 B then makes the preconditioner of C M^-1 B. Kept by reference */
PetscErrorCode DaeFlowSetMassMatrix(DaeFlow flow, Mat M);
/* of C M^-1 B; a pressure is then the one without a part in it */
PetscErrorCode DaeFlowSetNullSpace(DaeFlow flow, MatNullSpace space);
/* C M^-1 B, or a matrix like it, to make the preconditioner from: needed where B or C is a shell */
PetscErrorCode DaeFlowSetSchur(DaeFlow flow, Mat schur);
/* the solver of C M^-1 B, to be set up as any KSP */
PetscErrorCode DaeFlowGetKSP(DaeFlow flow, KSP *ksp);

/* ---- how it is solved ---- */

/* the name of a method that can be used here, else an error that lists them */
PetscErrorCode DaeFlowSetMethod(DaeFlow flow, const char *name);
PetscErrorCode DaeFlowSetTolerances(DaeFlow flow, PetscReal rtol, PetscReal atol);
/* h > 0: fixed steps of this size; 0: under error control */
PetscErrorCode DaeFlowSetStep(DaeFlow flow, PetscReal h);
PetscErrorCode DaeFlowSetMaxSteps(DaeFlow flow, PetscInt steps);
/* of srm: eps > 0, or 0: as small as the step size allows; how many iterates are computed side by
   side (3). The error is of order eps^iterates, and of order 2 in the step size */
PetscErrorCode DaeFlowSetRegularization(DaeFlow flow, PetscReal eps, PetscInt iterates);
PetscErrorCode DaeFlowSetOptionsPrefix(DaeFlow flow, const char *prefix);
PetscErrorCode DaeFlowSetFromOptions(DaeFlow flow);
/* called at the start and after every accepted step */
typedef PetscErrorCode (*DaeFlowMonitor)(DaeFlow flow, PetscReal t, Vec u, Vec p, void *ctx);
PetscErrorCode DaeFlowSetMonitor(DaeFlow flow, DaeFlowMonitor monitor, void *ctx);
/* the run ends where e(t,u) passes through zero; the report says DAE_EVENT */
typedef PetscErrorCode (*DaeFlowEvent)(PetscReal t, Vec u, PetscReal *e, void *ctx);
PetscErrorCode DaeFlowSetEvent(DaeFlow flow, DaeFlowEvent event, void *ctx);

/* ---- the run ---- */

/* from (t0, u) to t1. u is moved onto the constraints first; u and p are those at the end */
PetscErrorCode DaeFlowSolve(DaeFlow flow, PetscReal t0, PetscReal t1, Vec u, Vec p);
/* the same step by step. The vectors given to Start are copied. A step does not go beyond t_end */
PetscErrorCode DaeFlowStart(DaeFlow flow, PetscReal t0, Vec u);
PetscErrorCode DaeFlowStep(DaeFlow flow, PetscReal t_end);
/* the present point; u and p (any may be NULL) belong to the flow */
PetscErrorCode DaeFlowGetPoint(DaeFlow flow, PetscReal *t, Vec *u, Vec *p);
/* u, and p unless NULL, at a time within the last step, on the constraints */
PetscErrorCode DaeFlowEval(DaeFlow flow, PetscReal t, Vec u, Vec p);
PetscErrorCode DaeFlowGetReport(DaeFlow flow, const DaeFlowReport **report);

/* ---- checkpoint: the whole state; a run goes on from it with the same digits ---- */

/* numbers of the own entries of u and p that do not depend on the number of ranks, so that a file
   of one number of ranks is read by another; not set: the order of the vectors */
PetscErrorCode DaeFlowSetNumbering(DaeFlow flow, IS u, IS p);
PetscErrorCode DaeFlowSave(DaeFlow flow, const char *file);
/* in place of DaeFlowStart; a file that is not whole or belongs to another system is an error */
PetscErrorCode DaeFlowLoad(DaeFlow flow, const char *file);

/* ---- TS: -ts_type daedal_herk3 and so on for every method ---- */

/* makes the types known; call it after PetscInitialize. The equations are those of the TS: rows
   whose derivative has no weight in the IFunction are the constraints. The implicit part of imex
   and implicit types is the block of the velocities in the Jacobian. */
PetscErrorCode DaeFlowRegisterTS(void);
/* the flow inside a TS of these types, after TSSetUp */
PetscErrorCode DaeFlowFromTS(TS ts, DaeFlow *flow);

#ifdef __cplusplus
}
#endif
#endif
