/*
 * Statements of algorithms, run on nodes: a condition that varies runs both ways and joins what
 * differs; break and return are conditions under which nothing changes any more.
 */
#include <string.h>

#include "model/model.h"

dae_binding *dae_model_find_local(const dae_scope *scope, int name) {
  dae_binding *b = scope->first;
  while (b && b->name != name) b = b->next;
  return b;
}

/* target[subscripts] := value */
static bool assign(dae_model *m, const dae_ast *target, const dae_value *value, dae_scope *scope) {
  bool named = target->kind == AST_REF && target->name >= 0;
  dae_binding *b = named ? dae_model_find_local(scope, target->name) : NULL;
  if (!b || b->input || !b->decl) {
    dae_model_error(&m->source, target->place,
                    b ? "an input or a loop variable cannot be assigned"
                      : "only outputs and protected variables can be assigned");
    return false;
  }
  dae_value part;
  int *index;
  if (!dae_model_subscript(m, &b->value, target->args, target->count, target->place, scope, &part,
                           &index))
    return false;
  if (!dae_model_same_size(&part, value)) {
    char left[80], right[80];
    dae_model_error(&m->source, target->place, "sizes do not fit in the assignment: %s := %s",
                    dae_model_size_text(&part, left, sizeof left),
                    dae_model_size_text(value, right, sizeof right));
    return false;
  }
  if ((value->type == TYPE_BOOLEAN) != (part.type == TYPE_BOOLEAN) || value->type == TYPE_STRING) {
    dae_model_error(&m->source, target->place,
                    "a number and a Boolean cannot be mixed in an assignment");
    return false;
  }
  for (int i = 0; i < part.count; i++) b->value.node[index[i]] = value->node[i];
  return true;
}

/* the nodes of all locals, to go back to */
static int **snapshot(dae_model *m, const dae_scope *scope) {
  int count = 0, k = 0;
  for (dae_binding *b = scope->first; b; b = b->next) count++;
  int **saved = dae_model_take(&m->built, (size_t)count, sizeof *saved);
  for (dae_binding *b = scope->first; b; b = b->next, k++) {
    saved[k] = dae_model_take(&m->built, (size_t)b->value.count, sizeof(int));
    memcpy(saved[k], b->value.node, (size_t)b->value.count * sizeof(int));
  }
  return saved;
}

static void restore(dae_scope *scope, int **saved) {
  int k = 0;
  for (dae_binding *b = scope->first; b; b = b->next, k++)
    memcpy(b->value.node, saved[k], (size_t)b->value.count * sizeof(int));
}

/* values where a condition holds, `yes`, and where it does not, the present ones */
static void join(dae_model *m, dae_scope *scope, int c, int **yes) {
  int i = 0;
  for (dae_binding *b = scope->first; b; b = b->next, i++)
    for (int j = 0; j < b->value.count; j++) {
      int *no = &b->value.node[j];
      if (yes[i][j] == *no) continue;
      *no = yes[i][j] < 0 || *no < 0 ? -1 : dae_model_node(&m->graph, OP_IF, c, yes[i][j], *no);
    }
}

/* break and return, as conditions: in this branch, and in the other one */
typedef struct leaving {
  int broken, returned;
} leaving;

static void join_leaving(dae_model *m, dae_scope *scope, int c, leaving yes) {
  dae_graph *g = &m->graph;
  int *now[] = {&scope->broken, &scope->returned}, other[] = {yes.broken, yes.returned};
  for (int k = 0; k < 2; k++)
    if (other[k] != *now[k])
      *now[k] = dae_model_op2(g, OP_OR, dae_model_op2(g, OP_AND, c, other[k]),
                              dae_model_op2(g, OP_AND, dae_model_op1(g, OP_NOT, c), *now[k]));
}

static bool run_branches(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope);
static bool run_when(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope);

/* branch k where c holds, else those after it */
static bool run_both(dae_model *m, const dae_ast_eq *s, int k, int c, dae_scope *scope) {
  int **before = snapshot(m, scope), path = scope->path;
  leaving at_first = {scope->broken, scope->returned};
  /* asserts of a `when` know their branch; its number is no condition of the model */
  if (s->kind == EQ_IF) dae_model_under(m, scope, c);
  if (!dae_model_run_statements(m, s->body[k], scope)) return false;
  int **yes = snapshot(m, scope);
  leaving there = {scope->broken, scope->returned};
  restore(scope, before);
  scope->broken = at_first.broken, scope->returned = at_first.returned;
  scope->path = path;
  if (s->kind == EQ_IF) dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c));
  if (!run_branches(m, s, k + 1, scope)) return false;
  scope->path = path;
  join(m, scope, c, yes);
  join_leaving(m, scope, c, there);
  return true;
}

/* if with a condition that varies: run both ways and join what differs */
static bool run_branches(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (s->kind == EQ_WHEN) return run_when(m, s, k, scope);
  if (k == s->conditions) return k >= s->bodies || dae_model_run_statements(m, s->body[k], scope);
  dae_value c;
  if (!dae_model_eval(m, s->condition[k], scope, &c)) return false;
  if (c.type != TYPE_BOOLEAN || c.rank) {
    dae_model_error(&m->source, s->condition[k]->place,
                    "a condition must be a Boolean scalar, such as x > 0");
    return false;
  }
  if (dae_model_constant(&m->graph, c.node[0]))
    return m->graph.node[c.node[0]].value != 0 ? dae_model_run_statements(m, s->body[k], scope)
                                               : run_branches(m, s, k + 1, scope);
  return run_both(m, s, k, c.node[0], scope);
}

static int left(dae_model *m, const dae_scope *scope) {
  return dae_model_op2(&m->graph, OP_OR, scope->broken, scope->returned);
}

static bool surely_left(dae_model *m, const dae_scope *scope) {
  int node = left(m, scope);
  return dae_model_constant(&m->graph, node) && m->graph.node[node].value != 0;
}

static bool run_for(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (k == s->conditions) return dae_model_run_statements(m, s->body[0], scope);
  dae_value range;
  if (!dae_model_eval(m, s->condition[k], scope, &range)) return false;
  if (range.rank != 1) {
    dae_model_error(&m->source, s->condition[k]->place, "a loop runs over a range or a vector");
    return false;
  }
  dae_binding loop = {.name = s->iterator[k], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  int outside = scope->broken;
  for (int i = 0; i < range.count && ok && !surely_left(m, scope); i++) {
    loop.value = dae_model_scalar(m, range.type, range.node[i]);
    ok = run_for(m, s, k + 1, scope);
  }
  if (k == 0) scope->broken = outside;
  scope->first = loop.next;
  return ok;
}

/* while: repeated as often as can be told when the model is read */
static bool run_while(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  enum { REPETITIONS = 100000 };
  int outside = scope->broken;
  bool ok = true;
  for (int i = 0; ok && !surely_left(m, scope); i++) {
    dae_value c;
    if (!dae_model_eval(m, s->condition[0], scope, &c)) return false;
    bool known = c.type == TYPE_BOOLEAN && !c.rank && dae_model_constant(&m->graph, c.node[0]);
    if (!known || i == REPETITIONS) {
      dae_model_error(&m->source, s->condition[0]->place,
                      known ? "this 'while' has no end"
                            : "how often this 'while' repeats must be known when the model is "
                              "read: only numbers and parameters may decide on it");
      return false;
    }
    if (m->graph.node[c.node[0]].value == 0) break;
    ok = dae_model_run_statements(m, s->body[0], scope);
  }
  scope->broken = outside;
  return ok;
}

static bool run_assignment(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  if (s->left->kind != AST_TUPLE) {
    dae_value value;
    return dae_model_eval(m, s->right, scope, &value) && assign(m, s->left, &value, scope);
  }
  const dae_ast_class *f =
      s->right->kind == AST_CALL && s->right->name < m->named ? m->functions[s->right->name] : NULL;
  if (!f) {
    dae_model_error(&m->source, s->right->place,
                    "(a, b) := needs a call of a function with several outputs");
    return false;
  }
  dae_value *value = dae_model_take(&m->built, (size_t)s->left->count, sizeof *value);
  if (!dae_model_eval_function(m, f, s->right, scope, value, s->left->count)) return false;
  for (int k = 0; k < s->left->count; k++)
    if (s->left->args[k] && !assign(m, s->left->args[k], &value[k], scope)) return false;
  return true;
}

static bool run_call(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  const char *name = m->names.text[s->left->name];
  if (scope->branch > 0) return dae_model_when_call(m, s, scope->branch - 1, scope);
  if (strcmp(name, "assert") == 0) return dae_model_add_assert(m, s->left, scope);
  if (s->left->name < m->named && m->functions[s->left->name]) return true; /* it has no effect */
  dae_model_error(&m->source, s->place, "'%.60s' alone does nothing in %s", name,
                  scope->function ? "a function" : "an algorithm");
  return false;
}

/* when a then .. elsewhen b then ..: the values of the branch that acts */
static bool run_when(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (k == s->conditions) return true;
  dae_value c;
  if (!dae_model_eval(m, s->condition[k], scope, &c)) return false;
  if (c.type != TYPE_BOOLEAN || c.rank > 1) {
    dae_model_error(&m->source, s->condition[k]->place,
                    "a condition must be a Boolean scalar, such as x > 0");
    return false;
  }
  if (k == 0) scope->when = m->flat.whens++;
  int branch = dae_model_add_branch(m, scope->when, &c, s->condition[k]->place);
  scope->branch = branch + 1;
  bool ok = run_both(m, s, k, dae_model_var(&m->graph, branch, 0, WHEN_BRANCH), scope);
  scope->branch = 0;
  return ok;
}

static bool run_one(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  switch ((dae_eq_kind)s->kind) {
    case EQ_SIMPLE: return run_assignment(m, s, scope);
    case EQ_FOR: return run_for(m, s, 0, scope);
    case EQ_IF: return run_branches(m, s, 0, scope);
    case EQ_CALL: return run_call(m, s, scope);
    case EQ_WHILE: return run_while(m, s, scope);
    case EQ_BREAK: scope->broken = m->graph.one; return true;
    case EQ_RETURN: scope->returned = m->graph.one; return true;
    case EQ_WHEN: break;
  }
  if (!scope->function && !scope->path && !scope->branch) return run_when(m, s, 0, scope);
  dae_model_error(&m->source, s->place, "'when' has no meaning in %s",
                  scope->function ? "a function" : "another 'when' or 'if'");
  return false;
}

bool dae_model_run_statements(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  for (; s; s = s->next) {
    int gone = left(m, scope), path = scope->path;
    bool known = dae_model_constant(&m->graph, gone);
    if (known && m->graph.node[gone].value != 0) return true;
    /* where a break or return may have happened before, nothing changes any more */
    int **before = known ? NULL : snapshot(m, scope);
    if (!known) dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, gone));
    bool ok = run_one(m, s, scope);
    scope->path = path;
    if (!ok) return false;
    if (!known) join(m, scope, gone, before);
  }
  return true;
}
