/* CVODE on the index-reduced ODE: BDF with its projection function, Adams without, as it refuses
   one there */
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "sundials.h"

/* corr = projected - z; the error estimate is projected too */
static int project(realtype t, N_Vector z, N_Vector corr, realtype eps, N_Vector err, void *data) {
  reduced *r = data;
  (void)eps;
  memcpy(NV_DATA_S(corr), NV_DATA_S(z), (size_t)(2 * r->n) * sizeof(double));
  int flag = reduced_project(r, t, NV_DATA_S(corr));
  for (int i = 0; i < 2 * r->n; i++) NV_Ith_S(corr, i) -= NV_Ith_S(z, i);
  if (err && flag == 0) reduced_project_error(r, NV_DATA_S(err));
  return flag;
}

void peer_cvode(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  reduced r;
  SUNContext context;
  int n = dae_problem_nz(p);
  bool adams = self->table == PEER_ADAMS;
  out->ok = false;
  reduced_init(&r, p, tol);
  if (SUNContext_Create(NULL, &context) != 0) return;
  N_Vector z = N_VNew_Serial(n, context);
  memcpy(NV_DATA_S(z), p->z0, (size_t)n * sizeof(double));
  void *cv = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
  SUNMatrix A = SUNDenseMatrix(n, n, context);
  SUNLinearSolver linear = SUNLinSol_Dense(z, A, context);
  SUNNonlinearSolver fixed = SUNNonlinSol_FixedPoint(z, 0, context);
  CVodeInit(cv, sundials_rhs, p->t0, z);
  CVodeSetErrHandlerFn(cv, sundials_silent, NULL);
  CVodeSetUserData(cv, &r);
  CVodeSStolerances(cv, tol, tol);
  CVodeSetMaxNumSteps(cv, PEER_STEP_LIMIT);
  CVodeSetStopTime(cv, p->t1);
  if (self->table == PEER_NEWTON) CVodeSetLinearSolver(cv, linear, A);
  else CVodeSetNonlinearSolver(cv, fixed);
  if (!adams) CVodeSetProjFn(cv, project);
  out->ok = sundials_evolve(CVode, cv, p, z, watch, &out->drift) >= 0;
  long difference = 0;
  CVodeGetNumSteps(cv, &out->steps);
  CVodeGetNumRhsEvals(cv, &out->evaluations);
  if (self->table == PEER_NEWTON) CVodeGetNumLinRhsEvals(cv, &difference);
  out->evaluations += difference;
  memcpy(out->z, NV_DATA_S(z), (size_t)n * sizeof(double));
  CVodeFree(&cv);
  SUNNonlinSolFree(fixed);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
  N_VDestroy(z);
  SUNContext_Free(&context);
}
