/* the run: a consistent start, steps under error control, dense output, an event that ends it */
#include "flow.h"

/* after an accepted point: how well the constraints hold, and who wants to know */
static PetscErrorCode look(DaeFlow f) {
  PetscReal off;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowGap(f, f->time, f->u, f->gap));
  PetscCall(VecNorm(f->gap, NORM_INFINITY, &off));
  f->report.constraint = PetscMax(f->report.constraint, off);
  f->report.t = f->time;
  f->report.h = f->h;
  if (f->show)
    PetscCall(PetscPrintf(f->comm,
                          "%6" PetscInt_FMT "  t = %-12.6g h = %-10.3g |C u - r| = %-10.3g solves "
                          "%" PetscInt_FMT ", iterations %" PetscInt_FMT "\n",
                          f->report.steps, (double)f->time, (double)f->h, (double)off,
                          f->report.solves, f->report.iterations));
  if (f->monitor) PetscCall(f->monitor(f, f->time, f->u, f->p, f->monitor_ctx));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowStart(DaeFlow f, PetscReal t0, Vec u) {
  PetscReal length;
  PetscInt size, own;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowSetUp(f));
  PetscCall(VecGetSize(u, &size));
  PetscCall(VecGetSize(f->u, &own));
  PetscCheck(size == own, f->comm, PETSC_ERR_ARG_SIZ,
             "the initial u has %" PetscInt_FMT " entries, C has %" PetscInt_FMT " columns", size,
             own);
  PetscCheck(!f->g || f->t.half_explicit, f->comm, PETSC_ERR_SUP,
             "%s projects its stages, which keeps its order for linear constraints only: take a "
             "herk method",
             f->method->name);
  f->report = (DaeFlowReport){.status = DAE_OK, .t = t0};
  f->time = f->time_old = t0;
  f->h = 0;
  f->norm_before = 1;
  f->rejected_before = PETSC_FALSE;
  f->started = PETSC_TRUE;
  PetscCall(VecCopy(u, f->u));
  PetscCall(VecSet(f->p, 0));
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowProject(f, t0, f->u, f->guess));
  PetscCall(VecWAXPY(f->stage, -1, u, f->u));
  PetscCall(VecNorm(f->stage, NORM_INFINITY, &length));
  f->report.moved = length;
  if (DaeFlowOk(f)) PetscCall(DaeFlowSlope(f, t0, f->u, f->F, f->p, f->slope));
  f->stiff_old = PETSC_TRUE;
  f->srm_used = 0;
  if (f->kind == DAE_FLOW_SRM) PetscCall(DaeFlowSrmStart(f));
  PetscCall(VecCopy(f->u, f->u_old));
  PetscCall(VecCopy(f->slope, f->slope_old));
  if (f->event && DaeFlowOk(f)) PetscCall(f->event(t0, f->u, &f->event_value, f->event_ctx));
  if (DaeFlowOk(f)) PetscCall(look(f));
  PetscFunctionReturn(0);
}

/* a step whose Euler step moves u by a per cent (Hairer, Norsett, Wanner II.4) */
static PetscErrorCode first_step(DaeFlow f, PetscReal span) {
  PetscReal size, rate;
  PetscFunctionBeginUser;
  PetscCall(VecNorm(f->u, NORM_2, &size));
  PetscCall(VecNorm(f->slope, NORM_2, &rate));
  f->h = size > 0 && rate > 0 ? 0.01 * size / rate : 1e-3 * PetscAbsReal(span);
  f->h *= PetscPowReal(PetscMin(1, 1e4 * PetscMax(f->rtol, f->atol)), 1.0 / f->method->order);
  f->h = PetscMin(f->h, PetscAbsReal(span));
  PetscFunctionReturn(0);
}

/* the new point becomes the present one */
static PetscErrorCode accept(DaeFlow f, PetscReal h, PetscReal t_end) {
  PetscFunctionBeginUser;
  Vec old = f->u_old, slope = f->slope_old, F = f->F, p = f->p;
  f->u_old = f->u, f->u = f->u_new, f->u_new = old;
  f->slope_old = f->slope, f->slope = f->slope_new, f->slope_new = slope;
  f->F = f->F_new, f->F_new = F;
  f->p = f->p_new, f->p_new = p;
  f->time_old = f->time;
  /* the end is hit to the last digit */
  f->time = PetscAbsReal(t_end - f->time - h) <= 1e-12 * PetscAbsReal(h) ? t_end : f->time + h;
  f->report.steps++;
  PetscFunctionReturn(0);
}

/* cubic Hermite interpolation in the last step, then onto the constraints */
static PetscErrorCode inside(DaeFlow f, PetscReal t, Vec u) {
  PetscReal h = f->time - f->time_old, x = h != 0 ? (t - f->time_old) / h : 1;
  PetscScalar a[4] = {(1 + 2 * x) * (1 - x) * (1 - x), x * x * (3 - 2 * x),
                      h * x * (1 - x) * (1 - x), h * x * x * (x - 1)};
  Vec v[4] = {f->u_old, f->u, f->slope_old, f->slope};
  PetscFunctionBeginUser;
  PetscCall(VecSet(u, 0));
  PetscCall(VecMAXPY(u, 4, a, v));
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowProject(f, t, u, f->guess));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowEval(DaeFlow f, PetscReal t, Vec u, Vec p) {
  PetscReal low = PetscMin(f->time_old, f->time), high = PetscMax(f->time_old, f->time);
  PetscFunctionBeginUser;
  PetscCheck(f->started, f->comm, PETSC_ERR_ORDER, "there is no point before DaeFlowStart");
  PetscCheck(t >= low && t <= high, f->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "t = %g is outside of the last step, %g .. %g", (double)t, (double)low, (double)high);
  if (t == f->time) PetscCall(VecCopy(f->u, u));
  else PetscCall(inside(f, t, u));
  if (!p) PetscFunctionReturn(0);
  PetscCall(VecCopy(f->p, p));
  if (t != f->time) PetscCall(DaeFlowSlope(f, t, u, f->error, p, f->crude));
  PetscFunctionReturn(0);
}

/* a zero of the event inside the last step: by the secant method with halving (Illinois) */
static PetscErrorCode event_check(DaeFlow f) {
  enum { MOST = 60 };
  PetscReal e0 = f->event_value, e1, t0 = f->time_old, t1 = f->time, e = 0, t = t1;
  PetscFunctionBeginUser;
  if (!f->event) PetscFunctionReturn(0);
  PetscCall(f->event(f->time, f->u, &e1, f->event_ctx));
  f->event_value = e1;
  if (e0 == 0 || e1 == 0 ? e0 == 0 : e0 * e1 > 0) PetscFunctionReturn(0);
  int side = 0;
  for (int k = 0; k < MOST && e1 != 0 && PetscAbsReal(t1 - t0) > 1e-14 * (1 + PetscAbsReal(t1));
       k++) {
    t = t1 - e1 * (t1 - t0) / (e1 - e0);
    PetscCall(inside(f, t, f->u_new));
    PetscCall(f->event(t, f->u_new, &e, f->event_ctx));
    if (e * e1 > 0) {
      t1 = t, e1 = e;
      if (side == 1) e0 /= 2;
      side = 1;
    } else {
      t0 = t, e0 = e;
      if (side == -1) e1 /= 2;
      side = -1;
    }
  }
  /* the state at the event becomes the present point */
  PetscCall(inside(f, t, f->u_new));
  PetscCall(VecCopy(f->u_new, f->u));
  f->time = t;
  PetscCall(DaeFlowSlope(f, t, f->u, f->F, f->p, f->slope));
  if (DaeFlowOk(f))
    PetscCall(DaeFlowFail(f, DAE_EVENT, "the event was reached at t = %g", (double)t));
  PetscFunctionReturn(0);
}

/* a failure that a shorter step may avoid */
static PetscBool recoverable(const DaeFlow f) {
  return f->report.status == DAE_E_CALLBACK || f->report.status == DAE_E_SINGULAR ||
         f->report.status == DAE_E_NEWTON;
}

/* attempts of shorter and shorter steps; the one that was taken is in *h */
static PetscErrorCode attempts(DaeFlow f, PetscReal *h) {
  const PetscReal shortest = 1e-13;
  PetscReal norm;
  PetscFunctionBeginUser;
  for (;;) {
    f->h = PetscAbsReal(*h); /* also the scale of differences in time */
    PetscCall(DaeFlowAttempt(f, *h, &norm));
    PetscBool failed = DaeFlowOk(f) ? PETSC_FALSE : PETSC_TRUE;
    if (!failed && PetscIsInfOrNanReal(norm)) {
      failed = PETSC_TRUE;
      PetscCall(DaeFlowFail(f, DAE_E_CALLBACK, "a function gave no finite number near t = %g",
                            (double)f->time));
    }
    if (failed && (f->step > 0 || !recoverable(f))) PetscFunctionReturn(0);
    PetscReal factor =
        failed ? 0.25 : dae_method_step_factor(f->method, norm, f->norm_before, norm <= 1);
    if (!failed && (f->step > 0 || norm <= 1)) {
      if (f->step == 0) {
        f->h = PetscAbsReal(*h) * (f->rejected_before ? PetscMin(1, factor) : factor);
        f->norm_before = PetscMax(norm, 1e-10);
        f->rejected_before = PETSC_FALSE;
      }
      PetscFunctionReturn(0);
    }
    f->report.rejected++;
    f->rejected_before = PETSC_TRUE;
    *h *= factor;
    if (PetscAbsReal(*h) <= shortest * PetscMax(PetscAbsReal(f->time), PetscAbsReal(f->h))) {
      if (!failed)
        PetscCall(DaeFlowFail(f, DAE_E_STEP, "the step size fell below rounding at t = %g",
                              (double)f->time));
      PetscFunctionReturn(0);
    }
    if (failed) f->report.status = DAE_OK;
  }
}

PetscErrorCode DaeFlowStep(DaeFlow f, PetscReal t_end) {
  PetscFunctionBeginUser;
  PetscCheck(f->started, f->comm, PETSC_ERR_ORDER, "DaeFlowStart comes before DaeFlowStep");
  PetscReal span = t_end - f->time, sign = span < 0 ? -1 : 1;
  if (!DaeFlowOk(f) || span == 0) PetscFunctionReturn(0);
  PetscCheck(f->step > 0 || f->method->estimate > 0, f->comm, PETSC_ERR_ARG_INCOMP,
             "%s has no error estimate: give -dae_step, or take another method", f->method->name);
  if (f->step > 0) f->h = f->step;
  else if (f->h == 0) PetscCall(first_step(f, span));
  PetscReal size = PetscMin(f->h, PetscAbsReal(span));
  /* two equal steps rather than a very short last one */
  if (f->step == 0 && size < PetscAbsReal(span) && 2 * size > PetscAbsReal(span))
    size = PetscAbsReal(span) / 2;
  /* fixed steps may miss the end by rounding only */
  if (f->step > 0 && PetscAbsReal(span) < f->step * (1 + 1e-9)) size = PetscAbsReal(span);
  PetscReal h = sign * size, wanted = f->h;
  PetscBool cut = size < wanted ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(attempts(f, &h));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  /* a step that the end has cut says little about the next one */
  if (f->step == 0 && cut) f->h = PetscMax(f->h, wanted);
  PetscCall(accept(f, h, t_end));
  PetscCall(event_check(f));
  if (f->report.status >= 0) {
    dae_status status = f->report.status;
    PetscCall(look(f));
    f->report.status = status;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSolve(DaeFlow f, PetscReal t0, PetscReal t1, Vec u, Vec p) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowStart(f, t0, u));
  while (DaeFlowOk(f) && f->time != t1) {
    if (f->report.steps >= f->max_steps)
      PetscCall(DaeFlowFail(f, DAE_E_LIMIT, "%" PetscInt_FMT " steps have come to t = %g",
                            f->report.steps, (double)f->time));
    else PetscCall(DaeFlowStep(f, t1));
  }
  PetscCall(VecCopy(f->u, u));
  if (p) PetscCall(VecCopy(f->p, p));
  PetscFunctionReturn(0);
}
