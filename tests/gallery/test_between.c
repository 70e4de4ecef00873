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

/* lambda1 = -m1 x1''/x1 of the motion x1 = sin(phi), x2 = -x1, y = -cos(phi), from energy: with A =
   (m1 + m2) cos^2 + m3 sin^2 and A w^2/2 + m3 g y = m3 g y0,
     lambda1 = m1 (w^2 - c phi''/sin(phi)),  phi''/sin(phi) = ((m1 + m2 - m3) c w^2 - m3 g)/A,
   which knows of no singular position at phi = 0 */
static double multiplier(double y) {
  const double m1 = 1, m2 = 2, m3 = 1.5, g = 9.81, y0 = sin(-0.7);
  double c = -y, A = (m1 + m2) * c * c + m3 * (1 - c * c), w2 = 2 * m3 * g * (y0 - y) / A;
  return m1 * (w2 - c * ((m1 + m2 - m3) * c * w2 - m3 * g) / A);
}

/* .. at points beside the positions, where neither projection nor elimination has digits left */
static void multipliers(const char *method, double tol) {
  dae_problem *p;
  char message[200];
  CHECK(gallery_open(&p, "double-slider", 0, NULL, NULL, message, sizeof message) == DAE_OK);
  dae_options o = dae_options_default();
  o.method = method;
  o.rtol = o.atol = tol;
  dae_solver *s = NULL;
  CHECK(dae_solver_new(&s, p, &o, NULL) == DAE_OK);
  CHECK(dae_solver_start(s, p->t0, NULL, NULL) == DAE_OK);
  double worst = 0, z[6], y[2];
  long k = 0;
  dae_status status = DAE_OK;
  while (dae_solver_time(s) < 5 && status == DAE_OK) {
    status = dae_solver_step(s, 5);
    for (; k * 2.5e-4 <= dae_solver_time(s) && status == DAE_OK; k++) {
      status = dae_solver_eval(s, (double)k * 2.5e-4, z, y);
      worst = fmax(worst, fabs(y[0] - multiplier(z[1])));
    }
  }
  CHECK(status == DAE_OK && dae_solver_stats(s)->singular_passed == 4);
  /* an error of the velocities counts about tenfold, and is within ten to a hundred tolerances */
  CHECK_NEAR(worst, 0, 1000 * tol);
  dae_solver_free(s);
  gallery_close("double-slider", p);
}

static void beside_positions(void) {
  multipliers("bdf", 1e-4);
  multipliers("bdf", 1e-5);
  multipliers("radau3", 1e-3);
  multipliers("radau3", 1e-5);
}

int main(void) {
  RUN(handing_over);
  RUN(beside_positions);
  return TEST_END();
}
