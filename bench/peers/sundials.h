/* what the solvers of SUNDIALS share */
#ifndef BENCH_SUNDIALS_H
#define BENCH_SUNDIALS_H

#include <nvector/nvector_serial.h>

#include "peers.h"

/* z' of the index-reduced ODE; data is a `reduced` */
int sundials_rhs(realtype t, N_Vector z, N_Vector dz, void *data);
/* failures are counted, not printed */
void sundials_silent(int code, const char *module, const char *function, char *message, void *data);
/* to the end; with `watch` step by step, looking at the drift. ERKStepEvolve and CVode number their
   tasks and returns alike. */
int sundials_evolve(int (*advance)(void *, realtype, N_Vector, realtype *, int), void *memory,
                    const dae_problem *p, N_Vector z, bool watch, double *drift);

#endif
