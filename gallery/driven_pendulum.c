/*
 * driven-pendulum: a pendulum driven along a prescribed swing (index 3).
 * The equations of bvp-pendulum as an initial value problem.
 *
 *   p'' = -lambda p + (0,-gravity) + s(t) (-p2,p1),  0 = (p.p - 1)/2
 *   exact: p = (sin th, -cos th), th = 0.4 + 0.8 t^2,  lambda = th'^2 + gravity cos th
 */
#include "build.h"

typedef struct driven_pendulum {
  dae_problem problem;
  double gravity;
  double z0[4];
} driven_pendulum;

/* the drive s = th'' + gravity sin th */
static double drive(const driven_pendulum *p, double t) {
  return 1.6 + p->gravity * sin(0.4 + 0.8 * t * t);
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const driven_pendulum *p = ctx;
  (void)v;
  double s = drive(p, t);
  f[0] = -s * q[1];
  f[1] = s * q[0] - p->gravity;
  return 0;
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)q, (void)v;
  double s = drive(ctx, t);
  J[1] = -s;
  J[2] = s;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = q[0];
  G[1] = q[1];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = v[0] * v[0] + v[1] * v[1];
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)q, (void)ctx;
  L[0] = v[0];
  L[1] = v[1];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)q, (void)v, (void)a;
  double s = drive(ctx, t);
  J[0] = J[3] = y[0];
  J[1] = s;
  J[2] = -s;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  const driven_pendulum *p = ctx;
  double th = 0.4 + 0.8 * t * t, rate = 1.6 * t;
  z[0] = sin(th);
  z[1] = -cos(th);
  z[2] = rate * cos(th);
  z[3] = rate * sin(th);
  y[0] = rate * rate + p->gravity * cos(th);
  return 0;
}

static const char *const z_name[] = {"p1", "p2", "v1", "v2"};
static const char *const y_name[] = {"lambda"};
static const gallery_parameter parameters[] = {{"gravity", 2, "gravity", 0, 0, false}};

static dae_problem *open_driven_pendulum(const double *par) {
  driven_pendulum *p = gallery_block(&gallery_driven_pendulum, sizeof *p, par);
  if (!p) return NULL;
  double y_start;
  p->gravity = par[0];
  exact(0, p->z0, &y_start, p);
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
      .mass_constant = true,
      .force = force,
      .force_q = force_q,
      .force_v = gallery_zero_q,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 1;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_driven_pendulum = {
    "driven-pendulum",
    "pendulum driven along a prescribed swing",
    "the equations of bvp-pendulum",
    1,
    parameters,
    open_driven_pendulum,
    gallery_free,
};
