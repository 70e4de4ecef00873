/* rank-revealing QR: A' P = Q R with the rows of A as the vectors, so that all loops are
   contiguous */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/dense/kernel.h"
#include "la/la.h"

/* x = [x_0 x_1 ..] -> [r v_1 ..] with (I - tau v v') x = r e_0, v_0 = 1; returns tau */
static double reflect(int n, double *x) {
  double norm = dae_la_norm2(n, x);
  if (norm == 0) return 0;
  double r = x[0] > 0 ? -norm : norm, tau = (r - x[0]) / r, scale = 1 / (x[0] - r);
  for (int i = 1; i < n; i++) x[i] *= scale;
  x[0] = r;
  return tau;
}

/* y := (I - tau v v') y with v_0 = 1 */
static void apply(int n, double tau, const double *v, double *y) {
  double s = tau * (y[0] + dae_la_dot(n - 1, v + 1, y + 1));
  y[0] -= s;
  dae_la_subtract(n - 1, s, v + 1, y + 1);
}

/* the places of what is not zero in v_1 .., counted from v_0, where they are few: reflections of
   sparse vectors then cost what they hold; -1: too many for a list */
static int places(int n, const double *v, double *place) {
  enum { PART = 4 };
  int count = 0;
  for (int i = 1; i < n; i++) {
    if (v[i] == 0) continue;
    if (PART * (count + 1) >= n) return -1;
    place[count++] = i;
  }
  return count;
}

/* apply() by such a list */
static void apply_places(int count, const double *place, double tau, const double *v, double *y) {
  double s = y[0];
  for (int i = 0; i < count; i++) s += v[(int)place[i]] * y[(int)place[i]];
  s *= tau;
  if (s == 0) return;
  y[0] -= s;
  for (int i = 0; i < count; i++) y[(int)place[i]] -= s * v[(int)place[i]];
}

static void swap_vectors(int cols, double *A, int i, int j, int *perm, double *norm,
                         double *first) {
  double *a = A + (size_t)i * cols, *b = A + (size_t)j * cols;
  for (int k = 0; k < cols; k++) {
    double t = a[k];
    a[k] = b[k];
    b[k] = t;
  }
  int p = perm[i];
  perm[i] = perm[j];
  perm[j] = p;
  norm[j] = norm[i];
  first[j] = first[i];
}

/* what is left of |a_j| after component k went into R; computed afresh when cancellation ate it */
static void downdate(int cols, int k, const double *a, double *norm, double *first) {
  if (*norm == 0 || a[k] == 0) return;
  double t = a[k] / *norm, left = 1 - t * t, ratio = *norm / *first;
  if (left < 0) left = 0;
  if (left * ratio * ratio > 1e-8) {
    *norm *= sqrt(left);
  } else {
    *norm = dae_la_norm2(cols - k - 1, a + k + 1);
    *first = *norm;
  }
}

/* Householder QR with the longest remaining vector first (Businger and Golub 1965) */
int dae_la_qr_rank(int rows, int cols, double *A, double tol, int *perm, double *tau,
                   double *work) {
  double *norm = work, *first = work + rows, *place = first + rows;
  int most = rows < cols ? rows : cols;
  for (int i = 0; i < rows; i++) {
    perm[i] = i;
    norm[i] = first[i] = dae_la_norm2(cols, A + (size_t)i * cols);
  }
  double top = 0;
  for (int k = 0; k < most; k++) {
    int p = k;
    for (int j = k + 1; j < rows; j++)
      if (norm[j] > norm[p]) p = j;
    if (p != k) swap_vectors(cols, A, k, p, perm, norm, first);
    double *v = A + (size_t)k * cols + k;
    tau[k] = reflect(cols - k, v);
    if (k == 0) top = fabs(v[0]);
    if (!(fabs(v[0]) > tol * top)) return k;
    const int listed = places(cols - k, v, place);
    for (int j = k + 1; j < rows; j++) {
      double *a = A + (size_t)j * cols;
      if (listed < 0) apply(cols - k, tau[k], v, a + k);
      else apply_places(listed, place, tau[k], v, a + k);
      downdate(cols, k, a, norm + j, first + j);
    }
  }
  return most;
}

/* x := Q [x; 0] from the first rank reflections, and x := Q' x */
void dae_la_qr_apply(int cols, int rank, const double *QR, const double *tau, double *x) {
  for (int k = rank - 1; k >= 0; k--) apply(cols - k, tau[k], QR + (size_t)k * cols + k, x + k);
}

void dae_la_qr_apply_t(int cols, int rank, const double *QR, const double *tau, double *x) {
  for (int k = 0; k < rank; k++) apply(cols - k, tau[k], QR + (size_t)k * cols + k, x + k);
}

/* c := R1^-T c: row i of the storage holds column i of R */
void dae_la_qr_forward(int cols, int rank, const double *QR, double *c) {
  for (int i = 0; i < rank; i++) {
    const double *r = QR + (size_t)i * cols;
    c[i] = (c[i] - dae_la_dot(i, r, c)) / r[i];
  }
}

/* c := R1^-1 c */
void dae_la_qr_backward(int cols, int rank, const double *QR, double *c) {
  for (int i = rank - 1; i >= 0; i--) {
    const double *r = QR + (size_t)i * cols;
    c[i] /= r[i];
    dae_la_subtract(i, c[i], r, c);
  }
}

/* A x = b is R1' c = (P' b)_1, x = Q [c; 0]: x lies in the row space, hence its norm is the
   smallest */
void dae_la_qr_min_norm(int cols, int rank, const double *QR, const int *perm, const double *tau,
                        const double *b, double *x, double *work) {
  for (int i = 0; i < rank; i++) work[i] = b[perm[i]];
  dae_la_qr_forward(cols, rank, QR, work);
  memcpy(x, work, (size_t)rank * sizeof *x);
  memset(x + rank, 0, (size_t)(cols - rank) * sizeof *x);
  dae_la_qr_apply(cols, rank, QR, tau, x);
}
