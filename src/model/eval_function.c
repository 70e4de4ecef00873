/* user functions: their algorithm is run on nodes, so that a call becomes plain expressions */
#include <string.h>

#include "model/model.h"

static bool run(dae_model *m, const dae_ast_eq *s, dae_scope *scope);

static dae_binding *find(const dae_scope *scope, int name) {
  dae_binding *b = scope->first;
  while (b && b->name != name) b = b->next;
  return b;
}

/* target[subscripts] := value */
static bool assign(dae_model *m, const dae_ast *target, const dae_value *value, dae_scope *scope) {
  dae_binding *b = target->kind == AST_REF && target->name >= 0 ? find(scope, target->name) : NULL;
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

/* if with a condition that varies: run both ways and join what differs */
static bool run_branches(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (k == s->conditions) return k >= s->bodies || run(m, s->body[k], scope);
  dae_value c;
  if (!dae_model_eval(m, s->condition[k], scope, &c)) return false;
  if (c.type != TYPE_BOOLEAN || c.rank) {
    dae_model_error(&m->source, s->condition[k]->place,
                    "a condition must be a Boolean scalar, such as x > 0");
    return false;
  }
  if (dae_model_constant(&m->graph, c.node[0]))
    return m->graph.node[c.node[0]].value != 0 ? run(m, s->body[k], scope)
                                               : run_branches(m, s, k + 1, scope);
  int **before = snapshot(m, scope), path = dae_model_under(m, scope, c.node[0]);
  if (!run(m, s->body[k], scope)) return false;
  int **yes = snapshot(m, scope);
  restore(scope, before);
  scope->path = path;
  dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c.node[0]));
  if (!run_branches(m, s, k + 1, scope)) return false;
  scope->path = path;
  int i = 0;
  for (dae_binding *b = scope->first; b; b = b->next, i++)
    for (int j = 0; j < b->value.count; j++) {
      int *no = &b->value.node[j];
      if (yes[i][j] == *no) continue;
      *no = yes[i][j] < 0 || *no < 0 ? -1
                                     : dae_model_node(&m->graph, OP_IF, c.node[0], yes[i][j], *no);
    }
  return true;
}

static bool run_for(dae_model *m, const dae_ast_eq *s, int k, dae_scope *scope) {
  if (k == s->conditions) return run(m, s->body[0], scope);
  dae_value range;
  if (!dae_model_eval(m, s->condition[k], scope, &range)) return false;
  if (range.rank != 1) {
    dae_model_error(&m->source, s->condition[k]->place, "a loop runs over a range or a vector");
    return false;
  }
  dae_binding loop = {.name = s->iterator[k], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  for (int i = 0; i < range.count && ok; i++) {
    loop.value = dae_model_scalar(m, range.type, range.node[i]);
    ok = run_for(m, s, k + 1, scope);
  }
  scope->first = loop.next;
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
    if (!assign(m, s->left->args[k], &value[k], scope)) return false;
  return true;
}

static bool refuse_call(dae_model *m, const dae_ast_eq *s) {
  dae_model_error(&m->source, s->place, "'%.60s' alone does nothing in a function",
                  m->names.text[s->left->name]);
  return false;
}

static bool run(dae_model *m, const dae_ast_eq *s, dae_scope *scope) {
  for (; s; s = s->next) {
    bool ok = true;
    switch ((dae_eq_kind)s->kind) {
    case EQ_SIMPLE:
      ok = run_assignment(m, s, scope);
      break;
    case EQ_FOR:
      ok = run_for(m, s, 0, scope);
      break;
    case EQ_IF:
      ok = run_branches(m, s, 0, scope);
      break;
    case EQ_CALL:
      ok = strcmp(m->names.text[s->left->name], "assert") == 0
               ? dae_model_add_assert(m, s->left, scope)
               : refuse_call(m, s);
      break;
    case EQ_WHEN:
      dae_model_error(&m->source, s->place, "'when' has no meaning in a function");
      ok = false;
    }
    if (!ok) return false;
  }
  return true;
}

/* the actual value of input number k: by position, by name, or the default */
static bool actual(dae_model *m, const dae_ast_decl *d, int k, const dae_ast *call,
                   dae_scope *caller, dae_scope *inside, dae_value *out) {
  const dae_ast *e = NULL;
  for (int i = 0; i < call->count; i++) {
    bool named = call->u.arg_name && call->u.arg_name[i] >= 0;
    if (named ? call->u.arg_name[i] == d->name : i == k) e = call->args[i];
  }
  if (e) return dae_model_eval(m, e, caller, out);
  if (d->binding) return dae_model_eval(m, d->binding, inside, out);
  dae_model_error(&m->source, call->place,
                  "the call of '%.60s' gives no value for its input '%.60s'",
                  m->names.text[call->name], m->names.text[d->name]);
  return false;
}

/* a local of the function: inputs get their values, others start unassigned or with their
   default */
static bool declare(dae_model *m, const dae_ast_decl *d, int input, const dae_ast *call,
                    dae_scope *caller, dae_scope *inside) {
  dae_binding *b = dae_model_take(&m->built, 1, sizeof *b);
  const dae_ast_class *alias;
  dae_type type;
  dae_value value = {0};
  int rank, dim[DAE_DIMS_MAX];
  bool is_input = d->causality == CAUSAL_INPUT, given = is_input || d->binding;
  if (!dae_model_resolve_type(m, d, &type, &alias)) return false;
  if (is_input && !actual(m, d, input, call, caller, inside, &value)) return false;
  if (!is_input && d->binding && !dae_model_eval(m, d->binding, inside, &value)) return false;
  if (!dae_model_eval_dims(m, d, alias, inside, given ? &value : NULL, &rank, dim)) return false;
  *b = (dae_binding){.name = d->name, .input = is_input, .decl = d, .next = inside->first};
  b->value = dae_model_array(m, type, rank, dim);
  if (given) {
    if (!dae_model_same_size(&b->value, &value) ||
        (value.type == TYPE_BOOLEAN) != (type == TYPE_BOOLEAN) ||
        (value.type == TYPE_STRING) != (type == TYPE_STRING)) {
      char left[80], right[80];
      dae_model_error(&m->source, is_input ? call->place : d->place,
                      "'%.60s' of '%.60s' is %s, the value is %s", m->names.text[d->name],
                      m->names.text[inside->function->name],
                      dae_model_size_text(&b->value, left, sizeof left),
                      dae_model_size_text(&value, right, sizeof right));
      return false;
    }
    if (value.count) memcpy(b->value.node, value.node, (size_t)value.count * sizeof(int));
  }
  inside->first = b;
  return true;
}

bool dae_model_eval_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out, int count) {
  const char *name = m->names.text[f->name];
  for (const dae_scope *s = scope; s; s = s->caller)
    if (s->function == f) {
      dae_model_error(&m->source, call->place,
                      "'%.60s' calls itself: recursive functions are not supported", name);
      return false;
    }
  dae_scope inside = {.function = f, .caller = scope, .end = -1, .no_event = scope->no_event,
                      .path = scope->path};
  int inputs = 0;
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (!declare(m, d, d->causality == CAUSAL_INPUT ? inputs++ : -1, call, scope, &inside))
      return false;
  if (call->count > inputs) {
    dae_model_error(&m->source, call->place, "'%.60s' has %d input%s, not %d", name, inputs,
                    inputs == 1 ? "" : "s", call->count);
    return false;
  }
  if (!run(m, f->algorithm, &inside)) return false;
  int k = 0;
  for (const dae_ast_decl *d = f->decls; d && k < count; d = d->next) {
    if (d->causality != CAUSAL_OUTPUT) continue;
    out[k] = find(&inside, d->name)->value;
    for (int i = 0; i < out[k].count; i++)
      if (out[k].node[i] < 0) {
        dae_model_error(&m->source, d->place,
                        "the function '%.60s' never assigns all of its output '%.60s'", name,
                        m->names.text[d->name]);
        return false;
      }
    k++;
  }
  if (k == count) return true;
  dae_model_error(&m->source, call->place, "'%.60s' has %d output%s, %d %s needed", name, k,
                  k == 1 ? "" : "s", count, count == 1 ? "is" : "are");
  return false;
}
