/*
 * the witness of a crossing: a method that passes singular positions.
 *
 * With fixed steps there is nothing to hand over to. A step across a singular position then counts
 * only when the witness, started at the last point where the constraints were far from rank loss,
 * comes to the same point: on the same branch, with the same velocity. It is asked once more when
 * they are far from it again. Events are none of its business.
 */
#include <math.h>
#include <string.h>

#include "passage/guard.h"

/* of the largest smallest singular value: far from rank loss */
static const double FAR = 0.3;
/* differences that are accepted, relative to the size of a level: what fixed steps of low order
   make of a passage, and another branch does not */
static const double COARSE = 0.02;
/* a witness is as large as the solver itself: beyond this a crossing is refused unseen */
enum { MOST_UNKNOWNS = 2000 };

bool dae_passage_wants_witness(const dae_guard *g) {
  const dae_guard_run *run = &g->run;
  /* with error control a crossing is refused: its error would have to be judged too */
  bool alone = run->fixed_steps && g->sys->ny > 0 && !run->own_y && !g->crosses;
  return alone && !run->off && g->sys->nz <= MOST_UNKNOWNS;
}

dae_status dae_passage_call_witness(dae_guard *g, dae_pool *pool, dae_witness *witness, void *ctx) {
  size_t nz = (size_t)g->sys->nz;
  double *z = dae_base_doubles(pool, nz), *end = dae_base_doubles(pool, nz);
  if (pool->failed) return DAE_E_MEMORY;
  g->testimony = (dae_testimony){.witness = witness, .ctx = ctx, .z = z, .end = end};
  return DAE_OK;
}

void dae_passage_witness_start(dae_guard *g, double t, const double *z) {
  dae_testimony *j = &g->testimony;
  if (!j->witness) return;
  j->t = t;
  j->pending = false;
  memcpy(j->z, z, (size_t)g->sys->nz * sizeof *z);
}

void dae_passage_witness_keep(dae_guard *g, double t, const double *z) {
  if (g->testimony.witness && g->end >= FAR * g->most) dae_passage_witness_start(g, t, z);
}

/* are a and b the same at every level? */
static bool same(const dae_guard *g, const double *a, const double *b) {
  int nx = g->sys->nx;
  for (int l = 0; l < g->sys->order; l++) {
    double gap = 0, size = 0;
    for (int i = l * nx; i < (l + 1) * nx; i++) {
      gap = fmax(gap, fabs(a[i] - b[i]));
      size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    if (!(gap <= COARSE * size)) return false;
  }
  return true;
}

bool dae_passage_witness_due(const dae_guard *g) {
  const dae_testimony *j = &g->testimony;
  return j->witness && j->pending && g->end >= FAR * g->most;
}

bool dae_passage_witness_agrees(dae_guard *g, double t, const double *z) {
  dae_testimony *j = &g->testimony;
  if (!j->witness || j->t == t) return false;
  j->pending = true;
  return j->witness(j->ctx, j->t, j->z, t, j->end) && same(g, z, j->end);
}
