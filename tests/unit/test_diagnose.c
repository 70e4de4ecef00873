/* diagnosis: the right case of 1993 section 4.2 with its numbers, redundant constraints by name,
   auto follows */
#include "gallery.h"
#include "test.h"

static dae_diagnosis diagnose(const char *name, double nu, double alpha) {
  dae_problem *p = NULL;
  char message[256];
  const char *set[] = {"nu", "alpha"};
  double value[] = {nu, alpha};
  dae_diagnosis d = {0};
  dae_options o = dae_options_default();
  CHECK(gallery_open(&p, name,
                     nu == 0        ? 0
                     : isnan(alpha) ? 1
                                    : 2,
                     set, value, message, sizeof message) == DAE_OK);
  CHECK(dae_diagnose(p, &o, &d) == DAE_OK);
  gallery_close(name, p);
  if (test_failures) printf("  %s: case %d\n", name, (int)d.kind);
  return d;
}

/* x' = By + q with |R'S| = nu/(2-t), A = 0: the numbers are those of the paper */
static void case_4_index2(void) {
  dae_diagnosis d = diagnose("linear-index2", 1000, NAN);
  CHECK(d.kind == DAE_CASE_STIFF_VARIABLE);
  CHECK(d.index == 2);
  CHECK_NEAR(d.variable, 1000, 20); /* nu/(2-t) at t = 1, less the turn of R itself */
  CHECK_NEAR(d.frozen, 0, 1e-6);
  CHECK_STR(d.form, "invariant");
  CHECK_STR(d.direction, "constraint");
}

static void case_4_index3(void) {
  for (int alpha = 0; alpha <= 2; alpha++) {
    dae_diagnosis d = diagnose("linear-index3", 1000, alpha);
    CHECK(d.kind == DAE_CASE_STIFF_VARIABLE);
    /* R M^-1 E S = alpha nu/(2-t), up to t = 1 */
    CHECK_NEAR(d.frozen, alpha * 1000, 5);
  }
}

/* B = C', C turns with nu, u' = -u */
static void case_2(void) {
  dae_diagnosis d = diagnose("rotating-index2", 1000, NAN);
  CHECK(d.kind == DAE_CASE_NONSTIFF_FAST);
  CHECK_NEAR(d.turn_constraint, 1000, 1);
  CHECK_NEAR(d.frozen, 1, 1e-6);
  CHECK_NEAR(d.skew, 1, 1e-9);
  CHECK_STR(d.form, "index1");
}

/* f = -nu^2 v and C turns with nu: stiff, but not with slow constraints */
static void stiff_and_turning(void) {
  dae_diagnosis d = diagnose("rotating-index3", 100, NAN);
  CHECK(d.kind == DAE_CASE_STIFF_VARIABLE);
  CHECK_NEAR(d.frozen, 1e4, 1e2);
  CHECK_STR(d.form, "invariant-balanced");
}

static void case_1(void) {
  static const char *const name[] = {"slider-crank", "pendulum", "car-axis", "andrews", "kepler"};
  for (int i = 0; i < 5; i++) {
    dae_diagnosis d = diagnose(name[i], 0, NAN);
    CHECK(d.kind == DAE_CASE_NONSTIFF_SLOW);
    CHECK_STR(d.form, "index1");
    CHECK(d.n_redundant == 0);
  }
}

/* case 3, and two constraints that say the same: a mass point on a damped rod */
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)ctx;
  f[0] = -4e3 * v[0], f[1] = -4e3 * v[1] - 9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1.21) / 2;
  return 0;
}

static int rod_twice(double t, const double *q, double *g, void *ctx) {
  g[1] = (rod(t, q, g, ctx), 3 * g[0]);
  return 0;
}

static void case_3_and_redundancy(void) {
  static const double z0[] = {1.1, 0, 0, 0};
  static const char *const names[] = {"length", "length again"};
  dae_problem p = {.name = "rod",
                   .kind = DAE_MECHANICAL,
                   .t1 = 2,
                   .z0 = z0,
                   .g_name = names,
                   .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  dae_options o = dae_options_default();
  dae_diagnosis d;
  CHECK(dae_diagnose(&p, &o, &d) == DAE_OK);
  CHECK(d.kind == DAE_CASE_STIFF_FROZEN);
  CHECK_NEAR(d.frozen, 4e3, 40);
  CHECK_STR(d.form, "index2");
  p.mechanical.ng = 2, p.mechanical.g = rod_twice;
  CHECK(dae_diagnose(&p, &o, &d) == DAE_OK);
  CHECK(d.rank == 1 && d.rows == 2 && d.n_redundant == 1);
  CHECK_STR(d.redundant[0], "length again");
}

/* auto takes the recommendation: a handful of stiff steps to the accuracy asked, where an explicit
   method along M^-1 G' goes wrong */
static void auto_follows(void) {
  dae_problem *p;
  char message[256];
  const char *set[] = {"nu", "alpha"};
  const double value[] = {1000, 2};
  CHECK(gallery_open(&p, "linear-index3", 2, set, value, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  dae_stats stats;
  double z[4], y[1] = {0};
  memcpy(z, p->z0, sizeof z);
  CHECK(dae_solve(p, &o, 0, 1, z, y, NULL, &stats) == DAE_OK);
  CHECK(stats.steps < 60);
  for (int i = 0; i < 4; i++) CHECK_NEAR(z[i], exp(1), 1e-5); /* ten times the tolerance */
  gallery_close("linear-index3", p);
}

int main(void) {
  RUN(case_4_index2);
  RUN(case_4_index3);
  RUN(case_2);
  RUN(stiff_and_turning);
  RUN(case_1);
  RUN(case_3_and_redundancy);
  RUN(auto_follows);
  return TEST_END();
}
