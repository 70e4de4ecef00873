/* nodes -> a tape of instructions, and running it */
#include <math.h>
#include <string.h>

#include "model/code.h"

enum { STACK_REGISTERS = 4096 }; /* tapes up to this size run on the stack */

void dae_model_code_init(dae_code *code, dae_graph *graph, dae_arena *arena, dae_locate locate,
                         void *ctx) {
  memset(code, 0, sizeof *code);
  code->graph = graph;
  code->arena = arena;
  code->locate = locate;
  code->ctx = ctx;
  code->text.arena = arena;
  code->missing = -1;
  for (int k = 0; k < DAE_WORKSPACES; k++) atomic_flag_clear(&code->busy[k]);
}

static void note_arguments(dae_code *code, dae_function *f, int call, const int *reg) {
  int argument[DAE_FOREIGN_MAX], count = dae_model_arguments(code->graph, call, argument);
  f->argument = dae_model_grow(code->arena, f->argument, &f->argument_capacity,
                               f->arguments + count + 1, sizeof(int));
  for (int k = 0; k < count; k++) f->argument[f->arguments++] = reg[argument[k]];
}

/* one load or constant or instruction for each node, in the order of `below` */
static bool assign_registers(dae_code *code, dae_function *f, const dae_set *below, int *reg) {
  dae_graph *g = code->graph;
  f->constant = dae_model_take(code->arena, (size_t)f->constants, sizeof *f->constant);
  f->load = dae_model_take(code->arena, (size_t)f->loads, sizeof *f->load);
  f->instruction = dae_model_take(code->arena, (size_t)f->instructions, sizeof *f->instruction);
  int constants = 0, loads = 0, made = 0, first_load = f->constants,
      first = f->constants + f->loads;
  for (int k = 0; k < below->count; k++) {
    int i = below->node[k];
    const dae_node *n = &g->node[i];
    int arity = dae_model_op_arity(n->op);
    if (n->flags & NODE_CONSTANT) {
      f->constant[constants] = n->value;
      reg[i] = constants++;
    } else if (n->op == OP_VAR || n->op == OP_TIME) {
      dae_load *load = &f->load[loads];
      load->bank = -1;
      if (n->op == OP_VAR &&
          !code->locate(code->ctx, n->a, n->b, n->c, &load->bank, &load->index)) {
        if (code->missing < 0) code->missing = i;
        return false;
      }
      reg[i] = first_load + loads++;
    } else {
      dae_instruction *in = &f->instruction[made];
      if (n->op == OP_CALL) {
        *in = (dae_instruction){
            .op = OP_CALL, .to = first + made, .a = f->arguments, .b = n->b, .c = n->c};
        note_arguments(code, f, i, reg);
        reg[i] = first + made++;
        continue;
      }
      *in = (dae_instruction){.op = n->op, .to = first + made, .a = reg[n->a]};
      if (arity > 1) in->b = reg[n->b];
      if (arity > 2) in->c = reg[n->c];
      reg[i] = first + made++;
    }
  }
  return true;
}

/* a constant expression is one number: what is below it is not needed */
static void reach_values(dae_graph *g, const int *nodes, int count, dae_set *below) {
  dae_set all = {0};
  dae_model_reach(g, nodes, count, &all);
  g->epoch++;
  for (int r = 0; r < count; r++)
    if (nodes[r] >= 0) g->mark[nodes[r]] = g->epoch;
  for (int k = all.count - 1; k >= 0; k--) {
    const dae_node *n = &g->node[all.node[k]];
    if (g->mark[all.node[k]] != g->epoch || (n->flags & NODE_CONSTANT)) continue;
    int argument[3] = {n->a, n->b, n->c};
    for (int m = 0; m < dae_model_op_arity(n->op); m++) g->mark[argument[m]] = g->epoch;
  }
  below->count = 0;
  for (int k = 0; k < all.count; k++)
    if (g->mark[all.node[k]] == g->epoch) dae_model_set_add(g, below, all.node[k]);
  dae_model_set_free(g, &all);
}

dae_function *dae_model_function(dae_code *code, const char *name, const int *nodes, int count) {
  dae_graph *g = code->graph;
  dae_function *f = dae_model_take(code->arena, 1, sizeof *f);
  code->function = dae_model_grow(code->arena, code->function, &code->function_capacity,
                                  code->functions + 1, sizeof *code->function);
  *f = (dae_function){.name = name, .outputs = count, .code = code};
  f->node = dae_model_take(code->arena, (size_t)count, sizeof(int));
  f->result = dae_model_take(code->arena, (size_t)count, sizeof(int));
  for (int i = 0; i < count; i++)
    f->node[i] = nodes[i] >= 0 && dae_model_is(g, nodes[i], 0) ? -1 : nodes[i];
  dae_set below = {0};
  reach_values(g, f->node, count, &below);
  for (int k = 0; k < below.count; k++) {
    const dae_node *n = &g->node[below.node[k]];
    if (n->flags & NODE_CONSTANT) f->constants++;
    else if (n->op == OP_VAR || n->op == OP_TIME) f->loads++;
    else f->instructions++;
  }
  bool ok = assign_registers(code, f, &below, g->scratch);
  for (int i = 0; i < count && ok; i++) f->result[i] = f->node[i] < 0 ? -1 : g->scratch[f->node[i]];
  dae_model_set_free(g, &below);
  int registers = f->constants + f->loads + f->instructions;
  if (registers > code->registers) code->registers = registers;
  if (ok) code->function[code->functions++] = f;
  return ok ? f : NULL;
}

dae_function *dae_model_scatter(dae_code *code, const char *name, const int *nodes, int count,
                                const int *target) {
  dae_function *f = dae_model_function(code, name, nodes, count);
  if (!f) return NULL;
  f->target = dae_model_take(code->arena, (size_t)count, sizeof(int));
  if (count) memcpy(f->target, target, (size_t)count * sizeof(int));
  return f;
}

static double call(const dae_function *f, const dae_instruction *in, const double *r) {
  double x[DAE_FOREIGN_MAX];
  dae_foreign *own = f->code->graph->foreign[in->b];
  for (int k = 0; k < own->inputs; k++) x[k] = r[f->argument[in->a + k]];
  return dae_model_call_value(own, in->c, x);
}

static inline double step(const dae_function *f, const dae_instruction *in, const double *r) {
  if (in->op == OP_CALL) return call(f, in, r);
  double a = r[in->a];
  switch (in->op) {
    case OP_NEG: return -a;
    case OP_ADD: return a + r[in->b];
    case OP_SUB: return a - r[in->b];
    case OP_MUL: return a * r[in->b];
    case OP_DIV: return a / r[in->b];
    case OP_IF: return a != 0 ? r[in->b] : r[in->c];
    default: return dae_model_eval_op(in->op, a, r[in->b], 0);
  }
}

static void run_tape(const dae_function *f, double t, const double *const bank[DAE_BANKS],
                     double *r, double *out) {
  if (f->constants) memcpy(r, f->constant, (size_t)f->constants * sizeof *r);
  double *loaded = r + f->constants;
  for (int k = 0; k < f->loads; k++)
    loaded[k] = f->load[k].bank < 0 ? t : bank[f->load[k].bank][f->load[k].index];
  for (int k = 0; k < f->instructions; k++)
    r[f->instruction[k].to] = step(f, &f->instruction[k], r);
  for (int i = 0; i < f->outputs; i++)
    out[f->target ? f->target[i] : i] = f->result[i] < 0 ? 0 : r[f->result[i]];
}

/* a free block; the flag keeps other threads away while this one is inside */
int dae_model_workspace(dae_code *code, int doubles) {
  for (int k = 0; k < DAE_WORKSPACES; k++) {
    if (atomic_flag_test_and_set(&code->busy[k])) continue;
    const dae_allocator *from = &code->arena->pool.allocator;
    if (code->room[k] < doubles) {
      if (code->workspace[k]) from->give(code->workspace[k], from->ctx);
      code->workspace[k] = from->take((size_t)doubles * sizeof(double), from->ctx);
      code->room[k] = code->workspace[k] ? doubles : 0;
    }
    if (code->workspace[k]) return k;
    atomic_flag_clear(&code->busy[k]);
    return -1;
  }
  return -1;
}

void dae_model_workspace_end(dae_code *code, int k) { atomic_flag_clear(&code->busy[k]); }

int dae_model_interpret(const dae_function *f, double t, const double *const bank[DAE_BANKS],
                        double *out) {
  if (f->constants + f->loads + f->instructions <= STACK_REGISTERS) {
    double r[STACK_REGISTERS];
    run_tape(f, t, bank, r, out);
    return 0;
  }
  int k = dae_model_workspace(f->code, f->code->registers);
  if (k < 0) return 1;
  run_tape(f, t, bank, f->code->workspace[k], out);
  dae_model_workspace_end(f->code, k);
  return 0;
}
