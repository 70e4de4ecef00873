/*
 * bvp-linear-index2: a growing and a falling mode, held by values at both ends (index 2).
 *
 *   x' = A x + B y + q,  0 = C x + r,  A = [0 1 0; kappa^2 0 0; 0 1 -1],  B = (1/2, t, 1+t)',  C
 * = (cos t, 1/2, 1)
 *   exact: x = (e^t, cos 2t, e^-t + t^2),  y = e^t/(2-t);  given: x1 at both ends
 */
#include "bvp.h"

typedef struct bvp_linear_index2 {
  dae_problem problem;
  double kappa2;
} bvp_linear_index2;

static int exact(double t, double *x, double *y, void *ctx) {
  (void)ctx;
  x[0] = exp(t);
  x[1] = cos(2 * t);
  x[2] = exp(-t) + t * t;
  y[0] = x[0] / (2 - t);
  return 0;
}

/* A (x - xe) + B (y - ye) + xe' with the exact (xe, ye): q follows from it */
static int rhs(double t, const double *x, const double *y, double *f, void *ctx) {
  const bvp_linear_index2 *p = ctx;
  double e[3], ye;
  exact(t, e, &ye, ctx);
  double d0 = x[0] - e[0], d1 = x[1] - e[1], d2 = x[2] - e[2], dy = y[0] - ye;
  f[0] = d1 + 0.5 * dy + e[0];
  f[1] = p->kappa2 * d0 + t * dy - 2 * sin(2 * t);
  f[2] = d1 - d2 + (1 + t) * dy - exp(-t) + 2 * t;
  return 0;
}

static int rhs_z(double t, const double *x, const double *y, double *J, void *ctx) {
  const bvp_linear_index2 *p = ctx;
  (void)t, (void)x, (void)y;
  J[1] = J[7] = 1;
  J[3] = p->kappa2;
  J[8] = -1;
  return 0;
}

static int minus_f_y(double t, const double *x, const double *y, double *B, void *ctx) {
  (void)x, (void)y, (void)ctx;
  B[0] = -0.5;
  B[1] = -t;
  B[2] = -1 - t;
  return 0;
}

static int constraint(double t, const double *x, double *g, void *ctx) {
  double e[3], ye;
  exact(t, e, &ye, ctx);
  g[0] = cos(t) * (x[0] - e[0]) + 0.5 * (x[1] - e[1]) + x[2] - e[2];
  return 0;
}

static int gradient(double t, const double *x, double *G, void *ctx) {
  (void)x, (void)ctx;
  G[0] = cos(t);
  G[1] = 0.5;
  G[2] = 1;
  return 0;
}

/* C'(x - xe) - C xe' */
static int constraint_t(double t, const double *x, double *gt, void *ctx) {
  double e[3], ye;
  exact(t, e, &ye, ctx);
  gt[0] = -sin(t) * (x[0] - e[0]) - cos(t) * e[0] + sin(2 * t) + exp(-t) - 2 * t;
  return 0;
}

static const char *const y_name[] = {"y"};
static const gallery_end ends[] = {{0, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"kappa", 4, "growth of the two modes", 0, 1e3, false}};

static dae_problem *open_bvp_linear_index2(const double *par) {
  bvp_linear_index2 *p = gallery_block(&gallery_bvp_linear_index2, sizeof *p, par);
  if (!p) return NULL;
  p->kappa2 = par[0] * par[0];
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 3,
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
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return gallery_bvp(&gallery_bvp_linear_index2, &p->problem, gallery_free, 2, ends);
}

const gallery_entry gallery_bvp_linear_index2 = {
    "bvp-linear-index2", "linear index 2, x1 given at both ends",
    "constructed",       1,
    parameters,          open_bvp_linear_index2,
    gallery_bvp_free,
};
