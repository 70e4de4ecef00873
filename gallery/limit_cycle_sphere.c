/*
 * limit-cycle-sphere: an attracting circle on the sphere, f not linear in lambda (index 2).
 * For Schropp 2001 (attracting sets).
 *
 *   u' = T(u) + B1(u) (mu - lambda) + eps B2(u) (mu^3 - lambda^3)/3,  0 = (u.u - 1)/2
 *   T = (-u2, u1, 0) + 2 (0.3 - u3) (-u1 u3, -u2 u3, u1^2 + u2^2),  mu = 1 + 0.5 u1 + 0.3 u2 u3
 *   B1 = (u1 + 0.3, u2, u3 - 0.2),  B2 = (-u2, u1, 0)
 *
 * On the sphere lambda = mu and u' = T: the longitude grows like t, u3' = 2 (0.3 - u3) (1 - u3^2).
 */
#include "build.h"

static const double height = 0.3; /* of the cycle */

typedef struct limit_cycle_sphere {
  dae_problem problem;
  double eps;
} limit_cycle_sphere;

static int rhs(double t, const double *u, const double *y, double *f, void *ctx) {
  const limit_cycle_sphere *p = ctx;
  (void)t;
  double mu = 1 + 0.5 * u[0] + 0.3 * u[1] * u[2], lam = y[0];
  double k = 2 * (height - u[2]), d = mu - lam, c = p->eps * (mu * mu * mu - lam * lam * lam) / 3;
  f[0] = -u[1] - k * u[0] * u[2] + d * (u[0] + 0.3) - c * u[1];
  f[1] = u[0] - k * u[1] * u[2] + d * u[1] + c * u[0];
  f[2] = k * (u[0] * u[0] + u[1] * u[1]) + d * (u[2] - 0.2);
  return 0;
}

static int rhs_z(double t, const double *u, const double *y, double *J, void *ctx) {
  const limit_cycle_sphere *p = ctx;
  (void)t;
  double mu = 1 + 0.5 * u[0] + 0.3 * u[1] * u[2], lam = y[0];
  double k = 2 * (height - u[2]), d = mu - lam, c = p->eps * (mu * mu * mu - lam * lam * lam) / 3;
  /* the columns of mu's gradient come with b = B1 + eps mu^2 B2 */
  double m = p->eps * mu * mu, b0 = u[0] + 0.3 - m * u[1], b1 = u[1] + m * u[0], b2 = u[2] - 0.2;
  double m0 = 0.5, m1 = 0.3 * u[2], m2 = 0.3 * u[1];
  J[0] = -k * u[2] + d + b0 * m0;
  J[1] = -1 - c + b0 * m1;
  J[2] = 2 * u[0] * u[2] - k * u[0] + b0 * m2;
  J[3] = 1 + c + b1 * m0;
  J[4] = -k * u[2] + d + b1 * m1;
  J[5] = 2 * u[1] * u[2] - k * u[1] + b1 * m2;
  J[6] = 2 * k * u[0] + b2 * m0;
  J[7] = 2 * k * u[1] + b2 * m1;
  J[8] = -2 * (u[0] * u[0] + u[1] * u[1]) + d + b2 * m2;
  return 0;
}

static int minus_f_y(double t, const double *u, const double *y, double *B, void *ctx) {
  const limit_cycle_sphere *p = ctx;
  (void)t;
  double m = p->eps * y[0] * y[0];
  B[0] = u[0] + 0.3 - m * u[1];
  B[1] = u[1] + m * u[0];
  B[2] = u[2] - 0.2;
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

/* 2t as a function of s = log(u3 - h) and h = 0.3: partial fractions of du/((h-u)(1-u)(1+u)) */
static double clock_of(double s, double *slope) {
  double u = height + exp(s);
  *slope = -1 / (1 - u * u);
  return -s / (1 - height * height) + log(1 - u) / (2 * (1 - height)) +
         log(1 + u) / (2 * (1 + height));
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  double slope, s0 = log(0.8 - height), end = clock_of(s0, &slope) + 2 * t;
  double s = s0 - 2 * t * (1 - height * height);
  for (int i = 0; i < 50; i++) {
    double step = (clock_of(s, &slope) - end) / slope;
    s -= step;
    if (fabs(step) < 1e-15 * fabs(s)) break;
  }
  double u = height + exp(s), r = sqrt((1 - u) * (1 + u));
  z[0] = r * cos(t);
  z[1] = r * sin(t);
  z[2] = u;
  y[0] = 1 + 0.5 * z[0] + 0.3 * z[1] * z[2];
  return 0;
}

static const double start[] = {0.6, 0, 0.8};
static const double start_y[] = {1.3};
static const char *const z_name[] = {"u1", "u2", "u3"};
static const char *const y_name[] = {"lambda"};
static const gallery_parameter parameters[] = {
    {"eps", 0.2, "0: f is linear in the multiplier", 0, 0, false},
};

static dae_problem *open_limit_cycle_sphere(const double *par) {
  limit_cycle_sphere *p = gallery_block(&gallery_limit_cycle_sphere, sizeof *p, par);
  if (!p) return NULL;
  p->eps = par[0];
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 3,
      .ny = 1,
      .affine = p->eps == 0 ? DAE_YES : DAE_NO,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
  };
  p->problem.t1 = 10;
  p->problem.z0 = start;
  p->problem.y0 = start_y;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_limit_cycle_sphere = {
    "limit-cycle-sphere",
    "attracting cycle on the sphere, nonlinear in the multiplier",
    "Schropp 2001 (attracting sets); problem constructed here",
    1,
    parameters,
    open_limit_cycle_sphere,
    gallery_free,
};
