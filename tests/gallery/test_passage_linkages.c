/* label: study. Change points of many mechanisms: alone, with redundant constraints, at rest,
   two in one step */
#include "random/linkage.h"

#include "test.h"

static const double sizes[][4] = {{4, 1, 3, 2},         {3, 1, 4, 2},         {2.3, 0.9, 2.3, 0.9},
                                  {2.3, 0.9, 2.3, 0.9}, {2.3, 0.9, 0.9, 2.3}, {1.1, 1.1, 1.1, 1.1},
                                  {0, 0.8, 0, 0},       {0, 1.3, 0, 0},       {2.1, 0.7, 3.9, 0},
                                  {0, 1.4, 0, 0},       {0, 0.9, 0, 0},       {2.2, 0.8, 0.9, 1.3},
                                  {0, 1.2, 0, 0}};

static linkage make(linkage_type type, const double *size, double angle, double rate,
                    bool redundant) {
  linkage k = {.dim = type == VIVIANI ? 3 : 2, .length = 1, .weight = 1, .time = 1};
  /* turned by an awkward angle, so that no coordinate is zero by itself */
  k.frame[0][0] = k.frame[1][1] = cos(0.3), k.frame[2][2] = 1;
  k.frame[0][1] = sin(0.3), k.frame[1][0] = -sin(0.3);
  for (int i = 0; i < POINTS; i++) k.mass[i] = 1 + 0.3 * i;
  k.gravity[1] = -5;
  linkage_add(&k, type, size, angle, rate);
  /* the first row once more, and a sum of the first and the last: both say nothing new */
  if (redundant) {
    int last = k.rows - 1;
    k.row[k.rows++] = (linkage_row){SUM, 0, last, {1.7, -0.6, 0}, 0};
  }
  return k;
}

typedef struct result {
  dae_status status;
  double error;
  long passed;
} result;

static result run(linkage *k, double time, double tol) {
  real motion[PARTS][2];
  double z[2 * COORDS], exact[2 * COORDS];
  for (int b = 0; b < k->parts; b++)
    motion[b][0] = k->part[b].angle, motion[b][1] = k->part[b].rate;
  linkage_state(k, motion, z);
  for (int b = 0; b < k->parts; b++) linkage_motion(k, &k->part[b], time, motion[b]);
  linkage_state(k, motion, exact);
  dae_problem p = linkage_problem(k, z, time);
  dae_options o = dae_options_default();
  o.rtol = o.atol = tol;
  dae_report report;
  dae_stats stats;
  double end[2 * COORDS];
  memcpy(end, z, sizeof z);
  result r = {dae_solve(&p, &o, 0, time, end, NULL, &report, &stats), 0, stats.singular_passed};
  for (int i = 0; i < 2 * k->dim * k->points; i++) r.error = fmax(r.error, fabs(end[i] - exact[i]));
  if (r.status != DAE_OK) printf("%s: %s\n", linkage_name[k->part[0].type], report.message);
  return r;
}

/* further mechanisms of the same kinds whose bars have another order of lengths: cranks that are
   longer than the ground, a ground that is the shortest bar. The sums that make the change points
   are exact */
static const struct {
  linkage_type type;
  double size[4];
} more[] = {{FOUR_BAR, {2.5, 1.5, 2.25, 1.75}},
            {FOUR_BAR, {1, 2.5, 1.5, 2}},
            {FOUR_BAR_INNER, {2.5, 1, 3.25, 1.75}},
            {PARALLELOGRAM, {0.9, 1.6, 0.9, 1.6}},
            {ANTIPARALLELOGRAM, {0.9, 1.6, 0.9, 1.6}},
            {KITE, {0.9, 1.6, 1.6, 0.9}},
            {TRAIN, {1.1, 1.5, 4.3, 0}}};
enum { MORE = sizeof more / sizeof *more };

/* eighteen mechanisms: five starts that turn through their change points (one of them exactly on
   one), from rough to the finest tolerances, every other run with a redundant constraint. The
   factor 1000 is for the growth of errors, 1e-9 for what rounding leaves of some passages */
static void every_change_point(void) {
  static const double tolerance[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  for (int m = 0; m <= VIVIANI + MORE; m++)
    for (int i = 0; i < 5 * 5; i++) {
      int start = i / 5, other = m - VIVIANI - 1;
      linkage_type type = other < 0 ? (linkage_type)m : more[other].type;
      linkage k = make(type, other < 0 ? sizes[type] : more[other].size, 0.9 + 0.5 * start,
                       3.5 + 0.7 * start, (i + start) % 2);
      if (start == 4) k.part[0].angle = isnan(k.part[0].change[0]) ? 0 : k.part[0].change[0];
      result r = run(&k, 2, tolerance[i % 5]);
      CHECK(r.status == DAE_OK && r.passed > 0);
      CHECK_NEAR(r.error, 0, 1e3 * tolerance[i % 5] + 1e-9);
    }
}

/* redundant constraints are no singular position: neither at rest nor moving */
static void redundant_at_rest(void) {
  static const linkage_type type[] = {TRIANGLE, PARALLELOGRAM, PENDULUM};
  for (int i = 0; i < 6; i++) {
    linkage k = make(type[i % 3], sizes[type[i % 3]], 1.1, i < 3 ? 0 : 1.5, true);
    result r = run(&k, 0.7, 1e-9);
    CHECK(r.status == DAE_OK);
    CHECK_NEAR(r.error, 0, 1e-6);
    if (type[i % 3] != PARALLELOGRAM) CHECK(r.passed == 0);
  }
}

/* two parallelograms in one problem, without gravity, so that each turns at a constant rate: the
   first comes to pi at t = 0.5, the second 0.02 later, then both half a turn on. One step of 1e-4
   leads across both, and both count */
static void two_in_a_step(void) {
  const double PI = 3.14159265358979323846;
  linkage k = make(PARALLELOGRAM, sizes[PARALLELOGRAM], PI - 1, 2, false);
  k.gravity[1] = 0;
  linkage_add(&k, PARALLELOGRAM, sizes[PARALLELOGRAM], PI - 1.04, 2);
  result r = run(&k, 1, 1e-4);
  CHECK(r.status == DAE_OK && r.passed == 2);
  /* angle = start + 2 t: the reference of linkage.h is this */
  CHECK_NEAR(r.error, 0, 1e-2);
}

/* stop, and start again, on the position itself: constant rate 2 from pi - 1 */
static void stop_on_it(void) {
  const double PI = 3.14159265358979323846;
  for (double tol = 1e-4; tol > 1e-13; tol /= 100) {
    linkage k = make(PARALLELOGRAM, sizes[PARALLELOGRAM], PI - 1, 2, true);
    k.gravity[1] = 0;
    result r = run(&k, 0.5, tol);
    CHECK(r.status == DAE_OK);
    CHECK_NEAR(r.error, 0, 1e3 * tol + 1e-9);
  }
}

int main(void) {
  RUN(every_change_point);
  RUN(redundant_at_rest);
  RUN(two_in_a_step);
  RUN(stop_on_it);
  return TEST_END();
}
