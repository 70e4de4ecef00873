/* the solver: takes a problem and options, starts consistently, advances, explains itself

   Every function that gets NULL for its solver does nothing and returns DAE_E_INPUT, NULL or NaN.
   Arguments that may be NULL are named; any other that is NULL gives DAE_E_INPUT and a message. */
#ifndef DAEDAL_SOLVER_H
#define DAEDAL_SOLVER_H

#include <daedal/method.h>
#include <daedal/options.h>
#include <daedal/problem.h>

enum { DAE_NAME_MAX = 64, DAE_TEXT_MAX = 256 };

/* Why a call came back as it did. Names are those of the problem. */
typedef struct dae_report {
  dae_status status;
  double t, h;                 /* where, and the step size then */
  long step;                   /* accepted steps so far */
  char equation[DAE_NAME_MAX]; /* the culprit equation or constraint, "" when there is none */
  char variable[DAE_NAME_MAX]; /* the culprit variable, "" when there is none */
  double residual;             /* of that equation */
  /* of the constraint Jacobian, where it matters; rows 0: not known */
  int rank, rows;
  double rcond;                /* reciprocal condition of the constraints, 0 when not known */
  double smallest;             /* smallest singular value of the scaled constraints */
  double drift[DAE_ORDER_MAX]; /* |0 = g|, |d/dt g|, .. at that point */
  /* start: how far the initial values were moved (scaled norm) */
  double moved;
  int event;                  /* DAE_EVENT: which one; else -1 */
  char message[DAE_TEXT_MAX]; /* one sentence */
  char advice[DAE_TEXT_MAX];  /* one more: what to try */
} dae_report;

/* step sizes are counted by powers of two: place i for 2^(i-DAE_SIZE_ONE) <= h < twice that, the
   ends for all beyond */
enum { DAE_ORDERS = 24, DAE_SIZES = 64, DAE_SIZE_ONE = 48 };

/* The audit: the worst residual of an equation over a run, relative to the sizes of its terms. */
typedef struct dae_audit {
  double worst;                /* 0: nothing to check, or option `audit` is off */
  double time;                 /* where */
  char equation[DAE_NAME_MAX]; /* which; "" when worst is 0 */
} dae_audit;

/* Counts since the start; drift is over the accepted points, per level 0 .. m-1. */
typedef struct dae_stats {
  long steps, rejected;
  long evaluations; /* of the right-hand side */
  long constraints; /* of g and its derivatives */
  long jacobians;
  long factorizations, solves;
  long newton;                 /* iterations */
  long stabilizations, sweeps; /* stabilizing corrections; SOR sweeps in them */
  long frozen;                 /* corrections with an older factorization */
  long restarts;               /* of the state-space form, after events, .. */
  /* sequential regularization: iterates in the last step, and at most */
  int iterates, iterates_most;
  long events;
  long switches;             /* between explicit and implicit method, by "auto" */
  long singular_passed;      /* singular positions passed */
  long second_derivatives;   /* evaluations of curvature terms */
  long schur_factorizations; /* of G M^-1 G' or G B */
  double h_first, h_last, h_min, h_max;
  long by_order[DAE_ORDERS]; /* steps by the order of the method in them */
  long by_size[DAE_SIZES];   /* and by their size */
  double drift_max[DAE_ORDER_MAX], drift_last[DAE_ORDER_MAX];
  double smallest; /* singular value of the scaled constraints, least over the run */
  double t_smallest;
  double mu_last, tau_last; /* largest multiplier of the index-2 forms at the last point */
  dae_audit audit;          /* as of the start and of the last time that was asked for */
  long differences;         /* calls of functions that differences made, in place of derivatives */
} dae_stats;

typedef struct dae_solver dae_solver;

/* Do the names, words, lists and tolerances of the options exist, for this problem? DAE_OK, or
   DAE_E_INPUT with a sentence in `message`. dae_solver_new and the like ask the same. */
DAE_API dae_status dae_options_check(const dae_options *o, const dae_problem *p, char *message,
                                     int size);

/*
 * All memory is taken here. On error *out is NULL and `report` (may be NULL) says why. What stands
 * for "auto" follows from the initial values and the interval of the run. Where the problem does
 * not hold them (or others are passed to dae_solver_start and to the first step), another choice
 * may follow: the start or the first step then takes memory for it.
 */
DAE_API dae_status dae_solver_new(dae_solver **out, const dae_problem *p, const dae_options *o,
                                  dae_report *report);
DAE_API void dae_solver_free(dae_solver *s); /* NULL is allowed */

/*
 * Consistent start at t0: the least change (mass norm) of z that satisfies all constraints at all
 * levels, `fixed` entries held, then the multipliers. z (nz) and y (ny) are changed in place;
 * either may be NULL (then the problem's initial values). Nothing moves when z is consistent
 * already. Where f is not affine in y, the y passed is a guess: the start tries y0 (or 0) first.
 */
DAE_API dae_status dae_solver_start(dae_solver *s, double t0, double *z, double *y);

/* One accepted step, not past t_limit (which may be before or after the present time: direction
   follows). */
DAE_API dae_status dae_solver_step(dae_solver *s, double t_limit);

/* Steps until t_stop is reached exactly, or an event or an error comes first. */
DAE_API dae_status dae_solver_advance(dae_solver *s, double t_stop);

/* The end of the run: terminal() of a model is true for an instant. dae_solve does
   it. */
DAE_API dae_status dae_solver_finish(dae_solver *s);

/* The present point. */
DAE_API double dae_solver_time(const dae_solver *s);
DAE_API const double *dae_solver_z(const dae_solver *s);
/* The multipliers there (ny). Where the method has them only nearly they are computed by this call,
   which is why the solver is not const; it changes nothing of the solution. */
DAE_API const double *dae_solver_y(dae_solver *s);
/* z' at the present point (nz), likewise. */
DAE_API const double *dae_solver_dz(dae_solver *s);
/* The time where the last step began. */
DAE_API double dae_solver_previous_time(const dae_solver *s);

/* Dense output at a time within the last step; projected when project_output is set. z, y may be
   NULL. */
DAE_API dae_status dae_solver_eval(dae_solver *s, double t, double *z, double *y);

/* The nearest consistent point (mass norm) of any z at time t, in place; distance (may be NULL)
   says how far. */
DAE_API dae_status dae_solver_project(dae_solver *s, double t, double *z, double *distance);

/* |0 = g|, |d/dt g| .. at any point, m numbers. */
DAE_API dae_status dae_solver_drift(dae_solver *s, double t, const double *z, double *drift);

DAE_API const dae_stats *dae_solver_stats(const dae_solver *s);
DAE_API const dae_report *dae_solver_report(const dae_solver *s);
/* What was chosen for "auto", at present; known for the run from its first step on. */
DAE_API const char *dae_solver_method(const dae_solver *s);
DAE_API const char *dae_solver_form(const dae_solver *s);
DAE_API const char *dae_solver_stabilize(const dae_solver *s);

/* A change of the method in a run of "auto". */
typedef struct dae_switch {
  double t;
  /* methods before and after, and the form that goes with the latter */
  const char *from, *to, *form;
  double h; /* the last step before it; 0: that method could not go on */
  /* the largest rate of the problem there: explicit steps must stay below some 6/rate; that of the
     solution where no other explained short steps and the implicit method was tried; 0: not
     stiffness but a singular position asked for the change */
  double rate;
} dae_switch;

/* The changes since the start; the first DAE_SWITCH_MAX are kept (stats.switches counts all). */
enum { DAE_SWITCH_MAX = 64 };
DAE_API const dae_switch *dae_solver_switches(const dae_solver *s, int *count);

/* An event that was met. */
typedef struct dae_event_hit {
  double t;
  int event; /* index into the problem's events */
} dae_event_hit;

/* The events since the start in the order of time, terminal or not; the first DAE_EVENT_MAX are
   kept (stats.events counts all). */
enum { DAE_EVENT_MAX = 16384 };
DAE_API const dae_event_hit *dae_solver_events(const dae_solver *s, int *count);

/* A singular position that was passed: an isolated point where the constraints lose rank. */
typedef struct dae_passage {
  double t;
  double smallest; /* singular value of the scaled constraints there, on the computed solution */
  /* what the step across may have added to the error, relative; where rounding decides it may be
     more than the tolerance. NaN with fixed steps */
  double accuracy;
} dae_passage;

/* The passages since the start in the order of time; the first DAE_PASSAGE_MAX are kept
   (stats.singular_passed counts all). */
enum { DAE_PASSAGE_MAX = 256 };
DAE_API const dae_passage *dae_solver_passages(const dae_solver *s, int *count);

/* Times that must be hit exactly, finite and increasing (not copied: they must stay valid during
   the run). The equations may have a kink or a jump there: the method restarts at each of them, and
   evaluates the equations from the left before it and from the right after it. */
DAE_API dae_status dae_solver_hit(dae_solver *s, const double *times, int count);

/*
 * Checkpoints: the whole state of a solver between two calls, and back into a solver that
 * dae_solver_new has made for the same problem with the same options (max_steps may differ). The
 * restored run gives the same bits as one that was never interrupted: steps, history of the method,
 * events, statistics, dense output of the last step. Times to hit are set before. Data of the
 * callbacks are not part of it.
 *
 * save: *size is the room in `buffer` and becomes the size of the checkpoint; buffer NULL: only
 * that. The file is replaced as a whole or stays as it was. DAE_E_FORM with an own linear solver.
 * restore: DAE_E_INPUT with the reason for what is damaged, cut off, of another version of the
 * library, another kind of machine, or another run; the solver then has the point that it had, or
 * must be started. DAE_E_IO: the file cannot be read or written.
 */
DAE_API dae_status dae_solver_save(dae_solver *s, void *buffer, size_t *size);
DAE_API dae_status dae_solver_restore(dae_solver *s, const void *bytes, size_t size);
DAE_API dae_status dae_solver_save_file(dae_solver *s, const char *path);
DAE_API dae_status dae_solver_restore_file(dae_solver *s, const char *path);

/* The one-call version: start at t0, advance to t1. z and y in place; report and stats may be
   NULL. On failure z and y are those of the last good point; y is NaN when there was none. */
DAE_API dae_status dae_solve(const dae_problem *p, const dae_options *o, double t0, double t1,
                             double *z, double *y, dae_report *report, dae_stats *stats);

/* The same functions with the sizes of the caller's structs (daedal/problem.h); interval
   is t0, t1. */
DAE_API dae_status dae_options_check_sized(const dae_sizes *sizes, const dae_options *o,
                                           const dae_problem *p, char *message, int size);
DAE_API dae_status dae_solver_new_sized(const dae_sizes *sizes, dae_solver **out,
                                        const dae_problem *p, const dae_options *o,
                                        dae_report *report);
DAE_API dae_status dae_solve_sized(const dae_sizes *sizes, const dae_problem *p,
                                   const dae_options *o, const double *interval, double *z,
                                   double *y, dae_report *report, dae_stats *stats);

#ifndef DAEDAL_BUILD
static inline dae_status dae_options_check_here(const dae_options *o, const dae_problem *p,
                                                char *message, int size) {
  dae_sizes sizes = dae_sizes_here(0, 0, 0, 0);
  return dae_options_check_sized(&sizes, o, p, message, size);
}
static inline dae_status dae_solver_new_here(dae_solver **out, const dae_problem *p,
                                             const dae_options *o, dae_report *report) {
  dae_sizes sizes = dae_sizes_here(0, sizeof(dae_report), 0, 0);
  return dae_solver_new_sized(&sizes, out, p, o, report);
}
static inline dae_status dae_solve_here(const dae_problem *p, const dae_options *o, double t0,
                                        double t1, double *z, double *y, dae_report *report,
                                        dae_stats *stats) {
  dae_sizes sizes = dae_sizes_here(0, sizeof(dae_report), sizeof(dae_stats), 0);
  double interval[2];
  interval[0] = t0;
  interval[1] = t1;
  return dae_solve_sized(&sizes, p, o, interval, z, y, report, stats);
}
#define dae_options_check dae_options_check_here
#define dae_solver_new dae_solver_new_here
#define dae_solve dae_solve_here
#endif

#endif
