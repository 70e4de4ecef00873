/* index1: m differentiations, y eliminated by one KKT solve (1992-stab (1.3)) */
#include "form/form.h"

/* z' = (x', .., x^(m)),  [M K; G 0] [x^(m); y] = [f; -c] */
dae_status dae_form_index1(dae_view *v, const dae_settings *o, char *message, int size) {
  (void)o, (void)message, (void)size;
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  v->parts->eliminate = true;
  status = dae_form_parts_ready(v);
  return status == DAE_OK ? dae_form_implicit(v) : status;
}
