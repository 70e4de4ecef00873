/*
 * singular-bounded: the circle shrinks to a point at t = 1/2; y stays bounded (index 2).
 * Ascher, Lin 1995, Example 6.2.
 *
 *   x' = a' + a e^t - x y,  0 = (x.x - a.a)/2,  a = (t - 1/2, t^2 - 1/4);   exact: x = a,  y = e^t
 */
#include "build.h"

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  double e = exp(t);
  f[0] = 1 + (t - 0.5) * e - z[0] * y[0];
  f[1] = 2 * t + (t * t - 0.25) * e - z[1] * y[0];
  return 0;
}

static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)z, (void)ctx;
  J[0] = J[3] = -y[0];
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[0] = z[0];
  B[1] = z[1];
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)ctx;
  double a1 = t - 0.5, a2 = t * t - 0.25;
  g[0] = ((z[0] - a1) * (z[0] + a1) + (z[1] - a2) * (z[1] + a2)) / 2;
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = z[0];
  G[1] = z[1];
  return 0;
}

static int constraint_t(double t, const double *z, double *gt, void *ctx) {
  (void)z, (void)ctx;
  gt[0] = -(t - 0.5) - 2 * t * (t * t - 0.25);
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = t - 0.5;
  z[1] = t * t - 0.25;
  y[0] = exp(t);
  return 0;
}

static const double start[] = {-0.5, -0.25};
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

static dae_problem *open_singular_bounded(const double *par) {
  return gallery_copy(&gallery_singular_bounded, &problem, par);
}

const gallery_entry gallery_singular_bounded = {
    "singular-bounded",
    "constraint singular at t = 1/2, multiplier bounded",
    "Ascher, Lin 1995, Example 6.2",
    0,
    NULL,
    open_singular_bounded,
    gallery_free,
};
