/*
 * passage: singular positions, isolated points where the constraints lose rank.
 *
 * A guard watches the steps of a run. The loop shows it what it is about to do and what came of it,
 * and is told to accept, to retry with another size, or to hand over to a method that passes; the
 * guard itself changes nothing but the hooks by which stages near a position are projected and
 * slopes on it are limits (dae_stepper.fix, dae_view.limit).
 */
#ifndef DAE_PASSAGE_H
#define DAE_PASSAGE_H

#include "stabilize/stabilize.h"
#include "step/step.h"
#include <daedal/solver.h>

typedef struct dae_guard dae_guard;

/* ---- making it ---- */
/* y: the multipliers at the present point of the run, guesses for those beside it; nearest: the
   least change onto the constraints */
dae_status dae_passage_new(dae_guard **out, dae_pool *pool, dae_point *point,
                           dae_stabilizer *nearest, const double *y);

/* does this way pass singular positions? */
bool dae_passage_crosses(const dae_view *view, const dae_stepper *step);

/* how the run goes on: what the options ask for. The first way is the one to begin with; the second
   may be missing */
typedef struct dae_guard_run {
  dae_view *view[2];
  dae_stepper *step[2];
  bool off;         /* singular positions are none of its business */
  bool fixed_steps; /* no error control */
  bool alone;       /* and no stabilization: they run off the constraints on purpose */
  bool own_y;       /* the method regularizes: it does not see singular positions */
  bool for_passage; /* the second way is for singular positions only */
  double rtol, atol;
  const double *atols; /* of each entry of z; NULL: atol for all */
  dae_log log;
} dae_guard_run;
dae_status dae_passage_run(dae_guard *g, dae_pool *pool, const dae_guard_run *run);
/* the way from here on: 0 or 1 */
void dae_passage_take(dae_guard *g, int way);

/* the motion from (t0,z0) to t1 by a method that passes, into z1; false where there is none */
typedef bool dae_witness(void *ctx, double t0, const double *z0, double t1, double *z1);
/* would one be asked, where neither way passes singular positions? */
bool dae_passage_wants_witness(const dae_guard *g);
dae_status dae_passage_call_witness(dae_guard *g, dae_pool *pool, dae_witness *witness, void *ctx);

/* ---- the start ---- */
/* nothing is known */
void dae_passage_reset(dae_guard *g);
typedef enum dae_position {
  DAE_REGULAR,
  DAE_SINGULAR_PASSING, /* the constraints have lost rank for the moment, or nearly so */
  DAE_SINGULAR_AT_REST  /* and no velocity says where the motion goes on */
} dae_position;
/* which of them (t,z) is; where it is not regular a consistent point of the motion beside it, valid
   until the next call */
dae_position dae_passage_position(dae_guard *g, double t, const double *z, double *t_beside,
                                  const double **z_beside);
/* are singular positions looked for? */
bool dae_passage_watches(const dae_guard *g);

/* z, x^(m) and the finite part of y as limits at a singular position, valid until the next call;
   the error is relative */
typedef struct dae_limit {
  const double *z, *a, *y;
  double error;
  double here; /* the smallest singular value, as far as it can be told */
  bool exists; /* and is good enough to go on from */
  bool needed; /* nothing else can be computed there */
} dae_limit;
/* at a singular position near (t,z), where the point of the run is factored */
dae_status dae_passage_limit(dae_guard *g, double t, const double *z, dae_limit *out);
/* the run starts on it: the slope at t is the limit */
void dae_passage_start_on(dae_guard *g, double t, double here);

/* where the run starts, consistent and factored */
void dae_passage_start(dae_guard *g, double t);
/* the first step can begin from z */
void dae_passage_started(dae_guard *g, double t, const double *z);

/* ---- a step ---- */
/* where it begins, in the problem's variables, and how far it may go */
typedef struct dae_attempt {
  double t;
  const double *z, *dz;
  double stop;
  double span; /* length of the run */
} dae_attempt;

typedef enum dae_verdict_kind {
  DAE_VERDICT_ACCEPT,    /* nothing is against it */
  DAE_VERDICT_RETRY,     /* with size h, from the same point */
  DAE_VERDICT_HAND_OVER, /* to the way that passes the singular position near t */
  DAE_VERDICT_HAND_BACK, /* to the way that was asked for: it lies behind */
  DAE_VERDICT_END        /* there is no way past t */
} dae_verdict_kind;

typedef struct dae_verdict {
  dae_verdict_kind kind;
  double h, t;
} dae_verdict;

/* before the first attempt of a step; z and dz must stay until it is settled */
void dae_passage_begin(dae_guard *g, const dae_attempt *at);
/* the method has attempted a step of size h: ACCEPT or RETRY */
dae_verdict dae_passage_attempted(dae_guard *g, double h);
/* the attempt failed, or its error was too large: what it has shown does not count */
void dae_passage_rejected(dae_guard *g);
/* the error that rounding makes in the attempt across a singular position, relative; 0: none is
   crossed */
double dae_passage_rounding(const dae_guard *g);
/* what rounding leaves of a correction onto the constraints at the present point, relative */
double dae_passage_left(const dae_guard *g);
/* the method has accepted; looks for singular positions inside, before the end of the step becomes
   the present point. Those that were passed are counted: ACCEPT, HAND_OVER, END. share: part of the
   tolerance that the step could use */
dae_status dae_passage_accepted(dae_guard *g, double share, dae_verdict *verdict);
/* (t,z) is the present point, and factored: the scales are those of it */
void dae_passage_settled(dae_guard *g, double t, const double *z);
/* what follows from that for the next step, after one of size h > 0: ACCEPT, HAND_OVER, HAND_BACK,
   END */
dae_verdict dae_passage_after(dae_guard *g, double h);
/* steps fail at the present point, maybe for good. Where a singular position is the reason:
   HAND_OVER, or END where it is for good; else ACCEPT */
dae_verdict dae_passage_failed(dae_guard *g, bool for_good);
/* are the constraints close to rank loss at the present point? Factors there: for failures, not for
   every step */
bool dae_passage_at_rank_loss(dae_guard *g);
/* the way that passes has been taken at the present point z, as the verdict said: brings z to the
   constraints */
void dae_passage_hand_over(dae_guard *g, dae_verdict verdict, double *z);

/* why a run ends that was refused */
typedef enum dae_end_reason {
  DAE_END_BRANCH,   /* there is no smooth way on */
  DAE_END_OFF,      /* passage is off */
  DAE_END_METHOD,   /* the method does not pass singular positions */
  DAE_END_INFLUENCE /* the constraints keep their rank, the multipliers lose their influence */
} dae_end_reason;
dae_end_reason dae_passage_end_reason(const dae_guard *g);

/* ---- what it knows ---- */
/* stages are projected: a singular position is near */
bool dae_passage_near(const dae_guard *g);
/* the point of the run, as factored last, is too near rank loss to tell rates of the motion */
bool dae_passage_blinds(const dae_guard *g);
/* what rounding leaves of a slope at the present point, relative: no step near a singular position
   can be asked for less; 0 far from it */
double dae_passage_noise(const dae_guard *g);
/* are slope and multipliers at t limits? */
bool dae_passage_limited(const dae_guard *g, double t);
/* smallest singular value since the start and where; passages; the most that rounding may have left
   of one, relative */
typedef struct dae_passage_record {
  double smallest, t_smallest, rounding;
  long passed;
  const dae_passage *list; /* the first DAE_PASSAGE_MAX; NULL: there are no multipliers */
} dae_passage_record;
dae_passage_record dae_passage_known(const dae_guard *g);

/* ---- in place of what cannot be computed on a singular position ---- */
/* dae_point_accelerate, and the correction by a stabilizer after a step or the projection by the
   nearest one; on a singular position the limits of what they give beside it */
dae_status dae_passage_accelerate(dae_guard *g, double t, const double *z, double *a, double *y);
dae_status dae_passage_onto(dae_guard *g, dae_stabilizer *by, double t, double *z,
                            const dae_point *near);

/* the lengths of the constraints' rows that singular values are measured by: those of accepted
   points. A rejected step may have gone anywhere */
void dae_passage_lengths_keep(dae_guard *g);
void dae_passage_lengths_restore(dae_guard *g);

#endif
