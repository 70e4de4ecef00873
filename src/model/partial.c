/* function f_x = der(f, x): f is run with a stand-in for x, by which its outputs are differentiated
 */
#include <string.h>

#include "model/model.h"

enum { FIRST_STAND_IN = 1000000 }; /* smaller numbers are arguments of C functions */

/* d node / d leaf */
static int derivative(dae_graph *g, int node, int leaf) {
  dae_gradient row = {0};
  int value = g->zero;
  dae_model_gradient(g, node, &row);
  for (int k = 0; k < row.count; k++)
    if (row.leaf[k] == leaf) value = row.value[k];
  dae_base_give(&g->arena->pool, row.leaf);
  dae_base_give(&g->arena->pool, row.value);
  return value;
}

/* the actual argument of an input, -1: the call leaves it to the default */
static int argument_of(const dae_ast_class *f, const dae_ast *call, int name) {
  int k = 0;
  for (const dae_ast_decl *d = f->decls; d; d = d->next) {
    if (d->causality != CAUSAL_INPUT) continue;
    if (d->name == name) break;
    k++;
  }
  for (int i = 0; i < call->count; i++) {
    bool named = call->u.arg_name && call->u.arg_name[i] >= 0;
    if (named ? call->u.arg_name[i] == name : i == k) return i;
  }
  return -1;
}

static bool refuse(dae_model *m, const dae_ast_class *f, uint32_t place, const char *why,
                   int name) {
  dae_model_error(&m->source, place, "'%.60s' is the derivative of a function: '%.60s' %s",
                  m->names.text[f->name], m->names.text[name], why);
  return false;
}

typedef struct stand_ins {
  int count, *leaf, *node;
} stand_ins;

static int actual(dae_graph *g, int leaf, void *ctx) {
  const stand_ins *s = ctx;
  (void)g;
  for (int k = 0; k < s->count; k++)
    if (s->leaf[k] == leaf) return s->node[k];
  return leaf;
}

/* the call with stand-ins in place of what is differentiated by */
static bool prepare(dae_model *m, const dae_ast_class *f, dae_ast *call, dae_scope *scope,
                    stand_ins *s) {
  dae_ast **args = dae_model_take(&m->built, (size_t)call->count + 1, sizeof *args);
  if (call->count) memcpy(args, call->args, (size_t)call->count * sizeof *args);
  call->args = args;
  s->leaf = dae_model_ints(&m->built, f->by_count);
  s->node = dae_model_ints(&m->built, f->by_count);
  for (int k = 0; k < f->by_count; k++) {
    int i = argument_of(f, call, f->by[k]), before = 0;
    if (i < 0) return refuse(m, f, call->place, "is no input of it that this call gives", f->by[k]);
    while (before < k && f->by[before] != f->by[k]) before++;
    s->count = k + 1;
    s->leaf[k] = s->leaf[before];
    s->node[k] = s->node[before];
    if (before < k) continue; /* d2/dx2 */
    dae_value *v = dae_model_take(&m->built, 1, sizeof *v);
    if (!dae_model_eval(m, args[i], scope, v)) return false;
    if (v->rank || v->type > TYPE_INTEGER)
      return refuse(m, f, call->place, "must be a Real scalar", f->by[k]);
    s->node[k] = v->node[0];
    s->leaf[k] = dae_model_var(&m->graph, FIRST_STAND_IN + m->stand_ins++, 0, WHEN_ARGUMENT);
    *v = dae_model_scalar(m, TYPE_REAL, s->leaf[k]);
    dae_ast *e = dae_model_take(&m->built, 1, sizeof *e);
    *e = (dae_ast){.kind = AST_VALUE, .place = call->args[i]->place, .name = -1};
    e->u.value = v;
    args[i] = e;
  }
  return true;
}

static const dae_ast_class *function_of(const dae_model *m, const dae_ast_class *f) {
  return f->base_name < m->named ? m->functions[f->base_name] : NULL;
}

bool dae_model_eval_partial(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                            dae_scope *scope, dae_value *out, int count) {
  dae_graph *g = &m->graph;
  dae_ast inner = *call;
  stand_ins s = {0};
  int events = m->flat.branches + m->flat.actions;
  const dae_ast_class *base = function_of(m, f), *root = base;
  for (int depth = 0; depth < 40 && root && root->by_count; depth++) root = function_of(m, root);
  if (!root || root->by_count) return refuse(m, f, f->place, "is no function", f->base_name);
  if (!prepare(m, f, &inner, scope, &s) ||
      !dae_model_eval_function(m, base, &inner, scope, out, count))
    return false;
  if (m->flat.branches + m->flat.actions != events)
    return refuse(m, f, call->place, "must hold no assertions", f->base_name);
  for (int o = 0; o < count; o++) {
    if (out[o].type != TYPE_REAL)
      return refuse(m, f, call->place, "has an output that is not Real", f->base_name);
    for (int i = 0; i < out[o].count; i++) {
      int node = out[o].node[i];
      for (int k = 0; k < f->by_count; k++) node = derivative(g, node, s.leaf[k]);
      dae_model_substitute(g, &node, 1, &out[o].node[i], actual, &s);
    }
  }
  return true;
}
