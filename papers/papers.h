/*
 * Published tables as data, and the runner that computes them again. A row is a problem of the
 * gallery with parameters and options; a cell is a quantity of that run, what was printed, and,
 * where the print is not what the method gives, what it should be and why.
 */
#ifndef PAPERS_H
#define PAPERS_H

#include <daedal/daedal.h>

/* what is to be expected of a cell */
typedef enum papers_kind {
  PAPERS_DIGITS,    /* the printed digits come out */
  /* only the size can be expected: conditions of the print are not known exactly */
  PAPERS_MAGNITUDE,
  PAPERS_MISPRINT, /* the print is wrong: `truth` comes out */
  PAPERS_ROUNDING, /* the value is rounding error: at most `truth` comes out */
  PAPERS_NO_DATA,  /* the paper does not say what was computed */
  PAPERS_SINGULAR  /* the matrix of a step is singular: the run must say so */
} papers_kind;

/*
 * quantity[@time]: x, v, y (largest error of a component of x, x', y against the exact solution),
 * x1 .., v1 .. (error of one component), drift0, drift1 (largest residual of a level), mu (largest
 * projected multiplier), =NAME (the value of a variable). "max x1" is the largest of x1 over all
 * steps; "rate x1" is for tables with an evaluator of their own. No time: the end of the interval.
 * "2pi" is a time too.
 */
typedef struct papers_cell {
  const char *quantity;
  double printed; /* 0 is a printed zero, NaN a printed NaN */
  papers_kind kind;
  double truth;
  const char *reason;
} papers_cell;

enum { PAPERS_CELLS = 8 };

typedef struct papers_row {
  const char *label;
  const char *set;                /* parameters, "nu=1000 alpha=1" */
  const char *options;            /* "form=ggl direction=force", after those of the table */
  papers_cell cell[PAPERS_CELLS]; /* ends with a quantity NULL */
  const char *problem;            /* NULL: that of the table */
} papers_row;

typedef struct papers_table papers_table;

struct papers_table {
  const char *id; /* aqr-1.1 */
  const char *paper;
  const char *title;
  const char *problem; /* gallery name */
  const char *options; /* of all rows */
  int n_row;
  const papers_row *row;
  /* values of all cells of a row; NULL: one run of the solver. Returns a status; then `values`
     holds what was reached before, else NaN. */
  dae_status (*evaluate)(const papers_table *table, const papers_row *row, double *values,
                         char *message, int size);
};

/* table i, NULL past the end; the table of an id, NULL when there is none */
const papers_table *papers_at(int i);
const papers_table *papers_find(const char *id);

/* one run of the solver */
dae_status papers_run(const papers_table *table, const papers_row *row, double *values,
                      char *message, int size);

typedef enum papers_verdict {
  PAPERS_V_DIGITS,
  PAPERS_V_MAGNITUDE,
  PAPERS_V_MISPRINT,
  PAPERS_V_ROUNDING,
  PAPERS_V_NO_DATA,
  PAPERS_V_DIFFERS,
  PAPERS_V_COUNT
} papers_verdict;

const char *papers_verdict_name(papers_verdict v);

/* the verdict on one cell; status is that of the run */
papers_verdict papers_judge(const papers_cell *cell, double computed, dae_status status);
/* within one unit of the second printed digit; a printed zero: below 1e-12 */
bool papers_agree(double printed, double computed);

#endif
