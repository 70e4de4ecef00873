/*
 * graph: expressions as nodes that exist only once. The arguments of a node have smaller numbers
 * than
 * the node, so every pass is a loop and no pass recurses.
 */
#ifndef DAE_MODEL_GRAPH_H
#define DAE_MODEL_GRAPH_H

#include <stdatomic.h>

#include "model/syntax.h"

/* X(operation, number of arguments, name in formulas and in C) */
#define DAE_OPS(X)                                                                                \
  X(CONST, 0, "")                                                                                 \
  X(PARAM, 0, "")                                                                                 \
  X(TIME, 0, "time") X(VAR, 0, "") X(NEG, 1, "-") X(ADD, 2, "+") X(SUB, 2, "-") X(MUL, 2, "*")    \
      X(DIV, 2, "/") X(POW, 2, "^") X(SQRT, 1, "sqrt") X(EXP, 1, "exp") X(LOG, 1, "log")          \
          X(LOG10, 1, "log10") X(SIN, 1, "sin") X(COS, 1, "cos") X(TAN, 1, "tan")                 \
              X(ASIN, 1, "asin") X(ACOS, 1, "acos") X(ATAN, 1, "atan") X(SINH, 1, "sinh")         \
                  X(COSH, 1, "cosh") X(TANH, 1, "tanh") X(ATAN2, 2, "atan2") X(ABS, 1, "abs")     \
                      X(SIGN, 1, "sign") X(FLOOR, 1, "floor") X(CEIL, 1, "ceil") X(MIN, 2, "min") \
                          X(MAX, 2, "max") X(LT, 2, "<") X(LE, 2, "<=") X(GT, 2, ">")             \
                              X(GE, 2, ">=") X(EQ, 2, "==") X(NE, 2, "<>") X(AND, 2, "and")       \
                                  X(OR, 2, "or") X(NOT, 1, "not") X(IF, 3, "if") \
                                      X(LIST, 2, "") X(CALL, 1, "")

typedef enum dae_op {
#define X(op, arity, name) OP_##op,
  DAE_OPS(X)
#undef X
      OP_COUNT
} dae_op;

enum {
  NODE_CONSTANT = 1, /* no variable and no time in it; `value` is its value */
  NODE_TOTAL = 2     /* defined for all finite values of its variables */
};
enum { RELATION_NO_EVENT = -2 }; /* argument c of a relation inside noEvent(..) or smooth(..) */

/* when a variable is taken: now, at the ends of the interval (boundary conditions), before an
   event; a slot is a number that only events know (model.h), now and before; does a branch act? */
typedef enum dae_when {
  WHEN_NOW,
  WHEN_START,
  WHEN_FINAL,
  WHEN_PRE,
  WHEN_SLOT,
  WHEN_SLOT_PRE,
  WHEN_BRANCH,  /* 1 where a branch of `when` acts, else 0; a = its number */
  WHEN_ARGUMENT /* argument number a of a C function, in formulas of its derivatives */
} dae_when;

/*
 * CONST value;  PARAM a = number, value;  VAR a = variable, b = derivatives, c = dae_when;
 * LIST a = value, b = the rest, which ends with `zero`; CALL a = LIST of all arguments, b = number
 * of a C function, c = which of its results or derivatives (foreign.c);
 * others: arguments a, b, c. -1 where unused.
 */
typedef struct dae_node {
  uint8_t op, flags;
  int a, b, c;
  double value;
} dae_node;

/* a C function of the user; arrays are so many arguments and results */
enum { DAE_FOREIGN_MAX = 200 };
typedef struct dae_foreign {
  const char *name;
  int inputs, outputs;
  const bool *real; /* by argument: Real ones have derivatives */
  void (*function)(void);
  void (*call)(void (*function)(void), const double *in, double *out);
  /* by result and argument: formulas of WHEN_ARGUMENT; NULL: derivatives are differences */
  const int *partial;
  _Atomic double failed; /* its first argument where it had no finite value.. */
  atomic_int failures;   /* ..and how often that was */
} dae_foreign;

/* a list of nodes */
typedef struct dae_set {
  int *node;
  int count, capacity;
} dae_set;

typedef struct dae_graph {
  dae_arena *arena;
  dae_node *node;
  int *rate;      /* total time derivative of a node, -1 not made yet */
  uint32_t *mark; /* marked when equal to `epoch` */
  int *scratch;   /* one number a node for the pass that runs */
  int count, capacity,
      limit; /* limit: more nodes are refused through `escape` */
  uint32_t epoch;
  int *slot, slots;
  dae_set stack, spare; /* memory that passes use again and again */
  bool zero_absorbs;   /* 0 x = 0 even where x has no value, while dae_model_drop runs */
  int time, zero, one; /* nodes that are always there */
  dae_foreign **foreign;
  int foreigns, foreign_capacity;
} dae_graph;

int dae_model_op_arity(int op);
const char *dae_model_op_name(int op);

void dae_model_graph_init(dae_graph *g, dae_arena *arena, int limit);
int dae_model_const(dae_graph *g, double value);
int dae_model_param(dae_graph *g, int number, double value);
int dae_model_var(dae_graph *g, int variable, int order, int when);
/* simplified where that is exact and keeps the domain; unused arguments -1 */
int dae_model_node(dae_graph *g, int op, int a, int b, int c);
/* the node as it is: no rule is applied */
int dae_model_intern(dae_graph *g, int op, int a, int b, int c, double value, int flags);

static inline int dae_model_op1(dae_graph *g, int op, int a) {
  return dae_model_node(g, op, a, -1, -1);
}
static inline int dae_model_op2(dae_graph *g, int op, int a, int b) {
  return dae_model_node(g, op, a, b, -1);
}
static inline bool dae_model_is(const dae_graph *g, int node, double value) {
  return g->node[node].op == OP_CONST && g->node[node].value == value;
}
static inline bool dae_model_constant(const dae_graph *g, int node) {
  return (g->node[node].flags & NODE_CONSTANT) != 0;
}

/* value of one operation; the same in the interpreter, in folding and in generated code */
double dae_model_eval_op(int op, double a, double b, double c);
double dae_model_power(double a, double b);

/* ---- sets of nodes ---- */

/* all nodes below `roots` (included), arguments before users; leaves included */
void dae_model_reach(dae_graph *g, const int *roots, int count, dae_set *out);
void dae_model_set_add(dae_graph *g, dae_set *set, int node);
void dae_model_set_free(dae_graph *g, dae_set *set);

/* ---- derivatives ---- */

/* d node / d argument `which` (0, 1, 2) of the node's own operation */
int dae_model_partial(dae_graph *g, int node, int which);
/* total time derivative: d/dt VAR(j,k) = VAR(j,k+1) */
int dae_model_rate(dae_graph *g, int node);

/* one row of a Jacobian: entries d node / d leaf for every VAR and TIME leaf that is met */
typedef struct dae_gradient {
  int *leaf, *value;
  int count, capacity;
} dae_gradient;
void dae_model_gradient(dae_graph *g, int node, dae_gradient *out);

/* `node` with every leaf replaced by replace(ctx, leaf), which returns a node (the leaf itself
   to keep it) */
typedef int (*dae_replace)(dae_graph *g, int leaf, void *ctx);
void dae_model_substitute(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                          void *ctx);

/* the same with every node, once its arguments are replaced */
void dae_model_rewrite(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                       void *ctx);

/* the same for leaves that enter linearly and become zero: what they were multiplied by goes, too,
   and its domain is left to the matrix of those factors */
void dae_model_drop(dae_graph *g, const int *nodes, int count, int *out, dae_replace replace,
                    void *ctx);

/* ---- calls of C functions (foreign.c) ---- */

/* the arguments of a call into out[DAE_FOREIGN_MAX], their number */
int dae_model_arguments(const dae_graph *g, int call, int *out);
/* the call as it is, or its value where all arguments are known */
int dae_model_call_node(dae_graph *g, int list, int function, int which);
/* d call / d argument k */
int dae_model_call_partial(dae_graph *g, int call, int k);
/* result or derivative `which` at x, which is left as it was */
double dae_model_call_value(dae_foreign *f, int which, double *x);
/* "f", or "der(f, 2)" */
void dae_model_call_name(const dae_foreign *f, int which, dae_text *out);

/* ---- formulas ---- */

typedef struct dae_namer {
  const char *(*variable)(void *ctx, int variable, int order, char *buffer, int size);
  const char *(*parameter)(void *ctx, int number);
  void *ctx;
} dae_namer;
void dae_model_print(const dae_graph *g, int node, const dae_namer *namer, dae_text *out);

#endif
