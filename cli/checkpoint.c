/*
 * --checkpoint, --resume: a run that was killed goes on, and its files, pictures and summary are
 * those of a run that was not.
 *
 *   mark | facts of the run | state of the command | rows of the table | state of the solver | sum
 */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[16] = "daedal run 1\n";
/* a checkpoint is not due before it is worth so many times what the last one cost */
static const double WORTH = 50;

static char *read_file(const char *name, size_t *size) {
  FILE *in = fopen(name, "rb");
  size_t room = 1 << 16;
  char *bytes = in ? cli_take(room, 1) : NULL;
  *size = 0;
  if (!in) return NULL;
  for (size_t n; (n = fread(bytes + *size, 1, room - *size, in)) > 0;) {
    *size += n;
    if (*size < room) continue;
    char *more = cli_take(2 * room, 1);
    memcpy(more, bytes, *size);
    free(bytes);
    bytes = more;
    room *= 2;
  }
  if (ferror(in)) {
    free(bytes);
    bytes = NULL;
  }
  fclose(in);
  return bytes;
}

/* ---- is it the same run? ---- */

/* one fact as a number; the name of the first that differs is kept */
static void fact(cli_state *s, const char *name, uint64_t value) {
  uint64_t here = value;
  cli_state_bytes(s, &value, sizeof value);
  if (!s->to && !s->failed && value != here && !s->differs) s->differs = name;
}

static uint64_t sum_of(const void *bytes, size_t count) {
  return cli_checksum(CLI_CHECKSUM_BEGIN, bytes, count);
}

static uint64_t sum_of_values(const cli_value *list, int count) {
  uint64_t sum = CLI_CHECKSUM_BEGIN;
  for (int i = 0; i < count; i++) {
    sum = cli_checksum(sum, list[i].name, strlen(list[i].name) + 1);
    sum = cli_checksum(sum, (const char *)&list[i].value, sizeof list[i].value);
  }
  return sum;
}

/* names, and the numbers that are there now */
static uint64_t sum_of_inputs(const cli_settings *o) {
  uint64_t sum = CLI_CHECKSUM_BEGIN;
  for (int i = 0; i < o->n_input; i++) {
    const char *value = strchr(o->input[i], '=') + 1;
    size_t size;
    char *table = read_file(value, &size);
    sum = cli_checksum(sum, o->input[i], strlen(o->input[i]) + 1);
    if (table) sum = cli_checksum(sum, table, size);
    free(table);
  }
  return sum;
}

/* names, and what is in the files now */
static uint64_t sum_of_external(const cli_settings *o) {
  uint64_t sum = cli_checksum_text(o->external);
  char path[1024];
  for (const char *at = o->external; at && *at;) {
    size_t n = strcspn(at, ":"), size;
    snprintf(path, sizeof path, "%.*s", (int)n, at);
    char *bytes = read_file(path, &size);
    if (bytes) sum = cli_checksum(sum, bytes, size);
    free(bytes);
    at += n + (at[n] == ':');
  }
  return sum;
}

static void facts(cli_state *s, const cli_session *a) {
  const cli_settings *o = &a->settings;
  const cli_model *m = &a->model;
  fact(s, "the model",
       m->text ? cli_checksum_text(dae_model_code(m->text)) : cli_checksum_text(m->name));
  fact(s, "--set", sum_of_values(o->set, o->n_set));
  fact(s, "--input", sum_of_inputs(o));
  fact(s, "--external", sum_of_external(o));
  fact(s, "--init or --guess", sum_of(m->z0, (size_t)m->nz * sizeof *m->z0));
  fact(s, "--start", sum_of(&a->result.t0, sizeof a->result.t0));
  fact(s, "--output", a->writing ? 1 + (uint64_t)a->table.json : 0);
  fact(s, "the output grid", a->grid ? 1 + sum_of(&a->spacing, sizeof a->spacing) : 0);
  fact(s, "--plot", a->record != NULL);
  /* the axis of the picture is the interval of the run */
  fact(s, "--stop", a->record ? sum_of(&a->result.t1, sizeof a->result.t1) : 0);
  fact(s, "--measure", cli_checksum_text(o->measure));
}

/* ---- the state of the command ---- */

static void state(cli_state *s, cli_session *a, cli_ivp_state *v) {
  cli_result *r = &a->result;
  cli_state_bytes(s, &a->grid_next, sizeof a->grid_next);
  cli_state_bytes(s, &r->seconds, sizeof r->seconds);
  cli_state_bytes(s, &r->moved, sizeof r->moved);
  cli_state_bytes(s, &r->rank, sizeof r->rank);
  cli_state_bytes(s, &r->rows, sizeof r->rows);
  cli_state_bytes(s, &r->output_points, sizeof r->output_points);
  cli_state_bytes(s, r->output_drift, sizeof r->output_drift);
  cli_state_bytes(s, &v->written, sizeof v->written);
  cli_state_bytes(s, &v->rounding_time, sizeof v->rounding_time);
  cli_state_bytes(s, &v->held, sizeof v->held);
  cli_state_bytes(s, v->z_start, (size_t)a->model.nz * sizeof *v->z_start);
  cli_error_state(s, &a->error, &a->model);
  if (a->record) cli_record_state(s, a->record);
  if (a->measures) cli_measures_state(s, a->measures);
  if (a->writing) cli_table_state(s, &a->table);
}

static void save_solver(cli_state *s, dae_solver *solver, const char **why) {
  size_t size = 0;
  dae_status status = dae_solver_save(solver, NULL, &size);
  void *bytes = status == DAE_OK ? cli_take(size, 1) : NULL;
  if (status == DAE_OK) status = dae_solver_save(solver, bytes, &size);
  if (status == DAE_OK) cli_state_bytes(s, bytes, size);
  else *why = dae_solver_report(solver)->message;
  free(bytes);
}

int cli_checkpoint_write(cli_session *a, cli_ivp_state *v, dae_solver *solver) {
  double begun = cli_clock();
  const char *why = NULL;
  cli_file file;
  int code = cli_file_open(&file, a->settings.checkpoint);
  if (code != CLI_OK) return code;
  cli_state s = {.to = file.stream, .sum = CLI_CHECKSUM_BEGIN};
  char mark[sizeof MARK];
  memcpy(mark, MARK, sizeof mark);
  cli_state_bytes(&s, mark, sizeof mark);
  facts(&s, a);
  state(&s, a, v);
  save_solver(&s, solver, &why);
  uint64_t sum = s.sum;
  cli_state_bytes(&s, &sum, sizeof sum);
  if (why) {
    cli_file_abandon(&file);
    return cli_fail(CLI_STOPPED, "--checkpoint: %s", why);
  }
  code = cli_file_commit(&file);
  double now = cli_clock();
  a->checkpoint_due = now + fmax(a->settings.checkpoint_every, WORTH * (now - begun));
  if (a->settings.checkpoint_every == 0) a->checkpoint_due = now;
  return code;
}

bool cli_checkpoint_due(const cli_session *a) {
  return a->settings.checkpoint && cli_clock() >= a->checkpoint_due;
}

/* ---- going on ---- */

/* the mark at the beginning, the checksum at the end */
static bool whole(const char *bytes, size_t size) {
  uint64_t sum;
  if (size < sizeof MARK + sizeof sum) return false;
  memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
  return sum == cli_checksum(CLI_CHECKSUM_BEGIN, bytes, size - sizeof sum);
}

/* facts and the state of the command; what is left of the bytes is that of the solver */
static int go_on(cli_session *a, cli_ivp_state *v, cli_state *s) {
  const char *name = a->settings.resume;
  facts(s, a);
  if (s->differs)
    return cli_fail(CLI_USAGE, "%s is a checkpoint of another run: %s differs", name, s->differs);
  state(s, a, v);
  return s->failed ? cli_fail(CLI_FILE, "%s is an incomplete checkpoint", name) : CLI_OK;
}

int cli_checkpoint_read(cli_session *a, cli_ivp_state *v, cli_state *s) {
  const char *name = a->settings.resume;
  size_t size;
  errno = 0;
  char *bytes = read_file(name, &size);
  if (!bytes) return cli_fail(CLI_FILE, "cannot read %s: %s", name, strerror(errno ? errno : EIO));
  *s = (cli_state){.bytes = bytes};
  if (size < sizeof MARK || memcmp(bytes, MARK, sizeof MARK) != 0)
    return cli_fail(CLI_FILE, "%s is not a checkpoint of 'daedal run'", name);
  if (!whole(bytes, size)) return cli_fail(CLI_FILE, "%s is truncated or damaged", name);
  s->from = bytes + sizeof MARK;
  s->left = size - sizeof MARK - sizeof(uint64_t);
  return go_on(a, v, s);
}
