/*
 * problem: the user's equations as one system, whatever form they were written in: sizes, storage,
 * which functions there are. Constant after creation
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
#include "base/iteration.h"
#include "base/team.h"
#include "problem/difference.h"
#include "problem/matrix.h"
#include <daedal/problem.h>

typedef struct dae_system {
  const dae_problem *p;
  dae_pool *pool;        /* where it was taken from */
  dae_allocator passing; /* memory for the time of a call; see passing_room in system.c */
  int order, nx, nz, ny, ng, nw, nh;
  int nc;             /* rows of the highest level, ng + nw */
  bool affine;        /* f = f0 - B y (always so for mechanical) */
  bool has_mass;      /* M is not the identity */
  bool mass_constant; /* nor does it change */
  bool complete; /* mechanical with force, G and curvature given, and no velocity constraints */
  bool narrow;   /* matrices of nh x nz are small enough to be dense */
  dae_la_kkt_shape shape;       /* of [M K; G 0] */
  dae_pattern pattern;          /* of [G; W] when sparse */
  dae_matrix M, G, Kt;          /* how M, [G; W] and K' are stored, without values */
  const dae_pattern *f_pattern; /* of df/dz of an ODE; NULL: dense */
  /* places of dense dynamics_q and force_v outside which only zeros were seen; NULL: not looked at
     (dae_problem_zeros_dynamics) */
  const dae_pattern *dynamics_found, *force_found;
  dae_team *team; /* threads for differences; NULL: none */
  /* columns of f_pattern and of [G; W] that differences move together; where they are needed */
  dae_colours f_colours, G_colours;
} dae_system;

/* DAE_OK, DAE_E_MEMORY or DAE_E_INPUT. It does not change afterwards: what is known at a point of
   the solution is a dae_point (problem/point.h) */
dae_status dae_problem_system_new(const dae_system **out, dae_pool *pool, const dae_problem *p);
/* but for the threads that it works with; room: doubles that each of them needs */
size_t dae_problem_team_room(const dae_problem *p);
void dae_problem_team(const dae_system *s, dae_team *team);
/* would a new one, with the initial values that the problem has now, find the same places of dense
   matrices empty (zeros.c)? DAE_OK or DAE_E_MEMORY */
dae_status dae_problem_zeros_same(const dae_system *s, bool *same);
/* where G has few entries: dynamics_found and force_found, for implicit methods. DAE_OK or
   DAE_E_MEMORY */
dae_status dae_problem_zeros_dynamics(const dae_system *s);

static inline int dae_problem_level_rows(const dae_system *s, int level) {
  return level == s->order - 1 ? s->nc : s->ng;
}

/* dz := (x', .., x^(m-1), a) */
void dae_problem_chain(const dae_system *s, const double *z, const double *a, double *dz);

/* direction D of the table (DESIGN 2): which, and its place in the names */
typedef enum dae_direction_kind {
  DAE_DIR_AUTO = -1,  /* what fits the problem, or the form */
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

/* from a name of the table ("block", "unit:1,3", or one of the problem's own): choose/settings.c */
typedef struct dae_direction_choice {
  dae_direction_kind kind;
  const dae_direction *own; /* DAE_DIR_PROBLEM */
  int n_unit, unit[32];     /* DAE_DIR_UNIT: coordinates from 0; n_unit 0: the last ones */
} dae_direction_choice;
/* its name, as in the table; of unit without the coordinates */
const char *dae_problem_direction_name(const dae_direction_choice *d);
/* *d where it is free becomes `otherwise`, and this, where it is free too, what fits the problem;
   DAE_E_INPUT when coordinates were named that do not fit */
dae_status dae_problem_direction_settle(const dae_system *s, dae_direction_kind otherwise,
                                        dae_direction_choice *d, char *message, int size);

#endif
