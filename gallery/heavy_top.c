/*
 * heavy-top: a spinning top with a fixed point, attitude as a quaternion (ODE, three invariants).
 *
 *   s' = s o (0,w)/2,  I w' = -w x I w - weight (e3 x r);   s = (s0,s1,s2,s3), e3 the top's axis
 *   r: the upward vertical seen by the top;  weight = m g d, the centre of mass is at d e3
 *   invariants: |s|^2 = 1, energy, angular momentum about the vertical
 */
#include "build.h"

typedef struct heavy_top {
  dae_problem problem;
  double I1, I3, weight; /* weight = m g d */
  double energy, momentum;
  double z0[7];
} heavy_top;

/* r = R's u, the third row of the rotation matrix; |s|^2 is not divided out */
static void vertical(const double *s, double *r) {
  r[0] = 2 * (s[1] * s[3] - s[0] * s[2]);
  r[1] = 2 * (s[2] * s[3] + s[0] * s[1]);
  r[2] = s[0] * s[0] - s[1] * s[1] - s[2] * s[2] + s[3] * s[3];
}

static int rhs(double t, const double *z, double *dz, void *ctx) {
  const heavy_top *p = ctx;
  (void)t;
  const double *s = z, *w = z + 4;
  double r[3], k = (p->I1 - p->I3) / p->I1 * w[2], c = p->weight / p->I1;
  vertical(s, r);
  dz[0] = (-s[1] * w[0] - s[2] * w[1] - s[3] * w[2]) / 2;
  dz[1] = (s[0] * w[0] + s[2] * w[2] - s[3] * w[1]) / 2;
  dz[2] = (s[0] * w[1] + s[3] * w[0] - s[1] * w[2]) / 2;
  dz[3] = (s[0] * w[2] + s[1] * w[1] - s[2] * w[0]) / 2;
  dz[4] = k * w[1] + c * r[1];
  dz[5] = -k * w[0] - c * r[0];
  dz[6] = 0;
  return 0;
}

static int rhs_z(double t, const double *z, double *J, void *ctx) {
  const heavy_top *p = ctx;
  (void)t;
  const double *s = z, *w = z + 4;
  double k = (p->I1 - p->I3) / p->I1, c = 2 * p->weight / p->I1;
  /* rows of s': the matrix of w on s, then that of s on w */
  J[1] = -w[0] / 2, J[2] = -w[1] / 2, J[3] = -w[2] / 2;
  J[7] = w[0] / 2, J[9] = w[2] / 2, J[10] = -w[1] / 2;
  J[14] = w[1] / 2, J[15] = -w[2] / 2, J[17] = w[0] / 2;
  J[21] = w[2] / 2, J[22] = w[1] / 2, J[23] = -w[0] / 2;
  J[4] = -s[1] / 2, J[5] = -s[2] / 2, J[6] = -s[3] / 2;
  J[11] = s[0] / 2, J[12] = -s[3] / 2, J[13] = s[2] / 2;
  J[18] = s[3] / 2, J[19] = s[0] / 2, J[20] = -s[1] / 2;
  J[25] = -s[2] / 2, J[26] = s[1] / 2, J[27] = s[0] / 2;
  /* rows of w' */
  J[28] = c * s[1], J[29] = c * s[0], J[30] = c * s[3], J[31] = c * s[2];
  J[33] = k * w[2], J[34] = k * w[1];
  J[35] = c * s[2], J[36] = -c * s[3], J[37] = c * s[0], J[38] = -c * s[1];
  J[39] = -k * w[2], J[41] = -k * w[0];
  return 0;
}

static int invariants(double t, const double *z, double *h, void *ctx) {
  const heavy_top *p = ctx;
  (void)t;
  const double *s = z, *w = z + 4;
  double r[3];
  vertical(s, r);
  h[0] = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3] - 1) / 2;
  h[1] = (p->I1 * (w[0] * w[0] + w[1] * w[1]) + p->I3 * w[2] * w[2]) / 2 + p->weight * r[2] -
         p->energy;
  h[2] = p->I1 * (w[0] * r[0] + w[1] * r[1]) + p->I3 * w[2] * r[2] - p->momentum;
  return 0;
}

static int invariants_z(double t, const double *z, double *H, void *ctx) {
  const heavy_top *p = ctx;
  (void)t;
  const double *s = z, *w = z + 4;
  double r[3], l0 = 2 * p->I1 * w[0], l1 = 2 * p->I1 * w[1], l2 = 2 * p->I3 * w[2],
               c = 2 * p->weight;
  vertical(s, r);
  for (int i = 0; i < 4; i++) H[i] = s[i];
  H[7] = c * s[0], H[8] = -c * s[1], H[9] = -c * s[2], H[10] = c * s[3];
  H[11] = p->I1 * w[0], H[12] = p->I1 * w[1], H[13] = p->I3 * w[2];
  H[14] = -l0 * s[2] + l1 * s[1] + l2 * s[0];
  H[15] = l0 * s[3] + l1 * s[0] - l2 * s[1];
  H[16] = -l0 * s[0] + l1 * s[3] - l2 * s[2];
  H[17] = l0 * s[1] + l1 * s[2] + l2 * s[3];
  H[18] = p->I1 * r[0], H[19] = p->I1 * r[1], H[20] = p->I3 * r[2];
  return 0;
}

static int invariants_t(double t, const double *z, double *ht, void *ctx) {
  (void)t, (void)z, (void)ctx;
  ht[0] = ht[1] = ht[2] = 0;
  return 0;
}

static const char *const z_name[] = {"s0", "s1", "s2", "s3", "w1", "w2", "w3"};
static const char *const g_name[] = {"norm", "energy", "momentum"};
static const gallery_parameter parameters[] = {
    {"I1", 1, "inertia across the axis", 1e-9, 1e9, false},
    {"I3", 0.4, "inertia about the axis", 1e-9, 1e9, false},
    {"weight", 2, "m g d: weight times distance of the centre of mass", 0, 0, false},
    {"tilt", 0.6, "angle of the axis to the vertical at the start", 0, 0, false},
    {"spin", 12, "rate about the axis", 0, 0, false},
    {"rate", 0.3, "rate about the line of nodes at the start", 0, 0, false},
};

static const double z_0[] = {0.92986541997478003,
                             0.196180191800022027,
                             0.252863183084421876,
                             -0.18144928691192663,
                             -0.38987249127864674,
                             -0.242391328840635325,
                             12};
static const double z_1[] = {-0.570293551181108734,
                             0.273882040841562911,
                             0.2087935629497428,
                             -0.745760780181186767,
                             0.218247952367203264,
                             -0.54088749728990604,
                             12};
/* from tools/references.py */
static const dae_reference reference[] = {{1, z_0, NULL}, {10, z_1, NULL}};

static dae_problem *open_heavy_top(const double *par) {
  heavy_top *p = gallery_block(&gallery_heavy_top, sizeof *p, par);
  if (!p) return NULL;
  double h[3];
  p->I1 = par[0];
  p->I3 = par[1];
  p->weight = par[2];
  /* tilted about the first axis */
  p->z0[0] = cos(par[3] / 2);
  p->z0[1] = sin(par[3] / 2);
  p->z0[4] = par[5];
  p->z0[6] = par[4];
  invariants(0, p->z0, h, p);
  p->energy = h[1];
  p->momentum = h[2];
  p->problem.kind = DAE_ODE;
  p->problem.ode = (dae_ode){
      .n = 7,
      .nh = 3,
      .f = rhs,
      .f_z = rhs_z,
      .h = invariants,
      .h_z = invariants_z,
      .h_t = invariants_t,
  };
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.g_name = g_name;
  p->problem.n_ref = gallery_is_default(&gallery_heavy_top, par) ? 2 : 0;
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_heavy_top = {
    "heavy-top",      "spinning top with a quaternion, three invariants",
    "Lagrange's top", 6,
    parameters,       open_heavy_top,
    gallery_free,
};
