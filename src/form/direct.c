/* direct: the problem as it is, index 2 (or none) */
#include "form/form.h"

/* x^(m) = f - B y, 0 = g(t,x) for m = 1 or 0 = g(t,z) (1993 (4.1)) */
dae_status dae_form_direct(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->p->kind == DAE_IMPLICIT) return dae_form_residual(v, o);
  int index = dae_problem_index(s->p);
  if (index > 2)
    return dae_form_refuse(
        message, size,
        "direct needs index 2, this problem has index %d: use index2, ggl or invariant", index);
  if (s->p->kind == DAE_ODE && s->nh > 0)
    return dae_form_refuse(message, size,
                           "direct has no multipliers for the invariants of an ODE: use invariant");
  if (s->ny == 0) {
    v->kind = DAE_VIEW_ODE;
    return dae_form_index1(v, o, message, size);
  }
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  v->parts->n_row = dae_form_levels(s, s->order - 1, s->order - 1, v->parts->row);
  status = dae_form_parts_ready(v);
  return status == DAE_OK ? dae_form_implicit(v) : status;
}
