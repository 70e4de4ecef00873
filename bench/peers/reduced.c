/* index reduction by hand: z' = (v, a) with M a + G' y = f, G a = -c, and projection after a
   step */
#include <math.h>
#include <string.h>
#include <time.h>

#include "peers.h"

/* A = L L' in place, lower triangle, with 1/L_ii on the diagonal */
static int cholesky(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = A[i * n + j];
      for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
      if (i > j) A[i * n + j] = s * A[j * n + j];
      else if (s > 0) A[i * n + i] = 1 / sqrt(s);
      else return 1;
    }
  return 0;
}

static void forward(int n, const double *L, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] *= L[i * n + i];
  }
}

static void backward(int n, const double *L, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    x[i] *= L[i * n + i];
    for (int k = 0; k < i; k++) x[k] -= L[i * n + k] * x[i];
  }
}

/* L of the mass matrix is a diagonal, kept in the first n places */
static bool diagonal(const reduced *r) {
  const dae_mechanical *m = &r->p->mechanical;
  return !m->mass || m->mass_kind == DAE_MASS_DIAGONAL;
}

static void mass_forward(const reduced *r, double *x) {
  if (!diagonal(r)) forward(r->n, r->L, x);
  else
    for (int i = 0; i < r->n; i++) x[i] *= r->L[i];
}

static void mass_backward(const reduced *r, double *x) {
  if (!diagonal(r)) backward(r->n, r->L, x);
  else
    for (int i = 0; i < r->n; i++) x[i] *= r->L[i];
}

static int factor_mass(reduced *r, double t, const double *q) {
  const dae_mechanical *m = &r->p->mechanical;
  int n = r->n;
  if (r->mass_ready && (m->mass_constant || !m->mass)) return 0;
  r->mass_ready = true;
  memset(r->L, 0, (size_t)(n * n) * sizeof *r->L);
  if (!m->mass)
    for (int i = 0; i < n; i++) r->L[i] = 1;
  else if (m->mass(t, q, r->L, r->p->ctx) != 0) return 1;
  if (!diagonal(r)) return cholesky(n, r->L);
  for (int i = 0; i < n; i++) r->L[i] = 1 / sqrt(r->L[i]);
  return 0;
}

static int gradient(reduced *r, double t, const double *q) {
  memset(r->G, 0, (size_t)(r->rows * r->n) * sizeof *r->G);
  return r->p->mechanical.G(t, q, r->G, r->p->ctx);
}

/* W = G L^-T and S S' = W W' at q */
static int factor(reduced *r, double t, const double *q) {
  int n = r->n, rows = r->rows;
  if (factor_mass(r, t, q) != 0 || gradient(r, t, q) != 0) return 1;
  memcpy(r->W, r->G, (size_t)(rows * n) * sizeof *r->W);
  for (int i = 0; i < rows; i++) mass_forward(r, r->W + i * n);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += r->W[i * n + k] * r->W[j * n + k];
      r->S[i * rows + j] = s;
    }
  return cholesky(rows, r->S);
}

void reduced_init(reduced *r, const dae_problem *p, double tol) {
  r->p = p;
  r->n = p->mechanical.nq;
  r->rows = p->mechanical.ng;
  r->tol = tol;
  r->mass_ready = false;
  r->calls = 0;
  r->limit = clock() + CLOCKS_PER_SEC;
}

int reduced_accelerate(reduced *r, double t, const double *z, double *a, double *y) {
  const dae_mechanical *m = &r->p->mechanical;
  int n = r->n, rows = r->rows;
  double c[PEER_SIZE_MAX];
  if (++r->calls % 1024 == 0 && clock() > r->limit) return -1;
  if (factor(r, t, z) != 0 || m->force(t, z, z + n, a, r->p->ctx) != 0 ||
      m->curvature(t, z, z + n, c, r->p->ctx) != 0)
    return 1;
  mass_forward(r, a);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++) c[i] += r->W[i * n + k] * a[k];
  forward(rows, r->S, c);
  backward(rows, r->S, c);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++) a[k] -= r->W[i * n + k] * c[i];
  mass_backward(r, a);
  if (y) memcpy(y, c, (size_t)rows * sizeof *y);
  return 0;
}

int reduced_force(reduced *r, double t, const double *z, const double *y, double *a) {
  int n = r->n;
  if (factor_mass(r, t, z) != 0 || gradient(r, t, z) != 0 ||
      r->p->mechanical.force(t, z, z + n, a, r->p->ctx) != 0)
    return 1;
  for (int i = 0; i < r->rows; i++)
    for (int k = 0; k < n; k++) a[k] -= r->G[i * n + k] * y[i];
  reduced_mass_solve(r, a);
  return 0;
}

void reduced_mass_solve(const reduced *r, double *x) {
  mass_forward(r, x);
  mass_backward(r, x);
}

int reduced_rhs(reduced *r, double t, const double *z, double *dz) {
  memcpy(dz, z + r->n, (size_t)r->n * sizeof *dz);
  return reduced_accelerate(r, t, z, dz + r->n, NULL);
}

/* x -= M^-1 G' (G M^-1 G')^-1 d; d is used up */
static void correct(const reduced *r, double *d, double *x) {
  double move[PEER_SIZE_MAX] = {0};
  forward(r->rows, r->S, d);
  backward(r->rows, r->S, d);
  for (int i = 0; i < r->rows; i++)
    for (int k = 0; k < r->n; k++) move[k] += r->W[i * r->n + k] * d[i];
  mass_backward(r, move);
  for (int k = 0; k < r->n; k++) x[k] -= move[k];
}

static double largest(int n, const double *x) {
  double m = 0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
  return m;
}

int reduced_rate(const reduced *r, double t, const double *z, double *d) {
  const dae_mechanical *m = &r->p->mechanical;
  memset(d, 0, (size_t)r->rows * sizeof *d);
  if (m->g_t && m->g_t(t, z, d, r->p->ctx) != 0) return 1;
  for (int i = 0; i < r->rows; i++)
    for (int k = 0; k < r->n; k++) d[i] += r->G[i * r->n + k] * z[r->n + k];
  return 0;
}

/* one factorization for all corrections, as the step errors are small; to a hundredth of the
   tolerance of the step */
int reduced_project(reduced *r, double t, double *z) {
  const dae_mechanical *m = &r->p->mechanical;
  double d[PEER_SIZE_MAX], enough = fmax(1e-2 * r->tol, 1e-14);
  if (factor(r, t, z) != 0) return 1;
  bool moved = false;
  for (int pass = 0; pass < 5; pass++) {
    if (m->g(t, z, d, r->p->ctx) != 0) return 1;
    if (largest(r->rows, d) <= enough) break;
    correct(r, d, z);
    moved = true;
  }
  if (moved && gradient(r, t, z) != 0) return 1;
  for (int pass = 0; pass < 5; pass++) {
    if (reduced_rate(r, t, z, d) != 0) return 1;
    if (largest(r->rows, d) <= enough) break;
    correct(r, d, z + r->n);
  }
  return 0;
}

void reduced_project_error(const reduced *r, double *e) {
  for (int half = 0; half < 2; half++, e += r->n) {
    double d[PEER_SIZE_MAX] = {0};
    for (int i = 0; i < r->rows; i++)
      for (int k = 0; k < r->n; k++) d[i] += r->G[i * r->n + k] * e[k];
    correct(r, d, e);
  }
}

double reduced_drift(const dae_problem *p, double t, const double *z) {
  reduced r;
  double d[PEER_SIZE_MAX];
  reduced_init(&r, p, 0);
  if (p->mechanical.g(t, z, d, p->ctx) != 0) return NAN;
  double position = largest(r.rows, d);
  if (gradient(&r, t, z) != 0 || reduced_rate(&r, t, z, d) != 0) return NAN;
  return fmax(position, largest(r.rows, d));
}

void reduced_mass(const dae_problem *p, double t, const double *q, double *M) {
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq;
  bool dense = m->mass && m->mass_kind == DAE_MASS_DENSE;
  double d[PEER_SIZE_MAX];
  memset(M, 0, (size_t)(n * n) * sizeof *M);
  if (dense) m->mass(t, q, M, p->ctx);
  else if (m->mass) m->mass(t, q, d, p->ctx);
  for (int i = 0; i < n && !dense; i++) M[i * n + i] = m->mass ? d[i] : 1;
}
