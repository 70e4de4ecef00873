/* given derivatives against differences: dae_problem_check with memory that is taken before */
#ifndef DAE_PROBLEM_CHECK_H
#define DAE_PROBLEM_CHECK_H

#include "problem/point.h"
#include "problem/probe.h"

typedef struct dae_checker dae_checker;

/* with a point of its own */
dae_status dae_problem_checker_new(dae_checker **out, dae_pool *pool, dae_point *beside);
/* DAE_OK; DAE_E_INPUT with the wrong entry in the message; DAE_E_CALLBACK or DAE_STOPPED where a
   function could not be evaluated and no entry was found wrong. y NULL: any will do. horizon: a
   time over which the solution is of interest, 0: not known */
dae_status dae_problem_checker_run(dae_checker *c, double t, const double *z, const double *y,
                                   double horizon, char *message, int size);

#endif
