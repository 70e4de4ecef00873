/*
 * matrix: values together with how they are stored (identity, diagonal, dense, pattern), and the
 * few operations that all layers need, so that the storage is asked for here and nowhere else
 */
#ifndef DAE_MATRIX_H
#define DAE_MATRIX_H

#include <string.h>

#include "la/la.h"

typedef struct dae_matrix {
  dae_la_mass kind;
  int rows, cols;
  int size;                  /* number of values; 0: identity */
  const int *start, *column; /* of a pattern, else NULL */
  double *x;                 /* dense ones row by row */
  /* of a dense one: places outside which only zeros were seen (zeros.c), NULL: not looked at; and
     whether that holds for the present values, which are then visited there alone */
  const dae_pattern *found;
  long thin; /* as wide as a pointer: padding would carry noise into checkpoints */
} dae_matrix;

/* storage without values; pattern NULL: dense */
dae_matrix dae_matrix_of(int rows, int cols, const dae_pattern *pattern);
/* a matrix of the same storage with values from the pool; pool->failed tells */
dae_matrix dae_matrix_new(dae_pool *pool, const dae_matrix *like);
/* the first rows of it */
dae_matrix dae_matrix_top(const dae_matrix *a, int rows);

/* before every evaluation; a thin one is empty when its places are */
void dae_matrix_clear_thin(dae_matrix *a);
static inline void dae_matrix_clear(dae_matrix *a) {
  if (a->thin) dae_matrix_clear_thin(a);
  else if (a->size > 0) memset(a->x, 0, (size_t)a->size * sizeof *a->x);
}
/* after it: is it thin? */
void dae_matrix_settle(dae_matrix *a);
bool dae_matrix_finite(const dae_matrix *a);
/* r := A x; r := r + A x; x := x + A' y */
void dae_matrix_times(const dae_matrix *a, const double *x, double *r);
void dae_matrix_add(const dae_matrix *a, const double *x, double *r);
void dae_matrix_t_add(const dae_matrix *a, const double *y, double *x);
/* the stored entries into a dense block: to[i down + j right] := factor A_ij. Others stay as they
   are; (n, 1) is a block of a matrix with n columns, (1, n) its transpose */
void dae_matrix_put(const dae_matrix *a, double factor, double *to, size_t down, size_t right);

/* the stored entries of a row */
typedef struct dae_row {
  double *x;
  const int *column; /* NULL: first, first + 1, .. */
  int count, first;
} dae_row;

/* not of an identity, which stores none */
static inline dae_row dae_matrix_row(const dae_matrix *a, int i) {
  if (a->start) {
    int first = a->start[i], count = a->start[i + 1] - first;
    /* an empty pattern may have no memory behind it */
    if (count == 0) return (dae_row){0};
    return (dae_row){a->x + first, a->column + first, count, 0};
  }
  if (a->kind == DAE_LA_DIAGONAL) return (dae_row){a->x + i, NULL, 1, i};
  return (dae_row){a->x + (size_t)i * (size_t)a->cols, NULL, a->cols, 0};
}

static inline int dae_row_column(const dae_row *r, int k) {
  return r->column ? r->column[k] : r->first + k;
}

#endif
