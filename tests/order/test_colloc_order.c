/* orders of projected collocation at mesh points, between them and in y, for initial and boundary
   values */
#include "colloc_bvp.h"
#include "colloc_run.h"
#include "test.h"

enum { LEVELS = 3, MESHES = 5 };

/* one sequence of errors that is expected to fall with an order */
typedef struct sequence {
  double error[MESHES];
} sequence;

/* log2 of the last quotient above rounding; errors below 2e-12 are rounding of a well conditioned
   problem of size 1 to
   10 with a few hundred operations. NAN when there is no such pair */
static double rate(const sequence *s) {
  double last = NAN;
  for (int i = 1; i < MESHES; i++)
    if (s->error[i] > 2e-12) last = log2(s->error[i - 1] / s->error[i]);
  return last;
}

/* meshes are coarse where the order is large, so a tenth of it is allowed below; above there may
   be luck */
static void check_rate(const char *problem, const char *method, const char *what, const sequence *s,
                       double expected) {
  double got = rate(s);
  test_checks++;
  if (isnan(got) || got > 0.9 * expected - 0.1) return;
  test_failures++;
  printf("%s %s: order %.2f in %s, expected %.0f\n", problem, method, got, what, expected);
}

static void check_lost(const char *problem, const char *method, const sequence *s,
                       double expected) {
  double got = rate(s);
  test_checks++;
  if (fabs(got - expected) < 0.5) return;
  test_failures++;
  printf("%s %s unprojected: order %.2f in the highest derivative, expected %.0f\n", problem,
         method, got, expected);
}

static void measure(const char *name, bool radau, int k, const char *project) {
  char method[32], message[256];
  dae_problem *p;
  sequence mesh[LEVELS], between[LEVELS], ivp[LEVELS], y;
  snprintf(method, sizeof method, "colloc-%s%d", radau ? "radau" : "gauss", k);
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  int m = dae_problem_order(p), top = m - 1, order = radau ? 2 * k - 1 : 2 * k;
  for (int i = 0; i < MESHES; i++) {
    bvp_errors b = bvp_run(p, method, 2 << i, "index2", project);
    colloc_errors v = colloc_run(p, method, 2 << i, "index2", project, "auto");
    CHECK(b.status == DAE_OK && v.status == DAE_OK);
    for (int l = 0; l < m; l++) {
      mesh[l].error[i] = b.mesh[l];
      between[l].error[i] = b.between[l];
      ivp[l].error[i] = v.z[l];
    }
    y.error[i] = b.y;
  }
  if (!strcmp(project, "none")) {
    check_lost(name, method, &mesh[top], k % 2 ? k + 1 : k);
    check_lost(name, method, &ivp[top], k % 2 ? k + 1 : k);
  } else {
    for (int l = 0; l < m; l++) {
      check_rate(name, method, "x^(l) at mesh points", &mesh[l], order);
      check_rate(name, method, "x^(l) as initial value problem", &ivp[l], order);
      check_rate(name, method, "x^(l) between", &between[l], fmin(k + m - l, order));
    }
    check_rate(name, method, "y", &y, k);
  }
  gallery_close(name, p);
}

static void test_order1(void) {
  for (int k = 2; k <= 5; k++)
    for (int radau = 0; radau < 2; radau++) {
      measure("bvp-linear-index2", radau, k, "velocity");
      measure("bvp-sphere", radau, k, "velocity");
    }
}

static void test_order2(void) {
  for (int k = 2; k <= 5; k++)
    for (int radau = 0; radau < 2; radau++) {
      measure("bvp-pendulum", radau, k, "velocity");
      measure("bvp-arm", radau, k, "velocity");
    }
}

static void test_order3(void) {
  for (int k = 3; k <= 5; k++)
    for (int radau = 0; radau < 2; radau++) measure("bvp-linear-order3", radau, k, "velocity");
}

static void test_unprojected(void) {
  for (int k = 2; k <= 4; k++) {
    measure("bvp-linear-index2", false, k, "none");
    measure("bvp-pendulum", false, k, "none");
  }
}

/* ex. 4.1 as boundary value problem, nu = 10, alpha = 2, Gauss 2 on 8 intervals: the notes of an
   independent program have
   2.6e-6 in p for both, 2.5e-5 in v projected and 12 without */
static void test_useless_without(void) {
  const char *names[] = {"nu", "alpha"};
  double values[] = {10, 2};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-linear-index3", 2, names, values, message, sizeof message) == DAE_OK);
  bvp_errors with = bvp_run(p, "colloc-gauss2", 8, "index2", "velocity");
  bvp_errors without = bvp_run(p, "colloc-gauss2", 8, "index2", "none");
  /* two digits are known */
  CHECK_NEAR(with.mesh[0], 2.6e-6, 1e-7);
  CHECK_NEAR(with.mesh[1], 2.5e-5, 1e-6);
  CHECK_NEAR(without.mesh[0], 2.6e-6, 1e-7);
  CHECK_NEAR(without.mesh[1], 12, 0.6);
  gallery_close("bvp-linear-index3", p);
}

/* the other forms have the same orders */
static void test_forms(void) {
  static const char *const form[] = {"pi1", "pi1-plus", "pi2"};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-pendulum", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  for (int f = 0; f < 3; f++) {
    sequence x = {{0}}, v = {{0}};
    for (int i = 0; i < MESHES; i++) {
      bvp_errors b = bvp_run(p, "colloc-gauss2", 2 << i, form[f], "auto");
      CHECK(b.status == DAE_OK);
      x.error[i] = b.mesh[0];
      v.error[i] = b.mesh[1];
    }
    check_rate(form[f], "colloc-gauss2", "x", &x, 4);
    check_rate(form[f], "colloc-gauss2", "x'", &v, 4);
  }
  gallery_close("bvp-pendulum", p);
}

int main(void) {
  RUN(test_order1);
  RUN(test_order2);
  RUN(test_order3);
  RUN(test_unprojected);
  RUN(test_useless_without);
  RUN(test_forms);
  return TEST_END();
}
