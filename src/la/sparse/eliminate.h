/*
 * Sparse LU by columns: P R A Q = L U, R scales the rows, Q is given, P comes from the pivots
 * (Gilbert and Peierls 1988). A template: `number` is double or pair (re, im), with number_times,
 * number_reciprocal and number_size. L has the entries below the diagonal, U those above it in an
 * order in which they can be eliminated; the reciprocals of the diagonal stand apart.
 */

/* y := y - a x for the entries of a column of L */
static inline void NAME(take_column)(const factors *f, int j, number a, number *x) {
  const number *l = (const number *)f->lower.value;
  for (size_t k = f->lower.start[j]; k < f->lower.start[j + 1]; k++)
    x[f->lower.index[k]] -= number_times(l[k], a);
}

/* x := column of R A Q in the rows' own numbers; returns the largest entry */
static double NAME(load_column)(const dae_la_sparse *s, const factors *f, int column,
                                const number *values, const int *place, number *x) {
  double top = 0;
  for (int k = s->start[column]; k < s->start[column + 1]; k++) {
    int i = s->row[k];
    number a = values[k] * f->scale[i];
    x[place ? place[i] : i] = a;
    top = fmax(top, number_size(a));
  }
  return top;
}

/* r_i = 1/max_j |a_ij|; 1 for a row of zeros */
static void NAME(scale_rows)(const dae_la_sparse *s, factors *f, const number *values) {
  for (int i = 0; i < s->n; i++) f->scale[i] = 0;
  for (int k = 0; k < s->start[s->n]; k++)
    f->scale[s->row[k]] = fmax(f->scale[s->row[k]], number_size(values[k]));
  for (int i = 0; i < s->n; i++) f->scale[i] = f->scale[i] > 0 ? 1 / f->scale[i] : 1;
}

/* solves for column k with the columns before it: x := L^-1 x on the rows that the pattern reaches,
   `reached` in an order in which no later one changes an earlier one */
static void NAME(solve_column)(const factors *f, const int *reached, int count, number *x) {
  for (int k = 0; k < count; k++) {
    int j = f->place[reached[k]];
    if (j >= 0) NAME(take_column)(f, j, x[reached[k]], x);
  }
}

/* the largest entry among the rows without a place, or the diagonal when it is not much smaller */
static int NAME(find_pivot)(const factors *f, const int *reached, int count, int diagonal,
                            const number *x) {
  double top = 0;
  int best = -1;
  for (int k = 0; k < count; k++) {
    if (f->place[reached[k]] >= 0) continue;
    double size = number_size(x[reached[k]]);
    if (size > top) top = size, best = reached[k];
  }
  if (best >= 0 && f->place[diagonal] < 0 && number_size(x[diagonal]) >= DIAGONAL_WORTH * top)
    return diagonal;
  return best;
}

/* column k of L and U from x, which is zero again afterwards; returns the largest entry of U */
static double NAME(store_column)(factors *f, int k, const int *reached, int count, int pivot,
                                 number *x) {
  double top = number_size(x[pivot]);
  number reciprocal = number_reciprocal(x[pivot]);
  number *l = (number *)f->lower.value, *u = (number *)f->upper.value;
  size_t lower = f->lower.start[k], upper = f->upper.start[k];
  f->place[pivot] = k;
  ((number *)f->diagonal)[k] = reciprocal;
  for (int m = 0; m < count; m++) {
    int i = reached[m], at = f->place[i];
    if (at < 0) {
      f->lower.index[lower] = i;
      l[lower++] = number_times(x[i], reciprocal);
    } else if (at < k) {
      f->upper.index[upper] = at;
      top = fmax(top, number_size(x[i]));
      u[upper++] = x[i];
    }
    x[i] = (number){0};
  }
  f->lower.start[k + 1] = lower;
  f->upper.start[k + 1] = upper;
  return top;
}

/* every entry with the pivots chosen anew; DAE_E_LIMIT: the order has not kept its promise */
static dae_status NAME(factor_full)(dae_la_sparse *s, factors *f, const number *values) {
  number *x = (number *)s->work->x;
  memset(x, 0, (size_t)s->n * sizeof *x);
  for (int i = 0; i < s->n; i++) f->place[i] = -1;
  f->ready = false;
  f->order = s->now->column;
  f->growth = 1;
  NAME(scale_rows)(s, f, values);
  for (int k = 0; k < s->n; k++) {
    int column = f->order[k], count = reach(s, f, column);
    const int *reached = s->work->stack + s->n - count;
    if (promise_broken(s, f, k, count)) return DAE_E_LIMIT;
    if (!room_for_column(s, f, k, count, sizeof(number))) return DAE_E_MEMORY;
    double top = NAME(load_column)(s, f, column, values, NULL, x);
    NAME(solve_column)(f, reached, count, x);
    int pivot = NAME(find_pivot)(f, reached, count, s->now->partner[column], x);
    if (pivot < 0) {
      s->culprit = column;
      return DAE_E_SINGULAR;
    }
    f->growth = fmin(f->growth, top / NAME(store_column)(f, k, reached, count, pivot, x));
  }
  finish(s, f);
  return DAE_OK;
}

/* the same pivots for new numbers; false when they do not serve any more */
static bool NAME(refactor)(dae_la_sparse *s, factors *f, const number *values) {
  number *x = (number *)s->work->x, *l = (number *)f->lower.value, *u = (number *)f->upper.value;
  const double least = fmin(LEAST_GROWTH, WORSE_GROWTH * f->growth);
  memset(x, 0, (size_t)s->n * sizeof *x);
  NAME(scale_rows)(s, f, values);
  for (int k = 0; k < s->n; k++) {
    double top = NAME(load_column)(s, f, f->order[k], values, f->place, x), grown = 0;
    for (size_t m = f->upper.start[k]; m < f->upper.start[k + 1]; m++) {
      int j = f->upper.index[m];
      u[m] = x[j];
      x[j] = (number){0};
      grown = fmax(grown, number_size(u[m]));
      NAME(take_column)(f, j, u[m], x);
    }
    double size = number_size(x[k]);
    /* 1/growth below the limit: digits are lost. NaN fails too */
    if (!(size > 0) || !(top >= least * fmax(grown, size))) return false;
    number reciprocal = number_reciprocal(x[k]);
    ((number *)f->diagonal)[k] = reciprocal;
    x[k] = (number){0};
    for (size_t m = f->lower.start[k]; m < f->lower.start[k + 1]; m++) {
      int i = f->lower.index[m];
      l[m] = number_times(x[i], reciprocal);
      x[i] = (number){0};
    }
  }
  return true;
}

static dae_status NAME(factor)(dae_la_sparse *s, factors *f, const number *values) {
  s->culprit = -1;
  if (f->ready && NAME(refactor)(s, f, values)) return DAE_OK;
  dae_status status = NAME(factor_full)(s, f, values);
  if (status != DAE_E_LIMIT) return status;
  s->now = &s->anywhere;
  return NAME(factor_full)(s, f, values);
}

/* b := Q U^-1 L^-1 P R b */
static void NAME(solve)(const dae_la_sparse *s, const factors *f, number *b) {
  number *x = (number *)s->work->x;
  for (int i = 0; i < s->n; i++) x[f->place[i]] = b[i] * f->scale[i];
  for (int k = 0; k < s->n; k++) NAME(take_column)(f, k, x[k], x);
  const number *u = (const number *)f->upper.value, *d = (const number *)f->diagonal;
  for (int k = s->n - 1; k >= 0; k--) {
    number a = number_times(x[k], d[k]);
    b[f->order[k]] = a;
    for (size_t m = f->upper.start[k]; m < f->upper.start[k + 1]; m++)
      x[f->upper.index[m]] -= number_times(u[m], a);
  }
}
