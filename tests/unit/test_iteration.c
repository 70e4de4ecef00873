/* one judge for all iterations: sequences whose limits are known */
#include <math.h>

#include "base/iteration.h"
#include "test.h"

/* d_k = theta^k: the corrections still to come add up to theta/(1 - theta) d_k */
static void geometric(void) {
  for (double theta = 0.03; theta < 0.97; theta += 0.11) {
    double d = 2.7, sum = 0, later = 0;
    for (int k = 0; k < 2000; k++) {
      double next = d * pow(theta, k + 1);
      sum += next;
      if (k >= 5) later += next;
    }
    double left = dae_base_left(theta, 1);
    CHECK_NEAR(left * d, sum, 1e-12 * sum);
    CHECK_NEAR(left * d * pow(theta, 5), later, 1e-12 * sum);
    /* five more corrections leave `later`: that is hopeless exactly where less is wanted */
    CHECK(dae_base_hopeless(theta, left, d, 5, 0.999 * later));
    CHECK(!dae_base_hopeless(theta, left, d, 5, 1.001 * later));
  }
  CHECK(isinf(dae_base_left(1, 1)) && isinf(dae_base_left(1.3, 1)) &&
        isinf(dae_base_left(0.99, 0.99)));
  CHECK(dae_base_hopeless(1.3, INFINITY, 1e-300, 3, 7));
}

/* Newton's method for x^2 = 2 from 3: quadratic, then rounding */
static void square_root(void) {
  const dae_iteration_rule rule = {.limit = 12, .enough = 1e-15, .floor = 1e-10, .still = 0.5};
  dae_iteration course = dae_base_iteration();
  double x = 3;
  dae_progress progress = DAE_GO_ON;
  while (progress == DAE_GO_ON) {
    double d = (x * x - 2) / (2 * x);
    x -= d;
    progress = dae_base_judge(&course, &rule, fabs(d), fabs(x));
  }
  CHECK(progress == DAE_CONVERGED);
  CHECK_NEAR(x, sqrt(2), 4e-16);
  /* errors 1.6, 0.4, 0.05, 6e-4, 1e-7, 5e-15, 0: seven corrections, the last one at rounding */
  CHECK(course.count >= 6 && course.count <= 8);
}

/* x^2 = 0 has a double root: half of the error each time is no standstill, and no fast one */
static void double_root(void) {
  const dae_iteration_rule rule = {
      .limit = 25, .enough = 1e-15, .floor = 1e-3, .still = 0.5, .slow = 0.25};
  dae_iteration course = dae_base_iteration();
  double x = 0.7;
  dae_progress progress;
  for (int k = 0;; k++) {
    double d = x / 2;
    x -= d;
    progress = dae_base_judge(&course, &rule, d, 1);
    if (k == 0) CHECK(progress == DAE_GO_ON); /* nothing to compare with */
    if (progress != DAE_GO_ON && progress != DAE_SLOW) break;
    if (k > 0) CHECK(progress == DAE_SLOW);
  }
  CHECK(progress == DAE_DIVERGED && course.count == 25 && course.stalled == 0);
}

static dae_progress run(const dae_iteration_rule *rule, int n, const double *size, int *count) {
  dae_iteration course = dae_base_iteration();
  dae_progress progress = DAE_GO_ON;
  for (int k = 0; k < n && (progress == DAE_GO_ON || progress == DAE_SLOW); k++)
    progress = dae_base_judge(&course, rule, size[k], 1);
  *count = course.count;
  return progress;
}

#define SEQUENCE(rule, expected, n, ...)                                                   \
  do {                                                                                     \
    const double sizes[] = {__VA_ARGS__};                                                  \
    int count;                                                                             \
    CHECK(run(&(rule), (int)(sizeof sizes / sizeof *sizes), sizes, &count) == (expected)); \
    CHECK(count == (n));                                                                   \
  } while (0)

static void rounding(void) {
  const dae_iteration_rule rule = {.limit = 9, .enough = 1e-15, .floor = 1e-10, .still = 0.5};
  /* noise of 3e-13: accepted as soon as it no longer falls, and not where it is large */
  SEQUENCE(rule, DAE_CONVERGED, 4, 1.0, 1e-5, 3e-13, 2.9e-13, 7.0);
  SEQUENCE(rule, DAE_DIVERGED, 9, 1.0, 1e-5, 3e-9, 2.9e-9, 3e-9, 3e-9, 3e-9, 3e-9, 3e-9, 7.0);
  /* the first correction has nothing before it */
  SEQUENCE(rule, DAE_GO_ON, 1, 3e-13);
  dae_iteration_rule patient = rule;
  patient.patience = 2;
  SEQUENCE(patient, DAE_CONVERGED, 5, 1.0, 1e-5, 3e-13, 2.9e-13, 2.8e-13, 7.0);
  SEQUENCE(patient, DAE_CONVERGED, 7, 1.0, 1e-5, 3e-13, 2.9e-13, 1e-13, 0.9e-13, 0.8e-13, 7.0);
}

static void failures(void) {
  const dae_iteration_rule grows = {.limit = 9, .growth = 2, .tries = 2};
  SEQUENCE(grows, DAE_GO_ON, 2, 1.0, 3.0);
  SEQUENCE(grows, DAE_DIVERGED, 3, 1.0, 3.0, 7.0, 1.0);
  SEQUENCE(grows, DAE_DIVERGED, 2, 1.0, NAN, 1.0);
  SEQUENCE(grows, DAE_DIVERGED, 1, INFINITY, 1.0);
  const dae_iteration_rule stalls = {.still = 0.5, .stalls = 3};
  SEQUENCE(stalls, DAE_DIVERGED, 6, 1.0, 0.9, 0.1, 0.09, 0.01, 0.009, 0.001);
  /* two kinds of unknowns by turns: only the last but one can be compared */
  const dae_iteration_rule turns = {
      .limit = 20, .floor = 1e-9, .still = 0.5, .growth = 2, .tries = 4, .by_turns = true};
  SEQUENCE(turns, DAE_GO_ON, 6, 1.0, 1e3, 1e-4, 1e-1, 1e-8, 1e-5);
  SEQUENCE(turns, DAE_CONVERGED, 7, 1.0, 1e3, 1e-4, 1e-1, 1e-10, 1e-5, 0.9e-10, 1.0);
  SEQUENCE(turns, DAE_DIVERGED, 5, 1.0, 1e3, 1.5, 1e3, 4.0, 1.0);
}

int main(void) {
  RUN(geometric);
  RUN(square_root);
  RUN(double_root);
  RUN(rounding);
  RUN(failures);
  return TEST_END();
}
