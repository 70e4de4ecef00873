/* discretized operators: their matrices are far from orthogonal, so that pivots fall step by step
   without any of them being zero; the index is found all the same */
#include <daedal/daedal.h>
#include <stdlib.h>

#include "test.h"

/*
 * Stokes' equations on a staggered grid of M x M cells, the pressure of the first cell is 0:
 *   u' = L u - G p + r(t),   0 = G' u
 * with u inside, p in all cells but the first. r is such that u is the curl of a stream function on
 * the grid, free of divergence by rounding, and p what we like.
 */
enum { M = 8, U = M * (M - 1), N = 2 * U + M * M - 1, ENTRIES = 9 * N };

static double u(const double *x, int i, int j) {
  if (i < 0 || i >= M - 1) return 0;
  return j < 0 ? -u(x, i, 0) : j >= M ? -u(x, i, M - 1) : x[j * (M - 1) + i];
}
static double v(const double *x, int i, int j) {
  if (j < 0 || j >= M - 1) return 0;
  return i < 0 ? -v(x, 0, j) : i >= M ? -v(x, M - 1, j) : x[U + j * M + i];
}
static double p(const double *x, int i, int j) { return i + j > 0 ? x[2 * U + j * M + i - 1] : 0; }

static void stokes(const double *x, const double *dx, double *F) {
  const double k = M * M;
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M - 1; i++)
      F[j * (M - 1) + i] =
          dx[j * (M - 1) + i] + M * (p(x, i + 1, j) - p(x, i, j)) -
          k * (u(x, i - 1, j) + u(x, i + 1, j) + u(x, i, j - 1) + u(x, i, j + 1) - 4 * u(x, i, j));
  for (int j = 0; j < M - 1; j++)
    for (int i = 0; i < M; i++)
      F[U + j * M + i] =
          dx[U + j * M + i] + M * (p(x, i, j + 1) - p(x, i, j)) -
          k * (v(x, i - 1, j) + v(x, i + 1, j) + v(x, i, j - 1) + v(x, i, j + 1) - 4 * v(x, i, j));
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++)
      if (i + j > 0)
        F[2 * U + j * M + i - 1] = M * (u(x, i, j) - u(x, i - 1, j) + v(x, i, j) - v(x, i, j - 1));
}

static double stream(int i, int j) {
  const double pi = 3.14159265358979;
  const double X = pi * i / M, Y = pi * j / M;
  return sin(X) * sin(X) * sin(Y) * sin(Y) * (1 + 0.3 * sin(2 * X + Y));
}

static void exact(double t, double *x, double *dx) {
  const double size = 0.3 * (1 + 0.5 * sin(3 * t)), rate = 0.45 * cos(3 * t);
  for (int j = 0; j < M; j++)
    for (int i = 0; i < M; i++) {
      const double a = M * (stream(i + 1, j + 1) - stream(i + 1, j)),
                   b = -M * (stream(i + 1, j + 1) - stream(i, j + 1));
      if (i < M - 1) x[j * (M - 1) + i] = size * a, dx[j * (M - 1) + i] = rate * a;
      if (j < M - 1) x[U + j * M + i] = size * b, dx[U + j * M + i] = rate * b;
      if (i + j > 0) x[2 * U + j * M + i - 1] = cos(2. * i / M) * sin(3. * j / M + t);
    }
}

static int F(double t, const double *x, const double *dx, double *out, void *ctx) {
  double own[N], at[N], slope[N] = {0};
  (void)ctx;
  exact(t, at, slope);
  stokes(at, slope, own);
  stokes(x, dx, out);
  for (int i = 0; i < N; i++) out[i] -= own[i];
  return 0;
}

/* columns that show in a row */
static void find_pattern(int *start, int *column) {
  static double touched[N][N];
  double x[N] = {0}, dx[N] = {0};
  int used = 0;
  for (int j = 0; j < N; j++) {
    x[j] = dx[j] = 1;
    stokes(x, dx, touched[j]);
    x[j] = dx[j] = 0;
  }
  for (int i = 0; i < N; start[++i] = used)
    for (int j = 0; j < N; j++)
      if (touched[j][i] != 0 || i == j) column[used++] = j;
}

static void test_stokes(void) {
  static int start[N + 1], column[ENTRIES];
  double x[N], ref[N], unused[N];
  find_pattern(start, column);
  const dae_pattern pattern = {N, N, start, column};
  const dae_problem problem = {
      .kind = DAE_IMPLICIT, .t1 = 1, .implicit = {.n = N, .F = F, .pattern = &pattern}};
  for (double tol = 1e-4; tol > 1e-7; tol /= 100) {
    dae_options o = dae_options_default();
    dae_report report;
    o.rtol = o.atol = tol;
    exact(0, x, unused);
    CHECK(dae_solve(&problem, &o, 0, 1, x, NULL, &report, NULL) == DAE_OK);
    CHECK_STR(report.message, "reached t = 1");
    exact(1, ref, unused);
    double worst = 0;
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(x[i] - ref[i]) / (1 + fabs(ref[i])));
    CHECK_NEAR(worst, 0, 10 * tol);
  }
}

/* two velocities that say the same: the equations do not determine the pressures */
static int twice(double t, const double *x, const double *dx, double *out, void *ctx) {
  F(t, x, dx, out, ctx);
  out[N - 1] = out[2 * U] + out[2 * U + 1];
  return 0;
}

static void test_singular(void) {
  double x[N], unused[N];
  static int start[N + 1], column[ENTRIES + N];
  find_pattern(start, column);
  /* the last row: those of the two it is the sum of */
  start[N] = start[N - 1];
  for (int j = 0; j < N; j++) {
    bool in = false;
    for (int k = start[2 * U]; k < start[2 * U + 2]; k++) in |= column[k] == j;
    if (in) column[start[N]++] = j;
  }
  const dae_pattern pattern = {N, N, start, column};
  const dae_problem problem = {
      .kind = DAE_IMPLICIT, .t1 = 1, .implicit = {.n = N, .F = twice, .pattern = &pattern}};
  const dae_options o = dae_options_default();
  dae_report report;
  exact(0, x, unused);
  CHECK(dae_solve(&problem, &o, 0, 1, x, NULL, &report, NULL) == DAE_E_RANK);
}

int main(void) {
  RUN(test_stokes);
  RUN(test_singular);
  return TEST_END();
}
