/* what the options of the command line name, for the problem that was loaded */
#include "cli.h"

#include <string.h>

/* the library knows its own names, and says which one is wrong */
int cli_options_names(const cli_settings *s, const dae_problem *p) {
  char message[DAE_TEXT_MAX] = "";
  dae_status status = dae_options_check(&s->options, p, message, sizeof message);
  bool listed = strncmp(message, "unknown ", 8) == 0 && !strstr(message, "did you mean");
  if (status == DAE_OK) return CLI_OK;
  return cli_fail(CLI_USAGE, "%s%s", message, listed ? "; 'daedal methods' lists them" : "");
}
