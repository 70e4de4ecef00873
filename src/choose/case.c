/* the four cases of 1993 section 4.2 from the rates of the essential underlying ODE, and what
   follows from each */
#include <math.h>
#include <stdio.h>

#include "choose/choose.h"

const char *dae_case_name(dae_case kind) {
  switch (kind) {
    case DAE_CASE_NONSTIFF_SLOW: return "nonstiff, constraints vary slowly";
    case DAE_CASE_NONSTIFF_FAST: return "nonstiff, constraints or their forces vary fast";
    case DAE_CASE_STIFF_FROZEN: return "stiff with frozen coefficients, constraints vary slowly";
    case DAE_CASE_STIFF_VARIABLE: return "stiff because constraints or their forces vary";
    case DAE_CASE_UNKNOWN: break;
  }
  return "not known";
}

/* A rate is fast when an explicit method of order 5 would have to take shorter steps because of it
   than accuracy asks for: its stability region ends at about 3.3, and 5 leaves some doubt to the
   explicit side. */
static const double FAST = 5;
/* constraints that turn by this angle within such a step have to be followed by shorter ones */
static const double TURN = 0.3;

dae_case dae_choose_case(const dae_essential *e, double tolerance, double horizon, double *step) {
  double h = pow(tolerance, 0.2) / fmax(e->solution, 1 / horizon);
  if (step) *step = h;
  bool turning = h * fmax(e->turn_constraint, e->turn_force) > TURN;
  if (h * e->variable > FAST) return DAE_CASE_STIFF_VARIABLE;
  /* the frozen part must dominate, else its variable companion is explicit in most
     discretizations */
  bool dominated = e->variable < 0.2 * e->frozen;
  if (h * e->frozen > FAST)
    return turning || !dominated ? DAE_CASE_STIFF_VARIABLE : DAE_CASE_STIFF_FROZEN;
  return turning ? DAE_CASE_NONSTIFF_FAST : DAE_CASE_NONSTIFF_SLOW;
}

/* the conclusions of both papers */
void dae_choose_recommend(const dae_problem *p, const dae_options *o, dae_diagnosis *d) {
  d->method = "dop853";
  d->form = "index1";
  d->stabilize = dae_problem_nh(p) > 0 ? "project" : "none";
  d->direction = p->kind == DAE_MECHANICAL ? "mass" : "constraint";
  const char *why =
      "no stiffness was found: an explicit method on the underlying ODE is cheapest, with "
      "stabilization after the step";
  if (d->kind == DAE_CASE_NONSTIFF_FAST) {
    why =
        "steps have to follow the constraints anyway: explicit, with stabilization after the step";
    /* fixed steps may be long beside the turn */
    if (o->step > 0) d->direction = "full";
  }
  if (d->kind == DAE_CASE_STIFF_FROZEN) {
    why = "stiff with slow constraints: a stiff method on a stable index-2 reduction";
    d->method = dae_choose_stiff_method(o);
    d->form = d->index == 0 ? "index1" : d->index == 2 ? "direct" : "index2";
    if (d->index == 0 && dae_problem_nh(p) > 0) d->form = "invariant";
    d->direction = "constraint";
  }
  if (d->kind == DAE_CASE_STIFF_VARIABLE) {
    why = "the forces of the constraints turn fast across them: projected invariants along C', y "
          "eliminated";
    d->method = dae_choose_stiff_method(o);
    d->stabilize = "none";
    d->form = dae_problem_order(p) == 1 ? "invariant" : "invariant-balanced";
    d->direction = dae_problem_order(p) == 1 ? "constraint" : "full";
  }
  snprintf(d->reason, sizeof d->reason, "%s", why);
}

/* five stages pay when the estimate of three, of order 3, would ask for many steps */
const char *dae_choose_stiff_method(const dae_options *o) {
  return fmin(o->rtol, o->atol) > 5e-6 ? "radau3" : "radau5";
}
