/* the loop: predict, solve, estimate, accept */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"
#include "problem/discrete.h"

/* what an iteration may leave of a step, in units of its tolerance: enough for the estimate to mean
   the step, and no less than rounding (ROUNDED, relative) where tolerances are tight */
static const double NEWTON_MOST = 0.1, NEWTON_LEAST = 0.03, ROUNDED = 2e-13, TIGHTEST = 1e-14;
/* .. once it has spoilt constraints, as often */
enum { TIGHTEST_YET = 4 };
static const double TIGHTER[TIGHTEST_YET + 1] = {1, 1e-1, 1e-2, 1e-4, 1e-7};
/* what differences in place of derivatives leave of a step, relative */
static const double DIFFERENCES = 1e-12;
/* the size after failures: an iteration that does not converge needs less than a function that has
   no value there */
static const double AFTER_NEWTON = 0.5, AFTER_FAILURE = 0.25;
/* .. of an implicit problem at its start, where no step has told how fast its functions bend */
static const double AT_FIRST = 0.1;
/* that many of them may have a singular position as their reason, or variables of index 3 that are
   not consistent */
enum { MANY = 4 };
/* in units of the step: an end that is nearer is reached, with fixed steps and with others */
static const double CRUMB = 1e-9, LAST = 1e-10;
/* of t: a step that is not all rounding */
static const double LEAST = 16 * DBL_EPSILON;

/* failures that a smaller step may cure */
static bool recoverable(dae_status status) {
  return status == DAE_E_CALLBACK || status == DAE_E_NEWTON || status == DAE_E_SINGULAR ||
         status == DAE_E_DRIFT;
}

/* |z_new - z before the correction| > 1 in units of the tolerance, or of what differences leave of
   a derivative, or of what rounding makes of it where a singular position is crossed */
static bool moved_too_far(const dae_solver *s) {
  double sum = 0;
  for (int i = 0; i < s->view->nz; i++) {
    double d = (s->step->z_new[i] - s->work.u[i]) * s->control.weight[i];
    sum += d * d;
  }
  sum *= s->control.share * s->control.share;
  if (sum <= s->view->nz) return false;
  double rounding = fmax(dae_passage_rounding(s->guard), dae_passage_left(s->guard));
  double limit = fmax(DIFFERENCES, rounding) / dae_drive_tolerance(s);
  return !(sum <= s->view->nz * limit * limit); /* also where z_new is no number */
}

/* z_new of the method, and what it says of its own error */
static dae_status solve(dae_solver *s, double h) {
  dae_stepper *a = s->step;
  dae_status status = dae_stabilize_before(s->stab, s->t, a->z);
  dae_drive_weights_for(s, h);
  /* what an iteration leaves must be small beside the error that the step may make */
  if (a->method->implicit) {
    double rounding =
        ROUNDED / fmax(s->control.share * fmax(s->plan.o.rtol, s->plan.o.atol), TIGHTEST);
    a->newton_tol = fmax(fmin(NEWTON_MOST, rounding), NEWTON_LEAST) * TIGHTER[s->control.tighter];
    a->careful = s->control.tighter > 0;
  }
  return status == DAE_OK ? a->cls->attempt(a, h) : status;
}

/* the error in units of the tolerance; 0 without an estimate. What rounding makes of it where a
   singular position is crossed is no reason for a shorter step */
static double estimate(const dae_solver *s) {
  const dae_stepper *a = s->step;
  if (a->method->estimate == 0 || s->plan.o.step > 0) return 0;
  const dae_own_norm *own = s->plan.o.norm;
  double norm = own ? own->norm(s->view->nz, a->error, s->control.weight, own->ctx)
                    : dae_step_norm(s->view->nz, a->error, s->control.weight);
  if (norm <= 1) return norm;
  double forgiven = dae_passage_rounding(s->guard) / (s->control.share * dae_drive_tolerance(s));
  return norm <= forgiven ? 1 : norm;
}

/* z_new brought to the constraints. A correction beyond the tolerance itself hides a step that went
   astray; or an iteration has left little of a coordinate that is much of a small derivative, as
   G'' x beside G x'', however short the step is */
static dae_status correct(dae_solver *s, double h) {
  dae_stepper *a = s->step;
  if (s->view->from_z) return DAE_OK;
  if (s->plan.o.step == 0) memcpy(s->work.u, a->z_new, (size_t)s->view->nz * sizeof *s->work.u);
  dae_status status = dae_passage_onto(s->guard, s->stab, s->t + h, a->z_new, a->end);
  if (status != DAE_OK || s->plan.o.step > 0 || !moved_too_far(s)) return status;
  if (a->method->implicit && s->control.tighter < TIGHTEST_YET) s->control.tighter++;
  return DAE_E_DRIFT;
}

/* one attempt: solve, estimate, correct, accept. Where the guard wants another size, or *norm is
   more than 1, it ends before the last two */
static dae_status try_step(dae_solver *s, double h, double *norm, dae_verdict *verdict) {
  *verdict = (dae_verdict){.kind = DAE_VERDICT_ACCEPT};
  *norm = 0;
  dae_status status = solve(s, h);
  if (status != DAE_OK) return status;
  *verdict = dae_passage_attempted(s->guard, h);
  if (verdict->kind == DAE_VERDICT_RETRY) return DAE_OK;
  *norm = estimate(s);
  if (!isfinite(*norm)) return DAE_E_CALLBACK;
  if (*norm > 1) return DAE_OK;
  status = correct(s, h);
  /* with error control the correction has been measured, and with it z_new */
  bool measured = s->plan.o.step == 0 && !s->view->from_z;
  if (status == DAE_OK && !measured && !dae_base_finite(s->step->z_new, s->view->nz))
    status = DAE_E_CALLBACK;
  if (status != DAE_OK) return status;
  status = s->step->cls->accept(s->step);
  /* the method has moved on, or a part of it has: it begins anew where the run is */
  if (status != DAE_OK) s->restart_due = true;
  return status;
}

/* the same for another size, from the last point that counts */
static dae_status try_again(dae_solver *s, double h, double stop, double *norm,
                            dae_verdict *verdict) {
  if (!s->restart_due) return try_step(s, h, norm, verdict);
  *verdict = (dae_verdict){.kind = DAE_VERDICT_ACCEPT};
  *norm = 0;
  dae_status status = dae_drive_restart_beyond(s, stop);
  if (status == DAE_OK) return try_step(s, h, norm, verdict);
  s->restart_due = true;
  return status;
}

/* a step of size h in the statistics */
static void count_step(dae_solver *s, double h) {
  dae_stats *c = &s->stats;
  const dae_stepper *a = s->step;
  int order = a->order ? a->order : a->method->order, size = ilogb(h) + DAE_SIZE_ONE;
  c->steps++;
  if (c->steps == 1) c->h_first = h;
  c->h_last = h;
  if (h < c->h_min) c->h_min = h;
  if (h > c->h_max) c->h_max = h;
  c->by_order[order < DAE_ORDERS ? order : DAE_ORDERS - 1]++;
  c->by_size[size < 0 ? 0 : size < DAE_SIZES ? size : DAE_SIZES - 1]++;
}

/* the accepted point in the problem's variables, drift, statistics */
static dae_status settle(dae_solver *s, double t_new) {
  dae_stepper *a = s->step;
  dae_stats *c = &s->stats;
  dae_status status = DAE_OK;
  /* y_s of srm has g/eps in it: with error control what the last steps left of g, which is no part
     of the solution, is made up to a thousand times larger */
  bool exact = s->own_y ? s->plan.o.step > 0 : a->exact && s->view->eliminates && a->t == t_new;
  s->t_previous = s->t;
  s->t = a->t = t_new;
  s->stops.ahead = 0;
  if (s->view->to_z) status = s->view->to_z(s->view, s->t, a->z, s->z);
  else memcpy(s->z, a->z, (size_t)s->sys->nz * sizeof *s->z);
  if (!s->view->to_z) memcpy(s->dz, a->dz, (size_t)s->sys->nz * sizeof *s->dz);
  memcpy(s->y, a->y, (size_t)s->sys->ny * sizeof *s->y);
  s->exact_y = exact;
  count_step(s, fabs(a->h_old));
  dae_point_seen(s->point, s->z);
  if (status == DAE_OK && s->sys->nh > 0)
    status = dae_stabilize_left(s->stab, s->t, s->z, c->drift_last);
  for (int l = 0; l < s->sys->order; l++)
    if (c->drift_last[l] > c->drift_max[l]) c->drift_max[l] = c->drift_last[l];
  dae_passage_settled(s->guard, s->t, s->z);
  dae_drive_update_stats(s);
  return status;
}

static void begin_step(dae_solver *s, double stop) {
  dae_attempt at = {.t = s->t, .z = s->z, .dz = s->dz, .stop = stop, .span = s->control.span};
  s->step->t_limit = stop;
  dae_passage_begin(s->guard, &at);
}

/* the guard wants no other size: the way that passes takes the step instead (*again), or the run
   ends. Whatever the method made of the step is not shown */
static dae_status obey(dae_solver *s, dae_verdict verdict, bool *again) {
  if (verdict.kind != DAE_VERDICT_HAND_OVER) return dae_drive_no_way(s, verdict.t);
  dae_drive_hand_over(s, verdict);
  *again = true;
  return DAE_OK;
}

/* the method has accepted a step of size h: does it count? */
static dae_status look_inside(dae_solver *s, double h, bool *again) {
  dae_verdict verdict;
  dae_status status = dae_passage_accepted(s->guard, s->control.share, &verdict);
  if (status != DAE_OK) return dae_drive_explain(s, status, h);
  return verdict.kind == DAE_VERDICT_ACCEPT ? DAE_OK : obey(s, verdict, again);
}

/* a step of the only size failed, or the step size has fallen below rounding */
static dae_status give_up(dae_solver *s, dae_status status, double h, bool *again) {
  dae_verdict verdict = dae_passage_failed(s->guard, true);
  if (verdict.kind != DAE_VERDICT_ACCEPT) return obey(s, verdict, again);
  *again = dae_drive_refuge(s);
  if (*again) return DAE_OK;
  if (dae_drive_implicit_doubtful(s)) return DAE_E_INDEX;
  if (status != DAE_OK) return dae_drive_explain(s, status, h);
  return dae_drive_too_small(s, h);
}

/* t_n = t_0 + n h, or a graded mesh; the last step may be shorter */
static dae_status fixed_step(dae_solver *s, double stop, bool *again) {
  double h = stop < s->t ? -s->plan.o.step : s->plan.o.step;
  double t_new = s->stops.grid_t0 + (s->stops.grid_n + 1) * h, norm;
  if (dae_drive_graded_point(s, stop, &t_new)) h = t_new - s->t;
  bool cut = (stop - t_new) * h < -CRUMB * h * h;
  bool reached = cut || (stop - t_new) * h < CRUMB * h * h;
  if (reached) t_new = stop;
  if (cut) h = stop - s->t;
  if (reached) h -= (h < 0 ? -1 : 1) * (dae_drive_beside(s, stop) + s->stops.ahead);
  s->control.h = h;
  begin_step(s, stop);
  dae_verdict verdict;
  dae_status status;
  do status = try_step(s, h, &norm, &verdict);
  while (verdict.kind == DAE_VERDICT_RETRY);
  if (recoverable(status)) return give_up(s, status, h, again);
  if (status != DAE_OK) return dae_drive_explain(s, status, h);
  status = look_inside(s, h, again);
  if (status != DAE_OK || *again) return status;
  s->stops.grid_n++;
  if (cut) {
    s->stops.grid_t0 = stop;
    s->stops.grid_n = 0;
  }
  return settle(s, t_new);
}

/* the first size, or one in the other direction */
static dae_status choose_first(dae_solver *s, double stop, double sign) {
  dae_status status;
  dae_drive_weights(s);
  s->control.h = dae_drive_first_step(s, stop, &status);
  if (status != DAE_OK) return dae_drive_explain(s, status, s->control.h);
  if (s->control.h_most > 0) s->control.h = sign * fmin(fabs(s->control.h), s->control.h_most);
  s->control.h_most = 0;
  dae_drive_weights_first(s);
  return DAE_OK;
}

/* a step of error control that has been accepted: its size h > 0, where it ends, the least that the
   next one may be proposed as (0: nothing is known) */
typedef struct good_step {
  double sign, h, norm, t_new, at_least;
  bool retried;
} good_step;

static dae_status keep_step(dae_solver *s, const good_step *g) {
  double next = fabs(dae_drive_next_step(s, g->sign * g->h, g->norm, true));
  s->control.rejected_before = g->retried;
  next = fmax(next, g->at_least);
  if (s->plan.o.max_step > 0) next = fmin(next, s->plan.o.max_step);
  s->control.h = g->sign * next;
  dae_status status = settle(s, g->t_new);
  if (status == DAE_OK && g->retried) status = dae_drive_branches(s);
  if (status != DAE_OK) return status;
  dae_verdict verdict = dae_passage_after(s->guard, g->h);
  if (verdict.kind == DAE_VERDICT_END) return dae_drive_no_way(s, verdict.t);
  /* member by member: the gap behind the kind would bring noise into checkpoints */
  if (verdict.kind == DAE_VERDICT_HAND_OVER)
    s->due.kind = verdict.kind, s->due.h = verdict.h, s->due.t = verdict.t;
  else status = dae_drive_switch_test(s, g->h, verdict.kind == DAE_VERDICT_HAND_BACK);
  if (status == DAE_OK) status = dae_drive_spend(s);
  dae_drive_weights(s);
  return status;
}

/* the size after an attempt of size h that failed, or whose error was too large */
static double smaller(dae_solver *s, double h, dae_status status, double norm) {
  if (status == DAE_OK) return dae_drive_next_step(s, h, norm, false);
  if (status == DAE_E_NEWTON && s->implicit && s->stats.steps == 0) return h * AT_FIRST;
  return h * (status == DAE_E_NEWTON ? AFTER_NEWTON : AFTER_FAILURE);
}

/* |h| as t + h has it: far from 0 t is so coarse that steps and times would part */
static double representable(double t, double h) {
  static const double NEAR = 1e-5; /* beside such steps a rounding of t is nothing */
  volatile double end = t + h;
  return fabs(h) > NEAR * fabs(t) ? fabs(h) : fabs(end - t);
}

static dae_status adaptive_step(dae_solver *s, double stop, bool *again) {
  double sign = stop < s->t ? -1 : 1, left = fabs(stop - s->t) - s->stops.ahead;
  dae_status status = DAE_OK;
  /* before the trial of a first step, which is no point of the run */
  begin_step(s, stop);
  if (s->control.h == 0 || s->control.h * sign < 0) status = choose_first(s, stop, sign);
  if (status != DAE_OK) return status;
  double planned = fabs(s->control.h), h = planned, norm;
  /* t + h must differ from t; where t is nothing beside h, the size that was planned counts. The
     way to go does not: a run to an event has no end of its own */
  double h_min = LEAST * fmax(fabs(s->t), DBL_EPSILON * fmin(planned, left));
  dae_verdict verdict;
  if (s->plan.o.max_step > 0) h = fmin(h, s->plan.o.max_step);
  bool steered = false; /* the guard wants this size: halved it would ask again, to no end */
  for (int failures = 0;;) {
    /* reach the end exactly, and leave no crumb for the last step */
    bool last = h >= left * (1 - LAST);
    if (last) h = left - dae_drive_beside(s, stop);
    else if (h > 0.5 * left && !steered) h = 0.5 * left;
    h = representable(s->t, sign * h);
    status = try_again(s, sign * h, stop, &norm, &verdict);
    steered = verdict.kind == DAE_VERDICT_RETRY;
    if (steered) {
      h = fabs(verdict.h);
      continue;
    }
    if (status == DAE_OK && norm <= 1) {
      status = look_inside(s, sign * h, again);
      if (status != DAE_OK || *again) return status;
      /* a step cut by the end or by a singular position says nothing against the planned size */
      double at_least = h < planned && failures == 0 ? planned : 0;
      return keep_step(
          s, &(good_step){sign, h, norm, last ? stop : s->t + sign * h, at_least, failures > 0});
    }
    dae_passage_rejected(s->guard);
    failures++;
    s->stats.rejected++;
    if (status != DAE_OK && !recoverable(status)) return dae_drive_explain(s, status, sign * h);
    h = fabs(smaller(s, sign * h, status, norm));
    s->control.rejected_before = true;
    s->control.h = sign * h;
    dae_drive_coarser(s, failures);
    if (!(h > 0) || h < h_min) return give_up(s, status, sign * h, again);
    if (failures == MANY && s->implicit && !s->step->stood) {
      status = dae_drive_implicit_again(s);
      if (status != DAE_OK) return status;
    }
    if (failures != MANY) continue;
    verdict = dae_passage_failed(s->guard, false);
    if (verdict.kind == DAE_VERDICT_HAND_OVER) return obey(s, verdict, again);
  }
}

/* the point where a step or an event has ended: the one that was asked for is looked at in full.
   known: the residuals there are those that the stabilizer found */
static dae_status look_at_point(dae_solver *s, double t_limit, dae_status status, bool known) {
  if (status != DAE_OK && status != DAE_EVENT) return status;
  bool reached = s->t == t_limit;
  dae_status found = reached && status == DAE_OK ? dae_drive_refine(s) : DAE_OK;
  if (found == DAE_OK && (reached || status == DAE_EVENT)) found = dae_drive_audit_end(s);
  else if (found == DAE_OK) found = dae_drive_audit_step(s, known);
  return found != DAE_OK ? found : status;
}

/* the present point becomes consistent, or stays what it is */
static dae_status onto_constraints(dae_solver *s) {
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  memcpy(s->work.z, s->z, bytes);
  dae_status status = dae_stabilize_project(s->nearest, s->t, s->work.z, NULL, NULL);
  if (status == DAE_OK && !dae_base_finite(s->work.z, s->sys->nz)) status = DAE_E_DRIFT;
  if (status == DAE_OK) memcpy(s->z, s->work.z, bytes);
  return status;
}

/* a form may choose other coordinates before a step: not right after one, whose interpolation is in
   the coordinates that it had */
static dae_status choose_coordinates(dae_solver *s) {
  bool changed = false;
  if (!s->view->accepted || s->restart_due) return DAE_OK;
  dae_status status = s->view->accepted(s->view, s->t, s->z, &changed);
  if (status != DAE_OK || !changed) return status;
  s->stats.restarts++;
  return dae_drive_restart(s);
}

/* another way takes over where that is due, and the method starts anew where it must */
static dae_status prepare(dae_solver *s, double t_limit) {
  dae_status status = DAE_OK;
  if (t_limit < s->t && s->view->attracts)
    return dae_drive_report(
        s, DAE_E_FORM,
        "form %s with gamma = %g attracts to the constraints as time goes on, and "
        "repels from them backwards: use form auto, or gamma = 0",
        s->view->name, s->plan.o.gamma);
  if (s->due.kind == DAE_VERDICT_HAND_OVER) dae_drive_hand_over(s, s->due);
  else if (s->ways.stiffness.due) dae_drive_switch(s);
  s->due.kind = DAE_VERDICT_ACCEPT;
  status = choose_coordinates(s);
  if (status != DAE_OK) return status;
  /* a first step of an implicit method sees what its last one left of the constraints as an
     error */
  if (s->restart_due && s->implicit) status = dae_drive_implicit_start(s, NULL);
  else if (s->restart_due && s->view->kind == DAE_VIEW_INDEX2 && !s->view->free_start)
    status = onto_constraints(s);
  if (status == DAE_OK && s->restart_due) status = dae_drive_restart_beyond(s, t_limit);
  if (status != DAE_OK) s->restart_due = true;
  return status;
}

/* more instants by the clock than steps are allowed: that is known before the first of them */
static dae_status too_many_instants(dae_solver *s, double stop) {
  const dae_discrete *d = s->p->discrete;
  double count = d ? d->count(s->t, stop, s->p->ctx) : 0;
  if (!(count > s->plan.o.max_steps)) return DAE_OK;
  if (isinf(count))
    dae_drive_report(s, DAE_E_LIMIT,
                     "the period of a sample(..) is shorter than times near t = %.15g can tell",
                     stop);
  else
    dae_drive_report(s, DAE_E_LIMIT,
                     "sample(..) asks for %.3g instants up to t = %.15g, more than max_steps = %d",
                     count, stop, s->plan.o.max_steps);
  snprintf(s->report.advice, sizeof s->report.advice, "Check the period of sample.");
  return DAE_E_LIMIT;
}

dae_status dae_solver_step(dae_solver *s, double t_limit) {
  if (!s) return DAE_E_INPUT;
  if (!s->started) return dae_drive_report(s, DAE_E_INPUT, "call dae_solver_start before stepping");
  if (!isfinite(t_limit))
    return dae_drive_report(s, DAE_E_INPUT, "the time to step to is not a finite number");
  if (t_limit == s->t) return DAE_OK;
  if (too_many_instants(s, t_limit) != DAE_OK) return DAE_E_LIMIT;
  if (!s->origin.decided) {
    bool again;
    dae_status decided = dae_drive_decide_interval(s, t_limit, &again);
    if (decided == DAE_OK && again) decided = dae_drive_start_again(s);
    if (decided != DAE_OK) return decided;
    s->origin.decided = true;
  }
  s->control.span = fmax(fabs(s->p->t1 - s->p->t0), fmax(s->control.span, fabs(t_limit - s->t)));
  double stop = dae_drive_next_stop(s, t_limit);
  dae_status status;
  bool again;
  do {
    again = false;
    status = prepare(s, t_limit);
    if (status != DAE_OK)
      return s->report.status == status ? status : dae_drive_explain(s, status, 0);
    status = s->plan.o.step > 0 ? fixed_step(s, stop, &again) : adaptive_step(s, stop, &again);
  } while (again);
  /* what failed after the step itself (coordinates of a form, a limit) has told nothing yet */
  if (status < 0 && s->report.status != status) status = dae_drive_explain(s, status, 0);
  if (status < 0 || status == DAE_STOPPED) {
    /* a further call starts the method anew from the last good point */
    s->restart_due = true;
    if (s->plan.o.step == 0) s->control.h = 0;
  }
  double end = s->t;
  bool leapt =
      (recoverable(status) || status == DAE_E_STEP) && dae_drive_events_leap(s, stop, &status);
  if (status == DAE_OK && !leapt) status = dae_drive_watchdog(s, t_limit);
  if (status == DAE_OK && !leapt) status = dae_drive_determined(s, s->t == t_limit);
  if (status == DAE_OK) status = dae_drive_check_later(s);
  if (status == DAE_OK && !leapt) status = dae_drive_events_check(s);
  if (status == DAE_OK && !leapt && dae_drive_is_hit(s, s->t)) {
    s->restart_due = true;
    s->stats.restarts++;
  }
  return look_at_point(s, t_limit, status, !leapt && s->t == end);
}

dae_status dae_solver_advance(dae_solver *s, double t_stop) {
  if (!s) return DAE_E_INPUT;
  for (long n = 0; n < s->plan.o.max_steps; n++) {
    dae_status status = dae_solver_step(s, t_stop);
    if (status != DAE_OK) return status;
    if (s->t != t_stop) continue;
    double rounding = dae_passage_known(s->guard).rounding;
    if (rounding > dae_drive_tolerance(s))
      return dae_drive_report(s, DAE_OK,
                              "reached t = %.15g; rounding in the passage through singular "
                              "positions allows an accuracy of about %.1g, not the tolerance",
                              s->t, rounding);
    return dae_drive_report(s, DAE_OK, "reached t = %.15g", s->t);
  }
  return dae_drive_report(s, DAE_E_LIMIT, "%d steps were taken and t = %.15g was reached",
                          s->plan.o.max_steps, s->t);
}
