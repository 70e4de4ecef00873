/*
 * How many entries LU factors have at most, whatever rows become pivots (George and Ng 1985). Rows
 * that begin in the same column are candidates for its pivot; each of the others may become as
 * full as all of them together. So they are merged: column k has one group of r rows with the
 * pattern u, from which come r - 1 entries of L and |u| of U; r - 1 rows with the pattern u go
 * on to the first column of u.
 */
#include <string.h>

#include "la/sparse/fill.h"

enum { NONE = -1 };

typedef struct groups {
  int n;
  int *place;       /* of a column in the order */
  int *head, *next; /* groups by their first column; a group is known by a row or n + a column */
  int *rows;        /* of a group */
  size_t *from, *to;
  int *column; /* places of the groups' columns */
  size_t used, size;
  int *seen;
} groups;

static void put(groups *g, int group, int first) {
  g->next[group] = g->head[first];
  g->head[first] = group;
}

static bool take(groups *g, dae_pool *pool, size_t entries, size_t limit) {
  size_t n = (size_t)g->n;
  g->size = entries + limit;
  g->place = dae_base_ints(pool, n);
  g->head = dae_base_ints(pool, n);
  g->seen = dae_base_ints(pool, n);
  g->next = dae_base_ints(pool, 2 * n);
  g->rows = dae_base_ints(pool, 2 * n);
  g->from = dae_base_take(pool, 2 * n, sizeof *g->from);
  g->to = dae_base_take(pool, 2 * n, sizeof *g->to);
  g->column = dae_base_ints(pool, g->size);
  return !pool->failed;
}

/* every row is a group at first */
static void begin(groups *g, const int *start, const int *row, const int *order) {
  int n = g->n;
  for (int k = 0; k < n; k++) g->place[order[k]] = k, g->head[k] = g->seen[k] = NONE;
  for (int e = 0; e < start[n]; e++) g->to[row[e]]++;
  for (int i = 0; i < n; i++) {
    g->from[i] = g->used;
    g->used += g->to[i];
    g->to[i] = g->from[i];
    g->rows[i] = 1;
  }
  /* by rising place, so that the first one is the least */
  for (int k = 0; k < n; k++)
    for (int e = start[order[k]]; e < start[order[k] + 1]; e++) {
      int i = row[e];
      if (g->to[i] == g->from[i]) put(g, i, k);
      g->column[g->to[i]++] = k;
    }
}

dae_status dae_la_fill_most(const dae_allocator *allocator, int n, const int *start, const int *row,
                            const int *order, size_t limit, size_t *lower, size_t *upper) {
  dae_pool pool;
  dae_base_pool_init(&pool, allocator);
  groups g = {.n = n};
  *lower = *upper = 0;
  bool taken = take(&g, &pool, (size_t)start[n], limit), fits = taken;
  if (fits) begin(&g, start, row, order);
  for (int k = 0; fits && k < n; k++) {
    int rows = 0, first = n;
    g.from[n + k] = g.used;
    for (int group = g.head[k]; group != NONE; group = g.next[group]) {
      rows += g.rows[group];
      for (size_t e = g.from[group]; fits && e < g.to[group]; e++) {
        int c = g.column[e];
        if (c == k || g.seen[c] == k) continue;
        g.seen[c] = k;
        fits = g.used < g.size;
        if (fits) g.column[g.used++] = c;
        if (c < first) first = c;
      }
    }
    g.to[n + k] = g.used;
    g.rows[n + k] = rows - 1;
    if (rows > 1 && first < n) put(&g, n + k, first);
    if (rows > 0) *lower += (size_t)rows - 1, *upper += g.to[n + k] - g.from[n + k];
    fits = fits && *lower + *upper <= limit;
  }
  dae_base_pool_free(&pool);
  return !taken ? DAE_E_MEMORY : fits ? DAE_OK : DAE_E_LIMIT;
}
