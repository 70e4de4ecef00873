/*
 * driven-sphere: a path on the sphere, f not linear in the multiplier (index 2).
 * The equations of bvp-sphere as an initial value problem.
 *
 *   u' = K u + u (y + y^2/4) + w(t),  0 = (u.u - 1)/2,  K = [0 1 0; 9 0 0; 0 0 -2]
 *   exact: u = (sin a cos b, sin a sin b, cos a), a = 0.7 + 0.5 t, b = 0.3 + t,  y = 1 + sin(t)/2
 */
#include "build.h"

typedef struct driven_sphere {
  dae_problem problem;
  double z0[3];
} driven_sphere;

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  double a = 0.7 + 0.5 * t, b = 0.3 + t;
  z[0] = sin(a) * cos(b);
  z[1] = sin(a) * sin(b);
  z[2] = cos(a);
  y[0] = 1 + sin(t) / 2;
  return 0;
}

/* K (u - ue) + u s(y) - ue s(ye) + ue' with the exact (ue, ye): w follows from it */
static int rhs(double t, const double *u, const double *y, double *f, void *ctx) {
  (void)ctx;
  double a = 0.7 + 0.5 * t, b = 0.3 + t;
  double sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b), ye = 1 + sin(t) / 2;
  double s = y[0] + y[0] * y[0] / 4, se = ye + ye * ye / 4;
  f[0] = (u[1] - sa * sb) + u[0] * s - sa * cb * se + 0.5 * ca * cb - sa * sb;
  f[1] = 9 * (u[0] - sa * cb) + u[1] * s - sa * sb * se + 0.5 * ca * sb + sa * cb;
  f[2] = -2 * (u[2] - ca) + u[2] * s - ca * se - 0.5 * sa;
  return 0;
}

static int rhs_z(double t, const double *u, const double *y, double *J, void *ctx) {
  (void)t, (void)u, (void)ctx;
  double s = y[0] + y[0] * y[0] / 4;
  J[0] = s;
  J[1] = 1;
  J[3] = 9;
  J[4] = s;
  J[8] = s - 2;
  return 0;
}

static int minus_f_y(double t, const double *u, const double *y, double *B, void *ctx) {
  (void)t, (void)ctx;
  double c = -(1 + y[0] / 2);
  B[0] = c * u[0];
  B[1] = c * u[1];
  B[2] = c * u[2];
  return 0;
}

static int constraint(double t, const double *u, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *u, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = u[0];
  G[1] = u[1];
  G[2] = u[2];
  return 0;
}

static const double start_y[] = {1};
static const char *const z_name[] = {"u1", "u2", "u3"};
static const char *const y_name[] = {"y"};

static dae_problem *open_driven_sphere(const double *par) {
  driven_sphere *p = gallery_block(&gallery_driven_sphere, sizeof *p, par);
  if (!p) return NULL;
  double y_start;
  exact(0, p->z0, &y_start, p);
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 3,
      .ny = 1,
      .affine = DAE_NO,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
  };
  p->problem.t1 = 1;
  p->problem.z0 = p->z0;
  p->problem.y0 = start_y;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_driven_sphere = {
    "driven-sphere",
    "path on the sphere, quadratic in the multiplier",
    "the equations of bvp-sphere",
    0,
    NULL,
    open_driven_sphere,
    gallery_free,
};
