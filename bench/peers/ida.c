/*
 * IDA on the stabilized index-2 form of Gear, Gupta and Leimkuhler with its exact Jacobian,
 *   q' = v - G'mu,  M v' = f - G'lambda,  0 = g,  0 = G v + g_t,   unknowns (q, v, lambda, mu),
 * and on index 1 with Baumgarte's term,
 *   q' = v,  M v' = f - G'lambda,  0 = g'' + 2 alpha g' + alpha^2 g,  unknowns (q, v, lambda)
 */
#include <ida/ida.h>
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "sundials.h"

typedef struct form {
  const dae_problem *p;
  int n, rows, size;
  double alpha;
  long calls;
  clock_t limit; /* runs that crawl are given up after a second */
  double M[PEER_SIZE_MAX * PEER_SIZE_MAX], G[PEER_SIZE_MAX * PEER_SIZE_MAX];
} form;

static void fetch(form *s, double t, const double *q) {
  const dae_mechanical *m = &s->p->mechanical;
  memset(s->G, 0, (size_t)(s->rows * s->n) * sizeof *s->G);
  m->G(t, q, s->G, s->p->ctx);
  if (!m->mass_constant) reduced_mass(s->p, t, q, s->M);
}

/* r = (q' - v, M v' - f + G'lambda), and rate = G v + g_t */
static int dynamics(form *s, double t, const double *y, const double *dy, double *r, double *rate) {
  const dae_mechanical *m = &s->p->mechanical;
  int n = s->n, rows = s->rows;
  if (++s->calls % 1024 == 0 && clock() > s->limit) return -1;
  fetch(s, t, y);
  if (m->force(t, y, y + n, r + n, s->p->ctx) != 0) return 1;
  memset(rate, 0, (size_t)rows * sizeof *rate);
  if (m->g_t) m->g_t(t, y, rate, s->p->ctx);
  for (int i = 0; i < n; i++) {
    double sum = -r[n + i];
    for (int k = 0; k < n; k++) sum += s->M[i * n + k] * dy[n + k];
    for (int k = 0; k < rows; k++) sum += s->G[k * n + i] * y[2 * n + k];
    r[n + i] = sum;
    r[i] = dy[i] - y[n + i];
    for (int k = 0; k < rows; k++) rate[k] += s->G[k * n + i] * y[n + i];
  }
  return 0;
}

static int ggl(realtype t, N_Vector vy, N_Vector vdy, N_Vector vr, void *data) {
  form *s = data;
  const double *y = NV_DATA_S(vy);
  double *r = NV_DATA_S(vr);
  int n = s->n, rows = s->rows;
  int flag = dynamics(s, t, y, NV_DATA_S(vdy), r, r + 2 * n + rows);
  if (flag != 0) return flag;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < rows; k++) r[i] += s->G[k * n + i] * y[2 * n + rows + k];
  return s->p->mechanical.g(t, y, r + 2 * n, s->p->ctx);
}

static int index1(realtype t, N_Vector vy, N_Vector vdy, N_Vector vr, void *data) {
  form *s = data;
  const dae_mechanical *m = &s->p->mechanical;
  const double *y = NV_DATA_S(vy), *dy = NV_DATA_S(vdy);
  double *r = NV_DATA_S(vr), rate[PEER_SIZE_MAX], g[PEER_SIZE_MAX];
  int n = s->n, rows = s->rows;
  int flag = dynamics(s, t, y, dy, r, rate);
  if (flag != 0) return flag;
  if (m->g(t, y, g, s->p->ctx) != 0 ||
      m->curvature(t, y, y + n, r + 2 * n, s->p->ctx) != 0)
    return 1;
  for (int k = 0; k < rows; k++) {
    r[2 * n + k] += s->alpha * (2 * rate[k] + s->alpha * g[k]);
    for (int i = 0; i < n; i++) r[2 * n + k] += s->G[k * n + i] * dy[n + i];
  }
  return 0;
}

/* the derivative of G'mu is left out: mu is as small as the error */
static int ggl_jacobian(realtype t, realtype c, N_Vector vy, N_Vector vdy, N_Vector r, SUNMatrix J,
                        void *data, N_Vector w1, N_Vector w2, N_Vector w3) {
  form *s = data;
  const dae_mechanical *m = &s->p->mechanical;
  const double *y = NV_DATA_S(vy), *dy = NV_DATA_S(vdy);
  int n = s->n, rows = s->rows;
  double Q[PEER_SIZE_MAX * PEER_SIZE_MAX] = {0}, V[PEER_SIZE_MAX * PEER_SIZE_MAX] = {0};
  double R[PEER_SIZE_MAX * PEER_SIZE_MAX] = {0};
  (void)r, (void)w1, (void)w2, (void)w3;
  fetch(s, t, y);
  if (m->dynamics_q(t, y, y + n, dy + n, y + 2 * n, Q, s->p->ctx) != 0 ||
      m->force_v(t, y, y + n, V, s->p->ctx) != 0 || m->velocity_q(t, y, y + n, R, s->p->ctx) != 0)
    return 1;
  for (int i = 0; i < n; i++) {
    SM_ELEMENT_D(J, i, i) = c;
    SM_ELEMENT_D(J, i, n + i) = -1;
    for (int k = 0; k < n; k++) {
      SM_ELEMENT_D(J, n + i, k) = Q[i * n + k];
      SM_ELEMENT_D(J, n + i, n + k) = c * s->M[i * n + k] - V[i * n + k];
    }
    for (int k = 0; k < rows; k++) {
      double G = s->G[k * n + i];
      SM_ELEMENT_D(J, n + i, 2 * n + k) = SM_ELEMENT_D(J, i, 2 * n + rows + k) = G;
      SM_ELEMENT_D(J, 2 * n + k, i) = SM_ELEMENT_D(J, 2 * n + rows + k, n + i) = G;
      SM_ELEMENT_D(J, 2 * n + rows + k, i) = R[k * n + i];
    }
  }
  return 0;
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

/* the consistent start, as the initial values of the gallery are */
static void start(form *s, N_Vector y, N_Vector dy) {
  reduced r;
  int n = s->n;
  reduced_init(&r, s->p, 0);
  N_VConst(0, y);
  N_VConst(0, dy);
  memcpy(NV_DATA_S(y), s->p->z0, (size_t)(2 * n) * sizeof(double));
  memcpy(NV_DATA_S(dy), s->p->z0 + n, (size_t)n * sizeof(double));
  reduced_accelerate(&r, s->p->t0, s->p->z0, NV_DATA_S(dy) + n, NV_DATA_S(y) + 2 * n);
  reduced_mass(s->p, s->p->t0, s->p->z0, s->M);
}

void peer_ida(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  form s = {.p = p, .n = p->mechanical.nq, .rows = p->mechanical.ng};
  bool first = self->table == PEER_INDEX1;
  SUNContext context;
  out->ok = false;
  s.limit = clock() + CLOCKS_PER_SEC;
  s.alpha = 200 / (p->t1 - p->t0);
  s.size = 2 * s.n + (first ? 1 : 2) * s.rows;
  if (SUNContext_Create(NULL, &context) != 0) return;
  N_Vector y = N_VNew_Serial(s.size, context), dy = N_VClone(y), id = N_VClone(y);
  N_Vector atol = N_VClone(y);
  SUNMatrix A = SUNDenseMatrix(s.size, s.size, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, A, context);
  void *ida = IDACreate(context);
  start(&s, y, dy);
  /* with the multipliers in the norm the first steps fail on most problems */
  for (int i = 0; i < s.size; i++) {
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
