/* boundary value problems of implicit problems: manufactured solutions, and what is refused */
#include "test.h"

#include <daedal/bvp.h>

/* what the problems below are made of */
typedef struct maker {
  double w;      /* frequency */
  double unit;   /* of the algebraic variable, and of its equation the inverse */
  double lambda; /* an unknown parameter */
  bool wrong;    /* an equation depends on the others */
} maker;

static double value_of(const maker *m, double t, double *slope) {
  *slope = m->w * cos(m->w * t + 0.3);
  return sin(m->w * t + 0.3);
}

/* ---- index 1, F(t,x,x') = 0: x3 from a nonlinear algebraic equation ---- */

/* x = (sin(wt + 0.3), its derivative, cos(1.3 t)) */
static int exact3(double t, double *z, double *y, void *ctx) {
  const maker *m = ctx;
  (void)y;
  z[0] = value_of(m, t, &z[1]);
  z[2] = m->unit * cos(1.3 * t);
  return 0;
}

static int equations3(double t, const double *x, const double *dx, double *F, void *ctx) {
  const maker *m = ctx;
  double e[3], c = x[2] / m->unit;
  exact3(t, e, NULL, ctx);
  const double c0 = e[2] / m->unit;
  F[0] = dx[0] - x[1];
  F[1] = dx[1] + m->w * m->w * x[0] + c - c0;
  F[2] = (c + c * c * c - x[0] * x[1] - (c0 + c0 * c0 * c0 - e[0] * e[1])) / m->unit;
  if (m->wrong) F[2] = 2 * F[0] + F[1];
  return 0;
}

static int ends3(const double *z0, const double *z1, double *b, void *ctx) {
  const maker *m = ctx;
  double slope;
  b[0] = z0[0] - value_of(m, 0, &slope);
  b[1] = z1[0] - value_of(m, 1, &slope);
  return 0;
}

/* a condition on the algebraic variable: x0 x1 follows from it */
static int algebraic_ends(const double *z0, const double *z1, double *b, void *ctx) {
  const maker *m = ctx;
  double slope;
  b[0] = (z0[2] + 0.5 * z0[0]) / m->unit - (1 + 0.5 * sin(0.3));
  b[1] = z1[0] - value_of(m, 1, &slope);
  return 0;
}

static int left3(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1;
  const maker *m = ctx;
  double slope;
  b[0] = z0[0] - value_of(m, 0, &slope);
  return 0;
}

static int inside(const double *z, double *r, void *ctx) {
  const maker *m = ctx;
  double e[3];
  exact3(0.4, e, NULL, ctx);
  r[0] = (z[1] - e[1]) / m->w;
  return 0;
}

static const dae_boundary separated = {.n = 2, .n_left = 1, .value = ends3};

static dae_problem index1(maker *m, const dae_boundary *b) {
  static const double near[] = {0.4, 1, 0.5};
  return (dae_problem){.kind = DAE_IMPLICIT,
                       .implicit = {.n = 3, .F = equations3},
                       .ctx = m,
                       .t1 = 1,
                       .z0 = near,
                       .exact = exact3,
                       .boundary = b};
}

/* largest error over the interval in tolerances; -1 where it was not solved */
static double error_of(const dae_problem *p, double tol, dae_report *report) {
  dae_options o = dae_options_default();
  dae_solution *s;
  o.rtol = o.atol = tol;
  dae_status status = dae_bvp_solve(p, &o, NULL, &s, report);
  double worst = status == DAE_OK ? 0 : -1, z[8], exact[8];
  for (int i = 0; i <= 40 && status == DAE_OK; i++) {
    double t = p->t0 + (p->t1 - p->t0) * i / 40.0;
    CHECK(dae_solution_eval(s, t, z, NULL, NULL) == DAE_OK);
    p->exact(t, exact, NULL, p->ctx);
    for (int j = 0; j < p->implicit.n; j++)
      worst = fmax(worst, fabs(z[j] - exact[j]) / (tol + tol * fabs(exact[j])));
  }
  dae_solution_free(s);
  return worst;
}

/* errors are estimated, not bounded: three tolerances are allowed */
static void check_solved(const char *what, const dae_problem *p, double tol) {
  dae_report report;
  double worst = error_of(p, tol, &report);
  if (!(worst >= 0 && worst <= 3))
    printf("%s at %g: %.3g tolerances, %s\n", what, tol, worst, report.message);
  CHECK(worst >= 0 && worst <= 3);
}

static void test_index1(void) {
  static const dae_side side = {0.4, 1, inside, NULL};
  const dae_boundary kinds[] = {{.n = 2, .n_left = 1, .value = ends3},
                                {.n = 2, .n_left = -1, .value = ends3},
                                {.n = 2, .n_left = 1, .value = algebraic_ends},
                                {.n = 1, .n_left = 1, .value = left3, .n_side = 1, .side = &side}};
  for (int k = 0; k < 4; k++)
    for (double tol = 1e-4; tol > 1e-11; tol *= 1e-3) {
      maker m = {.w = 2.3, .unit = 1};
      dae_problem p = index1(&m, &kinds[k]);
      check_solved("index 1", &p, tol);
      /* how many were needed, and why */
      char why[DAE_TEXT_MAX];
      CHECK(dae_boundary_needed(&p, why, sizeof why) == 2);
    }
}

/* a unit of 1e6 changes nothing but the numbers */
static void test_units(void) {
  for (double unit = 1e-6; unit < 1e7; unit *= 1e6) {
    maker m = {.w = 2.3, .unit = unit};
    dae_problem p = index1(&m, &separated);
    const double near[] = {0.4, 1, 0.5 * unit};
    p.z0 = near;
    check_solved("units", &p, 1e-7);
  }
}

/* ---- M x' = f with a singular M whose null space is no coordinate ---- */

/* voltages on both sides of a capacitor: C (u1' - u2') = currents; u1 - u2 = sin, u2 = cos(1.3 t)
   from 0 = u2 + u2^3 + .. ; u3 is the integral of a function of them */
static int exact_circuit(double t, double *z, double *y, void *ctx) {
  const maker *m = ctx;
  double slope;
  (void)y;
  z[1] = cos(1.3 * t);
  z[0] = z[1] + value_of(m, t, &slope);
  z[2] = exp(0.5 * t);
  return 0;
}

static int mass_circuit(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  M[0] = 2, M[1] = -2;
  M[3] = -2, M[4] = 2;
  M[8] = 3;
  return 0;
}

static int f_circuit(double t, const double *x, double *f, void *ctx) {
  double e[3], slope;
  exact_circuit(t, e, NULL, ctx);
  value_of(ctx, t, &slope);
  const double i = x[2] - e[2] + 0.4 * (x[0] - e[0]);
  f[0] = 2 * slope + i;
  f[1] = -2 * slope - i + (x[1] + x[1] * x[1] * x[1] - e[1] - e[1] * e[1] * e[1]);
  f[2] = 1.5 * x[2] + x[0] - e[0];
  return 0;
}

static int ends_circuit(const double *z0, const double *z1, double *b, void *ctx) {
  double e0[3], e1[3];
  exact_circuit(0, e0, NULL, ctx);
  exact_circuit(1, e1, NULL, ctx);
  b[0] = z0[0] - e0[0];
  b[1] = z1[2] - e1[2];
  return 0;
}

static void test_mass(void) {
  static const dae_boundary b = {.n = 2, .n_left = 1, .value = ends_circuit};
  static const double near[] = {1, 1, 1};
  maker m = {.w = 2.3, .unit = 1};
  dae_problem p = {
      .kind = DAE_IMPLICIT,
      .implicit = {.n = 3, .f = f_circuit, .mass = mass_circuit, .mass_constant = true},
      .ctx = &m,
      .t1 = 1,
      .z0 = near,
      .exact = exact_circuit,
      .boundary = &b};
  for (double tol = 1e-4; tol > 1e-11; tol *= 1e-3) check_solved("circuit", &p, tol);
}

/* ---- index 0, not linear in x', and an unknown parameter ---- */

/* s + 0.2 s^3 + lambda x of x = sin(wt + 0.3), s = x'; lambda = 1.7 from the second condition */
static int exact1(double t, double *z, double *y, void *ctx) {
  double slope;
  (void)y;
  z[0] = value_of(ctx, t, &slope);
  return 0;
}

static int equation1(double t, const double *x, const double *dx, double *F, void *ctx) {
  const maker *m = ctx;
  double s, e = value_of(m, t, &s);
  F[0] = dx[0] + 0.2 * dx[0] * dx[0] * dx[0] + m->lambda * x[0] - (s + 0.2 * s * s * s + 1.7 * e);
  return 0;
}

static int ends1(const double *z0, const double *z1, double *b, void *ctx) {
  double slope;
  b[0] = z0[0] - value_of(ctx, 0, &slope);
  b[1] = z1[0] - value_of(ctx, 1, &slope);
  return 0;
}

static void test_parameter(void) {
  maker m = {.w = 2.3, .unit = 1, .lambda = 1};
  const double near[] = {0.5};
  const dae_boundary b = {
      .n = 2, .n_left = 1, .value = ends1, .n_parameter = 1, .parameter = &m.lambda};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = 1, .F = equation1},
                   .ctx = &m,
                   .t1 = 1,
                   .z0 = near,
                   .exact = exact1,
                   .boundary = &b};
  check_solved("parameter", &p, 1e-8);
  CHECK_NEAR(m.lambda, 1.7, 1e-6);
}

/* ---- what is refused ---- */

/* the pendulum as five equations: index 3 */
static int pendulum(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] - x[2];
  F[1] = dx[1] - x[3];
  F[2] = dx[2] + x[4] * x[0];
  F[3] = dx[3] + x[4] * x[1] + 9.81;
  F[4] = x[0] * x[0] + x[1] * x[1] - 1;
  return 0;
}

/* x1' + x2' cos t and the like: which combination holds no x' changes with t */
static int turning(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  const double d = dx[0] + x[1], a = x[0] - x[1];
  F[0] = cos(3 * t) * d - sin(3 * t) * a;
  F[1] = sin(3 * t) * d + cos(3 * t) * a;
  return 0;
}

static int one_value(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - 1;
  return 0;
}

static void refused(const char *what, const dae_problem *p, dae_status status, const char *word) {
  dae_options o = dae_options_default();
  dae_solution *s;
  dae_report report;
  dae_status got = dae_bvp_solve(p, &o, NULL, &s, &report);
  if (got != status || !strstr(report.message, word))
    printf("%s: %s, %s\n", what, dae_status_name(got), report.message);
  CHECK(got == status);
  CHECK(strstr(report.message, word) != NULL);
  dae_solution_free(s);
}

static void test_refused(void) {
  static const dae_boundary one = {.n = 1, .n_left = 1, .value = one_value};
  static const double five[] = {0.6, -0.8, 0.1, 0.1, 1}, two[] = {1, 1};
  maker m = {.w = 2.3, .unit = 1, .wrong = true};
  dae_problem p = index1(&m, &separated);
  refused("dependent", &p, DAE_E_RANK, "depends on the others");
  m.wrong = false;
  p.boundary = &one;
  refused("too few", &p, DAE_E_INPUT, "too few boundary conditions: 1 given, 2 needed");
  dae_problem q = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = 5, .F = pendulum},
                   .t1 = 1,
                   .z0 = five,
                   .boundary = &one};
  refused("index 3", &q, DAE_E_INDEX, "the index is 3");
  dae_problem r = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = 2, .F = turning},
                   .t1 = 1,
                   .z0 = two,
                   .boundary = &one};
  refused("turning", &r, DAE_E_FORM, "not the same everywhere");
}

int main(void) {
  RUN(test_index1);
  RUN(test_units);
  RUN(test_mass);
  RUN(test_parameter);
  RUN(test_refused);
  return TEST_END();
}
