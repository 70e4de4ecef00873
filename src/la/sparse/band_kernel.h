/*
 * elimination inside a band, for NUMBER real or complex. Row i of the ordered matrix holds columns
 * i - lower .. i + lower + upper at lu[i width ..]; behind the n rows are the multipliers, lower
 * of them for each column. NAME(x) is x of this kind
 */

static void NAME(fill)(const dae_la_band *b, const NUMBER *A, NUMBER *lu) {
  const size_t n = (size_t)b->n, width = (size_t)b->width;
  memset(lu, 0, n * width * sizeof *lu);
  for (int i = 0; i < b->n; i++) {
    const NUMBER *row = A + (size_t)i * n;
    NUMBER *to = lu + (size_t)b->place[i] * width + b->lower - b->place[i];
    for (int k = b->start[i]; k < b->start[i + 1]; k++)
      to[b->place[b->column[k]]] = row[b->column[k]];
  }
}

/* row - factor times another, count entries */
static inline void NAME(subtract)(int count, NUMBER factor, const NUMBER *restrict from,
                                  NUMBER *restrict row) {
  for (int j = 0; j < count; j++) row[j] = LESS(row[j], factor, from[j]);
}

static int NAME(eliminate)(const dae_la_band *b, NUMBER *lu, int *pivot) {
  const int n = b->n, lower = b->lower, reach = lower + b->upper;
  const size_t width = (size_t)b->width;
  NUMBER *multipliers = lu + (size_t)n * width;
  for (int k = 0; k < n; k++, multipliers += lower) {
    const int last = k + lower < n ? k + lower : n - 1, end = k + reach < n ? k + reach : n - 1;
    const int count = end - k + 1;
    /* the entry in column k of row i */
    NUMBER *first = lu + (size_t)k * width + lower;
    int best = k;
    double size = SIZE(*first);
    for (int i = k + 1; i <= last; i++) {
      double here = SIZE(lu[(size_t)i * width + lower - (i - k)]);
      if (here > size) size = here, best = i;
    }
    pivot[k] = best;
    if (!(size > 0)) return 1 + b->order[k];
    NUMBER *other = lu + (size_t)best * width + lower - (best - k);
    for (int j = 0; j < count && best != k; j++) {
      NUMBER keep = first[j];
      first[j] = other[j];
      other[j] = keep;
    }
    const NUMBER inverse = INVERSE(*first);
    for (int i = k + 1; i <= last; i++) {
      NUMBER *row = lu + (size_t)i * width + lower - (i - k);
      const NUMBER factor = TIMES(row[0], inverse);
      multipliers[i - k - 1] = factor;
      if (SIZE(factor) > 0) NAME(subtract)(count - 1, factor, first + 1, row + 1);
    }
    *first = inverse;
  }
  return 0;
}

static void NAME(back_and_forth)(const dae_la_band *b, const NUMBER *lu, const int *pivot,
                                 NUMBER *x, NUMBER *room) {
  const int n = b->n, lower = b->lower, reach = lower + b->upper;
  const size_t width = (size_t)b->width;
  const NUMBER *multipliers = lu + (size_t)n * width;
  for (int i = 0; i < n; i++) room[i] = x[b->order[i]];
  for (int k = 0; k < n; k++, multipliers += lower) {
    const int last = k + lower < n ? k + lower : n - 1;
    const NUMBER top = room[pivot[k]];
    room[pivot[k]] = room[k];
    room[k] = top;
    for (int i = k + 1; i <= last; i++) room[i] = LESS(room[i], multipliers[i - k - 1], top);
  }
  for (int k = n - 1; k >= 0; k--) {
    const NUMBER *row = lu + (size_t)k * width + lower - k;
    const int end = k + reach < n ? k + reach : n - 1;
    NUMBER sum = room[k];
    for (int j = k + 1; j <= end; j++) sum = LESS(sum, row[j], room[j]);
    room[k] = TIMES(sum, row[k]);
  }
  for (int i = 0; i < n; i++) x[b->order[i]] = room[i];
}
