/* going away: functions of the point that a system has */
#ifndef DAE_OLD_H
#define DAE_OLD_H

#define OLD(name, args, call)                        \
  static inline dae_status dae_problem_##name args { \
    dae_point *p = s->point;                         \
    dae_point_at(p, t, z);                           \
    return call;                                     \
  }
OLD(force, (dae_system * s, double t, const double *z, const double *y, double *f),
    dae_point_force(p, y, f))
OLD(level, (dae_system * s, double t, const double *z, int level, double *r),
    dae_point_level(p, level, r))
OLD(invariants, (dae_system * s, double t, const double *z, double *h), dae_point_invariants(p, h))
OLD(gradient, (dae_system * s, double t, const double *z), dae_point_gradient(p))
OLD(level_z, (dae_system * s, double t, const double *z, int level, double *r),
    dae_point_level_z(p, level, r))
OLD(invariants_z, (dae_system * s, double t, const double *z, double *h),
    dae_point_invariants_z(p, h))
OLD(level_t, (dae_system * s, double t, const double *z, int level, double *r),
    dae_point_level_t(p, level, r))
OLD(curvature, (dae_system * s, double t, const double *z, double *c), dae_point_curvature(p, c))
OLD(mass, (dae_system * s, double t, const double *z), dae_point_mass(p))
OLD(multiplier_matrix, (dae_system * s, double t, const double *z, const double *y),
    dae_point_multipliers(p, y))
OLD(kkt, (dae_system * s, double t, const double *z, const double *y), dae_point_factor(p, y))
OLD(accelerate, (dae_system * s, double t, const double *z, double *a, double *y),
    dae_point_accelerate(p, a, y))
OLD(row_scale, (dae_system * s, double t, const double *z), dae_point_row_scale(p))
OLD(dynamics,
    (dae_system * s, double t, const double *z, const double *a, const double *y, double *r),
    dae_point_dynamics(p, a, y, r))
OLD(dynamics_z,
    (dae_system * s, double t, const double *z, const double *a, const double *y, double *r),
    dae_point_dynamics_z(p, a, y, r))
OLD(direction_block,
    (dae_system * s, const dae_direction_choice *d, double t, const double *z, double *D),
    dae_point_direction_block(p, d, D))
OLD(direction,
    (dae_system * s, const dae_direction_choice *d, double t, const double *z, double *D),
    dae_point_direction(p, d, D))

#endif
