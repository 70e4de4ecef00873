/* the loop: predict, solve, estimate, accept */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* failures that a smaller step may cure */
static bool recoverable(dae_status status) {
  return status == DAE_E_CALLBACK || status == DAE_E_NEWTON || status == DAE_E_SINGULAR ||
         status == DAE_E_DRIFT;
}

static dae_status explain(dae_solver *s, dae_status status, double h) {
  double t = s->t + h;
  switch (status) {
    case DAE_STOPPED:
      return dae_drive_report(s, status, "a callback requested a stop near t = %.15g", t);
    case DAE_E_CALLBACK:
      return dae_drive_report(s, status, "a callback failed or returned NaN near t = %.15g", t);
    case DAE_E_DRIFT:
      dae_drive_blame_constraint(s, s->stab);
      return dae_drive_report(s, status, "constraint %s could not be kept near t = %.15g",
                              s->report.equation, t);
    case DAE_E_SINGULAR:
      dae_drive_blame_rank(s);
      if (s->step->culprit[0]) memcpy(s->report.equation, s->step->culprit, DAE_NAME_MAX);
      return dae_drive_report(s, status, "the matrix of the step to t = %.15g is singular, at %s",
                              t,
                              s->report.equation[0] ? s->report.equation : "an unknown equation");
    case DAE_E_NEWTON:
      return dae_drive_report(
          s, status, "the nonlinear equations of the step to t = %.15g were not solved", t);
    default: return dae_drive_report(s, status, "%s", dae_status_meaning(status));
  }
}

/* the attempt came too near a singular position: s->steered is a better size. At most so often in a
   step */
enum { STEERED = 99, STEERINGS = 8 };
/* after as many failures near a singular position a method that passes it takes over: the step
   begins anew */
enum { HANDED_OVER = 98, MANY = 4 };

/* |z_new - z before the correction| > 1 in units of the tolerance, or of what differences leave of
   a derivative, or of what rounding makes of it where a singular position is crossed */
static bool moved_too_far(const dae_solver *s) {
  double sum = 0;
  for (int i = 0; i < s->view->nz; i++) {
    double d = (s->step->z_new[i] - s->u_work[i]) * s->weight[i];
    sum += d * d;
  }
  sum *= s->share * s->share;
  if (sum <= s->view->nz) return false;
  double rounding = s->watch ? dae_drive_rounding(s, s->step->t, s->step->h) : 0;
  double limit = fmax(1e-12, rounding) / dae_drive_tolerance(s);
  return sum > s->view->nz * limit * limit;
}

/* one attempt with correction: *norm is the error in units of the tolerance (0 without estimate) */
static int try_step(dae_solver *s, double h, double *norm) {
  dae_stepper *a = s->step;
  dae_status status = dae_stabilize_before(s->stab, s->t, a->z);
  /* what an iteration leaves must be small beside the error that the step may make */
  if (a->method->implicit) {
    double rounding = 2e-13 / fmax(s->share * fmax(s->o.rtol, s->o.atol), 1e-14);
    a->newton_tol = fmax(fmin(0.1, rounding), 0.03);
  }
  if (status == DAE_OK) status = a->cls->attempt(a, h);
  if (status != DAE_OK) return status;
  /* near a singular position the error estimate means nothing: steer first */
  if (s->watch && s->view->passes && s->steerings < STEERINGS && !dae_drive_calm(s)) {
    double better = s->o.step == 0 ? dae_drive_steer(s, h) : h;
    bool near = !a->fix && dae_drive_near(s, h);
    if (near) dae_drive_singular_near(s, true);
    if (better != h || near) {
      s->steerings++;
      s->steered = better;
      return STEERED;
    }
  }
  *norm = 0;
  if (a->method->estimate > 0 && s->o.step == 0) {
    *norm = dae_step_norm(s->view->nz, a->error, s->weight);
    if (s->watch && *norm > 1 &&
        *norm <= dae_drive_rounding(s, a->t, a->h) / (s->share * dae_drive_tolerance(s)))
      *norm = 1;
  }
  if (isnan(*norm)) return DAE_E_CALLBACK;
  if (*norm > 1) return DAE_OK;
  bool factored = a->evaluated && s->view->kind == DAE_VIEW_ODE;
  if (!s->view->from_z) {
    if (s->o.step == 0) memcpy(s->u_work, a->z_new, (size_t)s->view->nz * sizeof *s->u_work);
    status = dae_drive_onto(s, s->stab, s->t + h, a->z_new, factored);
    /* a correction beyond the tolerance itself hides a step that went astray */
    if (status == DAE_OK && s->o.step == 0 && moved_too_far(s)) status = DAE_E_DRIFT;
  }
  if (status == DAE_OK) status = a->cls->accept(a);
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
  c->h_min = fmin(c->h_min, h);
  c->h_max = fmax(c->h_max, h);
  c->by_order[order < DAE_ORDERS ? order : DAE_ORDERS - 1]++;
  c->by_size[size < 0 ? 0 : size < DAE_SIZES ? size : DAE_SIZES - 1]++;
}

/* no way on near t, where the constraints are about to lose rank: there is none that is smooth, or
   the method does not know of singular positions */
static dae_status no_way(dae_solver *s, double t) {
  dae_drive_at_rank_loss(s);
  dae_drive_blame_rank(s);
  if (s->watch && dae_drive_crosses(&s->way[s->now]))
    return dae_drive_report(s, DAE_E_BRANCH,
                            "the motion has no smooth continuation past t = %.15g, where the "
                            "constraints lose rank (smallest singular value %.3g)",
                            s->t, s->report.smallest);
  if (strcmp(s->o.passage, "off") == 0)
    return dae_drive_report(s, DAE_E_SINGULAR,
                            "the run cannot continue through the singular position near t = "
                            "%.15g (smallest singular value %.3g): passage is off",
                            t, s->report.smallest);
  return dae_drive_report(s, DAE_E_SINGULAR,
                          "method %s with form %s cannot integrate through the singular position "
                          "near t = %.6g, where the constraints lose rank",
                          s->step->method->name, s->view->name, t);
}

/* a method that does not pass singular positions has crossed one, or will: the way that passes
   takes the step instead, or the run ends. Whatever it made of the step is not shown */
static int refuse_crossing(dae_solver *s, double t) {
  return dae_drive_hand_over(s, t) ? HANDED_OVER : (int)no_way(s, t);
}

/* the accepted point in the problem's variables, drift, statistics */
static dae_status settle(dae_solver *s, double t_new) {
  dae_stepper *a = s->step;
  dae_stats *c = &s->stats;
  dae_status status = DAE_OK;
  bool exact = s->own_y || (a->exact && s->view->eliminates && a->t == t_new);
  s->t_previous = s->t;
  s->t = a->t = t_new;
  s->ahead = 0;
  if (s->view->to_z) status = s->view->to_z(s->view, s->t, a->z, s->z);
  else memcpy(s->z, a->z, (size_t)s->sys->nz * sizeof *s->z);
  if (!s->view->to_z) memcpy(s->dz, a->dz, (size_t)s->sys->nz * sizeof *s->dz);
  memcpy(s->y, a->y, (size_t)s->sys->ny * sizeof *s->y);
  s->exact_y = exact;
  dae_drive_lengths_keep(s);
  count_step(s, fabs(a->h_old));
  if (status == DAE_OK && s->sys->nh > 0)
    status = dae_stabilize_left(s->stab, s->t, s->z, c->drift_last);
  for (int l = 0; l < s->sys->order; l++) c->drift_max[l] = fmax(c->drift_max[l], c->drift_last[l]);
  if (s->sys->ny > 0 && s->sys->kkt_info.smallest < c->smallest) {
    c->smallest = s->sys->kkt_info.smallest;
    c->t_smallest = s->t;
  }
  bool changed = false;
  if (status == DAE_OK && s->view->accepted)
    status = s->view->accepted(s->view, s->t, s->z, &changed);
  if (status == DAE_OK && changed) {
    c->restarts++;
    status = dae_drive_restart(s);
  }
  dae_drive_judge_keep(s);
  dae_drive_update_stats(s);
  return status;
}

/* the nearest time ahead that must be hit, at most t_limit */
static double next_stop(const dae_solver *s, double t_limit) {
  double sign = t_limit < s->t ? -1 : 1, stop = t_limit;
  for (int i = 0; i < s->n_hit; i++)
    if (sign * (s->hit[i] - s->t) > 4 * DBL_EPSILON * fabs(s->t) && sign * (stop - s->hit[i]) > 0)
      stop = s->hit[i];
  return dae_drive_events_stop(s, stop);
}

/* Must this time be hit? The equations may have a kink or a jump there: the step that ends at it
   looks at them from this side, a few roundings before, and the next one begins from the other. */
static bool is_hit(const dae_solver *s, double t) {
  for (int i = 0; i < s->n_hit; i++)
    if (s->hit[i] == t) return true;
  return false;
}

/* how far before and behind it, so that sums of times cannot round to the time itself */
static double beside(const dae_solver *s, double stop) {
  double gap = 8 * DBL_EPSILON * fmax(fabs(stop), fabs(s->t));
  return is_hit(s, stop) && gap < 1e-3 * fabs(stop - s->t) ? gap : 0;
}

/* the method starts anew, from the other side of a time that was hit */
static dae_status restart(dae_solver *s, double t_limit) {
  double t = s->t, gap = is_hit(s, t) ? 8 * DBL_EPSILON * fmax(fabs(t), fabs(t_limit)) : 0;
  if (gap > 1e-3 * fabs(t_limit - t)) gap = 0;
  s->t = t_limit < t ? t - gap : t + gap;
  dae_status status = dae_drive_restart(s);
  s->t = s->t_previous = s->grid_t0 = t;
  s->ahead = gap;
  return status;
}

/* nothing is known yet of singular positions on the way, but for one that the step begins on */
static void begin_step(dae_solver *s, double stop) {
  /* fixed steps without stabilization run off the constraints on purpose: they are left to
     themselves */
  bool alone = s->o.step > 0 && strcmp(s->stabilize_name, "none") == 0;
  s->steerings = alone ? STEERINGS : 0;
  s->step->t_limit = stop;
  s->leaving = s->limited_t == s->t;
  bool near = s->leaving || (!alone && dae_drive_low(s));
  if (near || s->step->fix) dae_drive_singular_near(s, near);
}

/* the next point of t_i = t0 + (t1-t0) (i/N)^P; false when the mesh has equal steps */
static bool graded_point(const dae_solver *s, double stop, double *t_new) {
  double t0 = s->p->t0, length = s->p->t1 - t0, N = s->o.mesh, P = s->o.mesh_grade;
  bool collocation = s->step->method->view == DAE_VIEW_PROBLEM && s->o.mesh > 0;
  if (!collocation || P == 1 || !(length > 0) || s->t < t0 || stop < s->t) return false;
  double i = floor(N * pow((s->t - t0) / length, 1 / P) + 1e-6) + 1;
  *t_new = t0 + length * pow(i / N, P);
  return true;
}

/* a step of the only size failed, or the step size has fallen below rounding */
static dae_status give_up(dae_solver *s, dae_status status, double h) {
  if (dae_drive_at_rank_loss(s)) return no_way(s, s->t);
  if (status != DAE_OK) return explain(s, status, h);
  return dae_drive_too_small(s, h);
}

/* t_n = t_0 + n h, or a graded mesh; the last step may be shorter */
static dae_status fixed_step(dae_solver *s, double stop) {
  double h = stop < s->t ? -s->o.step : s->o.step;
  double t_new = s->grid_t0 + (s->grid_n + 1) * h, norm;
  if (graded_point(s, stop, &t_new)) h = t_new - s->t;
  bool cut = (stop - t_new) * h < -1e-9 * h * h;
  bool reached = cut || (stop - t_new) * h < 1e-9 * h * h;
  if (reached) t_new = stop;
  if (cut) h = stop - s->t;
  if (reached) h -= (h < 0 ? -1 : 1) * (beside(s, stop) + s->ahead);
  s->h = h;
  begin_step(s, stop);
  int status = try_step(s, h, &norm);
  if (status == STEERED) status = try_step(s, h, &norm);
  if (recoverable(status)) return give_up(s, status, h);
  double crossed = NAN;
  if (status == DAE_OK && s->watch) status = dae_drive_crossing(s, &crossed);
  if (status != DAE_OK) return explain(s, status, h);
  if (!isnan(crossed)) return refuse_crossing(s, crossed);
  s->grid_n++;
  if (cut) {
    s->grid_t0 = stop;
    s->grid_n = 0;
  }
  return settle(s, t_new);
}

static int adaptive_step(dae_solver *s, double stop) {
  double sign = stop < s->t ? -1 : 1, left = fabs(stop - s->t) - s->ahead;
  if (s->h == 0 || s->h * sign < 0) {
    dae_status trial;
    dae_drive_weights(s);
    s->h = dae_drive_first_step(s, stop, &trial);
    if (trial != DAE_OK) return explain(s, trial, s->h);
    if (s->h_most > 0) s->h = sign * fmin(fabs(s->h), s->h_most);
    s->h_most = 0;
  }
  /* t + h must differ from t; the way to go counts only where t is nothing beside it */
  double h_min = 16 * DBL_EPSILON * fmax(fabs(s->t), DBL_EPSILON * left);
  double planned = fabs(s->h), h = planned, norm;
  begin_step(s, stop);
  if (s->o.max_step > 0) h = fmin(h, s->o.max_step);
  int status;
  for (int failures = 0;;) {
    /* reach the end exactly, and leave no crumb for the last step */
    bool last = h >= left * (1 - 1e-10);
    if (last) h = left - beside(s, stop);
    else if (h > 0.5 * left) h = 0.5 * left;
    status = try_step(s, sign * h, &norm);
    if (status != DAE_OK || norm > 1) dae_drive_lengths_restore(s);
    if (status == STEERED) {
      h = fabs(s->steered);
      continue;
    }
    if (status == DAE_OK && norm <= 1) {
      double crossed = NAN;
      if (s->watch) status = dae_drive_crossing(s, &crossed);
      if (status != DAE_OK) return explain(s, status, sign * h);
      if (!isnan(crossed)) return refuse_crossing(s, crossed);
      double next = fabs(dae_drive_next_step(s, sign * h, norm, true));
      s->rejected_before = failures > 0;
      /* a step cut by the end or by a singular position says nothing against the planned size */
      if (h < planned && failures == 0) next = fmax(next, planned);
      if (s->o.max_step > 0) next = fmin(next, s->o.max_step);
      s->h = sign * next;
      status = settle(s, last ? stop : s->t + sign * h);
      /* a smooth passage does not need steps like these */
      if (status == DAE_OK && dae_drive_stuck(s, h)) return no_way(s, s->t);
      if (status == DAE_OK) status = dae_drive_stiffness_test(s, h);
      if (status == DAE_OK) status = dae_drive_spend(s);
      dae_drive_weights(s);
      return status;
    }
    failures++;
    s->stats.rejected++;
    if (status != DAE_OK && !recoverable(status)) return explain(s, status, sign * h);
    if (status == DAE_OK) h = fabs(dae_drive_next_step(s, sign * h, norm, false));
    else h *= status == DAE_E_NEWTON ? 0.5 : 0.25;
    s->rejected_before = true;
    s->h = sign * h;
    dae_drive_coarser(s, failures);
    if ((failures == MANY || h < h_min) && dae_drive_hand_over(s, NAN)) return HANDED_OVER;
    if (h < h_min) return give_up(s, status, sign * h);
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

dae_status dae_solver_step(dae_solver *s, double t_limit) {
  if (!s) return DAE_E_INPUT;
  if (!s->started) return dae_drive_report(s, DAE_E_INPUT, "call dae_solver_start before stepping");
  if (!isfinite(t_limit))
    return dae_drive_report(s, DAE_E_INPUT, "the time to step to is not a finite number");
  if (t_limit == s->t) return DAE_OK;
  s->span = fmax(fabs(s->p->t1 - s->p->t0), fmax(s->span, fabs(t_limit - s->t)));
  double stop = next_stop(s, t_limit);
  dae_status status = DAE_OK;
  if (s->stiffness.due) dae_drive_switch(s);
  /* a first step of an implicit method sees what its last one left of the constraints as an
     error */
  if (s->restart_due && s->view->kind == DAE_VIEW_INDEX2 && !s->view->free_start)
    status = dae_stabilize_project(s->nearest, s->t, s->z, NULL, NULL);
  if (status == DAE_OK && s->restart_due) status = restart(s, t_limit);
  if (status != DAE_OK) {
    s->restart_due = true;
    return status;
  }
  int taken = s->o.step > 0 ? fixed_step(s, stop) : adaptive_step(s, stop);
  if (taken == HANDED_OVER) return dae_solver_step(s, t_limit);
  status = taken;
  /* what failed after the step itself (coordinates of a form, a limit) has told nothing yet */
  if (status < 0 && s->report.status != status) status = explain(s, status, 0);
  if (status < 0 || status == DAE_STOPPED) {
    /* a further call starts the method anew from the last good point */
    s->restart_due = true;
    if (s->o.step == 0) s->h = 0;
  }
  double end = s->t;
  bool leapt = (recoverable(status) || status == DAE_E_STEP) &&
               dae_drive_events_leap(s, stop, &status);
  if (status == DAE_OK && !leapt) status = dae_drive_watchdog(s, t_limit);
  if (status == DAE_OK && !leapt) status = dae_drive_events_check(s);
  if (status == DAE_OK && !leapt && is_hit(s, s->t)) {
    s->restart_due = true;
    s->stats.restarts++;
  }
  return look_at_point(s, t_limit, status, !leapt && s->t == end);
}

dae_status dae_solver_advance(dae_solver *s, double t_stop) {
  if (!s) return DAE_E_INPUT;
  for (long n = 0; n < s->o.max_steps; n++) {
    dae_status status = dae_solver_step(s, t_stop);
    if (status != DAE_OK) return status;
    if (s->t == t_stop && s->rounding > dae_drive_tolerance(s))
      return dae_drive_report(s, DAE_OK,
                              "reached t = %.15g; rounding in the passage through singular "
                              "positions allows an accuracy of about %.1g, not the tolerance",
                              s->t, s->rounding);
    if (s->t == t_stop) return dae_drive_report(s, DAE_OK, "reached t = %.15g", s->t);
  }
  return dae_drive_report(s, DAE_E_LIMIT, "%d steps were taken and t = %.15g was reached",
                          s->o.max_steps, s->t);
}
