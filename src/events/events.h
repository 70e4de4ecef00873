/*
 * events: functions of the solution are watched, and the instants at which something happens are
 * found on the dense output of a step.
 *
 * There are two kinds of functions: event functions of C (dae_event), whose zeros are events, and
 * switching functions of a model (dae_discrete), each with a number, its sign or its floor.
 *
 * What holds, whatever the problem:
 *  - Before an instant t, at it, after it: a number belongs to the open interval up to t, and the
 *    equations are integrated with it up to t and a little beyond; t is the first instant at which
 *    the function has another number. At t the event iteration runs; after t the new numbers hold.
 *    An event function of C has the sign of its last value that was not zero; t is the first
 *    instant of the other sign.
 *  - Recurrence: right after an instant the solution is looked at so closely that a function which
 *    turns back at once is seen to do so.
 *  - Zero at the start: a switching function that is zero has the number 0, and leaves it when the
 *    solution does: x > 0 with x(0) = 0, x' = 1 turns true right after the start. So does one that
 *    reinit puts back on its zero: when x < 0 then reinit(x, 0) recurs for as long as x falls. All
 *    that leave their zeros at the same time do so in one instant. An event function
 *    of C that starts on its zero has no sign yet and takes the first one it gets: no event.
 *  - Simultaneous: what happens within a few roundings of t is one instant.
 *  - Iteration: rounds with pre(v) = the v of the round before, until nothing changes. Without end:
 *    DAE_E_EVENTS, with the name of what changes.
 *  - The clock: instants t0 + k dt are computed from k and hit exactly.
 *  - Followed: a function that turns faster than the points of a step is looked at in more points,
 *    three of them on no grid, so that periods between the points show; where that is not enough,
 *    the caller is told (DAE_E_EVENTS) and shortens the step.
 *  - The end of a run is an instant like others: what happens at it happens, what would happen
 *    after it does not. terminal() belongs to dae_solver_finish.
 *  - Reverse time: "first" and "after" follow the direction of integration.
 */
#ifndef DAE_EVENTS_H
#define DAE_EVENTS_H

#include "problem/discrete.h"
#include "problem/problem.h"

/* the solution over one step, from t0 to t1 */
typedef struct dae_events_path {
  double t0, t1;
  const double *z1, *y1; /* at t1 */
  /* anywhere inside; y may be NULL */
  dae_status (*inside)(void *ctx, double t, double *z, double *y);
  void *ctx;
} dae_events_path;

enum {
  DAE_EVENTS_PARTS = 4,       /* of a step, each looked at */
  DAE_EVENTS_PARTS_MOST = 64, /* where a function turns faster than that */
  DAE_EVENTS_PROBES = 3,      /* further points that are on no grid */
  DAE_EVENTS_CLOSE = 14,      /* more points after an instant, each 4 times nearer to it */
  DAE_EVENTS_POINTS = DAE_EVENTS_PARTS_MOST + DAE_EVENTS_CLOSE + 1
};

typedef struct dae_events {
  const dae_problem *p;
  const dae_discrete *d; /* NULL: event functions only */
  int functions;         /* event functions of C; after them the switching functions */
  int count;
  double *number; /* of each: sign or floor; 0 of an event function: no sign yet */
  double *least;  /* values this near to their border say nothing about the number */
  double *scale;  /* largest size of each over the last step */
  double *now;    /* values at the present point */
  double *probe[DAE_EVENTS_PROBES]; /* values at the probes */
  double *early;                    /* values a little after the first instant that is known */
  double *value, *z, *y;            /* room */
  unsigned char *left; /* it has left its zero, though its value may not show that yet */
  double *rest;        /* value right after the last instant, where it must turn back; else NaN */
  bool close;          /* the step begins at an instant */
  int points, parts;   /* of the present step */
  double *time;        /* of the points; point 0 is the beginning */
  double *part;        /* values, DAE_EVENTS_POINTS for each function; NaN: not known there */
  double *root, *goal; /* the next instant of each in this step, NaN: none; its number there */
} dae_events;

/* room for the problem's events; *out is NULL when it has none */
dae_status dae_events_new(dae_events **out, dae_pool *pool, const dae_problem *p);
/* numbers at a start; *culprit names the function that fails */
dae_status dae_events_start(dae_events *e, double t, const double *z, const double *y,
                            const char **culprit);
/* all functions at a point; NaN for those that fail, DAE_STOPPED when one asks to stop */
dae_status dae_events_values(dae_events *e, double t, const double *z, const double *y,
                             double *value);
/* the number that a value means */
double dae_events_number(const dae_events *e, int i, double value);
const char *dae_events_name(const dae_events *e, int i);
/* where the number of function i changes: at zero, or, of a floor, at the whole number nearest to
   `value` */
double dae_events_border(const dae_events *e, int i, double value);

/* values of all functions along a step: once a step, before dae_events_next */
dae_status dae_events_sample(dae_events *e, const dae_events_path *path, const char **culprit);
/* the first instant after `from` in this step; NaN when there is none. e->root is within a few
   roundings of it for all functions that belong to it */
dae_status dae_events_next(dae_events *e, const dae_events_path *path, double from, double *t);
/* roundings of the time (of the step where that began at 0) and of what a step adds to functions
   that mean the same: instants closer than this are one */
double dae_events_blur(const dae_events *e, double t);
/* does function i belong to the instant t? */
bool dae_events_at(const dae_events *e, int i, double t);
/* the step is over: numbers at its end. The name of a function that should have turned back right
   after the last instant and has not, NULL when all is well */
const char *dae_events_end(dae_events *e);

/* does the change from a to b count for event function i? */
bool dae_events_wanted(const dae_events *e, int i, double a, double b);

/* ---- locate.c ---- */
/* the first instant of function i in (ta, tb], whose number has changed at tb */
dae_status dae_events_locate(dae_events *e, const dae_events_path *path, int i, double ta,
                             double fa, double tb, double fb, double *root);
/* three points in a row with the same number: does the function reach another one between them?
   *root and *crosses, or NaN */
dae_status dae_events_dip(dae_events *e, const dae_events_path *path, int i, const double *t,
                          const double *f, double *root, bool *crosses);
/* one function inside the step; NaN when it fails there */
dae_status dae_events_value_at(dae_events *e, const dae_events_path *path, int i, double t,
                               double *f);

#endif
