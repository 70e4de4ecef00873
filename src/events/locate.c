/* where a function reaches another number: between two points, and in a dip between three */
#include <float.h>
#include <math.h>

#include "events/events.h"

dae_status dae_events_value_at(dae_events *e, const dae_events_path *path, int i, double t,
                               double *f) {
  bool with_y = dae_problem_ny(e->p) > 0 && (e->functions > 0 || e->d->needs_y);
  dae_status status = path->inside(path->ctx, t, e->z, with_y ? e->y : NULL);
  *f = NAN;
  if (status == DAE_OK) status = dae_events_values(e, t, e->z, e->y, e->value);
  if (status == DAE_STOPPED) return status;
  if (status == DAE_OK) *f = e->value[i];
  return DAE_OK;
}

/* is f beyond the number that holds at ta? */
typedef struct border {
  bool strict;   /* the sign must be the other one: zero is not beyond */
  double number; /* at ta */
  double level;  /* the value at which it changes */
} border;

static border border_of(const dae_events *e, int i, double fb) {
  border b = {.number = e->number[i]};
  if (i < e->functions) {
    b.strict = true;
    b.number = fb > 0 ? -1 : 1; /* the sign before, whatever it was at the beginning */
  } else if (e->d->whole[i - e->functions]) {
    b.level = fb >= b.number + 1 ? b.number + 1 : b.number;
  } else {
    b.strict = fb * b.number < 0;
  }
  return b;
}

static bool beyond(const dae_events *e, int i, const border *b, double f) {
  return b->strict ? f * b->number < 0 : dae_events_number(e, i, f) != b->number;
}

/* the Illinois variant of regula falsi, which keeps the bracket; the side beyond is returned, so
   that the number has changed there */
dae_status dae_events_locate(dae_events *e, const dae_events_path *path, int i, double ta,
                             double fa, double tb, double fb, double *root) {
  enum { ITERATIONS = 200 };
  border b = border_of(e, i, fb);
  int side = 0; /* which end moved last: the weight of the other one is halved when it stays */
  double width = fabs(tb - ta), h = fabs(path->t1 - path->t0);
  fa -= b.level, fb -= b.level;
  for (int k = 0; k < ITERATIONS; k++) {
    if (fabs(tb - ta) <= 2 * DBL_EPSILON * fmax(fabs(tb), DBL_EPSILON * h) || fb == 0) break;
    double t = tb - fb * (tb - ta) / (fb - fa), f;
    /* bisect where the secant stalls: three steps must halve the bracket */
    bool slow = k % 4 == 3 && fabs(tb - ta) > 0.5 * width;
    if (k % 4 == 3) width = fabs(tb - ta);
    if (slow || !((t - ta) * (tb - t) > 0)) t = ta + 0.5 * (tb - ta);
    if (t == ta || t == tb) break;
    dae_status status = dae_events_value_at(e, path, i, t, &f);
    if (status != DAE_OK) return status;
    if (isnan(f)) break; /* the side beyond is as good as it can be found */
    bool far = beyond(e, i, &b, f);
    f -= b.level;
    if (far) {
      tb = t, fb = f;
      if (side > 0) fa *= 0.5;
      side = 1;
    } else {
      ta = t, fa = f;
      if (side < 0) fb *= 0.5;
      side = -1;
    }
  }
  *root = tb;
  e->goal[i] = dae_events_number(e, i, fb + b.level);
  return DAE_OK;
}

/* distance to the nearest border, positive inside: f above `level`, or below it */
typedef struct inside_of {
  double level, side;
} inside_of;

static inside_of side_of(const dae_events *e, int i, const double *f) {
  inside_of x = {0, f[1] < 0 ? -1 : 1};
  if (i < e->functions || !e->d->whole[i - e->functions]) return x;
  bool low = f[1] < f[0] || f[1] < f[2];
  return (inside_of){e->number[i] + !low, low ? 1 : -1};
}

/* the vertex of the parabola through three points, and its value; false when it is no minimum
   between the outer ones */
static bool vertex(const double *t, const double *d, double *at, double *value) {
  double p = (t[1] - t[0]) * (d[1] - d[2]), q = (t[1] - t[2]) * (d[1] - d[0]), s = 2 * (p - q);
  if (s == 0) return false;
  *at = t[1] - ((t[1] - t[0]) * p - (t[1] - t[2]) * q) / s;
  if (!((*at - t[0]) * (t[2] - *at) > 0)) return false;
  /* d = d0 + slope (t-t0) + bend (t-t0)(t-t1) */
  double slope = (d[1] - d[0]) / (t[1] - t[0]);
  double bend = ((d[2] - d[1]) / (t[2] - t[1]) - slope) / (t[2] - t[0]);
  *value = d[0] + slope * (*at - t[0]) + bend * (*at - t[0]) * (*at - t[1]);
  return bend * (t[2] - t[0]) * (t[2] - t[0]) > 0;
}

/* puts a point between the outer ones and keeps the lowest in the middle; false when it stands
   there already */
static bool insert(double *t, double *d, double at, double value) {
  bool left = (at - t[1]) * (t[2] - t[0]) < 0, lower = value < d[1];
  if (fabs(at - t[1]) < 1e-9 * fabs(t[2] - t[0])) return false;
  if (lower) {
    int out = left ? 2 : 0;
    t[out] = t[1], d[out] = d[1];
    t[1] = at, d[1] = value;
  } else {
    int out = left ? 0 : 2;
    t[out] = at, d[out] = value;
  }
  return true;
}

dae_status dae_events_dip(dae_events *e, const dae_events_path *path, int i, const double *t,
                          const double *f, double *root, bool *crosses) {
  enum { ITERATIONS = 30 };
  /* a touch: this small beside the values around; a dip is followed down when the parabola promises
     to leave less than this part of the middle value */
  static const double touch = 1e-9, promise = 0.3;
  inside_of x = side_of(e, i, f);
  double s[3] = {t[0], t[1], t[2]}, d[3], at, value;
  *root = NAN;
  *crosses = false;
  for (int k = 0; k < 3; k++) d[k] = x.side * (f[k] - x.level);
  if (!(d[0] > 0 && d[1] > 0 && d[2] > 0)) return DAE_OK;
  double size = fmax(d[0], d[2]);
  if (!vertex(s, d, &at, &value) || value > promise * d[1]) return DAE_OK;
  for (int k = 0; k < ITERATIONS && d[1] > 0; k++) {
    double value_there;
    dae_status status = dae_events_value_at(e, path, i, at, &value_there);
    if (status != DAE_OK || isnan(value_there)) return status;
    if (!insert(s, d, at, x.side * (value_there - x.level)) || !vertex(s, d, &at, &value)) break;
  }
  if (d[1] > touch * size) return DAE_OK;
  double lowest = x.level + x.side * d[1];
  border b = border_of(e, i, lowest);
  *crosses =
      d[1] <= 0 && (i >= e->functions ? dae_events_number(e, i, lowest) != b.number : d[1] < 0);
  *root = s[1];
  if (!*crosses) return DAE_OK;
  return dae_events_locate(e, path, i, t[0], f[0], s[1], lowest, root);
}
