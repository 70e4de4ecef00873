/*
 * Your own parts in place of the library's: a Runge-Kutta method, a linear solver for the matrices
 * of implicit steps, a norm of errors, a form. They are passed in the options and belong to one
 * solver; there is no registry.
 *
 *   dae_extend own = dae_extend_none();
 *   dae_options options = dae_options_default();
 *   own.method = &my_method;
 *   options.extend = &own;
 *
 * All structs here have their size in front: begin with dae_extend_none(), and with
 * .size = sizeof(dae_own_method) and so on in the others. What is passed must stay valid for the
 * lifetime of the solver. Your own direction of stabilization belongs to the problem: dae_direction
 * in daedal/problem.h. docs/extend.md has an example of each.
 */
#ifndef DAEDAL_EXTEND_H
#define DAEDAL_EXTEND_H

#include <stdbool.h>
#include <stddef.h>

#include <daedal/pattern.h>
#include <daedal/version.h>

enum { DAE_OWN_STAGES = 13, DAE_OWN_IMPLICIT_STAGES = 5, DAE_OWN_ORDER = 10 };

/*
 * A Runge-Kutta method: z_new = z + h sum b_i k_i, k_i = F(t + c_i h, z + h sum_j a_ij k_j).
 * Explicit: a_ij = 0 for j >= i. Implicit: A is invertible, all c_i differ, at most 5 stages; the
 * method is projected onto the constraints, and its error estimate is made.
 * Every condition of the orders that are stated is checked; a method that breaks one is refused by
 * dae_solver_new, which says which one and by how much.
 */
typedef struct dae_own_method {
  size_t size;      /* sizeof(dae_own_method) */
  const char *name; /* none of the library's */
  int stages, order;
  bool implicit;
  const double *a; /* stages x stages, by rows */
  const double *b; /* stages */
  const double *c; /* stages; NULL: the sums of the rows of a */
  /* explicit: the weights of the embedded method, whose difference is the error estimate, and its
     order; NULL: fixed steps only */
  const double *b_estimate;
  int order_estimate;
} dae_own_method;

/*
 * A linear solver for the matrices of implicit steps. pattern NULL: n x n numbers by rows; else the
 * values of the pattern. imaginary: numbers are pairs (re, im).
 */
typedef struct dae_own_linear {
  size_t size; /* sizeof(dae_own_linear) */
  /* an object for many matrices of one pattern; NULL: no memory */
  void *(*make)(int n, const dae_pattern *pattern, bool imaginary, void *ctx);
  /* 0, or 1 + the column that has no pivot */
  int (*factor)(void *self, const double *values);
  void (*solve)(void *self, double *b); /* b := A^-1 b, n numbers */
  void (*drop)(void *self);
  void *ctx;
} dae_own_linear;

/* A norm of the error of a step: accepted when it is at most 1. weight_i = 1/(atol + rtol |z_i|),
   for the part of the tolerance that the step may use. The library's own is the root of the mean of
   (weight_i error_i)^2. */
typedef struct dae_own_norm {
  size_t size; /* sizeof(dae_own_norm) */
  double (*norm)(int n, const double *error, const double *weight, void *ctx);
  void *ctx;
} dae_own_norm;

/* What is known at a point of the solution when an own form is asked for z'. */
typedef struct dae_own_point {
  double t;
  int nz, nh, ny;
  const double *z;    /* nz */
  const double *dz;   /* nz: z' of the form index1, by elimination of the multipliers */
  const double *y;    /* ny: multipliers of it */
  const double *h;    /* nh: all constraints at all levels */
  const double *back; /* nz: F h, so that z - F h is nearly on them; F by option `direction` */
} dae_own_point;

/* A form: z' = F(t,z) with the same solutions on the constraints as the problem, and any behaviour
   beside them (Baumgarte's, say). 0, > 0 or < 0 as in a problem. */
typedef struct dae_own_form {
  size_t size; /* sizeof(dae_own_form) */
  const char *name;
  int (*slope)(const dae_own_point *at, double *dz, void *ctx);
  void *ctx;
} dae_own_form;

typedef struct dae_extend {
  size_t size;                  /* sizeof(dae_extend) */
  const dae_own_method *method; /* each NULL: the library's */
  const dae_own_linear *linear;
  const dae_own_norm *norm;
  const dae_own_form *form;
} dae_extend;

static inline dae_extend dae_extend_none(void) {
  dae_extend e;
  e.size = sizeof e;
  e.method = NULL;
  e.linear = NULL;
  e.norm = NULL;
  e.form = NULL;
  return e;
}

#endif
