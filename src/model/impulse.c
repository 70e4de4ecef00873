/*
 * Jumps of differentiated variables. Where a constraint jumps at an event (or one of its
 * derivatives does), variables that it determines jump with it, their derivatives hold impulses,
 * and so do others through the equations as they were written. With [x] = x+ - x- at the instant,
 *   x^(k) = .. + sum_n S_(k,n) delta^(n),   S_(k,n) = [x^(k-1-n)] for n < k, a_(n-k) for n >= k,
 * where a_m are impulses of x itself. Every equation f_i is balanced at each order of delta,
 *   sum (df_i/dx_j^(k)) S_(j,k,n) = 0,
 * and the constraints hold at x+: that determines x+. reinit(x, value) is an impulse from outside:
 * x+ is the value, and [x] in the equations is free. A product of an impulse with a factor that
 * jumps, or holds an impulse itself, has no meaning: such an instant is refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/plan.h"
#include "problem/solve.h"

enum { MOST_COLUMNS = 1500 }; /* unknowns that are solved for together, dense */
/* impulses this small beside their scale are roundings */
static const double NONE = 1e-9;
/* how far factors of impulses are moved to see whether they depend on them, in units of scale */
static const double SHIFT = 0.37;

static bool lacks_place(void *ctx, const dae_node *leaf) {
  const dae_plan *p = ctx;
  return leaf->c != WHEN_NOW ||
         dae_model_z_index(p, p->model->structure->kept_of[leaf->a], leaf->b) < 0;
}

/* der(v) = 0 of what only events change says nothing about the instant */
static bool holds_discrete(const dae_model *m, int residual) {
  const dae_node *n = &m->graph.node[residual];
  return n->op == OP_VAR && n->b == 1 && m->flat.variable[n->a].assigned;
}

static void add_entry(dae_model *m, dae_impulses *x, const dae_node *leaf, int factor) {
  x->entry = dae_model_grow(&m->built, x->entry, &x->capacity, x->entries + 1, sizeof *x->entry);
  x->entry[x->entries++] = (dae_impulse_entry){.variable = m->structure->kept_of[leaf->a],
                                               .order = leaf->b,
                                               .constant = dae_model_constant(&m->graph, factor)};
}

void dae_model_make_impulses(dae_model *m, dae_plan *p) {
  const dae_structure *s = m->structure;
  dae_impulses *x = &p->hybrid.impulse;
  if (p->route != ROUTE_ODE || p->invariants == 0) return;
  p->hybrid.discrete.jump = dae_model_jump;
  for (int j = 0; j < s->vars; j++)
    if (s->d[j] > x->orders) x->orders = s->d[j];
  if (x->orders == 0) x->orders = 1;
  x->columns = p->nz + s->vars * x->orders;
  if (x->columns > MOST_COLUMNS || p->invariants > MOST_COLUMNS) return;
  int capacity = 0, count = 0, *factor = NULL;
  x->row = dae_model_ints(&m->built, s->eqs + 1);
  x->start = dae_model_ints(&m->built, s->eqs + 2);
  dae_gradient gradient = {0};
  for (int i = 0; i < s->eqs; i++) {
    if (holds_discrete(m, s->written[i])) continue;
    dae_model_gradient(&m->graph, s->written[i], &gradient);
    for (int k = 0; k < gradient.count; k++) {
      const dae_node leaf = m->graph.node[gradient.leaf[k]];
      if (leaf.op != OP_VAR || dae_model_is(&m->graph, gradient.value[k], 0)) continue;
      factor = dae_model_grow(&m->built, factor, &capacity, count + 1, sizeof(int));
      factor[count] = gradient.value[k];
      for (int pass = 0; pass < 2; pass++)
        dae_model_substitute(&m->graph, &factor[count], 1, &factor[count], dae_model_replace_lead,
                             p);
      /* a factor that only numbers give is not known: not a number */
      if (dae_model_depends(m, factor[count], lacks_place, p))
        factor[count] = dae_model_const(&m->graph, NAN);
      add_entry(m, x, &leaf, factor[count]);
      if (leaf.b > x->highest) x->highest = leaf.b;
      count++;
    }
    x->row[x->rows++] = i;
    x->start[x->rows] = count;
  }
  x->factor = dae_model_function(&p->code, "factors of impulses", factor, count);
}

/* ---- one instant ---- */

typedef struct instant {
  const dae_plan *p;
  const dae_impulses *x;
  double t;
  const double *before; /* z before */
  double *z;            /* and after */
  double *factor;       /* of the entries, kept during a solution */
  double *H, *h;
  int *column, *impulse; /* of an entry of z; of a variable: the first of its impulses. -1: known */
  bool *given;           /* by reinit: the column is the jump that the equations see */
  bool only_impulses;    /* z is known */
  double *unknown, *scale;
  int columns, rows, levels;
} instant;

/* the jump of entry q of z as the equations see it */
static double jump_of(const instant *n, const double *u, int q) {
  if (n->given[q]) return n->column[q] >= 0 ? u[n->column[q]] : 0;
  return n->z[q] - n->before[q];
}

/* S_(k,level) of x_j, and the column that moves it (-1: none) */
static double singular_part(const instant *n, const double *u, int j, int k, int level,
                            int *column) {
  *column = -1;
  if (level < k) {
    int q = dae_model_z_index(n->p, j, k - 1 - level);
    if (q < 0) return 0;
    *column = n->column[q];
    return jump_of(n, u, q);
  }
  if (n->impulse[j] < 0 || level - k >= n->x->orders) return 0;
  *column = n->impulse[j] + level - k;
  return u[*column];
}

static void put(const instant *n, const double *u) {
  for (int q = 0; q < n->p->nz && !n->only_impulses; q++)
    if (n->column[q] >= 0 && !n->given[q]) n->z[q] = u[n->column[q]];
}

static int value(void *ctx, const double *u, double *r) {
  const instant *n = ctx;
  const dae_impulses *x = n->x;
  put(n, u);
  int first = n->only_impulses ? 0 : n->p->invariants, column;
  if (first && dae_model_ode_h(n->t, n->z, r, (void *)n->p)) return 1;
  for (int i = 0; i < x->rows; i++)
    for (int l = 0; l < n->levels; l++) {
      double sum = 0;
      for (int e = x->start[i]; e < x->start[i + 1]; e++) {
        double s = singular_part(n, u, x->entry[e].variable, x->entry[e].order, l, &column);
        if (s != 0) sum += n->factor[e] * s;
      }
      r[first + i * n->levels + l] = sum;
    }
  return 0;
}

/* rows of dh/dz; sizes by what each entry of z adds to first order */
static int constraint_rows(const instant *n, double *J, double *size) {
  const dae_plan *p = n->p;
  const dae_pattern *pattern = p->problem.ode.h_pattern;
  memset(n->H, 0, (size_t)p->invariants * (size_t)p->nz * sizeof(double));
  if (dae_model_ode_h_z(n->t, n->z, n->H, (void *)p)) return 1;
  for (int i = 0; i < p->invariants; i++) {
    size[i] = 0;
    int from = pattern ? pattern->start[i] : i * p->nz,
        to = pattern ? pattern->start[i + 1] : from + p->nz;
    for (int k = from; k < to; k++) {
      int q = pattern ? pattern->column[k] : k - from;
      size[i] = fmax(size[i], fabs(n->H[k] * n->z[q]));
      if (n->column[q] >= 0 && !n->given[q]) J[i * n->columns + n->column[q]] = n->H[k];
    }
  }
  return 0;
}

static int matrix(void *ctx, const double *u, double *J, double *size) {
  const instant *n = ctx;
  const dae_impulses *x = n->x;
  put(n, u);
  int first = n->only_impulses ? 0 : n->p->invariants, column;
  if (first && constraint_rows(n, J, size)) return 1;
  for (int i = 0; i < x->rows; i++)
    for (int l = 0; l < n->levels; l++) {
      int row = first + i * n->levels + l;
      size[row] = 0;
      for (int e = x->start[i]; e < x->start[i + 1]; e++) {
        int j = x->entry[e].variable, k = x->entry[e].order;
        double s = singular_part(n, u, j, k, l, &column), c = n->factor[e];
        if (isnan(c) && s == 0 && column < 0) continue;
        if (isnan(c)) c = 0;
        if (column >= 0) J[row * n->columns + column] += c;
        int q = l < k ? dae_model_z_index(n->p, j, k - 1 - l) : -1;
        double around = q >= 0 ? fmax(fabs(n->before[q]), fabs(n->z[q])) : 0;
        size[row] = fmax(size[row], fabs(c) * fmax(fabs(s), around));
      }
    }
  return 0;
}

/* size of a kept variable at the instant; `nominal` where it is near 0 */
static double scale_of(const instant *n, int j, int q) {
  const dae_model *m = n->p->model;
  double here = q >= 0 ? fmax(fabs(n->before[q]), fabs(n->z[q])) : 0;
  return fmax(here, fabs(m->flat.variable[m->structure->var[j]].nominal));
}

/* columns: entries of z that are free (or the jumps of those that reinit gives), then impulses */
static void number_columns(instant *n) {
  const dae_plan *p = n->p;
  const dae_structure *s = p->model->structure;
  n->columns = 0;
  for (int j = 0; j < s->vars; j++) {
    bool assigned = p->model->flat.variable[s->var[j]].assigned;
    for (int k = 0, q; (q = dae_model_z_index(p, j, k)) >= 0; k++) {
      bool free = !assigned && (n->given[q] || !n->only_impulses);
      n->column[q] = free ? n->columns : -1;
      if (!free) continue;
      n->scale[n->columns] = scale_of(n, j, q);
      n->unknown[n->columns++] = n->given[q] ? 0 : n->z[q];
    }
    n->impulse[j] = assigned ? -1 : n->columns;
    for (int k = 0; k < n->x->orders && !assigned; k++) {
      n->scale[n->columns] = scale_of(n, j, dae_model_z_index(p, j, 0));
      n->unknown[n->columns++] = 0;
    }
  }
  n->rows = (n->only_impulses ? 0 : p->invariants) + n->x->rows * n->levels;
}

/* the factors at a point; 1 when they have no value */
static int find_factors(const instant *n, const double *z) {
  return dae_model_ode_run(n->p, n->x->factor, n->t, z, n->factor);
}

static dae_solved solve(instant *n, dae_pool *pool) {
  dae_solved none = {.row = 0};
  size_t room = dae_problem_solve_room(n->rows, n->columns);
  double *work = room ? dae_base_doubles(pool, room) : NULL;
  if (!work) return none;
  const dae_equations e = {.rows = n->rows,
                           .cols = n->columns,
                           .ctx = n,
                           .value = value,
                           .matrix = matrix,
                           .scale = n->scale};
  dae_solved solved = dae_problem_solve(&e, DAE_EFFORT_QUICK, n->unknown, work);
  put(n, n->unknown);
  return solved;
}

/* an entry whose factor is no constant is met by a derivative of an impulse, or one whose factor is
   not known by an impulse: the equation of it, else -1 */
static int beyond_words(const instant *n) {
  const dae_impulses *x = n->x;
  for (int i = 0; i < x->rows; i++)
    for (int e = x->start[i]; e < x->start[i + 1]; e++)
      for (int l = 0; l < n->levels; l++) {
        int j = x->entry[e].variable, column;
        double s = singular_part(n, n->unknown, j, x->entry[e].order, l, &column);
        if (fabs(s) <= NONE * scale_of(n, j, dae_model_z_index(n->p, j, 0))) continue;
        if (isnan(n->factor[e]) || (l > 0 && !x->entry[e].constant)) return i;
      }
  return -1;
}

/* z+ with all that holds an impulse moved */
static void move_impulsive(const instant *n, double *z) {
  const dae_plan *p = n->p;
  memcpy(z, n->z, (size_t)p->nz * sizeof *z);
  for (int j = 0; j < p->model->structure->vars; j++)
    for (int k = 0, q, column; (q = dae_model_z_index(p, j, k)) >= 0; k++)
      for (int l = 0; l < n->levels; l++) {
        double scale = scale_of(n, j, q);
        if (fabs(singular_part(n, n->unknown, j, k, l, &column)) <= NONE * scale) continue;
        z[q] += SHIFT * scale;
        break;
      }
}

static int blame(const instant *n, int row, char *culprit, size_t size) {
  const dae_plan *p = n->p;
  int first = n->only_impulses ? 0 : p->invariants;
  const char *name = p->g_name[0];
  if (row < first) name = p->g_name[row];
  else if (n->x->rows)
    name = dae_model_constraint_name(
        p->model, p->model->structure->place[n->x->row[(row - first) / n->levels]]);
  snprintf(culprit, size, "%s", name);
  return 1;
}

/* z+ from z-; then the same balance with the factors after the instant */
static int attempt(instant *n, dae_pool *pool, char *culprit, size_t size) {
  double *moved = dae_base_doubles(pool, (size_t)n->p->nz + 1);
  if (!moved || find_factors(n, n->before)) return blame(n, 0, culprit, size);
  n->only_impulses = false;
  number_columns(n);
  dae_solved solved = solve(n, pool);
  if (!solved.ok) return blame(n, solved.row, culprit, size);
  int bad = beyond_words(n);
  move_impulsive(n, moved);
  n->only_impulses = true;
  if (bad >= 0 || find_factors(n, moved))
    return blame(n, (bad < 0 ? 0 : bad) * n->levels, culprit, size);
  number_columns(n);
  solved = solve(n, pool);
  return solved.ok ? 0 : blame(n, solved.row, culprit, size);
}

int dae_model_jump(double t, const double *before, double *z, char *culprit, size_t size,
                   void *ctx) {
  const dae_plan *p = ctx;
  const dae_impulses *x = &p->hybrid.impulse;
  snprintf(culprit, size, "%s", p->g_name[0]);
  if (!x->factor) return 1;
  size_t nz = (size_t)p->nz, vars = (size_t)p->model->structure->vars;
  dae_pool pool;
  dae_base_pool_init(&pool, &p->code.arena->pool.allocator);
  double *start = dae_base_doubles(&pool, nz), *from = dae_base_doubles(&pool, nz);
  instant n = {.p = p,
               .x = x,
               .t = t,
               .before = from,
               .z = z,
               .levels = x->orders + x->highest,
               .factor = dae_base_doubles(&pool, (size_t)x->entries + 1),
               .H = dae_base_doubles(&pool, (size_t)p->invariants * nz + 1),
               .column = dae_base_take(&pool, nz + 1, sizeof(int)),
               .impulse = dae_base_take(&pool, vars + 1, sizeof(int)),
               .given = dae_base_take(&pool, nz + 1, sizeof(bool)),
               .unknown = dae_base_doubles(&pool, (size_t)x->columns + 1),
               .scale = dae_base_doubles(&pool, (size_t)x->columns + 1)};
  int code = 1;
  bool any = false;
  if (!pool.failed) {
    memcpy(start, z, nz * sizeof *z);
    memcpy(from, before, nz * sizeof *z);
    for (size_t q = 0; q < nz; q++) {
      n.given[q] = p->problem.event_held[q] && !p->hybrid.is_entry[q] && z[q] != before[q];
      any = any || n.given[q];
    }
    code = attempt(&n, &pool, culprit, size);
    /* what reinit gives may be changed again by the constraints, as by an impact */
    if (code && any) {
      memcpy(z, start, nz * sizeof *z);
      for (size_t q = 0; q < nz; q++)
        if (n.given[q]) from[q] = z[q], n.given[q] = false;
      code = attempt(&n, &pool, culprit, size);
    }
    if (code) memcpy(z, start, nz * sizeof *z);
  }
  dae_base_pool_free(&pool);
  return code;
}
