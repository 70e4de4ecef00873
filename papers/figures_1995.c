/* figures 6.1 and 6.2 of Ascher, Lin 1995: the slider-crank through its singular positions by
   (5.5)-(5.6), h = eps = 1e-4 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "gallery.h"

static const double pi = 3.14159265358979323846;

/* q = (x1, y1, phi1, x2, y2, phi2): the angles from the downward vertical, theta1 = phi1 - 3 pi/2,
   theta2 = phi2 + pi/2, and their rates */
static void angles(const double *z, const double *dz, double *value) {
  (void)dz;
  value[0] = z[2] - 1.5 * pi;
  value[1] = z[5] + 0.5 * pi;
  value[2] = z[8];
  value[3] = z[11];
}

/* x'' of the slider at x = cos phi1 + cos phi2 */
static void acceleration(const double *z, const double *dz, double *value) {
  *value = 0;
  for (int i = 2; i <= 5; i += 3) *value -= sin(z[i]) * dz[i + 6] + cos(z[i]) * z[i + 6] * z[i + 6];
}

typedef void quantity(const double *z, const double *dz, double *value);

/* one run from the given start with `iterations` sweeps: curves `first` .. first + n - 1 at equal
   times up to t_end */
static dae_status follow(const double *start, int iterations, double t_end, quantity *of, int n,
                         papers_figure *f, char *message, int size) {
  const char *set[] = {"phi1", "phi1_rate"};
  dae_problem *p;
  dae_solver *s = NULL;
  dae_report report = {0};
  papers_curve *c = f->curve + f->n_curve;
  dae_status status = gallery_open(&p, "slider-crank-singular", 2, set, start, message, size);
  if (status != DAE_OK) return status;
  dae_options o = dae_options_default();
  o.form = "srm", o.srm_variant = "singular", o.method = "heun";
  o.step = o.srm_eps = 1e-4;
  o.srm_iterations = iterations;
  o.max_steps = 1000000;
  status = dae_solver_new(&s, p, &o, &report);
  if (status == DAE_OK) status = dae_solver_start(s, 0, NULL, NULL);
  for (int i = 0; i < PAPERS_POINTS && status == DAE_OK; i++) {
    double t = t_end * i / (PAPERS_POINTS - 1), value[PAPERS_CURVES];
    status = dae_solver_advance(s, t);
    if (status != DAE_OK) break;
    of(dae_solver_z(s), dae_solver_dz(s), value);
    for (int k = 0; k < n; k++) {
      c[k].x[i] = t;
      c[k].y[i] = value[k];
      c[k].n = i + 1;
    }
  }
  if (status != DAE_OK && s) snprintf(message, (size_t)size, "%s", dae_solver_report(s)->message);
  f->n_curve += n;
  dae_solver_free(s);
  gallery_close("slider-crank-singular", p);
  return status;
}

/* from rest at 7 pi/4: 46 singular positions up to t = 70 */
dae_status papers_angles_figure(papers_figure *f, char *message, int size) {
  static const char *const name[] = {"theta1", "theta2", "theta1'", "theta2'"};
  const double start[] = {7 * pi / 4, 0};
  f->x_label = "t (two iterations)";
  for (int k = 0; k < 4; k++) f->curve[k].name = name[k];
  return follow(start, 2, 70, angles, 4, f, message, size);
}

/* from pi/4 with 2 sqrt(2): the bars turn round; extreme values are +-85.143653 in every
   revolution */
dae_status papers_acceleration_figure(papers_figure *f, char *message, int size) {
  const double start[] = {pi / 4, 2 * sqrt(2)};
  f->x_label = "t";
  f->curve[0].name = "one iteration";
  f->curve[1].name = "four iterations";
  dae_status status = follow(start, 1, 10, acceleration, 1, f, message, size);
  return status == DAE_OK ? follow(start, 4, 10, acceleration, 1, f, message, size) : status;
}
