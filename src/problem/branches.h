/*
 * branches: where equations that determine variables are singular, solutions branch or end. How
 * near is that to a point?
 */
#ifndef DAE_PROBLEM_BRANCHES_H
#define DAE_PROBLEM_BRANCHES_H

#include "base/base.h"

/* S(x), n x n: the matrix of the equations with respect to n of the entries of x, in units of
   ball */
typedef struct dae_square {
  dae_status (*fn)(void *ctx, const double *x, double *S);
  void *ctx;
  int n, size;       /* of S, of x */
  const int *column; /* n places in x, NULL: all of them */
  const double *x;
  const double *ball; /* sizes of x that count as near */
} dae_square;

typedef struct dae_branches {
  bool near; /* S is singular within the ball: another solution is as near */
  int sign;  /* of det S at x; another one than before tells that it was singular in between */
} dae_branches;

/* takes memory for the time of the call */
dae_status dae_problem_branches(const dae_square *f, dae_pool *pool, dae_branches *out);

#endif
