/* pages: the report of a run or a sweep, the motion of a mechanism */
#ifndef REPORT_H
#define REPORT_H

#include "draw.h"
#include "panel.h"

/* ---- store.c: columns of a run in memory that does not grow with it ---- */

/* every stride-th point is a row; what lies between is known by its lowest and highest values */
typedef struct cli_store {
  int columns;
  long room, rows, points, stride;
  double *t, *value;  /* rows x columns */
  double *low, *high; /* over the points behind the row before, this row included; NULL: no point
                         was left out so far */
  double *since_low, *since_high; /* over the points behind the last row */
  double *last;                   /* the last point: time, then columns */
} cli_store;

/* room for as many rows as `budget` numbers allow, between 500 and 20000 */
void cli_store_init(cli_store *s, int columns, long budget);
void cli_store_add(cli_store *s, double t, const double *value);
/* the last point is a row too: once, before anything is written */
void cli_store_end(cli_store *s);
void cli_store_free(cli_store *s);

/* opens {"rows", "points", "time"} under a key, up to the list of columns */
void cli_store_open(cli_json *j, const char *key, const cli_store *s);
/* what decode.js reads: base64 of the numbers, or one number that never changes; the caller has
   opened the object. `band` adds the extremes between the rows where a line would not show them */
void cli_store_column(cli_json *j, const cli_store *s, int column, bool band);
void cli_store_close(cli_json *j);
bool cli_store_same(const cli_store *s, int a, int b);

/* ---- drawing.c: the shapes of a mechanism along a run ---- */

typedef struct cli_drawing cli_drawing;
/* NULL: nothing to draw can be seen in the problem */
cli_drawing *cli_drawing_new(const cli_model *m);
void cli_drawing_point(cli_drawing *d, double t, const double *z, const double *y);
void cli_drawing_end(cli_drawing *d);
/* the object "draw"; nothing when there are no shapes */
void cli_drawing_json(cli_json *j, cli_drawing *d);
/* after the run: are there shapes? */
bool cli_drawing_any(cli_drawing *d);
void cli_drawing_free(cli_drawing *d);

/* ---- mechanism.c: points and rods that can be seen in the problem ---- */

typedef struct cli_rod {
  int a, b; /* points; b = -1: the ground */
  int row;  /* the constraint */
} cli_rod;

typedef struct cli_mechanism {
  int dims, n_point, n_rod;
  int *point;   /* dims columns each */
  cli_rod *rod; /* constraints between one or two points and nothing else */
} cli_mechanism;

/* false: there are no points */
bool cli_mechanism_see(cli_mechanism *s, const cli_model *m);
void cli_mechanism_free(cli_mechanism *s);
/* which coordinate of the problem a column is, -1: none */
int cli_mechanism_coordinate(const cli_model *m, int column);

/* ---- report_data.c: a run as json, what the page is made of ---- */

/* a curve that is no column of the model: part of a series of a panel */
typedef struct cli_extra {
  const cli_series *series;
  int part;
} cli_extra;

typedef struct cli_report {
  const cli_model *model;
  const cli_panels *panels;
  int n_extra;
  cli_extra *extra;
  cli_store solution; /* the columns of the model, then the extra curves */
  cli_store steps;    /* step size, drift of each level */
  cli_drawing *drawing;
  double rounding[DAE_ORDER_MAX]; /* what rounding changes the constraints by; 0: not known */
  double *value, *scratch;        /* rows */
  bool rates;                     /* a curve is a derivative */
  double spacing; /* points of its own at least this close; 0: those of the output grid */
} cli_report;

void cli_report_run_json(FILE *out, cli_report *r, const cli_result *result, const char *page);

/* ---- report.c: the page ---- */

/* the column that a part of a series is, as it stands; -1: it must be computed */
int cli_report_column(const cli_series *s, int part);
cli_report *cli_report_new(const cli_session *s);
/* the columns alone, at most some hundred points of them */
cli_report *cli_report_curves_new(const cli_session *s);
/* piece: the smooth piece of the solution that the point is part of, NULL: not known */
void cli_report_point(cli_report *r, double t, const double *z, const double *y,
                      const cli_piece *piece);
void cli_report_step(cli_report *r, double t, double h, const double *drift);
/* what --report and --animate ask for */
int cli_report_write(cli_report *r, const cli_session *s);
void cli_report_free(cli_report *r);

bool cli_report_name_ok(const char *name);
/* the page around json data, or, when the name ends with .json, the data alone */
int cli_page_write(const char *name, const char *title, const char *json, size_t size);

/* ---- report_sweep.c ---- */
/* runs a member of a sweep once more and writes its curves as an object */
typedef void cli_sweep_again(const void *sweep, long member, cli_json *j);
/* the page of a sweep whose table is written; its columns 1 .. varied are what was varied */
int cli_sweep_report(const cli_settings *s, int varied, long members, cli_sweep_again *again,
                     const void *sweep);

/* what was typed, as one line for a shell, and the version */
void cli_command_json(cli_json *j, const cli_settings *s, const char *command);

/* a file of web/dist, made at build time */
const char *cli_asset_find(const char *name);

#endif
