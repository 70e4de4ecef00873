/* the index table: every problem of the gallery, in the order of `daedal list` */
#ifndef GALLERY_INDEX_H
#define GALLERY_INDEX_H

#include "gallery.h"

/* X(identifier): gallery/<identifier>.c defines gallery_<identifier> */
#define GALLERY_LIST(X)     \
  X(pendulum)               \
  X(slider_crank)           \
  X(andrews)                \
  X(car_axis)               \
  X(linear_index2)          \
  X(rotating_index2)        \
  X(linear_index3)          \
  X(rotating_index3)        \
  X(cubic_invariant)        \
  X(kepler)                 \
  X(circle_index2)          \
  X(singular_bounded)       \
  X(singular_unbounded)     \
  X(singular_direction)     \
  X(two_link_robot)         \
  X(slider_crank_singular)  \
  X(limit_cycle_sphere)     \
  X(limit_cycle_paraboloid) \
  X(phase_lock_torus)       \
  X(gradient_flow)          \
  X(linear_order3)          \
  X(driven_pendulum)        \
  X(driven_arm)             \
  X(driven_sphere)

#define GALLERY_DECLARE(identifier) extern const gallery_entry gallery_##identifier;
GALLERY_LIST(GALLERY_DECLARE)
#undef GALLERY_DECLARE

#endif
