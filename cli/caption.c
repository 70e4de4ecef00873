/* the words and numbers of the picture of a run */
#include "plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_fact(cli_caption *c, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_fact(cli_caption *c, const char *label, const char *format, ...) {
  va_list args;
  if (c->n_fact >= CLI_FACTS) return;
  cli_fact *f = &c->fact[c->n_fact++];
  snprintf(f->label, sizeof f->label, "%s", label);
  va_start(args, format);
  vsnprintf(f->value, sizeof f->value, format, args);
  va_end(args);
}

static void drift_facts(cli_caption *c, const cli_result *r) {
  const dae_stats *s = &r->stats;
  for (int i = r->model->first_level; i < r->model->order; i++) {
    char label[DAE_NAME_MAX];
    snprintf(label, sizeof label, "%s drift", cli_level_name(r->model, i));
    add_fact(c, label, "%.2g", s->drift_max[i]);
  }
}

static void error_facts(cli_caption *c, const cli_result *r) {
  const cli_model *m = r->model;
  const cli_error *e = r->error;
  if (e->known) {
    add_fact(c, "largest error", "%.2g", cli_error_part(m, e->max, 0));
    if (m->ny > 0) add_fact(c, "of multipliers", "%.2g", cli_error_part(m, e->max, -1));
  }
  for (int i = e->n_ref - 1; i >= 0; i--) {
    char label[DAE_NAME_MAX];
    if (isnan(e->ref_error[i])) continue;
    snprintf(label, sizeof label, "error at %s = %g", cli_model_symbol(m), m->problem.ref[i].t);
    add_fact(c, label, "%.2g", e->ref_error[i]);
    break;
  }
}

/* the declared variables; derivatives of a gallery problem are left out */
static void final_facts(cli_caption *c, const cli_result *r) {
  const cli_model *m = r->model;
  double *value = cli_take((size_t)m->n_column, sizeof *value);
  cli_model_columns(m, r->reached, r->z, r->y, value);
  for (int i = 0; i < m->n_column; i++)
    if (m->text || i < m->nx || i >= m->nz) add_fact(c, m->column[i], "%.8g", value[i]);
  free(value);
}

int cli_caption_plot(const cli_record *record, const cli_result *r, const char *file) {
  char title[DAE_TEXT_MAX], subtitle[2 * DAE_TEXT_MAX], control[DAE_NAME_MAX];
  const dae_problem *p = &r->model->problem;
  const dae_options *o = &r->settings->options;
  const dae_stats *s = &r->stats;
  cli_caption c = {.title = title, .subtitle = subtitle};
  if (r->status != DAE_OK) c.note = r->message;
  snprintf(title, sizeof title, "%s", p->title && p->title[0] ? p->title : r->model->name);
  if (o->step > 0) snprintf(control, sizeof control, "step %g", o->step);
  else if (o->rtol == o->atol) snprintf(control, sizeof control, "tolerance %g", o->rtol);
  else snprintf(control, sizeof control, "rtol %g, atol %g", o->rtol, o->atol);
  snprintf(subtitle, sizeof subtitle,
           "%s   \xc2\xb7   method %s   \xc2\xb7   form %s   \xc2\xb7   "
           "stabilize %s   \xc2\xb7   %s",
           r->model->name, r->method, r->form, r->stabilize, control);
  for (int i = 0; i < r->settings->n_set; i++) {
    size_t n = strlen(subtitle);
    snprintf(subtitle + n, sizeof subtitle - n, "   \xc2\xb7   %s = %g", r->settings->set[i].name,
             r->settings->set[i].value);
  }
  add_fact(&c, "the run", "%s = %g .. %g", cli_model_symbol(r->model), r->t0, r->reached);
  c.fact[c.n_fact - 1].head = true;
  if (r->solution) add_fact(&c, "intervals", "%d", r->mesh);
  else add_fact(&c, "steps", "%ld (%ld rejected)", s->steps, s->rejected);
  add_fact(&c, "evaluations", "%ld", s->evaluations);
  add_fact(&c, "factorizations", "%ld", s->factorizations);
  add_fact(&c, "time to solve", "%.3g s", r->seconds);
  drift_facts(&c, r);
  error_facts(&c, r);
  add_fact(&c, "at the end", "%s = %g", cli_model_symbol(r->model), r->reached);
  c.fact[c.n_fact - 1].head = true;
  final_facts(&c, r);
  cli_shown run = {record, r->model->name};
  cli_picture picture = {.caption = &c, .n_run = 1, .run = &run, .time = r->model->time};
  return cli_plot_write(&picture, file);
}
