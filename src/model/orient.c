/*
 * Which equation gives a variable of a type that no equation is solved for: Boolean, Integer and
 * enumerations stand alone on one side. Each equation is an edge between at most two of them, as in
 * a = b; those with one end give it, and what has been given closes that end of its other
 * equations.
 */
#include "model/structure.h"

/* may the equation give the variable on this side? */
static bool alone(dae_model *m, const dae_equation *eq, int side, int other) {
  const dae_node n = m->graph.node[side];
  if (n.op != OP_VAR || n.b != 0 || n.c != WHEN_NOW || m->flat.variable[n.a].assigned ||
      dae_model_type_of(m, n.a) == TYPE_REAL || (m->keep && m->keep[n.a]) ||
      !dae_model_gives(m, eq, n.a))
    return false;
  dae_set below = {0};
  dae_model_reach(&m->graph, &other, 1, &below);
  bool free = true;
  for (int k = 0; k < below.count && free; k++) {
    const dae_node *b = &m->graph.node[below.node[k]];
    free = !(b->op == OP_VAR && b->a == n.a && b->c < WHEN_SLOT);
  }
  dae_model_set_free(&m->graph, &below);
  return free;
}

int *dae_model_orient(dae_model *m) {
  const dae_flat *f = &m->flat;
  int rows = f->equations, count = 0, done = 0;
  int *given = dae_model_ints(&m->built, f->variables), *end = dae_model_ints(&m->built, 2 * rows),
      *queue = dae_model_ints(&m->built, rows), *first = dae_model_ints(&m->built, f->variables),
      *next = dae_model_ints(&m->built, 2 * rows);
  for (int j = 0; j < f->variables; j++) given[j] = first[j] = -1;
  for (int k = 2 * rows - 1; k >= 0; k--) {
    const dae_equation *eq = &f->equation[k / 2];
    int side = k % 2 ? eq->right : eq->left, other = k % 2 ? eq->left : eq->right;
    end[k] = alone(m, eq, side, other) ? m->graph.node[side].a : -1;
    if (end[k] < 0) continue;
    next[k] = first[end[k]];
    first[end[k]] = k;
  }
  for (int i = 0; i < rows; i++)
    if ((end[2 * i] >= 0) != (end[2 * i + 1] >= 0)) queue[count++] = i;
  while (done < count) {
    int i = queue[done++], j = end[2 * i] >= 0 ? end[2 * i] : end[2 * i + 1];
    if (j < 0) continue;
    given[j] = i;
    for (int k = first[j]; k >= 0; k = next[k]) {
      end[k] = -1;
      if (k / 2 != i && end[k ^ 1] >= 0) queue[count++] = k / 2;
    }
  }
  return given;
}
