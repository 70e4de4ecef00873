/*
 * Quantities of a whole run: peak = max(abs(F)), t1 = time(x < 0).
 *
 *   max, min        over all times; found between points to the precision of the dense output
 *   mean, integral  over time, by Gauss's rule in each step
 *   start, end      the value at either end
 *   time            when a comparison is true for the first time; none: it never is
 *
 * Inside a step the solution is smooth: steps end at events.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { MAX, MIN, MEAN, INTEGRAL, START, END, TIME, KINDS } kind;

static const char *const kind_name[KINDS] = {"max",   "min", "mean", "integral",
                                             "start", "end", "time"};

typedef struct measure {
  char *name;
  kind kind;
  cli_expression *e; /* TIME: what is negative when the comparison is true */
  double value, length;
} measure;

struct cli_measures {
  measure *list;
  int count;
  const cli_model *model;
  bool begun; /* a step was seen */
  double *column;
};

/* points of a step where extremes are looked for, and Gauss's rule of order 10 */
enum { PARTS = 8, GAUSS = 5 };
static const double gauss_place[GAUSS] = {0.04691007703066800, 0.23076534494715845, 0.5,
                                          0.76923465505284155, 0.95308992296933200};
static const double gauss_weight[GAUSS] = {0.11846344252809454, 0.23931433524968324,
                                           0.28444444444444444, 0.23931433524968324,
                                           0.11846344252809454};

/* ---- reading ---- */

static char *part_of(const char *from, const char *to) {
  while (from < to && strchr(" \t\n", *from)) from++;
  while (to > from && strchr(" \t\n", to[-1])) to--;
  char *own = cli_take((size_t)(to - from) + 1, 1);
  return memcpy(own, from, (size_t)(to - from));
}

/* a < b is true where a - b < 0, a > b where b - a < 0 */
static char *comparison(const char *text) {
  const char *at = strpbrk(text, "<>");
  if (!at) return NULL;
  const char *right = at + 1 + (at[1] == '=');
  size_t size = strlen(text) + 8;
  char *zero = cli_take(size, 1), *a = part_of(text, at), *b = part_of(right, text + strlen(text));
  if (*at == '<') snprintf(zero, size, "(%s)-(%s)", a, b);
  else snprintf(zero, size, "(%s)-(%s)", b, a);
  free(a);
  free(b);
  return zero;
}

/* NAME = KIND(EXPRESSION) */
static int read_one(measure *m, const cli_model *model, const char *from, const char *to) {
  char *text = part_of(from, to), *equal = strchr(text, '='), *open = strchr(text, '(');
  size_t length = strlen(text);
  int code = CLI_OK;
  if (!equal || !open || equal > open || equal == text || text[length - 1] != ')')
    code = cli_fail(CLI_USAGE, "option --measure: '%.100s' is not NAME=FUNCTION(EXPRESSION)", text);
  char *word = NULL, *inner = NULL;
  if (code == CLI_OK) {
    m->name = part_of(text, equal);
    word = part_of(equal + 1, open);
    inner = part_of(open + 1, text + length - 1);
    for (m->kind = MAX; m->kind < KINDS && strcmp(word, kind_name[m->kind]) != 0;) m->kind++;
    if (m->kind == KINDS)
      code = cli_fail(
          CLI_USAGE,
          "option --measure: '%.60s' must be one of max, min, mean, integral, start, end, time",
          word);
  }
  if (code == CLI_OK && m->kind == TIME) {
    char *zero = comparison(inner);
    if (!zero)
      code = cli_fail(CLI_USAGE, "option --measure: time(%.60s) needs a comparison, x < 0", inner);
    free(inner);
    inner = zero;
  }
  if (code == CLI_OK) {
    m->e = cli_expression_read(inner, model->n_column, (const char *const *)model->column);
    if (!m->e) code = CLI_USAGE;
  }
  free(word);
  free(inner);
  free(text);
  return code;
}

/* where the measure that begins here ends: at a comma outside all brackets */
static const char *end_of(const char *at) {
  int depth = 0;
  for (; *at && !(*at == ',' && depth == 0); at++) {
    depth += *at == '(' || *at == '[';
    depth -= *at == ')' || *at == ']';
  }
  return at;
}

int cli_measures_read(cli_measures **out, const char *text, const cli_model *model) {
  cli_measures *m = cli_take(1, sizeof *m);
  int code = CLI_OK;
  m->list = cli_take(strlen(text) + 1, sizeof *m->list);
  m->model = model;
  m->column = cli_take((size_t)model->n_column, sizeof(double));
  for (const char *at = text; code == CLI_OK;) {
    const char *end = end_of(at);
    code = read_one(&m->list[m->count++], model, at, end);
    for (int i = 0; code == CLI_OK && i < m->count - 1; i++)
      if (strcmp(m->list[i].name, m->list[m->count - 1].name) == 0)
        code = cli_fail(CLI_USAGE, "option --measure: '%.60s' appears twice", m->list[i].name);
    if (!*end) break;
    at = end + 1;
  }
  *out = m;
  if (code == CLI_OK) return CLI_OK;
  cli_measures_free(m);
  *out = NULL;
  return code;
}

char *cli_measures_show(const char *text) {
  char *show = cli_take(2 * strlen(text) + 8, 1);
  for (const char *at = text;; at++) {
    const char *end = end_of(at), *equal = memchr(at, '=', (size_t)(end - at));
    char *name = part_of(at, equal ? equal : end);
    snprintf(show + strlen(show), strlen(name) + 4, "%s'%s'", show[0] ? "|" : "", name);
    free(name);
    if (!*end) return show;
    at = end;
  }
}

void cli_measures_free(cli_measures *m) {
  if (!m) return;
  for (int i = 0; i < m->count; i++) {
    free(m->list[i].name);
    cli_expression_free(m->list[i].e);
  }
  free(m->list);
  free(m->column);
  free(m);
}

/* ---- measuring ---- */

void cli_measures_start(cli_measures *m, double t, const double *z, const double *y) {
  cli_model_columns(m->model, t, z, y, m->column);
  for (int i = 0; i < m->count; i++) {
    measure *a = &m->list[i];
    double value = cli_expression_value(a->e, t, m->column);
    a->length = 0;
    a->value = a->kind == TIME                          ? (value < 0 ? t : NAN)
               : a->kind == MEAN || a->kind == INTEGRAL ? 0
                                                        : value;
  }
}

/* an accepted point, after what happened there */
void cli_measures_point(cli_measures *m, double t, const double *z, const double *y) {
  cli_model_columns(m->model, t, z, y, m->column);
  for (int i = 0; i < m->count; i++) {
    measure *a = &m->list[i];
    if (cli_expression_rates(a->e)) continue;
    double value = cli_expression_value(a->e, t, m->column);
    if (a->kind == END) a->value = value;
    /* what is not a number stays so */
    if (a->kind == MAX && !isnan(a->value) && !(value <= a->value)) a->value = value;
    if (a->kind == MIN && !isnan(a->value) && !(value >= a->value)) a->value = value;
    if (a->kind == TIME && isnan(a->value) && value < 0) a->value = t;
  }
}

/* a measure at a time inside the step */
static double value_at(cli_measures *m, const measure *a, const cli_piece *piece, double t) {
  if (cli_expression_rates(a->e)) cli_expression_differentiate(a->e, piece, t, m->column);
  if (!piece->columns(piece->of, t, m->column)) return NAN;
  return cli_expression_value(a->e, t, m->column);
}

/* the largest value of s f near the middle one of three points that is above both others, by the
   golden section: a smooth peak of width w is met to w sqrt(eps) in t, so to rounding in value */
static double peak(cli_measures *m, const measure *a, const cli_piece *piece, double from,
                   double to, double s) {
  const double golden = 0.6180339887498949;
  double t1 = to - golden * (to - from), t2 = from + golden * (to - from);
  double f1 = s * value_at(m, a, piece, t1), f2 = s * value_at(m, a, piece, t2);
  for (int k = 0; k < 40 && isfinite(f1) && isfinite(f2); k++) {
    if (f1 > f2) {
      to = t2, t2 = t1, f2 = f1;
      f1 = s * value_at(m, a, piece, t1 = to - golden * (to - from));
    } else {
      from = t1, t1 = t2, f1 = f2;
      f2 = s * value_at(m, a, piece, t2 = from + golden * (to - from));
    }
  }
  return fmax(f1, f2);
}

/* where the value becomes negative between two times, by bisection */
static double crossing(cli_measures *m, const measure *a, const cli_piece *piece, double from,
                       double to) {
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (from + to);
    if (value_at(m, a, piece, middle) < 0) to = middle;
    else from = middle;
  }
  return to;
}

static void extreme_step(cli_measures *m, measure *a, const cli_piece *piece, double from,
                         double to) {
  double s = a->kind == MIN ? -1 : 1, best = s * a->value, f[PARTS + 1];
  if (isnan(best)) return;
  for (int k = 0; k <= PARTS; k++) f[k] = s * value_at(m, a, piece, from + (to - from) * k / PARTS);
  for (int k = 0; k <= PARTS; k++) {
    if (!isnan(best) && !(f[k] <= best)) best = f[k];
    double next = (to - from) / PARTS, t = from + next * k;
    /* a bracket may end at an end of the step: the peak of a parabola between two points */
    bool left = k == 0 || f[k] >= f[k - 1], right = k == PARTS || f[k] >= f[k + 1];
    if (!left || !right || !isfinite(best)) continue;
    /* a peak between points is higher by less than they differ: lower ones are not looked for */
    double more = fmax(k > 0 ? f[k] - f[k - 1] : 0, k < PARTS ? f[k] - f[k + 1] : 0);
    if (f[k] + 2 * more < best) continue;
    double inner = peak(m, a, piece, fmax(t - next, from), fmin(t + next, to), s);
    if (inner > best) best = inner;
  }
  a->value = s * best;
}

static void time_step(cli_measures *m, measure *a, const cli_piece *piece, double from, double to) {
  for (int k = 1; k <= PARTS && isnan(a->value); k++) {
    double t = from + (to - from) * k / PARTS;
    if (value_at(m, a, piece, t) < 0)
      a->value = crossing(m, a, piece, from + (to - from) * (k - 1) / PARTS, t);
  }
}

/* derivatives are known inside steps only */
static void rates_at_ends(cli_measures *m, measure *a, const cli_piece *piece, bool first) {
  if (a->kind == END) a->value = value_at(m, a, piece, piece->to);
  if (!first || (a->kind != START && a->kind != MAX && a->kind != MIN && a->kind != TIME)) return;
  double value = value_at(m, a, piece, piece->from);
  a->value = a->kind != TIME ? value : value < 0 ? piece->from : NAN;
}

void cli_measures_step(cli_measures *m, const cli_piece *piece) {
  double from = piece->from, to = piece->to;
  bool first = !m->begun;
  m->begun = m->begun || to != from;
  for (int i = 0; i < m->count && to != from; i++) {
    measure *a = &m->list[i];
    if (cli_expression_rates(a->e)) rates_at_ends(m, a, piece, first);
    switch (a->kind) {
      case MAX:
      case MIN: extreme_step(m, a, piece, from, to); break;
      case MEAN:
      case INTEGRAL:
        for (int k = 0; k < GAUSS; k++)
          a->value += (to - from) * gauss_weight[k] *
                      value_at(m, a, piece, from + (to - from) * gauss_place[k]);
        a->length += to - from;
        break;
      case TIME: time_step(m, a, piece, from, to); break;
      case END:
      case START:
      case KINDS: break;
    }
  }
}

int cli_measures_count(const cli_measures *m) { return m ? m->count : 0; }

const char *cli_measures_name(const cli_measures *m, int i) { return m->list[i].name; }

double cli_measures_value(const cli_measures *m, int i) {
  const measure *a = &m->list[i];
  return a->kind == MEAN && a->length != 0 ? a->value / a->length : a->value;
}

void cli_measures_state(cli_state *s, cli_measures *m) {
  for (int i = 0; i < m->count; i++) {
    cli_state_bytes(s, &m->list[i].value, sizeof m->list[i].value);
    cli_state_bytes(s, &m->list[i].length, sizeof m->list[i].length);
  }
}
