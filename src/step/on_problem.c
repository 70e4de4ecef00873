/* methods that discretize the order-m problem itself; the layer above runs them */
#include "step/step.h"

#define GAUSS_WHEN "index 2 and 3 and boundary values; projected at mesh points"
#define RADAU_WHEN "stiff initial values of index 2 and 3, order-m problems"
#define GAUSS(k)                                                                                   \
  {                                                                                                \
    .name = "colloc-gauss" #k, .order = 2 * k, .order_y = k, .stage_order = k, .stages = k,        \
    .estimate = k, .implicit = true, .r_infinity = 1, .view = DAE_VIEW_PROBLEM, .when = GAUSS_WHEN \
  }
#define RADAU(k)                                                                                   \
  {                                                                                                \
    .name = "colloc-radau" #k, .order = 2 * k - 1, .order_y = k, .stage_order = k, .stages = k,    \
    .estimate = k, .implicit = true, .r_infinity = 0, .view = DAE_VIEW_PROBLEM, .when = RADAU_WHEN \
  }

const dae_method dae_step_on_problem[DAE_STEP_ON_PROBLEM] = {
    GAUSS(1), GAUSS(2), GAUSS(3), GAUSS(4), GAUSS(5), GAUSS(6), GAUSS(7),
    RADAU(1), RADAU(2), RADAU(3), RADAU(4), RADAU(5), RADAU(6), RADAU(7),
};
