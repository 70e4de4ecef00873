/* index2: the constraints differentiated m-1 times (1993 (3.11), 1992-col (3.5)-(3.6)) */
#include "form/form.h"

/* M x^(m) = f - K y, 0 = g^(m-1) + sum_{l<m-1} beta_l g^(l) with beta of (s + gamma)^(m-1), or
   given */
dae_status dae_form_index2(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->ny == 0)
    return dae_form_refuse(message, size, "index2 needs multipliers: use %s",
                           s->nh > 0 ? "invariant" : "index1");
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  dae_parts *c = v->parts;
  double beta[DAE_ORDER_MAX];
  bool polynomial = s->order > 1 && s->ng > 0;
  status = dae_form_polynomial(s->order - 1, o->gamma, polynomial ? &o->coefficients : NULL, beta,
                               message, size);
  if (status != DAE_OK) return status;
  for (int l = 0; l < s->order; l++) c->beta[l] = beta[l];
  c->combined = polynomial;
  v->attracts = polynomial && (o->gamma > 0 || o->coefficients.count > 0);
  c->n_row = dae_form_levels(s, s->order - 1, s->order - 1, c->row);
  status = dae_form_parts_ready(v);
  return status == DAE_OK ? dae_form_implicit(v) : status;
}
