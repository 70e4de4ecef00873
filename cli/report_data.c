/* a run as json: what its page is made of */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *title_of(const cli_model *m) {
  return m->problem.title && m->problem.title[0] ? m->problem.title : m->name;
}

/* ---- which curves belong together ---- */

static void flag(cli_json *j, const char *key, bool value) {
  cli_json_raw(j, key);
  fputs(value ? "true" : "false", j->out);
}

/* the stored column of a part of a series */
static int place_of(const cli_report *r, const cli_series *s, int part) {
  int column = cli_report_column(s, part);
  for (int i = 0; column < 0 && i < r->n_extra; i++)
    if (r->extra[i].series == s && r->extra[i].part == part) return r->model->n_column + i;
  return column;
}

/* the largest magnitude of a curve over time */
static double size_of(const void *run, int panel, int series) {
  const cli_report *r = run;
  const cli_store *s = &r->solution;
  int column = place_of(r, &r->panels->panel[panel].series[series], 0);
  double size = 0;
  for (long i = column; i < s->rows * s->columns; i += s->columns) {
    size = fmax(size, fabs(s->value[i]));
    if (s->low) size = fmax(size, fmax(fabs(s->low[i]), fabs(s->high[i])));
  }
  return size;
}

static void panel_json(cli_json *j, const cli_report *r, const cli_view *v) {
  const cli_panel *a = &r->panels->panel[v->panel];
  static const char *const kind[] = {"", "Curves", "Path in the plane", "Path in space"};
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "title", a->title[0] ? a->title : kind[a->dimensions]);
  cli_json_count(j, "dims", a->dimensions);
  flag(j, "equal", a->equal);
  flag(j, "log_x", a->logarithmic[0]);
  flag(j, "log_y", a->logarithmic[1]);
  flag(j, "log_right", a->log_right);
  cli_json_text(j, "unit", cli_panel_unit(a, 0, false));
  cli_json_text(j, "unit_right", cli_panel_unit(a, 0, true));
  cli_json_count(j, "left_out", a->left_out);
  cli_json_open(j, "series", '[');
  for (int i = 0; i < v->count; i++) {
    const cli_series *s = &a->series[v->series[i]];
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "label", s->label);
    if (s->description[0]) cli_json_text(j, "what", s->description);
    flag(j, "right", s->right);
    cli_json_raw(j, "at");
    for (int k = 0; k < a->dimensions; k++)
      fprintf(j->out, "%s%d", k ? "," : "[", place_of(r, s, k));
    fputc(']', j->out);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  cli_json_close(j, '}');
}

static void panels_json(cli_json *j, const cli_report *r) {
  cli_view view[CLI_PANELS_MOST];
  int count = cli_views_make(r->panels, size_of, r, view);
  cli_json_open(j, "panels", '[');
  for (int i = 0; i < count; i++) panel_json(j, r, &view[i]);
  cli_json_close(j, ']');
  cli_views_free(view, count);
}

/* ---- the numbers ---- */

static void solution_json(cli_json *j, const cli_report *r) {
  const cli_model *m = r->model;
  cli_names names = cli_model_names(m);
  cli_store_open(j, "solution", &r->solution);
  for (int i = 0; i < m->n_column + r->n_extra; i++) {
    const cli_extra *e = i < m->n_column ? NULL : &r->extra[i - m->n_column];
    const char *unit = e ? e->series->unit[e->part] : names.unit ? names.unit[i] : NULL;
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", e ? e->series->part_label[e->part] : m->column[i]);
    if (unit && unit[0]) cli_json_text(j, "unit", unit);
    if (!e && names.description && names.description[i] && names.description[i][0])
      cli_json_text(j, "what", names.description[i]);
    if (e) flag(j, "extra", true);
    cli_store_column(j, &r->solution, i, true);
    cli_json_close(j, '}');
  }
  cli_store_close(j);
  cli_store_open(j, "steps", &r->steps);
  for (int i = 0; i < r->steps.columns; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", i ? cli_level_name(m, m->first_level + i - 1) : "step size");
    if (i && r->rounding[m->first_level + i - 1] > 0)
      cli_json_number(j, "rounding", r->rounding[m->first_level + i - 1]);
    cli_store_column(j, &r->steps, i, true);
    cli_json_close(j, '}');
  }
  cli_store_close(j);
}

static void parameter(cli_json *j, const char *name, double value, const char *unit,
                      const char *meaning) {
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", name);
  cli_json_number(j, "value", value);
  if (unit && unit[0]) cli_json_text(j, "unit", unit);
  if (meaning && meaning[0]) cli_json_text(j, "meaning", meaning);
  cli_json_close(j, '}');
}

static void parameters_json(cli_json *j, const cli_model *m) {
  const gallery_entry *e = m->text ? NULL : gallery_find(m->name);
  const dae_problem *p = &m->problem;
  cli_json_open(j, "parameters", '[');
  for (int i = 0; e && i < p->n_par; i++)
    parameter(j, p->par_name[i], p->par[i], NULL, i < e->n_par ? e->par[i].meaning : NULL);
  for (int i = 0; m->text && dae_model_parameter_name(m->text, i); i++)
    parameter(j, dae_model_parameter_name(m->text, i), dae_model_parameter_value(m->text, i),
              dae_model_parameter_unit(m->text, i), dae_model_parameter_description(m->text, i));
  cli_json_close(j, ']');
}

/* ---- equations ---- */

/* lines of the explanation between a heading and the next one */
static void explained(cli_json *j, const char *key, const char *explain, const char *heading) {
  const char *at = strstr(explain, heading);
  cli_json_open(j, key, '[');
  for (at = at ? strchr(at, '\n') : NULL; at && at[1] == ' '; at = strchr(at + 1, '\n')) {
    const char *from = at + 1 + strspn(at + 1, " "), *end = strchr(from, '\n');
    size_t size = end ? (size_t)(end - from) : strlen(from);
    char *line = cli_take(size + 1, 1);
    memcpy(line, from, size);
    cli_json_text(j, NULL, line);
    free(line);
  }
  cli_json_close(j, ']');
}

/* the equations, the first of many */
static void formulas_json(cli_json *j, dae_model *m) {
  enum { MOST = 60 };
  int count = 0;
  cli_json_open(j, "equations", '[');
  for (; dae_model_equation(m, count); count++)
    if (count < MOST) cli_json_text(j, NULL, dae_model_equation(m, count));
  cli_json_close(j, ']');
  if (count > MOST) cli_json_count(j, "equations_more", count - MOST);
}

/* the text of the model file as it is now; nothing when it cannot be read again */
static void source_json(cli_json *j, const char *file) {
  enum { MOST = 200000 };
  FILE *in = fopen(file, "rb");
  if (!in) return;
  char *text = cli_take(MOST + 1, 1);
  size_t size = fread(text, 1, MOST, in);
  text[size] = '\0';
  fclose(in);
  cli_json_text(j, "source", text);
  free(text);
}

static void equations_json(cli_json *j, const cli_model *m) {
  const char *page = m->text ? NULL : cli_page_find(m->name);
  if (page) cli_json_text(j, "text", page);
  if (!m->text) return;
  formulas_json(j, m->text);
  const char *explain = dae_model_explain(m->text);
  if (explain) {
    cli_json_text(j, "explain", explain);
    explained(j, "hidden", explain, "hidden constraints:\n");
  }
  source_json(j, m->name);
}

/* ---- words ---- */

static void say(cli_json *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(cli_json *j, const char *format, ...) {
  char text[4 * DAE_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cli_json_text(j, NULL, text);
}

static const char *chosen(const char *asked) {
  return strcmp(asked, "auto") == 0 ? "chosen by auto" : "as requested";
}

/* the reason that the diagnosis of the problem gives; it is made for small problems only */
static void reason(cli_json *j, const cli_result *r) {
  enum { MOST = 300 };
  const cli_model *m = r->model;
  dae_diagnosis d;
  if (m->nz > MOST || m->problem.boundary || !r->started) return;
  dae_options o = r->settings->options;
  o.log = (dae_log){0};
  if (dae_diagnose(&m->problem, &o, &d) != DAE_OK || !d.reason[0]) return;
  say(j, "Why: %s.", d.reason);
  if (d.n_redundant > 0)
    say(j,
        "At the start %d of %d constraints follow from the others; they are left out of the "
        "elimination and satisfied all the same.",
        d.rows - d.rank, d.rows);
}

/* what kind of equations they are */
static void kind_words(cli_json *j, const cli_model *m) {
  const dae_problem *p = &m->problem;
  int index = m->text ? dae_model_index(m->text) : dae_problem_index(p);
  if (index > 0) say(j, "The equations have index %d.", index);
  if (dae_problem_nh(p) == 0)
    say(j, "%s ordinary differential equations without constraints.",
        index > 0 ? "Solved for their derivatives, they are" : "These are");
  else if (p->kind == DAE_ODE)
    say(j, "They are ordinary differential equations with invariants, which are kept.");
  else if (p->kind == DAE_MECHANICAL)
    say(j, "They were solved as a mechanical system: masses, forces and constraints.");
  else
    say(j, "They were solved as equations of order %d with constraints and multipliers.",
        p->hessenberg.order);
}

static void choice_words(cli_json *j, const cli_result *r) {
  const dae_options *o = &r->settings->options;
  const dae_problem *p = &r->model->problem;
  kind_words(j, r->model);
  if (r->solution)
    say(j,
        "A boundary value problem: %s by projected collocation on a mesh that follows the "
        "estimated error.",
        r->method);
  else {
    say(j, "Method: %s, %s.", r->method, chosen(o->method));
    if (dae_problem_nh(p) > 0)
      say(j, "Form of the equations: %s, %s. After a step: %s, %s.", r->form, chosen(o->form),
          strcmp(r->stabilize, "none") == 0 ? "no stabilization" : r->stabilize,
          chosen(o->stabilize));
  }
  reason(j, r);
  if (o->step > 0) say(j, "The step size is fixed at %g; the error is not controlled.", o->step);
  else say(j, "Step sizes follow the tolerance: relative %g, absolute %g.", o->rtol, o->atol);
}

static void result_words(cli_json *j, const cli_result *r) {
  const cli_model *m = r->model;
  double drift = 0;
  for (int i = m->first_level; i < m->order; i++) drift = fmax(drift, r->stats.drift_max[i]);
  if (m->first_level < m->order)
    say(j,
        "Along the whole run the constraints, the hidden ones included, are off by at most %.2g.",
        drift);
  if (r->moved > 0)
    say(j,
        "The given initial values did not satisfy all constraints: the start was moved by %.3g to "
        "the nearest consistent point.",
        r->moved);
  if (r->n_passage)
    say(j, "%ld singular position%s %s passed, where the constraints lose rank.",
        r->stats.singular_passed, r->stats.singular_passed == 1 ? "" : "s",
        r->stats.singular_passed == 1 ? "was" : "were");
  if (r->settings->options.audit)
    say(j,
        "The audit substituted the computed points into the equations as written: the worst "
        "relative residual is %.2g%s%s.",
        r->stats.audit.worst, r->stats.audit.equation[0] ? ", in " : "", r->stats.audit.equation);
  else say(j, "The audit was switched off.");
}

static void lead(cli_json *j, const cli_result *r) {
  char text[2 * DAE_TEXT_MAX];
  snprintf(text, sizeof text, "%s, %s = %.6g .. %.6g, method %s, form %s, %ld %s, %.3g s",
           r->model->name, cli_model_symbol(r->model), r->t0, r->reached, r->method, r->form,
           r->stats.steps, r->solution ? "intervals" : "steps", r->seconds);
  cli_json_text(j, "lead", text);
}

/* an argument as a shell reads it */
static void shell_word(FILE *out, const char *word) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=./,:+%";
  if (word[0] && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (const char *c = word; *c; c++)
    if (*c == '\'') fputs("'\\''", out);
    else fputc(*c, out);
  fputc('\'', out);
}

void cli_command_json(cli_json *j, const cli_settings *s, const char *command) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(cli_fail(CLI_STOPPED, "out of memory"));
  fprintf(out, "daedal %s", command);
  for (int i = 0; i < s->argc; i++) {
    fputc(' ', out);
    shell_word(out, s->argv[i]);
  }
  fclose(out);
  cli_json_text(j, "command", text);
  free(text);
  cli_json_text(j, "version", dae_version());
}

void cli_report_run_json(FILE *out, cli_report *r, const cli_result *result, const char *page) {
  cli_json json = {.out = out}, *j = &json;
  const cli_model *m = r->model;
  bool whole = strcmp(page, "run") == 0;
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "page", page);
  cli_json_text(j, "name", m->name);
  cli_json_text(j, "title", title_of(m));
  lead(j, result);
  cli_command_json(j, result->settings, "run");
  cli_json_text(j, "independent", cli_model_names(m).time);
  flag(j, "ended", cli_result_ok(result));
  cli_json_raw(j, "summary");
  cli_summary_json(out, result);
  if (whole) {
    cli_json_open(j, "words", '[');
    choice_words(j, result);
    if (result->started) result_words(j, result);
    cli_json_close(j, ']');
    parameters_json(j, m);
    equations_json(j, m);
    if (result->started) {
      panels_json(j, r);
      solution_json(j, r);
    }
  }
  if (result->started) cli_drawing_json(j, r->drawing);
  cli_json_close(j, '}');
}
