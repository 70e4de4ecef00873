/* index 1 and sparse: prey that spreads on a square and predators in balance with it, 800
   variables; an example of IDA's guide. The algebraic half of the start is found from a guess */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 20, N = 2 * SIDE * SIDE };

/* prey c[k], predators c[k + 1] of a cell; no flow through the edges: what is outside is the
   mirror image */
static int web(double t, const double *c, const double *dc, double *F, void *ctx) {
  const double h = 1.0 / (SIDE - 1), turn = 4 * acos(-1);
  (void)t, (void)ctx;
  for (int j = 0; j < SIDE; j++)
    for (int i = 0; i < SIDE; i++) {
      const int k = 2 * (j * SIDE + i), left = i > 0 ? -2 : 2, right = i < SIDE - 1 ? 2 : -2;
      const int row = 2 * SIDE, down = j > 0 ? -row : row, up = j < SIDE - 1 ? row : -row;
      const double x = i * h, y = j * h, b = 1 + 50 * x * y + 1000 * sin(turn * x) * sin(turn * y);
      double spread[2];
      for (int s = 0; s < 2; s++) {
        const double *u = c + k + s;
        spread[s] = (u[left] + u[right] + u[down] + u[up] - 4 * u[0]) / (h * h);
      }
      F[k] = dc[k] - spread[0] - c[k] * (b - c[k] - 0.5e-6 * c[k + 1]);
      F[k + 1] = 0.5 * spread[1] + c[k + 1] * (-b + 1e4 * c[k] - c[k + 1]);
    }
  return 0;
}

/* each variable: those of the four neighbours that are there, and both of its own cell */
static void fill_pattern(int *start, int *column) {
  int used = 0;
  for (int k = 0; k < N; start[++k] = used) {
    const int s = k % 2, cell = k / 2, i = cell % SIDE, j = cell / SIDE;
    if (j > 0) column[used++] = k - 2 * SIDE;
    if (i > 0) column[used++] = k - 2;
    column[used++] = k - s;
    column[used++] = k - s + 1;
    if (i < SIDE - 1) column[used++] = k + 2;
    if (j < SIDE - 1) column[used++] = k + 2 * SIDE;
  }
}

int main(void) {
  static int start[N + 1], column[6 * N];
  static double c[N];
  fill_pattern(start, column);
  for (int k = 0; k < N; k += 2) {
    const double x = (double)(k / 2 % SIDE) / (SIDE - 1), y = (double)(k / 2 / SIDE) / (SIDE - 1);
    const double hill = 16 * x * (1 - x) * y * (1 - y);
    c[k] = 10 + hill * hill;
    c[k + 1] = 1e5;
  }
  const dae_pattern pattern = {N, N, start, column};
  dae_problem problem = {
      .kind = DAE_IMPLICIT, .t1 = 1, .z0 = c, .implicit = {.n = N, .F = web, .pattern = &pattern}};
  dae_options options = dae_options_default();
  options.rtol = 1e-7;
  options.atol = 1e-5;
  dae_solver *solver;
  dae_status status = dae_solver_new(&solver, &problem, &options, NULL);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, NULL, NULL);
  for (double t = 1e-3; t < 2 && status == DAE_OK; t *= 10) {
    status = dae_solver_advance(solver, t);
    const double *u = dae_solver_z(solver), *last = u + N - 2;
    if (status == DAE_OK)
      printf("t = %-5g  at (0,0): %.4f %.1f   at (1,1): %.4f %.1f\n", t, u[0], u[1], last[0],
             last[1]);
  }
  if (status != DAE_OK) printf("%s\n", dae_solver_report(solver)->message);
  dae_solver_free(solver);
  return status != DAE_OK;
}
