/*
 * Relations keep their value between events: x > y becomes s > 0 with s = sign(x - y), a number
 * that only events change, and floor(x) becomes such a number itself. A step never sees the
 * equations jump, and the solver finds the instant at which the sign of x - y differs from s.
 *
 * A Boolean or Integer equation with pre(..) or sample(..), such as on = x > 1 or pre(on) and x >
 * 0.5, is solved at events.
 */
#include <math.h>
#include <string.h>

#include "model/structure.h"

typedef struct freezer {
  dae_model *m;
  bool in_z;                 /* new switching functions are seen by the equations */
  bool always;               /* conditions of events are watched, noEvent or not */
  uint32_t place;            /* of what is rewritten */
  unsigned char *continuous; /* by node: 0 not known, 1 constant between events, 2 not */
  int continuous_capacity;
  bool failed;
} freezer;

static bool is_discrete_variable(const dae_model *m, int v) {
  const dae_variable *x = &m->flat.variable[v];
  return x->assigned || dae_model_type_of(m, v) != TYPE_REAL ||
         (x->symbol >= 0 && m->symbol[x->symbol].variability == VAR_DISCRETE);
}

/* does the node change at events only? arguments are asked before users, so the depth is small */
static bool discrete(freezer *x, int node) {
  dae_graph *g = &x->m->graph;
  x->continuous =
      dae_model_grow(&x->m->built, x->continuous, &x->continuous_capacity, g->count + 1, 1);
  if (x->continuous[node]) return x->continuous[node] == 1;
  const dae_node n = g->node[node];
  bool yes = true;
  if (n.op == OP_TIME) yes = false;
  else if (n.op == OP_VAR) yes = n.c != WHEN_NOW || (n.b == 0 && is_discrete_variable(x->m, n.a));
  int argument[3] = {n.a, n.b, n.c};
  for (int k = 0; k < dae_model_op_arity(n.op) && yes; k++) yes = discrete(x, argument[k]);
  x->continuous[node] = yes ? 1 : 2;
  return yes;
}

int dae_model_hidden(dae_model *m, const char *what, int node, uint32_t place, bool assigned) {
  dae_flat *f = &m->flat;
  dae_namer namer = dae_model_namer(m);
  dae_text name = {.arena = &m->built};
  dae_model_text_add(&name, "%s(", what);
  dae_model_print(&m->graph, node, &namer, &name);
  dae_model_text_add(&name, ")");
  int k = f->variables++;
  f->hidden++;
  f->variable =
      dae_model_grow(&m->built, f->variable, &f->variable_capacity, k + 1, sizeof *f->variable);
  f->variable[k] = (dae_variable){.name = name.data,
                                  .symbol = -1,
                                  .place = place,
                                  .min = -INFINITY,
                                  .max = INFINITY,
                                  .nominal = 1,
                                  .assigned = assigned};
  return k;
}

/* its number, -1: there is none yet */
static int find_switching(const freezer *x, int node, bool whole) {
  const dae_flat *f = &x->m->flat;
  for (int k = 0; k < f->switchings; k++)
    if (f->switching[k].node == node && f->switching[k].whole == whole) return k;
  return -1;
}

/* the leaf that holds sign(node) or floor(node) */
static int number_of(freezer *x, int node, bool whole) {
  dae_flat *f = &x->m->flat;
  int k = find_switching(x, node, whole);
  if (k < 0) {
    k = f->switchings;
    f->switching = dae_model_grow(&x->m->built, f->switching, &f->switching_capacity, k + 1,
                                  sizeof *f->switching);
    f->switching[f->switchings++] = (dae_switching){
        .node = node, .whole = whole, .variable = -1, .slot = -1, .place = x->place};
    if (x->in_z) {
      int v = dae_model_hidden(x->m, whole ? "floor" : "sign", node, x->place, true);
      f->switching[k].variable = v;
    } else {
      f->switching[k].slot = f->slots++;
    }
  }
  const dae_switching *s = &f->switching[k];
  return s->variable >= 0 ? dae_model_var(&x->m->graph, s->variable, 0, WHEN_NOW)
                          : dae_model_var(&x->m->graph, s->slot, 0, WHEN_SLOT);
}

/* a > b and its like from sign(a - b); the function of b > a is the same but for its sign */
static int relation(freezer *x, int op, int a, int b) {
  dae_graph *g = &x->m->graph;
  int f = dae_model_op2(g, OP_SUB, a, b);
  if (dae_model_constant(g, f)) return dae_model_node(g, op, f, g->zero, RELATION_NO_EVENT);
  bool turned = g->node[f].op == OP_NEG;
  if (turned) f = g->node[f].a;
  int back = dae_model_op2(g, OP_SUB, b, a);
  if (find_switching(x, f, false) < 0 && find_switching(x, back, false) >= 0) {
    f = back;
    turned = !turned;
  }
  int s = number_of(x, f, false);
  bool up = (op == OP_GT || op == OP_GE) != turned, closed = op == OP_GE || op == OP_LE;
  return dae_model_node(g, up ? OP_GT : OP_LT, s, dae_model_const(g, up == closed ? -0.5 : 0.5),
                        RELATION_NO_EVENT);
}

/* every node of an expression, once its arguments are done */
static int freeze(dae_graph *g, int node, void *ctx) {
  freezer *x = ctx;
  const dae_node n = g->node[node];
  if (n.op < OP_ABS || n.op > OP_GE || n.op == OP_ATAN2 || discrete(x, node)) return node;
  int s;
  switch (n.op) {
    case OP_ABS:
      return dae_model_node(g, OP_IF, relation(x, OP_LT, n.a, g->zero),
                            dae_model_op1(g, OP_NEG, n.a), n.a);
    case OP_SIGN:
      s = g->node[n.a].op == OP_NEG ? g->node[n.a].a : n.a;
      s = dae_model_op1(g, OP_SIGN, number_of(x, s, false));
      return g->node[n.a].op == OP_NEG ? dae_model_op1(g, OP_NEG, s) : s;
    case OP_FLOOR: return dae_model_op1(g, OP_FLOOR, number_of(x, n.a, true));
    case OP_CEIL:
      s = number_of(x, dae_model_op1(g, OP_NEG, n.a), true);
      return dae_model_op1(g, OP_NEG, dae_model_op1(g, OP_FLOOR, s));
    case OP_MIN:
    case OP_MAX:
      return dae_model_node(g, OP_IF, relation(x, n.op == OP_MIN ? OP_LT : OP_GT, n.a, n.b), n.a,
                            n.b);
    default: return n.c == RELATION_NO_EVENT && !x->always ? node : relation(x, n.op, n.a, n.b);
  }
}

/* the last event of a run is the only place where terminal() holds: an equation would have another
   value there than the solution up to it */
static int refuse_terminal(freezer *x, int node) {
  if (!x->failed)
    dae_model_error(&x->m->source, x->place,
                    "terminal() would change this equation at the last instant only: use it in the "
                    "condition of 'when'");
  x->failed = true;
  return node;
}

/* in an equation pre(v) of what changes at events only is v, and no event takes place */
static int between_events(dae_graph *g, int node, void *ctx) {
  freezer *x = ctx;
  const dae_node n = g->node[node];
  if (n.op == OP_VAR && n.c == WHEN_SLOT && n.a == SLOT_TERMINAL) return refuse_terminal(x, node);
  if (n.op == OP_VAR && (n.c == WHEN_SLOT || n.c == WHEN_BRANCH)) return g->zero;
  if (n.op != OP_VAR || n.c != WHEN_PRE) return freeze(g, node, ctx);
  if (is_discrete_variable(x->m, n.a)) return dae_model_var(g, n.a, 0, WHEN_NOW);
  if (!x->failed)
    dae_model_error(&x->m->source, x->place,
                    "pre(%.60s) has no meaning in this equation: outside 'when' it needs a "
                    "variable that changes at events only",
                    x->m->flat.variable[n.a].name);
  x->failed = true;
  return node;
}

/* a switching function is watched between events, where pre(v) is v and nothing happens; numbers of
   other switching functions stay */
static int watched(dae_graph *g, int node, void *ctx) {
  const dae_flat *f = ctx;
  const dae_node n = g->node[node];
  if (n.op == OP_VAR && n.c == WHEN_PRE) return dae_model_var(g, n.a, n.b, WHEN_NOW);
  if (n.op == OP_VAR && n.c == WHEN_BRANCH) return g->zero;
  return n.op == OP_VAR && n.c == WHEN_SLOT && n.a < SLOT_SAMPLE + f->samplers ? g->zero : node;
}

static bool event_leaf(const dae_node *n) {
  return n->op == OP_VAR && (n->c == WHEN_PRE || n->c == WHEN_SLOT || n->c == WHEN_BRANCH);
}

static bool holds(dae_model *m, int node, bool (*test)(const dae_node *leaf)) {
  dae_set below = {0};
  dae_model_reach(&m->graph, &node, 1, &below);
  bool found = false;
  for (int k = 0; k < below.count && !found; k++) found = test(&m->graph.node[below.node[k]]);
  dae_model_set_free(&m->graph, &below);
  return found;
}

static void define(dae_model *m, int variable, int value, uint32_t place) {
  m->flat.variable[variable].assigned = true;
  dae_action *a = dae_model_add_action(m, ACTION_DEFINE, -1, place);
  a->variable = variable;
  a->value = value;
}

/* v = expression with pre(..), sample(..) and their like, v of a discrete type: solved at events */
static bool define_by(dae_model *m, const dae_equation *eq) {
  for (int side = 0; side < 2; side++) {
    int v = side ? eq->right : eq->left, value = side ? eq->left : eq->right;
    const dae_node n = m->graph.node[v];
    if (n.op != OP_VAR || n.b != 0 || n.c != WHEN_NOW || m->flat.variable[n.a].assigned ||
        !dae_model_gives(m, eq, n.a) || !is_discrete_variable(m, n.a) ||
        !holds(m, value, event_leaf))
      continue;
    define(m, n.a, value, eq->place);
    return true;
  }
  return false;
}

/* an initial equation with pre(v): v has a value of its own before the start, and before events */
static bool *begin_before(dae_model *m) {
  const dae_flat *f = &m->flat;
  bool *before = dae_model_take(&m->built, (size_t)f->variables + 1, sizeof *before);
  dae_set below = {0};
  for (int i = 0; i < f->initials; i++) {
    dae_model_reach(&m->graph, (int[]){f->initial[i].left, f->initial[i].right}, 2, &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *n = &m->graph.node[below.node[k]];
      if (n->op == OP_VAR && n->c == WHEN_PRE) before[n->a] = true;
    }
  }
  dae_model_set_free(&m->graph, &below);
  return before;
}

/* the equation in which a discrete Real stands alone on one side, -1: none */
static int stands_alone(dae_model *m, int variable) {
  const dae_flat *f = &m->flat;
  int v = dae_model_var(&m->graph, variable, 0, WHEN_NOW), i = 0;
  if (f->variable[variable].assigned) return -1;
  while (i < f->equations && f->equation[i].left != v && f->equation[i].right != v) i++;
  return i < f->equations ? i : -1;
}

static void define_all(dae_model *m) {
  dae_flat *f = &m->flat;
  int kept = 0;
  for (int i = 0; i < f->equations; i++) {
    dae_equation eq = f->equation[i];
    if (!define_by(m, &eq)) f->equation[kept++] = eq;
  }
  f->equations = kept;
  const bool *before = begin_before(m);
  int *given = dae_model_orient(m);
  for (int j = 0; j < f->variables; j++)
    if (before[j] && given[j] < 0 && is_discrete_variable(m, j)) given[j] = stands_alone(m, j);
  bool *gone = dae_model_take(&m->built, (size_t)kept + 1, sizeof *gone);
  for (int j = 0; j < f->variables; j++) {
    if (!before[j] || given[j] < 0) continue;
    const dae_equation *eq = &f->equation[given[j]];
    int variable = dae_model_var(&m->graph, j, 0, WHEN_NOW);
    define(m, j, eq->left == variable ? eq->right : eq->left, eq->place);
    gone[given[j]] = true;
  }
  kept = 0;
  for (int i = 0; i < f->equations; i++)
    if (!gone[i]) f->equation[kept++] = f->equation[i];
  f->equations = kept;
}

/* der(v) of what only events change: nothing between events, an impulse at them */
static bool refuse_rates(dae_model *m) {
  dae_set below = {0};
  bool ok = true;
  for (int i = 0; i < m->flat.equations; i++) {
    const dae_equation *eq = &m->flat.equation[i];
    dae_model_reach(&m->graph, (int[]){eq->left, eq->right}, 2, &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *n = &m->graph.node[below.node[k]];
      if (n->op != OP_VAR || n->b == 0 || !m->flat.variable[n->a].assigned) continue;
      dae_model_error(&m->source, eq->place,
                      "der of '%.60s', which changes at events only, has no value: name the whole "
                      "expression (Real w = ..) and write der(w)",
                      m->flat.variable[n->a].name);
      ok = false;
      break;
    }
  }
  dae_model_set_free(&m->graph, &below);
  return ok;
}

static bool final_leaf(const dae_node *n) { return n->op == OP_VAR && n->c == WHEN_FINAL; }

/* boundary value problems are solved as a whole: nothing happens on the way */
static bool refuse_boundary(dae_model *m) {
  static const char *const words[] = {"reinit", "when", "a discrete equation", "terminate",
                                      "assert"};
  for (int i = 0; i < m->flat.actions; i++) {
    const dae_action *a = &m->flat.action[i];
    dae_model_error(&m->source, a->place,
                    "%s is not supported in a boundary value problem (this model states values "
                    "at finalTime)",
                    words[a->kind]);
  }
  for (int i = 0; i < m->flat.branches; i++)
    if (m->flat.branch[i].assertion)
      dae_model_error(&m->source, m->flat.branch[i].place,
                      "assert is not supported in a boundary value problem (this model states "
                      "values at finalTime)");
  for (int i = 0; i < m->flat.equations; i++)
    if (holds(m, m->flat.equation[i].left, event_leaf) ||
        holds(m, m->flat.equation[i].right, event_leaf))
      dae_model_error(&m->source, m->flat.equation[i].place,
                      "pre, sample, edge and change are not supported in a boundary value problem");
  return m->source.errors == 0;
}

static void rewrite(freezer *x, int *node, uint32_t place, dae_replace by) {
  x->place = place;
  dae_model_rewrite(&x->m->graph, node, 1, node, by, x);
}

static void rewrite_equations(freezer *x, dae_equation *list, int count, dae_replace by) {
  for (int i = 0; i < count && !x->failed; i++) {
    rewrite(x, &list[i].left, list[i].place, by);
    rewrite(x, &list[i].right, list[i].place, by);
  }
}

/* a discrete Real changes at events only: a `when` must give it (Modelica 3.6, 4.4.4) */
static void warn_discrete(dae_model *m) {
  for (int i = 0; i < m->flat.variables; i++) {
    const dae_variable *v = &m->flat.variable[i];
    if (v->assigned || v->symbol < 0 || m->symbol[v->symbol].variability != VAR_DISCRETE ||
        m->symbol[v->symbol].type != TYPE_REAL)
      continue;
    dae_model_warn(&m->source, v->place,
                   "'%.60s' is a discrete Real, but no 'when' gives it: it is taken as what its "
                   "equation says",
                   v->name);
  }
}

/* der(v) = 0 for all that events change */
static void hold(dae_model *m) {
  for (int i = 0; i < m->flat.variables; i++) {
    dae_variable *v = &m->flat.variable[i];
    if (!v->assigned) continue;
    v->has_start = true;
    int rate = dae_model_var(&m->graph, i, 1, WHEN_NOW), zero = m->graph.zero;
    const dae_value left = {.node = &rate, .count = 1}, right = {.node = &zero, .count = 1};
    dae_model_add_equations(m, &left, &right, v->place, SECTION_EQUATION);
  }
}

bool dae_model_make_discrete(dae_model *m) {
  dae_flat *f = &m->flat;
  freezer x = {.m = m, .in_z = true};
  bool boundary = false;
  for (int i = 0; i < f->initials && !boundary; i++)
    boundary =
        holds(m, f->initial[i].left, final_leaf) || holds(m, f->initial[i].right, final_leaf);
  if (boundary) return refuse_boundary(m);
  define_all(m);
  if (!refuse_rates(m)) return false;
  dae_model_find_first(m);
  f->slots = SLOT_SAMPLE + f->samplers;
  rewrite_equations(&x, f->equation, f->equations, between_events);
  rewrite_equations(&x, f->invariant, f->invariants, between_events);
  x.in_z = false;
  x.always = true;
  for (int i = 0; i < f->branches && !x.failed; i++)
    for (int k = 0; k < f->branch[i].elements; k++)
      rewrite(&x, &f->branch[i].element[k], f->branch[i].place, freeze);
  x.always = false;
  for (int i = 0; i < f->actions && !x.failed; i++)
    if (f->action[i].value >= 0) {
      rewrite(&x, &f->action[i].value, f->action[i].place, freeze);
      if (!f->action[i].guard) continue;
      rewrite(&x, &f->action[i].guard, f->action[i].place, freeze);
      f->action[i].guard = dae_model_guard(&m->graph, f->action[i].guard);
    }
  if (x.failed) return false;
  for (int k = 0; k < f->switchings; k++)
    dae_model_substitute(&m->graph, &f->switching[k].node, 1, &f->switching[k].node, watched, f);
  warn_discrete(m);
  hold(m);
  return true;
}
