/* what all parts of pictures share: headings, legends, colours */
#include <math.h>
#include <string.h>

#include "plot.h"

#define HEX(r, g, b) \
  { (r) / 255.0, (g) / 255.0, (b) / 255.0, 1 }

/* those of the pages (web/src/theme.js): with the dashes, people who see no red or no green tell
   them apart too */
static const ink palette[DRAW_BRIGHT] = {
    HEX(0, 69, 164),  HEX(165, 14, 12), HEX(58, 146, 89), HEX(149, 110, 162), HEX(94, 121, 201),
    HEX(195, 99, 12), HEX(50, 23, 101), HEX(57, 105, 81), HEX(102, 0, 0),     HEX(8, 81, 106),
};
const ink draw_pale = {0.80, 0.83, 0.87, 0.75}, draw_alarm = HEX(190, 45, 85);

ink draw_color(int i) { return palette[i % DRAW_BRIGHT]; }

int draw_dashes(int i) {
  int place = i % DRAW_BRIGHT;
  return i >= DRAW_BRIGHT ? 3 : place < 4 ? 0 : place < 7 ? 1 : 2;
}

ink draw_shade(double x) {
  static const ink stop[5] = {HEX(16, 28, 92), HEX(46, 84, 130), HEX(122, 126, 122),
                              HEX(196, 172, 84), HEX(252, 228, 76)};
  double at = 4 * fmin(fmax(x, 0), 1);
  int i = at < 4 ? (int)at : 3;
  double s = at - i;
  return (ink){stop[i].red + s * (stop[i + 1].red - stop[i].red),
               stop[i].green + s * (stop[i + 1].green - stop[i].green),
               stop[i].blue + s * (stop[i + 1].blue - stop[i].blue), 1};
}

void draw_fitted(canvas *c, double x, double y, double width, const char *text) {
  char cut[2 * DAE_TEXT_MAX];
  snprintf(cut, sizeof cut - 4, "%s", text);
  size_t n = strlen(cut);
  while (n > 1 && canvas_text_width(c, cut) > width) {
    /* never cut within a character of several bytes */
    do n--;
    while (n > 1 && ((unsigned char)cut[n] & 0xC0) == 0x80);
    snprintf(cut + n, sizeof cut - n, "..");
  }
  canvas_text(c, x, y, CANVAS_LEFT, cut);
}

void draw_heading(const figure *f, box b, const char *text) {
  canvas_ink(f->c, ink_text);
  canvas_font(f->c, 14, true);
  draw_fitted(f->c, b.x, b.y - 13, b.w, text);
}

static void sample_line(const figure *f, double x, double y, const entry *e) {
  canvas_ink(f->c, e->color);
  if (e->dashes == 0) {
    canvas_fill_box(f->c, (box){x, y, 14, 4}, 2);
    return;
  }
  canvas_pen(f->c, 3, false);
  canvas_dashes(f->c, e->dashes);
  canvas_move(f->c, x, y + 2);
  canvas_line(f->c, x + 18, y + 2);
  canvas_stroke(f->c);
  canvas_dashes(f->c, 0);
}

int draw_legend(const figure *f, box b, const char *title, const entry *list, int count,
                int hidden) {
  enum { REST = 90 };
  char rest[DAE_NAME_MAX];
  canvas_font(f->c, 14, true);
  double x = b.x + (title[0] ? canvas_text_width(f->c, title) + 26 : 0), end = b.x + b.w;
  int shown = 0;
  canvas_font(f->c, 12, false);
  for (; shown < count; shown++) {
    bool last = shown == count - 1 && hidden == 0;
    double width = canvas_text_width(f->c, list[shown].name);
    double room = end - x - 20 - (last ? 0 : REST);
    if (width > room && (shown > 0 || room < 20)) break;
    if (width > room) width = room;
    sample_line(f, x, b.y - 19.5, &list[shown]);
    canvas_ink(f->c, ink_text);
    draw_fitted(f->c, x + 20, b.y - 13, width + 1, list[shown].name);
    x += 20 + width + 18;
  }
  hidden += count - shown;
  if (hidden <= 0) return shown;
  snprintf(rest, sizeof rest, "and %d more", hidden);
  canvas_ink(f->c, ink_faint);
  canvas_text(f->c, x, b.y - 13, CANVAS_LEFT, rest);
  return shown;
}

void draw_stop(const figure *f, box b, const axis *time) {
  const cli_record *r = f->p->run[0].record;
  bool early = r->backward ? r->t_last > r->t0 : r->t_last < r->t1;
  if (!early || f->p->n_run > 1 || !f->p->caption->note) return;
  double x = axis_place(time, r->t_last);
  canvas_ink(f->c, draw_alarm);
  canvas_pen(f->c, 1.2, true);
  canvas_move(f->c, x, b.y);
  canvas_line(f->c, x, b.y + b.h);
  canvas_stroke(f->c);
  canvas_pen(f->c, 1, false);
}
