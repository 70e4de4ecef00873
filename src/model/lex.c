/* text -> words */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/syntax.h"

static const char *const keyword_text[] = {
#define X(constant, text) text,
    DAE_KEYWORDS(X)
#undef X
};
enum { KEYWORDS = sizeof keyword_text / sizeof *keyword_text };

/* the keywords are the first names, so that one look-up tells a keyword from a name */
void dae_model_lexer_init(dae_lexer *lx, dae_source *source, dae_names *names) {
  *lx = (dae_lexer){.source = source, .names = names};
  lx->first_keyword = names->count;
  for (int i = 0; i < KEYWORDS; i++)
    dae_model_name(names, keyword_text[i], strlen(keyword_text[i]));
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static int peek(const dae_lexer *lx, size_t ahead) {
  size_t at = lx->at + ahead;
  return at < lx->source->size ? (unsigned char)lx->source->text[at] : -1;
}

/* white space and comments; an open comment is an error at its start */
static void skip_blank(dae_lexer *lx) {
  for (;;) {
    int c = peek(lx, 0);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      lx->at++;
    } else if (c == '/' && peek(lx, 1) == '/') {
      while (peek(lx, 0) >= 0 && peek(lx, 0) != '\n') lx->at++;
    } else if (c == '/' && peek(lx, 1) == '*') {
      size_t start = lx->at;
      lx->at += 2;
      while (peek(lx, 0) >= 0 && !(peek(lx, 0) == '*' && peek(lx, 1) == '/')) lx->at++;
      if (peek(lx, 0) < 0)
        dae_model_error(lx->source, (uint32_t)start, "this comment is never closed: add */");
      else lx->at += 2;
    } else if (c == 0xEF && peek(lx, 1) == 0xBB && peek(lx, 2) == 0xBF && lx->at == 0) {
      lx->at += 3;
    } else {
      return;
    }
  }
}

static double to_number(const char *text, size_t length, dae_source *source, uint32_t place) {
  char buffer[128];
  if (length >= sizeof buffer - 8) {
    dae_model_error(source, place, "this number has more than %d characters", 119);
    return 0;
  }
  memcpy(buffer, text, length);
  buffer[length] = '\0';
  double x = strtod(buffer, NULL);
  if (!isfinite(x)) dae_model_error(source, place, "this number is too large for double precision");
  return x;
}

/* number -> digits [ "." [ digits ] ] [ ( "e" | "E" ) [ "+" | "-" ] digits ] */
static void lex_number(dae_lexer *lx, dae_token *t) {
  t->word = WORD_NUMBER;
  t->integer = true;
  while (is_digit(peek(lx, 0))) lx->at++;
  if (peek(lx, 0) == '.' && !strchr("+-*/^", peek(lx, 1) > 0 ? peek(lx, 1) : ' ')) {
    t->integer = false;
    lx->at++;
    while (is_digit(peek(lx, 0))) lx->at++;
  }
  int e = peek(lx, 0), sign = peek(lx, 1) == '+' || peek(lx, 1) == '-';
  if ((e == 'e' || e == 'E') && is_digit(peek(lx, sign ? 2 : 1))) {
    t->integer = false;
    lx->at += sign ? 2 : 1;
    while (is_digit(peek(lx, 0))) lx->at++;
  }
  size_t start = t->place;
  t->number = to_number(lx->source->text + start, lx->at - start, lx->source, t->place);
  if (t->integer && t->number > 9007199254740992.0) t->integer = false;
}

/* quoted text up to `quote`; a backslash takes the next character with it */
static void lex_quoted(dae_lexer *lx, dae_token *t, int quote) {
  lx->at++;
  while (peek(lx, 0) >= 0 && peek(lx, 0) != quote) {
    if (quote == '\'' && peek(lx, 0) == '\n') break;
    lx->at += peek(lx, 0) == '\\' && peek(lx, 1) >= 0 ? 2 : 1;
  }
  if (peek(lx, 0) != quote) {
    dae_model_error(lx->source, t->place, "this %s is never closed: add %c",
                    quote == '"' ? "string" : "quoted name", quote);
    t->word = WORD_ERROR;
    return;
  }
  const char *text = lx->source->text + t->place + 1;
  size_t length = lx->at - t->place - 1;
  lx->at++;
  t->word = quote == '"' ? WORD_STRING : WORD_NAME;
  if (quote == '"') return;
  if (length == 0) {
    dae_model_error(lx->source, t->place, "a quoted name needs at least one character");
    t->word = WORD_ERROR;
    return;
  }
  t->name = dae_model_name(lx->names, text, length);
  /* a quoted keyword is a name of its own: keep the quotes on it */
  if (t->name >= lx->first_keyword && t->name < lx->first_keyword + KEYWORDS)
    t->name = dae_model_name(lx->names, text - 1, length + 2);
}

static void lex_name(dae_lexer *lx, dae_token *t) {
  while (is_letter(peek(lx, 0)) || is_digit(peek(lx, 0))) lx->at++;
  t->name = dae_model_name(lx->names, lx->source->text + t->place, lx->at - t->place);
  int k = t->name - lx->first_keyword;
  t->word = k >= 0 && k < KEYWORDS ? WORD_AND + k : WORD_NAME;
}

static int two_characters(int c, int d) {
  static const struct {
    char c, d;
    int word;
  } table[] = {{'<', '=', WORD_LE},     {'>', '=', WORD_GE},     {'=', '=', WORD_EQ},
               {'<', '>', WORD_NE},     {':', '=', WORD_ASSIGN}, {'.', '+', WORD_EL_ADD},
               {'.', '-', WORD_EL_SUB}, {'.', '*', WORD_EL_MUL}, {'.', '/', WORD_EL_DIV},
               {'.', '^', WORD_EL_POW}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].c == c && table[i].d == d) return table[i].word;
  return WORD_EOF;
}

static void lex_other(dae_lexer *lx, dae_token *t, int c) {
  int two = two_characters(c, peek(lx, 1));
  if (two != WORD_EOF) {
    t->word = two;
    lx->at += 2;
    return;
  }
  lx->at++;
  if (strchr("()[]{}+-*/^=<>,;:.", c)) {
    t->word = c;
    return;
  }
  t->word = WORD_ERROR;
  if (c == '!' || c == '&' || c == '|')
    dae_model_error(lx->source, t->place, "'%c' has no meaning here: write not, and, or, <>", c);
  else if (c > 32 && c < 127) dae_model_error(lx->source, t->place, "'%c' has no meaning here", c);
  else
    dae_model_error(lx->source, t->place, "byte 0x%02x has no meaning outside strings and comments",
                    c);
  /* one message for a run of strange bytes */
  while (peek(lx, 0) >= 127 || (peek(lx, 0) >= 0 && peek(lx, 0) < 9)) lx->at++;
}

dae_token dae_model_next(dae_lexer *lx) {
  skip_blank(lx);
  dae_token t = {.place = (uint32_t)lx->at};
  int c = peek(lx, 0);
  if (c < 0) t.word = WORD_EOF;
  else if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) lex_number(lx, &t);
  else if (is_letter(c)) lex_name(lx, &t);
  else if (c == '"' || c == '\'') lex_quoted(lx, &t, c);
  else if (c > 0) lex_other(lx, &t, c);
  else {
    lx->at++;
    t.word = WORD_ERROR;
    dae_model_error(lx->source, t.place, "byte 0x00 has no meaning outside strings and comments");
    while (peek(lx, 0) == 0) lx->at++;
  }
  t.length = (uint32_t)(lx->at - t.place);
  return t;
}
