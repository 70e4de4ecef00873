/* multipliers that lose their influence for a moment: K does, G keeps its rank, and the index is
   higher there. Not a singular position: what comes out behind it is the error before it, divided
   by a distance */
#include <daedal/daedal.h>

#include "test.h"

/* x1' = x2 - (s - t) y, x2' = -x1 - y, 0 = x1 - sin t: x = (sin t, cos t), y = 0, and
   w = x2 - cos t obeys w' = -w/(s - t) */
static int force(double t, const double *z, const double *y, double *f, void *ctx) {
  f[0] = z[1] - (*(double *)ctx - t) * y[0];
  f[1] = -z[0] - y[0];
  return 0;
}

static int sine(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] - sin(t);
  return 0;
}

static dae_status solve(double s, const char *method, double tol, double *z, dae_report *report) {
  double y = 0;
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .ctx = &s,
                   .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = force, .g = sine}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.method = method;
  z[0] = 0, z[1] = 1;
  return dae_solve(&p, &o, 0, 2, z, &y, report, NULL);
}

static const char *const methods[] = {"auto", "dop853", "radau3", "bdf"};

/* at 1e-10 x2 was off by 400,000 tolerances with status ok */
static void lost_on_the_way(void) {
  double z[2];
  dae_report report;
  for (int m = 0; m < 4; m++)
    for (double tol = 1e-4; tol > 1e-11; tol *= 1e-1) {
      CHECK(solve(1.07, methods[m], tol, z, &report) == DAE_E_BRANCH);
      CHECK(strstr(report.message, "loses its influence"));
      /* the last good point, before it: a hundredth of a step keeps w within 100 tolerances */
      CHECK(report.t < 1.07);
      CHECK_NEAR(z[1], cos(report.t), 100 * tol);
    }
}

/* the same equations where that lies behind the end: w grows towards it by s/(s - 2) = 3 */
static void kept_to_the_end(void) {
  double z[2];
  for (int m = 0; m < 4; m++) {
    CHECK(solve(3, methods[m], 1e-6, z, NULL) == DAE_OK);
    CHECK(fabs(z[1] - cos(2)) < 30e-6);
  }
}

int main(void) {
  RUN(lost_on_the_way);
  RUN(kept_to_the_end);
  return TEST_END();
}
