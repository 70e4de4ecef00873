/*
 * limit-cycle-paraboloid: Hopf normal form with w = x^2 + y^2 as constraint (index 2).
 * For Schropp 2001 (attracting sets): turning about the axis maps solutions to solutions.
 *
 *   x' = x (1-w) - y,  y' = x + y (1-w),  w' = lambda,  0 = w - x^2 - y^2
 *   exact: 1/w = 1 + (1/w0 - 1) e^-2t, the angle grows like t,  lambda = 2 w (1-w)
 */
#include "build.h"

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  double c = 1 - z[2];
  f[0] = z[0] * c - z[1];
  f[1] = z[0] + z[1] * c;
  f[2] = y[0];
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)y, (void)ctx;
  J[0] = J[4] = 1 - z[2];
  J[1] = -1;
  J[2] = -z[0];
  J[3] = 1;
  J[5] = -z[1];
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)z, (void)y, (void)ctx;
  B[2] = -1;
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = z[2] - z[0] * z[0] - z[1] * z[1];
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = -2 * z[0];
  G[1] = -2 * z[1];
  G[2] = 1;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  double w = 1 / (1 + 3 * exp(-2 * t)), r = sqrt(w), phi = atan2(0.4, 0.3) + t;
  z[0] = r * cos(phi);
  z[1] = r * sin(phi);
  z[2] = w;
  y[0] = 2 * w * (1 - w);
  return 0;
}

static const double start[] = {0.3, 0.4, 0.25};
static const char *const z_name[] = {"x", "y", "w"};
static const char *const y_name[] = {"lambda"};

static const dae_problem problem = {
    .kind = DAE_HESSENBERG,
    .hessenberg =
        {
            .order = 1,
            .nx = 3,
            .ny = 1,
            .affine = DAE_YES,
            .f = rhs,
            .f_z = rhs_z,
            .B = minus_f_y,
            .g = constraint,
            .G = gradient,
            .g_t = gallery_zero_g_t,
        },
    .t1 = 10,
    .z0 = start,
    .z_name = z_name,
    .y_name = y_name,
    .exact = exact,
};

static dae_problem *open_limit_cycle_paraboloid(const double *par) {
  return gallery_copy(&gallery_limit_cycle_paraboloid, &problem, par);
}

const gallery_entry gallery_limit_cycle_paraboloid = {
    "limit-cycle-paraboloid",
    "Hopf normal form on a paraboloid, attracting circle",
    "Schropp 2001 (attracting sets); problem constructed here",
    0,
    NULL,
    open_limit_cycle_paraboloid,
    gallery_free,
};
