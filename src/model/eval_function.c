/* user functions: their algorithm is run on nodes, so that a call becomes plain expressions */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* calls of a function inside itself: with known arguments, and with others, where the run ends when
   more are needed */
enum { RECURSIONS = 100, RECURSIONS_OPEN = 40 };

/* the actual value of input number k: by position, by name, or the default */
static bool actual(dae_model *m, const dae_ast_decl *d, int k, const dae_ast *call,
                   dae_scope *caller, dae_scope *inside, dae_value *out) {
  const dae_ast *e = NULL;
  for (int i = 0; i < call->count; i++) {
    bool named = call->u.arg_name && call->u.arg_name[i] >= 0;
    if (named ? call->u.arg_name[i] == d->name : i == k) e = call->args[i];
  }
  if (e) {
    dae_type type;
    const dae_ast_class *alias, *expected = caller->literals;
    if (!dae_model_resolve_type(m, d, &type, &alias)) return false;
    caller->literals = type == TYPE_ENUM ? alias : NULL;
    bool ok = dae_model_eval(m, e, caller, out);
    caller->literals = expected;
    return ok;
  }
  if (d->binding) return dae_model_eval(m, d->binding, inside, out);
  dae_model_error(&m->source, call->place,
                  "the call of '%.60s' gives no value for its input '%.60s'",
                  m->names.text[call->name], m->names.text[d->name]);
  return false;
}

/* the value of a local with nothing in it; ":" takes the size of `given`, or is left open */
static bool shape_of(dae_model *m, const dae_ast_decl *d, dae_scope *inside, const dae_value *given,
                     dae_value *out, bool *open) {
  const dae_ast_class *alias;
  dae_value like = {0};
  dae_value nothing = {.rank = DAE_DIMS_MAX};
  int rank, dim[DAE_DIMS_MAX];
  if (!dae_model_resolve_type(m, d, &like.type, &alias)) return false;
  *open = false;
  for (int k = 0; k < d->dims && !given; k++) *open = *open || d->dim[k]->kind == AST_COLON;
  const dae_value *from = given ? given : *open ? &nothing : NULL;
  bool record = like.type == TYPE_RECORD;
  if (!dae_model_eval_dims(m, d, record ? NULL : alias, inside, from, &rank, dim)) return false;
  if (record && given && given->type == TYPE_RECORD) like.record = given->record;
  else if (record && !dae_model_record_shape(m, alias, inside, &like)) return false;
  if (like.type == TYPE_ENUM) like.literals = alias;
  *out = dae_model_array_like(m, &like, rank, dim);
  return true;
}

/* output R r(x = a): values of fields, by modifications or as the record has them */
static bool fill_fields(dae_model *m, const dae_ast_decl *d, dae_binding *b, dae_scope *inside) {
  const dae_ast_class *c = dae_model_record_class(m, d->type_name);
  const dae_record *r = b->value.record;
  for (int k = 0; k < r->fields && c; k++) {
    const dae_ast *e = NULL;
    for (const dae_ast_decl *x = c->decls; x; x = x->next)
      if (x->name == r->field[k].name && c->kind == CLASS_RECORD) e = x->binding;
    for (const dae_ast_mod *mod = d->mods; mod; mod = mod->next)
      if (mod->name == r->field[k].name && mod->value) e = mod->value;
    dae_value value;
    if (!e) continue;
    if (!dae_model_eval(m, e, inside, &value)) return false;
    if (!dae_model_same_size(&r->field[k].shape, &value) ||
        !dae_model_accepts(&r->field[k].shape, &value)) {
      dae_model_error(&m->source, e->place,
                      "the field '%.60s' and its value differ in size or type",
                      m->names.text[r->field[k].name]);
      return false;
    }
    if (r->field[k].width)
      memcpy(b->value.node + r->field[k].offset, value.node,
             (size_t)r->field[k].width * sizeof(int));
  }
  return true;
}

/* a local of the function: inputs get their values, others start unassigned or with their
   default */
static bool declare(dae_model *m, const dae_ast_decl *d, int input, const dae_ast *call,
                    dae_scope *caller, dae_scope *inside) {
  dae_binding *b = dae_model_take(&m->built, 1, sizeof *b);
  dae_value value = {0};
  bool is_input = d->causality == CAUSAL_INPUT, given = is_input || d->binding;
  if (is_input && !actual(m, d, input, call, caller, inside, &value)) return false;
  if (!is_input && d->binding && !dae_model_eval(m, d->binding, inside, &value)) return false;
  *b = (dae_binding){.name = d->name, .input = is_input, .decl = d, .value = value};
  /* behind all others: a loop may stand in front. Its size may be asked for in its own declaration:
     input Real A[:, size(A, 1)] */
  dae_binding **end = &inside->first;
  while (*end) end = &(*end)->next;
  if (given) *end = b;
  if (!shape_of(m, d, inside, given ? &value : NULL, &b->value, &b->open)) return false;
  if (given) {
    bool size = !dae_model_same_size(&b->value, &value);
    if (size || !dae_model_accepts(&b->value, &value)) {
      char left[80], right[80];
      dae_model_error(&m->source, is_input ? call->place : d->place,
                      "'%.60s' of '%.60s' is %s, the value is %s", m->names.text[d->name],
                      m->names.text[inside->function->name],
                      size ? dae_model_size_text(&b->value, left, sizeof left)
                           : dae_model_type_text(m, &b->value, left, sizeof left),
                      size ? dae_model_size_text(&value, right, sizeof right)
                           : dae_model_type_text(m, &value, right, sizeof right));
      return false;
    }
    int nodes = dae_model_nodes(&value);
    if (nodes) memcpy(b->value.node, value.node, (size_t)nodes * sizeof(int));
  }
  if (!given) {
    for (end = &inside->first; *end;) end = &(*end)->next;
    *end = b;
  }
  return given || b->value.type != TYPE_RECORD || b->value.rank || fill_fields(m, d, b, inside);
}

/* the declaration of a local that is used by one before it, as in output Real y = n; protected
   Integer n = 2; 1 it has its value now, 0 there is none, -1 after an error */
int dae_model_declare_ahead(dae_model *m, int name, dae_scope *inside) {
  int input = 0;
  if (!inside->call || !inside->function) return 0;
  for (const dae_ast_decl *d = inside->function->decls; d; d = d->next) {
    bool is_input = d->causality == CAUSAL_INPUT;
    input += is_input;
    if (d->name != name) continue;
    for (const dae_ahead *a = inside->ahead; a; a = a->next)
      if (a->name == name) return 0;
    dae_ahead here = {.name = name, .next = inside->ahead};
    inside->ahead = &here;
    bool ok = declare(m, d, is_input ? input - 1 : -1, inside->call, inside->caller, inside);
    inside->ahead = here.next;
    return ok ? 1 : -1;
  }
  return 0;
}

/* a call whose arguments are known values */
static dae_ast *with_values(dae_model *m, const dae_ast *call, const dae_value *arg) {
  dae_ast *e = dae_model_take(&m->built, 1, sizeof *e), *part;
  *e = *call;
  e->args = dae_model_take(&m->built, (size_t)call->count, sizeof *e->args);
  for (int i = 0; i < call->count; i++) {
    part = dae_model_take(&m->built, 1, sizeof *part);
    *part = (dae_ast){.kind = AST_VALUE, .place = call->args[i]->place, .name = -1};
    part->u.value = &arg[i];
    e->args[i] = part;
  }
  return e;
}

/* the input that argument i goes to, NULL: none */
static const dae_ast_decl *input_of(const dae_ast_class *f, const dae_ast *call, int i) {
  int k = 0, named = call->u.arg_name ? call->u.arg_name[i] : -1;
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (d->causality == CAUSAL_INPUT && (named >= 0 ? d->name == named : k++ == i)) return d;
  return NULL;
}

/* all arguments, and how many dimensions each has beyond those of its input: the first such ones
   give `shape`, whose rank is 0 where there are none */
static bool eval_arguments(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                           dae_scope *scope, dae_value *arg, int *more, dae_value *shape) {
  bool agree = true;
  *shape = (dae_value){.count = 1};
  for (int i = 0; i < call->count; i++) {
    const dae_ast_class *alias = NULL, *expected = scope->literals;
    const dae_ast_decl *d = input_of(f, call, i);
    dae_type type = TYPE_REAL;
    if (d && !dae_model_resolve_type(m, d, &type, &alias)) return false;
    scope->literals = type == TYPE_ENUM ? alias : NULL;
    bool ok = dae_model_eval(m, call->args[i], scope, &arg[i]);
    scope->literals = expected;
    if (!ok) return false;
    int own = !d ? arg[i].rank : d->dims + (alias && type != TYPE_RECORD ? alias->dims : 0);
    more[i] = arg[i].rank - own;
    if (more[i] <= 0) continue;
    dae_value outer = {.rank = more[i], .count = 1};
    for (int j = 0; j < more[i]; j++) outer.count *= outer.dim[j] = arg[i].dim[j];
    agree = agree && (shape->rank == 0 || dae_model_same_size(shape, &outer));
    *shape = outer;
  }
  if (!agree) shape->rank = 0; /* the size of an argument is wrong: the call says so */
  return true;
}

bool dae_model_call_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out) {
  dae_value *arg = dae_model_take(&m->built, (size_t)call->count + 1, sizeof *arg), shape;
  dae_value *part = dae_model_take(&m->built, (size_t)call->count + 1, sizeof *part), all = {0};
  int *more = dae_model_ints(&m->built, call->count + 1), nodes = 0, dim[2 * DAE_DIMS_MAX];
  if (!eval_arguments(m, f, call, scope, arg, more, &shape)) return false;
  if (shape.rank == 0 || shape.count == 0)
    return dae_model_eval_function(m, f, with_values(m, call, arg), scope, out, 1);
  for (int e = 0; e < shape.count; e++) {
    for (int i = 0; i < call->count; i++) {
      part[i] = arg[i];
      if (more[i] <= 0) continue;
      int rank = arg[i].rank - more[i], width = dae_model_nodes(&arg[i]) / shape.count;
      part[i] = dae_model_array_like(m, &arg[i], rank, arg[i].dim + more[i]);
      memcpy(part[i].node, arg[i].node + (size_t)e * (size_t)width, (size_t)width * sizeof(int));
    }
    dae_value one;
    if (!dae_model_eval_function(m, f, with_values(m, call, part), scope, &one, 1)) return false;
    if (e == 0 && shape.rank + one.rank <= DAE_DIMS_MAX) {
      memcpy(dim, shape.dim, (size_t)shape.rank * sizeof(int));
      memcpy(dim + shape.rank, one.dim, (size_t)one.rank * sizeof(int));
      all = dae_model_array_like(m, &one, shape.rank + one.rank, dim);
      nodes = dae_model_nodes(&one);
    }
    if (!all.node || dae_model_nodes(&one) != nodes) {
      dae_model_error(&m->source, call->place,
                      "the values of this call for the elements of an "
                      "array differ in size, or have too many dimensions");
      return false;
    }
    if (nodes) memcpy(all.node + (size_t)e * (size_t)nodes, one.node, (size_t)nodes * sizeof(int));
  }
  *out = all;
  return true;
}

static bool inputs_vary(const dae_model *m, const dae_scope *inside) {
  for (const dae_binding *b = inside->first; b; b = b->next)
    for (int i = 0; b->input && i < dae_model_nodes(&b->value); i++)
      if (!dae_model_constant(&m->graph, b->value.node[i])) return true;
  return false;
}

/* a recursion that is as deep as it is written out: where it goes deeper the run ends */
static bool end_recursion(dae_model *m, const dae_ast *call, dae_scope *inside) {
  char text[140];
  snprintf(text, sizeof text, "'%.60s' calls itself more than %d times",
           m->names.text[inside->function->name], (int)RECURSIONS_OPEN);
  dae_model_give_up(m, inside);
  return dae_model_require(m, m->graph.zero, text, call->place, inside);
}

/* the outputs of a function that has run; of a record some fields may be missing, where nobody asks
   for them */
static bool take_outputs(dae_model *m, const dae_ast_class *f, const dae_scope *inside,
                         dae_value *out, int count, int *taken) {
  int k = 0;
  for (const dae_ast_decl *d = f->decls; d && k < count; d = d->next) {
    if (d->causality != CAUSAL_OUTPUT) continue;
    out[k] = dae_model_find_local(inside, d->name)->value;
    int missing = 0, nodes = dae_model_nodes(&out[k]);
    for (int i = 0; i < nodes; i++) missing += out[k].node[i] < 0;
    if (missing && (out[k].type != TYPE_RECORD || missing == nodes)) {
      dae_model_error(&m->source, d->place,
                      "the function '%.60s' never assigns all of its output '%.60s'",
                      m->names.text[f->name], m->names.text[d->name]);
      return false;
    }
    k++;
  }
  *taken = k;
  return true;
}

bool dae_model_eval_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out, int count) {
  const char *name = m->names.text[f->name];
  int again = 0;
  if (f->by_count) return dae_model_eval_partial(m, f, call, scope, out, count);
  for (const dae_scope *s = scope; s; s = s->caller) again += s->function == f;
  if (again > RECURSIONS) {
    dae_model_error(&m->source, call->place, "'%.60s' calls itself without an end", name);
    return false;
  }
  if (f->is_partial) {
    dae_model_error(&m->source, call->place, "'%.60s' is partial: it cannot be called", name);
    return false;
  }
  if (f->external && !m->options.external && !dae_model_external_known(m, f)) {
    dae_model_error(&m->source, call->place,
                    "'%.60s' is an external function: the option --external FILE (.so or .c) "
                    "allows calls of the C functions in that file",
                    name);
    return false;
  }
  dae_scope inside = {.function = f,
                      .caller = scope,
                      .end = -1,
                      .no_event = scope->no_event,
                      .path = scope->path,
                      .branch = scope->branch,
                      .broken = m->graph.zero,
                      .returned = m->graph.zero};
  int inputs = 0;
  inside.call = call;
  for (const dae_ast_decl *d = f->decls; d; d = d->next) {
    inputs += d->causality == CAUSAL_INPUT;
    if (!dae_model_find_local(&inside, d->name) && dae_model_declare_ahead(m, d->name, &inside) < 0)
      return false;
  }
  inside.call = NULL;
  if (call->count > inputs) {
    dae_model_error(&m->source, call->place, "'%.60s' has %d input%s, not %d", name, inputs,
                    inputs == 1 ? "" : "s", call->count);
    return false;
  }
  bool deep = again > RECURSIONS_OPEN && inputs_vary(m, &inside);
  bool ran = deep          ? end_recursion(m, call, &inside)
             : f->external ? dae_model_run_external(m, f, &inside)
                           : dae_model_run_statements(m, f->algorithm, &inside);
  if (!ran) return false;
  int k;
  if (!take_outputs(m, f, &inside, out, count, &k)) return false;
  if (k == count) return true;
  dae_model_error(&m->source, call->place, "'%.60s' has %d output%s, %d %s needed", name, k,
                  k == 1 ? "" : "s", count, count == 1 ? "is" : "are");
  return false;
}
