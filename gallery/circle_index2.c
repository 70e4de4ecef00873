/*
 * circle-index2: the point stays on a circle whose radius changes in time (index 2).
 * Ascher, Lin 1995, Example 6.1, with f1 = 1 - e^-t (the paper prints 1 - e^t).
 *
 *   x' = f(t) - x y,  0 = (x1^2 + x2^2 - e^-2t - sin^2 t)/2
 *   exact: x = (e^-t, sin t),  y = e^t
 */
#include "build.h"

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)ctx;
  double e = exp(t);
  f[0] = 1 - 1 / e - z[0] * y[0];
  f[1] = cos(t) + e * sin(t) - z[1] * y[0];
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
  double e = exp(-t), s = sin(t);
  g[0] = ((z[0] - e) * (z[0] + e) + (z[1] - s) * (z[1] + s)) / 2;
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
  gt[0] = exp(-2 * t) - sin(t) * cos(t);
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = exp(-t);
  z[1] = sin(t);
  y[0] = exp(t);
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

static dae_problem *open_circle_index2(const double *par) {
  return gallery_copy(&gallery_circle_index2, &problem, par);
}

const gallery_entry gallery_circle_index2 = {
    "circle-index2",
    "on a circle of changing radius",
    "Ascher, Lin 1995, Example 6.1",
    0,
    NULL,
    open_circle_index2,
    gallery_free,
};
