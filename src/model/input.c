/*
 * Inputs from outside: measured values u_0, u_1, .. at times t_0 <= t_1 <= ..,
 *   u(t) = u_k + (u_(k+1) - u_k) (t - t_k) / (t_(k+1) - t_k),
 * whole numbers and truth values hold until the next one. The pieces are a tree of `if`, so that
 * the kinks are events. Two equal times are a jump. Before and after the data the end values hold.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

enum { POINTS_MAX = 2000 };

typedef struct pieces {
  dae_graph *g;
  const dae_series *s;
  bool holds;
} pieces;

/* piece k: between the points k - 1 and k */
static int piece(const pieces *p, int k) {
  dae_graph *g = p->g;
  const dae_series *s = p->s;
  if (k == 0) return dae_model_const(g, s->value[0]);
  double width = k < s->count ? s->time[k] - s->time[k - 1] : 0;
  if (k == s->count || p->holds || width == 0) return dae_model_const(g, s->value[k - 1]);
  double slope = (s->value[k] - s->value[k - 1]) / width;
  int from = dae_model_op2(g, OP_SUB, g->time, dae_model_const(g, s->time[k - 1]));
  return dae_model_op2(g, OP_ADD, dae_model_const(g, s->value[k - 1]),
                       dae_model_op2(g, OP_MUL, dae_model_const(g, slope), from));
}

/* pieces first .. last; piece k ends at time k */
static int tree(const pieces *p, int first, int last) {
  if (first == last) return piece(p, first);
  int middle = first + (last - first) / 2;
  int before = dae_model_op2(p->g, OP_LT, p->g->time, dae_model_const(p->g, p->s->time[middle]));
  return dae_model_node(p->g, OP_IF, before, tree(p, first, middle), tree(p, middle + 1, last));
}

static const dae_series *series_of(const dae_model *m, const char *name) {
  for (int i = m->serieses - 1; i >= 0; i--)
    if (strcmp(m->series[i].name, name) == 0) return &m->series[i];
  return NULL;
}

bool dae_model_input_given(dae_model *m, const dae_symbol *s) {
  for (int i = 0; i < s->value.count && s->decl->causality == CAUSAL_INPUT; i++)
    if (series_of(m, m->flat.variable[m->graph.node[s->value.node[i]].a].name)) return true;
  return false;
}

bool dae_model_give_input(dae_model *m, const dae_symbol *s, const dae_value *otherwise) {
  for (int i = 0; i < s->value.count; i++) {
    const char *name = m->flat.variable[m->graph.node[s->value.node[i]].a].name;
    const dae_series *data = series_of(m, name);
    int node =
        data ? -1
        : !otherwise
            ? dae_model_const(&m->graph, m->flat.variable[m->graph.node[s->value.node[i]].a].start)
            : otherwise->node[i];
    if (data) {
      for (int k = 0; k < data->count; k++)
        if (s->type != TYPE_REAL && data->value[k] != floor(data->value[k])) {
          dae_model_error(&m->source, s->decl->place,
                          "the input '%.60s' is no Real: its value %g at %g is not whole", name,
                          data->value[k], data->time[k]);
          return false;
        }
      const pieces p = {&m->graph, data, s->type != TYPE_REAL};
      node = tree(&p, 0, data->count);
    }
    dae_value left = s->value, right = s->value;
    left.rank = right.rank = 0;
    left.count = right.count = 1;
    left.node = &s->value.node[i];
    right.node = &node;
    if (!dae_model_add_equations(m, &left, &right, s->decl->place, SECTION_EQUATION)) return false;
  }
  return true;
}

static bool is_open_input(dae_model *m, const dae_symbol *s) {
  return s->state == SYMBOL_DONE && s->decl->causality == CAUSAL_INPUT &&
         s->variability < VAR_PARAMETER && s->type != TYPE_RECORD && s->type != TYPE_STRING &&
         !s->decl->elements && !s->aggregate && !s->decl->binding && !dae_model_input_given(m, s);
}

/* inputs that nothing gives: they are what is missing to as many equations as unknowns */
bool dae_model_open_inputs(dae_model *m) {
  int unknowns = 0, open = 0;
  for (int i = 0; i < m->flat.variables; i++) unknowns += !m->flat.variable[i].assigned;
  for (int i = 0; i < m->symbols; i++)
    if (is_open_input(m, &m->symbol[i])) open += m->symbol[i].value.count;
  if (open == 0 || unknowns - m->flat.equations != open) return true;
  for (int i = 0; i < m->symbols; i++) {
    const dae_symbol *s = &m->symbol[i];
    if (!is_open_input(m, s)) continue;
    dae_model_warn(&m->source, s->decl->place,
                   "the input '%.60s' has no values: its start value is taken for all times; give "
                   "it data, or write an equation for it",
                   m->names.text[s->decl->name]);
    if (!dae_model_give_input(m, s, NULL)) return false;
  }
  return true;
}

bool dae_model_check_inputs(dae_model *m) {
  bool ok = true;
  for (int k = 0; k < m->serieses; k++) {
    bool found = false;
    for (int i = 0; i < m->symbols && !found; i++) {
      const dae_symbol *s = &m->symbol[i];
      bool input = s->state == SYMBOL_DONE && s->decl->causality == CAUSAL_INPUT &&
                   s->variability < VAR_PARAMETER && s->type != TYPE_RECORD && !s->decl->elements;
      for (int j = 0; j < s->value.count && input && !found; j++)
        found = strcmp(m->flat.variable[m->graph.node[s->value.node[j]].a].name,
                       m->series[k].name) == 0;
    }
    if (found) continue;
    dae_model_error(&m->source, DAE_NO_PLACE, "there is no input '%.80s' to give values",
                    m->series[k].name);
    ok = false;
  }
  return ok;
}

const char *dae_model_bad_series(int count, const double *time, const double *value) {
  if (count < 1) return "there are no values";
  if (count > POINTS_MAX) return "there are more than 2000 values: thin them out";
  for (int k = 0; k < count; k++) {
    if (!isfinite(time[k]) || !isfinite(value[k])) return "a number is not finite";
    if (k > 0 && time[k] < time[k - 1]) return "the times go back";
    if (k > 1 && time[k] == time[k - 2]) return "more than two values stand at one time";
  }
  return NULL;
}
