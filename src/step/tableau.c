/* tableaus of Gauss, Radau IIA, Lobatto IIIC and SDIRK methods, computed from their nodes */
#include <math.h>
#include <string.h>

#include "step/tableau.h"

typedef long double table[DAE_STAGES_MAX][DAE_STAGES_MAX];

/* Legendre polynomial P_n(x) by its recursion; its derivative in *slope */
static long double legendre(int n, long double x, long double *slope) {
  long double before = 0, p = 1, d_before = 0, d = 0;
  for (int k = 0; k < n; k++) {
    long double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
    long double d_next = d_before + (2 * k + 1) * p;
    before = p, p = next;
    d_before = d, d = d_next;
  }
  *slope = d;
  return p;
}

/* the polynomial on [-1,1] whose inner zeros are the nodes: P_s, P_s - P_(s-1), P'_(s-1) */
static long double node_function(dae_rk_family family, int s, long double x) {
  long double slope, p;
  if (family == DAE_RK_LOBATTO) {
    legendre(s - 1, x, &slope);
    return slope;
  }
  p = legendre(s, x, &slope);
  return family == DAE_RK_RADAU ? p - legendre(s - 1, x, &slope) : p;
}

/* zero of the node function between two points of opposite sign */
static long double bisect(dae_rk_family family, int s, long double a, long double b) {
  bool rising = node_function(family, s, b) > 0;
  for (int k = 0; k < 80; k++) {
    long double mid = a + (b - a) / 2;
    if ((node_function(family, s, mid) > 0) == rising) b = mid;
    else a = mid;
  }
  return a + (b - a) / 2;
}

bool dae_step_nodes(dae_rk_family family, int s, long double *c) {
  bool ends = family == DAE_RK_LOBATTO;
  if (family == DAE_RK_SDIRK || s < (ends ? 2 : 1) || s > DAE_STAGES_MAX) return false;
  int n = 0, inner = ends ? s - 2 : family == DAE_RK_RADAU ? s - 1 : s;
  if (ends) c[n++] = 0;
  /* zeros are much further apart than one cell, and an odd number of cells keeps 0 inside of one */
  const int cells = 51;
  for (int k = 0; k < cells && inner > 0; k++) {
    long double a = -1 + 2 * k / (long double)cells, b = -1 + 2 * (k + 1) / (long double)cells;
    if ((node_function(family, s, a) > 0) != (node_function(family, s, b) > 0)) {
      c[n++] = (1 + bisect(family, s, a, b)) / 2;
      inner--;
    }
  }
  if (ends || family == DAE_RK_RADAU) c[n++] = 1;
  return n == s;
}

bool dae_step_small_solve(int n, int m, table A, table B) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i][k]) > fabsl(A[p][k])) p = i;
    if (A[p][k] == 0) return false;
    for (int j = 0; j < DAE_STAGES_MAX; j++) {
      long double swap = A[k][j];
      A[k][j] = A[p][j], A[p][j] = swap;
      swap = B[k][j];
      B[k][j] = B[p][j], B[p][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      long double factor = i == k ? 0 : A[i][k] / A[k][k];
      if (factor == 0) continue;
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      for (int j = 0; j < m; j++) B[i][j] -= factor * B[k][j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) B[i][j] /= A[i][i];
  return true;
}

/* weights w with sum_j w_j c_j^(k-1) = moment[k-1], k = 1..s */
static void weights(int s, const long double *c, const long double *moment, long double *w) {
  table V = {{0}}, B = {{0}};
  for (int k = 0; k < s; k++) {
    for (int j = 0; j < s; j++) V[k][j] = k == 0 ? 1 : V[k - 1][j] * c[j];
    B[k][0] = moment[k];
  }
  dae_step_small_solve(s, 1, V, B);
  for (int j = 0; j < s; j++) w[j] = B[j][0];
}

/* C(s): sum_j a_ij c_j^(k-1) = c_i^k/k; Lobatto IIIC: a_i1 = b_1 and C(s-1) */
static void coefficients(dae_rk_family family, int s, const long double *c, table A,
                         long double *b) {
  long double moment[DAE_STAGES_MAX] = {0};
  for (int k = 0; k < s; k++) moment[k] = 1.0L / (k + 1);
  weights(s, c, moment, b);
  int first = family == DAE_RK_LOBATTO;
  for (int i = 0; i < s; i++) {
    A[i][0] = b[0];
    for (int k = 0; k < s - first; k++)
      moment[k] = powl(c[i], k + 1) / (k + 1) - (first && k == 0 ? b[0] : 0);
    weights(s - first, c + first, moment, A[i] + first);
  }
}

/* SDIRK: two stages with gamma on the diagonal. 2: L-stable, stiffly accurate; 3: order 3, R = 1 -
   sqrt 3 */
static bool triangular(int order, long double *c, table A, long double *b) {
  if (order == 2) {
    long double g = 1 - sqrtl(0.5L);
    A[0][0] = g, A[1][0] = 1 - g, A[1][1] = g;
    b[0] = 1 - g, b[1] = g;
  } else if (order == 3) {
    long double g = (3 + sqrtl(3)) / 6;
    A[0][0] = g, A[1][0] = 1 - 2 * g, A[1][1] = g;
    b[0] = b[1] = 0.5L;
  } else {
    return false;
  }
  c[0] = A[0][0];
  c[1] = A[1][0] + A[1][1];
  return true;
}

/* embedded weights: b0 = 1/eigenvalue at c = 0, and the highest order that the nodes give with it;
   error = (bhat - b) A^-1. A node at 0 is left out of what takes b0 from the others, and costs an
   order: with it bhat - b would be b0 (f0 - f(Z_1)), which sees nothing of z' = q(t) */
static void embed(dae_rk_tableau *t, const long double *c, const long double *b, table inverse) {
  const int s = t->stages;
  long double unit[DAE_STAGES_MAX] = {1}, full[DAE_STAGES_MAX] = {0}, w[DAE_STAGES_MAX],
              u[DAE_STAGES_MAX], later[DAE_STAGES_MAX];
  int n = 0;
  for (int k = 0; k < s; k++) full[k] = 1.0L / (k + 1);
  for (int k = 0; k < s; k++)
    if (c[k] != 0) later[n++] = c[k];
  t->estimate = n;
  weights(s, c, full, w);
  weights(n, later, unit, u);
  for (int i = s - 1; i >= 0; i--) u[i] = c[i] != 0 ? u[--n] : 0;
  double complex b0 = 1 / t->eigenvalue[0];
  for (int j = 0; j < s; j++) {
    t->error[j] = 0;
    for (int i = 0; i < s; i++)
      t->error[j] += ((double)(w[i] - b[i]) - b0 * (double)u[i]) * (double)inverse[i][j];
  }
}

static void finish(dae_rk_tableau *t, const long double *c, const long double *b, table A) {
  const int s = t->stages;
  table work, inverse = {{0}};
  memcpy(work, A, sizeof work);
  for (int i = 0; i < s; i++) inverse[i][i] = 1;
  dae_step_small_solve(s, s, work, inverse);
  long double r = 1;
  t->stiffly_accurate = true;
  for (int j = 0; j < s; j++) {
    long double sum = 0;
    for (int i = 0; i < s; i++) sum += b[i] * inverse[i][j];
    r -= sum;
    t->bA[j] = (double)sum;
    t->c[j] = (double)c[j], t->b[j] = (double)b[j];
    t->stiffly_accurate &= fabsl(A[s - 1][j] - b[j]) < 1e-15L;
    for (int i = 0; i < s; i++)
      t->A[i][j] = (double)A[i][j], t->inverse[i][j] = (double)inverse[i][j];
  }
  t->r_infinity = fabsl(r) < 1e-14L ? 0 : (double)r;
  if (t->triangular) {
    t->eigenvalues = t->real = 1;
    t->eigenvalue[0] = t->inverse[0][0];
  } else {
    dae_step_spectrum(t, inverse);
  }
  embed(t, c, b, inverse);
}

dae_status dae_step_tableau(dae_rk_tableau *t, dae_rk_family family, int stages) {
  long double c[DAE_STAGES_MAX] = {0}, b[DAE_STAGES_MAX] = {0};
  table A = {{0}};
  memset(t, 0, sizeof *t);
  t->triangular = family == DAE_RK_SDIRK;
  if (t->triangular) {
    if (!triangular(stages, c, A, b)) return DAE_E_INPUT;
    t->stages = 2;
    t->order = stages;
    t->stage_order = 1;
  } else {
    if (!dae_step_nodes(family, stages, c)) return DAE_E_INPUT;
    coefficients(family, stages, c, A, b);
    t->stages = stages;
    t->order = 2 * stages - (family == DAE_RK_RADAU) - 2 * (family == DAE_RK_LOBATTO);
    t->stage_order = stages - (family == DAE_RK_LOBATTO);
  }
  finish(t, c, b, A);
  return DAE_OK;
}

/* a diagonal that is the same everywhere and nothing above it: stages one after the other */
static bool is_triangular(int s, const double *A) {
  for (int i = 0; i < s; i++)
    for (int j = i; j < s; j++)
      if (A[i * s + j] != (i == j ? A[0] : 0)) return false;
  return true;
}

const char *dae_step_tableau_own(dae_rk_tableau *t, int stages, const double *c, const double *A,
                                 const double *b) {
  /* eigenvalues that are closer have no eigenvectors of their own in double precision */
  const double apart = 1e-6;
  long double nodes[DAE_STAGES_MAX] = {0}, weight[DAE_STAGES_MAX] = {0};
  table full = {{0}}, work, unit = {{0}};
  memset(t, 0, sizeof *t);
  t->stages = stages;
  t->triangular = is_triangular(stages, A);
  for (int i = 0; i < stages; i++) {
    nodes[i] = c[i], weight[i] = b[i], unit[i][i] = 1;
    for (int j = 0; j < stages; j++) full[i][j] = A[i * stages + j];
    for (int j = 0; j < i; j++)
      if (c[i] == c[j]) return "two nodes c of an implicit method are equal";
  }
  memcpy(work, full, sizeof work);
  if (!dae_step_small_solve(stages, stages, work, unit)) return "a is not invertible";
  finish(t, nodes, weight, full);
  /* pairs count twice */
  if (!t->triangular && 2 * t->eigenvalues - t->real != stages)
    return "eigenvalues of a are too close";
  for (int i = 0; !t->triangular && i < t->eigenvalues; i++)
    for (int j = 0; j < i; j++)
      if (cabs(t->eigenvalue[i] - t->eigenvalue[j]) < apart * cabs(t->eigenvalue[i]))
        return "eigenvalues of a are too close";
  return NULL;
}

void dae_step_lagrange(int count, const double *node, double x, double *weight) {
  for (int i = 0; i < count; i++) {
    weight[i] = 1;
    for (int j = 0; j < count; j++)
      if (j != i) weight[i] *= (x - node[j]) / (node[i] - node[j]);
  }
}
