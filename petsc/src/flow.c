/* the object: what it is made of, and its options */
#include "flow.h"

#include <stdarg.h>

/* of the core the explicit and half-explicit methods, then those of imex.c */
const dae_method *DaeFlowMethodAt(int i, dae_tableau *t, const DaeFlowImex **imex) {
  const dae_method *m;
  *imex = NULL;
  for (int k = 0; (m = dae_method_at(k)); k++) {
    if (m->implicit || dae_method_tableau(m, t) != DAE_OK) continue;
    if (i-- == 0) return m;
  }
  *imex = DaeFlowImexAt(i);
  if (!*imex) return NULL;
  DaeFlowImexTableau(*imex, t);
  return DaeFlowImexMethod(*imex);
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
  PetscCall(DaeFlowSetMethod(f, "herk3"));
  PetscCall(KSPCreate(comm, &f->ksp));
  PetscCall(KSPSetOptionsPrefix(f->ksp, "dae_"));
  /* C M^-1 B is symmetric positive up to a factor in flows; others choose */
  PetscCall(KSPSetType(f->ksp, KSPGMRES));
  /* the residual itself: it is what is left of the constraints */
  PetscCall(KSPSetNormType(f->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(f->ksp, 1e-12, 1e-50, PETSC_DEFAULT, 2000));
  PetscCall(KSPSetInitialGuessNonzero(f->ksp, PETSC_TRUE));
  PetscCall(KSPCreate(comm, &f->ksp_stiff));
  PetscCall(KSPSetOptionsPrefix(f->ksp_stiff, "dae_stiff_"));
  /* inside a preconditioner: loose, the stage is iterated */
  PetscCall(KSPSetTolerances(f->ksp_stiff, 1e-6, 1e-50, PETSC_DEFAULT, 2000));
  PetscCall(KSPCreate(comm, &f->ksp_stage));
  PetscCall(KSPSetOptionsPrefix(f->ksp_stage, "dae_stage_"));
  PetscCall(KSPSetType(f->ksp_stage, KSPFGMRES));
  PetscCall(KSPSetTolerances(f->ksp_stage, 1e-8, 1e-50, PETSC_DEFAULT, 200));
  *out = f;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowDestroy(DaeFlow *flow) {
  DaeFlow f = *flow;
  PetscFunctionBeginUser;
  if (!f) PetscFunctionReturn(0);
  Vec *vectors[] = {&f->mass,  &f->mass_inverse, &f->u,     &f->p,      &f->F,     &f->slope,
                    &f->u_old, &f->slope_old,    &f->u_new, &f->p_new,  &f->F_new, &f->slope_new,
                    &f->error, &f->crude,        &f->stage, &f->beyond, &f->Bp,    &f->guess,
                    &f->gap,   &f->data,         &f->trial};
  Mat *matrices[] = {&f->B, &f->C, &f->schur, &f->S, &f->S_matrix, &f->L, &f->A, &f->T};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) PetscCall(VecDestroy(vectors[i]));
  for (int i = 0; i < DAE_TABLEAU_STAGES; i++) {
    PetscCall(VecDestroy(&f->k[i]));
    PetscCall(VecDestroy(&f->l[i]));
  }
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    PetscCall(MatDestroy(matrices[i]));
  PetscCall(MatNullSpaceDestroy(&f->space));
  PetscCall(ISDestroy(&f->number_u));
  PetscCall(ISDestroy(&f->number_p));
  PetscCall(KSPDestroy(&f->ksp));
  PetscCall(KSPDestroy(&f->ksp_stiff));
  PetscCall(KSPDestroy(&f->ksp_stage));
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

PetscErrorCode DaeFlowSetMatrices(DaeFlow f, Mat B, Mat C) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetMatrices"));
  PetscCheck(B && C, f->comm, PETSC_ERR_ARG_NULL, "DaeFlowSetMatrices needs B and C");
  PetscCall(PetscObjectReference((PetscObject)B));
  PetscCall(PetscObjectReference((PetscObject)C));
  PetscCall(MatDestroy(&f->B));
  PetscCall(MatDestroy(&f->C));
  f->B = B;
  f->C = C;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetStiff(DaeFlow f, Mat L) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetStiff"));
  if (L) PetscCall(PetscObjectReference((PetscObject)L));
  PetscCall(MatDestroy(&f->L));
  f->L = L;
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
  PetscCall(not_after_start(f, "DaeFlowSetMass"));
  if (diagonal) PetscCall(PetscObjectReference((PetscObject)diagonal));
  PetscCall(VecDestroy(&f->mass));
  f->mass = diagonal;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetNullSpace(DaeFlow f, MatNullSpace space) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetNullSpace"));
  if (space) PetscCall(PetscObjectReference((PetscObject)space));
  PetscCall(MatNullSpaceDestroy(&f->space));
  f->space = space;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetSchur(DaeFlow f, Mat schur) {
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetSchur"));
  if (schur) PetscCall(PetscObjectReference((PetscObject)schur));
  PetscCall(MatDestroy(&f->schur));
  f->schur = schur;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowGetKSP(DaeFlow f, KSP *ksp) {
  PetscFunctionBeginUser;
  *ksp = f->ksp;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetMethod(DaeFlow f, const char *name) {
  char list[256] = "";
  dae_tableau t;
  const dae_method *m;
  const DaeFlowImex *imex;
  PetscBool same;
  PetscFunctionBeginUser;
  PetscCall(not_after_start(f, "DaeFlowSetMethod"));
  for (int i = 0; (m = DaeFlowMethodAt(i, &t, &imex)); i++) {
    PetscCall(PetscStrcmp(m->name, name, &same));
    if (same) {
      f->method = m;
      f->imex = imex;
      f->t = t;
      PetscFunctionReturn(0);
    }
    PetscCall(PetscStrlcat(list, " ", sizeof list));
    PetscCall(PetscStrlcat(list, m->name, sizeof list));
  }
  SETERRQ(f->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "'%s' is no method for this; there are%s",
          name ? name : "", list);
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

PetscErrorCode DaeFlowSetOptionsPrefix(DaeFlow f, const char *prefix) {
  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(f->prefix, prefix ? prefix : "", sizeof f->prefix));
  PetscCall(KSPSetOptionsPrefix(f->ksp, f->prefix));
  PetscCall(KSPAppendOptionsPrefix(f->ksp, "dae_"));
  PetscCall(KSPSetOptionsPrefix(f->ksp_stiff, f->prefix));
  PetscCall(KSPAppendOptionsPrefix(f->ksp_stiff, "dae_stiff_"));
  PetscCall(KSPSetOptionsPrefix(f->ksp_stage, f->prefix));
  PetscCall(KSPAppendOptionsPrefix(f->ksp_stage, "dae_stage_"));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSetFromOptions(DaeFlow f) {
  char name[64];
  PetscReal rtol = f->rtol, atol = f->atol, step = f->step;
  PetscInt steps = f->max_steps;
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
  PetscCall(PetscOptionsBool("-dae_monitor", "a line for each step", "DaeFlowSetMonitor", f->show,
                             &f->show, NULL));
  PetscOptionsEnd();
  PetscCall(DaeFlowSetTolerances(f, rtol, atol));
  PetscCall(DaeFlowSetStep(f, step));
  PetscCall(DaeFlowSetMaxSteps(f, steps));
  PetscCall(KSPSetFromOptions(f->ksp));
  PetscCall(KSPSetFromOptions(f->ksp_stiff));
  PetscCall(KSPSetFromOptions(f->ksp_stage));
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
  PetscCall(PetscObjectReference((PetscObject)u));
  PetscCall(PetscObjectReference((PetscObject)p));
  PetscCall(ISDestroy(&f->number_u));
  PetscCall(ISDestroy(&f->number_p));
  f->number_u = u;
  f->number_p = p;
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
