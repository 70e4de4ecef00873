/* equations, and the statements of algorithms */
#include <string.h>

#include "model/parser.h"

static dae_ast_eq *new_eq(dae_parser *p, dae_eq_kind kind) {
  dae_ast_eq *eq = dae_model_take(p->arena, 1, sizeof *eq);
  eq->kind = (uint8_t)kind;
  eq->place = p->now.place;
  return eq;
}

static dae_ast_eq *parse_one(dae_parser *p, bool statement);

/* the end of a block, or a word that begins another section */
static bool ends_block(dae_parser *p) {
  switch (p->now.word) {
    case WORD_END:
    case WORD_ELSE:
    case WORD_ELSEIF:
    case WORD_ELSEWHEN:
    case WORD_EOF:
    case WORD_EQUATION:
    case WORD_ALGORITHM:
    case WORD_PUBLIC:
    case WORD_PROTECTED:
    case WORD_ANNOTATION:
    case WORD_EXTERNAL: return true;
    case WORD_INITIAL:
      return dae_model_look_ahead(p) == WORD_EQUATION || p->ahead.word == WORD_ALGORITHM;
    default: return false;
  }
}

/* block -> { equation ";" }, up to the word that ends it */
static dae_ast_eq *parse_block(dae_parser *p, bool statements) {
  dae_ast_eq *first = NULL, **tail = &first;
  int depth = p->depth;
  while (!ends_block(p) && p->source->errors <= p->source->max_errors) {
    dae_ast_eq *eq = parse_one(p, statements);
    if (eq && !p->panic) {
      dae_model_parse_comment(p);
      if (p->now.word == WORD_ANNOTATION) dae_model_parse_annotation(p, NULL, &eq->invariant);
      dae_model_expect(p, ';', statements ? "after the statement" : "after the equation");
    }
    if (eq) *tail = eq, tail = &eq->next;
    if (!p->panic) continue;
    p->depth = depth;
    dae_model_recover(p);
  }
  return first;
}

/* "end" word, with the line of the beginning in the message */
static bool parse_end(dae_parser *p, int word, const char *text, uint32_t place) {
  int line, column;
  if (p->now.word == WORD_END && dae_model_look_ahead(p) == word) {
    dae_model_advance(p);
    dae_model_advance(p);
    return true;
  }
  dae_model_locate(p->source, place, &line, &column);
  dae_model_syntax(p, p->now.place, "expected 'end %s' for the '%s' of line %d", text, text, line);
  return false;
}

/* for -> "for" iterators "loop" { equation ";" } "end" "for" */
static dae_ast_eq *parse_for(dae_parser *p, bool statement) {
  dae_ast_eq *eq = new_eq(p, EQ_FOR);
  dae_list names = {0}, ranges = {0};
  dae_model_advance(p);
  if (!dae_model_parse_iterators(p, &names, &ranges)) return NULL;
  if (!dae_model_expect(p, WORD_LOOP, "after the range of 'for'")) return NULL;
  eq->conditions = names.count;
  eq->iterator = dae_model_take(p->arena, (size_t)names.count, sizeof(int));
  for (int k = 0; k < names.count; k++) eq->iterator[k] = ((dae_ast *)names.item[k])->name;
  dae_model_list_drop(p, &names);
  eq->condition = dae_model_list_keep(p, &ranges);
  eq->bodies = 1;
  eq->body = dae_model_take(p->arena, 1, sizeof *eq->body);
  p->loops++;
  eq->body[0] = parse_block(p, statement);
  p->loops--;
  return parse_end(p, WORD_FOR, "for", eq->place) ? eq : NULL;
}

/* while -> "while" expr "loop" { statement ";" } "end" "while" */
static dae_ast_eq *parse_while(dae_parser *p) {
  dae_ast_eq *eq = new_eq(p, EQ_WHILE);
  dae_model_advance(p);
  eq->condition = dae_model_take(p->arena, 1, sizeof *eq->condition);
  eq->condition[0] = dae_model_parse_expr(p);
  if (!eq->condition[0]) return NULL;
  if (!dae_model_expect(p, WORD_LOOP, "after the condition of 'while'")) return NULL;
  eq->conditions = eq->bodies = 1;
  eq->body = dae_model_take(p->arena, 1, sizeof *eq->body);
  p->loops++;
  eq->body[0] = parse_block(p, true);
  p->loops--;
  return parse_end(p, WORD_WHILE, "while", eq->place) ? eq : NULL;
}

static dae_ast_eq *parse_leave(dae_parser *p) {
  dae_ast_eq *eq = new_eq(p, p->now.word == WORD_BREAK ? EQ_BREAK : EQ_RETURN);
  dae_model_advance(p);
  return eq;
}

/* if -> "if" expr "then" block { "elseif" expr "then" block } [ "else" block ] "end" "if"
 * when -> "when" expr "then" block { "elsewhen" expr "then" block } "end" "when" */
static dae_ast_eq *parse_branches(dae_parser *p, bool statement, dae_eq_kind kind) {
  dae_ast_eq *eq = new_eq(p, kind);
  const char *word = kind == EQ_IF ? "if" : "when";
  int start = kind == EQ_IF ? WORD_IF : WORD_WHEN,
      more = kind == EQ_IF ? WORD_ELSEIF : WORD_ELSEWHEN;
  dae_list conditions = {0}, bodies = {0};
  do {
    dae_model_advance(p);
    dae_ast *condition = dae_model_parse_expr(p);
    if (!condition) return NULL;
    if (!dae_model_expect(p, WORD_THEN,
                          kind == EQ_IF ? "after the condition of 'if'"
                                        : "after the condition of 'when'"))
      return NULL;
    dae_model_list_add(p, &conditions, condition);
    dae_model_list_add(p, &bodies, parse_block(p, statement));
  } while (p->now.word == more);
  if (kind == EQ_IF && dae_model_accept(p, WORD_ELSE))
    dae_model_list_add(p, &bodies, parse_block(p, statement));
  eq->conditions = conditions.count;
  eq->condition = dae_model_list_keep(p, &conditions);
  eq->bodies = bodies.count;
  eq->body = dae_model_list_keep(p, &bodies);
  return parse_end(p, start, word, eq->place) ? eq : NULL;
}

/* a call that stands alone: assert(..), terminate(..), reinit(..) */
static dae_ast_eq *finish_call(dae_parser *p, dae_ast_eq *eq) {
  if (eq->left->kind == AST_CALL) {
    eq->kind = EQ_CALL;
    return eq;
  }
  char buffer[80];
  return dae_model_syntax(p, p->now.place, "expected '=' in the equation, found %s",
                          dae_model_word_text(p, &p->now, buffer, sizeof buffer));
}

/* equation -> expr "=" expr | call;  statement -> reference ":=" expr */
static dae_ast_eq *parse_simple(dae_parser *p, bool statement) {
  dae_ast_eq *eq = new_eq(p, EQ_SIMPLE);
  eq->left = dae_model_parse_expr(p);
  if (!eq->left) return NULL;
  if (p->now.word == (statement ? WORD_ASSIGN : '=')) {
    dae_model_advance(p);
    eq->right = dae_model_parse_expr(p);
    return eq->right ? eq : NULL;
  }
  if (statement && p->now.word == '=')
    return dae_model_syntax(p, p->now.place,
                            "a statement of an algorithm assigns with ':=', not '='");
  if (!statement && p->now.word == WORD_ASSIGN)
    return dae_model_syntax(p, p->now.place, "an equation is written with '=', not ':='");
  if (eq->left->kind == AST_RELATION && eq->left->name == WORD_EQ)
    return dae_model_syntax(p, eq->left->place, "an equation is written with '=', not '=='");
  return finish_call(p, eq);
}

static dae_ast_eq *parse_one(dae_parser *p, bool statement) {
  if (!dae_model_enter(p)) return NULL;
  dae_ast_eq *eq = NULL;
  switch (p->now.word) {
    case WORD_FOR: eq = parse_for(p, statement); break;
    case WORD_IF: eq = parse_branches(p, statement, EQ_IF); break;
    case WORD_WHEN: eq = parse_branches(p, statement, EQ_WHEN); break;
    case WORD_PARAMETER:
    case WORD_CONSTANT:
    case WORD_INPUT:
    case WORD_OUTPUT:
      dae_model_syntax(p, p->now.place,
                       "a declaration stands among the equations: move it above 'equation'");
      break;
    case WORD_CONNECT:
      dae_model_syntax(
          p, p->now.place,
          "'connect' is not flat: let your Modelica tool export the flat or Base Modelica model");
      break;
    case WORD_WHILE:
    case WORD_BREAK:
    case WORD_RETURN:
      if (statement && p->now.word == WORD_BREAK && p->loops == 0)
        dae_model_syntax(p, p->now.place, "'break' must stand inside a loop");
      else if (statement) eq = p->now.word == WORD_WHILE ? parse_while(p) : parse_leave(p);
      else dae_model_syntax(p, p->now.place, "a statement stands among the equations");
      break;
    default: eq = parse_simple(p, statement);
  }
  if (eq) dae_model_leave(p);
  return eq;
}

/* section -> { equation ";" } up to the next section */
dae_ast_eq *dae_model_parse_equations(dae_parser *p, bool statements) {
  dae_ast_eq *list = parse_block(p, statements), **tail = &list;
  /* after an error in its head the end of a loop is left over */
  while (p->source->errors && p->now.word == WORD_END &&
         (dae_model_look_ahead(p) == WORD_FOR || p->ahead.word == WORD_IF ||
          p->ahead.word == WORD_WHEN || p->ahead.word == WORD_WHILE)) {
    dae_model_advance(p);
    dae_model_advance(p);
    dae_model_accept(p, ';');
    while (*tail) tail = &(*tail)->next;
    *tail = parse_block(p, statements);
  }
  return list;
}
