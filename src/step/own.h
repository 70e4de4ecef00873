/* Runge-Kutta methods of the user (daedal/extend.h) */
#ifndef DAE_STEP_OWN_H
#define DAE_STEP_OWN_H

#include "step/explicit.h"
#include "step/tableau.h"
#include <daedal/extend.h>

/* an implicit one: the method is the first member, as it is of an explicit tableau */
typedef struct dae_own_irk {
  dae_method method;
  dae_rk_tableau t;
} dae_own_irk;

/* a method in the pool; DAE_E_INPUT with a sentence when it breaks a condition of its order */
dae_status dae_step_own(const dae_own_method *u, dae_pool *pool, const dae_method **out,
                        char *message, int size);

#endif
