/* what equations must not hold: values of other times, and numbers that are not finite */
#include <math.h>

#include "model/structure.h"

/* x(startTime), x(finalTime) have their place: initial equations */
static bool check_time(dae_model *m, const dae_node *leaf, uint32_t place) {
  if (leaf->c == WHEN_NOW) return true;
  if (leaf->c >= WHEN_SLOT) {
    dae_model_error(&m->source, place,
                    "initial(), terminal() and sample(..) have no meaning in this equation: they "
                    "belong into the condition of 'when'");
    return false;
  }
  const char *name = m->flat.variable[leaf->a].name;
  dae_model_error(&m->source, place,
                  "%.80s(%s) states a boundary value: it can be used in 'initial equation' only",
                  name, leaf->c == WHEN_START ? "startTime" : "finalTime");
  return false;
}

/* a number, or an expression of parameters, that is no finite number */
static bool check_number(dae_model *m, int node, uint32_t place) {
  const dae_node *n = &m->graph.node[node];
  if (!(n->flags & NODE_CONSTANT) || isfinite(n->value)) return true;
  dae_namer namer = dae_model_namer(m);
  dae_text text = {.arena = &m->built};
  dae_model_print(&m->graph, node, &namer, &text);
  dae_model_error(&m->source, place, "%.200s is not a finite number: %s", text.data,
                  isnan(n->value) ? "it has no value" : "it is too large for double precision");
  return false;
}

/* both sides of one equation; `now`: it must not hold values of other times */
static bool check_one(dae_model *m, int left, int right, uint32_t place, bool now, dae_set *below) {
  dae_model_reach(&m->graph, (int[]){left, right}, 2, below);
  for (int k = 0; k < below->count; k++) {
    const dae_node *n = &m->graph.node[below->node[k]];
    if (now && n->op == OP_VAR && !check_time(m, n, place)) return false;
    if (!check_number(m, below->node[k], place)) return false;
  }
  return true;
}

static bool check_list(dae_model *m, const dae_equation *list, int count, bool now) {
  dae_set below = {0};
  bool ok = true;
  for (int i = 0; i < count; i++)
    ok = check_one(m, list[i].left, list[i].right, list[i].place, now, &below) && ok;
  dae_model_set_free(&m->graph, &below);
  return ok;
}

bool dae_model_check_flat(dae_model *m) {
  const dae_flat *f = &m->flat;
  dae_set below = {0};
  bool ok = check_list(m, f->equation, f->equations, true);
  ok = check_list(m, f->invariant, f->invariants, true) && ok;
  ok = check_list(m, f->initial, f->initials, false) && ok;
  for (int i = 0; i < f->actions; i++) {
    const dae_action *a = &f->action[i];
    ok = check_one(m, a->value, -1, a->place, false, &below) && ok;
  }
  for (int i = 0; i < f->branches; i++)
    for (int k = 0; k < f->branch[i].elements; k++)
      ok = check_one(m, f->branch[i].element[k], -1, f->branch[i].place, false, &below) && ok;
  dae_model_set_free(&m->graph, &below);
  return ok;
}
