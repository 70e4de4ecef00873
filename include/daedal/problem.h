/*
 * What the user writes: one plain struct of functions for each mathematical form.
 *
 * Conventions of all functions:
 *   - return 0 when all is well, > 0 when the point is bad (the solver tries a smaller step), < 0
 *     to stop; NaN or infinity in a result counts as > 0;
 *   - matrices are row-major, A[i*cols + j]; with a pattern only the values of the pattern, in its
 *     order;
 *   - output arrays of matrices are zeroed before the call: write the nonzero entries only;
 *   - `ctx` is the problem's ctx. Functions must not keep state between calls.
 * Derivatives that are NULL are approximated by differences; dae_problem_check verifies the others.
 * A problem is constant and may be shared by threads; a solver keeps a pointer to it.
 */
#ifndef DAEDAL_PROBLEM_H
#define DAEDAL_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include <daedal/memory.h>
#include <daedal/pattern.h>
#include <daedal/status.h>

/* z' = f(t,z) with invariants 0 = h(t,z), which hold along exact solutions but drift along computed
   ones. */
typedef struct dae_ode {
  int n;  /* size of z */
  int nh; /* number of invariants, may be 0 */
  int (*f)(double t, const double *z, double *dz, void *ctx);
  int (*f_z)(double t, const double *z, double *J, void *ctx); /* n x n, or f_pattern */
  int (*h)(double t, const double *z, double *h, void *ctx);
  int (*h_z)(double t, const double *z, double *H, void *ctx); /* nh x n, or h_pattern */
  int (*h_t)(double t, const double *z, double *ht, void *ctx);
  const dae_pattern *f_pattern, *h_pattern; /* NULL: dense */
  /* n flags, or NULL: entries of z that the invariants determine from the others, as an equation
     determines an algebraic variable. An invariant that holds one of them is restored by moving
     these alone; the states stay where they are. */
  const unsigned char *algebraic;
} dae_ode;

typedef enum dae_answer { DAE_UNKNOWN, DAE_YES, DAE_NO } dae_answer;

/*
 * Hessenberg form of order m:  x^(m) = f(t,z,y),  z = (x, x', .., x^(m-1)), with
 *   0 = g(t,x)  (index m+1)   or, with g_of_z,   0 = g(t,z)  (index 2).
 * Usually f = f0(t,z) - B(t,z) y. This may be declared in `affine`; otherwise it is detected.
 */
typedef struct dae_hessenberg {
  int order; /* m, 1 .. DAE_ORDER_MAX */
  int nx, ny;
  bool g_of_z;
  dae_answer affine;
  int (*f)(double t, const double *z, const double *y, double *f, void *ctx);
  int (*f_z)(double t, const double *z, const double *y, double *J, void *ctx); /* nx x m nx */
  /* -df/dy, nx x ny */
  int (*B)(double t, const double *z, const double *y, double *B, void *ctx);
  int (*g)(double t, const double *z, double *g, void *ctx);
  /* dg/dx, ny x nx; g_of_z: dg/dz, ny x m nx */
  int (*G)(double t, const double *z, double *G, void *ctx);
  int (*g_t)(double t, const double *z, double *gt, void *ctx);
  /* total time derivatives of g: levels 1 .. m-1 complete; the highest (m; with g_of_z: 1) without
     the term (dg/dx) x^(m) (g_of_z: (dg/dx^(m-1)) x^(m)), called curvature here */
  int (*g_rate)(double t, const double *z, int level, double *out, void *ctx);
  /* Jacobian of level 1 .. m-1 (complete ones) with respect to z, ny x m nx */
  int (*g_rate_z)(double t, const double *z, int level, double *J, void *ctx);
} dae_hessenberg;

typedef enum dae_mass { DAE_MASS_DENSE, DAE_MASS_DIAGONAL, DAE_MASS_SPARSE } dae_mass;

/*
 * Mechanical form (index 3):  q' = v,  M(t,q) v' = f(t,q,v) - G' lambda - W' eta,
 *   0 = g(t,q), G = dg/dq  (holonomic),   0 = W(t,q) v + w(t,q)  (velocity level).
 * z = (q, v), y = (lambda, eta).
 */
typedef struct dae_mechanical {
  int nq, ng, nw;
  int (*mass)(double t, const double *q, double *M, void *ctx); /* NULL: identity */
  dae_mass mass_kind;              /* dense nq x nq; diagonal: nq values; sparse: mass_pattern */
  bool mass_constant;              /* M does not depend on t and q */
  const dae_pattern *mass_pattern; /* both triangles */
  int (*force)(double t, const double *q, const double *v, double *f, void *ctx);   /* NULL: zero */
  int (*force_q)(double t, const double *q, const double *v, double *J, void *ctx); /* nq x nq */
  int (*force_v)(double t, const double *q, const double *v, double *J, void *ctx); /* nq x nq */
  int (*g)(double t, const double *q, double *g, void *ctx);
  int (*G)(double t, const double *q, double *G, void *ctx); /* ng x nq, or G_pattern */
  int (*g_t)(double t, const double *q, double *gt, void *ctx);
  /* g'' without G v':  g_qq(v,v) + 2 g_tq v + g_tt */
  int (*curvature)(double t, const double *q, const double *v, double *c, void *ctx);
  /* d/dq (G v + g_t), ng x nq */
  int (*velocity_q)(double t, const double *q, const double *v, double *L, void *ctx);
  int (*w)(double t, const double *q, double *w, void *ctx); /* NULL: zero */
  int (*W)(double t, const double *q, double *W, void *ctx); /* nw x nq, or W_pattern */
  /* (dW/dt) v + dw/dt along q' = v, that is d/dt (W v + w) without W v' */
  int (*w_rate)(double t, const double *q, const double *v, double *c, void *ctx);
  /* d/dq (M a + G' lambda + W' eta - f) with a and y = (lambda, eta) held: for implicit methods */
  int (*dynamics_q)(double t, const double *q, const double *v, const double *a, const double *y,
                    double *J, void *ctx); /* nq x nq, or dynamics_pattern */
  const dae_pattern *G_pattern, *W_pattern, *dynamics_pattern, *force_v_pattern; /* NULL: dense */
  /* M, f, G and curvature c in one call, which shares what they have in common: in place of mass,
     force, G and curvature, or beside them. A pointer that is NULL is not wanted. With ng = 0 G and
     c always are */
  int (*evaluate)(double t, const double *q, const double *v, double *M, double *f, double *G,
                  double *c, void *ctx);
} dae_mechanical;

/*
 * Implicit form:  0 = F(t,x,x'), n equations for n variables, or in place of F
 *   M(t,x) x' = f(t,x),  that is F = M x' - f,
 * with a dF/dx' of any rank: where it is singular, variables are algebraic. z = x, there is no y.
 * Index 0 and 1 need nothing else. Index 2 and 3 are found by numbers at the start, or declared in
 * variable_index; a higher one is refused, and so are equations that do not determine the
 * variables. h are invariants of the solutions that are known (hidden constraints, say): points of
 * the solution are kept on them.
 */
typedef struct dae_implicit {
  int n;  /* size of x, number of equations */
  int nh; /* number of known invariants, may be 0 */
  int (*F)(double t, const double *x, const double *dx, double *F, void *ctx);
  /* dF/dx' and dF/dx, n x n each or both in `pattern`; NULL: by differences, coloured where there
     is a pattern */
  int (*jacobian)(double t, const double *x, const double *dx, double *Fdx, double *Fx, void *ctx);
  const dae_pattern *pattern; /* of both, NULL: dense */
  /* in place of F: f, and M unless it is the identity */
  int (*f)(double t, const double *x, double *f, void *ctx);
  int (*f_x)(double t, const double *x, double *J, void *ctx); /* n x n, or f_pattern */
  int (*mass)(double t, const double *x, double *M, void *ctx);
  dae_mass mass_kind;                          /* dense n x n; diagonal: n values; sparse */
  bool mass_constant;                          /* M does not depend on t and x */
  const dae_pattern *mass_pattern, *f_pattern; /* NULL: dense */
  int (*h)(double t, const double *x, double *h, void *ctx);
  int (*h_x)(double t, const double *x, double *H, void *ctx); /* nh x n, or h_pattern */
  int (*h_t)(double t, const double *x, double *ht, void *ctx);
  const dae_pattern *h_pattern;
  /* n flags: x_i' occurs in the equations; NULL: detected. The start holds these variables fixed */
  const unsigned char *differential;
  /* n numbers: 1 differential, or determined by the equations as they are; 2, 3 after one or two
     differentiations. A hint that saves a search at the start; NULL: none. Errors are controlled by
     the index that the equations show */
  const unsigned char *variable_index;
  const double *dx0;                /* guess of x' at the start, NULL: zero */
  const char *const *equation_name; /* n names of the equations, NULL: F1, F2 .. */
} dae_implicit;

typedef enum dae_kind { DAE_ODE = 1, DAE_HESSENBERG, DAE_MECHANICAL, DAE_IMPLICIT } dae_kind;

/* A direction of stabilization that belongs to the problem: D(t,z) is nz x nh (h = all
   invariants). */
typedef struct dae_direction {
  const char *name;
  int (*D)(double t, const double *z, double *D, void *ctx);
} dae_direction;

/* A known solution value; y may be NULL. */
typedef struct dae_reference {
  double t;
  const double *z, *y;
} dae_reference;

/* A function whose zero is an event. */
typedef struct dae_event {
  const char *name;
  int (*value)(double t, const double *z, const double *y, double *value, void *ctx);
  int direction; /* +1: rising zeros only, -1: falling only, 0: both */
  bool terminal; /* the solver returns DAE_EVENT */
  /* NULL, or a change of state; the solver then restarts from the nearest consistent point, with
     positions held and velocities projected in the mass norm */
  int (*change)(double t, double *z, void *ctx);
} dae_event;

struct dae_boundary; /* conditions of a boundary value problem: daedal/bvp.h */
struct dae_discrete; /* when, if, sample .. of a model as text: made by dae_model_build */

enum { DAE_ORDER_MAX = 6 };

typedef struct dae_problem {
  const char *name;   /* NULL: "problem" */
  const char *title;  /* one line */
  const char *source; /* where it comes from */
  dae_kind kind;
  /* the problem itself, in problems that the library has made (dae_model_problem): they are whole
     whatever the version of the program; else NULL */
  const struct dae_problem *whole;
  union {
    dae_ode ode;
    dae_hessenberg hessenberg;
    dae_mechanical mechanical;
    dae_implicit implicit;
    void *room[48]; /* for them to grow */
  };
  void *ctx;
  bool autonomous;  /* nothing depends on t: time derivatives that are NULL are zero */
  double t0, t1;    /* the interval that the problem suggests */
  const double *z0; /* initial values, nz of them; guesses where not fixed */
  /* guess of the multipliers, NULL: zero; needed only when f is not affine in y */
  const double *y0;
  const unsigned char *fixed; /* nz flags: the start must not change these; NULL: none is fixed */
  /* names of z (nz), y (ny) and of the constraints (ng + nw; nh for an ODE or an implicit problem).
     NULL: x1, der(x1), y1, g1 .. */
  const char *const *z_name, *const *y_name, *const *g_name;
  int n_par; /* parameters, for information: their values are built into ctx */
  const char *const *par_name;
  const double *par;
  int (*exact)(double t, double *z, double *y, void *ctx); /* the solution, when it is known */
  int n_ref;
  const dae_reference *ref; /* or some of its values */
  int n_direction;
  const dae_direction *direction;
  int n_event;
  const dae_event *event;
  /* nz flags: entries of z that are held fixed, where possible, while the others are made
     consistent after an event (the differential variables when z has algebraic ones too); NULL:
     positions */
  const unsigned char *event_held;
  const struct dae_boundary *boundary; /* NULL: initial value problem */
  /* further quantities that follow from a point, for a model text all its variables: the audit
     wants them finite. output_name: NULL, or n_output names */
  int n_output;
  int (*output)(double t, const double *z, const double *y, double *output, void *ctx);
  const char *const *output_name;
  /* NULL unless the problem is a model as text; its events have no function of their own */
  const struct dae_discrete *discrete;
} dae_problem;

/* Sizes that follow from the form. */
DAE_API int dae_problem_nx(const dae_problem *p); /* x (q; z of an ODE) */
/* m: 1 for an ODE, 2 for a mechanical problem */
DAE_API int dae_problem_order(const dae_problem *p);
DAE_API int dae_problem_nz(const dae_problem *p); /* differential variables, m*nx */
DAE_API int dae_problem_ny(const dae_problem *p); /* multipliers */
DAE_API int dae_problem_nh(const dae_problem *p); /* invariants: all constraints at all levels */
/* 0 ODE, 2 .. m+1; implicit: the largest variable_index, 0 where it is not declared */
DAE_API int dae_problem_index(const dae_problem *p);

/* Names, generated where the problem gives none; written to `text` of `size` bytes, which is
   returned. */
DAE_API const char *dae_problem_z_name(const dae_problem *p, int i, char *text, int size);
DAE_API const char *dae_problem_y_name(const dae_problem *p, int i, char *text, int size);
/* Constraint i at a level ("g1", "d/dt g1", "d2/dt2 g1"). */
DAE_API const char *dae_problem_g_name(const dae_problem *p, int i, int level, char *text,
                                       int size);
/* Equation i of an implicit problem. */
DAE_API const char *dae_problem_equation_name(const dae_problem *p, int i, char *text, int size);

/* Is the struct complete and sensible? DAE_OK or DAE_E_INPUT, with a sentence that names what
   is wrong. */
DAE_API dae_status dae_problem_valid(const dae_problem *p, char *message, int size);

/*
 * Compares every derivative that was given with differences at the point (t, z, y); z and y may be
 * NULL (initial values). DAE_OK, or DAE_E_INPUT with the name of the first wrong entry, both values
 * and the place. Where nothing can be concluded (jumps, noise, the edge of a domain) no error is
 * reported. dae_solver_start does the same unless the option check_derivatives is 0.
 */
DAE_API dae_status dae_problem_check(const dae_problem *p, double t, const double *z,
                                     const double *y, char *message, int size);

/*
 * The sizes of structs in the calling program: every function that takes one of them is passed its
 * size in this way, automatically. A program and a library of different versions are compatible:
 * what the program's struct lacks counts as zero (options: as their defaults); what the library
 * does not know must be zero, else DAE_E_INPUT.
 */
typedef struct dae_sizes {
  int own; /* of this struct */
  int problem, ode, hessenberg, mechanical, boundary;
  int report, stats, diagnosis;
  int implicit;
} dae_sizes;

DAE_API dae_status dae_problem_valid_sized(const dae_sizes *sizes, const dae_problem *p,
                                           char *message, int size);
DAE_API dae_status dae_problem_check_sized(const dae_sizes *sizes, const dae_problem *p, double t,
                                           const double *z, const double *y, char *message,
                                           int size);

#ifndef DAEDAL_BUILD
static inline dae_sizes dae_sizes_here(size_t boundary, size_t report, size_t stats,
                                       size_t diagnosis) {
  dae_sizes s;
  s.own = (int)sizeof s;
  s.problem = (int)sizeof(dae_problem);
  s.ode = (int)sizeof(dae_ode);
  s.hessenberg = (int)sizeof(dae_hessenberg);
  s.mechanical = (int)sizeof(dae_mechanical);
  s.boundary = (int)boundary;
  s.report = (int)report;
  s.stats = (int)stats;
  s.diagnosis = (int)diagnosis;
  s.implicit = (int)sizeof(dae_implicit);
  return s;
}
static inline dae_status dae_problem_valid_here(const dae_problem *p, char *message, int size) {
  dae_sizes sizes = dae_sizes_here(0, 0, 0, 0);
  return dae_problem_valid_sized(&sizes, p, message, size);
}
static inline dae_status dae_problem_check_here(const dae_problem *p, double t, const double *z,
                                                const double *y, char *message, int size) {
  dae_sizes sizes = dae_sizes_here(0, 0, 0, 0);
  return dae_problem_check_sized(&sizes, p, t, z, y, message, size);
}
#define dae_problem_valid dae_problem_valid_here
#define dae_problem_check dae_problem_check_here
#endif

#endif
