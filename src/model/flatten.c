/* equations of the text -> scalar equations on the graph */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static bool flatten_list(dae_model *m, const dae_ast_eq *eq, dae_section section, dae_scope *scope);

static void add_one(dae_model *m, dae_equation equation, dae_section section) {
  dae_flat *f = &m->flat;
  dae_equation **lists[] = {&f->equation, &f->initial, &f->invariant}, **list = lists[section];
  int *counts[] = {&f->equations, &f->initials, &f->invariants}, *count = counts[section];
  int *capacities[] = {&f->equation_capacity, &f->initial_capacity, &f->invariant_capacity};
  int *capacity = capacities[section];
  *list = dae_model_grow(&m->built, *list, capacity, *count + 1, sizeof **list);
  (*list)[(*count)++] = equation;
}

bool dae_model_add_equations(dae_model *m, const dae_value *left, const dae_value *right,
                             uint32_t place, dae_section section) {
  dae_value turned = *right;
  dae_model_conform(m, &turned, left);
  right = &turned;
  if (!dae_model_same_size(left, right)) {
    char a[80], b[80];
    dae_model_error(&m->source, place, "sizes do not fit in the equation: %s = %s",
                    dae_model_size_text(left, a, sizeof a),
                    dae_model_size_text(right, b, sizeof b));
    return false;
  }
  if (!dae_model_same_kind(left, right)) {
    char a[80], b[80];
    dae_model_error(&m->source, place,
                    "both sides of an equation must be numbers, or both Boolean, and so on: this "
                    "is %s = %s",
                    dae_model_type_text(m, left, a, sizeof a),
                    dae_model_type_text(m, right, b, sizeof b));
    return false;
  }
  bool record = left->type == TYPE_RECORD;
  dae_equation equation = {.place = place};
  equation.real = record ? !dae_model_accepts(left, right) || !dae_model_accepts(right, left)
                         : left->type == TYPE_REAL || right->type == TYPE_REAL;
  for (int i = 0; i < dae_model_nodes(left); i++) {
    /* a field that is a constant or a parameter on both sides is no equation */
    if (record && left->node[i] == right->node[i]) continue;
    if (left->node[i] < 0 || right->node[i] < 0) {
      dae_model_error(&m->source, place, "a function does not assign all fields of this record");
      return false;
    }
    equation.left = left->node[i];
    equation.right = right->node[i];
    add_one(m, equation, section);
  }
  return true;
}

/* the outputs of f that (a, b) = f(x) takes */
static bool call_outputs(dae_model *m, const dae_ast_eq *eq, dae_scope *scope, dae_value **out) {
  const dae_ast *call = eq->right;
  const dae_ast_class *f =
      call->kind == AST_CALL && call->name < m->named ? m->functions[call->name] : NULL;
  if (call->kind == AST_TUPLE && call->count == eq->left->count) {
    *out = dae_model_take(&m->built, (size_t)call->count, sizeof **out);
    for (int k = 0; k < call->count; k++)
      if (eq->left->args[k] && !dae_model_eval(m, call->args[k], scope, &(*out)[k])) return false;
    return true;
  }
  const char *outside =
      call->kind == AST_CALL ? dae_model_outside(m->names.text[call->name]) : NULL;
  if (!f && outside) {
    dae_model_error(&m->source, call->place, "'%.60s' is not supported here: %s",
                    m->names.text[call->name], outside);
    return false;
  }
  if (!f) {
    dae_model_error(&m->source, eq->place,
                    "(a, b) = needs a call of a function with several outputs");
    return false;
  }
  *out = dae_model_take(&m->built, (size_t)eq->left->count, sizeof **out);
  return dae_model_eval_function(m, f, call, scope, *out, eq->left->count);
}

/* (a, , b) = f(x) */
static bool flatten_tuple(dae_model *m, const dae_ast_eq *eq, dae_section section,
                          dae_scope *scope) {
  int count = eq->left->count;
  dae_value *out, left;
  if (!call_outputs(m, eq, scope, &out)) return false;
  for (int k = 0; k < count; k++) {
    const dae_ast *target = eq->left->args[k];
    if (target && (!dae_model_eval(m, target, scope, &left) ||
                   !dae_model_add_equations(m, &left, &out[k], target->place, section)))
      return false;
  }
  return true;
}

static bool flatten_simple(dae_model *m, const dae_ast_eq *eq, dae_section section,
                           dae_scope *scope) {
  if (eq->invariant && section == SECTION_EQUATION) section = SECTION_INVARIANT;
  if (eq->left->kind == AST_TUPLE) return flatten_tuple(m, eq, section, scope);
  dae_value left, right;
  bool ok = dae_model_eval(m, eq->left, scope, &left);
  if (ok && left.type == TYPE_ENUM) scope->literals = left.literals;
  ok = dae_model_eval(m, eq->right, scope, &right) && ok;
  scope->literals = NULL;
  return ok && dae_model_add_equations(m, &left, &right, eq->place, section);
}

/* what a loop repeats: equations of a section, or of a branch of `when` */
typedef bool (*loop_body)(dae_model *m, const dae_ast_eq *eq, int part, dae_scope *scope);

/* the body for all values of iterator k and of those after it */
static bool flatten_for(dae_model *m, const dae_ast_eq *eq, int k, int part, dae_scope *scope,
                        loop_body body) {
  if (k == eq->conditions) return body(m, eq->body[0], part, scope);
  dae_value range;
  if (!dae_model_loop_range(m, eq->condition[k], eq->iterator[k], NULL, eq->body[0], scope, &range))
    return false;
  dae_binding loop = {.name = eq->iterator[k], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  for (int i = 0; i < range.count && ok; i++) {
    loop.value = dae_model_element(m, &range, i);
    ok = flatten_for(m, eq, k + 1, part, scope, body);
  }
  scope->first = loop.next;
  return ok;
}

static bool section_body(dae_model *m, const dae_ast_eq *eq, int section, dae_scope *scope) {
  return flatten_list(m, eq, (dae_section)section, scope);
}

static bool condition(dae_model *m, const dae_ast *e, dae_scope *scope, int *node) {
  dae_value c;
  if (!dae_model_eval(m, e, scope, &c)) return false;
  if (c.type != TYPE_BOOLEAN || c.rank) {
    dae_model_error(&m->source, e->place, "a condition must be a Boolean scalar, such as x > 0");
    return false;
  }
  *node = c.node[0];
  return true;
}

/* left = right, switched: l = if c then r1 else r2 where the left sides agree, else on the
   residuals */
static void join(dae_model *m, int c, dae_equation *yes, const dae_equation *no) {
  dae_graph *g = &m->graph;
  yes->real = yes->real || no->real;
  if (yes->left == no->left) {
    yes->right = dae_model_node(g, OP_IF, c, yes->right, no->right);
    return;
  }
  int a = dae_model_op2(g, OP_SUB, yes->left, yes->right),
      b = dae_model_op2(g, OP_SUB, no->left, no->right);
  yes->left = dae_model_node(g, OP_IF, c, a, b);
  yes->right = g->zero;
}

/* if from branch k on: known conditions choose, others switch equation by equation */
static bool flatten_if(dae_model *m, const dae_ast_eq *eq, int k, dae_section section,
                       dae_scope *scope) {
  if (k == eq->conditions) return k >= eq->bodies || flatten_list(m, eq->body[k], section, scope);
  int c;
  if (!condition(m, eq->condition[k], scope, &c)) return false;
  if (dae_model_constant(&m->graph, c))
    return m->graph.node[c].value != 0 ? flatten_list(m, eq->body[k], section, scope)
                                       : flatten_if(m, eq, k + 1, section, scope);
  /* if initial() then .. end if: what holds at the start only */
  if (c == dae_model_var(&m->graph, SLOT_INITIAL, 0, WHEN_SLOT) && eq->bodies == 1 &&
      !scope->path) {
    dae_model_under(m, scope, c);
    bool ok = flatten_list(m, eq->body[k], SECTION_INITIAL, scope);
    scope->path = 0;
    return ok;
  }
  int *count = section == SECTION_INITIAL ? &m->flat.initials : &m->flat.equations, first = *count;
  int path = dae_model_under(m, scope, c);
  if (!flatten_list(m, eq->body[k], section, scope)) return false;
  int middle = *count;
  scope->path = path;
  dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c));
  if (!flatten_if(m, eq, k + 1, section, scope)) return false;
  scope->path = path;
  int yes = middle - first, no = *count - middle;
  if (yes != no) {
    dae_model_error(&m->source, eq->place,
                    "the branches of this 'if' have %d and %d equations: with a condition that "
                    "varies they need "
                    "the same number",
                    yes, no);
    return false;
  }
  dae_equation *list = section == SECTION_INITIAL ? m->flat.initial : m->flat.equation;
  for (int i = 0; i < yes; i++) join(m, c, &list[first + i], &list[middle + i]);
  *count = middle;
  return true;
}

static const char *message_of(dae_model *m, const dae_ast *call, int k, dae_scope *scope) {
  return k < call->count ? dae_model_message(m, call->args[k], scope) : "";
}

/* the level of assert(condition, message, level): is it only a warning? */
static bool warning_level(dae_model *m, const dae_ast *call, dae_scope *scope, bool *warning) {
  *warning = false;
  for (int k = 2; k < call->count; k++) {
    dae_value level;
    if (!dae_model_eval(m, call->args[k], scope, &level)) return false;
    if (level.type != TYPE_ENUM || level.rank || !dae_model_constant(&m->graph, level.node[0])) {
      dae_model_error(
          &m->source, call->args[k]->place,
          "the level of an assertion is AssertionLevel.error or .warning, known when the "
          "model is read");
      return false;
    }
    *warning = m->graph.node[level.node[0]].value == 2;
  }
  return true;
}

/* `c` must hold, where the path leads here: known now, or watched during the run */
static bool require(dae_model *m, int c, bool warning, const char *message, uint32_t place,
                    const dae_scope *scope) {
  dae_graph *g = &m->graph;
  int broken = dae_model_op1(g, OP_NOT, c);
  if (scope->path) broken = dae_model_op2(g, OP_AND, scope->path, broken);
  if (dae_model_constant(g, broken)) {
    if (g->node[broken].value == 0) return true;
    if (warning) dae_model_warn(&m->source, place, "assertion failed: %.200s", message);
    else dae_model_error(&m->source, place, "assertion failed: %.200s", message);
    return warning;
  }
  for (int i = 0; i < m->flat.branches; i++)
    if (m->flat.branch[i].assertion && m->flat.branch[i].element[0] == broken) return true;
  const dae_value v = {.node = &broken, .count = 1};
  int number = dae_model_add_branch(m, m->flat.whens++, &v, place);
  dae_branch *b = &m->flat.branch[number];
  b->assertion = true;
  b->warning = warning;
  b->message = message;
  return true;
}

/* inside `when` it must hold when the branch acts */
static void require_there(dae_model *m, int c, bool warning, const char *message, uint32_t place,
                          const dae_scope *scope) {
  dae_action *a = dae_model_add_action(m, ACTION_ASSERT, scope->branch - 1, place);
  a->value = c;
  a->guard = scope->path;
  a->warning = warning;
  a->message = message;
}

/* assert(condition, message, level) */
bool dae_model_add_assert(dae_model *m, const dae_ast *call, dae_scope *scope) {
  int c;
  if (call->count < 1 || call->count > 3) {
    dae_model_error(&m->source, call->place, "assert takes a condition, a message and a level");
    return false;
  }
  bool warning;
  if (!condition(m, call->args[0], scope, &c)) return false;
  if (!warning_level(m, call, scope, &warning)) return false;
  const char *message = message_of(m, call, 1, scope);
  if (scope->branch == 0) return require(m, c, warning, message, call->place, scope);
  require_there(m, c, warning, message, call->place, scope);
  return true;
}

bool dae_model_require(dae_model *m, int c, const char *text, uint32_t place, dae_scope *scope) {
  const char *message = dae_model_copy(&m->built, text, strlen(text));
  if (scope->branch == 0) return require(m, c, false, message, place, scope);
  require_there(m, c, false, message, place, scope);
  return true;
}

bool dae_model_call_alone(dae_model *m, const dae_ast *call, dae_scope *scope, bool *ok) {
  const dae_ast_class *f = call->name < m->named ? m->functions[call->name] : NULL;
  const char *name = m->names.text[call->name];
  *ok = true;
  if (dae_model_prints(name)) return true;
  if (strcmp(name, "Modelica.Utilities.Streams.error") == 0 || (f && dae_model_is_error(m, f))) {
    scope->fails = true;
    *ok = dae_model_require(m, m->graph.zero, message_of(m, call, 0, scope), call->place, scope);
    return true;
  }
  if (f && !f->external) *ok = dae_model_eval_function(m, f, call, scope, NULL, 0);
  return f != NULL;
}

bool dae_model_inside(dae_model *m, int subscript, int n, uint32_t place, dae_scope *scope) {
  dae_graph *g = &m->graph;
  int low = dae_model_op2(g, OP_GT, subscript, dae_model_const(g, 0.5));
  int high = dae_model_op2(g, OP_LT, subscript, dae_model_const(g, n + 0.5));
  char text[80];
  snprintf(text, sizeof text, "a subscript is outside 1:%d", n);
  return dae_model_require(m, dae_model_op2(g, OP_AND, low, high), text, place, scope);
}

/* reinit(x, value) inside when */
static bool flatten_reinit(dae_model *m, const dae_ast *call, int branch, dae_scope *scope) {
  dae_value target, value;
  if (call->count != 2) {
    dae_model_error(&m->source, call->place, "reinit takes a variable and its new value");
    return false;
  }
  if (!dae_model_eval(m, call->args[0], scope, &target) ||
      !dae_model_eval(m, call->args[1], scope, &value))
    return false;
  if (!dae_model_same_size(&target, &value)) {
    dae_model_error(&m->source, call->place,
                    "reinit: the variable and its new value differ in size");
    return false;
  }
  for (int i = 0; i < target.count; i++) {
    const dae_node n = m->graph.node[target.node[i]];
    if (n.op != OP_VAR || n.b != 0) {
      dae_model_error(&m->source, call->args[0]->place, "reinit needs a variable");
      return false;
    }
    for (int k = 0; k < m->flat.actions; k++) {
      const dae_action *a = &m->flat.action[k];
      if (a->kind != ACTION_REINIT || a->branch != branch || a->variable != n.a ||
          a->guard != scope->path)
        continue;
      dae_model_error(&m->source, call->place,
                      "two reinit statements assign '%.60s' a value at the same instant",
                      m->flat.variable[n.a].name);
      return false;
    }
    dae_action *a = dae_model_add_action(m, ACTION_REINIT, branch, call->place);
    a->variable = n.a;
    a->value = value.node[i];
    a->guard = scope->path;
  }
  return true;
}

/* terminate("..") inside when; inside `if` there it is an action that fails where that holds */
static bool flatten_terminate(dae_model *m, const dae_ast *call, int branch, dae_scope *scope) {
  const char *message = message_of(m, call, 0, scope);
  if (scope->path) {
    dae_action *a = dae_model_add_action(m, ACTION_ASSERT, branch, call->place);
    a->value = dae_model_op1(&m->graph, OP_NOT, scope->path);
    a->message = message;
    a->terminates = true;
    return true;
  }
  dae_model_add_action(m, ACTION_TERMINATE, branch, call->place);
  if (message[0]) m->flat.branch[branch].message = message;
  return true;
}

/* terminate("..") outside when: the run ends at its start, or where the `if` around it holds */
bool dae_model_end_at_once(dae_model *m, const dae_ast *call, dae_scope *scope) {
  int node[2] = {dae_model_var(&m->graph, SLOT_INITIAL, 0, WHEN_SLOT), scope->path};
  int count = scope->path ? 2 : 1;
  const dae_value conditions = {.node = node, .count = count, .rank = 1, .dim = {count}};
  int branch = dae_model_add_branch(m, m->flat.whens++, &conditions, call->place);
  return flatten_terminate(m, call, branch, scope);
}

static bool flatten_when_body(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope);

/* if inside when: what stands in it acts under its condition */
static bool flatten_when_if(dae_model *m, const dae_ast_eq *eq, int k, int branch,
                            dae_scope *scope) {
  if (k == eq->conditions)
    return k >= eq->bodies || flatten_when_body(m, eq->body[k], branch, scope);
  int c, path = scope->path;
  if (!condition(m, eq->condition[k], scope, &c)) return false;
  if (dae_model_constant(&m->graph, c))
    return m->graph.node[c].value != 0 ? flatten_when_body(m, eq->body[k], branch, scope)
                                       : flatten_when_if(m, eq, k + 1, branch, scope);
  dae_model_under(m, scope, c);
  bool ok = flatten_when_body(m, eq->body[k], branch, scope);
  scope->path = path;
  dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c));
  ok = ok && flatten_when_if(m, eq, k + 1, branch, scope);
  scope->path = path;
  return ok;
}

/* (a, b) = f(x) inside when */
static bool flatten_when_tuple(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope) {
  int count = eq->left->count;
  dae_value *out, left;
  if (!call_outputs(m, eq, scope, &out)) return false;
  for (int k = 0; k < count; k++) {
    const dae_ast *target = eq->left->args[k];
    if (target && (!dae_model_eval(m, target, scope, &left) ||
                   !dae_model_assign_when(m, &left, &out[k], branch, scope->path, target->place)))
      return false;
  }
  return true;
}

bool dae_model_when_call(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope) {
  const char *name = m->names.text[eq->left->name];
  if (strcmp(name, "reinit") == 0) return flatten_reinit(m, eq->left, branch, scope);
  if (strcmp(name, "terminate") == 0) return flatten_terminate(m, eq->left, branch, scope);
  if (strcmp(name, "assert") == 0) return dae_model_add_assert(m, eq->left, scope);
  bool ok;
  if (dae_model_call_alone(m, eq->left, scope, &ok)) return ok;
  dae_model_error(&m->source, eq->place, "'%.60s' alone does nothing inside 'when'", name);
  return false;
}

/* one equation inside when: reinit(..), terminate(..), assert(..), v = .., if, for */
static bool flatten_when_body(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope) {
  for (; eq; eq = eq->next) {
    bool ok;
    dae_value left, right;
    if (eq->kind == EQ_CALL) {
      ok = dae_model_when_call(m, eq, branch, scope);
    } else if (eq->kind == EQ_IF) {
      ok = flatten_when_if(m, eq, 0, branch, scope);
    } else if (eq->kind == EQ_FOR) {
      ok = flatten_for(m, eq, 0, branch, scope, flatten_when_body);
    } else if (eq->kind == EQ_SIMPLE && eq->left->kind == AST_TUPLE) {
      ok = flatten_when_tuple(m, eq, branch, scope);
    } else if (eq->kind == EQ_SIMPLE) {
      ok = dae_model_eval(m, eq->left, scope, &left);
      if (ok && left.type == TYPE_ENUM) scope->literals = left.literals;
      ok = ok && dae_model_eval(m, eq->right, scope, &right);
      scope->literals = NULL;
      ok = ok && dae_model_assign_when(m, &left, &right, branch, scope->path, eq->place);
    } else {
      dae_model_error(&m->source, eq->place,
                      "inside 'when' only v = .., reinit(..), assert(..), terminate(..), if and "
                      "for are supported");
      ok = false;
    }
    if (!ok) return false;
  }
  return true;
}

/* when a then .. elsewhen {b, c} then ..: one branch each */
static bool flatten_when(dae_model *m, const dae_ast_eq *eq, dae_scope *scope) {
  int when = m->flat.whens++;
  for (int k = 0; k < eq->conditions; k++) {
    const dae_ast *e = eq->condition[k];
    dae_value c;
    if (!dae_model_eval(m, e, scope, &c)) return false;
    if (c.type != TYPE_BOOLEAN || c.rank > 1) {
      dae_model_error(&m->source, e->place, "a condition must be a Boolean scalar, such as x > 0");
      return false;
    }
    int branch = dae_model_add_branch(m, when, &c, e->place);
    scope->branch = branch + 1;
    bool ok = flatten_when_body(m, eq->body[k], branch, scope);
    scope->branch = 0;
    if (!ok) return false;
    if (c.rank == 0 && dae_model_constant(&m->graph, c.node[0]))
      dae_model_warn(&m->source, e->place, "this condition never changes: the event cannot happen");
  }
  return true;
}

static bool flatten_call(dae_model *m, const dae_ast_eq *eq, dae_scope *scope) {
  const char *name = m->names.text[eq->left->name];
  if (strcmp(name, "assert") == 0) return dae_model_add_assert(m, eq->left, scope);
  if (strcmp(name, "terminate") == 0) return dae_model_end_at_once(m, eq->left, scope);
  if (strcmp(name, "reinit") == 0)
    dae_model_error(&m->source, eq->place, "%s(..) must stand inside 'when'", name);
  else if (dae_model_outside(name))
    dae_model_error(&m->source, eq->place, "'%.60s' is not supported here: %s", name,
                    dae_model_outside(name));
  else {
    bool ok;
    if (dae_model_call_alone(m, eq->left, scope, &ok)) return ok;
    dae_model_error(&m->source, eq->place, "a call alone is no equation: write left = right");
  }
  return false;
}

static bool flatten_list(dae_model *m, const dae_ast_eq *eq, dae_section section,
                         dae_scope *scope) {
  bool ok = true;
  for (; eq; eq = eq->next) {
    switch ((dae_eq_kind)eq->kind) {
      case EQ_SIMPLE: ok = flatten_simple(m, eq, section, scope) && ok; break;
      case EQ_FOR: ok = flatten_for(m, eq, 0, section, scope, section_body) && ok; break;
      case EQ_IF: ok = flatten_if(m, eq, 0, section, scope) && ok; break;
      case EQ_WHEN:
        if (scope->path || section != SECTION_EQUATION)
          dae_model_error(&m->source, eq->place,
                          "'when' must not stand inside 'if' with a condition that varies, nor "
                          "among initial equations");
        ok = !scope->path && section == SECTION_EQUATION && flatten_when(m, eq, scope) && ok;
        break;
      case EQ_CALL: ok = flatten_call(m, eq, scope) && ok; break;
      case EQ_WHILE:
      case EQ_BREAK:
      case EQ_RETURN: ok = false; break; /* not among equations: the parser has said so */
    }
    /* a loop repeats its errors: stop at the first one there */
    if (!ok && scope->first) return false;
  }
  return ok;
}

bool dae_model_flatten(dae_model *m, const dae_ast_eq *equations, dae_section section) {
  dae_scope scope = {.end = -1};
  return flatten_list(m, equations, section, &scope);
}
