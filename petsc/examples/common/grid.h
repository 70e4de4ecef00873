/* a staggered grid (DMStag): velocities on the faces of cells, pressures inside */
#ifndef GRID_H
#define GRID_H

#include <petscdmda.h>
#include <petscdmstag.h>

/* velocity on the boundary; component 0 or 1 */
typedef PetscReal (*grid_boundary)(PetscReal t, PetscReal x, PetscReal y, int component, void *ctx);

typedef struct grid {
  DM faces, cells;
  PetscBool periodic;
  PetscInt nx, ny;
  PetscReal width, height, dx, dy, viscosity;
  grid_boundary boundary, boundary_t; /* and its derivative in time; not called when periodic */
  void *ctx;
  PetscInt left, down, cell; /* slots in the arrays of DMStag */
  Vec local, out, local_p;   /* velocities with ghosts; results; pressures or three fields */
} grid;

PetscErrorCode grid_create(MPI_Comm comm, PetscInt nx, PetscInt ny, PetscReal width,
                           PetscReal height, PetscBool periodic, grid *g);
PetscErrorCode grid_destroy(grid *g);
/* B: gradient, C: minus divergence, so that C B is symmetric and positive. Faces on the boundary
   are known: their rows and columns are empty */
PetscErrorCode grid_matrices(grid *g, Mat *B, Mat *C);
/* L: viscosity Laplace(u), what grid_force has of it but the boundary's values */
PetscErrorCode grid_viscous(grid *g, Mat *L);
/* F := viscosity Laplace(u) - div(u u), central differences of order 2 */
PetscErrorCode grid_force(grid *g, PetscReal t, Vec u, Vec F);
/* r := what the velocities of the boundary do to C u: C u = r is div u = 0. rate: its derivative */
PetscErrorCode grid_data(grid *g, PetscReal t, PetscBool rate, Vec r);
/* u, and p unless NULL, from functions of the place; known faces get the boundary's values when
   `whole`, else 0 */
typedef PetscReal (*grid_function)(PetscReal t, PetscReal x, PetscReal y, int component, void *ctx);
PetscErrorCode grid_fill(grid *g, PetscReal t, grid_function f, void *ctx, PetscBool whole, Vec u,
                         Vec p);
/* numbers of the own entries that do not depend on the ranks */
PetscErrorCode grid_numbering(grid *g, IS *u, IS *p);
/* velocities (in the middle of cells) and pressures as FILE.vtr */
PetscErrorCode grid_write(grid *g, PetscReal t, Vec u, Vec p, const char *file);
/* velocity at a place by linear interpolation; the same on all ranks */
PetscErrorCode grid_probe(grid *g, PetscReal t, Vec u, int component, PetscReal x, PetscReal y,
                          PetscReal *value);
#endif
