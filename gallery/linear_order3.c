/*
 * linear-order3: a third-order equation with a position constraint (index 4).
 * The equations of bvp-linear-order3 as an initial value problem.
 *
 *   x''' = x - x' + J x'' + (nu (2-t), nu-1)' y + q,  J = [0 1; -1 0],  0 = x1 + (t-2) x2 + r
 *   exact: x = (e^t, sin 2t),  y = e^t/(2-t)
 */
#include "build.h"

typedef struct linear_order3 {
  dae_problem problem;
  double nu;
} linear_order3;

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  const linear_order3 *p = ctx;
  double e = exp(t), s = sin(2 * t), c = cos(2 * t), d = y[0] - e / (2 - t);
  f[0] = z[0] - z[2] + z[5] + p->nu * (2 - t) * d + e + 4 * s;
  f[1] = z[1] - z[3] - z[4] + (p->nu - 1) * d - 6 * c - s + e;
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)z, (void)y, (void)ctx;
  J[0] = J[5] = J[7] = 1;
  J[2] = J[9] = J[10] = -1;
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  const linear_order3 *p = ctx;
  (void)z, (void)y;
  B[0] = p->nu * (t - 2);
  B[1] = 1 - p->nu;
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] - exp(t) + (t - 2) * (z[1] - sin(2 * t));
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)z, (void)ctx;
  G[0] = 1;
  G[1] = t - 2;
  return 0;
}

static int constraint_t(double t, const double *z, double *gt, void *ctx) {
  (void)ctx;
  gt[0] = z[1] - sin(2 * t) - exp(t) - 2 * (t - 2) * cos(2 * t);
  return 0;
}

/* with the distance d = x - exact: level k is d1^(k) + (t-2) d2^(k) + k d2^(k-1), the top one
   without x''' */
static int rate(double t, const double *z, int level, double *out, void *ctx) {
  (void)ctx;
  double e = exp(t), s = sin(2 * t), c = cos(2 * t);
  if (level == 1) out[0] = z[2] - e + (t - 2) * (z[3] - 2 * c) + z[1] - s;
  if (level == 2) out[0] = z[4] - e + (t - 2) * (z[5] + 4 * s) + 2 * (z[3] - 2 * c);
  if (level == 3) out[0] = -e + (t - 2) * 8 * c + 3 * (z[5] + 4 * s);
  return 0;
}

static int rate_z(double t, const double *z, int level, double *J, void *ctx) {
  (void)z, (void)ctx;
  J[2 * level] = 1;
  J[2 * level + 1] = t - 2;
  J[2 * level - 1] = level;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  double e = exp(t), s = sin(2 * t), c = cos(2 * t);
  z[0] = z[2] = z[4] = e;
  z[1] = s;
  z[3] = 2 * c;
  z[5] = -4 * s;
  y[0] = e / (2 - t);
  return 0;
}

static const double start[] = {1, 0, 1, 2, 1, 0};
static const char *const y_name[] = {"y"};
static const gallery_parameter parameters[] = {
    {"nu", 2, "large: B and G' are almost orthogonal", 1, 1e9, false}};

static dae_problem *open_linear_order3(const double *par) {
  linear_order3 *p = gallery_block(&gallery_linear_order3, sizeof *p, par);
  if (!p) return NULL;
  p->nu = par[0];
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 3,
      .nx = 2,
      .ny = 1,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
      .g_rate = rate,
      .g_rate_z = rate_z,
  };
  p->problem.t1 = 1;
  p->problem.z0 = start;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_linear_order3 = {
    "linear-order3",
    "third order with a position constraint",
    "the equations of bvp-linear-order3",
    1,
    parameters,
    open_linear_order3,
    gallery_free,
};
