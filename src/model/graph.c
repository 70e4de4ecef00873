/* nodes that exist only once, and sets of them */
#include <math.h>
#include <string.h>

#include "model/graph.h"

static const signed char op_arity[] = {
#define X(op, arity, name) arity,
    DAE_OPS(X)
#undef X
};
static const char *const op_name[] = {
#define X(op, arity, name) name,
    DAE_OPS(X)
#undef X
};

int dae_model_op_arity(int op) { return op_arity[op]; }
const char *dae_model_op_name(int op) { return op_name[op]; }

void dae_model_graph_init(dae_graph *g, dae_arena *arena, int limit) {
  *g = (dae_graph){.arena = arena, .limit = limit, .epoch = 1};
  g->zero = dae_model_const(g, 0);
  g->one = dae_model_const(g, 1);
  g->time = dae_model_intern(g, OP_TIME, -1, -1, -1, 0, NODE_TOTAL);
}

static uint32_t hash_node(int op, int a, int b, int c, double value) {
  uint64_t bits = 0;
  if (op == OP_CONST) memcpy(&bits, &value, sizeof bits);
  uint64_t h = (uint64_t)op * 0x9E3779B97F4A7C15u;
  h = (h ^ (uint32_t)a) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 29) ^ (uint32_t)b) * 0x94D049BB133111EBu;
  h = (h ^ (h >> 31) ^ (uint32_t)c) * 0xD6E8FEB86659FD93u;
  h = (h ^ (h >> 32) ^ bits) * 0x9E3779B97F4A7C15u;
  return (uint32_t)(h >> 32);
}

static uint32_t hash_of(const dae_node *n) { return hash_node(n->op, n->a, n->b, n->c, n->value); }

static void grow_slots(dae_graph *g) {
  int slots = g->slots ? 2 * g->slots : 4096, none = 0;
  dae_base_give(&g->arena->pool, g->slot);
  g->slot = NULL;
  g->slot = dae_model_grow(g->arena, NULL, &none, slots, sizeof(int));
  g->slots = slots;
  memset(g->slot, -1, (size_t)slots * sizeof(int));
  uint32_t mask = (uint32_t)slots - 1;
  for (int i = 0; i < g->count; i++) {
    uint32_t s = hash_of(&g->node[i]) & mask;
    while (g->slot[s] >= 0) s = (s + 1) & mask;
    g->slot[s] = i;
  }
}

static void grow_nodes(dae_graph *g) {
  if (g->count >= g->limit) dae_model_exceed(g->arena, EXCESS_SIZE);
  int old = g->capacity, capacity = old;
  g->rate = dae_model_grow(g->arena, g->rate, &capacity, g->count + 1, sizeof(int));
  capacity = old;
  g->scratch = dae_model_grow(g->arena, g->scratch, &capacity, g->count + 1, sizeof(int));
  capacity = old;
  g->mark = dae_model_grow(g->arena, g->mark, &capacity, g->count + 1, sizeof(uint32_t));
  g->node = dae_model_grow(g->arena, g->node, &g->capacity, g->count + 1, sizeof(dae_node));
}

int dae_model_intern(dae_graph *g, int op, int a, int b, int c, double value, int flags) {
  if (2 * (g->count + 1) > g->slots) grow_slots(g);
  uint32_t mask = (uint32_t)g->slots - 1, s = hash_node(op, a, b, c, value) & mask;
  for (; g->slot[s] >= 0; s = (s + 1) & mask) {
    const dae_node *n = &g->node[g->slot[s]];
    if (n->op == op && n->a == a && n->b == b && n->c == c &&
        (op != OP_CONST || memcmp(&n->value, &value, sizeof value) == 0))
      return g->slot[s];
  }
  if (g->count >= g->capacity || g->count >= g->limit) grow_nodes(g);
  g->node[g->count] = (dae_node){
      .op = (uint8_t)op, .flags = (uint8_t)flags, .a = a, .b = b, .c = c, .value = value};
  g->rate[g->count] = -1;
  g->mark[g->count] = 0;
  g->slot[s] = g->count;
  return g->count++;
}

int dae_model_const(dae_graph *g, double value) {
  if (value == 0) value = 0; /* one zero */
  return dae_model_intern(g, OP_CONST, -1, -1, -1, value, NODE_CONSTANT | NODE_TOTAL);
}

int dae_model_param(dae_graph *g, int number, double value) {
  return dae_model_intern(g, OP_PARAM, number, -1, -1, value, NODE_CONSTANT | NODE_TOTAL);
}

int dae_model_var(dae_graph *g, int variable, int order, int when) {
  return dae_model_intern(g, OP_VAR, variable, order, when, 0, NODE_TOTAL);
}

/* a^b; whole exponents up to 16 by multiplication, the same way in the interpreter and in
   generated code */
double dae_model_power(double a, double b) {
  if (b == floor(b) && fabs(b) <= 16) {
    double r = 1, s = a;
    for (int n = (int)fabs(b); n; n >>= 1, s *= s)
      if (n & 1) r *= s;
    return b < 0 ? 1 / r : r;
  }
  return pow(a, b);
}

double dae_model_eval_op(int op, double a, double b, double c) {
  switch (op) {
    case OP_NEG: return -a;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return dae_model_power(a, b);
    case OP_SQRT: return sqrt(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_LOG10: return log10(a);
    case OP_SIN: return sin(a);
    case OP_COS: return cos(a);
    case OP_TAN: return tan(a);
    case OP_ASIN: return asin(a);
    case OP_ACOS: return acos(a);
    case OP_ATAN: return atan(a);
    case OP_SINH: return sinh(a);
    case OP_COSH: return cosh(a);
    case OP_TANH: return tanh(a);
    case OP_ATAN2: return atan2(a, b);
    case OP_ABS: return fabs(a);
    case OP_SIGN: return (a > 0) - (a < 0);
    case OP_FLOOR: return floor(a);
    case OP_CEIL: return ceil(a);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_NOT: return a == 0;
    case OP_IF: return a != 0 ? b : c;
    case OP_LIST: return 0 * a + b; /* 0 where all of it is finite */
    default: return NAN;
  }
}

void dae_model_set_add(dae_graph *g, dae_set *set, int node) {
  set->node = dae_model_grow(g->arena, set->node, &set->capacity, set->count + 1, sizeof(int));
  set->node[set->count++] = node;
}

/* the larger one of two blocks is kept for the next pass */
void dae_model_set_free(dae_graph *g, dae_set *set) {
  if (set->capacity > g->spare.capacity) {
    dae_set old = g->spare;
    g->spare = *set;
    *set = old;
  }
  dae_base_give(&g->arena->pool, set->node);
  *set = (dae_set){0};
}

/* depth first with a stack of its own: a node is listed when all its arguments are */
void dae_model_reach(dae_graph *g, const int *roots, int count, dae_set *out) {
  dae_set stack = g->stack;
  if (!out->node) *out = g->spare, g->spare = (dae_set){0};
  out->count = 0;
  g->epoch++;
  for (int r = 0; r < count; r++) {
    if (roots[r] < 0 || g->mark[roots[r]] == g->epoch) continue;
    dae_model_set_add(g, &stack, roots[r]);
    while (stack.count) {
      int i = stack.node[stack.count - 1];
      if (g->mark[i] == g->epoch) {
        stack.count--;
        continue;
      }
      const dae_node *n = &g->node[i];
      int arity = op_arity[n->op], argument[3] = {n->a, n->b, n->c};
      bool ready = true;
      for (int k = arity - 1; k >= 0; k--)
        if (g->mark[argument[k]] != g->epoch) {
          dae_model_set_add(g, &stack, argument[k]);
          ready = false;
        }
      if (!ready) continue;
      stack.count--;
      g->mark[i] = g->epoch;
      dae_model_set_add(g, out, i);
    }
  }
  g->stack = stack;
  dae_model_tick(g->arena, out->count + count);
}
