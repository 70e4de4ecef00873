/* solve: nonlinear equations from a guess, for whatever has to be made consistent */
#ifndef DAE_PROBLEM_SOLVE_H
#define DAE_PROBLEM_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * 0 = r(x). `value` gives r; `matrix` the dense J = dr/dx, row-major and cleared before, and for
 * each row the size of its terms, against which its residual is judged. Both return 0, or another
 * number where they have no value.
 */
typedef struct dae_equations {
  int rows, cols;
  void *ctx;
  int (*value)(void *ctx, const double *x, double *r);
  int (*matrix)(void *ctx, const double *x, double *J, double *size);
  const double *scale; /* typical size of each unknown; 0: not known. May be NULL */
} dae_equations;

typedef enum dae_effort {
  DAE_EFFORT_QUICK, /* damped Newton steps only: is there a solution close by? */
  DAE_EFFORT_FULL   /* and whatever else may help */
} dae_effort;

/* what became of it */
typedef struct dae_solved {
  bool ok;
  bool elsewhere;            /* the guess showed no direction: it was left for another place */
  int rank;                  /* of J at the end; less than cols: there are other solutions nearby */
  int row;                   /* the worst row */
  double residual, relative; /* its residual, and that against the size of its terms */
} dae_solved;

/* numbers that the work space has; 0: too many */
size_t dae_problem_solve_room(int rows, int cols);
/* x: guess in, solution out; unchanged when there is none. Where x is not determined it changes as
   little as possible, measured in units of `scale`. */
dae_solved dae_problem_solve(const dae_equations *e, dae_effort effort, double *x, double *work);

#endif
