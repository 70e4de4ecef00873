/* which expression has no finite value at the start: log(0), 1/0, the slope of sqrt(0) .. */
#include <math.h>

#include "model/plan.h"

enum { MOST = 200000 }; /* operations that are looked at */

static bool z_locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  int j = p->model->structure->kept_of[variable];
  *bank = 0;
  *index = when == WHEN_NOW && j >= 0 ? dae_model_z_index(p, j, order) : -1;
  return *index >= 0;
}

/* Jacobians that only some methods ask for: they do without them where they have no value */
static bool optional(const dae_plan *p, const dae_function *f) {
  return f == p->f_z || f == p->force_v || f == p->dynamics_q || f == p->velocity_q;
}

/* what the functions of the problem compute */
static int list_outputs(dae_plan *p, int **root) {
  int count = 0, capacity = 0;
  for (int k = 0; k < p->code.functions; k++) {
    const dae_function *f = p->code.function[k];
    for (int i = 0; i < f->outputs && !optional(p, f); i++) {
      *root = dae_model_grow(&p->model->built, *root, &capacity, count + 1, sizeof(int));
      if (f->node[i] >= 0) (*root)[count++] = f->node[i];
    }
  }
  return count;
}

/* all operations below that depend on z and time alone, arguments first; known[node]: is it one? */
static void list_operations(dae_plan *p, const int *root, int roots, dae_set *out,
                            unsigned char *known) {
  dae_graph *g = &p->model->graph;
  dae_set below = {0};
  int bank, index;
  dae_model_reach(g, root, roots, &below);
  for (int k = 0; k < below.count && out->count < MOST; k++) {
    int i = below.node[k];
    const dae_node *n = &g->node[i];
    int argument[3] = {n->a, n->b, n->c}, arity = dae_model_op_arity(n->op);
    known[i] = n->op != OP_VAR || z_locate(p, n->a, n->b, n->c, &bank, &index);
    for (int a = 0; a < arity; a++) known[i] = known[i] && known[argument[a]];
    if (known[i]) dae_model_set_add(g, out, i);
  }
  dae_model_set_free(g, &below);
}

/* down from a value that is not finite to the operation whose arguments are; the branch of an `if`
   that is not taken does no harm */
static int cause_of(const dae_graph *g, int node, const double *at) {
  for (;;) {
    const dae_node *n = &g->node[node];
    int argument[3] = {n->a, n->b, n->c}, arity = dae_model_op_arity(n->op), next = -1;
    if (n->op == OP_IF) argument[0] = argument[1] = argument[2] = at[n->a] != 0 ? n->b : n->c;
    for (int a = 0; a < arity && next < 0; a++)
      if (!isfinite(at[argument[a]])) next = argument[a];
    if (next < 0) return node;
    node = next;
  }
}

/* is the node part of the other one? */
static bool part_of(dae_model *m, int whole, int node) {
  dae_set below = {0};
  dae_model_reach(&m->graph, &whole, 1, &below);
  bool found = false;
  for (int k = 0; k < below.count && !found; k++) found = below.node[k] == node;
  dae_model_set_free(&m->graph, &below);
  return found;
}

static void tell(dae_model *m, int node, double value) {
  dae_text text = {.arena = &m->built};
  dae_namer namer = dae_model_namer(m);
  const dae_structure *s = m->structure;
  uint32_t place = DAE_NO_PLACE;
  dae_model_print(&m->graph, node, &namer, &text);
  for (int i = 0; i < s->eqs && place == DAE_NO_PLACE; i++)
    if (part_of(m, s->residual[i], node)) place = s->place[i];
  for (int j = 0; j < m->flat.variables && place == DAE_NO_PLACE; j++)
    if (s->given_by[j] >= 0 && part_of(m, s->value[j], node))
      place = m->flat.equation[s->given_by[j]].place;
  bool written = place != DAE_NO_PLACE;
  dae_model_warn(&m->source, place,
                 "%s has no finite value at the start: %.200s = %g; other start values may help",
                 written ? "this equation" : "a derivative of an equation", text.data, value);
}

void dae_model_explain_finite(dae_model *m, dae_plan *p) {
  dae_graph *g = &m->graph;
  dae_set set = {0};
  dae_code code;
  int *root = NULL, roots = list_outputs(p, &root);
  unsigned char *known = dae_model_take(&m->built, (size_t)g->count + 1, 1);
  list_operations(p, root, roots, &set, known);
  double *value = dae_model_take(&m->built, (size_t)set.count + 1, sizeof(double)),
         *at = dae_model_take(&m->built, (size_t)g->count + 1, sizeof(double));
  dae_model_code_init(&code, g, &m->built, z_locate, p);
  dae_function *f = dae_model_function(&code, "", set.node, set.count);
  const double *const bank[DAE_BANKS] = {p->z0, NULL, NULL, NULL};
  if (f && dae_model_run(f, p->problem.t0, bank, value) == 0) {
    for (int k = 0; k < set.count; k++) at[set.node[k]] = value[k];
    int bad = 0;
    while (bad < roots && (!known[root[bad]] || isfinite(at[root[bad]]))) bad++;
    int cause = bad < roots ? cause_of(g, root[bad], at) : -1;
    if (cause >= 0) tell(m, cause, at[cause]);
  }
  dae_model_code_free(&code);
  dae_model_set_free(g, &set);
  dae_base_give(&m->built.pool, root);
}
