/*
 * Values where a condition is known to hold. Statements behind `if c then y := 1; return; end if`
 * run where c is false; what y is there has no value yet, and NaN marks the place in
 * if c then 1 else NaN. The marks go when the ways are joined: a mark that is reached only where
 * the condition of its side is false is never reached. One that is left over is an output that is
 * not assigned, which check_flat.c refuses.
 */
#include <math.h>

#include "model/model.h"

/* what has been decided on the way to a value */
typedef struct decided {
  int node;
  bool is;
  const struct decided *before;
} decided;

static bool is_mark(const dae_graph *g, int node) {
  return g->node[node].op == OP_CONST && isnan(g->node[node].value);
}

/* the value of a condition behind these decisions: 1, -1 (false), 0: they do not say */
static int truth(const dae_graph *g, int node, const decided *d) {
  const dae_node *n = &g->node[node];
  if (n->flags & NODE_CONSTANT) return n->value != 0 ? 1 : -1;
  for (const decided *k = d; k; k = k->before)
    if (k->node == node) return k->is ? 1 : -1;
  if (n->op == OP_NOT) return -truth(g, n->a, d);
  if (n->op != OP_AND && n->op != OP_OR) return 0;
  int strong = n->op == OP_OR ? 1 : -1, a = truth(g, n->a, d);
  if (a == strong) return a;
  int b = truth(g, n->b, d);
  return b == strong || a == b ? b : 0;
}

/* is `node` true (1) or false (-1) wherever `known` is true? 0: that does not say */
static int follows(const dae_graph *g, int known, int node) {
  const dae_node *k = &g->node[known], *inner = k->op == OP_NOT ? &g->node[k->a] : NULL;
  if (known == node) return 1;
  if (inner && k->a == node) return -1;
  if (inner && inner->op == OP_NOT) return follows(g, inner->a, node);
  if (k->op != OP_AND) return 0;
  int first = follows(g, k->a, node);
  return first ? first : follows(g, k->b, node);
}

int dae_model_assume(const dae_graph *g, int known, int node) {
  int way = 0;
  while (node >= 0 && g->node[node].op == OP_IF && (way = follows(g, known, g->node[node].a)) != 0)
    node = way > 0 ? g->node[node].b : g->node[node].c;
  return node >= 0 && is_mark(g, node) ? -1 : node;
}

enum { DEPTH_MAX = 1000 };

/* without the marks that are reached only where c is not `is`; -1: nothing is left */
static int prune(dae_graph *g, int node, int c, bool is, const decided *d, int depth) {
  const dae_node n = g->node[node];
  if (is_mark(g, node)) return truth(g, c, d) == (is ? -1 : 1) ? -1 : node;
  if (n.op != OP_IF || depth > DEPTH_MAX) return node;
  const decided yes = {n.a, true, d}, no = {n.a, false, d};
  int first = prune(g, n.b, c, is, &yes, depth + 1), second = prune(g, n.c, c, is, &no, depth + 1);
  if (first < 0 || second < 0) return first < 0 ? second : first;
  return first == n.b && second == n.c ? node : dae_model_node(g, OP_IF, n.a, first, second);
}

int dae_model_either(dae_graph *g, int c, int yes, int no, bool left) {
  yes = dae_model_assume(g, c, yes);
  no = dae_model_assume(g, dae_model_op1(g, OP_NOT, c), no);
  if (left && yes >= 0) yes = prune(g, yes, c, true, NULL, 0);
  if (left && no >= 0) no = prune(g, no, c, false, NULL, 0);
  if (yes == no) return yes;
  if (!left && (yes < 0 || no < 0)) return -1;
  if (yes < 0) yes = dae_model_const(g, NAN);
  if (no < 0) no = dae_model_const(g, NAN);
  return dae_model_node(g, OP_IF, c, yes, no);
}
