/* sequential regularization: the error falls like eps^s, for every variant and weight (1995, theorems 2.1, 2.2, 4.1) */
#include <gallery.h>

#include "test.h"

typedef struct run {
  const char *problem, *variant, *weight, *alpha;
  double stop;
} run;

/* largest error of x and x' at three times of the second half: one alone may be an accidental zero */
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
  double exact[8], y[4], error = 0;
  dae_solver *solver;
  if (dae_solver_new(&solver, p, &o, NULL) != DAE_OK) return NAN;
  bool ok = dae_solver_start(solver, p->t0, NULL, NULL) == DAE_OK;
  for (int k = 3; k <= 5 && ok; k++) {
    double t = k * r->stop / 5;
    ok = dae_solver_advance(solver, t) == DAE_OK && p->exact(t, exact, y, p->ctx) == 0;
    for (int i = 0; i < dae_problem_nz(p); i++) error = fmax(error, fabs(dae_solver_z(solver)[i] - exact[i]));
  }
  if (!ok) printf("%s\n", dae_solver_report(solver)->message);
  if (stats) *stats = *dae_solver_stats(solver);
  dae_solver_free(solver);
  if (!ok) error = NAN;
  gallery_close(r->problem, p);
  return error;
}

static const run runs[] = {
    {"circle-index2", "standard", "identity", "0,1", 1}, {"circle-index2", "standard", "transpose", "0,1", 1},
    {"circle-index2", "standard", "inverse", "0,1", 1},  {"circle-index2", "standard", "identity", "1,1", 1},
    {"circle-index2", "standard", "inverse", "1,1", 1},  {"circle-index2", "singular", "inverse", "", 1},
    {"circle-index2", "free", "identity", "", 1},        {"two-link-robot", "free", "identity", "", 1},
    {"two-link-robot", "free", "transpose", "", 0.7},    {"two-link-robot", "free", "inverse", "", 0.7},
    {"two-link-robot", "singular", "inverse", "", 0.7},  {"two-link-robot", "standard", "inverse", "0,1,1", 0.7},
    {"two-link-robot", "standard", "identity", "1,2,1", 0.7},
    {"singular-bounded", "singular", "inverse", "", 1.2}, /* past its singularity at 1/2 */
};

/* halving eps gains a factor 2^s; half an order below tells s from s - 1, and 0.9 above allows for
   the next order in eps, which is not small at eps = 0.01. h = 5e-5 leaves a floor of about 1e-8 */
static void error_falls_like_eps_to_the_s(void) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    for (int s = 1; s <= 4; s++) {
      double coarse = error_of(&runs[i], 0.01, s, 5e-5, NULL), fine = error_of(&runs[i], 0.005, s, 5e-5, NULL);
      double order = log2(coarse / fine);
      bool ok = fine < 2e-8 || (order > s - 0.5 && order < s + 0.9);
      if (!ok) printf("%s %s %s s=%d: %.3e %.3e order %.2f\n", runs[i].problem, runs[i].variant, runs[i].weight, s, coarse, fine, order);
      CHECK(ok);
    }
}

/* E = I neither forms nor factors G M^-1 G', nor evaluates second derivatives of g */
static void identity_needs_no_schur_complement(void) {
  dae_stats stats;
  run r = {"two-link-robot", "free", "identity", "", 1};
  CHECK(error_of(&r, 5e-3, 3, 1e-3, &stats) < 1e-5);
  CHECK(stats.schur_factorizations == 0);
  CHECK(stats.second_derivatives == 0);
  CHECK(stats.steps == 1000);
}

/* a mesh point on the singularity at t = 1/2 (1995, examples 6.2 and 6.3) */
static void mesh_point_on_the_singularity(void) {
  run bounded = {"singular-bounded", "singular", "inverse", "", 1}, unbounded = {"singular-unbounded", "singular", "inverse", "", 1};
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
  CHECK(strstr(report.message, "did you mean 'free'") != NULL);
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
  RUN(identity_needs_no_schur_complement);
  RUN(mesh_point_on_the_singularity);
  RUN(errors_are_named);
  return TEST_END();
}
