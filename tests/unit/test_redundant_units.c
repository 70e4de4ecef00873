/* redundant constraints in other units than the rest: projections keep all of them */
#include <daedal/daedal.h>

#include "test.h"

/* x' = f - G'y, 0 = g1 = x1 - sin t - 0.2 x3, g2 = x2 - cos t + 0.3 x3^2, g3 = unit (g1 + 0.7 g2)
 */
static int f(double t, const double *z, const double *y, double *out, void *ctx) {
  const double unit = *(const double *)ctx, a = y[0] + unit * y[2], b = y[1] + 0.7 * unit * y[2];
  (void)t;
  out[0] = 0.4 - a;
  out[1] = -0.3 - b;
  out[2] = -0.9 * z[2] + 0.2 * a - 0.6 * z[2] * b;
  return 0;
}

static int g(double t, const double *z, double *out, void *ctx) {
  out[0] = z[0] - sin(t) - 0.2 * z[2];
  out[1] = z[1] - cos(t) + 0.3 * z[2] * z[2];
  out[2] = *(const double *)ctx * (out[0] + 0.7 * out[1]);
  return 0;
}

static double solve(double unit, const char *form, const char *direction, double *z) {
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 3, .ny = 3, .f = f, .g = g},
                   .ctx = &unit};
  dae_options o = dae_options_default();
  dae_stats stats = {0};
  double start[3] = {0.2 * 0.8, 1 - 0.3 * 0.64, 0.8};
  o.rtol = o.atol = 1e-7;
  o.form = form;
  o.direction = direction;
  o.stabilize = "project";
  memcpy(z, start, sizeof start);
  dae_status status = dae_solve(&p, &o, 0, 1.7, z, NULL, NULL, &stats);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("unit %g form %s direction %s: %d\n", unit, form, direction, status);
  return stats.audit.worst;
}

/* the same solution whatever the unit of the third constraint; residuals at rounding of the terms,
   1e-13 of them, as the two others are */
static void test_units(void) {
  static const double units[] = {1e-12, 1e-7, 1, 1e6, 1e12};
  static const char *const forms[] = {"index1", "invariant", "direct"};
  static const char *const directions[] = {"auto", "full", "constraint"};
  double right[3], z[3];
  solve(1, "index1", "auto", right);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    for (size_t k = 0; k < 3; k++)
      for (size_t d = 0; d < 3; d++) {
        CHECK(solve(units[i], forms[k], directions[d], z) < 1e-13);
        for (int j = 0; j < 3; j++) CHECK_NEAR(z[j], right[j], 1e-6); /* ten tolerances */
      }
  /* and it lies on the constraints as they are written */
  CHECK_NEAR(right[0] - sin(1.7) - 0.2 * right[2], 0, 1e-14);
  CHECK_NEAR(right[1] - cos(1.7) + 0.3 * right[2] * right[2], 0, 1e-14);
}

int main(void) {
  RUN(test_units);
  return TEST_END();
}
