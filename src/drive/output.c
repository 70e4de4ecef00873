/* output: dense values on the constraints, multipliers, drift, projection of any point */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* y at any point from the differentiated constraints; a gets x^(m) */
static dae_status multipliers_at(dae_solver *s, double t, const double *z, double *y, double *a) {
  if (!s->sys->affine) memcpy(y, s->y, (size_t)s->sys->ny * sizeof *y);
  return dae_passage_accelerate(s->guard, t, z, a, y);
}

dae_status dae_drive_refine(dae_solver *s) {
  if (s->exact_y) return DAE_OK;
  /* x' at the end of a step is that of the method; elsewhere it must be found */
  if (s->implicit) return s->t == s->step->t ? DAE_OK : dae_drive_implicit_start(s, NULL);
  dae_status status = multipliers_at(s, s->t, s->z, s->work.y, s->work.a);
  if (status != DAE_OK)
    return status == DAE_STOPPED ? status : DAE_OK; /* the step's own values stay */
  memcpy(s->y, s->work.y, (size_t)s->sys->ny * sizeof *s->y);
  dae_problem_chain(s->sys, s->z, s->work.a, s->dz);
  s->exact_y = true;
  return DAE_OK;
}

/* what output costs is no cost of the solution, and what it sees between steps does not tell how
   long the rows of G are */
static long leave(dae_solver *s) {
  dae_point_aside(s->point);
  dae_point_lengths_leave(s->point);
  return s->step->evaluations;
}
static void come_back(dae_solver *s, long evaluations) {
  dae_point_lengths_come_back(s->point);
  dae_point_back(s->point);
  s->step->evaluations = evaluations;
}

dae_solver *dae_drive_shown(dae_solver *s) {
  /* what the method has of y and z' may be of another point (form index1 of an implicit method),
     or of few digits (differences over a very short step) */
  if (!s || !s->started || s->implicit || s->exact_y) return s;
  const long evaluations = leave(s);
  dae_drive_refine(s);
  come_back(s, evaluations);
  return s;
}

dae_status dae_drive_inside(dae_solver *s, double t, double *z, double *y) {
  const dae_stepper *a = s->step;
  double theta = a->h_old != 0 ? (t - a->t_old) / a->h_old : 1;
  double *u = s->view->to_z ? s->work.u : z;
  dae_status status = s->step->cls->dense(s->step, theta, u, NULL);
  if (status == DAE_OK && s->view->to_z) status = s->view->to_z(s->view, t, u, z);
  if (status == DAE_OK && s->plan.o.project_output && s->sys->nh > 0 && !s->view->free_start)
    status = dae_passage_onto(s->guard, s->nearest, t, z, NULL);
  if (status == DAE_OK && y && s->sys->ny > 0) status = multipliers_at(s, t, z, y, s->work.a);
  return status;
}

static dae_status value_at(dae_solver *s, double t, double *z, double *y) {
  if (!s->started)
    return dae_drive_report(s, DAE_E_INPUT, "call dae_solver_start before asking for values");
  /* a method that has just started anew has no step behind it */
  double from = s->step->h_old == 0 ? s->t : s->t_previous, h = s->t - from;
  if (!isfinite(t) || (h == 0 && t != s->t) || (t - from) * h < -1e-12 * h * h ||
      (s->t - t) * h < -1e-12 * h * h)
    return dae_drive_report(s, DAE_E_INPUT, "t = %.15g is outside the last step [%.15g, %.15g]", t,
                            from, s->t);
  double *point = s->work.z;
  dae_status status = DAE_OK;
  if (t == s->t) {
    memcpy(point, s->z, (size_t)s->sys->nz * sizeof *point);
    status = dae_drive_refine(s);
    if (y) memcpy(y, s->y, (size_t)s->sys->ny * sizeof *y);
  } else {
    status = dae_drive_inside(s, t, point, y);
  }
  if (status == DAE_OK &&
      !(dae_base_finite(point, s->sys->nz) && (!y || dae_base_finite(y, s->sys->ny))))
    status = DAE_E_CALLBACK;
  if (status != DAE_OK)
    return dae_drive_report(s, status, "no value could be computed at t = %.15g", t);
  if (z) memcpy(z, point, (size_t)s->sys->nz * sizeof *z);
  return DAE_OK;
}

dae_status dae_solver_eval(dae_solver *s, double t, double *z, double *y) {
  if (!s) return DAE_E_INPUT;
  const long evaluations = leave(s);
  dae_status status = value_at(s, t, z, y);
  come_back(s, evaluations);
  return status;
}

/* a time and a point from outside: DAE_OK when they are numbers */
static dae_status point_given(dae_solver *s, const char *call, double t, const double *z) {
  if (!s) return DAE_E_INPUT;
  if (!z) return dae_drive_report(s, DAE_E_INPUT, "%s: z is NULL", call);
  if (isfinite(t) && dae_base_finite(z, s->sys->nz)) return DAE_OK;
  return dae_drive_report(s, DAE_E_INPUT, "%s: t or z is not finite", call);
}

dae_status dae_solver_project(dae_solver *s, double t, double *z, double *distance) {
  if (point_given(s, "dae_solver_project", t, z) != DAE_OK) return DAE_E_INPUT;
  const long evaluations = leave(s);
  dae_status status = dae_stabilize_project(s->nearest, t, z, NULL, distance);
  come_back(s, evaluations);
  if (status == DAE_OK && !dae_base_finite(z, s->sys->nz)) status = DAE_E_DRIFT;
  if (status == DAE_OK) return DAE_OK;
  dae_drive_blame_constraint(s, s->nearest);
  return dae_drive_report(s, status == DAE_E_DRIFT ? DAE_E_INCONSISTENT : status,
                          "no nearby point satisfies constraint %s at t = %.15g",
                          s->report.equation, t);
}

dae_status dae_solver_drift(dae_solver *s, double t, const double *z, double *drift) {
  if (point_given(s, "dae_solver_drift", t, z) != DAE_OK) return DAE_E_INPUT;
  if (!drift) return dae_drive_report(s, DAE_E_INPUT, "dae_solver_drift: drift is NULL");
  const long evaluations = leave(s);
  dae_status status = dae_stabilize_drift(s->nearest, t, z, drift);
  come_back(s, evaluations);
  return status;
}
