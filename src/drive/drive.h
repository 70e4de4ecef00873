/* drive: starts consistently, runs the loop by the plan of src/choose, explains failures */
#ifndef DAE_DRIVE_H
#define DAE_DRIVE_H

#include "audit/audit.h"
#include "base/image.h"
#include "choose/choose.h"
#include "choose/stiffness.h"
#include "colloc/colloc.h"
#include "form/form.h"
#include "passage/passage.h"
#include "problem/discrete.h"
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
  dae_stabilizer_kind stabilize;
} dae_way;

typedef struct dae_second dae_second;

/* progress of the run: see watchdog.c */
typedef struct dae_watchdog {
  int steps, standing, slow; /* in this window; in a row without a change of t; windows in a row */
  double t, progress;        /* at its beginning; in the window before */
  int points;                /* of a straight line so far */
  double at[2], *point;      /* the first two of them: times, and z twice */
  int rank, lost;            /* of the constraints at the start; points in a row with less */
  double t_lost;             /* the first of them */
} dae_watchdog;

/* what steps have shown: see control.c */
typedef struct dae_control {
  double h;           /* next step size, with sign; 0: not chosen */
  double *weight;     /* of the error norm, in the unknowns of the view */
  double span;        /* length of the run as far as it is known */
  int tighter;        /* how often what iterations leave has spoilt the constraints */
  double share;       /* part of the tolerance that the next step may use: in the weights */
  double h_most;      /* of the first step after an instant, 0: no bound */
  double norm_before; /* error norm of the last accepted step */
  bool rejected_before;
  double failed_h, wall; /* the last size that failed; a bound on steps while it is > 0 */
  long failed_at;
  int failed_again;     /* how often in a row at about that size */
  double step_rounding; /* what rounding leaves of a step as far as it has shown, relative; 0:
                           little */
  int in_vain;          /* weight of failures beside steps that went well, see dae_drive_coarser */
  double spent;         /* tolerances that rounding may have used up */
  int sign;             /* of the algebraic equations where they were last looked at; 0: nowhere */
} dae_control;

/* times that steps must end at: see stops.c */
typedef struct dae_stops {
  double grid_t0; /* fixed steps: t_n = grid_t0 + n h */
  long grid_n;
  const double *hit; /* rising */
  int n_hit;
  double ahead; /* how far past one of them, in the direction of the run, the method has begun */
} dae_stops;

/* the run that the solver is for: see decide.c */
typedef struct dae_origin {
  dae_problem own; /* the user's, with the initial values and the interval of the run */
  struct {
    double t0, t1;
    const double *z0, *y0;
  } stated;        /* what the user's problem holds of it */
  double *z_start; /* the initial values as they were given */
  double *y_hint;  /* multipliers that were passed to the start */
  bool built;      /* the objects are for these initial values and this interval: */
  double *z_built, t0_built, t1_built;
  bool presumed;                 /* that the multipliers are affine */
  bool decided;                  /* the interval is known */
  struct dae_imported *imported; /* the problem of a program of another version; NULL */
} dae_origin;

/* pools of the solver: see decide.c */
typedef struct dae_memory {
  dae_pool home; /* the first pool, which holds the solver itself, when another follows it */
  bool rebuilt;
  int n_home;      /* blocks of it that outlive a rebuild */
  dae_image image; /* of both pools, for checkpoints */
} dae_memory;

/* a second way only where "auto" may change: see switch.c */
typedef struct dae_ways {
  dae_way way[2];
  int count, now; /* view, step and stab of the solver are those of way[now] */
  dae_stiffness stiffness;
  dae_switch *change; /* from one to the other; NULL: there is one way only */
  int n_change;
} dae_ways;

/* arrays for the moment */
typedef struct dae_work {
  double *z, *y, *u; /* as the problem's z and y, and as the unknowns of the view */
  double *a, *r;     /* x^(m), nx; one level of constraints, twice nc */
} dae_work;

struct dae_solver {
  dae_pool pool;
  dae_memory memory;
  const dae_problem *p; /* that of origin.own */
  dae_origin origin;
  dae_plan plan;
  const dae_system *sys;
  dae_team *team;   /* threads for differences; NULL: none */
  dae_point *point; /* of the run: views are evaluated at it, and what that costs is counted */
  dae_ways ways;
  dae_view *view;
  dae_stepper *step;
  dae_stabilizer *stab;    /* what the options ask for */
  dae_stabilizer *nearest; /* least change onto all levels: start, output, events */
  bool started;
  double t, t_previous; /* the present point, and where the last step began */
  double *z, *y, *dz;   /* there, in the problem's own variables */
  bool restart_due;     /* the method must start anew from s->t, s->z before the next step */
  dae_verdict due; /* hand over before the next step: until then values are those of this one */
  bool own_y;      /* the multipliers of the method are the answer (srm) */
  bool exact_y;    /* y and dz belong to z itself, not to a point within the error of it */
  dae_control control;
  dae_stops stops;
  dae_work work;
  dae_guard *guard;   /* of singular positions */
  dae_second *second; /* its witness; NULL: none is needed */
  dae_watchdog watchdog;
  struct dae_instants *events;       /* see events.c */
  dae_auditor *audit;                /* NULL: switched off */
  struct dae_checker *checker;       /* of given derivatives; NULL: switched off */
  struct dae_implicit_run *implicit; /* of 0 = F(t,x,x'); NULL: another kind */
  struct dae_exam *exam; /* of the index; NULL: no multipliers, or too many for dense matrices */
  dae_report report;
  dae_stats stats;
};

/* ---- extend.c ---- */
/* the user's own method, norm and so on become settings; DAE_E_INPUT with a sentence */
dae_status dae_drive_extend(dae_solver *s, const dae_options *o);

/* ---- sized.c: programs of other versions ---- */
void dae_drive_imported_free(struct dae_imported *in);

/* ---- solver.c ---- */
dae_status dae_drive_build(dae_solver *s);
void dae_drive_release(dae_solver *s);

/* ---- decide.c: the same choice wherever initial values and interval are written ---- */
/* rates at the start of the run, where something depends on them; sys: that of s, or another one of
   the same problem */
dae_status dae_drive_look(dae_solver *s, dae_point *point, dae_rates *out);
/* whether multipliers are affine only values tell: without them it is presumed until the start */
void dae_drive_presume(dae_solver *s);
/* remembers what the solver was built for */
void dae_drive_built(dae_solver *s);
/* a checkpoint was made of objects for this, z being the initial values: these too */
dae_status dae_drive_build_for(dae_solver *s, const dae_origin *built, const void *z);
/* before a start: objects for these initial values, and for the interval as far as it is known */
dae_status dae_drive_decide_start(dae_solver *s, double t0, const double *z);
/* before the first step: for the interval up to t1. *again: the start must be repeated */
dae_status dae_drive_decide_interval(dae_solver *s, double t1, bool *again);

/* ---- way.c ---- */
/* the plan for the run as it is known, and its objects */
dae_status dae_drive_ways(dae_solver *s);

/* ---- switch.c ---- */
dae_status dae_drive_switch_new(dae_solver *s);
/* back to the first way, nothing known */
void dae_drive_switch_start(dae_solver *s);
void dae_drive_take(dae_solver *s, int way);
/* the names in the list of changes, as the two ways take turns */
void dae_drive_switch_names(dae_solver *s);
/* after an accepted step h: from time to time a test; sets due. back: a singular position lies
   behind, and the way that was asked for goes on */
dae_status dae_drive_switch_test(dae_solver *s, double h, bool back);
/* the way that passes a singular position, at the verdict of the guard */
void dae_drive_hand_over(dae_solver *s, dae_verdict verdict);
/* the other way from here on */
void dae_drive_switch(dae_solver *s);
/* the method of "auto" cannot go on from here: the other one shall try, once at a place; false:
   there is none, or it could not either */
bool dae_drive_refuge(dae_solver *s);

/* ---- report.c ---- */
/* status, place and a sentence into the report; returns status */
dae_status dae_drive_report(dae_solver *s, dae_status status, const char *format, ...)
    DAE_PRINTF(3, 4);
/* a sentence for a status that has none yet; returns status */
dae_status dae_drive_untold(dae_solver *s, dae_status status);
/* names the constraint that the stabilizer could not satisfy */
void dae_drive_blame_constraint(dae_solver *s, const dae_stabilizer *stab);
/* rank, conditioning and the dependent row from the last factorization */
void dae_drive_blame_rank(dae_solver *s);
void dae_drive_update_stats(dae_solver *s);

/* a step of size h failed, for a reason that the status names */
dae_status dae_drive_explain(dae_solver *s, dae_status status, double h);
/* no way on near t, where the constraints are about to lose rank */
dae_status dae_drive_no_way(dae_solver *s, double t);

/* ---- stops.c ---- */
/* the nearest time ahead that must be hit, at most t_limit */
double dae_drive_next_stop(const dae_solver *s, double t_limit);
bool dae_drive_is_hit(const dae_solver *s, double t);
/* how far before a stop the step ends that leads to it */
double dae_drive_beside(const dae_solver *s, double stop);
/* the method starts anew, from the other side of a time that was hit */
dae_status dae_drive_restart_beyond(dae_solver *s, double t_limit);
/* the next point of t_i = t0 + (t1-t0) (i/N)^P; false when the mesh has equal steps */
bool dae_drive_graded_point(const dae_solver *s, double stop, double *t_new);

/* ---- start.c ---- */
/* brings s->z to the constraints (fixed entries held) and computes s->y, s->dz */
dae_status dae_drive_consistent(dae_solver *s, const unsigned char *fixed);
/* the start of the run once more, from the values that it was given */
dae_status dae_drive_start_again(dae_solver *s);
/* a given derivative that is wrong and that the start did not show: DAE_E_INPUT names it */
dae_status dae_drive_check_later(dae_solver *s);
/* the method forgets its history and goes on from s->t, s->z */
dae_status dae_drive_restart(dae_solver *s);

/* ---- implicit.c: 0 = F(t,x,x') ---- */
dae_status dae_drive_implicit_new(dae_solver *s);
void dae_drive_implicit_free(dae_solver *s);
/* index, consistent s->z and s->dz near where they are */
dae_status dae_drive_implicit_start(dae_solver *s, const unsigned char *fixed);
/* after failures: on the hidden constraints again, from where shorter steps do not suffer by what
   longer ones have left of them (index 3) */
dae_status dae_drive_implicit_again(dae_solver *s);
/* x' of every variable follows from the equations and their first derivative, and was found */
bool dae_drive_implicit_determined(const dae_solver *s);
/* steps fail: is the index, which was not found at the start itself, the reason? Then it is told */
bool dae_drive_implicit_doubtful(dae_solver *s);
/* index, rank and number of equations as the start found them */
void dae_drive_implicit_told(const dae_solver *s, dae_diagnosis *d);
/* error weights of variables of index 2 and 3: their errors are those of derivatives */
/* after a step: rounding in derivatives was, or was not, in its way (index 3) */
void dae_drive_implicit_relax(dae_solver *s, bool failed);
/* the first step size where the index is above 1 */
bool dae_drive_implicit_first(const dae_solver *s, double span, double *h);
/* weights depend on the size of the step: some variables are derivatives of others */
bool dae_drive_implicit_graded(const dae_solver *s);
void dae_drive_implicit_weights(const dae_solver *s, double h, double *weight);

/* ---- determined.c ---- */
/* after an accepted step of an implicit problem, and at the end: DAE_E_RANK where the equations no
   longer determine the variables */
dae_status dae_drive_determined(dae_solver *s, bool end);
/* the same at consistent initial values */
dae_status dae_drive_determined_start(dae_solver *s);

/* ---- branches.c ---- */
/* after a step that was tried more than once: DAE_E_RANK where the algebraic equations are so near
   to singular that the tolerance does not tell solutions apart, or were singular in between */
dae_status dae_drive_branches(dae_solver *s);

/* ---- index.c: is the index what the problem's form states? ---- */
dae_status dae_drive_index_new(dae_solver *s);
/* after a start from (t,z) with this status: the same, or DAE_E_INDEX with the report filled */
dae_status dae_drive_index(dae_solver *s, double t, const double *z, dae_status status);
/* has the rank of the constraints been lost for good when the run ends? */
dae_status dae_drive_rank_at_end(dae_solver *s);
/* are the invariants of an ODE such at the present point? */
dae_status dae_drive_invariant(dae_solver *s);

/* ---- control.c ---- */
void dae_drive_weights(dae_solver *s);
/* of the first step, whose size is known now */
void dae_drive_weights_first(dae_solver *s);
/* those of an attempt of size h, where they depend on it */
void dae_drive_weights_for(dae_solver *s, double h);
/* the tolerance relative to the present size of the unknowns: errors relative to that size are in
   units of it */
double dae_drive_tolerance(const dae_solver *s);
/* after a failed attempt: is it rounding? Then steps may use more of the tolerance */
void dae_drive_coarser(dae_solver *s, int failures);
/* after an accepted step: DAE_E_TOLERANCE when rounding has used up the tolerance */
dae_status dae_drive_spend(dae_solver *s);
double dae_drive_first_step(dae_solver *s, double t_limit, dae_status *status);
double dae_drive_next_step(dae_solver *s, double h, double norm, bool accepted);

/* ---- second.c ---- */
dae_status dae_drive_second_new(dae_solver *s);
void dae_drive_second_free(dae_second *w);
dae_solver *dae_drive_second_solver(const dae_second *w);

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
dae_status dae_drive_bvp_audit(const dae_problem *p, const dae_settings *o, dae_solution *s,
                               dae_status status, dae_report *report);

/* ---- watchdog.c ---- */
dae_status dae_drive_watchdog_new(dae_solver *s);
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
/* the same, once they are asked for; s itself, may be NULL */
dae_solver *dae_drive_shown(dae_solver *s);

#endif
