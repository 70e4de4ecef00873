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

typedef enum dae_type {
  TYPE_REAL,
  TYPE_INTEGER, /* numbers up to here */
  TYPE_BOOLEAN,
  TYPE_STRING, /* a node is the number of its text among the names */
  TYPE_ENUM,   /* a node is the number of the literal, from 1 on */
  TYPE_RECORD
} dae_type;

/*
 * An array of nodes; rank 0 is a scalar. An element of a record type is `record->width` nodes: its
 * fields one after the other.
 */
typedef struct dae_value {
  dae_type type;
  int rank, dim[DAE_DIMS_MAX], count;
  int *node;
  const dae_ast_class *literals; /* of TYPE_ENUM: its type, NULL where the text does not show it */
  const struct dae_record *record; /* of TYPE_RECORD */
} dae_value;

/* a field: its shape is that of `value`, which has no nodes */
typedef struct dae_field {
  int name, offset, width; /* where its nodes are in those of the record */
  dae_value shape;
} dae_field;

typedef struct dae_record {
  int name, fields, width;
  dae_field *field;
} dae_record;

/* nodes of an element, of all elements */
static inline int dae_model_width(const dae_value *v) { return v->record ? v->record->width : 1; }
static inline int dae_model_nodes(const dae_value *v) { return v->count * dae_model_width(v); }

/* a declared name */
typedef struct dae_symbol {
  const dae_ast_decl *decl;
  dae_type type;
  int variability;
  const dae_ast_class *alias; /* type ALIAS = Real(..): where more attributes are */
  dae_value value;            /* nodes of the elements, once known */
  int *field, fields;         /* of a record: the symbols of its fields */
  enum { SYMBOL_NEW, SYMBOL_BUSY, SYMBOL_DONE, SYMBOL_BAD } state;
  bool from_package;
  bool aggregate; /* made of names of the text, r of r.x and r.y: see aggregate.c */
  bool solved;    /* parameter(fixed = false): a variable that stays, found by initial equations */
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
  bool real; /* a side of it is Real: it gives no Integer */
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

/* values of an input at times */
typedef struct dae_series {
  const char *name;
  int count;
  double *time, *value;
} dae_series;

typedef struct dae_table dae_table; /* table.c */

/* growing lists of the flat model */
typedef struct dae_flat {
  dae_table **table; /* an external object is its number, from 1 on */
  int tables, table_capacity;
  dae_variable *variable;
  dae_equation *equation, *initial, *invariant;
  dae_action *action;
  dae_branch *branch;
  dae_switching *switching;
  dae_sampler *sampler;
  int variables, equations, initials, invariants, actions;
  int branches, whens, switchings, samplers, slots;
  int branch_capacity, switching_capacity, sampler_capacity;
  int hidden;         /* the last variables, which the text does not know */
  int *first, firsts; /* by variable: its value at the start, where it is another than before */
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
  const dae_ast_class **records; /* record classes, and constructors that stand for them */
  int *literal;                  /* values of enumeration literals by name number, 0 where none.. */
  const dae_ast_class **literal_type; /* ..and their types */
  dae_ast_class *learned;             /* enumerations that only their literals tell of */
  int named;                          /* length of functions, types and literal */
  dae_given *given;
  int givens, given_capacity;
  dae_series *series;
  int serieses, series_capacity;
  bool time_given; /* start_time is the one of the runs, not that of the text */
  double start_time;
  int parsed_messages;       /* length of the messages when the text was read */
  int depth;                 /* of evaluation */
  int stand_ins;             /* see partial.c */
  struct dae_loaded *loaded; /* C functions of the user */
  char last_words[400];      /* said when there is no memory for more */
  bool *keep; /* variables that must not be eliminated, found by a first build; or NULL */
  bool again; /* build once more: `keep` has grown */

  /* built */
  bool is_built;
  dae_graph graph;
  dae_symbol *symbol;
  bool solves;                  /* there are parameters that initial equations give */
  int *symbol_of, symbol_names; /* by name number, -1 where none; its length */
  int symbols, symbol_capacity;
  dae_flat flat;
  struct dae_structure *structure;
  struct dae_plan *plan;
  struct dae_drawing *drawing; /* NULL: none */
};

/* the symbol of a name, -1: none */
static inline int dae_model_symbol(const dae_model *m, int name) {
  return name >= 0 && name < m->symbol_names ? m->symbol_of[name] : -1;
}

/* ---- values (value.c) ---- */

dae_value dae_model_scalar(dae_model *m, dae_type type, int node);
dae_value dae_model_array(dae_model *m, dae_type type, int rank, const int *dim);
/* the same with the type of `like`, a record or an enumeration, too */
dae_value dae_model_array_like(dae_model *m, const dae_value *like, int rank, const int *dim);
bool dae_model_same_size(const dae_value *a, const dae_value *b);
/* may both stand in one equation, in one array? sizes are not looked at */
bool dae_model_same_kind(const dae_value *a, const dae_value *b);
/* may `value` be given to something like `target`? no Real for an Integer */
bool dae_model_accepts(const dae_value *target, const dae_value *value);
/* the type of {a, b} or if c then a else b, both of the same kind */
void dae_model_join_types(dae_value *a, const dae_value *b);
/* "a Real", "a record 'R'" in buffer */
const char *dae_model_type_text(const dae_model *m, const dae_value *v, char *buffer, size_t size);
/* "[2, 3]" or "a scalar" in buffer */
const char *dae_model_size_text(const dae_value *v, char *buffer, size_t size);

/* ---- evaluation of trees (eval*.c): false after an error was reported ---- */

/* loop variables and function locals, newest first */
typedef struct dae_binding {
  int name;
  dae_value value;
  bool input;                /* must not be assigned */
  bool open;                 /* declared x[:]: its size is that of its first value */
  const dae_ast_decl *decl;  /* of a function local */
  bool *given;               /* of a model's algorithm: by node, is it assigned anywhere? */
  const dae_value *variable; /* of a model's algorithm: the variable itself, for pre(v) */
  struct dae_binding *next;
} dae_binding;

/* names of locals whose declarations are being evaluated */
typedef struct dae_ahead {
  int name;
  const struct dae_ahead *next;
} dae_ahead;

typedef struct dae_scope {
  dae_binding *first;
  const dae_ast_class *function; /* NULL outside functions */
  struct dae_scope *caller;
  const dae_ast *call;           /* while locals are declared: the call of the function */
  const dae_ahead *ahead;        /* locals whose declarations are being evaluated */
  int end;                       /* what `end` means inside subscripts, -1 outside */
  int within;                    /* the record whose fields come first, 0: none */
  const dae_ast_class *literals; /* the enumeration that is expected, or NULL */
  bool no_event;
  bool sizes;           /* only the size of a name is asked for: it needs no value */
  bool assigns;         /* a target is looked for: its subscripts must be known */
  int path;             /* the condition under which this is evaluated, 0: none */
  bool variables;       /* names mean variables, not what an algorithm has left in them so far */
  bool fails;           /* the branch that is run ends in assert(false, ..) */
  int broken, returned; /* conditions: break, return has happened */
  int when, branch;     /* of an algorithm: the present `when`, its branch + 1 (0: none) */
} dae_scope;

/* ---- records.c ---- */
/* the class of fields behind a type name, NULL when it is no record */
const dae_ast_class *dae_model_record_class(const dae_model *m, int type_name);
/* record.name */
bool dae_model_field(dae_model *m, const dae_value *record, int name, uint32_t place,
                     dae_value *out);
/* R(a, y = b) */
bool dae_model_construct(dae_model *m, const dae_ast_class *c, const dae_ast *call,
                         dae_scope *scope, dae_value *out);
/* the shape of a declared local of a record type */
bool dae_model_record_shape(dae_model *m, const dae_ast_class *c, dae_scope *scope, dae_value *out);
/* declarations of the fields of a record variable */
dae_ast_decl *dae_model_expand_record(dae_model *m, const dae_ast_decl *d, const dae_ast_class *c);
/* the value of a record variable from those of its fields */
bool dae_model_gather(dae_model *m, int symbol);

/* the fields of a record in the order of another one, where the names are the same */
void dae_model_conform(dae_model *m, dae_value *value, const dae_value *like);

/* ---- aggregate.c ---- */
/* the symbol of r where the text declares r.x, r[1].y and so on, -1: it does not */
int dae_model_aggregate(dae_model *m, const char *name);

/* ---- strings.c ---- */
dae_value dae_model_text_value(dae_model *m, const char *text);
/* the text of a String that is known, NULL when it varies */
const char *dae_model_string(const dae_model *m, const dae_value *v);
/* may it be a text of numbers that vary? */
bool dae_model_text_varies(dae_model *m, const dae_value *v);
/* a message: what varies in it is shown as a formula */
const char *dae_model_message(dae_model *m, const dae_ast *e, dae_scope *scope);
bool dae_model_concatenate(dae_model *m, const dae_value *a, const dae_value *b, uint32_t place,
                           dae_value *out);
/* String(x, ..) */
bool dae_model_call_string(dae_model *m, const dae_ast *e, const dae_value *arg, int count,
                           dae_value *out);

/* ---- references (refer.c) ---- */
/* the value of a name, 1 found, 0 there is none, -1 after an error; *local: where it is a local */
int dae_model_find(dae_model *m, int name, dae_scope *scope, uint32_t place, dae_value *out,
                   dae_binding **local);
bool dae_model_eval_reference(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* target := value */
bool dae_model_assign(dae_model *m, const dae_ast *target, const dae_value *value,
                      dae_scope *scope);
/* the symbol of which a reference takes a part, -1: none */
int dae_model_root_symbol(dae_model *m, const dae_ast *e);

/* ---- statements.c ---- */
bool dae_model_run_statements(dae_model *m, const dae_ast_eq *s, dae_scope *scope);
/* the run ends here: locals without a value need none */
void dae_model_give_up(dae_model *m, dae_scope *scope);
dae_binding *dae_model_find_local(const dae_scope *scope, int name);

bool dae_model_eval(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* the range of a loop: `range`, or where that is ":" what the arrays in `body` or `value` say */
bool dae_model_loop_range(dae_model *m, const dae_ast *range, int iterator, const dae_ast *value,
                          const dae_ast_eq *body, dae_scope *scope, dae_value *out);
/* element i of an array, as a scalar */
dae_value dae_model_element(dae_model *m, const dae_value *v, int i);
/* the value of a constant scalar */
bool dae_model_number_of(dae_model *m, const dae_value *v, uint32_t place, double *out);
/* the value of a constant scalar expression */
bool dae_model_eval_number(dae_model *m, const dae_ast *e, dae_scope *scope, dae_type *type,
                           double *out);
bool dae_model_eval_comprehension(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* a declared name that looks like this one, NULL when none does */
const char *dae_model_near_name(dae_model *m, const char *name, const dae_scope *scope);
bool dae_model_symbol_value(dae_model *m, int symbol, uint32_t place);
void dae_model_number_symbol(dae_model *m, int name, int symbol);
bool dae_model_eval_call(dae_model *m, const dae_ast *e, dae_scope *scope, dae_value *out);
/* a user function of one output that is wanted; f(v) of an array where f wants a scalar is taken
   element by element (Modelica 3.6, 12.4.6) */
bool dae_model_call_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out);
/* the value of a local that is declared further down: 1 found, 0 there is none, -1 after an error
 */
int dae_model_declare_ahead(dae_model *m, int name, dae_scope *inside);
/* all outputs of a user function, `count` of them wanted */
bool dae_model_eval_function(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                             dae_scope *scope, dae_value *out, int count);
/* the same of function f_x = der(f, x) (partial.c) */
bool dae_model_eval_partial(dae_model *m, const dae_ast_class *f, const dae_ast *call,
                            dae_scope *scope, dae_value *out, int count);
/* external functions of the standard mathematics (external.c) */
bool dae_model_external_known(const dae_model *m, const dae_ast_class *f);
bool dae_model_is_error(const dae_model *m, const dae_ast_class *f); /* it ends the run */
bool dae_model_run_external(dae_model *m, const dae_ast_class *f, dae_scope *inside);
/* a C function of the user (foreign_link.c): its outputs become calls */
bool dae_model_run_foreign(dae_model *m, const dae_ast_class *f, const char *c_name,
                           dae_scope *inside);
void dae_model_unload(dae_model *m);
/* tables of the Modelica library (table.c): is this one of their C functions? its value */
bool dae_model_is_table(const char *c_name);
bool dae_model_call_table(dae_model *m, const char *c_name, const dae_value *arg, int count,
                          uint32_t place, dae_scope *scope, dae_value *out);
/* dims of a declaration; ":" takes those of `given` (may be NULL) */
bool dae_model_eval_dims(dae_model *m, const dae_ast_decl *d, const dae_ast_class *alias,
                         dae_scope *scope, const dae_value *given, int *rank, int *dim);
/* value[subscripts] */
bool dae_model_subscript(dae_model *m, const dae_value *value, dae_ast *const *subscripts,
                         int count, uint32_t place, dae_scope *scope, dae_value *out);
/* a op b for sums ('+', '-', 'p', 'm') and products ('*', '/', 't', 'd') */
bool dae_model_combine(dae_model *m, char op, const dae_value *a, const dae_value *b,
                       uint32_t place, dae_value *out);
/* op on each element of one array, or of two where a scalar goes with every element */
bool dae_model_map(dae_model *m, int op, const dae_value *a, const dae_value *b, dae_type type,
                   uint32_t place, dae_value *out);
bool dae_model_transpose(dae_model *m, const dae_value *a, uint32_t place, dae_value *out);
const char *dae_model_unit_of_type(const char *type);
bool dae_model_is_object(const dae_model *m, int type_name);
bool dae_model_resolve_type(dae_model *m, const dae_ast_decl *d, dae_type *type,
                            const dae_ast_class **alias);

/* ---- scalarized.c ---- */
/* declarations of single elements are joined to arrays */
void dae_model_join_elements(dae_model *m);
bool dae_model_array_value(dae_model *m, dae_symbol *s);
/* names of enumeration literals, then their values */
void dae_model_name_literals(dae_model *m, const dae_ast_class *c);
void dae_model_number_literals(dae_model *m, const dae_ast_class *c);
/* the value of a literal, 0: it is none; its type, NULL where that is not known */
int dae_model_literal(dae_model *m, int name);
const dae_ast_class *dae_model_literal_type(dae_model *m, int name);

/* ---- elaboration (elaborate.c and others) ---- */

bool dae_model_collect(dae_model *m); /* classes by name, the main model (classes.c) */
bool dae_model_elaborate(dae_model *m);
/* where an equation goes */
typedef enum dae_section { SECTION_EQUATION, SECTION_INITIAL, SECTION_INVARIANT } dae_section;
bool dae_model_flatten(dae_model *m, const dae_ast_eq *equations, dae_section section);
bool dae_model_add_assert(dae_model *m, const dae_ast *call, dae_scope *scope);
/* asserts that c holds where this is evaluated */
bool dae_model_require(dae_model *m, int c, const char *text, uint32_t place, dae_scope *scope);
/* asserts that a subscript that varies is 1 .. n */
bool dae_model_inside(dae_model *m, int subscript, int n, uint32_t place, dae_scope *scope);
/* a function called for what it asserts, or whose effects nobody sees. false: it is none */
bool dae_model_call_alone(dae_model *m, const dae_ast *call, dae_scope *scope, bool *ok);
/* terminate outside `when` */
bool dae_model_end_at_once(dae_model *m, const dae_ast *call, dae_scope *scope);
/* reinit, assert, terminate inside `when` */
bool dae_model_when_call(dae_model *m, const dae_ast_eq *eq, int branch, dae_scope *scope);
/* algorithm sections of the model (algorithm.c) */
bool dae_model_flatten_algorithms(dae_model *m);
/* a condition of actions; 0 stands for none, so that false is another node */
int dae_model_guard(dae_graph *g, int condition);
/* into a branch taken under a condition; returns the path before */
int dae_model_under(dae_model *m, dae_scope *scope, int condition);
/* one equation for each pair of elements */
bool dae_model_add_equations(dae_model *m, const dae_value *left, const dae_value *right,
                             uint32_t place, dae_section section);

/* an attribute of the declaration or of its type, NULL: none */
const dae_ast_mod *dae_model_find_mod(const dae_model *m, const dae_symbol *s, const char *name);
/* where names of a declaration are looked up: fields of the record it stands in come first */
dae_scope dae_model_scope_of(const dae_symbol *s);
/* a value from outside for this parameter or start value, NULL when there is none */
const dae_given *dae_model_given(const dae_model *m, const char *name, bool start);

/* ---- attributes.c ---- */
/* what is too large is refused, what is outside min and max told */
bool dae_model_check_limits(dae_model *m, const dae_symbol *s);
bool dae_model_read_attributes(dae_model *m, const dae_symbol *s);
/* its unit, or that of its type; NULL: none */
const char *dae_model_unit(const dae_model *m, const dae_symbol *s);
/* first values of start = .. of time, once the start time is known */
bool dae_model_first_values(dae_model *m);
/* parameter equation guess(x) = value: a start value by another name */
bool dae_model_read_guesses(dae_model *m);

/* ---- input.c ---- */
/* has this input, or an element of it, values from outside? */
bool dae_model_input_given(dae_model *m, const dae_symbol *s);
/* its equations: the data, where there are none `otherwise`, or (NULL) the start value */
bool dae_model_give_input(dae_model *m, const dae_symbol *s, const dae_value *otherwise);
bool dae_model_open_inputs(dae_model *m);
bool dae_model_check_inputs(dae_model *m); /* data for what is no input */
/* what is wrong with such data, NULL: nothing */
const char *dae_model_bad_series(int count, const double *time, const double *value);

/* ---- known.c ---- */
/* the value where `known` is true; -1: there is none */
int dae_model_assume(const dae_graph *g, int known, int node);
/* if c then yes else no, each -1 where it has no value: then there is none. `left`: one of them may
   have been left by break or return, and what follows gives its values */
int dae_model_either(dae_graph *g, int c, int yes, int no, bool left);

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
/* a call that writes to the screen: nothing depends on it */
bool dae_model_prints(const char *name);
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
/* the value that `when initial()` or a definition gives at the start, -1: that before the start */
int dae_model_first(const dae_flat *f, int variable);
/* finds them, and writes initial equations for the start */
void dae_model_find_first(dae_model *m);
dae_type dae_model_type_of(const dae_model *m, int variable);
/* may the equation be the one for this variable? An Integer takes no Real (4.9, 6.7),
   but 2.0 as tools write it */
bool dae_model_gives(const dae_model *m, const dae_equation *eq, int variable);
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
