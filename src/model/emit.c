/* functions as C: numbers, known functions and array elements; no text of the model but comments */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/code.h"

enum { CHUNK = 300 }; /* statements a C function: compile time stays linear */

static const char prologue[] =
    "#include <math.h>\n"
    "static inline double p4(double a) { double s = a * a; return s * s; }\n"
    "static inline double pn(double a, int n) {\n"
    "  double r = 1;\n"
    "  for (; n; n >>= 1, a *= a)\n"
    "    if (n & 1) r *= a;\n"
    "  return r;\n"
    "}\n"
    "static inline double pw(double a, double b) {\n"
    "  if (b != floor(b) || fabs(b) > 16) return pow(a, b);\n"
    "  return b < 0 ? 1 / pn(a, (int)-b) : pn(a, (int)b);\n"
    "}\n"
    "static inline double sg(double a) { return (a > 0) - (a < 0); }\n"
    "static inline double mn(double a, double b) { return a < b ? a : b; }\n"
    "static inline double mx(double a, double b) { return a > b ? a : b; }\n"
    /* o is never one of the others: what was read need not be read again after a result */
    "#define IN const double *restrict\n"
    "#define ARGUMENTS double t, IN a, IN b, IN c, IN d, IN p, double *restrict o\n";

typedef struct emitter {
  dae_code *code;
  dae_graph *g;
  int *chunk; /* of a node, by number; -1: not computed here */
  int *slot;  /* in w, of a node that other chunks need; -1: a local */
  int now;    /* the chunk that is written */
} emitter;

static void number(dae_text *out, double x) {
  char text[40];
  if (!isfinite(x)) {
    dae_model_text_add(out, isnan(x) ? "NAN" : x < 0 ? "(-INFINITY)" : "INFINITY");
    return;
  }
  snprintf(text, sizeof text, "%.17g", x);
  bool whole = !strpbrk(text, ".en");
  dae_model_text_add(out, x < 0 ? "(%s%s)" : "%s%s", text, whole ? ".0" : "");
}

/* the place in p of a constant expression with parameters */
static int parameter_slot(emitter *e, int i) {
  dae_code *c = e->code;
  if (e->slot[i] >= 0) return e->slot[i];
  c->p = dae_model_grow(c->arena, c->p, &c->p_capacity, c->p_count + 1, sizeof(double));
  c->p_node = dae_model_grow(c->arena, c->p_node, &c->p_node_capacity, c->p_count + 1, sizeof(int));
  c->p[c->p_count] = e->g->node[i].value;
  c->p_node[c->p_count] = i;
  return e->slot[i] = c->p_count++;
}

static void operand(emitter *e, int i) {
  const dae_node *n = &e->g->node[i];
  dae_text *out = &e->code->text;
  int bank = -1, index = 0;
  if (n->op == OP_CONST) {
    number(out, n->value);
  } else if (n->flags & NODE_CONSTANT) {
    dae_model_text_add(out, "p[%d]", parameter_slot(e, i));
  } else if (n->op == OP_TIME) {
    dae_model_text_add(out, "t");
  } else if (n->op == OP_VAR) {
    e->code->locate(e->code->ctx, n->a, n->b, n->c, &bank, &index);
    dae_model_text_add(out, "%c[%d]", 'a' + bank, index);
  } else if (e->slot[i] >= 0 && e->chunk[i] != e->now) {
    dae_model_text_add(out, "w[%d]", e->slot[i]);
  } else {
    dae_model_text_add(out, "x%d", i);
  }
}

/* whole powers by multiplication, as dae_model_power does */
static void power(emitter *e, const dae_node *n) {
  dae_text *out = &e->code->text;
  double k = dae_model_constant(e->g, n->b) ? e->g->node[n->b].value : 0.5;
  /* a parameter's value must not be built into the code */
  bool whole = e->g->node[n->b].op == OP_CONST && k == floor(k) && fabs(k) <= 16;
  if (!whole) {
    dae_model_text_add(out, "pw(");
    operand(e, n->a);
    dae_model_text_add(out, ", ");
    operand(e, n->b);
    dae_model_text_add(out, ")");
    return;
  }
  if (k < 0) dae_model_text_add(out, "1 / (");
  int times = (int)fabs(k);
  if (times == 2 || times == 3) {
    if (times == 3) operand(e, n->a);
    if (times == 3) dae_model_text_add(out, " * (");
    operand(e, n->a);
    dae_model_text_add(out, " * ");
    operand(e, n->a);
    if (times == 3) dae_model_text_add(out, ")");
  } else {
    dae_model_text_add(out, times == 4 ? "p4(" : "pn(");
    operand(e, n->a);
    if (times != 4) dae_model_text_add(out, ", %d", times);
    dae_model_text_add(out, ")");
  }
  if (k < 0) dae_model_text_add(out, ")");
}

/* C functions of the user are called by the interpreter: this is to be read only */
static void call_of(emitter *e, int i) {
  const dae_node *n = &e->g->node[i];
  int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(e->g, i, argument);
  dae_model_call_name(e->g->foreign[n->b], n->c, &e->code->text);
  for (int k = 0; k < count; k++) {
    dae_model_text_add(&e->code->text, k ? ", " : "(");
    operand(e, argument[k]);
  }
  dae_model_text_add(&e->code->text, ")");
}

/* the right-hand side of one statement */
static void expression(emitter *e, int i) {
  const dae_node *n = &e->g->node[i];
  dae_text *out = &e->code->text;
  const char *infix = NULL, *call = dae_model_op_name(n->op);
  switch (n->op) {
    case OP_LIST: dae_model_text_add(out, "0"); return;
    case OP_CALL: call_of(e, i); return;
    case OP_NEG:
    case OP_NOT:
      dae_model_text_add(out, n->op == OP_NEG ? "-" : "0 == ");
      operand(e, n->a);
      return;
    case OP_POW: power(e, n); return;
    case OP_IF:
      operand(e, n->a);
      dae_model_text_add(out, " != 0 ? ");
      operand(e, n->b);
      dae_model_text_add(out, " : ");
      operand(e, n->c);
      return;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ: infix = call; break;
    case OP_NE: infix = "!="; break;
    case OP_AND: infix = "!= 0 && 0 !="; break;
    case OP_OR: infix = "!= 0 || 0 !="; break;
    case OP_ABS: call = "fabs"; break;
    case OP_SIGN: call = "sg"; break;
    case OP_MIN: call = "mn"; break;
    case OP_MAX: call = "mx"; break;
    default: break;
  }
  if (!infix) dae_model_text_add(out, "%s(", call);
  operand(e, n->a);
  if (infix) dae_model_text_add(out, " %s ", infix);
  if (!infix && dae_model_op_arity(n->op) > 1) dae_model_text_add(out, ", ");
  if (dae_model_op_arity(n->op) > 1) operand(e, n->b);
  if (!infix) dae_model_text_add(out, ")");
}

static bool computed(const dae_node *n) {
  return !(n->flags & NODE_CONSTANT) && n->op != OP_VAR && n->op != OP_TIME;
}

/* which chunk computes a node, and which results cross a border; returns the size of w */
static int plan_chunks(emitter *e, const dae_set *below, int *chunks) {
  int statements = 0, w = 0;
  *chunks = 1;
  for (int k = 0; k < below->count; k++) {
    int i = below->node[k];
    e->chunk[i] = -1;
    if (!computed(&e->g->node[i])) continue;
    e->slot[i] = -1;
    if (statements == CHUNK) statements = 0, ++*chunks;
    statements++;
    e->chunk[i] = *chunks - 1;
  }
  for (int k = 0; k < below->count; k++) {
    const dae_node *n = &e->g->node[below->node[k]];
    int argument[3] = {n->a, n->b, n->c};
    if (!computed(n)) continue;
    for (int m = 0; m < dae_model_op_arity(n->op); m++) {
      int arg = argument[m];
      if (computed(&e->g->node[arg]) && e->chunk[arg] != e->chunk[below->node[k]] &&
          e->slot[arg] < 0)
        e->slot[arg] = w++;
    }
  }
  return w;
}

static void statement(emitter *e, int i) {
  dae_text *out = &e->code->text;
  dae_model_text_add(out, "  double x%d = ", i);
  expression(e, i);
  if (e->slot[i] >= 0) dae_model_text_add(out, ";\n  w[%d] = x%d", e->slot[i], i);
  dae_model_text_add(out, ";\n");
}

/* outputs of a node, as a linked list through `next` */
static void results(emitter *e, const dae_function *f, const int *head, const int *next, int i) {
  for (int k = head[i]; k >= 0; k = next[k]) {
    dae_model_text_add(&e->code->text, "  o[%d] = ", f->target ? f->target[k] : k);
    operand(e, i);
    dae_model_text_add(&e->code->text, ";\n");
  }
}

/* the body of chunk `now`; the first one also writes outputs that need no computation */
static void write_chunk(emitter *e, const dae_function *f, const dae_set *below, int from, int to,
                        const int *head, const int *next) {
  for (int k = from; k < to; k++) {
    int i = below->node[k];
    if (e->chunk[i] != e->now) continue;
    statement(e, i);
    results(e, f, head, next, i);
  }
  if (e->now > 0) return;
  for (int k = 0; k < f->outputs; k++)
    if (f->node[k] < 0)
      dae_model_text_add(&e->code->text, "  o[%d] = 0;\n", f->target ? f->target[k] : k);
  for (int k = 0; k < below->count; k++)
    if (!computed(&e->g->node[below->node[k]])) results(e, f, head, next, below->node[k]);
}

static void write_function(emitter *e, int number_of, const dae_function *f, int *head) {
  dae_text *out = &e->code->text;
  dae_set below = {0};
  dae_model_reach(e->g, f->node, f->outputs, &below);
  int chunks, none = 0, at = 0;
  int *next = dae_model_grow(e->code->arena, NULL, &none, f->outputs + 1, sizeof(int));
  for (int k = 0; k < below.count; k++) head[below.node[k]] = -1;
  for (int k = f->outputs - 1; k >= 0; k--)
    if (f->node[k] >= 0) next[k] = head[f->node[k]], head[f->node[k]] = k;
  int w = plan_chunks(e, &below, &chunks);
  dae_model_text_add(out, "\n/* %s */\n", f->name);
  if (w) dae_model_text_add(out, "static _Thread_local double w%d[%d];\n", number_of, w);
  for (e->now = 0; e->now < chunks; e->now++) {
    if (chunks > 1) dae_model_text_add(out, "static void f%d_%d(ARGUMENTS) {\n", number_of, e->now);
    else dae_model_text_add(out, "static void f%d(ARGUMENTS) {\n", number_of);
    dae_model_text_add(out, "  (void)t, (void)a, (void)b, (void)c, (void)d, (void)p, (void)o;\n");
    if (w) dae_model_text_add(out, "  double *w = w%d;\n", number_of);
    int from = at;
    while (at < below.count && e->chunk[below.node[at]] <= e->now) at++;
    write_chunk(e, f, &below, from, at, head, next);
    dae_model_text_add(out, "}\n");
  }
  if (chunks > 1) {
    dae_model_text_add(out, "static void f%d(ARGUMENTS) {\n", number_of);
    for (int k = 0; k < chunks; k++)
      dae_model_text_add(out, "  f%d_%d(t, a, b, c, d, p, o);\n", number_of, k);
    dae_model_text_add(out, "}\n");
  }
  dae_base_give(&e->code->arena->pool, next);
  dae_model_set_free(e->g, &below);
}

void dae_model_emit(dae_code *code, const char *title) {
  dae_graph *g = code->graph;
  emitter e = {.code = code, .g = g};
  int a = 0, b = 0, c = 0;
  e.chunk = dae_model_grow(code->arena, NULL, &a, g->count, sizeof(int));
  e.slot = dae_model_grow(code->arena, NULL, &b, g->count, sizeof(int));
  int *head = dae_model_grow(code->arena, NULL, &c, g->count, sizeof(int));
  for (int i = 0; i < g->count; i++) e.slot[i] = -1;
  dae_model_text_add(&code->text, "/* %s */\n%s", title, prologue);
  for (int k = 0; k < code->functions; k++) write_function(&e, k, code->function[k], head);
  dae_model_text_add(
      &code->text,
      "\n__attribute__((visibility(\"default\"))) void (*const daedal_functions[])(ARGUMENTS) = {");
  for (int k = 0; k < code->functions; k++)
    dae_model_text_add(&code->text, "%sf%d", k ? ", " : "", k);
  dae_model_text_add(&code->text, "};\n");
  dae_base_give(&code->arena->pool, e.chunk);
  dae_base_give(&code->arena->pool, e.slot);
  dae_base_give(&code->arena->pool, head);
}
