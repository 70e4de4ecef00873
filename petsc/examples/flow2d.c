/*
 * Incompressible flow in two dimensions on a staggered grid:
 *
 *   u' = viscosity Laplace(u) - div(u u) - grad p + s(t),   div u = q(t)
 *
 *   -case taylor        periodic vortices that decay: u = -cos(kx) sin(ky) exp(-2 nu k^2 t), ..
 *   -case exact         walls that move and an inflow that changes in time; s and q are such that
 *                       given u and p solve the equations of the grid, so that all error is of time
 *   -case cavity        a lid drives the flow in a square, from rest
 *   -case channel       an inflow that begins smoothly, 4 x 1
 *
 *   -n N    cells in y       -re R   Reynolds number      -end T
 *   -vtk FILE.vtr   -save FILE [-every K steps]   -load FILE   -quiet
 *   and -dae_.. as in daedal/petsc.h
 *
 * Prints the errors against the exact solution where there is one.
 */
#include "common/exact.h"
#include <daedal/petsc.h>

typedef struct setup {
  grid g;
  const char *name;
  PetscReal wave;
  exact e; /* of the case exact */
  Mat B, C;
  char save[PETSC_MAX_PATH_LEN];
  PetscInt every;
} setup;

/* ---- cases ---- */

static PetscReal taylor(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  const setup *s = ctx;
  PetscReal w = s->wave, decay = PetscExpReal(-2 * s->g.viscosity * w * w * t);
  if (k == 0) return -PetscCosReal(w * x) * PetscSinReal(w * y) * decay;
  if (k == 1) return PetscSinReal(w * x) * PetscCosReal(w * y) * decay;
  return -0.25 * (PetscCosReal(2 * w * x) + PetscCosReal(2 * w * y)) * decay * decay;
}

static PetscReal lid(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)t;
  (void)x;
  return k == 0 && y >= ((const setup *)ctx)->g.height ? 1 : 0;
}

static PetscReal still(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  (void)t, (void)x, (void)y, (void)k, (void)ctx;
  return 0;
}

/* the inflow begins smoothly: its size is 1 - exp(-t^2), so that u' = 0 at the start */
static PetscReal inflow(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  const setup *s = ctx;
  PetscBool open = x <= 0 || x >= s->g.width ? PETSC_TRUE : PETSC_FALSE;
  return k == 0 && open ? 6 * y * (1 - y) * (1 - PetscExpReal(-t * t)) : 0;
}

static PetscReal inflow_t(PetscReal t, PetscReal x, PetscReal y, int k, void *ctx) {
  const setup *s = ctx;
  PetscBool open = x <= 0 || x >= s->g.width ? PETSC_TRUE : PETSC_FALSE;
  return k == 0 && open ? 6 * y * (1 - y) * 2 * t * PetscExpReal(-t * t) : 0;
}

/* ---- the problem ---- */

static PetscErrorCode force(PetscReal t, Vec u, Vec F, void *ctx) {
  setup *s = ctx;
  PetscFunctionBeginUser;
  if (s->e.g) PetscCall(exact_force(&s->e, t, u, F));
  else PetscCall(grid_force(&s->g, t, u, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode data_of(setup *s, PetscReal t, PetscBool rate, Vec r) {
  PetscFunctionBeginUser;
  if (s->e.g) PetscCall(exact_data(&s->e, t, rate, r));
  else PetscCall(grid_data(&s->g, t, rate, r));
  PetscFunctionReturn(0);
}

static PetscErrorCode data(PetscReal t, Vec r, void *ctx) {
  return data_of(ctx, t, PETSC_FALSE, r);
}
static PetscErrorCode data_t(PetscReal t, Vec r, void *ctx) {
  return data_of(ctx, t, PETSC_TRUE, r);
}

static PetscErrorCode save(DaeFlow flow, PetscReal t, Vec u, Vec p, void *ctx) {
  const setup *s = ctx;
  const DaeFlowReport *report;
  PetscFunctionBeginUser;
  (void)t, (void)u, (void)p;
  PetscCall(DaeFlowGetReport(flow, &report));
  if (report->steps > 0 && report->steps % s->every == 0) PetscCall(DaeFlowSave(flow, s->save));
  PetscFunctionReturn(0);
}

/* ---- the run ---- */

static PetscErrorCode choose(setup *s, char *name, size_t size, PetscReal *end, PetscReal *re) {
  PetscInt n = 32;
  PetscBool is;
  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(name, "taylor", size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", name, size, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  *re = 100, *end = 1;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-re", re, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-end", end, NULL));
  PetscBool periodic = PETSC_FALSE, channel;
  PetscCall(PetscStrcmp(name, "taylor", &periodic));
  PetscCall(PetscStrcmp(name, "channel", &channel));
  s->wave = 2 * PETSC_PI;
  PetscCall(
      grid_create(PETSC_COMM_WORLD, channel ? 4 * n : n, n, channel ? 4 : 1, 1, periodic, &s->g));
  s->g.viscosity = 1 / *re;
  s->g.ctx = s;
  s->g.boundary = s->g.boundary_t = still;
  PetscCall(PetscStrcmp(name, "cavity", &is));
  if (is) s->g.boundary = lid;
  if (channel) s->g.boundary = inflow, s->g.boundary_t = inflow_t;
  PetscCall(PetscStrcmp(name, "exact", &is));
  PetscCheck(is || periodic || channel || s->g.boundary == lid, PETSC_COMM_WORLD,
             PETSC_ERR_ARG_UNKNOWN_TYPE, "-case %s is none of taylor, exact, cavity, channel",
             name);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_flow(setup *s, DaeFlow *flow) {
  MatNullSpace constant;
  IS number_u, number_p;
  KSP ksp;
  PC pc;
  Mat L;
  PetscFunctionBeginUser;
  PetscCall(grid_matrices(&s->g, &s->B, &s->C));
  PetscCall(grid_viscous(&s->g, &L));
  PetscCall(DaeFlowCreate(PETSC_COMM_WORLD, flow));
  PetscCall(DaeFlowSetForce(*flow, force, s));
  PetscCall(DaeFlowSetMatrices(*flow, s->B, s->C));
  PetscCall(DaeFlowSetStiff(*flow, L)); /* for imex methods */
  PetscCall(MatDestroy(&L));
  if (!s->g.periodic) PetscCall(DaeFlowSetData(*flow, data, data_t, s));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(DaeFlowSetNullSpace(*flow, constant));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(grid_numbering(&s->g, &number_u, &number_p));
  PetscCall(DaeFlowSetNumbering(*flow, number_u, number_p));
  PetscCall(ISDestroy(&number_u));
  PetscCall(ISDestroy(&number_p));
  PetscCall(DaeFlowGetKSP(*flow, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(DaeFlowSetFromOptions(*flow));
  PetscFunctionReturn(0);
}

static PetscErrorCode tell(setup *s, const char *name, DaeFlow flow, PetscReal end, Vec u, Vec p) {
  const DaeFlowReport *r;
  PetscBool taylor_case;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowGetReport(flow, &r));
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD,
      "status %s t %.10g steps %" PetscInt_FMT " rejected %" PetscInt_FMT
      " evaluations %" PetscInt_FMT " solves %" PetscInt_FMT " iterations %" PetscInt_FMT
      " stages %" PetscInt_FMT " stiff %" PetscInt_FMT " constraint %.3e\n",
      dae_status_name(r->status), (double)r->t, r->steps, r->rejected, r->evaluations, r->solves,
      r->iterations, r->stage_iterations, r->stiff_iterations, (double)r->constraint));
  if (r->status < 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", r->message));
  PetscCall(PetscStrcmp(name, "taylor", &taylor_case));
  if (s->e.g) PetscCall(exact_tell(&s->g, exact_value, NULL, end, u, p));
  if (taylor_case) PetscCall(exact_tell(&s->g, taylor, s, end, u, p));
  PetscFunctionReturn(0);
}

/* the velocities on the two middle lines of the square, as they are published for the cavity */
static PetscErrorCode profile(setup *s, PetscReal t, Vec u) {
  PetscReal a, b;
  PetscBool wanted = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-profile", &wanted, NULL));
  for (int k = 1; wanted && k < 128; k++) {
    PetscReal x = k / 128.0;
    PetscCall(grid_probe(&s->g, t, u, 0, 0.5, x, &a));
    PetscCall(grid_probe(&s->g, t, u, 1, x, 0.5, &b));
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "profile %.7f %.8f %.8f\n", (double)x, (double)a, (double)b));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode run(setup *s, const char *name, PetscReal end) {
  DaeFlow flow;
  Vec u, p;
  char file[PETSC_MAX_PATH_LEN];
  PetscBool found;
  const DaeFlowReport *r;
  PetscFunctionBeginUser;
  PetscCall(make_flow(s, &flow));
  PetscCall(DMCreateGlobalVector(s->g.faces, &u));
  PetscCall(DMCreateGlobalVector(s->g.cells, &p));
  PetscBool known, taylor_case;
  PetscCall(PetscStrcmp(name, "exact", &known));
  PetscCall(PetscStrcmp(name, "taylor", &taylor_case));
  if (known) PetscCall(exact_create(&s->e, &s->g, s->B, s->C));
  grid_function begin = known ? exact_value : taylor_case ? taylor : still;
  PetscCall(grid_fill(&s->g, 0, begin, s, PETSC_FALSE, u, NULL));
  s->every = 10;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-every", &s->every, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-save", s->save, sizeof s->save, &found));
  if (found) PetscCall(DaeFlowSetMonitor(flow, save, s));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-load", file, sizeof file, &found));
  if (found) PetscCall(DaeFlowLoad(flow, file));
  else PetscCall(DaeFlowStart(flow, 0, u));
  PetscCall(DaeFlowGetReport(flow, &r));
  PetscInt most = 1000000000;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dae_max_steps", &most, NULL));
  while (r->status == DAE_OK && r->t != end && r->steps < most) PetscCall(DaeFlowStep(flow, end));
  Vec a, b;
  PetscReal t;
  PetscCall(DaeFlowGetPoint(flow, &t, &a, &b));
  PetscCall(VecCopy(a, u));
  PetscCall(VecCopy(b, p));
  PetscCall(tell(s, name, flow, t, u, p));
  PetscCall(profile(s, t, u));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vtk", file, sizeof file, &found));
  if (found) PetscCall(grid_write(&s->g, t, u, p, file));
  int failed = r->status < 0;
  PetscCall(DaeFlowDestroy(&flow));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p));
  PetscCall(exact_destroy(&s->e));
  PetscCall(MatDestroy(&s->B));
  PetscCall(MatDestroy(&s->C));
  PetscCall(grid_destroy(&s->g));
  PetscCheck(!failed, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "the run did not reach its end");
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  setup s = {0};
  char name[32];
  PetscReal end, re;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "incompressible flow in two dimensions\n"));
  PetscCall(choose(&s, name, sizeof name, &end, &re));
  PetscCall(run(&s, name, end));
  PetscCall(PetscFinalize());
  return 0;
}
