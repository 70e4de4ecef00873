/*
 * the matrices of index2 and ggl for mechanical problems with patterns. With a = v' and y held
 *
 *       q        v        mu      y                          E = diag(I, M, 0, 0)
 *   [   0       -I       -G'      0  ]   q' - v - G' mu
 *   [ dyn_q   -force_v    0       G' ]   M v' + G' y - f
 *   [   G        0        0       0  ]   g                   (ggl)
 *   [ L + bG     G        0       0  ]   G v + g_t + b g,    L = d/dq (G v + g_t)
 *
 * Patterns are those of the problem. Where its matrices are dense and were seen to have few entries
 * (problem/zeros.c), the places found stand for them: every matrix is looked at as a whole, and one
 * that has more is left to the dense matrices of the view.
 */
#include <string.h>

#include "form/form.h"

/* one block of the matrix: where each of its values goes */
typedef struct block {
  int row, col, *place;
} block;

typedef struct dae_form_entries {
  dae_pattern pattern;
  const dae_pattern *G, *M, *dyn_in, *force_in; /* of the blocks; M NULL: diagonal */
  bool thin;                                    /* G, or more, comes dense */
  double *dense;                                /* a matrix as it comes, else zeros */
  double *G_values, *M_values;                  /* what is in its places, where it comes dense */
  int positions; /* number of position constraints among the rows: 0 or ng */
  double beta;   /* of g in the velocity rows */
  block one, mass, back, tau, dyn, force, load, position, rate, velocity;
  block corner;   /* zeros of the multipliers: whoever factors the matrix may need room there */
  double *values; /* of one block */
  double *moved;  /* nz */
  int *column;    /* while the pattern is built */
} sparse;

/* the multipliers of the positions act along the constraints, D = G': no entries besides */
static bool stays(const dae_parts *c) {
  return c->n_col == 0 || c->direction.kind == DAE_DIR_CONSTRAINT ||
         c->direction.kind == DAE_DIR_BLOCK;
}

bool dae_form_is_sparse(const dae_view *v) {
  const dae_system *s = v->sys;
  const dae_parts *c = v->parts;
  if (s->p->kind != DAE_MECHANICAL || !s->pattern.start || s->nw > 0 || s->ng == 0 || c->eliminate)
    return false;
  const dae_mechanical *m = &s->p->mechanical;
  bool mass = s->M.kind != DAE_LA_DENSE;
  bool force = (!m->force && !m->evaluate) || (m->force_v && m->force_v_pattern);
  return mass && force && stays(c) && (m->G || m->evaluate) && m->dynamics_q && m->dynamics_pattern;
}

bool dae_form_is_thin(const dae_view *v) {
  const dae_system *s = v->sys;
  const dae_mechanical *m = &s->p->mechanical;
  if (s->p->kind != DAE_MECHANICAL || !s->shape.found || s->shape.found->rows != s->ng ||
      !stays(v->parts) || !m->dynamics_q)
    return false;
  bool mass = s->M.kind != DAE_LA_DENSE || s->shape.mass_found;
  bool force =
      (!m->force && !m->evaluate) || (m->force_v && (m->force_v_pattern || s->force_found));
  return mass && force && (m->dynamics_pattern || s->dynamics_found);
}

/* whose pattern a block has: the problem's, or the one that was found */
static void set_patterns(sparse *a, const dae_system *s) {
  const dae_mechanical *m = &s->p->mechanical;
  a->thin = !s->pattern.start;
  a->G = a->thin ? s->shape.found : &s->pattern;
  a->M = s->M.kind == DAE_LA_DENSE ? s->shape.mass_found : s->shape.mass_pattern;
  a->dyn_in = m->dynamics_pattern ? m->dynamics_pattern : s->dynamics_found;
  a->force_in = m->force_v_pattern ? m->force_v_pattern : s->force_found;
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
  each(a, &a->mass, a->M, nx, false, put);
  each(a, &a->dyn, a->dyn_in, nx, false, put);
  if (m->force || m->evaluate) each(a, &a->force, a->force_in, nx, false, put);
  each(a, &a->load, a->G, nx, true, put);
  if (a->positions) {
    each(a, &a->tau, a->G, nx, true, put);
    each(a, &a->position, a->G, nx, false, put);
  }
  each(a, &a->rate, a->G, nx, false, put);
  each(a, &a->velocity, a->G, nx, false, put);
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

/* where a function of the problem puts a matrix: into `values`, or dense; zero before */
static double *empty(const sparse *a, const dae_pattern *p, bool given, double *values) {
  if (!given) return a->dense;
  memset(values, 0, (size_t)p->start[p->rows] * sizeof *values);
  return values;
}

/* values := what a function with this code has put there; DAE_E_FORM: there is more. What comes
   dense leaves zeros behind, for the next one */
static dae_status settle(const sparse *a, const dae_pattern *p, bool given, int code,
                         double *values) {
  if (given) return code == 0 ? DAE_OK : DAE_E_CALLBACK;
  if (code != 0 || !dae_la_within(p, a->dense)) {
    memset(a->dense, 0, (size_t)p->rows * (size_t)p->cols * sizeof *a->dense);
    return code == 0 ? DAE_E_FORM : DAE_E_CALLBACK;
  }
  dae_la_collect(p, a->dense, values);
  for (int i = 0; i < p->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      a->dense[(size_t)i * (size_t)p->cols + (size_t)p->column[k]] = 0;
  return DAE_OK;
}

/* G of the point in its places */
static dae_status gradient(const dae_view *v, const sparse *a, const double **G) {
  dae_status status = dae_point_gradient(v->point);
  *G = v->point->G.x;
  if (status != DAE_OK || !a->thin) return status;
  if (!v->point->G.thin) return DAE_E_FORM;
  *G = a->G_values;
  dae_la_collect(a->G, v->point->G.x, a->G_values);
  return DAE_OK;
}

/* L := d/dq (G v + g_t) = dG/dt along (1, v), in the pattern of G: G is a gradient */
static dae_status gradient_rate(dae_view *v, double t, const double *z, double *L) {
  sparse *a = v->parts->entries;
  const dae_system *s = v->sys;
  const dae_mechanical *m = &s->p->mechanical;
  const int nx = s->nx, size = a->G->start[s->ng];
  if (m->velocity_q) {
    double *to = empty(a, a->G, !a->thin, L);
    return settle(a, a->G, !a->thin, m->velocity_q(t, z, z + nx, to, s->p->ctx), L);
  }
  memset(L, 0, (size_t)size * sizeof *L);
  double q_size = 1 + dae_la_norm_max(nx, z), v_size = 1 + dae_la_norm_max(nx, z + nx);
  double step = 1e-5 * q_size / v_size;
  for (int side = -1; side <= 1; side += 2) {
    const double *G;
    for (int i = 0; i < nx; i++) a->moved[i] = z[i] + side * step * z[nx + i];
    dae_point_at(v->point, t + side * step, a->moved);
    dae_status status = gradient(v, a, &G);
    if (status != DAE_OK) return status;
    for (int k = 0; k < size; k++) L[k] += side * G[k] / (2 * step);
  }
  dae_point_at(v->point, t, z);
  return DAE_OK;
}

/* what the forces, and M and G as they turn, give: J -= df/dv, J += d/dq (M a + G' y - f) */
static dae_status add_dynamics(dae_view *v, double t, const double *z, const double *dz,
                               const double *y, double *J) {
  sparse *a = v->parts->entries;
  const dae_system *s = v->sys;
  const dae_mechanical *m = &s->p->mechanical;
  const int nx = s->nx;
  const bool dyn_given = m->dynamics_pattern, force_given = m->force_v_pattern;
  double *to = empty(a, a->dyn_in, dyn_given, a->values);
  int code = m->dynamics_q(t, z, z + nx, dz + nx, y, to, s->p->ctx);
  dae_status status = settle(a, a->dyn_in, dyn_given, code, a->values);
  if (status != DAE_OK) return status;
  scatter(&a->dyn, a->dyn_in->start[nx], 1, a->values, J);
  if (!m->force && !m->evaluate) return DAE_OK;
  to = empty(a, a->force_in, force_given, a->values);
  code = m->force_v(t, z, z + nx, to, s->p->ctx);
  status = settle(a, a->force_in, force_given, code, a->values);
  if (status == DAE_OK) scatter(&a->force, a->force_in->start[nx], -1, a->values, J);
  return status;
}

static dae_status matrices(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J) {
  sparse *a = v->parts->entries;
  const dae_system *s = v->sys;
  dae_point *p = v->point;
  const int nx = s->nx, G_size = a->G->start[s->ng];
  const double *G = NULL, *M = p->M.x;
  const size_t bytes = (size_t)a->pattern.start[v->nz + v->nmu] * sizeof *E;
  memset(E, 0, bytes);
  memset(J, 0, bytes);
  dae_point_at(p, t, z);
  dae_status status = dae_point_mass(p);
  if (status == DAE_OK) status = gradient(v, a, &G);
  if (status != DAE_OK) return status;
  if (a->M_values) {
    if (!dae_la_within(a->M, M)) return DAE_E_FORM;
    dae_la_collect(a->M, M, a->M_values);
    M = a->M_values;
  }
  scatter(&a->one, nx, 1, NULL, E);
  scatter(&a->mass, a->M ? a->M->start[nx] : nx, 1, M, E);
  scatter(&a->back, nx, -1, NULL, J);
  scatter(&a->load, G_size, 1, G, J);
  scatter(&a->velocity, G_size, 1, G, J);
  scatter(&a->rate, G_size, a->beta, G, J);
  if (a->positions) {
    scatter(&a->position, G_size, 1, G, J);
    scatter(&a->tau, G_size, -1, G, J);
  }
  status = add_dynamics(v, t, z, dz, mu + a->positions, J);
  if (status == DAE_OK) status = gradient_rate(v, t, z, a->values);
  if (status == DAE_OK) scatter(&a->rate, G_size, 1, a->values, J);
  return status;
}

static block take(dae_pool *pool, int row, int col, int count) {
  return (block){row, col, dae_base_ints(pool, (size_t)count)};
}

/* room for matrices that come dense, and for what is in their places */
static void take_dense(sparse *a, dae_pool *pool, const dae_system *s) {
  const size_t nx = (size_t)s->nx, rows = (size_t)(s->ng > s->nx ? s->ng : s->nx);
  if (!a->thin) return;
  a->dense = dae_base_doubles(pool, rows * nx);
  a->G_values = dae_base_doubles(pool, (size_t)a->G->start[s->ng]);
  if (s->M.kind == DAE_LA_DENSE) a->M_values = dae_base_doubles(pool, (size_t)a->M->start[nx]);
}

dae_status dae_form_sparse(dae_view *v) {
  const dae_system *s = v->sys;
  const dae_parts *c = v->parts;
  const dae_mechanical *m = &s->p->mechanical;
  dae_pool *pool = v->pool;
  sparse *a = dae_base_take(pool, 1, sizeof *a);
  if (!a) return DAE_E_MEMORY;
  set_patterns(a, s);
  const int nx = s->nx, nz = s->nz, size = a->G->start[s->ng];
  a->positions = c->n_col;
  a->beta = c->combined ? c->beta[0] : 0;
  a->moved = dae_base_doubles(pool, (size_t)nz);
  a->one = take(pool, 0, 0, nx);
  a->back = take(pool, 0, nx, nx);
  a->mass = take(pool, nx, nx, a->M ? a->M->start[nx] : nx);
  a->dyn = take(pool, nx, 0, a->dyn_in->start[nx]);
  a->force = take(pool, nx, nx, m->force || m->evaluate ? a->force_in->start[nx] : 0);
  a->tau = take(pool, 0, nz, size);
  a->load = take(pool, nx, nz + a->positions, size);
  a->position = take(pool, nz, 0, size);
  a->rate = take(pool, nz + a->positions, 0, size);
  a->velocity = take(pool, nz + a->positions, nx, size);
  a->corner = take(pool, nz, nz, v->nmu);
  take_dense(a, pool, s);
  if (pool->failed) return DAE_E_MEMORY;
  dae_status status = build_pattern(v, a);
  if (status != DAE_OK) return status;
  v->parts->entries = a;
  if (a->thin) {
    v->thin = (struct dae_thin){&a->pattern, a->positions == 0 ? s->order - 1 : 0, matrices};
  } else {
    v->pattern = &a->pattern;
    v->matrices = matrices;
  }
  return DAE_OK;
}
