/* index1: m differentiations, y eliminated by one KKT solve (1992-stab (1.3)) */
#include "form/form.h"

/* z' = (x', .., x^(m)),  [M K; G 0] [x^(m); y] = [f; -c] */
dae_status dae_form_index1(dae_view *v, const dae_settings *o, char *message, int size) {
  (void)o, (void)message, (void)size;
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  v->parts->eliminate = true;
  v->parts->sparse = v->sys->f_pattern != NULL;
  status = dae_form_parts_ready(v);
  if (status == DAE_OK) status = dae_form_implicit(v);
  return status == DAE_OK && v->parts->sparse ? dae_form_sparse_ode(v) : status;
}
