/* events: zeros of functions of the solution, located on the dense output */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"

enum { SAMPLES = 4 }; /* parts of a step in which a change of sign is looked for */

struct dae_events {
  double *before;      /* values at the last point; 0: on the zero, no sign yet */
  double *part;        /* values at the samples of this step, SAMPLES + 1 rows */
  double *z, *y;       /* scratch */
  double *root;        /* first root of each event in this step, NaN: none */
  unsigned char *held; /* positions, for the restart after a change */
  dae_event_hit *hits;
  int count;
};

dae_status dae_drive_events_new(dae_solver *s) {
  int n = s->p->n_event;
  if (n == 0) return DAE_OK;
  size_t nz = (size_t)s->sys->nz, ny = (size_t)s->sys->ny;
  struct dae_events *e = s->events = dae_base_take(&s->pool, 1, sizeof *e);
  if (!e) return DAE_E_MEMORY;
  e->before = dae_base_doubles(&s->pool, (size_t)n);
  e->part = dae_base_doubles(&s->pool, (size_t)n * (SAMPLES + 1));
  e->root = dae_base_doubles(&s->pool, (size_t)n);
  e->z = dae_base_doubles(&s->pool, nz);
  e->y = dae_base_doubles(&s->pool, ny);
  e->held = dae_base_take(&s->pool, nz, 1);
  e->hits = dae_base_take(&s->pool, DAE_EVENT_MAX, sizeof *e->hits);
  if (s->pool.failed) return DAE_E_MEMORY;
  memset(e->held, 1, nz - (size_t)s->sys->nx);
  return DAE_OK;
}

const dae_event_hit *dae_solver_events(const dae_solver *s, int *count) {
  const struct dae_events *e = s ? s->events : NULL;
  if (count) *count = e ? e->count : 0;
  return e ? e->hits : NULL;
}

static dae_status value(dae_solver *s, int i, double t, const double *z, const double *y,
                        double *out) {
  int code = s->p->event[i].value(t, z, y, out, s->p->ctx);
  if (code < 0) return DAE_STOPPED;
  return code > 0 || !isfinite(*out) ? DAE_E_CALLBACK : DAE_OK;
}

/* the value of one event inside the last step */
static dae_status value_at(dae_solver *s, int i, double t, double *out) {
  struct dae_events *e = s->events;
  dae_status status = dae_drive_inside(s, t, e->z, e->y);
  return status == DAE_OK ? value(s, i, t, e->z, e->y, out) : status;
}

dae_status dae_drive_events_start(dae_solver *s) {
  struct dae_events *e = s->events;
  if (!e) return DAE_OK;
  e->count = 0;
  for (int i = 0; i < s->p->n_event; i++) {
    dae_status status = value(s, i, s->t, s->z, s->y, &e->before[i]);
    if (status != DAE_OK)
      return dae_drive_report(s, status, "event %s cannot be evaluated at the start",
                              s->p->event[i].name);
    /* a zero within rounding is a start on the event: it has no sign and is not reported */
    if (fabs(e->before[i]) < 1e-13) e->before[i] = 0;
  }
  return DAE_OK;
}

/* zero of event i between ta (value fa) and tb (value fb of the other sign): the Illinois variant
   of regula falsi, which keeps the bracket; the side beyond the zero is returned so that the sign
   has changed there */
static dae_status locate(dae_solver *s, int i, double ta, double fa, double tb, double fb,
                         double *root) {
  int side = 0; /* which end moved last: the weight of the other one is halved when it stays */
  double width = fabs(tb - ta);
  for (int k = 0; k < 200 && fabs(tb - ta) > 2 * DBL_EPSILON * fabs(tb) && fb != 0; k++) {
    double t = tb - fb * (tb - ta) / (fb - fa), f;
    /* bisect where the secant stalls: three steps must halve the bracket */
    bool slow = k % 4 == 3 && fabs(tb - ta) > 0.5 * width;
    if (k % 4 == 3) width = fabs(tb - ta);
    if (slow || !((t - ta) * (tb - t) > 0)) t = ta + 0.5 * (tb - ta);
    if (t == ta || t == tb) break;
    dae_status status = value_at(s, i, t, &f);
    if (status != DAE_OK) return status;
    if (f != 0 && (f < 0) == (fb < 0)) {
      tb = t, fb = f;
      if (side > 0) fa *= 0.5;
      side = 1;
    } else {
      /* a value of zero has not changed its sign yet */
      ta = t, fa = f;
      if (side < 0) fb *= 0.5;
      side = -1;
    }
  }
  *root = tb;
  return DAE_OK;
}

/* does the sign change from a to b in the wanted direction? */
static bool crosses(int direction, double a, double b) {
  if (a == 0 || (a < 0) == (b < 0)) return false;
  return direction == 0 || (direction > 0) == (b > a);
}

/* |f| has an inner minimum near the middle one of three samples and touches or crosses zero there:
   its place and value by parabolas */
static dae_status dip(dae_solver *s, int i, const double *t, const double *f, double *t_dip,
                      double *f_dip, bool *found) {
  double a = t[0], m = t[1], b = t[2], fa = f[0], fm = f[1], fb = f[2];
  double sign = fm < 0 ? -1 : 1;
  *found = false;
  if (fa * sign < fm * sign || fb * sign < fm * sign || fa * sign < 0 || fb * sign < 0)
    return DAE_OK;
  for (int k = 0; k < 30; k++) {
    double p = (m - a) * (fm - fb), q = (m - b) * (fm - fa), d = 2 * (p - q);
    if (d == 0) break;
    double t_new = m - ((m - a) * p - (m - b) * q) / d, f_new;
    if (!((t_new - a) * (b - t_new) > 0) || fabs(t_new - m) < 1e-9 * fabs(b - a)) break;
    dae_status status = value_at(s, i, t_new, &f_new);
    if (status != DAE_OK) return status;
    bool lower = f_new * sign < fm * sign, left = (t_new - m) * (b - a) < 0;
    if (lower) {
      if (left) b = m, fb = fm;
      else a = m, fa = fm;
      m = t_new, fm = f_new;
    } else if (left) {
      a = t_new, fa = f_new;
    } else {
      b = t_new, fb = f_new;
    }
    if (fm * sign <= 0) break;
  }
  *t_dip = m;
  *f_dip = fm;
  double size = fmax(fabs(f[0]), fabs(f[2]));
  *found = fm * sign <= 1e-9 * size;
  return DAE_OK;
}

/* the first zero after t_from of a dip around the middle one of three points */
static dae_status zero_of_dip(dae_solver *s, int i, const double *t, const double *f, double t_from,
                              double *root) {
  int direction = s->p->event[i].direction;
  double t_dip = t[1], f_dip = f[1], ahead = t[2] - t[0];
  bool found = (f[1] < 0) != (f[0] < 0);
  dae_status status = found ? DAE_OK : dip(s, i, t, f, &t_dip, &f_dip, &found);
  /* a crossing dip has two zeros, a touching one counts for both directions only */
  bool through = status == DAE_OK && found && (f_dip < 0) != (f[0] < 0) && f_dip != 0;
  if (through && crosses(direction, f[0], f_dip))
    status = locate(s, i, t[0], f[0], t_dip, f_dip, root);
  bool later = isnan(*root) || (*root - t_from) * ahead <= 0;
  if (through && status == DAE_OK && later && crosses(direction, f_dip, f[2]))
    status = locate(s, i, t_dip, f_dip, t[2], f[2], root);
  else if (status == DAE_OK && found && !through && direction == 0) *root = t_dip;
  return status;
}

/* a dip in the first or the last part of a step shows in no inner sample: where the parabola
   through three samples has its vertex in that part, [t[0], t[1]] with t[2] beyond, the value there
   stands in for one */
static dae_status zero_at_edge(dae_solver *s, int i, const double *t, const double *f,
                               double t_from, double *root) {
  double p = (t[1] - t[0]) * (f[1] - f[2]), q = (t[1] - t[2]) * (f[1] - f[0]), d = 2 * (p - q);
  double vertex = d != 0 ? t[1] - ((t[1] - t[0]) * p - (t[1] - t[2]) * q) / d : t[0], value;
  if (!((vertex - t[0]) * (t[1] - vertex) > 0)) return DAE_OK;
  dae_status status = value_at(s, i, vertex, &value);
  bool turned = (t[1] - t[0]) * (s->t - s->t_previous) < 0;
  const double points[3] = {turned ? t[1] : t[0], vertex, turned ? t[0] : t[1]};
  const double values[3] = {turned ? f[1] : f[0], value, turned ? f[0] : f[1]};
  return status == DAE_OK ? zero_of_dip(s, i, points, values, t_from, root) : status;
}

/* first zero of event i after t_from in this step; NaN when there is none */
static dae_status first_root(dae_solver *s, int i, double t_from, double *root) {
  struct dae_events *e = s->events;
  double h = (s->t - s->t_previous) / SAMPLES, t[SAMPLES + 1], f[SAMPLES + 1];
  memcpy(f, e->part + (size_t)i * (SAMPLES + 1), sizeof f);
  f[0] = e->before[i];
  for (int k = 0; k <= SAMPLES; k++) t[k] = k == SAMPLES ? s->t : s->t_previous + k * h;
  *root = NAN;
  for (int k = 1; k <= SAMPLES; k++) {
    dae_status status = DAE_OK;
    bool open = f[k - 1] != 0 && f[k] != 0;
    if (crosses(s->p->event[i].direction, f[k - 1], f[k])) {
      status = locate(s, i, t[k - 1], f[k - 1], t[k], f[k], root);
    } else if (open && (k == 1 || k == SAMPLES)) {
      const double te[3] = {t[k == 1 ? 0 : k], t[k == 1 ? 1 : k - 1], t[k == 1 ? 2 : k - 2]};
      const double fe[3] = {f[k == 1 ? 0 : k], f[k == 1 ? 1 : k - 1], f[k == 1 ? 2 : k - 2]};
      status = zero_at_edge(s, i, te, fe, t_from, root);
    }
    bool later = !isnan(*root) && (*root - t_from) * h > 0;
    if (status == DAE_OK && !later && open && k < SAMPLES &&
        !crosses(s->p->event[i].direction, f[k - 1], f[k])) {
      *root = NAN;
      status = zero_of_dip(s, i, t + k - 1, f + k - 1, t_from, root);
    }
    if (status != DAE_OK) return status;
    if (!isnan(*root) && (*root - t_from) * h > 0) return DAE_OK;
    *root = NAN;
  }
  return DAE_OK;
}

static void record(dae_solver *s, int i, double t) {
  struct dae_events *e = s->events;
  s->stats.events++;
  if (e->count < DAE_EVENT_MAX) e->hits[e->count++] = (dae_event_hit){t, i};
}

/* the step ends at t: the state there becomes the present one */
static dae_status cut(dae_solver *s, double t) {
  dae_status status = dae_drive_inside(s, t, s->z_work, s->y);
  if (status != DAE_OK) return status;
  memcpy(s->z, s->z_work, (size_t)s->sys->nz * sizeof *s->z);
  s->t = t;
  s->exact_y = false;
  s->restart_due = true;
  return DAE_OK;
}

/* positions held, velocities to the nearest consistent ones in the mass norm; or what the problem
   wants held */
static dae_status after_change(dae_solver *s) {
  struct dae_events *e = s->events;
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  memcpy(e->z, s->z, bytes);
  if (s->p->event_held && dae_drive_consistent(s, s->p->event_held) == DAE_OK) return DAE_OK;
  memcpy(s->z, e->z, bytes);
  return dae_drive_consistent(s, s->sys->order > 1 ? e->held : NULL);
}

static bool is_here(const dae_solver *s, int i, double t) {
  return fabs(s->events->root[i] - t) <= 8 * DBL_EPSILON * fabs(t);
}

/* events whose root is at t, the present time, are recorded and change the state */
static dae_status apply_changes(dae_solver *s, double t, int *terminal) {
  dae_status status = DAE_OK;
  bool changed = false;
  for (int i = 0; i < s->p->n_event && status == DAE_OK; i++) {
    const dae_event *event = &s->p->event[i];
    if (!is_here(s, i, t)) continue;
    record(s, i, t);
    if (event->terminal && *terminal < 0) *terminal = i;
    if (!event->change) continue;
    int code = event->change(t, s->z, s->p->ctx);
    if (code != 0) status = code < 0 ? DAE_STOPPED : DAE_E_CALLBACK;
    changed = true;
  }
  if (status != DAE_OK || !changed) return status;
  s->stats.restarts++;
  if (s->o.step == 0) s->h = 0;
  return after_change(s);
}

/* signs after the changes: an event on its zero has none unless the change moved it away from
   there, and one whose sign the change itself turned happens at once */
static dae_status look_again(dae_solver *s, double t, bool *again) {
  struct dae_events *e = s->events;
  dae_status status = DAE_OK;
  *again = false;
  for (int i = 0; i < s->p->n_event && status == DAE_OK; i++) {
    const dae_event *event = &s->p->event[i];
    double now = 0, size = 0;
    status = value(s, i, t, s->z, s->y, &now);
    for (int k = 1; k <= SAMPLES; k++)
      size = fmax(size, fabs(e->part[(size_t)i * (SAMPLES + 1) + (size_t)k]));
    bool here = is_here(s, i, t);
    e->root[i] = NAN;
    if (!here && (event->change || event->terminal) &&
        crosses(event->direction, e->before[i], now)) {
      e->root[i] = t;
      *again = true;
    } else {
      e->before[i] = here && fabs(now) <= 1e-6 * size ? 0 : now;
    }
  }
  return status;
}

/* all that happens at time t */
static dae_status fire(dae_solver *s, double t, int *terminal) {
  enum { ROUNDS = 20 }; /* changes that set off changes */
  dae_status status = DAE_OK;
  bool again = true;
  *terminal = -1;
  for (int k = 0; k < ROUNDS && again && status == DAE_OK; k++) {
    status = apply_changes(s, t, terminal);
    if (status == DAE_OK) status = look_again(s, t, &again);
  }
  return status;
}

/* the events at t, and the report when one of them ends the run */
static dae_status fire_and_report(dae_solver *s, double t) {
  int terminal;
  dae_status status = fire(s, t, &terminal);
  if (status != DAE_OK || terminal < 0) return status;
  s->report.event = terminal;
  return dae_drive_report(s, DAE_EVENT, "event %s at t = %.15g", s->p->event[terminal].name, t);
}

/* z + h z' at t + h: is there an event that changes something? Its place goes to `root` */
static bool event_ahead(dae_solver *s, double h) {
  struct dae_events *e = s->events;
  const double *dz = dae_solver_dz(s);
  double t = s->t + h, now;
  bool found = false;
  for (int i = 0; i < s->sys->nz; i++) e->z[i] = s->z[i] + h * dz[i];
  for (int i = 0; i < s->p->n_event; i++) {
    const dae_event *event = &s->p->event[i];
    e->root[i] = NAN;
    if (value(s, i, t, e->z, s->y, &now) != DAE_OK) return false;
    if (!(event->terminal || event->change) || !crosses(event->direction, e->before[i], now))
      continue;
    e->root[i] = t;
    found = true;
  }
  return found;
}

/* no step leads over a jump of the equations: where an event lies just ahead, the tangent does */
bool dae_drive_events_leap(dae_solver *s, double stop, dae_status *status) {
  struct dae_events *e = s->events;
  if (!e) return false;
  double sign = stop < s->t ? -1 : 1, scale = fmax(fabs(s->t), s->span);
  for (double ahead = 1e-15; ahead < 1e-10; ahead *= 4) {
    double h = sign * ahead * scale;
    if (s->t + h == s->t || sign * (stop - s->t - h) < 0 || !event_ahead(s, h)) continue;
    memcpy(s->z, e->z, (size_t)s->sys->nz * sizeof *s->z);
    s->t += h;
    s->exact_y = false;
    s->restart_due = true;
    *status = fire_and_report(s, s->t);
    return true;
  }
  return false;
}

/* values of all events at the samples of this step */
static dae_status sample(dae_solver *s) {
  struct dae_events *e = s->events;
  double h = (s->t - s->t_previous) / SAMPLES;
  dae_status status = DAE_OK;
  for (int k = 1; k <= SAMPLES && status == DAE_OK; k++) {
    double t = k == SAMPLES ? s->t : s->t_previous + k * h;
    const double *z = s->z, *y = s->y;
    if (k < SAMPLES) {
      status = dae_drive_inside(s, t, e->z, e->y);
      z = e->z, y = e->y;
    }
    for (int i = 0; i < s->p->n_event && status == DAE_OK; i++)
      status = value(s, i, t, z, y, &e->part[(size_t)i * (SAMPLES + 1) + k]);
  }
  return status;
}

dae_status dae_drive_events_check(dae_solver *s) {
  struct dae_events *e = s->events;
  if (!e || s->t == s->t_previous) return DAE_OK;
  dae_status status = sample(s);
  double from = s->t_previous, sign = s->t < s->t_previous ? -1 : 1;
  while (status == DAE_OK) {
    int next = -1;
    for (int i = 0; i < s->p->n_event && status == DAE_OK; i++) {
      status = first_root(s, i, from, &e->root[i]);
      if (status == DAE_OK && !isnan(e->root[i]) &&
          (next < 0 || sign * (e->root[i] - e->root[next]) < 0))
        next = i;
    }
    if (status != DAE_OK || next < 0) break;
    double t = e->root[next];
    bool cuts = false;
    for (int i = 0; i < s->p->n_event; i++)
      if (fabs(e->root[i] - t) <= 8 * DBL_EPSILON * fabs(t))
        cuts = cuts || s->p->event[i].terminal || s->p->event[i].change;
    if (cuts) {
      status = cut(s, t);
      return status == DAE_OK ? fire_and_report(s, t) : status;
    }
    record(s, next, t);
    from = t;
  }
  for (int i = 0; i < s->p->n_event; i++)
    e->before[i] = e->part[(size_t)i * (SAMPLES + 1) + SAMPLES];
  if (status == DAE_OK) return DAE_OK;
  return dae_drive_report(s, status, "an event function failed between t = %.15g and %.15g",
                          s->t_previous, s->t);
}
