/* a staggered grid in three dimensions (DMStag): velocities on the faces of cells, pressures
   inside; see grid.h for the same in two */
#ifndef GRID3_H
#define GRID3_H

#include <petscdmda.h>
#include <petscdmstag.h>

/* a function of time and place x[3]; component 0 to 2 of the velocity, 3: the pressure */
typedef PetscReal (*grid3_function)(PetscReal t, const PetscReal *x, int component, void *ctx);

typedef struct grid3 {
  DM faces, cells;
  PetscBool periodic;
  PetscInt n[3];
  PetscReal length[3], d[3], viscosity;
  grid3_function boundary, boundary_t; /* and its derivative in time; not called when periodic */
  void *ctx;
  PetscInt face[3], cell;  /* slots in the arrays of DMStag */
  Vec local, out, local_p; /* velocities with ghosts; results; pressures or four fields */
} grid3;

PetscErrorCode grid3_create(MPI_Comm comm, const PetscInt *n, const PetscReal *length,
                            PetscBool periodic, grid3 *g);
PetscErrorCode grid3_destroy(grid3 *g);
/* B: gradient, C: minus divergence; faces on the boundary are known: their rows and columns are
   empty. L: viscosity Laplace(u), what grid3_force has of it but the boundary's values */
PetscErrorCode grid3_matrices(grid3 *g, Mat *B, Mat *C, Mat *L);
/* F := viscosity Laplace(u) - div(u u), central differences of order 2 */
PetscErrorCode grid3_force(grid3 *g, PetscReal t, Vec u, Vec F);
/* r: C u = r is div u = 0 with the velocities of the boundary. rate: its derivative */
PetscErrorCode grid3_data(grid3 *g, PetscReal t, PetscBool rate, Vec r);
/* u, and p unless NULL, from functions of the place; known faces are 0 */
PetscErrorCode grid3_fill(grid3 *g, PetscReal t, grid3_function f, void *ctx, Vec u, Vec p);
/* velocities (in the middle of cells) and pressures as FILE.vtr */
PetscErrorCode grid3_write(grid3 *g, PetscReal t, Vec u, Vec p, const char *file);
#endif
