/* pendulum-chain with many links: Daedal and SUNDIALS on the same functions, time at equal achieved
   error */
/* needs: sundials_arkode sundials_cvode sundials_ida sundials_nvecserial sundials_sunlinsolklu */
/* with: peers/curve.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"
#include "large.h"

double curve_time(int count, const double *error, const double *time, double target);

enum { TOLERANCES_MAX = 20, PEERS_MAX = 16, TARGETS = 3 };
static const double targets[TARGETS] = {1e-4, 1e-5, 1e-6};

typedef struct sweep {
  double error[TOLERANCES_MAX], time[TOLERANCES_MAX],
      given_up; /* the longest time without an end */
} sweep;

/* tolerances from the loosest down by half decades */
static int count = 7;
static double loosest = 1e-3;
static double tolerance(int i) { return loosest * pow(10, -0.5 * i); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* largest error of the positions, relative to the largest position */
static double error_of(int n, const double *z, const double *ref) {
  double worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(z[i] - ref[i]) <= worst)) worst = fabs(z[i] - ref[i]);
    size = fmax(size, fabs(ref[i]));
  }
  return worst / size;
}

/* the words that choose solvers by their names; none: all */
static int words;
static char **word;
static bool chosen(const char *name) {
  bool yes = words == 0;
  for (int i = 0; i < words; i++) yes = yes || strstr(name, word[i]);
  return yes;
}

static void measure(const dae_problem *p, const double *ref, double seconds, double *z, sweep *s) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < large_peers_count; k++) {
      large_result r = {.z = z};
      s[k].error[i] = s[k].time[i] = NAN;
      /* a tighter tolerance takes longer */
      if (s[k].given_up > 0 || !chosen(large_peers[k].name)) continue;
      double begin = now();
      large_peers[k].run(&large_peers[k], p, tolerance(i), seconds, &r);
      double taken = now() - begin;
      if (!r.ok && taken >= seconds) s[k].given_up = taken;
      if (r.ok) s[k].error[i] = error_of(p->mechanical.nq, z, ref);
      s[k].time[i] = taken;
      printf("%s, %.0e: %s, error %.1e, %.3g s, %ld steps, %ld evaluations\n", large_peers[k].name,
             tolerance(i), r.ok ? "ok" : "stopped", s[k].error[i], taken, r.steps, r.evaluations);
      fflush(stdout);
    }
}

static void write_table(FILE *f, int n, const sweep *s) {
  double best[TARGETS];
  fprintf(f, "\nn = %d, seconds for an error, and relative to our best\n\n| solver |", n);
  for (int j = 0; j < TARGETS; j++) {
    best[j] = NAN;
    for (int k = 0; k < large_peers_count; k++)
      if (large_peers[k].own)
        best[j] = fmin(best[j], curve_time(count, s[k].error, s[k].time, targets[j]));
    fprintf(f, " %.0e: s | ratio |", targets[j]);
  }
  fprintf(f, "\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < large_peers_count; k++) {
    if (!chosen(large_peers[k].name)) continue;
    fprintf(f, "| %s |", large_peers[k].name);
    for (int j = 0; j < TARGETS; j++) {
      double time = curve_time(count, s[k].error, s[k].time, targets[j]);
      const char *more = "";
      if (isnan(time) && s[k].given_up > 0) time = s[k].given_up, more = "> ";
      if (isnan(time)) fprintf(f, " - | - |");
      else fprintf(f, " %s%.3g | %s%.1f |", more, time, more, time / best[j]);
    }
    fprintf(f, "\n");
  }
}

/* ref gets a solution that is far better than the errors asked for, by an explicit method, which
   resolves all waves. Returns by how much a second way differs. */
static double reference(const dae_problem *p, double *ref, double *z) {
  /* waves make the explicit steps of longer chains short, whatever the tolerance */
  bool longer = p->mechanical.ng > 3000;
  const large_peer by[] = {{"", true, large_daedal, "dop853", 0},
                           {"", true, large_daedal, longer ? "wave4" : "radau5", 0}};
  const double tol[] = {longer ? 1e-4 : 1e-8, longer ? 1e-5 : 1e-7};
  large_result best = {.z = ref}, check = {.z = z};
  by[0].run(&by[0], p, tol[0], 1e9, &best);
  by[1].run(&by[1], p, tol[1], 1e9, &check);
  return best.ok && check.ok ? error_of(p->mechanical.nq, z, ref) : NAN;
}

/* bench_large [LINKS [SECONDS [LOOSEST COUNT [WORD...]]]]: SECONDS is what a run may take before it
   is given up, LOOSEST the first of COUNT tolerances; only solvers with one of the WORDs in their
   names */
int main(int argc, char **argv) {
  static sweep s[PEERS_MAX];
  const char *name = "n";
  char message[256];
  double n = argc > 1 ? atof(argv[1]) : 1000, seconds = argc > 2 ? atof(argv[2]) : 30;
  dae_problem *p;
  if (gallery_open(&p, "pendulum-chain", 1, &name, &n, message, sizeof message) != DAE_OK) return 1;
  size_t size = (size_t)dae_problem_nz(p) * sizeof(double);
  double *ref = malloc(size), *z = malloc(size);
  if (!ref || !z) return 1;
  if (argc > 4) loosest = atof(argv[3]), count = atoi(argv[4]);
  if (argc > 5) words = argc - 5, word = argv + 5;
  if (count > TOLERANCES_MAX) return 2;
  printf("n = %.0f: two ways to the reference differ by %.1e\n", n, reference(p, ref, z));
  fflush(stdout);
  measure(p, ref, seconds, z, s);
  write_table(stdout, (int)n, s);
  char path[4096];
  snprintf(path, sizeof path, BENCH_OUTPUT "/large-%.0f.md", n);
  FILE *f = fopen(path, "w");
  if (f) write_table(f, (int)n, s);
  if (f) fclose(f);
  free(ref);
  free(z);
  gallery_close("pendulum-chain", p);
  return f ? 0 : 1;
}
