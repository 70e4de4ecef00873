/* the rules of events/events.h in C problems: recurrence, zero at the start, the end of a run,
   reverse time, functions that jump or fail, many of them, events without end */
#include <daedal/daedal.h>

#include "test.h"

typedef struct ball {
  double g, r, hop;
} ball;

static int fall(double t, const double *z, double *dz, void *ctx) {
  (void)t;
  dz[0] = z[1];
  dz[1] = -((ball *)ctx)->g;
  return 0;
}
static int height(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0];
  return 0;
}
static int rebound(double t, double *z, void *ctx) {
  const ball *b = ctx;
  (void)t;
  z[1] = b->hop > 0 ? b->hop : -b->r * z[1];
  return 0;
}

static dae_solver *begin(const dae_problem *p, double t0, double tol) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, t0, NULL, NULL) == DAE_OK);
  return s;
}

/* hops of 2*0.05/9.81 after the first contact at sqrt(2/9.81): 1918 contacts up to t = 20 */
static void no_hop_is_lost(void) {
  static const double z0[] = {1, 0};
  for (int direction = -1; direction <= 0; direction++) {
    ball b = {9.81, 0, 0.05};
    dae_event e = {.name = "ground", .value = height, .direction = direction, .change = rebound};
    dae_problem p = {.kind = DAE_ODE,
                     .ctx = &b,
                     .z0 = z0,
                     .n_event = 1,
                     .event = &e,
                     .ode = {.n = 2, .f = fall}};
    dae_solver *s = begin(&p, 0, 1e-9);
    CHECK(dae_solver_advance(s, 20) == DAE_OK);
    int count;
    const dae_event_hit *hit = dae_solver_events(s, &count);
    CHECK(count == 1918);
    double first = sqrt(2 / 9.81), hop = 0.1 / 9.81, worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(hit[i].t - first - i * hop));
    CHECK_NEAR(worst, 0, 1e-8); /* the motion is a parabola: roundings of 1918 contacts */
    dae_solver_free(s);
  }
}

/* contacts at t1 (1 + 2 (r + .. + r^k)); beyond t1 (1 + r)/(1 - r) there is no motion */
static void bounces_end_in_a_status(void) {
  static const double z0[] = {1, 0};
  for (double r = 0.3; r < 0.96; r += 0.05) {
    ball b = {9.81, r, 0};
    dae_event e = {.name = "ground", .value = height, .direction = -1, .change = rebound};
    dae_problem p = {.kind = DAE_ODE,
                     .ctx = &b,
                     .z0 = z0,
                     .n_event = 1,
                     .event = &e,
                     .ode = {.n = 2, .f = fall}};
    dae_solver *s = begin(&p, 0, 1e-10);
    double first = sqrt(2 / 9.81), end = first * (1 + r) / (1 - r), t = first, v = 9.81 * first;
    CHECK(dae_solver_advance(s, 2 * end) == DAE_E_EVENTS);
    CHECK_NEAR(dae_solver_time(s), end, 1e-6 * end);
    CHECK(strstr(dae_solver_report(s)->message, "ground") != NULL);
    CHECK(dae_solver_stats(s)->steps < 3000);
    int count;
    const dae_event_hit *hit = dae_solver_events(s, &count);
    CHECK(count > 12);
    for (int i = 0; i < 12 && i < count; i++) {
      CHECK_NEAR(hit[i].t, t, 1e-8);
      v *= r;
      t += 2 * v / 9.81;
    }
    dae_solver_free(s);
  }
}

static int turn(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1];
  dz[1] = -z[0];
  return 0;
}

/* sin t = 0 backwards from 10 to 0.5, where "rising" means along the run */
static void backwards(void) {
  const double pi = 3.14159265358979323846, z0[] = {sin(10), cos(10)};
  for (int direction = -1; direction <= 1; direction++) {
    dae_event e = {.name = "zero", .value = height, .direction = direction};
    dae_problem p = {
        .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 2, .f = turn}};
    dae_solver *s = begin(&p, 10, 1e-10);
    CHECK(dae_solver_advance(s, 0.5) == DAE_OK);
    int count, k = 0;
    const dae_event_hit *hit = dae_solver_events(s, &count);
    /* 3 pi falling forwards, so rising backwards; 2 pi the other way; pi */
    CHECK(count == (direction == 0 ? 3 : direction > 0 ? 2 : 1));
    for (int n = 3; n >= 1; n--) {
      bool rising = n % 2 == 1;
      if (direction != 0 && rising != (direction > 0)) continue;
      if (k < count) CHECK_NEAR(hit[k++].t, n * pi, 1e-9);
    }
    dae_solver_free(s);
  }
}

static int line(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)z, (void)ctx;
  dz[0] = 1;
  return 0;
}
static int one(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 1;
  return 0;
}

/* the zero is the end of a call, a time that must be hit, or both: one event all the same */
static void once_at_the_end_of_a_call(void) {
  static const double z0[] = {0}, times[] = {0.5, 1, 1.5};
  for (int hits = 0; hits < 2; hits++) {
    dae_event e = {.name = "one", .value = one};
    dae_problem p = {
        .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 1, .f = line}};
    dae_solver *s = begin(&p, 0, 1e-9);
    if (hits) CHECK(dae_solver_hit(s, times, 3) == DAE_OK);
    for (int k = 1; k <= 4; k++) CHECK(dae_solver_advance(s, 0.5 * k) == DAE_OK);
    int count;
    const dae_event_hit *hit = dae_solver_events(s, &count);
    CHECK(count == 1);
    if (count) CHECK_NEAR(hit[0].t, 1, 1e-12);
    dae_solver_free(s);
  }
}

/* defined up to z = 1 only, which the solution reaches and interpolation may pass by a rounding */
static int arc(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  if (z[0] > 1) return 1;
  *value = sqrt(1 - z[0] * z[0]) - 0.6;
  return 0;
}
/* a jump that is never zero */
static int jump(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] > 0.8 ? 5 : -2;
  return 0;
}

/* cos t = 0.6 where |sin t| = 0.8, twice around each extreme of sin */
static void functions_that_fail_or_jump(void) {
  static const double z0[] = {0, 1};
  dae_event e[] = {{.name = "arc", .value = arc}, {.name = "jump", .value = jump}};
  dae_problem p = {.kind = DAE_ODE, .z0 = z0, .n_event = 2, .event = e, .ode = {.n = 2, .f = turn}};
  dae_solver *s = begin(&p, 0, 1e-12);
  dae_status status = dae_solver_advance(s, 3.1);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("%s\n", dae_solver_report(s)->message);
  int count, seen[2] = {0};
  const dae_event_hit *hit = dae_solver_events(s, &count);
  const double when[] = {asin(0.8), acos(-1) - asin(0.8)};
  for (int i = 0; i < count; i++) {
    int k = seen[hit[i].event]++;
    if (k < 2) CHECK_NEAR(hit[i].t, when[k], 1e-9);
  }
  CHECK(seen[0] == 2 && seen[1] == 2);
  dae_solver_free(s);
}

/* a tank that empties at the rate 1 until its valve closes at a level of 0.0025; steps of any
   length solve that, and go far beyond, to levels at which the event function has no value */
typedef struct tank {
  bool open;
  int kind;
} tank;

static int drain(double t, const double *z, double *dz, void *ctx) {
  const tank *k = ctx;
  (void)t, (void)z;
  dz[0] = k->open ? -1 : 0;
  return 0;
}
static int nearly_dry(double t, const double *z, const double *y, double *value, void *ctx) {
  const tank *k = ctx;
  (void)t, (void)y;
  if (k->kind == 0) *value = sqrt(z[0]) - 0.05; /* nothing below 0 */
  else if (k->kind == 1) *value = z[0] > 0.0024 ? log(z[0] / 0.0025) : NAN;
  /* islands, wide and narrow */
  else *value = z[0] < (k->kind == 2 ? -0.2 : 0) && z[0] > -0.5 ? NAN : z[0] - 0.0025;
  return 0;
}
static int close_valve(double t, double *z, void *ctx) {
  (void)t, (void)z;
  ((tank *)ctx)->open = false;
  return 0;
}

static void no_value_behind_the_switch(void) {
  static const char *const methods[] = {"auto", "dopri5", "radau3", "radau5", "bdf"};
  static const double z0[] = {1};
  for (int kind = 0; kind < 4; kind++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      tank k = {true, kind};
      dae_event e = {.name = "dry", .value = nearly_dry, .change = close_valve};
      dae_problem p = {.kind = DAE_ODE,
                       .ctx = &k,
                       .z0 = z0,
                       .t1 = 5,
                       .n_event = 1,
                       .event = &e,
                       .ode = {.n = 1, .f = drain}};
      dae_options o = dae_options_default();
      double z = 1;
      o.method = methods[m];
      CHECK(dae_solve(&p, &o, 0, 5, &z, NULL, NULL, NULL) == DAE_OK);
      CHECK_NEAR(z, 0.0025, 1e-10); /* straight lines have no error but that of the zero */
    }
}

/* 0.02 of time above a level, inside a step of any length the solution allows: x = t */
static int bump(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] * (2 - z[0]) - (1 - 1e-4);
  return 0;
}

static void double_zeros(void) {
  static const double z0[] = {0};
  for (int direction = -1; direction <= 1; direction++) {
    dae_event e = {.name = "bump", .value = bump, .direction = direction};
    dae_problem p = {
        .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 1, .f = line}};
    dae_solver *s = begin(&p, 0, 1e-6);
    CHECK(dae_solver_advance(s, 2) == DAE_OK);
    int count;
    const dae_event_hit *hit = dae_solver_events(s, &count);
    CHECK(count == (direction == 0 ? 2 : 1));
    if (count) CHECK_NEAR(hit[0].t, direction < 0 ? 1.01 : 0.99, 1e-9);
    dae_solver_free(s);
  }
}

/* two events at the same time: each changes its own variable, once */
static int drift(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)z, (void)ctx;
  dz[0] = 1, dz[1] = -1, dz[2] = 0;
  return 0;
}
static int second(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = -z[1];
  return 0;
}
static int add_one(double t, double *z, void *ctx) {
  (void)t, (void)ctx;
  z[2] += 1;
  return 0;
}
static int add_ten(double t, double *z, void *ctx) {
  (void)t, (void)ctx;
  z[2] += 10;
  return 0;
}

static void simultaneous_changes(void) {
  static const double z0[] = {0.3, 0.7, 0};
  dae_event e[] = {{.name = "a", .value = one, .direction = 1, .change = add_one},
                   {.name = "b", .value = second, .direction = 1, .change = add_ten}};
  dae_problem p = {
      .kind = DAE_ODE, .z0 = z0, .n_event = 2, .event = e, .ode = {.n = 3, .f = drift}};
  dae_solver *s = begin(&p, 0, 1e-9);
  CHECK(dae_solver_advance(s, 2) == DAE_OK);
  CHECK_NEAR(dae_solver_z(s)[2], 11, 0);
  CHECK(dae_solver_stats(s)->events == 2);
  dae_solver_free(s);
}

static int square(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[0] * z[0];
  return 0;
}
/* both sides lead to 0, and no event says so */
static int chatter(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[0] > 0 ? -1 : 1;
  return 0;
}

/* x' = x^2 from 1 ends at t = 1; a jump that is stepped over again and again takes 1e9 steps */
static void hopeless_runs_are_told(void) {
  static const double z0[] = {1};
  static const char *const name[] = {"speed"};
  for (int k = 0; k < 2; k++) {
    dae_problem p = {
        .kind = DAE_ODE, .z0 = z0, .z_name = name, .ode = {.n = 1, .f = k ? chatter : square}};
    dae_solver *s = begin(&p, 0, 1e-8);
    CHECK(dae_solver_advance(s, 3) == DAE_E_STEP);
    CHECK_NEAR(dae_solver_time(s), 1, 1e-3);
    CHECK_STR(dae_solver_report(s)->variable, "speed");
    CHECK(strstr(dae_solver_report(s)->message, k ? "the error of speed" : "grows without bound"));
    CHECK(dae_solver_stats(s)->steps < 100000);
    dae_solver_free(s);
  }
}

static int turn_and_grow(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1], dz[1] = -z[0], dz[2] = z[2] * z[2] * z[2];
  return 0;
}
static int abscissa(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 0.3;
  return 0;
}

/* fixed steps over an infinity, with an event in the step: its interpolation may have no value. The
   run ends with a status that the report explains, at a point whose values are numbers */
static void numbers_after_a_failure(void) {
  static const double z0[] = {0.6, 0.8, 0.5};
  dae_event e[] = {{.name = "a", .value = abscissa, .terminal = true}};
  dae_problem p = {
      .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = e, .ode = {.n = 3, .f = turn_and_grow}};
  int failed = 0;
  for (double step = 0.5; step < 4; step += 0.03) {
    dae_options o = dae_options_default();
    o.step = step;
    o.method = "dop853";
    dae_solver *s = NULL;
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    dae_status status = dae_solver_advance(s, 3 * step);
    CHECK(status >= 0 || dae_solver_report(s)->status == status);
    for (int i = 0; i < 3; i++) CHECK(isfinite(dae_solver_z(s)[i]));
    failed += status < 0;
    dae_solver_free(s);
  }
  CHECK(failed > 0);
}

int main(void) {
  RUN(numbers_after_a_failure);
  RUN(no_hop_is_lost);
  RUN(bounces_end_in_a_status);
  RUN(backwards);
  RUN(once_at_the_end_of_a_call);
  RUN(functions_that_fail_or_jump);
  RUN(no_value_behind_the_switch);
  RUN(double_zeros);
  RUN(simultaneous_changes);
  RUN(hopeless_runs_are_told);
  return TEST_END();
}
