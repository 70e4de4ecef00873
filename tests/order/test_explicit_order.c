/* every fixed-step explicit method on every gallery problem with an exact solution: orders of x and
   y as in its table entry; and theorem 3.3 of 1992-stab on kepler */
#include <gallery.h>
#include <stdlib.h>

#include "test.h"

typedef struct errors {
  double x, y, drift;
} errors;

/* largest errors of z and y at the end of [t0, t0 + span] with n steps */
static errors march(const dae_problem *p, const char *method, const char *stabilize, double span,
                    int n) {
  errors e = {NAN, 0, 0};
  dae_options o = dae_options_default();
  o.method = method;
  o.form = "index1";
  o.stabilize = stabilize;
  o.step = span / n;
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  double *z = malloc((size_t)(2 * nz + 2 * ny + 1) * sizeof *z), *exact = z + nz, *y = exact + nz,
         *ye = y + ny;
  dae_stats stats;
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  if (dae_solve(p, &o, p->t0, p->t0 + span, z, y, NULL, &stats) == DAE_OK &&
      p->exact(p->t0 + span, exact, ye, p->ctx) == 0) {
    e.x = 0;
    for (int i = 0; i < nz; i++) e.x = fmax(e.x, fabs(z[i] - exact[i]));
    for (int i = 0; i < ny; i++) e.y = fmax(e.y, fabs(y[i] - ye[i]));
    e.drift = stats.drift_max[0];
  }
  free(z);
  return e;
}

/* order from h to h/2; a quarter below for what is left of the next term, no bound above: symmetric
   problems gain. Errors below 1e-11 times the size are rounding, where nothing can be measured */
static void check_order(const char *problem, const char *method, const char *what, double coarse,
                        double fine, int order) {
  bool ok = fine < 1e-11 || log2(coarse / fine) > order - 0.3;
  if (!ok)
    printf("%s %s %s: %.3e %.3e order %.2f\n", problem, method, what, coarse, fine,
           log2(coarse / fine));
  CHECK(ok);
}

static void all_methods_on_all_problems(void) {
  int problems = 0;
  for (int i = 0; gallery_at(i); i++) {
    const char *name = gallery_at(i)->name;
    dae_problem *p;
    char message[256];
    if (strncmp(name, "bvp-", 4) == 0 || strncmp(name, "singular-", 9) == 0) continue;
    if (gallery_open(&p, name, 0, NULL, NULL, message, sizeof message) != DAE_OK) continue;
    if (p->exact && !p->boundary && dae_problem_nz(p) < 60 && p->n_event == 0) {
      problems++;
      for (int k = 0; dae_method_at(k); k++) {
        const dae_method *m = dae_method_at(k);
        if (m->implicit || m->view != DAE_VIEW_ODE || m->estimate > 0) continue;
        double span = fmin(0.5, p->t1 - p->t0);
        int n = m->order >= 4 ? 64 : 256;
        errors a = march(p, m->name, "project", span, n),
               b = march(p, m->name, "project", span, 2 * n);
        check_order(name, m->name, "x", a.x, b.x, m->order);
        check_order(name, m->name, "y", a.y, b.y, m->order_y);
      }
    }
    gallery_close(name, p);
  }
  CHECK(problems >= 10);
}

/* theorem 3.3: error O(h^p), drift O(h^(p+1)) with post-stabilization; without it the drift is
   O(h^p) */
static void kepler_energy(void) {
  dae_problem *p;
  char message[256];
  CHECK(gallery_open(&p, "kepler", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  static const struct {
    const char *method;
    int order;
  } method[] = {{"euler", 1}, {"midpoint", 2}, {"heun", 2}, {"rk4", 4}};
  for (int k = 0; k < 4; k++) {
    errors a = march(p, method[k].method, "post", 3, 400),
           b = march(p, method[k].method, "post", 3, 800);
    check_order("kepler", method[k].method, "x", a.x, b.x, method[k].order);
    check_order("kepler", method[k].method, "drift", a.drift, b.drift, method[k].order + 1);
  }
  gallery_close("kepler", p);
}

int main(void) {
  RUN(all_methods_on_all_problems);
  RUN(kepler_energy);
  return TEST_END();
}
