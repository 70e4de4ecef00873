/*
 * What the implicit steps share: tableaus of implicit Runge-Kutta methods with the spectrum of
 * A^-1, and the matrices s E + J of their Newton iterations for real and complex shifts s.
 */
#ifndef DAE_STEP_TABLEAU_H
#define DAE_STEP_TABLEAU_H

#include <complex.h>

#include "step/step.h"

enum { DAE_STAGES_MAX = 5 };

typedef enum dae_rk_family {
  DAE_RK_GAUSS,
  DAE_RK_RADAU,
  DAE_RK_LOBATTO,
  DAE_RK_SDIRK
} dae_rk_family;

/* An implicit Runge-Kutta method (2001, (2.4)): A is invertible. */
typedef struct dae_rk_tableau {
  int stages, order, stage_order;
  bool stiffly_accurate; /* the last row of A is b */
  bool triangular;       /* SDIRK: one stage after the other */
  double c[DAE_STAGES_MAX], b[DAE_STAGES_MAX];
  double A[DAE_STAGES_MAX][DAE_STAGES_MAX], inverse[DAE_STAGES_MAX][DAE_STAGES_MAX];
  double bA[DAE_STAGES_MAX]; /* b' A^-1 */
  double r_infinity;         /* 1 - b' A^-1 1, (B2) */
  /* spectrum of A^-1: eigenvalues with right (columns) and left (rows) eigenvectors, left right =
     1; each pair of complex ones once (imaginary part > 0); real ones first. Triangular: the
     diagonal only */
  int eigenvalues, real;
  double complex eigenvalue[DAE_STAGES_MAX];
  double complex right[DAE_STAGES_MAX][DAE_STAGES_MAX], left[DAE_STAGES_MAX][DAE_STAGES_MAX];
  /* embedded formula of order `estimate`, the number of nodes other than 0, with the weight
     1/eigenvalue[0] on f(t0,z0): zhat - z1 = h f0/eigenvalue[0] + sum error[i] (Z_i - z0); complex
     when the eigenvalue is */
  int estimate;
  double complex error[DAE_STAGES_MAX];
} dae_rk_tableau;

/* DAE_E_INPUT when there is no such method; coefficients are computed in long double */
dae_status dae_step_tableau(dae_rk_tableau *t, dae_rk_family family, int stages);

/* radau3 and radau5, as they are computed */
extern const dae_rk_tableau dae_step_radau3, dae_step_radau5;

/* the tableau of gauss1, radau3, ..: family and number of stages from the name */
dae_status dae_step_irk_tableau(dae_rk_tableau *t, const dae_method *method);

/* from coefficients of the user, A by rows; NULL, or what is wrong with them */
const char *dae_step_tableau_own(dae_rk_tableau *t, int stages, const double *c, const double *A,
                                 const double *b);

/* nodes of a family on [0,1] in rising order; returns false when there is no such method */
bool dae_step_nodes(dae_rk_family family, int stages, long double *c);

/* eigenvalues and eigenvectors of t->inverse from the exact-to-long-double inverse */
void dae_step_spectrum(dae_rk_tableau *t, long double inverse[DAE_STAGES_MAX][DAE_STAGES_MAX]);

/* small dense solve A X = B in long double, in place, n x n and n x m; false when singular */
bool dae_step_small_solve(int n, int m, long double A[DAE_STAGES_MAX][DAE_STAGES_MAX],
                          long double B[DAE_STAGES_MAX][DAE_STAGES_MAX]);

/* value at x of the Lagrange polynomials of `count` nodes */
void dae_step_lagrange(int count, const double *node, double x, double *weight);

/* ---- s E + J ---- */

typedef struct dae_step_pencil dae_step_pencil;

/* `count` factorizations are kept side by side; those from complex_from to complex_to - 1 have
   complex shifts */
dae_status dae_step_pencil_new(dae_step_pencil **out, dae_pool *pool, dae_view *v, int count,
                               int complex_from, int complex_to);
void dae_step_pencil_free(dae_step_pencil *m);
/* E and J at a point */
dae_status dae_step_pencil_evaluate(dae_step_pencil *m, double t, const double *z, const double *dz,
                                    const double *mu);
/* y := E x of a view without eliminated rows */
void dae_step_pencil_times(const dae_step_pencil *m, const double *x, double *y);
/* x := what rounding of the terms of each row at (z, z') makes of the unknowns, so many times, by
   factorization k (a real shift) of a view without eliminated rows */
void dae_step_pencil_noise(const dae_step_pencil *m, int k, double many, const double *z,
                           const double *dz, double *x);
/* factorization k of s E + J; DAE_E_SINGULAR */
dae_status dae_step_pencil_factor(dae_step_pencil *m, int k, double complex shift);
/* b := (s E + J)^-1 b, nz + nmu values; a real shift, or any */
void dae_step_pencil_solve(dae_step_pencil *m, int k, double *b);
void dae_step_pencil_solve_complex(dae_step_pencil *m, int k, double complex *b);
/* out := (s E + J)^-1 (r(z + p, z' + s p) - r(z, z')) by factorization k; DAE_E_FORM where the
   view has multipliers */
dae_status dae_step_pencil_answer(dae_step_pencil *m, int k, double t, const double *z,
                                  const double *dz, const double *p, double *out);
/* takes from mu what dependent constraints leave free; false: there is nothing of the kind */
bool dae_step_pencil_clean(dae_step_pencil *m, int k, double *mu);
/* factors [E F_mu; c_z 0] at the point of the last evaluation, for projections along F_mu; solve
   with k */
dae_status dae_step_pencil_factor_projection(dae_step_pencil *m, int k);

#endif
