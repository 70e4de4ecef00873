/* eigenvalues and eigenvectors of the small matrix A^-1 of a Runge-Kutta method, to full
   accuracy */
#include <math.h>

#include "step/tableau.h"

typedef long double complex number;

/* characteristic polynomial by Faddeev and LeVerrier: lambda^n + p[n-1] lambda^(n-1) + .. + p[0] */
static void characteristic(int n, long double A[DAE_STAGES_MAX][DAE_STAGES_MAX], long double *p) {
  long double N[DAE_STAGES_MAX][DAE_STAGES_MAX] = {{0}}, next[DAE_STAGES_MAX][DAE_STAGES_MAX];
  long double last = 1;
  for (int k = 1; k <= n; k++) {
    long double trace = 0;
    for (int i = 0; i < n; i++) N[i][i] += last;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        next[i][j] = 0;
        for (int l = 0; l < n; l++) next[i][j] += A[i][l] * N[l][j];
      }
    for (int i = 0; i < n; i++) {
      trace += next[i][i];
      for (int j = 0; j < n; j++) N[i][j] = next[i][j];
    }
    last = p[n - k] = -trace / k;
  }
}

/* all zeros at once (Weierstrass iteration); they are simple and well apart */
static void zeros(int n, const long double *p, number *x) {
  long double size = powl(fabsl(p[0]), 1.0L / n);
  for (int i = 0; i < n; i++) x[i] = size * cpowl(0.4L + 0.9L * I, i);
  bool settled = false;
  for (int k = 0; k < 200 && !settled; k++) {
    settled = true;
    for (int i = 0; i < n; i++) {
      number value = 1, others = 1;
      for (int j = n - 1; j >= 0; j--) value = value * x[i] + p[j];
      for (int j = 0; j < n; j++)
        if (j != i) others *= x[i] - x[j];
      number change = value / others;
      x[i] -= change;
      settled = settled && cabsl(change) < 1e-18L * cabsl(x[i]);
    }
  }
}

/* null vector of A - lambda with last entry 1; transposed: of A' - lambda */
static void null_vector(int n, long double A[DAE_STAGES_MAX][DAE_STAGES_MAX], bool transposed,
                        number lambda, number *x) {
  number B[DAE_STAGES_MAX][DAE_STAGES_MAX];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i][j] = (transposed ? A[j][i] : A[i][j]) - (i == j ? lambda : 0);
  for (int k = 0; k < n - 1; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (cabsl(B[i][k]) > cabsl(B[p][k])) p = i;
    for (int j = 0; j < n; j++) {
      number swap = B[k][j];
      B[k][j] = B[p][j], B[p][j] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      number factor = B[i][k] / B[k][k];
      for (int j = k; j < n; j++) B[i][j] -= factor * B[k][j];
    }
  }
  x[n - 1] = 1;
  for (int i = n - 2; i >= 0; i--) {
    x[i] = -B[i][n - 1];
    for (int j = i + 1; j < n - 1; j++) x[i] -= B[i][j] * x[j];
    x[i] /= B[i][i];
  }
}

void dae_step_spectrum(dae_rk_tableau *t, long double inverse[DAE_STAGES_MAX][DAE_STAGES_MAX]) {
  const int n = t->stages;
  long double p[DAE_STAGES_MAX] = {0};
  number x[DAE_STAGES_MAX], right[DAE_STAGES_MAX], left[DAE_STAGES_MAX];
  characteristic(n, inverse, p);
  zeros(n, p, x);
  t->eigenvalues = t->real = 0;
  /* real ones first, then each pair once */
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < n; k++) {
      bool is_real = fabsl(cimagl(x[k])) < 1e-10L * cabsl(x[k]);
      if (is_real != (pass == 0) || (!is_real && cimagl(x[k]) < 0)) continue;
      number lambda = is_real ? creall(x[k]) : x[k], product = 0;
      null_vector(n, inverse, false, lambda, right);
      null_vector(n, inverse, true, lambda, left);
      for (int i = 0; i < n; i++) product += left[i] * right[i];
      const int e = t->eigenvalues++;
      t->real += is_real;
      t->eigenvalue[e] = (double complex)lambda;
      for (int i = 0; i < n; i++) {
        t->right[i][e] = (double complex)right[i];
        t->left[e][i] = (double complex)(left[i] / product);
      }
    }
}
