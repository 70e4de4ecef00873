/* parser: what the files of the recursive-descent parser share; the grammar rule stands above
   each function */
#ifndef DAE_MODEL_PARSER_H
#define DAE_MODEL_PARSER_H

#include "model/syntax.h"

typedef struct dae_parser {
  dae_source *source;
  dae_names *names;
  dae_arena *arena;
  dae_lexer lexer;
  dae_token now, ahead;
  bool has_ahead;
  bool panic;                    /* an error was reported: stay silent until the next statement */
  int depth, loops;              /* of nesting; loops around this place */
  uint32_t last_error, last_end; /* places: of the last error, behind the last word */
} dae_parser;

void dae_model_advance(dae_parser *p);
int dae_model_look_ahead(dae_parser *p);
bool dae_model_accept(dae_parser *p, int word);
/* report "expected X <after>, found Y" unless the word is there */
bool dae_model_expect(dae_parser *p, int word, const char *after);
/* an error at the present word, at most one until recovery; returns NULL for convenience */
void *dae_model_syntax(dae_parser *p, uint32_t place, const char *format, ...) DAE_PRINTF(3, 4);
/* how a word is shown in messages, in `buffer` */
const char *dae_model_word_text(const dae_parser *p, const dae_token *token, char *buffer,
                                size_t size);
/* skip behind the next ';', or to a word that starts a section or ends a block */
void dae_model_recover(dae_parser *p);
/* false (and an error) when the text is nested too deeply */
bool dae_model_enter(dae_parser *p);
void dae_model_leave(dae_parser *p);

/* lists of pointers that grow while they are read; short ones need no memory */
typedef struct dae_list {
  void **item;
  int count, capacity;
  void *few[8];
} dae_list;
void dae_model_list_add(dae_parser *p, dae_list *list, void *item);
/* the items as a block that stays */
void *dae_model_list_keep(dae_parser *p, dae_list *list);
void dae_model_list_drop(dae_parser *p, dae_list *list);

dae_ast *dae_model_parse_expr(dae_parser *p);
dae_ast *dae_model_parse_reference(dae_parser *p);
/* "[" subscripts "]" when there; returns the count */
int dae_model_parse_subscripts(dae_parser *p, dae_ast ***out);
bool dae_model_parse_iterators(dae_parser *p, dae_list *names, dae_list *ranges);
dae_ast *dae_model_new_ast(dae_parser *p, dae_ast_kind kind, uint32_t place);

/* an error where a name is that of a type of the language */
void dae_model_reserved(dae_parser *p, int name, uint32_t place);
dae_ast_eq *dae_model_parse_equations(dae_parser *p, bool statements);
void dae_model_parse_declaration(dae_parser *p, dae_ast_class *class, bool is_protected,
                                 dae_ast_decl ***tail);
dae_ast_mod *dae_model_parse_mods(dae_parser *p);
/* name { "." name }, joined with points; -1 after an error */
int dae_model_parse_path(dae_parser *p, const char *what);
const char *dae_model_parse_comment(dae_parser *p);
/* experiment(..) goes to the class, __Daedal_invariant to the flag; both may be NULL */
void dae_model_parse_annotation(dae_parser *p, dae_ast_class *class, bool *invariant);
void dae_model_parse_type(dae_parser *p, dae_ast_class *class);
void dae_model_parse_enumeration(dae_parser *p, dae_ast_class *class);

#endif
