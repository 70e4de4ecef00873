/*
 * statements of the 2001 paper as experiments: the multipliers of a discrete flow are attracted
 * with the factor |R(infinity)|, 0 for half-explicit methods (Lemma 2.1 ii), to within O(h^q) or
 * O(h^r) of the true ones (iv), and discrete attractors converge (Theorem 2.2). Gauss has
 * |R(infinity)| = 1 and is excluded by (B2): shown as well.
 */
#include "march.h"

static dae_problem *open_problem(const char *name) {
  dae_problem *p = NULL;
  char text[200];
  CHECK(gallery_open(&p, name, 0, NULL, NULL, text, sizeof text) == DAE_OK);
  return p;
}

/* ---- Lemma 2.1 ii: contraction ---- */

/* two runs that differ in the first multipliers only: quotient of the differences after one more
   step */
static void contraction(const char *method, double expected) {
  dae_problem *p = open_problem("phase-lock-torus");
  march a, b;
  const double h = 0.1, off = 0.37;
  CHECK(march_open(&a, p, "direct", method, h, "recursion", 0) == DAE_OK);
  CHECK(march_open(&b, p, "direct", method, h, "recursion", off) == DAE_OK);
  double before = off;
  for (int n = 0; n < 5; n++) {
    CHECK(march_step(&a, h) == DAE_OK && march_step(&b, h) == DAE_OK);
    double difference = march_distance(2, a.step->mu, b.step->mu);
    /* here f is affine in y and the states do not feel the difference: the quotient is exact up to
       rounding, which the stages of size 1 add to differences of at least off |R|^5 > 0.05 */
    CHECK_NEAR(difference / before, expected, 1e-9);
    CHECK_NEAR(march_distance(4, a.step->z, b.step->z), 0, 1e-10);
    if (difference > 1e-3) before = difference;
  }
  march_close(&a);
  march_close(&b);
  gallery_close("phase-lock-torus", p);
}

static void multipliers_contract(void) {
  contraction("sdirk3", sqrt(3) - 1);
  contraction("radau2", 0);
  contraction("radau3", 0);
  contraction("lobatto3", 0);
  contraction("herk3", 0);
  contraction("herk4", 0);
}

static void gauss_does_not_contract(void) {
  contraction("gauss1", 1);
  contraction("gauss2", 1);
  contraction("gauss3", 1);
}

/* ---- equilibria: u converges for all methods, lambda for |R| < 1 only ---- */

/* |f(u, lambda)| after a long time: zero at the equilibrium with its multiplier */
static double unrest(const char *method) {
  dae_problem *p = open_problem("gradient-flow");
  march m;
  double f[3] = {0};
  CHECK(march_open(&m, p, "direct", method, 0.25, "recursion", 0) == DAE_OK);
  dae_status status = DAE_OK;
  for (int n = 0; n < 160 && status == DAE_OK; n++) status = march_step(&m, 0.25);
  CHECK(status == DAE_OK);
  dae_point_at(m.point, 0, m.step->z);
  CHECK(dae_point_force(m.point, m.step->mu, f) == DAE_OK);
  double most = march_distance(3, f, (double[]){0, 0, 0});
  march_close(&m);
  gallery_close("gradient-flow", p);
  return most;
}

static void equilibrium(void) {
  /* e^-40 times the slowest rate of the flow is about 1e-10 */
  CHECK(unrest("radau2") < 1e-8);
  CHECK(unrest("radau3") < 1e-8);
  CHECK(unrest("sdirk3") < 1e-8);
  CHECK(unrest("herk3") < 1e-8);
  /* the multiplier keeps the error of the start, some 1e-2 */
  CHECK(unrest("gauss2") > 1e-3);
}

/* ---- Theorem 2.2: Hausdorff distance of the attractors ---- */

/* distance of a point to the attracting cycle */
static double to_paraboloid_cycle(const double *u) {
  return hypot(hypot(u[0], u[1]) - 1, u[2] - 1);
}

static double to_sphere_cycle(const double *u) {
  return hypot(hypot(u[0], u[1]) - sqrt(1 - 0.09), u[2] - 0.3);
}

static double to_torus_cycle(const double *u) { return hypot(u[0] - u[2], u[1] - u[3]) / sqrt(2); }

typedef struct attractor {
  const char *problem;
  double (*distance)(const double *u);
  double h; /* the larger step */
} attractor;

/* largest distance of the discrete attractor (after a transient of 20 time units) from the cycle;
   the cycle is nowhere further from it, as the orbit goes round. Largest error of y against the
   consistent one as well */
static double separation(const attractor *c, const char *method, double h, double *y_error) {
  dae_problem *p = open_problem(c->problem);
  march m;
  double most = 0, a[MARCH_MAX], y[MARCH_MAX];
  *y_error = 0;
  CHECK(march_open(&m, p, "direct", method, h, "recursion", 0) == DAE_OK);
  for (int n = 1; n * h < 28; n++) {
    CHECK(march_step(&m, h) == DAE_OK);
    if (n * h < 20) continue;
    most = fmax(most, c->distance(m.step->z));
    memcpy(y, m.step->mu, (size_t)m.sys->ny * sizeof *y);
    dae_point_at(m.point, 0, m.step->z);
    CHECK(dae_point_accelerate(m.point, a, y) == DAE_OK);
    *y_error = fmax(*y_error, march_distance(m.sys->ny, m.step->mu, y));
  }
  march_close(&m);
  gallery_close(c->problem, p);
  return most;
}

/* order p of the distance and q (r) of the multipliers between h and h/2 */
static void converges(const attractor *c, const char *method, double p, double q) {
  double y1, y2, d1 = separation(c, method, c->h, &y1), d2 = separation(c, method, c->h / 2, &y2);
  double order = log2(d1 / d2), order_y = log2(y1 / y2);
  if (getenv("SHOW"))
    printf("%-24s %-9s H %.1e %.1e order %.2f  y %.1e %.1e order %.2f\n", c->problem, method, d1,
           d2, order, y1, y2, order_y);
  /* at finite steps the measured order is a little off; symmetry makes some y better than q on the
     cycles */
  CHECK(order > p - 0.35);
  CHECK(order_y > q - 0.35);
}

static void attractors_converge(void) {
  const attractor all[] = {{"limit-cycle-paraboloid", to_paraboloid_cycle, 0.1},
                           {"limit-cycle-sphere", to_sphere_cycle, 0.2},
                           {"phase-lock-torus", to_torus_cycle, 0.2}};
  for (int i = 0; i < 3; i++) {
    converges(&all[i], "radau2", 3, 2);
    converges(&all[i], "radau3", 5, 3);
    converges(&all[i], "herk3", 3, 2);
    converges(&all[i], "herk4", 4, 2);
  }
  /* stage order 1: the multipliers are of first order */
  converges(&all[2], "sdirk3", 2, 1);
}

/* ---- embedding (3.1): the constraints decay as the scalar test equation does ---- */

static void embedding_decays(void) {
  dae_problem *p = open_problem("limit-cycle-sphere");
  march m;
  char text[200];
  const double h = 0.2, eta = 3, x = -eta * h;
  m = (march){.o = dae_options_default()};
  m.o.step = h, m.o.gamma = eta, m.o.form = "embed";
  dae_base_pool_init(&m.pool, &m.o.allocator);
  CHECK(dae_problem_system_new(&m.sys, &m.pool, p) == DAE_OK);
  CHECK(dae_point_new(&m.point, &m.pool, m.sys, NULL, true) == DAE_OK);
  dae_settings o = settings_of(p, &m.o, &m.pool);
  CHECK(dae_form_view(&m.view, m.point, &o, &m.pool, text, sizeof text) == DAE_OK);
  CHECK(dae_step_new(&m.step, dae_method_find("radau2"), m.view, &o, &m.pool, text, sizeof text) ==
        DAE_OK);
  for (int i = 0; i < MARCH_MAX; i++) m.weight[i] = 1;
  m.step->weight = m.weight;
  /* a start off the sphere */
  double z[3] = {0.66, 0.05, 0.81}, u[MARCH_MAX], g, mu[MARCH_MAX] = {1.3};
  CHECK(m.view->from_z(m.view, 0, z, u) == DAE_OK);
  dae_point_at(m.point, 0, z);
  CHECK(dae_point_level(m.point, 0, &g) == DAE_OK);
  CHECK(m.step->cls->restart(m.step, 0, u, mu) == DAE_OK);
  /* stability function of Radau IIA with two stages */
  const double R = (1 + x / 3) / (1 - 2 * x / 3 + x * x / 6);
  for (int n = 0; n < 8; n++) {
    CHECK(march_step(&m, h) == DAE_OK);
    double now;
    dae_point_at(m.point, 0, m.step->z);
    CHECK(dae_point_level(m.point, 0, &now) == DAE_OK);
    g *= R;
    CHECK_NEAR(now, g, 1e-12);
  }
  march_close(&m);
  gallery_close("limit-cycle-sphere", p);
}

int main(void) {
  RUN(multipliers_contract);
  RUN(gauss_does_not_contract);
  RUN(equilibrium);
  RUN(attractors_converge);
  RUN(embedding_decays);
  return TEST_END();
}
