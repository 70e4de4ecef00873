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

int main(void) {
  RUN(right_ones_pass);
  RUN(wrong_entry_is_named);
  RUN(false_autonomous_is_seen);
  RUN(incomplete_is_refused);
  return TEST_END();
}
