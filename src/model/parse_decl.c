/* declarations, modifications, types, annotations */
#include <stdio.h>
#include <string.h>

#include "model/parser.h"

/* path -> name { "." name } */
int dae_model_parse_path(dae_parser *p, const char *what) {
  char buffer[80];
  bool rooted = p->now.word == '.' && dae_model_look_ahead(p) == WORD_NAME;
  if (p->now.word != WORD_NAME && !rooted) {
    if (p->now.word == WORD_ERROR) p->panic = true;
    dae_model_syntax(p, p->now.place, "expected %s, found %s", what,
                     dae_model_word_text(p, &p->now, buffer, sizeof buffer));
    return -1;
  }
  if (rooted || dae_model_look_ahead(p) == '.' || p->ahead.word == '[') {
    dae_ast *e = dae_model_parse_reference(p);
    if (!e) return -1;
    if (e->kind == AST_REF && e->count == 0) return e->name;
    if (e->kind == AST_FIELD && e->count == 1 && e->u.joined >= 0) return e->u.joined;
    dae_model_syntax(p, e->place, "subscripts have no meaning here");
    return -1;
  }
  int name = p->now.name;
  dae_model_advance(p);
  return name;
}

/* modification -> [ "each" ] [ "final" ] name ( "(" modifications ")" [ "=" expr ] | "=" expr ) */
static dae_ast_mod *parse_mod(dae_parser *p) {
  dae_ast_mod *mod = dae_model_take(p->arena, 1, sizeof *mod);
  for (; p->now.word == WORD_EACH || p->now.word == WORD_FINAL; dae_model_advance(p))
    *(p->now.word == WORD_EACH ? &mod->each : &mod->is_final) = true;
  mod->place = p->now.place;
  mod->name = dae_model_parse_path(p, "an attribute such as start, fixed, min, max, unit");
  if (mod->name < 0) return NULL;
  if (p->now.word == '(') {
    if (!dae_model_enter(p)) return NULL;
    mod->inner = dae_model_parse_mods(p);
    dae_model_leave(p);
    if (p->panic) return NULL;
    if (p->now.word != '=') return mod;
  }
  if (!dae_model_expect(p, '=', "after the name of an attribute")) return NULL;
  mod->value = dae_model_parse_expr(p);
  return mod->value ? mod : NULL;
}

/* modifications -> "(" [ modification { "," modification } ] ")" */
/* a modification without a value, x() or x(inner), stands for what is in it */
dae_ast_mod *dae_model_parse_mods(dae_parser *p) {
  dae_ast_mod *first = NULL, **tail = &first;
  dae_model_advance(p);
  if (dae_model_accept(p, ')')) return NULL;
  do {
    dae_ast_mod *mod = parse_mod(p);
    if (!mod) return NULL;
    *tail = mod;
    tail = &mod->next;
  } while (dae_model_accept(p, ','));
  dae_model_expect(p, ')', "to close the list of attributes");
  return first;
}

/* skip a balanced "( .. )", with its strings and nested parentheses */
static void skip_parentheses(dae_parser *p) {
  int open = 0;
  do {
    if (p->now.word == '(') open++;
    if (p->now.word == ')') open--;
    dae_model_advance(p);
  } while (open > 0 && p->now.word != WORD_EOF);
  if (open > 0)
    dae_model_syntax(p, p->now.place, "the file ends inside an annotation: a ')' is missing");
}

/* one item of the annotation of a class: experiment(..), __Daedal(..) and derivative = f are kept,
   others skipped up to the comma behind them */
static void parse_item(dae_parser *p, dae_ast_class *c) {
  int experiment = dae_model_name(p->names, "experiment", 10);
  int own = dae_model_name(p->names, "__Daedal", 8);
  int name = p->now.word == WORD_NAME ? p->now.name : -1;
  if ((name == experiment || name == own) && dae_model_look_ahead(p) == '(') {
    dae_model_advance(p);
    *(name == own ? &c->own : &c->experiment) = dae_model_parse_mods(p);
    return;
  }
  if (name == dae_model_name(p->names, "derivative", 10) && dae_model_look_ahead(p) == '=') {
    dae_model_advance(p);
    dae_model_advance(p);
    if (p->now.word == WORD_NAME) c->derivative = p->now.name + 1;
  }
  for (int open = 0; p->now.word != WORD_EOF; dae_model_advance(p)) {
    bool ends = p->now.word == ')' || p->now.word == ',';
    if (open == 0 && ends) return;
    if (strchr("({[", p->now.word < 127 ? p->now.word : 0) && p->now.word) open++;
    if (strchr(")}]", p->now.word < 127 ? p->now.word : 0) && p->now.word) open--;
  }
}

/* annotation -> "annotation" "(" { item "," } ")" */
void dae_model_parse_annotation(dae_parser *p, dae_ast_class *c, bool *invariant) {
  dae_model_advance(p);
  if (p->now.word != '(') {
    dae_model_syntax(p, p->now.place, "expected '(' after 'annotation'");
    return;
  }
  int mark = dae_model_name(p->names, "__Daedal_invariant", 18);
  if (invariant && dae_model_look_ahead(p) == WORD_NAME && p->ahead.name == mark) *invariant = true;
  if (!c) {
    skip_parentheses(p);
    return;
  }
  dae_model_advance(p);
  if (dae_model_accept(p, ')')) return;
  do parse_item(p, c);
  while (!p->panic && dae_model_accept(p, ','));
  if (p->now.word == WORD_EOF)
    dae_model_syntax(p, p->now.place, "the file ends inside an annotation: a ')' is missing");
  else if (!p->panic) dae_model_expect(p, ')', "to close the annotation");
}

/* tail of a declared name -> [ subscripts ] [ modifications ] [ ( "=" | ":=" ) expr ] [ "if"
   expr ] comment */
static bool parse_component(dae_parser *p, dae_ast_decl *d) {
  d->place = p->now.place;
  if (p->now.word != WORD_NAME) {
    char buffer[80];
    if (p->now.word == WORD_ERROR) p->panic = true;
    dae_model_syntax(p, p->now.place, "expected the name of a variable after '%.60s', found %s",
                     p->names->text[d->type_name],
                     dae_model_word_text(p, &p->now, buffer, sizeof buffer));
    return false;
  }
  dae_ast *name = dae_model_parse_reference(p);
  if (!name) return false;
  int first = name->kind == AST_FIELD, dims = name->count - first;
  d->name = first ? name->u.joined : name->name;
  if (d->name < 0) {
    dae_model_syntax(p, name->place,
                     "subscripts before a point must be whole numbers in a declared name");
    return false;
  }
  dae_model_reserved(p, d->name, d->place);
  if (dims) {
    /* dimensions behind the name come before those of the type */
    dae_ast **dim = dae_model_take(p->arena, (size_t)(dims + d->dims), sizeof *dim);
    memcpy(dim, name->args + first, (size_t)dims * sizeof *dim);
    if (d->dims) memcpy(dim + dims, d->dim, (size_t)d->dims * sizeof *dim);
    d->dim = dim;
    d->dims += dims;
  }
  if (p->now.word == '(') d->mods = dae_model_parse_mods(p);
  if (p->panic) return false;
  if (p->now.word == '=' || p->now.word == WORD_ASSIGN) {
    dae_model_advance(p);
    d->binding = dae_model_parse_expr(p);
    if (!d->binding) return false;
  }
  if (dae_model_accept(p, WORD_IF)) {
    d->condition = dae_model_parse_expr(p);
    if (!d->condition) return false;
  }
  d->comment = dae_model_parse_comment(p);
  if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, NULL);
  return !p->panic;
}

/* prefixes -> { "final" | "parameter" | "constant" | "discrete" | "input" | "output" } */
static bool parse_prefixes(dae_parser *p, dae_ast_decl *d) {
  for (;; dae_model_advance(p)) {
    switch (p->now.word) {
      case WORD_FINAL: d->is_final = true; break;
      case WORD_PARAMETER: d->variability = VAR_PARAMETER; break;
      case WORD_CONSTANT: d->variability = VAR_CONSTANT; break;
      case WORD_DISCRETE: d->variability = VAR_DISCRETE; break;
      case WORD_INPUT: d->causality = CAUSAL_INPUT; break;
      case WORD_OUTPUT: d->causality = CAUSAL_OUTPUT; break;
      case WORD_FLOW:
      case WORD_STREAM:
      case WORD_INNER:
      case WORD_OUTER: {
        char buffer[80];
        dae_model_syntax(p, p->now.place,
                         "%s is not flat: let your Modelica tool export the flat model",
                         dae_model_word_text(p, &p->now, buffer, sizeof buffer));
        return false;
      }
      default: return true;
    }
  }
}

/* a literal once, and none that is an attribute (Modelica 3.6, 4.9.5) */
static void check_literal(dae_parser *p, const dae_ast_class *c) {
  static const char *const attributes[] = {"quantity", "min", "max", "start", "fixed"};
  const char *name = p->names->text[p->now.name];
  for (int k = 0; k < 5; k++)
    if (strcmp(name, attributes[k]) == 0)
      dae_model_error(p->source, p->now.place, "'%s' is an attribute: it cannot be a literal",
                      name);
  for (int k = 0; k < c->literals; k++)
    if (c->literal[k] == p->now.name)
      dae_model_error(p->source, p->now.place, "the literal '%.60s' stands twice", name);
}

/* enumeration -> "enumeration" "(" literal { "," literal } ")"; its values are whole numbers from 1
   on */
void dae_model_parse_enumeration(dae_parser *p, dae_ast_class *c) {
  int capacity = 0;
  c->base_name = dae_model_name(p->names, "Integer", 7);
  dae_model_advance(p);
  if (!dae_model_expect(p, '(', "after 'enumeration'")) return;
  if (p->now.word == ':') dae_model_advance(p);
  while (p->now.word == WORD_NAME) {
    check_literal(p, c);
    c->literal = dae_model_grow(p->arena, c->literal, &capacity, c->literals + 1, sizeof(int));
    c->literal[c->literals++] = p->now.name;
    dae_model_advance(p);
    dae_model_parse_comment(p);
    if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, NULL);
    if (!dae_model_accept(p, ',')) break;
  }
  dae_model_expect(p, ')', "to close 'enumeration('");
}

/* an enumeration in the place of a type: a type without a name of its own */
static int parse_nameless(dae_parser *p, dae_ast_class *c) {
  dae_ast_class *type = dae_model_take(p->arena, 1, sizeof *type);
  char name[40];
  int length = snprintf(name, sizeof name, "enumeration at %lu", (unsigned long)p->now.place);
  type->kind = CLASS_TYPE;
  type->place = p->now.place;
  type->name = dae_model_name(p->names, name, (size_t)length);
  dae_model_parse_enumeration(p, type);
  type->next = c->inner;
  c->inner = type;
  return p->panic ? -1 : type->name;
}

/* declaration -> prefixes type [ subscripts ] component { "," component } ";" */
void dae_model_parse_declaration(dae_parser *p, dae_ast_class *c, bool is_protected,
                                 dae_ast_decl ***tail) {
  dae_ast_decl head = {.is_protected = is_protected};
  if (!parse_prefixes(p, &head)) return;
  head.type_place = p->now.place;
  if (p->now.word == '(' || p->now.word == WORD_IF || p->now.word == WORD_FOR ||
      p->now.word == WORD_DER || p->now.word == WORD_NUMBER) {
    dae_model_syntax(p, p->now.place,
                     "an equation stands among the declarations: write 'equation' before it");
    return;
  }
  if (p->now.word == WORD_NAME && dae_model_look_ahead(p) == '=') {
    dae_model_syntax(
        p, p->now.place,
        "expected a declaration such as 'Real x;': write 'equation' before the first equation");
    return;
  }
  if (p->now.word == WORD_NAME && p->ahead.word == '[') {
    /* Real[3] x: the type is one name */
    head.type_name = p->now.name;
    dae_model_advance(p);
  } else if (p->now.word == WORD_ENUMERATION) {
    head.type_name = parse_nameless(p, c);
  } else {
    head.type_name = dae_model_parse_path(p, "a declaration such as 'Real x;' or a section");
  }
  if (head.type_name < 0) return;
  head.dims = dae_model_parse_subscripts(p, &head.dim);
  if (head.dims < 0) return;
  do {
    dae_ast_decl *d = dae_model_take(p->arena, 1, sizeof *d);
    *d = head;
    if (!parse_component(p, d)) return;
    **tail = d;
    *tail = &d->next;
  } while (dae_model_accept(p, ','));
  dae_model_expect(p, ';', "after the declaration");
}

/* type -> "type" name "=" base [ subscripts ] [ modifications ] comment */
void dae_model_parse_type(dae_parser *p, dae_ast_class *c) {
  if (!dae_model_expect(p, '=', "after the name of the type")) return;
  if (p->now.word == WORD_ENUMERATION) {
    dae_model_parse_enumeration(p, c);
    c->dims = p->panic ? 0 : dae_model_parse_subscripts(p, &c->dim);
    if (p->now.word == '(') c->mods = dae_model_parse_mods(p);
    c->comment = dae_model_parse_comment(p);
    if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, NULL);
    return;
  }
  if (p->now.word == WORD_INPUT || p->now.word == WORD_OUTPUT) {
    c->causality = p->now.word == WORD_INPUT ? CAUSAL_INPUT : CAUSAL_OUTPUT;
    dae_model_advance(p);
  }
  if (p->now.word == WORD_NAME && dae_model_look_ahead(p) == '[') {
    c->base_name = p->now.name;
    dae_model_advance(p);
  } else {
    c->base_name = dae_model_parse_path(p, "the name of a type");
  }
  if (c->base_name < 0) return;
  c->dims = dae_model_parse_subscripts(p, &c->dim);
  if (p->now.word == '(') c->mods = dae_model_parse_mods(p);
  c->comment = dae_model_parse_comment(p);
  if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, NULL);
}
