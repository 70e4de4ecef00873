/* maps over two values of a sweep: a grid as coloured cells, a design as coloured points */
#include "sweep_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

enum { MAP_W = 430, MAP_H = 340, LEFT = 86, RIGHT = 104, TOP = 122, GAP = 66, FOOT = 58 };
enum { CELLS_MOST = 240, POINTS_MOST = 20000, MAPS_MOST = 12 };

typedef struct map {
  canvas *c;
  const cli_stored *t;
  const char *name;
  bool logarithmic;
  double *value; /* of the rows; NaN: failed, or no value */
  double low, high;
  axis x, y;
  int nx, ny; /* cells */
  bool grid;
} map;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* how many different values a column has */
static long distinct(const double *value, long rows) {
  double *list = cli_take((size_t)rows, sizeof *list);
  long count = 0;
  memcpy(list, value, (size_t)rows * sizeof *list);
  qsort(list, (size_t)rows, sizeof *list, by_value);
  for (long i = 0; i < rows; i++) count += i == 0 || list[i] != list[i - 1];
  free(list);
  return count;
}

static void range(const double *value, long rows, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (long i = 0; i < rows; i++)
    if (isfinite(value[i])) *low = fmin(*low, value[i]), *high = fmax(*high, value[i]);
}

/* the axis of a column, with half a cell around a grid */
static axis column_axis(const double *value, long rows, long cells, bool grid) {
  double low, high;
  range(value, rows, &low, &high);
  double half = grid && cells > 1 ? 0.5 * (high - low) / (double)(cells - 1) : 0;
  if (!grid) return axis_linear(low, high, 5, true);
  axis a = axis_linear(low, high, 5, false);
  if (low < high) a.low = low - half, a.high = high + half;
  return a;
}

/* is it a grid? The cells are no more than can be seen */
static void choose_cells(map *m) {
  const double *x = m->t->value[1], *y = m->t->value[2];
  long rows = m->t->rows, nx = distinct(x, rows), ny = distinct(y, rows);
  m->grid = nx * ny == rows && rows > 1;
  m->x = column_axis(x, rows, nx, m->grid);
  m->y = column_axis(y, rows, ny, m->grid);
  if (!m->grid && rows > POINTS_MOST) m->grid = true, nx = ny = 120;
  m->nx = (int)(nx < CELLS_MOST ? nx : CELLS_MOST);
  m->ny = (int)(ny < CELLS_MOST ? ny : CELLS_MOST);
}

static double shade(const map *m, double v) {
  double at = m->logarithmic ? log10(v) : v, low = m->low, high = m->high;
  return high > low ? (at - low) / (high - low) : 0.5;
}

/* the mean of a cell; how many of its members failed */
typedef struct cell {
  double sum;
  long good, bad;
} cell;

static int cell_of(const axis *a, double v, int n) {
  int i = (int)floor((v - a->low) / (a->high - a->low) * n);
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static const ink failed_ink = {0.86, 0.87, 0.89, 1};

static void draw_cells(const map *m) {
  cell *list = cli_take((size_t)m->nx * (size_t)m->ny, sizeof *list);
  for (long i = 0; i < m->t->rows; i++) {
    cell *c = &list[(size_t)cell_of(&m->y, m->t->value[2][i], m->ny) * (size_t)m->nx +
                    (size_t)cell_of(&m->x, m->t->value[1][i], m->nx)];
    double v = m->value[i];
    if (isfinite(v)) c->sum += v, c->good++;
    else c->bad++;
  }
  double w = (m->x.to - m->x.from) / m->nx, h = (m->y.from - m->y.to) / m->ny;
  for (int j = 0; j < m->ny; j++)
    for (int i = 0; i < m->nx; i++) {
      const cell *c = &list[j * m->nx + i];
      box b = {m->x.from + i * w, m->y.from - (j + 1) * h, w, h};
      if (c->good + c->bad == 0) continue;
      canvas_ink(m->c, c->good ? draw_shade(shade(m, c->sum / (double)c->good)) : failed_ink);
      /* a little more, so that no seams show */
      canvas_box(m->c, (box){b.x, b.y, b.w + 0.4, b.h + 0.4});
      canvas_fill(m->c);
      if (c->good || b.w < 5 || b.h < 5) continue;
      canvas_ink(m->c, ink_faint);
      canvas_pen(m->c, 1, false);
      canvas_move(m->c, b.x + 0.3 * w, b.y + 0.3 * h);
      canvas_line(m->c, b.x + 0.7 * w, b.y + 0.7 * h);
      canvas_move(m->c, b.x + 0.3 * w, b.y + 0.7 * h);
      canvas_line(m->c, b.x + 0.7 * w, b.y + 0.3 * h);
      canvas_stroke(m->c);
    }
  free(list);
}

static void draw_points(const map *m) {
  double radius = fmin(6, fmax(1.5, 60 / sqrt((double)m->t->rows)));
  for (long i = 0; i < m->t->rows; i++) {
    double v = m->value[i];
    canvas_ink(m->c, isfinite(v) ? draw_shade(shade(m, v)) : failed_ink);
    canvas_dot(m->c, axis_place(&m->x, m->t->value[1][i]), axis_place(&m->y, m->t->value[2][i]),
               radius);
  }
}

static void draw_scale(const map *m, box b) {
  enum { PARTS = 100, WIDE = 14 };
  axis a =
      m->logarithmic ? axis_exponents(m->low, m->high, 5) : axis_linear(m->low, m->high, 5, false);
  if (m->high > m->low) axis_trim(&a, m->low, m->high);
  a.from = b.y + b.h;
  a.to = b.y;
  box bar = {b.x + b.w + 22, b.y, WIDE, b.h};
  for (int i = 0; i < PARTS; i++) {
    canvas_ink(m->c, draw_shade((i + 0.5) / PARTS));
    canvas_box(m->c, (box){bar.x, b.y + b.h * (PARTS - 1 - i) / PARTS, WIDE, b.h / PARTS + 0.4});
    canvas_fill(m->c);
  }
  axis_draw_right(m->c, &a, bar);
}

static void draw_map(map *m, box b) {
  m->x.from = b.x;
  m->x.to = b.x + b.w;
  m->y.from = b.y + b.h;
  m->y.to = b.y;
  canvas_ink(m->c, ink_text);
  canvas_font(m->c, 14, true);
  draw_fitted(m->c, b.x, b.y - 13, b.w + 60, m->name);
  axis_draw_x(m->c, &m->x, b);
  axis_draw_y(m->c, &m->y, b);
  canvas_clip(m->c, b);
  if (m->grid) draw_cells(m);
  else draw_points(m);
  canvas_unclip(m->c);
  axis_frame(m->c, b);
  if (m->low <= m->high) draw_scale(m, b);
  canvas_ink(m->c, ink_faint);
  canvas_font(m->c, 12, false);
  canvas_text(m->c, b.x + b.w / 2, b.y + b.h + 36, CANVAS_CENTER, m->t->name[1]);
  canvas_text(m->c, b.x - 8, b.y - 13, CANVAS_RIGHT, m->t->name[2]);
}

/* the values of a quantity; how many rows have none */
static long evaluate(map *m, const cli_series *s, int good) {
  double *column = cli_take((size_t)m->t->count, sizeof *column);
  long failed = 0;
  for (long i = 0; i < m->t->rows; i++) {
    for (int k = 0; k < m->t->count; k++) column[k] = m->t->value[k] ? m->t->value[k][i] : NAN;
    m->value[i] =
        m->t->value[good][i] != 0 ? cli_series_value(s, 0, m->t->value[1][i], column) : NAN;
    if (m->logarithmic && !(m->value[i] > 0)) m->value[i] = NAN;
    failed += !isfinite(m->value[i]);
  }
  range(m->value, m->t->rows, &m->low, &m->high);
  if (m->logarithmic) m->low = log10(m->low), m->high = log10(m->high);
  free(column);
  return failed;
}

static int read_columns(cli_stored *t, const cli_panels *panels, int good) {
  bool *used = cli_take((size_t)t->count, sizeof *used);
  int code = CLI_OK, maps = 0;
  used[1] = used[2] = used[good] = true;
  for (int i = 0; i < panels->count; i++)
    for (int j = 0; j < panels->panel[i].count && code == CLI_OK; j++, maps++) {
      const cli_series *s = &panels->panel[i].series[j];
      if (panels->panel[i].dimensions > 1 || cli_series_rates(s))
        code = cli_fail(
            CLI_USAGE, "option --show: a map over two values shows numbers, not '%.60s'", s->label);
      else cli_expression_uses(s->part[0], used);
    }
  if (code == CLI_OK && maps > MAPS_MOST)
    code = cli_fail(CLI_USAGE, "option --show: %d maps exceed the limit of %d", maps, MAPS_MOST);
  if (code == CLI_OK) code = cli_stored_read(t, used);
  free(used);
  for (int k = 1; k <= 2; k++)
    for (long i = 0; code == CLI_OK && i < t->rows; i++)
      if (!isfinite(t->value[k][i]))
        code = cli_fail(CLI_FILE, "%s: row %ld: %s is not a number", t->file, i + 1, t->name[k]);
  return code;
}

static void draw_title(canvas *c, const cli_stored *t, double width) {
  char text[DAE_TEXT_MAX];
  canvas_ink(c, ink_text);
  canvas_font(c, 21, true);
  draw_fitted(c, 34, 40, width - 68, t->file);
  snprintf(text, sizeof text, "%ld runs over %.60s and %.60s", t->rows, t->name[1], t->name[2]);
  canvas_ink(c, ink_faint);
  canvas_font(c, 13, false);
  draw_fitted(c, 34, 63, width - 68, text);
}

/* the maps one after the other, two in a row; each adds a line to the words */
static void draw_maps(canvas *c, const cli_stored *t, const cli_panels *panels, int good,
                      FILE *words) {
  map m = {.c = c, .t = t, .value = cli_take((size_t)t->rows, sizeof(double))};
  int n = 0;
  choose_cells(&m);
  for (int i = 0; i < panels->count; i++)
    for (int j = 0; j < panels->panel[i].count; j++, n++) {
      const cli_series *s = &panels->panel[i].series[j];
      m.name = s->label;
      m.logarithmic = s->right ? panels->panel[i].log_right : panels->panel[i].logarithmic[1];
      long failed = evaluate(&m, s, good);
      bool log = m.logarithmic;
      fprintf(words, "map %d, %s over %s and %s: from %.5g to %.5g%s, %ld of %ld runs have none\n",
              n + 1, s->label, t->name[1], t->name[2], log ? pow(10, m.low) : m.low,
              log ? pow(10, m.high) : m.high, log ? ", logarithmic" : "", failed, t->rows);
      box b = {LEFT + (n % 2) * (MAP_W + RIGHT + LEFT), TOP + (n / 2) * (MAP_H + GAP), MAP_W,
               MAP_H};
      draw_map(&m, b);
      if (failed == 0) continue;
      char text[DAE_NAME_MAX];
      snprintf(text, sizeof text, "grey: %ld without value", failed);
      canvas_ink(c, ink_faint);
      canvas_font(c, 11, false);
      canvas_text(c, b.x + b.w, b.y - 13, CANVAS_RIGHT, text);
    }
  free(m.value);
}

int cli_sweep_map(cli_stored *t, const cli_panels *panels, const char *name) {
  int good = cli_stored_find(t, "status"), maps = 0;
  int code = read_columns(t, panels, good);
  cli_file file;
  if (code == CLI_OK) code = cli_file_open(&file, name);
  if (code != CLI_OK) return code;
  for (int i = 0; i < panels->count; i++) maps += panels->panel[i].count;
  double width = (maps > 1 ? 2 : 1) * (LEFT + MAP_W + RIGHT), rows = (maps + 1) / 2;
  double height = TOP + rows * (MAP_H + GAP) - GAP + FOOT;
  char *text = NULL;
  size_t size;
  FILE *words = open_memstream(&text, &size);
  canvas *c = words ? canvas_new(file.stream, name, width, height, 2) : NULL;
  if (!c) {
    cli_file_abandon(&file);
    return cli_fail(CLI_FILE, "cannot draw %s: out of memory", name);
  }
  draw_title(c, t, width);
  draw_maps(c, t, panels, good, words);
  fclose(words);
  canvas_describe(c, t->file, text);
  free(text);
  errno = 0;
  if (!canvas_finish(c) && !file.error) file.error = errno ? errno : EIO;
  return cli_file_commit(&file);
}
