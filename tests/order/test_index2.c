/*
 * orders of the implicit and half-explicit methods, measured on the last pair of step sizes that
 * rounding does not touch, against the table of methods: x of order p, y of order_y, on index-2
 * problems and on index-3 problems in both forms
 */
#include "march.h"

typedef struct test_case {
  const char *problem, *form;
  double t1;
  bool turning; /* the direction of f_y depends on y */
} test_case;

/* the solution by an explicit method of order 8 on the underlying ODE with small steps */
static bool reference(const dae_problem *p, double t1, double *z, double *y) {
  if (!march_to(p, "index1", "dop853", t1, 3000, z, NULL)) return false;
  march m;
  double a[MARCH_MAX];
  bool ok = march_open(&m, p, "index1", "dop853", 1, "auto", 0) == DAE_OK;
  if (p->y0) memcpy(y, p->y0, (size_t)m.sys->ny * sizeof *y);
  if (ok) dae_point_at(m.point, t1, z);
  ok = ok && dae_point_accelerate(m.point, a, y) == DAE_OK;
  march_close(&m);
  return ok;
}

/* order from the errors of three runs, each with half the step of the one before: of the last pair,
   or over both when an error that changes its sign makes one pair look worse */
static double order_of(const double *error) {
  double last = log2(error[1] / error[2]);
  return error[0] > 0 ? fmax(last, log2(error[0] / error[2]) / 2) : last;
}

static void shift(double *error, double value) {
  error[0] = error[1];
  error[1] = error[2];
  error[2] = value;
}

/* the orders for the largest number of steps whose error is well above rounding */
static void measure(const test_case *c, const dae_problem *p, const dae_method *m,
                    const double *z_ref, const double *y_ref, double *order_z, double *order_y) {
  const int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  double ez[3] = {0}, ey[3] = {0};
  *order_z = *order_y = INFINITY;
  for (int n = 2; n <= 256; n *= 2) {
    double z[MARCH_MAX], y[MARCH_MAX];
    if ((n < 8 && m->order < 5) || !march_to(p, c->form, m->name, c->t1, n, z, y)) continue;
    shift(ez, march_distance(nz, z, z_ref));
    shift(ey, march_distance(ny, y, y_ref));
    /* below 3e-13 of z of size 1 rounding of some hundred steps begins; y has it divided by h */
    if (ez[1] > 0 && ez[2] > 3e-13) *order_z = order_of(ez);
    if (ey[1] > 0 && ey[2] > 1e-10) *order_y = order_of(ey);
  }
}

static bool tested(const char *name) {
  static const char *const family[] = {"gauss", "radau", "lobatto", "sdirk", "bdf", "herk"};
  for (size_t i = 0; i < sizeof family / sizeof *family; i++)
    if (strncmp(name, family[i], strlen(family[i])) == 0) return true;
  return false;
}

static void run(const test_case *c) {
  dae_problem *p;
  char text[200];
  double z_ref[MARCH_MAX], y_ref[MARCH_MAX];
  CHECK(gallery_open(&p, c->problem, 0, NULL, NULL, text, sizeof text) == DAE_OK);
  CHECK(reference(p, c->t1, z_ref, y_ref));
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *m = dae_method_at(i);
    double order_z, order_y;
    if (!tested(m->name) || (!m->implicit && strcmp(c->form, "ggl") == 0)) continue;
    measure(c, p, m, z_ref, y_ref, &order_z, &order_y);
    /* stage order 1 makes the projection of sdirk3 too crude when its direction turns with y
       (2001) */
    int order = c->turning && strcmp(m->name, "sdirk3") == 0 ? 2 : m->order;
    /* a measured order is a little below the true one at finite steps; high ones are seen at large
       steps only */
    bool good = order_z > order - (order > 6 ? 1.0 : 0.35) && order_y > m->order_y - 0.35;
    CHECK(good);
    if (!good || getenv("SHOW"))
      printf("%-20s %-8s %-9s x %5.2f of %d  y %5.2f of %d\n", c->problem, c->form, m->name,
             order_z, order, order_y, m->order_y);
  }
  gallery_close(c->problem, p);
}

static void index2_sphere(void) { run(&(test_case){"limit-cycle-sphere", "direct", 1.2, true}); }
static void index2_torus(void) { run(&(test_case){"phase-lock-torus", "direct", 1.0, false}); }
static void index2_gradient(void) { run(&(test_case){"gradient-flow", "direct", 1.6, false}); }
static void index3_arm(void) { run(&(test_case){"driven-arm", "index2", 1.0, false}); }
static void index3_arm_ggl(void) { run(&(test_case){"driven-arm", "ggl", 1.0, false}); }
static void index3_pendulum(void) { run(&(test_case){"driven-pendulum", "index2", 1.0, false}); }
static void index3_pendulum_ggl(void) { run(&(test_case){"driven-pendulum", "ggl", 1.0, false}); }

int main(void) {
  RUN(index2_sphere);
  RUN(index2_torus);
  RUN(index2_gradient);
  RUN(index3_arm);
  RUN(index3_arm_ggl);
  RUN(index3_pendulum);
  RUN(index3_pendulum_ggl);
  return TEST_END();
}
