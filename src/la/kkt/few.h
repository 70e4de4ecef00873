/* up to three constraints and a diagonal M, as for most single mechanisms: S = G M^-1 G' needs no
   tiles */
#ifndef DAE_LA_KKT_FEW_H
#define DAE_LA_KKT_FEW_H

#include "la/dense/kernel.h"

enum { FEW = 3 };
#define FEW_INLINE DAE_ALWAYS_INLINE

/* S = L D L': l below the diagonal, 1/d on it */
typedef struct few {
  double l[FEW][FEW];
} few;

/* S = L D L' from its lower triangle. The second pivot comes from the minor of order two, d_1 =
   (s_00 s_11 - s_10^2) / s_00, so that no division waits for the first one. */
static FEW_INLINE void few_pivots(few *f, const int rows, double s[FEW][FEW], double *diagonal,
                                  double *pivot) {
  const double q0 = 1 / s[0][0];
  for (int j = 0; j < rows; j++) diagonal[j] = s[j][j];
  pivot[0] = s[0][0];
  f->l[0][0] = q0;
  if (rows < 2) return;
  const double minor = s[0][0] * s[1][1] - s[1][0] * s[1][0], q1 = s[0][0] / minor;
  pivot[1] = minor * q0;
  f->l[1][0] = s[1][0] * q0;
  f->l[1][1] = q1;
  if (rows < 3) return;
  const double u = s[2][1] - f->l[1][0] * s[2][0];
  f->l[2][0] = s[2][0] * q0;
  f->l[2][1] = u * q1;
  pivot[2] = s[2][2] - f->l[2][0] * s[2][0] - f->l[2][1] * u;
  f->l[2][2] = 1 / pivot[2];
}

/* x := G M^-1 and S = x G' = L D L'. The diagonal of S and its pivots d are for whoever judges
   them. `rows` is a constant where these are called, so that the loops over it vanish */
static FEW_INLINE void few_factor(few *f, const int rows, int n, const double *G,
                                  const double *inverse, double *x, double *diagonal,
                                  double *pivot) {
  pair sum[FEW][FEW];
  double s[FEW][FEW];
  int i = 0;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c <= r; c++) sum[r][c] = (pair){0, 0};
  for (; i + 2 <= n; i += 2) {
    const pair q = *(const pair *)(inverse + i);
    for (int r = 0; r < rows; r++) {
      const pair l = q * *(const pair *)(G + r * n + i);
      *(pair *)(x + r * n + i) = l;
      for (int c = 0; c <= r; c++) sum[r][c] += l * *(const pair *)(G + c * n + i);
    }
  }
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c <= r; c++) s[r][c] = sum[r][c][0] + sum[r][c][1];
    if (i == n) continue;
    double l = x[r * n + i] = inverse[i] * G[r * n + i];
    for (int c = 0; c <= r; c++) s[r][c] += l * G[c * n + i];
  }
  few_pivots(f, rows, s, diagonal, pivot);
}

/* y := S^-1 y */
static FEW_INLINE void few_schur(const few *f, const int rows, double *y) {
  for (int i = 1; i < rows; i++)
    for (int k = 0; k < i; k++) y[i] -= f->l[i][k] * y[k];
  for (int i = rows - 1; i >= 0; i--) {
    y[i] *= f->l[i][i];
    for (int k = i + 1; k < rows; k++) y[i] -= f->l[k][i] * y[k];
  }
}

/* p := M^-1 p - x' y, without the first term when inverse is NULL */
static FEW_INLINE void few_back(const int rows, int n, const double *x, const double *inverse,
                                const double *y, double *p) {
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    pair a = {0, 0};
    if (inverse) a = *(const pair *)(p + i) * *(const pair *)(inverse + i);
    for (int r = 0; r < rows; r++) a -= *(const pair *)(x + r * n + i) * (pair){y[r], y[r]};
    *(pair *)(p + i) = a;
  }
  if (i == n) return;
  double a = inverse ? p[i] * inverse[i] : 0;
  for (int r = 0; r < rows; r++) a -= x[r * n + i] * y[r];
  p[i] = a;
}

/* r := S^-1 (x p - r), p := M^-1 p - x' r */
static FEW_INLINE void few_solve(const few *f, const int rows, int n, const double *x,
                                 const double *inverse, double *p, double *r) {
  pair sum[FEW];
  double y[FEW];
  int i = 0;
  for (int j = 0; j < rows; j++) sum[j] = (pair){0, 0};
  for (; i + 2 <= n; i += 2)
    for (int j = 0; j < rows; j++)
      sum[j] += *(const pair *)(x + j * n + i) * *(const pair *)(p + i);
  for (int j = 0; j < rows; j++) {
    y[j] = sum[j][0] + sum[j][1] - r[j];
    if (i < n) y[j] += x[j * n + i] * p[i];
  }
  few_schur(f, rows, y);
  few_back(rows, n, x, inverse, y, p);
  for (int j = 0; j < rows; j++) r[j] = y[j];
}

/* p := x' S^-1 r */
static FEW_INLINE void few_least(const few *f, const int rows, int n, const double *x, double *r,
                                 double *p) {
  few_schur(f, rows, r);
  for (int j = 0; j < rows; j++) r[j] = -r[j];
  few_back(rows, n, x, NULL, r, p);
}

#endif
