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
 * Several tests in a row must agree. What the tests predict is then measured: an implicit step
 * costs as much as `price` explicit ones, and a change pays when the steps of the new method, on
 * the mean of a trial, cover more time for their price than those of the old one did. A change that
 * does not pay is taken back, and twice as many tests must agree before the next one.
 */
#include <math.h>
#include <string.h>

#include "choose/stiffness.h"

/* steps between two tests, and after one that spoke for a change */
enum { CALM = 10, ALERT = 4 };
/* tests that must agree, at first and at most; steps of a trial */
enum { AGREE = 4, AGREE_MOST = 256, TRIAL = 30 };
/* of an implicit step for each of its stages, in steps of dop853: radau3 costs 1.5 to 5 of them,
   radau5 5 to 9 (pendulum, andrews, car-axis, strandbeest, rod-net, charged-particles, tol 1e-6) */
static const double PRICE = 1.6;
static const double FAST = 30;   /* r / s: what the problem could do and the solution does not */
static const double FELT = 1e-4; /* h r of explicit steps that have to do with r */
static const double BOUND = 2;   /* h r of explicit steps that stability keeps short */
static const double SLOW = 2;    /* h r of implicit steps that an explicit method takes as well */
static const double SURELY = 4;  /* what a change back must promise: a quarter of the cost */

dae_status dae_choose_stiffness_new(dae_stiffness *w, dae_pool *pool, int nz) {
  size_t n = (size_t)nz;
  w->nz = nz;
  w->v = dae_base_doubles(pool, n);
  w->f = dae_base_doubles(pool, n);
  w->f_try = dae_base_doubles(pool, n);
  w->before = dae_base_doubles(pool, n);
  w->z_try = dae_base_doubles(pool, n);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

void dae_choose_stiffness_start(dae_stiffness *w, double t, const dae_method *implicit) {
  w->seen = 0;
  w->price = PRICE * implicit->stages;
  w->t_since = t;
  w->since = 0;
  w->h_other = 0;
  w->on_trial = w->returned = false;
  w->t_refuge = NAN;
  w->wait = CALM;
  w->needed = AGREE;
  w->due = false;
  /* parts along all components, of different sizes */
  for (int i = 0; i < w->nz; i++) w->v[i] = 1 + 0.37 * (i % 5);
}

/* v := J v by a difference of relative size 1e-7 in the weights of the errors; *growth: |J v| /
   |v| */
static dae_status apply(dae_stiffness *w, const dae_step_seen *at, double *growth) {
  dae_view *ode = at->ode->view;
  double size = dae_step_norm(w->nz, w->v, at->weight);
  double unit = 1e-7 / (at->tolerance * size);
  for (int i = 0; i < w->nz; i++) w->z_try[i] = at->z[i] + unit * w->v[i];
  at->ode->evaluations++;
  dae_status status = ode->rhs(ode, at->t, w->z_try, NULL, w->f_try, NULL);
  if (status != DAE_OK) return status;
  for (int i = 0; i < w->nz; i++) w->f_try[i] = (w->f_try[i] - w->f[i]) / unit;
  double after = dae_step_norm(w->nz, w->f_try, at->weight);
  *growth = after / size;
  if (!(after > 0) || !isfinite(after)) return DAE_OK;
  for (int i = 0; i < w->nz; i++) w->v[i] = w->f_try[i] / after;
  return DAE_OK;
}

/* r at the present point; 0 where it cannot be found */
static dae_status largest_rate(dae_stiffness *w, const dae_step_seen *at, double *rate) {
  dae_view *ode = at->ode->view;
  double first = 0, second = 0;
  *rate = 0;
  at->ode->evaluations++;
  dae_status status = ode->rhs(ode, at->t, at->z, NULL, w->f, NULL);
  /* near a singular position rates grow without bound, and no method is better for it */
  if (status == DAE_OK && at->blind(at->ctx)) return DAE_OK;
  if (status == DAE_OK) status = apply(w, at, &first);
  if (status == DAE_OK) status = apply(w, at, &second);
  if (status == DAE_OK && isfinite(first * second)) *rate = sqrt(first * second);
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* how the solution looks to the explicit method */
typedef struct looks {
  double rate; /* s */
  /* an implicit method could take much longer steps: 3 (tolerance)^(1/(q+1)) / s > price h */
  bool smooth;
  /* h |z'(t) - z'(t-h)| is not far above the tolerance of a step: high order is for nothing */
  bool resting;
} looks;

static looks look(dae_stiffness *w, const dae_step_seen *at) {
  for (int i = 0; i < w->nz; i++) w->f_try[i] = at->dz[i] - w->before[i];
  double change = dae_step_norm(w->nz, w->f_try, at->weight),
         size = dae_step_norm(w->nz, at->dz, at->weight);
  double longest = 3 * pow(at->tolerance, 1.0 / (at->other->estimate + 1));
  return (looks){change / (at->h * size), longest * size > w->price * change, at->h * change < 50};
}

/* does this step speak for the other method? */
static dae_status hint(dae_stiffness *w, const dae_step_seen *at, bool *yes) {
  looks seen = {0};
  *yes = false;
  if (!at->implicit) {
    seen = look(w, at);
    if (!seen.smooth && !seen.resting) return DAE_OK;
  }
  dae_status status = largest_rate(w, at, &w->rate);
  w->h = at->h;
  if (at->implicit) *yes = w->rate > 0 && at->h * w->rate < SLOW * fmax(1, w->price / SURELY);
  else
    *yes = (seen.smooth && at->h * w->rate > FELT && w->rate > FAST * seen.rate) ||
           (seen.resting && at->h * w->rate > BOUND);
  return status;
}

/* mean size of the steps since the last change */
static double mean_step(const dae_stiffness *w, double t, long steps) {
  return steps > w->since ? fabs(t - w->t_since) / (double)(steps - w->since) : 0;
}

/* has the present phase covered more time for its price than the one before? */
static bool pays(const dae_stiffness *w, double h, bool implicit) {
  if (w->h_other == 0) return true;
  return implicit ? h > w->price * w->h_other : w->price * h > w->h_other;
}

dae_status dae_choose_stiffness_test(dae_stiffness *w, const dae_step_seen *at) {
  dae_status status = DAE_OK;
  if (w->on_trial && at->steps - w->since >= TRIAL) {
    double h = mean_step(w, at->t, at->steps);
    w->on_trial = false;
    w->due = !pays(w, h, at->implicit);
    if (w->due) w->h = h;
    if (w->due) return DAE_OK;
  }
  if (--w->wait <= 0) {
    bool yes;
    status = hint(w, at, &yes);
    w->seen = yes ? w->seen + 1 : 0;
    w->wait = yes ? ALERT : CALM;
    w->due = w->seen >= w->needed;
  }
  if (w->wait == 1) memcpy(w->before, at->dz, (size_t)w->nz * sizeof *w->before);
  return status;
}

void dae_choose_stiffness_event(dae_stiffness *w) {
  w->seen = 0;
  w->wait = ALERT;
}

void dae_choose_stiffness_changed(dae_stiffness *w, double t, long steps, bool back) {
  /* after a false alarm be more careful, until a change has paid; the way back from one always
     does */
  bool paid = pays(w, mean_step(w, t, steps), back), returned = w->returned;
  if (!paid) w->needed = w->needed < AGREE_MOST ? 2 * w->needed : AGREE_MOST;
  else if (w->h_other > 0 && !returned) w->needed = AGREE;
  dae_choose_stiffness_forced(w, t, steps);
  w->h_other = w->h;
  w->on_trial = true;
  w->returned = !paid;
}

void dae_choose_stiffness_forced(dae_stiffness *w, double t, long steps) {
  w->due = false;
  w->seen = 0;
  w->wait = CALM;
  w->t_since = t;
  w->since = steps;
  w->h_other = 0;
  w->on_trial = false;
  w->returned = false;
}

void dae_choose_stiffness_failed(dae_stiffness *w, double t, long steps) {
  dae_choose_stiffness_forced(w, t, steps);
  w->needed = w->needed < AGREE_MOST / 8 ? 8 * w->needed : AGREE_MOST;
}
