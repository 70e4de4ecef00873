/* a .mo file becomes a problem */
#include "cli.h"

#include <string.h>

/* what the library says about a text is complete already: place, source line, caret */
static int bad_text(const cli_model *m, dae_status status) {
  fputs(dae_model_messages(m->text), stderr);
  return status == DAE_E_MEMORY ? CLI_STOPPED : CLI_MODEL;
}

/* "m[2]" belongs to the parameter m */
static int known_parameter(const cli_model *m, const char *name) {
  char text[DAE_TEXT_MAX];
  cli_near near = {.word = name};
  size_t length = strcspn(name, "[");
  for (int i = 0; dae_model_parameter_name(m->text, i); i++) {
    const char *known = dae_model_parameter_name(m->text, i);
    if (strcmp(known, name) == 0 || (strncmp(known, name, length) == 0 && !known[length]))
      return CLI_OK;
    cli_near_offer(&near, known);
  }
  return cli_fail(CLI_USAGE, "option --set: %s has no parameter '%.60s'%s", m->name, name,
                  cli_near_text(&near, text, sizeof text));
}

static bool in_problem(const dae_problem *p, const char *name) {
  char text[DAE_NAME_MAX];
  for (int i = 0; i < dae_problem_nz(p); i++)
    if (strcmp(dae_problem_z_name(p, i, text, sizeof text), name) == 0) return true;
  return false;
}

/* initial values of variables that are formulas of others become conditions: the model is built
   again */
static dae_status start_values(cli_model *m, const cli_settings *s) {
  bool again = false;
  for (int k = 0; k < s->n_init; k++) {
    const cli_value *v = &s->init[k];
    if (in_problem(dae_model_problem(m->text), v->name)) continue;
    for (int i = 0; i < dae_model_variables(m->text); i++) {
      if (strcmp(dae_model_variable_name(m->text, i), v->name) != 0) continue;
      dae_model_set_start(m->text, v->name, v->value, v->held);
      again = true;
      break;
    }
  }
  return again ? dae_model_build(m->text) : DAE_OK;
}

/* large models take their time */
static dae_status build(cli_model *m, const cli_settings *s) {
  char text[DAE_NAME_MAX];
  cli_ticker ticker;
  snprintf(text, sizeof text, "reading %.50s", s->model);
  cli_ticker_begin(&ticker, s->quiet, s->progress, text);
  dae_status status = dae_model_build(m->text);
  if (status == DAE_OK) status = start_values(m, s);
  cli_ticker_end(&ticker);
  return status;
}

int cli_model_read(cli_model *m, const cli_settings *s) {
  dae_model_options o = {.log = s->options.log,
                         .model_memory = s->model_memory,
                         .model_seconds = s->model_seconds,
                         .external = s->external,
                         .model = s->model_name};
  dae_status status = dae_model_read_file(&m->text, s->model, &o);
  for (int i = 0; status == DAE_OK && i < s->n_set; i++) {
    if (known_parameter(m, s->set[i].name) != CLI_OK) return CLI_USAGE;
    status = dae_model_set(m->text, s->set[i].name, s->set[i].value);
  }
  if (status == DAE_OK && s->has_start) status = dae_model_set_time(m->text, s->start);
  if (status == DAE_OK && cli_inputs_give(m->text, s) != CLI_OK) return CLI_USAGE;
  if (status == DAE_OK) status = build(m, s);
  if (status != DAE_OK) return bad_text(m, status);
  if (!s->quiet) fputs(dae_model_messages(m->text), stderr); /* warnings */
  if (dae_model_interpreted(m->text) && !s->quiet)
    fprintf(stderr, "daedal: note: %s\n", dae_model_interpreted(m->text));
  m->owned = (dae_problem *)dae_model_problem(m->text);
  return CLI_OK;
}
