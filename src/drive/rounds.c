/* the event iteration of a model: rounds of its discrete equations, and sliding along a switch */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/instants.h"

/* a value this small beside those around an instant is the zero itself; one that reinit gave is not
   blurred by projections and loops, and is known to roundings */
static const double zero = 1e-12, zero_given = 4 * DBL_EPSILON;

void dae_drive_record(dae_solver *s, int i) {
  struct dae_instants *e = s->events;
  s->stats.events++;
  if (e->count < DAE_EVENT_MAX) e->hits[e->count++] = (dae_event_hit){s->t, i};
  if (e->watch->d && e->watch->d->assertion[i] == DAE_ASSERT_WARNS)
    dae_base_log(&s->plan.o.log, DAE_LOG_WARN, "t = %.15g: %s", s->t, s->p->event[i].name);
}

/* with these held; z as it was where that is not possible */
static dae_status try_held(dae_solver *s, const unsigned char *held) {
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z;
  memcpy(s->events->watch->z, s->z, bytes);
  dae_status status = dae_drive_consistent(s, held);
  if (status != DAE_OK) memcpy(s->z, s->events->watch->z, bytes);
  return status;
}

dae_status dae_drive_after_change(dae_solver *s, const double *before) {
  if (s->p->event_held && try_held(s, s->p->event_held) == DAE_OK) return DAE_OK;
  dae_status status = s->events->jump ? dae_drive_jump(s, before) : dae_drive_jump_lower(s);
  if (status != DAE_OK) return status;
  return dae_drive_consistent(s, s->sys->order > 1 ? s->events->held : NULL);
}

/* a state of the model cannot stay: it jumps, as all equations allow it, or not at all */
static dae_status jump(dae_solver *s) {
  struct dae_instants *e = s->events;
  char culprit[DAE_NAME_MAX];
  if (e->watch->d->jump(s->t, e->before, s->z, culprit, sizeof culprit, s->p->ctx) == 0)
    return dae_drive_consistent(s, NULL);
  snprintf(s->report.equation, DAE_NAME_MAX, "%s", culprit);
  return dae_drive_report(s, DAE_E_JUMP,
                          "a constraint jumps at t = %.15g, or its derivative does, and %s cannot "
                          "be satisfied across the jump",
                          s->t, culprit);
}

/* what a round changed, made consistent: states stay if they can */
static dae_status after_round(dae_solver *s, dae_moment moment) {
  /* nothing was before the start */
  if (moment == DAE_MOMENT_START)
    return try_held(s, s->p->event_held) == DAE_OK
               ? DAE_OK
               : dae_drive_consistent(s, s->sys->order > 1 ? s->events->held : NULL);
  if (!s->events->watch->d->jump) return dae_drive_after_change(s, s->events->before);
  return try_held(s, s->p->event_held) == DAE_OK ? DAE_OK : jump(s);
}

/* a floor may have that number, too */
static bool slides_on(const dae_events *w, int k) {
  return w->d->slides && w->d->slides[k] && w->number[k] == DAE_SLIDING;
}

/* the direction of time */
static double way_of(const dae_solver *s) { return s->step->h_old < 0 ? -1 : 1; }

/* a motion along the zero of function k ends: to which side? */
static double leave(dae_solver *s, int k) {
  double rate[2];
  if (s->p->discrete->rates(s->t, s->z, k, rate, s->p->ctx)) return 0;
  return way_of(s) * rate[0] >= 0 ? 1 : -1;
}

/* has reinit put function k, which has turned at this instant, back on its zero? It has no sign
   then and takes the next one: when x < 0 then reinit(x, 0) recurs for as long as x falls */
static bool put_back(const struct dae_instants *e, int k) {
  const dae_events *w = e->watch;
  return e->reset[k] && !w->d->whole[k] && fabs(w->now[k]) <= zero_given * w->scale[k];
}

/* the number of function k at the present point. One that has changed at this instant stays when
   its value is the zero itself, one that belongs to the instant changes whatever roundings say, and
   one that has no value here (in a branch that is not taken) keeps its number */
static double number_now(dae_solver *s, int k) {
  struct dae_instants *e = s->events;
  const dae_events *w = e->watch;
  double number = dae_events_number(w, k, w->now[k]);
  if (isnan(w->now[k])) return w->number[k];
  if (slides_on(w, k) && number != DAE_SLIDING) return leave(s, k);
  if ((e->turned[k] || w->left[k]) && put_back(e, k)) return 0;
  if (w->left[k] && !e->due[k] && w->now[k] == 0) return w->number[k];
  if (w->d->whole[k] ? dae_drive_just_turned(s, k)
                     : e->turned[k] && fabs(w->now[k]) <= zero * w->scale[k])
    return w->number[k];
  bool before = number == w->number[k] || w->now[k] == 0;
  return e->due[k] && before ? w->goal[k] : number;
}

dae_status dae_drive_renumber(dae_solver *s) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  dae_status status = dae_events_values(w, s->t, s->z, s->y, w->now);
  for (int k = 0; k < w->count && status == DAE_OK; k++) {
    double number = number_now(s, k);
    if (number != w->number[k]) {
      /* one that had no value when the step began was not located at a zero */
      bool zero_here = e->due[k] && !isnan(w->part[k * DAE_EVENTS_POINTS]);
      if (!e->turned[k]) e->located[k] = zero_here ? w->now[k] : w->d->whole[k] ? NAN : 0;
      e->turned[k] = 1;
      e->last = k;
      w->rest[k] = NAN; /* it has turned, and was not lost */
    }
    e->due[k] = 0;
    w->number[k] = number;
    if (w->d->entry[k] >= 0) s->z[w->d->entry[k]] = number;
  }
  return status;
}

static dae_status no_end(dae_solver *s) {
  struct dae_instants *e = s->events;
  const dae_discrete *d = e->watch->d;
  s->report.variable[0] = 0;
  for (int i = 0; i < s->sys->nz && !s->report.variable[0]; i++)
    if (e->before[i] != s->z[i] && d->is_entry[i])
      dae_problem_z_name(s->p, i, s->report.variable, DAE_NAME_MAX);
  for (int i = 0; i < s->sys->nz && !s->report.variable[0]; i++)
    if (e->before[i] != s->z[i]) dae_problem_z_name(s->p, i, s->report.variable, DAE_NAME_MAX);
  return dae_drive_report(
      s, DAE_E_EVENTS, "the event at t = %.15g has no end: %s changes again and again, %d times",
      s->t, s->report.variable[0] ? s->report.variable : "a condition", DAE_ROUNDS);
}

/* what fired in a round is recorded; the first that ends the run goes to *terminal */
static bool note_fired(dae_solver *s, int *terminal) {
  struct dae_instants *e = s->events;
  bool any = false;
  for (int i = 0; i < s->p->n_event; i++) {
    if (!e->fired[i]) continue;
    any = true;
    dae_drive_record(s, i);
    if (s->p->event[i].terminal && *terminal < 0) *terminal = i;
  }
  return any;
}

/* which functions depend on a state that reinit has given a value? Their values beside it tell */
static void note_reset(dae_solver *s) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  bool any = false;
  memcpy(w->z, s->z, (size_t)s->sys->nz * sizeof *s->z);
  for (int i = 0; i < s->sys->nz; i++) {
    if (!e->given[i] || w->d->is_entry[i]) continue;
    w->z[i] += 0.01 * (1 + fabs(w->z[i])); /* any other value */
    any = true;
  }
  if (!any || dae_events_values(w, s->t, s->z, s->y, w->now) != DAE_OK ||
      dae_events_values(w, s->t, w->z, s->y, w->value) != DAE_OK)
    return;
  for (int k = 0; k < w->count; k++)
    if (w->value[k] != w->now[k]) e->reset[k] = 1; /* NaN: there it has no value */
}

static dae_status two_values(dae_solver *s, const char *variable) {
  dae_drive_report(s, DAE_E_JUMP, "two reinit statements assign %s at t = %.15g", variable, s->t);
  snprintf(s->report.advice, sizeof s->report.advice,
           "Join them by elsewhen, or let their conditions exclude each other.");
  return DAE_E_JUMP;
}

/* one round; *settled when nothing changed in it */
static dae_status one_round(dae_solver *s, dae_round *r, int *terminal, bool *settled) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  size_t bytes = (size_t)s->sys->nz * sizeof *s->z, n = (size_t)w->count * sizeof(double);
  memcpy(e->before, s->z, bytes);
  memcpy(e->number_before, w->number, n);
  dae_status status = dae_drive_renumber(s);
  if (status != DAE_OK) return status;
  memset(e->fired, 0, (size_t)s->p->n_event);
  memset(e->given, 0, (size_t)s->sys->nz);
  r->z = s->z, r->y = s->y;
  int code = w->d->round(r, s->p->ctx);
  if (code < 0) return DAE_STOPPED;
  if (code > 0 && r->culprit[0]) {
    memcpy(s->report.variable, r->culprit, DAE_NAME_MAX);
    if (r->twice) return two_values(s, r->culprit);
    return dae_drive_report(
        s, DAE_E_EVENTS,
        "the event at t = %.15g leaves %s without a value: its equation has no solution there",
        s->t, r->culprit);
  }
  if (code > 0)
    return dae_drive_report(s, DAE_E_CALLBACK, "the event at t = %.15g cannot be evaluated", s->t);
  bool moved = memcmp(e->before, s->z, bytes) != 0, fired = note_fired(s, terminal);
  if (fired) note_reset(s);
  if (moved) s->exact_y = false;
  if (moved && s->sys->nh > 0) {
    status = after_round(s, r->moment);
    if (status != DAE_OK) return status;
    moved = memcmp(e->before, s->z, bytes) != 0;
  }
  *settled = !moved && !fired && memcmp(e->number_before, w->number, n) == 0;
  return DAE_OK;
}

/* rounds until nothing changes; then initial(), sample(..) and terminal() are false again */
dae_status dae_drive_iterate(dae_solver *s, dae_moment moment, int *terminal) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  bool flags = moment != DAE_MOMENT_EVENT || w->d->due(s->t, s->p->ctx);
  memset(e->turned, 0, (size_t)w->count);
  memset(e->reset, 0, (size_t)w->count);
  memcpy(e->number_first, w->number, (size_t)w->count * sizeof(double));
  for (int settling = 0; settling <= flags; settling++) {
    dae_round r = {.moment = moment,
                   .settling = settling,
                   .t = s->t,
                   .clock = e->clock,
                   .before = e->before,
                   .number_before = e->number_before,
                   .number = w->number,
                   .memory = e->memory,
                   .fired = e->fired,
                   .given = e->given};
    bool settled = false;
    for (int k = 0; k < DAE_ROUNDS && !settled; k++) {
      dae_status status = one_round(s, &r, terminal, &settled);
      if (status != DAE_OK) return status;
    }
    if (!settled) return no_end(s);
  }
  for (int k = 0; k < w->count && moment == DAE_MOMENT_EVENT; k++)
    if (w->number[k] != e->number_first[k] && w->number[k] != 0 && w->d->event[k] >= 0)
      dae_drive_record(s, w->d->event[k]);
  return DAE_OK;
}

bool dae_drive_just_turned(const dae_solver *s, int i) {
  const struct dae_instants *e = s->events;
  const dae_events *w = e->watch;
  double now = fabs(w->now[i]);
  /* a floor is where it was; what it was at its border is no measure of the distance */
  if (i >= w->functions && w->d->whole[i - w->functions])
    return e->turned[i] && fabs(w->now[i] - e->located[i]) <= zero * w->scale[i];
  return e->turned[i] && now > 0 && now <= 4 * fabs(e->located[i]);
}

/* switches that have just turned and that both sides lead back to: the motion stays on them */
bool dae_drive_slide(dae_solver *s) {
  struct dae_instants *e = s->events;
  dae_events *w = e->watch;
  const dae_discrete *d = w->d;
  double way = way_of(s);
  bool any = false;
  for (int k = 0; k < w->count && d->slides; k++) {
    double rate[2];
    if (slides_on(w, k) || !d->slides[k] || !dae_drive_just_turned(s, k) ||
        d->rates(s->t, s->z, k, rate, s->p->ctx) || !(way * rate[0] < 0 && way * rate[1] > 0))
      continue;
    w->number[k] = s->z[d->entry[k]] = DAE_SLIDING;
    s->exact_y = false;
    any = true;
  }
  /* where they slide their values say how well they are kept */
  if (any) dae_events_values(w, s->t, s->z, s->y, w->now);
  return any;
}
