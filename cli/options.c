/* the command line: the library's option keys and those that only the command knows */
#include "cli.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum {
  RUN = CLI_FOR_RUN,
  BOTH = CLI_FOR_RUN | CLI_FOR_CHECK,
  SWEEP = CLI_FOR_SWEEP,
  ALL = BOTH | CLI_FOR_SWEEP
};

typedef enum only {
  START,
  STOP,
  TOL,
  SET,
  INIT,
  GUESS,
  OUTPUT,
  EVERY,
  POINTS,
  STEPS,
  PLOT,
  SHOW,
  REPORT,
  ANIMATE,
  JSON,
  DETAILS,
  PROGRESS,
  QUIET,
  LOG,
  EMIT_C,
  JOBS,
  SHARD,
  DESIGN,
  SEED,
  MEASURE,
  MPI,
  INPUT,
  MODEL_NAME,
  EXTERNAL,
  CHECKPOINT,
  CHECKPOINT_EVERY,
  RESUME,
  MODEL_MEMORY,
  MODEL_SECONDS,
  ONLY_COUNT
} only;

static const cli_option only_table[ONLY_COUNT] = {
    [START] = {"start", "T0", "start time; default: the model's", ALL},
    [STOP] = {"stop", "T1", "stop time; default: the model's", ALL},
    [TOL] = {"tol", "R", "relative and absolute tolerance at once", ALL},
    [SET] = {"set", "NAME=VALUE", "value of a parameter; repeatable", ALL},
    [INIT] = {"init", "NAME=VALUE", "initial value, which the consistent start keeps; repeatable",
              ALL},
    [GUESS] = {"guess", "NAME=VALUE",
               "initial value that the consistent start may move; repeatable", ALL},
    [OUTPUT] = {"output", "FILE",
                "write the solution: .csv, .json, or - for csv on standard output", RUN | SWEEP},
    [EVERY] = {"every", "DT", "output at t0, t0+DT, .. and at the stop time", RUN},
    [POINTS] = {"points", "N", "output at N evenly spaced times, both ends included", RUN},
    [STEPS] = {"steps", NULL, "output at the accepted steps themselves", RUN},
    [PLOT] = {"plot", "FILE", "picture of solution, drift and step sizes: .svg, .png or .pdf",
              RUN | SWEEP},
    [SHOW] = {"show", "\"PANELS\"",
              "what the picture shows, \"tau1,tau2 | q1 / log(F) | hx:hy\": panels |, second axis "
              "/, paths :",
              RUN | SWEEP},
    [REPORT] = {"report", "FILE",
                "a page of the whole run for a browser: .html; or its data: .json", RUN | SWEEP},
    [ANIMATE] = {"animate", "FILE.html", "the motion of the mechanism as a page", RUN},
    [JSON] = {"json", NULL, "summary as json on standard output", BOTH},
    [DETAILS] = {"details", NULL, "all figures of the diagnosis, in the notation of the literature",
                 CLI_FOR_CHECK},
    [PROGRESS] = {"progress", NULL,
                  "show progress at once, even when standard error is not a terminal", RUN | SWEEP},
    [QUIET] = {"quiet", NULL, "no summary and no progress; errors are still printed", RUN | SWEEP},
    [EMIT_C] = {"emit-c", NULL, "show the C code made from a .mo file, and stop", RUN},
    [JOBS] = {"jobs", "N", "number of parallel runs; default: the number of processors", SWEEP},
    [SHARD] = {"shard", "I/N", "only part I of N; 'daedal merge' puts the parts together", SWEEP},
    [DESIGN] = {"design", "KIND",
                "grid, or N points in ranges FIRST:LAST: random:N, lhs:N (Latin hypercube), "
                "sobol:N",
                SWEEP},
    [SEED] = {"seed", "S", "of a design's random numbers; default: 1", SWEEP},
    [MEASURE] = {"measure", "\"NAME=..\"",
                 "quantities of a run, \"peak=max(abs(F)), t1=time(x<0)\": max, min, mean, "
                 "integral, start, end, time",
                 RUN | SWEEP},
    [MPI] = {"mpi", NULL, "under mpiexec: parts go to the ranks as they become free", SWEEP},
    [INPUT] =
        {"input", "NAME=FILE.csv",
         "values of an input: a number, or a table with times in its first column; repeatable",
         ALL},
    [MODEL_NAME] = {"model", "NAME", "which model of a file that holds several", ALL},
    [EXTERNAL] = {"external", "FILE",
                  "a library (.so) or C source whose functions the model may call; repeatable",
                  ALL},
    [CHECKPOINT] = {"checkpoint", "FILE",
                    "save the state of the run to this file, from which --resume continues", RUN},
    [CHECKPOINT_EVERY] = {"checkpoint-every", "S",
                          "seconds between checkpoints; 0: after every step; default: 60", RUN},
    [RESUME] = {"resume", "FILE",
                "continue from a checkpoint; the result is the same as without the interruption",
                RUN},
    [MODEL_MEMORY] = {"model-memory", "MB",
                      "memory that the analysis of a .mo file may take; default: 300 and more",
                      ALL},
    [MODEL_SECONDS] = {"model-seconds", "S",
                       "processor time that its analysis may take; default: 5 and more for long "
                       "files",
                       ALL},
    [LOG] = {"log", "LEVEL", "log lines on standard error: error, warn, info, debug", ALL},
};

const cli_option *cli_option_at(int i) { return i >= 0 && i < ONLY_COUNT ? &only_table[i] : NULL; }

/* the library writes keys as C names; each is turned into its typed form once */
const char *cli_key_at(int i) {
  enum { MOST = 128 };
  static char key[MOST][DAE_NAME_MAX];
  const char *name = i < MOST ? dae_option_key(i) : NULL;
  if (!name) return NULL;
  snprintf(key[i], sizeof key[i], "%s", name);
  for (char *c = key[i]; *c; c++)
    if (*c == '_') *c = '-';
  return key[i];
}

const char *cli_default_at(int i) {
  static char text[DAE_NAME_MAX];
  const char *value = dae_option_default(i);
  size_t length = value ? strlen(value) : 0;
  bool quoted = length >= 2 && value[0] == '"';
  snprintf(text, sizeof text, "%.*s", (int)(quoted ? length - 2 : length),
           quoted ? value + 1 : value);
  return text;
}

/* what is being read: one argument after the other */
typedef struct reader {
  cli_settings *s;
  const char *command;
  int mask, argc, at;
  char **argv;
  unsigned char *seen; /* flags: the library's keys, then ours */
  const char *rtol, *atol;
  const char *tol;
} reader;

static void log_line(dae_log_level level, const char *text, void *ctx) {
  static const char *const name[] = {"error", "warning", "info", "debug"};
  (void)ctx;
  fprintf(stderr, "daedal: %s: %s\n", name[level], text);
}

static int unknown_option(const reader *r, const char *key) {
  char text[DAE_TEXT_MAX], name[DAE_NAME_MAX];
  cli_near near = {.word = key};
  for (int i = 0; cli_key_at(i); i++) cli_near_offer(&near, cli_key_at(i));
  for (int i = 0; i < ONLY_COUNT; i++)
    if (only_table[i].commands & r->mask) cli_near_offer(&near, only_table[i].key);
  cli_near_text(&near, text, sizeof text);
  /* the reader of the message wants the option as it must be typed */
  if (near.best) snprintf(text, sizeof text, "; did you mean '--%s'?", near.best);
  else snprintf(text, sizeof text, "; 'daedal help %s' lists the options", r->command);
  snprintf(name, sizeof name, "%s", key);
  return cli_fail(CLI_USAGE, "unknown option '--%s'%s", name, text);
}

static int bad_value(const char *key, const char *value, const char *wanted) {
  return cli_fail(CLI_USAGE, "option --%s: '%.60s' is not %s", key, value, wanted);
}

/* a:b:n, n values from a to b; a:b, a range of which a design takes values */
static bool read_range(const char *text, cli_value *v) {
  char part[DAE_NAME_MAX];
  const char *first = strchr(text, ':'), *second = first ? strchr(first + 1, ':') : NULL;
  if (!first || strlen(text) >= sizeof part) return false;
  strcpy(part, text);
  part[first - text] = '\0';
  if (second) part[second - text] = '\0';
  if (!cli_number(part, &v->value)) return false;
  if (!cli_number(part + (first - text) + 1, &v->last)) return false;
  v->count = -1;
  return !second || (cli_count(second + 1, &v->count) && v->count > 0);
}

/* I/N */
static bool read_shard(const char *text, cli_settings *s) {
  char part[DAE_NAME_MAX];
  const char *slash = strchr(text, '/');
  if (!slash || strlen(text) >= sizeof part) return false;
  strcpy(part, text);
  part[slash - text] = '\0';
  return cli_count(part, &s->shard) && cli_count(slash + 1, &s->shards) && s->shard >= 1 &&
         s->shard <= s->shards;
}

static int read_pair(const reader *r, cli_value *list, int *count, const char *key,
                     const char *text, bool held) {
  const char *equal = strchr(text, '=');
  if (!equal || equal == text) return bad_value(key, text, "of the kind NAME=VALUE");
  cli_value *v = &list[*count];
  bool sweep = r->mask & CLI_FOR_SWEEP;
  if (!(sweep && read_range(equal + 1, v)) && !cli_number(equal + 1, &v->value))
    return bad_value(key, text,
                     sweep ? "NAME=VALUE, NAME=FIRST:LAST:COUNT or (of a design) NAME=FIRST:LAST "
                             "with finite numbers"
                           : "NAME=VALUE with a finite number");
  size_t length = (size_t)(equal - text);
  char *name = cli_take(length + 1, 1);
  memcpy(name, text, length);
  v->name = name;
  v->held = held;
  ++*count;
  return CLI_OK;
}

static int read_log(dae_options *o, const char *value) {
  static const char *const name[] = {"error", "warn", "info", "debug"};
  for (int i = 0; i < 4; i++) {
    if (strcmp(value, name[i]) != 0) continue;
    o->log.line = log_line;
    o->log.level = (dae_log_level)i;
    return CLI_OK;
  }
  return bad_value("log", value, "one of error, warn, info, debug");
}

static int read_input(cli_settings *s, const char *key, const char *value) {
  if (!strchr(value, '=') || value[0] == '=')
    return bad_value(key, value, "of the kind NAME=FILE.csv or NAME=NUMBER");
  s->input[s->n_input++] = value;
  return CLI_OK;
}

/* files one after the other, as the library wants them */
static int read_external(cli_settings *s, const char *key, const char *value) {
  if (strchr(value, ':') || !value[0])
    return bad_value(key, value, "a file without ':' in its name");
  size_t old = s->external ? strlen(s->external) : 0, size = old + strlen(value) + 2;
  char *text = cli_take(size, 1);
  snprintf(text, size, "%s%s%s", old ? s->external : "", old ? ":" : "", value);
  free(s->external);
  s->external = text;
  return CLI_OK;
}

static int read_positive(const char *key, const char *value, double *out) {
  return cli_number(value, out) && *out > 0 ? CLI_OK
                                            : bad_value(key, value, "a number greater than 0");
}

static int read_nonnegative(const char *key, const char *value, double *out) {
  return cli_number(value, out) && *out >= 0 ? CLI_OK
                                             : bad_value(key, value, "a number of at least 0");
}

/* one option of our own table */
static int read_only(reader *r, only which, const char *value) {
  cli_settings *s = r->s;
  const char *key = only_table[which].key;
  switch (which) {
    case START:
    case STOP:
      if (!cli_number(value, which == START ? &s->start : &s->stop))
        return bad_value(key, value, "a finite number");
      *(which == START ? &s->has_start : &s->has_stop) = true;
      return CLI_OK;
    case TOL: r->tol = value; return CLI_OK;
    case SET: return read_pair(r, s->set, &s->n_set, key, value, false);
    case INIT: return read_pair(r, s->init, &s->n_init, key, value, true);
    case GUESS: return read_pair(r, s->init, &s->n_init, key, value, false);
    case OUTPUT:
      s->output = value;
      return cli_table_name_ok(value) ? CLI_OK
                                      : bad_value(key, value, "a name that ends in .csv or .json");
    case PLOT:
      s->plot = value;
      return cli_plot_name_ok(value)
                 ? CLI_OK
                 : bad_value(key, value, "a name that ends in .svg, .png or .pdf");
    case SHOW: s->show = value; return CLI_OK;
    case REPORT:
    case ANIMATE:
      if (!cli_report_name_ok(value)) return bad_value(key, value, "FILE.html");
      *(which == REPORT ? &s->report : &s->animate) = value;
      return CLI_OK;
    case EVERY: return read_positive(key, value, &s->every);
    case POINTS:
      return cli_count(value, &s->points) && s->points >= 2
                 ? CLI_OK
                 : bad_value(key, value, "a whole number of at least 2");
    case STEPS: s->steps = true; return CLI_OK;
    case JSON: s->json = true; return CLI_OK;
    case DETAILS: s->details = true; return CLI_OK;
    case PROGRESS: s->progress = true; return CLI_OK;
    case QUIET: s->quiet = true; return CLI_OK;
    case EMIT_C: s->emit_c = true; return CLI_OK;
    case JOBS:
      return cli_count(value, &s->jobs) && s->jobs > 0
                 ? CLI_OK
                 : bad_value(key, value, "a whole number of at least 1");
    case SHARD:
      return read_shard(value, s) ? CLI_OK
                                  : bad_value(key, value, "I/N with whole numbers, 1 <= I <= N");
    case DESIGN: {
      const char *wanted = cli_design_read(&s->design, value);
      return wanted ? bad_value(key, value, wanted) : CLI_OK;
    }
    case MPI: return CLI_OK; /* the sweep has handed over before */
    case MEASURE: s->measure = value; return CLI_OK;
    case CHECKPOINT: s->checkpoint = value; return CLI_OK;
    case RESUME: s->resume = value; return CLI_OK;
    case CHECKPOINT_EVERY: return read_nonnegative(key, value, &s->checkpoint_every);
    case SEED: {
      int seed;
      if (!cli_count(value, &seed) || seed < 0)
        return bad_value(key, value, "a whole number of at least 0");
      s->design.seed = (uint32_t)seed;
      return CLI_OK;
    }
    case INPUT: return read_input(s, key, value);
    case MODEL_NAME: s->model_name = value; return CLI_OK;
    case EXTERNAL: return read_external(s, key, value);
    case MODEL_MEMORY: return read_positive(key, value, &s->model_memory);
    case MODEL_SECONDS: return read_positive(key, value, &s->model_seconds);
    case LOG: return read_log(&s->options, value);
    case ONLY_COUNT: break;
  }
  return CLI_OK;
}

/* one option of the library; a 0 that means "automatic" inside is no step and no tolerance */
static int read_library(reader *r, int i, const char *value) {
  static const char *const positive[] = {"rtol", "step"};
  static const char *const nonnegative[] = {"atol",    "ctol",       "first-step", "max-step",
                                            "srm-eps", "srm-window", "gamma"};
  const char *key = cli_key_at(i), *type = dae_option_type(i);
  char message[DAE_TEXT_MAX] = "";
  double number;
  int count;
  if (strcmp(type, "REAL") == 0) {
    if (!cli_number(value, &number)) return bad_value(key, value, "a finite number");
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
      if (strcmp(key, positive[k]) == 0 && number <= 0)
        return bad_value(key, value, "greater than 0");
    for (size_t k = 0; k < sizeof nonnegative / sizeof *nonnegative; k++)
      if (strcmp(key, nonnegative[k]) == 0 && number < 0)
        return bad_value(key, value, "at least 0");
  } else if (strcmp(type, "COUNT") == 0) {
    if (!cli_count(value, &count) || count < 0)
      return bad_value(key, value, "a whole number of at least 0");
  }
  if (dae_options_set(&r->s->options, key, value, message, sizeof message) != DAE_OK) {
    /* the library names its option in its own way first */
    const char *reason = strstr(message, ": ");
    return cli_fail(CLI_USAGE, "option --%s: %s", key, reason ? reason + 2 : message);
  }
  return CLI_OK;
}

static bool repeatable(int i, int n_library) {
  return i == n_library + SET || i == n_library + INIT || i == n_library + GUESS ||
         i == n_library + INPUT || i == n_library + EXTERNAL;
}

/* place of a key in both tables, one after the other, or -1; "no-" switches a flag off */
static int find_key(const char *key, int *n_library, bool *off) {
  int found = -1, n = 0;
  *off = false;
  for (; cli_key_at(n); n++) {
    const char *name = cli_key_at(n);
    if (strcmp(key, name) == 0) found = n;
    if (strncmp(key, "no-", 3) == 0 && strcmp(key + 3, name) == 0 &&
        strcmp(dae_option_type(n), "FLAG") == 0) {
      found = n;
      *off = true;
    }
  }
  for (int i = 0; i < ONLY_COUNT; i++)
    if (strcmp(key, only_table[i].key) == 0) found = n + i;
  *n_library = n;
  return found;
}

/* a flag may be followed by its value, as other options are */
static bool is_yes_or_no(const char *text) {
  static const char *const word[] = {"0", "1", "yes", "no", "true", "false", "on", "off"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    if (strcmp(text, word[i]) == 0) return true;
  return false;
}

static int read_option(reader *r, const char *argument) {
  char key[DAE_NAME_MAX];
  const char *equal = strchr(argument, '='), *value = equal ? equal + 1 : NULL;
  size_t length = equal ? (size_t)(equal - argument) : strlen(argument);
  snprintf(key, sizeof key, "%.*s", (int)(length < sizeof key ? length : sizeof key - 1), argument);
  for (char *c = key; *c; c++)
    if (*c == '_') *c = '-';
  int n_library;
  bool off;
  int i = find_key(key, &n_library, &off);
  if (i < 0 || length >= sizeof key) return unknown_option(r, key);
  bool library = i < n_library;
  const cli_option *own = library ? NULL : &only_table[i - n_library];
  if (own && !(own->commands & r->mask))
    return cli_fail(CLI_USAGE, "option --%s does not apply to 'daedal %s'", key, r->command);
  if (r->seen[i] && !repeatable(i, n_library))
    return cli_fail(CLI_USAGE, "option --%s is given twice", key);
  r->seen[i] = 1;
  bool flag = library ? strcmp(dae_option_type(i), "FLAG") == 0 : own->argument == NULL;
  if (flag) {
    if (value && (own || off)) return cli_fail(CLI_USAGE, "option --%s takes no value", key);
    if (!value && library && !off && r->at < r->argc && is_yes_or_no(r->argv[r->at]))
      value = r->argv[r->at++];
    if (!value) value = off ? "0" : "1";
  } else if (!value) {
    if (r->at >= r->argc)
      return cli_fail(CLI_USAGE, "option --%s needs a value: %s", key,
                      library ? dae_option_meaning(i) : own->meaning);
    value = r->argv[r->at++];
  }
  if (value[0] == '\0') return cli_fail(CLI_USAGE, "option --%s: the value is empty", key);
  return library ? read_library(r, i, value) : read_only(r, (only)(i - n_library), value);
}

/* --tol sets what --rtol and --atol leave open, whatever the order */
static int read_tolerance(reader *r) {
  double value;
  int n_library;
  bool off, rtol = r->seen[find_key("rtol", &n_library, &off)];
  bool atol = r->seen[find_key("atol", &n_library, &off)];
  r->s->has_tol = r->tol || rtol || atol;
  if (!r->tol) return CLI_OK;
  if (!cli_number(r->tol, &value)) return bad_value("tol", r->tol, "a finite number");
  if (value <= 0) return bad_value("tol", r->tol, "greater than 0");
  if (!rtol) r->s->options.rtol = value;
  if (!atol) r->s->options.atol = value;
  return CLI_OK;
}

/* options that contradict each other */
static int agree(const cli_settings *s) {
  if ((s->every > 0) + (s->points > 0) + s->steps > 1)
    return cli_fail(CLI_USAGE, "--every, --points and --steps exclude each other");
  if (s->json && s->output && strcmp(s->output, "-") == 0)
    return cli_fail(CLI_USAGE, "--json and --output - both use standard output");
  if ((s->checkpoint || s->resume) && (s->report || s->animate))
    return cli_fail(CLI_USAGE, "--checkpoint and --resume cannot be combined with --%s",
                    s->report ? "report" : "animate");
  if ((s->checkpoint || s->resume) && s->output && cli_in_place(s->output))
    return cli_fail(CLI_USAGE, "--checkpoint and --resume need --output to be a file, not %s",
                    strcmp(s->output, "-") == 0 ? "standard output" : s->output);
  return CLI_OK;
}

int cli_options_read(cli_settings *s, const char *command, int mask, int argc, char **argv) {
  int code = CLI_OK, n_library = 0;
  while (cli_key_at(n_library)) n_library++;
  *s = (cli_settings){.argc = argc,
                      .argv = argv,
                      .options = dae_options_default(),
                      .design.seed = 1,
                      .checkpoint_every = 60};
  s->set = cli_take((size_t)argc, sizeof *s->set);
  s->init = cli_take((size_t)argc, sizeof *s->init);
  s->input = cli_take((size_t)argc, sizeof *s->input);
  reader r = {.s = s, .command = command, .mask = mask, .argc = argc, .argv = argv};
  r.seen = cli_take((size_t)n_library + ONLY_COUNT, 1);
  bool only_names = false;
  while (code == CLI_OK && r.at < argc) {
    const char *a = argv[r.at++];
    if (!only_names && strcmp(a, "--") == 0) only_names = true;
    else if (!only_names && strncmp(a, "--", 2) == 0) code = read_option(&r, a + 2);
    else if (!only_names && a[0] == '-' && a[1])
      code = cli_fail(CLI_USAGE, "unknown option '%s'; options begin with two dashes", a);
    else if (a[0] == '\0') code = cli_fail(CLI_USAGE, "an argument is empty");
    else if (s->model)
      code = cli_fail(CLI_USAGE, "one MODEL at a time: '%s' and '%s'", s->model, a);
    else s->model = a;
  }
  if (code == CLI_OK) code = read_tolerance(&r);
  if (code == CLI_OK) code = agree(s);
  if (code == CLI_OK && !s->model)
    code = cli_fail(CLI_USAGE,
                    "'daedal %s' needs a MODEL: a gallery name ('daedal list') or a .mo file",
                    command);
  free(r.seen);
  return code;
}

void cli_options_free(cli_settings *s) {
  for (int i = 0; i < s->n_set; i++) free((void *)s->set[i].name);
  for (int i = 0; i < s->n_init; i++) free((void *)s->init[i].name);
  free(s->set);
  free(s->init);
  free(s->input);
  free(s->external);
}
