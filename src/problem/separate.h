/*
 * separate: an implicit problem of index 0 or 1 as x' = f(t,x,y), 0 = g(t,x). The equations that
 * hold no x' are g, the derivatives of the variables that they determine are y, and the others
 * follow from the equations that are left:
 *   0 = F_a(t, x, (s, y)),   f = (s, y),   0 = g = F_b(t,x,.) - C F_a(t,x,.).
 * g_x f_y is regular where the index is 1, so that the problem has index 2 in y, and whatever
 * solves that kind of problem solves this one. Differentiated is nothing.
 */
#ifndef DAE_SEPARATE_H
#define DAE_SEPARATE_H

#include "problem/implicit.h"
#include <daedal/bvp.h>

typedef struct dae_separated {
  dae_problem problem;     /* what is solved instead; x is its z, and its functions have `this` */
  dae_boundary conditions; /* of it */
  const dae_problem *given;
  dae_residual *r;
  int n, rank;       /* of dF/dx' */
  int *row;          /* `rank` equations a that hold x', then the others, b */
  int *column;       /* `rank` variables whose derivatives they determine, then the others */
  double *C;         /* (n - rank) x rank */
  double *E, *A;     /* n x n each, at the last place */
  double *values;    /* the same as they are stored */
  double *LU;        /* of E_a in the columns of s */
  double *dx, *F;    /* n: x' and the equations at it */
  double *at, *s;    /* n, rank: scratch */
  const double *dx0; /* where the search for s begins */
  int *pivot;
  bool turned; /* result: equations that held no x' at first did so later */
} dae_separated;

/* looks at the guess of the boundary conditions, or at z0; DAE_E_FORM, DAE_E_INDEX or DAE_E_RANK
   with a sentence where there is no such form */
dae_status dae_separated_new(dae_separated **out, dae_pool *pool, const dae_problem *p,
                             char *message, int size);

#endif
