/*
 * staircase: the index of 0 = F(t,x,x') by numbers, and which variables need how many
 * differentiations
 */
#ifndef DAE_STAIRCASE_H
#define DAE_STAIRCASE_H

#include "problem/branches.h"
#include "problem/implicit.h"

enum {
  DAE_STAIRS = 6,        /* differentiations at most */
  DAE_STAIRS_MOST = 300, /* variables: the matrices are dense */
  DAE_STAIRS_NODES = 7   /* points along the path */
};

/* a path x + s x', s from 0 to length (with the sign of the run), and a time in which x changes */
typedef struct dae_path {
  double t, length;
  const double *x, *dx;
} dae_path;

typedef struct dae_structure {
  int index;     /* differentiations until x' is determined; -1: not found */
  int rank;      /* of dF/dx' */
  bool singular; /* the equations do not determine the variables: */
  int equation;  /* this one depends on the others */
  int variable;  /* and this one is free */
} dae_structure;

/* takes memory for the time of the call; n at most DAE_STAIRS_MOST */
dae_status dae_problem_structure(dae_residual *r, const dae_path *path, dae_structure *out);

/* out->singular: the equations do not determine the variables at the path's begin, which solves
   them: pivots of s E + A are below `rounding` for all s. Its index is not looked for */
dae_status dae_problem_singular(dae_residual *r, const dae_path *path, double rounding,
                                dae_structure *out);

/* they do beyond doubt, at the path's begin, which is near a solution, and there: pivots of s E + A
   for some s are far above what F is off by. One-sided differences do */
dae_status dae_problem_regular(dae_residual *r, const dae_path *path, bool *yes);

/* of the algebraic equations at path->x, where the index is 1, by differences of this accuracy;
   ball: n sizes. Takes memory for the time of the call */
dae_status dae_problem_implicit_branches(dae_residual *r, const dae_path *path, const double *ball,
                                         dae_accuracy accuracy, dae_branches *out);

/* of dF/dx' at the path's begin */
dae_status dae_problem_rank(dae_residual *r, const dae_path *path, int *rank);

/* of_variable: n numbers, 1 + the power of s with which a disturbance of the equations shows in the
   variable when (s E + A) is inverted, s large; never below 1 nor above `index` */
dae_status dae_problem_variable_index(dae_residual *r, const dae_path *path, int index,
                                      unsigned char *of_variable);

/* coefficients of the polynomials that are 1 at one of the nodes m/(nodes - 1) and 0 at the others:
   out[j * nodes + m] belongs to u^j */
void dae_problem_node_weights(int nodes, double *out);

#endif
