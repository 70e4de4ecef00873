/* the program's floating-point environment and locale: other rounding modes, numbers flushed to
   zero and decimal commas change nothing beyond rounding, and they are as they were after a call */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "gallery.h"
#include "test.h"

enum { NZ = 8 };

/* the end of a run, at a tolerance of 1e-8 */
static dae_status run(const char *problem, const char *method, double *z) {
  dae_problem *p;
  char text[DAE_TEXT_MAX];
  double y[NZ];
  dae_options o = dae_options_default();
  if (gallery_open(&p, problem, 0, NULL, NULL, text, sizeof text) != DAE_OK) return DAE_E_INPUT;
  int nz = dae_problem_nz(p);
  CHECK(nz <= NZ);
  o.method = method;
  o.rtol = o.atol = 1e-8;
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  memset(y, 0, sizeof y);
  dae_status status = dae_solve(p, &o, p->t0, p->t0 + (p->t1 - p->t0) / 16, z, y, NULL, NULL);
  gallery_close(problem, p);
  for (int i = nz; i < NZ; i++) z[i] = 0;
  return status;
}

static const struct {
  const char *problem, *method;
} cases[] = {{"pendulum", "dop853"},
             {"pendulum", "radau3"},
             {"slider-crank", "auto"},
             {"kepler", "dop853"},
             {"linear-index2", "auto"}};
enum { CASES = sizeof cases / sizeof *cases };

static double usual[CASES][NZ];

/* each run meets its tolerance, so that two of them differ by a few tolerances: at most 10, as in
   the tests of accuracy, each */
static void same_as_usual(void) {
  for (int c = 0; c < CASES; c++) {
    double z[NZ];
    dae_status status = run(cases[c].problem, cases[c].method, z);
    CHECK(status == DAE_OK);
    for (int i = 0; i < NZ; i++) CHECK_NEAR(z[i], usual[c][i], 20e-8 * (1 + fabs(usual[c][i])));
  }
}

static void rounding_modes(void) {
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int k = 0; k < 3; k++) {
    CHECK(fesetround(modes[k]) == 0);
    same_as_usual();
    CHECK(fegetround() == modes[k]);
  }
  fesetround(FE_TONEAREST);
#endif
}

static void flush_to_zero(void) {
#ifdef __SSE2__
  unsigned before = _mm_getcsr(), flush = 0x8040; /* FTZ and DAZ */
  _mm_setcsr(before | flush);
  same_as_usual();
  CHECK((_mm_getcsr() & flush) == flush);
  _mm_setcsr(before);
#endif
}

/* options as text, and names in messages: a decimal point whatever the locale */
static void decimal_comma(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                      "nl_NL.UTF-8"};
  const char *found = NULL;
  for (int i = 0; i < 5 && !found; i++) found = setlocale(LC_ALL, names[i]);
  if (!found) return; /* none is installed */
  /* musl has such names, and a point in all of them */
  bool comma = localeconv()->decimal_point[0] == ',';
  dae_options o = dae_options_default();
  char message[DAE_TEXT_MAX];
  CHECK(dae_options_set(&o, "rtol", "0.25", message, sizeof message) == DAE_OK && o.rtol == 0.25);
  CHECK(dae_options_set(&o, "rtol", "0,25", message, sizeof message) == DAE_E_INPUT);
  same_as_usual();
  CHECK(strtod("0,5", NULL) == (comma ? 0.5 : 0));
  setlocale(LC_ALL, "C");
}

int main(void) {
  for (int c = 0; c < CASES; c++) CHECK(run(cases[c].problem, cases[c].method, usual[c]) == DAE_OK);
  RUN(rounding_modes);
  RUN(flush_to_zero);
  RUN(decimal_comma);
  return TEST_END();
}
