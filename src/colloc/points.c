/* Gauss and Radau points on [0,1], and integrals of their Lagrange polynomials */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "colloc/colloc.h"

/* the polynomial whose zeros are the points, P_k (Gauss) or P_k - P_(k-1) (Radau, zero at x = 1),
   and its slope: (n+1) P_(n+1) = (2n+1) x P_n - n P_(n-1), P_(n+1)' = (2n+1) P_n + P_(n-1)' */
static long double nodal(bool radau, int k, long double x, long double *slope) {
  static const long double part[] = {1,        1,        1 / 2.0L, 1 / 3.0L, 1 / 4.0L,
                                     1 / 5.0L, 1 / 6.0L, 1 / 7.0L, 1 / 8.0L};
  _Static_assert(sizeof part / sizeof *part > DAE_COLLOC_MAX, "1/(n+1) up to the largest k");
  long double p0 = 1, p1 = x, d0 = 0, d1 = 1;
  for (int n = 1; n < k; n++) {
    long double p2 = ((2 * n + 1) * x * p1 - n * p0) * part[n + 1], d2 = (2 * n + 1) * p1 + d0;
    p0 = p1, p1 = p2;
    d0 = d1, d1 = d2;
  }
  *slope = radau ? d1 - d0 : d1;
  return radau ? p1 - p0 : p1;
}

/* Newton's method converges quadratically: what a correction of this size leaves is below rounding
   of long double */
static const dae_iteration_rule settled = {.limit = 100, .enough = 1e-11};

/* zeros on (-1,1] mapped to [0,1], from left to right by Newton's method. Those of P_k are near to
   -cos(pi (i + 3/4)/(k + 1/2)); for Radau it begins at x = -1, and known ones are divided out,
   which keeps it left of the next one */
static void find_points(bool radau, int k, long double *rho) {
  static const double PI = 3.14159265358979323846;
  int first = radau ? k - 1 : k;
  if (radau) rho[k - 1] = 1;
  for (int found = 0; found < first; found++) {
    long double x = radau ? -1 : -cos(PI * (found + 0.75) / (k + 0.5)), step;
    dae_iteration iteration = dae_base_iteration();
    do {
      long double slope, value = nodal(radau, k, x, &slope);
      for (int i = 0; radau && i < found; i++) slope -= value / (x - (2 * rho[i] - 1));
      if (radau) slope -= value / (x - 1);
      x -= step = value / slope;
    } while (dae_base_judge(&iteration, &settled, (double)fabsl(step), 1) == DAE_GO_ON);
    rho[found] = (x + 1) / 2;
  }
}

/* coefficients of prod_{i != skip} (s - rho_i), degree k-1 (skip < 0: degree k) */
static int monomials(int k, const long double *rho, int skip, long double *c) {
  int degree = 0;
  c[0] = 1;
  for (int i = 0; i < k; i++) {
    if (i == skip) continue;
    c[degree + 1] = 0;
    for (int d = degree; d >= 0; d--) {
      c[d + 1] += c[d];
      c[d] *= -rho[i];
    }
    degree++;
  }
  return degree;
}

/* out[c] = coef[c] c!/(c+q)!: the q-fold integral of sum_c coef[c] s^c from 0 is s^q sum_c out[c]
   s^c */
static void integrate(int count, const long double *coef, int q, long double *out) {
  for (int c = 0; c < count; c++) {
    int factor = 1;
    for (int d = 1; d <= q; d++) factor *= c + d;
    out[c] = q > 0 ? coef[c] / factor : coef[c];
  }
}

/* s^q sum_c coef[c] s^c */
static long double horner(int count, const long double *coef, int q, long double s) {
  long double sum = 0;
  for (int c = count - 1; c >= 0; c--) sum = sum * s + coef[c];
  for (int d = 0; d < q; d++) sum *= s;
  return sum;
}

static void neglected_term(dae_colloc_rule *r, const long double *rho) {
  enum { SAMPLES = 64 };
  long double c[DAE_COLLOC_MAX + 1], ci[DAE_COLLOC_MAX + 1];
  double s[SAMPLES + 1], power[SAMPLES + 1];
  for (int i = 0; i <= SAMPLES; i++) s[i] = (double)i / SAMPLES, power[i] = 1;
  monomials(r->k, rho, -1, c);
  for (int q = 0; q <= r->levels; q++) {
    double sum[SAMPLES + 1], most = 0;
    integrate(r->k + 1, c, q, ci);
    /* c[0] is prod (-rho_j) */
    for (int i = 0; i <= SAMPLES; i++) sum[i] = (double)(ci[r->k] / c[0]);
    for (int j = r->k - 1; j >= 0; j--) {
      const double d = (double)(ci[j] / c[0]);
      for (int i = 0; i <= SAMPLES; i++) sum[i] = sum[i] * s[i] + d;
    }
    for (int i = 0; i <= SAMPLES; i++) {
      double value = fabs(sum[i] * power[i]);
      most = value > most ? value : most;
      power[i] *= s[i];
    }
    r->neglected[q] = most;
  }
}

/* the tables of L_j with the coefficients c */
static void fill_tables(dae_colloc_rule *r, int j, const long double *rho, const long double *c) {
  long double ci[DAE_COLLOC_MAX];
  for (int i = 0; i < r->k; i++) r->lagrange[j][i] = (double)c[i];
  for (int q = 0; q <= r->levels; q++) {
    integrate(r->k, c, q, ci);
    r->end[q][j] = (double)horner(r->k, ci, q, 1);
    for (int i = 0; i < r->k; i++) r->integrated[q][i][j] = (double)ci[i];
    for (int i = 0; q > 0 && i < r->k; i++) r->inner[q][i][j] = (double)horner(r->k, ci, q, rho[i]);
  }
  r->inner[0][j][j] = 1;
}

/* power[q] := inner[1] power[q-1] */
static void fill_powers(dae_colloc_rule *r) {
  memcpy(r->power[1], r->inner[1], sizeof r->power[1]);
  for (int q = 2; q <= DAE_ORDER_MAX; q++)
    for (int i = 0; i < r->k; i++)
      for (int j = 0; j < r->k; j++)
        for (int c = 0; c < r->k; c++)
          r->power[q][i][c] += r->inner[1][i][j] * r->power[q - 1][j][c];
}

void dae_colloc_rule_init(dae_colloc_rule *r, bool radau, int k, int levels) {
  long double rho[DAE_COLLOC_MAX], c[DAE_COLLOC_MAX + 1];
  *r = (dae_colloc_rule){
      .k = k, .radau = radau, .order = radau ? 2 * k - 1 : 2 * k, .levels = levels};
  find_points(radau, k, rho);
  for (int j = 0; j < k; j++) {
    monomials(k, rho, j, c);
    long double scale = 1;
    for (int i = 0; i < k; i++)
      if (i != j) scale *= rho[j] - rho[i];
    for (int i = 0; i < k; i++) c[i] /= scale;
    r->rho[j] = (double)rho[j];
    fill_tables(r, j, rho, c);
  }
  neglected_term(r, rho);
  /* equations of order 1 may make chains of any length */
  if (levels == 1) fill_powers(r);
}

/* Horner on r->integrated, whose coefficients are rounded anyway; all polynomials side by side */
void dae_colloc_rule_weights(const dae_colloc_rule *r, double s, int q, double *weights) {
  double power = 1, sum[DAE_COLLOC_MAX];
  for (int d = 0; d < q; d++) power *= s;
  memcpy(sum, r->integrated[q][r->k - 1], sizeof sum);
  for (int i = r->k - 2; i >= 0; i--) {
    const double *c = r->integrated[q][i]; /* rows are filled up with zeros */
    for (int j = 0; j < DAE_COLLOC_MAX; j++) sum[j] = sum[j] * s + c[j];
  }
  for (int j = 0; j < r->k; j++) weights[j] = sum[j] * power;
}

bool dae_colloc_rule_of(const dae_method *method, bool *radau, int *k) {
  if (method->view != DAE_VIEW_PROBLEM) return false;
  /* Radau points alone forget what is infinitely stiff */
  *radau = method->r_infinity == 0;
  *k = method->stages;
  return true;
}
