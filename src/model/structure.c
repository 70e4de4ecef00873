/* the structural analysis of a flat model */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/structure.h"

static const char *derivative_name(const char *name, int order, char *buffer, int size) {
  if (order == 0) return name;
  if (order == 1) snprintf(buffer, (size_t)size, "der(%.150s)", name);
  else if (order == 2) snprintf(buffer, (size_t)size, "der(der(%.150s))", name);
  else snprintf(buffer, (size_t)size, "der(%.150s, %d)", name, order);
  return buffer;
}

/* der(x), as the text has it */
static const char *plain_name(void *ctx, int variable, int order, char *buffer, int size) {
  const dae_model *m = ctx;
  return derivative_name(m->flat.variable[variable].name, order, buffer, size);
}

/* der(x), or the user's own name for it when there is one */
static const char *variable_name(void *ctx, int variable, int order, char *buffer, int size) {
  dae_model *m = ctx;
  const char *name = m->flat.variable[variable].name;
  if (order == 0) return name;
  const dae_structure *s = m->structure;
  int known = s && s->rate_name ? s->rate_name[variable] : -1;
  if (known >= 0 && order == 1) return m->flat.variable[known].name;
  if (known >= 0) {
    name = m->flat.variable[known].name;
    order--;
  }
  return derivative_name(name, order, buffer, size);
}

static const char *parameter_name(void *ctx, int number) {
  const dae_model *m = ctx;
  return m->flat.parameter_name[number];
}

dae_namer dae_model_namer(dae_model *m) {
  return (dae_namer){.variable = variable_name, .parameter = parameter_name, .ctx = m};
}

dae_namer dae_model_namer_plain(dae_model *m) {
  return (dae_namer){.variable = plain_name, .parameter = parameter_name, .ctx = m};
}

/* v = der(x) gives x' the name v in formulas */
static void name_rates(dae_model *m, dae_structure *s) {
  s->rate_name = dae_model_take(&m->built, (size_t)m->flat.variables, sizeof(int));
  for (int j = 0; j < m->flat.variables; j++) s->rate_name[j] = -1;
  for (int j = 0; j < m->flat.variables; j++) {
    const dae_node *n = &m->graph.node[s->value[j]];
    if (s->kept_of[j] < 0 && n->op == OP_VAR && n->b == 1 && s->rate_name[n->a] < 0)
      s->rate_name[n->a] = j;
  }
}

/* equations without any variable: true ones say nothing, others contradict */
static bool check_empty(dae_model *m, const dae_structure *s) {
  bool ok = true;
  for (int i = 0; i < s->eqs; i++) {
    if (!dae_model_constant(&m->graph, s->residual[i]) && s->s.start[i] < s->s.start[i + 1])
      continue;
    double r = m->graph.node[s->residual[i]].value;
    if (!dae_model_constant(&m->graph, s->residual[i]))
      dae_model_error(&m->source, s->place[i],
                      "this equation holds no unknown, only time and parameters");
    else if (r == 0)
      dae_model_error(&m->source, s->place[i],
                      "this equation says nothing: it follows from others or is 0 = 0");
    else
      dae_model_error(&m->source, s->place[i],
                      "this equation contradicts others: it says 0 = %.17g", r);
    ok = false;
  }
  return ok;
}

/* how often each equation of the text is differentiated, also inside combinations */
static int *count_rates(dae_model *m, const dae_structure *s) {
  int *rates = dae_model_ints(&m->built, s->eqs);
  memcpy(rates, s->c, (size_t)s->eqs * sizeof(int));
  for (int k = s->combinations - 1; k >= 0; k--) {
    const dae_row_combination *c = &s->combination[k];
    int own = rates[c->row];
    rates[c->row] = 0;
    for (int i = 0; i < c->count; i++)
      if (own + c->rates[i] > rates[c->source[i]]) rates[c->source[i]] = own + c->rates[i];
  }
  return rates;
}

/* der(v) = 0 of what events change: no degree of freedom, nor one less */
static bool is_held(const dae_model *m, const dae_structure *s, int i) {
  const dae_node *n = &m->graph.node[s->left[i]];
  return n->op == OP_VAR && n->b > 0 && m->flat.variable[n->a].assigned;
}

/* index: the most differentiations, one more when a variable is determined without a derivative of
   its own */
static void find_index(dae_model *m, dae_structure *s) {
  int algebraic = 0, *rates = count_rates(m, s);
  s->index = s->dof = 0;
  for (int i = 0; i < s->eqs; i++) {
    if (!m->flat.variable[s->var[i]].assigned) s->dof += s->d[i];
    s->dof -= is_held(m, s, i) ? 0 : s->c[i];
    if (rates[i] > s->index) s->index = rates[i];
  }
  for (int j = 0; j < s->vars; j++) algebraic |= s->d[j] == 0;
  for (int j = 0; j < m->flat.variables; j++) algebraic |= s->kept_of[j] < 0 && s->order[j] == 0;
  s->index += algebraic;
}

/* signature, transversal, offsets, blocks of the equations as they are now */
static bool find_structure(dae_model *m, dae_structure *s) {
  dae_model_signature(m, s);
  if (!check_empty(m, s)) return false;
  int rows = s->s.rows, cols = s->s.cols, room = (rows > cols ? rows : cols) + 1;
  s->row_match = dae_model_ints(&m->built, room);
  s->col_match = dae_model_ints(&m->built, room);
  if (!dae_model_transversal(&m->built, &s->s, s->row_match, s->col_match)) {
    dae_text why = {0};
    if (!dae_model_redundant(m, s, &why) ||
        !dae_model_transversal(&m->built, &s->s, s->row_match, s->col_match)) {
      dae_model_explain_singular(m, s);
      if (why.data) dae_model_text_bytes(&m->source.messages, why.data, (size_t)why.length);
      return false;
    }
  }
  s->c = dae_model_ints(&m->built, room);
  s->d = dae_model_ints(&m->built, room);
  dae_model_offsets(&m->built, &s->s, s->row_match, s->col_match, NULL, NULL, s->c, s->d);
  find_index(m, s);
  s->block_start = dae_model_ints(&m->built, room);
  s->block_row = dae_model_ints(&m->built, room);
  s->blocks = dae_model_blocks(&m->built, &s->s, s->row_match, s->col_match, s->c, s->d,
                               s->block_start, s->block_row);
  return true;
}

/* der(v) = 0 for a variable that the text does not know: where all others are formulas of time
   there is still an interval to run over */
static void add_state(dae_model *m) {
  dae_flat *f = &m->flat;
  int k = f->variables++, rate = dae_model_var(&m->graph, k, 1, WHEN_NOW), zero = m->graph.zero;
  f->hidden++;
  f->variable =
      dae_model_grow(&m->built, f->variable, &f->variable_capacity, k + 1, sizeof *f->variable);
  f->variable[k] = (dae_variable){.name = DAE_NO_STATE,
                                  .symbol = -1,
                                  .place = m->main->place,
                                  .min = -INFINITY,
                                  .max = INFINITY,
                                  .nominal = 1,
                                  .has_start = true,
                                  .fixed = true};
  const dae_value left = {.node = &rate, .count = 1}, right = {.node = &zero, .count = 1};
  dae_model_add_equations(m, &left, &right, m->main->place, SECTION_EQUATION);
}

/* a number that must be whole, or true or false, is not what equations are solved for */
static bool check_types(dae_model *m, const dae_structure *s) {
  for (int j = 0; j < s->vars; j++) {
    const dae_variable *v = &m->flat.variable[s->var[j]];
    dae_type type = dae_model_type_of(m, s->var[j]);
    if (v->assigned || type == TYPE_REAL) continue;
    if (m->flat.equations < m->flat.variables) {
      dae_model_error(&m->source, v->place,
                      "the model has %d equation%s for %d variable%s: '%.60s' may be one that none "
                      "gives",
                      m->flat.equations, m->flat.equations == 1 ? "" : "s", m->flat.variables,
                      m->flat.variables == 1 ? "" : "s", v->name);
      return false;
    }
    static const char *const names[] = {[TYPE_INTEGER] = "Integer",
                                        [TYPE_BOOLEAN] = "Boolean",
                                        [TYPE_STRING] = "a String",
                                        [TYPE_ENUM] = "an enumeration"};
    dae_model_error(&m->source, v->place,
                    "'%.60s' is %s: an equation must give it alone on one side, as in %.60s = ..%s",
                    v->name, names[type], v->name,
                    type == TYPE_INTEGER ? ", and with no Real on the other" : "");
    return false;
  }
  return true;
}

/* der(v) = 0 of what events change becomes der(.. der(v)) = 0 where all other variables have
   derivatives of the same order: the form of a mechanism, say, does not change for a counter */
static bool raise_held(dae_model *m, dae_structure *s) {
  int order = 0, held = 0;
  for (int j = 0; j < s->vars; j++) {
    if (m->flat.variable[s->var[j]].assigned) {
      held++;
      continue;
    }
    if (s->d[j] == 0) continue;
    if (order && s->d[j] != order) return false;
    order = s->d[j];
  }
  if (!held || order < 2) return false;
  for (int i = 0; i < s->eqs; i++) {
    const dae_node n = m->graph.node[s->left[i]];
    if (n.op != OP_VAR || n.b != 1 || !m->flat.variable[n.a].assigned || s->c[i]) continue;
    s->left[i] = s->residual[i] = dae_model_var(&m->graph, n.a, order, WHEN_NOW);
  }
  return true;
}

bool dae_model_analyse(dae_model *m) {
  if (!dae_model_check_flat(m)) return false;
  dae_structure *s = dae_model_take(&m->built, 1, sizeof *s);
  if (!dae_model_eliminate(m, s)) return false;
  if (s->vars == 0 && s->eqs == 0) {
    add_state(m);
    *s = (dae_structure){0};
    if (!dae_model_eliminate(m, s)) return false;
  }
  m->structure = s;
  name_rates(m, s);
  if (!check_types(m, s)) return false;
  s->written = dae_model_ints(&m->built, s->eqs);
  if (s->eqs) memcpy(s->written, s->residual, (size_t)s->eqs * sizeof(int));
  s->lost = dae_model_take(&m->built, (size_t)s->eqs + 1, sizeof(double));
  for (int i = 0; i < s->eqs; i++) s->lost[i] = 1;
  dae_mend mend;
  bool raised = false;
  do {
    if (!find_structure(m, s)) return false;
    if (!raised && raise_held(m, s) && !find_structure(m, s)) return false;
    raised = true;
    if (!s->combined.length) s->index_written = s->index;
    mend = dae_model_mend(m, s);
  } while (mend == MEND_DONE);
  s->index_true = s->index;
  return mend == MEND_NOTHING;
}
