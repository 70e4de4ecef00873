/* what the initial values and the interval of a run alone tell, at the cost of a few evaluations */
#include <math.h>

#include "choose/choose.h"

dae_status dae_choose_look(dae_point *p, const dae_settings *o, bool waves, const dae_begin *at,
                           dae_rates *out) {
  dae_essential e;
  *out = (dae_rates){.kind = DAE_CASE_UNKNOWN};
  dae_point_aside(p);
  dae_status status = dae_choose_essential(p, at->t, at->z, at->horizon, &e);
  if (status == DAE_OK) {
    out->kind = dae_choose_case(&e, fmin(o->rtol, o->atol), at->horizon, NULL);
    out->turn = fmax(e.variable, fmax(e.turn_constraint, e.turn_force));
  }
  /* what is too large for that may still swing too fast for explicit steps */
  if (status == DAE_E_FORM && waves) status = dae_choose_waves(p, at, o, &out->method);
  dae_point_back(p);
  return status == DAE_E_MEMORY ? status : DAE_OK;
}

bool dae_choose_same(const dae_rates *a, const dae_rates *b) {
  return a->kind == b->kind && a->method == b->method;
}
