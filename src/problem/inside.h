/* what the files of problem share among themselves */
#ifndef DAE_PROBLEM_INSIDE_H
#define DAE_PROBLEM_INSIDE_H

#include "problem/mechanical.h"
#include "problem/point.h"

/* the callback contract: 0 ok, > 0 or NaN recoverable, < 0 stop */
static inline dae_status dae_problem_verdict(int code, const double *result, int n) {
  if (code == 0 && dae_base_finite(result, n)) return DAE_OK;
  return code < 0 ? DAE_STOPPED : DAE_E_CALLBACK;
}

/* Differences put the point beside where it is. Between down and up it is theirs, with a slice of
   scratch: nz, nz, and four times the larger of nx and nc. up puts it back; M and G are gone.
   One level of the constraints makes use of the level before, others of the highest: the last
   slice is left to whoever begins */
enum { DAE_DEPTHS = DAE_ORDER_MAX + 2 };
typedef struct dae_slice {
  double t;
  const double *z;
  unsigned kept; /* what differences do not touch: factors and curvature */
  double *z_work, *dz, *f_work;
} dae_slice;
dae_slice dae_point_down(dae_point *p);
void dae_point_up(dae_point *p, const dae_slice *s);

/* G of a mechanism that gives it, not yet looked at: the code of the callback */
static inline int dae_point_call_G(dae_point *p) {
  const dae_problem *u = p->sys->p;
  dae_matrix_clear(&p->G);
  return dae_mechanical_G(u, p->t, p->z, p->G.x);
}

/* one level as a dae_vector_fn */
typedef struct dae_level_ctx {
  dae_point *p;
  int level;
} dae_level_ctx;
dae_status dae_point_level_fn(void *ctx, double t, const double *z, double *out);

double dae_point_level_noise(const dae_system *s, int level);

/* across and along of a point whose G is there: see point.h */
void dae_point_find_across(dae_point *p);
/* scratch, sizes and count of the point for f */
void dae_point_equip(dae_point *p, const dae_slice *a, dae_vector *f);
/* f with the point's own scratch, sizes and count: nested calls are allowed */
dae_status dae_point_differences(dae_point *p, dae_vector *f, double *J);
dae_status dae_point_newton(dae_point *p, dae_vector *f, double *J);

/* number of values of a matrix with a pattern, dense when there is none */
int dae_problem_pattern_size(const dae_pattern *pattern, int rows, int cols);

/* ---- implicit_value.c ---- */
struct dae_residual;
/* M at a point of M x' = f, unless it is known */
dae_status dae_residual_mass(struct dae_residual *r, double t, const double *x);
/* out := M dx + sign out; M is there */
void dae_residual_times_mass(const struct dae_residual *r, const double *dx, double sign,
                             double *out);
/* E := M in a matrix of zeros */
dae_status dae_residual_put_mass(struct dae_residual *r, double t, const double *x, double *E);
/* f of M x' = f, of the last such call if that was at the same point */
dae_status dae_residual_force(struct dae_residual *r, double t, const double *x, const double **f);

/* ---- zeros.c ---- */
/* places of dense M and G that hold something, into s->shape; pool->failed tells */
void dae_problem_zeros(dae_system *s);

#endif
