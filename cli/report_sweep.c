/* the page of a sweep, made from its table */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { MOST_RUNS = 20000, MOST_COLUMNS = 80, MOST_MESSAGES = 500, MOST_STATES = 60 };

/* the fields of a line of csv, cut in place; returns how many */
static int cut(char *line, char **field, int most) {
  int count = 0;
  char *to = line;
  for (char *from = line; from && count < most;) {
    field[count++] = to;
    bool quoted = *from == '"';
    from += quoted;
    for (;; from++) {
      if (quoted && from[0] == '"' && from[1] == '"') from++;
      else if (quoted && *from == '"') {
        quoted = false;
        continue;
      }
      if (!*from || *from == '\n' || (!quoted && *from == ',')) break;
      *to++ = *from;
    }
    from = *from == ',' ? from + 1 : NULL;
    *to++ = '\0';
  }
  return count;
}

typedef struct pages {
  cli_sweep_again *again;
  const void *sweep;
  const cli_settings *settings;
  int varied;   /* columns 1 .. varied */
  int count;    /* fields of a line */
  int n_column; /* numbers of a run that are in the page */
  int *place;   /* their fields */
  char **name;
  cli_store runs;
  long members, stride;
  int n_state;
  char *state[MOST_STATES];
  int *state_of; /* by stored run */
  int n_message;
  struct {
    long row;
    char *text;
  } message[MOST_MESSAGES];
} pages;

static char *copy(const char *text) {
  char *kept = cli_take(strlen(text) + 1, 1);
  return strcpy(kept, text);
}

/* which fields are numbers: all but the status, which comes behind what varies, and the message at
   the end */
static void take_header(pages *p, char *line) {
  size_t most = 2;
  for (const char *c = line; *c; c++) most += *c == ',';
  char **field = cli_take(most, sizeof *field);
  p->count = cut(line, field, (int)most);
  p->place = cli_take(most, sizeof *p->place);
  p->name = cli_take(most, sizeof *p->name);
  for (int i = 0; i < p->count - 1 && p->n_column < MOST_COLUMNS; i++) {
    if (i == p->varied + 1) continue;
    p->place[p->n_column] = i;
    p->name[p->n_column++] = copy(field[i]);
  }
  free(field);
}

static int state_number(pages *p, const char *text) {
  for (int i = 0; i < p->n_state; i++)
    if (strcmp(p->state[i], text) == 0) return i;
  if (p->n_state == MOST_STATES) return MOST_STATES - 1;
  p->state[p->n_state] = copy(text);
  return p->n_state++;
}

static void take_run(pages *p, char *line) {
  char **field = cli_take((size_t)p->count + 1, sizeof *field);
  double value[MOST_COLUMNS];
  int count = cut(line, field, p->count);
  for (int i = 0; i < p->n_column; i++) {
    const char *text = p->place[i] < count ? field[p->place[i]] : "";
    value[i] = text[0] ? strtod(text, NULL) : NAN;
  }
  long row = p->runs.rows;
  if (count > p->varied + 1) p->state_of[row] = state_number(p, field[p->varied + 1]);
  if (count == p->count && field[count - 1][0] && p->n_message < MOST_MESSAGES) {
    p->message[p->n_message].row = row;
    p->message[p->n_message++].text = copy(field[count - 1]);
  }
  cli_store_add(&p->runs, value[0], value);
  free(field);
}

static int read_table(pages *p, const char *file) {
  char *line = NULL;
  size_t room = 0;
  FILE *in = fopen(file, "r");
  if (!in) return cli_fail(CLI_FILE, "cannot read %s: %s", file, strerror(errno));
  bool header = false;
  for (long row = 0; getline(&line, &room, in) > 0;) {
    if (line[0] == '#') continue; /* of a shard */
    if (!header) {
      take_header(p, line);
      cli_store_init(&p->runs, p->n_column, 40000000); /* room for all that come */
      header = true;
      continue;
    }
    if (row++ % p->stride == 0 && p->runs.rows < MOST_RUNS - 1) take_run(p, line);
  }
  free(line);
  fclose(in);
  return CLI_OK;
}

static void list_json(cli_json *j, const char *key, int from, int to) {
  cli_json_raw(j, key);
  fputc('[', j->out);
  for (int i = from; i < to; i++) fprintf(j->out, "%s%d", i > from ? "," : "", i);
  fputc(']', j->out);
}

static void states_json(cli_json *j, const pages *p) {
  cli_json_open(j, "status", '[');
  for (int i = 0; i < p->n_state; i++) cli_json_text(j, NULL, p->state[i]);
  cli_json_close(j, ']');
  cli_json_raw(j, "status_of");
  fputc('[', j->out);
  for (long i = 0; i < p->runs.rows; i++) fprintf(j->out, "%s%d", i ? "," : "", p->state_of[i]);
  fputc(']', j->out);
  cli_json_open(j, "messages", '[');
  for (int i = 0; i < p->n_message; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_count(j, "row", p->message[i].row);
    cli_json_text(j, "text", p->message[i].text);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/*
 * The curves of members, evenly chosen: as many as CURVES numbers allow, each having about
 * MEMBER_POINTS points, and no longer than SECONDS.
 */
static void curves_json(cli_json *j, const pages *p) {
  enum { CURVES = 400000, MEMBER_POINTS = 200, SECONDS = 10 };
  long rows = p->runs.rows, most = CURVES / (MEMBER_POINTS * (long)p->n_column) + 1;
  long count = rows < most ? rows : most;
  double begun = cli_clock();
  cli_json_open(j, "curves", '[');
  for (long k = 0; k < count && cli_clock() - begun < SECONDS && !cli_interrupted(); k++) {
    long row = count > 1 ? k * (rows - 1) / (count - 1) : 0;
    p->again(p->sweep, (long)p->runs.value[row * p->n_column], j);
  }
  cli_json_close(j, ']');
}

static void sweep_json(FILE *out, const pages *p) {
  cli_json json = {.out = out}, *j = &json;
  char title[DAE_TEXT_MAX], lead[DAE_TEXT_MAX];
  snprintf(title, sizeof title, "Sweep of %.200s", p->settings->model);
  snprintf(lead, sizeof lead, "%ld runs over %d parameter%s", p->members, p->varied,
           p->varied == 1 ? "" : "s");
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "page", "sweep");
  cli_json_text(j, "name", p->settings->model);
  cli_json_text(j, "title", title);
  cli_json_text(j, "lead", lead);
  cli_command_json(j, p->settings, "sweep");
  cli_json_count(j, "members", p->members);
  list_json(j, "varied", 1, 1 + p->varied);
  /* behind them: time, steps, drift, measures, values at the end; the last two come first */
  int first = p->n_column > p->varied + 4 ? p->varied + 4 : p->varied + 1;
  list_json(j, "results", first, p->n_column);
  states_json(j, p);
  cli_store_open(j, "runs", &p->runs);
  for (int i = 0; i < p->n_column; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", p->name[i]);
    cli_store_column(j, &p->runs, i, false);
    cli_json_close(j, '}');
  }
  cli_store_close(j);
  curves_json(j, p);
  cli_json_close(j, '}');
}

int cli_sweep_report(const cli_settings *s, int varied, long members, cli_sweep_again *again,
                     const void *sweep) {
  pages p = {.settings = s, .varied = varied, .members = members, .again = again, .sweep = sweep};
  p.stride = (members + MOST_RUNS - 2) / (MOST_RUNS - 1);
  if (p.stride < 1) p.stride = 1;
  p.state_of = cli_take(MOST_RUNS, sizeof *p.state_of);
  int code = read_table(&p, s->output);
  if (code == CLI_OK) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
    sweep_json(out, &p);
    if (fclose(out) != 0) exit(cli_fail(CLI_STOPPED, "out of memory"));
    code = cli_page_write(s->report, s->model, text, size);
    free(text);
  }
  for (int i = 0; i < p.n_column; i++) free(p.name[i]);
  for (int i = 0; i < p.n_state; i++) free(p.state[i]);
  for (int i = 0; i < p.n_message; i++) free(p.message[i].text);
  cli_store_free(&p.runs);
  free(p.name);
  free(p.place);
  free(p.state_of);
  return code;
}
