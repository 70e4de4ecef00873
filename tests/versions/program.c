/* a program that the test `run` compiles with shorter and longer headers than the library's; it
   ends with 0 when every answer is right, or, with -DREFUSED, when every call is refused */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int bad;

#ifdef REFUSED
static const int wanted = DAE_E_INPUT;
#else
static const int wanted = DAE_OK;
#endif

static void expect(const char *what, int status, double value, double exact, double tol) {
  if (status == wanted && (wanted != DAE_OK || fabs(value - exact) <= tol)) return;
  printf("%s: %s, %.9g instead of %.9g\n", what, dae_status_name(status), value, exact);
  bad++;
}

/* q1'' = -q1 on the line q2 = 2 q1, with a mass of 1 each: q1'' = -(q1 + 2 q2)/5 = -q1 */
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)v, (void)ctx;
  f[0] = -q[0];
  f[1] = -q[1];
  return 0;
}

static int line(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[1] - 2 * q[0];
  return 0;
}

/* z' = -z, also as the first of a pair for the boundary value problem z1'' = z1 */
static int decay(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = -z[0];
  return 0;
}

static int pair(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  dz[0] = z[1];
  dz[1] = z[0];
  return 0;
}

static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0];
  b[1] = z1[0] - 1;
  return 0;
}

/* x' = -y, 0 = x - exp(-t): y = exp(-t) */
static int rate(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)z, (void)ctx;
  f[0] = -y[0];
  return 0;
}

static int curve(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] - exp(-t);
  return 0;
}

/* structs that a newer version has and this library has not must be zero */
static void newer(dae_problem *p) {
#ifdef LATER
  p->later = LATER;
#else
  (void)p;
#endif
}

static void initial_values(void) {
  dae_problem ode = {.kind = DAE_ODE, .autonomous = true, .ode = {.n = 1, .f = decay}};
  dae_problem swing = {.kind = DAE_MECHANICAL,
                       .autonomous = true,
                       .mechanical = {.nq = 2, .ng = 1, .force = force, .g = line}};
  dae_problem track = {.kind = DAE_HESSENBERG,
                       .hessenberg = {.order = 1, .nx = 1, .ny = 1, .f = rate, .g = curve}};
  dae_options o = dae_options_default();
  double z[4] = {1, 0, 0, 0}, y[1], q[4] = {1, 2, 0, 0};
  /* what stands behind them must not be touched */
  struct {
    dae_report report;
    char behind[64];
  } r;
  struct {
    dae_stats stats;
    char behind[64];
  } s;
  memset(&r, 'r', sizeof r);
  memset(&s, 's', sizeof s);
  int status;
  newer(&ode), newer(&swing), newer(&track);
  o.rtol = o.atol = 1e-9;
  status = dae_solve(&ode, &o, 0, 1, z, NULL, &r.report, &s.stats);
  expect("ode", status, z[0], exp(-1), 1e-7);
  expect("steps", r.report.status, s.stats.steps > 3, 1, 0);
  for (int i = 0; i < 64; i++) bad += r.behind[i] != 'r' || s.behind[i] != 's';
  status = dae_solve(&swing, &o, 0, 2, q, y, &r.report, NULL);
  expect("mechanical", status, q[1], 2 * cos(2), 1e-6);
  z[0] = 1;
  status = dae_solve(&track, &o, 0, 1, z, y, NULL, NULL);
  expect("hessenberg", status, y[0], exp(-1), 1e-6);

  /* the solver keeps what it was given */
  dae_solver *solver;
  z[0] = 1;
  status = dae_solver_new(&solver, &ode, &o, &r.report);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, z, NULL);
  if (status == DAE_OK) status = dae_solver_advance(solver, 2);
  expect("solver", status, solver ? dae_solver_z(solver)[0] : 0, exp(-2), 1e-7);
  dae_solver_free(solver);
  char text[200];
  expect("valid", dae_problem_valid(&ode, text, sizeof text), 0, 0, 0);
  z[0] = 1;
  expect("check", dae_problem_check(&ode, 0, z, NULL, text, sizeof text), 0, 0, 0);
  dae_diagnosis diagnosis;
  double from[1] = {1};
  ode.z0 = from, ode.t1 = 1;
  status = dae_diagnose(&ode, &o, &diagnosis);
  expect("diagnose", status, diagnosis.index, 0, 0);
}

static void boundary_values(void) {
  dae_boundary b = {.n = 2, .n_left = -1, .value = ends};
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .f = pair}, .t0 = 0, .t1 = 1, .boundary = &b};
  dae_options o = dae_options_default();
  dae_solution *solution = NULL;
  double z[2] = {0, 0}, guess[2] = {0, 0};
  p.z0 = guess;
  newer(&p);
  int status = dae_bvp_solve(&p, &o, NULL, &solution, NULL);
  if (status == DAE_OK) dae_solution_eval(solution, 0.5, z, NULL, NULL);
  expect("boundary", status, z[0], sinh(0.5) / sinh(1), 1e-5);
  dae_solution_free(solution);
}

#ifndef REFUSED
/* a model made by the library is whole, whatever the program knows of it: its event needs parts of
   the problem that a shorter header has not */
static void model(void) {
  static const char text[] = "model Fall Real h(start=1, fixed=true), v(start=0, fixed=true);\n"
                             "equation der(h) = v; der(v) = -2;\n"
                             "when h < 0 then reinit(v, -pre(v)); end when; end Fall;\n";
  dae_model *m;
  dae_model_options options = {.compiler = ""};
  dae_options o = dae_options_default();
  double z[8] = {0};
  int status = dae_model_read_text(&m, "fall", text, strlen(text), &options);
  if (status == DAE_OK) status = dae_model_build(m);
  if (status != DAE_OK) printf("%s", dae_model_messages(m));
  const dae_problem *p = dae_model_problem(m);
  if (status == DAE_OK) memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  if (status == DAE_OK) status = dae_solve(p, &o, 0, 1.5, z, NULL, NULL, NULL);
  /* down at t = 1 with -2, up again with 2 */
  expect("model", status, z[0], 2 * 0.5 - 0.5 * 0.5, 1e-5);
  dae_model_free(m);
}
#endif

int main(void) {
  initial_values();
  boundary_values();
#ifndef REFUSED
  char text[200];
  dae_options o = dae_options_default();
  model();
  int status = dae_options_set(&o, "rtol", "1e-3", text, sizeof text);
  expect("set", status, o.rtol, 1e-3, 0);
#ifdef SHORTER
  bad += dae_options_set(&o, LAST_OPTION, "1", text, sizeof text) != DAE_E_INPUT;
#endif
#endif
  if (bad) printf("%d failed, dae_problem has %d bytes\n", bad, (int)sizeof(dae_problem));
  return bad != 0;
}
