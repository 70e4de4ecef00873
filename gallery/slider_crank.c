/*
 * slider-crank: rigid crank and rod, driven and damped at the shaft (index 3).
 * Ascher, Qin, Reich 1992, Example 4.
 *
 *   diag(J1,m2,m2,J2) q'' = (sin t - theta', 0, -m2 g, 0) - G'lambda,   q = (theta,x2,y2,psi)
 *   0 = x2 - r cos theta - l1 cos psi
 *   0 = r sin theta - l sin psi
 *   0 = y2 - (l-l1) sin psi
 *
 * The printed multipliers p belong to an equivalent set of constraints; here lambda multiplies the
 * gradients of the constraints above: lambda1 = -p1, lambda2 = p2, lambda3 = p3 - p2.
 */
#include "build.h"

typedef struct slider_crank {
  dae_problem problem;
  double J1, J2, m2, g, r, l, l1, l2; /* l2 = l - l1 */
  double z0[8];
} slider_crank;

static int mass(double t, const double *q, double *M, void *ctx) {
  const slider_crank *p = ctx;
  (void)t, (void)q;
  M[0] = p->J1;
  M[1] = M[2] = p->m2;
  M[3] = p->J2;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const slider_crank *p = ctx;
  (void)q;
  f[0] = sin(t) - v[0];
  f[1] = 0;
  f[2] = -p->m2 * p->g;
  f[3] = 0;
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  J[0] = -1;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const slider_crank *p = ctx;
  (void)t;
  double sin_theta = sin(q[0]), cos_theta = cos(q[0]), sin_psi = sin(q[3]), cos_psi = cos(q[3]);
  g[0] = q[1] - p->r * cos_theta - p->l1 * cos_psi;
  g[1] = p->r * sin_theta - p->l * sin_psi;
  g[2] = q[2] - p->l2 * sin_psi;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const slider_crank *p = ctx;
  (void)t;
  double sin_theta = sin(q[0]), cos_theta = cos(q[0]), sin_psi = sin(q[3]), cos_psi = cos(q[3]);
  G[0] = p->r * sin_theta;
  G[1] = 1;
  G[3] = p->l1 * sin_psi;
  G[4] = p->r * cos_theta;
  G[7] = -p->l * cos_psi;
  G[10] = 1;
  G[11] = -p->l2 * cos_psi;
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const slider_crank *p = ctx;
  (void)t;
  double theta2 = p->r * v[0] * v[0], psi2 = v[3] * v[3];
  double sin_theta = sin(q[0]), cos_theta = cos(q[0]), sin_psi = sin(q[3]), cos_psi = cos(q[3]);
  c[0] = theta2 * cos_theta + p->l1 * psi2 * cos_psi;
  c[1] = -theta2 * sin_theta + p->l * psi2 * sin_psi;
  c[2] = p->l2 * psi2 * sin_psi;
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const slider_crank *p = ctx;
  (void)t;
  double sin_theta = sin(q[0]), cos_theta = cos(q[0]), sin_psi = sin(q[3]), cos_psi = cos(q[3]);
  L[0] = p->r * cos_theta * v[0];
  L[3] = p->l1 * cos_psi * v[3];
  L[4] = -p->r * sin_theta * v[0];
  L[7] = p->l * sin_psi * v[3];
  L[11] = p->l2 * sin_psi * v[3];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const slider_crank *p = ctx;
  (void)t, (void)v, (void)a;
  J[0] = p->r * (y[0] * cos(q[0]) - y[1] * sin(q[0]));
  J[15] = y[0] * p->l1 * cos(q[3]) + (y[1] * p->l + y[2] * p->l2) * sin(q[3]);
  return 0;
}

static const char *const z_name[] = {"theta",      "x2",      "y2",      "psi",
                                     "der(theta)", "der(x2)", "der(y2)", "der(psi)"};
static const char *const y_name[] = {"lambda1", "lambda2", "lambda3"};
static const char *const g_name[] = {"pin", "slider", "centre"};

/* minimal coordinate in 34 digits; the last row from the unreduced equations in quadruple
   precision */
static const double z_1[] = {-1.061270282397952,  2.401214566116769,  -0.2909919279848427,
                             -0.2952634692628417, -1.074141060176316, -1.043935447316506,
                             -0.174642285541563,  -0.1825416841749511};
static const double z_2[] = {-2.070938116098267,  1.432978107625638,  -0.2925048585519711,
                             -0.2968452136648154, -0.905792328313892, -0.7062678412645787,
                             0.1447908932959614,  0.1514130906862008};
static const double z_5[] = {-3.30678120997106,      1.010605932702208,     0.05481277451500159,
                             0.05484025864072109,    0.001196252734868417,  -0.0001535266401857266,
                             -0.0003933228617989135, -0.0003939150540568262};
static const double z_10[] = {-5.8703307062855053726173213e-1, 2.7982034997828359379250707,
                              -1.8463107849784760798857187e-1, -1.8569647409865288953390915e-1,
                              5.7758998220120904990213087e-1,  3.8015064489273823039742494e-1,
                              1.6029810557529127094380475e-1,  1.6310217476023370995464901e-1};
static const double y_10[] = {5.3711360211795780253229734e-1, 3.1774963196133679118981229,
                              -9.7753018261354088382344602};
static const dae_reference reference[] = {
    {1, z_1, NULL}, {2, z_2, NULL}, {5, z_5, NULL}, {10, z_10, y_10}};

static const gallery_parameter parameters[] = {
    {"J1", 10, "inertia of the crank", 1e-9, 1e9, false},
    {"J2", 1, "inertia of the rod", 1e-9, 1e9, false},
    {"m2", 1, "mass of the rod", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"r", 1, "length of the crank", 1e-9, 1e9, false},
    {"l", 3, "length of the rod; above r, or the crank meets a singular position", 1e-9, 1e9,
     false},
    {"l1", 2, "from the crank pin to the centre of the rod", 0, 1e9, false},
};

static dae_problem *open_slider_crank(const double *par) {
  slider_crank *p = gallery_block(&gallery_slider_crank, sizeof *p, par);
  if (!p) return NULL;
  p->J1 = par[0];
  p->J2 = par[1];
  p->m2 = par[2];
  p->g = par[3];
  p->r = par[4];
  p->l = par[5];
  p->l1 = par[6];
  p->l2 = p->l - p->l1;
  /* stretched out to the right, crank turning backwards */
  p->z0[1] = p->r + p->l1;
  p->z0[4] = -1;
  p->z0[7] = -p->r / p->l;
  p->z0[6] = p->l2 * p->z0[7];
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 4,
      .ng = 3,
      .mass = mass,
      .mass_kind = DAE_MASS_DIAGONAL,
      .mass_constant = true,
      .force = force,
      .force_q = gallery_zero_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.n_ref = gallery_is_default(&gallery_slider_crank, par) ? 4 : 0;
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_slider_crank = {
    "slider-crank",
    "rigid slider-crank, driven and damped at the shaft",
    "Ascher, Qin, Reich 1992, Example 4",
    7,
    parameters,
    open_slider_crank,
    gallery_free,
};
