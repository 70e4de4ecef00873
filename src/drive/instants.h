/* instants: what drive keeps about events, shared by events.c and rounds.c */
#ifndef DAE_DRIVE_INSTANTS_H
#define DAE_DRIVE_INSTANTS_H

#include "drive/drive.h"
#include "events/events.h"

enum { DAE_ROUNDS = 100 }; /* of the event iteration; more than any chain of a model has */

struct dae_instants {
  dae_events *watch;
  unsigned char *held; /* positions, for the restart after a change */
  dae_event_hit *hits;
  int count;
  double *z_end, *y_end;          /* the end of the step while an instant in it is tried */
  double *before, *number_before; /* z and numbers before a round */
  double *number_first;           /* numbers before the instant */
  unsigned char *memory, *fired, *turned;
  unsigned char *given;  /* states that reinit gives a value in the round */
  unsigned char *reset;  /* functions that depend on a state that reinit gave at this instant */
  double t_last, gap;    /* the last instant, and how long after the one before */
  int crowd;             /* instants in a row without progress */
  double clock;          /* the last instant by the clock that was handled, NaN: none */
  int last;              /* the function that changed last, -1: none */
  unsigned char *due;    /* functions that belong to the instant */
  double *located;       /* the value of a function that has turned, before anything was changed */
  struct dae_jump *jump; /* of a Hessenberg problem with constraints, else NULL: jump.c */
};

/* ---- jump.c ---- */
/* room for jumps along the multipliers */
dae_status dae_drive_jump_new(dae_solver *s);
/* the highest derivatives jump along the multipliers where the constraints ask for it. `before`: z
   before reinit gave values, NULL: nothing did */
dae_status dae_drive_jump(dae_solver *s, const double *before);
/* do the constraints hold below the highest level, and at all levels? Else DAE_E_JUMP */
dae_status dae_drive_jump_lower(dae_solver *s);
dae_status dae_drive_jump_any(dae_solver *s);

/* event i happens now */
void dae_drive_record(dae_solver *s, int i);
/* positions held, velocities along the multipliers (nearest in the mass norm) to consistent ones;
   or what the problem wants held. `before`: see dae_drive_jump */
dae_status dae_drive_after_change(dae_solver *s, const double *before);
/* numbers of the switching functions at the present point, in z too */
dae_status dae_drive_renumber(dae_solver *s);
/* the discrete equations of a model at the present point: rounds until nothing changes; the first
   event that ends the run goes to *terminal, which is -1 before */
dae_status dae_drive_iterate(dae_solver *s, dae_moment moment, int *terminal);
/* has function i turned at this instant, and is it still where it was located? */
bool dae_drive_just_turned(const dae_solver *s, int i);
/* the motion goes on along a switch; false when there is none */
bool dae_drive_slide(dae_solver *s);

#endif
