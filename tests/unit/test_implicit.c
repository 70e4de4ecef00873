/* implicit problems: 0 = F(t,x,x') and M x' = f against closed solutions, sparse ones, consistent
   starts, and what is refused by name */
#include <daedal/daedal.h>

#include "test.h"

enum { MOST = 2000 };

/* ---- index 1 with the solution x = sin t + e^-t, y = e^-t ---- */
static int index1(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[1] - cos(t);
  F[1] = x[0] - sin(t) + x[1] + x[1] * x[1] * x[1] - 2 * exp(-t) - exp(-3 * t);
  return 0;
}

/* the same as M x' = f with a full, singular M */
static int index1_mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  M[0] = 1, M[2] = 3;
  return 0;
}

static int index1_f(double t, const double *x, double *f, void *ctx) {
  double zero[2] = {0, 0}, F[2];
  index1(t, x, zero, F, ctx);
  f[0] = -F[0];
  f[1] = -3 * F[0] - F[1];
  return 0;
}

static void run(const dae_problem *p, const char *method, double tol, double t1, double *x) {
  dae_options o = dae_options_default();
  dae_report report;
  o.rtol = o.atol = tol;
  o.method = method;
  dae_status status = dae_solve(p, &o, 0, t1, x, NULL, &report, NULL);
  if (status != DAE_OK) printf("%s: %s: %s\n", method, dae_status_name(status), report.message);
  CHECK(status == DAE_OK);
}

static void test_index1(void) {
  static const char *const method[] = {"auto", "radau2", "radau3", "radau5", "lobatto4", "bdf"};
  dae_problem residual = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = index1}};
  dae_problem mass = {.kind = DAE_IMPLICIT,
                      .implicit = {.n = 2, .f = index1_f, .mass = index1_mass}};
  for (int k = 0; k < 6; k++)
    for (int form = 0; form < 2; form++) {
      /* y is off at the start: it is algebraic, and found */
      double x[2] = {1, 0.7}, tol = 1e-7;
      run(form ? &mass : &residual, method[k], tol, 1.7, x);
      /* bdf and low orders add up errors of both signs: within 10 tolerances */
      CHECK_NEAR(x[0], sin(1.7) + exp(-1.7), 10 * tol);
      CHECK_NEAR(x[1], exp(-1.7), 10 * tol);
    }
}

/* fixed steps: radau3 has order 5 for both x and y at index 1 */
static void test_order(void) {
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = index1}};
  static const struct {
    const char *method;
    double order;
  } row[] = {{"radau2", 3}, {"radau3", 5},         {"lobatto3", 4},
             {"sdirk2", 2}, {"backward-euler", 1}, {"bdf3", 3}};
  for (int k = 0; k < 6; k++) {
    double error[2];
    for (int half = 0; half < 2; half++) {
      dae_options o = dae_options_default();
      double x[2] = {1, 1};
      o.method = row[k].method;
      o.step = half ? 0.05 : 0.1;
      CHECK(dae_solve(&p, &o, 0, 1, x, NULL, NULL, NULL) == DAE_OK);
      error[half] = fmax(fabs(x[0] - sin(1) - exp(-1)), fabs(x[1] - exp(-1)));
    }
    /* measured between two step sizes: a third of an order is what the next term makes */
    CHECK_NEAR(log2(error[0] / error[1]), row[k].order, 0.35);
  }
}

/* ---- a pendulum by positions (index 3), velocities (2) or accelerations (1) ---- */

static int pendulum(double t, const double *x, const double *dx, double *F, void *ctx) {
  const int index = *(const int *)ctx;
  (void)t;
  double p = x[0], q = x[1], u = x[2], v = x[3], l = x[4], square = p * p + q * q;
  F[0] = dx[0] - u;
  F[1] = dx[1] - v;
  F[2] = dx[2] + p * l;
  F[3] = dx[3] + q * l + 9.81;
  F[4] = index == 3   ? square - 1
         : index == 2 ? p * u + q * v
                      : u * u + v * v - square * l - 9.81 * q;
  return 0;
}

/* at the lowest point after a quarter of the period: T/4 = K(1/2)/sqrt(g) for a start from the
   horizontal, K(k^2 = 1/2) = 1.85407467730137191843; there v^2 = 2 g, lambda = 3 g */
static void test_pendulum(void) {
  const double quarter = 1.85407467730137191843 / sqrt(9.81), speed = sqrt(2 * 9.81);
  for (int index = 1; index <= 3; index++) {
    dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &index, .implicit = {.n = 5, .F = pendulum}};
    double x[5] = {1, 0, 0, 0, 0}, tol = 1e-6;
    run(&p, "auto", tol, quarter, x);
    CHECK_NEAR(x[0], 0, 20 * tol);
    CHECK_NEAR(x[1], -1, 20 * tol);
    CHECK_NEAR(x[2], -speed, 20 * tol * speed);
    CHECK_NEAR(x[3], 0, 20 * tol * speed);
    /* multipliers of index 3 lose two orders of the step: a thousand tolerances */
    CHECK_NEAR(x[4], 3 * 9.81, (index == 3 ? 1000 : 20) * tol * 30);
  }
}

/* ---- sparse: heat u_t = u_xx on (0,1) by differences, ends as algebraic equations ---- */

typedef struct rod {
  int n;
  int *start, *column;
} rod;

static int heat(double t, const double *x, const double *dx, double *F, void *ctx) {
  const rod *r = ctx;
  const double s = (double)(r->n - 1) * (r->n - 1);
  (void)t;
  F[0] = x[0];
  F[r->n - 1] = x[r->n - 1];
  for (int i = 1; i < r->n - 1; i++) F[i] = dx[i] - s * (x[i - 1] - 2 * x[i] + x[i + 1]);
  return 0;
}

static void test_sparse(void) {
  static int start[MOST + 1], column[3 * MOST];
  static double x[MOST];
  const double pi = acos(-1);
  rod r = {.n = MOST};
  int used = 0;
  for (int i = 0; i < r.n; i++) {
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < r.n) column[used++] = j;
    start[i + 1] = used;
  }
  dae_pattern pattern = {r.n, r.n, start, column};
  dae_problem p = {
      .kind = DAE_IMPLICIT, .ctx = &r, .implicit = {.n = MOST, .F = heat, .pattern = &pattern}};
  dae_options o = dae_options_default();
  dae_stats stats;
  o.rtol = o.atol = 1e-6;
  for (int i = 0; i < r.n; i++) x[i] = sin(pi * i / (r.n - 1));
  CHECK(dae_solve(&p, &o, 0, 0.1, x, NULL, NULL, &stats) == DAE_OK);
  /* the mode of the differences: rate 4 s sin^2(pi/2(n-1)) */
  double half = sin(pi / 2 / (r.n - 1)), rate = 4.0 * (r.n - 1) * (r.n - 1) * half * half;
  CHECK_NEAR(x[MOST / 2], sin(pi * (MOST / 2) / (r.n - 1)) * exp(-0.1 * rate), 1e-5);
  /* coloured: three evaluations for each of the matrices, not 2000 */
  CHECK(stats.steps < 60);
}

/* ---- refused by name ---- */

static dae_status refused(const dae_problem *p, double *x, dae_report *report) {
  dae_options o = dae_options_default();
  return dae_solve(p, &o, 0, 1, x, NULL, report, NULL);
}

/* the second equation is twice the first */
static int twice(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] + x[1] + x[2];
  F[1] = 2 * dx[0] + 2 * x[1] + 2 * x[2];
  F[2] = x[2] - 1;
  return 0;
}

/* x1 = sin t, x2 = x1', x3 = x2', x4 = x3': index 4 */
static int chain4(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = x[0] - sin(t);
  for (int i = 1; i < 4; i++) F[i] = x[i] - dx[i - 1];
  return 0;
}

/* t x' = x from 0: x = c t for any c */
static int singular_start(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = t * dx[0] - x[0];
  return 0;
}

/* x' = y, y^2 = x: from x = 1 with a guess of 0 for y, where nothing tells the sign */
static int two_branches(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] - x[1];
  F[1] = x[1] * x[1] - x[0];
  return 0;
}

/* x'^2 = x with no guess of x' */
static int squared(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] * dx[0] - x[0];
  return 0;
}

/* what is given of the differential variable is not moved, whatever the algebraic one is at first:
   sqrt(x) = 1 + t/2 or 1 - t/2 */
static void test_branches(void) {
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = two_branches}};
  dae_problem q = {.kind = DAE_IMPLICIT, .implicit = {.n = 1, .F = squared}};
  double x[2] = {1, 0}, z[1] = {1};
  run(&p, "auto", 1e-7, 1, x);
  CHECK(fabs(x[0] - 2.25) < 1e-6 || fabs(x[0] - 0.25) < 1e-6);
  run(&q, "auto", 1e-7, 1, z);
  CHECK(fabs(z[0] - 2.25) < 1e-6 || fabs(z[0] - 0.25) < 1e-6);
}

static int not_a_number(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)x, (void)ctx;
  F[0] = dx[0] + NAN;
  return 0;
}

static int no_solution(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] - x[1];
  F[1] = x[1] * x[1] + 1;
  return 0;
}

static void test_refused(void) {
  dae_report report;
  double x[5] = {1, 0, 0, 0, 0};
  static const char *const equation[] = {"mass balance", "the same", "level"};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = 3, .F = twice, .equation_name = equation}};
  CHECK(refused(&p, x, &report) == DAE_E_RANK);
  CHECK(strcmp(report.equation, "mass balance") == 0 || strcmp(report.equation, "the same") == 0);
  CHECK(strcmp(report.variable, "x1") == 0 || strcmp(report.variable, "x2") == 0);

  p.implicit = (dae_implicit){.n = 4, .F = chain4};
  CHECK(refused(&p, x, &report) == DAE_E_INDEX);
  CHECK(strstr(report.message, "index is 4") != NULL);

  p.implicit = (dae_implicit){.n = 1, .F = singular_start};
  x[0] = 0;
  CHECK(refused(&p, x, &report) == DAE_E_RANK);
  x[0] = 1;

  p.implicit = (dae_implicit){.n = 1, .F = not_a_number};
  CHECK(refused(&p, x, &report) == DAE_E_CALLBACK);

  p.implicit = (dae_implicit){.n = 2, .F = no_solution};
  CHECK(refused(&p, x, &report) == DAE_E_INCONSISTENT);
  CHECK_STR(report.equation, "F2");

  /* x1' stands in the first equation */
  const unsigned char flags[2] = {0, 0};
  p.implicit = (dae_implicit){.n = 2, .F = index1, .differential = flags};
  CHECK(refused(&p, x, &report) == DAE_E_INPUT);
  CHECK_STR(report.variable, "x1");

  /* both values held: the algebraic one is off */
  const unsigned char both[2] = {1, 1};
  x[0] = 1, x[1] = 0.7;
  p = (dae_problem){.kind = DAE_IMPLICIT, .fixed = both, .implicit = {.n = 2, .F = index1}};
  CHECK(refused(&p, x, &report) == DAE_E_INCONSISTENT);
  CHECK_STR(report.equation, "F2");
}

static void test_invalid(void) {
  char text[200];
  const unsigned char high[2] = {1, 4};
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2}};
  CHECK(dae_problem_valid(&p, text, sizeof text) == DAE_E_INPUT && strstr(text, "implicit.F"));
  p.implicit = (dae_implicit){.n = 2, .F = index1, .f = index1_f};
  CHECK(dae_problem_valid(&p, text, sizeof text) == DAE_E_INPUT && strstr(text, "beside"));
  p.implicit = (dae_implicit){.n = 2, .F = index1, .variable_index = high};
  CHECK(dae_problem_valid(&p, text, sizeof text) == DAE_E_INPUT && strstr(text, "variable_index"));
  p.implicit = (dae_implicit){.n = 0, .F = index1};
  CHECK(dae_problem_valid(&p, text, sizeof text) == DAE_E_INPUT && strstr(text, "implicit.n"));
}

int main(void) {
  RUN(test_index1);
  RUN(test_order);
  RUN(test_pendulum);
  RUN(test_sparse);
  RUN(test_branches);
  RUN(test_refused);
  RUN(test_invalid);
  return TEST_END();
}
