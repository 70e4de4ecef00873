/* names of methods, forms, directions and stabilizers on the command line */
#include "cli.h"

#include <ctype.h>
#include <string.h>

static int unknown_name(const char *what, const char *key, const char *value,
                        const cli_near *near) {
  char text[DAE_TEXT_MAX];
  cli_near_text(near, text, sizeof text);
  if (!near->best) snprintf(text, sizeof text, "; 'daedal methods' lists them");
  return cli_fail(CLI_USAGE, "option --%s: unknown %s '%.60s'%s", key, what, value, text);
}

static int known_method(const char *name) {
  cli_near near = {.word = name};
  if (strcmp(name, "auto") == 0 || dae_method_find(name)) return CLI_OK;
  cli_near_offer(&near, "auto");
  for (int i = 0; dae_method_at(i); i++) cli_near_offer(&near, dae_method_at(i)->name);
  return unknown_name("method", "method", name, &near);
}

static int known_choice(const char *what, const char *key, const char *name,
                        const dae_choice *(*find)(const char *), const dae_choice *(*at)(int)) {
  cli_near near = {.word = name};
  if (strcmp(name, "auto") == 0 || find(name)) return CLI_OK;
  cli_near_offer(&near, "auto");
  for (int i = 0; at(i); i++) cli_near_offer(&near, at(i)->name);
  return unknown_name(what, key, name, &near);
}

/* unit:I,J,.. names coordinates by numbers; the solver checks their range */
static bool unit_list(const char *name) {
  if (strncmp(name, "unit:", 5) != 0 || !isdigit((unsigned char)name[5])) return false;
  return name[5 + strspn(name + 5, "0123456789,")] == '\0';
}

static int known_direction(const char *name, const dae_problem *p) {
  cli_near near = {.word = name};
  if (strcmp(name, "auto") == 0 || dae_direction_find(name) || unit_list(name)) return CLI_OK;
  for (int i = 0; i < p->n_direction; i++) {
    if (strcmp(p->direction[i].name, name) == 0) return CLI_OK;
    cli_near_offer(&near, p->direction[i].name);
  }
  cli_near_offer(&near, "auto");
  for (int i = 0; dae_direction_at(i); i++) cli_near_offer(&near, dae_direction_at(i)->name);
  return unknown_name("direction", "direction", name, &near);
}

int cli_options_names(const cli_settings *s, const dae_problem *p) {
  const dae_options *o = &s->options;
  int code = known_method(o->method);
  if (code == CLI_OK) code = known_choice("form", "form", o->form, dae_form_find, dae_form_at);
  if (code == CLI_OK) code = known_direction(o->direction, p);
  if (code == CLI_OK)
    code = known_choice("stabilizer", "stabilize", o->stabilize, dae_stabilizer_find,
                        dae_stabilizer_at);
  return code;
}
