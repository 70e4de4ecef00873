/* the structural analysis of a flat model */
#include <stdio.h>
#include <string.h>

#include "model/structure.h"

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
  if (order == 1)
    snprintf(buffer, (size_t)size, "der(%.150s)", name);
  else if (order == 2)
    snprintf(buffer, (size_t)size, "der(der(%.150s))", name);
  else
    snprintf(buffer, (size_t)size, "der(%.150s, %d)", name, order);
  return buffer;
}

static const char *parameter_name(void *ctx, int number) {
  const dae_model *m = ctx;
  return m->flat.parameter_name[number];
}

dae_namer dae_model_namer(dae_model *m) {
  return (dae_namer){.variable = variable_name, .parameter = parameter_name, .ctx = m};
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

bool dae_model_analyse(dae_model *m) {
  if (m->flat.variables == 0) {
    dae_model_error(&m->source, m->main->place,
                    "the model has no variables: declare at least one, such as Real x;");
    return false;
  }
  dae_structure *s = dae_model_take(&m->built, 1, sizeof *s);
  if (!dae_model_eliminate(m, s)) return false;
  m->structure = s;
  name_rates(m, s);
  dae_model_signature(m, s);
  if (!check_empty(m, s)) return false;
  int rows = s->s.rows, cols = s->s.cols, big = rows > cols ? rows : cols;
  size_t room = (size_t)big + 1;
  s->row_match = dae_model_take(&m->built, room, sizeof(int));
  s->col_match = dae_model_take(&m->built, room, sizeof(int));
  if (!dae_model_transversal(&m->built, &s->s, s->row_match, s->col_match)) {
    dae_model_explain_singular(m, s);
    return false;
  }
  s->c = dae_model_take(&m->built, room, sizeof(int));
  s->d = dae_model_take(&m->built, room, sizeof(int));
  dae_model_offsets(&m->built, &s->s, s->row_match, s->col_match, NULL, NULL, s->c, s->d);
  for (int i = 0; i < rows; i++) {
    s->dof += s->d[i] - s->c[i];
    if (s->c[i] > s->index) s->index = s->c[i];
  }
  /* the usual index: one more when a variable is determined without a derivative of its own */
  int algebraic = 0;
  for (int j = 0; j < cols; j++) algebraic |= s->d[j] == 0;
  for (int j = 0; j < m->flat.variables; j++) algebraic |= s->kept_of[j] < 0 && s->order[j] == 0;
  s->index += algebraic;
  s->block_start = dae_model_take(&m->built, room, sizeof(int));
  s->block_row = dae_model_take(&m->built, room, sizeof(int));
  dae_model_blocks(&m->built, &s->s, s->row_match, s->col_match, s->c, s->d, &s->blocks,
                   s->block_start, s->block_row);
  return true;
}
