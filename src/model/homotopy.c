/*
 * homotopy(actual, simplified): where no start is found from the start values, the simplified
 * expressions are solved first, and each solution is the guess of the next one along
 *   s actual + (1 - s) simplified,   s from 0 to 1.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

enum { BUILDS = 60 };             /* at most on the way */
static const double FIRST = 0.25; /* step of s */
static const double SMALLEST = 1e-3;

bool dae_model_homotopy(dae_model *m, const dae_value *actual, const dae_value *simplified,
                        dae_value *out) {
  dae_graph *g = &m->graph;
  *out = *actual;
  if (!dae_model_same_size(actual, simplified)) return false;
  if (actual->count &&
      memcmp(actual->node, simplified->node, (size_t)actual->count * sizeof *actual->node) != 0)
    m->homotopy.used = true;
  if (!m->homotopy.on) return true;
  if (m->homotopy.s == 0) *out = *simplified; /* the actual one may have no value there */
  if (m->homotopy.s == 0) return true;
  *out = dae_model_array(m, TYPE_REAL, actual->rank, actual->dim);
  for (int i = 0; i < out->count; i++) {
    int a = dae_model_op2(g, OP_MUL, dae_model_const(g, m->homotopy.s), actual->node[i]),
        b = dae_model_op2(g, OP_MUL, dae_model_const(g, 1 - m->homotopy.s), simplified->node[i]);
    out->node[i] = dae_model_op2(g, OP_ADD, a, b);
  }
  return true;
}

/* a build with this s that found its start; its values are the next guesses */
static bool reach(dae_model *m, double s, dae_model_builder build) {
  m->homotopy.s = s;
  if (!build(m) || m->homotopy.failed) return false;
  const dae_plan *p = m->plan;
  int n = m->flat.variables;
  double *value = dae_model_take(&m->text, (size_t)n + 1, sizeof *value);
  if (dae_model_plan_values(p, p->problem.t0, p->z0, p->y0, value)) return false;
  m->homotopy.carry = value;
  m->homotopy.carried = n - m->flat.hidden;
  return true;
}

bool dae_model_follow_homotopy(dae_model *m, dae_model_builder build) {
  double s = 0, step = FIRST;
  m->homotopy.on = m->homotopy.trial = true;
  bool ok = reach(m, 0, build);
  for (int k = 0; k < BUILDS && ok && s < 1; k++) {
    double next = fmin(1, s + step);
    if (reach(m, next, build)) s = next, step *= 1.5;
    else ok = (step /= 3) > SMALLEST;
  }
  m->homotopy.on = m->homotopy.trial = false;
  if (s < 1) m->homotopy.carry = NULL;
  return build(m);
}
