/* friction, contacts and comparators with closed forms, as model text
   exam: 60 8000

   Blocks that stick at the same time, a block on a belt, balls that pass their speeds on, functions
   that come near their zero or dip below it, pulse-width modulation. */
#include "random/hybrid.h"

static const double pi = 3.14159265358979323846;

/* v_i' = w_i t - m_i sign(v_i): at rest between t = s and t = m/w, or never; up to four of them
   slide along their switches at once */
static exam_verdict blocks(exam *e) {
  question q;
  begin(e, &q, "blocks");
  int n = exam_int(e, 2, 4);
  double T = exam_real(e, 0.3, 6);
  q.t1 = T;
  char equations[1500] = "", name[16];
  for (int i = 0; i < n; i++) {
    double w = exam_real(e, 0.3, 3), m = exam_real(e, 0.3, 3), free = m / w, v = 0, s = 0;
    int sign = exam_chance(e, 0.5) ? 1 : -1;
    if (exam_chance(e, 0.7)) v = exam_real(e, 0.05, 0.9) * free * free * w / 2;
    s = free - sqrt(free * free - 2 * v / w); /* v + w s^2/2 - m s = 0 */
    say(&q, "Real v%d(start = %.17g, fixed = true); ", i, sign * v);
    size_t at = strlen(equations);
    snprintf(equations + at, sizeof equations - at, "der(v%d) = %d*%.17g*time - %.17g*sign(v%d); ",
             i, sign, w, m, i);
    double end = T < s ? v + w * T * T / 2 - m * T : T < free ? 0 : w * (T - free) * (T - free) / 2;
    snprintf(name, sizeof name, "v%d", i);
    expect(&q.x, name, sign * end, 1e-7 * (1 + w * T * T));
  }
  say(&q, "equation %s end M;", equations);
  return answer(e, &q, DAE_OK);
}

/* x'' = -k x - F sign(x' - u): slips around F/k until x' = u, sticks until x = F/k, slips again */
static exam_verdict belt(exam *e) {
  question q;
  begin(e, &q, "belt");
  double k = exam_real(e, 0.5, 5), F = exam_real(e, 0.5, 3), u = exam_real(e, 0.1, 1);
  double w = sqrt(k), c = F / k, x0 = exam_real(e, -1, 1) * c, v0 = u - exam_real(e, 0.1, 2);
  double a = x0 - c, b = v0 / w, V = w * hypot(a, b), phase = atan2(a, b);
  /* v = V cos(w t + phase) rises through u at w t + phase = -acos(u/V) + 2 pi n */
  if (fabs(V / u - 1) < 0.02) return exam_say(e, EXAM_RIGHT, "touches the speed of the belt");
  double s = V > 1.02 * u ? (-acos(u / V) - phase) / w : 0;
  while (s <= 1e-3) s += 2 * pi / w;
  double xs = c + a * cos(w * s) + b * sin(w * s), d = exam_real(e, 0.1, 1.9) * pi / w;
  bool sticks = V > 1.02 * u && fabs(xs) < 0.98 * c;
  double stuck = (c - xs) / u;
  q.t1 = sticks ? s + stuck + d : 0.9 * fmin(s, pi / w);
  if (!sticks && V > 1.02 * u && q.t1 >= s) q.t1 = 0.9 * s;
  if (sticks && exam_chance(e, 0.3)) q.t1 = s + stuck * 0.5;
  double T = q.t1, tau = T - s - stuck, x, v;
  if (!sticks || T < s) x = c + a * cos(w * T) + b * sin(w * T), v = V * cos(w * T + phase);
  else if (tau < 0) x = xs + u * (T - s), v = u;
  else x = c + u / w * sin(w * tau), v = u * cos(w * tau);
  say(&q,
      "Real x(start = %.17g, fixed = true), v(start = %.17g, fixed = true); equation der(x) = v; "
      "der(v) = -%.17g*x - %.17g*sign(v - %.17g); end M;",
      x0, v0, k, F, u);
  expect(&q.x, "x", x, 1e-6 * (1 + c));
  expect(&q.x, "v", v, 1e-6 * (1 + V));
  return answer(e, &q, DAE_OK);
}

/* where a point that goes to and fro between 0 and 1 is */
static double folded(double x) {
  double y = fmod(fabs(x), 2);
  return y > 1 ? 2 - y : y;
}

/* balls of one mass on a line between two walls pass their speeds on: the places are those of
   points that go through each other */
static exam_verdict balls(exam *e) {
  question q;
  begin(e, &q, "balls");
  enum { MOST = 4 };
  int n = exam_int(e, 1, MOST);
  double x[MOST], v[MOST], T = exam_real(e, 0.5, 8);
  for (int i = 0; i < n; i++) {
    x[i] = (i + exam_real(e, 0.1, 0.9)) / n;
    v[i] = exam_real(e, 0.1, 2) * (exam_chance(e, 0.5) ? 1 : -1);
    say(&q, "Real x%d(start = %.17g, fixed = true), v%d(start = %.17g, fixed = true); ", i, x[i], i,
        v[i]);
  }
  say(&q, "equation ");
  for (int i = 0; i < n; i++) say(&q, "der(x%d) = v%d; der(v%d) = 0; ", i, i, i);
  say(&q, "when x0 < 0 then reinit(v0, -pre(v0)); end when; ");
  say(&q, "when x%d > 1 then reinit(v%d, -pre(v%d)); end when; ", n - 1, n - 1, n - 1);
  for (int i = 0; i + 1 < n; i++)
    say(&q, "when x%d > x%d then reinit(v%d, pre(v%d)); reinit(v%d, pre(v%d)); end when; ", i,
        i + 1, i, i + 1, i + 1, i);
  say(&q, "end M;");
  q.t1 = T;
  for (int i = 0; i < n; i++) x[i] = folded(x[i] + v[i] * T);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (x[j] < x[i]) {
        double swap = x[i];
        x[i] = x[j], x[j] = swap;
      }
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%d", i);
    expect(&q.x, name, x[i], 1e-8);
  }
  return answer(e, &q, DAE_OK);
}

/* (t - c)^p + d with p even: below zero for a short time or never, as a state and as a function of
   time */
static exam_verdict dips(exam *e) {
  question q;
  begin(e, &q, "dips");
  int p = exam_chance(e, 0.5) ? 2 : 4;
  double c = exam_real(e, 0.3, 3), d = exam_scale(e, 1e-6, 0.5) * pow(c, p);
  if (exam_chance(e, 0.5)) d = -d;
  bool state = exam_chance(e, 0.5), both = exam_chance(e, 0.3);
  q.t1 = c * exam_real(e, 1.5, 2.5) + 0.5;
  if (state)
    say(&q,
        "Real x(start = %.17g, fixed = true); Integer n(start = 0); equation der(x) = %d*(time - "
        "%.17g)^%d; when %s then n = pre(n) + 1; end when; end M;",
        pow(c, p) + d, p, c, p - 1, both ? "{x < 0, x > 0}" : "x < 0");
  else
    say(&q,
        "Real x(start = 1, fixed = true); Integer n(start = 0); equation der(x) = -x; when (time - "
        "%.17g)^%d + (%.17g) < 0 then n = pre(n) + 1; end when; end M;",
        c, p, d);
  expect(&q.x, "n", d < 0 ? (state && both ? 2 : 1) : 0, 0);
  return answer(e, &q, DAE_OK);
}

/* a heater that is on for the part r - g (x - s) of each period, x read at its beginning:
   x' = u - x or -x */
static exam_verdict pulses(exam *e) {
  question q;
  begin(e, &q, "pulses");
  double P = exam_scale(e, 0.02, 0.5), u = exam_real(e, 1, 4), g = exam_real(e, 0.05, 0.3);
  double r = exam_real(e, 0.3, 0.6), s = exam_real(e, 0.2, 1), x = exam_real(e, 0, 1), x0 = x,
         d = r;
  int n = exam_int(e, 1, 40);
  double part = exam_real(e, 0.05, 0.95);
  for (int i = 0; i <= n; i++) {
    d = r - g * (x - s);
    double whole = i < n ? P : part * P, on = fmin(d * P, whole);
    if (i == n && fabs(d - part) < 1e-4) return exam_say(e, EXAM_RIGHT, "ends on a switch");
    x = u + (x - u) * exp(-on);
    x *= exp(on - whole);
  }
  q.t1 = (n + part) * P;
  say(&q,
      "Real x(start = %.17g, fixed = true); discrete Real d(start = 0), t0(start = 0); Boolean on; "
      "equation when sample(0, %.17g) then d = %.17g - %.17g*(x - %.17g); t0 = time; end when; on "
      "= "
      "time - t0 < d*%.17g; der(x) = (if on then %.17g else 0) - x; end M;",
      x0, P, r, g, s, P, u);
  expect(&q.x, "x", x, 1e-7 * (1 + u));
  expect(&q.x, "d", d, 1e-7 * (1 + u));
  expect(&q.x, "on", part < d, 0);
  return answer(e, &q, DAE_OK);
}

static exam_verdict exam_case(exam *e) {
  static exam_verdict (*const kinds[])(exam *) = {blocks, belt, balls, dips, pulses};
  return kinds[e->number % 5](e);
}

EXAM_MAIN("friction")
