/* an order of rows with a narrow envelope: reverse Cuthill-McKee (1969, 1971) on rows that share
   columns */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "la/sparse/order.h"

typedef struct graph {
  const dae_pattern *pattern;
  const int *column_start, *column_row;
  int *degree, *level, *queue;
} graph;

/* breadth first from `root` among the rows whose level is not `done`; neighbours of low degree
   first. Returns the number of rows reached; their levels are 1, 2, ... in `level`. */
static int breadth_first(graph *g, int root, int *depth) {
  const dae_pattern *p = g->pattern;
  int head = 0, tail = 0;
  g->queue[tail++] = root;
  g->level[root] = 1;
  while (head < tail) {
    int r = g->queue[head++], from = tail;
    for (int k = p->start[r]; k < p->start[r + 1]; k++)
      for (int m = g->column_start[p->column[k]]; m < g->column_start[p->column[k] + 1]; m++) {
        int s = g->column_row[m];
        if (g->level[s] != 0) continue;
        g->level[s] = g->level[r] + 1;
        /* insertion keeps this row's neighbours by rising degree */
        int at = tail++;
        for (; at > from && g->degree[g->queue[at - 1]] > g->degree[s]; at--)
          g->queue[at] = g->queue[at - 1];
        g->queue[at] = s;
      }
    *depth = g->level[r];
  }
  return tail;
}

/* forget the levels of the last search */
static void undo(graph *g, int count) {
  for (int i = 0; i < count; i++) g->level[g->queue[i]] = 0;
}

/* a row at the far end of the component: repeated searches from the last row reached */
static int far_end(graph *g, int root) {
  int depth = 0, deepest = 0;
  for (int pass = 0; pass < 4; pass++) {
    int count = breadth_first(g, root, &depth), last = g->queue[count - 1];
    undo(g, count);
    if (depth <= deepest) break;
    deepest = depth;
    root = last;
  }
  return root;
}

void dae_la_order(const dae_pattern *p, const int *column_start, const int *column_row, int *order,
                  int *work) {
  int n = p->rows, done = 0;
  graph g = {p, column_start, column_row, work, work + n, work + 2 * (size_t)n};
  for (int r = 0; r < n; r++) {
    g.level[r] = 0;
    g.degree[r] = 0;
    for (int k = p->start[r]; k < p->start[r + 1]; k++)
      g.degree[r] += column_start[p->column[k] + 1] - column_start[p->column[k]];
  }
  for (int r = 0; r < n; r++) {
    if (g.level[r] != 0) continue;
    int depth, root = far_end(&g, r), count = breadth_first(&g, root, &depth);
    for (int i = 0; i < count; i++) order[n - 1 - done - i] = g.queue[i];
    done += count;
  }
}

/* each entry beside the diagonal is an edge: unknowns are neighbours when they are ends of the same
   one */
static void edges(int n, const int *start, const int *row, int *unknown_start, int *unknown_edge,
                  int *edge_start, int *edge_end) {
  int edge = 0;
  for (int j = 0; j < n; j++)
    for (int k = start[j]; k < start[j + 1]; k++)
      if (row[k] != j) unknown_start[row[k] + 2]++, unknown_start[j + 2]++;
  /* unknown_start is one ahead while edges are placed */
  for (int j = 0; j < n; j++) unknown_start[j + 2] += unknown_start[j + 1];
  for (int j = 0; j < n; j++)
    for (int k = start[j]; k < start[j + 1]; k++) {
      if (row[k] == j) continue;
      edge_start[edge] = 2 * edge;
      edge_end[2 * edge] = row[k], edge_end[2 * edge + 1] = j;
      unknown_edge[unknown_start[row[k] + 1]++] = edge;
      unknown_edge[unknown_start[j + 1]++] = edge;
      edge++;
    }
  edge_start[edge] = 2 * edge;
}

size_t dae_la_order_room(int n, int entries) { return 4 * (size_t)n + 3 + 5 * (size_t)entries; }

void dae_la_order_unknowns(int n, const int *start, const int *row, int *order, int *work) {
  const size_t entries = (size_t)start[n];
  int *unknown_start = work + 3 * (size_t)n, *edge_start = unknown_start + n + 2;
  int *unknown_edge = edge_start + entries + 1, *edge_end = unknown_edge + 2 * entries;
  memset(unknown_start, 0, ((size_t)n + 2) * sizeof *unknown_start);
  edges(n, start, row, unknown_start, unknown_edge, edge_start, edge_end);
  dae_pattern p = {n, (int)entries, unknown_start, unknown_edge};
  dae_la_order(&p, edge_start, edge_end, order, work);
}

int dae_la_order_square(dae_pool *pool, int n, const int *start, const int *row, int *order) {
  int *work = dae_base_ints(pool, dae_la_order_room(n, start[n]));
  if (pool->failed) return INT_MAX;
  dae_la_order_unknowns(n, start, row, order, work);
  int width = 0, *place = work;
  for (int i = 0; i < n; i++) place[order[i]] = i;
  for (int j = 0; j < n; j++)
    for (int k = start[j]; k < start[j + 1]; k++) {
      int distance = abs(place[j] - place[row[k]]);
      if (distance > width) width = distance;
    }
  return width;
}

void dae_la_transpose(const dae_pattern *p, int *start, int *row, int *from) {
  int nonzeros = p->start[p->rows];
  memset(start, 0, ((size_t)p->cols + 1) * sizeof *start);
  for (int k = 0; k < nonzeros; k++) start[p->column[k] + 1]++;
  for (int j = 0; j < p->cols; j++) start[j + 1] += start[j];
  for (int i = 0; i < p->rows; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int at = start[p->column[k]]++;
      row[at] = i;
      from[at] = k;
    }
  /* every start has moved to the next one's place */
  for (int j = p->cols; j > 0; j--) start[j] = start[j - 1];
  start[0] = 0;
}
