/* dense factorizations against identities that do not use them */
#include "la/dense/columns.h"
#include "la/dense/combine.h"
#include "la/dense/complex_columns.h"
#include "la/la.h"
#include "la/dense/product.h"
#include "la_data.h"
#include "test.h"

enum { MOST = 150 };

static double A[MOST * MOST], F[MOST * MOST], B[MOST * MOST], b[MOST], x[MOST], y[MOST],
    work[64 * MOST];
static int pivot[MOST], perm[MOST];

/* both sides of the change from one block to many, or from own kernels to LAPACK */
static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 31, 32, 33, 63, 64, 65, 97, 150};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* partial pivoting is backward stable: residual <= growth * n * eps * |A| |x|; growth of random
   ones < 10 */
static double bound(int n, double norm_x) { return 1e-14 * (n + 1) * (1 + norm_x); }

static void transpose_to(int n, const double *from, double *to) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) to[j * n + i] = from[i * n + j];
}

static void test_lu(void) {
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    fill_random(n * n, A);
    fill_random(n, b);
    memcpy(F, A, sizeof F);
    CHECK(dae_la_lu(n, F, pivot) == 0);
    memcpy(x, b, sizeof x);
    dae_la_lu_solve(n, F, pivot, x);
    CHECK(residual(n, n, A, x, b) <= bound(n, dae_la_norm_max(n, x)));
    memcpy(x, b, sizeof x);
    dae_la_lu_solve_t(n, F, pivot, x);
    transpose_to(n, A, B);
    CHECK(residual(n, n, B, x, b) <= bound(n, dae_la_norm_max(n, x)));
  }
}

/* three of five columns are solved for; the others are not touched */
static void test_lu_many(void) {
  enum { COUNT = 3, WIDTH = 5 };
  static double X[MOST * WIDTH], right[MOST * WIDTH];
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    fill_random(n * n, A);
    fill_random(n * WIDTH, right);
    memcpy(F, A, sizeof F);
    memcpy(X, right, sizeof X);
    CHECK(dae_la_lu(n, F, pivot) == 0);
    dae_la_lu_solve_many(n, F, pivot, COUNT, WIDTH, X);
    for (int c = 0; c < WIDTH; c++) {
      for (int i = 0; i < n; i++) x[i] = X[i * WIDTH + c], b[i] = right[i * WIDTH + c];
      if (c < COUNT) CHECK(residual(n, n, A, x, b) <= bound(n, dae_la_norm_max(n, x)));
      for (int i = 0; c >= COUNT && i < n; i++) CHECK(x[i] == b[i]);
    }
  }
}

/* C - A B of small integers, where nothing is rounded; rows longer than what is multiplied, sizes
   around those of tiles (4 x 8) and of what is taken of B at a time (64), and what is beside C */
static void test_product(void) {
  enum { LONG = 90 };
  static const int few[] = {0, 1, 3, 4, 5, 8, 9, 23}, deep[] = {0, 1, 2, 63, 64, 65};
  for (int i = 0; i < LONG * LONG; i++) {
    A[i] = floor(8 * random_value());
    B[i] = floor(8 * random_value());
  }
  for (int i = 0; i < 8 * 8 * 6; i++) {
    int rows = few[i % 8], cols = few[i / 8 % 8], depth = deep[i / 64];
    memset(F, 0, sizeof F);
    dae_la_part left = {A, LONG}, right = {B, LONG - 1};
    dae_la_subtract_product(rows, cols, depth, left, right, F, LONG - 2);
    for (int r = 0; r <= rows; r++)
      for (int c = 0; c <= cols; c++) {
        double sum = 0;
        for (int k = 0; k < depth; k++) sum -= A[r * LONG + k] * B[k * (LONG - 1) + c];
        CHECK(F[r * (LONG - 2) + c] == (r < rows && c < cols ? sum : 0));
      }
  }
}

/* column c is the sum of two others: the elimination must stop there and nowhere else */
static void test_lu_singular(void) {
  for (int s = 3; s < SIZES; s++) {
    int n = sizes[s], c = n / 2;
    for (int i = 0; i < n * n; i++) A[i] = floor(8 * random_value());
    for (int i = 0; i < n; i++) A[i * n + c] = 0;
    CHECK(dae_la_lu(n, A, pivot) == c + 1);
  }
}

/* |A^-1| from n solves; the estimate is a lower bound of it, in practice within a factor 3 */
static double true_rcond(int n) {
  double top = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) x[i] = i == j;
    dae_la_lu_solve(n, F, pivot, x);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(x[i]);
    if (sum > top) top = sum;
  }
  return 1 / (top * dae_la_norm1(n, A));
}

static void test_rcond(void) {
  for (int s = 1; s < SIZES; s++) {
    int n = sizes[s];
    fill_random(n * n, A);
    memcpy(F, A, sizeof F);
    dae_la_lu(n, F, pivot);
    double estimate = dae_la_lu_rcond(n, F, pivot, dae_la_norm1(n, A), work), exact = true_rcond(n);
    CHECK(estimate >= exact * (1 - 1e-10));
    CHECK(estimate <= 3 * exact);
    /* no entry of A exceeds 1, so no pivot exceeds the growth, which is below n for random
       matrices */
    double low, high;
    dae_la_lu_pivots(n, F, &low, &high);
    CHECK(low > 0 && low <= high && high <= n);
  }
  /* Hilbert's matrix of order 8 has the 1-norm condition 3.3872791e10 (Higham 2002, section
     28.1) */
  int n = 8;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = 1.0 / (i + j + 1);
  memcpy(F, A, sizeof F);
  dae_la_lu(n, F, pivot);
  CHECK_NEAR(dae_la_lu_rcond(n, F, pivot, dae_la_norm1(n, A), work) * 3.3872791e10, 1, 1e-4);
}

static void test_complex(void) {
  static double complex Z[MOST * MOST], L[MOST * MOST], u[MOST], v[MOST];
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    for (int i = 0; i < n * n; i++) Z[i] = L[i] = CMPLX(random_value(), random_value());
    for (int i = 0; i < n; i++) u[i] = v[i] = CMPLX(random_value(), random_value());
    CHECK(dae_la_lu_complex(n, L, pivot) == 0);
    dae_la_lu_complex_solve(n, L, pivot, v);
    double top = 0, size = 0;
    for (int i = 0; i < n; i++) {
      double complex sum = -u[i];
      for (int j = 0; j < n; j++) sum += Z[i * n + j] * v[j];
      top = fmax(top, cabs(sum));
      size = fmax(size, cabs(v[i]));
    }
    CHECK(top <= bound(n, size));
  }
  for (int i = 0; i < 81; i++) L[i] = i % 9 == 4 ? 0 : CMPLX(random_value(), random_value());
  CHECK(dae_la_lu_complex(9, L, pivot) == 5);
}

static void test_chol(void) {
  for (int s = 0; s < SIZES; s++) {
    int n = sizes[s];
    fill_definite(n, A, 0.3);
    memcpy(F, A, sizeof F);
    fill_random(n, b);
    CHECK(dae_la_chol(n, F) == 0);
    /* A = L L', entry by entry */
    double top = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        long double sum = 0;
        for (int k = 0; k <= j; k++) sum += (long double)F[i * n + k] * F[j * n + k];
        top = fmax(top, fabs((double)sum - A[i * n + j]));
      }
    CHECK(top <= 1e-15 * (n + 1) * (n + 1));
    /* the two halves are the whole, and solve */
    memcpy(x, b, sizeof x);
    memcpy(y, b, sizeof y);
    dae_la_chol_solve(n, F, x);
    dae_la_chol_forward(n, F, y);
    double square = 0, product = 0;
    for (int i = 0; i < n; i++) square += y[i] * y[i], product += b[i] * x[i];
    CHECK_NEAR(square, product, 1e-12 * (1 + product)); /* |L^-1 b|^2 = b' A^-1 b */
    dae_la_chol_backward(n, F, y);
    for (int i = 0; i < n; i++) CHECK(x[i] == y[i]);
    /* |A| <= n, and |x| / |b| <= 1/0.3 */
    CHECK(residual(n, n, A, x, b) <= 1e-14 * (n + 1) * (n + 1));
  }
}

/* the leading minor of order k + 1 is the first that is not positive */
static void test_chol_indefinite(void) {
  for (int s = 2; s < SIZES; s++) {
    int n = sizes[s], k = n - 1 - n / 3;
    fill_definite(n, A, 1.7);
    A[k * n + k] = -0.013;
    CHECK(dae_la_chol(n, A) == k + 1);
  }
}

/* rows x cols of given rank: product of two random factors */
static void fill_rank(int rows, int cols, int rank, double *M) {
  static double P[MOST * MOST], Q[MOST * MOST];
  fill_random(rows * rank, P);
  fill_random(rank * cols, Q);
  dae_la_matmul(rows, rank, cols, P, Q, M);
}

static void check_qr(int rows, int cols, int rank) {
  static double tau[MOST], solution[MOST], image[MOST];
  fill_rank(rows, cols, rank, A);
  memcpy(F, A, sizeof F);
  int found = dae_la_qr_rank(rows, cols, F, 1e-11, perm, tau, work);
  CHECK(found == rank);
  /* a consistent right-hand side, and the shorter of two solutions */
  fill_random(cols, y);
  dae_la_mul(rows, cols, A, y, image);
  dae_la_qr_min_norm(cols, found, F, perm, tau, image, solution, work);
  CHECK(residual(rows, cols, A, solution, image) <= 1e-9 * (1 + rows));
  double longer = 0, shorter = 0, cross = 0;
  for (int j = 0; j < cols; j++) {
    longer += y[j] * y[j];
    shorter += solution[j] * solution[j];
    cross += solution[j] * (y[j] - solution[j]);
  }
  /* the difference of two solutions is orthogonal to the shortest one */
  CHECK_NEAR(cross, 0, 1e-8 * (1 + longer));
  CHECK(shorter <= longer * (1 + 1e-12));
}

/* vectors with few entries, where reflections go by lists: the last is a sum of two others */
static void test_qr_sparse(void) {
  enum { ROWS = 12, COLS = 40 };
  static double tau[MOST];
  for (int last = 0; last < 2; last++) {
    memset(F, 0, sizeof F);
    for (int i = 0; i < ROWS - 1; i++)
      for (int k = 0; k < 4; k++) F[i * COLS + (3 * i + k) % COLS] = 1 + 0.3 * k + 0.1 * i;
    double *sum = F + (ROWS - 1) * COLS;
    for (int j = 0; j < COLS; j++) sum[j] = F[2 * COLS + j] - 0.5 * F[7 * COLS + j];
    sum[COLS - 1] += last;
    memcpy(A, F, sizeof A);
    CHECK(dae_la_qr_rank(ROWS, COLS, F, 1e-11, perm, tau, work) == ROWS - 1 + last);
    /* |R| has the norms of the rows: Q is orthogonal */
    for (int i = 0; i < ROWS - 1; i++)
      CHECK_NEAR(dae_la_norm2(i + 1, F + i * COLS), dae_la_norm2(COLS, A + perm[i] * COLS), 1e-14);
  }
}

static void test_qr(void) {
  check_qr(1, 1, 1);
  check_qr(3, 7, 3);
  check_qr(7, 3, 3);
  check_qr(9, 9, 4);
  check_qr(12, 31, 11);
  check_qr(40, 25, 17);
  check_qr(6, 5, 1);
  double zero[6] = {0}, tau[3];
  CHECK(dae_la_qr_rank(2, 3, zero, 1e-12, perm, tau, work) == 0);
  CHECK(dae_la_qr_rank(0, 3, zero, 1e-12, perm, tau, work) == 0);
  /* no overflow or underflow in the norms */
  double wild[6] = {3e200, 4e200, 0, 1e-200, 2e-200, -3e-200};
  CHECK(dae_la_qr_rank(2, 3, wild, 0, perm, tau, work) == 2);
  CHECK_NEAR(fabs(wild[0]) / 5e200, 1, 1e-14);
  CHECK(perm[0] == 0 && perm[1] == 1);
}

static void test_svd(void) {
  /* Kahan's 2 x 2: [1 1; 0 e] has the product of singular values e and the sum of squares 2 +
     e^2 */
  double e = 3e-5, K[4] = {1, 1, 0, e}, sigma[MOST];
  CHECK(dae_la_svd(2, 2, K, sigma) == 0);
  CHECK_NEAR(sigma[0] * sigma[1] / e, 1, 1e-11);
  CHECK_NEAR(sigma[0] * sigma[0] + sigma[1] * sigma[1], 2 + e * e, 1e-14);
  /* the sum of squares is the Frobenius norm, whatever the shape */
  int shapes[][2] = {{5, 11}, {11, 5}, {1, 6}, {6, 1}, {40, 40}};
  for (int s = 0; s < 5; s++) {
    int rows = shapes[s][0], cols = shapes[s][1], low = rows < cols ? rows : cols;
    double square = 0, sum = 0;
    fill_random(rows * cols, A);
    for (int i = 0; i < rows * cols; i++) square += A[i] * A[i];
    CHECK(dae_la_svd(rows, cols, A, sigma) == 0);
    for (int i = 0; i < low; i++) sum += sigma[i] * sigma[i];
    for (int i = 1; i < low; i++) CHECK(sigma[i] <= sigma[i - 1]);
    CHECK_NEAR(sum, square, 1e-13 * square);
  }
  CHECK(dae_la_svd(0, 4, A, sigma) == 0);
  /* Hilbert's matrix of order 3: the eigenvalues are the roots of its characteristic polynomial
     x^3 - 23/15 x^2 + 127/720 x - 1/2160; squares of 1e200 would overflow */
  for (int i = 0; i < 9; i++) A[i] = 1e200 / (i / 3 + i % 3 + 1);
  CHECK(dae_la_svd(3, 3, A, sigma) == 0);
  for (int i = 0; i < 3; i++) {
    double r = sigma[i] / 1e200;
    CHECK_NEAR(((r - 23.0 / 15) * r + 127.0 / 720) * r, 1.0 / 2160, 1e-15);
  }
  A[4] = NAN;
  CHECK(dae_la_svd(3, 3, A, sigma) == 1);
}

static void test_norm2(void) {
  double plain[3] = {2, -3, 6}, huge[2] = {3e300, -4e300}, tiny[3] = {2e-300, -3e-300, 6e-300},
         zero[2] = {0};
  CHECK_NEAR(dae_la_norm2(3, plain), 7, 1e-15);
  CHECK_NEAR(dae_la_norm2(2, huge) / 5e300, 1, 1e-15);
  CHECK_NEAR(dae_la_norm2(3, tiny) / 7e-300, 1, 1e-15);
  CHECK(dae_la_norm2(2, zero) == 0);
}

static void test_products(void) {
  double M[6] = {1.5, -2, 0.25, 3, 7, -0.5}, v[3] = {2, -1, 4}, w[2] = {-3, 0.5}, out[9];
  dae_la_mul(2, 3, M, v, out);
  CHECK(out[0] == 6 && out[1] == -3);
  dae_la_mul_t(2, 3, M, w, out);
  CHECK(out[0] == -3 && out[1] == 9.5 && out[2] == -1);
  double N[6] = {2, 1, 0, -4, 8, 0.5};
  dae_la_matmul(2, 3, 2, M, N, out);
  CHECK(out[0] == 5 && out[1] == 9.625 && out[2] == 2 && out[3] == -25.25);
  CHECK(dae_la_norm_max(6, M) == 7);
  CHECK(dae_la_norm_max(0, M) == 0);
  double bad[3] = {1, NAN, 3};
  CHECK(isnan(dae_la_norm_max(3, bad)));
  double S[4] = {1, -5, 2, 4};
  CHECK(dae_la_norm1(2, S) == 9);
}

/* each size takes another way through the blocks; sums of small binary fractions are exact in any
   order */
static void test_combine(void) {
  double z[23], k[3][23], out[24];
  const double weight[3] = {0.5, -3, 1.25};
  dae_la_sum terms = {.a = {0.5, -3, 1.25}, .k = {k[0], k[1], k[2]}};
  for (int i = 0; i < 23; i++) {
    z[i] = 0.75 * i - 7;
    for (int j = 0; j < 3; j++) k[j][i] = (i * (j + 3)) % 11 - 0.25 * j;
  }
  for (int n = 0; n <= 23; n++)
    for (int count = 0; count <= 3; count++) {
      double wrong = 0;
      terms.count = count;
      out[n] = 41;
      dae_la_combine(n, z, 0.125, &terms, out);
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++) sum += weight[j] * k[j][i];
        wrong += out[i] != z[i] + 0.125 * sum;
      }
      dae_la_combine(n, NULL, -2, &terms, out);
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++) sum += weight[j] * k[j][i];
        wrong += out[i] != -2 * sum;
      }
      CHECK(wrong == 0 && out[n] == 41);
    }
}

/* the kernel as any processor runs it, compiled here, and the one that this processor gets: not a
   digit differs */
static void test_combine_alike(void) {
  enum { N = 53, COUNT = 13 };
  double z[N], k[COUNT][N], here[N], there[N];
  dae_la_sum sum;
  fill_random(N, z), fill_random(COUNT, sum.a);
  for (int j = 0; j < COUNT; j++) fill_random(N, k[j]), sum.k[j] = k[j];
  for (int n = 1; n <= N; n++)
    for (sum.count = 1; sum.count <= COUNT; sum.count++) {
      combine(n, z, 0.37, &sum, here);
      dae_la_combine(n, z, 0.37, &sum, there);
      CHECK(memcmp(here, there, (size_t)n * sizeof *here) == 0);
    }
}

/* likewise for products: whole tiles, rows and columns beside them, more than one depth of B */
static void test_product_alike(void) {
  enum { ROWS = 23, COLS = 21, DEPTH = 70 };
  static double here[ROWS * COLS], there[ROWS * COLS];
  fill_random(ROWS * DEPTH, A), fill_random(DEPTH * COLS, B), fill_random(ROWS * COLS, here);
  memcpy(there, here, sizeof here);
  dae_la_part left = {A, DEPTH}, right = {B, COLS};
  subtract_product(ROWS, COLS, DEPTH, left, right, here, COLS);
  dae_la_subtract_product(ROWS, COLS, DEPTH, left, right, there, COLS);
  CHECK(memcmp(here, there, sizeof here) == 0);
}

/* likewise for elimination, real and complex */
static void test_lu_alike(void) {
  enum { N = 37 };
  static double here[N * N], there[N * N];
  static double complex Z[N * N], W[N * N];
  int p[N], q[N];
  for (int n = 1; n <= N; n++) {
    fill_random(n * n, here);
    memcpy(there, here, sizeof here);
    CHECK(factor_columns(n, 0, n, here, p) == 0 && dae_la_lu(n, there, q) == 0);
    CHECK(memcmp(here, there, (size_t)(n * n) * sizeof *here) == 0);
    CHECK(memcmp(p, q, (size_t)n * sizeof *p) == 0);
    fill_random(2 * n * n, (double *)Z);
    memcpy(W, Z, sizeof Z);
    CHECK(factor_complex(n, Z, p) == 0 && dae_la_lu_complex(n, W, q) == 0);
    CHECK(memcmp(Z, W, (size_t)(n * n) * sizeof *Z) == 0);
    CHECK(memcmp(p, q, (size_t)n * sizeof *p) == 0);
  }
}

int main(void) {
  RUN(test_combine_alike);
  RUN(test_product_alike);
  RUN(test_lu_alike);
  RUN(test_lu);
  RUN(test_lu_many);
  RUN(test_product);
  RUN(test_lu_singular);
  RUN(test_rcond);
  RUN(test_complex);
  RUN(test_chol);
  RUN(test_chol_indefinite);
  RUN(test_qr);
  RUN(test_qr_sparse);
  RUN(test_svd);
  RUN(test_norm2);
  RUN(test_products);
  RUN(test_combine);
  return TEST_END();
}
