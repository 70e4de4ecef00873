/* what a form cannot honour it refuses, in words; what it can parametrize it checks */
#include "gallery.h"
#include "test.h"

static const char *refusal(const char *problem, dae_options o, dae_status expected) {
  static dae_report report;
  dae_problem *p;
  dae_solver *s = NULL;
  char message[256];
  CHECK(gallery_open(&p, problem, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  o.method = "backward-euler", o.step = 0.01;
  dae_status status = dae_solver_new(&s, p, &o, &report);
  CHECK(status == expected);
  dae_solver_free(s);
  gallery_close(problem, p);
  return report.message;
}

static dae_options with(const char *form) {
  dae_options o = dae_options_default();
  o.form = form;
  return o;
}

static void sentences(void) {
  dae_options o;
  CHECK_STR(refusal("pendulum", with("direct"), DAE_E_FORM),
            "direct needs index 2, this problem has index 3: use index2, ggl or invariant");
  CHECK_STR(refusal("kepler", with("direct"), DAE_E_FORM),
            "direct has no multipliers for the invariants of an ODE: use invariant");
  CHECK_STR(refusal("kepler", with("baumgarte"), DAE_E_FORM),
            "baumgarte needs multipliers; the invariants of an ODE are kept by attract");
  CHECK_STR(refusal("kepler", with("ggl"), DAE_E_FORM), "ggl needs multipliers: use invariant");
  CHECK_STR(refusal("pendulum", with("invariant:3"), DAE_E_INPUT),
            "'invariant:3': the number of levels must be 1 .. 2");
  CHECK_STR(refusal("pendulum", with("gll"), DAE_E_INPUT),
            "unknown form 'gll'; did you mean 'ggl'?");
  o = with("invariant-balanced"), o.direction = "mass";
  CHECK_STR(refusal("pendulum", o, DAE_E_FORM),
            "invariant-balanced has the direction full; invariant-all takes any direction");
  o = with("baumgarte"), o.coefficients = "3,";
  CHECK_STR(refusal("pendulum", o, DAE_E_INPUT),
            "coefficients must be at most 7 numbers separated by commas, not '3,'");
  o = with("baumgarte"), o.coefficients = "3,4,5";
  CHECK_STR(refusal("pendulum", o, DAE_E_INPUT),
            "coefficients must be 2 numbers separated by commas, not 3");
  o = with("state-space"), o.rtilde = "1,0,0";
  CHECK_STR(refusal("pendulum", o, DAE_E_INPUT),
            "rtilde must be 1 row(s) of 2 numbers, as 1,0;0,1, not 1 of 3");
  o = with("state-space"), o.rtilde = "1,0;0";
  CHECK_STR(refusal("pendulum", o, DAE_E_INPUT),
            "rtilde must be rows of numbers, as 1,0;0,1, not '1,0;0'");
  CHECK_STR(refusal("pendulum", with("invariant:x"), DAE_E_INPUT),
            "'invariant:x': the number of levels must be 1 .. 2");
  CHECK_STR(refusal("pendulum", with("ggl:2"), DAE_E_INPUT), "form 'ggl:2': ggl has no parameter");
  o = with("attract"), o.weighting = "heavy";
  CHECK_STR(refusal("pendulum", o, DAE_E_INPUT),
            "option 'weighting': 'heavy' is not one of inverse, plain");
}

/* an explicit method does not step the index-2 view */
static void view_and_method(void) {
  dae_problem *p;
  dae_solver *s = NULL;
  dae_report report;
  char message[256];
  dae_options o = with("ggl");
  o.method = "dopri5";
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  CHECK(dae_solver_new(&s, p, &o, &report) == DAE_E_FORM);
  CHECK_STR(report.message,
            "method dopri5 does not work on form ggl, which gives the index-2 view");
  gallery_close("pendulum", p);
}

/* embed starts beside the constraints, which decay like (1 + h gamma)^-n with backward Euler */
static void embed_starts_beside(void) {
  dae_problem *p;
  char message[256];
  double z[3], y[1] = {0}, before[DAE_ORDER_MAX], after[DAE_ORDER_MAX];
  CHECK(gallery_open(&p, "driven-sphere", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  memcpy(z, p->z0, sizeof z);
  if (p->y0) y[0] = p->y0[0];
  z[1] += 0.05;
  dae_options o = with("embed");
  dae_solver *s;
  o.method = "backward-euler", o.step = 0.01, o.gamma = 3;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_drift(s, p->t0, z, before) == DAE_OK && before[0] > 1e-3);
  CHECK(dae_solver_start(s, p->t0, z, y) == DAE_OK);
  CHECK(dae_solver_advance(s, p->t0 + 0.2) == DAE_OK);
  CHECK(dae_solver_drift(s, p->t0 + 0.2, dae_solver_z(s), after) == DAE_OK);
  /* Newton ends at rounding */
  CHECK_NEAR(after[0] / before[0], pow(1 + 0.01 * 3, -20), 1e-10);
  dae_solver_free(s);
  gallery_close("driven-sphere", p);
}

/* attraction to the constraints repels where time runs backwards: refused, while gamma = 0 and
   forms without it run */
static void backwards(void) {
  static const struct {
    const char *form;
    double gamma;
    dae_status expected;
  } runs[] = {{"attract", 7, DAE_E_FORM},
              {"baumgarte", 7, DAE_E_FORM},
              {"index2", 7, DAE_E_FORM},
              {"index2", 0, DAE_OK},
              {"auto", 0, DAE_OK}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    dae_problem *p;
    dae_report report = {0};
    double z[4], y[1] = {0};
    CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, NULL, 0) == DAE_OK);
    memcpy(z, p->z0, sizeof z);
    dae_options o = with(runs[i].form);
    o.gamma = runs[i].gamma;
    CHECK(dae_solve(p, &o, 0.5, 0.2, z, y, &report, NULL) == runs[i].expected);
    CHECK(runs[i].expected == DAE_OK || strstr(report.message, "backwards"));
    gallery_close("pendulum", p);
  }
}

int main(void) {
  RUN(sentences);
  RUN(backwards);
  RUN(view_and_method);
  RUN(embed_starts_beside);
  return TEST_END();
}
