/* errors of a collocation solution of a boundary value problem on a fixed mesh */
#ifndef COLLOC_BVP_H
#define COLLOC_BVP_H

#include <gallery.h>
#include <math.h>

typedef struct bvp_errors {
  dae_status status;
  double mesh[3];    /* x, x', x'' at mesh points, largest over the components */
  double between[3]; /* the same everywhere */
  double y;          /* at collocation points and between */
} bvp_errors;

static inline bvp_errors bvp_run(const dae_problem *p, const char *method, int n, const char *form,
                                 const char *project) {
  enum { MOST = 16 };
  bvp_errors e = {0};
  dae_options o = dae_options_default();
  dae_solution *s = NULL;
  o.method = method;
  o.form = form;
  o.project = project;
  o.mesh = n;
  o.fixed_mesh = 1;
  o.rtol = o.atol = 1e-12;
  e.status = dae_bvp_solve(p, &o, NULL, &s, NULL);
  if (!s) return e;
  int intervals, nz = dae_problem_nz(p), ny = dae_problem_ny(p), nx = dae_problem_nx(p);
  const double *t = dae_solution_mesh(s, &intervals);
  double z[MOST], y[MOST], ze[MOST], ye[MOST];
  for (int i = 0; i < intervals; i++)
    for (int j = 0; j <= 17; j++) {
      double at = j == 17 ? t[i + 1] : t[i] + (t[i + 1] - t[i]) * j / 17;
      dae_solution_eval(s, at, z, y, NULL);
      p->exact(at, ze, ye, p->ctx);
      for (int c = 0; c < nz; c++) {
        double off = fabs(z[c] - ze[c]);
        e.between[c / nx] = fmax(e.between[c / nx], off);
        if (j == 0 || j == 17) e.mesh[c / nx] = fmax(e.mesh[c / nx], off);
      }
      for (int c = 0; c < ny; c++) e.y = fmax(e.y, fabs(y[c] - ye[c]));
    }
  dae_solution_free(s);
  return e;
}

#endif
