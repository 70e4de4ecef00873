/* state-space: independent coordinates u = R x, chosen anew when they wear out (1993 (3.16)-(3.17)) */
#include "form/form.h"

dae_status dae_form_state_space(dae_view *v, const dae_options *o, char *message, int size) {
  (void)o;
  return dae_form_refuse(message, size, "%s is not there yet", v->name);
}
