/* singular positions are passed at every tolerance, with the accuracy asked for, and counted */
#include <gallery.h>

#include "test.h"

typedef struct outcome {
  dae_status status;
  double z[16], error; /* error: largest distance from the reference at t */
  long passed;
} outcome;

static outcome solve(const char *name, int n, const char *const *set, const double *value, double t, double tol) {
  outcome r = {.error = INFINITY};
  dae_problem *p;
  char message[256];
  r.status = gallery_open(&p, name, n, set, value, message, sizeof message);
  if (r.status != DAE_OK) return r;
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  dae_stats stats;
  memcpy(r.z, p->z0, (size_t)dae_problem_nz(p) * sizeof *r.z);
  r.status = dae_solve(p, &o, p->t0, t, r.z, NULL, NULL, &stats);
  r.passed = stats.singular_passed;
  for (int k = 0; k < p->n_ref; k++) {
    if (p->ref[k].t != t) continue;
    r.error = 0;
    for (int i = 0; i < dae_problem_nz(p); i++) r.error = fmax(r.error, fabs(r.z[i] - p->ref[k].z[i]));
  }
  gallery_close(name, p);
  return r;
}

/* references: one-coordinate Lagrangian in 30 digits. The crossings are at 0.7595 + 1.5191 k (20 up to t = 30), or
   at 0.3917 + 0.8853 k (34). The bound 1e3 tol + 1e-7 allows for the growth of errors over ten to seventeen
   periods */
static void slider_crank(void) {
  static const char *const set[] = {"phi1", "phi1_rate"};
  static const double value[] = {0.78539816339744831, 2.8284271247461903};
  for (double tol = 1e-4; tol > 0.5e-12; tol /= 10) {
    outcome swing = solve("slider-crank-singular", 0, NULL, NULL, 30, tol);
    CHECK(swing.status == DAE_OK && swing.passed == 20);
    CHECK_NEAR(swing.z[2], 5.23625263020888, 1e3 * tol + 1e-7);
    outcome turn = solve("slider-crank-singular", 2, set, value, 30, tol);
    CHECK(turn.status == DAE_OK && turn.passed == 34);
    CHECK_NEAR(turn.z[2], 107.256983245656, 1e3 * tol + 1e-7);
  }
}

/* each passage is told: the crossings come every half period, T/2 = 1.51907 (elliptic integral of the one-coordinate
   motion, so that t_k = (k + 1/2) T/2), and the errors they may have added bound the error at t = 30. The factor 10
   is for the growth of errors over ten periods */
static void told(void) {
  for (double tol = 1e-4; tol > 0.5e-12; tol /= 100) {
    dae_problem *p;
    dae_solver *s;
    char message[256];
    CHECK(gallery_open(&p, "slider-crank-singular", 0, NULL, NULL, message, sizeof message) == DAE_OK);
    dae_options o = dae_options_default();
    o.rtol = o.atol = tol;
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK && dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, 30) == DAE_OK);
    int count;
    const dae_passage *passage = dae_solver_passages(s, &count);
    double added = 0;
    CHECK(count == 20);
    for (int i = 0; i < count; i++) {
      /* five digits of T/2, and what the tolerance makes of the phase */
      CHECK_NEAR(passage[i].t, (i + 0.5) * 1.51907, 2e-4 + 10 * tol);
      CHECK(passage[i].smallest < fmax(1e-6, 100 * tol) && passage[i].accuracy > 0);
      added += passage[i].accuracy;
    }
    CHECK(fabs(dae_solver_z(s)[2] - 5.23625263020888) < 10 * added);
    /* a step with a point very near is said to be wrong by up to 1e-8, which is much more than it is */
    CHECK(added < 30 * tol + 20 * 1e-8);
    dae_solver_free(s);
    gallery_close("slider-crank-singular", p);
  }
}

/* references: minimal coordinate through the change point; the factor 100 is for the growth over the run */
static void four_bar_and_double_slider(void) {
  for (double tol = 1e-4; tol > 0.5e-12; tol /= 10) {
    outcome four = solve("four-bar", 0, NULL, NULL, 2, tol);
    CHECK(four.status == DAE_OK && four.passed == 2);
    CHECK_NEAR(four.error, 0, 100 * tol);
    outcome slider = solve("double-slider", 0, NULL, NULL, 5, tol);
    CHECK(slider.status == DAE_OK && slider.passed == 4);
    CHECK_NEAR(slider.error, 0, 100 * tol);
  }
}

/* no singular position on the way: none is reported */
static void none_where_there_is_none(void) {
  outcome r = solve("slider-crank", 0, NULL, NULL, 10, 1e-8);
  CHECK(r.status == DAE_OK && r.passed == 0);
  r = solve("andrews", 0, NULL, NULL, 0.03, 1e-6);
  CHECK(r.status == DAE_OK && r.passed == 0);
}

/* x1 = t, x2 = sqrt(1 - t): the motion ends at t = 1, where the constraint loses rank */
static int ends_f(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)z, (void)ctx;
  f[0] = 1;
  f[1] = -y[0];
  return 0;
}
static int ends_g(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[0] + z[1] * z[1] - 1;
  return 0;
}

static void impasse_is_told(void) {
  static const double z0[] = {0, 1};
  dae_problem p = {.kind = DAE_HESSENBERG, .z0 = z0,
                   .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = ends_f, .g = ends_g}};
  for (double tol = 1e-4; tol > 1e-11; tol /= 100) {
    dae_options o = dae_options_default();
    o.rtol = o.atol = tol;
    dae_report report;
    double z[2] = {0, 1};
    CHECK(dae_solve(&p, &o, 0, 2, z, NULL, &report, NULL) == DAE_E_BRANCH);
    CHECK_NEAR(report.t, 1, 10 * tol + 1e-9); /* t itself is integrated: error of the order tol */
    CHECK(strstr(report.message, "no smooth continuation") != NULL);
  }
}

int main(void) {
  RUN(slider_crank);
  RUN(told);
  RUN(four_bar_and_double_slider);
  RUN(none_where_there_is_none);
  RUN(impasse_is_told);
  return TEST_END();
}
