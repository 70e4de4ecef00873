/* trees -> arrays of nodes */
#include <math.h>
#include <string.h>

#include "model/call.h"

enum {
  DEPTH_MAX = 600
}; /* of expressions, functions and parameters that need each other, together */

static bool eval_sum(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value sum, term;
  if (!dae_model_eval(m, e->args[0], scope, &sum)) return false;
  if (e->u.op[0] == '-' || e->count == 1) {
    dae_value zero = dae_model_scalar(m, TYPE_INTEGER, m->graph.zero);
    if (!dae_model_combine(m, e->u.op[0] == '-' ? 'm' : 'p', &zero, &sum, e->place, &sum))
      return false;
  }
  for (int k = 1; k < e->count; k++) {
    if (!dae_model_eval(m, e->args[k], scope, &term)) return false;
    if (!dae_model_combine(m, e->u.op[k], &sum, &term, e->args[k]->place, &sum)) return false;
  }
  *out = sum;
  return true;
}

static bool eval_product(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value product, factor;
  if (!dae_model_eval(m, e->args[0], scope, &product)) return false;
  for (int k = 1; k < e->count; k++) {
    if (!dae_model_eval(m, e->args[k], scope, &factor)) return false;
    if ((e->u.op[k] == '/' || e->u.op[k] == 'd') && factor.rank == 0 &&
        factor.type <= TYPE_INTEGER && dae_model_constant(&m->graph, factor.node[0]) &&
        m->graph.node[factor.node[0]].value == 0) {
      if (scope->path) {
        /* in a branch that may never be taken: the division fails where it is */
        factor.node[0] = dae_model_node(&m->graph, OP_IF, scope->path, m->graph.zero, m->graph.one);
        if (!dae_model_combine(m, e->u.op[k], &product, &factor, e->args[k]->place, &product))
          return false;
        continue;
      }
      dae_model_error(&m->source, e->args[k]->place,
                      "division by zero: the divisor is 0 for these parameters");
      return false;
    }
    if (!dae_model_combine(m, e->u.op[k], &product, &factor, e->args[k]->place, &product))
      return false;
  }
  *out = product;
  return true;
}

/* A^n = A*A*..*A, n >= 0 */
static bool matrix_power(dae_model *m, const dae_value *base, double n, uint32_t place,
                         dae_value *out) {
  enum { MOST = 1000 };
  if (n < 0 || n > MOST) {
    dae_model_error(&m->source, place, "a matrix has powers from 0 to %d only", MOST);
    return false;
  }
  int size = base->dim[0];
  dae_value power = dae_model_array(m, TYPE_REAL, 2, base->dim);
  for (int i = 0; i < power.count; i++)
    power.node[i] = i / size == i % size ? m->graph.one : m->graph.zero;
  for (int k = 0; k < (int)n; k++)
    if (!dae_model_combine(m, '*', &power, base, place, &power)) return false;
  *out = power;
  return true;
}

static bool eval_power(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value base, exponent;
  if (!dae_model_eval(m, e->args[0], scope, &base) ||
      !dae_model_eval(m, e->args[1], scope, &exponent))
    return false;
  if (base.type > TYPE_INTEGER || exponent.type > TYPE_INTEGER) {
    dae_model_error(&m->source, e->place, "only numbers have powers");
    return false;
  }
  if (e->u.op[0] == '^' && base.rank == 2 && base.dim[0] == base.dim[1] && !exponent.rank &&
      exponent.type == TYPE_INTEGER && dae_model_constant(&m->graph, exponent.node[0]))
    return matrix_power(m, &base, m->graph.node[exponent.node[0]].value, e->place, out);
  if (e->u.op[0] == '^' && (base.rank || exponent.rank)) {
    dae_model_error(&m->source, e->place, "a^b needs scalars: for element-wise powers write .^");
    return false;
  }
  return dae_model_map(m, OP_POW, &base, &exponent, TYPE_REAL, e->place, out);
}

static bool boolean(dae_model *m, const dae_value *v, uint32_t place) {
  if (v->type == TYPE_BOOLEAN && v->rank == 0) return true;
  dae_model_error(&m->source, place, "a condition must be a Boolean scalar, such as x > 0");
  return false;
}

static bool truth(dae_model *m, const dae_value *v, uint32_t place) {
  if (v->type == TYPE_BOOLEAN) return true;
  dae_model_error(&m->source, place, "and, or, not need Booleans, such as x > 0");
  return false;
}

/* and, or, not; arrays of one size element by element */
static bool eval_logic(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value part, all = {0};
  int op = e->kind == AST_AND ? OP_AND : OP_OR, path = scope->path;
  for (int k = 0; k < e->count; k++) {
    uint32_t place = e->args[k]->place;
    /* what stands behind is needed only where it can still decide: i <= n and x[i] > 0 */
    if (k > 0 && all.rank == 0) {
      int open = op == OP_AND ? all.node[0] : dae_model_op1(&m->graph, OP_NOT, all.node[0]);
      if (dae_model_is(&m->graph, open, 0)) break;
      if (!dae_model_constant(&m->graph, open)) dae_model_under(m, scope, open);
    }
    bool found = dae_model_eval(m, e->args[k], scope, &part);
    scope->path = path;
    if (!found || !truth(m, &part, place)) return false;
    if (k > 0 && !dae_model_same_size(&all, &part)) {
      dae_model_error(&m->source, place, "the sizes of these Booleans differ");
      return false;
    }
    bool ok = true;
    if (e->kind == AST_NOT) ok = dae_model_map(m, OP_NOT, &part, NULL, TYPE_BOOLEAN, place, &all);
    else if (k == 0) all = part;
    else ok = dae_model_map(m, op, &all, &part, TYPE_BOOLEAN, place, &all);
    if (!ok) return false;
  }
  *out = all;
  return true;
}

/* two Strings: known ones by their letters, others by == and <> only */
static bool compare_strings(dae_model *m, int op, const dae_value *a, const dae_value *b,
                            uint32_t place, int *node) {
  const char *left = dae_model_string(m, a), *right = dae_model_string(m, b);
  if (left && right) {
    int sign = strcmp(left, right);
    *node = dae_model_const(&m->graph, dae_model_eval_op(op, sign, 0, -1));
    return true;
  }
  if (dae_model_text_varies(m, a) || dae_model_text_varies(m, b)) {
    dae_model_error(&m->source, place,
                    "a text that is made of what varies cannot be compared: compare the values");
    return false;
  }
  if (op != OP_EQ && op != OP_NE) {
    dae_model_error(&m->source, place, "Strings that vary can be compared with == and <> only");
    return false;
  }
  *node = dae_model_op2(&m->graph, op, a->node[0], b->node[0]);
  return true;
}

static bool eval_relation(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value a, b;
  const dae_ast_class *expected = scope->literals;
  scope->literals = NULL;
  bool ok = dae_model_eval(m, e->args[0], scope, &a);
  /* e == P.E.red: the literal is one of e's type */
  if (ok && a.type == TYPE_ENUM) scope->literals = a.literals;
  ok = ok && dae_model_eval(m, e->args[1], scope, &b);
  if (ok && b.type == TYPE_ENUM && a.type == TYPE_ENUM && !dae_model_same_kind(&a, &b)) {
    scope->literals = b.literals;
    ok = dae_model_eval(m, e->args[0], scope, &a);
  }
  scope->literals = expected;
  if (!ok) return false;
  if (a.rank || b.rank || a.type == TYPE_RECORD || !dae_model_same_kind(&a, &b)) {
    dae_model_error(&m->source, e->place,
                    "only two scalar numbers (or two Booleans, two Strings, two literals of one "
                    "enumeration) can be compared");
    return false;
  }
  int op = e->name == '<'       ? OP_LT
           : e->name == '>'     ? OP_GT
           : e->name == WORD_LE ? OP_LE
           : e->name == WORD_GE ? OP_GE
           : e->name == WORD_EQ ? OP_EQ
                                : OP_NE;
  int node = -1;
  if (a.type == TYPE_STRING && !compare_strings(m, op, &a, &b, e->place, &node)) return false;
  bool varies =
      !dae_model_constant(&m->graph, a.node[0]) || !dae_model_constant(&m->graph, b.node[0]);
  if ((op == OP_EQ || op == OP_NE) && varies && (a.type == TYPE_REAL || b.type == TYPE_REAL) &&
      !scope->function) {
    dae_model_error(&m->source, e->place,
                    "Real variables cannot be compared with == or <>: use < or >");
    return false;
  }
  int kind = scope->no_event ? RELATION_NO_EVENT : -1;
  if (node < 0) node = dae_model_node(&m->graph, op, a.node[0], b.node[0], kind);
  *out = dae_model_scalar(m, TYPE_BOOLEAN, node);
  return true;
}

/* branches whose condition is a known false are not even looked at */
static bool eval_if(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  int pairs = e->count / 2, used = 0;
  int *condition = dae_model_take(&m->built, (size_t)pairs, sizeof(int));
  dae_value *value = dae_model_take(&m->built, (size_t)pairs + 1, sizeof *value);
  bool closed = false;
  int path = scope->path;
  for (int k = 0; k < pairs && !closed; k++) {
    dae_value c;
    if (!dae_model_eval(m, e->args[2 * k], scope, &c) || !boolean(m, &c, e->args[2 * k]->place))
      return false;
    bool known = dae_model_constant(&m->graph, c.node[0]);
    if (known && m->graph.node[c.node[0]].value == 0) continue;
    int other = scope->path;
    if (!known) dae_model_under(m, scope, c.node[0]);
    if (!dae_model_eval(m, e->args[2 * k + 1], scope, &value[used])) return false;
    scope->path = other;
    if (!known) dae_model_under(m, scope, dae_model_op1(&m->graph, OP_NOT, c.node[0]));
    if (known) closed = true;
    else condition[used++] = c.node[0];
  }
  if (!closed && !dae_model_eval(m, e->args[e->count - 1], scope, &value[used])) return false;
  scope->path = path;
  dae_value v = value[used];
  for (int k = used - 1; k >= 0; k--) {
    if (!dae_model_same_size(&v, &value[k]) || !dae_model_same_kind(&v, &value[k])) {
      dae_model_error(&m->source, e->place, "the branches of this 'if' differ in size or type");
      return false;
    }
    dae_model_join_types(&v, &value[k]);
    dae_value joined = dae_model_array_like(m, &v, v.rank, v.dim);
    int nodes = dae_model_nodes(&joined);
    for (int i = 0; i < nodes; i++) {
      int yes = value[k].node[i], no = v.node[i]; /* -1: a field that a function does not assign */
      joined.node[i] =
          yes < 0 || no < 0 ? -1 : dae_model_node(&m->graph, OP_IF, condition[k], yes, no);
    }
    v = joined;
  }
  *out = v;
  return true;
}

/* a:b or a:step:b, with values known now */
static bool eval_range(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  double x[3] = {0, 0, 0};
  dae_value like = {.type = TYPE_INTEGER}, end;
  for (int k = 0; k < e->count; k++) {
    /* E.red : E.blue, false : true */
    if (!dae_model_eval(m, e->args[k], scope, &end)) return false;
    bool counted =
        e->count == 2 && (end.type == TYPE_ENUM || end.type == TYPE_BOOLEAN) && !end.rank;
    if (!counted && !dae_model_number_of(m, &end, e->args[k]->place, &x[k])) return false;
    if (counted && !dae_model_constant(&m->graph, end.node[0])) counted = false;
    if (k > 0 && !dae_model_same_kind(&like, &end)) counted = false;
    if (end.type > TYPE_INTEGER && !counted) {
      dae_model_error(&m->source, e->place, "a range goes from one known number to another");
      return false;
    }
    if (counted) x[k] = m->graph.node[end.node[0]].value;
    if (k == 0 && counted) like.type = end.type, like.literals = end.literals;
    if (end.type == TYPE_REAL) like.type = TYPE_REAL;
  }
  double first = x[0], last = x[e->count - 1], step = e->count == 3 ? x[1] : 1;
  if (step == 0) {
    dae_model_error(&m->source, e->args[1]->place, "the step of a range must not be 0");
    return false;
  }
  double n = floor((last - first) / step * (1 + 1e-15) + 1);
  int count = n > 0 ? (n < 1e9 ? (int)n : 1000000000) : 0;
  dae_value v = dae_model_array_like(m, &like, 1, &count);
  for (int i = 0; i < count; i++) v.node[i] = dae_model_const(&m->graph, first + i * step);
  *out = v;
  return true;
}

/* {a, b, ..}: one dimension more than the parts have */
static bool stack_values(dae_model *m, const dae_value *part, int count, uint32_t place,
                         dae_value *out) {
  int dim[DAE_DIMS_MAX] = {count}, rank = count ? part[0].rank + 1 : 1;
  if (rank > DAE_DIMS_MAX) {
    dae_model_error(&m->source, place, "arrays of more than %d dimensions are not supported",
                    DAE_DIMS_MAX);
    return false;
  }
  dae_value like = count ? part[0] : (dae_value){.type = TYPE_REAL};
  for (int k = 0; k < count; k++) {
    if (!dae_model_same_size(&part[0], &part[k]) || !dae_model_same_kind(&part[0], &part[k])) {
      dae_model_error(&m->source, place, "the elements of {..} differ in size or type");
      return false;
    }
    dae_model_join_types(&like, &part[k]);
  }
  if (count) memcpy(dim + 1, part[0].dim, (size_t)part[0].rank * sizeof(int));
  dae_value all = dae_model_array_like(m, &like, rank, dim);
  size_t nodes = count ? (size_t)dae_model_nodes(&part[0]) : 0;
  for (int k = 0; k < count && nodes; k++)
    memcpy(all.node + (size_t)k * nodes, part[k].node, nodes * sizeof(int));
  *out = all;
  return true;
}

static bool eval_array(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value *part = dae_model_take(&m->built, (size_t)e->count, sizeof *part);
  for (int k = 0; k < e->count; k++)
    if (!dae_model_eval(m, e->args[k], scope, &part[k])) return false;
  return stack_values(m, part, e->count, e->place, out);
}

/* array(a, b, ..) is {a, b, ..}; no names of arguments */
static bool is_array_call(const dae_model *m, const dae_ast *e) {
  if (e->count == 0 || strcmp(m->names.text[e->name], "array") != 0) return false;
  return e->name >= m->named || !m->functions[e->name];
}

/* [a, b; c, d]: scalars are 1 x 1, vectors columns; joined to rows, and these below each other
   (Modelica 3.6, 10.4.2.1) */
static bool eval_matrix(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value *row = dae_model_take(&m->built, (size_t)e->count, sizeof *row);
  for (int k = 0; k < e->count; k++) {
    const dae_ast *r = e->args[k];
    dae_value *part = dae_model_take(&m->built, (size_t)r->count, sizeof *part);
    for (int i = 0; i < r->count; i++) {
      if (!dae_model_eval(m, r->args[i], scope, &part[i])) return false;
      for (; part[i].rank < 2; part[i].rank++) part[i].dim[part[i].rank] = 1;
    }
    if (!dae_model_join_along(m, part, r->count, 1, r->place, &row[k])) return false;
    if (k > 0 && row[k].rank == 2 && row[0].rank == 2 && row[k].dim[1] != row[0].dim[1]) {
      dae_model_error(&m->source, r->place, "this row has %d elements, the first one has %d",
                      row[k].dim[1], row[0].dim[1]);
      return false;
    }
  }
  return dae_model_join_along(m, row, e->count, 0, e->place, out);
}

/* {value for i in r, j in s}, and the same inside sum(..), product(..), min(..), max(..) */
static bool eval_comprehension(dae_model *m, const dae_ast *e, int level, dae_scope *scope,
                               dae_value *out) {
  int iterators = e->count - 1;
  if (level == iterators) return dae_model_eval(m, e->args[0], scope, out);
  /* the last iterator is the outermost dimension */
  int k = iterators - level;
  dae_value range;
  if (!dae_model_loop_range(m, e->args[k], e->u.arg_name[k - 1], e->args[0], NULL, scope, &range))
    return false;
  dae_value *part = dae_model_take(&m->built, (size_t)range.count, sizeof *part);
  dae_binding loop = {.name = e->u.arg_name[k - 1], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  for (int i = 0; i < range.count && ok; i++) {
    loop.value = dae_model_element(m, &range, i);
    ok = eval_comprehension(m, e, level + 1, scope, &part[i]);
  }
  scope->first = loop.next;
  return ok && stack_values(m, part, range.count, e->place, out);
}

bool dae_model_eval(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  if (m->depth >= DEPTH_MAX) {
    dae_model_error(&m->source, e->place,
                    "parameters or functions need each other through more than %d levels",
                    DEPTH_MAX);
    return false;
  }
  m->depth++;
  m->at = e->place;
  dae_model_tick(&m->built, 8);
  bool ok = false;
  switch ((dae_ast_kind)e->kind) {
    case AST_NUMBER:
      *out = dae_model_scalar(m, e->integer ? TYPE_INTEGER : TYPE_REAL,
                              dae_model_const(&m->graph, e->u.number));
      ok = true;
      break;
    case AST_BOOL:
      *out = dae_model_scalar(m, TYPE_BOOLEAN, e->u.number != 0 ? m->graph.one : m->graph.zero);
      ok = true;
      break;
    case AST_STRING:
      *out = dae_model_text_value(m, e->u.string);
      ok = true;
      break;
    case AST_END:
      if (scope->end < 0)
        dae_model_error(&m->source, e->place, "'end' as a number has a meaning in subscripts only");
      else
        *out = dae_model_scalar(m, TYPE_INTEGER, dae_model_const(&m->graph, scope->end)), ok = true;
      break;
    case AST_REF:
    case AST_FIELD: ok = dae_model_eval_reference(m, e, scope, out); break;
    case AST_CALL:
      ok = is_array_call(m, e) ? eval_array(m, e, scope, out)
                               : dae_model_eval_call(m, e, scope, out);
      break;
    case AST_SUM: ok = eval_sum(m, e, scope, out); break;
    case AST_PRODUCT: ok = eval_product(m, e, scope, out); break;
    case AST_POWER: ok = eval_power(m, e, scope, out); break;
    case AST_NOT:
    case AST_AND:
    case AST_OR: ok = eval_logic(m, e, scope, out); break;
    case AST_RELATION: ok = eval_relation(m, e, scope, out); break;
    case AST_IF: ok = eval_if(m, e, scope, out); break;
    case AST_RANGE: ok = eval_range(m, e, scope, out); break;
    case AST_ARRAY: ok = eval_array(m, e, scope, out); break;
    case AST_MATRIX: ok = eval_matrix(m, e, scope, out); break;
    case AST_COMPREHENSION: ok = dae_model_eval_call(m, e, scope, out); break;
    case AST_VALUE:
      *out = *e->u.value;
      ok = true;
      break;
    case AST_COLON:
      dae_model_error(&m->source, e->place, "':' has a meaning in subscripts only");
      break;
    case AST_TUPLE:
      dae_model_error(&m->source, e->place,
                      "(a, b) can only stand left of '=' with a function of several outputs");
      break;
  }
  m->depth--;
  return ok;
}

/* for eval_call.c: the array that a comprehension makes */
bool dae_model_eval_comprehension(dae_model *m, const dae_ast *e, dae_scope *scope,
                                  dae_value *out) {
  return eval_comprehension(m, e, 0, scope, out);
}

dae_value dae_model_element(dae_model *m, const dae_value *v, int i) {
  dae_value one = dae_model_array_like(m, v, 0, NULL);
  int width = dae_model_width(v);
  memcpy(one.node, v->node + (size_t)i * (size_t)width, (size_t)width * sizeof(int));
  return one;
}

/* Integer n = 3; n is a variable, but its declaration gives it a number */
static int declared_number(dae_model *m, int node) {
  const dae_node n = m->graph.node[node];
  int symbol = n.op == OP_VAR && n.b == 0 ? m->flat.variable[n.a].symbol : -1;
  const dae_ast_decl *d = symbol >= 0 ? m->symbol[symbol].decl : NULL;
  dae_value v;
  if (!d || !d->binding || d->binding->kind != AST_NUMBER || d->causality == CAUSAL_INPUT)
    return node;
  dae_scope scope = dae_model_scope_of(&m->symbol[symbol]);
  return dae_model_eval(m, d->binding, &scope, &v) && v.rank == 0 ? v.node[0] : node;
}

bool dae_model_number_of(dae_model *m, const dae_value *v, uint32_t place, double *out) {
  if (v->rank || v->type > TYPE_INTEGER) {
    dae_model_error(&m->source, place, "a scalar number is needed here");
    return false;
  }
  int node = declared_number(m, v->node[0]);
  if (!dae_model_constant(&m->graph, node)) {
    dae_model_error(
        &m->source, place,
        "this must be known when the model is read: only numbers, parameters and constants");
    return false;
  }
  *out = m->graph.node[node].value;
  if (isfinite(*out)) return true;
  dae_model_error(&m->source, place, "the value of this expression is not a finite number");
  return false;
}

bool dae_model_eval_number(dae_model *m, const dae_ast *e, dae_scope *scope, dae_type *type,
                           double *out) {
  dae_value v;
  if (!dae_model_eval(m, e, scope, &v)) return false;
  *type = v.type;
  return dae_model_number_of(m, &v, e->place, out);
}
