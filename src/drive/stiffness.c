/*
 * stiffness during a run of "auto": would an implicit method take much longer steps, or an explicit
 * one the same?
 *
 * From the explicit side two things must come together. The solution is smooth for the step: it
 * changes at the rate
 *   s = |z'(t) - z'(t - h)| / (h |z'|),
 * and an implicit method whose estimate has the order q could take 3 (tolerance)^(1/(q+1)) / s,
 * much more than h. And the problem has a rate r, far above s, that explains why h is short all the
 * same. r is the growth of a vector under J = dF/dz of the underlying ODE z' = F(t,z),
 *   r = sqrt(|J J v| / |v|),  v <- J J v from test to test: power iteration along the run;
 * twice J, because positions and velocities have sizes of their own: x'' = -w^2 x gives w for every
 * v. Stability is not the only thing that fast modes ask for: an explicit method also follows them
 * to the tolerance, with h r near 1. From the implicit side h r near 1 therefore means that the
 * explicit method could do as well. At the bound of stability itself z' trembles and shows no
 * smoothness; there the solution must be at rest, so that nothing but stability can ask for steps
 * like these.
 *
 * Several tests in a row must agree, more of them after a false alarm.
 */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

enum {
  CALM = 10,
  ALERT = 4,
  AGREE = 4,
  AGREE_MOST = 256,
  BRIEF = 100
};                               /* steps between two tests; tests that must
                                                                           agree; steps of a false
                                                                           alarm */
static const double GAIN = 5;    /* an implicit step costs as much as a few explicit ones */
static const double FAST = 30;   /* r / s: what the problem could do and the solution does not */
static const double FELT = 1e-4; /* h r of explicit steps that have to do with r */
static const double BOUND = 2;   /* h r of explicit steps that stability keeps short */
static const double SLOW = 2;    /* h r of implicit steps that an explicit method takes as well */

dae_status dae_drive_stiffness_new(dae_solver *s) {
  if (s->n_way < 2) return DAE_OK;
  dae_stiffness *w = &s->stiffness;
  size_t nz = (size_t)s->sys->nz;
  w->v = dae_base_doubles(&s->pool, nz);
  w->f = dae_base_doubles(&s->pool, nz);
  w->f_try = dae_base_doubles(&s->pool, nz);
  w->before = dae_base_doubles(&s->pool, nz);
  w->z_try = dae_base_doubles(&s->pool, nz);
  w->change = dae_base_take(&s->pool, DAE_SWITCH_MAX, sizeof *w->change);
  return s->pool.failed ? DAE_E_MEMORY : DAE_OK;
}

const dae_switch *dae_solver_switches(const dae_solver *s, int *count) {
  if (count) *count = s ? s->stiffness.count : 0;
  return s ? s->stiffness.change : NULL;
}

void dae_drive_take(dae_solver *s, int way) {
  s->now = way;
  s->view = s->way[way].view;
  s->step = s->way[way].step;
  s->stab = s->way[way].stab;
  dae_passage_take(s->guard, way);
}

void dae_drive_stiffness_start(dae_solver *s) {
  if (s->n_way < 2) return;
  dae_stiffness *w = &s->stiffness;
  dae_drive_take(s, 0);
  w->seen = w->count = 0;
  w->since = 0;
  w->wait = CALM;
  w->needed = AGREE;
  w->due = false;
  /* parts along all components, of different sizes */
  for (int i = 0; i < s->sys->nz; i++) w->v[i] = 1 + 0.37 * (i % 5);
}

/* v := J v by a difference of relative size 1e-7 in the weights of the errors; *growth: |J v| /
   |v| */
static dae_status apply(dae_solver *s, dae_way *ode, double *growth) {
  dae_stiffness *w = &s->stiffness;
  int nz = s->sys->nz;
  double size = dae_step_norm(nz, w->v, s->weight);
  double unit = 1e-7 / (s->share * fmax(s->o.rtol, s->o.atol) * size);
  for (int i = 0; i < nz; i++) w->z_try[i] = s->z[i] + unit * w->v[i];
  ode->step->evaluations++;
  dae_status status = ode->view->rhs(ode->view, s->t, w->z_try, NULL, w->f_try, NULL);
  if (status != DAE_OK) return status;
  for (int i = 0; i < nz; i++) w->f_try[i] = (w->f_try[i] - w->f[i]) / unit;
  double after = dae_step_norm(nz, w->f_try, s->weight);
  *growth = after / size;
  if (!(after > 0) || !isfinite(after)) return DAE_OK;
  for (int i = 0; i < nz; i++) w->v[i] = w->f_try[i] / after;
  return DAE_OK;
}

/* r at the present point; 0 where it cannot be found */
static dae_status largest_rate(dae_solver *s, double *rate) {
  dae_way *ode = &s->way[s->step->method->implicit ? 1 - s->now : s->now];
  double first = 0, second = 0;
  *rate = 0;
  ode->step->evaluations++;
  dae_status status = ode->view->rhs(ode->view, s->t, s->z, NULL, s->stiffness.f, NULL);
  /* near a singular position rates grow without bound, and no method is better for it */
  if (status == DAE_OK && dae_passage_blinds(s->guard)) return DAE_OK;
  if (status == DAE_OK) status = apply(s, ode, &first);
  if (status == DAE_OK) status = apply(s, ode, &second);
  if (status == DAE_OK && isfinite(first * second)) *rate = sqrt(first * second);
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* how the solution looks to the explicit method */
typedef struct looks {
  double rate; /* s */
  bool
      /* an implicit method could take much longer steps: 3 (tolerance)^(1/(q+1)) / s > GAIN h */
      smooth;
  bool
      /* h |z'(t) - z'(t-h)| is not far above the tolerance of a step: high order is for nothing */
      resting;
} looks;

static looks look(dae_solver *s, double h) {
  dae_stiffness *w = &s->stiffness;
  int nz = s->sys->nz;
  for (int i = 0; i < nz; i++) w->f_try[i] = s->dz[i] - w->before[i];
  double change = dae_step_norm(nz, w->f_try, s->weight),
         size = dae_step_norm(nz, s->dz, s->weight);
  double power = 1.0 / (s->way[1 - s->now].step->method->estimate + 1);
  double longest = 3 * pow(s->share * fmax(s->o.rtol, s->o.atol), power);
  return (looks){change / (h * size), longest * size > GAIN * change, h * change < 50};
}

/* does this step speak for the other way? */
static dae_status hint(dae_solver *s, double h, bool *yes) {
  dae_stiffness *w = &s->stiffness;
  bool implicit = s->step->method->implicit;
  looks at = {0};
  *yes = false;
  if (!implicit) {
    at = look(s, h);
    if (!at.smooth && !at.resting) return DAE_OK;
  }
  dae_status status = largest_rate(s, &w->rate);
  w->h = h;
  if (implicit) *yes = w->rate > 0 && h * w->rate < SLOW;
  else
    *yes = (at.smooth && h * w->rate > FELT && w->rate > FAST * at.rate) ||
           (at.resting && h * w->rate > BOUND);
  return status;
}

dae_status dae_drive_stiffness_test(dae_solver *s, double h, bool back) {
  dae_stiffness *w = &s->stiffness;
  if (back) w->due = true;
  if (s->n_way < 2 || s->plan.for_passage || w->due || dae_passage_near(s->guard)) return DAE_OK;
  /* a step that was cut, or that max_step bounds, says nothing */
  if (h < 0.15 * fabs(s->h) || (s->o.max_step > 0 && h > 0.99 * s->o.max_step)) return DAE_OK;
  dae_status status = DAE_OK;
  if (--w->wait <= 0) {
    bool yes;
    status = hint(s, h, &yes);
    w->seen = yes ? w->seen + 1 : 0;
    w->wait = yes ? ALERT : CALM;
    w->due = w->seen >= w->needed;
  }
  if (w->wait == 1) memcpy(w->before, s->dz, (size_t)s->sys->nz * sizeof *w->before);
  return status;
}

void dae_drive_stiffness_event(dae_solver *s) {
  s->stiffness.seen = 0;
  s->stiffness.wait = ALERT;
}

/* takes the other method; the next step starts it anew */
void dae_drive_switch(dae_solver *s) {
  dae_stiffness *w = &s->stiffness;
  const char *from = s->step->method->name;
  w->due = false;
  w->seen = 0;
  bool back = s->step->method->implicit;
  /* a false alarm: be more careful */
  bool soon = back && s->stats.steps - w->since < BRIEF;
  if (back) w->needed = !soon ? AGREE : w->needed < AGREE_MOST ? 2 * w->needed : AGREE_MOST;
  w->since = s->stats.steps;
  dae_drive_take(s, 1 - s->now);
  w->wait = CALM;
  dae_switch change = {s->t, from, s->step->method->name, s->view->name, w->h, w->rate};
  if (w->count < DAE_SWITCH_MAX) w->change[w->count++] = change;
  s->stats.switches++;
  s->restart_due = true;
  dae_base_log(&s->o.log, DAE_LOG_INFO,
               "t = %.15g: %s, form %s, follows %s: steps of %.3g where the rate is %.3g", s->t,
               change.to, change.form, from, w->h, w->rate);
}

/* a singular position lies ahead; tests of stiffness bring the implicit method back behind it */
void dae_drive_hand_over(dae_solver *s, dae_verdict verdict) {
  dae_stiffness *w = &s->stiffness;
  int needed = w->needed;
  w->rate = 0;
  dae_drive_switch(s);
  w->needed = needed; /* no false alarm */
  dae_passage_hand_over(s->guard, verdict, s->z);
  s->h = 0;
}
