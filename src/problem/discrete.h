/*
 * discrete: what a model as text has beside its equations. Switching functions are continuous
 * between events; each has a whole number, its sign (-1, 0, 1) or its floor, that is constant
 * between events and is kept by the solver. Where the equations depend on it, it stands in z.
 */
#ifndef DAE_PROBLEM_DISCRETE_H
#define DAE_PROBLEM_DISCRETE_H

#include <stdbool.h>
#include <stddef.h>

/* the number of a switching function whose zero the solution stays on: its value is then positive
   as long as both sides lead back to it */
#define DAE_SLIDING 2

/* why the discrete equations are solved: the consistent start (initial() is true), an event, the
   end of the run (terminal() is true) */
typedef enum dae_moment { DAE_MOMENT_START, DAE_MOMENT_EVENT, DAE_MOMENT_FINISH } dae_moment;

/* is the event an assertion that fails, and is that only reported? Its name begins with this */
#define DAE_ASSERT_PREFIX "assertion failed: "
typedef enum dae_assertion { DAE_ASSERT_NONE, DAE_ASSERT_WARNS, DAE_ASSERT_ENDS } dae_assertion;

/* one round of the event iteration */
typedef struct dae_round {
  dae_moment moment;
  bool settling; /* the instant is over: initial(), sample(..) and their like are false again */
  double t;
  double clock; /* the last instant of the clock that is over; one happens once, whatever else
                   happens within roundings of it */
  const double *before;        /* z before the round: what pre(..) means */
  const double *number_before; /* of the switching functions before the round */
  const double *number;        /* and now */
  double *z;                   /* changed in place */
  const double *y;
  unsigned char *memory; /* of the conditions: n_memory, kept from round to round */
  unsigned char *fired;  /* by event: set for those that happen in this round */
  unsigned char *given;  /* nz flags: set for what a `when` gives a value in this round */
  char culprit[64];      /* what has no solution, when the round fails */
  bool twice;            /* two reinit statements assign it a value */
} dae_round;

typedef struct dae_discrete {
  int n_switch;
  const bool *whole;              /* floor, not sign */
  const int *entry;               /* of z that holds the number, -1: only events use it */
  const int *event;               /* the event that a change is recorded as, -1: none */
  const char *const *switch_name; /* in the words of the text */
  const unsigned char *is_entry;  /* nz flags: what only events change */
  bool nested;                    /* some depend on the numbers of others that are not in z */
  bool remembers;                 /* a change that is taken back at once leaves traces: when, pre */
  bool needs_y;                   /* switching functions depend on y */
  int n_memory;
  int (*switches)(double t, const double *z, const double *y, const double *number, double *value,
                  void *ctx);
  /* the next instant after t (before t when direction < 0) at which something happens by the clock;
     +-infinity when there is none */
  double (*next)(double t, int direction, void *ctx);
  /* about how many of them lie between t and stop, 0 where the model may end the run before;
     infinity where they cannot be told apart */
  double (*count)(double t, double stop, void *ctx);
  /* is t such an instant? */
  bool (*due)(double t, void *ctx);
  int (*round)(dae_round *now, void *ctx);
  /* where the constraints do not hold with the states as they are: z after an instant from z before
     it, so that all equations are satisfied across the jump. 0, or another number with the name of
     an equation that cannot be. NULL: no state jumps but by reinit */
  int (*jump)(double t, const double *before, double *z, char *culprit, size_t size, void *ctx);
  /* may the solution slide along the zero of each? NULL: of none. rates: of function k when the
     equations are those of either side, + first */
  const bool *slides;
  int (*rates)(double t, const double *z, int k, double rate[2], void *ctx);
  const dae_assertion *assertion; /* by event */
} dae_discrete;

#endif
