/*
 * syntax: the text of a model, its words and its tree.
 * A place is a byte offset in the text; lines and columns are counted only when a message needs
 * them.
 */
#ifndef DAE_MODEL_SYNTAX_H
#define DAE_MODEL_SYNTAX_H

#include <setjmp.h>
#include <stdint.h>

#include "base/base.h"

/* what a model took too much of */
typedef enum dae_excess {
  EXCESS_NONE,
  EXCESS_MEMORY,
  EXCESS_TIME,
  EXCESS_SIZE,
  EXCESS_ORDER /* of a derivative */
} dae_excess;

/* what the analysis of one model may take; its arenas share it */
typedef struct dae_limits {
  size_t bytes, held; /* most memory of all arenas together, and what they held when last looked */
  double seconds;     /* most processor time of this thread.. */
  double begun;       /* ..from here on */
  long work;          /* since the clock was looked at */
  dae_excess excess;
} dae_limits;

/*
 * Memory for many small objects that live and die together. Running out of memory or beyond a limit
 * leaves through `escape`, set by the one public function that runs; all blocks belong to the pool,
 * so nothing leaks.
 */
typedef struct dae_arena {
  dae_pool pool;
  char *at;
  size_t left;
  jmp_buf *escape;
  dae_limits *limits; /* NULL: none */
  size_t seen;        /* what of the pool `limits` knows */
} dae_arena;

void dae_model_arena_init(dae_arena *arena, const dae_allocator *allocator, jmp_buf *escape);
/* zeroed, aligned to 16; never NULL */
void *dae_model_take(dae_arena *arena, size_t count, size_t size);
/* room for `needed` entries: a block that may move; *capacity grows by doubling; never NULL */
void *dae_model_grow(dae_arena *arena, void *block, int *capacity, int needed, size_t size);
char *dae_model_copy(dae_arena *arena, const char *text, size_t length);
/* zeroed integers */
int *dae_model_ints(dae_arena *arena, int count);

/* ---- limits (limits.c) ---- */

/* 0: the default for a text of so many bytes */
void dae_model_limits_start(dae_limits *limits, double megabytes, double seconds, size_t text);
/* leaves through `escape`: the model is too large in this sense */
_Noreturn void dae_model_exceed(dae_arena *arena, dae_excess excess);
/* memory that the arena is about to take */
void dae_model_expect_bytes(dae_arena *arena, size_t count, size_t size);
void dae_model_look_at_clock(dae_arena *arena);
/* so many small steps were done; a step takes some nanoseconds */
static inline void dae_model_tick(dae_arena *arena, long work) {
  enum { OFTEN = 1 << 20 };
  dae_limits *limits = arena->limits;
  if (limits && (limits->work += work) > OFTEN) dae_model_look_at_clock(arena);
}

/* ---- text that grows ---- */

typedef struct dae_text {
  dae_arena *arena;
  char *data; /* always ends in NUL once anything was added */
  int length, capacity;
} dae_text;

void dae_model_text_add(dae_text *text, const char *format, ...)
    DAE_PRINTF(2, 3);
void dae_model_text_bytes(dae_text *text, const char *bytes, size_t count);

/* ---- the source and what is wrong with it ---- */

#define DAE_NO_PLACE UINT32_MAX /* a message about the whole file */

typedef struct dae_source {
  const char *file; /* as the messages name it */
  const char *text;
  size_t size;
  uint32_t *line; /* where each line begins */
  int lines;
  dae_text messages;
  int errors, max_errors;
} dae_source;

/* file:line:column: error: message, the line, a caret; after max_errors only counted */
void dae_model_error(dae_source *source, uint32_t place, const char *format, ...)
    DAE_PRINTF(3, 4);
void dae_model_warn(dae_source *source, uint32_t place, const char *format, ...)
    DAE_PRINTF(3, 4);
/* the beginnings of all lines, so that a place is located without reading the text again */
void dae_model_count_lines(dae_source *source, dae_arena *arena);
/* `column` may be NULL: counting it takes time in long lines */
void dae_model_locate(const dae_source *source, uint32_t place, int *line, int *column);

/* ---- names: equal texts get equal numbers ---- */

typedef struct dae_names {
  dae_arena *arena;
  const char **text;
  uint32_t *hash;
  int *slot; /* open addressing, -1 empty */
  int count, capacity, slots;
} dae_names;

int dae_model_name(dae_names *names, const char *text, size_t length);
/* -1 when the text was never seen */
int dae_model_name_find(const dae_names *names, const char *text);

/* ---- words ---- */

#define DAE_KEYWORDS(X)                                                                            \
  X(AND, "and")                                                                                    \
  X(ALGORITHM, "algorithm") X(ANNOTATION, "annotation") X(BLOCK, "block") X(BREAK, "break")        \
      X(CLASS, "class") X(CONNECT, "connect") X(CONNECTOR, "connector") X(CONSTANT, "constant") X( \
          DER, "der") X(DISCRETE, "discrete") X(EACH, "each") X(ELSE, "else") X(ELSEIF, "elseif")  \
          X(ELSEWHEN, "elsewhen") X(ENCAPSULATED, "encapsulated") X(END, "end")                    \
              X(ENUMERATION, "enumeration") X(EQUATION, "equation") X(EXTENDS, "extends")          \
                  X(EXTERNAL, "external") X(FALSE, "false") X(FINAL, "final") X(FLOW, "flow")      \
                      X(FOR, "for") X(FUNCTION, "function") X(IF, "if") X(IMPORT, "import")        \
                          X(IMPURE, "impure")                                                      \
                          X(IN, "in") X(INITIAL, "initial") X(INNER, "inner") X(INPUT, "input")    \
                              X(LOOP, "loop") X(MODEL, "model") X(NOT, "not")                      \
                                  X(OPERATOR, "operator") X(OR, "or") X(OUTER, "outer")            \
                                      X(OUTPUT, "output") X(PACKAGE, "package")                    \
                                          X(PARAMETER, "parameter") X(PARTIAL, "partial")          \
                                              X(PROTECTED, "protected") X(PUBLIC, "public")        \
                                                  X(PURE, "pure") X(RECORD, "record")              \
                                                      X(REDECLARE, "redeclare") X(REPLACEABLE,     \
                                                                                  "replaceable")   \
                                                          X(RETURN, "return") X(STREAM, "stream")  \
                                                              X(THEN, "then") X(TRUE, "true")      \
                                                                  X(TYPE, "type") X(WHEN, "when")  \
                                                                      X(WHILE, "while")            \
                                                                          X(WITHIN, "within")

typedef enum dae_word {
  WORD_EOF,
  WORD_NAME,
  WORD_NUMBER,
  WORD_STRING,
  WORD_ERROR,
  WORD_LE,
  WORD_GE,
  WORD_EQ,
  WORD_NE,
  WORD_ASSIGN,
  WORD_EL_ADD,
  WORD_EL_SUB,
  WORD_EL_MUL,
  WORD_EL_DIV,
  WORD_EL_POW,
  /* single characters stand for themselves from here */
  WORD_FIRST_CHAR = 33,
  WORD_LAST_CHAR = 126,
#define X(constant, text) WORD_##constant,
  DAE_KEYWORDS(X)
#undef X
} dae_word;

typedef struct dae_token {
  int word;
  uint32_t place, length;
  int name;     /* WORD_NAME */
  bool integer; /* WORD_NUMBER without point or exponent */
  double number;
} dae_token;

typedef struct dae_lexer {
  dae_source *source;
  dae_names *names;
  int first_keyword; /* names first_keyword .. are the keywords, in table order */
  size_t at;
} dae_lexer;

void dae_model_lexer_init(dae_lexer *lexer, dae_source *source, dae_names *names);
dae_token dae_model_next(dae_lexer *lexer);

/* ---- the tree ---- */

typedef enum dae_ast_kind {
  AST_NUMBER,
  AST_BOOL,
  AST_STRING,
  AST_REF,
  AST_FIELD,
  AST_CALL,
  AST_SUM,
  AST_PRODUCT,
  AST_POWER,
  AST_NOT,
  AST_AND,
  AST_OR,
  AST_RELATION,
  AST_IF,
  AST_RANGE,
  AST_ARRAY,
  AST_MATRIX,
  AST_COMPREHENSION,
  AST_COLON,
  AST_END,
  AST_TUPLE,
  AST_VALUE /* of no text: u.value is what it is worth */
} dae_ast_kind;

/*
 * An expression. Chains are flat, so that the tree is never deeper than the text is nested:
 *   SUM       args, op[k] = '+', '-', and 'p', 'm' for .+ .-
 *   PRODUCT   args, op[k] = '*', '/', and 't', 'd' for .* ./  (op[0] unused)
 *   POWER     two args, op[0] = '^' or 'e' for .^
 *   IF        condition, value, condition, value, .., value
 *   REF       name, args are subscripts;  CALL  name, args, arg_name[k] >= 0 for named ones
 *   FIELD     args[0].name, args from 1 on are subscripts of the field; u.joined: the whole as one
 *             flat name, r[2].x, or -1
 *   TUPLE     args, NULL where nothing is wanted
 *   ARRAY     args;  MATRIX  args are ARRAYs (rows);  COMPREHENSION  value, then ranges;
 * arg_name iterators
 */
typedef struct dae_ast {
  uint8_t kind;
  bool integer; /* AST_NUMBER */
  uint32_t place;
  int name, count;
  struct dae_ast **args;
  union {
    char *op;
    int *arg_name;
    const char *string;
    double number;
    int joined;
    const struct dae_value *value;
  } u;
} dae_ast;

typedef struct dae_ast_mod { /* name = value, name(inner) inside (..) after a declared name */
  int name;
  uint32_t place;
  bool each, is_final;
  dae_ast *value; /* NULL: none */
  struct dae_ast_mod *inner;
  struct dae_ast_mod *next;
} dae_ast_mod;

typedef enum dae_variability {
  VAR_CONTINUOUS,
  VAR_DISCRETE,
  VAR_PARAMETER,
  VAR_CONSTANT
} dae_variability;
typedef enum dae_causality { CAUSAL_NONE, CAUSAL_INPUT, CAUSAL_OUTPUT } dae_causality;

/* a piece of the name of a record's field: r[2].x[3] is r with one dimension and x with one */
typedef struct dae_ast_part {
  int name, dims;
} dae_ast_part;

typedef struct dae_ast_decl {
  int name, type_name;
  uint32_t place, type_place;
  uint8_t variability, causality;
  bool is_final, is_protected;
  int dims;
  dae_ast **dim;
  dae_ast *binding, *condition;
  /* the elements of an array whose declarations are written one by one (x[1], x[2], ..), by their
     place; its own dimensions are element_dim */
  struct dae_ast_decl **element;
  int elements, *element_dim;
  /* a field of a record variable: the pieces of its name, the record it stands in (0: none), and
     whether its value is for each element of an array of records */
  dae_ast_part *part;
  int parts, within;
  bool each, own_value; /* the value is the one that the record gives */
  dae_ast_mod *mods;
  const char *comment;
  struct dae_ast_decl *next;
} dae_ast_decl;

typedef enum dae_eq_kind {
  EQ_SIMPLE,
  EQ_FOR,
  EQ_IF,
  EQ_WHEN,
  EQ_CALL,
  EQ_WHILE,
  EQ_BREAK,
  EQ_RETURN
} dae_eq_kind;

/*
 * An equation, or a statement of an algorithm (then left := right).
 *   FOR   iterators name[k] in range[k], body[0]
 *   IF, WHEN  condition[k], body[k]; bodies = conditions or conditions + 1 (else)
 *   WHILE condition[0], body[0]
 */
typedef struct dae_ast_eq {
  uint8_t kind;
  bool begins;    /* the first statement of an algorithm section */
  bool invariant; /* annotation(__Daedal_invariant = true): follows from the others, to be kept */
  uint32_t place;
  dae_ast *left, *right;
  int conditions, bodies;
  int *iterator;
  dae_ast **condition; /* of FOR: the ranges */
  struct dae_ast_eq **body;
  struct dae_ast_eq *next;
} dae_ast_eq;

typedef enum dae_class_kind {
  CLASS_MODEL,
  CLASS_FUNCTION,
  CLASS_PACKAGE,
  CLASS_TYPE,
  CLASS_RECORD
} dae_class_kind;

/* import path; import name = path; import path.*; */
typedef struct dae_ast_import {
  int name, path;
  bool all;
  struct dae_ast_import *next;
} dae_ast_import;

/* external "C" left = call, or "C" alone: then both are NULL */
typedef struct dae_ast_external {
  dae_ast *left, *call;
} dae_ast_external;

typedef struct dae_ast_class {
  uint8_t kind;
  int name, base_name; /* base of a TYPE, or of a function f = g */
  uint8_t causality;   /* of a TYPE: type In = input Real */
  uint32_t place;
  const char *comment;
  int dims; /* of a TYPE */
  dae_ast **dim;
  dae_ast_mod *mods; /* of a TYPE */
  dae_ast_decl *decls;
  bool is_partial;
  bool joined;  /* of a TYPE: its dimensions include those of its base */
  int sections; /* of algorithms */
  dae_ast_external *external; /* of a FUNCTION that is written in another language */
  int *by, by_count; /* of a FUNCTION f = der(base, x, y): the names x, y */
  int derivative; /* of a FUNCTION: annotation(derivative = name), the name + 1; 0: none */
  int *literal, literals; /* of a TYPE that is an enumeration */
  dae_ast_eq *equations, *initial_equations, *algorithm, *initial_algorithm;
  dae_ast_eq *guesses; /* parameter equation guess(x) = value, of Base Modelica */
  dae_ast_eq *last_equation, *last_initial, *last_statement, *last_guess; /* of these lists */
  dae_ast_eq *last_initial_statement;
  dae_ast_mod *experiment; /* annotation(experiment(..)) */
  dae_ast_mod *own;        /* annotation(__Daedal(..)) */
  dae_ast_import *imports; /* of the Modelica library */
  struct dae_ast_class *inner, *next;
} dae_ast_class;

/* text -> tree; errors go to the source; NULL when nothing usable was found */
dae_ast_class *dae_model_parse(dae_source *source, dae_names *names, dae_arena *arena);

enum { DAE_MODEL_DEPTH = 200 }; /* nesting that is accepted in a text */

#endif
