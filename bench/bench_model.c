/* models as text: solving against the C twin with hand-written derivatives, and how analysis grows
   with size */
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
  if (text < 1e30 && c < 1e30)
    printf("%-24s %-8s %10.3f %10.3f %8.2f%s\n", name, method, 1e3 * text, 1e3 * c, text / c,
           dae_model_compiled(m) ? "" : "  (interpreted)");
  else printf("%-24s %-8s the step is too large for it\n", name, method);
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

/* the same with the C compiler, whose time is its own: the clock on the wall */
static void grow_compiled(int n) {
  dae_model *m;
  dae_model_options o = {.cache = ""};
  struct timespec begun, ended;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  dae_status status = dae_model_read_file(&m, "gallery/pendulum-chain.mo", &o);
  if (status == DAE_OK) status = dae_model_set(m, "n", n);
  if (status == DAE_OK) status = dae_model_build(m);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  printf("%10d %10.3f   %s\n", n,
         (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec),
         status == DAE_OK && dae_model_compiled(m) ? "analysed and compiled" : "not compiled");
  dae_model_free(m);
}

int main(void) {
  static const struct {
    const char *name;
    double
        share; /* of the interval: before singular positions, and as far as 400 steps resolve it */
  } problems[] = {{"pendulum", 0.05},
                  {"slider-crank", 0.05},
                  {"andrews", 0.05},
                  {"car-axis", 0.05},
                  {"two-link-robot", 0.05},
                  {"pendulum-chain", 0.05},
                  {"linear-index2", 0.5},
                  {"linear-index3", 0.05},
                  {"rotating-index3", 0.05},
                  {"linear-order3", 0.5},
                  {"charged-particles", 0.05},
                  {"limit-cycle-sphere", 0.05},
                  {"phase-lock-torus", 0.05},
                  {"heavy-top", 0.05},
                  {"driven-arm", 0.5},
                  {"driven-sphere", 0.5},
                  {"stiff-loop", 0.001},
                  {"ring-redundant", 0.3},
                  {"rod-net", 0.5},
                  {"strandbeest", 0.1},
                  {"four-bar", 0.1},
                  {"kepler", 0.1}};
  printf("%-24s %-8s %10s %10s %8s\n", "400 fixed steps", "method", "text ms", "C ms", "ratio");
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    compare(problems[k].name, "rk4", problems[k].share);
    compare(problems[k].name, "radau2", problems[k].share);
  }
  printf("\n%10s %10s %14s\n", "chain n", "seconds", "us per mass");
  for (int n = 100; n <= 30000; n = n * 3 + n / 3) grow(n);
  grow_compiled(200);
  grow_compiled(1000);
  return 0;
}
