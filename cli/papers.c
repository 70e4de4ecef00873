/* daedal papers: recompute published tables, cell by cell */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "papers.h"

typedef struct tally {
  int count[PAPERS_V_COUNT];
} tally;

static void list_tables(void) {
  for (int i = 0; papers_at(i); i++)
    printf("%-9s %-10s %s\n", papers_at(i)->id, papers_at(i)->paper, papers_at(i)->title);
  for (int i = 0; papers_figure_at(i); i++)
    printf("%-9s %-10s Figure %s: %s\n", papers_figure_at(i), papers_figure_source(i),
           papers_figure_at(i) + 4, papers_figure_title(i));
  printf(
      "\n'daedal papers ID' recomputes a table, 'daedal papers all' all of them;\n"
      "'daedal papers fig-4.3 --plot FILE' draws a figure, 'daedal papers all --plot FILE' all;\n"
      "'daedal papers form-ggl --plot FILE' shows what a form does to stability.\n");
}

static int figure_of(const char *id) {
  for (int i = 0; papers_figure_at(i); i++)
    if (strcmp(papers_figure_at(i), id) == 0) return i;
  return -1;
}

/* the name after "form-", when there is such a form */
static const char *form_of(const char *id) {
  return strncmp(id, "form-", 5) == 0 && dae_form_find(id + 5) ? dae_form_find(id + 5)->name : NULL;
}

/* one figure, or all of them */
static int draw(const char *id, const char *file) {
  int one = figure_of(id);
  if (!cli_plot_name_ok(file))
    return cli_fail(CLI_USAGE, "--plot writes .svg, .png or .pdf, not '%s'", file);
  return cli_figures_write(one < 0 ? 0 : one, one < 0 ? papers_figure_count() : one + 1,
                           form_of(id), file);
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

/* rows that are done, of all that were asked for */
typedef struct pace {
  cli_progress progress;
  int done, all;
} pace;

static void run_table(const papers_table *t, tally *total, pace *p) {
  tally own = {{0}};
  int cells = 0;
  printf("%s  %s\n", t->id, t->title);
  for (int r = 0; r < t->n_row; r++, p->done++) {
    const papers_row *row = &t->row[r];
    cli_progress_words(&p->progress, (double)p->done / p->all, t->id);
    double value[PAPERS_CELLS];
    char message[DAE_TEXT_MAX] = "";
    dae_status status =
        (t->evaluate ? t->evaluate : papers_run)(t, row, value, message, sizeof message);
    cli_progress_hide(&p->progress);
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

static int run_tables(const char *id, bool all) {
  tally total = {{0}};
  pace p = {.all = 0};
  int cells = 0;
  cli_progress_begin(&p.progress, false, false);
  for (int i = 0; papers_at(i); i++)
    if (all || papers_at(i) == papers_find(id)) p.all += papers_at(i)->n_row;
  for (int i = 0; papers_at(i); i++)
    if (all || papers_at(i) == papers_find(id)) run_table(papers_at(i), &total, &p);
  cli_progress_end(&p.progress);
  for (int v = 0; v < PAPERS_V_COUNT; v++) cells += total.count[v];
  if (all) {
    printf("all: %d cells:", cells);
    for (int v = 0; v < PAPERS_V_COUNT; v++)
      printf(" %d %s%s", total.count[v], papers_verdict_name((papers_verdict)v),
             v < PAPERS_V_COUNT - 1 ? "," : "\n");
  }
  return total.count[PAPERS_V_DIFFERS] > 0 ? CLI_STOPPED : CLI_OK;
}

static int unknown(const char *id) {
  char text[DAE_TEXT_MAX];
  cli_near near = {.word = id};
  for (int i = 0; papers_at(i); i++) cli_near_offer(&near, papers_at(i)->id);
  for (int i = 0; papers_figure_at(i); i++) cli_near_offer(&near, papers_figure_at(i));
  return cli_fail(CLI_USAGE, "unknown table '%.60s'%s", id,
                  near.best ? cli_near_text(&near, text, sizeof text)
                            : "; 'daedal papers' lists them");
}

int cli_papers(int argc, char **argv) {
  const char *id = NULL, *plot = NULL;
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--plot") == 0) {
      if (++i == argc) return cli_fail(CLI_USAGE, "--plot needs a file");
      plot = argv[i];
    } else if (argv[i][0] == '-' || id) {
      return cli_fail(CLI_USAGE,
                      "'daedal papers' takes one table or 'all', and --plot FILE (got '%s')",
                      argv[i]);
    } else {
      id = argv[i];
    }
  }
  if (!id && !plot) {
    list_tables();
    return CLI_OK;
  }
  bool all = !id || strcmp(id, "all") == 0, figure = !all && (figure_of(id) >= 0 || form_of(id));
  if (!all && !figure && !papers_find(id)) return unknown(id);
  if (figure && !plot) return cli_fail(CLI_USAGE, "%s is a figure: give --plot FILE", id);
  int drawn = plot ? draw(all ? "all" : id, plot) : CLI_OK;
  int code = id && !figure ? run_tables(id, all) : CLI_OK;
  return code != CLI_OK ? code : drawn;
}
