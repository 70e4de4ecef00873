/* implicit methods with sparse matrices against the same methods with dense ones, and their dense
   output */
#include <math.h>
#include <stdlib.h>

#include "gallery.h"
#include "test.h"
#include <daedal/daedal.h>

enum { N = 6 };

/* a chain of N rods to t1; returns the number of steps, -1 when it fails */
static long chain(double sparse, const char *method, const char *form, double step, double *z,
                  double *y) {
  dae_problem *p;
  char text[200];
  dae_options o = dae_options_default();
  dae_stats stats;
  const char *names[] = {"n", "sparse"};
  const double values[] = {N, sparse};
  if (gallery_open(&p, "pendulum-chain", 2, names, values, text, sizeof text) != DAE_OK) return -1;
  o.method = method;
  o.form = form;
  o.step = step;
  o.stabilize = "none";
  o.rtol = o.atol = 1e-7;
  memcpy(z, p->z0, 4 * N * sizeof *z);
  memset(y, 0, N * sizeof *y);
  dae_status status = dae_solve(p, &o, 0, 0.4, z, y, NULL, &stats);
  gallery_close("pendulum-chain", p);
  return status == DAE_OK ? stats.steps : -1;
}

/* fixed steps are solved to rounding, so that both give the same; multipliers feel it divided by
   h */
static void fixed_steps(void) {
  static const char *const methods[] = {"radau3", "gauss2", "sdirk3", "bdf3", "lobatto3", "herk4"};
  static const char *const forms[] = {"index2", "ggl"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (int f = 0; f < (methods[i][0] == 'h' ? 1 : 2); f++) {
      double z[2][4 * N], y[2][N];
      for (int sparse = 0; sparse < 2; sparse++)
        CHECK(chain(sparse, methods[i], forms[f], 0.01, z[sparse], y[sparse]) == 40);
      for (int k = 0; k < 4 * N; k++) CHECK_NEAR(z[1][k], z[0][k], 1e-9);
      for (int k = 0; k < N; k++) CHECK_NEAR(y[1][k], y[0][k], 1e-6);
    }
}

/* with error control: the sparse run is as good as the dense one, and takes about as many steps */
static void adaptive(void) {
  static const char *const methods[] = {"radau3", "radau4", "bdf"};
  double exact[4 * N], z[4 * N], y[N];
  CHECK(chain(0, "dop853", "index1", 0, exact, y) > 0);
  for (int i = 0; i < 3; i++) {
    long dense = chain(0, methods[i], "index2", 0, z, y),
         sparse = chain(1, methods[i], "index2", 0, z, y);
    CHECK(dense > 0 && labs(sparse - dense) <= 2 + dense / 20);
    /* tolerance 1e-7, multistep methods gather some of it; without stabilization */
    for (int k = 0; k < 2 * N; k++) CHECK_NEAR(z[k], exact[k], 3e-6);
  }
}

/* error between the steps at most some times that at them: radau3 has order 3 there, h about
   0.03 */
static void between_steps(void) {
  static const char *const methods[] = {"radau3", "gauss3", "bdf", "herk4", "herk5"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    dae_problem *p;
    dae_solver *s;
    char text[200];
    dae_options o = dae_options_default();
    CHECK(gallery_open(&p, "driven-pendulum", 0, NULL, NULL, text, sizeof text) == DAE_OK);
    o.method = methods[i];
    o.rtol = o.atol = 1e-7;
    CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
    CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
    double worst = 0, z[4], y[1], z_true[4], y_true[1];
    while (dae_solver_time(s) < p->t0 + 1 && dae_solver_step(s, p->t0 + 1) == DAE_OK)
      for (double x = 0.17; x < 1; x += 0.21) {
        double t0 = dae_solver_previous_time(s), t = t0 + x * (dae_solver_time(s) - t0);
        CHECK(dae_solver_eval(s, t, z, y) == DAE_OK);
        p->exact(t, z_true, y_true, p->ctx);
        for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(z[k] - z_true[k]));
      }
    CHECK(dae_solver_time(s) == p->t0 + 1);
    CHECK(worst < 3e-6);
    if (getenv("SHOW")) printf("%s %g\n", methods[i], worst);
    dae_solver_free(s);
    gallery_close("driven-pendulum", p);
  }
}

int main(void) {
  RUN(fixed_steps);
  RUN(adaptive);
  RUN(between_steps);
  return TEST_END();
}
