/* the stabilized index-2 form for solvers of 0 = F(t, y, y') */
#ifndef BENCH_GGL_H
#define BENCH_GGL_H

#include "peers.h"

typedef struct ggl_form {
  const dae_problem *p;
  int n, rows;
  double alpha; /* of Baumgarte's term, where that is used instead */
  long calls;
  clock_t limit; /* runs that crawl are given up after a second */
  double M[PEER_SIZE_MAX * PEER_SIZE_MAX], G[PEER_SIZE_MAX * PEER_SIZE_MAX];
} ggl_form;

/* d(M a + G'y - f)/dq, df/dv and d(G v + g_t)/dq at z = (q, v); the last where it is asked for */
typedef struct ggl_derivatives {
  double Q[PEER_SIZE_MAX * PEER_SIZE_MAX], V[PEER_SIZE_MAX * PEER_SIZE_MAX];
  double R[PEER_SIZE_MAX * PEER_SIZE_MAX];
} ggl_derivatives;
int ggl_derive(const dae_problem *p, double t, const double *z, const double *a, const double *y,
               bool velocity, ggl_derivatives *d);

void ggl_init(ggl_form *s, const dae_problem *p);
/* y and y' of the start, 2 n + 2 rows */
void ggl_start(ggl_form *s, double *y, double *dy);
/* r = (q' - v, M v' - f + G'lambda), and rate = G v + g_t */
int ggl_dynamics(ggl_form *s, double t, const double *y, const double *dy, double *r, double *rate);
int ggl_residual(ggl_form *s, double t, const double *y, const double *dy, double *r);
/* dF/dy + c dF/dy' by columns, into zeros. The derivative of G'mu is left out: mu is as small as
   the error */
int ggl_matrix(ggl_form *s, double t, double c, const double *y, const double *dy, double *J);

#endif
