/*
 * steering past singular positions.
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

#include "passage/guard.h"

/* Smallest singular values. A fall to this part of the first point of the attempt is a reason to
   look; this part of the largest of the run is low for it: in both cases a straight line reaches
   zero within a few steps. At DEEP nothing but a singular position is near */
static const double FALL = 0.7, LOW = 0.3, DEEP = 0.05;
enum { FEW = 3 }; /* points that tell no line */
/* times in units of the step. A position that is nearer to a point than NEAR leaves it no digits to
   speak of (distance squared, see below), unless it has CLEAR room behind it; at the END of the way
   there is no going round it */
static const double NEAR = 0.08, CLEAR = 0.8, END = 0.05;
/* steps of size h put a position that is less than REACH_SLOPE times the middle of the widest gap,
   plus REACH, ahead into that gap by one shorter step; nearer than ROOM to it the step itself is
   stretched or cut */
static const double REACH_SLOPE = 1.4, REACH = 0.75, ROOM = 0.1;
/* within so many steps the slope off the constraints varies on the scale of the distance */
static const double SOON = 10;
/* A point at relative distance d = w/w_most from t* has its reaction forces wrong by about eps/d^2:
   once for the position, which decides the direction, once for the velocity, which was projected
   along it. The factors are what slider-cranks, four-bars and double sliders show in a crossing
   (within ACROSS steps of t*) and some steps before it; more than the MOST no step is forgiven */
static const double FACTOR_ACROSS = 3000, FACTOR_BEFORE = 30, ACROSS = 1.5;
static const double MOST_ACROSS = 1e-6, MOST_BEFORE = 1e-8;
/* the limits beside a singular position round more coarsely than any step */
static const double LIMITS = 1e-12;
/* rows of unit length that are well apart have smallest singular values from here to 1: a run that
   began near a singular position has not seen them yet */
static const double APART = 0.5;
/* so many steps in a row of this part of the run, with zero less than FAR of them away: nothing
   moves on */
enum { SMALL_STEPS = 40, FAR = 30 };
static const double SMALL = 1e-6;

int dae_passage_points(const dae_watch *seen, double t0, double h, double *t, double *w,
                       int *least) {
  int n = 0;
  for (int i = 0; i < seen->n; i++) {
    double x = (seen->t[i] - t0) / h, value = seen->w[i];
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

double dae_passage_vertex(int n, const double *t, const double *w, int least) {
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

bool dae_passage_calm(const dae_guard *g) {
  const dae_stepper *a = g->step;
  return a->watch.n < FEW ||
         (a->watch.least > FALL * a->watch.w[0] && a->watch.least > LOW * g->most);
}

double dae_passage_steer(const dae_guard *g, double h) {
  const dae_stepper *a = g->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH], near;
  /* already there: points that come too near take limits */
  if (g->leaving || a->watch.n < FEW || !(a->watch.least <= FALL * a->watch.w[0])) return h;
  int least, n = dae_passage_points(&a->watch, a->t, h, t, w, &least);
  double x = dae_passage_vertex(n, t, w, least), middle = widest_gap(n, t, x, &near);
  /* at the end of the way there is no going round it either, and behind it no need to: the end is
     as near to it as any point will be */
  if (x > (g->at.stop - a->t) / h - END) return h;
  /* far ahead, or crossed between the points with room on both sides */
  if (x <= 0 || !(x < REACH_SLOPE * middle + REACH) || (near > NEAR && x < CLEAR)) return h;
  /* stop where a step of the same size has it in its widest gap; or, already too near for that,
     jump now */
  return x > middle + ROOM ? h * (x - middle) : h * x / middle;
}

bool dae_passage_ahead(const dae_guard *g, double h) {
  const dae_stepper *a = g->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  /* low for this run, and falling so fast that a few more steps reach zero: from there on the
     right-hand side off the constraints varies on the scale of the distance, and would make the
     steps as short */
  if (a->watch.n < FEW || !(a->watch.least <= LOW * g->most)) return false;
  int least, n = dae_passage_points(&a->watch, a->t, h, t, w, &least);
  double x = dae_passage_vertex(n, t, w, least);
  return x > 0 && x < SOON;
}

/* short steps where the constraints are about to lose rank: at an end of the motion they shrink
   with the way that is left, which is then a few of them; far from it they have other reasons */
bool dae_passage_stuck(dae_guard *g, double h) {
  const dae_stepper *a = g->step;
  bool low = g->watch && a->watch.n > 0 && a->watch.end < DEEP * g->most;
  bool small = low && h < SMALL * g->at.span;
  if (small && a->watch.n >= FEW) {
    double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
    int least, n = dae_passage_points(&a->watch, a->t_old, a->h_old, t, w, &least);
    double x = dae_passage_vertex(n, t, w, least);
    small = !isfinite(x) || fabs(x) < FAR;
  }
  g->small_steps = small ? g->small_steps + 1 : 0;
  return g->small_steps > SMALL_STEPS;
}

static double regular(const dae_guard *g) { return fmax(g->most, APART); }

double dae_passage_noise(const dae_guard *g) {
  const dae_stepper *a = g->step;
  double limits = dae_passage_near(g) ? LIMITS : 0;
  if (!g->watch || a->watch.n == 0 || a->h_old == 0 || a->watch.end >= LOW * g->most) return limits;
  double d = a->watch.end / regular(g);
  return fmax(limits, fmin(MOST_BEFORE, FACTOR_BEFORE * DBL_EPSILON / (d * d)));
}

double dae_passage_rounding_in(const dae_guard *g, double t0, double h) {
  const dae_stepper *a = g->step;
  double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
  if (a->watch.n < FEW) return 0;
  int least, n = dae_passage_points(&a->watch, t0, h, t, w, &least);
  double x = dae_passage_vertex(n, t, w, least), most = fmax(regular(g), w[0]);
  if ((!g->leaving && !(fabs(x) < SOON)) || most <= 0) return 0;
  /* on the way out, or in, the points come one after the other: the one in the middle stands for
     those that count */
  bool ends = g->leaving || fabs(t0 + x * h - g->at.stop) < END * fabs(h);
  double d = (ends ? w[n / 2] : w[least]) / most;
  double factor = g->leaving || (x > 0 && x < ACROSS) ? FACTOR_ACROSS : FACTOR_BEFORE;
  return d > 0 ? fmin(MOST_ACROSS, factor * DBL_EPSILON / (d * d)) : MOST_ACROSS;
}

/* eps/d^2 where the last step ended: this does not fall with the step that follows */
double dae_passage_left(const dae_guard *g) {
  const dae_stepper *a = g->step;
  if (!g->watch || a->watch.n == 0 || a->h_old == 0 || !(a->watch.end > 0)) return 0;
  double d = a->watch.end / regular(g);
  return d < 1 ? fmin(MOST_BEFORE, FACTOR_ACROSS * DBL_EPSILON / (d * d)) : 0;
}

double dae_passage_rounding(const dae_guard *g) {
  return g->watch ? dae_passage_rounding_in(g, g->step->t, g->step->h) : 0;
}
