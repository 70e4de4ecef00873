/*
 * What a step costs, and what it should cost by the model of docs/petsc.md: the driven cavity with
 * fixed steps of dopri5, on one rank or many.
 *
 *   mpiexec -n 2 cost -n 512 -steps 3
 *
 * Measured: processor time of the slowest rank outside of MPI (waiting is left out, so that other
 * work on the machine does little), messages, bytes and reductions. Predicted: how often each
 * kernel (product with a matrix, sum of vectors, force) runs in a step, times its speed on this
 * machine with all ranks at work.
 */
#define _POSIX_C_SOURCE 200809L
#include "common/grid.h"
#include <daedal/petsc.h>
#include <math.h>
#include <time.h>

/* ---- processor time inside of MPI: calls of MPI come here first (in brackets, for PETSc has
   macros of these names) ---- */

static double inside, entered;

static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void enter(void) { entered = processor(); }
static int leave(int code) {
  inside += processor() - entered;
  return code;
}

int(MPI_Waitall)(int n, MPI_Request *r, MPI_Status *s) {
  enter();
  return leave(PMPI_Waitall(n, r, s));
}
int(MPI_Wait)(MPI_Request *r, MPI_Status *s) {
  enter();
  return leave(PMPI_Wait(r, s));
}
int(MPI_Waitany)(int n, MPI_Request *r, int *i, MPI_Status *s) {
  enter();
  return leave(PMPI_Waitany(n, r, i, s));
}
int(MPI_Allreduce)(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  enter();
  return leave(PMPI_Allreduce(a, b, n, t, o, c));
}
int(MPI_Startall)(int n, MPI_Request *r) {
  enter();
  return leave(PMPI_Startall(n, r));
}
int(MPI_Bcast)(void *a, int n, MPI_Datatype t, int root, MPI_Comm c) {
  enter();
  return leave(PMPI_Bcast(a, n, t, root, c));
}

/* ---- the flow ---- */

static PetscReal lid(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)t, (void)x;
  return k == 0 && y >= ((const grid *)ctx)->height ? 1 : 0;
}
static PetscReal still(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)t, (void)x, (void)y, (void)k, (void)ctx;
  return 0;
}
static PetscErrorCode force(PetscReal t, Vec u, Vec F, void *ctx) {
  return grid_force(ctx, t, u, F);
}

static PetscErrorCode make(grid *g, PetscInt n, DaeFlow *flow, Vec *u) {
  MatNullSpace constant;
  Mat B, C;
  KSP ksp;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(grid_create(PETSC_COMM_WORLD, n, n, 1, 1, PETSC_FALSE, g));
  g->viscosity = 1e-3;
  g->ctx = g;
  g->boundary = lid;
  g->boundary_t = still;
  PetscCall(grid_matrices(g, &B, &C));
  PetscCall(DMCreateGlobalVector(g->faces, u));
  PetscCall(DaeFlowCreate(PETSC_COMM_WORLD, flow));
  PetscCall(DaeFlowSetMethod(*flow, "dopri5"));
  PetscCall(DaeFlowSetForce(*flow, force, g));
  PetscCall(DaeFlowSetMatrices(*flow, B, C));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(DaeFlowSetNullSpace(*flow, constant));
  PetscCall(DaeFlowGetKSP(*flow, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(DaeFlowSetStep(*flow, 0.3 / n));
  PetscCall(DaeFlowSetFromOptions(*flow));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(0);
}

/* ---- this machine ---- */

/* Seconds a row of y := S x and of y := y + a x with the matrix of the pressures and vectors of its
   size, all ranks at once, outside of MPI. In a step other data come between two uses of a matrix:
   here a long vector does, so that nothing is in the cache. The best of a few tries */
static PetscErrorCode kernel_speeds(DaeFlow flow, double *product, double *sum) {
  enum { TRIES = 40, LONG = 1 << 22 };
  Vec x, y, other;
  KSP ksp;
  Mat S;
  PetscInt n;
  double best[2] = {1e30, 1e30}, worst[2], begun;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowGetKSP(flow, &ksp));
  PetscCall(KSPGetOperators(ksp, &S, NULL));
  PetscCall(MatCreateVecs(S, &x, &y));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, LONG, &other));
  PetscCall(VecSet(x, 1));
  PetscCall(VecGetLocalSize(x, &n));
  for (int k = 0; k < TRIES; k++) {
    PetscCall(VecSet(other, k));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    begun = processor() - inside;
    PetscCall(MatMult(S, x, y));
    best[0] = fmin(best[0], processor() - inside - begun);
    PetscCall(VecSet(other, k));
    begun = processor() - inside;
    PetscCall(VecAXPY(y, 1e-3, x));
    best[1] = fmin(best[1], processor() - inside - begun);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&other));
  for (int i = 0; i < 2; i++) best[i] /= (double)n;
  PetscCallMPI(MPI_Allreduce(best, worst, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *product = worst[0];
  *sum = worst[1];
  PetscFunctionReturn(0);
}

/* seconds a cell of the force, outside of MPI */
static PetscErrorCode force_speed(grid *g, Vec u, double *out) {
  enum { TRIES = 5 };
  Vec F;
  PetscInt n;
  double best = 1e30;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(u, &F));
  PetscCall(VecGetLocalSize(u, &n));
  for (int k = 0; k < TRIES; k++) {
    double begun = processor() - inside;
    PetscCall(grid_force(g, 0, u, F));
    best = fmin(best, processor() - inside - begun);
  }
  PetscCall(VecDestroy(&F));
  best /= 0.5 * (double)n;
  PetscCallMPI(MPI_Allreduce(&best, out, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

/* ---- the model ---- */

/* Kernels a cell, see docs/petsc.md: products with a matrix of five entries a row, sums of vectors
   as long as p. 1.25: what all grids together have over the finest; 5: products of two smoothers of
   two steps and a residual; 2.5: to the next grid and back, three entries a row, the transposed
   product being slow */
static const double products_iteration = 1 + 1.25 * 5 + 2.5, sums_iteration = 6 + 1.25 * 16,
                    products_solve = 2, sums_solve = 12, sums_step = 2 * 6 * 4.5;

static double predicted(const DaeFlowReport *r, double cells, const double *speed) {
  double products = (double)r->iterations * products_iteration + (double)r->solves * products_solve,
         sums = (double)r->iterations * sums_iteration + (double)r->solves * sums_solve +
                (double)r->steps * sums_step;
  return cells * (products * speed[0] + sums * speed[1] + (double)r->evaluations * speed[2]);
}

typedef struct counts {
  double seconds, messages, bytes, reductions, flops;
} counts;

static counts now(void) {
  return (counts){processor() - inside, petsc_isend_ct + petsc_send_ct,
                  petsc_isend_len + petsc_send_len, petsc_allreduce_ct, petsc_TotalFlops};
}

int main(int argc, char **argv) {
  grid g;
  DaeFlow flow;
  Vec u;
  PetscInt n = 256, steps = 3;
  PetscMPIInt ranks;
  const DaeFlowReport *r;
  double most, speed[3];
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "what a step costs\n"));
  PetscCall(PetscLogDefaultBegin());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(make(&g, n, &flow, &u));
  PetscCall(VecSet(u, 0));
  PetscCall(DaeFlowStart(flow, 0, u));
  PetscCall(kernel_speeds(flow, &speed[0], &speed[1]));
  PetscCall(force_speed(&g, u, &speed[2]));
  PetscCall(DaeFlowStep(flow, 1));
  PetscCall(DaeFlowGetReport(flow, &r));
  DaeFlowReport before = *r;
  counts a = now();
  for (PetscInt k = 0; k < steps; k++) PetscCall(DaeFlowStep(flow, 1));
  counts b = now();
  DaeFlowReport did = *r;
  did.steps -= before.steps, did.solves -= before.solves, did.iterations -= before.iterations;
  did.evaluations -= before.evaluations;
  double mine = (b.seconds - a.seconds) / steps,
         model = predicted(&did, (double)n * n / ranks, speed) / steps;
  PetscCallMPI(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "n %" PetscInt_FMT " ranks %d iterations %.1f messages %.0f bytes %.0f "
                        "reductions %.0f flops %.3g product %.3g sum %.3g force %.3g "
                        "measured %.4g predicted %.4g ratio %.2f\n",
                        n, (int)ranks, (double)did.iterations / did.solves,
                        (b.messages - a.messages) / steps, (b.bytes - a.bytes) / steps,
                        (b.reductions - a.reductions) / steps, (b.flops - a.flops) / steps,
                        speed[0], speed[1], speed[2], most, model, most / model));
  PetscCall(DaeFlowDestroy(&flow));
  PetscCall(VecDestroy(&u));
  PetscCall(grid_destroy(&g));
  PetscCall(PetscFinalize());
  return 0;
}
