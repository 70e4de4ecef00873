/*
 * The two views of a problem that forms make and steps use, so that neither knows the other:
 *   ODE view      z' = F(t,z),                    invariants h(t,z) = 0
 *   index-2 view  z' = F(t,z,mu),  0 = c(t,z),    mostly F = F0 + D mu
 */
#ifndef DAE_PROBLEM_VIEW_H
#define DAE_PROBLEM_VIEW_H

#include "problem/point.h"
#include <daedal/method.h>

typedef struct dae_view dae_view;

/* stages of a step: (z + W_i, slope_i) at t + c_i h, `apart` numbers from one to the next */
typedef struct dae_stages {
  int count, apart;
  double t, h;
  const double *c, *z, *W, *slope;
  double *out; /* residuals */
} dae_stages;

struct dae_view {
  const char *name;
  dae_view_kind kind;
  const dae_system *sys;
  dae_point *point; /* where it is evaluated: the last place of rhs is there for others */
  dae_pool *pool;
  int nz;       /* differential unknowns of the view (those of the system, fewer for state-space) */
  int nmu;      /* algebraic unknowns, 0 in the ODE view */
  int ntau;     /* the last ntau of mu are velocity-level ones (summary `tau`) */
  bool keeps_y; /* the last ny of mu are the physical multipliers y */
  bool dependent;  /* constraints depend on each other, as far as has been seen */
  bool free_start; /* solutions need not satisfy the constraints: nothing is projected */
  bool attracts;   /* to the constraints as time goes on: backwards it repels */
  const int *row; /* which invariant (of all nh) stands behind constraint i; NULL when it is none */

  /* dz := F(t,z,mu). ODE view: mu is NULL. y (may be NULL) gets the physical multipliers when they
     come along. */
  dae_status (*rhs)(dae_view *v, double t, const double *z, const double *mu, double *dz,
                    double *y);
  /* r := c(t,z), nmu values */
  dae_status (*constraint)(dae_view *v, double t, const double *z, double *r);
  /* dense Jacobians, row-major; any may be NULL: dF/dz (nz x nz), dF/dmu (nz x nmu), dc/dz (nmu x
     nz). A NULL function means: by differences (dae_problem_view_jacobian does that). How D changes
     along z may be left out: it is multiplied by mu, which is zero but for the error of the
     step. */
  dae_status (*jacobian)(dae_view *v, double t, const double *z, const double *mu, double *Fz,
                         double *Fmu, double *Cz);
  /* physical multipliers y at a point of the solution; NULL: from rhs */
  dae_status (*multipliers)(dae_view *v, double t, const double *z, const double *mu, double *y);
  /* views with their own unknowns (state-space): u <- z and z <- u; NULL: the same */
  dae_status (*from_z)(dae_view *v, double t, const double *z, double *u);
  dae_status (*to_z)(dae_view *v, double t, const double *u, double *z);
  /* called before a step with the full z; may choose new coordinates. *changed: unknowns were
     redefined, restart the method from from_z */
  dae_status (*accepted)(dae_view *v, double t, const double *z, bool *changed);

  /* for implicit methods; NULL: made from rhs, constraint and jacobian, with E = I.
     r := (E z' - F(t,z,mu), c(t,z)), nz + nmu values, with the mass on the left */
  dae_status (*residual)(dae_view *v, double t, const double *z, const double *dz, const double *mu,
                         double *r);
  /* the same of all stages of a step; NULL: one after the other. Not where there is mu */
  dae_status (*stages)(dae_view *v, const dae_stages *s);
  /* E := dr/dz' (nothing in the columns of mu), J := dr/d(z,mu): n x n, n = nz + nmu, row-major or
     in `pattern` */
  dae_status (*matrices)(dae_view *v, double t, const double *z, const double *dz, const double *mu,
                         double *E, double *J);
  /* with `limiting`, where the smallest singular value of the constraints is below limit_below:
     x^(m) and y from what they are on both sides (the elimination itself has no digits left there);
     y may be NULL */
  dae_status (*limit)(void *ctx, double t, const double *z, double *a, double *y);
  void *limit_ctx;
  bool limiting;
  double limit_below;
  double sigma;               /* the smallest singular value where rhs has eliminated last */
  const dae_pattern *pattern; /* of both; NULL: dense */
  /* the same for dense matrices of which most places were seen empty: in a pattern, without
     `reach`, or DAE_E_FORM where there is something outside it; matrices NULL: none */
  struct dae_thin {
    const dae_pattern *pattern;
    int chain;
    dae_status (*matrices)(dae_view *v, double t, const double *z, const double *dz,
                           const double *mu, double *E, double *J);
  } thin;
  /* the first `chain` blocks of nx rows are x_l' = x_(l+1) + D_l mu, with the first `reach` of mu
     and no more: implicit methods eliminate them */
  int chain, reach;
  bool
      /* mu is y, and the constraints are those of the highest level: x^(m) = f - K y, 0 = level
         m-1 */
      plain;
  bool lean;       /* for an explicit method: nobody asks for a Jacobian */
  bool eliminates; /* z' and y are those of dae_point_accelerate, and nothing besides */
  bool passes;     /* index-1 elimination and nothing besides: explicit methods on it pass singular
                  positions */
  struct dae_parts *parts;             /* of the forms */
  const struct dae_own_linear *linear; /* what implicit steps solve with; NULL: our own */
  double *
      difference; /* scratch of dae_problem_view_jacobian: see there; NULL when jacobian is given */
  /* 0 = F(t,x,x') of an implicit problem; NULL: the view is of another kind */
  struct dae_residual *equations;
  double *slope; /* x' where the method starts, as x does not tell it: the driver puts it there */
  double *unit;  /* of the rows of residual and matrices */
  bool higher;   /* some of its variables have index 3 */
  double h;      /* of the step for which matrices are asked */
  bool at_start; /* residuals are asked for at the start of a step, where matrices are made too */
  bool coarse;   /* one-sided differences do for them: the iteration converges all the same */
  void *data;
};

/* v->jacobian, or differences with v->difference of n (rows + 2) + 4 rows, n = nz + nmu, rows =
   max(nz, nmu) */
dae_status dae_problem_view_jacobian(dae_view *v, double t, const double *z, const double *mu,
                                     double *Fz, double *Fmu, double *Cz);

/* v->residual, v->matrices, or what rhs, constraint and jacobian give; work of nz (nz + 2 nmu),
   used only then */
dae_status dae_problem_view_residual(dae_view *v, double t, const double *z, const double *dz,
                                     const double *mu, double *r);
dae_status dae_problem_view_matrices(dae_view *v, double t, const double *z, const double *dz,
                                     const double *mu, double *E, double *J, double *work);

/* a guess of mu at a point (t,z): y by elimination where mu keeps it, else zero */
dae_status dae_problem_view_guess(dae_view *v, double t, const double *z, double *mu);

/* name of equation i of a step: the nz differential ones, then the nmu constraints */
const char *dae_problem_view_equation(const dae_view *v, int i, char *text, int size);

#endif
