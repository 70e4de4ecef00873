/* eigenvalues of a general real matrix */
#include <float.h>
#include <math.h>

#include "la/la.h"

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* A := S^-1 A S with zeros below the first subdiagonal, by elimination with pivots */
static void hessenberg(int n, double *A) {
  for (int m = 1; m < n - 1; m++) {
    int p = m;
    for (int i = m + 1; i < n; i++)
      if (fabs(A[i * n + m - 1]) > fabs(A[p * n + m - 1])) p = i;
    if (A[p * n + m - 1] == 0) continue;
    for (int j = m - 1; p != m && j < n; j++) swap(&A[p * n + j], &A[m * n + j]);
    for (int i = 0; p != m && i < n; i++) swap(&A[i * n + p], &A[i * n + m]);
    for (int i = m + 1; i < n; i++) {
      double y = A[i * n + m - 1] / A[m * n + m - 1];
      if (y == 0) continue;
      for (int j = m - 1; j < n; j++) A[i * n + j] -= y * A[m * n + j];
      for (int j = 0; j < n; j++) A[j * n + m] += y * A[j * n + i];
    }
  }
}

/* first row of the last block that is apart: its subdiagonal entry is rounding of its neighbours */
static int block_above(int n, const double *A, int last) {
  for (int l = last; l > 0; l--) {
    double size = fabs(A[(l - 1) * n + l - 1]) + fabs(A[l * n + l]);
    if (fabs(A[l * n + l - 1]) <= DBL_EPSILON * size || A[l * n + l - 1] == 0) return l;
  }
  return 0;
}

/* eigenvalues of the block of rows l, l+1: m +- sqrt(d), the one that does not cancel first */
static void pair(int n, const double *A, int l, double *re, double *im) {
  double a = A[l * n + l], b = A[l * n + l + 1], c = A[(l + 1) * n + l], d = A[(l + 1) * n + l + 1];
  double half = 0.5 * (a - d), square = half * half + b * c, root = sqrt(fabs(square));
  im[l] = square < 0 ? root : 0;
  im[l + 1] = -im[l];
  if (square < 0) {
    re[l] = re[l + 1] = d + half;
    return;
  }
  double far = half + (half < 0 ? -root : root);
  re[l] = d + far;
  re[l + 1] = far != 0 ? d - b * c / far : d;
}

/* rows and columns i .. i+count-1 reflected so that v becomes a multiple of the first unit vector;
   within the block first .. last */
static void reflect(int n, double *A, int i, int count, const double *v, int first, int last) {
  double norm = sqrt(v[0] * v[0] + v[1] * v[1] + (count > 2 ? v[2] * v[2] : 0));
  if (norm == 0) return;
  double s = v[0] < 0 ? -norm : norm,
         u[3] = {1, v[1] / (v[0] + s), count > 2 ? v[2] / (v[0] + s) : 0}, beta = (v[0] + s) / s;
  int end = i + 3 < last ? i + 3 : last;
  for (int j = first > i - 1 ? first : i - 1; j <= last; j++) {
    double sum = 0;
    for (int r = 0; r < count; r++) sum += u[r] * A[(i + r) * n + j];
    for (int r = 0; r < count; r++) A[(i + r) * n + j] -= beta * sum * u[r];
  }
  for (int r = first; r <= end; r++) {
    double *row = A + r * n + i, sum = 0;
    for (int j = 0; j < count; j++) sum += u[j] * row[j];
    for (int j = 0; j < count; j++) row[j] -= beta * sum * u[j];
  }
}

/* one step of the QR algorithm with two shifts at once, on rows first .. last (Francis 1961); `odd`
   takes others, where these lead around in circles */
static void sweep(int n, double *A, int first, int last, bool odd) {
  const double *low = A + last * n, *up = low - n;
  double sum = up[last - 1] + low[last],
         product = up[last - 1] * low[last] - up[last] * low[last - 1];
  if (odd) {
    double w = fabs(low[last - 1]) + fabs(up[last - 2]);
    sum = 1.5 * w;
    product = w * w;
  }
  const double *a = A + first * n + first, *b = a + n, *c = b + n;
  double v[3] = {a[0] * (a[0] - sum) + product + a[1] * b[0], b[0] * (a[0] + b[1] - sum),
                 b[0] * c[1]};
  for (int i = first; i < last; i++) {
    int count = i + 1 < last ? 3 : 2;
    reflect(n, A, i, count, v, first, last);
    for (int r = 0; r < 3; r++) v[r] = i + 1 + r <= last ? A[(i + 1 + r) * n + i] : 0;
    for (int r = 2; i > first && r < 1 + count; r++) A[(i - 1 + r) * n + i - 1] = 0;
  }
}

bool dae_la_eigenvalues(int n, double *A, double *re, double *im) {
  enum { MOST = 40, ODD = 10 };
  int last = n - 1, steps = 0;
  hessenberg(n, A);
  while (last >= 0) {
    int first = block_above(n, A, last);
    if (first >= last - 1) {
      if (first == last) re[last] = A[last * n + last], im[last] = 0;
      else pair(n, A, first, re, im);
      last = first - 1;
      steps = 0;
      continue;
    }
    if (++steps > MOST) return false;
    sweep(n, A, first, last, steps % ODD == 0);
  }
  return dae_base_finite(re, n) && dae_base_finite(im, n);
}
