/* sparse LU of one pattern, real and complex: the only face of KLU */
#ifndef DAE_LA_KLU_H
#define DAE_LA_KLU_H

#include "la/la.h"

typedef struct dae_la_klu dae_la_klu;

/* the pattern is by columns: column j has its rows at row[start[j] .. start[j+1]-1], rising. Both
   arrays stay with the caller and must live as long as the object. */
dae_status dae_la_klu_new(dae_la_klu **out, dae_pool *pool, int n, int *start, int *row);
void dae_la_klu_free(dae_la_klu *k);
/* DAE_OK, DAE_E_SINGULAR (the culprit is then a column) or DAE_E_MEMORY */
dae_status dae_la_klu_factor(dae_la_klu *k, double *values);
dae_status dae_la_klu_factor_complex(dae_la_klu *k, double complex *values);
void dae_la_klu_solve(const dae_la_klu *k, double *b);
void dae_la_klu_solve_t(const dae_la_klu *k, double *b);
void dae_la_klu_solve_complex(const dae_la_klu *k, double complex *b);
int dae_la_klu_culprit(const dae_la_klu *k);
/* order[new] = old with little fill for a symmetric pattern, by AMD */
dae_status dae_la_klu_order(int n, int *start, int *row, int *order);
/* multiplications and additions of one factorization, for choosing between methods */
double dae_la_klu_flops(const dae_la_klu *k);

#endif
