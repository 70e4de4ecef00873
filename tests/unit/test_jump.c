/* constraints of C problems that jump at an event: coordinates jump along the multipliers, and what
   is not determined is refused */
#include <daedal/daedal.h>

#include "test.h"

typedef struct world {
  bool after; /* the event has happened */
  double size, turn, nonlinear;
} world;

static int clock_value(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)z, (void)y, (void)ctx;
  *value = t - 0.5;
  return 0;
}
static int flip(double t, double *z, void *ctx) {
  (void)t, (void)z;
  ((world *)ctx)->after = true;
  return 0;
}

/* x1' = -y, x2' = -3 y (1 + turn x1), 0 = x1 - g; g jumps by `size`: [x2] = 3 size */
static int f(double t, const double *z, const double *y, double *out, void *ctx) {
  const world *w = ctx;
  (void)t;
  out[0] = -y[0];
  out[1] = -3 * y[0] * (1 + w->turn * z[0]) + w->nonlinear * y[0] * y[0];
  return 0;
}
static int g(double t, const double *z, double *out, void *ctx) {
  const world *w = ctx;
  (void)t;
  *out = z[0] - (w->after ? w->size : 0);
  return 0;
}

static dae_status run(world *w, double *z, dae_report *report) {
  static const double z0[] = {0, 0};
  dae_event e = {.name = "switch", .value = clock_value, .change = flip};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .ctx = w,
                   .z0 = z0,
                   .n_event = 1,
                   .event = &e,
                   .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = f, .g = g}};
  double y[1];
  dae_options o = dae_options_default();
  memcpy(z, z0, sizeof z0);
  return dae_solve(&p, &o, 0, 1, z, y, report, NULL);
}

static void along_the_multipliers(void) {
  double z[2];
  dae_report report;
  world w = {.size = 2};
  CHECK(run(&w, z, &report) == DAE_OK);
  CHECK_NEAR(z[0], 2, 1e-12); /* nothing is integrated but zeros: roundings */
  CHECK_NEAR(z[1], 6, 1e-12);
  w = (world){.size = 0};
  CHECK(run(&w, z, &report) == DAE_OK);
  CHECK_NEAR(z[1], 0, 1e-12);
}

/* B differs before and after: the limit depends on how fast g changes beside x1 */
static void undetermined(void) {
  double z[2];
  dae_report report;
  world w = {.size = 2, .turn = 0.5};
  CHECK(run(&w, z, &report) == DAE_E_JUMP);
  CHECK(strstr(report.message, "another direction"));
  CHECK_NEAR(report.t, 0.5, 1e-9); /* located to roundings */
  w = (world){.size = 2, .nonlinear = 0.1};
  CHECK(run(&w, z, &report) == DAE_E_JUMP);
  CHECK(strstr(report.message, "nonlinearly"));
}

/* a mechanism whose position constraint jumps: no impulse moves a position */
static int force(double t, const double *q, const double *v, double *out, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  out[0] = out[1] = 0;
  return 0;
}
/* 0 = q1 - g(t), a jump or a kink */
static int position(double t, const double *q, double *out, void *ctx) {
  const world *w = ctx;
  *out = q[0] - (w->after ? w->size + w->turn * (t - 0.5) : 0);
  return 0;
}
static int position_t(double t, const double *q, double *out, void *ctx) {
  const world *w = ctx;
  (void)t, (void)q;
  *out = w->after ? -w->turn : 0;
  return 0;
}
static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = 2, M[1] = M[2] = 1, M[3] = 3;
  return 0;
}

/* a kink moves velocities by M [v] = G' L: [v1] = turn, [v2] = -turn/3 */
static void mechanisms(void) {
  static const double z0[4] = {0};
  world w = {.size = 0, .turn = 1.5};
  dae_event e = {.name = "switch", .value = clock_value, .change = flip};
  dae_problem p = {
      .kind = DAE_MECHANICAL,
      .ctx = &w,
      .z0 = z0,
      .n_event = 1,
      .event = &e,
      .mechanical = {
          .nq = 2, .ng = 1, .mass = mass, .force = force, .g = position, .g_t = position_t}};
  double z[4] = {0}, y[1];
  dae_options o = dae_options_default();
  dae_report report;
  CHECK(dae_solve(&p, &o, 0, 1, z, y, &report, NULL) == DAE_OK);
  CHECK_NEAR(z[2], 1.5, 1e-9); /* uniform motion: roundings, and g_t by differences */
  CHECK_NEAR(z[3], -0.5, 1e-9);
  w = (world){.size = 0.25};
  memset(z, 0, sizeof z);
  CHECK(dae_solve(&p, &o, 0, 1, z, y, &report, NULL) == DAE_E_JUMP);
  CHECK(strstr(report.message, "g1"));
}

/* an invariant of an ODE jumps though the event changes nothing */
static int still(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)z, (void)ctx;
  dz[0] = 1;
  dz[1] = -1;
  return 0;
}
static int sum(double t, const double *z, double *h, void *ctx) {
  const world *w = ctx;
  (void)t;
  *h = z[0] + z[1] - (w->after ? w->size : 0);
  return 0;
}
static int flip_and_move(double t, double *z, void *ctx) {
  (void)t;
  world *w = ctx;
  w->after = true;
  z[0] += w->size;
  return 0;
}
static void invariants(void) {
  static const double z0[] = {0, 0};
  for (int moves = 0; moves < 2; moves++) {
    world w = {.size = 1};
    dae_event e = {.name = "switch", .value = clock_value, .change = moves ? flip_and_move : flip};
    dae_problem p = {.kind = DAE_ODE,
                     .ctx = &w,
                     .z0 = z0,
                     .n_event = 1,
                     .event = &e,
                     .ode = {.n = 2, .nh = 1, .f = still, .h = sum}};
    double z[2] = {0};
    dae_options o = dae_options_default();
    dae_report report;
    dae_status status = dae_solve(&p, &o, 0, 1, z, NULL, &report, NULL);
    CHECK(status == (moves ? DAE_OK : DAE_E_JUMP));
    if (moves) CHECK_NEAR(z[0], 2, 1e-12); /* 1 + t at t = 1 */
  }
}

/* a constraint of time in a problem that says it is autonomous: its missing g_t would be zero */
static int moving(double t, const double *q, double *out, void *ctx) {
  (void)ctx;
  *out = q[0] - t * t;
  return 0;
}
static void autonomous_is_checked(void) {
  static const double z0[4] = {0};
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .z0 = z0,
                   .t1 = 1,
                   .autonomous = true,
                   .mechanical = {.nq = 2, .ng = 1, .force = force, .g = moving}};
  double z[4] = {0}, y[1];
  dae_options o = dae_options_default();
  dae_report report;
  CHECK(dae_solve(&p, &o, 0, 1, z, y, &report, NULL) == DAE_E_INPUT);
  CHECK(strstr(report.message, "g1 depends on the time") && strstr(report.advice, "g_t"));
  p.autonomous = false;
  memset(z, 0, sizeof z);
  CHECK(dae_solve(&p, &o, 0, 1, z, y, &report, NULL) == DAE_OK);
  CHECK_NEAR(z[2], 2, 1e-8); /* v = 2 t; g_t by differences, good to 1e-10 */
  o.atol = 0;
  CHECK(dae_solve(&p, &o, 0, 1, z, y, &report, NULL) == DAE_E_INPUT);
  CHECK(strstr(report.message, "atol") && !strstr(report.advice, "oosen"));
}

int main(void) {
  RUN(along_the_multipliers);
  RUN(undetermined);
  RUN(mechanisms);
  RUN(invariants);
  RUN(autonomous_is_checked);
  return TEST_END();
}
