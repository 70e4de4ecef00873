/* events of C problems with known sequences: contacts and peaks, levels, backwards too
   exam: 40 4000 */
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

static exam_verdict exam_case(exam *e) { return e->number % 2 ? levels(e) : bounce_in_c(e); }

EXAM_MAIN("events")
