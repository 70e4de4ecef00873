/* dense matrices of which only some places were ever seen to hold anything */
#include "la/la.h"
#include "la/sparse/count.h"
#include "la/wide.h"

/* as many entries that are not zero in the places as anywhere: then there are none elsewhere */
bool dae_la_within(const dae_pattern *p, const double *dense) {
  const size_t size = (size_t)p->rows * (size_t)p->cols;
  long long count = DAE_LA_WIDE ? dae_la_count_wide(dense, size) : count_entries(dense, size);
  for (int i = 0; i < p->rows; i++, dense += p->cols)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) count -= dense[p->column[k]] != 0;
  return count == 0;
}

void dae_la_collect(const dae_pattern *p, const double *dense, double *values) {
  for (int i = 0; i < p->rows; i++, dense += p->cols)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) values[k] = dense[p->column[k]];
}
