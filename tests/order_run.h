/* runs with fixed steps for the tests of orders: error and drift at the end, and the order between
   two runs */
#ifndef TEST_ORDER_RUN_H
#define TEST_ORDER_RUN_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <daedal/daedal.h>

enum { ORDER_ROOM = 64 };

typedef struct order_run {
  dae_status status;
  double z[ORDER_ROOM], y[ORDER_ROOM];
  double error[DAE_ORDER_MAX], error_y; /* largest component of x, x', .. and y */
  double drift[DAE_ORDER_MAX];
  double mu;
  long restarts, steps;
} order_run;

/* the solution at t1: exact, or a run at the limit of the tolerance from the consistent start */
static inline void order_reference(const dae_problem *p, double t1, double *z, double *y) {
  if (p->exact && p->exact(t1, z, y, p->ctx) == 0) return;
  dae_options o = dae_options_default();
  o.method = "dop853", o.form = "index1", o.rtol = o.atol = 1e-13;
  memcpy(z, p->z0, (size_t)dae_problem_nz(p) * sizeof *z);
  memset(y, 0, (size_t)dae_problem_ny(p) * sizeof *y);
  dae_solve(p, &o, p->t0, t1, z, y, NULL, NULL);
}

/* N steps to t1 with the options given; compared with the reference when ref is not NULL */
static inline order_run order_go(const dae_problem *p, dae_options o, double t1, int N,
                                 const double *ref_z, const double *ref_y) {
  order_run r = {0};
  dae_solver *s = NULL;
  dae_report report;
  int nx = dae_problem_nx(p), nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  o.step = (t1 - p->t0) / N;
  r.status = dae_solver_new(&s, p, &o, &report);
  if (r.status == DAE_OK) r.status = dae_solver_start(s, p->t0, NULL, NULL);
  if (r.status == DAE_OK) r.status = dae_solver_advance(s, t1);
  if (s) {
    memcpy(r.z, dae_solver_z(s), (size_t)nz * sizeof *r.z);
    memcpy(r.y, dae_solver_y(s), (size_t)ny * sizeof *r.y);
    dae_solver_drift(s, t1, r.z, r.drift);
    r.mu = dae_solver_stats(s)->mu_last;
    r.restarts = dae_solver_stats(s)->restarts;
    r.steps = dae_solver_stats(s)->steps;
    report = *dae_solver_report(s);
  }
  for (int i = 0; ref_z && i < nz; i++)
    r.error[i / nx] = fmax(r.error[i / nx], fabs(r.z[i] - ref_z[i]));
  for (int i = 0; ref_y && i < ny; i++) r.error_y = fmax(r.error_y, fabs(r.y[i] - ref_y[i]));
  if (r.status != DAE_OK)
    printf("  %s: %s: %s\n", p->name ? p->name : "problem", dae_status_name(r.status),
           report.message);
  dae_solver_free(s);
  return r;
}

static inline double order_of(double coarse, double fine) { return log2(coarse / fine); }

#endif
