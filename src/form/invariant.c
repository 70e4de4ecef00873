/* invariant: projected invariants, the first k levels imposed, y eliminated (1993 (3.27)) */
#include <string.h>

#include "form/form.h"

/* the first k levels of the holonomic constraints, and all velocity-level ones: those are original
   constraints, not derivatives, and must not be lost */
static int imposed(const dae_system *s, int k, int *place) {
  int n = dae_form_levels(s, 0, (k < s->order ? k : s->order) - 1, place);
  for (int i = 0; k < s->order && i < s->nw; i++) place[n++] = s->order * s->ng + i;
  return n;
}

/* x^(l)' = x^(l+1) + D_l mu_l for l < k (l = m-1: x^(m) of index1 + D mu), 0 = g, .., g^(k-1) */
static dae_status project(dae_view *v, int k, const dae_settings *o, dae_direction_kind direction,
                          char *message, int size) {
  const dae_system *s = v->sys;
  if (s->nh == 0)
    return dae_form_refuse(message, size, "%s needs constraints: use index1", v->name);
  dae_status status = dae_form_parts_new(v);
  if (status != DAE_OK) return status;
  dae_parts *c = v->parts;
  status = dae_form_direction(v, o, direction, message, size);
  if (status != DAE_OK) return status;
  c->eliminate = true;
  c->n_row = imposed(s, k, c->row);
  c->n_col = c->n_row;
  memcpy(c->col, c->row, (size_t)c->n_row * sizeof *c->col);
  /* velocity-level ones come last */
  if (s->order > 1)
    for (int i = 0; i < c->n_row; i++) v->ntau += c->row[i] >= (s->order - 1) * s->ng;
  return dae_form_parts_ready(v);
}

/* k = 1, Pa (4.14), for m = 1 (4.7); "invariant:K" asks for K levels */
dae_status dae_form_invariant(dae_view *v, const dae_settings *o, char *message, int size) {
  int k = o->form_levels > 0 ? o->form_levels : 1;
  if (k > v->sys->order) {
    dae_form_refuse(message, size, "'invariant:%d': the number of levels must be 1 .. %d", k,
                    v->sys->order);
    return DAE_E_INPUT;
  }
  return project(v, k, o, DAE_DIR_CONSTRAINT, message, size);
}

/* k = m with D = diag(G', .., G'), Pb (4.16) */
dae_status dae_form_invariant_all(dae_view *v, const dae_settings *o, char *message, int size) {
  return project(v, v->sys->order, o, DAE_DIR_CONSTRAINT, message, size);
}

/* k = m with D = H', Pc (4.17): x' = v + G' mu + L' tau balances fast constraints */
dae_status dae_form_invariant_balanced(dae_view *v, const dae_settings *o, char *message,
                                       int size) {
  if (o->direction.kind != DAE_DIR_AUTO && o->direction.kind != DAE_DIR_FULL)
    return dae_form_refuse(
        message, size,
        "invariant-balanced has the direction full; invariant-all takes any direction");
  return project(v, v->sys->order, o, DAE_DIR_FULL, message, size);
}
