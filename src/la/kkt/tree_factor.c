/* L D L' by fronts: the numbers */
#include <string.h>

#include "la/dense/kernel.h"
#include "la/kkt/tree.h"

/* of the node that is worked on */
typedef struct node {
  int rows, own, width; /* of its front, its own columns, numbers in a row of its panel */
  const int *row;
  double *panel;
} node;

static node node_of(const dae_la_tree *t, int k) {
  const int own = t->first[k + 1] - t->first[k];
  return (node){.rows = (int)(t->row_at[k + 1] - t->row_at[k]),
                .own = own,
                .width = own + own % 2,
                .row = t->row + t->row_at[k],
                .panel = t->panel + t->panel_at[k]};
}

/* the front: S in the columns of the node */
static void fill_front(dae_la_tree *t, int k, const node *a, const double *diagonal) {
  const int first = t->first[k];
  for (int i = 0; i < a->rows; i++)
    memset(t->front + (size_t)i * a->rows, 0, (size_t)(i + 1) * sizeof *t->front);
  for (int j = 0; j < a->own; j++) t->front[(size_t)j * a->rows + j] = diagonal[first + j];
  for (int e = t->entry_start[first]; e < t->entry_start[first + a->own]; e++)
    t->front[t->entry_at[e]] = t->entry[e];
}

/* the update of a child is added where its rows are */
static void add_update(dae_la_tree *t, int child, const node *a, const double *update) {
  const node c = node_of(t, child);
  const int size = c.rows - c.own, *row = c.row + c.own;
  for (int i = 0; i < size; i++) {
    double *to = t->front + (size_t)t->local[row[i]] * a->rows;
    for (int j = 0; j <= i; j++) to[t->local[row[j]]] += update[(size_t)i * size + j];
  }
}

/* u_i = f_i - sum u l for the first columns of row i of the front, n of them */
static void eliminate_row(const node *a, int n, const double *f, double *u) {
  for (int j = 0; j < n; j++) u[j] = f[j] - dae_la_dot(j, u, a->panel + (size_t)j * a->width);
}

/* the triangle of the node's own columns */
static void factor_own(dae_la_tree *t, int k, const node *a, const double *diagonal,
                       dae_la_pivot *pivot, void *ctx, double *reciprocal) {
  for (int i = 0; i < a->own; i++) {
    double *l = a->panel + (size_t)i * a->width, *f = t->front + (size_t)i * a->rows, d = f[i];
    eliminate_row(a, i, f, l);
    for (int j = 0; j < i; j++) {
      const double u = l[j];
      l[j] = u * reciprocal[j];
      d -= u * l[j];
    }
    reciprocal[i] = pivot(ctx, t->first[k] + i, diagonal[t->first[k] + i], d);
  }
}

/* rows below: four at a time. U goes to t->below, L to the panel */
static void factor_below(dae_la_tree *t, const node *a, const double *reciprocal) {
  const int size = a->rows - a->own, width = a->width;
  int i = 0;
  for (; i + 4 <= size; i += 4) {
    double *u = t->below + (size_t)i * width, s[4];
    memset(u, 0, 4 * (size_t)width * sizeof *u);
    for (int j = 0; j < a->own; j++) {
      /* the row of L ends with zeros, so that an even number of terms is as good */
      dae_la_dot4(j + j % 2, u, width, a->panel + (size_t)j * width, s);
      for (int r = 0; r < 4; r++)
        u[(size_t)r * width + j] = t->front[(size_t)(a->own + i + r) * a->rows + j] - s[r];
    }
  }
  for (; i < size; i++) {
    double *u = t->below + (size_t)i * width;
    u[width - 1] = 0;
    eliminate_row(a, a->own, t->front + (size_t)(a->own + i) * a->rows, u);
  }
  for (i = 0; i < size; i++) {
    const double *u = t->below + (size_t)i * width;
    double *l = a->panel + (size_t)(a->own + i) * width;
    for (int j = 0; j < a->own; j++) l[j] = u[j] * reciprocal[j];
  }
}

/* update = the rest of the front - U L' */
static void make_update(const dae_la_tree *t, const node *a, double *update) {
  const int size = a->rows - a->own, width = a->width;
  const double *l = a->panel + (size_t)a->own * width;
  for (int i = 0; i < size; i++) {
    const double *f = t->front + (size_t)(a->own + i) * a->rows + a->own;
    const double *u = t->below + (size_t)i * width;
    double *to = update + (size_t)i * size, s[4];
    int j = 0;
    for (; j + 4 <= i + 1; j += 4) {
      dae_la_dot4(width, l + (size_t)j * width, width, u, s);
      for (int r = 0; r < 4; r++) to[j + r] = f[j + r] - s[r];
    }
    for (; j <= i; j++) to[j] = f[j] - dae_la_dot(a->own, u, l + (size_t)j * width);
  }
}

void dae_la_tree_factor(dae_la_tree *t, const double *diagonal, double *reciprocal,
                        dae_la_pivot *pivot, void *ctx) {
  double *top = t->stack;
  int depth = 0;
  for (int k = 0; k < t->nodes; k++) {
    const node a = node_of(t, k);
    for (int i = 0; i < a.rows; i++) t->local[a.row[i]] = i;
    fill_front(t, k, &a, diagonal);
    for (int c = 0; c < t->children[k]; c++) {
      const int child = t->waiting[--depth];
      const node b = node_of(t, child);
      top -= (size_t)(b.rows - b.own) * (size_t)(b.rows - b.own);
      add_update(t, child, &a, top);
    }
    factor_own(t, k, &a, diagonal, pivot, ctx, reciprocal + t->first[k]);
    if (a.rows == a.own) continue;
    factor_below(t, &a, reciprocal + t->first[k]);
    make_update(t, &a, top);
    top += (size_t)(a.rows - a.own) * (size_t)(a.rows - a.own);
    t->waiting[depth++] = k;
  }
}

void dae_la_tree_forward(const dae_la_tree *t, double *x) {
  for (int k = 0; k < t->nodes; k++) {
    const node a = node_of(t, k);
    double *own = x + t->first[k];
    for (int i = 0; i < a.own; i++) own[i] -= dae_la_dot(i, a.panel + (size_t)i * a.width, own);
    for (int i = a.own; i < a.rows; i++)
      x[a.row[i]] -= dae_la_dot(a.own, a.panel + (size_t)i * a.width, own);
  }
}

void dae_la_tree_backward(const dae_la_tree *t, double *x) {
  for (int k = t->nodes - 1; k >= 0; k--) {
    const node a = node_of(t, k);
    double *own = x + t->first[k];
    for (int i = a.rows - 1; i >= a.own; i--)
      dae_la_subtract(a.own, x[a.row[i]], a.panel + (size_t)i * a.width, own);
    for (int i = a.own - 1; i > 0; i--)
      dae_la_subtract(i, own[i], a.panel + (size_t)i * a.width, own);
  }
}
