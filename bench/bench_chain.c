/* long chains and nets: ns for each step and body, and what a rod that is stated twice costs */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gallery.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static dae_problem *open_problem(const char *problem, int count, const char *const *name,
                                 const double *value) {
  char message[256];
  dae_problem *p = NULL;
  if (gallery_open(&p, problem, count, name, value, message, sizeof message) != DAE_OK)
    fprintf(stderr, "%s\n", message);
  return p;
}

/* what steps cost and take */
typedef struct cost {
  double step;                        /* ns, the least of the rounds */
  double evaluations, factorizations; /* of each step */
} cost;

/* rounds of a few steps each, after the first ones: they make symbolic factorizations and find the
   step size */
static cost measure(const dae_problem *p, const dae_options *o, int rounds, int steps) {
  cost c = {NAN, NAN, NAN};
  dae_solver *s;
  if (dae_solver_new(&s, p, o, NULL) != DAE_OK) return c;
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  for (int k = 0; status == DAE_OK && k < steps; k++) status = dae_solver_step(s, p->t1);
  dae_stats first = *dae_solver_stats(s);
  for (int round = 0; status == DAE_OK && round < rounds; round++) {
    double begin = now();
    for (int k = 0; status == DAE_OK && k < steps; k++) status = dae_solver_step(s, p->t1);
    c.step = fmin(c.step, (now() - begin) / steps);
  }
  const dae_stats *last = dae_solver_stats(s);
  double taken = (double)(last->steps - first.steps);
  c.evaluations = (double)(last->evaluations - first.evaluations) / taken;
  c.factorizations = (double)(last->factorizations - first.factorizations) / taken;
  dae_solver_free(s);
  return status == DAE_OK ? c : (cost){NAN, NAN, NAN};
}

static dae_options fixed(const char *method, double h) {
  dae_options o = dae_options_default();
  o.method = method;
  o.step = h;
  return o;
}

static double megabytes(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_maxrss / 1024;
}

/* explicit steps must follow the waves along the chain, whose speed grows with n; implicit ones
   follow the tolerance */
static void chains(void) {
  printf("pendulum-chain, ns for each step and link\n"
         "| n | dopri5 | radau3 | its evaluations a step | its factorizations | MB so far |\n"
         "|---|---|---|---|---|---|\n");
  for (int n = 100; n <= 100000; n *= 10) {
    const char *name = "n";
    double value = n;
    dae_problem *p = open_problem("pendulum-chain", 1, &name, &value);
    if (!p) return;
    int rounds = n >= 100000 ? 4 : n >= 10000 ? 6 : 20;
    dae_options a = fixed("dopri5", 0.02 / n), b = fixed("radau3", 0);
    cost explicit_steps = measure(p, &a, rounds, 4), implicit = measure(p, &b, rounds, 5);
    printf("| %d | %.0f | %.0f | %.1f | %.1f | %.0f |\n", n, explicit_steps.step / n,
           implicit.step / n, implicit.evaluations, implicit.factorizations, megabytes());
    fflush(stdout);
    gallery_close("pendulum-chain", p);
  }
}

/* nets of 30 columns grow downwards: memory and time in proportion; square ones show what width
   costs */
static void nets(void) {
  static const double size[][2] = {{30, 30}, {30, 300}, {30, 3000}, {100, 100}};
  printf("\nrod-net, ns for each step and body of dopri5\n| columns x rows | bodies | ns | MB so "
         "far |\n|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    const char *const names[] = {"nx", "ny"};
    dae_problem *p = open_problem("rod-net", 2, names, size[i]);
    if (!p) return;
    double bodies = size[i][0] * size[i][1];
    dae_options o = fixed("dopri5", 0.02 / size[i][1]);
    cost c = measure(p, &o, 2, 1);
    printf("| %.0f x %.0f | %.0f | %.0f | %.0f |\n", size[i][0], size[i][1], bodies,
           c.step / bodies, megabytes());
    fflush(stdout);
    gallery_close("rod-net", p);
  }
}

/* the same ring with and without a rod that is stated twice, taking turns */
static void rings(void) {
  static const char *const methods[] = {"dop853", "radau3"};
  printf("\nring-redundant: time of a step with a rod stated twice, relative to that without\n"
         "| n | dop853 | radau3 |\n|---|---|---|\n");
  for (int n = 10; n <= 1000; n *= 10) {
    printf("| %d |", n);
    for (int m = 0; m < 2; m++) {
      double best[2] = {NAN, NAN};
      for (int round = 0; round < 6; round++)
        for (int twice = 0; twice < 2; twice++) {
          const char *const names[] = {"n", "duplicate"};
          const double values[] = {n, twice};
          dae_problem *p = open_problem("ring-redundant", 2, names, values);
          if (!p) return;
          dae_options o = fixed(methods[m], 0);
          best[twice] = fmin(best[twice], measure(p, &o, 1, 20).step);
          gallery_close("ring-redundant", p);
        }
      printf(" %.2f |", best[1] / best[0]);
    }
    printf("\n");
    fflush(stdout);
  }
}

int main(void) {
  chains();
  nets();
  rings();
  return 0;
}
