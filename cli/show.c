/* daedal show: the page of one gallery problem and what can be set in it */
#include "cli.h"

#include <math.h>
#include <string.h>

static void parameters(const gallery_entry *e) {
  if (e->n_par == 0) return;
  printf("\nparameters (change one with --set NAME=VALUE):\n");
  for (int i = 0; i < e->n_par; i++) {
    char value[32] = "-"; /* NaN: follows from the others */
    if (!isnan(e->par[i].value)) snprintf(value, sizeof value, "%.10g", e->par[i].value);
    printf("  %-16s %-12s %s\n", e->par[i].name, value, e->par[i].meaning ? e->par[i].meaning : "");
  }
}

/* the page without its pictures */
static void print_page(const char *page) {
  for (const char *line = page, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    end += *end == '\n';
    if (strncmp(line, "![", 2) != 0) fwrite(line, 1, (size_t)(end - line), stdout);
  }
}

static void facts(const gallery_entry *e) {
  enum { MOST = 24 };
  char message[DAE_TEXT_MAX], text[DAE_NAME_MAX];
  dae_problem *p = NULL;
  if (gallery_open(&p, e->name, 0, NULL, NULL, message, sizeof message) != DAE_OK) return;
  int nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  printf("\nform: %s, index %d, %d differential variables, %d multipliers, t = %g .. %g\n",
         cli_kind_name(p, text, sizeof text), dae_problem_index(p), nz, ny, p->t0, p->t1);
  if (p->boundary)
    printf("boundary conditions: %d, unknown parameters: %d\n", p->boundary->n,
           p->boundary->n_parameter);
  else printf("initial values (change one with --init NAME=VALUE):\n");
  for (int i = 0; !p->boundary && i < nz && i < MOST; i++)
    printf("  %-16s %.10g\n", dae_problem_z_name(p, i, text, sizeof text), p->z0 ? p->z0[i] : 0.0);
  if (!p->boundary && nz > MOST) printf("  .. and %d more\n", nz - MOST);
  printf("solution: %s\n", p->exact   ? "known exactly; 'daedal run' prints the error"
                           : p->n_ref ? "known at some times; 'daedal run' prints the distance"
                                      : "not known in closed form");
  for (int i = 0; i < p->n_direction; i++)
    printf("direction of its own: --direction %s\n", p->direction[i].name);
  gallery_close(e->name, p);
}

int cli_show(int argc, char **argv) {
  char text[DAE_TEXT_MAX];
  if (argc != 1)
    return cli_fail(CLI_USAGE, "'daedal show' needs one NAME; 'daedal list' shows them");
  const gallery_entry *e = gallery_find(argv[0]);
  if (!e) {
    cli_near near = {.word = argv[0]};
    for (int i = 0; gallery_at(i); i++) cli_near_offer(&near, gallery_at(i)->name);
    cli_near_text(&near, text, sizeof text);
    return cli_fail(CLI_USAGE, "unknown problem '%.80s'%s", argv[0],
                    near.best ? text : "; 'daedal list' shows the gallery");
  }
  const char *page = cli_page_find(e->name);
  if (page) print_page(page);
  else printf("%s: %s\nsource: %s\n", e->name, e->title, e->source ? e->source : "-");
  parameters(e);
  facts(e);
  if (!page || !strstr(page, "daedal run"))
    printf("\nrun it:  daedal run %s --plot %s.svg\n", e->name, e->name);
  return CLI_OK;
}
