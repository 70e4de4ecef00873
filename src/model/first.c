/*
 * What events change may have another value at the start than before it: `when initial()` gives
 * one, and so does b = x > 0 or pre(b). Initial equations see the value at the start, made of what
 * holds before it: z holds pre(v) until the first event.
 */
#include <math.h>
#include <string.h>

#include "model/plan.h"

int dae_model_first(const dae_flat *f, int variable) {
  return variable < f->firsts ? f->first[variable] : -1;
}

/* is one of the conditions initial() itself? */
static bool at_initial(const dae_model *m, const dae_branch *b) {
  for (int k = 0; k < b->elements; k++) {
    const dae_node n = m->graph.node[b->element[k]];
    if (n.op == OP_VAR && n.c == WHEN_SLOT && n.a == SLOT_INITIAL) return true;
  }
  return false;
}

/* does the branch act at the start? only initial() makes it, and no branch before it may */
static bool acts(const dae_model *m, int branch) {
  const dae_branch *b = &m->flat.branch[branch];
  for (int i = 0; i < branch; i++)
    if (m->flat.branch[i].when == b->when && at_initial(m, &m->flat.branch[i])) return false;
  return at_initial(m, b);
}

/* at the start initial() holds, and pre(v) is v but for what has another value then */
static int at_start(dae_graph *g, int node, void *ctx) {
  const dae_model *m = ctx;
  const dae_flat *f = &m->flat;
  const dae_node n = g->node[node];
  if (n.op == OP_VAR && n.c == WHEN_PRE && dae_model_first(f, n.a) < 0)
    return dae_model_var(g, n.a, n.b, WHEN_NOW);
  if (n.op == OP_VAR && n.c == WHEN_BRANCH) return acts(m, n.a) ? g->one : g->zero;
  if (n.op == OP_VAR && n.c == WHEN_SLOT) return n.a == SLOT_INITIAL ? g->one : g->zero;
  return node;
}

void dae_model_find_first(dae_model *m) {
  dae_flat *f = &m->flat;
  dae_graph *g = &m->graph;
  f->first = dae_model_ints(&m->built, f->variables);
  f->firsts = f->variables;
  for (int j = 0; j < f->variables; j++) f->first[j] = -1;
  for (int i = 0; i < f->actions; i++) {
    const dae_action *a = &f->action[i];
    int v = a->variable;
    bool defined = a->kind == ACTION_DEFINE;
    if (!defined && (a->kind != ACTION_ASSIGN || !acts(m, a->branch))) continue;
    int before = f->first[v] >= 0 ? f->first[v] : dae_model_var(g, v, 0, WHEN_PRE);
    f->first[v] = a->guard ? dae_model_node(g, OP_IF, a->guard, a->value, before) : a->value;
  }
  for (int j = 0; j < f->firsts; j++)
    if (f->first[j] >= 0) dae_model_substitute(g, &f->first[j], 1, &f->first[j], at_start, m);
  for (int i = 0; i < f->initials; i++) {
    dae_model_substitute(g, &f->initial[i].left, 1, &f->initial[i].left, at_start, m);
    dae_model_substitute(g, &f->initial[i].right, 1, &f->initial[i].right, at_start, m);
  }
}

typedef struct replacer {
  const dae_plan *p;
  bool found;
} replacer;

/* leading derivatives become formulas, and what has another value at the start takes that */
static int replace(dae_graph *g, int leaf, void *ctx) {
  replacer *r = ctx;
  const dae_plan *p = r->p;
  const dae_node n = g->node[leaf];
  if (n.op != OP_VAR || n.c == WHEN_FINAL || n.c == WHEN_PRE) return leaf;
  int j = p->model->structure->kept_of[n.a];
  int first = n.b == 0 ? dae_model_first(&p->model->flat, n.a) : -1;
  if (first >= 0) {
    r->found = true;
    return first;
  }
  if (j < 0 || dae_model_z_index(p, j, n.b) >= 0 || p->lead[j] < 0) return leaf;
  int order = p->route == ROUTE_ODE ? p->d[j] : p->order, node = p->lead[j];
  for (int k = order; k < n.b; k++) node = dae_model_rate(g, node);
  r->found = true;
  return node;
}

/* x(startTime) and pre(x) are x here */
static int present(dae_graph *g, int leaf, void *ctx) {
  (void)ctx;
  const dae_node n = g->node[leaf];
  return n.op != OP_VAR || n.c == WHEN_FINAL ? leaf : dae_model_var(g, n.a, n.b, WHEN_NOW);
}

void dae_model_begin_conditions(dae_model *m, const dae_plan *p, int *node, int count) {
  replacer r = {.p = p, .found = true};
  for (int k = 0; k <= m->flat.variables && r.found; k++) {
    r.found = false;
    dae_model_substitute(&m->graph, node, count, node, replace, &r);
  }
  dae_model_substitute(&m->graph, node, count, node, present, NULL);
}

/* does a constraint hold the variable? */
static bool constrained(dae_model *m, const dae_plan *p, int variable) {
  int leaf = dae_model_var(&m->graph, variable, 0, WHEN_NOW);
  for (int i = 0; i < p->invariants; i++) {
    dae_set below = {0};
    bool found = false;
    dae_model_reach(&m->graph, &p->invariant[i], 1, &below);
    for (int k = 0; k < below.count && !found; k++) found = below.node[k] == leaf;
    dae_model_set_free(&m->graph, &below);
    if (found) return true;
  }
  return false;
}

/* is there an initial equation v = number? for what is not solved for it states pre(v) */
static bool stated(const dae_model *m, int variable) {
  const dae_graph *g = &m->graph;
  for (int i = 0; i < m->flat.initials; i++) {
    const dae_equation *eq = &m->flat.initial[i];
    for (int side = 0; side < 2; side++) {
      const dae_node *n = &g->node[side ? eq->right : eq->left];
      if (n->op == OP_VAR && n->a == variable && n->b == 0 && n->c == WHEN_NOW &&
          dae_model_constant(g, side ? eq->left : eq->right))
        return dae_model_type_of(m, variable) != TYPE_REAL;
    }
  }
  return false;
}

bool dae_model_check_first(dae_model *m, dae_plan *p) {
  for (int j = 0; j < m->flat.firsts; j++) {
    const dae_variable *v = &m->flat.variable[j];
    int node = m->flat.first[j], kept = m->structure->kept_of[j];
    if (node < 0 || kept < 0) continue;
    bool said = stated(m, j);
    if (!said && (p->conditions == 0 || !constrained(m, p, j))) continue;
    dae_model_begin_conditions(m, p, &node, 1);
    double value = dae_model_value_at_start(m, p, node);
    double before = p->z0[dae_model_z_index(p, kept, 0)];
    if (!isfinite(value) || fabs(value - before) <= 1e-9 * (1 + fabs(before))) continue;
    dae_model_error(&m->source, v->place,
                    said ? "an initial equation says that '%.60s' is %.6g, but it is %.6g at the "
                           "start; pre(%.60s) = .. states its value before (%.6g)"
                         : "'%.60s' is %.6g before the start and %.6g at the start: initial "
                           "equations together with equations that hold it cannot be solved; "
                           "state pre(%.60s) = %.6g",
                    v->name, before, value, v->name, said ? before : value);
    return false;
  }
  return true;
}
