/* M x' = f with a singular M that is not diagonal: a transistor amplifier of two stages, eight
   voltages, index 1 */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

enum { N = 8 };

static double diode(double u) { return 1e-6 * (exp(u / 0.026) - 1); }

static int currents(double t, const double *u, double *f, void *ctx) {
  (void)ctx;
  const double supply = 6, R0 = 1000, R = 9000, alpha = 0.99;
  const double input = 0.1 * sin(200 * acos(-1) * t);
  const double first = diode(u[1] - u[2]), second = diode(u[4] - u[5]);
  f[0] = (u[0] - input) / R0;
  f[1] = u[1] / R + (u[1] - supply) / R + (1 - alpha) * first;
  f[2] = u[2] / R - first;
  f[3] = (u[3] - supply) / R + alpha * first;
  f[4] = u[4] / R + (u[4] - supply) / R + (1 - alpha) * second;
  f[5] = u[5] / R - second;
  f[6] = (u[6] - supply) / R + alpha * second;
  f[7] = u[7] / R;
  return 0;
}

/* capacitors between nodes 1-2, 4-5 and 7-8, and from 3 and 6 to ground */
static int capacitors(double t, const double *u, double *M, void *ctx) {
  (void)t, (void)u, (void)ctx;
  const double C[5] = {1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
  for (int k = 0; k < 3; k++) {
    const int a = 3 * k, b = a + 1;
    M[a * N + a] = M[b * N + b] = -C[2 * k];
    M[a * N + b] = M[b * N + a] = C[2 * k];
  }
  M[2 * N + 2] = -C[1];
  M[5 * N + 5] = -C[3];
  return 0;
}

int main(void) {
  double u[N] = {0, 3, 3, 6, 3, 3, 6, 0};
  dae_problem problem = {
      .kind = DAE_IMPLICIT,
      .implicit = {.n = N, .f = currents, .mass = capacitors, .mass_constant = true}};
  dae_options options = dae_options_default();
  dae_report report;
  options.rtol = options.atol = 1e-8;
  if (dae_solve(&problem, &options, 0, 0.2, u, NULL, &report, NULL) != DAE_OK) {
    printf("%s\n", report.message);
    return 1;
  }
  for (int i = 0; i < N; i++) printf("U%d = %9.6f\n", i + 1, u[i]);
  return 0;
}
