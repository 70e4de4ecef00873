/*
 * quadratic: constraints of degree two that do not depend on t, as most mechanisms in points and
 * vectors have them. Their G is affine in x, so that differences, which leave no truncation error
 * however long they are, give it everywhere when they were taken once:
 *   g(x) = g(x0) + G(x0) d + d'H d/2,  d = x - x0:   G = G(x0) + H d,   g_xx(v,v) = v'H v.
 * Nobody says so of g: it is found out at some points, and believed at a point only if g itself has
 * the value there that it should have, to rounding. Where it has not, it is given up for the run.
 */
#ifndef DAE_QUADRATIC_H
#define DAE_QUADRATIC_H

#include "problem/point.h"

enum { DAE_QUADRATIC_UNTRIED, DAE_QUADRATIC_HOLDS, DAE_QUADRATIC_NEVER };

struct dae_quadratic {
  long state;    /* DAE_QUADRATIC_.. */
  double *x, *g; /* nx, ng: where it was found, and g there */
  double *G;     /* as G is stored */
  double *H;     /* row by row: r x r for the r entries of the row in G */
  double *terms; /* ng: sizes of the terms in the values that it was found from */
};

/* NULL where g has another gradient than by differences, or would take too much memory;
   pool->failed tells */
dae_quadratic *dae_problem_quadratic_new(const dae_system *s, dae_pool *pool);

/* is g known to be quadratic where p is? One call of g, unless it has been called there; at first
   the calls that find out. DAE_OK or DAE_STOPPED */
dae_status dae_point_quadratic(dae_point *p, bool *yes);
/* a value of g where p is: does it agree? */
void dae_point_quadratic_seen(dae_point *p, const double *g);

/* all of these where dae_point_quadratic said yes: the rows of g in p->G */
void dae_point_quadratic_gradient(dae_point *p);
/* r := d/ds or d2/ds2 of g along x + s dx + s^2/2 ddx (ddx may be NULL) at s = 0 */
void dae_point_quadratic_rate(const dae_point *p, int degree, const double *dx, const double *ddx,
                              double *r);
/* d/dx (G v) into the first nx columns of J, which has `stride` of them, zero before */
void dae_point_quadratic_turn(const dae_point *p, const double *v, size_t stride, double *J);

#endif
