/*
 * bvp-control: optimal control of an index-2 system, with its costates (index 2).
 *
 *   least  1/2 int u^2 + w x1^2  with  x1' = x2 + y,  x2' = -y + u,  0 = x1 - x2,  x1(0) = 1, the
 * end free.
 * With costates p, whose own constraint has the multiplier nu, and u = -p2:
 *   x1' = x2 + y,  x2' = -y - p2,  p1' = -w x1 - nu,  p2' = -p1 + nu,  0 = x1 - x2,  0 = p1 - p2
 *   given: x1(0) = 1 and p1(1) = 0 (the costates vanish along the constraint at the free end)
 *   exact: x1 = x2 = cosh kt + b sinh kt, p1 = p2 = x1 - 2 x1',  k = sqrt(1+w)/2
 */
#include "bvp.h"

typedef struct bvp_control {
  dae_problem problem;
  double w, k, b;
} bvp_control;

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  const bvp_control *p = ctx;
  (void)t;
  f[0] = z[1] + y[0];
  f[1] = -y[0] - z[3];
  f[2] = -p->w * z[0] - y[1];
  f[3] = -z[2] + y[1];
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  const bvp_control *p = ctx;
  (void)t, (void)z, (void)y;
  J[1] = 1;
  J[7] = J[14] = -1;
  J[8] = -p->w;
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)z, (void)y, (void)ctx;
  B[0] = B[7] = -1;
  B[2] = B[5] = 1;
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[0] - z[1];
  g[1] = z[2] - z[3];
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)t, (void)z, (void)ctx;
  G[0] = G[6] = 1;
  G[1] = G[7] = -1;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  const bvp_control *p = ctx;
  double c = cosh(p->k * t), s = sinh(p->k * t);
  double x = c + p->b * s, dx = p->k * (s + p->b * c), ddx = p->k * p->k * x;
  z[0] = z[1] = x;
  z[2] = z[3] = x - 2 * dx;
  y[0] = dx - x;
  y[1] = -p->w * x - (dx - 2 * ddx);
  return 0;
}

static const char *const z_name[] = {"x1", "x2", "p1", "p2"};
static const char *const y_name[] = {"y", "nu"};
static const gallery_end ends[] = {{0, false}, {2, true}};
static const gallery_parameter parameters[] = {
    {"w", 15, "weight of the state in the cost", 0, 1e4, false}};

static dae_problem *open_bvp_control(const double *par) {
  bvp_control *p = gallery_block(&gallery_bvp_control, sizeof *p, par);
  if (!p) return NULL;
  p->w = par[0];
  p->k = sqrt(1 + p->w) / 2;
  double c = cosh(p->k), s = sinh(p->k);
  p->b = (2 * p->k * s - c) / (s - 2 * p->k * c);
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 4,
      .ny = 2,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
  };
  p->problem.t1 = 1;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return gallery_bvp(&gallery_bvp_control, &p->problem, gallery_free, 2, ends);
}

const gallery_entry gallery_bvp_control = {
    "bvp-control",    "optimal control of an index-2 system, with costates",
    "constructed",    1,
    parameters,       open_bvp_control,
    gallery_bvp_free,
};
