/* the Sigma method (Pryce 2001): maximum-value transversal by shortest paths, smallest offsets */
#include <limits.h>
#include <string.h>

#include "model/structure.h"

void dae_model_signature_columns(dae_arena *arena, dae_signature *s) {
  int entries = s->start[s->rows];
  s->col_start = dae_model_ints(arena, s->cols + 1);
  s->col_row = dae_model_ints(arena, entries);
  s->col_entry = dae_model_ints(arena, entries);
  for (int e = 0; e < entries; e++) s->col_start[s->column[e] + 1]++;
  for (int j = 0; j < s->cols; j++) s->col_start[j + 1] += s->col_start[j];
  int *at = dae_model_ints(arena, s->cols);
  for (int i = 0; i < s->rows; i++)
    for (int e = s->start[i]; e < s->start[i + 1]; e++) {
      int k = s->col_start[s->column[e]] + at[s->column[e]]++;
      s->col_row[k] = i;
      s->col_entry[k] = e;
    }
}

/* highest derivative of each kept variable in each equation */
void dae_model_signature(dae_model *m, dae_structure *st) {
  dae_graph *g = &m->graph;
  dae_signature *s = &st->s;
  s->rows = st->eqs;
  s->cols = st->vars;
  s->column = s->sigma = NULL; /* those before may have come from elsewhere (redundant.c) */
  s->start = dae_model_ints(&m->built, s->rows + 1);
  int count = 0, capacity = 0, sigma_capacity = 0, *seen = dae_model_ints(&m->built, s->cols);
  for (int j = 0; j < s->cols; j++) seen[j] = -1;
  dae_set below = {0};
  for (int i = 0; i < s->rows; i++) {
    s->start[i] = count;
    m->at = st->place[i];
    dae_model_reach(g, &st->residual[i], 1, &below);
    for (int k = 0; k < below.count; k++) {
      const dae_node *n = &g->node[below.node[k]];
      if (n->op != OP_VAR || n->c != WHEN_NOW) continue;
      int j = st->kept_of[n->a];
      if (seen[j] < s->start[i] || seen[j] >= count || s->column[seen[j]] != j) {
        s->column = dae_model_grow(&m->built, s->column, &capacity, count + 1, sizeof(int));
        s->sigma = dae_model_grow(&m->built, s->sigma, &sigma_capacity, count + 1, sizeof(int));
        s->column[count] = j;
        s->sigma[count] = n->b;
        seen[j] = count++;
      } else if (n->b > s->sigma[seen[j]]) {
        s->sigma[seen[j]] = n->b;
      }
    }
  }
  s->start[s->rows] = count;
  m->at = DAE_NO_PLACE;
  dae_model_set_free(g, &below);
  dae_model_signature_columns(&m->built, s);
}

/* ---- assignment: minimum of sum(-sigma), potentials u, v with -sigma - u_i - v_j >= 0 ---- */

typedef struct heap {
  int *key, *item, *where; /* where[item] = position, -1 not inside */
  int count;
} heap;

static void heap_swap(heap *h, int a, int b) {
  int key = h->key[a], item = h->item[a];
  h->key[a] = h->key[b], h->item[a] = h->item[b];
  h->key[b] = key, h->item[b] = item;
  h->where[h->item[a]] = a;
  h->where[h->item[b]] = b;
}

static void heap_put(heap *h, int item, int key) {
  int k = h->where[item];
  if (k < 0) {
    k = h->count++;
    h->item[k] = item;
    h->where[item] = k;
  }
  h->key[k] = key;
  while (k > 0 && h->key[(k - 1) / 2] > h->key[k]) {
    heap_swap(h, k, (k - 1) / 2);
    k = (k - 1) / 2;
  }
}

static int heap_take(heap *h, int *key) {
  int item = h->item[0];
  *key = h->key[0];
  heap_swap(h, 0, --h->count);
  h->where[item] = -1;
  for (int k = 0;;) {
    int child = 2 * k + 1;
    if (child >= h->count) break;
    if (child + 1 < h->count && h->key[child + 1] < h->key[child]) child++;
    if (h->key[k] <= h->key[child]) break;
    heap_swap(h, k, child);
    k = child;
  }
  return item;
}

typedef struct assignment {
  dae_arena *arena;
  const dae_signature *s;
  int *row_match, *col_match, *u, *v;
  int *distance, *from, *done, *touched; /* by column */
  int touches, dones;
  heap h;
} assignment;

/* a first matching along entries of reduced cost 0 */
static void greedy(assignment *a) {
  const dae_signature *s = a->s;
  for (int j = 0; j < s->cols; j++) a->v[j] = INT_MAX;
  for (int e = 0; e < s->start[s->rows]; e++)
    if (-s->sigma[e] < a->v[s->column[e]]) a->v[s->column[e]] = -s->sigma[e];
  for (int i = 0; i < s->rows; i++) {
    a->u[i] = INT_MAX;
    for (int e = s->start[i]; e < s->start[i + 1]; e++) {
      int reduced = -s->sigma[e] - a->v[s->column[e]];
      if (reduced < a->u[i]) a->u[i] = reduced;
    }
    for (int e = s->start[i]; e < s->start[i + 1] && a->row_match[i] < 0; e++) {
      int j = s->column[e];
      if (a->col_match[j] < 0 && -s->sigma[e] - a->u[i] - a->v[j] == 0)
        a->row_match[i] = j, a->col_match[j] = i;
    }
  }
}

/* lower the distances of the columns of row i, which itself is reached at `base` */
static void relax(assignment *a, int i, int base) {
  const dae_signature *s = a->s;
  dae_model_tick(a->arena, 8 * (s->start[i + 1] - s->start[i]) + 8);
  for (int e = s->start[i]; e < s->start[i + 1]; e++) {
    int j = s->column[e], to = base - s->sigma[e] - a->u[i] - a->v[j];
    if (a->done[j] || to >= a->distance[j]) continue;
    if (a->distance[j] == INT_MAX) a->touched[a->touches++] = j;
    a->distance[j] = to;
    a->from[j] = i;
    heap_put(&a->h, j, to);
  }
}

/* Dijkstra from a free row to the nearest free column; then potentials and the matching change
   along it */
static bool augment(assignment *a, int row) {
  int last = -1, least = 0;
  a->touches = a->h.count = 0;
  relax(a, row, 0);
  while (a->h.count && last < 0) {
    int j = heap_take(&a->h, &least);
    a->done[j] = 1;
    if (a->col_match[j] < 0) last = j;
    else relax(a, a->col_match[j], least);
  }
  if (last >= 0) {
    a->u[row] += least;
    for (int k = 0; k < a->touches; k++) {
      int j = a->touched[k];
      if (!a->done[j] || a->distance[j] > least) continue;
      int gain = least - a->distance[j];
      a->v[j] -= gain;
      if (a->col_match[j] >= 0) a->u[a->col_match[j]] += gain;
    }
  }
  for (int k = 0; k < a->touches; k++) {
    int j = a->touched[k];
    a->distance[j] = INT_MAX;
    a->done[j] = 0;
    a->h.where[j] = -1;
  }
  for (int j = last; j >= 0;) {
    int i = a->from[j], before = a->row_match[i];
    a->row_match[i] = j;
    a->col_match[j] = i;
    if (i == row) break;
    j = before;
  }
  return last >= 0;
}

bool dae_model_transversal(dae_arena *arena, const dae_signature *s, int *row_match,
                           int *col_match) {
  assignment a = {.arena = arena, .s = s, .row_match = row_match, .col_match = col_match};
  a.u = dae_model_ints(arena, s->rows);
  a.v = dae_model_ints(arena, s->cols);
  a.distance = dae_model_ints(arena, s->cols);
  a.from = dae_model_ints(arena, s->cols);
  a.done = dae_model_ints(arena, s->cols);
  a.touched = dae_model_ints(arena, s->cols);
  a.h.key = dae_model_ints(arena, s->cols + 1);
  a.h.item = dae_model_ints(arena, s->cols + 1);
  a.h.where = dae_model_ints(arena, s->cols);
  for (int i = 0; i < s->rows; i++) row_match[i] = -1;
  for (int j = 0; j < s->cols; j++) col_match[j] = a.h.where[j] = -1, a.distance[j] = INT_MAX;
  greedy(&a);
  bool ok = true;
  for (int i = 0; i < s->rows; i++)
    if (row_match[i] < 0) ok = augment(&a, i) && ok;
  return ok && s->rows == s->cols;
}

/* d_j = max_i (sigma_ij + c_i), c_i = d_match - sigma_match, from the least values upwards */
void dae_model_offsets(dae_arena *arena, const dae_signature *s, const int *row_match,
                       const int *col_match, const int *c_least, const int *d_least, int *c,
                       int *d) {
  int n = s->rows, *queue = dae_model_ints(arena, n + 1), *waiting = dae_model_ints(arena, n),
      *own = dae_model_ints(arena, n);
  int head = 0, count = 0;
  for (int i = 0; i < n; i++)
    for (int e = s->start[i]; e < s->start[i + 1]; e++)
      if (s->column[e] == row_match[i]) own[i] = s->sigma[e];
  for (int j = 0; j < s->cols; j++) d[j] = d_least ? d_least[j] : 0;
  for (int i = 0; i < n; i++) {
    c[i] = c_least ? c_least[i] : 0;
    int needed = d[row_match[i]] - own[i];
    if (needed > c[i]) c[i] = needed;
    queue[count++] = i;
    waiting[i] = 1;
  }
  while (count) {
    int i = queue[head];
    head = head + 1 == n ? 0 : head + 1;
    count--;
    waiting[i] = 0;
    for (int e = s->start[i]; e < s->start[i + 1]; e++) {
      int j = s->column[e], k = col_match[j];
      if (s->sigma[e] + c[i] <= d[j]) continue;
      d[j] = s->sigma[e] + c[i];
      if (k < 0 || d[j] - own[k] <= c[k]) continue;
      c[k] = d[j] - own[k];
      if (waiting[k]) continue;
      waiting[k] = 1;
      queue[(head + count++) % n] = k;
    }
  }
}
