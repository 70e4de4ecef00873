/*
 * trial: steps of an explicit method that are short for no reason that a rate would tell. An
 * estimate of order p asks for steps h with
 *   h s / tolerance^(1/(p+1))
 * of order one, s the rate of the solution: 2 to 5 in nonstiff problems, seldom below one in two
 * tests in a row. Where it is, stages may lie off an invariant beside which the equations are
 * others, or a fast mode may be hidden in the rates. What the other method would do there cannot be
 * foreseen: it is tried for a few steps, and what these cost is counted in operations, so that the
 * same run makes the same choice.
 */
#include <math.h>

#include "choose/stiffness.h"

static const double SHORT = 1;
/* from one test to the next, two steps on, the sizes vary by less: they are not on their way to
   others */
static const double STEADY = 1.05;
/* tests in a row, at first and at most: twice as many after each trial in vain */
enum { WONDER = 3, WONDER_MOST = 256 };
/* steps of a trial; of one that has not even longer steps */
enum { TRIAL = 4, TRIAL_LEAST = 2 };
/* the steps that are left, in prices of a trial: fewer are not worth one */
static const double LEFT = 2;
/* after a trial in vain as many times its price in explicit steps go before the next one: all of
   them together cost five percent */
static const double PAUSE = 20;
/* what the implicit steps must promise, as their sizes still vary */
static const double PROMISE = 1.1;

void dae_choose_trial_start(dae_trial *w) { *w = (dae_trial){.needed = WONDER}; }

void dae_choose_trial_forget(dae_trial *w) {
  w->odd = 0;
  w->due = w->on = w->paid = false;
}

void dae_choose_trial_wonders(dae_stiffness *w, const dae_step_seen *at, double rate) {
  dae_trial *trial = &w->trial;
  const double order = at->ode->method->estimate + 1,
               expected = pow(at->tolerance, 1 / order) / rate;
  const bool steady = at->h < STEADY * trial->seen && trial->seen < STEADY * at->h;
  trial->odd = !(at->h < SHORT * expected) ? 0 : steady ? trial->odd + 1 : 1;
  trial->seen = at->h;
  trial->due = trial->odd >= trial->needed && at->steps >= trial->rest &&
               at->left > LEFT * TRIAL * w->price * at->h && isfinite(expected);
  if (trial->due) w->rate = rate, w->h = at->h;
}

void dae_choose_trial_begin(dae_trial *w, double h) {
  *w = (dae_trial){.needed = w->needed, .on = true, .h = h, .counted = -1};
}

void dae_choose_trial_failed(dae_stiffness *w, long steps) {
  dae_trial *trial = &w->trial;
  dae_choose_trial_forget(trial);
  trial->needed = trial->needed < WONDER_MOST / 2 ? 2 * trial->needed : WONDER_MOST;
  trial->rest = steps + (long)(PAUSE * TRIAL * w->price);
}

/* of a step since the counts began, in explicit ones; the first step has no past to start from, and
   is not counted */
static double price(const dae_stiffness *w, const dae_step_seen *at) {
  const dae_trial *trial = &w->trial;
  const double steps = (double)(at->steps - trial->counted);
  const int sets = at->own->method->stages / 2 + 1;
  const double iterations = (double)(at->own->newton - trial->newton),
               matrices = (double)(at->own->factorizations - trial->factorizations) / sets;
  if (!(steps > 0)) return w->price;
  return (iterations * w->cost.iteration + matrices * w->cost.matrices) / (steps * w->cost.step);
}

bool dae_choose_trial_lost(dae_stiffness *w, const dae_step_seen *at) {
  dae_trial *trial = &w->trial;
  const long steps = at->steps - w->since;
  if (trial->counted < 0) {
    trial->counted = at->steps;
    trial->newton = at->own->newton;
    trial->factorizations = at->own->factorizations;
  }
  w->h = at->h;
  if (steps < TRIAL) return steps >= TRIAL_LEAST && at->next < trial->h;
  trial->price = price(w, at);
  trial->paid = at->next > PROMISE * trial->price * trial->h;
  trial->on = !trial->paid;
  return trial->on;
}

bool dae_choose_trial_pays(const dae_trial *w, double h) { return h > w->price * w->h; }
