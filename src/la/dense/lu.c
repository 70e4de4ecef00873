/* A = P L U for a general real matrix */
#include <math.h>

#include "la/dense/columns.h"
#include "la/la.h"
#include "la/wide.h"

/* matrices up to SMALL are one block (bench/bench_la.c) */
enum { SMALL = 64, BLOCK = 32 };

/* row -= sum_j a_j B_j, first <= j < end */
static void subtract_rows(int first, int end, const double *a, int count, int width,
                          const double *B, double *row) {
  int j = first;
  for (; j + 2 <= end; j += 2) {
    const double *b = B + (size_t)j * width;
    dae_la_subtract2(count, a[j], b, a[j + 1], b + width, row);
  }
  if (j < end) dae_la_subtract(count, a[j], B + (size_t)j * width, row);
}

static int eliminate(int n, int from, int to, double *A, int *pivot) {
  return DAE_LA_WIDE ? dae_la_columns_wide(n, from, to, A, pivot)
                     : factor_columns(n, from, to, A, pivot);
}

/* few unknowns, each number of them compiled on its own: as factor_columns, column by column */
static DAE_ALWAYS_INLINE int factor_tiny(const int n, double *A, int *pivot) {
  DAE_UNROLL
  for (int k = 0; k < n; k++) {
    double *row = A + k * n;
    if (!take_pivot(n, k, A, pivot)) return k + 1;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * row[j];
  }
  return 0;
}

/* small matrices in one block; large ones by blocks of columns, whose rows are then taken from all
   that is right of and below them */
int dae_la_lu(int n, double *A, int *pivot) {
  switch (n) {
    case 1: return factor_tiny(1, A, pivot);
    case 2: return factor_tiny(2, A, pivot);
    case 3: return factor_tiny(3, A, pivot);
    case 4: return factor_tiny(4, A, pivot);
    case 5: return factor_tiny(5, A, pivot);
    case 6: return factor_tiny(6, A, pivot);
    case 7: return factor_tiny(7, A, pivot);
    case 8: return factor_tiny(8, A, pivot);
    default: break;
  }
  if (n <= SMALL) return eliminate(n, 0, n, A, pivot);
  for (int k = 0; k < n; k += BLOCK) {
    int end = k + BLOCK < n ? k + BLOCK : n, zero = eliminate(n, k, end, A, pivot);
    if (zero) return zero;
    double *right = A + end;
    for (int i = k + 1; i < end; i++)
      subtract_rows(k, i, A + (size_t)i * n, n - end, n, right, right + (size_t)i * n);
    dae_la_part left = {A + (size_t)end * n + k, n}, above = {right + (size_t)k * n, n};
    dae_la_subtract_product(n - end, n - end, end - k, left, above, right + (size_t)end * n, n);
  }
  return 0;
}

/* rows i .. i+3 of b := L^-1 b; a is row i of LU. i is a multiple of 4. */
static void forward_four(int n, int i, const double *a, double *b) {
  const double *l = a + n + i, *m = l + n, *o = m + n;
  double s[4], *x = b + i;
  dae_la_dot4(i, a, n, b, s);
  x[0] -= s[0];
  x[1] = x[1] - s[1] - l[0] * x[0];
  x[2] = x[2] - s[2] - m[0] * x[0] - m[1] * x[1];
  x[3] = x[3] - s[3] - o[0] * x[0] - o[1] * x[1] - o[2] * x[2];
}

/* rows i .. i+3 of b := U^-1 b, with 1/u_kk on the diagonal; n - i is a multiple of 4 */
static void backward_four(int n, int i, const double *a, double *b) {
  const double *k = a + i, *l = k + n, *m = l + n, *o = m + n;
  double s[4], *x = b + i;
  dae_la_dot4(n - i - 4, k + 4, n, x + 4, s);
  x[3] = (x[3] - s[3]) * o[3];
  x[2] = (x[2] - s[2] - m[3] * x[3]) * m[2];
  x[1] = (x[1] - s[1] - l[3] * x[3] - l[2] * x[2]) * l[1];
  x[0] = (x[0] - s[0] - k[3] * x[3] - k[2] * x[2] - k[1] * x[1]) * k[0];
}

/* up to three unknowns: each number of them is compiled on its own, as loops of one or two are more
   about themselves than about their numbers */
static DAE_ALWAYS_INLINE void solve_tiny(const int n, const double *LU, const int *pivot,
                                         double *b) {
  for (int i = 0; i < n; i++) {
    const double t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
  for (int i = 1; i < n; i++) {
    double sum = LU[i * n] * b[0];
    for (int j = 1; j < i; j++) sum += LU[i * n + j] * b[j];
    b[i] -= sum;
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = 0;
    for (int j = i + 1; j < n; j++) sum += LU[i * n + j] * b[j];
    b[i] = (b[i] - sum) * LU[i * n + i];
  }
}

/* b := U^-1 L^-1 P' b, four rows at a time */
void dae_la_lu_solve(int n, const double *LU, const int *pivot, double *b) {
  switch (n) {
    case 1: solve_tiny(1, LU, pivot, b); return;
    case 2: solve_tiny(2, LU, pivot, b); return;
    case 3: solve_tiny(3, LU, pivot, b); return;
    default: break;
  }
  for (int i = 0; i < n; i++) {
    double t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
  int i = 0;
  for (; i + 4 <= n; i += 4) forward_four(n, i, LU + (size_t)i * n, b);
  for (; i < n; i++) b[i] -= dae_la_dot(i, LU + (size_t)i * n, b);
  for (i = n - 4; i >= 0; i -= 4) backward_four(n, i, LU + (size_t)i * n, b);
  for (i += 3; i >= 0; i--) {
    const double *row = LU + (size_t)i * n;
    b[i] = (b[i] - dae_la_dot(n - i - 1, row + i + 1, b + i + 1)) * row[i];
  }
}

/* columns up to which they are solved one by one: rows of so few are no work for vectors */
enum { FEW = 3 };

static void solve_few(int n, const double *LU, const int *pivot, int count, int width, double *B) {
  double column[SMALL];
  for (int c = 0; c < count; c++) {
    for (int i = 0; i < n; i++) column[i] = B[(size_t)i * width + c];
    dae_la_lu_solve(n, LU, pivot, column);
    for (int i = 0; i < n; i++) B[(size_t)i * width + c] = column[i];
  }
}

/* block by block; what a block has settled is taken from the rows that are still to come at once */
void dae_la_lu_solve_many(int n, const double *LU, const int *pivot, int count, int width,
                          double *B) {
  if (count <= FEW && n <= SMALL) {
    solve_few(n, LU, pivot, count, width, B);
    return;
  }
  for (int i = 0; i < n; i++)
    if (pivot[i] != i) swap_rows(count, B + (size_t)i * width, B + (size_t)pivot[i] * width);
  int block = n > SMALL ? BLOCK : SMALL, first = 0;
  for (int k = 0; k < n; k += block) {
    int end = k + block < n ? k + block : n;
    for (int i = k; i < end; i++)
      subtract_rows(k, i, LU + (size_t)i * n, count, width, B, B + (size_t)i * width);
    dae_la_part L = {LU + (size_t)end * n + k, n}, above = {B + (size_t)k * width, width};
    dae_la_subtract_product(n - end, count, end - k, L, above, B + (size_t)end * width, width);
    first = k;
  }
  for (int k = first; k >= 0; k -= block) {
    int end = k + block < n ? k + block : n;
    for (int i = end - 1; i >= k; i--) {
      const double *u = LU + (size_t)i * n;
      double *row = B + (size_t)i * width;
      subtract_rows(i + 1, end, u, count, width, B, row);
      for (int c = 0; c < count; c++) row[c] *= u[i];
    }
    dae_la_part U = {LU + k, n}, below = {B + (size_t)k * width, width};
    dae_la_subtract_product(k, count, end - k, U, below, B, width);
  }
}

/* b := P L^-T U^-T b */
void dae_la_lu_solve_t(int n, const double *LU, const int *pivot, double *b) {
  for (int i = 0; i < n; i++) {
    const double *row = LU + (size_t)i * n;
    b[i] *= row[i];
    dae_la_subtract(n - i - 1, b[i], row + i + 1, b + i + 1);
  }
  for (int i = n - 1; i >= 0; i--) {
    dae_la_subtract(i, b[i], LU + (size_t)i * n, b);
    double t = b[pivot[i]];
    b[pivot[i]] = b[i];
    b[i] = t;
  }
}

/* min and max |u_kk| */
void dae_la_lu_pivots(int n, const double *LU, double *low, double *high) {
  *low = INFINITY;
  *high = 0;
  for (int k = 0; k < n; k++) {
    double u = 1 / fabs(LU[(size_t)k * (n + 1)]);
    if (u < *low) *low = u;
    if (u > *high) *high = u;
  }
}
