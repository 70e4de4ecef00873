/* an ODE with an invariant: a planet whose energy is kept, so that its phase errors grow slowly */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int planet(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  double r = hypot(z[0], z[1]), a = 1 / (r * r * r);
  dz[0] = z[2];
  dz[1] = z[3];
  dz[2] = -a * z[0];
  dz[3] = -a * z[1];
  return 0;
}

static int energy(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = 0.5 * (z[2] * z[2] + z[3] * z[3]) - 1 / hypot(z[0], z[1]) + 0.5;
  return 0;
}

int main(void) {
  dae_problem problem = {
      .kind = DAE_ODE, .autonomous = true, .ode = {.n = 4, .nh = 1, .f = planet, .h = energy}};
  dae_options options = dae_options_default();
  options.method = "rk4";
  options.step = 6.283185307179586 / 400;
  const char *names[] = {"none", "post", "project"};
  for (int i = 0; i < 3; i++) {
    double z[4] = {0.5, 0, 0, sqrt(3)};
    dae_stats stats;
    options.stabilize = names[i];
    if (dae_solve(&problem, &options, 0, 10 * 6.283185307179586, z, NULL, NULL, &stats) != DAE_OK)
      return 1;
    printf("%-8s p2 after ten orbits %9.1e, energy drift %s\n", names[i], z[1],
           stats.drift_max[0] < 1e-13 ? "at rounding level" : "1e-13 and more");
  }
  return 0;
}
