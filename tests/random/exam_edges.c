/* conditions on their edges: automata of straight lines, with and, or, not, as model text
   exam: 150 20000
   mended: 902981 903719

   The variables move along straight lines through numbers that have no rounding, so that what
   happens is known exactly: conditions that are on their edge at the start, reinit that leads to an
   edge, makes another condition true or stays there for ever, instants that meet, both directions
   of time. The reference below follows events/events.h: a function that passes its zero has the
   new sign at once, one that reinit or the start puts there has none and takes the next one right
   afterwards. */
#include "random/hybrid.h"

enum { VARIABLES = 4, FUNCTIONS = 6, WHENS = 4, LEAVES = 3, ROUNDS = 90, CROWD = 60, MOST = 400 };

typedef struct leaf {
  int function, relation; /* 0 >, 1 >=, 2 <, 3 <= */
  bool negated;
} leaf;

typedef struct when {
  leaf leaf[LEAVES];
  int leaves;
  bool any[LEAVES]; /* joined to those before by or, else by and */
  bool outer_not;
  int target;    /* of reinit, -1: none */
  int way;       /* 0: constant, 1: pre(x) + c, 2: -pre(x), 3: pre(other) */
  double c;      /* the constant */
  int other;     /* a variable */
  bool switches; /* on = not pre(on) */
} when;

typedef struct automaton {
  int variables, functions, whens;
  double x0[VARIABLES], rate[VARIABLES][2]; /* off, on */
  int of[FUNCTIONS];                        /* function: x[of] - level */
  double level[FUNCTIONS];
  when when[WHENS];
  int direction; /* of time */
  bool has_on;
} automaton;

/* ---- the reference ---- */

typedef struct state {
  double t, x[VARIABLES];
  int number[FUNCTIONS], count[WHENS];
  bool memory[WHENS], on, doubtful;
} state;

static int sign_of(double x) { return (x > 0) - (x < 0); }
static double rate_of(const automaton *a, const state *s, int i) {
  return a->direction * a->rate[i][s->on];
}
static double value_of(const automaton *a, const state *s, int f) {
  return s->x[a->of[f]] - a->level[f];
}

static bool leaf_holds(const leaf *l, int number) {
  bool yes = l->relation == 0   ? number > 0
             : l->relation == 1 ? number >= 0
             : l->relation == 2 ? number < 0
                                : number <= 0;
  return yes != l->negated;
}

static bool holds(const when *w, const int *number) {
  bool yes = leaf_holds(&w->leaf[0], number[w->leaf[0].function]);
  for (int i = 1; i < w->leaves; i++) {
    bool next = leaf_holds(&w->leaf[i], number[w->leaf[i].function]);
    yes = w->any[i] ? yes || next : yes && next;
  }
  return yes != w->outer_not;
}

/* what a reinit gives */
static double given(const automaton *a, const when *w, const double *x) {
  (void)a;
  switch (w->way) {
    case 0: return w->c;
    case 1: return x[w->target] + w->c;
    case 2: return -x[w->target];
    default: return x[w->other];
  }
}

/* rounds at an instant; false: without end */
static bool iterate(const automaton *a, state *s) {
  for (int round = 0; round < ROUNDS; round++) {
    double before[VARIABLES];
    bool on = s->on, fired = false, changed = false, set[VARIABLES] = {0}, blurred[VARIABLES] = {0};
    memcpy(before, s->x, sizeof before);
    for (int k = 0; k < a->whens; k++) {
      const when *w = &a->when[k];
      bool now = holds(w, s->number), fires = now && !s->memory[k];
      s->memory[k] = now;
      if (!fires) continue;
      fired = true;
      s->count[k]++;
      if (w->target >= 0) {
        s->x[w->target] = given(a, w, before);
        set[w->target] = true;
        blurred[w->target] = w->way != 0;
      }
      if (w->switches) s->on = !on;
    }
    for (int f = 0; f < a->functions; f++) {
      if (!set[a->of[f]]) continue;
      /* -x of an x that is zero but for roundings has either sign */
      if (blurred[a->of[f]] && value_of(a, s, f) == 0) s->doubtful = true;
      int number = sign_of(value_of(a, s, f));
      changed = changed || number != s->number[f];
      s->number[f] = number;
    }
    if (!fired && !changed) return true;
  }
  return false;
}

/* right after an instant: functions on their zero take the sign of their motion */
static bool leave(const automaton *a, state *s) {
  int changed = 0, back = 0;
  for (int f = 0; f < a->functions; f++) {
    if (value_of(a, s, f) != 0) continue;
    int next = sign_of(rate_of(a, s, a->of[f]));
    /* one that has passed and stands still: roundings decide */
    if (next == 0 && s->number[f] != 0) s->doubtful = true;
    if (next == 0 || next == s->number[f]) continue;
    back += s->number[f] != 0;
    s->number[f] = next;
    changed++;
  }
  /* one that has passed is beyond by roundings: which comes back or leaves first? */
  if (changed > 1 && back > 0) s->doubtful = true;
  return changed > 0;
}

/* a relation that changes at the zero itself (>= rising, <= rising ..), or right after it */
static void note_sides(const automaton *a, int f, int way, bool *at, bool *after) {
  for (int k = 0; k < a->whens; k++)
    for (int i = 0; i < a->when[k].leaves; i++) {
      const leaf *l = &a->when[k].leaf[i];
      if (l->function != f) continue;
      bool upper = l->relation == 0 || l->relation == 3; /* > and <=: the zero belongs below */
      *(upper == (way > 0) ? after : at) = true;
    }
}

/* the next zero of a function, at once for all that have one there; false: none before `end` */
static bool next_instant(const automaton *a, state *s, double end) {
  double first = INFINITY;
  bool at = false, after = false;
  for (int f = 0; f < a->functions; f++) {
    double v = value_of(a, s, f), r = rate_of(a, s, a->of[f]);
    if (v * r < 0) first = fmin(first, -v / r);
  }
  if (!(s->t + first < end)) {
    for (int i = 0; i < a->variables; i++) s->x[i] += rate_of(a, s, i) * (end - s->t);
    s->t = end;
    return false;
  }
  /* instants that crowd together are told apart down to roundings */
  if (first < 1e-9) s->doubtful = true;
  s->t += first;
  for (int i = 0; i < a->variables; i++) s->x[i] += rate_of(a, s, i) * first;
  for (int f = 0; f < a->functions; f++) {
    double r = rate_of(a, s, a->of[f]);
    if (value_of(a, s, f) != 0 || r == 0) continue;
    note_sides(a, f, sign_of(r), &at, &after);
    s->number[f] = sign_of(r);
  }
  /* x >= 1 and x > 1 change together here, and one after the other on paper */
  s->doubtful = s->doubtful || (at && after);
  return true;
}

/* to the end; DAE_E_EVENTS where something has no end */
static dae_status follow(const automaton *a, state *s, double end) {
  for (int f = 0; f < a->functions; f++) s->number[f] = sign_of(value_of(a, s, f));
  for (int k = 0; k < a->whens; k++) s->memory[k] = holds(&a->when[k], s->number);
  for (int k = 0; k < MOST; k++) {
    for (int crowd = 0; leave(a, s); crowd++)
      if (!iterate(a, s) || crowd > CROWD) return DAE_E_EVENTS;
    if (s->doubtful) return DAE_OK;
    if (!next_instant(a, s, end)) return DAE_OK;
    if (!iterate(a, s)) return DAE_E_EVENTS;
  }
  s->doubtful = true; /* too long for an exam */
  return DAE_OK;
}

/* ---- cases ---- */

static double eighths(exam *e, int most) { return exam_int(e, -8 * most, 8 * most) / 8.0; }

static void make_when(exam *e, automaton *a, when *w, int k) {
  *w = (when){.target = -1, .leaves = exam_int(e, 1, LEAVES)};
  for (int i = 0; i < w->leaves; i++) {
    w->leaf[i] = (leaf){exam_int(e, 0, a->functions - 1), exam_int(e, 0, 3), exam_chance(e, 0.2)};
    w->any[i] = exam_chance(e, 0.4);
  }
  w->outer_not = exam_chance(e, 0.15);
  /* a variable is given by one when */
  if (k < a->variables && exam_chance(e, 0.85)) w->target = k;
  w->way = exam_int(e, 0, 3);
  w->c = eighths(e, 1);
  if (w->way == 0 && exam_chance(e, 0.7)) w->c = a->level[exam_int(e, 0, a->functions - 1)];
  w->other = exam_int(e, 0, a->variables - 1);
  w->switches = k == a->whens - 1 && a->has_on;
}

static void make(exam *e, automaton *a) {
  static const double rates[] = {0.5, 1, 2, 4, 1, 1};
  *a = (automaton){.variables = exam_int(e, 1, VARIABLES),
                   .functions = exam_int(e, 1, FUNCTIONS),
                   .whens = exam_int(e, 1, WHENS),
                   .direction = exam_chance(e, 0.2) ? -1 : 1,
                   .has_on = exam_chance(e, 0.4)};
  for (int f = 0; f < a->functions; f++) {
    a->of[f] = exam_int(e, 0, a->variables - 1);
    a->level[f] = exam_int(e, -4, 4) / 4.0;
    for (int g = 0; g < f; g++) /* one function is one function */
      if (a->of[g] == a->of[f] && a->level[g] == a->level[f]) a->level[f] = 1.25 + 0.25 * f;
  }
  for (int i = 0; i < a->variables; i++) {
    a->x0[i] = eighths(e, 1);
    if (exam_chance(e, 0.4)) {
      int f = exam_int(e, 0, a->functions - 1);
      a->x0[i] = a->level[f];
    }
    for (int on = 0; on < 2; on++)
      a->rate[i][on] =
          exam_chance(e, 0.1) ? 0 : rates[exam_int(e, 0, 5)] * (exam_chance(e, 0.5) ? 1 : -1);
    if (!a->has_on || exam_chance(e, 0.5)) a->rate[i][1] = a->rate[i][0];
  }
  for (int k = 0; k < a->whens; k++) make_when(e, a, &a->when[k], k);
}

static void write_when(const automaton *a, const when *w, question *q, int k) {
  static const char *const relation[] = {">", ">=", "<", "<="};
  say(q, "when %s", w->outer_not ? "not (" : "");
  for (int i = 1; i < w->leaves; i++) say(q, "(");
  for (int i = 0; i < w->leaves; i++) {
    const leaf *l = &w->leaf[i];
    if (i) say(q, w->any[i] ? " or " : " and ");
    say(q, "%s(x%d %s (%.17g))%s", l->negated ? "not " : "", a->of[l->function],
        relation[l->relation], a->level[l->function], i ? ")" : "");
  }
  say(q, "%s then n%d = pre(n%d) + 1; ", w->outer_not ? ")" : "", k, k);
  if (w->switches) say(q, "on = not pre(on); ");
  if (w->target >= 0) say(q, "reinit(x%d, ", w->target);
  if (w->target >= 0 && w->way == 0) say(q, "%.17g); ", w->c);
  if (w->target >= 0 && w->way == 1) say(q, "pre(x%d) + (%.17g)); ", w->target, w->c);
  if (w->target >= 0 && w->way == 2) say(q, "-pre(x%d)); ", w->target);
  if (w->target >= 0 && w->way == 3) say(q, "pre(x%d)); ", w->other);
  say(q, "end when; ");
}

static void write_model(const automaton *a, question *q) {
  for (int i = 0; i < a->variables; i++)
    say(q, "Real x%d(start = %.17g, fixed = true); ", i, a->x0[i]);
  for (int k = 0; k < a->whens; k++) say(q, "Integer n%d(start = 0); ", k);
  if (a->has_on) say(q, "Boolean on(start = false); ");
  say(q, "equation ");
  for (int i = 0; i < a->variables; i++)
    if (a->rate[i][0] == a->rate[i][1]) say(q, "der(x%d) = %.17g; ", i, a->rate[i][0]);
    else say(q, "der(x%d) = if on then %.17g else %.17g; ", i, a->rate[i][1], a->rate[i][0]);
  for (int k = 0; k < a->whens; k++) write_when(a, &a->when[k], q, k);
  say(q, "end M;");
}

/* an automaton in which something happens that roundings do not decide; false: none found */
static bool find(exam *e, automaton *a, state *s, double end, dae_status *status) {
  enum { TRIES = 1000 };
  for (int k = 0; k < TRIES; k++) {
    make(e, a);
    *s = (state){.t = 0};
    memcpy(s->x, a->x0, sizeof s->x);
    *status = follow(a, s, end);
    int events = 0;
    for (int i = 0; i < a->whens; i++) events += s->count[i];
    if (!s->doubtful && events > 0) return true;
  }
  return false;
}

static exam_verdict exam_case(exam *e) {
  automaton a;
  question q;
  state s;
  dae_status status;
  /* the end is no instant */
  double end = exam_int(e, 1, 40) / 8.0 + 0.0371;
  if (!find(e, &a, &s, end, &status)) return exam_say(e, EXAM_DEFECT, "no case");
  begin(e, &q, a.direction > 0 ? "forwards" : "backwards");
  write_model(&a, &q);
  q.t0 = exam_chance(e, 0.5) ? 0 : exam_int(e, -40, 40) / 8.0;
  q.t1 = q.t0 + a.direction * end;
  char name[16];
  for (int i = 0; i < a.variables; i++) {
    snprintf(name, sizeof name, "x%d", i);
    /* rates of up to 4, instants to roundings of t = 10, some hundred of them */
    expect(&q.x, name, s.x[i], 1e-9);
  }
  for (int k = 0; k < a.whens; k++) {
    snprintf(name, sizeof name, "n%d", k);
    expect(&q.x, name, s.count[k], 0);
  }
  return answer(e, &q, status);
}

EXAM_MAIN("edges")
