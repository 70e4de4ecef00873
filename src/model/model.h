/*
 * model: text -> tree -> flat equations on a graph -> structure -> problem.
 * Two memories: what the text gives lives as long as the model, what is built from it (sizes and
 * zeros
 * depend on parameters) is thrown away when a parameter is set.
 */
#ifndef DAE_MODEL_H
#define DAE_MODEL_H

#include "model/graph.h"
#include "problem/problem.h"
#include <daedal/model.h>

enum { DAE_DIMS_MAX = 6 };

typedef enum dae_type { TYPE_REAL, TYPE_INTEGER, TYPE_BOOLEAN, TYPE_STRING } dae_type;

/* an array of nodes; rank 0 is a scalar. Strings have no nodes. */
typedef struct dae_value {
  dae_type type;
  int rank, dim[DAE_DIMS_MAX], count;
  int *node;
  const char *string;
} dae_value;

/* a declared name */
typedef struct dae_symbol {
  const dae_ast_decl *decl;
  dae_type type;
  int variability;
  const dae_ast_class *alias; /* type ALIAS = Real(..): where more attributes are */
  dae_value value;            /* nodes of the elements, once known */
  enum { SYMBOL_NEW, SYMBOL_BUSY, SYMBOL_DONE, SYMBOL_BAD } state;
  bool from_package;
  bool solved; /* parameter(fixed = false): a variable that stays, found by initial equations */
} dae_symbol;

/* a scalar unknown */
typedef struct dae_variable {
  const char *name;
  int symbol;
  uint32_t place;
  double start, min, max, nominal;
  bool has_start, fixed;
  bool
      /* start = .. of time: a guess for boundary values, `start` is its first value */
      start_varies;
  int start_node;
  bool assigned; /* it changes at events only: given inside when, or by a discrete equation */
  const char *unit, *display_unit; /* NULL: not declared */
  const char *description;         /* the text of the declaration, or NULL */
} dae_variable;

/* a scalar equation left = right */
typedef struct dae_equation {
  int left, right;
  uint32_t place;
} dae_equation;

/* what happens at an event: reinit of a variable, a new value of a discrete one (inside when, or at
   every event), terminate */
typedef enum dae_action_kind {
  ACTION_REINIT,
  ACTION_ASSIGN,
  ACTION_DEFINE,
  ACTION_TERMINATE,
  ACTION_ASSERT /* `value` must be true */
} dae_action_kind;
typedef struct dae_action {
  dae_action_kind kind;
  int branch; /* -1: at every event */
  int variable, value;
  int guard;       /* the condition of `if` inside when, 0: none */
  bool warning;    /* of an assertion */
  bool terminates; /* an ACTION_ASSERT that is terminate(..) inside `if` */
  const char *message;
  uint32_t place;
} dae_action;

/* a branch of when .. elsewhen, or an assertion: it becomes active when one of its conditions turns
   true and no branch of the same `when` before it does */
typedef struct dae_branch {
  int when;               /* branches of one `when` have the same number, in their order */
  int *element, elements; /* conditions: nodes */
  bool assertion, warning;
  const char *message;
  uint32_t place;
} dae_branch;

/* a function of the solution whose sign (or largest whole number below it) is constant between
   events; the equations see that number */
typedef struct dae_switching {
  int node;     /* the function */
  bool whole;   /* floor of it, not the sign */
  int variable; /* hidden one that holds the number in z, -1: only events use it */
  int slot;     /* among the slots, when it is not in z */
  uint32_t place;
} dae_switching;

typedef struct dae_sampler {
  double start, period;
} dae_sampler;

/* a value that is given from outside: --set, --init */
typedef struct dae_given {
  const char *name;
  double value;
  bool start, fixed;
} dae_given;

/* growing lists of the flat model */
typedef struct dae_flat {
  dae_variable *variable;
  dae_equation *equation, *initial, *invariant;
  dae_action *action;
  dae_branch *branch;
  dae_switching *switching;
  dae_sampler *sampler;
  int variables, equations, initials, invariants, actions;
  int branches, whens, switchings, samplers, slots;
  int branch_capacity, switching_capacity, sampler_capacity;
  int hidden; /* the last variables, which the text does not know */
  int variable_capacity, equation_capacity, initial_capacity, invariant_capacity, action_capacity;
  const char **parameter_name; /* by number of PARAM nodes */
  double *parameter_value;
  int parameters, parameter_name_capacity, parameter_value_capacity;
  double start_time, stop_time, tolerance, interval;
  bool has_boundary;
} dae_flat;

/* how homotopy(actual, simplified) is taken: see homotopy.c */
typedef struct dae_homotopy {
  bool used;   /* the text has one that matters */
  bool on;     /* s actual + (1 - s) simplified, else actual */
  bool trial;  /* the build goes as far as the start */
  bool failed; /* no start was found from the start values */
  double s;
  const double *carry; /* start values from the build before, by variable; NULL: of the text */
  int carried;
} dae_homotopy;

struct dae_model {
  dae_model_options options;
  dae_homotopy homotopy;
  jmp_buf escape;
  dae_limits limits;
  uint32_t at; /* the place that is looked at, for the message when a limit is met */
  dae_arena text, built;
  dae_source source;
  dae_names names;
  dae_ast_class *classes, *main;
  const dae_ast_class **functions; /* by name number, NULL where none */
  const dae_ast_class **types;
  int *literal; /* values of enumeration literals by name number, 0 where none */
  int named;    /* length of functions, types and literal */
  dae_given *given;
  int givens, given_capacity;
  int parsed_messages;  /* length of the messages when the text was read */
  int depth;            /* of evaluation */
  char last_words[400]; /* said when there is no memory for more */
  bool *keep;           /* variables that must not be eliminated, found by a first build; or NULL */
  bool again;           /* build once more: `keep` has grown */

  /* built */
  bool is_built;
  dae_graph graph;
  dae_symbol *symbol;
  bool solves;    /* there are parameters that initial equations give */
  int *symbol_of; /* by name number, -1 where none */
  int symbols, symbol_capacity;
  dae_flat flat;
  struct dae_structure *structure;
  struct dae_plan *plan;
  struct dae_drawing *drawing; /* NULL: none */
};

/* ---- values (value.c) ---- */

dae_value dae_model_scalar(dae_model *m, dae_type type, int node);
dae_value dae_model_array(dae_model *m, dae_type type, int rank, const int *dim);
bool dae_model_same_size(const dae_value *a, const dae_value *b);
/* "[2, 3]" or "a scalar" in buffer */
const char *dae_model_size_text(const dae_value *v, char *buffer, size_t size);

/* ---- evaluation of trees (eval*.c): false after an error was reported ---- */

/* loop variables and function locals, newest first */
typedef struct dae_binding {
  int name;
  dae_value value;
  bool input;                /* must not be assigned */
  const dae_ast_decl *decl;  /* of a function local */
  const dae_value *variable; /* of a model's algorithm: the variable itself, for pre(v) */
  struct dae_binding *next;
} dae_binding;

typedef struct dae_scope {
  dae_binding *first;
  const dae_ast_class *function; /* NULL outside functions */
  const struct dae_scope *caller;
  int end; /* what `end` means inside subscripts, -1 outside */
  bool no_event;
  int path;             /* the condition under which this is evaluated, 0: none */
  bool variables;       /* names mean variables, not what an algorithm has left in them so far */
  int broken, returned; /* conditions: break, return has happened */
  int when, branch;     /* of an algorithm: the present `when`, its branch + 1 (0: none) */
} dae_scope;

/* ---- statements.c ---- */
bool dae_model_run_statements(dae_model *m, const dae_ast_eq *s, dae_scope *scope);
dae_binding *dae_model_find_local(const dae_scope *scope, int name);

bool dae_model_eval(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* the value of a constant scalar expression */
bool dae_model_eval_number(dae_model *m, const dae_ast *e, dae_scope *scope, dae_type *type,
                           double *out);
bool dae_model_eval_comprehension(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* a declared name that looks like this one, NULL when none does */
const char *dae_model_near_name(dae_model *m, const char *name, const dae_scope *scope);
bool dae_model_symbol_value(dae_model *m, int symbol, uint32_t place);
bool dae_model_eval_call(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* all outputs of a user function, `count` of them wanted */
bool dae_model_eval_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out, int count);
/* dims of a declaration; ":" takes those of `given` (may be NULL) */
bool dae_model_eval_dims(dae_model *m, const dae_ast_decl *d, const dae_ast_class *alias,
                         dae_scope *scope, const dae_value *given, int *rank, int *dim);
/* value[subscripts]: out gets the numbers of the elements too when `index` is not NULL */
bool dae_model_subscript(dae_model *m, const dae_value *value, dae_ast *const *subscripts,
                         int count, uint32_t place, dae_scope *scope, dae_value *out, int **index);
/* a op b for sums ('+', '-', 'p', 'm') and products ('*', '/', 't', 'd') */
bool dae_model_combine(dae_model *m, char op, const dae_value *a, const dae_value *b,
                       uint32_t place, dae_value *out);
/* op on each element of one array, or of two where a scalar goes with every element */
bool dae_model_map(dae_model *m, int op, const dae_value *a, const dae_value *b, dae_type type,
                   uint32_t place, dae_value *out);
bool dae_model_transpose(dae_model *m, const dae_value *a, uint32_t place, dae_value *out);
const char *dae_model_unit_of_type(const char *type);
bool dae_model_resolve_type(dae_model *m, const dae_ast_decl *d, dae_type *type,
                            const dae_ast_class **alias);

/* ---- scalarized.c ---- */
/* declarations of single elements are joined to arrays */
void dae_model_join_elements(dae_model *m);
bool dae_model_array_value(dae_model *m, dae_symbol *s);
/* names of enumeration literals, then their values */
void dae_model_name_literals(dae_model *m, const dae_ast_class *c);
void dae_model_number_literals(dae_model *m, const dae_ast_class *c);
/* the value of a literal, 0: it is none */
int dae_model_literal(dae_model *m, int name);

/* ---- elaboration (elaborate.c and others) ---- */

bool dae_model_collect(dae_model *m); /* classes by name, the main model (classes.c) */
bool dae_model_elaborate(dae_model *m);
/* where an equation goes */
typedef enum dae_section { SECTION_EQUATION, SECTION_INITIAL, SECTION_INVARIANT } dae_section;
bool dae_model_flatten(dae_model *m, const dae_ast_eq *equations, dae_section section);
bool dae_model_add_assert(dae_model *m, const dae_ast *call, dae_scope *scope);
/* reinit, assert, terminate inside `when` */
bool dae_model_when_call(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope);
/* algorithm sections of the model (algorithm.c) */
bool dae_model_flatten_algorithms(dae_model *m);
/* into a branch taken under a condition; returns the path before */
int dae_model_under(dae_model *m, dae_scope *scope, int condition);
/* one equation for each pair of elements */
bool dae_model_add_equations(dae_model *m, const dae_value *left, const dae_value *right,
                             uint32_t place, dae_section section);

/* ---- homotopy.c ---- */
typedef bool (*dae_model_builder)(dae_model *m);
/* false: the sizes differ */
bool dae_model_homotopy(dae_model *m, const dae_value *actual, const dae_value *simplified,
                        dae_value *out);
/* builds from the simplified to the actual model; the last build is the actual one */
bool dae_model_follow_homotopy(dae_model *m, dae_model_builder build);

/* ---- the Modelica library (library.c) ---- */

/* the name with imports followed; in `buffer` when that changes it */
const char *dae_model_full_name(const dae_model *m, const char *name, char *buffer, size_t size);
/* why a function of the language is not supported, NULL when it is none of those */
const char *dae_model_outside(const char *name);
/* Modelica.Constants.pi and its like */
bool dae_model_library_constant(const char *name, double *value);

/* ---- what changes at events (discrete.c, relations.c) ---- */

dae_action *dae_model_add_action(dae_model *m, dae_action_kind kind, int branch, uint32_t place);
/* a branch with these conditions; its number */
int dae_model_add_branch(dae_model *m, int when, const dae_value *conditions, uint32_t place);
bool dae_model_assign_when(dae_model *m, const dae_value *target, const dae_value *value,
                           int branch, int guard, uint32_t place);
/* numbers that events see: leaves VAR(slot, 0, WHEN_SLOT) */
enum { SLOT_INITIAL, SLOT_TERMINAL, SLOT_SAMPLE };
/* true at t0, t0 + dt, .. */
int dae_model_sample(dae_model *m, double t0, double dt);
/* discrete equations become actions, relations become switching functions, der(v) = 0 for what
   events change; refuses discrete parts of a boundary value problem */
bool dae_model_make_discrete(dae_model *m);
dae_type dae_model_type_of(const dae_model *m, int variable);
/* a variable that the text does not know, named "what(node)". `assigned`: events give it */
int dae_model_hidden(dae_model *m, const char *what, int node, uint32_t place, bool assigned);

/* ---- drawing.c ---- */
/* the shapes of the annotation; false after an error was reported */
bool dae_model_read_drawing(dae_model *m);
/* a function of all variables for them; false after an error was reported */
bool dae_model_make_drawing(dae_model *m);
void dae_model_drawing_free(dae_model *m);

/* ---- structure (structure.h) and the problem (plan.h) ---- */

bool dae_model_analyse(dae_model *m);
bool dae_model_make_plan(dae_model *m);
void dae_model_plan_free(dae_model *m);

#endif
