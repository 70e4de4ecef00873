/*
 * A sledge on a curved slope for the tests: q = (x, y, z, theta), mass that depends on the
 * position, one constraint on positions (it stays on the slope, which rises with time) and one on
 * velocities (the runner does not slip sideways, but the snow moves). No exact solution; every
 * derivative is left to differences.
 */
#ifndef TEST_SLEDGE_H
#define TEST_SLEDGE_H

#include <math.h>

#include <daedal/daedal.h>

static int sledge_mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)ctx;
  M[0] = 2.3, M[5] = 2.3 + 0.2 * q[0] * q[0], M[10] = 2.1,
  M[15] = 0.7 + 0.1 * sin(q[3]) * sin(q[3]);
  M[1] = M[4] = 0.15 * q[1];
  return 0;
}

static int sledge_force(double t, const double *q, const double *v, double *f, void *ctx) {
  (void)ctx;
  f[0] = -0.4 * v[0] + 0.3 * sin(1.3 * t);
  f[1] = -0.4 * v[1] - 0.2 * q[1];
  f[2] = -2.1 * 9.81 - 0.1 * v[2];
  f[3] = 0.35 * cos(0.7 * t) - 0.2 * v[3];
  return 0;
}

static int sledge_g(double t, const double *q, double *g, void *ctx) {
  (void)ctx;
  g[0] = q[2] + 0.3 * q[0] - 0.15 * q[1] * q[1] - 0.05 * sin(0.9 * t);
  return 0;
}

static int sledge_W(double t, const double *q, double *W, void *ctx) {
  (void)t, (void)ctx;
  W[0] = sin(q[3]), W[1] = -cos(q[3]);
  return 0;
}

static int sledge_w(double t, const double *q, double *w, void *ctx) {
  (void)ctx;
  w[0] = 0.07 * cos(1.1 * t) + 0.04 * q[0];
  return 0;
}

/* not consistent yet: the start of the solver makes it so */
static const double sledge_z0[8] = {0.4, -0.3, -0.1, 0.25, 0.9, 0.2, 0, 0.1};

static const dae_problem sledge = {
    .name = "sledge",
    .kind = DAE_MECHANICAL,
    .mechanical = {.nq = 4,
                   .ng = 1,
                   .nw = 1,
                   .mass = sledge_mass,
                   .force = sledge_force,
                   .g = sledge_g,
                   .W = sledge_W,
                   .w = sledge_w},
    .t1 = 0.8,
    .z0 = sledge_z0,
};

#endif
