/* the pendulum and the elastica by an angle */
#include "angle.h"

#include <math.h>
#include <string.h>

/* th'' = 1.6 + 2 sin(0.4 + 0.8 t^2) - 2 sin th, sin th given at both ends; z = (th, th') */
static int pendulum_f(double t, const double *z, double *f, void *ctx) {
  (void)ctx;
  f[0] = z[1];
  f[1] = 1.6 + 2 * sin(0.4 + 0.8 * t * t) - 2 * sin(z[0]);
  return 0;
}

static int pendulum_f_z(double t, const double *z, double *J, void *ctx) {
  (void)t, (void)ctx;
  J[1] = 1;
  J[2] = -2 * cos(z[0]);
  return 0;
}

static int pendulum_ends(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = sin(z0[0]) - sin(0.4);
  b[1] = sin(z1[0]) - sin(1.2);
  return 0;
}

static int pendulum_ends_z(const double *z0, const double *z1, double *B0, double *B1, void *ctx) {
  (void)ctx;
  B0[0] = cos(z0[0]);
  B1[2] = cos(z1[0]);
  return 0;
}

static int pendulum_guess(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = 0.4 + 0.8 * t;
  z[1] = 1.6 * t;
  return 0;
}

static void pendulum_show(const double *z, double *all) {
  double c = cos(z[0]), s = sin(z[0]);
  all[0] = s, all[1] = -c, all[2] = z[1] * c, all[3] = z[1] * s;
}

/* x' = cos a, y' = sin a, a'' = F1 sin a - F2 cos a; z = (x, y, a, a'), F unknown */
static int elastica_f(double t, const double *z, double *f, void *ctx) {
  const angle_problem *p = ctx;
  (void)t;
  f[0] = cos(z[2]);
  f[1] = sin(z[2]);
  f[2] = z[3];
  f[3] = p->force[0] * f[1] - p->force[1] * f[0];
  return 0;
}

static int elastica_f_z(double t, const double *z, double *J, void *ctx) {
  const angle_problem *p = ctx;
  double c = cos(z[2]), s = sin(z[2]);
  (void)t;
  J[2] = -s;
  J[6] = c;
  J[11] = 1;
  J[14] = p->force[0] * c + p->force[1] * s;
  return 0;
}

static int elastica_ends(const double *z0, const double *z1, double *b, void *ctx) {
  const angle_problem *p = ctx;
  b[0] = z0[0], b[1] = z0[1], b[2] = z0[2] - p->angle[0];
  b[3] = z1[0] - p->end[0], b[4] = z1[1] - p->end[1], b[5] = z1[2] - p->angle[1];
  return 0;
}

static int elastica_ends_z(const double *z0, const double *z1, double *B0, double *B1, void *ctx) {
  (void)z0, (void)z1, (void)ctx;
  for (int i = 0; i < 3; i++) B0[4 * i + i] = B1[4 * (3 + i) + i] = 1;
  return 0;
}

/* the arch of the gallery */
static int elastica_guess(double t, double *z, double *y, void *ctx) {
  const angle_problem *p = ctx;
  double slope = p->angle[1] - p->angle[0], arch = 2;
  (void)y;
  z[0] = p->end[0] * t, z[1] = p->end[1] * t;
  z[2] = p->angle[0] + slope * t + arch * t * (1 - t);
  z[3] = slope + arch * (1 - 2 * t);
  return 0;
}

static void elastica_show(const double *z, double *all) {
  double c = cos(z[2]), s = sin(z[2]);
  all[0] = z[0], all[1] = z[1];
  all[2] = all[4] = c, all[3] = all[5] = s;
  all[6] = -z[3] * s, all[7] = z[3] * c;
}

bool angle_fill(angle_problem *p, const dae_problem *whole) {
  double z0[8], z1[8], y[2];
  bool pendulum = !strcmp(whole->name, "bvp-pendulum");
  if (!pendulum && strcmp(whole->name, "bvp-elastica") != 0) return false;
  whole->exact(0, z0, y, whole->ctx);
  whole->exact(1, z1, y, whole->ctx);
  *p = (angle_problem){.whole = whole, .force_guess = {-4, 0}};
  p->problem = (dae_problem){.kind = DAE_ODE, .t1 = 1, .boundary = &p->boundary, .ctx = p};
  if (pendulum) {
    p->show = pendulum_show;
    p->problem.ode = (dae_ode){.n = 2, .f = pendulum_f, .f_z = pendulum_f_z};
    p->boundary = (dae_boundary){.n = 2,
                                 .n_left = 1,
                                 .value = pendulum_ends,
                                 .jacobian = pendulum_ends_z,
                                 .guess = pendulum_guess};
    return true;
  }
  p->show = elastica_show;
  p->angle[0] = atan2(z0[3], z0[2]), p->angle[1] = atan2(z1[3], z1[2]);
  p->end[0] = z1[0], p->end[1] = z1[1];
  p->problem.ode = (dae_ode){.n = 4, .f = elastica_f, .f_z = elastica_f_z};
  p->boundary = (dae_boundary){.n = 6,
                               .n_left = 3,
                               .value = elastica_ends,
                               .jacobian = elastica_ends_z,
                               .n_parameter = 2,
                               .parameter = p->force,
                               .parameter_guess = p->force_guess,
                               .guess = elastica_guess};
  return true;
}
