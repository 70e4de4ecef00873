/* runs of implicit problems: events, times to hit, dense output, units, invariants, given matrices,
   and functions or memory that fail */
#include <daedal/daedal.h>

#include "fault/alloc.h"
#include "test.h"

/* x = sin t + e^-t, y = e^-t in units of the caller: variables and equations are multiplied */
typedef struct units {
  double x[2], F[2];
  long calls, fail_at;
  int code; /* what the failing call returns; 0: NaN */
} units;

static const units PLAIN = {.x = {1, 1}, .F = {1, 1}};

static int curve(double t, const double *z, const double *dz, double *F, void *ctx) {
  units *u = ctx;
  double x = z[0] / u->x[0], y = z[1] / u->x[1], dx = dz[0] / u->x[0];
  F[0] = u->F[0] * (dx + y - cos(t));
  F[1] = u->F[1] * (x - sin(t) + y + y * y * y - 2 * exp(-t) - exp(-3 * t));
  if (++u->calls != u->fail_at) return 0;
  if (u->code == 0) F[0] = NAN;
  return u->code;
}

static int curve_matrices(double t, const double *z, const double *dz, double *E, double *A,
                          void *ctx) {
  (void)t, (void)dz, (void)ctx;
  E[0] = 1;
  A[1] = 1, A[2] = 1, A[3] = 1 + 3 * z[1] * z[1];
  return 0;
}

/* the second row forgets its cubic term */
static int wrong_matrices(double t, const double *z, const double *dz, double *E, double *A,
                          void *ctx) {
  curve_matrices(t, z, dz, E, A, ctx);
  A[3] = 1;
  return 0;
}

/* other units of variables and equations, tolerances along with them: the same steps, the same
   answer. Powers of two would be the same to the last bit; these are not, and what differences
   round may move a step here and there: a tenth of the steps; bdf begins with steps so short that
   rounding decides how fast they grow: a quarter */
static void test_units(void) {
  static const char *const method[] = {"radau3", "radau5", "bdf"};
  for (int m = 0; m < 3; m++) {
    long steps = 0;
    for (int k = 0; k < 4; k++) {
      static const double of_x[4] = {1, 3e9, 7e-10, 5e-9}, of_F[4] = {1, 2e-9, 3e9, 6e8};
      units u = {.x = {of_x[k], 1 / of_x[k]}, .F = {of_F[k], 1 / of_F[k]}};
      dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &u, .implicit = {.n = 2, .F = curve}};
      dae_options o = dae_options_default();
      dae_stats stats;
      double tol = 1e-6, z[2] = {u.x[0], 0.4 * u.x[1]}, atols[2] = {tol * u.x[0], tol * u.x[1]};
      o.rtol = tol, o.atols = atols, o.n_atols = 2;
      o.method = method[m];
      CHECK(dae_solve(&p, &o, 0, 2, z, NULL, NULL, &stats) == DAE_OK);
      CHECK_NEAR(z[0] / u.x[0], sin(2) + exp(-2), 10 * tol);
      CHECK_NEAR(z[1] / u.x[1], exp(-2), 10 * tol);
      if (k == 0) steps = stats.steps;
      CHECK_NEAR((double)stats.steps, (double)steps, (m < 2 ? 0.1 : 0.25) * (double)steps + 1);
    }
  }
}

static int falls(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[1] - 0.5;
  return 0;
}

/* y = e^-t falls to 0.5 at ln 2; the algebraic variable is watched, and dense output has its
   values */
static void test_events(void) {
  units u = PLAIN;
  dae_event event = {.name = "half", .value = falls, .terminal = true};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .ctx = &u,
                   .n_event = 1,
                   .event = &event,
                   .implicit = {.n = 2, .F = curve}};
  dae_options o = dae_options_default();
  dae_solver *s;
  double z[2] = {1, 1}, inside[2];
  o.rtol = o.atol = 1e-8;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, z, NULL) == DAE_OK);
  /* x' of the start: cos 0 - 1 = 0, and that of the algebraic variable is found too: -1 */
  CHECK_NEAR(dae_solver_dz(s)[0], 0, 1e-7);
  CHECK_NEAR(dae_solver_dz(s)[1], -1, 1e-7);
  CHECK(dae_solver_advance(s, 3) == DAE_EVENT);
  CHECK_NEAR(dae_solver_time(s), log(2), 1e-7);
  CHECK(dae_solver_advance(s, 1.2) == DAE_OK);
  double t = 0.3 * dae_solver_previous_time(s) + 0.7 * dae_solver_time(s);
  CHECK(dae_solver_eval(s, t, inside, NULL) == DAE_OK);
  /* polynomials of the stages are less exact than their ends: 1e-6 */
  CHECK_NEAR(inside[0], sin(t) + exp(-t), 1e-6);
  CHECK_NEAR(inside[1], exp(-t), 1e-6);
  CHECK(dae_solver_advance(s, 2) == DAE_OK);
  CHECK_NEAR(dae_solver_z(s)[0], sin(2) + exp(-2), 1e-7);
  dae_solver_free(s);
}

/* x' = -y, y = x before t = 1 and 2 x behind it: x(2) = e^-3 */
static int switched(double t, const double *z, const double *dz, double *F, void *ctx) {
  (void)ctx;
  F[0] = dz[0] + z[1];
  F[1] = z[1] - (t < 1 ? 1 : 2) * z[0];
  return 0;
}

static int never(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)z, (void)y, (void)ctx;
  *value = t - 1;
  return 0;
}

static int halve(double t, double *z, void *ctx) {
  (void)t, (void)ctx;
  z[0] /= 2;
  return 0;
}

/* a jump of the algebraic equation at a time that is known, then one of the differential variable
   that an event makes: what is algebraic follows */
static void test_jumps(void) {
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .F = switched}};
  dae_event event = {.name = "one", .value = never, .change = halve};
  for (int k = 0; k < 2; k++) {
    dae_options o = dae_options_default();
    dae_solver *s;
    double z[2] = {1, 1}, hit = 1;
    o.rtol = o.atol = 1e-8;
    if (k == 1) p.n_event = 1, p.event = &event;
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_hit(s, &hit, 1) == DAE_OK);
    CHECK(dae_solver_start(s, 0, z, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, 2) == DAE_OK);
    double exact = exp(-3) / (k + 1);
    CHECK_NEAR(dae_solver_z(s)[0], exact, 1e-7);
    CHECK_NEAR(dae_solver_z(s)[1], 2 * exact, 2e-7);
    dae_solver_free(s);
  }
}

/* x'^3 + x' = 10 x with no y: index 0, not linear in x'; the slope p solves p^3 + p = 10 x, and
   t = integral of dp (3 p^2 + 1)/(10 p) = (1.5 (p^2 - p0^2) + ln(p/p0))/10 */
static int cubic(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] * dx[0] * dx[0] + dx[0] - 10 * x[0];
  return 0;
}

static void test_cubic(void) {
  double p0 = 1, p1 = 3, x[1] = {(p0 * p0 * p0 + p0) / 10};
  double t1 = (1.5 * (p1 * p1 - p0 * p0) + log(p1 / p0)) / 10;
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 1, .F = cubic}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  CHECK(dae_solve(&p, &o, 0, t1, x, NULL, NULL, NULL) == DAE_OK);
  CHECK_NEAR(x[0], (p1 * p1 * p1 + p1) / 10, 1e-6);
}

/* given matrices are used, checked, and accused by name when they are wrong; a pattern that lacks
   an entry too */
static void test_given(void) {
  units u = PLAIN;
  static const int start[3] = {0, 2, 3}, column[3] = {0, 1, 1};
  dae_pattern lacking = {2, 2, start, column};
  double z[2] = {1, 1};
  dae_report report;
  dae_options o = dae_options_default();
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .ctx = &u,
                   .implicit = {.n = 2, .F = curve, .jacobian = curve_matrices}};
  o.rtol = o.atol = 1e-8;
  CHECK(dae_solve(&p, &o, 0, 2, z, NULL, NULL, NULL) == DAE_OK);
  CHECK_NEAR(z[1], exp(-2), 1e-7);
  p.implicit.jacobian = wrong_matrices;
  z[0] = z[1] = 1;
  CHECK(dae_solve(&p, &o, 0, 2, z, NULL, &report, NULL) == DAE_E_INPUT);
  CHECK(strstr(report.message, "Fx of jacobian is wrong at [F2, x2]") != NULL);
  /* differences of a pattern without x1 in F2: never an answer that is off */
  p.implicit.jacobian = NULL;
  p.implicit.pattern = &lacking;
  z[0] = z[1] = 1;
  dae_status status = dae_solve(&p, &o, 0, 2, z, NULL, NULL, NULL);
  CHECK(status < 0 || fabs(z[1] - exp(-2)) < 1e-6);
}

/* a rotation with its length as a known invariant: kept to rounding over a hundred turns */
static int turn(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -x[1];
  f[1] = x[0];
  return 0;
}

static int length(double t, const double *x, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = x[0] * x[0] + x[1] * x[1] - 1;
  return 0;
}

static void test_invariant(void) {
  dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 2, .nh = 1, .f = turn, .h = length}};
  dae_options o = dae_options_default();
  double x[2] = {1, 0};
  o.rtol = o.atol = 1e-5;
  CHECK(dae_solve(&p, &o, 0, 50, x, NULL, NULL, NULL) == DAE_OK);
  CHECK_NEAR(x[0] * x[0] + x[1] * x[1], 1, 1e-13);
  CHECK_NEAR(x[0], cos(50), 1e-3);
}

/* the diagnosis tells index and rank: an electric circuit x' = y, 0 = x - sin t of index 2 */
static int index2(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] - x[1];
  F[1] = x[0] - sin(t);
  return 0;
}

static void test_diagnosis(void) {
  double z0[2] = {0, 1};
  const unsigned char declared[2] = {1, 2};
  dae_problem p = {.kind = DAE_IMPLICIT, .z0 = z0, .t1 = 1, .implicit = {.n = 2, .F = index2}};
  dae_options o = dae_options_default();
  dae_diagnosis d;
  CHECK(dae_diagnose(&p, &o, &d) == DAE_OK);
  CHECK(d.index == 2 && d.rank == 1 && d.rows == 2 && d.trial == DAE_OK);
  /* declared as in RADAU5; the start finds x1 = 0, x2 = 1 from anything */
  double x[2] = {0.3, -2};
  p.implicit.variable_index = declared;
  CHECK(dae_problem_index(&p) == 2);
  CHECK(dae_solve(&p, &o, 0, 1, x, NULL, NULL, NULL) == DAE_OK);
  CHECK_NEAR(x[0], sin(1), 1e-5);
  CHECK_NEAR(x[1], cos(1), 1e-4);
}

/* a pendulum on x^2 + y^2 = 1, index 3: the multiplier is u^2 + v^2 - 9.81 y */
static int pendulum(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t;
  if (ctx) ++*(long *)ctx;
  F[0] = dx[0] - x[2];
  F[1] = dx[1] - x[3];
  F[2] = dx[2] + x[4] * x[0];
  F[3] = dx[3] + x[4] * x[1] + 9.81;
  F[4] = x[0] * x[0] + x[1] * x[1] - 1;
  return 0;
}

/* a declared index is no promise that the values are consistent: those that are stay, a multiplier
   or a velocity that is not is found */
static void test_declared(void) {
  const unsigned char declared[5] = {1, 1, 2, 2, 3};
  const double lambda = 0.25 + 9.81 * 0.8;
  const double start[][5] = {{0.6, -0.8, 0.4, 0.3, 0.25 + 9.81 * 0.8},
                             {0.6, -0.8, 0.4, 0.3, 0},
                             {0.6, -0.8, 0.4, 0.3, 9},
                             {0.6, -0.8, 0.5, 0.3, 0.25 + 9.81 * 0.8}};
  for (int k = 0; k < 4; k++) {
    dae_problem p = {.kind = DAE_IMPLICIT,
                     .z0 = start[k],
                     .t1 = 1,
                     .implicit = {.n = 5, .F = pendulum, .variable_index = declared}};
    dae_options o = dae_options_default();
    dae_solver *s;
    double x[5];
    memcpy(x, start[k], sizeof x);
    o.rtol = o.atol = 1e-8;
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, x, NULL) == DAE_OK);
    if (k == 0) CHECK(memcmp(x, start[k], sizeof start[k]) == 0);
    /* differences of F leave about 1e-8 of what is differentiated twice */
    CHECK_NEAR(x[4], x[2] * x[2] + x[3] * x[3] - 9.81 * x[1], 1e-5 * lambda);
    CHECK_NEAR(x[0] * x[2] + x[1] * x[3], 0, 1e-7);
    dae_solver_free(s);
  }
}

/* at rest and horizontal x^2 + y^2 = 1 does not see y, which bends it soon: values that are
   consistent are taken as such all the same, over any length of run, without the rounds that find
   an index and values by it */
static void test_horizontal(void) {
  const unsigned char declared[5] = {1, 1, 2, 2, 3};
  const double start[5] = {1};
  for (double t1 = 0.1; t1 < 20; t1 *= 2) {
    long calls = 0;
    dae_problem p = {.kind = DAE_IMPLICIT,
                     .ctx = &calls,
                     .z0 = start,
                     .t1 = t1,
                     .implicit = {.n = 5, .F = pendulum, .variable_index = declared}};
    dae_options o = dae_options_default();
    dae_solver *s;
    double x[5];
    memcpy(x, start, sizeof x);
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, x, NULL) == DAE_OK);
    CHECK(memcmp(x, start, sizeof start) == 0);
    /* a few matrices of 40 calls each; with the rounds it is more than 1000 */
    CHECK(calls < 600);
    if (calls >= 600) printf("t1 %g: %ld calls\n", t1, calls);
    dae_solver_free(s);
  }
}

/* every call fails in turn: a status, or a step size that gets around it */
static void test_callbacks(void) {
  for (int code = -1; code <= 1; code++)
    for (long at = 1; at < 200; at += 3) {
      units u = PLAIN;
      dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &u, .implicit = {.n = 2, .F = curve}};
      dae_options o = dae_options_default();
      dae_report report;
      double z[2] = {1, 0.4};
      u.fail_at = at, u.code = code;
      dae_status status = dae_solve(&p, &o, 0, 2, z, NULL, &report, NULL);
      if (code < 0) CHECK(status == DAE_STOPPED || u.calls < at);
      else CHECK((status == DAE_OK && fabs(z[1] - exp(-2)) < 1e-4) || status < 0);
      if (code < 0 && status != DAE_STOPPED)
        printf("  call %ld: %s\n", at, dae_status_name(status));
    }
}

/* every take fails in turn: an honest status, nothing live */
static void test_memory(void) {
  for (long n = 1;; n++) {
    units u = PLAIN;
    fault_alloc a = {.fail_at = n};
    dae_problem p = {.kind = DAE_IMPLICIT, .ctx = &u, .implicit = {.n = 2, .F = curve}};
    dae_options o = dae_options_default();
    double z[2] = {1, 0.4};
    o.allocator = fault_allocator(&a);
    dae_status status = dae_solve(&p, &o, 0, 2, z, NULL, NULL, NULL);
    CHECK(a.live == 0);
    if (a.takes < n) {
      CHECK(status == DAE_OK);
      break;
    }
    CHECK(status == DAE_E_MEMORY);
    if (status != DAE_E_MEMORY) printf("  take %ld: %s\n", n, dae_status_name(status));
    if (n > 2000) break;
  }
}

/*
 * w' + w = cos t, 0 = b - sin w - t/2 for x = R(2 t)(w, b), R a rotation: dF/dx' has rank 1, and
 * what it takes to zero turns. ctx: the equations are turned as well, which changes no solution.
 */
static int turning(double t, const double *x, const double *dx, double *F, void *ctx) {
  const double c = cos(2 * t), s = sin(2 * t), w = c * x[0] + s * x[1], b = c * x[1] - s * x[0];
  const double decay = c * dx[0] + s * dx[1] + 2 * b + w - cos(t), rest = b - sin(w) - t / 2;
  F[0] = ctx ? c * decay - s * rest : decay;
  F[1] = ctx ? s * decay + c * rest : rest;
  return 0;
}

/* a matrix of an earlier step is no reason for shorter ones */
static void test_turning_equations(void) {
  long steps[2];
  for (int turned = 0; turned < 2; turned++) {
    int yes = 1;
    dae_problem p = {.kind = DAE_IMPLICIT,
                     .t1 = 5,
                     .ctx = turned ? &yes : NULL,
                     .implicit = {.n = 2, .F = turning}};
    dae_options o = dae_options_default();
    dae_stats stats;
    double x[2] = {1, sin(1)};
    o.rtol = o.atol = 1e-5;
    o.method = "bdf";
    CHECK(dae_solve(&p, &o, 0, 5, x, NULL, NULL, &stats) == DAE_OK);
    steps[turned] = stats.steps;
    /* w = (cos t + sin t + e^-t)/2 */
    const double w = (cos(5) + sin(5) + exp(-5)) / 2, b = sin(w) + 2.5;
    CHECK_NEAR(x[0], cos(10) * w - sin(10) * b, 1e-4);
    CHECK_NEAR(x[1], sin(10) * w + cos(10) * b, 1e-4);
  }
  /* 8207 beside 221 when steps were cut before a new matrix was tried */
  CHECK(steps[1] < 1.5 * (double)steps[0]);
}

int main(void) {
  RUN(test_units);
  RUN(test_events);
  RUN(test_jumps);
  RUN(test_cubic);
  RUN(test_given);
  RUN(test_invariant);
  RUN(test_diagnosis);
  RUN(test_declared);
  RUN(test_horizontal);
  RUN(test_callbacks);
  RUN(test_memory);
  RUN(test_turning_equations);
  return TEST_END();
}
