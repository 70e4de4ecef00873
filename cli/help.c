/* daedal help: the overview, or one topic: a command, an option, a method, a form, .., a status */
#include "cli.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static void overview(void) {
  printf(
      "daedal %s: differential-algebraic equations of high index, solved on their constraints\n\n",
      dae_version());
  for (int i = 0; cli_command_at(i); i++) {
    const cli_command *c = cli_command_at(i);
    char usage[DAE_NAME_MAX];
    snprintf(usage, sizeof usage, "%s %s", c->name, c->arguments);
    printf("  daedal %-24s %s\n", usage, c->meaning);
  }
  printf("\nfirst steps:\n"
         "  daedal run pendulum                          solve a gallery problem\n"
         "  daedal run slider-crank --tol 1e-10 --plot crank.svg\n"
         "  daedal run pendulum --stop 100 --output pendulum.csv --points 1001\n"
         "  daedal check andrews                         index, rank, conditioning, advice\n"
         "\n'daedal help run' lists the options, 'daedal help TOPIC' explains one option, method, "
         "form,\n"
         "direction, stabilizer or status, 'daedal help statuses' lists all statuses;\n"
         "'daedal help form', method, tolerance, lambda, rank, start, events explain the ideas.\n");
}

static void option_lines(int mask) {
  for (int i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    char usage[DAE_NAME_MAX];
    if (!(o->commands & mask)) continue;
    snprintf(usage, sizeof usage, "--%s %s", o->key, o->argument ? o->argument : "");
    printf("  %-24s %s\n", usage, o->meaning);
  }
  for (int i = 0; cli_key_at(i); i++) {
    char usage[DAE_NAME_MAX];
    const char *type = dae_option_type(i), *value = cli_default_at(i);
    const char *argument = strcmp(type, "REAL") == 0    ? "R"
                           : strcmp(type, "COUNT") == 0 ? "N"
                           : strcmp(type, "NAME") == 0  ? "NAME"
                           : strcmp(type, "WORD") == 0  ? "WORD"
                                                        : "";
    snprintf(usage, sizeof usage, "--%s %s", cli_key_at(i), argument);
    printf("  %-24s %s%s%s%s\n", usage, dae_option_meaning(i), value[0] ? " [" : "", value,
           value[0] ? "]" : "");
  }
  printf("\n--no-NAME switches a flag off. The values in [] are the defaults.\n");
}

static void exit_codes(void) {
  printf(
      "\nexit codes: 0 solved; 2 unknown option, name or value; 3 the run stopped early (what was\n"
      "computed is written, the report says why); 4 error in a model; 5 a file could not be "
      "written\n");
}

/* the mask of a command that has options, 0 for the others */
static int options_of(const char *command) {
  if (strcmp(command, "run") == 0) return CLI_FOR_RUN;
  if (strcmp(command, "check") == 0) return CLI_FOR_CHECK;
  return strcmp(command, "sweep") == 0 ? CLI_FOR_SWEEP : 0;
}

static void sweep_text(void) {
  printf(
      "\n--set, --init and --guess take NAME=FIRST:LAST:COUNT too: COUNT evenly spaced values, "
      "both ends\n"
      "included. Every combination is one run; --output FILE.csv gets one line for each: its "
      "values, how\n"
      "it ended, and all variables at the end, as 'daedal run' computes them. A run that fails is "
      "one of\n"
      "the lines. What is finished is kept in FILE.csv.journal: after a kill the same command "
      "continues.\n"
      "  daedal sweep pendulum --set g=5:15:1001 --init y=0 --output pendulum.csv\n"
      "--design takes points in ranges NAME=FIRST:LAST instead of a grid. --shard computes a part, "
      "on\n"
      "any machine; 'daedal merge' puts the parts together.\n"
      "  daedal sweep pendulum --set g=5:15 --design sobol:1024 --shard 1/4 --output part1.csv\n");
}

static void plot_text(void) {
  printf("\nFILE is csv or json written by 'daedal run --output', any other csv, or the table "
         "of a\n"
         "sweep. Several runs are drawn over each other. --show says what is drawn, as in 'daedal "
         "run':\n"
         "panels are separated by |, a second axis by / with blanks around it; a:b and a:b:c are "
         "paths,\n"
         "log(a) and log(time) logarithmic axes, and expressions may hold der(x). OUT ends in "
         ".svg, .png\n"
         "or .pdf.\n"
         "  daedal plot a.csv b.csv --show \"x, y / lambda | x:y\" --plot both.svg\n");
}

static bool help_command(const char *topic) {
  for (int i = 0; cli_command_at(i); i++) {
    const cli_command *c = cli_command_at(i);
    if (strcmp(c->name, topic) != 0) continue;
    printf("daedal %s %s\n  %s\n", c->name, c->arguments, c->meaning);
    int mask = options_of(topic);
    if (strcmp(topic, "plot") == 0) plot_text();
    if (mask) {
      if (mask == CLI_FOR_SWEEP) sweep_text();
      printf("\nMODEL is a name of the gallery ('daedal list') or a .mo file. Options:\n");
      option_lines(mask);
      exit_codes();
    }
    return true;
  }
  return false;
}

static bool help_option(const char *topic) {
  const char *key = strncmp(topic, "--", 2) == 0 ? topic + 2 : topic;
  for (int i = 0; cli_option_at(i); i++) {
    const cli_option *o = cli_option_at(i);
    if (strcmp(o->key, key) != 0) continue;
    printf("--%s %s\n  %s\n", o->key, o->argument ? o->argument : "", o->meaning);
    return true;
  }
  for (int i = 0; cli_key_at(i); i++) {
    const char *value = cli_default_at(i);
    if (strcmp(cli_key_at(i), key) != 0) continue;
    printf("--%s\n  %s\n  default: %s\n", key, dae_option_meaning(i), value[0] ? value : "(empty)");
    return true;
  }
  return false;
}

static bool help_method(const char *topic) {
  const dae_method *m = dae_method_find(topic);
  if (!m) return false;
  printf("method %s: order %d (multipliers %d), stage order %d, %d stages, %s", m->name, m->order,
         m->order_y, m->stage_order, m->stages, m->implicit ? "implicit" : "explicit");
  if (!isnan(m->r_infinity)) printf(", |R(infinity)| = %.3g", m->r_infinity);
  printf("\n  %s\n", m->when ? m->when : "");
  if (m->estimate) printf("  error control with an estimate of order %d\n", m->estimate);
  else printf("  fixed step only: give --step H\n");
  return true;
}

static bool help_choice(const char *what, const dae_choice *c) {
  if (!c) return false;
  printf("%s %s\n", what, c->name);
  if (c->formula && c->formula[0]) printf("  %s\n", c->formula);
  if (c->source && c->source[0]) printf("  source: %s\n", c->source);
  if (c->when && c->when[0]) printf("  %s\n", c->when);
  return true;
}

static const int status_value[] = {
#define STATUS_VALUE(constant, value, name, meaning, advice) value,
    DAE_STATUS_LIST(STATUS_VALUE)
#undef STATUS_VALUE
};

enum { STATUS_COUNT = sizeof status_value / sizeof *status_value };

static void status_line(int status) {
  printf("%s (%d)\n  %s\n", dae_status_name(status), status, dae_status_meaning(status));
  if (dae_status_advice(status)[0]) printf("  %s\n", dae_status_advice(status));
}

static bool help_status(const char *topic) {
  bool all = strcmp(topic, "statuses") == 0, found = false;
  for (int i = 0; i < STATUS_COUNT; i++) {
    if (!all && strcasecmp(dae_status_name(status_value[i]), topic) != 0) continue;
    status_line(status_value[i]);
    found = true;
  }
  return found;
}

static int unknown_topic(const char *topic) {
  char text[DAE_TEXT_MAX];
  cli_near near = {.word = topic};
  for (int i = 0; cli_command_at(i); i++) cli_near_offer(&near, cli_command_at(i)->name);
  for (int i = 0; cli_option_at(i); i++) cli_near_offer(&near, cli_option_at(i)->key);
  for (int i = 0; cli_key_at(i); i++) cli_near_offer(&near, cli_key_at(i));
  for (int i = 0; dae_method_at(i); i++) cli_near_offer(&near, dae_method_at(i)->name);
  for (int i = 0; dae_form_at(i); i++) cli_near_offer(&near, dae_form_at(i)->name);
  for (int i = 0; dae_direction_at(i); i++) cli_near_offer(&near, dae_direction_at(i)->name);
  for (int i = 0; dae_stabilizer_at(i); i++) cli_near_offer(&near, dae_stabilizer_at(i)->name);
  for (int i = 0; i < STATUS_COUNT; i++) cli_near_offer(&near, dae_status_name(status_value[i]));
  for (int i = 0; gallery_at(i); i++) cli_near_offer(&near, gallery_at(i)->name);
  cli_topic_offer(&near);
  cli_near_text(&near, text, sizeof text);
  return cli_fail(CLI_USAGE, "no help on '%.60s'%s", topic,
                  near.best ? text : "; 'daedal help' lists the topics");
}

int cli_help(int argc, char **argv) {
  char topic[DAE_TEXT_MAX] = "";
  if (argc == 0) {
    overview();
    return CLI_OK;
  }
  /* a status may be two words: help rank deficient */
  for (int i = 0; i < argc; i++) {
    size_t n = strlen(topic);
    snprintf(topic + n, sizeof topic - n, "%s%s", i ? " " : "", argv[i]);
  }
  /* one word may be several things (project is an option and a stabilizer): all of them are told */
  int found = cli_topic_help(topic);
  found += help_command(topic);
  found += help_option(topic);
  found += help_method(topic);
  found += help_choice("form", dae_form_find(topic));
  found += help_choice("direction", dae_direction_find(topic));
  found += help_choice("stabilizer", dae_stabilizer_find(topic));
  found += help_status(topic);
  if (!found && gallery_find(topic)) return cli_show(1, (char *[]){topic});
  return found ? CLI_OK : unknown_topic(topic);
}
