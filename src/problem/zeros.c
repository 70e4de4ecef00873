/*
 * places of dense matrices of a mechanism that hold nothing: seen once, at points around the
 * initial values. A body knows its neighbours only, whether or not the problem says so by a
 * pattern. What is seen here is no promise: la/kkt looks at every matrix before it leaves something
 * out
 */
#include <math.h>
#include <string.h>

#include "problem/inside.h"
#include "problem/mechanical.h"

/* coordinates below which dense matrices are as fast; points that are looked at */
enum { ZEROS_MIN = 20, POINTS = 3 };
/* how far points are from the initial values, in sizes of these: an entry that is zero by chance at
   one of them is not at the others, however near; farther off functions need not be defined */
static const double AROUND = 1e-4;

/* how a matrix is asked for */
typedef int matrix_fn(const dae_problem *u, double t, const double *z, double *A);

/* the point number k */
static void place(const dae_system *s, int k, double *z) {
  const double *z0 = s->p->z0;
  double size = dae_la_norm_max(s->nx, z0);
  for (int j = 0; j < s->nz; j++)
    z[j] = z0[j] + k * AROUND * (size > 0 ? size : 1) * sin(1 + 1.9 * k + 2.3 * j);
}

/* the rows x nx entries that are not zero everywhere; NULL: more than a quarter, or no values */
static const dae_pattern *look(dae_system *s, matrix_fn *fn, int rows, double *z, double *A,
                               unsigned char *seen) {
  const size_t size = (size_t)rows * (size_t)s->nx;
  memset(seen, 0, size);
  for (int k = 0; k < POINTS; k++) {
    place(s, k, z);
    memset(A, 0, size * sizeof *A);
    /* beside the initial values a function need not be defined */
    bool defined = fn(s->p, s->p->t0, z, A) == 0;
    if (!defined && k == 0) return NULL;
    for (size_t i = 0; defined && i < size; i++) seen[i] |= A[i] != 0;
  }
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += seen[i];
  if (4 * count > size) return NULL;
  dae_pattern *p = dae_base_take(s->pool, 1, sizeof *p);
  int *start = dae_base_ints(s->pool, (size_t)rows + 1), *column = dae_base_ints(s->pool, count);
  if (s->pool->failed) return NULL;
  for (int i = 0, to = 0; i < rows; i++) {
    for (int j = 0; j < s->nx; j++)
      if (seen[(size_t)i * (size_t)s->nx + (size_t)j]) column[to++] = j;
    start[i + 1] = to;
  }
  *p = (dae_pattern){rows, s->nx, start, column};
  return p;
}

void dae_problem_zeros(dae_system *s) {
  const dae_problem *p = s->p;
  dae_la_kkt_shape *a = &s->shape;
  if (p->kind != DAE_MECHANICAL || s->nx < ZEROS_MIN || s->ng == 0 || s->nw > 0 || a->pattern ||
      !p->z0 || !dae_mechanical_has_G(&p->mechanical))
    return;
  bool full = a->mass == DAE_LA_DENSE;
  size_t rows = (size_t)(full && s->nx > s->ng ? s->nx : s->ng), size = rows * (size_t)s->nx;
  dae_pool own;
  dae_base_pool_init(&own, &s->passing);
  double *z = dae_base_doubles(&own, (size_t)s->nz), *A = dae_base_doubles(&own, size);
  unsigned char *seen = dae_base_data(&own, size, 1);
  if (!own.failed) a->found = look(s, dae_mechanical_G, s->ng, z, A, seen);
  if (a->found && full) a->mass_found = look(s, dae_mechanical_mass, s->nx, z, A, seen);
  s->G.found = a->found;
  if (own.failed) s->pool->failed = true;
  dae_base_pool_free(&own);
}

/* d/dq (M a + G' y - f): positions stand for y and velocities for a, numbers without relations */
static int dynamics_q(const dae_problem *u, double t, const double *z, double *A) {
  const double *v = z + u->mechanical.nq;
  return u->mechanical.dynamics_q(t, z, v, v, z, A, u->ctx);
}

static int force_v(const dae_problem *u, double t, const double *z, double *A) {
  return u->mechanical.force_v(t, z, z + u->mechanical.nq, A, u->ctx);
}

dae_status dae_problem_zeros_dynamics(const dae_system *sys) {
  dae_system *s = (dae_system *)sys;
  const dae_mechanical *m = &s->p->mechanical;
  if (!s->shape.found || s->dynamics_found || s->force_found || !m->dynamics_q || s->ng > s->nz)
    return DAE_OK;
  const size_t size = (size_t)s->nx * (size_t)s->nx;
  dae_pool own;
  dae_base_pool_init(&own, &s->passing);
  double *z = dae_base_doubles(&own, (size_t)s->nz), *A = dae_base_doubles(&own, size);
  unsigned char *seen = dae_base_data(&own, size, 1);
  if (!own.failed && !m->dynamics_pattern)
    s->dynamics_found = look(s, dynamics_q, s->nx, z, A, seen);
  if (!own.failed && m->force_v && !m->force_v_pattern)
    s->force_found = look(s, force_v, s->nx, z, A, seen);
  const bool failed = own.failed || s->pool->failed;
  dae_base_pool_free(&own);
  return failed ? DAE_E_MEMORY : DAE_OK;
}

static bool same(const dae_pattern *a, const dae_pattern *b) {
  if (!a || !b) return a == b;
  const size_t starts = ((size_t)a->rows + 1) * sizeof *a->start;
  return memcmp(a->start, b->start, starts) == 0 &&
         memcmp(a->column, b->column, (size_t)a->start[a->rows] * sizeof *a->column) == 0;
}

dae_status dae_problem_zeros_same(const dae_system *s, bool *out) {
  dae_pool pool;
  dae_system now = *s;
  dae_base_pool_init(&pool, &s->passing);
  now.pool = &pool;
  now.shape.found = now.shape.mass_found = now.dynamics_found = now.force_found = NULL;
  dae_problem_zeros(&now);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  if (status == DAE_OK && (s->dynamics_found || s->force_found))
    status = dae_problem_zeros_dynamics(&now);
  *out = same(s->shape.found, now.shape.found) && same(s->shape.mass_found, now.shape.mass_found) &&
         same(s->dynamics_found, now.dynamics_found) && same(s->force_found, now.force_found);
  dae_base_pool_free(&pool);
  return status;
}
