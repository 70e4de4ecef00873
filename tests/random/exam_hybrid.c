/* hybrid systems with known event sequences, as model text
   exam: 80 8000

   References are closed forms between events, and sequences of events computed here: bounces,
   hops, samplers, relays, sliding and sticking, counters, cascades of resets, conditions that meet,
   functions that switch; in other units and from other starts. */
#include "random/hybrid.h"

/* ---- balls ---- */

/* contacts at t1, t1 + 2 e v1/g, ..: the state between two of them */
static exam_verdict bounce(exam *e) {
  question q;
  begin(e, &q, "bounce");
  double L = exam_scale(e, 1e-6, 1e6), h0 = L * exam_real(e, 0.2, 3), g = exam_real(e, 1, 20) * L;
  double r = exam_real(e, 0.3, 0.97), shift = exam_real(e, -50, 50);
  int n = exam_int(e, 1, r < 0.5 ? 8 : 25);
  double t = sqrt(2 * h0 / g), v = g * t;
  for (int k = 1; k < n; k++) v *= r, t += 2 * v / g;
  double flight = 2 * r * v / g, s = flight * exam_real(e, 0.1, 0.9);
  q.length = L;
  q.t0 = shift;
  q.t1 = shift + t + s;
  say(&q,
      "Real h(start = %.17g, fixed = true), v(start = 0, fixed = true); Integer n(start = 0); "
      "equation der(h) = v; der(v) = -%.17g; when h < 0 then n = pre(n) + 1; reinit(v, "
      "-%.17g*pre(v)); end when; end M;",
      h0, g, r);
  expect(&q.x, "n", n, 0);
  /* errors of contact times add up; the last flight is short beside the first */
  expect(&q.x, "h", r * v * s - 0.5 * g * s * s, 1e-6 * h0);
  expect(&q.x, "v", r * v - g * s, 1e-6 * g * sqrt(2 * h0 / g));
  return answer(e, &q, DAE_OK);
}

/* beyond the last bounce there is no solution: that is told */
static exam_verdict zeno(exam *e) {
  question q;
  begin(e, &q, "zeno");
  double r = exam_real(e, 0.2, 0.9), h0 = exam_real(e, 0.2, 3), g = exam_real(e, 1, 20);
  q.t1 = 3 * sqrt(2 * h0 / g) * (1 + 2 * r / (1 - r));
  say(&q,
      "Real h(start = %.17g, fixed = true), v(start = 0, fixed = true); equation der(h) = v; "
      "der(v) "
      "= -%.17g; when h < 0 then reinit(v, -%.17g*pre(v)); end when; end M;",
      h0, g, r);
  return answer(e, &q, DAE_E_EVENTS);
}

/* below the speed c at a contact it rests: contacts with v r^k > c, and one more */
static exam_verdict rest(exam *e) {
  question q;
  begin(e, &q, "rest");
  double r = exam_real(e, 0.3, 0.9), h0 = exam_real(e, 0.2, 3), g = exam_real(e, 1, 20);
  double v = sqrt(2 * h0 * g), c = v * exam_scale(e, 1e-3, 0.9), w = v;
  int n = 1;
  for (; w > c; n++) w *= r;
  if (fabs(log(w / c)) < 1e-4 || fabs(log(w / r / c)) < 1e-4) return EXAM_RIGHT;
  q.t1 = 1.5 * v / g * (1 + 2 * r / (1 - r));
  say(&q,
      "Real h(start = %.17g, fixed = true), v(start = 0, fixed = true); Boolean flying(start = "
      "true); "
      "Integer n(start = 0); equation der(h) = v; der(v) = if flying then -%.17g else 0; when h < "
      "0 "
      "then n = pre(n) + 1; flying = abs(v) > %.17g; reinit(v, if flying then -%.17g*pre(v) else "
      "0); "
      "reinit(h, 0); end when; end M;",
      h0, g, c, r);
  expect(&q.x, "n", n, 0);
  expect(&q.x, "flying", 0, 0);
  expect(&q.x, "h", 0, 1e-12);
  return answer(e, &q, DAE_OK);
}

/* a bead on the line y = a x with a wall at x = 0: a ball that falls with g a/sqrt(1 + a^2), in
   coordinates with a constraint; the counter is one more variable of the mechanism */
static exam_verdict bead(exam *e) {
  question q;
  begin(e, &q, "bead");
  double a = exam_real(e, 0.3, 3), L = sqrt(1 + a * a), g = exam_real(e, 1, 20), G = g * a / L;
  double x0 = exam_real(e, 0.2, 3), s0 = x0 * L, r = exam_real(e, 0.4, 0.95);
  int n = exam_int(e, 1, 10);
  double t = sqrt(2 * s0 / G), v = G * t;
  for (int k = 1; k < n; k++) v *= r, t += 2 * v / G;
  double d = 2 * r * v / G * exam_real(e, 0.1, 0.9);
  q.t1 = t + d;
  say(&q,
      "parameter Real a = %.17g; Real x(start = %.17g, fixed = true), y, u(start = 0, fixed = "
      "true), "
      "v, l; Integer n(start = 0); equation der(x) = u; der(y) = v; der(u) = -l*a; der(v) = l - "
      "%.17g; y = a*x; when x < 0 then n = pre(n) + 1; reinit(u, -%.17g*pre(u)); reinit(v, "
      "-%.17g*pre(v)); end when; end M;",
      a, x0, g, r, r);
  expect(&q.x, "n", n, 0);
  expect(&q.x, "x", (r * v * d - 0.5 * G * d * d) / L, 1e-6 * s0);
  expect(&q.x, "y", a * (r * v * d - 0.5 * G * d * d) / L, 1e-6 * s0 * a);
  return answer(e, &q, DAE_OK);
}

/* the same speed after each contact: a count of them */
static exam_verdict hop(exam *e) {
  question q;
  begin(e, &q, "hop");
  double h0 = exam_real(e, 0.2, 3), g = exam_real(e, 1, 20), v0 = exam_scale(e, 0.02, 2);
  double t = sqrt(2 * h0 / g), hop = 2 * v0 / g;
  int n = exam_int(e, 1, 120);
  double s = hop * exam_real(e, 0.1, 0.9);
  q.t1 = t + (n - 1) * hop + s;
  say(&q,
      "Real h(start = %.17g, fixed = true), v(start = 0, fixed = true); Integer n(start = 0); "
      "equation der(h) = v; der(v) = -%.17g; when h <= 0 then n = pre(n) + 1; reinit(v, %.17g); "
      "end when; end M;",
      h0, g, v0);
  expect(&q.x, "n", n, 0);
  expect(&q.x, "h", v0 * s - 0.5 * g * s * s, 1e-6 * h0);
  return answer(e, &q, DAE_OK);
}

/* ---- the clock ---- */

/* x' = a x + u, u = -k x(t_i) held for a period h: x(t_i+1) = (E - k (E-1)/a) x(t_i), E = e^ah */
static exam_verdict sampler(exam *e) {
  question q;
  begin(e, &q, "sampler");
  double a = exam_real(e, -2, 0.5), k = exam_real(e, 0.1, 1), h = exam_scale(e, 0.003, 0.4);
  double first = exam_real(e, 0, 2 * h), start = exam_real(e, -3, 3), x = exam_real(e, 0.5, 2);
  int n = exam_int(e, 1, 60);
  if (fabs(a) < 0.05) a = 0.3;
  double end = exam_real(e, 0.1, 0.9) * h, u = 0, x0 = x;
  x = (x + u / a) * exp(a * first) - u / a;
  for (int i = 0; i < n; i++) {
    u = -k * x;
    double d = i + 1 < n ? h : end;
    x = (x + u / a) * exp(a * d) - u / a;
  }
  q.t0 = start;
  q.t1 = start + first + (n - 1) * h + end;
  say(&q,
      "Real x(start = %.17g, fixed = true); discrete Real u(start = 0); Integer n(start = 0); "
      "equation der(x) = %.17g*x + u; when sample(%.17g, %.17g) then u = -%.17g*x; n = pre(n) + 1; "
      "end when; end M;",
      x0, a, start + first, h, k);
  expect(&q.x, "n", n, 0);
  expect(&q.x, "x", x, 1e-7 * fmax(1, fabs(x0)));
  return answer(e, &q, DAE_OK);
}

/* counters that count counters, and a period far below the steps */
static exam_verdict counters(exam *e) {
  question q;
  begin(e, &q, "counters");
  double h = exam_scale(e, 1e-7, 0.1), t0 = exam_real(e, -2, 2);
  int n = exam_int(e, 1, 300), m = exam_int(e, 2, 5);
  /* the run may start between two instants: those before it are no more */
  int gone = exam_chance(e, 0.5) ? exam_int(e, 1, 1000) : 0;
  double first = t0 + gone * h;
  q.t0 = gone ? first - exam_real(e, 0.2, 0.8) * h : t0;
  q.t1 = first + (n - 1 + exam_real(e, 0.2, 0.8)) * h;
  say(&q,
      "Real x(start = 0, fixed = true); Integer n(start = 0), k(start = 0), j(start = 0); Boolean "
      "b(start = false); equation der(x) = 1; when sample(%.17g, %.17g) then n = pre(n) + 1; k = "
      "if "
      "mod(n, %d) == 0 then pre(k) + 1 else pre(k); end when; when change(k) then j = pre(j) + k; "
      "end when; b = n >= %d; end M;",
      t0, h, m, n);
  int k = n / m;
  expect(&q.x, "n", n, 0);
  expect(&q.x, "k", k, 0);
  expect(&q.x, "j", k * (k + 1) / 2, 0);
  expect(&q.x, "b", 1, 0);
  expect(&q.x, "x", q.t1 - q.t0, 1e-9 * fmax(1, fabs(t0)));
  return answer(e, &q, DAE_OK);
}

/* ---- relays ---- */

/* T' = P on - (T - A)/s between two limits; rising from low to high takes s ln((E-low)/(E-high)),
   E = A + P s */
static exam_verdict relay(exam *e) {
  question q;
  begin(e, &q, "relay");
  double s = exam_scale(e, 0.1, 10), A = exam_real(e, -5, 5), low = A + exam_real(e, 2, 5);
  double high = low + exam_scale(e, 0.01, 3), E = high + exam_real(e, 1, 10), P = (E - A) / s;
  double up = s * log((E - low) / (E - high)), down = s * log((high - A) / (low - A));
  int n = exam_int(e, 1, 40), rest = n % 2; /* switches */
  double part = exam_real(e, 0.1, 0.9), t = n / 2 * (up + down) + (rest ? up : 0);
  double d = part * (rest ? down : up);
  q.t1 = t + d;
  static const char *const ways[] = {
      "when T < low then on = true; elsewhen T > high then on = false; end when;",
      "on = T < low or pre(on) and T < high;",
      "when {T < low, T > high} then on = T < low; end when;"};
  say(&q,
      "parameter Real low = %.17g, high = %.17g; Real T(start = low, fixed = true); Boolean "
      "on(start = true); equation der(T) = (if on then %.17g else 0) - (T - (%.17g))/%.17g; %s end "
      "M;",
      low, high, P, A, s, ways[exam_int(e, 0, 2)]);
  expect(&q.x, "on", !rest, 0);
  expect(&q.x, "T", rest ? A + (high - A) * exp(-d / s) : E + (low - E) * exp(-d / s),
         1e-6 * fmax(1, fabs(E)));
  return answer(e, &q, DAE_OK);
}

/* ---- sliding and sticking ---- */

/* x' = if x > 0 then -a else b: at 0 from |x0|/a on; the other way round backwards in time */
static exam_verdict slide(exam *e) {
  question q;
  begin(e, &q, "slide");
  double a = exam_real(e, 0.3, 3), b = exam_real(e, 0.3, 3), x0 = exam_real(e, -1, 1);
  double reach = x0 > 0 ? x0 / a : -x0 / b;
  bool before = exam_chance(e, 0.2);
  int way_of_time = exam_chance(e, 0.3) ? -1 : 1;
  q.t1 = way_of_time * reach * (before ? 0.5 : exam_real(e, 1.5, 6));
  say(&q,
      "Real x(start = %.17g, fixed = true), y(start = 0, fixed = true); equation der(x) = if x > 0 "
      "then -(%.17g) else %.17g; der(y) = x; end M;",
      x0, way_of_time * a, way_of_time * b);
  double t = fmin(fabs(q.t1), reach), way = x0 > 0 ? -a : b;
  expect(&q.x, "x", before ? x0 + way * t : 0, 1e-8);
  expect(&q.x, "y", way_of_time * (x0 * t + way * t * t / 2), 1e-8);
  return answer(e, &q, DAE_OK);
}

/* v' = w t - m sign(v) from rest: sticks until t = m/w, then slips */
static exam_verdict stick(exam *e) {
  question q;
  begin(e, &q, "stick");
  double w = exam_real(e, 0.3, 3), m = exam_real(e, 0.3, 3), t = m / w, v0 = exam_real(e, 0, 0.5);
  int sign = exam_chance(e, 0.5) ? 1 : -1;
  bool rest = exam_chance(e, 0.5);
  if (rest) v0 = 0;
  /* it comes to rest at v0 + w t^2/2 - m t = 0, before m/w */
  double stop = t - sqrt(fmax(0, t * t - 2 * v0 / w));
  if (2 * v0 / w > 0.9 * t * t) return exam_say(e, EXAM_RIGHT, "never at rest"), EXAM_RIGHT;
  double d = exam_real(e, 0.2, 2), x = v0 * stop + w * pow(stop, 3) / 6 - m * stop * stop / 2;
  q.t1 = t + d;
  say(&q,
      "Real x(start = 0, fixed = true), v(start = %.17g, fixed = true); equation der(x) = v; "
      "der(v) "
      "= %d*%.17g*time - %.17g*sign(v); end M;",
      sign * v0, sign, w, m);
  expect(&q.x, "v", sign * w * d * d / 2, 1e-7);
  expect(&q.x, "x", sign * (x + w * d * d * d / 6), 1e-7);
  return answer(e, &q, DAE_OK);
}

/* ---- resets and conditions that meet ---- */

/* x' = 1 is reset at a and adds c to y, which starts z anew when it is large */
static exam_verdict cascade(exam *e) {
  question q;
  begin(e, &q, "cascade");
  double a = exam_real(e, 0.1, 1), c = exam_real(e, 0.5, 2), first = exam_real(e, 0, 0.9 * a);
  int n = exam_int(e, 1, 30), m = exam_int(e, 1, 6);
  double s = exam_real(e, 0.1, 0.9) * a;
  q.t1 = (a - first) + (n - 1) * a + s;
  say(&q,
      "Real x(start = %.17g, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = "
      "true); "
      "Integer n(start = 0); equation der(x) = 1; der(y) = 0; der(z) = 1; when x >= %.17g then "
      "reinit(x, 0); reinit(y, pre(y) + %.17g); n = pre(n) + 1; end when; when y > %.17g then "
      "reinit(z, 0); reinit(y, 0); end when; end M;",
      first, a, c, (m - 0.5) * c);
  int resets = n / m;
  expect(&q.x, "n", n, 0);
  expect(&q.x, "x", s, 1e-8);
  expect(&q.x, "y", (n % m) * c, 1e-8);
  expect(&q.x, "z", resets ? (n % m) * a + s : q.t1, 1e-8);
  return answer(e, &q, DAE_OK);
}

/* k conditions turn true at the same time, written in different ways; each `when` acts once */
static exam_verdict meeting(exam *e) {
  question q;
  begin(e, &q, "meeting");
  static const char *const ways[] = {"x > a", "time > t1",  "2*x > 2*a", "a < x",
                                     "u < 0", "not x <= a", "x - a > 0", "3*time > 3*t1"};
  double a = exam_real(e, 0.2, 2), rate = exam_real(e, 0.5, 2), t1 = a / rate;
  int k = exam_int(e, 2, 5);
  q.t1 = t1 * exam_real(e, 1.2, 2);
  say(&q,
      "parameter Real a = %.17g, r = %.17g, t1 = a/r; Real x(start = 0, fixed = true), u(start = "
      "a, "
      "fixed = true); Integer n(start = 0), m(start = 0); equation der(x) = r; der(u) = -r; when {",
      a, rate);
  for (int i = 0; i < k; i++) say(&q, "%s%s", i ? ", " : "", ways[exam_int(e, 0, 7)]);
  say(&q, "} then n = pre(n) + 1; end when; when n > 0 then m = pre(m) + n; end when; end M;");
  expect(&q.x, "n", 1, 0);
  expect(&q.x, "m", 1, 0);
  expect(&q.x, "x", rate * q.t1, 1e-8);
  return answer(e, &q, DAE_OK);
}

/* ---- functions that switch ---- */

/* integral of floor(a t + b) over [0, t], by pieces */
static double floor_integral(double a, double b, double t) {
  double sum = 0, at = 0;
  while (at < t) {
    double n = floor(a * at + b + 1e-12), next = (n + 1 - b) / a, to = fmin(next, t);
    sum += n * (to - at);
    at = to;
  }
  return sum;
}

static exam_verdict switches(exam *e) {
  question q;
  begin(e, &q, "switches");
  double a = exam_real(e, 0.5, 8), b = exam_real(e, -3, 3), t = exam_real(e, 0.5, 4);
  double c = exam_real(e, 0.1, 0.9) * t, k = exam_real(e, 0.5, 2), p = exam_real(e, 0.1, 1);
  int turns = (int)floor(t / p);
  double rest = t - turns * p;
  if (rest < 1e-3 * p || rest > 0.999 * p) return EXAM_RIGHT;
  q.t1 = t;
  say(&q,
      "Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true), "
      "w(start = 0, fixed = true); equation der(x) = floor(%.17g*time + (%.17g)); der(y) = "
      "abs(time - "
      "%.17g) + %.17g*sign(%.17g - time); der(z) = mod(time, %.17g); der(w) = max(time, %.17g) - "
      "min(%.17g, time); end M;",
      a, b, c, k, c, p, c, c);
  expect(&q.x, "x", floor_integral(a, b, t), 1e-7 * (1 + a * t) * t);
  expect(&q.x, "y", c * c / 2 + (t - c) * (t - c) / 2 + k * (2 * c - t), 1e-7);
  expect(&q.x, "z", turns * p * p / 2 + rest * rest / 2, 1e-7);
  expect(&q.x, "w", c * c / 2 + (t - c) * (t - c) / 2, 1e-7);
  return answer(e, &q, DAE_OK);
}

/* a threshold that each event moves on: gaps of five decades, counted and dated */
static exam_verdict thresholds(exam *e) {
  enum { GAPS = 12 };
  question q;
  begin(e, &q, "thresholds");
  double at = 0.3, last = 0, rate = exam_real(e, 0.5, 2);
  int way = exam_int(e, 0, 2), count = 0;
  q.t1 = exam_real(e, 0.9, 3) / rate;
  say(&q, "parameter Real g[%d] = {", GAPS + 1);
  for (int k = 0; k < GAPS; k++) {
    double gap = pow(10, exam_real(e, -5, -0.3));
    say(&q, "%.17g, ", gap);
    /* the end of the run does not fall on an event */
    if (fabs(at / rate - q.t1) < 1e-6) q.t1 += 1e-3;
    if (at / rate < q.t1) count++, last = at / rate;
    at += gap;
  }
  if (at / rate < q.t1) q.t1 = at / rate - 1e-7;
  say(&q, "1e9}; discrete Integer n(start = 0); discrete Real next(start = 0.3), last(start = 0); "
          "Real x(start = 0, fixed = true); equation der(x) = ");
  static const char *const conditions[] = {"x > pre(next)", "x >= pre(next)", "-x < -pre(next)"};
  say(&q,
      "%.17g; when %s then n = pre(n) + 1; next = pre(next) + g[n]; last = time; end when; end M;",
      rate, conditions[way]);
  expect(&q.x, "n", count, 0);
  expect(&q.x, "last", last, 1e-9);
  return answer(e, &q, DAE_OK);
}

/* several whole numbers of one motion x = x0 + c t, with borders that coincide within roundings:
   the integral of their sum, by pieces between all borders */
static exam_verdict borders(exam *e) {
  enum { TERMS = 4 };
  static const char *const terms[] = {"floor(%d*x)", "ceil(%d*x)", "div(%d*x, 1)",
                                      "mod(floor(%d*x), 3)"};
  static const double starts[] = {0, 0.05, -1, 0.5, 2.25, -0.3}, rates[] = {1, -1, 2, -0.5, 3};
  static const int factors[] = {1, 2, 3, 4, 5, 7, 10, 17};
  question q;
  begin(e, &q, "borders");
  double x0 = starts[exam_int(e, 0, 5)], c = rates[exam_int(e, 0, 4)], at = 0, sum = 0;
  int n = exam_int(e, 1, TERMS), kind[TERMS], factor[TERMS];
  q.t1 = exam_real(e, 0.5, 2.5);
  say(&q, "Real x(start = %.17g, fixed = true), y(start = 0, fixed = true); equation der(x) = %g;",
      x0, c);
  say(&q, " der(y) = 0");
  for (int k = 0; k < n; k++) {
    kind[k] = exam_int(e, 0, 3), factor[k] = factors[exam_int(e, 0, 7)];
    say(&q, " + ");
    say(&q, terms[kind[k]], factor[k]);
  }
  say(&q, "; end M;");
  while (at < q.t1) {
    double to = q.t1, value = 0;
    for (int k = 0; k < n; k++) {
      double u = factor[k] * (x0 + c * at), rate = factor[k] * c;
      double next = rate > 0 ? floor(u + 1e-9) + 1 : ceil(u - 1e-9) - 1;
      to = fmin(to, at + (next - u) / rate);
    }
    for (int k = 0; k < n; k++) {
      double u = factor[k] * (x0 + c * (at + to) / 2), low = floor(u);
      value += kind[k] == 0   ? low
               : kind[k] == 1 ? ceil(u)
               : kind[k] == 2 ? trunc(u)
                              : low - 3 * floor(low / 3);
    }
    sum += value * (to - at);
    at = to;
  }
  expect(&q.x, "y", sum, 1e-7 * (1 + fabs(sum)));
  return answer(e, &q, DAE_OK);
}

/* x'' = -p^2 x for x > 0, -r^2 x for x < 0: half turns of pi/p and pi/r, the speed at 0 is kept */
static exam_verdict springs(exam *e) {
  question q;
  begin(e, &q, "springs");
  const double pi = 3.14159265358979323846;
  double p = exam_real(e, 0.5, 4), r = exam_real(e, 0.5, 4), v = exam_real(e, 0.3, 3);
  int half = exam_int(e, 0, 12);
  double t = half / 2 * (pi / p + pi / r) + (half % 2 ? pi / p : 0), w = half % 2 ? r : p;
  double s = exam_real(e, 0.05, 0.95) * pi / w, sign = half % 2 ? -1 : 1;
  q.t1 = t + s;
  say(&q,
      "Real x(start = 0, fixed = true), v(start = %.17g, fixed = true); Integer n(start = 0); "
      "equation der(x) = v; der(v) = if x > 0 then -%.17g*x else -%.17g*x; when {x > 0, x < 0} "
      "then "
      "n = pre(n) + 1; end when; end M;",
      v, p * p, r * r);
  expect(&q.x, "n", half + 1, 0); /* x > 0 turns true right after the start */
  expect(&q.x, "x", sign * v / w * sin(w * s), 1e-6 * (1 + v));
  expect(&q.x, "v", sign * v * cos(w * s), 1e-6 * (1 + v));
  return answer(e, &q, DAE_OK);
}

/* a loop at the event: y = c - d x together with x + y = s */
static exam_verdict loop(exam *e) {
  question q;
  begin(e, &q, "loop");
  double s = exam_real(e, -5, 5), c = exam_real(e, -5, 5), d = exam_real(e, -4, 4), y0 = 1.5;
  if (fabs(d - 1) < 0.1) d = 2.5;
  double x = (c - s) / (d - 1); /* x + c - d x = s */
  double t = exam_real(e, 0.2, 0.8);
  q.t1 = 1;
  say(&q,
      "Real x, y(start = %.17g); equation when time > %.17g then y = %.17g - (%.17g)*x; end when; "
      "x + y "
      "= %.17g; end M;",
      y0, t, c, d, s);
  expect(&q.x, "x", x, 1e-10 * (1 + fabs(x)));
  expect(&q.x, "y", s - x, 1e-10 * (1 + fabs(x)));
  return answer(e, &q, DAE_OK);
}

/* boundary value problems have no events */
static exam_verdict boundary(exam *e) {
  question q;
  begin(e, &q, "boundary");
  static const char *const parts[] = {
      "when x > 0.5 then n = pre(n) + 1; end when;", "when x > 0.5 then reinit(v, 0); end when;",
      "when x > 0.5 then terminate(\"\"); end when;", "assert(x < 3, \"large\");"};
  int k = exam_int(e, 0, 3);
  q.t1 = 1;
  say(&q,
      "Real x, v; %s initial equation x(startTime) = 0; x(finalTime) = %.17g; equation der(x) = v; "
      "der(v) = -x; %s end M;",
      k ? "" : "Integer n(start = 0);", exam_real(e, 0.5, 2), parts[k]);
  return answer(e, &q, DAE_E_MODEL);
}

static exam_verdict exam_case(exam *e) {
  static exam_verdict (*const kinds[])(exam *) = {
      bounce, bead,  zeno,    rest,    hop,      sampler, counters, relay,
      slide,  stick, cascade, meeting, switches, springs, loop,     boundary};
  int count = sizeof kinds / sizeof *kinds, kind = e->number % count;
  /* cases of the other kinds keep their numbers */
  bool other = e->number / count % 2;
  if (kinds[kind] == switches && other) return borders(e);
  if (kinds[kind] == counters && other) return thresholds(e);
  return kinds[kind](e);
}

EXAM_MAIN("hybrid")
