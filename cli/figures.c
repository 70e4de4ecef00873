/* figures of the papers on a sheet: one of them, or all in columns of three */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "canvas.h"
#include "figures.h"

enum { PANEL_W = 400, PANEL_H = 250, LEFT = 70, TOP = 60, RIGHT = 20, FOOT = 44 };

static const ink curve_ink[PAPERS_CURVES] = {
    {0.75, 0.18, 0.33, 1}, {0.12, 0.41, 0.69, 1}, {0.10, 0.59, 0.46, 1}, {0.90, 0.60, 0.10, 1}};

static void ranges(const papers_figure *f, axis *x, axis *y) {
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY, least = 0;
  for (int k = 0; k < f->n_curve; k++)
    for (int i = 0; i < f->curve[k].n; i++) {
      x0 = fmin(x0, f->curve[k].x[i]), x1 = fmax(x1, f->curve[k].x[i]);
      y1 = fmax(y1, f->curve[k].y[i]);
      least = fmin(least, f->curve[k].y[i]);
      if (f->curve[k].y[i] > 0) y0 = fmin(y0, f->curve[k].y[i]);
    }
  *x = f->logarithmic ? axis_decades(x0, x1, 6) : axis_linear(0, x1, 5, false);
  *y = f->logarithmic ? axis_decades(y0, y1, 6) : axis_linear(least, y1, 5, true);
}

static void draw_figure(canvas *c, const papers_figure *f, box b) {
  axis x, y;
  char title[DAE_TEXT_MAX];
  ranges(f, &x, &y);
  x.from = b.x, x.to = b.x + b.w;
  y.from = b.y + b.h, y.to = b.y;
  axis_draw_x(c, &x, b);
  axis_draw_y(c, &y, b);
  canvas_ink(c, ink_text);
  canvas_font(c, 12, true);
  snprintf(title, sizeof title, "%s  %s", strncmp(f->id, "fig-", 4) == 0 ? f->id + 4 : f->id,
           f->title);
  canvas_text(c, b.x, b.y - 24, CANVAS_LEFT, title);
  canvas_font(c, 12, false);
  canvas_text(c, b.x + b.w / 2, b.y + b.h + 34, CANVAS_CENTER, f->x_label);
  double at = b.x;
  for (int k = 0; k < f->n_curve; k++) {
    const papers_curve *v = &f->curve[k];
    canvas_ink(c, curve_ink[k]);
    canvas_pen(c, 1.8, false);
    for (int i = 0; i < v->n; i++) {
      double px = axis_place(&x, v->x[i]), py = axis_place(&y, v->y[i]);
      if (i == 0) canvas_move(c, px, py);
      else canvas_line(c, px, py);
    }
    canvas_stroke(c);
    canvas_text(c, at, b.y - 8, CANVAS_LEFT, v->name);
    at += canvas_text_width(c, v->name) + 24;
  }
}

int cli_figures_write(int first, int last, const char *form, const char *name) {
  int count = form ? 1 : last - first, columns = count < 3 ? count : 3,
      rows = (count + columns - 1) / columns;
  double w = LEFT + PANEL_W + RIGHT, h = TOP + PANEL_H + FOOT;
  char message[DAE_TEXT_MAX] = "";
  cli_file file;
  int code = cli_file_open(&file, name);
  if (code != CLI_OK) return code;
  canvas *c = canvas_new(file.stream, name, columns * w, rows * h, 1.5);
  if (!c) {
    cli_file_abandon(&file);
    return cli_fail(CLI_FILE, "cannot draw %s: out of memory", name);
  }
  papers_figure *f = cli_take(1, sizeof *f);
  canvas_ink(c, (ink){1, 1, 1, 1});
  canvas_fill_box(c, (box){0, 0, columns * w, rows * h}, 0);
  for (int i = 0; i < count; i++) {
    dae_status status = form ? papers_form_figure(form, f)
                             : papers_figure_make(first + i, f, message, sizeof message);
    if (status == DAE_OK)
      draw_figure(c, f, (box){(i % columns) * w + LEFT, (i / columns) * h + TOP, PANEL_W, PANEL_H});
    else code = cli_fail(CLI_STOPPED, "%s: %s", form ? form : papers_figure_at(first + i), message);
  }
  free(f);
  errno = 0;
  if (!canvas_finish(c) && !file.error) file.error = errno ? errno : EIO;
  int written = cli_file_commit(&file);
  return written != CLI_OK ? written : code;
}
