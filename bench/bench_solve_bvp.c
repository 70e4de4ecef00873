/*
 * Boundary value problems of the gallery against SciPy's solve_bvp, which gets them as ODEs
 * (solve_bvp/solve_bvp.py): processor time of a whole solve at equal achieved errors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "angle.h"
#include "gallery.h"

enum { POINTS = 1001, MOST_RUNS = 16, MOST_Z = 8, TOLERANCES = 3 };

static const char *const names[] = {"bvp-layer",    "bvp-eigenvalue", "bvp-pendulum",
                                    "bvp-elastica", "bvp-control",    "bvp-linear-index2"};
enum { PROBLEMS = sizeof names / sizeof *names };

static const double tolerances[TOLERANCES] = {1e-3, 1e-6, 1e-9};

typedef struct measured {
  double tol, seconds, error;
  int intervals;
} measured;

typedef struct curve {
  measured run[MOST_RUNS];
  int count;
} curve;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* largest |error|/(1 + |value|) of the differential variables at equidistant points; of the unknown
   parameters where nothing else is known. angle: what p is written by, or NULL */
static double error_of(const dae_problem *p, const angle_problem *angle, const dae_solution *s) {
  double worst = 0, z[MOST_Z], y[MOST_Z], all[MOST_Z], ze[MOST_Z], ye[MOST_Z];
  for (int i = 0; !p->exact && i < p->boundary->n_parameter; i++) {
    double e = p->boundary->parameter_exact[i];
    worst = fmax(worst, fabs(dae_solution_parameter(s)[i] - e) / (1 + fabs(e)));
  }
  for (int i = 0; p->exact && i < POINTS; i++) {
    double t = p->t0 + (p->t1 - p->t0) * i / (POINTS - 1);
    dae_solution_eval(s, t, z, y, NULL);
    if (angle) angle->show(z, all);
    p->exact(t, ze, ye, p->ctx);
    for (int c = 0; c < dae_problem_nz(p); c++)
      worst = fmax(worst, fabs((angle ? all : z)[c] - ze[c]) / (1 + fabs(ze[c])));
  }
  return worst;
}

/* best of many solves from the gallery's guess on the default mesh; multipliers are computed but
   have no tolerance, as the ODEs of SciPy have none at all */
static measured ours(const char *name, bool by_angle, double tol) {
  static const double not_asked[MOST_Z];
  measured m = {.tol = tol, .seconds = NAN, .error = NAN};
  angle_problem angle;
  char message[256];
  dae_problem *p;
  if (gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) != DAE_OK) return m;
  /* the gallery's block, which is constant to its users only */
  ((dae_boundary *)p->boundary)->y_tol = not_asked;
  if (by_angle) angle_fill(&angle, p);
  for (int i = 0; i < 200; i++) {
    dae_options o = dae_options_default();
    dae_solution *s;
    o.rtol = o.atol = tol;
    double begun = now();
    dae_status status = dae_bvp_solve(by_angle ? &angle.problem : p, &o, NULL, &s, NULL);
    double seconds = now() - begun;
    if (status == DAE_OK) {
      m.seconds = fmin(seconds, m.seconds);
      m.error = error_of(p, by_angle ? &angle : NULL, s);
      dae_solution_mesh(s, &m.intervals);
    }
    dae_solution_free(s);
  }
  gallery_close(name, p);
  return m;
}

/* runs of solve_bvp by problem; false when there is no SciPy */
static bool read_scipy(curve *of) {
  char line[256], name[64];
  int total = 0, status;
  /* the system's Python may have SciPy when the first one of the path has not */
  FILE *in = popen("for p in python3 /usr/bin/python3; do $p -c 'import scipy' 2>/dev/null && "
                   "OPENBLAS_NUM_THREADS=1 exec $p " BENCH_SOURCE "/solve_bvp/solve_bvp.py; done",
                   "r");
  while (in && fgets(line, sizeof line, in)) {
    measured m;
    if (sscanf(line, "%63s %lf %d %lf %lf %d", name, &m.tol, &status, &m.seconds, &m.error,
               &m.intervals) != 6)
      continue;
    for (int i = 0; i < PROBLEMS; i++)
      if (!strcmp(name, names[i]) && status == 0 && of[i].count < MOST_RUNS)
        of[i].run[of[i].count++] = m, total++;
  }
  if (in) pclose(in);
  return total > 0;
}

/* seconds for an error on the curve, between runs that no other beats in both error and time; the
   loosest run when it is better than asked; NAN: never reached */
static double seconds_at(const curve *c, double error) {
  double best = NAN;
  for (int i = 0; i < c->count; i++) {
    const measured *a = &c->run[i];
    if (a->error <= error) best = fmin(best, a->seconds);
    for (int j = 0; j < c->count; j++) {
      const measured *b = &c->run[j];
      if (!(a->error > error && b->error < error && a->seconds < b->seconds)) continue;
      double part = log(a->error / error) / log(a->error / b->error);
      best = fmin(best, a->seconds * pow(b->seconds / a->seconds, part));
    }
  }
  return best;
}

static const measured *at_tolerance(const curve *c, double tol) {
  for (int i = 0; i < c->count; i++)
    if (fabs(c->run[i].tol / tol - 1) < 1e-6) return &c->run[i];
  return NULL;
}

static void number(FILE *out, const char *format, double value) {
  if (isnan(value)) fprintf(out, " - |");
  else fprintf(out, format, value);
}

static void row(FILE *out, const char *name, bool by_angle, const curve *scipy, double tol) {
  measured m = ours(name, by_angle, tol);
  double same = seconds_at(scipy, m.error);
  const measured *t = at_tolerance(scipy, tol);
  fprintf(out, "| %s%s |", name, by_angle ? ", by its angle" : "");
  number(out, " %.1e |", m.error);
  number(out, " %.3g |", 1e3 * m.seconds);
  fprintf(out, " %d |", m.intervals);
  number(out, " %.3g |", 1e3 * same);
  number(out, " %.1f |", same / m.seconds);
  number(out, " %.1e |", t ? t->error : NAN);
  number(out, " %.3g |", t ? 1e3 * t->seconds : NAN);
  number(out, " %.1f |", t ? t->seconds / m.seconds : NAN);
  fprintf(out, "\n");
  fflush(out);
}

static void table(FILE *out, const curve *scipy, double tol) {
  fprintf(out, "\ntolerance %.0e\n\n", tol);
  fprintf(
      out,
      "| problem | ours: error | ms | intervals | solve_bvp, same error: ms | ratio | solve_bvp, "
      "same tolerance: error | ms | ratio |\n|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < PROBLEMS; i++) {
    bool angle = !strcmp(names[i], "bvp-pendulum") || !strcmp(names[i], "bvp-elastica");
    row(out, names[i], false, &scipy[i], tol);
    if (angle) row(out, names[i], true, &scipy[i], tol);
  }
}

int main(void) {
  static curve scipy[PROBLEMS];
  if (!read_scipy(scipy)) {
    printf("SciPy (python3-scipy) is not here: left out\n");
    return 0;
  }
  FILE *file = fopen(BENCH_OUTPUT "/solve_bvp.md", "w");
  for (int i = 0; i < TOLERANCES; i++) {
    table(stdout, scipy, tolerances[i]);
    if (file) table(file, scipy, tolerances[i]);
  }
  if (file) fclose(file);
  return 0;
}
