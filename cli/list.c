/* daedal list: the gallery, one line each */
#include "cli.h"

#include <string.h>

static void entry_line(const gallery_entry *e, int name_width, int title_width) {
  char message[DAE_TEXT_MAX], size[DAE_NAME_MAX];
  dae_problem *p = NULL;
  if (gallery_open(&p, e->name, 0, NULL, NULL, message, sizeof message) != DAE_OK) return;
  snprintf(size, sizeof size, "%d+%d", dae_problem_nz(p), dae_problem_ny(p));
  printf("%-*s  %5d  %-7s %-8s  %-*s  %s\n", name_width, e->name, dae_problem_index(p), size,
         p->exact   ? "exact"
         : p->n_ref ? "values"
                    : "",
         title_width, e->title, e->source ? e->source : "");
  gallery_close(e->name, p);
}

int cli_list(int argc, char **argv) {
  int name_width = 4, title_width = 5;
  if (argc > 0) return cli_fail(CLI_USAGE, "'daedal list' takes no arguments (got '%s')", argv[0]);
  for (int i = 0; gallery_at(i); i++) {
    int name = (int)strlen(gallery_at(i)->name), title = (int)strlen(gallery_at(i)->title);
    if (name > name_width) name_width = name;
    if (title > title_width) title_width = title;
  }
  printf("%-*s  %5s  %-7s %-8s  %-*s  %s\n", name_width, "name", "index", "size", "solution",
         title_width, "title", "source");
  for (int i = 0; gallery_at(i); i++) entry_line(gallery_at(i), name_width, title_width);
  printf("\nsize: differential variables + multipliers; solution: what it is compared with;\n"
         "'daedal show NAME' has details\n");
  return CLI_OK;
}
