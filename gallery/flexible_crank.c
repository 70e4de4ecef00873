/*
 * flexible-crank: slider-crank whose rod bends and stretches, the crank turns steadily (index 3).
 * Simeon 1996; Test Set for IVP Solvers.
 *
 * q = (phi1, phi2, x3, q1, q2, q3, q4): crank and rod, slider, two bending and two stretching
 * amplitudes e = (q1 .. q4) of the rod, with matrices Me, Ke, De, B = -B' and vectors c1, c2, c12,
 * c21 of its shape functions. With s = sin(phi1 - phi2), c = cos(phi1 - phi2)
 *
 *   M11 = J1 + m2 l1^2,   M12 = k c + rho l1 (s c2'e + c c1'e),   k = l1 l2 m2/2,   M33 = m3
 *   M22 = J2 + e'Me e + 2 rho c12'e,   M1e = rho l1 (c c2 - s c1),   M2e = rho (c21 + B'e)
 *   0 = l1 sin phi1 + (l2+q4) sin phi2,  0 = x3 - l1 cos phi1 - (l2+q4) cos phi2,  0 = phi1 - w t
 *
 * and the forces that follow from M, with -Ke e - De e'.
 */
#include "build.h"

enum { E = 4, N = 7 }; /* elastic amplitudes, all coordinates */

typedef struct flexible_crank {
  dae_problem problem;
  double l1, l2, k, r, rho, J1, J2, m3, w; /* r = rho l1, J1 with the mass of the rod at the pin */
  double Me[E][E], Ke[E][E], De[E][E], B[E][E], c1[E], c2[E], c12[E], c21[E];
  double z0[2 * N];
} flexible_crank;

/* what all functions need of a point; u = e' */
typedef struct at {
  double s, c, A, B, A_rate, B_rate; /* c1'e, c2'e and their rates */
  double Me[E], Be[E], Mu[E], Bu[E]; /* Me e, B e, Me u, B u */
  double c12_rate;                   /* c12'u */
} at;

static at point_at(const flexible_crank *p, const double *q, const double *v) {
  const double *e = q + 3, *u = v ? v + 3 : NULL;
  at a = {.s = sin(q[0] - q[1]), .c = cos(q[0] - q[1])};
  for (int i = 0; i < E; i++) {
    a.A += p->c1[i] * e[i];
    a.B += p->c2[i] * e[i];
    for (int j = 0; j < E; j++) {
      a.Me[i] += p->Me[i][j] * e[j];
      a.Be[i] += p->B[i][j] * e[j];
      if (u) a.Mu[i] += p->Me[i][j] * u[j], a.Bu[i] += p->B[i][j] * u[j];
    }
    if (!u) continue;
    a.A_rate += p->c1[i] * u[i];
    a.B_rate += p->c2[i] * u[i];
    a.c12_rate += p->c12[i] * u[i];
  }
  return a;
}

static int mass(double t, const double *q, double *M, void *ctx) {
  const flexible_crank *p = ctx;
  const at a = point_at(p, q, NULL);
  (void)t;
  M[0] = p->J1;
  M[1] = M[N] = p->k * a.c + p->r * (a.s * a.B + a.c * a.A);
  M[N + 1] = p->J2;
  M[2 * N + 2] = p->m3;
  for (int i = 0; i < E; i++) {
    int n = 3 + i;
    M[N + 1] += (a.Me[i] + 2 * p->rho * p->c12[i]) * q[n];
    M[n] = M[n * N] = p->r * (a.c * p->c2[i] - a.s * p->c1[i]);
    M[N + n] = M[n * N + 1] = p->rho * (p->c21[i] - a.Be[i]);
    for (int j = 0; j < E; j++) M[n * N + 3 + j] = p->Me[i][j];
  }
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const flexible_crank *p = ctx;
  const at a = point_at(p, q, v);
  const double *e = q + 3, *u = v + 3, V1 = v[0] * v[0], V2 = v[1] * v[1];
  (void)t;
  f[0] = V2 * (p->r * (a.c * a.B - a.s * a.A) - p->k * a.s) -
         2 * p->r * v[1] * (a.c * a.A_rate + a.s * a.B_rate);
  f[1] = V1 * (p->r * (a.s * a.A - a.c * a.B) + p->k * a.s) - 2 * p->rho * v[1] * a.c12_rate;
  f[2] = 0;
  for (int i = 0; i < E; i++) {
    double sum = V2 * (a.Me[i] + p->rho * p->c12[i]) + 2 * p->rho * v[1] * a.Bu[i] +
                 p->r * V1 * (a.c * p->c1[i] + a.s * p->c2[i]);
    for (int j = 0; j < E; j++) sum -= p->Ke[i][j] * e[j] + p->De[i][j] * u[j];
    f[3 + i] = sum;
    f[1] -= 2 * v[1] * u[i] * a.Me[i];
  }
  return 0;
}

/* J := J + factor df/dq */
static void add_force_q(const flexible_crank *p, const at *a, const double *v, double factor,
                        double *J) {
  const double V1 = v[0] * v[0], V2 = v[1] * v[1], s = a->s, c = a->c;
  double turn1 = V2 * (-p->r * (s * a->B + c * a->A) - p->k * c) -
                 2 * p->r * v[1] * (c * a->B_rate - s * a->A_rate);
  double turn2 = V1 * (p->r * (c * a->A + s * a->B) + p->k * c);
  J[0] += factor * turn1;
  J[1] -= factor * turn1;
  J[N] += factor * turn2;
  J[N + 1] -= factor * turn2;
  for (int i = 0; i < E; i++) {
    int n = 3 + i;
    double across = c * p->c2[i] - s * p->c1[i];
    J[n] += factor * p->r * V2 * across;
    J[N + n] -= factor * (p->r * V1 * across + 2 * v[1] * a->Mu[i]);
    J[n * N] += factor * p->r * V1 * across;
    J[n * N + 1] -= factor * p->r * V1 * across;
    for (int j = 0; j < E; j++) J[n * N + 3 + j] += factor * (V2 * p->Me[i][j] - p->Ke[i][j]);
  }
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  const at a = point_at(ctx, q, v);
  (void)t;
  add_force_q(ctx, &a, v, 1, J);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const flexible_crank *p = ctx;
  const at a = point_at(p, q, v);
  const double *u = v + 3;
  (void)t;
  J[1] = 2 * v[1] * (p->r * (a.c * a.B - a.s * a.A) - p->k * a.s) -
         2 * p->r * (a.c * a.A_rate + a.s * a.B_rate);
  J[N] = 2 * v[0] * (p->r * (a.s * a.A - a.c * a.B) + p->k * a.s);
  J[N + 1] = -2 * p->rho * a.c12_rate;
  for (int i = 0; i < E; i++) {
    int n = 3 + i;
    double along = a.c * p->c1[i] + a.s * p->c2[i];
    J[N + 1] -= 2 * u[i] * a.Me[i];
    J[n] = -2 * p->r * v[1] * along;
    J[N + n] = -2 * v[1] * (p->rho * p->c12[i] + a.Me[i]);
    J[n * N] = 2 * p->r * v[0] * along;
    J[n * N + 1] = 2 * v[1] * (a.Me[i] + p->rho * p->c12[i]) + 2 * p->rho * a.Bu[i];
    for (int j = 0; j < E; j++) J[n * N + 3 + j] = 2 * p->rho * v[1] * p->B[i][j] - p->De[i][j];
  }
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const flexible_crank *p = ctx;
  double length = p->l2 + q[6];
  g[0] = p->l1 * sin(q[0]) + length * sin(q[1]);
  g[1] = q[2] - p->l1 * cos(q[0]) - length * cos(q[1]);
  g[2] = q[0] - p->w * t;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const flexible_crank *p = ctx;
  double length = p->l2 + q[6], sin2 = sin(q[1]), cos2 = cos(q[1]);
  (void)t;
  G[0] = p->l1 * cos(q[0]);
  G[1] = length * cos2;
  G[6] = sin2;
  G[7] = p->l1 * sin(q[0]);
  G[8] = length * sin2;
  G[9] = 1;
  G[13] = -cos2;
  G[14] = 1;
  return 0;
}

static int constraint_t(double t, const double *q, double *gt, void *ctx) {
  const flexible_crank *p = ctx;
  (void)t, (void)q;
  gt[0] = gt[1] = 0;
  gt[2] = -p->w;
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const flexible_crank *p = ctx;
  double length = p->l2 + q[6], sin2 = sin(q[1]), cos2 = cos(q[1]);
  double turn1 = p->l1 * v[0] * v[0], turn2 = length * v[1] * v[1], across = 2 * v[1] * v[6];
  (void)t;
  c[0] = -turn1 * sin(q[0]) - turn2 * sin2 + across * cos2;
  c[1] = turn1 * cos(q[0]) + turn2 * cos2 + across * sin2;
  c[2] = 0;
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const flexible_crank *p = ctx;
  double length = p->l2 + q[6], sin2 = sin(q[1]), cos2 = cos(q[1]);
  (void)t;
  L[0] = -p->l1 * sin(q[0]) * v[0];
  L[1] = -length * sin2 * v[1] + cos2 * v[6];
  L[6] = cos2 * v[1];
  L[7] = p->l1 * cos(q[0]) * v[0];
  L[8] = length * cos2 * v[1] + sin2 * v[6];
  L[13] = sin2 * v[1];
  return 0;
}

/* d/dq (M a + G'y) - df/dq */
static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const flexible_crank *p = ctx;
  const at x = point_at(p, q, v);
  const double *b = a + 3, sin2 = sin(q[1]), cos2 = cos(q[1]), length = p->l2 + q[6];
  double turn = p->r * (x.c * x.B - x.s * x.A) - p->k * x.s, row1 = turn * a[1];
  (void)t;
  add_force_q(p, &x, v, -1, J);
  for (int i = 0; i < E; i++) {
    int n = 3 + i;
    double along = p->r * (x.c * p->c1[i] + x.s * p->c2[i]), twist = 0;
    row1 -= along * b[i];
    for (int j = 0; j < E; j++) {
      twist += p->B[i][j] * b[j];
      J[n * N + 3 + j] += p->rho * p->B[j][i] * a[1];
    }
    J[n] += along * a[1];
    J[N + n] += along * a[0] + 2 * (x.Me[i] + p->rho * p->c12[i]) * a[1] + p->rho * twist;
    J[n * N] -= along * a[0];
    J[n * N + 1] += along * a[0];
  }
  J[0] += row1 + p->l1 * (y[1] * cos(q[0]) - y[0] * sin(q[0]));
  J[1] -= row1;
  J[N] += turn * a[0];
  J[N + 1] += length * (y[1] * cos2 - y[0] * sin2) - turn * a[0];
  J[N + 6] += y[0] * cos2 + y[1] * sin2;
  J[6 * N + 1] += y[0] * cos2 + y[1] * sin2;
  return 0;
}

static const char *const z_name[] = {"phi1",    "phi2",    "x3",        "q1",        "q2",
                                     "q3",      "q4",      "der(phi1)", "der(phi2)", "der(x3)",
                                     "der(q1)", "der(q2)", "der(q3)",   "der(q4)"};
static const char *const y_name[] = {"lambda1", "lambda2", "lambda3"};
static const char *const g_name[] = {"height", "slider", "crank"};

static const double z_end[] = {15.0,
                               -0.33117349882564467,
                               0.16973733263995854,
                               0.00018931928430200415,
                               2.3757513204885725e-5,
                               -5.3238967781923856e-6,
                               -8.3633132916665895e-6,
                               150.0,
                               60.253467551296027,
                               -8.75311632672714,
                               -0.030055411709507225,
                               -0.0055004306459252851,
                               0.00049741116636745684,
                               0.0011055599716078266};
static const dae_reference reference[] = {{0.1, z_end, NULL}};

static const gallery_parameter parameters[] = {
    {"omega", 150, "speed of the crank", 0, 1e6, false},
    {"E", 2e11, "Young's modulus of the rod", 1, 1e15, false},
    {"damping", 0, "of the rod, 1: half a per cent", 0, 1e6, false},
    {"shaken", 0, "1: the rod starts straight, and oscillates", 0, 1, true},
};

/* matrices of the shape functions: two half waves of bending, quadratic elements of stretching;
   pi as it was published, so that published numbers are met */
static void set_rod(flexible_crank *p, double modulus, double damping) {
  const double pi = 3.1415927, height = 0.008, width = 0.008, l = p->l2,
               volume = height * width * l;
  const double m = p->rho * volume, k = modulus * height * width / l, slender = height / l;
  const double bend = k * pi * pi * pi * pi * slender * slender, half = 0.5 * damping;
  const double b13 = -16 / (pi * pi * pi), b14 = 8 / (pi * pi * pi) - 1 / pi, b24 = 0.5 / pi;
  p->Me[0][0] = p->Me[1][1] = m / 2;
  p->Me[2][2] = 8 * m, p->Me[2][3] = p->Me[3][2] = m, p->Me[3][3] = 2 * m;
  p->Ke[0][0] = bend / 24, p->Ke[1][1] = bend * 2 / 3;
  p->Ke[2][2] = k * 16 / 3, p->Ke[2][3] = p->Ke[3][2] = -k * 8 / 3, p->Ke[3][3] = k * 7 / 3;
  p->De[0][0] = 5 * damping, p->De[1][1] = 25 * damping;
  p->De[2][2] = half * 2.308375455264791e2, p->De[3][3] = half * 4.217421837156818e2;
  p->De[2][3] = p->De[3][2] = -half * 2.626884879920526e2;
  p->B[0][2] = volume * b13, p->B[2][0] = -volume * b13;
  p->B[0][3] = volume * b14, p->B[3][0] = -volume * b14;
  p->B[1][3] = volume * b24, p->B[3][1] = -volume * b24;
  p->c1[2] = volume * 2 / 3, p->c1[3] = volume / 6;
  p->c2[0] = volume * 2 / pi;
  p->c12[2] = l * volume / 3, p->c12[3] = l * volume / 6;
  p->c21[0] = l * volume / pi, p->c21[1] = -l * volume * 0.5 / pi;
}

/* stretched out; unless it is shaken on the slow motion of omega = 150, E = 2e11 */
static void set_start(flexible_crank *p, bool shaken) {
  double *z = p->z0, *v = z + N;
  if (!shaken) {
    z[5] = 0.103339863e-4, z[6] = 0.169327969e-4;
    v[3] = 0.444896105, v[4] = 0.463434311e-2, v[5] = -0.178591076e-5, v[6] = -0.268938672e-5;
  }
  z[2] = p->l1 + p->l2 + z[6];
  v[0] = p->w;
  v[1] = -p->l1 * p->w / (p->l2 + z[6]);
  v[2] = v[6];
}

static dae_problem *open_flexible_crank(const double *par) {
  flexible_crank *p = gallery_block(&gallery_flexible_crank, sizeof *p, par);
  if (!p) return NULL;
  const double m2 = 0.151104;
  p->w = par[0];
  p->l1 = 0.15, p->l2 = 0.3;
  p->rho = 7870;
  p->J1 = 0.002727 + m2 * p->l1 * p->l1;
  p->J2 = 0.0045339259;
  p->m3 = 0.075552;
  p->k = p->l1 * p->l2 * m2 / 2;
  p->r = p->rho * p->l1;
  set_rod(p, par[1], par[2]);
  set_start(p, par[3] != 0);
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = N,
      .ng = 3,
      .mass = mass,
      .mass_kind = DAE_MASS_DENSE,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 0.1;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.n_ref = gallery_is_default(&gallery_flexible_crank, par);
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_flexible_crank = {
    "flexible-crank",
    "slider-crank whose rod bends and stretches",
    "Simeon 1996; Test Set for IVP Solvers",
    4,
    parameters,
    open_flexible_crank,
    gallery_free,
};
