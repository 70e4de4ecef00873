/* boundary value problems: time and memory per element, from a hundred elements to a hundred
   thousand */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gallery.h"

enum { SMALLEST = 100, LARGEST = 100000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* memory that is used again from solve to solve: malloc keeps small blocks and returns large ones
   to the system, whose pages cost more at their first touch than the work done in them */
typedef struct arena {
  char *bytes;
  size_t used, size;
} arena;

static void *arena_take(size_t bytes, void *ctx) {
  arena *a = ctx;
  size_t rounded = (bytes + 63) / 64 * 64;
  if (rounded > a->size - a->used) return NULL;
  a->used += rounded;
  return a->bytes + a->used - rounded;
}

static void arena_give(void *block, void *ctx) { (void)block, (void)ctx; }

/* best of several solves on n equal intervals, in seconds for one linearization */
static double solve(const dae_problem *p, int n, arena *a, double *bytes) {
  int runs = n < 10000 ? 200000 / (n + 1000) : 5;
  double best = 1e30;
  for (int i = 0; i < runs; i++) {
    dae_options o = dae_options_default();
    dae_solution *s;
    o.method = "colloc-gauss4";
    o.mesh = n;
    o.fixed_mesh = 1;
    if (a) {
      a->used = 0;
      o.allocator = (dae_allocator){arena_take, arena_give, a};
    }
    double begun = now();
    if (dae_bvp_solve(p, &o, NULL, &s, NULL) != DAE_OK) return -1;
    double seconds = (now() - begun) / (double)dae_solution_stats(s)->factorizations;
    *bytes = (double)dae_solution_stats(s)->bytes;
    dae_solution_free(s);
    if (seconds < best) best = seconds;
  }
  return best;
}

static void row(const char *name, const char *memory, const dae_problem *p, arena *a) {
  double low = 1e30, high = 0;
  printf("%-18s %-7s", name, memory);
  for (int n = SMALLEST; n <= LARGEST; n *= 10) {
    double bytes = 0, each = solve(p, n, a, &bytes) / n * 1e6;
    if (each < low) low = each;
    if (each > high) high = each;
    printf(" %6.2f us %4.0f", each, bytes / n);
    fflush(stdout);
  }
  printf("   %.2f\n", high / low);
}

int main(void) {
  static const char *const names[] = {"bvp-linear-index2", "bvp-linear-index3", "bvp-pendulum",
                                      "bvp-control"};
  arena a = {.size = (size_t)LARGEST * 10000};
  a.bytes = malloc(a.size);
  if (!a.bytes) return 1;
  printf(
      "colloc-gauss4, one linearization: microseconds and bytes per element, in memory that was\n"
      "used before or that comes fresh from the system\n");
  printf("%-18s %-7s", "elements", "memory");
  for (int n = SMALLEST; n <= LARGEST; n *= 10) printf(" %14d", n);
  printf("   largest/smallest time\n");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char message[256];
    dae_problem *p;
    if (gallery_open(&p, names[i], 0, NULL, NULL, message, sizeof message) != DAE_OK) return 1;
    row(names[i], "reused", p, &a);
    row("", "fresh", p, NULL);
    gallery_close(names[i], p);
  }
  free(a.bytes);
  return 0;
}
