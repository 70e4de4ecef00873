/*
 * singular positions inside an accepted step: found on the dense output, counted, and kept from
 * methods that do not pass them.
 *
 * Methods that factor the constraints at many points show the smallest singular value there; of
 * the others it is sampled. Where it comes low a golden section finds the minimum: zero on a
 * singular position. An explicit method on the eliminated, projected problem goes through it
 * (passage.c). Any other step across may have changed to another branch, or lost its velocity, with
 * an error estimate that says nothing: it is not accepted.
 */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* of the largest smallest singular value: what calls for a look, what for a search, and below what
   a minimum counts as a singular position for a method that must not cross it. Dense output of a
   step that went astray misses the position by the error of the step, hence the room */
static const double LOW = 0.5, SEARCHED = 0.3, CROSSED = 0.05;
/* and what two points of a step show when the motion has stuck on the position */
static const double STAYS = 1e-6;

/* smallest singular value at the unknowns u of the view; 0 where rank is lost, or where the
   constraints cannot be solved for the rest of z */
static dae_status watch_unknowns(dae_solver *s, double t, const double *u, double *w) {
  const double *z = u;
  dae_status status = DAE_OK;
  if (s->view->to_z) {
    status = s->view->to_z(s->view, t, u, s->z_work);
    z = s->z_work;
  }
  if (status == DAE_OK) status = dae_problem_kkt(s->sys, t, z, s->y);
  *w = status == DAE_OK ? dae_problem_sigma(s->sys) : 0;
  return status == DAE_E_SINGULAR || status == DAE_E_NEWTON ? DAE_OK : status;
}

/* the same on the dense output */
static dae_status watch_at(dae_solver *s, double t, double *w) {
  dae_status status =
      s->step->cls->dense(s->step, (t - s->step->t_old) / s->step->h_old, s->u_work, NULL);
  return status == DAE_OK ? watch_unknowns(s, t, s->u_work, w) : status;
}

/* golden section for the smallest value between a and b */
static dae_status lowest(dae_solver *s, double a, double b, double *t_least, double *least) {
  const double ratio = 0.6180339887498949;
  double c = b - ratio * (b - a), d = a + ratio * (b - a), wc = 0, wd = 0;
  dae_status status = watch_at(s, c, &wc);
  if (status == DAE_OK) status = watch_at(s, d, &wd);
  for (int k = 0; k < 48 && status == DAE_OK; k++) {
    if (wc < wd) {
      b = d, d = c, wd = wc;
      c = b - ratio * (b - a);
      status = watch_at(s, c, &wc);
    } else {
      a = c, c = d, wc = wd;
      d = a + ratio * (b - a);
      status = watch_at(s, d, &wd);
    }
  }
  *t_least = wc < wd ? c : d;
  *least = fmin(wc, wd);
  return status;
}

const dae_passage *dae_solver_passages(const dae_solver *s, int *count) {
  long all = s && s->passage ? s->stats.singular_passed : 0;
  if (count) *count = all < DAE_PASSAGE_MAX ? (int)all : DAE_PASSAGE_MAX;
  return s ? s->passage : NULL;
}

/* a minimum of the smallest singular value inside a step, and the least of the points that led to
   it */
typedef struct minimum {
  double t, value, point;
} minimum;
enum { MINIMA = DAE_STEP_WATCH / 2 };

/* the minimum between the points a and b of the step (in units of it) */
static dae_status locate(dae_solver *s, double a, double b, double point, minimum *m) {
  double t0 = s->step->t_old, h = s->step->h_old;
  m->point = point;
  dae_status status = lowest(s, t0 + a * h, t0 + b * h, &m->t, &m->value);
  if (status != DAE_OK) m->value = INFINITY;
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* one minimum among few points may hide others: the dense output at many */
static dae_status look_closer(dae_solver *s, minimum *found, int *count) {
  enum { FINE = 64 };
  double w[FINE + 1], t0 = s->step->t_old, h = s->step->h_old;
  minimum all[MINIMA];
  int n = 0;
  dae_status status = DAE_OK;
  for (int i = 0; i <= FINE && status == DAE_OK; i++)
    status = watch_at(s, t0 + h * i / FINE, &w[i]);
  for (int i = 1; i < FINE && n < MINIMA && status == DAE_OK; i++)
    if (w[i] < SEARCHED * s->watch_most && w[i] < w[i - 1] && w[i] <= w[i + 1])
      status = locate(s, (i - 1.0) / FINE, (i + 1.0) / FINE, found->point, &all[n++]);
  if (status == DAE_STOPPED || n <= *count) return status == DAE_STOPPED ? status : DAE_OK;
  memcpy(found, all, (size_t)n * sizeof *all);
  *count = n;
  return DAE_OK;
}

/* the minima among the points of the step */
static dae_status look(dae_solver *s, minimum *found, int *count) {
  const dae_stepper *a = s->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  int least, n = dae_drive_points(a, a->t_old, a->h_old, t, w, &least);
  bool fell = s->falling;
  dae_status status = DAE_OK;
  *count = 0;
  s->falling = w[n - 1] < w[0];
  for (int i = 0; i < n && *count < MINIMA && status == DAE_OK; i++) {
    /* one that stays there has not gone through */
    if (i > 0 && w[i] < STAYS * s->watch_most && w[i - 1] < STAYS * s->watch_most) {
      found[(*count)++] = (minimum){a->t_old + t[i] * a->h_old, w[i], w[i]};
      break;
    }
    bool low = w[i] < SEARCHED * s->watch_most;
    bool valley = (i == 0 || w[i] < w[i - 1]) && (i == n - 1 || w[i] <= w[i + 1]);
    if (i != least && !(low && valley)) continue;
    /* rising from the first point on, towards which it fell */
    if (i == 0) {
      if (fell && low) status = locate(s, 0, t[1], w[0], &found[(*count)++]);
      continue;
    }
    double x = dae_drive_vertex(n, t, w, i);
    if ((!low && w[i] > 0.6 * w[0]) || !(x > 0 && x < 1.02)) continue;
    /* one point more on both sides of where it should be */
    int left = 0, right = n - 1;
    while (left + 1 < n && t[left + 1] < x) left++;
    while (right > 0 && t[right - 1] > x) right--;
    status = locate(s, t[left > 0 ? left - 1 : 0], t[right < n - 1 ? right + 1 : n - 1], w[i],
                    &found[(*count)++]);
  }
  return status == DAE_OK && *count > 0 ? look_closer(s, found, count) : status;
}

/* has z' changed inside the step more than its values at both ends explain?
     |z1 - z0 - h (z0' + z1')/2| > WILD h max |z'|   in some level
   is a step far too long for what happens in it, or a change to another branch */
static bool wild(const dae_solver *s) {
  static const double WILD = 0.1;
  const dae_stepper *a = s->step;
  int nx = s->sys->nx;
  if (s->view->to_z) return true;
  for (int l = 0; l < s->sys->order; l++) {
    double most = 0, defect = 0;
    for (int i = l * nx; i < (l + 1) * nx; i++) {
      most = fmax(most, fmax(fabs(s->dz[i]), fabs(a->dz[i])));
      defect = fmax(defect, fabs(a->z[i] - s->z[i] - 0.5 * a->h_old * (s->dz[i] + a->dz[i])));
    }
    if (defect > WILD * fabs(a->h_old) * most) return true;
  }
  return false;
}

/* methods that do not factor the constraints at their points, or have few of them: at the end of
   the step, and where that is low also inside */
static dae_status sample(dae_solver *s) {
  enum { POINTS = 7 };
  /* of the run: few steps like these are taken, and much may happen in one */
  static const double LONG = 1.0 / 64;
  dae_stepper *a = s->step;
  double before = s->watch_before;
  dae_status status = DAE_OK;
  if (a->n_watch == 0) status = watch_unknowns(s, a->t, a->z, &a->watch_end);
  if (status != DAE_OK) return status;
  bool long_step = fabs(a->h_old) > LONG * s->span;
  s->watch_before = a->watch_end;
  s->watch_most = fmax(s->watch_most, a->watch_end);
  if (fmin(before, a->watch_end) > LOW * s->watch_most && !wild(s) && !long_step) return DAE_OK;
  a->watch_least = INFINITY, a->watch_largest = 0;
  for (a->n_watch = 0; a->n_watch < POINTS && status == DAE_OK; a->n_watch++) {
    double *w = &a->watch[a->n_watch];
    a->watch_t[a->n_watch] = a->t_old + a->h_old * a->n_watch / (POINTS - 1.0);
    status = watch_at(s, a->watch_t[a->n_watch], w);
    a->watch_least = fmin(a->watch_least, *w);
    a->watch_largest = fmax(a->watch_largest, *w);
  }
  return status;
}

/* do the points of the step come low for this run, whose scale they are part of? */
static bool dips(dae_solver *s) {
  const dae_stepper *a = s->step;
  if (a->n_watch < 3) return false;
  if (a->watch_largest > s->watch_most) s->watch_most = a->watch_largest;
  return a->watch_least < 0.6 * s->watch_most;
}

/* what the search costs is not a cost of the solution: the counts stay as they are */
static dae_status search(dae_solver *s, minimum *found, int *count) {
  dae_stepper *a = s->step;
  *count = 0;
  if (a->h_old == 0) return DAE_OK;
  bool sampled = a->n_watch < 5 && !s->own_y;
  /* most steps end here */
  if (!sampled && !dips(s)) return DAE_OK;
  int points = a->n_watch;
  dae_counts counts = s->sys->counts;
  dae_la_kkt_info info = s->sys->kkt_info;
  long evaluations = a->evaluations;
  dae_status status = sampled ? sample(s) : DAE_OK;
  if (status == DAE_OK && (!sampled || dips(s))) status = look(s, found, count);
  if (sampled) a->n_watch = points;
  s->sys->counts = counts;
  s->sys->kkt_info = info;
  a->evaluations = evaluations;
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* remembers a minimum that is zero within the accuracy of the solution; at an end of the step it
   may also be a slope that goes on */
static void record(dae_solver *s, const minimum *m) {
  double t0 = s->step->t_old, h = s->step->h_old;
  if (m->value < s->stats.smallest) {
    s->stats.smallest = m->value;
    s->stats.t_smallest = m->t;
  }
  double x = (m->t - t0) / h, tolerance = s->o.step > 0 ? 0 : 100 * dae_drive_tolerance(s);
  double zero = (x > 0.001 && x < 0.999 ? fmax(1e-6, tolerance) : 1e-6) * s->watch_most;
  if (m->value > zero || fabs(m->t - s->passed_t) < 0.02 * fabs(h)) return;
  /* what a step is forgiven is a hundred times what it leaves: tests/gallery/test_passage.c. Limits
     are better */
  bool limits = s->view->limit && m->point < s->view->limit_below;
  double rounding = limits ? 1e-11 : 0.01 * dae_drive_rounding(s, t0, h);
  double accuracy = s->o.step > 0 ? NAN : fmax(rounding, s->share * 0.01 * tolerance);
  if (s->o.step == 0) s->rounding = fmax(s->rounding, rounding);
  if (s->stats.singular_passed < DAE_PASSAGE_MAX)
    s->passage[s->stats.singular_passed] = (dae_passage){m->t, m->value, accuracy};
  s->stats.singular_passed++;
  s->passed_t = m->t;
  dae_base_log(&s->o.log, DAE_LOG_INFO,
               "singular position passed at t = %.15g, smallest singular value %.3g", m->t,
               m->value);
}

dae_status dae_drive_crossing(dae_solver *s, double *crossed) {
  minimum found[MINIMA];
  int count;
  bool passes = s->own_y || dae_drive_crosses(&s->way[s->now]);
  dae_status status = search(s, found, &count);
  *crossed = NAN;
  for (int i = 0; i < count && status == DAE_OK && !passes && isnan(*crossed); i++)
    if (found[i].value < CROSSED * s->watch_most) *crossed = found[i].t;
  if (isnan(*crossed) && status == DAE_OK && dae_drive_judge_due(s)) *crossed = s->step->t_old;
  if (!isnan(*crossed) && s->judge) {
    const double *z = s->step->z;
    if (s->view->to_z) {
      if (s->view->to_z(s->view, s->step->t, z, s->z_work) != DAE_OK) return status;
      z = s->z_work;
    }
    if (dae_drive_judge_agrees(s, s->step->t, z)) *crossed = NAN;
  }
  for (int i = 0; i < count && status == DAE_OK && isnan(*crossed); i++) record(s, &found[i]);
  return status;
}
