/* why a call came back: one place that fills the report */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

dae_status dae_drive_report(dae_solver *s, dae_status status, const char *format, ...) {
  dae_report *r = &s->report;
  r->status = status;
  r->t = s->t;
  r->h = s->h;
  r->step = s->stats.steps;
  if (status != DAE_EVENT) r->event = -1;
  va_list args;
  va_start(args, format);
  dae_base_vprint(r->message, sizeof r->message, format, args);
  va_end(args);
  snprintf(r->advice, sizeof r->advice, "%s", dae_status_advice(status));
  bool stuck = status == DAE_E_NEWTON || status == DAE_E_STEP || status == DAE_E_LIMIT ||
               status == DAE_E_SINGULAR;
  if (stuck && s->doubt > 0 && s->view)
    dae_base_print(
        r->advice, sizeof r->advice,
        "Form %s is stable for steps below %.1g only, as the forces of the constraints turn "
        "fast across them; take form %s.",
        s->view->name, 1 / s->doubt, s->sys->order == 1 ? "invariant" : "invariant-balanced");
  for (int l = 0; l < s->sys->order; l++) r->drift[l] = s->stats.drift_last[l];
  if (status < 0) dae_base_log(&s->o.log, DAE_LOG_ERROR, "t = %.15g: %s", s->t, r->message);
  return status;
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
  const dae_la_kkt_info *info = &s->sys->kkt_info;
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

/* the counts of both ways, where there are two */
void dae_drive_update_stats(dae_solver *s) {
  dae_stats *a = &s->stats;
  const dae_counts *c = &s->sys->counts;
  a->evaluations = a->jacobians = a->newton = a->stabilizations = a->sweeps = a->frozen = 0;
  a->constraints = c->constraint;
  a->schur_factorizations = a->factorizations = c->factor;
  a->solves = c->solve;
  a->second_derivatives = c->curvature;
  for (int i = 0; i < s->n_way; i++) {
    const dae_stepper *step = s->way[i].step;
    const dae_stabilize_counts *k = dae_stabilize_counted(s->way[i].stab);
    a->evaluations += step->evaluations;
    a->jacobians += step->jacobians;
    a->factorizations += k->factorizations + step->factorizations;
    a->solves += step->solves;
    a->newton += step->newton;
    a->stabilizations += k->corrections;
    a->sweeps += k->sweeps;
    a->frozen += k->frozen;
  }
  const dae_view *v = s->view;
  if (s->own_y) a->restarts = s->step->restarts;
  a->iterates = s->step->iterates;
  if (a->iterates > a->iterates_most) a->iterates_most = a->iterates;
  a->mu_last = dae_la_norm_max(v->nmu - v->ntau, s->step->mu);
  a->tau_last = dae_la_norm_max(v->ntau, s->step->mu + v->nmu - v->ntau);
}
