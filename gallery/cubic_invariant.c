/*
 * cubic-invariant: an equation that is stable on its invariant and unstable beside it (ODE).
 * Ascher, Qin, Reich 1992, Example 2 with (3.8).
 *
 *   z' = 3 t^2,  y' = -(1 + nu (z - t^3)) y,   invariant 0 = z - t^3
 */
#include "build.h"

typedef struct cubic_invariant {
  dae_problem problem;
  double nu;
} cubic_invariant;

static int rhs(double t, const double *z, double *dz, void *ctx) {
  const cubic_invariant *p = ctx;
  dz[0] = 3 * t * t;
  dz[1] = -(1 + p->nu * (z[0] - t * t * t)) * z[1];
  return 0;
}

static int rhs_z(double t, const double *z, double *J, void *ctx) {
  const cubic_invariant *p = ctx;
  J[2] = -p->nu * z[1];
  J[3] = -(1 + p->nu * (z[0] - t * t * t));
  return 0;
}

static int invariant(double t, const double *z, double *h, void *ctx) {
  (void)ctx;
  h[0] = z[0] - t * t * t;
  return 0;
}

static int invariant_z(double t, const double *z, double *H, void *ctx) {
  (void)t, (void)z, (void)ctx;
  H[0] = 1;
  return 0;
}

static int invariant_t(double t, const double *z, double *ht, void *ctx) {
  (void)z, (void)ctx;
  ht[0] = -3 * t * t;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = t * t * t;
  z[1] = exp(-t);
  return 0;
}

static const double start[] = {0, 1};
static const char *const z_name[] = {"z", "y"};
static const char *const g_name[] = {"cubic"};
static const gallery_parameter parameters[] = {
    {"nu", 1000, "how fast y grows beside the invariant", 0, 1e12, false}};

static dae_problem *open_cubic_invariant(const double *par) {
  cubic_invariant *p = gallery_block(&gallery_cubic_invariant, sizeof *p, par);
  if (!p) return NULL;
  p->nu = par[0];
  p->problem.kind = DAE_ODE;
  p->problem.ode = (dae_ode){
      .n = 2,
      .nh = 1,
      .f = rhs,
      .f_z = rhs_z,
      .h = invariant,
      .h_z = invariant_z,
      .h_t = invariant_t,
  };
  p->problem.t1 = 5;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.g_name = g_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_cubic_invariant = {
    "cubic-invariant",
    "stable on the invariant z = t^3, unstable beside it",
    "Ascher, Qin, Reich 1992, Example 2",
    1,
    parameters,
    open_cubic_invariant,
    gallery_free,
};
