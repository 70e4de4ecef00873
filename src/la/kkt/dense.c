/* the dense symmetric KKT system for any processor */
#include "la/kkt/dense.h"

const dae_la_kkt_backend dae_la_kkt_dense = {DENSE_BACKEND};
