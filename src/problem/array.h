/*
 * array: F and its total time derivatives up to order k at one instant, as equations for x and its
 * derivatives: solutions satisfy the hidden constraints too
 */
#ifndef DAE_ARRAY_H
#define DAE_ARRAY_H

#include "problem/implicit.h"
#include "problem/solve.h"

/* what may change of x: x + X B a, where B has `free` columns */
typedef struct dae_array {
  dae_residual *r;
  int k; /* derivatives of F */
  double t;
  double length;   /* of the path on which they are taken, with the sign of the run */
  double *x, *dx;  /* n: where to begin, and the solution */
  const double *X; /* sizes of the variables */
  int free;
  const double *B;      /* n x free, row-major */
  const double *weight; /* free: what is to change little has a small one */
  dae_effort effort;
} dae_array;

/* numbers that the call below takes at most, with k derivatives and n unknowns all free */
size_t dae_problem_array_room(int n, int k);

/* x and dx of the solution; `row` is that of F, level the derivative of it that is off. Takes
   memory for the time of the call. DAE_OK whenever out is filled in; DAE_E_MEMORY */
dae_status dae_problem_array_solve(dae_array *a, dae_solved *out, int *level);

#endif
