/* a mechanical problem without constraints still has its mass: 4 x'' = -x, x = cos(t/2) */
#include <math.h>

#include <daedal/daedal.h>
#include "test.h"

static int spring(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)v, (void)ctx;
  f[0] = -q[0];
  return 0;
}
static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = 4;
  return 0;
}

static void mass_counts(void) {
  static const double z0[] = {1, 0};
  dae_problem p = {.kind = DAE_MECHANICAL, .z0 = z0, .t1 = 3, .mechanical = {.nq = 1, .force = spring, .mass = mass}};
  static const char *const methods[] = {"auto", "dop853", "radau3"};
  for (int i = 0; i < 3; i++) {
    dae_options o = dae_options_default();
    o.method = methods[i];
    o.rtol = o.atol = 1e-8;
    double z[2] = {1, 0};
    CHECK(dae_solve(&p, &o, 0, 3, z, NULL, NULL, NULL) == DAE_OK);
    /* ten times the tolerance */
    CHECK_NEAR(z[0], cos(1.5), 1e-7);
    CHECK_NEAR(z[1], -0.5 * sin(1.5), 1e-7);
  }
}

int main(void) {
  RUN(mass_counts);
  return TEST_END();
}
