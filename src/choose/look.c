/* what the initial values and the interval of a run alone tell, at the cost of a few evaluations */
#include <math.h>

#include "choose/choose.h"

/* coordinates from which on the dense matrices of essential.c cost more than a look before */
enum { WORTH_A_LOOK = 8 };

dae_status dae_choose_look(dae_point *p, const dae_settings *o, bool free, const dae_begin *at,
                           dae_rates *out) {
  const double tolerance = fmin(o->rtol, o->atol);
  dae_essential e;
  bool calm = false;
  dae_status status = DAE_OK;
  *out = (dae_rates){.kind = DAE_CASE_UNKNOWN, .stiff = DAE_CASE_UNKNOWN};
  dae_point_aside(p);
  if (free && p->sys->nx > WORTH_A_LOOK) status = dae_choose_calm(p, at, tolerance, &calm);
  if (calm) out->kind = DAE_CASE_NONSTIFF_SLOW;
  /* a mechanism may swing too fast for explicit steps */
  else if (status == DAE_OK && free) status = dae_choose_waves(p, at, o, out);
  if (status == DAE_OK && out->kind == DAE_CASE_UNKNOWN) {
    status = dae_choose_essential(p, at->t, at->z, at->horizon, &e);
    if (status == DAE_OK) {
      out->kind = free ? dae_choose_begin(&e, tolerance, at->horizon)
                       : dae_choose_case(&e, tolerance, at->horizon, NULL);
      out->turning = dae_choose_case(&e, tolerance, at->horizon, NULL) == DAE_CASE_STIFF_VARIABLE;
      out->stiff = dae_choose_stiff_case(&e, at->horizon);
      out->turn = fmax(e.variable, fmax(e.turn_constraint, e.turn_force));
    }
  }
  dae_point_back(p);
  return status == DAE_E_MEMORY ? status : DAE_OK;
}

bool dae_choose_same(const dae_rates *a, const dae_rates *b) {
  return a->kind == b->kind && a->stiff == b->stiff && a->method == b->method &&
         a->turning == b->turning;
}
