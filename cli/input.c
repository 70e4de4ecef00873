/* --input NAME=FILE.csv: measured values of an input */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 1000, LINE_MAX_BYTES = 100000 };

typedef struct series {
  double *time, *value;
  int count, capacity;
} series;

static void add_point(series *s, double time, double value) {
  if (s->count == s->capacity) {
    int more = s->capacity ? 2 * s->capacity : 64;
    double *t = cli_take((size_t)more, sizeof *t), *v = cli_take((size_t)more, sizeof *v);
    if (s->count) memcpy(t, s->time, (size_t)s->count * sizeof *t);
    if (s->count) memcpy(v, s->value, (size_t)s->count * sizeof *v);
    free(s->time);
    free(s->value);
    s->time = t;
    s->value = v;
    s->capacity = more;
  }
  s->time[s->count] = time;
  s->value[s->count++] = value;
}

static void free_series(series *s) {
  free(s->time);
  free(s->value);
}

/* the fields of a line, without blanks and quotes around them; separators are , ; or a tab */
static int split(char *line, char **field) {
  int count = 0;
  char *at = line;
  while (count < COLUMNS_MAX) {
    size_t n = strcspn(at, ",;\t");
    char *next = at[n] ? at + n + 1 : NULL;
    at[n] = '\0';
    while (*at == ' ' || *at == '"') at++;
    size_t length = strlen(at);
    while (length && strchr(" \"\r\n", at[length - 1])) at[--length] = '\0';
    field[count++] = at;
    if (!next) break;
    at = next;
  }
  return count;
}

/* the column of `name` in the head; a table of two columns needs none */
static int find_column(char **field, int count, const char *name) {
  for (int k = 1; k < count; k++)
    if (strcmp(field[k], name) == 0) return k;
  return -1;
}

static int read_lines(FILE *in, const char *file, const char *name, series *s) {
  static char line[LINE_MAX_BYTES];
  static char *field[COLUMNS_MAX];
  int column = -1, number = 0;
  while (fgets(line, sizeof line, in)) {
    number++;
    if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0') continue;
    int count = split(line, field);
    double t, v;
    if (!cli_number(field[0], &t)) {
      if (s->count || column >= 0)
        return cli_fail(CLI_USAGE, "option --input: %s:%d: '%.40s' is not a time", file, number,
                        field[0]);
      column = find_column(field, count, name);
      if (column < 0 && count != 2)
        return cli_fail(CLI_USAGE, "option --input: %s has no column '%.60s'", file, name);
      if (column < 0) column = 1;
      continue;
    }
    if (column < 0 && count != 2)
      return cli_fail(CLI_USAGE,
                      "option --input: %s:%d: a table without column names has two columns: time "
                      "and value",
                      file, number);
    if (column < 0) column = 1;
    if (column >= count || !cli_number(field[column], &v))
      return cli_fail(CLI_USAGE, "option --input: %s:%d: there is not a number for '%.60s'", file,
                      number, name);
    add_point(s, t, v);
  }
  if (s->count == 0) return cli_fail(CLI_USAGE, "option --input: %s holds no values", file);
  return CLI_OK;
}

/* NAME=FILE.csv or NAME=NUMBER; *constant: no table */
static int read_input(const char *text, char *name, size_t size, series *s, bool *constant) {
  const char *equal = strchr(text, '=');
  double value;
  snprintf(name, size, "%.*s", (int)(equal - text), text);
  *constant = cli_number(equal + 1, &value);
  if (*constant) {
    add_point(s, 0, value);
    return CLI_OK;
  }
  errno = 0;
  FILE *in = fopen(equal + 1, "r");
  if (!in)
    return cli_fail(CLI_USAGE, "option --input: %s cannot be read: %s", equal + 1, strerror(errno));
  int code = read_lines(in, equal + 1, name, s);
  fclose(in);
  return code;
}

int cli_inputs_give(dae_model *m, const cli_settings *s) {
  int code = CLI_OK;
  for (int i = 0; i < s->n_input && code == CLI_OK; i++) {
    char name[DAE_TEXT_MAX];
    series data = {0};
    bool constant;
    code = read_input(s->input[i], name, sizeof name, &data, &constant);
    if (code == CLI_OK && dae_model_set_input(m, name, data.count, data.time, data.value) != DAE_OK)
      code = cli_fail(CLI_USAGE, "option --input %.80s: %s", s->input[i], dae_model_messages(m));
    free_series(&data);
  }
  return code;
}

int cli_inputs_cover(const cli_settings *s, double t0, double t1) {
  int code = CLI_OK;
  for (int i = 0; i < s->n_input && code == CLI_OK; i++) {
    char name[DAE_TEXT_MAX];
    series data = {0};
    bool constant;
    code = read_input(s->input[i], name, sizeof name, &data, &constant);
    double low = t0 < t1 ? t0 : t1, high = t0 < t1 ? t1 : t0;
    if (code == CLI_OK && !constant && (data.time[0] > low || data.time[data.count - 1] < high))
      code = cli_fail(CLI_USAGE,
                      "the values of the input %.60s go from %g to %g, the run from %g to %g: see "
                      "--start and --stop",
                      name, data.time[0], data.time[data.count - 1], low, high);
    free_series(&data);
  }
  return code;
}
