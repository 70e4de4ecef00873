/* a mass matrix without constraints: every method solves M q'' = f, not q'' = f */
#include <daedal/daedal.h>

#include "test.h"

/* M = [2 1; 1 2], f = -[5 1; 1 5] q: modes (1,1) with omega^2 = 2 and (1,-1) with omega^2 = 4 */
static int dense_mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = M[3] = 2;
  M[1] = M[2] = 1;
  return 0;
}

/* M = diag(2, 3), f of the diagonal stiffness below: omega^2 = 4 and 5/3 */
static int diagonal_mass(double t, const double *q, double *M, void *ctx) {
  (void)t, (void)q, (void)ctx;
  M[0] = 2;
  M[1] = 3;
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const double *k = ctx;
  (void)t, (void)v;
  f[0] = -(k[0] * q[0] + k[1] * q[1]);
  f[1] = -(k[1] * q[0] + k[2] * q[1]);
  return 0;
}

static const int start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
static const dae_pattern full = {2, 2, start, column};
static const double q0[] = {0.7, -0.3, 0, 0};

/* the largest error at t = 1.3 of a run with tolerance 1e-9, or a fixed step of 1e-3 */
static double error_of(const dae_mechanical *m, double *k, const double *exact,
                       const char *method) {
  dae_problem p = {.kind = DAE_MECHANICAL, .mechanical = *m, .ctx = k, .t1 = 1.3, .z0 = q0};
  dae_options o = dae_options_default();
  const dae_method *found = dae_method_find(method);
  double z[4] = {q0[0], q0[1], 0, 0};
  o.method = method;
  o.rtol = o.atol = 1e-9;
  if (found && found->estimate == 0) o.step = 1e-3;
  if (dae_solve(&p, &o, 0, 1.3, z, NULL, NULL, NULL) != DAE_OK) return INFINITY;
  return fmax(fabs(z[0] - exact[0]), fabs(z[1] - exact[1]));
}

static void test_methods(void) {
  static const char *const method[] = {"auto", "rk4",    "dopri5", "dop853",
                                       "bdf",  "radau3", "gauss3"};
  double coupled[] = {5, 1, 5}, apart[] = {8, 0, 5}, t = 1.3;
  double c1 = 0.5 * (q0[0] + q0[1]) * cos(sqrt(2) * t), c2 = 0.5 * (q0[0] - q0[1]) * cos(2 * t);
  double exact1[] = {c1 + c2, c1 - c2},
         exact2[] = {q0[0] * cos(2 * t), q0[1] * cos(sqrt(5.0 / 3) * t)};
  dae_mechanical dense = {.nq = 2, .mass = dense_mass, .mass_constant = true, .force = force};
  dae_mechanical sparse = dense, diagonal = dense;
  sparse.mass_kind = DAE_MASS_SPARSE;
  sparse.mass_pattern = &full;
  diagonal.mass = diagonal_mass;
  diagonal.mass_kind = DAE_MASS_DIAGONAL;
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    /* bdf at tolerance 1e-9 keeps about 1e-6 over a time of order one; taking M for I is off by
       0.1 */
    CHECK(error_of(&dense, coupled, exact1, method[i]) < 1e-5);
    CHECK(error_of(&sparse, coupled, exact1, method[i]) < 1e-5);
    CHECK(error_of(&diagonal, apart, exact2, method[i]) < 1e-5);
  }
}

int main(void) {
  RUN(test_methods);
  return TEST_END();
}
