/* reading --show: panels of curves and paths; panel.h has the grammar */
#include "panel.h"

#include <stdlib.h>
#include <string.h>

cli_names cli_model_names(const cli_model *m) {
  return (cli_names){.count = m->n_column,
                     .name = (const char *const *)m->column,
                     .unit = (const char *const *)m->unit,
                     .display = (const char *const *)m->display,
                     .description = (const char *const *)m->description,
                     .time = m->time};
}

static char *copy(const char *from, const char *to) {
  while (from < to && strchr(" \t\r\n", *from)) from++;
  while (to > from && strchr(" \t\r\n", to[-1])) to--;
  char *own = cli_take((size_t)(to - from) + 1, 1);
  return memcpy(own, from, (size_t)(to - from));
}

/* behind a name in quotes that begins here */
static const char *over_quotes(const char *at, const char *end) {
  const char *close = memchr(at + 1, '\'', (size_t)(end - at) - 1);
  return close ? close : at;
}

static bool second_axis(const char *from, const char *at, const char *end) {
  return *at == '/' && at > from && at[-1] == ' ' && at + 1 < end && at[1] == ' ';
}

/* the first of the marks outside brackets and quotes, or the end; '/' is that of a second axis */
static const char *find_mark(const char *from, const char *end, char mark) {
  int depth = 0;
  for (const char *at = from; at < end; at++) {
    if (*at == '\'') at = over_quotes(at, end);
    depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    if (depth == 0 && *at == mark && (mark != '/' || second_axis(from, at, end))) return at;
  }
  return end;
}

typedef struct reader {
  const cli_names *names;
  const char *text; /* all of it */
  cli_panel *panel;
  int *series; /* how many there are in all panels */
} reader;

/* log( .. ) around all of it: what is inside, in place */
static bool take_log(char *text) {
  size_t n = strlen(text);
  if (n < 5 || strncmp(text, "log(", 4) != 0 || text[n - 1] != ')') return false;
  int depth = 0;
  for (size_t i = 3; i < n - 1; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return false; /* log(a)*b(c) */
  }
  char *inner = copy(text + 4, text + n - 1);
  strcpy(text, inner);
  free(inner);
  return true;
}

static char *own(const char *text) { return copy(text, text + strlen(text)); }

static const char *of(const char *const *list, int i) { return list && list[i] ? list[i] : ""; }

/* unit and description of a part that is a variable or its derivative */
static void describe(cli_series *s, int k, const cli_names *names) {
  bool rate;
  int i = cli_expression_column(s->part[k], &rate);
  const char *unit = i < 0 ? "" : of(names->unit, i), *shown = i < 0 ? "" : of(names->display, i);
  s->factor[k] = 1;
  s->offset[k] = 0;
  if (i >= 0 && !rate && k == 0 && !s->part[1]) s->description = of(names->description, i);
  /* a unit that cannot be converted to is not shown */
  if (!shown[0] || rate || !cli_unit_convert(unit, shown, &s->factor[k], &s->offset[k]))
    shown = unit;
  size_t size = strlen(shown) + 8;
  s->unit[k] = cli_take(size, 1);
  snprintf(s->unit[k], size, "%s%s", shown, rate && shown[0] ? "/s" : "");
}

/* a column is called by its name, without the quotes that it was requested with */
static void name_column(cli_series *s, int k, const cli_names *names) {
  bool rate;
  int i = cli_expression_column(s->part[k], &rate);
  if (i < 0 || rate) return;
  free(s->part_label[k]);
  s->part_label[k] = own(names->name[i]);
}

/* a list grows by one */
static cli_series *new_series(cli_panel *p) {
  p->series = realloc(p->series, ((size_t)p->count + 1) * sizeof *p->series);
  if (!p->series) exit(cli_fail(CLI_STOPPED, "out of memory"));
  cli_series *s = &p->series[p->count++];
  *s = (cli_series){.description = ""};
  return s;
}

int cli_panel_add(cli_panel *p, const cli_names *names, int n, const char *const *text) {
  cli_series *s = new_series(p);
  char label[3 * DAE_TEXT_MAX] = "";
  for (int k = 0; k < n; k++) {
    size_t used = strlen(label);
    snprintf(label + used, sizeof label - used, "%s%s", k ? ":" : "", text[k]);
    s->part_label[k] = own(text[k]);
    s->part[k] = cli_expression_read(text[k], names->count, names->name);
    if (!s->part[k]) return CLI_USAGE;
  }
  s->label = own(label);
  for (int k = 0; k < n; k++) describe(s, k, names);
  return CLI_OK;
}

void cli_panel_take(cli_panel *p, cli_panel *from) {
  for (int i = 0; i < from->count; i++) *new_series(p) = from->series[i];
  free(from->series);
  from->series = NULL;
  from->count = 0;
}

/* EXPRESSION[:EXPRESSION[:EXPRESSION]] */
static int read_series(reader *r, const char *from, const char *end, bool right) {
  cli_panel *p = r->panel;
  cli_series *s = new_series(p);
  int n = 0, code = CLI_OK;
  bool logarithmic[3] = {false};
  s->right = right;
  for (const char *at = from; code == CLI_OK; n++) {
    const char *next = find_mark(at, end, ':');
    if (n == 3)
      return cli_fail(CLI_USAGE, "option --show: '%.60s' has more than three coordinates", from);
    s->part_label[n] = copy(at, next);
    logarithmic[n] = take_log(s->part_label[n]);
    if (!s->part_label[n][0])
      return cli_fail(CLI_USAGE, "option --show: an expression is missing in '%.200s'", r->text);
    s->part[n] = cli_expression_read(s->part_label[n], r->names->count, r->names->name);
    if (!s->part[n]) return CLI_USAGE;
    if (next == end) break;
    at = next + 1;
  }
  n++;
  for (int k = 0; k < n; k++) name_column(s, k, r->names);
  s->label = n == 1 ? own(s->part_label[0]) : copy(from, end);
  for (int k = 0; k < n; k++) describe(s, k, r->names);
  if (p->dimensions && p->dimensions != n)
    return cli_fail(
        CLI_USAGE,
        "option --show: '%.60s' cannot share a panel with '%.60s': a panel has curves over "
        "time, paths a:b or paths a:b:c",
        s->label, p->series[0].label);
  p->dimensions = n;
  if (n > 1 && right)
    return cli_fail(CLI_USAGE, "option --show: a path has no second axis: '%.60s'", s->label);
  for (int k = 0; k < n && n > 1; k++) p->logarithmic[k] = p->logarithmic[k] || logarithmic[k];
  if (n == 1) *(right ? &p->log_right : &p->logarithmic[1]) |= logarithmic[0];
  return CLI_OK;
}

/* log(time) is no curve: it is how the axis of time shall be */
static bool time_axis(const reader *r, const char *from, const char *end) {
  char *text = copy(from, end);
  bool found = take_log(text) && (strcmp(text, "time") == 0 || strcmp(text, r->names->time) == 0);
  free(text);
  return found;
}

static int read_axis(reader *r, const char *from, const char *end, bool right, bool *log_time) {
  for (const char *at = from;;) {
    const char *next = find_mark(at, end, ',');
    bool axis_only = time_axis(r, at, next);
    if (!axis_only && ++*r->series > CLI_SERIES_MOST)
      return cli_fail(CLI_USAGE, "option --show: more than %d curves", CLI_SERIES_MOST);
    int code = axis_only ? CLI_OK : read_series(r, at, next, right);
    if (code != CLI_OK) return code;
    if (axis_only) *log_time = true;
    if (next == end) return CLI_OK;
    at = next + 1;
  }
}

static int count_marks(const char *from, const char *end, char mark) {
  int count = 0;
  for (const char *at = from; (at = find_mark(at, end, mark)) < end; at++) count++;
  return count;
}

static int read_panel(reader *r, const char *from, const char *end) {
  cli_panel *p = r->panel;
  bool log_time = false;
  p->title = own("");
  const char *slash = find_mark(from, end, '/');
  if (slash < end && find_mark(slash + 1, end, '/') < end)
    return cli_fail(CLI_USAGE, "option --show: a panel has two axes at most; a division is written "
                               "without blanks or in brackets");
  int code = read_axis(r, from, slash, false, &log_time);
  if (code == CLI_OK && slash < end) code = read_axis(r, slash + 1, end, true, &log_time);
  if (code != CLI_OK) return code;
  if (p->count == 0)
    return cli_fail(CLI_USAGE, "option --show: a panel shows nothing in '%.200s'", r->text);
  if (log_time && p->dimensions > 1)
    return cli_fail(CLI_USAGE, "option --show: a path has no axis of time; write log(time):%.60s",
                    p->series[0].label);
  if (log_time) p->logarithmic[0] = true;
  p->equal = p->dimensions > 1;
  for (int k = 0; k < p->dimensions; k++) p->equal = p->equal && !p->logarithmic[k];
  for (int k = 1; k < p->dimensions; k++)
    p->equal = p->equal && strcmp(cli_panel_unit(p, k, false), cli_panel_unit(p, 0, false)) == 0;
  return CLI_OK;
}

int cli_panels_read(cli_panels *p, const char *text, const cli_names *names) {
  const char *end = text + strlen(text);
  int wanted = count_marks(text, end, '|') + 1, series = 0, code = CLI_OK;
  *p = (cli_panels){.asked = true};
  if (wanted > CLI_PANELS_MOST)
    return cli_fail(CLI_USAGE, "option --show: %d panels exceed the limit of %d", wanted,
                    CLI_PANELS_MOST);
  p->panel = cli_take((size_t)wanted, sizeof *p->panel);
  for (const char *at = text; code == CLI_OK;) {
    const char *next = find_mark(at, end, '|');
    reader r = {.names = names, .text = text, .panel = &p->panel[p->count++], .series = &series};
    code = read_panel(&r, at, next);
    if (next == end) break;
    at = next + 1;
  }
  if (code != CLI_OK) cli_panels_free(p);
  return code;
}

void cli_panels_free(cli_panels *p) {
  for (int i = 0; i < p->count; i++) {
    cli_panel *a = &p->panel[i];
    for (int j = 0; j < a->count; j++) {
      for (int k = 0; k < 3; k++) {
        cli_expression_free(a->series[j].part[k]);
        free(a->series[j].part_label[k]);
        free(a->series[j].unit[k]);
      }
      free(a->series[j].label);
    }
    free(a->series);
    free(a->title);
  }
  free(p->panel);
  *p = (cli_panels){0};
}

double cli_series_value(const cli_series *s, int k, double t, const double *column) {
  return s->factor[k] * cli_expression_value(s->part[k], t, column) + s->offset[k];
}

bool cli_series_rates(const cli_series *s) {
  for (int k = 0; k < 3; k++)
    if (s->part[k] && cli_expression_rates(s->part[k])) return true;
  return false;
}

void cli_series_differentiate(const cli_series *s, const cli_piece *piece, double t,
                              double *column) {
  for (int k = 0; k < 3; k++)
    if (s->part[k] && cli_expression_rates(s->part[k]))
      cli_expression_differentiate(s->part[k], piece, t, column);
}

const char *cli_panel_unit(const cli_panel *p, int part, bool right) {
  const char *unit = NULL;
  for (int i = 0; i < p->count; i++) {
    const cli_series *s = &p->series[i];
    if (p->dimensions == 1 && s->right != right) continue;
    if (unit && strcmp(unit, s->unit[part]) != 0) return "";
    unit = s->unit[part];
  }
  return unit ? unit : "";
}
