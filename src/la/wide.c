/* what is compiled once more, for AVX2 (see CMakeLists.txt); nothing where there is none */
#include "la/wide.h"

#ifdef __AVX2__

#include "la/dense/columns.h"
#include "la/dense/combine.h"
#include "la/dense/complex_columns.h"
#include "la/dense/product.h"
#include "la/kkt/dense.h"
#include "la/sparse/count.h"

const dae_la_kkt_backend dae_la_kkt_dense_wide = {DENSE_BACKEND};

void dae_la_combine_wide(int n, const double *z, double h, const dae_la_sum *sum, double *out) {
  combine(n, z, h, sum, out);
}

void dae_la_product_wide(int rows, int cols, int depth, dae_la_part A, dae_la_part B, double *C,
                         int ldc) {
  subtract_product(rows, cols, depth, A, B, C, ldc);
}

long long dae_la_count_wide(const double *x, size_t size) { return count_entries(x, size); }

int dae_la_columns_wide(int n, int from, int to, double *A, int *pivot) {
  return factor_columns(n, from, to, A, pivot);
}

int dae_la_complex_wide(int n, double complex *A, int *pivot) {
  return factor_complex(n, A, pivot);
}

#endif
