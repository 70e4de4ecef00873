/* models as text: solving against the C twin with hand-written derivatives, and how analysis grows with size */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* seconds of one solve with fixed steps; explicit and implicit methods use different derivatives */
static double solve(const dae_problem *p, const char *method, double share) {
  dae_options o = dae_options_default();
  double *z = malloc((size_t)dae_problem_nz(p) * sizeof *z),
         *y = calloc((size_t)dae_problem_ny(p) + 1, sizeof *y);
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  if (p->y0) memcpy(y, p->y0, (size_t)dae_problem_ny(p) * sizeof *y);
  o.method = method;
  o.step = share * (p->t1 - p->t0) / 400;
  double begun = now();
  dae_status status = dae_solve(p, &o, p->t0, p->t0 + share * (p->t1 - p->t0), z, y, NULL, NULL);
  double seconds = now() - begun;
  free(z);
  free(y);
  return status == DAE_OK ? seconds : 1e30;
}

/* best of many solves, text and twin in turns */
static void compare(const char *name, const char *method, double share) {
  char path[300], message[300];
  dae_model *m;
  dae_problem *twin;
  snprintf(path, sizeof path, "gallery/%s.mo", name);
  if (dae_model_read_file(&m, path, NULL) != DAE_OK || dae_model_build(m) != DAE_OK ||
      gallery_open(&twin, name, 0, NULL, NULL, message, sizeof message) != DAE_OK) {
    printf("%-24s cannot be opened (run in the source folder)\n", name);
    return;
  }
  double text = 1e30, c = 1e30;
  for (int k = 0; k < 15; k++) {
    double a = solve(dae_model_problem(m), method, share), b = solve(twin, method, share);
    if (a < text) text = a;
    if (b < c) c = b;
  }
  printf("%-24s %-8s %10.3f %10.3f %8.2f%s\n", name, method, 1e3 * text, 1e3 * c, text / c,
         dae_model_compiled(m) ? "" : "  (interpreted)");
  gallery_close(name, twin);
  dae_model_free(m);
}

/* reading, flattening and analysing a chain of n masses, without the C compiler */
static void grow(int n) {
  dae_model *m;
  dae_model_options o = {.compiler = ""};
  double begun = now();
  dae_status status = dae_model_read_file(&m, "gallery/pendulum-chain.mo", &o);
  if (status == DAE_OK) status = dae_model_set(m, "n", n);
  if (status == DAE_OK) status = dae_model_build(m);
  double seconds = now() - begun;
  printf("%10d %10.3f %14.2f\n", n, seconds, 1e6 * seconds / n);
  dae_model_free(m);
}

int main(void) {
  static const char *const names[] = {"pendulum",         "slider-crank",      "andrews",
                                      "car-axis",         "two-link-robot",    "pendulum-chain",
                                      "linear-index3",    "charged-particles", "limit-cycle-sphere",
                                      "phase-lock-torus", "heavy-top"};
  printf("%-24s %-8s %10s %10s %8s\n", "400 fixed steps", "method", "text ms", "C ms", "ratio");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    compare(names[k], "rk4", 0.05);
    compare(names[k], "radau2", 0.05);
  }
  printf("\n%10s %10s %14s\n", "chain n", "seconds", "us per mass");
  for (int n = 100; n <= 30000; n = n * 3 + n / 3) grow(n);
  return 0;
}
