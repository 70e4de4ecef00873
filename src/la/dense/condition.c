/* the condition of a factored matrix, estimated by a few solves */
#include <math.h>

#include "la/la.h"

/* index of the largest |x_i| */
static int largest(int n, const double *x) {
  int j = 0;
  for (int i = 1; i < n; i++)
    if (fabs(x[i]) > fabs(x[j])) j = i;
  return j;
}

static double sum_abs(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

/* the vector +-(1 + i/(n-1)): it meets the matrices that mislead the iteration below */
static double alternating(int n, dae_la_apply *solve, const void *ctx, double *x) {
  for (int i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
  solve(ctx, x);
  return 2 * sum_abs(n, x) / (3.0 * n);
}

/*
 * |A^-1|_1 = max |A^-1 x|_1 over |x|_1 = 1: climb from x to the best unit vector that the gradient
 * A^-T sign(A^-1 x) points to (Hager 1984; alternating vector by Higham 1988). Work of 2n.
 */
double dae_la_inverse_norm1(int n, dae_la_apply *solve, dae_la_apply *solve_t, const void *ctx,
                            double *work) {
  double *x = work, *z = work + n, best = 0;
  int at = -1;
  for (int i = 0; i < n; i++) x[i] = 1.0 / n;
  for (int pass = 0; pass < 5; pass++) {
    solve(ctx, x);
    double norm = sum_abs(n, x);
    if (!(norm > best)) break;
    best = norm;
    for (int i = 0; i < n; i++) z[i] = x[i] < 0 ? -1 : 1;
    solve_t(ctx, z);
    int j = largest(n, z);
    if (j == at) break;
    at = j;
    for (int i = 0; i < n; i++) x[i] = i == j;
  }
  double other = alternating(n, solve, ctx, x);
  return other > best ? other : best;
}

/* a real LU factorization as an operator */
typedef struct lu_pair {
  int n;
  const double *LU;
  const int *pivot;
} lu_pair;

static void lu_apply(const void *ctx, double *b) {
  const lu_pair *f = ctx;
  dae_la_lu_solve(f->n, f->LU, f->pivot, b);
}

static void lu_apply_t(const void *ctx, double *b) {
  const lu_pair *f = ctx;
  dae_la_lu_solve_t(f->n, f->LU, f->pivot, b);
}

double dae_la_lu_rcond(int n, const double *LU, const int *pivot, double anorm, double *work) {
  if (n == 0) return 1;
  double inverse = dae_la_inverse_norm1(n, lu_apply, lu_apply_t, &(lu_pair){n, LU, pivot}, work);
  double product = anorm * inverse;
  return product > 0 && isfinite(product) ? 1 / product : 0;
}

int dae_la_lu_sign(int n, const double *LU, const int *pivot) {
  bool minus = false;
  for (int i = 0; i < n; i++) minus ^= (LU[(size_t)i * (size_t)(n + 1)] < 0) ^ (pivot[i] != i);
  return minus ? -1 : 1;
}
