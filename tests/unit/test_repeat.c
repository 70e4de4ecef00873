/* the same run again: to the last bit from the same or another solver, with or without output on
   the way; and split by stops it is the same to the tolerance */
#include <float.h>
#include <gallery.h>
#include <stddef.h>

#include "test.h"

enum { MOST = 64 };

static const char *const problem[] = {"slider-crank", "limit-cycle-sphere", "kepler", "car-axis"};
static const char *const method[] = {"auto",   "dopri5", "dop853", "herk5", "radau3",
                                     "radau5", "gauss2", "sdirk3", "bdf"};
enum { PROBLEMS = sizeof problem / sizeof *problem, METHODS = sizeof method / sizeof *method };

/* where a run ended */
typedef struct end {
  double z[MOST], y[MOST];
  long steps;
  double smallest; /* the last one: compared by itself */
} end;

static dae_status finish(dae_solver *s, const dae_problem *p, dae_status status, end *e) {
  memset(e, 0, sizeof *e);
  memcpy(e->z, dae_solver_z(s), (size_t)dae_problem_nz(p) * sizeof *e->z);
  memcpy(e->y, dae_solver_y(s), (size_t)dae_problem_ny(p) * sizeof *e->y);
  e->smallest = dae_solver_stats(s)->smallest;
  e->steps = dae_solver_stats(s)->steps;
  return status;
}

static dae_status whole(dae_solver *s, const dae_problem *p, double t1, end *e) {
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  if (status == DAE_OK) status = dae_solver_advance(s, t1);
  return finish(s, p, status, e);
}

/* values, multipliers, drift and projections at three points of every step */
static dae_status with_output(dae_solver *s, const dae_problem *p, double t1, end *e) {
  double z[MOST], y[MOST], drift[DAE_ORDER_MAX];
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  while (status == DAE_OK && dae_solver_time(s) < t1) {
    status = dae_solver_step(s, t1);
    for (int k = 1; k < 4 && status == DAE_OK; k++) {
      double a = dae_solver_previous_time(s), t = a + (dae_solver_time(s) - a) * k / 3;
      status = dae_solver_eval(s, t, z, y);
      if (status == DAE_OK) status = dae_solver_drift(s, t, z, drift);
      z[0] += 1e-6;
      if (status == DAE_OK) status = dae_solver_project(s, t, z, NULL);
    }
  }
  return finish(s, p, status, e);
}

static dae_solver *make(const dae_problem *p, const char *name, double tol) {
  dae_options o = dae_options_default();
  dae_solver *s = NULL;
  o.rtol = o.atol = tol;
  o.method = name;
  dae_status status = dae_solver_new(&s, p, &o, NULL);
  CHECK(status == DAE_OK ||
        status == DAE_E_FORM); /* an ODE has nothing for half-explicit methods */
  return s;
}

/* the smallest singular value only to rounding: rows that were measured at other points as well are
   scaled in another order */
static void same(const end *a, const end *b, const char *p, const char *m, const char *what) {
  bool equal = memcmp(a, b, offsetof(end, smallest)) == 0 &&
               fabs(a->smallest - b->smallest) <= 8 * DBL_EPSILON * a->smallest;
  CHECK(equal);
  if (!equal)
    printf("  %s, %s: %s: %ld and %ld steps, %.17g and %.17g, smallest %.17g and %.17g\n", p, m,
           what, a->steps, b->steps, a->z[0], b->z[0], a->smallest, b->smallest);
}

static void one_problem(const char *name) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  double t1 = p->t0 + 0.4 * (p->t1 - p->t0);
  for (int i = 0; i < METHODS; i++) {
    dae_solver *s = make(p, method[i], 1e-6), *other = make(p, method[i], 1e-6);
    end first, again;
    if (!s || !other) continue;
    CHECK(whole(s, p, t1, &first) == DAE_OK);
    CHECK(whole(s, p, t1, &again) == DAE_OK);
    same(&first, &again, name, method[i], "the same solver");
    CHECK(whole(other, p, t1, &again) == DAE_OK);
    same(&first, &again, name, method[i], "another solver");
    CHECK(with_output(other, p, t1, &again) == DAE_OK);
    same(&first, &again, name, method[i], "with output");
    dae_solver_free(s);
    dae_solver_free(other);
  }
  gallery_close(name, p);
}

static void to_the_last_bit(void) {
  for (int i = 0; i < PROBLEMS; i++) one_problem(problem[i]);
}

/* stops at awkward times, continued by the same solver: both ends are within ten times the
   tolerance of the solution, so twenty from each other */
static void split(void) {
  static const char *const name[] = {"slider-crank", "limit-cycle-sphere", "car-axis",
                                     "stiff-loop"};
  static const double part[] = {0.0123, 0.1, 0.37, 0.371, 0.83, 1};
  const double tol = 1e-6;
  for (size_t n = 0; n < sizeof name / sizeof *name; n++) {
    dae_problem *p;
    char message[256];
    CHECK(gallery_open(&p, name[n], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    /* explicit methods get through the stiff one as well, but slowly */
    for (int i = 0; i < METHODS; i++) {
      bool stiff = strcmp(name[n], "stiff-loop") == 0;
      if (stiff && strcmp(method[i], "auto") != 0 && strcmp(method[i], "radau3") != 0) continue;
      dae_solver *s = make(p, method[i], tol);
      end unsplit, parts;
      CHECK(whole(s, p, p->t1, &unsplit) == DAE_OK);
      dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
      for (size_t k = 0; k < sizeof part / sizeof *part && status == DAE_OK; k++)
        status = dae_solver_advance(s, p->t0 + part[k] * (p->t1 - p->t0));
      CHECK(finish(s, p, status, &parts) == DAE_OK);
      double worst = 0;
      for (int k = 0; k < dae_problem_nz(p); k++)
        worst = fmax(worst, fabs(parts.z[k] - unsplit.z[k]) / (1 + fabs(unsplit.z[k])));
      CHECK(worst <= 20 * tol);
      if (worst > 20 * tol) printf("  %s, %s: %g\n", name[n], method[i], worst);
      dae_solver_free(s);
    }
    gallery_close(name[n], p);
  }
}

int main(void) {
  RUN(to_the_last_bit);
  RUN(split);
  return TEST_END();
}
