/* a MODEL of the command line becomes a problem with names and initial values */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int known_parameter(const gallery_entry *e, const char *name) {
  char text[DAE_TEXT_MAX] = "; it has none";
  cli_near near = {.word = name};
  for (int i = 0; i < e->n_par; i++) {
    if (strcmp(e->par[i].name, name) == 0) return CLI_OK;
    cli_near_offer(&near, e->par[i].name);
  }
  if (near.best) cli_near_text(&near, text, sizeof text);
  else
    for (int i = 0; i < e->n_par; i++) {
      size_t n = i ? strlen(text) : 0;
      snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "; it has ", e->par[i].name);
    }
  return cli_fail(CLI_USAGE, "%s has no parameter '%.60s'%s", e->name, name, text);
}

static int open_gallery(cli_model *m, const cli_settings *s) {
  char message[DAE_TEXT_MAX] = "", text[DAE_TEXT_MAX];
  const gallery_entry *e = gallery_find(s->model);
  if (!e) {
    cli_near near = {.word = s->model};
    for (int i = 0; gallery_at(i); i++) cli_near_offer(&near, gallery_at(i)->name);
    cli_near_text(&near, text, sizeof text);
    if (!near.best) snprintf(text, sizeof text, "; 'daedal list' shows the gallery");
    return cli_fail(CLI_USAGE, "unknown problem '%.80s'%s", s->model, text);
  }
  for (int i = 0; i < s->n_set; i++)
    if (known_parameter(e, s->set[i].name) != CLI_OK) return CLI_USAGE;
  const char **name = cli_take((size_t)s->n_set, sizeof *name);
  double *value = cli_take((size_t)s->n_set, sizeof *value);
  for (int i = 0; i < s->n_set; i++) {
    name[i] = s->set[i].name;
    value[i] = s->set[i].value;
  }
  dae_status status =
      gallery_open(&m->owned, s->model, s->n_set, name, value, message, sizeof message);
  free(name);
  free(value);
  if (status == DAE_OK) return CLI_OK;
  return cli_fail(status == DAE_E_INPUT ? CLI_USAGE : CLI_STOPPED, "%s",
                  message[0] ? message : dae_status_meaning(status));
}

/* names as the problem gives them or as the library makes them up, kept for the whole run */
static char **take_names(const dae_problem *p, int count,
                         const char *(*name)(const dae_problem *, int, char *, int)) {
  char **list = cli_take((size_t)count + 1, sizeof *list);
  for (int i = 0; i < count; i++) {
    list[i] = cli_take(DAE_NAME_MAX, 1);
    name(p, i, list[i], DAE_NAME_MAX);
  }
  return list;
}

static int find_name(char *const *list, int count, const char *name, cli_near *near) {
  for (int i = 0; i < count; i++) {
    if (strcmp(list[i], name) == 0) return i;
    cli_near_offer(near, list[i]);
  }
  return -1;
}

static int apply_initial(cli_model *m, const cli_settings *s) {
  for (int k = 0; k < s->n_init; k++) {
    const cli_value *v = &s->init[k];
    const char *key = v->held ? "init" : "guess";
    cli_near near = {.word = v->name};
    char text[DAE_TEXT_MAX];
    int i = find_name(m->z_name, m->nz, v->name, &near);
    /* a variable of a text that is a formula of others was taken care of when the text was read */
    if (i < 0 && m->text && find_name((char *const *)m->column, m->n_column, v->name, &near) >= 0)
      continue;
    if (i >= 0) {
      m->z0[i] = v->value;
      m->held[i] = (unsigned char)(m->held[i] || v->held);
      continue;
    }
    i = find_name(m->y_name, m->ny, v->name, &near);
    if (i < 0)
      return cli_fail(CLI_USAGE, "option --%s: %s has no variable '%.60s'%s", key, m->name, v->name,
                      cli_near_text(&near, text, sizeof text));
    m->y0[i] = v->value;
  }
  return CLI_OK;
}

/* a constraint on z (velocity level, g of z) lives on the highest level only */
static int first_level(const dae_problem *p) {
  int order = dae_problem_order(p);
  if (dae_problem_nh(p) == 0) return order;
  if (p->kind == DAE_HESSENBERG && p->hessenberg.g_of_z) return order - 1;
  if (p->kind == DAE_MECHANICAL && p->mechanical.ng == 0) return order - 1;
  return 0;
}

static bool has_column(const cli_model *m, const char *name) {
  for (int i = 0; i < m->n_column; i++)
    if (strcmp(m->column[i], name) == 0) return true;
  return false;
}

/* a variable that is time by another name, as in Real s = time; NULL: none */
static const char *alias_of_time(const cli_model *m, const double *z0, const double *y0) {
  const dae_problem *p = m->owned;
  double *value = cli_take(2 * (size_t)m->n_column, sizeof *value), t[2];
  const char *found = NULL;
  for (int k = 0; k < 2; k++) {
    t[k] = p->t0 + (p->t1 - p->t0) * (k ? 0.61 : 0.27);
    dae_model_values(m->text, t[k], z0, y0, value + k * m->n_column);
  }
  for (int i = 0; i < m->n_column && !found; i++)
    if (value[i] == t[0] && value[m->n_column + i] == t[1]) found = m->column[i];
  free(value);
  return found;
}

/* boundary value problems have their own variable, else a place x; mechanisms move in time, and so
   does what has a variable x itself */
static const char *time_name(const cli_model *m) {
  const char *alias = NULL;
  if (!m->owned->boundary) return "time";
  if (m->text) alias = alias_of_time(m, m->z0, m->y0);
  if (alias) return alias;
  bool taken = (m->owned->kind == DAE_MECHANICAL && m->ny > 0) || has_column(m, "x") ||
               has_column(m, "x1") || has_column(m, "x[1]");
  return taken ? "t" : "x";
}

static void take_columns(cli_model *m) {
  m->n_column = m->text ? dae_model_variables(m->text) : m->nz + m->ny;
  size_t n = (size_t)m->n_column;
  m->column = cli_take(n, sizeof *m->column);
  m->unit = cli_take(n, sizeof *m->unit);
  m->display = cli_take(n, sizeof *m->display);
  m->description = cli_take(n, sizeof *m->description);
  for (int i = 0; i < m->n_column; i++) {
    m->column[i] = m->text     ? dae_model_variable_name(m->text, i)
                   : i < m->nz ? m->z_name[i]
                               : m->y_name[i - m->nz];
    m->unit[i] = m->text ? dae_model_variable_unit(m->text, i) : "";
    m->display[i] = m->text ? dae_model_variable_display_unit(m->text, i) : "";
    m->description[i] = m->text ? dae_model_variable_description(m->text, i) : "";
  }
}

const char *cli_model_columns(const cli_model *m, double t, const double *z, const double *y,
                              double *out) {
  if (m->text) {
    dae_model_values(m->text, t, z, y, out);
  } else {
    memcpy(out, z, (size_t)m->nz * sizeof(double));
    memcpy(out + m->nz, y, (size_t)m->ny * sizeof(double));
  }
  for (int i = 0; i < m->n_column; i++)
    if (!isfinite(out[i])) return m->column[i];
  return NULL;
}

static int take_problem(cli_model *m, const cli_settings *s) {
  const dae_problem *p = m->owned;
  m->problem = *p;
  m->nx = dae_problem_nx(p);
  m->order = dae_problem_order(p);
  m->nz = dae_problem_nz(p);
  m->ny = dae_problem_ny(p);
  m->first_level = first_level(p);
  m->z_name = take_names(p, m->nz, dae_problem_z_name);
  m->y_name = take_names(p, m->ny, dae_problem_y_name);
  take_columns(m);
  m->z0 = cli_take((size_t)m->nz, sizeof(double));
  m->y0 = cli_take((size_t)m->ny, sizeof(double));
  m->fixed = cli_take((size_t)m->nz, 1);
  m->held = cli_take((size_t)m->nz, 1);
  if (p->z0) memcpy(m->z0, p->z0, (size_t)m->nz * sizeof(double));
  if (p->y0) memcpy(m->y0, p->y0, (size_t)m->ny * sizeof(double));
  if (p->fixed) memcpy(m->fixed, p->fixed, (size_t)m->nz);
  memcpy(m->held, m->fixed, (size_t)m->nz);
  m->time = time_name(m);
  m->problem.z0 = m->z0;
  m->problem.y0 = m->y0;
  m->problem.fixed = m->held;
  if (s->has_start) m->problem.t0 = s->start;
  if (s->has_stop) m->problem.t1 = s->stop;
  if (cli_inputs_cover(s, m->problem.t0, m->problem.t1) != CLI_OK) return CLI_USAGE;
  if (m->problem.t1 <= m->problem.t0 && m->problem.boundary)
    return cli_fail(CLI_USAGE,
                    "the stop time %g is not after the start time %g: a boundary value problem "
                    "needs an interval",
                    m->problem.t1, m->problem.t0);
  return apply_initial(m, s);
}

int cli_model_open(cli_model *m, cli_settings *s) {
  char message[DAE_TEXT_MAX] = "";
  *m = (cli_model){.name = s->model};
  bool text = cli_is_text(s->model);
  if (!text && (s->n_input || s->model_name || s->external))
    return cli_fail(CLI_USAGE, "option --%s applies to model texts (.mo, .bmo) only",
                    s->n_input    ? "input"
                    : s->external ? "external"
                                  : "model");
  if (s->emit_c && !text)
    return cli_fail(CLI_USAGE, "option --emit-c shows the code made from a .mo file");
  int code = text ? cli_model_read(m, s) : open_gallery(m, s);
  if (code == CLI_OK && dae_problem_valid(m->owned, message, sizeof message) != DAE_OK)
    code = cli_fail(CLI_MODEL, "%s: %s", s->model, message);
  if (code == CLI_OK && text && !s->has_tol && dae_model_tolerance(m->text) > 0)
    s->options.rtol = s->options.atol = dae_model_tolerance(m->text);
  if (code == CLI_OK) code = take_problem(m, s);
  return code;
}

void cli_model_close(cli_model *m) {
  for (int i = 0; m->z_name && i < m->nz; i++) free(m->z_name[i]);
  for (int i = 0; m->y_name && i < m->ny; i++) free(m->y_name[i]);
  free(m->z_name);
  free(m->y_name);
  free(m->column);
  free(m->unit);
  free(m->display);
  free(m->description);
  free(m->z0);
  free(m->y0);
  free(m->fixed);
  free(m->held);
  if (m->text) dae_model_free(m->text);
  else if (m->owned) gallery_close(m->name, m->owned);
}

const char *cli_level_name(const cli_model *m, int level) {
  static const char *const name[DAE_ORDER_MAX] = {"position", "velocity", "acceleration",
                                                  "level3",   "level4",   "level5"};
  return m->order - m->first_level == 1 ? "constraint" : name[level];
}

const char *cli_model_symbol(const cli_model *m) {
  return strcmp(m->time, "time") == 0 ? "t" : m->time;
}

const char *cli_kind_name(const dae_problem *p, char *text, int size) {
  if (p->kind == DAE_MECHANICAL) snprintf(text, (size_t)size, "mechanical");
  else if (p->kind == DAE_HESSENBERG)
    snprintf(text, (size_t)size, "Hessenberg of order %d", p->hessenberg.order);
  else snprintf(text, (size_t)size, p->ode.nh > 0 ? "ODE with invariants" : "ODE");
  return text;
}
