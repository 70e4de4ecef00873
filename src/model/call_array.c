/* built-in functions of arrays: they build, join and reshape */
#include <string.h>

#include "model/call.h"

bool dae_model_wrong_call(dae_model *m, const dae_ast *e, const char *why) {
  dae_model_error(&m->source, e->place, "%s", why);
  return false;
}

static bool wrong(dae_model *m, const dae_ast *e, const char *why) {
  return dae_model_wrong_call(m, e, why);
}

static bool is_number(const dae_value *v) { return v->type <= TYPE_INTEGER; }

/* the sizes among the arguments from `first` on */
static bool read_sizes(dae_model *m, const dae_ast *e, const dae_value *arg, int first, int count,
                       int *dim) {
  if (count - first > DAE_DIMS_MAX) return wrong(m, e, "too many dimensions");
  for (int k = first; k < count; k++) {
    if (arg[k].type != TYPE_INTEGER || arg[k].rank ||
        !dae_model_constant(&m->graph, arg[k].node[0]))
      return wrong(m, e, "sizes must be Integer numbers that are known when the model is read");
    double n = m->graph.node[arg[k].node[0]].value;
    if (!(n >= 0 && n <= 1e9)) return wrong(m, e, "a size must be 0 or more, and not astronomic");
    dim[k - first] = (int)n;
  }
  return true;
}

/* zeros(n, ..), ones(n, ..), fill(value, n, ..); op: 0, 1, 2 */
bool dae_model_call_fill(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out) {
  int dim[DAE_DIMS_MAX], first = op == 2;
  if (!read_sizes(m, e, arg, first, count, dim)) return false;
  dae_value like = {.type = TYPE_INTEGER};
  int number = op == 0 ? m->graph.zero : m->graph.one, nodes = 1, *node = &number;
  if (op == 2) {
    /* fill({a, b}, n): each element is an array */
    like = arg[0];
    node = arg[0].node;
    nodes = dae_model_nodes(&arg[0]);
    if (count - first + like.rank > DAE_DIMS_MAX) return wrong(m, e, "too many dimensions");
    memcpy(dim + count - first, like.dim, (size_t)like.rank * sizeof(int));
  }
  *out = dae_model_array_like(m, &like, count - first + like.rank, dim);
  for (int i = 0; i < dae_model_nodes(out) && nodes; i++) out->node[i] = node[i % nodes];
  return true;
}

/* identity(n), diagonal(v) */
bool dae_model_call_diagonal(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                             int op, dae_value *out) {
  int n = 0;
  if (op == 0 && !read_sizes(m, e, arg, 0, count, &n)) return false;
  if (op == 1 && arg[0].rank != 1) return wrong(m, e, "diagonal needs a vector");
  if (op == 1) n = arg[0].count;
  *out = dae_model_array(m, op == 0 ? TYPE_INTEGER : arg[0].type, 2, (int[]){n, n});
  for (int i = 0; i < out->count; i++) out->node[i] = m->graph.zero;
  for (int i = 0; i < n; i++) out->node[i * n + i] = op == 0 ? m->graph.one : arg[0].node[i];
  return true;
}

bool dae_model_call_linspace(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                             int op, dae_value *out) {
  (void)op;
  int n = 0;
  if (!read_sizes(m, e, arg, 2, count, &n)) return false;
  if (n < 2 || arg[0].rank || arg[1].rank)
    return wrong(m, e, "linspace(first, last, n) needs scalars and n >= 2");
  dae_graph *g = &m->graph;
  *out = dae_model_array(m, TYPE_REAL, 1, &n);
  int width = dae_model_op2(g, OP_SUB, arg[1].node[0], arg[0].node[0]);
  for (int i = 0; i < n; i++) {
    int part = dae_model_op2(g, OP_MUL, dae_model_const(g, (double)i / (n - 1)), width);
    out->node[i] = dae_model_op2(g, OP_ADD, arg[0].node[0], part);
  }
  return true;
}

/* size(a) and size(a, k); ndims(a) */
bool dae_model_call_size(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                         dae_value *out) {
  if (op == 1) {
    *out = dae_model_scalar(m, TYPE_INTEGER, dae_model_const(&m->graph, arg[0].rank));
    return true;
  }
  if (count == 1) {
    *out = dae_model_array(m, TYPE_INTEGER, 1, &arg[0].rank);
    for (int k = 0; k < arg[0].rank; k++) out->node[k] = dae_model_const(&m->graph, arg[0].dim[k]);
    return true;
  }
  int k = 0;
  if (!read_sizes(m, e, arg, 1, count, &k)) return false;
  if (k < 1 || k > arg[0].rank) return wrong(m, e, "size(a, k): a has no such dimension");
  *out = dae_model_scalar(m, TYPE_INTEGER, dae_model_const(&m->graph, arg[0].dim[k - 1]));
  return true;
}

bool dae_model_call_transpose(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                              int op, dae_value *out) {
  (void)count, (void)op;
  return dae_model_transpose(m, &arg[0], e->place, out);
}

/* cross(a, b) = a x b; skew(a) b = a x b */
bool dae_model_call_cross(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                          dae_value *out) {
  dae_graph *g = &m->graph;
  for (int k = 0; k < count; k++)
    if (arg[k].rank != 1 || arg[k].count != 3 || !is_number(&arg[k]))
      return wrong(m, e, "cross and skew need vectors of three numbers");
  const int *a = arg[0].node;
  if (op == 1) {
    int minus[3] = {dae_model_op1(g, OP_NEG, a[0]), dae_model_op1(g, OP_NEG, a[1]),
                    dae_model_op1(g, OP_NEG, a[2])};
    int entry[9] = {g->zero, minus[2], a[1], a[2], g->zero, minus[0], minus[1], a[0], g->zero};
    *out = dae_model_array(m, TYPE_REAL, 2, (int[]){3, 3});
    memcpy(out->node, entry, sizeof entry);
    return true;
  }
  const int *b = arg[1].node;
  *out = dae_model_array(m, TYPE_REAL, 1, (int[]){3});
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out->node[i] = dae_model_op2(g, OP_SUB, dae_model_op2(g, OP_MUL, a[j], b[k]),
                                 dae_model_op2(g, OP_MUL, a[k], b[j]));
  }
  return true;
}

bool dae_model_call_outer(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                          dae_value *out) {
  (void)count, (void)op;
  if (arg[0].rank != 1 || arg[1].rank != 1) return wrong(m, e, "outerProduct needs two vectors");
  *out = dae_model_array(m, TYPE_REAL, 2, (int[]){arg[0].count, arg[1].count});
  for (int i = 0; i < out->count; i++)
    out->node[i] = dae_model_op2(&m->graph, OP_MUL, arg[0].node[i / arg[1].count],
                                 arg[1].node[i % arg[1].count]);
  return true;
}

/* scalar(a), vector(a): the same elements in another shape */
bool dae_model_call_reshape(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                            dae_value *out) {
  (void)count;
  if (op == 0 && arg[0].count != 1) return wrong(m, e, "scalar(a) needs exactly one element");
  *out = dae_model_array_like(m, &arg[0], op, &arg[0].count);
  if (arg[0].count) memcpy(out->node, arg[0].node, (size_t)dae_model_nodes(&arg[0]) * sizeof(int));
  return true;
}

bool dae_model_join_along(dae_model *m, const dae_value *part, int count, int k, uint32_t place,
                          dae_value *out) {
  int dim[DAE_DIMS_MAX], rank = part[0].rank, inner = 1, outer = 1, at = 0;
  dae_value like = part[0];
  memcpy(dim, part[0].dim, sizeof dim);
  dim[k] = 0;
  for (int i = 0; i < count; i++) {
    bool fits = part[i].rank == rank && dae_model_same_kind(&like, &part[i]);
    for (int d = 0; d < rank && fits; d++) fits = d == k || part[i].dim[d] == dim[d];
    if (!fits) {
      dae_model_error(&m->source, place,
                      "arrays that are joined along dimension %d differ in type or in another size",
                      k + 1);
      return false;
    }
    dae_model_join_types(&like, &part[i]);
    dim[k] += part[i].dim[k];
  }
  for (int d = 0; d < k; d++) outer *= dim[d];
  for (int d = k + 1; d < rank; d++) inner *= dim[d];
  dae_value all = dae_model_array_like(m, &like, rank, dim);
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < count; i++) {
      int run = part[i].dim[k] * inner * dae_model_width(&like);
      if (run) memcpy(all.node + at, part[i].node + o * run, (size_t)run * sizeof(int));
      at += run;
    }
  *out = all;
  return true;
}

/* cat(k, a, b, ..) joins along dimension k */
bool dae_model_call_cat(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                        dae_value *out) {
  (void)op;
  int along = 0;
  if (count < 2) return wrong(m, e, "cat(k, a, b, ..) needs arrays");
  if (!read_sizes(m, e, arg, 0, 1, &along)) return false;
  if (along < 1 || along > arg[1].rank)
    return wrong(m, e, "cat(k, a, ..): the arrays have no dimension k");
  return dae_model_join_along(m, arg + 1, count - 1, along - 1, e->place, out);
}

/* matrix(a): dimensions after the second have size 1 and go, missing ones are 1 */
bool dae_model_call_matrix(dae_model *m, const dae_ast *e, const dae_value *arg, int count, int op,
                           dae_value *out) {
  (void)count, (void)op;
  int dim[2] = {1, 1};
  for (int k = 0; k < arg[0].rank; k++)
    if (k < 2) dim[k] = arg[0].dim[k];
    else if (arg[0].dim[k] != 1)
      return wrong(m, e, "matrix(a): dimensions after the second must have size 1");
  *out = dae_model_array_like(m, &arg[0], 2, dim);
  if (arg[0].count) memcpy(out->node, arg[0].node, (size_t)dae_model_nodes(&arg[0]) * sizeof(int));
  return true;
}

/* symmetric(A): what is above the diagonal stands below it, too */
bool dae_model_call_symmetric(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                              int op, dae_value *out) {
  (void)count, (void)op;
  int n = arg[0].dim[0];
  if (arg[0].rank != 2 || arg[0].dim[1] != n || !is_number(&arg[0]))
    return wrong(m, e, "symmetric needs a square matrix");
  *out = dae_model_array_like(m, &arg[0], 2, arg[0].dim);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out->node[i * n + j] = arg[0].node[i > j ? j * n + i : i * n + j];
  return true;
}
