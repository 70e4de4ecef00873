/*
 * bvp-robot: two-point motion of two-link-robot on its line (nonlinear, mass matrix, index 3).
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};

static dae_problem *open_bvp_robot(const double *par) {
  return gallery_bvp(&gallery_bvp_robot, gallery_two_link_robot.open(par),
                     gallery_two_link_robot.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_robot = {
    "bvp-robot",
    "two-link robot on its line, th1 given at both ends",
    "Ascher, Lin 1995, Example 6.4, with values at both ends",
    0,
    NULL,
    open_bvp_robot,
    gallery_bvp_free,
};
