/* see staggered.h */
#include "staggered.h"

PetscErrorCode staggered_number(DM dm, DMStagStencil where, PetscInt *number) {
  ISLocalToGlobalMapping map;
  PetscInt dim;
  PetscFunctionBeginUser;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMStagStencilToIndexLocal(dm, dim, 1, &where, number));
  PetscCall(DMGetLocalToGlobalMapping(dm, &map));
  PetscCall(ISLocalToGlobalMappingApply(map, 1, number, number));
  PetscFunctionReturn(0);
}

static PetscErrorCode local_size(DM dm, PetscInt *n) {
  Vec v;
  PetscFunctionBeginUser;
  PetscCall(DMGetGlobalVector(dm, &v));
  PetscCall(VecGetLocalSize(v, n));
  PetscCall(DMRestoreGlobalVector(dm, &v));
  PetscFunctionReturn(0);
}

PetscErrorCode staggered_matrix(DM rows, DM columns, PetscInt entries, Mat *A) {
  PetscInt n, m;
  PetscFunctionBeginUser;
  PetscCall(local_size(rows, &n));
  PetscCall(local_size(columns, &m));
  PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)rows), n, m, PETSC_DETERMINE, PETSC_DETERMINE,
                         entries, NULL, entries, NULL, A));
  PetscFunctionReturn(0);
}

PetscErrorCode staggered_assemble(Mat A) {
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode staggered_diagonal(Mat A) {
  PetscInt first, last;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt k = first; k < last; k++) PetscCall(MatSetValue(A, k, k, 0, ADD_VALUES));
  PetscFunctionReturn(0);
}

PetscErrorCode staggered_write(DM dm, Vec fields, int n, const char *const *name,
                               const char *file) {
  DM da;
  Vec v;
  PetscViewer viewer;
  PetscFunctionBeginUser;
  PetscCall(DMStagVecSplitToDMDA(dm, fields, DMSTAG_ELEMENT, -n, &da, &v));
  for (int k = 0; k < n; k++) PetscCall(DMDASetFieldName(da, k, name[k]));
  PetscCall(PetscObjectSetName((PetscObject)v, "flow"));
  PetscCall(PetscViewerVTKOpen(PetscObjectComm((PetscObject)da), file, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(v, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&v));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(0);
}
