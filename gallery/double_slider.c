/*
 * double-slider: two rods hang feet from one vertical slider; both upright is a toggle (index 3).
 *
 *   m1 x1'' = -G'lambda,  m2 x2'' = -G'lambda,  m3 y'' = -m3 g - G'lambda
 *   0 = (x1^2 + y^2 - l1^2)/2,  0 = (x2^2 + y^2 - l2^2)/2
 *
 * The feet x1, x2 slide on the x-axis, the joint at (0,y). With l1 = l2 both rows of G are (0,y,0)
 * when x1 = x2 = 0: the motions x1 = x2 and x1 = -x2 cross there.
 */
#include "build.h"

typedef struct double_slider {
  dae_problem problem;
  double m[3], weight, l1, l2; /* q = (x1, y, x2) */
  double z0[6];
  dae_reference ref[2];
  double z_ref[2][6];
} double_slider;

static int mass(double t, const double *q, double *M, void *ctx) {
  const double_slider *p = ctx;
  (void)t, (void)q;
  M[0] = p->m[0];
  M[1] = p->m[1];
  M[2] = p->m[2];
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const double_slider *p = ctx;
  (void)t, (void)q, (void)v;
  f[0] = f[2] = 0;
  f[1] = -p->weight;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const double_slider *p = ctx;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - p->l1 * p->l1) / 2;
  g[1] = (q[2] * q[2] + q[1] * q[1] - p->l2 * p->l2) / 2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  (void)t, (void)ctx;
  G[0] = q[0];
  G[1] = G[4] = q[1];
  G[5] = q[2];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  (void)t, (void)q, (void)ctx;
  c[0] = v[0] * v[0] + v[1] * v[1];
  c[1] = v[2] * v[2] + v[1] * v[1];
  return 0;
}

/* G is linear in q: G(q) v = G(v) q */
static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  (void)q;
  return gradient(t, v, L, ctx);
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)a, (void)ctx;
  J[0] = y[0];
  J[4] = y[0] + y[1];
  J[8] = y[1];
  return 0;
}

static const char *const z_name[] = {"x1", "y", "x2", "der(x1)", "der(y)", "der(x2)"};
static const char *const y_name[] = {"lambda1", "lambda2"};
static const char *const g_name[] = {"rod1", "rod2"};

static const gallery_parameter parameters[] = {
    {"l1", 1, "length of the first rod", 1e-6, 1e6, false},
    {"l2", 1, "length of the second; not equal to l1: no toggle, the joint turns back instead",
     1e-6, 1e6, false},
    {"m1", 1, "mass of the first foot", 1e-9, 1e9, false},
    {"m2", 2, "mass of the second foot", 1e-9, 1e9, false},
    {"m3", 1.5, "mass of the joint", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"angle", -0.7, "of the first rod at the start, at rest; -pi/2 is the toggle below", 0, 0,
     false},
};

/* angle of the first rod and its rate, from tools/references.py */
static const double known[2][3] = {{1, -2.13039183926466583, -1.52345497757535608},
                                   {5, -1.15924324011134561, 1.70393864825820628}};

/* the whole point, rods of equal length */
static void place(const double_slider *p, double angle, double rate, double *z) {
  z[0] = p->l1 * cos(angle);
  z[1] = p->l1 * sin(angle);
  z[2] = -z[0];
  z[3] = -z[1] * rate;
  z[4] = z[0] * rate;
  z[5] = -z[3];
}

static void add_references(double_slider *p) {
  for (int i = 0; i < 2; i++) {
    place(p, known[i][1], known[i][2], p->z_ref[i]);
    p->ref[i] = (dae_reference){known[i][0], p->z_ref[i], NULL};
  }
  p->problem.n_ref = 2;
  p->problem.ref = p->ref;
}

static dae_problem *open_double_slider(const double *par) {
  double_slider *p = gallery_block(&gallery_double_slider, sizeof *p, par);
  if (!p) return NULL;
  p->l1 = par[0];
  p->l2 = par[1];
  p->m[0] = par[2];
  p->m[2] = par[3];
  p->m[1] = par[4];
  p->weight = par[4] * par[5];
  place(p, par[6], 0, p->z0);
  if (p->l1 != p->l2) p->z0[2] = -sqrt(fmax(0, p->l2 * p->l2 - p->z0[1] * p->z0[1]));
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 3,
      .ng = 2,
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
  p->problem.t1 = 5;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  if (gallery_is_default(&gallery_double_slider, par)) add_references(p);
  return &p->problem;
}

const gallery_entry gallery_double_slider = {
    "double-slider",    "two rods and three sliders through their toggle",
    "constructed here", 7,
    parameters,         open_double_slider,
    gallery_free,
};
