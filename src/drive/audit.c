/* the audit of a run: what each form promises, when it is looked at, and what is said */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

dae_status dae_drive_audit_new(dae_solver *s) {
  return s->plan.o.audit ? dae_audit_new(&s->audit, s->point, &s->plan.o, &s->pool) : DAE_OK;
}

/*
 * projected levels            rounding (ctol), with any step
 * error control               what errors within the tolerance make of a residual
 * fixed steps, not projected  nothing: studies of drift
 * embed, and srm with its own eps or iterations: nothing, their solutions are near the constraints
 */
static dae_promise promised(const dae_solver *s, const dae_way *w, int row) {
  bool regularized = s->own_y && (s->plan.o.srm_eps > 0 || s->plan.o.srm_iterations > 0);
  if (w->view->free_start || regularized) return DAE_PROMISE_NONE;
  if (dae_stabilize_keeps(w->stab, row)) return DAE_PROMISE_ROUNDING;
  return s->plan.o.step > 0 ? DAE_PROMISE_NONE : DAE_PROMISE_TOLERANCE;
}

/* what was found wrong goes into the report */
static dae_status tell(dae_solver *s, dae_status status) {
  dae_auditor *a = s->audit;
  s->stats.audit = dae_audit_worst(a);
  if (status == DAE_OK) return DAE_OK;
  memcpy(s->report.equation, a->equation, DAE_NAME_MAX);
  memcpy(s->report.variable, a->variable, DAE_NAME_MAX);
  s->report.residual = a->residual;
  return dae_drive_report(s, status, "%s", a->message);
}

/* on a singular position y and x^(m) are limits: the equations do not determine them there */
static bool limits(const dae_solver *s) { return dae_passage_limited(s->guard, s->t); }

/* the equations at the present point; exact: it was solved for, not stepped to */
static dae_status equations(dae_solver *s, bool exact) {
  if (!s->implicit) return dae_audit_dynamics(s->audit, s->t, s->z, s->y, s->dz, exact);
  return dae_audit_implicit(s->audit, s->t, s->z, s->dz, exact ? 0 : fabs(s->step->h_old));
}

dae_status dae_drive_audit_start(dae_solver *s) {
  dae_auditor *a = s->audit;
  if (!a) return DAE_OK;
  dae_audit_start(a);
  for (int i = 0; i < s->sys->nh; i++) {
    dae_promise first = promised(s, &s->ways.way[0], i);
    dae_promise other = s->ways.count > 1 ? promised(s, &s->ways.way[1], i) : first;
    a->promise[i] = (unsigned char)(first < other ? first : other);
  }
  dae_status status = dae_audit_point(a, s->t, s->z, s->y, s->dz);
  if (status == DAE_OK && !limits(s)) {
    if (!s->view->free_start) status = dae_audit_judge_start(a, s->t, s->z);
    if (status == DAE_OK) status = equations(s, true);
  }
  return tell(s, status);
}

/* invariants that the steps are projected onto must be those of the equations */
static dae_status invariants(dae_solver *s) {
  if (s->p->kind != DAE_ODE || s->sys->nh == 0 || !dae_stabilize_keeps(s->stab, 0)) return DAE_OK;
  dae_point_aside(s->point);
  dae_status status = dae_drive_invariant(s);
  dae_point_back(s->point);
  return status;
}

dae_status dae_drive_audit_step(dae_solver *s, bool known) {
  if (!s->audit) return DAE_OK;
  const double *h = s->sys->nh > 0 ? dae_stabilize_residuals(s->stab) : NULL;
  dae_status status = known ? dae_audit_step(s->audit, s->t, s->z, s->y, s->dz, h)
                            : dae_audit_numbers(s->audit, s->t, s->z, s->y, s->dz);
  if (status != DAE_OK) return tell(s, status);
  return known && s->audit->full ? invariants(s) : DAE_OK;
}

dae_status dae_drive_audit_end(dae_solver *s) {
  dae_auditor *a = s->audit;
  if (!a) return DAE_OK;
  dae_status status = dae_audit_point(a, s->t, s->z, s->y, s->dz);
  if (status == DAE_OK) status = dae_audit_judge(a, s->t, s->z);
  bool exact = s->exact_y && !s->own_y;
  if (status == DAE_OK && !limits(s)) status = equations(s, exact);
  status = tell(s, status);
  if (status == DAE_OK) status = invariants(s);
  return status == DAE_OK ? dae_drive_rank_at_end(s) : status;
}
