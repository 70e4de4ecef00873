/* the four cases of 1993 section 4.2 from the rates of the essential underlying ODE, and what
   follows from each */
#include <math.h>

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
/* the frozen part must dominate by this, else its variable companion is explicit in most
   discretizations */
static const double DOMINATED = 0.2;

static double turn_of(const dae_essential *e) { return fmax(e->turn_constraint, e->turn_force); }

dae_case dae_choose_case(const dae_essential *e, double tolerance, double horizon, double *step) {
  double h = pow(tolerance, 0.2) / fmax(e->solution, 1 / horizon);
  if (step) *step = h;
  bool turning = h * turn_of(e) > TURN, dominated = e->variable < DOMINATED * e->frozen;
  if (h * e->variable > FAST) return DAE_CASE_STIFF_VARIABLE;
  if (h * e->frozen > FAST)
    return turning || !dominated ? DAE_CASE_STIFF_VARIABLE : DAE_CASE_STIFF_FROZEN;
  return turning ? DAE_CASE_NONSTIFF_FAST : DAE_CASE_NONSTIFF_SLOW;
}

/*
 * Where nothing but the frozen part is fast, implicit steps are as long as the turn of the
 * constraints lets them, whatever the form; along the forces of the constraints they need a fifth
 * of the evaluations of those that follow C' (rotating-index3, nu = 1000).
 */
dae_case dae_choose_begin(const dae_essential *e, double tolerance, double horizon) {
  dae_case kind = dae_choose_case(e, tolerance, horizon, NULL);
  if (kind != DAE_CASE_STIFF_VARIABLE || e->variable >= DOMINATED * e->frozen) return kind;
  return TURN * e->frozen > FAST * turn_of(e) ? DAE_CASE_STIFF_FROZEN : DAE_CASE_NONSTIFF_FAST;
}

dae_case dae_choose_stiff_case(const dae_essential *e, double horizon) {
  bool variable = e->variable >= DOMINATED * e->frozen && e->variable * horizon > FAST;
  return variable ? DAE_CASE_STIFF_VARIABLE : DAE_CASE_UNKNOWN;
}

/* explicit methods on the underlying ODE: the high order wins at all tolerances, see
   docs/benchmarks.md */
const dae_method *dae_choose_explicit(const dae_settings *o) {
  return dae_method_find(o->step > 0 ? "rk4" : "dop853");
}

/*
 * Three stages or five: a step costs as much as it has stages, and steps of a smooth solution go
 * with the tolerance to the power 1/4 and 1/6 of their estimates. 3 tol^(-1/4) = 5 tol^(-1/6) at
 * tol = (3/5)^12 = 2e-3, and somewhat below it where a step is more than its stages. Waves that
 * run through many bodies are not smooth, nor are the first steps of an implicit problem; steps
 * that follow constraints that turn fast gain nothing by their order: five stages pay later there
 * (bench/bench_large.c, bench/bench_implicit.c, rotating-index3).
 */
static const double SMOOTH = 5e-4, ROUGH = 5e-6;

const dae_method *dae_choose_implicit(const dae_problem *p, const dae_settings *o, bool turning) {
  const bool many = p->kind == DAE_MECHANICAL && p->mechanical.G_pattern;
  const bool rough = turning || many || p->kind == DAE_IMPLICIT;
  return dae_method_find(fmin(o->rtol, o->atol) > (rough ? ROUGH : SMOOTH) ? "radau3" : "radau5");
}

/* the conclusions of both papers */
dae_advice dae_choose_advice(const dae_problem *p, const dae_settings *o, dae_case kind) {
  int index = dae_problem_index(p), order = dae_problem_order(p), nh = dae_problem_nh(p);
  dae_advice a = {.method = dae_method_find("dop853"),
                  .form = DAE_FORM_INDEX1,
                  .stabilize = nh > 0 ? DAE_STAB_PROJECT : DAE_STAB_NONE,
                  .direction = p->kind == DAE_MECHANICAL ? DAE_DIR_MASS : DAE_DIR_CONSTRAINT,
                  .why = "no stiffness was found: an explicit method on the underlying ODE is "
                         "cheapest, with stabilization after the step"};
  if (p->kind == DAE_IMPLICIT) {
    a.method = dae_choose_implicit(p, o, false);
    a.form = DAE_FORM_DIRECT;
    a.why = "equations in x' are solved as they are, by a method for stiff ones";
    return a;
  }
  if (kind == DAE_CASE_NONSTIFF_FAST) {
    a.why =
        "steps have to follow the constraints anyway: explicit, with stabilization after the step";
    /* fixed steps may be long beside the turn */
    if (o->step > 0) a.direction = DAE_DIR_FULL;
  }
  if (kind == DAE_CASE_STIFF_FROZEN) {
    a.why = "stiff with slow constraints: a stiff method on a stable index-2 reduction";
    a.method = dae_choose_implicit(p, o, false);
    a.form = index == 0 ? DAE_FORM_INDEX1 : index == 2 ? DAE_FORM_DIRECT : DAE_FORM_INDEX2;
    if (index == 0 && nh > 0) a.form = DAE_FORM_INVARIANT;
    a.direction = DAE_DIR_CONSTRAINT;
  }
  if (kind == DAE_CASE_STIFF_VARIABLE) {
    a.why = "the forces of the constraints turn fast across them: projected invariants along C', y "
            "eliminated";
    a.method = dae_choose_implicit(p, o, true);
    a.stabilize = DAE_STAB_NONE;
    a.form = order == 1 ? DAE_FORM_INVARIANT : DAE_FORM_INVARIANT_BALANCED;
    a.direction = order == 1 ? DAE_DIR_CONSTRAINT : DAE_DIR_FULL;
  }
  return a;
}
