/*
 * Statements of algorithms, run on nodes: a condition that varies runs both ways and joins what
 * differs; break and return are conditions under which nothing changes any more.
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

dae_binding *dae_model_find_local(const dae_scope *scope, int name) {
  dae_binding *b = scope->first;
  while (b && b->name != name) b = b->next;
  return b;
}

/* the values of all locals, to go back to */
static dae_value *snapshot(dae_model *m, const dae_scope *scope) {
  int count = 0, k = 0;
  for (dae_binding *b = scope->first; b; b = b->next) count++;
  dae_value *saved = dae_model_take(&m->built, (size_t)count + 1, sizeof *saved);
  for (dae_binding *b = scope->first; b; b = b->next, k++) {
    size_t nodes = (size_t)dae_model_nodes(&b->value);
    saved[k] = b->value;
    saved[k].node = dae_model_take(&m->built, nodes, sizeof(int));
    if (nodes) memcpy(saved[k].node, b->value.node, nodes * sizeof(int));
  }
  return saved;
}

static void restore(dae_scope *scope, const dae_value *saved) {
  int k = 0;
  for (dae_binding *b = scope->first; b; b = b->next, k++) {
    size_t nodes = (size_t)dae_model_nodes(&saved[k]);
    int *node = dae_model_same_size(&b->value, &saved[k]) ? b->value.node : saved[k].node;
    b->value = saved[k];
    b->value.node = node;
    if (nodes && node != saved[k].node) memcpy(node, saved[k].node, nodes * sizeof(int));
  }
}

/* values where a condition holds, `yes`, and where it does not, the present ones; a local whose
   size differs has none */
static void join(dae_model *m, dae_scope *scope, int c, const dae_value *yes, bool left) {
  int i = 0;
  for (dae_binding *b = scope->first; b; b = b->next, i++) {
    bool same = dae_model_same_size(&b->value, &yes[i]);
    for (int j = 0; j < dae_model_nodes(&b->value); j++) {
      int *no = &b->value.node[j], other = same ? yes[i].node[j] : -1;
      if (other == *no) continue;
      *no = dae_model_either(&m->graph, c, other, *no, left);
    }
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

/* may one of the two branches have been left? */
static bool may_leave(const dae_model *m, const dae_scope *scope, leaving yes) {
  int zero = m->graph.zero;
  return scope->broken != zero || scope->returned != zero || yes.broken != zero ||
         yes.returned != zero;
}

static bool run_branches(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope);
static bool run_when(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope);

/* branch k where c holds, else those after it */
static bool run_both(dae_model *m, const dae_ast_eq *s, int k, int c, dae_scope *scope) {
  const dae_value *before = snapshot(m, scope);
  int path = scope->path;
  leaving at_first = {scope->broken, scope->returned};
  bool failed = scope->fails, there_fails;
  scope->fails = false;
  /* asserts of a `when` know their branch; its number is no condition of the model */
  if (s->kind == EQ_IF) dae_model_under(m, scope, c);
  if (!dae_model_run_statements(m, s->body[k], scope)) return false;
  const dae_value *yes = snapshot(m, scope);
  leaving there = {scope->broken, scope->returned};
  there_fails = scope->fails;
  scope->fails = false;
  restore(scope, before);
  scope->broken = at_first.broken, scope->returned = at_first.returned;
  scope->path = path;
  if (s->kind == EQ_IF) dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c));
  if (!run_branches(m, s, k + 1, scope)) return false;
  scope->path = path;
  /* where a branch ends the run by assert(false, ..) what it leaves does not count */
  if (!there_fails && scope->fails) restore(scope, yes);
  else if (!there_fails) join(m, scope, c, yes, may_leave(m, scope, there));
  join_leaving(m, scope, c, there);
  scope->fails = failed || (there_fails && scope->fails);
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

static bool run_open_for(dae_model *m, const dae_ast_eq *s, dae_scope *scope);

static bool run_for(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (k == s->conditions) return dae_model_run_statements(m, s->body[0], scope);
  dae_value range;
  const dae_ast *r = s->condition[k];
  if (r->kind == AST_RANGE && s->conditions == 1) {
    dae_value last;
    if (!dae_model_eval(m, r->args[r->count - 1], scope, &last)) return false;
    if (last.type == TYPE_INTEGER && !last.rank && !dae_model_constant(&m->graph, last.node[0]))
      return run_open_for(m, s, scope);
  }
  if (!dae_model_loop_range(m, s->condition[k], s->iterator[k], NULL, s->body[0], scope, &range))
    return false;
  dae_binding loop = {.name = s->iterator[k], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  int outside = scope->broken;
  for (int i = 0; i < range.count && ok && !surely_left(m, scope); i++) {
    loop.value = dae_model_element(m, &range, i);
    ok = run_for(m, s, k + 1, scope);
  }
  if (k == 0) scope->broken = outside;
  scope->first = loop.next;
  return ok;
}

/* an exit: where a loop or a list of statements did not go on, and what the locals were then */
typedef struct leave {
  int held; /* the condition under which it went on */
  const dae_value *values;
  leaving left;
} leave;

typedef struct exits {
  leave *list;
  int count, capacity;
} exits;

/* the loop goes on where `held`; where not, the present values are those behind it */
static void add_exit(dae_model *m, dae_scope *scope, exits *x, int held) {
  x->list = dae_model_grow(&m->built, x->list, &x->capacity, x->count + 1, sizeof *x->list);
  x->list[x->count++] = (leave){held, snapshot(m, scope), {scope->broken, scope->returned}};
  dae_model_under(m, scope, held);
}

/* after a break or return that may have happened: on the way on it has not */
static void go_on(dae_model *m, dae_scope *scope, exits *x) {
  int gone = left(m, scope);
  if (dae_model_constant(&m->graph, gone)) return;
  add_exit(m, scope, x, dae_model_op1(&m->graph, OP_NOT, gone));
  scope->broken = scope->returned = m->graph.zero;
  int held = dae_model_op1(&m->graph, OP_NOT, gone);
  for (dae_binding *b = scope->first; b; b = b->next)
    for (int i = 0; i < dae_model_nodes(&b->value); i++)
      b->value.node[i] = dae_model_assume(&m->graph, held, b->value.node[i]);
}

/* the values at the exits are joined, the last one first */
static void join_exits(dae_model *m, dae_scope *scope, exits *x) {
  while (x->count-- > 0) {
    const leave *l = &x->list[x->count];
    int over = dae_model_op1(&m->graph, OP_NOT, l->held);
    join(m, scope, over, l->values, may_leave(m, scope, l->left));
    join_leaving(m, scope, over, l->left);
  }
}

/* a loop whose end depends on values is written out so often; one that goes on then ends the run */
enum { REPEATS_KNOWN = 100000, REPEATS_OPEN = 300 };

void dae_model_give_up(dae_model *m, dae_scope *scope) {
  for (dae_binding *b = scope->first; b; b = b->next)
    for (int i = 0; i < dae_model_nodes(&b->value); i++)
      if (b->value.node[i] < 0) b->value.node[i] = m->graph.zero;
}

/* does the loop go on? 1: the body is run once more, 0: it is over, -1 after an error */
static int goes_on(dae_model *m, const dae_value *c, uint32_t place, int repeated, exits *x,
                   dae_scope *scope) {
  if (c->type != TYPE_BOOLEAN || c->rank) {
    dae_model_error(&m->source, place, "a condition must be a Boolean scalar, such as x > 0");
    return -1;
  }
  bool known = dae_model_constant(&m->graph, c->node[0]);
  if (known && m->graph.node[c->node[0]].value == 0) return 0;
  if (repeated == REPEATS_KNOWN) {
    dae_model_error(&m->source, place, "this 'while' has no end");
    return -1;
  }
  if (!known) add_exit(m, scope, x, c->node[0]);
  if (x->count <= REPEATS_OPEN) return 1;
  char text[100];
  snprintf(text, sizeof text, "a loop whose end depends on values repeats more than %d times",
           (int)REPEATS_OPEN);
  dae_model_give_up(m, scope);
  return dae_model_require(m, m->graph.zero, text, place, scope) ? 0 : -1;
}

/* for i in first:step:i_last with an i_last that varies, as while i <= i_last */
typedef struct counter {
  dae_binding loop;
  double first, step;
  int last; /* a node */
} counter;

static bool begin_counter(dae_model *m, const dae_ast_eq *s, dae_scope *scope, counter *count) {
  const dae_ast *r = s->condition[0];
  double x[2] = {0, 1};
  dae_value last;
  dae_type type;
  for (int k = 0; k < r->count - 1; k++) {
    if (!dae_model_eval_number(m, r->args[k], scope, &type, &x[k])) return false;
    if (type != TYPE_INTEGER || (k == 1 && x[1] == 0)) {
      dae_model_error(&m->source, r->place, "a loop with an end that varies needs whole numbers");
      return false;
    }
  }
  if (!dae_model_eval(m, r->args[r->count - 1], scope, &last)) return false;
  *count = (counter){.first = x[0], .step = x[1], .last = last.node[0]};
  count->loop = (dae_binding){.name = s->iterator[0], .next = scope->first, .input = true};
  return true;
}

static bool loop_condition(dae_model *m, const dae_ast_eq *s, counter *count, int i,
                           dae_scope *scope, dae_value *c) {
  if (!count) return dae_model_eval(m, s->condition[0], scope, c);
  int at = dae_model_const(&m->graph, count->first + i * count->step);
  count->loop.value = dae_model_scalar(m, TYPE_INTEGER, at);
  int op = count->step > 0 ? OP_LE : OP_GE;
  *c = dae_model_scalar(m, TYPE_BOOLEAN, dae_model_op2(&m->graph, op, at, count->last));
  return true;
}

/* while: run along the way on which it goes on, so that what is known there stays known; then the
   values at its exits are joined, the last one first */
static bool run_open(dae_model *m, const dae_ast_eq *s, counter *count, dae_scope *scope) {
  const leaving outside = {scope->broken, scope->returned};
  int path = scope->path, more = 1;
  bool failed = scope->fails;
  exits x = {0};
  scope->broken = scope->returned = m->graph.zero;
  for (int i = 0; !surely_left(m, scope); i++) {
    dae_value c;
    if (!loop_condition(m, s, count, i, scope, &c)) return false;
    more = goes_on(m, &c, s->condition[0]->place, i, &x, scope);
    if (more < 0) return false;
    if (!more) break;
    if (!dae_model_run_statements(m, s->body[0], scope)) return false;
    go_on(m, scope, &x);
  }
  scope->path = path;
  /* what fails behind an exit need not be reached */
  if (x.count > 0) scope->fails = failed;
  join_exits(m, scope, &x);
  scope->broken = outside.broken;
  scope->returned = dae_model_op2(&m->graph, OP_OR, outside.returned, scope->returned);
  return true;
}

static bool run_open_for(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  counter count;
  if (!begin_counter(m, s, scope, &count)) return false;
  scope->first = &count.loop;
  bool ok = run_open(m, s, &count, scope);
  scope->first = count.loop.next;
  return ok;
}

static bool run_assignment(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  if (s->left->kind != AST_TUPLE) {
    dae_value value;
    return dae_model_eval(m, s->right, scope, &value) &&
           dae_model_assign(m, s->left, &value, scope);
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
    if (s->left->args[k] && !dae_model_assign(m, s->left->args[k], &value[k], scope)) return false;
  return true;
}

static bool run_call(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  const char *name = m->names.text[s->left->name];
  bool ok;
  if (strcmp(name, "assert") == 0) {
    dae_value c;
    if (!dae_model_add_assert(m, s->left, scope)) return false;
    if (s->left->count < 3 && dae_model_eval(m, s->left->args[0], scope, &c) &&
        dae_model_is(&m->graph, c.node[0], 0))
      scope->fails = true;
    return true;
  }
  if (scope->branch > 0 && !scope->function)
    return dae_model_when_call(m, s, scope->branch - 1, scope);
  if (strcmp(name, "terminate") == 0 && !scope->function)
    return dae_model_end_at_once(m, s->left, scope);
  if (dae_model_call_alone(m, s->left, scope, &ok)) return ok;
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
    case EQ_WHILE: return run_open(m, s, NULL, scope);
    case EQ_BREAK: scope->broken = m->graph.one; return true;
    case EQ_RETURN: scope->returned = m->graph.one; return true;
    case EQ_WHEN: break;
  }
  if (!scope->function && !scope->path && !scope->branch) return run_when(m, s, 0, scope);
  dae_model_error(&m->source, s->place, "'when' has no meaning in %s",
                  scope->function ? "a function" : "another 'when' or 'if'");
  return false;
}

/* where a break or return may have happened, the values then are kept, and the rest runs where it
   has not */
bool dae_model_run_statements(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  int path = scope->path;
  bool failed = scope->fails;
  exits x = {0};
  for (; s && !surely_left(m, scope); s = s->next) {
    if (x.count == 0) failed = scope->fails;
    go_on(m, scope, &x);
    if (!run_one(m, s, scope)) return false;
  }
  scope->path = path;
  /* what fails behind an exit need not be reached */
  if (x.count > 0) scope->fails = failed;
  join_exits(m, scope, &x);
  return true;
}
