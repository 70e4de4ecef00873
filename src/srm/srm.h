/*
 * srm: sequential regularization (1995). A sequence of ODEs whose solutions x_s come nearer to that
 * of the DAE by a factor eps each: iterate s sees what iterate s-1 left of the multipliers,
 *
 *   standard   x^(m) = f - B y_s,  y_s = y_{s-1} + E (a1 g^(m) + a2 g^(m-1) + a3 g^(m-2)) / eps
 *   (2.4)-(2.5), (4.4)-(4.5) free       the same with a1 = a3 = 0, and x^(l)' = x^(l+1) - B E g^(l)
 *   / eps below     (2.15), (4.14)-(4.16), (5.3)-(5.4) singular   By is carried:  By_s = B (GB)^-1
 *   (G By_{s-1} + g^(m-1) / eps), levels below as in `free` with
 *              E = (GB)^-1                                                                (3.2),
 *              (4.23), (5.5)-(5.6)
 *   invariant  z' = fhat - D zeta_s,  zeta_s = zeta_{s-1} + h / eps,  D = diag(G', G')
 *   (4.12)
 *
 * E is I, (GB)' or (GB)^-1. B = M^-1 G' for mechanical problems.
 */
#ifndef DAE_SRM_H
#define DAE_SRM_H

#include "problem/problem.h"
#include "step/explicit.h"

typedef enum dae_srm_variant {
  DAE_SRM_STANDARD,
  DAE_SRM_FREE,
  DAE_SRM_SINGULAR,
  DAE_SRM_INVARIANT
} dae_srm_variant;
typedef enum dae_srm_weight { DAE_SRM_IDENTITY, DAE_SRM_TRANSPOSE, DAE_SRM_INVERSE } dae_srm_weight;

/* the equations of one iterate (equations.c) */
typedef struct dae_srm_equations {
  const dae_system *sys;
  dae_point *at;
  dae_srm_variant variant;
  dae_srm_weight weight;
  double alpha[3]; /* a1, a2, a3 */
  double eps;
  int nc;                /* size of what is carried: y, By or zeta */
  bool needs_schur;      /* GB is formed */
  dae_la_kkt *mass;      /* M alone; NULL for the identity */
  double *f, *c, *r, *x; /* nx, nc rows, level, work */
  double *G, *Bt, *S, *LU, *A;
  int *pivot, *pivot2;
  double *longest; /* per row: the largest entry on the diagonal of GB so far */
  bool
      /* GB is singular at the last point, or so near to it that its inverse is rounding */
      schur_lost;
} dae_srm_equations;

dae_status dae_srm_equations_init(dae_srm_equations *e, dae_point *at, const dae_settings *o,
                                  dae_pool *pool, char *message, int size);
void dae_srm_equations_free(dae_srm_equations *e);

/* dz := right-hand side at (t,z) of the iterate that sees `before` (nc values); carried (may be
   NULL) := what it hands on; y (may be NULL) := multipliers */
dae_status dae_srm_evaluate(dae_srm_equations *e, double t, const double *z, const double *before,
                            double *dz, double *carried, double *y);
/* looks at GB beside (t,z), so that a point where it vanishes is known by its size */
void dae_srm_look_around(dae_srm_equations *e, double t, const double *z, double *work);
/* spectral radius of G B E at (t,z), roughly: what the step size times 1/eps must stay below 2
   for */
dae_status dae_srm_radius(dae_srm_equations *e, double t, const double *z, double *radius);

/* one step of one iterate (march.c) */
typedef struct dae_srm_march {
  const dae_explicit_tableau *tableau;
  int stages, nz;
  double **k, *z_stage;
  /* what the iterate before hands on at stage j, at t + node h */
  const double *(*carried)(void *ctx, int stage, double node);
  void *ctx;
  double **keep; /* [stage] gets what this one hands on there; NULL: not wanted */
  long evaluations;
} dae_srm_march;
dae_status dae_srm_march_init(dae_srm_march *m, const dae_method *method, int nz, dae_pool *pool);
dae_status dae_srm_march_step(dae_srm_march *m, dae_srm_equations *e, double t, double h,
                              const double *z, double *z_new);
/* estimate of the local error of the step just made; zero where the method has none */
void dae_srm_march_error(const dae_srm_march *m, double h, double *error);
/* `count` rows of n numbers */
double **dae_srm_rows(dae_pool *pool, int count, int n);

/* how many iterates at most: with eps = O(h) the error eps^S must not stand before that of the
   method (step.c) */
int dae_srm_iterates(const dae_method *m, const dae_settings *o);
/* eps as small as the method allows */
dae_status dae_srm_automatic_eps(dae_srm_equations *e, const dae_settings *o, int iterates,
                                 double t, const double *z);

/* what the first iterate sees at a start with multipliers y (step.c) */
void dae_srm_base(const dae_srm_equations *e, const dae_settings *o, const double *y, double *base);

/* the stepper that runs all iterates inside each step (sweep.c), and the one that sweeps over
   windows (waveform.c) */
extern const dae_stepper_class dae_srm_sweep, dae_srm_waveform;
/* form srm (step.c) */
dae_status dae_srm_step_new(dae_stepper **out, const dae_method *m, dae_point *point,
                            const dae_settings *o, dae_pool *pool, char *message, int size);

#endif
