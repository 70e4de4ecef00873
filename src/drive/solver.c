/* the solver object: new, free, accessors, and the one-call version */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive.h"
#include "problem/check.h"

static dae_status refuse(dae_report *report, dae_status status, const char *message) {
  if (!report) return status;
  *report = (dae_report){.status = status, .event = -1};
  snprintf(report->message, sizeof report->message, "%s", message);
  snprintf(report->advice, sizeof report->advice, "%s", dae_status_advice(status));
  return status;
}

/* where callers may look for the present point as long as the solver lives */
static void take_point(dae_solver *s) {
  size_t nz = (size_t)dae_problem_nz(s->p), ny = (size_t)dae_problem_ny(s->p);
  s->z = dae_base_doubles(&s->pool, nz);
  s->dz = dae_base_doubles(&s->pool, nz);
  s->y = dae_base_doubles(&s->pool, ny);
  s->origin.y_hint = dae_base_doubles(&s->pool, ny);
  s->origin.z_start = dae_base_doubles(&s->pool, nz);
  s->origin.z_built = dae_base_doubles(&s->pool, nz);
}

/* what of the solver itself a checkpoint must know: pointers that change, and what belongs to this
   solver and no other */
static void note_members(dae_solver *s) {
  dae_base_moving(&s->pool, &s->origin.own.z0, 1);
  dae_base_moving(&s->pool, &s->origin.own.y0, 1);
  dae_base_moving(&s->pool, &s->view, 1);
  dae_base_moving(&s->pool, &s->step, 1);
  dae_base_moving(&s->pool, &s->stab, 1);
  dae_base_kept(&s->pool, &s->pool, sizeof s->pool);
  dae_base_kept(&s->pool, &s->memory.home, sizeof s->memory.home);
  dae_base_kept(&s->pool, &s->memory.rebuilt, sizeof s->memory.rebuilt);
  dae_base_kept(&s->pool, &s->memory.image, sizeof s->memory.image);
  dae_base_kept(&s->pool, &s->stops.hit, sizeof s->stops.hit);
  dae_base_kept(&s->pool, &s->origin.imported, sizeof s->origin.imported);
}

/* threads for whoever evaluates the system */
static dae_status make_team(dae_solver *s) {
  dae_status status = dae_base_team_new(&s->team, &s->plan.given.allocator, s->plan.given.threads,
                                        dae_problem_team_room(s->p));
  if (status == DAE_OK) dae_problem_team(s->sys, s->team);
  return status;
}

dae_status dae_drive_build(dae_solver *s) {
  dae_status status = dae_problem_system_new(&s->sys, &s->pool, s->p);
  if (status == DAE_OK) status = make_team(s);
  if (status == DAE_OK) status = dae_point_new(&s->point, &s->pool, s->sys, NULL, true);
  if (status != DAE_OK) return status;
  s->work.a = dae_base_doubles(&s->pool, (size_t)s->sys->nx);
  s->work.r = dae_base_doubles(&s->pool, 2 * (size_t)s->sys->nc);
  size_t nz = (size_t)s->sys->nz, ny = (size_t)s->sys->ny;
  s->work.z = dae_base_doubles(&s->pool, nz);
  s->work.y = dae_base_doubles(&s->pool, ny);
  if (s->pool.failed) return DAE_E_MEMORY;
  dae_drive_built(s);
  status = dae_drive_ways(s);
  if (status != DAE_OK) return s->pool.failed ? DAE_E_MEMORY : status;
  /* a view may have fewer unknowns than the problem, or more; two ways have the same */
  s->work.u = dae_base_doubles(&s->pool, (size_t)s->view->nz);
  s->control.weight = dae_base_doubles(&s->pool, (size_t)s->view->nz);
  for (int i = 0; i < s->ways.count; i++) s->ways.way[i].step->weight = s->control.weight;
  status = dae_drive_switch_new(s);
  if (status == DAE_OK) status = dae_drive_audit_new(s);
  if (status == DAE_OK && s->plan.o.check_derivatives)
    status = dae_problem_checker_new(&s->checker, &s->pool, s->point);
  if (status == DAE_OK) status = dae_drive_index_new(s);
  if (status == DAE_OK) status = dae_drive_implicit_new(s);
  if (status == DAE_OK) status = dae_drive_events_new(s);
  if (status == DAE_OK) status = dae_drive_watchdog_new(s);
  if (status == DAE_OK) status = dae_drive_second_new(s);
  return s->pool.failed ? DAE_E_MEMORY : status;
}

dae_status dae_solver_new(dae_solver **out, const dae_problem *p, const dae_options *o,
                          dae_report *report) {
  char message[DAE_TEXT_MAX] = "";
  if (!out) return refuse(report, DAE_E_INPUT, "dae_solver_new: out is NULL");
  *out = NULL;
  if (dae_problem_valid(p, message, sizeof message) != DAE_OK ||
      dae_base_options_valid(o, message, sizeof message) != DAE_OK)
    return refuse(report, DAE_E_INPUT, message);
  if (p->boundary)
    return refuse(report, DAE_E_FORM, "this is a boundary value problem: use dae_bvp_solve");
  dae_pool pool;
  dae_base_pool_init(&pool, &o->allocator);
  dae_solver *s = dae_base_take(&pool, 1, sizeof *s);
  if (!s) return refuse(report, DAE_E_MEMORY, dae_status_meaning(DAE_E_MEMORY));
  s->pool = pool;
  s->origin.own = *p;
  s->p = &s->origin.own;
  s->origin.stated.t0 = p->t0, s->origin.stated.t1 = p->t1, s->origin.stated.z0 = p->z0;
  s->origin.stated.y0 = p->y0;
  s->origin.built = p->z0 != NULL;
  dae_drive_presume(s);
  s->report.event = -1;
  take_point(s);
  dae_status status = dae_choose_settings(&s->plan.given, s->p, o, &s->pool, s->report.message,
                                          sizeof s->report.message);
  if (status == DAE_OK) status = dae_drive_extend(s, o);
  note_members(s);
  s->memory.n_home = dae_image_blocks(&s->pool);
  if (status == DAE_OK) status = dae_drive_build(s);
  if (status == DAE_OK && !dae_image_take(&s->memory.image, &s->pool, NULL, 0))
    status = DAE_E_MEMORY;
  if (status != DAE_OK) {
    if (s->report.message[0] && status != DAE_E_MEMORY) {
      if (report) *report = s->report;
    } else {
      refuse(report, status, dae_status_meaning(status));
    }
    dae_solver_free(s);
    return status;
  }
  dae_image_keep(&s->memory.image);
  if (report) *report = s->report;
  *out = s;
  return DAE_OK;
}

void dae_drive_release(dae_solver *s) {
  dae_stabilize_free(s->nearest);
  for (int i = 0; i < 2; i++) {
    dae_stabilize_free(s->ways.way[i].stab);
    dae_step_free(s->ways.way[i].step);
    dae_form_free(s->ways.way[i].view);
  }
  dae_drive_implicit_free(s);
  dae_drive_second_free(s->second);
  dae_point_free(s->point);
  dae_base_team_free(s->team);
}

void dae_solver_free(dae_solver *s) {
  if (!s) return;
  dae_drive_release(s);
  dae_drive_imported_free(s->origin.imported);
  /* the solver lives in its own pool */
  dae_pool pool = s->pool, home = s->memory.home;
  bool rebuilt = s->memory.rebuilt;
  dae_base_pool_free(&pool);
  if (rebuilt) dae_base_pool_free(&home);
}

double dae_solver_time(const dae_solver *s) { return s ? s->t : NAN; }
double dae_solver_previous_time(const dae_solver *s) { return s ? s->t_previous : NAN; }
const double *dae_solver_z(const dae_solver *s) { return s ? s->z : NULL; }
const double *dae_solver_y(dae_solver *s) { return dae_drive_shown(s) ? s->y : NULL; }
const double *dae_solver_dz(dae_solver *s) { return dae_drive_shown(s) ? s->dz : NULL; }
const dae_stats *dae_solver_stats(const dae_solver *s) { return s ? &s->stats : NULL; }
const dae_report *dae_solver_report(const dae_solver *s) { return s ? &s->report : NULL; }
const char *dae_solver_method(const dae_solver *s) { return s ? s->step->method->name : NULL; }
const char *dae_solver_form(const dae_solver *s) { return s ? s->view->name : NULL; }
const char *dae_solver_stabilize(const dae_solver *s) {
  return s ? dae_stabilizer_at(s->ways.way[s->ways.now].stabilize)->name : NULL;
}

const dae_passage *dae_solver_passages(const dae_solver *s, int *count) {
  dae_passage_record known = {0};
  if (s) known = dae_passage_known(s->guard);
  if (!known.list) known.passed = 0;
  if (count) *count = known.passed < DAE_PASSAGE_MAX ? (int)known.passed : DAE_PASSAGE_MAX;
  return known.list;
}

dae_status dae_solver_hit(dae_solver *s, const double *times, int count) {
  if (!s) return DAE_E_INPUT;
  if (count < 0 || (count > 0 && !times))
    return dae_drive_report(s, DAE_E_INPUT, "dae_solver_hit: %s",
                            count < 0 ? "the count is negative" : "times is NULL");
  for (int i = 0; i < count; i++)
    if (!isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])))
      return dae_drive_report(s, DAE_E_INPUT,
                              "times to hit must be finite and increasing: number %d is "
                              "%g",
                              i + 1, times[i]);
  s->stops.hit = times;
  s->stops.n_hit = count;
  return DAE_OK;
}

dae_status dae_solve(const dae_problem *p, const dae_options *o, double t0, double t1, double *z,
                     double *y, dae_report *report, dae_stats *stats) {
  dae_solver *s;
  dae_problem own;
  if (stats) *stats = (dae_stats){0};
  /* what is chosen for "auto" follows from the run that is asked for, not from the one that the
     problem suggests */
  if (p) {
    own = *p;
    own.t0 = t0, own.t1 = t1;
    if (z) own.z0 = z;
    if (isfinite(t0) && isfinite(t1)) p = &own;
  }
  dae_status status = dae_solver_new(&s, p, o, report);
  if (status != DAE_OK) {
    int ny = y && dae_problem_valid(p, NULL, 0) == DAE_OK ? dae_problem_ny(p) : 0;
    for (int i = 0; i < ny; i++) y[i] = NAN;
    return status;
  }
  status = dae_solver_start(s, t0, z, y);
  if (status == DAE_OK) {
    /* terminal events end the run; others were passed on the way */
    status = dae_solver_advance(s, t1);
    /* a model that ends its run by terminate(..) has come to its end */
    if (status == DAE_OK || (status == DAE_EVENT && p->discrete)) {
      dae_status finished = dae_solver_finish(s);
      if (status == DAE_OK || finished < 0) status = finished;
    }
    if (z) memcpy(z, s->z, (size_t)s->sys->nz * sizeof *z);
    if (y) memcpy(y, s->y, (size_t)s->sys->ny * sizeof *y);
  }
  if (report) *report = s->report;
  if (stats) *stats = s->stats;
  dae_solver_free(s);
  return status;
}
