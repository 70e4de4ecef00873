/* a norm of one's own: no component may be off by more than its tolerance, where the library's norm
   lets one be off if others are better */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

enum { N = 100 };

/* one oscillator that is fast, and many variables that stand still */
static int slope(double t, const double *x, double *dx, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 2; i < N; i++) dx[i] = 0;
  dx[0] = 10 * x[1];
  dx[1] = -10 * x[0];
  return 0;
}

static double largest(int n, const double *error, const double *weight, void *ctx) {
  double top = 0;
  (void)ctx;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(error[i] * weight[i]));
  return top;
}

int main(void) {
  dae_problem p = {.kind = DAE_ODE, .autonomous = true, .ode = {.n = N, .f = slope}};
  dae_own_norm norm = {.size = sizeof norm, .norm = largest};
  dae_extend own = dae_extend_none();
  double error[2];
  for (int k = 0; k < 2; k++) {
    dae_options options = dae_options_default();
    dae_report report;
    double x[N] = {0, 1};
    options.method = "dopri5";
    options.rtol = options.atol = 1e-7;
    own.norm = &norm;
    if (k == 1) options.extend = &own;
    dae_status status = dae_solve(&p, &options, 0, 10, x, NULL, &report, NULL);
    printf("%s: %s\n", dae_status_name(status), report.message);
    error[k] = hypot(x[0] - sin(100), x[1] - cos(100));
  }
  /* the mean over 100 components hides a factor sqrt(100/2) = 7 of the error */
  printf("more accurate: %s\n", error[1] < error[0] / 3 ? "yes" : "no");
  return 0;
}
