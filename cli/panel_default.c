/*
 * Panels when nothing was asked for: the declared variables, those of one unit together, else those
 * of one kind; paths of points in the plane and in space. Derivatives that nobody declared are not
 * shown.
 */
#include "panel.h"

#include <stdlib.h>
#include <string.h>

typedef enum kind { SOLUTION, RATES, MULTIPLIERS, FORMULAS, HIDDEN } kind;

enum { PANELS = 5, SERIES = 60, PATHS = 8 };

static int find(char *const *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return i;
  return -1;
}

static kind kind_of(const cli_model *m, int column) {
  int i = m->text ? find(m->z_name, m->nz, m->column[column]) : column;
  if (!m->text && i >= m->nz) return MULTIPLIERS;
  if (i >= 0) return i < m->nx ? SOLUTION : m->text ? RATES : HIDDEN;
  return find(m->y_name, m->ny, m->column[column]) >= 0 ? MULTIPLIERS : FORMULAS;
}

static const char *title_of(const cli_model *m, kind k, const char *unit) {
  static const struct {
    const char *unit, *title;
  } known[] = {{"m", "Lengths"},         {"m/s", "Velocities"}, {"rad", "Angles"},
               {"deg", "Angles"},        {"N", "Forces"},       {"rad/s", "Angular velocities"},
               {"N.m", "Torques"},       {"V", "Voltages"},     {"A", "Currents"},
               {"W", "Power"},           {"J", "Energy"},       {"K", "Temperatures"},
               {"degC", "Temperatures"}, {"Pa", "Pressures"},   {"bar", "Pressures"}};
  bool moves = m->order > 1 && !m->problem.boundary;
  for (size_t i = 0; unit[0] && i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].unit, unit) == 0) return known[i].title;
  if (unit[0]) return "Values";
  return k == SOLUTION      ? (moves ? "Positions" : "Solution")
         : k == RATES       ? "Velocities"
         : k == MULTIPLIERS ? "Multipliers"
                            : "Further variables";
}

/* the panel of a unit and, without one, of a kind; a new one when there is none; NULL: too many */
static cli_panel *panel_for(cli_panels *p, const char *title, const char *unit) {
  for (int i = 0; i < p->count; i++)
    if (p->panel[i].dimensions == 1 && strcmp(p->panel[i].title, title) == 0 &&
        strcmp(p->panel[i].series[0].unit[0], unit) == 0)
      return &p->panel[i];
  if (p->count == PANELS) return NULL;
  cli_panel *a = &p->panel[p->count++];
  *a = (cli_panel){.dimensions = 1};
  a->title = cli_take(strlen(title) + 1, 1);
  strcpy(a->title, title);
  return a;
}

static void add_column(cli_panels *p, const cli_model *m, const cli_names *names, int i) {
  const char *text = m->column[i];
  cli_panel one = {.dimensions = 1};
  kind k = kind_of(m, i);
  if (k == HIDDEN || cli_panel_add(&one, names, 1, &text) != CLI_OK) return;
  cli_series *s = &one.series[0];
  cli_panel *a = panel_for(p, title_of(m, k, s->unit[0]), s->unit[0]);
  if (a && a->count < SERIES) {
    cli_panel_take(a, &one);
    return;
  }
  cli_panels rest = {.count = 1, .panel = cli_take(1, sizeof one)};
  if (a) a->left_out++;
  rest.panel[0] = one;
  cli_panels_free(&rest);
}

/* a long list is thinned evenly: both ends stay */
static void choose_columns(cli_panels *p, const cli_model *m, const cli_names *names) {
  int all = 0, count[HIDDEN + 1] = {0}, seen[HIDDEN + 1] = {0};
  for (int i = 0; i < m->n_column; i++) count[kind_of(m, i)]++, all++;
  for (int i = 0; i < all; i++) {
    kind k = kind_of(m, i);
    int n = count[k], j = seen[k]++;
    /* is j one of SERIES evenly spaced ones? */
    long slot = (long)j * (SERIES - 1) / (n > 1 ? n - 1 : 1);
    bool drawn = n <= SERIES || slot * (n - 1) / (SERIES - 1) == j ||
                 (slot + 1) * (n - 1) / (SERIES - 1) == j;
    if (drawn) add_column(p, m, names, i);
  }
}

/* ---- paths ---- */

static int column_named(const cli_model *m, const char *name) {
  return find((char *const *)m->column, m->n_column, name);
}

/* the coordinate with another letter: x1 -> y1 */
static int partner(const cli_model *m, const char *name, char letter) {
  char other[DAE_NAME_MAX];
  snprintf(other, sizeof other, "%s", name);
  other[0] = letter;
  return column_named(m, other);
}

static bool same_kind(const cli_model *m, int i, int k) {
  return k >= 0 && kind_of(m, i) == kind_of(m, k);
}

/* points have coordinates x.., y.. and perhaps z.. with the same ending */
static int point_of(const cli_model *m, int i, int *axis) {
  kind k = kind_of(m, i);
  if (m->column[i][0] != 'x' || (k != SOLUTION && k != FORMULAS)) return 0;
  axis[0] = i;
  axis[1] = partner(m, m->column[i], 'y');
  axis[2] = partner(m, m->column[i], 'z');
  if (!same_kind(m, i, axis[1])) return 0;
  return same_kind(m, i, axis[2]) ? 3 : 2;
}

static void add_path(cli_panel *p, const cli_model *m, const cli_names *names, const int *axis) {
  const char *text[3];
  for (int k = 0; k < p->dimensions; k++) text[k] = m->column[axis[k]];
  cli_panel_add(p, names, p->dimensions, text);
}

/* paths of up to PATHS points, evenly taken */
static int point_paths(cli_panel *p, const cli_model *m, const cli_names *names, int dimensions) {
  int count = 0, axis[3], seen = 0;
  for (int i = 0; i < m->n_column; i++) count += point_of(m, i, axis) == dimensions;
  int shown = count < PATHS ? count : PATHS;
  p->dimensions = dimensions;
  for (int i = 0, next = 0; i < m->n_column && next < shown; i++) {
    if (point_of(m, i, axis) != dimensions) continue;
    if (seen++ != (shown > 1 ? (int)((long)next * (count - 1) / (shown - 1)) : 0)) continue;
    add_path(p, m, names, axis);
    next++;
  }
  return count;
}

static void choose_path(cli_panels *p, const cli_model *m, const cli_names *names) {
  cli_panel *a = &p->panel[p->count];
  int p1 = column_named(m, "p1"), p2 = column_named(m, "p2");
  *a = (cli_panel){.title = cli_take(1, 1)};
  int found = point_paths(a, m, names, 3);
  if (!found) found = point_paths(a, m, names, 2);
  a->equal = found && (m->order > 1 || m->text || found > 1);
  a->dimensions = a->dimensions ? a->dimensions : 2;
  if (!found && p1 >= 0 && p2 >= 0) {
    add_path(a, m, names, (int[]){p1, p2});
    a->equal = true;
  } else if (!found && !m->text && m->nz >= 2 && !m->problem.boundary &&
             (m->nx == 2 || (m->nx == 1 && m->order > 1))) {
    add_path(a, m, names, (int[]){0, 1});
    a->equal = m->nx == 2 && m->order > 1;
  }
  if (!found && !a->count && !m->text && m->nx == 3 && m->order == 1) {
    a->dimensions = 3;
    a->equal = true;
    add_path(a, m, names, (int[]){0, 1, 2});
  }
  if (a->count) p->count++;
  else free(a->title);
}

void cli_panels_default(cli_panels *p, const cli_model *m) {
  cli_names names = cli_model_names(m);
  *p = (cli_panels){.panel = cli_take(PANELS + 1, sizeof *p->panel)};
  choose_columns(p, m, &names);
  choose_path(p, m, &names);
}
