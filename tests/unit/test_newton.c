/* Newton's method of implicit steps where constraints turn fast: it converges for steps that follow
   them, it is not fooled by matrices of other places, and where a form is hopeless the report says
   so */
#include <gallery.h>

#include "test.h"

static dae_status run(const char *name, double nu, const char *method, const char *form, double tol,
                      int most, dae_stats *stats, dae_report *report, double *error) {
  dae_problem *p;
  char message[256];
  const char *set[] = {"nu"};
  dae_options o = dae_options_default();
  double z[8], y[8], exact[8], ignored[8];
  CHECK(gallery_open(&p, name, 1, set, &nu, message, sizeof message) == DAE_OK);
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  o.rtol = o.atol = tol;
  o.method = method;
  o.form = form;
  o.max_steps = most;
  dae_status status = dae_solve(p, &o, 0, 1, z, y, report, stats);
  CHECK(p->exact(1, exact, ignored, p->ctx) == 0);
  *error = 0;
  for (int i = 0; i < dae_problem_nz(p); i++)
    *error = fmax(*error, fabs(z[i] - exact[i]) / (1 + fabs(exact[i])));
  gallery_close(name, p);
  return status;
}

/* forms that discretize the multipliers have to follow C and B, which turn with nu = 1000: some
   thousand steps. A matrix from the middle of a longer step that failed is of no use for shorter
   ones */
static void short_steps_converge(void) {
  static const char *const problem[] = {"linear-index3", "rotating-index3"},
                           *const method[] = {"radau3", "radau5"},
                           *const form[] = {"ggl", "index2"};
  for (int k = 0; k < 8; k++) {
    dae_stats stats;
    dae_report report;
    double error;
    dae_status status = run(problem[k & 1], 1000, method[k >> 1 & 1], form[k >> 2], 1e-6, 100000,
                            &stats, &report, &error);
    CHECK(status == DAE_OK);
    CHECK(stats.steps < 5000);
    CHECK(error < 1e-5); /* ten times the tolerance */
    if (status != DAE_OK)
      printf("  %s %s %s: %s\n", problem[k & 1], method[k >> 1 & 1], form[k >> 2], report.message);
  }
}

/* stable for steps below 1/nu only: a million of them. Whoever asks for the form is told so when it
   ends early */
static void hopeless_form_is_told(void) {
  dae_stats stats;
  dae_report report;
  double error;
  CHECK(run("linear-index2", 1e6, "radau3", "direct", 1e-6, 2000, &stats, &report, &error) ==
        DAE_E_LIMIT);
  CHECK(strstr(report.advice, "take form invariant") != NULL);
  CHECK(run("linear-index2", 1e6, "bdf", "direct", 1e-6, 2000, &stats, &report, &error) < 0);
  CHECK(strstr(report.advice, "take form invariant") != NULL);
  /* which is right */
  CHECK(run("linear-index2", 1e6, "radau3", "invariant", 1e-6, 2000, &stats, &report, &error) ==
        DAE_OK);
  CHECK(stats.steps < 30 && error < 1e-5);
  CHECK(run("linear-index2", 1e6, "bdf", "invariant", 1e-6, 2000, &stats, &report, &error) ==
        DAE_OK);
  CHECK(stats.steps < 300 && error < 1e-5);
  CHECK(run("linear-index2", 1e6, "auto", "auto", 1e-6, 2000, &stats, &report, &error) == DAE_OK);
  CHECK(stats.steps < 30 && error < 1e-5);
}

/* the second correction of a long step makes up for the bend that the first has left out: what the
   two say of the rate is no reason to give up. The stiff spring then costs few rejected steps */
static void bent_ways_are_followed(void) {
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "stiff-loop", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  for (double tol = 1e-4; tol > 1e-9; tol /= 100) {
    dae_options o = dae_options_default();
    dae_stats stats = {0};
    double z[12], y[3] = {0};
    o.method = "radau3";
    o.rtol = o.atol = tol;
    memcpy(z, p->z0, sizeof z);
    CHECK(dae_solve(p, &o, p->t0, p->t1, z, y, NULL, &stats) == DAE_OK);
    /* two of five attempts failed when the second correction was decisive; a start and the turning
       points of the motion explain some */
    CHECK(6 * stats.rejected < stats.steps);
  }
  gallery_close("stiff-loop", p);
}

/* rounding in a spring of stiffness 1e8 keeps corrections of fixed steps at 1e-11 and above: that
   is their end, not a failure, and the steps have their order */
static void stiff_rounding_is_an_end(void) {
  static const struct {
    const char *method;
    double step, order;
  } run[] = {{"radau2", 0.00125, 3}, {"radau3", 0.0025, 5}, {"gauss2", 0.00125, 4}};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "stiff-loop", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  const double *exact = p->ref[p->n_ref - 1].z; /* at t = 1 */
  for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
    double error[2] = {0};
    for (int half = 0; half < 2; half++) {
      dae_options o = dae_options_default();
      double z[12], y[3] = {0};
      o.method = run[i].method;
      o.step = run[i].step / (1 + half);
      memcpy(z, p->z0, sizeof z);
      CHECK(dae_solve(p, &o, p->t0, p->t1, z, y, NULL, NULL) == DAE_OK);
      for (int c = 0; c < 12; c++) error[half] = fmax(error[half], fabs(z[c] - exact[c]));
    }
    /* the spring relaxes in 1e-4, so that orders are only nearly there */
    CHECK_NEAR(log2(error[0] / error[1]), run[i].order, 1);
  }
  gallery_close("stiff-loop", p);
}

int main(void) {
  RUN(stiff_rounding_is_an_end);
  RUN(bent_ways_are_followed);
  RUN(short_steps_converge);
  RUN(hopeless_form_is_told);
  return TEST_END();
}
