/*
 * bvp-elastica: a thin rod bent between two clamps, its unknown end force a pair of parameters
 * (index 3).
 *
 *   r' = u,  u'' = -F - lambda u,  0 = (u.u - 1)/2;   r position, u tangent, F force over bending
 * stiffness
 * written in second order: r'' = u'. Given: r at both ends, r'(0) = u(0), the second component of
 * u at both ends.
 *   exact: angle sin(phi/2) = m sn(k s + c), turned by psi; F = -k^2 (cos psi, sin psi)
 */
#include "bvp.h"

#include <stdlib.h>

static const double modulus = 0.6, rate_k = 2.5, shift = 0.3, psi = 0.4;

typedef struct bvp_elastica {
  dae_problem problem;
  dae_boundary boundary;
  double force[2], guess[2], exact_force[2];
  double z0[8], z1[8], angle[2];
} bvp_elastica;

/* amplitude of Jacobi's functions by descending Landen steps: sn u = sin am */
static double amplitude(double u) {
  double a[8], c[8], b = sqrt(1 - modulus * modulus);
  a[0] = 1;
  c[0] = modulus;
  int n = 0;
  for (; n < 7 && fabs(c[n]) > 1e-17; n++) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
  return phi;
}

static double angle(double s) {
  return 2 * asin(modulus * sin(amplitude(rate_k * s + shift))) + psi;
}

/* integrals of cos and sin of the angle from 0 to s by Gauss's rule with 5 points on 16 pieces */
static void position(double s, double *r) {
  static const double x[] = {0, 0.53846931010568309104, 0.90617984593866399280};
  static const double w[] = {0.56888888888888888889, 0.47862867049936646804,
                             0.23692688505618908751};
  enum { PIECES = 16 };
  r[0] = r[1] = 0;
  for (int i = 0; i < PIECES; i++)
    for (int j = -2; j <= 2; j++) {
      double half = s / (2 * PIECES), at = (2 * i + 1) * half + half * (j < 0 ? -x[-j] : x[j]);
      r[0] += half * w[abs(j)] * cos(angle(at));
      r[1] += half * w[abs(j)] * sin(angle(at));
    }
}

static int exact(double s, double *z, double *y, void *ctx) {
  (void)ctx;
  double am = amplitude(rate_k * s + shift), phi = angle(s), sn = sin(am);
  /* phi' = 2 m k cn, as d/ds sin(phi/2) = m k cn dn and cos(phi/2) = dn */
  double dphi = 2 * modulus * rate_k * cos(am);
  position(s, z);
  z[2] = z[4] = cos(phi);
  z[3] = z[5] = sin(phi);
  z[6] = -dphi * sin(phi);
  z[7] = dphi * cos(phi);
  /* lambda = phi'^2 - F.u, F.u = -k^2 cos(phi - psi) */
  y[0] = dphi * dphi + rate_k * rate_k * (1 - 2 * modulus * modulus * sn * sn);
  return 0;
}

/* x = (r, u): r'' = u', u'' = -F - lambda u */
static int rhs(double s, const double *z, const double *y, double *f, void *ctx) {
  const bvp_elastica *p = ctx;
  (void)s;
  f[0] = z[6];
  f[1] = z[7];
  f[2] = -p->force[0] - y[0] * z[2];
  f[3] = -p->force[1] - y[0] * z[3];
  return 0;
}

static int rhs_z(double s, const double *z, const double *y, double *J, void *ctx) {
  (void)s, (void)z, (void)ctx;
  J[6] = J[8 + 7] = 1;
  J[2 * 8 + 2] = J[3 * 8 + 3] = -y[0];
  return 0;
}

static int minus_f_y(double s, const double *z, const double *y, double *B, void *ctx) {
  (void)s, (void)y, (void)ctx;
  B[2] = z[2];
  B[3] = z[3];
  return 0;
}

static int constraint(double s, const double *z, double *g, void *ctx) {
  (void)s, (void)ctx;
  g[0] = (z[2] * z[2] + z[3] * z[3] - 1) / 2;
  return 0;
}

static int gradient(double s, const double *z, double *G, void *ctx) {
  (void)s, (void)ctx;
  G[2] = z[2];
  G[3] = z[3];
  return 0;
}

static int rate(double s, const double *z, int level, double *out, void *ctx) {
  (void)s, (void)ctx;
  out[0] = level == 1 ? z[2] * z[6] + z[3] * z[7] : z[6] * z[6] + z[7] * z[7];
  return 0;
}

static int rate_z(double s, const double *z, int level, double *J, void *ctx) {
  (void)s, (void)level, (void)ctx;
  J[2] = z[6];
  J[3] = z[7];
  J[6] = z[2];
  J[7] = z[3];
  return 0;
}

static int conditions(const double *z0, const double *z1, double *b, void *ctx) {
  const bvp_elastica *p = ctx;
  b[0] = z0[0];
  b[1] = z0[1];
  b[2] = z0[4] - z0[2];
  b[3] = z0[5] - z0[3];
  b[4] = z0[3] - p->z0[3];
  b[5] = z1[0] - p->z1[0];
  b[6] = z1[1] - p->z1[1];
  b[7] = z1[3] - p->z1[3];
  return 0;
}

/* an arch: straight rods cannot be shortened to first order, so a line would be a singular guess */
static int guess(double s, double *z, double *y, void *ctx) {
  const bvp_elastica *p = ctx;
  (void)y;
  double slope = p->angle[1] - p->angle[0], arch = 2;
  double phi = p->angle[0] + slope * s + arch * s * (1 - s), dphi = slope + arch * (1 - 2 * s);
  for (int i = 0; i < 2; i++) z[i] = p->z1[i] * s;
  z[2] = z[4] = cos(phi);
  z[3] = z[5] = sin(phi);
  z[6] = -dphi * sin(phi);
  z[7] = dphi * cos(phi);
  return 0;
}

static const char *const z_name[] = {"x",      "y",      "u1",      "u2",
                                     "der(x)", "der(y)", "der(u1)", "der(u2)"};
static const char *const y_name[] = {"lambda"};
static const char *const parameter_name[] = {"F1", "F2"};

static dae_problem *open_bvp_elastica(const double *par) {
  bvp_elastica *p = gallery_block(&gallery_bvp_elastica, sizeof *p, par);
  if (!p) return NULL;
  double y;
  exact(0, p->z0, &y, p);
  exact(1, p->z1, &y, p);
  p->exact_force[0] = p->force[0] = -rate_k * rate_k * cos(psi);
  p->exact_force[1] = p->force[1] = -rate_k * rate_k * sin(psi);
  p->guess[0] = -4;
  p->angle[0] = angle(0);
  p->angle[1] = angle(1);
  p->boundary = (dae_boundary){.n = 8,
                               .n_left = 5,
                               .value = conditions,
                               .n_parameter = 2,
                               .parameter = p->force,
                               .parameter_guess = p->guess,
                               .parameter_name = parameter_name,
                               .parameter_exact = p->exact_force,
                               .guess = guess};
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 2,
      .nx = 4,
      .ny = 1,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .g_rate = rate,
      .g_rate_z = rate_z,
  };
  p->problem.t1 = 1;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  p->problem.boundary = &p->boundary;
  return &p->problem;
}

const gallery_entry gallery_bvp_elastica = {
    "bvp-elastica",
    "a rod bent between two clamps, its end force unknown",
    "Euler's elastica; exact by elliptic functions",
    0,
    NULL,
    open_bvp_elastica,
    gallery_free,
};
