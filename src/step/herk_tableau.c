/* tableaus of half-explicit methods of order 2 to 5 */
#include <math.h>
#include <string.h>

#include "step/explicit.h"
#include "step/herk.h"
#include "step/tableau.h"

/* r_i = a_{i+1}, s_i = c_{i+1}; the last ones b and 1 */
static void classical(dae_herk_tableau *t, const double *b) {
  for (int i = 0; i < t->stages; i++) {
    t->s[i] = i + 1 < t->stages ? t->c[i + 1] : 1;
    for (int j = 0; j < t->stages; j++) t->r[i][j] = i + 1 < t->stages ? t->a[i + 1][j] : b[j];
  }
}

/* the midpoint rule; its error is taken for twice the difference to Simpson's rule, as it is for
   linear equations: with its predicted midpoint the rule is off by h^3 (z'''/24 + F_z z''/8), and
   Simpson's rule with the same midpoint sees h^3 (z''' + F_z z'')/24 of it */
static void order2(dae_herk_tableau *t) {
  t->stages = 2;
  t->c[1] = t->a[1][0] = 0.5;
  classical(t, (double[]){0, 1});
  t->first = t->last = 1.0 / 3;
  t->error[1] = -2.0 / 3;
}

/* HEM3 of Brasey and Hairer (1993), c = 0, 1/3, 1; error: half of trapezoidal minus Radau
   quadrature */
static void order3(dae_herk_tableau *t) {
  t->stages = 3;
  t->c[1] = t->a[1][0] = 1.0 / 3;
  t->c[2] = 1;
  t->a[2][0] = -1, t->a[2][1] = 2;
  classical(t, (double[]){0, 0.75, 0.25});
  t->first = 0.25, t->error[1] = -0.375, t->last = 0.125;
}

/* weights w with sum w_j node_j^(k-1) = x^k/k, k = 1 .. n: integration over [0,x] */
static void integrate(int n, const double *node, double x, double *w) {
  long double V[DAE_STAGES_MAX][DAE_STAGES_MAX] = {{0}}, B[DAE_STAGES_MAX][DAE_STAGES_MAX] = {{0}};
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) V[k][j] = k == 0 ? 1 : V[k - 1][j] * node[j];
    B[k][0] = powl(x, k + 1) / (k + 1);
  }
  dae_step_small_solve(n, 1, V, B);
  for (int j = 0; j < n; j++) w[j] = (double)B[j][0];
}

/* HEM4 of Brasey and Hairer (1993), five stages with Radau nodes; error: the cubic difference of
   the derivatives at 0, the inner Radau nodes and 1 */
static void order4(dae_herk_tableau *t) {
  const double q = sqrt(6), b[] = {0, 0, (16 - q) / 36, (16 + q) / 36, 1.0 / 9};
  const double c[] = {0, 0.3, (4 - q) / 10, (4 + q) / 10, 1};
  const double a[5][5] = {{0},
                          {0.3},
                          {(1 + q) / 30, (11 - 4 * q) / 30},
                          {(-79 - 31 * q) / 150, (-1 - 4 * q) / 30, (24 + 11 * q) / 25},
                          {(14 + 5 * q) / 6, (-8 + 7 * q) / 6, (-9 - 7 * q) / 4, (9 - q) / 4}};
  t->stages = 5;
  for (int i = 0; i < 5; i++) {
    t->c[i] = c[i];
    for (int j = 0; j < i; j++) t->a[i][j] = a[i][j];
  }
  classical(t, b);
  double w[3];
  dae_step_lagrange(3, c + 2, 0, w);
  const double scale = 0.25;
  t->first = scale, t->error[2] = -scale * w[0], t->error[3] = -scale * w[1],
  t->last = -scale * w[2];
}

/*
 * The pair of Dormand and Prince made half-explicit. Of its estimate only the part along the
 * constraints counts, which is smaller than the whole: three times it agrees with what dopri5 sees
 * of the same step. With d_k the part h^(k-1) of the error of the multipliers, r d_k = s^k/k - r
 * c^(k-1), order 5 asks for
 *   r c^(k-1) = s^k/k, k = 1, 2, 3 (stages 3 .. 6, without k_2),   b c d_4 = 0;
 * k_2 may be less accurate, as in every method with b_2 = 0, sum b_i a_i2 = 0, sum b_i c_i a_i2 =
 * 0. Rows of r integrate exactly with the nodes at hand; s_2 = 3/2 c_2 and s_3 = 3/2 c_3 give k =
 * 3, and s_4 = 19/20, s_5 = 1 - 1/sqrt 10 the last condition.
 */
static void order5(dae_herk_tableau *t) {
  const double *a = dae_step_dopri5.a, *c = dae_step_dopri5.c, *e = dae_step_dopri5.e;
  t->stages = 6;
  t->known_first = true;
  for (int i = 0; i < 6; i++) {
    t->c[i] = c[i];
    for (int j = 0; j < i; j++) t->a[i][j] = a[i * (i - 1) / 2 + j];
    t->r[5][i] = a[15 + i];
    t->error[i] = 3 * e[i];
  }
  t->last = 3 * e[6];
  const double s[] = {0, 1.5 * c[1], 1.5 * c[2], 0.95, 1 - sqrt(0.1), 1};
  memcpy(t->s, s, sizeof s);
  for (int i = 1; i < 5; i++) {
    double node[DAE_STAGES_MAX] = {0}, w[DAE_STAGES_MAX];
    int n = 1, place[DAE_STAGES_MAX] = {0};
    for (int j = i == 1 ? 1 : 2; j <= i; j++) node[n] = c[j], place[n++] = j;
    integrate(n, node, s[i], w);
    for (int j = 0; j < n; j++) t->r[i][place[j]] = w[j];
  }
}

void dae_step_herk_tableau(dae_herk_tableau *t, int order) {
  memset(t, 0, sizeof *t);
  if (order == 2) order2(t);
  else if (order == 3) order3(t);
  else if (order == 4) order4(t);
  else order5(t);
}
