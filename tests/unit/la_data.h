/* matrices for the tests of la: random, but the same in every run */
#ifndef DAEDAL_TEST_LA_DATA_H
#define DAEDAL_TEST_LA_DATA_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t random_state = 88172645463325252u;

/* uniform in (-1, 1) */
static inline double random_value(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) / 4503599627370496.0 - 1;
}

static inline void fill_random(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = random_value();
}

/* symmetric positive definite: R R' + shift I */
static inline void fill_definite(int n, double *A, double shift) {
  double *R = malloc((size_t)n * (size_t)n * sizeof *R + 1);
  fill_random(n * n, R);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int k = 0; k < n; k++) sum += R[i * n + k] * R[j * n + k];
      A[i * n + j] = sum;
    }
  free(R);
}

/* max |A x - b| for a rows x cols matrix, by long double sums */
static inline double residual(int rows, int cols, const double *A, const double *x,
                              const double *b) {
  double top = 0;
  for (int i = 0; i < rows; i++) {
    long double sum = -(long double)b[i];
    for (int j = 0; j < cols; j++) sum += (long double)A[i * cols + j] * x[j];
    double a = fabs((double)sum);
    if (!(a <= top)) top = a;
  }
  return top;
}

#endif
