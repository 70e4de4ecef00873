/*
 * bead-bounce: a bead slides on a parabola and bounces off a wall (index 3 with an event).
 *
 *   m x'' = -G'lambda,  m y'' = -m g - G'lambda,  0 = y - curve x^2/2
 *   at x = wall, moving right:  v <- -e v
 */
#include "build.h"

typedef struct bead_bounce {
  dae_problem problem;
  double m, g, curve, wall, e;
  double z0[4];
} bead_bounce;

static int mass(double t, const double *q, double *M, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)q;
  M[0] = M[1] = p->m;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)q, (void)v;
  f[0] = 0;
  f[1] = -p->m * p->g;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t;
  g[0] = q[1] - p->curve * q[0] * q[0] / 2;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t;
  G[0] = -p->curve * q[0];
  G[1] = 1;
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)q;
  c[0] = -p->curve * v[0] * v[0];
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)q;
  L[0] = -p->curve * v[0];
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)q, (void)v, (void)a;
  J[0] = -p->curve * y[0];
  return 0;
}

static int reach_wall(double t, const double *z, const double *y, double *value, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t, (void)y;
  *value = z[0] - p->wall;
  return 0;
}

/* the wall turns the motion along the path round; the velocity stays on the tangent */
static int bounce(double t, double *z, void *ctx) {
  const bead_bounce *p = ctx;
  (void)t;
  z[2] *= -p->e;
  z[3] *= -p->e;
  return 0;
}

static const char *const z_name[] = {"x", "y", "der(x)", "der(y)"};
static const char *const y_name[] = {"lambda"};
static const char *const g_name[] = {"path"};
static const dae_event event[] = {
    {.name = "wall", .value = reach_wall, .direction = 1, .change = bounce}};
static const gallery_parameter parameters[] = {
    {"m", 1, "mass of the bead", 1e-9, 1e9, false},
    {"g", 9.81, "gravity", 0, 0, false},
    {"curve", 1, "curvature of the parabola at its lowest point", 0, 0, false},
    {"wall", 0.5, "where the wall stands", 1e-6, 1e6, false},
    {"e", 0.8, "restitution: how much of the speed is left", 0, 1, false},
    {"x0", -1, "start, at rest", 0, 0, false},
};

static const double z_0[] = {-0.672695068111276608, 0.226259327330617537, -0.840830181112096517,
                             0.565622315953218813};
/* from tools/references.py */
static const dae_reference reference[] = {{3, z_0, NULL}};

static dae_problem *open_bead_bounce(const double *par) {
  bead_bounce *p = gallery_block(&gallery_bead_bounce, sizeof *p, par);
  if (!p) return NULL;
  p->m = par[0];
  p->g = par[1];
  p->curve = par[2];
  p->wall = par[3];
  p->e = par[4];
  p->z0[0] = par[5];
  p->z0[1] = p->curve * par[5] * par[5] / 2;
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
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
  p->problem.t1 = 3;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.n_event = 1;
  p->problem.event = event;
  p->problem.n_ref = gallery_is_default(&gallery_bead_bounce, par) ? 1 : 0;
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_bead_bounce = {
    "bead-bounce",      "bead on a parabola that bounces off a wall",
    "constructed here", 6,
    parameters,         open_bead_bounce,
    gallery_free,
};
