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

/* period 2: x = cos-like, x = 0 at t = 1/2 + k; the turning points are at t = k */
static void bottom_is_passed_every_second(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_event e[] = {{.name = "bottom", .value = bottom}};
  dae_problem with = *p;
  with.n_event = 1;
  with.event = e;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &with, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 30.3) == DAE_OK);
  int count;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  CHECK(count == 30);
  double worst = 0;
  for (int i = 0; i < count; i++) worst = fmax(worst, fabs(hit[i].t - (0.5 + i)));
  /* phase errors of a run at 1e-10 over 15 periods */
  CHECK_NEAR(worst, 0, 1e-9 * 15);
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
  CHECK_NEAR(dae_solver_time(s), 1, 1e-7); /* x' has slope g there: time error = velocity error / 13.75 */
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
  dae_problem p = {.kind = DAE_MECHANICAL, .autonomous = true, .z0 = z0, .n_event = 1, .event = &e,
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
    /* between bounces the energy is kept to the tolerance (times the size 12.5 and the number of steps) */
    CHECK_NEAR(0.5 * (z[2] * z[2] + z[3] * z[3]) + 9.81 * z[1], energy, 1e-6);
    CHECK_NEAR(z[3] - z[0] * z[2], 0, 1e-12);
  }
  CHECK(seen >= 2);
  dae_solver_free(s);
}

/* cos t - (1 - d): dips below zero for a moment around t = 2 pi k; with max_step it is not missed */
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

static void grazing_root_is_seen(void) {
  static const double z0[] = {0, 1};
  dae_event e = {.name = "graze", .value = graze};
  dae_problem p = {.kind = DAE_ODE, .z0 = z0, .n_event = 1, .event = &e, .ode = {.n = 2, .f = oscillator}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  o.max_step = 0.2;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 3) == DAE_OK);
  int count;
  const dae_event_hit *hit = dae_solver_events(s, &count);
  /* z = sin t = 0.9999 on both sides of pi/2 */
  CHECK(count == 2);
  CHECK_NEAR(hit[0].t, asin(0.9999), 1e-7); /* slope 0.014 there: 1e-10 of value is 1e-8 of time */
  CHECK_NEAR(hit[1].t, 3.14159265358979 - asin(0.9999), 1e-7);
  dae_solver_free(s);
}

int main(void) {
  RUN(bottom_is_passed_every_second);
  RUN(terminal_and_order);
  RUN(bounce_keeps_the_path);
  RUN(grazing_root_is_seen);
  return TEST_END();
}
