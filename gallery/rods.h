/*
 * Point masses in a plane, joined by massless rods: the ground of several problems (index 3).
 *
 *   m p'' = -m g (0,1) - G'lambda,   0 = (|pb - pa|^2 - L^2)/(2 L)  for each rod
 *
 * lambda is the tension of a rod. Matrices are dense or sparse as the problem asks.
 */
#ifndef GALLERY_RODS_H
#define GALLERY_RODS_H

#include "build.h"

typedef struct rod {
  int a, b;    /* its points, a < b; a < 0: the end a is held at (x, y) */
  double x, y; /* where, when a < 0 */
  double length;
} rod;

enum { RODS_REFERENCES = 3 }; /* the most that a problem may have */

typedef struct rods {
  dae_problem problem;
  int n_point, n_rod;
  double gravity;
  rod *rod;     /* n_rod */
  double *mass; /* n_point */
  double *z0;   /* positions (x1,y1,x2,..), then velocities */
  /* where the entries of a rod are: in G those of a and b; in dynamics_q (a,a), (b,b), (a,b),
     (b,a), x and y */
  int (*G_place)[2];
  int (*dynamics_place)[4][2];
  dae_pattern G_pattern, dynamics_pattern, empty;
  dae_reference ref[RODS_REFERENCES];
  double *z_ref[RODS_REFERENCES];
  void *memory, *z_name, *y_name, *g_name;
} rods;

/* Memory for a system of this size in a block of `size` bytes that begins with a `rods`; the
   caller then fills rod, mass, gravity and z0. NULL when there is none. */
void *rods_new(const gallery_entry *entry, size_t size, const double *par, int n_point, int n_rod);
/* Completes the problem; NULL (and all memory given back) when there is none. */
dae_problem *rods_finish(rods *s, bool sparse);
void rods_close(dae_problem *p);

/* The forces and derivatives themselves, for problems that add to them. */
int rods_force(double t, const double *q, const double *v, double *f, void *ctx);
int rods_dynamics_q(double t, const double *q, const double *v, const double *a, const double *y,
                    double *J, void *ctx);

/* A point at distance `la` from a and `lb` from b, on the left of the way from a to b (side = 1)
   or on the right (-1), and its velocity; all are given as (x, y, x', y'). */
void rods_join(const double *a, double la, const double *b, double lb, int side, double *out);

/* Puts (x, y, x', y') of point i into z (z0 or a reference). */
void rods_place(const rods *s, double *z, int i, const double *point);

/* Adds a known solution value at time t; the caller fills the array that comes back, NULL when
   there is no memory. */
double *rods_reference(rods *s, double t);

/* What the parameter `sparse` means: 0 or 1, and NaN leaves it to the size. */
bool rods_sparse(double parameter, int n_point);

#endif
