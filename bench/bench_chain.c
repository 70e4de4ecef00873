/* pendulum-chain from 100 to 100,000 links: ns for each step and link, a few fixed steps */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "gallery.h"

enum { STEPS = 4 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* best of several rounds of a few steps; NaN when a step fails */
static double step_time(const dae_problem *p, const char *method, int n) {
  dae_options o = dae_options_default();
  dae_solver *s;
  double best = NAN;
  o.method = method;
  /* explicit steps must follow the waves along the chain, whose speed grows with n */
  o.step = 0.02 / n;
  if (dae_solver_new(&s, p, &o, NULL) != DAE_OK) return NAN;
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  int rounds = n >= 100000 ? 3 : n >= 10000 ? 5 : 12;
  /* the first step makes the symbolic factorization */
  if (status == DAE_OK) status = dae_solver_step(s, p->t1);
  for (int round = 0; status == DAE_OK && round < rounds; round++) {
    double begin = now();
    for (int k = 0; status == DAE_OK && k < STEPS; k++) status = dae_solver_step(s, p->t1);
    best = fmin(best, (now() - begin) / STEPS);
  }
  dae_solver_free(s);
  return status == DAE_OK ? best : NAN;
}

int main(void) {
  static const char *const methods[] = {"dopri5", "radau3"};
  printf("ns for each step and link\n| n | dopri5 | radau3 |\n|---|---|---|\n");
  for (int n = 100; n <= 100000; n *= 10) {
    char message[256];
    dae_problem *p;
    const char *name = "n";
    double value = n;
    if (gallery_open(&p, "pendulum-chain", 1, &name, &value, message, sizeof message) != DAE_OK)
      return 1;
    printf("| %d |", n);
    for (int k = 0; k < 2; k++) printf(" %.0f |", step_time(p, methods[k], n) / n);
    printf("\n");
    fflush(stdout);
    gallery_close("pendulum-chain", p);
  }
  return 0;
}
