/*
 * Minimum degree on a quotient graph, with approximate degrees (after Amestoy, Davis, Duff 1996).
 *
 * An eliminated variable becomes an element: a clique of the variables that it touched. A variable
 * has one list, first its elements, then its variables; an element has the list of its variables.
 * Eliminating p makes the element Lp = (variables of p) + (variables of the elements of p); those
 * elements are gone. So no list of a variable ever grows: p enters where p, or an element of
 * p, leaves.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "la/sparse/fill.h"
#include "la/sparse/sparse.h"

enum { NONE = -1 };

typedef struct quotient {
  int n;
  size_t size, used;         /* of the room for the lists */
  int *room;                 /* all lists */
  size_t *at;                /* where the list of a variable or element begins */
  int *elements, *length;    /* of the list of a variable: elements in it, and all of it */
  bool *eliminated, *gone;   /* it is an element; it is in no list any more */
  int *degree;               /* approximate, of a variable */
  int *head, *next, *before; /* variables by degree, doubly linked */
  int lowest;                /* no degree below this */
  int *mark, stamp;          /* mark[e] >= stamp: |Le \ Lp| of an element is mark - stamp */
  int *member, member_stamp; /* is in Lp */
} quotient;

static void unlink_degree(quotient *q, int i) {
  if (q->before[i] != NONE) q->next[q->before[i]] = q->next[i];
  else q->head[q->degree[i]] = q->next[i];
  if (q->next[i] != NONE) q->before[q->next[i]] = q->before[i];
}

static void link_degree(quotient *q, int i, int degree) {
  q->degree[i] = degree;
  q->before[i] = NONE;
  q->next[i] = q->head[degree];
  if (q->next[i] != NONE) q->before[q->next[i]] = i;
  q->head[degree] = i;
  if (degree < q->lowest) q->lowest = degree;
}

static int take_lowest(quotient *q) {
  while (q->head[q->lowest] == NONE) q->lowest++;
  int p = q->head[q->lowest];
  unlink_degree(q, p);
  return p;
}

/* moves the lists together; they lie in the room in no order, so that by a copy */
static void collect(quotient *q, int *spare) {
  size_t used = 0;
  for (int i = 0; i < q->n; i++) {
    if (q->gone[i]) continue;
    memcpy(spare + used, q->room + q->at[i], (size_t)q->length[i] * sizeof *spare);
    q->at[i] = used;
    used += (size_t)q->length[i];
  }
  memcpy(q->room, spare, used * sizeof *spare);
  q->used = used;
}

/* the members of a list join Lp, whose list is being written at the end of the room */
static void join(quotient *q, int p, const int *list, int count) {
  for (int k = 0; k < count; k++) {
    int i = list[k];
    if (i == p || q->eliminated[i] || q->member[i] == q->member_stamp) continue;
    q->member[i] = q->member_stamp;
    q->room[q->used++] = i;
  }
}

/* Lp, the element that p leaves; the elements it is made of are gone */
static void make_element(quotient *q, int p, int *spare) {
  if (q->used + (size_t)q->n > q->size) collect(q, spare);
  size_t begin = q->used;
  q->member_stamp++;
  const int *list = q->room + q->at[p];
  join(q, p, list + q->elements[p], q->length[p] - q->elements[p]);
  for (int k = 0; k < q->elements[p]; k++) {
    int e = list[k];
    join(q, p, q->room + q->at[e], q->length[e]);
    q->gone[e] = true;
  }
  q->eliminated[p] = true;
  q->at[p] = begin;
  q->length[p] = (int)(q->used - begin);
  q->elements[p] = 0;
}

/* |Le \ Lp| of every element that touches Lp */
static void count_outside(quotient *q, int p) {
  if (q->stamp > INT_MAX - 2 * q->n - 2) {
    memset(q->mark, 0, (size_t)q->n * sizeof *q->mark);
    q->stamp = 1;
  }
  q->stamp += q->n + 1;
  const int *Lp = q->room + q->at[p];
  for (int k = 0; k < q->length[p]; k++) {
    const int *list = q->room + q->at[Lp[k]];
    for (int m = 0; m < q->elements[Lp[k]]; m++) {
      int e = list[m];
      if (q->gone[e]) continue;
      if (q->mark[e] < q->stamp) q->mark[e] = q->stamp + q->length[e];
      q->mark[e]--;
    }
  }
}

/*
 * The list of i in Lp anew: p, the elements that still have members outside Lp, the variables
 * outside Lp. d_i <= |Ai| + |Lp \ i| + sum |Le \ Lp|.
 */
static int renew(quotient *q, int p, int i, int left) {
  int *list = q->room + q->at[i], elements = 0, length;
  long degree = q->length[p] - 1;
  for (int m = 0; m < q->elements[i]; m++) {
    int e = list[m];
    if (q->gone[e]) continue;
    int outside = q->mark[e] - q->stamp;
    if (outside == 0) { /* Lp has all of it */
      q->gone[e] = true;
      continue;
    }
    degree += outside;
    list[elements++] = e;
  }
  length = elements;
  for (int m = q->elements[i]; m < q->length[i]; m++) {
    int j = list[m];
    if (q->eliminated[j] || q->member[j] == q->member_stamp) continue;
    degree++;
    list[length++] = j;
  }
  /* p goes to the end of the elements */
  if (length > elements) list[length] = list[elements];
  list[elements] = p;
  q->elements[i] = elements + 1;
  q->length[i] = length + 1;
  long most = (long)q->degree[i] + q->length[p] - 1;
  if (degree > most) degree = most;
  return (int)(degree < left ? degree : left);
}

static void eliminate_all(quotient *q, int *spare, int *order, dae_la_fill *fill) {
  for (int k = 0; k < q->n; k++) {
    int p = take_lowest(q);
    order[k] = p;
    make_element(q, p, spare);
    fill->flops += 2.0 * q->length[p] * (q->length[p] + 1);
    fill->entries += 2.0 * q->length[p];
    count_outside(q, p);
    for (int m = 0; m < q->length[p]; m++) {
      int i = q->room[q->at[p] + (size_t)m];
      unlink_degree(q, i);
      link_degree(q, i, renew(q, p, i, q->n - k - 2));
    }
    if (q->length[p] == 0) q->gone[p] = true;
  }
}

/* a pattern by columns and by rows, and what is a neighbour in it */
typedef struct graph {
  int n;
  const int *start, *row;  /* by columns */
  int *t_start, *t_column; /* by rows */
  bool squared;            /* the graph of A'A, else of A + A' */
  int long_row;            /* longer rows, each a clique of columns, are left out of A'A */
  int *seen;               /* seen[i] == j: i is known to be a neighbour of j */
} graph;

/* `count` further neighbours of j, those that are new; to may be NULL. Returns how many are new */
static size_t see(const graph *g, int j, const int *list, int count, int *to) {
  size_t fresh = 0;
  for (int k = 0; k < count; k++) {
    if (g->seen[list[k]] == j) continue;
    g->seen[list[k]] = j;
    if (to) to[fresh] = list[k];
    fresh++;
  }
  return fresh;
}

static size_t neighbours(const graph *g, int j, int *to) {
  int begin = g->start[j], count = g->start[j + 1] - begin;
  size_t found = 0;
  g->seen[j] = j;
  if (!g->squared) {
    found = see(g, j, g->row + begin, count, to);
    return found + see(g, j, g->t_column + g->t_start[j], g->t_start[j + 1] - g->t_start[j],
                       to ? to + found : NULL);
  }
  for (int k = begin; k < begin + count; k++) {
    int r = g->row[k], length = g->t_start[r + 1] - g->t_start[r];
    if (length > g->long_row) continue;
    found += see(g, j, g->t_column + g->t_start[r], length, to ? to + found : NULL);
  }
  return found;
}

static void transpose(const graph *g) {
  int *t_start = g->t_start;
  for (int k = 0; k < g->start[g->n]; k++) t_start[g->row[k] + 1]++;
  for (int i = 0; i < g->n; i++) t_start[i + 1] += t_start[i];
  for (int j = 0; j < g->n; j++)
    for (int k = g->start[j]; k < g->start[j + 1]; k++) g->t_column[t_start[g->row[k]]++] = j;
  for (int i = g->n; i > 0; i--) t_start[i] = t_start[i - 1];
  t_start[0] = 0;
}

static void take_arrays(quotient *q, dae_pool *pool) {
  size_t n = (size_t)q->n;
  int **ints[] = {&q->elements, &q->length, &q->degree, &q->head,
                  &q->next,     &q->before, &q->mark,   &q->member};
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) *ints[k] = dae_base_ints(pool, n + 1);
  q->at = dae_base_take(pool, n, sizeof *q->at);
  q->eliminated = dae_base_take(pool, n, sizeof *q->eliminated);
  q->gone = dae_base_take(pool, n, sizeof *q->gone);
}

static dae_status build(quotient *q, dae_pool *pool, graph *g, int **spare) {
  int n = q->n;
  g->t_start = dae_base_ints(pool, (size_t)n + 1);
  g->t_column = dae_base_ints(pool, (size_t)g->start[n]);
  g->seen = dae_base_ints(pool, (size_t)n);
  take_arrays(q, pool);
  if (pool->failed) return DAE_E_MEMORY;
  transpose(g);
  size_t entries = 0;
  for (int j = 0; j < n; j++) g->seen[j] = NONE;
  for (int j = 0; j < n; j++) entries += neighbours(g, j, NULL);
  /* the lists never take more than at first: a new element may be written beside them */
  q->size = entries + entries / 4 + 2 * (size_t)n;
  q->room = dae_base_ints(pool, q->size);
  *spare = dae_base_ints(pool, q->size);
  if (pool->failed) return DAE_E_MEMORY;
  for (int i = 0; i <= n; i++) q->head[i] = NONE;
  q->lowest = n;
  q->stamp = q->member_stamp = 1;
  for (int j = 0; j < n; j++) g->seen[j] = NONE;
  for (int j = 0; j < n; j++) {
    q->at[j] = q->used;
    q->length[j] = (int)neighbours(g, j, q->room + q->used);
    q->used += (size_t)q->length[j];
  }
  for (int i = n - 1; i >= 0; i--) link_degree(q, i, q->length[i]);
  return DAE_OK;
}

dae_status dae_la_fill_order(const dae_allocator *allocator, int n, const int *start,
                             const int *row, bool pivots_anywhere, int *order, int *partner,
                             dae_la_fill *fill) {
  dae_pool pool;
  dae_base_pool_init(&pool, allocator);
  quotient q = {.n = n};
  graph g = {.n = n, .start = start, .row = row, .squared = pivots_anywhere};
  g.long_row = (int)fmax(16, 10 * sqrt(n));
  int *spare = NULL;
  *fill = (dae_la_fill){0};
  dae_status status = build(&q, &pool, &g, &spare);
  if (status == DAE_OK) eliminate_all(&q, spare, order, fill);
  /* elimination on the graph of A'A is no forecast of that of A */
  if (pivots_anywhere) fill->entries = 0;
  for (int j = 0; j < n; j++) partner[j] = j;
  dae_base_pool_free(&pool);
  return status;
}

dae_status dae_la_sparse_order(const dae_allocator *allocator, int n, int *start, int *row,
                               int *order) {
  dae_la_fill fill;
  dae_pool pool;
  dae_base_pool_init(&pool, allocator);
  int *partner = dae_base_ints(&pool, (size_t)n);
  dae_status status =
      partner ? dae_la_fill_order(allocator, n, start, row, false, order, partner, &fill)
              : DAE_E_MEMORY;
  dae_base_pool_free(&pool);
  return status;
}
