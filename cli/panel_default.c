/*
 * Panels when nothing was requested: the declared variables, those of one unit together, else those
 * of one kind; paths of points in the plane and in space. Derivatives that nobody declared are not
 * shown.
 */
#include "panel.h"

#include <stdlib.h>
#include <string.h>

typedef enum kind { SOLUTION, RATES, MULTIPLIERS, FORMULAS, HIDDEN } kind;

enum { PANELS = 5, SERIES = 60, PATHS = 8 };

/* names in the order of the alphabet, with their places */
typedef struct listed {
  const char *name;
  int place;
} listed;

static int by_name(const void *a, const void *b) {
  return strcmp(((const listed *)a)->name, ((const listed *)b)->name);
}

typedef struct index {
  listed *list;
  int count;
} index_of;

static index_of sort_names(char *const *name, int count) {
  index_of x = {cli_take((size_t)count, sizeof(listed)), count};
  for (int i = 0; i < count; i++) x.list[i] = (listed){name[i], i};
  qsort(x.list, (size_t)count, sizeof *x.list, by_name);
  return x;
}

static int find(const index_of *x, const char *name) {
  listed key = {name, 0};
  const listed *found = bsearch(&key, x->list, (size_t)x->count, sizeof key, by_name);
  return found ? found->place : -1;
}

/* a model whose columns are chosen from */
typedef struct chooser {
  const cli_model *m;
  cli_names names;
  index_of column;
  kind *kind; /* of the columns */
} chooser;

static void take_kinds(chooser *c) {
  const cli_model *m = c->m;
  index_of z = sort_names(m->z_name, m->nz), y = sort_names(m->y_name, m->ny);
  c->kind = cli_take((size_t)m->n_column, sizeof *c->kind);
  for (int i = 0; i < m->n_column; i++) {
    int k = m->text ? find(&z, m->column[i]) : i;
    if (!m->text && k >= m->nz) c->kind[i] = MULTIPLIERS;
    else if (k >= 0) c->kind[i] = k < m->nx ? SOLUTION : m->text ? RATES : HIDDEN;
    else c->kind[i] = find(&y, m->column[i]) >= 0 ? MULTIPLIERS : FORMULAS;
  }
  free(z.list);
  free(y.list);
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

static void add_column(cli_panels *p, const chooser *c, int i) {
  const char *text = c->m->column[i];
  cli_panel one = {.dimensions = 1};
  kind k = c->kind[i];
  if (k == HIDDEN || cli_panel_add(&one, &c->names, 1, &text) != CLI_OK) return;
  cli_series *s = &one.series[0];
  cli_panel *a = panel_for(p, title_of(c->m, k, s->unit[0]), s->unit[0]);
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
static void choose_columns(cli_panels *p, const chooser *c) {
  int count[HIDDEN + 1] = {0}, seen[HIDDEN + 1] = {0};
  for (int i = 0; i < c->m->n_column; i++) count[c->kind[i]]++;
  for (int i = 0; i < c->m->n_column; i++) {
    kind k = c->kind[i];
    long n = count[k], j = seen[k]++;
    /* is j one of SERIES evenly spaced ones? */
    long slot = j * (SERIES - 1) / (n > 1 ? n - 1 : 1);
    bool drawn = n <= SERIES || slot * (n - 1) / (SERIES - 1) == j ||
                 (slot + 1) * (n - 1) / (SERIES - 1) == j;
    if (drawn) add_column(p, c, i);
  }
}

/* ---- paths ---- */

/* the coordinate with another letter: x1 -> y1; of the same kind, else -1 */
static int partner(const chooser *c, int i, char letter) {
  char other[DAE_NAME_MAX];
  snprintf(other, sizeof other, "%s", c->m->column[i]);
  other[0] = letter;
  int k = find(&c->column, other);
  return k >= 0 && c->kind[k] == c->kind[i] ? k : -1;
}

/* points have coordinates x.., y.. and perhaps z.. with the same ending: how many; 0: none */
static int point_of(const chooser *c, int i, int *axis) {
  kind k = c->kind[i];
  if (c->m->column[i][0] != 'x' || (k != SOLUTION && k != FORMULAS)) return 0;
  axis[0] = i;
  axis[1] = partner(c, i, 'y');
  axis[2] = partner(c, i, 'z');
  return axis[1] < 0 ? 0 : axis[2] < 0 ? 2 : 3;
}

static void add_path(cli_panel *p, const chooser *c, const int *axis) {
  const char *text[3];
  for (int k = 0; k < p->dimensions; k++) text[k] = c->m->column[axis[k]];
  cli_panel_add(p, &c->names, p->dimensions, text);
}

/* paths of up to PATHS points, evenly taken */
static int point_paths(cli_panel *p, const chooser *c, int dimensions) {
  int count = 0, axis[3], seen = 0;
  for (int i = 0; i < c->m->n_column; i++) count += point_of(c, i, axis) == dimensions;
  int shown = count < PATHS ? count : PATHS;
  p->dimensions = dimensions;
  for (int i = 0, next = 0; i < c->m->n_column && next < shown; i++) {
    if (point_of(c, i, axis) != dimensions) continue;
    if (seen++ != (shown > 1 ? (int)((long)next * (count - 1) / (shown - 1)) : 0)) continue;
    add_path(p, c, axis);
    next++;
  }
  return count;
}

/* paths that are not of points: p1 and p2; two or three variables that are all there is */
static void other_path(cli_panel *a, const chooser *c) {
  const cli_model *m = c->m;
  int p1 = find(&c->column, "p1"), p2 = find(&c->column, "p2");
  a->dimensions = 2;
  if (p1 >= 0 && p2 >= 0) {
    a->equal = true;
    add_path(a, c, (int[]){p1, p2});
  } else if (m->text) {
    return;
  } else if (m->nx == 3 && m->order == 1) {
    a->dimensions = 3;
    a->equal = true;
    add_path(a, c, (int[]){0, 1, 2});
  } else if (m->nz >= 2 && !m->problem.boundary && (m->nx == 2 || (m->nx == 1 && m->order > 1))) {
    a->equal = m->nx == 2 && m->order > 1;
    add_path(a, c, (int[]){0, 1});
  }
}

static void choose_path(cli_panels *p, const chooser *c) {
  cli_panel *a = &p->panel[p->count];
  *a = (cli_panel){.title = cli_take(1, 1)};
  int found = point_paths(a, c, 3);
  if (!found) found = point_paths(a, c, 2);
  a->equal = found && (c->m->order > 1 || c->m->text || found > 1);
  if (!found) other_path(a, c);
  if (a->count) p->count++;
  else free(a->title);
}

void cli_panels_default(cli_panels *p, const cli_model *m) {
  chooser c = {.m = m, .names = cli_model_names(m)};
  *p = (cli_panels){.panel = cli_take(PANELS + 1, sizeof *p->panel)};
  c.column = sort_names((char *const *)m->column, m->n_column);
  take_kinds(&c);
  choose_columns(p, &c);
  choose_path(p, &c);
  free(c.column.list);
  free(c.kind);
}
