/*
 * phase-lock-torus: two coupled rotors that lock their phases, two constraints (index 2).
 * For Schropp 2001 (attracting sets).
 *
 *   u' = T(u) + B(u) (mu(u) - lambda),  0 = (xi^2 + yi^2 - 1)/2, i = 1, 2;   u = (x1,y1,x2,y2)
 *   T = (-y1 W1, x1 W1, -y2 W2, x2 W2),  W1 = 1 + 0.4 x1,  W2 = 1 + 0.4 x2 + 1.5 (y1 x2 - x1 y2)
 *   B = columns (x1+0.2, y1, 0.1, 0), (0, 0.1, x2, y2+0.3),  mu = (1 + 0.5 y2, x1 x2)
 *
 * On the torus lambda = mu and the angles obey
 *   a' = 1 + 0.4 cos a,  b' = 1 + 0.4 cos b + 1.5 sin(a-b).
 */
#include "build.h"

typedef struct phase_lock_torus {
  dae_problem problem;
  double z0[4];
} phase_lock_torus;

static int rhs(double t, const double *u, const double *y, double *f, void *ctx) {
  (void)t, (void)ctx;
  double W1 = 1 + 0.4 * u[0], W2 = 1 + 0.4 * u[2] + 1.5 * (u[1] * u[2] - u[0] * u[3]);
  double d1 = 1 + 0.5 * u[3] - y[0], d2 = u[0] * u[2] - y[1];
  f[0] = -u[1] * W1 + (u[0] + 0.2) * d1;
  f[1] = u[0] * W1 + u[1] * d1 + 0.1 * d2;
  f[2] = -u[3] * W2 + 0.1 * d1 + u[2] * d2;
  f[3] = u[2] * W2 + (u[3] + 0.3) * d2;
  return 0;
}

static int rhs_z(double t, const double *u, const double *y, double *J, void *ctx) {
  (void)t, (void)ctx;
  double x1 = u[0], y1 = u[1], x2 = u[2], y2 = u[3];
  double W1 = 1 + 0.4 * x1, W2 = 1 + 0.4 * x2 + 1.5 * (y1 * x2 - x1 * y2);
  double d1 = 1 + 0.5 * y2 - y[0], d2 = x1 * x2 - y[1];
  /* gradient of W2; d1 depends on y2, d2 on x1 and x2 */
  double w0 = -1.5 * y2, w1 = 1.5 * x2, w2 = 0.4 + 1.5 * y1, w3 = -1.5 * x1;
  J[0] = -0.4 * y1 + d1;
  J[1] = -W1;
  J[3] = 0.5 * (x1 + 0.2);
  J[4] = W1 + 0.4 * x1 + 0.1 * x2;
  J[5] = d1;
  J[6] = 0.1 * x1;
  J[7] = 0.5 * y1;
  J[8] = -y2 * w0 + x2 * x2;
  J[9] = -y2 * w1;
  J[10] = -y2 * w2 + d2 + x2 * x1;
  J[11] = -W2 - y2 * w3 + 0.05;
  J[12] = x2 * w0 + (y2 + 0.3) * x2;
  J[13] = x2 * w1;
  J[14] = W2 + x2 * w2 + (y2 + 0.3) * x1;
  J[15] = x2 * w3 + d2;
  return 0;
}

static int minus_f_y(double t, const double *u, const double *y, double *B, void *ctx) {
  (void)t, (void)y, (void)ctx;
  B[0] = u[0] + 0.2;
  B[2] = u[1];
  B[3] = 0.1;
  B[4] = 0.1;
  B[5] = u[2];
  B[7] = u[3] + 0.3;
  return 0;
}

static int constraint(double t, const double *u, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = (u[0] * u[0] + u[1] * u[1] - 1) / 2;
  g[1] = (u[2] * u[2] + u[3] * u[3] - 1) / 2;
  return 0;
}

static int gradient(double t, const double *u, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = u[0];
  G[1] = u[1];
  G[6] = u[2];
  G[7] = u[3];
  return 0;
}

static const char *const z_name[] = {"x1", "y1", "x2", "y2"};
static const char *const y_name[] = {"lambda1", "lambda2"};

static const double z_0[] = {0.275705593832455923, 0.961242126381013767, 0.102062393561758054,
                             0.994777999264381001};
static const double y_0[] = {1.4973889996321905, 0.0281391728249063304};
static const double z_1[] = {-0.985497955828227955, 0.1696872978698879, -0.985497978446857138,
                             0.169687166506951559};
static const double y_1[] = {1.08484358325347578, 0.971206243232228761};
/* from tools/references.py */
static const dae_reference reference[] = {{1, z_0, y_0}, {10, z_1, y_1}};

static dae_problem *open_phase_lock_torus(const double *par) {
  phase_lock_torus *p = gallery_block(&gallery_phase_lock_torus, sizeof *p, par);
  if (!p) return NULL;
  p->z0[0] = 1;
  p->z0[2] = cos(1.0);
  p->z0[3] = sin(1.0);
  p->problem.kind = DAE_HESSENBERG;
  p->problem.hessenberg = (dae_hessenberg){
      .order = 1,
      .nx = 4,
      .ny = 2,
      .affine = DAE_YES,
      .f = rhs,
      .f_z = rhs_z,
      .B = minus_f_y,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
  };
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.n_ref = 2;
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_phase_lock_torus = {
    "phase-lock-torus",
    "two rotors on a torus lock their phases",
    "Schropp 2001 (attracting sets); problem constructed here",
    0,
    NULL,
    open_phase_lock_torus,
    gallery_free,
};
