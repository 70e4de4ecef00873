/*
 * point: what is known of the system at one (t, z). It is put there by dae_point_at and filled by
 * the functions below, each part once; whoever needs the factorization or the gradients of a point
 * is handed the point. Every missing derivative is made by differences, results are checked for
 * NaN, and calls are counted.
 *
 * z is not copied: it must stay as it is until the point is put elsewhere. Whoever has changed it
 * puts the point there again; what was computed before is then gone, and asking for it is an error
 * of the program, not a number of another place.
 */
#ifndef DAE_POINT_H
#define DAE_POINT_H

#include <assert.h>

#include "problem/problem.h"

typedef struct dae_counts {
  long constraint, curvature, factor, solve;
  long difference; /* calls of functions that only differences asked for */
} dae_counts;

/* differences of levels along a path: in time, along the motion, twice along it */
enum { DAE_DIFFERENCE_TIME, DAE_DIFFERENCE_FIRST, DAE_DIFFERENCE_SECOND, DAE_DIFFERENCES };

struct dae_quadratic;
typedef struct dae_quadratic dae_quadratic;

/* what the points of one owner share: scratch, and the sizes of z that were seen */
typedef struct dae_workspace {
  double *a, *wide;   /* nx + nc; the larger of nx and nc */
  double *spare;      /* nx, for whoever must have x^(m) and does not want it */
  double *block;      /* one block of a Jacobian */
  double *wide_G;     /* nc x nz when g is of z */
  double *H;          /* nh x nz; NULL for large sparse problems */
  double *z, *dz, *f; /* of differences: one slice for each depth of nesting */
  int depth;
  double *typical; /* largest |z_j| since the start */
  /* of differences: sizes of z that they may count on, whether any were made */
  double *size, *one; /* nz; what the tolerances call one */
  double *terms;      /* nh: sizes of the terms in the invariants, where they were last asked for */
  bool differs;
  double hint[DAE_DIFFERENCES][DAE_ORDER_MAX + 1]; /* of dae_vector_path, by level */
  double wanted;        /* relative error of derivatives that the tolerances do not feel; 0: none */
  dae_spacing *spacing; /* of G, nx */
  int unjudged;         /* gradients since its distances were judged */
  dae_quadratic
      *quadratic; /* constraints of degree two: quadratic.h; NULL: they are not looked for */
} dae_workspace;

enum {
  DAE_HOLDS_MASS = 1,      /* M */
  DAE_HOLDS_GRADIENT = 2,  /* G */
  DAE_HOLDS_REST = 4,      /* rest */
  DAE_HOLDS_CURVATURE = 8, /* c */
  DAE_HOLDS_FACTORS = 16,  /* kkt and info */
  DAE_HOLDS_SCALE = 32,    /* scale and coarse */
  DAE_HOLDS_QUADRATIC = 64 /* that constraints of degree two have their value here */
};

typedef struct dae_point {
  const dae_system *sys;
  double t;
  const double *z;
  unsigned holds;      /* DAE_HOLDS_.. */
  unsigned lasting;    /* of these what is the same everywhere: a constant M */
  dae_matrix M, G, Kt; /* Kt only where it is not G */
  dae_matrix across;   /* see dae_point_across; only where it is not G */
  dae_matrix along;    /* see dae_point_along; likewise */
  bool matched;        /* rows that hold algebraic entries have one of their own: entry_of */
  int *entry_of, *row_of;
  unsigned char *seen;
  double *rest;         /* level m-1 of a mechanism without G v: g_t and w, nc */
  double *f, *c;        /* f and curvature of the elimination, nx and nc */
  dae_la_kkt *kkt;      /* [M K; G 0]; NULL when ny = 0 and M = I, or where none was asked for */
  dae_la_kkt_info info; /* of the last factorization */
  int full_rank; /* of the constraints but for singular positions: less than ny when redundant */
  bool complete; /* the system is, and NaN in M or G shows in the solution */
  double *scale, *coarse; /* per invariant: size of the terms that cancel in it, see row_scale */
  double *y_guess;        /* multipliers of the last elimination that nobody wanted, nc */
  double *lengths;        /* of the rows of G over the points that were kept, nc */
  double *lengths_aside;  /* what they were before output, nc */
  dae_counts *counts, own_counts;
  dae_counts kept; /* while it is aside */
  int aside;
  bool digits; /* Jacobians of the dynamics are wanted as exact as differences can be */
  dae_workspace *work;
} dae_point;

/* Takes all memory. beside (may be NULL): a point of the same owner, whose scratch is shared and
   with which calls are counted. factors: it can be eliminated at. */
dae_status dae_point_new(dae_point **out, dae_pool *pool, const dae_system *sys, dae_point *beside,
                         bool factors);
void dae_point_free(dae_point *p);
/* nothing is known of earlier runs */
void dae_point_start(dae_point *p);

/* Sizes of z for differences: at first a part of what the tolerances take for one, atol_j/rtol;
   atols may be NULL. seen: the largest of the points of the run */
void dae_point_sizes(dae_point *p, double rtol, double atol, const double *atols);
void dae_point_seen_more(dae_point *p, const double *z);
static inline void dae_point_seen(dae_point *p, const double *z) {
  if (p->work->differs) dae_point_seen_more(p, z);
}

/* here it is: nothing but a constant M is known yet */
static inline void dae_point_at(dae_point *p, double t, const double *z) {
  p->t = t;
  p->z = z;
  p->holds &= p->lasting;
}
/* of z at most x', .., x^(m-1) have changed */
static inline void dae_point_turned(dae_point *p) {
  bool mechanical = p->sys->p->kind == DAE_MECHANICAL;
  p->holds &= mechanical
                  ? DAE_HOLDS_MASS | DAE_HOLDS_GRADIENT | DAE_HOLDS_REST | DAE_HOLDS_QUADRATIC
                  : p->lasting;
}

/* Between these two nothing is counted, here and at the points that count with it: looks, output
   and audits are no cost of the solution. They nest. */
void dae_point_aside(dae_point *p);
void dae_point_back(dae_point *p);

/* All functions below: DAE_OK; DAE_E_CALLBACK when a callback said > 0 or gave NaN; DAE_STOPPED for
   < 0. */

/* f(t,z), or f(t,z,y) of a Hessenberg problem (y NULL: zero); nx values. ODE: z'. */
dae_status dae_point_force(dae_point *p, const double *y, double *f);

/* one level of the constraints: rows as problem.h says */
dae_status dae_point_level(dae_point *p, int level, double *r);
/* all invariants, nh values */
dae_status dae_point_invariants(dae_point *p, double *h);

/* G: matrix of the highest derivative, d(level m-1)/d x^(m-1), nc rows: [G; W]. For g(t,x) this
   is dg/dx at every level. */
dae_status dae_point_gradient(dae_point *p);
/* G with the columns along which its rows are restored: in rows that hold algebraic entries of z no
   others are left. Such an invariant says what these are: moving the states with them, as the least
   change does where they stand in steep terms, would follow another solution */
static inline const dae_matrix *dae_point_across(const dae_point *p) {
  assert(p->holds & DAE_HOLDS_GRADIENT);
  return p->across.x ? &p->across : &p->G;
}
/* The same space for the multipliers of a form: one algebraic variable in place of each such row.
   H D is then as well conditioned as the rows, with these themselves it is the square of that */
static inline const dae_matrix *dae_point_along(const dae_point *p) {
  assert(p->holds & DAE_HOLDS_GRADIENT);
  return p->along.x ? &p->along : &p->G;
}
/* dense Jacobian of one level with respect to z: rows(level) x nz */
dae_status dae_point_level_z(dae_point *p, int level, double *J);
/* dense Jacobian of all invariants: nh x nz */
dae_status dae_point_invariants_z(dae_point *p, double *H);
/* partial derivative in time of one level */
dae_status dae_point_level_t(dae_point *p, int level, double *r);
/* c := d/dt (level m-1) - G x^(m): nc values */
dae_status dae_point_curvature(dae_point *p, double *c);

/* M (nothing to do for identity, or when constant and known) */
dae_status dae_point_mass(dae_point *p);
/* K' for multipliers y: Kt of a Hessenberg problem (B'), G of a mechanism */
dae_status dae_point_multipliers(dae_point *p, const double *y);
static inline const dae_matrix *dae_point_Kt(const dae_point *p) {
  return p->Kt.x ? &p->Kt : &p->G;
}

/* evaluates M, G, K and factors [M K; G 0]. DAE_E_SINGULAR when M is singular or when the
   constraints are dependent beyond repair; info tells. Redundant but consistent rows are no
   error. */
dae_status dae_point_factor(dae_point *p, const double *y);
/* index-1 elimination (1992-stab (1.3)): a = x^(m), y from [M K; G 0][a; y] = [f; -c]. Factors;
   Newton in y when f is not affine (y is then also the guess). ODE: a = z'. y may be NULL. */
dae_status dae_point_accelerate(dae_point *p, double *a, double *y);

static inline bool dae_point_has(const dae_point *p, unsigned parts) {
  return (p->holds & parts) == parts;
}
/* the factors at this point */
static inline const dae_la_kkt *dae_point_kkt(const dae_point *p) {
  assert(dae_point_has(p, DAE_HOLDS_FACTORS));
  return p->kkt;
}
/* smallest singular value of the constraints here, redundant rows left out; 0 where rank is lost
   for the moment */
static inline double dae_point_sigma(const dae_point *p) {
  return p->info.rank < p->full_rank ? 0 : p->info.smallest;
}

/* Rows of G are measured by the largest length that they had at points that count. keep: those so
   far do; back: what was seen since does not. start: none was seen. What is seen between leave and
   come_back, for output, never counts */
void dae_point_lengths_start(dae_point *p);
void dae_point_lengths_keep(dae_point *p);
void dae_point_lengths_back(dae_point *p);
void dae_point_lengths_leave(dae_point *p);
void dae_point_lengths_come_back(dae_point *p);
/* the rank that the constraints have in general; false: the factorization cannot tell */
bool dae_point_expect(dae_point *p, int rank);

/* typical size of the terms in each invariant (for relative residuals): nh values each into scale
   and coarse */
dae_status dae_point_row_scale(dae_point *p);

/* r := M a + K y - f, nx values (Hessenberg: a - f(t,z,y)) */
dae_status dae_point_dynamics(dae_point *p, const double *a, const double *y, double *r);
/* Jacobian of that with a, y held: nx x nz dense (by differences where the problem gives no
   derivative) */
dae_status dae_point_dynamics_z(dae_point *p, const double *a, const double *y, double *J);
/* df/dz of an ODE: in f_pattern, dense where there is none */
dae_status dae_point_ode_z(dae_point *p, double *values);

/* the index of a Hessenberg problem by numbers, with f linearized at y; `redundant` constraints
   determine no multiplier. 0: none was found, or the problem is too large. Takes memory for the
   time of the call */
int dae_point_index(dae_point *p, const double *y, const double *size, double horizon,
                    int redundant);

/* one block of D: the nx x nc matrix that moves x^(l) for the constraints at that level (row-major,
   dense); FULL and CONSTRAINT: G', BLOCK and PINV: G', MASS: M^-1 G', FORCE: M^-1 K, UNIT: unit
   columns */
dae_status dae_point_direction_block(dae_point *p, const dae_direction_choice *d, double *D);
/* the same from what the point holds: the gradient, for MASS and FORCE the factors; not UNIT */
void dae_point_block(const dae_point *p, dae_direction_kind kind, double *D);
/* the whole D for all invariants, nz x nh: H' for FULL, else the blocks on the diagonal, or the
   problem's */
dae_status dae_point_direction(dae_point *p, const dae_direction_choice *d, double *D);

#endif
