/* a panel of paths in space: parallel projection of a box with its floor and its two far walls */
#include <math.h>
#include <string.h>

#include "plot.h"

typedef struct space {
  canvas *c;
  axis axis[3];
  double scale[3];   /* of the coordinates */
  double u, v, size; /* the sheet: x = u + size * .., y = v - size * .. */
} space;

static void view(const space *s, const double *x, double *u) {
  for (int i = 0; i < 2; i++) {
    u[i] = 0;
    for (int k = 0; k < 3; k++) u[i] += cli_space_view[i][k] * s->scale[k] * x[k];
  }
}

static void place(const space *s, double x, double y, double z, double *px, double *py) {
  double u[2];
  view(s, (double[]){x, y, z}, u);
  *px = s->u + s->size * u[0];
  *py = s->v - s->size * u[1];
}

/* scales: one for all, or the box is a cube; a cloud has chosen before */
static void choose_scales(space *s, const cli_panel *p, const cli_cloud *cloud) {
  double range[3];
  for (int k = 0; k < 3; k++) range[k] = s->axis[k].high - s->axis[k].low;
  bool equal = cli_equal_scales(p->equal, 3, range);
  for (int k = 0; k < 3; k++) {
    s->scale[k] = equal ? 1 : 1 / range[k];
    if (cloud) s->scale[k] = cloud->map[k == 2][k] / cli_space_view[k == 2][k];
  }
}

/* the box fills the panel, with room for the labels of its edges */
static void fit(space *s, box b) {
  enum { LEFT = 44, BELOW = 40, RIGHT = 26 };
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, u[2];
  for (int corner = 0; corner < 8; corner++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = corner >> k & 1 ? s->axis[k].high : s->axis[k].low;
    view(s, x, u);
    for (int i = 0; i < 2; i++) low[i] = fmin(low[i], u[i]), high[i] = fmax(high[i], u[i]);
  }
  double w = b.w - LEFT - RIGHT, h = b.h - BELOW;
  s->size = fmin(w / (high[0] - low[0]), h / (high[1] - low[1]));
  s->u = b.x + LEFT + (w - s->size * (high[0] - low[0])) / 2 - s->size * low[0];
  s->v = b.y + (h - s->size * (high[1] - low[1])) / 2 + s->size * high[1];
}

static void line(const space *s, const double *from, const double *to) {
  double x, y;
  place(s, from[0], from[1], from[2], &x, &y);
  canvas_move(s->c, x, y);
  place(s, to[0], to[1], to[2], &x, &y);
  canvas_line(s->c, x, y);
  canvas_stroke(s->c);
}

/* lines of the grid at the ticks of axis k, on the side where coordinate `flat` is at its low or
   high end */
static void side(const space *s, int k, int flat, bool high) {
  int across = 3 - k - flat;
  for (int i = 0; i < s->axis[k].count; i++) {
    double a[3], b[3];
    a[k] = b[k] = s->axis[k].tick[i];
    a[flat] = b[flat] = high ? s->axis[flat].high : s->axis[flat].low;
    a[across] = s->axis[across].low;
    b[across] = s->axis[across].high;
    line(s, a, b);
  }
}

static void draw_box(const space *s) {
  const axis *a = s->axis;
  canvas_ink(s->c, ink_grid);
  canvas_pen(s->c, 1, false);
  for (int k = 0; k < 2; k++) side(s, k, 2, false); /* the floor */
  side(s, 0, 1, true);
  side(s, 2, 1, true); /* the wall behind */
  side(s, 1, 0, false);
  side(s, 2, 0, false); /* the wall at the left */
  canvas_ink(s->c, ink_frame);
  line(s, (double[]){a[0].low, a[1].low, a[2].low}, (double[]){a[0].high, a[1].low, a[2].low});
  line(s, (double[]){a[0].high, a[1].low, a[2].low}, (double[]){a[0].high, a[1].high, a[2].low});
  line(s, (double[]){a[0].low, a[1].low, a[2].low}, (double[]){a[0].low, a[1].low, a[2].high});
}

/* tick labels and the name of axis k along its edge, moved away from the box by (dx, dy) */
static void edge_labels(const space *s, int k, const char *name, double dx, double dy,
                        canvas_align align) {
  const axis *a = s->axis;
  double at[3] = {k == 1 ? a[0].high : a[0].low, a[1].low, a[2].low}, x, y;
  canvas_ink(s->c, ink_faint);
  for (int i = 0; i < a[k].count; i++) {
    at[k] = a[k].tick[i];
    place(s, at[0], at[1], at[2], &x, &y);
    axis_tick_label(s->c, &a[k], i, x + dx, y + dy, align);
  }
  at[k] = k == 2 ? a[k].high : 0.5 * (a[k].low + a[k].high);
  place(s, at[0], at[1], at[2], &x, &y);
  canvas_ink(s->c, ink_text);
  canvas_font(s->c, 12, true);
  if (k == 2) canvas_text(s->c, x, y - 8, CANVAS_CENTER, name);
  else canvas_text(s->c, x + 3.2 * dx, y + 2.1 * dy, CANVAS_CENTER, name);
}

static void draw_line(const space *s, const cli_path *p, bool shadow) {
  enum { PIECE = 400 };
  bool first = true;
  for (int i = 0; i < p->count; i++) {
    const double *x = p->point[i];
    double px, py;
    if (isnan(x[0])) {
      first = true;
      continue;
    }
    place(s, x[0], x[1], shadow ? s->axis[2].low : x[2], &px, &py);
    if (first) canvas_move(s->c, px, py);
    else canvas_line(s->c, px, py);
    first = false;
    if (i % PIECE != PIECE - 1) continue;
    canvas_stroke(s->c);
    canvas_move(s->c, px, py);
  }
  canvas_stroke(s->c);
}

/* the cloud lies on the sheet already: its coordinates are those of the view */
static bool same_view(const space *s, const cli_cloud *c) {
  for (int k = 0; k < 3; k++) {
    double mine = cli_space_view[k == 2][k] * s->scale[k];
    if (fabs(c->map[k == 2][k] - mine) > 1e-9 * fabs(mine)) return false;
  }
  return true;
}

static void draw_path(const space *s, const cli_path *p, ink color) {
  double x, y;
  canvas_pen(s->c, 1.2, false);
  canvas_ink(s->c, (ink){0.80, 0.83, 0.87, p->cloud ? 0.35 : 0.9});
  draw_line(s, p, true);
  canvas_ink(s->c, color);
  canvas_pen(s->c, 1.7, false);
  if (p->cloud && same_view(s, p->cloud)) {
    axis u = {.low = 0, .high = 1, .from = s->u, .to = s->u + s->size};
    axis v = {.low = 0, .high = 1, .from = s->v, .to = s->v - s->size};
    draw_cloud(s->c, p->cloud, &u, &v, color);
  } else {
    draw_line(s, p, false);
  }
  if (isnan(p->last[0])) return;
  place(s, p->last[0], p->last[1], p->last[2], &x, &y);
  canvas_ink(s->c, color);
  canvas_dot(s->c, x, y, 4.5);
  canvas_ink(s->c, (ink){1, 1, 1, 1});
  canvas_dot(s->c, x, y, 2);
}

void draw_space_panel(const figure *f, int panel, box b) {
  const cli_panel *p = &f->p->run[0].record->panels->panel[panel];
  space s = {.c = f->c};
  const cli_cloud *cloud = NULL;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < p->count * f->p->n_run; i++) {
      const cli_path *a =
          cli_record_trace(f->p->run[i % f->p->n_run].record, panel, i / f->p->n_run)->path;
      low = fmin(low, a->low[k]);
      high = fmax(high, a->high[k]);
      if (!cloud) cloud = a->cloud;
    }
    if (!(low <= high)) low = high = 0;
    s.axis[k] = p->logarithmic[k] ? axis_exponents(low, high, 4) : axis_linear(low, high, 4, false);
  }
  choose_scales(&s, p, cloud);
  fit(&s, b);
  draw_path_heading(f, panel, b);
  draw_box(&s);
  for (int i = 0; i < p->count * f->p->n_run; i++)
    draw_path(&s, cli_record_trace(f->p->run[i % f->p->n_run].record, panel, i / f->p->n_run)->path,
              draw_color(i));
  bool one = p->count == 1;
  edge_labels(&s, 0, one ? p->series[0].part_label[0] : "x", -6, 15, CANVAS_RIGHT);
  edge_labels(&s, 1, one ? p->series[0].part_label[1] : "y", 7, 13, CANVAS_LEFT);
  edge_labels(&s, 2, one ? p->series[0].part_label[2] : "z", -8, 4, CANVAS_RIGHT);
}
