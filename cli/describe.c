/* a picture in words: its panels, what they show, and between which values */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

static void range_words(FILE *out, const cli_trace *t, int part) {
  double low = INFINITY, high = -INFINITY;
  if (t->curve) draw_range(t->curve, DRAW_ALL, false, &low, &high);
  else low = t->path->low[part], high = t->path->high[part];
  if (!t->curve && t->panel->logarithmic[part]) low = pow(10, low), high = pow(10, high);
  const char *unit = t->series->unit[part];
  fprintf(out, "%s%s%s%s", t->series->part_label[part], unit[0] ? " [" : "", unit,
          unit[0] ? "]" : "");
  if (low <= high) fprintf(out, " from %.5g to %.5g", low, high);
  else fputs(" has no value", out);
}

static void trace_words(FILE *out, const cli_trace *t, const char *run) {
  const cli_panel *p = t->panel;
  fputs("  ", out);
  for (int k = 0; k < p->dimensions; k++) {
    bool log = p->dimensions == 1 ? (t->series->right ? p->log_right : p->logarithmic[1])
                                  : p->logarithmic[k];
    if (k) fputs(" : ", out);
    range_words(out, t, k);
    if (log) fputs(", logarithmic", out);
  }
  if (t->series->right) fputs(", right axis", out);
  if (run) fprintf(out, ", %s", run);
  fputc('\n', out);
}

char *cli_picture_words(const cli_picture *p) {
  const cli_record *r = p->run[0].record;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  for (int i = 0; i < r->panels->count; i++) {
    const cli_panel *a = &r->panels->panel[i];
    fprintf(out, "panel %d, %s%s%s%s%s:\n", i + 1,
            a->dimensions == 1   ? "curves over "
            : a->dimensions == 2 ? "paths in the plane"
                                 : "paths in space",
            a->dimensions == 1 ? p->time : "",
            a->dimensions == 1 && a->logarithmic[0] ? " (logarithmic)" : "",
            a->title[0] ? ", " : "", a->title);
    for (int j = 0; j < a->count; j++)
      for (int k = 0; k < p->n_run; k++)
        trace_words(out, cli_record_trace(p->run[k].record, i, j),
                    p->n_run > 1 ? p->run[k].name : NULL);
  }
  fclose(out);
  return text;
}
