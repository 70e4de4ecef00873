/*
 * implicit: the equations 0 = F(t,x,x') of an implicit problem and their two matrices E = dF/dx',
 * A = dF/dx, dense or in a pattern, given or by differences. M x' = f is F = M x' - f.
 */
#ifndef DAE_PROBLEM_IMPLICIT_H
#define DAE_PROBLEM_IMPLICIT_H

#include "problem/colour.h"
#include "problem/problem.h"
#include "problem/view.h"

typedef enum dae_accuracy {
  DAE_FOR_NEWTON, /* one-sided differences */
  DAE_FOR_STEPS,  /* central ones of order 2 */
  DAE_FOR_RANK    /* central ones of order 4 */
} dae_accuracy;

/* the matrices of a point, by differences of steps of these sizes */
typedef struct dae_known {
  bool is, running;
  double t;
  dae_accuracy accuracy;
  double *x, *dx, *sizes, *E, *A; /* sizes: of x, and of x' */
} dae_known;

enum { DAE_KNOWN = 2 }; /* a start looks at a point and at one beside it by turns */

typedef struct dae_residual {
  const dae_system *sys;
  const dae_implicit *m;
  int n, size;                  /* entries of E and of A */
  dae_pattern pattern;          /* of both; start NULL: dense */
  dae_colours colours;          /* of it */
  int *mass_place, *f_place;    /* where the values of M and of f_x go; NULL: the same place */
  bool mass_known;              /* M is constant and in M */
  int *nonzero_start, *nonzero; /* of a dense M that is known: entries that are not 0, by rows */
  double *nonzero_value;
  bool lumped;  /* M is known and diagonal: */
  double *lump; /* .. its diagonal; 1 where there is no M */
  bool forced;  /* f that was asked for at (forced_t, forced_x) is in `force` */
  double forced_t, *forced_x, *force;
  double *M, *given;               /* values of M and of f_x as they are given */
  double *floor;                   /* least size of each variable that a difference counts with */
  double *seen;                    /* largest |x_j| so far */
  double h;                        /* a time in which x changes: x' is moved by sizes over it */
  const double *x_at, *dx_at;      /* where differences are taken */
  bool running;                    /* h is that of a step */
  double *x, *dx, *f0, *f1, *step; /* scratch of differences: n, n, n, 3 n, n */
  dae_accuracy accuracy;           /* that steps need */
  long undefined; /* the equation, from 1, whose value was the last that was no number; 0: none */
  long evaluations;
  double *sizes;              /* 2 n: of what is asked for; NULL: nothing is kept */
  dae_known known[DAE_KNOWN]; /* as long as the functions are the same: see dae_residual_forget */
  int oldest;                 /* of them */
} dae_residual;

/* atols NULL: atol for all */
typedef struct dae_sizes_of_x {
  double rtol, atol;
  const double *atols;
} dae_sizes_of_x;

/* numbers that `mass` gives, 0: there is none */
int dae_implicit_mass_size(const dae_implicit *m);

/* Takes all memory. */
dae_status dae_residual_new(dae_residual **out, dae_pool *pool, const dae_system *sys,
                            const dae_sizes_of_x *sizes);
/* nothing is known of earlier runs */
void dae_residual_start(dae_residual *r);

/* DAE_OK; DAE_E_CALLBACK when a callback said > 0 or gave NaN; DAE_STOPPED for < 0 */
dae_status dae_residual_value(dae_residual *r, double t, const double *x, const double *dx,
                              double *out);
/* the same at the start of a step, where f is asked for more than once */
dae_status dae_residual_start_value(dae_residual *r, double t, const double *x, const double *dx,
                                    double *out);
/* out_i := the residuals of stages in rows multiplied by `unit` */
dae_status dae_residual_stages(dae_residual *r, const dae_stages *s, const double *unit);
/* E and A, `size` values each; those of the points that were asked for last are not evaluated
   again */
dae_status dae_residual_matrices(dae_residual *r, double t, const double *x, const double *dx,
                                 dae_accuracy accuracy, double *E, double *A);
/* the same in a step of size r->h: evaluated, and all others are forgotten */
dae_status dae_residual_at_step(dae_residual *r, double t, const double *x, const double *dx,
                                dae_accuracy accuracy, double *E, double *A);
/* the functions may be others from now on: after an event, or at a new start */
void dae_residual_forget(dae_residual *r);
/* E alone, for Newton's method; values: 2 `size`, of which the second half is scratch */
dae_status dae_residual_slopes(dae_residual *r, double t, const double *x, const double *dx,
                               double *values);
/* size of variable j, of its own or as it was seen */
double dae_residual_size(const dae_residual *r, int j, const double *x);

/* first entry of row i, and column of entry k in it */
static inline int dae_residual_row(const dae_residual *r, int i) {
  return r->pattern.start ? r->pattern.start[i] : i * r->n;
}
static inline int dae_residual_column(const dae_residual *r, int i, int k) {
  return r->pattern.start ? r->pattern.column[k] : k - i * r->n;
}

#endif
