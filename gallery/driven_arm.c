/*
 * driven-arm: a two-link arm whose hand keeps a prescribed height (index 3).
 * The equations of bvp-arm as an initial value problem.
 *
 *   M th'' = -c + J'lambda + q(t),  0 = sin th1 + sin(th1+th2) - rho(t),  J its gradient
 *   M = [3+2cos th2, 1+cos th2; 1+cos th2, 1],  c = sin th2 (-2 th1'th2' - th2'^2, th1'^2)
 *   exact: th = (0.5 + 0.5 sin t, 0.8 - 0.3 t^2),  lambda = 1 + t^2
 *
 * The constraint handed over has the opposite sign, so that lambda is that of the equations above.
 */
#include "build.h"

typedef struct driven_arm {
  dae_problem problem;
  double z0[4];
} driven_arm;

/* the exact path, with two derivatives */
typedef struct path {
  double q[2], v[2], a[2];
} path;

static path path_at(double t) {
  return (path){
      {0.5 + 0.5 * sin(t), 0.8 - 0.3 * t * t}, {0.5 * cos(t), -0.6 * t}, {-0.5 * sin(t), -0.6}};
}

static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)ctx;
  double c2 = cos(q[1]);
  M[0] = 3 + 2 * c2;
  M[1] = M[2] = 1 + c2;
  M[3] = 1;
  return 0;
}

/* -c(q,v) + q(t), where q = M th'' + c - J'lambda along the exact path */
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)ctx;
  path e = path_at(t);
  double s2 = sin(q[1]), se = sin(e.q[1]), ce = cos(e.q[1]), c12 = cos(e.q[0] + e.q[1]),
         lam = 1 + t * t;
  f[0] = s2 * v[1] * (2 * v[0] + v[1]) - se * e.v[1] * (2 * e.v[0] + e.v[1]) +
         (3 + 2 * ce) * e.a[0] + (1 + ce) * e.a[1] - lam * (cos(e.q[0]) + c12);
  f[1] = -s2 * v[0] * v[0] + se * e.v[0] * e.v[0] + (1 + ce) * e.a[0] + e.a[1] - lam * c12;
  return 0;
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)ctx;
  double c2 = cos(q[1]);
  J[1] = c2 * v[1] * (2 * v[0] + v[1]);
  J[3] = -c2 * v[0] * v[0];
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)ctx;
  double s2 = 2 * sin(q[1]);
  J[0] = s2 * v[1];
  J[1] = s2 * (v[0] + v[1]);
  J[2] = -s2 * v[0];
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)ctx;
  path e = path_at(t);
  g[0] = sin(e.q[0]) - sin(q[0]) + sin(e.q[0] + e.q[1]) - sin(q[0] + q[1]);
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[1] = -cos(q[0] + q[1]);
  G[0] = G[1] - cos(q[0]);
  return 0;
}

static int constraint_t(double t, const double *q, double *gt, void *ctx) {
  (void)q, (void)ctx;
  path e = path_at(t);
  gt[0] = cos(e.q[0]) * e.v[0] + cos(e.q[0] + e.q[1]) * (e.v[0] + e.v[1]);
  return 0;
}

/* rho'' - d^2/dt^2 of the hand's height, accelerations of the arm left out */
static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)ctx;
  path e = path_at(t);
  double b = e.q[0] + e.q[1], bv = e.v[0] + e.v[1], ba = e.a[0] + e.a[1], w = v[0] + v[1];
  c[0] = cos(e.q[0]) * e.a[0] - sin(e.q[0]) * e.v[0] * e.v[0] + cos(b) * ba - sin(b) * bv * bv +
         sin(q[0]) * v[0] * v[0] + sin(q[0] + q[1]) * w * w;
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)ctx;
  L[1] = sin(q[0] + q[1]) * (v[0] + v[1]);
  L[0] = L[1] + sin(q[0]) * v[0];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)t, (void)ctx;
  double s2 = sin(q[1]), c2 = cos(q[1]), s12 = y[0] * sin(q[0] + q[1]);
  J[0] = y[0] * sin(q[0]) + s12;
  J[1] = s12 - s2 * (2 * a[0] + a[1]) - c2 * v[1] * (2 * v[0] + v[1]);
  J[2] = s12;
  J[3] = s12 - s2 * a[0] + c2 * v[0] * v[0];
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  path e = path_at(t);
  z[0] = e.q[0];
  z[1] = e.q[1];
  z[2] = e.v[0];
  z[3] = e.v[1];
  y[0] = 1 + t * t;
  return 0;
}

static const char *const z_name[] = {"th1", "th2", "der(th1)", "der(th2)"};
static const char *const y_name[] = {"lambda"};

static dae_problem *open_driven_arm(const double *par) {
  driven_arm *p = gallery_block(&gallery_driven_arm, sizeof *p, par);
  if (!p) return NULL;
  double y_start;
  exact(0, p->z0, &y_start, p);
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
      .mass = mass,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
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

const gallery_entry gallery_driven_arm = {
    "driven-arm",
    "two-link arm whose hand keeps a prescribed height",
    "the equations of bvp-arm",
    0,
    NULL,
    open_driven_arm,
    gallery_free,
};
