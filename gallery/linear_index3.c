/*
 * linear-index3: a linear "mechanical system" with a mass matrix that depends on time (index 3).
 * Ascher, Petzold 1993, Example 3 = Ascher, Petzold 1992, Example 4.1.
 *
 *   M(t) v' = E v + q - C'lambda,  0 = C p + r,  C = (1, t-2),  E = diag(0, alpha/((2+t) nu))
 *   M = 1/((2+t) nu^2) [ (nu^2+(nu-1)^2)/(2-t), -nu(2nu-1); -nu(2nu-1), 2(2-t)nu^2 ]
 *   exact: p1 = p2 = v1 = v2 = e^t,  lambda = e^t/(2-t)
 */
#include "build.h"

typedef struct linear_index3 {
  dae_problem problem;
  double nu, alpha;
  double m11, m12; /* M = 1/(2+t) [m11/(2-t), m12; m12, 2(2-t)] */
} linear_index3;

static int mass(double t, const double *q, double *M, void *ctx) {
  const linear_index3 *p = ctx;
  (void)q;
  double c = 1 / (2 + t);
  M[0] = c * p->m11 / (2 - t);
  M[1] = M[2] = c * p->m12;
  M[3] = c * 2 * (2 - t);
  return 0;
}

/* E v + q with q = M e^t (1,1)' + C'lambda - E e^t (1,1)' */
static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const linear_index3 *p = ctx;
  (void)q;
  double e = exp(t), c = 1 / (2 + t), s = 2 - t;
  f[0] = e * (c * (p->m11 / s + p->m12) + 1 / s);
  f[1] = e * (c * (p->m12 + 2 * s) - 1) + c * p->alpha / p->nu * (v[1] - e);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const linear_index3 *p = ctx;
  (void)q, (void)v;
  J[3] = p->alpha / ((2 + t) * p->nu);
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)ctx;
  g[0] = q[0] + (t - 2) * q[1] - (t - 1) * exp(t);
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)q, (void)ctx;
  G[0] = 1;
  G[1] = t - 2;
  return 0;
}

static int constraint_t(double t, const double *q, double *gt, void *ctx) {
  (void)ctx;
  gt[0] = q[1] - t * exp(t);
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)q, (void)ctx;
  c[0] = 2 * v[1] - (t + 1) * exp(t);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  L[1] = 1;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = z[1] = z[2] = z[3] = exp(t);
  y[0] = z[0] / (2 - t);
  return 0;
}

static const double start[] = {1, 1, 1, 1};
static const char *const z_name[] = {"p1", "p2", "v1", "v2"};
static const char *const y_name[] = {"lambda"};
static const gallery_parameter parameters[] = {
    {"nu", 10, "large: M^-1 G' and G' are almost orthogonal", 1, 1e9, false},
    {"alpha", 1, "1: stiff reduced equation, 2: not stiff, 0: no damping", 0, 0, false},
};

static dae_problem *open_linear_index3(const double *par) {
  linear_index3 *p = gallery_block(&gallery_linear_index3, sizeof *p, par);
  if (!p) return NULL;
  double nu = p->nu = par[0];
  p->alpha = par[1];
  p->m11 = (nu * nu + (nu - 1) * (nu - 1)) / (nu * nu);
  p->m12 = -(2 * nu - 1) / nu;
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
      .mass = mass,
      .force = force,
      .force_q = gallery_zero_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = gallery_zero_dynamics,
  };
  p->problem.t1 = 1;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_linear_index3 = {
    "linear-index3",
    "linear mechanical form with a mass matrix that varies in time",
    "Ascher, Petzold 1993, Example 3; Ascher, Petzold 1992, Example 4.1",
    2,
    parameters,
    open_linear_index3,
    gallery_free,
};
