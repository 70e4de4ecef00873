/* work-precision pictures: what a solver needs for the accuracy it achieves, one panel a problem */
#include "figure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "axis.h"

#define HEX(r, g, b) \
  { (r) / 255.0, (g) / 255.0, (b) / 255.0, 1 }

/* who is drawn: ours in strong colours, the best of each peer's forms */
static const struct {
  const char *name;
  ink color;
  bool dashed;
} line[] = {
    {"daedal dop853", HEX(190, 45, 85), false},
    {"daedal dopri5", HEX(235, 130, 40), false},
    {"arkode fehlberg78 + projection", HEX(30, 90, 160), false},
    {"arkode dp54 + projection", HEX(90, 160, 220), false},
    {"cvode bdf fixed point + projection", HEX(20, 130, 110), true},
    {"ida ggl", HEX(110, 100, 180), true},
    {"radau5 ggl", HEX(120, 120, 120), true},
    {"daspk ggl", HEX(150, 110, 60), true},
};
enum { LINES = sizeof line / sizeof *line, COLUMNS = 2 };

static const double width = 900, panel_w = 360, panel_h = 230, left = 74, top = 118, gap_x = 76,
                    gap_y = 74;

typedef struct point {
  double x, y;
} point;

static const char *title(figure_kind kind) {
  static const char *const text[] = {"Processor time (ms) against achieved error",
                                     "Evaluations against achieved error",
                                     "Largest drift against processor time (ms)"};
  return text[kind];
}

/* run i of a sweep as a point of the picture; false when it failed */
static bool place(figure_kind kind, const peer_sweep *s, int i, point *p) {
  if (!s->result[i].ok || !isfinite(s->time[i]) || !(s->error[i] > 0)) return false;
  double time = 1e3 * s->time[i];
  /* below rounding there is nothing to see */
  if (kind == FIGURE_DRIFT) *p = (point){time, fmax(s->result[i].drift, 1e-17)};
  else *p = (point){s->error[i], kind == FIGURE_TIME ? time : (double)s->result[i].evaluations};
  return kind == FIGURE_DRIFT || s->error[i] < 1;
}

static const peer_sweep *find(const peer_sweep *all, const char *name) {
  for (int k = 0; k < peers_count; k++)
    if (strcmp(peers[k].name, name) == 0) return &all[k];
  return NULL;
}

/* the smallest and largest coordinates of a panel */
static void range(figure_kind kind, const peer_sweep *all, point *low, point *high) {
  *low = (point){DBL_MAX, DBL_MAX};
  *high = (point){0, 0};
  for (int l = 0; l < LINES; l++) {
    const peer_sweep *s = find(all, line[l].name);
    point p;
    for (int i = 0; s && i < PEER_TOLERANCES; i++) {
      if (!place(kind, s, i, &p)) continue;
      low->x = fmin(low->x, p.x), low->y = fmin(low->y, p.y);
      high->x = fmax(high->x, p.x), high->y = fmax(high->y, p.y);
    }
  }
}

static void draw_line(canvas *c, figure_kind kind, const peer_sweep *s, int l, const axis *x,
                      const axis *y) {
  bool begun = false;
  point p;
  canvas_ink(c, line[l].color);
  canvas_pen(c, 1.6, line[l].dashed);
  for (int i = 0; i < PEER_TOLERANCES; i++) {
    if (!place(kind, s, i, &p)) continue;
    (begun ? canvas_line : canvas_move)(c, axis_place(x, p.x), axis_place(y, p.y));
    begun = true;
  }
  if (begun) canvas_stroke(c);
  for (int i = 0; i < PEER_TOLERANCES; i++)
    if (place(kind, s, i, &p)) canvas_dot(c, axis_place(x, p.x), axis_place(y, p.y), 2);
}

static void draw_panel(canvas *c, figure_kind kind, const char *name, const peer_sweep *all,
                       box b) {
  point low, high;
  range(kind, all, &low, &high);
  if (!(low.x < high.x)) return;
  axis x = axis_decades(low.x, high.x, 7), y = axis_decades(low.y, high.y, 6);
  x.from = b.x, x.to = b.x + b.w;
  y.from = b.y + b.h, y.to = b.y;
  canvas_ink(c, ink_text);
  canvas_font(c, 13, true);
  canvas_text(c, b.x, b.y - 9, CANVAS_LEFT, name);
  axis_draw_x(c, &x, b);
  axis_draw_y(c, &y, b);
  canvas_clip(c, b);
  for (int l = LINES - 1; l >= 0; l--) {
    const peer_sweep *s = find(all, line[l].name);
    if (s) draw_line(c, kind, s, l, &x, &y);
  }
  canvas_unclip(c);
}

static void draw_legend(canvas *c) {
  for (int l = 0; l < LINES; l++) {
    double x = left + (l % 3) * 270, y = 48 + 17 * (l / 3);
    canvas_ink(c, line[l].color);
    canvas_pen(c, 2, line[l].dashed);
    canvas_move(c, x, y - 4);
    canvas_line(c, x + 22, y - 4);
    canvas_stroke(c);
    canvas_ink(c, ink_text);
    canvas_font(c, 11.5, false);
    canvas_text(c, x + 29, y, CANVAS_LEFT, line[l].name);
  }
}

bool figure_write(const char *file, figure_kind kind, int problems, const char *const *names,
                  const peer_sweep (*sweeps)[PEERS_MAX]) {
  FILE *out = fopen(file, "wb");
  if (!out) return false;
  int rows = (problems + COLUMNS - 1) / COLUMNS;
  double height = top + rows * (panel_h + gap_y) - 20;
  canvas *c = canvas_new(out, ".svg", width, height, 1);
  if (!c) return fclose(out), false;
  canvas_ink(c, (ink)HEX(255, 255, 255));
  canvas_fill_box(c, (box){0, 0, width, height}, 0);
  canvas_ink(c, ink_text);
  canvas_font(c, 15, true);
  canvas_text(c, left, 26, CANVAS_LEFT, title(kind));
  draw_legend(c);
  for (int n = 0; n < problems; n++) {
    box b = {left + (n % COLUMNS) * (panel_w + gap_x), top + n / COLUMNS * (panel_h + gap_y),
             panel_w, panel_h};
    draw_panel(c, kind, names[n], sweeps[n], b);
  }
  bool ok = canvas_finish(c);
  return fclose(out) == 0 && ok;
}
