/* half-explicit tableaus against (B1')-(B3') and the order conditions that they stand on */
#include <math.h>

#include "step/herk.h"
#include "test.h"

/* weights b are the last row of r; sum of b_i c_i^(k-1) and of the products with a, as far as order
   p goes */
static void classical_conditions(const dae_herk_tableau *t, int p) {
  const int s = t->stages;
  const double *b = t->r[s - 1];
  double ac[4][DAE_HERK_STAGES] = {{0}}, aac[DAE_HERK_STAGES] = {0};
  for (int i = 0; i < s; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += t->a[i][j];
    CHECK_NEAR(sum, t->c[i], 1e-14);
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < i; j++) ac[k][i] += t->a[i][j] * pow(t->c[j], k);
    for (int j = 0; j < i; j++) aac[i] += t->a[i][j] * ac[1][j];
  }
  /* trees: bushy; [tau,..,[tau]]; [[tau,tau]]; [[[tau]]] with their orders and densities */
  for (int k = 1; k <= p; k++) {
    double sum = 0;
    for (int i = 0; i < s; i++) sum += b[i] * pow(t->c[i], k - 1);
    CHECK_NEAR(sum, 1.0 / k, 1e-14);
  }
  double v[7] = {0};
  for (int i = 0; i < s; i++) {
    v[0] += b[i] * ac[1][i];           /* order 3 */
    v[1] += b[i] * t->c[i] * ac[1][i]; /* order 4 */
    v[2] += b[i] * ac[2][i];
    v[3] += b[i] * aac[i];
    v[4] += b[i] * t->c[i] * t->c[i] * ac[1][i]; /* order 5 */
    v[5] += b[i] * t->c[i] * ac[2][i];
    v[6] += b[i] * ac[3][i];
  }
  const double density[7] = {6, 8, 12, 24, 10, 15, 20};
  const int order[7] = {3, 4, 4, 4, 5, 5, 5};
  for (int n = 0; n < 7; n++)
    if (order[n] <= p) CHECK_NEAR(v[n], 1 / density[n], 1e-14);
}

/* r d_k = s^k/k - r c^(k-1): the parts h^(k-1) of the errors of the multipliers */
static void multiplier_errors(const dae_herk_tableau *t, int k, double *d) {
  for (int i = 0; i < t->stages; i++) {
    if (i == 0 && t->known_first) {
      d[0] = 0;
      continue;
    }
    double sum = pow(t->s[i], k) / k;
    for (int j = 0; j <= i; j++)
      sum -= t->r[i][j] * pow(t->c[j], k - 1) + (j < i ? t->r[i][j] * d[j] : 0);
    d[i] = sum / t->r[i][i];
  }
}

/* (B1'): every stage determines its multiplier */
static void determined(void) {
  for (int p = 2; p <= 5; p++) {
    dae_herk_tableau t;
    dae_step_herk_tableau(&t, p);
    for (int i = t.known_first; i < t.stages; i++) CHECK(fabs(t.r[i][i]) > 1e-2);
    CHECK_NEAR(t.s[t.stages - 1], 1, 1e-16);
  }
}

/* (B2'): the classical conditions, which index 2 needs first */
static void ordinary(void) {
  for (int p = 2; p <= 5; p++) {
    dae_herk_tableau t;
    dae_step_herk_tableau(&t, p);
    classical_conditions(&t, p);
  }
}

/* (B3'): the last multipliers of herk3 and herk4 are right to O(h^2): d_2 = 0 there, at c = 1 */
static void last_multiplier(void) {
  for (int p = 3; p <= 4; p++) {
    dae_herk_tableau t;
    double d[DAE_HERK_STAGES];
    dae_step_herk_tableau(&t, p);
    multiplier_errors(&t, 2, d);
    CHECK_NEAR(t.c[t.stages - 1], 1, 1e-16);
    CHECK_NEAR(d[t.stages - 1], 0, 1e-13);
  }
}

/* errors of the multipliers must not reach z: sum b_i c_i^n d_k,i = 0 for n + k + 1 <= p */
static void errors_stay_away(void) {
  for (int p = 2; p <= 5; p++) {
    dae_herk_tableau t;
    dae_step_herk_tableau(&t, p);
    for (int k = 2; k <= p; k++) {
      double d[DAE_HERK_STAGES];
      multiplier_errors(&t, k, d);
      for (int n = 0; n + k + (n > 0) <= p; n++) {
        double sum = 0;
        for (int i = 0; i < t.stages; i++) sum += t.r[t.stages - 1][i] * pow(t.c[i], n) * d[i];
        CHECK_NEAR(sum, 0, 1e-13);
      }
    }
  }
}

/* herk5: rows exact for k = 1, 2, 3, and k_2 kept out of the other stages' multipliers */
static void partitioned(void) {
  dae_herk_tableau t;
  dae_step_herk_tableau(&t, 5);
  for (int i = 2; i < 6; i++) {
    CHECK(t.r[i][1] == 0);
    for (int k = 1; k <= 3; k++) {
      double sum = 0;
      for (int j = 0; j <= i; j++) sum += t.r[i][j] * pow(t.c[j], k - 1);
      CHECK_NEAR(sum, pow(t.s[i], k) / k, 1e-14);
    }
  }
  double third = 0, with_c = 0;
  for (int i = 2; i < 6; i++)
    third += t.r[5][i] * t.a[i][1], with_c += t.r[5][i] * t.c[i] * t.a[i][1];
  CHECK_NEAR(third, 0, 1e-14);
  CHECK_NEAR(with_c, 0, 1e-14);
}

/* error weights vanish on constants: a step of a problem with constant slope has no error */
static void estimates(void) {
  for (int p = 2; p <= 5; p++) {
    dae_herk_tableau t;
    dae_step_herk_tableau(&t, p);
    /* polynomials of degree below the order of the estimate */
    const int exact[] = {2, 2, 3, 4};
    for (int k = 0; k < exact[p - 2]; k++) {
      double sum = (k == 0 ? t.first : 0) + t.last;
      for (int i = 0; i < t.stages; i++) sum += t.error[i] * pow(t.c[i], k);
      CHECK_NEAR(sum, 0, 1e-14);
    }
  }
}

int main(void) {
  RUN(determined);
  RUN(ordinary);
  RUN(last_multiplier);
  RUN(errors_stay_away);
  RUN(partitioned);
  RUN(estimates);
  return TEST_END();
}
