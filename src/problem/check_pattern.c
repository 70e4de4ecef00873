/*
 * A pattern that lacks an entry makes wrong matrices: columns that share a row move together, and
 * nothing in the steps can tell. First all variables move at once, by parts of their sizes and with
 * signs that differ, against what the matrix of coloured differences makes of it. In a row that is
 * not confirmed the columns that the pattern leaves out move alone: if it changes, half of them,
 * and so on, until one is left.
 */
#include "problem/check_pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "problem/inside.h"

/* steps, in sizes of the variables; what confirms a row, relative to its terms; and the change that
   is no rounding in it */
static const double STEP = 1e-6, CONFIRMED = 1e-5, CHANGED = 1e-9;
enum { ROWS_MOST = 8 }; /* looked at closely */

struct dae_pattern_check {
  const dae_system *s;
  const dae_pattern *pattern;
  dae_colours colours;
  double *J;
  double *x, *dx, *step, *base, *now, *room; /* n each; at: the one of x, dx that moves */
  double *at;
  unsigned char *in; /* n: columns of the row that is looked at */
  int *left;         /* n: columns that may be the missing one */
};

static const dae_pattern *pattern_of(const dae_system *s) {
  const dae_implicit *m = &s->p->implicit;
  if (s->p->kind != DAE_IMPLICIT) return NULL;
  if (m->F) return m->jacobian ? NULL : m->pattern;
  return m->f_x ? NULL : m->f_pattern;
}

dae_status dae_problem_pattern_check_new(dae_pattern_check **out, dae_pool *pool,
                                         const dae_system *s) {
  const dae_pattern *pattern = pattern_of(s);
  const size_t n = (size_t)s->nx;
  *out = NULL;
  if (!pattern) return DAE_OK;
  dae_pattern_check *c = dae_base_take(pool, 1, sizeof *c);
  if (!c) return DAE_E_MEMORY;
  c->s = s;
  c->pattern = pattern;
  dae_problem_colours(&c->colours, pool, pattern);
  c->J = dae_base_doubles(pool, (size_t)pattern->start[n]);
  c->x = dae_base_doubles(pool, 6 * n);
  c->in = dae_base_data(pool, n, 1);
  c->left = dae_base_ints(pool, n);
  dae_base_moving(pool, &c->at, 1);
  if (pool->failed) return DAE_E_MEMORY;
  c->dx = c->x + n, c->step = c->dx + n, c->base = c->step + n;
  c->now = c->base + n, c->room = c->now + n;
  *out = c;
  return DAE_OK;
}

static dae_status call(dae_pattern_check *c, double t, double *out) {
  const dae_problem *p = c->s->p;
  const dae_implicit *m = &p->implicit;
  const int code = m->F ? m->F(t, c->x, c->dx, out, p->ctx) : m->f(t, c->x, out, p->ctx);
  return dae_problem_verdict(code, out, m->n);
}

/* J in the pattern, one-sided */
static dae_status coloured(dae_pattern_check *c, double t) {
  const dae_colours *k = &c->colours;
  const int n = c->s->nx;
  for (int colour = 0; colour < k->count; colour++) {
    memcpy(c->room, c->at, (size_t)n * sizeof *c->room);
    for (int j = 0; j < n; j++)
      if (k->of[j] == colour) c->at[j] += c->step[j];
    const dae_status status = call(c, t, c->now);
    memcpy(c->at, c->room, (size_t)n * sizeof *c->at);
    if (status != DAE_OK) return status;
    for (int j = 0; j < n; j++)
      for (int e = k->start[j]; e < k->start[j + 1] && k->of[j] == colour; e++)
        c->J[k->place[e]] =
            c->step[j] != 0 ? (c->now[k->row[e]] - c->base[k->row[e]]) / c->step[j] : 0;
  }
  return DAE_OK;
}

/* signs and sizes that neighbours, and columns of one colour, do not share */
static double part_of(int j) { return (j % 2 ? -0.7 : 0.6) + 0.3 * sin(1 + 2.3 * j); }

static bool confirmed(const dae_pattern_check *c, int i) {
  double sum = 0, terms = fabs(c->now[i] - c->base[i]);
  for (int e = c->pattern->start[i]; e < c->pattern->start[i + 1]; e++) {
    const int j = c->pattern->column[e];
    const double d = c->J[e] * part_of(j) * c->step[j];
    sum += d, terms += fabs(d);
  }
  const double rounding = 64 * DBL_EPSILON * (fabs(c->base[i]) + fabs(c->now[i]));
  return fabs(c->now[i] - c->base[i] - sum) <= CONFIRMED * terms + rounding;
}

/* does equation i change when `count` columns of c->left move? */
static dae_status changes(dae_pattern_check *c, double t, int i, const int *left, int count,
                          bool *yes) {
  const size_t bytes = (size_t)c->s->nx * sizeof *c->at;
  double terms = fabs(c->base[i]);
  memcpy(c->room, c->at, bytes);
  for (int k = 0; k < count; k++) c->at[left[k]] += part_of(left[k]) * c->step[left[k]] / STEP;
  const dae_status status = call(c, t, c->now);
  memcpy(c->at, c->room, bytes);
  if (status != DAE_OK) return status;
  for (int e = c->pattern->start[i]; e < c->pattern->start[i + 1]; e++)
    terms += fabs(c->J[e] * c->step[c->pattern->column[e]]);
  *yes = fabs(c->now[i] - c->base[i]) > CHANGED * fmax(terms, fabs(c->now[i]));
  return DAE_OK;
}

/* the column outside the pattern that row i changes with; -1: none */
static dae_status find_column(dae_pattern_check *c, double t, int i, int *column) {
  int count = 0;
  int *left = c->left;
  bool yes = false;
  *column = -1;
  memset(c->in, 0, (size_t)c->s->nx);
  for (int e = c->pattern->start[i]; e < c->pattern->start[i + 1]; e++)
    c->in[c->pattern->column[e]] = 1;
  for (int j = 0; j < c->s->nx; j++)
    if (!c->in[j]) left[count++] = j;
  dae_status status = count > 0 ? changes(c, t, i, left, count, &yes) : DAE_OK;
  while (status == DAE_OK && yes && count > 1) {
    const int half = count / 2;
    status = changes(c, t, i, left, half, &yes);
    if (status != DAE_OK) break;
    if (yes) count = half;
    else left += half, count -= half, status = changes(c, t, i, left, count, &yes);
  }
  if (status == DAE_OK && yes && count == 1) *column = *left;
  return status;
}

/* Variables that are zero have no size, and move apart from the others, by the largest of those.
   False: there are none of the kind */
static bool set_steps(dae_pattern_check *c, bool zeros) {
  const int n = c->s->nx;
  const double most = dae_la_norm_max(n, c->at);
  bool any = false;
  for (int j = 0; j < n; j++) {
    const double own = fabs(c->at[j]) > 0 ? fabs(c->at[j]) : most > 0 ? most : 1;
    volatile double there = c->at[j] + STEP * own;
    c->step[j] = (c->at[j] == 0) == zeros ? there - c->at[j] : 0;
    any |= c->step[j] != 0;
  }
  return any;
}

static dae_status look(dae_pattern_check *c, double t, bool slopes, bool zeros, char *message,
                       int size) {
  const int n = c->s->nx;
  char equation[80], variable[80];
  int row[ROWS_MOST], rows = 0, column = -1;
  c->at = slopes ? c->dx : c->x;
  if (!set_steps(c, zeros)) return DAE_OK;
  dae_status status = call(c, t, c->base);
  if (status == DAE_OK) status = coloured(c, t);
  if (status != DAE_OK) return status;
  memcpy(c->room, c->at, (size_t)n * sizeof *c->room);
  for (int j = 0; j < n; j++) c->at[j] += part_of(j) * c->step[j];
  status = call(c, t, c->now);
  memcpy(c->at, c->room, (size_t)n * sizeof *c->at);
  for (int i = 0; i < n && rows < ROWS_MOST && status == DAE_OK; i++)
    if (!confirmed(c, i)) row[rows++] = i;
  for (int k = 0; k < rows && status == DAE_OK; k++) {
    status = find_column(c, t, row[k], &column);
    if (status != DAE_OK || column < 0) continue;
    dae_problem_equation_name(c->s->p, row[k], equation, sizeof equation);
    dae_problem_z_name(c->s->p, column, variable, sizeof variable);
    dae_base_print(message, size,
                   "implicit.%s has no entry for [%s, %s] (entry %d,%d), but the equation changes "
                   "with %s%s",
                   c->s->p->implicit.F ? "pattern" : "f_pattern", equation, variable, row[k] + 1,
                   column + 1, slopes ? "the derivative of " : "", variable);
    return DAE_E_INPUT;
  }
  return status;
}

dae_status dae_problem_pattern_check_run(dae_pattern_check *c, double t, const double *x,
                                         const double *dx, char *message, int size) {
  const size_t bytes = (size_t)c->s->nx * sizeof *x;
  memcpy(c->x, x, bytes);
  memcpy(c->dx, dx, bytes);
  dae_status status = DAE_OK;
  for (int k = 0; k < (c->s->p->implicit.F ? 4 : 2) && status == DAE_OK; k++) {
    status = look(c, t, k / 2, k % 2, message, size);
    if (status == DAE_E_CALLBACK) status = DAE_OK;
  }
  c->at = NULL;
  return status;
}
