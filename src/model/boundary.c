/* x(startTime), x(finalTime) in initial equations: 0 = b(z(t0), z(t1)) */
#include <math.h>
#include <string.h>

#include "model/plan.h"

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_plan *p = ctx;
  *bank = when == WHEN_FINAL;
  *index = dae_model_z_index(p, p->model->structure->kept_of[variable], order);
  return *index >= 0;
}

typedef struct side {
  const dae_plan *p;
  int bank;
} side;

static int column_of(void *ctx, const dae_node *leaf) {
  const side *s = ctx;
  int bank, index;
  if (leaf->op != OP_VAR || !locate((void *)s->p, leaf->a, leaf->b, leaf->c, &bank, &index))
    return -1;
  return bank == s->bank ? index : -1;
}

static bool unknown(void *ctx, const dae_node *leaf) {
  int bank, index;
  return !locate(ctx, leaf->a, leaf->b, leaf->c, &bank, &index);
}

static bool on_side(void *ctx, const dae_node *leaf) {
  const side *s = ctx;
  return (leaf->c == WHEN_FINAL) == (s->bank == 1);
}

static int value(const double *z0, const double *z1, double *b, void *ctx) {
  const dae_plan *p = ctx;
  const double *const bank[DAE_BANKS] = {z0, z1, NULL, NULL};
  return dae_model_run(p->boundary_value, p->problem.t0, bank, b);
}

static int jacobian(const double *z0, const double *z1, double *B0, double *B1, void *ctx) {
  const dae_plan *p = ctx;
  const double *const bank[DAE_BANKS] = {z0, z1, NULL, NULL};
  int code = dae_model_run(p->boundary_left, p->problem.t0, bank, B0);
  return code ? code : dae_model_run(p->boundary_right, p->problem.t0, bank, B1);
}

/* start values that vary in time, and the multipliers from them */
static int guess(double t, double *z, double *y, void *ctx) {
  const dae_plan *p = ctx;
  const double *const bank[DAE_BANKS] = {NULL};
  for (int i = 0; i < p->ny; i++) y[i] = NAN;
  return dae_model_run(p->boundary_guess, t, bank, z);
}

/* x_j^(k): its own start value, else the k-th derivative of that of x_j when this one varies */
static int guess_entry(dae_model *m, const dae_plan *p, int kept, int order, bool *varies) {
  int z = dae_model_z_index(p, kept, order), from = p->start_of[z];
  const dae_variable *x = &m->flat.variable[m->structure->var[kept]];
  if (from >= 0 && m->flat.variable[from].start_varies) {
    *varies = true;
    int node = m->flat.variable[from].start_node;
    return m->graph.node[m->structure->value[from]].op == OP_NEG
               ? dae_model_op1(&m->graph, OP_NEG, node)
               : node;
  }
  if (from >= 0 || !x->start_varies) return dae_model_const(&m->graph, p->z0[z]);
  int node = x->start_node;
  for (int k = 0; k < order; k++) node = dae_model_rate(&m->graph, node);
  return node;
}

/* what is stated at the start is a condition now; z0 is the guess again, and `start` says what it
   is where it is given */
static void restore_starts(dae_model *m, dae_plan *p) {
  for (int z = 0; z < p->nz; z++) {
    int from = p->start_of[z];
    if (from < 0 || !p->fixed[z]) continue;
    const dae_node *node = &m->graph.node[m->structure->value[from]];
    double start = m->flat.variable[from].start;
    if (node->op == OP_VAR) p->z0[z] = start;
    else if (node->op == OP_NEG && m->graph.node[node->a].op == OP_VAR) p->z0[z] = -start;
  }
}

static void make_guess(dae_model *m, dae_plan *p) {
  int *node = dae_model_ints(&m->built, p->nz);
  bool varies = false;
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0, z; (z = dae_model_z_index(p, j, k)) >= 0; k++)
      node[z] = guess_entry(m, p, j, k, &varies);
  if (!varies) return;
  p->boundary_guess = dae_model_function(&p->boundary_code, "", node, p->nz);
  p->boundary.guess = guess;
}

/* fixed entries of z become conditions too; conditions of the left end come first when none is
   mixed */
bool dae_model_make_boundary(dae_model *m, dae_plan *p) {
  if (!m->flat.has_boundary) return true;
  dae_graph *g = &m->graph;
  int count = 0, *node = dae_model_ints(&m->built, p->conditions + p->nz),
      *sorted = dae_model_ints(&m->built, p->conditions + p->nz);
  for (int j = 0; j < m->structure->vars; j++)
    for (int k = 0, z; (z = dae_model_z_index(p, j, k)) >= 0; k++)
      if (p->fixed[z]) {
        int x = dae_model_var(g, m->structure->var[j], k, WHEN_START);
        node[count++] = dae_model_op2(g, OP_SUB, x, dae_model_const(g, p->z0[z]));
      }
  for (int i = 0; i < p->conditions; i++) node[count++] = p->condition[i];
  int at = 0, left = 0;
  side first = {p, 0}, second = {p, 1};
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < count; i++) {
      if (pass == 0 && dae_model_depends(m, node[i], unknown, p)) {
        dae_model_error(&m->source, DAE_NO_PLACE,
                        "a boundary condition holds a multiplier or a highest derivative: only "
                        "differential variables "
                        "can be prescribed");
        return false;
      }
      bool l = dae_model_depends(m, node[i], on_side, &first),
           r = dae_model_depends(m, node[i], on_side, &second);
      int kind = l && r ? 1 : l ? 0 : 2;
      if (kind != pass) continue;
      sorted[at++] = node[i];
      if (pass == 1) left = -1;
      if (pass == 0) left++;
    }
  dae_model_code_init(&p->boundary_code, g, &m->built, locate, p);
  dae_node_matrix B0 = dae_model_jacobian(m, sorted, count, p->nz, column_of, &first);
  dae_node_matrix B1 = dae_model_jacobian(m, sorted, count, p->nz, column_of, &second);
  p->boundary_value = dae_model_function(&p->boundary_code, "b", sorted, count);
  p->boundary_left =
      dae_model_scatter(&p->boundary_code, "", B0.node, B0.start[count], dae_model_places(m, &B0));
  p->boundary_right =
      dae_model_scatter(&p->boundary_code, "", B1.node, B1.start[count], dae_model_places(m, &B1));
  p->boundary = (dae_boundary){.n = count, .n_left = left, .value = value, .jacobian = jacobian};
  restore_starts(m, p);
  make_guess(m, p);
  p->problem.boundary = &p->boundary;
  memset(p->fixed, 0, (size_t)p->nz);
  return true;
}
