/*
 * mechanisms with full M and G: time of an evaluation of the accelerations in a run of dop853,
 * beside the functions of the problem and LAPACK (of whatever BLAS this is linked with) called by
 * hand: M = L L', W = L^-1 G', S = W'W = R R', and the substitutions
 */
/* needs: lapack blas */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "la/dense/lapack.h"
#include <daedal/daedal.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* M = A + diag(sin q)/10, f = 1 - q - v/10, g_i = sum_j b_ij sin q_j - c_i */
typedef struct mechanism {
  int n, rows;
  double *A, *B, *c, *z0;
} mechanism;

static int mass(double t, const double *q, double *M, void *ctx) {
  const mechanism *m = ctx;
  (void)t;
  memcpy(M, m->A, (size_t)m->n * (size_t)m->n * sizeof *M);
  for (int i = 0; i < m->n; i++) M[(size_t)i * (size_t)(m->n + 1)] += 0.1 * sin(q[i]);
  return 0;
}

static int force(double t, const double *q, const double *v, double *f, void *ctx) {
  const mechanism *m = ctx;
  (void)t;
  for (int i = 0; i < m->n; i++) f[i] = 1 - q[i] - 0.1 * v[i];
  return 0;
}

static int constraint(double t, const double *q, double *g, void *ctx) {
  const mechanism *m = ctx;
  (void)t;
  for (int i = 0; i < m->rows; i++) {
    g[i] = -m->c[i];
    for (int j = 0; j < m->n; j++) g[i] += m->B[(size_t)i * (size_t)m->n + j] * sin(q[j]);
  }
  return 0;
}

static int gradient(double t, const double *q, double *G, void *ctx) {
  const mechanism *m = ctx;
  (void)t;
  for (int j = 0; j < m->n; j++) G[j] = cos(q[j]);
  for (int i = m->rows - 1; i >= 0; i--)
    for (int j = 0; j < m->n; j++)
      G[(size_t)i * (size_t)m->n + j] = m->B[(size_t)i * (size_t)m->n + j] * G[j];
  return 0;
}

static int curvature(double t, const double *q, const double *v, double *c, void *ctx) {
  const mechanism *m = ctx;
  (void)t;
  for (int i = 0; i < m->rows; i++) c[i] = 0;
  for (int j = 0; j < m->n; j++) {
    double s = sin(q[j]) * v[j] * v[j];
    for (int i = 0; i < m->rows; i++) c[i] -= m->B[(size_t)i * (size_t)m->n + j] * s;
  }
  return 0;
}

static bool make(mechanism *m, int n) {
  size_t rows = (size_t)n / 3, size = (size_t)n;
  *m = (mechanism){.n = n, .rows = (int)rows};
  m->A = calloc(size * size, sizeof *m->A);
  m->B = calloc(rows * size, sizeof *m->B);
  m->c = calloc(rows, sizeof *m->c);
  m->z0 = calloc(2 * size, sizeof *m->z0);
  if (!m->A || !m->B || !m->c || !m->z0) return false;
  /* diagonally dominant, and rows of B far from each other */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m->A[(size_t)i * size + j] = i == j ? 2 : 0.9 / n * sin(1.3 * (i + j) + 0.7 * i * j);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < size; j++)
      m->B[i * size + j] = (j / 3 == i) + 0.5 / n * cos(0.37 * (double)(i * j + 3 * j));
  for (int j = 0; j < n; j++) m->z0[j] = 0.3 * sin(1 + 2.1 * j);
  constraint(0, m->z0, m->c, m);
  return true;
}

static void dispose(mechanism *m) { free(m->A), free(m->B), free(m->c), free(m->z0); }

/* ours: ns for each evaluation */
static double ours(mechanism *m, int steps) {
  dae_problem p = {.name = "dense",
                   .kind = DAE_MECHANICAL,
                   .ctx = m,
                   .t1 = 10,
                   .z0 = m->z0,
                   .autonomous = true,
                   .mechanical = {.nq = m->n,
                                  .ng = m->rows,
                                  .mass = mass,
                                  .force = force,
                                  .g = constraint,
                                  .G = gradient,
                                  .curvature = curvature}};
  dae_options o = dae_options_default();
  dae_solver *s;
  o.method = "dop853";
  o.step = 1e-3;
  o.check_derivatives = false;
  if (dae_solver_new(&s, &p, &o, NULL) != DAE_OK) return NAN;
  dae_status status = dae_solver_start(s, 0, NULL, NULL);
  if (status == DAE_OK) status = dae_solver_step(s, 10);
  long before = dae_solver_stats(s)->evaluations;
  double begin = now();
  for (int k = 0; status == DAE_OK && k < steps; k++) status = dae_solver_step(s, 10);
  double each = (now() - begin) / (double)(dae_solver_stats(s)->evaluations - before);
  dae_solver_free(s);
  return status == DAE_OK ? each : NAN;
}

void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *, size_t, size_t,
            size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dtrsv_(const char *, const char *, const char *, const int *, const double *, const int *,
            double *, const int *, size_t, size_t, size_t);

/* by hand: row-major matrices are transposed ones of Fortran */
static double by_hand(mechanism *m, int count) {
  const int n = m->n, rows = m->rows, one = 1;
  const double plus = 1, minus = -1, nothing = 0, *z = m->z0;
  size_t size = (size_t)n, high = (size_t)rows;
  double *M = calloc(size * size, sizeof *M), *G = calloc(size * high, sizeof *G);
  double *S = calloc(high * high, sizeof *S), *f = calloc(size, sizeof *f);
  double *c = calloc(high, sizeof *c), begin = now();
  int info = 0;
  for (int k = 0; M && G && S && f && c && info == 0 && k < count; k++) {
    mass(0, z, M, m), force(0, z, z + n, f, m), gradient(0, z, G, m);
    curvature(0, z, z + n, c, m);
    dpotrf_("L", &n, M, &n, &info, 1);
    dtrsm_("L", "L", "N", "N", &n, &rows, &plus, M, &n, G, &n, 1, 1, 1, 1);
    dsyrk_("L", "T", &rows, &n, &plus, G, &n, &nothing, S, &rows, 1, 1);
    dpotrf_("L", &rows, S, &rows, &info, 1);
    dtrsv_("L", "N", "N", &n, M, &n, f, &one, 1, 1, 1);
    dgemv_("T", &n, &rows, &plus, G, &n, f, &one, &plus, c, &one, 1);
    dtrsv_("L", "N", "N", &rows, S, &rows, c, &one, 1, 1, 1);
    dtrsv_("L", "T", "N", &rows, S, &rows, c, &one, 1, 1, 1);
    dgemv_("N", &n, &rows, &minus, G, &n, c, &one, &plus, f, &one, 1);
    dtrsv_("L", "T", "N", &n, M, &n, f, &one, 1, 1, 1);
  }
  double each = (now() - begin) / count;
  free(M), free(G), free(S), free(f), free(c);
  return info == 0 ? each : NAN;
}

int main(void) {
  printf("full M and G, n/3 constraints: microseconds for each evaluation\n"
         "| n | ours | functions and LAPACK | ratio |\n|---|---|---|---|\n");
  for (int n = 24; n <= 768; n *= 2) {
    mechanism m;
    double best = INFINITY, hand = INFINITY;
    int steps = n >= 384 ? 1 : n >= 96 ? 4 : 100;
    for (int round = 0; round < 5; round++) {
      if (make(&m, n)) {
        best = fmin(best, ours(&m, steps));
        hand = fmin(hand, by_hand(&m, 12 * steps));
      }
      dispose(&m);
    }
    printf("| %d | %.1f | %.1f | %.2f |\n", n, best / 1e3, hand / 1e3, best / hand);
    fflush(stdout);
  }
  return 0;
}
