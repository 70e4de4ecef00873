/* the system object: sizes, how matrices are stored, which functions there are */
#include <math.h>
#include <string.h>

#include "base/reserve.h"
#include "problem/array.h"
#include "problem/inside.h"
#include "problem/staircase.h"

/* up to so many unknowns a dense matrix of all invariants is no burden to a sparse problem */
enum { NARROW = 512 };

static void set_sizes(dae_system *s) {
  const dae_problem *p = s->p;
  s->order = dae_problem_order(p);
  s->nx = dae_problem_nx(p);
  s->nz = dae_problem_nz(p);
  s->ny = dae_problem_ny(p);
  s->nh = dae_problem_nh(p);
  if (p->kind == DAE_MECHANICAL) {
    s->ng = p->mechanical.ng;
    s->nw = p->mechanical.nw;
  } else if (p->kind == DAE_HESSENBERG && p->hessenberg.g_of_z && s->order > 1) {
    s->nw = s->ny;
  } else {
    s->ng = s->nh / s->order;
  }
  s->nc = s->ng + s->nw;
}

int dae_problem_pattern_size(const dae_pattern *a, int rows, int cols) {
  return a ? a->start[rows] : rows * cols;
}

/* [G; W] as one pattern; a dense part among sparse ones becomes full rows */
static void stack_patterns(dae_system *s, const dae_pattern *G, const dae_pattern *W) {
  int size = dae_problem_pattern_size(G, s->ng, s->nx) + dae_problem_pattern_size(W, s->nw, s->nx);
  int *start = dae_base_ints(s->pool, (size_t)s->nc + 1),
      *column = dae_base_ints(s->pool, (size_t)size);
  if (!start || !column) return;
  int k = 0;
  for (int i = 0; i < s->nc; i++) {
    const dae_pattern *a = i < s->ng ? G : W;
    int row = i < s->ng ? i : i - s->ng;
    if (a)
      for (int l = a->start[row]; l < a->start[row + 1]; l++) column[k++] = a->column[l];
    else
      for (int j = 0; j < s->nx; j++) column[k++] = j;
    start[i + 1] = k;
  }
  s->pattern = (dae_pattern){s->nc, s->nx, start, column};
}

static void set_mechanical(dae_system *s) {
  dae_la_kkt_shape *a = &s->shape;
  const dae_mechanical *m = &s->p->mechanical;
  a->symmetric = true;
  s->has_mass = dae_mechanical_has_mass(m);
  s->mass_constant = m->mass_constant || !s->has_mass;
  if (s->has_mass) {
    static const dae_la_mass kind[] = {DAE_LA_DENSE, DAE_LA_DIAGONAL, DAE_LA_SPARSE};
    a->mass = kind[m->mass_kind];
    a->mass_pattern = m->mass_kind == DAE_MASS_SPARSE ? m->mass_pattern : NULL;
  }
  if ((m->ng > 0 && m->G_pattern) || (m->nw > 0 && m->W_pattern)) {
    stack_patterns(s, m->G_pattern, m->W_pattern);
    a->pattern = &s->pattern;
  }
}

static void set_shape(dae_system *s) {
  const dae_problem *p = s->p;
  dae_la_kkt_shape *a = &s->shape;
  *a = (dae_la_kkt_shape){
      .n = s->nx, .rows = s->ny, .mass = DAE_LA_IDENTITY, .mass_symmetric = true};
  if (p->kind == DAE_ODE && p->ode.h_pattern) s->pattern = *p->ode.h_pattern;
  if (p->kind == DAE_IMPLICIT && p->implicit.h_pattern) s->pattern = *p->implicit.h_pattern;
  if (p->kind == DAE_ODE) s->f_pattern = p->ode.f_pattern;
  if (p->kind == DAE_MECHANICAL) set_mechanical(s);
  const dae_pattern *pattern = s->pattern.start ? &s->pattern : NULL;
  s->G = dae_matrix_of(s->nc, s->nx, pattern);
  s->Kt = p->kind == DAE_MECHANICAL ? s->G : dae_matrix_of(s->nc, s->nx, NULL);
  if (a->mass == DAE_LA_DENSE || a->mass == DAE_LA_SPARSE)
    s->M = dae_matrix_of(s->nx, s->nx, a->mass_pattern);
  else s->M = (dae_matrix){a->mass, s->nx, s->nx, .size = s->has_mass ? s->nx : 0};
  s->narrow = !pattern || s->nz <= NARROW;
}

/* f(t,z,y) - f(t,z,0) is linear in y at the start point: then f is taken as affine. room: ny + 3
   nx */
static bool is_affine(const dae_system *s, double *room) {
  const dae_problem *p = s->p;
  const dae_hessenberg *h = &p->hessenberg;
  if (h->affine != DAE_UNKNOWN || s->ny == 0 || !p->z0) return h->affine == DAE_YES || s->ny == 0;
  double *y = room, *f0 = y + s->ny, *f1 = f0 + s->nx, *f2 = f1 + s->nx;
  for (int trial = 0; trial < 3; trial++) {
    for (int k = 0; k < 3; k++) {
      double *f = f0 + (size_t)k * (size_t)s->nx;
      for (int i = 0; i < s->ny; i++) y[i] = k * (0.37 + 0.61 * ((i * 7 + trial * 5) % 11));
      if (dae_problem_verdict(h->f(p->t0, p->z0, y, f, p->ctx), f, s->nx) != DAE_OK) return false;
    }
    for (int i = 0; i < s->nx; i++)
      if (fabs(f2[i] - 2 * f1[i] + f0[i]) > 1e-11 * (fabs(f2[i]) + fabs(f1[i]) + fabs(f0[i])))
        return false;
  }
  return true;
}

/* What may be taken in a step, which is not the time to ask for memory: dense matrices of algebraic
   equations. Of those that implicit problems need, the largest are the ones for consistent values
   of index 3 (drive/implicit_solve.c): two derivatives of the equations, all variables free */
static size_t passing_room(const dae_system *s) {
  enum { BLOCKS = 64, DERIVATIVES = 2 };
  const size_t n = (size_t)s->nz, nc = (size_t)s->nc, blocks = BLOCKS * DAE_RESERVE_BLOCK;
  if (s->p->kind == DAE_ODE && s->p->ode.algebraic && s->nc <= DAE_STAIRS_MOST)
    return blocks + (nc * nc + nc + n) * sizeof(double) + (2 * nc + n) * sizeof(int);
  if (s->p->kind != DAE_IMPLICIT || s->nz > DAE_STAIRS_MOST) return 0;
  return blocks +
         (3 * n * n + 14 * n + dae_problem_array_room(s->nz, DERIVATIVES)) * sizeof(double);
}

/* z and x', values and their differences, and the calls of each column */
size_t dae_problem_team_room(const dae_problem *p) { return 5 * (size_t)dae_problem_nz(p); }

void dae_problem_team(const dae_system *s, dae_team *team) { ((dae_system *)s)->team = team; }

dae_status dae_problem_system_new(const dae_system **out, dae_pool *pool, const dae_problem *p) {
  *out = NULL;
  if (dae_problem_valid(p, NULL, 0) != DAE_OK) return DAE_E_INPUT;
  dae_system *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  s->p = p;
  s->pool = pool;
  set_sizes(s);
  set_shape(s);
  const size_t passing = passing_room(s);
  s->passing = passing > 0 ? dae_base_reserve(pool, passing) : pool->allocator;
  dae_problem_zeros(s);
  dae_status status = pool->failed ? DAE_E_MEMORY : DAE_OK;
  if (status != DAE_OK) return status;
  s->affine = true;
  if (p->kind == DAE_HESSENBERG) {
    double *room = dae_base_doubles(pool, (size_t)s->ny + 3 * (size_t)s->nx);
    if (!room) return DAE_E_MEMORY;
    s->affine = is_affine(s, room);
    dae_base_give(pool, room);
  }
  if (p->kind == DAE_MECHANICAL) {
    const dae_mechanical *m = &p->mechanical;
    s->complete = s->ng > 0 && s->nw == 0 && dae_mechanical_has_force(m) &&
                  dae_mechanical_has_G(m) && dae_mechanical_has_curvature(m);
  }
  if (s->f_pattern && !p->ode.f_z) dae_problem_colours(&s->f_colours, pool, s->f_pattern);
  bool given = p->kind == DAE_MECHANICAL ? dae_mechanical_has_G(&p->mechanical) || s->ng == 0
               : p->kind == DAE_IMPLICIT ? p->implicit.h_x != NULL
                                         : p->ode.h_z != NULL;
  if (s->pattern.start && !given) dae_problem_colours(&s->G_colours, pool, &s->pattern);
  if (pool->failed) status = DAE_E_MEMORY;
  if (status == DAE_OK) *out = s;
  return status;
}
