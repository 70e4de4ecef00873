/* F(t,x,x') = 0 between two values: heat through a wall that conducts better when it is warm */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

/* temperature T, heat flow q and conductivity k across the wall, t is the place:
   q = -k T',  q' = 0,  k = 1 + T/2: the last one holds no derivative */
static int wall(double t, const double *x, const double *dx, double *F, void *ctx) {
  (void)t, (void)ctx;
  F[0] = x[1] + x[2] * dx[0];
  F[1] = dx[1];
  F[2] = x[2] - 1 - x[0] / 2;
  return 0;
}

/* warm on the left, cold on the right: two conditions, as there are two derivatives */
static int ends(const double *x0, const double *x1, double *b, void *ctx) {
  (void)ctx;
  b[0] = x0[0] - 1;
  b[1] = x1[0] - 0.2;
  return 0;
}

int main(void) {
  const double guess[] = {0.5, 1, 1};
  const char *const names[] = {"T", "q", "k"};
  const dae_boundary boundary = {.n = 2, .n_left = 1, .value = ends};
  const dae_problem problem = {.kind = DAE_IMPLICIT,
                               .implicit = {.n = 3, .F = wall},
                               .t1 = 1,
                               .z0 = guess,
                               .z_name = names,
                               .boundary = &boundary};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  dae_solution *s;
  dae_report report;
  if (dae_bvp_solve(&problem, &o, NULL, &s, &report) != DAE_OK) {
    fprintf(stderr, "%s %s\n", report.message, report.advice);
    dae_solution_free(s);
    return 1;
  }
  /* T + T^2/4 falls along a straight line from 1.25 to 0.21 */
  printf("   t         T         q         k   T by hand\n");
  for (int i = 0; i <= 4; i++) {
    double x[3], t = i / 4.0;
    dae_solution_eval(s, t, x, NULL, NULL);
    printf("%.2f %9.6f %9.6f %9.6f   %9.6f\n", t, x[0], x[1], x[2], 2 * sqrt(2.25 - 1.04 * t) - 2);
  }
  dae_solution_free(s);
  return 0;
}
