/*
 * andrews: Andrews' squeezing mechanism, seven bodies and three closed loops in a plane (index 3).
 * Test Set for IVP Solvers; Hairer and Wanner II, section VII.7.
 *
 *   M(q) v' = f(q,v) - G'lambda,  0 = g(q);   q = (beta,Theta,gamma,Phi,delta,Omega,epsilon)
 */
#include "build.h"

/* geometry and inertia, SI units */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092;
static const double ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02;
static const double ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02,
                    zt = 0.04, fa = 0.01421;

/* products that come with Theta, Phi and Omega in the mass matrix and in the centrifugal forces */
#define C2 (m2 * da * rr)
#define C4 (m4 * zt * (e - ea))
#define C6 (m6 * u * (zf - fa))

typedef struct andrews {
  dae_problem problem;
  double mom, c0, l0;
} andrews;

/* sines and cosines of the loops; taken before anything is written, so that each pair is one
   call */
typedef struct angles {
  double s_beta, c_beta, s_bt, c_bt; /* beta, beta + Theta */
  double s_gamma, c_gamma;
  double s_delta, c_delta, s_pd, c_pd;     /* delta, Phi + delta */
  double s_epsilon, c_epsilon, s_oe, c_oe; /* epsilon, Omega + epsilon */
} angles;

static inline angles angles_at(const double *q) {
  double bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
  return (angles){sin(q[0]), cos(q[0]), sin(bt), cos(bt),   sin(q[2]), cos(q[2]), sin(q[4]),
                  cos(q[4]), sin(pd),   cos(pd), sin(q[6]), cos(q[6]), sin(oe),   cos(oe)};
}

/* sines and cosines of Theta, Phi and Omega themselves */
typedef struct elbows {
  double s_theta, c_theta, s_phi, c_phi, s_omega, c_omega;
} elbows;

static inline elbows elbows_at(const double *q) {
  return (elbows){sin(q[1]), cos(q[1]), sin(q[3]), cos(q[3]), sin(q[5]), cos(q[5])};
}

static inline void put_mass(elbows b, double *M) {
  double theta = C2 * b.c_theta, phi = C4 * b.s_phi, omega = C6 * b.s_omega;
  const double eh2 = m4 * (e - ea) * (e - ea), fh2 = m6 * (zf - fa) * (zf - fa);
  M[0] = m1 * ra * ra + m2 * (rr * rr + da * da) - 2 * theta + I1 + I2;
  M[1] = M[7] = m2 * da * da - theta + I2;
  M[8] = m2 * da * da + I2;
  M[16] = m3 * (sa * sa + sb * sb) + I3;
  M[24] = eh2 + I4;
  M[25] = M[31] = eh2 + phi + I4;
  M[32] = m4 * zt * zt + 2 * phi + eh2 + m5 * (ta * ta + tb * tb) + I4 + I5;
  M[40] = fh2 + I6;
  M[41] = M[47] = fh2 - omega + I6;
  M[48] = fh2 - 2 * omega + m6 * u * u + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static int mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)ctx;
  put_mass(elbows_at(q), M);
  return 0;
}

/* the spring's torque on body 3 and its derivative: with S = (L^2)'/2, f3 = -c0 (1 - l0/L) S */
static double spring(const andrews *p, double s, double c, double *slope) {
  double xd = sd * c + sc * s + xb - xc, yd = sd * s - sc * c + yb - yc;
  double dx = sc * c - sd * s, dy = sd * c + sc * s;
  double S = xd * dx + yd * dy, L2 = xd * xd + yd * yd, ratio = p->l0 / sqrt(L2);
  if (slope)
    *slope = -p->c0 * (ratio * S * S / L2 + (1 - ratio) * (dx * dx + dy * dy - xd * dy + yd * dx));
  return -p->c0 * (1 - ratio) * S;
}

static inline void put_force(const andrews *p, elbows b, const double *v, double torque,
                             double *f) {
  double theta = C2 * b.s_theta, phi = C4 * b.c_phi, omega = C6 * b.c_omega;
  f[0] = p->mom - theta * v[1] * (v[1] + 2 * v[0]);
  f[1] = theta * v[0] * v[0];
  f[2] = torque;
  f[3] = phi * v[4] * v[4];
  f[4] = -phi * v[3] * (v[3] + 2 * v[4]);
  f[5] = -omega * v[6] * v[6];
  f[6] = omega * v[5] * (v[5] + 2 * v[6]);
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)t;
  put_force(ctx, elbows_at(q), v, spring(ctx, sin(q[2]), cos(q[2]), NULL), f);
  return 0;
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t;
  double theta = C2 * cos(q[1]), phi = C4 * sin(q[3]), omega = C6 * sin(q[5]);
  J[1] = -theta * v[1] * (v[1] + 2 * v[0]);
  J[8] = theta * v[0] * v[0];
  spring(ctx, sin(q[2]), cos(q[2]), &J[16]);
  J[24] = -phi * v[4] * v[4];
  J[31] = phi * v[3] * (v[3] + 2 * v[4]);
  J[40] = omega * v[6] * v[6];
  J[47] = -omega * v[5] * (v[5] + 2 * v[6]);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)ctx;
  double theta = 2 * C2 * sin(q[1]), phi = 2 * C4 * cos(q[3]), omega = 2 * C6 * cos(q[5]);
  J[0] = -theta * v[1];
  J[1] = -theta * (v[0] + v[1]);
  J[7] = theta * v[0];
  J[25] = phi * v[4];
  J[31] = -phi * (v[3] + v[4]);
  J[32] = -phi * v[3];
  J[41] = -omega * v[6];
  J[47] = omega * (v[5] + v[6]);
  J[48] = omega * v[5];
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  (void)t, (void)ctx;
  angles a = angles_at(q);
  double xp = rr * a.c_beta - d * a.c_bt, yp = rr * a.s_beta - d * a.s_bt;
  g[0] = xp - ss * a.s_gamma - xb;
  g[1] = yp + ss * a.c_gamma - yb;
  g[2] = xp - e * a.s_pd - zt * a.c_delta - xa;
  g[3] = yp + e * a.c_pd - zt * a.s_delta - ya;
  g[4] = xp - zf * a.c_oe - u * a.s_epsilon - xa;
  g[5] = yp - zf * a.s_oe + u * a.c_epsilon - ya;
  return 0;
}

static inline void put_gradient(angles a, double *G) {
  double xt = d * a.s_bt, yt = -d * a.c_bt;
  double x_beta = xt - rr * a.s_beta, y_beta = yt + rr * a.c_beta;
  for (int i = 0; i < 42; i += 14) {
    G[i] = x_beta;
    G[i + 1] = xt;
    G[i + 7] = y_beta;
    G[i + 8] = yt;
  }
  G[2] = -ss * a.c_gamma;
  G[9] = -ss * a.s_gamma;
  G[17] = -e * a.c_pd;
  G[18] = G[17] + zt * a.s_delta;
  G[24] = -e * a.s_pd;
  G[25] = G[24] - zt * a.c_delta;
  G[33] = zf * a.s_oe;
  G[34] = G[33] - u * a.c_epsilon;
  G[40] = -zf * a.c_oe;
  G[41] = G[40] - u * a.s_epsilon;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  put_gradient(angles_at(q), G);
  return 0;
}

static inline void put_curvature(angles a, const double *v, double *c) {
  double b = rr * v[0] * v[0], s = d * (v[0] + v[1]) * (v[0] + v[1]),
         w = e * (v[3] + v[4]) * (v[3] + v[4]), n = zf * (v[5] + v[6]) * (v[5] + v[6]);
  double cx = s * a.c_bt - b * a.c_beta, cy = s * a.s_bt - b * a.s_beta;
  c[0] = cx + ss * v[2] * v[2] * a.s_gamma;
  c[1] = cy - ss * v[2] * v[2] * a.c_gamma;
  c[2] = cx + w * a.s_pd + zt * v[4] * v[4] * a.c_delta;
  c[3] = cy - w * a.c_pd + zt * v[4] * v[4] * a.s_delta;
  c[4] = cx + n * a.c_oe + u * v[6] * v[6] * a.s_epsilon;
  c[5] = cy + n * a.s_oe - u * v[6] * v[6] * a.c_epsilon;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)ctx;
  put_curvature(angles_at(q), v, c);
  return 0;
}

/* all of them with each sine and cosine once */
static int evaluate(double t, const double *q, const double *v, double *M, double *f, double *G,
                    double *c, void *ctx) {
  (void)t;
  angles a = angles_at(q);
  elbows b = elbows_at(q);
  if (M) put_mass(b, M);
  if (f) put_force(ctx, b, v, spring(ctx, a.s_gamma, a.c_gamma, NULL), f);
  if (G) put_gradient(a, G);
  if (c) put_curvature(a, v, c);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)t, (void)ctx;
  angles a = angles_at(q);
  double s = d * (v[0] + v[1]), w = e * (v[3] + v[4]), n = zf * (v[5] + v[6]);
  double xt = s * a.c_bt, yt = s * a.s_bt;
  double x_beta = xt - rr * v[0] * a.c_beta, y_beta = yt - rr * v[0] * a.s_beta;
  for (int i = 0; i < 42; i += 14) {
    L[i] = x_beta;
    L[i + 1] = xt;
    L[i + 7] = y_beta;
    L[i + 8] = yt;
  }
  L[2] = ss * v[2] * a.s_gamma;
  L[9] = -ss * v[2] * a.c_gamma;
  L[17] = w * a.s_pd;
  L[18] = L[17] + zt * v[4] * a.c_delta;
  L[24] = -w * a.c_pd;
  L[25] = L[24] + zt * v[4] * a.s_delta;
  L[33] = n * a.c_oe;
  L[34] = L[33] + u * v[6] * a.s_epsilon;
  L[40] = n * a.s_oe;
  L[41] = L[40] - u * v[6] * a.c_epsilon;
  return 0;
}

/* d/dq (G'y): second derivatives of the loops */
static void loops_q(const double *q, const double *y, double *J) {
  angles a = angles_at(q);
  double x = y[0] + y[2] + y[4], z = y[1] + y[3] + y[5];
  J[1] = J[7] = J[8] = d * (x * a.c_bt + z * a.s_bt);
  J[0] = J[1] - rr * (x * a.c_beta + z * a.s_beta);
  J[16] = ss * (y[0] * a.s_gamma - y[1] * a.c_gamma);
  J[24] = J[25] = J[31] = e * (y[2] * a.s_pd - y[3] * a.c_pd);
  J[32] = J[24] + zt * (y[2] * a.c_delta + y[3] * a.s_delta);
  J[40] = J[41] = J[47] = zf * (y[4] * a.c_oe + y[5] * a.s_oe);
  J[48] = J[40] + u * (y[4] * a.s_epsilon - y[5] * a.c_epsilon);
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)t;
  double slope;
  spring(ctx, sin(q[2]), cos(q[2]), &slope);
  loops_q(q, y, J);
  J[16] -= slope;
  /* M_q a - f_q: both have the same factors */
  double s1 = C2 * sin(q[1]), c1 = C2 * cos(q[1]), s3 = C4 * sin(q[3]), c3 = C4 * cos(q[3]),
         s5 = C6 * sin(q[5]), c5 = C6 * cos(q[5]);
  J[1] += s1 * (2 * a[0] + a[1]) + c1 * v[1] * (v[1] + 2 * v[0]);
  J[8] += s1 * a[0] - c1 * v[0] * v[0];
  J[24] += c3 * a[4] + s3 * v[4] * v[4];
  J[31] += c3 * (a[3] + 2 * a[4]) - s3 * v[3] * (v[3] + 2 * v[4]);
  J[40] -= c5 * a[6] + s5 * v[6] * v[6];
  J[47] -= c5 * (a[5] + 2 * a[6]) - s5 * v[5] * (v[5] + 2 * v[6]);
  return 0;
}

static const double start[14] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
static const double start_y[6] = {98.5668703962410896057654982170,
                                  -6.12268834425566265503114393122};
static const char *const z_name[] = {"beta",       "Theta",       "gamma",    "Phi",
                                     "delta",      "Omega",       "epsilon",  "der(beta)",
                                     "der(Theta)", "der(gamma)",  "der(Phi)", "der(delta)",
                                     "der(Omega)", "der(epsilon)"};
static const char *const y_name[] = {"lambda1", "lambda2", "lambda3",
                                     "lambda4", "lambda5", "lambda6"};
static const char *const g_name[] = {"loop1.x", "loop1.y", "loop2.x",
                                     "loop2.y", "loop3.x", "loop3.y"};

/* quadruple precision; the published reference is good to 7 digits in velocities and multipliers */
static const double z_end[] = {
    1.58107711951537070971194e+1,  -1.57563710584118394697278e+1, 4.08222401196458048582823e-2,
    -5.34730116342079593770185e-1, 5.24409965879954069371656e-1,  5.34730116342079593770185e-1,
    1.04808074104193787306852,     1.1399203022591060641981e+3,   -1.42437929517754007319603e+3,
    1.10329119106185937453273e+1,  1.92933741050320408316276e+1,  5.73569914829502453817688e-1,
    -1.92933741050320408316276e+1, 3.23179149249130874990748e-1};
static const double y_end[] = {1.9917534810453862818624e+2,  -2.97553099749717633244157e+1,
                               2.30665436116221511286174e+1, 3.14527252757711370753845e+1,
                               2.26424947863943785777129e+1, 1.16173923526112559068015e+1};
static const dae_reference reference[] = {{0.03, z_end, y_end}};

static const gallery_parameter parameters[] = {
    {"mom", 0.033, "driving torque", 0, 0, false},
    {"c0", 4530, "stiffness of the spring", 0, 0, false},
    {"l0", 0.07785, "rest length of the spring", 0, 0, false},
};

static dae_problem *open_andrews(const double *par) {
  andrews *p = gallery_block(&gallery_andrews, sizeof *p, par);
  if (!p) return NULL;
  p->mom = par[0];
  p->c0 = par[1];
  p->l0 = par[2];
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 7,
      .ng = 6,
      .mass = mass,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = gallery_zero_g_t,
      .curvature = curvature,
      .evaluate = evaluate,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 0.03;
  p->problem.z0 = start;
  p->problem.y0 = start_y;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.n_ref = gallery_is_default(&gallery_andrews, par);
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_andrews = {
    "andrews",
    "Andrews' squeezing mechanism: seven bodies, three loops",
    "Test Set for IVP Solvers; Hairer and Wanner II, VII.7",
    3,
    parameters,
    open_andrews,
    gallery_free,
};
