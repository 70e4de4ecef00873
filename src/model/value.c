/* arrays of nodes: sizes, element-wise and matrix arithmetic, subscripts */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

enum { ELEMENTS_MAX = 20000000 };

dae_value dae_model_scalar(dae_model *m, dae_type type, int node) {
  dae_value v = {.type = type, .count = 1};
  v.node = dae_model_take(&m->built, 1, sizeof(int));
  v.node[0] = node;
  return v;
}

/* elements are -1: not assigned yet */
dae_value dae_model_array(dae_model *m, dae_type type, int rank, const int *dim) {
  dae_value v = {.type = type, .rank = rank, .count = 1};
  double size = 1;
  for (int k = 0; k < rank; k++) {
    v.dim[k] = dim[k];
    size *= dim[k];
  }
  if (size > ELEMENTS_MAX) dae_model_exceed(&m->built, EXCESS_SIZE);
  v.count = (int)size;
  v.node = dae_model_take(&m->built, (size_t)v.count, sizeof(int));
  for (int i = 0; i < v.count; i++) v.node[i] = -1;
  return v;
}

bool dae_model_same_size(const dae_value *a, const dae_value *b) {
  return a->rank == b->rank && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof(int)) == 0;
}

const char *dae_model_size_text(const dae_value *v, char *buffer, size_t size) {
  if (v->rank == 0) return "a scalar";
  int n = snprintf(buffer, size, "an array [");
  for (int k = 0; k < v->rank && n > 0 && (size_t)n < size; k++)
    n += snprintf(buffer + n, size - (size_t)n, "%s%d", k ? ", " : "", v->dim[k]);
  if (n > 0 && (size_t)n < size) snprintf(buffer + n, size - (size_t)n, "]");
  return buffer;
}

static bool numeric(dae_model *m, const dae_value *v, uint32_t place) {
  if (v->type == TYPE_REAL || v->type == TYPE_INTEGER) return true;
  dae_model_error(&m->source, place, "%s cannot be used as a number",
                  v->type == TYPE_BOOLEAN ? "a Boolean (true or false)" : "a string");
  return false;
}

static bool size_error(dae_model *m, const char *what, const dae_value *a, const dae_value *b,
                       uint32_t place) {
  char left[80], right[80];
  dae_model_error(&m->source, place, "sizes do not fit in %s: %s and %s", what,
                  dae_model_size_text(a, left, sizeof left),
                  dae_model_size_text(b, right, sizeof right));
  return false;
}

bool dae_model_map(dae_model *m, int op, const dae_value *a, const dae_value *b, dae_type type,
                   uint32_t place, dae_value *out) {
  const dae_value *shape = b && a->rank == 0 ? b : a;
  if (b && a->rank && b->rank && !dae_model_same_size(a, b))
    return size_error(m, "an element-wise operation", a, b, place);
  dae_value v = dae_model_array(m, type, shape->rank, shape->dim);
  for (int i = 0; i < v.count; i++) {
    int x = a->node[a->rank ? i : 0], y = b ? b->node[b->rank ? i : 0] : -1;
    v.node[i] = dae_model_node(&m->graph, op, x, y, -1);
  }
  *out = v;
  return true;
}

/* sum_k a[i,k] b[k,j] with the strides of row-major storage */
static void multiply(dae_model *m, int rows, int inner, int cols, const int *a, const int *b,
                     int *c) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int sum = m->graph.zero;
      dae_model_tick(&m->built, inner);
      for (int k = 0; k < inner; k++) {
        int term = dae_model_op2(&m->graph, OP_MUL, a[i * inner + k], b[k * cols + j]);
        sum = dae_model_op2(&m->graph, OP_ADD, sum, term);
      }
      c[i * cols + j] = sum;
    }
}

/* scalar, vector and matrix products by the ranks of both sides */
static bool product(dae_model *m, const dae_value *a, const dae_value *b, dae_type type,
                    uint32_t place, dae_value *out) {
  if (a->rank == 0 || b->rank == 0) return dae_model_map(m, OP_MUL, a, b, type, place, out);
  if (a->rank > 2 || b->rank > 2) return size_error(m, "a matrix product", a, b, place);
  int rows = a->rank == 2 ? a->dim[0] : 1, inner = a->dim[a->rank - 1];
  int cols = b->rank == 2 ? b->dim[1] : 1;
  if (b->dim[0] != inner) return size_error(m, "a matrix product", a, b, place);
  int dim[2], rank = 0;
  if (a->rank == 2) dim[rank++] = rows;
  if (b->rank == 2) dim[rank++] = cols;
  dae_value v = dae_model_array(m, type, rank, dim);
  multiply(m, rows, inner, cols, a->node, b->node, v.node);
  *out = v;
  return true;
}

bool dae_model_combine(dae_model *m, char op, const dae_value *a, const dae_value *b,
                       uint32_t place, dae_value *out) {
  if (!numeric(m, a, place) || !numeric(m, b, place)) return false;
  dae_type type = a->type == TYPE_INTEGER && b->type == TYPE_INTEGER ? TYPE_INTEGER : TYPE_REAL;
  switch (op) {
    case '+':
    case '-':
      if (!dae_model_same_size(a, b))
        return size_error(m, op == '+' ? "a sum" : "a difference", a, b, place);
      return dae_model_map(m, op == '+' ? OP_ADD : OP_SUB, a, b, type, place, out);
    case 'p': return dae_model_map(m, OP_ADD, a, b, type, place, out);
    case 'm': return dae_model_map(m, OP_SUB, a, b, type, place, out);
    case '*': return product(m, a, b, type, place, out);
    case 't': return dae_model_map(m, OP_MUL, a, b, type, place, out);
    case '/':
      if (b->rank)
        return size_error(m, "a division (for element-wise division write ./)", a, b, place);
      return dae_model_map(m, OP_DIV, a, b, TYPE_REAL, place, out);
    default: return dae_model_map(m, OP_DIV, a, b, TYPE_REAL, place, out);
  }
}

bool dae_model_transpose(dae_model *m, const dae_value *a, uint32_t place, dae_value *out) {
  if (a->rank != 2) {
    dae_model_error(&m->source, place, "transpose needs a matrix");
    return false;
  }
  dae_value v = dae_model_array(m, a->type, 2, (int[]){a->dim[1], a->dim[0]});
  for (int i = 0; i < a->dim[0]; i++)
    for (int j = 0; j < a->dim[1]; j++) v.node[j * a->dim[0] + i] = a->node[i * a->dim[1] + j];
  *out = v;
  return true;
}

/* the indices (from 0) that one subscript picks in a dimension of size n; *scalar tells whether
   it drops it */
static bool pick(dae_model *m, const dae_ast *s, int n, dae_scope *scope, int **index, int *count,
                 bool *scalar) {
  *scalar = false;
  if (s->kind == AST_COLON) {
    *count = n;
    *index = dae_model_take(&m->built, (size_t)n, sizeof(int));
    for (int i = 0; i < n; i++) (*index)[i] = i;
    return true;
  }
  dae_value v;
  int end = scope->end;
  scope->end = n;
  bool ok = dae_model_eval(m, s, scope, &v);
  scope->end = end;
  if (!ok) return false;
  if (v.rank > 1 || v.type != TYPE_INTEGER) {
    dae_model_error(&m->source, s->place, "a subscript must be an Integer or a range of them");
    return false;
  }
  *scalar = v.rank == 0;
  *count = v.count;
  *index = dae_model_take(&m->built, (size_t)v.count, sizeof(int));
  for (int i = 0; i < v.count; i++) {
    if (!dae_model_constant(&m->graph, v.node[i])) {
      dae_model_error(&m->source, s->place,
                      "a subscript must be known when the model is read: use parameters");
      return false;
    }
    double x = m->graph.node[v.node[i]].value;
    if (!(x >= 1 && x <= n)) {
      dae_model_error(&m->source, s->place, "subscript %.17g is outside 1:%d", x, n);
      return false;
    }
    (*index)[i] = (int)x - 1;
  }
  return true;
}

bool dae_model_subscript(dae_model *m, const dae_value *value, dae_ast *const *subscripts,
                         int count, uint32_t place, dae_scope *scope, dae_value *out, int **index) {
  if (count > value->rank) {
    char size[80];
    dae_model_error(&m->source, place, "%d subscript%s for %s", count, count == 1 ? "" : "s",
                    dae_model_size_text(value, size, sizeof size));
    return false;
  }
  int *pick_of[DAE_DIMS_MAX], length[DAE_DIMS_MAX], dim[DAE_DIMS_MAX], rank = 0;
  dae_ast colon = {.kind = AST_COLON};
  for (int k = 0; k < value->rank; k++) {
    bool scalar;
    const dae_ast *s = k < count ? subscripts[k] : &colon;
    if (!pick(m, s, value->dim[k], scope, &pick_of[k], &length[k], &scalar)) return false;
    if (!scalar) dim[rank++] = length[k];
  }
  dae_value v = dae_model_array(m, value->type, rank, dim);
  if (index) *index = dae_model_take(&m->built, (size_t)v.count, sizeof(int));
  for (int i = 0; i < v.count; i++) {
    /* digits of i in the mixed base of the lengths, last one fastest */
    int rest = i, from = 0, stride = 1;
    for (int k = value->rank - 1; k >= 0; k--) {
      from += pick_of[k][rest % length[k]] * stride;
      rest /= length[k];
      stride *= value->dim[k];
    }
    v.node[i] = value->node[from];
    if (index) (*index)[i] = from;
  }
  *out = v;
  return true;
}
