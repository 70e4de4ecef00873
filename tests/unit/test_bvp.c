/* the boundary value solver: kinds of conditions, guesses, parameters, continuation, and bad
   input */
#include <gallery.h>

#include "test.h"

/* ---- x'' = -w^2 x + f as an ODE of first order, with many kinds of conditions ---- */

typedef struct oscillator {
  double w;
  double target; /* a parameter that conditions or equations use */
  int fail;      /* what f returns */
} oscillator;

/* calls of the equations: work that does not depend on the machine */
static long calls;

static int oscillate(double t, const double *z, double *dz, void *ctx) {
  const oscillator *o = ctx;
  calls++;
  (void)t;
  dz[0] = z[1];
  dz[1] = -o->w * o->w * z[0];
  return o->fail;
}

/* x(0) = sin 0.3, x(1) = sin(w + 0.3) */
static int two_values(const double *z0, const double *z1, double *b, void *ctx) {
  const oscillator *o = ctx;
  b[0] = z0[0] - sin(0.3);
  b[1] = z1[0] - sin(o->w + 0.3);
  return 0;
}

/* mixed and nonlinear: x(0) x(1) and x'(0) + x'(1) have the values of sin(w t + 0.3) */
static int mixed_values(const double *z0, const double *z1, double *b, void *ctx) {
  const oscillator *o = ctx;
  b[0] = z0[0] * z1[0] - sin(0.3) * sin(o->w + 0.3);
  b[1] = (z0[1] + z1[1]) / o->w - cos(0.3) - cos(o->w + 0.3);
  return 0;
}

static int left_value(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - sin(0.3);
  return 0;
}

static int inner_value(const double *z, double *r, void *ctx) {
  const oscillator *o = ctx;
  r[0] = z[1] / o->w - cos(0.41 * o->w + 0.3);
  return 0;
}

static const double near_z[] = {0.4, 1.9};

static dae_problem make(oscillator *o, const dae_boundary *b) {
  dae_problem p = {.kind = DAE_ODE,
                   .ode = {.n = 2, .f = oscillate},
                   .ctx = o,
                   .t1 = 1,
                   .z0 = near_z,
                   .boundary = b};
  return p;
}

/* largest distance from (sin, w cos)(w t + phase) */
static double distance(const dae_solution *s, double w, double phase) {
  double z[2], worst = 0;
  for (double t = 0; t <= 1; t += 1.0 / 64) {
    CHECK(dae_solution_eval(s, t, z, NULL, NULL) == DAE_OK);
    worst = fmax(worst, fabs(z[0] - sin(w * t + phase)));
    worst = fmax(worst, fabs(z[1] / w - cos(w * t + phase)));
  }
  return worst;
}

static dae_status run(const dae_problem *p, dae_solution **s, dae_report *r) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  return dae_bvp_solve(p, &o, NULL, s, r);
}

static void test_conditions(void) {
  static const dae_side inner[] = {{.t = 0.41, .n = 1, .value = inner_value}};
  const dae_boundary kinds[] = {
      {.n = 2, .n_left = 1, .value = two_values},
      {.n = 2, .n_left = -1, .value = two_values},
      {.n = 2, .n_left = -1, .value = mixed_values},
      {.n = 1, .n_left = 1, .value = left_value, .n_side = 1, .side = inner},
      {.n = 1, .n_left = -1, .value = left_value, .n_side = 1, .side = inner},
  };
  for (int i = 0; i < 5; i++) {
    oscillator o = {.w = 2.1};
    dae_problem p = make(&o, &kinds[i]);
    dae_solution *s;
    dae_report r;
    CHECK(run(&p, &s, &r) == DAE_OK);
    /* tolerance 1e-8 of values up to 2.1, factor 3 */
    if (s) CHECK(distance(s, 2.1, 0.3) < 1e-7);
    int n, found = 0;
    const double *t = s ? dae_solution_mesh(s, &n) : NULL;
    for (int k = 0; t && k <= n; k++) found += t[k] == 0.41;
    CHECK(found == kinds[i].n_side);
    dae_solution_free(s);
  }
}

/* ---- guesses and an earlier solution ---- */

static int guess_line(double t, double *z, double *y, void *ctx) {
  oscillator *o = ctx;
  (void)y;
  o->target += 1; /* counts the calls */
  z[0] = 0.3 + 0.4 * t;
  z[1] = 0.4;
  return 0;
}

static void test_guesses(void) {
  static const double table_t[] = {0, 0.5, 1}, table_z[] = {0.3, 2, 0.9, 0.5, 0.7, -1};
  oscillator o = {.w = 2.1};
  dae_boundary b = {.n = 2, .n_left = 1, .value = two_values, .guess = guess_line};
  dae_problem p = make(&o, &b);
  dae_solution *s, *again;
  dae_report r;
  CHECK(run(&p, &s, &r) == DAE_OK);
  CHECK(o.target > 10); /* the guess was used */
  if (s) CHECK(distance(s, 2.1, 0.3) < 1e-7);
  b = (dae_boundary){.n = 2,
                     .n_left = 1,
                     .value = two_values,
                     .n_table = 3,
                     .table_t = table_t,
                     .table_z = table_z};
  dae_options opt = dae_options_default();
  CHECK(dae_bvp_solve(&p, &opt, s, &again, &r) == DAE_OK);
  if (again) CHECK(distance(again, 2.1, 0.3) < 1e-5);
  dae_solution_free(again);
  CHECK(run(&p, &again, &r) == DAE_OK);
  dae_solution_free(again);
  dae_solution_free(s);
}

/* tolerances of single components: what is not asked for costs nothing */
static void test_selected(void) {
  static const double both[] = {1e-10, 1e-10}, first[] = {1e-10, 0};
  int intervals[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    oscillator o = {.w = 17};
    dae_boundary b = {.n = 2, .n_left = 1, .value = two_values, .z_tol = i ? first : both};
    dae_problem p = make(&o, &b);
    dae_options opt = dae_options_default();
    dae_solution *s;
    opt.method = "colloc-gauss3";
    CHECK(dae_bvp_solve(&p, &opt, NULL, &s, NULL) == DAE_OK);
    if (!s) continue;
    double z[2], worst = 0;
    for (int k = 0; k <= 200; k++) {
      dae_solution_eval(s, k / 200.0, z, NULL, NULL);
      worst = fmax(worst, fabs(z[0] - sin(17 * k / 200.0 + 0.3)));
    }
    CHECK(worst < 3e-10);
    dae_solution_mesh(s, &intervals[i]);
    dae_solution_free(s);
  }
  /* the second component is 17 times larger and has the same absolute tolerance */
  CHECK(intervals[1] > 0 && intervals[1] < intervals[0]);
}

/* derivative of the solution, ends, and outside */
static void test_eval(void) {
  oscillator o = {.w = 2.1};
  dae_boundary b = {.n = 2, .n_left = 1, .value = two_values};
  dae_problem p = make(&o, &b);
  dae_solution *s;
  CHECK(run(&p, &s, NULL) == DAE_OK);
  if (!s) return;
  double z[2], dz[2];
  CHECK(dae_solution_eval(s, 0.777, z, NULL, dz) == DAE_OK);
  CHECK_NEAR(dz[0], 2.1 * cos(2.1 * 0.777 + 0.3), 1e-6);
  CHECK_NEAR(dz[1], -2.1 * 2.1 * sin(2.1 * 0.777 + 0.3), 1e-6);
  CHECK(dae_solution_eval(s, 1, z, NULL, NULL) == DAE_OK);
  CHECK_NEAR(z[0], sin(2.1 + 0.3), 1e-12);
  CHECK(dae_solution_eval(s, 1.01, z, NULL, NULL) == DAE_E_INPUT);
  CHECK(dae_solution_eval(s, -0.01, z, NULL, NULL) == DAE_E_INPUT);
  int count;
  const int *history = dae_solution_history(s, &count);
  /* halved, or twice as coarse where four intervals were enough */
  CHECK(count >= 2 && history[0] == 4 && (history[1] == 8 || history[1] == 2));
  dae_solution_free(s);
}

/* ---- continuation: Bratu's problem u'' + k e^u = 0, u(0) = u(1) = 0, up to its fold at k =
   3.5138.. ---- */

static int bratu(double t, const double *z, double *dz, void *ctx) {
  (void)t;
  calls++;
  dz[0] = z[1];
  dz[1] = -*(double *)ctx * exp(z[0]);
  return 0;
}

static int zero_ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0];
  b[1] = z1[0];
  return 0;
}

/* u = -2 ln(cosh((t-1/2) th/2)/cosh(th/4)), th = sqrt(2k) cosh(th/4): the lower of two solutions */
static double bratu_middle(double k) {
  double th = 1;
  for (int i = 0; i < 2000; i++) th = sqrt(2 * k) * cosh(th / 4);
  return 2 * log(cosh(th / 4));
}

static void test_continuation(void) {
  double k = 0;
  dae_boundary b = {.n = 2, .n_left = 1, .value = zero_ends};
  dae_problem p = {
      .kind = DAE_ODE, .ode = {.n = 2, .f = bratu}, .ctx = &k, .t1 = 1, .boundary = &b};
  static const double zero[2];
  p.z0 = zero;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  dae_solution *s;
  dae_report r;
  double z[2];
  CHECK(dae_bvp_continue(&p, &o, &k, 0.5, 3.5, NULL, &s, &r) == DAE_OK);
  CHECK(k == 3.5);
  if (s && dae_solution_eval(s, 0.5, z, NULL, NULL) == DAE_OK)
    CHECK_NEAR(z[0], bratu_middle(3.5), 3e-8 * 2.2);
  if (s) CHECK(dae_solution_stats(s)->steps >= 2);
  dae_solution_free(s);
  /* there is no solution beyond the fold at 3.513830719: the way stops just before it */
  CHECK(dae_bvp_continue(&p, &o, &k, 0.5, 4, NULL, &s, &r) == DAE_E_STEP);
  CHECK(k > 3.5 && k < 3.51384);
  CHECK(s != NULL && strstr(r.message, "continuation stops") != NULL);
  dae_solution_free(s);
}

/* ---- bad input: the report says what is wrong, soon ---- */

static void test_count(void) {
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_boundary b = *p->boundary;
  const dae_boundary *kept = p->boundary;
  dae_solution *s;
  dae_report r;
  CHECK(dae_boundary_needed(p, message, sizeof message) == 2);
  b.n = b.n_left = 1;
  p->boundary = &b;
  CHECK(run(p, &s, &r) == DAE_E_INPUT && s == NULL);
  CHECK_STR(
      r.message,
      "too few boundary conditions: 1 given, 2 needed, for 4 differential variables and 0 unknown "
      "parameters, less 2 constraints (hidden ones included) that hold at the left end by "
      "themselves");
  b.n = 3;
  CHECK(run(p, &s, &r) == DAE_E_INPUT &&
        strstr(r.message, "too many boundary conditions: 3 given, 2 needed"));
  p->boundary = NULL;
  CHECK(run(p, &s, &r) == DAE_E_INPUT && strstr(r.message, "no boundary conditions"));
  p->boundary = kept;
  gallery_close("bvp-pendulum", p);
}

/* p2(0) given besides p1(0): on the circle this is no new condition */
static int both_left(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - sin(0.4);
  b[1] = z0[1] + cos(0.4);
  return 0;
}

static void test_dependent(void) {
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_boundary b = *p->boundary;
  const dae_boundary *kept = p->boundary;
  dae_solution *s;
  dae_report r;
  b.n_left = 2;
  b.value = both_left;
  b.jacobian = NULL;
  p->boundary = &b;
  CHECK(run(p, &s, &r) == DAE_E_SINGULAR && s == NULL);
  CHECK(strstr(r.message, "boundary condition 2 follows from the constraints at the left end") !=
        NULL);
  p->boundary = kept;
  gallery_close("bvp-pendulum", p);
}

/* w = pi: the homogeneous problem has a solution sin(pi t), so this one has none, or too many */
static int no_solution(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0];
  b[1] = z1[0] - 1;
  return 0;
}

static void test_unsolvable(void) {
  oscillator o = {.w = 3.14159265358979323846};
  dae_boundary b = {.n = 2, .n_left = 1, .value = no_solution};
  dae_problem p = make(&o, &b);
  dae_solution *s;
  dae_report r;
  calls = 0;
  dae_status status = run(&p, &s, &r);
  CHECK(status == DAE_E_SINGULAR);
  /* bounded: three first meshes, each with at most sixty steps of continuation on some hundred
     intervals; 14 million calls at present */
  CHECK(calls < 40000000);
  CHECK(r.message[0] && r.advice[0]);
  dae_solution_free(s);
}

/* Bratu beyond the fold: nonlinear without solution */
static void test_no_root(void) {
  double k = 5;
  static const double zero[2];
  dae_boundary b = {.n = 2, .n_left = 1, .value = zero_ends};
  dae_problem p = {
      .kind = DAE_ODE, .ode = {.n = 2, .f = bratu}, .ctx = &k, .t1 = 1, .z0 = zero, .boundary = &b};
  dae_solution *s;
  dae_report r;
  calls = 0;
  dae_status status = run(&p, &s, &r);
  CHECK(status == DAE_E_NEWTON || status == DAE_E_SINGULAR);
  CHECK(s == NULL);
  /* as above; 25 million calls at present */
  CHECK(calls < 40000000);
  CHECK(r.message[0] && r.advice[0]);
}

static int pendulum_ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - sin(0.4);
  b[1] = z1[0] - sin(1.2);
  return 0;
}

/* z = 0 makes the multiplier matrix of the pendulum vanish */
static void test_singular_guess(void) {
  static const double zero_t[] = {0, 1}, zero_z[8];
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_boundary b = *p->boundary;
  const dae_boundary *kept = p->boundary;
  dae_solution *s;
  dae_report r;
  b.value = pendulum_ends; /* those of the gallery need its own struct */
  b.jacobian = NULL;
  b.table_t = zero_t;
  b.table_z = zero_z;
  p->boundary = &b;
  CHECK(run(p, &s, &r) == DAE_E_SINGULAR && s == NULL);
  CHECK(strstr(r.message, "singular near t = ") != NULL);
  p->boundary = kept;
  gallery_close("bvp-pendulum", p);
}

/* Gauss 2 on Example 4.1 with nu = 10, alpha = 2: the local matrix is singular where the middle of
   an element of length h has (2 - t)/h = 6.5 = (4 nu - 1)/6, so on 4 intervals in the one from
   0.25, on 5 in that from 0.6 */
static void test_singular_element(void) {
  static const char *const names[] = {"nu", "alpha"};
  static const double values[] = {10, 2}, where[] = {0.25, 0.6};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-linear-index3", 2, names, values, message, sizeof message) == DAE_OK);
  for (int i = 0; i < 2; i++) {
    dae_options o = dae_options_default();
    dae_solution *s;
    dae_report r;
    o.method = "colloc-gauss2";
    o.mesh = 4 + i;
    o.fixed_mesh = 1;
    CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_SINGULAR);
    CHECK_NEAR(r.t, where[i], 1e-12);
    dae_solution_free(s);
  }
  gallery_close("bvp-linear-index3", p);
}

static void test_limits(void) {
  char message[256];
  dae_problem *p;
  const char *name[] = {"eps"};
  double eps[] = {1e-6};
  CHECK(gallery_open(&p, "bvp-layer", 1, name, eps, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.mesh_max = 50;
  dae_solution *s;
  dae_report r;
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_MESH);
  CHECK(s != NULL); /* what was found is handed out */
  CHECK(strstr(r.message, "mesh_max = 50") != NULL);
  dae_solution_free(s);
  o = dae_options_default();
  o.method = "dopri5";
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_FORM && strstr(r.message, "dopri5"));
  o.method = "auto";
  o.rtol = -1e-3;
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_INPUT && strstr(r.message, "negative"));
  o.rtol = o.atol = 1e-17;
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_TOLERANCE);
  o = dae_options_default();
  o.mesh = -3;
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_INPUT && strstr(r.message, "mesh"));
  o.mesh = 0;
  o.method = "colloc-gauss1";
  CHECK(dae_bvp_solve(p, &o, NULL, &s, &r) == DAE_E_FORM && strstr(r.message, "at least 2 stages"));
  gallery_close("bvp-layer", p);
}

static void test_callbacks(void) {
  for (int code = -1; code <= 1; code += 2) {
    oscillator o = {.w = 2.1, .fail = code};
    dae_boundary b = {.n = 2, .n_left = 1, .value = two_values};
    dae_problem p = make(&o, &b);
    dae_solution *s;
    dae_report r;
    CHECK(run(&p, &s, &r) == (code < 0 ? DAE_STOPPED : DAE_E_CALLBACK) && s == NULL);
  }
}

int main(void) {
  RUN(test_conditions);
  RUN(test_guesses);
  RUN(test_selected);
  RUN(test_eval);
  RUN(test_continuation);
  RUN(test_count);
  RUN(test_dependent);
  RUN(test_unsolvable);
  RUN(test_no_root);
  RUN(test_singular_guess);
  RUN(test_singular_element);
  RUN(test_limits);
  RUN(test_callbacks);
  return TEST_END();
}
