/* stiffness: explicit or implicit, while a run of "auto" goes on (see stiffness.c) */
#ifndef DAE_STIFFNESS_H
#define DAE_STIFFNESS_H

#include "step/step.h"

typedef struct dae_stiffness {
  int nz;
  double *v, *f, *f_try, *z_try; /* vector of the power iteration, scratch */
  double *before;                /* z' of the step before a test */
  int wait;                      /* steps to the next test */
  int seen, needed;              /* tests in a row for a change, and how many it takes */
  bool due;                      /* the next step is to be taken by the other method */
  double rate, h;                /* of the last test */
  /* the phase since the last change: where it began, after how many steps, and how long the steps
     of the other method had been (0: not known) */
  double t_since, h_other;
  long since;
  bool returned;   /* the change before it did not pay */
  bool on_trial;   /* whether the change pays is still to be seen */
  double t_refuge; /* where the other method was taken because one could not go on; NAN: nowhere */
  double price;    /* of an implicit step, in explicit ones */
} dae_stiffness;

/* the present point, after a step of size h > 0 that was bounded by nothing but its error */
typedef struct dae_step_seen {
  double t, h;
  long steps; /* so far */
  const double *z, *dz, *weight;
  double tolerance;        /* of the step */
  bool implicit;           /* the method that has taken it */
  const dae_method *other; /* the one that stands by */
  dae_stepper *ode;        /* the explicit one of both, whose view is evaluated */
  /* does the system, as evaluated last, say nothing about rates? */
  bool (*blind)(const void *ctx);
  const void *ctx;
} dae_step_seen;

dae_status dae_choose_stiffness_new(dae_stiffness *w, dae_pool *pool, int nz);
/* nothing is known at time t, but what the methods cost */
void dae_choose_stiffness_start(dae_stiffness *w, double t, const dae_system *sys,
                                const dae_method *implicit, const dae_method *explicit);
/* from time to time a test; sets due */
dae_status dae_choose_stiffness_test(dae_stiffness *w, const dae_step_seen *at);
/* after an event: steps before it, and the first ones after it, say nothing */
void dae_choose_stiffness_event(dae_stiffness *w);
/* the other method goes on at time t, after so many steps; back: it is the explicit one */
void dae_choose_stiffness_changed(dae_stiffness *w, double t, long steps, bool back);
/* and nothing is to be learned from that: its reason was another */
void dae_choose_stiffness_forced(dae_stiffness *w, double t, long steps);
/* or its reason was that the method could not go on: it shall not come back soon */
void dae_choose_stiffness_failed(dae_stiffness *w, double t, long steps);

#endif
