/* implicit problems that do not determine their variables, on the solution only or from some time
   on, and indices of variables that are declared and not true: no run ends ok with a number that is
   anybody's choice */
#include <daedal/daedal.h>

#include "test.h"

static const char *const methods[] = {"auto", "radau3", "radau5", "radau4", "bdf"};
enum { METHODS = 5 };

typedef int residual(double t, const double *x, const double *dx, double *F, void *ctx);

static dae_status solve(const dae_problem *p, const char *method, double tol, double t1, double *x,
                        dae_report *report) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.method = method;
  return dae_solve(p, &o, 0, t1, x, NULL, report, NULL);
}

/* ---- x2 is free on solutions: the second equation says what the first one says ---- */

static int difference_of_squares(double t, const double *x, const double *dx, double *F, void *c) {
  (void)t, (void)c;
  F[0] = dx[0] + x[1];
  F[1] = dx[0] * dx[0] - x[1] * x[1];
  return 0;
}

static int sum_of_cubes(double t, const double *x, const double *dx, double *F, void *c) {
  (void)t, (void)c;
  F[0] = dx[0] + x[1];
  F[1] = dx[0] * dx[0] * dx[0] + x[1] * x[1] * x[1];
  return 0;
}

static int multiple(double t, const double *x, const double *dx, double *F, void *c) {
  (void)t, (void)c;
  F[0] = dx[0] + x[0] * x[1];
  F[1] = F[0] * (1 + x[1] * x[1]);
  return 0;
}

static void test_repeated(void) {
  static residual *const F[] = {difference_of_squares, sum_of_cubes, multiple};
  for (int k = 0; k < 3; k++)
    for (int m = 0; m < METHODS; m++) {
      double x[2] = {1, 0.5};
      dae_report r;
      dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = F[k]}};
      dae_status status = solve(&p, methods[m], 1e-6, 2, x, &r);
      CHECK(status < 0);
      if (status >= 0) printf("  %d %s: %s\n", k, methods[m], r.message);
    }
}

/* ---- x2 is free from t = 1 on, in some cases until t = 1.5: x1 = e^-t or follows from x2 ---- */

typedef struct fading {
  int way;    /* how the second equation goes, see below */
  bool slope; /* it determines x2', not x2 */
  bool back;  /* it comes back */
} fading;

static double strength(const fading *f, double t) {
  const double left = 1 - t;
  if (f->back && t > 1.5) return 1;
  if (left <= 0) return 0;
  return f->way % 3 == 0 ? 1 : f->way % 3 == 1 ? left * left : exp(-1 / left);
}

static int fades(double t, const double *x, const double *dx, double *F, void *ctx) {
  const fading *f = ctx;
  const double s = strength(f, t);
  F[0] = dx[0] + x[0];
  F[1] = s * (f->slope ? dx[1] - cos(t) : x[1] - sin(t));
  /* it vanishes, or becomes the first one */
  if (f->way >= 3) F[1] += (1 - s) * F[0];
  return 0;
}

static void test_fading(void) {
  for (int k = 0; k < 24; k++)
    for (int m = 0; m < METHODS; m++) {
      fading f = {k % 6, k / 6 % 2 == 1, k / 12 == 1};
      double x[2] = {1, 0};
      dae_report r;
      dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &f, .implicit = {.n = 2, .F = fades}};
      dae_status status = solve(&p, methods[m], 1e-6, 2, x, &r);
      /* where x2 is determined again, what was chosen in between does no harm; a gap that begins
         and ends between two looks is not seen, of which bdf has one in dozens of steps */
      bool harmless = f.back && !f.slope && fabs(x[1] - sin(2)) < 1e-5;
      if (f.back && f.slope && strcmp(methods[m], "bdf") == 0) continue;
      CHECK(status < 0 || harmless);
      if (status >= 0 && !harmless) printf("  %d %s: %s\n", k, methods[m], r.message);
    }
}

/* ---- a single point without an answer is passed, or named: t x1' = x1 at t = 0 ---- */

static int through_zero(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = (t - 1) * (dx[0] - 1) - (x[0] - t);
  F[1] = x[1] - x[0];
  return 0;
}

static void test_point(void) {
  for (int m = 0; m < METHODS; m++) {
    double x[2] = {0, 0};
    dae_report r;
    dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = through_zero}};
    /* x = t; it ends on the point. A hundred tolerances: errors grow as 1/(1 - t) */
    dae_status status = solve(&p, methods[m], 1e-6, 1, x, &r);
    CHECK(status < 0 || fabs(x[0] - 1) < 1e-4);
  }
}

/* ---- indices of variables, true or not ---- */

static int robertson(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] + 0.04 * x[0] - 1e4 * x[1] * x[2];
  F[1] = dx[1] - 0.04 * x[0] + 1e4 * x[1] * x[2] + 3e7 * x[1] * x[1];
  F[2] = x[0] + x[1] + x[2] - 1;
  return 0;
}

/* x2 = cos 3t, x1' = x2, x3 = x2' + x1 of index 2 */
static int second(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] - x[1];
  F[1] = dx[1] + x[0] - x[2];
  F[2] = x[1] - cos(3 * t);
  return 0;
}

static void test_declared(void) {
  /* the value of the Test Set for IVP Solvers at t = 40 */
  const double tol = 1e-8, end[3] = {0.7158270687, 9.1855347646e-6, 0.2841637457};
  for (int code = 0; code < 27; code += 2)
    for (int m = 0; m < METHODS; m += 4) {
      const unsigned char index[3] = {(unsigned char)(1 + code % 3),
                                      (unsigned char)(1 + code / 3 % 3),
                                      (unsigned char)(1 + code / 9)};
      double x[3] = {1, 0, 0}, z[3] = {0.2, 1, 0.2};
      dae_report r;
      dae_problem p = {.kind = DAE_IMPLICIT,
                       .implicit = {.n = 3, .F = robertson, .variable_index = index}};
      CHECK(solve(&p, methods[m], tol, 40, x, &r) == DAE_OK);
      /* ten tolerances, and the digits of the reference */
      for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], end[i], 10 * tol);
      p.implicit.F = second;
      CHECK(solve(&p, methods[m], tol, 2, z, &r) == DAE_OK);
      CHECK_NEAR(z[0], 0.2 + sin(6) / 3, 10 * tol);
      CHECK_NEAR(z[1], cos(6), 10 * tol);
      /* a derivative: ten times as much */
      CHECK_NEAR(z[2], -3 * sin(6) + 0.2 + sin(6) / 3, 100 * tol);
    }
}

int main(void) {
  RUN(test_repeated);
  RUN(test_fading);
  RUN(test_point);
  RUN(test_declared);
  return TEST_END();
}
