/* when, if, terminate, assert; and boundary values: what is written in words of the text happens in
   the run */
#include <stdlib.h>

#include <daedal/bvp.h>
#include <daedal/daedal.h>

#include "test.h"

static dae_model *build(const char *text) {
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  dae_status status = dae_model_read_text(&m, "m.mo", text, strlen(text), &o);
  if (status == DAE_OK) status = dae_model_build(m);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("%s", dae_model_messages(m));
  return m;
}

static dae_status solve(const dae_model *m, double *z, double *y, dae_report *report) {
  const dae_problem *p = dae_model_problem(m);
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  return dae_solve(p, &o, p->t0, p->t1, z, y, report, NULL);
}

/* fall with weight 1 down to 0.5, then 10: the ground is reached at 1 + (sqrt(11) - 1)/10 */
static void test_switch(void) {
  dae_model *m = build(
      "model T Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v;"
      " der(v) = if x > 0.5 then -1 else -10; when x < 0 and v < 0 then terminate(\"ground\"); end "
      "when;"
      " annotation(experiment(StopTime = 10)); end T;");
  double z[4], y[1], values[2]; /* z holds the sign of x - 0.5, too */
  dae_report report;
  CHECK(solve(m, z, y, &report) == DAE_EVENT);
  CHECK_NEAR(report.t, 1 + (sqrt(11.0) - 1) / 10, 1e-9); /* ten times the tolerance */
  CHECK(dae_model_values(m, report.t, z, y, values) == 0);
  CHECK_NEAR(values[1], -sqrt(11.0), 1e-9);
  dae_model_free(m);
}

/* a bead on a parabola bounces off a wall: the state at t = 3 from a reference in 18 digits */
static void test_reinit(void) {
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  CHECK(dae_model_read_file(&m, SOURCE_DIR "/gallery/bead-bounce.mo", &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  double z[4], y[1] = {0}, value[5];
  CHECK(solve(m, z, y, NULL) == DAE_OK);
  CHECK(dae_model_values(m, 3, z, y, value) == 0);
  CHECK_NEAR(value[0], -0.672695068111276608, 1e-9);
  CHECK_NEAR(value[1], 0.226259327330617537, 1e-9);
  CHECK_NEAR(value[2], -0.840830181112096517, 1e-9);
  dae_model_free(m);
}

/* an assertion that fails on the way stops the run with its own words */
static void test_assert(void) {
  dae_model *m = build("model A Real x(start = 0, fixed = true); equation der(x) = 2; assert(x < "
                       "3, \"x left its range\");"
                       " annotation(experiment(StopTime = 5)); end A;");
  double z[1], y[1];
  dae_report report;
  CHECK(solve(m, z, y, &report) == DAE_E_ASSERT);
  CHECK_NEAR(report.t, 1.5, 1e-9);
  CHECK(strstr(report.message, "x left its range") == report.message);
  dae_model_free(m);
}

/* a projectile with x(0), x(1) given: v = x1 - x0 + g/2; the constraint puts it on a line through
   the middle */
static void test_boundary(void) {
  dae_model *m = build(
      "model B parameter Real g = 9.8; Real x, y, u, v, l; initial equation x(startTime) = 0.2;"
      " x(finalTime) = 1.1; equation der(x) = u; der(y) = v; der(u) = -l; der(v) = l - g;"
      " x - y = 0.5*time; end B;");
  const dae_problem *p = dae_model_problem(m);
  CHECK(p->boundary != NULL && p->boundary->n == 2 && p->boundary->n_left == 1);
  CHECK(strstr(dae_model_explain(m), "boundary conditions: 2\n") != NULL);
  dae_options o = dae_options_default();
  dae_solution *s = NULL;
  dae_report report;
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &report) == DAE_OK);
  double z[4], y[1];
  if (s) {
    /* u' = v', so u' = -g/2: x = 0.2 + (0.9 + g/4) t - g/4 t^2 */
    CHECK(dae_solution_eval(s, 0.5, z, y, NULL) == DAE_OK);
    double value[5];
    CHECK(dae_model_values(m, 0.5, z, y, value) == 0);
    CHECK_NEAR(value[0], 0.2 + (0.9 + 2.45) * 0.5 - 2.45 * 0.25,
               1e-8); /* quadratic: exact but for rounding */
    CHECK_NEAR(value[4], 4.9, 1e-7);
  }
  dae_solution_free(s);
  dae_model_free(m);
}

/* general initial equations: at rest on a slope, found by Newton from the guesses */
static void test_initial(void) {
  dae_model *m = build(
      "model I Real x(start = 0.7), v; initial equation der(v) = 0; v = 0.25; equation der(x) = v;"
      " der(v) = cos(x) - x; end I;");
  const dae_problem *p = dae_model_problem(m);
  /* the fixed point of the cosine */
  CHECK_NEAR(p->z0[0], 0.73908513321516064166, 1e-13);
  CHECK_NEAR(p->z0[1], 0.25, 0);
  dae_model_free(m);
}

/* y + sin(y)/10 = x: the start value of the state x stays, that of y only helps to find y */
static void test_states_first(void) {
  dae_model *m = build("model G Real x(start = 1), y(start = 0.2); equation der(x) = -x*y; y + "
                       "0.1*sin(y) = x; end G;");
  const dae_problem *p = dae_model_problem(m);
  double y = 1;
  for (int k = 0; k < 50; k++) y = 1 - 0.1 * sin(y); /* a contraction by 0.1 */
  CHECK_NEAR(p->z0[0], 1, 1e-15);
  CHECK_NEAR(p->z0[1], y, 1e-14);
  CHECK(!p->fixed[0] && !p->fixed[1]);
  dae_model_free(m);
}

/* the value of a variable of the text at the end of a run at tolerance 1e-10 */
static double end_value(const char *text, const char *name, long *events) {
  enum { MOST = 20 };
  dae_model *m = build(text);
  const dae_problem *p = dae_model_problem(m);
  double z[MOST] = {0}, y[MOST] = {0}, values[MOST] = {0}, found = NAN;
  dae_options o = dae_options_default();
  dae_stats stats = {0};
  dae_report report;
  o.rtol = o.atol = 1e-10;
  if (p) {
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    dae_status status = dae_solve(p, &o, p->t0, p->t1, z, y, &report, &stats);
    CHECK(status == DAE_OK);
    if (status != DAE_OK) printf("%s\n", report.message);
    CHECK(dae_model_variables(m) <= MOST && dae_model_values(m, p->t1, z, y, values) == 0);
    for (int i = 0; i < dae_model_variables(m); i++)
      if (strcmp(dae_model_variable_name(m, i), name) == 0) found = values[i];
  }
  if (events) *events = stats.events;
  dae_model_free(m);
  return found;
}

/*
 * A Boolean that events set. T' = 3 on - (T - 2)/4 between 10 and 11: rising from 10 it needs 4
 * ln(4/3), falling from 11 it needs 4 ln(9/8); the limits of T are 14 and 2.
 */
static void test_thermostat(void) {
  static const char text[] =
      "model T Real T(start = 10, fixed = true); Boolean on(start = true); equation"
      " der(T) = (if on then 3 else 0) - (T - 2)/4; when T < 10 then on = true;"
      " elsewhen T > 11 then on = false; end when; annotation(experiment(StopTime = 9.5)); end T;";
  double up = 4 * log(4 / 3.0), down = 4 * log(9 / 8.0), t = 9.5;
  long events;
  double T = end_value(text, "T", &events);
  int switches = 0;
  for (double length = up; t > length; switches++) {
    t -= length;
    length = length == up ? down : up;
  }
  CHECK(events == switches && switches > 8);
  bool on = switches % 2 == 0;
  CHECK_NEAR(T, on ? 14 - 4 * exp(-t / 4) : 2 + 9 * exp(-t / 4),
             1e-8); /* errors add up over the switches */
  CHECK_NEAR(end_value(text, "on", NULL), on, 0);
}

/*
 * Sampling: u_k = -k x(k h) holds for one period h, so x((k+1) h) = a x(k h) with a = e^-h - k (1 -
 * e^-h); new values of one when use each other, pre(..) the old ones
 */
static void test_sample(void) {
  static const char text[] =
      "model S parameter Real h = 0.3, k = 1.7; Real x(start = 2, fixed = true); discrete Real "
      "u(start = 0);"
      " Integer n(start = 0); Real e; equation der(x) = -x + u; when sample(0, h) then e = -x; u = "
      "k*e;"
      " n = pre(n) + 1; end when; annotation(experiment(StopTime = 3.15)); end S;";
  double h = 0.3, a = exp(-h) - 1.7 * (1 - exp(-h)), x = 2 * pow(a, 10), s = 3.15 - 10 * h;
  long events;
  CHECK_NEAR(end_value(text, "x", &events), x * exp(-s) - 1.7 * x * (1 - exp(-s)), 1e-8);
  CHECK(events == 11);
  CHECK_NEAR(end_value(text, "n", NULL), 11, 0);
  CHECK_NEAR(end_value(text, "u", NULL), -1.7 * x, 1e-8);
}

/* 100 instants, far closer than the steps that the accuracy allows: none is missed; and what an
   event changes may be an event itself */
static void test_dense_samples(void) {
  long events;
  static const char text[] =
      "model D Real x(start = 0, fixed = true); Integer n(start = 0); Boolean late(start = false); "
      "equation"
      " der(x) = if late then 2 else 1; when sample(0.013, 0.01) then n = pre(n) + 1; end when;"
      " when n >= 60 then late = true; end when; annotation(experiment(StopTime = 1.0075)); end D;";
  CHECK_NEAR(end_value(text, "n", &events), 100, 0);
  CHECK(events == 101);
  CHECK_NEAR(end_value(text, "x", NULL), 1.0075 + (1.0075 - 0.603), 1e-9);
}

/* a run that starts between two instants, or on one: 0.3, 0.4, .. 1 */
static void test_sample_later(void) {
  dae_model *m = build("model S Real x(start = 0, fixed = true); Integer n(start = 0); equation "
                       "der(x) = 1; when sample(0, 0.1) then n = pre(n) + 1; end when; end S;");
  const double start[] = {0.25, 0.3};
  for (int k = 0; k < 2; k++) {
    const dae_problem *p = dae_model_problem(m);
    double z[4], values[2];
    dae_options o = dae_options_default();
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    CHECK(dae_solve(p, &o, start[k], 1, z, NULL, NULL, NULL) == DAE_OK);
    CHECK(dae_model_values(m, 1, z, NULL, values) == 0);
    CHECK_NEAR(values[1], 8, 0);
  }
  dae_model_free(m);
}

/* algebraic variables jump with what they depend on, differential ones do not: y = u + 2 y^3/10, u'
   = -u + r */
static void test_jump(void) {
  static const char text[] = "model J Real u(start = 0, fixed = true), y, w; Real r = if time < "
                             "0.7 then 0 else 1; equation"
                             " der(u) = -u + y; y + 0.2*y^3 = u + r - 0.5*w; w + 0.1*y = 0.3*r; "
                             "annotation(experiment(StopTime = 0.7"
                             " + 1e-9)); end J;";
  /* just after the jump u is still 0 (no time has passed): y + 0.2 y^3 = 1 - 0.15 + 0.05 y */
  double y = 0.8;
  for (int k = 0; k < 30; k++) y -= (0.95 * y + 0.2 * y * y * y - 0.85) / (0.95 + 0.6 * y * y);
  CHECK_NEAR(end_value(text, "u", NULL), 0, 1e-8);
  CHECK_NEAR(end_value(text, "y", NULL), y, 1e-8);
}

/* min and max are places where a path has a corner: prescribed motion, whose rates jump there */
static void test_corner(void) {
  static const char text[] =
      "model C Real x, v, f; equation der(x) = v; der(v) = f - 0.3*v; x = max(0, time - 0.4)^2/2;"
      " annotation(experiment(StopTime = 1)); end C;";
  CHECK_NEAR(end_value(text, "f", NULL), 1 + 0.3 * 0.6, 1e-8);
}

/* a Boolean that an equation gives is a name for its condition */
static void test_boolean_equation(void) {
  static const char text[] = "model B Real x(start = 1, fixed = true); Boolean low, deep; equation "
                             "low = x < 0.5; deep = low and x < 0.2;"
                             " der(x) = if deep then 0 else if low then -0.1 else -1; "
                             "annotation(experiment(StopTime = 5)); end B;";
  CHECK_NEAR(end_value(text, "x", NULL), 0.2, 1e-8);
  CHECK_NEAR(end_value(text, "low", NULL), 1, 0);
}

/* a function that turns at an instant and is put elsewhere there, on the side that it came from,
   by reinit or by what a discrete variable changes: its next zero is c later, and is found whatever
   the step after the instant. x and y fall by 1 a second from 10 */
static void test_put_elsewhere(void) {
  static const char *const how[] = {
      "when x < 0 then n = pre(n) + 1; reinit(x, if pre(n) < 1 then %.17g else 5); reinit(t2, "
      "time);"
      " end when;",
      "y = x + (if on then %.17g else 0); when y < 0 then n = pre(n) + 1; on = not pre(on);"
      " reinit(t2, time); end when;"};
  for (int k = 0; k < 2; k++)
    for (double c = 2; c > 1e-8; c *= 0.31) {
      char text[600], when[300];
      double z[8], y[2], values[8];
      snprintf(when, sizeof when, how[k], c);
      snprintf(text, sizeof text,
               "model T Real x(start = 10, fixed = true), t2(start = 0, fixed = true)%s; Integer"
               " n(start = 0); equation der(x) = -1; der(t2) = 0; %s"
               " annotation(experiment(StopTime = 12.5)); end T;",
               k ? ", y; Boolean on(start = false)" : "", when);
      dae_model *m = build(text);
      CHECK(solve(m, z, y, NULL) == DAE_OK);
      CHECK(dae_model_values(m, 12.5, z, y, values) == 0);
      /* instants of straight lines are found to the tolerance, 1e-10 */
      CHECK_NEAR(values[1], 10 + c, 1e-9);
      dae_model_free(m);
    }
}

int main(void) {
  RUN(test_switch);
  RUN(test_reinit);
  RUN(test_assert);
  RUN(test_thermostat);
  RUN(test_sample);
  RUN(test_dense_samples);
  RUN(test_sample_later);
  RUN(test_jump);
  RUN(test_corner);
  RUN(test_put_elsewhere);
  RUN(test_boolean_equation);
  RUN(test_boundary);
  RUN(test_initial);
  RUN(test_states_first);
  return TEST_END();
}
