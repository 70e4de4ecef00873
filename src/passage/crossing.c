/*
 * singular positions inside an accepted step: found on the dense output, counted, and kept from
 * methods that do not pass them.
 *
 * Methods that factor the constraints at many points show the smallest singular value there; of
 * the others it is sampled. Where it comes low a golden section finds the minimum: zero on a
 * singular position. An explicit method on the eliminated, projected problem goes through it
 * (steer.c). Any other step across may have changed to another branch, or lost its velocity, with
 * an error estimate that says nothing: it is not accepted.
 */
#include <math.h>
#include <string.h>

#include "passage/guard.h"

/* of the largest smallest singular value: what calls for a look, what for a search, and below what
   a minimum counts as a singular position for a method that must not cross it. Dense output of a
   step that went astray misses the position by the error of the step, hence the room */
static const double LOW = 0.5, SEARCHED = 0.3, CROSSED = 0.05;
/* and what two points of a step show when the motion has stuck on the position */
static const double STAYS = 1e-6;
/* points that come down to this part of the largest of the run, or of the step, may have a zero
   beside them, the next step's first points included (BEYOND, in units of the step) */
static const double DIP = 0.6, BEYOND = 1.02;
/* steps that are longer than this part of the run: few are taken, and much may happen in one */
static const double LONG = 1.0 / 64;
/* z' changes inside the step by more of itself than its ends explain */
static const double WILD = 0.1;
/* a minimum is zero where it is this part of the largest value, or a hundred tolerances inside the
   step (INSIDE of its ends, where it may be a slope that goes on); one that lies within SAME steps
   of the last, or before the value has RISEN to this part of the largest and above what is zero, is
   that one: on its way away from zero rounding makes minima */
static const double ZERO = 1e-6, TOLERANCES = 100, INSIDE = 1e-3, SAME = 0.02, RISEN = 1e-3;
/* what limits leave of a passage, and which part of what a step is forgiven it really leaves:
   tests/gallery/test_passage.c */
static const double LEFT_BY_LIMITS = 1e-11, LEFT = 0.01;
/* points of a step whose method shows fewer than ENOUGH; those where one minimum among few may hide
   others; halvings of the golden section, to rounding */
enum { POINTS = 7, ENOUGH = 5, FINE = 64, SECTIONS = 48 };

/* smallest singular value at the unknowns u of the view; 0 where rank is lost, or where the
   constraints cannot be solved for the rest of z */
static dae_status watch_unknowns(dae_guard *g, double t, const double *u, double *w) {
  const double *z = u;
  dae_status status = DAE_OK;
  if (g->view->to_z) {
    status = g->view->to_z(g->view, t, u, g->z_work);
    z = g->z_work;
  }
  dae_point_at(g->point, t, z);
  if (status == DAE_OK) status = dae_point_factor(g->point, g->y);
  *w = status == DAE_OK ? dae_point_sigma(g->point) : 0;
  return status == DAE_E_SINGULAR || status == DAE_E_NEWTON ? DAE_OK : status;
}

/* the same on the dense output */
static dae_status watch_at(dae_guard *g, double t, double *w) {
  dae_status status =
      g->step->cls->dense(g->step, (t - g->step->t_old) / g->step->h_old, g->u_work, NULL);
  return status == DAE_OK ? watch_unknowns(g, t, g->u_work, w) : status;
}

/* golden section for the smallest value between a and b */
static dae_status lowest(dae_guard *g, double a, double b, double *t_least, double *least) {
  const double ratio = 0.6180339887498949;
  double c = b - ratio * (b - a), d = a + ratio * (b - a), wc = 0, wd = 0;
  dae_status status = watch_at(g, c, &wc);
  if (status == DAE_OK) status = watch_at(g, d, &wd);
  for (int k = 0; k < SECTIONS && status == DAE_OK; k++) {
    if (wc < wd) {
      b = d, d = c, wd = wc;
      c = b - ratio * (b - a);
      status = watch_at(g, c, &wc);
    } else {
      a = c, c = d, wc = wd;
      d = a + ratio * (b - a);
      status = watch_at(g, d, &wd);
    }
  }
  *t_least = wc < wd ? c : d;
  *least = fmin(wc, wd);
  return status;
}

/* a minimum of the smallest singular value inside a step, and the least of the points that led to
   it */
typedef struct minimum {
  double t, value, point;
} minimum;
enum { MINIMA = DAE_STEP_WATCH / 2 };

/* the minimum between the points a and b of the step (in units of it) */
static dae_status locate(dae_guard *g, double a, double b, double point, minimum *m) {
  double t0 = g->step->t_old, h = g->step->h_old;
  m->point = point;
  dae_status status = lowest(g, t0 + a * h, t0 + b * h, &m->t, &m->value);
  if (status != DAE_OK) m->value = INFINITY;
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* one minimum among few points may hide others: the dense output at many */
static dae_status look_closer(dae_guard *g, minimum *found, int *count) {
  /* between two samples a zero is far below both; redundant rows make small steps in the values,
     depending on which of them counts, that are minima too */
  static const double DEEP = 0.5;
  double w[FINE + 1], t0 = g->step->t_old, h = g->step->h_old;
  minimum all[MINIMA];
  int n = 0;
  dae_status status = DAE_OK;
  for (int i = 0; i <= FINE && status == DAE_OK; i++)
    status = watch_at(g, t0 + h * i / FINE, &w[i]);
  for (int i = 1; i < FINE && n < MINIMA && status == DAE_OK; i++)
    if (w[i] < SEARCHED * g->most && w[i] < w[i - 1] && w[i] <= w[i + 1]) {
      status = locate(g, (i - 1.0) / FINE, (i + 1.0) / FINE, found->point, &all[n]);
      n += all[n].value < DEEP * w[i];
    }
  if (status == DAE_STOPPED || n <= *count) return status == DAE_STOPPED ? status : DAE_OK;
  memcpy(found, all, (size_t)n * sizeof *all);
  *count = n;
  return DAE_OK;
}

/* the minima among the points of the step */
static dae_status look(dae_guard *g, const dae_watch *seen, minimum *found, int *count) {
  const dae_stepper *a = g->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  int least, n = dae_passage_points(seen, a->t_old, a->h_old, t, w, &least);
  bool fell = g->falling;
  dae_status status = DAE_OK;
  *count = 0;
  g->falling = w[n - 1] < w[0];
  for (int i = 0; i < n && *count < MINIMA && status == DAE_OK; i++) {
    /* one that stays there has not gone through */
    if (i > 0 && w[i] < STAYS * g->most && w[i - 1] < STAYS * g->most) {
      found[(*count)++] = (minimum){a->t_old + t[i] * a->h_old, w[i], w[i]};
      break;
    }
    bool low = w[i] < SEARCHED * g->most;
    bool valley = (i == 0 || w[i] < w[i - 1]) && (i == n - 1 || w[i] <= w[i + 1]);
    if (i != least && !(low && valley)) continue;
    /* rising from the first point on, towards which it fell */
    if (i == 0) {
      if (fell && low) status = locate(g, 0, t[1], w[0], &found[(*count)++]);
      continue;
    }
    double x = dae_passage_vertex(n, t, w, i);
    if ((!low && w[i] > DIP * seen->largest) || !(x > 0 && x < BEYOND)) continue;
    /* one point more on both sides of where it should be */
    int left = 0, right = n - 1;
    while (left + 1 < n && t[left + 1] < x) left++;
    while (right > 0 && t[right - 1] > x) right--;
    status = locate(g, t[left > 0 ? left - 1 : 0], t[right < n - 1 ? right + 1 : n - 1], w[i],
                    &found[(*count)++]);
  }
  return status == DAE_OK && *count > 0 ? look_closer(g, found, count) : status;
}

/* has z' changed inside the step more than its values at both ends explain?
     |z1 - z0 - h (z0' + z1')/2| > WILD h max |z'|   in some level
   is a step far too long for what happens in it, or a change to another branch */
static bool wild(const dae_guard *g) {
  const dae_stepper *a = g->step;
  const double *z = g->at.z, *dz = g->at.dz;
  int nx = g->sys->nx;
  if (g->view->to_z) return true;
  for (int l = 0; l < g->sys->order; l++) {
    double most = 0, defect = 0;
    for (int i = l * nx; i < (l + 1) * nx; i++) {
      most = fmax(most, fmax(fabs(dz[i]), fabs(a->dz[i])));
      defect = fmax(defect, fabs(a->z[i] - z[i] - 0.5 * a->h_old * (dz[i] + a->dz[i])));
    }
    if (defect > WILD * fabs(a->h_old) * most) return true;
  }
  return false;
}

/* methods that do not factor the constraints at their points, or have few of them: at the end of
   the step, and where that is low also inside */
static dae_status sample(dae_guard *g, const dae_watch **seen) {
  const dae_stepper *a = g->step;
  dae_watch *own = &g->sampled;
  double before = g->before;
  dae_status status = DAE_OK;
  if (a->watch.n == 0) status = watch_unknowns(g, a->t, a->z, &g->end);
  if (status != DAE_OK) return status;
  bool long_step = fabs(a->h_old) > LONG * g->at.span;
  g->before = g->end;
  g->most = fmax(g->most, g->end);
  if (fmin(before, g->end) > LOW * g->most && !wild(g) && !long_step) return DAE_OK;
  own->least = INFINITY, own->largest = 0;
  for (own->n = 0; own->n < POINTS && status == DAE_OK; own->n++) {
    double *w = &own->w[own->n];
    own->t[own->n] = a->t_old + a->h_old * own->n / (POINTS - 1.0);
    status = watch_at(g, own->t[own->n], w);
    own->least = fmin(own->least, *w);
    own->largest = fmax(own->largest, *w);
  }
  *seen = own;
  return status;
}

/* do the points of the step come low for this run, whose scale they are part of? */
static bool dips(dae_guard *g, const dae_watch *seen) {
  if (seen->n < 3) return false;
  if (seen->largest > g->most) g->most = seen->largest;
  return seen->least < DIP * g->most;
}

/* what the search costs is not a cost of the solution */
static dae_status search(dae_guard *g, minimum *found, int *count) {
  dae_stepper *a = g->step;
  const dae_watch *seen = &a->watch;
  *count = 0;
  if (seen->n > 0) g->end = seen->end;
  if (a->h_old == 0) return DAE_OK;
  bool few = seen->n < ENOUGH && !g->run.own_y;
  /* most steps end here */
  if (!few && !dips(g, seen)) return DAE_OK;
  dae_point_aside(g->point);
  long evaluations = a->evaluations;
  double limited_t = g->limited_t;
  dae_status status = few ? sample(g, &seen) : DAE_OK;
  if (status == DAE_OK && (!few || dips(g, seen))) status = look(g, seen, found, count);
  dae_point_back(g->point);
  a->evaluations = evaluations;
  g->limited_t = limited_t;
  return status == DAE_STOPPED ? status : DAE_OK;
}

/* the largest value at the points of the step behind t */
static double risen_behind(const dae_guard *g, double t) {
  const dae_watch *seen = g->step->watch.n < ENOUGH ? &g->sampled : &g->step->watch;
  double most = 0;
  for (int i = 0; i < seen->n; i++)
    if ((seen->t[i] - t) * g->step->h_old > 0) most = fmax(most, seen->w[i]);
  return most;
}

/* remembers a minimum that is zero within the accuracy of the solution; at an end of the step it
   may also be a slope that goes on */
static void record(dae_guard *g, const minimum *m, double share) {
  double t0 = g->step->t_old, h = g->step->h_old;
  if (m->value < g->smallest) {
    g->smallest = m->value;
    g->t_smallest = m->t;
  }
  double x = (m->t - t0) / h, tolerance = g->run.fixed_steps ? 0 : dae_passage_tolerance(g);
  bool inside = x > INSIDE && x < 1 - INSIDE;
  double zero = (inside ? fmax(ZERO, TOLERANCES * tolerance) : ZERO) * g->most;
  if (m->value > zero || fabs(m->t - g->passed_t) < SAME * fabs(h)) return;
  if (g->risen < fmax(RISEN * g->most, zero)) return;
  bool limits = g->view->limiting && m->point < g->view->limit_below;
  double rounding = limits ? LEFT_BY_LIMITS : LEFT * dae_passage_rounding_in(g, t0, h);
  double accuracy = g->run.fixed_steps ? NAN : fmax(rounding, share * tolerance);
  if (!g->run.fixed_steps) g->rounding = fmax(g->rounding, rounding);
  if (g->passed < DAE_PASSAGE_MAX) g->passage[g->passed] = (dae_passage){m->t, m->value, accuracy};
  g->passed++;
  g->passed_t = m->t;
  g->risen = risen_behind(g, m->t);
  dae_base_log(&g->run.log, DAE_LOG_INFO,
               "singular position passed at t = %.15g, smallest singular value %.3g", m->t,
               m->value);
}

/* a minimum that is zero within the accuracy of the solution */
static bool zero(const dae_guard *g, const minimum *m) {
  double tolerance = g->run.fixed_steps ? 0 : dae_passage_tolerance(g);
  return m->value <= fmax(ZERO, TOLERANCES * tolerance) * g->most;
}

dae_status dae_passage_crossing(dae_guard *g, double share, double *crossed) {
  minimum found[MINIMA];
  int count;
  bool passes = g->run.own_y || g->crosses;
  dae_status status = search(g, found, &count);
  *crossed = NAN;
  for (int i = 0; i < count && status == DAE_OK && !g->influence; i++) {
    g->influence = zero(g, &found[i]) && dae_passage_influence_lost(g, found[i].t);
    if (g->influence) *crossed = found[i].t;
  }
  if (status == DAE_OK && !g->influence) {
    *crossed = dae_passage_influence_turned(g);
    g->influence = !isnan(*crossed);
  }
  if (g->influence) return status;
  for (int i = 0; i < count && status == DAE_OK && !passes && isnan(*crossed); i++)
    if (found[i].value < CROSSED * g->most) *crossed = found[i].t;
  if (isnan(*crossed) && status == DAE_OK && dae_passage_witness_due(g)) *crossed = g->step->t_old;
  if (!isnan(*crossed) && g->testimony.witness) {
    const double *z = g->step->z;
    if (g->view->to_z) {
      if (g->view->to_z(g->view, g->step->t, z, g->z_work) != DAE_OK) return status;
      z = g->z_work;
    }
    if (dae_passage_witness_agrees(g, g->step->t, z)) *crossed = NAN;
  }
  for (int i = 0; i < count && status == DAE_OK && isnan(*crossed); i++)
    record(g, &found[i], share);
  return status;
}
