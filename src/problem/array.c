/*
 * The derivative array: along the path p(u) = x + y_1 u + .. + y_(k+1) u^(k+1), u = s/length, the
 * coefficients of phi(u) = F(t + s, p, p'/length) at u^0 .. u^k must vanish. They are taken from
 * the values of phi at points ahead of t: sums of w_jm phi(u_m). Their derivatives are sums
 *   w_jm (A(u_m) u_m^i + E(u_m) i u_m^(i-1)/length)
 * with respect to y_i, so that nothing but E and A is needed.
 */
#include "problem/array.h"

#include <math.h>
#include <string.h>

#include "problem/staircase.h"

typedef struct path {
  dae_array *a;
  int n, nodes, unknowns;
  double w[DAE_STAIRS_NODES * DAE_STAIRS_NODES];
  double *p, *slope, *value; /* n each */
  double *E, *A;
  double *base;      /* x of the first guess */
  dae_status status; /* of a function that wants to stop */
} path;

/* p and p' at node m from the unknowns (a, y_1, y_2, ..) */
static double point(path *q, const double *u, int m) {
  const dae_array *a = q->a;
  const int n = q->n;
  const double at = q->nodes > 1 ? (double)m / (q->nodes - 1) : 0;
  for (int j = 0; j < n; j++) {
    double moved = 0;
    for (int c = 0; c < a->free; c++) moved += a->B[(size_t)j * (size_t)a->free + c] * u[c];
    q->p[j] = q->base[j] + a->X[j] * moved;
    q->slope[j] = 0;
  }
  double power = 1;
  for (int i = 1; i <= a->k + 1; i++, power *= at) {
    const double *y = u + a->free + (size_t)(i - 1) * (size_t)n;
    for (int j = 0; j < n; j++) {
      q->slope[j] += i * power * y[j] / a->length;
      q->p[j] += power * at * y[j];
    }
  }
  return a->t + at * a->length;
}

static int value(void *ctx, const double *u, double *out) {
  path *q = ctx;
  const int n = q->n, k = q->a->k;
  memset(out, 0, (size_t)(k + 1) * (size_t)n * sizeof *out);
  for (int m = 0; m < q->nodes; m++) {
    double t = point(q, u, m);
    dae_status status = dae_residual_value(q->a->r, t, q->p, q->slope, q->value);
    if (status == DAE_STOPPED) q->status = status;
    if (status != DAE_OK) return 1;
    for (int j = 0; j <= k; j++) {
      const double w = q->nodes > 1 ? q->w[j * q->nodes + m] : 1;
      for (int i = 0; i < n; i++) out[j * n + i] += w * q->value[i];
    }
  }
  return 0;
}

/* J += w (A u^i + E i u^(i-1)/length) in the columns of y_i, w A X B in those of a */
static void add_node(path *q, double at, int level, double w, double *J) {
  const dae_array *a = q->a;
  const dae_residual *r = a->r;
  const int n = q->n, cols = q->unknowns;
  for (int i = 0; i < n; i++) {
    double *row = J + ((size_t)level * (size_t)n + (size_t)i) * (size_t)cols;
    for (int e = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); e < end; e++) {
      const int j = dae_residual_column(r, i, e);
      const double *B = a->B + (size_t)j * (size_t)a->free;
      double power = 1;
      for (int c = 0; c < a->free && q->A[e] != 0; c++) row[c] += w * q->A[e] * a->X[j] * B[c];
      for (int d = 1; d <= a->k + 1; d++, power *= at)
        row[a->free + (d - 1) * n + j] +=
            w * (q->A[e] * power * at + q->E[e] * d * power / a->length);
    }
  }
}

static int matrix(void *ctx, const double *u, double *J, double *size) {
  path *q = ctx;
  const int n = q->n, k = q->a->k;
  const dae_residual *r = q->a->r;
  for (int m = 0; m < q->nodes; m++) {
    const double at = q->nodes > 1 ? (double)m / (q->nodes - 1) : 0;
    double t = point(q, u, m);
    dae_status status = dae_residual_matrices(q->a->r, t, q->p, q->slope,
                                              k > 0 ? DAE_FOR_RANK : DAE_FOR_NEWTON, q->E, q->A);
    if (status == DAE_STOPPED) q->status = status;
    if (status != DAE_OK) return 1;
    for (int j = 0; j <= k; j++) add_node(q, at, j, q->nodes > 1 ? q->w[j * q->nodes + m] : 1, J);
    for (int i = 0; i < n && m == 0; i++) {
      double terms = 0;
      for (int e = dae_residual_row(r, i), end = dae_residual_row(r, i + 1); e < end; e++) {
        const int j = dae_residual_column(r, i, e);
        terms += fabs(q->A[e] * q->p[j]) + fabs(q->E[e] * q->slope[j]);
      }
      for (int j = 0; j <= k; j++) size[j * n + i] = terms;
    }
  }
  return 0;
}

/* Slopes without bound may solve equations that have no solution, up to rounding in their own
   terms: what is left of F must be little beside F at the guess, its terms in the slopes of the
   guess (all that x'' = c has where c is met already) and those in x. r: F at the solution,
   before: at the guess */
static void check_slopes(path *q, const double *r, const double *before, dae_solved *out) {
  static const double SOLVED = 1e-7;
  const dae_residual *e = q->a->r;
  for (int i = 0; i < q->n && out->ok; i++) {
    double terms = fabs(before[i]);
    for (int k = dae_residual_row(e, i), end = dae_residual_row(e, i + 1); k < end; k++) {
      const int j = dae_residual_column(e, i, k);
      terms += fabs(q->A[k]) * fmax(q->a->X[j], fabs(q->p[j])) + fabs(q->E[k] * q->a->dx[j]);
    }
    if (fabs(r[i]) <= SOLVED * terms) continue;
    *out = (dae_solved){.rank = out->rank, .row = i, .residual = r[i], .relative = 1};
  }
}

size_t dae_problem_array_room(int n, int k) {
  const int rows = (k + 1) * n, unknowns = rows + n;
  const size_t of_n = (size_t)n;
  return 4 * of_n + 2 * of_n * of_n + 2 * (size_t)(unknowns + rows) +
         dae_problem_solve_room(rows, unknowns);
}

dae_status dae_problem_array_solve(dae_array *a, dae_solved *out, int *level) {
  const int n = a->r->n, rows = (a->k + 1) * n;
  path q = {.a = a, .n = n, .nodes = a->k > 0 ? DAE_STAIRS_NODES : 1};
  q.unknowns = a->free + (a->k + 1) * n;
  const size_t room = dae_problem_solve_room(rows, q.unknowns), of_n = (size_t)n;
  dae_pool pool;
  *out = (dae_solved){0};
  *level = 0;
  if (room == 0) return DAE_E_INPUT;
  dae_base_pool_init(&pool, &a->r->sys->passing);
  q.p = dae_base_doubles(&pool, 4 * of_n);
  if (q.p) q.slope = q.p + n, q.value = q.slope + n, q.base = q.value + n;
  q.E = dae_base_doubles(&pool, (size_t)a->r->size);
  q.A = dae_base_doubles(&pool, (size_t)a->r->size);
  double *u = dae_base_doubles(&pool, 2 * (size_t)q.unknowns), *scale = u ? u + q.unknowns : NULL;
  double *before = dae_base_doubles(&pool, 2 * (size_t)rows),
         *after = before ? before + rows : NULL;
  double *work = dae_base_doubles(&pool, room);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  if (status == DAE_OK) {
    if (q.nodes > 1) dae_problem_node_weights(q.nodes, q.w);
    a->r->h = fabs(a->length);
    memcpy(q.base, a->x, of_n * sizeof *a->x);
    memcpy(scale, a->weight, (size_t)a->free * sizeof *scale);
    for (int j = 0; j < n; j++) u[a->free + j] = a->length * a->dx[j];
    /* a path that is short beside the changes of x; of F alone it is not known how fast they are:
       0, the least that an equation notices */
    for (int i = 0; i <= a->k && a->k > 0; i++)
      for (int j = 0; j < n; j++) scale[a->free + i * n + j] = a->X[j];
    dae_equations e = {rows, q.unknowns, &q, value, matrix, scale};
    bool known = value(&q, u, before) == 0;
    *out = dae_problem_solve(&e, a->effort, u, work);
    if (out->ok && known && value(&q, u, after) == 0) {
      point(&q, u, 0);
      check_slopes(&q, after, before, out);
    }
    point(&q, u, 0);
    *level = out->row / n;
    out->row %= n;
    if (out->ok) memcpy(a->x, q.p, of_n * sizeof *a->x);
    if (out->ok) memcpy(a->dx, q.slope, of_n * sizeof *a->dx);
    status = q.status;
  }
  dae_base_pool_free(&pool);
  return status;
}
