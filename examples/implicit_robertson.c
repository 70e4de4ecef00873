/* 0 = F(t,x,x'): Robertson's chemical kinetics with the sum of all species as an algebraic
   equation, over eleven decades of time, with no derivative given; a level is watched for on the
   way */
#include <daedal/daedal.h>
#include <stdio.h>

static int kinetics(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  double made = 0.04 * x[0], back = 1e4 * x[1] * x[2], used = 3e7 * x[1] * x[1];
  F[0] = dx[0] + made - back;
  F[1] = dx[1] - made + back + used;
  F[2] = x[0] + x[1] + x[2] - 1;
  return 0;
}

static int level(double t, const double *x, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = x[2] - 0.01;
  return 0;
}

int main(void) {
  dae_event events[] = {{.name = "third species reaches 0.01", .value = level}};
  /* only x1 and x2 have to be given: x3 is found */
  double x[3] = {1, 0, 0}, tolerances[3] = {1e-10, 1e-12, 1e-10};
  dae_problem problem = {.kind = DAE_IMPLICIT,
                         .n_event = 1,
                         .event = events,
                         .t1 = 4e10,
                         .implicit = {.n = 3, .F = kinetics}};
  dae_options options = dae_options_default();
  options.rtol = 1e-7;
  options.atols = tolerances;
  options.n_atols = 3;
  dae_solver *solver;
  dae_report report;
  dae_status status = dae_solver_new(&solver, &problem, &options, &report);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, x, NULL);
  for (double t = 0.4; t < 5e10 && status == DAE_OK; t *= 10) {
    status = dae_solver_advance(solver, t);
    const double *z = dae_solver_z(solver);
    if (status == DAE_OK) printf("t = %7.1e  %.4e  %.4e  %.4e\n", t, z[0], z[1], z[2]);
  }
  int count = 0;
  const dae_event_hit *hit = dae_solver_events(solver, &count);
  if (count == 1) printf("%s at t = %.5f\n", events[hit[0].event].name, hit[0].t);
  if (status != DAE_OK) printf("%s\n", dae_solver_report(solver)->message);
  dae_solver_free(solver);
  return status != DAE_OK;
}
