/* boundary value problems as a newcomer writes them: an unknown period, and what is refused at
   once */
#include <daedal/daedal.h>

#include "test.h"

/* ---- van der Pol's oscillator on [0,1], its period T unknown ---- */

typedef struct oscillator {
  double period, mu;
} oscillator;

static int van_der_pol(double t, const double *z, double *f, void *ctx) {
  const oscillator *o = ctx;
  (void)t;
  f[0] = o->period * z[1];
  f[1] = o->period * (o->mu * (1 - z[0] * z[0]) * z[1] - z[0]);
  return 0;
}

static int periodic(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - z1[0];
  b[1] = z0[1] - z1[1];
  b[2] = z0[1];
  return 0;
}

static int circle(double t, double *z, double *y, void *ctx) {
  (void)y, (void)ctx;
  z[0] = 2 * cos(6.2 * t);
  z[1] = -2 * sin(6.2 * t);
  return 0;
}

static void test_period(void) {
  oscillator o = {6.2, 1};
  dae_boundary b = {.n = 3,
                    .n_left = -1,
                    .value = periodic,
                    .n_parameter = 1,
                    .parameter = &o.period,
                    .guess = circle};
  dae_problem p = {
      .kind = DAE_ODE, .ode = {.n = 2, .f = van_der_pol}, .t1 = 1, .boundary = &b, .ctx = &o};
  dae_options options = dae_options_default();
  dae_solution *s;
  dae_report r;
  options.rtol = options.atol = 1e-8;
  CHECK(dae_bvp_solve(&p, &options, NULL, &s, &r) == DAE_OK);
  /* known to many digits (Andersen, Geer 1982); three times the tolerance, relative */
  if (s) CHECK_NEAR(dae_solution_parameter(s)[0], 6.66328685932313019, 3e-8 * 6.7);
  dae_solution_free(s);
  /* further on by continuation; published for mu = 5: 11.6122 */
  CHECK(dae_bvp_continue(&p, &options, &o.mu, 1, 5, NULL, &s, &r) == DAE_OK);
  if (s) CHECK_NEAR(dae_solution_parameter(s)[0], 11.6122, 1e-4);
  dae_solution_free(s);
}

/* z = 0 is periodic with any period: that is no answer */
static void test_trivial(void) {
  static const double zero[2];
  oscillator o = {19, 10};
  dae_boundary b = {
      .n = 3, .n_left = -1, .value = periodic, .n_parameter = 1, .parameter = &o.period};
  dae_problem p = {.kind = DAE_ODE,
                   .ode = {.n = 2, .f = van_der_pol},
                   .t1 = 1,
                   .z0 = zero,
                   .boundary = &b,
                   .ctx = &o};
  dae_options options = dae_options_default();
  dae_solution *s;
  dae_report r;
  CHECK(dae_bvp_solve(&p, &options, NULL, &s, &r) == DAE_E_SINGULAR);
  dae_solution_free(s);
}

/* ---- x'' = -x: what cannot be meant ---- */

static int swing(double t, const double *z, double *f, void *ctx) {
  (void)t, (void)ctx;
  f[0] = z[1];
  f[1] = -z[0];
  return 0;
}

static int one_each(const double *z0, const double *z1, double *b, void *ctx) {
  (void)ctx;
  b[0] = z0[0] - 0.7;
  b[1] = z1[0] - 0.3;
  return 0;
}

static int twice(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - 0.7;
  b[1] = 2 * z0[0] - 1.4;
  return 0;
}

static int not_a_number(const double *z0, const double *z1, double *b, void *ctx) {
  (void)z1, (void)ctx;
  b[0] = z0[0] - 0.7;
  b[1] = NAN;
  return 0;
}

/* status and a part of the message */
static void refused(const dae_problem *p, const dae_options *o, dae_status status,
                    const char *part) {
  dae_solution *s;
  dae_report r;
  CHECK(dae_bvp_solve(p, o, NULL, &s, &r) == status);
  CHECK(strstr(r.message, part) != NULL);
  if (!strstr(r.message, part)) printf("  message: %s\n", r.message);
  dae_solution_free(s);
}

static void test_refused(void) {
  static const double not_finite[] = {0.7, INFINITY}, falling[] = {0, 0.6, 0.4}, table[6];
  dae_boundary b = {.n = 2, .n_left = 1, .value = one_each};
  dae_problem p = {.kind = DAE_ODE, .ode = {.n = 2, .f = swing}, .t1 = 1, .boundary = &b};
  dae_options o = dae_options_default();
  b.n_left = 2;
  refused(&p, &o, DAE_E_INPUT, "condition 2 depends on z(t1)");
  b.n_left = 0;
  refused(&p, &o, DAE_E_INPUT, "condition 1 depends on z(t0)");
  b.n_left = 2;
  b.value = twice;
  refused(&p, &o, DAE_E_SINGULAR, "boundary condition 2 follows");
  b.value = not_a_number;
  refused(&p, &o, DAE_E_CALLBACK, "in the boundary conditions");
  b = (dae_boundary){.n = 2, .n_left = 1, .value = one_each};
  p.z0 = not_finite;
  refused(&p, &o, DAE_E_INPUT, "guess has values that are not finite");
  p.z0 = NULL;
  b.n_table = 3;
  b.table_t = falling;
  b.table_z = table;
  refused(&p, &o, DAE_E_INPUT, "must be increasing");
  b.n_table = 0;
  p.t1 = INFINITY;
  refused(&p, &o, DAE_E_INPUT, "finite");
  p.t1 = 1;
  o.mesh = 20;
  o.mesh_max = 19;
  refused(&p, &o, DAE_E_INPUT, "greater than mesh_max");
  o.mesh = 0;
  o.mesh_max = 1;
  o.rtol = o.atol = 1e-10;
  refused(&p, &o, DAE_E_MESH, "the error is not known on 1");
}

int main(void) {
  RUN(test_period);
  RUN(test_trivial);
  RUN(test_refused);
  return TEST_END();
}
