/* a form of one's own: beside the circle the pendulum is drawn back at a rate that grows with the
   distance, z' = f - (1 + 100 |h|) F h; the solutions on the circle are those of the problem */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -9.81;
  return 0;
}

static int rod(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int drawn_back(const dae_own_point *at, double *dz, void *ctx) {
  double distance = 0;
  (void)ctx;
  for (int i = 0; i < at->nh; i++) distance = fmax(distance, fabs(at->h[i]));
  for (int i = 0; i < at->nz; i++) dz[i] = at->dz[i] - (1 + 100 * distance) * at->back[i];
  return 0;
}

int main(void) {
  dae_problem pendulum = {.kind = DAE_MECHANICAL,
                          .autonomous = true,
                          .mechanical = {.nq = 2, .ng = 1, .force = force, .g = rod}};
  dae_own_form form = {.size = sizeof form, .name = "drawn-back", .slope = drawn_back};
  dae_extend own = dae_extend_none();
  dae_options options = dae_options_default();
  dae_report report;
  double z[] = {1, 0, 0, 0}, lambda;
  own.form = &form;
  options.extend = &own;
  options.rtol = options.atol = 1e-8;
  options.stabilize = "none"; /* the form does it */
  dae_status status = dae_solve(&pendulum, &options, 0, 2, z, &lambda, &report, NULL);
  printf("%s: %s\n", dae_status_name(status), report.message);
  double energy = (z[2] * z[2] + z[3] * z[3]) / 2 + 9.81 * z[1];
  printf("energy kept to 1e-5: %s, on the circle to 1e-7: %s\n", fabs(energy) < 1e-5 ? "yes" : "no",
         fabs(z[0] * z[0] + z[1] * z[1] - 1) < 1e-7 ? "yes" : "no");
  return 0;
}
