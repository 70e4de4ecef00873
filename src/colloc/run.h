/* one sequence of meshes from one guess: what its parts share */
#ifndef DAE_COLLOC_RUN_H
#define DAE_COLLOC_RUN_H

#include "colloc/bvp.h"

/* amplification by the matrix that is as good as infinite, when rounding alone does not bring it
   down */
static const double DAE_COLLOC_SINGULAR = 1e11;

/* the run on a sequence of meshes */
typedef struct dae_colloc_run {
  dae_colloc_bvp b;
  dae_colloc_task *task;
  dae_solution *now, *before; /* solved on this mesh and on the one before; before may be NULL */
  bool halved;                /* now is on the mesh of `before` with every interval halved */
  double *t;                  /* the next mesh */
  int N;
  int redistributed; /* times in a row without halving */
  int shrunk;        /* times that intervals were given up, */
  bool shrank;       /* and whether the last step did so */
  double needed;     /* intervals that the mesh before asked for, */
  int growing;       /* and times in a row that a finer one asked for many more */
  double worst;      /* intervals that it needed where it had one, at the worst place */
  bool blind;        /* meshes began without a solution or a wish, and layers were not looked for */
  bool layered;      /* the last mesh was made for layers, whose widths were guessed */
  bool bold, leapt;  /* Newton's method may leap, and did: see dae_colloc_newton */
  double curvature;  /* what Newton's method found on the mesh before */
  bool checking;     /* the mesh is one of verify.c: no error estimate belongs to it */
  bool looking;      /* the mesh is the coarse one of lookback.c */
  int doubts;        /* times that another mesh gave another solution */
  bool insist;       /* the next mesh is this one halved: see verify.c */
  double singular;   /* condition.singular of the candidate before, 0 when there was none */
  dae_colloc_condition condition; /* of the last candidate */
  dae_colloc_ends_modes modes;
  int n_history, history[DAE_COLLOC_MESHES];
} dae_colloc_run;

/* Newton on the mesh of s, from the values in s (bvp.c) */
dae_status dae_colloc_run_solve(dae_colloc_run *r, dae_solution *s);
/* the next mesh of r->t with values from the best that is known */
dae_status dae_colloc_run_new(dae_colloc_run *r, const dae_solution *guess, dae_solution **out);
/* s, solved on the first mesh, gets an estimate of its error from the mesh with every second point
   where that seems to be enough; else s->error stays NaN. l and n are what it was solved with
   (lookback.c) */
dae_status dae_colloc_run_look_back(dae_colloc_run *r, dae_colloc_linear *l, dae_solution *s,
                                    const dae_colloc_newton *n);
/* a second look at r->now, whose error estimate meets the tolerance: DAE_OK and `accepted`, or not
   and another r->now to go on from; else why it cannot be (verify.c) */
dae_status dae_colloc_run_verify(dae_colloc_run *r, bool *accepted);
/* jumps of the right-hand side between two elements of s, where none has a point: their number, and
   in t (N + 1) the mesh of s with points there (jumps.c) */
int dae_colloc_run_hidden_jumps(dae_colloc_run *r, const dae_solution *s, double *t);
/* an angle by which modes may swing on each element of r->now's successor without raising doubts
   about its matrix, whose amplification is r->condition.singular (verify.c) */
double dae_colloc_run_harmless(const dae_colloc_run *r, int N);
/* does rounding keep the error of r->now above the tolerance? DAE_OK, or the refusal (verify.c) */
dae_status dae_colloc_run_rounded(dae_colloc_run *r);
/* why there is no solution on this mesh, into the report; the status that fits (explain.c) */
dae_status dae_colloc_run_explain(dae_colloc_run *r, dae_solution *s, dae_colloc_linear *l,
                                  const dae_colloc_newton *n, dae_status status);
/* conditions that depend on each other at the values of s, told in the report */
bool dae_colloc_run_dependent(dae_colloc_run *r, dae_solution *s);

#endif
