/* an outside program: a pendulum of length 1.3 keeps its length; prints the version of the
   library */
#include <math.h>
#include <stdio.h>

#include <daedal/daedal.h>

static int gravity(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int length(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1.3 * 1.3;
  return 0;
}

int main(void) {
  double z[4] = {1.2, -0.5, 0, 0}, y[1] = {0};
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .t1 = 3.7,
                          .z0 = z,
                          .mechanical = {.nq = 2, .ng = 1, .force = gravity, .g = length}};
  dae_options options = dae_options_default();
  dae_report report;
  dae_status status = dae_solve(&pendulum, &options, 0, 3.7, z, y, &report, NULL);
  if (status != DAE_OK) {
    printf("%s\n", report.message);
    return 1;
  }
  /* energy is no constraint: it holds to the default tolerance of 1e-6 times some 100 steps */
  double energy = (z[2] * z[2] + z[3] * z[3]) / 2 + 9.81 * (z[1] + 0.5);
  if (fabs(hypot(z[0], z[1]) - 1.3) > 1e-12 || fabs(energy) > 1e-3) {
    printf("length %.17g, energy %.17g\n", hypot(z[0], z[1]), energy);
    return 1;
  }
  printf("%s %s\n", dae_version(), dae_status_name(status));
  return 0;
}
