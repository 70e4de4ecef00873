/* continuation: a hard problem is reached from an easy one along a parameter */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colloc/bvp.h"

enum { MOST_STEPS = 500 };

/* adds what a solve cost; the solution that stays carries the sum */
static void add_stats(dae_bvp_stats *sum, const dae_bvp_stats *one) {
  sum->meshes += one->meshes;
  sum->newton += one->newton;
  sum->factorizations += one->factorizations;
  sum->solves += one->solves;
  sum->evaluations += one->evaluations;
  sum->jacobians += one->jacobians;
  sum->damping = fmin(sum->damping, one->damping);
  sum->rcond = one->rcond;
  sum->condition = one->condition;
  if (one->bytes > sum->bytes) sum->bytes = one->bytes;
}

static bool may_shrink(dae_status status) {
  return status == DAE_E_NEWTON || status == DAE_E_SINGULAR || status == DAE_E_MESH ||
         status == DAE_E_CALLBACK;
}

/* ---- the right-hand side switched on step by step ---- */

enum { MOST_LOADS = 60 };
/* points that all other ways together may take when the first attempt finds nothing */
static const long MOST_POINTS = 600000;

/* a solution on the way from load 0 to load 1, and what the way costs */
typedef struct climb {
  const dae_problem *p;
  const dae_settings *o;
  double loosen;
  dae_solution *now;
  double load;        /* of now */
  double reached;     /* the same when the way has ended */
  int count;          /* solves */
  long *points;       /* that may still be evaluated */
  long cost;          /* points of the last solve that led on; 0: there was none */
  dae_status fatal;   /* what ends the way at once: a stop of the user, no memory */
  dae_status verdict; /* on what was found at its end, when no other way can help */
  dae_report why;     /* about it */
  dae_bvp_stats sum;
} climb;

/* points that a solve on the way may take: one that needs far more than the last is a step too far
   */
static long allowance(const climb *c, double loosen) {
  enum { LEAST = 4000, TIMES = 12, PART = 6 };
  long most = c->cost > 0 ? TIMES * c->cost : *c->points / PART;
  if (loosen == 1 || most > *c->points) return *c->points;
  return most > LEAST ? most : *c->points < LEAST ? *c->points : LEAST;
}

/* true: now is the solution for this load */
static bool reach(climb *c, double load, double loosen, const dae_solution *guess) {
  dae_solution *next = NULL;
  long allowed = allowance(c, loosen);
  dae_colloc_task task = {.load = load, .loosen = loosen, .points = allowed};
  dae_status status = dae_colloc_bvp_attempt(c->p, c->o, &task, guess, &next, &c->why);
  *c->points -= allowed - task.points;
  if (status == DAE_OK && load > 0) c->cost = allowed - task.points;
  dae_base_log(&c->o->log, DAE_LOG_INFO, "right-hand side times %.6g: %s", load,
               dae_status_name(status));
  if (next) add_stats(&c->sum, &next->stats);
  c->count++;
  if (status == DAE_STOPPED || status == DAE_E_MEMORY) c->fatal = status;
  if (status != DAE_OK && load == 1 && loosen == 1 && task.hopeless) c->verdict = status;
  if (status != DAE_OK) {
    dae_solution_free(next);
    return false;
  }
  dae_solution_free(c->now);
  c->now = next;
  c->load = load;
  return true;
}

/* load 0, then the largest of 10^-1, 10^-2, 10^-4, .. that can be reached from there */
static bool first_load(climb *c, const dae_solution *guess) {
  reach(c, 0, c->loosen, guess);
  for (int exponent = 1; exponent <= 16 && *c->points > 1 && !c->fatal; exponent *= 2)
    if (reach(c, pow(10, -exponent), c->loosen, c->now ? c->now : guess)) return true;
  return false;
}

/*
 * Solutions of M x^(m) = load f(t,z,0) + .. for rising load, in steps of its logarithm: doubled
 * after a success, a quarter after a failure. A small load makes layers wide (eps x'' = f is
 * eps/load x'' = f) and nonlinear terms weak. Tolerances are loose on the way.
 */
static bool climb_up(climb *c, const dae_solution *guess) {
  if (!first_load(c, guess)) return false;
  double at = log10(c->load), step = fmin(1, -at);
  while (at < 0 && step > 2e-3 && c->count<MOST_LOADS && * c->points> 1 && !c->fatal) {
    double to = fmin(0, at + step);
    bool done = reach(c, pow(10, to), c->loosen, c->now);
    if (done) at = to;
    step = done ? 2 * step : step / 4;
  }
  /* load 1 with the tolerance asked for is the solution */
  return at >= 0 && (c->loosen == 1 || reach(c, 1, 1, c->now));
}

/* how far the way led, as advice */
static void tell_way(const climb *c, dae_report *report) {
  if (!report || !c->now || c->load == 0) return;
  if (c->load < 1)
    dae_base_print(
        report->advice, sizeof report->advice,
        "Solutions were found up to %.4g times the right-hand side; beyond there may be none. "
        "Try a better guess, or continuation in a parameter (dae_bvp_continue).",
        c->load);
  else
    dae_base_print(report->advice, sizeof report->advice,
                   "With a tolerance of %.1e a solution was found on the way, without a look at "
                   "its conditioning: ask for that first.",
                   c->loosen * c->o->rtol);
}

/* the way from a small right-hand side, after an attempt that ended with `status` and *out; kept:
   the unknown parameters as they were before it */
static dae_status another_way(climb *c, const dae_solution *guess, const double *kept,
                              dae_status status, dae_solution **out, dae_report *report) {
  const dae_boundary *b = c->p->boundary;
  size_t bytes = sizeof(double) * (size_t)b->n_parameter;
  if (bytes > 0) memcpy(b->parameter, kept, bytes);
  if (*out) add_stats(&c->sum, &(*out)->stats);
  bool done = climb_up(c, guess);
  if (done) {
    dae_solution_free(*out);
    *out = c->now;
    c->sum.steps = c->count;
    (*out)->stats = c->sum;
    dae_colloc_report(report, DAE_OK, c->p->t1, "%s", dae_status_meaning(DAE_OK));
    return DAE_OK;
  }
  if (c->fatal) dae_colloc_report(report, c->fatal, c->p->t0, "%s", dae_status_meaning(c->fatal));
  else if (c->verdict != DAE_OK && report) *report = c->why;
  else if (c->verdict == DAE_OK) tell_way(c, report);
  c->reached = c->now ? c->load : 0;
  dae_solution_free(c->now);
  if (*out && bytes > 0) memcpy(b->parameter, dae_solution_parameter(*out), bytes);
  return c->fatal ? c->fatal : c->verdict != DAE_OK ? c->verdict : status;
}

dae_status dae_colloc_bvp_input(const dae_problem *p, const dae_options *o, char *message,
                                int size) {
  dae_status status = dae_problem_valid(p, message, size);
  if (status == DAE_OK) status = dae_base_options_valid(o, message, size);
  if (status == DAE_OK && !p->boundary) {
    dae_base_print(message, size,
                   "the problem has no boundary conditions: set its field `boundary`");
    status = DAE_E_INPUT;
  }
  return status;
}

/* may another way help? */
static bool stuck(dae_status status, const dae_colloc_task *task, const dae_settings *o) {
  return o && !o->fixed_mesh && !task->hopeless && !task->straight &&
         (status == DAE_E_NEWTON || status == DAE_E_SINGULAR);
}

/* an attempt, and when it does not converge the way from a small right-hand side: with a loose
   tolerance, then, as long elements may hold a layer in the wrong place, with a tighter one */
static dae_status both_ways(const dae_problem *p, const dae_settings *o, const dae_solution *guess,
                            const double *kept, dae_colloc_task *task, dae_solution **out,
                            dae_report *report) {
  static const double on_the_way[] = {1e-3, 1e-5};
  dae_status status = dae_colloc_bvp_attempt(p, o, task, guess, out, report);
  if (!stuck(status, task, o)) return status;
  long all = task->points > 0 ? task->points : MOST_POINTS, half = all / 2;
  for (int i = 0; i < 2 && stuck(status, task, o); i++) {
    long left = i == 0 ? half : all - half + task->points;
    climb c = {.p = p, .o = o, .loosen = on_the_way[i] / fmax(o->rtol, 1e-14), .points = &left};
    if (i == 0) c.loosen = fmax(1, c.loosen);
    c.sum.damping = 1;
    status = another_way(&c, guess, kept, status, out, report);
    task->points = left;
    if (c.verdict != DAE_OK) task->hopeless = true;
    if (task->singular || c.reached == 0) break;
  }
  return status;
}

/* the same once more from finer first meshes, after what ended with `status` and *out: few
   intervals may hide the shape of the guess, or lead Newton's method astray on their own */
static dae_status finer_first_mesh(const dae_problem *p, const dae_settings *o, const double *kept,
                                   dae_colloc_task *task, dae_status status, dae_solution **out,
                                   dae_report *report) {
  static const int first[] = {40, 80};
  const dae_boundary *b = p->boundary;
  size_t bytes = sizeof(double) * (size_t)b->n_parameter;
  for (int i = 0; i < 2 && first[i] <= o->mesh_max && task->points > 1; i++) {
    dae_settings own = *o;
    dae_solution *s = NULL;
    dae_report why = {.event = -1};
    own.mesh = first[i];
    if (bytes > 0) memcpy(b->parameter, kept, bytes);
    dae_status now = both_ways(p, &own, NULL, kept, task, &s, &why);
    dae_base_log(&o->log, DAE_LOG_INFO, "first mesh of %d intervals: %s", own.mesh,
                 dae_status_name(now));
    if (stuck(now, task, o) || now == DAE_E_MESH) {
      dae_solution_free(s);
      continue;
    }
    /* a solution, or a reason that holds for every mesh */
    dae_solution_free(*out);
    *out = s;
    if (report) *report = why;
    return now;
  }
  if (*out && bytes > 0) memcpy(b->parameter, dae_solution_parameter(*out), bytes);
  return status;
}

/* the same from a solution for a looser tolerance, whose other number of points on other meshes may
   lead Newton's method elsewhere; *out stays when it does not help */
static dae_status looser_first(const dae_problem *p, const dae_settings *o, const double *kept,
                               dae_status status, dae_solution **out, dae_report *report) {
  static const double loose[] = {1e-3, 1e-5}, LOOSER = 30;
  const dae_boundary *b = p->boundary;
  size_t bytes = sizeof(double) * (size_t)b->n_parameter;
  for (int i = 0; i < 2 && o->rtol > 0 && loose[i] > LOOSER * o->rtol; i++) {
    dae_settings own = *o;
    dae_solution *first = NULL, *s = NULL;
    dae_report why = {.event = -1};
    dae_colloc_task way = {.load = 1, .loosen = 1}, whole = {.load = 1, .loosen = 1};
    own.atol *= loose[i] / own.rtol;
    own.rtol = loose[i];
    if (bytes > 0) memcpy(b->parameter, kept, bytes);
    dae_status now = both_ways(p, &own, NULL, kept, &way, &first, &why);
    whole.points = MOST_POINTS;
    if (now == DAE_OK) now = dae_colloc_bvp_attempt(p, o, &whole, first, &s, &why);
    dae_base_log(&o->log, DAE_LOG_INFO, "tolerance %.0e first: %s", own.rtol, dae_status_name(now));
    dae_solution_free(first);
    if (now == DAE_OK || now == DAE_STOPPED || now == DAE_E_MEMORY || (s && whole.hopeless)) {
      dae_solution_free(*out);
      *out = s;
      if (report) *report = why;
      return now;
    }
    dae_solution_free(s);
  }
  if (*out && bytes > 0) memcpy(b->parameter, dae_solution_parameter(*out), bytes);
  return status;
}

dae_status dae_colloc_bvp_solve(const dae_problem *p, const dae_settings *o,
                                const dae_solution *guess, dae_solution **out, dae_report *report) {
  dae_colloc_task whole = {.load = 1, .loosen = 1};
  const dae_boundary *b = p && o ? p->boundary : NULL;
  double *kept = NULL;
  dae_pool pool;
  if (out) *out = NULL;
  if (b && b->parameter && b->n_parameter > 0) {
    dae_base_pool_init(&pool, &o->allocator);
    kept = dae_base_doubles(&pool, (size_t)b->n_parameter);
    if (!kept) {
      dae_colloc_report(report, DAE_E_MEMORY, p->t0, "%s", dae_status_meaning(DAE_E_MEMORY));
      return DAE_E_MEMORY;
    }
    memcpy(kept, b->parameter, sizeof(double) * (size_t)b->n_parameter);
  }
  dae_status status = both_ways(p, o, guess, kept, &whole, out, report);
  if (o && stuck(status, &whole, o) && !whole.singular && !guess && o->mesh == 0)
    status = finer_first_mesh(p, o, kept, &whole, status, out, report);
  if (o && stuck(status, &whole, o) && !guess && !b->z_tol)
    status = looser_first(p, o, kept, status, out, report);
  if (kept) dae_base_pool_free(&pool);
  return status;
}

/* ---- continuation in a parameter of the problem ---- */

/* steps of the parameter: doubled after a success, a quarter after a failure */
static dae_status follow(const dae_problem *p, const dae_settings *o, double *parameter, double to,
                         dae_solution **now, dae_bvp_stats *sum, dae_report *report) {
  double at = *parameter, span = to - at, step = span / 4;
  for (int i = 0; at != to; i++) {
    dae_solution *next = NULL;
    dae_colloc_task whole = {.load = 1, .loosen = 1};
    bool last = fabs(step) >= fabs(to - at) * (1 - 1e-12);
    *parameter = last ? to : at + step;
    dae_status status = dae_colloc_bvp_attempt(p, o, &whole, *now, &next, report);
    dae_base_log(&o->log, DAE_LOG_INFO, "continuation: %.10g: %s", *parameter,
                 dae_status_name(status));
    if (next) add_stats(sum, &next->stats);
    sum->steps++;
    if (status == DAE_OK) {
      dae_solution_free(*now);
      *now = next;
      at = *parameter;
      step *= 2;
      continue;
    }
    dae_solution_free(next);
    *parameter = at;
    step /= 4;
    if (!may_shrink(status)) return status;
    if (fabs(step) < 1e-6 * fabs(span) || i >= MOST_STEPS) {
      char why[DAE_TEXT_MAX];
      snprintf(why, sizeof why, "%s", report ? report->message : "");
      dae_colloc_report(report, DAE_E_STEP, p->t0,
                        "continuation stops at %.10g on the way to %.10g: %.140s", at, to, why);
      return DAE_E_STEP;
    }
  }
  return DAE_OK;
}

dae_status dae_colloc_bvp_continue(const dae_problem *p, const dae_settings *o, double *parameter,
                                   double from, double to, const dae_solution *guess,
                                   dae_solution **out, dae_report *report) {
  dae_solution *now = NULL;
  dae_bvp_stats sum = {.damping = 1};
  *parameter = from;
  dae_status status = dae_colloc_bvp_solve(p, o, guess, &now, report);
  if (now) add_stats(&sum, &now->stats);
  if (status == DAE_OK) status = follow(p, o, parameter, to, &now, &sum, report);
  /* unknown parameters and the problem itself are left as they belong to the solution */
  if (now && p->boundary->n_parameter > 0)
    for (int i = 0; i < p->boundary->n_parameter; i++)
      p->boundary->parameter[i] = dae_solution_parameter(now)[i];
  if (now) now->stats = sum;
  *out = now;
  return status;
}
