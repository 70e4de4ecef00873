/* derivatives by differences: right whatever units and periods are, and few calls; sparse ODEs */
#include <daedal/daedal.h>
#include <stdlib.h>

#include "problem/inside.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/* ---- 0 = x - sin(w t): g_t = -w cos(w t), whatever w ---- */

static int wave_g(double t, const double *x, double *g, void *ctx) {
  g[0] = x[0] - sin(*(const double *)ctx * t);
  return 0;
}

static int wave_f(double t, const double *x, const double *y, double *f, void *ctx) {
  (void)t, (void)x, (void)ctx;
  f[0] = -y[0];
  return 0;
}

/* frequencies at which equal distances would see the same phase over and over: 100 periods in the
   interval, and whole periods in the first distances, 0.015 and its multiples by the golden
   section */
static void test_periodic(void) {
  const double golden = (1 + sqrt(5)) / 2;
  const double w[] = {200 * PI, 2 * PI / 0.015, 2 * PI / (0.015 * golden), 800 * PI, 37.7, 0.3};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 7; i++) {
      double x[1] = {0.3}, rate, t = 0.137 * i;
      dae_pool pool;
      const dae_system *s;
      dae_point *p;
      dae_problem u = {.kind = DAE_HESSENBERG,
                       .hessenberg = {.order = 1, .nx = 1, .ny = 1, .f = wave_f, .g = wave_g},
                       .ctx = (void *)&w[k],
                       .t1 = 1,
                       .z0 = x};
      dae_base_pool_init(&pool, NULL);
      CHECK(dae_problem_system_new(&s, &pool, &u) == DAE_OK);
      CHECK(dae_point_new(&p, &pool, s, NULL, true) == DAE_OK);
      dae_point_at(p, t, x);
      CHECK(dae_point_level_t(p, 0, &rate) == DAE_OK);
      /* order 6 agrees with order 4 to 1e-7: its own error is far below 1e-9 */
      CHECK_NEAR(rate, -w[k] * cos(w[k] * t), 1e-9 * w[k]);
      /* once found, the distance serves again */
      long before = p->counts->difference;
      CHECK(dae_point_level_t(p, 0, &rate) == DAE_OK);
      CHECK(p->counts->difference - before <= 12);
      dae_point_free(p);
      dae_base_pool_free(&pool);
    }
}

/* ---- a pressure of 1e5 beside a flow of 1e-3 ---- */

static long calls;

static int pipe(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  calls++;
  dz[0] = 1e12 * (2e-3 - z[1]);                         /* p' */
  dz[1] = 1e-9 * z[0] - 1e2 * z[1] * fabs(z[1]) - 1e-6; /* q', turbulent */
  return 0;
}

static void test_sizes(void) {
  double z[2] = {1e5, 1e-3}, J[4];
  dae_pool pool;
  const dae_system *s;
  dae_point *p;
  dae_problem u = {.kind = DAE_ODE, .ode = {.n = 2, .f = pipe}, .t1 = 1, .z0 = z};
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_problem_system_new(&s, &pool, &u) == DAE_OK);
  CHECK(dae_point_new(&p, &pool, s, NULL, true) == DAE_OK);
  dae_point_at(p, 0, z);
  calls = 0;
  CHECK(dae_point_ode_z(p, J) == DAE_OK);
  CHECK(calls == 3); /* one-sided: the point itself and a call for each column */
  /* the flow moves by 1.5e-8 of 0.01: 1.5e-7 of it */
  CHECK_NEAR(J[1], -1e12, 1e12 * 1e-6);
  CHECK_NEAR(J[3], -0.2, 0.2 * 1e-6);
  CHECK_NEAR(J[2], 1e-9, 1e-9 * 1e-6);
  p->digits = true;
  dae_point_at(p, 0, z);
  CHECK(dae_point_ode_z(p, J) == DAE_OK);
  CHECK_NEAR(J[3], -0.2, 0.2 * 1e-10);
  dae_point_free(p);
  dae_base_pool_free(&pool);
}

/* ---- a heat rod, method of lines: u_i' = k (u_(i-1) - 2 u_i + u_(i+1)) - u_i^2, u_0 = 1 ---- */

typedef struct rod {
  int n;
  long f, f_z;
} rod;

static int rod_f(double t, const double *u, double *du, void *ctx) {
  rod *r = ctx;
  int n = r->n;
  double k = 0.1 * (n + 1.0) * (n + 1.0);
  (void)t;
  r->f++;
  for (int i = 0; i < n; i++) {
    double left = i > 0 ? u[i - 1] : 1, right = i < n - 1 ? u[i + 1] : 0;
    du[i] = k * (left - 2 * u[i] + right) - u[i] * u[i];
  }
  return 0;
}

static int rod_f_z(double t, const double *u, double *J, void *ctx) {
  rod *r = ctx;
  int n = r->n;
  double k = 0.1 * (n + 1.0) * (n + 1.0);
  (void)t;
  r->f_z++;
  for (int i = 0; i < n; i++) {
    if (i > 0) *J++ = k;
    *J++ = -2 * k - 2 * u[i];
    if (i < n - 1) *J++ = k;
  }
  return 0;
}

static dae_pattern tridiagonal(int n) {
  int *start = calloc((size_t)n + 1, sizeof *start),
      *column = calloc(3 * (size_t)n, sizeof *column);
  int k = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) column[k++] = j;
    start[i + 1] = k;
  }
  return (dae_pattern){n, n, start, column};
}

/* bytes that a solver takes */
static size_t taken;
static void *count_take(size_t bytes, void *ctx) {
  (void)ctx;
  taken += bytes;
  return malloc(bytes);
}
static void count_give(void *block, void *ctx) {
  (void)ctx;
  free(block);
}

static double run_rod_as(const char *form, int n, bool exact, bool pattern, const char *method,
                         rod *r, dae_stats *stats) {
  dae_pattern p = tridiagonal(n);
  double *u = calloc((size_t)n, sizeof *u), middle = NAN;
  *r = (rod){.n = n};
  dae_problem problem = {
      .kind = DAE_ODE,
      .ode = {.n = n, .f = rod_f, .f_z = exact ? rod_f_z : NULL, .f_pattern = pattern ? &p : NULL},
      .ctx = r,
      .t1 = 1,
      .z0 = u};
  dae_options o = dae_options_default();
  dae_report report;
  dae_solver *s;
  o.method = method;
  o.form = form;
  o.allocator = (dae_allocator){count_take, count_give, NULL};
  taken = 0;
  CHECK(dae_problem_check(&problem, 0, u, NULL, NULL, 0) == DAE_OK);
  r->f = r->f_z = 0;
  CHECK(dae_solver_new(&s, &problem, &o, &report) == DAE_OK);
  if (s) {
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, 1) == DAE_OK);
    middle = dae_solver_z(s)[n / 2];
    *stats = *dae_solver_stats(s);
  }
  dae_solver_free(s);
  free(u);
  free((int *)p.start);
  free((int *)p.column);
  return middle;
}

static double run_rod(int n, bool exact, bool pattern, const char *method, rod *r,
                      dae_stats *stats) {
  return run_rod_as("auto", n, exact, pattern, method, r, stats);
}

/* a pattern in the problem's own coordinates is none in those of the state-space form */
static void test_other_coordinates(void) {
  rod r;
  dae_stats stats;
  double a = run_rod(30, true, true, "radau3", &r, &stats);
  double b = run_rod_as("state-space", 30, true, true, "radau3", &r, &stats);
  /* tolerance 1e-6, errors of steps that are not the same */
  CHECK_NEAR(a, b, 1e-5 * fabs(a));
}

/* the same numbers from dense matrices, from a pattern and from both; what each costs */
static void test_sparse_ode(void) {
  static const char *const method[] = {"radau3", "radau5", "bdf", "sdirk3", "auto"};
  for (int m = 0; m < 5; m++) {
    rod dense, differences, exact;
    dae_stats stats;
    double a = run_rod(90, false, false, method[m], &dense, &stats);
    double b = run_rod(90, false, true, method[m], &differences, &stats);
    /* three groups of columns: four calls for a matrix */
    CHECK(stats.differences == 4 * stats.jacobians || stats.jacobians == 0);
    double c = run_rod(90, true, true, method[m], &exact, &stats);
    CHECK(exact.f_z >= stats.jacobians && stats.differences == 0 && stats.jacobians > 0);
    /* tolerance 1e-6 and other roundings in Newton's method */
    CHECK_NEAR(a, b, 1e-8);
    CHECK_NEAR(b, c, 1e-8);
    CHECK(differences.f < dense.f);
  }
}

/* work and memory grow with n and no faster: the evaluations hardly change */
static void test_linear_cost(void) {
  rod r[3];
  size_t bytes[3];
  dae_stats stats[3];
  for (int k = 0; k < 3; k++) {
    static const int n[] = {1000, 3000, 10000};
    run_rod(n[k], k != 1, true, "auto", &r[k], &stats[k]);
    bytes[k] = taken / (size_t)n[k];
    /* stiffness is seen on the way, and sparse matrices take over */
    CHECK(stats[k].switches == 1 && stats[k].steps < 300);
  }
  CHECK(r[2].f < 1.5 * (double)r[0].f && r[1].f < 1.5 * (double)r[0].f);
  CHECK(bytes[2] < 1.3 * (double)bytes[1]);
}

/* an entry outside the pattern, or a wrong one, is named */
static int wrong_f_z(double t, const double *u, double *J, void *ctx) {
  rod_f_z(t, u, J, ctx);
  J[7] *= 1.1;
  return 0;
}

static void test_wrong(void) {
  dae_pattern p = tridiagonal(20);
  rod r = {.n = 20};
  double u[20] = {0};
  char message[200];
  dae_problem problem = {.kind = DAE_ODE,
                         .ode = {.n = 20, .f = rod_f, .f_z = wrong_f_z, .f_pattern = &p},
                         .ctx = &r,
                         .t1 = 1,
                         .z0 = u};
  CHECK(dae_problem_check(&problem, 0, u, NULL, message, sizeof message) == DAE_E_INPUT);
  CHECK(strstr(message, "f_z is wrong at") && strstr(message, "entry 3,4"));
  free((int *)p.start);
  free((int *)p.column);
}

/* ---- a pendulum with g alone: what the missing derivatives cost ---- */

static int weight(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0, f[1] = -9.81;
  return 0;
}
static int length(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  calls++;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}
static int length_q(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  calls++;
  G[0] = 2 * q[0], G[1] = 2 * q[1];
  return 0;
}

/* calls of g and G per step, at most three times those of a run with G given */
static void test_calls(void) {
  static const double z0[] = {1, 0, 0, 0};
  for (int autonomous = 0; autonomous < 2; autonomous++)
    for (double tol = 1e-4; tol > 1e-11; tol /= 1000) {
      double per_step[2], x[2], drift[2];
      for (int k = 0; k < 2; k++) {
        dae_problem p = {
            .kind = DAE_MECHANICAL,
            .t1 = 10,
            .z0 = z0,
            .autonomous = autonomous,
            .mechanical = {
                .nq = 2, .ng = 1, .force = weight, .g = length, .G = k > 0 ? length_q : NULL}};
        dae_options o = dae_options_default();
        dae_solver *s;
        o.rtol = o.atol = tol;
        CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
        CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
        calls = 0;
        CHECK(dae_solver_advance(s, 10) == DAE_OK);
        const dae_stats *a = dae_solver_stats(s);
        per_step[k] = (double)calls / (double)a->steps;
        x[k] = dae_solver_z(s)[0];
        drift[k] = fmax(a->drift_max[0], a->drift_max[1]);
        CHECK(a->differences > 0 && a->differences <= calls + 100);
        dae_solver_free(s);
      }
      CHECK(per_step[0] <= 3 * per_step[1]);
      CHECK(per_step[0] < 300); /* 12 stages with G and curvature, some 20 calls each */
      /* curvature good to 1e-10 over 10 s */
      CHECK_NEAR(x[0], x[1], 1e-8);
      CHECK(drift[0] < 1e-12 && drift[1] < 1e-12);
    }
}

/* ---- stiff, index 2, no derivatives: x = (cos t, sin t, sin t cos t), y = exp(-t) ---- */

static int stiff_f(double t, const double *x, const double *y, double *f, void *ctx) {
  const double rate = *(const double *)ctx, off = y[0] - exp(-t);
  f[0] = -rate * (x[0] - cos(t)) - sin(t) - x[1] * off;
  f[1] = -rate * (x[1] - sin(t)) + cos(t) - x[0] * off;
  f[2] = -x[2] + sin(t) * cos(t) + cos(2 * t) + off;
  return 0;
}

static int stiff_g(double t, const double *x, double *g, void *ctx) {
  (void)t, (void)ctx;
  calls++;
  g[0] = x[0] * x[1] - x[2] + 0.1 * (x[0] * x[0] + x[1] * x[1] - 1);
  return 0;
}

/* auto takes a form that needs no second derivatives, also when stiffness is seen on the way */
static void test_stiff_index2(void) {
  static const double z0[] = {1, 0, 0};
  for (double rate = 100; rate < 2e6; rate *= 100)
    for (double tol = 1e-4; tol > 1e-9; tol /= 100) {
      dae_problem p = {.kind = DAE_HESSENBERG,
                       .ctx = &rate,
                       .t1 = 10,
                       .z0 = z0,
                       .hessenberg = {.order = 1, .nx = 3, .ny = 1, .f = stiff_f, .g = stiff_g}};
      dae_options o = dae_options_default();
      dae_solver *s;
      o.rtol = o.atol = tol;
      calls = 0;
      CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
      CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
      CHECK(dae_solver_advance(s, 10) == DAE_OK);
      CHECK(dae_method_find(dae_solver_method(s))->implicit);
      CHECK_STR(dae_solver_form(s), "direct");
      CHECK_NEAR(dae_solver_z(s)[0], cos(10), 10 * tol);
      CHECK_NEAR(dae_solver_z(s)[1], sin(10), 10 * tol);
      /* some 130 a step; elimination with its Newton matrices took 900 */
      CHECK((double)calls < 300 * (double)dae_solver_stats(s)->steps);
      dae_solver_free(s);
    }
}

/* ---- the curvature at the start of a run, where nothing has been measured yet ---- */

/* a point on a circle in the plane normal . x = 0, turning at the rate w; in any units */
typedef struct turning {
  double length, w;
} turning;
static const double normal[3] = {0.36, 0.48, 0.8}, along_1[3] = {0.8, -0.6, 0},
                    along_2[3] = {0.48, 0.64, -0.6};

static int turning_g(double t, const double *q, double *g, void *ctx) {
  const double L = ((const turning *)ctx)->length;
  (void)t;
  g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - L * L);
  g[1] = normal[0] * q[0] + normal[1] * q[1] + normal[2] * q[2];
  return 0;
}
static int turning_G(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  for (int j = 0; j < 3; j++) G[j] = q[j], G[3 + j] = normal[j];
  return 0;
}
static int no_force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = f[1] = f[2] = 0;
  return 0;
}

/* terms of the plane cancel: its second difference is rounding at every distance, and must not keep
   that of the circle from being taken where it is right. Forms by name, which look at nothing
   before; a run over a radian is within some tolerances */
static void test_first_curvature(void) {
  static const char *const forms[] = {"invariant-balanced", "index2", "ggl", "baumgarte"};
  for (int k = 0; k < 28; k++) {
    turning c = {pow(10, 4 * sin(3.0 * k)), pow(10, 5 * sin(1 + 5.0 * k))};
    double z0[6], angle = 0.3 + k, tol = 1e-6, end[6];
    for (int j = 0; j < 3; j++) {
      z0[j] = c.length * (cos(angle) * along_1[j] + sin(angle) * along_2[j]);
      z0[3 + j] = c.length * c.w * (cos(angle) * along_2[j] - sin(angle) * along_1[j]);
    }
    dae_problem p = {
        .kind = DAE_MECHANICAL,
        .ctx = &c,
        .z0 = z0,
        .t1 = 1 / c.w,
        .mechanical = {.nq = 3, .ng = 2, .force = no_force, .g = turning_g, .G = turning_G}};
    dae_options o = dae_options_default();
    o.form = forms[k % 4], o.method = k % 8 < 4 ? "radau5" : "gauss4";
    o.gamma = 10 * c.w;
    o.rtol = tol, o.atol = tol * c.length * fmin(1, c.w);
    memcpy(end, z0, sizeof end);
    CHECK(dae_solve(&p, &o, 0, p.t1, end, NULL, NULL, NULL) == DAE_OK);
    for (int j = 0; j < 3; j++)
      CHECK_NEAR(end[j] / c.length, cos(angle + 1) * along_1[j] + sin(angle + 1) * along_2[j],
                 100 * tol);
  }
}

int main(void) {
  RUN(test_stiff_index2);
  RUN(test_periodic);
  RUN(test_sizes);
  RUN(test_sparse_ode);
  RUN(test_other_coordinates);
  RUN(test_linear_cost);
  RUN(test_wrong);
  RUN(test_calls);
  RUN(test_first_curvature);
  return TEST_END();
}
