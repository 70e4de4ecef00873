/*
 * pendulum: a point mass on a rod, in Cartesian coordinates (index 3).
 *
 *   x'' = -2 lambda x,  y'' = -2 lambda y - g,  0 = x^2 + y^2 - 1;   start at (1,0), at rest
 */
#include "build.h"

/* (2 K)^2 with K = K(m = 1/2), the complete elliptic integral: the period is 2 */
#define G_DEFAULT 13.750371636040745654980191559621114396
#define QUARTER 1.8540746773013719184338503471952600462

typedef struct pendulum {
  dae_problem problem;
  double g, omega, period;
} pendulum;

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const pendulum *p = ctx;
  (void)t, (void)q, (void)v;
  f[0] = 0;
  f[1] = -p->g;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = 2 * q[0];
  G[1] = 2 * q[1];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)q, (void)ctx;
  L[0] = 2 * v[0];
  L[1] = 2 * v[1];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)a, (void)ctx;
  J[0] = J[3] = 2 * y[0];
  return 0;
}

/* amplitude of Jacobi's functions for m = 1/2 by descending Landen steps: sn u = sin am, cn u =
   cos am */
static double amplitude(double u) {
  double a[8], c[8], b = sqrt(0.5);
  a[0] = 1;
  c[0] = sqrt(0.5);
  int n = 0;
  for (; n < 7 && c[n] > 1e-17; n++) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
  return phi;
}

/* theta from the downward vertical: sin(theta/2) = k sn(K - omega t), k^2 = 1/2, so that
   x = 2 k sn dn, y = -cn^2, theta' = -2 k omega cn, lambda = 3/2 g cn^2 */
static int exact(double t, double *z, double *y, void *ctx) {
  const pendulum *p = ctx;
  /* whole periods are taken off before omega can blow up their rounding */
  double phi = amplitude(QUARTER - p->omega * fmod(t, p->period));
  double sn = sin(phi), cn = cos(phi), dn = sqrt(1 - 0.5 * sn * sn);
  double rate = -sqrt(2) * p->omega * cn;
  z[0] = sqrt(2) * sn * dn;
  z[1] = -cn * cn;
  z[2] = cn * cn * rate;
  z[3] = z[0] * rate;
  y[0] = 1.5 * p->g * cn * cn;
  return 0;
}

static const double start[] = {1, 0, 0, 0};
static const char *const z_name[] = {"x", "y", "der(x)", "der(y)"};
static const char *const y_name[] = {"lambda"};
static const char *const g_name[] = {"rod"};
static const double z_end[] = {8.1906468170174708462539583e-1, -5.7370118283721163553735542e-1,
                               -2.278771786709857528877993, -3.2533687292083578093613404};
static const double y_end[] = {1.1832906708071731063619452e+1};
static const dae_reference reference[] = {{30.3, z_end, y_end}};
static const gallery_parameter parameters[] = {{"g", G_DEFAULT, "gravity", 1e-6, 1e6, false}};

static dae_problem *open_pendulum(const double *par) {
  pendulum *p = gallery_block(&gallery_pendulum, sizeof *p, par);
  if (!p) return NULL;
  p->g = par[0];
  p->omega = sqrt(p->g);
  p->period = 4 * QUARTER / p->omega;
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
      .mass_constant = true,
      .force = force,
      .force_q = gallery_zero_q,
      .force_v = gallery_zero_q,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 30.3;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.exact = exact;
  p->problem.n_ref = gallery_is_default(&gallery_pendulum, par);
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_pendulum = {
    "pendulum",
    "point mass on a rod, swinging from the horizontal",
    "Cartesian pendulum, elliptic functions",
    1,
    parameters,
    open_pendulum,
    gallery_free,
};
