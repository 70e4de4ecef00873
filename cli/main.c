/* daedal: the command; finds the command word and hands over */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const cli_command command_table[] = {
    {"run", "MODEL [options]", "solve a problem and report how well its constraints are kept",
     cli_run},
    {"check", "MODEL [options]", "structure and health of a problem, without solving it",
     cli_check},
    {"sweep", "MODEL [options]", "many runs: all values of --set NAME=FIRST:LAST:COUNT", cli_sweep},
    {"merge", "OUT.csv SHARD.csv..", "join the parts of a sweep, made by --shard, into one table",
     cli_merge},
    {"plot", "FILE.. --plot OUT", "draw stored runs and sweeps (files written by --output)",
     cli_plot},
    {"list", "", "the gallery, one line each", cli_list},
    {"show", "NAME", "one gallery problem: equations, parameters, how to run it", cli_show},
    {"papers", "[ID|all]", "recompute published tables, cell by cell", cli_papers},
    {"methods", "", "methods, forms, directions and stabilizers", cli_methods},
    {"help", "[TOPIC]", "help on a command, an option, a method, a form or a status", cli_help},
    {"version", "", "the version", cli_version},
};

const cli_command *cli_command_at(int i) {
  int count = (int)(sizeof command_table / sizeof *command_table);
  return i >= 0 && i < count ? &command_table[i] : NULL;
}

int cli_version(int argc, char **argv) {
  if (argc > 0)
    return cli_fail(CLI_USAGE, "'daedal version' takes no arguments (got '%s')", argv[0]);
  printf("daedal %s\n", dae_version());
  return CLI_OK;
}

static int dispatch(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "help";
  char text[DAE_TEXT_MAX];
  /* the habits of other commands */
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) word = "help";
  if (strcmp(word, "--version") == 0) word = "version";
  int rest = argc > 2 ? argc - 2 : 0;
  char **arguments = argv + (argc > 2 ? 2 : argc);
  cli_near near = {.word = word};
  for (int i = 0; cli_command_at(i); i++) {
    const cli_command *c = cli_command_at(i);
    cli_near_offer(&near, c->name);
    if (strcmp(c->name, word) != 0) continue;
    for (int k = 0; k < rest; k++)
      if (strcmp(arguments[k], "--help") == 0 || strcmp(arguments[k], "-h") == 0)
        return cli_help(1, (char *[]){(char *)c->name});
    return c->run(rest, arguments);
  }
  if (gallery_find(word))
    return cli_fail(CLI_USAGE, "unknown command '%s'; did you mean 'daedal run %s'?", word, word);
  cli_near_text(&near, text, sizeof text);
  return cli_fail(CLI_USAGE, "unknown command '%.60s'%s", word,
                  near.best ? text : "; 'daedal help' lists the commands");
}

int main(int argc, char **argv) {
  /* a file size limit shall be an error of the write, as a full disk is */
  signal(SIGXFSZ, SIG_IGN);
  cli_signals_catch();
  int code = dispatch(argc, argv);
  errno = 0;
  bool lost = fflush(stdout) != 0 || ferror(stdout);
  if (lost && code != CLI_FILE)
    code = cli_fail(CLI_FILE, "cannot write standard output: %s", strerror(errno ? errno : EIO));
  cli_signals_end();
  return code;
}
