/* nodes -> formulas that can be read */
#include <math.h>
#include <stdio.h>

#include "model/graph.h"

enum { PRINT_DEPTH = 40, PRINT_LENGTH = 600 };

typedef struct printer {
  const dae_graph *g;
  const dae_namer *namer;
  dae_text *out;
  int from; /* length of the text when the formula began */
} printer;

/* binding strength: or 1, and 2, not 3, relation 4, sum 5, product 6, power 7, atom 8 */
static int strength(const dae_node *n) {
  switch (n->op) {
    case OP_CONST: return n->value < 0 ? 6 : 8;
    case OP_IF: return 0;
    case OP_OR: return 1;
    case OP_AND: return 2;
    case OP_NOT: return 3;
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ:
    case OP_NE: return 4;
    case OP_NEG:
    case OP_ADD:
    case OP_SUB: return 5;
    case OP_MUL:
    case OP_DIV: return 6;
    case OP_POW: return 7;
    default: return 8;
  }
}

static void print(printer *p, int i, int least, int depth);

static void print_number(dae_text *out, double x) {
  char text[40];
  /* the shortest text that reads back as the same number */
  if (fabs(x) < 1e15 && x == floor(x)) {
    dae_model_text_add(out, "%.0f", x);
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    double back;
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (sscanf(text, "%lf", &back) == 1 && back == x) break;
  }
  dae_model_text_add(out, "%s", text);
}

static void print_leaf(printer *p, const dae_node *n) {
  char buffer[200];
  if (n->op == OP_CONST) {
    print_number(p->out, n->value);
  } else if (n->op == OP_TIME) {
    dae_model_text_add(p->out, "time");
  } else if (n->op == OP_PARAM) {
    dae_model_text_add(p->out, "%.100s", p->namer->parameter(p->namer->ctx, n->a));
  } else if (n->c == WHEN_ARGUMENT) {
    dae_model_text_add(p->out, "argument %d", n->a + 1);
  } else if (n->c == WHEN_SLOT || n->c == WHEN_SLOT_PRE) {
    static const char *const slot[] = {"initial()", "terminal()", "sample(..)"};
    dae_model_text_add(p->out, "%s", slot[n->a < 2 ? n->a : 2]);
  } else {
    static const char *const when[] = {"", "(startTime)", "(finalTime)", ""};
    const char *name = p->namer->variable(p->namer->ctx, n->a, n->b, buffer, sizeof buffer);
    dae_model_text_add(p->out, n->c == WHEN_PRE ? "pre(%.100s)%s" : "%.100s%s", name, when[n->c]);
  }
}

static void print_binary(printer *p, const dae_node *n, int own, int depth) {
  const char *name = dae_model_op_name(n->op);
  bool tight = n->op == OP_MUL || n->op == OP_DIV || n->op == OP_POW;
  bool strict_right = n->op == OP_SUB || n->op == OP_DIV || n->op == OP_POW;
  print(p, n->a, n->op == OP_POW || own == 4 ? own + 1 : own, depth);
  dae_model_text_add(p->out, tight ? "%s" : " %s ", name);
  print(p, n->b, strict_right || own == 4 ? own + 1 : own, depth);
}

static void print_call(printer *p, int i, int depth) {
  int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(p->g, i, argument);
  dae_model_call_name(p->g->foreign[p->g->node[i].b], p->g->node[i].c, p->out);
  dae_model_text_add(p->out, "(");
  for (int k = 0; k < count; k++) {
    if (k) dae_model_text_add(p->out, ", ");
    print(p, argument[k], 0, depth);
  }
  dae_model_text_add(p->out, ")");
}

static void print(printer *p, int i, int least, int depth) {
  const dae_node *n = &p->g->node[i];
  int own = strength(n), arity = dae_model_op_arity(n->op);
  if (depth > PRINT_DEPTH || p->out->length - p->from > PRINT_LENGTH) {
    dae_model_text_add(p->out, "..");
    return;
  }
  bool open = own < least;
  if (open) dae_model_text_add(p->out, "(");
  if (arity == 0) {
    print_leaf(p, n);
  } else if (n->op == OP_IF) {
    dae_model_text_add(p->out, "if ");
    print(p, n->a, 1, depth + 1);
    dae_model_text_add(p->out, " then ");
    print(p, n->b, 1, depth + 1);
    dae_model_text_add(p->out, " else ");
    print(p, n->c, 0, depth + 1);
  } else if (n->op == OP_CALL) {
    print_call(p, i, depth + 1);
  } else if (n->op == OP_NEG && p->g->node[n->a].op == OP_SUB) {
    /* -(a - b) is how b - a is stored */
    const dae_node *d = &p->g->node[n->a];
    print(p, d->b, own, depth + 1);
    dae_model_text_add(p->out, " - ");
    print(p, d->a, own + 1, depth + 1);
  } else if (n->op == OP_NEG || n->op == OP_NOT) {
    dae_model_text_add(p->out, n->op == OP_NEG ? "-" : "not ");
    print(p, n->a, own + 1, depth + 1);
  } else if (own < 8) {
    print_binary(p, n, own, depth + 1);
  } else {
    dae_model_text_add(p->out, "%s(", dae_model_op_name(n->op));
    print(p, n->a, 0, depth + 1);
    if (arity > 1) dae_model_text_add(p->out, ", ");
    if (arity > 1) print(p, n->b, 0, depth + 1);
    dae_model_text_add(p->out, ")");
  }
  if (open) dae_model_text_add(p->out, ")");
}

void dae_model_print(const dae_graph *g, int node, const dae_namer *namer, dae_text *out) {
  printer p = {.g = g, .namer = namer, .out = out, .from = out->length};
  print(&p, node, 0, 0);
}
