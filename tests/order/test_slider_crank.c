/* example 4 of Ascher, Qin, Reich 1992: AB2 with post-stabilization; the largest errors and drifts
   up to t = 10 agree with an independent implementation in five digits */
#include <math.h>

#include "gallery.h"
#include "test.h"

typedef struct row {
  double h;
  const char *direction, *level; /* level NULL: not stabilized */
  double slider, position,
      velocity; /* largest error of the slider, drift of positions, of velocities */
} row;

static const row rows[] = {
    {0.1, "pinv", NULL, 1.23452e-2, 1.11018e-2, 7.11413e-3},
    {0.1, "pinv", "both", 1.96393e-2, 2.21806e-7, 7.47586e-4},
    {0.1, "pinv", "velocity", 1.85742e-2, 6.61209e-3, 0},
    {0.1, "pinv", "position", 1.71053e-2, 2.37365e-7, 1.10262e-2},
    {0.1, "block", "both", 1.96448e-2, 2.21806e-7, 1.98636e-7},
    {0.1, "full", "both", 2.42372e-2, 1.24576e-6, 6.96736e-7},
    {0.1, "mass", "both", 8.19039e-3, 2.57761e-8, 1.19604e-4},
    {0.05, "pinv", NULL, 3.11110e-3, 2.79818e-3, 1.77568e-3},
    {0.05, "pinv", "both", 5.31305e-3, 3.54912e-9, 9.37117e-5},
    {0.05, "pinv", "velocity", 4.84756e-3, 1.65095e-3, 0},
    {0.05, "pinv", "position", 4.48214e-3, 3.54912e-9, 2.63481e-3},
    {0.05, "block", "both", 5.30883e-3, 3.54912e-9, 5.08023e-9},
    {0.05, "full", "both", 6.46432e-3, 6.75221e-8, 4.28910e-8},
};

static double slider(const double *z) { return z[1] + cos(z[3]); }

/* five digits; a drift of 1e-9 still has three above the rounding of its terms */
static void agree(double computed, double expected) {
  if (expected == 0) CHECK_NEAR(computed, 0, 1e-15);
  else CHECK_NEAR(computed / expected, 1, expected < 1e-6 ? 1e-4 : 2e-5);
}

static void example_4(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "slider-crank", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const row *r = &rows[i];
    dae_options o = dae_options_default(), fine = o;
    dae_solver *s, *exact;
    double worst = 0;
    o.method = "ab2", o.form = "index1", o.step = r->h, o.direction = r->direction;
    o.stabilize = r->level ? "post" : "none", o.level = r->level ? r->level : "both";
    fine.rtol = fine.atol = 1e-12, fine.form = "index1", fine.method = "dop853";
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK &&
          dae_solver_new(&exact, p, &fine, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, 0, NULL, NULL) == DAE_OK &&
          dae_solver_start(exact, 0, NULL, NULL) == DAE_OK);
    while (dae_solver_time(s) < 10 - 1e-9) {
      if (dae_solver_step(s, 10) != DAE_OK ||
          dae_solver_advance(exact, dae_solver_time(s)) != DAE_OK)
        break;
      worst = fmax(worst, fabs(slider(dae_solver_z(s)) - slider(dae_solver_z(exact))));
    }
    CHECK_NEAR(dae_solver_time(s), 10, 1e-12);
    int before = test_failures;
    agree(worst, r->slider);
    agree(dae_solver_stats(s)->drift_max[0], r->position);
    agree(dae_solver_stats(s)->drift_max[1], r->velocity);
    if (test_failures > before)
      printf("  row %d: h = %g, %s, %s\n", (int)i, r->h, r->direction,
             r->level ? r->level : "none");
    dae_solver_free(s);
    dae_solver_free(exact);
  }
  gallery_close("slider-crank", p);
}

int main(void) {
  RUN(example_4);
  return TEST_END();
}
