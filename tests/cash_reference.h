/* a reference for boundary value problems without a closed form: Simpson's rule with Hermite
 * interpolation (three-stage Lobatto IIIA, order 4) on the elements of a solution, each cut into
 * many, in long double; two cuts and extrapolation
 *
 * Shares nothing with the solver but the equations and where points are dense. Newton's method
 * starts from the solution that is examined: it must be near to one of the finer equations.
 */
#ifndef DAEDAL_CASH_REFERENCE_H
#define DAEDAL_CASH_REFERENCE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cash.h"

typedef struct reference {
  const cash *c;
  int n, points; /* components; points 0 .. points - 1 */
  real *t, *z;   /* points x n */
} reference;

/* z' of the first-order system */
static inline void reference_slope(const cash *c, real t, const real *z, real *f) {
  int rest = c->nz - c->nx;
  for (int i = 0; i < rest; i++) f[i] = z[i + c->nx];
  cash_rhs(c, t, z, f + rest);
}

/*
 * r := b - a - h/6 (f(a) + 4 f(m) + f(b)),  m = (a + b)/2 + h/8 (f(a) - f(b))
 */
static inline void reference_defect(const cash *c, real t, real h, const real *a, const real *b,
                                    real *r) {
  real fa[CASH_Z], fb[CASH_Z], fm[CASH_Z], m[CASH_Z];
  reference_slope(c, t, a, fa);
  reference_slope(c, t + h, b, fb);
  for (int i = 0; i < c->nz; i++) m[i] = (a[i] + b[i]) / 2 + h / 8 * (fa[i] - fb[i]);
  reference_slope(c, t + h / 2, m, fm);
  for (int i = 0; i < c->nz; i++) r[i] = b[i] - a[i] - h / 6 * (fa[i] + 4 * fm[i] + fb[i]);
}

/* columns by differences: n x 2n */
static inline void reference_jacobian(const cash *c, real t, real h, const real *a, const real *b,
                                      real *J) {
  int n = c->nz;
  real both[2 * CASH_Z], up[CASH_Z], down[CASH_Z];
  memcpy(both, a, sizeof(real) * (size_t)n);
  memcpy(both + n, b, sizeof(real) * (size_t)n);
  for (int j = 0; j < 2 * n; j++) {
    real kept = both[j], d = 1e-6L * fmaxl(fabsl(kept), 1e-3L);
    both[j] = kept + d;
    reference_defect(c, t, h, both, both + n, up);
    both[j] = kept - d;
    reference_defect(c, t, h, both, both + n, down);
    both[j] = kept;
    for (int i = 0; i < n; i++) J[i * 2 * n + j] = (up[i] - down[i]) / (2 * d);
  }
}

/* banded system with `below` and `above` diagonals, room for those that pivoting adds: row i holds
   columns i - below .. i + above + below at A[i * width]; b := solution; false: singular */
static inline bool reference_banded(long rows, int below, int above, real *A, real *b) {
  int width = 2 * below + above + 1;
  for (long k = 0; k < rows; k++) {
    long last = k + below < rows - 1 ? k + below : rows - 1, pivot = k;
    for (long i = k + 1; i <= last; i++)
      if (fabsl(A[i * width + (k - i + below)]) > fabsl(A[pivot * width + (k - pivot + below)]))
        pivot = i;
    real *top = A + k * width + below, *other = A + pivot * width + (k - pivot + below);
    if (other[0] == 0) return false;
    for (int j = 0; pivot != k && j <= below + above; j++) {
      real swap = top[j];
      top[j] = other[j];
      other[j] = swap;
    }
    if (pivot != k) {
      real swap = b[k];
      b[k] = b[pivot];
      b[pivot] = swap;
    }
    for (long i = k + 1; i <= last; i++) {
      real *row = A + i * width + (k - i + below), factor = row[0] / top[0];
      if (factor == 0) continue;
      for (int j = 0; j <= below + above; j++) row[j] -= factor * top[j];
      b[i] -= factor * b[k];
    }
  }
  for (long k = rows - 1; k >= 0; k--) {
    const real *top = A + k * width + below;
    for (int j = 1; j <= below + above && k + j < rows; j++) b[k] -= top[j] * b[k + j];
    b[k] /= top[0];
  }
  return true;
}

/* one correction; returns its size relative to 1 + |z|, -1 when there is none */
static inline real reference_newton(reference *r) {
  const cash *c = r->c;
  int n = r->n, left = c->n_left, below = n + left - 1, above = 2 * n - 1 - left;
  int width = 2 * below + above + 1;
  long rows = (long)r->points * n;
  real *A = calloc((size_t)rows * (size_t)width, sizeof(real)), J[2 * CASH_Z * CASH_Z], most = 0;
  real *b = calloc((size_t)rows, sizeof(real));
  for (int i = 0; i < n; i++) {
    long row = i < left ? i : rows - n + i, column = (i < left ? 0 : rows - n) + c->component[i];
    b[row] = c->value[i] - r->z[column];
    A[row * width + (column - row + below)] = 1;
  }
  for (long p = 0; p + 1 < r->points; p++) {
    const real *a = r->z + p * n;
    real h = r->t[p + 1] - r->t[p];
    reference_jacobian(c, r->t[p], h, a, a + n, J);
    for (int i = 0; i < n; i++) {
      long row = left + p * n + i;
      for (int j = 0; j < 2 * n; j++) A[row * width + (p * n + j - row + below)] = J[i * 2 * n + j];
    }
    reference_defect(c, r->t[p], h, a, a + n, b + left + p * n);
    for (int i = 0; i < n; i++) b[left + p * n + i] *= -1;
  }
  bool solved = reference_banded(rows, below, above, A, b);
  for (long i = 0; solved && i < rows && !isnan(most); i++) {
    real size = fabsl(b[i]) / (1 + fabsl(r->z[i]));
    most = size > most || isnan(size) ? size : most;
  }
  /* no component moves by more than half of its size at once */
  for (long i = 0; solved && i < rows; i++) r->z[i] += fminl(1, 0.5L / most) * b[i];
  free(A);
  free(b);
  return solved && isfinite(most) ? most : -1;
}

/* the elements of s cut into `pieces`, solved; false: Newton's method does not converge */
static inline bool reference_solve(reference *r, const cash *c, const dae_solution *s, int pieces) {
  int N;
  const double *t = dae_solution_mesh(s, &N);
  *r = (reference){.c = c, .n = c->nz, .points = N * pieces + 1};
  r->t = calloc((size_t)r->points, sizeof(real));
  r->z = calloc((size_t)r->points * (size_t)r->n, sizeof(real));
  for (int i = 0; i < r->points; i++) {
    int e = i / pieces, j = i % pieces;
    double z[CASH_Z];
    r->t[i] = j == 0 ? (real)t[e] : t[e] + ((real)t[e + 1] - t[e]) * j / pieces;
    dae_solution_eval(s, (double)r->t[i], z, NULL, NULL);
    for (int k = 0; k < r->n; k++) r->z[(long)i * r->n + k] = z[k];
  }
  real last = INFINITY;
  for (int it = 0; it < 25; it++) {
    real size = reference_newton(r);
    if (size < 0) return false;
    /* as far as rounding lets it go */
    if (size < 1e-13L || (size < 1e-10L && size > 0.1L * last)) return true;
    last = size;
  }
  return false;
}

static inline void reference_free(reference *r) {
  free(r->t);
  free(r->z);
}

/*
 * The largest difference of s to the extrapolated reference, in tolerances, over the points of the
 * coarser cut; *doubt is what extrapolation still changed by a finer cut, in tolerances too.
 * INFINITY: there is no solution of the finer equations near s.
 */
static inline double reference_error(const cash *c, const dae_solution *s, double tol,
                                     double *doubt) {
  enum { FIRST = 8, MOST = 3600000 }; /* entries of the matrix, about: some hundred megabytes */
  double worst = INFINITY;
  int N, n = c->nz;
  reference level[2] = {{0}};
  dae_solution_mesh(s, &N);
  *doubt = INFINITY;
  for (int pieces = FIRST; *doubt > 0.3 && (long)N * pieces * 2 * n * n <= MOST; pieces *= 2) {
    worst = INFINITY;
    bool found = true;
    for (int i = 0; i < 2 && found; i++) {
      reference_free(&level[i]);
      level[i] = (reference){0};
      found = reference_solve(&level[i], c, s, pieces << i);
    }
    if (!found) continue;
    worst = *doubt = 0;
    for (long p = 0; p < level[0].points; p++) {
      double z[CASH_Z];
      dae_solution_eval(s, (double)level[0].t[p], z, NULL, NULL);
      for (int k = 0; k < n; k++) {
        real coarse = level[0].z[p * n + k], fine = level[1].z[2 * p * n + k];
        real best = fine + (fine - coarse) / 15, unit = tol + tol * fabsl(best);
        worst = fmax(worst, (double)(fabsl(z[k] - best) / unit));
        /* what is left behind is much less than what was taken away: a tenth is on the safe side */
        *doubt = fmax(*doubt, (double)(0.1L * fabsl(best - fine) / unit));
      }
    }
  }
  for (int i = 0; i < 2; i++) reference_free(&level[i]);
  return worst;
}

/* ---- the verdict ---- */

typedef enum cash_verdict { CASH_RIGHT, CASH_REFUSED, CASH_OFF } cash_verdict;

/* the largest difference of s to the closed form, in tolerances */
static inline double cash_exact_error(const cash *c, const dae_solution *s, double tol) {
  enum { BETWEEN = 4 };
  int N;
  const double *t = dae_solution_mesh(s, &N);
  double worst = 0;
  for (int i = 0; i <= BETWEEN * N; i++) {
    int e = i / BETWEEN, j = i % BETWEEN;
    double at = t[e] + (j > 0 ? (t[e + 1] - t[e]) * j / BETWEEN : 0), z[CASH_Z];
    real exact[CASH_Z] = {0};
    cash_exact(c, at, exact);
    dae_solution_eval(s, at, z, NULL, NULL);
    for (int k = 0; k < c->nz; k++)
      worst = fmax(worst, (double)(fabsl(z[k] - exact[k]) / (tol * (1 + fabsl(exact[k])))));
  }
  return worst;
}

/* problem 35 away from its layers, when these are narrow: t/2, by symmetry */
static inline double cash_resonant_error(const dae_solution *s, double tol) {
  double z[2];
  dae_solution_eval(s, 0.3, z, NULL, NULL);
  return fabs(z[0] - 0.15) / (1.15 * tol);
}

/* problem 33 with what lies between its layers held by too little for Newton's method: its solution
   is symmetric, y(1 - t) = -y(t), g(1 - t) = -g(t), and what is wrong with it is not */
static inline double cash_symmetry_error(const dae_solution *s, double tol) {
  static const double sign[CASH_Z] = {-1, 1, -1, 1, -1, 1};
  enum { POINTS = 400 };
  double worst = 0, z[CASH_Z], mirrored[CASH_Z];
  for (int i = 0; i <= POINTS; i++) {
    dae_solution_eval(s, (double)i / POINTS, z, NULL, NULL);
    dae_solution_eval(s, 1 - (double)i / POINTS, mirrored, NULL, NULL);
    for (int k = 0; k < CASH_Z; k++)
      worst = fmax(worst, fabs(z[k] - sign[k] * mirrored[k]) / (tol * (1 + fabs(z[k]))));
  }
  return worst;
}

/* solves c and judges: right within ten tolerances, the reference included */
static inline cash_verdict cash_judge(cash *c, double tol, char *text, size_t size) {
  dae_solution *s = NULL;
  dae_report report = {0};
  real z[CASH_Z];
  double doubt = 0, worst = 0;
  dae_status status = cash_solve(c, tol, &s, &report);
  if (status == DAE_OK)
    worst = c->number == 35 && c->eps < 5e-2L   ? cash_resonant_error(s, tol)
            : c->number == 33 && c->eps < 5e-5L ? cash_symmetry_error(s, tol)
            : cash_exact(c, c->t0, z)           ? cash_exact_error(c, s, tol)
                                                : reference_error(c, s, tol, &doubt);
  snprintf(text, size, "%2d eps %.0Le tol %.0e: %s, off by %.2g tolerances (reference %.1g) %.160s",
           c->number, c->eps, tol, dae_status_name(status), worst, doubt,
           status == DAE_OK ? "" : report.message);
  dae_solution_free(s);
  return status != DAE_OK ? CASH_REFUSED : worst + doubt <= 10 ? CASH_RIGHT : CASH_OFF;
}

#endif
