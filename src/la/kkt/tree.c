/* L D L' by fronts: the structure, once for a pattern */
#include <string.h>

#include "la/sparse/sparse.h"
#include "la/kkt/tree.h"

/* what is known of the columns while nodes are made of them */
typedef struct columns {
  int n;
  int *parent;       /* elimination tree of columns */
  int *count;        /* rows below the diagonal of L */
  size_t *start;     /* n + 1 */
  int *row;          /* rows below the diagonal, rising */
  int *mark, *place; /* work; place[old] = new */
} columns;

/* parent(j) = the first row below the diagonal of column j of L (Liu 1986) */
static void find_parents(columns *c, const int *start, const int *row, const int *order) {
  int *ancestor = c->mark;
  for (int j = 0; j < c->n; j++) {
    c->parent[j] = ancestor[j] = -1;
    for (int k = start[order[j]]; k < start[order[j] + 1]; k++)
      for (int i = c->place[row[k]], next; i != -1 && i < j; i = next) {
        next = ancestor[i];
        ancestor[i] = j;
        if (next == -1) c->parent[i] = j;
      }
  }
}

/* children before parents, a subtree in one piece: order and parent follow. work of 4n */
static void postorder(columns *c, int *order, int *work) {
  const int n = c->n;
  int *head = work, *next = work + n, *stack = work + 2 * (size_t)n, *found = work + 3 * (size_t)n;
  int count = 0;
  for (int j = 0; j < n; j++) head[j] = -1;
  for (int j = n - 1; j >= 0; j--)
    if (c->parent[j] >= 0) next[j] = head[c->parent[j]], head[c->parent[j]] = j;
  for (int root = 0; root < n; root++) {
    if (c->parent[root] >= 0) continue;
    int top = 0;
    stack[0] = root;
    while (top >= 0) {
      int j = stack[top], child = head[j];
      if (child < 0) found[count++] = j, top--;
      else head[j] = next[child], stack[++top] = child;
    }
  }
  /* found[new] = old: rename */
  for (int j = 0; j < n; j++) stack[j] = order[found[j]];
  memcpy(order, stack, (size_t)n * sizeof *order);
  for (int j = 0; j < n; j++) head[found[j]] = j;
  for (int j = 0; j < n; j++) next[j] = c->parent[found[j]] < 0 ? -1 : head[c->parent[found[j]]];
  memcpy(c->parent, next, (size_t)n * sizeof *next);
  for (int j = 0; j < n; j++) c->place[order[j]] = j;
}

/* the columns of L that row i has: paths of the tree from its neighbours towards i. Counts them, or
   with c->row adds i to each */
static void walk_rows(columns *c, const int *start, const int *row, const int *order) {
  for (int j = 0; j < c->n; j++) c->mark[j] = -1, c->count[j] = 0;
  for (int i = 0; i < c->n; i++) {
    c->mark[i] = i;
    for (int k = start[order[i]]; k < start[order[i] + 1]; k++)
      for (int j = c->place[row[k]]; j < i && c->mark[j] != i; j = c->parent[j]) {
        if (c->row) c->row[c->start[j] + (size_t)c->count[j]] = i;
        c->count[j]++;
        c->mark[j] = i;
      }
  }
}

/*
 * Columns join while each is the parent of the one before: with the same rows for nothing, with
 * others when the zeros that this stores are few, or the node is small. first gets the nodes.
 */
static int make_nodes(const columns *c, int *first, double *zeros) {
  enum { SMALL = 8 };
  const double share = 0.2;
  int nodes = 0;
  for (int j = 0; j < c->n; j++) {
    first[nodes] = j;
    zeros[nodes++] = 0;
    while (nodes > 1 && c->parent[first[nodes - 1] - 1] == first[nodes - 1]) {
      const int a = first[nodes - 2], b = first[nodes - 1], below = c->count[j];
      const double own = b - a, other = j + 1 - b, rows = j + 1 - b + below;
      const double more = own * (rows - c->count[b - 1]);
      const double all = (own + other) * (own + other + below);
      if (zeros[nodes - 2] + zeros[nodes - 1] + more > share * all && own + other > SMALL) break;
      zeros[nodes - 2] += zeros[nodes - 1] + more;
      nodes--;
    }
  }
  first[nodes] = c->n;
  return nodes;
}

static int columns_of(const dae_la_tree *t, int k) { return t->first[k + 1] - t->first[k]; }

/* rows, parents and panels of the nodes */
static dae_status fill_nodes(dae_la_tree *t, dae_pool *pool, const columns *c) {
  const size_t nodes = (size_t)t->nodes;
  t->row_at = dae_base_data(pool, nodes + 1, sizeof *t->row_at);
  t->panel_at = dae_base_data(pool, nodes + 1, sizeof *t->panel_at);
  t->parent = dae_base_ints(pool, nodes);
  t->children = dae_base_ints(pool, nodes);
  if (pool->failed) return DAE_E_MEMORY;
  for (int k = 0; k < t->nodes; k++) {
    const int own = columns_of(t, k), last = t->first[k + 1] - 1;
    const size_t rows = (size_t)own + (size_t)c->count[last];
    t->row_at[k + 1] = t->row_at[k] + rows;
    /* an even width: pairs of numbers */
    t->panel_at[k + 1] = t->panel_at[k] + rows * (size_t)(own + own % 2);
  }
  t->row = dae_base_ints(pool, t->row_at[nodes]);
  int *node = dae_base_ints(pool, (size_t)t->n);
  if (pool->failed) return DAE_E_MEMORY;
  for (int k = 0; k < t->nodes; k++) {
    const int own = columns_of(t, k), last = t->first[k + 1] - 1;
    int *row = t->row + t->row_at[k];
    for (int i = 0; i < own; i++) row[i] = t->first[k] + i, node[t->first[k] + i] = k;
    memcpy(row + own, c->row + c->start[last], (size_t)c->count[last] * sizeof *row);
  }
  for (int k = 0; k < t->nodes; k++) {
    const int own = columns_of(t, k);
    const bool root = t->row_at[k + 1] - t->row_at[k] == (size_t)own;
    t->parent[k] = root ? -1 : node[t->row[t->row_at[k] + (size_t)own]];
    if (!root) t->children[t->parent[k]]++;
  }
  dae_base_give(pool, node);
  return DAE_OK;
}

/* where S is in the fronts */
static dae_status fill_entries(dae_la_tree *t, dae_pool *pool, const columns *c, const int *start,
                               const int *row, const int *order) {
  t->entry_start = dae_base_ints(pool, (size_t)t->n + 1);
  t->entry_row = dae_base_ints(pool, (size_t)start[t->n] / 2);
  t->entry_at = dae_base_ints(pool, (size_t)start[t->n] / 2);
  if (pool->failed) return DAE_E_MEMORY;
  int count = 0;
  for (int k = 0; k < t->nodes; k++) {
    const int rows = (int)(t->row_at[k + 1] - t->row_at[k]);
    for (int i = 0; i < rows; i++) c->mark[t->row[t->row_at[k] + (size_t)i]] = i;
    for (int j = t->first[k]; j < t->first[k + 1]; j++) {
      for (int e = start[order[j]]; e < start[order[j] + 1]; e++) {
        const int i = c->place[row[e]];
        if (i <= j) continue;
        t->entry_row[count] = i;
        t->entry_at[count++] = c->mark[i] * rows + j - t->first[k];
      }
      t->entry_start[j + 1] = count;
    }
  }
  return DAE_OK;
}

static double work_of(const dae_la_tree *t) {
  double work = 0;
  for (int k = 0; k < t->nodes; k++) {
    const double rows = (double)(t->row_at[k + 1] - t->row_at[k]);
    for (int j = 0; j < columns_of(t, k); j++) work += (rows - j) * (rows - j) / 2;
  }
  return work;
}

static dae_status build(dae_la_tree *t, dae_pool *pool, dae_pool *own, const int *start,
                        const int *row, int *order) {
  const size_t n = (size_t)t->n;
  columns c = {.n = t->n};
  c.parent = dae_base_ints(own, n);
  c.count = dae_base_ints(own, n);
  c.mark = dae_base_ints(own, n);
  c.place = dae_base_ints(own, n);
  c.start = dae_base_take(own, n + 1, sizeof *c.start);
  int *work = dae_base_ints(own, 4 * n);
  double *zeros = dae_base_doubles(own, n);
  t->first = dae_base_ints(pool, n + 1);
  if (own->failed || pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i < t->n; i++) c.place[order[i]] = i;
  find_parents(&c, start, row, order);
  postorder(&c, order, work);
  walk_rows(&c, start, row, order);
  for (int j = 0; j < t->n; j++) c.start[j + 1] = c.start[j] + (size_t)c.count[j];
  c.row = dae_base_ints(own, c.start[n]);
  if (own->failed) return DAE_E_MEMORY;
  walk_rows(&c, start, row, order);
  t->nodes = make_nodes(&c, t->first, zeros);
  dae_status status = fill_nodes(t, pool, &c);
  return status == DAE_OK ? fill_entries(t, pool, &c, start, row, order) : status;
}

dae_status dae_la_tree_new(dae_la_tree **out, dae_pool *pool, int n, int *start, int *row,
                           int *order, double *work) {
  *out = NULL;
  dae_status status = dae_la_sparse_order(&pool->allocator, n, start, row, order);
  dae_la_tree *t = dae_base_take(pool, 1, sizeof *t);
  if (status != DAE_OK || !t) return status != DAE_OK ? status : DAE_E_MEMORY;
  t->n = n;
  dae_pool own;
  dae_base_pool_init(&own, &pool->allocator);
  status = build(t, pool, &own, start, row, order);
  dae_base_pool_free(&own);
  if (status != DAE_OK) return status;
  *work = work_of(t);
  *out = t;
  return DAE_OK;
}

void dae_la_tree_give(dae_la_tree *t, dae_pool *pool) {
  void *const all[] = {t->first,    t->parent,      t->row_at,    t->row,      t->panel_at,
                       t->children, t->entry_start, t->entry_row, t->entry_at, t};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) dae_base_give(pool, all[k]);
}

dae_status dae_la_tree_take(dae_la_tree *t, dae_pool *pool) {
  size_t now = 0, most = 0, front = 0, below = 0;
  int depth = 0, deepest = 0;
  /* the stack: each node takes its children's updates away before it leaves its own */
  size_t *size = dae_base_take(pool, (size_t)t->nodes, sizeof *size);
  if (!size) return DAE_E_MEMORY;
  for (int k = 0; k < t->nodes; k++) {
    const size_t rows = t->row_at[k + 1] - t->row_at[k], own = (size_t)columns_of(t, k);
    for (int c = 0; c < t->children[k]; c++) now -= size[--depth];
    size[depth] = (rows - own) * (rows - own);
    if (rows > own) now += size[depth++];
    if (now > most) most = now;
    if (depth > deepest) deepest = depth;
    if (rows * rows > front) front = rows * rows;
    if ((rows - own) * (own + 1) > below) below = (rows - own) * (own + 1);
  }
  dae_base_give(pool, size);
  t->panel = dae_base_doubles(pool, t->panel_at[t->nodes]);
  t->entry = dae_base_doubles(pool, (size_t)t->entry_start[t->n]);
  t->front = dae_base_doubles(pool, front);
  t->below = dae_base_doubles(pool, below);
  t->stack = dae_base_doubles(pool, most);
  t->waiting = dae_base_ints(pool, (size_t)deepest);
  t->local = dae_base_ints(pool, (size_t)t->n);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

int dae_la_tree_place(const dae_la_tree *t, int i, int j) {
  int e = t->entry_start[j];
  while (t->entry_row[e] != i) e++;
  return e;
}
