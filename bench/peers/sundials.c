/* what the solvers of SUNDIALS share */
#include "sundials.h"

#include <math.h>

enum { NORMAL = 1, ONE_STEP = 2, STOP_TIME = 1 };

int sundials_rhs(realtype t, N_Vector z, N_Vector dz, void *data) {
  return reduced_rhs(data, t, NV_DATA_S(z), NV_DATA_S(dz));
}

void sundials_silent(int code, const char *module, const char *function, char *message,
                     void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

int sundials_evolve(int (*advance)(void *, realtype, N_Vector, realtype *, int), void *memory,
                    const dae_problem *p, N_Vector z, bool watch, double *drift) {
  realtype t = p->t0;
  if (!watch) return advance(memory, p->t1, z, &t, NORMAL);
  *drift = 0;
  for (long step = 0; step < PEER_STEP_LIMIT; step++) {
    int flag = advance(memory, p->t1, z, &t, ONE_STEP);
    if (flag < 0) return flag;
    *drift = fmax(*drift, reduced_drift(p, t, NV_DATA_S(z)));
    if (flag == STOP_TIME || t >= p->t1) return flag;
  }
  return -1;
}
