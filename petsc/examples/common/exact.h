/* a flow with walls that move and an inflow that changes in time, whose exact solution on the grid
   is known: sources s(t) and q(t) are such that given u and p solve the equations of the grid */
#ifndef EXACT_H
#define EXACT_H

#include "grid.h"

typedef struct exact {
  grid *g;
  Mat B, C;
  Vec u, F, p;
} exact;

/* components 0 and 1 of the velocity, 2: the pressure; and the rate of the velocity */
PetscReal exact_value(PetscReal t, PetscReal x, PetscReal y, int component, void *ctx);
PetscReal exact_rate(PetscReal t, PetscReal x, PetscReal y, int component, void *ctx);
/* sets the boundary of the grid too */
PetscErrorCode exact_create(exact *e, grid *g, Mat B, Mat C);
PetscErrorCode exact_destroy(exact *e);
/* F := force of the grid + s(t), s = u*' - F(t,u*) + B p* */
PetscErrorCode exact_force(exact *e, PetscReal t, Vec u, Vec F);
/* r := C u*, all of the divergence that u* has on the grid; or its rate */
PetscErrorCode exact_data(exact *e, PetscReal t, PetscBool rate, Vec r);
/* prints "error u .. p ..": the largest differences, pressures up to a constant */
PetscErrorCode exact_tell(grid *g, grid_function f, void *ctx, PetscReal t, Vec u, Vec p);
#endif
