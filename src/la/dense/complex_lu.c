/* A = P L U for a general complex matrix */
#include "la/dense/complex_columns.h"
#include "la/la.h"
#include "la/dense/lapack.h"
#include "la/wide.h"

/* beats OpenBLAS up to about 24, the reference LAPACK at any size (bench/bench_la.c): something
   between the two */
enum { OWN_MAX = COMPLEX_MOST };

#ifdef DAE_LA_HAS_LAPACK

static int factor_large(int n, double complex *A, int *pivot) {
  /* LAPACK works by columns; turning A over costs little and keeps the meaning of a zero pivot */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double complex t = A[(size_t)i * n + j];
      A[(size_t)i * n + j] = A[(size_t)j * n + i];
      A[(size_t)j * n + i] = t;
    }
  int info;
  zgetrf_(&n, &n, A, &n, pivot, &info);
  return info;
}

/* false: the factors are of the own kind */
static bool solve_large(int n, const double complex *LU, const int *pivot, double complex *b) {
  int one = 1, info;
  zgetrs_("N", &n, &one, LU, &n, pivot, b, &n, &info, 1);
  return true;
}

#else

/* a column at a time, as there is no room for turned rows of any length */
static int factor_large(int n, double complex *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    if (!take_complex_pivot(n, k, A, pivot)) return k + 1;
    const pair *x = (const pair *)(A + (size_t)k * n);
    for (int i = k + 1; i < n; i++) {
      pair *y = (pair *)(A + (size_t)i * n);
      for (int j = k + 1; j < n; j++) y[j] -= complex_product(y[k], x[j]);
    }
  }
  return 0;
}

static bool solve_large(int n, const double complex *LU, const int *pivot, double complex *b) {
  (void)n, (void)LU, (void)pivot, (void)b;
  return false;
}

#endif

/* few unknowns, each number of them compiled on its own: as factor_complex, column by column */
static DAE_ALWAYS_INLINE int factor_tiny(const int n, double complex *A, int *pivot) {
  DAE_UNROLL
  for (int k = 0; k < n; k++) {
    const pair *x = (const pair *)(A + k * n);
    if (!take_complex_pivot(n, k, A, pivot)) return k + 1;
    for (int i = k + 1; i < n; i++) {
      pair *y = (pair *)(A + i * n);
      for (int j = k + 1; j < n; j++) y[j] -= complex_product(y[k], x[j]);
    }
  }
  return 0;
}

static DAE_ALWAYS_INLINE void solve_tiny(const int n, const double complex *LU, const int *pivot,
                                         double complex *b) {
  pair *x = (pair *)b;
  for (int i = 0; i < n; i++) {
    const pair t = x[pivot[i]];
    x[pivot[i]] = x[i];
    x[i] = t;
  }
  DAE_UNROLL
  for (int i = 1; i < n; i++) {
    const pair *l = (const pair *)(LU + i * n);
    pair sum = x[i];
    for (int j = 0; j < i; j++) sum -= complex_product(l[j], x[j]);
    x[i] = sum;
  }
  DAE_UNROLL
  for (int i = n - 1; i >= 0; i--) {
    const pair *u = (const pair *)(LU + i * n);
    pair sum = x[i];
    for (int j = i + 1; j < n; j++) sum -= complex_product(u[j], x[j]);
    x[i] = complex_product(u[i], sum);
  }
}

int dae_la_lu_complex(int n, double complex *A, int *pivot) {
  switch (n) {
    case 1: return factor_tiny(1, A, pivot);
    case 2: return factor_tiny(2, A, pivot);
    case 3: return factor_tiny(3, A, pivot);
    case 4: return factor_tiny(4, A, pivot);
    default: break;
  }
  if (n <= OWN_MAX && DAE_LA_WIDE) return dae_la_complex_wide(n, A, pivot);
  if (n <= OWN_MAX) return factor_complex(n, A, pivot);
  return factor_large(n, A, pivot);
}

/* s := sums of x_j y_j and z_j y_j: two rows at once, as one alone waits for its own last sum */
static void two_dots(int count, const pair *x, const pair *z, const pair *y, pair *s) {
  pair a = {0, 0}, b = a, c = a, d = a;
  for (int j = 0; j < count; j++) {
    const pair v = y[j], w = swapped(v);
    a += x[j] * v, b += x[j] * w;
    c += z[j] * v, d += z[j] * w;
  }
  s[0] = (pair){a[0] - a[1], b[0] + b[1]};
  s[1] = (pair){c[0] - c[1], d[0] + d[1]};
}

/* b := U^-1 L^-1 P' b, two rows at a time */
void dae_la_lu_complex_solve(int n, const double complex *LU, const int *pivot, double complex *b) {
  switch (n) {
    case 1: solve_tiny(1, LU, pivot, b); return;
    case 2: solve_tiny(2, LU, pivot, b); return;
    case 3: solve_tiny(3, LU, pivot, b); return;
    case 4: solve_tiny(4, LU, pivot, b); return;
    case 5: solve_tiny(5, LU, pivot, b); return;
    case 6: solve_tiny(6, LU, pivot, b); return;
    case 7: solve_tiny(7, LU, pivot, b); return;
    case 8: solve_tiny(8, LU, pivot, b); return;
    default: break;
  }
  if (n > OWN_MAX && solve_large(n, LU, pivot, b)) return;
  for (int i = 0; i < n; i++) {
    double complex t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
  const pair *row = (const pair *)LU;
  pair *x = (pair *)b, s[2];
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    const pair *l = row + (size_t)i * n;
    two_dots(i, l, l + n, x, s);
    x[i] -= s[0];
    x[i + 1] = x[i + 1] - s[1] - complex_product(l[n + i], x[i]);
  }
  if (i < n) {
    two_dots(i, row + (size_t)i * n, row + (size_t)i * n, x, s);
    x[i] -= s[0];
  }
  for (i = n - 2; i >= 0; i -= 2) {
    const pair *u = row + (size_t)i * n, *v = u + n;
    two_dots(n - i - 2, u + i + 2, v + i + 2, x + i + 2, s);
    x[i + 1] = complex_product(v[i + 1], x[i + 1] - s[1]);
    x[i] = complex_product(u[i], x[i] - s[0] - complex_product(u[i + 1], x[i + 1]));
  }
  if (i == -1) {
    two_dots(n - 1, row + 1, row + 1, x + 1, s);
    x[0] = complex_product(row[0], x[0] - s[0]);
  }
}
