/* methods on 0 = F(t,x,x') and M(t,x) x' = f, fixed steps: the order of the table at index 0 and 1,
   what is known of stiffly accurate methods at index 2, and who is refused there */
#include <math.h>

#include "order_run.h"
#include "test.h"

/* ---- problems with known solutions, index 0 and 1 ---- */

/* index 0, M(t,x) regular: u = (2 + sin t, cos 2t) */
static int exact0(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = 2 + sin(t), z[1] = cos(2 * t);
  return 0;
}
static int mass0(double t, const double *x, double *M, void *ctx) {
  (void)ctx;
  M[0] = 2 + x[1] / 3, M[1] = 0.3 * x[0], M[2] = -0.4 * cos(t), M[3] = 1 + 0.2 * x[0] * x[0];
  return 0;
}
static int f0(double t, const double *x, double *f, void *ctx) {
  double u[2], M[4], a = cos(t), b = -2 * sin(2 * t);
  exact0(t, u, NULL, NULL);
  mass0(t, x, M, ctx);
  f[0] = M[0] * a + M[1] * b - 0.7 * (x[0] - u[0]) + (x[1] - u[1]);
  f[1] = M[2] * a + M[3] * b - (x[0] - u[0]) * x[1] - 0.5 * (x[1] - u[1]);
  return 0;
}

/* index 1, algebraic variable of its own: x = sin t + e^-t, y = e^-t */
static int exact1(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = sin(t) + exp(-t), z[1] = exp(-t);
  return 0;
}
static int F1(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] - cos(t) + x[1] * (1 + x[0] - sin(t) - exp(-t));
  F[1] = x[0] - sin(t) + x[1] + x[1] * x[1] * x[1] - 2 * exp(-t) - exp(-3 * t);
  return 0;
}

/* index 1, the null space of M is no axis: v = T x with v = (sin t, cos t, 1 + sin 2t), of which
   the last is algebraic */
static const double T[3][3] = {{1, 0.4, -0.3}, {-0.2, 1, 0.7}, {0.5, -0.6, 1}};
static void times_T(const double *x, double *v) {
  for (int i = 0; i < 3; i++) v[i] = T[i][0] * x[0] + T[i][1] * x[1] + T[i][2] * x[2];
}
static int exact2(double t, double *z, double *y, void *ctx) {
  double A[3][4];
  const double v[3] = {sin(t), cos(t), 1 + sin(2 * t)};
  (void)y, (void)ctx;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[i][j] = T[i][j];
    A[i][3] = v[i];
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 3; j >= k && i != k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  for (int i = 0; i < 3; i++) z[i] = A[i][3] / A[i][i];
  return 0;
}
static int F2(double t, const double *x, const double *dx, double *F, void *ctx) {
  double v[3], w[3];
  (void)ctx;
  times_T(x, v), times_T(dx, w);
  const double a = w[0] - v[1] * (v[2] - sin(2 * t)), b = w[1] + v[0];
  const double c = v[2] * v[2] + v[2] - (1 + sin(2 * t)) * (2 + sin(2 * t)) + v[0] - sin(t);
  F[0] = a + c, F[1] = b - 2 * c, F[2] = a - b + c;
  return 0;
}

/* index 1, not linear in x': x = 1 + sin(t)/2 and y = cos t */
static int exact3(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = 1 + sin(t) / 2, z[1] = cos(t);
  return 0;
}
static int F3(double t, const double *x, const double *dx, double *F, void *ctx) {
  const double s = cos(t) / 2;
  (void)ctx;
  F[0] = dx[0] + dx[0] * dx[0] * dx[0] - s - s * s * s + (x[0] - 1 - sin(t) / 2) * x[1];
  F[1] = x[1] * (2 + x[0]) - cos(t) * (3 + sin(t) / 2) + dx[0] - s;
  return 0;
}

/* index 1, M(t,x) has rank 1 and its null space turns: x = sin t, y = cos t */
static int exact4(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = sin(t), z[1] = cos(t);
  return 0;
}
static int F4(double t, const double *x, const double *dx, double *F, void *ctx) {
  const double a = 0.5 * t + 0.3 * x[0];
  (void)ctx;
  F[0] = dx[0] - cos(t) + a * (dx[1] + sin(t)) + x[0] - sin(t);
  F[1] = x[1] * (3 + x[1]) - cos(t) * (3 + cos(t)) - (x[0] - sin(t));
  return 0;
}

typedef struct implicit_case {
  const char *name;
  int n;
  int (*exact)(double t, double *z, double *y, void *ctx);
  int (*F)(double t, const double *x, const double *dx, double *F, void *ctx);
} implicit_case;

static const implicit_case cases[] = {
    {"regular mass", 2, exact0, NULL},    {"algebraic variable", 2, exact1, F1},
    {"null space across", 3, exact2, F2}, {"not linear in x'", 2, exact3, F3},
    {"null space turns", 2, exact4, F4},
};

static dae_problem problem_of(const implicit_case *c, double *x0) {
  dae_problem p = {.name = c->name, .kind = DAE_IMPLICIT, .t1 = 1.1, .z0 = x0, .exact = c->exact};
  c->exact(0, x0, NULL, NULL);
  p.implicit.n = c->n;
  if (c->F) p.implicit.F = c->F;
  else p.implicit.f = f0, p.implicit.mass = mass0;
  return p;
}

/* the larger error of two ends: it may change its sign at one of them */
static double error_of(const implicit_case *c, const char *method, int N) {
  double x0[3], z[3], most = 0;
  dae_problem p = problem_of(c, x0);
  dae_options o = dae_options_default();
  o.method = method;
  for (int k = 0; k < 2; k++) {
    const double t1 = k == 0 ? 1.1 : 1.7;
    c->exact(t1, z, NULL, NULL);
    order_run r = order_go(&p, o, t1, N, z, NULL);
    CHECK(r.status == DAE_OK);
    most = fmax(most, r.error[0]);
  }
  return most;
}

/* steps are so long that errors stay above rounding: what Newton leaves is 1e-13 */
static void one_order(const implicit_case *c, const dae_method *m) {
  const int before = test_failures, N = m->order > 6   ? 2
                                        : m->order > 3 ? 4
                                        : m->order > 2 ? 16
                                                       : 32;
  const double a = error_of(c, m->name, N), b = error_of(c, m->name, 2 * N);
  /* a third of an order for the terms that come after the first; half of one where steps are 2 and
     4 */
  const double less = m->order > 6 ? 0.5 : 0.34;
  CHECK(b < 2e-12 || order_of(a, b) > m->order - less);
  if (test_failures > before)
    printf("  %s, %s: %.2e %.2e, order %.2f\n", c->name, m->name, a, b, order_of(a, b));
}

static void order_of_the_table(void) {
  for (int k = 0; dae_method_at(k); k++) {
    const dae_method *m = dae_method_at(k);
    const bool irk = m->implicit && m->view == DAE_VIEW_BOTH && !strstr(m->name, "bdf") &&
                     strcmp(m->name, "implicit-midpoint") != 0;
    for (size_t i = 0; irk && i < sizeof cases / sizeof *cases; i++) one_order(&cases[i], m);
  }
}

/* ---- error control ---- */

/* errors within ten tolerances, and the residual at the end where x' is told */
static void controlled(void) {
  static const char *const names[] = {"gauss2", "gauss3", "gauss4", "gauss5", "sdirk3"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (double tol = 1e-4; tol > 1e-8; tol *= 1e-2) {
        if (tol < 1e-7 && dae_method_find(names[k])->order < 4) continue;
        const int before = test_failures;
        double x0[3], z[3], F[3], error = 0;
        dae_problem p = problem_of(&cases[i], x0);
        dae_options o = dae_options_default();
        dae_solver *s;
        o.method = names[k], o.rtol = o.atol = tol;
        CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
        CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
        CHECK(dae_solver_advance(s, p.t1) == DAE_OK);
        p.exact(p.t1, z, NULL, NULL);
        for (int j = 0; j < p.implicit.n; j++) error = fmax(error, fabs(dae_solver_z(s)[j] - z[j]));
        CHECK(error < 10 * tol);
        /* the end is on the equations as closely as an iteration for this tolerance makes it */
        if (p.implicit.F) {
          p.implicit.F(p.t1, dae_solver_z(s), dae_solver_dz(s), F, NULL);
          for (int j = 0; j < p.implicit.n; j++) CHECK(fabs(F[j]) < tol);
        }
        if (test_failures > before)
          printf("  %s, %s, %g: error %.2e: %s\n", p.name, names[k], tol, error,
                 dae_solver_report(s)->message);
        dae_solver_free(s);
      }
}

/* many variables, sparse: a rod whose ends follow sin t, of which the nodes have the exact solution
   sin t (1 + x - x^2) */
enum { NODES = 401 };
static int rod(double t, const double *u, double *f, void *ctx) {
  const double h = 1.0 / (NODES - 1);
  (void)ctx;
  for (int i = 1; i < NODES - 1; i++) {
    const double x = i * h;
    f[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) / (h * h) + cos(t) * (1 + x - x * x) + 2 * sin(t);
  }
  f[0] = u[0] - sin(t);
  f[NODES - 1] = u[NODES - 1] - sin(t);
  return 0;
}
static int rod_mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  for (int i = 1; i < NODES - 1; i++) M[i] = 1;
  return 0;
}

static void sparse(void) {
  static const char *const names[] = {"gauss2", "gauss3", "sdirk3", "lobatto3"};
  static int start[NODES + 1], column[3 * NODES];
  int used = 0;
  for (int i = 0; i < NODES; start[++i] = used)
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < NODES) column[used++] = j;
  const dae_pattern pattern = {NODES, NODES, start, column};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    double u[NODES] = {0}, error = 0;
    dae_problem p = {.kind = DAE_IMPLICIT,
                     .implicit = {.n = NODES,
                                  .f = rod,
                                  .mass = rod_mass,
                                  .mass_kind = DAE_MASS_DIAGONAL,
                                  .mass_constant = true,
                                  .f_pattern = &pattern}};
    dae_options o = dae_options_default();
    dae_report report;
    o.method = names[k], o.rtol = o.atol = 1e-5;
    CHECK(dae_solve(&p, &o, 0, 3, u, NULL, &report, NULL) == DAE_OK);
    for (int i = 0; i < NODES; i++) {
      const double x = (double)i / (NODES - 1);
      error = fmax(error, fabs(u[i] - sin(3) * (1 + x - x * x)));
    }
    CHECK(error < 10 * o.rtol);
    if (!(error < 10 * o.rtol)) printf("  rod, %s: %.2e: %s\n", names[k], error, report.message);
  }
}

/* ---- index 2 ---- */

/* x1' = -x1 - x3, x2' = x1 + x3 x2 + .., 0 = x1 - sin t: x3 = -cos t - sin t, x2 = e^-t */
static int exact_index2(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = sin(t), z[1] = exp(-t), z[2] = -cos(t) - sin(t);
  return 0;
}
static int F_index2(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[0] + x[2] + x[1] * x[1] - exp(-2 * t);
  F[1] = dx[1] + x[1] - (x[2] + cos(t) + sin(t)) * x[1];
  F[2] = x[0] - sin(t) + (x[1] - exp(-t)) / 2;
  return 0;
}

/* Radau IIA: order 2s - 1 in x, s in the multiplier; Lobatto IIIC: 2s - 2 and s - 1 (Hairer,
   Lubich, Roche 1989, table 2.3) */
static void index2(void) {
  static const char *const names[] = {"radau2", "radau3", "radau4", "lobatto3", "lobatto4"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const dae_method *m = dae_method_find(names[k]);
    const int before = test_failures, N = m->order > 4 ? 4 : 12;
    double x0[3], z[3], e[2][2];
    exact_index2(0, x0, NULL, NULL);
    dae_problem p = {
        .kind = DAE_IMPLICIT, .t1 = 1.3, .z0 = x0, .implicit = {.n = 3, .F = F_index2}};
    dae_options o = dae_options_default();
    o.method = m->name;
    exact_index2(p.t1, z, NULL, NULL);
    for (int half = 0; half < 2; half++) {
      order_run r = order_go(&p, o, p.t1, N << half, NULL, NULL);
      CHECK(r.status == DAE_OK);
      e[half][0] = fmax(fabs(r.z[0] - z[0]), fabs(r.z[1] - z[1]));
      e[half][1] = fabs(r.z[2] - z[2]);
    }
    CHECK(order_of(e[0][0], e[1][0]) > m->order - 0.5);
    CHECK(order_of(e[0][1], e[1][1]) > m->stage_order - 0.34);
    if (test_failures > before)
      printf("  index 2, %s: x %.2e %.2e, multiplier %.2e %.2e\n", m->name, e[0][0], e[1][0],
             e[0][1], e[1][1]);
  }
}

/* methods whose last stage is not the result leave what is hidden behind the index to itself */
static void refused_at_index2(void) {
  static const char *const names[] = {"gauss1", "gauss3", "sdirk3"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (int fixed = 0; fixed < 2; fixed++) {
      double x0[3];
      exact_index2(0, x0, NULL, NULL);
      dae_problem p = {
          .kind = DAE_IMPLICIT, .t1 = 1.3, .z0 = x0, .implicit = {.n = 3, .F = F_index2}};
      dae_options o = dae_options_default();
      dae_report report;
      o.method = names[k], o.step = fixed ? 0.1 : 0;
      o.rtol = o.atol = 1e-4;
      CHECK(dae_solve(&p, &o, 0, 1, x0, NULL, &report, NULL) == DAE_E_FORM);
      CHECK(strstr(report.message, "index is 2") && strstr(report.message, "radau"));
    }
}

int main(void) {
  RUN(order_of_the_table);
  RUN(controlled);
  RUN(sparse);
  RUN(index2);
  RUN(refused_at_index2);
  return TEST_END();
}
