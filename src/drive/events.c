/*
 * What happens at events: the step is cut there, C events change the state, the discrete equations
 * of a model are iterated, the rest becomes consistent. events/events.h says what holds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/instants.h"

enum {
  CROWD = 100,       /* instants in a row without progress */
  SHORTER = 12,      /* times that a step is cut to an eighth so that functions can be followed */
  WITHIN_STEP = 500, /* instants inside one step, of which a few points are looked at */
  FIRST_STEP = 1000  /* the first step after an instant, in times between the last two */
};
/* progress: this part of the run */
static const double progress = 1e-9;

dae_status dae_drive_events_new(dae_solver *s) {
  dae_events *watch;
  dae_status status = dae_events_new(&watch, &s->pool, s->p);
  if (status != DAE_OK || !watch) return status;
  struct dae_instants *e = s->events = dae_base_take(&s->pool, 1, sizeof *e);
  if (!e) return DAE_E_MEMORY;
  size_t nz = (size_t)s->sys->nz, n = (size_t)watch->count;
  e->watch = watch;
  e->held = dae_base_data(&s->pool, nz, 1);
  e->hits = dae_base_data(&s->pool, DAE_EVENT_MAX, sizeof *e->hits);
  e->z_end = dae_base_doubles(&s->pool, nz);
  e->y_end = dae_base_doubles(&s->pool, (size_t)s->sys->ny);
  e->before = dae_base_doubles(&s->pool, nz);
  e->number_before = dae_base_doubles(&s->pool, n);
  e->number_first = dae_base_doubles(&s->pool, n);
  e->memory = dae_base_data(&s->pool, watch->d ? (size_t)watch->d->n_memory : 0, 1);
  e->fired = dae_base_data(&s->pool, (size_t)s->p->n_event, 1);
  e->turned = dae_base_data(&s->pool, n, 1);
  e->given = dae_base_data(&s->pool, nz, 1);
  e->reset = dae_base_data(&s->pool, n, 1);
  e->located = dae_base_doubles(&s->pool, n);
  e->due = dae_base_data(&s->pool, n, 1);
  if (s->pool.failed) return DAE_E_MEMORY;
  memset(e->held, 1, nz - (size_t)s->sys->nx);
  return dae_drive_jump_new(s);
}

const dae_event_hit *dae_solver_events(const dae_solver *s, int *count) {
  const struct dae_instants *e = s ? s->events : NULL;
  if (count) *count = e ? e->count : 0;
  return e ? e->hits : NULL;
}

/* ---- C events ---- */

/* an ODE does not jump by itself: where an invariant does, the event must say what changes */
static dae_status still_invariant(dae_solver *s) {
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  if (s->p->kind != DAE_ODE || s->sys->nh == 0 || memcmp(s->events->before, s->z, bytes) != 0)
    return DAE_OK;
  return dae_drive_jump_any(s);
}

/* what an event has made of the state is none: the point before it stays */
static dae_status no_change(dae_solver *s, dae_status status) {
  struct dae_instants *e = s->events;
  memcpy(s->z, e->before, (size_t)s->sys->nz * sizeof *s->z);
  if (status == DAE_STOPPED)
    return dae_drive_report(s, status, "event %s requested a stop at t = %.15g",
                            dae_events_name(e->watch, e->last), s->t);
  return dae_drive_report(s, status, "event %s failed to change the state at t = %.15g",
                          dae_events_name(e->watch, e->last), s->t);
}

/* events of the instant change the state; they are recorded */
static dae_status apply_changes(dae_solver *s, bool *changed, int *terminal) {
  struct dae_instants *e = s->events;
  dae_status status = DAE_OK;
  memcpy(e->before, s->z, (size_t)s->sys->nz * sizeof *s->z);
  *changed = false;
  for (int i = 0; i < s->p->n_event && status == DAE_OK; i++) {
    const dae_event *event = &s->p->event[i];
    if (!e->fired[i]) continue;
    dae_drive_record(s, i);
    e->last = i;
    if (event->terminal && *terminal < 0) *terminal = i;
    if (!event->change) continue;
    int code = event->change(s->t, s->z, s->p->ctx);
    if (code != 0) status = code < 0 ? DAE_STOPPED : DAE_E_CALLBACK;
    else if (!dae_base_finite(s->z, s->sys->nz)) status = DAE_E_CALLBACK;
    *changed = true;
  }
  if (status == DAE_STOPPED || status == DAE_E_CALLBACK) return no_change(s, status);
  if (status == DAE_OK && *changed) status = still_invariant(s);
  return status != DAE_OK || !*changed ? status : dae_drive_after_change(s, NULL);
}

/* signs after the changes: an event on its zero has none, and one whose sign the change itself has
   turned happens at once */
static dae_status look_again(dae_solver *s, bool *again) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  dae_status status = dae_events_values(w, s->t, s->z, s->y, w->now);
  *again = false;
  for (int i = 0; i < w->functions && status == DAE_OK; i++) {
    const dae_event *event = &s->p->event[i];
    double now = w->now[i];
    if (isnan(now))
      return dae_drive_report(s, DAE_E_CALLBACK, "event function %s failed at t = %.15g",
                              dae_events_name(w, i), s->t);
    bool here = e->fired[i];
    e->turned[i] = e->turned[i] || here;
    e->fired[i] = 0;
    if (!here && !e->turned[i] && (event->change || event->terminal) &&
        dae_events_wanted(w, i, w->number[i], now)) {
      e->fired[i] = 1;
      e->located[i] = 0; /* it has jumped over its zero, and is not near it */
      *again = true;
      continue;
    }
    bool on_zero = e->turned[i] && fabs(now) <= 1e-6 * w->scale[i];
    w->number[i] = on_zero ? 0 : dae_events_number(w, i, now);
    w->least[i] = on_zero ? 4 * fabs(now) : 0;
  }
  return status;
}

/* signs right before the changes: a zero whose direction does not count may have been passed in
   this step. Near its zero a function keeps the sign it had */
static void signs_before(struct dae_instants *e) {
  static const double close = 1e-9; /* of its size in the step: it belongs to this instant */
  dae_events *w = e->watch;
  for (int i = 0; i < w->functions; i++) {
    double v = e->located[i], noise = fmax(w->least[i], close * w->scale[i]);
    if (!e->fired[i] && fabs(v) > noise) w->number[i] = (v > 0) - (v < 0);
  }
}

static dae_status happen_in_c(dae_solver *s, int *terminal) {
  dae_status status = DAE_OK;
  bool again = true, changed;
  memset(s->events->turned, 0, (size_t)s->events->watch->count);
  status = dae_events_values(s->events->watch, s->t, s->z, s->y, s->events->located);
  if (status == DAE_OK) signs_before(s->events);
  for (int k = 0; k < DAE_ROUNDS && again && status == DAE_OK; k++) {
    status = apply_changes(s, &changed, terminal);
    if (status == DAE_OK) status = look_again(s, &again);
  }
  if (status == DAE_OK && again)
    return dae_drive_report(s, DAE_E_EVENTS, "the event %s at t = %.15g has no end",
                            dae_events_name(s->events->watch, s->events->last), s->t);
  return status;
}

/* ---- instants ---- */

/* what is expected of functions that have just turned, by the tangent there: one that moves back to
   where it came from must be seen to do so */
static void look_ahead(dae_solver *s) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  /* what projections after an event may move a function, of its size in the step */
  static const double still = 1e-9;
  /* long beside roundings of t, short beside anything else */
  double way = s->step->h_old < 0 ? -1 : 1, h = way * 1e-10 * fmax(s->control.span, fabs(s->t));
  if (s->plan.o.step > 0 || dae_drive_refine(s) != DAE_OK) return;
  for (int i = 0; i < s->sys->nz; i++) w->z[i] = s->z[i] + h * s->dz[i];
  if (dae_events_values(w, s->t + h, w->z, s->y, w->value) != DAE_OK) return;
  for (int i = 0; i < w->count; i++) {
    w->rest[i] = NAN;
    /* what it moves within the times that are one instant says nothing about its side */
    double blur = dae_events_blur(w, s->t) / fabs(h) * fabs(w->value[i] - w->now[i]);
    /* one that has turned and turned back at this instant is at its zero within roundings, unless
       what the event changed has moved it: when x > pre(next) then next = pre(next) + 1 */
    bool undecided = i >= w->functions && w->number[i] == e->number_first[i] &&
                     fabs(w->now[i] - e->located[i]) <= still * w->scale[i];
    bool whole = i >= w->functions && w->d->whole[i - w->functions], turned = e->turned[i];
    bool on_zero =
        turned && (dae_drive_just_turned(s, i) || (!whole && (w->now[i] == 0 || undecided)));
    double off = fabs(w->now[i] - dae_events_border(w, i, w->now[i]));
    /* one that is still among the roundings of an earlier instant stays there */
    if (i >= w->functions && (on_zero || off > w->least[i]))
      w->least[i] = on_zero ? fmax(4 * off, blur) : 0;
    /* roundings of the other side may be larger: more each time that it does not get away. Where
       changes leave traces each of them counts, and many at one instant are chattering */
    if (undecided && on_zero && !whole && !w->d->remembers)
      w->least[i] = ldexp(w->least[i], 2 * (e->crowd < 12 ? e->crowd : 12));
    bool near = dae_drive_just_turned(s, i) && w->number[i] != DAE_SLIDING &&
                w->number[i] * w->now[i] >= 0; /* on its side, not a rounding before it */
    /* a C event that changes something, or a relation that leaves more than its number behind */
    bool acts = i >= w->functions ? w->d->remembers : s->p->event[i].change != NULL;
    if (near && acts && !whole && w->now[i] * (w->value[i] - w->now[i]) < 0) w->rest[i] = w->now[i];
  }
}

/* after an instant that changed something: the method starts anew. Too many of them without
   progress are told */
static dae_status begin_anew(dae_solver *s, bool by_clock) {
  struct dae_instants *e = s->events;
  double scale = fmax(s->control.span, fabs(s->p->t1 - s->p->t0));
  s->restart_due = true;
  s->stats.restarts++;
  dae_choose_stiffness_event(&s->ways.stiffness);
  e->watch->close = true;
  if (s->plan.o.step == 0) s->control.h = 0;
  e->gap = fabs(s->t - e->t_last);
  e->t_last = s->t;
  s->control.h_most = FIRST_STEP * fmax(e->gap, progress * scale);
  look_ahead(s);
  if (by_clock) return DAE_OK;
  e->crowd = e->gap <= progress * scale ? e->crowd + 1 : 0;
  if (e->crowd < CROWD) return DAE_OK;
  return dae_drive_report(
      s, DAE_E_EVENTS,
      "%d events follow each other at t = %.15g without progress, the last of them %s: chattering "
      "(both sides lead back to it) or times between events that shrink to zero",
      CROWD, s->t, e->last >= 0 ? dae_events_name(e->watch, e->last) : "unknown");
}

static dae_status ended(dae_solver *s, dae_status status, int terminal) {
  if (status != DAE_OK || terminal < 0) return status;
  s->report.event = terminal;
  const char *name = s->p->event[terminal].name;
  const dae_discrete *d = s->p->discrete;
  if (!d) return dae_drive_report(s, DAE_EVENT, "event %s at t = %.15g", name, s->t);
  if (d->assertion[terminal] != DAE_ASSERT_NONE)
    return dae_drive_report(s, DAE_E_ASSERT, "%s (at t = %.15g)",
                            name + sizeof DAE_ASSERT_PREFIX - 1, s->t);
  dae_drive_report(s, DAE_EVENT, "%s (at t = %.15g)", name, s->t);
  s->report.advice[0] = 0; /* the model says what is to be said */
  return DAE_EVENT;
}

/* all that happens at the present time. `by_clock`: only the clock asks. Where it fails and leaves
   no numbers, the point before it stays */
static dae_status happen(dae_solver *s, bool by_clock, bool *changed, int *terminal) {
  struct dae_instants *e = s->events;
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  dae_status status;
  memcpy(s->work.z, s->z, bytes);
  if (e->watch->d) {
    status = dae_drive_iterate(s, DAE_MOMENT_EVENT, terminal);
    if (status == DAE_OK) dae_drive_slide(s);
    if (by_clock || e->watch->d->due(s->t, s->p->ctx)) e->clock = s->t;
  } else {
    status = happen_in_c(s, terminal);
  }
  *changed = !e->watch->d || memcmp(s->work.z, s->z, bytes) != 0;
  if (status < 0 && !dae_base_finite(s->z, s->sys->nz)) memcpy(s->z, s->work.z, bytes);
  return status;
}

static dae_status inside(void *ctx, double t, double *z, double *y) {
  dae_solver *s = ctx;
  dae_status status = dae_drive_inside(s, t, z, y);
  /* near a singular position, say, the interpolation may not reach the constraints */
  if (status == DAE_OK || status == DAE_STOPPED || !s->plan.o.project_output) return status;
  s->plan.o.project_output = false;
  status = dae_drive_inside(s, t, z, y);
  s->plan.o.project_output = true;
  return status;
}

/* an event function of C at this instant, which only takes note of it */
static bool only_noted(dae_solver *s, double t) {
  struct dae_instants *e = s->events;
  bool cuts = e->watch->d != NULL;
  for (int i = 0; i < e->watch->functions; i++) {
    e->fired[i] = dae_events_at(e->watch, i, t);
    if (e->fired[i]) cuts = cuts || s->p->event[i].terminal || s->p->event[i].change;
  }
  return !cuts;
}

static void note(dae_solver *s, double t) {
  double now = s->t;
  s->t = t;
  for (int i = 0; i < s->events->watch->functions; i++)
    if (s->events->fired[i]) dae_drive_record(s, i);
  s->t = now;
}

/* back to the end of the step */
static void back(dae_solver *s, double t) {
  struct dae_instants *e = s->events;
  memcpy(s->z, e->z_end, (size_t)s->sys->nz * sizeof *s->z);
  memcpy(s->y, e->y_end, (size_t)s->sys->ny * sizeof *s->y);
  s->t = t;
}

/* the state at t inside the step becomes the present one, if it has one; `back` undoes that */
static dae_status visit(dae_solver *s, double t) {
  struct dae_instants *e = s->events;
  memcpy(e->z_end, s->z, (size_t)s->sys->nz * sizeof *s->z);
  memcpy(e->y_end, s->y, (size_t)s->sys->ny * sizeof *s->y);
  dae_status status = inside(s, t, s->work.z, s->y);
  if (status == DAE_OK && !dae_base_finite(s->work.z, s->sys->nz)) status = DAE_E_CALLBACK;
  if (status != DAE_OK) {
    back(s, s->t);
    return dae_drive_report(s, status, "no value could be computed at t = %.15g", t);
  }
  memcpy(s->z, s->work.z, (size_t)s->sys->nz * sizeof *s->z);
  s->t = t;
  return DAE_OK;
}

static dae_status failed(dae_solver *s, dae_status status, const char *culprit) {
  if (status == DAE_E_EVENTS && culprit) {
    dae_drive_report(s, status,
                     "event %s changes sign faster than the steps near t = %.15g can resolve",
                     culprit, s->t);
    snprintf(s->report.advice, sizeof s->report.advice,
             "Limit the step size (max_step) to about a period of it.");
    return status;
  }
  if (culprit)
    return dae_drive_report(s, status, "event function %s failed at t = %.15g", culprit, s->t);
  if (status == DAE_STOPPED)
    return dae_drive_report(s, status, "an event function requested a stop near t = %.15g", s->t);
  return status;
}

/* a step is looked at in few points: so many instants in it are one that does not pass */
static dae_status no_end(dae_solver *s, double t) {
  const dae_events *w = s->events->watch;
  int i = 0;
  while (i + 1 < w->count && !dae_events_at(w, i, t)) i++;
  return dae_drive_report(s, DAE_E_EVENTS, "event %s at t = %.15g recurs without end",
                          dae_events_name(w, i), t);
}

/* instants inside the step just taken; *cut when the step ends at one */
/* samples the step; where a function turns faster than its points, or has no value at one of them
   (there may be a zero before), only the first part of the step is kept, ever shorter until the
   points follow */
static dae_status shorten(dae_solver *s, dae_events_path *path, const char **culprit) {
  dae_status status = dae_events_sample(s->events->watch, path, culprit);
  for (int k = 0; k < SHORTER && s->plan.o.step == 0; k++) {
    if (status != DAE_E_EVENTS && status != DAE_E_CALLBACK) break;
    path->t1 = path->t0 + (path->t1 - path->t0) / 8;
    s->exact_y = false;
    status = visit(s, path->t1);
    if (status == DAE_OK) status = dae_events_sample(s->events->watch, path, culprit);
  }
  return status;
}

static dae_status look_inside(dae_solver *s, bool *cut) {
  struct dae_instants *e = s->events;
  dae_events_path path = {
      .t0 = s->t_previous, .t1 = s->t, .z1 = s->z, .y1 = s->y, .inside = inside, .ctx = s};
  const char *culprit;
  double t, from = path.t0, end = s->t;
  bool exact = s->exact_y;
  *cut = false;
  dae_status status = shorten(s, &path, &culprit);
  bool shorter = path.t1 != end;
  if (status != DAE_OK) return failed(s, status, culprit);
  for (int k = 0;; k++) {
    status = dae_events_next(e->watch, &path, from, &t);
    if (status != DAE_OK) return failed(s, status, NULL);
    if (isnan(t)) break;
    if (k == WITHIN_STEP) return no_end(s, t);
    from = t;
    if (only_noted(s, t)) {
      note(s, t);
      continue;
    }
    bool changed;
    int terminal = -1;
    status = visit(s, t);
    for (int i = 0; i < e->watch->count; i++) e->due[i] = dae_events_at(e->watch, i, t);
    s->exact_y = false;
    if (status == DAE_OK) status = happen(s, false, &changed, &terminal);
    *cut = status != DAE_OK || changed || terminal >= 0;
    if (*cut) {
      if (status == DAE_OK) status = begin_anew(s, false);
      return ended(s, status, terminal);
    }
    back(s, path.t1);
    s->exact_y = exact;
    if (e->watch->d->nested) status = dae_events_sample(e->watch, &path, &culprit);
    if (status != DAE_OK) return failed(s, status, culprit);
  }
  const char *lost = dae_events_end(e->watch);
  if (!lost && shorter) {
    *cut = true;
    return begin_anew(s, true);
  }
  if (!lost) return DAE_OK;
  visit(s, path.t0); /* what came after is not the solution */
  return dae_drive_report(s, DAE_E_EVENTS,
                          "events of %s follow each other ever faster near t = %.15g: they can no "
                          "longer be told apart (the last ones were %.3g apart)",
                          lost, e->t_last, e->gap);
}

/* at the end of a step: what the clock asks for */
static dae_status look_at_clock(dae_solver *s) {
  struct dae_instants *e = s->events;
  const dae_discrete *d = e->watch->d;
  if (!d || e->clock == s->t || !d->due(s->t, s->p->ctx)) return DAE_OK;
  bool changed;
  int terminal = -1;
  dae_status status = dae_drive_refine(s);
  if (status == DAE_OK) status = happen(s, true, &changed, &terminal);
  if (status == DAE_OK && changed) status = begin_anew(s, true);
  return ended(s, status, terminal);
}

dae_status dae_drive_events_check(dae_solver *s) {
  if (!s->events || s->t == s->t_previous) return DAE_OK;
  bool cut = false;
  dae_status status = s->events->watch->count > 0 ? look_inside(s, &cut) : DAE_OK;
  return status == DAE_OK && !cut ? look_at_clock(s) : status;
}

double dae_drive_events_stop(const dae_solver *s, double stop) {
  if (!s->events || !s->p->discrete) return stop;
  int direction = stop < s->t ? -1 : 1;
  double next = s->p->discrete->next(s->t, direction, s->p->ctx);
  return direction < 0 ? fmax(next, stop) : fmin(next, stop);
}

/* ---- start and end ---- */

dae_status dae_drive_events_prepare(dae_solver *s) {
  struct dae_instants *e = s->events;
  if (!e || !e->watch->d) return DAE_OK;
  dae_events *w = e->watch;
  for (int k = 0; k < w->count; k++) w->number[k] = w->scale[k] = 0;
  memset(e->turned, 0, (size_t)w->count);
  /* a switching function may depend on the numbers of others */
  for (int pass = 0; pass < 4; pass++) {
    dae_status status = dae_drive_renumber(s);
    if (status != DAE_OK) return status;
  }
  return DAE_OK;
}

dae_status dae_drive_events_start(dae_solver *s) {
  struct dae_instants *e = s->events;
  if (!e) return DAE_OK;
  const char *culprit;
  int terminal = -1;
  e->count = e->crowd = 0;
  e->clock = NAN;
  e->t_last = s->t;
  e->gap = 0;
  e->last = -1;
  s->control.h_most = 0;
  dae_status status = dae_events_start(e->watch, s->t, s->z, s->y, &culprit);
  if (culprit)
    return dae_drive_report(s, status, "event %s cannot be evaluated at the start", culprit);
  if (status != DAE_OK || !e->watch->d) return status;
  memset(e->memory, 0, (size_t)e->watch->d->n_memory);
  memcpy(s->work.z, s->z, (size_t)s->sys->nz * sizeof *s->z);
  status = dae_drive_iterate(s, DAE_MOMENT_START, &terminal);
  if (status == DAE_OK && terminal < 0 && e->watch->d->due(s->t, s->p->ctx)) {
    status = dae_drive_iterate(s, DAE_MOMENT_EVENT, &terminal);
    e->clock = s->t;
  }
  if (status == DAE_OK && memcmp(s->work.z, s->z, (size_t)s->sys->nz * sizeof *s->z) != 0) {
    s->restart_due = true;
    status = dae_drive_refine(s);
  }
  return ended(s, status, terminal);
}

dae_status dae_solver_finish(dae_solver *s) {
  if (!s || !s->started) return DAE_E_INPUT;
  if (!s->events || !s->events->watch->d) return DAE_OK;
  int terminal = -1;
  memcpy(s->work.z, s->z, (size_t)s->sys->nz * sizeof *s->z);
  dae_status status = dae_drive_iterate(s, DAE_MOMENT_FINISH, &terminal);
  if (status == DAE_OK && memcmp(s->work.z, s->z, (size_t)s->sys->nz * sizeof *s->z) != 0)
    status = begin_anew(s, true);
  return status;
}

/* ---- over a jump of the equations ---- */

/* z + h z' at t + h: does something happen there? */
static bool event_ahead(dae_solver *s, double h) {
  dae_events *w = s->events->watch;
  const double *dz = s->dz;
  bool found = false;
  for (int i = 0; i < s->sys->nz; i++) s->work.z[i] = s->z[i] + h * dz[i];
  if (dae_events_values(w, s->t + h, s->work.z, s->y, w->value) != DAE_OK) return false;
  for (int i = 0; i < w->count; i++) {
    bool here = i >= w->functions ? dae_events_number(w, i, w->value[i]) != w->number[i]
                                  : dae_events_wanted(w, i, w->number[i], w->value[i]) &&
                                        (s->p->event[i].terminal || s->p->event[i].change);
    if (isnan(w->value[i])) here = false;
    if (i < w->functions) s->events->fired[i] = here;
    s->events->due[i] = here;
    w->goal[i] = dae_events_number(w, i, w->value[i]);
    found = found || here;
  }
  return found;
}

bool dae_drive_events_leap(dae_solver *s, double stop, dae_status *status) {
  if (!s->events || s->events->watch->count == 0) return false;
  double sign = stop < s->t ? -1 : 1, scale = fmax(fabs(s->t), s->control.span);
  for (double ahead = 1e-15; ahead < 1e-10; ahead *= 4) {
    double h = sign * ahead * scale;
    if (s->t + h == s->t || sign * (stop - s->t - h) < 0 || !event_ahead(s, h)) continue;
    bool changed;
    int terminal = -1;
    memcpy(s->z, s->work.z, (size_t)s->sys->nz * sizeof *s->z);
    s->t += h;
    s->exact_y = false;
    *status = happen(s, false, &changed, &terminal);
    if (*status == DAE_OK) *status = begin_anew(s, false);
    *status = ended(s, *status, terminal);
    return true;
  }
  return false;
}
