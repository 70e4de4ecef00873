/* events on a pendulum whose motion is known exactly, and on a bouncing bead */
#include <gallery.h>

#include "test.h"

static int bottom(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0];
  return 0;
}
static int at_rest(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[2];
  return 0;
}

/* arithmetic-geometric mean */
static double agm(double a, double b) {
  while (fabs(a - b) > 1e-15 * a) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}

/* from the horizontal, T = 2 pi / (sqrt(g/l) agm(1, cos(theta/2))) with theta = pi/2; the bottom is
   passed at T/4 and then every T/2: a thousand times, each right to 1e-9 at a tolerance of 1e-10 */
static void bottom_is_passed_a_thousand_times(void) {
  const double g = 9.81, l = 1, pi = 3.14159265358979323846;
  const double period = 2 * pi / (sqrt(g / l) * agm(1, sqrt(0.5)));
  const char *set[] = {"g"};
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "pendulum", 1, set, &g, message, sizeof message) == DAE_OK);
  dae_event e[] = {{.name = "bottom", .value = bottom}};
  dae_problem with = *p;
  with.n_event = 1;
  with.event = e;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &with, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 500.1 * period) == DAE_OK);
  int count;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  CHECK(count == 1000);
  double worst = 0;
  for (int i = 0; i < count; i++) worst = fmax(worst, fabs(hit[i].t - (0.25 + 0.5 * i) * period));
  CHECK_NEAR(worst, 0, 1e-9);
  dae_solver_free(s);
  gallery_close("pendulum", p);
}

static void terminal_and_order(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_event e[] = {{.name = "rest", .value = at_rest, .terminal = true},
                   {.name = "bottom", .value = bottom, .direction = -1}};
  dae_problem with = *p;
  with.n_event = 2;
  with.event = e;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &with, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  /* the start itself is a turning point and is not reported; x' is zero again at t = 1 */
  CHECK(dae_solver_advance(s, 10) == DAE_EVENT);
  CHECK_NEAR(dae_solver_time(s), 1,
             1e-7); /* x' has slope g there: time error = velocity error / 13.75 */
  CHECK(dae_solver_report(s)->event == 0);
  double drift[2];
  dae_solver_drift(s, dae_solver_time(s), dae_solver_z(s), drift);
  CHECK(drift[0] < 1e-14 && drift[1] < 1e-13);
  CHECK(dae_solver_advance(s, 10) == DAE_EVENT);
  CHECK_NEAR(dae_solver_time(s), 2, 1e-7);
  int count;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  /* bottom falling at 0.5, rest at 1, (rising at 1.5 not wanted), rest at 2 */
  CHECK(count == 3);
  CHECK(hit[0].event == 1 && hit[1].event == 0 && hit[2].event == 0);
  dae_solver_free(s);
  gallery_close("pendulum", p);
}

/* a bead on the parabola y = x^2/2 that hits a wall at x = 1 and loses 1/4 of its speed */
static int gravity(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}
static int parabola(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[1] - 0.5 * q[0] * q[0];
  return 0;
}
static int wall(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = 1 - z[0];
  return 0;
}
static int bounce(double t, double *z, void *ctx) {
  (void)t, (void)ctx;
  z[2] *= -0.75;
  z[3] *= -0.70; /* not along the path: the solver must bring it there */
  return 0;
}

static void bounce_keeps_the_path(void) {
  static const double z0[] = {0, 0, 5, 0};
  dae_event e = {.name = "wall", .value = wall, .direction = -1, .change = bounce};
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .autonomous = true,
                   .z0 = z0,
                   .n_event = 1,
                   .event = &e,
                   .mechanical = {.nq = 2, .ng = 1, .force = gravity, .g = parabola}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  double energy = 12.5;
  int seen = 0, count;
  while (dae_solver_time(s) < 4) {
    if (dae_solver_step(s, 4) != DAE_OK) {
      printf("%s\n", dae_solver_report(s)->message);
      CHECK(0);
      break;
    }
    const double *z = dae_solver_z(s);
    dae_solver_events(s, &count);
    if (count > seen) {
      /* right after the bounce: on the wall, moving back along the path */
      CHECK_NEAR(z[0], 1, 1e-9);
      CHECK(z[2] < 0);
      energy = 0.5 * (z[2] * z[2] + z[3] * z[3]) + 9.81 * z[1];
    }
    seen = count;
    /* between bounces the energy is kept to the tolerance (times the size 12.5 and the number of
       steps) */
    CHECK_NEAR(0.5 * (z[2] * z[2] + z[3] * z[3]) + 9.81 * z[1], energy, 1e-6);
    CHECK_NEAR(z[3] - z[0] * z[2], 0, 1e-12);
  }
  CHECK(seen >= 2);
  dae_solver_free(s);
}

/* cos t - (1 - d): dips below zero for a moment around t = 2 pi k; with max_step it is not
   missed */
static int oscillator(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1];
  dz[1] = -z[0];
  return 0;
}
static int graze(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = 0.9999 - z[0];
  return 0;
}

/* z = sin t up to t = 3: the times of the event, at most `most` of them; returns how many */
static int oscillate(dae_event e, double tol, double max_step, int most, double *times) {
  static const double z0[] = {0, 1};
  dae_problem p = {
      .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 2, .f = oscillator}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.max_step = max_step;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 3) == DAE_OK);
  int count;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  for (int i = 0; i < count && i < most; i++) times[i] = hit[i].t;
  dae_solver_free(s);
  return count;
}

static void grazing_root_is_seen(void) {
  double t[2] = {0};
  /* z = sin t = 0.9999 on both sides of pi/2 */
  CHECK(oscillate((dae_event){.name = "graze", .value = graze}, 1e-10, 0.2, 2, t) == 2);
  CHECK_NEAR(t[0], asin(0.9999), 1e-7); /* slope 0.014 there: 1e-10 of value is 1e-8 of time */
  CHECK_NEAR(t[1], 3.14159265358979 - asin(0.9999), 1e-7);
}

/* 1 - sin t touches zero at pi/2 and does not cross; in time the touch is known to the root of the
   error of z only */
static int touch(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = 1 - z[0];
  return 0;
}

static void touching_root_is_seen(void) {
  double t[2] = {0};
  int count = oscillate((dae_event){.name = "touch", .value = touch}, 1e-12, 0.17, 2, t);
  /* an error of 1e-12 may turn the touch into two crossings next to each other */
  CHECK(count == 1 || count == 2);
  for (int i = 0; i < count && i < 2; i++) CHECK_NEAR(t[i], asin(1), 1e-4);
}

/* three levels that sin t passes on its way up, listed in another order; two of them lie within one
   step */
static int level_a(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 0.52;
  return 0;
}
static int level_b(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 0.51;
  return 0;
}
static int level_c(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = 0.515 - z[0];
  return 0;
}

static void several_in_one_step(void) {
  static const double z0[] = {0, 1};
  static const double when[] = {0.51, 0.515, 0.52};
  for (int stop = 0; stop < 2; stop++) {
    /* terminal or not: the order is the same */
    dae_event e[] = {{.name = "a", .value = level_a, .terminal = stop},
                     {.name = "b", .value = level_b, .terminal = stop},
                     {.name = "c", .value = level_c}};
    dae_problem p = {
        .kind = DAE_ODE, .z0 = z0, .n_event = 3, .event = e, .ode = {.n = 2, .f = oscillator}};
    dae_options o = dae_options_default();
    o.rtol = o.atol = 1e-9;
    o.method = "dop853";
    dae_solver *s;
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    int stops = 0, most = 0, count = 0, before = 0;
    while (dae_solver_time(s) < 1) {
      dae_status status = dae_solver_step(s, 1);
      CHECK(status == DAE_OK || status == DAE_EVENT);
      stops += status == DAE_EVENT;
      dae_solver_events(s, &count);
      most = count - before > most ? count - before : most;
      before = count;
    }
    const dae_event_hit *hit = dae_solver_events(s, &count);
    CHECK(count == 3 && stops == 2 * stop);
    if (!stop) CHECK(most == 3); /* all in one step */
    for (int i = 0; i < count && i < 3; i++) {
      CHECK(hit[i].event == (i == 0 ? 1 : i == 1 ? 2 : 0));
      CHECK_NEAR(hit[i].t, asin(when[i]), 1e-8); /* ten times the tolerance */
    }
    dae_solver_free(s);
  }
}

/* a start on the event is not an event, nor is going on from a terminal one, by the same solver or
   by a new start */
static void a_start_on_the_event_is_none(void) {
  static const double z0[] = {0, 1};
  dae_event e = {.name = "zero", .value = bottom, .terminal = true};
  dae_problem p = {
      .kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 2, .f = oscillator}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  dae_solver *s;
  int count;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  for (int k = 1; k <= 3; k++) {
    CHECK(dae_solver_advance(s, 20) == DAE_EVENT);
    CHECK_NEAR(dae_solver_time(s), k * acos(-1), 1e-8);
    dae_solver_events(s, &count);
    CHECK(count == k);
  }
  double z[2];
  memcpy(z, dae_solver_z(s), sizeof z);
  CHECK(dae_solver_start(s, dae_solver_time(s), z, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 20) == DAE_EVENT);
  CHECK_NEAR(dae_solver_time(s), 4 * acos(-1), 1e-8);
  dae_solver_events(s, &count);
  CHECK(count == 1);
  dae_solver_free(s);
}

int main(void) {
  RUN(bottom_is_passed_a_thousand_times);
  RUN(terminal_and_order);
  RUN(bounce_keeps_the_path);
  RUN(grazing_root_is_seen);
  RUN(touching_root_is_seen);
  RUN(several_in_one_step);
  RUN(a_start_on_the_event_is_none);
  return TEST_END();
}
