/* what the files of problem share among themselves */
#ifndef DAE_PROBLEM_INSIDE_H
#define DAE_PROBLEM_INSIDE_H

#include "problem/problem.h"

/* the callback contract: 0 ok, > 0 or NaN recoverable, < 0 stop */
dae_status dae_problem_verdict(dae_system *s, int code, const double *result, int n);

/* one level as a dae_vector_fn */
typedef struct dae_level_ctx {
  dae_system *s;
  int level;
} dae_level_ctx;
dae_status dae_problem_level_fn(void *ctx, double t, const double *z, double *out);

/* differences with the system's own scratch, nested calls allowed: J is rows x n */
dae_status dae_problem_differences(dae_system *s, dae_vector_fn fn, void *ctx, int rows, int n,
                                   double t, const double *z, double *J);

/* number of values of a matrix with a pattern, dense when there is none */
int dae_problem_pattern_size(const dae_pattern *pattern, int rows, int cols);

#endif
