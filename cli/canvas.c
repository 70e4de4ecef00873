/* the sheet, by cairo; the only place that names it */
#include "canvas.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

struct canvas {
  FILE *out;
  bool svg;
  cairo_surface_t *surface;
  cairo_t *cr;
};

static cairo_status_t put(void *closure, const unsigned char *data, unsigned int length) {
  size_t written = fwrite(data, 1, length, closure);
  return written == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

canvas *canvas_new(FILE *out, bool svg, double w, double h, double scale) {
  canvas *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->out = out;
  c->svg = svg;
  if (svg) c->surface = cairo_svg_surface_create_for_stream(put, out, w, h);
  else
    c->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale), (int)ceil(h * scale));
  c->cr = cairo_create(c->surface);
  if (!svg) cairo_scale(c->cr, scale, scale);
  cairo_set_source_rgb(c->cr, 1, 1, 1);
  cairo_paint(c->cr);
  cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
  return c;
}

bool canvas_finish(canvas *c) {
  cairo_status_t status = cairo_status(c->cr);
  if (status == CAIRO_STATUS_SUCCESS && !c->svg)
    status = cairo_surface_write_to_png_stream(c->surface, put, c->out);
  cairo_destroy(c->cr);
  cairo_surface_finish(c->surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(c->surface);
  cairo_surface_destroy(c->surface);
  free(c);
  return status == CAIRO_STATUS_SUCCESS;
}

void canvas_ink(canvas *c, ink color) {
  cairo_set_source_rgba(c->cr, color.red, color.green, color.blue, color.alpha);
}

void canvas_pen(canvas *c, double width, bool dashed) {
  const double dash[] = {4, 4};
  cairo_set_line_width(c->cr, width);
  cairo_set_dash(c->cr, dash, dashed ? 2 : 0, 0);
}

void canvas_fill_box(canvas *c, box b, double radius) {
  double r = radius;
  cairo_new_sub_path(c->cr);
  cairo_arc(c->cr, b.x + b.w - r, b.y + r, r, -PI / 2, 0);
  cairo_arc(c->cr, b.x + b.w - r, b.y + b.h - r, r, 0, PI / 2);
  cairo_arc(c->cr, b.x + r, b.y + b.h - r, r, PI / 2, PI);
  cairo_arc(c->cr, b.x + r, b.y + r, r, PI, 3 * PI / 2);
  cairo_close_path(c->cr);
  cairo_fill(c->cr);
}

void canvas_clip(canvas *c, box b) {
  cairo_save(c->cr);
  cairo_rectangle(c->cr, b.x, b.y, b.w, b.h);
  cairo_clip(c->cr);
}

void canvas_unclip(canvas *c) { cairo_restore(c->cr); }

void canvas_move(canvas *c, double x, double y) { cairo_move_to(c->cr, x, y); }

void canvas_line(canvas *c, double x, double y) { cairo_line_to(c->cr, x, y); }

void canvas_stroke(canvas *c) { cairo_stroke(c->cr); }

void canvas_fill(canvas *c) { cairo_fill(c->cr); }

void canvas_dot(canvas *c, double x, double y, double radius) {
  cairo_new_sub_path(c->cr);
  cairo_arc(c->cr, x, y, radius, 0, 2 * PI);
  cairo_fill(c->cr);
}

void canvas_font(canvas *c, double size, bool bold) {
  cairo_select_font_face(c->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c->cr, size);
}

double canvas_text_width(canvas *c, const char *text) {
  cairo_text_extents_t extents;
  cairo_text_extents(c->cr, text, &extents);
  return extents.x_advance;
}

void canvas_text(canvas *c, double x, double y, canvas_align align, const char *text) {
  double width = align == CANVAS_LEFT ? 0 : canvas_text_width(c, text);
  cairo_move_to(c->cr, x - (align == CANVAS_CENTER ? width / 2 : width), y);
  cairo_show_text(c->cr, text);
  cairo_new_path(c->cr);
}
