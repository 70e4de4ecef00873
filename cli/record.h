/* what pictures need of a run, in memory that does not grow with it */
#ifndef RECORD_H
#define RECORD_H

#include "panel.h"

enum { CLI_BINS = 800, CLI_PATH_POINTS = 6000, CLI_CLOUD = 480 };

typedef struct cli_sample {
  double t, v;
} cli_sample;

/* a curve keeps the first, lowest, highest and last point of every bin of its axis */
typedef struct cli_bin {
  bool used;
  bool broken; /* something that is no number came after it */
  cli_sample first, low, high, last;
} cli_bin;

typedef struct cli_curve {
  const char *name;
  bool logarithmic; /* bins of log10 t, from the first point above 0 on */
  double log_low, log_high;
  cli_bin bin[CLI_BINS];
} cli_curve;

/* where a long path has been: cells of a sheet that grows, 0 .. 255 visits each */
typedef struct cli_cloud {
  double map[2][3];       /* from coordinates to the sheet */
  double low[2], cell[2]; /* its corner and the size of a cell */
  unsigned char count[CLI_CLOUD][CLI_CLOUD];
} cli_cloud;

/* a path in the plane or in space: its points; when there are too many, a cloud */
typedef struct cli_path {
  int dimensions, count;
  bool wanted;                      /* equal scales, where the ranges are not too different */
  double low[3], high[3], last[3];  /* NaN: not begun, or broken */
  double point[CLI_PATH_POINTS][3]; /* NaN: a break */
  cli_cloud *cloud;                 /* NULL: all points are there */
} cli_path;

typedef struct cli_trace {
  const cli_panel *panel;
  const cli_series *series;
  cli_curve *curve; /* over time, or NULL */
  cli_path *path;
} cli_trace;

typedef struct cli_record {
  const cli_panels *panels;
  int n_trace;
  cli_trace *trace; /* series of all panels, one after the other */
  double t0, t1;    /* of the run, the earlier one first */
  bool backward;    /* the run goes from t1 to t0 */
  double span;      /* the bins reach from t0 to t0 + span; it grows with the run up to t1 - t0 */
  double t_first, t_last;
  int first_level, levels; /* of the drift: first_level .. levels - 1; equal: none */
  cli_curve *drift[DAE_ORDER_MAX];
  double rounding[DAE_ORDER_MAX]; /* of the constraints: their change when all numbers change by a
                                     rounding; 0: not known */
  cli_curve *step;
  long steps;
  bool mesh;      /* the steps are intervals of a mesh */
  double *column; /* room for the columns at a point */
} cli_record;

cli_record *cli_record_new(const cli_panels *panels, int columns, double t0, double t1);
/* drift and step sizes shall be drawn too */
void cli_record_levels(cli_record *r, const cli_model *m);
/* the columns at a time; piece NULL: nothing is known around it, so no derivatives */
void cli_record_point(cli_record *r, double t, const double *column, const cli_piece *piece);
/* `parts` points inside a piece and its end, where the columns are `end` */
void cli_record_piece(cli_record *r, const cli_piece *piece, int parts, const double *end);
void cli_record_step(cli_record *r, double t, double h, const double *drift);
void cli_record_free(cli_record *r);
void cli_record_state(cli_state *s, cli_record *r);
/* the trace of series j of panel i */
const cli_trace *cli_record_trace(const cli_record *r, int i, int j);

/* the points of a bin in the order of time, at most 4; returns how many */
int cli_bin_points(const cli_bin *b, cli_sample *out);

/* ---- cloud.c ---- */
/* do the axes have equal scales? `range` of the two or three of them */
bool cli_equal_scales(bool wanted, int dimensions, const double *range);
/* a sheet with the points of the path on it */
cli_cloud *cli_cloud_new(const cli_path *p);
void cli_cloud_line(cli_cloud *c, const double *from, const double *to);

/* the axes of space on the sheet: seen from the right front, from above */
extern const double cli_space_view[2][3];

#endif
