/*
 * bvp-sphere: driven-sphere with u1 given at both ends (f quadratic in y, index 2).
 */
#include "bvp.h"

static const gallery_end ends[] = {{0, false}, {0, true}};

static dae_problem *open_bvp_sphere(const double *par) {
  return gallery_bvp(&gallery_bvp_sphere, gallery_driven_sphere.open(par),
                     gallery_driven_sphere.close, (int)(sizeof ends / sizeof *ends), ends);
}

const gallery_entry gallery_bvp_sphere = {
    "bvp-sphere",
    "path on the sphere, u1 given at both ends",
    "constructed, with values at both ends",
    0,
    NULL,
    open_bvp_sphere,
    gallery_bvp_free,
};
