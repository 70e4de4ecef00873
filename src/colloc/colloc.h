/*
 * colloc: projected collocation of order-m problems (1992-col): initial and boundary values.
 *
 * On the element [t0, t0+h] (2.19)-(2.21):
 *   x_pi(t)  = sum_j (t-t0)^(j-1)/(j-1)! z_j + h^m sum_j psi_j((t-t0)/h) w_j,   w_j = x^(m)(t0 +
 * h rho_j)
 *   y_pi(t)  = interpolant of y_j
 * The state Z of a mesh point is (x, x', .., x^(m-1)) and, in form pi2, phi behind it. The
 * unknowns of one
 * collocation point are W = (x^(m), phi') and a = y (index2), mu (pi1, pi2).
 */
#ifndef DAE_COLLOC_H
#define DAE_COLLOC_H

#include "problem/point.h"
#include "problem/settings.h"

enum { DAE_COLLOC_MAX = 8 }; /* largest k */

/* ---- collocation points (points.c) ---- */

typedef struct dae_colloc_rule {
  int k;
  bool radau; /* the last point is the end of the element */
  int order;  /* p: 2k Gauss, 2k-1 Radau */
  int levels; /* order of the equations: integrals up to this one are there */
  double rho[DAE_COLLOC_MAX];
  double lagrange[DAE_COLLOC_MAX][DAE_COLLOC_MAX]; /* L_j(s) = sum_c lagrange[j][c] s^c */
  /* the q-fold integral of L_j from 0 is s^q sum_c integrated[q][c][j] s^c */
  double integrated[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX][DAE_COLLOC_MAX];
  /* q-fold integrals of L_j from 0, q = 0 .. levels, to rho_i and to 1 */
  double inner[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX][DAE_COLLOC_MAX];
  double end[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX];
  /* A^q of A = inner[1]: integrals of what is interpolated anew each time, as in chains of
     equations of order 1; q = 1 .. DAE_ORDER_MAX */
  double power[DAE_ORDER_MAX + 1][DAE_COLLOC_MAX][DAE_COLLOC_MAX];
  /* max over s of the q-fold integral of prod (s-rho_j)/prod(-rho_j): size of the first neglected
     term */
  double neglected[DAE_ORDER_MAX + 1];
} dae_colloc_rule;

void dae_colloc_rule_init(dae_colloc_rule *r, bool radau, int k, int levels);
/* weights[j] := q-fold integral of L_j from 0 to s */
void dae_colloc_rule_weights(const dae_colloc_rule *r, double s, int q, double *weights);
/* the rule of a method of collocation; false: it is another one */
bool dae_colloc_rule_of(const dae_method *method, bool *radau, int *k);

/* ---- forms: the equations at one point (form.c) ---- */

typedef enum dae_colloc_kind {
  DAE_COLLOC_INDEX2, /* M w + K y = f, 0 = sum a_l g^(l)       (3.1a), (3.6) */
  DAE_COLLOC_PI1,    /* w = fhat(z) + D mu, 0 = sum a_l g^(l)  (2.28) */
  DAE_COLLOC_PI2     /* w = fhat(x+phi, ..), phi' = D mu, 0 = g(x+phi)  (3.11), (3.13) */
} dae_colloc_kind;

/* linearization at one point: A dW + J dZ + K da = -dynamics, C dZ = -constraint */
typedef struct dae_colloc_point {
  double *dynamics, *constraint; /* nv, na */
  double *A, *J, *K, *C;         /* nv x nv, nv x ns, nv x na, na x ns */
} dae_colloc_point;

typedef struct dae_colloc_form {
  dae_colloc_kind kind;
  const dae_system *sys;
  dae_point *at;
  int m, nx, nphi;             /* nphi = nx in pi2, else 0 */
  int ns, nv, na;              /* sizes of Z, W, a */
  double alpha[DAE_ORDER_MAX]; /* Baumgarte polynomial (3.6), alpha[m-1] = 1 */
  dae_direction_choice direction;
  bool frozen; /* pi2: D of an element is taken at its end */
  double load; /* part of the right-hand side f(t,z,0) that acts: 1, less in continuation */
  bool *kept;  /* rows of f that act in full all the same (load.c); NULL: none */
  double *z, *acc, *y, *M, *G, *D, *L, *F, *c; /* scratch */
} dae_colloc_form;

/* options form, gamma, coefficients, direction; DAE_E_FORM or DAE_E_INPUT with a sentence */
dae_status dae_colloc_form_init(dae_colloc_form *f, dae_point *at, const dae_settings *o,
                                dae_pool *pool, char *message, int size);
/* residuals, and with `jacobian` the matrices; t_end is the end of the element (frozen D) */
dae_status dae_colloc_form_point(dae_colloc_form *f, double t, double t_end, const double *Z,
                                 const double *W, const double *a, bool jacobian,
                                 dae_colloc_point *out);
/* z of the problem from Z: x + phi in place of x */
void dae_colloc_form_z(const dae_colloc_form *f, const double *Z, double *z);
/* collocated constraint c(Z) (na) and its Jacobian (na x ns; may be NULL) */
dae_status dae_colloc_form_constraint(dae_colloc_form *f, double t, const double *Z, double *c,
                                      double *C);
/* direction of projection (2.22): nx x na, moves x^(m-1) (pi2: phi) */
dae_status dae_colloc_form_direction(dae_colloc_form *f, double t, const double *Z, const double *a,
                                     double *D);
/* multipliers y of the problem at a point of the solution with algebraic unknowns a */
dae_status dae_colloc_form_multipliers(dae_colloc_form *f, double t, const double *Z,
                                       const double *a, double *y);

/* ---- one element: k points coupled (element.c) ---- */

/*
 * Variables of which each is the derivative of the one before: x, x', .., x^(m-1) of a problem of
 * order m, or those of equations x_a' = x_b of a system of order 1, whose W follows from the state.
 * The highest derivative of each chain is an unknown of the local system.
 */
typedef struct dae_colloc_chains {
  int count;   /* in rising order of their tops */
  int *top;    /* component of W that is an unknown */
  int *length; /* variables of the chain, DAE_ORDER_MAX at most */
  int *state;  /* count x DAE_ORDER_MAX: their places in Z, the lowest derivative first */
} dae_colloc_chains;

/* what is kept of a factored element: S_j = [U^-1 Q1'; Q2'] from K_j = Q1 U, Q2' K_j = 0
   eliminates a_j, and
   LU is the k nv x k nv system for W alone (1992-col section 4), or for the tops of chains */
typedef struct dae_colloc_factor {
  double *LU;  /* (k nv)^2, or less: */
  size_t room; /* numbers that fit in; where chains were counted on and there are none, a larger */
  dae_pool *more; /* one is taken from here; NULL: room is enough for all */
  int *pivot;     /* k nv */
  double *S;      /* k blocks of nv x nv; none when na = 0, as S = I */
  double *direct; /* k blocks of na x (nv + ns): U^-1 Q1' [A J] */
  double *J;      /* k blocks of nv x ns where equations of order 1 may make chains, else NULL */
  bool chained;   /* by the chains that were found */
} dae_colloc_factor;

typedef struct dae_colloc_element {
  dae_colloc_form *form;
  const dae_colloc_rule *rule;
  dae_colloc_point point; /* scratch of one point */
  double *stage;          /* states at the k points of the last residual or factorization, or */
                          /* their changes in element_multipliers */
  double *Z;              /* scratch of one state */
  double *SJ, *CJ;        /* all k points: S_j J_j (k blocks nv x ns), C_j (na x ns) */
  double *SA;             /* one block nv x nv */
  double *zero;           /* ns zeros */
  double *qr;             /* nv x (nv + na) */
  int bad_point;          /* where the local matrix is singular, -1 when not known */
  bool plain;             /* neither multipliers nor a mass matrix: the system is one of chains */
  dae_colloc_chains own, found; /* those of the order, and those among equations of order 1 */
  int *next;     /* nv: x_c' = x_next[c] where the first point had this equation, else -1 */
  int *before;   /* nv: the c of x_c' = x_b, or -1 */
  bool searched; /* for them */
  double *shift; /* k blocks of ns: what residuals of chains move the states by */
} dae_colloc_element;

dae_status dae_colloc_element_init(dae_colloc_element *e, dae_colloc_form *f,
                                   const dae_colloc_rule *r, dae_pool *pool);
/* numbers of J that a factor keeps: see dae_colloc_factor */
size_t dae_colloc_element_rows(const dae_colloc_element *e);
dae_status dae_colloc_factor_init(dae_colloc_factor *f, const dae_colloc_element *e,
                                  dae_pool *pool);

/* Z(t0 + h s): s with its weights[q][j], q = 1 .. m */
void dae_colloc_element_state(const dae_colloc_element *e, double h, double s,
                              const double *const *weights, const double *Z0, const double *W,
                              double *Z);
void dae_colloc_element_end(const dae_colloc_element *e, double h, const double *Z0,
                            const double *W, double *Z);
/* the interpolant (2.21) of a at t0 + h s (q = 0 weights) */
void dae_colloc_element_algebraic(const dae_colloc_element *e, const double *weights,
                                  const double *a, double *out);

/* residual: k blocks (dynamics nv, constraint na) */
dae_status dae_colloc_element_residual(dae_colloc_element *e, double t0, double h, const double *Z0,
                                       const double *W, const double *a, double *residual);
/* the same at the point of the last call, after a change that leaves Z0 and W alone */
dae_status dae_colloc_element_again(dae_colloc_element *e, double t0, double h, const double *W,
                                    const double *a, double *residual);
/* residual and factorization; DAE_E_SINGULAR when the local matrix is singular */
dae_status dae_colloc_element_factor(dae_colloc_element *e, double t0, double h, const double *Z0,
                                     const double *W, const double *a, double *residual,
                                     dae_colloc_factor *f);
/* least over largest pivot of the local matrix: below 1e-12 it is singular for all purposes */
double dae_colloc_factor_pivots(const dae_colloc_element *e, const dae_colloc_factor *f);
/* dW := correction for a residual r with Z0 held; da := -U^-1 Q1' r, part of that of a */
void dae_colloc_element_solve(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                              const double *residual, double *dW, double *da);
/* da -= U^-1 Q1' (A dW_j + J dz_j), dz_j from dZ0 (NULL: zero) and dW: the rest of the
   correction */
void dae_colloc_element_multipliers(dae_colloc_element *e, const dae_colloc_factor *f, double h,
                                    const double *dZ0, const double *dW, double *da);
/* after element_factor: the map dZ0 -> dW into columns 0 .. ns-1 of WZ (k nv x cols) */
void dae_colloc_element_maps(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                             int cols, double *WZ);

/* ---- the same without multipliers and mass (chains.c) ---- */

dae_status dae_colloc_chains_init(dae_colloc_element *e, dae_pool *pool);
/* J of the k points is in e->SJ; 0, 1 + the column without a pivot, or -1: no memory */
int dae_colloc_chains_factor(dae_colloc_element *e, double h, dae_colloc_factor *f);
void dae_colloc_chains_solve(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                             const double *residual, double *dW);
void dae_colloc_chains_maps(const dae_colloc_element *e, const dae_colloc_factor *f, double h,
                            int cols, double *WZ);
/* unknowns of the local system that are expected: those of chains once they were found */
static inline int dae_colloc_expected(const dae_colloc_element *e) {
  bool chained = e->plain && e->searched && e->found.count > 0;
  return e->rule->k * (chained ? e->found.count : e->form->nv);
}
/* unknowns of the local system */
static inline int dae_colloc_unknowns(const dae_colloc_element *e, const dae_colloc_factor *f) {
  return e->rule->k * (e->plain && f->chained ? e->found.count : e->form->nv);
}

/* ---- projections at the end of an element (project.c) ---- */

typedef enum dae_colloc_projection {
  DAE_COLLOC_PROJECT_NONE,
  DAE_COLLOC_PROJECT_VELOCITY, /* (2.22): x^(m-1) (pi2: phi) onto the collocated constraint */
  DAE_COLLOC_PROJECT_POSITION, /* (3.8): x onto 0 = g */
  DAE_COLLOC_PROJECT_BOTH,     /* (2.22), then (3.8), then the levels between */
  DAE_COLLOC_PROJECT_ALL       /* every x^(l) onto g^(l), upwards: all levels hold at mesh points */
} dae_colloc_projection;

/* option `project`, and form pi1-plus */
dae_colloc_projection dae_colloc_projection_find(const dae_settings *o);

typedef struct dae_colloc_projector {
  dae_colloc_form *form;
  double *c, *C, *D, *N, *step; /* residual, Jacobian, direction, C D */
  int *pivot;
} dae_colloc_projector;

dae_status dae_colloc_projector_init(dae_colloc_projector *p, dae_colloc_form *f, dae_pool *pool);
/* projects Z at time t; a = algebraic unknowns there; skip_top: (2.22) holds already (Radau
   points) */
dae_status dae_colloc_project(dae_colloc_projector *p, dae_colloc_projection kind, bool skip_top,
                              double t, const double *a, double *Z);

/* ---- initial values: a stepper on the problem itself (ivp.c) ---- */

struct dae_stepper;
/* a stepper for a method colloc-gaussK or colloc-radauK; options form, direction, project, .. as
   said above.
   DAE_E_FORM or DAE_E_INPUT with a sentence */
dae_status dae_colloc_step_new(struct dae_stepper **out, const dae_method *m, dae_point *point,
                               const dae_settings *o, dae_pool *pool, char *message, int size);

#endif
