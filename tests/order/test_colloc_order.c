/* orders of projected collocation at mesh points, between them and in y, for initial and boundary
   values */
#include "colloc_bvp.h"
#include "colloc_run.h"
#include "colloc_wave.h"
#include "test.h"

enum { LEVELS = 3 };

/* errors of one method on n, 2n and 4n intervals, as boundary and as initial value problem */
typedef struct runs {
  bvp_errors bvp[3];
  colloc_errors ivp[3];
} runs;

static runs run_all(const dae_problem *p, const char *method, int n, const char *project) {
  runs r;
  for (int i = 0; i < 3; i++) {
    r.bvp[i] = bvp_run(p, method, n << i, "index2", project);
    r.ivp[i] = colloc_run(p, method, n << i, "index2", project, "auto");
    CHECK(r.bvp[i].status == DAE_OK && r.ivp[i].status == DAE_OK);
  }
  return r;
}

/* the observed order is in [low, high]; a third of an order is allowed on each side by the callers,
   as the next order, or the one below, is a whole one away and meshes are finite. NAN is in no
   interval */
static void check_order(const dae_problem *p, const char *method, const char *what, double coarse,
                        double fine, double low, double high) {
  double got = log2(coarse / fine);
  test_checks++;
  if (got >= low - 0.33 && got <= high + 0.33) return;
  test_failures++;
  printf("%s %s: order %.2f in %s (%.1e, %.1e), expected %g to %g\n", p->name, method, got, what,
         coarse, fine, low, high);
}

/* expected[l] of x^(l) at mesh points, at least between[l] elsewhere (an error at mesh points may
   hide it), y_order of y */
static void check_runs(const dae_problem *p, const char *method, const runs *r,
                       const double *expected, const double *between, double y_order) {
  for (int l = 0; l < dae_problem_order(p); l++) {
    char what[80];
    snprintf(what, sizeof what, "x^(%d) at mesh points", l);
    check_order(p, method, what, r->bvp[0].mesh[l], r->bvp[1].mesh[l], expected[l], expected[l]);
    snprintf(what, sizeof what, "x^(%d) of the initial value problem", l);
    check_order(p, method, what, r->ivp[0].z[l], r->ivp[1].z[l], expected[l], expected[l]);
    snprintf(what, sizeof what, "x^(%d) between mesh points", l);
    check_order(p, method, what, r->bvp[0].between[l], r->bvp[1].between[l], between[l],
                expected[l]);
  }
  /* errors of y are larger, so that finer meshes may be looked at */
  check_order(p, method, "y", r->bvp[1].y, r->bvp[2].y, y_order, y_order);
}

/* AP92: p = 2k (Gauss, projected), 2k-1 (Radau) at mesh points, min(k+m-l, p) between, k in y */
static void measure(const dae_problem *p, bool radau, int k, int n) {
  char method[32];
  double expected[LEVELS], between[LEVELS];
  int m = dae_problem_order(p), order = radau ? 2 * k - 1 : 2 * k;
  snprintf(method, sizeof method, "colloc-%s%d", radau ? "radau" : "gauss", k);
  for (int l = 0; l < m; l++) {
    expected[l] = order;
    between[l] = fmin(k + m - l, order);
  }
  runs r = run_all(p, method, n, "velocity");
  check_runs(p, method, &r, expected, between, k);
}

/* Gauss points without projection: k (k even) or k+1 (k odd) in x^(m-1), one less in y; below
   x^(m-1) nothing is lost */
static void measure_unprojected(const dae_problem *p, int k, int n) {
  char method[32];
  double expected[LEVELS], between[LEVELS];
  int m = dae_problem_order(p), lost = k % 2 ? k + 1 : k;
  snprintf(method, sizeof method, "colloc-gauss%d", k);
  for (int l = 0; l < m; l++) {
    expected[l] = l == m - 1 ? lost : 2 * k;
    between[l] = fmin(l == m - 1 ? lost : lost + 1, k + m - l);
  }
  runs r = run_all(p, method, n, "none");
  check_runs(p, method, &r, expected, between, lost - 1);
}

/* the wave is fast enough for errors of 1e-13 and more on meshes where its order shows; rounding
   is 1e-14 at most */
static int wave_mesh(int k) { return k < 5 ? 48 : 20; }

static void test_orders(void) {
  for (int m = 1; m <= 3; m++) {
    wave w = wave_new(m, 14);
    for (int k = m > 2 ? m : 2; k <= 5; k++)
      for (int radau = 0; radau < 2; radau++) measure(wave_problem(&w), radau, k, wave_mesh(k));
  }
}

static void test_unprojected(void) {
  for (int m = 1; m <= 3; m++) {
    wave w = wave_new(m, 14);
    for (int k = m > 2 ? m : 2; k <= 4; k++) measure_unprojected(wave_problem(&w), k, wave_mesh(k));
  }
}

/* the same on nonlinear constraints, and with a right-hand side that is nonlinear in y (sphere):
   coarse meshes, as these solutions are smooth; k = 3 keeps errors above rounding */
static void test_gallery(void) {
  static const struct {
    const char *name;
    int n;
  } entry[] = {{"bvp-sphere", 6}, {"bvp-pendulum", 12}, {"bvp-arm", 6}};
  for (int i = 0; i < 3; i++)
    for (int radau = 0; radau < 2; radau++) {
      char message[256];
      dae_problem *p;
      CHECK(gallery_open(&p, entry[i].name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
      measure(p, radau, 3, entry[i].n);
      gallery_close(entry[i].name, p);
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
    bvp_errors b[2];
    for (int i = 0; i < 2; i++) {
      b[i] = bvp_run(p, "colloc-gauss2", 16 << i, form[f], "auto");
      CHECK(b[i].status == DAE_OK);
    }
    check_order(p, form[f], "x", b[0].mesh[0], b[1].mesh[0], 4, 4);
    check_order(p, form[f], "x'", b[0].mesh[1], b[1].mesh[1], 4, 4);
  }
  gallery_close("bvp-pendulum", p);
}

/* initial values on t_i = (i/5)^2 */
static void test_graded(void) {
  wave w = wave_new(2, 3);
  dae_options o = dae_options_default();
  dae_solver *s;
  dae_report r;
  double z[4], y[1];
  o.method = "colloc-gauss3";
  o.mesh = 5;
  o.mesh_grade = 2;
  o.fixed_mesh = 1;
  dae_problem p = *wave_problem(&w);
  p.boundary = NULL;
  dae_status status = dae_solver_new(&s, &p, &o, &r);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) return;
  wave_exact(0, z, y, &w);
  CHECK(dae_solver_start(s, 0, z, y) == DAE_OK);
  for (int i = 1; i <= 5; i++) {
    CHECK(dae_solver_step(s, 1) == DAE_OK);
    CHECK_NEAR(dae_solver_time(s), i * i / 25.0, 1e-15);
  }
  dae_solver_free(s);
}

int main(void) {
  RUN(test_graded);
  RUN(test_orders);
  RUN(test_unprojected);
  RUN(test_gallery);
  RUN(test_useless_without);
  RUN(test_forms);
  return TEST_END();
}
