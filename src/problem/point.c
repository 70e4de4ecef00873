/* points: memory, and what is kept from one place to the next */
#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/quadratic.h"

/* a variable that has not been seen is at least this part of what the tolerances call one */
static const double UNSEEN = 1e-2;

/* values of one block of the Jacobian of the dynamics: as its pattern says, else dense; Hessenberg:
   B */
static size_t block_size(const dae_system *s) {
  if (s->f_pattern) return (size_t)s->f_pattern->start[s->nx];
  if (s->p->kind != DAE_MECHANICAL) return (size_t)s->nc * (size_t)s->nx;
  const dae_mechanical *m = &s->p->mechanical;
  int q = m->dynamics_q ? dae_problem_pattern_size(m->dynamics_pattern, s->nx, s->nx) : 0;
  int v = m->force_v ? dae_problem_pattern_size(m->force_v_pattern, s->nx, s->nx) : 0;
  if (!m->dynamics_q && m->force_q && m->force_v) q = s->nx * s->nx;
  return (size_t)(q > v ? q : v);
}

static dae_workspace *take_workspace(const dae_system *s, dae_pool *pool) {
  dae_workspace *w = dae_base_take(pool, 1, sizeof *w);
  if (!w) return NULL;
  size_t nx = (size_t)s->nx, nz = (size_t)s->nz, nc = (size_t)s->nc;
  size_t rows = nx > nc ? nx : nc;
  w->a = dae_base_doubles(pool, nx + nc);
  w->wide = dae_base_doubles(pool, rows);
  w->spare = dae_base_doubles(pool, nx);
  w->block = dae_base_doubles(pool, block_size(s));
  if (s->p->kind == DAE_HESSENBERG && s->nw > 0) w->wide_G = dae_base_doubles(pool, nc * nz);
  if (s->narrow) w->H = dae_base_doubles(pool, (size_t)s->nh * nz);
  w->z = dae_base_doubles(pool, DAE_DEPTHS * nz);
  w->dz = dae_base_doubles(pool, DAE_DEPTHS * nz);
  w->f = dae_base_doubles(pool, DAE_DEPTHS * 4 * rows);
  w->typical = dae_base_doubles(pool, nz);
  w->size = dae_base_doubles(pool, nz);
  w->one = dae_base_doubles(pool, nz);
  w->terms = dae_base_doubles(pool, (size_t)s->nh);
  w->spacing = dae_base_data(pool, nx, sizeof *w->spacing);
  w->quadratic = dae_problem_quadratic_new(s, pool);
  for (size_t j = 0; w->size && w->one && j < nz; j++) w->one[j] = 1, w->size[j] = UNSEEN;
  return w;
}

static void take_across(dae_point *p, dae_pool *pool) {
  const dae_system *sys = p->sys;
  p->across = dae_matrix_new(pool, &sys->G);
  p->along = dae_matrix_new(pool, &sys->G);
  p->entry_of = dae_base_ints(pool, (size_t)sys->nc);
  p->row_of = dae_base_ints(pool, (size_t)sys->nz);
  p->seen = dae_base_data(pool, (size_t)sys->nz, 1);
}

dae_status dae_point_new(dae_point **out, dae_pool *pool, const dae_system *sys, dae_point *beside,
                         bool factors) {
  *out = NULL;
  dae_point *p = dae_base_take(pool, 1, sizeof *p);
  if (!p) return DAE_E_MEMORY;
  size_t nx = (size_t)sys->nx, nc = (size_t)sys->nc, nh = (size_t)sys->nh;
  p->sys = sys;
  dae_base_moving(pool, &p->z, 1);
  p->full_rank = sys->ny;
  p->lasting = sys->has_mass && sys->mass_constant ? DAE_HOLDS_MASS : 0;
  p->counts = beside ? beside->counts : &p->own_counts;
  p->work = beside ? beside->work : take_workspace(sys, pool);
  p->M = dae_matrix_new(pool, &sys->M);
  p->G = dae_matrix_new(pool, &sys->G);
  if (sys->p->kind == DAE_ODE && sys->p->ode.algebraic) take_across(p, pool);
  if (sys->p->kind == DAE_HESSENBERG) p->Kt = dae_matrix_new(pool, &sys->Kt);
  p->rest = dae_base_doubles(pool, nc);
  p->f = dae_base_doubles(pool, nx);
  p->c = dae_base_doubles(pool, nc);
  p->scale = dae_base_doubles(pool, nh);
  p->coarse = dae_base_doubles(pool, nh);
  p->y_guess = dae_base_doubles(pool, nc);
  p->lengths = dae_base_doubles(pool, nc);
  p->lengths_aside = dae_base_doubles(pool, nc);
  if (pool->failed) return DAE_E_MEMORY;
  /* without constraints the mass matrix is all of it */
  dae_status status = DAE_OK;
  if (factors && (sys->ny > 0 || sys->has_mass))
    status = dae_la_kkt_new(&p->kkt, pool, &sys->shape);
  p->complete = sys->complete && p->kkt && dae_la_kkt_notices(p->kkt);
  if (status == DAE_OK) *out = p;
  return status;
}

void dae_point_free(dae_point *p) {
  if (p) dae_la_kkt_free(p->kkt);
}

void dae_point_start(dae_point *p) {
  p->holds = 0;
  memset(p->y_guess, 0, (size_t)p->sys->nc * sizeof *p->y_guess);
  memset(p->work->typical, 0, (size_t)p->sys->nz * sizeof *p->work->typical);
}

void dae_point_sizes(dae_point *p, double rtol, double atol, const double *atols) {
  static const double OF_TOLERANCE = 1e-3, LEAST = 3e-12, MOST = 1e-9;
  dae_workspace *w = p->work;
  for (int j = 0; j < p->sys->nz; j++) {
    double one = atols ? atols[j] : atol;
    w->one[j] = one < rtol ? one / rtol : 1;
    w->size[j] = UNSEEN * w->one[j];
  }
  /* rounding beside; the rank of constraints must be told apart from it */
  w->wanted = fmin(fmax(OF_TOLERANCE * rtol, LEAST), MOST);
  w->unjudged = 0;
  if (w->quadratic) w->quadratic->state = DAE_QUADRATIC_UNTRIED;
  memset(w->spacing, 0, (size_t)p->sys->nx * sizeof *w->spacing);
  memset(w->hint, 0, sizeof w->hint);
  memset(w->terms, 0, (size_t)p->sys->nh * sizeof *w->terms);
}

void dae_point_seen_more(dae_point *p, const double *z) {
  dae_workspace *w = p->work;
  for (int j = 0; j < p->sys->nz; j++) w->size[j] = fmax(w->size[j], fabs(z[j]));
}

void dae_point_aside(dae_point *p) {
  if (p->aside++ == 0) p->kept = *p->counts;
}

void dae_point_back(dae_point *p) {
  if (--p->aside == 0) *p->counts = p->kept;
}

static size_t bytes_of_lengths(const dae_point *p) {
  return p->kkt && p->sys->ny > 0 ? (size_t)p->sys->nc * sizeof *p->lengths : 0;
}

void dae_point_lengths_start(dae_point *p) {
  size_t bytes = bytes_of_lengths(p);
  if (bytes > 0) memset(dae_la_kkt_lengths(p->kkt), 0, bytes);
}

void dae_point_lengths_keep(dae_point *p) {
  size_t bytes = bytes_of_lengths(p);
  if (bytes > 0) memcpy(p->lengths, dae_la_kkt_lengths(p->kkt), bytes);
}

void dae_point_lengths_back(dae_point *p) {
  size_t bytes = bytes_of_lengths(p);
  if (bytes > 0) memcpy(dae_la_kkt_lengths(p->kkt), p->lengths, bytes);
}

void dae_point_lengths_leave(dae_point *p) {
  size_t bytes = bytes_of_lengths(p);
  if (bytes > 0) memcpy(p->lengths_aside, dae_la_kkt_lengths(p->kkt), bytes);
}

void dae_point_lengths_come_back(dae_point *p) {
  size_t bytes = bytes_of_lengths(p);
  if (bytes > 0) memcpy(dae_la_kkt_lengths(p->kkt), p->lengths_aside, bytes);
}

bool dae_point_expect(dae_point *p, int rank) {
  p->full_rank = rank;
  return dae_la_kkt_expect(p->kkt, rank);
}

dae_slice dae_point_down(dae_point *p) {
  const dae_system *s = p->sys;
  dae_workspace *w = p->work;
  size_t depth = (size_t)w->depth++, nz = (size_t)s->nz;
  size_t rows = (size_t)(s->nx > s->nc ? s->nx : s->nc);
  assert(w->depth <= DAE_DEPTHS);
  unsigned kept =
      p->holds & (DAE_HOLDS_FACTORS | DAE_HOLDS_CURVATURE | DAE_HOLDS_SCALE | DAE_HOLDS_QUADRATIC);
  return (dae_slice){
      p->t, p->z, kept, w->z + depth * nz, w->dz + depth * nz, w->f + depth * 4 * rows};
}

void dae_point_up(dae_point *p, const dae_slice *s) {
  p->work->depth--;
  dae_point_at(p, s->t, s->z);
  p->holds |= s->kept;
}
