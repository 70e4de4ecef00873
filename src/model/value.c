/* arrays of nodes: sizes, element-wise and matrix arithmetic, subscripts */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

enum { ELEMENTS_MAX = 20000000, VARYING_MAX = 1000 };

dae_value dae_model_scalar(dae_model *m, dae_type type, int node) {
  dae_value v = {.type = type, .count = 1};
  v.node = dae_model_take(&m->built, 1, sizeof(int));
  v.node[0] = node;
  return v;
}

/* elements are -1: not assigned yet */
dae_value dae_model_array(dae_model *m, dae_type type, int rank, const int *dim) {
  return dae_model_array_like(m, &(dae_value){.type = type}, rank, dim);
}

dae_value dae_model_array_like(dae_model *m, const dae_value *like, int rank, const int *dim) {
  dae_value v = {.type = like->type,
                 .literals = like->literals,
                 .record = like->record,
                 .rank = rank,
                 .count = 1};
  double size = 1;
  for (int k = 0; k < rank; k++) {
    v.dim[k] = dim[k];
    size *= dim[k];
  }
  if (size * dae_model_width(&v) > ELEMENTS_MAX) dae_model_exceed(&m->built, EXCESS_SIZE);
  v.count = (int)size;
  int nodes = dae_model_nodes(&v);
  v.node = dae_model_take(&m->built, (size_t)nodes, sizeof(int));
  for (int i = 0; i < nodes; i++) v.node[i] = -1;
  return v;
}

/* ---- kinds ---- */

static bool is_number(dae_type type) { return type <= TYPE_INTEGER; }

/* enumerations are the same when their literals are */
static bool same_literals(const dae_ast_class *a, const dae_ast_class *b) {
  if (!a || !b || a == b) return true;
  return a->literals == b->literals &&
         memcmp(a->literal, b->literal, (size_t)a->literals * sizeof(int)) == 0;
}

/* fields of the same names and sizes, each accepted by `test` */
static bool same_fields(const dae_record *a, const dae_record *b,
                        bool (*test)(const dae_value *, const dae_value *)) {
  if (a == b) return true;
  if (a->fields != b->fields) return false;
  for (int k = 0; k < a->fields; k++) {
    const dae_field *x = &a->field[k], *y = &b->field[k];
    if (x->name != y->name || !dae_model_same_size(&x->shape, &y->shape) ||
        !test(&x->shape, &y->shape))
      return false;
  }
  return true;
}

bool dae_model_same_kind(const dae_value *a, const dae_value *b) {
  if (is_number(a->type) && is_number(b->type)) return true;
  if (a->type != b->type) return false;
  if (a->type == TYPE_ENUM) return same_literals(a->literals, b->literals);
  return a->type != TYPE_RECORD || same_fields(a->record, b->record, dae_model_same_kind);
}

bool dae_model_accepts(const dae_value *target, const dae_value *value) {
  if (target->type == TYPE_INTEGER && value->type == TYPE_REAL) return false;
  if (target->type == TYPE_RECORD && value->type == TYPE_RECORD)
    return same_fields(target->record, value->record, dae_model_accepts);
  return dae_model_same_kind(target, value);
}

void dae_model_join_types(dae_value *a, const dae_value *b) {
  if (is_number(a->type) && b->type == TYPE_REAL) a->type = TYPE_REAL;
  if (!a->literals) a->literals = b->literals;
}

const char *dae_model_type_text(const dae_model *m, const dae_value *v, char *buffer, size_t size) {
  static const char *const names[] = {"Real", "Integer", "Boolean", "String", "an enumeration"};
  if (v->type == TYPE_RECORD)
    snprintf(buffer, size, "a record '%.60s'", m->names.text[v->record->name]);
  else if (v->type == TYPE_ENUM && v->literals && !strchr(m->names.text[v->literals->name], ' '))
    snprintf(buffer, size, "%.60s", m->names.text[v->literals->name]);
  else snprintf(buffer, size, "%s", names[v->type]);
  return buffer;
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
  static const char *const what[] = {[TYPE_BOOLEAN] = "a Boolean (true or false)",
                                     [TYPE_STRING] = "a string",
                                     [TYPE_ENUM] = "an enumeration (write Integer(..))",
                                     [TYPE_RECORD] = "a record"};
  dae_model_error(&m->source, place, "%s cannot be used as a number", what[v->type]);
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

static bool combine(dae_model *m, char op, const dae_value *a, const dae_value *b, uint32_t place,
                    dae_value *out) {
  if (a->type == TYPE_STRING && b->type == TYPE_STRING && (op == '+' || op == 'p'))
    return dae_model_concatenate(m, a, b, place, out);
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

/* beyond 2^53 a double does not hold each whole number */
static bool is_whole(dae_model *m, const dae_value *v, uint32_t place) {
  for (int i = 0; v->type == TYPE_INTEGER && i < v->count; i++) {
    if (v->node[i] < 0 || !dae_model_constant(&m->graph, v->node[i])) continue;
    double x = m->graph.node[v->node[i]].value;
    if (fabs(x) <= 9007199254740992.0) continue;
    dae_model_error(&m->source, place, "%.17g is too large for an Integer (2^53 at most)", x);
    return false;
  }
  return true;
}

bool dae_model_combine(dae_model *m, char op, const dae_value *a, const dae_value *b,
                       uint32_t place, dae_value *out) {
  return combine(m, op, a, b, place, out) && is_whole(m, out, place);
}

bool dae_model_transpose(dae_model *m, const dae_value *a, uint32_t place, dae_value *out) {
  if (a->rank != 2) {
    dae_model_error(&m->source, place, "transpose needs a matrix");
    return false;
  }
  dae_value v = dae_model_array_like(m, a, 2, (int[]){a->dim[1], a->dim[0]});
  size_t width = (size_t)dae_model_width(a);
  for (int i = 0; i < a->dim[0]; i++)
    for (int j = 0; j < a->dim[1]; j++)
      memcpy(v.node + (size_t)(j * a->dim[0] + i) * width,
             a->node + (size_t)(i * a->dim[1] + j) * width, width * sizeof(int));
  *out = v;
  return true;
}

/* the indices (from 0) that one subscript picks in a dimension of size n; *scalar tells whether
   it drops it, *varies is the node of one that is not known, else -1 */
static bool pick(dae_model *m, const dae_ast *s, int n, dae_scope *scope, int **index, int *count,
                 bool *scalar, int *varies) {
  *scalar = false;
  *varies = -1;
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
  bool truth = v.type == TYPE_BOOLEAN; /* false is the first element, true the second */
  if (v.rank > 1 || (v.type != TYPE_INTEGER && v.type != TYPE_ENUM && !truth)) {
    dae_model_error(&m->source, s->place, "a subscript must be an Integer or a range of them");
    return false;
  }
  *scalar = v.rank == 0;
  *count = v.count;
  *index = dae_model_take(&m->built, (size_t)v.count, sizeof(int));
  for (int i = 0; i < v.count; i++) {
    if (!dae_model_constant(&m->graph, v.node[i])) {
      *varies = v.node[i];
      if (*scalar && !truth && n > 0 && n <= VARYING_MAX && !scope->assigns) return true;
      dae_model_error(&m->source, s->place,
                      "a subscript must be known when the model is read: use parameters");
      return false;
    }
    double x = m->graph.node[v.node[i]].value + truth;
    if (!(x >= 1 && x <= n)) {
      char text[80];
      snprintf(text, sizeof text, "subscript %.17g is outside 1:%d", x, n);
      /* in a branch that may never be taken: the run ends where it is */
      if (scope->path && n > 0) {
        if (!dae_model_require(m, m->graph.zero, text, s->place, scope)) return false;
        x = 1;
      } else {
        dae_model_error(&m->source, s->place, "%s", text);
        return false;
      }
    }
    (*index)[i] = (int)x - 1;
  }
  return true;
}

/* what all subscripts of a reference pick */
typedef struct picks {
  int *index[DAE_DIMS_MAX], length[DAE_DIMS_MAX], varies[DAE_DIMS_MAX];
  int rank, dim[DAE_DIMS_MAX]; /* of the result */
} picks;

static dae_value picked(dae_model *m, const dae_value *value, const picks *p) {
  dae_value v = dae_model_array_like(m, value, p->rank, p->dim);
  int width = dae_model_width(value);
  for (int i = 0; i < v.count; i++) {
    /* digits of i in the mixed base of the lengths, last one fastest */
    int rest = i, from = 0, stride = 1;
    for (int k = value->rank - 1; k >= 0; k--) {
      from += p->index[k][rest % p->length[k]] * stride;
      rest /= p->length[k];
      stride *= value->dim[k];
    }
    for (int j = 0; j < width; j++) v.node[i * width + j] = value->node[from * width + j];
  }
  return v;
}

/* a subscript that varies, from dimension k on: if i == 1 then a[1] else if i == 2 .. */
static dae_value choose(dae_model *m, const dae_value *value, picks *p, int k) {
  while (k < value->rank && p->varies[k] < 0) k++;
  if (k == value->rank) return picked(m, value, p);
  dae_graph *g = &m->graph;
  dae_value all = {0};
  for (int i = value->dim[k] - 1; i >= 0; i--) {
    p->index[k] = &i;
    dae_value one = choose(m, value, p, k + 1);
    int here = dae_model_op2(g, OP_EQ, p->varies[k], dae_model_const(g, i + 1));
    for (int j = 0; j < dae_model_nodes(&one) && i < value->dim[k] - 1; j++)
      if (one.node[j] < 0 || all.node[j] < 0) one.node[j] = -1;
      else one.node[j] = dae_model_node(g, OP_IF, here, one.node[j], all.node[j]);
    all = one;
  }
  return all;
}

bool dae_model_subscript(dae_model *m, const dae_value *value, dae_ast *const *subscripts,
                         int count, uint32_t place, dae_scope *scope, dae_value *out) {
  if (count > value->rank) {
    char size[80];
    dae_model_error(&m->source, place, "%d subscript%s for %s", count, count == 1 ? "" : "s",
                    dae_model_size_text(value, size, sizeof size));
    return false;
  }
  picks p = {0};
  dae_ast colon = {.kind = AST_COLON};
  for (int k = 0; k < value->rank; k++) {
    bool scalar;
    const dae_ast *s = k < count ? subscripts[k] : &colon;
    int *varies = &p.varies[k];
    if (!pick(m, s, value->dim[k], scope, &p.index[k], &p.length[k], &scalar, varies)) return false;
    if (!scalar) p.dim[p.rank++] = p.length[k];
    if (*varies >= 0 && !dae_model_inside(m, *varies, value->dim[k], s->place, scope)) return false;
  }
  *out = choose(m, value, &p, 0);
  return true;
}
