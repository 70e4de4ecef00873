/* what is compiled once more, for AVX2 (see CMakeLists.txt); nothing where there is none */
#include "la/wide.h"

#ifdef __AVX2__

#include "la/combine.h"

#define dae_la_kkt_dense dae_la_kkt_dense_wide
#include "la/kkt_dense.c"

void dae_la_combine_wide(int n, const double *z, double h, int count, const double *a,
                         const double *const *k, double *out) {
  combine(n, z, h, count, a, k, out);
}

#endif
