/*
 * the matrices of index2 and ggl for mechanical problems with patterns. With a = v' and y held
 *
 *       q        v        mu      y                          E = diag(I, M, 0, 0)
 *   [   0       -I       -G'      0  ]   q' - v - G' mu
 *   [ dyn_q   -force_v    0       G' ]   M v' + G' y - f
 *   [   G        0        0       0  ]   g                   (ggl)
 *   [ L + bG     G        0       0  ]   G v + g_t + b g,    L = d/dq (G v + g_t)
 */
#include <string.h>

#include "form/form.h"

/* one block of the matrix: where each of its values goes */
typedef struct block {
  int row, col, *place;
} block;

typedef struct sparse {
  dae_pattern pattern;
  int positions; /* number of position constraints among the rows: 0 or ng */
  double beta;   /* of g in the velocity rows */
  block one, mass, back, tau, dyn, force, load, position, rate, velocity;
  block corner;   /* zeros of the multipliers: whoever factors the matrix may need room there */
  double *values; /* of one block */
  double *moved;  /* nz */
  int *column;    /* while the pattern is built */
} sparse;

bool dae_form_is_sparse(const dae_view *v) {
  const dae_system *s = v->sys;
  const dae_parts *c = v->parts;
  if (s->p->kind != DAE_MECHANICAL || !s->pattern.start || s->nw > 0 || s->ng == 0 || c->eliminate)
    return false;
  const dae_mechanical *m = &s->p->mechanical;
  bool mass = s->M.kind != DAE_LA_DENSE;
  bool force = (!m->force && !m->evaluate) || (m->force_v && m->force_v_pattern);
  bool direction = c->n_col == 0 || c->direction.kind == DAE_DIR_CONSTRAINT ||
                   c->direction.kind == DAE_DIR_BLOCK;
  return mass && force && direction && (m->G || m->evaluate) && m->dynamics_q &&
         m->dynamics_pattern;
}

/* calls put(row, col, k) for the values of a block in their order; p NULL: a diagonal of n */
typedef void visit(sparse *a, int row, int col, int *place);

static void each(sparse *a, const block *b, const dae_pattern *p, int n, bool transposed,
                 visit *put) {
  int k = 0;
  for (int i = 0; i < (p ? p->rows : n); i++)
    for (int e = p ? p->start[i] : i; e < (p ? p->start[i + 1] : i + 1); e++, k++) {
      int j = p ? p->column[e] : i;
      put(a, b->row + (transposed ? j : i), b->col + (transposed ? i : j), &b->place[k]);
    }
}

/* all blocks of the form, one after the other */
static void all_blocks(dae_view *v, sparse *a, visit *put) {
  const dae_system *s = v->sys;
  const dae_mechanical *m = &s->p->mechanical;
  const int nx = s->nx;
  each(a, &a->one, NULL, nx, false, put);
  each(a, &a->back, NULL, nx, false, put);
  each(a, &a->mass, s->shape.mass_pattern, nx, false, put);
  each(a, &a->dyn, m->dynamics_pattern, nx, false, put);
  if (m->force || m->evaluate) each(a, &a->force, m->force_v_pattern, nx, false, put);
  each(a, &a->load, &s->pattern, nx, true, put);
  if (a->positions) {
    each(a, &a->tau, &s->pattern, nx, true, put);
    each(a, &a->position, &s->pattern, nx, false, put);
  }
  each(a, &a->rate, &s->pattern, nx, false, put);
  each(a, &a->velocity, &s->pattern, nx, false, put);
  each(a, &a->corner, NULL, v->nmu, false, put);
}

static void count_row(sparse *a, int row, int col, int *place) {
  (void)col, (void)place;
  ((int *)a->pattern.start)[row + 1]++;
}

/* a row under construction keeps its columns sorted; doubles are dropped. values[row] counts
   them */
static void insert(sparse *a, int row, int col, int *place) {
  (void)place;
  int *to = a->column + a->pattern.start[row], used = (int)a->values[row], k = used;
  for (int i = 0; i < used; i++)
    if (to[i] == col) return;
  for (; k > 0 && to[k - 1] > col; k--) to[k] = to[k - 1];
  to[k] = col;
  a->values[row]++;
}

static void find_place(sparse *a, int row, int col, int *place) {
  int first = a->pattern.start[row], end = a->pattern.start[row + 1] - 1;
  while (first < end) {
    int mid = (first + end) / 2;
    if (a->pattern.column[mid] < col) first = mid + 1;
    else end = mid;
  }
  *place = first;
}

static dae_status build_pattern(dae_view *v, sparse *a) {
  const int n = v->nz + v->nmu;
  int *start = dae_base_ints(v->pool, (size_t)n + 1);
  a->pattern = (dae_pattern){n, n, start, NULL};
  if (!start) return DAE_E_MEMORY;
  all_blocks(v, a, count_row);
  for (int i = 0; i < n; i++) start[i + 1] += start[i];
  a->column = dae_base_ints(v->pool, (size_t)start[n]);
  int size = start[n] > n ? start[n] : n;
  a->values = dae_base_doubles(v->pool, (size_t)size);
  if (v->pool->failed) return DAE_E_MEMORY;
  all_blocks(v, a, insert);
  /* close the gaps that doubles have left */
  int used = 0;
  for (int i = 0; i < n; i++) {
    int from = start[i], count = (int)a->values[i];
    start[i] = used;
    memmove(a->column + used, a->column + from, (size_t)count * sizeof *a->column);
    used += count;
  }
  start[n] = used;
  a->pattern.column = a->column;
  all_blocks(v, a, find_place);
  return DAE_OK;
}

static void scatter(const block *b, int count, double factor, const double *values, double *to) {
  for (int k = 0; k < count; k++) to[b->place[k]] += values ? factor * values[k] : factor;
}

/* L := d/dq (G v + g_t) = dG/dt along (1, v), in the pattern of G: G is a gradient */
static dae_status gradient_rate(dae_view *v, double t, const double *z, double *L) {
  sparse *a = v->data;
  const dae_system *s = v->sys;
  dae_point *p = v->point;
  const dae_mechanical *m = &s->p->mechanical;
  const int nx = s->nx, size = s->G.size;
  memset(L, 0, (size_t)size * sizeof *L);
  if (m->velocity_q)
    return m->velocity_q(t, z, z + nx, L, s->p->ctx) == 0 ? DAE_OK : DAE_E_CALLBACK;
  double q_size = 1 + dae_la_norm_max(nx, z), v_size = 1 + dae_la_norm_max(nx, z + nx);
  double step = 1e-5 * q_size / v_size;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < nx; i++) a->moved[i] = z[i] + side * step * z[nx + i];
    dae_point_at(p, t + side * step, a->moved);
    dae_status status = dae_point_gradient(p);
    if (status != DAE_OK) return status;
    for (int k = 0; k < size; k++) L[k] += side * p->G.x[k] / (2 * step);
  }
  dae_point_at(p, t, z);
  return DAE_OK;
}

static dae_status matrices(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J) {
  sparse *a = v->data;
  const dae_system *s = v->sys;
  dae_point *p = v->point;
  const dae_mechanical *m = &s->p->mechanical;
  const int nx = s->nx, G_size = s->G.size;
  const double *q = z, *speed = z + nx, *y = mu + a->positions;
  const size_t bytes = (size_t)a->pattern.start[v->nz + v->nmu] * sizeof *E;
  memset(E, 0, bytes);
  memset(J, 0, bytes);
  dae_point_at(p, t, z);
  dae_status status = dae_point_mass(p);
  if (status == DAE_OK) status = dae_point_gradient(p);
  if (status != DAE_OK) return status;
  const double *G = p->G.x;
  scatter(&a->one, nx, 1, NULL, E);
  scatter(&a->mass, s->has_mass ? s->M.size : nx, 1, p->M.x, E);
  scatter(&a->back, nx, -1, NULL, J);
  scatter(&a->load, G_size, 1, G, J);
  scatter(&a->velocity, G_size, 1, G, J);
  scatter(&a->rate, G_size, a->beta, G, J);
  if (a->positions) {
    scatter(&a->position, G_size, 1, G, J);
    scatter(&a->tau, G_size, -1, G, J);
  }
  int count = m->dynamics_pattern->start[nx];
  memset(a->values, 0, (size_t)count * sizeof *a->values);
  if (m->dynamics_q(t, q, speed, dz + nx, y, a->values, s->p->ctx) != 0) return DAE_E_CALLBACK;
  scatter(&a->dyn, count, 1, a->values, J);
  if (m->force || m->evaluate) {
    count = m->force_v_pattern->start[nx];
    memset(a->values, 0, (size_t)count * sizeof *a->values);
    if (m->force_v(t, q, speed, a->values, s->p->ctx) != 0) return DAE_E_CALLBACK;
    scatter(&a->force, count, -1, a->values, J);
  }
  status = gradient_rate(v, t, z, a->values);
  scatter(&a->rate, G_size, 1, a->values, J);
  return status;
}

static block take(dae_pool *pool, int row, int col, int count) {
  return (block){row, col, dae_base_ints(pool, (size_t)count)};
}

dae_status dae_form_sparse(dae_view *v) {
  const dae_system *s = v->sys;
  const dae_parts *c = v->parts;
  const dae_mechanical *m = &s->p->mechanical;
  dae_pool *pool = v->pool;
  sparse *a = dae_base_take(pool, 1, sizeof *a);
  if (!a) return DAE_E_MEMORY;
  const int nx = s->nx, nz = s->nz, size = s->G.size;
  a->positions = c->n_col;
  a->beta = c->combined ? c->beta[0] : 0;
  a->moved = dae_base_doubles(pool, (size_t)nz);
  a->one = take(pool, 0, 0, nx);
  a->back = take(pool, 0, nx, nx);
  a->mass = take(pool, nx, nx, s->has_mass ? s->M.size : nx);
  a->dyn = take(pool, nx, 0, m->dynamics_pattern->start[nx]);
  a->force = take(pool, nx, nx, m->force || m->evaluate ? m->force_v_pattern->start[nx] : 0);
  a->tau = take(pool, 0, nz, size);
  a->load = take(pool, nx, nz + a->positions, size);
  a->position = take(pool, nz, 0, size);
  a->rate = take(pool, nz + a->positions, 0, size);
  a->velocity = take(pool, nz + a->positions, nx, size);
  a->corner = take(pool, nz, nz, v->nmu);
  if (pool->failed) return DAE_E_MEMORY;
  dae_status status = build_pattern(v, a);
  if (status != DAE_OK) return status;
  v->data = a;
  v->pattern = &a->pattern;
  v->matrices = matrices;
  return DAE_OK;
}
