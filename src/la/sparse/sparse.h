/* sparse LU of one pattern, real and complex (lu.c) */
#ifndef DAE_LA_SPARSE_H
#define DAE_LA_SPARSE_H

#include "la/la.h"

typedef struct dae_la_sparse dae_la_sparse;

/* the pattern is by columns: column j has its rows at row[start[j] .. start[j+1]-1], rising. Both
   arrays stay with the caller and must live as long as the object. */
dae_status dae_la_sparse_new(dae_la_sparse **out, dae_pool *pool, int n, int *start, int *row,
                             unsigned numbers);
/* one more of the pattern of another: it shares its order and the room it works in */
dae_status dae_la_sparse_beside(dae_la_sparse **out, dae_pool *pool, const dae_la_sparse *other,
                                unsigned numbers);
void dae_la_sparse_free(dae_la_sparse *k);
/* takes the memory for real or complex factors, so that factoring takes none */
dae_status dae_la_sparse_reserve(dae_la_sparse *k, bool imaginary);
/* DAE_OK, DAE_E_SINGULAR (the culprit is then a column) or DAE_E_MEMORY */
dae_status dae_la_sparse_factor(dae_la_sparse *k, double *values);
dae_status dae_la_sparse_factor_complex(dae_la_sparse *k, double complex *values);
void dae_la_sparse_solve(const dae_la_sparse *k, double *b);
void dae_la_sparse_solve_t(const dae_la_sparse *k, double *b);
void dae_la_sparse_solve_complex(const dae_la_sparse *k, double complex *b);
int dae_la_sparse_culprit(const dae_la_sparse *k);
/* order[new] = old with little fill for a symmetric pattern, by minimum degree */
dae_status dae_la_sparse_order(const dae_allocator *allocator, int n, int *start, int *row,
                               int *order);
/* multiplications and additions of one factorization, for choosing between methods */
double dae_la_sparse_flops(const dae_la_sparse *k);

#endif
