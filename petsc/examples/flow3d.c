/*
 * Incompressible flow in three dimensions on a staggered grid:
 *
 *   u' = viscosity Laplace(u) - div(u u) - grad p + s(t),   div u = q(t)
 *
 *   -case taylor-green  vortices that break up, in a periodic box
 *   -case abc           a periodic flow with vorticity along the velocity, which decays: exact
 *   -case exact         walls that move and an inflow that changes in time, s and q such that given
 *                       u and p solve the equations of the grid: all error is of time
 *   -case cavity        a lid drives the flow in a cube, from rest
 *   -case duct          an inflow that begins smoothly, 2 x 1 x 1
 *
 *   -n N    cells in y       -re R   Reynolds number      -end T     -vtk FILE.vtr
 *   and -dae_.. as in daedal/petsc.h
 *
 * Prints the kinetic energy, and the errors against the exact solution where there is one.
 */
#include "common/grid3.h"
#include <daedal/petsc.h>

typedef struct setup {
  grid3 g;
  char name[32];
  Mat B, C, L;
  PetscBool known;   /* sources of the case exact */
  Vec e_u, e_F, e_p; /* scratch for them */
} setup;

/* ---- cases ---- */

static PetscReal taylor_green(PetscReal t, const PetscReal *x, int c, void *ctx) {
  (void)t, (void)ctx;
  if (c == 0) return PetscSinReal(x[0]) * PetscCosReal(x[1]) * PetscCosReal(x[2]);
  if (c == 1) return -PetscCosReal(x[0]) * PetscSinReal(x[1]) * PetscCosReal(x[2]);
  return 0;
}

/* rot u = u, so that (u . grad) u = grad |u|^2/2 and Laplace(u) = -u */
static PetscReal abc(PetscReal t, const PetscReal *x, int c, void *ctx) {
  const PetscReal A = 1, B = 0.7, C = 0.4;
  PetscReal decay = PetscExpReal(-((const setup *)ctx)->g.viscosity * t);
  PetscReal u = A * PetscSinReal(x[2]) + C * PetscCosReal(x[1]),
            v = B * PetscSinReal(x[0]) + A * PetscCosReal(x[2]),
            w = C * PetscSinReal(x[1]) + B * PetscCosReal(x[0]);
  if (c == 3) return -0.5 * decay * decay * (u * u + v * v + w * w);
  return decay * (c == 0 ? u : c == 1 ? v : w);
}

static PetscReal given(PetscReal t, const PetscReal *x, int c, void *ctx) {
  (void)ctx;
  if (c == 0) return PetscSinReal(x[0] + 2 * t) * PetscCosReal(x[1]) + 0.5 * PetscCosReal(3 * t);
  if (c == 1) return PetscCosReal(x[0] + t) * x[1] * x[2] + PetscSinReal(2 * t - x[2]);
  if (c == 2) return PetscSinReal(x[1] - t) * x[2] + 0.3 * PetscCosReal(2 * t + x[0]);
  return PetscSinReal(2 * t) * PetscCosReal(2 * x[0]) * x[1] + x[2] * PetscCosReal(t);
}

static PetscReal given_rate(PetscReal t, const PetscReal *x, int c, void *ctx) {
  (void)ctx;
  if (c == 0)
    return 2 * PetscCosReal(x[0] + 2 * t) * PetscCosReal(x[1]) - 1.5 * PetscSinReal(3 * t);
  if (c == 1) return -PetscSinReal(x[0] + t) * x[1] * x[2] + 2 * PetscCosReal(2 * t - x[2]);
  return -PetscCosReal(x[1] - t) * x[2] - 0.6 * PetscSinReal(2 * t + x[0]);
}

static PetscReal lid(PetscReal t, const PetscReal *x, int c, void *ctx) {
  (void)t;
  return c == 0 && x[1] >= ((const setup *)ctx)->g.length[1] ? 1 : 0;
}

static PetscReal still(PetscReal t, const PetscReal *x, int c, void *ctx) {
  (void)t, (void)x, (void)c, (void)ctx;
  return 0;
}

/* the profile of the inflow, and of the outflow */
static PetscReal opening(const PetscReal *x, int c, void *ctx) {
  const setup *s = ctx;
  PetscBool open = x[0] <= 0 || x[0] >= s->g.length[0] ? PETSC_TRUE : PETSC_FALSE;
  return c == 0 && open ? 36 * x[1] * (1 - x[1]) * x[2] * (1 - x[2]) : 0;
}
static PetscReal inflow(PetscReal t, const PetscReal *x, int c, void *ctx) {
  return opening(x, c, ctx) * (1 - PetscExpReal(-t * t));
}
static PetscReal inflow_t(PetscReal t, const PetscReal *x, int c, void *ctx) {
  return opening(x, c, ctx) * 2 * t * PetscExpReal(-t * t);
}

typedef struct example {
  const char *name;
  PetscBool periodic;
  PetscReal length[3];
  PetscInt cells[3]; /* times n */
  grid3_function begin, exact, boundary, boundary_t;
} example;

static const example examples[] = {
    {"taylor-green",
     PETSC_TRUE,
     {2 * PETSC_PI, 2 * PETSC_PI, 2 * PETSC_PI},
     {1, 1, 1},
     taylor_green,
     NULL,
     NULL,
     NULL},
    {"abc",
     PETSC_TRUE,
     {2 * PETSC_PI, 2 * PETSC_PI, 2 * PETSC_PI},
     {1, 1, 1},
     abc,
     abc,
     NULL,
     NULL},
    {"exact", PETSC_FALSE, {1, 1, 1}, {1, 1, 1}, given, given, given, given_rate},
    {"cavity", PETSC_FALSE, {1, 1, 1}, {1, 1, 1}, still, NULL, lid, still},
    {"duct", PETSC_FALSE, {2, 1, 1}, {2, 1, 1}, still, NULL, inflow, inflow_t}};

/* ---- the problem ---- */

/* s = u*' - F(t,u*) + B p* */
static PetscErrorCode add_sources(setup *s, PetscReal t, Vec F) {
  PetscFunctionBeginUser;
  PetscCall(grid3_fill(&s->g, t, given, NULL, s->e_u, s->e_p));
  PetscCall(grid3_force(&s->g, t, s->e_u, s->e_F));
  PetscCall(VecAXPY(F, -1, s->e_F));
  PetscCall(grid3_fill(&s->g, t, given_rate, NULL, s->e_F, NULL));
  PetscCall(VecAXPY(F, 1, s->e_F));
  PetscCall(MatMultAdd(s->B, s->e_p, F, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode force(PetscReal t, Vec u, Vec F, void *ctx) {
  setup *s = ctx;
  PetscFunctionBeginUser;
  PetscCall(grid3_force(&s->g, t, u, F));
  if (s->known) PetscCall(add_sources(s, t, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode data_of(setup *s, PetscReal t, PetscBool rate, Vec r) {
  PetscFunctionBeginUser;
  if (s->known) {
    PetscCall(grid3_fill(&s->g, t, rate ? given_rate : given, NULL, s->e_F, NULL));
    PetscCall(MatMult(s->C, s->e_F, r));
  } else {
    PetscCall(grid3_data(&s->g, t, rate, r));
  }
  PetscFunctionReturn(0);
}
static PetscErrorCode data(PetscReal t, Vec r, void *ctx) {
  return data_of(ctx, t, PETSC_FALSE, r);
}
static PetscErrorCode data_t(PetscReal t, Vec r, void *ctx) {
  return data_of(ctx, t, PETSC_TRUE, r);
}

static PetscErrorCode choose(setup *s, const example **out) {
  PetscInt n = 16, cells[3];
  PetscReal re = 100;
  const example *e = NULL;
  PetscBool is;
  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(s->name, "taylor-green", sizeof s->name));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-case", s->name, sizeof s->name, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-re", &re, NULL));
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
    PetscCall(PetscStrcmp(s->name, examples[k].name, &is));
    if (is) e = &examples[k];
  }
  PetscCheck(e, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "-case %s is none of taylor-green, abc, exact, cavity, duct", s->name);
  for (int c = 0; c < 3; c++) cells[c] = e->cells[c] * n;
  PetscCall(grid3_create(PETSC_COMM_WORLD, cells, e->length, e->periodic, &s->g));
  s->g.viscosity = 1 / re;
  s->g.ctx = s;
  s->g.boundary = e->boundary;
  s->g.boundary_t = e->boundary_t;
  s->known = e->boundary == given ? PETSC_TRUE : PETSC_FALSE;
  *out = e;
  PetscFunctionReturn(0);
}

static PetscErrorCode make_flow(setup *s, DaeFlow *flow) {
  MatNullSpace constant;
  KSP ksp;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(grid3_matrices(&s->g, &s->B, &s->C, &s->L));
  PetscCall(DaeFlowCreate(PETSC_COMM_WORLD, flow));
  PetscCall(DaeFlowSetForce(*flow, force, s));
  PetscCall(DaeFlowSetMatrices(*flow, s->B, s->C));
  PetscCall(DaeFlowSetStiff(*flow, s->L)); /* for imex and implicit methods */
  if (!s->g.periodic) PetscCall(DaeFlowSetData(*flow, data, data_t, s));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constant));
  PetscCall(DaeFlowSetNullSpace(*flow, constant));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscCall(DaeFlowGetKSP(*flow, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(DaeFlowSetFromOptions(*flow));
  PetscFunctionReturn(0);
}

static PetscErrorCode tell(setup *s, const example *e, const DaeFlowReport *r, Vec u, Vec p) {
  PetscScalar energy, sum;
  PetscReal eu, ep;
  PetscInt n;
  PetscFunctionBeginUser;
  PetscCall(VecDot(u, u, &energy));
  PetscCall(VecGetSize(p, &n));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "status %s t %.10g steps %" PetscInt_FMT " rejected %" PetscInt_FMT
                        " evaluations %" PetscInt_FMT " solves %" PetscInt_FMT
                        " iterations %" PetscInt_FMT " constraint %.3e\nenergy %.15g\n",
                        dae_status_name(r->status), (double)r->t, r->steps, r->rejected,
                        r->evaluations, r->solves, r->iterations, (double)r->constraint,
                        (double)(energy / 2 / n)));
  if (r->status < 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", r->message));
  if (!e->exact) PetscFunctionReturn(0);
  PetscCall(grid3_fill(&s->g, r->t, e->exact, s, s->e_u, s->e_p));
  PetscCall(VecAXPY(s->e_u, -1, u));
  PetscCall(VecAXPY(s->e_p, -1, p));
  PetscCall(VecSum(s->e_p, &sum));
  PetscCall(VecShift(s->e_p, -sum / n));
  PetscCall(VecNorm(s->e_u, NORM_INFINITY, &eu));
  PetscCall(VecNorm(s->e_p, NORM_INFINITY, &ep));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error u %.6e p %.6e\n", (double)eu, (double)ep));
  PetscFunctionReturn(0);
}

static PetscErrorCode run(setup *s, const example *e) {
  DaeFlow flow;
  Vec u, p;
  PetscReal end = 1;
  char file[PETSC_MAX_PATH_LEN];
  PetscBool found;
  const DaeFlowReport *r;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-end", &end, NULL));
  PetscCall(make_flow(s, &flow));
  Vec *like_u[] = {&u, &s->e_u, &s->e_F}, *like_p[] = {&p, &s->e_p};
  for (int k = 0; k < 3; k++) PetscCall(DMCreateGlobalVector(s->g.faces, like_u[k]));
  for (int k = 0; k < 2; k++) PetscCall(DMCreateGlobalVector(s->g.cells, like_p[k]));
  PetscCall(grid3_fill(&s->g, 0, e->begin, s, u, NULL));
  PetscCall(DaeFlowSolve(flow, 0, end, u, p));
  PetscCall(DaeFlowGetReport(flow, &r));
  PetscCall(tell(s, e, r, u, p));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vtk", file, sizeof file, &found));
  if (found) PetscCall(grid3_write(&s->g, r->t, u, p, file));
  PetscBool failed = r->status < 0 && r->status != DAE_E_LIMIT ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(DaeFlowDestroy(&flow));
  for (int k = 0; k < 3; k++) PetscCall(VecDestroy(like_u[k]));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(like_p[k]));
  Mat *matrices[] = {&s->B, &s->C, &s->L};
  for (int k = 0; k < 3; k++) PetscCall(MatDestroy(matrices[k]));
  PetscCall(grid3_destroy(&s->g));
  PetscCheck(!failed, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "the run did not reach its end");
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  setup s = {0};
  const example *e = NULL;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, "incompressible flow in three dimensions\n"));
  PetscCall(choose(&s, &e));
  PetscCall(run(&s, e));
  PetscCall(PetscFinalize());
  return 0;
}
