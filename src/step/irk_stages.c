/*
 * Sums over the stages of a step. The numbers of a variable in all stages are taken together, in
 * one pass, and each number of stages is compiled on its own: in small problems most of a step is
 * loops of three or five.
 */
#include <math.h>

#include "step/irk.h"

/* the loops for each number of stages that there is */
_Static_assert(DAE_STAGES_MAX == 5, "a case for each number of stages");
#define BY_STAGES(stages, function, ...)      \
  switch (stages) {                           \
    case 1: function(1, __VA_ARGS__); break;  \
    case 2: function(2, __VA_ARGS__); break;  \
    case 3: function(3, __VA_ARGS__); break;  \
    case 4: function(4, __VA_ARGS__); break;  \
    default: function(5, __VA_ARGS__); break; \
  }

/* .. and for up to four unknowns that are all alike: loops of so few are more about themselves than
   about their numbers */
#define BY_SIZE(stages, n, function, ...)             \
  switch (n) {                                        \
    case 1: function(stages, 1, __VA_ARGS__); break;  \
    case 2: function(stages, 2, __VA_ARGS__); break;  \
    case 3: function(stages, 3, __VA_ARGS__); break;  \
    case 4: function(stages, 4, __VA_ARGS__); break;  \
    default: function(stages, n, __VA_ARGS__); break; \
  }
#define BY_STAGES_AND_SIZE(stages, n, function, ...)     \
  switch (stages) {                                      \
    case 1: BY_SIZE(1, n, function, __VA_ARGS__) break;  \
    case 2: BY_SIZE(2, n, function, __VA_ARGS__) break;  \
    case 3: BY_SIZE(3, n, function, __VA_ARGS__) break;  \
    case 4: BY_SIZE(4, n, function, __VA_ARGS__) break;  \
    default: BY_SIZE(5, n, function, __VA_ARGS__) break; \
  }

/* nodes of the polynomial through a step: its start, the stages inside, its end */
static void set_nodes(dae_irk *m) {
  int count = 0;
  m->node[count++] = 0;
  for (int i = 0; i < m->t.stages; i++) {
    const bool inner = m->t.c[i] != 0 && m->t.c[i] != 1;
    m->inner[i] = inner ? count : 0;
    if (inner) m->node[count++] = m->t.c[i];
  }
  m->node[count++] = 1;
  m->nodes = count;
  for (int i = 0; i < count; i++) {
    m->scale[i] = 1;
    for (int j = 0; j < count; j++)
      if (j != i) m->scale[i] /= m->node[i] - m->node[j];
  }
}

/* x_e = -sum_i Y_ei R_i and d_i = sum_e X_ie x_e with real numbers: a pair of eigenvalues has the
   real and the imaginary part of its x, and counts twice in d */
static void set_transformation(dae_irk *m) {
  const dae_rk_tableau *t = &m->t;
  for (int i = 0; i < t->stages; i++)
    for (int e = 0, row = 0; e < t->eigenvalues; e++) {
      const bool pair = e >= t->real;
      m->to[row][i] = -creal(t->left[e][i]);
      m->from[i][row++] = (pair ? 2 : 1) * creal(t->right[i][e]);
      if (!pair) continue;
      m->to[row][i] = -cimag(t->left[e][i]);
      m->from[i][row++] = -2 * cimag(t->right[i][e]);
    }
}

/* max_i sum_r |from_ir| sum_j |to_rj| */
static void set_spread(dae_irk *m) {
  const int stages = m->t.stages;
  m->spread = 1;
  for (int i = 0; i < stages; i++) {
    double all = 0;
    for (int row = 0; row < stages; row++)
      for (int j = 0; j < stages; j++) all += fabs(m->from[i][row] * m->to[row][j]);
    m->spread = fmax(m->spread, all);
  }
}

void dae_irk_prepare(dae_irk *m) {
  const dae_rk_tableau *t = &m->t;
  double w[DAE_STAGES_MAX];
  set_nodes(m);
  if (!t->triangular) set_transformation(m);
  set_spread(m);
  dae_step_lagrange(t->stages, t->c, 1, w);
  for (int j = 0; j < t->stages; j++) {
    m->end_slope[j] = 0;
    for (int i = 0; i < t->stages; i++) m->end_slope[j] += w[i] * t->inverse[i][j];
    const double complex e = t->error[j] * t->eigenvalue[0];
    m->estimate[0][j] = creal(e), m->estimate[1][j] = cimag(e);
  }
}

static DAE_ALWAYS_INLINE void sum(const int stages, const size_t n, const double *restrict w,
                                  const double *restrict W, size_t from, size_t end,
                                  double *restrict out) {
  for (size_t k = from; k < end; k++) {
    double all = w[0] * W[k];
    for (int i = 1; i < stages; i++) all += w[i] * W[(size_t)i * n + k];
    out[k - from] = all;
  }
}

static DAE_ALWAYS_INLINE void sum_all(const int stages, const size_t n, const double *restrict w,
                                      const double *restrict W, double *restrict out) {
  sum(stages, n, w, W, 0, n, out);
}

void dae_irk_sum(const dae_irk *m, const double *w, const double *W, int from, int end,
                 double *out) {
  const size_t n = (size_t)m->n, first = (size_t)from, last = (size_t)end;
  if (first == 0 && last == n) BY_STAGES_AND_SIZE(m->t.stages, n, sum_all, w, W, out)
  else BY_STAGES(m->t.stages, sum, n, w, W, first, last, out)
}

static DAE_ALWAYS_INLINE void slopes_some(const int stages, const size_t n, const dae_irk *m,
                                          double h, size_t nz, double *restrict slope) {
  const double *restrict W = m->stage;
  double w[DAE_STAGES_MAX][DAE_STAGES_MAX];
  for (int i = 0; i < stages; i++)
    for (int j = 0; j < stages; j++) w[i][j] = m->t.inverse[i][j] / h;
  for (size_t k = 0; k < nz; k++)
    for (int i = 0; i < stages; i++) {
      double all = w[i][0] * W[k];
      for (int j = 1; j < stages; j++) all += w[i][j] * W[(size_t)j * n + k];
      slope[(size_t)i * n + k] = all;
    }
}

static DAE_ALWAYS_INLINE void slopes_all(const int stages, const size_t n, const dae_irk *m,
                                         double h, double *restrict slope) {
  slopes_some(stages, n, m, h, n, slope);
}

void dae_irk_slopes(const dae_irk *m, double h, int nz, double *slope) {
  const size_t n = (size_t)m->n;
  if (m->n == nz) BY_STAGES_AND_SIZE(m->t.stages, n, slopes_all, m, h, slope)
  else BY_STAGES(m->t.stages, slopes_some, n, m, h, (size_t)nz, slope)
}

/* the weights of `count` nodes */
static DAE_ALWAYS_INLINE void weigh(const int count, const dae_irk *m, double theta,
                                    double *restrict left) {
  double right = 1;
  left[0] = 1;
  for (int i = 1; i < count; i++) left[i] = left[i - 1] * (theta - m->node[i - 1]);
  for (int i = count - 1; i >= 0; right *= theta - m->node[i--]) left[i] *= right * m->scale[i];
}

void dae_irk_polynomial(const dae_irk *m, double theta, double *w, double *w_end) {
  double left[DAE_STAGES_MAX + 2];
  const int count = m->nodes, stages = m->t.stages;
  if (count == 4) weigh(4, m, theta, left);
  else weigh(count, m, theta, left);
  for (int i = 0; i < stages; i++) w[i] = m->inner[i] > 0 ? left[m->inner[i]] : 0;
  *w_end = left[count - 1];
}

static DAE_ALWAYS_INLINE void ahead_some(const int stages, const size_t n, const dae_irk *m,
                                         const double *restrict z, size_t nz) {
  const double *restrict W = m->last_stage, *restrict from = m->last_z, *restrict to = m->last_end;
  double *restrict stage = m->stage;
  for (size_t k = 0; k < nz; k++) {
    const double start = from[k], far = to[k] - start;
    for (int i = 0; i < stages; i++) {
      double all = m->ahead[i][0] * W[k];
      for (int j = 1; j < stages; j++) all += m->ahead[i][j] * W[(size_t)j * n + k];
      stage[(size_t)i * n + k] = all + (start + m->ahead_end[i] * far) - z[k];
    }
  }
}

static DAE_ALWAYS_INLINE void ahead_all(const int stages, const size_t n, const dae_irk *m,
                                        const double *restrict z) {
  ahead_some(stages, n, m, z, n);
}

void dae_irk_ahead(dae_irk *m, double h, double h_old, const double *z, int nz) {
  const bool known = h == m->ahead_h && h_old == m->ahead_old;
  for (int i = 0; i < m->t.stages && !known; i++)
    dae_irk_polynomial(m, 1 + m->t.c[i] * h / h_old, m->ahead[i], &m->ahead_end[i]);
  m->ahead_h = h, m->ahead_old = h_old;
  const size_t n = (size_t)m->n;
  if (m->n == nz) BY_STAGES_AND_SIZE(m->t.stages, n, ahead_all, m, z)
  else BY_STAGES(m->t.stages, ahead_some, n, m, z, (size_t)nz)
}

static DAE_ALWAYS_INLINE void gather_some(const int stages, const int real, const size_t n,
                                          const dae_irk *m) {
  const double *restrict R = m->residual;
  double *restrict x = (double *)m->x;
  for (size_t k = 0; k < n; k++) {
    double part[DAE_STAGES_MAX + 1] = {0};
    for (int row = 0; row < stages; row++) {
      part[row] = 0;
      for (int i = 0; i < stages; i++) part[row] += m->to[row][i] * R[(size_t)i * n + k];
    }
    for (int e = 0; e < real; e++) x[2 * (size_t)e * n + k] = part[e];
    for (int e = real, row = real; row < stages; e++, row += 2) {
      x[2 * ((size_t)e * n + k)] = part[row];
      x[2 * ((size_t)e * n + k) + 1] = part[row + 1];
    }
  }
}

/* with all that is known of most methods: one real eigenvalue where stages are odd */
static DAE_ALWAYS_INLINE void gather(const int stages, const size_t n, const dae_irk *m) {
  gather_some(stages, stages % 2, n, m);
}

static DAE_ALWAYS_INLINE void gather_other(const int stages, const dae_irk *m) {
  gather_some(stages, m->t.real, (size_t)m->n, m);
}

void dae_irk_gather(const dae_irk *m) {
  const size_t n = (size_t)m->n;
  if (m->t.real == m->t.stages % 2) BY_STAGES_AND_SIZE(m->t.stages, n, gather, m)
  else BY_STAGES(m->t.stages, gather_other, m)
}

/* W_i := W_i + d_i from one variable to another; returns the squares of d_i, weighted (weight NULL:
   none) */
static DAE_ALWAYS_INLINE double add_some(const int stages, const int real, const size_t n,
                                         const dae_irk *m, const double *restrict weight,
                                         size_t from, size_t end) {
  const double *restrict x = (const double *)m->x;
  double *restrict W = m->stage, squares = 0;
  for (size_t k = from; k < end; k++) {
    double part[DAE_STAGES_MAX + 1] = {0};
    for (int e = 0; e < real; e++) part[e] = x[2 * (size_t)e * n + k];
    for (int e = real, row = real; row < stages; e++, row += 2) {
      part[row] = x[2 * ((size_t)e * n + k)];
      part[row + 1] = x[2 * ((size_t)e * n + k) + 1];
    }
    for (int i = 0; i < stages; i++) {
      double d = 0;
      for (int row = 0; row < stages; row++) d += m->from[i][row] * part[row];
      W[(size_t)i * n + k] += d;
      if (!weight) continue;
      d *= weight[k];
      squares += d * d;
    }
  }
  return squares;
}

static DAE_ALWAYS_INLINE void add_all(const int stages, const size_t n, const dae_irk *m,
                                      double *squares) {
  *squares = add_some(stages, stages % 2, n, m, m->weight, 0, n);
}

static DAE_ALWAYS_INLINE void add_part(const int stages, const dae_irk *m, size_t nz,
                                       double *squares) {
  const int usual = stages % 2, real = m->t.real;
  const size_t n = (size_t)m->n;
  if (real != usual) {
    *squares = add_some(stages, real, n, m, m->weight, 0, nz);
    add_some(stages, real, n, m, NULL, nz, n);
    return;
  }
  *squares = add_some(stages, usual, n, m, m->weight, 0, nz);
  add_some(stages, usual, n, m, NULL, nz, n);
}

double dae_irk_add(const dae_irk *m, int nz) {
  const size_t n = (size_t)m->n;
  double squares = 0;
  if (m->n == nz && m->t.real == m->t.stages % 2)
    BY_STAGES_AND_SIZE(m->t.stages, n, add_all, m, &squares)
  else BY_STAGES(m->t.stages, add_part, m, (size_t)nz, &squares)
  return squares;
}
