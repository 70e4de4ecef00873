/* the page of a run: points are collected on the way, the page is written at the end */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 1500000, INTERVALS = 1500, FEW_INTERVALS = 150 };

/* the column that a part of a series is, as it stands; -1: it must be computed */
int cli_report_column(const cli_series *s, int part) {
  bool derivative;
  int column = cli_expression_column(s->part[part], &derivative);
  return derivative || s->factor[part] != 1 || s->offset[part] != 0 ? -1 : column;
}

/* what the panels show beyond the columns of the model; is a derivative among it? */
static bool take_extras(cli_report *r) {
  bool rates = false;
  int room = 0;
  for (int i = 0; i < r->panels->count; i++) room += 3 * r->panels->panel[i].count;
  r->extra = cli_take((size_t)room, sizeof *r->extra);
  for (int i = 0; i < r->panels->count; i++) {
    const cli_panel *a = &r->panels->panel[i];
    for (int k = 0; k < a->count * a->dimensions; k++) {
      const cli_series *s = &a->series[k / a->dimensions];
      if (cli_report_column(s, k % a->dimensions) >= 0) continue;
      r->extra[r->n_extra++] = (cli_extra){s, k % a->dimensions};
      rates = rates || cli_series_rates(s);
    }
  }
  return rates;
}

/* panels without extra curves: those of the columns alone */
static cli_report *take_report(const cli_session *s, const cli_panels *panels, long budget) {
  const cli_model *m = &s->model;
  cli_report *r = cli_take(1, sizeof *r);
  r->model = m;
  r->panels = panels;
  r->rates = take_extras(r);
  cli_store_init(&r->solution, m->n_column + r->n_extra, budget);
  cli_store_init(&r->steps, 1 + m->order - m->first_level, budget);
  size_t most = (size_t)(m->n_column + r->n_extra + 1 + DAE_ORDER_MAX);
  r->value = cli_take(most, sizeof *r->value);
  r->scratch = cli_take(most, sizeof *r->scratch);
  return r;
}

cli_report *cli_report_new(const cli_session *s) {
  const cli_settings *a = &s->settings;
  cli_report *r = take_report(s, s->panels, BUDGET);
  r->drawing = cli_drawing_new(&s->model);
  /* derivatives are known inside of steps only */
  if (r->rates || (a->every == 0 && a->points == 0 && !a->steps))
    r->spacing = fabs(s->result.t1 - s->result.t0) / INTERVALS;
  return r;
}

cli_report *cli_report_curves_new(const cli_session *s) {
  static const cli_panels none = {0};
  cli_report *r = take_report(s, &none, 0);
  r->spacing = fabs(s->result.t1 - s->result.t0) / FEW_INTERVALS;
  return r;
}

void cli_report_point(cli_report *r, double t, const double *z, const double *y,
                      const cli_piece *piece) {
  const cli_model *m = r->model;
  cli_model_columns(m, t, z, y, r->value);
  if (r->drawing) cli_drawing_point(r->drawing, t, z, y);
  for (int i = 0; i < r->n_extra; i++) {
    const cli_series *s = r->extra[i].series;
    bool rates = cli_series_rates(s);
    if (rates && piece) cli_series_differentiate(s, piece, t, r->scratch);
    r->value[m->n_column + i] =
        rates && !piece ? NAN : cli_series_value(s, r->extra[i].part, t, r->value);
  }
  cli_store_add(&r->solution, t, r->value);
}

void cli_report_step(cli_report *r, double t, double h, const double *drift) {
  const cli_model *m = r->model;
  r->value[0] = fabs(h);
  for (int i = m->first_level; i < m->order; i++) r->value[1 + i - m->first_level] = drift[i];
  cli_store_add(&r->steps, t, r->value);
}

void cli_report_free(cli_report *r) {
  if (!r) return;
  cli_store_free(&r->solution);
  cli_store_free(&r->steps);
  cli_drawing_free(r->drawing);
  free(r->value);
  free(r->scratch);
  free(r->extra);
  free(r);
}

bool cli_report_name_ok(const char *name) {
  return cli_ends_with(name, ".html") || cli_ends_with(name, ".json");
}

/* text of a page: what would begin an element is written as a reference */
static void html_text(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '<') fputs("&lt;", out);
    else if (*c == '&') fputs("&amp;", out);
    else fputc(*c, out);
  }
}

int cli_page_write(const char *name, const char *title, const char *json, size_t size) {
  cli_file file;
  int code = cli_file_open(&file, name);
  if (code != CLI_OK) return code;
  FILE *out = file.stream;
  if (cli_ends_with(name, ".json")) {
    fwrite(json, 1, size, out);
    return cli_file_commit(&file);
  }
  fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        /* nothing is loaded, whatever a text says */
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
        "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" "
        "href=\"data:,\">\n<title>",
        out);
  html_text(out, title);
  fputs("</title>\n<style>\n", out);
  fputs(cli_asset_find("report.css"), out);
  fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
  html_text(out, title);
  fputs("</h1>\n<noscript><p>The data are in this file; to draw them, the page needs "
        "JavaScript.</p></noscript>\n</main>\n<script type=\"application/json\" id=\"data\">\n",
        out);
  fwrite(json, 1, size, out);
  fputs("</script>\n<script type=\"text/plain\" id=\"licenses\">\n", out);
  fputs(cli_asset_find("LICENSES.txt"), out);
  fputs("</script>\n<script>\n", out);
  fputs(cli_asset_find("report.js"), out);
  fputs("</script>\n</body>\n</html>\n", out);
  return cli_file_commit(&file);
}

static int write_one(cli_report *r, const cli_result *result, const char *name, const char *page) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  cli_report_run_json(out, r, result, page);
  if (fclose(out) != 0) exit(cli_fail(CLI_STOPPED, "out of memory"));
  int code = cli_page_write(name, r->model->name, text, size);
  free(text);
  return code;
}

int cli_report_write(cli_report *r, const cli_session *s) {
  const cli_settings *a = &s->settings;
  int code = CLI_OK;
  cli_store_end(&r->solution);
  cli_store_end(&r->steps);
  cli_drawing_end(r->drawing);
  if (a->report) code = write_one(r, &s->result, a->report, "run");
  if (a->animate && !cli_drawing_any(r->drawing))
    return cli_fail(
        CLI_USAGE,
        "option --animate: no mechanism was recognised in %s: there are no coordinates x.., "
        "y.. that are points, and it has no drawing",
        r->model->name);
  if (code == CLI_OK && a->animate) code = write_one(r, &s->result, a->animate, "motion");
  return code;
}
