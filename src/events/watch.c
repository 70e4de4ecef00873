/* the watch: numbers of all functions, their values along a step, the next instant */
#include <float.h>
#include <math.h>
#include <string.h>

#include "events/events.h"

dae_status dae_events_new(dae_events **out, dae_pool *pool, const dae_problem *p) {
  *out = NULL;
  if (p->n_event == 0 && !p->discrete) return DAE_OK;
  dae_events *e = dae_base_take(pool, 1, sizeof *e);
  if (!e) return DAE_E_MEMORY;
  e->p = p;
  e->d = p->discrete;
  e->functions = e->d ? 0 : p->n_event;
  e->count = e->functions + (e->d ? e->d->n_switch : 0);
  size_t n = (size_t)e->count;
  double **room[] = {&e->number, &e->least, &e->scale, &e->now,      &e->value,    &e->early,
                     &e->rest,   &e->root,  &e->goal,  &e->probe[0], &e->probe[1], &e->probe[2]};
  for (size_t k = 0; k < sizeof room / sizeof *room; k++) *room[k] = dae_base_doubles(pool, n);
  e->z = dae_base_doubles(pool, (size_t)dae_problem_nz(p));
  e->y = dae_base_doubles(pool, (size_t)dae_problem_ny(p));
  e->left = dae_base_data(pool, n, 1);
  e->time = dae_base_doubles(pool, DAE_EVENTS_POINTS);
  e->part = dae_base_doubles(pool, n * DAE_EVENTS_POINTS);
  if (pool->failed) return DAE_E_MEMORY;
  *out = e;
  return DAE_OK;
}

const char *dae_events_name(const dae_events *e, int i) {
  if (i >= e->functions) return e->d->switch_name[i - e->functions];
  return e->p->event[i].name ? e->p->event[i].name : "without a name";
}

double dae_events_number(const dae_events *e, int i, double value) {
  if (i >= e->functions && e->d->whole[i - e->functions]) return floor(value);
  if (e->number[i] == DAE_SLIDING) return value > 0 ? DAE_SLIDING : 0;
  return (value > 0) - (value < 0);
}

double dae_events_border(const dae_events *e, int i, double value) {
  return i >= e->functions && e->d->whole[i - e->functions] ? round(value) : 0;
}

bool dae_events_wanted(const dae_events *e, int i, double a, double b) {
  int direction = e->p->event[i].direction;
  return a != 0 && a * b < 0 && (direction == 0 || (direction > 0) == (b > a));
}

dae_status dae_events_values(dae_events *e, double t, const double *z, const double *y,
                             double *value) {
  for (int i = 0; i < e->functions; i++) {
    int code = e->p->event[i].value(t, z, y, &value[i], e->p->ctx);
    if (code < 0) return DAE_STOPPED;
    if (code > 0 || !isfinite(value[i])) value[i] = NAN;
  }
  if (!e->d || e->d->n_switch == 0) return DAE_OK;
  double *v = value + e->functions;
  int code = e->d->switches(t, z, y, e->number + e->functions, v, e->p->ctx);
  if (code < 0) return DAE_STOPPED;
  for (int k = 0; k < e->d->n_switch; k++)
    if (code || !isfinite(v[k])) v[k] = NAN;
  return DAE_OK;
}

/* the first event function of C without a value, -1 when all have one. A switching function of a
   model may stand in a branch that is not taken */
static int missing(const dae_events *e, const double *value) {
  for (int i = 0; i < e->functions; i++)
    if (isnan(value[i])) return i;
  return -1;
}

dae_status dae_events_start(dae_events *e, double t, const double *z, const double *y,
                            const char **culprit) {
  /* an event function this close to its zero starts on it */
  static const double start_zero = 1e-13;
  *culprit = NULL;
  dae_status status = dae_events_values(e, t, z, y, e->now);
  if (status != DAE_OK) return status;
  int failed = missing(e, e->now);
  if (failed >= 0) {
    *culprit = dae_events_name(e, failed);
    return DAE_E_CALLBACK;
  }
  for (int i = 0; i < e->count; i++) {
    e->least[i] = 0;
    e->rest[i] = NAN;
    e->left[i] = 0;
    if (isnan(e->now[i])) continue;
    e->number[i] = dae_events_number(e, i, e->now[i]);
    e->scale[i] = fabs(e->now[i]);
    if (i >= e->functions || fabs(e->now[i]) >= start_zero) continue;
    e->number[i] = 0;
    e->least[i] = 4 * fabs(e->now[i]);
  }
  e->close = true;
  return DAE_OK;
}

/* points of the step: its parts, and after an instant more of them near the beginning */
static void place_points(dae_events *e, const dae_events_path *path) {
  double h = path->t1 - path->t0;
  e->points = 0;
  e->time[0] = path->t0;
  for (int k = e->close ? DAE_EVENTS_CLOSE : 0; k > -e->parts; k--) {
    double theta = k > 0 ? ldexp(1.0 / e->parts, -2 * k) : (1.0 - k) / e->parts;
    double t = theta == 1 ? path->t1 : path->t0 + theta * h;
    if ((t - e->time[e->points]) * h > 0) e->time[++e->points] = t;
  }
}

/* all functions at a time of the step; NaN where the solution has no value */
static dae_status values_at(dae_events *e, const dae_events_path *path, double t, double *value) {
  bool with_y = dae_problem_ny(e->p) > 0 && (e->functions > 0 || e->d->needs_y);
  const double *z = path->z1, *y = path->y1;
  dae_status status = DAE_OK;
  if (t != path->t1) {
    status = path->inside(path->ctx, t, e->z, with_y ? e->y : NULL);
    z = e->z, y = e->y;
  }
  if (status == DAE_STOPPED) return status;
  if (status == DAE_OK) return dae_events_values(e, t, z, y, value);
  for (int i = 0; i < e->count; i++) value[i] = NAN;
  return DAE_OK;
}

/* all functions at point k of the step */
static dae_status sample_point(dae_events *e, const dae_events_path *path, int k) {
  if (values_at(e, path, e->time[k], e->value) == DAE_STOPPED) return DAE_STOPPED;
  for (int i = 0; i < e->count; i++) {
    e->part[i * DAE_EVENTS_POINTS + k] = e->value[i];
    if (fabs(e->value[i]) > e->scale[i]) e->scale[i] = fabs(e->value[i]);
  }
  return DAE_OK;
}

/* times of a step that are on no grid of equal parts: a function that has gone through periods
   between the points looks smooth on a grid, but not there */
static const double probe_at[DAE_EVENTS_PROBES] = {0.1137, 0.4371, 0.8143};

/* value number k = 0 .. parts of function i on the grid; near points may stand after the first */
static double grid(const dae_events *e, int i, int k) {
  return k ? e->part[i * DAE_EVENTS_POINTS + e->points - e->parts + k] : e->now[i];
}

/*
 * At how many places do the parts not follow function i? The middle of each pair of them against
 * the parabola through its neighbours but one, and the probes against that through the three
 * nearest points.
 */
static int strays(const dae_events *e, int i) {
  /* of the largest value: less than this cannot hide a zero that the dips do not show */
  static const double enough = 0.05;
  bool whole = i >= e->functions && e->d->whole[i - e->functions];
  double limit = enough * (whole ? fmin(1, e->scale[i]) : e->scale[i]);
  int count = 0;
  for (int k = 0; k + 4 <= e->parts; k += 2) {
    double first = grid(e, i, k), mid = grid(e, i, k + 2), last = grid(e, i, k + 4);
    double low = 0.375 * first + 0.75 * mid - 0.125 * last;
    double high = 0.375 * last + 0.75 * mid - 0.125 * first;
    count += fabs(grid(e, i, k + 1) - low) > limit || fabs(grid(e, i, k + 3) - high) > limit;
  }
  for (int n = 0; n < DAE_EVENTS_PROBES; n++) {
    double at = probe_at[n] * e->parts;
    int k = (int)fmin(fmax(round(at), 1), e->parts - 1);
    double x = at - k, low = grid(e, i, k - 1), mid = grid(e, i, k), high = grid(e, i, k + 1);
    double f = mid + x * (high - low) / 2 + x * x * (high - 2 * mid + low) / 2;
    count += fabs(e->probe[n][i] - f) > limit;
  }
  return count;
}

/* the function that turns faster than its points can follow anywhere in the step; -1: none. A jump
   or a kink is missed at a few places only */
static int unseen(const dae_events *e) {
  if (e->points < e->parts) return -1;
  for (int i = 0; i < e->count; i++)
    if (strays(e, i) > e->parts / 4) return i;
  return -1;
}

dae_status dae_events_sample(dae_events *e, const dae_events_path *path, const char **culprit) {
  *culprit = NULL;
  bool enough = false;
  for (int n = 0; n < DAE_EVENTS_PROBES; n++)
    if (values_at(e, path, path->t0 + probe_at[n] * (path->t1 - path->t0), e->probe[n]) != DAE_OK)
      return DAE_STOPPED;
  for (e->parts = DAE_EVENTS_PARTS / 2; !enough;) {
    e->parts *= 2;
    place_points(e, path);
    for (int i = 0; i < e->count; i++) {
      e->part[i * DAE_EVENTS_POINTS] = e->now[i];
      e->scale[i] = isnan(e->now[i]) ? 0 : fabs(e->now[i]);
      e->root[i] = NAN;
    }
    for (int k = 1; k <= e->points; k++)
      if (sample_point(e, path, k) != DAE_OK) return DAE_STOPPED;
    enough = true;
    /* a step of a few roundings has fewer points */
    if (e->parts == DAE_EVENTS_PARTS_MOST || e->points < e->parts) break;
    for (int i = 0; i < e->count && enough; i++) enough = strays(e, i) == 0;
  }
  int lost = e->parts == DAE_EVENTS_PARTS_MOST ? unseen(e) : -1;
  if (lost >= 0) {
    *culprit = dae_events_name(e, lost);
    return DAE_E_EVENTS;
  }
  /* inside a step a function may fail where the interpolation leaves its domain, at its end not */
  int failed = missing(e, e->value);
  if (failed < 0) return DAE_OK;
  *culprit = dae_events_name(e, failed);
  return DAE_E_CALLBACK;
}

/* the sign that an event function of C has at a point: none as long as it is near the zero that it
   came from */
static double sign_from(const dae_events *e, int i, double sign, double f) {
  /* rounding of a function beside its largest value in the step */
  double noise = fmax(e->least[i], 1e-13 * e->scale[i]);
  return sign == 0 && fabs(f) <= noise ? 0 : (f > 0) - (f < 0);
}

/* the middle of the three points around point k, which lie inside the step */
static int middle(const dae_events *e, int k) {
  return k < 1 ? 1 : k > e->points - 1 ? e->points - 1 : k;
}

/* a dip of the values around point k that reaches another number; its first instant or NaN */
static dae_status look_between(dae_events *e, const dae_events_path *path, int i, int k,
                               double *root, bool *crosses) {
  const double *f = e->part + i * DAE_EVENTS_POINTS;
  *root = NAN;
  if (e->points < 2) return DAE_OK;
  k = middle(e, k);
  return dae_events_dip(e, path, i, e->time + k - 1, f + k - 1, root, crosses);
}

/* zeros of a dip around point k, where the sign is `sign`: the first one after `from` that counts.
   A zero that is touched counts when both directions do */
static dae_status zero_of_dip(dae_events *e, const dae_events_path *path, int i, int k, double sign,
                              double from, double *root) {
  double way = path->t1 < path->t0 ? -1 : 1, at, value;
  bool crosses = false;
  dae_status status = look_between(e, path, i, k, &at, &crosses);
  *root = NAN;
  if (status != DAE_OK || isnan(at)) return status;
  bool counts = crosses ? dae_events_wanted(e, i, sign, -sign) : e->p->event[i].direction == 0;
  if (counts && (at - from) * way > 0) *root = at;
  if (!crosses || !isnan(*root) || !dae_events_wanted(e, i, -sign, sign)) return DAE_OK;
  int end = middle(e, k) + 1;
  status = dae_events_value_at(e, path, i, at, &value);
  if (status == DAE_OK)
    status = dae_events_locate(e, path, i, at, value, e->time[end],
                               e->part[i * DAE_EVENTS_POINTS + end], &at);
  if ((at - from) * way > 0) *root = at;
  return status;
}

/* the next instant of an event function of C: zeros of the wanted direction, also double ones */
static dae_status next_zero(dae_events *e, const dae_events_path *path, int i, double from,
                            double *root) {
  const double *f = e->part + i * DAE_EVENTS_POINTS, way = path->t1 < path->t0 ? -1 : 1;
  double sign = e->number[i], ta = e->time[0], fa = f[0], at;
  *root = NAN;
  for (int k = 1; k <= e->points; k++) {
    if (isnan(f[k])) continue;
    double now = sign_from(e, i, sign, f[k]);
    dae_status status = DAE_OK;
    at = NAN;
    if (sign != 0 && now * sign < 0) {
      status = dae_events_locate(e, path, i, ta, fa, e->time[k], f[k], &at);
      if (!dae_events_wanted(e, i, sign, now)) at = NAN;
    } else if (sign != 0 && now != 0) {
      status = zero_of_dip(e, path, i, k, sign, from, &at);
    }
    if (status != DAE_OK) return status;
    if (!isnan(at) && (at - from) * way > 0) {
      *root = at;
      return DAE_OK;
    }
    if (now != 0) sign = now;
    ta = e->time[k], fa = f[k];
  }
  return DAE_OK;
}

double dae_events_blur(const dae_events *e, double t) {
  double h = e->time[e->points] - e->time[0];
  return 64 * DBL_EPSILON * fmax(fabs(t), fabs(h));
}

/* is a value among the roundings of the border that function i stands on as the step begins? */
static bool on_border(const dae_events *e, int i, double value) {
  double first = e->part[i * DAE_EVENTS_POINTS];
  return fabs(value - dae_events_border(e, i, first)) <= e->least[i];
}

/* a border of function i that belongs to the instant at which the step begins, where roundings
   alone decide on the side: the next instant is where its value, at `end` beyond them, leaves
   them */
static dae_status leave_border(dae_events *e, const dae_events_path *path, int i, double end,
                               double *root) {
  double a = *root, b = end, f;
  bool whole = i >= e->functions && e->d->whole[i - e->functions];
  bool same = e->close && (whole || e->number[i] != 0) &&
              on_border(e, i, e->part[i * DAE_EVENTS_POINTS]) &&
              fabs(a - e->time[0]) <= dae_events_blur(e, a);
  for (int k = 0; same && k < 60 && fabs(b - a) > dae_events_blur(e, b); k++) {
    double middle = (a + b) / 2;
    dae_status status = dae_events_value_at(e, path, i, middle, &f);
    if (status != DAE_OK) return status;
    if (!on_border(e, i, f)) b = middle;
    else a = middle;
  }
  if (same) *root = b;
  return DAE_OK;
}

/* the next instant at which a switching function has another number, if that is not after `bound`,
   where e->early has the values; bound NaN: anywhere in the step */
static dae_status next_change(dae_events *e, const dae_events_path *path, int i, double from,
                              double bound, double *root) {
  const double *f = e->part + i * DAE_EVENTS_POINTS, way = path->t1 < path->t0 ? -1 : 1;
  double ta = from, fa = from == e->time[0] ? f[0] : NAN;
  bool whole = i >= e->functions && e->d->whole[i - e->functions];
  bool crosses = false;
  *root = NAN;
  for (int k = 1; k <= e->points; k++) {
    bool beyond = (e->time[k] - bound) * way > 0;
    double t = beyond ? bound : e->time[k], now = beyond ? e->early[i] : f[k];
    if (isnan(now) || (t - from) * way <= 0 ||
        (on_border(e, i, now) && (e->least[i] > 0 || !whole))) {
      if (beyond) break;
      continue; /* not known, or roundings of the border that it comes from */
    }
    dae_status status = DAE_OK;
    if (dae_events_number(e, i, now) != e->number[i]) {
      status = dae_events_locate(e, path, i, ta, fa, t, now, root);
      if (status == DAE_OK && e->least[i] > 0) status = leave_border(e, path, i, t, root);
    } else {
      status = look_between(e, path, i, k, root, &crosses);
      if (!crosses || (*root - from) * way <= 0) *root = NAN;
    }
    if (status != DAE_OK || !isnan(*root) || beyond) return status;
    ta = t, fa = now;
  }
  return DAE_OK;
}

bool dae_events_at(const dae_events *e, int i, double t) {
  return fabs(e->root[i] - t) <= dae_events_blur(e, t);
}

/* values of all functions where the first instant so far is over for sure; *bound is that time */
static dae_status look_early(dae_events *e, const dae_events_path *path, double first,
                             double *bound) {
  double way = path->t1 < path->t0 ? -1 : 1, ignored;
  *bound = first + way * dae_events_blur(e, first);
  if ((*bound - path->t1) * way > 0) *bound = path->t1;
  dae_status status = dae_events_value_at(e, path, 0, *bound, &ignored);
  memcpy(e->early, e->value, (size_t)e->count * sizeof *e->early);
  return status;
}

/* a switching function that stands on its zero leaves it when the motion begins, however long its
   value takes to show that */
static bool leaves(const dae_events *e, int i) {
  return i >= e->functions && !e->d->whole[i - e->functions] && e->number[i] == 0 &&
         e->part[i * DAE_EVENTS_POINTS] == 0;
}

/* all functions that leave their zero do so at once */
static void leave_together(dae_events *e, double way) {
  double first = NAN;
  for (int i = e->functions; i < e->count; i++)
    if (leaves(e, i) && !isnan(e->root[i]) && !((e->root[i] - first) * way >= 0))
      first = e->root[i];
  for (int i = e->functions; i < e->count; i++)
    if (leaves(e, i) && !isnan(e->root[i])) e->root[i] = first, e->left[i] = 1;
}

dae_status dae_events_next(dae_events *e, const dae_events_path *path, double from, double *t) {
  double way = path->t1 < path->t0 ? -1 : 1, first = NAN, bound = NAN;
  *t = NAN;
  for (int i = 0; i < e->count; i++) {
    double until = leaves(e, i) ? NAN : bound;
    dae_status status = i < e->functions ? next_zero(e, path, i, from, &e->root[i])
                                         : next_change(e, path, i, from, until, &e->root[i]);
    if (status != DAE_OK) return status;
    if (isnan(e->root[i]) || (e->root[i] - first) * way >= 0) continue;
    first = e->root[i];
    /* of many functions few are located: those that have changed by the first instant so far */
    if (i >= e->functions) status = look_early(e, path, first, &bound);
    if (status != DAE_OK) return status;
  }
  if (isnan(first)) return DAE_OK;
  leave_together(e, way);
  /* the instant is the last one of those that are one: all have their new numbers there */
  *t = first;
  for (int i = 0; i < e->count; i++) {
    if (!dae_events_at(e, i, first)) continue;
    e->rest[i] = NAN;
    if ((e->root[i] - *t) * way > 0) *t = e->root[i];
  }
  return DAE_OK;
}

/* is the function seen to move back, on its side of zero, along the step? Then its zero comes
   later. One that has crossed twice before the first point moves away from there on. Roundings of
   its terms may make it rise a little */
static bool moves_back(const dae_events *e, int i) {
  const double *f = e->part + i * DAE_EVENTS_POINTS;
  double first = NAN, least = INFINITY, rise = 0;
  for (int k = 1; k <= e->points; k++) {
    if (isnan(f[k])) continue;
    if (f[k] * e->rest[i] <= 0) return false;
    if (isnan(first)) first = fabs(f[k]);
    rise = fmax(rise, fabs(f[k]) - least);
    least = fmin(least, fabs(f[k]));
  }
  return first - least > 4 * rise;
}

const char *dae_events_end(dae_events *e) {
  const char *lost = NULL;
  for (int i = 0; i < e->count; i++) {
    double f = e->part[i * DAE_EVENTS_POINTS + e->points];
    if (i < e->functions) {
      double sign = sign_from(e, i, e->number[i], f);
      /* an event function that has left its zero on the far side */
      if (!isnan(e->rest[i]) && sign * e->rest[i] > 0 && !lost && !moves_back(e, i))
        lost = dae_events_name(e, i);
      if (sign != 0) e->number[i] = sign;
    } else if (!isnan(e->rest[i]) && !lost && !moves_back(e, i)) {
      lost = dae_events_name(e, i);
    }
    e->rest[i] = NAN;
    e->left[i] = 0;
    e->now[i] = f;
    if (i >= e->functions) e->least[i] = 0;
  }
  e->close = false;
  return lost;
}
