/*
 * The differentiation index: the least nu for which the equations and their first nu derivatives,
 *   F = 0, F' = 0, .., F^(nu) = 0,
 * determine the first derivatives that are not given by the state. A signature may ask for more
 * (Reissig, Martinson, Barton 2000), never for less when the system Jacobian is regular.
 */
#include <math.h>
#include <string.h>

#include "model/rank.h"

enum { LARGEST = 400 }; /* rows of the derivative array */

/* the array of level nu: columns x_j^(s_j), then x_j^(s_j + 1), .., with s_j = max(1, highest order
   of x_j) */
typedef struct derivative_array {
  dae_model *m;
  const dae_structure *s;
  dae_probes q;
  int *order, *most; /* s_j, and the highest derivative met */
  int *node;         /* F, F', .. */
  int n, levels;
  double *value[DAE_PROBES];
} derivative_array;

static void find_orders(derivative_array *x) {
  dae_set below = {0};
  dae_model_reach(&x->m->graph, x->s->written, x->n, &below);
  for (int j = 0; j < x->n; j++) x->order[j] = 1;
  for (int k = 0; k < below.count; k++) {
    const dae_node *leaf = &x->m->graph.node[below.node[k]];
    if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) continue;
    int j = x->s->kept_of[leaf->a];
    if (leaf->b > x->order[j]) x->order[j] = leaf->b;
  }
  dae_model_set_free(&x->m->graph, &below);
  for (int j = 0; j < x->n; j++) x->most[j] = x->order[j] + x->levels;
}

/* column of x_j^(s_j + l): l n + j */
static int array_column(void *ctx, const dae_node *leaf) {
  const derivative_array *x = ctx;
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
  int j = x->s->kept_of[leaf->a], level = leaf->b - x->order[j];
  return level >= 0 && level < x->levels ? level * x->n + j : -1;
}

/* all levels at all points, row-major and square */
static void fill(derivative_array *x) {
  int n = x->n, rows = n * x->levels;
  x->node = dae_model_ints(&x->m->built, rows);
  memcpy(x->node, x->s->written, (size_t)n * sizeof(int));
  for (int i = n; i < rows; i++) x->node[i] = dae_model_rate(&x->m->graph, x->node[i - n]);
  dae_node_matrix a = dae_model_jacobian(x->m, x->node, rows, rows, array_column, x);
  double *entry[DAE_PROBES];
  for (int k = 0; k < DAE_PROBES; k++)
    entry[k] = dae_model_take(&x->m->built, (size_t)a.start[rows] + 1, sizeof(double));
  dae_model_probe(&x->q, a.node, a.start[rows], entry);
  for (int k = 0; k < DAE_PROBES; k++) {
    x->value[k] = dae_model_take(&x->m->built, (size_t)rows * (size_t)rows, sizeof(double));
    for (int i = 0; i < rows; i++)
      for (int e = a.start[i]; e < a.start[i + 1]; e++)
        x->value[k][i * rows + a.column[e]] = entry[k][e];
  }
}

/* rank of the first `rows` rows, columns from `from` on, of the array; rows scaled */
static int rank_of(derivative_array *x, int point, int rows, int from, double *A, int *perm,
                   double *tau, double *work) {
  int wide = x->n * x->levels, cols = rows - from;
  for (int i = 0; i < rows; i++) {
    memcpy(A + i * cols, x->value[point] + i * wide + from, (size_t)cols * sizeof *A);
    double largest = dae_la_norm_max(cols, A + i * cols);
    for (int j = 0; j < cols && largest > 0; j++) A[i * cols + j] /= largest;
  }
  return dae_la_qr_rank(rows, cols, A, 1e-10, perm, tau, work);
}

/* the first group of columns is independent of the others and of full rank */
static bool determined(derivative_array *x, int point, int nu) {
  int rows = (nu + 1) * x->n, size = rows * rows;
  double *A = dae_model_take(&x->m->built, (size_t)size, sizeof(double)),
         *tau = dae_model_take(&x->m->built, (size_t)rows, sizeof(double)),
         *work = dae_model_take(&x->m->built, 3 * (size_t)rows, sizeof(double));
  int *perm = dae_model_ints(&x->m->built, rows);
  int whole = rank_of(x, point, rows, 0, A, perm, tau, work);
  int rest = nu ? rank_of(x, point, rows, x->n, A, perm, tau, work) : 0;
  return whole == x->n + rest;
}

int dae_model_true_index(dae_model *m, const dae_structure *s) {
  derivative_array x = {.m = m, .s = s, .n = s->vars, .levels = s->index};
  if (s->index < 2 || s->vars * s->index > LARGEST) return s->index;
  x.order = dae_model_ints(&m->built, x.n);
  x.most = dae_model_ints(&m->built, x.n);
  find_orders(&x);
  dae_model_probes_init(&x.q, m, s, x.most);
  fill(&x);
  for (int k = 0; k < DAE_PROBES; k++)
    if (!dae_base_finite(x.value[k], x.n * x.levels * x.n * x.levels)) return s->index;
  for (int nu = 0; nu < s->index; nu++) {
    bool all = true;
    for (int k = 0; k < DAE_PROBES && all; k++) all = determined(&x, k, nu);
    if (all) return nu;
  }
  return s->index;
}
