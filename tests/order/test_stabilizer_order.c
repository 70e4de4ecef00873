/*
 * Theorems 3.1 to 3.3 of Ascher, Qin, Reich 1992: forward, backward and post stabilization leave
 * the error of order p and make the drift of order p+1 or better.
 */
#include "gallery.h"
#include "order_run.h"
#include "test.h"

static const struct {
  const char *name;
  int order;
} method[] = {{"euler", 1}, {"heun", 2}, {"midpoint", 2}, {"rk4", 4}};

/* alpha must lie in the region of stability: (0, 2) for forward and post; any for backward */
static const struct {
  const char *name;
  double alpha;
} stabilizer[] = {{"forward", 0.8}, {"backward", 1.7}, {"post", 0.6}};

/* an order is measured well when it is at least this much below the theory: higher terms still
   show */
static const double SLACK = 0.25;

static void check_orders(const char *name, const char *direction, double t1, int N) {
  dae_problem *p;
  char message[256];
  double z[ORDER_ROOM], y[ORDER_ROOM];
  CHECK(gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  order_reference(p, t1, z, y);
  for (size_t m = 0; m < sizeof method / sizeof *method; m++)
    for (size_t k = 0; k < sizeof stabilizer / sizeof *stabilizer; k++) {
      int before = test_failures;
      dae_options o = dae_options_default();
      o.method = method[m].name, o.form = "index1", o.direction = direction;
      o.stabilize = stabilizer[k].name, o.alpha = stabilizer[k].alpha;
      int n = method[m].order == 1 ? 4 * N : N;
      order_run a = order_go(p, o, t1, n, z, y), b = order_go(p, o, t1, 2 * n, z, y);
      CHECK(a.status == DAE_OK && b.status == DAE_OK);
      for (int l = 0; l < dae_problem_order(p); l++) {
        CHECK(order_of(a.error[l], b.error[l]) > method[m].order - SLACK);
        CHECK(order_of(a.drift[l], b.drift[l]) > method[m].order + 1 - SLACK || b.drift[l] < 1e-13);
      }
      if (test_failures > before)
        printf("  %s %s %s: error %.2e %.2e, drift %.2e %.2e\n", name, method[m].name,
               stabilizer[k].name, a.error[0], b.error[0], a.drift[0], b.drift[0]);
    }
  gallery_close(name, p);
}

static void nonlinear_index2(void) { check_orders("circle-index2", "constraint", 1, 40); }
static void nonlinear_index3(void) { check_orders("driven-arm", "full", 0.9, 60); }
static void pendulum(void) { check_orders("pendulum", "block", 0.9, 60); }

/* without stabilization the drift has the order of the error only: the theorems say something */
static void plain_drift_is_larger(void) {
  dae_problem *p;
  char message[256];
  double z[ORDER_ROOM], y[ORDER_ROOM];
  CHECK(gallery_open(&p, "driven-arm", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  order_reference(p, 1, z, y);
  dae_options o = dae_options_default();
  o.method = "heun", o.form = "index1", o.stabilize = "none";
  order_run a = order_go(p, o, 1, 60, z, y), b = order_go(p, o, 1, 120, z, y);
  CHECK_NEAR(order_of(a.drift[0], b.drift[0]), 2, 0.4);
  gallery_close("driven-arm", p);
}

/* linear constraints: post with alpha = 1 lands on them exactly */
static void linear_constraints_exactly(void) {
  static const char *const name[] = {"linear-index2", "rotating-index2", "linear-index3",
                                     "rotating-index3"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    dae_problem *p;
    char message[256];
    const char *nu[] = {"nu"};
    const double two[] = {2};
    CHECK(gallery_open(&p, name[i], 1, nu, two, message, sizeof message) == DAE_OK);
    dae_options o = dae_options_default();
    o.method = "midpoint", o.form = "index1", o.stabilize = "post", o.direction = "full";
    order_run r = order_go(p, o, 1, 30, NULL, NULL);
    CHECK(r.status == DAE_OK);
    /* values of size e, constraint coefficients up to 4: a few units of rounding */
    for (int l = 0; l < dae_problem_order(p); l++) CHECK_NEAR(r.drift[l], 0, 2e-14);
    gallery_close(name[i], p);
  }
}

/* example 2 of the paper: z' = 3 t^2, invariant z = t^3, midpoint rule, alpha = 1: z_n = t_n^3 -
   h^3/4 (3.4) */
static void printed_example(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "cubic-invariant", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.method = "midpoint", o.form = "index1", o.direction = "full";
  double h = 0.05;
  o.stabilize = "none";
  CHECK_NEAR(order_go(p, o, 1, 20, NULL, NULL).z[0], 1 - 20 * h * h * h / 4, 1e-14);
  o.stabilize = "forward";
  CHECK_NEAR(order_go(p, o, 1, 20, NULL, NULL).z[0], 1 - h * h * h / 4, 1e-14);
  o.stabilize = "post", o.alpha = 0.3;
  CHECK_NEAR(order_go(p, o, 1, 60, NULL, NULL).z[0], 1 - 0.7 * pow(1 / 60.0, 3) / (4 * 0.3), 1e-14);
  gallery_close("cubic-invariant", p);
}

int main(void) {
  RUN(nonlinear_index2);
  RUN(nonlinear_index3);
  RUN(pendulum);
  RUN(plain_drift_is_larger);
  RUN(linear_constraints_exactly);
  RUN(printed_example);
  return TEST_END();
}
