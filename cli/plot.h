/* pictures of runs: what they show, and the parts that draw it */
#ifndef PLOT_H
#define PLOT_H

#include "axis.h"
#include "canvas.h"
#include "record.h"

/* one run of a picture */
typedef struct cli_shown {
  const cli_record *record;
  const char *name; /* of the run, when there are several */
} cli_shown;

typedef struct cli_picture {
  const cli_caption *caption;
  int n_run;
  const cli_shown *run; /* their panels are those of the first */
  const char *time;     /* what the independent variable is called */
} cli_picture;

int cli_plot_write(const cli_picture *p, const char *file);
/* describe.c: the picture in words; free it */
char *cli_picture_words(const cli_picture *p);

/* ---- draw.c: headings, legends, colours ---- */

enum { DRAW_BRIGHT = 10 };

typedef struct figure {
  canvas *c;
  const cli_picture *p;
  axis time;
  int n_view;
  cli_view view[CLI_PANELS_MOST + 1];
} figure;

/* a line of a legend */
typedef struct entry {
  const char *name;
  ink color;
  int dashes;
} entry;

extern const ink draw_pale, draw_alarm;
ink draw_color(int i);  /* DRAW_BRIGHT colours in turn */
int draw_dashes(int i); /* whole, dashed, dotted; dash and dot in the second turn */
/* the text, cut with an end mark where it is longer than the width */
void draw_fitted(canvas *c, double x, double y, double width, const char *text);
void draw_heading(const figure *f, box b, const char *text);
/* one line of coloured names to the right of the heading; returns how many fit, and tells how many
   others there are */
int draw_legend(const figure *f, box b, const char *title, const entry *list, int count,
                int hidden);
/* where the run stopped early, a dashed line */
void draw_stop(const figure *f, box b, const axis *time);
/* a number between 0 and 1 as a colour: dark blue over grey to yellow */
ink draw_shade(double x);

/* ---- draw_curve.c: curves over time ---- */

typedef enum draw_which { DRAW_ALL, DRAW_HIGHEST } draw_which;

/* lowest and highest drawn value of a curve; lowest positive one for logarithmic axes */
void draw_range(const cli_curve *curve, draw_which w, bool positive, double *low, double *high);
void draw_curve(const figure *f, const cli_curve *curve, draw_which w, const axis *time,
                const axis *y, double width);
void draw_curve_panel(const figure *f, const cli_view *v, box b);

/* ---- draw_path.c, draw_space.c: paths ---- */
void draw_path_panel(const figure *f, int panel, box b);
void draw_space_panel(const figure *f, int panel, box b);
/* heading and legend of a panel of paths */
void draw_path_heading(const figure *f, int panel, box b);
/* the cells of a cloud at places of the sheet: u and v are scales of its two coordinates */
void draw_cloud(canvas *c, const cli_cloud *cloud, const axis *u, const axis *v, ink color);

#endif
