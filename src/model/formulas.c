/* what a text says, for those who show it: values of parameters, equations as formulas */
#include <math.h>

#include "model/plan.h"

/* declaration i of those that dae_model_parameter_name counts, NULL past the end */
static const dae_ast_decl *parameter(const dae_model *m, int i) {
  const dae_ast_decl *d = m && m->main ? m->main->decls : NULL;
  for (; d; d = d->next)
    if (d->variability == VAR_PARAMETER && !d->is_final && !d->elements && i-- == 0) return d;
  return NULL;
}

const char *dae_model_parameter_name(const dae_model *m, int i) {
  const dae_ast_decl *d = parameter(m, i);
  return d ? m->names.text[d->name] : NULL;
}

const char *dae_model_parameter_description(const dae_model *m, int i) {
  const dae_ast_decl *d = parameter(m, i);
  return d && d->comment ? d->comment : "";
}

const char *dae_model_parameter_unit(const dae_model *m, int i) {
  const dae_ast_decl *d = parameter(m, i);
  if (!d || !m->is_built || d->name >= m->named || m->symbol_of[d->name] < 0) return "";
  const char *unit = dae_model_unit(m, &m->symbol[m->symbol_of[d->name]]);
  return unit ? unit : "";
}

double dae_model_parameter_value(const dae_model *m, int i) {
  const dae_ast_decl *d = parameter(m, i);
  if (!d || !m->is_built || d->name >= m->named || m->symbol_of[d->name] < 0) return NAN;
  const dae_symbol *s = &m->symbol[m->symbol_of[d->name]];
  if (s->state != SYMBOL_DONE || s->value.rank != 0 || s->value.node[0] < 0) return NAN;
  int node = s->value.node[0];
  return dae_model_constant(&m->graph, node) ? m->graph.node[node].value : NAN;
}

const char *dae_model_equation(dae_model *m, int i) {
  if (!m || !m->is_built || i < 0 || i >= m->flat.equations) return NULL;
  if (setjmp(m->escape)) return "";
  dae_text text = {.arena = &m->built};
  dae_namer namer = dae_model_namer_plain(m);
  dae_model_print(&m->graph, m->flat.equation[i].left, &namer, &text);
  dae_model_text_add(&text, " = ");
  dae_model_print(&m->graph, m->flat.equation[i].right, &namer, &text);
  return text.data ? text.data : "";
}
