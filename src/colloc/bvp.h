/* inside of the boundary value solver: almost block diagonal systems, conditions, solution, mesh */
#ifndef DAE_COLLOC_BVP_H
#define DAE_COLLOC_BVP_H

#include "colloc/colloc.h"
#include <daedal/bvp.h>

enum { DAE_COLLOC_MESHES = 60 }; /* most meshes of one solve */

/* ---- the global system (blocks.c) ---- */

/*
 * Unknowns d_0 .. d_N (n each) and q (nq: parameters, and d_0 itself when the conditions are
 * mixed):
 *   left rows:   A d_0 + A_q q = r            (absent when mixed)
 *   element i:   d_(i+1) = T_i d_i + U_i q + e_i
 *   inner rows at point i, last rows at point N:  A d_i + A_q q = r
 * solved by orthogonal elimination from left to right: [rows that remain; element i] = Q [R ..; 0
 * ..].
 */
typedef struct dae_colloc_blocks {
  int n, nq, N, most; /* most: rows that may remain between two elements */
  bool mixed;
  int *remain;          /* rows that remain before point i is eliminated, i = 0 .. N */
  double *qr, *beta;    /* N blocks: (most + n) x n reflections and R; n */
  double *coupling;     /* N blocks: n x (n + nq) */
  double *rhs;          /* N blocks: n */
  double *rest, *stack; /* most x (n + nq); (most + n) x (2 n + nq) */
  double *last, *scale, *column_scale, *work, *column; /* (n + nq)^2 and its row scales; scratch */
  double *group; /* reflections of a group, with many columns; else NULL */
  int *pivot;
  int size;        /* n + nq */
  int place;       /* where elimination found a singular block, -1 when not */
  double smallest; /* least |r_ii| of all blocks, relative */
  double rcond;    /* of the last block */
} dae_colloc_blocks;

dae_status dae_colloc_blocks_init(dae_colloc_blocks *b, dae_pool *pool, int N, int n, int nq,
                                  int most, bool mixed);
/* factorization, in this order; rows are count x (n + nq), T n x n, U n x nq */
void dae_colloc_blocks_begin(dae_colloc_blocks *b);
void dae_colloc_blocks_rows(dae_colloc_blocks *b, int i, int count, const double *rows);
void dae_colloc_blocks_element(dae_colloc_blocks *b, int i, const double *T, const double *U);
/* all rows that are left, count x (n + nq): DAE_OK, or DAE_E_SINGULAR */
dae_status dae_colloc_blocks_end(dae_colloc_blocks *b, int count, const double *rows);
/* rows: the right-hand sides of blocks_rows in their order; e: N x n; last: those of blocks_end.
   d, q: the solution */
void dae_colloc_blocks_solve(dae_colloc_blocks *b, const double *rows, const double *e,
                             const double *last, double *d, double *q);

/* ---- the problem with its conditions (conditions.c) ---- */

typedef struct dae_colloc_bvp {
  const dae_problem *p;
  const dae_boundary *b;
  void *ctx; /* of the functions of b */
  const dae_settings *o;
  dae_pool pool;
  const dae_system *sys;
  dae_point *at;
  dae_colloc_rule rule;
  dae_colloc_form form;
  dae_colloc_element element;
  double loosen;    /* factor of the tolerance: 1, more on the way of continuation */
  long most_points; /* that Newton's method may evaluate; 0: no limit */
  int np, ns, cols; /* parameters, state, ns + np */
  /* rows at t0 that are there by themselves: all constraints at all levels, phi = 0 */
  int n_closure;
  int n_project;    /* constraints that hold at every mesh point by projection */
  bool project_all; /* all levels, not only the collocated one */
  bool mixed;
  int n_left;         /* conditions on the left alone */
  int n_rows, n_last; /* rows on the left and at inner points; rows at the end */
  double *start;      /* guess of the parameters: their place is used for trials */
  double *z, *z1, *big, *value, *plus, *minus; /* scratch */
  double *polynomial;                          /* scratch: coefficients of W and a on one element */
  dae_bvp_stats stats;
  dae_report *report;
} dae_colloc_bvp;

/* checks the conditions and takes what does not depend on the mesh; b->report says why not */
dae_status dae_colloc_bvp_init(dae_colloc_bvp *b, const dae_problem *p, const dae_settings *o,
                               bool radau, int k, dae_report *report);
void dae_colloc_bvp_free(dae_colloc_bvp *b);
void dae_colloc_bvp_set(const dae_colloc_bvp *b, const double *parameter);

/* values and, when J is not NULL, their derivatives by (Z, p): count x (ns + np) */
dae_status dae_colloc_closure(dae_colloc_bvp *b, const double *Z0, const double *p, double *value,
                              double *J);
dae_status dae_colloc_side(dae_colloc_bvp *b, int side, const double *Z, const double *p,
                           double *value, double *J);
/* J is n x (ns + ns + np): by Z(t0), Z(t1), p */
dae_status dae_colloc_ends(dae_colloc_bvp *b, const double *Z0, const double *Z1, const double *p,
                           double *value, double *J);
/* the constraints that projection satisfies at a mesh point, C is n_project x (ns + np), and its
   direction D, ns x n_project */
dae_status dae_colloc_projected(dae_colloc_bvp *b, double t, const double *Z, const double *p,
                                double *c, double *C);
dae_status dae_colloc_projected_direction(dae_colloc_bvp *b, double t, const double *Z,
                                          const double *a, double *D);
/* DAE_E_INPUT with a report when a separated condition depends on the other end */
dae_status dae_colloc_separated(dae_colloc_bvp *b, const double *Z0, const double *Z1,
                                const double *p);
/* do conditions at one end depend on the constraints there? Index of the first such condition, -1
   when none */
int dae_colloc_dependent_condition(dae_colloc_bvp *b, const double *Z0, const double *Z1,
                                   const double *p, bool *left);

void dae_colloc_report(dae_report *r, dae_status status, double t, const char *format, ...)
    DAE_PRINTF(4, 5);

/* ---- one mesh: all unknowns as one vector (linear.c) ---- */

/* x = (Z_0 .. Z_N, W of the elements, a of the elements, parameters) */
typedef struct dae_colloc_shape {
  int N, ns, kv, ka, np;
} dae_colloc_shape;

size_t dae_colloc_length(const dae_colloc_shape *s);
double *dae_colloc_Z(const dae_colloc_shape *s, double *x, int i);
double *dae_colloc_W(const dae_colloc_shape *s, double *x, int i);
double *dae_colloc_a(const dae_colloc_shape *s, double *x, int i);
double *dae_colloc_parameters(const dae_colloc_shape *s, double *x);

/* the linearized system on one mesh; factorizations are kept for further right-hand sides */
typedef struct dae_colloc_linear {
  dae_colloc_bvp *b;
  dae_colloc_shape shape;
  const double *t;           /* N + 1 mesh points */
  dae_colloc_factor *factor; /* N */
  double *WZ, *W0;           /* dW = W0 + WZ (dZ_i, dp): k nv x cols */
  double *ap, *a0;           /* da = a0 + ap dp + what follows from dZ_i and dW: k na x np */
  double *F, *C;             /* projections: ns x n_project, n_project x ns, at points 1 .. N */
  double *e, *rows, *last, *q;
  double *gamma, *T, *U, *D, *CG, *N2, *end, *residual, *plus, *minus; /* scratch */
  double *da, *J;
  double *row_size; /* of the conditions: sum of |coefficient| |value|, rows then last, at the */
                    /* point of the factorization or of linear_sizes */
  int *pivot;
  dae_colloc_blocks blocks;
  int place;        /* element or point of a failure */
  const char *what; /* what is singular there */
} dae_colloc_linear;

dae_status dae_colloc_linear_init(dae_colloc_linear *l, dae_colloc_bvp *b, dae_pool *pool,
                                  const dae_colloc_shape *shape, const double *t);
/* residuals at x and factorization there */
dae_status dae_colloc_linear_factor(dae_colloc_linear *l, double *x);
/* residuals at x, with the factorization of an earlier point */
dae_status dae_colloc_linear_residual(dae_colloc_linear *l, double *x);
/* row_size at x, with the factorization of an earlier point; rows and last are overwritten */
dae_status dae_colloc_linear_sizes(dae_colloc_linear *l, double *x);
/* the correction for the residuals of the last call */
void dae_colloc_linear_solve(dae_colloc_linear *l, double *d);

/* ---- conditioning (condition.c) ---- */

/* what relative errors of the size of rounding, in all terms of the linear system, do */
typedef struct dae_colloc_condition {
  double amplified; /* largest change of a variable over its largest value, in units of rounding */
  double rounding;  /* largest change in tolerances, */
  int variable;     /* of which z (nz + j: parameter j), */
  double t;         /* and where */
  double sharpest;  /* largest value of a variable over its tolerance at zero, */
  int sharp;        /* and of which z */
  double unseen;    /* part of a change by ten tolerances that the equations do not see, */
  double off;       /* and the part by which their answer to it is off */
  double singular;  /* amplification of errors by the matrix alone */
  int undetermined; /* parameter on which the solution does not depend by a tolerance, -1: none */
} dae_colloc_condition;

/* amplification from which on the answer to a change by ten tolerances is looked at */
static const double DAE_COLLOC_UNSEEN_FROM = 1e4;

/* amplification of errors by the factored matrix alone, whatever x and its units; INFINITY when it
   is singular. Two scratch vectors of length(shape) */
double dae_colloc_singularity(dae_colloc_linear *l, double *d, double *again);
/* after a solve, with its factorization; three scratch vectors of length(shape) */
void dae_colloc_conditioning(dae_colloc_linear *l, double *x, double *const scratch[3],
                             dae_colloc_condition *out);

/* ---- fast modes at the ends (modes.c) ---- */

typedef struct dae_colloc_ends_modes {
  bool turn;        /* fast modes are not the same everywhere: elements must follow them */
  bool left, right; /* the ends may have layers */
  double follow;    /* length of elements that follow the fastest modes */
  bool everywhere;  /* elements that follow them are asked for on the whole interval */
  double swing;     /* largest angle by which a mode swings on one element; 0: small everywhere */
  double angle;     /* about the angle by which modes swing on the whole interval */
} dae_colloc_ends_modes;

/* angles by which modes swing on an element: smaller ones do not count */
extern const double DAE_COLLOC_SWING;
/* swings by less than `harmless` on an element need not be known */
dae_status dae_colloc_modes(dae_colloc_linear *l, double *x, double harmless, dae_pool *pool,
                            dae_colloc_ends_modes *out);

/* a place that needs short elements, and how short */
typedef struct dae_colloc_layer {
  double t, width;
} dae_colloc_layer;

enum { DAE_COLLOC_LAYERS = 8 };

/* from the linearized equations at x, in order of time; returns their number */
int dae_colloc_layers(dae_colloc_linear *l, double *x, dae_pool *pool, dae_colloc_layer *out);

/* ---- damped Newton (newton.c) ---- */

typedef struct dae_colloc_newton {
  double *x, *d, *bar, *trial; /* length(shape) each */
  double *scale;               /* ns + 1: sizes of the components of Z, and of a */
  double tolerance;
  double nearness;      /* of the last factorization to the solution */
  double curvature;     /* |bar|/|d|^2 of full steps, from an earlier mesh; INFINITY: not known */
  bool bold;            /* the first step is full; DAE_E_NEWTON when the second cannot be */
  bool leapt;           /* that first step failed the test */
  bool straight;        /* it left nothing: the problem is linear */
  bool lost;            /* it failed because the correction is made of rounding */
  double norm, damping; /* of the last iteration */
  int iterations;
} dae_colloc_newton;

dae_status dae_colloc_newton_solve(dae_colloc_newton *n, dae_colloc_linear *l);
/* index of the mesh point where the last correction is largest */
int dae_colloc_newton_place(const dae_colloc_newton *n, const dae_colloc_linear *l);

/* ---- the solution on one mesh (solution.c) ---- */

struct dae_solution {
  dae_pool pool;
  dae_colloc_shape shape;
  dae_colloc_rule rule;
  dae_colloc_form form;       /* sizes only */
  dae_colloc_element element; /* form and rule only */
  int nz, ny;
  double *t, *x; /* mesh, unknowns */
  double *y;     /* multipliers of the problem at the collocation points, N x k x ny */
  double *z_error, *y_error, error;
  double moved; /* largest change of y by halving, in tolerances; 0: unknown */
  int n_history, history[DAE_COLLOC_MESHES];
  dae_bvp_stats stats;
  char method[24], form_name[16];
  bool inner_y; /* multipliers are not of the problem but of what was solved in its place */
};

dae_status dae_colloc_solution_new(dae_solution **out, const dae_colloc_bvp *b, int N);
/* index of the element that holds t, and s in [0,1] there */
int dae_colloc_locate(const dae_solution *s, double t, double *theta);
/* Z (ns), W (nv), y (ny), a (na) from the polynomials of element i; each may be NULL */
void dae_colloc_sample(const dae_solution *s, int i, double theta, double *Z, double *W, double *y,
                       double *a);
/* the same for a place that many elements share: theta with its weights */
typedef struct dae_colloc_place {
  double theta, weights[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX];
} dae_colloc_place;

void dae_colloc_place_set(dae_colloc_place *p, const dae_solution *s, double theta);
void dae_colloc_sample_place(const dae_solution *s, int i, const dae_colloc_place *p, double *Z,
                             double *W, double *y, double *a);
/* y at the collocation points, when all else is known */
dae_status dae_colloc_solution_multipliers(dae_colloc_bvp *b, dae_solution *s);
/* makes a solution of an ODE one with ny multipliers, given as a function */
dae_status dae_colloc_solution_give_y(dae_solution *s, int ny,
                                      dae_status (*y)(void *ctx, double t, double *y), void *ctx);
/* unknowns of `s` from a solution on another mesh; halved: s has every interval of it halved */
void dae_colloc_solution_transfer(const dae_colloc_bvp *b, dae_solution *s,
                                  const dae_solution *from, bool halved);

/* ---- the right-hand side switched on step by step (load.c) ---- */

/* form.kept: equations that only name a derivative, seen at the values of s */
dae_status dae_colloc_load_rows(dae_colloc_bvp *b, dae_solution *s);

/* ---- guesses (guess.c) ---- */
dae_status dae_colloc_guess(dae_colloc_bvp *b, dae_solution *s, const dae_solution *earlier);

/* intervals that show the ups and downs of the guess, from `least` to `most` */
int dae_colloc_guess_intervals(dae_colloc_bvp *b, int least, int most);

/* ---- meshes and errors (mesh.c) ---- */

/* t_i = t0 + (t1-t0)(i/N)^grade, inner conditions at mesh points; returns the number of intervals
   (>= N) */
int dae_colloc_mesh_first(const dae_colloc_bvp *b, int N, double *t);
/* elements that grow away from each layer; returns their number; t gets the points, NULL: counted
   only */
int dae_colloc_mesh_layers(const dae_colloc_bvp *b, const dae_colloc_layer *layer, int count,
                           double *t);
/* tolerance of a component of z or y with this size; infinite when it is not asked for */
double dae_colloc_tolerance(const dae_colloc_bvp *b, bool is_y, int c, double size);
/* density of intervals that the tolerance asks for, one for each element; returns their sum, the
   number needed */
double dae_colloc_mesh_density(const dae_colloc_bvp *b, const dae_solution *s, double *density);
/* a mesh of about `want` intervals with equal integrals of the density; returns their number (<=
   want + n_side) */
int dae_colloc_mesh_spread(const dae_colloc_bvp *b, const dae_solution *s, const double *density,
                           int want, double *t);
/* the mesh of s, where elements beside layers are cut: eight pieces of length `follow`, then longer
   ones (all of that length with modes->everywhere). Some of the others are cut in two uneven parts.
   Returns the number of intervals; t gets the points, NULL: counted only; right: scratch of N */
int dae_colloc_mesh_graded(const dae_solution *s, const dae_colloc_ends_modes *modes, int *right,
                           double *t);
/* largest difference of two solutions at the mesh points of `fine` and between them, in
   tolerances, and where */
double dae_colloc_difference(const dae_colloc_bvp *b, const dae_solution *fine,
                             const dae_solution *other, double *t);
/* error of `fine` from the difference to the solution on the mesh with every second point */
void dae_colloc_error(const dae_colloc_bvp *b, const dae_solution *coarse, dae_solution *fine);

/* ---- the solver (bvp.c) ---- */

/* what one solve asks for, besides the options */
typedef struct dae_colloc_task {
  double load, loosen; /* see dae_colloc_form, dae_colloc_bvp */
  bool hopeless;       /* result: the conditions or the conditioning are to blame, no way helps */
  bool singular;       /* result: the linear problem at the guess is singular on every mesh */
  bool straight;       /* result: the first mesh was solved, and the problem is linear */
  long points;         /* points that may still be evaluated, less what the solve took; 0: all */
} dae_colloc_task;

/* points at which equations were evaluated */
static inline long dae_colloc_points(const dae_bvp_stats *s) {
  return s->evaluations + s->jacobians;
}

/* one sequence of meshes from one guess */
dae_status dae_colloc_bvp_attempt(const dae_problem *p, const dae_settings *o,
                                  dae_colloc_task *task, const dae_solution *guess,
                                  dae_solution **out, dae_report *report);

/* ---- continuation (continuation.c) ---- */

/* dae_bvp_solve for the forms of collocation: an attempt, and when it does not converge the
   right-hand side is switched on step by step */
/* the arguments of both public functions: DAE_OK, or DAE_E_INPUT with a sentence */
dae_status dae_colloc_bvp_input(const dae_problem *p, const dae_options *o, char *message,
                                int size);
dae_status dae_colloc_bvp_solve(const dae_problem *p, const dae_settings *o,
                                const dae_solution *guess, dae_solution **out, dae_report *report);
dae_status dae_colloc_bvp_continue(const dae_problem *p, const dae_settings *o, double *parameter,
                                   double from, double to, const dae_solution *guess,
                                   dae_solution **out, dae_report *report);

#endif
