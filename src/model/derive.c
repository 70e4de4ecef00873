/* exact derivatives: of one operation, in time, and with respect to all variables at once */
#include "model/graph.h"

static int num(dae_graph *g, double x) { return dae_model_const(g, x); }
static int mul(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_MUL, a, b); }
static int sub(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_SUB, a, b); }
static int over(dae_graph *g, int a, int b) { return dae_model_op2(g, OP_DIV, a, b); }
static int neg(dae_graph *g, int a) { return dae_model_op1(g, OP_NEG, a); }
static int fn(dae_graph *g, int op, int a) { return dae_model_op1(g, op, a); }
static int square(dae_graph *g, int a) { return dae_model_op2(g, OP_POW, a, num(g, 2)); }

/* a^b: b a^(b-1) and a^b log a, which goes to 0 with a^b; a^0 is 1 for all a */
static int power_partial(dae_graph *g, int node, int a, int b, int which) {
  if (which == 1) {
    int zero = dae_model_node(g, OP_EQ, node, g->zero, RELATION_NO_EVENT);
    return dae_model_node(g, OP_IF, zero, g->zero, mul(g, node, fn(g, OP_LOG, a)));
  }
  if (dae_model_constant(g, b) && g->node[b].value == 0) return g->zero;
  return mul(g, b, dae_model_op2(g, OP_POW, a, sub(g, b, g->one)));
}

/* atan2(a,b): b/(a^2+b^2) and -a/(a^2+b^2) */
static int atan2_partial(dae_graph *g, int a, int b, int which) {
  int d = dae_model_op2(g, OP_ADD, square(g, a), square(g, b));
  return which == 0 ? over(g, b, d) : neg(g, over(g, a, d));
}

/* functions of one argument */
static int function_partial(dae_graph *g, int op, int node, int a) {
  int one = g->one;
  switch (op) {
    case OP_SQRT: return over(g, num(g, 0.5), node);
    case OP_EXP: return node;
    case OP_LOG: return over(g, one, a);
    case OP_LOG10: return over(g, num(g, 0.43429448190325182765), a);
    case OP_SIN: return fn(g, OP_COS, a);
    case OP_COS: return neg(g, fn(g, OP_SIN, a));
    case OP_TAN: return dae_model_op2(g, OP_ADD, one, square(g, node));
    case OP_ASIN: return over(g, one, fn(g, OP_SQRT, sub(g, one, square(g, a))));
    case OP_ACOS: return neg(g, over(g, one, fn(g, OP_SQRT, sub(g, one, square(g, a)))));
    case OP_ATAN: return over(g, one, dae_model_op2(g, OP_ADD, one, square(g, a)));
    case OP_SINH: return fn(g, OP_COSH, a);
    case OP_COSH: return fn(g, OP_SINH, a);
    case OP_TANH: return sub(g, one, square(g, node));
    case OP_ABS: return fn(g, OP_SIGN, a);
    default: return g->zero; /* sign, floor, ceil, relations: constant between events */
  }
}

int dae_model_partial(dae_graph *g, int node, int which) {
  const dae_node n = g->node[node];
  int a = n.a, b = n.b;
  switch (n.op) {
    case OP_NEG: return num(g, -1);
    case OP_ADD: return g->one;
    case OP_SUB: return which == 0 ? g->one : num(g, -1);
    case OP_MUL: return which == 0 ? b : a;
    case OP_DIV: return which == 0 ? over(g, g->one, b) : neg(g, over(g, node, b));
    case OP_POW: return power_partial(g, node, a, b, which);
    case OP_ATAN2: return atan2_partial(g, a, b, which);
    case OP_MIN:
    case OP_MAX: {
      int first = dae_model_node(g, n.op == OP_MIN ? OP_LT : OP_GT, a, b, RELATION_NO_EVENT);
      int yes = which == 0 ? g->one : g->zero, no = which == 0 ? g->zero : g->one;
      return dae_model_node(g, OP_IF, first, yes, no);
    }
    case OP_IF:
      if (which == 0) return g->zero;
      return dae_model_node(g, OP_IF, a, which == 1 ? g->one : g->zero,
                            which == 1 ? g->zero : g->one);
    default: return function_partial(g, n.op, node, a);
  }
}

static int call_rate(dae_graph *g, int i) {
  int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(g, i, argument), sum = g->zero;
  for (int k = 0; k < count; k++) {
    int rate = g->rate[argument[k]];
    if (dae_model_is(g, rate, 0)) continue;
    sum = dae_model_op2(g, OP_ADD, sum, mul(g, dae_model_call_partial(g, i, k), rate));
  }
  return sum;
}

/* d/dt of one node whose arguments have theirs */
static int node_rate(dae_graph *g, int i) {
  const dae_node n = g->node[i];
  if (n.flags & NODE_CONSTANT) return g->zero;
  if (n.op == OP_TIME) return g->one;
  if (n.op == OP_VAR) return n.c == WHEN_NOW ? dae_model_var(g, n.a, n.b + 1, n.c) : g->zero;
  int argument[3] = {n.a, n.b, n.c}, arity = dae_model_op_arity(n.op);
  /* if and division keep their shape: shorter, and no 0*x for the branch not taken */
  if (n.op == OP_IF) return dae_model_node(g, OP_IF, n.a, g->rate[n.b], g->rate[n.c]);
  if (n.op == OP_DIV) return over(g, sub(g, g->rate[n.a], mul(g, i, g->rate[n.b])), n.b);
  if (n.op == OP_LIST) return g->zero;
  if (n.op == OP_CALL) return call_rate(g, i);
  int sum = g->zero;
  for (int k = 0; k < arity; k++) {
    int rate = g->rate[argument[k]];
    if (dae_model_is(g, rate, 0)) continue;
    sum = dae_model_op2(g, OP_ADD, sum, mul(g, dae_model_partial(g, i, k), rate));
  }
  return sum;
}

int dae_model_rate(dae_graph *g, int node) {
  if (g->rate[node] >= 0) return g->rate[node];
  dae_set below = {0};
  dae_model_reach(g, &node, 1, &below);
  for (int k = 0; k < below.count; k++) {
    int i = below.node[k];
    if (g->rate[i] >= 0) continue;
    int rate = node_rate(g, i);
    g->rate[i] = rate;
  }
  dae_model_set_free(g, &below);
  return g->rate[node];
}

/* adjoint * partial; where a branch is not taken the adjoint is 0, and a partial that has no value
   there (1/0) must not make 0*inf of it: if c then up else 0 -> if c then up*partial else 0 */
static int through(dae_graph *g, int up, int partial, int depth) {
  enum { DEPTH = 12 };
  const dae_node n = g->node[up];
  if (depth < DEPTH && n.op == OP_IF && (n.b == g->zero || n.c == g->zero)) {
    int yes = n.b == g->zero ? n.b : through(g, n.b, partial, depth + 1),
        no = n.c == g->zero ? n.c : through(g, n.c, partial, depth + 1);
    return dae_model_node(g, OP_IF, n.a, yes, no);
  }
  bool total = (g->node[partial].flags & (NODE_TOTAL | NODE_CONSTANT)) != 0;
  if (depth < DEPTH && !total && n.op == OP_ADD && g->node[n.a].op == OP_IF)
    return dae_model_op2(g, OP_ADD, through(g, n.a, partial, depth + 1),
                         through(g, n.b, partial, depth + 1));
  return mul(g, up, partial);
}

/* the arguments of a C function get their adjoints over the list */
static void call_adjoints(dae_graph *g, int i, int up, int *adjoint) {
  int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(g, i, argument);
  for (int k = 0; k < count; k++) {
    if (dae_model_constant(g, argument[k])) continue;
    int part = through(g, up, dae_model_call_partial(g, i, k), 0);
    int *at = &adjoint[g->scratch[argument[k]]];
    *at = dae_model_op2(g, OP_ADD, *at, part);
  }
}

/* reverse accumulation: adjoint(argument) += adjoint(node) * partial, users before arguments */
void dae_model_gradient(dae_graph *g, int node, dae_gradient *out) {
  dae_set below = {0};
  dae_model_reach(g, &node, 1, &below);
  int none = 0;
  int *adjoint = dae_model_grow(g->arena, NULL, &none, below.count, sizeof(int));
  for (int k = 0; k < below.count; k++) g->scratch[below.node[k]] = k, adjoint[k] = g->zero;
  adjoint[below.count - 1] = g->one;
  out->count = 0;
  for (int k = below.count - 1; k >= 0; k--) {
    int i = below.node[k], up = adjoint[k];
    const dae_node n = g->node[i];
    if (dae_model_is(g, up, 0) || (n.flags & NODE_CONSTANT)) continue;
    if (n.op == OP_VAR || n.op == OP_TIME) {
      int capacity = out->capacity;
      out->leaf = dae_model_grow(g->arena, out->leaf, &capacity, out->count + 1, sizeof(int));
      out->value =
          dae_model_grow(g->arena, out->value, &out->capacity, out->count + 1, sizeof(int));
      out->leaf[out->count] = i;
      out->value[out->count++] = up;
      continue;
    }
    if (n.op == OP_CALL) {
      call_adjoints(g, i, up, adjoint);
      continue;
    }
    int argument[3] = {n.a, n.b, n.c};
    for (int m = 0; m < dae_model_op_arity(n.op); m++) {
      int arg = argument[m];
      if (dae_model_constant(g, arg)) continue;
      int part = n.op != OP_IF ? through(g, up, dae_model_partial(g, i, m), 0)
                 : m == 1      ? dae_model_node(g, OP_IF, n.a, up, g->zero)
                               : dae_model_node(g, OP_IF, n.a, g->zero, up);
      if (n.op == OP_IF && m == 0) continue; /* a condition has no derivative */
      int *at = &adjoint[g->scratch[arg]];
      *at = dae_model_op2(g, OP_ADD, *at, part);
    }
  }
  dae_base_give(&g->arena->pool, adjoint);
  dae_model_set_free(g, &below);
}

/* rebuild what changed, leaves first; `replace` must not substitute itself */
static void rebuild(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                    void *ctx, bool all) {
  dae_set below = {0};
  dae_model_reach(g, nodes, count, &below);
  for (int k = 0; k < below.count; k++) {
    int i = below.node[k];
    const dae_node n = g->node[i];
    int arity = dae_model_op_arity(n.op);
    if (arity == 0) {
      int image = replace(g, i, ctx);
      g->scratch[i] = image;
      continue;
    }
    int a = g->scratch[n.a], b = arity > 1 ? g->scratch[n.b] : n.b,
        c = arity > 2 ? g->scratch[n.c] : n.c;
    int image = a == n.a && b == n.b && c == n.c ? i : dae_model_node(g, n.op, a, b, c);
    if (all) image = replace(g, image, ctx); /* may move scratch */
    g->scratch[i] = image;
  }
  for (int r = 0; r < count; r++) out[r] = nodes[r] < 0 ? nodes[r] : g->scratch[nodes[r]];
  dae_model_set_free(g, &below);
}

void dae_model_substitute(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                          void *ctx) {
  rebuild(g, nodes, count, out, replace, ctx, false);
}

void dae_model_rewrite(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                       void *ctx) {
  rebuild(g, nodes, count, out, replace, ctx, true);
}

void dae_model_drop(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                    void *ctx) {
  g->zero_absorbs = true;
  dae_model_substitute(g, nodes, count, out, replace, ctx);
  g->zero_absorbs = false;
}
