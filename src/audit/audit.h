/*
 * audit: does the computed point satisfy what the user wrote?
 *   1. every number is finite: z, y, z' and the outputs of the problem;
 *   2. every constraint holds at every level, as far as the run promises it (DAE_PROMISE_*);
 *   3. M x^(m) = f - K y and G x^(m) + c = 0 hold for the x^(m) and y that are handed out.
 * Residuals are relative to the sizes of their own terms: rounding of large terms is no violation.
 */
#ifndef DAE_AUDIT_H
#define DAE_AUDIT_H

#include "problem/implicit.h"
#include "problem/point.h"
#include "problem/settings.h"
#include <daedal/solver.h>

/* what a run promises of one constraint at one level */
typedef enum dae_promise {
  DAE_PROMISE_NONE,      /* a fixed step that is not projected: the residual is told, not judged */
  DAE_PROMISE_TOLERANCE, /* residuals such as errors within the tolerance make */
  DAE_PROMISE_ROUNDING   /* projected: rounding, or ctol */
} dae_promise;

typedef struct dae_auditor {
  const dae_system *sys;
  dae_point *at;               /* own one: what it costs to look is not a cost of the solution */
  const double *atols;         /* of each entry of z; NULL: atol for all */
  double rtol, atol, rounding; /* rounding: largest relative residual of a projected constraint */
  unsigned char *promise;      /* nh */
  double *most;                /* nh: largest residual so far, and when it was met */
  double *when;
  double *size;  /* nh: sum_j |G_ij| X_j, X_j the largest |x_j| at the samples so far */
  double *slack; /* nh: sum_j |G_ij| (atol + rtol X_j), what errors within the tolerance make */
  double *least; /* nh: a residual below it is no matter, see terms.c */
  double *X;     /* nz */
  double *h, *r, *terms, *A, *output; /* scratch */
  dae_residual *equations;            /* own ones of an implicit problem; NULL: another kind */
  double *E;                          /* its matrices */
  long steps;
  bool full;       /* the last step was looked at in full */
  dae_audit worst; /* of the dynamics, and of what was judged last */
  /* what is wrong: message "" when nothing is */
  char equation[DAE_NAME_MAX], variable[DAE_NAME_MAX], message[DAE_TEXT_MAX];
  double residual, t;
} dae_auditor;

/* takes all memory from the pool, with a point beside that one; every row is promised within the
   tolerance */
dae_status dae_audit_new(dae_auditor **out, dae_point *beside, const dae_settings *o,
                         dae_pool *pool);
/* the absolute tolerance of entry j of z */
static inline double dae_audit_atol(const dae_auditor *a, int j) {
  return a->atols ? a->atols[j] : a->atol;
}
/* a new run: nothing is known */
void dae_audit_start(dae_auditor *a);

/* All below: DAE_OK, or a status with equation, variable and message filled in. */

/* z, y and dz are finite: for a point at an event, which is found to rounding, so that an output
   such as sqrt(h) where h falls through zero is not asked for there */
dae_status dae_audit_numbers(dae_auditor *a, double t, const double *z, const double *y,
                             const double *dz);
/* an accepted point: finite numbers always, the residuals h of all invariants (NULL: there are
   none) remembered; sizes and outputs now and then */
dae_status dae_audit_step(dae_auditor *a, double t, const double *z, const double *y,
                          const double *dz, const double *h);
/* a point looked at in full: finite numbers, outputs, residuals and sizes. Nothing is judged */
dae_status dae_audit_point(dae_auditor *a, double t, const double *z, const double *y,
                           const double *dz);
/* the residuals so far against what is promised, in the sizes met so far; (t, z) is the present
   point */
dae_status dae_audit_judge(dae_auditor *a, double t, const double *z);
/* the start is on all constraints, whatever the run promises later */
dae_status dae_audit_judge_start(dae_auditor *a, double t, const double *z);
/* M x^(m) - f + K y and G x^(m) + c; judged where y and dz belong to z itself (exact), else only
   evaluated */
dae_status dae_audit_dynamics(dae_auditor *a, double t, const double *z, const double *y,
                              const double *dz, bool exact);
/* 0 = F(t,x,x') after a step of size h; 0: x and x' were solved for at the point itself */
dae_status dae_audit_implicit(dae_auditor *a, double t, const double *z, const double *dz,
                              double h);
/* the worst relative residual so far */
dae_audit dae_audit_worst(const dae_auditor *a);

/* 0 = b(z(t0), z(t1)), with `ends` both of them, and the conditions at an inner point; after
   dae_audit_point at all points of the solution. For boundary value problems: scratch is taken */
dae_status dae_audit_ends(dae_auditor *a, const double *ends, dae_pool *pool);
dae_status dae_audit_side(dae_auditor *a, int side, const double *z, dae_pool *pool);

/* ---- inside the layer ---- */
/* residuals of forms that do not project follow the global error: ten tolerances of it, and terms
   of either sign that may add up */
#define DAE_AUDIT_TOLERANCES 100.0
/* the name of invariant i of all nh */
void dae_audit_name(const dae_auditor *a, int i, char *name);
dae_status dae_audit_fail(dae_auditor *a, dae_status status, double t, const char *format, ...)
    DAE_PRINTF(4, 5);
/* sizes of the terms of all constraints at a point into size, slack and least */
dae_status dae_audit_sizes(dae_auditor *a, double t, const double *z);

#endif
