/* boundary value problems: conditions, solving by projected collocation, the solution as a
   function */
#ifndef DAEDAL_BVP_H
#define DAEDAL_BVP_H

#include <daedal/options.h>
#include <daedal/problem.h>
#include <daedal/solver.h>

/* Conditions at one inner point: 0 = r(z(t)), n of them. */
typedef struct dae_side {
  double t;
  int n;
  int (*value)(const double *z, double *r, void *ctx);
  int (*jacobian)(const double *z, double *R, void *ctx); /* n x nz; NULL: by differences */
} dae_side;

/*
 * Conditions of a boundary value problem on [t0, t1] of the problem: 0 = b(z(t0), z(t1)), n of
 * them.
 * The constraints and their hidden derivatives hold at t0 by themselves, so that
 *   n + (conditions at inner points) = nz - nh + n_parameter
 * conditions are needed; dae_boundary_needed says how many and why. An implicit problem (of index 0
 * or 1, without invariants) needs as many as dF/dx' has rank, which is looked for at the guess.
 */
typedef struct dae_boundary {
  int n;
  /* separated: the first n_left depend on z(t0) only, the others on z(t1) only; -1: mixed */
  int n_left;
  int (*value)(const double *z0, const double *z1, double *b, void *ctx);
  /* db/dz(t0) and db/dz(t1), n x nz each; NULL: by differences */
  int (*jacobian)(const double *z0, const double *z1, double *B0, double *B1, void *ctx);
  int n_side;
  const dae_side *side;

  /* unknown numbers: the problem's functions read them at `parameter`, where the solver writes
     them; such a problem can be used by only one solve at a time. The guess is parameter_guess, or
     what is there at the call */
  int n_parameter;
  double *parameter;
  const double *parameter_guess;
  const char *const *parameter_name; /* NULL: parameter1 .. */
  const double *parameter_exact;     /* their values, when known */

  /* guess: a function, a table (rows of nz and ny; table_y may be NULL), else the problem's z0 as
     constants.
     A guess of y that is not given (NaN) is made from that of z. */
  int (*guess)(double t, double *z, double *y, void *ctx);
  int n_table;
  const double *table_t, *table_z, *table_y;

  /* absolute tolerance for each component in place of rtol, atol; 0: not asked for; NULL: all, by
     rtol and atol */
  const double *z_tol, *y_tol;
} dae_boundary;

/* How many conditions the problem needs (sides included); `why` gets one sentence. -1: an implicit
   problem that cannot have any. */
DAE_API int dae_boundary_needed(const dae_problem *p, char *why, int size);

typedef struct dae_solution dae_solution;

/*
 * Solves p with its boundary conditions. `guess` is an earlier solution (its mesh is the first
 * mesh), or NULL.
 * Options: rtol, atol, method (auto, colloc-gaussK, colloc-radauK), form (auto, index2, pi1,
 * pi1-plus, pi2),
 * direction, gamma, coefficients, project, mesh, mesh_grade, fixed_mesh, mesh_max.
 * On failure *out is the last solution that was found (it does not meet the tolerance), or NULL.
 */
DAE_API dae_status dae_bvp_solve(const dae_problem *p, const dae_options *o,
                                 const dae_solution *guess, dae_solution **out, dae_report *report);

/*
 * Continuation: solves for *parameter = from, then follows the solution to *parameter = to with
 * steps that
 * shrink when a solve fails and grow when it is easy. The problem's functions read *parameter.
 */
DAE_API dae_status dae_bvp_continue(const dae_problem *p, const dae_options *o, double *parameter,
                                    double from, double to, const dae_solution *guess,
                                    dae_solution **out, dae_report *report);

DAE_API void dae_solution_free(dae_solution *s); /* NULL is allowed */

/* z (nz), y (ny) and z' (nz) at any t of the interval; each may be NULL. DAE_E_INPUT outside. */
DAE_API dae_status dae_solution_eval(const dae_solution *s, double t, double *z, double *y,
                                     double *dz);

/* The mesh (intervals + 1 points), and the numbers of intervals of all meshes that were used. */
DAE_API const double *dae_solution_mesh(const dae_solution *s, int *intervals);
DAE_API const int *dae_solution_history(const dae_solution *s, int *count);
/* Estimated error: largest over the components in units of the tolerance (<= 1 when it is met),
   and per
   component (nz, ny; either may be NULL). NaN where no estimate was made (fixed mesh). */
DAE_API double dae_solution_error(const dae_solution *s, double *z_error, double *y_error);
/* Values of the unknown parameters. */
DAE_API const double *dae_solution_parameter(const dae_solution *s);

typedef struct dae_bvp_stats {
  long meshes, newton, factorizations, solves; /* solves of the whole system */
  long evaluations, jacobians;                 /* of the equations at one point */
  long steps;                                  /* of continuation */
  double damping;                              /* smallest damping factor */
  double rcond;                                /* of the last block of the last linear system */
  /* how many times rounding is amplified in the solution, relative to the size of each variable;
     0: not estimated */
  double condition;
  size_t bytes;    /* held at most */
  dae_audit audit; /* over the mesh points and conditions */
} dae_bvp_stats;
DAE_API const dae_bvp_stats *dae_solution_stats(const dae_solution *s);
/* What was chosen for "auto". */
DAE_API const char *dae_solution_method(const dae_solution *s);
DAE_API const char *dae_solution_form(const dae_solution *s);

/* dae_bvp_solve and dae_bvp_continue with the sizes of the caller's structs (daedal/problem.h); the
   parameter goes from range[0] to range[1]. */
DAE_API dae_status dae_bvp_solve_sized(const dae_sizes *sizes, const dae_problem *p,
                                       const dae_options *o, const dae_solution *guess,
                                       dae_solution **out, dae_report *report);
DAE_API dae_status dae_bvp_continue_sized(const dae_sizes *sizes, const dae_problem *p,
                                          const dae_options *o, double *parameter,
                                          const double *range, const dae_solution *guess,
                                          dae_solution **out, dae_report *report);

#ifndef DAEDAL_BUILD
static inline dae_status dae_bvp_solve_here(const dae_problem *p, const dae_options *o,
                                            const dae_solution *guess, dae_solution **out,
                                            dae_report *report) {
  dae_sizes sizes = dae_sizes_here(sizeof(dae_boundary), sizeof(dae_report), 0, 0);
  return dae_bvp_solve_sized(&sizes, p, o, guess, out, report);
}
static inline dae_status dae_bvp_continue_here(const dae_problem *p, const dae_options *o,
                                               double *parameter, double from, double to,
                                               const dae_solution *guess, dae_solution **out,
                                               dae_report *report) {
  dae_sizes sizes = dae_sizes_here(sizeof(dae_boundary), sizeof(dae_report), 0, 0);
  double range[2];
  range[0] = from;
  range[1] = to;
  return dae_bvp_continue_sized(&sizes, p, o, parameter, range, guess, out, report);
}
#define dae_bvp_solve dae_bvp_solve_here
#define dae_bvp_continue dae_bvp_continue_here
#endif

#endif
