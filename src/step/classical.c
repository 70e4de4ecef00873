/* the classical fixed-step methods: euler, midpoint, heun, rk4 */
#include <math.h>

#include "step/explicit.h"

static const double one[] = {1};
static const double zero[] = {0};

const dae_explicit_tableau dae_step_euler = {
    .method = {.name = "euler", .order = 1, .order_y = 1, .stage_order = 1, .stages = 1,
               .r_infinity = NAN, .view = DAE_VIEW_ODE,
               .when = "to compare with; first-order experiments"},
    .c = zero, .a = zero, .b = one};

static const double midpoint_c[] = {0, 0.5}, midpoint_a[] = {0.5}, midpoint_b[] = {0, 1};

const dae_explicit_tableau dae_step_midpoint = {
    .method = {.name = "midpoint", .order = 2, .order_y = 2, .stage_order = 1, .stages = 2,
               .r_infinity = NAN, .view = DAE_VIEW_ODE,
               .when = "explicit midpoint rule, fixed steps"},
    .c = midpoint_c, .a = midpoint_a, .b = midpoint_b};

static const double heun_c[] = {0, 1}, heun_a[] = {1}, heun_b[] = {0.5, 0.5};

const dae_explicit_tableau dae_step_heun = {
    .method = {.name = "heun", .order = 2, .order_y = 2, .stage_order = 1, .stages = 2,
               .r_infinity = NAN, .view = DAE_VIEW_ODE,
               .when = "explicit trapezoid; the method of the 1995 tables"},
    .c = heun_c, .a = heun_a, .b = heun_b};

static const double rk4_c[] = {0, 0.5, 0.5, 1}, rk4_a[] = {0.5, 0, 0.5, 0, 0, 1},
                    rk4_b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};

const dae_explicit_tableau dae_step_rk4 = {
    .method = {.name = "rk4", .order = 4, .order_y = 4, .stage_order = 1, .stages = 4,
               .r_infinity = NAN, .view = DAE_VIEW_ODE, .when = "fixed steps of moderate accuracy"},
    .c = rk4_c, .a = rk4_a, .b = rk4_b};
