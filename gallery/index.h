/* the index table: every problem of the gallery, in the order of `daedal list` */
#ifndef GALLERY_INDEX_H
#define GALLERY_INDEX_H

#include "gallery.h"

/* X(identifier): gallery/<identifier>.c defines gallery_<identifier> */
#define GALLERY_LIST(X)     \
  X(pendulum)               \
  X(slider_crank)           \
  X(flexible_crank)         \
  X(andrews)                \
  X(car_axis)               \
  X(four_bar)               \
  X(double_slider)          \
  X(strandbeest)            \
  X(stiff_loop)             \
  X(pendulum_chain)         \
  X(rod_net)                \
  X(ring_redundant)         \
  X(charged_particles)      \
  X(bead_bounce)            \
  X(slider_crank_singular)  \
  X(two_link_robot)         \
  X(driven_pendulum)        \
  X(driven_arm)             \
  X(linear_index2)          \
  X(rotating_index2)        \
  X(linear_index3)          \
  X(rotating_index3)        \
  X(linear_order3)          \
  X(circle_index2)          \
  X(singular_bounded)       \
  X(singular_unbounded)     \
  X(singular_direction)     \
  X(limit_cycle_sphere)     \
  X(limit_cycle_paraboloid) \
  X(phase_lock_torus)       \
  X(gradient_flow)          \
  X(driven_sphere)          \
  X(cubic_invariant)        \
  X(kepler)                 \
  X(heavy_top)              \
  X(bvp_linear_index2)      \
  X(bvp_linear_index3)      \
  X(bvp_rotating_index3)    \
  X(bvp_linear_order3)      \
  X(bvp_pendulum)           \
  X(bvp_arm)                \
  X(bvp_sphere)             \
  X(bvp_robot)              \
  X(bvp_control)            \
  X(bvp_layer)              \
  X(bvp_elastica)           \
  X(bvp_eigenvalue)

#define GALLERY_DECLARE(identifier) extern const gallery_entry gallery_##identifier;
GALLERY_LIST(GALLERY_DECLARE)
#undef GALLERY_DECLARE

#endif
