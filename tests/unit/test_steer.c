/* steering past a singular position, where values fall like |t - t*| and the answer is known */
#include <float.h>
#include <math.h>

#include "passage/guard.h"
#include "test.h"

/* a step whose points and values are made by hand */
typedef struct scene {
  dae_guard guard;
  dae_stepper step;
  dae_view view;
  dae_method method;
} scene;

/* nodes of an eighth-order method, unevenly spread as they are there */
static const double node[] = {0,    0.0526, 0.0789, 0.118, 0.282, 0.333,
                              0.25, 0.308,  0.651,  0.6,   0.857, 1};
enum { NODES = sizeof node / sizeof *node };

/* the attempt from t of size h with w = slope |t - t*| */
static void attempt(scene *s, double t, double h, double where, double slope) {
  dae_watch *seen = &s->step.watch;
  seen->n = NODES;
  seen->least = INFINITY, seen->largest = 0;
  for (int i = 0; i < NODES; i++) {
    seen->t[i] = t + node[i] * h;
    seen->w[i] = slope * fabs(seen->t[i] - where);
    seen->least = fmin(seen->least, seen->w[i]);
    seen->largest = fmax(seen->largest, seen->w[i]);
  }
  s->step.t = t;
  s->step.h = h;
}

static void set(scene *s, double most) {
  *s = (scene){.guard = {.watch = true, .most = most, .limited_t = NAN}};
  s->method = (dae_method){.name = "by hand", .estimate = 7, .order = 8, .stages = 12};
  s->view = (dae_view){.passes = true};
  s->step.method = &s->method;
  s->step.view = &s->view;
  s->guard.step = &s->step;
  s->guard.view = &s->view;
  s->guard.at = (dae_attempt){.stop = 1e3, .span = 1e3};
}

/* two straight lines meet where they meet, whichever point comes nearest */
static void vertex(void) {
  scene s;
  set(&s, 1);
  for (double where = -0.7; where < 2.5; where += 0.0937) {
    double t[DAE_STEP_WATCH], w[DAE_STEP_WATCH];
    int least;
    attempt(&s, 3.1, 0.21, 3.1 + where * 0.21, 0.8);
    int n = dae_passage_points(&s.step.watch, 3.1, 0.21, t, w, &least);
    CHECK(n == NODES);
    for (int i = 1; i < n; i++) CHECK(t[i] >= t[i - 1]);
    /* between the last but one and the last point one line alone is seen: 0.857 .. 1 is the gap */
    double x = dae_passage_vertex(n, t, w, least);
    CHECK_NEAR(x, where, where > 0 && where < 0.053 ? 0.06 : 1e-9);
  }
}

/* the size that is proposed, or the step of the old size after it, has the position in a gap: no
   point within a twentieth of the step, where the attempt had one */
static void gap(void) {
  scene s;
  int steered = 0;
  for (double where = 0.02; where < 1.6; where += 0.0173)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double t = 2.3, h = sign * 0.37, place = t + where * h;
      set(&s, 0.9);
      s.guard.at.stop = sign * 1e3;
      attempt(&s, t, h, place, 0.6);
      double better = dae_passage_steer(&s.guard, h);
      CHECK(better * h > 0);
      if (better == h) continue;
      steered++;
      double near = INFINITY, after = INFINITY;
      for (int i = 0; i < NODES; i++) {
        near = fmin(near, fabs(t + node[i] * better - place) / fabs(better));
        after = fmin(after, fabs(t + better + node[i] * h - place) / fabs(h));
      }
      bool jumps = (place - t) / better < 1;
      CHECK(jumps ? near > 0.05 : near > 0.05 && after > 0.05);
    }
  CHECK(steered > 40);
}

/* a run that ends on the position, and one that begins on it, have no way round it */
static void ends(void) {
  scene s;
  set(&s, 1);
  attempt(&s, 0, 0.5, 0.3001, 0.7);
  CHECK(dae_passage_steer(&s.guard, 0.5) != 0.5);
  s.guard.at.stop = 0.3001;
  CHECK(dae_passage_steer(&s.guard, 0.5) == 0.5);
  /* nor where the way ends before it */
  attempt(&s, 0, 0.5, 0.6, 0.7);
  s.guard.at.stop = 0.5;
  CHECK(dae_passage_steer(&s.guard, 0.5) == 0.5);
  attempt(&s, 0, -0.5, -0.6, 0.7);
  s.guard.at.stop = -0.5;
  CHECK(dae_passage_steer(&s.guard, -0.5) == -0.5);
  s.guard.at.stop = -1e3;
  CHECK(dae_passage_steer(&s.guard, -0.5) != -0.5);
  attempt(&s, 0, 0.5, 0.3001, 0.7);
  s.guard.at.stop = 1e3;
  s.guard.leaving = true;
  CHECK(dae_passage_steer(&s.guard, 0.5) == 0.5);
}

/* far from a position nothing is forgiven and nothing retried; across it rounding grows with the
   inverse square of the distance, within bounds; retries end */
static void verdicts(void) {
  scene s;
  set(&s, 1);
  attempt(&s, 0, 0.01, 5, 0.2);
  CHECK(dae_passage_calm(&s.guard));
  CHECK(dae_passage_attempted(&s.guard, 0.01).kind == DAE_VERDICT_ACCEPT);
  CHECK(dae_passage_rounding(&s.guard) == 0);
  /* 0.45 is in the gap from 0.333 to 0.6: the nearest points are d and 2 d away */
  double last = 0;
  for (double slope = 0.8; slope > 1e-3; slope /= 2) {
    attempt(&s, 0, 1, 0.45, slope);
    double now = dae_passage_rounding(&s.guard), d = slope * (0.45 - 0.333);
    CHECK(now >= DBL_EPSILON / (d * d) && now <= 1e-6);
    if (last > 0 && now < 1e-6) CHECK_NEAR(now, 4 * last, 1e-9 * now);
    last = now;
  }
  int retries = 0;
  set(&s, 1);
  s.guard.run.fixed_steps = true; /* no lengths of rows to restore */
  attempt(&s, 0, 0.5, 0.3001, 0.7);
  while (dae_passage_attempted(&s.guard, 0.5).kind == DAE_VERDICT_RETRY && retries < 100) retries++;
  CHECK(retries == 1); /* stages are projected from then on, and the size is fixed */
  CHECK(dae_passage_near(&s.guard));
}

int main(void) {
  RUN(vertex);
  RUN(gap);
  RUN(ends);
  RUN(verdicts);
  return TEST_END();
}
