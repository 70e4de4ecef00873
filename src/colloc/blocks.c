/* the almost block diagonal system of a boundary value problem, by orthogonal elimination */
#include <math.h>
#include <string.h>

#include "colloc/bvp.h"

/* columns from which reflections pay in groups, and of how many */
enum { MANY = 40, GROUP = 16 };

dae_status dae_colloc_blocks_init(dae_colloc_blocks *b, dae_pool *pool, int N, int n, int nq,
                                  int most, bool mixed) {
  size_t blocks = (size_t)N, sn = (size_t)n, sq = (size_t)nq, rows = (size_t)(most + n);
  *b = (dae_colloc_blocks){.n = n, .nq = nq, .N = N, .most = most, .mixed = mixed, .size = n + nq};
  b->remain = dae_base_ints(pool, blocks + 1);
  b->qr = dae_base_doubles(pool, blocks * rows * sn);
  b->beta = dae_base_doubles(pool, blocks * sn);
  b->coupling = dae_base_doubles(pool, blocks * sn * (sn + sq));
  b->rhs = dae_base_doubles(pool, blocks * sn);
  b->rest = dae_base_doubles(pool, (size_t)most * (sn + sq));
  b->stack = dae_base_doubles(pool, rows * (2 * sn + sq));
  b->last = dae_base_doubles(pool, (sn + sq) * (sn + sq));
  b->scale = dae_base_doubles(pool, sn + sq);
  b->column_scale = dae_base_doubles(pool, sn + sq);
  b->work = dae_base_doubles(pool, 4 * (sn + sq) + 2 * sn + rows);
  b->column = dae_base_doubles(pool, rows + sn + sq);
  b->pivot = dae_base_ints(pool, sn + sq);
  if (n >= MANY) b->group = dae_base_doubles(pool, (2 * rows + 2 * sn + sq) * GROUP);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

void dae_colloc_blocks_begin(dae_colloc_blocks *b) {
  memset(b->remain, 0, sizeof(int) * (size_t)(b->N + 1));
  b->place = -1;
  b->smallest = 1;
}

void dae_colloc_blocks_rows(dae_colloc_blocks *b, int i, int count, const double *rows) {
  memcpy(b->rest + b->remain[i] * b->size, rows, sizeof(double) * (size_t)(count * b->size));
  b->remain[i] += count;
}

/* Householder reflections of columns from .. to-1 of A (rows of `cols` values), applied up to
   column `end`; v below the diagonal with v_0 = 1 */
static void reflect(int rows, int cols, int from, int to, int end, double *A, double *beta,
                    double *work) {
  for (int c = from; c < to; c++) {
    double norm2 = 0, top = A[c * cols + c];
    for (int i = c + 1; i < rows; i++) norm2 += A[i * cols + c] * A[i * cols + c];
    if (norm2 == 0) {
      beta[c] = 0;
      continue;
    }
    double alpha = top > 0 ? -sqrt(top * top + norm2) : sqrt(top * top + norm2), v0 = top - alpha;
    beta[c] = -v0 / alpha;
    for (int i = c + 1; i < rows; i++) A[i * cols + c] /= v0;
    A[c * cols + c] = alpha;
    int width = end - c - 1;
    double *row = A + c * cols + c + 1;
    memcpy(work, row, sizeof(double) * (size_t)width);
    for (int i = c + 1; i < rows; i++) {
      const double *a = A + i * cols + c + 1;
      double v = A[i * cols + c];
      for (int j = 0; j < width; j++) work[j] += v * a[j];
    }
    for (int j = 0; j < width; j++) row[j] -= beta[c] * work[j];
    for (int i = c + 1; i < rows; i++) {
      double *a = A + i * cols + c + 1, v = beta[c] * A[i * cols + c];
      for (int j = 0; j < width; j++) a[j] -= v * work[j];
    }
  }
}

/* V (rows - from) x count and its transpose from below the diagonal of A */
static void collect(int rows, int cols, int from, int count, const double *A, double *V,
                    double *Vt) {
  int tall = rows - from;
  for (int i = 0; i < tall; i++)
    for (int c = 0; c < count; c++) {
      double v = i < c ? 0 : i == c ? 1 : A[(from + i) * cols + from + c];
      V[i * count + c] = Vt[c * tall + i] = v;
    }
}

/* T of H_1 .. H_p = I - V T V': upper triangular, T_cc = beta_c, T_ic = -beta_c (T V' v_c)_i */
static void triangle(int count, int tall, const double *Vt, const double *beta,
                     double T[GROUP][GROUP]) {
  for (int c = 0; c < count; c++) {
    double dot[GROUP] = {0};
    for (int i = 0; i < c; i++)
      for (int k = c; k < tall; k++) dot[i] += Vt[i * tall + k] * Vt[c * tall + k];
    T[c][c] = beta[c];
    for (int i = 0; i < c; i++) {
      T[i][c] = 0;
      for (int k = i; k < c; k++) T[i][c] -= beta[c] * T[i][k] * dot[k];
    }
  }
}

/* many columns: reflections by groups, and all that is right of a group at once:
   A := A - V T' V' A */
static void reflect_groups(dae_colloc_blocks *b, int rows, int cols, double *A, double *beta) {
  double T[GROUP][GROUP], *V = b->group, *Vt = V + rows * GROUP, *W = Vt + rows * GROUP;
  for (int from = 0; from < b->n; from += GROUP) {
    int to = from + GROUP < b->n ? from + GROUP : b->n, p = to - from;
    int tall = rows - from, rest = cols - to;
    double *right = A + from * cols + to;
    reflect(rows, cols, from, to, to, A, beta, b->work);
    collect(rows, cols, from, p, A, V, Vt);
    triangle(p, tall, Vt, beta + from, T);
    /* W := -V' A, then W := -T' W from the last row up, as it needs only those above */
    memset(W, 0, sizeof(double) * (size_t)(p * rest));
    dae_la_part left = {Vt, tall}, corner = {right, cols};
    dae_la_subtract_product(p, rest, tall, left, corner, W, rest);
    for (int c = p - 1; c >= 0; c--) {
      double *row = W + c * rest;
      for (int j = 0; j < rest; j++) row[j] *= -T[c][c];
      for (int k = 0; k < c; k++)
        for (int j = 0; j < rest; j++) row[j] -= T[k][c] * W[k * rest + j];
    }
    left = (dae_la_part){V, p}, corner = (dae_la_part){W, rest};
    dae_la_subtract_product(tall, rest, p, left, corner, right, cols);
  }
}

/* with mixed conditions d_0 is part of q: element 0 is a set of rows at point 1 */
static void first_mixed(dae_colloc_blocks *b, const double *T, const double *U) {
  int n = b->n, nq = b->nq, np = nq - n;
  for (int r = 0; r < n; r++) {
    double *row = b->rest + r * b->size;
    memset(row, 0, sizeof(double) * (size_t)b->size);
    row[r] = 1;
    for (int j = 0; j < n; j++) row[n + j] = -T[r * n + j];
    for (int j = 0; j < np; j++) row[n + n + j] = -U[r * np + j];
  }
  b->remain[1] = n;
}

static void note_smallest(dae_colloc_blocks *b, int i, const double *R, int cols) {
  double largest = 0, least = INFINITY;
  for (int c = 0; c < b->n; c++) {
    largest = fmax(largest, fabs(R[c * cols + c]));
    least = fmin(least, fabs(R[c * cols + c]));
  }
  double ratio = largest > 0 ? least / largest : 0;
  if (ratio < b->smallest) {
    b->smallest = ratio;
    /* sizes of variables may differ by many powers of ten: only a vanishing pivot is a verdict */
    if (ratio < 1e-60) b->place = i;
  }
}

void dae_colloc_blocks_element(dae_colloc_blocks *b, int i, const double *T, const double *U) {
  int n = b->n, nq = b->nq, cols = 2 * n + nq, r = b->remain[i], rows = r + n,
      np = b->mixed ? nq - n : nq;
  if (i == 0 && b->mixed) {
    first_mixed(b, T, U);
    return;
  }
  /* columns: d_i, d_(i+1), q; the rows that remain first */
  memset(b->stack, 0, sizeof(double) * (size_t)(rows * cols));
  for (int k = 0; k < r; k++) {
    memcpy(b->stack + k * cols, b->rest + k * b->size, sizeof(double) * (size_t)n);
    memcpy(b->stack + k * cols + 2 * n, b->rest + k * b->size + n, sizeof(double) * (size_t)nq);
  }
  for (int k = 0; k < n; k++) {
    double *row = b->stack + (r + k) * cols;
    for (int j = 0; j < n; j++) row[j] = -T[k * n + j];
    row[n + k] = 1;
    for (int j = 0; j < np; j++) row[2 * n + nq - np + j] = -U[k * np + j];
  }
  double *beta = b->beta + (size_t)i * n;
  if (b->group) reflect_groups(b, rows, cols, b->stack, beta);
  else reflect(rows, cols, 0, n, cols, b->stack, beta, b->work);
  note_smallest(b, i, b->stack, cols);
  double *qr = b->qr + (size_t)i * (b->most + n) * n,
         *coupling = b->coupling + (size_t)i * n * b->size;
  for (int k = 0; k < rows; k++)
    memcpy(qr + k * n, b->stack + k * cols, sizeof(double) * (size_t)n);
  for (int k = 0; k < n; k++)
    memcpy(coupling + k * b->size, b->stack + k * cols + n, sizeof(double) * (size_t)b->size);
  for (int k = 0; k < r; k++)
    memcpy(b->rest + k * b->size, b->stack + (n + k) * cols + n, sizeof(double) * (size_t)b->size);
  b->remain[i + 1] = r;
}

/* columns, then rows, of the last system to largest entry 1: sizes of variables must not look like
   rank. False: a column vanishes against the others, as nothing depends on its variable */
static bool equilibrate(dae_colloc_blocks *b) {
  int size = b->size;
  double most = dae_la_norm_max(size * size, b->last);
  bool full = true;
  for (int j = 0; j < size; j++) {
    double largest = 0;
    for (int i = 0; i < size; i++) largest = fmax(largest, fabs(b->last[i * size + j]));
    if (!(largest > 1e-50 * most)) full = false;
    b->column_scale[j] = largest > 0 ? 1 / largest : 1;
    for (int i = 0; i < size; i++) b->last[i * size + j] *= b->column_scale[j];
  }
  for (int i = 0; i < size; i++) {
    double largest = dae_la_norm_max(size, b->last + i * size);
    b->scale[i] = largest > 0 ? 1 / largest : 1;
    for (int j = 0; j < size; j++) b->last[i * size + j] *= b->scale[i];
  }
  return full;
}

dae_status dae_colloc_blocks_end(dae_colloc_blocks *b, int count, const double *rows) {
  int size = b->size, r = b->remain[b->N];
  if (r + count != size) return DAE_E_INPUT;
  memcpy(b->last, b->rest, sizeof(double) * (size_t)(r * size));
  memcpy(b->last + r * size, rows, sizeof(double) * (size_t)(count * size));
  bool full = equilibrate(b);
  double norm = dae_la_norm1(size, b->last);
  int zero = dae_la_lu(size, b->last, b->pivot);
  b->rcond = zero || !full ? 0 : dae_la_lu_rcond(size, b->last, b->pivot, norm, b->work);
  if (zero || !full || b->rcond < 1e-15) {
    if (b->place < 0) b->place = b->N;
    return DAE_E_SINGULAR;
  }
  return b->place >= 0 ? DAE_E_SINGULAR : DAE_OK;
}

/* column := Q' column for block i */
static void apply(const dae_colloc_blocks *b, int i, double *column) {
  int n = b->n, rows = b->remain[i] + n;
  const double *qr = b->qr + (size_t)i * (b->most + n) * n, *beta = b->beta + (size_t)i * n;
  for (int c = 0; c < n; c++) {
    if (beta[c] == 0) continue;
    double dot = column[c];
    for (int k = c + 1; k < rows; k++) dot += qr[k * n + c] * column[k];
    dot *= beta[c];
    column[c] -= dot;
    for (int k = c + 1; k < rows; k++) column[k] -= dot * qr[k * n + c];
  }
}

/* forward sweep of the right-hand side; the rest ends up in front of `last` in the last system */
static void forward(dae_colloc_blocks *b, const double *rows, const double *e, double *x) {
  int n = b->n, r = 0;
  for (int i = 0; i < b->N; i++) {
    if (i == 0 && b->mixed) {
      memcpy(b->column, e, sizeof(double) * (size_t)n);
      r = n;
      continue;
    }
    int added = b->remain[i] - r;
    memcpy(b->column + r, rows, sizeof(double) * (size_t)added);
    rows += added;
    r += added;
    memcpy(b->column + r, e + (size_t)i * n, sizeof(double) * (size_t)n);
    apply(b, i, b->column);
    memcpy(b->rhs + (size_t)i * n, b->column, sizeof(double) * (size_t)n);
    memmove(b->column, b->column + n, sizeof(double) * (size_t)r);
  }
  memcpy(x, b->column, sizeof(double) * (size_t)r);
}

void dae_colloc_blocks_solve(dae_colloc_blocks *b, const double *rows, const double *e,
                             const double *last, double *d, double *q) {
  int n = b->n, size = b->size, r = b->remain[b->N];
  double *x = b->work;
  forward(b, rows, e, x);
  memcpy(x + r, last, sizeof(double) * (size_t)(size - r));
  for (int i = 0; i < size; i++) x[i] *= b->scale[i];
  dae_la_lu_solve(size, b->last, b->pivot, x);
  for (int i = 0; i < size; i++) x[i] *= b->column_scale[i];
  memcpy(d + (size_t)b->N * n, x, sizeof(double) * (size_t)n);
  memcpy(q, x + n, sizeof(double) * (size_t)b->nq);
  for (int i = b->N - 1; i >= (b->mixed ? 1 : 0); i--) {
    const double *R = b->qr + (size_t)i * (b->most + n) * n,
                 *coupling = b->coupling + (size_t)i * n * size;
    double *di = d + (size_t)i * n;
    const double *next = di + n;
    for (int k = n - 1; k >= 0; k--) {
      double sum = b->rhs[(size_t)i * n + k];
      for (int j = 0; j < n; j++) sum -= coupling[k * size + j] * next[j];
      for (int j = 0; j < b->nq; j++) sum -= coupling[k * size + n + j] * q[j];
      for (int j = k + 1; j < n; j++) sum -= R[k * n + j] * di[j];
      di[k] = sum / R[k * n + k];
    }
  }
  if (b->mixed) memcpy(d, q, sizeof(double) * (size_t)n);
}
