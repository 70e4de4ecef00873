/* a panel of curves over time: all of them visible, long oscillations as bands */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/* the points drawn for bin i: all of them, or the highest of every few bins */
static int points_of(const cli_curve *curve, int i, draw_which w, cli_sample *out) {
  enum { FEW = 4 };
  if (w == DRAW_ALL) return cli_bin_points(&curve->bin[i], out);
  int count = 0;
  for (int k = i; i % FEW == 0 && k < i + FEW && k < CLI_BINS; k++) {
    const cli_bin *b = &curve->bin[k];
    if (!b->used || (count && b->high.v <= out[0].v)) continue;
    out[0] = b->high;
    count = 1;
  }
  return count;
}

void draw_range(const cli_curve *curve, draw_which w, bool positive, double *low, double *high) {
  cli_sample s[4];
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = points_of(curve, i, w, s), k = 0; k < n; k++) {
      if (s[k].v > *high) *high = s[k].v;
      if (s[k].v < *low && !(positive && s[k].v <= 0)) *low = s[k].v;
    }
  }
}

/* how often a curve goes up and down: all its way, by its height */
static double waves_of(const cli_curve *curve) {
  cli_sample s[4];
  double way = 0, last = NAN, low = INFINITY, high = -INFINITY;
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = cli_bin_points(&curve->bin[i], s), k = 0; k < n; k++) {
      if (!isnan(last)) way += fabs(s[k].v - last);
      last = s[k].v;
    }
  }
  draw_range(curve, DRAW_ALL, false, &low, &high);
  return high > low ? way / (2 * (high - low)) : 0;
}

static long count_of(const cli_curve *curve, draw_which w) {
  cli_sample s[4];
  long count = 0;
  for (int i = 0; i < CLI_BINS; i++) count += points_of(curve, i, w, s);
  return count;
}

/* the line from bin to bin; places where a value has none on a logarithmic scale, what was no
   number, and bins that are not wanted break it */
static void stroke(const figure *f, const cli_curve *curve, draw_which w, const axis *time,
                   const axis *y, const bool *wanted) {
  cli_sample s[4];
  double px = 0, py = 0;
  bool known = false, down = false; /* there is a last point; the line is drawn to it */
  for (int i = 0; i < CLI_BINS; i++) {
    for (int n = points_of(curve, i, w, s), k = 0; k < n; k++) {
      bool below = y->logarithmic && w == DRAW_ALL && s[k].v <= 0;
      bool drawn = !below && (!wanted || wanted[i]);
      if (drawn && known && !down) canvas_move(f->c, px, py);
      px = axis_place(time, s[k].t);
      py = axis_place(y, s[k].v);
      if (drawn && known) canvas_line(f->c, px, py);
      else if (drawn) canvas_move(f->c, px, py);
      down = drawn;
      known = !below;
    }
    if (curve->bin[i].broken) known = down = false;
  }
  canvas_stroke(f->c);
}

void draw_curve(const figure *f, const cli_curve *curve, draw_which w, const axis *time,
                const axis *y, double width) {
  cli_sample s[4];
  bool dots = w == DRAW_HIGHEST && count_of(curve, w) < 40;
  canvas_pen(f->c, width, false);
  stroke(f, curve, w, time, y, NULL);
  for (int i = 0; dots && i < CLI_BINS; i++)
    if (points_of(curve, i, w, s))
      canvas_dot(f->c, axis_place(time, s[0].t), axis_place(y, s[0].v), 2.8);
}

/* lowest or highest value of the bins around bin i; false: there is none */
static bool extreme(const cli_curve *c, int i, int window, bool high, double *v) {
  bool found = false;
  for (int k = i - window; k <= i + window; k++) {
    if (k < 0 || k >= CLI_BINS || !c->bin[k].used) continue;
    double x = high ? c->bin[k].high.v : c->bin[k].low.v;
    if (!found || (high ? x > *v : x < *v)) *v = x;
    found = true;
  }
  return found;
}

static double middle_of(const cli_bin *b) { return 0.5 * (b->first.t + b->last.t); }

/* one edge of the band, forward or backward in time */
static void edge(const figure *f, const cli_curve *c, const axis *time, const axis *y, int window,
                 bool high, bool first) {
  for (int n = 0; n < CLI_BINS; n++) {
    int i = high ? n : CLI_BINS - 1 - n;
    double v = 0;
    if (!c->bin[i].used || !extreme(c, i, window, high, &v)) continue;
    double px = axis_place(time, middle_of(&c->bin[i])), py = axis_place(y, v);
    if (first) canvas_move(f->c, px, py);
    else canvas_line(f->c, px, py);
    first = false;
  }
}

/* an oscillation whose waves are too close to be seen is the band between its lows and highs */
static void draw_band(const figure *f, const cli_curve *c, const axis *time, const axis *y,
                      ink color, double waves) {
  int window = (int)fmin(ceil(0.9 * CLI_BINS / waves) + 2, 40);
  ink soft = color;
  soft.alpha = 0.30;
  canvas_ink(f->c, soft);
  edge(f, c, time, y, window, true, true);
  edge(f, c, time, y, window, false, false);
  canvas_fill(f->c);
  canvas_ink(f->c, color);
  canvas_pen(f->c, 1.2, false);
  edge(f, c, time, y, window, true, true);
  canvas_stroke(f->c);
  edge(f, c, time, y, window, false, true);
  canvas_stroke(f->c);
}

/* ---- a panel ---- */

enum { MOST = 2048 };
/* waves on the axis above which lines are thin, and above which they are a band */
enum { CLOSE = 60, BAND = 120 };

typedef struct line {
  const cli_curve *curve;
  bool right, bright, band;
  int place; /* among the bright ones */
  char name[2 * DAE_NAME_MAX];
} line;

typedef struct plan {
  line *line;
  int count, n_bright;
  int named; /* bright lines that the legend has; the others are pale */
  axis time, left, other;
} plan;

static void collect(const figure *f, const cli_view *v, plan *q) {
  const cli_panels *panels = f->p->run[0].record->panels;
  q->line = cli_take((size_t)v->count * (size_t)f->p->n_run, sizeof *q->line);
  for (int i = 0; i < v->count; i++)
    for (int k = 0; k < f->p->n_run && q->count < MOST; k++) {
      line *l = &q->line[q->count++];
      const cli_trace *t = cli_record_trace(f->p->run[k].record, v->panel, v->series[i]);
      l->curve = t->curve;
      l->right = t->series->right;
      snprintf(l->name, sizeof l->name, "%.60s%s%.50s%s", t->series->label,
               f->p->n_run > 1 ? "  " : "", f->p->n_run > 1 ? f->p->run[k].name : "",
               l->right ? " (right)" : "");
    }
  /* the bright ones are spread evenly over a long list */
  int most = panels->asked ? 2 * DRAW_BRIGHT : DRAW_BRIGHT;
  q->n_bright = q->count < most ? q->count : most;
  for (int i = 0; i < q->n_bright; i++) {
    int at = q->n_bright > 1 ? (int)((long)i * (q->count - 1) / (q->n_bright - 1)) : 0;
    q->line[at].bright = true;
    q->line[at].place = i;
  }
}

static axis value_axis(const plan *q, bool right, bool logarithmic, box b) {
  double low = INFINITY, high = logarithmic ? 0 : -INFINITY;
  for (int i = 0; i < q->count; i++)
    if (q->line[i].right == right) draw_range(q->line[i].curve, DRAW_ALL, logarithmic, &low, &high);
  if (!(low <= high)) low = high = logarithmic ? 1 : 0;
  int wanted = b.h < 200 ? 4 : 6;
  if (logarithmic) low = fmax(low, high * 1e-20);
  axis a = logarithmic ? axis_decades(low, high, wanted) : axis_linear(low, high, wanted, true);
  a.from = b.y + b.h;
  a.to = b.y;
  return a;
}

static axis time_axis(const figure *f, const plan *q, bool logarithmic) {
  if (!logarithmic) return f->time;
  double low = INFINITY, high = 0;
  for (int i = 0; i < q->count; i++)
    for (int k = 0; k < CLI_BINS; k++) {
      const cli_bin *b = &q->line[i].curve->bin[k];
      if (!b->used) continue;
      low = fmin(low, b->first.t);
      high = fmax(high, b->last.t);
    }
  if (!(low > 0 && low <= high)) low = high = 1;
  axis a = axis_decades(low, high, 8);
  axis_trim(&a, log10(low), log10(high));
  a.from = f->time.from;
  a.to = f->time.to;
  return a;
}

/* the place of a curve in bin i on the sheet; false: it has none */
static bool place_in(const plan *q, const line *l, int i, double *y) {
  const cli_bin *b = &l->curve->bin[i];
  const axis *a = l->right ? &q->other : &q->left;
  if (!b->used || (a->logarithmic && b->last.v <= 0)) return false;
  *y = axis_place(a, b->last.v);
  return true;
}

enum { STRIPE = 16 }; /* bins */

/* how many named curves lie where line `own` is in bin i, itself included, and how many of them
   stand before it */
static int heap_at(const plan *q, const line *own, int i, int *before) {
  static const double near = 1.3;
  int count = 0;
  double here, there;
  *before = 0;
  if (!place_in(q, own, i, &here)) return 0;
  for (int k = 0; k < q->count; k++) {
    const line *l = &q->line[k];
    if (!l->bright || l->place >= q->named || l->band || !place_in(q, l, i, &there) ||
        !(fabs(there - here) < near))
      continue;
    *before += k < own - q->line;
    count++;
  }
  return count;
}

/*
 * Curves that lie on each other take turns: n of them are drawn in every n-th stripe each, so that
 * all are seen. Is it the turn of line `own` in bin i?
 */
static bool its_turn(const plan *q, const line *own, int i) {
  int before, count = heap_at(q, own, i, &before);
  return count < 2 || i / STRIPE % count == before;
}

static bool covered(const plan *q, const line *own, int i) {
  int before;
  return heap_at(q, own, i, &before) > 1;
}

/* curves that only cross, or touch for a moment, hide nothing: a gap is left open where the curves
   lie on each other for a stripe and more */
static void close_gaps(const plan *q, const line *own, bool *wanted) {
  for (int i = 0; i < CLI_BINS; i++) {
    int end = i;
    while (end < CLI_BINS && covered(q, own, end)) end++;
    for (int k = i; end - i < 2 * STRIPE && k < end; k++) wanted[k] = true;
    if (end > i) i = end;
  }
}

static void set_bands(plan *q) {
  for (int i = 0; i < q->count; i++) {
    line *l = &q->line[i];
    l->band = l->bright && waves_of(l->curve) > BAND && !q->time.logarithmic &&
              !(l->right ? q->other : q->left).logarithmic;
  }
}

static double height_of(const line *l) {
  double low = INFINITY, high = -INFINITY;
  draw_range(l->curve, DRAW_ALL, false, &low, &high);
  return high - low;
}

/* bands lie behind the lines, the high ones behind the low ones */
static void draw_bands(const figure *f, const plan *q) {
  for (double below = INFINITY;;) {
    double next = -1;
    for (int i = 0; i < q->count; i++) {
      double height = height_of(&q->line[i]);
      if (q->line[i].band && q->line[i].place < q->named && height < below)
        next = fmax(next, height);
    }
    if (next < 0) return;
    for (int i = 0; i < q->count; i++) {
      const line *l = &q->line[i];
      if (l->band && l->place < q->named && height_of(l) == next)
        draw_band(f, l->curve, &q->time, l->right ? &q->other : &q->left, draw_color(l->place),
                  waves_of(l->curve));
    }
    below = next;
  }
}

static void draw_lines(const figure *f, const plan *q) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = q->count - 1; i >= 0; i--) {
      const line *l = &q->line[i];
      bool bright = l->bright && l->place < q->named;
      const axis *y = l->right ? &q->other : &q->left;
      double waves = waves_of(l->curve);
      ink color = bright ? draw_color(l->place) : draw_pale;
      if (bright != (pass == 1)) continue; /* pale ones first */
      if (bright && l->band) continue;
      if (waves > CLOSE) color.alpha *= 0.7;
      canvas_ink(f->c, color);
      canvas_pen(f->c, bright && waves <= CLOSE ? 1.9 : 1.1, false);
      if (bright) canvas_dashes(f->c, draw_dashes(l->place));
      bool wanted[CLI_BINS];
      for (int k = 0; k < CLI_BINS; k++) wanted[k] = !bright || its_turn(q, l, k);
      if (bright) close_gaps(q, l, wanted);
      stroke(f, l->curve, DRAW_ALL, &q->time, y, wanted);
      canvas_dashes(f->c, 0);
    }
}

static void title_of(const cli_panel *p, char *text, size_t size) {
  const char *unit = cli_panel_unit(p, 0, false);
  const cli_series *s = &p->series[0];
  text[0] = '\0';
  if (p->title[0]) snprintf(text, size, "%s", p->title);
  else if (p->count == 1 && s->description[0]) snprintf(text, size, "%s", s->description);
  if (!unit[0]) return;
  size_t n = strlen(text);
  snprintf(text + n, size - n, "%s[%s]", n ? " " : "", unit);
}

static void right_unit(const figure *f, const cli_panel *p, box b) {
  const char *unit = cli_panel_unit(p, 0, true);
  char text[DAE_NAME_MAX];
  if (!unit[0]) return;
  snprintf(text, sizeof text, "[%.40s]", unit);
  canvas_font(f->c, 12, true);
  canvas_ink(f->c, ink_text);
  canvas_text(f->c, b.x + b.w + 6, b.y - 13, CANVAS_LEFT, text);
}

void draw_curve_panel(const figure *f, const cli_view *v, box b) {
  const cli_panel *p = &f->p->run[0].record->panels->panel[v->panel];
  char title[DAE_TEXT_MAX];
  plan q = {0};
  bool two = false;
  collect(f, v, &q);
  entry *list = cli_take((size_t)q.n_bright, sizeof *list);
  for (int i = 0; i < q.count; i++) {
    const line *l = &q.line[i];
    two = two || l->right;
    if (l->bright) list[l->place] = (entry){l->name, draw_color(l->place), draw_dashes(l->place)};
  }
  q.time = time_axis(f, &q, p->logarithmic[0]);
  q.left = value_axis(&q, false, p->logarithmic[1], b);
  if (two) q.other = value_axis(&q, true, p->log_right, b);
  title_of(p, title, sizeof title);
  draw_heading(f, b, title);
  q.named = draw_legend(f, b, title, list, q.n_bright, q.count - q.n_bright + p->left_out);
  axis_draw_x(f->c, &q.time, b);
  axis_draw_y(f->c, &q.left, b);
  if (two) axis_draw_right(f->c, &q.other, b);
  if (two) right_unit(f, p, b);
  axis_frame(f->c, b);
  set_bands(&q);
  canvas_clip(f->c, (box){b.x, b.y - 2, b.w + 2, b.h + 4});
  if (f->p->run[0].record->panels->asked) q.named = q.n_bright;
  draw_bands(f, &q);
  draw_lines(f, &q);
  draw_stop(f, b, &q.time);
  canvas_unclip(f->c);
  free(list);
  free(q.line);
}
