/* the solver against what is known of every problem: exact solutions and independent reference
   values */
#include "gallery_test.h"

/*
 * Relative and absolute tolerance of a step are 1e-10. Errors of the steps add up and grow with the
 * motion, so the distance at the end may be a few thousand times that; a wrong equation or
 * reference is off by 1e-3 and more.
 */
static const double tolerance = 1e-10, allowed = 5e-7;

static double distance(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double off = fabs(a[i] - b[i]) / fmax(1, fabs(b[i]));
    if (!(off <= most)) most = off; /* NaN counts */
  }
  return most;
}

static void check_distance(const dae_problem *p, double t, double off) {
  test_checks++;
  if (!(off <= allowed)) {
    test_failures++;
    printf("%s: %g away from the known solution at t=%g\n", p->name, off, t);
  }
}

/* advances to t and says whether that went well */
static bool advance(dae_solver *s, const dae_problem *p, double t) {
  dae_status status = dae_solver_advance(s, t);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("  %s at t=%g: %s\n", p->name, t, dae_solver_report(s)->message);
  return status == DAE_OK;
}

static void run(const dae_problem *p) {
  dae_solver *s = NULL;
  dae_options o = dae_options_default();
  o.rtol = o.atol = tolerance;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  if (!s) return;
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  double end = p->t1, z[MAX_N], y[MAX_N];
  for (int i = 0; i < p->n_ref; i++) {
    const dae_reference *r = &p->ref[i];
    if (r->t > end || !advance(s, p, r->t)) break;
    check_distance(p, r->t, distance(size_z(p), dae_solver_z(s), r->z));
    if (r->y) check_distance(p, r->t, distance(size_y(p), dae_solver_y(s), r->y) / 10);
  }
  if (p->exact && advance(s, p, end)) {
    CHECK(p->exact(end, z, y, p->ctx) == 0);
    check_distance(p, end, distance(size_z(p), dae_solver_z(s), z));
    check_distance(p, end, distance(size_y(p), dae_solver_y(s), y) / 10);
  }
  dae_solver_free(s);
}

/* other parameters have exact solutions too, and the second start of slider-crank-singular has
   references */
static void test_known(void) {
  dae_problem *p;
  for (int i = 0; (p = open_case(i)); i++) {
    /* something is known of every problem; test_bvp has those with boundary conditions */
    if (gallery_at(i)) CHECK(p->exact || p->n_ref > 0 || p->boundary);
    if (!p->boundary) run(p);
    gallery_close(p->name, p);
  }
}

int main(void) {
  RUN(test_known);
  return TEST_END();
}
