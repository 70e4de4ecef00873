/* M x' = f with a diagonal M: van der Pol's oscillator with a small mass */
#include <daedal/daedal.h>
#include <stdio.h>

static int f(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = x[1];
  f[1] = (1 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

static int mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x;
  M[0] = 1;
  M[1] = *(const double *)ctx;
  return 0;
}

int main(void) {
  /* with 0 in place of the mass x2 is algebraic, and the index 1 */
  for (int k = 0; k < 2; k++) {
    double eps = k == 0 ? 1e-6 : 0, x[2] = {2, -0.66}, stop = k == 0 ? 2 : 0.5;
    dae_problem problem = {
        .kind = DAE_IMPLICIT,
        .ctx = &eps,
        .implicit = {
            .n = 2, .f = f, .mass = mass, .mass_kind = DAE_MASS_DIAGONAL, .mass_constant = true}};
    dae_options options = dae_options_default();
    dae_report report;
    options.rtol = options.atol = 1e-9;
    if (dae_solve(&problem, &options, 0, stop, x, NULL, &report, NULL) != DAE_OK) {
      printf("%s\n", report.message);
      return 1;
    }
    printf("eps = %g: x(%g) = %.6f %.6f\n", eps, stop, x[0], x[1]);
  }
  return 0;
}
