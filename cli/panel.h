/*
 * What is to be seen: panels of curves and paths, as --show asks for them.
 *
 *   show   = panel {| panel}
 *   panel  = axis [ / axis]               the second axis stands at the right
 *   axis   = item {, item}
 *   item   = EXPRESSION                   a curve over time
 *          | EXPRESSION:EXPRESSION        a path in the plane
 *          | EXPRESSION:EXPRESSION:EXPRESSION   a path in space
 *
 * log(..) around a whole expression makes its axis logarithmic, log(time) as an item that of time;
 * elsewhere it is the natural logarithm. A / that has blanks on both sides and stands outside all
 * brackets begins the second axis; any other is a division.
 */
#ifndef PANEL_H
#define PANEL_H

#include "cli.h"

/* the names that expressions know; unit, display and description may be NULL or hold "" */
typedef struct cli_names {
  int count;
  const char *const *name, *const *unit, *const *display, *const *description;
  const char *time; /* what the independent variable is called */
} cli_names;

typedef struct cli_series {
  char *label;                 /* as typed, without log(..) */
  cli_expression *part[3];     /* the value over time; or x, y (and z) of a path */
  char *part_label[3];         /* names of the parts */
  char *unit[3];               /* in which they are shown, "" */
  double factor[3], offset[3]; /* shown value = factor * value + offset */
  const char *description;     /* of a lone variable, "" */
  bool right;                  /* on the second axis */
} cli_series;

typedef struct cli_panel {
  char *title;    /* "" */
  int dimensions; /* 1: curves over time; 2, 3: paths */
  int count;
  cli_series *series;
  bool logarithmic[3]; /* axes of paths; of curves: [0] time, [1] values */
  bool log_right;
  bool equal;   /* a path in a plane or in space: all axes may have one scale */
  int left_out; /* variables that are not drawn for want of room */
} cli_panel;

typedef struct cli_panels {
  int count;
  cli_panel *panel;
  bool asked; /* by --show */
} cli_panels;

enum { CLI_PANELS_MOST = 24, CLI_SERIES_MOST = 200 };

/* CLI_OK, or CLI_USAGE after a line on standard error */
int cli_panels_read(cli_panels *p, const char *text, const cli_names *names);
/* nothing was asked for: the declared variables, by unit or by kind; paths of points */
void cli_panels_default(cli_panels *p, const cli_model *m);
void cli_panels_free(cli_panels *p);
/* one more series, of n expressions; CLI_OK or CLI_USAGE */
int cli_panel_add(cli_panel *p, const cli_names *names, int n, const char *const *text);
/* the series of another panel */
void cli_panel_take(cli_panel *p, cli_panel *from);

/* what there is to show of a model; the pointers are those of the model */
cli_names cli_model_names(const cli_model *m);

/* part k of a series as it is shown, at a time where the columns are known. With der(..) in it:
   after cli_series_differentiate */
double cli_series_value(const cli_series *s, int k, double t, const double *column);
bool cli_series_rates(const cli_series *s);
void cli_series_differentiate(const cli_series *s, const cli_piece *piece, double t,
                              double *column);

/* the unit of an axis: that of all its series, "" when they differ; of the second axis: right */
const char *cli_panel_unit(const cli_panel *p, int part, bool right);

/* ---- view.c: a panel as it is drawn ---- */

enum { CLI_VIEWS_DEFAULT = 7 }; /* panels when nothing was asked for */

typedef struct cli_view {
  int panel;
  int count, *series; /* which of its series */
} cli_view;

/* the largest magnitude of a series along the run */
typedef double cli_size_of(const void *run, int panel, int series);

/* the panels; with `size`, those that nobody asked for are divided by the sizes of their series.
   Room for CLI_PANELS_MOST of them; returns how many there are */
int cli_views_make(const cli_panels *panels, cli_size_of *size, const void *run, cli_view *list);
void cli_views_free(cli_view *list, int count);

/* how values of a unit are turned into those of another; false: not known */
bool cli_unit_convert(const char *from, const char *to, double *factor, double *offset);

#endif
