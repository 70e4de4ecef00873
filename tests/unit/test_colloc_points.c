/* points of collocation: orders of quadrature, integrals of the Lagrange polynomials, names */
#include "colloc/colloc.h"
#include "test.h"

/* sum_j end[1][j] rho_j^d against 1/(d+1): exact for d < p, wrong for d = p */
static void test_quadrature_order(void) {
  for (int radau = 0; radau < 2; radau++)
    for (int k = 1; k <= DAE_COLLOC_MAX; k++) {
      dae_colloc_rule r;
      dae_colloc_rule_init(&r, radau, k, DAE_ORDER_MAX);
      CHECK(r.order == 2 * k - radau);
      for (int d = 0; d <= r.order; d++) {
        double sum = 0;
        for (int j = 0; j < k; j++) sum += r.end[1][j] * pow(r.rho[j], d);
        /* weights and powers are at most 1: a few roundings */
        if (d < r.order) CHECK_NEAR(sum, 1.0 / (d + 1), 4e-16);
        /* the error constant at d = p is (k!)^4/((2k+1)((2k)!)^2) for Gauss: 1e-9 at k = 8 */
        if (d == r.order) CHECK(fabs(sum - 1.0 / (d + 1)) > 1e-10);
      }
      CHECK(!radau || r.rho[k - 1] == 1);
    }
}

/* the q-fold integral of s^d is d!/(d+q)! s^(d+q) for d < k */
static void test_integrals(void) {
  dae_colloc_rule r;
  dae_colloc_rule_init(&r, false, 5, DAE_ORDER_MAX);
  double s = 0.731, weights[DAE_COLLOC_MAX];
  for (int q = 0; q <= 3; q++)
    for (int d = 0; d < 5; d++) {
      dae_colloc_rule_weights(&r, s, q, weights);
      double sum = 0, expected = pow(s, d + q);
      for (int j = 0; j < 5; j++) sum += weights[j] * pow(r.rho[j], d);
      for (int i = 1; i <= q; i++) expected /= d + i;
      /* Lagrange coefficients of k = 5 reach 1e2, so 1e2 roundings */
      CHECK_NEAR(sum, expected, 3e-14);
    }
}

static void test_methods(void) {
  bool radau;
  int k;
  CHECK(dae_colloc_rule_of(dae_method_find("colloc-gauss4"), &radau, &k) && !radau && k == 4);
  CHECK(dae_colloc_rule_of(dae_method_find("colloc-radau2"), &radau, &k) && radau && k == 2);
  CHECK(!dae_colloc_rule_of(dae_method_find("gauss4"), &radau, &k));
  CHECK(!dae_method_find("colloc-gauss0") && !dae_method_find("colloc-gauss44"));
}

int main(void) {
  RUN(test_quadrature_order);
  RUN(test_integrals);
  RUN(test_methods);
  return TEST_END();
}
