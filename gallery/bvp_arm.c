/*
 * bvp-arm: driven-arm with th1 given at both ends (nonlinear, mass matrix, index 3).
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};

static dae_problem *open_bvp_arm(const double *par) {
  return gallery_bvp(&gallery_bvp_arm, gallery_driven_arm.open(par), gallery_driven_arm.close,
                     (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_arm = {
    "bvp-arm",
    "driven two-link arm, th1 given at both ends",
    "constructed, with values at both ends",
    0,
    NULL,
    open_bvp_arm,
    gallery_bvp_free,
};
