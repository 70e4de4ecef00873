/* simplification that is exact and keeps the domain: 0*f is 0 only where f is defined everywhere */
#include <float.h>
#include <math.h>

#include "model/graph.h"

static bool is_total(const dae_graph *g, int i) { return (g->node[i].flags & NODE_TOTAL) != 0; }

/* zero for sure: the number, or a parameter (expression) that has the value 0 in this run */
static bool is_zero(const dae_graph *g, int i) {
  return dae_model_constant(g, i) && is_total(g, i) && g->node[i].value == 0;
}

/* is the operation itself defined for all values of its arguments? */
static bool op_total(const dae_graph *g, int op, int a, int b) {
  switch (op) {
    case OP_DIV: return dae_model_constant(g, b) && g->node[b].value != 0;
    case OP_POW: {
      if (!dae_model_constant(g, b)) return false;
      double e = g->node[b].value;
      return e >= 0 && (e == floor(e) || (dae_model_constant(g, a) && g->node[a].value > 0));
    }
    case OP_SQRT:
    case OP_LOG:
    case OP_LOG10: return dae_model_constant(g, a) && g->node[a].value > 0;
    case OP_TAN:
    case OP_ASIN:
    case OP_ACOS: return false;
    default: return true;
  }
}

/* the node with its flags and, when constant, its value; numbers alone are folded */
static int make(dae_graph *g, int op, int a, int b, int c) {
  int argument[3] = {a, b, c}, arity = dae_model_op_arity(op);
  bool constant = true, literal = true, total = op_total(g, op, a, b);
  double x[3] = {0, 0, 0};
  for (int k = 0; k < arity; k++) {
    const dae_node *n = &g->node[argument[k]];
    constant = constant && (n->flags & NODE_CONSTANT);
    literal = literal && n->op == OP_CONST;
    total = total && (n->flags & NODE_TOTAL);
    x[k] = n->value;
  }
  double value = constant ? dae_model_eval_op(op, x[0], x[1], x[2]) : 0;
  if (literal && isfinite(value)) return dae_model_const(g, value);
  return dae_model_intern(g, op, a, b, c, value,
                          (constant ? NODE_CONSTANT : 0) | (total ? NODE_TOTAL : 0));
}

/* new nodes may move the old ones: what is needed after that is copied first */
static int negate(dae_graph *g, int a) {
  const dae_node n = g->node[a];
  if (n.op == OP_NEG) return n.a;
  if (n.op == OP_MUL && g->node[n.a].op == OP_CONST)
    return dae_model_op2(g, OP_MUL, dae_model_const(g, -g->node[n.a].value), n.b);
  return make(g, OP_NEG, a, -1, -1);
}

static int add(dae_graph *g, int a, int b) {
  if (is_zero(g, a)) return b;
  if (is_zero(g, b)) return a;
  if (g->node[b].op == OP_NEG) return dae_model_op2(g, OP_SUB, a, g->node[b].a);
  if (g->node[a].op == OP_NEG) return dae_model_op2(g, OP_SUB, b, g->node[a].a);
  if (g->node[b].op == OP_CONST && g->node[b].value < 0 && g->node[a].op != OP_CONST)
    return dae_model_op2(g, OP_SUB, a, dae_model_const(g, -g->node[b].value));
  if (g->node[a].op == OP_CONST && g->node[a].value < 0 && g->node[b].op != OP_CONST)
    return add(g, b, a);
  if (a == b) return dae_model_op2(g, OP_MUL, dae_model_const(g, 2), a);
  return a < b ? make(g, OP_ADD, a, b, -1) : make(g, OP_ADD, b, a, -1);
}

static int subtract(dae_graph *g, int a, int b) {
  if (is_zero(g, b)) return a;
  if (is_zero(g, a)) return negate(g, b);
  if (a == b && is_total(g, a)) return g->zero;
  if (g->node[b].op == OP_NEG) return dae_model_op2(g, OP_ADD, a, g->node[b].a);
  if (g->node[b].op == OP_CONST && g->node[b].value < 0 && g->node[a].op != OP_CONST)
    return dae_model_op2(g, OP_ADD, a, dae_model_const(g, -g->node[b].value));
  if (g->node[a].op == OP_NEG) return negate(g, dae_model_op2(g, OP_ADD, g->node[a].a, b));
  /* b - a is -(a - b), which is exact: forces between pairs are then computed once */
  if (a > b && g->node[a].op != OP_CONST && g->node[b].op != OP_CONST)
    return negate(g, make(g, OP_SUB, b, a, -1));
  return make(g, OP_SUB, a, b, -1);
}

/* x^m x^n = x^(m+n) for whole m, n > 0 */
static int join_powers(dae_graph *g, int a, int b) {
  const dae_node *p = &g->node[a], *q = &g->node[b];
  int base_a = p->op == OP_POW && g->node[p->b].op == OP_CONST ? p->a : a;
  int base_b = q->op == OP_POW && g->node[q->b].op == OP_CONST ? q->a : b;
  if (base_a != base_b || p->op == OP_CONST) return -1;
  double m = base_a == a ? 1 : g->node[p->b].value, n = base_b == b ? 1 : g->node[q->b].value;
  if (m < 1 || n < 1 || m != floor(m) || n != floor(n) || m + n > 16) return -1;
  return dae_model_op2(g, OP_POW, base_a, dae_model_const(g, m + n));
}

/* may c1 (c2 x) become (c1 c2) x? Not when the product overflows or loses digits near 0 */
static bool numbers_join(double a, double b) {
  double product = fabs(a * b);
  return a == 0 || b == 0 || (product >= DBL_MIN && product <= DBL_MAX);
}

/* what a product, quotient or power with numbers is made of: c u^p -> u for p > 0 */
static int base_of(const dae_graph *g, int i) {
  for (;;) {
    const dae_node *n = &g->node[i];
    if (n->op == OP_NEG || n->op == OP_SQRT) i = n->a;
    else if (n->op == OP_MUL && dae_model_constant(g, n->a)) i = n->b;
    else if (n->op == OP_DIV && dae_model_constant(g, n->b)) i = n->a;
    else if (n->op == OP_POW && dae_model_constant(g, n->b) && g->node[n->b].value > 0) i = n->a;
    else return i;
  }
}

/* x^p log(c x^q) -> 0 with x; NaN by its factors: the limit takes the place of the product there.
   -1: the product is not of this kind */
static int product_with_log(dae_graph *g, int a, int b) {
  const dae_node n = g->node[b];
  if (n.op != OP_LOG && n.op != OP_LOG10) return -1;
  int base = base_of(g, n.a);
  if (dae_model_constant(g, base) || base_of(g, a) != base) return -1;
  int zero = dae_model_node(g, OP_EQ, n.a, g->zero, RELATION_NO_EVENT);
  return dae_model_node(g, OP_IF, zero, g->zero, make(g, OP_MUL, a, b, -1));
}

static int multiply(dae_graph *g, int a, int b) {
  if ((is_zero(g, a) && (g->zero_absorbs || is_total(g, b))) ||
      (is_zero(g, b) && (g->zero_absorbs || is_total(g, a))))
    return g->zero;
  if (dae_model_is(g, a, 1)) return b;
  if (dae_model_is(g, b, 1)) return a;
  if (dae_model_is(g, a, -1)) return negate(g, b);
  if (dae_model_is(g, b, -1)) return negate(g, a);
  if (g->node[a].op == OP_NEG) return negate(g, dae_model_op2(g, OP_MUL, g->node[a].a, b));
  if (g->node[b].op == OP_NEG) return negate(g, dae_model_op2(g, OP_MUL, a, g->node[b].a));
  int joined = join_powers(g, a, b);
  if (joined < 0) joined = product_with_log(g, a, b);
  if (joined < 0) joined = product_with_log(g, b, a);
  if (joined >= 0) return joined;
  /* constants to the left; two numbers become one */
  bool ca = dae_model_constant(g, a), cb = dae_model_constant(g, b);
  if (cb && !ca) return multiply(g, b, a);
  dae_node n = g->node[b];
  if (g->node[a].op == OP_CONST && n.op == OP_MUL && g->node[n.a].op == OP_CONST &&
      numbers_join(g->node[a].value, g->node[n.a].value))
    return dae_model_op2(g, OP_MUL, dae_model_const(g, g->node[a].value * g->node[n.a].value), n.b);
  /* a (c b) = c (a b): numbers come to the front */
  if (!ca && n.op == OP_MUL && g->node[n.a].op == OP_CONST)
    return multiply(g, n.a, multiply(g, a, n.b));
  n = g->node[a];
  if (!ca && n.op == OP_MUL && g->node[n.a].op == OP_CONST)
    return multiply(g, n.a, multiply(g, n.b, b));
  if (ca == cb && a > b) return make(g, OP_MUL, b, a, -1);
  return make(g, OP_MUL, a, b, -1);
}

static int divide(dae_graph *g, int a, int b) {
  if (dae_model_is(g, b, 1)) return a;
  if (dae_model_is(g, b, -1)) return negate(g, a);
  bool safe = g->zero_absorbs || (dae_model_constant(g, b) && g->node[b].value != 0);
  if (safe && is_zero(g, a)) return g->zero;
  if (g->node[a].op == OP_NEG) return negate(g, dae_model_op2(g, OP_DIV, g->node[a].a, b));
  if (g->node[b].op == OP_NEG) return negate(g, dae_model_op2(g, OP_DIV, a, g->node[b].a));
  return make(g, OP_DIV, a, b, -1);
}

static int power(dae_graph *g, int a, int b) {
  if (dae_model_is(g, b, 1)) return a;
  if (dae_model_is(g, b, 0) && is_total(g, a)) return g->one;
  if (dae_model_is(g, b, 0.5)) return dae_model_op1(g, OP_SQRT, a);
  double e = g->node[b].value;
  if (g->node[a].op == OP_NEG && g->node[b].op == OP_CONST && e == floor(e) && fabs(e) < 1e9) {
    int positive = power(g, g->node[a].a, b);
    return fmod(e, 2) == 0 ? positive : negate(g, positive);
  }
  return make(g, OP_POW, a, b, -1);
}

/* functions with f(-x) = -f(x) or f(x) */
static int odd_even(dae_graph *g, int op, int a) {
  if (g->node[a].op == OP_NEG) {
    int inner = g->node[a].a;
    switch (op) {
      case OP_SIN:
      case OP_TAN:
      case OP_ASIN:
      case OP_ATAN:
      case OP_SINH:
      case OP_TANH:
      case OP_SIGN: return negate(g, dae_model_op1(g, op, inner));
      case OP_COS:
      case OP_COSH:
      case OP_ABS: return dae_model_op1(g, op, inner);
      default: break;
    }
  }
  return make(g, op, a, -1, -1);
}

int dae_model_node(dae_graph *g, int op, int a, int b, int c) {
  switch (op) {
    case OP_NEG: return negate(g, a);
    case OP_ADD: return add(g, a, b);
    case OP_SUB: return subtract(g, a, b);
    case OP_MUL: return multiply(g, a, b);
    case OP_DIV: return divide(g, a, b);
    case OP_POW: return power(g, a, b);
    case OP_IF:
      if (dae_model_constant(g, a)) return g->node[a].value != 0 ? b : c;
      if (b == c && is_total(g, a)) return b;
      return make(g, op, a, b, c);
    case OP_AND:
    case OP_OR: {
      /* true and x = x, false and x = false, for Booleans that are known */
      bool neutral = op == OP_AND;
      if (dae_model_constant(g, a)) return (g->node[a].value != 0) == neutral ? b : a;
      if (dae_model_constant(g, b)) return (g->node[b].value != 0) == neutral ? a : b;
      return a == b ? a : make(g, op, a, b, -1);
    }
    case OP_LIST: return dae_model_intern(g, op, a, b, -1, 0, 0);
    case OP_CALL: return dae_model_call_node(g, a, b, c);
    default: return dae_model_op_arity(op) == 1 ? odd_even(g, op, a) : make(g, op, a, b, c);
  }
}
