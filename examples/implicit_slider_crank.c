/* index 2: a slider-crank with a spring and a damper, the constraints on positions and on
   velocities imposed together (Gear, Gupta, Leimkuhler); an example of IDA's guide */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

/* crank angle q, place x of the slider, angle p of the rod of length 1 */
static const double CRANK = 0.5, INERTIA[] = {1, 1, 2}, SPRING = 1, DAMPER = 1, REST = 1, PUSH = 1;

/* the spring joins the middle of the crank to the middle of the rod; what pulls at each coordinate
   is its force along the change of its length, and the push along x + cos p */
static void forces(const double *z, const double *v, double *force) {
  const double sq = CRANK * sin(z[0]), cq = CRANK * cos(z[0]), sp = sin(z[2]), cp = cos(z[2]);
  const double across = z[1] - (cp + cq) / 2, up = -(sp + sq) / 2, length = hypot(across, up);
  const double grown[] = {(across * sq - up * cq) / (2 * length), across / length,
                          (across * sp - up * cp) / (2 * length)};
  const double rate = grown[0] * v[0] + grown[1] * v[1] + grown[2] * v[2];
  const double tension = SPRING * (length - REST) + DAMPER * rate;
  for (int i = 0; i < 3; i++) force[i] = -tension * grown[i];
  force[1] += PUSH;
  force[2] -= PUSH * sp;
}

/* y = (q, x, p), velocities, lambda (2), mu (2); 0 = x - cos p - a cos q, 0 = -sin p - a sin q */
static int residual(double t, const double *y, const double *dy, double *F, void *ctx) {
  const double *v = y + 3, *lambda = y + 6, *mu = y + 8;
  const double sq = CRANK * sin(y[0]), cq = CRANK * cos(y[0]), sp = sin(y[2]), cp = cos(y[2]);
  const double G[2][3] = {{sq, 1, sp}, {-cq, 0, -cp}};
  double force[3];
  (void)t, (void)ctx;
  forces(y, v, force);
  for (int i = 0; i < 3; i++) {
    F[i] = dy[i] - v[i] + G[0][i] * mu[0] + G[1][i] * mu[1];
    F[3 + i] = INERTIA[i] * dy[3 + i] - force[i] + G[0][i] * lambda[0] + G[1][i] * lambda[1];
  }
  F[6] = y[1] - cp - cq;
  F[7] = -sp - sq;
  for (int k = 0; k < 2; k++) F[8 + k] = G[k][0] * v[0] + G[k][1] * v[1] + G[k][2] * v[2];
  return 0;
}

int main(void) {
  /* the crank stands upright, and everything is at rest: multipliers are found */
  double y[10] = {acos(-1) / 2, cos(asin(CRANK)), -asin(CRANK)};
  dae_problem problem = {
      .kind = DAE_IMPLICIT, .t1 = 10, .z0 = y, .implicit = {.n = 10, .F = residual}};
  dae_options options = dae_options_default();
  options.rtol = options.atol = 1e-8;
  dae_solver *solver;
  dae_status status = dae_solver_new(&solver, &problem, &options, NULL);
  if (status == DAE_OK) status = dae_solver_start(solver, 0, NULL, NULL);
  for (int t = 2; t <= 10 && status == DAE_OK; t += 2) {
    status = dae_solver_advance(solver, t);
    const double *at = dae_solver_z(solver);
    if (status == DAE_OK) printf("t = %2d  q %9.6f  x %9.6f  p %9.6f\n", t, at[0], at[1], at[2]);
  }
  if (status != DAE_OK) printf("%s\n", dae_solver_report(solver)->message);
  dae_solver_free(solver);
  return status != DAE_OK;
}
