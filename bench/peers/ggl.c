/*
 * the stabilized index-2 form of Gear, Gupta and Leimkuhler as residual and matrix,
 *   q' = v - G'mu,  M v' = f - G'lambda,  0 = g,  0 = G v + g_t,   unknowns (q, v, lambda, mu)
 */
#include "ggl.h"

#include <math.h>
#include <string.h>

void ggl_init(ggl_form *s, const dae_problem *p) {
  s->alpha = 0;
  s->calls = 0;
  s->p = p;
  s->n = p->mechanical.nq;
  s->rows = p->mechanical.ng;
  s->limit = clock() + CLOCKS_PER_SEC;
  reduced_mass(p, p->t0, p->z0, s->M);
}

static void fetch(ggl_form *s, double t, const double *q) {
  const dae_mechanical *m = &s->p->mechanical;
  memset(s->G, 0, (size_t)(s->rows * s->n) * sizeof *s->G);
  m->G(t, q, s->G, s->p->ctx);
  if (!m->mass_constant) reduced_mass(s->p, t, q, s->M);
}

int ggl_dynamics(ggl_form *s, double t, const double *y, const double *dy, double *r,
                 double *rate) {
  const dae_mechanical *m = &s->p->mechanical;
  int n = s->n, rows = s->rows;
  if (++s->calls % 1024 == 0 && clock() > s->limit) return -1;
  fetch(s, t, y);
  if (m->force(t, y, y + n, r + n, s->p->ctx) != 0) return 1;
  memset(rate, 0, (size_t)rows * sizeof *rate);
  if (m->g_t) m->g_t(t, y, rate, s->p->ctx);
  for (int i = 0; i < n; i++) {
    double sum = -r[n + i];
    for (int k = 0; k < n; k++) sum += s->M[i * n + k] * dy[n + k];
    for (int k = 0; k < rows; k++) sum += s->G[k * n + i] * y[2 * n + k];
    r[n + i] = sum;
    r[i] = dy[i] - y[n + i];
    for (int k = 0; k < rows; k++) rate[k] += s->G[k * n + i] * y[n + i];
  }
  return 0;
}

int ggl_residual(ggl_form *s, double t, const double *y, const double *dy, double *r) {
  int n = s->n, rows = s->rows;
  int flag = ggl_dynamics(s, t, y, dy, r, r + 2 * n + rows);
  if (flag != 0) return flag;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < rows; k++) r[i] += s->G[k * n + i] * y[2 * n + rows + k];
  return s->p->mechanical.g(t, y, r + 2 * n, s->p->ctx);
}

int ggl_derive(const dae_problem *p, double t, const double *z, const double *a, const double *y,
               bool velocity, ggl_derivatives *d) {
  const dae_mechanical *m = &p->mechanical;
  size_t n = (size_t)m->nq, square = n * n * sizeof(double);
  memset(d->Q, 0, square);
  memset(d->V, 0, square);
  memset(d->R, 0, (size_t)m->ng * n * sizeof(double));
  int flag = m->dynamics_q(t, z, z + n, a, y, d->Q, p->ctx);
  if (flag == 0) flag = m->force_v(t, z, z + n, d->V, p->ctx);
  if (flag == 0 && velocity) flag = m->velocity_q(t, z, z + n, d->R, p->ctx);
  return flag;
}

int ggl_matrix(ggl_form *s, double t, double c, const double *y, const double *dy, double *J) {
  int n = s->n, rows = s->rows, size = 2 * n + 2 * rows, lambda = 2 * n, mu = lambda + rows;
  ggl_derivatives d;
  fetch(s, t, y);
  if (ggl_derive(s->p, t, y, dy + n, y + lambda, true, &d) != 0) return 1;
  for (int i = 0; i < n; i++) {
    J[i * size + i] = c;
    J[(n + i) * size + i] = -1;
    for (int k = 0; k < n; k++) {
      J[k * size + n + i] = d.Q[i * n + k];
      J[(n + k) * size + n + i] = c * s->M[i * n + k] - d.V[i * n + k];
    }
    for (int k = 0; k < rows; k++) {
      double G = s->G[k * n + i];
      J[(lambda + k) * size + n + i] = J[(mu + k) * size + i] = G;
      J[i * size + lambda + k] = J[(n + i) * size + mu + k] = G;
      J[i * size + mu + k] = d.R[k * n + i];
    }
  }
  return 0;
}

/* the initial values of the gallery are consistent */
void ggl_start(ggl_form *s, double *y, double *dy) {
  reduced r;
  int n = s->n, size = 2 * n + 2 * s->rows;
  reduced_init(&r, s->p, 0);
  memset(y, 0, (size_t)size * sizeof *y);
  memset(dy, 0, (size_t)size * sizeof *dy);
  memcpy(y, s->p->z0, (size_t)(2 * n) * sizeof *y);
  memcpy(dy, s->p->z0 + n, (size_t)n * sizeof *dy);
  reduced_accelerate(&r, s->p->t0, s->p->z0, dy + n, y + 2 * n);
}
