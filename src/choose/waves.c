/* the fastest oscillation of a large sparse problem, which decides between explicit and implicit
   methods */
#include <math.h>
#include <string.h>

#include "choose/choose.h"

/*
 * omega = sqrt |da/dx| along the vector that grows fastest, by power iteration with differences of
 * accelerations: u <- a(x + e u) - a(x), omega^2 = |u| / e, with u tangential. The vector ends up
 * on a few bodies: e is small, or they would turn by more than their size.
 */
static dae_status frequency(dae_point *p, double t, const double *z, double *room, double *omega) {
  enum { PASSES = 24 };
  const dae_system *s = p->sys;
  const int nx = s->nx;
  double *a = room, *b = a + nx, *u = b + nx, *moved = u + nx, *y = moved + s->nz;
  double size = dae_la_norm2(nx, z) + sqrt(nx) * 1e-3, length = 0;
  dae_point_at(p, t, z);
  dae_status status = dae_point_accelerate(p, a, NULL);
  for (int i = 0; i < nx; i++) u[i] = sin(1 + 1.7 * i);
  memcpy(moved, z, (size_t)s->nz * sizeof *z);
  for (int pass = 0; pass < PASSES && status == DAE_OK; pass++) {
    /* its part along the constraints: [M G'; G 0] [u; .] = [M u; 0] */
    memset(b, 0, (size_t)nx * sizeof *b);
    memset(y, 0, (size_t)s->ny * sizeof *y);
    dae_matrix_add(&p->M, u, b);
    dae_la_kkt_solve(dae_point_kkt(p), b, y);
    const double e = 1e-11 * size, scale = e / dae_la_norm2(nx, b);
    for (int i = 0; i < nx; i++) moved[i] = z[i] + scale * b[i];
    dae_point_at(p, t, moved);
    status = dae_point_accelerate(p, b, NULL);
    for (int i = 0; i < nx; i++) u[i] = b[i] - a[i];
    length = dae_la_norm2(nx, u) / e;
    if (!(length > 0) || !isfinite(length)) break;
  }
  *omega = isfinite(length) ? sqrt(length) : 0;
  return status;
}

/*
 * Explicit steps are held below a bound over omega whatever the tolerance: wave4 takes some 1.4
 * omega T evaluations. Implicit steps follow the waves that carry something, and cost as much as 80
 * evaluations. The two meet near omega T = 180 tol^-1/2; where the tolerance asks for shorter steps
 * than the waves do, below 5 tol^-1/2, high order is better (bench/bench_large.c).
 */
dae_status dae_choose_waves(dae_point *p, const dae_begin *at, const dae_settings *o,
                            dae_rates *out) {
  const dae_system *s = p->sys;
  if (s->p->kind != DAE_MECHANICAL || !s->pattern.start || !p->kkt) return DAE_OK;
  dae_pool pool;
  double omega = 0;
  dae_base_pool_init(&pool, &s->passing);
  double *room = dae_base_doubles(&pool, 3 * (size_t)s->nx + (size_t)s->nz + (size_t)s->ny);
  dae_status status = room ? frequency(p, at->t, at->z, room, &omega) : DAE_E_MEMORY;
  dae_base_pool_free(&pool);
  if (status == DAE_E_MEMORY) return status;
  const double speed = omega * at->horizon * sqrt(fmax(fmin(o->rtol, o->atol), 1e-16));
  if (status != DAE_OK) return DAE_OK;
  out->kind = DAE_CASE_NONSTIFF_SLOW;
  if (speed > 180) out->method = dae_choose_implicit(s->p, o, false);
  else if (speed > 5) out->method = dae_method_find("wave4");
  return DAE_OK;
}
