/* text in, solution out: the same pendulum in five ways, and systems of index 1 to 5 */
#include <stdlib.h>

#include <daedal/daedal.h>
#include <daedal/model.h>

#include "test.h"

/* build, solve at a tolerance, and give the values of all variables at the end */
static int solve(const char *text, double tol, double *values, double *drift) {
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  int status = dae_model_read_text(&m, "m.mo", text, strlen(text), &o);
  if (status == DAE_OK) status = dae_model_build(m);
  if (status != DAE_OK) {
    printf("%s", dae_model_messages(m));
    dae_model_free(m);
    return status;
  }
  const dae_problem *p = dae_model_problem(m);
  char message[300];
  CHECK(dae_problem_valid(p, message, sizeof message) == DAE_OK);
  if (dae_problem_check(p, p->t0, NULL, NULL, message, sizeof message) != DAE_OK) {
    printf("%s\n", message);
    CHECK(!"derivatives are right");
  }
  dae_options s = dae_options_default();
  s.rtol = s.atol = tol;
  dae_report report;
  dae_stats stats;
  double *z = malloc((size_t)dae_problem_nz(p) * sizeof *z),
         *y = calloc((size_t)dae_problem_ny(p) + 1, sizeof *y);
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  status = dae_solve(p, &s, p->t0, p->t1, z, y, &report, &stats);
  if (status != DAE_OK) printf("%s: %s\n", report.message, report.equation);
  CHECK(dae_model_values(m, p->t1, z, y, values) == 0);
  if (drift) *drift = stats.drift_max[0];
  free(z);
  free(y);
  dae_model_free(m);
  return status;
}

#define PENDULUM_END " annotation(experiment(StopTime = 30.3)); end P;"
#define PENDULUM_START                                                         \
  "model P parameter Real L = 1, g = 13.750371636040745654980191559621114396;" \
  " Real x(start = 1, fixed = true), y(start = 0);"

static const char *const pendulums[] = {
    /* squares, velocities as variables */
    PENDULUM_START " Real vx(start = 0, fixed = true), vy, F; equation der(x) = vx; der(y) = vy;"
                   " der(vx) = -2*x*F; der(vy) = -2*y*F - g; x^2 + y^2 = L^2;" PENDULUM_END,
    /* the root of the squares, and a mass */
    PENDULUM_START
    " Real vx(start = 0, fixed = true), vy, F; equation der(x) = vx; der(y) = vy;"
    " 2.5*der(vx) = -x/L*F; 2.5*der(vy) = -y/L*F - 2.5*g; sqrt(x^2 + y^2) = L;" PENDULUM_END,
    /* multiplied by a constant */
    PENDULUM_START " Real vx(start = 0, fixed = true), vy, F; equation der(x) = vx; der(y) = vy;"
                   " der(vx) = -x*F; der(vy) = -y*F - g; 1000*(x^2 + y^2) = 1000*L^2;" PENDULUM_END,
    /* accelerations without velocities */
    PENDULUM_START " Real F; initial equation der(x) = 0; equation"
                   " der(der(x)) = -x*F; der(der(y)) = -y*F - g; x^2 + y^2 = L^2;" PENDULUM_END,
    /* an angle on top */
    PENDULUM_START
    " Real phi(start = 1.5707963267948966); Real vx(start = 0, fixed = true), vy, F;"
    " equation der(x) = vx; der(y) = vy;"
    " der(vx) = -x*F; der(vy) = -y*F - g; x = L*sin(phi); y = -L*cos(phi);" PENDULUM_END,
};

/* x, y at t = 30.3 from the elliptic functions; 30 units of time stretch an error of the tolerance
   by about 300 */
static void test_pendulums(void) {
  for (size_t k = 0; k < sizeof pendulums / sizeof *pendulums; k++) {
    double values[8], drift;
    CHECK(solve(pendulums[k], 1e-10, values, &drift) == DAE_OK);
    CHECK_NEAR(values[0], 8.1906468170174708e-1, 3e-7);
    CHECK_NEAR(values[1], -5.7370118283721164e-1, 3e-7);
    CHECK(drift < 1e-12);
  }
}

/* a circuit: u' = i/C, v(t) - u = R i + i^3/10; here against the solution of index 0, integrated by
   hand below */
static double circuit_current(double t, double u) {
  double i = 0;
  for (int k = 0; k < 60; k++) i -= (sin(t) - u - 2 * i - 0.1 * i * i * i) / (-2 - 0.3 * i * i);
  return i;
}

static void test_index1(void) {
  double values[3], u = 1, h = 1e-3;
  CHECK(
      solve("model C parameter Real R = 2, C = 0.5; Real u(start = 1, fixed = true), i, v; equation"
            " C*der(u) = i; v = sin(time); v - u = R*i + 0.1*i^3; annotation(experiment(StopTime = "
            "5)); end C;",
            1e-10, values, NULL) == DAE_OK);
  /* classical Runge-Kutta with 5000 steps: error near 1e-13 */
  for (int k = 0; k < 5000; k++) {
    double t = k * h;
    double k1 = 2 * circuit_current(t, u), k2 = 2 * circuit_current(t + h / 2, u + h / 2 * k1);
    double k3 = 2 * circuit_current(t + h / 2, u + h / 2 * k2),
           k4 = 2 * circuit_current(t + h, u + h * k3);
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  CHECK_NEAR(values[0], u, 1e-9);
  CHECK_NEAR(values[1], circuit_current(5, u), 1e-9);
  CHECK_NEAR(values[2], sin(5.0), 1e-12);
}

/* x' = y - x l, y' = -x - y l + t on the circle: the angle obeys th' = -1 + t cos th, th(0) = 0 */
static void test_index2(void) {
  double values[3], th = 0, h = 1e-3;
  CHECK(solve("model I Real x(start = 1, fixed = true), y(start = 0), l; equation der(x) = y - x*l;"
              " der(y) = -x - y*l + time; x^2 + y^2 = 1; end I;",
              1e-10, values, NULL) == DAE_OK);
  for (int k = 0; k < 1000; k++) {
    double t = k * h;
    double k1 = -1 + t * cos(th), k2 = -1 + (t + h / 2) * cos(th + h / 2 * k1);
    double k3 = -1 + (t + h / 2) * cos(th + h / 2 * k2), k4 = -1 + (t + h) * cos(th + h * k3);
    th += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  CHECK_NEAR(values[0], cos(th), 1e-9);
  CHECK_NEAR(values[1], sin(th), 1e-9);
  CHECK_NEAR(values[2], sin(th), 1e-9); /* l = t y at t = 1 */
}

/* x1 = cos t through x1' = x2 + x1^2, x2' = x3, x3' = u - sin x1: everything follows by hand */
static void test_index4(void) {
  double values[4], t = 5, x = cos(t), d1 = -sin(t), d2 = -cos(t), d3 = sin(t);
  CHECK(solve("model K Real x1, x2, x3, u; equation der(x1) = x2 + x1^2; der(x2) = x3; der(x3) = u "
              "- sin(x1);"
              " x1 = cos(time); annotation(experiment(StopTime = 5)); end K;",
              1e-10, values, NULL) == DAE_OK);
  CHECK_NEAR(values[0], x, 1e-10);
  CHECK_NEAR(values[1], d1 - x * x, 1e-10);
  CHECK_NEAR(values[2], d2 - 2 * x * d1, 1e-10);
  CHECK_NEAR(values[3], d3 - 2 * (d1 * d1 + x * d2) + sin(x), 1e-10);
}

/* a flexible joint that must follow q(t): index 5 */
static void test_index5(void) {
  double values[5], t = 5, q = 0.3 * sin(2 * t), q2 = -4 * q, q4 = 16 * q, q1 = 0.6 * cos(2 * t);
  CHECK(solve("model J parameter Real k = 10; Real q, th, vq, vth, u; equation der(q) = vq; "
              "der(th) = vth;"
              " der(vq) = k*(th - q) - sin(q); der(vth) = u - k*(th - q); q = 0.3*sin(2*time);"
              " annotation(experiment(StopTime = 5)); end J;",
              1e-10, values, NULL) == DAE_OK);
  double th = q + (q2 + sin(q)) / 10;
  double th2 = q2 + (q4 + cos(q) * q2 - sin(q) * q1 * q1) / 10;
  CHECK_NEAR(values[0], q, 1e-10);
  CHECK_NEAR(values[1], th, 1e-10);
  CHECK_NEAR(values[4], th2 + 10 * (th - q), 1e-9);
}

/* one model, two runs, interpreted and compiled: the same numbers to the last bit */
static void test_compiled(void) {
  double out[2][64];
  for (int k = 0; k < 2; k++) {
    dae_model *m;
    dae_model_options o = {.compiler = k ? NULL : "", .cache = BUILD_DIR "/model-cache"};
    CHECK(dae_model_read_text(&m, "m.mo", pendulums[1], strlen(pendulums[1]), &o) == DAE_OK);
    CHECK(dae_model_build(m) == DAE_OK);
    CHECK(dae_model_compiled(m) == k);
    CHECK(strstr(dae_model_code(m), "static void f0(") != NULL);
    const dae_problem *p = dae_model_problem(m);
    const dae_hessenberg *h = &p->hessenberg;
    double z[4] = {0.61, -0.79, 0.37, 1.21}, y[1] = {2.3};
    memset(out[k], 0, sizeof out[k]);
    CHECK(h->f(0.7, z, y, out[k], p->ctx) == 0 && h->f_z(0.7, z, y, out[k] + 4, p->ctx) == 0);
    CHECK(h->G(0.7, z, out[k] + 20, p->ctx) == 0 && h->g_rate(0.7, z, 2, out[k] + 30, p->ctx) == 0);
    dae_model_free(m);
  }
  CHECK(memcmp(out[0], out[1], sizeof out[0]) == 0);
}

/* index changes along the run: it ends there, and the model says which equation and which
   variable */
static void test_singular_on_the_way(void) {
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"model Pole\n  Real x(start = 1, fixed = true), y;\nequation\n  der(x) = 1;\n"
       "  (x - 2)*y = x + 1;\n  annotation(experiment(StopTime = 3));\nend Pole;",
       "The equation of line 5 no longer determines 'y': its factor there fell to "},
      {"model Fold\n  Real x(start = 1, fixed = true), y(start = 1), w(start = 0.3);\nequation\n"
       "  der(x) = -1;\n  y^2 + w - x = 0.3*x;\n  w + y = w^3 + 1;\n"
       "  annotation(experiment(StopTime = 3));\nend Fold;",
       "The 2 equations that give 'y' (line 6 and others) become dependent: "},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    dae_model *m;
    dae_model_options o = {.compiler = ""};
    CHECK(dae_model_read_text(&m, "m.mo", cases[k].text, strlen(cases[k].text), &o) == DAE_OK);
    CHECK(dae_model_build(m) == DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    dae_options s = dae_options_default();
    dae_report report;
    double z[8];
    char text[400] = "";
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    CHECK(dae_solve(p, &s, p->t0, p->t1, z, NULL, &report, NULL) < 0);
    CHECK(dae_model_singular(m, report.t, z, text, sizeof text) == 1);
    CHECK(strncmp(text, cases[k].said, strlen(cases[k].said)) == 0);
    if (strncmp(text, cases[k].said, strlen(cases[k].said)) != 0) printf("%s\n", text);
    /* nothing is said at a good point */
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    CHECK(dae_model_singular(m, p->t0, z, text, sizeof text) == 0);
    dae_model_free(m);
  }
}

/* twenty charged particles on a sphere with damping: 60 coordinates, from one text to t = 1000,
   where all is at rest */
static void test_particles(void) {
  enum { MOST = 300 };
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  CHECK(dae_model_read_file(&m, SOURCE_DIR "/gallery/charged-particles.mo", &o) == DAE_OK);
  CHECK(dae_model_build(m) == DAE_OK);
  const dae_problem *p = dae_model_problem(m);
  dae_options s = dae_options_default();
  dae_stats stats;
  double z[MOST], y[MOST] = {0}, fastest = 0;
  int nz = dae_problem_nz(p);
  s.rtol = s.atol = 1e-6;
  CHECK(nz == 120 && dae_problem_ny(p) == 20);
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  CHECK(dae_solve(p, &s, 0, 1000, z, y, NULL, &stats) == DAE_OK);
  CHECK(stats.drift_max[0] < 1e-14); /* rounding of squares that are 1 */
  for (int i = 60; i < 120; i++) fastest = fmax(fastest, fabs(z[i]));
  CHECK(fastest < 1e-6);
  dae_model_free(m);
}

/* loops that need each other: df/dz goes through their solution; solve() compares it with
   differences */
static void test_loops(void) {
  double v[7], drift;
  CHECK(solve("model B Real x(start = 0.4, fixed = true), a(start = 1), b(start = 1), c, d, e, f; "
              "equation"
              " der(x) = -a*f + sin(time); a + 0.3*b^2 = 1 + x; b - 0.2*sin(a) = x^2; c + 0.1*d^3 "
              "= a*x;"
              " d - 0.3*exp(-c^2) = b; e + 0.2*f = c + x*d; f - 0.1*e^2 = a + d*x; end B;",
              1e-9, v, &drift) == DAE_OK);
  CHECK(drift < 1e-9);
  CHECK_NEAR(v[1] + 0.3 * v[2] * v[2], 1 + v[0], 1e-12);
  CHECK_NEAR(v[6] - 0.1 * v[5] * v[5], v[1] + v[4] * v[0], 1e-12);
}

/*
 * One loop of n equations, y_i + (y_(i-1) + y_(i+1))/10 = x_i, x_i' = -y_i, from x_i = sin(i
 * pi/(n+1)): that shape stays, x = e^(-t/(1 + cos(pi/(n+1))/5)) x(0). n = 40 is solved dense, 120
 * and 400 sparse.
 */
static void test_large_loop(void) {
  static const int sizes[] = {40, 120, 400};
  for (int k = 0; k < 3; k++) {
    char text[600];
    int n = sizes[k];
    snprintf(text, sizeof text,
             "model L parameter Integer n = %d; Real x[n](start = {sin(i*%.17g) for i in 1:n}, "
             "each fixed = true),"
             " y[n]; equation der(x) = -y; for i in 1:n loop y[i] + 0.1*((if i > 1 then y[i - 1] "
             "else 0) + (if i < n"
             " then y[i + 1] else 0)) = x[i]; end for; end L;",
             n, 3.14159265358979324 / (n + 1));
    double *v = malloc(2 * (size_t)n * sizeof *v), angle = 3.14159265358979324 / (n + 1);
    CHECK(solve(text, 1e-9, v, NULL) == DAE_OK);
    CHECK_NEAR(v[n / 3], sin((n / 3 + 1) * angle) * exp(-1 / (1 + 0.2 * cos(angle))), 1e-8);
    free(v);
  }
}

/* many small loops */
static void test_many_loops(void) {
  enum { N = 150 };
  double v[3 * N];
  CHECK(solve("model M parameter Integer n = 150; Real x[n](each start = 0.5, each fixed = true), "
              "y[n], w[n]; equation"
              " for i in 1:n loop der(x[i]) = -y[i]*i/n; y[i] + 0.1*sin(w[i]) = x[i]; w[i] - "
              "0.2*y[i]^2 = 0.3;"
              " end for; end M;",
              1e-8, v, NULL) == DAE_OK);
  for (int i = 0; i < N; i += 37) CHECK_NEAR(v[N + i] + 0.1 * sin(v[2 * N + i]), v[i], 1e-12);
}

/* a heat rod of n cells: the sparse exact Jacobian of the text is what implicit steps use, and the
   work is that of the cells */
static void test_rod(void) {
  static const char *const format =
      "model Rod parameter Integer n = %d; Real u[n](each start = 0, each fixed = true); "
      "parameter Real k = 0.1*(n + 1)^2; equation der(u[1]) = k*(1 - 2*u[1] + u[2]) - u[1]^2; "
      "for i in 2:n-1 loop der(u[i]) = k*(u[i-1] - 2*u[i] + u[i+1]) - u[i]^2; end for; "
      "der(u[n]) = k*(u[n-1] - 2*u[n]) - u[n]^2; annotation(experiment(StopTime = 1)); end Rod;";
  static const int n[] = {300, 3000};
  long evaluations[2] = {0};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    dae_model *m;
    dae_model_options mo = {.compiler = ""};
    snprintf(text, sizeof text, format, n[k]);
    dae_status status = dae_model_read_text(&m, "rod.mo", text, strlen(text), &mo);
    CHECK(status == DAE_OK && dae_model_build(m) == DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    CHECK(p->kind == DAE_ODE && p->ode.f_z && p->ode.f_pattern);
    if (p->ode.f_pattern) CHECK(p->ode.f_pattern->start[n[k]] == 3 * n[k] - 2);
    dae_options o = dae_options_default();
    dae_solver *s;
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
    CHECK(s && dae_solver_start(s, 0, NULL, NULL) == DAE_OK && dae_solver_advance(s, 1) == DAE_OK);
    if (s) {
      const dae_stats *a = dae_solver_stats(s);
      CHECK(a->jacobians > 0 && a->differences == 0);
      evaluations[k] = a->evaluations;
    }
    dae_solver_free(s);
    dae_model_free(m);
  }
  CHECK(evaluations[1] < 1.5 * (double)evaluations[0]);
}

int main(void) {
  RUN(test_pendulums);
  RUN(test_index1);
  RUN(test_index2);
  RUN(test_index4);
  RUN(test_index5);
  RUN(test_compiled);
  RUN(test_singular_on_the_way);
  RUN(test_particles);
  RUN(test_loops);
  RUN(test_large_loop);
  RUN(test_many_loops);
  RUN(test_rod);
  return TEST_END();
}
