/* solvers of the R package deSolve */
#ifndef BENCH_DESOLVE_H
#define BENCH_DESOLVE_H

#include <stdbool.h>

/* its library is installed */
bool desolve_found(void);

#endif
