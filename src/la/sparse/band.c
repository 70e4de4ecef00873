/* narrow matrices among the dense ones, by their entries */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "la/sparse/band.h"
#include "la/sparse/order.h"

/* unknowns below which full elimination is as fast, and the part of a matrix that its entries, and
   its band, may fill: beyond it the kernels of full elimination make up for what they do in vain */
enum { BAND_LEAST = 24, FULL = 6, WIDE = 4 };

dae_la_band *dae_la_band_new(dae_pool *pool, int n) {
  if (n < BAND_LEAST || (double)n * n > INT_MAX / 8) return NULL;
  dae_la_band *b = dae_base_take(pool, 1, sizeof *b);
  if (!b) return NULL;
  const size_t size = (size_t)n, most = size * size / FULL;
  b->n = n;
  b->most = (int)most;
  b->start = dae_base_ints(pool, size + 1);
  b->column = dae_base_ints(pool, most);
  b->order = dae_base_ints(pool, size);
  b->place = dae_base_ints(pool, size);
  b->next = dae_base_ints(pool, size);
  b->work = dae_base_ints(pool, dae_la_order_room(n, (int)most));
  return pool->failed ? NULL : b;
}

/* columns of row i that hold something into `next`; their number */
static int row_entries(const dae_la_band *b, const double *row, int parts) {
  int count = 0;
  for (int j = 0; j < b->n; j++) {
    b->next[count] = j;
    count += row[(size_t)parts * (size_t)j] != 0 || (parts == 2 && row[2 * (size_t)j + 1] != 0);
  }
  return count;
}

/* the order of the entries, and what it makes of them */
static void arrange(dae_la_band *b) {
  dae_la_order_unknowns(b->n, b->start, b->column, b->order, b->work);
  b->lower = b->upper = 0;
  for (int i = 0; i < b->n; i++) b->place[b->order[i]] = i;
  for (int i = 0; i < b->n; i++)
    for (int k = b->start[i]; k < b->start[i + 1]; k++) {
      int right = b->place[b->column[k]] - b->place[i];
      if (right > b->upper) b->upper = right;
      if (-right > b->lower) b->lower = -right;
    }
  b->width = 2 * b->lower + b->upper + 1;
  b->narrow = WIDE * (b->width + b->lower) <= b->n;
}

bool dae_la_band_fits(dae_la_band *b, const double *A, int parts) {
  bool same = b->known;
  int total = 0;
  for (int i = 0; i < b->n; i++) {
    int count = row_entries(b, A + (size_t)i * (size_t)b->n * (size_t)parts, parts);
    const size_t bytes = (size_t)count * sizeof *b->next;
    if (total + count > b->most) {
      b->known = false;
      return false;
    }
    same =
        same && b->start[i + 1] == total + count && memcmp(b->column + total, b->next, bytes) == 0;
    if (!same) memcpy(b->column + total, b->next, bytes);
    total += count;
    b->start[i + 1] = total;
  }
  if (!same) arrange(b);
  b->known = true;
  return b->narrow;
}

#define NUMBER double
#define NAME(x) real_##x
#define SIZE(a) fabs(a)
#define TIMES(a, b) ((a) * (b))
#define LESS(a, b, c) ((a) - (b) * (c))
#define INVERSE(a) (1 / (a))
#include "la/sparse/band_kernel.h"
#undef NUMBER
#undef NAME
#undef SIZE
#undef TIMES
#undef LESS
#undef INVERSE

/* products of complex numbers without a second look at infinities, which are refused before */
typedef struct pair {
  double re, im;
} pair;

static inline pair times(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline pair less(pair a, pair b, pair c) {
  const pair p = times(b, c);
  return (pair){a.re - p.re, a.im - p.im};
}
static inline pair inverse_of(pair a) {
  const double complex i = 1 / (a.re + a.im * I);
  return (pair){creal(i), cimag(i)};
}

#define NUMBER pair
#define NAME(x) complex_##x
#define SIZE(a) (fabs((a).re) + fabs((a).im))
#define TIMES(a, b) times(a, b)
#define LESS(a, b, c) less(a, b, c)
#define INVERSE(a) inverse_of(a)
#include "la/sparse/band_kernel.h"

int dae_la_band_factor(const dae_la_band *b, const double *A, double *lu, int *pivot) {
  real_fill(b, A, lu);
  return real_eliminate(b, lu, pivot);
}

int dae_la_band_factor_complex(const dae_la_band *b, const double complex *A, double complex *lu,
                               int *pivot) {
  complex_fill(b, (const pair *)A, (pair *)lu);
  return complex_eliminate(b, (pair *)lu, pivot);
}

void dae_la_band_solve(const dae_la_band *b, const double *lu, const int *pivot, double *x,
                       double *room) {
  real_back_and_forth(b, lu, pivot, x, room);
}

void dae_la_band_solve_complex(const dae_la_band *b, const double complex *lu, const int *pivot,
                               double complex *x, double complex *room) {
  complex_back_and_forth(b, (const pair *)lu, pivot, (pair *)x, (pair *)room);
}

/* U' first, then the steps of L' from the last */
void dae_la_band_solve_t(const dae_la_band *b, const double *lu, const int *pivot, double *x,
                         double *room) {
  const int n = b->n, lower = b->lower, reach = lower + b->upper;
  const size_t width = (size_t)b->width;
  for (int i = 0; i < n; i++) room[i] = x[b->order[i]];
  for (int k = 0; k < n; k++) {
    const double *row = lu + (size_t)k * width + lower - k;
    const int end = k + reach < n ? k + reach : n - 1;
    room[k] *= row[k];
    for (int j = k + 1; j <= end; j++) room[j] -= row[j] * room[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *multipliers = lu + (size_t)n * width + (size_t)k * (size_t)lower;
    const int last = k + lower < n ? k + lower : n - 1;
    double sum = room[k];
    for (int i = k + 1; i <= last; i++) sum -= multipliers[i - k - 1] * room[i];
    room[k] = room[pivot[k]];
    room[pivot[k]] = sum;
  }
  for (int i = 0; i < n; i++) x[b->order[i]] = room[i];
}
