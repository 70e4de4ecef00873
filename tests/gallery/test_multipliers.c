/* multipliers at the ends of steps are those of the point, however short the step and
   whatever form and method have of them */
#include "gallery_test.h"

typedef struct trial {
  const char *form, *method;
  double tol;
} trial;

/* errors of y are those of z, or one tolerance, times the condition of the elimination, which is
   below 10 here. The errors of z themselves are the business of other tests: bdf has some hundred
   tolerances in form index1 at nu = 1000, as many as the C library's rounding makes of it */
static const double CONDITION = 10;

static void follow(const dae_problem *p, const trial *a) {
  dae_options o = dae_options_default();
  dae_solver *s;
  double z[MAX_N], y[MAX_N], worst = 0, apart = a->tol;
  o.form = a->form, o.method = a->method;
  o.rtol = o.atol = a->tol;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  memcpy(z, p->z0, (size_t)size_z(p) * sizeof *z);
  CHECK(dae_solver_start(s, p->t0, z, NULL) == DAE_OK);
  const double stop = p->t0 + 0.3 * (p->t1 - p->t0);
  while (dae_solver_time(s) < stop && dae_solver_step(s, stop) == DAE_OK) {
    const double *found = dae_solver_y(s), *at = dae_solver_z(s);
    CHECK(p->exact(dae_solver_time(s), z, y, p->ctx) == 0);
    for (int i = 0; i < size_y(p); i++) worst = fmax(worst, fabs(found[i] - y[i]));
    for (int i = 0; i < size_z(p); i++) apart = fmax(apart, fabs(at[i] - z[i]));
  }
  CHECK_NEAR(worst, 0, CONDITION * apart);
  if (worst > CONDITION * apart) printf("%s %s %g\n", a->form, a->method, a->tol);
  dae_solver_free(s);
}

/* stiff and turning fast: steps of index2 and ggl become very short at tight tolerances */
static void test_linear_index3(void) {
  static const trial trials[] = {
      {"index1", "radau3", 1e-6}, {"index1", "radau3", 1e-8}, {"index2", "radau3", 1e-8},
      {"index2", "radau3", 1e-9}, {"ggl", "radau3", 1e-9},    {"invariant", "radau3", 1e-8},
      {"index1", "sdirk3", 1e-5}, {"index1", "bdf", 1e-6},    {"index2", "bdf", 1e-6},
  };
  static const double nus[] = {100, 1000};
  for (int k = 0; k < 2; k++) {
    dae_problem *p;
    CHECK(gallery_open(&p, "linear-index3", 1, (const char *[]){"nu"}, &nus[k], NULL, 0) == DAE_OK);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) follow(p, &trials[i]);
    gallery_close("linear-index3", p);
  }
}

/* what sequential regularization leaves of the constraints, over its eps, is no part of y */
static void test_regularized(void) {
  static const char *const names[] = {"linear-index2", "singular-direction", "two-link-robot"};
  static const trial trials[] = {{"srm", "dopri5", 1e-6}, {"srm", "dop853", 1e-8}};
  for (int k = 0; k < 3; k++) {
    dae_problem *p;
    CHECK(gallery_open(&p, names[k], 0, NULL, NULL, NULL, 0) == DAE_OK);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) follow(p, &trials[i]);
    gallery_close(names[k], p);
  }
}

int main(void) {
  RUN(test_regularized);
  RUN(test_linear_index3);
  return TEST_END();
}
