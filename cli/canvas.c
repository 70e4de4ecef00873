/* the sheet, by cairo; the only place that names it */
#include "canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

struct canvas {
  FILE *out;
  char *words; /* of an svg, written behind its first tag; NULL: none */
  int tag;     /* how much of "<svg" was seen; 5: in the tag, 6: behind it */
  bool pixels;
  cairo_surface_t *surface;
  cairo_t *cr;
};

/* the first tag of an svg ends here: the words follow */
static size_t end_of_tag(canvas *c, const unsigned char *data, size_t length) {
  static const char begin[] = "<svg";
  for (size_t i = 0; i < length; i++) {
    if (c->tag < 4) c->tag = data[i] == begin[c->tag] ? c->tag + 1 : data[i] == '<';
    else if (data[i] == '>') {
      c->tag = 6;
      return i + 1;
    }
  }
  return length;
}

static cairo_status_t put(void *closure, const unsigned char *data, unsigned int length) {
  canvas *c = closure;
  size_t head = c->words && c->tag < 6 ? end_of_tag(c, data, length) : length;
  bool good = fwrite(data, 1, head, c->out) == head;
  if (c->words && c->tag == 6) {
    good = good && fputs(c->words, c->out) >= 0;
    free(c->words);
    c->words = NULL;
  }
  good = good && fwrite(data + head, 1, length - head, c->out) == length - head;
  return good ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* text between tags; what no xml may hold is left out */
static void xml(FILE *out, const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '<') fputs("&lt;", out);
    else if (*c == '>') fputs("&gt;", out);
    else if (*c == '&') fputs("&amp;", out);
    else if (*c >= 32 || *c == '\n' || *c == '\t') fputc(*c, out);
  }
}

void canvas_describe(canvas *c, const char *title, const char *text) {
  size_t size;
  if (cairo_surface_get_type(c->surface) == CAIRO_SURFACE_TYPE_PDF) {
    cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_SUBJECT, text);
  }
  if (cairo_surface_get_type(c->surface) != CAIRO_SURFACE_TYPE_SVG) return;
  FILE *out = open_memstream(&c->words, &size);
  if (!out) return;
  fputs("\n<title>", out);
  xml(out, title);
  fputs("</title>\n<desc>", out);
  xml(out, text);
  fputs("</desc>", out);
  fclose(out);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

canvas *canvas_new(FILE *out, const char *name, double w, double h, double scale) {
  canvas *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->out = out;
  if (ends_with(name, ".svg")) c->surface = cairo_svg_surface_create_for_stream(put, c, w, h);
  else if (ends_with(name, ".pdf")) /* a unit is 1/96 inch on a screen: 0.75 points */
    c->surface = cairo_pdf_surface_create_for_stream(put, c, 0.75 * w, 0.75 * h);
  else
    c->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale), (int)ceil(h * scale));
  c->pixels = cairo_surface_get_type(c->surface) == CAIRO_SURFACE_TYPE_IMAGE;
  c->cr = cairo_create(c->surface);
  if (c->pixels) cairo_scale(c->cr, scale, scale);
  if (ends_with(name, ".pdf")) cairo_scale(c->cr, 0.75, 0.75);
  cairo_set_source_rgb(c->cr, 1, 1, 1);
  cairo_paint(c->cr);
  cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
  return c;
}

bool canvas_finish(canvas *c) {
  cairo_status_t status = cairo_status(c->cr);
  if (status == CAIRO_STATUS_SUCCESS && c->pixels)
    status = cairo_surface_write_to_png_stream(c->surface, put, c);
  cairo_destroy(c->cr);
  cairo_surface_finish(c->surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(c->surface);
  cairo_surface_destroy(c->surface);
  free(c->words);
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

void canvas_dashes(canvas *c, int kind) {
  static const double pattern[3][4] = {{9, 5, 9, 5}, {2, 5, 2, 5}, {12, 4, 2, 4}};
  if (kind > 0) cairo_set_dash(c->cr, pattern[(kind - 1) % 3], 4, 0);
  else cairo_set_dash(c->cr, NULL, 0, 0);
}

void canvas_box(canvas *c, box b) { cairo_rectangle(c->cr, b.x, b.y, b.w, b.h); }

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
