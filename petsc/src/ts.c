/*
 * The methods as TS types: an existing PETSc code takes them by -ts_type daedal_herk3.
 *
 * The equations of a TS, IFunction(t, U, U') = RHSFunction(t, U), are taken apart:
 *   weights    IFunction(t, U, V) - IFunction(t, U, 0) over V, entry by entry: the mass, when it is
 *              diagonal; rows without are the constraints, and the unknowns of the same place the
 *              pressures
 *   M          a mass that is not diagonal: IJacobian with shift 1 - IJacobian with shift 0
 *   f          the other rows of RHSFunction(t, U) - IFunction(t, U, 0) with p = 0
 *   g          the rows of the constraints, of the same with p = 0
 *   -B, C      blocks of RHSJacobian - IJacobian with shift 0
 *   L          likewise, the block of the velocities, for imex and implicit types
 * B and C are taken for constant: constraints must be linear in u, which is checked at the start.
 */
#include "flow.h"
#include <petsc/private/tsimpl.h>

typedef struct ts_flow {
  DaeFlow flow;
  IS u, p;     /* the unknowns of the TS that are velocities, and those that are pressures */
  Vec U, V, W; /* of the TS's size */
  Vec part_u, part_p;
  TS ts;
} ts_flow;

/* W := RHSFunction(t, U) - IFunction(t, U, 0) */
static PetscErrorCode equations(ts_flow *d, PetscReal t, Vec U, Vec W) {
  PetscFunctionBeginUser;
  PetscCall(VecSet(d->V, 0));
  PetscCall(TSComputeIFunction(d->ts, t, U, d->V, W, PETSC_FALSE));
  /* with imex = false the right-hand side is in it already */
  PetscCall(VecScale(W, -1));
  PetscFunctionReturn(0);
}

/* what PETSc's Jacobians by differences are made of: the equations without derivatives in time */
static PetscErrorCode residual(SNES snes, Vec U, Vec W, TS ts) {
  ts_flow *d = ts->data;
  PetscFunctionBeginUser;
  (void)snes;
  PetscCall(VecSet(d->V, 0));
  PetscCall(TSComputeIFunction(ts, ts->ptime, U, d->V, W, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* the unknowns with u in their place and no pressure */
static PetscErrorCode with_velocity(ts_flow *d, Vec u) {
  PetscFunctionBeginUser;
  PetscCall(VecSet(d->U, 0));
  PetscCall(VecISCopy(d->U, d->u, SCATTER_FORWARD, u));
  PetscFunctionReturn(0);
}

static PetscErrorCode force(PetscReal t, Vec u, Vec F, void *ctx) {
  ts_flow *d = ctx;
  PetscFunctionBeginUser;
  PetscCall(with_velocity(d, u));
  PetscCall(equations(d, t, d->U, d->W));
  PetscCall(VecISCopy(d->W, d->u, SCATTER_REVERSE, F));
  PetscFunctionReturn(0);
}

/* r(t) = -g(t, 0) */
static PetscErrorCode data(PetscReal t, Vec r, void *ctx) {
  ts_flow *d = ctx;
  PetscFunctionBeginUser;
  PetscCall(VecSet(d->U, 0));
  PetscCall(equations(d, t, d->U, d->W));
  PetscCall(VecISCopy(d->W, d->p, SCATTER_REVERSE, r));
  PetscCall(VecScale(r, -1));
  PetscFunctionReturn(0);
}

/* W := IFunction(t, U, V) - IFunction(t, U, 0), V random entries from 1 to 2 */
static PetscErrorCode derivative_part(TS ts, ts_flow *d, unsigned long seed) {
  PetscRandom random;
  PetscFunctionBeginUser;
  PetscCall(VecSet(d->V, 0));
  PetscCall(TSComputeIFunction(ts, ts->ptime, ts->vec_sol, d->V, d->U, PETSC_TRUE));
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)ts), &random));
  PetscCall(PetscRandomSetInterval(random, 1, 2));
  PetscCall(PetscRandomSetSeed(random, seed));
  PetscCall(PetscRandomSeed(random));
  PetscCall(VecSetRandom(d->V, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(TSComputeIFunction(ts, ts->ptime, ts->vec_sol, d->V, d->W, PETSC_TRUE));
  PetscCall(VecAXPY(d->W, -1, d->U));
  PetscFunctionReturn(0);
}

/* rows in which a derivative is, and rows in which none is */
static PetscErrorCode split(TS ts, ts_flow *d) {
  const PetscScalar *weight;
  PetscInt first, last, *iu, *ip, nu = 0, np = 0, all;
  PetscFunctionBeginUser;
  PetscCall(derivative_part(ts, d, 1));
  PetscCall(VecGetOwnershipRange(d->W, &first, &last));
  PetscCall(PetscMalloc2(last - first, &iu, last - first, &ip));
  PetscCall(VecGetArrayRead(d->W, &weight));
  for (PetscInt i = 0; i < last - first; i++) {
    if (PetscAbsScalar(weight[i]) > 0) iu[nu++] = first + i;
    else ip[np++] = first + i;
  }
  PetscCall(VecRestoreArrayRead(d->W, &weight));
  MPI_Comm comm = PetscObjectComm((PetscObject)ts);
  PetscCall(ISCreateGeneral(comm, nu, iu, PETSC_COPY_VALUES, &d->u));
  PetscCall(ISCreateGeneral(comm, np, ip, PETSC_COPY_VALUES, &d->p));
  PetscCall(PetscFree2(iu, ip));
  PetscCall(ISGetSize(d->p, &all));
  PetscCheck(all > 0, comm, PETSC_ERR_ARG_WRONG,
             "all derivatives have a weight in the IFunction: there is no constraint, and nothing "
             "for the type %s to keep",
             ((PetscObject)ts)->type_name);
  PetscCall(VecCreateMPI(comm, nu, PETSC_DETERMINE, &d->part_u));
  PetscCall(VecCreateMPI(comm, np, PETSC_DETERMINE, &d->part_p));
  PetscFunctionReturn(0);
}

/* the Jacobian of the TS with a shift, evaluated at the start; its matrix belongs to the TS */
static PetscErrorCode jacobian(TS ts, ts_flow *d, PetscReal shift, Mat *P) {
  Mat A;
  PetscFunctionBeginUser;
  PetscCall(TSGetIJacobian(ts, &A, P, NULL, NULL));
  if (!A) PetscCall(TSGetRHSJacobian(ts, &A, P, NULL, NULL));
  PetscCheck(A, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONG,
             "the types daedal_.. take B and C from the Jacobian: give TSSetIJacobian or "
             "TSSetRHSJacobian");
  PetscCall(VecSet(d->V, 0));
  PetscCall(TSComputeIJacobian(ts, ts->ptime, ts->vec_sol, d->V, shift, A, *P, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* M from the Jacobian, checked against IFunction on another vector: a Jacobian by differences does
   not have the digits */
static PetscErrorCode mass_matrix(TS ts, ts_flow *d) {
  Mat P, M, none;
  Vec x;
  PetscReal off, size;
  PetscFunctionBeginUser;
  PetscCall(jacobian(ts, d, 1, &P));
  PetscCall(MatCreateSubMatrix(P, d->u, d->u, MAT_INITIAL_MATRIX, &M));
  PetscCall(jacobian(ts, d, 0, &P));
  PetscCall(MatCreateSubMatrix(P, d->u, d->u, MAT_INITIAL_MATRIX, &none));
  PetscCall(MatAXPY(M, -1, none, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&none));
  PetscCall(derivative_part(ts, d, 2));
  PetscCall(VecDuplicate(d->part_u, &x));
  PetscCall(VecISCopy(d->V, d->u, SCATTER_REVERSE, x));
  PetscCall(MatMult(M, x, d->part_u));
  PetscCall(VecISCopy(d->W, d->u, SCATTER_REVERSE, x));
  PetscCall(VecNorm(x, NORM_2, &size));
  PetscCall(VecAXPY(x, -1, d->part_u));
  PetscCall(VecNorm(x, NORM_2, &off));
  PetscCall(VecDestroy(&x));
  PetscCheck(off <= 1e-10 * size, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONG,
             "the mass of this TS is not diagonal, and the Jacobian does not have it to the digits "
             "that are needed (off by %g): give an exact TSSetIJacobian",
             (double)(off / size));
  PetscCall(DaeFlowSetMassMatrix(d->flow, M));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(0);
}

/* the weights as a diagonal mass, when they serve another vector too */
static PetscErrorCode set_mass(TS ts, ts_flow *d) {
  Vec weight, product;
  PetscReal off, size;
  PetscFunctionBeginUser;
  PetscCall(VecPointwiseDivide(d->W, d->W, d->V));
  PetscCall(VecDuplicate(d->part_u, &weight));
  PetscCall(VecISCopy(d->W, d->u, SCATTER_REVERSE, weight));
  PetscCall(derivative_part(ts, d, 2));
  PetscCall(VecDuplicate(d->part_u, &product));
  PetscCall(VecISCopy(d->V, d->u, SCATTER_REVERSE, d->part_u));
  PetscCall(VecPointwiseMult(product, weight, d->part_u));
  PetscCall(VecISCopy(d->W, d->u, SCATTER_REVERSE, d->part_u));
  PetscCall(VecNorm(d->part_u, NORM_2, &size));
  PetscCall(VecAXPY(product, -1, d->part_u));
  PetscCall(VecNorm(product, NORM_2, &off));
  if (off <= 1e-12 * size) PetscCall(DaeFlowSetMass(d->flow, weight));
  else PetscCall(mass_matrix(ts, d));
  PetscCall(VecDestroy(&weight));
  PetscCall(VecDestroy(&product));
  PetscFunctionReturn(0);
}

/* Differences make Jacobians to eight digits. B and C are constant, so that differences over a
   length of 1 give them to rounding: once more, by the colours of the matrix, where it has
   entries */
static PetscErrorCode sharpen(TS ts, ts_flow *d, Mat P) {
  PetscBool entries;
  MatColoring coloring;
  ISColoring colors;
  MatFDColoring differences;
  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)P, &entries, MATSEQAIJ, MATMPIAIJ, ""));
  if (!entries) PetscFunctionReturn(0);
  PetscCall(MatColoringCreate(P, &coloring));
  PetscCall(MatColoringSetType(coloring, MATCOLORINGGREEDY));
  PetscCall(MatColoringApply(coloring, &colors));
  PetscCall(MatColoringDestroy(&coloring));
  PetscCall(MatFDColoringCreate(P, colors, &differences));
  PetscCall(MatFDColoringSetFunction(differences, (PetscErrorCode(*)(void))residual, ts));
  PetscCall(MatFDColoringSetParameters(differences, 1, 1));
  PetscCall(MatFDColoringSetUp(P, colors, differences));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(VecCopy(ts->vec_sol, d->U));
  PetscCall(MatFDColoringApply(P, differences, d->U, NULL));
  PetscCall(MatFDColoringDestroy(&differences));
  PetscFunctionReturn(0);
}

/* L at a point: minus the block of the velocities of the Jacobian */
static PetscErrorCode stiff_part(PetscReal t, Vec u, Mat L, void *ctx) {
  ts_flow *d = ctx;
  Mat P;
  PetscFunctionBeginUser;
  PetscCall(VecISCopy(d->ts->vec_sol, d->u, SCATTER_FORWARD, u));
  d->ts->ptime = t;
  PetscCall(jacobian(d->ts, d, 0, &P));
  PetscCall(MatCreateSubMatrix(P, d->u, d->u, MAT_REUSE_MATRIX, &L));
  PetscCall(MatScale(L, -1));
  PetscFunctionReturn(0);
}

/* -B and C from the Jacobian of the equations at the start, and L where it is wanted */
static PetscErrorCode blocks(TS ts, ts_flow *d, Mat *B, Mat *C) {
  Mat P, L;
  PetscFunctionBeginUser;
  PetscCall(jacobian(ts, d, 0, &P));
  if (d->flow->kind == DAE_FLOW_IMEX || d->flow->kind == DAE_FLOW_IMPLICIT) {
    PetscCall(MatCreateSubMatrix(P, d->u, d->u, MAT_INITIAL_MATRIX, &L));
    PetscCall(MatScale(L, -1));
    PetscCall(DaeFlowSetStiff(d->flow, L));
    PetscCall(MatDestroy(&L));
    if (d->flow->kind == DAE_FLOW_IMPLICIT)
      PetscCall(DaeFlowSetStiffFunction(d->flow, stiff_part, d));
  }
  PetscCall(sharpen(ts, d, P));
  PetscCall(MatCreateSubMatrix(P, d->u, d->p, MAT_INITIAL_MATRIX, B));
  PetscCall(MatCreateSubMatrix(P, d->p, d->u, MAT_INITIAL_MATRIX, C));
  PetscCall(MatScale(*C, -1));
  PetscFunctionReturn(0);
}

/* g(t,u) - g(t,0) = C u for the u of the start and for twice it, and p is in no constraint */
static PetscErrorCode check_linear(TS ts, ts_flow *d, Mat C) {
  Vec g, r;
  PetscReal off, size;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(d->part_p, &g));
  PetscCall(VecDuplicate(d->part_p, &r));
  PetscCall(data(ts->ptime, r, d));
  for (int k = 1; k <= 2; k++) {
    PetscCall(VecISCopy(ts->vec_sol, d->u, SCATTER_REVERSE, d->part_u));
    PetscCall(VecScale(d->part_u, k));
    PetscCall(VecCopy(ts->vec_sol, d->U)); /* with the pressures */
    PetscCall(VecISCopy(d->U, d->u, SCATTER_FORWARD, d->part_u));
    PetscCall(equations(d, ts->ptime, d->U, d->W));
    PetscCall(VecISCopy(d->W, d->p, SCATTER_REVERSE, g));
    PetscCall(VecAXPY(g, 1, r));
    PetscCall(VecNorm(g, NORM_2, &size));
    PetscCall(VecScale(g, -1));
    PetscCall(MatMultAdd(C, d->part_u, g, g));
    PetscCall(VecNorm(g, NORM_2, &off));
    PetscReal length;
    PetscCall(VecNorm(d->part_u, NORM_2, &length));
    PetscCheck(off <= 1e-6 * size + 1e-9 * length, PetscObjectComm((PetscObject)ts),
               PETSC_ERR_ARG_WRONG,
               "the constraints of this TS are not linear in u, or hold p: off by %g", (double)off);
  }
  PetscCall(VecDestroy(&g));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(0);
}

/* the part in the pressures of the null space that the Jacobian has been given */
static PetscErrorCode null_space(TS ts, ts_flow *d) {
  enum { MOST = 16 };
  Mat A;
  MatNullSpace whole = NULL, part;
  PetscBool constant;
  PetscInt count;
  const Vec *list;
  Vec own[MOST];
  PetscFunctionBeginUser;
  PetscCall(TSGetIJacobian(ts, &A, NULL, NULL, NULL));
  if (!A) PetscCall(TSGetRHSJacobian(ts, &A, NULL, NULL, NULL));
  PetscCall(MatGetNullSpace(A, &whole));
  if (!whole) PetscFunctionReturn(0);
  PetscCall(MatNullSpaceGetVecs(whole, &constant, &count, &list));
  PetscCheck(!constant && count <= MOST, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "the null space of the Jacobian must be given as at most %d vectors", MOST);
  for (PetscInt i = 0; i < count; i++) {
    PetscReal length;
    PetscCall(VecDuplicate(d->part_p, &own[i]));
    PetscCall(VecISCopy(list[i], d->p, SCATTER_REVERSE, own[i]));
    PetscCall(VecNormalize(own[i], &length));
    PetscCheck(PetscAbsReal(length - 1) < 1e-8, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
               "the null space of the Jacobian must lie in the pressures");
  }
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)ts), PETSC_FALSE, count, own, &part));
  PetscCall(DaeFlowSetNullSpace(d->flow, part));
  PetscCall(MatNullSpaceDestroy(&part));
  for (PetscInt i = 0; i < count; i++) PetscCall(VecDestroy(&own[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(TS ts) {
  ts_flow *d = ts->data;
  Mat B, C;
  PetscFunctionBeginUser;
  d->ts = ts;
  PetscCall(VecDuplicate(ts->vec_sol, &d->U));
  PetscCall(VecDuplicate(ts->vec_sol, &d->V));
  PetscCall(VecDuplicate(ts->vec_sol, &d->W));
  PetscCall(split(ts, d));
  PetscCall(set_mass(ts, d));
  PetscCall(blocks(ts, d, &B, &C));
  PetscCall(check_linear(ts, d, C));
  PetscCall(DaeFlowSetMatrices(d->flow, B, C));
  PetscCall(DaeFlowSetForce(d->flow, force, d));
  PetscCall(DaeFlowSetData(d->flow, data, NULL, d));
  PetscCall(null_space(ts, d));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(0);
}

/* the flow's point as the solution of the TS */
static PetscErrorCode publish(TS ts) {
  ts_flow *d = ts->data;
  Vec u, p;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowGetPoint(d->flow, &ts->ptime, &u, &p));
  PetscCall(VecISCopy(ts->vec_sol, d->u, SCATTER_FORWARD, u));
  PetscCall(VecISCopy(ts->vec_sol, d->p, SCATTER_FORWARD, p));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(TS ts) {
  ts_flow *d = ts->data;
  DaeFlow f = d->flow;
  PetscFunctionBeginUser;
  if (!f->started || ts->ptime != f->time) {
    PetscCall(VecISCopy(ts->vec_sol, d->u, SCATTER_REVERSE, d->part_u));
    PetscCall(DaeFlowStart(f, ts->ptime, d->part_u));
    if (f->step == 0) f->h = ts->time_step;
  }
  /* without error control the steps are those of the TS */
  PetscReal end = ts->max_time;
  if (f->method->estimate == 0 || ts->adapt == NULL) f->step = ts->time_step;
  TSAdaptType type = NULL;
  if (ts->adapt) PetscCall(TSAdaptGetType(ts->adapt, &type));
  PetscBool fixed = PETSC_FALSE;
  if (type) PetscCall(PetscStrcmp(type, TSADAPTNONE, &fixed));
  if (fixed) f->step = ts->time_step;
  PetscReal before = f->time;
  if (DaeFlowOk(f)) PetscCall(DaeFlowStep(f, end));
  if (f->report.status < 0) {
    PetscCheck(!ts->errorifstepfailed, PetscObjectComm((PetscObject)ts), PETSC_ERR_NOT_CONVERGED,
               "%s: %s", dae_status_name(f->report.status), f->report.message);
    PetscCall(PetscInfo(ts, "%s\n", f->report.message));
    ts->reason = TS_DIVERGED_STEP_REJECTED;
    PetscFunctionReturn(0);
  }
  ts->ptime_prev = before;
  PetscCall(publish(ts));
  if (!fixed && f->h > 0) ts->time_step = f->h;
  PetscFunctionReturn(0);
}

static PetscErrorCode interpolate(TS ts, PetscReal t, Vec U) {
  ts_flow *d = ts->data;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowEval(d->flow, t, d->part_u, d->part_p));
  PetscCall(VecISCopy(U, d->u, SCATTER_FORWARD, d->part_u));
  PetscCall(VecISCopy(U, d->p, SCATTER_FORWARD, d->part_p));
  PetscFunctionReturn(0);
}

static PetscErrorCode reset(TS ts) {
  ts_flow *d = ts->data;
  PetscFunctionBeginUser;
  PetscCall(ISDestroy(&d->u));
  PetscCall(ISDestroy(&d->p));
  PetscCall(VecDestroy(&d->U));
  PetscCall(VecDestroy(&d->V));
  PetscCall(VecDestroy(&d->W));
  PetscCall(VecDestroy(&d->part_u));
  PetscCall(VecDestroy(&d->part_p));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(TS ts) {
  ts_flow *d = ts->data;
  PetscFunctionBeginUser;
  PetscCall(reset(ts));
  PetscCall(DaeFlowDestroy(&d->flow));
  PetscCall(PetscFree(ts->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode from_options(TS ts, PetscOptionItems *items) {
  ts_flow *d = ts->data;
  const char *prefix;
  PetscFunctionBeginUser;
  (void)items;
  PetscCall(TSGetOptionsPrefix(ts, &prefix));
  PetscCall(DaeFlowSetOptionsPrefix(d->flow, prefix));
  PetscCall(DaeFlowSetFromOptions(d->flow));
  PetscFunctionReturn(0);
}

static PetscErrorCode view(TS ts, PetscViewer viewer) {
  ts_flow *d = ts->data;
  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  method %s, order %d\n", d->flow->method->name,
                                   d->flow->method->order));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(TS ts) {
  static const char prefix[] = "daedal_";
  ts_flow *d;
  const char *type = ((PetscObject)ts)->type_name;
  PetscFunctionBeginUser;
  PetscCall(PetscNew(&d));
  ts->data = d;
  PetscCall(DaeFlowCreate(PetscObjectComm((PetscObject)ts), &d->flow));
  PetscCall(DaeFlowSetMethod(d->flow, type + sizeof prefix - 1));
  ts->ops->setup = set_up;
  ts->ops->step = step;
  ts->ops->snesfunction = residual;
  ts->ops->interpolate = interpolate;
  ts->ops->reset = reset;
  ts->ops->destroy = destroy;
  ts->ops->setfromoptions = from_options;
  ts->ops->view = view;
  /* error control is the method's own; -ts_adapt_type none takes the steps of the TS */
  ts->default_adapt_type = d->flow->method->estimate > 0 ? TSADAPTBASIC : TSADAPTNONE;
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowRegisterTS(void) {
  char type[64];
  const dae_method *m;
  PetscFunctionBeginUser;
  for (int i = 0; (m = DaeFlowMethodAt(i, NULL)); i++) {
    PetscCall(PetscSNPrintf(type, sizeof type, "daedal_%s", m->name));
    PetscCall(TSRegister(type, create));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowFromTS(TS ts, DaeFlow *flow) {
  PetscBool same = PETSC_FALSE;
  PetscFunctionBeginUser;
  if (((PetscObject)ts)->type_name)
    PetscCall(PetscStrncmp(((PetscObject)ts)->type_name, "daedal_", 7, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONG,
             "this TS has no type daedal_..");
  *flow = ((ts_flow *)ts->data)->flow;
  PetscFunctionReturn(0);
}
