/* what a run rests on is looked at: claims of the problem, numbers that callbacks give, times */
#include <daedal/daedal.h>

#include "test.h"

static dae_options accurate(void) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  return o;
}

/* (1 + q^2) q'' = -q, called constant */
static int varying(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)ctx;
  M[0] = 1 + q[0] * q[0];
  return 0;
}
static int spring(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)v, (void)ctx;
  f[0] = -q[0];
  return 0;
}
static void mass_is_constant(void) {
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .mechanical = {.nq = 1,
                                  .mass = varying,
                                  .mass_kind = DAE_MASS_DIAGONAL,
                                  .mass_constant = true,
                                  .force = spring}};
  dae_options o = accurate();
  dae_report r;
  double z[2] = {0, 1};
  CHECK(dae_solve(&p, &o, 0, 3, z, NULL, &r, NULL) == DAE_E_INPUT);
  CHECK(strstr(r.message, "mass_constant"));
  p.mechanical.mass_constant = false;
  double w[2] = {0, 1};
  CHECK(dae_solve(&p, &o, 0, 3, w, NULL, &r, NULL) == DAE_OK);
  /* v v' = -q q' / (1 + q^2): v^2 + log(1 + q^2) stays 1; a hundred tolerances */
  CHECK_NEAR(w[1] * w[1] + log(1 + w[0] * w[0]), 1, 1e-6);
}

/* a circle that f leaves after t = 0.5; z' = t^2 with z = 1, whose rate is 0 at the start */
static int leaves(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  dz[0] = -z[1], dz[1] = z[0] + (t > 0.5 ? 0.1 * z[1] : 0);
  return 0;
}
static int circle(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = z[0] * z[0] + z[1] * z[1] - 1;
  return 0;
}
static int grows(double t, const double *z, double *dz, void *ctx) {
  (void)z, (void)ctx;
  dz[0] = t * t;
  return 0;
}
static int one(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = z[0] - 1;
  return 0;
}
static void invariants_later(void) {
  dae_options o = accurate();
  dae_report r;
  double z[2] = {1, 0}, w[1] = {1};
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .nh = 1, .f = leaves, .h = circle}};
  CHECK(dae_solve(&p, &o, 0, 2, z, NULL, &r, NULL) == DAE_E_INDEX);
  CHECK(strstr(r.message, "no invariant") && r.t > 0.4);
  p.ode = (dae_ode){.n = 1, .nh = 1, .f = grows, .h = one};
  CHECK(dae_solve(&p, &o, 0, 1, w, NULL, &r, NULL) == DAE_E_INDEX);
}

/* x' = cos t - b(t) y with b = 0 from t = 1 on, 0 = x - sin t: y is then anything, and a run of
   high order has few steps to notice */
static int acts(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)z, (void)ctx;
  f[0] = cos(t) - (t < 1 ? (1 - t) * (1 - t) * (1 - t) * y[0] : 0);
  return 0;
}
static int sine(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] - sin(t);
  return 0;
}
static void rank_at_the_end(void) {
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 1, .ny = 1, .f = acts, .g = sine}};
  dae_options o = accurate();
  dae_report r;
  double z[1] = {0}, y[1] = {0};
  CHECK(dae_solve(&p, &o, 0, 2, z, y, &r, NULL) == DAE_E_RANK);
  CHECK(strstr(r.message, "g1 no longer determines anything"));
}

/* z' = -1 and its events */
static int falls(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)z, (void)ctx;
  dz[0] = -1;
  return 0;
}
static int half(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 0.5;
  return 0;
}
static int root(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = sqrt(z[0]) - 0.5;
  return 0;
}
static int five(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)z, (void)y, (void)ctx;
  *value = t - 5;
  return 0;
}
static int spoil(double t, double *z, void *ctx) {
  (void)t, (void)ctx;
  z[0] = NAN;
  return 0;
}

/* the state before the event stays, and no call gives NaN for ok */
static void event_without_value(void) {
  dae_event e = {.name = "spoiler", .value = half, .change = spoil};
  dae_problem p = {.kind = DAE_ODE, .n_event = 1, .event = &e, .ode = {.n = 1, .f = falls}};
  dae_options o = accurate();
  dae_solver *s;
  dae_report r;
  double z[1] = {1};
  CHECK(dae_solver_new(&s, &p, &o, &r) == DAE_OK);
  CHECK(dae_solver_start(s, 0, z, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 1) == DAE_E_CALLBACK);
  CHECK(strstr(dae_solver_report(s)->message, "spoiler"));
  CHECK_NEAR(dae_solver_z(s)[0], 0.5, 1e-7); /* located to the tolerance */
  CHECK(dae_solver_eval(s, dae_solver_time(s), z, NULL) != DAE_OK || isfinite(z[0]));
  dae_solver_free(s);
}

/* sqrt(z) has no value behind t = 1, but its zero lies at 0.75 */
static void event_beside_its_domain(void) {
  dae_event e = {.name = "root", .value = root, .direction = -1, .terminal = true};
  dae_problem p = {.kind = DAE_ODE, .n_event = 1, .event = &e, .ode = {.n = 1, .f = falls}};
  dae_options o = accurate();
  dae_report r;
  double z[1] = {1};
  CHECK(dae_solve(&p, &o, 0, 2, z, NULL, &r, NULL) == DAE_EVENT);
  CHECK_NEAR(r.t, 0.75, 1e-8);
}

/* a run to an event has no end of its own */
static void until_an_event(void) {
  static const double ends[] = {1e10, 1e30, 1e285};
  dae_event e = {.name = "five", .value = five, .terminal = true};
  dae_problem p = {.kind = DAE_ODE, .n_event = 1, .event = &e, .ode = {.n = 1, .f = falls}};
  dae_options o = accurate();
  for (int i = 0; i < 3; i++) {
    dae_report r;
    double z[1] = {1};
    CHECK(dae_solve(&p, &o, 0, ends[i], z, NULL, &r, NULL) == DAE_EVENT);
    CHECK_NEAR(r.t, 5, 1e-9);
    CHECK_NEAR(z[0], -4, 1e-9);
  }
}

/* t = 1e9: its last digit is 1.2e-7, and the sum of the steps must be what t says */
static int far_cosine(double t, const double *z, double *dz, void *ctx) {
  (void)z, (void)ctx;
  dz[0] = cos(t - 1e9);
  return 0;
}
static void far_from_zero(void) {
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 1, .f = far_cosine}};
  dae_options o = accurate();
  dae_report r;
  double z[1] = {0};
  CHECK(dae_solve(&p, &o, 1e9, 1e9 + 1, z, NULL, &r, NULL) == DAE_OK);
  /* cos at times that are rounded to 1.2e-7; steps and times apart gave 1e-5 */
  CHECK_NEAR(z[0], sin(1), 4e-7);
}

/*
 * Two constraints that say the same with other factors and signs, and forces that do the same with
 * others: x1' = cos t + b1 y1 + b2 y2, 0 = g1 (x1 - sin t), 0 = g2 (x1 - sin t), x2' = -x2 x1.
 * x2 = x2(0) exp(cos t - 1).
 */
typedef struct pair {
  double g[2], b[2];
} pair;
static int pushed(double t, const double *z, const double *y, double *f, void *ctx) {
  const pair *p = ctx;
  f[0] = cos(t) + p->b[0] * y[0] + p->b[1] * y[1];
  f[1] = -z[1] * z[0];
  return 0;
}
static int twice(double t, const double *z, double *g, void *ctx) {
  const pair *p = ctx;
  g[0] = p->g[0] * (z[0] - sin(t)), g[1] = p->g[1] * (z[0] - sin(t));
  return 0;
}
static void dependent_constraints(void) {
  static const pair pairs[] = {
      {{1, 1}, {1, 1}}, {{1, -0.3}, {0.7, 0.4}}, {{1e-5, 2e4}, {0.4, 1}}, {{3, 1e-3}, {1e4, -7}}};
  static const char *const methods[] = {"radau5", "radau3", "gauss4", "bdf", "dop853"};
  static const char *const forms[] = {"direct", "ggl", "invariant"};
  for (int i = 0; i < 4; i++)
    for (int m = 0; m < 5; m++)
      for (int k = 0; k < 3; k++) {
        pair own = pairs[i];
        dae_problem p = {.kind = DAE_HESSENBERG,
                         .ctx = &own,
                         .hessenberg = {.order = 1, .nx = 2, .ny = 2, .f = pushed, .g = twice}};
        dae_options o = accurate();
        dae_report r;
        dae_stats stats;
        double z[2] = {0, 2}, y[2] = {0};
        o.rtol = o.atol = 1e-7;
        o.method = methods[m];
        o.form = m == 4 ? "auto" : forms[k];
        dae_status status = dae_solve(&p, &o, 0, 6, z, y, &r, &stats);
        CHECK(status == DAE_OK);
        if (status != DAE_OK) printf("  %d %s %s: %s\n", i, o.form, o.method, r.message);
        CHECK_NEAR(z[1], 2 * exp(cos(6) - 1), 1e-5); /* a hundred tolerances */
        /* multipliers that grew took the steps down to rounding */
        CHECK(stats.steps < 2000);
      }
}

int main(void) {
  RUN(mass_is_constant);
  RUN(invariants_later);
  RUN(rank_at_the_end);
  RUN(event_without_value);
  RUN(event_beside_its_domain);
  RUN(until_an_event);
  RUN(far_from_zero);
  RUN(dependent_constraints);
  return TEST_END();
}
