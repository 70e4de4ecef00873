/* absolute tolerances of single variables: each error within ten of its own tolerance */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "test.h"

/* three oscillators of sizes 1, 1e-6 and 1e3 at different speeds, driven by none of the others:
   a sin(wt), a w cos(wt) */
static const double size[] = {1, 1e-6, 1e3}, speed[] = {3, 7, 2};

static int swing(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < 3; i++) {
    dz[2 * i] = z[2 * i + 1];
    dz[2 * i + 1] = -speed[i] * speed[i] * z[2 * i];
  }
  return 0;
}

static const double start[] = {0, 3, 0, 7e-6, 0, 2e3};
static const char *const names[] = {"a", "va", "b", "vb", "c[1,2]", "vc"};

static dae_problem oscillators(void) {
  return (dae_problem){.name = "oscillators",
                       .kind = DAE_ODE,
                       .ode = {.n = 6, .f = swing},
                       .t1 = 3,
                       .z0 = start,
                       .z_name = names};
}

/* the largest error in units of the variable's own tolerance, and the least of all variables */
static void worst(const dae_problem *p, const dae_options *o, const double *atol, double *most,
                  double *least, long *evaluations) {
  double z[6], error[6] = {0};
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, p, o, NULL) == DAE_OK);
  if (!s) return;
  memcpy(z, start, sizeof z);
  CHECK(dae_solver_start(s, 0, z, NULL) == DAE_OK);
  for (int k = 1; k <= 12; k++) {
    double t = 0.25 * k;
    CHECK(dae_solver_advance(s, t) == DAE_OK);
    for (int i = 0; i < 6; i++) {
      double w = speed[i / 2], a = size[i / 2];
      double exact = i % 2 ? a * w * cos(w * t) : a * sin(w * t);
      error[i] = fmax(error[i], fabs(dae_solver_z(s)[i] - exact) / atol[i]);
    }
  }
  *most = 0, *least = INFINITY;
  for (int i = 0; i < 6; i++) *most = fmax(*most, error[i]), *least = fmin(*least, error[i]);
  *evaluations = dae_solver_stats(s)->evaluations;
  dae_solver_free(s);
}

static void own_tolerances(void) {
  static const char *const methods[] = {"auto",   "dop853", "dopri5", "wave4",
                                        "radau5", "gauss3", "bdf5"};
  const dae_problem p = oscillators();
  /* the small one as good as the large one, relative to their sizes; then one that is to be very
     good and another one that hardly matters */
  static const double atol[][6] = {{1e-6, 3e-6, 1e-12, 7e-12, 1e-3, 2e-3},
                                   {1e-9, 3e-9, 1e-10, 7e-10, 1, 2}};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (int k = 0; k < 2; k++) {
      dae_options o = dae_options_default();
      double most = 0, least = 0;
      long evaluations;
      o.method = methods[m];
      o.rtol = 1e-14; /* so that atol decides */
      o.atols = atol[k], o.n_atols = 6;
      worst(&p, &o, atol[k], &most, &least, &evaluations);
      CHECK(most <= 10);
      if (most > 10) printf("  %s: %g tolerances\n", methods[m], most);
    }
}

/* what hardly matters costs nothing: one tight variable for all costs more than its own tolerance,
   and less than that would leave it without its digits */
static void they_count(void) {
  const dae_problem p = oscillators();
  const double uneven[] = {1e-4, 3e-4, 1e-10, 7e-10, 1e-1, 2e-1};
  double most, least;
  long own, tight, loose;
  dae_options o = dae_options_default();
  o.method = "dopri5", o.rtol = 1e-14;
  o.atols = uneven, o.n_atols = 6;
  worst(&p, &o, uneven, &most, &least, &own);
  CHECK(most <= 10);
  o.atols = NULL, o.n_atols = 0;
  o.atol = 1e-10;
  worst(&p, &o, uneven, &most, &least, &tight);
  CHECK(most <= 10 && tight > own);
  o.atol = 1e-1;
  worst(&p, &o, uneven, &most, &least, &loose);
  CHECK(most > 10 && loose < own);
}

/* the same to the last bit as an array, as numbers of a text and by names; the texts and the array
   are gone after dae_solver_new */
static void array_and_names(void) {
  const dae_problem p = oscillators();
  static const char *const texts[] = {"", "1e-7,1e-5,1e-12,1e-11,0.125,0.25",
                                      "vb=1e-11,a=1e-7,va=1e-5,b=1e-12,c[1,2]=0.125,vc=0.25",
                                      "vc=0.25,c[1,2]=0.125"};
  double end[4][6];
  for (int k = 0; k < 4; k++) {
    dae_options o = dae_options_default();
    dae_solver *s = NULL;
    double *own = malloc(6 * sizeof *own);
    char *text = malloc(strlen(texts[k]) + 1);
    if (!own || !text) abort();
    memcpy(own, (double[]){1e-7, 1e-5, 1e-12, 1e-11, 0.125, 0.25}, 6 * sizeof *own);
    if (k == 3) own[4] = own[5] = 17; /* the names count */
    if (k == 0 || k == 3) o.atols = own, o.n_atols = 6;
    o.atol_of = strcpy(text, texts[k]);
    o.method = "dopri5";
    CHECK(dae_solver_new(&s, &p, &o, NULL) == DAE_OK);
    memset(own, 0, 6 * sizeof *own);
    memset(text, '#', strlen(text));
    free(own);
    free(text);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK && dae_solver_advance(s, 3) == DAE_OK);
    memcpy(end[k], dae_solver_z(s), sizeof end[k]);
    dae_solver_free(s);
    CHECK(memcmp(end[0], end[k], sizeof end[0]) == 0);
  }
  /* equal ones are the same as atol */
  const double equal[] = {1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5};
  dae_options o = dae_options_default();
  double z[2][6];
  for (int k = 0; k < 2; k++) {
    o.atol = k == 0 ? 1e-5 : 3;
    o.atols = k == 0 ? NULL : equal, o.n_atols = 6 * k;
    memcpy(z[k], start, sizeof z[k]);
    CHECK(dae_solve(&p, &o, 0, 3, z[k], NULL, NULL, NULL) == DAE_OK);
  }
  CHECK(memcmp(z[0], z[1], sizeof z[0]) == 0);
}

/* constraints, in every kind of form (the pendulum has an exact solution; errors of phase grow for
   one period here). An error of the velocities becomes one of the positions with time, so that the
   latter are not asked for much less */
static void mechanism(void) {
  static const char *const way[][2] = {{"auto", "auto"},         {"radau5", "ggl"},
                                       {"radau5", "index2"},     {"dop853", "state-space"},
                                       {"radau5", "invariant"},  {"herk5", "auto"},
                                       {"colloc-radau5", "auto"}};
  char message[200];
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, "pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  for (size_t m = 0; m < sizeof way / sizeof *way; m++)
    for (int k = 0; k < 2; k++) {
      const double atol[] = {k ? 1e-4 : 1e-9, k ? 1e-4 : 1e-9, k ? 1e-7 : 1e-8, k ? 1e-7 : 1e-8};
      double z[4], y[1], exact[4], exact_y[1];
      dae_options o = dae_options_default();
      o.method = way[m][0], o.form = way[m][1];
      o.rtol = 1e-13;
      o.atols = atol, o.n_atols = 4;
      memcpy(z, p->z0, sizeof z);
      dae_report report;
      dae_status status = dae_solve(p, &o, 0, 2, z, y, &report, NULL);
      CHECK(status == DAE_OK);
      if (status != DAE_OK) printf("  %s %s: %s\n", way[m][0], way[m][1], report.message);
      p->exact(2, exact, exact_y, p->ctx);
      for (int i = 0; i < 4; i++) {
        double error = fabs(z[i] - exact[i]) / atol[i];
        CHECK(error <= 10);
        if (error > 10) printf("  %s %s %d: %g tolerances\n", way[m][0], way[m][1], i, error);
      }
    }
  gallery_close("pendulum", p);
}

static void refused(dae_options o, const char *sentence) {
  const dae_problem p = oscillators();
  dae_solver *s = NULL;
  dae_report report;
  CHECK(dae_solver_new(&s, &p, &o, &report) == DAE_E_INPUT && !s);
  CHECK_STR(report.message, sentence);
  dae_solver_free(s);
}

static void refusals(void) {
  dae_options o = dae_options_default();
  double atol[] = {1, 1, 1, 1, 1, 1};
  o.atols = atol, o.n_atols = 5;
  refused(o, "n_atols is 5, z has 6 entries");
  o.n_atols = 0;
  refused(o, "n_atols is 0, z has 6 entries");
  o.atols = NULL, o.n_atols = 6;
  refused(o, "n_atols is 6 and atols is NULL");
  o.atols = atol;
  atol[2] = -1e-3;
  refused(o, "the absolute tolerance of b must be positive, not -0.001");
  atol[2] = 0;
  refused(o, "the absolute tolerance of b must be positive, not 0");
  atol[2] = NAN;
  refused(o, "the absolute tolerance of b must be positive, not nan");
  atol[2] = INFINITY;
  refused(o, "the absolute tolerance of b must be positive, not inf");
  const char *how = "; write x=1e-8,v=1e-3, or a number for each entry of z";
  static const char *const texts[][2] = {{"d=1e-3", "'d' is not an entry of z"},
                                         {"a=1e-3,", "'' has no name, others have one"},
                                         {"a=x", "'a=x' has no number"},
                                         {"a=1e-3;b=2", "'a=1e-3;b' is not an entry of z"},
                                         {"a", "'a' has no number"},
                                         {"1,2,3,4,5,6,7", "'7' is one number more than z has "
                                                           "entries"}};
  o = dae_options_default();
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    char sentence[DAE_TEXT_MAX];
    o.atol_of = texts[k][0];
    snprintf(sentence, sizeof sentence, "atol_of: %s%s", texts[k][1], how);
    refused(o, sentence);
  }
  o.atol_of = "1,2";
  refused(o, "atol_of has 2 numbers, z has 6 entries");
  o.atol_of = "c[1,2]=-1";
  refused(o, "the absolute tolerance of c[1,2] must be positive, not -1");
  /* a boundary value problem has its own place for them */
  char message[200];
  dae_problem *p = NULL;
  dae_report report;
  dae_solution *solution = NULL;
  CHECK(gallery_open(&p, "bvp-pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  o.atol_of = "1";
  CHECK(dae_bvp_solve(p, &o, NULL, &solution, &report) == DAE_E_INPUT && !solution);
  CHECK_STR(report.message, "atols and atol_of are for initial value problems: use z_tol and y_tol "
                            "of the problem's boundary");
  gallery_close("bvp-pendulum", p);
}

int main(void) {
  RUN(own_tolerances);
  RUN(they_count);
  RUN(array_and_names);
  RUN(mechanism);
  RUN(refusals);
  return TEST_END();
}
