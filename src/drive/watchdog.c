/* the watchdog: a run that cannot reach its end is told so early, with what keeps it */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

enum {
  WINDOW = 5000, /* steps over which progress is measured */
  WINDOWS = 6,   /* in a row that go nowhere */
  POINTS = 5,    /* on a straight line, one a window */
  STANDING = 50, /* steps in a row that rounding swallows */
  HOPELESS = 20, /* times the steps allowed: what is left would take more */
  LOST = 4       /* points in a row with a lower rank: no singular position is as long */
};

dae_status dae_drive_watchdog_new(dae_solver *s) {
  s->watchdog.point = dae_base_doubles(&s->pool, 2 * (size_t)s->sys->nz);
  return s->watchdog.point ? DAE_OK : DAE_E_MEMORY;
}

void dae_drive_watchdog_start(dae_solver *s) {
  s->watchdog = (dae_watchdog){.t = s->t, .progress = INFINITY, .point = s->watchdog.point};
  s->watchdog.rank = s->point->info.rank;
}

/* the variable whose error is largest in the last step; "" where the method does not tell */
static void blame_error(dae_solver *s) {
  const dae_stepper *a = s->step;
  double most = 0;
  int at = -1;
  s->report.variable[0] = 0;
  if (s->view->to_z || a->method->estimate <= 0) return;
  for (int i = 0; i < s->sys->nz; i++) {
    double size = fabs(a->error[i]) * s->control.weight[i];
    if (size > most) most = size, at = i;
  }
  if (at >= 0) dae_problem_z_name(s->p, at, s->report.variable, DAE_NAME_MAX);
}

/* the variable that changes fastest beside its size; does it grow without bound? */
static bool blame_growth(dae_solver *s, int *at) {
  /* beyond this many times its start a value is on its way to infinity */
  static const double grown = 1e8;
  double most = -1;
  *at = 0;
  for (int i = 0; i < s->sys->nz; i++) {
    double rate = fabs(s->dz[i]) / (fabs(s->z[i]) + DBL_MIN);
    if (rate > most && s->z[i] != 0) most = rate, *at = i;
  }
  dae_problem_z_name(s->p, *at, s->report.variable, DAE_NAME_MAX);
  double start = s->p->z0 ? fabs(s->p->z0[*at]) : 0;
  return fabs(s->z[*at]) > grown * (1 + start);
}

dae_status dae_drive_too_small(dae_solver *s, double h) {
  int at;
  bool grows = blame_growth(s, &at);
  return dae_drive_report(
      s, DAE_E_STEP, "the step size fell to %.3g at t = %.15g, where %s = %.6g %s", fabs(h), s->t,
      s->report.variable, s->z[at], grows ? "grows without bound" : "changes fastest");
}

static dae_status tell_rank(dae_solver *s, const dae_la_kkt_info *info) {
  const dae_watchdog *w = &s->watchdog;
  dae_problem_g_name(s->p, info->row < 0 ? 0 : info->row, 0, s->report.equation, DAE_NAME_MAX);
  s->report.rank = info->rank;
  s->report.rows = s->sys->ny;
  return dae_drive_report(s, DAE_E_RANK,
                          "the constraints have rank %d since about t = %.6g, and had %d at the "
                          "start: %s no longer determines anything",
                          info->rank, w->t_lost, w->rank, s->report.equation);
}

/* constraints that determined something at the start, and that do so no longer at several points in
   a row: the multipliers are then not unique, and what they leave free is anybody's choice */
static dae_status lost_rank(dae_solver *s) {
  dae_watchdog *w = &s->watchdog;
  /* where the step was evaluated last */
  const dae_point *p = s->view->point;
  if (s->sys->ny == 0 || !s->view->eliminates || !p) return DAE_OK;
  int full = s->point->full_rank, rank = w->rank < full ? w->rank : full;
  if (p->info.rank >= rank) w->lost = 0;
  else if (w->lost++ == 0) w->t_lost = s->t;
  if (w->lost < LOST) return DAE_OK;
  return tell_rank(s, &p->info);
}

/* A run of few steps: the end may be a singular position, but then not the middle of the last step
   too */
dae_status dae_drive_rank_at_end(dae_solver *s) {
  const dae_watchdog *w = &s->watchdog;
  if (w->lost == 0 || s->t == s->t_previous) return DAE_OK;
  double t = s->t_previous + 0.5 * (s->t - s->t_previous);
  dae_point_aside(s->point);
  dae_status status = dae_drive_inside(s, t, s->work.z, NULL);
  dae_point_at(s->point, t, s->work.z);
  if (status == DAE_OK) status = dae_point_factor(s->point, s->y);
  const dae_la_kkt_info info = s->point->info;
  dae_point_back(s->point);
  int full = s->point->full_rank, rank = w->rank < full ? w->rank : full;
  return status == DAE_OK && info.rank < rank ? tell_rank(s, &info) : DAE_OK;
}

/* The present point is on the line through the first two, as far as the tolerance sees: an error of
   one tolerance in the second is k of them at the k-th */
static bool on_line(const dae_solver *s) {
  const dae_settings *o = &s->plan.o;
  const dae_watchdog *w = &s->watchdog;
  const double *first = w->point, *second = first + s->sys->nz;
  const double k = (s->t - w->at[0]) / (w->at[1] - w->at[0]);
  for (int i = 0; i < s->sys->nz; i++) {
    const double tol = (o->atols ? o->atols[i] : o->atol) + o->rtol * fabs(s->z[i]);
    if (!(fabs(s->z[i] - first[i] - k * (second[i] - first[i])) <= k * tol)) return false;
  }
  return true;
}

/* after a window: was all of it a straight line, POINTS - 1 windows long? */
static bool straight(dae_solver *s) {
  dae_watchdog *w = &s->watchdog;
  if (w->points > 1 && !on_line(s)) w->points = 0;
  if (w->points < 2) {
    w->at[w->points] = s->t;
    memcpy(w->point + (size_t)w->points * (size_t)s->sys->nz, s->z,
           (size_t)s->sys->nz * sizeof *s->z);
  }
  if (++w->points < POINTS) return false;
  w->points = 0;
  return true;
}

/* after each accepted step */
dae_status dae_drive_watchdog(dae_solver *s, double t_limit) {
  dae_watchdog *w = &s->watchdog;
  double h = fabs(s->step->h_old), left = fabs(t_limit - s->t);
  dae_status status = lost_rank(s);
  if (status != DAE_OK) return status;
  w->standing = h < 4 * DBL_EPSILON * fabs(s->t) && left > h ? w->standing + 1 : 0;
  if (w->standing > STANDING) return dae_drive_too_small(s, h);
  /* windows of one length may be whole periods of a solution that the steps follow in step: each is
     longer than the one before, by 1, 2, .. steps */
  const int window = WINDOW + w->points * (w->points + 1) / 2;
  if (++w->steps < window) return DAE_OK;
  double progress = fabs(s->t - w->t);
  const double needed = left / progress * window, most = s->plan.o.max_steps;
  /* where steps change nothing that can be seen, more than the steps allowed are too many */
  const bool nothing = straight(s) && needed > most;
  w->slow = progress <= 1.1 * w->progress && needed > most * HOPELESS ? w->slow + 1 : 0;
  w->steps = 0;
  w->t = s->t;
  w->progress = progress;
  if (!nothing && w->slow < WINDOWS) return DAE_OK;
  blame_error(s);
  const char *name = s->report.variable;
  char more[80];
  snprintf(more, sizeof more, "; about %.2g more steps are needed, and max_steps is %.3g", needed,
           most);
  return dae_drive_report(
      s, DAE_E_STEP,
      "the last %d steps went %.3g further, to t = %.15g, and %.3g is left: %s%s keeps them at "
      "%.3g%s",
      window, progress, s->t, left, name[0] ? "the error of " : "something", name, h,
      nothing ? "; they changed nothing that the tolerance sees: a function jumps there against "
                "itself, or the problem is stiff for this method"
              : more);
}
