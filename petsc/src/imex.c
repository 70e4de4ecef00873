/*
 * IMEX (imex4): the part l(t,U) = f(t,u) + L (U - u) of the force is implicit, u being the point
 * where the step begins; the rest N(t,U) = f(t,U) - l(t,U), the change of what is not in L, is
 * explicit, and it alone bounds the step:
 *
 *   M U_i = M u + h sum_{j<i} (a_ij N_j + d_ij l_j) + h gamma l_i - B phi_i
 *   C U_i = r(t + c_i h)
 *
 * f(t,u) belongs to l: what walls that move add to it is as large as L u, and the two must meet
 * with the same weights.
 *
 * Where h |L| is large, the equations that remain are those of a slow motion, f(t,U) - B p = U',
 * and they hold with an error h sum_j (a_ij - d_ij) N_j / (h gamma) in stage i: O(h^2), for the two
 * rows integrate 1 and t alike but not t^2. So the pressure is of order 2 there, whatever the order
 * of the velocity; implicit methods (irk.c) have one row for all forces and no such error.
 *
 * With constant B and C this is the additive Runge-Kutta method (a, d, b) applied to the equations
 * without p: its order stays, whatever L is.
 *
 * A stage is U = y + z, y on the constraints and C z = 0, P A z = P (X - A y): see stiff.c.
 */
#include "flow.h"

struct DaeFlowImex {
  dae_method method;
  double gamma; /* d_ii of all stages but the first, which is explicit */
  double c[6], a[6][6], d[6][6], b[6], b_low[6];
};

/* ARK4(3)6L[2]SA of Kennedy and Carpenter, Applied Numerical Mathematics 44 (2003): one b for both
   parts, L-stable, the implicit part of stage order 2. Their ARK3(2)4L[2]SA, measured here, takes
   longer for the same error and estimates it too low at walls that move */
static const struct DaeFlowImex table[] = {
    {.method = {.name = "imex4",
                .order = 4,
                .order_y = 4,
                .stage_order = 2,
                .stages = 6,
                .estimate = 3,
                .implicit = true,
                .view = DAE_VIEW_INDEX2,
                .when = "flows whose viscous limit binds"},
     .gamma = 1. / 4,
     .c = {0, 1. / 2, 83. / 250, 31. / 50, 17. / 20, 1},
     .a = {{0},
           {1. / 2},
           {13861. / 62500, 6889. / 62500},
           {-116923316275. / 2393684061468, -2731218467317. / 15368042101831,
            9408046702089. / 11113171139209},
           {-451086348788. / 2902428689909, -2682348792572. / 7519795681897,
            12662868775082. / 11960479115383, 3355817975965. / 11060851509271},
           {647845179188. / 3216320057751, 73281519250. / 8382639484533,
            552539513391. / 3454668386233, 3354512671639. / 8306763924573, 4040. / 17871}},
     .d = {{0},
           {1. / 4},
           {8611. / 62500, -1743. / 31250},
           {5012029. / 34652500, -654441. / 2922500, 174375. / 388108},
           {15267082809. / 155376265600, -71443401. / 120774400, 730878875. / 902184768,
            2285395. / 8070912},
           {82889. / 524892, 0, 15625. / 83664, 69875. / 102672, -2260. / 8211}},
     .b = {82889. / 524892, 0, 15625. / 83664, 69875. / 102672, -2260. / 8211, 1. / 4},
     .b_low = {4586570599. / 29645900160, 0, 178811875. / 945068544, 814220225. / 1159782912,
               -3700637. / 11593932, 61727. / 225920}}};

enum { METHODS = sizeof table / sizeof *table };

const DaeFlowImex *DaeFlowImexAt(int i) { return i < METHODS ? &table[i] : NULL; }

const dae_method *DaeFlowImexMethod(const DaeFlowImex *m) { return &m->method; }

void DaeFlowImexTableau(const DaeFlowImex *m, dae_tableau *t) {
  *t = (dae_tableau){.stages = m->method.stages};
  for (int i = 0; i < m->method.stages; i++) {
    t->c[i] = m->c[i];
    t->b[i] = m->b[i];
    t->error[i] = m->b[i] - m->b_low[i];
    for (int j = 0; j < i; j++) t->a[i][j] = m->a[i][j];
  }
}

/* y := A x = x - h gamma M^-1 L x */
static PetscErrorCode implicit_times(DaeFlow f, Vec x, Vec y) {
  PetscFunctionBeginUser;
  PetscCall(MatMult(f->A[0], x, y));
  PetscCall(DaeFlowDivide(f, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode stage_times(Mat T, Vec x, Vec y) {
  DaeFlow f;
  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(T, &f));
  PetscCall(implicit_times(f, x, y));
  PetscCall(DaeFlowTangent(f, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode stage_precondition(PC pc, Vec x, Vec y) {
  DaeFlow f;
  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &f));
  PetscCall(DaeFlowStiffDivide(f, 0, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowImexSetUp(DaeFlow f) {
  PetscFunctionBeginUser;
  PetscCall(DaeFlowStiffSetUp(f, f->u, stage_times, stage_precondition));
  for (int i = 0; i <= f->t.stages; i++) PetscCall(VecDuplicate(f->u, &f->l[i]));
  PetscFunctionReturn(0);
}

/* what l_i has without U_i: M^-1 (f(t_i,u) - L u); the last of f->l is M^-1 L u */
static PetscErrorCode sources(DaeFlow f, PetscReal t, int i) {
  PetscFunctionBeginUser;
  /* the force at the present point is known */
  if (i == 0) PetscCall(VecCopy(f->F, f->l[0]));
  else PetscCall(DaeFlowEvaluate(f, t, f->u, f->l[i]));
  PetscCall(VecAXPY(f->l[i], -1, f->l[f->t.stages]));
  PetscFunctionReturn(0);
}

/* the forces at a stage: k := M^-1 f, and M^-1 L U added to l */
static PetscErrorCode forces(DaeFlow f, PetscReal t, Vec U, int i) {
  PetscFunctionBeginUser;
  if (i == 0) PetscCall(VecCopy(f->F, f->k[0]));
  else PetscCall(DaeFlowEvaluate(f, t, U, f->k[i]));
  PetscCall(DaeFlowStiffTimes(f, U, f->beyond));
  PetscCall(VecAXPY(f->l[i], 1, f->beyond));
  PetscFunctionReturn(0);
}

/* P A z = P x for z in f->crude, x in f->error; size: of A y. Below the noise that is in P x (from
   rounding, and from the solver of C M^-1 B), and a small part of the tolerance where steps have
   one, there is nothing to solve for: near a steady state P x itself is that small */
static PetscErrorCode solve_increment(DaeFlow f, PetscReal size) {
  const PetscReal share = 1e-4;
  PetscReal rtol, noise, length;
  PetscInt n;
  PetscFunctionBeginUser;
  PetscCall(VecNorm(f->error, NORM_2, &length));
  PetscCall(KSPGetTolerances(f->ksp, &rtol, NULL, NULL, NULL));
  noise = 16 * PETSC_MACHINE_EPSILON * size + 10 * rtol * length;
  if (f->step == 0) {
    PetscCall(VecNorm(f->u, NORM_2, &length));
    PetscCall(VecGetSize(f->u, &n));
    noise += share * (f->atol * PetscSqrtReal((PetscReal)n) + f->rtol * length);
  }
  PetscCall(DaeFlowTangent(f, f->error));
  if (DaeFlowOk(f)) PetscCall(DaeFlowStiffSolve(f, noise, f->error, f->crude));
  PetscFunctionReturn(0);
}

/* stage i into f->stage, which holds the stage before */
static PetscErrorCode solve_stage(DaeFlow f, PetscReal h, int i) {
  const DaeFlowImex *m = f->imex;
  PetscScalar a[6], d[6];
  PetscReal size;
  PetscFunctionBeginUser;
  /* y, the stage before, onto the constraints */
  PetscCall(VecSet(f->guess, 0));
  PetscCall(DaeFlowProject(f, f->time + m->c[i] * h, f->stage, f->guess));
  if (!DaeFlowOk(f)) PetscFunctionReturn(0);
  /* X - A y, X := u + h sum (a_ij k_j + (d_ij - a_ij) l_j) + h gamma (l_i without U_i) */
  for (int j = 0; j < i; j++) a[j] = h * m->a[i][j], d[j] = h * (m->d[i][j] - m->a[i][j]);
  PetscCall(implicit_times(f, f->stage, f->error));
  PetscCall(VecNorm(f->error, NORM_2, &size));
  PetscCall(VecAYPX(f->error, -1, f->u));
  PetscCall(VecMAXPY(f->error, i, a, f->k));
  PetscCall(VecMAXPY(f->error, i, d, f->l));
  PetscCall(VecAXPY(f->error, h * m->gamma, f->l[i]));
  PetscCall(solve_increment(f, size));
  PetscCall(VecAXPY(f->stage, 1, f->crude));
  PetscFunctionReturn(0);
}

PetscErrorCode DaeFlowImexStages(DaeFlow f, PetscReal h) {
  const DaeFlowImex *m = f->imex;
  PetscFunctionBeginUser;
  PetscCall(DaeFlowStiffRefresh(f));
  PetscCall(DaeFlowStiffSet(f, 0, h * m->gamma));
  PetscCall(DaeFlowStiffTimes(f, f->u, f->l[m->method.stages]));
  PetscCall(VecCopy(f->u, f->stage));
  for (int i = 0; i < m->method.stages && DaeFlowOk(f); i++) {
    PetscCall(sources(f, f->time + m->c[i] * h, i));
    if (i > 0) PetscCall(solve_stage(f, h, i));
    if (DaeFlowOk(f)) PetscCall(forces(f, f->time + m->c[i] * h, f->stage, i));
  }
  PetscFunctionReturn(0);
}
