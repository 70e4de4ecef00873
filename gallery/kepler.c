/*
 * kepler: a planet about its sun, the energy as invariant (ODE).
 * Ascher, Qin, Reich 1992, Example 3.
 *
 *   p' = v,  v' = -p/r^3;   invariant 0 = |v|^2/2 - 1/r + 1/2
 *   p(0) = (c,0), v(0) = (0, sqrt(2/c-1)): an ellipse of axis 1 and period 2 pi
 */
#include "build.h"

typedef struct kepler {
  dae_problem problem;
  double e, axis; /* eccentricity 1-c, small half axis */
  double z0[4];
} kepler;

static int rhs(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  double r2 = z[0] * z[0] + z[1] * z[1], c = -1 / (r2 * sqrt(r2));
  dz[0] = z[2];
  dz[1] = z[3];
  dz[2] = c * z[0];
  dz[3] = c * z[1];
  return 0;
}

static int rhs_z(double t, const double *z, double *J, void *ctx) {
  (void)t, (void)ctx;
  double r2 = z[0] * z[0] + z[1] * z[1], c = 1 / (r2 * sqrt(r2)), d = 3 * c / r2;
  J[2] = J[7] = 1;
  J[8] = d * z[0] * z[0] - c;
  J[9] = J[12] = d * z[0] * z[1];
  J[13] = d * z[1] * z[1] - c;
  return 0;
}

static int energy(double t, const double *z, double *h, void *ctx) {
  (void)t, (void)ctx;
  h[0] = (z[2] * z[2] + z[3] * z[3] + 1) / 2 - 1 / sqrt(z[0] * z[0] + z[1] * z[1]);
  return 0;
}

static int energy_z(double t, const double *z, double *H, void *ctx) {
  (void)t, (void)ctx;
  double r2 = z[0] * z[0] + z[1] * z[1], c = 1 / (r2 * sqrt(r2));
  H[0] = c * z[0];
  H[1] = c * z[1];
  H[2] = z[2];
  H[3] = z[3];
  return 0;
}

static int energy_t(double t, const double *z, double *ht, void *ctx) {
  (void)t, (void)z, (void)ctx;
  ht[0] = 0;
  return 0;
}

/* the direction that leaves positions alone; Table 3.1 was computed with it */
static int velocity_direction(double t, const double *z, double *D, void *ctx) {
  (void)t, (void)ctx;
  D[2] = z[2];
  D[3] = z[3];
  return 0;
}

/* Kepler's equation E - e sin E = t for the angle of the ellipse, by Newton from a point where
   it converges */
static int exact(double t, double *z, double *y, void *ctx) {
  const kepler *p = ctx;
  (void)y;
  double m = remainder(t, 2 * GALLERY_PI), E = m < 0 ? -GALLERY_PI : GALLERY_PI;
  for (int i = 0; i < 100; i++) {
    double step = (E - p->e * sin(E) - m) / (1 - p->e * cos(E));
    E -= step;
    if (fabs(step) < 1e-15) break;
  }
  double rate = 1 / (1 - p->e * cos(E));
  z[0] = cos(E) - p->e;
  z[1] = p->axis * sin(E);
  z[2] = -sin(E) * rate;
  z[3] = p->axis * cos(E) * rate;
  return 0;
}

static const char *const z_name[] = {"p1", "p2", "v1", "v2"};
static const char *const g_name[] = {"energy"};
static const dae_direction direction[] = {{"velocity", velocity_direction}};
static const gallery_parameter parameters[] = {
    {"c", 0.5, "distance at the start, 1 is a circle", 1e-3, 1, false}};

static dae_problem *open_kepler(const double *par) {
  kepler *p = gallery_block(&gallery_kepler, sizeof *p, par);
  if (!p) return NULL;
  double c = par[0];
  p->e = 1 - c;
  p->axis = sqrt(c * (2 - c));
  p->z0[0] = c;
  p->z0[3] = sqrt(2 / c - 1);
  p->problem.kind = DAE_ODE;
  p->problem.ode = (dae_ode){
      .n = 4,
      .nh = 1,
      .f = rhs,
      .f_z = rhs_z,
      .h = energy,
      .h_z = energy_z,
      .h_t = energy_t,
  };
  p->problem.t1 = 4 * GALLERY_PI;
  p->problem.z0 = p->z0;
  p->problem.z_name = z_name;
  p->problem.g_name = g_name;
  p->problem.exact = exact;
  p->problem.n_direction = 1;
  p->problem.direction = direction;
  return &p->problem;
}

const gallery_entry gallery_kepler = {
    "kepler",
    "planet on an ellipse, energy as invariant",
    "Ascher, Qin, Reich 1992, Example 3",
    1,
    parameters,
    open_kepler,
    gallery_free,
};
