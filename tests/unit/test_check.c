/* dae_problem_check: right derivatives pass, a wrong entry is named */
#include <math.h>

#include <daedal/daedal.h>
#include "test.h"

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -0.3 * v[0] + q[1];
  f[1] = -9.81;
  return 0;
}
static int g(double t, const double *q, double *r, void *ctx) {
  (void)ctx;
  r[0] = q[0] * q[0] + q[1] * q[1] - 1.7 - 0.2 * sin(t);
  return 0;
}
static int G(double t, const double *q, double *J, void *ctx) {
  (void)t;
  J[0] = 2 * q[0];
  J[1] = (ctx ? 2.02 : 2) * q[1];
  return 0;
}
static int g_t(double t, const double *q, double *r, void *ctx) {
  (void)q, (void)ctx;
  r[0] = -0.2 * cos(t);
  return 0;
}
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)q, (void)ctx;
  c[0] = 2 * (v[0] * v[0] + v[1] * v[1]) + 0.2 * sin(t);
  return 0;
}

static const double z0[] = {1.1, -0.7, 0.4, 0.9};

static void right_ones_pass(void) {
  dae_problem p = {
      .kind = DAE_MECHANICAL,
      .z0 = z0,
      .mechanical = {
          .nq = 2, .ng = 1, .force = force, .g = g, .G = G, .g_t = g_t, .curvature = curvature}};
  char message[256];
  CHECK(dae_problem_check(&p, 0.3, NULL, NULL, message, sizeof message) == DAE_OK);
  CHECK_STR(message, "");
}

static void wrong_entry_is_named(void) {
  static const char *const names[] = {"x", "y", "u", "v"}, *const g_name[] = {"rod"};
  int wrong = 1;
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .z0 = z0,
                   .ctx = &wrong,
                   .z_name = names,
                   .g_name = g_name,
                   .mechanical = {.nq = 2, .ng = 1, .force = force, .g = g, .G = G}};
  char message[256];
  CHECK(dae_problem_check(&p, 0.3, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "G is wrong at [rod, y] (entry 1,2)") != NULL);
}

static void false_autonomous_is_seen(void) {
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .z0 = z0,
                   .autonomous = true,
                   .mechanical = {.nq = 2, .ng = 1, .force = force, .g = g}};
  char message[256];
  CHECK(dae_problem_check(&p, 0.3, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "g_t is wrong at [g1]") != NULL);
}

static void incomplete_is_refused(void) {
  dae_problem p = {.kind = DAE_MECHANICAL, .z0 = z0, .mechanical = {.nq = 2, .ng = 1}};
  char message[256];
  CHECK(dae_problem_check(&p, 0.3, NULL, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK_STR(message, "mechanical.g is missing although mechanical.ng > 0");
}

/* ---- derivatives that are right where differences are not easy: none is accused ---- */

/* one scalar function of one variable and time, its value and both derivatives, chosen by ctx */
static const double PI = 3.141592653589793;
enum { JUMP_IN_TIME, PERIODIC, STEEP, ROOT, KINK, STAIRS, NOISE, CANCELS, TINY, CASES };

static double value_of(int kind, double t, double x, double *dx, double *dt) {
  double s;
  *dt = 0;
  switch (kind) {
    case JUMP_IN_TIME: *dx = 1; return x + (t >= 0.3 ? 5 : 0);
    case PERIODIC: *dx = 1, *dt = -200 * PI * cos(200 * PI * t); return x - sin(200 * PI * t);
    case STEEP: *dx = 1e6 / pow(cosh(1e6 * (x - 1.1)), 2); return tanh(1e6 * (x - 1.1));
    case ROOT: *dx = 1.5 * sqrt(fmax(x - 1.1, 0)); return pow(x - 1.1, 1.5); /* NaN on the left */
    case KINK: *dx = x >= 1.1 ? 1 : -1; return fabs(x - 1.1);
    case STAIRS: *dx = 0; return floor(1e3 * x + 0.37) / 1e3;
    case NOISE:
      s = sin(1e9 * x); /* what an iteration inside leaves */
      *dx = 1;
      return x + 1e-6 * (s - floor(s));
    case CANCELS: *dx = 1; return (x + 1e8) - 1e8;
    default: *dx = 2e-9 * x; return 1e-9 * x * x;
  }
}

static int hard_f(double t, const double *z, double *dz, void *ctx) {
  double dx, dt, scale = *(const int *)ctx == TINY ? 1e-9 : 1;
  dz[0] = value_of(*(const int *)ctx, t, z[0], &dx, &dt);
  dz[1] = scale * z[1];
  return 0;
}
static int hard_f_z(double t, const double *z, double *J, void *ctx) {
  double dt, scale = *(const int *)ctx == TINY ? 1e-9 : 1;
  value_of(*(const int *)ctx, t, z[0], &J[0], &dt);
  J[3] = scale;
  return 0;
}
static int hard_h(double t, const double *z, double *h, void *ctx) {
  double dx, dt;
  h[0] = value_of(*(const int *)ctx, t, z[0], &dx, &dt);
  return 0;
}
static int hard_h_t(double t, const double *z, double *h, void *ctx) {
  double dx;
  value_of(*(const int *)ctx, t, z[0], &dx, &h[0]);
  return 0;
}

static void nobody_is_accused(void) {
  for (int kind = 0; kind < CASES; kind++)
    for (int place = 0; place < 2; place++) {
      double z[] = {1.1, place ? 0 : 3e7};
      dae_problem p = {
          .kind = DAE_ODE,
          .ctx = &kind,
          .ode = {.n = 2, .nh = 1, .f = hard_f, .f_z = hard_f_z, .h = hard_h, .h_t = hard_h_t}};
      char message[256];
      dae_status status = dae_problem_check(&p, 0.3, z, NULL, message, sizeof message);
      CHECK(status != DAE_E_INPUT);
      if (status == DAE_E_INPUT) printf("  kind %d: %s\n", kind, message);
    }
}

/* sums of currents, as circuits have them: (b y + a x) - b y - a x is 0, and both its derivatives
   are, but rounding is not; ctx: a, b */
static int sum_f(double t, const double *z, double *dz, void *ctx) {
  const double *c = ctx;
  double u = c[0] * z[0], v = c[1] * z[1];
  (void)t;
  dz[0] = ((v + u) - v) - u;
  dz[1] = z[0];
  return 0;
}
static int sum_f_z(double t, const double *z, double *J, void *ctx) {
  (void)t, (void)z, (void)ctx;
  J[2] = 1;
  return 0;
}

static void sums_that_cancel(void) {
  double c[2];
  dae_problem p = {.kind = DAE_ODE, .ctx = c, .ode = {.n = 2, .f = sum_f, .f_z = sum_f_z}};
  int accused = 0;
  for (int k = 0; k < 400; k++) {
    double z[2] = {k % 4 ? 0.1 * sin(k) : 0, k % 3 ? cos(3 * k) : 1e3 * cos(k)};
    char message[256];
    c[0] = pow(10, 3 * sin(7 * k)), c[1] = pow(10, 3 * sin(5 * k + 1));
    accused += dae_problem_check(&p, 0, z, NULL, message, sizeof message) != DAE_OK;
  }
  CHECK(accused == 0);
}

/* a bounded function of a variable that is tiny beside others: from far away its slope is 0, and
   what was given, right but for rounding that other terms have left in it (5e-4, half of what is no
   fault), is near none of the differences; ctx: the scale */
static int bounded_f(double t, const double *z, double *dz, void *ctx) {
  double scale = *(const double *)ctx;
  (void)t;
  dz[0] = -z[0];
  dz[1] = scale * tanh(z[1] / scale);
  return 0;
}
static int bounded_f_z(double t, const double *z, double *J, void *ctx) {
  double scale = *(const double *)ctx, c = cosh(z[1] / scale);
  (void)t;
  J[0] = -1, J[3] = (1 + 5e-4) / (c * c);
  return 0;
}

static void bounded_and_tiny(void) {
  double scale;
  dae_problem p = {
      .kind = DAE_ODE, .ctx = &scale, .ode = {.n = 2, .f = bounded_f, .f_z = bounded_f_z}};
  for (scale = 1.7; scale > 1e-9; scale *= 0.31) {
    double z[] = {1.3e5, 1.37 * scale};
    char message[256];
    CHECK(dae_problem_check(&p, 0, z, NULL, message, sizeof message) == DAE_OK);
  }
}

/* ---- wrong ones are found: every entry of a full system in turn, in many ways ---- */

typedef struct spoiled {
  int row, col, how; /* how: sign, factor 2, missing, a term too many, transposed */
  double unit[3];
} spoiled;

static int full_f(double t, const double *z, double *dz, void *ctx) {
  const spoiled *s = ctx;
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = z[i] / s->unit[i];
  dz[0] = s->unit[0] * (x[0] * x[1] - 2 * x[2]);
  dz[1] = s->unit[1] * (sin(x[0]) + x[1] * x[1] * t + 3 * x[2]);
  dz[2] = s->unit[2] * (x[0] * x[0] - x[1] + exp(-x[2]));
  return 0;
}
static int full_f_z(double t, const double *z, double *J, void *ctx) {
  const spoiled *s = ctx;
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = z[i] / s->unit[i];
  double A[9] = {x[1], x[0], -2, cos(x[0]), 2 * x[1] * t, 3, 2 * x[0], -1, -exp(-x[2])};
  for (int i = 0; i < 9; i++) J[i] = A[i] * s->unit[i / 3] / s->unit[i % 3];
  double *entry = &J[s->row * 3 + s->col];
  if (s->how == 0) *entry = -*entry;
  if (s->how == 1) *entry *= 2;
  if (s->how == 2) *entry = 0;
  if (s->how == 3) *entry += 0.7 * s->unit[s->row] / s->unit[s->col];
  if (s->how == 4) *entry = J[s->col * 3 + s->row];
  return 0;
}

static void every_wrong_entry_is_found(void) {
  static const double units[2][3] = {{1, 1, 1}, {1e8, 1, 1e-8}};
  for (int u = 0; u < 2; u++)
    for (int k = 0; k < 45; k++) {
      spoiled s = {k / 5 / 3, k / 5 % 3, k % 5, {units[u][0], units[u][1], units[u][2]}};
      double z[3] = {0.7 * s.unit[0], -1.3 * s.unit[1], 0.4 * s.unit[2]};
      dae_problem p = {.kind = DAE_ODE, .ctx = &s, .ode = {.n = 3, .f = full_f, .f_z = full_f_z}};
      dae_options o = dae_options_default();
      dae_report r;
      char message[256], part[80];
      snprintf(part, sizeof part, "f_z is wrong at [x%d, x%d]", s.row + 1, s.col + 1);
      bool wrong = s.how != 4 || s.row != s.col;
      dae_status status = dae_problem_check(&p, 0.3, z, NULL, message, sizeof message);
      CHECK(status == (wrong ? DAE_E_INPUT : DAE_OK) && (!wrong || strstr(message, part)));
      if (status != (wrong ? DAE_E_INPUT : DAE_OK)) printf("  %d: %s: %s\n", k, part, message);
      /* dae_solve says the same, and can be told not to look */
      if (!wrong || u > 0) continue;
      CHECK(dae_solve(&p, &o, 0.3, 0.31, z, NULL, &r, NULL) == DAE_E_INPUT);
      CHECK(strstr(r.message, part) != NULL);
      o.check_derivatives = 0;
      CHECK(dae_solve(&p, &o, 0.3, 0.31, z, NULL, &r, NULL) == DAE_OK);
    }
}

/* ---- patterns: an entry outside, and f_z with a pattern is used by implicit methods ---- */

typedef struct band {
  int calls;
  bool outside;
} band;

static int band_f(double t, const double *z, double *dz, void *ctx) {
  const band *b = ctx;
  (void)t;
  for (int i = 0; i < 4; i++) dz[i] = -50 * z[i] + (i > 0 ? z[i - 1] : 0);
  if (b->outside) dz[0] += 0.5 * z[3];
  return 0;
}
static int band_f_z(double t, const double *z, double *J, void *ctx) {
  (void)t, (void)z;
  ((band *)ctx)->calls++;
  int k = 0;
  for (int i = 0; i < 4; i++) {
    if (i > 0) J[k++] = 1;
    J[k++] = -50;
  }
  return 0;
}

static void patterns(void) {
  static const int start[] = {0, 1, 3, 5, 7}, column[] = {0, 0, 1, 1, 2, 2, 3};
  const dae_pattern pattern = {4, 4, start, column};
  band b = {0, true};
  double z[4] = {1, 2, 3, 4};
  dae_problem p = {.kind = DAE_ODE,
                   .ctx = &b,
                   .autonomous = true,
                   .ode = {.n = 4, .f = band_f, .f_z = band_f_z, .f_pattern = &pattern}};
  char message[256];
  CHECK(dae_problem_check(&p, 0, z, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "[x1, x4]") && strstr(message, "outside its pattern"));
  b = (band){0, false};
  dae_options o = dae_options_default();
  o.method = "radau5";
  o.check_derivatives = 0;
  CHECK(dae_solve(&p, &o, 0, 0.5, z, NULL, NULL, NULL) == DAE_OK);
  CHECK(b.calls > 0);
  /* x1 = exp(-50 t) is 1e-11 by then: ten tolerances */
  CHECK_NEAR(z[0], exp(-25), 1e-5);
}

/* ---- force_q: checked, and used where dynamics_q is not given ---- */

static int spring(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -400 * q[0] - 30 * v[0] + q[1], f[1] = -0.5 * q[1] * q[1];
  return 0;
}
static int spring_calls;
static int spring_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)v;
  spring_calls++;
  J[0] = ctx ? 400 : -400, J[1] = 1, J[3] = -q[1];
  return 0;
}
static int spring_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  J[0] = -30;
  return 0;
}

static void force_q_is_looked_at(void) {
  double z[4] = {0.3, 0.7, 0.1, -0.2};
  char message[256];
  dae_problem p = {
      .kind = DAE_MECHANICAL,
      .ctx = message,
      .mechanical = {.nq = 2, .force = spring, .force_q = spring_q, .force_v = spring_v}};
  CHECK(dae_problem_check(&p, 0, z, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "force_q is wrong at [der(q1), q1]") != NULL);
  p.ctx = NULL;
  CHECK(dae_problem_check(&p, 0, z, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.method = "radau5";
  o.check_derivatives = 0;
  spring_calls = 0;
  CHECK(dae_solve(&p, &o, 0, 0.5, z, NULL, NULL, NULL) == DAE_OK && spring_calls > 0);
}

int main(void) {
  RUN(nobody_is_accused);
  RUN(sums_that_cancel);
  RUN(bounded_and_tiny);
  RUN(every_wrong_entry_is_found);
  RUN(patterns);
  RUN(force_q_is_looked_at);
  RUN(right_ones_pass);
  RUN(wrong_entry_is_named);
  RUN(false_autonomous_is_seen);
  RUN(incomplete_is_refused);
  return TEST_END();
}
