/* an explicit Runge-Kutta method of one's own: Bogacki and Shampine 1989, order 3 with an estimate
   of order 2, on a pendulum that stays on its circle */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static const double a[] = {0,       0,       0,       0, /* by rows */
                           1.0 / 2, 0,       0,       0, /**/
                           0,       3.0 / 4, 0,       0, /**/
                           2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
static const double b[] = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
static const double b_estimate[] = {7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8};

int main(void) {
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .autonomous = true,
                          .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  dae_own_method bs23 = {.size = sizeof bs23,
                         .name = "bs23",
                         .stages = 4,
                         .order = 3,
                         .a = a,
                         .b = b,
                         .b_estimate = b_estimate,
                         .order_estimate = 2};
  dae_extend own = dae_extend_none();
  dae_options options = dae_options_default();
  dae_report report;
  dae_stats stats;
  double z[] = {1, 0, 0, 0}, lambda;
  own.method = &bs23;
  options.extend = &own;
  options.rtol = options.atol = 1e-5;
  dae_status status = dae_solve(&pendulum, &options, 0, 2, z, &lambda, &report, &stats);
  printf("%s: %s\n", dae_status_name(status), report.message);
  /* v^2/2 + 9.81 y = 0 all the time */
  double energy = (z[2] * z[2] + z[3] * z[3]) / 2 + 9.81 * z[1];
  printf("energy kept to 1e-3: %s, on the circle to 1e-10: %s\n",
         fabs(energy) < 1e-3 ? "yes" : "no",
         fabs(z[0] * z[0] + z[1] * z[1] - 1) < 1e-10 ? "yes" : "no");

  /* a method that is not what it claims to be is not run */
  bs23.order = 4;
  status = dae_solve(&pendulum, &options, 0, 2, z, &lambda, &report, NULL);
  printf("%s: %.60s\n", dae_status_name(status), report.message);
  return 0;
}
