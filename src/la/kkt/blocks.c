/* a symmetric positive definite matrix that falls apart into small blocks */
#include <string.h>

#include "la/kkt/blocks.h"

/* the representative of i, with the path to it halved on the way */
static int root_of(int *parent, int i) {
  for (; parent[i] != i; i = parent[i]) parent[i] = parent[parent[i]];
  return i;
}

/* block[i] := number of the connected part of i, in the order of first members; returns how many */
static int find_parts(int n, const dae_pattern *p, int *parent, int *block) {
  int count = 0;
  for (int i = 0; i < n; i++) parent[i] = i;
  for (int i = 0; i < n && p; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int a = root_of(parent, i), b = root_of(parent, p->column[k]);
      /* the smaller one leads, so that a part is met first at its root */
      if (a < b) parent[b] = a;
      if (b < a) parent[a] = b;
    }
  for (int i = 0; i < n; i++) {
    int root = root_of(parent, i);
    block[i] = root == i ? count++ : block[root];
  }
  return count;
}

dae_status dae_la_blocks_new(dae_la_blocks *b, dae_pool *pool, int n, const dae_pattern *pattern) {
  *b = (dae_la_blocks){.n = n, .entries = pattern ? pattern->start[n] : n};
  int *scratch = dae_base_ints(pool, (size_t)n);
  b->block = dae_base_ints(pool, (size_t)n);
  b->member = dae_base_ints(pool, (size_t)n);
  b->start = dae_base_ints(pool, (size_t)n + 2);
  if (pool->failed) return DAE_E_MEMORY;
  b->count = find_parts(n, pattern, scratch, b->block);
  dae_base_give(pool, scratch);
  /* counting sort; start is one ahead while members are placed */
  for (int i = 0; i < n; i++) b->start[b->block[i] + 2]++;
  for (int k = 0; k < b->count; k++) {
    if (b->start[k + 2] > b->largest) b->largest = b->start[k + 2];
    b->start[k + 2] += b->start[k + 1];
  }
  for (int i = 0; i < n; i++) b->member[b->start[b->block[i] + 1]++] = i;
  return DAE_OK;
}

static int size_of(const dae_la_blocks *b, int k) { return b->start[k + 1] - b->start[k]; }

dae_status dae_la_blocks_take(dae_la_blocks *b, dae_pool *pool, const dae_pattern *pattern) {
  b->at = dae_base_data(pool, (size_t)b->count + 1, sizeof *b->at);
  b->to = dae_base_data(pool, (size_t)b->entries, sizeof *b->to);
  b->x = dae_base_doubles(pool, (size_t)b->largest);
  int *place = dae_base_ints(pool, (size_t)b->n);
  if (pool->failed) return DAE_E_MEMORY;
  for (int k = 0; k < b->count; k++) {
    size_t size = (size_t)size_of(b, k);
    b->at[k + 1] = b->at[k] + size * size;
    for (int i = b->start[k]; i < b->start[k + 1]; i++) place[b->member[i]] = i - b->start[k];
  }
  for (int i = 0; i < b->n; i++) {
    size_t at = b->at[b->block[i]], size = (size_t)size_of(b, b->block[i]);
    if (!pattern) b->to[i] = at;
    for (int e = pattern ? pattern->start[i] : 0; pattern && e < pattern->start[i + 1]; e++)
      b->to[e] = at + (size_t)place[i] * size + (size_t)place[pattern->column[e]];
  }
  dae_base_give(pool, place);
  b->values = dae_base_doubles(pool, b->at[b->count]);
  return pool->failed ? DAE_E_MEMORY : DAE_OK;
}

int dae_la_blocks_factor(dae_la_blocks *b, const double *M) {
  if (b->largest > 1) memset(b->values, 0, b->at[b->count] * sizeof *b->values);
  for (int e = 0; e < b->entries; e++) b->values[b->to[e]] = M ? M[e] : 1;
  for (int k = 0; k < b->count; k++) {
    double *m = b->values + b->at[k];
    int bad = 0, size = size_of(b, k);
    if (size > 1) bad = dae_la_chol(size, m);
    else if (*m > 0) *m = 1 / *m;
    else bad = 1;
    if (bad) return b->member[b->start[k] + bad - 1];
  }
  return -1;
}

void dae_la_blocks_solve_one(const dae_la_blocks *b, int k, double *x) {
  const double *m = b->values + b->at[k];
  if (size_of(b, k) == 1) *x *= *m;
  else dae_la_chol_solve(size_of(b, k), m, x);
}

void dae_la_blocks_solve(const dae_la_blocks *b, double *p) {
  if (b->largest <= 1) {
    for (int i = 0; i < b->n; i++) p[i] *= b->values[i];
    return;
  }
  for (int k = 0; k < b->count; k++) {
    const int *member = b->member + b->start[k];
    int size = size_of(b, k);
    for (int i = 0; i < size; i++) b->x[i] = p[member[i]];
    dae_la_blocks_solve_one(b, k, b->x);
    for (int i = 0; i < size; i++) p[member[i]] = b->x[i];
  }
}
