/*
 * choose: from the options of the user to the plan of a run. Names end here: settings and plans
 * have pointers and enums only. For what stands for "auto", rates of the problem at the start say
 * which of the four cases of 1993 section 4.2 it is.
 */
#ifndef DAE_CHOOSE_H
#define DAE_CHOOSE_H

#include "problem/point.h"
#include "problem/settings.h"
#include <daedal/check.h>

/* ---- settings.c ---- */
/* DAE_E_INPUT with a sentence that names the option; `pool` holds what settings point to */
dae_status dae_choose_settings(dae_settings *out, const dae_problem *p, const dae_options *o,
                               dae_pool *pool, char *message, int size);

/* ---- tolerance.c ---- */
/* absolute tolerances of single variables: a part of the above */
dae_status dae_choose_atols(dae_settings *out, const dae_problem *p, const dae_options *o,
                            dae_pool *pool, char *message, int size);

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
/* how fast z itself changes, |z'|/|z| and |z''|/|z'|, from z' at two times that are dt apart */
double dae_choose_solution_rate(int n, const double *z, const double *d1, const double *d2,
                                double dt);
/* rows of C (rows x n) that do not depend on rows before them, by Gram-Schmidt; Q of n x n is
   scratch */
int dae_choose_independent(int rows, int n, const double *C, double tol, double *Q, bool *keep);

/* where a run begins, and over which time it is of interest */
typedef struct dae_begin {
  double t;
  const double *z;
  double horizon;
} dae_begin;

/* ---- calm.c ---- */
/* do a few evaluations show that the problem is nonstiff? DAE_OK or DAE_E_MEMORY */
dae_status dae_choose_calm(dae_point *p, const dae_begin *at, double tolerance, bool *calm);

typedef struct dae_rates {
  dae_case kind;
  dae_case stiff; /* what it would be if it were stiff; DAE_CASE_UNKNOWN: nothing special */
  double turn;    /* of constraints and forces, the fastest */
  bool turning;   /* steps that are long beside the rates would have to follow it */
  const dae_method *method; /* what oscillations ask for; NULL: nothing */
} dae_rates;

/* ---- waves.c ---- */
/* what oscillations of a sparse mechanism say; nothing about other problems. DAE_OK or
   DAE_E_MEMORY */
dae_status dae_choose_waves(dae_point *p, const dae_begin *at, const dae_settings *o,
                            dae_rates *out);

/* ---- look.c ---- */
/* free: method and form may follow, not only a direction. DAE_OK (also where nothing is found out)
   or DAE_E_MEMORY */
dae_status dae_choose_look(dae_point *p, const dae_settings *o, bool free, const dae_begin *at,
                           dae_rates *out);
/* does the same follow from both? */
bool dae_choose_same(const dae_rates *a, const dae_rates *b);

/* ---- case.c ---- */
/* the case of 1993 section 4.2 at a tolerance; *step (may be NULL) gets what accuracy alone would
   allow */
dae_case dae_choose_case(const dae_essential *e, double tolerance, double horizon, double *step);
/* the case that a run of "auto" begins as: turning alone asks for no other form */
dae_case dae_choose_begin(const dae_essential *e, double tolerance, double horizon);
/* which of the stiff cases, whatever the tolerance; DAE_CASE_UNKNOWN where rates are no matter */
dae_case dae_choose_stiff_case(const dae_essential *e, double horizon);
/* the methods that stand for "auto" */
const dae_method *dae_choose_explicit(const dae_settings *o);
/* turning: steps have to follow fast constraints */
const dae_method *dae_choose_implicit(const dae_problem *p, const dae_settings *o, bool turning);
/* what is best for a case, and why */
typedef struct dae_advice {
  const dae_method *method;
  dae_form_kind form;
  dae_stabilizer_kind stabilize;
  dae_direction_kind direction;
  const char *why;
} dae_advice;
dae_advice dae_choose_advice(const dae_problem *p, const dae_settings *o, dae_case kind);

/* ---- plan.c ---- */
/*
 * How a run is made: nothing in `o` is free any more. The other kind of method stands by where the
 * form is free and steps have error control: explicit beside implicit, or the form that goes with
 * an implicit one; for a method or form that was asked for only until a singular position is
 * passed.
 */
typedef struct dae_plan {
  dae_settings given; /* what was asked for */
  dae_rates rates;    /* at the start of the run */
  dae_settings o;     /* what the run begins with */
  dae_settings other; /* what stands by, where n_way is 2 */
  int n_way;
  bool for_passage; /* the second way is for singular positions only */
  double doubt;     /* rate beyond which steps of the form asked for are unstable; 0: none known */
} dae_plan;

/* numbers that cannot be meant: DAE_E_INPUT or DAE_E_TOLERANCE with a sentence */
dae_status dae_choose_check(const dae_settings *o, char *message, int size);
/* would rates at the start change anything? */
bool dae_choose_asks(const dae_settings *given);
/* from what is given and the rates; DAE_E_INPUT, DAE_E_TOLERANCE or DAE_E_FORM with a sentence */
dae_status dae_choose_plan(dae_plan *plan, const dae_system *s, char *message, int size);

#endif
