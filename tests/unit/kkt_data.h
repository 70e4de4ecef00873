/* sparse KKT systems for the tests of la: rods between points, vectors, what the equations leave */
#ifndef DAEDAL_TEST_KKT_DATA_H
#define DAEDAL_TEST_KKT_DATA_H

#include <string.h>

#include "la/la.h"
#include "la_data.h"

/* G by rows, grown entry by entry */
typedef struct sparse {
  int n, rows, count, *start, *column;
  double *values, *k;
  dae_pattern pattern;
} sparse;

static inline sparse sparse_new(int n, int rows, int most) {
  sparse s = {.n = n, .rows = rows};
  s.start = calloc((size_t)rows + 1, sizeof(int));
  s.column = calloc((size_t)most, sizeof(int));
  s.values = calloc((size_t)most, sizeof(double));
  s.k = calloc((size_t)most, sizeof(double));
  s.pattern = (dae_pattern){rows, n, s.start, s.column};
  return s;
}

static inline void sparse_free(sparse *s) {
  free(s->start);
  free(s->column);
  free(s->values);
  free(s->k);
}

/* row of a rod between the planar points i < j; j = n/2 is the ground */
static inline void add_rod(sparse *s, int row, int i, int j) {
  double angle = 0.3 + 0.017 * row + 0.4 * random_value(), c = cos(angle), d = sin(angle);
  int points[2] = {i, j};
  for (int e = 0; e < 2; e++) {
    if (2 * points[e] >= s->n) continue;
    for (int k = 0; k < 2; k++) {
      s->column[s->count] = 2 * points[e] + k;
      s->values[s->count++] = (e ? 1 : -1) * (k ? d : c);
    }
  }
  s->start[row + 1] = s->count;
}

/* points 0, 1, ...: rod r joins r - 1 and r, the first one hangs on the ground */
static inline sparse make_chain(int points) {
  sparse s = sparse_new(2 * points, points, 4 * points);
  for (int r = 0; r < points; r++)
    if (r == 0) add_rod(&s, r, 0, points);
    else add_rod(&s, r, r - 1, r);
  return s;
}

/* many short chains, each on the ground of its own */
static inline sparse make_ropes(int points, int each) {
  sparse s = sparse_new(2 * points, points, 4 * points);
  for (int r = 0; r < points; r++)
    if (r % each == 0) add_rod(&s, r, r, points);
    else add_rod(&s, r, r - 1, r);
  return s;
}

/* a chain in space: entries do not come in twos */
static inline sparse make_space_chain(int points) {
  sparse s = sparse_new(3 * points, points, 6 * points);
  for (int r = 0; r < points; r++) {
    double d[3] = {0.7 + 0.2 * random_value(), random_value(), 0.3 + 0.5 * random_value()};
    for (int e = r > 0 ? 0 : 1; e < 2; e++)
      for (int k = 0; k < 3; k++) {
        s.column[s.count] = 3 * (r - 1 + e) + k;
        s.values[s.count++] = (e ? 1 : -1) * d[k];
      }
    s.start[r + 1] = s.count;
  }
  return s;
}

/* as the chain, with its ends joined and the points numbered out of order */
static inline sparse make_ring(int points, int step) {
  sparse s = sparse_new(2 * points, points, 4 * points);
  for (int r = 0; r < points; r++) {
    int i = (int)((long)r * step % points), j = (int)((long)(r + 1) * step % points);
    add_rod(&s, r, i < j ? i : j, i < j ? j : i);
  }
  return s;
}

/* a square net, rods to the right and down as far as there are unknowns for them */
static inline sparse make_net(int side) {
  int rows = 2 * side * (side - 1) - side, row = 0;
  sparse s = sparse_new(2 * side * side, rows, 4 * rows);
  for (int i = 0; i < side && row < rows; i++)
    for (int j = 0; j < side && row < rows; j++) {
      if (j + 1 < side && row < rows) add_rod(&s, row, i * side + j, i * side + j + 1), row++;
      if (i + 1 < side && row < rows) add_rod(&s, row, i * side + j, i * side + side + j), row++;
    }
  return s;
}

/* all rods meet in point 0: S is full */
static inline sparse make_star(int points) {
  sparse s = sparse_new(2 * points, points - 1, 4 * points);
  for (int r = 0; r + 1 < points; r++) add_rod(&s, r, 0, r + 1);
  return s;
}

typedef struct vectors {
  double *m, *p, *r, *a, *y;
} vectors;

static inline vectors vectors_new(const sparse *s) {
  size_t n = (size_t)s->n, rows = (size_t)s->rows;
  vectors v = {malloc(n * 8), malloc(n * 8), malloc(rows * 8 + 8), malloc(n * 8),
               malloc(rows * 8 + 8)};
  for (int i = 0; i < s->n; i++) v.m[i] = 0.4 + fabs(random_value());
  fill_random(s->n, v.p);
  fill_random(s->rows, v.r);
  return v;
}

static inline void vectors_free(vectors *v) {
  free(v->m);
  free(v->p);
  free(v->r);
  free(v->a);
  free(v->y);
}

/* max |M a + K y - p| and |G a - r|, with a tridiagonal M when `tri` (m on and 0.1 beside the
   diagonal) */
static inline double equations(const sparse *s, const vectors *v, const double *k, bool tri) {
  double top = 0, *sum = malloc((size_t)s->n * sizeof *sum);
  for (int i = 0; i < s->n; i++) {
    sum[i] = v->m[i] * v->a[i] - v->p[i];
    if (tri && i > 0) sum[i] += 0.1 * v->a[i - 1];
    if (tri && i + 1 < s->n) sum[i] += 0.1 * v->a[i + 1];
  }
  for (int r = 0; r < s->rows; r++) {
    double row = -v->r[r];
    for (int e = s->start[r]; e < s->start[r + 1]; e++) {
      sum[s->column[e]] += k[e] * v->y[r];
      row += s->values[e] * v->a[s->column[e]];
    }
    if (!(fabs(row) <= top)) top = fabs(row);
  }
  for (int i = 0; i < s->n; i++)
    if (!(fabs(sum[i]) <= top)) top = fabs(sum[i]);
  free(sum);
  return top;
}

static inline double largest(int n, const double *x) { return dae_la_norm_max(n, x); }

#endif
