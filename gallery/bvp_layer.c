/*
 * bvp-layer: a boundary layer of width eps at the right end (an ODE, to compare with other codes).
 *
 *   eps u'' = u' + (eps - 1) e^t;   exact: u = e^t + e^((t-1)/eps);  given: u at both ends
 */
#include "bvp.h"

typedef struct bvp_layer {
  dae_problem problem;
  double eps;
} bvp_layer;

static int mass(double t, const double *q, double *M, void *ctx) {
  const bvp_layer *p = ctx;
  (void)t, (void)q;
  M[0] = p->eps;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const bvp_layer *p = ctx;
  (void)q;
  f[0] = v[0] + (p->eps - 1) * exp(t);
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  (void)t, (void)q, (void)v, (void)ctx;
  J[0] = 1;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  const bvp_layer *p = ctx;
  (void)y;
  double e = exp(t), layer = exp((t - 1) / p->eps);
  z[0] = e + layer;
  z[1] = e + layer / p->eps;
  return 0;
}

static const char *const z_name[] = {"u", "der(u)"};
static const gallery_end ends[] = {{0, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"eps", 1e-3, "width of the layer", 1e-12, 1e3, false}};

static dae_problem *open_bvp_layer(const double *par) {
  bvp_layer *p = gallery_block(&gallery_bvp_layer, sizeof *p, par);
  if (!p) return NULL;
  p->eps = par[0];
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 1,
      .mass = mass,
      .mass_constant = true,
      .force = force,
      .force_q = gallery_zero_q,
      .force_v = force_v,
      .dynamics_q = gallery_zero_dynamics,
  };
  p->problem.t1 = 1;
  p->problem.z_name = z_name;
  p->problem.exact = exact;
  return gallery_bvp(&gallery_bvp_layer, &p->problem, gallery_free, 2, ends);
}

const gallery_entry gallery_bvp_layer = {
    "bvp-layer",      "a boundary layer of width eps", "constructed", 1, parameters, open_bvp_layer,
    gallery_bvp_free,
};
