/*
 * gradient-flow: steepest descent on an ellipsoid to a stable equilibrium (index 2).
 * For Schropp 2001 (attracting sets).
 *
 *   u' = -grad phi - Dg'lambda,  0 = g = (u1^2 + 2 u2^2 + 3 u3^2 - 1)/2
 *   phi = (u1^2 + 2 u2^2 + 4 u3^2)/2 + 0.3 u1 - 0.2 u2 + 0.1 u3
 */
#include "build.h"

static int rhs(double t, const double *u, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = -u[0] * (1 + y[0]) - 0.3;
  f[1] = -2 * u[1] * (1 + y[0]) + 0.2;
  f[2] = -u[2] * (4 + 3 * y[0]) - 0.1;
  return 0;
}

static int rhs_z(double t, const double *u, const double *y, double *J, void *ctx) {
  (void)t, (void)u, (void)ctx;
  J[0] = -(1 + y[0]);
  J[4] = -2 * (1 + y[0]);
  J[8] = -(4 + 3 * y[0]);
  return 0;
}

static int minus_f_y(double t, const double *u, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[0] = u[0];
  B[1] = 2 * u[1];
  B[2] = 3 * u[2];
  return 0;
}

static int constraint(double t, const double *u, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (u[0] * u[0] + 2 * u[1] * u[1] + 3 * u[2] * u[2] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *u, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = u[0];
  G[1] = 2 * u[1];
  G[2] = 3 * u[2];
  return 0;
}

static const double start[] = {0.2, 0.48989794855663561964, 0.4};
static const char *const z_name[] = {"u1", "u2", "u3"};
static const char *const y_name[] = {"lambda"};

static const double z_0[] = {-0.0912360542949682455, 0.694757400519821359, 0.0936309977919824411};
static const double y_0[] = {-0.875675353970436495};
static const double z_1[] = {-0.77903944821482613, 0.438395535481387046, -0.0539019080216246749};
static const double y_1[] = {-0.702867543179535594};
static const double z_2[] = {-0.901106251396010072, 0.300414627818757571, -0.0500320779769187506};
static const double y_2[] = {-0.667091581746840466};
/* from tools/references.py */
static const dae_reference reference[] = {{1, z_0, y_0}, {5, z_1, y_1}, {20, z_2, y_2}};

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
    .t1 = 20,
    .z0 = start,
    .z_name = z_name,
    .y_name = y_name,
    .n_ref = 3,
    .ref = reference,
};

static dae_problem *open_gradient_flow(const double *par) {
  return gallery_copy(&gallery_gradient_flow, &problem, par);
}

const gallery_entry gallery_gradient_flow = {
    "gradient-flow",
    "steepest descent on an ellipsoid",
    "Schropp 2001 (attracting sets); problem constructed here",
    0,
    NULL,
    open_gradient_flow,
    gallery_free,
};
