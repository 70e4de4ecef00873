/*
 * IDA on the stabilized index-2 form of Gear, Gupta and Leimkuhler with its exact Jacobian,
 * and on index 1 with Baumgarte's term,
 *   q' = v,  M v' = f - G'lambda,  0 = g'' + 2 alpha g' + alpha^2 g,  unknowns (q, v, lambda)
 */
#include <ida/ida.h>
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "ggl.h"
#include "sundials.h"

static int ggl(realtype t, N_Vector y, N_Vector dy, N_Vector r, void *data) {
  return ggl_residual(data, t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(r));
}

static int index1(realtype t, N_Vector vy, N_Vector vdy, N_Vector vr, void *data) {
  ggl_form *s = data;
  const dae_mechanical *m = &s->p->mechanical;
  const double *y = NV_DATA_S(vy), *dy = NV_DATA_S(vdy);
  double *r = NV_DATA_S(vr), rate[PEER_SIZE_MAX], g[PEER_SIZE_MAX];
  int n = s->n, rows = s->rows;
  int flag = ggl_dynamics(s, t, y, dy, r, rate);
  if (flag != 0) return flag;
  if (m->g(t, y, g, s->p->ctx) != 0 || m->curvature(t, y, y + n, r + 2 * n, s->p->ctx) != 0)
    return 1;
  for (int k = 0; k < rows; k++) {
    r[2 * n + k] += s->alpha * (2 * rate[k] + s->alpha * g[k]);
    for (int i = 0; i < n; i++) r[2 * n + k] += s->G[k * n + i] * dy[n + i];
  }
  return 0;
}

static int ggl_jacobian(realtype t, realtype c, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix J,
                        void *data, N_Vector w1, N_Vector w2, N_Vector w3) {
  (void)r, (void)w1, (void)w2, (void)w3;
  return ggl_matrix(data, t, c, NV_DATA_S(y), NV_DATA_S(dy), SM_DATA_D(J));
}

static int evolve(void *ida, const dae_problem *p, N_Vector y, N_Vector dy, bool watch,
                  double *drift) {
  realtype t = p->t0;
  if (!watch) return IDASolve(ida, p->t1, &t, y, dy, IDA_NORMAL);
  for (*drift = 0;;) {
    int flag = IDASolve(ida, p->t1, &t, y, dy, IDA_ONE_STEP);
    if (flag < 0) return flag;
    *drift = fmax(*drift, reduced_drift(p, t, NV_DATA_S(y)));
    if (flag == IDA_TSTOP_RETURN || t >= p->t1) return flag;
  }
}

void peer_ida(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  ggl_form s;
  double y0[PEER_SIZE_MAX], dy0[PEER_SIZE_MAX];
  bool first = self->table == PEER_INDEX1;
  SUNContext context;
  out->ok = false;
  ggl_init(&s, p);
  s.alpha = 200 / (p->t1 - p->t0);
  int size = 2 * s.n + (first ? 1 : 2) * s.rows;
  if (SUNContext_Create(NULL, &context) != 0) return;
  N_Vector y = N_VNew_Serial(size, context), dy = N_VClone(y), id = N_VClone(y);
  N_Vector atol = N_VClone(y);
  SUNMatrix A = SUNDenseMatrix(size, size, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, A, context);
  void *ida = IDACreate(context);
  ggl_start(&s, y0, dy0);
  memcpy(NV_DATA_S(y), y0, (size_t)size * sizeof(double));
  memcpy(NV_DATA_S(dy), dy0, (size_t)size * sizeof(double));
  /* with the multipliers in the norm the first steps fail on most problems */
  for (int i = 0; i < size; i++) {
    NV_Ith_S(id, i) = i < 2 * s.n;
    NV_Ith_S(atol, i) = i < 2 * s.n ? tol : 1e10;
  }
  IDAInit(ida, first ? index1 : ggl, p->t0, y, dy);
  IDASetErrHandlerFn(ida, sundials_silent, NULL);
  IDASetUserData(ida, &s);
  IDASVtolerances(ida, tol, atol);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, SUNTRUE);
  IDASetMaxNumSteps(ida, PEER_STEP_LIMIT);
  IDASetStopTime(ida, p->t1);
  IDASetLinearSolver(ida, linear, A);
  if (!first) IDASetJacFn(ida, ggl_jacobian);
  out->ok = evolve(ida, p, y, dy, watch, &out->drift) >= 0;
  long difference = 0;
  IDAGetNumSteps(ida, &out->steps);
  IDAGetNumResEvals(ida, &out->evaluations);
  IDAGetNumLinResEvals(ida, &difference);
  out->evaluations += difference;
  memcpy(out->z, NV_DATA_S(y), (size_t)(2 * s.n) * sizeof(double));
  IDAFree(&ida);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
  N_VDestroy(y);
  N_VDestroy(dy);
  N_VDestroy(id);
  N_VDestroy(atol);
  SUNContext_Free(&context);
}
