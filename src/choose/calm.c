/*
 * is a problem so far from stiff that a few evaluations show it?
 *
 * Steps of an explicit method on z' = F(t,z) are limited by the rates of J = dF/dz, and by nothing
 * else. The largest one is found from below by power iteration,
 *   r = sqrt(|J J v| / |v|),  v <- J J v,
 * twice J because positions and velocities have sizes of their own. Where h r of the steps h that
 * accuracy asks for stays far below what stability allows, the rates of the essential underlying
 * ODE (essential.c), with their dense matrices, would say the same at many times the cost.
 */
#include <math.h>
#include <string.h>

#include "choose/choose.h"

/* two products each: a start that holds a thousandth of the fastest mode shows half of its rate
   when that is four times the others */
enum { PASSES = 3 };
/* relative size of differences, and of the step along the solution in units of the interval */
static const double MOVE = 1e-7, AHEAD = 1e-6;

/* what the iteration works with, in one block of memory */
typedef struct room {
  double *f, *moved, *a, *v, *w;
} room;

/* dz := F(t,z) */
static dae_status evaluate(dae_point *p, double t, const double *z, const room *r, double *dz) {
  dae_point_at(p, t, z);
  dae_status status = dae_point_accelerate(p, r->a, NULL);
  if (status == DAE_OK) dae_problem_chain(p->sys, z, r->a, dz);
  return status;
}

/* w := J v */
static dae_status apply(dae_point *p, const dae_begin *at, const room *r, double size) {
  int n = p->sys->nz;
  double unit = MOVE * size / dae_la_norm2(n, r->v);
  for (int i = 0; i < n; i++) r->moved[i] = at->z[i] + unit * r->v[i];
  dae_status status = evaluate(p, at->t, r->moved, r, r->w);
  for (int i = 0; i < n; i++) r->w[i] = (r->w[i] - r->f[i]) / unit;
  return status;
}

static dae_status rates(dae_point *p, const dae_begin *at, const room *r, double *fastest,
                        double *solution) {
  int n = p->sys->nz;
  const double dt = AHEAD * at->horizon;
  dae_status status = evaluate(p, at->t, at->z, r, r->f);
  if (status != DAE_OK) return status;
  for (int i = 0; i < n; i++) r->moved[i] = at->z[i] + dt * r->f[i];
  status = evaluate(p, at->t + dt, r->moved, r, r->w);
  *solution = dae_choose_solution_rate(n, at->z, r->f, r->w, dt);
  const double size = dae_la_norm2(n, at->z) + MOVE;
  for (int i = 0; i < n; i++) r->v[i] = 1 + 0.37 * (i % 5);
  for (int pass = 0; pass < PASSES && status == DAE_OK; pass++) {
    double before = dae_la_norm2(n, r->v);
    for (int twice = 0; twice < 2 && status == DAE_OK; twice++) {
      status = apply(p, at, r, size);
      memcpy(r->v, r->w, (size_t)n * sizeof *r->v);
    }
    double after = dae_la_norm2(n, r->v);
    *fastest = sqrt(after / before);
    if (!(after > 0)) break;
  }
  return status;
}

dae_status dae_choose_calm(dae_point *p, const dae_begin *at, double tolerance, bool *calm) {
  const dae_system *s = p->sys;
  size_t nz = (size_t)s->nz;
  dae_pool pool;
  dae_essential e = {0};
  *calm = false;
  dae_base_pool_init(&pool, &s->passing);
  double *block = dae_base_doubles(&pool, 5 * nz);
  room r = {block, block + nz, block + 2 * nz, block + 3 * nz, block + 4 * nz};
  dae_status status = block ? rates(p, at, &r, &e.frozen, &e.solution) : DAE_E_MEMORY;
  /* from below: it may be twice as much */
  e.frozen *= 2;
  if (status == DAE_OK && isfinite(e.frozen) && isfinite(e.solution))
    *calm = dae_choose_case(&e, tolerance, at->horizon, NULL) == DAE_CASE_NONSTIFF_SLOW;
  dae_base_pool_free(&pool);
  return status == DAE_E_MEMORY ? status : DAE_OK;
}
