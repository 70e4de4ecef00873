/* constraints of degree two: their gradients are known after a few calls, and everything is as with
   gradients that are given; constraints that only seem to be, or cease to be, are noticed */
#include <daedal/daedal.h>
#include <stdlib.h>

#include "test.h"

enum { LINKS = 30, MOST = 2 * LINKS };

/* how the constraint of a pendulum of length 1 is written: all have the same solutions */
typedef enum writing {
  SQUARES, /* x^2 + y^2 - 1 */
  LATER,   /* times 1 + x/3 from t = 0.9 on */
  LEFT,    /* times 1 + x where x < 0.1 */
  BENT,    /* plus a bump of g^2, of degree four */
  ROOT,    /* by a root, which is not everywhere */
  TURNING, /* times 2 + sin t */
  NUDGED,  /* squares, and 1e-9 sin 50 x: far above rounding */
  WRITINGS
} writing;

typedef struct pendulum {
  writing how;
  long calls;
} pendulum;

static int one(double t, const double *q, double *g, void *ctx) {
  pendulum *p = ctx;
  const double square = q[0] * q[0] + q[1] * q[1], h = square - 1;
  p->calls++;
  switch (p->how) {
    case LATER: *g = t < 0.9 ? h : h * (1 + q[0] / 3); break;
    case LEFT: *g = q[0] < 0.1 ? h * (1 + q[0] - 0.1) : h; break;
    case BENT: *g = h + h * h; break;
    case ROOT: *g = sqrt(square) - 1; return square < 0.5;
    case TURNING: *g = h * (2 + sin(t)); break;
    case NUDGED: *g = h + 1e-9 * sin(50 * q[0]); break;
    default: *g = h;
  }
  return 0;
}

static int gravity(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.81;
  return 0;
}

static long run(writing how, const char *method, double tol, double *z) {
  pendulum w = {.how = how};
  const double z0[4] = {0.8, -0.6, 0, 0};
  const dae_problem p = {.kind = DAE_MECHANICAL,
                         .ctx = &w,
                         .z0 = z0,
                         .t1 = 2,
                         .mechanical = {.nq = 2, .ng = 1, .g = one, .force = gravity}};
  dae_options o = dae_options_default();
  dae_stats stats;
  o.rtol = o.atol = tol;
  o.method = method;
  memcpy(z, z0, sizeof z0);
  const dae_status status = dae_solve(&p, &o, 0, 2, z, NULL, NULL, &stats);
  CHECK(status == DAE_OK);
  return status == DAE_OK ? w.calls / stats.evaluations : 0;
}

static void test_writings(void) {
  static const char *const methods[] = {"dop853", "radau3"};
  for (int m = 0; m < 2; m++) {
    double ref[4], z[4];
    /* one call an evaluation, and two for each of the Jacobian's: n = 4 columns */
    CHECK(run(SQUARES, methods[m], 1e-9, ref) <= 3);
    /* where multipliers jump, implicit steps end with a status, whatever the gradient is */
    for (writing how = m == 0 ? LATER : BENT; how < WRITINGS; how++) {
      /* of degree two only for a while, or nowhere: as many calls as differences take */
      CHECK(run(how, methods[m], 1e-9, z) > (how == LATER ? 2 : 5));
      for (int i = 0; i < 4; i++) CHECK_NEAR(z[i], ref[i], how == NUDGED ? 1e-6 : 1e-7);
    }
  }
}

/* ---- a hanging chain of rods, whose gradient has a pattern: with it, by differences or given ----
 */

static long chain_calls;

static int chain(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  chain_calls++;
  for (int i = 0; i < LINKS; i++) {
    const double dx = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0),
                 dy = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
    g[i] = dx * dx + dy * dy - 1;
  }
  return 0;
}

static int chain_gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0, k = 0; i < LINKS; i++) {
    const double dx = q[2 * i] - (i > 0 ? q[2 * i - 2] : 0),
                 dy = q[2 * i + 1] - (i > 0 ? q[2 * i - 1] : 0);
    if (i > 0) G[k++] = -2 * dx, G[k++] = -2 * dy;
    G[k++] = 2 * dx, G[k++] = 2 * dy;
  }
  return 0;
}

static int weights(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  for (int i = 0; i < LINKS; i++) f[2 * i] = 0, f[2 * i + 1] = -1;
  return 0;
}

static void run_chain(const dae_pattern *pattern, bool given, double *z, dae_stats *stats) {
  double z0[2 * MOST] = {0};
  for (int i = 0; i < LINKS; i++) {
    const double angle = 0.3 * sin(1.0 + i);
    z0[2 * i] = (i > 0 ? z0[2 * i - 2] : 0) + cos(angle);
    z0[2 * i + 1] = (i > 0 ? z0[2 * i - 1] : 0) + sin(angle);
  }
  const dae_problem p = {.kind = DAE_MECHANICAL,
                         .z0 = z0,
                         .t1 = 1,
                         .mechanical = {.nq = MOST,
                                        .ng = LINKS,
                                        .g = chain,
                                        .G = given ? chain_gradient : NULL,
                                        .G_pattern = pattern,
                                        .force = weights}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  o.method = "dop853";
  memcpy(z, z0, sizeof z0);
  chain_calls = 0;
  CHECK(dae_solve(&p, &o, 0, 1, z, NULL, NULL, stats) == DAE_OK);
}

static void test_pattern(void) {
  int start[LINKS + 1] = {0}, column[4 * LINKS];
  double ref[2 * MOST], z[2 * MOST];
  dae_stats given, found;
  for (int i = 0, k = 0; i < LINKS; start[++i] = k)
    for (int j = i > 0 ? 2 * i - 2 : 0; j < 2 * i + 2; j++) column[k++] = j;
  const dae_pattern pattern = {LINKS, MOST, start, column};
  run_chain(&pattern, true, ref, &given);
  run_chain(&pattern, false, z, &found);
  /* the same steps, one call for each evaluation, and at the start what four colours take */
  CHECK(found.steps == given.steps);
  CHECK(chain_calls < 3 * found.evaluations);
  for (int i = 0; i < 2 * MOST; i++) CHECK_NEAR(z[i], ref[i], 1e-8 * (1 + fabs(ref[i])));
}

/* ---- invariants of an ODE: the energy of an oscillator ---- */

static long energy_calls;

static int oscillator(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1], dz[1] = -4 * z[0];
  return 0;
}
static int energy(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  energy_calls++;
  *h = 4 * z[0] * z[0] + z[1] * z[1] - 4;
  return 0;
}

static void test_invariant(void) {
  double z[2] = {1, 0};
  const dae_problem p = {
      .kind = DAE_ODE, .z0 = z, .t1 = 10, .ode = {.n = 2, .nh = 1, .f = oscillator, .h = energy}};
  dae_options o = dae_options_default();
  dae_stats stats;
  o.rtol = o.atol = 1e-8;
  energy_calls = 0;
  CHECK(dae_solve(&p, &o, 0, 10, z, NULL, NULL, &stats) == DAE_OK);
  CHECK_NEAR(z[0], cos(20), 1e-6);
  CHECK(energy_calls < 8 * stats.steps + 60);
  printf("  %ld calls of h in %ld steps\n", energy_calls, stats.steps);
}

int main(void) {
  RUN(test_writings);
  RUN(test_pattern);
  RUN(test_invariant);
  return TEST_END();
}
