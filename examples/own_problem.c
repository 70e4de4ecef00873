/* a problem as the gallery has them, in one file: names, exact derivatives, a known solution; what
   docs/extend.md says about adding one, done */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

/* conical pendulum: a point on a rod of length sqrt(r^2 + h^2) circles at the depth h,
     q'' = (0, 0, -g) - G' lambda,   0 = q.q - r^2 - h^2,
   x = r cos wt, y = r sin wt, z = -h, w^2 = g/h, lambda = g/(2h) */
typedef struct cone {
  double g, r, h;
} cone;

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const cone *c = ctx;
  (void)t, (void)q, (void)v;
  f[0] = f[1] = 0;
  f[2] = -c->g;
  return 0;
}

static int length(double t, const double *q, double *g, void *ctx) {
  const cone *c = ctx;
  (void)t;
  g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - c->r * c->r - c->h * c->h;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < 3; i++) G[i] = 2 * q[i];
  return 0;
}

/* g'' without G v' */
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  const cone *c = ctx;
  double w = sqrt(c->g / c->h);
  z[0] = c->r * cos(w * t), z[1] = c->r * sin(w * t), z[2] = -c->h;
  z[3] = -w * z[1], z[4] = w * z[0], z[5] = 0;
  y[0] = c->g / (2 * c->h);
  return 0;
}

int main(void) {
  static const char *const z_name[] = {"x", "y", "z", "vx", "vy", "vz"};
  static const char *const y_name[] = {"lambda"}, *const g_name[] = {"rod"};
  static const char *const par_name[] = {"g", "r", "h"};
  cone c = {.g = 9.81, .r = 0.6, .h = 0.8};
  double z[6], y[1], start[6], known[6], lambda[1];
  exact(0, start, y, &c);
  dae_problem p = {
      .name = "conical-pendulum",
      .title = "a point circles on a cone",
      .kind = DAE_MECHANICAL,
      .mechanical =
          {.nq = 3, .ng = 1, .force = force, .g = length, .G = gradient, .curvature = curvature},
      .ctx = &c,
      .autonomous = true,
      .t1 = 5,
      .z0 = start,
      .z_name = z_name,
      .y_name = y_name,
      .g_name = g_name,
      .n_par = 3,
      .par_name = par_name,
      .par = &c.g,
      .exact = exact};
  char message[DAE_TEXT_MAX];
  /* every derivative against differences, beside the start too */
  if (dae_problem_check(&p, 0.3, start, y, message, sizeof message) != DAE_OK)
    return puts(message), 1;
  printf("derivatives agree with differences\n");

  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  for (int i = 0; i < 6; i++) z[i] = start[i];
  dae_report report;
  if (dae_solve(&p, &o, p.t0, p.t1, z, y, &report, NULL) != DAE_OK) return puts(report.message), 1;
  exact(p.t1, known, lambda, &c);
  double error = fabs(y[0] - lambda[0]);
  for (int i = 0; i < 6; i++) error = fmax(error, fabs(z[i] - known[i]));
  printf("error at t = %g within ten tolerances: %s\n", p.t1, error < 1e-8 ? "yes" : "no");

  /* and what the library makes of it */
  dae_diagnosis d;
  if (dae_diagnose(&p, &o, &d) != DAE_OK) return 1;
  printf("index %d, rank %d of %d, %s\n", d.index, d.rank, d.rows, dae_case_name(d.kind));
  return 0;
}
