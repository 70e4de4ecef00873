/*
 * the judge of a crossing: a second solver, that passes singular positions.
 *
 * With fixed steps there is nothing to hand over to. A step across a singular position then
 * counts only when the judge, started at the last point where the
 * constraints were far from rank loss, comes to the same point: on the same branch, with the same
 * velocity. It is asked once more when they are far from it again. Events are none of its business.
 */
#include <math.h>
#include <string.h>

#include "drive/drive.h"

struct dae_judge {
  dae_problem problem;
  dae_solver *solver;
  double t, *z; /* the last point far from rank loss */
  double *end;
  bool pending; /* a crossing was accepted, and the constraints have not recovered since */
};

/* of watch_most: far from rank loss */
static const double FAR = 0.3;
/* differences that are accepted, relative to the size of a level: what fixed steps of low order
   make of a passage, and another branch does not */
static const double COARSE = 0.02;
/* a judge is as large as the solver itself: beyond this a crossing is refused unseen */
enum { MOST_UNKNOWNS = 2000 };

dae_status dae_drive_judge_new(dae_solver *s) {
  /* with error control a crossing is refused: its error would have to be judged too */
  bool alone = s->o.step > 0 && s->sys->ny > 0 && !s->own_y && !dae_drive_crosses(&s->way[0]);
  if (!alone || strcmp(s->o.passage, "off") == 0 || s->sys->nz > MOST_UNKNOWNS) return DAE_OK;
  dae_judge *j = dae_base_take(&s->pool, 1, sizeof *j);
  size_t nz = (size_t)s->sys->nz;
  double *z = dae_base_doubles(&s->pool, nz), *end = dae_base_doubles(&s->pool, nz);
  if (s->pool.failed) return DAE_E_MEMORY;
  *j = (dae_judge){.problem = *s->p, .z = z, .end = end};
  j->problem.n_event = 0;
  j->problem.fixed = NULL;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8;
  o.form = "index1";
  o.method = "dop853";
  o.allocator = s->o.allocator;
  dae_status status = dae_solver_new(&j->solver, &j->problem, &o, NULL);
  /* no such form for this problem: then nobody judges */
  if (status == DAE_OK) s->judge = j;
  return status == DAE_E_MEMORY ? status : DAE_OK;
}

void dae_drive_judge_free(dae_solver *s) {
  if (s->judge) dae_solver_free(s->judge->solver);
}

void dae_drive_judge_start(dae_solver *s) {
  if (!s->judge) return;
  s->judge->t = s->t;
  s->judge->pending = false;
  memcpy(s->judge->z, s->z, (size_t)s->sys->nz * sizeof *s->z);
}

void dae_drive_judge_keep(dae_solver *s) {
  if (s->judge && s->step->watch_end >= FAR * s->watch_most) dae_drive_judge_start(s);
}

/* are a and b the same at every level? */
static bool same(const dae_solver *s, const double *a, const double *b) {
  int nx = s->sys->nx;
  for (int l = 0; l < s->sys->order; l++) {
    double gap = 0, size = 0;
    for (int i = l * nx; i < (l + 1) * nx; i++) {
      gap = fmax(gap, fabs(a[i] - b[i]));
      size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    if (!(gap <= COARSE * size)) return false;
  }
  return true;
}

bool dae_drive_judge_due(const dae_solver *s) {
  return s->judge && s->judge->pending && s->step->watch_end >= FAR * s->watch_most;
}

bool dae_drive_judge_agrees(dae_solver *s, double t, const double *z) {
  dae_judge *j = s->judge;
  if (!j || j->t == t) return false;
  j->pending = true;
  memcpy(j->end, j->z, (size_t)s->sys->nz * sizeof *j->z);
  if (dae_solver_start(j->solver, j->t, j->end, NULL) != DAE_OK) return false;
  if (dae_solver_advance(j->solver, t) != DAE_OK) return false;
  return same(s, z, dae_solver_z(j->solver));
}
