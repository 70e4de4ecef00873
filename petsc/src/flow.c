/* the object: what it is made of, and its options */
#include "flow.h"

#include <stdarg.h>

static DaeFlowKind kind_of(const dae_method *m, const dae_tableau *t) {
  return t->half_explicit ? DAE_FLOW_HALF_EXPLICIT
         : m->implicit    ? DAE_FLOW_IMPLICIT
                          : DAE_FLOW_PROJECTED;
}

/* of the core the methods with a tableau, then those of imex.c, then srm */
const dae_method *DaeFlowMethodAt(int i, DaeFlow f) {
  const dae_method *m;
  const DaeFlowImex *imex = NULL;
  dae_tableau t;
  DaeFlowKind kind = DAE_FLOW_SRM;
  for (int k = 0; (m = dae_method_at(k)); k++)
    if (dae_method_tableau(m, &t) == DAE_OK && i-- == 0) break;
  if (m) {
    kind = kind_of(m, &t);
  } else if ((imex = DaeFlowImexAt(i))) {
    m = DaeFlowImexMethod(imex);
    kind = DAE_FLOW_IMEX;
    DaeFlowImexTableau(imex, &t);
  } else if (DaeFlowImexAt(i - 1)) {
    m = &DaeFlowSrmMethod;
    dae_method_tableau(dae_method_find("heun"), &t);
  }
  if (m && f) f->method = m, f->kind = kind, f->imex = imex, f->t = t;
  return m;
}

PetscErrorCode DaeFlowFail(DaeFlow f, dae_status status, const char *format, ...) {
  va_list list;
  PetscFunctionBeginUser;
  f->report.status = status;
  va_start(list, format);
  PetscCall(PetscVSNPrintf(f->report.message, sizeof f->report.message, format, NULL, list));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowCreate(MPI_Comm comm, DaeFlow *out) {
  DaeFlow f;
  PetscFunctionBeginUser;
  PetscCall(PetscNew(&f));
  f->comm = comm;
  f->rtol = f->atol = 1e-6;
  f->max_steps = 10000000;
  f->norm_before = 1;
  f->iterates = 3;
  PetscCall(KSPCreate(comm, &f->ksp));
  /* C M^-1 B is symmetric positive up to a factor in flows; others choose */
  PetscCall(KSPSetType(f->ksp, KSPGMRES));
  /* the residual itself: it is what is left of the constraints */
  PetscCall(KSPSetNormType(f->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(f->ksp, 1e-12, 1e-50, PETSC_DEFAULT, 2000));
  PetscCall(KSPSetInitialGuessNonzero(f->ksp, PETSC_TRUE));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++) PetscCall(KSPCreate(comm, &f->ksp_stiff[i]));
  PetscCall(KSPCreate(comm, &f->ksp_stage));
  PetscCall(KSPSetType(f->ksp_stage, KSPFGMRES));
  PetscCall(KSPCreate(comm, &f->ksp_mass));
  PetscCall(KSPSetType(f->ksp_mass, KSPCG));
  /* inside C M^-1 B: its residual must not show in the constraints */
  PetscCall(KSPSetTolerances(f->ksp_mass, 1e-14, 1e-50, PETSC_DEFAULT, 2000));
  PetscCall(DaeFlowSetOptionsPrefix(f, NULL));
  PetscCall(DaeFlowSetMethod(f, "herk3"));
  *out = f;
  PetscFunctionReturn(0);
}

/* a list of objects of any class */
#define DESTROY(...)                                                                             \
  do {                                                                                           \
    PetscObject *all[] = {__VA_ARGS__};                                                          \
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(PetscObjectDestroy(all[k])); \
  } while (0)
#define OBJECT(x) (PetscObject *)&f->x

PetscErrorCode DaeFlowDestroy(DaeFlow *flow) {
  DaeFlow f = *flow;
  PetscFunctionBeginUser;
  if (!f) PetscFunctionReturn(0);
  DESTROY(OBJECT(mass), OBJECT(mass_inverse), OBJECT(mass_matrix), OBJECT(ksp_mass));
  DESTROY(OBJECT(divided), OBJECT(mean), OBJECT(mean_old));
  DESTROY(OBJECT(u), OBJECT(p), OBJECT(F), OBJECT(slope), OBJECT(u_old), OBJECT(slope_old));
  DESTROY(OBJECT(u_new), OBJECT(p_new), OBJECT(F_new), OBJECT(slope_new), OBJECT(error));
  DESTROY(OBJECT(crude), OBJECT(stage), OBJECT(beyond), OBJECT(Bp), OBJECT(guess), OBJECT(gap));
  DESTROY(OBJECT(data), OBJECT(trial), OBJECT(D_all), OBJECT(R_all), OBJECT(srm_y));
  DESTROY(OBJECT(y_old), OBJECT(y_next), OBJECT(B), OBJECT(C), OBJECT(schur), OBJECT(S));
  DESTROY(OBJECT(S_matrix), OBJECT(L), OBJECT(T), OBJECT(space), OBJECT(number_u));
  DESTROY(OBJECT(number_p), OBJECT(ksp), OBJECT(ksp_stage));
  for (int i = 0; i < DAE_TABLEAU_STAGES; i++) DESTROY(OBJECT(k[i]), OBJECT(l[i]));
  for (int i = 0; i < DAE_FLOW_STAGES; i++) DESTROY(OBJECT(U[i]));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++) DESTROY(OBJECT(ksp_stiff[i]), OBJECT(A[i]));
  for (int i = 0; i < DAE_FLOW_ITERATES; i++) DESTROY(OBJECT(srm_u[i]));
  PetscCall(PetscFree(*flow));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetForce(DaeFlow f, DaeFlowForce force, void *ctx) {
  PetscFunctionBeginUser;
  f->force = force;
  f->force_ctx = ctx;
  PetscFunctionReturn(0);
}

static PetscErrorCode not_after_start(DaeFlow f, const char *what) {
  PetscFunctionBeginUser;
  PetscCheck(!f->ready, f->comm, PETSC_ERR_ORDER, "%s must come before the start", what);
  PetscFunctionReturn(0);
}

/* a reference to an object, or NULL, in place of the one before */
static PetscErrorCode keep(DaeFlow f, const char *setter, void *object, PetscObject *place) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, setter));
  if (object) PetscCall(PetscObjectReference(object));
  PetscCall(PetscObjectDestroy(place));
  *place = object;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMatrices(DaeFlow f, Mat B, Mat C) {
  PetscFunctionBeginUser;
  PetscCheck(B && C, f->comm, PETSC_ERR_ARG_NULL, "DaeFlowSetMatrices needs B and C");
  PetscCall(keep(f, "DaeFlowSetMatrices", B, OBJECT(B)));
  PetscCall(keep(f, "DaeFlowSetMatrices", C, OBJECT(C)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetStiff(DaeFlow f, Mat L) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetStiff", L, OBJECT(L)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetStiffFunction(DaeFlow f, DaeFlowStiff stiff, void *ctx) {
  PetscFunctionBeginUser;
  f->stiff = stiff;
  f->stiff_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetData(DaeFlow f, DaeFlowData r, DaeFlowData r_t, void *ctx) {
  PetscFunctionBeginUser;
  f->r = r;
  f->r_t = r_t;
  f->r_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetConstraint(DaeFlow f, DaeFlowConstraint g, DaeFlowConstraint g_t,
                                    DaeFlowMatrices matrices, void *ctx) {
  PetscFunctionBeginUser;
  PetscCheck(g && matrices, f->comm, PETSC_ERR_ARG_NULL,
             "DaeFlowSetConstraint needs g and the function that gives C = dg/du");
  f->g = g;
  f->g_t = g_t;
  f->matrices = matrices;
  f->g_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMass(DaeFlow f, Vec diagonal) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetMass", diagonal, OBJECT(mass)));
  PetscCall(keep(f, "DaeFlowSetMass", NULL, OBJECT(mass_matrix)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMassMatrix(DaeFlow f, Mat M) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetMassMatrix", M, OBJECT(mass_matrix)));
  PetscCall(keep(f, "DaeFlowSetMassMatrix", NULL, OBJECT(mass)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetNullSpace(DaeFlow f, MatNullSpace space) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetNullSpace", space, OBJECT(space)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetSchur(DaeFlow f, Mat schur) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetSchur", schur, OBJECT(schur)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowGetKSP(DaeFlow f, KSP *ksp) {
  PetscFunctionBeginUser;
  *ksp = f->ksp;
  PetscFunctionReturn(0);
}

/* Stages of imex methods are solved once, those of implicit methods iterated (Newton); inside both
   is a preconditioner with M - h gamma L */
static PetscErrorCode stage_tolerances(DaeFlow f) {
  PetscBool iterated = f->kind == DAE_FLOW_IMPLICIT ? PETSC_TRUE : PETSC_FALSE;
  PetscReal stage = iterated ? 1e-2 : 1e-8, stiff = iterated ? 1e-2 : 1e-6;
  PetscFunctionBeginUser;
  PetscCall(KSPSetTolerances(f->ksp_stage, stage, 1e-50, PETSC_DEFAULT, 200));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++)
    PetscCall(KSPSetTolerances(f->ksp_stiff[i], stiff, 1e-50, PETSC_DEFAULT, 2000));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMethod(DaeFlow f, const char *name) {
  char list[512] = "";
  const dae_method *m;
  PetscBool same;
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetMethod"));
  for (int i = 0; (m = DaeFlowMethodAt(i, NULL)); i++) {
    PetscCall(PetscStrcmp(m->name, name, &same));
    if (same) {
      DaeFlowMethodAt(i, f);
      PetscCall(stage_tolerances(f));
      PetscFunctionReturn(0);
    }
    PetscCall(PetscStrlcat(list, " ", sizeof list));
    PetscCall(PetscStrlcat(list, m->name, sizeof list));
  }
  SETERRQ(f->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "'%s' is no method for this; there are%s",
          name ? name : "", list);
}

PetscErrorCode DaeFlowSetRegularization(DaeFlow f, PetscReal eps, PetscInt iterates) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetRegularization"));
  PetscCheck(eps >= 0, f->comm, PETSC_ERR_ARG_OUTOFRANGE, "eps = %g: 0 or greater", (double)eps);
  PetscCheck(iterates >= 1 && iterates <= DAE_FLOW_ITERATES, f->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " iterates: from 1 to %d", iterates, DAE_FLOW_ITERATES);
  f->srm_eps = eps;
  f->iterates = iterates;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetTolerances(DaeFlow f, PetscReal rtol, PetscReal atol) {
  PetscFunctionBeginUser;
  PetscCheck(rtol >= 0 && atol >= 0 && rtol + atol > 0, f->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "tolerances %g and %g: both at least 0, and one greater", (double)rtol, (double)atol);
  f->rtol = rtol;
  f->atol = atol;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetStep(DaeFlow f, PetscReal h) {
  PetscFunctionBeginUser;
  PetscCheck(h >= 0, f->comm, PETSC_ERR_ARG_OUTOFRANGE, "a step of size %g", (double)h);
  f->step = h;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMaxSteps(DaeFlow f, PetscInt steps) {
  PetscFunctionBeginUser;
  PetscCheck(steps > 0, f->comm, PETSC_ERR_ARG_OUTOFRANGE, "at most %" PetscInt_FMT " steps",
             steps);
  f->max_steps = steps;
  PetscFunctionReturn(0);
}

static PetscErrorCode set_prefix(DaeFlow f, KSP ksp, const char *own) {
  PetscFunctionBeginUser;
  PetscCall(KSPSetOptionsPrefix(ksp, f->prefix));
  PetscCall(KSPAppendOptionsPrefix(ksp, own));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetOptionsPrefix(DaeFlow f, const char *prefix) {
  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(f->prefix, prefix ? prefix : "", sizeof f->prefix));
  PetscCall(set_prefix(f, f->ksp, "dae_"));
  PetscCall(set_prefix(f, f->ksp_mass, "dae_mass_"));
  PetscCall(set_prefix(f, f->ksp_stage, "dae_stage_"));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++) PetscCall(set_prefix(f, f->ksp_stiff[i], "dae_stiff_"));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetFromOptions(DaeFlow f) {
  char name[64];
  PetscReal rtol = f->rtol, atol = f->atol, step = f->step;
  PetscReal eps = f->srm_eps;
  PetscInt steps = f->max_steps, iterates = f->iterates;
  PetscBool found;
  PetscFunctionBeginUser;
  PetscOptionsBegin(f->comm, f->prefix, "Daedal: index 2", "DaeFlow");
  PetscCall(PetscOptionsString("-dae_method", "method", "DaeFlowSetMethod", f->method->name, name,
                               sizeof name, &found));
  if (found) PetscCall(DaeFlowSetMethod(f, name));
  PetscCall(PetscOptionsReal("-dae_rtol", "relative tolerance", "DaeFlowSetTolerances", rtol, &rtol,
                             NULL));
  PetscCall(PetscOptionsReal("-dae_atol", "absolute tolerance", "DaeFlowSetTolerances", atol, &atol,
                             NULL));
  PetscCall(PetscOptionsReal("-dae_step", "fixed step size; 0: error control", "DaeFlowSetStep",
                             step, &step, NULL));
  PetscCall(PetscOptionsInt("-dae_max_steps", "limit of steps", "DaeFlowSetMaxSteps", steps, &steps,
                            NULL));
  PetscCall(PetscOptionsReal("-dae_srm_eps", "eps of srm; 0: by the step size",
                             "DaeFlowSetRegularization", eps, &eps, NULL));
  PetscCall(PetscOptionsInt("-dae_srm_iterations", "iterates of srm", "DaeFlowSetRegularization",
                            iterates, &iterates, NULL));
  PetscCall(PetscOptionsBool("-dae_monitor", "a line for each step", "DaeFlowSetMonitor", f->show,
                             &f->show, NULL));
  PetscOptionsEnd();
  PetscCall(DaeFlowSetTolerances(f, rtol, atol));
  PetscCall(DaeFlowSetStep(f, step));
  PetscCall(DaeFlowSetMaxSteps(f, steps));
  if (!f->ready) PetscCall(DaeFlowSetRegularization(f, eps, iterates));
  PetscCall(KSPSetFromOptions(f->ksp));
  PetscCall(KSPSetFromOptions(f->ksp_mass));
  PetscCall(KSPSetFromOptions(f->ksp_stage));
  for (int i = 0; i < DAE_FLOW_SLOTS; i++) PetscCall(KSPSetFromOptions(f->ksp_stiff[i]));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMonitor(DaeFlow f, DaeFlowMonitor monitor, void *ctx) {
  PetscFunctionBeginUser;
  f->monitor = monitor;
  f->monitor_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetEvent(DaeFlow f, DaeFlowEvent event, void *ctx) {
  PetscFunctionBeginUser;
  f->event = event;
  f->event_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetNumbering(DaeFlow f, IS u, IS p) {
  PetscFunctionBeginUser;
  PetscCall(keep(f, "DaeFlowSetNumbering", u, OBJECT(number_u)));
  PetscCall(keep(f, "DaeFlowSetNumbering", p, OBJECT(number_p)));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowGetReport(DaeFlow f, const DaeFlowReport **report) {
  PetscFunctionBeginUser;
  *report = &f->report;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowGetPoint(DaeFlow f, PetscReal *t, Vec *u, Vec *p) {
  PetscFunctionBeginUser;
  PetscCheck(f->started, f->comm, PETSC_ERR_ORDER, "there is no point before DaeFlowStart");
  if (t) *t = f->time;
  if (u) *u = f->u;
  if (p) *p = f->p;
  PetscFunctionReturn(0);
}
