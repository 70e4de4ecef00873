/* forms and stabilizers that are the same method in different clothes give the same numbers */
#include "gallery.h"
#include "order_run.h"
#include "test.h"

static dae_problem *open(const char *name, double nu) {
  dae_problem *p = NULL;
  char message[256];
  const char *set[] = {"nu"};
  CHECK(gallery_open(&p, name, nu > 0 ? 1 : 0, set, &nu, message, sizeof message) == DAE_OK);
  return p;
}

static dae_options with(const char *method, const char *form, const char *direction) {
  dae_options o = dae_options_default();
  o.method = method, o.form = form, o.direction = direction, o.stabilize = "none";
  return o;
}

/* largest difference in z relative to the largest z */
static double apart(const dae_problem *p, const order_run *a, const order_run *b) {
  double worst = 0, size = 0;
  for (int i = 0; i < dae_problem_nz(p); i++) {
    worst = fmax(worst, fabs(a->z[i] - b->z[i]));
    size = fmax(size, fabs(a->z[i]));
  }
  return a->status == DAE_OK && b->status == DAE_OK ? worst / size : NAN;
}

/* u = R x with R D = 0 is the projected invariant along D (1993, (3.23)-(3.24)) */
static void state_space_is_projection(void) {
  static const struct {
    const char *name, *rtilde, *direction;
    double nu, t1;
  } pair[] = {
      {"linear-index2", "1,0", "unit:2", 7.3, 1},
      {"linear-index2", "0,1", "unit:1", 7.3, 1},
      /* before (1,0) meets the turning constraint */
      {"rotating-index2", "1,0", "unit:2", 7.3, 0.15},
      {"circle-index2", "0,1", "unit:1", 0, 0.4},
      {"driven-sphere", "1,0,0;0,1,0", "unit:3", 0, 0.3},
  };
  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
    dae_problem *p = open(pair[i].name, pair[i].nu);
    dae_options s = with("backward-euler", "state-space", "auto");
    dae_options d = with("backward-euler", "invariant", pair[i].direction);
    s.rtilde = pair[i].rtilde;
    order_run a = order_go(p, s, pair[i].t1, 40, NULL, NULL);
    order_run b = order_go(p, d, pair[i].t1, 40, NULL, NULL);
    CHECK_NEAR(apart(p, &a, &b), 0, 1e-12); /* both solve the same equations to rounding */
    gallery_close(pair[i].name, p);
  }
}

/* (3.7) with alpha is (3.9) with alpha/(1+alpha) when constraints are linear */
static void backward_is_post(void) {
  static const char *const name[] = {"linear-index2", "rotating-index2"};
  for (int i = 0; i < 2; i++) {
    dae_problem *p = open(name[i], 2.7);
    for (double alpha = 0.4; alpha < 12; alpha *= 5) {
      dae_options o = with("heun", "index1", "constraint"), q = o;
      o.stabilize = "backward", o.alpha = alpha;
      q.stabilize = "post", q.alpha = alpha / (1 + alpha);
      order_run a = order_go(p, o, 1, 25, NULL, NULL), b = order_go(p, q, 1, 25, NULL, NULL);
      CHECK_NEAR(apart(p, &a, &b), 0, 1e-12);
    }
    gallery_close(name[i], p);
  }
}

/* with M = I and B = C' the range of F is that of G': S and Pb are one method */
static void ggl_is_invariant_all(void) {
  dae_problem *p = open("rotating-index3", 9.1);
  dae_options s = with("backward-euler", "ggl", "constraint");
  dae_options d = with("backward-euler", "invariant-all", "constraint");
  order_run a = order_go(p, s, 1, 50, NULL, NULL), b = order_go(p, d, 1, 50, NULL, NULL);
  CHECK_NEAR(apart(p, &a, &b), 0, 1e-11);
  /* Pc is another one */
  d.form = "invariant-balanced", d.direction = "auto";
  b = order_go(p, d, 1, 50, NULL, NULL);
  CHECK(apart(p, &a, &b) > 1e-6);
  gallery_close("rotating-index3", p);
  /* and so is Pb when the masses are unequal */
  p = open("linear-index3", 9.1);
  d.form = "invariant-all", d.direction = "constraint";
  a = order_go(p, s, 1, 50, NULL, NULL), b = order_go(p, d, 1, 50, NULL, NULL);
  CHECK(apart(p, &a, &b) > 1e-6);
  gallery_close("linear-index3", p);
}

/* index 2: Baumgarte is attraction along B (1992, (1.6) and (2.3)) */
static void baumgarte_is_attraction_along_B(void) {
  dae_problem *p = open("circle-index2", 0);
  dae_options s = with("backward-euler", "baumgarte", "auto"),
              d = with("backward-euler", "attract", "force");
  s.gamma = d.gamma = 6.1;
  order_run a = order_go(p, s, 1, 40, NULL, NULL), b = order_go(p, d, 1, 40, NULL, NULL);
  CHECK_NEAR(apart(p, &a, &b), 0, 1e-12);
  /* a growing gamma leads to the problem as it is */
  s.gamma = 1e9, d = with("backward-euler", "direct", "auto");
  a = order_go(p, s, 1, 40, NULL, NULL), b = order_go(p, d, 1, 40, NULL, NULL);
  CHECK_NEAR(apart(p, &a, &b), 0, 1e-7);
  gallery_close("circle-index2", p);
}

/* (s + gamma)^2 by its coefficients, and index 2 with one root */
static void coefficients_are_roots(void) {
  dae_problem *p = open("two-link-robot", 0);
  dae_options a = with("rk4", "baumgarte", "auto"), b = a;
  a.gamma = 2.5, b.coefficients = "6.25,5";
  order_run x = order_go(p, a, 1, 50, NULL, NULL), y = order_go(p, b, 1, 50, NULL, NULL);
  CHECK_NEAR(apart(p, &x, &y), 0, 1e-13);
  a = with("backward-euler", "index2", "auto"), b = a;
  a.gamma = 2.5, b.coefficients = "2.5";
  x = order_go(p, a, 1, 50, NULL, NULL), y = order_go(p, b, 1, 50, NULL, NULL);
  CHECK_NEAR(apart(p, &x, &y), 0, 1e-13);
  gallery_close("two-link-robot", p);
}

/* coordinates wear out sixty times and more on the way: every time new ones are chosen, and
   reported */
static void state_space_restarts(void) {
  dae_problem *p = open("rotating-index2", 1000);
  dae_options o = with("radau3", "state-space", "auto");
  o.rtol = o.atol = 1e-6;
  double z[4], y[2];
  memcpy(z, p->z0, 2 * sizeof *z);
  dae_stats stats;
  dae_report report;
  dae_status status = dae_solve(p, &o, 0, 1, z, y, &report, &stats);
  if (status != DAE_OK) printf("  %s: %s\n", dae_status_name(status), report.message);
  CHECK(status == DAE_OK);
  /* the constraint turns by 1000 rad: (1,0) and (0,1) have to alternate every quarter turn of
     1000/(pi/2) = 636 */
  CHECK(stats.restarts > 300 && stats.restarts < 1300);
  CHECK_NEAR(z[0], exp(1), 1e-4); /* the tolerance, times the growth of errors along the run */
  CHECK_NEAR(z[1], exp(1), 1e-4);
  gallery_close("rotating-index2", p);
}

int main(void) {
  RUN(state_space_is_projection);
  RUN(backward_is_post);
  RUN(ggl_is_invariant_all);
  RUN(baumgarte_is_attraction_along_B);
  RUN(coefficients_are_roots);
  RUN(state_space_restarts);
  return TEST_END();
}
