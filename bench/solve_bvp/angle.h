/* the pendulum and the elastica by an angle: the ODEs that solve_bvp.py gives to SciPy, for ours
   too */
#ifndef BENCH_ANGLE_H
#define BENCH_ANGLE_H

#include "gallery.h"

typedef struct angle_problem {
  dae_problem problem;
  dae_boundary boundary;
  const dae_problem *whole; /* the DAE of the gallery, which has the exact solution */
  double angle[2], end[2];  /* angles and the right end of the rod */
  double force[2], force_guess[2];
  void (*show)(const double *z, double *all); /* the differential variables of the DAE */
} angle_problem;

/* fills p for "bvp-pendulum" or "bvp-elastica"; false for others */
bool angle_fill(angle_problem *p, const dae_problem *whole);

#endif
