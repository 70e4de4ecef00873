/* singular values of a small matrix, for diagnosis */
#include <math.h>
#include <stdlib.h>

#include "la/dense/kernel.h"
#include "la/la.h"

/* sweeps over all pairs: convergence is quadratic at the end, ten are never needed */
enum { SWEEPS = 40 };

/* sums of x_k y_k, entries `step` apart */
static double dot(int count, const double *x, const double *y, size_t step) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += x[(size_t)k * step] * y[(size_t)k * step];
  return sum;
}

/* turns x and y in their plane so that x.y = 0; false when they were orthogonal to rounding */
static bool turn(int count, double *x, double *y, size_t step) {
  double a = dot(count, x, x, step), b = dot(count, y, y, step), c = dot(count, x, y, step);
  if (fabs(c) <= 1e-15 * sqrt(a) * sqrt(b)) return false;
  double zeta = (b - a) / (2 * c), t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta);
  double cosine = 1 / hypot(1, t), sine = cosine * t;
  for (int k = 0; k < count; k++) {
    double u = x[(size_t)k * step], v = y[(size_t)k * step];
    x[(size_t)k * step] = cosine * u - sine * v;
    y[(size_t)k * step] = sine * u + cosine * v;
  }
  return true;
}

static int falling(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/*
 * Plane rotations make the rows (or the columns, if there are fewer) orthogonal to each other;
 * their lengths are then the singular values (Hestenes 1958). sigma gets min(rows,cols) of them in
 * falling order; A is overwritten. Returns 0, or 1 without convergence (NaN).
 */
int dae_la_svd(int rows, int cols, double *A, double *sigma) {
  int vectors = rows < cols ? rows : cols, count = rows < cols ? cols : rows;
  size_t step = rows < cols ? 1 : (size_t)cols, between = rows < cols ? (size_t)cols : 1;
  double top = dae_la_norm_max(rows * cols, A);
  if (!isfinite(top)) return 1;
  /* squares must not leave the range of numbers */
  for (int k = 0; top > 0 && k < rows * cols; k++) A[k] /= top;
  bool turned = vectors > 1;
  for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
    turned = false;
    for (int i = 0; i < vectors; i++)
      for (int j = i + 1; j < vectors; j++)
        if (turn(count, A + (size_t)i * between, A + (size_t)j * between, step)) turned = true;
  }
  for (int i = 0; i < vectors; i++) {
    const double *x = A + (size_t)i * between;
    sigma[i] = top * sqrt(dot(count, x, x, step));
  }
  qsort(sigma, (size_t)vectors, sizeof *sigma, falling);
  return turned ? 1 : 0;
}
