/*
 * linear-index2: G and B almost orthogonal for large nu (index 2).
 * Ascher, Qin, Reich 1992, Example 1 = Ascher, Petzold 1993, Example 2.
 *
 *   x1' = (2-t) nu y + q1,  x2' = (nu-1) y + q2,  0 = (t+2) x1 + (t^2-4) x2 + r
 *   exact: x1 = x2 = e^t,  y = -e^t/(2-t)
 */
#include "build.h"

typedef struct linear_index2 {
  dae_problem problem;
  double nu;
} linear_index2;

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  const linear_index2 *p = ctx;
  (void)z;
  double e = exp(t);
  f[0] = (2 - t) * p->nu * y[0] + (1 + p->nu) * e;
  f[1] = (p->nu - 1) * y[0] + (1 + (p->nu - 1) / (2 - t)) * e;
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  const linear_index2 *p = ctx;
  (void)z, (void)y;
  B[0] = (t - 2) * p->nu;
  B[1] = 1 - p->nu;
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  /* r = -(t^2+t-2) e^t = -(t+2)(t-1) e^t */
  g[0] = (t + 2) * (z[0] + (t - 2) * z[1] - (t - 1) * exp(t));
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)z, (void)ctx;
  G[0] = t + 2;
  G[1] = (t + 2) * (t - 2);
  return 0;
}

static int constraint_t(double t, const double *z, double *gt, void *ctx) {
  (void)ctx;
  gt[0] = z[0] + 2 * t * z[1] - (t * t + 3 * t - 1) * exp(t);
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = z[1] = exp(t);
  y[0] = -z[0] / (2 - t);
  return 0;
}

static const double start[] = {1, 1};
static const char *const z_name[] = {"x1", "x2"};
static const char *const y_name[] = {"y"};
static const gallery_parameter parameters[] = {
    {"nu", 10, "large: B and G' are almost orthogonal, the reduced equation is stiff", 1, 1e9,
     false}};

static dae_problem *open_linear_index2(const double *par) {
  linear_index2 *p = gallery_block(&gallery_linear_index2, sizeof *p, par);
  if (!p) return NULL;
  p->nu = par[0];
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 2,
      .ny = 1,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = gallery_zero_f_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
  };
  p->problem.t1 = 1;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_linear_index2 = {
    "linear-index2",
    "linear, constraint force almost along the constraint",
    "Ascher, Qin, Reich 1992, Example 1; Ascher, Petzold 1993, Example 2",
    1,
    parameters,
    open_linear_index2,
    gallery_free,
};
