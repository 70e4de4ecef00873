/* Daedal with its defaults */
#include <stdio.h>
#include <string.h>

#include "peers.h"

void peer_daedal(const peer *self, const dae_problem *p, double tol, bool watch, peer_result *out) {
  dae_options o = dae_options_default();
  dae_stats stats;
  double y[PEER_SIZE_MAX];
  (void)watch;
  o.method = self->method;
  /* half-explicit methods work on the velocity constraints */
  if (strncmp(o.method, "herk", 4) == 0) o.form = "index2";
  o.rtol = o.atol = tol;
  o.max_steps = PEER_STEP_LIMIT;
  memcpy(out->z, p->z0, (size_t)dae_problem_nz(p) * sizeof *out->z);
  memset(y, 0, sizeof y);
  out->ok = dae_solve(p, &o, p->t0, p->t1, out->z, y, NULL, &stats) == DAE_OK;
  if (!out->ok) return;
  out->steps = stats.steps;
  out->evaluations = stats.evaluations;
  out->drift = stats.drift_max[0] > stats.drift_max[1] ? stats.drift_max[0] : stats.drift_max[1];
}
