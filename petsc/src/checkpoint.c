/*
 * The whole state of a run in one file (PETSc's binary format):
 *
 *   numbers   magic, version, sizes, method, time, step, counts; the largest entry of each vector
 *   vectors   u, p, F, slope, those of srm, in an order that does not depend on the ranks
 *
 * It is written beside its target and renamed, so that a run that is killed leaves the file before.
 */
#include "flow.h"

enum { MAGIC = 20013, VERSION = 2, VECTORS = 6 + DAE_FLOW_ITERATES, NUMBERS = 20 };

/* the vectors of the state; how many */
static int vectors_of(DaeFlow f, Vec *list, IS *number) {
  int n = 0;
  list[n++] = f->p;
  if (f->kind == DAE_FLOW_SRM) list[n++] = f->srm_y, list[n++] = f->mean_old;
  for (int i = 0; i < n; i++) number[i] = f->number_p;
  int first = n;
  list[n++] = f->u;
  list[n++] = f->F;
  list[n++] = f->slope;
  for (int s = 0; f->kind == DAE_FLOW_SRM && s + 1 < f->iterates; s++) list[n++] = f->srm_u[s];
  for (int i = first; i < n; i++) number[i] = f->number_u;
  return n;
}

/* a number for the name of the method */
static PetscReal method_number(const DaeFlow f) {
  const PetscReal most = 1e9;
  PetscReal sum = 0;
  for (const char *c = f->method->name; *c; c++) sum = fmod(131 * sum + *c, most);
  return sum;
}

/* from the order of the vector to the numbers of `number`, or back */
static PetscErrorCode renumber(Vec v, IS number, Vec natural, ScatterMode mode) {
  VecScatter scatter;
  PetscFunctionBeginUser;
  if (!number) {
    if (mode == SCATTER_FORWARD) PetscCall(VecCopy(v, natural));
    else PetscCall(VecCopy(natural, v));
    PetscFunctionReturn(0);
  }
  PetscCall(VecScatterCreate(v, NULL, natural, number, &scatter));
  Vec from = mode == SCATTER_FORWARD ? v : natural, to = mode == SCATTER_FORWARD ? natural : v;
  PetscCall(VecScatterBegin(scatter, from, to, INSERT_VALUES, mode));
  PetscCall(VecScatterEnd(scatter, from, to, INSERT_VALUES, mode));
  PetscCall(VecScatterDestroy(&scatter));
  PetscFunctionReturn(0);
}

/* a vector for the file: the layout of PETSc's own choice, large enough for all numbers */
static PetscErrorCode natural_vector(DaeFlow f, Vec like, IS number, Vec *out) {
  PetscInt size, most;
  PetscFunctionBeginUser;
  if (!number) {
    PetscCall(VecDuplicate(like, out));
    PetscFunctionReturn(0);
  }
  PetscCall(ISGetMinMax(number, NULL, &most));
  PetscCallMPI(MPI_Allreduce(&most, &size, 1, MPIU_INT, MPI_MAX, f->comm));
  PetscCall(VecCreateMPI(f->comm, PETSC_DECIDE, size + 1, out));
  PetscFunctionReturn(0);
}

/* the state as numbers */
static PetscErrorCode pack(DaeFlow f, PetscReal *a) {
  PetscInt n, m;
  PetscFunctionBeginUser;
  PetscCall(VecGetSize(f->u, &n));
  PetscCall(VecGetSize(f->p, &m));
  PetscReal list[NUMBERS] = {MAGIC,
                             VERSION,
                             n,
                             m,
                             method_number(f),
                             f->time,
                             f->h,
                             f->norm_before,
                             f->rejected_before,
                             f->event_value,
                             f->report.steps,
                             f->report.rejected,
                             f->report.evaluations,
                             f->report.constraint,
                             f->report.moved,
                             f->report.solves,
                             f->report.iterations,
                             f->kind == DAE_FLOW_SRM ? f->iterates : 0,
                             f->srm_used,
                             f->mean_time};
  PetscCall(PetscArraycpy(a, list, NUMBERS));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowSave(DaeFlow f, const char *file) {
  char beside[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  PetscReal a[NUMBERS], sum[VECTORS];
  PetscMPIInt rank;
  PetscFunctionBeginUser;
  PetscCheck(f->started, f->comm, PETSC_ERR_ORDER, "there is nothing to save before DaeFlowStart");
  Vec list[VECTORS];
  IS number[VECTORS];
  int count = vectors_of(f, list, number);
  PetscCall(PetscSNPrintf(beside, sizeof beside, "%s.tmp", file));
  PetscCall(pack(f, a));
  for (int i = 0; i < count; i++) PetscCall(VecNorm(list[i], NORM_INFINITY, &sum[i]));
  PetscCall(PetscViewerCreate(f->comm, &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(viewer, beside));
  PetscCall(PetscViewerBinaryWrite(viewer, a, NUMBERS, PETSC_REAL));
  PetscCall(PetscViewerBinaryWrite(viewer, sum, count, PETSC_REAL));
  for (int i = 0; i < count; i++) {
    Vec natural;
    PetscCall(natural_vector(f, list[i], number[i], &natural));
    PetscCall(renumber(list[i], number[i], natural, SCATTER_FORWARD));
    PetscCall(VecView(natural, viewer));
    PetscCall(VecDestroy(&natural));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Comm_rank(f->comm, &rank));
  int moved = rank == 0 ? rename(beside, file) : 0;
  PetscCallMPI(MPI_Bcast(&moved, 1, MPI_INT, 0, f->comm));
  PetscCheck(moved == 0, f->comm, PETSC_ERR_FILE_WRITE, "cannot write %s", file);
  /* from here L is that of this point, as it will be after DaeFlowLoad */
  f->stiff_old = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode unpack(DaeFlow f, const char *file, const PetscReal *a) {
  PetscReal mine[NUMBERS];
  PetscFunctionBeginUser;
  PetscCall(pack(f, mine));
  PetscCheck(a[0] == MAGIC && a[1] == VERSION, f->comm, PETSC_ERR_FILE_UNEXPECTED,
             "%s is no checkpoint of this version", file);
  PetscCheck(a[2] == mine[2] && a[3] == mine[3], f->comm, PETSC_ERR_FILE_UNEXPECTED,
             "%s belongs to a system with %g unknowns u and %g unknowns p, not %g and %g", file,
             (double)a[2], (double)a[3], (double)mine[2], (double)mine[3]);
  PetscCheck(a[4] == mine[4] && a[17] == mine[17], f->comm, PETSC_ERR_FILE_UNEXPECTED,
             "%s was written with another method than %s, or another number of its iterates", file,
             f->method->name);
  f->time = f->time_old = a[5];
  f->h = a[6];
  f->norm_before = a[7];
  f->rejected_before = a[8] != 0 ? PETSC_TRUE : PETSC_FALSE;
  f->event_value = a[9];
  f->srm_used = a[18];
  f->mean_time = a[19];
  f->stiff_old = PETSC_TRUE;
  f->report = (DaeFlowReport){.status = DAE_OK,
                              .t = a[5],
                              .h = a[6],
                              .steps = (PetscInt)a[10],
                              .rejected = (PetscInt)a[11],
                              .evaluations = (PetscInt)a[12],
                              .constraint = a[13],
                              .moved = a[14],
                              .solves = (PetscInt)a[15],
                              .iterations = (PetscInt)a[16]};
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowLoad(DaeFlow f, const char *file) {
  PetscViewer viewer;
  PetscReal a[NUMBERS], sum[VECTORS], is;
  PetscInt got;
  PetscBool there;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowSetUp(f));
  PetscCall(PetscTestFile(file, 'r', &there));
  PetscCheck(there, f->comm, PETSC_ERR_FILE_OPEN, "cannot read %s", file);
  Vec list[VECTORS];
  IS number[VECTORS];
  int count = vectors_of(f, list, number);
  PetscCall(PetscViewerBinaryOpen(f->comm, file, FILE_MODE_READ, &viewer));
  PetscCall(PetscViewerBinaryRead(viewer, a, NUMBERS, &got, PETSC_REAL));
  PetscCheck(got == NUMBERS, f->comm, PETSC_ERR_FILE_UNEXPECTED, "%s is not whole", file);
  PetscCall(unpack(f, file, a));
  PetscCall(PetscViewerBinaryRead(viewer, sum, count, &got, PETSC_REAL));
  PetscCheck(got == count, f->comm, PETSC_ERR_FILE_UNEXPECTED, "%s is not whole", file);
  for (int i = 0; i < count; i++) {
    Vec natural;
    PetscCall(natural_vector(f, list[i], number[i], &natural));
    PetscCall(VecLoad(natural, viewer));
    PetscCall(renumber(list[i], number[i], natural, SCATTER_REVERSE));
    PetscCall(VecDestroy(&natural));
    PetscCall(VecNorm(list[i], NORM_INFINITY, &is));
    PetscCheck(is == sum[i], f->comm, PETSC_ERR_FILE_UNEXPECTED, "%s is damaged", file);
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecCopy(f->u, f->u_old));
  PetscCall(VecCopy(f->slope, f->slope_old));
  f->started = PETSC_TRUE;
  PetscFunctionReturn(0);
}
