/* stiffness: explicit or implicit, while a run of "auto" goes on (see stiffness.c) */
#ifndef DAE_STIFFNESS_H
#define DAE_STIFFNESS_H

#include "step/step.h"

/* a few steps of an implicit method where explicit ones are short for no reason that a rate tells
   (see trial.c) */
typedef struct dae_trial {
  int odd, needed; /* tests in a row that wonder why, and how many it takes */
  long rest;       /* and no trial before so many steps */
  bool due, on;
  bool paid;                            /* the implicit method goes on because of it */
  double seen;                          /* size of the explicit step at the last test */
  double h;                             /* of the explicit steps before it */
  double price;                         /* of its steps, as counted */
  long counted, newton, factorizations; /* steps and counts when counting began; < 0: not yet */
} dae_trial;

/* operations of an explicit step, of an iteration and of new matrices of an implicit one */
typedef struct dae_step_cost {
  double step, iteration, matrices;
} dae_step_cost;

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
  double price;    /* of an implicit step, in explicit ones, as foreseen */
  dae_step_cost cost;
  dae_trial trial;
} dae_stiffness;

/* the present point, after a step of size h > 0 that was bounded by nothing but its error */
typedef struct dae_step_seen {
  double t, h;
  double next, left; /* the size that is proposed for the next step; time to the end of the run */
  long steps;        /* so far */
  const double *z, *dz, *weight;
  double tolerance;        /* of the step */
  bool implicit;           /* the method that has taken it */
  const dae_stepper *own;  /* its counts */
  const dae_method *other; /* the one that stands by */
  dae_stepper *ode;        /* the explicit one of both, whose view is evaluated */
  /* does the system, as evaluated last, say nothing about rates? */
  bool (*blind)(const void *ctx);
  const void *ctx;
} dae_step_seen;

/* ---- trial.c ---- */
void dae_choose_trial_start(dae_trial *w);
void dae_choose_trial_forget(dae_trial *w);
/* after an explicit step where the solution changes at a rate: is it odd? Sets due */
void dae_choose_trial_wonders(dae_stiffness *w, const dae_step_seen *at, double rate);
/* the implicit method takes over after explicit steps of size h; it has gone again after so many
   steps */
void dae_choose_trial_begin(dae_trial *w, double h);
void dae_choose_trial_failed(dae_stiffness *w, long steps);
/* after each of its steps: is the trial over, and lost? */
bool dae_choose_trial_lost(dae_stiffness *w, const dae_step_seen *at);
/* do steps of this size cost less than the explicit ones did? */
bool dae_choose_trial_pays(const dae_trial *w, double h);

/* ---- stiffness.c ---- */
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
