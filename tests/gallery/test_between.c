/* values between steps where one method hands over to another at a singular position: the way that
   is evaluated is the one that has taken the step */
#include <gallery.h>

#include "test.h"

/* the position moves by what the velocities at both ends say, to second order: h^2 |q''| of the
   double slider is below 100 h^2 */
static void positions_follow_velocities(const char *method, double tol) {
  dae_problem *p;
  char message[200];
  CHECK(gallery_open(&p, "double-slider", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.method = method;
  o.rtol = o.atol = tol;
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  int nq = dae_problem_nx(p), nz = dae_problem_nz(p), off = 0, missing = 0;
  double z[32], before[32];
  memcpy(before, dae_solver_z(s), (size_t)nz * sizeof *z);
  dae_status status = DAE_OK;
  while (dae_solver_time(s) < 2 && status == DAE_OK) {
    status = dae_solver_step(s, 2);
    double t0 = dae_solver_previous_time(s), t1 = dae_solver_time(s), h = (t1 - t0) / 10;
    for (int i = 1; i <= 10 && status == DAE_OK; i++) {
      missing += dae_solver_eval(s, i < 10 ? t0 + i * h : t1, z, NULL) != DAE_OK;
      for (int k = 0; k < nq; k++) {
        double moved = z[k] - before[k], mean = 0.5 * h * (z[nq + k] + before[nq + k]);
        off += !(fabs(moved - mean) <= 100 * h * h + 100 * tol);
      }
      memcpy(before, z, (size_t)nz * sizeof *z);
    }
  }
  CHECK(status == DAE_OK);
  CHECK(dae_solver_stats(s)->switches > 0);
  CHECK(missing == 0);
  CHECK(off == 0);
  dae_solver_free(s);
  gallery_close("double-slider", p);
}

static void handing_over(void) {
  static const char *const methods[] = {"radau3", "bdf", "radau5"};
  for (int k = 0; k < 3; k++) positions_follow_velocities(methods[k], 1e-8);
}

int main(void) {
  RUN(handing_over);
  return TEST_END();
}
