/* work-precision pictures */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "peers.h"

/* one small panel for each problem; the same solvers and colours in all pictures */
typedef enum figure_kind {
  FIGURE_TIME,        /* time against achieved error */
  FIGURE_EVALUATIONS, /* evaluations against achieved error */
  FIGURE_DRIFT        /* drift against time */
} figure_kind;

/* false when the file cannot be written; sweeps[n] are those of problem n, in the order of
   `peers` */
bool figure_write(const char *file, figure_kind kind, int problems, const char *const *names,
                  const peer_sweep (*sweeps)[PEERS_MAX]);

#endif
