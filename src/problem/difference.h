/*
 * difference: numerical derivatives of any vector function. One scheme for all of them:
 *   - a variable moves by a part of its own typical size, never of another's;
 *   - Newton matrices come from one-sided differences, which cost one call a column;
 *   - where digits are needed (projection, curvature), from central ones at distances whose ratio
 *     is the golden section, so that nothing periodic is met in step. They are judged by what the
 *     last extrapolation changed, and taken again at other distances where that is too much. What
 *     is asked for again and again is judged now and then, and in between takes no more values
 *     than were found to do;
 *   - columns that share no row move together where there is a pattern.
 */
#ifndef DAE_DIFFERENCE_H
#define DAE_DIFFERENCE_H

#include "base/team.h"
#include "problem/colour.h"

/* how the columns of a colour were found to be had: by one central pair or by two, at a distance
   relative to the sizes; part 0: not known */
typedef struct dae_spacing {
  double part;
  bool pair;
} dae_spacing;

typedef dae_status (*dae_vector_fn)(void *ctx, double t, const double *z, double *out);

/* a function of n numbers with `rows` values, and scratch: n and 4 rows */
typedef struct dae_vector {
  dae_vector_fn fn;
  void *ctx;
  int rows, n;
  double *z_work, *f_work;
  const double *size; /* n: least sizes beside the values; NULL: 0.01 */
  const double *one;  /* n: what counts as one, for differences that are judged; NULL: size */
  const double *term; /* rows: sizes of the terms that cancel in the values; NULL: not known */
  double noise;       /* of the values, relative; 0: rounding */
  double wanted;      /* relative error that does; 0: as small as can be */
  /* of the Jacobian: what served before, by colours; NULL: each is judged. judge: now too */
  dae_spacing *spacing;
  bool judge;
  /* of the Jacobian: its colours; NULL: dense, row by row. Rows beyond `rows` are left alone */
  const dae_colours *colours;
  int stride;  /* of the rows of a dense J; 0: n */
  long *calls; /* of fn are counted here; NULL: nowhere */
  /* threads that may call fn side by side, each with room for 2 n + rows doubles; NULL: none. Only
     Newton matrices are shared out */
  dae_team *team;
} dae_vector;

/* J at z, good to about 1e-10, or to what is wanted */
dae_status dae_problem_difference(const dae_vector *f, double t, const double *z, double *J);
/* J at z for Newton's method, good to about the root of rounding */
dae_status dae_problem_difference_newton(const dae_vector *f, double t, const double *z, double *J);

/* the path t + s dt, z + s dz + s^2/2 ddz (ddz may be NULL), and the s within which it is smooth as
   far as the caller knows; hint (may be NULL): a distance that has served before, 0 at first */
typedef struct dae_vector_path {
  double t, dt;
  const double *z, *dz, *ddz;
  double reach;
  double *hint;
} dae_vector_path;

/* out := d/ds or d2/ds2 of fn along the path at s = 0 (degree 1 or 2) */
dae_status dae_problem_along(const dae_vector *f, const dae_vector_path *p, int degree,
                             double *out);

#endif
