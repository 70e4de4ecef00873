/* patterns of implicit problems that lack an entry: it is named, whichever it is; others run */
#include <daedal/daedal.h>
#include <stdlib.h>

#include "test.h"

enum { N = 12 };

/* a chain of springs with friction, x_i' = v_i, and tensions as algebraic variables */
static int chain(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)ctx;
  for (int i = 0; i < N; i += 3) {
    const double before = i > 0 ? x[i - 3] : 0, pull = i + 3 < N ? x[i + 5] : sin(3 * t);
    F[i] = dx[i] - x[i + 1];
    F[i + 1] = 2e-3 * dx[i + 1] + 1e-3 * x[i + 1] * fabs(x[i + 1]) + x[i + 2] - pull;
    F[i + 2] = x[i + 2] - 5 * (x[i] - before) - 40 * pow(x[i] - before, 3);
  }
  return 0;
}

static int force(double t, const double *x, double *f, void *ctx) {
  const double still[N] = {0};
  chain(t, x, still, f, ctx);
  for (int i = 0; i < N; i++) f[i] = -f[i];
  return 0;
}
static int mass(double t, const double *x, double *M, void *ctx) {
  (void)t, (void)x, (void)ctx;
  for (int i = 0; i < N; i += 3) M[i] = 1, M[i + 1] = 2e-3;
  return 0;
}

/* what is in the equations; a place of `without` is left out */
static int make(int without, int *start, int *column, int *row_out, int *column_out) {
  int used = 0, met = 0;
  for (int i = 0; i < N; start[++i] = used) {
    const int b = i / 3 * 3, k = i % 3;
    const int list[3][4] = {
        {b, b + 1, -1, -1}, {b + 1, b + 2, b + 5 < N ? b + 5 : -1, -1}, {b - 3, b, b + 2, -1}};
    start[i] = used;
    for (int e = 0; e < 4; e++) {
      if (list[k][e] < 0) continue;
      if (met++ == without) *row_out = i, *column_out = list[k][e];
      else column[used++] = list[k][e];
    }
  }
  return met;
}

static void test_entries(void) {
  int start[N + 1], column[4 * N], row = -1, col = -1;
  const int all = make(-1, start, column, &row, &col);
  for (int form = 0; form < 2; form++)
    for (int without = -1; without < all; without++) {
      double x[N] = {0.1, 0.3, 0, 0.25, -0.2, 0, 0.3, 0.4, 0, 0.45, 0.1, 0};
      char entry[64];
      make(without, start, column, &row, &col);
      const dae_pattern pattern = {N, N, start, column};
      dae_problem p = {.kind = DAE_IMPLICIT, .t1 = 0.1};
      if (form == 0) p.implicit = (dae_implicit){.n = N, .F = chain, .pattern = &pattern};
      else
        p.implicit = (dae_implicit){.n = N,
                                    .f = force,
                                    .f_pattern = &pattern,
                                    .mass = mass,
                                    .mass_kind = DAE_MASS_DIAGONAL,
                                    .mass_constant = true};
      /* what only x' stands in is in M, not in f_pattern */
      const bool needed = form == 0 || !(row % 3 == 0 && col == row);
      const dae_options o = dae_options_default();
      dae_report report;
      const dae_status status = dae_solve(&p, &o, 0, 0.1, x, NULL, &report, NULL);
      if (without < 0 || !needed) {
        CHECK(status == DAE_OK);
        continue;
      }
      CHECK(status == DAE_E_INPUT);
      snprintf(entry, sizeof entry, "[F%d, x%d] (entry %d,%d)", row + 1, col + 1, row + 1, col + 1);
      CHECK(strstr(report.message, entry) != NULL);
      if (!strstr(report.message, entry)) printf("  %s: %s\n", entry, report.message);
    }
}

int main(void) {
  RUN(test_entries);
  return TEST_END();
}
