/*
 * bvp-linear-index3: linear-index3 with p1 given at both ends (index 3).
 * Both conditions and the closure g = g' = 0 at the left make four.
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"nu", 10, "large: M^-1 G' and G' are almost orthogonal", 1, 1e9, false},
    {"alpha", 1, "1: stiff reduced equation, 2: not stiff, 0: no damping", 0, 0, false},
};

static dae_problem *open_bvp_linear_index3(const double *par) {
  return gallery_bvp(&gallery_bvp_linear_index3, gallery_linear_index3.open(par),
                     gallery_linear_index3.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_linear_index3 = {
    "bvp-linear-index3",
    "linear index 3, p1 given at both ends",
    "Ascher, Petzold 1992, Example 4.1, with values at both ends",
    2,
    parameters,
    open_bvp_linear_index3,
    gallery_bvp_free,
};
