/*
 * Expressions of the columns of a run: sqrt(x^2 + y^2), der(x) - 2*v, max(abs(F), 1).
 *
 *   sum      = product {(+|-) product}
 *   product  = signed {(*|/) signed}
 *   signed   = [-|+] power
 *   power    = primary [^ signed]
 *   primary  = number | time | pi | column | 'column' | function(sum, ..) | der(sum) | ( sum )
 *
 * A column is taken by its whole name first, so that der(x), x[1,2] and 'a b' are names too. The
 * text becomes a list of operations on a stack. der of anything else is a derivative by
 * differences in a smooth piece of the solution: the formula of order 4 on five points there.
 */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { NUMBER, TIME, COLUMN, RATE, ONE, TWO } kind;

typedef struct operation {
  kind kind;
  double number;
  int column; /* RATE: which derivative */
  double (*one)(double);
  double (*two)(double, double);
} operation;

typedef struct rate {
  cli_expression *of;
  double value; /* where it was requested last */
} rate;

struct cli_expression {
  operation *list;
  int count, room, depth, most; /* places of the stack now, and at most */
  double *stack;
  rate *rate;
  int n_rate;
};

typedef struct parser {
  cli_expression *e;
  const char *text, *at;
  int n_column, nesting;
  const char *const *column;
  bool inner; /* inside der(..) */
  bool bad;   /* a message was made */
} parser;

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double negate(double a) { return -a; }
static double sign(double a) { return (a > 0) - (a < 0); }

static const struct {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} function_table[] = {
    {"abs", fabs, NULL},    {"sqrt", sqrt, NULL}, {"exp", exp, NULL},   {"log", log, NULL},
    {"log10", log10, NULL}, {"sin", sin, NULL},   {"cos", cos, NULL},   {"tan", tan, NULL},
    {"asin", asin, NULL},   {"acos", acos, NULL}, {"atan", atan, NULL}, {"sinh", sinh, NULL},
    {"cosh", cosh, NULL},   {"tanh", tanh, NULL}, {"sign", sign, NULL}, {"atan2", NULL, atan2},
    {"max", NULL, fmax},    {"min", NULL, fmin},  {"mod", NULL, fmod},
};

static bool begins_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

/* where a text is cut so that at most `most` bytes and no half of a character are left */
static int cut(const char *text, size_t most) {
  size_t n = strlen(text);
  if (n <= most) return (int)n;
  for (n = most; n > 0 && !begins_character(text[n]);) n--;
  return (int)n;
}

/* the character of the text that is read next, from 1 on */
static int column_of(const parser *p) {
  int column = 1;
  for (const char *c = p->text; c < p->at; c++) column += begins_character(*c);
  return column;
}

static void fail(parser *p, const char *what) {
  const char *quote = *p->at ? "'" : "", *at = *p->at ? p->at : "the end";
  if (!p->bad)
    cli_fail(CLI_USAGE, "'%.*s', column %d: %s at %s%.*s%s", cut(p->text, 200), p->text,
             column_of(p), what, quote, cut(at, 20), at, quote);
  p->bad = true;
}

static void emit(parser *p, operation o, int places) {
  cli_expression *e = p->e;
  if (e->count == e->room) {
    e->room = 2 * e->room + 16;
    e->list = realloc(e->list, (size_t)e->room * sizeof *e->list);
    if (!e->list) exit(cli_fail(CLI_STOPPED, "out of memory"));
  }
  e->list[e->count++] = o;
  e->depth += places;
  if (e->depth > e->most) e->most = e->depth;
}

static void skip(parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static bool take(parser *p, char c) {
  skip(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || (c && strchr("_.$[", c));
}

/* 'any text' is the column of that name, whatever is in it */
static int quoted_column(const parser *p, size_t *length) {
  const char *end = *p->at == '\'' ? strchr(p->at + 1, '\'') : NULL;
  size_t n = end ? (size_t)(end - p->at) - 1 : 0;
  for (int i = 0; end && i < p->n_column; i++) {
    if (strlen(p->column[i]) != n || strncmp(p->at + 1, p->column[i], n) != 0) continue;
    *length = n + 2;
    return i;
  }
  return -1;
}

/* the longest column whose name stands here */
static int find_column(const parser *p, size_t *length) {
  int found = quoted_column(p, length);
  if (found >= 0) return found;
  *length = 0;
  for (int i = 0; i < p->n_column; i++) {
    size_t n = strlen(p->column[i]);
    if (n <= *length || strncmp(p->at, p->column[i], n) != 0) continue;
    if (in_name(p->at[n - 1]) && in_name(p->at[n])) continue;
    *length = n;
    found = i;
  }
  return found;
}

static void sum(parser *p);
static cli_expression *read_part(const char *text, const parser *outer, int n_column,
                                 const char *const *column);

/* der(..): the text between the brackets is an expression of its own */
static void derivative(parser *p) {
  int depth = 0;
  const char *open = p->at + 3 + strspn(p->at + 3, " "), *end = open;
  for (; *end && !(*end == ')' && depth == 1); end++) depth += (*end == '(') - (*end == ')');
  if (*open != '(' || !*end) {
    fail(p, "der needs brackets");
    return;
  }
  if (p->inner) {
    fail(p, "der inside der is not available");
    return;
  }
  size_t size = (size_t)(end - open);
  char *text = cli_take(size + 1, 1);
  memcpy(text, open + 1, size - 1);
  cli_expression *of = read_part(text, p, p->n_column, p->column), *e = p->e;
  free(text);
  if (!of) {
    p->bad = true;
    return;
  }
  e->rate = realloc(e->rate, ((size_t)e->n_rate + 1) * sizeof *e->rate);
  if (!e->rate) exit(cli_fail(CLI_STOPPED, "out of memory"));
  e->rate[e->n_rate] = (rate){of, NAN};
  emit(p, (operation){.kind = RATE, .column = e->n_rate++}, 1);
  p->at = end + 1;
}

static void unknown(parser *p, size_t length) {
  char name[DAE_NAME_MAX], text[DAE_TEXT_MAX];
  snprintf(name, sizeof name, "%.*s", (int)length, p->at);
  name[cut(name, sizeof name - 2)] = '\0';
  cli_near near = {.word = name};
  for (int i = 0; i < p->n_column; i++) cli_near_offer(&near, p->column[i]);
  for (size_t i = 0; i < sizeof function_table / sizeof *function_table; i++)
    cli_near_offer(&near, function_table[i].name);
  cli_near_text(&near, text, sizeof text);
  if (!p->bad)
    cli_fail(CLI_USAGE, "'%.*s', column %d: there is no variable or function '%s'%s",
             cut(p->text, 200), p->text, column_of(p), name, text);
  p->bad = true;
}

/* a name that is no column: time, pi, or a function with its arguments */
static void word(parser *p) {
  size_t n = 0;
  while (in_name(p->at[n]) && p->at[n] != '[') n++;
  if (n == 4 && strncmp(p->at, "time", n) == 0) {
    p->at += n;
    emit(p, (operation){.kind = TIME}, 1);
    return;
  }
  if (n == 2 && strncmp(p->at, "pi", n) == 0) {
    p->at += n;
    emit(p, (operation){.kind = NUMBER, .number = acos(-1)}, 1);
    return;
  }
  if (n == 3 && strncmp(p->at, "der", n) == 0) {
    derivative(p);
    return;
  }
  for (size_t i = 0; i < sizeof function_table / sizeof *function_table; i++) {
    if (strlen(function_table[i].name) != n || strncmp(p->at, function_table[i].name, n) != 0)
      continue;
    p->at += n;
    bool two = function_table[i].two != NULL;
    if (!take(p, '(')) fail(p, "'(' is missing");
    sum(p);
    if (two && !p->bad && !take(p, ',')) fail(p, "a second argument is missing");
    if (two) sum(p);
    if (!p->bad && !take(p, ')')) fail(p, "')' is missing");
    emit(p,
         (operation){
             .kind = two ? TWO : ONE, .one = function_table[i].one, .two = function_table[i].two},
         two ? -1 : 0);
    return;
  }
  if (n == 0) fail(p, "a number or a name is missing");
  else unknown(p, n);
}

static void primary(parser *p) {
  size_t length;
  skip(p);
  int column = find_column(p, &length);
  if (column >= 0) {
    p->at += length;
    emit(p, (operation){.kind = COLUMN, .column = column}, 1);
  } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    char *end;
    double number = strtod(p->at, &end);
    if (end == p->at || !isfinite(number)) fail(p, "not a finite number");
    p->at = end;
    emit(p, (operation){.kind = NUMBER, .number = number}, 1);
  } else if (take(p, '(')) {
    sum(p);
    if (!p->bad && !take(p, ')')) fail(p, "')' is missing");
  } else {
    word(p);
  }
}

static void signed_power(parser *p) {
  enum { DEEPEST = 200 };
  if (p->bad) return;
  if (++p->nesting > DEEPEST) fail(p, "nested too deeply");
  bool minus = take(p, '-');
  if (!minus) take(p, '+');
  primary(p);
  if (!p->bad && take(p, '^')) {
    signed_power(p);
    emit(p, (operation){.kind = TWO, .two = pow}, -1);
  }
  if (minus) emit(p, (operation){.kind = ONE, .one = negate}, 0);
  p->nesting--;
}

static void product(parser *p) {
  signed_power(p);
  while (!p->bad) {
    bool times = take(p, '*');
    if (!times && !take(p, '/')) return;
    signed_power(p);
    emit(p, (operation){.kind = TWO, .two = times ? multiply : divide}, -1);
  }
}

static void sum(parser *p) {
  product(p);
  while (!p->bad) {
    bool plus = take(p, '+');
    if (!plus && !take(p, '-')) return;
    product(p);
    emit(p, (operation){.kind = TWO, .two = plus ? add : subtract}, -1);
  }
}

static cli_expression *read_part(const char *text, const parser *outer, int n_column,
                                 const char *const *column) {
  parser p = {.e = cli_take(1, sizeof(cli_expression)),
              .text = text,
              .at = text,
              .n_column = n_column,
              .column = column,
              .inner = outer != NULL};
  sum(&p);
  skip(&p);
  if (!p.bad && *p.at) fail(&p, "unexpected text");
  p.e->stack = cli_take((size_t)p.e->most + 1, sizeof(double));
  if (!p.bad) return p.e;
  cli_expression_free(p.e);
  return NULL;
}

cli_expression *cli_expression_read(const char *text, int n_column, const char *const *column) {
  return read_part(text, NULL, n_column, column);
}

void cli_expression_uses(const cli_expression *e, bool *used) {
  for (int i = 0; i < e->count; i++)
    if (e->list[i].kind == COLUMN) used[e->list[i].column] = true;
  for (int i = 0; i < e->n_rate; i++) cli_expression_uses(e->rate[i].of, used);
}

bool cli_expression_rates(const cli_expression *e) { return e->n_rate > 0; }

int cli_expression_column(const cli_expression *e, bool *derivative) {
  const operation *o = &e->list[0];
  *derivative = e->count == 1 && o->kind == RATE;
  if (*derivative) {
    bool inner;
    return cli_expression_column(e->rate[o->column].of, &inner);
  }
  return e->count == 1 && o->kind == COLUMN ? o->column : -1;
}

/* f'(0) from f(k - m), k = 0 .. 4, at points of distance 1: row m of the weights, times 12 */
static const double weight[5][5] = {{-25, 48, -36, 16, -3},
                                    {-3, -10, 18, -6, 1},
                                    {1, -8, 0, 8, -1},
                                    {-1, 6, -18, 10, 3},
                                    {3, -16, 36, -48, 25}};

void cli_expression_differentiate(cli_expression *e, const cli_piece *piece, double t,
                                  double *column) {
  /* five of 17 points of the piece, t among them and in their middle where there is room */
  double h = (piece->to - piece->from) / 16, place = h != 0 ? (t - piece->from) / h : 0;
  int m = place < 1 ? 0 : place < 2 ? 1 : place > 15 ? 4 : place > 14 ? 3 : 2;
  for (int i = 0; i < e->n_rate; i++) e->rate[i].value = h != 0 ? 0 : NAN;
  for (int k = 0; h != 0 && k < 5; k++) {
    double at = t + (k - m) * h;
    bool known = piece->columns(piece->of, at, column);
    for (int i = 0; i < e->n_rate; i++)
      e->rate[i].value +=
          known ? weight[m][k] / (12 * h) * cli_expression_value(e->rate[i].of, at, column) : NAN;
  }
}

double cli_expression_value(const cli_expression *e, double t, const double *column) {
  double *top = e->stack;
  for (int i = 0; i < e->count; i++) {
    const operation *o = &e->list[i];
    switch (o->kind) {
      case NUMBER: *top++ = o->number; break;
      case TIME: *top++ = t; break;
      case COLUMN: *top++ = column[o->column]; break;
      case RATE: *top++ = e->rate[o->column].value; break;
      case ONE: top[-1] = o->one(top[-1]); break;
      case TWO:
        top--;
        top[-1] = o->two(top[-1], *top);
        break;
    }
  }
  return e->stack[0];
}

void cli_expression_free(cli_expression *e) {
  if (!e) return;
  for (int i = 0; i < e->n_rate; i++) cli_expression_free(e->rate[i].of);
  free(e->rate);
  free(e->list);
  free(e->stack);
  free(e);
}
