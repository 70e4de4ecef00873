/* one small matrix type: the storage of its values is looked at here */
#include <math.h>
#include <string.h>

#include "problem/matrix.h"

dae_matrix dae_matrix_of(int rows, int cols, const dae_pattern *pattern) {
  if (!pattern)
    return (dae_matrix){.kind = DAE_LA_DENSE, .rows = rows, .cols = cols, .size = rows * cols};
  return (dae_matrix){.kind = DAE_LA_SPARSE,
                      .rows = rows,
                      .cols = cols,
                      .size = pattern->start[rows],
                      .start = pattern->start,
                      .column = pattern->column};
}

dae_matrix dae_matrix_new(dae_pool *pool, const dae_matrix *like) {
  dae_matrix a = *like;
  a.x = a.size > 0 ? dae_base_doubles(pool, (size_t)a.size) : NULL;
  return a;
}

dae_matrix dae_matrix_top(const dae_matrix *a, int rows) {
  dae_matrix top = *a;
  top.rows = rows;
  top.size = a->start ? a->start[rows] : rows * a->cols;
  return top;
}

void dae_matrix_clear_thin(dae_matrix *a) {
  a->thin = false;
  for (int i = 0; i < a->rows; i++)
    for (int k = a->found->start[i]; k < a->found->start[i + 1]; k++)
      a->x[(size_t)i * (size_t)a->cols + (size_t)a->found->column[k]] = 0;
}

void dae_matrix_settle(dae_matrix *a) { a->thin = a->found && dae_la_within(a->found, a->x); }

bool dae_matrix_finite(const dae_matrix *a) {
  if (!a->thin) return dae_base_finite(a->x, a->size);
  for (int i = 0; i < a->rows; i++)
    for (int k = a->found->start[i]; k < a->found->start[i + 1]; k++)
      if (!isfinite(a->x[(size_t)i * (size_t)a->cols + (size_t)a->found->column[k]])) return false;
  return true;
}

/* sum + (A x)_i of a thin matrix */
static inline double thin_row(const dae_matrix *a, int i, const double *x, double sum) {
  const int end = a->found->start[i + 1], *column = a->found->column;
  const double *row = a->x + (size_t)i * (size_t)a->cols;
  for (int k = a->found->start[i]; k < end; k++) sum += row[column[k]] * x[column[k]];
  return sum;
}

/* sum + (A x)_i for a pattern */
static inline double sparse_row(const dae_matrix *a, int i, const double *x, double sum) {
  const int end = a->start[i + 1], *column = a->column;
  const double *value = a->x;
  for (int k = a->start[i]; k < end; k++) sum += value[k] * x[column[k]];
  return sum;
}

void dae_matrix_times(const dae_matrix *a, const double *x, double *r) {
  switch (a->kind) {
    case DAE_LA_DENSE:
      if (!a->thin) dae_la_mul(a->rows, a->cols, a->x, x, r);
      for (int i = 0; i < a->rows && a->thin; i++) r[i] = thin_row(a, i, x, 0);
      break;
    case DAE_LA_SPARSE:
      for (int i = 0; i < a->rows; i++) r[i] = sparse_row(a, i, x, 0);
      break;
    default: memset(r, 0, (size_t)a->rows * sizeof *r); dae_matrix_add(a, x, r);
  }
}

void dae_matrix_add(const dae_matrix *a, const double *x, double *r) {
  switch (a->kind) {
    case DAE_LA_IDENTITY:
      for (int i = 0; i < a->rows; i++) r[i] += x[i];
      break;
    case DAE_LA_DIAGONAL:
      for (int i = 0; i < a->rows; i++) r[i] += a->x[i] * x[i];
      break;
    case DAE_LA_SPARSE:
      for (int i = 0; i < a->rows; i++) r[i] = sparse_row(a, i, x, r[i]);
      break;
    default:
      for (int i = 0; i < a->rows; i++) {
        const double *row = a->x + (size_t)i * (size_t)a->cols;
        double sum = r[i];
        if (a->thin) {
          r[i] = thin_row(a, i, x, sum);
          continue;
        }
        for (int j = 0; j < a->cols; j++) sum += row[j] * x[j];
        r[i] = sum;
      }
  }
}

void dae_matrix_t_add(const dae_matrix *a, const double *y, double *x) {
  if (a->kind == DAE_LA_IDENTITY || a->kind == DAE_LA_DIAGONAL) {
    dae_matrix_add(a, y, x);
    return;
  }
  for (int i = 0; i < a->rows; i++) {
    const double *row = a->x + (size_t)i * (size_t)a->cols;
    if (a->start)
      for (int k = a->start[i]; k < a->start[i + 1]; k++) x[a->column[k]] += a->x[k] * y[i];
    else if (a->thin)
      for (int k = a->found->start[i]; k < a->found->start[i + 1]; k++)
        x[a->found->column[k]] += row[a->found->column[k]] * y[i];
    else
      for (int j = 0; j < a->cols; j++) x[j] += row[j] * y[i];
  }
}

void dae_matrix_put(const dae_matrix *a, double factor, double *to, size_t down, size_t right) {
  for (int i = 0; i < a->rows; i++, to += down) {
    if (a->kind == DAE_LA_IDENTITY) {
      to[(size_t)i * right] = factor;
      continue;
    }
    dae_row r = dae_matrix_row(a, i);
    if (r.column)
      for (int k = 0; k < r.count; k++) to[(size_t)r.column[k] * right] = factor * r.x[k];
    else
      for (int k = 0; k < r.count; k++) to[(size_t)(r.first + k) * right] = factor * r.x[k];
  }
}
