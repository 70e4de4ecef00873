/* expressions */
#include <stdio.h>
#include <string.h>

#include "model/parser.h"

static dae_ast *parse_simple(dae_parser *p);
static dae_ast *parse_logical(dae_parser *p);

dae_ast *dae_model_new_ast(dae_parser *p, dae_ast_kind kind, uint32_t place) {
  dae_ast *e = dae_model_take(p->arena, 1, sizeof *e);
  e->kind = (uint8_t)kind;
  e->place = place;
  e->name = -1;
  return e;
}

static dae_ast *keep_args(dae_parser *p, dae_ast *e, dae_list *list) {
  e->count = list->count;
  e->args = dae_model_list_keep(p, list);
  return e;
}

/* expr -> simple | "if" expr "then" expr { "elseif" expr "then" expr } "else" expr */
dae_ast *dae_model_parse_expr(dae_parser *p) {
  if (p->now.word != WORD_IF) return parse_simple(p);
  if (!dae_model_enter(p)) return NULL;
  dae_ast *e = dae_model_new_ast(p, AST_IF, p->now.place);
  dae_list parts = {0};
  bool ok = true;
  do {
    dae_model_advance(p);
    dae_ast *condition = dae_model_parse_expr(p);
    ok = condition && dae_model_expect(p, WORD_THEN, "after the condition of 'if'");
    dae_ast *value = ok ? dae_model_parse_expr(p) : NULL;
    ok = value != NULL;
    dae_model_list_add(p, &parts, condition);
    dae_model_list_add(p, &parts, value);
  } while (ok && p->now.word == WORD_ELSEIF);
  if (ok && p->now.word != WORD_ELSE) {
    dae_model_syntax(p, p->now.place,
                     "an 'if' expression needs an 'else' part: it must have a value always");
    ok = false;
  }
  if (ok) {
    dae_model_advance(p);
    dae_ast *value = dae_model_parse_expr(p);
    ok = value != NULL;
    dae_model_list_add(p, &parts, value);
  }
  dae_model_leave(p);
  keep_args(p, e, &parts);
  return ok ? e : NULL;
}

/* simple -> logical [ ":" logical [ ":" logical ] ] */
static dae_ast *parse_simple(dae_parser *p) {
  if (!dae_model_enter(p)) return NULL;
  uint32_t place = p->now.place;
  dae_list parts = {0};
  dae_ast *e = parse_logical(p);
  dae_model_list_add(p, &parts, e);
  while (e && p->now.word == ':' && parts.count < 3) {
    dae_model_advance(p);
    e = parse_logical(p);
    dae_model_list_add(p, &parts, e);
  }
  dae_model_leave(p);
  if (e && parts.count > 1) e = dae_model_new_ast(p, AST_RANGE, place);
  if (e && e->kind == AST_RANGE && !e->args) keep_args(p, e, &parts);
  else dae_model_list_drop(p, &parts);
  return e;
}

/* relation -> arithmetic [ ( "<" | "<=" | ">" | ">=" | "==" | "<>" ) arithmetic ] */
static dae_ast *parse_relation(dae_parser *p);

/* factor of a condition -> [ "not" ] relation */
static dae_ast *parse_not(dae_parser *p) {
  if (p->now.word != WORD_NOT) return parse_relation(p);
  dae_ast *e = dae_model_new_ast(p, AST_NOT, p->now.place);
  dae_model_advance(p);
  dae_list parts = {0};
  dae_ast *inner = parse_relation(p);
  dae_model_list_add(p, &parts, inner);
  keep_args(p, e, &parts);
  return inner ? e : NULL;
}

/* one level of "a op b op c ..", kept flat */
static dae_ast *parse_chain(dae_parser *p, int word, dae_ast_kind kind,
                            dae_ast *(*next)(dae_parser *)) {
  uint32_t place = p->now.place;
  dae_ast *first = next(p);
  if (!first || p->now.word != word) return first;
  dae_list parts = {0};
  dae_model_list_add(p, &parts, first);
  bool ok = true;
  while (ok && dae_model_accept(p, word)) {
    dae_ast *e = next(p);
    ok = e != NULL;
    dae_model_list_add(p, &parts, e);
  }
  dae_ast *e = keep_args(p, dae_model_new_ast(p, kind, place), &parts);
  return ok ? e : NULL;
}

/* term of a condition -> not { "and" not } */
static dae_ast *parse_and(dae_parser *p) { return parse_chain(p, WORD_AND, AST_AND, parse_not); }

/* logical -> and { "or" and } */
static dae_ast *parse_logical(dae_parser *p) { return parse_chain(p, WORD_OR, AST_OR, parse_and); }

static char sum_sign(int word) {
  return (char)(word == '+'           ? '+'
                : word == '-'         ? '-'
                : word == WORD_EL_ADD ? 'p'
                : word == WORD_EL_SUB ? 'm'
                                      : 0);
}

static char product_sign(int word) {
  return (char)(word == '*'           ? '*'
                : word == '/'         ? '/'
                : word == WORD_EL_MUL ? 't'
                : word == WORD_EL_DIV ? 'd'
                                      : 0);
}

static dae_ast *parse_primary(dae_parser *p);

static dae_ast *negated(dae_parser *p, dae_ast *of, uint32_t place) {
  dae_ast *e = dae_model_new_ast(p, AST_SUM, place);
  dae_list parts = {0};
  dae_model_list_add(p, &parts, of);
  e->u.op = dae_model_copy(p->arena, "-", 1);
  return keep_args(p, e, &parts);
}

/* factor -> primary [ ( "^" | ".^" ) [ "+" | "-" ] primary ] */
static dae_ast *parse_factor(dae_parser *p) {
  dae_ast *base = parse_primary(p);
  if (!base || (p->now.word != '^' && p->now.word != WORD_EL_POW)) return base;
  dae_ast *e = dae_model_new_ast(p, AST_POWER, base->place);
  e->u.op = dae_model_take(p->arena, 1, 1);
  e->u.op[0] = p->now.word == '^' ? '^' : 'e';
  dae_model_advance(p);
  /* a ^ -2, as tools write it */
  uint32_t place = p->now.place;
  bool minus = p->now.word == '-';
  if (minus || p->now.word == '+') dae_model_advance(p);
  dae_ast *exponent = parse_primary(p);
  if (exponent && minus) exponent = negated(p, exponent, place);
  if (!exponent) return NULL;
  if (p->now.word == '^' || p->now.word == WORD_EL_POW)
    return dae_model_syntax(p, p->now.place, "a^b^c is ambiguous: write (a^b)^c or a^(b^c)");
  e->count = 2;
  e->args = dae_model_take(p->arena, 2, sizeof *e->args);
  e->args[0] = base;
  e->args[1] = exponent;
  return e;
}

/* the shared loop of sums and products: first operand, then sign and operand, flat */
static dae_ast *parse_signed(dae_parser *p, dae_ast_kind kind, char (*sign_of)(int),
                             dae_ast *(*next)(dae_parser *), char leading) {
  uint32_t place = p->now.place;
  dae_list parts = {0};
  dae_text signs = {.arena = p->arena};
  dae_ast *e = next(p);
  if (!e) return NULL;
  char sign = sign_of(p->now.word);
  if (!sign && leading != '-') return e;
  dae_model_text_bytes(&signs, &leading, 1);
  dae_model_list_add(p, &parts, e);
  while (e && (sign = sign_of(p->now.word)) != 0) {
    dae_model_advance(p);
    if (kind == AST_PRODUCT && (p->now.word == '-' || p->now.word == '+'))
      return dae_model_syntax(p, p->now.place,
                              "two operators in a row: put the signed part in parentheses");
    e = next(p);
    dae_model_text_bytes(&signs, &sign, 1);
    dae_model_list_add(p, &parts, e);
  }
  dae_ast *all = dae_model_new_ast(p, kind, place);
  all->u.op = dae_model_copy(p->arena, signs.data, (size_t)signs.length);
  dae_base_give(&p->arena->pool, signs.data);
  keep_args(p, all, &parts);
  return e ? all : NULL;
}

/* term -> factor { ( "*" | "/" | ".*" | "./" ) factor } */
static dae_ast *parse_term(dae_parser *p) {
  return parse_signed(p, AST_PRODUCT, product_sign, parse_factor, '*');
}

/* arithmetic -> [ "+" | "-" ] term { ( "+" | "-" | ".+" | ".-" ) term } */
static dae_ast *parse_arithmetic(dae_parser *p) {
  char leading = sum_sign(p->now.word);
  if (leading) dae_model_advance(p);
  if (sum_sign(p->now.word))
    return dae_model_syntax(p, p->now.place,
                            "two operators in a row: put the signed part in parentheses");
  return parse_signed(p, AST_SUM, sum_sign, parse_term,
                      leading == '-' || leading == 'm' ? '-' : '+');
}

static dae_ast *parse_relation(dae_parser *p) {
  dae_ast *left = parse_arithmetic(p);
  int w = p->now.word;
  if (!left ||
      !(w == '<' || w == '>' || w == WORD_LE || w == WORD_GE || w == WORD_EQ || w == WORD_NE))
    return left;
  dae_ast *e = dae_model_new_ast(p, AST_RELATION, p->now.place);
  e->name = (int)w;
  dae_model_advance(p);
  dae_ast *right = parse_arithmetic(p);
  e->count = 2;
  e->args = dae_model_take(p->arena, 2, sizeof *e->args);
  e->args[0] = left;
  e->args[1] = right;
  return right ? e : NULL;
}

/* iterators -> name [ "in" expr ] { "," name [ "in" expr ] } */
bool dae_model_parse_iterators(dae_parser *p, dae_list *names, dae_list *ranges) {
  do {
    if (p->now.word != WORD_NAME) {
      dae_model_syntax(p, p->now.place, "expected the name of a loop variable after 'for'");
      return false;
    }
    dae_ast *name = dae_model_new_ast(p, AST_REF, p->now.place);
    name->name = p->now.name;
    dae_model_advance(p);
    /* without a range it is that of the arrays which the variable is a subscript of */
    dae_ast *range = dae_model_accept(p, WORD_IN) ? dae_model_parse_expr(p)
                                                  : dae_model_new_ast(p, AST_COLON, name->place);
    if (!range) return false;
    dae_model_list_add(p, names, name);
    dae_model_list_add(p, ranges, range);
  } while (dae_model_accept(p, ','));
  return true;
}

/* arguments -> [ argument { "," argument } | expr "for" iterators ],  argument -> [ name "=" ]
   expr */
static dae_ast *parse_arguments(dae_parser *p, dae_ast *e, int closing) {
  dae_list parts = {0}, names = {0};
  bool any = false;
  int *arg_name = NULL;
  int capacity = 0;
  dae_model_advance(p);
  while (p->now.word != closing) {
    if (parts.count && !dae_model_accept(p, ',')) break;
    int name = -1;
    if (p->now.word == WORD_NAME && dae_model_look_ahead(p) == '=') {
      name = p->now.name;
      any = true;
      dae_model_advance(p);
      dae_model_advance(p);
    }
    dae_ast *value = dae_model_parse_expr(p);
    if (!value) return NULL;
    dae_model_list_add(p, &parts, value);
    arg_name = dae_model_grow(p->arena, arg_name, &capacity, parts.count, sizeof *arg_name);
    arg_name[parts.count - 1] = name;
    if (p->now.word != WORD_FOR || parts.count > 1) continue;
    dae_model_advance(p);
    if (!dae_model_parse_iterators(p, &names, &parts)) return NULL;
    e->kind = AST_COMPREHENSION;
    break;
  }
  char after[2] = {(char)(closing == ')' ? '(' : '{'), 0};
  if (p->now.word != closing) {
    char buffer[80];
    return dae_model_syntax(p, p->now.place, "expected ',' or '%c' to close '%s', found %s",
                            (char)closing, after,
                            dae_model_word_text(p, &p->now, buffer, sizeof buffer));
  }
  dae_model_advance(p);
  keep_args(p, e, &parts);
  if (e->kind == AST_COMPREHENSION) {
    e->u.arg_name = dae_model_take(p->arena, (size_t)names.count, sizeof(int));
    for (int k = 0; k < names.count; k++) e->u.arg_name[k] = ((dae_ast *)names.item[k])->name;
    dae_model_list_drop(p, &names);
  } else if (any) {
    e->u.arg_name = dae_model_take(p->arena, (size_t)e->count, sizeof(int));
    memcpy(e->u.arg_name, arg_name, (size_t)e->count * sizeof(int));
  }
  dae_base_give(&p->arena->pool, arg_name);
  return e;
}

/* matrix -> "[" expr { "," expr } { ";" expr { "," expr } } "]" */
static dae_ast *parse_matrix(dae_parser *p) {
  dae_ast *matrix = dae_model_new_ast(p, AST_MATRIX, p->now.place);
  dae_list rows = {0};
  do {
    dae_model_advance(p);
    dae_ast *row = dae_model_new_ast(p, AST_ARRAY, p->now.place);
    dae_list parts = {0};
    do {
      dae_ast *e = dae_model_parse_expr(p);
      if (!e) return NULL;
      dae_model_list_add(p, &parts, e);
    } while (dae_model_accept(p, ','));
    dae_model_list_add(p, &rows, keep_args(p, row, &parts));
  } while (p->now.word == ';');
  keep_args(p, matrix, &rows);
  return dae_model_expect(p, ']', "to close '['") ? matrix : NULL;
}

/* subscripts -> "[" ( ":" | expr ) { "," ( ":" | expr ) } "]" */
int dae_model_parse_subscripts(dae_parser *p, dae_ast ***out) {
  *out = NULL;
  if (p->now.word != '[') return 0;
  if (!dae_model_enter(p)) return -1;
  dae_list parts = {0};
  do {
    dae_model_advance(p);
    dae_ast *e;
    int after = p->now.word == ':' ? dae_model_look_ahead(p) : WORD_EOF;
    if (after == ',' || after == ']') {
      e = dae_model_new_ast(p, AST_COLON, p->now.place);
      dae_model_advance(p);
    } else {
      e = dae_model_parse_expr(p);
    }
    if (!e) return -1;
    dae_model_list_add(p, &parts, e);
  } while (p->now.word == ',');
  int count = parts.count;
  *out = dae_model_list_keep(p, &parts);
  dae_model_leave(p);
  return dae_model_expect(p, ']', "to close '['") ? count : -1;
}

/* subscripts that are part of a flat name, body[2].x: whole numbers, literals, true and false */
static bool join_subscripts(dae_parser *p, dae_text *name, dae_ast *const *subscripts, int count) {
  for (int k = 0; k < count; k++) {
    const dae_ast *s = subscripts[k];
    dae_model_text_add(name, "%s", k ? "," : "[");
    if (s->kind == AST_NUMBER && s->integer) dae_model_text_add(name, "%.0f", s->u.number);
    else if (s->kind == AST_BOOL) dae_model_text_add(name, s->u.number != 0 ? "true" : "false");
    else if (s->kind == AST_REF && s->count == 0 && strchr(p->names->text[s->name], '.'))
      dae_model_text_add(name, "%s", p->names->text[s->name]);
    else return false;
  }
  if (count) dae_model_text_add(name, "]");
  return true;
}

/* base . name, where the base has subscripts: a field of a record, or a flat name with them in it
 */
static dae_ast *parse_field(dae_parser *p, dae_ast *base) {
  dae_ast *e = dae_model_new_ast(p, AST_FIELD, base->place);
  dae_text joined = {.arena = p->arena};
  int first = base->kind == AST_FIELD, whole = first ? base->u.joined : base->name;
  e->name = p->now.name;
  e->u.joined = -1;
  if (whole >= 0) {
    dae_model_text_add(&joined, "%s", p->names->text[whole]);
    if (join_subscripts(p, &joined, base->args + first, base->count - first)) {
      dae_model_text_add(&joined, ".%s", p->names->text[e->name]);
      e->u.joined = dae_model_name(p->names, joined.data, (size_t)joined.length);
    }
    dae_base_give(&p->arena->pool, joined.data);
  }
  dae_model_advance(p);
  dae_ast **subscripts;
  int count = dae_model_parse_subscripts(p, &subscripts);
  if (count < 0) return NULL;
  e->count = count + 1;
  e->args = dae_model_take(p->arena, (size_t)e->count, sizeof *e->args);
  e->args[0] = base;
  if (count) memcpy(e->args + 1, subscripts, (size_t)count * sizeof *subscripts);
  return e;
}

/* one more piece of a name with points, once there is a first one */
static void add_part(dae_parser *p, dae_text *name, int part) {
  const char *text = p->names->text[part];
  if (name->length) dae_model_text_bytes(name, ".", 1);
  dae_model_text_bytes(name, text, strlen(text));
}

/* reference -> [ "." ] name [ subscripts ] { "." name [ subscripts ] }; points without subscripts
   before them are part of a flat name */
dae_ast *dae_model_parse_reference(dae_parser *p) {
  dae_model_accept(p, '.');
  dae_ast *e = dae_model_new_ast(p, AST_REF, p->now.place);
  e->name = p->now.name;
  dae_text name = {.arena = p->arena};
  for (;;) {
    if (p->now.word != WORD_NAME) {
      char buffer[80];
      return dae_model_syntax(p, p->now.place, "expected a name after '.', found %s",
                              dae_model_word_text(p, &p->now, buffer, sizeof buffer));
    }
    if (e->kind == AST_FIELD || e->count > 0) {
      e = parse_field(p, e);
    } else {
      if (name.length) add_part(p, &name, p->now.name);
      dae_model_advance(p);
      e->count = dae_model_parse_subscripts(p, &e->args);
      if (e->count < 0) return NULL;
      bool more = p->now.word == '.' && e->count == 0;
      if (!more && name.length) e->name = dae_model_name(p->names, name.data, (size_t)name.length);
      /* most names have no point: no text is made for them */
      if (more && !name.length) add_part(p, &name, e->name);
    }
    if (!e || p->now.word != '.') break;
    dae_model_advance(p);
  }
  if (name.data) dae_base_give(&p->arena->pool, name.data);
  return e;
}

/* "(" [ expr ] { "," [ expr ] } ")": parentheses, or the left side of (a, , b) = f(x) */
static dae_ast *parse_parenthesis(dae_parser *p) {
  uint32_t place = p->now.place;
  dae_list parts = {0};
  do {
    dae_model_advance(p);
    bool none = p->now.word == ',' || (parts.count && p->now.word == ')');
    dae_ast *e = none ? NULL : dae_model_parse_expr(p);
    if (!e && !none) return NULL;
    /* (a, _, b): nothing is wanted there */
    bool blank = e && e->kind == AST_REF && e->name >= 0 && e->count == 0 &&
                 strcmp(p->names->text[e->name], "_") == 0;
    dae_model_list_add(p, &parts, blank ? NULL : e);
  } while (p->now.word == ',');
  if (!dae_model_expect(p, ')', "to close '('")) return NULL;
  if (parts.count > 1) return keep_args(p, dae_model_new_ast(p, AST_TUPLE, place), &parts);
  dae_ast *only = parts.item[0];
  dae_model_list_drop(p, &parts);
  if (!only) return dae_model_syntax(p, place, "expected an expression in '()'");
  /* (a + b) + c keeps its own node: the parentheses say how to round */
  return only;
}

/* value { subscripts | "." name [ subscripts ] }: an element or a field of what is no name. The
   subscripted value is a reference without a name and the value as first argument. */
static dae_ast *parse_behind(dae_parser *p, dae_ast *value) {
  while (value && (p->now.word == '[' || p->now.word == '.')) {
    dae_ast **subscripts, *e;
    if (p->now.word == '.') {
      dae_model_advance(p);
      if (p->now.word != WORD_NAME)
        return dae_model_syntax(p, p->now.place, "expected a name after '.'");
      e = dae_model_new_ast(p, AST_REF, value->place);
      e->count = 1;
      e->args = dae_model_take(p->arena, 1, sizeof *e->args);
      e->args[0] = value;
      value = parse_field(p, e);
      continue;
    }
    int count = dae_model_parse_subscripts(p, &subscripts);
    if (count < 0) return NULL;
    e = dae_model_new_ast(p, AST_REF, value->place);
    e->count = count + 1;
    e->args = dae_model_take(p->arena, (size_t)count + 1, sizeof *e->args);
    e->args[0] = value;
    memcpy(e->args + 1, subscripts, (size_t)count * sizeof *subscripts);
    value = e;
  }
  return value;
}

/* call -> reference "(" arguments ")" */
static dae_ast *parse_name(dae_parser *p) {
  dae_ast *e = dae_model_parse_reference(p);
  if (!e || p->now.word != '(') return e;
  if (e->count || e->kind == AST_FIELD) {
    return dae_model_syntax(
        p, p->now.place,
        "x[k](..) is not understood: a boundary value is written x(startTime)[k] "
        "or for a scalar x(startTime)");
  }
  e->kind = AST_CALL;
  return parse_behind(p, parse_arguments(p, e, ')'));
}

/* the text of a string with its escapes, \\" and the like, resolved */
static const char *plain_string(dae_parser *p, const char *text, size_t length) {
  static const char escape[] = "'\"?\\abfnrtv", meant[] = "'\"?\\\a\b\f\n\r\t\v";
  char *out = dae_model_copy(p->arena, text, length);
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    const char *found =
        text[i] == '\\' && i + 1 < length && text[i + 1] ? strchr(escape, text[i + 1]) : NULL;
    out[n++] = found ? meant[found - escape] : text[i];
    if (found) i++;
  }
  out[n] = '\0';
  return out;
}

/* primary -> number | string | "true" | "false" | "end" | reference | call | "der" "(" expr ")"
 *          | "initial" "(" ")" | "(" expr ")" | "{" arguments "}" | matrix */
static dae_ast *parse_primary(dae_parser *p) {
  dae_ast *e = NULL;
  dae_token t = p->now;
  char buffer[80];
  switch (t.word) {
    case WORD_NUMBER:
      e = dae_model_new_ast(p, AST_NUMBER, t.place);
      e->u.number = t.number;
      e->integer = t.integer;
      break;
    case WORD_STRING:
      e = dae_model_new_ast(p, AST_STRING, t.place);
      e->u.string = plain_string(p, p->source->text + t.place + 1, t.length - 2);
      break;
    case WORD_TRUE:
    case WORD_FALSE:
      e = dae_model_new_ast(p, AST_BOOL, t.place);
      e->u.number = t.word == WORD_TRUE;
      break;
    case WORD_END: e = dae_model_new_ast(p, AST_END, t.place); break;
    case '.':
    case WORD_NAME: return parse_name(p);
    case WORD_DER:
    case WORD_INITIAL:
      e = dae_model_new_ast(p, AST_CALL, t.place);
      e->name = dae_model_name(p->names, t.word == WORD_DER ? "der" : "initial",
                               t.word == WORD_DER ? 3 : 7);
      dae_model_advance(p);
      if (p->now.word != '(')
        return dae_model_syntax(p, p->now.place, "expected '(' after '%s'",
                                p->names->text[e->name]);
      return parse_arguments(p, e, ')');
    case '(': return parse_behind(p, parse_parenthesis(p));
    case '{':
      return parse_behind(p, parse_arguments(p, dae_model_new_ast(p, AST_ARRAY, t.place), '}'));
    case '[': return parse_matrix(p);
    case WORD_ERROR: p->panic = true; return NULL;
    default:
      return dae_model_syntax(p, t.place, "expected an expression, found %s",
                              dae_model_word_text(p, &t, buffer, sizeof buffer));
  }
  dae_model_advance(p);
  return e;
}
