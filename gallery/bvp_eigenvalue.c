/*
 * bvp-eigenvalue: an eigenvalue of Mathieu's equation as an unknown parameter (an ODE).
 *
 *   u'' + (lambda - 2 q cos 2t) u = 0,  u(0) = 1,  u'(0) = u'(pi) = 0,  q = 5
 *   the eigenvalue a_4(5) = 17.09658168.. (Abramowitz, Stegun, Table 20.1; here by its continued
 * fraction)
 */
#include "bvp.h"

typedef struct bvp_eigenvalue {
  dae_problem problem;
  dae_boundary boundary;
  double q, lambda, guess, exact;
} bvp_eigenvalue;

static int force(double t, const double *u, const double *v, double *f, void *ctx) {
  const bvp_eigenvalue *p = ctx;
  (void)v;
  f[0] = -(p->lambda - 2 * p->q * cos(2 * t)) * u[0];
  return 0;
}

static int force_q(double t, const double *u, const double *v, double *J, void *ctx) {
  const bvp_eigenvalue *p = ctx;
  (void)u, (void)v;
  J[0] = -(p->lambda - 2 * p->q * cos(2 * t));
  return 0;
}

static int dynamics_q(double t, const double *u, const double *v, const double *a, const double *y,
                      double *J, void *ctx) {
  (void)a, (void)y;
  force_q(t, u, v, J, ctx);
  J[0] = -J[0];
  return 0;
}

static int conditions(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - 1;
  b[1] = z0[1];
  b[2] = z1[1];
  return 0;
}

/* cos 4t, the eigenfunction for q = 0 */
static int guess(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = cos(4 * t);
  z[1] = -4 * sin(4 * t);
  return 0;
}

/* the even pi-periodic solution sum A_2r cos 2r t has a - (2r)^2 - q^2/(..) balanced from both
   sides of r = 2 */
static double mathieu(double q) {
  double a = 16;
  for (int it = 0; it < 60; it++) {
    /* upwards from r = 0: (a) A0 = q A2, (a-4) A2 = q (2 A0 + A4) */
    double below = a - 4 - 2 * q * q / a, above = 0;
    for (int r = 30; r > 2; r--) above = q * q / (a - 4.0 * r * r - above);
    a = 16 + q * q / below + above;
  }
  return a;
}

static const double start[] = {1, 0};
static const char *const z_name[] = {"u", "der(u)"};
static const char *const parameter_name[] = {"lambda"};
static const gallery_parameter parameters[] = {{"q", 5, "Mathieu's q", 0.1, 6, false}};

static dae_problem *open_bvp_eigenvalue(const double *par) {
  bvp_eigenvalue *p = gallery_block(&gallery_bvp_eigenvalue, sizeof *p, par);
  if (!p) return NULL;
  p->q = par[0];
  p->exact = p->lambda = mathieu(p->q);
  p->guess = 16;
  p->boundary = (dae_boundary){.n = 3,
                               .n_left = 2,
                               .value = conditions,
                               .n_parameter = 1,
                               .parameter = &p->lambda,
                               .parameter_guess = &p->guess,
                               .parameter_name = parameter_name,
                               .parameter_exact = &p->exact,
                               .guess = guess};
  p->problem.kind = DAE_MECHANICAL;
  p->problem.mechanical = (dae_mechanical){
      .nq = 1,
      .force = force,
      .force_q = force_q,
      .force_v = gallery_zero_q,
      .dynamics_q = dynamics_q,
  };
  p->problem.t1 = GALLERY_PI;
  p->problem.z0 = start;
  p->problem.z_name = z_name;
  p->problem.boundary = &p->boundary;
  return &p->problem;
}

const gallery_entry gallery_bvp_eigenvalue = {
    "bvp-eigenvalue",
    "an eigenvalue of Mathieu's equation as unknown parameter",
    "Abramowitz, Stegun, chapter 20",
    1,
    parameters,
    open_bvp_eigenvalue,
    gallery_free,
};
