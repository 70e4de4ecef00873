/* boundary value problems: time and memory per element, from a hundred elements to a hundred thousand */
#include <stdio.h>
#include <time.h>

#include "gallery.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* best of several solves on n equal intervals, in seconds for one linearization */
static double solve(const dae_problem *p, int n, double *bytes) {
  int runs = n < 10000 ? 100000 / (n + 1000) : 3;
  double best = 1e30;
  for (int i = 0; i < runs; i++) {
    dae_options o = dae_options_default();
    dae_solution *s;
    o.method = "colloc-gauss4";
    o.mesh = n;
    o.fixed_mesh = 1;
    double begun = now();
    if (dae_bvp_solve(p, &o, NULL, &s, NULL) != DAE_OK) return -1;
    double seconds = (now() - begun) / (double)dae_solution_stats(s)->factorizations;
    *bytes = (double)dae_solution_stats(s)->bytes;
    dae_solution_free(s);
    if (seconds < best) best = seconds;
  }
  return best;
}

int main(void) {
  static const char *const names[] = {"bvp-linear-index2", "bvp-linear-index3", "bvp-pendulum",
                                      "bvp-control"};
  printf("colloc-gauss4, one linearization: microseconds and bytes per element\n");
  printf("%-20s", "elements");
  for (int n = 100; n <= 100000; n *= 10) printf(" %14d", n);
  printf("   largest/smallest time\n");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char message[256];
    dae_problem *p;
    if (gallery_open(&p, names[i], 0, NULL, NULL, message, sizeof message) != DAE_OK) return 1;
    double low = 1e30, high = 0;
    printf("%-20s", names[i]);
    for (int n = 100; n <= 100000; n *= 10) {
      double bytes = 0, each = solve(p, n, &bytes) / n * 1e6;
      if (each < low) low = each;
      if (each > high) high = each;
      printf(" %6.2f us %4.0f", each, bytes / n);
      fflush(stdout);
    }
    printf("   %.2f\n", high / low);
    gallery_close(names[i], p);
  }
  return 0;
}
