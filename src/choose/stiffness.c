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
 * to the tolerance, with h r near 1 or 2. From the implicit side this tells what it would cost. At
 * the bound of stability itself z' trembles and shows no smoothness; there the solution must be at
 * rest, so that nothing but stability can ask for steps like these.
 *
 * Several tests in a row must agree, fewer where they promise much. What they predict is then
 * measured: an implicit step costs as much as `price` explicit ones, and a change pays when the
 * steps of the new method, on the mean of a trial, cover more time for their price than those of
 * the old one did. A change that does not pay is taken back, as soon as that is clear, and twice as
 * many tests must agree before the next one.
 */
#include <math.h>
#include <string.h>

#include "choose/stiffness.h"

/* steps between two tests, after one that spoke for a change, and after one that wonders about the
   steps: no evaluation is needed for that */
enum { CALM = 10, ALERT = 4, ODD = 2 };
/* tests that must agree, at first and at most; one that promises MUCH counts twice */
enum { AGREE = 4, AGREE_MOST = 256 };
static const double MUCH = 4;
/* steps of a trial, and of one that is CLEARly lost: the first ones grow from nothing */
enum { TRIAL = 30, TRIAL_LEAST = 10 };
static const double CLEAR = 0.5;
/* of an implicit step with patterns for each of its stages, in steps of dop853 (radau3 costs 2 to
   5 of them, radau5 5 to 11: chains, nets and rings) */
static const double PRICE = 1.6;
/* operations of an evaluation that are no linear algebra: at least, and for each coordinate */
static const double CALL = 120, COORDINATE = 16;
/* iterations, and new matrices, of an implicit step */
static const double ITERATIONS = 3, MATRICES = 0.4;
/* what an operation of an implicit step costs beside one of an explicit step: its matrices fill
   less of a tile, and its iterations are judged (pendulum, slider-crank, andrews, car-axis, kepler:
   1.6 to 3.9; linear-index2: 1.8) */
static const double IMPLICIT = 2;
static const double FAST = 30;   /* r / s: what the problem could do and the solution does not */
static const double FELT = 1e-4; /* h r of explicit steps that have to do with r */
static const double BOUND = 2;   /* h r of explicit steps that stability keeps short */
static const double SLOW = 2;    /* h r of implicit steps that an explicit method takes as well */
static const double SURELY = 2;  /* what a change back must promise: half of the cost */

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

/*
 * What steps cost, by their operations. With n coordinates, m multipliers and N = n + m an
 * evaluation of the underlying ODE eliminates M and G M^-1 G',
 *   n^3/3 + n^2 m (dense M) + n m^2 + m^3/3,
 * an iteration of s stages solves with s matrices of N x N, some 3 N^2 each, and one of them in
 * two is complex: 2/3 N^3 + (s-1)/2 8/3 N^3 to factor them all.
 */
static dae_step_cost cost_of(const dae_system *sys, const dae_method *implicit,
                             const dae_method *explicit) {
  const double n = sys->nx, m = sys->ny, N = n + m, s = implicit->stages;
  if (sys->pattern.start || sys->f_pattern) return (dae_step_cost){1, PRICE * s / ITERATIONS, 0};
  const double call = CALL + COORDINATE * n;
  const double mass = sys->M.kind == DAE_LA_DENSE ? n * n * n / 3 + n * n * m : n * m;
  const double evaluation = call + mass + n * m * m + m * m * m / 3;
  const double factors = (2 + 4 * (s - 1)) / 3 * N * N * N, iteration = s * (call + 3 * N * N);
  return (dae_step_cost){explicit->stages * evaluation, IMPLICIT * iteration,
                         IMPLICIT * (factors + 4 * call)};
}

void dae_choose_stiffness_start(dae_stiffness *w, double t, const dae_system *sys,
                                const dae_method *implicit, const dae_method *explicit) {
  w->seen = 0;
  w->cost = cost_of(sys, implicit, explicit);
  w->price = (ITERATIONS * w->cost.iteration + MATRICES * w->cost.matrices) / w->cost.step;
  dae_choose_trial_start(&w->trial);
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
  /* how much longer the steps of an implicit method could be than its price, 3
     (tolerance)^(1/(q+1)) / (price h s) */
  double gain;
  /* h |z'(t) - z'(t-h)| is not far above the tolerance of a step: high order is for nothing */
  bool resting;
} looks;

static looks look(dae_stiffness *w, const dae_step_seen *at) {
  for (int i = 0; i < w->nz; i++) w->f_try[i] = at->dz[i] - w->before[i];
  double change = dae_step_norm(w->nz, w->f_try, at->weight),
         size = dae_step_norm(w->nz, at->dz, at->weight);
  double longest = 3 * pow(at->tolerance, 1.0 / (at->other->estimate + 1));
  return (looks){change / (at->h * size), longest * size / (w->price * change),
                 at->h * change < 50};
}

/* does this step speak for the other method? 0: no; 2: it promises much */
static dae_status hint(dae_stiffness *w, const dae_step_seen *at, int *yes) {
  looks seen = {0};
  *yes = 0;
  /* what was measured counts for more than what rates foretell */
  if (at->implicit && w->trial.paid && dae_choose_trial_pays(&w->trial, at->h)) return DAE_OK;
  if (!at->implicit) {
    seen = look(w, at);
    dae_choose_trial_wonders(w, at, seen.rate);
    if (!(seen.gain > 1) && !seen.resting) return DAE_OK;
  }
  dae_status status = largest_rate(w, at, &w->rate);
  w->h = at->h;
  /* what explicit steps of SLOW / r would save of the cost */
  const double promise = SLOW * w->price / (at->h * w->rate);
  const bool known = w->rate > 0;
  if (at->implicit && known) *yes = promise > MUCH ? 2 : promise > SURELY || at->h * w->rate < SLOW;
  else if (!at->implicit)
    *yes = (seen.gain > 1 && at->h * w->rate > FELT && w->rate > FAST * seen.rate) ||
           (seen.resting && at->h * w->rate > BOUND);
  if (*yes && seen.gain > MUCH) *yes = 2;
  return status;
}

/* mean size of the steps since the last change */
static double mean_step(const dae_stiffness *w, double t, long steps) {
  return steps > w->since ? fabs(t - w->t_since) / (double)(steps - w->since) : 0;
}

/* time that the present phase covers for its price, in units of the one before */
static double worth(const dae_stiffness *w, double h, bool implicit) {
  if (w->h_other == 0) return INFINITY;
  return implicit ? h / (w->price * w->h_other) : w->price * h / w->h_other;
}

static bool pays(const dae_stiffness *w, double h, bool implicit) {
  return worth(w, h, implicit) > 1;
}

/* is the trial over, and lost? */
static bool try_on(dae_stiffness *w, const dae_step_seen *at) {
  const long steps = at->steps - w->since;
  const double h = steps >= TRIAL ? mean_step(w, at->t, at->steps) : at->h;
  const bool lost = steps >= TRIAL ? !pays(w, h, at->implicit)
                                   : steps >= TRIAL_LEAST && worth(w, h, at->implicit) < CLEAR;
  if (lost) w->h = h;
  if (lost || steps >= TRIAL) w->on_trial = false;
  return lost;
}

dae_status dae_choose_stiffness_test(dae_stiffness *w, const dae_step_seen *at) {
  dae_status status = DAE_OK;
  if ((w->on_trial && try_on(w, at)) || (w->trial.on && dae_choose_trial_lost(w, at))) {
    w->due = true;
    return DAE_OK;
  }
  if (--w->wait <= 0) {
    int yes;
    status = hint(w, at, &yes);
    w->seen = yes ? w->seen + yes : 0;
    w->wait = yes ? ALERT : w->trial.odd > 0 ? ODD : CALM;
    w->due = w->seen >= w->needed;
    if (w->due) w->trial.due = false;
    w->due = w->due || w->trial.due;
  }
  if (w->wait == 1) memcpy(w->before, at->dz, (size_t)w->nz * sizeof *w->before);
  return status;
}

void dae_choose_stiffness_event(dae_stiffness *w) {
  w->seen = w->trial.odd = 0;
  w->wait = ALERT;
}

void dae_choose_stiffness_changed(dae_stiffness *w, double t, long steps, bool back) {
  /* to try, or back from that: nothing was foretold */
  if (w->trial.due || w->trial.on) {
    const bool begins = w->trial.due;
    dae_choose_stiffness_forced(w, t, steps);
    if (begins) dae_choose_trial_begin(&w->trial, w->h);
    else dae_choose_trial_failed(w, steps);
    return;
  }
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
  dae_choose_trial_forget(&w->trial);
}

void dae_choose_stiffness_failed(dae_stiffness *w, double t, long steps) {
  dae_choose_stiffness_forced(w, t, steps);
  w->needed = w->needed < AGREE_MOST / 8 ? 8 * w->needed : AGREE_MOST;
}
