/* no memory is taken in a step, in all families of methods and all kinds of problems, where steps
   are tried again too: functions fail now and then, and have events */
#include <math.h>
#include <string.h>

#include <daedal/model.h>

#include "gallery.h"

#include "fault/alloc.h"
#include "fault/mallocs.h"
#include "test.h"

/* the problem at hand; one call in so many fails once steps are taken */
enum { EVERY = 23, STEPS = 25 };
static dae_problem whole;
static bool failing;
static long calls, failures;

static bool fails(void) {
  if (!failing || ++calls % EVERY != 0) return false;
  failures++;
  return true;
}

static int ode_f(double t, const double *z, double *dz, void *ctx) {
  return fails() ? 1 : whole.ode.f(t, z, dz, ctx);
}

static int hessenberg_f(double t, const double *z, const double *y, double *f, void *ctx) {
  return fails() ? 1 : whole.hessenberg.f(t, z, y, f, ctx);
}

static int mechanical_g(double t, const double *q, double *g, void *ctx) {
  return fails() ? 1 : whole.mechanical.g(t, q, g, ctx);
}

static int mechanical_force(double t, const double *q, const double *v, double *f, void *ctx) {
  return fails() ? 1 : whole.mechanical.force(t, q, v, f, ctx);
}

static int implicit_F(double t, const double *x, const double *dx, double *F, void *ctx) {
  return fails() ? 1 : whole.implicit.F(t, x, dx, F, ctx);
}

static int implicit_f(double t, const double *x, double *f, void *ctx) {
  return fails() ? 1 : whole.implicit.f(t, x, f, ctx);
}

/* an event at times that no step meets, and a change of state that is none */
static int clock_value(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)z, (void)y, (void)ctx;
  *value = sin(23 * (t - whole.t0) / (whole.t1 - whole.t0) + 3);
  return 0;
}

static int clock_change(double t, double *z, void *ctx) {
  (void)t, (void)z, (void)ctx;
  return 0;
}

static dae_problem with_failures(void) {
  static const dae_event clock = {"clock", clock_value, 0, false, clock_change};
  dae_problem p = whole;
  if (p.kind == DAE_ODE) p.ode.f = ode_f;
  if (p.kind == DAE_HESSENBERG) p.hessenberg.f = hessenberg_f;
  if (p.kind == DAE_MECHANICAL && p.mechanical.g) p.mechanical.g = mechanical_g;
  if (p.kind == DAE_MECHANICAL && p.mechanical.force) p.mechanical.evaluate = NULL;
  if (p.kind == DAE_MECHANICAL && p.mechanical.force) p.mechanical.force = mechanical_force;
  if (p.kind == DAE_IMPLICIT && p.implicit.F) p.implicit.F = implicit_F;
  if (p.kind == DAE_IMPLICIT && p.implicit.f) p.implicit.f = implicit_f;
  if (!p.discrete) p.n_event = 1, p.event = &clock;
  return p;
}

/* what steps take; the start and the first step may build for another interval */
static int run(const char *name, const char *method, const char *form, long *retried) {
  fault_alloc a = {0};
  const dae_problem p = with_failures();
  dae_options o = dae_options_default();
  dae_solver *s;
  o.method = method;
  o.form = form;
  o.allocator = fault_allocator(&a);
  failing = false;
  if (dae_solver_new(&s, &p, &o, NULL) != DAE_OK) return 0;
  dae_status status = dae_solver_start(s, p.t0, NULL, NULL);
  if (status == DAE_OK) status = dae_solver_step(s, p.t1);
  const bool runs = status == DAE_OK;
  const long takes = a.takes, before = mallocs;
  failing = true;
  for (int i = 0; i < STEPS && status == DAE_OK && dae_solver_time(s) != p.t1; i++)
    status = dae_solver_step(s, p.t1);
  if (status == DAE_OK)
    status = dae_solver_eval(s, (dae_solver_previous_time(s) + dae_solver_time(s)) / 2, NULL, NULL);
  failing = false;
  const long more = mallocs - before;
  CHECK(a.takes == takes && more == 0);
  if (a.takes != takes || more > 0)
    printf("  %s, %s, %s: %ld takes and %ld mallocs in steps\n", name, method, form,
           a.takes - takes, more);
  *retried += dae_solver_stats(s)->rejected;
  dae_solver_free(s);
  CHECK(a.live == 0);
  return runs;
}

static void every_method(const char *name, int least) {
  static const char *const forms[] = {"auto", "index2", "ggl", "invariant"};
  int made = 0;
  long retried = 0;
  failures = 0;
  for (int m = 0; dae_method_at(m); m++)
    for (int f = 0; f < 4; f++) made += run(name, dae_method_at(m)->name, forms[f], &retried);
  made += run(name, "auto", "auto", &retried);
  printf("%s: %d combinations, %ld failures, %ld steps tried again\n", name, made, failures,
         retried);
  CHECK(made >= least && retried > made);
}

static void test_gallery(void) {
  static const char *const names[] = {"kepler",        "heavy-top",    "linear-index2",
                                      "driven-sphere", "slider-crank", "rotating-index3",
                                      "car-axis",      "bead-bounce"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    dae_problem *p = NULL;
    char text[DAE_TEXT_MAX];
    CHECK(gallery_open(&p, names[i], 0, NULL, NULL, text, sizeof text) == DAE_OK);
    if (!p) continue;
    whole = *p;
    every_method(names[i], 10);
    gallery_close(names[i], p);
  }
}

/* implicit problems with solutions that are known: x' = -x with an algebraic variable (index 1), a
   rate whose integral is given (index 2), and a pendulum (index 3) */
static int index1(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[1] * x[0] - 0.3 * cos(t);
  F[1] = dx[2] - x[1] + x[2];
  F[2] = x[1] + 0.3 * x[1] * x[1] * x[1] - 2.1 * x[2] - 0.7;
  return 0;
}

static int index2(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  F[0] = dx[0] + x[0] - x[2];
  F[1] = dx[1] - x[0] + 0.4 * x[1];
  F[2] = x[0] - 1.3 - 0.2 * sin(t);
  return 0;
}

static int index3(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = dx[0] - x[2];
  F[1] = dx[1] - x[3];
  F[2] = dx[2] + x[4] * x[0];
  F[3] = dx[3] + x[4] * x[1] + 9.81;
  F[4] = x[0] * x[0] + x[1] * x[1] - 1.44;
  return 0;
}

static void test_implicit(void) {
  static const double z1[] = {0.8, 1.1, 0.4}, z2[] = {1.3, 0.6, 1.5}, z3[] = {1.2, 0, 0, 0, 0};
  static const int start[] = {0, 2, 4, 6}, column[] = {0, 1, 1, 2, 1, 2};
  static const dae_pattern pattern = {3, 3, start, column};
  whole = (dae_problem){.kind = DAE_IMPLICIT, .t1 = 2, .z0 = z1, .implicit = {.n = 3, .F = index1}};
  every_method("index 1", 5);
  whole.implicit.pattern = &pattern;
  every_method("index 1, sparse", 5);
  whole = (dae_problem){.kind = DAE_IMPLICIT, .t1 = 2, .z0 = z2, .implicit = {.n = 3, .F = index2}};
  every_method("index 2", 5);
  whole = (dae_problem){.kind = DAE_IMPLICIT, .t1 = 2, .z0 = z3, .implicit = {.n = 5, .F = index3}};
  every_method("index 3", 3);
}

/* as many variables as the index is found for, and more: a rod that is heated, its end held */
enum { MANY = 400 };
static int nodes;

static int heated(double t, const double *x, double *f, void *ctx) {
  (void)ctx;
  f[0] = x[0] - 1 - 0.1 * sin(3 * t);
  for (int i = 1; i < nodes; i++)
    f[i] = 900 * (x[i - 1] - 2 * x[i] + (i + 1 < nodes ? x[i + 1] : x[i])) - 0.1 * x[i] * x[i];
  return 0;
}

static int capacity(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  for (int i = 1; i < nodes; i++) M[i] = 1;
  return 0;
}

static void heat(int size) {
  static int start[MANY + 1], column[3 * MANY];
  static double z0[MANY];
  int e = 0;
  nodes = size;
  for (int i = 0; i < nodes; i++) {
    start[i] = e;
    for (int j = i > 0 ? i - 1 : 0; j <= i + (i > 0 && i + 1 < nodes); j++) column[e++] = j;
  }
  start[nodes] = e;
  const dae_pattern pattern = {nodes, nodes, start, column};
  z0[0] = 1;
  whole = (dae_problem){.kind = DAE_IMPLICIT,
                        .t1 = 1,
                        .z0 = z0,
                        .implicit = {.n = nodes,
                                     .f = heated,
                                     .f_pattern = &pattern,
                                     .mass = capacity,
                                     .mass_constant = true,
                                     .mass_kind = DAE_MASS_DIAGONAL}};
  long retried = 0;
  CHECK(run("heated", "radau3", "auto", &retried) && run("heated", "bdf", "auto", &retried));
  CHECK(retried > 2);
}

static void test_large(void) {
  heat(60);
  heat(MANY);
}

/* a text whose algebraic equation cannot be solved for its variable, and one with events */
static void test_text(void) {
  static const char *const texts[] = {
      "model m Real x(start = 0.7, fixed = true); Real y(start = 1.2); equation "
      "der(x) = -x*y + 0.2*sin(3*time); y + 0.3*y^3 + exp(0.1*y) = 2.2 + x; "
      "annotation(experiment(StopTime = 2)); end m;",
      "model m Real x(start = 0.7, fixed = true); Real v(start = 0, fixed = true); Real y; "
      "equation "
      "der(x) = v; der(v) = -9.81 + y; y + 0.3*y^3 = -v; "
      "when x < 0 then reinit(v, -0.8*pre(v)); end when; "
      "annotation(experiment(StopTime = 2)); end m;"};
  for (int i = 0; i < 2; i++) {
    dae_model *m = NULL;
    const dae_model_options o = {.compiler = ""};
    CHECK(dae_model_read_text(&m, "m", texts[i], strlen(texts[i]), &o) == DAE_OK);
    if (m && dae_model_build(m) == DAE_OK) {
      whole = *dae_model_problem(m);
      whole.whole = NULL;
      every_method(i ? "text with events" : "text", 10);
    } else {
      puts(dae_model_messages(m));
      CHECK(false);
    }
    dae_model_free(m);
  }
}

int main(void) {
#ifdef INTERPOSED
  /* the counter counts */
  const long before = mallocs;
  free(malloc(1));
  CHECK(mallocs == before + 1);
#endif
  RUN(test_gallery);
  RUN(test_implicit);
  RUN(test_large);
  RUN(test_text);
  return TEST_END();
}
