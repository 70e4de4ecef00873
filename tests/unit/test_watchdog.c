/* steps that lead nowhere are told early; many steps that lead somewhere are taken */
#include <math.h>
#include <string.h>

#include <daedal/daedal.h>

#include "test.h"

static double rate = 1;

/* y' jumps against itself at y = 0, which it reaches from 0.5 at t with t - 0.5 (1 - cos t) = 0.5,
   between 0.5 and 0.6 */
static int jumps(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  dz[0] = (z[0] > 0 ? -1 : 1) + 0.5 * sin(t);
  return 0;
}

static int turns(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = rate * z[1];
  dz[1] = -rate * z[0];
  return 0;
}

/* y = t, a straight line that stability lets nobody follow in long steps */
static int stiff(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  dz[0] = -rate * (z[0] - t) + 1;
  return 0;
}

static dae_status run(int n, int (*f)(double, const double *, double *, void *), double y0,
                      const char *method, int most, dae_report *report, double *end) {
  const double z0[] = {y0, 1};
  const dae_problem p = {.kind = DAE_ODE, .t1 = 3, .z0 = z0, .ode = {.n = n, .f = f}};
  dae_options o = dae_options_default();
  double z[] = {y0, 1};
  dae_stats stats;
  o.method = method;
  o.rtol = o.atol = 1e-7;
  o.max_steps = most;
  const dae_status status = dae_solve(&p, &o, 0, 3, z, NULL, report, &stats);
  *end = z[0];
  CHECK(status == DAE_OK || stats.steps < 60000);
  return status;
}

static void test_nowhere(void) {
  dae_report report;
  double end;
  CHECK(run(1, jumps, 0.5, "dopri5", 10000000, &report, &end) == DAE_E_STEP);
  CHECK(strstr(report.message, "jumps") != NULL);
  CHECK(report.t > 0.5 && report.t < 0.6 && fabs(end) < 1e-6);
  /* 6e6 steps of at most 3.3/rate */
  rate = 6e6;
  CHECK(run(1, stiff, 0, "dopri5", 100000, &report, &end) == DAE_E_STEP);
  CHECK(strstr(report.message, "stiff") != NULL);
}

static void test_somewhere(void) {
  dae_report report;
  double end;
  rate = 3e3;
  CHECK(run(2, turns, 0, "dopri5", 10000000, &report, &end) == DAE_OK);
  /* errors of 3e3 * 3 radians at the tolerance */
  CHECK(fabs(end - sin(3 * rate)) < 1e-3);
  rate = 5e4;
  CHECK(run(1, stiff, 0, "dopri5", 1000000, &report, &end) == DAE_OK);
  CHECK(fabs(end - 3) < 1e-6);
}

/* fifty steps a period: after 5,000 of them the solution is where it was, and is not at rest */
static void test_in_step(void) {
  const double turn = 6.283185307179586, z0[] = {0, 1};
  const dae_problem p = {.kind = DAE_ODE, .t1 = 1e4, .z0 = z0, .ode = {.n = 2, .f = turns}};
  dae_options o = dae_options_default();
  double z[] = {0, 1};
  dae_report report;
  rate = 1;
  o.method = "rk4";
  o.step = turn / 50;
  o.rtol = o.atol = 1e-2; /* what rk4 loses in 500 periods */
  o.max_steps = 40000;
  CHECK(dae_solve(&p, &o, 0, 1e4, z, NULL, &report, NULL) == DAE_E_LIMIT);
  CHECK(strstr(report.message, "changed nothing") == NULL);
}

int main(void) {
  RUN(test_nowhere);
  RUN(test_in_step);
  RUN(test_somewhere);
  return TEST_END();
}
