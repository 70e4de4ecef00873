/* user functions: their algorithm is run on nodes, so that a call becomes plain expressions */
#include <string.h>

#include "model/model.h"

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
  if (f->is_external) {
    dae_model_error(&m->source, call->place,
                    "'%.60s' is an external function: only functions with an algorithm can be "
                    "called",
                    name);
    return false;
  }
  dae_scope inside = {.function = f,
                      .caller = scope,
                      .end = -1,
                      .no_event = scope->no_event,
                      .path = scope->path,
                      .broken = m->graph.zero,
                      .returned = m->graph.zero};
  int inputs = 0;
  for (const dae_ast_decl *d = f->decls; d; d = d->next)
    if (!declare(m, d, d->causality == CAUSAL_INPUT ? inputs++ : -1, call, scope, &inside))
      return false;
  if (call->count > inputs) {
    dae_model_error(&m->source, call->place, "'%.60s' has %d input%s, not %d", name, inputs,
                    inputs == 1 ? "" : "s", call->count);
    return false;
  }
  if (!dae_model_run_statements(m, f->algorithm, &inside)) return false;
  int k = 0;
  for (const dae_ast_decl *d = f->decls; d && k < count; d = d->next) {
    if (d->causality != CAUSAL_OUTPUT) continue;
    out[k] = dae_model_find_local(&inside, d->name)->value;
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
