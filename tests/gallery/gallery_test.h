/* what the tests of the gallery share: dense copies of a problem's functions, whatever form it
   has */
#ifndef GALLERY_TEST_H
#define GALLERY_TEST_H

#include <gallery.h>
#include <stdlib.h>

#include "test.h"

enum { MAX_N = 256 }; /* largest nz, ny of a problem at its default size */

/* sizes, counted here and not by the library under test */
static inline int size_x(const dae_problem *p) {
  return p->kind == DAE_ODE          ? p->ode.n
         : p->kind == DAE_HESSENBERG ? p->hessenberg.nx
                                     : p->mechanical.nq;
}
static inline int size_z(const dae_problem *p) {
  return p->kind == DAE_ODE          ? p->ode.n
         : p->kind == DAE_HESSENBERG ? p->hessenberg.nx * p->hessenberg.order
                                     : 2 * p->mechanical.nq;
}
static inline int size_y(const dae_problem *p) {
  return p->kind == DAE_ODE          ? 0
         : p->kind == DAE_HESSENBERG ? p->hessenberg.ny
                                     : p->mechanical.ng + p->mechanical.nw;
}

/* parameters that change more than a number: other branches, sparse for dense, special lengths */
static const struct {
  const char *problem, *name[3];
  double value[3];
} chosen[] = {
    {"ring-redundant", {"duplicate", "sparse"}, {1, 1}},
    {"ring-redundant", {"duplicate", "n"}, {1, 7}},
    {"pendulum-chain", {"sparse"}, {1}},
    {"pendulum-chain", {"n", "angle"}, {1, 2.1}},
    {"rod-net", {"sparse"}, {0}},
    {"rod-net", {"nx", "ny", "sparse"}, {2, 1, 1}},
    {"slider-crank-singular", {"l2"}, {1.3}},
    {"slider-crank-singular", {"l1", "phi1"}, {0.7, -4}},
    {"slider-crank-singular",
     {"phi1", "phi1_rate"},
     {0.78539816339744830962, 2.82842712474619009760}},
    {"double-slider", {"l2"}, {1.3}},
    {"four-bar", {"ground", "coupler", "rocker"}, {2, 2, 1}},
    {"limit-cycle-sphere", {"eps"}, {0}},
    {"rotating-index3", {"alpha", "a1"}, {-3, 7}},
    {"kepler", {"c"}, {1}},
    {"charged-particles", {"n"}, {3}},
};

/* case i: all problems with defaults; then with every parameter that is a plain number a tenth
   larger where it may be; then the chosen ones. NULL past the end. */
static inline dae_problem *open_case(int i) {
  int count = 0;
  while (gallery_at(count)) count++;
  double par[32];
  if (i < 2 * count) {
    const gallery_entry *entry = gallery_at(i % count);
    for (int k = 0; k < entry->n_par; k++) {
      const gallery_parameter *p = &entry->par[k];
      double larger = p->value == 0 ? 0.1 : 1.1 * p->value;
      bool limited = p->low != 0 || p->high != 0;
      bool free = i >= count && !p->whole && !isnan(p->value) && (!limited || larger <= p->high);
      par[k] = free ? larger : p->value;
    }
    return entry->open(par);
  }
  i -= 2 * count;
  if (i >= (int)(sizeof chosen / sizeof *chosen)) return NULL;
  int n = 0;
  while (n < 3 && chosen[i].name[n]) n++;
  char message[200];
  dae_problem *p = NULL;
  CHECK(gallery_open(&p, chosen[i].problem, n, chosen[i].name, chosen[i].value, message,
                     sizeof message) == DAE_OK);
  return p;
}

/* copies the values of a pattern into a dense matrix; without a pattern there is nothing to do */
static inline void spread(const dae_pattern *s, double *A) {
  if (!s) return;
  int count = s->start[s->rows];
  double *value = malloc(((size_t)count + 1) * sizeof *value);
  memcpy(value, A, (size_t)count * sizeof *value);
  memset(A, 0, (size_t)s->rows * (size_t)s->cols * sizeof *A);
  for (int i = 0; i < s->rows; i++)
    for (int k = s->start[i]; k < s->start[i + 1]; k++) A[i * s->cols + s->column[k]] = value[k];
  free(value);
}

/* dense M, whatever its kind */
static inline int dense_mass(const dae_problem *p, double t, const double *q, double *M) {
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq, code = 0;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  if (!m->mass) {
    for (int i = 0; i < n; i++) M[i * n + i] = 1;
    return 0;
  }
  code = m->mass(t, q, M, p->ctx);
  if (m->mass_kind == DAE_MASS_SPARSE) spread(m->mass_pattern, M);
  if (m->mass_kind == DAE_MASS_DIAGONAL) {
    for (int i = n - 1; i > 0; i--) { /* from the end: places overlap */
      double value = M[i];
      M[i] = 0;
      M[i * n + i] = value;
    }
  }
  return code;
}

/* dense [G; W], (ng+nw) x nq */
static inline int dense_gradient(const dae_problem *p, double t, const double *q, double *G) {
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq;
  memset(G, 0, (size_t)(m->ng + m->nw) * (size_t)n * sizeof *G);
  int code = m->ng ? m->G(t, q, G, p->ctx) : 0;
  spread(m->G_pattern, G);
  if (m->nw) {
    double *W = G + (size_t)m->ng * (size_t)n;
    code |= m->W(t, q, W, p->ctx);
    spread(m->W_pattern, W);
  }
  return code;
}

/* velocity level: G v + g_t, then W v + w */
static inline int velocity_level(const dae_problem *p, double t, const double *q, const double *v,
                                 double *r) {
  static double G[MAX_N * MAX_N];
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq, code = dense_gradient(p, t, q, G);
  memset(r, 0, (size_t)(m->ng + m->nw) * sizeof *r);
  if (m->ng) code |= m->g_t(t, q, r, p->ctx);
  if (m->nw && m->w) code |= m->w(t, q, r + m->ng, p->ctx);
  for (int i = 0; i < m->ng + m->nw; i++)
    for (int j = 0; j < n; j++) r[i] += G[i * n + j] * v[j];
  return code;
}

/* r := M a + [G; W]'y - f, and the largest term of any row in *scale (may be NULL) */
static inline int dynamics(const dae_problem *p, double t, const double *q, const double *v,
                           const double *a, const double *y, double *r, double *scale) {
  static double A[MAX_N * MAX_N];
  const dae_mechanical *m = &p->mechanical;
  int n = m->nq, code = 0;
  double big = 0;
  memset(r, 0, (size_t)n * sizeof *r);
  if (m->force) code |= m->force(t, q, v, r, p->ctx);
  for (int i = 0; i < n; i++) {
    big = fmax(big, fabs(r[i]));
    r[i] = -r[i];
  }
  code |= dense_mass(p, t, q, A);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      r[i] += A[i * n + j] * a[j];
      big = fmax(big, fabs(A[i * n + j] * a[j]));
    }
  code |= dense_gradient(p, t, q, A);
  for (int i = 0; i < m->ng + m->nw; i++)
    for (int j = 0; j < n; j++) {
      r[j] += A[i * n + j] * y[i];
      big = fmax(big, fabs(A[i * n + j] * y[i]));
    }
  if (scale) *scale = big;
  return code;
}

#endif
