/* the same run, to the last bit, whether initial values and interval stand in the problem or are
   only passed to the solver */
#include <string.h>

#include "gallery_test.h"

enum { STEPS = 120 };

/* what a run has shown */
typedef struct run {
  dae_status status;
  int count;
  double t[STEPS], z[STEPS][MAX_N], y[MAX_N];
  char method[32], form[32], stabilize[32], message[DAE_TEXT_MAX];
  long evaluations, jacobians, switches;
} run;

static void keep(const dae_stats *c, const dae_report *report, run *r) {
  r->evaluations = c->evaluations;
  r->jacobians = c->jacobians;
  r->switches = c->switches;
  snprintf(r->message, sizeof r->message, "%s", report->message);
}

/* step by step from z over [t0, t1]; with stops, as somebody who wants output at them */
static void walk(dae_solver *s, double t0, double t1, int n, const double *z, run *r) {
  double start[MAX_N], y[MAX_N];
  memcpy(start, z, (size_t)n * sizeof *start);
  *r = (run){.status = dae_solver_start(s, t0, start, y)};
  while (r->status == DAE_OK && r->count < STEPS && dae_solver_time(s) != t1) {
    r->status = dae_solver_step(s, t1);
    r->t[r->count] = dae_solver_time(s);
    memcpy(r->z[r->count++], dae_solver_z(s), (size_t)n * sizeof *z);
  }
  keep(dae_solver_stats(s), dae_solver_report(s), r);
  snprintf(r->method, sizeof r->method, "%s", dae_solver_method(s));
  snprintf(r->form, sizeof r->form, "%s", dae_solver_form(s));
  snprintf(r->stabilize, sizeof r->stabilize, "%s", dae_solver_stabilize(s));
}

static void whole(const dae_problem *p, const dae_options *o, const dae_problem *held, run *r) {
  dae_report report;
  dae_stats stats;
  *r = (run){.count = 1};
  memcpy(r->z[0], held->z0, (size_t)size_z(held) * sizeof *r->z[0]);
  r->status = dae_solve(p, o, held->t0, held->t1, r->z[0], r->y, &report, &stats);
  keep(&stats, &report, r);
}

static void same(const char *what, const char *problem, const run *a, const run *b) {
  bool equal = a->status == b->status && a->count == b->count && !strcmp(a->method, b->method) &&
               !strcmp(a->form, b->form) && !strcmp(a->stabilize, b->stabilize) &&
               !strcmp(a->message, b->message) && a->evaluations == b->evaluations &&
               a->jacobians == b->jacobians && a->switches == b->switches &&
               !memcmp(a->t, b->t, sizeof a->t) && !memcmp(a->z, b->z, sizeof a->z) &&
               !memcmp(a->y, b->y, sizeof a->y);
  if (!equal)
    printf("%s %s: %s %s %s %d steps %ld evaluations (%s), but %s %s %s %d steps %ld (%s)\n",
           problem, what, a->method, a->form, a->stabilize, a->count, a->evaluations, a->message,
           b->method, b->form, b->stabilize, b->count, b->evaluations, b->message);
  CHECK(equal);
}

/* an initial value problem in both ways with the same options */
static void compare(const dae_problem *held, const dae_options *o, const char *what) {
  static run a, b, again;
  dae_problem bare = *held;
  dae_report report[2];
  dae_solver *s, *u;
  bare.z0 = NULL;
  bare.t0 = bare.t1 = 0;
  dae_status first = dae_solver_new(&s, held, o, &report[0]);
  dae_status second = dae_solver_new(&u, &bare, o, &report[1]);
  CHECK(first == second);
  if (first == DAE_OK && second == DAE_OK) {
    walk(s, held->t0, held->t1, size_z(held), held->z0, &a);
    walk(u, held->t0, held->t1, size_z(held), held->z0, &b);
    same(what, held->name, &a, &b);
    /* and once more */
    walk(u, held->t0, held->t1, size_z(held), held->z0, &again);
    same(what, held->name, &a, &again);
  } else {
    CHECK(strcmp(report[0].message, report[1].message) == 0);
  }
  dae_solver_free(s);
  dae_solver_free(u);
  dae_options few = *o;
  few.max_steps = STEPS;
  whole(held, &few, held, &a);
  whole(&bare, &few, held, &b);
  same(what, held->name, &a, &b);
}

static void test_gallery(void) {
  for (int i = 0; gallery_at(i); i++) {
    char message[200];
    dae_problem *p = NULL;
    CHECK(gallery_open(&p, gallery_at(i)->name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
    if (p && !p->boundary) {
      dae_options o = dae_options_default();
      compare(p, &o, "auto");
      o.rtol = o.atol = 1e-3;
      compare(p, &o, "auto, 1e-3");
      o.method = "radau3";
      compare(p, &o, "radau3");
      o.form = "direct";
      compare(p, &o, "radau3 direct");
      o.form = "srm", o.method = "auto";
      compare(p, &o, "srm");
      o = dae_options_default();
      o.method = "colloc-radau3", o.mesh = 30;
      compare(p, &o, "colloc-radau3, mesh 30");
    }
    gallery_close(gallery_at(i)->name, p);
  }
}

/* the stiff examples of 1993: fast parts of rate nu that the solution does not show */
static void test_stiff(void) {
  static const char *const name[] = {"linear-index3", "rotating-index3", "linear-index2",
                                     "rotating-index2"};
  for (int i = 0; i < 4; i++) {
    char message[200];
    dae_problem *p = NULL;
    const char *nu[] = {"nu"};
    const double value[] = {1000};
    if (gallery_open(&p, name[i], 1, nu, value, message, sizeof message) != DAE_OK)
      CHECK(gallery_open(&p, name[i], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    dae_options o = dae_options_default();
    compare(p, &o, "stiff");
    /* an explicit method would need some nu (t1 - t0) evaluations */
    dae_problem bare = *p;
    dae_stats stats;
    double z[MAX_N];
    memcpy(z, p->z0, (size_t)size_z(p) * sizeof *z);
    bare.z0 = NULL;
    bare.t0 = bare.t1 = 0;
    dae_solver *s = NULL;
    CHECK(dae_solver_new(&s, &bare, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, p->t0, z, NULL) == DAE_OK);
    CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
    stats = *dae_solver_stats(s);
    if (i == 0) CHECK(stats.evaluations < 500 && dae_method_find(dae_solver_method(s))->implicit);
    dae_solver_free(s);
    gallery_close(name[i], p);
  }
}

int main(void) {
  RUN(test_gallery);
  RUN(test_stiff);
  return TEST_END();
}
