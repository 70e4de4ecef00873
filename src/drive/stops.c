/* times that must be hit, the side from which steps look at them, and meshes of fixed steps */
#include <float.h>
#include <math.h>

#include "drive/drive.h"

/* the nearest time ahead that must be hit, at most t_limit */
double dae_drive_next_stop(const dae_solver *s, double t_limit) {
  double sign = t_limit < s->t ? -1 : 1, stop = t_limit;
  for (int i = 0; i < s->stops.n_hit; i++)
    if (sign * (s->stops.hit[i] - s->t) > 4 * DBL_EPSILON * fabs(s->t) &&
        sign * (stop - s->stops.hit[i]) > 0)
      stop = s->stops.hit[i];
  return dae_drive_events_stop(s, stop);
}

/* Must this time be hit? The equations may have a kink or a jump there: the step that ends at it
   looks at them from this side, a few roundings before, and the next one begins from the other. */
bool dae_drive_is_hit(const dae_solver *s, double t) {
  for (int i = 0; i < s->stops.n_hit; i++)
    if (s->stops.hit[i] == t) return true;
  return false;
}

/* how far before and behind it, so that sums of times cannot round to the time itself */
double dae_drive_beside(const dae_solver *s, double stop) {
  double gap = 8 * DBL_EPSILON * fmax(fabs(stop), fabs(s->t));
  return dae_drive_is_hit(s, stop) && gap < 1e-3 * fabs(stop - s->t) ? gap : 0;
}

/* the method starts anew, from the other side of a time that was hit */
dae_status dae_drive_restart_beyond(dae_solver *s, double t_limit) {
  /* a limit that is astronomic says nothing about the next step */
  double t = s->t, stop = dae_drive_next_stop(s, t_limit),
         far = t != 0 ? fmin(fabs(stop), 1e3 * fabs(t)) : fabs(stop),
         gap = dae_drive_is_hit(s, t) ? 8 * DBL_EPSILON * fmax(fabs(t), far) : 0;
  if (gap > 1e-3 * fabs(stop - t)) gap = 0;
  s->t = stop < t ? t - gap : t + gap;
  dae_status status = dae_drive_restart(s);
  s->t = s->t_previous = s->stops.grid_t0 = t;
  s->stops.ahead = gap;
  return status;
}

/* the next point of t_i = t0 + (t1-t0) (i/N)^P; false when the mesh has equal steps */
bool dae_drive_graded_point(const dae_solver *s, double stop, double *t_new) {
  double t0 = s->p->t0, length = s->p->t1 - t0, N = s->plan.o.mesh, P = s->plan.o.mesh_grade;
  bool collocation = s->step->method->view == DAE_VIEW_PROBLEM && s->plan.o.mesh > 0;
  if (!collocation || P == 1 || !(length > 0) || s->t < t0 || stop < s->t) return false;
  double i = floor(N * pow((s->t - t0) / length, 1 / P) + 1e-6) + 1;
  *t_new = t0 + length * pow(i / N, P);
  return true;
}
