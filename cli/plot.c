/* the picture of runs: panels, drift and step sizes at the left; paths and the main numbers at the
   right */
#include "plot.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1240, MARGIN = 34, LEFT = 74, TOP = 122, GAP = 62, SIDE = 330, NOTE = 20 };
enum { DRIFT_HEIGHT = 170, STEP_HEIGHT = 130, FOOT = 52, WIDE_PATH = 460 };

/* exact zeros lie on the bottom line; what is far below rounding is not told apart */
static axis drift_axis(const cli_record *r, box b, bool *zero) {
  double low = INFINITY, high = 0, lowest = INFINITY;
  for (int i = r->first_level; i < r->levels; i++) {
    draw_range(r->drift[i], DRAW_HIGHEST, true, &low, &high);
    draw_range(r->drift[i], DRAW_HIGHEST, false, &lowest, &high);
  }
  *zero = lowest <= 0;
  high = fmax(high, 3e-16);
  for (int i = r->first_level; i < r->levels; i++) high = fmax(high, r->rounding[i]);
  low = fmax(fmin(low, high), 1e-18);
  axis y = axis_decades(fmin(*zero ? low / 10 : low, high / 100), high, 5);
  y.from = b.y + b.h;
  y.to = b.y;
  return y;
}

/* rounding: what a level changes by when every number in it changes by a rounding; drift near its
   line is as small as numbers allow */
static void rounding_lines(const figure *f, const axis *y, box b) {
  const cli_record *r = f->p->run[0].record;
  double last = NAN;
  canvas_font(f->c, 10.5, false);
  for (int i = r->first_level; i < r->levels; i++) {
    if (!(r->rounding[i] > 0)) continue;
    double place = axis_place(y, r->rounding[i]);
    if (place < b.y || place > b.y + b.h - 2) continue;
    ink soft = r->levels - r->first_level > 1 ? draw_color(i - r->first_level) : ink_faint;
    soft.alpha = 0.65;
    canvas_ink(f->c, soft);
    canvas_pen(f->c, 1.2, true);
    canvas_move(f->c, b.x, place);
    canvas_line(f->c, b.x + b.w, place);
    canvas_stroke(f->c);
    canvas_pen(f->c, 1, false);
    canvas_ink(f->c, ink_faint);
    if (!(fabs(place - last) < 12))
      canvas_text(f->c, b.x + b.w + 6, place + 4, CANVAS_LEFT, "rounding");
    last = place;
  }
}

static void drift_panel(const figure *f, box b) {
  const cli_record *r = f->p->run[0].record;
  const char *title = "Drift from the constraints";
  entry list[DAE_ORDER_MAX];
  int count = 0, first = r->first_level;
  bool zero, any = false;
  axis y = drift_axis(r, b, &zero);
  for (int i = first; i < r->levels; i++, count++)
    list[count] = (entry){r->drift[i]->name, draw_color(count), 0};
  draw_heading(f, b, title);
  draw_legend(f, b, title, list, count, 0);
  /* the bottom line stands for zero then, not for a power of ten */
  if (zero && y.count > 0 && y.tick[0] <= y.low)
    memmove(y.tick, y.tick + 1, (size_t)--y.count * sizeof *y.tick);
  axis_draw_x(f->c, &f->time, b);
  axis_draw_y(f->c, &y, b);
  axis_frame(f->c, b);
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 11.5, false);
  if (zero) canvas_text(f->c, b.x - 9, b.y + b.h + 4, CANVAS_RIGHT, "0");
  canvas_clip(f->c, (box){b.x - 3, b.y - 2, b.w + 6, b.h + 5});
  for (int i = first; i < r->levels; i++) {
    double low = INFINITY, high = 0;
    draw_range(r->drift[i], DRAW_HIGHEST, true, &low, &high);
    any = any || high > 0;
    canvas_ink(f->c, draw_color(i - first));
    draw_curve(f, r->drift[i], DRAW_HIGHEST, &f->time, &y, 1.5);
  }
  draw_stop(f, b, &f->time);
  canvas_unclip(f->c);
  rounding_lines(f, &y, b);
  if (any) return;
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 12, false);
  canvas_text(f->c, b.x + b.w / 2, b.y + b.h - 24, CANVAS_CENTER, "zero at every accepted point");
}

static void step_panel(const figure *f, box b) {
  const cli_record *r = f->p->run[0].record;
  char title[DAE_NAME_MAX];
  double low = INFINITY, high = 0;
  draw_range(r->step, DRAW_ALL, true, &low, &high);
  const char *what = r->mesh ? "interval" : "step";
  snprintf(title, sizeof title, "%s (%ld %s%s)", r->mesh ? "Mesh" : "Step size", r->steps, what,
           r->steps == 1 ? "" : "s");
  draw_heading(f, b, title);
  if (!(high > 0)) low = high = 1;
  axis y = axis_decades(low, high, 4);
  y.from = b.y + b.h;
  y.to = b.y;
  axis_draw_x(f->c, &f->time, b);
  axis_draw_y(f->c, &y, b);
  axis_frame(f->c, b);
  canvas_clip(f->c, (box){b.x - 3, b.y - 2, b.w + 6, b.h + 4});
  canvas_ink(f->c, draw_color(2));
  draw_curve(f, r->step, DRAW_ALL, &f->time, &y, 1.5);
  draw_stop(f, b, &f->time);
  canvas_unclip(f->c);
}

/* the main numbers of the run, as far as they fit */
static void facts_card(const figure *f, const cli_caption *caption, box b) {
  enum { ROW = 19, EDGE = 16 };
  int rows = (int)((b.h - 2 * EDGE) / ROW);
  if (rows > caption->n_fact) rows = caption->n_fact;
  if (rows <= 0) return;
  canvas_ink(f->c, (ink){0.965, 0.972, 0.98, 1});
  canvas_fill_box(f->c, (box){b.x, b.y, b.w, rows * ROW + 2 * EDGE - 6}, 6);
  for (int i = 0; i < rows; i++) {
    double y = b.y + EDGE + 11 + i * ROW;
    canvas_font(f->c, 12, caption->fact[i].head);
    canvas_ink(f->c, caption->fact[i].head ? ink_text : ink_faint);
    draw_fitted(f->c, b.x + EDGE, y, 120, caption->fact[i].label);
    canvas_ink(f->c, ink_text);
    canvas_text(f->c, b.x + b.w - EDGE, y, CANVAS_RIGHT, caption->fact[i].value);
  }
}

static void header(const figure *f, const cli_caption *caption) {
  double width = WIDTH - 2 * MARGIN;
  char title[DAE_TEXT_MAX];
  snprintf(title, sizeof title, "%s", caption->title);
  title[0] = (char)toupper((unsigned char)title[0]);
  canvas_ink(f->c, ink_text);
  canvas_font(f->c, 21, true);
  draw_fitted(f->c, MARGIN, 40, width, title);
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 13, false);
  draw_fitted(f->c, MARGIN, 63, width, caption->subtitle);
  if (!caption->note) return;
  canvas_ink(f->c, draw_alarm);
  canvas_font(f->c, 13, true);
  draw_fitted(f->c, MARGIN, 86, width, caption->note);
}

/* ---- layout ---- */

/* the left column from top to bottom, then the right one */
typedef struct layout {
  double width;  /* of the left column */
  double height; /* of the picture */
  bool side;     /* there is a right column */
  int curves;    /* panels over time */
  int paths;
  bool drift, steps;
  bool wide; /* paths stand in the left column: nothing else does */
} layout;

static double curve_height(const layout *l) {
  return l->curves <= 1 ? 310 : l->curves == 2 ? 250 : l->curves == 3 ? 210 : 170;
}

/* the sides of paths in the left column, two in a row */
static double wide_path(const layout *l) {
  return l->paths == 1 ? WIDE_PATH : fmin(WIDE_PATH, (l->width - LEFT) / 2);
}

static double left_height(const layout *l) {
  double h = l->curves * (curve_height(l) + GAP);
  if (l->wide) h += (l->paths + 1) / 2 * (wide_path(l) + GAP);
  if (l->drift) h += DRIFT_HEIGHT + GAP;
  if (l->steps) h += STEP_HEIGHT + GAP;
  return h - GAP;
}

static layout plan_layout(const figure *f) {
  const cli_picture *p = f->p;
  const cli_record *r = p->run[0].record;
  layout l = {.drift = p->n_run == 1 && r->first_level < r->levels,
              .steps = p->n_run == 1 && r->step};
  for (int i = 0; i < f->n_view; i++)
    *(r->panels->panel[f->view[i].panel].dimensions == 1 ? &l.curves : &l.paths) += 1;
  l.wide = l.curves == 0 && r->panels->asked;
  l.side = p->caption->n_fact > 0 || (l.paths > 0 && !l.wide);
  l.width = WIDTH - 2 * LEFT + MARGIN - (l.side ? LEFT + SIDE - MARGIN + 1 : 0);
  double left = left_height(&l), right = l.wide ? 0 : fmax(l.paths * (SIDE + GAP) - GAP, 0);
  double card = fmin(19 * p->caption->n_fact + 32, 340);
  if (p->caption->n_fact > 0) right += right > 0 ? GAP + card : card;
  l.height = TOP + (p->caption->note ? NOTE : 0) + fmax(left, right) + FOOT;
  return l;
}

static double draw_left(const figure *f, const layout *l, double y) {
  const cli_record *r = f->p->run[0].record;
  int path = 0;
  for (int n = 0; n < f->n_view; n++) {
    int i = f->view[n].panel, dimensions = r->panels->panel[i].dimensions;
    if (dimensions == 1) {
      draw_curve_panel(f, &f->view[n], (box){LEFT, y, l->width, curve_height(l)});
      y += curve_height(l) + GAP;
    } else if (l->wide) {
      double size = wide_path(l), x = LEFT + (path % 2) * (size + LEFT);
      box b = {x, y, l->paths == 1 ? fmin(l->width, 1.3 * size) : size, size};
      (dimensions == 2 ? draw_path_panel : draw_space_panel)(f, i, b);
      path++;
      if (path % 2 == 0 || path == l->paths) y += size + GAP;
    }
  }
  if (l->drift) {
    drift_panel(f, (box){LEFT, y, l->width, DRIFT_HEIGHT});
    y += DRIFT_HEIGHT + GAP;
  }
  if (l->steps) {
    step_panel(f, (box){LEFT, y, l->width, STEP_HEIGHT});
    y += STEP_HEIGHT + GAP;
  }
  return y;
}

static void draw_right(const figure *f, const layout *l, double y) {
  const cli_record *r = f->p->run[0].record;
  double x = LEFT + l->width + LEFT;
  for (int i = 0; !l->wide && i < r->panels->count; i++) {
    int dimensions = r->panels->panel[i].dimensions;
    if (dimensions == 1) continue;
    (dimensions == 2 ? draw_path_panel : draw_space_panel)(f, i, (box){x, y, SIDE, SIDE});
    y += SIDE + GAP;
  }
  facts_card(f, f->p->caption,
             (box){x, y - (y > TOP + SIDE ? 20 : 0), SIDE, l->height - FOOT - y + 20});
}

static void draw_figure(figure *f, const layout *l) {
  const cli_record *r = f->p->run[0].record;
  double y = TOP + (f->p->caption->note ? NOTE : 0), t0 = r->t0, end = r->t1;
  header(f, f->p->caption);
  /* a run that stopped very early is shown as far as it came */
  if (!r->backward && !(r->t_last - r->t0 > 0.2 * (r->t1 - r->t0))) end = r->t_last;
  for (int i = 1; i < f->p->n_run; i++) {
    t0 = fmin(t0, f->p->run[i].record->t0);
    end = fmax(end, f->p->run[i].record->t1);
  }
  f->time = axis_linear(t0, end, 8, false);
  f->time.from = LEFT;
  f->time.to = LEFT + l->width;
  double bottom = draw_left(f, l, y);
  if (l->side) draw_right(f, l, y);
  if (l->curves == 0 && !l->drift && !l->steps) return;
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 12, false);
  canvas_text(f->c, LEFT + l->width / 2, bottom - GAP + 38, CANVAS_CENTER, f->p->time);
}

static double size_of(const void *run, int panel, int series) {
  double low = INFINITY, high = -INFINITY;
  draw_range(cli_record_trace(run, panel, series)->curve, DRAW_ALL, false, &low, &high);
  return low <= high ? fmax(fabs(low), fabs(high)) : 0;
}

int cli_plot_write(const cli_picture *p, const char *name) {
  cli_file file;
  figure f = {.p = p};
  int code = cli_file_open(&file, name);
  if (code != CLI_OK) return code;
  const cli_record *first = p->run[0].record;
  f.n_view = cli_views_make(first->panels, p->n_run == 1 ? size_of : NULL, first, f.view);
  layout l = plan_layout(&f);
  f.c = canvas_new(file.stream, name, WIDTH, l.height, 2);
  if (f.c) {
    char *words = cli_picture_words(p);
    canvas_describe(f.c, p->caption->title, words);
    free(words);
    draw_figure(&f, &l);
    errno = 0;
    if (!canvas_finish(f.c) && !file.error) file.error = errno ? errno : EIO;
    code = cli_file_commit(&file);
  } else {
    cli_file_abandon(&file);
    code = cli_fail(CLI_FILE, "cannot draw %s: out of memory", name);
  }
  cli_views_free(f.view, f.n_view);
  return code;
}
