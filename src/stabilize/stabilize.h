/*
 * stabilize: corrections that bring a point back to the constraints (1992-stab section 3):
 *   post     z <- z - alpha F(z) h(z)                     (3.9)
 *   forward  z <- phi(z_n) - alpha F(z_n) h(z_n)          (3.4)
 *   backward z <- phi(z_n) - alpha F(z) h(z), implicit    (3.7)
 *   project  z <- phi(z_n) - D lambda with h(z) = 0       (3.10)
 * with F = D (HD)^-1 (1.13) or F = D (1.14) and D one of the directions.
 */
#ifndef DAE_STABILIZE_H
#define DAE_STABILIZE_H

#include "problem/point.h"
#include <daedal/method.h>
#include "problem/settings.h"

typedef struct dae_stabilizer dae_stabilizer;

/* DAE_OK, DAE_E_MEMORY, DAE_E_INPUT or DAE_E_FORM with a sentence. It has a point of its own,
   beside that one */
dae_status dae_stabilize_new(dae_stabilizer **out, dae_point *beside, const dae_settings *o,
                             dae_pool *pool, char *message, int size);
void dae_stabilize_free(dae_stabilizer *s);

/* forgets what is kept from earlier points: a run that starts anew repeats itself to the last
   bit */
void dae_stabilize_start(dae_stabilizer *s);

/* before the step (forward only): remembers F(z_n) h(z_n) */
dae_status dae_stabilize_before(dae_stabilizer *s, double t, const double *z);
/* after the step: corrects z in place. near (may be NULL): a point within the step's error of (t,
   z), whose factors direction `mass` may use as they are */
dae_status dae_stabilize_after(dae_stabilizer *s, double t, double *z, const dae_point *near);

/* projects z onto all levels by Newton's method until the residuals are at ctol; moved (may be
   NULL) gets the scaled distance. Used by project, the start, dense output, events. fixed (may be
   NULL): entries held. */
dae_status dae_stabilize_project(dae_stabilizer *s, double t, double *z, const unsigned char *fixed,
                                 double *moved);

/* largest residual per level right after dae_stabilize_after; judges kept factorizations by it */
dae_status dae_stabilize_left(dae_stabilizer *s, double t, const double *z, double *drift);

/* largest residual per level at any (t,z): order values */
dae_status dae_stabilize_drift(dae_stabilizer *s, double t, const double *z, double *drift);

/* the residuals of all invariants that the last of these two found, nh */
const double *dae_stabilize_residuals(const dae_stabilizer *s);
/* is invariant i projected onto after every step? */
bool dae_stabilize_keeps(const dae_stabilizer *s, int i);

/* the constraint that is violated most after a failure */
void dae_stabilize_culprit(const dae_stabilizer *s, int *row, int *level, double *residual);

/* kind of a line of the public table */
dae_stabilizer_kind dae_stabilize_kind(const dae_choice *c);

typedef struct dae_stabilize_counts {
  long corrections, factorizations, frozen, sweeps;
} dae_stabilize_counts;
const dae_stabilize_counts *dae_stabilize_counted(const dae_stabilizer *s);

#endif
