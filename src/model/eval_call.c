/* calls: the built-in functions and operators */
#include <math.h>
#include <string.h>

#include "model/call.h"

static bool wrong(dae_model *m, const dae_ast *e, const char *why) {
  return dae_model_wrong_call(m, e, why);
}

static bool is_number(const dae_value *v) { return v->type <= TYPE_INTEGER; }

/* sin(x) and its like, element by element */
static bool call_map(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                     dae_value *out) {
  (void)count;
  if (!is_number(&arg[0])) return wrong(m, e, "this function needs a number");
  dae_type type =
      (op == OP_ABS || op == OP_SIGN) && arg[0].type == TYPE_INTEGER ? TYPE_INTEGER : TYPE_REAL;
  if (op == OP_SIGN) type = TYPE_INTEGER;
  return dae_model_map(m, op, &arg[0], NULL, type, e->place, out);
}

static bool call_atan2(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                       dae_value *out) {
  (void)count;
  if (!is_number(&arg[0]) || !is_number(&arg[1])) return wrong(m, e, "this function needs numbers");
  return dae_model_map(m, op, &arg[0], &arg[1], TYPE_REAL, e->place, out);
}

/* min(a, b), min(array) */
static bool call_extreme(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out) {
  if (arg[0].type >= TYPE_STRING && arg[0].type != TYPE_ENUM)
    return wrong(m, e, "this function needs numbers");
  if (count == 2) {
    if (!dae_model_same_kind(&arg[0], &arg[1])) return wrong(m, e, "this function needs numbers");
    if (arg[0].rank || arg[1].rank)
      return wrong(m, e, "two arguments of min or max must be scalars");
    dae_value like = arg[0];
    dae_model_join_types(&like, &arg[1]);
    if (!dae_model_map(m, op, &arg[0], &arg[1], like.type, e->place, out)) return false;
    out->literals = like.literals;
    return true;
  }
  if (arg[0].count == 0) return wrong(m, e, "min and max of an empty array have no value");
  int node = arg[0].node[0];
  for (int i = 1; i < arg[0].count; i++) node = dae_model_op2(&m->graph, op, node, arg[0].node[i]);
  *out = dae_model_scalar(m, arg[0].type, node);
  out->literals = arg[0].literals;
  return true;
}

/* sum(array), product(array) */
static bool call_fold(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                      dae_value *out) {
  (void)count;
  if (!is_number(&arg[0])) return wrong(m, e, "sum and product need an array of numbers");
  int node = op == OP_ADD ? m->graph.zero : m->graph.one;
  for (int i = 0; i < arg[0].count; i++) node = dae_model_op2(&m->graph, op, node, arg[0].node[i]);
  *out = dae_model_scalar(m, arg[0].type, node);
  return true;
}

/* div, mod, rem, floor, ceil, integer: made of floor and ceil; op tells which */
enum { WHOLE_DIV, WHOLE_MOD, WHOLE_REM, WHOLE_FLOOR, WHOLE_CEIL, WHOLE_INTEGER };
static bool call_whole(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int which,
                       dae_value *out) {
  dae_graph *g = &m->graph;
  for (int k = 0; k < count; k++)
    if (!is_number(&arg[k]) || arg[k].rank)
      return wrong(m, e, "this function needs scalar numbers");
  int a = arg[0].node[0], b = count > 1 ? arg[1].node[0] : -1, node;
  if (which >= WHOLE_FLOOR) {
    node = dae_model_op1(g, which == WHOLE_CEIL ? OP_CEIL : OP_FLOOR, a);
    *out = dae_model_scalar(m, which == WHOLE_INTEGER ? TYPE_INTEGER : TYPE_REAL, node);
    return true;
  }
  if (dae_model_constant(g, b) && g->node[b].value == 0) return wrong(m, e, "division by zero");
  int q = dae_model_op2(g, OP_DIV, a, b), down = dae_model_op1(g, OP_FLOOR, q);
  if (which != WHOLE_MOD) {
    int up = dae_model_op1(g, OP_CEIL, q),
        positive = dae_model_node(g, OP_GE, q, g->zero, RELATION_NO_EVENT);
    down = dae_model_node(g, OP_IF, positive, down, up);
  }
  node = which == WHOLE_DIV ? down : dae_model_op2(g, OP_SUB, a, dae_model_op2(g, OP_MUL, down, b));
  dae_type type =
      arg[0].type == TYPE_INTEGER && arg[1].type == TYPE_INTEGER ? TYPE_INTEGER : TYPE_REAL;
  *out = dae_model_scalar(m, type, node);
  return true;
}

/* may the expression jump at an event? */
static bool may_jump(dae_model *m, int node) {
  dae_set below = {0};
  bool found = false;
  dae_model_reach(&m->graph, &node, 1, &below);
  for (int k = 0; k < below.count && !found; k++) {
    const dae_node *n = &m->graph.node[below.node[k]];
    found = n->op == OP_SIGN || n->op == OP_FLOOR || n->op == OP_CEIL ||
            (n->op >= OP_LT && n->op <= OP_NE && n->c != RELATION_NO_EVENT);
  }
  dae_model_set_free(&m->graph, &below);
  return found;
}

/* der(w) with w = expression where that may jump: the jump is part of der(w) */
static int rate_of(dae_model *m, const dae_ast *e, int node) {
  if (!may_jump(m, node)) return dae_model_rate(&m->graph, node);
  int w = dae_model_var(&m->graph, dae_model_hidden(m, "", node, e->place, false), 0, WHEN_NOW);
  const dae_value left = {.node = &w, .count = 1}, right = {.node = &node, .count = 1};
  dae_model_add_equations(m, &left, &right, e->place, SECTION_EQUATION);
  return dae_model_rate(&m->graph, w);
}

/* der(x): any expression, by the chain rule */
static bool call_der(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                     dae_value *out) {
  (void)count, (void)op;
  /* a whole number in an expression is a Real there, but no variable is */
  bool whole = arg[0].type == TYPE_INTEGER && e->args[0]->kind == AST_REF;
  if (!is_number(&arg[0]) || whole) return wrong(m, e, "der needs a Real variable");
  for (int i = 0; i < arg[0].count; i++) {
    const dae_node n = m->graph.node[arg[0].node[i]];
    int symbol = n.op == OP_VAR ? m->flat.variable[n.a].symbol : -1;
    if (symbol >= 0 && m->symbol[symbol].variability == VAR_DISCRETE)
      return wrong(m, e, "a discrete variable has no derivative");
  }
  *out = dae_model_array(m, TYPE_REAL, arg[0].rank, arg[0].dim);
  for (int i = 0; i < out->count; i++) out->node[i] = rate_of(m, e, arg[0].node[i]);
  return true;
}

/* pre(x): the value before an event */
static bool call_pre(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                     dae_value *out) {
  (void)count, (void)op;
  *out = dae_model_array_like(m, &arg[0], arg[0].rank, arg[0].dim);
  for (int i = 0; i < dae_model_nodes(out); i++) {
    const dae_node n = m->graph.node[arg[0].node[i]];
    if (dae_model_constant(&m->graph, arg[0].node[i])) {
      out->node[i] = arg[0].node[i]; /* a parameter is what it was */
      continue;
    }
    if (n.op != OP_VAR || n.b != 0) return wrong(m, e, "pre needs a variable");
    out->node[i] = dae_model_var(&m->graph, n.a, 0, WHEN_PRE);
  }
  return true;
}

/* noEvent(x), smooth(p, x), Integer: one argument passes through */
static bool call_pass(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                      dae_value *out) {
  (void)m, (void)e, (void)count;
  *out = arg[op];
  return true;
}

/* Integer(e): the number of a literal; E(i): the literal of a number is made in dae_model_eval_call
 */
static bool call_integer(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out) {
  (void)count, (void)op;
  if (arg[0].type != TYPE_ENUM && arg[0].type != TYPE_INTEGER)
    return wrong(m, e, "Integer(..) needs an enumeration: for a Real write integer(..)");
  *out = arg[0];
  out->type = TYPE_INTEGER;
  out->literals = NULL;
  return true;
}

/* Real(i), as tools write the conversion of a whole number */
static bool call_real(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                      dae_value *out) {
  (void)count, (void)op;
  if (!is_number(&arg[0])) return wrong(m, e, "this function needs a number");
  *out = arg[0];
  out->type = TYPE_REAL;
  return true;
}

static bool call_text(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                      dae_value *out) {
  (void)op;
  return dae_model_call_string(m, e, arg, count, out);
}

/* semiLinear(x, up, down) = if x >= 0 then up*x else down*x */
static bool call_semilinear(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                            dae_value *out) {
  (void)op;
  dae_graph *g = &m->graph;
  for (int k = 0; k < count; k++)
    if (!is_number(&arg[k]) || arg[k].rank) return wrong(m, e, "semiLinear needs scalar numbers");
  int x = arg[0].node[0], up = dae_model_op2(g, OP_MUL, arg[1].node[0], x),
      down = dae_model_op2(g, OP_MUL, arg[2].node[0], x),
      positive = dae_model_node(g, OP_GE, x, g->zero, -1);
  *out = dae_model_scalar(m, TYPE_REAL, dae_model_node(g, OP_IF, positive, up, down));
  return true;
}

static bool call_homotopy(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                          dae_value *out) {
  (void)count, (void)op;
  if (!is_number(&arg[0]) || !is_number(&arg[1])) return wrong(m, e, "homotopy needs numbers");
  bool turned = e->u.arg_name && e->u.arg_name[0] >= 0 &&
                strcmp(m->names.text[e->u.arg_name[0]], "simplified") == 0;
  if (dae_model_homotopy(m, &arg[turned], &arg[!turned], out)) return true;
  return wrong(m, e, "the two arguments of homotopy differ in size");
}

/* initial() and terminal(): true while the start, the end is an event */
static bool call_initial(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out) {
  (void)e, (void)arg, (void)count;
  *out = dae_model_scalar(m, TYPE_BOOLEAN, dae_model_var(&m->graph, op, 0, WHEN_SLOT));
  return true;
}

/* edge(b) = b and not pre(b), change(v) = v <> pre(v) */
static bool call_edge(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                      dae_value *out) {
  dae_value before;
  if (op == OP_AND && arg[0].type != TYPE_BOOLEAN) return wrong(m, e, "edge needs a Boolean");
  if (!call_pre(m, e, arg, count, 0, &before)) return false;
  *out = dae_model_array(m, TYPE_BOOLEAN, arg[0].rank, arg[0].dim);
  for (int i = 0; i < out->count; i++) {
    int old = before.node[i];
    if (op == OP_AND) old = dae_model_op1(&m->graph, OP_NOT, old);
    out->node[i] = dae_model_op2(&m->graph, op, arg[0].node[i], old);
  }
  return true;
}

/* sample(t0, dt) */
static bool call_sample(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                        dae_value *out) {
  (void)count, (void)op;
  double value[2];
  for (int k = 0; k < 2; k++) {
    if (!is_number(&arg[k]) || arg[k].rank || !dae_model_constant(&m->graph, arg[k].node[0]))
      return wrong(m, e, "sample needs two numbers that are known: the first time and the period");
    value[k] = m->graph.node[arg[k].node[0]].value;
  }
  if (!(value[1] > 0) || !isfinite(value[0]) || !isfinite(value[1]))
    return wrong(m, e, "the period of sample must be positive");
  *out = dae_model_scalar(m, TYPE_BOOLEAN, dae_model_sample(m, value[0], value[1]));
  return true;
}

static const struct builtin {
  const char *name;
  int least, most; /* arguments */
  dae_builtin fn;
  int op;
} builtins[] = {
    {"sin", 1, 1, call_map, OP_SIN},
    {"cos", 1, 1, call_map, OP_COS},
    {"tan", 1, 1, call_map, OP_TAN},
    {"asin", 1, 1, call_map, OP_ASIN},
    {"acos", 1, 1, call_map, OP_ACOS},
    {"atan", 1, 1, call_map, OP_ATAN},
    {"sinh", 1, 1, call_map, OP_SINH},
    {"cosh", 1, 1, call_map, OP_COSH},
    {"tanh", 1, 1, call_map, OP_TANH},
    {"exp", 1, 1, call_map, OP_EXP},
    {"log", 1, 1, call_map, OP_LOG},
    {"log10", 1, 1, call_map, OP_LOG10},
    {"sqrt", 1, 1, call_map, OP_SQRT},
    {"abs", 1, 1, call_map, OP_ABS},
    {"sign", 1, 1, call_map, OP_SIGN},
    {"atan2", 2, 2, call_atan2, OP_ATAN2},
    {"min", 1, 2, call_extreme, OP_MIN},
    {"max", 1, 2, call_extreme, OP_MAX},
    {"sum", 1, 1, call_fold, OP_ADD},
    {"product", 1, 1, call_fold, OP_MUL},
    {"div", 2, 2, call_whole, WHOLE_DIV},
    {"mod", 2, 2, call_whole, WHOLE_MOD},
    {"rem", 2, 2, call_whole, WHOLE_REM},
    {"floor", 1, 1, call_whole, WHOLE_FLOOR},
    {"ceil", 1, 1, call_whole, WHOLE_CEIL},
    {"integer", 1, 1, call_whole, WHOLE_INTEGER},
    {"zeros", 1, 99, dae_model_call_fill, 0},
    {"ones", 1, 99, dae_model_call_fill, 1},
    {"fill", 2, 99, dae_model_call_fill, 2},
    {"identity", 1, 1, dae_model_call_diagonal, 0},
    {"diagonal", 1, 1, dae_model_call_diagonal, 1},
    {"linspace", 3, 3, dae_model_call_linspace, 0},
    {"size", 1, 2, dae_model_call_size, 0},
    {"ndims", 1, 1, dae_model_call_size, 1},
    {"transpose", 1, 1, dae_model_call_transpose, 0},
    {"cross", 2, 2, dae_model_call_cross, 0},
    {"skew", 1, 1, dae_model_call_cross, 1},
    {"outerProduct", 2, 2, dae_model_call_outer, 0},
    {"scalar", 1, 1, dae_model_call_reshape, 0},
    {"vector", 1, 1, dae_model_call_reshape, 1},
    {"cat", 2, 99, dae_model_call_cat, 0},
    {"matrix", 1, 1, dae_model_call_matrix, 0},
    {"symmetric", 1, 1, dae_model_call_symmetric, 0},
    {"der", 1, 1, call_der, 0},
    {"pre", 1, 1, call_pre, 0},
    {"sample", 2, 2, call_sample, 0},
    {"noEvent", 1, 1, call_pass, 0},
    {"smooth", 2, 2, call_pass, 1},
    {"homotopy", 2, 2, call_homotopy, 0},
    {"semiLinear", 3, 3, call_semilinear, 0},
    {"initial", 0, 0, call_initial, SLOT_INITIAL},
    {"terminal", 0, 0, call_initial, SLOT_TERMINAL},
    {"edge", 1, 1, call_edge, OP_AND},
    {"change", 1, 1, call_edge, OP_NE},
    {"Integer", 1, 1, call_integer, 0},
    {"Real", 1, 1, call_real, 0},
    {"String", 1, 4, call_text, 0},
    /* of streams, as OpenModelica writes them: max(x, eps), and a quotient of such */
    {"$OMC$PositiveMax", 2, 2, call_extreme, OP_MAX},
    {"$OMC$inStreamDiv", 2, 2, call_pass, 0},
};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

/* x(startTime), x(finalTime): the variable at an end of the interval */
static bool boundary_value(dae_model *m, const dae_ast *e, int symbol, dae_value *out) {
  const char *when =
      e->count == 1 && e->args[0]->kind == AST_REF ? m->names.text[e->args[0]->name] : "";
  bool start = strcmp(when, "startTime") == 0, final = strcmp(when, "finalTime") == 0;
  const char *name = m->names.text[e->name];
  if (!start && !final) {
    dae_model_error(&m->source, e->place,
                    "'%.60s' is a variable, not a function: %.60s(startTime) and %.60s(finalTime) "
                    "state boundary values",
                    name, name, name);
    return false;
  }
  if (!dae_model_symbol_value(m, symbol, e->place)) return false;
  dae_value v = m->symbol[symbol].value;
  if (m->symbol[symbol].variability > VAR_DISCRETE) {
    *out = v;
    return true;
  }
  *out = dae_model_array(m, v.type, v.rank, v.dim);
  for (int i = 0; i < v.count; i++)
    out->node[i] =
        dae_model_var(&m->graph, m->graph.node[v.node[i]].a, 0, start ? WHEN_START : WHEN_FINAL);
  return true;
}

static bool unknown_function(dae_model *m, const dae_ast *e) {
  const char *names[BUILTINS], *name = m->names.text[e->name];
  for (int k = 0; k < BUILTINS; k++) names[k] = builtins[k].name;
  int near = dae_base_nearest(name, names, BUILTINS);
  const char *why = dae_model_outside(name);
  if (why) {
    dae_model_error(&m->source, e->place, "'%.60s' is not supported here: %s", name, why);
    return false;
  }
  dae_model_error(&m->source, e->place, "there is no function '%.80s'%s%s%s", name,
                  near >= 0 ? ": did you mean '" : "", near >= 0 ? names[near] : "",
                  near >= 0 ? "'?" : "");
  return false;
}

/* functions of arrays, whatever is in them */
static bool takes_anything(dae_builtin fn) {
  return fn == dae_model_call_fill || fn == dae_model_call_size || fn == dae_model_call_cat ||
         fn == dae_model_call_reshape || fn == call_text || fn == dae_model_call_transpose ||
         fn == dae_model_call_matrix || fn == call_pass || fn == call_pre || fn == call_edge;
}

/* operators of a solution, of which functions know nothing (12.2) */
static bool of_solution(const char *name) {
  static const char *const names[] = {"der",    "pre",     "edge",    "change",
                                      "sample", "initial", "terminal"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k]) == 0) return true;
  return false;
}

static bool call_builtin(dae_model *m, const dae_ast *e, const struct builtin *b, dae_scope *scope,
                         dae_value *out) {
  if (e->count < b->least || e->count > b->most) {
    if (b->least == b->most)
      dae_model_error(&m->source, e->place, "%s takes %d argument%s, not %d", b->name, b->least,
                      b->least == 1 ? "" : "s", e->count);
    else
      dae_model_error(&m->source, e->place, "%s takes %d to %d arguments, not %d", b->name,
                      b->least, b->most, e->count);
    return false;
  }
  if (scope->function && of_solution(b->name))
    return wrong(m, e, "a function has no past and no rates: only models can use this");
  bool no_event = scope->no_event;
  if (strcmp(b->name, "noEvent") == 0 || strcmp(b->name, "smooth") == 0) scope->no_event = true;
  scope->variables = b->fn == call_pre || b->fn == call_edge;
  dae_value *arg = dae_model_take(&m->built, (size_t)e->count + 1, sizeof *arg);
  bool ok = true;
  for (int k = 0; k < e->count && ok; k++) {
    const dae_ast *a = e->args[k];
    scope->sizes = k == 0 && b->fn == dae_model_call_size && a->kind == AST_REF && a->count == 0;
    ok = dae_model_eval(m, a, scope, &arg[k]);
    scope->sizes = false;
  }
  scope->no_event = no_event;
  scope->variables = false;
  for (int k = 0; k < e->count && ok; k++)
    if ((arg[k].type == TYPE_STRING || arg[k].type == TYPE_RECORD) && !takes_anything(b->fn))
      ok = wrong(m, e,
                 arg[k].type == TYPE_STRING ? "a string has no meaning here"
                                            : "a record has no meaning here");
  return ok && b->fn(m, e, arg, e->count, b->op, out);
}

/* sum(.. for i in ..), product, min, max, and {.. for i in ..} */
static bool call_comprehension(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value all;
  if (!dae_model_eval_comprehension(m, e, scope, &all)) return false;
  const char *name = e->name < 0 ? "" : m->names.text[e->name];
  if (e->name < 0 || strcmp(name, "array") == 0) {
    *out = all;
    return true;
  }
  for (int k = 0; k < BUILTINS; k++)
    if (strcmp(name, builtins[k].name) == 0 &&
        (builtins[k].fn == call_fold || builtins[k].fn == call_extreme))
      return builtins[k].fn(m, e, &all, 1, builtins[k].op, out);
  dae_model_error(&m->source, e->place,
                  "'for' inside a call works for sum, product, min, max and array only");
  return false;
}

/* E(i): the literal of a number that is known */
static bool to_literal(dae_model *m, const dae_ast *e, const dae_ast_class *type, dae_scope *scope,
                       dae_value *out) {
  double number;
  dae_type kind;
  if (e->count != 1) return wrong(m, e, "the number of a literal is needed here");
  if (!dae_model_eval_number(m, e->args[0], scope, &kind, &number)) return false;
  if (kind != TYPE_INTEGER || number < 1 || number > type->literals)
    return wrong(m, e, "the enumeration has no literal of this number");
  *out = dae_model_scalar(m, TYPE_ENUM, dae_model_const(&m->graph, number));
  out->literals = type;
  return true;
}

bool dae_model_eval_call(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  if (e->kind == AST_COMPREHENSION) return call_comprehension(m, e, scope, out);
  const dae_ast_class *record = dae_model_record_class(m, e->name);
  if (record) return dae_model_construct(m, record, e, scope, out);
  int symbol = scope->function ? -1 : dae_model_symbol(m, e->name);
  if (symbol >= 0) return boundary_value(m, e, symbol, out);
  const dae_ast_class *f = e->name < m->named ? m->functions[e->name] : NULL;
  if (f) return dae_model_call_function(m, f, e, scope, out);
  const dae_ast_class *type = e->name < m->named ? m->types[e->name] : NULL;
  if (type && type->literals) return to_literal(m, e, type, scope, out);
  char full[200];
  const char *name = dae_model_full_name(m, m->names.text[e->name], full, sizeof full);
  /* Modelica.Math.sin and its like are the built-in ones */
  static const char prefix[] = "Modelica.Math.";
  if (strncmp(name, prefix, sizeof prefix - 1) == 0) name += sizeof prefix - 1;
  for (int k = 0; k < BUILTINS; k++)
    if (strcmp(name, builtins[k].name) == 0) return call_builtin(m, e, &builtins[k], scope, out);
  return unknown_function(m, e);
}
