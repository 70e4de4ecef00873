/*
 * bvp-pendulum: driven-pendulum with p1 given at both ends (nonlinear, index 3).
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"gravity", 2, "gravity", 0, 1e3, false},
};

static dae_problem *open_bvp_pendulum(const double *par) {
  return gallery_bvp(&gallery_bvp_pendulum, gallery_driven_pendulum.open(par),
                     gallery_driven_pendulum.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_pendulum = {
    "bvp-pendulum",
    "driven pendulum, p1 given at both ends",
    "constructed, with values at both ends",
    1,
    parameters,
    open_bvp_pendulum,
    gallery_bvp_free,
};
