/* index 2 and 3 with more than 300 variables: sparse, from consistent values; else a report */
#include <daedal/daedal.h>
#include <math.h>
#include <stdlib.h>

#include "test.h"

/*
 * Blocks of (p, q, w, lambda), each tied to the one before. Index 3: p' = q,
 * q' = -2 p + lambda + .., 0 = p - sin(t + i/7). Index 2: 0 = q - cos(t + i/7) in its place. Both
 * have lambda = sin(t + i/7) and w' = lambda - w + ..
 */
enum { BLOCKS = 100, EACH = 4, N = BLOCKS * EACH };

static double phase(int i) { return i / 7.0; }

static int blocks(double t, const double *x, const double *dx, double *F, void *ctx) {
  const int index = *(const int *)ctx;
  for (int i = 0; i < BLOCKS; i++) {
    const double *b = x + EACH * i, *d = dx + EACH * i, s = sin(t + phase(i)),
                 c = cos(t + phase(i));
    const double tie =
        i > 0 ? x[EACH * i - 2] - (sin(t + phase(i - 1)) - cos(t + phase(i - 1))) / 2 : 0;
    double *f = F + EACH * i;
    f[0] = d[0] - b[1];
    f[1] = d[1] + 2 * b[0] - b[3] + tie * b[1];
    f[2] = d[2] - b[3] + b[2] + tie;
    f[3] = index == 3 ? b[0] - s + 0.1 * (b[0] * b[0] - s * s) : b[1] - c + (b[0] - s);
  }
  return 0;
}

/* w' = sin - w: (sin - cos)/2 and no transient */
static void exact(double t, double *x) {
  for (int i = 0; i < BLOCKS; i++) {
    const double s = sin(t + phase(i)), c = cos(t + phase(i));
    double *b = x + EACH * i;
    b[0] = s, b[1] = c, b[2] = (s - c) / 2, b[3] = s;
  }
}

static void set_pattern(int *start, int *column) {
  int used = 0;
  for (int k = 0; k < N; start[++k] = used)
    for (int j = k / EACH * EACH - (k < EACH ? 0 : 2); j < (k / EACH + 1) * EACH; j++)
      column[used++] = j;
}

static void solved(int index, bool declared, double tol) {
  static int start[N + 1], column[N * (EACH + 2)];
  static unsigned char of_variable[N];
  static double x[N], z[N];
  double first = 0, second = 0;
  set_pattern(start, column);
  for (int k = 0; k < N; k++) {
    static const unsigned char index3[] = {1, 2, 1, 3}, index2[] = {1, 1, 1, 2};
    of_variable[k] = (index == 3 ? index3 : index2)[k % EACH];
  }
  const dae_pattern pattern = {N, N, start, column};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .ctx = &index,
                   .t1 = 2,
                   .implicit = {.n = N,
                                .F = blocks,
                                .pattern = &pattern,
                                .variable_index = declared ? of_variable : NULL}};
  dae_options o = dae_options_default();
  dae_report report;
  o.rtol = o.atol = tol;
  exact(0, x);
  /* multipliers are found */
  for (int k = 3; k < N; k += EACH) x[k] = 0;
  dae_status status = dae_solve(&p, &o, 0, 2, x, NULL, &report, NULL);
  CHECK(status == DAE_OK);
  exact(2, z);
  for (int k = 0; k < N; k++) {
    double *most = k % EACH == 3 ? &second : &first;
    *most = fmax(*most, fabs(x[k] - z[k]));
  }
  /* ten tolerances, and ten more for each differentiation: those of exam_implicit */
  CHECK(first < 20 * tol * (index == 3 ? 10 : 1));
  CHECK(second < 20 * tol * (index == 3 ? 100 : 10));
  if (status != DAE_OK || first > 20 * tol)
    printf("  index %d, %g: %.2e %.2e %s\n", index, tol, first, second, report.message);
}

static void blocks_are_solved(void) {
  for (int index = 2; index <= 3; index++)
    for (int declared = 0; declared < 2; declared++)
      for (double tol = 1e-3; tol > 1e-9; tol *= 1e-2) solved(index, declared, tol);
}

/* a position or a velocity that is off: it is named */
static void inconsistent(void) {
  static int start[N + 1], column[N * (EACH + 2)];
  static double x[N];
  set_pattern(start, column);
  const dae_pattern pattern = {N, N, start, column};
  for (int index = 2; index <= 3; index++)
    for (int off = 0; off < 2; off++) {
      if (index == 2 && off == 0) continue; /* free there */
      dae_problem p = {.kind = DAE_IMPLICIT,
                       .ctx = &index,
                       .t1 = 2,
                       .implicit = {.n = N, .F = blocks, .pattern = &pattern}};
      dae_options o = dae_options_default();
      dae_report report;
      exact(0, x);
      x[EACH * 33 + off] += 1e-3;
      CHECK(dae_solve(&p, &o, 0, 2, x, NULL, &report, NULL) == DAE_E_INCONSISTENT);
      CHECK(strstr(report.message, off ? "x134" : "x13") != NULL);
      /* one that jumps, not its derivative, which is 1e-3 over the length of a step */
      CHECK(fabs(report.residual) < 2e-3);
      CHECK(strstr(report.message, "must be consistent") != NULL);
    }
}

/* ---- a chain of pendulums, nonlinear ---- */

/* links of length 1 and points of mass 1, from the horizontal; x, y, u, v, lambda of each. Its
   energy is kept, and so are the links */
enum { LINKS = 80, OF_LINK = 5, M = LINKS * OF_LINK };

static int chain(double t, const double *x, double *f, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < LINKS; i++) {
    const double *b = x + OF_LINK * i, *up = i > 0 ? b - OF_LINK : NULL,
                 *down = i + 1 < LINKS ? b + OF_LINK : NULL;
    const double dx = b[0] - (up ? up[0] : 0), dy = b[1] - (up ? up[1] : 0);
    double *to = f + OF_LINK * i;
    to[0] = b[2], to[1] = b[3];
    to[2] = -b[4] * dx + (down ? down[4] * (down[0] - b[0]) : 0);
    to[3] = -b[4] * dy + (down ? down[4] * (down[1] - b[1]) : 0) - 1;
    to[4] = dx * dx + dy * dy - 1;
  }
  return 0;
}

static int chain_mass(double t, const double *x, double *d, void *ctx) {
  (void)t, (void)x, (void)ctx;
  for (int i = 0; i < M; i++) d[i] = i % OF_LINK < 4;
  return 0;
}

static void chain_falls(void) {
  static int start[M + 1], column[M * 15];
  static double x[M];
  int used = 0;
  for (int k = 0; k < M; start[++k] = used)
    for (int j = (k / OF_LINK - 1) * OF_LINK; j < (k / OF_LINK + 2) * OF_LINK; j++)
      if (j >= 0 && j < M) column[used++] = j;
  const dae_pattern pattern = {M, M, start, column};
  dae_problem p = {.kind = DAE_IMPLICIT,
                   .t1 = 3,
                   .implicit = {.n = M,
                                .f = chain,
                                .mass = chain_mass,
                                .mass_kind = DAE_MASS_DIAGONAL,
                                .mass_constant = true,
                                .f_pattern = &pattern}};
  dae_options o = dae_options_default();
  dae_report report;
  o.rtol = o.atol = 1e-6;
  for (int i = 0; i < LINKS; i++) x[OF_LINK * i] = i + 1;
  dae_status status = dae_solve(&p, &o, 0, 3, x, NULL, &report, NULL);
  CHECK(status == DAE_OK);
  if (status != DAE_OK) printf("  %s\n", report.message);
  double energy = 0, longest = 0;
  for (int i = 0; i < LINKS; i++) {
    const double *b = x + OF_LINK * i;
    energy += (b[2] * b[2] + b[3] * b[3]) / 2 + b[1];
    const double dx = b[0] - (i ? b[-5] : 0), dy = b[1] - (i ? b[-4] : 0);
    longest = fmax(longest, fabs(hypot(dx, dy) - 1));
  }
  /* 80 points, each of which has fallen by up to 4.5: errors of single ones add up at most */
  CHECK(fabs(energy) < LINKS * 10 * 4.5 * o.rtol);
  CHECK(longest < 10 * o.rtol);
  /* the middle falls freely: y = -t^2/2 where neither end is felt, for a chain that lies straight
     the links pull along x only */
  CHECK_NEAR(x[OF_LINK * 70 + 1], -4.5, 0.05);
}

int main(void) {
  RUN(blocks_are_solved);
  RUN(inconsistent);
  RUN(chain_falls);
  return TEST_END();
}
