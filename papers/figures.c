/* figures 1.1 and 4.2 to 4.13 of Ascher, Qin, Reich 1992; the list of all figures */
#include "figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gallery.h"

static dae_status gamma_figure(papers_figure *f, char *message, int size);

/* what a figure of the slider-crank shows, and with which constraints stabilized (level NULL:
   none) */
static const struct {
  const char *id, *title;
  /* 0: error of the slider; 1, 2: drift of positions, velocities; -1: another figure */
  int quantity;
  const char *level;
  dae_status (*make)(papers_figure *f, char *message, int size); /* that one */
} figures[] = {
    {"fig-1.1", "Error as a function of gamma", -1, NULL, gamma_figure},
    {"fig-4.2", "Error in the position of the slider, stabilized", 0, "both", NULL},
    {"fig-4.3", "Drift in the position constraints, stabilized", 1, "both", NULL},
    {"fig-4.4", "Drift in the velocity constraints, stabilized", 2, "both", NULL},
    {"fig-4.5", "Error in the position of the slider, not stabilized", 0, NULL, NULL},
    {"fig-4.6", "Drift in the position constraints, not stabilized", 1, NULL, NULL},
    {"fig-4.7", "Drift in the velocity constraints, not stabilized", 2, NULL, NULL},
    {"fig-4.8", "Error in the position of the slider, velocities stabilized", 0, "velocity", NULL},
    {"fig-4.9", "Drift in the position constraints, velocities stabilized", 1, "velocity", NULL},
    {"fig-4.10", "Drift in the velocity constraints, velocities stabilized", 2, "velocity", NULL},
    {"fig-4.11", "Error in the position of the slider, positions stabilized", 0, "position", NULL},
    {"fig-4.12", "Drift in the position constraints, positions stabilized", 1, "position", NULL},
    {"fig-4.13", "Drift in the velocity constraints, positions stabilized", 2, "position", NULL},
    {"fig-6.1", "Slider-crank through singular positions", -1, NULL, papers_angles_figure},
    {"fig-6.2", "Acceleration of the slider", -1, NULL, papers_acceleration_figure},
};
enum { FIGURES = sizeof figures / sizeof *figures };

int papers_figure_count(void) { return FIGURES; }
const char *papers_figure_at(int i) { return i >= 0 && i < FIGURES ? figures[i].id : NULL; }
const char *papers_figure_title(int i) { return i >= 0 && i < FIGURES ? figures[i].title : NULL; }
const char *papers_figure_source(int i) { return figures[i].id[4] == '6' ? "1995" : "1992-stab"; }

/* error at t = 1 of backward Euler with h = .01 on linear-index2, nu = 1000 */
static dae_status error_of(const dae_problem *p, const dae_options *o, double *error) {
  double z[2] = {1, 1}, y[1] = {0}, exact[2], multiplier[1];
  dae_status status = dae_solve(p, o, 0, 1, z, y, NULL, NULL);
  p->exact(1, exact, multiplier, p->ctx);
  *error = fmax(fabs(z[0] - exact[0]), fabs(z[1] - exact[1]));
  return status;
}

/* figure 1.1: the error against gamma for (1.6), (1.7), (1.8); blow-ups leave the picture at 10 */
static dae_status gamma_figure(papers_figure *f, char *message, int size) {
  static const char *const name[] = {"(1.6) Baumgarte", "(1.7)", "(1.8)"};
  const char *nu[] = {"nu"};
  const double thousand[] = {1000};
  dae_problem *p;
  dae_status status = gallery_open(&p, "linear-index2", 1, nu, thousand, message, size);
  if (status != DAE_OK) return status;
  f->x_label = "gamma";
  f->logarithmic = true;
  f->n_curve = 3;
  for (int k = 0; k < 3 && status == DAE_OK; k++) {
    papers_curve *c = &f->curve[k];
    dae_options o = dae_options_default();
    o.method = "backward-euler", o.step = 0.01, o.stabilize = "none";
    o.form = k == 0 ? "baumgarte" : "attract";
    o.direction = k == 0 ? "auto" : "constraint";
    o.weighting = k == 2 ? "plain" : "inverse";
    c->name = name[k];
    for (int i = 0; i <= 48 && status == DAE_OK; i++) {
      double error;
      o.gamma = pow(10, -2 + i / 8.0);
      status = error_of(p, &o, &error);
      c->x[c->n] = o.gamma;
      c->y[c->n++] = fmin(error, 10);
      if (error > 10) break;
    }
  }
  gallery_close("linear-index2", p);
  return status;
}

/* largest error at t = 1 on a gallery problem with a given nu; NaN when the form refuses it */
static double error_at(const char *name, double nu, const dae_options *o) {
  const char *set[] = {"nu"};
  char message[DAE_TEXT_MAX];
  double z[4], y[1] = {0}, exact[4], multiplier[1], error = NAN;
  dae_problem *p;
  if (gallery_open(&p, name, 1, set, &nu, message, sizeof message) != DAE_OK) return NAN;
  int nz = dae_problem_nz(p);
  memcpy(z, p->z0, (size_t)nz * sizeof *z);
  dae_status status = dae_solve(p, o, 0, 1, z, y, NULL, NULL);
  if (status == DAE_OK && p->exact(1, exact, multiplier, p->ctx) == 0) {
    error = 0;
    for (int i = 0; i < nz; i++) error = fmax(error, fabs(z[i] - exact[i]));
  } else if (status != DAE_E_FORM) {
    error = INFINITY; /* a singular step: off the picture */
  }
  gallery_close(name, p);
  return error;
}

dae_status papers_form_figure(const char *form, papers_figure *f) {
  static const char *const name[] = {"linear-index2", "linear-index3", "rotating-index3"};
  memset(f, 0, sizeof *f);
  f->id = form;
  f->title = "error at t = 1, backward Euler, h = 0.01";
  f->x_label = "nu";
  f->logarithmic = true;
  for (int k = 0; k < 3; k++) {
    papers_curve *c = &f->curve[f->n_curve];
    dae_options o = dae_options_default();
    o.method = "backward-euler", o.step = 0.01, o.stabilize = "none", o.form = form, o.gamma = 10;
    c->name = name[k];
    for (int i = 0; i <= 48; i++) {
      double nu = pow(10, i / 16.0), error = error_at(name[k], nu, &o);
      if (isnan(error)) break;
      c->x[c->n] = nu;
      c->y[c->n++] = fmin(error, 10);
    }
    if (c->n > 0) f->n_curve++;
  }
  return f->n_curve > 0 ? DAE_OK : DAE_E_FORM;
}

/* x2 + (l - l1) cos psi with l = 3, l1 = 2 */
static double slider(const double *z) { return z[1] + cos(z[3]); }

/* AB2, h = .1, (3.9) with (4.8) on the chosen constraints, against a run at 1e-11 */
static dae_status crank_figure(int which, papers_figure *f, char *message, int size) {
  dae_problem *p;
  dae_solver *s = NULL, *exact = NULL;
  dae_report report = {0};
  dae_status status = gallery_open(&p, "slider-crank", 0, NULL, NULL, message, size);
  if (status != DAE_OK) return status;
  dae_options o = dae_options_default(), fine = o;
  o.method = "ab2", o.form = "index1", o.step = 0.1;
  o.stabilize = figures[which].level ? "post" : "none";
  o.level = figures[which].level ? figures[which].level : "both";
  o.direction = "pinv";
  fine.rtol = fine.atol = 1e-11;
  status = dae_solver_new(&s, p, &o, &report);
  if (status == DAE_OK) status = dae_solver_new(&exact, p, &fine, &report);
  if (status == DAE_OK) status = dae_solver_start(s, 0, NULL, NULL);
  if (status == DAE_OK) status = dae_solver_start(exact, 0, NULL, NULL);
  papers_curve *c = &f->curve[0];
  f->n_curve = 1;
  f->x_label = "t";
  c->name = "";
  while (status == DAE_OK && dae_solver_time(s) < 10 - 1e-9 && c->n < PAPERS_POINTS) {
    double drift[DAE_ORDER_MAX];
    status = dae_solver_step(s, 10);
    double t = dae_solver_time(s);
    if (status == DAE_OK) status = dae_solver_advance(exact, t);
    if (status == DAE_OK) status = dae_solver_drift(s, t, dae_solver_z(s), drift);
    c->x[c->n] = t;
    c->y[c->n++] = figures[which].quantity == 0
                       ? fabs(slider(dae_solver_z(s)) - slider(dae_solver_z(exact)))
                       : drift[figures[which].quantity - 1];
  }
  if (status != DAE_OK) snprintf(message, (size_t)size, "%s", dae_status_meaning(status));
  dae_solver_free(s);
  dae_solver_free(exact);
  gallery_close("slider-crank", p);
  return status;
}

dae_status papers_figure_make(int i, papers_figure *f, char *message, int size) {
  memset(f, 0, sizeof *f);
  f->id = figures[i].id;
  f->title = figures[i].title;
  return figures[i].make ? figures[i].make(f, message, size) : crank_figure(i, f, message, size);
}
