/* why a call came back: one place that fills the report */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"
#include "problem/implicit.h"

dae_status dae_drive_report(dae_solver *s, dae_status status, const char *format, ...) {
  dae_report *r = &s->report;
  r->status = status;
  r->t = s->t;
  r->h = s->control.h;
  r->step = s->stats.steps;
  if (status != DAE_EVENT) r->event = -1;
  va_list args;
  va_start(args, format);
  dae_base_vprint(r->message, sizeof r->message, format, args);
  va_end(args);
  snprintf(r->advice, sizeof r->advice, "%s", dae_status_advice(status));
  bool stuck = status == DAE_E_NEWTON || status == DAE_E_STEP || status == DAE_E_LIMIT ||
               status == DAE_E_SINGULAR;
  if (stuck && s->plan.doubt > 0 && s->view)
    dae_base_print(
        r->advice, sizeof r->advice,
        "Form %s is stable for steps below %.1g only, as the forces of the constraints turn "
        "fast across them; take form %s.",
        s->view->name, 1 / s->plan.doubt, s->sys->order == 1 ? "invariant" : "invariant-balanced");
  for (int l = 0; l < s->sys->order; l++) r->drift[l] = s->stats.drift_last[l];
  if (status < 0) dae_base_log(&s->plan.o.log, DAE_LOG_ERROR, "t = %.15g: %s", s->t, r->message);
  return status;
}

/* a callback failed; of an implicit problem it is known which equation has no value */
static dae_status no_value(dae_solver *s, const char *where, double t) {
  const dae_residual *r = s->view ? s->view->equations : NULL;
  if (!r || r->undefined == 0)
    return dae_drive_report(s, DAE_E_CALLBACK,
                            "a function failed or gave a value that is not finite (overflow, "
                            "division by 0, outside its domain) %s t = %.15g",
                            where, t);
  dae_problem_equation_name(s->p, (int)r->undefined - 1, s->report.equation, DAE_NAME_MAX);
  return dae_drive_report(s, DAE_E_CALLBACK,
                          "the value of %s is not finite (overflow, division by 0, outside its "
                          "domain) %s t = %.15g",
                          s->report.equation, where, t);
}

dae_status dae_drive_untold(dae_solver *s, dae_status status) {
  const dae_report *r = &s->report;
  bool told = r->message[0] && (r->status < 0 || r->status == status);
  if (status == DAE_OK || told) return status;
  if (status == DAE_E_CALLBACK) return no_value(s, "at", s->t);
  if (status == DAE_STOPPED)
    return dae_drive_report(s, status, "a callback requested a stop at t = %.15g", s->t);
  return dae_drive_report(s, status, "%s", dae_status_meaning(status));
}

void dae_drive_blame_constraint(dae_solver *s, const dae_stabilizer *stab) {
  int row, level;
  double residual;
  dae_stabilize_culprit(stab, &row, &level, &residual);
  if (row < 0) return;
  dae_problem_g_name(s->p, row, level, s->report.equation, DAE_NAME_MAX);
  s->report.residual = residual;
}

void dae_drive_blame_rank(dae_solver *s) {
  const dae_la_kkt_info *info = &s->point->info;
  s->report.rank = info->rank;
  s->report.rows = s->sys->ny;
  s->report.rcond = info->rcond;
  s->report.smallest = info->smallest;
  if (info->row < 0) return;
  if (info->mass_singular)
    dae_problem_z_name(s->p, info->row + (s->sys->order - 1) * s->sys->nx, s->report.variable,
                       DAE_NAME_MAX);
  else dae_problem_g_name(s->p, info->row, 0, s->report.equation, DAE_NAME_MAX);
}

dae_status dae_drive_explain(dae_solver *s, dae_status status, double h) {
  double t = s->t + h;
  switch (status) {
    case DAE_STOPPED:
      return dae_drive_report(s, status, "a callback requested a stop near t = %.15g", t);
    case DAE_E_CALLBACK: return no_value(s, "near", t);
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

/* no way on near t, where the constraints are about to lose rank: there is none that is smooth, or
   the method does not know of singular positions */
dae_status dae_drive_no_way(dae_solver *s, double t) {
  const char *method = s->step->method->name, *form = s->view->name;
  dae_passage_at_rank_loss(s->guard);
  dae_drive_blame_rank(s);
  switch (dae_passage_end_reason(s->guard)) {
    case DAE_END_BRANCH:
      return dae_drive_report(s, DAE_E_BRANCH,
                              "the motion has no smooth continuation past t = %.15g, where the "
                              "constraints lose rank (smallest singular value %.3g)",
                              s->t, s->report.smallest);
    case DAE_END_INFLUENCE:
      return dae_drive_report(s, DAE_E_BRANCH,
                              "no smooth continuation can be told past t = %.15g: a multiplier "
                              "loses its influence there on constraints that keep their rank, the "
                              "index is higher, and solutions may meet",
                              t);
    case DAE_END_OFF:
      return dae_drive_report(s, DAE_E_SINGULAR,
                              "the run cannot continue through the singular position near t = "
                              "%.15g (smallest singular value %.3g): passage is off",
                              t, s->report.smallest);
    default:
      return dae_drive_report(s, DAE_E_SINGULAR,
                              "method %s with form %s cannot integrate through the singular "
                              "position near t = %.6g, where the constraints lose rank",
                              method, form, t);
  }
}

/* the counts of both ways, where there are two */
void dae_drive_update_stats(dae_solver *s) {
  dae_stats *a = &s->stats;
  const dae_counts *c = s->point->counts;
  a->evaluations = a->jacobians = a->newton = a->stabilizations = a->sweeps = a->frozen = 0;
  a->constraints = c->constraint;
  a->schur_factorizations = a->factorizations = c->factor;
  a->solves = c->solve;
  a->second_derivatives = c->curvature;
  a->differences = c->difference;
  for (int i = 0; i < s->ways.count; i++) {
    const dae_stepper *step = s->ways.way[i].step;
    const dae_stabilize_counts *k = dae_stabilize_counted(s->ways.way[i].stab);
    a->evaluations += step->evaluations;
    a->jacobians += step->jacobians;
    a->factorizations += k->factorizations + step->factorizations;
    a->solves += step->solves;
    a->newton += step->newton;
    a->stabilizations += k->corrections;
    a->sweeps += k->sweeps;
    a->frozen += k->frozen;
  }
  const dae_passage_record known = dae_passage_known(s->guard);
  a->singular_passed = known.passed;
  a->smallest = known.smallest;
  a->t_smallest = known.t_smallest;
  const dae_view *v = s->view;
  if (s->own_y) a->restarts = s->step->restarts;
  a->iterates = s->step->iterates;
  if (a->iterates > a->iterates_most) a->iterates_most = a->iterates;
  if (v->nmu == 0) {
    a->mu_last = a->tau_last = 0;
    return;
  }
  a->mu_last = dae_la_norm_max(v->nmu - v->ntau, s->step->mu);
  a->tau_last = dae_la_norm_max(v->ntau, s->step->mu + v->nmu - v->ntau);
}
