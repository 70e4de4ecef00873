/* the loop is yours: output on a grid, on the constraints, and an event */
#include <daedal/daedal.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

static int bottom(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0];
  return 0;
}

int main(void) {
  static const double start[] = {1, 0, 0, 0};
  dae_event passing = {.name = "bottom", .value = bottom, .direction = -1};
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .autonomous = true,
                          .z0 = start,
                          .event = &passing,
                          .n_event = 1,
                          .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  dae_options options = dae_options_default();
  options.rtol = options.atol = 1e-9;
  dae_report report;
  dae_solver *solver;
  if (dae_solver_new(&solver, &pendulum, &options, &report) != DAE_OK)
    return puts(report.message), 1;

  dae_status status = dae_solver_start(solver, 0, NULL, NULL);
  double next = 0.5; /* output every half second, wherever the steps are */
  while (status == DAE_OK && dae_solver_time(solver) < 2) {
    status = dae_solver_step(solver, 2);
    for (; status == DAE_OK && next <= dae_solver_time(solver); next += 0.5) {
      double z[4], lambda;
      status = dae_solver_eval(solver, next, z, &lambda);
      printf("t = %.1f  x = %8.5f  y = %8.5f  lambda = %8.4f\n", next, z[0], z[1], lambda);
    }
  }
  int count;
  const dae_event_hit *hit = dae_solver_events(solver, &count);
  for (int i = 0; i < count; i++) printf("bottom passed from the right at t = %.6f\n", hit[i].t);
  printf("%s\n", dae_status_name(status));
  dae_solver_free(solver);
  return status == DAE_OK ? 0 : 1;
}
