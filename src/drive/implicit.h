/* what the files of drive that start implicit problems share */
#ifndef DAE_DRIVE_IMPLICIT_H
#define DAE_DRIVE_IMPLICIT_H

#include "drive/drive.h"
#include "problem/array.h"
#include "problem/implicit.h"
#include "problem/staircase.h"

struct dae_implicit_run {
  dae_residual *r;
  bool dense; /* the index is found, and values by dense matrices */
  dae_structure found;
  int index;
  double relaxed;             /* so many times more is allowed for rounding in derivatives */
  bool doubtful;              /* it was found beside the start, not at it */
  double step;                /* length of paths where it is known; 0: it follows from x and x' */
  unsigned char *of_variable; /* n: index of each variable */
  double *X, *x, *dx;         /* n: sizes of x; scratch */
  double *values;             /* E and A */
  /* of determined.c: answers looked at, evaluations that they took; evaluations when the pencil was
     looked at last, and how many that took where it was in vain */
  long looks, answered, looked, vain;
  struct dae_implicit_large *large; /* see implicit_large.c; NULL: `dense` */
  double length;                    /* of paths at the start */
  bool ended;                       /* a time that was asked for has been reached */
  bool regular;                     /* at the start the pencil was regular far above rounding */
};

/* a path from (x, x') along which nothing changes by much; fills X */
dae_path dae_drive_implicit_path(dae_solver *s, const double *x, const double *dx);

/* s->z and s->dz from where they are, of index w->index; fixed entries are held (may be NULL) */
dae_status dae_drive_implicit_solve(dae_solver *s, const unsigned char *fixed);
/* do F and what it hides, up to found.index - 1 derivatives, hold at s->z as it is? Finds s->dz;
   found.rank is known */
dae_status dae_drive_implicit_stands(dae_solver *s, bool *yes);
/* x' of the algebraic part, where F does not tell it (index 1, found.rank) */
dae_status dae_drive_implicit_slope(dae_solver *s);
/* memory for many variables */
dae_status dae_drive_implicit_large_new(dae_solver *s);
/* the same with one factorization a step, sparse where there is a pattern: index 0 and 1 */
dae_status dae_drive_implicit_large(dae_solver *s, const unsigned char *fixed);
/* x' and the algebraic variables of index 2 and 3 (of_variable is known) from values that are
   consistent; else a report */
dae_status dae_drive_implicit_hidden(dae_solver *s);

/* of the algebraic equations, where the index is 1 and they are few */
dae_status dae_drive_implicit_branches(dae_solver *s, const double *ball, dae_branches *out);

#endif
