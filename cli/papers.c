/* daedal papers: published tables computed again, cell by cell */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "papers.h"

typedef struct tally {
  int count[PAPERS_V_COUNT];
} tally;

static void list_tables(void) {
  for (int i = 0; papers_at(i); i++)
    printf("%-9s %-10s %s\n", papers_at(i)->id, papers_at(i)->paper, papers_at(i)->title);
  printf("\n'daedal papers ID' computes one of them again, 'daedal papers all' all.\n");
}

/* "  label            x       printed   computed   verdict  (reason)" */
static void print_cell(const char *label, const papers_cell *c, double value,
                       papers_verdict verdict, const char *message) {
  char computed[32];
  snprintf(computed, sizeof computed, "%.4e", fabs(value));
  if (c->quantity[0] == '=') snprintf(computed, sizeof computed, "%.4e", value);
  printf("  %-36s %-9s %9.1e  %-11s %s", label, c->quantity, c->printed,
         isnan(value) ? "-" : computed, papers_verdict_name(verdict));
  if (verdict != PAPERS_V_DIGITS && c->reason) printf(": %s", c->reason);
  if (verdict == PAPERS_V_DIFFERS && message[0]) printf(": %s", message);
  printf("\n");
}

static void run_table(const papers_table *t, tally *total) {
  tally own = {{0}};
  int cells = 0;
  printf("%s  %s\n", t->id, t->title);
  for (int r = 0; r < t->n_row; r++) {
    const papers_row *row = &t->row[r];
    double value[PAPERS_CELLS];
    char message[DAE_TEXT_MAX] = "";
    dae_status status =
        (t->evaluate ? t->evaluate : papers_run)(t, row, value, message, sizeof message);
    for (int i = 0; i < PAPERS_CELLS && row->cell[i].quantity; i++, cells++) {
      papers_verdict verdict = papers_judge(&row->cell[i], value[i], status);
      own.count[verdict]++;
      print_cell(i == 0 ? row->label : "", &row->cell[i], value[i], verdict, message);
    }
    fflush(stdout);
  }
  printf("  %d cells:", cells);
  for (int v = 0; v < PAPERS_V_COUNT; v++) {
    if (own.count[v]) printf(" %d %s", own.count[v], papers_verdict_name((papers_verdict)v));
    total->count[v] += own.count[v];
  }
  printf("\n\n");
}

int cli_papers(int argc, char **argv) {
  if (argc == 0) {
    list_tables();
    return CLI_OK;
  }
  if (argc > 1)
    return cli_fail(CLI_USAGE, "'daedal papers' takes one table or 'all', not '%s'", argv[1]);
  bool all = strcmp(argv[0], "all") == 0;
  tally total = {{0}};
  cli_near near = {.word = argv[0]};
  int cells = 0;
  for (int i = 0; papers_at(i); i++) cli_near_offer(&near, papers_at(i)->id);
  if (!all && !papers_find(argv[0])) {
    char text[DAE_TEXT_MAX];
    return cli_fail(CLI_USAGE, "unknown table '%.60s'%s", argv[0],
                    near.best ? cli_near_text(&near, text, sizeof text)
                              : "; 'daedal papers' lists them");
  }
  for (int i = 0; papers_at(i); i++)
    if (all || papers_at(i) == papers_find(argv[0])) run_table(papers_at(i), &total);
  for (int v = 0; v < PAPERS_V_COUNT; v++) cells += total.count[v];
  if (all) {
    printf("all: %d cells:", cells);
    for (int v = 0; v < PAPERS_V_COUNT; v++)
      printf(" %d %s%s", total.count[v], papers_verdict_name((papers_verdict)v),
             v < PAPERS_V_COUNT - 1 ? "," : "\n");
  }
  return total.count[PAPERS_V_DIFFERS] > 0 ? CLI_STOPPED : CLI_OK;
}
