/* the guard's state, shared by the files of passage */
#ifndef DAE_PASSAGE_GUARD_H
#define DAE_PASSAGE_GUARD_H

#include "passage/passage.h"

/* the last point far from rank loss, and a crossing since: see witness.c */
typedef struct dae_testimony {
  dae_witness *witness; /* NULL: nobody can be asked */
  void *ctx;
  double t, *z, *end;
  bool pending; /* a crossing was accepted, and the constraints have not recovered since */
} dae_testimony;

struct dae_guard {
  const dae_system *sys;
  dae_point *point; /* of the run: that of the views */
  dae_stabilizer *nearest;
  const double *y;
  dae_guard_run run;
  dae_view *view; /* of the present way */
  dae_stepper *step;
  int now;
  bool crosses;  /* it passes singular positions */
  bool stand_by; /* or there is another that does */
  dae_attempt at;

  /* watching: smallest singular values, of rows that are scaled by their lengths */
  bool watch;
  double most;       /* the largest of the run, its own scale */
  double end;        /* at the end of the last step */
  double before;     /* of the step before, where points are few */
  dae_watch sampled; /* points of the last step, where the method has few */
  bool falling;      /* at the end of the last step */
  int steerings;     /* retries in this step */
  int small_steps;   /* in a row, near a singular position */
  bool leaving;      /* the present step begins on a singular position */
  double *z_work, *u_work;

  /* passages */
  double passed_t; /* the last one, also one that the run started on; NaN: none */
  double risen;    /* the largest smallest singular value since then; INFINITY: none was passed */
  double crossing; /* the one that was handed over for; NaN: not known */
  double smallest, t_smallest, rounding;
  long passed;
  dae_passage *passage;
  dae_testimony testimony;

  /* G with scaled rows, its singular values, the lengths of its rows: see influence.c; NULL where K
     is G' */
  double *rows, *sigma, *lengths, *product, *column;
  int *pivot;
  int sign;           /* of det G K at the last point that was looked at; 0: none yet */
  double before_sign; /* the smallest singular value at the end of the step before */
  bool influence;     /* why the run ends: a multiplier loses its influence */

  /* limits: see limit.c */
  double *limit;    /* z, x^(m), y, then room for them */
  double *limit_dz; /* the tangent */
  double limited_t; /* where the last slope was one; NaN: nowhere */
};

/* ---- influence.c ---- */
dae_status dae_passage_influence_new(dae_guard *g, dae_pool *pool);
/* does G keep its rank at t, inside the step just taken, where [M K; G 0] has lost its own? */
bool dae_passage_influence_lost(dae_guard *g, double t);
/* has the sign of det G K changed in the step just taken without a loss of rank of G? Where, or
   NaN. Once a step */
double dae_passage_influence_turned(dae_guard *g);

/* the error relative to the size of the unknowns that the tolerance stands for, at the stepper's
   point */
static inline double dae_passage_tolerance(const dae_guard *g) {
  return dae_step_tolerance(g->step, g->run.rtol, g->run.atol, g->run.atols);
}

/* ---- steer.c ---- */
/* the points of a step from t0 of size h in the order of time, in units of h; *least is the index
   of the smallest value. Returns how many */
int dae_passage_points(const dae_watch *seen, double t0, double h, double *t, double *w,
                       int *least);
/* where w vanishes if it is s |x - x*| on both sides of its smallest value, in units of the step:
   negative before it, INFINITY when w does not change like that */
double dae_passage_vertex(int n, const double *t, const double *w, int least);
/* no point of the attempt is low beside the first, nor for the run: neither to steer nor near */
bool dae_passage_calm(const dae_guard *g);
/* a better size for the step just attempted, so that a singular position falls between its points;
   the same size when none is near */
double dae_passage_steer(const dae_guard *g, double h);
/* is one crossed in the step just attempted, or soon after? */
bool dae_passage_ahead(const dae_guard *g, double h);
/* many steps far below the length of the run while the constraints are nearly singular: nothing
   moves on */
bool dae_passage_stuck(dae_guard *g, double h);
/* the error that rounding makes in the step from t0 of size h across a singular position, relative;
   0 when none is crossed */
double dae_passage_rounding_in(const dae_guard *g, double t0, double h);

/* ---- crossing.c ---- */
/* *crossed: a singular position inside the step that the method has just accepted, if the way does
   not pass it; else NaN, and those that were passed are on record */
dae_status dae_passage_crossing(dae_guard *g, double share, double *crossed);

/* ---- witness.c ---- */
/* the present point is where it starts from; the same if it is far from rank loss */
void dae_passage_witness_start(dae_guard *g, double t, const double *z);
void dae_passage_witness_keep(dae_guard *g, double t, const double *z);
/* has a crossing been accepted, and have the constraints recovered in the last step? */
bool dae_passage_witness_due(const dae_guard *g);
/* does a method that passes come to (t,z) too? */
bool dae_passage_witness_agrees(dae_guard *g, double t, const double *z);

/* ---- limit.c ---- */
dae_status dae_passage_limit_new(dae_guard *g, dae_pool *pool);
/* a way of the run gets what it calls there */
void dae_passage_hook(dae_guard *g, dae_view *view, dae_stepper *step);
/* near a singular position: stages are brought to the constraints, and the slope of a point on the
   position is a limit */
void dae_passage_set_near(dae_guard *g, bool near);

#endif
