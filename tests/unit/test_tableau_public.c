/* the public tableaus: what a stranger computes with them is what the library computes */
#include <math.h>
#include <string.h>

#include "test.h"
#include <daedal/daedal.h>

/* y' = -2 t y^2, y(0) = 1: y = 1/(1 + t^2) */
static double slope(double t, double y) { return -2 * t * y * y; }

/* one step of an explicit method, with its error estimate */
static double explicit_step(const dae_tableau *m, double t, double y, double h, double *error) {
  double k[DAE_TABLEAU_STAGES];
  double sum = y;
  *error = 0;
  for (int i = 0; i < m->stages; i++) {
    double z = y;
    for (int j = 0; j < i; j++) z += h * m->a[i][j] * k[j];
    k[i] = slope(t + m->c[i] * h, z);
    sum += h * m->b[i] * k[i];
    *error += h * m->error[i] * k[i];
  }
  return sum;
}

static int ode(double t, const double *x, double *f, void *ctx) {
  (void)ctx;
  f[0] = slope(t, x[0]);
  return 0;
}

/* the library's own solver with the same fixed steps: equal but for the order of sums */
static void same_as_the_library(const char *name, const dae_tableau *m) {
  double z[] = {1}, y = 1, error;
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 1, .f = ode}};
  dae_options o = dae_options_default();
  o.method = name;
  o.step = 0.1;
  CHECK(dae_solve(&p, &o, 0, 1, z, NULL, NULL, NULL) == DAE_OK);
  for (int i = 0; i < 10; i++) y = explicit_step(m, 0.1 * i, y, 0.1, &error);
  CHECK_NEAR(y, z[0], 1e-14);
}

/* the embedded formula of an implicit method has the order of its estimate: t^(p-1) and lower
   powers are integrated exactly, k_start being the value at 0 */
static void embedded(const dae_method *m, const dae_tableau *t) {
  CHECK(t->first > 0);
  for (int p = 2; p <= m->estimate && p <= t->stages; p++) {
    double sum = 0;
    for (int k = 0; k < t->stages; k++) sum += (t->b[k] + t->error[k]) * pow(t->c[k], p - 1);
    CHECK_NEAR(sum, 1.0 / p, 1e-13); /* rounding of the weights */
  }
}

static void tableaus(void) {
  int explicit_ones = 0, half = 0, implicit_ones = 0;
  const dae_method *m;
  for (int i = 0; (m = dae_method_at(i)); i++) {
    dae_tableau t;
    if (dae_method_tableau(m, &t) != DAE_OK) continue;
    CHECK(t.stages >= 1 && t.stages <= DAE_TABLEAU_STAGES);
    double b = 0;
    for (int k = 0; k < t.stages; k++) {
      double row = 0;
      for (int j = 0; j < t.stages; j++) row += t.a[k][j];
      CHECK_NEAR(row, t.c[k], 1e-13);
      b += t.b[k];
    }
    CHECK_NEAR(b, 1, 1e-14);
    double e = t.first + t.last;
    for (int k = 0; k < t.stages; k++) e += t.error[k];
    CHECK_NEAR(e, 0, 1e-14); /* constants are integrated exactly by both formulas */
    if (t.half_explicit) half++;
    else if (m->implicit) implicit_ones++, embedded(m, &t);
    else explicit_ones++, same_as_the_library(m->name, &t);
  }
  CHECK(explicit_ones == 7 && half == 4 && implicit_ones == 15);
  dae_tableau t;
  CHECK(dae_method_tableau(dae_method_find("bdf"), &t) == DAE_E_INPUT);
  CHECK(dae_method_tableau(dae_method_find("srm"), &t) == DAE_E_INPUT);
  CHECK(dae_method_tableau(NULL, &t) == DAE_E_INPUT);
  CHECK(dae_method_tableau(dae_method_find("rk4"), NULL) == DAE_E_INPUT);
}

/* steps by the public rule keep the tolerance: error of dopri5 within ten of it */
static void step_rule(void) {
  const dae_method *m = dae_method_find("dopri5");
  /* an error that is no number, or no method: a smaller step */
  CHECK(dae_method_step_factor(m, NAN, 1, false) < 1 &&
        dae_method_step_factor(m, NAN, 1, true) < 1);
  CHECK(dae_method_step_factor(NULL, 0.5, 1, true) < 1);
  dae_tableau t;
  dae_method_tableau(m, &t);
  const double tol = 1e-8;
  double time = 0, y = 1, h = 0.01, before = 1;
  int steps = 0, failed = 0;
  while (time < 2 && steps + failed < 10000) {
    double error;
    h = fmin(h, 2 - time);
    double next = explicit_step(&t, time, y, h, &error), norm = fabs(error) / (tol * (1 + fabs(y)));
    bool accepted = norm <= 1;
    double factor = dae_method_step_factor(m, norm, before, accepted);
    if (accepted) time += h, y = next, before = fmax(norm, 1e-10), steps++;
    else failed++;
    CHECK(factor >= 0.2 && factor <= 10 && (accepted || factor < 1));
    h *= factor;
  }
  CHECK_NEAR(y, 0.2, 10 * tol);
  CHECK(steps > 5 && steps < 200 && failed < steps / 2);
}

int main(void) {
  RUN(tableaus);
  RUN(step_rule);
  return TEST_END();
}
