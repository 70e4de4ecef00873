/*
 * how far is "auto" from the best of our own methods: every initial value problem of the gallery
 * and variations of it, tolerances 1e-3 .. 1e-11, processor time. First word: only problems whose
 * name begins so, and only of the fitting half: the other one is not for looking at. "checking":
 * that half alone, once constants are chosen.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"

enum { TOLERANCES = 9, METHODS_MAX = 12, SETS_MAX = 2 };

/* the gallery as it is and the first variations were looked at when constants were chosen, the
   second ones never */
typedef struct variation {
  const char *problem;
  int n;
  const char *name[SETS_MAX];
  double value[SETS_MAX];
  double stop; /* 0: the problem's */
} variation;

static const variation fitting[] = {
    {"pendulum-chain", 1, {"n"}, {30}, 0},
    {"pendulum-chain", 1, {"n"}, {100}, 0},
    {"pendulum-chain", 1, {"n"}, {1000}, 0.2},
    {"linear-index3", 1, {"nu"}, {1000}, 0},
    {"linear-index2", 1, {"nu"}, {300}, 0},
    {"rotating-index2", 1, {"nu"}, {50}, 0},
    {"cubic-invariant", 1, {"nu"}, {100}, 0},
    {"kepler", 1, {"c"}, {0.3}, 0},
    {"rotating-index3", 1, {"nu"}, {30}, 0},
    {"rotating-index3", 1, {"nu"}, {57}, 0},
    {"rotating-index3", 1, {"nu"}, {4}, 0},
    {"rotating-index2", 1, {"nu"}, {170}, 0},
    {"linear-index2", 1, {"nu"}, {40}, 0},
    {"linear-index2", 1, {"nu"}, {2500}, 0},
    {"linear-index3", 1, {"nu"}, {80}, 0},
    {"linear-index3", 1, {"nu"}, {350}, 0},
    {"linear-order3", 1, {"nu"}, {60}, 0},
    {"cubic-invariant", 1, {"nu"}, {700}, 0},
    {"stiff-loop", 2, {"k", "c"}, {1e6, 100}, 0},
    {"stiff-loop", 2, {"k", "c"}, {1e4, 0}, 0},
    {"pendulum-chain", 1, {"n"}, {17}, 0},
    {"pendulum-chain", 1, {"n"}, {60}, 0.4},
    {"pendulum-chain", 1, {"n"}, {250}, 0.3},
    {"rod-net", 2, {"nx", "ny"}, {7, 9}, 0.3},
    {"rod-net", 2, {"nx", "ny"}, {3, 30}, 0.3},
    {"ring-redundant", 2, {"n", "duplicate"}, {14, 1}, 0.3},
    {"charged-particles", 1, {"n"}, {9}, 3},
    {"slider-crank", 0, {NULL}, {0}, 3},
    {"andrews", 0, {NULL}, {0}, 0.011},
    {"car-axis", 0, {NULL}, {0}, 0.7},
    {"strandbeest", 0, {NULL}, {0}, 1.1},
    {"kepler", 1, {"c"}, {0.8}, 0},
    {"heavy-top", 0, {NULL}, {0}, 0.4},
    {"linear-index2", 1, {"nu"}, {130}, 0},
    {"linear-index3", 1, {"nu"}, {150}, 0},
    {"linear-index3", 1, {"nu"}, {600}, 0},
    {"linear-order3", 1, {"nu"}, {25}, 0},
    {"linear-order3", 1, {"nu"}, {200}, 0},
    {"rotating-index2", 1, {"nu"}, {90}, 0},
    {"rotating-index3", 1, {"nu"}, {19}, 0},
    {"rotating-index3", 1, {"nu"}, {76}, 0},
    {"cubic-invariant", 1, {"nu"}, {300}, 0},
    {"stiff-loop", 2, {"k", "c"}, {3e5, 30}, 0},
    {"stiff-loop", 2, {"k", "c"}, {3e4, 3}, 0},
    {"flexible-crank", 1, {"E"}, {2e10}, 0},
    {"flexible-crank", 1, {"shaken"}, {1}, 0},
    {"flexible-crank", 2, {"omega", "damping"}, {60, 1}, 0},
    {"pendulum-chain", 1, {"n"}, {12}, 0.8},
    {"pendulum-chain", 1, {"n"}, {45}, 0.5},
    {"pendulum-chain", 1, {"n"}, {150}, 0.25},
    {"rod-net", 2, {"nx", "ny"}, {5, 14}, 0.4},
    {"rod-net", 2, {"nx", "ny"}, {4, 50}, 0.2},
    {"ring-redundant", 2, {"n", "duplicate"}, {25, 0}, 0.5},
    {"charged-particles", 1, {"n"}, {14}, 2},
    {"kepler", 1, {"c"}, {0.55}, 0},
    {"andrews", 0, {NULL}, {0}, 0.02},
    {"car-axis", 1, {"eps"}, {0.03}, 0},
    {"slider-crank", 1, {"J1"}, {3}, 7},
    {"strandbeest", 0, {NULL}, {0}, 2.3},
};
static const variation checking[] = {
    {"linear-index2", 1, {"nu"}, {75}, 0},
    {"linear-index2", 1, {"nu"}, {900}, 0},
    {"linear-index3", 1, {"nu"}, {220}, 0},
    {"linear-index3", 1, {"nu"}, {450}, 0},
    {"linear-order3", 1, {"nu"}, {40}, 0},
    {"linear-order3", 1, {"nu"}, {120}, 0},
    {"rotating-index2", 1, {"nu"}, {30}, 0},
    {"rotating-index2", 1, {"nu"}, {120}, 0},
    {"rotating-index3", 1, {"nu"}, {10}, 0},
    {"rotating-index3", 1, {"nu"}, {42}, 0},
    {"cubic-invariant", 1, {"nu"}, {30}, 0},
    {"cubic-invariant", 1, {"nu"}, {2000}, 0},
    {"stiff-loop", 2, {"k", "c"}, {2e5, 5}, 0},
    {"stiff-loop", 2, {"k", "c"}, {5e4, 20}, 0},
    {"flexible-crank", 1, {"E"}, {5e10}, 0},
    {"flexible-crank", 2, {"omega", "damping"}, {90, 3}, 0},
    {"pendulum-chain", 1, {"n"}, {8}, 0.9},
    {"pendulum-chain", 1, {"n"}, {75}, 0.35},
    {"pendulum-chain", 1, {"n"}, {220}, 0.2},
    {"rod-net", 2, {"nx", "ny"}, {6, 8}, 0.35},
    {"rod-net", 2, {"nx", "ny"}, {3, 20}, 0.4},
    {"ring-redundant", 2, {"n", "duplicate"}, {18, 1}, 0.4},
    {"charged-particles", 1, {"n"}, {7}, 2.5},
    {"kepler", 1, {"c"}, {0.7}, 0},
    {"andrews", 0, {NULL}, {0}, 0.016},
    {"car-axis", 1, {"eps"}, {0.02}, 0},
    {"slider-crank", 1, {"J1"}, {2}, 5},
    {"strandbeest", 0, {NULL}, {0}, 1.7},
    {"heavy-top", 0, {NULL}, {0}, 0.9},
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

/* ratios of all cells of a half, to be sorted */
enum { CELLS_MAX = 4096 };
typedef struct half {
  const char *name;
  char label[128]; /* of the problem at hand */
  double ratio[CELLS_MAX];
  int cells;
} half;
static FILE *csv; /* every run: problem, tolerance, method, seconds, error, steps */
static half seen = {.name = "fitting half"}, unseen = {.name = "checking half"};

/* rounds in which the methods take turns, and the seconds that they may take in all */
enum { ROUNDS_MAX = 20 };
static const double SECONDS = 0.1;

/* The best of several rounds: load on the machine meets all methods alike. Methods that are far
   from the best are left out of further rounds */
static void rounds(const dae_problem *p, double tol, double stop, double *z, double *y, run *r) {
  double best = INFINITY, spent = 0;
  for (int k = 0; methods[k]; k++) best = r[k].ok ? fmin(best, r[k].seconds) : best;
  for (int round = 0; round < ROUNDS_MAX && spent < SECONDS; round++)
    for (int k = 0; methods[k]; k++) {
      if (!r[k].ok || (k > 0 && r[k].seconds > (round < 2 ? 20 : 3) * best)) continue;
      double seconds = once(p, methods[k], tol, stop, 10000000, z, y).seconds;
      r[k].seconds = fmin(r[k].seconds, seconds);
      best = fmin(best, seconds);
      spent += seconds;
    }
}

/* `late` counts how often a method took more than four times the best: three times are enough */
static void cell(const dae_problem *p, double tol, double stop, const double *z_ref, double *z,
                 double *y, int *late, half *to) {
  run best = {.seconds = INFINITY}, r[METHODS_MAX];
  int which = -1;
  for (int k = 0; methods[k]; k++) {
    r[k] = (run){.seconds = INFINITY};
    if (late[k] >= 3) continue;
    /* an order is enough for a verdict */
    r[k] = once(p, methods[k], tol, stop, k == 0 ? 10000000 : 20 * r[0].steps + 2000, z, y);
    if (r[k].ok) r[k].error = distance(dae_problem_nz(p), z, z_ref);
  }
  rounds(p, tol, stop, z, y, r);
  for (int k = 1; methods[k]; k++) {
    if (!r[k].ok || !(r[k].error <= fmax(10 * tol, 2 * r[0].error))) continue;
    if (r[k].seconds < best.seconds) best = r[k], which = k;
  }
  for (int k = 0; csv && methods[k]; k++)
    if (r[k].ok)
      fprintf(csv, "%s,%g,%s,%.4g,%.3g,%ld\n", to->label, tol, methods[k], r[k].seconds, r[k].error,
              r[k].steps);
  for (int k = 1; methods[k]; k++)
    late[k] += !(r[k].seconds < 4 * fmin(best.seconds, r[0].seconds));
  double quotient = which < 0 ? NAN : r[0].seconds / best.seconds;
  printf("  %.0e %9.3f ms %6ld steps %2ld changes, error %.0e; best %-7s %9.3f ms%s %.2f\n", tol,
         1e3 * r[0].seconds, r[0].steps, r[0].switches, r[0].error,
         which < 0 ? "none" : methods[which], 1e3 * best.seconds, r[0].ok ? "" : ", AUTO STOPPED",
         quotient);
  fflush(stdout);
  if (which >= 0 && to->cells < CELLS_MAX) to->ratio[to->cells++] = r[0].ok ? quotient : INFINITY;
}

static void problem(const char *name, const variation *v, half *to) {
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
  size_t room = sizeof to->label, used = (size_t)snprintf(to->label, room, "%s", name);
  for (int i = 0; v && i < v->n && used < room; i++)
    used += (size_t)snprintf(to->label + used, room - used, " %s=%g", v->name[i], v->value[i]);
  if (v && v->stop > 0 && used < room) snprintf(to->label + used, room - used, " to t = %g", stop);
  printf("%s\n", to->label);
  if (!p->boundary && z && reference(p, stop, z_ref, y + ny + 1))
    for (int i = 0, late[METHODS_MAX] = {0}; i < TOLERANCES; i++)
      cell(p, pow(10, -3 - i), stop, z_ref, z, y, late, to);
  free(z);
  gallery_close(name, p);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void conclude(half *h) {
  qsort(h->ratio, (size_t)h->cells, sizeof *h->ratio, ascending);
  int near = 0, far = 0, n = h->cells;
  for (int i = 0; i < n; i++) near += h->ratio[i] <= 1.5, far += h->ratio[i] > 3;
  printf("%s, %d cells: within 1.5 of the best %.1f %%, above 3: %d, median %.2f, worst %.2f\n",
         h->name, n, 100.0 * near / (n ? n : 1), far, n ? h->ratio[n / 2] : NAN,
         n ? h->ratio[n - 1] : NAN);
}

/* ---- the distribution as a picture: which part of the cells is within which ratio ---- */

static const double plot_left = 60, plot_top = 50, plot_width = 520, plot_height = 260;
static const double low = 0.5, high = 4;

static double place_x(double part) { return plot_left + part * plot_width; }
static double place_y(double ratio) {
  double r = fmin(fmax(ratio, low), high);
  return plot_top + plot_height * (1 - log(r / low) / log(high / low));
}

static void curve(FILE *f, const half *h, const char *color, double x) {
  fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
  for (int i = 0; i < h->cells; i++)
    fprintf(f, "%.1f,%.1f ", place_x((i + 0.5) / h->cells), place_y(h->ratio[i]));
  fprintf(f, "'/>\n<text x='%.0f' y='40' fill='%s'>%s, %d cells</text>\n", x, color, h->name,
          h->cells);
}

static void draw(const char *path) {
  static const double marks[] = {0.5, 0.7, 1, 1.5, 2, 3, 4};
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' width='620' height='350' "
             "font-family='sans-serif' font-size='12'>\n<rect width='620' height='350' "
             "fill='white'/>\n<text x='60' y='20' font-size='14'>time of auto / time of our best "
             "method, cells in order</text>\n");
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    fprintf(f,
            "<line x1='%.0f' x2='%.0f' y1='%.1f' y2='%.1f' stroke='%s'/>\n<text x='52' y='%.1f' "
            "text-anchor='end'>%g</text>\n",
            plot_left, plot_left + plot_width, place_y(marks[i]), place_y(marks[i]),
            marks[i] == 1.5 || marks[i] == 3 ? "#888" : "#ddd", place_y(marks[i]) + 4, marks[i]);
  for (int i = 0; i <= 100; i += 20)
    fprintf(f, "<text x='%.0f' y='%.0f' text-anchor='middle'>%d %%</text>\n", place_x(i / 100.0),
            plot_top + plot_height + 20, i);
  curve(f, &seen, "#be2d55", 60);
  curve(f, &unseen, "#1e5aa0", 320);
  fprintf(f, "</svg>\n");
  fclose(f);
  printf("%s\n", path);
}

static void run_list(const variation *v, size_t count, const char *first, half *to) {
  for (size_t i = 0; i < count; i++)
    if (!strncmp(v[i].problem, first, strlen(first))) problem(v[i].problem, &v[i], to);
}

int main(int argc, char **argv) {
  const bool check = argc > 1 && !strcmp(argv[1], "checking");
  const char *first = argc > 1 ? argv[1] : "";
  const gallery_entry *e;
  csv = fopen(BENCH_OUTPUT "/auto.csv", "w");
  for (int i = 0; (e = gallery_at(i)); i++)
    if (!strncmp(e->name, first, strlen(first)) && strncmp(e->name, "bvp-", 4))
      problem(e->name, NULL, &seen);
  run_list(fitting, sizeof fitting / sizeof *fitting, first, &seen);
  if (argc == 1 || check) run_list(checking, sizeof checking / sizeof *checking, "", &unseen);
  printf("\n");
  conclude(&seen);
  conclude(&unseen);
  if (csv) fclose(csv);
  if (argc == 1) draw(BENCH_OUTPUT "/auto.svg");
  return 0;
}
