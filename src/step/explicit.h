/* explicit Runge-Kutta tableaus and the engine that runs them */
#ifndef DAE_STEP_EXPLICIT_H
#define DAE_STEP_EXPLICIT_H

#include "step/step.h"

typedef struct dae_explicit_tableau {
  dae_method method;
  const double *c;  /* stages */
  const double *a;  /* rows 1, 2, .. of the strictly lower triangle, one after the other */
  const double *b;  /* weights; NULL: those of the last row of a (first same as last) */
  const double *e;  /* weights of the error estimate; NULL: none */
  const double *e3; /* a second, cruder one that guards the first (dop853); NULL: none */
  int extra;        /* stages that only the dense output needs */
  const double *c_extra, *a_extra; /* their nodes and full rows, each of stages + its number */
  /* weights w_i(theta) with z(theta) = z_0 + h sum w_i k_i; NULL: cubic Hermite */
  void (*dense)(double theta, double *weight);
} dae_explicit_tableau;

extern const dae_explicit_tableau dae_step_euler, dae_step_midpoint, dae_step_heun, dae_step_rk4,
    dae_step_wave4, dae_step_dopri5, dae_step_dop853;

/* NULL: the method is none of them */
const dae_explicit_tableau *dae_step_explicit_find(const dae_method *m);

#endif
