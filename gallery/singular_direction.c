/*
 * singular-direction: G vanishes at t = pi/2 and its limit depends on the direction (index 2).
 * Ascher, Lin 1995, Example 3.1, with f1 = sin x2/(sin x2 - sin x1) (printed: sin x1 above).
 *
 *   x' = f(x) - G'y,  0 = -cos x1 - cos x2,  f = (s2, 2 s2 - s1)/(s2 - s1),  s = sin x
 *   exact: x = (t - pi/2, t + pi/2),  y = 1/(s2 - s1)
 */
#include "build.h"

static int rhs(double t, const double *z, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  double s1 = sin(z[0]), s2 = sin(z[1]), c = 1 / (s2 - s1);
  f[0] = c * s2 - s1 * y[0];
  f[1] = c * (2 * s2 - s1) - s2 * y[0];
  return 0;
}

/* df1 = (-s1 ds2 + s2 ds1)/(s2-s1)^2, df2 the same: f2 = 1 + f1 */
static int rhs_z(double t, const double *z, const double *y, double *J, void *ctx) {
  (void)t, (void)ctx;
  double s1 = sin(z[0]), s2 = sin(z[1]), c1 = cos(z[0]), c2 = cos(z[1]),
         d = 1 / ((s2 - s1) * (s2 - s1));
  J[0] = d * s2 * c1 - c1 * y[0];
  J[1] = -d * s1 * c2;
  J[2] = d * s2 * c1;
  J[3] = -d * s1 * c2 - c2 * y[0];
  return 0;
}

static int minus_f_y(double t, const double *z, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[0] = sin(z[0]);
  B[1] = sin(z[1]);
  return 0;
}

static int constraint(double t, const double *z, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = -cos(z[0]) - cos(z[1]);
  return 0;
}

static int gradient(double t, const double *z, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = sin(z[0]);
  G[1] = sin(z[1]);
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = t - GALLERY_PI / 2;
  z[1] = t + GALLERY_PI / 2;
  y[0] = 1 / (sin(z[1]) - sin(z[0]));
  return 0;
}

static const double start[] = {-GALLERY_PI / 2, GALLERY_PI / 2};
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
            .g_t = gallery_zero_g_t,
        },
    .t1 = 1.5,
    .z0 = start,
    .z_name = z_name,
    .y_name = y_name,
    .exact = exact,
};

static dae_problem *open_singular_direction(const double *par) {
  return gallery_copy(&gallery_singular_direction, &problem, par);
}

const gallery_entry gallery_singular_direction = {
    "singular-direction",
    "constraint vanishes at t = pi/2, limit depends on the direction",
    "Ascher, Lin 1995, Example 3.1",
    0,
    NULL,
    open_singular_direction,
    gallery_free,
};
