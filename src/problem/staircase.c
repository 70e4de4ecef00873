/*
 * The index of E(s) x' + A(s) x = d(s), the equations linearized along a path. Rows of E that
 * depend on others are taken out, e_b = C e_a; what is left of them holds no x',
 *   (a_b - C a_a) x = d_b - C d_a,
 * and its derivative has (a_b - C a_a) for x' and (a_b - C a_a)' for x. Each round differentiates
 * such rows once; after `index` rounds E is regular (Luenberger 1978, with derivatives of
 * the coefficients along the path). Only rows of one kind are compared, so that no unit of
 * equations, variables or time matters.
 */
#include "problem/staircase.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* what counts as zero beside rows of length 1: with given matrices, and with differences; each
   round loses some of the digits */
static const double GIVEN = 1e-10, DIFFERENCES = 1e-7, ROUND = 10;
/* where no index is found with differences, which are mostly better than that: pivots that follow
   others without a gap count down to this part of it */
static const double CLOSE = 0.01;
/* rows that cancel to it are nothing: rounding in their terms */
static const double NOTHING = 1e-13, NOTHING_DIFFERENCES = 1e-10;
/* changes along the path below it are noise */
static const double NOISE = 1e-11, NOISE_DIFFERENCES = 1e-8;
/* the time in which x changes, in lengths of a path */
static const double LONG = 100;
/* pivots of s E + A, whose rows and columns are of size 1, that are rounding */
static const double SINGULAR = 1e-14, SINGULAR_DIFFERENCES = 2e-11;

typedef struct stairs {
  dae_residual *r;
  dae_pool pool;
  int n, nodes, rank;
  double zero, noise, length;
  double singular, nothing;
  bool solved; /* x' is that of a solution: differences need not go farther */
  dae_accuracy accuracy;
  bool constant;      /* nothing changes along the path */
  const dae_path *at; /* of algebraic_rows */
  bool there;         /* E and A are those of it */
  double *E[DAE_STAIRS_NODES], *A[DAE_STAIRS_NODES], *rest[DAE_STAIRS_NODES];
  double *X; /* sizes of variables */
  double *QR, *tau, *work, *terms, *c;
  /* where E is the same at all points, and is there by rows of length 1: */
  double *lengths; /* .. the lengths that they had, n; else NULL */
  double *C;       /* .. the coefficients of the dependent rows, n x n, once `taken` */
  bool taken;
  int *perm, *pivot;
  double derive[DAE_STAIRS_NODES * DAE_STAIRS_NODES]; /* values at the nodes to slopes there */
  double *values;                                     /* E and A as they are stored */
} stairs;

void dae_problem_node_weights(int nodes, double *out) {
  for (int m = 0; m < nodes; m++) {
    long double c[DAE_STAIRS_NODES + 1] = {1};
    long double at = (long double)m / (nodes - 1);
    int degree = 0;
    for (int l = 0; l < nodes; l++) {
      long double u = (long double)l / (nodes - 1);
      if (l == m) continue;
      /* c := c (x - u)/(at - u) */
      for (int j = ++degree; j >= 0; j--)
        c[j] = ((j > 0 ? c[j - 1] : 0) - (j < degree ? u * c[j] : 0)) / (at - u);
    }
    for (int j = 0; j < nodes; j++) out[j * nodes + m] = (double)c[j];
  }
}

static void slope_weights(stairs *q) {
  double w[DAE_STAIRS_NODES * DAE_STAIRS_NODES];
  const int nodes = q->nodes;
  dae_problem_node_weights(nodes, w);
  for (int k = 0; k < nodes; k++)
    for (int m = 0; m < nodes; m++) {
      double sum = 0, power = 1, u = (double)k / (nodes - 1);
      for (int j = 1; j < nodes; j++, power *= u) sum += j * power * w[j * nodes + m];
      q->derive[k * nodes + m] = sum / q->length;
    }
}

/* ---- matrices ---- */

static void spread(const dae_residual *r, const double *values, const double *X, double *to) {
  memset(to, 0, (size_t)r->n * (size_t)r->n * sizeof *to);
  for (int i = 0; i < r->n; i++)
    for (int k = dae_residual_row(r, i); k < dae_residual_row(r, i + 1); k++) {
      int j = dae_residual_column(r, i, k);
      to[(size_t)i * (size_t)r->n + j] = values[k] * X[j];
    }
}

/* a fast variable hides x' behind its own terms: the time in which it moves is the measure */
static void find_time(stairs *q, const dae_path *path) {
  double top = 0;
  for (int i = 0; i < q->n; i++) {
    double of_E = 0, of_A = 0;
    for (int j = 0; j < q->n; j++) {
      of_E = fmax(of_E, fabs(q->E[0][(size_t)i * (size_t)q->n + j]));
      of_A = fmax(of_A, fabs(q->A[0][(size_t)i * (size_t)q->n + j]));
    }
    if (of_E > 0) top = fmax(top, of_A / of_E);
  }
  q->r->h = fabs(path->length);
  if (top > 0 && isfinite(top)) q->r->h = fmin(q->r->h, 1 / top);
}

/* E and A in units of the variables at node m */
static dae_status evaluate(stairs *q, const dae_path *path, int m) {
  const double s = q->nodes > 1 ? path->length * m / (q->nodes - 1) : 0;
  double *x = q->c, *E = q->values, *A = E + q->r->size;
  for (int j = 0; j < q->n; j++) x[j] = path->x[j] + s * path->dx[j];
  dae_status status = dae_residual_matrices(q->r, path->t + s, x, path->dx, q->accuracy, E, A);
  if (status != DAE_OK) return status;
  if (!q->lengths) spread(q->r, E, q->X, q->E[m]);
  spread(q->r, A, q->X, q->A[m]);
  for (int i = 0; i < q->n && q->lengths; i++)
    for (int j = 0; j < q->n; j++) q->A[m][(size_t)i * (size_t)q->n + j] /= q->lengths[i];
  return DAE_OK;
}

static dae_status evaluate_all(stairs *q, const dae_path *path) {
  dae_status status = DAE_OK;
  q->r->h = (q->solved ? LONG : 1) * fabs(path->length);
  if (q->nodes == 1 && !q->solved) {
    status = evaluate(q, path, 0);
    find_time(q, path);
  }
  q->r->running = q->solved;
  for (int m = 0; m < q->nodes && status == DAE_OK; m++) status = evaluate(q, path, m);
  q->r->running = false;
  return status;
}

/* ---- rounds ---- */

/* all rows of (E, A) by the length of those of E at the first node; rows that are nothing stay */
static void scale_rows(stairs *q, const int *rows, int count) {
  const size_t n = (size_t)q->n;
  for (int b = 0; b < count; b++) {
    const size_t i = rows ? (size_t)rows[b] : (size_t)b;
    double length = dae_la_norm2(q->n, q->E[0] + i * n);
    for (int m = 0; m < q->nodes && length > 0; m++)
      for (size_t j = 0; j < n; j++) q->E[m][i * n + j] /= length, q->A[m][i * n + j] /= length;
  }
}

/* Rank of E at the first node; perm has the independent rows in front. Pivots below `zero` that
   come one after the other without a gap, as those of a discretized operator do, are none: they
   count down to `least` */
static int rank_of(stairs *q, double zero, double least) {
  static const double GAP = 0.03;
  const size_t bytes = (size_t)q->n * (size_t)q->n * sizeof *q->QR;
  memcpy(q->QR, q->E[0], bytes);
  double top = 0;
  for (int i = 0; i < q->n; i++) top = fmax(top, dae_la_norm2(q->n, q->QR + (size_t)i * q->n));
  for (int i = 0; i < q->n; i++) q->perm[i] = i;
  if (!(top > 0)) return 0;
  const int most = dae_la_qr_rank(q->n, q->n, q->QR, fmin(zero, least), q->perm, q->tau, q->work);
  const double *pivot = q->QR, first = fabs(*pivot);
  int rank = 1;
  for (; rank < most; rank++) {
    const double before = fabs(*pivot), here = fabs(*(pivot += q->n + 1));
    if (here <= zero * first && here <= GAP * before) break;
  }
  return most > 0 ? rank : 0;
}

/* factors of the independent rows at node m */
static void factor_rows(stairs *q, int m, int rank) {
  const size_t n = (size_t)q->n;
  for (int i = 0; i < rank; i++)
    memcpy(q->QR + (size_t)i * n, q->E[m] + (size_t)q->perm[i] * n, n * sizeof *q->QR);
  if (rank > 0) dae_la_qr_rank(rank, q->n, q->QR, 0, q->pivot, q->tau, q->work);
}

/* row b of C: what there is of the independent rows in a dependent one */
static const double *coefficients(stairs *q, int m, int rank, int b) {
  const size_t n = (size_t)q->n;
  double *c = q->C ? q->C + (size_t)(b - rank) * n : q->c;
  if (q->taken) return c;
  memcpy(c, q->E[m] + (size_t)q->perm[b] * n, n * sizeof *c);
  dae_la_qr_apply_t(q->n, rank, q->QR, q->tau, c);
  dae_la_qr_backward(q->n, rank, q->QR, c);
  return c;
}

/* rest := a_b - C a_a at node m for the dependent rows; terms: of what it is the difference */
static void take_out(stairs *q, int m, int rank) {
  const size_t n = (size_t)q->n;
  if (!q->taken) factor_rows(q, m, rank);
  for (int b = rank; b < q->n; b++) {
    double *to = q->rest[m] + (size_t)(b - rank) * n;
    const double *a = q->A[m] + (size_t)q->perm[b] * n, *c = coefficients(q, m, rank, b);
    double sum = m == 0 && !q->C ? dae_la_norm2(q->n, a) : 0;
    memcpy(to, a, n * sizeof *to);
    for (int i = 0; i < rank; i++) {
      const double *from = q->A[m] + (size_t)q->perm[q->pivot[i]] * n;
      for (size_t j = 0; j < n; j++) to[j] -= c[i] * from[j];
      if (m == 0 && !q->C) sum += fabs(c[i]) * dae_la_norm2(q->n, from);
    }
    if (m == 0) q->terms[b - rank] = sum;
  }
  q->taken = q->C != NULL;
}

/* the dependent rows become (rest, rest'): false where one of them is nothing */
static bool differentiate(stairs *q, int rank, double zero) {
  const size_t n = (size_t)q->n;
  bool all = true;
  for (int b = rank; b < q->n; b++) {
    const size_t at = (size_t)(b - rank) * n, to = (size_t)q->perm[b] * n;
    double noise = q->noise * q->terms[b - rank];
    /* derivatives of coefficients have fewer digits than the coefficients */
    double least = (q->constant ? q->nothing : zero) * q->terms[b - rank];
    bool nothing = dae_la_norm2(q->n, q->rest[0] + at) <= least;
    if (nothing) all = false;
    for (int m = 0; m < q->nodes; m++)
      for (size_t j = 0; j < n; j++) {
        double slope = 0, change = 0;
        for (int l = 0; l < q->nodes; l++) {
          change = fmax(change, fabs(q->rest[l][at + j] - q->rest[0][at + j]));
          slope += q->nodes > 1 ? q->derive[m * q->nodes + l] * q->rest[l][at + j] : 0;
        }
        q->E[m][to + j] = nothing && change <= noise ? 0 : q->rest[m][at + j];
        q->A[m][to + j] = change <= noise ? 0 : slope;
      }
  }
  scale_rows(q, q->perm + rank, q->n - rank);
  return all;
}

/* rounds until E is regular; close: pivots without a gap count */
static int climb(stairs *q, bool close) {
  double zero = q->zero;
  scale_rows(q, NULL, q->n);
  for (int k = 0; k <= DAE_STAIRS; k++, zero *= ROUND) {
    int rank = rank_of(q, zero, close ? CLOSE * zero : zero);
    if (k == 0) q->rank = rank;
    if (rank == q->n) return k;
    if (k == DAE_STAIRS) break;
    for (int m = 0; m < q->nodes; m++) take_out(q, m, rank);
    if (!differentiate(q, rank, k > 0 ? zero : q->nothing) && q->nodes == 1) return -1;
  }
  return -1;
}

/* ---- equations that do not determine the variables ---- */

/* rows, columns and rows once more to length 1 */
static void equilibrate(int n, double *S) {
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < n; i++) {
      const size_t first = pass == 1 ? (size_t)i : (size_t)i * (size_t)n;
      const size_t apart = pass == 1 ? (size_t)n : 1;
      double sum = 0;
      for (int j = 0; j < n; j++) {
        const double a = fabs(S[first + (size_t)j * apart]);
        sum = a > sum ? a : sum;
      }
      for (int j = 0; j < n && sum > 0; j++) S[first + (size_t)j * apart] /= sum;
    }
}

/* .. of s E + A */
static int rank_of_pencil(stairs *q, double shift, bool turned) {
  const size_t n = (size_t)q->n;
  double *S = q->rest[0];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      S[turned ? j * n + i : i * n + j] = shift * q->E[0][i * n + j] + q->A[0][i * n + j];
  equilibrate(q->n, S);
  return dae_la_qr_rank(q->n, q->n, S, q->singular, q->perm, q->tau, q->work);
}

/* s E + A has full rank for no s, neither by its rows nor by its columns, which are scaled in
   another order; the row and the column that are left over. q->E, q->A are those of the first node,
   afresh */
static void find_singular(stairs *q, dae_structure *out) {
  /* powers of 10: up to -4 + 12, then down to -12, since paths are short where x begins at 0 */
  enum { UP = 12, ALL = 21, LEAST = -4 };
  const int n = q->n;
  int best = -1;
  for (int k = 0; k < ALL; k++) {
    const double shift = pow(10, k <= UP ? LEAST + k : UP + LEAST - k) / fabs(q->length);
    for (int turned = 0; turned < 2; turned++) {
      const int rank = rank_of_pencil(q, shift, turned);
      if (rank == n) return;
      if (!turned && rank > best) best = rank, out->equation = q->perm[rank];
      else if (turned && rank >= best) out->variable = q->perm[rank];
    }
  }
  out->singular = best >= 0;
}

/* E and A at the last node are those at the first */
static bool constant(const stairs *q) {
  const double *first[] = {q->E[0], q->A[0]}, *last[] = {q->E[q->nodes - 1], q->A[q->nodes - 1]};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < q->n; i++) {
      const size_t at = (size_t)i * (size_t)q->n;
      double most = dae_la_norm_max(q->n, first[k] + at);
      for (int j = 0; j < q->n; j++)
        if (fabs(last[k][at + j] - first[k][at + j]) > q->noise * most) return false;
    }
  return true;
}

/* ---- from outside ---- */

static dae_status take(stairs *q) {
  const size_t n = (size_t)q->n, square = n * n;
  for (int m = 0; m < q->nodes; m++) {
    q->E[m] = dae_base_doubles(&q->pool, square);
    q->A[m] = dae_base_doubles(&q->pool, square);
    q->rest[m] = dae_base_doubles(&q->pool, square);
  }
  q->QR = dae_base_doubles(&q->pool, square);
  q->X = dae_base_doubles(&q->pool, 7 * n);
  q->perm = dae_base_ints(&q->pool, 2 * n);
  q->values = dae_base_doubles(&q->pool, 2 * (size_t)q->r->size);
  if (q->pool.failed) return DAE_E_MEMORY;
  q->tau = q->X + n, q->work = q->tau + n, q->terms = q->work + 3 * n, q->c = q->terms + n;
  q->pivot = q->perm + n;
  return DAE_OK;
}

/* memory, and the matrices along the path */
static dae_status begin(stairs *q, dae_residual *r, const dae_path *path, int nodes, bool solved,
                        dae_accuracy accuracy) {
  const bool given = r->m->jacobian || r->m->f_x;
  *q = (stairs){.r = r, .n = r->n, .nodes = nodes, .length = path->length, .solved = solved};
  q->accuracy = accuracy;
  q->zero = given ? GIVEN : DIFFERENCES;
  q->noise = given ? NOISE : NOISE_DIFFERENCES;
  q->nothing = given ? NOTHING : NOTHING_DIFFERENCES;
  q->singular = given ? SINGULAR : SINGULAR_DIFFERENCES;
  dae_base_pool_init(&q->pool, &r->sys->passing);
  dae_status status = take(q);
  if (status != DAE_OK) return status;
  for (int j = 0; j < q->n; j++) q->X[j] = dae_residual_size(r, j, path->x);
  if (nodes > 1) slope_weights(q);
  return evaluate_all(q, path);
}

/* once more from the matrices, the first of which alone have been made afresh, where they do not
   change along the path: their derivatives are none, and have no noise */
static dae_status climb_closely(stairs *q, const dae_path *path, dae_structure *out) {
  enum { HIGHEST = 2 };
  if (!q->constant || q->nodes == 1) return DAE_OK;
  const dae_status status = evaluate_all(q, path);
  if (status != DAE_OK) return status;
  const int index = climb(q, true);
  /* what a third differentiation leaves is too near to noise to be told from it */
  if (index <= HIGHEST) out->index = index, out->rank = q->rank;
  return DAE_OK;
}

static dae_status look(dae_residual *r, const dae_path *path, int nodes, dae_structure *out) {
  stairs q;
  dae_status status = begin(&q, r, path, nodes, false, DAE_FOR_RANK);
  if (status == DAE_OK) {
    q.constant = constant(&q);
    out->index = climb(&q, false);
    out->rank = q.rank;
  }
  /* rounding may look like a hidden constraint of equations that depend on each other */
  if (status == DAE_OK && (out->index < 0 || (out->index > 1 && q.constant))) {
    status = evaluate(&q, path, 0);
    if (status == DAE_OK) find_singular(&q, out);
    if (out->singular) out->index = -1;
  }
  if (status == DAE_OK && out->index < 0 && !out->singular && q.zero >= DIFFERENCES)
    status = climb_closely(&q, path, out);
  dae_base_pool_free(&q.pool);
  return status;
}

dae_status dae_problem_structure(dae_residual *r, const dae_path *path, dae_structure *out) {
  *out = (dae_structure){.index = -1, .equation = -1, .variable = -1};
  /* index 0 and 1 show at the point itself */
  dae_status status = look(r, path, 1, out);
  if (status != DAE_OK || (out->index >= 0 && out->index <= 1)) return status;
  dae_structure along = {.index = -1, .equation = out->equation, .variable = out->variable};
  status = look(r, path, DAE_STAIRS_NODES, &along);
  if (status == DAE_OK) *out = along;
  return status == DAE_E_CALLBACK ? DAE_OK : status;
}

dae_status dae_problem_singular(dae_residual *r, const dae_path *path, double rounding,
                                dae_structure *out) {
  stairs q;
  *out = (dae_structure){.index = -1, .equation = -1, .variable = -1};
  dae_status status = begin(&q, r, path, 1, true, DAE_FOR_RANK);
  q.singular = fmax(q.singular, rounding);
  if (status == DAE_OK) find_singular(&q, out);
  dae_base_pool_free(&q.pool);
  return status;
}

/* the largest part of its terms that an equation is off by; values are those of the first node */
static dae_status off_by(stairs *q, const dae_path *path, double *most) {
  const double *E = q->E[0], *A = q->A[0];
  dae_status status = dae_residual_value(q->r, path->t, path->x, path->dx, q->c);
  *most = 0;
  for (int i = 0; i < q->n && status == DAE_OK; i++, E += q->n, A += q->n) {
    double terms = 0;
    for (int j = 0; j < q->n; j++) terms += fabs(A[j]) + fabs(E[j] * path->dx[j]) / q->X[j];
    if (q->c[i] != 0) *most = fmax(*most, fabs(q->c[i]) / terms);
  }
  return status;
}

dae_status dae_problem_regular(dae_residual *r, const dae_path *path, bool *yes) {
  static const double CLEAR = 1e-6, FROM_SOLUTION = 100;
  stairs q;
  double off = 0;
  dae_structure found = {0};
  dae_status status = begin(&q, r, path, 1, true, DAE_FOR_NEWTON);
  if (status == DAE_OK) status = off_by(&q, path, &off);
  q.singular = fmax(CLEAR, FROM_SOLUTION * off);
  /* where the time in which x changes is that of a step, the first s mostly does */
  const bool clear = status == DAE_OK && rank_of_pencil(&q, 1 / fabs(q.length), false) == q.n;
  if (status == DAE_OK && !clear) find_singular(&q, &found);
  *yes = status == DAE_OK && !found.singular;
  dae_base_pool_free(&q.pool);
  return status;
}

dae_status dae_problem_rank(dae_residual *r, const dae_path *path, int *rank) {
  dae_structure out = {.index = -1, .equation = -1, .variable = -1};
  dae_status status = look(r, path, 1, &out);
  *rank = out.rank;
  return status;
}

/* ---- other solutions nearby ---- */

/* S := rows of E that are independent, a_b - C a_a in place of the others: regular where the index
   is 1, and its determinant is the leading coefficient of det(s E + A) */
static dae_status algebraic_rows(void *ctx, const double *x, double *S) {
  stairs *q = ctx;
  const size_t n = (size_t)q->n, row = n * sizeof *S;
  const dae_path at = {q->at->t, q->at->length, x, q->at->dx};
  /* at the point itself E and A are there, maybe by rows of another length: that changes no sign */
  dae_status status = q->there && x == q->at->x ? DAE_OK : evaluate(q, &at, 0);
  q->there = false;
  if (status != DAE_OK) return status;
  take_out(q, 0, q->rank);
  for (size_t i = 0; i < n; i++) {
    const size_t k = (size_t)q->perm[i], rank = (size_t)q->rank;
    memcpy(S + k * n, i < rank ? q->E[0] + k * n : q->rest[0] + (i - rank) * n, row);
  }
  return DAE_OK;
}

/* before rows are scaled: where M is constant, E and what follows from it are made once */
static dae_status keep_lengths(stairs *q) {
  const size_t n = (size_t)q->n;
  if (q->r->m->F || (q->r->m->mass && !q->r->m->mass_constant)) return DAE_OK;
  q->C = dae_base_doubles(&q->pool, n * n + n);
  if (!q->C) return DAE_E_MEMORY;
  q->lengths = q->C + n * n;
  for (size_t i = 0; i < n; i++) {
    const double length = dae_la_norm2(q->n, q->E[0] + i * n);
    q->lengths[i] = length > 0 ? length : 1;
  }
  return DAE_OK;
}

dae_status dae_problem_implicit_branches(dae_residual *r, const dae_path *path, const double *ball,
                                         dae_accuracy accuracy, dae_branches *out) {
  stairs q = {.r = r, .n = r->n, .nodes = 1, .length = path->length, .at = path};
  q.accuracy = accuracy;
  *out = (dae_branches){0};
  dae_base_pool_init(&q.pool, &r->sys->passing);
  dae_status status = take(&q);
  if (status == DAE_OK) {
    memcpy(q.X, ball, (size_t)q.n * sizeof *q.X);
    r->h = fabs(path->length);
    status = evaluate(&q, path, 0);
  }
  if (status == DAE_OK) status = keep_lengths(&q);
  if (status == DAE_OK) {
    scale_rows(&q, NULL, q.n);
    const double zero = r->m->jacobian || r->m->f_x ? GIVEN : DIFFERENCES;
    q.rank = rank_of(&q, zero, zero);
    q.there = true;
    const dae_square S = {algebraic_rows, &q, q.n, q.n, NULL, path->x, ball};
    if (q.rank < q.n) status = dae_problem_branches(&S, &q.pool, out);
  }
  dae_base_pool_free(&q.pool);
  return status;
}

/* ---- of single variables ---- */

/* growth of |(s E + A)^-1 d| per decade of s, d of the size of each equation */
dae_status dae_problem_variable_index(dae_residual *r, const dae_path *path, int index,
                                      unsigned char *of_variable) {
  enum { RUNGS = 8 };
  const size_t n = (size_t)r->n, size = (size_t)r->size;
  dae_pool pool;
  dae_la_solver *solver = NULL;
  dae_base_pool_init(&pool, &r->sys->passing);
  double *E = dae_base_doubles(&pool, size), *A = dae_base_doubles(&pool, size);
  double *S = dae_base_doubles(&pool, size), *before = dae_base_doubles(&pool, n);
  double *x = dae_base_doubles(&pool, n), *d = dae_base_doubles(&pool, n);
  double *best = dae_base_doubles(&pool, n);
  dae_status status = pool.failed ? DAE_E_MEMORY : DAE_OK;
  if (status == DAE_OK)
    status = dae_la_solver_new(&solver, &pool, r->n, r->pattern.start ? &r->pattern : NULL);
  r->h = fabs(path->length);
  if (status == DAE_OK)
    status = dae_residual_matrices(r, path->t, path->x, path->dx, DAE_FOR_RANK, E, A);
  for (int i = 0; i < r->n && status == DAE_OK; i++) {
    for (int k = dae_residual_row(r, i); k < dae_residual_row(r, i + 1); k++)
      d[i] = fmax(d[i], fabs(A[k]) * dae_residual_size(r, dae_residual_column(r, i, k), path->x));
    d[i] *= 0.7 + 0.3 * sin(1 + 2.3 * i);
    of_variable[i] = 1;
  }
  for (int rung = 0; rung < RUNGS && status == DAE_OK; rung++) {
    const double s = pow(10, rung) / fabs(path->length);
    for (size_t k = 0; k < size; k++) S[k] = s * E[k] + A[k];
    dae_status factored = dae_la_solver_factor(solver, S);
    if (factored == DAE_E_MEMORY) status = factored;
    if (factored != DAE_OK) break; /* singular here: what was seen so far has to do */
    memcpy(x, d, n * sizeof *x);
    dae_la_solver_solve(solver, x);
    if (!dae_base_finite(x, r->n)) break;
    for (int j = 0; j < r->n; j++) {
      double growth = rung > 0 && before[j] != 0 ? fabs(x[j] / before[j]) : 0;
      /* a power shows as the same growth twice in a row */
      for (int p = 1; p < index; p++)
        if (growth > 0.5 * pow(10, p) && best[j] > 0.5 * pow(10, p) && of_variable[j] < p + 1)
          of_variable[j] = (unsigned char)(p + 1);
      best[j] = growth;
    }
    memcpy(before, x, n * sizeof *x);
  }
  dae_la_solver_free(solver);
  dae_base_pool_free(&pool);
  return status;
}
