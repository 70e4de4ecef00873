/* implicit Runge-Kutta tableaus against the simplifying assumptions that define them */
#include <math.h>
#include <stddef.h>

#include "step/tableau.h"
#include "test.h"

static const struct {
  const char *name;
  dae_rk_family family;
  int first, last;
} families[] = {{"gauss", DAE_RK_GAUSS, 1, 5},
                {"radau", DAE_RK_RADAU, 1, 5},
                {"lobatto", DAE_RK_LOBATTO, 2, 4},
                {"sdirk", DAE_RK_SDIRK, 2, 3}};
enum { FAMILIES = 4 };

/* B(p): sum b_i c_i^(k-1) = 1/k; C(q): sum_j a_ij c_j^(k-1) = c_i^k/k */
static void assumptions(const dae_rk_tableau *t) {
  for (int k = 1; k <= t->order; k++) {
    double sum = 0;
    for (int i = 0; i < t->stages; i++) sum += t->b[i] * pow(t->c[i], k - 1);
    /* b is accurate to rounding, its entries are below 1 */
    CHECK_NEAR(sum, 1.0 / k, 1e-15);
  }
  for (int k = 1; k <= t->stage_order; k++)
    for (int i = 0; i < t->stages; i++) {
      double sum = 0;
      for (int j = 0; j < t->stages; j++) sum += t->A[i][j] * pow(t->c[j], k - 1);
      CHECK_NEAR(sum, pow(t->c[i], k) / k, 1e-15);
    }
}

/* D(s) for Gauss, D(s-1) for Radau IIA and Lobatto IIIC: sum_i b_i c_i^(k-1) a_ij = b_j (1 -
   c_j^k)/k */
static void transposed_assumption(const dae_rk_tableau *t, int upto) {
  for (int k = 1; k <= upto; k++)
    for (int j = 0; j < t->stages; j++) {
      double sum = 0;
      for (int i = 0; i < t->stages; i++) sum += t->b[i] * pow(t->c[i], k - 1) * t->A[i][j];
      CHECK_NEAR(sum, t->b[j] * (1 - pow(t->c[j], k)) / k, 1e-15);
    }
}

static void conditions(void) {
  for (int f = 0; f < FAMILIES; f++)
    for (int s = families[f].first; s <= families[f].last; s++) {
      dae_rk_tableau t;
      CHECK(dae_step_tableau(&t, families[f].family, s) == DAE_OK);
      assumptions(&t);
      if (families[f].family != DAE_RK_SDIRK)
        transposed_assumption(&t, families[f].family == DAE_RK_GAUSS ? s : s - 1);
    }
  dae_rk_tableau t;
  CHECK(dae_step_tableau(&t, DAE_RK_RADAU, 6) == DAE_E_INPUT);
  CHECK(dae_step_tableau(&t, DAE_RK_LOBATTO, 1) == DAE_E_INPUT);
  CHECK(dae_step_tableau(&t, DAE_RK_SDIRK, 5) == DAE_E_INPUT);
}

/* closed forms in the book of Hairer and Wanner: nodes (4 -+ sqrt 6)/10, gamma = (6 + 81^(1/3) -
   9^(1/3))/30 */
static void radau_closed_form(void) {
  dae_rk_tableau t;
  CHECK(dae_step_tableau(&t, DAE_RK_RADAU, 3) == DAE_OK);
  CHECK_NEAR(t.c[0], (4 - sqrt(6)) / 10, 1e-16);
  CHECK_NEAR(t.A[1][0], (296 + 169 * sqrt(6)) / 1800, 1e-15);
  CHECK_NEAR(t.b[1], (16 + sqrt(6)) / 36, 1e-15);
  CHECK_NEAR(creal(t.eigenvalue[0]), 30 / (6 + cbrt(81) - cbrt(9)), 4e-15);
  CHECK(t.real == 1 && t.eigenvalues == 2);
}

/* what is stored is what is computed: the largest entries, of the eigenvectors, are below 30, and
   the last digit that is written is the 17th */
static void stored(void) {
  const dae_rk_tableau *const known[] = {&dae_step_radau3, &dae_step_radau5};
  for (int k = 0; k < 2; k++) {
    dae_rk_tableau t;
    const dae_rk_tableau *have = known[k];
    CHECK(dae_step_tableau(&t, DAE_RK_RADAU, have->stages) == DAE_OK);
    CHECK(have->order == t.order && have->stage_order == t.stage_order &&
          have->stiffly_accurate == t.stiffly_accurate && have->triangular == t.triangular &&
          have->eigenvalues == t.eigenvalues && have->real == t.real &&
          have->r_infinity == t.r_infinity);
    const double *a = (const double *)have->c, *b = (const double *)t.c;
    const size_t first = offsetof(dae_rk_tableau, c),
                 numbers = (offsetof(dae_rk_tableau, r_infinity) - first) / sizeof *a;
    for (size_t i = 0; i < numbers; i++) CHECK_NEAR(a[i], b[i], 1e-14);
    for (int i = 0; i < DAE_STAGES_MAX; i++) {
      CHECK(cabs(have->eigenvalue[i] - t.eigenvalue[i]) < 1e-14);
      CHECK(cabs(have->error[i] - t.error[i]) < 1e-14);
      for (int j = 0; j < DAE_STAGES_MAX; j++) {
        CHECK(cabs(have->right[i][j] - t.right[i][j]) < 1e-14);
        CHECK(cabs(have->left[i][j] - t.left[i][j]) < 3e-14);
      }
    }
  }
}

/* A^-1 X = X diag, Y X = 1, and the sum over all eigenvalues gives A^-1 back */
static void spectrum(void) {
  for (int f = 0; f < 3; f++)
    for (int s = families[f].first; s <= families[f].last; s++) {
      dae_rk_tableau t;
      dae_step_tableau(&t, families[f].family, s);
      CHECK(2 * t.eigenvalues - t.real == s);
      /* what memory is taken for before the coefficients are known */
      CHECK(t.eigenvalues == (s + 1) / 2 && t.stiffly_accurate == (t.r_infinity == 0));
      for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
          double sum = 0;
          for (int e = 0; e < t.eigenvalues; e++)
            sum += (e < t.real ? 1 : 2) * creal(t.right[i][e] * t.eigenvalue[e] * t.left[e][j]);
          /* eigenvectors of five stages have condition of some hundreds */
          CHECK_NEAR(sum, t.inverse[i][j], 4e-13);
        }
    }
}

/* R(inf): (-1)^s for Gauss, 0 for Radau IIA and Lobatto IIIC, 1 - sqrt 3 for the SDIRK of order
   3 */
static void at_infinity(void) {
  dae_rk_tableau t;
  for (int s = 1; s <= 5; s++) {
    dae_step_tableau(&t, DAE_RK_GAUSS, s);
    CHECK_NEAR(t.r_infinity, s % 2 ? -1 : 1, 1e-14);
    CHECK(!t.stiffly_accurate);
    dae_step_tableau(&t, DAE_RK_RADAU, s);
    CHECK(t.r_infinity == 0 && t.stiffly_accurate);
  }
  dae_step_tableau(&t, DAE_RK_SDIRK, 3);
  CHECK_NEAR(t.r_infinity, 1 - sqrt(3), 1e-15);
  dae_step_tableau(&t, DAE_RK_SDIRK, 2);
  CHECK(t.r_infinity == 0 && t.stiffly_accurate);
}

/* the embedded formula is exact for z' = t^(k-1), k <= estimate: h f0/l + sum e_i W_i = 0 up to the
   difference; and it sees what comes next, which the estimate is made of */
static void embedded(void) {
  for (int f = 0; f < FAMILIES; f++)
    for (int s = families[f].first; s <= families[f].last; s++) {
      dae_rk_tableau t;
      dae_step_tableau(&t, families[f].family, s);
      for (int k = 1; k <= t.estimate + 1; k++) {
        /* W_i = sum_j a_ij c_j^(k-1) for h = 1 */
        double complex sum = k == 1 ? 1 / t.eigenvalue[0] : 0;
        for (int i = 0; i < t.stages; i++) {
          double W = 0;
          for (int j = 0; j < t.stages; j++) W += t.A[i][j] * pow(t.c[j], k - 1);
          sum += t.error[i] * W;
        }
        if (k <= t.estimate) CHECK_NEAR(cabs(sum), 0, 1e-13);
        else CHECK(cabs(sum) > 1e-4);
      }
    }
}

/* Lagrange weights reproduce a cubic */
static void lagrange(void) {
  const double node[4] = {0.13, 0.4, 0.77, 1.2};
  double w[4], sum = 0, x = 1.61;
  dae_step_lagrange(4, node, x, w);
  for (int i = 0; i < 4; i++) sum += w[i] * (2 - node[i] * (3 - node[i] * (0.7 + 1.9 * node[i])));
  /* weights of some tens amplify rounding */
  CHECK_NEAR(sum, 2 - x * (3 - x * (0.7 + 1.9 * x)), 1e-13);
}

int main(void) {
  RUN(conditions);
  RUN(radau_closed_form);
  RUN(stored);
  RUN(spectrum);
  RUN(at_infinity);
  RUN(embedded);
  RUN(lagrange);
  return TEST_END();
}
