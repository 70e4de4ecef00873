/*
 * One round of the event iteration (Modelica specification, appendix B): with pre(..) and the
 * numbers of the switching functions known, the discrete equations
 *   v = (the active branch of when) or (its own equation) or pre(v)
 * are solved together; then reinit acts. A branch is active where one of its conditions has turned
 * true since the round before and no branch of the same `when` before it is active.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/plan.h"

typedef struct round_work {
  const dae_plan *p;
  const dae_hybrid *h;
  dae_round *now;
  int slot; /* of the workspace */
  double *slots, *before, *w, *condition, *value, *unknown;
  unsigned char *active; /* by branch */
} round_work;

/* slots of the switching functions that are not in z */
static void fill_numbers(const dae_plan *p, const double *number, double *slots) {
  const dae_flat *f = &p->model->flat;
  for (int k = 0; k < f->switchings && number; k++)
    if (f->switching[k].slot >= 0) slots[f->switching[k].slot] = number[k];
}

static int run(const round_work *x, const dae_function *f, double t, const double *z,
               const double *y, double *out) {
  const dae_plan *p = x->p;
  bool ode = p->route == ROUTE_ODE;
  if (ode && x->h->needs_w && dae_model_ode_leading(p, t, z, x->w)) return 1;
  const double *const bank[DAE_BANKS] = {z, ode ? x->w : y, x->slots, x->before};
  return dae_model_run(f, t, bank, out);
}

static bool take(round_work *x, const dae_plan *p) {
  const dae_hybrid *h = &p->hybrid;
  int branches = p->model->flat.branches;
  *x = (round_work){.p = p, .h = h};
  int doubles = 2 * h->slots + branches + p->nz + p->nw_slots + h->elements + 2 * h->actions +
                2 * p->nz + (branches + 7) / 8 + 8;
  dae_code *code = (dae_code *)&h->code;
  x->slot = dae_model_workspace(code, doubles);
  if (x->slot < 0) return false;
  double *at = code->workspace[x->slot];
  memset(at, 0, (size_t)doubles * sizeof *at);
  x->slots = at, at += h->slots + branches;
  x->before = at, at += p->nz + h->slots;
  x->w = at, at += p->nw_slots;
  x->condition = at, at += h->elements;
  x->value = at, at += 2 * h->actions;
  x->unknown = at, at += 2 * p->nz;
  x->active = (unsigned char *)at;
  return true;
}

static void give(round_work *x) { dae_model_workspace_end((dae_code *)&x->h->code, x->slot); }

int dae_model_switch_values(double t, const double *z, const double *y, const double *number,
                            double *value, void *ctx) {
  const dae_plan *p = ctx;
  round_work x;
  if (!take(&x, p)) return 1;
  fill_numbers(p, number, x.slots);
  int code = run(&x, p->hybrid.switches, t, z, y, value);
  give(&x);
  const dae_hybrid *h = &p->hybrid;
  if (code || !dae_model_sliding(p, z)) return code;
  for (int k = 0; k < h->discrete.n_switch && !code; k++) {
    double rate[2] = {0};
    if (!h->slides[k] || z[h->switch_entry[k]] != DAE_SLIDING) continue;
    code = dae_model_slide_rates(t, z, k, rate, ctx);
    /* positive as long as the sides oppose each other, in either direction of time */
    double least = fmin(fabs(rate[0]), fabs(rate[1]));
    if (!code) value[k] = rate[0] * rate[1] < 0 ? least : -least;
  }
  return code;
}

void dae_model_settle_switches(const dae_plan *p, double t, double *z, const double *y) {
  const dae_hybrid *h = &p->hybrid;
  int n = h->discrete.n_switch;
  if (n == 0) return;
  double *number = dae_model_take(&p->model->built, (size_t)n, sizeof *number),
         *value = dae_model_take(&p->model->built, (size_t)n, sizeof *value);
  /* a switching function may depend on the numbers of others */
  for (int pass = 0; pass < 4; pass++) {
    if (dae_model_switch_values(t, z, y, number, value, (void *)p)) return;
    for (int k = 0; k < n; k++) {
      number[k] = h->whole[k] ? floor(value[k]) : (value[k] > 0) - (value[k] < 0);
      if (h->switch_entry[k] >= 0 && isfinite(number[k])) z[h->switch_entry[k]] = number[k];
    }
  }
}

/* ---- sample(t0, dt): instants t0 + k dt, computed, not added up ---- */

static double instant(const dae_sampler *s, double k) { return s->start + k * s->period; }

/* times closer than this are one instant */
static double blur(const dae_sampler *s, double t) {
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(s->start));
}

double dae_model_next_sample(double t, int direction, void *ctx) {
  const dae_plan *p = ctx;
  const dae_flat *f = &p->model->flat;
  double next = direction < 0 ? -INFINITY : INFINITY;
  for (int i = 0; i < p->hybrid.instants; i++) {
    double at = p->hybrid.instant[i], tol = 4 * DBL_EPSILON * fabs(t);
    if (direction < 0 ? at < t - tol && at > next : at > t + tol && at < next) next = at;
  }
  for (int i = 0; i < f->samplers; i++) {
    const dae_sampler *s = &f->sampler[i];
    double near = round((t - s->start) / s->period), tol = blur(s, t);
    for (int j = -1; j <= 1; j++) {
      double k = near + j, at = instant(s, k);
      if (k < 0 && !(near < 0 && direction > 0)) continue;
      if (k < 0) at = s->start;
      if (direction < 0 ? at < t - tol && at > next : at > t + tol && at < next) next = at;
    }
  }
  return next;
}

/* may the model end the run before its stop? */
static bool may_terminate(const dae_flat *f) {
  for (int i = 0; i < f->actions; i++)
    if (f->action[i].kind == ACTION_TERMINATE || f->action[i].terminates) return true;
  return false;
}

double dae_model_count_samples(double t, double stop, void *ctx) {
  const dae_plan *p = ctx;
  const dae_flat *f = &p->model->flat;
  double count = 0;
  for (int i = 0; i < f->samplers; i++) {
    const dae_sampler *s = &f->sampler[i];
    bool apart = s->period > 2 * fmax(blur(s, t), blur(s, stop));
    bool begun = fmax(t, stop) >= s->start;
    if (begun) count += apart ? fabs(stop - fmax(t, s->start)) / s->period : INFINITY;
  }
  /* instants behind the end that the model makes do not happen */
  return isfinite(count) && may_terminate(f) ? 0 : count;
}

/* the instant that is nearest */
static double number_of(const dae_sampler *s, double t) {
  return round((t - s->start) / s->period);
}

static bool due(const dae_sampler *s, double t) {
  double k = number_of(s, t);
  return k >= 0 && fabs(instant(s, k) - t) <= blur(s, t);
}

bool dae_model_sample_due(double t, void *ctx) {
  const dae_plan *p = ctx;
  const dae_flat *f = &p->model->flat;
  for (int i = 0; i < p->hybrid.instants; i++)
    if (p->hybrid.instant[i] == t) return true;
  for (int i = 0; i < f->samplers; i++)
    if (due(&f->sampler[i], t)) return true;
  return false;
}

static void fill_flags(round_work *x) {
  const dae_round *now = x->now;
  const dae_flat *f = &x->p->model->flat;
  fill_numbers(x->p, now->number, x->slots);
  memcpy(x->before, now->before, (size_t)x->p->nz * sizeof(double));
  fill_numbers(x->p, now->number_before, x->before + x->p->nz);
  if (now->settling) return;
  x->slots[SLOT_INITIAL] = now->moment == DAE_MOMENT_START;
  x->slots[SLOT_TERMINAL] = now->moment == DAE_MOMENT_FINISH;
  for (int i = 0; i < f->samplers; i++) {
    const dae_sampler *s = &f->sampler[i];
    bool over = due(s, now->clock) && number_of(s, now->clock) == number_of(s, now->t);
    x->slots[SLOT_SAMPLE + i] = now->moment == DAE_MOMENT_EVENT && due(s, now->t) && !over;
  }
}

/* ---- the discrete equations ---- */

/* at the start only initial() makes a `when` active, and what turns true when that is over;
   assertions hold there too */
static bool turns_true(const round_work *x, int b) {
  const dae_branch *branch = &x->p->model->flat.branch[b];
  for (int e = x->h->first[b]; e < x->h->first[b + 1]; e++) {
    bool counts = x->now->moment != DAE_MOMENT_START || x->now->settling || branch->assertion ||
                  x->h->is_initial[e];
    if (counts && x->condition[e] != 0 && !x->now->memory[e]) return true;
  }
  return false;
}

static int find_active(round_work *x) {
  const dae_flat *f = &x->p->model->flat;
  if (run(x, x->h->conditions, x->now->t, x->now->z, x->now->y, x->condition)) return 1;
  for (int b = 0, taken = -1; b < f->branches; b++) {
    x->active[b] = taken != f->branch[b].when && turns_true(x, b);
    if (x->active[b]) taken = f->branch[b].when;
    x->slots[x->h->slots + b] = x->active[b];
  }
  return 0;
}

static bool acts(const round_work *x, int i) {
  int branch = x->p->model->flat.action[x->h->action[i]].branch;
  return (branch < 0 || x->active[branch]) && x->value[x->h->actions + i] != 0;
}

static bool defines(const round_work *x, int i) {
  dae_action_kind kind = x->p->model->flat.action[x->h->action[i]].kind;
  return kind != ACTION_REINIT && kind != ACTION_ASSERT;
}

static int blame(round_work *x, int i) {
  const dae_flat *f = &x->p->model->flat;
  snprintf(x->now->culprit, sizeof x->now->culprit, "%s",
           f->variable[f->action[x->h->action[i]].variable].name);
  return 1;
}

/* right-hand sides of the discrete equations at the present z, by entry, into x->unknown */
static int right_sides(round_work *x) {
  const dae_hybrid *h = x->h;
  if (find_active(x) || run(x, h->values, x->now->t, x->now->z, x->now->y, x->value)) return 1;
  for (int k = 0; k < h->assigned; k++)
    x->unknown[h->assigned_entry[k]] = x->before[h->assigned_entry[k]];
  for (int i = 0; i < h->actions; i++) {
    if (!acts(x, i)) continue;
    if (!isfinite(x->value[i])) return blame(x, i);
    if (defines(x, i)) x->unknown[h->entry[i]] = h->sign[i] * x->value[i];
  }
  return 0;
}

/* sweeps: equations that do not depend on each other in a circle are solved after as many as there
   are */
static int sweep(round_work *x, bool *solved) {
  const dae_hybrid *h = x->h;
  *solved = false;
  for (int k = 0; k < h->assigned + 8 && !*solved; k++) {
    if (right_sides(x)) return 1;
    *solved = true;
    for (int i = 0; i < h->assigned; i++) {
      int e = h->assigned_entry[i];
      if (x->now->z[e] != x->unknown[e]) *solved = false;
      x->now->z[e] = x->unknown[e];
    }
  }
  return 0;
}

/* Newton's method for Real variables in a circle, and for algebraic variables that depend on them:
   0 = v - right side, 0 = h(t,z) */
typedef struct circle {
  int n, rows, *entry;
  double *residual, *shifted, *J, *step, *tau, *work, *scale, *first;
  int *perm;
} circle;

/* Boolean and Integer variables at the present Reals: they have no derivative, sweeps give them */
static int settle_whole(round_work *x) {
  const dae_hybrid *h = x->h;
  for (int k = 0, changed = 1; k < h->assigned + 8 && changed; k++) {
    if (right_sides(x)) return 1;
    changed = 0;
    for (int i = 0; i < h->actions; i++) {
      int e = h->entry[i];
      if (h->real[i] || !defines(x, i) || e < 0 || x->now->z[e] == x->unknown[e]) continue;
      x->now->z[e] = x->unknown[e];
      changed = 1;
    }
  }
  return 0;
}

static int circle_residual(round_work *x, const circle *c, int reals, double *r) {
  if (right_sides(x)) return 1;
  for (int k = 0; k < reals; k++) r[k] = x->now->z[c->entry[k]] - x->unknown[c->entry[k]];
  if (c->rows > reals) return dae_model_ode_h(x->now->t, x->now->z, r + reals, (void *)x->p);
  return 0;
}

static int circle_jacobian(round_work *x, circle *c, int reals) {
  double *z = x->now->z;
  memset(c->scale, 0, (size_t)c->rows * sizeof *c->scale);
  for (int j = 0; j < c->n; j++) {
    double keep = z[c->entry[j]], d = 1e-6 * (1 + fabs(keep));
    z[c->entry[j]] = keep + d;
    d = z[c->entry[j]] - keep;
    int code = circle_residual(x, c, reals, c->shifted);
    z[c->entry[j]] = keep;
    if (code) return 1;
    for (int i = 0; i < c->rows; i++) {
      c->J[i * c->n + j] = (c->shifted[i] - c->residual[i]) / d;
      c->scale[i] += fabs(c->J[i * c->n + j]) * (1 + fabs(keep));
    }
  }
  return 0;
}

/* residuals in units of their derivatives */
static double circle_norm(const circle *c, const double *r) {
  double norm = 0;
  for (int i = 0; i < c->rows; i++)
    if (c->scale[i] > 0 && !(fabs(r[i]) / c->scale[i] <= norm)) norm = fabs(r[i]) / c->scale[i];
  return norm;
}

/* a step of Newton's method, halved while the residuals do not become smaller */
static int circle_step(round_work *x, circle *c, int reals, double *size) {
  enum { HALVINGS = 12 };
  double *z = x->now->z, part = 1;
  if (settle_whole(x) || circle_residual(x, c, reals, c->residual)) return 1;
  if (circle_jacobian(x, c, reals)) return 1;
  double before = circle_norm(c, c->residual), after = INFINITY;
  for (int i = 0; i < c->rows; i++) c->residual[i] = -c->residual[i];
  int rank = dae_la_qr_rank(c->rows, c->n, c->J, 1e-10, c->perm, c->tau, c->work);
  dae_la_qr_min_norm(c->n, rank, c->J, c->perm, c->tau, c->residual, c->step, c->work);
  for (int j = 0; j < c->n; j++) c->first[j] = z[c->entry[j]];
  for (int k = 0; k <= HALVINGS && !(after <= before); k++, part /= 2) {
    for (int j = 0; j < c->n; j++) z[c->entry[j]] = c->first[j] + part * c->step[j];
    after = settle_whole(x) || circle_residual(x, c, reals, c->shifted)
                ? INFINITY
                : circle_norm(c, c->shifted);
    /* at the level of rounding nothing becomes smaller any more */
    if (before < 1e-13 && k == 0 && isfinite(after)) break;
  }
  *size = 0;
  for (int j = 0; j < c->n; j++)
    *size = fmax(*size, fabs(z[c->entry[j]] - c->first[j]) / (1 + fabs(z[c->entry[j]])));
  return !isfinite(*size) || !isfinite(after);
}

/* the unknowns of the circle: Real variables that events give (the way to a solution may change
   which of them are given now), then algebraic ones */
static int list_unknowns(const round_work *x, circle *c) {
  const dae_hybrid *h = x->h;
  for (int i = 0; i < h->actions; i++) {
    int k = 0;
    while (k < c->n && c->entry[k] != h->entry[i]) k++;
    if (h->real[i] && defines(x, i) && k == c->n) c->entry[c->n++] = h->entry[i];
  }
  int reals = c->n;
  for (int i = 0; h->coupled && i < x->p->nz; i++)
    if (!x->p->problem.event_held[i]) c->entry[c->n++] = i;
  c->rows = reals + (h->coupled ? x->p->invariants : 0);
  return reals;
}

static int solve_circle(round_work *x) {
  const dae_hybrid *h = x->h;
  int nz = x->p->nz, most = h->actions + nz, all = most + x->p->invariants;
  for (int i = 0; i < h->assigned; i++)
    x->now->z[h->assigned_entry[i]] = x->before[h->assigned_entry[i]];
  dae_pool pool;
  dae_base_pool_init(&pool, &x->p->code.arena->pool.allocator);
  circle c = {.entry = dae_base_take(&pool, (size_t)most, sizeof(int)),
              .perm = dae_base_take(&pool, (size_t)all + 1, sizeof(int)),
              .residual = dae_base_doubles(&pool, (size_t)all),
              .shifted = dae_base_doubles(&pool, (size_t)all),
              .J = dae_base_doubles(&pool, (size_t)all * (size_t)most),
              .step = dae_base_doubles(&pool, (size_t)all),
              .tau = dae_base_doubles(&pool, (size_t)all),
              .scale = dae_base_doubles(&pool, (size_t)all),
              .first = dae_base_doubles(&pool, (size_t)all),
              .work = dae_base_doubles(&pool, 4 * (size_t)(all + most))};
  int code = pool.failed || right_sides(x);
  int reals = code ? 0 : list_unknowns(x, &c);
  /* differences leave about 1e-10 of a derivative: the last steps shrink by that factor */
  static const dae_iteration_rule rule = {
      .limit = 100, .enough = 4 * DBL_EPSILON, .floor = 1e-12, .still = 0.5};
  dae_iteration course = dae_base_iteration();
  dae_progress progress = c.n ? DAE_GO_ON : DAE_DIVERGED;
  while (!code && progress == DAE_GO_ON) {
    double size = 0;
    code = circle_step(x, &c, reals, &size);
    if (!code) progress = dae_base_judge(&course, &rule, size, 1);
  }
  if (!code && progress != DAE_CONVERGED) code = 1;
  dae_base_pool_free(&pool);
  return code;
}

/* does the last sweep leave a discrete equation unsatisfied? Its number, or -1 */
static int unsolved(const round_work *x) {
  const dae_hybrid *h = x->h;
  for (int i = 0; i < h->actions; i++) {
    int e = h->entry[i];
    double gap = fabs(x->now->z[e] - x->unknown[e]);
    if (defines(x, i) && acts(x, i) && !(gap <= 1e-12 * (1 + fabs(x->now->z[e])))) return i;
  }
  return -1;
}

static bool anything_acts(const round_work *x) {
  for (int i = 0; i < x->h->actions; i++)
    if (defines(x, i) && acts(x, i)) return true;
  return false;
}

static int solve(round_work *x) {
  bool solved;
  if (sweep(x, &solved)) return 1;
  if (solved && !(x->h->coupled && anything_acts(x))) return 0;
  int failed = solve_circle(x);
  if (right_sides(x)) return 1;
  int culprit = unsolved(x);
  return culprit < 0 ? failed : blame(x, culprit);
}

/* two reinit of one entry that act together; their second one, or -1 */
static int given_twice(const round_work *x) {
  const dae_hybrid *h = x->h;
  for (int i = 0; i < h->actions; i++)
    for (int k = 0; k < i && !defines(x, i) && h->entry[i] >= 0 && acts(x, i); k++)
      if (!defines(x, k) && h->entry[k] == h->entry[i] && acts(x, k)) return i;
  return -1;
}

/* is this the last round, but for assertions? */
static bool nothing_changed(const round_work *x) {
  const dae_flat *f = &x->p->model->flat;
  const dae_round *now = x->now;
  for (int b = 0; b < f->branches; b++)
    if (x->active[b] && !f->branch[b].assertion) return false;
  for (int k = 0; k < f->switchings; k++)
    if (now->number[k] != now->number_before[k]) return false;
  return memcmp(now->before, now->z, (size_t)x->p->nz * sizeof *now->z) == 0;
}

/* reinit acts when the discrete equations are solved */
static int finish(round_work *x) {
  const dae_hybrid *h = x->h;
  const dae_flat *f = &x->p->model->flat;
  int twice = given_twice(x);
  x->now->twice = twice >= 0;
  if (twice >= 0) return blame(x, twice);
  for (int i = 0; i < h->actions; i++) {
    if (defines(x, i) || !acts(x, i)) continue;
    if (h->entry[i] >= 0) {
      x->now->z[h->entry[i]] = h->sign[i] * x->value[i];
      x->now->given[h->entry[i]] = 1;
    } else if (x->value[i] == 0) x->now->fired[h->event_of_action[h->action[i]]] = 1;
  }
  bool over = nothing_changed(x);
  for (int b = 0; b < f->branches; b++) {
    /* what an assertion sees before the last round does not count */
    bool waits = f->branch[b].assertion && x->active[b] && !over;
    for (int e = h->first[b]; e < h->first[b + 1]; e++)
      x->now->memory[e] = x->condition[e] != 0 && !waits;
    if (x->active[b] && !waits) x->now->fired[h->event_of[b]] = 1;
  }
  return 0;
}

int dae_model_round(dae_round *now, void *ctx) {
  round_work x;
  if (!take(&x, ctx)) return 1;
  x.now = now;
  fill_flags(&x);
  int code = solve(&x);
  if (!code) code = finish(&x);
  give(&x);
  return code;
}
