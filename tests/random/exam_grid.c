/* every form x method x problem of the gallery at three tolerances, against what is known
 * exam: 100 8000
 * mended: 40037
 *
 * The first cases (QUICK) are pairs of form and method on cheap problems; those after them walk
 * through the whole grid in an order that mixes it, so that any part is a sample; more of it with
 * --cases. The reference is the exact solution, or the values stored with the problem, or two runs
 * with methods of different families on different forms that agree.
 *
 * Ok means: the error is within a stated multiple of the tolerance times the conditioning of the
 * problem, which is the largest growth of a small change of the solution at some times, from there
 * to the end. Multipliers may also be those that belong to the z of the run, where that is right.
 */
#include <gallery.h>

#include "exam.h"

enum { QUICK = 100, MAX_N = 512, MAX_PROBLEMS = 64, MAX_PAIRS = 1024, TIMES = 5, TOLERANCES = 3 };

/* the errors of all steps together are about a tolerance where nothing grows; a form that the user
   named may lose a digit more, as those without stabilization drift */
static const double limit_recommended = 10, limit_named = 100;
static const double tolerances[TOLERANCES] = {1e-6, 1e-4, 1e-8};

/* a run that needs more is refused with the limit on steps as the reason: some seconds' work, which
   grows with the square of the size at least */
static int most_steps(const dae_problem *p) {
  double n = dae_problem_nz(p) + dae_problem_nh(p);
  return (int)fmin(3e5, 3e8 / (n * n));
}

/* quick cases are about these: a run takes milliseconds */
static const char *const cheap[] = {
    "slider-crank",       "two-link-robot",   "driven-pendulum", "linear-index2", "rotating-index2",
    "linear-index3",      "rotating-index3",  "linear-order3",   "circle-index2", "driven-sphere",
    "limit-cycle-sphere", "phase-lock-torus", "cubic-invariant", "kepler",
};
enum { CHEAP = sizeof cheap / sizeof *cheap };

/* a problem with what is known of it, found when it is first asked for */
typedef struct subject {
  const char *name;
  dae_problem *p;
  int nz, ny;
  bool solved, known, measured;
  double t1;                 /* the end: of the problem, or of the values stored with it */
  double off;                /* accuracy of the reference, relative */
  double z[MAX_N], y[MAX_N]; /* at the end */
  double growth_z, growth_y; /* of a change */
} subject;

/* form and method that the tables say fit together */
typedef struct pair {
  const char *form, *method;
} pair;

static subject subjects[MAX_PROBLEMS];
static int n_subject, n_pair;
static pair pairs[MAX_PAIRS];

/* |a_i - b_i| / (1 + |b_i|): what rtol = atol measure; NaN is the largest */
static double distance(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double off = fabs(a[i] - b[i]) / (1 + fabs(b[i]));
    if (!(off <= most)) most = isnan(off) ? INFINITY : off;
  }
  return most;
}

/* from t to the end with z and y in place */
static dae_status solve(const dae_problem *p, pair a, double tol, double t, double t1, double *z,
                        double *y, dae_report *r) {
  dae_options o = dae_options_default();
  o.form = a.form, o.method = a.method;
  o.rtol = o.atol = tol;
  o.max_steps = most_steps(p);
  return dae_solve(p, &o, t, t1, z, y, r, NULL);
}

/* all adaptive methods on all forms whose view they take; collocation has forms of its own, srm
   takes explicit methods */
static bool fits(const dae_choice *form, const dae_method *method) {
  if (!form || !method) return true;
  if (method->estimate == 0) return false;
  if (strcmp(form->name, "srm") == 0) return method->view == DAE_VIEW_ODE;
  if (method->view == DAE_VIEW_PROBLEM)
    return form->view == DAE_VIEW_PROBLEM || strcmp(form->name, "index2") == 0;
  return (form->view & method->view) != 0;
}

static void open_all(void) {
  for (int i = 0; gallery_at(i) && n_subject < MAX_PROBLEMS; i++) {
    char message[200];
    subject *s = &subjects[n_subject];
    s->name = gallery_at(i)->name;
    if (gallery_open(&s->p, s->name, 0, NULL, NULL, message, sizeof message) != DAE_OK) abort();
    s->nz = dae_problem_nz(s->p), s->ny = dae_problem_ny(s->p);
    if (s->p->boundary || s->nz > MAX_N || s->ny > MAX_N) gallery_close(s->name, s->p);
    else n_subject++;
  }
  for (int f = -1; f < 0 || dae_form_at(f); f++)
    for (int m = -1; m < 0 || dae_method_at(m); m++) {
      const dae_choice *form = f < 0 ? NULL : dae_form_at(f);
      const dae_method *method = m < 0 ? NULL : dae_method_at(m);
      if ((method && method->estimate == 0) || !fits(form, method) || n_pair == MAX_PAIRS) continue;
      pairs[n_pair++] = (pair){form ? form->name : "auto", method ? method->name : "auto"};
    }
}

/* ---- what is known of a problem ---- */

/* by a pair, as accurately as it can */
static bool solve_well(const subject *s, pair a, double *z, double *y) {
  for (double tol = 1e-12; tol < 2e-10; tol *= 10) {
    memcpy(z, s->p->z0, (size_t)s->nz * sizeof *z);
    if (s->p->y0) memcpy(y, s->p->y0, (size_t)s->ny * sizeof *y);
    else memset(y, 0, (size_t)s->ny * sizeof *y);
    if (solve(s->p, a, tol, s->p->t0, s->t1, z, y, NULL) == DAE_OK) return true;
  }
  return false;
}

static void find_end(subject *s) {
  const dae_problem *p = s->p;
  const dae_reference *last = p->n_ref > 0 ? &p->ref[p->n_ref - 1] : NULL;
  static double z[MAX_N], y[MAX_N];
  s->solved = true;
  s->t1 = p->exact || !last ? p->t1 : last->t;
  s->off = 1e-12;
  if (p->exact) {
    s->known = p->exact(s->t1, s->z, s->y, p->ctx) == 0;
    return;
  }
  /* the second where the first would take too many steps: stiff problems */
  if (!solve_well(s, (pair){"index1", "dop853"}, s->z, s->y) &&
      !solve_well(s, (pair){"auto", "gauss5"}, s->z, s->y))
    return;
  const pair other = {dae_problem_index(p) > 2 ? "ggl" : "auto", "radau5"};
  if (last) memcpy(z, last->z, (size_t)s->nz * sizeof *z);
  else if (!solve_well(s, other, z, y)) return;
  s->off = fmax(s->off, distance(s->nz, z, s->z));
  s->known = s->off < 1e-8;
}

/* z := a point on the constraints near the solution at t; false when there is none */
static bool change(const subject *s, exam *e, double t, double delta, double *z) {
  dae_options o = dae_options_default();
  dae_solver *solver = NULL;
  o.rtol = o.atol = 1e-10;
  if (dae_solver_new(&solver, s->p, &o, NULL) != DAE_OK) return false;
  bool good = dae_solver_start(solver, s->p->t0, NULL, NULL) == DAE_OK;
  if (good && t > s->p->t0) good = dae_solver_advance(solver, t) == DAE_OK;
  for (int i = 0; good && i < s->nz; i++) {
    double at = dae_solver_z(solver)[i];
    z[i] = at + delta * (1 + fabs(at)) * exam_real(e, -1, 1);
  }
  if (good) good = dae_solver_project(solver, t, z, NULL) == DAE_OK;
  dae_solver_free(solver);
  return good;
}

/* The multipliers at the end are a function of z there: a stiff spring moves them a
   million times as far. Those of a z within its tolerance, by a start there, are right: how
   far is y from them? */
static double distance_from_own(const subject *s, const double *z, const double *y) {
  dae_options o = dae_options_default();
  dae_problem loose = *s->p; /* nothing is held at the start */
  dae_solver *solver = NULL;
  static double own[MAX_N];
  memcpy(own, z, (size_t)s->nz * sizeof *own);
  loose.fixed = NULL;
  bool good = dae_solver_new(&solver, &loose, &o, NULL) == DAE_OK &&
              dae_solver_start(solver, s->t1, own, NULL) == DAE_OK;
  double off = good ? distance(s->ny, y, dae_solver_y(solver)) : INFINITY;
  dae_solver_free(solver);
  return off;
}

/* how much of a change at some times is seen at the end, by two changes each */
static void measure(subject *s, exam *e) {
  const double delta = 1e-6;
  static double z[MAX_N], y[MAX_N];
  dae_problem loose = *s->p; /* nothing is held at the start */
  loose.fixed = NULL;
  s->measured = true;
  s->growth_z = s->growth_y = 1;
  for (int k = 0; k < 2 * TIMES; k++) {
    double t = s->p->t0 + (s->t1 - s->p->t0) * (k / 2) / TIMES;
    if (!change(s, e, t, delta, z)) continue;
    memcpy(y, s->y, (size_t)s->ny * sizeof *y);
    if (solve(&loose, (pair){"auto", "auto"}, 1e-10, t, s->t1, z, y, NULL) != DAE_OK) continue;
    s->growth_z = fmax(s->growth_z, distance(s->nz, z, s->z) / delta);
    s->growth_y = fmax(s->growth_y, distance(s->ny, y, s->y) / delta);
  }
}

/* ---- a case ---- */

/* is the reason true? `auto` has none to refuse a problem of the gallery */
static exam_verdict refused(exam *e, const subject *s, pair a, double tol, dae_status status,
                            const dae_report *r) {
  bool free = strcmp(a.form, "auto") == 0 && strcmp(a.method, "auto") == 0;
  /* a message of the start or of a success is none */
  bool told = r->message[0] != '\0' && r->status == status;
  return exam_say(e, free || !told ? EXAM_DEFECT : EXAM_REFUSED, "%s, %s, %s at %g: %s: %s",
                  s->name, a.form, a.method, tol, dae_status_name(status), r->message);
}

static exam_verdict judge(exam *e, subject *s, pair a, double tol, const double *z,
                          const double *y) {
  const double limit = strcmp(a.form, "auto") == 0 ? limit_recommended : limit_named;
  double off_z = distance(s->nz, z, s->z), off_y = distance(s->ny, y, s->y);
  if (fmax(off_z, off_y) > limit * tol + s->off && !s->measured) measure(s, e);
  const double growth_z = s->measured ? s->growth_z : 1, growth_y = s->measured ? s->growth_y : 1;
  const double allowed = limit * tol + s->off;
  bool right = off_z <= growth_z * allowed && off_y <= growth_y * allowed;
  if (!right && off_z <= growth_z * allowed) right = distance_from_own(s, z, y) <= allowed;
  return exam_say(e, right ? EXAM_RIGHT : EXAM_DEFECT,
                  "%s, %s, %s at %g: error of %.3g tolerances (growth %.3g), of the multipliers "
                  "%.3g (%.3g)",
                  s->name, a.form, a.method, tol, off_z / tol, growth_z, off_y / tol, growth_y);
}

static exam_verdict run(exam *e, subject *s, pair a, double tol) {
  static double z[MAX_N], y[MAX_N];
  dae_report report = {0};
  if (!s->solved) find_end(s);
  if (!s->known) return exam_say(e, EXAM_DEFECT, "%s: no reference", s->name);
  memcpy(z, s->p->z0, (size_t)s->nz * sizeof *z);
  memset(y, 0, sizeof y);
  if (s->p->y0) memcpy(y, s->p->y0, (size_t)s->ny * sizeof *y);
  dae_status status = solve(s->p, a, tol, s->p->t0, s->t1, z, y, &report);
  if (status != DAE_OK) return refused(e, s, a, tol, status, &report);
  return judge(e, s, a, tol, z, y);
}

static subject *find(const char *name) {
  for (int i = 0; i < n_subject; i++)
    if (strcmp(subjects[i].name, name) == 0) return &subjects[i];
  abort();
}

static exam_verdict exam_case(exam *e) {
  if (n_subject == 0) open_all();
  const long all = (long)n_subject * n_pair * TOLERANCES, prime = 1000003;
  long k = e->number * prime % all;
  subject *s = &subjects[k / (n_pair * TOLERANCES)];
  pair a = pairs[k / TOLERANCES % n_pair];
  double tol = tolerances[k % TOLERANCES];
  if (e->number < QUICK) {
    s = find(cheap[e->number % CHEAP]);
    a = pairs[e->number * n_pair / QUICK];
    tol = tolerances[e->number / 2 % 2];
  }
  snprintf(e->kind, sizeof e->kind, "%.47s", s->name);
  return run(e, s, a, tol);
}

EXAM_MAIN("grid")
