/* the command inside of a page: `daedal run` with arguments that stand on lines of their own */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* the exit code of `daedal run ARGUMENTS` */
EMSCRIPTEN_KEEPALIVE int play(const char *arguments) {
  enum { MOST = 400 };
  char *text = strdup(arguments), *argv[MOST];
  int argc = 0;
  for (char *word = strtok(text, "\n"); word && argc < MOST; word = strtok(NULL, "\n"))
    argv[argc++] = word;
  int code = cli_run(argc, argv);
  fflush(stdout);
  fflush(stderr);
  free(text);
  return code;
}
