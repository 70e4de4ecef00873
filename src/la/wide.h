/* kernels that are there twice: for any processor, and in wide.c for one with AVX2. Which are taken
   is decided when the program runs; the numbers are the same. */
#ifndef DAE_LA_WIDE_H
#define DAE_LA_WIDE_H

#include "la/kkt/kkt.h"

extern const dae_la_kkt_backend dae_la_kkt_dense_wide;
void dae_la_combine_wide(int n, const double *z, double h, const dae_la_sum *sum, double *out);
void dae_la_product_wide(int rows, int cols, int depth, dae_la_part A, dae_la_part B, double *C,
                         int ldc);
long long dae_la_count_wide(const double *x, size_t size);
int dae_la_columns_wide(int n, int from, int to, double *A, int *pivot);
int dae_la_complex_wide(int n, double complex *A, int *pivot);

#ifdef DAE_LA_HAS_WIDE
#define DAE_LA_WIDE DAE_PROCESSOR_HAS_AVX2
#else
#define DAE_LA_WIDE false
#endif

#endif
