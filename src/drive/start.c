/* consistent start: least change onto all constraints, then the multipliers */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"
#include "problem/check.h"

/* why no consistent point was found, in words */
static dae_status explain_start(dae_solver *s, dae_status status, const unsigned char *fixed) {
  dae_drive_blame_constraint(s, s->nearest);
  const char *held = fixed ? " with the fixed values held" : "";
  if (status == DAE_STOPPED)
    return dae_drive_report(s, status, "a callback requested a stop at the start");
  if (status == DAE_E_CALLBACK)
    return dae_drive_report(s, status,
                            "a function failed or gave a value that is not finite (overflow, "
                            "division by 0, outside its domain) at the start");
  if (status == DAE_E_DRIFT || status == DAE_E_SINGULAR)
    return dae_drive_report(
        s, DAE_E_INCONSISTENT,
        "no consistent point near the initial values%s: residual of constraint %s is %.3g", held,
        s->report.equation, s->report.residual);
  return dae_drive_report(s, status, "%s", dae_status_meaning(status));
}

/* is some value held that the constraints determine? */
static bool any_fixed(const dae_solver *s, const unsigned char *fixed) {
  for (int i = 0; fixed && i < s->sys->nz; i++)
    if (fixed[i]) return true;
  return false;
}

/* a row of G x^(m) + c = 0 that no multiplier can satisfy where rank is lost; -1: none. Reactions
   may cancel M^-1 f but for rounding: that is part of the size */
static int contradiction(const dae_solver *s, const double *a) {
  const dae_system *sys = s->sys;
  dae_point *p = s->point;
  if (sys->ny == 0 || p->info.rank == sys->ny || !sys->affine) return -1;
  double *r = s->work.r, *f = p->f, size = dae_la_norm_max(sys->nx, a);
  if (dae_point_force(p, NULL, f) == DAE_OK) {
    dae_la_kkt_mass_solve(dae_point_kkt(p), f);
    size = fmax(size, dae_la_norm_max(sys->nx, f));
  }
  double most = size * dae_la_norm_max(p->G.size, p->G.x);
  dae_matrix_times(&p->G, a, r);
  for (int i = 0; i < sys->nc; i++)
    if (fabs(r[i] + p->c[i]) > 1e-6 * (most + fabs(p->c[i]))) return i;
  return -1;
}

static dae_status multipliers(dae_solver *s) {
  const dae_system *sys = s->sys;
  dae_point *p = s->point;
  dae_point_at(p, s->t, s->z);
  if (s->p->y0 && !sys->affine) memcpy(p->y_guess, s->p->y0, (size_t)sys->ny * sizeof(double));
  if (!sys->affine) memcpy(s->y, p->y_guess, (size_t)sys->ny * sizeof(double));
  dae_status status = dae_point_accelerate(p, s->work.a, s->y);
  dae_drive_blame_rank(s);
  int row = status == DAE_OK ? contradiction(s, s->work.a) : -1;
  if (row >= 0) {
    dae_problem_g_name(s->p, row, 0, s->report.equation, DAE_NAME_MAX);
    return dae_drive_report(s, DAE_E_BRANCH,
                            "no motion is possible from the start: the constraints have rank %d of "
                            "%d there, and no reaction maintains %s",
                            p->info.rank, sys->ny, s->report.equation);
  }
  if (status == DAE_OK) {
    dae_problem_chain(sys, s->z, s->work.a, s->dz);
    if (!sys->affine) memcpy(p->y_guess, s->y, (size_t)sys->ny * sizeof(double));
    if (sys->ny > 0 && p->info.rank < sys->ny)
      dae_base_log(&s->plan.o.log, DAE_LOG_WARN,
                   "constraint %s depends on the others: the multipliers are not unique, and those "
                   "of least norm are used",
                   s->report.equation);
    return DAE_OK;
  }
  if (status == DAE_E_SINGULAR && p->info.mass_singular)
    return dae_drive_report(s, status, "the mass matrix is singular at the start, at %s",
                            s->report.variable);
  if (status == DAE_E_SINGULAR)
    return dae_drive_report(s, DAE_E_RANK,
                            "the constraints have rank %d of %d at the start; %s is dependent",
                            p->info.rank, sys->ny, s->report.equation);
  if (status == DAE_E_NEWTON)
    return dae_drive_report(s, status,
                            "no multipliers satisfy the differentiated constraints at the start");
  return explain_start(s, status, NULL);
}

/* the constraints are not satisfied, and their gradients vanish, so that no small change helps:
   nobody has said where the motion starts. The variables that G knows elsewhere are named */
static dae_status missing_values(dae_solver *s) {
  enum { SHOWN = 4 };
  const dae_system *sys = s->sys;
  char names[SHOWN * (DAE_NAME_MAX + 2)] = "", name[DAE_NAME_MAX];
  double most = fmax(1, dae_la_norm_max(sys->nz, s->z));
  int shown = 0, length = 0;
  double *z = s->work.z;
  for (int j = 0; j < sys->nx; j++) z[j] = s->z[j] + most * (0.6 + 0.1 * (j % 5));
  memcpy(z + sys->nx, s->z + sys->nx, (size_t)(sys->nz - sys->nx) * sizeof *z);
  dae_point_at(s->point, s->t, z);
  if (dae_point_gradient(s->point) != DAE_OK) return DAE_OK;
  for (int j = 0; j < sys->nx && shown < SHOWN; j++) {
    memset(s->work.a, 0, (size_t)sys->nx * sizeof *s->work.a);
    s->work.a[j] = 1;
    dae_matrix_times(&s->point->G, s->work.a, s->work.r);
    if (s->z[j] != 0 || dae_la_norm_max(sys->nc, s->work.r) == 0) continue;
    dae_problem_z_name(s->p, j, name, DAE_NAME_MAX);
    length +=
        snprintf(names + length, sizeof names - (size_t)length, "%s%s", shown++ ? ", " : "", name);
  }
  if (!shown) return DAE_OK;
  return dae_drive_report(s, DAE_E_INCONSISTENT,
                          "start values of %s are missing: constraint %s is off by %.3g, and no "
                          "small change from 0 reduces it",
                          names, s->report.equation, s->report.residual);
}

/* is the largest residual of the lowest level far beyond rounding? It is then in the report */
static bool off_constraints(dae_solver *s) {
  static const double FAR = 1e-6;
  const dae_system *sys = s->sys;
  double *r = s->work.r;
  dae_point_at(s->point, s->t, s->z);
  if (sys->ng == 0 || dae_point_row_scale(s->point) != DAE_OK) return false;
  if (dae_point_level(s->point, 0, r) != DAE_OK) return false;
  for (int i = 0; i < sys->ng; i++) {
    if (!(fabs(r[i]) > FAR * s->point->scale[i])) continue;
    dae_problem_g_name(s->p, i, 0, s->report.equation, DAE_NAME_MAX);
    s->report.residual = r[i];
    return true;
  }
  return false;
}

/* is something held that the limit z moves? */
static bool moves_fixed(const dae_solver *s, const unsigned char *fixed, const double *z,
                        double least) {
  for (int i = 0; fixed && i < s->sys->nz; i++)
    if (fixed[i] && fabs(z[i] - s->z[i]) > least * (1 + fabs(s->z[i]))) return true;
  return false;
}

/* z, z' and y on a singular position as limits along the motion through it. *done: false where
   there is none, though the position is not so singular that an ordinary start is out of the
   question */
static dae_status singular_start(dae_solver *s, const unsigned char *fixed, bool *done) {
  const dae_system *sys = s->sys;
  dae_limit limit;
  int row = s->point->info.row;
  dae_status status = dae_passage_limit(s->guard, s->t, s->z, &limit);
  *done = status == DAE_STOPPED || limit.needed;
  if (status == DAE_STOPPED) return explain_start(s, status, NULL);
  if (!limit.exists) {
    if (row >= 0) dae_problem_g_name(s->p, row, 0, s->report.equation, DAE_NAME_MAX);
    return dae_drive_report(s, DAE_E_BRANCH,
                            "the start is a singular position, and no smooth motion was found that "
                            "goes through it with these velocities");
  }
  /* what is consistent already stays to the last digit */
  double keep = fmax(1e-10, 100 * limit.error);
  if (moves_fixed(s, fixed, limit.z, keep))
    return dae_drive_report(s, DAE_E_INCONSISTENT,
                            "the start is a singular position, and no smooth motion goes "
                            "through it with the fixed values held");
  s->report.moved = 0;
  for (int i = 0; i < sys->nz; i++)
    s->report.moved = fmax(s->report.moved, fabs(limit.z[i] - s->z[i]) / (1 + fabs(s->z[i])));
  if (s->report.moved > keep) memcpy(s->z, limit.z, (size_t)sys->nz * sizeof *s->z);
  else s->report.moved = 0;
  dae_problem_chain(sys, s->z, limit.a, s->dz);
  memcpy(s->y, limit.y, (size_t)sys->ny * sizeof *s->y);
  dae_passage_start_on(s->guard, s->t, limit.here);
  *done = true;
  return DAE_OK;
}

dae_status dae_drive_consistent(dae_solver *s, const unsigned char *fixed) {
  if (!any_fixed(s, fixed)) fixed = NULL;
  if (s->implicit) return dae_drive_implicit_start(s, fixed);
  const double *z_beside;
  double t_beside;
  dae_position position = DAE_REGULAR;
  if (dae_passage_watches(s->guard))
    position = dae_passage_position(s->guard, s->t, s->z, &t_beside, &z_beside);
  if (position == DAE_SINGULAR_AT_REST && off_constraints(s)) {
    dae_status missing = missing_values(s);
    if (missing != DAE_OK) return missing;
  }
  if (position == DAE_SINGULAR_AT_REST)
    return dae_drive_report(
        s, DAE_E_BRANCH,
        "the start is at rest on a singular position: several motions meet there, "
        "and only a nonzero velocity selects one of them");
  if (position == DAE_SINGULAR_PASSING && s->view->from_z)
    return dae_drive_report(
        s, DAE_E_RANK,
        "the start is a singular position, where form %s has no coordinates: form "
        "auto can start there",
        s->view->name);
  dae_status status = DAE_OK;
  bool done = false;
  if (position == DAE_SINGULAR_PASSING) status = singular_start(s, fixed, &done);
  if (!done && !s->view->free_start) {
    status = dae_stabilize_project(s->nearest, s->t, s->z, fixed, &s->report.moved);
    if (status != DAE_OK) return explain_start(s, status, fixed);
  }
  if (!done) status = multipliers(s);
  s->exact_y = status == DAE_OK;
  return status;
}

dae_status dae_drive_restart(dae_solver *s) {
  double *u = s->z;
  s->restart_due = false;
  s->due.kind = DAE_VERDICT_ACCEPT;
  s->control.sign = 0; /* an event may have led to another place */
  dae_status status = DAE_OK;
  if (s->view->from_z) {
    u = s->work.u;
    status = s->view->from_z(s->view, s->t, s->z, u);
  }
  /* multipliers of an earlier run or step must not be the guess */
  dae_form_guess(s->view, s->y);
  if (s->view->slope) memcpy(s->view->slope, s->dz, (size_t)s->sys->nz * sizeof *s->dz);
  memcpy(s->step->y, s->y, (size_t)s->sys->ny * sizeof *s->y);
  memcpy(s->step->y_new, s->y, (size_t)s->sys->ny * sizeof *s->y);
  double *mu = s->view->nmu > 0 ? s->step->mu_new : NULL;
  if (status == DAE_OK && mu) status = dae_problem_view_guess(s->view, s->t, s->z, mu);
  if (status == DAE_OK) status = s->step->cls->restart(s->step, s->t, u, mu);
  if (status == DAE_E_SINGULAR)
    return dae_drive_report(s, status,
                            "form %s needs constraints that are independent of each other: its "
                            "matrix is singular at t = %.15g. Form auto does not need that",
                            s->view->name, s->t);
  if (status != DAE_OK)
    return dae_drive_report(s, status, "the right-hand side cannot be evaluated at t = %.15g",
                            s->t);
  dae_drive_weights(s);
  s->control.norm_before = s->control.failed_h = s->control.wall = 0;
  s->control.failed_again = s->control.tighter = 0;
  s->control.rejected_before = false;
  s->stops.grid_t0 = s->t;
  s->stops.grid_n = 0;
  s->t_previous = s->t;
  return DAE_OK;
}

/* counts are those since the start */
static void reset_counts(dae_solver *s) {
  *s->point->counts = (dae_counts){0};
  for (int i = 0; i < s->ways.count; i++) {
    dae_stepper *step = s->ways.way[i].step;
    step->evaluations = step->jacobians = step->factorizations = step->solves = step->newton = 0;
    step->restarts = step->iterates = 0;
  }
}

static dae_status run_checker(dae_solver *s, const double *z, char *message, int size) {
  double horizon = fabs(s->p->t1 - s->p->t0);
  return dae_problem_checker_run(s->checker, s->t, z, s->p->y0, horizon, message, size);
}

/* are the given derivatives those of the functions at (t,z)? DAE_E_INPUT with the message if not;
   where one cannot be evaluated, the run itself will say so. Terms may cancel at z, and the rest of
   them is rounding: what is wrong is wrong with another x^(m-1) too */
static dae_status check_at(dae_solver *s, const double *z, char *message, int size) {
  static const double BESIDE = 0.03;
  char beside[DAE_TEXT_MAX];
  const dae_system *sys = s->sys;
  if (run_checker(s, z, message, size) != DAE_E_INPUT) return DAE_OK;
  memmove(s->work.z, z, (size_t)sys->nz * sizeof *z);
  int top = sys->nz - sys->nx;
  double most = dae_la_norm_max(sys->nx, z + top);
  for (int j = top; j < sys->nz; j++)
    s->work.z[j] += BESIDE * fmax(fabs(z[j]), 0.1 * most) * sin(1 + 2.3 * j);
  return run_checker(s, s->work.z, beside, sizeof beside) == DAE_OK ? DAE_OK : DAE_E_INPUT;
}

static dae_status tell_derivative(dae_solver *s, const char *message) {
  dae_drive_report(s, DAE_E_INPUT, "%s", message);
  snprintf(s->report.advice, sizeof s->report.advice,
           "Correct it, or leave it out (NULL): derivatives are then approximated by differences.");
  return DAE_E_INPUT;
}

/* before anything is computed with it. At rest what is quadratic in velocities is not seen: then
   also with others */
static dae_status check_derivatives(dae_solver *s) {
  char message[DAE_TEXT_MAX];
  const dae_system *sys = s->sys;
  int nx = sys->nx, moving = sys->nz - nx;
  double size = dae_la_norm_max(nx, s->z), horizon = fabs(s->p->t1 - s->p->t0);
  dae_status status = check_at(s, s->z, message, sizeof message);
  if (status == DAE_OK && moving > 0 && dae_la_norm_max(moving, s->z + nx) == 0) {
    memcpy(s->work.z, s->z, (size_t)sys->nz * sizeof *s->z);
    for (int j = nx; j < sys->nz; j++)
      s->work.z[j] = (size > 0 ? size : 1) / (horizon > 0 ? horizon : 1) * sin(1 + 2.3 * j);
    status = check_at(s, s->work.z, message, sizeof message);
  }
  return status == DAE_OK ? DAE_OK : tell_derivative(s, message);
}

/* once more on the way, where a mistake may show that the start hides */
dae_status dae_drive_check_later(dae_solver *s) {
  enum { LATER = 200 }; /* steps: the check costs less than two */
  char message[DAE_TEXT_MAX];
  if (!s->checker || s->stats.steps != LATER) return DAE_OK;
  if (check_at(s, s->z, message, sizeof message) == DAE_OK) return DAE_OK;
  return tell_derivative(s, message);
}

/* everything that belongs to a run is as it was before the first one */
static void forget(dae_solver *s) {
  reset_counts(s);
  s->stats = (dae_stats){.h_min = INFINITY};
  for (int i = 0; i < s->ways.count; i++) dae_stabilize_start(s->ways.way[i].stab);
  dae_stabilize_start(s->nearest);
  dae_point_start(s->point);
  dae_point_sizes(s->point, s->plan.o.rtol, s->plan.o.atol, s->plan.o.atols);
  dae_drive_switch_start(s);
  dae_passage_reset(s->guard);
  s->control = (dae_control){.weight = s->control.weight};
  s->stops.ahead = 0;
}

/* `autonomous` says that time derivatives which are not given are zero: does g know the time? */
static dae_status check_autonomous(dae_solver *s) {
  static const double AHEAD = 0.0137, SAME = 1e-9; /* of the interval; of the size of the terms */
  const dae_system *sys = s->sys;
  dae_point *p = s->point;
  double length = fabs(s->p->t1 - s->p->t0), *now = s->work.r, *then = s->work.y;
  if (!s->p->autonomous || sys->ng == 0 || sys->ny < sys->ng || !(length > 0)) return DAE_OK;
  dae_point_aside(p);
  dae_point_at(p, s->t, s->z);
  dae_status status = dae_point_row_scale(p);
  if (status == DAE_OK) status = dae_point_level(p, 0, now);
  dae_point_at(p, s->t + AHEAD * length, s->z);
  if (status == DAE_OK) status = dae_point_level(p, 0, then);
  dae_point_back(p);
  if (status != DAE_OK) return DAE_OK; /* the start itself will say so */
  for (int i = 0; i < sys->ng; i++) {
    if (fabs(then[i] - now[i]) <= SAME * p->scale[i]) continue;
    dae_problem_g_name(s->p, i, 0, s->report.equation, DAE_NAME_MAX);
    dae_drive_report(s, DAE_E_INPUT,
                     "constraint %s depends on the time, but the problem is declared autonomous",
                     s->report.equation);
    snprintf(s->report.advice, sizeof s->report.advice,
             "Set autonomous = false, or give g_t and the other time derivatives.");
    return DAE_E_INPUT;
  }
  return DAE_OK;
}

/* the first point and what happens at it; a value that is not finite may be one that `when
   initial()` is about to give */
static dae_status audit_and_events(dae_solver *s) {
  dae_status audit = dae_drive_audit_start(s);
  if (audit != DAE_OK && (audit != DAE_E_CALLBACK || !s->p->discrete)) return audit;
  dae_status status = dae_drive_events_start(s);
  bool moved = s->restart_due;
  if (status == DAE_OK && moved) status = dae_drive_restart(s);
  if (audit == DAE_OK) return status;
  if (status == DAE_OK && !moved) return audit;
  audit = dae_drive_audit_start(s);
  return audit != DAE_OK ? audit : status;
}

/* from s->origin.own.t0, z0: a consistent point, the first slope, drift, audit, events */
static dae_status begin(dae_solver *s) {
  s->started = false;
  s->report = (dae_report){.event = -1};
  forget(s);
  s->t = s->origin.own.t0;
  memcpy(s->z, s->origin.own.z0, (size_t)s->sys->nz * sizeof *s->z);
  if (s->checker && (check_derivatives(s) != DAE_OK || check_autonomous(s) != DAE_OK))
    return DAE_E_INPUT;
  dae_status status = dae_drive_events_prepare(s);
  if (status == DAE_OK) {
    status = dae_drive_consistent(s, s->p->fixed);
    status = dae_drive_index(s, s->t, s->origin.own.z0, status);
  }
  if (status != DAE_OK) return status;
  dae_passage_start(s->guard, s->t);
  s->stats.smallest = dae_passage_known(s->guard).smallest;
  s->stats.t_smallest = s->t;
  status = dae_drive_restart(s);
  if (status != DAE_OK) return status;
  status = dae_stabilize_drift(s->stab, s->t, s->z, s->stats.drift_last);
  memcpy(s->stats.drift_max, s->stats.drift_last, sizeof s->stats.drift_max);
  if (status == DAE_OK) status = audit_and_events(s);
  if (status != DAE_OK) return status;
  dae_passage_started(s->guard, s->t, s->z);
  /* what the start itself needed is not what the iterates need */
  if (s->own_y) *s->point->counts = (dae_counts){0};
  dae_drive_watchdog_start(s);
  s->control.h = s->plan.o.step;
  s->started = true;
  double moved = s->report.moved;
  dae_drive_report(s, status,
                   moved > 0 ? "started; initial values moved by %.3g to satisfy the constraints"
                             : "started; initial values were consistent",
                   moved);
  s->report.moved = moved;
  return status;
}

/* the same; a start that fails leaves no point that it came to on the way */
static dae_status start(dae_solver *s) {
  dae_status status = dae_drive_untold(s, begin(s));
  if (status < 0) memcpy(s->z, s->origin.own.z0, (size_t)s->sys->nz * sizeof *s->z);
  return status;
}

dae_status dae_drive_start_again(dae_solver *s) { return start(s); }

/* the values that a run is to start from */
static dae_status check_values(dae_solver *s, double t0, const double *z) {
  if (!isfinite(t0))
    return dae_drive_report(s, DAE_E_INPUT, "the start time is not a finite number");
  if (!z)
    return dae_drive_report(s, DAE_E_INPUT,
                            "there are no initial values: neither given nor in the problem");
  for (int i = 0; i < s->sys->nz; i++)
    if (!isfinite(z[i])) {
      dae_problem_z_name(s->p, i, s->report.variable, DAE_NAME_MAX);
      return dae_drive_report(s, DAE_E_INPUT, "the initial value of %s is not a finite number",
                              s->report.variable);
    }
  return DAE_OK;
}

dae_status dae_solver_start(dae_solver *s, double t0, double *z, double *y) {
  if (!s) return DAE_E_INPUT;
  const double *from = z ? z : s->origin.stated.z0;
  s->started = s->origin.decided = false;
  s->t = t0;
  s->report = (dae_report){.event = -1};
  s->stats = (dae_stats){.h_min = INFINITY};
  /* multipliers that were passed are a guess where the others lead nowhere */
  s->origin.own.y0 = s->origin.stated.y0;
  bool hint =
      y && !s->sys->affine && dae_base_finite(y, s->sys->ny) && dae_la_norm_max(s->sys->ny, y) > 0;
  if (hint) memcpy(s->origin.y_hint, y, (size_t)s->sys->ny * sizeof *y);
  /* nothing is left as it was found when the start fails */
  for (int i = 0; y && i < s->sys->ny; i++) y[i] = NAN;
  dae_status status = check_values(s, t0, from);
  if (status == DAE_OK) status = dae_drive_decide_start(s, t0, from);
  if (status == DAE_OK) status = start(s);
  /* of an index the report names the multiplier where it seems to enter nothing */
  bool astray = status == DAE_E_NEWTON || (status == DAE_E_INDEX && s->report.variable[0]);
  if (hint && astray) {
    s->origin.own.y0 = s->origin.y_hint;
    status = start(s);
  }
  if (status != DAE_OK) return status;
  if (z) memcpy(z, s->z, (size_t)s->sys->nz * sizeof *z);
  if (y) memcpy(y, s->y, (size_t)s->sys->ny * sizeof *y);
  return status;
}
