/* a pendulum in Cartesian coordinates: M = I, gravity, one constraint, nothing else */
#include <daedal/daedal.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

int main(void) {
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .autonomous = true,
                          .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  dae_options options = dae_options_default();
  options.rtol = options.atol = 1e-8;

  double z[4] = {1, 0, 0, 0}, lambda; /* x, y, x', y': horizontal, at rest */
  dae_report report;
  dae_stats stats;
  dae_status status = dae_solve(&pendulum, &options, 0, 10, z, &lambda, &report, &stats);
  printf("%s: %s\n", dae_status_name(status), report.message);
  printf("x = %.6f, y = %.6f, lambda = %.5f\n", z[0], z[1], lambda);
  printf("drift below 1e-11: %s\n",
         stats.drift_max[0] < 1e-11 && stats.drift_max[1] < 1e-11 ? "yes" : "no");
  return status == DAE_OK ? 0 : 1;
}
