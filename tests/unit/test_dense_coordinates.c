/* between steps: values where a form changes its coordinates, where a method has started anew, and
   before the first step */
#include <daedal/daedal.h>

#include "test.h"

static int weight(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.81;
  return 0;
}
static int circle(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
  return 0;
}
static const double z0[] = {1, 0, 0, 0};
static const dae_problem pendulum = {
    .kind = DAE_MECHANICAL,
    .z0 = z0,
    .t1 = 5,
    .mechanical = {.nq = 2, .ng = 1, .force = weight, .g = circle}};

/* a pendulum from the horizontal moves at most sqrt(2 g) fast: values that are h apart differ by no
   more than that times h. Twice around, coordinates change many times */
static void values_are_continuous(void) {
  static const char *const methods[] = {"dopri5", "dop853", "rk4"};
  for (int k = 0; k < 3; k++) {
    dae_options o = dae_options_default();
    o.method = methods[k];
    o.form = "state-space";
    if (k == 2) o.step = 0.01;
    dae_solver *s = NULL;
    CHECK(dae_solver_new(&s, &pendulum, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    double before[2] = {1, 0}, z[4], worst = 0;
    dae_status status = DAE_OK;
    while (dae_solver_time(s) < 5 && status == DAE_OK) {
      status = dae_solver_step(s, 5);
      double t0 = dae_solver_previous_time(s), h = (dae_solver_time(s) - t0) / 20;
      for (int i = 1; i <= 20 && status == DAE_OK; i++) {
        CHECK(dae_solver_eval(s, i < 20 ? t0 + i * h : dae_solver_time(s), z, NULL) == DAE_OK);
        worst = fmax(worst, hypot(z[0] - before[0], z[1] - before[1]) / h);
        before[0] = z[0], before[1] = z[1];
      }
    }
    CHECK(status == DAE_OK);
    CHECK(dae_solver_stats(s)->restarts > 2);
    /* the interpolation of rk4 at this step size is good to some per cent */
    CHECK(worst < 1.05 * sqrt(2 * 9.81));
    dae_solver_free(s);
  }
}

/* no step: no value but at the present time */
static void no_step_no_value(void) {
  static const char *const methods[] = {"dop853", "radau3", "bdf", "colloc3"};
  for (int k = 0; k < 4; k++) {
    dae_options o = dae_options_default();
    o.method = methods[k];
    dae_solver *s = NULL;
    double z[4];
    if (dae_solver_new(&s, &pendulum, &o, NULL) != DAE_OK) continue;
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_eval(s, 0, z, NULL) == DAE_OK);
    CHECK(dae_solver_eval(s, 2, z, NULL) == DAE_E_INPUT);
    CHECK(dae_solver_eval(s, -1e-3, z, NULL) == DAE_E_INPUT);
    CHECK(dae_solver_step(s, 5) == DAE_OK);
    CHECK(dae_solver_eval(s, 0.5 * dae_solver_time(s), z, NULL) == DAE_OK);
    dae_solver_free(s);
  }
}

int main(void) {
  RUN(values_are_continuous);
  RUN(no_step_no_value);
  return TEST_END();
}
