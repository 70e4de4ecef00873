/* equations x_a' = x_b of a system are condensed: the discretization stays as it is */
#include <daedal/daedal.h>
#include <string.h>

#include "test.h"

enum { N = 7 };

/* u'''' = -3 u u''' - v v' + s(t) in the places 2, 0, 5, 3; v'' = u' v - u v' in 6, 1; and 4 is
   alone, w' = p + u. A parameter stands in an equation of the chain too: u' of place 2 is z_0 + q
      */
typedef struct flow {
  double disguise; /* what is added to the derivatives of the chains' equations */
  double p[2];
} flow;

static int f(double t, const double *z, double *out, void *ctx) {
  const flow *c = ctx;
  out[2] = z[0] + c->p[1];
  out[0] = z[5];
  out[5] = z[3];
  out[3] = -3 * z[2] * z[3] - z[6] * z[1] + 20 * sin(7 * t);
  out[6] = z[1];
  out[1] = z[0] * z[6] - z[2] * z[1];
  out[4] = c->p[0] + z[2];
  return 0;
}

static int f_z(double t, const double *z, double *J, void *ctx) {
  const flow *c = ctx;
  (void)t;
  memset(J, 0, sizeof(double) * N * N);
  J[2 * N + 0] = J[0 * N + 5] = J[5 * N + 3] = J[6 * N + 1] = 1 + c->disguise;
  J[3 * N + 2] = -3 * z[3], J[3 * N + 3] = -3 * z[2], J[3 * N + 6] = -z[1], J[3 * N + 1] = -z[6];
  J[1 * N + 0] = z[6], J[1 * N + 6] = z[0], J[1 * N + 2] = -z[1], J[1 * N + 1] = -z[2];
  J[4 * N + 2] = 1;
  return 0;
}

static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[2] - 0.3, b[1] = z0[0] + 0.1, b[2] = z0[6] + 1, b[3] = z0[4] - 0.7, b[4] = z0[5] - 0.2;
  b[5] = z1[2] - 0.4, b[6] = z1[0], b[7] = z1[6] - 1.3, b[8] = z1[4] - 1.9;
  return 0;
}

static dae_solution *solve(flow *c, int mesh, long *points) {
  static const double zero[N];
  dae_boundary b = {.n = 9, .n_left = 5, .value = ends, .n_parameter = 2, .parameter = c->p};
  dae_problem p = {.kind = DAE_ODE,
                   .ode = {.n = N, .f = f, .f_z = f_z},
                   .t1 = 1.3,
                   .z0 = zero,
                   .boundary = &b,
                   .ctx = c};
  dae_options o = dae_options_default();
  dae_solution *s;
  dae_report r;
  o.rtol = o.atol = 1e-9;
  o.mesh = mesh;
  o.fixed_mesh = mesh > 0;
  o.method = "colloc-gauss4";
  dae_status status = dae_bvp_solve(&p, &o, NULL, &s, &r);
  if (status != DAE_OK) printf("%s\n", r.message);
  CHECK(status == DAE_OK);
  *points = s ? dae_solution_stats(s)->evaluations : 0;
  return s;
}

/* with and without chains: the same solution of the same equations, up to rounding of the solves
   and what Newton's method leaves with derivatives that are off by 1e-13 */
static void test_same(void) {
  flow plain = {.disguise = 0}, disguised = {.disguise = 1e-13};
  long points[2];
  dae_solution *a = solve(&plain, 11, points), *b = solve(&disguised, 11, points + 1);
  for (int i = 0; a && b && i <= 40; i++) {
    double t = 1.3 * i / 40, za[N], zb[N];
    dae_solution_eval(a, t, za, NULL, NULL);
    dae_solution_eval(b, t, zb, NULL, NULL);
    for (int c = 0; c < N; c++) CHECK_NEAR(za[c], zb[c], 1e-10 * (1 + fabs(zb[c])));
  }
  for (int j = 0; j < 2; j++) CHECK_NEAR(plain.p[j], disguised.p[j], 1e-10);
  CHECK(points[0] == points[1]);
  dae_solution_free(a);
  dae_solution_free(b);
}

/* the equations hold between the collocation points too, within ten tolerances of their terms */
static void test_equations(void) {
  flow c = {.disguise = 0};
  long points;
  dae_solution *s = solve(&c, 0, &points);
  for (int i = 0; s && i <= 30; i++) {
    double t = 1.3 * i / 30, z[N], dz[N], slope[N];
    dae_solution_eval(s, t, z, NULL, dz);
    f(t, z, slope, &c);
    for (int k = 0; k < N; k++) CHECK_NEAR(dz[k], slope[k], 1e-6 * (1 + fabs(slope[k])));
  }
  dae_solution_free(s);
}

/* x_0' = x_1, x_1' = x_0 is a circle without a top, x_2' = x_1 shares its variable with another:
   x_0 = cosh t, x_1 = sinh t, x_2 = cosh t + c */
static int circle(double t, const double *z, double *out, void *ctx) {
  (void)t, (void)ctx;
  out[0] = z[1], out[1] = z[0], out[2] = z[1];
  return 0;
}

static int circle_ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[1], b[1] = z0[2] - 2.5, b[2] = z1[0] - cosh(0.9);
  return 0;
}

static void test_circle(void) {
  static const double zero[3];
  dae_boundary b = {.n = 3, .n_left = 2, .value = circle_ends};
  dae_problem p = {
      .kind = DAE_ODE, .ode = {.n = 3, .f = circle}, .t1 = 0.9, .z0 = zero, .boundary = &b};
  dae_options o = dae_options_default();
  dae_solution *s;
  o.rtol = o.atol = 1e-9;
  CHECK(dae_bvp_solve(&p, &o, NULL, &s, NULL) == DAE_OK);
  for (int i = 0; s && i <= 9; i++) {
    double t = 0.1 * i, z[3];
    dae_solution_eval(s, t, z, NULL, NULL);
    CHECK_NEAR(z[0], cosh(t), 1e-8);
    CHECK_NEAR(z[1], sinh(t), 1e-8);
    CHECK_NEAR(z[2], cosh(t) + 1.5, 1e-8);
  }
  dae_solution_free(s);
}

int main(void) {
  RUN(test_same);
  RUN(test_equations);
  RUN(test_circle);
  return TEST_END();
}
