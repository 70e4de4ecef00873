/* functions that fail at the n-th call: a clear status, the last good state, and a solver that can
   be used again */
#include <math.h>

#include <daedal/daedal.h>
#include "test.h"

typedef struct fault {
  long calls, at; /* fails at this call */
  int kind;       /* 0: NaN, 1: returns 1, -1: returns -1 */
  bool forever;   /* and at all later ones */
  double brake;   /* damping that rises with time: the problem becomes stiff */
} fault;

static int trip(fault *f, double *out, int code) {
  long n = ++f->calls;
  if (f->at == 0 || (f->forever ? n < f->at : n != f->at)) return code;
  if (f->kind == 0) *out = NAN;
  return f->kind;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)q;
  double c = 0.1 + ((fault *)ctx)->brake * (t > 0.2 ? (t - 0.2) * (t - 0.2) : 0);
  f[0] = -c * v[0];
  f[1] = -c * v[1] - 9.81;
  return trip(ctx, f, 0);
}
static int g(double t, const double *q, double *r, void *ctx) {
  (void)t;
  r[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return trip(ctx, r, 0);
}
static int G(double t, const double *q, double *J, void *ctx) {
  (void)t;
  J[0] = 2 * q[0];
  J[1] = 2 * q[1];
  return trip(ctx, J, 0);
}
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q;
  c[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  return trip(ctx, c, 0);
}

static const double z0[] = {1, 0, 0, 0};

static dae_problem pendulum(fault *f) {
  return (dae_problem){
      .kind = DAE_MECHANICAL,
      .autonomous = true,
      .z0 = z0,
      .ctx = f,
      .t1 = 1,
      .mechanical = {.nq = 2, .ng = 1, .force = force, .g = g, .G = G, .curvature = curvature}};
}

/* regularization with steps of 0.01 leaves the circle by less than 0.01, all others by rounding and
   Newton's tolerance */
static bool on_the_circle(const double *z) {
  return isfinite(z[2]) && isfinite(z[3]) && fabs(z[0] * z[0] + z[1] * z[1] - 1) < 1e-2;
}

/* the fault strikes at call n of the run: once (a smaller step gets over it) or for good */
static void one_run(dae_solver *s, fault *f, long n, int kind, bool forever) {
  double brake = f->brake;
  *f = (fault){.brake = brake};
  if (dae_solver_start(s, 0, NULL, NULL) != DAE_OK) {
    CHECK(0);
    return;
  }
  *f = (fault){.at = n, .kind = kind, .forever = forever, .brake = brake};
  dae_status status = dae_solver_advance(s, 1);
  bool struck = f->calls >= n;
  if (!struck) CHECK(status == DAE_OK);
  else if (kind < 0) CHECK(status == DAE_STOPPED);
  else if (forever)
    CHECK(status < 0 || dae_solver_time(s) == 1); /* the very last values may be missing */
  else CHECK(status == DAE_OK || status < 0);     /* fixed steps cannot get over it */
  CHECK(on_the_circle(dae_solver_z(s)));
  CHECK(dae_solver_time(s) >= 0 && dae_solver_time(s) <= 1);
  if (status < 0) CHECK(dae_solver_report(s)->message[0] != 0);
  /* and on from there, when the function works again */
  *f = (fault){.brake = brake};
  status = dae_solver_advance(s, 1);
  if (status != DAE_OK) printf("%s\n", dae_solver_report(s)->message);
  CHECK(status == DAE_OK);
  CHECK(on_the_circle(dae_solver_z(s)));
}

static void every_call_index(void) {
  static const struct {
    const char *method, *form;
    double step;
  } how[] = {{"dopri5", "auto", 0}, {"dop853", "auto", 0},
             {"rk4", "auto", 0.05}, {"ab2", "auto", 0.05},
             {"radau3", "ggl", 0},  {"bdf", "ggl", 0},
             {"herk4", "auto", 0},  {"backward-euler", "ggl", 0.05},
             {"heun", "srm", 0.01}};
  for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
    fault f = {0};
    dae_problem p = pendulum(&f);
    dae_options o = dae_options_default();
    o.method = how[k].method;
    o.form = how[k].form;
    o.step = how[k].step;
    o.rtol = o.atol = 1e-4;
    dae_solver *s;
    dae_report report;
    if (!dae_method_find(o.method)) continue;
    dae_status status = dae_solver_new(&s, &p, &o, &report);
    if (status != DAE_OK) printf("%s: %s\n", o.method, report.message);
    CHECK(status == DAE_OK);
    if (status != DAE_OK) continue;
    for (long n = 1; n < 800; n = n < 30 ? n + 1 : n + 157)
      for (int kind = -1; kind <= 1; kind++) {
        int before = test_failures;
        one_run(s, &f, n, kind, false);
        one_run(s, &f, n, kind, true);
        if (test_failures > before) {
          printf("%s %s: call %ld, kind %d\n", how[k].method, how[k].form, n, kind);
          n = 800;
        }
      }
    dae_solver_free(s);
  }
}

/* the same across a change from explicit to implicit, at calls around it */
static void while_the_method_changes(void) {
  fault f = {.brake = 4e5};
  dae_problem p = pendulum(&f);
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-4;
  dae_solver *s;
  CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
  /* how many calls an undisturbed run needs until it changes */
  f = (fault){.brake = 4e5};
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  f.calls = 0;
  while (dae_solver_stats(s)->switches == 0 && dae_solver_time(s) < 1)
    CHECK(dae_solver_step(s, 1) == DAE_OK);
  long change = f.calls;
  CHECK(dae_solver_stats(s)->switches == 1);
  for (long n = change - 400; n < change + 100; n += 7)
    for (int kind = -1; kind <= 1; kind++) {
      one_run(s, &f, n, kind, false);
      one_run(s, &f, n, kind, true);
      CHECK(dae_solver_stats(s)->switches >= 1);
    }
  dae_solver_free(s);
}

/* at the start: a status that says so, for every function */
static void at_the_start(void) {
  for (long n = 1; n < 12; n++)
    for (int kind = -1; kind <= 1; kind++) {
      fault f = {0};
      dae_problem p = pendulum(&f);
      dae_options o = dae_options_default();
      o.method = "dopri5";
      dae_solver *s;
      CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
      f = (fault){.at = n, .kind = kind, .forever = true};
      dae_status status = dae_solver_start(s, 0, NULL, NULL);
      CHECK(f.calls < n ? status == DAE_OK : kind < 0 ? status == DAE_STOPPED : status < 0);
      if (status != DAE_OK) CHECK(dae_solver_step(s, 1) != DAE_OK); /* not started */
      dae_solver_free(s);
    }
}

int main(void) {
  RUN(every_call_index);
  RUN(while_the_method_changes);
  RUN(at_the_start);
  return TEST_END();
}
