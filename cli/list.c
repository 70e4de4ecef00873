/* daedal list: the gallery, one line each */
#include "cli.h"

#include <string.h>

static void entry_line(const gallery_entry *e) {
  char message[DAE_TEXT_MAX];
  dae_problem *p = NULL;
  if (gallery_open(&p, e->name, 0, NULL, NULL, message, sizeof message) != DAE_OK) return;
  printf("%-24s %5d %6d %6d  %-4s  %-48s %s\n", e->name, dae_problem_index(p), dae_problem_nz(p),
         dae_problem_ny(p),
         p->boundary ? "bvp"
         : p->exact  ? "yes"
         : p->n_ref  ? "ref"
                     : "",
         e->title, e->source ? e->source : "");
  gallery_close(e->name, p);
}

int cli_list(int argc, char **argv) {
  if (argc > 0) return cli_fail(CLI_USAGE, "'daedal list' takes no argument, not '%s'", argv[0]);
  printf("%-24s %5s %6s %6s  %-4s  %-48s %s\n", "name", "index", "states", "mult.", "sol.", "title",
         "source");
  for (int i = 0; gallery_at(i); i++) entry_line(gallery_at(i));
  printf("\nsol.: yes: the exact solution is known; ref: reference values are; 'daedal show NAME' "
         "tells more\n");
  return CLI_OK;
}
