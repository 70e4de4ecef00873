/* one call of a callback that fails, anywhere in a run: the run goes on from where it was, or says
   that it does not. A method whose step had been accepted in part went on from the new point at the
   old time: wrong by a step, with status ok */
#include <daedal/daedal.h>

#include "test.h"

static long calls, bad;
static bool by_number; /* NaN, else a return value of 1 */

static int leave(double *value) {
  if (++calls != bad) return 0;
  if (by_number) *value = NAN;
  return by_number ? 0 : 1;
}

/* x' = (x2, -x1) - (2 x1, 2 x2) y on x1^2 + x2^2 = 1: (cos t, -sin t), y = 0 */
static int turn(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = z[1] - 2 * z[0] * y[0];
  f[1] = -z[0] - 2 * z[1] * y[0];
  return leave(f);
}

static int circle(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[0] * z[0] + z[1] * z[1] - 1;
  return leave(g);
}

static dae_status solve(const char *method, double tol, double *off) {
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = turn, .g = circle}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.method = method;
  double z[2] = {1, 0}, y = 0, t1 = 1.47;
  calls = 0;
  dae_status status = dae_solve(&p, &o, 0, t1, z, &y, NULL, NULL);
  *off = fmax(fabs(z[0] - cos(t1)), fabs(z[1] + sin(t1)));
  return status;
}

static void one_bad_call(void) {
  static const char *const methods[] = {"bdf", "radau3", "gauss2", "herk5", "dop853", "sdirk2"};
  enum { PLACES = 150 };
  double off, tol = 1e-5;
  for (int m = 0; m < 6; m++) {
    bad = 0;
    CHECK(solve(methods[m], tol, &off) == DAE_OK);
    long total = calls;
    for (int k = 0; k < PLACES; k++) {
      bad = 1 + total * k / PLACES;
      by_number = k % 2;
      /* the ten tolerances that a run may be off, and what a step that was cut makes of them */
      bool right = solve(methods[m], tol, &off) != DAE_OK || off < 20 * tol;
      CHECK(right);
      if (!right) printf("  %s: off by %.3g after call %ld\n", methods[m], off, bad);
    }
  }
}

int main(void) {
  RUN(one_bad_call);
  return TEST_END();
}
