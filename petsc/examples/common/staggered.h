/* what staggered grids (DMStag) of any dimension share: velocities on the faces of cells, pressures
   inside */
#ifndef STAGGERED_H
#define STAGGERED_H

#include <petscdmda.h>
#include <petscdmstag.h>

/* global number of an entry, -1 outside */
PetscErrorCode staggered_number(DM dm, DMStagStencil where, PetscInt *number);
/* an empty matrix between the vectors of two grids, with so many entries a row */
PetscErrorCode staggered_matrix(DM rows, DM columns, PetscInt entries, Mat *A);
PetscErrorCode staggered_assemble(Mat A);
/* the diagonal is there, 0 */
PetscErrorCode staggered_diagonal(Mat A);
/* n fields in the middle of cells as FILE.vtr */
PetscErrorCode staggered_write(DM dm, Vec fields, int n, const char *const *name, const char *file);
#endif
