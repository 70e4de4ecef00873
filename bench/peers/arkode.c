/* ARKODE's explicit methods on the index-reduced ODE, projected after each step */
#include <arkode/arkode_erkstep.h>
#include <string.h>

#include "sundials.h"

static int after_step(realtype t, N_Vector z, void *data) {
  return reduced_project(data, t, NV_DATA_S(z));
}

void peer_arkode(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  reduced r;
  SUNContext context;
  int n = dae_problem_nz(p);
  out->ok = false;
  reduced_init(&r, p, tol);
  if (SUNContext_Create(NULL, &context) != 0) return;
  N_Vector z = N_VNew_Serial(n, context);
  memcpy(NV_DATA_S(z), p->z0, (size_t)n * sizeof(double));
  void *ark = ERKStepCreate(sundials_rhs, p->t0, z, context);
  ERKStepSetErrHandlerFn(ark, sundials_silent, NULL);
  ERKStepSetUserData(ark, &r);
  ERKStepSetTableNum(ark, (ARKODE_ERKTableID)self->table);
  ERKStepSStolerances(ark, tol, tol);
  ERKStepSetMaxNumSteps(ark, PEER_STEP_LIMIT);
  ERKStepSetStopTime(ark, p->t1);
  ERKStepSetPostprocessStepFn(ark, after_step);
  out->ok = sundials_evolve(ERKStepEvolve, ark, p, z, watch, &out->drift) >= 0;
  ERKStepGetNumSteps(ark, &out->steps);
  ERKStepGetNumRhsEvals(ark, &out->evaluations);
  memcpy(out->z, NV_DATA_S(z), (size_t)n * sizeof(double));
  ERKStepFree(&ark);
  N_VDestroy(z);
  SUNContext_Free(&context);
}
