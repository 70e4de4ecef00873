/*
 * bvp-rotating-index3: rotating-index3 with p1 given at both ends (index 3).
 * With alpha = 1 the initial value problem is unstable, this one is not.
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"nu", 10, "angular speed of the constraint's direction", 0, 1e9, false},
    {"alpha", 1, "coefficient of v; with 1 unstable as an initial value problem", 0, 0, false},
    {"a1", 0, "coefficient of p", 0, 0, false},
};

static dae_problem *open_bvp_rotating_index3(const double *par) {
  return gallery_bvp(&gallery_bvp_rotating_index3, gallery_rotating_index3.open(par),
                     gallery_rotating_index3.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_rotating_index3 = {
    "bvp-rotating-index3",
    "turning constraint, p1 given at both ends",
    "Ascher, Petzold 1992, Example 4.2, with values at both ends",
    3,
    parameters,
    open_bvp_rotating_index3,
    gallery_bvp_free,
};
