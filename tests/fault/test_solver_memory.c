/* every method and form: all memory is taken in dae_solver_new, each take may fail, nothing is
   lost */
#include "gallery.h"

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

int main(void) {
  RUN(every_method_and_form);
  return TEST_END();
}
