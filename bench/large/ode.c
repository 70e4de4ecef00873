/* ARKODE's explicit methods and CVODE's BDF on the index-reduced chain, both with projection */
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "large.h"

enum { STEPS = 100000000 };

static int rhs(realtype t, N_Vector z, N_Vector dz, void *data) {
  return chain_rhs(data, t, NV_DATA_S(z), NV_DATA_S(dz));
}

void large_silent(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

static int after_step(realtype t, N_Vector z, void *data) {
  return chain_project(data, t, NV_DATA_S(z));
}

void large_arkode(const large_peer *self, const dae_problem *p, double tol, double seconds,
                  large_result *out) {
  chain s;
  SUNContext context;
  int n = dae_problem_nz(p);
  realtype t = p->t0;
  out->ok = false;
  if (!chain_new(&s, p, tol, seconds) || SUNContext_Create(NULL, &context) != 0) return;
  N_Vector z = N_VNew_Serial(n, context);
  memcpy(NV_DATA_S(z), p->z0, (size_t)n * sizeof(double));
  void *ark = ERKStepCreate(rhs, p->t0, z, context);
  ERKStepSetErrHandlerFn(ark, large_silent, NULL);
  ERKStepSetUserData(ark, &s);
  ERKStepSetTableNum(ark, (ARKODE_ERKTableID)self->table);
  ERKStepSStolerances(ark, tol, tol);
  ERKStepSetMaxNumSteps(ark, STEPS);
  ERKStepSetStopTime(ark, p->t1);
  ERKStepSetPostprocessStepFn(ark, after_step);
  out->ok = ERKStepEvolve(ark, p->t1, z, &t, ARK_NORMAL) >= 0;
  ERKStepGetNumSteps(ark, &out->steps);
  ERKStepGetNumRhsEvals(ark, &out->evaluations);
  memcpy(out->z, NV_DATA_S(z), (size_t)n * sizeof(double));
  ERKStepFree(&ark);
  N_VDestroy(z);
  SUNContext_Free(&context);
  chain_free(&s);
}

/* corr = projected - z; the error estimate is projected too */
static int project(realtype t, N_Vector z, N_Vector corr, realtype eps, N_Vector err, void *data) {
  chain *s = data;
  (void)eps;
  memcpy(NV_DATA_S(corr), NV_DATA_S(z), (size_t)(2 * s->n) * sizeof(double));
  int flag = chain_project(s, t, NV_DATA_S(corr));
  for (int i = 0; i < 2 * s->n; i++) NV_Ith_S(corr, i) -= NV_Ith_S(z, i);
  if (err && flag == 0) chain_project_error(s, NV_DATA_S(err));
  return flag;
}

/* the Jacobian of the reduced equations is full, so that Newton's method has to be a Krylov one */
void large_cvode(const large_peer *self, const dae_problem *p, double tol, double seconds,
                 large_result *out) {
  chain s;
  SUNContext context;
  int n = dae_problem_nz(p);
  realtype t = p->t0;
  out->ok = false;
  if (!chain_new(&s, p, tol, seconds) || SUNContext_Create(NULL, &context) != 0) return;
  N_Vector z = N_VNew_Serial(n, context);
  memcpy(NV_DATA_S(z), p->z0, (size_t)n * sizeof(double));
  void *cv = CVodeCreate(CV_BDF, context);
  SUNLinearSolver linear = SUNLinSol_SPGMR(z, SUN_PREC_NONE, 20, context);
  SUNNonlinearSolver fixed = SUNNonlinSol_FixedPoint(z, 0, context);
  CVodeInit(cv, rhs, p->t0, z);
  CVodeSetErrHandlerFn(cv, large_silent, NULL);
  CVodeSetUserData(cv, &s);
  CVodeSStolerances(cv, tol, tol);
  CVodeSetMaxNumSteps(cv, STEPS);
  CVodeSetStopTime(cv, p->t1);
  if (self->table == LARGE_KRYLOV) CVodeSetLinearSolver(cv, linear, NULL);
  else CVodeSetNonlinearSolver(cv, fixed);
  CVodeSetProjFn(cv, project);
  out->ok = CVode(cv, p->t1, z, &t, CV_NORMAL) >= 0;
  CVodeGetNumSteps(cv, &out->steps);
  out->evaluations = s.calls;
  memcpy(out->z, NV_DATA_S(z), (size_t)n * sizeof(double));
  CVodeFree(&cv);
  SUNNonlinSolFree(fixed);
  SUNLinSolFree(linear);
  N_VDestroy(z);
  SUNContext_Free(&context);
  chain_free(&s);
}
