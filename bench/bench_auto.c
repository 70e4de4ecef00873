/*
 * how far is "auto" from the best of our own methods: every initial value problem of the gallery
 * and variations of it, tolerances 1e-3 .. 1e-11, processor time. First word: only problems whose
 * name begins so.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"

enum { TOLERANCES = 9, METHODS_MAX = 12, SETS_MAX = 2 };

/* variations: half of the cells had no part in the choice of any constant (`checks`) */
typedef struct variation {
  const char *problem;
  int n;
  const char *name[SETS_MAX];
  double value[SETS_MAX];
  double stop; /* 0: the problem's */
} variation;

static const variation variations[] = {
    {"pendulum-chain", 1, {"n"}, {30}, 0},     {"pendulum-chain", 1, {"n"}, {100}, 0},
    {"pendulum-chain", 1, {"n"}, {1000}, 0.2}, {"linear-index3", 1, {"nu"}, {1000}, 0},
    {"linear-index2", 1, {"nu"}, {300}, 0},    {"rotating-index2", 1, {"nu"}, {50}, 0},
    {"cubic-invariant", 1, {"nu"}, {100}, 0},  {"kepler", 1, {"c"}, {0.3}, 0},
};

/* the first one is judged by the others */
static const char *const methods[] = {"auto",   "dopri5", "dop853", "wave4", "radau2", "radau3",
                                      "radau4", "radau5", "gauss3", "bdf",   "sdirk2", NULL};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct run {
  double seconds, error;
  bool ok;
  long steps, switches;
} run;

/* largest error relative to 1 and to the largest entry, as the tolerances are */
static double distance(int n, const double *a, const double *b) {
  double worst = 0, size = 1;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(b[i]));
    if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]);
  }
  return worst / size;
}

static run once(const dae_problem *p, const char *method, double tol, double stop, long most,
                double *z, double *y) {
  dae_options o = dae_options_default();
  dae_stats s;
  o.method = method;
  o.rtol = o.atol = tol;
  o.max_steps = most;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  memset(y, 0, (size_t)(dae_problem_ny(p) + 1) * sizeof *y);
  double begin = now();
  dae_status status = dae_solve(p, &o, p->t0, stop, z, y, NULL, &s);
  return (run){now() - begin, NAN, status == DAE_OK, s.steps, s.switches};
}

/* what is known at the end; else a run with the tightest tolerance of another kind of method */
static bool reference(const dae_problem *p, double stop, double *z, double *y) {
  if (p->exact) return p->exact(stop, z, y, p->ctx) == 0;
  for (int i = 0; i < p->n_ref; i++)
    if (p->ref[i].t == stop) {
      memcpy(z, p->ref[i].z, (size_t)dae_problem_nz(p) * sizeof *z);
      return true;
    }
  return once(p, "dop853", 1e-13, stop, 2000000, z, y).ok;
}

/* ratios of all cells, to be sorted */
static double ratio[4096];
static int cells;

/* `late` counts how often a method took more than four times the best: three times are enough */
static void cell(const dae_problem *p, double tol, double stop, const double *z_ref, double *z,
                 double *y, int *late) {
  run best = {.seconds = INFINITY}, r[METHODS_MAX];
  int which = -1;
  for (int k = 0; methods[k]; k++) {
    r[k] = (run){.seconds = INFINITY};
    if (late[k] >= 3) continue;
    /* an order is enough for a verdict */
    r[k] = once(p, methods[k], tol, stop, k == 0 ? 10000000 : 20 * r[0].steps + 2000, z, y);
    if (r[k].ok) r[k].error = distance(dae_problem_nz(p), z, z_ref);
    for (int again = 0; r[k].ok && again < 20 && again * r[k].seconds < 0.01; again++)
      r[k].seconds = fmin(r[k].seconds, once(p, methods[k], tol, stop, 10000000, z, y).seconds);
    if (k == 0 || !r[k].ok || !(r[k].error <= fmax(10 * tol, 2 * r[0].error))) continue;
    if (r[k].seconds < best.seconds) best = r[k], which = k;
  }
  for (int k = 1; methods[k]; k++)
    late[k] += !(r[k].seconds < 4 * fmin(best.seconds, r[0].seconds));
  double quotient = which < 0 ? NAN : r[0].seconds / best.seconds;
  printf("  %.0e %9.3f ms %6ld steps %2ld changes, error %.0e; best %-7s %9.3f ms%s %.2f\n", tol,
         1e3 * r[0].seconds, r[0].steps, r[0].switches, r[0].error,
         which < 0 ? "none" : methods[which], 1e3 * best.seconds, r[0].ok ? "" : ", AUTO STOPPED",
         quotient);
  fflush(stdout);
  if (which >= 0 && cells < 4096) ratio[cells++] = r[0].ok ? quotient : INFINITY;
}

static void problem(const char *name, const variation *v) {
  char message[256];
  dae_problem *p;
  if (gallery_open(&p, name, v ? v->n : 0, v ? v->name : NULL, v ? v->value : NULL, message,
                   sizeof message) != DAE_OK) {
    fprintf(stderr, "%s\n", message);
    return;
  }
  double stop = v && v->stop > 0 ? v->stop : p->t1;
  size_t nz = (size_t)dae_problem_nz(p), ny = (size_t)dae_problem_ny(p);
  double *z = calloc(2 * nz + 2 * ny + 2, sizeof *z), *z_ref = z + nz, *y = z_ref + nz;
  printf("%s", name);
  for (int i = 0; v && i < v->n; i++) printf(" %s=%g", v->name[i], v->value[i]);
  printf("\n");
  if (!p->boundary && z && reference(p, stop, z_ref, y + ny + 1))
    for (int i = 0, late[METHODS_MAX] = {0}; i < TOLERANCES; i++)
      cell(p, pow(10, -3 - i), stop, z_ref, z, y, late);
  free(z);
  gallery_close(name, p);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const char *first = argc > 1 ? argv[1] : "";
  const gallery_entry *e;
  for (int i = 0; (e = gallery_at(i)); i++)
    if (!strncmp(e->name, first, strlen(first)) && strncmp(e->name, "bvp-", 4))
      problem(e->name, NULL);
  for (size_t i = 0; i < sizeof variations / sizeof *variations; i++)
    if (!strncmp(variations[i].problem, first, strlen(first)))
      problem(variations[i].problem, &variations[i]);
  qsort(ratio, (size_t)cells, sizeof *ratio, ascending);
  int near = 0, far = 0;
  for (int i = 0; i < cells; i++) near += ratio[i] <= 1.5, far += ratio[i] > 3;
  printf("\n%d cells: within 1.5 of the best %.1f %%, above 3: %d, median %.2f, worst %.2f\n",
         cells, 100.0 * near / (cells ? cells : 1), far, cells ? ratio[cells / 2] : NAN,
         cells ? ratio[cells - 1] : NAN);
  return 0;
}
