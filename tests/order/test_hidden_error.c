/* errors that estimates must not miss by accident
 *
 * Equations that are large off the solution: y' = -(1 + nu (z - t^3)) y with z = t^3, y = e^-t.
 * A Newton matrix from a point that is off the solution by 1 has nu in the place of 1: corrections
 * and error estimates come out small whatever the error. Two more variables turn on a circle in the
 * second problem, which makes it a DAE of index 2: u' = v - l u, v' = -u - l v, u^2 + v^2 = 2.
 * The third is a mechanism: z'' = 6 t, y'' = -(1 + nu (z - t^3)) y', and a body on the same circle.
 *
 * Terms that cancel: in x' = -x + 2 e^t with x = e^t what the stages of herk2 show of its error,
 * x''' + F_x x'', vanishes, and the error, x''' + 3 F_x x'', does not.
 *
 * Structure that hides it: z' = q(t), where stages differ in nothing but the time (a node at 0 made
 * the estimates of Lobatto IIIC vanish), z' = a (z - s) + s', and turning without any q; alone, and
 * beside a constraint. Every method that estimates its error is tried. */
#include "daedal/daedal.h"
#include "test.h"

static const double NU = 1000;

static void both(double t, const double *z, double *f) {
  f[0] = 3 * t * t;
  f[1] = -(1 + NU * (z[0] - t * t * t)) * z[1];
}

static int alone(double t, const double *z, double *f, void *ctx) {
  (void)ctx;
  both(t, z, f);
  return 0;
}

static int turning(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  both(t, z, f);
  f[2] = z[3] - y[0] * z[2];
  f[3] = -z[2] - y[0] * z[3];
  return 0;
}

static int circle(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[2] * z[2] + z[3] * z[3] - 2;
  return 0;
}

static void solve(const dae_problem *p, const char *form, const char *method, double tol) {
  dae_options o = dae_options_default();
  dae_report report = {0};
  double z[4] = {0, 1, 1, 1}, y[1] = {0};
  o.form = form, o.method = method;
  o.rtol = o.atol = tol;
  dae_status status = dae_solve(p, &o, 0, 5, z, y, &report, NULL);
  CHECK(status == DAE_OK);
  /* ten tolerances: what an adaptive method promises */
  CHECK_NEAR(z[1], exp(-5), 10 * tol);
  if (fabs(z[1] - exp(-5)) > 10 * tol) printf("%s %s %g: %g\n", form, method, tol, z[1]);
}

static void test_ode(void) {
  static const char *const methods[] = {"radau3", "radau5", "gauss3",  "gauss4",
                                        "gauss5", "sdirk3", "lobatto4"};
  const dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .f = alone}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (double tol = 1e-2; tol > 1e-5; tol /= 10) solve(&p, "auto", methods[i], tol);
}

static void test_constrained(void) {
  static const char *const forms[] = {"auto", "index1", "ggl", "invariant"};
  static const char *const methods[] = {"radau3", "gauss3", "gauss5", "lobatto4"};
  const dae_problem p = {.kind = DAE_HESSENBERG,
                         .hessenberg = {.order = 1, .nx = 4, .ny = 1, .f = turning, .g = circle}};
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (double tol = 1e-2; tol > 1e-5; tol /= 10) solve(&p, forms[f], methods[i], tol);
}

static int pushes(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)ctx;
  f[0] = 6 * t;
  f[1] = -(1 + NU * (q[0] - t * t * t)) * v[1];
  f[2] = f[3] = 0;
  return 0;
}

static void test_mechanism(void) {
  static const char *const forms[] = {"auto", "index1", "ggl", "invariant-all", "attract"};
  static const char *const methods[] = {"radau3", "radau4", "gauss3", "lobatto4"};
  const dae_problem p = {.kind = DAE_MECHANICAL,
                         .mechanical = {.nq = 4, .ng = 1, .force = pushes, .g = circle}};
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (double tol = 1e-2; tol > 1e-5; tol /= 10) {
        dae_options o = dae_options_default();
        double z[8] = {0, 0, 1, 1, 0, 1, 0.5, -0.5}, y[1] = {0};
        o.form = forms[f], o.method = methods[i];
        o.rtol = o.atol = tol;
        CHECK(dae_solve(&p, &o, 0, 5, z, y, NULL, NULL) == DAE_OK);
        /* ten tolerances, relative to 1 + |y|: what an adaptive method promises */
        CHECK_NEAR(z[1], 1 - exp(-5), 10 * tol * 2);
        CHECK_NEAR(z[5], exp(-5), 10 * tol);
      }
}

/* x' and y' as above, and 0 = w - x - y; of the implicit methods for it, lobatto4 has a stage at
   the start of the step */
static int equations(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  double f[2];
  both(t, x, f);
  F[0] = dx[0] - f[0];
  F[1] = dx[1] - f[1];
  F[2] = x[2] - x[0] - x[1];
  return 0;
}

static void test_implicit(void) {
  static const char *const methods[] = {"radau3", "radau5", "lobatto3", "lobatto4"};
  const dae_problem p = {.kind = DAE_IMPLICIT, .implicit = {.n = 3, .F = equations}};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (double tol = 1e-2; tol > 1e-5; tol /= 10) solve(&p, "auto", methods[i], tol);
}

/* the first one with its invariant 0 = z - t^3: within the tolerance of z = 125 a residual of 1e-4
   may be left, which moves y' by 0.1 y. Forms that attract end each step on it */
static int cube(double t, const double *z, double *h, void *ctx) {
  (void)ctx;
  h[0] = z[0] - t * t * t;
  return 0;
}

static void test_residuals_that_act(void) {
  const dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .nh = 1, .f = alone, .h = cube}};
  solve(&p, "attract", "bdf2", 1e-4);
  solve(&p, "attract", "bdf2", 1e-5);
  solve(&p, "attract", "backward-euler", 1e-3);
}

static int forced(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  f[0] = -z[0] + 2 * exp(t);
  f[1] = cos(t) - y[0];
  return 0;
}

static int held(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[1] - sin(t);
  return 0;
}

static void test_cancelling(void) {
  const dae_problem p = {.kind = DAE_HESSENBERG,
                         .hessenberg = {.order = 1, .nx = 2, .ny = 1, .f = forced, .g = held}};
  for (double tol = 1e-4; tol > 0.5e-7; tol /= 10) {
    dae_options o = dae_options_default();
    double z[2] = {1, 0}, y[1] = {0};
    o.method = "herk2";
    o.rtol = o.atol = tol;
    CHECK(dae_solve(&p, &o, 0, 1.3, z, y, NULL, NULL) == DAE_OK);
    /* ten tolerances, relative to 1 + |x|: what an adaptive method promises */
    CHECK_NEAR(z[0], exp(1.3), 10 * tol * (1 + exp(1.3)));
  }
}

/* rate, damping and frequency are awkward on purpose */
static const double W = 3.1, A = -1.7, C = 0.8;
enum { FORCED, DRAWN, TURNING, STRUCTURES };

/* z = (sin w t)/w;  z = c cos t;  z = cos t, -sin t: one of them is a problem by itself, as other
   variables would show what it hides */
static void exact(int structure, double t, double *z) {
  z[0] = structure == FORCED ? sin(W * t) / W : structure == DRAWN ? C * cos(t) : cos(t);
  if (structure == TURNING) z[1] = -sin(t);
}

static int n_of(int structure) { return structure == TURNING ? 2 : 1; }

static int structured(double t, const double *z, double *f, void *ctx) {
  const int structure = *(const int *)ctx;
  if (structure == FORCED) f[0] = cos(W * t);
  else if (structure == DRAWN) f[0] = A * (z[0] - C * cos(t)) - C * sin(t);
  else f[0] = z[1], f[1] = -z[0];
  return 0;
}

/* one variable more, which a constraint keeps at sin t */
static int structured_held(double t, const double *z, const double *y, double *f, void *ctx) {
  const int n = n_of(*(const int *)ctx);
  f[n] = 2 * cos(t) - y[0];
  return structured(t, z, f, ctx);
}

static int held_last(double t, const double *z, double *g, void *ctx) {
  g[0] = z[n_of(*(const int *)ctx)] - sin(t);
  return 0;
}

static void structure(const dae_problem *p, int which, const dae_method *m, double tol) {
  const double t1 = 2.3;
  dae_options o = dae_options_default();
  double z[3] = {0}, y[1] = {1}, right[2];
  o.method = m->name;
  o.rtol = o.atol = tol;
  exact(which, 0, z);
  exact(which, t1, right);
  CHECK(dae_solve(p, &o, 0, t1, z, y, NULL, NULL) == DAE_OK);
  for (int i = 0; i < n_of(which); i++) {
    /* ten tolerances: what an adaptive method promises */
    CHECK_NEAR(z[i], right[i], 10 * tol);
    if (!(fabs(z[i] - right[i]) <= 10 * tol))
      printf("%s at %g, structure %d\n", m->name, tol, which);
  }
}

static void test_structures(void) {
  const dae_method *m;
  for (int which = 0; which < STRUCTURES; which++) {
    const int n = n_of(which);
    const dae_problem free = {.kind = DAE_ODE, .ctx = &which, .ode = {.n = n, .f = structured}};
    const dae_problem bound = {
        .kind = DAE_HESSENBERG,
        .ctx = &which,
        .hessenberg = {.order = 1, .nx = n + 1, .ny = 1, .f = structured_held, .g = held_last}};
    for (int i = 0; (m = dae_method_at(i)); i++) {
      if (m->estimate == 0 || m->view == DAE_VIEW_PROBLEM) continue;
      /* methods of order 1 would take most of the time */
      for (double tol = 1e-3; tol > (m->order > 1 ? 0.5e-5 : 0.5e-3); tol /= 10) {
        if (m->view != DAE_VIEW_INDEX2) structure(&free, which, m, tol);
        structure(&bound, which, m, tol);
      }
    }
  }
}

int main(void) {
  RUN(test_structures);
  RUN(test_cancelling);
  RUN(test_ode);
  RUN(test_constrained);
  RUN(test_mechanism);
  RUN(test_implicit);
  RUN(test_residuals_that_act);
  return TEST_END();
}
