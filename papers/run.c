/* one row of a table by one run of the solver */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "papers.h"

enum { SETS = 8, TEXT = 64 };

static dae_status wrong(char *message, int size, const char *what, const char *text) {
  snprintf(message, (size_t)size, "%s '%s'", what, text);
  return DAE_E_INPUT;
}

/* the next "key=value" of a text with blanks between; false at its end */
static bool next_pair(const char **text, char key[TEXT], char value[TEXT]) {
  const char *at = *text + strspn(*text, " ");
  size_t n = strcspn(at, "="), m;
  if (!*at || !at[n] || n >= TEXT) return false;
  memcpy(key, at, n);
  key[n] = '\0';
  at += n + 1;
  m = strcspn(at, " ");
  if (m >= TEXT) return false;
  memcpy(value, at, m);
  value[m] = '\0';
  *text = at + m;
  return true;
}

/* 1.5 or 2pi */
static double read_time(const char *text) {
  char *end;
  double t = strtod(text, &end);
  return strcmp(end, "pi") == 0 ? t * 3.14159265358979323846 : t;
}

static double time_of(const papers_cell *cell, double otherwise) {
  const char *at = strchr(cell->quantity, '@');
  return at ? read_time(at + 1) : otherwise;
}

/* names of NAME options must outlive the solver's construction: `value` holds the texts of the
   caller */
static dae_status read_options(dae_options *o, const char *text, char value[][TEXT], int *used,
                               char *message, int size) {
  char key[TEXT];
  while (*used < 16 && next_pair(&text, key, value[*used])) {
    dae_status status = dae_options_set(o, key, value[*used], message, size);
    if (status != DAE_OK) return status;
    ++*used;
  }
  return DAE_OK;
}

static dae_status open_problem(dae_problem **p, const char *name, const char *text, char *message,
                               int size) {
  char key[SETS][TEXT], value[TEXT];
  const char *names[SETS];
  double values[SETS];
  int n = 0;
  while (n < SETS && next_pair(&text, key[n], value)) {
    names[n] = key[n];
    values[n++] = strtod(value, NULL);
  }
  return gallery_open(p, name, n, names, values, message, size);
}

/* ---- quantities at the present point ---- */

/* largest error of the components of x^(level), or of component `which` (from 1) alone */
static double error_of(dae_solver *s, const dae_problem *p, int level, int which) {
  int nx = dae_problem_nx(p), nz = dae_problem_nz(p), ny = dae_problem_ny(p);
  double *z = malloc((size_t)(nz + ny + 1) * sizeof *z), worst = 0;
  if (!z || !p->exact || p->exact(dae_solver_time(s), z, z + nz, p->ctx) != 0) worst = NAN;
  const double *now = level < 0 ? dae_solver_y(s) : dae_solver_z(s) + level * nx;
  const double *exact = level < 0 ? z + nz : z + level * nx;
  for (int i = 0; i < (level < 0 ? ny : nx) && !isnan(worst); i++)
    if (which == 0 || which == i + 1) worst = fmax(worst, fabs(now[i] - exact[i]));
  free(z);
  return worst;
}

static double variable(dae_solver *s, const dae_problem *p, const char *name) {
  char text[TEXT];
  for (int i = 0; i < dae_problem_nz(p); i++)
    if (strcmp(dae_problem_z_name(p, i, text, TEXT), name) == 0) return dae_solver_z(s)[i];
  for (int i = 0; i < dae_problem_ny(p); i++)
    if (strcmp(dae_problem_y_name(p, i, text, TEXT), name) == 0) return dae_solver_y(s)[i];
  return NAN;
}

static double quantity(dae_solver *s, const dae_problem *p, const char *text) {
  char name[TEXT];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "@"), text);
  if (name[0] == '=') return variable(s, p, name + 1);
  if (strcmp(name, "mu") == 0) return dae_solver_stats(s)->mu_last;
  if (strncmp(name, "drift", 5) == 0) {
    double drift[DAE_ORDER_MAX] = {0};
    dae_status status = dae_solver_drift(s, dae_solver_time(s), dae_solver_z(s), drift);
    return status == DAE_OK ? drift[atoi(name + 5)] : NAN;
  }
  int level = name[0] == 'x' ? 0 : name[0] == 'v' ? 1 : name[0] == 'y' ? -1 : -2;
  return level == -2 ? NAN : error_of(s, p, level, atoi(name + 1));
}

/* runs from time to time of the cells, in rising order, and reads the cells there */
static dae_status pass(dae_solver *s, const dae_problem *p, const papers_row *row, double *values) {
  for (double now = -INFINITY;;) {
    double next = INFINITY;
    for (const papers_cell *c = row->cell; c->quantity; c++) {
      double t = time_of(c, p->t1);
      if (t > now && t < next) next = t;
    }
    if (next == INFINITY) return DAE_OK;
    dae_status status = dae_solver_advance(s, next);
    if (status != DAE_OK) return status;
    for (int i = 0; row->cell[i].quantity; i++)
      if (time_of(&row->cell[i], p->t1) == next) values[i] = quantity(s, p, row->cell[i].quantity);
    now = next;
  }
}

/* runs step by step and keeps the largest value of every cell */
static dae_status pass_maxima(dae_solver *s, const dae_problem *p, const papers_row *row,
                              double *values) {
  for (int i = 0; row->cell[i].quantity; i++) values[i] = 0;
  while (dae_solver_time(s) < p->t1) {
    dae_status status = dae_solver_step(s, p->t1);
    if (status != DAE_OK) return status;
    for (int i = 0; row->cell[i].quantity; i++) {
      double now = quantity(s, p, row->cell[i].quantity + strlen("max "));
      if (!(now <= values[i])) values[i] = now;
    }
  }
  return DAE_OK;
}

dae_status papers_run(const papers_table *table, const papers_row *row, double *values,
                      char *message, int size) {
  const char *name = row->problem ? row->problem : table->problem;
  char text[16][TEXT];
  int used = 0;
  dae_options o = dae_options_default();
  dae_problem *p = NULL;
  dae_solver *s = NULL;
  dae_report report = {0};
  if (!name) return wrong(message, size, "no problem for row", row->label);
  for (int i = 0; row->cell[i].quantity; i++) values[i] = NAN;
  dae_status status =
      read_options(&o, table->options ? table->options : "", text, &used, message, size);
  if (status == DAE_OK) status = read_options(&o, row->options, text, &used, message, size);
  if (status == DAE_OK) status = open_problem(&p, name, row->set, message, size);
  if (status != DAE_OK) return status;
  status = dae_solver_new(&s, p, &o, &report);
  if (status == DAE_OK) status = dae_solver_start(s, p->t0, NULL, NULL);
  bool maxima = strncmp(row->cell[0].quantity, "max ", 4) == 0;
  if (status == DAE_OK) status = (maxima ? pass_maxima : pass)(s, p, row, values);
  if (s) report = *dae_solver_report(s);
  if (status != DAE_OK)
    snprintf(message, (size_t)size, "%s at t = %g%s%s", dae_status_name(status), report.t,
             report.equation[0] ? " in " : "", report.equation);
  dae_solver_free(s);
  gallery_close(name, p);
  return status;
}
