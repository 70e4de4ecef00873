/*
 * two-link-robot: a planar arm whose hand stays on a line (index 3).
 * Ascher, Lin 1995, Example 6.4.
 *
 *   M(q) q'' = f(q,t) - G'lambda,  0 = sin th1 + sin(th1+th2);   l1 = l2 = 1, m1 = m2 = 3
 *   exact: th1 = sin t,  th2 = -2 sin t,  lambda = cos t
 */
#include "build.h"

static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)ctx;
  double c2 = cos(q[1]);
  M[0] = 5 + 3 * c2;
  M[1] = M[2] = 1 + 1.5 * c2;
  M[3] = 1;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)v, (void)ctx;
  double s = sin(t), c = cos(t), c12 = cos(q[0] + q[1]);
  f[0] = (cos(q[0]) + c12) * c - 3 * s;
  f[1] = c12 * c + (1 - 1.5 * cos(q[1])) * s;
  return 0;
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)v, (void)ctx;
  double c = cos(t), s12 = sin(q[0] + q[1]);
  J[0] = -(sin(q[0]) + s12) * c;
  J[1] = J[2] = -s12 * c;
  J[3] = -s12 * c + 1.5 * sin(q[1]) * sin(t);
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = sin(q[0]) + sin(q[0] + q[1]);
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[1] = cos(q[0] + q[1]);
  G[0] = cos(q[0]) + G[1];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)ctx;
  double w = v[0] + v[1];
  c[0] = -v[0] * v[0] * sin(q[0]) - w * w * sin(q[0] + q[1]);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)ctx;
  L[1] = -(v[0] + v[1]) * sin(q[0] + q[1]);
  L[0] = -v[0] * sin(q[0]) + L[1];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)v, (void)ctx;
  /* the force has the shape of G'cos t, so lambda and cos t come together */
  double d = cos(t) - y[0], s12 = sin(q[0] + q[1]) * d, s2 = sin(q[1]);
  J[0] = sin(q[0]) * d + s12;
  J[1] = s12 - s2 * (3 * a[0] + 1.5 * a[1]);
  J[2] = s12;
  J[3] = s12 - 1.5 * s2 * (a[0] + sin(t));
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = sin(t);
  z[1] = -2 * z[0];
  z[2] = cos(t);
  z[3] = -2 * z[2];
  y[0] = z[2];
  return 0;
}

static const double start[] = {0, 0, 1, -2};
static const char *const z_name[] = {"theta1", "theta2", "der(theta1)", "der(theta2)"};
static const char *const y_name[] = {"lambda"};

static const dae_problem problem = {
    .kind = DAE_MECHANICAL,
    .mechanical =
        {
            .nq = 2,
            .ng = 1,
            .mass = mass,
            .force = force,
            .force_q = force_q,
            .force_v = gallery_zero_q,
            .g = constraint,
            .G = gradient,
            .g_t = gallery_zero_g_t,
            .curvature = curvature,
            .velocity_q = velocity_q,
            .dynamics_q = dynamics_q,
        },
    .t1 = 1.5,
    .z0 = start,
    .z_name = z_name,
    .y_name = y_name,
    .exact = exact,
};

static dae_problem *open_two_link_robot(const double *par) {
  return gallery_copy(&gallery_two_link_robot, &problem, par);
}

const gallery_entry gallery_two_link_robot = {
    "two-link-robot",
    "planar arm whose hand stays on a line",
    "Ascher, Lin 1995, Example 6.4",
    0,
    NULL,
    open_two_link_robot,
    gallery_free,
};
