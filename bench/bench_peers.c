/* Daedal, SUNDIALS and the solvers of deSolve on the same functions: time at equal achieved error,
   evaluations, drift */
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
static const double targets[TARGETS] = {1e-4, 1e-7, 1e-10};
static const char *const problems[] = {"andrews", "car-axis", "pendulum", "slider-crank"};
enum { PROBLEMS = sizeof problems / sizeof *problems };

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

/* fastest solver of a family at a target, as "x times our best" */
static void write_family(FILE *f, const char *label, const char *prefix,
                         peer_sweep (*all)[PEERS_MAX]) {
  fprintf(f, "| %s |", label);
  for (int n = 0; n < PROBLEMS; n++) {
    for (int j = 0; j < TARGETS; j++) {
      double best = NAN, ours = best_time(all[n], true, targets[j]);
      for (int k = 0; k < peers_count; k++)
        if (strncmp(peers[k].name, prefix, strlen(prefix)) == 0)
          best = fmin(best, curve_time(TOLERANCES, all[n][k].error, all[n][k].time, targets[j]));
      fprintf(f, isnan(best) ? "%s-" : "%s%.1f", j ? " / " : " ", best / ours);
    }
    fprintf(f, " |");
  }
  fprintf(f, "\n");
}

static void write_summary(FILE *f, peer_sweep (*all)[PEERS_MAX]) {
  fprintf(f, "Time relative to our best method, at achieved errors 1e-4 / 1e-7 / 1e-10:\n\n| |");
  for (int n = 0; n < PROBLEMS; n++) fprintf(f, " %s |", problems[n]);
  fprintf(f, "\n|---|---|---|---|---|\n");
  write_family(f, "ARKODE explicit + projection", "arkode", all);
  write_family(f, "CVODE BDF + projection", "cvode bdf", all);
  write_family(f, "CVODE Adams, not projected", "cvode adams", all);
  write_family(f, "IDA, GGL", "ida ggl", all);
  write_family(f, "IDA, best form", "ida", all);
  write_family(f, "RADAU5, best form", "radau5", all);
  write_family(f, "DASPK, GGL", "daspk", all);
  write_family(f, "our `auto`", "daedal auto", all);
}

static FILE *open_result(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f) {
    perror(path);
    exit(1);
  }
  printf("%s\n", path);
  return f;
}

static bool draw(const char *folder, const char *name, figure_kind kind,
                 peer_sweep (*all)[PEERS_MAX]) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  printf("%s\n", path);
  return figure_write(path, kind, PROBLEMS, problems, (const peer_sweep(*)[PEERS_MAX])all);
}

int main(int argc, char **argv) {
  static peer_sweep all[PROBLEMS][PEERS_MAX];
  const char *folder = argc > 1 ? argv[1] : BENCH_OUTPUT;
  peers_find();
  FILE *csv = open_result(folder, "peers.csv"), *md = open_result(folder, "peers.md");
  fprintf(csv, "problem,solver,tolerance,status,error,seconds,steps,evaluations,drift\n");
  for (int n = 0; n < PROBLEMS; n++) {
    char message[256];
    dae_problem *p;
    if (gallery_open(&p, problems[n], 0, NULL, NULL, message, sizeof message) != DAE_OK) return 1;
    measure(p, all[n]);
    gallery_close(problems[n], p);
    write_csv(csv, problems[n], all[n]);
    write_table(stdout, problems[n], all[n]);
    fflush(stdout);
  }
  printf("\n");
  write_summary(stdout, all);
  write_summary(md, all);
  for (int n = 0; n < PROBLEMS; n++) write_table(md, problems[n], all[n]);
  bool drawn = draw(folder, "peers-time.svg", FIGURE_TIME, all) &&
               draw(folder, "peers-evaluations.svg", FIGURE_EVALUATIONS, all) &&
               draw(folder, "peers-drift.svg", FIGURE_DRIFT, all);
  return fclose(csv) != 0 || fclose(md) != 0 || !drawn;
}
