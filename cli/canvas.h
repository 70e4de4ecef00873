/* a sheet to draw on; canvas.c alone knows the graphics library */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct canvas canvas;

typedef struct ink {
  double red, green, blue, alpha;
} ink;

typedef enum canvas_align { CANVAS_LEFT, CANVAS_CENTER, CANVAS_RIGHT } canvas_align;

typedef struct box {
  double x, y, w, h;
} box;

/* a sheet of w x h units; the ending of `name` says how it is written (.svg, .pdf, else png of
   `scale` pixels a unit), to `out`, by canvas_finish */
canvas *canvas_new(FILE *out, const char *name, double w, double h, double scale);
/* title and words of the picture, for those who cannot see it: in svg and pdf; before anything is
   drawn */
void canvas_describe(canvas *c, const char *title, const char *text);
/* writes the picture and frees the sheet; false when writing failed */
bool canvas_finish(canvas *c);

void canvas_ink(canvas *c, ink color);
void canvas_pen(canvas *c, double width, bool dashed);
/* dashes of kind 1, 2, 3, .. that can be told apart; 0: a whole line */
void canvas_dashes(canvas *c, int kind);
void canvas_fill_box(canvas *c, box b, double radius);
void canvas_clip(canvas *c, box b);
void canvas_unclip(canvas *c);

/* a path: move, line.., then stroke or fill */
void canvas_move(canvas *c, double x, double y);
void canvas_line(canvas *c, double x, double y);
void canvas_stroke(canvas *c);
void canvas_fill(canvas *c);
/* a box of the path, to be filled with others at once */
void canvas_box(canvas *c, box b);
void canvas_dot(canvas *c, double x, double y, double radius);

void canvas_font(canvas *c, double size, bool bold);
double canvas_text_width(canvas *c, const char *text);
void canvas_text(canvas *c, double x, double y, canvas_align align, const char *text);

#endif
