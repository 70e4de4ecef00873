/*
 * Ranges of loops. Without one, for i loop x[i] = .., the range is that of the dimensions of which
 * the loop variable is a subscript; all of them must agree (Modelica 3.6, 11.2.2.1).
 */
#include <string.h>

#include "model/model.h"

typedef struct search {
  dae_model *m;
  dae_scope *scope;
  int iterator;
  dae_value range;
  bool found, failed;
} search;

/* the subscripts that an array over an enumeration or Boolean takes */
static dae_value subscripts_of(dae_model *m, const dae_ast_decl *d, int k, int n) {
  const dae_ast *dim = d && k < d->dims ? d->dim[k] : NULL;
  int name = dim && dim->kind == AST_REF && dim->count == 0 ? dim->name : -1;
  const dae_ast_class *c = name >= 0 && name < m->named ? m->types[name] : NULL;
  bool boolean = name >= 0 && strcmp(m->names.text[name], "Boolean") == 0;
  dae_value like = {.type = boolean ? TYPE_BOOLEAN : TYPE_INTEGER};
  if (c && c->literals) like.type = TYPE_ENUM, like.literals = c;
  dae_value range = dae_model_array_like(m, &like, 1, &n);
  for (int i = 0; i < n; i++) range.node[i] = dae_model_const(&m->graph, boolean ? i : i + 1);
  return range;
}

/* x[.., i, ..] of a name: the size of that dimension */
static void look_at(search *s, const dae_ast *e) {
  dae_model *m = s->m;
  dae_binding *local;
  dae_value v;
  for (int k = 0; k < e->count && !s->failed; k++) {
    const dae_ast *a = e->args[k];
    if (a->kind != AST_REF || a->name != s->iterator || a->count) continue;
    if (dae_model_find(m, e->name, s->scope, e->place, &v, &local) <= 0 || k >= v.rank) continue;
    int symbol = dae_model_symbol(m, e->name);
    const dae_ast_decl *d = local ? local->decl : symbol >= 0 ? m->symbol[symbol].decl : NULL;
    dae_value range = subscripts_of(m, d, k, v.dim[k]);
    bool agree = !s->found || (range.count == s->range.count && range.type == s->range.type);
    if (!agree)
      dae_model_error(&m->source, a->place,
                      "the loop variable '%.60s' is a subscript of dimensions of different sizes: "
                      "write its range",
                      m->names.text[s->iterator]);
    s->failed = !agree;
    s->range = range;
    s->found = true;
  }
}

static void search_tree(search *s, const dae_ast *e) {
  if (!e || s->failed) return;
  if (e->kind == AST_REF && e->name >= 0) look_at(s, e);
  for (int k = 0; k < e->count; k++) search_tree(s, e->args[k]);
}

static void search_equations(search *s, const dae_ast_eq *eq) {
  for (; eq; eq = eq->next) {
    search_tree(s, eq->left);
    search_tree(s, eq->right);
    for (int k = 0; k < eq->conditions; k++) search_tree(s, eq->condition[k]);
    for (int k = 0; k < eq->bodies; k++) search_equations(s, eq->body[k]);
  }
}

bool dae_model_loop_range(dae_model *m, const dae_ast *range, int iterator, const dae_ast *value,
                          const dae_ast_eq *body, dae_scope *scope, dae_value *out) {
  if (range->kind == AST_COLON) {
    search s = {.m = m, .scope = scope, .iterator = iterator};
    search_tree(&s, value);
    search_equations(&s, body);
    if (!s.found)
      dae_model_error(&m->source, range->place,
                      "the loop variable '%.60s' needs its range: write for %.60s in 1:n",
                      m->names.text[iterator], m->names.text[iterator]);
    *out = s.range;
    return s.found && !s.failed;
  }
  if (!dae_model_eval(m, range, scope, out)) return false;
  if (out->rank == 1) return true;
  dae_model_error(&m->source, range->place, "a loop runs over a range or a vector");
  return false;
}
