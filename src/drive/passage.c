/*
 * passage through singular positions: isolated points where the constraints lose rank.
 *
 * Along the exact motion everything is smooth there: only the multipliers, and with them the
 * direction of the reaction forces, cannot be computed AT the point, and nearby with an error of
 * rounding/distance. So the points at which a step evaluates the problem are kept away from it: the
 * smallest singular value, which each factorization gives for nothing, falls to zero like |t - t*|;
 * when some point of an attempt has come within a few per cent of the step, the step size is
 * changed so that t* falls into the widest gap between the nodes.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drive/drive.h"

/* the points of the step from t0 of size h in the order of time, in units of h; *least is the index
   of the smallest value. Returns how many */
static int sorted(const dae_stepper *a, double t0, double h, double *t, double *w, int *least) {
  int n = 0;
  for (int i = 0; i < a->n_watch; i++) {
    double x = (a->watch_t[i] - t0) / h, value = a->watch[i];
    int j = n++;
    for (; j > 0 && t[j - 1] > x; j--) t[j] = t[j - 1], w[j] = w[j - 1];
    t[j] = x;
    w[j] = value;
  }
  *least = 0;
  for (int i = 1; i < n; i++)
    if (w[i] < w[*least]) *least = i;
  return n;
}

/* where w vanishes if it is s |x - x*| on both sides of its smallest value, in units of the step:
   negative before it, INFINITY when w does not change like that */
static double vertex(int n, const double *t, const double *w, int least) {
  if (least == 0) return w[n / 2] > w[0] ? -w[0] * t[n / 2] / (w[n / 2] - w[0]) : INFINITY;
  if (t[least] < 0.999) {
    /* the neighbours tell more: the least value itself may be rounding */
    double l = w[least - 1], r = w[least + 1];
    return (t[least - 1] * r + t[least + 1] * l) / (l + r);
  }
  /* at the end: the line through the two points before tells whether zero was crossed since */
  int b = n - 1;
  while (b > 0 && t[b] > 0.95) b--;
  int a = b > 0 ? b - 1 : 0;
  double slope = a < b ? (w[a] - w[b]) / (t[b] - t[a]) : 0,
         x = slope > 0 ? t[b] + w[b] / slope : INFINITY;
  if (x < 1) return x;
  double fall = w[b] - w[least];
  return fall > 0 ? 1 + w[least] * (1 - t[b]) / fall : x;
}

/* the middle of the widest gap between the points, and how far x is from the nearest one */
static double widest_gap(int n, const double *t, double x, double *near) {
  double width = 0, middle = 0.5;
  *near = INFINITY;
  for (int i = 0; i < n; i++) {
    *near = fmin(*near, fabs(t[i] - x));
    if (i > 0 && t[i] - t[i - 1] > width) {
      width = t[i] - t[i - 1];
      middle = 0.5 * (t[i] + t[i - 1]);
    }
  }
  return middle;
}

bool dae_drive_calm(const dae_solver *s) {
  const dae_stepper *a = s->step;
  return a->n_watch < 3 ||
         (a->watch_least > 0.7 * a->watch[0] && a->watch_least > 0.3 * s->watch_most);
}

double dae_drive_steer(const dae_solver *s, double h) {
  const dae_stepper *a = s->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH], near;
  /* already there: points that come too near take limits */
  if (s->leaving || a->n_watch < 3 || !(a->watch_least <= 0.7 * a->watch[0])) return h;
  int least, n = sorted(a, a->t, h, t, w, &least);
  double x = vertex(n, t, w, least), middle = widest_gap(n, t, x, &near);
  /* at the end of the way there is no going round it either */
  if (fabs(a->t + x * h - a->t_limit) < 0.05 * fabs(h)) return h;
  /* far ahead, or crossed between the points with room on both sides */
  if (x <= 0 || !(x < 1.4 * middle + 0.75) || (near > 0.08 && x < 0.8)) return h;
  /* stop where a step of the same size has it in its widest gap; or, already too near for that,
     jump now */
  return x > middle + 0.1 ? h * (x - middle) : h * x / middle;
}

bool dae_drive_at_rank_loss(dae_solver *s) {
  dae_status status = s->sys->ny > 0 ? dae_problem_kkt(s->sys, s->t, s->z, s->y) : DAE_E_INPUT;
  return status == DAE_E_SINGULAR ||
         (status == DAE_OK && s->sys->kkt_info.smallest < 0.2 * s->watch_most);
}

bool dae_drive_low(const dae_solver *s) {
  return s->step->n_watch > 0 && s->step->h_old != 0 && s->step->watch_end < 0.01 * s->watch_most;
}

bool dae_drive_near(const dae_solver *s, double h) {
  const dae_stepper *a = s->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  /* low for this run, and falling so fast that a few more steps reach zero: from there on the
     right-hand side off the constraints varies on the scale of the distance, and would make the
     steps as short */
  if (a->n_watch < 3 || !(a->watch_least <= 0.3 * s->watch_most)) return false;
  int least, n = sorted(a, a->t, h, t, w, &least);
  double x = vertex(n, t, w, least);
  return x > 0 && x < 10;
}

void dae_drive_lengths_start(dae_solver *s) {
  if (s->sys->ny > 0)
    memset(dae_la_kkt_lengths(s->sys->kkt), 0, (size_t)s->sys->nc * sizeof *s->lengths);
}

void dae_drive_lengths_keep(dae_solver *s) {
  if (s->sys->ny > 0)
    memcpy(s->lengths, dae_la_kkt_lengths(s->sys->kkt), (size_t)s->sys->nc * sizeof *s->lengths);
}

void dae_drive_lengths_restore(dae_solver *s) {
  if (s->sys->ny > 0)
    memcpy(dae_la_kkt_lengths(s->sys->kkt), s->lengths, (size_t)s->sys->nc * sizeof *s->lengths);
}

/* short steps where the constraints are about to lose rank: at an end of the motion they shrink
   with the way that is left, which is then a few of them; far from it they have other reasons */
bool dae_drive_stuck(dae_solver *s, double h) {
  enum { SMALL_STEPS = 40, FAR = 30 };
  const dae_stepper *a = s->step;
  bool low = s->watch && a->n_watch > 0 && a->watch_end < 0.05 * s->watch_most;
  bool small = low && h < 1e-6 * s->span;
  if (small && a->n_watch >= 3) {
    double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
    int least, n = sorted(a, a->t_old, a->h_old, t, w, &least);
    double x = vertex(n, t, w, least);
    small = !isfinite(x) || fabs(x) < FAR;
  }
  s->small_steps = small ? s->small_steps + 1 : 0;
  return s->small_steps > SMALL_STEPS;
}

/* A point at relative distance d = w/w_most from t* has its reaction forces wrong by about eps/d^2:
   once for the position, which decides the direction, once for the velocity, which was projected
   along it. The factors are what slider-cranks, four-bars and double sliders show in a crossing and
   some steps before it. */
static double rounding(const dae_solver *s, double t0, double h) {
  const dae_stepper *a = s->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  if (a->n_watch < 3) return 0;
  int least, n = sorted(a, t0, h, t, w, &least);
  double x = vertex(n, t, w, least), most = fmax(s->watch_most, w[0]);
  if ((!s->leaving && !(fabs(x) < 10)) || most <= 0) return 0;
  /* on the way out, or in, the points come one after the other: the one in the middle stands for
     those that count */
  bool ends = s->leaving || fabs(t0 + x * h - a->t_limit) < 0.05 * fabs(h);
  double d = (ends ? w[n / 2] : w[least]) / most;
  double factor = s->leaving || (x > 0 && x < 1.5) ? 3000 : 30;
  return d > 0 ? fmin(1e-6, factor * DBL_EPSILON / (d * d)) : 1e-6;
}

double dae_drive_rounding(const dae_solver *s) { return rounding(s, s->step->t, s->step->h); }

/* smallest singular value on the dense output */
static dae_status watch_at(dae_solver *s, double t, double *w) {
  dae_status status =
      s->step->cls->dense(s->step, (t - s->step->t_old) / s->step->h_old, s->u_work, NULL);
  if (status == DAE_OK) status = dae_problem_kkt(s->sys, t, s->u_work, s->y);
  *w = s->sys->kkt_info.smallest;
  /* on the point itself the rank is lost: that is what is looked for */
  if (status == DAE_E_SINGULAR || s->sys->kkt_info.rank < s->sys->ny) *w = 0;
  return status == DAE_E_SINGULAR ? DAE_OK : status;
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

/* a singular position between the points a and b of the step (in units of it)? Finds it exactly and
   remembers it */
static dae_status locate(dae_solver *s, double a, double b, double w_least) {
  const dae_stepper *step = s->step;
  double where = 0, value = 0, t0 = step->t_old, h = step->h_old;
  dae_status status = lowest(s, t0 + a * h, t0 + b * h, &where, &value);
  if (status != DAE_OK) return status == DAE_STOPPED ? status : DAE_OK;
  if (value < s->stats.smallest) {
    s->stats.smallest = value;
    s->stats.t_smallest = where;
  }
  /* zero within the accuracy of the solution; at an end of the step it may also be a slope that
     goes on */
  double x = (where - t0) / h, tolerance = s->o.step > 0 ? 0 : 100 * fmax(s->o.rtol, s->o.atol);
  double zero = (x > 0.001 && x < 0.999 ? fmax(1e-6, tolerance) : 1e-6) * s->watch_most;
  if (value > zero || fabs(where - s->passed_t) < 0.05 * fabs(h)) return DAE_OK;
  /* what a step is forgiven is a hundred times what it leaves: tests/gallery/test_passage.c. Limits
     are better */
  bool limits = s->view->limit && w_least < s->view->limit_below;
  double accuracy = fmax(limits ? 1e-11 : 0.01 * rounding(s, t0, h), s->share * 0.01 * tolerance);
  if (s->stats.singular_passed < DAE_PASSAGE_MAX)
    s->passage[s->stats.singular_passed] = (dae_passage){where, value, accuracy};
  s->stats.singular_passed++;
  s->passed_t = where;
  dae_base_log(&s->o.log, DAE_LOG_INFO,
               "singular position passed at t = %.15g, smallest singular value %.3g", where, value);
  return DAE_OK;
}

/* looks for one in the points of the step */
static dae_status look(dae_solver *s) {
  const dae_stepper *a = s->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  int least, n = sorted(a, a->t_old, a->h_old, t, w, &least);
  bool fell = s->falling;
  s->falling = w[n - 1] < w[0];
  bool low = w[least] < 0.3 * s->watch_most;
  /* rising from the first point on, towards which it fell */
  if (least == 0) return fell && low ? locate(s, 0, t[1], w[0]) : DAE_OK;
  double x = vertex(n, t, w, least);
  if ((!low && w[least] > 0.6 * w[0]) || !(x > 0 && x < 1.02)) return DAE_OK;
  /* one point more on both sides of where it should be */
  int left = 0, right = n - 1;
  while (left + 1 < n && t[left + 1] < x) left++;
  while (right > 0 && t[right - 1] > x) right--;
  return locate(s, t[left > 0 ? left - 1 : 0], t[right < n - 1 ? right + 1 : n - 1], w[least]);
}

/* methods that do not factor the constraints at their points, or have few of them: at the end of
   the step, and where that is low also inside */
static dae_status sample(dae_solver *s) {
  enum { POINTS = 7 };
  dae_stepper *a = s->step;
  double before = s->watch_before;
  dae_status status = a->n_watch > 0 ? DAE_OK : dae_problem_kkt(s->sys, s->t, s->z, s->y);
  if (status != DAE_OK && status != DAE_E_SINGULAR) return status;
  if (a->n_watch == 0)
    a->watch_end = status == DAE_E_SINGULAR || s->sys->kkt_info.rank < s->sys->ny
                       ? 0
                       : s->sys->kkt_info.smallest;
  s->watch_before = a->watch_end;
  s->watch_most = fmax(s->watch_most, a->watch_end);
  if (fmin(before, a->watch_end) > 0.5 * s->watch_most) return DAE_OK;
  status = DAE_OK;
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

dae_status dae_drive_passed(dae_solver *s) {
  dae_stepper *a = s->step;
  if (a->h_old == 0) return DAE_OK;
  bool sampled = a->n_watch < 5 && !s->own_y && !s->view->to_z;
  /* most steps end here */
  if (!sampled && !dips(s)) return DAE_OK;
  int points = a->n_watch;
  dae_counts counts = s->sys->counts;
  dae_la_kkt_info info = s->sys->kkt_info;
  long evaluations = a->evaluations;
  dae_status status = sampled ? sample(s) : DAE_OK;
  if (status == DAE_OK && (!sampled || dips(s))) status = look(s);
  if (sampled) a->n_watch = points;
  s->sys->counts = counts;
  s->sys->kkt_info = info;
  a->evaluations = evaluations;
  return status == DAE_STOPPED ? status : DAE_OK;
}
