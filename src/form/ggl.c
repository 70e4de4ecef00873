/* ggl: stabilized index 2, all levels imposed, y kept */
#include "form/form.h"

/* x^(l)' = x^(l+1) + D mu_l, l < m-1; M x^(m) = f - K y; 0 = g, .., g^(m-1) (1993 (2.18), (4.15)).
   D = G' unless another direction is asked for. */
dae_status dae_form_ggl(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->ny == 0)
    return dae_form_refuse(message, size, "ggl needs multipliers: use %s",
                           s->nh > 0 ? "invariant" : "index1");
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  dae_parts *c = v->parts;
  status = dae_form_direction(v, o, DAE_DIR_CONSTRAINT, message, size);
  if (status != DAE_OK) return status;
  c->n_col = dae_form_levels(s, 0, s->order - 2, c->col);
  c->n_row = dae_form_levels(s, 0, s->order - 1, c->row);
  v->ntau = c->n_col > 0 ? s->ny : 0;
  status = dae_form_parts_ready(v);
  return status == DAE_OK ? dae_form_implicit(v) : status;
}
