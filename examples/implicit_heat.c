/* a pattern: heat on a square by differences, boundary values as algebraic equations, with coloured
   differences in place of derivatives and sparse matrices */
#include <daedal/daedal.h>
#include <stdio.h>

enum { SIDE = 10, N = SIDE * SIDE };

static int on_edge(int i, int j) { return i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1; }

/* u_t = u_xx + u_yy inside, u = 0 on the edge */
static int heat(double t, const double *u, const double *du, double *F, void *ctx) {
  (void)t, (void)ctx;
  const double s = (SIDE - 1) * (SIDE - 1);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      int k = i * SIDE + j;
      F[k] = on_edge(i, j)
                 ? u[k]
                 : du[k] - s * (u[k - SIDE] + u[k + SIDE] + u[k - 1] + u[k + 1] - 4 * u[k]);
    }
  return 0;
}

int main(void) {
  static int start[N + 1], column[5 * N];
  static double u[N];
  int used = 0;
  for (int k = 0; k < N; k++) {
    const int i = k / SIDE, j = k % SIDE, near[] = {k - SIDE, k - 1, k, k + 1, k + SIDE};
    for (int l = 0; l < 5; l++)
      if (l == 2 || !on_edge(i, j)) column[used++] = near[l];
    start[k + 1] = used;
    double x = (double)i / (SIDE - 1), y = (double)j / (SIDE - 1);
    u[k] = 16 * x * (1 - x) * y * (1 - y);
  }
  dae_pattern pattern = {N, N, start, column};
  dae_problem problem = {
      .kind = DAE_IMPLICIT, .t1 = 10.24, .implicit = {.n = N, .F = heat, .pattern = &pattern}};
  dae_options options = dae_options_default();
  options.rtol = 1e-8;
  options.atol = 1e-12;
  dae_solver *solver;
  dae_status status = dae_solver_new(&solver, &problem, &options, NULL);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, u, NULL);
  for (double t = 0.01; t < 0.5 && status == DAE_OK; t *= 2) {
    status = dae_solver_advance(solver, t);
    double most = 0;
    for (int k = 0; k < N; k++)
      if (dae_solver_z(solver)[k] > most) most = dae_solver_z(solver)[k];
    if (status == DAE_OK) printf("t = %.2f  largest u = %.5e\n", t, most);
  }
  if (status != DAE_OK) printf("%s\n", dae_solver_report(solver)->message);
  dae_solver_free(solver);
  return status != DAE_OK;
}
