/*
 * problem: the user's equations as one system, whatever form they were written in, with every
 * missing derivative made by differences, results checked for NaN, and calls counted.
 *
 *   M x^(m) = f(t,z) - K y      z = (x, x', .., x^(m-1))
 *   0 = g(t,x)                  ng rows, levels 0 .. m-1:  g, g', .., g^(m-1)
 *   0 = w(t,z)                  nw rows, level m-1 only (velocity level; g_of_z)
 *
 * Level l has ng rows for l < m-1 and ng + nw rows for l = m-1, holonomic ones first. The
 * invariants h are all levels, one after the other: nh = m ng + nw. An ODE with invariants has m =
 * 1, ng = its invariants and no multipliers. Mechanical: K = [G' W']. Hessenberg: M = I, K = B.
 */
#ifndef DAE_PROBLEM_INTERNAL_H
#define DAE_PROBLEM_INTERNAL_H

#include "base/base.h"
#include "la/la.h"
#include <daedal/problem.h>

typedef struct dae_counts {
  long force, mass, constraint, constraint_z, curvature, factor, solve;
} dae_counts;

typedef struct dae_system {
  const dae_problem *p;
  dae_pool *pool;
  int order, nx, nz, ny, ng, nw, nh;
  int nc;                         /* rows of the highest level, ng + nw */
  bool affine;                    /* f = f0 - B y (always so for mechanical) */
  bool has_mass;                  /* M is not the identity */
  bool mass_constant, mass_known; /* constant, and evaluated already */
  bool complete; /* mechanical, all functions given, and NaN in M or G shows in the solution */
  dae_la_kkt_shape shape; /* how M, G and K' are stored */
  int mass_size, G_size;  /* number of values */
  double *M, *G, *Kt;     /* at the last point; Kt NULL when K = G' */
  dae_la_kkt *kkt;        /* [M K; G 0] at the last point; NULL when ny = 0 and M = I */
  dae_la_kkt_info kkt_info;
  /* rank of the constraints but for singular positions: less than ny where some are redundant */
  int full_rank;
  dae_pattern pattern; /* of [G; W] when sparse */
  int *pattern_memory;
  double *scale, *coarse; /* per invariant: size of the terms that cancel in it, see row_scale */
  double *typical;        /* largest |z_j| since the start */
  double *rest;  /* g_t and w of the last velocity level, nc */
  double *f, *c; /* right-hand sides of the last elimination, nx and nc */
  double *a, *dense_G, *wide; /* scratch: nx + nc; nc x nz when g is of z; rows of one level */
  double *wide_H;             /* scratch, nh x nz; NULL for large sparse problems */
  double *B_work; /* scratch for one block of a Jacobian, taken when first needed by size */
  double *z_try, *f_try, *dz_try; /* scratch of differences, one slice for each level of nesting */
  double *f_out;                  /* x^(m) for whoever asks from above, nx */
  double *y_guess;                /* of the last nonlinear elimination */
  int depth;                      /* of nesting */
  dae_counts counts;
  int last_code; /* of the last callback that did not return 0 */
} dae_system;

/* DAE_OK, DAE_E_MEMORY or DAE_E_INPUT. Takes all memory. */
dae_status dae_problem_system_new(dae_system **out, dae_pool *pool, const dae_problem *p);
void dae_problem_system_free(dae_system *s);

/* All functions below: DAE_OK; DAE_E_CALLBACK when a callback said > 0 or gave NaN; DAE_STOPPED for
   < 0. */

/* f(t,z), or f(t,z,y) of a Hessenberg problem (y NULL: zero); nx values. ODE: z'. */
dae_status dae_problem_force(dae_system *s, double t, const double *z, const double *y, double *f);

/* one level of the constraints: rows as said above */
dae_status dae_problem_level(dae_system *s, double t, const double *z, int level, double *r);
/* the same level when nothing but x^(level) has changed since, and nothing was evaluated: G v + g_t
   of a mechanism then needs no new G */
dae_status dae_problem_level_again(dae_system *s, double t, const double *z, int level, double *r);
/* the highest level right after dae_problem_dynamics at the same point: its G serves */
dae_status dae_problem_level_top(dae_system *s, double t, const double *z, double *r);
static inline int dae_problem_level_rows(const dae_system *s, int level) {
  return level == s->order - 1 ? s->nc : s->ng;
}
/* all invariants, nh values */
dae_status dae_problem_invariants(dae_system *s, double t, const double *z, double *h);

/* G := matrix of the highest derivative, d(level m-1)/d x^(m-1), nc rows: [G; W]. For g(t,x) this
   is dg/dx at every level. Stored dense row-major or in s->pattern. */
dae_status dae_problem_gradient(dae_system *s, double t, const double *z, double *G);
/* dense Jacobian of one level with respect to z: rows(level) x nz */
dae_status dae_problem_level_z(dae_system *s, double t, const double *z, int level, double *J);
/* dense Jacobian of all invariants: nh x nz */
dae_status dae_problem_invariants_z(dae_system *s, double t, const double *z, double *H);
/* partial derivative in time of one level */
dae_status dae_problem_level_t(dae_system *s, double t, const double *z, int level, double *r);

/* r := A x for G-shaped values (dense nc x nx or the pattern) */
void dae_problem_gradient_times(const dae_system *s, const double *G, const double *x, double *r);
/* x := x + A' y */
void dae_problem_gradient_t_add(const dae_system *s, const double *G, const double *y, double *x);

/* c := d/dt (level m-1) - G x^(m): nc values */
dae_status dae_problem_curvature(dae_system *s, double t, const double *z, double *c);

/* M at a point into s->M (nothing to do for identity, or when constant and known) */
dae_status dae_problem_mass(dae_system *s, double t, const double *z);
/* K' (rows x nx, as G) at a point into Kt; Hessenberg: B', mechanical: G */
dae_status dae_problem_multiplier_matrix(dae_system *s, double t, const double *z, const double *y,
                                         double *Kt);
/* evaluates M, G, K at the point into s->M, s->G, s->Kt and factors [M K; G 0].
   DAE_E_SINGULAR when M is singular or when the constraints are dependent beyond repair;
   s->kkt_info tells. Redundant but consistent rows are no error. */
dae_status dae_problem_kkt(dae_system *s, double t, const double *z, const double *y);

/* index-1 elimination (1992-stab (1.3)): a = x^(m), y from [M K; G 0][a; y] = [f; -c]. Factors at
   the point; Newton in y when f is not affine (y is then also the guess). ODE: a = z'. y may be
   NULL. */
dae_status dae_problem_accelerate(dae_system *s, double t, const double *z, double *a, double *y);

/* smallest singular value of the last factorization, redundant rows left out; 0 where rank is lost
   for the moment */
static inline double dae_problem_sigma(const dae_system *s) {
  return s->kkt_info.rank < s->full_rank ? 0 : s->kkt_info.smallest;
}

/* dz := (x', .., x^(m-1), a) */
void dae_problem_chain(const dae_system *s, const double *z, const double *a, double *dz);

/* typical size of the terms in each invariant at the point (for relative residuals): nh values into
   s->scale */
dae_status dae_problem_row_scale(dae_system *s, double t, const double *z);

/* r := r + M a with the mass of the last point */
void dae_problem_mass_add(const dae_system *s, const double *a, double *r);
/* r := M(t,z) a + K(t,z) y - f(t,z), nx values (Hessenberg: a - f(t,z,y)); leaves G of the point in
   s->G (mechanical) */
dae_status dae_problem_dynamics(dae_system *s, double t, const double *z, const double *a,
                                const double *y, double *r);
/* Jacobian of the dynamics residual  r = M(t,z) a + K(t,z) y - f(t,z)  with a, y held: nx x nz
   dense (by differences where the problem gives no derivative) */
dae_status dae_problem_dynamics_z(dae_system *s, double t, const double *z, const double *a,
                                  const double *y, double *J);

/* the index of a Hessenberg problem by numbers at a point, with f linearized at y; `redundant`
   constraints determine no multiplier. 0: none was found, or the problem is too large. Takes memory
   for the time of the call */
int dae_problem_index_found(dae_system *s, double t, const double *z, const double *y,
                            const double *size, double horizon, int redundant);

/* direction D of the table (DESIGN 2): which, and its place in the names */
typedef enum dae_direction_kind {
  DAE_DIR_FULL,       /* D = H' */
  DAE_DIR_BLOCK,      /* diag(G', G', ..) (4.7) */
  DAE_DIR_PINV,       /* diag(G'(GG')^-1, ..), cross terms dropped (4.8) */
  DAE_DIR_MASS,       /* diag(M^-1 G', ..), also (5.2) */
  DAE_DIR_FORCE,      /* diag(B, ..), B = M^-1 K */
  DAE_DIR_CONSTRAINT, /* G' */
  DAE_DIR_UNIT,       /* last coordinates, or given ones */
  DAE_DIR_FROZEN,     /* G', in collocation at the end of the element */
  DAE_DIR_PROBLEM     /* a direction that the problem defines */
} dae_direction_kind;

/* resolved from a name of the table ("block", "unit:1,3", or one of the problem's own) */
typedef struct dae_direction_choice {
  dae_direction_kind kind;
  const dae_direction *own; /* DAE_DIR_PROBLEM */
  int n_unit, unit[32];     /* DAE_DIR_UNIT: coordinates from 0; n_unit 0: the last ones */
} dae_direction_choice;
dae_status dae_problem_direction_find(const dae_system *s, const char *name,
                                      dae_direction_choice *out, char *message, int size);
/* one block of D: the nx x nc matrix that moves x^(l) for the constraints at that level (row-major,
   dense); FULL and CONSTRAINT: G', BLOCK and PINV: G', MASS: M^-1 G', FORCE: M^-1 K, UNIT: unit
   columns */
dae_status dae_problem_direction_block(dae_system *s, const dae_direction_choice *d, double t,
                                       const double *z, double *D);
/* the same at the point of the last elimination, which is not repeated; not for UNIT */
void dae_problem_direction_last(dae_system *s, dae_direction_kind kind, double *D);
/* the whole D for all invariants, nz x nh: H' for FULL, else the blocks on the diagonal, or the
   problem's */
dae_status dae_problem_direction(dae_system *s, const dae_direction_choice *d, double t,
                                 const double *z, double *D);

/* numerical derivatives of any vector function (problem/difference.c) */
typedef dae_status (*dae_vector_fn)(void *ctx, double t, const double *z, double *out);
/* J (rows x n, row-major) of fn at z by central differences of order 4; z_work n, f_work 4 rows;
   `scale` (may be NULL) gives typical sizes of z */
dae_status dae_problem_difference(dae_vector_fn fn, void *ctx, int rows, int n, double t,
                                  const double *z, const double *scale, double *z_work,
                                  double *f_work, double *J);
/* d/ds fn(t + s dt, z + s dz) at s = 0, order 6, step found by itself; z_work n, f_work 3 rows */
dae_status dae_problem_directional(dae_vector_fn fn, void *ctx, int rows, int n, double t,
                                   double dt, const double *z, const double *dz, double *z_work,
                                   double *f_work, double *out);

#endif
