/* consistent start: least change onto all constraints, then the multipliers */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

/* why no consistent point was found, in words */
static dae_status explain_start(dae_solver *s, dae_status status, const unsigned char *fixed) {
  dae_drive_blame_constraint(s, s->nearest);
  const char *held = fixed ? " with the fixed values held" : "";
  if (status == DAE_STOPPED)
    return dae_drive_report(s, status, "a function of the problem asked to stop at the start");
  if (status == DAE_E_CALLBACK)
    return dae_drive_report(s, status, "a function of the problem failed or gave NaN at the start");
  if (status == DAE_E_DRIFT || status == DAE_E_SINGULAR)
    return dae_drive_report(s, DAE_E_INCONSISTENT,
                            "no consistent point near the initial values%s: constraint %s is left at %.3g", held,
                            s->report.equation, s->report.residual);
  return dae_drive_report(s, status, "%s", dae_status_meaning(status));
}

/* is some value held that the constraints determine? */
static bool any_fixed(const dae_solver *s, const unsigned char *fixed) {
  for (int i = 0; fixed && i < s->sys->nz; i++)
    if (fixed[i]) return true;
  return false;
}

static dae_status multipliers(dae_solver *s) {
  dae_system *sys = s->sys;
  if (s->p->y0 && !sys->affine) memcpy(sys->y_guess, s->p->y0, (size_t)sys->ny * sizeof(double));
  if (!sys->affine) memcpy(s->y, sys->y_guess, (size_t)sys->ny * sizeof(double));
  dae_status status = dae_problem_accelerate(sys, s->t, s->z, sys->f_out, s->y);
  dae_drive_blame_rank(s);
  if (status == DAE_OK) {
    dae_problem_chain(sys, s->z, sys->f_out, s->dz);
    if (!sys->affine) memcpy(sys->y_guess, s->y, (size_t)sys->ny * sizeof(double));
    if (sys->ny > 0 && sys->kkt_info.rank < sys->ny)
      dae_base_log(&s->o.log, DAE_LOG_WARN,
                   "constraint %s depends on the others: multipliers are not unique, the least are taken",
                   s->report.equation);
    return DAE_OK;
  }
  if (status == DAE_E_SINGULAR && sys->kkt_info.mass_singular)
    return dae_drive_report(s, status, "the mass matrix is singular at the start, at %s", s->report.variable);
  if (status == DAE_E_SINGULAR)
    return dae_drive_report(s, DAE_E_RANK, "the constraints have rank %d of %d at the start; %s is dependent",
                            sys->kkt_info.rank, sys->ny, s->report.equation);
  if (status == DAE_E_NEWTON)
    return dae_drive_report(s, status, "no multipliers satisfy the differentiated constraints at the start");
  return explain_start(s, status, NULL);
}

/* a row of G that has vanished beside the others has no direction left: nothing can be projected along it, nor its
   multiplier be found. Motions go through such points, but they cannot begin there */
static dae_status refuse_singular_start(dae_solver *s) {
  dae_system *sys = s->sys;
  if (sys->ny == 0 || dae_problem_row_scale(sys, s->t, s->z) != DAE_OK) return DAE_OK;
  const double *row = sys->scale + sys->nh - sys->nc;
  double most = dae_la_norm_max(sys->nc, row);
  for (int i = 0; i < sys->nc; i++)
    if (row[i] > 0 && row[i] < 1e-12 * most) {
      dae_problem_g_name(s->p, i, 0, s->report.equation, DAE_NAME_MAX);
      return dae_drive_report(s, DAE_E_RANK, "the start is a singular position: constraint %s has no direction there; "
                              "start a little before or after it", s->report.equation);
    }
  return DAE_OK;
}

dae_status dae_drive_consistent(dae_solver *s, const unsigned char *fixed) {
  if (!any_fixed(s, fixed)) fixed = NULL;
  if (!s->view->free_start && refuse_singular_start(s) != DAE_OK) return DAE_E_RANK;
  dae_status status = DAE_OK;
  if (!s->view->free_start)
    status = dae_stabilize_project(s->nearest, s->t, s->z, fixed, &s->report.moved);
  if (status != DAE_OK) return explain_start(s, status, fixed);
  status = multipliers(s);
  s->exact_y = status == DAE_OK;
  return status;
}

dae_status dae_drive_restart(dae_solver *s) {
  double *u = s->z;
  s->restart_due = false;
  dae_status status = DAE_OK;
  if (s->view->from_z) {
    u = s->u_work;
    status = s->view->from_z(s->view, s->t, s->z, u);
  }
  /* multipliers of an earlier run or step must not be the guess */
  double *mu = s->view->nmu > 0 ? s->step->mu_new : NULL;
  if (status == DAE_OK && mu) status = dae_problem_view_guess(s->view, s->t, s->z, mu);
  if (status == DAE_OK) status = s->step->cls->restart(s->step, s->t, u, mu);
  if (status != DAE_OK) return dae_drive_report(s, status, "the right-hand side cannot be evaluated at t = %.15g", s->t);
  dae_drive_weights(s);
  s->norm_before = 1e-4;
  s->rejected_before = false;
  s->grid_t0 = s->t;
  s->grid_n = 0;
  s->t_previous = s->t;
  return DAE_OK;
}

dae_status dae_solver_start(dae_solver *s, double t0, double *z, double *y) {
  const double *from = z ? z : s->p->z0;
  s->started = false;
  s->report = (dae_report){.event = -1};
  s->stats = (dae_stats){.h_min = INFINITY};
  s->t = t0;
  if (!isfinite(t0)) return dae_drive_report(s, DAE_E_INPUT, "the start time is not a finite number");
  if (!from) return dae_drive_report(s, DAE_E_INPUT, "there are no initial values: neither given nor in the problem");
  memcpy(s->z, from, (size_t)s->sys->nz * sizeof *from);
  for (int i = 0; i < s->sys->nz; i++)
    if (!isfinite(s->z[i])) {
      dae_problem_z_name(s->p, i, s->report.variable, DAE_NAME_MAX);
      return dae_drive_report(s, DAE_E_INPUT, "the initial value of %s is not a finite number", s->report.variable);
    }
  dae_status status = dae_drive_consistent(s, s->p->fixed);
  if (status == DAE_OK) status = dae_drive_restart(s);
  if (status != DAE_OK) return status;
  status = dae_stabilize_drift(s->stab, s->t, s->z, s->stats.drift_last);
  memcpy(s->stats.drift_max, s->stats.drift_last, sizeof s->stats.drift_max);
  s->stats.smallest = s->sys->ny > 0 ? s->sys->kkt_info.smallest : 0;
  s->stats.t_smallest = t0;
  if (status == DAE_OK) status = dae_drive_events_start(s);
  if (status != DAE_OK) return status;
  s->watch = strcmp(s->o.passage, "off") != 0 && s->sys->ny > 0 && s->sys->kkt_info.rank == s->sys->ny;
  s->watch_most = s->sys->kkt_info.smallest;
  s->passed_t = NAN;
  s->small_steps = 0;
  /* what the start itself needed is not what the iterates need */
  if (s->own_y) s->sys->counts = (dae_counts){0};
  s->span = 0;
  s->h = s->o.step;
  s->started = true;
  if (z) memcpy(z, s->z, (size_t)s->sys->nz * sizeof *z);
  if (y) memcpy(y, s->y, (size_t)s->sys->ny * sizeof *y);
  double moved = s->report.moved;
  dae_drive_report(s, status, moved > 0 ? "started; initial values moved by %.3g to satisfy the constraints"
                                        : "started; initial values were consistent", moved);
  s->report.moved = moved;
  return status;
}
