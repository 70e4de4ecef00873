/*
 * What the text says about events: branches of when, what they do, sample(t0, dt). Variables that a
 * `when` gives change at events only; between events der(v) = 0.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

dae_action *dae_model_add_action(dae_model *m, dae_action_kind kind, int branch, uint32_t place) {
  dae_flat *f = &m->flat;
  f->action =
      dae_model_grow(&m->built, f->action, &f->action_capacity, f->actions + 1, sizeof *f->action);
  f->action[f->actions] = (dae_action){
      .kind = kind, .branch = branch, .variable = -1, .value = -1, .message = "", .place = place};
  return &f->action[f->actions++];
}

int dae_model_add_branch(dae_model *m, int when, const dae_value *conditions, uint32_t place) {
  dae_flat *f = &m->flat;
  f->branch =
      dae_model_grow(&m->built, f->branch, &f->branch_capacity, f->branches + 1, sizeof *f->branch);
  dae_branch *b = &f->branch[f->branches];
  *b = (dae_branch){.when = when, .elements = conditions->count, .message = "", .place = place};
  b->element = dae_model_ints(&m->built, conditions->count);
  memcpy(b->element, conditions->node, (size_t)conditions->count * sizeof(int));
  return f->branches++;
}

/* node 0 would mean that there is no condition: one that never holds is another constant */
int dae_model_guard(dae_graph *g, int condition) {
  return condition ? condition : dae_model_intern(g, OP_NOT, g->one, -1, -1, 0, NODE_CONSTANT);
}

int dae_model_under(dae_model *m, dae_scope *scope, int condition) {
  int path = scope->path;
  scope->path = path ? dae_model_op2(&m->graph, OP_AND, path, condition) : condition;
  scope->path = dae_model_guard(&m->graph, scope->path);
  return path;
}

dae_type dae_model_type_of(const dae_model *m, int variable) {
  const dae_variable *v = &m->flat.variable[variable];
  if (v->symbol < 0) return v->assigned ? TYPE_INTEGER : TYPE_REAL;
  return m->symbol[v->symbol].type;
}

static bool is_whole(const dae_node *n) {
  return (n->flags & NODE_CONSTANT) != 0 && n->value == floor(n->value);
}

bool dae_model_gives(const dae_model *m, const dae_equation *eq, int variable) {
  const dae_node *node = m->graph.node;
  return !eq->real || dae_model_type_of(m, variable) != TYPE_INTEGER || is_whole(&node[eq->left]) ||
         is_whole(&node[eq->right]);
}

/* one `when` gives a variable: two would give it two values when both happen at once */
static bool given_before(dae_model *m, int variable, int branch, int guard, uint32_t place) {
  for (int i = 0; i < m->flat.actions; i++) {
    const dae_action *a = &m->flat.action[i];
    if (a->kind != ACTION_ASSIGN || a->variable != variable) continue;
    bool same = m->flat.branch[a->branch].when == m->flat.branch[branch].when;
    if (same && (a->branch != branch || a->guard != guard)) continue;
    int line, column;
    dae_model_locate(&m->source, a->place, &line, &column);
    dae_model_error(&m->source, place, "'%.60s' is given twice%s: first in line %d",
                    m->flat.variable[variable].name,
                    same ? "" : ", by two 'when' (elsewhen joins them)", line);
    return true;
  }
  return false;
}

/* v = expression inside when */
bool dae_model_assign_when(dae_model *m, const dae_value *target, const dae_value *value,
                           int branch, int guard, uint32_t place) {
  if (!dae_model_same_size(target, value) || !dae_model_accepts(target, value)) {
    dae_model_error(&m->source, place,
                    "inside 'when' the variable and its new value differ in size or type");
    return false;
  }
  for (int i = 0; i < dae_model_nodes(target); i++) {
    const dae_node n = m->graph.node[target->node[i]];
    if (n.op != OP_VAR || n.b != 0 || n.c != WHEN_NOW) {
      dae_model_error(
          &m->source, place,
          "inside 'when' an equation gives a variable: write v = expression, or reinit(x, "
          "expression) for a state");
      return false;
    }
    if (given_before(m, n.a, branch, guard, place)) return false;
    m->flat.variable[n.a].assigned = true;
    dae_action *a = dae_model_add_action(m, ACTION_ASSIGN, branch, place);
    a->variable = n.a;
    a->value = value->node[i];
    a->guard = guard;
  }
  return true;
}

/* the slot that is 1 at t0 + k dt, k = 0, 1, .. and 0 else */
int dae_model_sample(dae_model *m, double t0, double dt) {
  dae_flat *f = &m->flat;
  int k = 0;
  while (k < f->samplers && (f->sampler[k].start != t0 || f->sampler[k].period != dt)) k++;
  if (k == f->samplers) {
    f->sampler =
        dae_model_grow(&m->built, f->sampler, &f->sampler_capacity, k + 1, sizeof *f->sampler);
    f->sampler[f->samplers++] = (dae_sampler){t0, dt};
  }
  return dae_model_var(&m->graph, SLOT_SAMPLE + k, 0, WHEN_SLOT);
}
