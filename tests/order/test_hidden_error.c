/* errors that estimates must not miss by accident
 *
 * Equations that are large off the solution: y' = -(1 + nu (z - t^3)) y with z = t^3, y = e^-t.
 * A Newton matrix from a point that is off the solution by 1 has nu in the place of 1: corrections
 * and error estimates come out small whatever the error. Two more variables turn on a circle in the
 * second problem, which makes it a DAE of index 2: u' = v - l u, v' = -u - l v, u^2 + v^2 = 2.
 *
 * Terms that cancel: in x' = -x + 2 e^t with x = e^t what the stages of herk2 show of its error,
 * x''' + F_x x'', vanishes, and the error, x''' + 3 F_x x'', does not. */
#include "daedal/daedal.h"
#include "test.h"

static const double NU = 1000;

static void both(double t, const double *z, double *f) {
  f[0] = 3 * t * t;
  f[1] = -(1 + NU * (z[0] - t * t * t)) * z[1];
}

static int alone(double t, const double *z, double *f, void *ctx) {
  (void)ctx;
  both(t, z, f);
  return 0;
}

static int turning(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  both(t, z, f);
  f[2] = z[3] - y[0] * z[2];
  f[3] = -z[2] - y[0] * z[3];
  return 0;
}

static int circle(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[2] * z[2] + z[3] * z[3] - 2;
  return 0;
}

static void solve(const dae_problem *p, const char *form, const char *method, double tol) {
  dae_options o = dae_options_default();
  dae_report report = {0};
  double z[4] = {0, 1, 1, 1}, y[1] = {0};
  o.form = form, o.method = method;
  o.rtol = o.atol = tol;
  dae_status status = dae_solve(p, &o, 0, 5, z, y, &report, NULL);
  CHECK(status == DAE_OK);
  /* ten tolerances: what an adaptive method promises */
  CHECK_NEAR(z[1], exp(-5), 10 * tol);
  if (fabs(z[1] - exp(-5)) > 10 * tol) printf("%s %s %g: %g\n", form, method, tol, z[1]);
}

static void test_ode(void) {
  static const char *const methods[] = {"radau3", "radau5", "gauss3",  "gauss4",
                                        "gauss5", "sdirk3", "lobatto4"};
  const dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .f = alone}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (double tol = 1e-2; tol > 1e-5; tol /= 10) solve(&p, "auto", methods[i], tol);
}

static void test_constrained(void) {
  static const char *const forms[] = {"auto", "index1", "ggl", "invariant"};
  static const char *const methods[] = {"radau3", "gauss3", "gauss5", "lobatto4"};
  const dae_problem p = {.kind = DAE_HESSENBERG,
                         .hessenberg = {.order = 1, .nx = 4, .ny = 1, .f = turning, .g = circle}};
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (double tol = 1e-2; tol > 1e-5; tol /= 10) solve(&p, forms[f], methods[i], tol);
}

static int forced(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  f[0] = -z[0] + 2 * exp(t);
  f[1] = cos(t) - y[0];
  return 0;
}

static int held(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[1] - sin(t);
  return 0;
}

static void test_cancelling(void) {
  const dae_problem p = {.kind = DAE_HESSENBERG,
                         .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = forced, .g = held}};
  for (double tol = 1e-4; tol > 0.5e-7; tol /= 10) {
    dae_options o = dae_options_default();
    double z[2] = {1, 0}, y[1] = {0};
    o.method = "herk2";
    o.rtol = o.atol = tol;
    CHECK(dae_solve(&p, &o, 0, 1.3, z, y, NULL, NULL) == DAE_OK);
    /* ten tolerances, relative to 1 + |x|: what an adaptive method promises */
    CHECK_NEAR(z[0], exp(1.3), 10 * tol * (1 + exp(1.3)));
  }
}

int main(void) {
  RUN(test_cancelling);
  RUN(test_ode);
  RUN(test_constrained);
  return TEST_END();
}
