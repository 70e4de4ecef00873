/* every method and form: all memory is taken in dae_solver_new, each take may fail, nothing is
   lost */
#include "gallery.h"

#include <string.h>

#include "fault/alloc.h"
#include "test.h"

/* mechanical, dense; Hessenberg of index 2; ODE with an invariant; many bodies */
static const char *const problems[] = {"slider-crank", "rotating-index2", "kepler", "andrews"};

static dae_status make(dae_solver **s, const dae_problem *p, const char *method, const char *form,
                       fault_alloc *a) {
  dae_options o = dae_options_default();
  o.method = method;
  o.form = form;
  o.step = 0.0125;
  o.allocator = fault_allocator(a);
  return dae_solver_new(s, p, &o, NULL);
}

/* new with the n-th take failing, alone or with all later ones, for every n: an honest status, no
   object, no live block */
static void fail_each(const dae_problem *p, const char *method, const char *form, long takes) {
  for (long k = 2; k < 2 * takes + 2; k++) {
    long n = k / 2;
    fault_alloc a = {.fail_at = n, .once = k % 2};
    dae_solver *s = NULL;
    dae_status status = make(&s, p, method, form, &a);
    CHECK(status == DAE_E_MEMORY && !s && a.live == 0);
    if (status != DAE_E_MEMORY || s || a.live != 0) {
      printf("  %s, %s, %s: take %ld of %ld fails, status %s, %ld blocks live\n", p->name, method,
             form, n, takes, dae_status_name(status), a.live);
      dae_solver_free(s);
      return;
    }
  }
}

/* start, steps, dense output and projection take nothing; free gives all back */
static void run_takes_nothing(const dae_problem *p, const char *method, const char *form,
                              fault_alloc *a, dae_solver *s) {
  long takes = a->takes;
  double z[64];
  CHECK(dae_problem_nz(p) <= 64);
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  for (int i = 0; i < 5 && status == DAE_OK; i++) status = dae_solver_step(s, p->t1);
  if (status == DAE_OK) {
    double t = (dae_solver_previous_time(s) + dae_solver_time(s)) / 2;
    status = dae_solver_eval(s, t, z, NULL);
    if (status == DAE_OK) dae_solver_project(s, t, z, NULL);
  }
  CHECK(a->takes == takes);
  if (a->takes != takes)
    printf("  %s, %s, %s: %ld takes after new\n", p->name, method, form, a->takes - takes);
  dae_solver_free(s);
  CHECK(a->live == 0);
}

/* 1 when the combination exists */
static int combination(const dae_problem *p, const char *method, const char *form) {
  fault_alloc a = {0};
  dae_solver *s = NULL;
  dae_status status = make(&s, p, method, form, &a);
  CHECK(status == DAE_OK || status == DAE_E_FORM);
  if (status != DAE_OK) {
    CHECK(!s && a.live == 0);
    return 0;
  }
  run_takes_nothing(p, method, form, &a, s);
  fail_each(p, method, form, a.takes);
  return 1;
}

static void every_method_and_form(void) {
  int n = (int)(sizeof problems / sizeof *problems);
  for (int k = 0; k < n; k++) {
    dae_problem *p = NULL;
    char message[DAE_TEXT_MAX];
    CHECK(gallery_open(&p, problems[k], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    if (!p) continue;
    int made = 0;
    for (int i = 0; dae_method_at(i); i++) made += combination(p, dae_method_at(i)->name, "auto");
    for (int i = 0; dae_form_at(i); i++) made += combination(p, "auto", dae_form_at(i)->name);
    printf("%s: %d combinations\n", problems[k], made);
    CHECK(made > 10);
    gallery_close(problems[k], p);
  }
}

/* a stiff problem that holds neither initial values nor interval: what is chosen for them is built
   in the first step, each take of it may fail, and the solver can be used afterwards */
static void choice_in_the_first_step(void) {
  const char *const nu[] = {"nu"};
  const double value[] = {1000};
  dae_problem *p = NULL;
  char message[DAE_TEXT_MAX];
  CHECK(gallery_open(&p, "linear-index3", 1, nu, value, message, sizeof message) == DAE_OK);
  if (!p) return;
  dae_problem bare = *p;
  bare.z0 = NULL;
  bare.t0 = bare.t1 = 0;
  dae_options o = dae_options_default();
  for (long n = 0, takes = 1; n < 2 * takes; n++) {
    fault_alloc a = {0};
    double z[8];
    dae_solver *s = NULL;
    o.allocator = fault_allocator(&a);
    memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
    CHECK(dae_solver_new(&s, &bare, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, p->t0, z, NULL) == DAE_OK);
    const double *point = dae_solver_z(s);
    long before = a.takes;
    if (n > 0) a.fail_at = before + (n + 1) / 2, a.once = n % 2;
    dae_status status = dae_solver_step(s, p->t1);
    CHECK(status == (n == 0 ? DAE_OK : DAE_E_MEMORY));
    if (n == 0) takes = a.takes - before;
    a.fail_at = 0;
    CHECK(dae_solver_advance(s, p->t1) == DAE_OK);
    CHECK(dae_solver_z(s) == point);
    CHECK(dae_method_find(dae_solver_method(s))->implicit);
    dae_solver_free(s);
    CHECK(a.live == 0);
    CHECK(takes > 10);
  }
  gallery_close("linear-index3", p);
}

int main(void) {
  RUN(every_method_and_form);
  RUN(choice_in_the_first_step);
  return TEST_END();
}
