/* symmetric positive (semi)definite sparse matrices whose envelope is too wide: L D L' by fronts
   along the elimination tree */
#ifndef DAE_LA_TREE_H
#define DAE_LA_TREE_H

#include "la/la.h"

/*
 * Columns that have the same rows below them, or nearly so, form a node; its front is the dense
 * matrix of its rows, the first of them its own columns. Eliminating those leaves an update for the
 * front of its parent.
 */
typedef struct dae_la_tree {
  int n, nodes;
  int *first;       /* nodes + 1: the columns of a node are first[k] .. first[k+1] - 1 */
  int *parent;      /* of a node; -1: none */
  size_t *row_at;   /* nodes + 1: its rows */
  int *row;         /* in rising order */
  size_t *panel_at; /* nodes + 1: its part of L, a row of `width` numbers for each row */
  double *panel;
  int *children;         /* how many */
  int *entry_start;      /* n + 1: the places of S below the diagonal, by columns */
  int *entry_row;        /* their rows */
  int *entry_at;         /* where they are in the front of their column */
  double *entry;         /* S there */
  double *front, *below; /* the largest front; the rows of U below its columns */
  double *stack;         /* updates that wait for their parents */
  int *waiting, *local;  /* nodes of the stack; places of rows in the present front, n */
} dae_la_tree;

/* pivots in the order of elimination: called for row i with s_ii and d_i, returns 1/d_i or 0 */
typedef double dae_la_pivot(void *ctx, int i, double s, double d);

/* start and row: the pattern of S by columns without its diagonal, symmetric. order[new] = old.
   *work: multiplications of a factorization. DAE_OK, DAE_E_MEMORY or DAE_E_INPUT. */
dae_status dae_la_tree_new(dae_la_tree **out, dae_pool *pool, int n, int *start, int *row,
                           int *order, double *work);
/* gives the structure back */
void dae_la_tree_give(dae_la_tree *t, dae_pool *pool);
/* the memory for numbers */
dae_status dae_la_tree_take(dae_la_tree *t, dae_pool *pool);
/* where s_ij, i > j in the new order, belongs in `entry` */
int dae_la_tree_place(const dae_la_tree *t, int i, int j);
/* S with this diagonal and t->entry; reciprocal gets what pivot returns */
void dae_la_tree_factor(dae_la_tree *t, const double *diagonal, double *reciprocal,
                        dae_la_pivot *pivot, void *ctx);
/* x := L^-1 x and x := L^-T x */
void dae_la_tree_forward(const dae_la_tree *t, double *x);
void dae_la_tree_backward(const dae_la_tree *t, double *x);

#endif
