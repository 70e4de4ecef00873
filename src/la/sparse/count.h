/* how many entries are not zero: one pass over dense numbers, several at a time */
#ifndef DAE_LA_COUNT_H
#define DAE_LA_COUNT_H

#include <stddef.h>

/* sixteen sums side by side, as wide as what they count; what is no number counts */
static inline long long count_entries(const double *x, size_t size) {
  enum { BESIDE = 16 };
  long long sum[BESIDE] = {0}, all = 0;
  size_t i = 0;
  for (; i + BESIDE <= size; i += BESIDE)
    for (int k = 0; k < BESIDE; k++) sum[k] += x[i + (size_t)k] != 0;
  for (; i < size; i++) all += x[i] != 0;
  for (int k = 0; k < BESIDE; k++) all += sum[k];
  return all;
}

#endif
