/*
 * Algorithm sections of a model: its statements are run on nodes once, and what they leave in each
 * variable is its equation. A variable begins with its start value, or with pre(v) where it is
 * discrete or given inside `when` (Modelica 3.6, section 11.1.2); those are solved at events.
 */
#include <string.h>

#include "model/model.h"

/* a variable that a section assigns */
typedef struct target {
  dae_binding local;
  int symbol;
  bool in_when;
  dae_value whole; /* the variable */
} target;

typedef struct section {
  dae_model *m;
  target *target;
  int targets, capacity;
} section;

static bool is_discrete(const dae_model *m, int variable) {
  int symbol = m->flat.variable[variable].symbol;
  return dae_model_type_of(m, variable) != TYPE_REAL ||
         (symbol >= 0 && m->symbol[symbol].variability == VAR_DISCRETE);
}

static bool add_target(section *x, const dae_ast *e, bool in_when) {
  dae_model *m = x->m;
  if (!e) return true;
  int symbol = dae_model_root_symbol(m, e);
  if (symbol < 0 || m->symbol[symbol].variability >= VAR_PARAMETER) {
    dae_model_error(&m->source, e->place,
                    "an algorithm of a model assigns its variables: this is none");
    return false;
  }
  if (m->symbol[symbol].decl->condition) {
    dae_model_error(&m->source, e->place,
                    "'%.60s' is declared with 'if': such a variable is for connections only",
                    m->names.text[m->symbol[symbol].decl->name]);
    return false;
  }
  for (int k = 0; k < x->targets; k++)
    if (x->target[k].symbol == symbol) {
      x->target[k].in_when = x->target[k].in_when || in_when;
      return true;
    }
  x->target = dae_model_grow(&m->built, x->target, &x->capacity, x->targets + 1, sizeof *x->target);
  x->target[x->targets++] = (target){.symbol = symbol, .in_when = in_when};
  return true;
}

/* all that the statements of a section assign */
static bool find_targets(section *x, const dae_ast_eq *s, const dae_ast_eq *end, bool in_when) {
  bool ok = true;
  for (; s && s != end && ok; s = s->next) {
    if (s->kind == EQ_SIMPLE && s->left->kind == AST_TUPLE)
      for (int k = 0; k < s->left->count && ok; k++) ok = add_target(x, s->left->args[k], in_when);
    else if (s->kind == EQ_SIMPLE) ok = add_target(x, s->left, in_when);
    for (int k = 0; k < s->bodies && ok; k++)
      ok = find_targets(x, s->body[k], NULL, in_when || s->kind == EQ_WHEN);
  }
  return ok;
}

static bool begin(section *x, dae_scope *scope, bool initial) {
  dae_model *m = x->m;
  for (int k = 0; k < x->targets; k++) {
    target *t = &x->target[k];
    if (!dae_model_symbol_value(m, t->symbol, m->symbol[t->symbol].decl->place)) return false;
    const dae_symbol *s = &m->symbol[t->symbol];
    dae_value value = dae_model_array_like(m, &s->value, s->value.rank, s->value.dim);
    int nodes = dae_model_nodes(&value);
    for (int i = 0; i < nodes; i++) {
      const dae_node n = s->value.node[i] >= 0 ? m->graph.node[s->value.node[i]] : (dae_node){0};
      bool before = n.op == OP_VAR && (t->in_when || is_discrete(m, n.a)) && !initial;
      if (n.op != OP_VAR) value.node[i] = -1;
      else
        value.node[i] = before ? dae_model_var(&m->graph, n.a, 0, WHEN_PRE)
                               : dae_model_const(&m->graph, m->flat.variable[n.a].start);
    }
    t->whole = s->value;
    t->local = (dae_binding){.name = s->decl->name,
                             .value = value,
                             .decl = s->decl,
                             .given = dae_model_take(&m->built, (size_t)nodes + 1, sizeof(bool)),
                             .variable = &t->whole};
  }
  for (int k = 0; k < x->targets; k++) {
    x->target[k].local.next = scope->first;
    scope->first = &x->target[k].local;
  }
  return true;
}

/* v = what the section leaves in it */
static bool give(section *x, const target *t, int i, uint32_t place, bool initial) {
  dae_model *m = x->m;
  int v = m->symbol[t->symbol].value.node[i], value = t->local.value.node[i];
  if (!t->local.given[i]) return true; /* this element is not assigned */
  if (value < 0) {
    dae_model_error(&m->source, place, "the algorithm does not assign '%.60s' in all cases",
                    m->flat.variable[m->graph.node[v].a].name);
    return false;
  }
  /* the assignments have looked at the types: the equation may give whatever the variable is */
  const dae_value left = {.type = TYPE_INTEGER, .node = &v, .count = 1},
                  right = {.type = TYPE_INTEGER, .node = &value, .count = 1};
  if (!t->in_when || initial)
    return dae_model_add_equations(m, &left, &right, place,
                                   initial ? SECTION_INITIAL : SECTION_EQUATION);
  dae_variable *variable = &m->flat.variable[m->graph.node[v].a];
  if (variable->assigned) {
    dae_model_error(&m->source, place, "'%.60s' is given twice: by this algorithm and by a 'when'",
                    variable->name);
    return false;
  }
  variable->assigned = true;
  dae_action *a = dae_model_add_action(m, ACTION_DEFINE, -1, place);
  a->variable = m->graph.node[v].a;
  a->value = value;
  return true;
}

static bool run_section(dae_model *m, const dae_ast_eq *first, dae_ast_eq *last, bool initial) {
  section x = {.m = m};
  dae_scope scope = {.end = -1, .broken = m->graph.zero, .returned = m->graph.zero};
  const dae_ast_eq *end = last ? last->next : NULL;
  if (!find_targets(&x, first, end, false) || !begin(&x, &scope, initial)) return false;
  /* the list goes on with the next section: it is cut while this one runs */
  if (last) last->next = NULL;
  bool ok = dae_model_run_statements(m, first, &scope);
  if (last) last->next = (dae_ast_eq *)end;
  for (int k = 0; k < x.targets && ok; k++)
    for (int i = 0; i < dae_model_nodes(&x.target[k].local.value) && ok; i++)
      ok = give(&x, &x.target[k], i, first->place, initial);
  return ok;
}

bool dae_model_flatten_algorithms(dae_model *m) {
  bool ok = true;
  for (dae_ast_eq *s = m->main->algorithm; s;) {
    dae_ast_eq *last = s;
    while (last->next && !last->next->begins) last = last->next;
    dae_ast_eq *next = last->next;
    ok = run_section(m, s, last, false) && ok;
    s = next;
  }
  if (m->main->initial_algorithm) ok = run_section(m, m->main->initial_algorithm, NULL, true) && ok;
  return ok;
}
