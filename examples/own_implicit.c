/* an implicit Runge-Kutta method of one's own: collocation at the middle and the end of a step,
   order 2, on a stiff problem, x' = -1e6 (x - cos t) - sin t, whose solution is cos t */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int slope(double t, const double *x, double *dx, void *ctx) {
  (void)ctx;
  dx[0] = -1e6 * (x[0] - cos(t)) - sin(t);
  return 0;
}

int main(void) {
  double a[] = {3.0 / 4, -1.0 / 4, 1, 0}, b[] = {1, 0};
  dae_problem stiff = {.kind = DAE_ODE, .ode = {.n = 1, .f = slope}};
  dae_own_method halves = {.size = sizeof halves,
                           .name = "halves",
                           .stages = 2,
                           .order = 2,
                           .implicit = true,
                           .a = a,
                           .b = b};
  dae_extend own = dae_extend_none();
  dae_options options = dae_options_default();
  dae_report report;
  dae_stats stats;
  double x[] = {1};
  own.method = &halves;
  options.extend = &own;
  dae_status status = dae_solve(&stiff, &options, 0, 1, x, NULL, &report, &stats);
  printf("%s: %s\n", dae_status_name(status), report.message);
  printf("error below 1e-5: %s, in less than 200 steps: %s\n",
         fabs(x[0] - cos(1)) < 1e-5 ? "yes" : "no", stats.steps < 200 ? "yes" : "no");

  /* a single wrong digit is seen */
  a[0] += 1e-4;
  status = dae_solve(&stiff, &options, 0, 1, x, NULL, &report, NULL);
  printf("%s: %.60s\n", dae_status_name(status), report.message);
  return 0;
}
