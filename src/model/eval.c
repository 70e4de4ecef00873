/* trees -> arrays of nodes */
#include <math.h>
#include <string.h>

#include "model/model.h"

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
        factor.type != TYPE_STRING && dae_model_constant(&m->graph, factor.node[0]) &&
        m->graph.node[factor.node[0]].value == 0) {
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

static bool eval_power(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value base, exponent;
  if (!dae_model_eval(m, e->args[0], scope, &base) ||
      !dae_model_eval(m, e->args[1], scope, &exponent))
    return false;
  if (base.type > TYPE_INTEGER || exponent.type > TYPE_INTEGER) {
    dae_model_error(&m->source, e->place, "only numbers have powers");
    return false;
  }
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

static bool eval_logic(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value part;
  int node = -1, op = e->kind == AST_AND ? OP_AND : OP_OR;
  for (int k = 0; k < e->count; k++) {
    if (!dae_model_eval(m, e->args[k], scope, &part) || !boolean(m, &part, e->args[k]->place))
      return false;
    if (e->kind == AST_NOT) node = dae_model_op1(&m->graph, OP_NOT, part.node[0]);
    else node = k == 0 ? part.node[0] : dae_model_op2(&m->graph, op, node, part.node[0]);
  }
  *out = dae_model_scalar(m, TYPE_BOOLEAN, node);
  return true;
}

static bool eval_relation(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value a, b;
  if (!dae_model_eval(m, e->args[0], scope, &a) || !dae_model_eval(m, e->args[1], scope, &b))
    return false;
  if (a.rank || b.rank || a.type == TYPE_STRING || b.type == TYPE_STRING ||
      (a.type == TYPE_BOOLEAN) != (b.type == TYPE_BOOLEAN)) {
    dae_model_error(&m->source, e->place,
                    "only two scalar numbers (or two Booleans) can be compared");
    return false;
  }
  int op = e->name == '<'       ? OP_LT
           : e->name == '>'     ? OP_GT
           : e->name == WORD_LE ? OP_LE
           : e->name == WORD_GE ? OP_GE
           : e->name == WORD_EQ ? OP_EQ
                                : OP_NE;
  bool varies =
      !dae_model_constant(&m->graph, a.node[0]) || !dae_model_constant(&m->graph, b.node[0]);
  if ((op == OP_EQ || op == OP_NE) && varies && a.type == TYPE_REAL) {
    dae_model_error(&m->source, e->place,
                    "Real variables cannot be compared with == or <>: use < or >");
    return false;
  }
  int kind = scope->no_event ? RELATION_NO_EVENT : -1;
  *out =
      dae_model_scalar(m, TYPE_BOOLEAN, dae_model_node(&m->graph, op, a.node[0], b.node[0], kind));
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
    if (!dae_model_same_size(&v, &value[k]) || (v.type > TYPE_INTEGER && v.type != value[k].type)) {
      dae_model_error(&m->source, e->place, "the branches of this 'if' differ in size or type");
      return false;
    }
    dae_type type = v.type == value[k].type ? v.type : TYPE_REAL;
    dae_value joined = dae_model_array(m, type, v.rank, v.dim);
    for (int i = 0; i < v.count; i++)
      joined.node[i] = dae_model_node(&m->graph, OP_IF, condition[k], value[k].node[i], v.node[i]);
    v = joined;
  }
  *out = v;
  return true;
}

/* a:b or a:step:b, with values known now */
static bool eval_range(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  double x[3] = {0, 0, 0};
  dae_type type[3], all = TYPE_INTEGER;
  for (int k = 0; k < e->count; k++) {
    if (!dae_model_eval_number(m, e->args[k], scope, &type[k], &x[k])) return false;
    if (type[k] == TYPE_REAL) all = TYPE_REAL;
  }
  double first = x[0], last = x[e->count - 1], step = e->count == 3 ? x[1] : 1;
  if (step == 0) {
    dae_model_error(&m->source, e->args[1]->place, "the step of a range must not be 0");
    return false;
  }
  double n = floor((last - first) / step * (1 + 1e-15) + 1);
  int count = n > 0 ? (n < 1e9 ? (int)n : 1000000000) : 0;
  dae_value v = dae_model_array(m, all, 1, &count);
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
  dae_type type = count ? part[0].type : TYPE_REAL;
  for (int k = 0; k < count; k++) {
    if (!dae_model_same_size(&part[0], &part[k]) || part[k].type == TYPE_STRING ||
        (part[k].type == TYPE_BOOLEAN) != (type == TYPE_BOOLEAN)) {
      dae_model_error(&m->source, place, "the elements of {..} differ in size or type");
      return false;
    }
    if (part[k].type == TYPE_REAL) type = TYPE_REAL;
  }
  if (count) memcpy(dim + 1, part[0].dim, (size_t)part[0].rank * sizeof(int));
  *out = dae_model_array(m, type, rank, dim);
  for (int k = 0; k < count; k++)
    memcpy(out->node + (size_t)k * (size_t)part[0].count, part[k].node,
           (size_t)part[0].count * sizeof(int));
  return true;
}

static bool eval_array(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value *part = dae_model_take(&m->built, (size_t)e->count, sizeof *part);
  for (int k = 0; k < e->count; k++)
    if (!dae_model_eval(m, e->args[k], scope, &part[k])) return false;
  return stack_values(m, part, e->count, e->place, out);
}

/* [a, b; c, d] of scalars */
static bool eval_matrix(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  dae_value *row = dae_model_take(&m->built, (size_t)e->count, sizeof *row);
  for (int k = 0; k < e->count; k++) {
    if (!eval_array(m, e->args[k], scope, &row[k])) return false;
    if (row[k].rank != 1) {
      dae_model_error(&m->source, e->args[k]->place,
                      "[..] takes scalars here: join arrays with cat(..)");
      return false;
    }
    if (row[k].count != row[0].count) {
      dae_model_error(&m->source, e->args[k]->place,
                      "this row has %d elements, the first one has %d", row[k].count, row[0].count);
      return false;
    }
  }
  return stack_values(m, row, e->count, e->place, out);
}

/* {value for i in r, j in s}, and the same inside sum(..), product(..), min(..), max(..) */
static bool eval_comprehension(dae_model *m, const dae_ast *e, int level, dae_scope *scope,
                               dae_value *out) {
  int iterators = e->count - 1;
  if (level == iterators) return dae_model_eval(m, e->args[0], scope, out);
  /* the last iterator is the outermost dimension */
  int k = iterators - level;
  dae_value range;
  if (!dae_model_eval(m, e->args[k], scope, &range)) return false;
  if (range.rank != 1) {
    dae_model_error(&m->source, e->args[k]->place, "a loop runs over a range or a vector");
    return false;
  }
  dae_value *part = dae_model_take(&m->built, (size_t)range.count, sizeof *part);
  dae_binding loop = {.name = e->u.arg_name[k - 1], .next = scope->first, .input = true};
  scope->first = &loop;
  bool ok = true;
  for (int i = 0; i < range.count && ok; i++) {
    loop.value = dae_model_scalar(m, range.type, range.node[i]);
    ok = eval_comprehension(m, e, level + 1, scope, &part[i]);
  }
  scope->first = loop.next;
  return ok && stack_values(m, part, range.count, e->place, out);
}

static bool eval_reference(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out) {
  if (e->name < 0) { /* f(x)[k] */
    dae_value called;
    if (!dae_model_eval(m, e->args[0], scope, &called)) return false;
    return dae_model_subscript(m, &called, e->args + 1, e->count - 1, e->place, scope, out, NULL);
  }
  dae_value value;
  char full[200];
  double known;
  const char *name = m->names.text[e->name];
  dae_binding *b = scope->first;
  while (b && b->name != e->name) b = b->next;
  int symbol = e->name < m->named ? m->symbol_of[e->name] : -1;
  if (scope->function && symbol >= 0 && !m->symbol[symbol].from_package) symbol = -1;
  if (b) {
    value = scope->variables && b->variable ? *b->variable : b->value;
  } else if (symbol >= 0) {
    if (!dae_model_symbol_value(m, symbol, e->place)) return false;
    value = m->symbol[symbol].value;
  } else if (strcmp(name, "time") == 0 && e->count == 0 && !scope->function) {
    *out = dae_model_scalar(m, TYPE_REAL, m->graph.time);
    return true;
  } else if (dae_model_library_constant(dae_model_full_name(m, name, full, sizeof full), &known) &&
             e->count == 0) {
    *out = dae_model_scalar(m, TYPE_REAL, dae_model_const(&m->graph, known));
    return true;
  } else if (e->count == 0 && dae_model_literal(m, e->name)) {
    *out = dae_model_scalar(m, TYPE_INTEGER,
                            dae_model_const(&m->graph, dae_model_literal(m, e->name)));
    return true;
  } else if (e->count == 0 && e->name < m->named && m->types[e->name] &&
             m->types[e->name]->literals) {
    /* an enumeration as the range of a loop */
    *out = dae_model_array(m, TYPE_INTEGER, 1, &m->types[e->name]->literals);
    for (int k = 0; k < out->count; k++) out->node[k] = dae_model_const(&m->graph, k + 1);
    return true;
  } else {
    const char *near = dae_model_near_name(m, name, scope);
    dae_model_error(&m->source, e->place, "'%.80s' is not declared%s%.80s%s", name,
                    near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
  }
  if (e->count && !dae_model_subscript(m, &value, e->args, e->count, e->place, scope, &value, NULL))
    return false;
  for (int i = 0; i < value.count && (b ? b->decl != NULL : true); i++)
    if (value.node[i] < 0) {
      dae_model_error(&m->source, e->place,
                      b ? "'%.80s' is used before it has a value"
                        : "an element of '%.80s' that is used here is not declared",
                      name);
      return false;
    }
  *out = value;
  return true;
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
      *out = (dae_value){.type = TYPE_STRING, .string = e->u.string};
      ok = true;
      break;
    case AST_END:
      if (scope->end < 0)
        dae_model_error(&m->source, e->place, "'end' as a number has a meaning in subscripts only");
      else
        *out = dae_model_scalar(m, TYPE_INTEGER, dae_model_const(&m->graph, scope->end)), ok = true;
      break;
    case AST_REF: ok = eval_reference(m, e, scope, out); break;
    case AST_CALL: ok = dae_model_eval_call(m, e, scope, out); break;
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

bool dae_model_eval_number(dae_model *m, const dae_ast *e, dae_scope *scope, dae_type *type,
                           double *out) {
  dae_value v;
  if (!dae_model_eval(m, e, scope, &v)) return false;
  if (v.rank || v.type > TYPE_INTEGER) {
    dae_model_error(&m->source, e->place, "a scalar number is needed here");
    return false;
  }
  if (!dae_model_constant(&m->graph, v.node[0])) {
    dae_model_error(
        &m->source, e->place,
        "this must be known when the model is read: only numbers, parameters and constants");
    return false;
  }
  *out = m->graph.node[v.node[0]].value;
  *type = v.type;
  if (isfinite(*out)) return true;
  dae_model_error(&m->source, e->place, "the value of this expression is not a finite number");
  return false;
}
