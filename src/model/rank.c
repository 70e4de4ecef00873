/*
 * Is the structure right? The signature method trusts that no highest derivatives cancel, that is,
 * that
 *   J_ij = d f_i / d x_j^(d_j - c_i)
 * is regular. It is looked at block by block, at points near the start.
 */
#include <math.h>
#include <string.h>

#include "model/rank.h"

enum { LARGEST = 200 }; /* larger blocks are not looked at: elimination is dense */

void dae_model_probes_init(dae_probes *q, dae_model *m, const dae_structure *s, const int *most) {
  int count = 0;
  *q = (dae_probes){.m = m, .s = s, .most = most};
  q->first = dae_model_ints(&m->built, s->vars);
  for (int j = 0; j < s->vars; j++) {
    q->first[j] = count;
    count += most[j] + 1;
  }
  for (int k = 0; k < DAE_PROBES; k++) {
    uint64_t state = 4711 + (uint64_t)k;
    q->x[k] = dae_model_take(&m->built, (size_t)count + 1, sizeof(double));
    q->t[k] = m->flat.start_time + 0.01 * (k + 1);
    for (int i = 0; i < count; i++) q->x[k][i] = dae_model_random(&state);
    for (int j = 0; j < s->vars; j++) {
      double start = m->flat.variable[s->var[j]].start, *x = &q->x[k][q->first[j]];
      *x = start + (0.1 + 0.1 * fabs(start)) * *x;
    }
  }
}

static bool locate(void *ctx, int variable, int order, int when, int *bank, int *index) {
  const dae_probes *q = ctx;
  int j = q->s->kept_of[variable];
  if (j < 0 || when != WHEN_NOW || order > q->most[j]) return false;
  *bank = 0;
  *index = q->first[j] + order;
  return true;
}

void dae_model_probe(dae_probes *q, const int *node, int count, double *value[DAE_PROBES]) {
  dae_code *code = dae_model_take(&q->m->built, 1, sizeof *code);
  dae_model_code_init(code, &q->m->graph, &q->m->built, locate, q);
  dae_function *f = dae_model_function(code, "", node, count);
  for (int k = 0; k < DAE_PROBES; k++) {
    const double *const bank[DAE_BANKS] = {q->x[k], NULL, NULL, NULL};
    if (!f || dae_model_run(f, q->t[k], bank, value[k]))
      for (int i = 0; i < count; i++) value[k][i] = NAN;
  }
  dae_model_code_free(code);
}

typedef struct leading {
  const dae_structure *s;
  int row;
} leading;

static int leading_column(void *ctx, const dae_node *leaf) {
  const leading *x = ctx;
  if (leaf->op != OP_VAR || leaf->c != WHEN_NOW) return -1;
  int j = x->s->kept_of[leaf->a];
  return leaf->b == x->s->d[j] - x->s->c[x->row] ? j : -1;
}

dae_node_matrix dae_model_leading_row(dae_model *m, const dae_structure *s, int row) {
  leading x = {s, row};
  return dae_model_jacobian(m, &s->residual[row], 1, s->vars, leading_column, &x);
}

/* rows, then columns, to a largest entry of 1; false when one of them is zero */
static bool equilibrate(int n, double *A) {
  for (int i = 0; i < n; i++) {
    double largest = dae_la_norm_max(n, A + i * n);
    if (!(largest > 0)) return false;
    for (int j = 0; j < n; j++) A[i * n + j] /= largest;
  }
  for (int j = 0; j < n; j++) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(A[i * n + j]));
    if (!(largest > 0)) return false;
    for (int i = 0; i < n; i++) A[i * n + j] /= largest;
  }
  return true;
}

/* smallest pivot of the scaled matrix; 0 when singular, 1 where it has no values: nothing is known
   then */
static double smallest_pivot(int n, double *A, int *pivot) {
  double low, high;
  if (!dae_base_finite(A, n * n)) return 1;
  if (!equilibrate(n, A) || dae_la_lu(n, A, pivot)) return 0;
  dae_la_lu_pivots(n, A, &low, &high);
  return low;
}

/* the entries of all blocks that are looked at, in one list */
typedef struct entries {
  int *node, *place; /* place: row in block * size + column in block */
  int *start;        /* by block */
  int count, node_capacity, place_capacity;
} entries;

static void add_block(dae_model *m, const dae_structure *s, int b, const int *position,
                      const int *block_of, entries *e) {
  int size = s->block_start[b + 1] - s->block_start[b];
  for (int k = 0; k < size; k++) {
    dae_node_matrix row = dae_model_leading_row(m, s, s->block_row[s->block_start[b] + k]);
    for (int i = 0; i < row.start[1]; i++) {
      if (block_of[row.column[i]] != b) continue;
      e->node = dae_model_grow(&m->built, e->node, &e->node_capacity, e->count + 1, sizeof(int));
      e->place = dae_model_grow(&m->built, e->place, &e->place_capacity, e->count + 1, sizeof(int));
      e->node[e->count] = row.node[i];
      e->place[e->count++] = k * size + position[row.column[i]];
    }
    dae_base_give(&m->built.pool, row.column);
    dae_base_give(&m->built.pool, row.node);
  }
}

static void collect(dae_model *m, const dae_structure *s, entries *e) {
  int *position = dae_model_ints(&m->built, s->vars),
      *block_of = dae_model_ints(&m->built, s->vars);
  e->start = dae_model_ints(&m->built, s->blocks + 1);
  for (int b = 0; b < s->blocks; b++)
    for (int k = s->block_start[b]; k < s->block_start[b + 1]; k++) {
      int j = s->row_match[s->block_row[k]];
      position[j] = k - s->block_start[b];
      block_of[j] = b;
    }
  for (int b = 0; b < s->blocks; b++) {
    e->start[b] = e->count;
    if (s->block_start[b + 1] - s->block_start[b] <= LARGEST)
      add_block(m, s, b, position, block_of, e);
  }
  e->start[s->blocks] = e->count;
}

/* singular at every point that has values */
static bool block_singular(const entries *e, int b, int size, double *const *value, double *A,
                           int *pivot, double lost) {
  double best = 0;
  for (int k = 0; k < DAE_PROBES; k++) {
    memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
    for (int i = e->start[b]; i < e->start[b + 1]; i++) A[e->place[i]] = value[k][i];
    best = fmax(best, smallest_pivot(size, A, pivot));
  }
  /* rounding of elimination, and what it grows to beside nearly parallel columns: whether there is
     a combination is decided there, with the rounding of each entry */
  return best <= 1e-10 * lost;
}

dae_mend dae_model_mend(dae_model *m, dae_structure *s) {
  entries e = {0};
  dae_probes q;
  double *value[DAE_PROBES];
  int pivot[LARGEST], most = 0;
  collect(m, s, &e);
  for (int b = 0; b < s->blocks; b++) {
    int size = s->block_start[b + 1] - s->block_start[b];
    if (size <= LARGEST && size > most) most = size;
  }
  double *A = dae_model_take(&m->built, (size_t)(most * most), sizeof(double));
  dae_model_probes_init(&q, m, s, s->d);
  for (int k = 0; k < DAE_PROBES; k++)
    value[k] = dae_model_take(&m->built, (size_t)e.count + 1, sizeof(double));
  dae_model_probe(&q, e.node, e.count, value);
  dae_mend found = MEND_NOTHING;
  for (int b = 0; b < s->blocks && found == MEND_NOTHING; b++) {
    int size = s->block_start[b + 1] - s->block_start[b];
    double lost = 1;
    bool dependent = false;
    for (int k = s->block_start[b]; k < s->block_start[b + 1]; k++) {
      lost = fmax(lost, s->lost[s->block_row[k]]);
      dependent = dependent || (s->dependent && s->dependent[s->block_row[k]]);
    }
    if (dependent || size > LARGEST) continue;
    if (!block_singular(&e, b, size, value, A, pivot, lost)) continue;
    found = dae_model_combine_rows(m, s, &q, s->block_row + s->block_start[b], size);
  }
  return found;
}
