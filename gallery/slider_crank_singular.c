/*
 * slider-crank-singular: two equal bars; a row of G vanishes when both stand upright (index 3).
 * Ascher, Lin 1995, Example 6.5 (masses and lengths are not in the paper; uniform bars here).
 *
 *   diag(m,m,J,m,m,J) q'' = -m g (0,1,0,0,1,0)' - G'lambda,   q = (x1,y1,phi1,x2,y2,phi2)
 *   0 = x1 - l1/2 cos phi1,  0 = y1 - l1/2 sin phi1
 *   0 = x2 - l1 cos phi1 - l2/2 cos phi2,  0 = y2 - l1 sin phi1 - l2/2 sin phi2
 *   0 = l1 sin phi1 + l2 sin phi2
 */
#include "build.h"

#include <string.h>

enum { N_REF = 7 };

typedef struct slider_crank_singular {
  dae_problem problem;
  double m, J, weight, l1, l2;
  double z0[12];
  dae_reference ref[N_REF];
  double z_ref[N_REF][12];
} slider_crank_singular;

static int mass(double t, const double *q, double *M, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t, (void)q;
  M[0] = M[1] = M[3] = M[4] = p->m;
  M[2] = M[5] = p->J;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t, (void)q, (void)v;
  f[0] = f[2] = f[3] = f[5] = 0;
  f[1] = f[4] = -p->weight;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t;
  double c1 = p->l1 * cos(q[2]), s1 = p->l1 * sin(q[2]), c2 = p->l2 * cos(q[5]),
         s2 = p->l2 * sin(q[5]);
  g[0] = q[0] - c1 / 2;
  g[1] = q[1] - s1 / 2;
  g[2] = q[3] - c1 - c2 / 2;
  g[3] = q[4] - s1 - s2 / 2;
  g[4] = s1 + s2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t;
  double c1 = p->l1 * cos(q[2]), s1 = p->l1 * sin(q[2]), c2 = p->l2 * cos(q[5]),
         s2 = p->l2 * sin(q[5]);
  G[0] = G[7] = G[15] = G[22] = 1;
  G[2] = s1 / 2;
  G[8] = -c1 / 2;
  G[14] = s1;
  G[17] = s2 / 2;
  G[20] = -c1;
  G[23] = -c2 / 2;
  G[26] = c1;
  G[29] = c2;
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t;
  double w1 = p->l1 * v[2] * v[2], w2 = p->l2 * v[5] * v[5];
  double c1 = w1 * cos(q[2]), s1 = w1 * sin(q[2]), c2 = w2 * cos(q[5]), s2 = w2 * sin(q[5]);
  c[0] = c1 / 2;
  c[1] = s1 / 2;
  c[2] = c1 + c2 / 2;
  c[3] = s1 + s2 / 2;
  c[4] = -s1 - s2;
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t;
  double w1 = p->l1 * v[2], w2 = p->l2 * v[5];
  double c1 = w1 * cos(q[2]), s1 = w1 * sin(q[2]), c2 = w2 * cos(q[5]), s2 = w2 * sin(q[5]);
  L[2] = c1 / 2;
  L[8] = s1 / 2;
  L[14] = c1;
  L[17] = c2 / 2;
  L[20] = s1;
  L[23] = s2 / 2;
  L[26] = -s1;
  L[29] = -s2;
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const slider_crank_singular *p = ctx;
  (void)t, (void)v, (void)a;
  J[14] = p->l1 * ((y[0] / 2 + y[2]) * cos(q[2]) + (y[1] / 2 + y[3] - y[4]) * sin(q[2]));
  J[35] = p->l2 * (y[2] / 2 * cos(q[5]) + (y[3] / 2 - y[4]) * sin(q[5]));
  return 0;
}

/* the whole point from the crank's angle and rate; cos phi2 has the sign of cos phi1 */
static void place(const slider_crank_singular *p, double phi, double rate, double *z) {
  double turns = floor(phi / (2 * GALLERY_PI)) * 2 * GALLERY_PI;
  double s = -p->l1 / p->l2 * sin(phi), c1 = cos(phi), c2 = copysign(sqrt(fmax(0, 1 - s * s)), c1);
  double phi2 = 2 * GALLERY_PI - phi, rate2 = -rate;
  if (p->l1 != p->l2) {
    phi2 = atan2(s, c2);
    if (phi2 < 0) phi2 += 2 * GALLERY_PI;
    phi2 -= turns;
    rate2 = -p->l1 * c1 * rate / (p->l2 * c2);
  }
  double x1 = p->l1 * c1, y1 = p->l1 * sin(phi), x2 = p->l2 * cos(phi2), y2 = p->l2 * sin(phi2);
  double value[12] = {x1 / 2,
                      y1 / 2,
                      phi,
                      x1 + x2 / 2,
                      y1 + y2 / 2,
                      phi2,
                      -y1 / 2 * rate,
                      x1 / 2 * rate,
                      rate,
                      -y1 * rate - y2 / 2 * rate2,
                      x1 * rate + x2 / 2 * rate2,
                      rate2};
  memcpy(z, value, sizeof value);
}

static const char *const z_name[] = {"x1",        "y1",      "phi1",    "x2",
                                     "y2",        "phi2",    "der(x1)", "der(y1)",
                                     "der(phi1)", "der(x2)", "der(y2)", "der(phi2)"};
static const char *const y_name[] = {"lambda1", "lambda2", "lambda3", "lambda4", "lambda5"};
static const char *const g_name[] = {"centre1.x", "centre1.y", "centre2.x", "centre2.y", "slider"};

/* (t, phi1, phi1') from the one equation (2/3 + 2 sin^2) phi'' + 2 sin cos phi'^2 = -(g/l) cos
   phi, 30 digits */
static const double swing[N_REF][3] = {
    {0.5, 5.08395349014389, -1.35433908465471}, {1, 4.36682027201369, -1.37184518398514},
    {2, 4.31518001741290, 1.33497713719783},    {5, 4.26509308996068, 1.29023560179064},
    {10, 4.52837592935167, -1.44327874201686},  {30, 5.23625263020888, 1.19923904014032},
    {70, 5.46693811971873, -0.493730248901690}};
static const double turning[N_REF][3] = {
    {0.5, 1.75551966104282, 1.74565588672884}, {1, 3.36275015648419, 6.42678089705237},
    {2, 7.57299614034027, 1.82355754746225},   {5, 18.0864029319492, 5.01313806769950},
    {10, 35.5686540893930, 4.56549037239949},  {30, 107.256983245656, 4.26418781408973},
    {70, 248.073869109110, 6.01399380162091}};

static const gallery_parameter parameters[] = {
    {"phi1", 7 * GALLERY_PI / 4, "angle of the crank at the start", 0, 0, false},
    {"phi1_rate", 0, "its rate; phi1 = pi/4 with 2 sqrt(2) turns round and round", 0, 0, false},
    {"l1", 1, "length of the crank", 1e-6, 1e6, false},
    {"l2", 1, "length of the rod; not equal to l1: no singular position, but it may lock", 1e-6,
     1e6, false},
    {"m", 1, "mass of a bar", 1e-9, 1e9, false},
    {"J", 1.0 / 12, "inertia of a bar", 1e-12, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
};

/* references hold for the default bars and the paper's two starts */
static void add_references(slider_crank_singular *p, const double *par) {
  const double(*table)[3] = NULL;
  for (int i = 2; i < 7; i++)
    if (par[i] != parameters[i].value) return;
  if (par[0] == parameters[0].value && par[1] == 0) table = swing;
  if (fabs(par[0] - GALLERY_PI / 4) < 1e-15 && fabs(par[1] - sqrt(8)) < 1e-15) table = turning;
  for (int i = 0; table && i < N_REF; i++) {
    place(p, table[i][1], table[i][2], p->z_ref[i]);
    p->ref[i] = (dae_reference){table[i][0], p->z_ref[i], NULL};
    p->problem.n_ref = N_REF;
  }
  p->problem.ref = p->ref;
}

static dae_problem *open_slider_crank_singular(const double *par) {
  slider_crank_singular *p = gallery_block(&gallery_slider_crank_singular, sizeof *p, par);
  if (!p) return NULL;
  p->l1 = par[2];
  p->l2 = par[3];
  p->m = par[4];
  p->J = par[5];
  p->weight = par[4] * par[6];
  place(p, par[0], par[1], p->z0);
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 6,
      .ng = 5,
      .mass = mass,
      .mass_kind = DAE_MASS_DIAGONAL,
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
  p->problem.t1 = 10;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  add_references(p, par);
  return &p->problem;
}

const gallery_entry gallery_slider_crank_singular = {
    "slider-crank-singular",
    "two equal bars pass through a singular position",
    "Ascher, Lin 1995, Example 6.5",
    7,
    parameters,
    open_slider_crank_singular,
    gallery_free,
};
