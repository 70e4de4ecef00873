/* drive: chooses form and method, starts consistently, runs the loop, explains failures */
#ifndef DAE_DRIVE_H
#define DAE_DRIVE_H

#include "audit/audit.h"
#include "choose/choose.h"
#include "colloc/colloc.h"
#include "form/form.h"
#include "stabilize/stabilize.h"
#include "step/step.h"
#include <daedal/bvp.h>
#include <daedal/check.h>
#include <daedal/solver.h>

/* form, method and stabilizer that belong together */
typedef struct dae_way {
  dae_view *view;
  dae_stepper *step;
  dae_stabilizer *stab;
  const char *stabilize_name;
} dae_way;

/* what is known of stiffness while "auto" runs: see stiffness.c */
typedef struct dae_stiffness {
  double *v, *f, *f_try, *z_try; /* vector of the power iteration, scratch */
  double *before;                /* z' of the step before a test */
  int wait, seen,
      needed;     /* steps to the next test; tests in a row for a change, and how many it takes */
  bool due;       /* the next step is taken by the other way */
  long since;     /* steps at the last change */
  double rate, h; /* of the last test */
  dae_switch *change;
  int count;
} dae_stiffness;

typedef struct dae_judge dae_judge;

/* progress of the run: see watchdog.c */
typedef struct dae_watchdog {
  int steps, standing, slow; /* in this window; in a row without a change of t; windows in a row */
  double t, progress;        /* at its beginning; in the window before */
} dae_watchdog;

struct dae_solver {
  dae_pool pool;
  const dae_problem *p;
  dae_options o;
  dae_system *sys;
  dae_view *view;
  dae_stepper *step;
  dae_stabilizer *stab;    /* what the options ask for */
  dae_stabilizer *nearest; /* least change onto all levels: start, output, events */
  const char *stabilize_name;
  dae_way
      way[2]; /* the ones above are those of way[now]; a second one only where "auto" may change */
  int n_way, now;
  bool passage_only; /* the second way is for singular positions only */
  dae_stiffness stiffness;
  double doubt; /* rate beyond which steps of the chosen form are unstable; 0: none known */
  bool started;
  double t, t_previous; /* the present point, and where the last step began */
  double *z, *y, *dz;   /* there, in the problem's own variables */
  bool restart_due;     /* the method must start anew from s->t, s->z before the next step */
  bool own_y;           /* the multipliers of the method are the answer (srm) */
  bool exact_y;         /* y and dz belong to z itself, not to a point within the error of it */
  double *weight;       /* of the error norm, in the unknowns of the view */
  double h;             /* next step size, with sign; 0: not chosen */
  double share;         /* part of the tolerance that the next step may use: in the weights */
  double step_rounding; /* what it leaves of a step as far as it has shown, relative; 0: little */
  int in_vain;          /* weight of failures beside steps that went well, see dae_drive_coarser */
  double spent;         /* tolerances that rounding may have used up */
  double span;          /* length of the run as far as it is known */
  double norm_before;   /* error norm of the last accepted step, for the controller */
  bool rejected_before;
  double failed_h, wall; /* the last size that failed; a bound on steps while it is > 0 */
  long failed_at;
  int failed_again; /* how often in a row at about that size */
  double grid_t0; /* fixed steps: t_n = grid_t0 + n h */
  long grid_n;
  const double *hit; /* times that must be hit */
  int n_hit;
  double ahead; /* how far past one of them, in the direction of the run, the method has begun */
  double *z_work, *y_work, *u_work;
  double *lengths;   /* of the rows of G over the accepted points, see dae_la_kkt_lengths */
  bool watch;        /* singular positions are looked for */
  double watch_most; /* largest smallest singular value of the run, its own scale */
  double steered;    /* the step size that avoids a singular position */
  int steerings;
  double watch_before; /* at the end of the step before, where points are few */
  bool falling;        /* the smallest singular value, at the end of the last step */
  double passed_t;     /* the last singular position, also one that the run started on; NaN: none */
  double crossing;     /* the one that was handed over for, NaN: not known */
  double rounding;     /* the most that rounding may have left of a passage, relative */
  int small_steps;     /* in a row, near a singular position */
  dae_passage *passage; /* those so far, at most DAE_PASSAGE_MAX; NULL: there are no multipliers */
  double *limit;        /* z, x^(m), y as limits at a singular position, then room for them */
  double *limit_dz;     /* the tangent there */
  double limited_t;     /* where the last slope was a limit, NaN: nowhere */
  bool leaving;         /* the present step begins on a singular position */
  dae_judge *judge;     /* NULL: the way passes, hands over, or no singular position counts */
  dae_watchdog watchdog;
  struct dae_instants *events; /* see events.c */
  double h_most;               /* of the first step after an instant, 0: no bound */
  dae_auditor *audit; /* NULL: switched off */
  struct dae_checker *checker; /* of given derivatives; NULL: switched off */
  struct dae_exam *exam; /* of the index; NULL: no multipliers, or too many for dense matrices */
  dae_report report;
  dae_stats stats;
  struct dae_imported *imported; /* the problem of a program of another version; NULL */
};

/* ---- sized.c: programs of other versions ---- */
void dae_drive_imported_free(struct dae_imported *in);

/* ---- choose.c: what stands for "auto", and the objects themselves ---- */
dae_status dae_drive_choose(dae_solver *s);

/* ---- stiffness.c: explicit or implicit, while "auto" runs ---- */
dae_status dae_drive_stiffness_new(dae_solver *s);
/* back to the first way, nothing known */
void dae_drive_stiffness_start(dae_solver *s);
void dae_drive_take(dae_solver *s, int way);
/* does this way pass singular positions? */
bool dae_drive_crosses(const dae_way *w);
/* after an accepted step h: from time to time a test; sets due */
dae_status dae_drive_stiffness_test(dae_solver *s, double h);
/* the explicit way, which passes the singular position that lies at t_crossing (NAN: that is near,
   if one is); false when there is none */
bool dae_drive_hand_over(dae_solver *s, double t_crossing);
/* after an event: steps before it, and the first ones after it, say nothing */
void dae_drive_stiffness_event(dae_solver *s);
/* the other way from here on */
void dae_drive_switch(dae_solver *s);

/* ---- report.c ---- */
/* status, place and a sentence into the report; returns status */
dae_status dae_drive_report(dae_solver *s, dae_status status, const char *format, ...)
    DAE_PRINTF(3, 4);
/* names the constraint that the stabilizer could not satisfy */
void dae_drive_blame_constraint(dae_solver *s, const dae_stabilizer *stab);
/* rank, conditioning and the dependent row from the last factorization */
void dae_drive_blame_rank(dae_solver *s);
void dae_drive_update_stats(dae_solver *s);

/* ---- start.c ---- */
/* brings s->z to the constraints (fixed entries held) and computes s->y, s->dz */
dae_status dae_drive_consistent(dae_solver *s, const unsigned char *fixed);
/* the method forgets its history and goes on from s->t, s->z */
dae_status dae_drive_restart(dae_solver *s);

/* ---- index.c: is the index what the problem's form states? ---- */
dae_status dae_drive_index_new(dae_solver *s);
/* after a start from (t,z) with this status: the same, or DAE_E_INDEX with the report filled */
dae_status dae_drive_index(dae_solver *s, double t, const double *z, dae_status status);

/* ---- control.c ---- */
void dae_drive_weights(dae_solver *s);
/* the tolerance relative to the present size of the unknowns: errors relative to that size are in
   units of it */
double dae_drive_tolerance(const dae_solver *s);
/* after a failed attempt: is it rounding? Then steps may use more of the tolerance */
void dae_drive_coarser(dae_solver *s, int failures);
/* after an accepted step: DAE_E_TOLERANCE when rounding has used up the tolerance */
dae_status dae_drive_spend(dae_solver *s);
double dae_drive_first_step(dae_solver *s, double t_limit, dae_status *status);
double dae_drive_next_step(dae_solver *s, double h, double norm, bool accepted);

/* ---- passage.c ---- */
/* no point of the attempt is low beside the first, nor for the run: neither to steer nor near */
bool dae_drive_calm(const dae_solver *s);
/* a better size for the step just attempted, so that a singular position falls between its points;
   the same size when none is near */
double dae_drive_steer(const dae_solver *s, double h);
/* are the constraints close to rank loss at the present point? Factors there: for failures, not for
   every step */
bool dae_drive_at_rank_loss(dae_solver *s);
/* has the last step ended close to one? */
bool dae_drive_low(const dae_solver *s);
/* is one crossed in the step just attempted, or soon after? */
bool dae_drive_near(const dae_solver *s, double h);
/* many steps far below the length of the run while the constraints are nearly singular: nothing
   moves on */
bool dae_drive_stuck(dae_solver *s, double h);
/* the error that rounding makes in the step from t0 of size h across a singular position, relative;
   0 when none is crossed */
double dae_drive_rounding(const dae_solver *s, double t0, double h);
/* what rounding leaves of a slope at the present point, relative: no step near a singular position
   can be asked for less; 0 far from it */
double dae_drive_noise(const dae_solver *s);
/* the points of the step from t0 of size h in the order of time, in units of h; *least is the index
   of the smallest value. Returns how many */
int dae_drive_points(const dae_stepper *a, double t0, double h, double *t, double *w, int *least);
/* where w vanishes if it is s |x - x*| on both sides of its smallest value, in units of the step:
   negative before it, INFINITY when w does not change like that */
double dae_drive_vertex(int n, const double *t, const double *w, int least);
/* the lengths of the constraints' rows that `smallest` is measured by: those of accepted points. A
   rejected step may have gone anywhere */
void dae_drive_lengths_start(dae_solver *s);
void dae_drive_lengths_keep(dae_solver *s);
void dae_drive_lengths_restore(dae_solver *s);

/* ---- crossing.c ---- */
/* looks for singular positions inside the step that the method has just accepted, before it becomes
   the present point. Those that were passed are counted; *crossed is the time of one that a way
   has crossed which does not pass (then the step must not count), else NaN */
dae_status dae_drive_crossing(dae_solver *s, double *crossed);

/* ---- judge.c ---- */
/* where neither this way nor another passes singular positions */
dae_status dae_drive_judge_new(dae_solver *s);
void dae_drive_judge_free(dae_solver *s);
/* the present point is where it starts from; the same if it is far from rank loss */
void dae_drive_judge_start(dae_solver *s);
void dae_drive_judge_keep(dae_solver *s);
/* has a crossing been accepted, and have the constraints recovered in the last step? */
bool dae_drive_judge_due(const dae_solver *s);
/* does a method that passes come to (t,z) too? */
bool dae_drive_judge_agrees(dae_solver *s, double t, const double *z);

/* ---- limit.c ---- */
dae_status dae_drive_limit_new(dae_solver *s);
typedef enum dae_position {
  DAE_REGULAR,
  DAE_SINGULAR_PASSING, /* the constraints have lost rank for the moment, or nearly so */
  DAE_SINGULAR_AT_REST  /* and no velocity says where the motion goes on */
} dae_position;
/* which of them (t,z) is; s->limit then holds the consistent z of a point of the motion at
   *t_beside */
dae_position dae_drive_position(dae_solver *s, double t, const double *z, double *t_beside);
/* limits that agree no better than this are none */
#define DAE_LIMIT_ROUGH 1e-4
/* s->limit := z, x^(m) and the finite part of y at a singular position near (t,z); *error is
   relative */
dae_status dae_drive_limit(dae_solver *s, double t, const double *z, double *error);

/* dae_problem_accelerate, and the correction by s->stab after a step or the projection by
   s->nearest; on a singular position the limits of what they give beside it */
dae_status dae_drive_accelerate(dae_solver *s, double t, const double *z, double *a, double *y);
dae_status dae_drive_onto(dae_solver *s, dae_stabilizer *by, double t, double *z, bool factored);
/* near a singular position: stages are brought to the constraints (dae_stepper.fix), and the slope
   of a point on the position is a limit (dae_view.limit) */
void dae_drive_singular_near(dae_solver *s, bool near);

/* ---- events.c ---- */
dae_status dae_drive_events_new(dae_solver *s);
/* numbers of switching functions at the initial values, before these become consistent */
dae_status dae_drive_events_prepare(dae_solver *s);
/* what happens at the start: DAE_EVENT when an assertion fails there */
dae_status dae_drive_events_start(dae_solver *s);
/* the next instant by the clock, at most `stop` */
double dae_drive_events_stop(const dae_solver *s, double stop);
/* events inside the step just accepted. A terminal event or one with a change of state cuts the
   step there; DAE_EVENT for a terminal one */
dae_status dae_drive_events_check(dae_solver *s);
/* after a failed step: over an event just ahead; false when there is none */
bool dae_drive_events_leap(dae_solver *s, double stop, dae_status *status);

/* ---- audit.c ---- */
dae_status dae_drive_audit_new(dae_solver *s);
/* the consistent start, in full */
dae_status dae_drive_audit_start(dae_solver *s);
/* the end of a step, after what events made of it; known: dae_stabilize_left was there */
dae_status dae_drive_audit_step(dae_solver *s, bool known);
/* where the caller wanted to get: everything, and the verdict */
dae_status dae_drive_audit_end(dae_solver *s);

/* ---- bvp_audit.c ---- */
/* the status of a solve, and that of the audit where the former is ok */
dae_status dae_drive_bvp_audit(const dae_problem *p, const dae_options *o, dae_solution *s,
                               dae_status status, dae_report *report);

/* ---- watchdog.c ---- */
void dae_drive_watchdog_start(dae_solver *s);
/* after an accepted step on the way to t_limit: DAE_E_STEP when that is out of reach */
dae_status dae_drive_watchdog(dae_solver *s, double t_limit);
/* the step size is below rounding: which variable keeps it there */
dae_status dae_drive_too_small(dae_solver *s, double h);

/* ---- output.c ---- */
/* z (and y unless NULL) inside the last step of the method, on the constraints */
dae_status dae_drive_inside(dae_solver *s, double t, double *z, double *y);
/* y and z' at the present point itself */
dae_status dae_drive_refine(dae_solver *s);

/* ---- diagnose.c ---- */
/* sets form, method, direction and stabilizer of a stiff problem in the options; DAE_OK or
   DAE_E_MEMORY */
dae_status dae_drive_recommend(dae_solver *s);
/* a form that was asked for discretizes the multipliers, while their forces turn fast across the
   constraints: s->doubt gets the rate, for the advice of a failure. DAE_OK or DAE_E_MEMORY */
dae_status dae_drive_doubt(dae_solver *s);

#endif
