/* check_pattern: do the equations of an implicit problem hold what their pattern says that they do
   not? */
#ifndef DAE_CHECK_PATTERN_H
#define DAE_CHECK_PATTERN_H

#include "problem/point.h"

typedef struct dae_pattern_check dae_pattern_check;

/* *out NULL: there is no pattern whose matrices are made by differences */
dae_status dae_problem_pattern_check_new(dae_pattern_check **out, dae_pool *pool,
                                         const dae_system *s);
/* at x with x' = dx. DAE_OK, DAE_STOPPED, or DAE_E_INPUT with the missing entry in the message:
   the equation changes when nothing but that variable does. What cannot be evaluated is no fault */
dae_status dae_problem_pattern_check_run(dae_pattern_check *c, double t, const double *x,
                                         const double *dx, char *message, int size);

#endif
