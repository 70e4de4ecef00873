/* a direction of stabilization of one's own: a planet is brought back to its energy by changing its
   velocity only, never its place */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int orbit(double t, const double *z, double *dz, void *ctx) {
  double r3 = pow(z[0] * z[0] + z[1] * z[1], 1.5);
  (void)t, (void)ctx;
  dz[0] = z[2];
  dz[1] = z[3];
  dz[2] = -z[0] / r3;
  dz[3] = -z[1] / r3;
  return 0;
}

static int energy(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = (z[2] * z[2] + z[3] * z[3]) / 2 - 1 / hypot(z[0], z[1]) + 0.5;
  return 0;
}

/* D is nz x nh: along the velocity */
static int along_velocity(double t, const double *z, double *D, void *ctx) {
  (void)t, (void)ctx;
  D[2] = z[2];
  D[3] = z[3];
  return 0;
}

int main(void) {
  dae_direction direction = {"along-velocity", along_velocity};
  dae_problem planet = {.kind = DAE_ODE,
                        .autonomous = true,
                        .ode = {.n = 4, .nh = 1, .f = orbit, .h = energy},
                        .n_direction = 1,
                        .direction = &direction};
  dae_options options = dae_options_default();
  dae_report report;
  dae_stats stats;
  double z[] = {0.5, 0, 0, sqrt(3)}; /* eccentricity 0.5, period 2 pi */
  options.method = "rk4";
  options.step = 0.01;
  options.stabilize = "project";
  options.direction = "along-velocity";
  dae_status status = dae_solve(&planet, &options, 0, 8 * acos(-1), z, NULL, &report, &stats);
  printf("%s: %s\n", dae_status_name(status), report.message);
  printf("energy kept to 1e-12: %s, back at its place to 1e-3: %s\n",
         stats.drift_max[0] < 1e-12 ? "yes" : "no", hypot(z[0] - 0.5, z[1]) < 1e-3 ? "yes" : "no");
  return 0;
}
