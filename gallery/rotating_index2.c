/*
 * rotating-index2: a constraint whose direction turns with angular speed nu (index 2).
 * Ascher, Petzold 1993, Example 1.
 *
 *   x' = -x + C'y + q,  0 = C x + r,  C = (sin nu t, cos nu t)
 *   exact: x1 = x2 = e^t,  y = -e^t/(2-t)
 */
#include "build.h"

typedef struct rotating_index2 {
  dae_problem problem;
  double nu;
} rotating_index2;

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  const rotating_index2 *p = ctx;
  double e = exp(t), c = y[0] + e / (2 - t);
  f[0] = -z[0] + 2 * e + sin(p->nu * t) * c;
  f[1] = -z[1] + 2 * e + cos(p->nu * t) * c;
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)z, (void)y, (void)ctx;
  J[0] = J[3] = -1;
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  const rotating_index2 *p = ctx;
  (void)z, (void)y;
  B[0] = -sin(p->nu * t);
  B[1] = -cos(p->nu * t);
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  const rotating_index2 *p = ctx;
  double e = exp(t);
  g[0] = sin(p->nu * t) * (z[0] - e) + cos(p->nu * t) * (z[1] - e);
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  const rotating_index2 *p = ctx;
  (void)z;
  G[0] = sin(p->nu * t);
  G[1] = cos(p->nu * t);
  return 0;
}

/* C'x + r' with r = -(sin + cos) e^t */
static int constraint_t(double t, const double *z, double *gt, void *ctx) {
  const rotating_index2 *p = ctx;
  double e = exp(t), s = sin(p->nu * t), c = cos(p->nu * t);
  gt[0] = p->nu * (c * (z[0] - e) - s * (z[1] - e)) - (s + c) * e;
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
    {"nu", 10, "angular speed of the constraint's direction", 0, 1e9, false}};

static dae_problem *open_rotating_index2(const double *par) {
  rotating_index2 *p = gallery_block(&gallery_rotating_index2, sizeof *p, par);
  if (!p) return NULL;
  p->nu = par[0];
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 2,
      .ny = 1,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = rhs_z,
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

const gallery_entry gallery_rotating_index2 = {
    "rotating-index2",
    "linear, the constraint's direction turns",
    "Ascher, Petzold 1993, Example 1",
    1,
    parameters,
    open_rotating_index2,
    gallery_free,
};
