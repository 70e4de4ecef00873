/* an index that is not the one that the form states is DAE_E_INDEX with the index that was found;
   redundant constraints and singular positions are not accused */
#include <daedal/daedal.h>

#include "test.h"

static dae_status run(const dae_problem *p, const double *z0, double *z, dae_report *r) {
  dae_options o = dae_options_default();
  memcpy(z, z0, (size_t)dae_problem_nz(p) * sizeof *z);
  return dae_solve(p, &o, 0.3, 1, z, NULL, r, NULL);
}

/* status and a part of the message */
static void expect(const dae_problem *p, const double *z0, dae_status status, const char *part) {
  double z[32];
  dae_report r;
  dae_status got = run(p, z0, z, &r);
  CHECK(got == status && strstr(r.message, part));
  if (got != status || !strstr(r.message, part))
    printf("  %s: %s: %s\n", p->name, dae_status_name(got), r.message);
  if (got == DAE_E_INDEX) CHECK(r.advice[0] != '\0');
}

/* ---- the pendulum with its velocities among the variables: index 3 in a form of index 2 ---- */

static double stretch(double t, const double *rate) { return 1 + *rate * sin(3 * t); }

static int pendulum_f(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = z[2], f[1] = z[3];
  f[2] = -z[0] * y[0], f[3] = -9.81 - z[1] * y[0];
  return 0;
}

static int pendulum_B(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[2] = z[0], B[3] = z[1];
  return 0;
}

static int pendulum_g(double t, const double *z, double *g, void *ctx) {
  double L = stretch(t, ctx);
  g[0] = (z[0] * z[0] + z[1] * z[1] - L * L) / 2;
  return 0;
}

static int pendulum_G(double t, const double *z, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = z[0], G[1] = z[1];
  return 0;
}

static void test_pendulum(void) {
  double rate = 0;
  double z0[] = {0.6, -0.8, 0.4, 0.3};
  dae_problem p = {.name = "pendulum",
                   .kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 4, .ny = 1, .f = pendulum_f, .g = pendulum_g},
                   .ctx = &rate};
  expect(&p, z0, DAE_E_INDEX, "index is 3, not 2");
  p.hessenberg.G = pendulum_G, p.hessenberg.B = pendulum_B;
  p.hessenberg.affine = DAE_YES, p.autonomous = true;
  expect(&p, z0, DAE_E_INDEX, "d/dt g1");
  /* at rest, hanging, and with a length that changes in time */
  double rest[] = {0, -1, 0, 0};
  expect(&p, rest, DAE_E_INDEX, "index is 3, not 2");
  rate = 0.05;
  p.autonomous = false;
  expect(&p, z0, DAE_E_INDEX, "index is 3, not 2");
  /* the report names the constraint, the advice the form */
  double z[4];
  dae_report r;
  CHECK(run(&p, z0, z, &r) == DAE_E_INDEX);
  CHECK(strstr(r.advice, "DAE_MECHANICAL") && strstr(r.advice, "order = 2"));
}

/* ---- chains: x1^(m) = x2, .., xn^(m) = -y + c sin t, 0 = x1 - s(t): index m n + 1 ---- */

typedef struct chain {
  int order, length;
} chain;

static int chain_f(double t, const double *z, const double *y, double *f, void *ctx) {
  const chain *c = ctx;
  for (int i = 0; i + 1 < c->length; i++) f[i] = z[i + 1];
  f[c->length - 1] = 0.3 * sin(t) - y[0];
  return 0;
}

static int chain_g(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] - sin(t);
  return 0;
}

static void test_chains(void) {
  static const struct {
    int order, length;
    const char *part;
  } cases[] = {{1, 2, "index is 3, not 2"},
               {1, 3, "index is 4, not 2"},
               {1, 4, "index is 5, not 2"},
               {2, 2, "index is 5, not 3"},
               {3, 2, "index is 7, not 4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    chain c = {cases[i].order, cases[i].length};
    double z0[12] = {sin(0.3)};
    dae_problem p = {
        .name = "chain",
        .kind = DAE_HESSENBERG,
        .hessenberg = {.order = c.order, .nx = c.length, .ny = 1, .f = chain_f, .g = chain_g},
        .ctx = &c};
    expect(&p, z0, DAE_E_INDEX, cases[i].part);
  }
  /* beyond what is looked for: refused all the same */
  chain far = {1, 11};
  double z0[11] = {sin(0.3)};
  dae_problem p = {.name = "far",
                   .kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 11, .ny = 1, .f = chain_f, .g = chain_g},
                   .ctx = &far};
  expect(&p, z0, DAE_E_INDEX, "not 2");
  /* and the chain of length 1 is right in its form at every order */
  for (int m = 1; m <= 4; m++) {
    chain one = {m, 1};
    double x0[4] = {sin(0.3), cos(0.3), -sin(0.3), -cos(0.3)}, z[4];
    dae_report r;
    dae_problem q = {.name = "right",
                     .kind = DAE_HESSENBERG,
                     .hessenberg = {.order = m, .nx = 1, .ny = 1, .f = chain_f, .g = chain_g},
                     .ctx = &one};
    CHECK(run(&q, x0, z, &r) == DAE_OK);
    CHECK_NEAR(z[0], sin(1), 1e-9);
  }
}

/* ---- one of two constraints has a higher index; all mixed by a rotation in time ---- */

/* u = Q(t) x with u1' = -w1, u2' = u3, u3' = -w2, 0 = u1 - sin t, 0 = u2 - cos t, and the
   multipliers w = T y, constraints added up: neither row nor column shows it */
static void turn(double t, double *c, double *s) { *c = cos(0.7 * t), *s = sin(0.7 * t); }

static int mixed_f(double t, const double *x, const double *y, double *f, void *ctx) {
  (void)ctx;
  double c, s;
  turn(t, &c, &s);
  double u[3] = {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
  double w[2] = {1.3 * y[0] + 0.4 * y[1], 0.2 * y[0] - 0.9 * y[1]};
  double du[3] = {-w[0], u[2], -w[1]};
  /* x = Q'u, x' = Q'(u' - Q' x) with Q' of the angle */
  double r[2] = {du[0] + 0.7 * (s * x[0] + c * x[1]), du[1] - 0.7 * (c * x[0] - s * x[1])};
  f[0] = c * r[0] + s * r[1];
  f[1] = -s * r[0] + c * r[1];
  f[2] = du[2];
  return 0;
}

static int mixed_g(double t, const double *x, double *g, void *ctx) {
  (void)ctx;
  double c, s;
  turn(t, &c, &s);
  double a = c * x[0] - s * x[1] - sin(t), b = s * x[0] + c * x[1] - cos(t);
  g[0] = 0.8 * a + 0.5 * b, g[1] = 0.3 * a - 1.1 * b;
  return 0;
}

static void test_partial(void) {
  double t = 0.3, c, s;
  turn(t, &c, &s);
  double z0[3] = {c * sin(t) + s * cos(t), -s * sin(t) + c * cos(t), -sin(t)};
  dae_problem p = {.name = "partial",
                   .kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 3, .ny = 2, .f = mixed_f, .g = mixed_g}};
  expect(&p, z0, DAE_E_INDEX, "index is 3, not 2");
}

/* ---- plane with two multipliers: what B and g say is chosen by ctx ---- */

typedef struct plane {
  double B[4];
  int g; /* which constraints */
} plane;

static int plane_f(double t, const double *x, const double *y, double *f, void *ctx) {
  const plane *p = ctx;
  f[0] = cos(t) - p->B[0] * y[0] - p->B[1] * y[1];
  f[1] = -0.4 * x[1] - p->B[2] * y[0] - p->B[3] * y[1];
  f[2] = -x[2];
  return 0;
}

static int plane_g(double t, const double *x, double *g, void *ctx) {
  const plane *p = ctx;
  double a = x[0] - sin(t), b = x[1] - 0.5;
  g[0] = a, g[1] = b;
  if (p->g == 1) g[1] = 2.5 * a;        /* redundant */
  if (p->g == 2) g[1] = a * (1 + x[1]); /* redundant where it holds */
  if (p->g == 3) g[1] = b * b;          /* no gradient where it holds */
  if (p->g == 4) g[1] = 3;              /* never holds */
  if (p->g == 5) g[1] = 0;              /* always does */
  if (p->g == 6) g[1] = sin(2 * t);     /* of time alone */
  if (p->g == 7) g[1] = a * a;          /* follows from the first */
  return 0;
}

static void test_plane(void) {
  static const struct {
    const char *name;
    plane data;
    dae_status status;
    const char *part;
  } cases[] = {
      {"regular", {{1, 0.3, -0.2, 1}, 0}, DAE_OK, ""},
      {"a multiplier that enters nothing", {{1, 0, 0.4, 0}, 0}, DAE_E_INDEX, "y2 enters no"},
      {"one direction", {{1, 2, 0.4, 0.8}, 0}, DAE_E_INDEX, "index"},
      {"no multiplier at all", {{0, 0, 0, 0}, 0}, DAE_E_INDEX, "y1 enters no"},
      {"redundant", {{1, 0.3, -0.2, -0.06}, 1}, DAE_OK, ""},
      {"redundant, B regular", {{1, 0.3, -0.2, 1}, 1}, DAE_E_INDEX, "not determined"},
      {"redundant where it holds", {{1, 0.3, -0.2, -0.06}, 2}, DAE_OK, ""},
      {"square", {{1, 0.3, -0.2, 1}, 3}, DAE_E_INDEX, "no gradient"},
      {"never", {{1, 0.3, -0.2, 1}, 4}, DAE_E_INDEX, "none of the variables"},
      {"always", {{1, 0.3, -0.2, -0.06}, 5}, DAE_OK, ""},
      {"always, B regular", {{1, 0.3, -0.2, 1}, 5}, DAE_E_INDEX, "not determined"},
      {"of time", {{1, 0.3, -0.2, 1}, 6}, DAE_E_INDEX, "none of the variables"},
      {"square of another", {{1, 0.3, -0.2, 1}, 7}, DAE_E_INDEX, "not determined"},
      /* units: x2 in units of 1e-12 of the others, y2 in 1e9 */
      {"units", {{1, 3e8, -2e-13, 1e-3}, 0}, DAE_OK, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    plane data = cases[i].data;
    double z0[3] = {sin(0.3), 0.5, 0.7};
    dae_problem p = {.name = cases[i].name,
                     .kind = DAE_HESSENBERG,
                     .hessenberg = {.order = 1, .nx = 3, .ny = 2, .f = plane_f, .g = plane_g},
                     .ctx = &data};
    expect(&p, z0, cases[i].status, cases[i].part);
  }
}

/* ---- G B is zero at the start only: not another index ---- */

static int switching_f(double t, const double *x, const double *y, double *f, void *ctx) {
  (void)ctx;
  f[0] = x[1] - sin(t - 0.3) * y[0];
  f[1] = -x[0];
  return 0;
}

static int switching_g(double t, const double *x, double *g, void *ctx) {
  (void)ctx;
  g[0] = x[0] - sin(t);
  return 0;
}

static void test_momentary(void) {
  double z0[2] = {sin(0.3), cos(0.3)}, z[2];
  dae_report r;
  dae_problem p = {
      .name = "momentary",
      .kind = DAE_HESSENBERG,
      .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = switching_f, .g = switching_g}};
  CHECK(run(&p, z0, z, &r) != DAE_E_INDEX);
}

/* ---- velocities in a constraint that is said to be of positions ---- */

static int rolling_f(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -z[0] - y[0], f[1] = -z[1] + y[0];
  return 0;
}

static int rolling_g(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[2] - z[3] + z[0] - z[1];
  return 0;
}

static void test_velocities(void) {
  double z0[4] = {0.3, 0.3, 0.2, 0.2};
  dae_problem p = {.name = "rolling",
                   .kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 2, .nx = 2, .ny = 1, .f = rolling_f, .g = rolling_g}};
  expect(&p, z0, DAE_E_INDEX, "depends on der(x1)");
  p.hessenberg.g_of_z = true;
  expect(&p, z0, DAE_OK, "");
}

/* ---- an "invariant" that the equations do not keep ---- */

static int spin(double t, const double *z, double *dz, void *ctx) {
  const double *damping = ctx;
  (void)t;
  dz[0] = z[1] - *damping * z[0], dz[1] = -z[0] - *damping * z[1];
  return 0;
}

static int energy(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = z[0] * z[0] + z[1] * z[1] - 1;
  return 0;
}

static void test_invariant(void) {
  double damping = 0, z0[2] = {0.6, 0.8};
  dae_problem p = {.name = "spin",
                   .kind = DAE_ODE,
                   .ode = {.n = 2, .nh = 1, .f = spin, .h = energy},
                   .ctx = &damping,
                   .autonomous = true};
  expect(&p, z0, DAE_OK, "");
  damping = 0.01;
  expect(&p, z0, DAE_E_INDEX, "no invariant");
}

/* ---- mechanisms: a constraint without a gradient, redundant ones ---- */

static int wire_force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0.3, f[1] = -9.81;
  return 0;
}

static int wire_g(double t, const double *q, double *g, void *ctx) {
  const int *kind = ctx;
  (void)t;
  g[0] = q[1] - 0.4;
  if (*kind == 1) g[0] *= g[0];
  if (*kind > 1) g[1] = *kind == 2 ? 3 * g[0] : g[0] * (1 + q[0]);
  return 0;
}

static void test_mechanical(void) {
  int kind = 1;
  double z0[4] = {0.2, 0.4, 0.5, 0};
  dae_problem p = {.name = "wire",
                   .kind = DAE_MECHANICAL,
                   .mechanical = {.nq = 2, .ng = 1, .force = wire_force, .g = wire_g},
                   .ctx = &kind,
                   .autonomous = true};
  expect(&p, z0, DAE_E_INDEX, "no gradient");
  p.mechanical.ng = 2;
  for (kind = 2; kind <= 3; kind++) expect(&p, z0, DAE_OK, "");
}

/* ---- what shows only on the way ---- */

/* x' = -x - y, 0 = (1 - t)^2 (x - sin t) until t = 1, and 0 = 0 from then on: y is anybody's
   choice */
static int fading_f(double t, const double *x, const double *y, double *dx, void *ctx) {
  (void)t, (void)ctx;
  dx[0] = -x[0] - (y ? y[0] : 0);
  return 0;
}

static int fading_g(double t, const double *x, double *g, void *ctx) {
  (void)ctx;
  g[0] = t < 1 ? (1 - t) * (1 - t) * (x[0] - sin(t)) : 0;
  return 0;
}

static void rank_is_lost_for_good(void) {
  static const char *const method[] = {"dopri5", "dop853", "radau3", "bdf"};
  for (int i = 0; i < 4; i++) {
    dae_problem p = {.kind = DAE_HESSENBERG,
                     .hessenberg = {.order = 1, .nx = 1, .ny = 1, .f = fading_f, .g = fading_g}};
    dae_options o = dae_options_default();
    double z[1] = {0}, y[1] = {0};
    dae_report r;
    o.method = method[i];
    dae_status status = dae_solve(&p, &o, 0, 3, z, y, &r, NULL);
    CHECK(status == DAE_E_RANK || status == DAE_E_BRANCH);
    /* somewhere around t = 1, and no later than a few steps behind it */
    CHECK(r.t > 0.9 && r.t < 2.9);
    CHECK(strstr(r.message, "rank") != NULL);
  }
}

/* a pendulum whose curvature v.v has the wrong sign: at rest both are 0 */
static int swing_M(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = M[1] = 1.3;
  return 0;
}

static int swing_f(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -1.3 * 9.81;
  return 0;
}

static int swing_g(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int swing_G(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = q[0], G[1] = q[1];
  return 0;
}

static int swing_wrong(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = -(v[0] * v[0] + v[1] * v[1]);
  return 0;
}

/* right as long as the pendulum is on the right */
static int swing_later(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)ctx;
  c[0] = (q[0] > 0.3 ? 1 : 0.5) * (v[0] * v[0] + v[1] * v[1]);
  return 0;
}

static void wrong_curvature(void) {
  dae_problem p = {.kind = DAE_MECHANICAL,
                   .mechanical = {.nq = 2,
                                  .ng = 1,
                                  .mass = swing_M,
                                  .mass_kind = DAE_MASS_DIAGONAL,
                                  .mass_constant = true,
                                  .force = swing_f,
                                  .g = swing_g,
                                  .G = swing_G}};
  for (int i = 0; i < 2; i++) {
    double z[4] = {0.8, -0.6, 0, 0}, y[1] = {0};
    dae_options o = dae_options_default();
    dae_report r;
    p.mechanical.curvature = i == 0 ? swing_wrong : swing_later;
    CHECK(dae_solve(&p, &o, 0, 10, z, y, &r, NULL) == DAE_E_INPUT);
    CHECK(strstr(r.message, "curvature is wrong") != NULL);
    if (i == 0) CHECK(r.t == 0);
  }
}

/* x' = 2 - y^2, 0 = x - t: y = +-1, and at y = 0 the multiplier seems to enter nothing */
static int square_f(double t, const double *x, const double *y, double *dx, void *ctx) {
  (void)t, (void)x, (void)ctx;
  dx[0] = 2 - (y ? y[0] * y[0] : 0);
  return 0;
}

static int square_g(double t, const double *x, double *g, void *ctx) {
  (void)ctx;
  g[0] = x[0] - t;
  return 0;
}

static void guess_of_multipliers(void) {
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1, .nx = 1, .ny = 1, .f = square_f, .g = square_g}};
  dae_options o = dae_options_default();
  for (int sign = -1; sign <= 1; sign++) {
    double z[1] = {0}, y[1] = {0.7 * sign};
    dae_report r;
    dae_status status = dae_solve(&p, &o, 0, 1, z, y, &r, NULL);
    if (sign == 0) CHECK(status == DAE_E_INDEX && strstr(r.advice, "y0") != NULL);
    else CHECK(status == DAE_OK);
    if (sign != 0) CHECK_NEAR(y[0], sign, 1e-5);
  }
}

int main(void) {
  RUN(test_pendulum);
  RUN(test_chains);
  RUN(test_partial);
  RUN(test_plane);
  RUN(test_momentary);
  RUN(test_velocities);
  RUN(test_invariant);
  RUN(test_mechanical);
  RUN(rank_is_lost_for_good);
  RUN(wrong_curvature);
  RUN(guess_of_multipliers);
  return TEST_END();
}
