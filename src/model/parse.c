/* the parser's ground, and classes: what stands around declarations and equations */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/parser.h"

void dae_model_advance(dae_parser *p) {
  p->last_end = p->now.place + p->now.length;
  p->now = p->has_ahead ? p->ahead : dae_model_next(&p->lexer);
  p->has_ahead = false;
}

int dae_model_look_ahead(dae_parser *p) {
  if (!p->has_ahead) p->ahead = dae_model_next(&p->lexer);
  p->has_ahead = true;
  return p->ahead.word;
}

bool dae_model_accept(dae_parser *p, int word) {
  if (p->now.word != word) return false;
  dae_model_advance(p);
  return true;
}

void *dae_model_syntax(dae_parser *p, uint32_t place, const char *format, ...) {
  if (p->panic) return NULL;
  p->panic = true;
  /* what follows from one lost word is said once */
  if (p->source->errors && place == p->last_error) return NULL;
  p->last_error = place;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  dae_model_error(p->source, place, "%s", text);
  return NULL;
}

const char *dae_model_word_text(const dae_parser *p, const dae_token *t, char *buffer,
                                size_t size) {
  if (t->word == WORD_EOF) return "the end of the file";
  if (t->word == WORD_STRING) return "a string";
  int shown = t->length < 40 ? (int)t->length : 40;
  snprintf(buffer, size, "'%.*s%s'", shown, p->source->text + t->place, t->length > 40 ? ".." : "");
  return buffer;
}

bool dae_model_expect(dae_parser *p, int word, const char *after) {
  if (dae_model_accept(p, word)) return true;
  char wanted[24] = {(char)word, 0}, found[80];
  if (word > WORD_LAST_CHAR) {
    static const char *const text[] = {
#define X(constant, name) name,
        DAE_KEYWORDS(X)
#undef X
    };
    snprintf(wanted, sizeof wanted, "%s", text[word - WORD_AND]);
  }
  if (p->now.word == WORD_ERROR) p->panic = true;
  /* a missing ';' belongs behind the last word, not before the next one */
  dae_model_syntax(p, word == ';' ? p->last_end : p->now.place, "expected '%s' %s, found %s",
                   wanted, after, dae_model_word_text(p, &p->now, found, sizeof found));
  return false;
}

/* words at which a new section or the end of a block begins */
static bool is_landmark(int w) {
  return w == WORD_EOF || w == WORD_EQUATION || w == WORD_ALGORITHM || w == WORD_END ||
         w == WORD_PUBLIC || w == WORD_PROTECTED || w == WORD_INITIAL || w == WORD_ELSE ||
         w == WORD_ELSEIF || w == WORD_ELSEWHEN || w == WORD_ANNOTATION;
}

void dae_model_recover(dae_parser *p) {
  p->panic = false;
  while (!is_landmark(p->now.word)) {
    if (dae_model_accept(p, ';')) return;
    dae_model_advance(p);
  }
}

bool dae_model_enter(dae_parser *p) {
  if (++p->depth <= DAE_MODEL_DEPTH) return true;
  dae_model_syntax(p, p->now.place, "nested more than %d levels deep: split it with a variable",
                   DAE_MODEL_DEPTH);
  return false;
}

void dae_model_leave(dae_parser *p) { p->depth--; }

void dae_model_list_add(dae_parser *p, dae_list *list, void *item) {
  enum { FEW = sizeof list->few / sizeof *list->few };
  if (list->count < FEW) {
    list->item = list->few;
  } else if (list->count >= list->capacity) {
    void **old = list->item;
    if (list->count == FEW) list->item = NULL;
    list->item =
        dae_model_grow(p->arena, list->item, &list->capacity, 2 * list->count, sizeof(void *));
    if (list->count == FEW) memcpy(list->item, old, sizeof list->few);
  }
  list->item[list->count++] = item;
}

void dae_model_list_drop(dae_parser *p, dae_list *list) {
  if (list->capacity) dae_base_give(&p->arena->pool, list->item);
  *list = (dae_list){0};
}

void *dae_model_list_keep(dae_parser *p, dae_list *list) {
  void **kept = dae_model_take(p->arena, (size_t)list->count, sizeof(void *));
  if (list->count) memcpy(kept, list->item, (size_t)list->count * sizeof(void *));
  dae_model_list_drop(p, list);
  return kept;
}

/* comment -> [ string { "+" string } ] */
const char *dae_model_parse_comment(dae_parser *p) {
  if (p->now.word != WORD_STRING) return NULL;
  const char *text =
      dae_model_copy(p->arena, p->source->text + p->now.place + 1, p->now.length - 2);
  dae_model_advance(p);
  while (p->now.word == '+' && dae_model_look_ahead(p) == WORD_STRING) {
    dae_model_advance(p);
    dae_model_advance(p);
  }
  return text;
}

static dae_ast_class *parse_class(dae_parser *p);

static bool starts_class(int w) {
  return w == WORD_MODEL || w == WORD_CLASS || w == WORD_BLOCK || w == WORD_FUNCTION ||
         w == WORD_PACKAGE || w == WORD_TYPE || w == WORD_RECORD || w == WORD_CONNECTOR ||
         w == WORD_OPERATOR || w == WORD_PARTIAL || w == WORD_ENCAPSULATED || w == WORD_PURE ||
         w == WORD_IMPURE;
}

/* *last: the last one of the list, so that many sections are read in linear time */
static void append_equations(dae_ast_eq **list, dae_ast_eq **last, dae_ast_eq *more) {
  if (!more) return;
  if (*last) (*last)->next = more;
  else *list = more;
  while (more->next) more = more->next;
  *last = more;
}

/* what is not flat Modelica, with the word that says so */
static bool refuse(dae_parser *p) {
  static const struct {
    int word;
    const char *why;
  } table[] = {
      {WORD_EXTENDS,
       "'extends' is not flat: let your Modelica tool export the flat or Base Modelica model"},
      {WORD_CONNECTOR, "connectors are not flat: let your Modelica tool export the flat model"},
      {WORD_OPERATOR, "operator classes are not supported"},
      {WORD_REDECLARE, "'redeclare' is not flat: let your Modelica tool export the flat model"},
      {WORD_REPLACEABLE,
       "'replaceable' is not flat: let your Modelica tool export the flat model"}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (p->now.word == table[k].word) {
      dae_model_syntax(p, p->now.place, "%s", table[k].why);
      return true;
    }
  return false;
}

/* import -> "import" [ name "=" ] path [ ".*" ] ";"; only what library.c knows of it is found
   later */
static void parse_import(dae_parser *p, dae_ast_class *c) {
  uint32_t place = p->now.place;
  dae_ast_import *i = dae_model_take(p->arena, 1, sizeof *i);
  dae_model_advance(p);
  int alias = p->now.word == WORD_NAME && dae_model_look_ahead(p) == '=' ? p->now.name : -1;
  if (alias >= 0) dae_model_advance(p), dae_model_advance(p);
  i->path = dae_model_parse_path(p, "the name of a package after 'import'");
  if (i->path < 0) return;
  const char *path = p->names->text[i->path], *last = strrchr(path, '.');
  if (strncmp(path, "Modelica.", 9) != 0) {
    dae_model_syntax(
        p, place,
        "'import' is not flat: let your Modelica tool export the flat or Base Modelica "
        "model (constants, units and functions of Modelica.* may be imported)");
    return;
  }
  i->all = p->now.word != ';';
  if (i->all) dae_model_advance(p); /* ".*" */
  i->name = alias >= 0 ? alias : dae_model_name(p->names, last + 1, strlen(last + 1));
  i->next = c->imports;
  c->imports = i;
  dae_model_expect(p, ';', "after the import");
}

/* external -> "external" [ string ] [ [ reference "=" ] call ] [ annotation ] ";" */
static void parse_external(dae_parser *p, dae_ast_class *c) {
  dae_ast_external *x = c->external = dae_model_take(p->arena, 1, sizeof *x);
  dae_model_advance(p);
  dae_model_parse_comment(p);
  if (p->now.word == WORD_NAME) {
    x->call = dae_model_parse_expr(p);
    if (x->call && p->now.word == '=') {
      x->left = x->call;
      dae_model_advance(p);
      x->call = dae_model_parse_expr(p);
    }
    if (!x->call) return;
  }
  if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, NULL);
  if (!p->panic) dae_model_expect(p, ';', "after the external function");
}

/* one section or element of a class; false at "end" */
static bool parse_element(dae_parser *p, dae_ast_class *c, bool *is_protected,
                          dae_ast_decl ***tail) {
  bool initial = p->now.word == WORD_INITIAL;
  int w = initial ? dae_model_look_ahead(p) : p->now.word;
  if (w == WORD_END || w == WORD_EOF) return false;
  if (w == WORD_EQUATION || w == WORD_ALGORITHM) {
    if (initial) dae_model_advance(p);
    dae_model_advance(p);
    dae_ast_eq *list = dae_model_parse_equations(p, w == WORD_ALGORITHM);
    if (w == WORD_ALGORITHM && initial) {
      append_equations(&c->initial_algorithm, &c->last_initial_statement, list);
    } else if (w == WORD_ALGORITHM) {
      if (list) list->begins = true;
      c->sections++;
      append_equations(&c->algorithm, &c->last_statement, list);
    } else {
      append_equations(initial ? &c->initial_equations : &c->equations,
                       initial ? &c->last_initial : &c->last_equation, list);
    }
  } else if (w == WORD_PARAMETER && dae_model_look_ahead(p) == WORD_EQUATION) {
    /* one equation, as Base Modelica has it */
    dae_model_advance(p);
    dae_model_advance(p);
    append_equations(&c->guesses, &c->last_guess, dae_model_parse_equations(p, false));
  } else if (w == WORD_PUBLIC || w == WORD_PROTECTED) {
    *is_protected = w == WORD_PROTECTED;
    dae_model_advance(p);
  } else if (w == WORD_ANNOTATION) {
    dae_model_parse_annotation(p, c, NULL);
    if (!p->panic) dae_model_expect(p, ';', "after the annotation");
  } else if (w == WORD_IMPORT) {
    parse_import(p, c);
    if (p->panic) dae_model_recover(p);
  } else if (w == WORD_EXTERNAL) {
    parse_external(p, c);
  } else if (refuse(p)) {
    dae_model_recover(p);
  } else if (starts_class(w)) {
    dae_ast_class *inner = parse_class(p);
    if (inner) inner->next = c->inner;
    if (inner) c->inner = inner;
  } else {
    dae_model_parse_declaration(p, c, *is_protected, tail);
  }
  if (p->panic) dae_model_recover(p);
  return true;
}

void dae_model_reserved(dae_parser *p, int name, uint32_t place) {
  static const char *const words[] = {"Real", "Integer", "Boolean", "String"};
  for (int k = 0; k < 4; k++)
    if (strcmp(p->names->text[name], words[k]) == 0)
      dae_model_error(p->source, place, "'%s' is a type of the language: choose another name",
                      words[k]);
}

/* what a record or a function must not hold (Modelica 3.6, 4.7 and 12.2) */
static void check_class(dae_parser *p, const dae_ast_class *c) {
  const char *name = p->names->text[c->name];
  if (c->kind == CLASS_RECORD) {
    if (c->equations || c->initial_equations || c->algorithm || c->initial_algorithm)
      dae_model_error(p->source, c->place,
                      "a record holds declarations only: '%.60s' has equations or an algorithm",
                      name);
    for (const dae_ast_decl *d = c->decls; d; d = d->next)
      if (d->causality != CAUSAL_NONE || d->is_protected)
        dae_model_error(p->source, d->place, "a field of a record is neither %s",
                        d->is_protected ? "protected" : "input nor output");
  }
  if (c->kind != CLASS_FUNCTION) return;
  if (c->sections > 1)
    dae_model_error(p->source, c->place, "the function '%.60s' has more than one algorithm", name);
}

/* composition -> { section | element } "end" name ";" */
static void parse_composition(dae_parser *p, dae_ast_class *c) {
  dae_ast_decl **tail = &c->decls;
  bool is_protected = false;
  c->comment = dae_model_parse_comment(p);
  for (;;) {
    size_t before = p->lexer.at;
    dae_token token = p->now;
    if (!parse_element(p, c, &is_protected, &tail)) break;
    /* no progress: a stray landmark such as "else" */
    if (p->lexer.at == before && p->now.place == token.place) {
      char buffer[80];
      dae_model_syntax(p, token.place, "%s has no meaning here",
                       dae_model_word_text(p, &token, buffer, sizeof buffer));
      dae_model_advance(p);
      dae_model_recover(p);
    }
  }
  const char *name = p->names->text[c->name];
  if (p->now.word == WORD_EOF) {
    dae_model_syntax(p, p->now.place, "the file ends inside '%.60s': add 'end %.60s;'", name, name);
    return;
  }
  check_class(p, c);
  dae_model_advance(p);
  uint32_t place = p->now.place;
  int ended = dae_model_parse_path(p, "the name of the class after 'end'");
  if (ended >= 0 && ended != c->name)
    dae_model_error(p->source, place, "'end %.60s' closes '%.60s': the names differ",
                    p->names->text[ended], name);
}

/* "=" "der" "(" function "," input { "," input } ")" comment */
static void parse_derivative(dae_parser *p, dae_ast_class *c) {
  int capacity = 0;
  dae_model_advance(p);
  dae_model_advance(p);
  if (!dae_model_expect(p, '(', "after 'der'")) return;
  c->base_name = dae_model_parse_path(p, "the name of a function");
  while (!p->panic && dae_model_accept(p, ',')) {
    c->by = dae_model_grow(p->arena, c->by, &capacity, c->by_count + 1, sizeof *c->by);
    c->by[c->by_count++] = dae_model_parse_path(p, "the name of an input");
  }
  if (!p->panic && c->by_count == 0)
    dae_model_syntax(p, p->now.place, "expected ', x': the input by which to differentiate");
  if (!p->panic && dae_model_expect(p, ')', "to close 'der('"))
    c->comment = dae_model_parse_comment(p);
}

/* class -> prefixes ( "model" | "function" | "package" | "type" .. ) name ( composition | "=" ..
   ) ";" */
static dae_ast_class *parse_class(dae_parser *p) {
  bool is_partial = false;
  for (; p->now.word == WORD_PARTIAL || p->now.word == WORD_ENCAPSULATED ||
         p->now.word == WORD_PURE || p->now.word == WORD_IMPURE || p->now.word == WORD_FINAL;
       dae_model_advance(p))
    is_partial = is_partial || p->now.word == WORD_PARTIAL;
  if (refuse(p)) return NULL;
  int w = p->now.word;
  char buffer[80];
  if (w != WORD_MODEL && w != WORD_CLASS && w != WORD_BLOCK && w != WORD_FUNCTION &&
      w != WORD_PACKAGE && w != WORD_TYPE && w != WORD_RECORD)
    return dae_model_syntax(p, p->now.place,
                            "expected 'model', 'package', 'function' or 'type', found %s",
                            dae_model_word_text(p, &p->now, buffer, sizeof buffer));
  dae_model_advance(p);
  dae_ast_class *c = dae_model_take(p->arena, 1, sizeof *c);
  c->kind = (uint8_t)(w == WORD_FUNCTION  ? CLASS_FUNCTION
                      : w == WORD_PACKAGE ? CLASS_PACKAGE
                      : w == WORD_TYPE    ? CLASS_TYPE
                      : w == WORD_RECORD  ? CLASS_RECORD
                                          : CLASS_MODEL);
  c->place = p->now.place;
  c->is_partial = is_partial;
  c->name = dae_model_parse_path(p, "the name of the class");
  if (c->name < 0 || !dae_model_enter(p)) return NULL;
  dae_model_reserved(p, c->name, c->place);
  if (c->kind == CLASS_TYPE) dae_model_parse_type(p, c);
  else if (p->now.word == '=' && c->kind == CLASS_FUNCTION &&
           dae_model_look_ahead(p) == WORD_NAME) {
    dae_model_advance(p);
    c->base_name = dae_model_parse_path(p, "the name of a function");
    c->comment = dae_model_parse_comment(p);
  } else if (p->now.word == '=' && c->kind == CLASS_FUNCTION && dae_model_look_ahead(p) == WORD_DER)
    parse_derivative(p, c);
  else if (p->now.word == '=')
    dae_model_syntax(p, p->now.place,
                     "short class definitions are only understood for 'type' and for functions");
  else parse_composition(p, c);
  dae_model_leave(p);
  if (!p->panic) dae_model_expect(p, ';', "after the end of the class");
  return c;
}

/* file -> [ "within" [ name ] ";" ] class { class } */
dae_ast_class *dae_model_parse(dae_source *source, dae_names *names, dae_arena *arena) {
  dae_parser p = {.source = source, .names = names, .arena = arena};
  dae_model_lexer_init(&p.lexer, source, names);
  dae_model_advance(&p);
  if (dae_model_accept(&p, WORD_WITHIN)) {
    if (p.now.word == WORD_NAME) dae_model_parse_path(&p, "a name after 'within'");
    dae_model_expect(&p, ';', "after 'within'");
  }
  if (p.now.word == WORD_EOF && source->errors == 0)
    dae_model_error(source, 0,
                    "the file holds no model: write model NAME .. equation .. end NAME;");
  dae_ast_class *first = NULL, **tail = &first;
  while (p.now.word != WORD_EOF && source->errors <= source->max_errors) {
    uint32_t before = p.now.place;
    dae_ast_class *c = parse_class(&p);
    if (c) *tail = c, tail = &c->next;
    if (c && !p.panic) continue;
    /* lost: the next class keyword is a new chance */
    p.panic = false;
    p.depth = 0;
    if (p.now.place == before) dae_model_advance(&p);
    while (p.now.word != WORD_EOF && !starts_class(p.now.word)) dae_model_advance(&p);
  }
  return source->errors ? NULL : first;
}
