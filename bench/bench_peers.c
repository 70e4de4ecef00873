/* Daedal, SUNDIALS and the solvers of deSolve on the same functions: time at equal achieved error,
   evaluations, drift */
/* bench_peers [PROBLEM...]: mechanisms of the gallery with a reference at the end of the run */
/* needs: sundials_arkode sundials_cvode sundials_ida sundials_nvecserial sundials_generic dl */
/* draws */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "figure.h"
#include "gallery.h"

enum { TOLERANCES = PEER_TOLERANCES, ROUNDS = 20, TARGETS = 3 };
static const double budget = 0.06; /* seconds for the repetitions of one run */
/* a run that is shorter, in seconds, mostly sees in the caches what the solver before it has left:
   it is repeated at once, and the second one counts */
static const double brief = 1e-3;
static const double targets[TARGETS] = {1e-4, 1e-7, 1e-10};
static const char *const standard[] = {"andrews", "car-axis", "pendulum", "slider-crank"};

/* the problems, and what came out of them */
typedef struct runs {
  int count;
  const char *const *name;
  peer_sweep (*sweep)[PEERS_MAX];
} runs;

/* 1e-1, 3e-2, 1e-2 .. 1e-12 */
static double tolerance(int i) { return pow(10, -1 - 0.5 * i); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* largest relative error of the positions at the end */
static double error_at_end(const dae_problem *p, const double *z) {
  const double *ref = p->ref[p->n_ref - 1].z;
  double worst = 0;
  for (int i = 0; i < p->mechanical.nq; i++) {
    double e = fabs(z[i] - ref[i]) / fabs(ref[i]);
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

/* all solvers take turns, so that a slow moment of the machine hits them alike */
static void measure(const dae_problem *p, peer_sweep *s) {
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < TOLERANCES; i++)
      for (int k = 0; k < peers_count; k++) {
        peer_sweep *w = &s[k];
        if (round > 0 && (w->spent[i] > budget || !w->result[i].ok)) continue;
        bool watch = round == 0;
        if (!watch && w->spent[i] < round * brief)
          peers[k].run(&peers[k], p, tolerance(i), watch, &w->result[i]);
        double begin = now();
        peers[k].run(&peers[k], p, tolerance(i), watch, &w->result[i]);
        double taken = now() - begin;
        w->spent[i] += taken;
        if (watch) {
          w->time[i] = INFINITY;
          w->error[i] = w->result[i].ok ? error_at_end(p, w->result[i].z) : NAN;
          if (taken < budget) continue;
        }
        if (taken < w->time[i]) w->time[i] = taken;
      }
}

static void write_csv(FILE *f, const char *problem, const peer_sweep *s) {
  for (int k = 0; k < peers_count; k++)
    for (int i = 0; i < TOLERANCES; i++) {
      const peer_result *r = &s[k].result[i];
      fprintf(f, "%s,\"%s\",%.1e,", problem, peers[k].name, tolerance(i));
      if (!r->ok) fprintf(f, "failed,,,,,\n");
      else
        fprintf(f, "ok,%.3e,%.4e,%ld,%ld,%.1e\n", s[k].error[i], s[k].time[i], r->steps,
                r->evaluations, r->drift);
    }
}

static double best_time(const peer_sweep *s, bool own, double target) {
  double best = NAN;
  for (int k = 0; k < peers_count; k++)
    if (peers[k].own == own)
      best = fmin(best, curve_time(TOLERANCES, s[k].error, s[k].time, target));
  return best;
}

/* the largest drift of the runs that are good to the target, or worse but the best there are */
static double drift(const peer_sweep *s) {
  double most = 0;
  for (int i = 0; i < TOLERANCES; i++)
    if (s->result[i].ok) most = fmax(most, s->result[i].drift);
  return most;
}

static void print_row(FILE *f, const peer_sweep *s, int k, const double *ours) {
  fprintf(f, "| %s |", peers[k].name);
  int failed = 0;
  for (int j = 0; j < TARGETS; j++) {
    double time = curve_time(TOLERANCES, s[k].error, s[k].time, targets[j]);
    if (isnan(time)) fprintf(f, " - | - |");
    else fprintf(f, " %.3g | %.2f |", 1e3 * time, time / ours[j]);
  }
  for (int i = 0; i < TOLERANCES; i++) failed += !s[k].result[i].ok;
  fprintf(f, " %.0e | %d |\n", drift(&s[k]), failed);
}

static void write_table(FILE *f, const char *problem, const peer_sweep *s) {
  double ours[TARGETS];
  fprintf(f, "\n### %s\n\n| solver |", problem);
  for (int j = 0; j < TARGETS; j++) {
    ours[j] = best_time(s, true, targets[j]);
    fprintf(f, " %.0e: ms | ratio |", targets[j]);
  }
  fprintf(f, " largest drift | failed of %d |\n|---|", TOLERANCES);
  for (int j = 0; j < 2 * TARGETS + 2; j++) fprintf(f, "---|");
  fprintf(f, "\n");
  for (int k = 0; k < peers_count; k++) print_row(f, s, k, ours);
}

/* fastest solver of a family at a target, as "x times our best"; prefix NULL: of all peers */
static void write_family(FILE *f, const char *label, const char *prefix, const runs *all) {
  fprintf(f, "| %s |", label);
  for (int n = 0; n < all->count; n++) {
    const peer_sweep *s = all->sweep[n];
    for (int j = 0; j < TARGETS; j++) {
      double ours = best_time(s, true, targets[j]);
      double best = prefix ? NAN : best_time(s, false, targets[j]);
      for (int k = 0; k < peers_count; k++)
        if (prefix && strncmp(peers[k].name, prefix, strlen(prefix)) == 0)
          best = fmin(best, curve_time(TOLERANCES, s[k].error, s[k].time, targets[j]));
      fprintf(f, isnan(best) ? "%s-" : "%s%.1f", j ? " / " : " ", best / ours);
    }
    fprintf(f, " |");
  }
  fprintf(f, "\n");
}

static void write_summary(FILE *f, const runs *all) {
  fprintf(f, "Time relative to our best method, at achieved errors 1e-4 / 1e-7 / 1e-10:\n\n| |");
  for (int n = 0; n < all->count; n++) fprintf(f, " %s |", all->name[n]);
  fprintf(f, "\n|---|");
  for (int n = 0; n < all->count; n++) fprintf(f, "---|");
  fprintf(f, "\n");
  write_family(f, "**fastest peer**", NULL, all);
  write_family(f, "ARKODE explicit + projection", "arkode", all);
  write_family(f, "CVODE BDF + projection", "cvode bdf", all);
  write_family(f, "CVODE Adams, not projected", "cvode adams", all);
  write_family(f, "IDA, GGL", "ida ggl", all);
  write_family(f, "IDA, best form", "ida", all);
  write_family(f, "RADAU5, best form", "radau5", all);
  write_family(f, "DASPK, GGL", "daspk", all);
  write_family(f, "our `auto`", "daedal auto", all);
}

/* BENCH_OUTPUT/name, which is also printed */
static const char *result_path(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", BENCH_OUTPUT, name);
  printf("%s\n", path);
  return path;
}

static FILE *open_result(const char *name) {
  const char *path = result_path(name);
  FILE *f = fopen(path, "w");
  if (!f) {
    perror(path);
    exit(1);
  }
  return f;
}

static bool draw(const char *name, figure_kind kind, const runs *all) {
  return figure_write(result_path(name), kind, all->count, all->name,
                      (const peer_sweep(*)[PEERS_MAX])all->sweep);
}

/* can every solver be given the problem? */
static bool suits(const dae_problem *p) {
  const dae_mechanical *m = &p->mechanical;
  bool small = p->kind == DAE_MECHANICAL && m->nw == 0 && 2 * (m->nq + m->ng) <= PEER_SIZE_MAX;
  if (!small || m->G_pattern || m->mass_kind == DAE_MASS_SPARSE) return false;
  if (!m->G || !m->curvature || !m->dynamics_q || !m->force_v || !m->velocity_q) return false;
  return p->n_ref > 0 && p->ref[p->n_ref - 1].t == p->t1;
}

/* all solvers on one problem, by its name */
static bool run(const char *name, FILE *csv, peer_sweep *s) {
  char message[256];
  dae_problem *p;
  if (gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) != DAE_OK) {
    fprintf(stderr, "bench_peers: %s\n", message);
    return false;
  }
  bool fits = suits(p);
  if (fits) measure(p, s);
  else fprintf(stderr, "bench_peers: %s is no small mechanism with a reference\n", name);
  gallery_close(name, p);
  if (!fits) return false;
  write_csv(csv, name, s);
  write_table(stdout, name, s);
  fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  runs all = {sizeof standard / sizeof *standard, standard, NULL};
  if (argc > 1) all.count = argc - 1, all.name = (const char *const *)argv + 1;
  all.sweep = calloc((size_t)all.count, sizeof *all.sweep);
  if (!all.sweep) return 1;
  peers_find();
  FILE *csv = open_result("peers.csv"), *md = open_result("peers.md");
  fprintf(csv, "problem,solver,tolerance,status,error,seconds,steps,evaluations,drift\n");
  for (int n = 0; n < all.count; n++)
    if (!run(all.name[n], csv, all.sweep[n])) return 1;
  printf("\n");
  write_summary(stdout, &all);
  write_summary(md, &all);
  for (int n = 0; n < all.count; n++) write_table(md, all.name[n], all.sweep[n]);
  bool drawn = draw("peers-time.svg", FIGURE_TIME, &all) &&
               draw("peers-evaluations.svg", FIGURE_EVALUATIONS, &all) &&
               draw("peers-drift.svg", FIGURE_DRIFT, &all);
  free(all.sweep);
  return fclose(csv) != 0 || fclose(md) != 0 || !drawn;
}
