/* a panel of paths in the plane */
#include <math.h>
#include <string.h>

#include "plot.h"

/* both axes have one scale: the shorter one is widened */
static void equal_scales(axis *x, axis *y, box b) {
  double dx = (x->high - x->low) / b.w, dy = (y->high - y->low) / b.h;
  axis *shorter = dx < dy ? x : y;
  double half = 0.5 * fmax(dx, dy) * (dx < dy ? b.w : b.h);
  double middle = 0.5 * (shorter->low + shorter->high);
  *shorter = axis_linear(middle - half, middle + half, 5, false);
}

static int shade_of(unsigned char count) {
  return count == 0 ? 0 : count < 3 ? 1 : count < 8 ? 2 : 3;
}

void draw_cloud(canvas *c, const cli_cloud *cloud, const axis *u, const axis *v, ink color) {
  static const double alpha[4] = {0, 0.45, 0.7, 0.9};
  for (int shade = 1; shade < 4; shade++) {
    color.alpha = alpha[shade];
    canvas_ink(c, color);
    for (int i = 0; i < CLI_CLOUD; i++)
      for (int j = 0; j < CLI_CLOUD; j++) {
        int from = j;
        if (shade_of(cloud->count[i][j]) != shade) continue;
        while (j + 1 < CLI_CLOUD && shade_of(cloud->count[i][j + 1]) == shade) j++;
        double x0 = axis_place(u, cloud->low[0] + from * cloud->cell[0]);
        double x1 = axis_place(u, cloud->low[0] + (j + 1) * cloud->cell[0]);
        double y0 = axis_place(v, cloud->low[1] + i * cloud->cell[1]);
        double y1 = axis_place(v, cloud->low[1] + (i + 1) * cloud->cell[1]);
        /* at least a line's width */
        canvas_box(c, (box){x0, y1, fmax(x1 - x0, 1), fmax(y0 - y1, 1)});
      }
    canvas_fill(c);
  }
}

static void end_mark(canvas *c, double x, double y, ink color) {
  canvas_ink(c, color);
  canvas_dot(c, x, y, 4.5);
  canvas_ink(c, (ink){1, 1, 1, 1});
  canvas_dot(c, x, y, 2);
}

static double place(const axis *a, double v) {
  return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void draw_path(const figure *f, const cli_path *p, const axis *x, const axis *y, ink color,
                      int dashes) {
  enum { PIECE = 400 };
  double px = NAN, py = NAN;
  axis u = *x, v = *y;
  u.logarithmic = v.logarithmic = false; /* the exponents are there already */
  if (p->cloud) draw_cloud(f->c, p->cloud, &u, &v, color);
  ink soft = color;
  soft.alpha = 0.9;
  canvas_ink(f->c, soft);
  canvas_pen(f->c, 1.7, false);
  canvas_dashes(f->c, dashes);
  for (int i = 0; !p->cloud && i < p->count; i++) {
    /* short pieces: one long line costs much where it crosses itself */
    bool begins = isnan(px) || i % PIECE == 0;
    if (begins) canvas_stroke(f->c);
    if (begins && !isnan(px)) canvas_move(f->c, px, py);
    bool moved = isnan(px);
    px = place(&u, p->point[i][0]);
    py = place(&v, p->point[i][1]);
    if (isnan(px)) continue;
    if (moved) canvas_move(f->c, px, py);
    else canvas_line(f->c, px, py);
  }
  canvas_stroke(f->c);
  canvas_dashes(f->c, 0);
  if (!isnan(p->last[0])) end_mark(f->c, place(&u, p->last[0]), place(&v, p->last[1]), color);
}

/* "y [m] over x [m]" where all paths have the same coordinates, else names beside the heading */
void draw_path_heading(const figure *f, int panel, box b) {
  enum { MOST = 2 * DRAW_BRIGHT };
  const cli_panel *p = &f->p->run[0].record->panels->panel[panel];
  const cli_series *s = &p->series[0];
  char title[DAE_TEXT_MAX] = "", name[MOST][DAE_NAME_MAX];
  entry list[MOST];
  int runs = f->p->n_run, count = p->count * runs;
  const char *u[3] = {cli_panel_unit(p, 0, false), cli_panel_unit(p, 1, false), ""};
#define UNIT(k) u[k][0] ? " [" : "", u[k], u[k][0] ? "]" : ""
  if (p->count == 1 && p->dimensions == 2)
    snprintf(title, sizeof title, "%.60s%s%s%s over %.60s%s%s%s", s->part_label[1], UNIT(1),
             s->part_label[0], UNIT(0));
  else if (p->count == 1)
    snprintf(title, sizeof title, "%.60s, %.60s, %.60s%s%s%s", s->part_label[0], s->part_label[1],
             s->part_label[2], UNIT(0));
  else snprintf(title, sizeof title, "Paths%s%s%s", UNIT(0));
#undef UNIT
  for (int i = 0; i < p->count && i * runs < MOST; i++)
    for (int k = 0; k < runs && i * runs + k < MOST; k++) {
      int n = i * runs + k;
      snprintf(name[n], sizeof name[n], "%.40s", runs > 1 ? f->p->run[k].name : p->series[i].label);
      if (runs > 1 && p->count > 1)
        snprintf(name[n], sizeof name[n], "%.30s  %.30s", p->series[i].label, f->p->run[k].name);
      list[n] = (entry){name[n], draw_color(n), draw_dashes(n)};
    }
  draw_heading(f, b, title);
  if (count > 1)
    draw_legend(f, b, title, list, count < MOST ? count : MOST, count < MOST ? 0 : count - MOST);
}

static axis path_axis(double low, double high, bool logarithmic) {
  if (!(low <= high)) low = high = 0;
  return logarithmic ? axis_exponents(low, high, 5) : axis_linear(low, high, 5, true);
}

void draw_path_panel(const figure *f, int panel, box b) {
  const cli_panel *p = &f->p->run[0].record->panels->panel[panel];
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY}, range[2];
  for (int i = 0; i < p->count; i++)
    for (int k = 0; k < f->p->n_run; k++)
      for (int d = 0; d < 2; d++) {
        const cli_path *a = cli_record_trace(f->p->run[k].record, panel, i)->path;
        lo[d] = fmin(lo[d], a->low[d]);
        hi[d] = fmax(hi[d], a->high[d]);
      }
  axis x = path_axis(lo[0], hi[0], p->logarithmic[0]),
       y = path_axis(lo[1], hi[1], p->logarithmic[1]);
  for (int d = 0; d < 2; d++) range[d] = hi[d] - lo[d];
  if (cli_equal_scales(p->equal, 2, range)) equal_scales(&x, &y, b);
  x.from = b.x;
  x.to = b.x + b.w;
  y.from = b.y + b.h;
  y.to = b.y;
  draw_path_heading(f, panel, b);
  axis_draw_x(f->c, &x, b);
  axis_draw_y(f->c, &y, b);
  axis_frame(f->c, b);
  canvas_clip(f->c, (box){b.x - 5, b.y - 5, b.w + 10, b.h + 10});
  for (int i = 0; i < p->count; i++)
    for (int k = 0; k < f->p->n_run; k++) {
      int n = i * f->p->n_run + k;
      draw_path(f, cli_record_trace(f->p->run[k].record, panel, i)->path, &x, &y, draw_color(n),
                draw_dashes(n));
    }
  canvas_unclip(f->c);
}
