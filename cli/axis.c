/* scales from numbers to places on the sheet, with ticks at round numbers */
#include "axis.h"

#include <math.h>
#include <stdio.h>

const ink ink_text = {0.13, 0.16, 0.20, 1}, ink_faint = {0.42, 0.46, 0.52, 1};
const ink ink_grid = {0.91, 0.925, 0.94, 1}, ink_frame = {0.78, 0.81, 0.84, 1};

/* the round number (1, 2, 5 times a power of ten) nearest above x, and below x */
static double round_above(double x) {
  double power = pow(10, floor(log10(x) + 1e-12)), digit = x / power * (1 - 1e-12);
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static double round_below(double x) {
  double power = pow(10, floor(log10(x) + 1e-12)), digit = x / power * (1 + 1e-12);
  return power * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
}

axis axis_linear(double low, double high, int wanted, bool widen) {
  axis a = {.low = low, .high = high};
  double size = fmax(fabs(low), fabs(high));
  /* a constant gets an interval of its own size around it */
  if (!(high - low > 1e-9 * size)) {
    double half = size > 0 ? 0.1 * size : 1;
    a.low = low - half;
    a.high = high + half;
  }
  double range = a.high - a.low, spacing = round_above(range / wanted);
  if (widen) {
    a.low -= 0.05 * range;
    a.high += 0.05 * range;
  }
  double slack = 1e-9 * spacing, k = ceil((a.low - slack) / spacing);
  for (; k * spacing <= a.high + slack && a.count < AXIS_TICKS; k++)
    a.tick[a.count++] = k == 0 ? 0 : k * spacing;
  return a;
}

/* less than two decades: ticks 1, 2, 5 as plain numbers */
static axis few_decades(double low, double high) {
  axis a = {.logarithmic = true, .plain = true};
  double v = round_below(low), top = round_above(high);
  if (!(top > 1.5 * v)) {
    v = round_below(0.9 * v);
    top = round_above(1.1 * top);
  }
  a.low = log10(v);
  a.high = log10(top);
  for (; v <= 1.01 * top && a.count < AXIS_TICKS; v = round_above(1.1 * v))
    a.tick[a.count++] = log10(v);
  return a;
}

axis axis_decades(double low, double high, int wanted) {
  if (high < 50 * low) return few_decades(low, high);
  axis a = {.logarithmic = true};
  a.low = floor(log10(low) + 1e-9);
  a.high = ceil(log10(high) - 1e-9);
  int decades = (int)(a.high - a.low), every = (decades + wanted - 1) / wanted;
  for (double e = ceil(a.low / every) * every; e <= a.high && a.count < AXIS_TICKS; e += every)
    a.tick[a.count++] = e;
  return a;
}

axis axis_exponents(double low, double high, int wanted) {
  return axis_decades(pow(10, low), pow(10, fmax(high, low)), wanted);
}

void axis_trim(axis *a, double low, double high) {
  int count = 0;
  if (!(high > low)) return;
  for (int i = 0; i < a->count; i++)
    if (a->tick[i] >= low && a->tick[i] <= high) a->tick[count++] = a->tick[i];
  a->count = count;
  a->low = low;
  a->high = high;
}

double axis_place(const axis *a, double value) {
  double v = a->logarithmic ? (value > 0 ? fmax(log10(value), a->low) : a->low) : value;
  return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

double axis_tick_place(const axis *a, int i) {
  return a->from + (a->tick[i] - a->low) / (a->high - a->low) * (a->to - a->from);
}

/* 10 with a raised exponent, or a plain number */
void axis_tick_label(canvas *c, const axis *a, int i, double x, double y, canvas_align align) {
  char text[32];
  if (!a->logarithmic || a->plain) {
    /* as many digits as tell neighbours apart */
    double size = fmax(fabs(a->tick[0]), fabs(a->tick[a->count - 1]));
    double step = a->count > 1 ? a->tick[1] - a->tick[0] : size;
    int digits = size > 1e5 * step ? (int)fmin(ceil(log10(size / step)) + 1, 15) : 6;
    snprintf(text, sizeof text, "%.*g", digits, a->plain ? pow(10, a->tick[i]) : a->tick[i]);
    canvas_font(c, 11.5, false);
    canvas_text(c, x, y, align, text);
    return;
  }
  snprintf(text, sizeof text, "%d", (int)a->tick[i]);
  canvas_font(c, 8.5, false);
  double raised = canvas_text_width(c, text);
  double width = raised + canvas_text_width(c, "10") * 11.5 / 8.5 + 1;
  x += align == CANVAS_CENTER ? width / 2 : align == CANVAS_LEFT ? width : 0;
  canvas_text(c, x - raised, y - 5, CANVAS_LEFT, text);
  canvas_font(c, 11.5, false);
  canvas_text(c, x - raised - 1, y, CANVAS_RIGHT, "10");
}

void axis_draw_x(canvas *c, const axis *a, box panel) {
  for (int i = 0; i < a->count; i++) {
    double x = axis_tick_place(a, i);
    canvas_ink(c, ink_grid);
    canvas_pen(c, 1, false);
    canvas_move(c, x, panel.y);
    canvas_line(c, x, panel.y + panel.h);
    canvas_stroke(c);
    canvas_ink(c, ink_faint);
    axis_tick_label(c, a, i, x, panel.y + panel.h + 17, CANVAS_CENTER);
  }
}

void axis_draw_y(canvas *c, const axis *a, box panel) {
  for (int i = 0; i < a->count; i++) {
    double y = axis_tick_place(a, i);
    canvas_ink(c, ink_grid);
    canvas_pen(c, 1, false);
    canvas_move(c, panel.x, y);
    canvas_line(c, panel.x + panel.w, y);
    canvas_stroke(c);
    canvas_ink(c, ink_faint);
    axis_tick_label(c, a, i, panel.x - 9, y + 4, CANVAS_RIGHT);
  }
}

void axis_draw_right(canvas *c, const axis *a, box panel) {
  canvas_ink(c, ink_frame);
  canvas_pen(c, 1, false);
  canvas_move(c, panel.x + panel.w, panel.y);
  canvas_line(c, panel.x + panel.w, panel.y + panel.h);
  canvas_stroke(c);
  for (int i = 0; i < a->count; i++) {
    double y = axis_tick_place(a, i);
    canvas_ink(c, ink_frame);
    canvas_move(c, panel.x + panel.w, y);
    canvas_line(c, panel.x + panel.w + 4, y);
    canvas_stroke(c);
    canvas_ink(c, ink_faint);
    axis_tick_label(c, a, i, panel.x + panel.w + 9, y + 4, CANVAS_LEFT);
  }
}

void axis_frame(canvas *c, box b) {
  canvas_ink(c, ink_frame);
  canvas_pen(c, 1, false);
  canvas_move(c, b.x, b.y);
  canvas_line(c, b.x, b.y + b.h);
  canvas_line(c, b.x + b.w, b.y + b.h);
  canvas_stroke(c);
}
