/* every boundary value problem of the gallery at three tolerances: the true error against what was
   asked */
#include <gallery.h>

#include "test.h"

enum { MOST = 16 };

/* largest error over all elements, mesh points and between, in units of the tolerance */
static double true_error(const dae_problem *p, const dae_solution *s, double tol) {
  int n, nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  const double *t = dae_solution_mesh(s, &n);
  double z[MOST], y[MOST], ze[MOST], ye[MOST], worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= 13; j++) {
      double at = t[i] + (t[i + 1] - t[i]) * j / 13;
      CHECK(dae_solution_eval(s, at, z, y, NULL) == DAE_OK);
      p->exact(at, ze, ye, p->ctx);
      for (int c = 0; c < nz; c++)
        worst = fmax(worst, fabs(z[c] - ze[c]) / (tol + tol * fabs(ze[c])));
      for (int c = 0; c < ny; c++)
        worst = fmax(worst, fabs(y[c] - ye[c]) / (tol + tol * fabs(ye[c])));
    }
  return worst;
}

static void solve(const gallery_entry *entry, dae_problem *p, double tol) {
  dae_options o = dae_options_default();
  dae_report report;
  dae_solution *s;
  o.rtol = o.atol = tol;
  dae_status status = dae_bvp_solve(p, &o, NULL, &s, &report);
  if (status != DAE_OK) printf("%s at %g: %s\n", entry->name, tol, report.message);
  CHECK(status == DAE_OK && s != NULL);
  if (!s) return;
  /* the project promises a factor of 3 */
  if (p->exact) CHECK(true_error(p, s, tol) <= 3);
  CHECK(dae_solution_error(s, NULL, NULL) <= 1);
  for (int i = 0; i < p->boundary->n_parameter; i++)
    CHECK_NEAR(dae_solution_parameter(s)[i], p->boundary->parameter_exact[i],
               3 * tol * (1 + fabs(p->boundary->parameter_exact[i])));
  int n;
  dae_solution_mesh(s, &n);
  printf("%-22s %.0e: %3d intervals\n", entry->name, tol, n);
  dae_solution_free(s);
}

static void test_gallery(void) {
  int found = 0;
  for (int i = 0; gallery_at(i); i++) {
    const gallery_entry *entry = gallery_at(i);
    char message[256];
    dae_problem *p;
    if (gallery_open(&p, entry->name, 0, NULL, NULL, message, sizeof message) != DAE_OK) continue;
    if (p->boundary) {
      found++;
      for (double tol = 1e-3; tol > 1e-10; tol *= 1e-3) solve(entry, p, tol);
    }
    entry->close(p);
  }
  CHECK(found >= 8);
}

/* a layer of width 1e-6 from ten equal intervals */
static void test_thin_layer(void) {
  const char *name[] = {"eps"};
  double eps[] = {1e-6};
  char message[256];
  dae_problem *p;
  CHECK(gallery_open(&p, "bvp-layer", 1, name, eps, message, sizeof message) == DAE_OK);
  for (double tol = 1e-3; tol > 1e-10; tol *= 1e-3) solve(gallery_find("bvp-layer"), p, tol);
  gallery_close("bvp-layer", p);
}

int main(void) {
  RUN(test_gallery);
  RUN(test_thin_layer);
  return TEST_END();
}
