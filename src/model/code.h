/*
 * code: vector functions of (t, banks of numbers), made from nodes. They run as a tape of
 * instructions, or
 * as C that the system's compiler made of them; both compute the same operations.
 */
#ifndef DAE_MODEL_CODE_H
#define DAE_MODEL_CODE_H

#include <stdatomic.h>

#include "model/graph.h"
#include <daedal/memory.h>

enum { DAE_BANKS = 4 };

/* where a variable is found: its bank and its place there; false when the functions do not know
   it */
typedef bool (*dae_locate)(void *ctx, int variable, int order, int when, int *bank, int *index);

typedef struct dae_instruction {
  int op, to, a, b, c; /* registers; CALL: a = its first argument in `argument`, b, c of the node */
} dae_instruction;

typedef struct dae_load {
  int bank, index; /* bank -1: time */
} dae_load;

/* the compiled form */
typedef void (*dae_compiled)(double t, const double *a, const double *b, const double *c,
                             const double *d, const double *p, double *o);

/* registers: constants, then loads, then results */
typedef struct dae_function {
  const char *name; /* as a comment in the generated code */
  int outputs;
  int *node;   /* of each output; -1: zero */
  int *result; /* register of each output; -1: zero */
  int *target; /* where output k is written; NULL: at k */
  int constants, loads, instructions;
  double *constant;
  dae_load *load;
  dae_instruction *instruction;
  int *argument; /* registers of the arguments of C functions, one call after the other */
  int arguments, argument_capacity;
  dae_compiled compiled; /* NULL: interpret the tape */
  struct dae_code *code;
} dae_function;

enum { DAE_WORKSPACES = 64 };

typedef struct dae_code {
  dae_graph *graph;
  dae_arena *arena;
  dae_locate locate;
  void *ctx;
  dae_function **function;
  int functions, function_capacity;
  double *p;   /* values of constant expressions that hold parameters */
  int *p_node; /* their nodes */
  int p_count, p_capacity, p_node_capacity;
  int registers; /* of the largest function */
  int missing;   /* the first variable node that `locate` did not know; -1: none */
  void *library; /* of dlopen */
  dae_text text; /* generated C */
  /* memory of large tapes and solves: one block a thread that is inside, made when first needed */
  atomic_flag busy[DAE_WORKSPACES];
  double *workspace[DAE_WORKSPACES];
  int room[DAE_WORKSPACES]; /* numbers that the block holds */
} dae_code;

void dae_model_code_init(dae_code *code, dae_graph *graph, dae_arena *arena, dae_locate locate,
                         void *ctx);
void dae_model_code_free(dae_code *code);
/* a function with these outputs, as a tape; NULL when a variable has no place: code->missing */
dae_function *dae_model_function(dae_code *code, const char *name, const int *nodes, int count);
/* the same, output k goes to out[target[k]]: the nonzero entries of a matrix that is zero before */
dae_function *dae_model_scatter(dae_code *code, const char *name, const int *nodes, int count,
                                const int *target);
/* 0; > 0 only when there is no memory for a large tape */
int dae_model_interpret(const dae_function *f, double t, const double *const bank[DAE_BANKS],
                        double *out);

/* the same, compiled where it is: in the header because these calls are most of a small model */
static inline int dae_model_run(const dae_function *f, double t,
                                const double *const bank[DAE_BANKS], double *out) {
  if (!f->compiled) return dae_model_interpret(f, t, bank, out);
  f->compiled(t, bank[0], bank[1], bank[2], bank[3], f->code->p, out);
  return 0;
}

/* the number of a workspace with room for so many doubles, -1 when there is no memory; give it back
   with _end */
int dae_model_workspace(dae_code *code, int doubles);
void dae_model_workspace_end(dae_code *code, int k);

/* all functions as C into code->text */
void dae_model_emit(dae_code *code, const char *title);
/* how to compile; see dae_model_options */
typedef struct dae_compile {
  const char *compiler, *cache;
  double seconds; /* that the compiler may take */
  char *why;      /* why it was not done */
  size_t why_size;
} dae_compile;
/* compile code->text and load it; false: stay with the tapes */
bool dae_model_compile(dae_code *code, const dae_compile *wish);
/* C text as a loaded object, for dlsym; NULL: c->why says why. `level` is -O0 .. */
void *dae_model_object(const char *text, size_t length, const char *level, const dae_compile *wish);

#endif
