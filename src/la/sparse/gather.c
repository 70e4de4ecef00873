/* dense matrices of which only some places were ever seen to hold anything */
#include "la/la.h"

typedef unsigned long long bits DAE_MAY_ALIAS;

/* the bits that any of so many numbers has: unlike comparisons that goes several at a time on any
   processor */
static inline unsigned long long any(const bits *b, int count) {
  unsigned long long all = 0;
  for (int i = 0; i < count; i++) all |= b[i];
  return all;
}

/* columns of a row rise: what is between them, before and behind */
bool dae_la_within(const dae_pattern *p, const double *dense) {
  const bits *row = (const bits *)dense;
  unsigned long long all = 0;
  for (int i = 0; i < p->rows; i++, row += p->cols) {
    int next = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      const int place = p->column[k];
      all |= any(row + next, place - next);
      next = place + 1;
    }
    all |= any(row + next, p->cols - next);
  }
  /* zeros may have a sign */
  return all << 1 == 0;
}

void dae_la_collect(const dae_pattern *p, const double *dense, double *values) {
  for (int i = 0; i < p->rows; i++, dense += p->cols)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) values[k] = dense[p->column[k]];
}
