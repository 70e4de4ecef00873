/*
 * car-axis: two light wheels on springs over moving ground, joined by a rigid axle (index 3).
 * Test Set for IVP Solvers.
 *
 *   k q'' = f(t,q) + C'lambda,  k = M eps^2/2,  q = (xl,yl,xr,yr),  C = dc/dq
 *   0 = c1 = xb xl + yb yl,  0 = c2 = (xl-xr)^2 + (yl-yr)^2 - L^2
 *   yb = r sin(w t),  xb = sqrt(L^2 - yb^2)
 *
 * The constraints handed over are g = -c, so that lambda has the sign of the published equations.
 */
#include "build.h"

typedef struct car_axis {
  dae_problem problem;
  double L, L0, k, r, w, weight; /* weight = k g */
  double z0[8];
} car_axis;

/* position of the ground under the right wheel, with two derivatives */
typedef struct ground {
  double x, y, dx, dy, ddx, ddy;
} ground;

static ground ground_at(const car_axis *p, double t) {
  ground b;
  double s = p->r * sin(p->w * t);
  b.y = s;
  b.x = sqrt(p->L * p->L - s * s);
  b.dy = p->r * p->w * cos(p->w * t);
  b.dx = -b.y * b.dy / b.x;
  b.ddy = -p->w * p->w * s;
  b.ddx = -(b.dx * b.dx + b.dy * b.dy + b.y * b.ddy) / b.x;
  return b;
}

static int mass(double t, const double *q, double *M, void *ctx) {
  const car_axis *p = ctx;
  (void)t, (void)q;
  M[0] = M[1] = M[2] = M[3] = p->k;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const car_axis *p = ctx;
  (void)v;
  double yb = p->r * sin(p->w * t), xb = sqrt(p->L * p->L - yb * yb);
  double dx = q[2] - xb, dy = q[3] - yb;
  double left = p->L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1;
  double right = p->L0 / sqrt(dx * dx + dy * dy) - 1;
  f[0] = left * q[0];
  f[1] = left * q[1] - p->weight;
  f[2] = right * dx;
  f[3] = right * dy - p->weight;
  return 0;
}

/* J := J + scale d/d(x,y) of (L0/r - 1)(x,y), a 2 x 2 block of a matrix with 4 columns */
static void spring_block(double L0, double x, double y, double scale, double *J) {
  double r2 = x * x + y * y, r = sqrt(r2), c = L0 / (r2 * r);
  J[0] += scale * (L0 / r - 1 - c * x * x);
  J[1] -= scale * c * x * y;
  J[4] -= scale * c * x * y;
  J[5] += scale * (L0 / r - 1 - c * y * y);
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  const car_axis *p = ctx;
  (void)v;
  double yb = p->r * sin(p->w * t), xb = sqrt(p->L * p->L - yb * yb);
  spring_block(p->L0, q[0], q[1], 1, J);
  spring_block(p->L0, q[2] - xb, q[3] - yb, 1, J + 10);
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const car_axis *p = ctx;
  double yb = p->r * sin(p->w * t), xb = sqrt(p->L * p->L - yb * yb);
  double dx = q[0] - q[2], dy = q[1] - q[3];
  g[0] = -(xb * q[0] + yb * q[1]);
  g[1] = p->L * p->L - dx * dx - dy * dy;
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const car_axis *p = ctx;
  double yb = p->r * sin(p->w * t), xb = sqrt(p->L * p->L - yb * yb);
  double dx = 2 * (q[0] - q[2]), dy = 2 * (q[1] - q[3]);
  G[0] = -xb;
  G[1] = -yb;
  G[4] = -dx;
  G[5] = -dy;
  G[6] = dx;
  G[7] = dy;
  return 0;
}

static int constraint_t(double t, const double *q, double *gt, void *ctx) {
  ground b = ground_at(ctx, t);
  gt[0] = -(b.dx * q[0] + b.dy * q[1]);
  gt[1] = 0;
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  ground b = ground_at(ctx, t);
  double dx = v[0] - v[2], dy = v[1] - v[3];
  c[0] = -(b.ddx * q[0] + b.ddy * q[1] + 2 * (b.dx * v[0] + b.dy * v[1]));
  c[1] = -2 * (dx * dx + dy * dy);
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  ground b = ground_at(ctx, t);
  (void)q;
  double dx = 2 * (v[0] - v[2]), dy = 2 * (v[1] - v[3]);
  L[0] = -b.dx;
  L[1] = -b.dy;
  L[4] = -dx;
  L[5] = -dy;
  L[6] = dx;
  L[7] = dy;
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const car_axis *p = ctx;
  (void)v, (void)a;
  double yb = p->r * sin(p->w * t), xb = sqrt(p->L * p->L - yb * yb), c = 2 * y[1];
  spring_block(p->L0, q[0], q[1], -1, J);
  spring_block(p->L0, q[2] - xb, q[3] - yb, -1, J + 10);
  for (int i = 0; i < 4; i++) {
    J[5 * i] -= c;
    J[4 * i + (i ^ 2)] += c; /* the same direction of the other wheel */
  }
  return 0;
}

static const char *const z_name[] = {"xl",      "yl",      "xr",      "yr",
                                     "der(xl)", "der(yl)", "der(xr)", "der(yr)"};
static const char *const y_name[] = {"lambda1", "lambda2"};
static const char *const g_name[] = {"perpendicular", "axle"};
static const double z_3[] = {4.93455784275240921315268e-2,  4.96989460230008106762934e-1,
                             1.04174252488542611519478,     3.73911027265365819357898e-1,
                             -7.70583684035920842839406e-2, 7.44686659206841649140175e-3,
                             1.75568157535417366297406e-2,  7.70341043779601063120643e-1};
static const double y_3[] = {-4.73688659085332651531348e-3, -1.1046803312595658398606e-3};
static const dae_reference reference[] = {{3, z_3, y_3}};

static const gallery_parameter parameters[] = {
    {"L", 1, "length of the axle", 1e-6, 1e6, false},
    {"L0", 0.5, "rest length of the springs", 1e-6, 1e6, false},
    {"eps", 1e-2, "the wheels weigh M eps^2/2: small means fast oscillations", 1e-9, 1e9, false},
    {"M", 10, "mass scale", 1e-9, 1e9, false},
    {"r", 0.1, "height of the bumps, below L", 0, 1e6, false},
    {"w", 10, "frequency of the bumps", 0, 0, false},
    {"g", 1, "gravity", 0, 0, false},
};

static dae_problem *open_car_axis(const double *par) {
  car_axis *p = gallery_block(&gallery_car_axis, sizeof *p, par);
  if (!p) return NULL;
  p->L = par[0];
  p->L0 = par[1];
  p->k = par[3] * par[2] * par[2] / 2;
  p->r = par[4];
  p->w = par[5];
  p->weight = p->k * par[6];
  /* wheels at rest length above the ground; the axle follows the ground as it starts to tilt */
  p->z0[1] = p->z0[3] = p->L0;
  p->z0[2] = p->L;
  p->z0[4] = p->z0[6] = -p->r * p->w * p->L0 / p->L;
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 4,
      .ng = 2,
      .mass = mass,
      .mass_kind = DAE_MASS_DIAGONAL,
      .mass_constant = true,
      .force = force,
      .force_q = force_q,
      .force_v = gallery_zero_q,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 3;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.g_name = g_name;
  p->problem.n_ref = gallery_is_default(&gallery_car_axis, par);
  p->problem.ref = reference;
  return &p->problem;
}

const gallery_entry gallery_car_axis = {
    "car-axis",
    "two wheels on stiff springs and a rigid axle over moving ground",
    "Test Set for IVP Solvers",
    7,
    parameters,
    open_car_axis,
    gallery_free,
};
