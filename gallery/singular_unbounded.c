/*
 * singular-unbounded: G loses rank at t = 1/2 and y has a pole there, B y does not (index 2).
 * Ascher, Lin 1995, Example 6.3.
 *
 *   x1' = -x1 + x2 - sin t - (1+2t),  x2' = -x1 y,  0 = x1^2 + x1 (x2 - sin t - 1 + 2t)
 *   exact: x = (1-2t, sin t),  y = -cos t/(1-2t)
 */
#include "build.h"

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  f[0] = -z[0] + z[1] - sin(t) - (1 + 2 * t);
  f[1] = -z[0] * y[0];
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)z, (void)ctx;
  J[0] = -1;
  J[1] = 1;
  J[2] = -y[0];
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[1] = z[0];
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  g[0] = z[0] * (z[0] + z[1] - sin(t) - 1 + 2 * t);
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)ctx;
  G[0] = 2 * z[0] + z[1] - sin(t) - 1 + 2 * t;
  G[1] = z[0];
  return 0;
}

static int constraint_t(double t, const double *z, double *gt, void *ctx) {
  (void)ctx;
  gt[0] = z[0] * (2 - cos(t));
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = 1 - 2 * t;
  z[1] = sin(t);
  y[0] = -cos(t) / (1 - 2 * t);
  return 0;
}

static const double start[] = {1, 0};
static const char *const z_name[] = {"x1", "x2"};
static const char *const y_name[] = {"y"};

static const dae_problem problem = {
    .kind = DAE_HESSENBERG,
    .hessenberg =
        {
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
        },
    .t1 = 1,
    .z0 = start,
    .z_name = z_name,
    .y_name = y_name,
    .exact = exact,
};

static dae_problem *open_singular_unbounded(const double *par) {
  return gallery_copy(&gallery_singular_unbounded, &problem, par);
}

const gallery_entry gallery_singular_unbounded = {
    "singular-unbounded",
    "constraint singular at t = 1/2, multiplier with a pole",
    "Ascher, Lin 1995, Example 6.3",
    0,
    NULL,
    open_singular_unbounded,
    gallery_free,
};
