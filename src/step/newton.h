/*
 * newton: one Newton iteration for all implicit steps. A method gives its residual, its matrix and
 * the solution of a linear system; here is decided how long to iterate and when the matrix is too
 * old.
 */
#ifndef DAE_STEP_NEWTON_H
#define DAE_STEP_NEWTON_H

#include "step/step.h"

typedef struct dae_newton {
  int n;     /* unknowns */
  void *ctx; /* of the functions below */
  /* r := residual at x */
  dae_status (*residual)(void *ctx, const double *x, double *r);
  /* matrix at x, factored; DAE_E_SINGULAR */
  dae_status (*factor)(void *ctx, const double *x);
  /* r := matrix^-1 r */
  void (*solve)(void *ctx, double *r);
  /* size of a correction dx at x, in units in which 1 is negligible */
  double (*size)(void *ctx, const double *x, const double *dx);
  /* tight: iterate to the level of rounding, with a fresh matrix (fixed steps); else stop when the
     estimated error of the iteration is below 1 unit and keep the matrix while it converges */
  bool tight;
  int limit;     /* iterations, 0: 10 (tight: 25) */
  double noise;  /* corrections up to this size may be rounding: taken when they no longer fall */
  bool factored; /* a matrix of an earlier step may be used; the method clears it when h changes */
  double rate;   /* of convergence, last seen */
  int unseen;    /* solutions since then that took one correction, which shows none */
  double *dx;    /* n */
  long iterations, factorizations, residuals;
} dae_newton;

/* takes dx; DAE_E_MEMORY */
dae_status dae_step_newton_new(dae_newton *w, dae_pool *pool, int n);

/* x: guess and solution. DAE_OK, DAE_E_NEWTON, DAE_E_SINGULAR, or what the functions return. */
dae_status dae_step_newton(dae_newton *w, double *x);

/*
 * The matrix of a step, scaled by powers of two in rows and columns so that its condition means
 * something. Dense (pattern NULL) or sparse.
 */
typedef struct dae_step_matrix {
  int n;
  const dae_pattern *pattern;
  dae_la_solver *solver;
  double *values;       /* n x n or in the pattern; the method fills it, factor() scales it */
  double *row, *column; /* scales */
  double *work;
  double rcond;
  int culprit; /* equation of a singular matrix */
} dae_step_matrix;

dae_status dae_step_matrix_new(dae_step_matrix *m, dae_pool *pool, int n,
                               const dae_pattern *pattern);
void dae_step_matrix_free(dae_step_matrix *m);
/* DAE_E_SINGULAR when it is so up to rounding */
dae_status dae_step_matrix_factor(dae_step_matrix *m);
void dae_step_matrix_solve(dae_step_matrix *m, double *b);

#endif
