/* own dense kernels against LAPACK, and the KKT system: ns, best of several runs */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "la/la.h"
#include "la/dense/lapack.h"

enum { MOST = 200 };

static double A[MOST * MOST], F[MOST * MOST], G[MOST * MOST], b[MOST], p[MOST], r[MOST];
static double complex Z[MOST * MOST], W[MOST * MOST];
static int pivot[MOST];

static double random_value(void) {
  static uint64_t s = 88172645463325252u;
  s ^= s << 13;
  s ^= s >> 7;
  s ^= s << 17;
  return (double)(s >> 11) / 4503599627370496.0 - 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of one call: the best of 15 samples of about 1/4 ms */
static double best(void (*run)(int n), int n) {
  double low = 1e300;
  int calls = 1;
  for (int sample = 0; sample < 15; sample++) {
    double begin = now();
    for (int i = 0; i < calls; i++) run(n);
    double each = (now() - begin) / calls;
    if (each < low) low = each;
    calls = each > 250000 ? 1 : (int)(250000 / each) + 1;
  }
  return low;
}

/* symmetric and diagonally dominant: good for all factorizations */
static void fill(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = random_value() + (i == j) * n;
  for (int i = 0; i < n * n; i++) G[i] = random_value();
  for (int i = 0; i < n * n; i++) Z[i] = A[i] + 0.3 * I * random_value();
  for (int i = 0; i < n; i++) b[i] = random_value();
}

/* every variant pays for the same copy of A */
static void load(int n) { memcpy(F, A, (size_t)(n * n) * sizeof *F); }

static void lu_own(int n) {
  load(n);
  dae_la_lu(n, F, pivot);
  memcpy(p, b, (size_t)n * sizeof *p);
  dae_la_lu_solve(n, F, pivot, p);
}

static void lu_lapack(int n) {
  int info, one = 1;
  load(n);
  memcpy(p, b, (size_t)n * sizeof *p);
  dgetrf_(&n, &n, F, &n, pivot, &info);
  dgetrs_("T", &n, &one, F, &n, pivot, p, &n, &info, 1);
}

static void chol_own(int n) {
  load(n);
  dae_la_chol(n, F);
}

static void chol_lapack(int n) {
  int info;
  load(n);
  dpotrf_("U", &n, F, &n, &info, 1);
}

static void complex_own(int n) {
  memcpy(W, Z, (size_t)(n * n) * sizeof *W);
  dae_la_lu_complex(n, W, pivot);
}

static void complex_lapack(int n) {
  int info;
  memcpy(W, Z, (size_t)(n * n) * sizeof *W);
  zgetrf_(&n, &n, W, &n, pivot, &info);
}

static void dense_table(void) {
  static const int sizes[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200};
  printf("ns                LU + solve           Cholesky             complex LU\n");
  printf("  n          own   LAPACK          own   LAPACK          own   LAPACK\n");
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int n = sizes[i];
    fill(n);
    printf("%3d", n);
    void (*runs[])(int) = {lu_own, lu_lapack, chol_own, chol_lapack, complex_own, complex_lapack};
    for (int k = 0; k < 6; k++) printf("%s %8.0f", k % 2 ? "" : "    ", best(runs[k], n));
    printf("\n");
  }
}

static dae_la_kkt *kkt;
/* from the same right-hand side each time, lest it runs away */
static void kkt_solve(int n) {
  memcpy(p, b, (size_t)n * sizeof *p);
  memcpy(r, b, (size_t)n * sizeof *r);
  dae_la_kkt_solve(kkt, p, r);
}

static void kkt_apart(int n) {
  dae_la_kkt_info info;
  dae_la_kkt_factor(kkt, A, G, NULL, false, &info);
  kkt_solve(n);
}

static void kkt_once(int n, bool mass_same) {
  dae_la_kkt_info info;
  memcpy(p, b, (size_t)n * sizeof *p);
  memcpy(r, b, (size_t)n * sizeof *r);
  dae_la_kkt_factor_solve(kkt, A, G, NULL, mass_same, p, r, &info);
}

static void kkt_full(int n) { kkt_once(n, false); }

static void kkt_same_mass(int n) { kkt_once(n, true); }

static void kkt_table(void) {
  static const int sizes[][2] = {{2, 1}, {4, 3}, {7, 6}, {10, 8}, {14, 13}, {20, 11}, {30, 25}};
  printf("\nns of a symmetric KKT system\n  n rows     factor, solve    in one  the same M  M "
         "diagonal   M = I     solve\n");
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int n = sizes[i][0], rows = sizes[i][1];
    fill(n);
    double time[6];
    for (int kind = 0; kind < 3; kind++) {
      dae_pool pool;
      dae_base_pool_init(&pool, NULL);
      dae_la_kkt_shape shape = {.n = n, .rows = rows, .mass_symmetric = true, .symmetric = true};
      shape.mass = kind == 0 ? DAE_LA_DENSE : kind == 1 ? DAE_LA_DIAGONAL : DAE_LA_IDENTITY;
      if (dae_la_kkt_new(&kkt, &pool, &shape) != DAE_OK) exit(1);
      if (kind == 1)
        for (int k = 0; k < n; k++) A[k] = 1 + 0.1 * k;
      time[kind ? kind + 1 : 0] = best(kkt_full, n);
      if (kind == 0)
        time[1] = best(kkt_same_mass, n), time[4] = best(kkt_solve, n),
        time[5] = best(kkt_apart, n);
      dae_base_pool_free(&pool);
    }
    printf("%3d %4d %17.0f %9.0f %11.0f %11.0f %7.0f %9.0f\n", n, rows, time[5], time[0], time[1],
           time[2], time[3], time[4]);
  }
}

/* rods in a chain: each row touches four coordinates */
static void chain_table(void) {
  printf("\nns per row of a chain, M diagonal\n  rows    factor     solve\n");
  for (int rows = 100; rows <= 100000; rows *= 10) {
    int n = 2 * rows, *start = calloc((size_t)rows + 1, sizeof(int)),
        *column = malloc((size_t)rows * 4 * sizeof(int));
    double *values = malloc((size_t)rows * 4 * sizeof(double)),
           *m = malloc((size_t)n * sizeof(double));
    double *x = calloc((size_t)n, sizeof(double)), *y = calloc((size_t)rows, sizeof(double));
    for (int i = 0, at = 0; i < rows; start[++i] = at)
      for (int j = 2 * i - 2; j < 2 * i + 2; j++)
        if (j >= 0) column[at] = j, values[at++] = random_value();
    for (int i = 0; i < n; i++) m[i] = 1.5 + random_value();
    dae_pattern pattern = {rows, n, start, column};
    dae_pool pool;
    dae_base_pool_init(&pool, NULL);
    dae_la_kkt_info info;
    dae_la_kkt_shape shape = {.n = n,
                              .rows = rows,
                              .mass = DAE_LA_DIAGONAL,
                              .mass_symmetric = true,
                              .symmetric = true,
                              .pattern = &pattern};
    if (dae_la_kkt_new(&kkt, &pool, &shape) != DAE_OK) exit(1);
    double factor = 1e300, solve = 1e300;
    for (int round = 0; round < 2000000 / rows + 3 && round < 500; round++) {
      double t0 = now();
      dae_la_kkt_factor(kkt, m, values, NULL, false, &info);
      double t1 = now();
      for (int i = 0; i < rows; i++) y[i] = x[2 * i] = 1, x[2 * i + 1] = -0.7;
      double t2 = now();
      dae_la_kkt_solve(kkt, x, y);
      double t3 = now();
      if (t1 - t0 < factor) factor = t1 - t0;
      if (t3 - t2 < solve) solve = t3 - t2;
    }
    printf("%6d %9.1f %9.1f\n", rows, factor / rows, solve / rows);
    dae_la_kkt_free(kkt);
    dae_base_pool_free(&pool);
    free(start), free(column), free(values), free(m), free(x), free(y);
  }
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "all";
  if (!strcmp(part, "dense") || !strcmp(part, "all")) dense_table();
  if (!strcmp(part, "kkt") || !strcmp(part, "all")) kkt_table();
  if (!strcmp(part, "chain") || !strcmp(part, "all")) chain_table();
  return 0;
}
