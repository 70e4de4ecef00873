/* one derivative against differences of its function, without a false accusation: see probe.c */
#ifndef DAE_PROBLEM_PROBE_H
#define DAE_PROBLEM_PROBE_H

#include "base/base.h"
#include <daedal/pattern.h>

/* out := the function where its unknowns have moved by e d */
typedef dae_status (*dae_probe_fn)(void *ctx, double e, const double *d, double *out);

/* a derivative as it was given: dense row-major, or the values of a pattern */
typedef struct dae_probe_matrix {
  int rows, cols;
  const dae_pattern *pattern;
  const double *values;
} dae_probe_matrix;

/* differences of one size for one row */
typedef struct dae_probe_rung {
  bool both, still;           /* defined on both sides; no change on either */
  double central, gap, noise; /* gap: between left and right; noise: what rounding makes */
  double away;                /* of the central one from what was given, and the gap */
  double top;                 /* largest value of the function */
  double nearest;             /* the least distance of any of them from what was given, relative */
} dae_probe_rung;

/* what is known of a row while the sizes fall */
typedef struct dae_probe_trail {
  dae_probe_rung before;
  bool near;             /* some difference was what was given */
  bool moves;            /* the function changes with this unknown */
  bool settled;          /* two successive sizes agreed on `value` */
  double value, earlier; /* earlier: top of the rung before the last */
  double closest;        /* two successive sizes, before that, were so near to what was given */
} dae_probe_trail;

/* scratch for matrices up to rows x cols */
typedef struct dae_probe {
  double *size, *value, *d;            /* cols: typical sizes of the unknowns and their own; work */
  double *room;                        /* rows, free for the function */
  double *base, *plus, *minus, *scale; /* rows */
  unsigned char *suspect;              /* rows */
  dae_probe_trail *trail;              /* rows */
} dae_probe;

/* an entry that is wrong; row -1: none */
typedef struct dae_probe_fault {
  int row, col;
  bool outside; /* of the pattern */
  double given, difference;
} dae_probe_fault;

dae_status dae_problem_probe_new(dae_probe *p, dae_pool *pool, int rows, int cols);
/* DAE_OK, or what the function said at the point itself; p->size must be set */
dae_status dae_problem_probe(dae_probe *p, dae_probe_fn fn, void *ctx, const dae_probe_matrix *a,
                             dae_probe_fault *fault);

#endif
