/*
 * bvp-linear-order3: linear-order3 with x1(0), x1'(0), x1(1) given (order 3, index 4).
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {2, false}, {0, true}};
static const gallery_parameter parameters[] = {
    {"nu", 2, "B = (nu(2-t), nu-1)", 0, 1e9, false},
};

static dae_problem *open_bvp_linear_order3(const double *par) {
  return gallery_bvp(&gallery_bvp_linear_order3, gallery_linear_order3.open(par),
                     gallery_linear_order3.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_linear_order3 = {
    "bvp-linear-order3",
    "third order, index 4, three values given",
    "constructed, with values at both ends",
    1,
    parameters,
    open_bvp_linear_order3,
    gallery_bvp_free,
};
