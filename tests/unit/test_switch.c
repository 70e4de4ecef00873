/* "auto" changes the method while it runs: when a problem becomes stiff and when it no longer is,
   and only then */
#include <gallery.h>
#include <stdlib.h>

#include "fault/alloc.h"
#include "test.h"

/* x' = -L(t) (x - cos t) - sin t with x = cos t; L is 2 at first and at last, 1e5 between t = 3 and
   t = 6 */
static int relax(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  double L = 2 + 0.5e5 * (tanh(20 * (t - 3)) - tanh(20 * (t - 6)));
  dz[0] = -L * (z[0] - cos(t)) - sin(t);
  return 0;
}

static const double one[] = {1};
static const dae_problem relaxing = {
    .name = "relaxing", .kind = DAE_ODE, .t1 = 30, .z0 = one, .ode = {.n = 1, .f = relax}};

/* a pendulum of length 1.3 from the horizontal whose damping rises to 1e5 between t = 1 and t = 2
   and stays */
static int heavy(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)q, (void)ctx;
  double c = 0.1 + 0.5e5 * (1 + tanh(10 * (t - 1.5)));
  f[0] = -c * v[0];
  f[1] = -c * v[1] - 9.81;
  return 0;
}
static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1.69;
  return 0;
}
static const double horizontal[] = {1.3, 0, 0, 0};
static const dae_problem braked = {.name = "braked",
                                   .kind = DAE_MECHANICAL,
                                   .t1 = 5,
                                   .z0 = horizontal,
                                   .mechanical = {.nq = 2, .ng = 1, .force = heavy, .g = rod}};

static dae_solver *start(const dae_problem *p, const char *method, double tol) {
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  o.method = method;
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  if (s) CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  return s;
}

static void there_and_back(void) {
  for (double tol = 1e-6; tol > 1e-11; tol /= 100) {
    dae_solver *s = start(&relaxing, "auto", tol), *plain = start(&relaxing, "dop853", tol);
    if (!s || !plain) return;
    CHECK_STR(dae_solver_method(s), "dop853");
    CHECK(dae_solver_advance(s, 30) == DAE_OK);
    CHECK(dae_solver_advance(plain, 30) == DAE_OK);
    int count;
    const dae_switch *change = dae_solver_switches(s, &count);
    CHECK(count == 2 && dae_solver_stats(s)->switches == 2);
    if (count == 2) {
      CHECK_STR(change[0].from, "dop853");
      CHECK(dae_method_find(change[0].to)->implicit);
      /* L passes 1000 at t = 2.89 and at 6.12, and a change takes a few dozen steps to make up its
         mind */
      CHECK(change[0].t > 2.6 && change[0].t < 3.3);
      CHECK_STR(change[1].to, "dop853");
      /* implicit steps of a smooth solution are long: a few dozen of them go far */
      CHECK(change[1].t > 5.9 && change[1].t < 20);
      CHECK(change[0].rate > 10 && change[0].rate < 1.1e5); /* the rate is L itself */
    }
    /* ten times the tolerance over the whole run */
    CHECK_NEAR(dae_solver_z(s)[0], cos(30), 10 * tol);
    /* stability keeps h below 6/L: 3 * 1e5 / 6 = 5e4 steps */
    CHECK(dae_solver_stats(plain)->steps > 20000);
    CHECK(dae_solver_stats(s)->steps < 1500);
    dae_solver_free(s);
    dae_solver_free(plain);
  }
}

static void mechanism_on_the_way(void) {
  dae_solver *s = start(&braked, "auto", 1e-6), *other = start(&braked, "radau4", 1e-9);
  if (!s || !other) return;
  CHECK(dae_solver_advance(s, 5) == DAE_OK);
  CHECK(dae_solver_advance(other, 5) == DAE_OK);
  CHECK(dae_solver_stats(s)->switches == 1 && dae_solver_stats(s)->steps < 500);
  CHECK(dae_method_find(dae_solver_method(s))->implicit);
  /* ten times the tolerance; the other method and tolerance are another run altogether */
  for (int i = 0; i < 4; i++) CHECK_NEAR(dae_solver_z(s)[i], dae_solver_z(other)[i], 1e-5);
  CHECK(dae_solver_stats(s)->drift_max[0] < 1e-13);
  /* velocities from differences of g over 0.008 s: terms of 1.7 times rounding over that */
  CHECK(dae_solver_stats(s)->drift_max[1] < 1e-12);
  dae_solver_free(s);
  dae_solver_free(other);
}

/* a spring of 1e8 in a closed loop; dop853 alone needs some 10000 steps */
static void stiff_loop(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "stiff-loop", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_solver *s = start(p, "auto", 1e-6);
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
  CHECK(dae_solver_stats(s)->steps < 2000);
  CHECK(dae_solver_stats(s)->switches == 1);
  const dae_reference *r = &p->ref[p->n_ref - 1];
  CHECK(r->t == p->t1);
  for (int i = 0; i < 12; i++)
    CHECK_NEAR(dae_solver_z(s)[i], r->z[i], 1e-5 * fmax(1, fabs(r->z[i])));
  dae_solver_free(s);
  /* so rough that the implicit method begins: on the constraints all the same, lengths are about
     1 and velocities 10 */
  s = start(p, "auto", 1e-1);
  CHECK(dae_method_find(dae_solver_method(s))->implicit);
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
  for (int level = 0; level < 2; level++) CHECK(dae_solver_stats(s)->drift_max[level] < 1e-12);
  dae_solver_free(s);
  gallery_close("stiff-loop", p);
}

/* forces that turn fast across the constraints: the implicit method that stands by has the form for
   it. In the usual form radau5 takes 190 steps, as short as those of dop853, and the two took turns
   eight times */
static void turning_forces(void) {
  static const struct {
    const char *problem;
    double nu, tol;
  } c[] = {
      {"linear-index2", 300, 1e-9}, {"linear-index2", 300, 1e-11}, {"linear-index3", 1000, 1e-11}};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    const char *name = "nu";
    char message[256];
    dae_problem *p;
    double z[4], y[1];
    CHECK(gallery_open(&p, c[i].problem, 1, &name, &c[i].nu, message, sizeof message) == DAE_OK);
    dae_solver *s = start(p, "auto", c[i].tol);
    CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
    CHECK(dae_solver_stats(s)->switches == 1 && dae_solver_stats(s)->steps < 60);
    CHECK(p->exact(p->t1, z, y, p->ctx) == 0);
    for (int k = 0; k < dae_problem_nz(p); k++)
      CHECK_NEAR(dae_solver_z(s)[k], z[k], 10 * c[i].tol * fmax(1, fabs(z[k])));
    dae_solver_free(s);
    gallery_close(c[i].problem, p);
  }
}

/* whatever the tolerance: where the solution is as fast as the problem, nothing changes */
static void nonstiff_stays(void) {
  static const char *const name[] = {
      "pendulum",         "slider-crank",     "andrews",
      "car-axis",         "four-bar",         "double-slider",
      "strandbeest",      "rod-net",          "pendulum-chain",
      "ring-redundant",   "bead-bounce",      "slider-crank-singular",
      "two-link-robot",   "kepler",           "heavy-top",
      "circle-index2",    "singular-bounded", "limit-cycle-sphere",
      "phase-lock-torus", "driven-arm"};
  static const double tol[] = {1e-3, 1e-6, 1e-10};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    for (int k = 0; k < 3; k++) {
      dae_problem *p;
      char message[256];
      CHECK(gallery_open(&p, name[i], 0, NULL, NULL, message, sizeof message) == DAE_OK);
      dae_solver *s = start(p, "auto", tol[k]);
      CHECK(!dae_method_find(dae_solver_method(s))->implicit);
      CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
      CHECK(dae_solver_stats(s)->switches == 0);
      if (dae_solver_stats(s)->switches) printf("  %s at %g\n", name[i], tol[k]);
      dae_solver_free(s);
      gallery_close(name[i], p);
    }
}

/* short steps for another reason are no stiffness */
static void short_steps_are_not_stiff(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.max_step = 1e-4;
  dae_solver *s;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 0.5) == DAE_OK);
  CHECK(dae_solver_stats(s)->steps >= 5000 && dae_solver_stats(s)->switches == 0);
  dae_solver_free(s);
  gallery_close("pendulum", p);
}

/* the second method has its memory from the start */
static void nothing_is_taken(void) {
  fault_alloc a = {0};
  dae_options o = dae_options_default();
  o.allocator = fault_allocator(&a);
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, &relaxing, &o, NULL) == DAE_OK);
  long takes = a.takes;
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK(dae_solver_advance(s, 30) == DAE_OK);
  CHECK(dae_solver_stats(s)->switches == 2 && a.takes == takes);
  dae_solver_free(s);
  CHECK(a.live == 0);
  for (long n = 1; n <= takes; n++) {
    fault_alloc failing = {.fail_at = n, .once = n % 2};
    o.allocator = fault_allocator(&failing);
    CHECK(dae_solver_new(&s, &relaxing, &o, NULL) == DAE_E_MEMORY);
    CHECK(!s && failing.live == 0);
    dae_solver_free(s);
  }
}

/* Explicit steps that are short for no reason that a rate tells: beside the invariant of
   cubic-invariant, on which no stage lies, the equations are others; the forces of linear-index2
   turn across the constraint. The implicit method is tried, and stays: it takes a third of the
   steps or fewer, and some thirty are gone before it begins */
static void tried_and_kept(void) {
  static const struct {
    const char *problem;
    double nu, tol;
  } c[] = {{"cubic-invariant", 300, 1e-8},
           {"cubic-invariant", 300, 1e-11},
           {"linear-index2", 40, 1e-9},
           {"linear-index2", 40, 1e-11}};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    const char *name = "nu";
    char message[256];
    dae_problem *p;
    double z[4], y[1];
    CHECK(gallery_open(&p, c[i].problem, 1, &name, &c[i].nu, message, sizeof message) == DAE_OK);
    dae_solver *s = start(p, "auto", c[i].tol), *plain = start(p, "dop853", c[i].tol);
    CHECK_STR(dae_solver_method(s), "dop853");
    CHECK(dae_solver_advance(s, p->t1) == DAE_OK && dae_solver_advance(plain, p->t1) == DAE_OK);
    CHECK(dae_solver_stats(s)->switches == 1);
    CHECK(3 * (dae_solver_stats(s)->steps - 30) < 2 * dae_solver_stats(plain)->steps);
    CHECK(p->exact(p->t1, z, y, p->ctx) == 0);
    for (int k = 0; k < dae_problem_nz(p); k++)
      CHECK_NEAR(dae_solver_z(s)[k], z[k], 10 * c[i].tol * fmax(1, fabs(z[k])));
    dae_solver_free(s);
    dae_solver_free(plain);
    gallery_close(c[i].problem, p);
  }
}

/* A spring without damping, at a tolerance that makes the implicit method begin: its steps follow
   the oscillation, with h r of 2 to 5, and cost five times as much as those of the explicit method,
   which does the rest. The size of the steps tells it, not a fixed bound for h r */
static void swings_on(void) {
  static const char *const name[] = {"k", "c"};
  static const double value[] = {1e4, 0};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "stiff-loop", 2, name, value, message, sizeof message) == DAE_OK);
  dae_solver *s = start(p, "auto", 1e-4), *fine = start(p, "dop853", 1e-10);
  CHECK(dae_method_find(dae_solver_method(s))->implicit);
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK && dae_solver_advance(fine, p->t1) == DAE_OK);
  CHECK(dae_solver_stats(s)->switches == 1);
  CHECK_STR(dae_solver_method(s), "dop853");
  for (int i = 0; i < dae_problem_nz(p); i++)
    CHECK_NEAR(dae_solver_z(s)[i], dae_solver_z(fine)[i], 1e-3);
  dae_solver_free(s);
  dae_solver_free(fine);
  gallery_close("stiff-loop", p);
}

/* a rod that oscillates with more than the tolerance: implicit steps would be no longer, and what
   trials cost is little, however often the steps look odd */
static void tried_in_vain(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "flexible-crank", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_solver *s = start(p, "auto", 1e-7), *plain = start(p, "dop853", 1e-7);
  CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
  CHECK(dae_solver_advance(plain, p->t1) == DAE_OK);
  const dae_stats *a = dae_solver_stats(s), *b = dae_solver_stats(plain);
  CHECK(a->evaluations < 1.1 * (double)b->evaluations);
  CHECK(a->factorizations < 1.1 * (double)b->factorizations);
  dae_solver_free(s);
  dae_solver_free(plain);
  gallery_close("flexible-crank", p);
}

/* a second start forgets the first run: the same bits */
static void the_same_again(void) {
  dae_solver *s = start(&braked, "auto", 1e-6);
  double first[4];
  CHECK(dae_solver_advance(s, 5) == DAE_OK);
  memcpy(first, dae_solver_z(s), sizeof first);
  long steps = dae_solver_stats(s)->steps;
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  CHECK_STR(dae_solver_method(s), "dop853");
  CHECK(dae_solver_advance(s, 5) == DAE_OK);
  CHECK(memcmp(first, dae_solver_z(s), sizeof first) == 0);
  CHECK(dae_solver_stats(s)->steps == steps && dae_solver_stats(s)->switches == 1);
  dae_solver_free(s);
}

/* A turning constraint with nu = 1000 at tolerances where rounding, amplified by nu, ends explicit
   steps: the other method goes on from there, on the exact solution. The explicit one is tried
   again ever more seldom: once in 32, then in 256 agreeing tests */
static void one_takes_refuge_in_the_other(void) {
  static const char *const name[] = {"nu"};
  static const double value[] = {1000};
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "linear-index3", 1, name, value, message, sizeof message) == DAE_OK);
  dae_solver *s = start(p, "auto", 1e-11);
  double z[4], y;
  int count;
  dae_status status = dae_solver_advance(s, p->t1);
  const dae_switch *c = dae_solver_switches(s, &count);
  CHECK(count >= 1 && count <= 20 && c[0].h == 0);
  CHECK_STR(c[0].from, "dop853");
  /* how far it comes depends on rounding, and so on the compiler: much farther than before */
  CHECK(status == DAE_OK || dae_solver_time(s) > 20 * c[0].t);
  CHECK(p->exact(dae_solver_time(s), z, &y, p->ctx) == 0);
  /* nu times rounding, over the run */
  for (int i = 0; i < 4; i++) CHECK_NEAR(dae_solver_z(s)[i], z[i], 1e-10);
  dae_solver_free(s);
  gallery_close("linear-index3", p);
}

/* x' = -1e4 (x - cos t): stiff from the start. Five stages where steps go with the tolerance (below
   (3/5)^12 in theory), three where they follow constraints that turn */
static int smooth(double t, const double *z, double *dz, void *ctx) {
  (void)ctx;
  dz[0] = -1e4 * (z[0] - cos(t)) - sin(t);
  return 0;
}

static void stages(void) {
  static const dae_problem stiff = {
      .name = "stiff", .kind = DAE_ODE, .t1 = 30, .z0 = one, .ode = {.n = 1, .f = smooth}};
  static const char *const nu[] = {"nu"};
  static const double turning[] = {57};
  char message[200];
  dae_problem *p;
  dae_solver *s = start(&stiff, "auto", 1e-4);
  if (s) CHECK_STR(dae_solver_method(s), "radau5");
  dae_solver_free(s);
  s = start(&stiff, "auto", 1e-3);
  if (s) CHECK_STR(dae_solver_method(s), "radau3");
  dae_solver_free(s);
  CHECK(gallery_open(&p, "rotating-index3", 1, nu, turning, message, sizeof message) == DAE_OK);
  s = start(p, "auto", 1e-4);
  if (s) CHECK_STR(dae_solver_method(s), "radau3");
  dae_solver_free(s);
  gallery_close("rotating-index3", p);
}

int main(void) {
  RUN(there_and_back);
  RUN(one_takes_refuge_in_the_other);
  RUN(mechanism_on_the_way);
  RUN(stiff_loop);
  RUN(turning_forces);
  RUN(nonstiff_stays);
  RUN(short_steps_are_not_stiff);
  RUN(tried_and_kept);
  RUN(swings_on);
  RUN(tried_in_vain);
  RUN(nothing_is_taken);
  RUN(the_same_again);
  RUN(stages);
  return TEST_END();
}
