/* the gallery as text gives what its C twin gives: same form, same numbers with the same fixed
   steps */
#include <stdlib.h>

#include <daedal/daedal.h>
#include <gallery.h>

#include "test.h"

/* x[3] of the text is x3 in C */
static bool same_name(const char *text, const char *twin) {
  while (*text && *twin) {
    if (*text == '[' || *text == ']') {
      text++;
      continue;
    }
    if (*text++ != *twin++) return false;
  }
  if (*text == ']') text++;
  return !*text && !*twin;
}

static int find(const dae_problem *p, const char *twin, bool y) {
  int count = y ? dae_problem_ny(p) : dae_problem_nz(p);
  char name[80];
  for (int i = 0; i < count; i++) {
    if (y) dae_problem_y_name(p, i, name, sizeof name);
    else dae_problem_z_name(p, i, name, sizeof name);
    if (same_name(name, twin)) return i;
  }
  return -1;
}

/* classical Runge-Kutta on the eliminated form with projection: N steps from the start of the
   problem */
static int run(const dae_problem *p, double share, double *z, double *y) {
  dae_options o = dae_options_default();
  o.step = share * (p->t1 - p->t0) / 40;
  o.method = "rk4";
  o.form = "index1";
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  if (p->y0) memcpy(y, p->y0, (size_t)dae_problem_ny(p) * sizeof *y);
  return dae_solve(p, &o, p->t0, p->t0 + share * (p->t1 - p->t0), z, y, NULL, NULL);
}

enum { MOST = 200 };

/* all variables of two points, by name; the same operations in another order differ by rounding
   only */
static void same_point(const char *name, const dae_problem *p, const double *z, const double *y,
                       const dae_problem *twin, const double *zt, const double *yt) {
  int nx = dae_problem_nx(twin), order = dae_problem_order(twin), before = test_failures;
  char text[80];
  for (int j = 0; j < nx; j++) {
    int i = find(p, dae_problem_z_name(twin, j, text, sizeof text), false);
    CHECK(i >= 0);
    for (int k = 0; k < order && i >= 0; k++)
      CHECK_NEAR(z[k * nx + i], zt[k * nx + j], 1e-10 * (1 + fabs(zt[k * nx + j])));
  }
  for (int j = 0; j < dae_problem_ny(twin); j++) {
    int i = find(p, dae_problem_y_name(twin, j, text, sizeof text), true);
    CHECK(i >= 0);
    if (i >= 0) CHECK_NEAR(y[i], yt[j], 1e-10 * (1 + fabs(yt[j])));
  }
  if (test_failures > before) printf("%s differs\n", name);
}

static void compare(const char *name, const dae_problem *p, const dae_problem *twin, double share) {
  double z[MOST], y[MOST] = {0}, zt[MOST], yt[MOST] = {0};
  CHECK(p->kind == twin->kind);
  CHECK(dae_problem_nz(p) == dae_problem_nz(twin) && dae_problem_ny(p) == dae_problem_ny(twin));
  CHECK(dae_problem_nh(p) == dae_problem_nh(twin));
  CHECK_NEAR(p->t1, twin->t1, 1e-14 * twin->t1);
  if (p->kind != twin->kind || dae_problem_nz(p) != dae_problem_nz(twin)) {
    printf("%s: another form\n", name);
    return;
  }
  CHECK(run(p, share, z, y) == DAE_OK);
  CHECK(run(twin, share, zt, yt) == DAE_OK);
  same_point(name, p, z, y, twin, zt, yt);
}

/* how far to go: before singular positions, where a change of rounding may choose another branch,
   and for mechanisms that shake fast only as long as 40 steps resolve them */
static const struct {
  const char *name;
  double share;
} twins[] = {
    {"pendulum", 0.05},
    {"slider-crank", 0.2},
    {"flexible-crank", 0.01},
    {"andrews", 0.05},
    {"car-axis", 0.02},
    {"double-slider", 0.02},
    {"pendulum-chain", 0.2},
    {"charged-particles", 0.1},
    {"slider-crank-singular", 0.02},
    {"two-link-robot", 0.5},
    {"driven-pendulum", 1},
    {"driven-arm", 1},
    {"driven-sphere", 1},
    {"linear-index2", 1},
    {"rotating-index2", 1},
    {"linear-index3", 1},
    {"rotating-index3", 0.1},
    {"linear-order3", 1},
    {"circle-index2", 1},
    {"singular-bounded", 0.4},
    {"singular-unbounded", 0.4},
    {"singular-direction", 0.5},
    {"limit-cycle-sphere", 0.2},
    {"limit-cycle-paraboloid", 0.1},
    {"phase-lock-torus", 0.2},
    {"gradient-flow", 0.05},
    {"cubic-invariant", 0.2},
    {"kepler", 0.1},
    {"heavy-top", 0.05},
    {"stiff-loop", 0.0002}, /* its spring asks for steps of 1e-5 */
    {"ring-redundant", 0.3},
    {"rod-net", 0.5},
    {"strandbeest", 0.1},
    {"four-bar", 0.1},
    {"bead-bounce", 0.3},
};

/* text and twin of a gallery problem; false when one of them cannot be had */
static bool open_both(const char *name, dae_model **m, dae_problem **twin) {
  char path[400], message[300] = "";
  dae_model_options o = {.compiler = ""};
  snprintf(path, sizeof path, SOURCE_DIR "/gallery/%s.mo", name);
  dae_status status = dae_model_read_file(m, path, &o);
  if (status == DAE_OK) status = dae_model_build(*m);
  CHECK(status == DAE_OK);
  CHECK_STR(dae_model_messages(*m), "");
  CHECK(gallery_open(twin, name, 0, NULL, NULL, message, sizeof message) == DAE_OK);
  return status == DAE_OK && *twin;
}

static void close_both(const char *name, dae_model *m, dae_problem *twin) {
  gallery_close(name, twin);
  dae_model_free(m);
}

static void test_twins(void) {
  for (size_t k = 0; k < sizeof twins / sizeof *twins; k++) {
    dae_model *m;
    dae_problem *twin;
    if (open_both(twins[k].name, &m, &twin))
      compare(twins[k].name, dae_model_problem(m), twin, twins[k].share);
    close_both(twins[k].name, m, twin);
  }
}

static dae_solution *solve_bvp(const dae_problem *p, double tol, int mesh) {
  dae_options o = dae_options_default();
  dae_solution *s = NULL;
  dae_report report;
  o.rtol = o.atol = tol;
  o.mesh = mesh;
  o.fixed_mesh = mesh > 0;
  o.method = "colloc-gauss4";
  dae_status status = dae_bvp_solve(p, &o, NULL, &s, &report);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("%s\n", report.message);
  return s;
}

static const char *const boundary_names[] = {
    "bvp-linear-index2", "bvp-linear-index3", "bvp-linear-order3", "bvp-rotating-index3",
    "bvp-pendulum",      "bvp-arm",           "bvp-sphere",        "bvp-robot",
    "bvp-control",       "bvp-layer"};

/* boundary values: the same on the same mesh, whatever the guess was */
static void test_boundary_twins(void) {
  for (size_t k = 0; k < sizeof boundary_names / sizeof *boundary_names; k++) {
    dae_model *m;
    dae_problem *twin;
    if (open_both(boundary_names[k], &m, &twin)) {
      const dae_problem *p = dae_model_problem(m);
      CHECK(p->kind == twin->kind && p->boundary && p->boundary->n == twin->boundary->n);
      dae_solution *a = solve_bvp(p, 1e-12, 24), *b = solve_bvp(twin, 1e-12, 24);
      for (int i = 0; i <= 7 && a && b; i++) {
        double z[MOST], y[MOST], zt[MOST], yt[MOST], t = p->t0 + i / 7.0 * (p->t1 - p->t0);
        CHECK(dae_solution_eval(a, t, z, y, NULL) == DAE_OK);
        CHECK(dae_solution_eval(b, t, zt, yt, NULL) == DAE_OK);
        same_point(boundary_names[k], p, z, y, twin, zt, yt);
      }
      dae_solution_free(a);
      dae_solution_free(b);
    }
    close_both(boundary_names[k], m, twin);
  }
}

/* unknown numbers are variables in text and parameters in C: another discretization of the same
   problem, so both are compared through errors of the tolerance */
static const struct {
  const char *name, *number[2], *variable;
} unknown[] = {{"bvp-eigenvalue", {"lambda", NULL}, "u"}, {"bvp-elastica", {"F1", "F2"}, "u2"}};

static void test_unknown_numbers(void) {
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
    dae_model *m;
    dae_problem *twin;
    if (open_both(unknown[k].name, &m, &twin)) {
      const dae_problem *p = dae_model_problem(m);
      dae_solution *a = solve_bvp(p, 1e-11, 0), *b = solve_bvp(twin, 1e-11, 0);
      double z[MOST], zt[MOST], y[MOST], t = p->t0 + 0.37 * (p->t1 - p->t0);
      CHECK(a && b && dae_solution_eval(a, t, z, y, NULL) == DAE_OK);
      CHECK(b && dae_solution_eval(b, t, zt, y, NULL) == DAE_OK);
      int i = find(p, unknown[k].variable, false), j = find(twin, unknown[k].variable, false);
      CHECK(i >= 0 && j >= 0);
      if (i >= 0 && j >= 0) CHECK_NEAR(z[i], zt[j], 1e-10);
      for (int n = 0; n < 2 && unknown[k].number[n]; n++) {
        i = find(p, unknown[k].number[n], false);
        CHECK(i >= 0);
        if (i >= 0) CHECK_NEAR(z[i], twin->boundary->parameter_exact[n], 1e-9 * fabs(z[i]));
      }
      dae_solution_free(a);
      dae_solution_free(b);
    }
    close_both(unknown[k].name, m, twin);
  }
}

/* no problem of the gallery is without its text */
static void test_all(void) {
  for (int i = 0; gallery_at(i); i++) {
    const char *name = gallery_at(i)->name;
    bool found = false;
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
      found |= strcmp(twins[k].name, name) == 0;
    for (size_t k = 0; k < sizeof boundary_names / sizeof *boundary_names; k++)
      found |= strcmp(boundary_names[k], name) == 0;
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
      found |= strcmp(unknown[k].name, name) == 0;
    CHECK(found);
    if (!found) printf("%s has no text that is compared\n", name);
  }
}

/* a rod stated twice is no mistake: the motion is the same */
static void test_redundant_ring(void) {
  dae_model *m;
  dae_problem *twin;
  double z[MOST], y[MOST] = {0}, zt[MOST], yt[MOST] = {0};
  if (open_both("ring-redundant", &m, &twin)) {
    CHECK(dae_model_set(m, "duplicate", 1) == DAE_OK && dae_model_build(m) == DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    CHECK(p && dae_problem_ny(p) == dae_problem_ny(twin) + 1);
    CHECK(run(p, 0.3, z, y) == DAE_OK && run(twin, 0.3, zt, yt) == DAE_OK);
    int i = find(p, "lambda6", true), j = find(p, "lambda11", true);
    CHECK(i >= 0 && j >= 0);
    if (i >= 0 && j >= 0) y[i] += y[j]; /* only the sum of the two tensions is determined */
    same_point("ring-redundant with a rod twice", p, z, y, twin, zt, yt);
  }
  close_both("ring-redundant", m, twin);
}

int main(void) {
  RUN(test_twins);
  RUN(test_boundary_twins);
  RUN(test_unknown_numbers);
  RUN(test_all);
  RUN(test_redundant_ring);
  return TEST_END();
}
