/* multipliers that Newton's method does not find are told, where the form adds terms of its own */
#include <daedal/daedal.h>

#include "form/form.h"
#include "settings.h"
#include "test.h"

/* x' = 2 y - y^3, 0 = x: on the constraint y = 0; off it by -2 with a gain of 1, y^3 - 2 y + 2 = 0,
   where Newton's method from y = 0 goes 0, 1, 0, 1, .. for ever */
static int cubic(double t, const double *x, const double *y, double *f, void *ctx) {
  (void)t, (void)x, (void)ctx;
  f[0] = 2 * y[0] - y[0] * y[0] * y[0];
  return 0;
}

static int cubic_B(double t, const double *x, const double *y, double *B, void *ctx) {
  (void)t, (void)x, (void)ctx;
  B[0] = 3 * y[0] * y[0] - 2;
  return 0;
}

static int at_zero(double t, const double *x, double *g, void *ctx) {
  (void)t, (void)ctx;
  g[0] = x[0];
  return 0;
}

static int slope(double t, const double *x, double *G, void *ctx) {
  (void)t, (void)x, (void)ctx;
  G[0] = 1;
  return 0;
}

static void test_cycle(void) {
  const double zero[] = {0};
  dae_problem p = {.kind = DAE_HESSENBERG,
                   .hessenberg = {.order = 1,
                                  .nx = 1,
                                  .ny = 1,
                                  .affine = DAE_NO,
                                  .f = cubic,
                                  .B = cubic_B,
                                  .g = at_zero,
                                  .G = slope},
                   .autonomous = true,
                   .z0 = zero};
  dae_options o = dae_options_default();
  dae_pool pool;
  const dae_system *s;
  dae_point *point;
  dae_view *v = NULL;
  char message[DAE_TEXT_MAX];
  o.gamma = 1;
  o.form = "baumgarte";
  dae_base_pool_init(&pool, NULL);
  CHECK(dae_problem_system_new(&s, &pool, &p) == DAE_OK);
  CHECK(dae_point_new(&point, &pool, s, NULL, true) == DAE_OK);
  dae_settings settings = settings_of(&p, &o, &pool);
  CHECK(dae_form_view(&v, point, &settings, &pool, message, sizeof message) == DAE_OK);
  double on[] = {0}, off[] = {-2}, near[] = {0.1}, dz[1], y[1] = {0};
  CHECK(v->rhs(v, 0, on, NULL, dz, y) == DAE_OK);
  /* x' = -gamma x where a solution is found: 2 y - y^3 = -0.1 */
  y[0] = 0;
  CHECK(v->rhs(v, 0, near, NULL, dz, y) == DAE_OK);
  CHECK_NEAR(dz[0], -0.1, 1e-12);
  y[0] = 0;
  CHECK(v->rhs(v, 0, on, NULL, dz, y) == DAE_OK);
  y[0] = 0;
  CHECK(v->rhs(v, 0, off, NULL, dz, y) == DAE_E_NEWTON);
  dae_form_free(v);
  dae_point_free(point);
  dae_base_pool_free(&pool);
}

int main(void) {
  RUN(test_cycle);
  return TEST_END();
}
