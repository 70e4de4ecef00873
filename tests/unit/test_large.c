/* large sparse problems: what `auto` takes for them */
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "test.h"
#include <daedal/daedal.h>

static dae_problem *open_chain(double n) {
  dae_problem *p = NULL;
  const char *name = "n";
  char text[200];
  CHECK(gallery_open(&p, "pendulum-chain", 1, &name, &n, text, sizeof text) == DAE_OK);
  return p;
}

/* the waves of a chain have frequencies up to 2 n sqrt(g cos(angle) / length), about 5.9 n, over
   one unit of time: beyond 180 tol^-1/2 implicit steps are worth their cost, below 5 tol^-1/2 the
   tolerance asks for shorter steps than the waves do */
static void choice(void) {
  static const struct {
    double n, tol;
    const char *method;
  } cases[] = {{700, 1e-2, "radau3"},  {100, 1e-3, "wave4"},  {3000, 1e-4, "wave4"},
               {5000, 1e-4, "radau3"}, {200, 1e-8, "dop853"}, {8000, 1e-6, "wave4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dae_problem *p = open_chain(cases[i].n);
    dae_solver *s = NULL;
    dae_options o = dae_options_default();
    o.rtol = o.atol = cases[i].tol;
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
    CHECK(s && strcmp(dae_solver_method(s), cases[i].method) == 0);
    dae_solver_free(s);
    gallery_close("pendulum-chain", p);
  }
}

/* nothing is singular about a long straight chain at rest, from whichever end it is eliminated: a
   step of dopri5 takes six or seven eliminations, and no search around it */
static void no_alarm(void) {
  dae_problem *p = open_chain(5000);
  dae_solver *s = NULL;
  dae_options o = dae_options_default();
  o.method = "dopri5";
  o.step = 0.02 / 5000;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK);
  long before = dae_solver_stats(s)->factorizations;
  for (int k = 0; k < 5; k++) CHECK(dae_solver_step(s, 1) == DAE_OK);
  CHECK(dae_solver_stats(s)->factorizations - before <= 5 * 7);
  dae_solver_free(s);
  gallery_close("pendulum-chain", p);
}

/* a ring to t = 0.3; returns the number of steps */
static long ring(int n, double duplicate, double t1, const char *method, const char *form,
                 double *z, double *y) {
  dae_problem *p;
  char text[200];
  const char *names[] = {"n", "duplicate"};
  const double values[] = {n, duplicate};
  dae_options o = dae_options_default();
  dae_stats stats;
  CHECK(gallery_open(&p, "ring-redundant", 2, names, values, text, sizeof text) == DAE_OK);
  o.method = method;
  o.form = form;
  o.rtol = o.atol = 1e-7;
  memcpy(z, p->z0, 4 * (size_t)(n - 1) * sizeof *z);
  memset(y, 0, (size_t)(n + 1) * sizeof *y);
  CHECK(dae_solve(p, &o, 0, t1, z, y, NULL, &stats) == DAE_OK);
  gallery_close("ring-redundant", p);
  return stats.steps;
}

/*
 * A rod stated twice, dense and sparse, explicit and implicit: the same steps, the same motion, and
 * each statement takes half of the tension. The lifted corner perturbs Newton's method by 1e-9 of
 * what it still has to do, and the difference of the two multipliers, for which only it speaks,
 * feels rounding divided by that.
 */
static void redundant(void) {
  static const struct {
    const char *method, *form;
  } cases[] = {{"dop853", "auto"},
               {"radau3", "auto"},
               {"radau3", "ggl"},
               {"gauss2", "index2"},
               {"bdf", "auto"}};
  static double once[4 * 40], twice[4 * 40], y_once[41], y_twice[41];
  for (int n = 10; n <= 40; n += 30)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      long steps = ring(n, 0, 0.3, cases[i].method, cases[i].form, once, y_once);
      long again = ring(n, 1, 0.3, cases[i].method, cases[i].form, twice, y_twice);
      /* bdf chooses its order by comparisons that may be close: a tenth */
      CHECK(labs(again - steps) <= (strcmp(cases[i].method, "bdf") == 0 ? steps / 10 : 0));
      for (int k = 0; k < 2 * (n - 1); k++) CHECK_NEAR(twice[k], once[k], 1e-8);
      CHECK_NEAR(y_twice[n / 2] + y_twice[n], y_once[n / 2], 1e-4);
      CHECK_NEAR(y_twice[n / 2], y_twice[n], 1e-4);
    }
}

/* rods far shorter than the ring: a point near the start, by the sizes of the variables, is far off
   the constraints, and what is not found from there says nothing about the rod stated twice */
static void short_rods(void) {
  enum { N = 300 };
  static double z[4 * N], y[N + 1];
  CHECK(ring(N, 1, 0.01, "dop853", "auto", z, y) > 0);
}

int main(void) {
  RUN(choice);
  RUN(no_alarm);
  RUN(redundant);
  RUN(short_rods);
  return TEST_END();
}
