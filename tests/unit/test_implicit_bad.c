/* implicit problems as careless callers state them: what is declared and not true, functions that
   fail, equations that are missing. Each ends with a status and a sentence, or with the right
   answer; no case may end ok with a wrong one */
#include <daedal/daedal.h>

#include "test.h"

static dae_status solve(const dae_problem *p, double tol, double t0, double t1, double *x,
                        dae_report *report) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.max_steps = 20000;
  return dae_solve(p, &o, t0, t1, x, NULL, report, NULL);
}

/* x = sin t + e^-t, y = e^-t */
static int curve(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[1] - cos(t);
  F[1] = x[0] - sin(t) + x[1] - 2 * exp(-t);
  return 0;
}

/* ---- a function fails at the start: the report has a sentence ---- */

typedef struct failure {
  int code;     /* returned at the first time */
  double value; /* put into F[0], unless 0 */
} failure;

static int fails_first(double t, const double *x, const double *dx, double *F, void *ctx) {
  const failure *f = ctx;
  curve(t, x, dx, F, NULL);
  if (t > 0) return 0;
  if (f->value != 0) F[0] = f->value;
  return f->code;
}

static int no_invariant(double t, const double *x, double *h, void *ctx) {
  (void)t, (void)x, (void)ctx;
  h[0] = NAN;
  return 0;
}

static void test_failing(void) {
  const failure list[] = {{1, 0}, {0, NAN}, {0, -INFINITY}, {-3, 0}};
  dae_report report;
  for (int k = 0; k < 4; k++) {
    failure f = list[k];
    double x[2] = {1, 1};
    dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &f, .implicit = {.n = 2, .F = fails_first}};
    dae_status status = solve(&p, 1e-6, 0, 2, x, &report);
    CHECK(status == (f.code < 0 ? DAE_STOPPED : DAE_E_CALLBACK));
    CHECK(report.status == status);
    CHECK(strstr(report.message, f.code < 0 ? "stop" : "not finite") != NULL);
  }
  double x[2] = {1, 1};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = 2, .nh = 1, .F = curve, .h = no_invariant}};
  CHECK(solve(&p, 1e-6, 0, 2, x, &report) == DAE_E_CALLBACK);
  CHECK(strstr(report.message, "not finite") != NULL);
}

/* a stop that comes while the flags are checked is a stop */
static int stops_once(double t, const double *x, const double *dx, double *F, void *ctx) {
  int *calls = ctx;
  curve(t, x, dx, F, NULL);
  return ++*calls == 2 ? -1 : 0;
}

static void test_stop_in_flags(void) {
  const unsigned char differential[2] = {1, 0};
  int calls = 0;
  double x[2] = {1, 1};
  dae_report report;
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .ctx = &calls,
                   .implicit = {.n = 2, .F = stops_once, .differential = differential}};
  CHECK(solve(&p, 1e-6, 0, 2, x, &report) == DAE_STOPPED);
}

/* ---- a mass matrix that is called constant ---- */

/* (1 + t) x' = -x: x = 1/(1 + t) */
static int of_time(double t, const double *x, double *M, void *ctx) {
  (void)x, (void)ctx;
  M[0] = 1 + t;
  return 0;
}

static int decay(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -x[0];
  return 0;
}

/* x x' = -x^2: x = e^-t */
static int of_x(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)ctx;
  M[0] = x[0];
  return 0;
}

static int squared(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -x[0] * x[0];
  return 0;
}

static void test_mass(void) {
  static const int start[2] = {0, 1}, column[1] = {0};
  const dae_pattern one = {1, 1, start, column};
  for (int kind = DAE_MASS_DENSE; kind <= DAE_MASS_SPARSE; kind++)
    for (int k = 0; k < 4; k++) {
      double x[1] = {1};
      dae_report report;
      dae_problem p = {.kind = DAE_IMPLICIT,
                       .implicit = {.n = 1,
                                    .f = k & 1 ? squared : decay,
                                    .mass = k & 1 ? of_x : of_time,
                                    .mass_kind = (dae_mass)kind,
                                    .mass_pattern = kind == DAE_MASS_SPARSE ? &one : NULL,
                                    .mass_constant = k >= 2}};
      dae_status status = solve(&p, 1e-7, 0, 2, x, &report);
      /* at the end errors are those of the tolerance, or a few of them */
      if (k < 2) {
        CHECK(status == DAE_OK);
        CHECK_NEAR(x[0], k ? exp(-2) : 1.0 / 3, 1e-6);
      } else CHECK(status == DAE_E_INPUT && strstr(report.message, "mass_constant") != NULL);
    }
}

/* a dense M is n x n, whatever the pattern of f: too large to be counted */
static void test_dense_mass(void) {
  enum { MANY = 100000 };
  static int start[MANY + 1], column[MANY];
  char text[200];
  for (int i = 0; i < MANY; i++) start[i + 1] = i + 1, column[i] = i;
  dae_pattern diagonal = {MANY, MANY, start, column};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .implicit = {.n = MANY, .f = decay, .mass = of_time, .f_pattern = &diagonal}};
  CHECK(dae_problem_valid(&p, text, sizeof text) == DAE_E_INPUT);
  CHECK(strstr(text, "too large for dense") != NULL);
}

/* ---- invariants that are none ---- */

static int turn(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -x[1];
  f[1] = x[0];
  return 0;
}

/* the length of x falls: it does not */
static int falls(double t, const double *x, double *h, void *ctx) {
  (void)ctx;
  h[0] = x[0] * x[0] + x[1] * x[1] - 1 + 0.1 * t;
  return 0;
}

static int length(double t, const double *x, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = x[0] * x[0] + x[1] * x[1] - 1;
  return 0;
}

/* of index 1: y = e^-t and x - sin t are the same on solutions */
static int algebraic(double t, const double *x, double *h, void *ctx) {
  (void)ctx;
  h[0] = x[0] - sin(t) - x[1];
  return 0;
}

static void test_invariants(void) {
  dae_report report;
  double x[2] = {1, 0};
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .nh = 1, .f = turn, .h = falls}};
  CHECK(solve(&p, 1e-6, 0, 2, x, &report) == DAE_E_INDEX);
  CHECK_STR(report.equation, "g1");
  p.implicit.h = length;
  x[0] = 1, x[1] = 0;
  CHECK(solve(&p, 1e-6, 0, 2, x, &report) == DAE_OK);
  CHECK_NEAR(x[0], cos(2), 1e-5);
  p.implicit = (dae_implicit){.n = 2, .nh = 1, .F = curve, .h = algebraic};
  x[0] = 1, x[1] = 1;
  CHECK(solve(&p, 1e-6, 0, 2, x, &report) == DAE_OK);
  CHECK_NEAR(x[0], sin(2) + exp(-2), 1e-5);
}

/* ---- the index is declared, and is higher ---- */

/* x1 = sin t, x_i = x_(i-1)': index n */
static int chain(double t, const double *x, const double *dx, double *F, void *ctx) {
  const int n = *(const int *)ctx;
  F[0] = x[0] - sin(t);
  for (int i = 1; i < n; i++) F[i] = x[i] - dx[i - 1];
  return 0;
}

static void test_declared(void) {
  for (int n = 2; n <= 6; n++)
    for (int most = 2; most <= 3; most++) {
      const double t0 = 0.2, right = acos(-1) / 2;
      unsigned char index[6];
      double x[6], error = 0;
      dae_report report;
      for (int i = 0; i < n; i++) {
        index[i] = (unsigned char)(i < most ? i + 1 : most);
        x[i] = sin(t0 + i * right);
      }
      dae_problem p = {.kind = DAE_IMPLICIT,
                       .ctx = &n,
                       .implicit = {.n = n, .F = chain, .variable_index = index}};
      dae_status status = solve(&p, 1e-3, t0, 2, x, &report);
      for (int i = 0; i < n; i++) error = fmax(error, fabs(x[i] - sin(2 + i * right)));
      /* derivatives of order n - 1 lose digits: ten tolerances */
      if (n <= 3) CHECK(status == DAE_OK && error < 1e-2);
      else CHECK(status == DAE_E_INDEX && strstr(report.message, "index is") != NULL);
    }
}

/* ---- many variables, an equation is missing ---- */

enum { N = 400, MISSING = 7 };

static int rod(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = x[0];
  F[N - 1] = x[N - 1];
  for (int i = 1; i < N - 1; i++) F[i] = dx[i] - x[i - 1] + 2 * x[i] - x[i + 1];
  F[MISSING] = 0;
  return 0;
}

static void test_missing(void) {
  static int start[N + 1], column[3 * N];
  static double x[N];
  int used = 0;
  for (int i = 0; i < N; i++) {
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < N) column[used++] = j;
    start[i + 1] = used;
  }
  dae_pattern pattern = {N, N, start, column};
  for (int k = 0; k < 2; k++) {
    dae_report report;
    dae_problem p = {.kind = DAE_IMPLICIT,
                     .implicit = {.n = N, .F = rod, .pattern = k ? &pattern : NULL}};
    for (int i = 0; i < N; i++) x[i] = sin(acos(-1) * i / (N - 1));
    CHECK(solve(&p, 1e-6, 0, 1, x, &report) == DAE_E_RANK);
    CHECK_STR(report.equation, "F8");
  }
}

/* ---- units of variables and equations that are no powers of two ---- */

typedef struct pendulum {
  int index;
  double x[5], F[5];
} pendulum;

static int swing(double t, const double *z, const double *dz, double *F, void *ctx) {
  const pendulum *w = ctx;
  double x[5], dx[5];
  (void)t;
  for (int i = 0; i < 5; i++) x[i] = z[i] / w->x[i], dx[i] = dz[i] / w->x[i];
  F[0] = dx[0] - x[2];
  F[1] = dx[1] - x[3];
  F[2] = dx[2] + x[0] * x[4];
  F[3] = dx[3] + x[1] * x[4] + 9.81;
  F[4] = w->index == 3 ? x[0] * x[0] + x[1] * x[1] - 1 : x[0] * x[2] + x[1] * x[3];
  for (int i = 0; i < 5; i++) F[i] *= w->F[i];
  return 0;
}

/* from the horizontal, where dx4 = -9.81 has no other term; at the lowest point, after
   K(1/2)/sqrt(g), the rope pulls with 3 g */
static void test_units(void) {
  const double quarter = 1.85407467730137191843 / sqrt(9.81), tol = 1e-4;
  for (int index = 2; index <= 3; index++)
    for (int trial = 0; trial < 30; trial++) {
      pendulum w = {.index = index};
      dae_options o = dae_options_default();
      double z[5] = {0}, atols[5];
      for (int i = 0; i < 5; i++) {
        w.x[i] = pow(10, 9 * sin(1 + 2.3 * i + 1.7 * trial));
        w.F[i] = pow(10, 9 * sin(2 + 1.9 * i + 2.9 * trial));
        atols[i] = tol * w.x[i];
      }
      z[0] = w.x[0];
      o.rtol = tol, o.atols = atols, o.n_atols = 5;
      dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &w, .implicit = {.n = 5, .F = swing}};
      CHECK(dae_solve(&p, &o, 0, quarter, z, NULL, NULL, NULL) == DAE_OK);
      CHECK_NEAR(z[0] / w.x[0], 0, 20 * tol);
      CHECK_NEAR(z[1] / w.x[1], -1, 20 * tol);
      /* multipliers of index 3 lose two orders of the step: some hundred tolerances */
      CHECK_NEAR(z[4] / w.x[4], 3 * 9.81, (index == 3 ? 300 : 20) * tol * 30);
    }
}

int main(void) {
  RUN(test_failing);
  RUN(test_stop_in_flags);
  RUN(test_mass);
  RUN(test_dense_mass);
  RUN(test_invariants);
  RUN(test_declared);
  RUN(test_missing);
  RUN(test_units);
  return TEST_END();
}
