/* half-explicit Runge-Kutta tableaus and the step that runs them */
#ifndef DAE_STEP_HERK_H
#define DAE_STEP_HERK_H

#include "step/step.h"

enum { DAE_HERK_STAGES = 6 };

/*
 * Stage i: Z_i = z + h sum_{j<i} a_ij k_j, and y_i such that the constraints hold at
 *   z + h sum_{j<=i} r_ij k_j,   time t + s_i h.
 * Classical methods (2001, (2.8)-(2.10)) have r_i = a_{i+1} and r_s = b; in partitioned ones (Murua
 * 1997; Arnold and Murua 1998) the two differ. The last row of r is b.
 */
typedef struct dae_herk_tableau {
  int stages;
  bool known_first; /* k_1 is the derivative at the start with its consistent multipliers */
  double c[DAE_HERK_STAGES], a[DAE_HERK_STAGES][DAE_HERK_STAGES];
  double s[DAE_HERK_STAGES], r[DAE_HERK_STAGES][DAE_HERK_STAGES];
  /* error = h (first k_start + sum error_i k_i + last k_end), k_start and k_end with consistent
     multipliers */
  double first, error[DAE_HERK_STAGES], last;
} dae_herk_tableau;

/* the tableau of herk2 .. herk5 */
void dae_step_herk_tableau(dae_herk_tableau *t, int order);

#endif
