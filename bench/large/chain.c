/* index reduction by hand for chains: z' = (v, a) with M a + G'y = f, G a = -c, and projection */
#include "large.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool chain_new(chain *s, const dae_problem *p, double tol, double seconds) {
  const dae_mechanical *m = &p->mechanical;
  size_t n = (size_t)m->nq, rows = (size_t)m->ng;
  *s = (chain){.p = p, .n = m->nq, .rows = m->ng, .tol = tol};
  s->limit = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  s->inverse = calloc(n, sizeof(double));
  s->G = calloc((size_t)m->G_pattern->start[rows], sizeof(double));
  s->pivot = calloc(rows, sizeof(double));
  s->lower = calloc(rows, sizeof(double));
  s->d = calloc(rows, sizeof(double));
  s->move = calloc(n, sizeof(double));
  if (!s->inverse || !s->G || !s->pivot || !s->lower || !s->d || !s->move) return false;
  m->mass(p->t0, p->z0, s->inverse, p->ctx);
  for (size_t i = 0; i < n; i++) s->inverse[i] = 1 / s->inverse[i];
  return true;
}

void chain_free(chain *s) {
  free(s->inverse);
  free(s->G);
  free(s->pivot);
  free(s->lower);
  free(s->d);
  free(s->move);
}

void chain_times(const chain *s, const double *G, const double *x, double *r) {
  const dae_pattern *p = s->p->mechanical.G_pattern;
  for (int i = 0; i < s->rows; i++) {
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += G[k] * x[p->column[k]];
    r[i] = sum;
  }
}

void chain_add(const chain *s, const double *G, const double *y, double *x) {
  const dae_pattern *p = s->p->mechanical.G_pattern;
  for (int i = 0; i < s->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) x[p->column[k]] += G[k] * y[i];
}

/* G at q, and S = L D L': link i has its ends at points i - 1 and i */
static int factor(chain *s, double t, const double *q) {
  const dae_pattern *p = s->p->mechanical.G_pattern;
  if (s->p->mechanical.G(t, q, s->G, s->p->ctx) != 0) return 1;
  for (int i = 0; i < s->rows; i++) {
    const double *g = s->G + p->start[i];
    const int *column = p->column + p->start[i], count = p->start[i + 1] - p->start[i];
    double d = 0, beside = 0;
    for (int k = 0; k < count; k++) d += g[k] * g[k] * s->inverse[column[k]];
    /* the last two entries of the row before are those of the common point */
    if (i > 0)
      for (int k = 0; k < 2; k++) beside += g[k] * g[k - 2] * s->inverse[column[k]];
    s->lower[i] = i > 0 ? beside * s->pivot[i - 1] : 0;
    d -= s->lower[i] * beside;
    if (!(d > 0)) return 1;
    s->pivot[i] = 1 / d;
  }
  return 0;
}

/* d := S^-1 d */
static void solve(const chain *s, double *d) {
  for (int i = 1; i < s->rows; i++) d[i] -= s->lower[i] * d[i - 1];
  d[s->rows - 1] *= s->pivot[s->rows - 1];
  for (int i = s->rows - 2; i >= 0; i--) d[i] = d[i] * s->pivot[i] - s->lower[i + 1] * d[i + 1];
}

int chain_accelerate(chain *s, double t, const double *z, double *a, double *y) {
  const dae_mechanical *m = &s->p->mechanical;
  if (++s->calls % 64 == 0 && clock() > s->limit) return -1;
  if (factor(s, t, z) != 0 || m->force(t, z, z + s->n, a, s->p->ctx) != 0 ||
      m->curvature(t, z, z + s->n, s->d, s->p->ctx) != 0)
    return 1;
  for (int i = 0; i < s->n; i++) a[i] *= s->inverse[i];
  const dae_pattern *p = m->G_pattern;
  for (int i = 0; i < s->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) s->d[i] += s->G[k] * a[p->column[k]];
  solve(s, s->d);
  for (int i = 0; i < s->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      a[p->column[k]] -= s->inverse[p->column[k]] * s->G[k] * s->d[i];
  if (y) memcpy(y, s->d, (size_t)s->rows * sizeof *y);
  return 0;
}

int chain_rhs(chain *s, double t, const double *z, double *dz) {
  memcpy(dz, z + s->n, (size_t)s->n * sizeof *dz);
  return chain_accelerate(s, t, z, dz + s->n, NULL);
}

/* x -= M^-1 G' S^-1 d; d is used up */
static void correct(chain *s, double *d, double *x) {
  solve(s, d);
  memset(s->move, 0, (size_t)s->n * sizeof *s->move);
  chain_add(s, s->G, d, s->move);
  for (int i = 0; i < s->n; i++) x[i] -= s->inverse[i] * s->move[i];
}

static double largest(int n, const double *x) {
  double m = 0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
  return m;
}

int chain_project(chain *s, double t, double *z) {
  const dae_mechanical *m = &s->p->mechanical;
  double enough = fmax(1e-2 * s->tol, 1e-14);
  bool moved = false;
  if (factor(s, t, z) != 0) return 1;
  for (int pass = 0; pass < 5; pass++) {
    if (m->g(t, z, s->d, s->p->ctx) != 0) return 1;
    if (largest(s->rows, s->d) <= enough) break;
    correct(s, s->d, z);
    moved = true;
  }
  if (moved && m->G(t, z, s->G, s->p->ctx) != 0) return 1;
  for (int pass = 0; pass < 5; pass++) {
    chain_times(s, s->G, z + s->n, s->d);
    if (largest(s->rows, s->d) <= enough) break;
    correct(s, s->d, z + s->n);
  }
  return 0;
}

void chain_project_error(chain *s, double *e) {
  for (int half = 0; half < 2; half++, e += s->n) {
    chain_times(s, s->G, e, s->d);
    correct(s, s->d, e);
  }
}
