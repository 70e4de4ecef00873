/* baumgarte: a stable polynomial in d/dt in place of the m-th derivative of the constraints */
#include "form/form.h"

/* g^(m) + sum_{l<m} alpha_l g^(l) = 0 with alpha of (s + gamma)^m, or given (1992-stab
   (1.4)-(1.5)); velocity-level constraints: w' + gamma w = 0, with given coefficients w' +
   alpha_{m-1} w = 0 */
dae_status dae_form_baumgarte(dae_view *v, const dae_settings *o, char *message, int size) {
  const dae_system *s = v->sys;
  if (s->ny == 0)
    return dae_form_refuse(
        message, size, "baumgarte needs multipliers; the invariants of an ODE are kept by attract");
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  dae_parts *c = v->parts;
  double alpha[DAE_ORDER_MAX + 1];
  status = dae_form_polynomial(s->order, o->gamma, &o->coefficients, alpha, message, size);
  if (status != DAE_OK) return status;
  for (int l = 0; l < s->order; l++) c->alpha[l] = alpha[l];
  c->alpha_w = o->coefficients.count > 0 ? alpha[s->order - 1] : o->gamma;
  c->eliminate = c->attracted = true;
  v->attracts = o->gamma > 0 || o->coefficients.count > 0;
  status = dae_form_parts_ready(v);
  return status == DAE_OK ? dae_form_implicit(v) : status;
}
