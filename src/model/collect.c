/*
 * A sum with its equal terms added up:
 *   a (x + y) - b (x - z) + c  ->  (a - b) x + a y + b z + c   for numbers a, b, c,
 * where x, y, z are anything that is no sum. Terms of 1e8 that cancel leave their rounding once, in
 * a coefficient, and not at every evaluation; a coefficient that is rounding alone is zero.
 */
#include <math.h>
#include <string.h>

#include "model/structure.h"

/* rounding of a coefficient against what it was added up from */
static const double CANCELLED = 1e-13;

typedef struct terms {
  dae_graph *g;
  dae_set below;
  double *factor, *size; /* of each node of `below` in the sum, and what was added up to it */
  double constant;
} terms;

/* factor += by for node i; g->scratch holds its place in `below` */
static void add(terms *t, int i, double by) {
  int k = t->g->scratch[i];
  t->factor[k] += by;
  t->size[k] += fabs(by);
}

/* hands the factor of node k on to its summands; false: it is a term itself */
static bool pass_on(terms *t, int k) {
  const dae_graph *g = t->g;
  const dae_node *n = &g->node[t->below.node[k]];
  double f = t->factor[k];
  switch (n->op) {
    case OP_NEG: add(t, n->a, -f); return true;
    case OP_ADD:
    case OP_SUB:
      add(t, n->a, f);
      add(t, n->b, n->op == OP_ADD ? f : -f);
      return true;
    case OP_MUL:
      if (!dae_model_constant(g, n->a)) return false;
      add(t, n->b, f * g->node[n->a].value);
      return true;
    case OP_DIV:
      if (!dae_model_constant(g, n->b) || g->node[n->b].value == 0) return false;
      add(t, n->a, f / g->node[n->b].value);
      return true;
    default: return false;
  }
}

int dae_model_sum_up(dae_model *m, int node, double *lost) {
  dae_graph *g = &m->graph;
  terms t = {.g = g};
  dae_model_reach(g, &node, 1, &t.below);
  int count = t.below.count, sum = g->zero;
  t.factor = dae_model_take(&m->built, (size_t)count, sizeof(double));
  t.size = dae_model_take(&m->built, (size_t)count, sizeof(double));
  for (int k = 0; k < count; k++) g->scratch[t.below.node[k]] = k;
  t.factor[count - 1] = t.size[count - 1] = 1;
  /* users come after their arguments: each factor is complete when its node is reached */
  for (int k = count - 1; k >= 0; k--) {
    const dae_node *n = &g->node[t.below.node[k]];
    if (fabs(t.factor[k]) <= CANCELLED * t.size[k]) t.factor[k] = 0;
    if (t.factor[k] == 0) continue;
    if (n->flags & NODE_CONSTANT) t.constant += t.factor[k] * n->value;
    if ((n->flags & NODE_CONSTANT) || pass_on(&t, k)) t.factor[k] = 0;
  }
  bool finite = isfinite(t.constant);
  double most = 0, left = 0;
  for (int k = 0; k < count; k++) {
    finite = finite && isfinite(t.factor[k]);
    if (t.factor[k] == 0) continue;
    most = fmax(most, t.size[k]);
    left = fmax(left, fabs(t.factor[k]));
  }
  *lost = left > 0 ? most / left : 1;
  for (int k = 0; k < count && finite; k++)
    if (t.factor[k] != 0)
      sum =
          dae_model_op2(g, OP_ADD, sum,
                        dae_model_op2(g, OP_MUL, dae_model_const(g, t.factor[k]), t.below.node[k]));
  dae_model_set_free(g, &t.below);
  return finite ? dae_model_op2(g, OP_ADD, sum, dae_model_const(g, t.constant)) : node;
}
