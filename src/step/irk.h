/* the state of a projected implicit Runge-Kutta method, shared by its few files */
#ifndef DAE_STEP_IRK_H
#define DAE_STEP_IRK_H

#include "step/tableau.h"

typedef enum dae_irk_multiplier {
  DAE_IRK_INTERPOLATE,
  DAE_IRK_RECURSION,
  DAE_IRK_INDEX1
} dae_irk_multiplier;

typedef struct dae_irk {
  dae_rk_tableau t;
  dae_irk_multiplier multiplier;
  bool fixed;    /* fixed steps: no error estimate, iterate to rounding */
  bool implicit; /* of an implicit problem */
  int n;         /* nz + nmu: one stage is (Z_i - z, mu_i) */
  dae_step_pencil *pencil;
  double *stage, *residual; /* stages x n each */
  double *update;           /* n */
  double *point, *slope;    /* nz: Z_i and Z_i' */
  double *weight;           /* nz: of the Newton updates */
  double *end; /* nz: x' at the end of a step of an implicit problem (irk_end.c); NULL: by stages */
  double complex *x; /* eigenvalues x n; half of it is used for a real one */
  /* what follows from the tableau (irk_stages.c): the polynomial through a step, the transformation
     that diagonalizes A^-1, h z' at the end, and l e_i of the estimate, real and imaginary */
  int nodes, inner[DAE_STAGES_MAX]; /* which of them is a stage inside, 0: it is none */
  double node[DAE_STAGES_MAX + 2], scale[DAE_STAGES_MAX + 2];
  double to[DAE_STAGES_MAX][DAE_STAGES_MAX], from[DAE_STAGES_MAX][DAE_STAGES_MAX];
  double spread; /* what the transformation and its inverse make of a rounding in each stage */
  double end_slope[DAE_STAGES_MAX], estimate[2][DAE_STAGES_MAX];
  /* the last accepted step, for the predictor and dense output */
  double *last_z, *last_end, *last_stage;
  bool have_last;
  /* the weights of that polynomial in the stages of the next step, for sizes of the two that are
     often those of before (0: not known) */
  double ahead_h, ahead_old, ahead[DAE_STAGES_MAX][DAE_STAGES_MAX], ahead_end[DAE_STAGES_MAX];
  /* state of the simplified Newton iteration */
  bool have_matrix, fresh; /* E and J exist; and belong to the present point */
  double matrix_h;         /* |h| of the step that they were evaluated for */
  int age;                 /* attempts since then */
  double factored_h;       /* step size of the factorizations, 0: none */
  double rate;             /* contraction theta of the last iteration */
  double checked_h;        /* |h| for which one-sided differences were found good enough */
  int fine, fine_next;     /* matrices that are still made with care, and how many the next time */
  double confidence;       /* theta/(1 - theta), kept from step to step */
  int iterations;
  double tol, tol_most; /* of an update: in this step, and at most */
  double rounding;      /* what rounding makes of an update */
  /* step size control */
  bool first, rejected;
  double h_accepted, norm_accepted;
} dae_irk;

/* after the tableau */
void dae_irk_prepare(dae_irk *m);
/* out_k := sum_i w_i W_i[from + k] up to W_i[end - 1]; W: stages x n */
void dae_irk_sum(const dae_irk *m, const double *w, const double *W, int from, int end,
                 double *out);
/* slope_i[k] := (1/h) sum_j (A^-1)_ij W_j[k] of all stages, n apart; not for triangular tableaus */
void dae_irk_slopes(const dae_irk *m, double h, int nz, double *slope);
/* the polynomial through a step at theta: start + sum_i w_i W_i + w_end (end - start) */
void dae_irk_polynomial(const dae_irk *m, double theta, double *w, double *w_end);
/* W_i[k] := that polynomial of the last step, h_old long, at 1 + c_i h/h_old, less z[k] */
void dae_irk_ahead(dae_irk *m, double h, double h_old, const double *z, int nz);
/* x_e := -sum_i Y_ei R_i, for a real eigenvalue as real numbers */
void dae_irk_gather(const dae_irk *m);
/* W_i := W_i + sum_e X_ie x_e; the weighted squares of what was added to the first nz variables */
double dae_irk_add(const dae_irk *m, int nz);

/* residuals of stages from..to-1 */
dae_status dae_irk_residual(dae_stepper *s, double h, int from, int to);
/* solves the stage equations (2.6) for a step h, with new matrices as they are needed */
dae_status dae_irk_solve(dae_stepper *s, double h);
/* error estimate into s->error */
dae_status dae_irk_estimate(dae_stepper *s, double h);
/* (2.7): z_new moved along F_mu(t1, z, mu) until the constraints hold */
dae_status dae_irk_project(dae_stepper *s, double h, const double *mu);
/* z_new with its algebraic part solved for, and x' there; the view is of an implicit problem */
dae_status dae_irk_end(dae_stepper *s, double h);
/* stages by extrapolation of the last step */
void dae_irk_predict(dae_stepper *s, double h);
/* z at theta (1: its end) on the polynomial through the points of the last step: its start, its
   stages, its end */
void dae_irk_extrapolate(const dae_stepper *s, double theta, double *z);

#endif
