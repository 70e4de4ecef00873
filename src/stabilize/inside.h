/* what the files of stabilize share among themselves */
#ifndef DAE_STABILIZE_INSIDE_H
#define DAE_STABILIZE_INSIDE_H

#include "stabilize/stabilize.h"

struct dae_stabilizer {
  const dae_system *sys;
  dae_point *at;        /* own one: where z is */
  const dae_point *run; /* that of the run: its rank tells of redundant constraints */
  dae_stabilizer_kind kind;
  dae_direction_choice direction;
  bool plain;      /* F = D (1.14) */
  bool by_level;   /* every level corrected by its own G (4.8), (5.2): cross terms dropped */
  bool sor;        /* (HD)^-1 by sweeps */
  int first, last; /* levels that are used */
  int rows, row0;  /* invariants that are used, and where they begin in h */
  double alpha, ctol;
  int passes, freeze;
  double *h;     /* invariants, nh */
  double *delta; /* F h, nz */
  double *kept;  /* forward: F h at the start of the step; backward: the point before correction */
  double *H, *D, *HD, *x; /* dense; NULL by level */
  int *pivot;             /* of HD = LU, or the order of its rows when they are redundant */
  int rank;               /* 0: HD = LU; else that of its scaled rows, by QR */
  double *scale, *column, *tau, *work; /* nh; nh; nh; 4 nh: for redundant constraints */
  int age;                             /* corrections since HD was factored; -1: never */
  dae_la_kkt *kkt;                     /* [M G'; G 0] in the norm of least change, own one */
  double *M, *G;                       /* its values, where they are not those of the point */
  double *right;                       /* right-hand side of one level, nc */
  double before;                       /* largest residual in use before the last correction */
  double *unit;  /* ctol times the sizes of the terms, own ones: others look at other points */
  int scale_age; /* projections since they were computed */
  dae_stabilize_counts counts;
  int bad_row, bad_level;
  double bad_residual;
};

/* all of these at s->at; near: a point that lends its factors, or NULL */

/* may the factors of this point stand for those in the norm of least change? */
const dae_la_kkt *dae_stabilize_borrow(const dae_stabilizer *s, const dae_point *near);
/* delta := F(z) h for given invariants h (all of them) */
dae_status dae_stabilize_apply(dae_stabilizer *s, const double *h, double *delta,
                               const dae_point *near);
/* delta_l := M^-1 G'(G M^-1 G')^-1 r for one level, with the factorization of `kkt` */
void dae_stabilize_level(dae_stabilizer *s, const dae_la_kkt *kkt, int level, const double *r,
                         double *delta);
/* factors the KKT object of least change; fixed entries of x^(level) are held (NULL: none) */
dae_status dae_stabilize_factor(dae_stabilizer *s, const unsigned char *fixed);

/* H, D and HD of the rows in use */
dae_status dae_stabilize_matrices(dae_stabilizer *s);
/* (3.10) for the levels in use: corrects z, which is where s->at is */
dae_status dae_stabilize_onto(dae_stabilizer *s, double *z, const dae_point *near);

#endif
