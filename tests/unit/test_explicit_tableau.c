/* explicit Runge-Kutta tableaus against the conditions of order, and wave4 on the imaginary axis */
#include <complex.h>
#include <math.h>

#include "step/explicit.h"
#include "test.h"

enum { STAGES = 16 };

/* the tableau with all its rows: a full matrix, and weights for all stages */
typedef struct full {
  int stages;
  double A[STAGES][STAGES], b[STAGES], c[STAGES];
} full;

static full fill(const dae_explicit_tableau *t) {
  full f = {.stages = t->method.stages};
  const double *a = t->a;
  for (int i = 0; i < f.stages; i++) f.c[i] = t->c[i];
  for (int i = 1; i < f.stages; i++)
    for (int j = 0; j < i; j++) f.A[i][j] = *a++;
  for (int i = 0; i < f.stages; i++) f.b[i] = t->b ? t->b[i] : f.A[f.stages - 1][i];
  return f;
}

/* y := A x */
static void times(const full *f, const double *x, double *y) {
  for (int i = 0; i < f->stages; i++) {
    y[i] = 0;
    for (int j = 0; j < i; j++) y[i] += f->A[i][j] * x[j];
  }
}

static void multiply(int n, const double *x, const double *y, double *z) {
  for (int i = 0; i < n; i++) z[i] = x[i] * y[i];
}

/* w.phi for the 17 trees up to order 5 (Hairer, Norsett, Wanner II.2), with their orders and
   1/gamma */
enum { TREES = 17, TALL = 16 };
static const int order_of[TREES] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5};
static const double gamma_of[TREES] = {1,  2,  3,  6,  4,  8,  12, 24, 5,
                                       10, 15, 30, 20, 20, 40, 60, 120};

static void weights(const full *f, const double *w, double *out) {
  double phi[TREES][STAGES], work[STAGES];
  const int n = f->stages;
  for (int i = 0; i < n; i++) phi[0][i] = 1;
  for (int i = 0; i < n; i++) phi[1][i] = f->c[i];
  multiply(n, f->c, f->c, phi[2]);
  times(f, f->c, phi[3]);
  multiply(n, phi[2], f->c, phi[4]);
  multiply(n, f->c, phi[3], phi[5]);
  times(f, phi[2], phi[6]);
  times(f, phi[3], phi[7]);
  multiply(n, phi[4], f->c, phi[8]);
  multiply(n, phi[2], phi[3], phi[9]);
  multiply(n, f->c, phi[6], phi[10]);
  multiply(n, f->c, phi[7], phi[11]);
  multiply(n, phi[3], phi[3], phi[12]);
  times(f, phi[4], phi[13]);
  multiply(n, f->c, phi[3], work);
  times(f, work, phi[14]);
  times(f, phi[6], phi[15]);
  times(f, phi[7], phi[16]);
  for (int k = 0; k < TREES; k++) {
    out[k] = 0;
    for (int i = 0; i < n; i++) out[k] += w[i] * phi[k][i];
  }
}

/* sums of at most 13 products of numbers up to about 10 (dop853): rounding below 1e-13 */
static const double rounding = 1e-13;

static void conditions(void) {
  static const char *const names[] = {"euler", "midpoint", "heun",  "rk4",
                                      "wave4", "dopri5",   "dop853"};
  for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
    const dae_explicit_tableau *t = dae_step_explicit_find(dae_method_find(names[m]));
    full f = fill(t);
    double value[TREES], error[TREES];
    weights(&f, f.b, value);
    for (int i = 0; i < f.stages; i++) {
      double sum = 0;
      for (int j = 0; j < i; j++) sum += f.A[i][j];
      CHECK_NEAR(sum, f.c[i], rounding);
    }
    int wrong = 0;
    for (int k = 0; k < TREES; k++)
      if (order_of[k] <= t->method.order) CHECK_NEAR(value[k], 1 / gamma_of[k], rounding);
      else if (order_of[k] == t->method.order + 1) wrong += fabs(value[k] - 1 / gamma_of[k]) > 1e-6;
    /* the order is not higher than it says */
    if (t->method.order < 5) CHECK(wrong > 0);
    if (!t->e || t->e3) continue;
    /* the estimate vanishes up to its order, and not beyond */
    weights(&f, t->e, error);
    double next = 0;
    for (int k = 0; k < TREES; k++)
      if (order_of[k] <= t->method.estimate) CHECK_NEAR(error[k], 0, rounding);
      else if (order_of[k] == t->method.estimate + 1) next = fmax(next, fabs(error[k]));
    CHECK(next > 1e-6);
  }
}

/* only the condition of the tall tree is given up for stability, and by 2.6 per cent */
static void nearly_order_five(void) {
  full f = fill(&dae_step_wave4);
  double value[TREES];
  weights(&f, f.b, value);
  for (int k = 0; k < TREES; k++)
    if (k != TALL) CHECK_NEAR(value[k], 1 / gamma_of[k], rounding);
  CHECK_NEAR(value[TALL] * gamma_of[TALL], 0.9735, 1e-4);
}

/* R(z) = 1 + z b (1 - z A)^-1 1 */
static double amplification(const full *f, double y) {
  double complex k[STAGES], z = CMPLX(0, y), sum = 1;
  for (int i = 0; i < f->stages; i++) {
    k[i] = 1;
    for (int j = 0; j < i; j++) k[i] += z * f->A[i][j] * k[j];
    sum += z * f->b[i] * k[i];
  }
  return cabs(sum);
}

static void imaginary_axis(void) {
  full wave = fill(&dae_step_wave4), classical = fill(&dae_step_rk4);
  /* what the linear program left between its points is 2e-6 */
  for (int k = 1; k <= 750; k++) CHECK(amplification(&wave, 0.01 * k) <= 1 + 3e-6);
  /* at the end of the axis and not before: there is nothing to be gained by larger steps */
  CHECK(amplification(&wave, 7.9) > 1.1);
  CHECK(amplification(&classical, 2.82) <= 1 && amplification(&classical, 2.85) > 1);
}

int main(void) {
  RUN(conditions);
  RUN(nearly_order_five);
  RUN(imaginary_axis);
  return TEST_END();
}
