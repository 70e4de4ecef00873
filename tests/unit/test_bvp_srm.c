/* sequential regularization of boundary value problems: every iterate gains a factor eps;
   singular constraints */
#include <gallery.h>

#include "test.h"

static double distance(const dae_problem *p, const dae_solution *s, double from, double to) {
  double z[16], y[16], ze[16], ye[16], worst = 0;
  for (int i = 0; i <= 100; i++) {
    double t = from + (to - from) * i / 100;
    CHECK(dae_solution_eval(s, t, z, y, NULL) == DAE_OK);
    p->exact(t, ze, ye, p->ctx);
    for (int c = 0; c < dae_problem_nz(p); c++) worst = fmax(worst, fabs(z[c] - ze[c]));
  }
  return worst;
}

static dae_solution *solve(const dae_problem *p, int iterations, double eps, const char *variant,
                           double tol) {
  dae_options o = dae_options_default();
  dae_solution *s = NULL;
  dae_report r;
  o.rtol = o.atol = tol;
  o.form = "srm";
  o.srm_variant = variant;
  o.srm_eps = eps;
  o.srm_iterations = iterations;
  dae_status status = dae_bvp_solve(p, &o, NULL, &s, &r);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("%s: %s\n", p->name, r.message);
  return s;
}

/* x_s - x = O(eps^s) (Theorem 2.1): the quotient of two iterates is of the size of eps. Constants
   are problem's own, so
   a factor of 20 is allowed */
static void test_powers_of_eps(void) {
  static const char *const names[] = {"bvp-linear-index2", "bvp-control", "bvp-pendulum"};
  for (int i = 0; i < 3; i++) {
    char message[256];
    dae_problem *p;
    double before = 0, eps = 2e-3;
    CHECK(gallery_open(&p, names[i], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    for (int s = 1; s <= 3; s++) {
      dae_solution *x = solve(p, s, eps, "standard", 1e-9);
      if (!x) break;
      double now = distance(p, x, p->t0, p->t1);
      /* below 1e-10 is the error of the collocation, tolerance 1e-9 */
      if (s > 1) CHECK(now < 20 * eps * before || now < 1e-9);
      before = now;
      dae_solution_free(x);
    }
    CHECK(before < 1e-6);
    gallery_close(names[i], p);
  }
}

/* iterates until they agree: the tolerance is met by itself, y included */
static void test_automatic(void) {
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-arm", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_solution *s = solve(p, 0, 0, "auto", 1e-9);
  double z[4], y[1], ze[4], ye[1];
  if (s) {
    CHECK(distance(p, s, p->t0, p->t1) < 3e-9 * 2);
    dae_solution_eval(s, 0.37, z, y, NULL);
    p->exact(0.37, ze, ye, p->ctx);
    /* y has the error of x over eps = 1e-3 */
    CHECK_NEAR(y[0], ye[0], 1e-6);
    CHECK_STR(dae_solution_form(s), "srm");
  }
  dae_solution_free(s);
  gallery_close("bvp-arm", p);
}

/* x1(0) = -1/2; GB = x.x vanishes at t = 1/2 */
static int left_end(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] + 0.5;
  return 0;
}

static void test_singular(void) {
  static const double t[] = {0, 1}, z[] = {-0.5, -0.25, 0.5, 0.75};
  char message[256];
  dae_problem *p;
  dae_boundary b = {
      .n = 1, .n_left = 1, .value = left_end, .n_table = 2, .table_t = t, .table_z = z};
  CHECK(gallery_open(&p, "singular-bounded", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  p->boundary = &b;
  double first = 0, last = 0;
  for (int i = 1; i <= 3; i += 2) {
    dae_solution *s = solve(p, i, 1e-2, "singular", 1e-7);
    if (s) last = distance(p, s, 0, 1);
    if (i == 1) first = last;
    dae_solution_free(s);
  }
  /* alpha_1 = 0 has a layer of width eps at t0, and the error there falls slower than eps^s: a
     tenth is asked for */
  CHECK(first > 0 && first < 5 * 1e-2);
  CHECK(last < 0.1 * first);
  p->boundary = NULL;
  gallery_close("singular-bounded", p);
}

static void test_refusals(void) {
  char message[256];
  dae_problem *p;
  dae_options o = dae_options_default();
  dae_report r;
  dae_solution *s;
  o.form = "srm";
  CHECK(gallery_open(&p, "bvp-elastica", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_FORM && s == NULL);
  CHECK(strstr(r.message, "unknown parameters") != NULL);
  gallery_close("bvp-elastica", p);
}

int main(void) {
  RUN(test_powers_of_eps);
  RUN(test_automatic);
  RUN(test_singular);
  RUN(test_refusals);
  return TEST_END();
}
