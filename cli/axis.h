/* scales from numbers to places on the sheet, with ticks at round numbers */
#ifndef AXIS_H
#define AXIS_H

#include <stdbool.h>

#include "canvas.h"

enum { AXIS_TICKS = 24 };

typedef struct axis {
  bool logarithmic;
  bool plain;       /* logarithmic, with plain numbers as labels */
  double low, high; /* of the data; exponents of ten when logarithmic */
  double from, to;  /* places on the sheet */
  int count;
  double tick[AXIS_TICKS]; /* values; exponents when logarithmic */
} axis;

/* about `wanted` round ticks; `widen` moves the ends outward to give the data room */
axis axis_linear(double low, double high, int wanted, bool widen);
/* a logarithmic scale that holds low .. high (both > 0) between round numbers */
axis axis_decades(double low, double high, int wanted);

double axis_place(const axis *a, double value);

/* panel furniture: light grid, tick labels; ticks of x below, of y to the left */
void axis_draw_x(canvas *c, const axis *a, box panel);
void axis_draw_y(canvas *c, const axis *a, box panel);
/* a second axis at the right: labels without grid */
void axis_draw_right(canvas *c, const axis *a, box panel);
/* a scale for exponents of ten that are numbers already: low .. high */
axis axis_exponents(double low, double high, int wanted);
/* the scale ends where the data do */
void axis_trim(axis *a, double low, double high);
/* place of tick i, and its label with the right end, the middle or the left end at (x, y) */
double axis_tick_place(const axis *a, int i);
void axis_tick_label(canvas *c, const axis *a, int i, double x, double y, canvas_align align);

/* draws the whole lines of a panel: left and below */
void axis_frame(canvas *c, box panel);

extern const ink ink_text, ink_faint, ink_grid, ink_frame;

#endif
