/*
 * rotating-index3: a constraint whose direction turns with angular speed nu (index 3).
 * Ascher, Petzold 1993, Example 4 = Ascher, Petzold 1992, Example 4.2.
 *
 *   v' = a1 p + alpha v + q - C'lambda,  0 = C p + r,  C = (sin nu t, cos nu t)
 *   exact: p1 = p2 = v1 = v2 = e^t,  lambda = e^t/(2-t)
 *
 * The papers have a1 = 0; a1 = 2 nu^2 gives the published digits of Table 4.4 (1992).
 */
#include "build.h"

typedef struct rotating_index3 {
  dae_problem problem;
  double nu, alpha, a1;
} rotating_index3;

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const rotating_index3 *p = ctx;
  double e = exp(t), lambda = e / (2 - t);
  f[0] = p->a1 * (q[0] - e) + p->alpha * (v[0] - e) + e + sin(p->nu * t) * lambda;
  f[1] = p->a1 * (q[1] - e) + p->alpha * (v[1] - e) + e + cos(p->nu * t) * lambda;
  return 0;
}

static int force_q(double t, const double *q, const double *v, double *J, void *ctx) {
  const rotating_index3 *p = ctx;
  (void)t, (void)q, (void)v;
  J[0] = J[3] = p->a1;
  return 0;
}

static int force_v(double t, const double *q, const double *v, double *J, void *ctx) {
  const rotating_index3 *p = ctx;
  (void)t, (void)q, (void)v;
  J[0] = J[3] = p->alpha;
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const rotating_index3 *p = ctx;
  double e = exp(t);
  g[0] = sin(p->nu * t) * (q[0] - e) + cos(p->nu * t) * (q[1] - e);
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const rotating_index3 *p = ctx;
  (void)q;
  G[0] = sin(p->nu * t);
  G[1] = cos(p->nu * t);
  return 0;
}

/* C'p + r' with r = -(sin + cos) e^t */
static int constraint_t(double t, const double *q, double *gt, void *ctx) {
  const rotating_index3 *p = ctx;
  double e = exp(t), s = sin(p->nu * t), c = cos(p->nu * t);
  gt[0] = p->nu * (c * (q[0] - e) - s * (q[1] - e)) - (s + c) * e;
  return 0;
}

/* C''p + 2 C'v + r'', with C'' = -nu^2 C and r'' = -(C'' + 2 C' + C)(e^t, e^t)' */
static int curvature(double t, const double *q, const double *v, double *k, void *ctx) {
  const rotating_index3 *p = ctx;
  double e = exp(t), s = sin(p->nu * t), c = cos(p->nu * t);
  k[0] = -p->nu * p->nu * (s * (q[0] - e) + c * (q[1] - e)) +
         2 * p->nu * (c * (v[0] - e) - s * (v[1] - e)) - (s + c) * e;
  return 0;
}

static int velocity_q(double t, const double *q, const double *v, double *L, void *ctx) {
  const rotating_index3 *p = ctx;
  (void)q, (void)v;
  L[0] = p->nu * cos(p->nu * t);
  L[1] = -p->nu * sin(p->nu * t);
  return 0;
}

static int dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  const rotating_index3 *p = ctx;
  (void)t, (void)q, (void)v, (void)a, (void)y;
  J[0] = J[3] = -p->a1;
  return 0;
}

static int exact(double t, double *z, double *y, void *ctx) {
  (void)ctx;
  z[0] = z[1] = z[2] = z[3] = exp(t);
  y[0] = z[0] / (2 - t);
  return 0;
}

static const double start[] = {1, 1, 1, 1};
static const char *const z_name[] = {"p1", "p2", "v1", "v2"};
static const char *const y_name[] = {"lambda"};
static const gallery_parameter parameters[] = {
    {"nu", 10, "angular speed of the constraint's direction", 0, 1e9, false},
    {"alpha", NAN, "coefficient of v; -nu^2 when not given", 0, 0, false},
    {"a1", 0, "coefficient of p; 2 nu^2 for the published Table 4.4 of 1992", 0, 0, false},
};

static dae_problem *open_rotating_index3(const double *par) {
  double nu = par[0], alpha = isnan(par[1]) ? -nu * nu : par[1];
  rotating_index3 *p =
      gallery_block(&gallery_rotating_index3, sizeof *p, (double[]){nu, alpha, par[2]});
  if (!p) return NULL;
  p->nu = nu;
  p->alpha = alpha;
  p->a1 = par[2];
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 2,
      .ng = 1,
      .mass_constant = true,
      .force = force,
      .force_q = force_q,
      .force_v = force_v,
      .g = constraint,
      .G = gradient,
      .g_t = constraint_t,
      .curvature = curvature,
      .velocity_q = velocity_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = 1;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.y_name = y_name;
  p->problem.exact = exact;
  return &p->problem;
}

const gallery_entry gallery_rotating_index3 = {
    "rotating-index3",
    "linear mechanical form, the constraint's direction turns",
    "Ascher, Petzold 1993, Example 4; Ascher, Petzold 1992, Example 4.2",
    3,
    parameters,
    open_rotating_index3,
    gallery_free,
};
