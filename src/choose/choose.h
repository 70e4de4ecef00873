/*
 * choose: what stands for "auto". Rates of the problem at a point say which of the four cases of
 * 1993 section 4.2 it is, and what follows for form, method, direction and stabilizer.
 */
#ifndef DAE_CHOOSE_H
#define DAE_CHOOSE_H

#include "problem/point.h"
#include <daedal/check.h>
#include <daedal/options.h>

/* ---- essential.c ---- */
/* numbers of the essential underlying ODE at a point, per unit of time */
typedef struct dae_essential {
  double solution;                    /* rate of the solution */
  double frozen, variable;            /* |R A S| (spectral radius), |R'S| */
  double fc, skew;                    /* |F C'|, |F| |C| */
  double turn_constraint, turn_force; /* relative rates of C and of the range of B */
} dae_essential;
/* DAE_E_FORM when the problem is too large for it; horizon: a time over which the solution is of
   interest. p serves for looking */
enum { DAE_ESSENTIAL_MAX = 64 }; /* coordinates: the matrices are dense */
dae_status dae_choose_essential(dae_point *p, double t, const double *z, double horizon,
                                dae_essential *out);
/* rows of C (rows x n) that do not depend on rows before them, by Gram-Schmidt; Q of n x n is
   scratch */
int dae_choose_independent(int rows, int n, const double *C, double tol, double *Q, bool *keep);

/* where a run begins, and over which time it is of interest */
typedef struct dae_begin {
  double t;
  const double *z;
  double horizon;
} dae_begin;

/* ---- waves.c ---- */
/* sets *method where oscillations of a large sparse problem decide it; DAE_OK or DAE_E_MEMORY */
dae_status dae_choose_waves(dae_point *p, const dae_begin *at, const dae_options *o,
                            const char **method);

/* ---- look.c ---- */
typedef struct dae_rates {
  dae_case kind;
  double turn;        /* of constraints and forces, the fastest */
  const char *method; /* what oscillations ask for; NULL: nothing */
} dae_rates;
/* waves: a method may follow from oscillations. DAE_OK (also where nothing is found out) or
   DAE_E_MEMORY */
dae_status dae_choose_look(dae_point *p, const dae_options *o, bool waves, const dae_begin *at,
                           dae_rates *out);
/* does the same follow from both? */
bool dae_choose_same(const dae_rates *a, const dae_rates *b);

/* ---- case.c ---- */
/* the case of 1993 section 4.2 at a tolerance; *step (may be NULL) gets what accuracy alone would
   allow */
dae_case dae_choose_case(const dae_essential *e, double tolerance, double horizon, double *step);
/* form, method, direction, stabilizer and the reason for the case of d */
void dae_choose_recommend(const dae_problem *p, const dae_options *o, dae_diagnosis *d);
/* the implicit method for these tolerances */
const char *dae_choose_stiff_method(const dae_options *o);

#endif
