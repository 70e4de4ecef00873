/* the dense KKT system once more, compiled for AVX2 (see CMakeLists.txt); nothing where there is
   none */
#include "la/kkt.h"

#ifdef __AVX2__
#define dae_la_kkt_dense dae_la_kkt_dense_wide
#include "la/kkt_dense.c"
#endif
