/* the picture of a run: solution, path in the plane, drift and step sizes, and the main numbers */
#include "cli.h"

#include <errno.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "axis.h"
#include "canvas.h"

enum { WIDTH = 1240, MARGIN = 34, LEFT = 74, TOP = 122, GAP = 62, SIDE = 330, NOTE = 20 };
enum { SOLUTION_HEIGHT = 310, DRIFT_HEIGHT = 170, STEP_HEIGHT = 130, FOOT = 52 };

#define HEX(r, g, b) \
  { (r) / 255.0, (g) / 255.0, (b) / 255.0, 1 }

/* colours that also those tell apart who see few: neighbours differ in lightness too */
static const ink palette[CLI_BRIGHT] = {
    HEX(31, 105, 176), HEX(226, 94, 45), HEX(26, 150, 117), HEX(150, 80, 170), HEX(214, 160, 20),
    HEX(64, 178, 220), HEX(190, 45, 85), HEX(110, 130, 40), HEX(90, 90, 180),  HEX(130, 85, 60),
};
static const ink pale = {0.80, 0.83, 0.87, 0.75}, alarm_red = HEX(190, 45, 85);

typedef struct figure {
  canvas *c;
  const cli_record *r;
  axis time;
} figure;

typedef enum which { ALL_POINTS, HIGHEST } which;

/* the points drawn for bin i: all of them, or the highest of every few bins */
static int points_of(const cli_curve *curve, int i, which w, cli_sample *out) {
  enum { FEW = 4 };
  if (w == ALL_POINTS) return cli_bin_points(&curve->bin[i], out);
  int count = 0;
  for (int k = i; i % FEW == 0 && k < i + FEW && k < CLI_BINS; k++) {
    const cli_bin *b = &curve->bin[k];
    if (!b->used || (count && b->high.v <= out[0].v)) continue;
    out[0] = b->high;
    count = 1;
  }
  return count;
}

/* lowest and highest drawn value of a curve; lowest positive one for logarithmic axes */
static void range_of(const cli_curve *curve, which w, bool positive, double *low, double *high) {
  cli_sample s[4];
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = points_of(curve, i, w, s), k = 0; k < n; k++) {
      if (s[k].v > *high) *high = s[k].v;
      if (s[k].v < *low && !(positive && s[k].v <= 0)) *low = s[k].v;
    }
  }
}

/* all that a curve goes up and down */
static double travel_of(const cli_curve *curve) {
  cli_sample s[4];
  double travel = 0, last = NAN;
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = cli_bin_points(&curve->bin[i], s), k = 0; k < n; k++) {
      if (!isnan(last)) travel += fabs(s[k].v - last);
      last = s[k].v;
    }
  }
  return travel;
}

static long count_of(const cli_curve *curve, which w) {
  cli_sample s[4];
  long count = 0;
  for (int i = 0; i < CLI_BINS; i++) count += points_of(curve, i, w, s);
  return count;
}

static void draw_curve(const figure *f, const cli_curve *curve, which w, const axis *y, ink color,
                       double width) {
  cli_sample s[4];
  bool first = true, dots = w == HIGHEST && count_of(curve, w) < 40;
  canvas_ink(f->c, color);
  canvas_pen(f->c, width, false);
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = points_of(curve, i, w, s), k = 0; k < n; k++) {
      double px = axis_place(&f->time, s[k].t), py = axis_place(y, s[k].v);
      if (first) canvas_move(f->c, px, py);
      else canvas_line(f->c, px, py);
      first = false;
    }
  }
  canvas_stroke(f->c);
  for (int i = 0; dots && i < CLI_BINS; i++)
    if (points_of(curve, i, w, s))
      canvas_dot(f->c, axis_place(&f->time, s[0].t), axis_place(y, s[0].v), 2.8);
}

static void frame(const figure *f, box b) {
  canvas_ink(f->c, ink_frame);
  canvas_pen(f->c, 1, false);
  canvas_move(f->c, b.x, b.y);
  canvas_line(f->c, b.x, b.y + b.h);
  canvas_line(f->c, b.x + b.w, b.y + b.h);
  canvas_stroke(f->c);
}

/* the shortest text with an end mark that fits a width */
static void fitted_text(canvas *c, double x, double y, double width, const char *text) {
  char cut[2 * DAE_TEXT_MAX];
  snprintf(cut, sizeof cut, "%s", text);
  size_t n = strlen(cut);
  while (n > 1 && canvas_text_width(c, cut) > width) {
    /* never cut within a character of several bytes */
    do n--;
    while (n > 1 && ((unsigned char)cut[n] & 0xC0) == 0x80);
    snprintf(cut + n, sizeof cut - n, "..");
  }
  canvas_text(c, x, y, CANVAS_LEFT, cut);
}

static void heading(const figure *f, box b, const char *text) {
  canvas_ink(f->c, ink_text);
  canvas_font(f->c, 14, true);
  canvas_text(f->c, b.x, b.y - 13, CANVAS_LEFT, text);
}

/* one line of coloured names to the right of the heading; returns how many fit, counts the
   others */
static int legend(const figure *f, box b, const char *title, const char *const *name,
                  const ink *color, int count, int hidden) {
  enum { REST = 90 };
  char rest[DAE_NAME_MAX];
  canvas_font(f->c, 14, true);
  double x = b.x + canvas_text_width(f->c, title) + 26, end = b.x + b.w;
  int shown = 0;
  canvas_font(f->c, 12, false);
  for (; shown < count; shown++) {
    bool last = shown == count - 1 && hidden == 0;
    double width = canvas_text_width(f->c, name[shown]), room = end - x - 20 - (last ? 0 : REST);
    if (width > room && (shown > 0 || room < 20)) break;
    if (width > room) width = room;
    canvas_ink(f->c, color[shown]);
    canvas_fill_box(f->c, (box){x, b.y - 19.5, 14, 4}, 2);
    canvas_ink(f->c, ink_text);
    fitted_text(f->c, x + 20, b.y - 13, width + 1, name[shown]);
    x += 20 + width + 18;
  }
  hidden += count - shown;
  if (hidden <= 0) return shown;
  snprintf(rest, sizeof rest, "and %d more", hidden);
  canvas_ink(f->c, ink_faint);
  canvas_text(f->c, x, b.y - 13, CANVAS_LEFT, rest);
  return shown;
}

/* where the run stopped early, a dashed line */
static void stop_line(const figure *f, box b) {
  if (!(f->r->t_last < f->r->t1)) return;
  double x = axis_place(&f->time, f->r->t_last);
  canvas_ink(f->c, alarm_red);
  canvas_pen(f->c, 1.2, true);
  canvas_move(f->c, x, b.y);
  canvas_line(f->c, x, b.y + b.h);
  canvas_stroke(f->c);
  canvas_pen(f->c, 1, false);
}

static void solution_panel(const figure *f, box b) {
  const cli_record *r = f->r;
  const char *title = r->model->order > 1 ? "Positions" : "Solution", *name[CLI_BRIGHT];
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < r->n_curve; i++) {
    range_of(r->curve[i], ALL_POINTS, false, &low, &high);
    if (i < r->n_bright) name[i] = r->curve[i]->name;
  }
  if (!(low <= high)) low = high = 0;
  axis y = axis_linear(low, high, 6, true);
  y.from = b.y + b.h;
  y.to = b.y;
  heading(f, b, title);
  int named = legend(f, b, title, name, palette, r->n_bright, r->model->nx - r->n_bright);
  axis_draw_x(f->c, &f->time, b);
  axis_draw_y(f->c, &y, b);
  frame(f, b);
  canvas_clip(f->c, (box){b.x, b.y - 2, b.w + 2, b.h + 4});
  for (int i = r->n_curve - 1; i >= 0; i--) {
    bool bright = i < named;
    bool dense = travel_of(r->curve[i]) > 60 * (y.high - y.low);
    ink color = bright ? palette[i] : pale;
    if (dense) color.alpha *= 0.5;
    draw_curve(f, r->curve[i], ALL_POINTS, &y, color, bright && !dense ? 1.9 : 1.0);
  }
  stop_line(f, b);
  canvas_unclip(f->c);
}

/* both axes of a motion in a plane have one scale: the shorter one is widened */
static void equal_scales(axis *x, axis *y, box b) {
  double dx = (x->high - x->low) / b.w, dy = (y->high - y->low) / b.h;
  axis *shorter = dx < dy ? x : y;
  double half = 0.5 * fmax(dx, dy) * (dx < dy ? b.w : b.h);
  double middle = 0.5 * (shorter->low + shorter->high);
  *shorter = axis_linear(middle - half, middle + half, 5, false);
}

/* a path that was thinned has no lines between its points any more: dots show where it has been */
static void draw_path(const figure *f, const cli_path *p, const axis *x, const axis *y, ink color) {
  enum { PIECE = 400 };
  if (p->count == 0) return;
  bool dots = f->r->path_stride > 1;
  ink soft = color;
  soft.alpha = dots ? 0.4 : 0.9;
  canvas_ink(f->c, soft);
  canvas_pen(f->c, 1.7, false);
  double px = axis_place(x, p->point[0][0]), py = axis_place(y, p->point[0][1]);
  for (int i = 0; i < p->count; i++) {
    /* short pieces: one long line costs much where it crosses itself */
    if (i % PIECE == 0) {
      canvas_stroke(f->c);
      canvas_move(f->c, px, py);
    }
    px = axis_place(x, p->point[i][0]);
    py = axis_place(y, p->point[i][1]);
    if (dots) canvas_dot(f->c, px, py, 1.1);
    else canvas_line(f->c, px, py);
  }
  canvas_stroke(f->c);
  canvas_ink(f->c, color);
  canvas_dot(f->c, px, py, 4.5);
  canvas_ink(f->c, (ink){1, 1, 1, 1});
  canvas_dot(f->c, px, py, 2);
}

static void path_panel(const figure *f, box b) {
  const cli_record *r = f->r;
  char title[3 * DAE_NAME_MAX];
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < r->n_path; k++)
    for (int i = 0; i < r->path[k]->count; i++)
      for (int d = 0; d < 2; d++) {
        lo[d] = fmin(lo[d], r->path[k]->point[i][d]);
        hi[d] = fmax(hi[d], r->path[k]->point[i][d]);
      }
  axis x = axis_linear(lo[0], hi[0], 5, true), y = axis_linear(lo[1], hi[1], 5, true);
  if (r->plane) equal_scales(&x, &y, b);
  x.from = b.x;
  x.to = b.x + b.w;
  y.from = b.y + b.h;
  y.to = b.y;
  snprintf(title, sizeof title, "%s (%s, %s)", r->plane ? "Path" : "Phase",
           r->model->z_name[r->path[0]->x], r->model->z_name[r->path[0]->y]);
  if (r->n_path > 1) snprintf(title, sizeof title, "Paths in the plane");
  heading(f, b, title);
  axis_draw_x(f->c, &x, b);
  axis_draw_y(f->c, &y, b);
  frame(f, b);
  canvas_clip(f->c, (box){b.x - 5, b.y - 5, b.w + 10, b.h + 10});
  for (int k = 0; k < r->n_path; k++) draw_path(f, r->path[k], &x, &y, palette[k]);
  canvas_unclip(f->c);
}

/* exact zeros lie on the bottom line; what is far below rounding is not told apart */
static axis drift_axis(const cli_record *r, box b, bool *zero) {
  double low = INFINITY, high = 0, lowest = INFINITY;
  for (int i = r->model->first_level; i < r->model->order; i++) {
    range_of(r->drift[i], HIGHEST, true, &low, &high);
    range_of(r->drift[i], HIGHEST, false, &lowest, &high);
  }
  *zero = lowest <= 0;
  high = fmax(high, 3e-16);
  low = fmax(fmin(low, high), 1e-18);
  axis y = axis_decades(fmin(*zero ? low / 10 : low, high / 100), high, 5);
  y.from = b.y + b.h;
  y.to = b.y;
  return y;
}

/* the rounding unit: drift near this line is as small as numbers allow */
static void rounding_line(const figure *f, const axis *y, box b) {
  double place = axis_place(y, 2.2e-16);
  if (place < b.y || place > b.y + b.h - 2) return;
  canvas_ink(f->c, ink_faint);
  canvas_pen(f->c, 1.2, true);
  canvas_move(f->c, b.x, place);
  canvas_line(f->c, b.x + b.w, place);
  canvas_stroke(f->c);
  canvas_pen(f->c, 1, false);
  canvas_font(f->c, 10.5, false);
  canvas_text(f->c, b.x + b.w + 6, place + 4, CANVAS_LEFT, "rounding");
}

static void drift_panel(const figure *f, box b) {
  const cli_record *r = f->r;
  const char *title = "Drift from the constraints", *name[DAE_ORDER_MAX];
  int count = 0, first = r->model->first_level;
  bool zero, any = false;
  axis y = drift_axis(r, b, &zero);
  for (int i = first; i < r->model->order; i++) name[count++] = r->drift[i]->name;
  heading(f, b, title);
  legend(f, b, title, name, palette, count, 0);
  /* the bottom line stands for zero then, not for a power of ten */
  if (zero && y.count > 0 && y.tick[0] <= y.low)
    memmove(y.tick, y.tick + 1, (size_t)--y.count * sizeof *y.tick);
  axis_draw_x(f->c, &f->time, b);
  axis_draw_y(f->c, &y, b);
  frame(f, b);
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 11.5, false);
  if (zero) canvas_text(f->c, b.x - 9, b.y + b.h + 4, CANVAS_RIGHT, "0");
  canvas_clip(f->c, (box){b.x - 3, b.y - 2, b.w + 6, b.h + 5});
  for (int i = first; i < r->model->order; i++) {
    double low = INFINITY, high = 0;
    range_of(r->drift[i], HIGHEST, true, &low, &high);
    any = any || high > 0;
    draw_curve(f, r->drift[i], HIGHEST, &y, palette[i - first], 1.5);
  }
  stop_line(f, b);
  canvas_unclip(f->c);
  rounding_line(f, &y, b);
  if (any) return;
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 12, false);
  canvas_text(f->c, b.x + b.w / 2, b.y + b.h - 24, CANVAS_CENTER, "zero at every accepted point");
}

static void step_panel(const figure *f, box b) {
  const cli_record *r = f->r;
  char title[DAE_NAME_MAX];
  double low = INFINITY, high = 0;
  range_of(r->step, ALL_POINTS, true, &low, &high);
  snprintf(title, sizeof title, "Step size (%ld step%s)", r->steps, r->steps == 1 ? "" : "s");
  heading(f, b, title);
  if (!(high > 0)) low = high = 1;
  axis y = axis_decades(low, high, 4);
  y.from = b.y + b.h;
  y.to = b.y;
  axis_draw_x(f->c, &f->time, b);
  axis_draw_y(f->c, &y, b);
  frame(f, b);
  canvas_clip(f->c, (box){b.x - 3, b.y - 2, b.w + 6, b.h + 4});
  draw_curve(f, r->step, ALL_POINTS, &y, palette[2], 1.5);
  stop_line(f, b);
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
    fitted_text(f->c, b.x + EDGE, y, 120, caption->fact[i].label);
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
  fitted_text(f->c, MARGIN, 40, width, title);
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 13, false);
  fitted_text(f->c, MARGIN, 63, width, caption->subtitle);
  if (!caption->note) return;
  canvas_ink(f->c, alarm_red);
  canvas_font(f->c, 13, true);
  fitted_text(f->c, MARGIN, 86, width, caption->note);
}

static void draw_figure(figure *f, const cli_caption *caption, double height) {
  const cli_record *r = f->r;
  double width = WIDTH - 2 * MARGIN - 2 * LEFT - SIDE + MARGIN,
         y = TOP + (caption->note ? NOTE : 0);
  double side = LEFT + width + LEFT, side_y = y;
  header(f, caption);
  /* a run that stopped very early is shown as far as it came */
  double end = r->t_last - r->t0 > 0.2 * (r->t1 - r->t0) ? r->t1 : r->t_last;
  f->time = axis_linear(r->t0, end, 8, false);
  f->time.from = LEFT;
  f->time.to = LEFT + width;
  solution_panel(f, (box){LEFT, y, width, SOLUTION_HEIGHT});
  y += SOLUTION_HEIGHT + GAP;
  if (r->model->first_level < r->model->order) {
    drift_panel(f, (box){LEFT, y, width, DRIFT_HEIGHT});
    y += DRIFT_HEIGHT + GAP;
  }
  step_panel(f, (box){LEFT, y, width, STEP_HEIGHT});
  if (r->n_path) {
    path_panel(f, (box){side, side_y, SIDE, SIDE});
    side_y += SIDE + 42;
  }
  facts_card(f, caption, (box){side, side_y, SIDE, y + STEP_HEIGHT - side_y});
  canvas_ink(f->c, ink_faint);
  canvas_font(f->c, 12, false);
  canvas_text(f->c, LEFT + width / 2, height - 14, CANVAS_CENTER, "time");
}

int cli_plot_write(const cli_record *r, const cli_caption *caption, const char *name) {
  cli_file file;
  bool svg = cli_ends_with(name, ".svg");
  double height = TOP + (caption->note ? NOTE : 0) + SOLUTION_HEIGHT + GAP + STEP_HEIGHT + FOOT;
  if (r->model->first_level < r->model->order) height += DRIFT_HEIGHT + GAP;
  int code = cli_file_open(&file, name);
  if (code != CLI_OK) return code;
  figure f = {.r = r, .c = canvas_new(file.stream, svg, WIDTH, height, 2)};
  if (!f.c) {
    cli_file_abandon(&file);
    return cli_fail(CLI_FILE, "cannot draw %s: out of memory", name);
  }
  draw_figure(&f, caption, height);
  errno = 0;
  if (!canvas_finish(f.c) && !file.error) file.error = errno ? errno : EIO;
  return cli_file_commit(&file);
}
