/* sequential regularization: the error falls like eps^s, for every variant and weight (1995,
   theorems 2.1, 2.2, 4.1) */
#include <gallery.h>

#include "test.h"

typedef struct run {
  const char *problem, *variant, *weight, *alpha;
  double stop;
  const char *carry;
} run;

/* largest error of x and x' at three times of the second half: one alone may be an accidental
   zero */
static double error_of(const run *r, double eps, int iterations, double step, dae_stats *stats) {
  dae_problem *p;
  char message[256];
  if (gallery_open(&p, r->problem, 0, NULL, NULL, message, sizeof message) != DAE_OK) return NAN;
  dae_options o = dae_options_default();
  o.form = "srm";
  o.method = "heun";
  o.step = step;
  o.srm_eps = eps;
  o.srm_iterations = iterations;
  o.srm_variant = r->variant;
  o.srm_weight = r->weight;
  o.srm_alpha = r->alpha;
  o.srm_carry = r->carry;
  double exact[8], y[4], error = 0;
  dae_solver *solver;
  if (dae_solver_new(&solver, p, &o, NULL) != DAE_OK) return NAN;
  bool ok = dae_solver_start(solver, p->t0, NULL, NULL) == DAE_OK;
  for (int k = 3; k <= 5 && ok; k++) {
    double t = k * r->stop / 5;
    ok = dae_solver_advance(solver, t) == DAE_OK && p->exact(t, exact, y, p->ctx) == 0;
    for (int i = 0; i < dae_problem_nz(p); i++)
      error = fmax(error, fabs(dae_solver_z(solver)[i] - exact[i]));
  }
  if (!ok) printf("%s\n", dae_solver_report(solver)->message);
  if (stats) *stats = *dae_solver_stats(solver);
  dae_solver_free(solver);
  if (!ok) error = NAN;
  gallery_close(r->problem, p);
  return error;
}

static const run runs[] = {
    {"circle-index2", "standard", "identity", "0,1", 1, "mesh"},
    {"circle-index2", "standard", "transpose", "0,1", 1, "mesh"},
    {"circle-index2", "standard", "inverse", "0,1", 1, "mesh"},
    {"circle-index2", "standard", "identity", "1,1", 1, "mesh"},
    {"circle-index2", "standard", "inverse", "1,1", 1, "mesh"},
    {"circle-index2", "singular", "inverse", "", 1, "mesh"},
    {"circle-index2", "free", "identity", "", 1, "mesh"},
    {"two-link-robot", "free", "identity", "", 1, "mesh"},
    {"two-link-robot", "free", "transpose", "", 0.7, "mesh"},
    {"two-link-robot", "free", "inverse", "", 0.7, "mesh"},
    {"two-link-robot", "singular", "inverse", "", 0.7, "mesh"},
    {"two-link-robot", "standard", "inverse", "0,1,1", 0.7, "mesh"},
    {"two-link-robot", "standard", "identity", "1,2,1", 0.7, "mesh"},
    {"singular-bounded", "singular", "inverse", "", 1.2, "mesh"}, /* past its singularity at 1/2 */
    {"circle-index2", "standard", "identity", "0,1", 1, "waveform"},
};

/* halving eps gains a factor 2^s; half an order below tells s from s - 1, and 0.9 above allows for
   the next order in eps, which is not small at eps = 0.01. h = 1e-4 leaves a floor of some 1e-8 */
static void error_falls_like_eps_to_the_s(void) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    for (int s = 1; s <= 4; s++) {
      double coarse = error_of(&runs[i], 0.01, s, 1e-4, NULL),
             fine = error_of(&runs[i], 0.005, s, 1e-4, NULL);
      double order = log2(coarse / fine);
      bool ok = fine < 1e-7 || (order > s - 0.5 && order < s + 0.9);
      if (!ok)
        printf("%s %s %s s=%d: %.3e %.3e order %.2f\n", runs[i].problem, runs[i].variant,
               runs[i].weight, s, coarse, fine, order);
      CHECK(ok);
    }
}

/* one run from start to end: error of x (and x') there, or NAN */
static double error_at_end(const char *name, const dae_options *o, double t, dae_stats *stats) {
  dae_problem *p;
  char message[256];
  double z[8], exact[8], y[4], error = 0;
  if (gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) != DAE_OK) return NAN;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  bool ok = dae_solve(p, o, p->t0, t, z, NULL, NULL, stats) == DAE_OK &&
            p->exact(t, exact, y, p->ctx) == 0;
  for (int i = 0; i < dae_problem_nz(p); i++) error = fmax(error, fabs(z[i] - exact[i]));
  gallery_close(name, p);
  return ok ? error : NAN;
}

static dae_options srm_with(const char *carry, double step, double eps, int iterations) {
  dae_options o = dae_options_default();
  o.form = "srm";
  o.srm_carry = carry;
  o.step = step;
  o.srm_eps = eps;
  o.srm_iterations = iterations;
  return o;
}

/* Heun evaluates at mesh points only: a stored iterate gives it what the one inside the step gives.
   Only the order of operations differs, some 1e3 steps times 1e-16; behind the singularity rounding
   has grown a hundredfold */
static void waveform_is_the_same(void) {
  static const struct {
    const char *name, *variant;
  } same[] = {{"circle-index2", "standard"},
              {"two-link-robot", "free"},
              {"singular-unbounded", "singular"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    dae_options inside = srm_with("mesh", 1e-3, 5e-3, 3),
                stored = srm_with("waveform", 1e-3, 5e-3, 3);
    inside.srm_variant = stored.srm_variant = same[i].variant;
    CHECK_NEAR(error_at_end(same[i].name, &stored, 1, NULL),
               error_at_end(same[i].name, &inside, 1, NULL), 1e-11);
  }
}

/* a method with a stage inside the step sees cubics instead of straight lines: with the same h, eps
   and S the waveform is far better where the lines' h^2 is what is left of the error */
static void waveform_keeps_the_order(void) {
  dae_options lines = srm_with("mesh", 4e-3, 2e-2, 10),
              cubics = srm_with("waveform", 4e-3, 2e-2, 10);
  lines.method = cubics.method = "rk4";
  CHECK(error_at_end("circle-index2", &cubics, 1, NULL) <
        0.2 * error_at_end("circle-index2", &lines, 1, NULL));
}

/* iterates that no longer gain anything are left out, S is the most: far fewer than the 12 asked
   for are needed for 1e-6 with eps = 1e-3 (1e-3^s), and the tolerance is kept */
static void idle_iterates_are_left_out(void) {
  static const char *const carry[] = {"mesh", "waveform"};
  for (int k = 0; k < 2; k++) {
    dae_options o = srm_with(carry[k], 0, 1e-3, 12);
    o.rtol = o.atol = 1e-6;
    dae_stats stats;
    CHECK_NEAR(error_at_end("circle-index2", &o, 1, &stats), 0, 1e-6);
    CHECK(stats.iterates >= 2 && stats.iterates <= 6);
    CHECK(stats.iterates_most >= stats.iterates && stats.iterates_most <= 12);
  }
}

/* where sweeps over the whole interval diverge (the phase of the first iterate is lost), windows
   are cut by themselves: the turning slider-crank with h = eps = 2e-3, whose order 2 gives errors
   of 1e-3 or so */
static void waveform_cuts_its_windows(void) {
  static const char *const set[] = {"phi1", "phi1_rate"};
  static const double value[] = {0.78539816339744831, 2.8284271247461903};
  dae_problem *p;
  char message[256];
  dae_options o = srm_with("waveform", 2e-3, 2e-3, 4);
  o.srm_variant = "singular";
  dae_stats stats;
  double z[12];
  CHECK(gallery_open(&p, "slider-crank-singular", 2, set, value, message, sizeof message) ==
        DAE_OK);
  memcpy(z, p->z0, sizeof z);
  CHECK(dae_solve(p, &o, 0, 10, z, NULL, NULL, &stats) == DAE_OK);
  CHECK(stats.restarts > 0);
  CHECK_NEAR(z[2], 35.5686540893930, 1e-2);
  gallery_close("slider-crank-singular", p);
}

/* E = I neither forms nor factors G M^-1 G', nor evaluates second derivatives of g */
static void identity_needs_no_schur_complement(void) {
  dae_stats stats;
  run r = {"two-link-robot", "free", "identity", "", 1, "mesh"};
  CHECK(error_of(&r, 5e-3, 3, 1e-3, &stats) < 1e-5);
  CHECK(stats.schur_factorizations == 0);
  CHECK(stats.second_derivatives == 0);
  CHECK(stats.steps == 1000);
}

/* a mesh point on the singularity at t = 1/2 (1995, examples 6.2 and 6.3) */
static void mesh_point_on_the_singularity(void) {
  run bounded = {"singular-bounded", "singular", "inverse", "", 1, "mesh"},
      unbounded = {"singular-unbounded", "singular", "inverse", "", 1, "mesh"};
  CHECK(error_of(&bounded, 1e-3, 3, 1e-3, NULL) < 1e-6);
  CHECK(error_of(&unbounded, 1e-3, 3, 1e-3, NULL) < 1e-6);
}

static void errors_are_named(void) {
  dae_problem *p;
  char message[256];
  dae_report report;
  dae_solver *s;
  CHECK(gallery_open(&p, "two-link-robot", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.form = "srm";
  o.srm_variant = "freee";
  CHECK(dae_solver_new(&s, p, &o, &report) == DAE_E_INPUT);
  CHECK(strstr(report.message, "'freee' is not one of auto, standard") != NULL);
  o.srm_variant = "free";
  o.srm_alpha = "1,x";
  CHECK(dae_solver_new(&s, p, &o, &report) == DAE_E_INPUT);
  o.srm_alpha = "";
  o.method = "radau3";
  CHECK(dae_solver_new(&s, p, &o, &report) == DAE_E_FORM);
  gallery_close("two-link-robot", p);
}

int main(void) {
  RUN(error_falls_like_eps_to_the_s);
  RUN(waveform_is_the_same);
  RUN(waveform_keeps_the_order);
  RUN(idle_iterates_are_left_out);
  RUN(waveform_cuts_its_windows);
  RUN(identity_needs_no_schur_complement);
  RUN(mesh_point_on_the_singularity);
  RUN(errors_are_named);
  return TEST_END();
}
