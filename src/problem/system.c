/* the system object: sizes, storage shapes, memory */
#include <math.h>
#include <string.h>

#include "problem/problem.h"

static void set_sizes(dae_system *s) {
  const dae_problem *p = s->p;
  s->order = dae_problem_order(p);
  s->nx = dae_problem_nx(p);
  s->nz = dae_problem_nz(p);
  s->ny = s->full_rank = dae_problem_ny(p);
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
  s->affine = p->kind != DAE_HESSENBERG || p->hessenberg.affine == DAE_YES;
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

static void set_shape(dae_system *s) {
  const dae_problem *p = s->p;
  dae_la_kkt_shape *a = &s->shape;
  *a = (dae_la_kkt_shape){
      .n = s->nx, .rows = s->ny, .mass = DAE_LA_IDENTITY, .mass_symmetric = true};
  s->G_size = s->nc * s->nx;
  if (p->kind == DAE_ODE && p->ode.h_pattern) {
    s->pattern = *p->ode.h_pattern;
    s->G_size = s->pattern.start[s->nc];
  }
  if (p->kind != DAE_MECHANICAL) return;
  const dae_mechanical *m = &p->mechanical;
  a->symmetric = true;
  s->has_mass = m->mass != NULL;
  s->mass_constant = m->mass_constant || !s->has_mass;
  if (s->has_mass) {
    static const dae_la_mass kind[] = {DAE_LA_DENSE, DAE_LA_DIAGONAL, DAE_LA_SPARSE};
    a->mass = kind[m->mass_kind];
    a->mass_pattern = m->mass_kind == DAE_MASS_SPARSE ? m->mass_pattern : NULL;
    s->mass_size = m->mass_kind == DAE_MASS_DIAGONAL
                       ? s->nx
                       : dae_problem_pattern_size(a->mass_pattern, s->nx, s->nx);
  }
  if ((m->ng > 0 && m->G_pattern) || (m->nw > 0 && m->W_pattern)) {
    stack_patterns(s, m->G_pattern, m->W_pattern);
    if (s->pattern.start) s->G_size = s->pattern.start[s->nc];
    a->pattern = &s->pattern;
  }
}

/* values of one block of the Jacobian of the dynamics: as its pattern says, else dense; Hessenberg:
   B */
static size_t block_size(const dae_system *s) {
  const dae_ode *o = s->p->kind == DAE_ODE ? &s->p->ode : NULL;
  if (o && o->f_z && o->f_pattern) return (size_t)o->f_pattern->start[s->nx];
  if (s->p->kind != DAE_MECHANICAL) return (size_t)s->nc * (size_t)s->nx;
  const dae_mechanical *m = &s->p->mechanical;
  int q = m->dynamics_q ? dae_problem_pattern_size(m->dynamics_pattern, s->nx, s->nx) : 0;
  int v = m->force_v ? dae_problem_pattern_size(m->force_v_pattern, s->nx, s->nx) : 0;
  if (!m->dynamics_q && m->force_q && m->force_v) q = s->nx * s->nx;
  return (size_t)(q > v ? q : v);
}

static void take_memory(dae_system *s) {
  dae_pool *pool = s->pool;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, nc = (size_t)s->nc;
  size_t rows = nx > nc ? nx : nc;
  if (s->has_mass) s->M = dae_base_doubles(pool, (size_t)s->mass_size);
  s->G = dae_base_doubles(pool, (size_t)s->G_size);
  if (s->p->kind == DAE_HESSENBERG) s->Kt = dae_base_doubles(pool, nc * nx);
  s->scale = dae_base_doubles(pool, (size_t)s->nh);
  s->coarse = dae_base_doubles(pool, (size_t)s->nh);
  s->typical = dae_base_doubles(pool, (size_t)s->nz);
  s->rest = dae_base_doubles(pool, nc);
  s->f = dae_base_doubles(pool, nx);
  s->c = dae_base_doubles(pool, nc);
  s->a = dae_base_doubles(pool, nx + nc);
  s->wide = dae_base_doubles(pool, rows);
  s->f_out = dae_base_doubles(pool, nx);
  s->y_guess = dae_base_doubles(pool, nc);
  bool wide = s->p->kind == DAE_HESSENBERG && s->nw > 0;
  s->dense_G = wide ? dae_base_doubles(pool, nc * nz) : NULL;
  s->B_work = dae_base_doubles(pool, block_size(s));
  if (!s->pattern.start || s->nz <= 512) s->wide_H = dae_base_doubles(pool, (size_t)s->nh * nz);
  s->z_try = dae_base_doubles(pool, (DAE_ORDER_MAX + 2) * nz);
  s->dz_try = dae_base_doubles(pool, (DAE_ORDER_MAX + 2) * nz);
  s->f_try = dae_base_doubles(pool, (DAE_ORDER_MAX + 2) * 4 * rows);
}

/* f(t,z,y) - f(t,z,0) is linear in y at the start point: then f is taken as affine */
static dae_status probe_affine(dae_system *s) {
  const dae_hessenberg *h = &s->p->hessenberg;
  if (h->affine != DAE_UNKNOWN || s->ny == 0 || !s->p->z0) {
    s->affine = h->affine == DAE_YES || s->ny == 0;
    return DAE_OK;
  }
  double *y = s->a, *f0 = s->f, *f1 = s->wide, *f2 = s->f_try;
  s->affine = true;
  for (int trial = 0; trial < 3 && s->affine; trial++) {
    for (int i = 0; i < s->ny; i++) y[i] = 0.37 + 0.61 * ((i * 7 + trial * 5) % 11);
    if (dae_problem_force(s, s->p->t0, s->p->z0, NULL, f0) != DAE_OK ||
        dae_problem_force(s, s->p->t0, s->p->z0, y, f1) != DAE_OK)
      s->affine = false;
    for (int i = 0; i < s->ny; i++) y[i] *= 2;
    if (!s->affine || dae_problem_force(s, s->p->t0, s->p->z0, y, f2) != DAE_OK) {
      s->affine = false;
      break;
    }
    for (int i = 0; i < s->nx; i++)
      if (fabs(f2[i] - 2 * f1[i] + f0[i]) > 1e-11 * (fabs(f2[i]) + fabs(f1[i]) + fabs(f0[i])))
        s->affine = false;
  }
  return DAE_OK;
}

dae_status dae_problem_system_new(dae_system **out, dae_pool *pool, const dae_problem *p) {
  *out = NULL;
  if (dae_problem_valid(p, NULL, 0) != DAE_OK) return DAE_E_INPUT;
  dae_system *s = dae_base_take(pool, 1, sizeof *s);
  if (!s) return DAE_E_MEMORY;
  s->p = p;
  s->pool = pool;
  set_sizes(s);
  set_shape(s);
  take_memory(s);
  if (pool->failed) return DAE_E_MEMORY;
  dae_status status = DAE_OK;
  /* without constraints the mass matrix is all of it */
  if (s->ny > 0 || s->has_mass) status = dae_la_kkt_new(&s->kkt, pool, &s->shape);
  if (status == DAE_OK && p->kind == DAE_HESSENBERG) status = probe_affine(s);
  if (status == DAE_OK && p->kind == DAE_MECHANICAL) {
    const dae_mechanical *m = &p->mechanical;
    s->complete =
        s->ng > 0 && s->nw == 0 && m->force && m->G && m->curvature && dae_la_kkt_notices(s->kkt);
  }
  if (status != DAE_OK) {
    dae_problem_system_free(s);
    return status;
  }
  s->counts = (dae_counts){0};
  *out = s;
  return DAE_OK;
}

void dae_problem_system_free(dae_system *s) {
  if (s) dae_la_kkt_free(s->kkt);
}
