/*
 * stiff-loop: a closed loop of three rods and one very stiff, damped spring (index 3, stiff).
 *
 *   forces on the spring's ends: +-(k (r - r0) + c r') d/r,  d = p3 - p2,  r = |d|
 *
 * For large k the spring acts like a fourth rod.
 */
#include "rods.h"

typedef struct stiff_loop {
  rods rods;
  double k, c, rest;
} stiff_loop;

/* of the spring: its direction, tension, and what the derivatives need */
typedef struct spring {
  double r, ex, ey;    /* length and unit vector from p2 to p3 */
  double rate, wx, wy; /* r' and the velocity difference */
  double tension;
} spring;

static spring spring_at(const stiff_loop *p, const double *q, const double *v) {
  spring s;
  double dx = q[4] - q[2], dy = q[5] - q[3];
  s.r = sqrt(dx * dx + dy * dy);
  s.ex = dx / s.r;
  s.ey = dy / s.r;
  s.wx = v[4] - v[2];
  s.wy = v[5] - v[3];
  s.rate = s.ex * s.wx + s.ey * s.wy;
  s.tension = p->k * (s.r - p->rest) + p->c * s.rate;
  return s;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  spring s = spring_at(ctx, q, v);
  rods_force(t, q, v, f, ctx);
  f[2] += s.tension * s.ex;
  f[3] += s.tension * s.ey;
  f[4] -= s.tension * s.ex;
  f[5] -= s.tension * s.ey;
  return 0;
}

/* J := J + sign d/d(p2,p3) of the forces, when K = d(tension e)/d(d) is the 2 x 2 matrix */
static void add_block(const double K[4], double sign, double *J) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      double c = sign * K[2 * i + j];
      J[(2 + i) * 6 + 2 + j] -= c;
      J[(2 + i) * 6 + 4 + j] += c;
      J[(4 + i) * 6 + 2 + j] += c;
      J[(4 + i) * 6 + 4 + j] -= c;
    }
}

/* d(tension e)/dd = e (k e + c (w - rate e)/r)' + tension/r (I - e e') */
static void add_position(const stiff_loop *p, const double *q, const double *v, double sign,
                         double *J) {
  spring s = spring_at(p, q, v);
  double px = p->k * s.ex + p->c * (s.wx - s.rate * s.ex) / s.r;
  double py = p->k * s.ey + p->c * (s.wy - s.rate * s.ey) / s.r, f = s.tension / s.r;
  const double K[4] = {s.ex * px + f * s.ey * s.ey, s.ex * py - f * s.ex * s.ey,
                       s.ey * px - f * s.ex * s.ey, s.ey * py + f * s.ex * s.ex};
  add_block(K, sign, J);
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t;
  add_position(ctx, q, v, 1, J);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const stiff_loop *p = ctx;
  (void)t;
  spring s = spring_at(p, q, v);
  double xy = p->c * s.ex * s.ey;
  const double K[4] = {p->c * s.ex * s.ex, xy, xy, p->c * s.ey * s.ey};
  add_block(K, 1, J);
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  add_position(ctx, q, v, -1, J);
  return rods_dynamics_q(t, q, v, a, y, J, ctx);
}

static const gallery_parameter parameters[] = {
    {"k", 1e8, "stiffness of the spring", 0, 1e16, false},
    {"c", 1e4, "its damping", 0, 1e16, false},
    {"g", 9.81, "gravity", 0, 0, false},
};

/* from tools/references.py */
static const double known[][13] = {
    {0.5, -0.925357668390644614, 0.379095219635687041, 0.671404308690321577, 0.480836010611991129,
     2.09000335214984508, -0.455953981408254447, -1.34051702528444734, -3.27215339235157559,
     -1.35736788019658951, -3.00768911851588887, -2.17575461473831163, -4.24698320341837812},
    {1, 0.49103838270121219, -0.87113793782280994, -1.09235905916217291, -1.10103474315182704,
     0.577564964376689368, -0.782671467749149537, 0.545051877749259699, 0.307231932990035557,
     2.62164516021750779, -13.9951525066074822, -0.0547612490929963378, 0.0435499713922121574},
};

static dae_problem *open_stiff_loop(const double *par) {
  stiff_loop *p = rods_new(&gallery_stiff_loop, sizeof *p, par, 3, 3);
  if (!p) return NULL;
  rods *s = &p->rods;
  double a[4] = {cos(2.1), sin(2.1), 0, 0}, b[4], c[4] = {1.2 + cos(0.6), sin(0.6), 0, 0};
  p->k = par[0];
  p->c = par[1];
  p->rest = 1.7;
  rods_join(a, 1.6, c, p->rest, 1, b);
  s->rod[0] = (rod){.a = -1, .b = 0, .length = 1};
  s->rod[1] = (rod){.a = 0, .b = 1, .length = 1.6};
  s->rod[2] = (rod){.a = -1, .b = 2, .x = 1.2, .length = 1};
  s->mass[0] = 1;
  s->mass[1] = 0.5;
  s->mass[2] = 1.5;
  s->gravity = par[2];
  rods_place(s, s->z0, 0, a);
  rods_place(s, s->z0, 1, b);
  rods_place(s, s->z0, 2, c);
  s->problem.t1 = 1;
  for (int k = 0; k < 2 && gallery_is_default(&gallery_stiff_loop, par); k++) {
    double *z = rods_reference(s, known[k][0]);
    for (int i = 0; z && i < 12; i++) z[i] = known[k][i + 1];
  }
  dae_problem *problem = rods_finish(s, false);
  if (!problem) return NULL;
  problem->mechanical.force = force;
  problem->mechanical.evaluate = NULL; /* that has another force */
  problem->mechanical.force_q = force_q;
  problem->mechanical.force_v = force_v;
  problem->mechanical.dynamics_q = dynamics_q;
  return problem;
}

const gallery_entry gallery_stiff_loop = {
    "stiff-loop",       "closed loop of three rods and a very stiff spring",
    "constructed here", 3,
    parameters,         open_stiff_loop,
    rods_close,
};
