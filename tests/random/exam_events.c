/* events of C problems with known sequences: contacts and peaks, levels, backwards too, several
   that act on each other
   exam: 60 6000 */
#include <daedal/daedal.h>

#include "exam.h"

typedef struct ball {
  double g, r;
  bool noted; /* a function that only takes note: the height of the peak */
} ball;

static int fall(double t, const double *z, double *dz, void *ctx) {
  const ball *b = ctx;
  (void)t;
  dz[0] = z[1];
  dz[1] = -b->g;
  return 0;
}
static int ground(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0];
  return 0;
}
static int turning(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[1];
  return 0;
}
static int rebound(double t, double *z, void *ctx) {
  const ball *b = ctx;
  (void)t;
  z[1] = -b->r * z[1];
  return 0;
}

/* contacts and peaks between them, in C */
static exam_verdict bounce_in_c(exam *e) {
  snprintf(e->kind, sizeof e->kind, "bounce in C");
  ball b = {.g = exam_real(e, 1, 20), .r = exam_real(e, 0.4, 0.97)};
  double z[2] = {exam_real(e, 0.2, 3), 0}, t = sqrt(2 * z[0] / b.g), v = b.g * t;
  int n = exam_int(e, 1, 12), count;
  double contact[16];
  for (int k = 0; k < n; k++) {
    contact[k] = t;
    v *= b.r;
    t += 2 * v / b.g;
  }
  double stop = contact[n - 1] + exam_real(e, 0.6, 0.9) * (t - contact[n - 1]);
  dae_event events[] = {{.name = "ground",
                         .value = ground,
                         .direction = exam_chance(e, 0.5) ? -1 : 0,
                         .change = rebound},
                        {.name = "peak", .value = turning, .direction = -1}};
  dae_problem p = {.kind = DAE_ODE,
                   .ctx = &b,
                   .z0 = z,
                   .n_event = 2,
                   .event = events,
                   .ode = {.n = 2, .f = fall}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  dae_solver *s;
  dae_report report;
  if (dae_solver_new(&s, &p, &o, &report) != DAE_OK)
    return exam_say(e, EXAM_DEFECT, "%s", report.message);
  dae_status status = dae_solver_start(s, 0, z, NULL);
  if (status == DAE_OK) status = dae_solver_advance(s, stop);
  const dae_event_hit *hit = dae_solver_events(s, &count);
  int contacts = 0, peaks = 0;
  double worst = 0;
  for (int i = 0; i < count; i++) {
    if (hit[i].event == 1) peaks++;
    else if (contacts < n) worst = fmax(worst, fabs(hit[i].t - contact[contacts++]));
    else contacts++;
  }
  /* the start is a turning point and no peak of its own; n contacts, a peak after each */
  exam_verdict verdict =
      status == DAE_OK && contacts == n && peaks == n && worst < 1e-7 ? EXAM_RIGHT : EXAM_DEFECT;
  exam_say(e, verdict,
           "%s: %d contacts of %d, %d peaks, times off by %.3g (g %.17g r %.17g h %.17g)",
           dae_status_name(status), contacts, n, peaks, worst, b.g, b.r, z[0]);
  dae_solver_free(s);
  return verdict;
}

static int turn(double t, const double *z, double *dz, void *ctx) {
  const double w = *(double *)ctx;
  (void)t;
  dz[0] = w * z[1];
  dz[1] = -w * z[0];
  return 0;
}
static int level(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] - 0.5;
  return 0;
}
/* jumps where sin passes 0.5, and is never zero */
static int jump(double t, const double *z, const double *y, double *value, void *ctx) {
  (void)t, (void)y, (void)ctx;
  *value = z[0] > 0.5 ? 3 : -1;
  return 0;
}

/* sin(w t) = 0.5 forwards and backwards, as a smooth and as a jumping function */
static exam_verdict levels(exam *e) {
  bool back = exam_chance(e, 0.5), jumps = exam_chance(e, 0.5);
  snprintf(e->kind, sizeof e->kind, back ? "levels backwards" : "levels");
  const double pi = 3.14159265358979323846;
  double w = exam_scale(e, 1e-3, 1e3), z[2], length = exam_real(e, 0.2, 40) / w;
  double t0 = exam_real(e, -10, 10) / w, t1 = back ? t0 - length : t0 + length;
  int direction = exam_int(e, -1, 1), count, expected = 0;
  z[0] = sin(w * t0), z[1] = cos(w * t0);
  dae_event event = {.name = "level", .value = jumps ? jump : level, .direction = direction};
  dae_problem p = {.kind = DAE_ODE,
                   .ctx = &w,
                   .z0 = z,
                   .n_event = 1,
                   .event = &event,
                   .ode = {.n = 2, .f = turn}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-9;
  dae_solver *s;
  if (dae_solver_new(&s, &p, &o, NULL) != DAE_OK) return exam_say(e, EXAM_DEFECT, "no solver");
  dae_status status = dae_solver_start(s, t0, z, NULL);
  if (status == DAE_OK) status = dae_solver_advance(s, t1);
  const dae_event_hit *hit = dae_solver_events(s, &count);
  double worst = 0, low = fmin(t0, t1), high = fmax(t0, t1);
  for (int k = -30; k <= 30; k++)
    for (int side = 0; side < 2; side++) {
      double t = (side ? pi - pi / 6 + 2 * pi * k : pi / 6 + 2 * pi * k) / w, nearest = 1e300;
      bool rising = (side == 0) != back;
      if (t < low || t > high || direction * (rising ? 1 : -1) < 0) continue;
      if (fmin(t - low, high - t) * w < 1e-6) {
        dae_solver_free(s);
        return EXAM_RIGHT;
      }
      expected++;
      for (int i = 0; i < count; i++) nearest = fmin(nearest, fabs(hit[i].t - t));
      worst = fmax(worst, nearest);
    }
  bool ordered = true;
  for (int i = 1; i < count; i++) ordered = ordered && (hit[i].t > hit[i - 1].t) != back;
  exam_verdict verdict = status == DAE_OK && count == expected && worst * w < 1e-6 && ordered
                             ? EXAM_RIGHT
                             : EXAM_DEFECT;
  exam_say(e, verdict, "%s: %d of %d, off by %.3g, direction %d, w %.17g from %.17g to %.17g%s",
           dae_status_name(status), count, expected, worst, direction, w, t0, t1,
           jumps ? ", jumping" : "");
  dae_solver_free(s);
  return verdict;
}

/* ---- several events that act on each other ---- */

enum { LINES = 3, SEVERAL = 5, ROUNDS = 50, HITS = 300 };

/* what an event does to line j: nothing, x = c, x += c, turns back */
typedef enum deed { NOTE, SET, ADD, TURN } deed;

typedef struct several {
  int n;
  int line[SEVERAL], direction[SEVERAL], target[SEVERAL];
  deed deed[SEVERAL];
  double level[SEVERAL], c[SEVERAL];
  bool terminal[SEVERAL];
} several;

static int straight(double t, const double *z, double *dz, void *ctx) {
  (void)t, (void)ctx;
  for (int i = 0; i < LINES; i++) dz[i] = z[LINES + i], dz[LINES + i] = 0;
  return 0;
}

static void act(const several *s, int k, double *z) {
  int j = s->target[k];
  if (s->deed[k] == SET) z[j] = s->c[k];
  if (s->deed[k] == ADD) z[j] += s->c[k];
  if (s->deed[k] == TURN) z[LINES + j] = -z[LINES + j];
}

/* functions of C have no number of their own */
#define EVENT(K)                                                                          \
  static int value##K(double t, const double *z, const double *y, double *v, void *ctx) { \
    const several *s = ctx;                                                               \
    (void)t, (void)y;                                                                     \
    *v = z[s->line[K]] - s->level[K];                                                     \
    return 0;                                                                             \
  }                                                                                       \
  static int change##K(double t, double *z, void *ctx) {                                  \
    (void)t;                                                                              \
    act(ctx, K, z);                                                                       \
    return 0;                                                                             \
  }
EVENT(0)
EVENT(1)
EVENT(2)
EVENT(3)
EVENT(4)

/* what happens, exactly: events/events.h for functions of C */
typedef struct course {
  double t, z[2 * LINES];
  int sign[SEVERAL], hits, event[HITS];
  double time[HITS];
  bool ended, close; /* close: roundings or too many events decide */
} course;

static double function(const several *s, const double *z, int k) {
  return z[s->line[k]] - s->level[k];
}
static int sign_of(double x) { return (x > 0) - (x < 0); }
static bool wanted(const several *s, int k, int from, int to) {
  return from * to < 0 && (s->direction[k] == 0 || s->direction[k] == to);
}

/* the events of an instant; those whose sign a change has turned follow at once */
static void happen(const several *s, course *c, bool *fired, const bool *passes) {
  bool turned[SEVERAL] = {0}, again = true;
  int before[SEVERAL];
  memcpy(before, c->sign, sizeof before);
  for (int round = 0; again; round++) {
    again = false;
    if (round == ROUNDS || c->hits > HITS - SEVERAL) {
      c->close = true;
      return;
    }
    for (int k = 0; k < s->n; k++) {
      if (!fired[k]) continue;
      c->event[c->hits] = k, c->time[c->hits++] = c->t;
      c->ended = c->ended || s->terminal[k];
      act(s, k, c->z);
    }
    for (int k = 0; k < s->n; k++) {
      double v = function(s, c->z, k);
      turned[k] = turned[k] || fired[k];
      fired[k] = false;
      int now = fabs(v) < 1e-9 ? 0 : sign_of(v);
      if (now == 0 && !turned[k] && passes[k]) {
        now = sign_of(c->z[LINES + s->line[k]]);
        if (now == before[k]) c->close = true; /* turned back on its zero */
      }
      if (now == 0 && !turned[k]) c->close = true;
      if (!turned[k] && (s->deed[k] != NOTE || s->terminal[k]) && wanted(s, k, c->sign[k], now)) {
        fired[k] = again = true;
      } else {
        c->sign[k] = now;
      }
    }
  }
}

static void follow(const several *s, course *c, double end) {
  for (int k = 0; k < s->n; k++) c->sign[k] = sign_of(function(s, c->z, k));
  while (!c->ended && !c->close) {
    double first = INFINITY, second = INFINITY;
    bool fired[SEVERAL] = {0}, passes[SEVERAL] = {0}, any = false;
    for (int k = 0; k < s->n; k++) {
      double v = function(s, c->z, k), r = c->z[LINES + s->line[k]];
      if (c->sign[k] == 0 && fabs(v) < 1e-9) c->sign[k] = sign_of(r); /* the first that it gets */
      double dt = c->sign[k] * r < 0 && fabs(v) >= 1e-9 ? -v / r : INFINITY;
      if (dt < first) second = first, first = dt;
      else if (dt < second && dt > first + 1e-12) second = dt;
    }
    if (second - first < 1e-6 && second - first > 1e-12) c->close = true;
    double dt = fmin(first, end - c->t);
    for (int i = 0; i < LINES; i++) c->z[i] += c->z[LINES + i] * dt;
    c->t += dt;
    if (first > dt) return;
    for (int k = 0; k < s->n; k++) {
      int now = sign_of(c->z[LINES + s->line[k]]);
      if (fabs(function(s, c->z, k)) > 1e-9 || c->sign[k] * now >= 0) continue;
      fired[k] = wanted(s, k, c->sign[k], now);
      passes[k] = !fired[k];
      any = any || fired[k];
    }
    /* one whose direction does not count has passed, unless an event turns it back on its zero */
    if (any) happen(s, c, fired, passes);
    for (int k = 0; k < s->n && !any; k++)
      if (passes[k]) c->sign[k] = sign_of(c->z[LINES + s->line[k]]);
    if (fabs(end - c->t) < 1e-6) c->close = true;
  }
}

static void make_several(exam *e, several *s, double *z) {
  *s = (several){.n = exam_int(e, 1, SEVERAL)};
  for (int i = 0; i < LINES; i++) {
    z[i] = exam_real(e, -1, 1);
    z[LINES + i] = exam_real(e, 0.3, 3) * (exam_chance(e, 0.5) ? 1 : -1);
  }
  for (int k = 0; k < s->n; k++) {
    s->line[k] = exam_int(e, 0, LINES - 1);
    s->level[k] = exam_real(e, -1, 1);
    if (k > 0 && exam_chance(e, 0.2)) s->line[k] = s->line[k - 1], s->level[k] = s->level[k - 1];
    s->direction[k] = exam_int(e, -1, 1);
    s->target[k] = exam_chance(e, 0.6) ? s->line[k] : exam_int(e, 0, LINES - 1);
    s->deed[k] = (deed)exam_int(e, 0, 3);
    s->c[k] = exam_real(e, -1, 1);
    s->terminal[k] = exam_chance(e, 0.1);
  }
}

static exam_verdict acting(exam *e) {
  snprintf(e->kind, sizeof e->kind, "several");
  static int (*const value[])(double, const double *, const double *, double *,
                              void *) = {value0, value1, value2, value3, value4};
  static int (*const change[])(double, double *, void *) = {change0, change1, change2, change3,
                                                            change4};
  several s;
  course c = {0};
  dae_event event[SEVERAL];
  double z[2 * LINES], end = exam_real(e, 0.5, 5), shift = exam_chance(e, 0.5) ? 0 : -7.3;
  make_several(e, &s, z);
  memcpy(c.z, z, sizeof z);
  follow(&s, &c, end);
  if (c.close) return exam_say(e, EXAM_RIGHT, "roundings decide");
  for (int k = 0; k < s.n; k++)
    event[k] = (dae_event){.name = "e",
                           .value = value[k],
                           .direction = s.direction[k],
                           .terminal = s.terminal[k],
                           .change = s.deed[k] == NOTE ? NULL : change[k]};
  dae_problem p = {.kind = DAE_ODE,
                   .ctx = &s,
                   .z0 = z,
                   .n_event = s.n,
                   .event = event,
                   .ode = {.n = 2 * LINES, .f = straight}};
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-10;
  dae_solver *v;
  if (dae_solver_new(&v, &p, &o, NULL) != DAE_OK) return exam_say(e, EXAM_DEFECT, "no solver");
  dae_status status = dae_solver_start(v, shift, z, NULL);
  if (status == DAE_OK) status = dae_solver_advance(v, shift + end);
  int count;
  const dae_event_hit *hit = dae_solver_events(v, &count);
  double worst = 0;
  bool same = status == (c.ended ? DAE_EVENT : DAE_OK) && count == c.hits;
  for (int i = 0; i < count && same; i++) {
    same = hit[i].event == c.event[i];
    worst = fmax(worst, fabs(hit[i].t - shift - c.time[i]));
  }
  for (int i = 0; i < 2 * LINES; i++) worst = fmax(worst, fabs(dae_solver_z(v)[i] - c.z[i]));
  /* rates of up to 3 and some hundred instants, each to roundings */
  exam_verdict verdict = same && worst < 1e-9 ? EXAM_RIGHT : EXAM_DEFECT;
  exam_say(e, verdict, "%s: %d events of %d, off by %.3g, end %.17g: %s", dae_status_name(status),
           count, c.hits, worst, c.t, dae_solver_report(v)->message);
  dae_solver_free(v);
  return verdict;
}

static exam_verdict exam_case(exam *e) {
  return e->number % 3 == 0 ? bounce_in_c(e) : e->number % 3 == 1 ? levels(e) : acting(e);
}

EXAM_MAIN("events")
