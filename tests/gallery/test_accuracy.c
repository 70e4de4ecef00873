/* label: study. The promise of a tolerance: at the end of the run the error is within ten times
   it, and no accepted point or output point is off the constraints by more than ten times ctol */
#include "gallery_test.h"

static const char *const problems[] = {"andrews", "car-axis", "pendulum", "slider-crank"};
/* what auto takes, the best explicit, half-explicit and stiff ones */
static const char *const methods[] = {"auto", "dop853", "herk5", "radau3", "radau5"};
static const double tolerances[] = {1e-4, 1e-7, 1e-10};
static const double ctol = 4e-15, factor = 10;

/* largest sum of the terms of a constraint at a level, |G| |x^(l)|, where a level at rest has the
   size of z */
static double terms(const dae_problem *p, double t, const double *z, int level) {
  static double G[MAX_N * MAX_N];
  int n = size_x(p), rows = size_y(p);
  double most = 0, size = 0, all = 0;
  const double *x = z + level * n;
  for (int j = 0; j < 2 * n; j++) all = fmax(all, fabs(z[j]));
  for (int j = 0; j < n; j++) size = fmax(size, fabs(x[j]));
  if (size == 0) size = all;
  CHECK(dense_gradient(p, t, z, G) == 0);
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(G[i * n + j]) * (fabs(x[j]) + 0.1 * size);
    most = fmax(most, sum);
  }
  return most;
}

/* the largest drift at a point in units of ctol times the terms, which count as they were largest
   so far: at a turning point nothing is left of those of a velocity */
static double drift_at(dae_solver *s, const dae_problem *p, double t, const double *z,
                       double *size) {
  double drift[DAE_ORDER_MAX], most = 0;
  CHECK(dae_solver_drift(s, t, z, drift) == DAE_OK);
  for (int l = 0; l < 2; l++) {
    size[l] = fmax(size[l], terms(p, t, z, l));
    most = fmax(most, drift[l] / (ctol * size[l]));
  }
  return most;
}

/* |z_i - r_i| / (1 + |r_i|): what rtol = atol measure */
static double error_at_end(const dae_solver *s, const dae_problem *p) {
  double z[MAX_N], y[MAX_N], most = 0;
  const double *r = z;
  if (p->exact) CHECK(p->exact(p->t1, z, y, p->ctx) == 0);
  else r = p->ref[p->n_ref - 1].z;
  CHECK(p->exact || p->ref[p->n_ref - 1].t == p->t1);
  for (int i = 0; i < size_z(p); i++) {
    double off = fabs(dae_solver_z(s)[i] - r[i]) / (1 + fabs(r[i]));
    if (!(off <= most)) most = off; /* NaN counts */
  }
  return most;
}

static void run(const dae_problem *p, const char *method, double tol) {
  dae_options o = dae_options_default();
  dae_solver *s = NULL;
  o.rtol = o.atol = tol;
  o.ctol = ctol;
  o.method = method;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  if (!s) return;
  dae_status status = dae_solver_start(s, p->t0, NULL, NULL);
  double drift = 0, size[2] = {0, 0}, z[MAX_N];
  for (long n = 0; status == DAE_OK && dae_solver_time(s) < p->t1; n++) {
    status = dae_solver_step(s, p->t1);
    if (n % 7) continue;
    double t = dae_solver_time(s), inside = t - 0.37 * (t - dae_solver_previous_time(s));
    drift = fmax(drift, drift_at(s, p, t, dae_solver_z(s), size));
    CHECK(dae_solver_eval(s, inside, z, NULL) == DAE_OK);
    drift = fmax(drift, drift_at(s, p, inside, z, size));
  }
  CHECK(status == DAE_OK);
  double error = error_at_end(s, p) / tol;
  CHECK(error <= factor);
  CHECK(drift <= factor);
  if (error > factor || drift > factor)
    printf("  %s, %s at %g: error of %.3g tolerances, drift of %.3g ctol\n", p->name, method, tol,
           error, drift);
  dae_solver_free(s);
}

static void to_the_end(const dae_problem *p, const char *form, const char *method,
                       const char *direction, double tol) {
  dae_options o = dae_options_default();
  dae_solver *s = NULL;
  o.rtol = o.atol = tol;
  o.form = form;
  o.method = method;
  o.direction = direction;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  if (!s) return;
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  dae_status status = dae_solver_advance(s, p->t1);
  double error = error_at_end(s, p) / tol;
  CHECK(status == DAE_OK && error <= factor);
  if (status != DAE_OK || error > factor)
    printf("  %s, %s with %s at %g: %s, error of %.3g tolerances\n", p->name, form, method, tol,
           dae_status_name(status), error);
  dae_solver_free(s);
}

/* every adaptive method in the form that goes with it, on problems where its steps are cheap, down
   to the tightest tolerance that it takes; a million steps of order 1 are left out */
static void run_all_methods(void) {
  static const char *const cheap[] = {"slider-crank", "circle-index2"};
  static const double tolerance[] = {1e-3, 1e-5, 1e-7, 1e-10};
  const dae_method *m;
  for (int k = 0; k < 2 * 4; k++) {
    dae_problem *p;
    char message[200];
    double tol = tolerance[k % 4];
    CHECK(gallery_open(&p, cheap[k / 4], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    for (int i = 0; (m = dae_method_at(i)); i++) {
      bool few_stages = m->view == DAE_VIEW_PROBLEM && m->stages < dae_problem_order(p);
      if (m->estimate == 0 || few_stages || tol < dae_method_tightest(m)) continue;
      if (m->order == 1 && tol < 1e-3) continue;
      to_the_end(p, "auto", m->name, "auto", tol);
    }
    gallery_close(cheap[k / 4], p);
  }
}

/* forms that leave something to chance: `invariant` has the positions only, so that velocities
   are projected; the first iterate of `srm` begins with the multipliers of the start */
static void run_forms(void) {
  static const struct {
    const char *problem, *form, *method;
    double tol;
  } c[] = {{"strandbeest", "invariant", "radau3", 1e-8},
           {"strandbeest", "invariant", "radau5", 1e-6},
           {"slider-crank", "srm", "auto", 1e-4},
           {"slider-crank", "srm", "auto", 1e-6}};
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    dae_problem *p;
    CHECK(gallery_open(&p, c[i].problem, 0, NULL, NULL, NULL, 0) == DAE_OK);
    to_the_end(p, c[i].form, c[i].method, "auto", c[i].tol);
    gallery_close(c[i].problem, p);
  }
}

/* a rod stated twice, in every direction of projection */
static void run_directions(void) {
  static const char *const set[] = {"duplicate"};
  static const char *const direction[] = {"full", "block", "mass", "pinv", "constraint"};
  const double twice = 1;
  dae_problem *p;
  CHECK(gallery_open(&p, "ring-redundant", 1, set, &twice, NULL, 0) == DAE_OK);
  for (int i = 0; i < 10; i++)
    to_the_end(p, "auto", i < 5 ? "dop853" : "radau5", direction[i % 5], 1e-6);
  gallery_close("ring-redundant", p);
}

int main(void) {
  run_all_methods();
  run_forms();
  run_directions();
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    dae_problem *p;
    char message[200];
    CHECK(gallery_open(&p, problems[i], 0, NULL, NULL, message, sizeof message) == DAE_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
      for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
        run(p, methods[m], tolerances[k]);
    gallery_close(problems[i], p);
  }
  return TEST_END();
}
