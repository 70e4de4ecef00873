/* a swing that has to be at the right place at the right time: boundary values, index 3 */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

/* p'' = (0, -2) - 2 lambda p,   0 = p.p - 1 */
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  f[0] = 0;
  f[1] = -2;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

/* at 0.4 rad when the clock starts, at -0.6 rad one second later */
static int ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - sin(0.4);
  b[1] = z1[0] - sin(-0.6);
  return 0;
}

int main(void) {
  const double hanging[] = {0, -1, 0, 0}; /* the guess: positions, velocities */
  const char *const names[] = {"x", "y", "vx", "vy"};
  const dae_boundary boundary = {.n = 2, .n_left = 1, .value = ends};
  const dae_problem swing = {
      .kind = DAE_MECHANICAL,
      .mechanical = {.nq = 2, .ng = 1, .force = force, .g = constraint},
      .t1 = 1,
      .z0 = hanging,
      .z_name = names,
      .boundary = &boundary,
  };
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  dae_solution *s;
  dae_report report;
  if (dae_bvp_solve(&swing, &o, NULL, &s, &report) != DAE_OK) {
    fprintf(stderr, "%s %s\n", report.message, report.advice);
    dae_solution_free(s);
    return 1;
  }
  int intervals;
  dae_solution_mesh(s, &intervals);
  printf("%s on %d intervals\n   t         x         y        vx        vy    lambda\n",
         dae_solution_method(s), intervals);
  for (int i = 0; i <= 4; i++) {
    double z[4], y[1], t = i / 4.0;
    dae_solution_eval(s, t, z, y, NULL);
    printf("%.2f %9.6f %9.6f %9.6f %9.6f %9.6f\n", t, z[0], z[1], z[2], z[3], y[0]);
  }
  dae_solution_free(s);
  return 0;
}
