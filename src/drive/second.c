/* the second solver of a run, which passes singular positions: the witness of crossings with fixed
   steps */
#include <string.h>

#include "drive/drive.h"

struct dae_second {
  dae_problem problem;
  dae_solver *solver;
};

static bool testify(void *ctx, double t0, const double *z0, double t1, double *z1) {
  dae_second *w = ctx;
  size_t size = (size_t)w->solver->sys->nz * sizeof *z1;
  memcpy(z1, z0, size);
  if (dae_solver_start(w->solver, t0, z1, NULL) != DAE_OK) return false;
  if (dae_solver_advance(w->solver, t1) != DAE_OK) return false;
  memcpy(z1, dae_solver_z(w->solver), size);
  return true;
}

dae_status dae_drive_second_new(dae_solver *s) {
  if (!dae_passage_wants_witness(s->guard)) return DAE_OK;
  dae_second *w = dae_base_take(&s->pool, 1, sizeof *w);
  if (!w) return DAE_E_MEMORY;
  *w = (dae_second){.problem = *s->p};
  w->problem.n_event = 0;
  w->problem.fixed = NULL;
  dae_options o = dae_options_default();
  o.rtol = o.atol = 1e-8; /* beside fixed steps of low order this is exact */
  o.form = "index1";
  o.method = "dop853";
  o.allocator = s->plan.o.allocator;
  dae_status status = dae_solver_new(&w->solver, &w->problem, &o, NULL);
  /* no such form for this problem: then there is no witness */
  if (status != DAE_OK) return status == DAE_E_MEMORY ? status : DAE_OK;
  s->second = w;
  return dae_passage_call_witness(s->guard, &s->pool, testify, w);
}

dae_solver *dae_drive_second_solver(const dae_second *w) { return w->solver; }

void dae_drive_second_free(dae_second *w) {
  if (w) dae_solver_free(w->solver);
}
