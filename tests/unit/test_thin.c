/*
 * dense matrices of which most places are empty at the start: implicit methods take them as sparse
 * ones, and as full ones once something comes up elsewhere
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <daedal/daedal.h>

#include "test.h"

/*
 * Pendulums without weight on the unit circle, (x_i, y_i) at (q_2i, q_2i+1); from t = 0.3 on
 * springs and constraints tie each one to its partner j = n - 1 - i, with c = (t - 0.3)^3,
 *   f_i = 3e4 c (x_j - x_i),   0 = x_i^2 + y_i^2 - 1 + c (x_j - x_i).
 * With a trace of c before that, 1e-30, all places are there from the start.
 */
enum { N = 12, Q = 2 * N };
static const double STIFF = 3e4;

static double tie(double t, int derivative, void *ctx) {
  const double *trace = ctx, s = fmax(0, t - 0.3);
  return derivative == 0 ? *trace + s * s * s : derivative == 1 ? 3 * s * s : 6 * s;
}

/* x of the partner less that of the pendulum */
static double apart(const double *q, int i) { return q[2 * (N - 1 - i)] - q[2 * i]; }

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)v;
  for (int i = 0; i < N; i++) f[2 * i] = STIFF * tie(t, 0, ctx) * apart(q, i), f[2 * i + 1] = 0;
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)J, (void)ctx;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  for (int i = 0; i < N; i++)
    g[i] = q[2 * i] * q[2 * i] + q[2 * i + 1] * q[2 * i + 1] - 1 + tie(t, 0, ctx) * apart(q, i);
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const double c = tie(t, 0, ctx);
  for (int i = 0; i < N; i++) {
    double *row = G + (size_t)i * Q;
    row[2 * i] = 2 * q[2 * i] - c;
    row[2 * i + 1] = 2 * q[2 * i + 1];
    row[2 * (N - 1 - i)] = c;
  }
  return 0;
}

static int rate(double t, const double *q, double *gt, void *ctx) {
  for (int i = 0; i < N; i++) gt[i] = tie(t, 1, ctx) * apart(q, i);
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  for (int i = 0; i < N; i++)
    c[i] = 2 * (v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) +
           2 * tie(t, 1, ctx) * apart(v, i) + tie(t, 2, ctx) * apart(q, i);
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)q, (void)v, (void)a;
  const double k = STIFF * tie(t, 0, ctx);
  for (int i = 0; i < N; i++) {
    double *row = J + (size_t)2 * (size_t)i * Q;
    row[2 * i] = 2 * y[i] + k;
    row[2 * (N - 1 - i)] = -k;
    row[Q + 2 * i + 1] = 2 * y[i];
  }
  return 0;
}

typedef struct result {
  dae_status status;
  double z[2 * Q];
  dae_stats stats;
} result;

static result run(const char *method, double tol, double trace) {
  static double z0[2 * Q];
  for (int i = 0; i < N; i++) {
    const double angle = 0.4 + 0.13 * i, speed = 1 + 0.07 * i;
    z0[2 * i] = cos(angle), z0[2 * i + 1] = sin(angle);
    z0[Q + 2 * i] = -speed * sin(angle), z0[Q + 2 * i + 1] = speed * cos(angle);
  }
  /* the trace is felt by the constraints, at 1e-30 */
  dae_problem p = {.kind = DAE_MECHANICAL, .ctx = &trace, .t1 = 0.6, .z0 = z0};
  p.mechanical = (dae_mechanical){.nq = Q,
                                  .ng = N,
                                  .force = force,
                                  .force_v = force_v,
                                  .g = constraint,
                                  .G = gradient,
                                  .g_t = rate,
                                  .curvature = curvature,
                                  .dynamics_q = dynamics_q};
  dae_options o = dae_options_default();
  result r = {.status = DAE_OK};
  double y[N];
  o.method = method;
  o.rtol = o.atol = tol;
  memcpy(r.z, z0, sizeof z0);
  r.status = dae_solve(&p, &o, 0, p.t1, r.z, y, NULL, &r.stats);
  return r;
}

static double distance(const result *a, const result *b) {
  double most = 0;
  for (int i = 0; i < 2 * Q; i++) most = fmax(most, fabs(a->z[i] - b->z[i]));
  return most;
}

/* entries that come up on the way are in the matrices: without them Newton's method does not
   converge at h^2 3e4 c > 1 */
static void entries_come_up(void) {
  static const char *const method[] = {"radau3", "radau5", "bdf", "gauss3"};
  const result exact = run("dop853", 1e-12, 0);
  CHECK(exact.status == DAE_OK);
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    const result late = run(method[i], 1e-7, 0), early = run(method[i], 1e-7, 1e-30);
    CHECK(late.status == DAE_OK && early.status == DAE_OK);
    /* errors of steps add up */
    CHECK(distance(&late, &exact) < 3e-6);
    /* the same matrices in other orders of the unknowns: roundings, which choose other steps of bdf
       here and there */
    CHECK(distance(&late, &early) < (strcmp(method[i], "bdf") == 0 ? 1e-6 : 1e-11));
    CHECK(labs(late.stats.steps - early.stats.steps) <= early.stats.steps / 20);
  }
}

int main(void) {
  RUN(entries_come_up);
  return TEST_END();
}
